"""The report a person hands over: one HTML file that needs nothing else, or the same facts as canonical JSON.

Pure functions of ``ReportData``; the same data gives the same bytes. Everything that documents, models or people wrote
is escaped, characters that cannot be seen are made visible, and places on the writer's computer are cut down to names.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from core import paths
from core.domain import (
    DEFAULT_RULE,
    RULES,
    Assessment,
    Document,
    Evidence,
    Hypothesis,
    LogEntry,
    Matrix,
    MatrixRow,
    Proposal,
    Rating,
    Suggestion,
)
from core.errors import Problem

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

FORMAT = 1  # of the JSON; a later version only adds fields

RATING_WORDS: dict[Rating, str] = {
    "CC": "strongly consistent",
    "C": "consistent",
    "N": "neutral",
    "I": "inconsistent",
    "II": "strongly inconsistent",
    "NA": "does not bear",
}
FLAG_WORDS = {
    "all_NA": "bears on no hypothesis",
    "all_C": "consistent with every hypothesis, so it does not help to choose",
    "all_N": "neutral to every hypothesis, so it does not help to choose",
    "all_I": "inconsistent with every hypothesis: challenge it, or add the hypothesis that is missing",
    "uniform": "says the same of every hypothesis",
    "unrated": "not rated against every hypothesis",
    "linchpin": "the conclusion hangs on it",
}
# Formula and source of each rule, as printed under "How it was computed".
RULE_NOTES = {
    "weighted_inconsistency": "The default. Sum of 1 for I and 2 for II, times credibility and relevance (low 0.707, "
    "medium 1, high 1.414; not graded counts as medium). Consistent evidence never counts. PARC; Heuer's method.",
    "inconsistency_count": "The same without weights: 1 for I, 2 for II. PARC.",
    "open_synthesis": "Distance from neutral, squared: 1 for I, 4 for II. Open Synthesis.",
    "arkham_count": "The number of cells rated I or II, for comparison only. ArkhamMirror.",
    "bayes": "Second opinion. Posterior from equal priors with likelihoods CC .95, C .80, N and NA .50, I .20, II .05, "
    "as if all evidence were independent, which it seldom is. Schiller.",
}


@dataclass(frozen=True, slots=True)
class ProposalCount:
    """What became of the proposals for one hypothesis, and how the model labelled them."""

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
    """How often one person did one thing, from the case's log, with the first and last time."""

    who: str
    verb: str
    times: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Measured:
    """Accuracy of the judging model on one public set, as measured. ``seen`` says what training saw of it."""

    name: str
    n: int
    accuracy: float
    macro_f1: float | None = None
    contradicts_f1: float | None = None
    seen: str = ""


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """Which model judged, and how well it does where that is known."""

    name: str
    fingerprint: str = ""
    measured: tuple[Measured, ...] = ()
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """How much was searched for one hypothesis: passages judged, of them for and against, and the queries used."""

    hypothesis: str
    passages: int
    queries: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """Everything the report says. Values of the case as they are; ``generated_at`` is ISO 8601 in UTC, given, not read.

    ``pages_without_text`` maps a document to page numbers where they are known; ``page_sha256`` maps a page id to the
    hash of its text. ``log_head`` is the hash of the last entry of the decisions log: who keeps a copy of this report
    can show later that nothing before it was changed.
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
    judge: JudgeSummary | None = None
    search: tuple[SearchEffort, ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    log_entries: int = 0
    log_head: str = ""


def count_proposals(proposals: Iterable[Proposal], hypotheses: Iterable[Hypothesis]) -> tuple[ProposalCount, ...]:
    """One count a hypothesis, in the order of ``hypotheses``; none is left out, also where nothing was proposed."""
    status: Counter[tuple[str, str]] = Counter()
    label: Counter[tuple[str, str]] = Counter()
    made: Counter[str] = Counter()
    for proposal in proposals:
        made[proposal.hypothesis] += 1
        status[proposal.hypothesis, proposal.status] += 1
        label[proposal.hypothesis, proposal.verdict.label] += 1
    return tuple(
        ProposalCount(
            hypothesis=h.id,
            made=made[h.id],
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
_BY_THE_PROGRAM = frozenset({"propose"})


def count_decisions(log: Iterable[LogEntry]) -> tuple[Decisions, ...]:
    """What each person did, in the order in which it was first done."""
    found: dict[tuple[str, str], Decisions] = {}
    for entry in log:
        if entry.verb in _BY_THE_PROGRAM:
            continue
        key = (entry.who, entry.verb)
        known = found.get(key)
        found[key] = Decisions(*key, (known.times if known else 0) + 1, known.first if known else entry.at, entry.at)
    return tuple(found.values())


# --- text that cannot do harm ----------------------------------------------------------------------------------------

# Fillers that are drawn as nothing although Unicode does not call them format characters.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
_PATH = re.compile(
    r"""file:/+[^\s"'<>]+ | (?<![\w.:/\\])(?:[A-Za-z]:[\\/]|\\\\|~?/(?=[^\s/]))[^\s"'<>|:*?]*[^\s"'<>|:*?.,;)\]]""",
    re.VERBOSE,
)


def _unseen(character: str) -> bool:
    """Whether a character would leave no trace on paper, or would reorder what stands around it."""
    if character in "\n\r\t\f":
        return False
    if unicodedata.category(character) in ("Cf", "Cc", "Cs", "Co", "Zl", "Zp") or character in _BLANKS:
        return True
    return "\U000e0100" <= character <= "\U000e01ef"


def visible(text: str) -> str:
    """``text`` with every character that cannot be seen written as ⟨U+202E⟩, runs of one as ⟨U+200B ×12⟩."""
    return "".join(_mark(part) if unseen else part for unseen, part in _runs(text))


def _runs(text: str) -> Iterable[tuple[bool, str]]:
    """(unseen, stretch): visible text in one piece, unseen characters in runs of the same one."""
    if text.isascii() and text.isprintable():
        if text:
            yield False, text
        return
    start = 0
    for at in range(1, len(text) + 1):
        if at < len(text):
            unseen = _unseen(text[at])
            if unseen == _unseen(text[start]) and (not unseen or text[at] == text[start]):
                continue
        yield _unseen(text[start]), text[start:at]
        start = at


def _mark(run: str) -> str:
    times = f" ×{len(run)}" if len(run) > 1 else ""
    return f"⟨U+{ord(run[0]):04X}{times}⟩"


def without_paths(text: str) -> str:
    """``text`` with places on a computer cut down to the last name: nobody need know where the writer keeps files.

    Only for what the program says; words of documents and people are never changed.
    """
    return _PATH.sub(lambda found: "…/" + re.split(r"[\\/]", found.group().rstrip("\\/"))[-1], text)


def _name_only(text: str) -> str:
    """A file name without its folder."""
    return re.split(r"[\\/]", text.rstrip("\\/"))[-1] or text


def _without_places(data: ReportData) -> ReportData:
    """``data`` with every place on the writer's computer cut to a name, in all that the program wrote."""
    return replace(
        data,
        engines=tuple((part, without_paths(version)) for part, version in data.engines),
        documents=tuple(
            replace(d, name=_name_only(d.name), address=without_paths(d.address), reader=without_paths(d.reader))
            for d in data.documents
        ),
        evidence=tuple(replace(e, source=without_paths(e.source)) for e in data.evidence),
        matrix=replace(data.matrix, warnings=tuple(without_paths(warning) for warning in data.matrix.warnings)),
        suggestions=tuple(replace(s, model=without_paths(s.model)) for s in data.suggestions),
        judge=data.judge
        and replace(data.judge, name=without_paths(data.judge.name), fingerprint=without_paths(data.judge.fingerprint)),
        search=tuple(replace(s, note=without_paths(s.note)) for s in data.search),
        warnings=tuple(without_paths(warning) for warning in data.warnings),
        problems=tuple(
            Problem(_name_only(p.where), without_paths(p.what), without_paths(p.hint)) for p in data.problems
        ),
    )


