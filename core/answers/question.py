"""Understanding of a question: its kind, its topical words, the names and figures it presumes, its parts.

Pure. A question in another language has a kind and words too, but no statement that a judge of English could weigh.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from core.english import MONTHS
from core.language.capitals import CAPITAL_NOUNS, names_with_title
from core.language.identification import ENGLISH
from core.language.questions import kind_of_question, language_of_question, stop_words
from core.plans.queries import negation
from core.search.ranking import STOP_WORDS, terms

Kind = Literal["who", "when", "where", "how many", "why", "whether", "what"]

# What an answer of each kind has to name; '' where a sentence need not hold anything of its own.
EXPECTED: dict[Kind, str] = {
    "who": "a name",
    "when": "a date",
    "where": "a place",
    "how many": "a figure",
    "why": "",
    "whether": "",
    "what": "",
}

_WORDS: dict[Kind, str] = {
    "how many": "how (?:many|much|long|far|old|tall|large|big|often|high|wide|deep|fast|heavy|late|early)"
    "|(?:what|which) (?:percent|percentage|number|amount|share|proportion|sum)",
    "when": r"when|(?:what|which) (?:\w+ )?(?:year|date|day|month|decade|century|time|hour)s?",
    "who": "who(?:se|m)?",
    "where": r"where|(?:what|which) (?:\w+ )?(?:city|country|state|place|location|region|town|street|building)",
    "why": "why|for what reason",
}
_KINDS = {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for kind, words in _WORDS.items()}
_AUXILIARIES = (
    "is|are|was|were|am|has|have|had|does|do|did|can|could|will|would|should|shall|may|might|must"
    "|isn't|aren't|wasn't|weren't|hasn't|haven't|hadn't|doesn't|don't|didn't|can't|couldn't|won't|wouldn't|shouldn't"
)
_WHETHER = re.compile(
    r"^\W*(?:(?:and|but|so|then)\s+)?"
    rf"(?:is it (?:true|the case) that\s+(?P<that>.+)|(?P<aux>{_AUXILIARIES})\b\s+(?P<rest>.+))",
    re.IGNORECASE | re.DOTALL,
)
ASKS_CLOCK = re.compile(r"\b(?:what|which) (?:\w+ )?(?:time|hour)\b|\bwhat minute\b", re.IGNORECASE)
_PARTS = re.compile(
    r"(?:,\s*|\s+)and\s+(?=(?:who|whom|whose|what|which|when|where|why|how|did|does|was|were|is|are|has|had)\b)|(?<=\?)\s+(?=\w)",
    re.IGNORECASE,
)
_ASKING = frozenset(["who", "whom", "whose", "what", "which", "when", "where", "why", "how"])
_ASKED_NOUN = re.compile(
    r"\b(?:which|what|whose|how (?:many|much))\s+(?:(?:kind|sort|type|of|the|other|more)\s+)*"
    r"([^\W\d_]\w+)(?:\s+([^\W\d_]\w+))?",
    re.IGNORECASE,
)
_BEHIND_ASKED = frozenset(
    (
        *("is", "are", "was", "were", "did", "do", "does", "has", "have", "had", "can", "could", "will", "would"),
        *("in", "on", "at", "by", "for", "to", "of", "from", "with", "the", "a", "an", "that", "than"),
    )
)
_DESCRIBED = re.compile(r"\W*who(?:['’]s|\s+(?:is|was|are|were))\s+(.+?)\W*$", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,]\d+)*(?!\w)|(?<!\w)\d+(?=%|°)")
_MONTHS = frozenset(month.casefold() for month in MONTHS)
_DAY_BEFORE = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?(?: of)? $")
_DAY_BEHIND = re.compile(r" \d{1,2}(?:st|nd|rd|th)?\b")
_NAME_WORD = r"[A-Z][\w'’&.-]*\w|[A-Z]\b"
_NAME = re.compile(rf"(?:{_NAME_WORD})(?:\s+(?:(?:of|the|de|von|van|der|al|bin)\s+)*(?:{_NAME_WORD}))*")
_PLAIN_STARTS = STOP_WORDS | frozenset(
    [
        "who", "whom", "whose", "what", "which", "when", "where", "why", "how", "according", "name", "give",
        "list", "tell", "please", "find", "describe", "explain", "say",
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is searched for.

    ``words`` are its topical words, in lower case, in order; ``names`` and ``numbers`` are presumed by it. A
    yes-or-no question has a ``statement`` and its ``denial``, as far as rules can form them.
    """

    text: str
    kind: Kind
    words: tuple[str, ...]
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    statement: str = ""
    denial: str = ""

    @property
    def asks_more_than_names(self) -> bool:
        """Whether a word of the question is in none of its names."""
        in_names = {word for name in self.names for word in terms(name)}
        return not in_names.issuperset(self.words)


