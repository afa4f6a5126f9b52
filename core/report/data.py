"""Everything a report says, as values of the case. Gathered by the workbench; nothing here reads or writes a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from core.accuracy.figures import Figure
from core.answers.results import AnswerRecord
from core.domain import (
    Assessment,
    CaseSettings,
    Citation,
    Consideration,
    Document,
    Evidence,
    Group,
    Hypothesis,
    Likelihood,
    LogEntry,
    Matrix,
    Proposal,
    Suggestion,
)
from core.errors import Problem
from core.report.wording import name_only, without_paths

FORMAT = 2  # of the JSON; a later version only adds fields


@dataclass(frozen=True, slots=True)
class ProposalCount:
    """The outcome of the proposals for one hypothesis, and how the model labelled them."""

    hypothesis: str
    made: int
    accepted: int
    rejected: int
    pending: int
    supports: int = 0
    contradicts: int = 0
    neutral: int = 0
    ambiguous: int = 0


@dataclass(frozen=True, slots=True)
class Decisions:
    """The count of one person's decisions of one kind, from the case's log, with the first and last time."""

    who: str
    verb: str
    times: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Accuracy of the judging model on one public set, as measured. ``seen`` says what training saw of it."""

    name: str
    n: int
    accuracy: float
    macro_f1: float | None = None
    contradicts_f1: float | None = None
    seen: str = ""


@dataclass(frozen=True, slots=True)
class ExamHalf:
    """A model's result in one half of the exam; ``chance`` is the share that is right without reading."""

    name: str
    pairs: int
    right: tuple[float, float, float]
    macro_f1: tuple[float, float, float]
    chance: float
    beats_chance: bool