# --- words and figures -----------------------------------------------------------------------------------------------


# Written here because those of strftime follow the computer's language.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _moment(text: str) -> str:
    """'21 November 2026, 04:15 UTC' for an ISO 8601 time; other text as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} UTC"


def _stamp(text: str) -> str:
    """'2026-11-21 04:15' in UTC for an ISO 8601 time, for tables; other text as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{moment.astimezone(UTC) if moment.tzinfo else moment:%Y-%m-%d %H:%M}"


def _figures(values: Iterable[float]) -> dict[float, str]:
    """Every value with as many decimals as the column needs: none, two or three."""
    values = set(values)
    for decimals in (0, 2):
        if all(abs(value - round(value, decimals)) < 1e-9 for value in values):
            return {value: f"{value:.{decimals}f}" for value in values}
    return {value: f"{value:.3f}" for value in values}


def _share(probability: float) -> str:
    """Three decimals; never a certainty that was not computed."""
    if 0 < probability < 0.0005:
        return "<0.001"
    if 0.9995 <= probability < 1:
        return ">0.999"
    return f"{probability:.3f}"


def _and(items: Sequence[str]) -> str:
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def _lead(leaders: Sequence[str]) -> str:
    if not leaders:
        return "no hypothesis leads"
    return f"{leaders[0]} leads" if len(leaders) == 1 else f"{_and(leaders)} are tied"