def understand(text: str) -> Question:
    """Parse a question."""
    line = " ".join(text.split())
    language = language_of_question(line)
    if language != ENGLISH:
        return _foreign(line, language)
    statement, denial = _statement(line)
    kind: Kind = "whether" if statement else "what"
    question_words: set[str] = set(_ASKING)
    if not statement:
        spots = [(match.start(), name, match.group()) for name, form in _KINDS.items() if (match := form.search(line))]
        if spots:
            _, kind, phrase = min(spots, key=lambda spot: spot[0])
            question_words |= set(terms(phrase))  # "how long": no answer needs the word "long"
        described = _DESCRIBED.match(line)
        if kind == "who" and described and names_in(f"is {described[1]}") == (described[1],):
            kind = "what"  # "who is Ann Lee": what she is
    words = tuple(word for word in terms(line) if word not in question_words)
    return Question(
        text=line,
        kind=kind,
        words=words or tuple(terms(line)),
        names=names_in(line),
        numbers=tuple(dict.fromkeys(_NUMBER.findall(line))),
        statement=statement,
        denial=denial,
    )


def _foreign(line: str, language: str) -> Question:
    kind, _ = kind_of_question(line, language)
    small = stop_words(language)
    names = names_with_title(line) if language in CAPITAL_NOUNS else names_in(line)
    return Question(
        text=line,
        kind=cast(Kind, kind),
        words=tuple(word for word in terms(line) if word not in small) or tuple(terms(line)),
        names=tuple(name for name in names if name.casefold() not in small),
        numbers=tuple(dict.fromkeys(_NUMBER.findall(line))),
    )


def asked_noun(question: Question) -> tuple[str, ...]:
    """Return the noun that a question asks for: 'vessel' of 'which vessel', 'pumps' of 'how many pumps'."""
    match = _ASKED_NOUN.search(question.text)
    words: list[str] = []
    for word in match.groups() if match else ():
        if word is None or word.casefold() in _BEHIND_ASKED:
            break
        words.append(word)
    return tuple(words)


def parts(text: str) -> list[str]:
    """Split a text that asks several things into questions, as in 'Who signed it, and when?'."""
    line = " ".join(text.split())
    pieces = [piece.strip(" ,;") for piece in _PARTS.split(line)]
    pieces = [piece for piece in pieces if re.search(r"\w", piece)]
    if len(pieces) < 2 or not _is_question(pieces[0]):
        return [line]
    subject = re.sub(r"^\W*\w+\s*", "", pieces[0]).rstrip(" ?.!")
    return [
        piece if re.search(r"\w+\W+\w+", piece) else f"{piece.rstrip(' ?')} {subject}?" for piece in pieces
    ]  # "and when?" shares its subject with the first part


def names_in(text: str) -> tuple[str, ...]:
    """List the names in a text by their capital letters; the first word counts unless it is a common one."""
    names = []
    for match in _NAME.finditer(text):
        words = match.group().split()
        while words and words[0].casefold().strip(".'’") in _PLAIN_STARTS:
            words.pop(0)
        if len(words) == 1 and _is_month_of_a_day(text, match):
            continue
        if words and not (match.start() == 0 and len(words) == 1 and not words[0][1:2].isupper()):
            names.append(" ".join(words).rstrip("."))
    return tuple(dict.fromkeys(names))


