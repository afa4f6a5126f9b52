"""Answers: their points, sources and steps, and the reasons for no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.domain import MARKS, Quote, ShowMode

MODES: dict[ShowMode, str] = {
    "exploratory": "Answers only when the evidence is strong, and lists doubtful sentences separately.",
    "strict": "Answers only when the evidence is very strong, and shows no doubtful sentences.",
    "audit": "Answers as strictly, and also shows the doubtful sentences and everything that was searched.",
}
Reason = Literal[
    "",
    "no_relevant_source",
    "low_confidence",
    "conflicting_sources",
    "partial",
    "ocr_doubt",
    "premise",
    "missing_metadata",
]
REASONS: dict[Reason, str] = {
    "no_relevant_source": "No sentence that was found seems to answer this.",
    "low_confidence": "Some passages are about this, but none clearly answers it.",
    "conflicting_sources": "The sources differ.",
    "partial": "Only part of the question is answered.",
    "ocr_doubt": "The best passage comes from a scan whose reading is doubtful.",
    "premise": "The question takes something for granted that the nearest source does not say.",
    "missing_metadata": "This asks about a document itself, and the documents do not say.",
}
NOT_SETTLED = "The sources don't settle this: read what the sources say."  # a question for yes or no
Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done for an answer, in words, and how much it brought."""

    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence that supports a point: a proven quote, with the description of its document.

    ``before`` is the previous sentence; ``is_copy``: it repeats another source of the point, so both count once.
    ``marks`` are keys of core.domain.MARKS that overlap the quote.
    """

    quote: Quote
    name: str
    before: str = ""
    is_copy: bool = False
    layer: str = "embedded"
    marks: tuple[str, ...] = ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """Reasons why the words are not plainly their source's: they are struck through or invisible."""
        return tuple(MARKS[mark] for mark in self.marks if mark in ("struck", "hidden"))


@dataclass(frozen=True, slots=True)
class AnswerPoint:
    """A point of an answer: ``text`` is the sentence of its first source, verbatim.

    ``short`` is the name, date or figure in it that answers by itself, or 'yes' or 'no'; '' for none.
    """

    text: str
    confidence: Confidence
    sources: tuple[Source, ...]
    short: str = ""
    part: str = ""  # the part of the question that it answers, if there are several

    @property
    def independent(self) -> int:
        """Count the documents that support it, without copies."""
        return len({source.quote.document for source in self.sources if not source.is_copy})


@dataclass(frozen=True, slots=True)
class WordedSentence:
    """A sentence in a model's words, and the numbers of the points that it rests on, from 1."""

    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of the documents to a question, or the reason for none.

    ``doubtful`` are points that were not good enough for an answer. ``wording`` restates the points in the words of
    the model ``worded_by``; ``removed`` counts its sentences that were removed because their sources do not support
    them.
    """

    question: str
    mode: ShowMode
    is_answered: bool
    reason: Reason = ""
    points: tuple[AnswerPoint, ...] = ()
    doubtful: tuple[AnswerPoint, ...] = ()
    advice: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    models: tuple[str, ...] = ()
    seconds: float = 0.0
    removed: int = 0
    wording: tuple[WordedSentence, ...] = ()
    worded_by: str = ""

    @property
    def wording_line(self) -> str:
        """Describe who worded it, from what, and how many sentences were removed; '' without a wording."""
        if not self.wording:
            return ""
        whole = f"Worded by {self.worded_by} from the sentences below"
        if not self.removed:
            return f"{whole}; every sentence was checked against what it cites."
        total = len(self.wording) + self.removed
        return f"{whole}; {self.removed} of {total} sentences removed: not supported."

    @property
    def sentence(self) -> str:
        """Describe its status in one sentence; '' for a plain answer."""
        return REASONS.get(self.reason, "")


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer as it is stored.

    ``is_stale``: the documents have changed since; ``unproven`` counts its sources that are no longer on their
    pages; ``conflicts`` are unresolved ones that overlap its points. ``in_report``: a person chose it for the report.
    """

    id: str
    answer: Answer
    by: str
    at: str
    is_stale: bool = False
    unproven: int = 0
    conflicts: tuple[str, ...] = ()
    in_report: bool = False
