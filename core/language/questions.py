"""Question words and words without a topic, by language; the language of a question. Pure."""

from __future__ import annotations

import re
from functools import cache

from core.language.identification import ENGLISH, languages_by_letters
from core.language.lexicon import words_of
from core.text import WORD

_LANGUAGES = ("de", "es", "fr", "ru", "ar")  # with lists of question words
_ENGLISH = re.compile(
    r"who|whom|whose|what|which|when|where|why|how|is|are|was|were|has|have|had|does|do|did|can|could|will|would|should"
)


def language_of_question(text: str) -> str:
    """Return the language that most small words of a question are of; English in doubt."""
    words = WORD.findall(text.casefold())
    small = words_of(ENGLISH, "stop") | words_of(ENGLISH, "function")
    least = sum(word in small or _ENGLISH.fullmatch(word) is not None for word in words)
    candidates = set(languages_by_letters(text)) & set(_LANGUAGES)
    counts = {language: sum(word in _small_words(language) for word in words) for language in sorted(candidates)}
    if len(candidates) == 1:  # the script tells
        return candidates.pop()
    best = max(counts, key=lambda language: counts[language], default=ENGLISH)
    return best if counts.get(best, 0) > least else ENGLISH


def is_read(language: str) -> bool:
    """Return whether it is known what a question in this language asks for."""
    return language in (ENGLISH, *_LANGUAGES)


def kind_of_question(text: str, language: str) -> tuple[str, str]:
    """Return what a question in another language than English asks for, and the words that say so; 'what' without."""
    form, kinds = _question_words(language)
    match = form.search(text.casefold())
    return (kinds[" ".join(match.group().split())], match.group()) if match else ("what", "")


def stop_words(language: str) -> frozenset[str]:
    """Return the words of a language without a topic, question words among them."""
    return _small_words(language)


@cache
def _small_words(language: str) -> frozenset[str]:
    asking = {word for phrase in _question_words(language)[1] for word in phrase.split()}
    return words_of(language, "stop") | asking


@cache
def _question_words(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return the expression of the question words of a language, the longest first, and the kind of each."""
    kinds = {}
    for row in words_of(language, "question"):
        kind, _, phrase = row.replace("how many", "how_many", 1).partition(" ")
        kinds[phrase] = kind.replace("_", " ")
    phrases = (
        re.escape(phrase).replace(r"\ ", r"\s+") for phrase in sorted(kinds, key=lambda phrase: (-len(phrase), phrase))
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)"), kinds