def _is_month_of_a_day(text: str, match: re.Match[str]) -> bool:
    """Return whether a word is the month of a day, '14 March': a source may write it as a figure."""
    has_day = _DAY_BEFORE.search(text, 0, match.start()) or _DAY_BEHIND.match(text, match.end())
    return match.group().casefold().rstrip(".") in _MONTHS and has_day is not None


def _is_question(text: str) -> bool:
    first = re.match(r"\W*(\w+)", text)
    return first is not None and (first[1].casefold() in _ASKING or _WHETHER.match(text) is not None)


def _statement(line: str) -> tuple[str, str]:
    """Turn a question for yes or no into a statement and its denial; two empty strings for any other question."""
    match = _WHETHER.match(line)
    if match is None:
        return "", ""
    if match["that"]:
        statement = _sentence(match["that"])
        return statement, _sentence(negation(statement.rstrip(".")))
    auxiliary = match["aux"].lower()
    is_negated = auxiliary.endswith("n't")
    auxiliary = {"can't": "can", "won't": "will"}.get(auxiliary, auxiliary.removesuffix("n't"))
    words = match["rest"].rstrip(" ?!.").split()
    if words and words[0].lower() == "not":
        is_negated, words = True, words[1:]
    length = _subject_length(words)
    subject, predicate = " ".join(words[:length]), " ".join(words[length:])
    if predicate.lower().startswith("not "):
        is_negated, predicate = True, predicate[4:]
    affirmative = _sentence(f"{subject} {auxiliary} {predicate}")
    negative = _sentence(f"{subject} {auxiliary} not {predicate}")
    return (negative, affirmative) if is_negated else (affirmative, negative)


_DETERMINERS = frozenset(
    [
        "the", "a", "an", "this", "that", "these", "those", "his", "her", "its", "their", "our", "my", "your",
        "any", "some", "every", "each", "all", "both", "no",
    ]
)  # fmt: skip
_PRONOUNS = frozenset(
    [
        "he", "she", "it", "they", "we", "i", "you", "there", "anyone", "somebody", "someone", "nobody",
        "anybody", "everyone",
    ]
)  # fmt: skip
_LINKS = frozenset(
    [
        "in", "on", "at", "by", "for", "from", "with", "to", "into", "of", "about", "after", "before", "during",
        "under", "over", "near", "between", "than", "as", "because", "if",
    ]
)  # fmt: skip
_NOT_IN_SUBJECT = frozenset(
    [
        "not", "never", "ever", "also", "still", "already", "really", "actually", "a", "an", "the", "be",
        "been", "being", "able", "there",
    ]
) | (_LINKS - {"of"})  # fmt: skip


def _subject_length(words: list[str]) -> int:
    """Guess the number of words of the subject: a pronoun, a name, or an article and the words up to the predicate."""
    if not words:
        return 0
    if words[0].lower() in _PRONOUNS:
        return 1
    length = 1
    if words[0].lower() in _DETERMINERS:
        length = 2
    elif words[0][:1].isupper():
        while length < len(words) and words[length][:1].isupper():
            length += 1
        return length
    # "the night operator of the plant open ...": words go on until a form that looks like a predicate.
    while length < len(words) - 1:
        word, successor = words[length].lower(), words[length + 1].lower()
        if word in _NOT_IN_SUBJECT or re.search(r"(?:ed|ing|en|ly)$", word):
            break
        if word == "of":
            length += 3 if successor in _DETERMINERS else 2
            continue
        if successor in _DETERMINERS or successor in _LINKS or successor in _PRONOUNS:
            break  # "operator OPEN the ...": a word before an article is the verb
        length += 1
    return min(length, len(words))


def _sentence(text: str) -> str:
    text = " ".join(text.split()).rstrip(" ?!.")
    return f"{text[:1].upper()}{text[1:]}." if text else ""