@dataclass(frozen=True, slots=True)
class ExamSummary:
    """A model's result in the exam of the program; shares in 0..1, each with its interval of 95%.

    ``f1`` is for supports, contradicts, neutral; ``injected`` the share of verdicts that planted instructions won;
    ``halves`` is empty for an exam of an earlier version, which had no clues.
    """

    pairs: int
    right: tuple[float, float, float]
    macro_f1: tuple[float, float, float]
    f1: tuple[float, float, float]
    calibration_error: float
    injected: tuple[float, float, float] | None = None
    halves: tuple[ExamHalf, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """A model that judged, and how well it does where that is known; ``exam`` None: it has not sat it.

    ``verdicts`` counts those that stand, ``beside`` those kept beside the verdict of another model.
    """

    name: str
    fingerprint: str = ""
    measured: tuple[Benchmark, ...] = ()
    limits: tuple[str, ...] = ()
    verdicts: int = 0
    beside: int = 0
    exam: ExamSummary | None = None


@dataclass(frozen=True, slots=True)
class MissedEstimate:
    """An estimate of the passages missed in the searches for a hypothesis, from ``judged`` that a person read.

    How many passages, and the share that was found (0..1; None if nothing relevant is known), each with its interval
    at ``confidence``; ``words`` says it in a sentence.
    """

    judged: int
    expected: float
    low: float
    high: float
    found: float | None
    found_low: float | None
    found_high: float | None
    confidence: float
    words: str


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """The searches made for one hypothesis.

    Passages looked at, searches run (in all, for it and against it), and how the judge took the passages. ``uneven``
    says by how many passages another hypothesis had more looked at.
    """

    hypothesis: str
    passages: int
    queries: int = 0
    note: str = ""
    searches_for: int = 0
    searches_against: int = 0
    supports: int = 0
    contradicts: int = 0
    neutral: int = 0
    ambiguous: int = 0
    uneven: str = ""
    missed: MissedEstimate | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The words of a page around a quote: for pages that have no picture."""

    before: str
    quote: str
    after: str


def stretch_name(evidence: str, number: int) -> str:
    """Name the picture of a part of a quote: 'E4', 'E4-2' on the next page, and so on."""
    return evidence if number == 1 else f"{evidence}-{number}"


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision of a person on a conflict or a finding of an audit, with the texts it is about and their places."""

    id: str
    subject: str
    texts: tuple[tuple[str, str], ...]
    decision: str
    note: str = ""
    by: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """Everything the report says. Values of the case as they are; ``generated_at`` is ISO 8601 in UTC, given, not read.

    ``pages_without_text`` maps a document to page numbers where they are known; ``page_sha256`` maps a page id to the
    hash of its text. ``log_head`` is the hash of the last entry of the decisions log: who keeps a copy of this report
    can show later that nothing before it was changed. ``as_of`` is the moment the report speaks about, '' when that is
    the moment of writing; ``view`` names whose ratings the matrix shows: 'group', 'mine' or a person. ``robustness`` is
    the sentence on whether the rules agree. ``citations`` say where a row is, ``shared`` why
    it counts together with others, ``excerpts`` are the words around a quote, ``checks`` say of a quote from a scan who
    compared it with the image, or that nobody did, all by evidence; an excerpt of a further stretch by
    ``stretch_name``. ``agreement`` has for each model by name how far people rated as it judged, in sentences;
    ``second`` what second readers made of the verdicts; ``shown`` which verdicts a strict case shows, empty in another.
    ``failed`` is what in the case fails its own check; a report says it before anything else. ``questions`` are those
    that were asked of the documents, ``rulings`` the conflicts that people resolved and the findings of audits that
    they confirmed, ``figures`` how far each part can be trusted; none of these is known of an earlier moment. ``short``
    asks for the form of one or two pages.
    """

    title: str
    generated_at: str
    program: str
    engines: tuple[tuple[str, str], ...] = ()
    documents: tuple[Document, ...] = ()
    pages_without_text: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    page_sha256: Mapping[int, str] = field(default_factory=dict)
    hypotheses: tuple[Hypothesis, ...] = ()
    matrix: Matrix
    evidence: tuple[Evidence, ...] = ()
    assessments: tuple[Assessment, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    proposals: tuple[ProposalCount, ...] = ()
    decisions: tuple[Decisions, ...] = ()
    judges: tuple[JudgeSummary, ...] = ()
    agreement: tuple[tuple[str, tuple[str, ...]], ...] = ()
    shown: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    search: tuple[SearchEffort, ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    failed: tuple[Problem, ...] = ()
    log_entries: int = 0
    log_head: str = ""
    as_of: str = ""
    view: str = "group"
    robustness: str = ""
    considerations: tuple[Consideration, ...] = ()
    likelihoods: tuple[Likelihood, ...] = ()
    group: Group | None = None
    settings: CaseSettings = field(default_factory=CaseSettings)
    citations: Mapping[str, Citation] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    excerpts: Mapping[str, Excerpt] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[AnswerRecord, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    figures: tuple[Figure, ...] = ()
    short: bool = False


def count_proposals(proposals: Iterable[Proposal], hypotheses: Iterable[Hypothesis]) -> tuple[ProposalCount, ...]:
    """Count the proposals of each hypothesis, in the order of ``hypotheses``; none is left out, also with none."""
    status: Counter[tuple[str, str]] = Counter()
    label: Counter[tuple[str, str]] = Counter()
    totals: Counter[str] = Counter()
    for proposal in proposals:
        totals[proposal.hypothesis] += 1
        status[proposal.hypothesis, proposal.status] += 1
        label[proposal.hypothesis, proposal.shown_label] += 1
    return tuple(
        ProposalCount(
            hypothesis=h.id,
            made=totals[h.id],
            accepted=status[h.id, "accepted"],
            rejected=status[h.id, "rejected"],
            pending=status[h.id, "pending"],
            supports=label[h.id, "supports"],
            contradicts=label[h.id, "contradicts"],
            neutral=label[h.id, "neutral"],
            ambiguous=label[h.id, "ambiguous"],
        )
        for h in hypotheses
    )


# Entries that the program writes for itself; they are counted as proposals, never as anybody's decision.
_BY_THE_PROGRAM = frozenset({"propose", "anchor", "name records", "build sample"})


def count_decisions(log: Iterable[LogEntry]) -> tuple[Decisions, ...]:
    """Count what each person did, in the order in which it was first done."""
    by_person: dict[tuple[str, str], Decisions] = {}
    for entry in log:
        if entry.verb in _BY_THE_PROGRAM:
            continue
        key = (entry.who, entry.verb)
        earlier = by_person.get(key)
        by_person[key] = Decisions(
            *key, (earlier.times if earlier else 0) + 1, earlier.first if earlier else entry.at, entry.at
        )
    return tuple(by_person.values())


def without_places(data: ReportData) -> ReportData:
    """Cut every place on the writer's computer to a name, in all that the program wrote."""
    return replace(
        data,
        engines=tuple((part, without_paths(version)) for part, version in data.engines),
        documents=tuple(
            replace(
                d,
                name=name_only(d.name),
                address=without_paths(d.address),
                reader=without_paths(d.reader),
                reason=without_paths(d.reason),
            )
            for d in data.documents
        ),
        evidence=tuple(replace(e, source=without_paths(e.source)) for e in data.evidence),
        matrix=replace(
            data.matrix,
            warnings=tuple(without_paths(warning) for warning in data.matrix.warnings),
            linchpins=tuple(
                replace(pin, sentence=without_paths(pin.sentence), label=without_paths(pin.label))
                for pin in data.matrix.linchpins
            ),
        ),
        suggestions=tuple(replace(s, model=without_paths(s.model)) for s in data.suggestions),
        judges=tuple(
            replace(judge, name=without_paths(judge.name), fingerprint=without_paths(judge.fingerprint))
            for judge in data.judges
        ),
        agreement=tuple((without_paths(name), words) for name, words in data.agreement),
        shown=tuple(without_paths(words) for words in data.shown),
        second=tuple(without_paths(words) for words in data.second),
        search=tuple(replace(s, note=without_paths(s.note)) for s in data.search),
        warnings=tuple(without_paths(warning) for warning in data.warnings),
        robustness=without_paths(data.robustness),
        problems=tuple(
            Problem(name_only(p.where), without_paths(p.what), without_paths(p.hint)) for p in data.problems
        ),
        failed=tuple(
            Problem(without_paths(p.where), without_paths(p.what), without_paths(p.hint)) for p in data.failed
        ),
    )
