"""Findings of an audit on sentences, quotations and citations, and the rule that decides them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from core.audit.rules import CONTRADICTS, DIFFERS, OVERSTATES, Difference, What
from core.domain import Label, Quote
from core.text import digest

Finding = Literal[
    "contradicted", "differs", "overstated", "not_found", "undecided", "not_judged", "supported", "not_a_claim"
]
# The most serious first, with the words for each.
FINDINGS: dict[Finding, str] = {
    "contradicted": "The sources say the opposite.",
    "differs": "A figure, a date, a name or a quotation is different in the sources.",
    "overstated": "It says more than the sources, or says it with more certainty.",
    "not_found": "No passage about this was found.",
    "undecided": "Passages are about this, but it is undecided whether they support it.",
    "not_judged": "It, or the passage nearest to it, is not in English; only English is judged.",
    "supported": "The sources support it.",
    "not_a_claim": "It makes no claim that documents could support.",
}
TITLES: dict[Finding, str] = {
    "contradicted": "Contradicted",
    "differs": "Differs",
    "overstated": "Overstated",
    "not_found": "Not found",
    "undecided": "Unclear",
    "not_judged": "Not judged",
    "supported": "Supported",
    "not_a_claim": "Not a claim",
}
ERRORS: frozenset[Finding] = frozenset(("contradicted", "differs", "overstated"))
SERIOUS = tuple(finding for finding in FINDINGS if finding not in ("supported", "not_a_claim"))
ANOTHER_DIFFERS = "another source differs"
WORDS: dict[What, str] = {
    "number": "another number",
    "date": "another date or time",
    "name": "another name",
    "negation": "a denial",
    "opposite": "the opposite",
    "hedge": "a doubt that was lost",
    "reported": "somebody's report made a fact",
    "share": "a part made the whole",
    "likelihood": "another likelihood than the matrix gives",
    "confidence": "a likelihood and a confidence in one sentence",
    "quote": "an altered quotation",
    "speaker": "words that are not shown to be of whom it names",
    "word": "other words",
}
CitationStatus = Literal["PASS", "REVIEW", "SOURCE NOT IN CASE"]
DECISIONS = ("accepted", "overruled")
STATUSES: tuple[CitationStatus, ...] = get_args(CitationStatus)


@dataclass(frozen=True, slots=True)
class Source:
    """A sentence of a document that the audited one is compared with; ``is_cited``: the report cites it there."""

    quote: Quote
    name: str
    before: str = ""
    is_cited: bool = False
    layer: str = "embedded"


@dataclass(frozen=True, slots=True)
class OtherAccount:
    """A source that contradicts the sources of a supported sentence, by a conflict that the case lists.

    ``words`` is the part of its quote that differs, '' for the whole.
    """

    conflict: str
    source: Source
    words: str = ""


@dataclass(frozen=True, slots=True)
class AuditedSentence:
    """A sentence of the report. ``reason`` is why it is no claim; ``score`` is 1 if it is fully supported.

    ``other_accounts`` belong to a supported sentence; they follow from the conflicts listed now and are not stored.
    """

    number: int
    text: str
    page: int
    section: str
    is_claim: bool
    finding: Finding
    reason: str = ""
    differences: tuple[Difference, ...] = ()
    sources: tuple[Source, ...] = ()
    score: float = 0.0
    by: str = ""  # 'rule', 'score', 'accounting' or the model that decided
    other_accounts: tuple[OtherAccount, ...] = ()
    missing: tuple[str, ...] = ()  # of an undecided sentence: words that are in no source, or differ there
    language: str = ""  # of a sentence that is not judged: the language that prevents it

    @property
    def title(self) -> str:
        """The finding in a few words."""
        return f"{TITLES[self.finding]}; {ANOTHER_DIFFERS}" if self.other_accounts else TITLES[self.finding]

    @property
    def is_in_doubt(self) -> bool:
        """Return whether the finding asks for a second look."""
        return self.finding in SERIOUS or bool(self.other_accounts)

    @property
    def rank(self) -> int:
        """The place of the finding among all kinds, the most serious first."""
        return list(FINDINGS).index("undecided" if self.other_accounts else self.finding)


@dataclass(frozen=True, slots=True)
class AuditedQuotation:
    """A quotation of the report, in sentence ``sentence``; ``places`` are its exact or near matches.

    The differences of a verified one are harmless omissions.
    """

    sentence: int
    text: str
    status: Literal["verified", "altered", "not_found"]
    differences: tuple[tuple[str, str, str], ...] = ()  # words of the report, of the page, kind
    places: tuple[Quote, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class AuditedCitation:
    """A citation of the report: its document and pages, and the page that supports its sentence."""

    sentence: int
    text: str
    status: CitationStatus
    document: str = ""
    name: str = ""
    pages: tuple[int, ...] = ()
    right_page: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of a report."""

    file: str
    sha256: str
    pages: int
    sentences: tuple[AuditedSentence, ...]
    quotations: tuple[AuditedQuotation, ...] = ()
    citations: tuple[AuditedCitation, ...] = ()
    notes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    at: str = ""
    seconds: float = 0.0

    @property
    def counts(self) -> dict[Finding, int]:
        """Count the sentences of each finding."""
        return {finding: sum(row.finding == finding for row in self.sentences) for finding in FINDINGS}

    @property
    def disputes(self) -> int:
        """Count the supported sentences that another source contradicts."""
        return sum(bool(row.other_accounts) for row in self.sentences)

    @property
    def is_clean(self) -> bool:
        """Return whether nothing in the report needs a second look."""
        return (
            not any(row.finding in ERRORS or row.finding == "not_found" or row.other_accounts for row in self.sentences)
            and all(row.status == "verified" for row in self.quotations)
            and all(row.status == "PASS" for row in self.citations)
        )

    def of_sentence(self, number: int) -> tuple[tuple[AuditedQuotation, ...], tuple[AuditedCitation, ...]]:
        """Return the quotations and citations of a sentence."""
        return (
            tuple(row for row in self.quotations if row.sentence == number),
            tuple(row for row in self.citations if row.sentence == number),
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on a finding: 'accepted' or 'overruled', with a note."""

    status: str
    note: str = ""
    by: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """An audit as it is stored, with people's decisions on its findings, keyed by ``item``.

    ``is_stale``: the documents have changed since. The id of an audit that is not stored is ''.
    """

    id: str
    audit: Audit
    by: str = ""
    at: str = ""
    is_stale: bool = False
    decisions: Mapping[str, Decision] = field(default_factory=dict)

    def decision(self, sentence: AuditedSentence) -> Decision | None:
        """Return the decision on the finding of a sentence."""
        return self.decisions.get(item(sentence))


def item(sentence: AuditedSentence) -> str:
    """Name the finding on a sentence, by its words: in another audit of the report it has the same name."""
    return f"s{digest(f'{sentence.finding} {sentence.text}')[:16]}"


def decide(
    differences: Sequence[Difference],
    score: float,
    coverage: float,
    verdict: Label | None,
    *,
    limits: Mapping[str, float],
    is_accounted: bool = True,
) -> tuple[Finding, str]:
    """Return the finding on a claim, and who decided: a rule before the judge, the judge before the score.

    ``verdict`` is the judge's if it is sure, else None. ``limits`` has 'supported' and 'not found'. Without
    ``is_accounted``, a part of the claim is in none of its sources, and the claim cannot be supported.
    """
    sure = {difference.what for difference in differences if difference.is_sure}
    if coverage < limits["not found"]:
        sure &= {"quote", "speaker", "likelihood"}  # other differences would be from an unrelated text
    for finding, kinds in (
        ("contradicted", CONTRADICTS),
        ("differs", DIFFERS | {"quote", "speaker"}),
        ("overstated", OVERSTATES),
    ):
        if sure & kinds:
            return finding, "rule"  # type: ignore[return-value]
    if coverage < limits["not found"]:
        return "not_found", "score"
    if verdict == "contradicts":
        return "contradicted", "judge"
    if differences:
        return "undecided", "rule"
    if not is_accounted:
        return "undecided", "accounting"
    if score >= limits["supported"]:
        return "supported", "score"
    if verdict == "supports":
        return "supported", "judge"
    return "undecided", "score"