# --- what the template shows -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A line of the ranking. ``place`` is '1=' for a tie and '–' for a hypothesis that cannot be placed."""

    place: str
    hypothesis: Hypothesis
    leads: bool
    scores: dict[str, str]
    bar: float
    unrated: int


@dataclass(frozen=True, slots=True)
class _Cell:
    """One cell of the matrix: the rating of a person, or nothing; the model's suggestion stands beside it."""

    hypothesis: str
    rating: Rating | None
    assessment: Assessment | None
    suggestion: Suggestion | None

    @property
    def words(self) -> str:
        return "not rated" if self.rating is None else RATING_WORDS[self.rating]

    @property
    def when(self) -> str:
        """'inconsistent: A. Analyst, 2026-11-21 04:15 UTC'."""
        if self.assessment is None:
            return self.words
        return f"{self.words}: {self.assessment.by or 'name not recorded'}, {_stamp(self.assessment.at)} UTC"

    @property
    def basis(self) -> str:
        """The likeliest of the model's three labels with its probability."""
        if self.suggestion is None:
            return ""
        p = self.suggestion.probabilities
        best, label = max((p.contradicts, "contradicts"), (p.supports, "supports"), (p.neutral, "neutral"))
        return f"{label} {best:.2f}"


@dataclass(frozen=True, slots=True)
class _Item:
    """A piece of evidence with everything known about it."""

    evidence: Evidence
    row: MatrixRow
    anchor: str
    document: Document | None
    page_sha256: str
    cells: tuple[_Cell, ...]
    raters: tuple[str, ...]
    suggested: tuple[_Cell, ...]
    flags: tuple[str, ...]


def _ranking(data: ReportData) -> list[_Ranked]:
    matrix = data.matrix
    by_id = {h.id: h for h in data.hypotheses}
    ranks = matrix.ranks.get(DEFAULT_RULE, {})
    scores = {rule: _figures(matrix.scores[rule].values()) for rule in matrix.scores}
    worst = max(matrix.scores.get(DEFAULT_RULE, {}).values(), default=0.0)
    lines = []
    for h in matrix.order:
        tied = sum(ranks[h] == ranks[other] for other in matrix.hypotheses) > 1
        lines.append(
            _Ranked(
                place="–" if h in matrix.untested else f"{ranks[h]}{'=' if tied else ''}",
                hypothesis=by_id.get(h, Hypothesis(h, h)),
                leads=h in matrix.leaders.get(DEFAULT_RULE, ()),
                scores={
                    rule: _share(value[h]) if rule == "bayes" else scores[rule][value[h]]
                    for rule, value in matrix.scores.items()
                },
                bar=matrix.scores[DEFAULT_RULE][h] / worst if worst else 0.0,
                unrated=sum(h not in row.ratings for row in matrix.rows),
            )
        )
    return lines


