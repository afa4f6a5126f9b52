"""What the hypotheses screen shows, as values: what the case holds of it, and what the method asks for next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain import Consideration, Evidence, Hypothesis
from core.text import and_list

if TYPE_CHECKING:
    from core.workbench import Workbench

# The pages of the screen by name, as the guide and the palette call them.
PAGES = ("hypotheses", "assumptions", "premortem", "indicators", "expected", "searches", "conflicts")
CONSIDERATIONS = {  # the kind of what is on a page
    "assumptions": "assumption",
    "premortem": "premortem",
    "indicators": "indicator",
    "conflicts": "conflict",
}
STARTERS = {
    "null": "Nothing out of the ordinary happened: chance and routine explain what was seen.",
    "deception": "Somebody wants us to believe the leading explanation: evidence was planted or held back.",
}
_PROMPTS = {
    "null": "No hypothesis says that nothing out of the ordinary happened.",
    "deception": "No hypothesis says that somebody wants to mislead: evidence may be planted or held back.",
}
_TITLES = {
    "hypotheses": "Hypotheses",
    "assumptions": "Assumptions",
    "premortem": "Premortem",
    "indicators": "Indicators",
    "expected": "Missing evidence",
    "searches": "Search log",
    "conflicts": "Left open",
}


@dataclass(frozen=True, slots=True)
class HypothesesState:
    """The hypotheses, what is kept in mind beside them, and the evidence. At most one of ``exclusive`` can be true."""

    hypotheses: Sequence[Hypothesis] = ()
    considerations: Sequence[Consideration] = ()
    evidence: Sequence[Evidence] = ()
    exclusive: Sequence[str] = ()

    def rows(self, page: str) -> list[Consideration]:
        """List what is on a page."""
        return [row for row in self.considerations if row.kind == CONSIDERATIONS[page]]

    def number(self, page: str) -> int:
        """Count what is open on a page."""
        if page == "expected":
            return sum(row.absence is not None for row in self.evidence)
        return sum(row.status == "open" for row in self.rows(page)) if page in CONSIDERATIONS else 0

    def exclusive_words(self) -> str:
        """Return the hypotheses of which at most one can be true: all, unless some are left out."""
        if self.exclusive and len(self.exclusive) < len(self.hypotheses):
            return f"At most one of {and_list(self.exclusive)} can be true"
        return "At most one of these can be true"

    def title(self, page: str, new: int = 0) -> str:
        """Return the words of the tab of a page; ``new`` counts documents that nobody has looked at."""
        words = f"{_TITLES[page]} {self.number(page)}" if self.number(page) else _TITLES[page]
        return f"{words} · {new} new" if new else words

    def missing_kind(self, declines: Collection[str]) -> str:
        """Return the kind of hypothesis that the method asks for, unless it was declined; '' for none."""
        if len(self.hypotheses) < 2:
            return ""
        kinds = {hypothesis.kind for hypothesis in self.hypotheses} | set(declines)
        return next((kind for kind in STARTERS if kind not in kinds), "")

    def advice(self, kind: str) -> str:
        """Return what the method asks for next; ``kind`` is what ``missing_kind`` gave."""
        return _PROMPTS.get(kind) or _advice(len(self.hypotheses))


def load(bench: Workbench) -> HypothesesState:
    """Read what the screen shows."""
    return HypothesesState(
        bench.hypotheses.all(), bench.hypotheses.considerations(), bench.evidence.all(), bench.hypotheses.exclusive()
    )


def _advice(number: int) -> str:
    """Return what helps at this point: the method needs rivals."""
    if number == 0:
        return ""
    if number == 1:
        return "One hypothesis cannot be compared: add a rival that would explain the same facts."
    if number > 7:
        return "More than seven hypotheses are hard to keep track of: merge those that no evidence could separate."
    return "Good rivals exclude each other. Ask of each: what would I expect to find if it were false?"
