"""The language of a sentence: by its script, its small words and the language of its document.

Statistics have too little to go by in one sentence. In doubt a text is English.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from core import paths
from core.domain import Span
from core.language import lexicon
from core.text import CELL_BORDER, WORD, sentences

ENGLISH = "en"
_BY_WORDS = (
    "de",
    "es",
    "fr",
    "it",
    "nl",
    "pl",
    "pt",
    "sv",
    "no",
    "da",
)  # with a list of small words; the first of equals wins
_LATIN = "LATIN"
_BY_SCRIPT = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "CYRILLIC": "ru", "ARABIC": "ar", "GREEK": "el",
    "HEBREW": "he", "THAI": "th", "DEVANAGARI": "hi", "ARMENIAN": "hy", "GEORGIAN": "ka", "BENGALI": "bn",
    "TAMIL": "ta", "TELUGU": "te", "GUJARATI": "gu", "KHMER": "km", "ETHIOPIC": "am",
}  # fmt: skip
_SHARED = {"CYRILLIC": ("be", "bg", "kk", "ky", "mk", "mn", "sr", "uk"), "ARABIC": ("fa", "ku", "ps", "ur"),
           "DEVANAGARI": ("mr", "ne"), "CJK": ("ja",)}  # fmt: skip
_MAIL_FIELDS = (
    r"(?:(?:(?:Resent-)?(?:From|Sender|To|Cc|Bcc|Date)|Reply-To|Sent|Subject|Newsgroups|Organization|Importance"
    r"|Sensitivity):[^\n]*(?:\n|\Z))"
)
_MAIL_HEADER = re.compile(rf"\A{_MAIL_FIELDS}+")
_MAIL_HEADERS = re.compile(rf"^{_MAIL_FIELDS}{{2,}}", re.MULTILINE)
_NAMED = 3  # documents that a note names
_LONGEST = 2_000  # characters that are looked at
_SENTENCE = 8  # words that are no names, from which a sentence can tell its language
_SHARE, _DIFFERENT = 0.12, 3  # of English small words among all, and how many different ones


def language_of(text: str, document: str = "") -> str:
    """Return the language (ISO 639-1) of a text that is in a document of this language, if that is known."""
    text = text[:_LONGEST]
    script = _script(text)
    if script not in ("", _LATIN):
        language = _BY_SCRIPT.get(script, document)
        return document if document in _SHARED.get(script, ()) else language
    if not script:
        return document or ENGLISH
    english = lexicon.words_of(ENGLISH, "function")
    if document in ("", ENGLISH) and any(match[0].casefold() in english for match in WORD.finditer(text)):
        return ENGLISH
    words = {*WORD.findall(text.casefold())}
    counts = {language: len(words & lexicon.words_of(language, "function")) for language in (ENGLISH, *_BY_WORDS)}
    best = max(_BY_WORDS, key=lambda language: (counts[language], language == document))
    if counts[best] >= 2 and (not counts[ENGLISH] or (best == document and counts[best] > counts[ENGLISH])):
        return best
    is_document = document != "" and document not in _BY_SCRIPT.values()
    return document if is_document and counts[ENGLISH] <= counts.get(document, 0) else ENGLISH


def is_plainly_english(text: str) -> bool:
    """Return whether the small words of a text leave no doubt that it is English: several of them, and none of others.

    Of 6,500 pieces of news, reports and lists for which it does, a model is sure of another language in none.
    """
    if not text.isascii():
        return False
    words = WORD.findall(text.lower())
    english = [word for word in words if word in lexicon.words_of(ENGLISH, "function")]
    return len(english) > _SHARE * len(words) and len({*english}) >= _DIFFERENT and _foreign_words().isdisjoint(words)


@cache
def _foreign_words() -> frozenset[str]:
    """Return the small words of other languages that are no word of English."""
    lists = (lexicon.words_of(language, "function") for language in _BY_WORDS)
    return frozenset().union(*lists) - lexicon.words_of(ENGLISH, "function") - {"a", "i"}


def without_mail_header(text: str) -> str:
    """Return a text without the header of a mail at its beginning, which is English in any mail."""
    return _MAIL_HEADER.sub("", text.lstrip()).lstrip()


def mail_headers(text: str) -> list[Span]:
    """List the headers of mails in a text: that at its beginning, and of mails quoted in it."""
    quoted_headers = [match for match in _MAIL_HEADERS.finditer(text) if re.search(r"^From:", match[0], re.MULTILINE)]
    first = _MAIL_HEADER.match(text)
    spans = {*(match.span() for match in quoted_headers), *((first.span(),) if first else ())}
    return [Span(*span) for span in sorted(spans)]


def possible_languages(text: str) -> frozenset[str]:
    """List the languages that a text may be of; nothing where it could be of any.

    Several share a script, and a sentence does not tell which it is of.
    """
    text = text[:_LONGEST]
    script = _script(text)
    if script not in ("", _LATIN):
        return frozenset((_BY_SCRIPT[script], *_SHARED.get(script, ()))) if script in _BY_SCRIPT else frozenset()
    words = {*WORD.findall(text.casefold())}
    counts = {language: len(words & lexicon.words_of(language, "function")) for language in (ENGLISH, *_BY_WORDS)}
    highest = max(counts.values()) if script else 0
    best = [language for language, count in counts.items() if count == highest]
    return frozenset(best) if highest else frozenset()


def languages_by_letters(word: str) -> tuple[str, ...]:
    """List the languages that a word may be of, by its script: one word tells no more."""
    script = _script(word)
    return _BY_WORDS if script == _LATIN else (_BY_SCRIPT[script],) if script in _BY_SCRIPT else ()


def name_of(language: str) -> str:
    """Return 'German' for 'de'; the code itself where no name is known."""
    return names().get(language, language)


def is_known(text: str, document: str) -> bool:
    """Return whether the language of a text is known: that of its document, or one that its words show."""
    return bool(document) or language_of(text) != ENGLISH or possible_languages(text) == {ENGLISH}


def has_running_text(text: str) -> bool:
    """Return whether a text has a sentence, so that its words can tell its language: tables and logs seldom do."""
    parts = (text[span.start : span.end] for span in sentences(text[:_LONGEST]))
    return any(
        part.count(CELL_BORDER) < 2
        and sum(word.isalpha() and not word[0].isupper() for word in WORD.findall(part)) >= _SENTENCE
        for part in parts
    )


def read_as_english(names: Sequence[str]) -> list[str]:
    """Return the note on documents in which no language was recognised; [] for none."""
    if not names:
        return []
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    verb = "it was" if len(names) == 1 else "they were"
    return [f"No language was recognised in {', '.join(names[:_NAMED])}{more}: {verb} read as English."]


def code_of(language: str) -> str:
    """Return 'de' for 'de' and for 'German'; '' for what is no language."""
    text = language.casefold()
    return next((code for code, name in names().items() if text in (code, name.casefold())), "")


@cache
def names() -> Mapping[str, str]:
    """Return the English names of the languages that a text can be said to be in, by code."""
    lines = (paths.RESOURCES / "lexicon" / "languages.txt").read_text("utf-8").splitlines()
    rows = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {code: name for code, _, name in rows}


def _script(text: str) -> str:
    """Return the script that most letters of a text are of, '' for no letters; kana make Han Japanese."""
    if text.isascii():
        return _LATIN if any(map(str.isalpha, text)) else ""
    letters = [mark for mark in text if mark.isalpha()]
    if 2 * sum(map(str.isascii, letters)) > len(letters):
        return _LATIN
    scripts = Counter(unicodedata.name(mark, "").partition(" ")[0] for mark in letters)
    if not scripts:
        return ""
    best = max(scripts, key=lambda script: (scripts[script], script))
    is_japanese = best == "CJK" and scripts["HIRAGANA"] + scripts["KATAKANA"] > 0
    return "HIRAGANA" if is_japanese else best
