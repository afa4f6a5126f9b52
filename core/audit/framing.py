"""What frames a quotation in its sentence on the page, outside of it: a denial, or a word that takes it back. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from core.audit.omissions import SENTENCE_END
from core.domain import Page
from core.evidence.quotes import Match
from core.evidence.word_differences import Difference
from core.text import NEGATIONS, normalise

DENIAL_BEFORE = re.compile(
    r"\b(?:not (?:true|the case|certain|clear|proven|established|so)|no (?:evidence|proof|indication|sign)"
    r"|den(?:y|ies|ied)|false(?:ly)?|untrue"
    r"|refut\w+|never (?:said|claimed|stated)|(?:did|do|does) not (?:say|claim|state|believe|think))\b[^.;!?]*$",
    re.IGNORECASE,
)
# The word before a quotation that takes back what it says.
_TAKES_BACK = frozenset(
    (
        *("not", "never", "almost", "nearly", "hardly", "barely", "scarcely", "allegedly", "supposedly"),
        *("if", "unless", "whether"),
    )
)


def denied_before(matches: Sequence[Match], page_of: Callable[[str, int], Page], around: set[str]) -> Difference | None:
    """Return the words before a quotation, in its sentence on the page, that deny it; None where one place has none."""
    first = None
    for match in matches:
        text = page_of(match.document, match.page).text
        low = max(0, match.start - 200)
        before = text[low : match.start]
        ends = [end.end() for end in SENTENCE_END.finditer(before)]
        before = before[ends[-1] :] if ends else before
        if "\n\n" in before:
            before = before.rpartition("\n\n")[2]
        denial = DENIAL_BEFORE.search(before)
        words = before[denial.start() :] if denial else _taken_back(before, around)
        if not words:
            return None
        first = first or Difference("", " ".join(words.split()), "negation")
    return first


def _taken_back(before: str, around: set[str]) -> str:
    """Return the word right before a quotation that takes it back, unless the report has one too."""
    word = re.search(r"([^\W\d_]+(?:['’]t)?)\s*$", before)
    if word is None:
        return ""
    plain = folded(word[1])
    return word[1] if plain & _TAKES_BACK and not around & (plain | NEGATIONS) else ""


def folded(text: str) -> set[str]:
    """Return the words of a text in small letters; those that end in n't are also a 'not'."""
    plain, _ = normalise(text)
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", plain.casefold())
    return {*words, *("not" for word in words if word.endswith("n't"))}