def _items(data: ReportData) -> list[_Item]:
    evidence = {item.id: item for item in data.evidence}
    documents = {document.id: document for document in data.documents}
    assessed = {(a.evidence, a.hypothesis): a for a in data.assessments}
    suggested = {(s.evidence, s.hypothesis): s for s in data.suggestions}
    items = []
    for n, row in enumerate(data.matrix.rows, start=1):
        item = evidence.get(row.id) or Evidence(row.id, "", "", "manual", None, None)
        cells = tuple(
            _Cell(h, row.ratings.get(h), assessed.get((row.id, h)), suggested.get((row.id, h)))
            for h in data.matrix.order
        )
        items.append(
            _Item(
                evidence=item,
                row=row,
                anchor=f"evidence-{n}",
                document=documents.get(item.document or ""),
                page_sha256=data.page_sha256.get(item.page_id, "") if item.page_id is not None else "",
                cells=cells,
                raters=_raters(cells),
                suggested=tuple(cell for cell in cells if cell.suggestion),
                flags=tuple(
                    FLAG_WORDS.get(flag, flag)
                    for flag in row.flags
                    if flag != "uniform" or not any(other.startswith("all_") for other in row.flags)
                ),
            )
        )
    return items


def _raters(cells: Iterable[_Cell]) -> tuple[str, ...]:
    """Who rated and from when to when, one sentence a person."""
    times: dict[str, list[str]] = {}
    for cell in cells:
        if cell.assessment is not None:
            times.setdefault(cell.assessment.by, []).append(_stamp(cell.assessment.at))
    return tuple(
        f"{who or 'name not recorded'}, {min(at)}{f' to {max(at)}' if min(at) != max(at) else ''} UTC"
        for who, at in times.items()
    )


def _headline(data: ReportData) -> str:
    """The answer in one sentence; a tie is an answer, and so is none."""
    leaders = data.matrix.leaders.get(DEFAULT_RULE, ())
    if not data.hypotheses:
        return "This case has no hypothesis yet, so there is nothing to weigh."
    if not data.matrix.rows:
        return "This case has no evidence yet, so no hypothesis leads."
    if not leaders:
        return "No hypothesis leads: nothing rated so far bears on any of them."
    if len(leaders) == len(data.hypotheses) > 1:
        return f"No hypothesis stands out: {_and(leaders)} are tied."
    if len(leaders) > 1:
        these = "both" if len(leaders) == 2 else "they"
        return f"{_and(leaders)} cannot be separated; {these} fit the evidence least badly."
    if len(data.hypotheses) == 1:
        return f"{leaders[0]} is the only hypothesis; nothing competes with it."
    if len(data.matrix.untested) == len(data.hypotheses) - 1:
        return f"{leaders[0]} is the only hypothesis that anything rated bears on; no rival has been tested."
    return f"{leaders[0]} has the least evidence against it."


def _leading(data: ReportData) -> list[Hypothesis]:
    """The leaders in id order: in a tie none comes first."""
    by_id = {h.id: h for h in data.hypotheses}
    return [by_id.get(h, Hypothesis(h, "")) for h in data.matrix.leaders.get(DEFAULT_RULE, ())]


def _margin(data: ReportData) -> str:
    """How far the leaders are ahead, in a sentence; '' where nothing stands behind them."""
    leaders = data.matrix.leaders.get(DEFAULT_RULE, ())
    scores = data.matrix.scores.get(DEFAULT_RULE, {})
    behind = [h for h in data.matrix.order if h not in leaders and h not in data.matrix.untested]
    if not leaders or not behind:
        return ""
    shown = _figures(scores.values())
    best, second = scores[leaders[0]], min(scores[h] for h in behind)
    next_best = [h for h in behind if shown[scores[h]] == shown[second]]
    return (
        f"Weighted evidence against {'it' if len(leaders) == 1 else 'each of them'}: {shown[best]}; against "
        f"{_and(next_best)}, next in line: {shown[second]}."
    )


@cache
def _environment() -> jinja2.Environment:
    """Jinja2 with everything escaped and nothing forgiven; imported only when a report is written."""
    import jinja2
    from markupsafe import Markup, escape

    def shown(text: object) -> Markup:
        """Escaped, with unseen characters as outlined marks."""
        return Markup("").join(
            Markup('<span class="unseen">{}</span>').format(_mark(part)) if unseen else escape(part)
            for unseen, part in _runs(str(text))
        )

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(paths.RESOURCES / "report", encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Everything printed passes here, so that no field can be forgotten; marked-up text of our own is left alone.
        finalize=lambda value: value if isinstance(value, Markup) else shown(value),
    )
    environment.filters |= {
        # Inside an attribute there is no room for marks: the same characters are written out as plain text.
        "attr_text": lambda text: escape(visible(str(text))),
        "moment": _moment,
        "stamp": _stamp,
        "and_list": lambda items: _and([str(item) for item in items]),
        "lead": _lead,
    }
    environment.globals |= {
        "RULES": RULES,
        "DEFAULT_RULE": DEFAULT_RULE,
        "RULE_NOTES": RULE_NOTES,
        "RATING_WORDS": RATING_WORDS,
        "LEVEL_WORDS": {"L": "low", "M": "medium", "H": "high", None: "not graded"},
    }
    return environment


def render_html(data: ReportData) -> bytes:
    """The report as one HTML file in UTF-8: no script, no network, printable, the same bytes for the same data."""
    from markupsafe import Markup

    data = _without_places(data)
    style = (paths.RESOURCES / "report" / "report.css").read_text(encoding="utf-8")
    page = (
        _environment()
        .get_template("report.html")
        .render(
            data=data,
            matrix=data.matrix,
            style=Markup(style),  # our own file, no part of it comes from a case
            headline=_headline(data),
            margin=_margin(data),
            leaders=_leading(data),
            ranking=_ranking(data),
            items=_items(data),
            gaps=[(row.id, [h for h in data.matrix.order if h not in row.ratings]) for row in data.matrix.rows],
            warnings=[*data.matrix.warnings, *data.warnings],
            groups=_groups(data.matrix),
        )
    )
    return page.encode("utf-8")


def _groups(matrix: Matrix) -> list[tuple[str, list[str]]]:
    """(what leads, under which rules), the default rule's answer first."""
    groups: dict[str, list[str]] = {}
    for rule in RULES:
        if rule in matrix.leaders:
            groups.setdefault(_lead(matrix.leaders[rule]), []).append(RULES[rule])
    return list(groups.items())


# --- JSON ------------------------------------------------------------------------------------------------------------


def render_json(data: ReportData) -> bytes:
    """The same facts as canonical JSON: keys sorted, no spaces, ASCII (so that unseen characters show as escapes)."""
    data = _without_places(data)
    document = {
        "format": FORMAT,
        "headline": _headline(data),
        "ranking": [
            {"place": line.place, "hypothesis": line.hypothesis.id, "leads": line.leads} for line in _ranking(data)
        ],
        **{f.name: _plain(getattr(data, f.name)) for f in fields(data)},
    }
    return (
        json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode() + b"\n"
    )


def _plain_object(value: object) -> dict[str, object]:
    assert is_dataclass(value)
    return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}


def _plain(value: object) -> object:
    """Values of the case as JSON values; keys of mappings become text."""
    if is_dataclass(value):
        return _plain_object(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
