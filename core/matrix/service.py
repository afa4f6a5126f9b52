"""What the ratings of a case amount to: the matrix from any point of view and at any moment, the group, time, and what
stands beside it. The half of the workbench that needs no engine."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from core import matrix as matrices
from core.documents import near_duplicates, sections
from core.domain import (
    DEFAULT_RULE,
    Assessment,
    CaseSettings,
    Changes,
    Citation,
    Consideration,
    Document,
    Evidence,
    Group,
    Hypothesis,
    Level,
    Likelihood,
    LogEntry,
    Matrix,
    Move,
    Rating,
    Section,
    State,
    Suggestion,
)
from core.errors import BadInput, NoSuchItem
from core.store import CaseFile
from core.store.decision_log import rows_of

MOST_POINTS = 200  # of the ranking over time
_POINT_CELLS = 3_000_000  # cells scored for a whole timeline; fewer points for a larger matrix
_KEPT = 12  # computed matrices that are kept
_SKIPPED = 200  # characters shown of what a quote skips at a page break

_MATRIX = Changes(matrix=True)
_ROW = Changes(evidence=True, matrix=True)


R = TypeVar("R", Assessment, Suggestion)


@dataclass(frozen=True, slots=True)
class Added:
    """A new hypothesis, piece of evidence or consideration, by id. Not ``new``: it was there, and nothing was done."""

    id: str
    changes: Changes
    new: bool = True


@dataclass(frozen=True, slots=True)
class Past:
    """One change of a cell or of a row: ``before`` and ``after`` in words, '' for nothing. ``who`` may be a model."""

    seq: int
    at: str
    who: str
    verb: str
    hypothesis: str
    before: str
    after: str
    machine: bool = False


@dataclass(frozen=True, slots=True)
class ScanCheck:
    """Who compared the words of a quote with the picture of the page, and when last; nobody as long as one word was
    not looked at. ``confidence`` is that of the OCR engine for the page."""

    by: tuple[str, ...]
    at: str
    confidence: float | None


@dataclass(frozen=True, slots=True)
class TimePoint:
    """The ranking after one decision. ``scores`` and ``ranks`` are those of the default rule. Where hypotheses were
    rated on different rows there are neither ``leaders`` nor ``ranks``: ``why`` says so, and ``provisional`` has the
    ranks on the rows they had in common (see ``Comparison``)."""

    seq: int
    at: str
    verb: str
    who: str
    leaders: tuple[str, ...]
    scores: dict[str, float]
    ranks: dict[str, int]
    provisional: dict[str, int] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """The matrix at two moments and every single thing that differs between them."""

    before: Matrix
    after: Matrix
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Resting:
    """What rests on rows of evidence: the ``cells`` (evidence, hypothesis) that somebody rated, the ``proposals`` of a
    document, and the ``sentences`` of the report that say something because of them, the gravest first. ``leaders``
    are those of the default rule, ``leaders_without`` who would lead without these rows."""

    evidence: tuple[str, ...]
    cells: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]
    leaders: tuple[str, ...]
    leaders_without: tuple[str, ...]
    proposals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a matrix is computed from."""

    hypotheses: tuple[str, ...]
    rows: tuple[matrices.Row, ...]
    priors: dict[str, float] | None


class Analysis:
    """Verbs on the decisions of one case. ``Workbench`` adds documents, search, judging and reports."""

    case: CaseFile

    def __init__(self, case: CaseFile) -> None:
        self.case = case
        self._matrices: OrderedDict[tuple[object, ...], Matrix] = OrderedDict()
        self._clusters: tuple[tuple[tuple[str, str, str], ...], dict[str, near_duplicates.Shared]] = ((), {})
        self._points: dict[tuple[int, str | None], TimePoint] = {}

    @property
    def who(self) -> str:
        """The name that signs decisions."""
        return self.case.who

    # --- ratings and rows --------------------------------------------------------------------------------------------

    def rate(self, evidence: str, hypothesis: str, rating: Rating | None) -> Changes:
        """Rate one cell in one's own name; None clears it."""
        return self.rate_many([(evidence, hypothesis, rating)])

    def rate_many(self, cells: Sequence[tuple[str, str, Rating | None]]) -> Changes:
        """Rate cells as one decision."""
        self.case.rate_many(cells)
        return _MATRIX

    def annotate(
        self, evidence: str, hypothesis: str, *, note: str | None = None, confidence: str | None = None
    ) -> Changes:
        """Say why one's own rating is as it is, and how sure one is of it. Raises BadInput where there is none."""
        self.case.annotate(evidence, hypothesis, note=note, confidence=confidence)
        return _MATRIX

    def describe(self, evidence: Sequence[str], **fields: str | None) -> Changes:
        """Set fields of rows (text, source, date, credibility, relevance, reliability, information, upstream, note,
        kind), the same for all, as one decision. Raises BadInput."""
        self.case.describe(evidence, fields)
        return _ROW

    def grade(self, evidence: str, *, credibility: Level | None = None, relevance: Level | None = None) -> Changes:
        self.case.grade(evidence, credibility=credibility, relevance=relevance)
        return _ROW

    def stands(self, evidence: Evidence) -> bool:
        """Whether the page still has the words that a row quotes, where it quotes them; True for what is no quote."""
        parts = [(part.page_id, part.start, part.end, part.text) for part in evidence.more]
        if evidence.page_id is not None and evidence.quote is not None:
            parts.append((evidence.page_id, evidence.start or 0, evidence.end or 0, evidence.quote))
        return all(self.case.page_by_id(page).text[start:end] == text for page, start, end, text in parts)

    def scan_check(self, evidence: Evidence) -> ScanCheck | None:
        """Whether people looked at every word of a quote from a scan; None for what is no quote from a scan. Nobody
        has, where other words stand in its place by now."""
        stretches = [(part.page_id, part.start, part.end) for part in evidence.more]
        if evidence.page_id is not None and evidence.start is not None and evidence.end is not None:
            stretches.insert(0, (evidence.page_id, evidence.start, evidence.end))
        scans = [each for each in stretches if self.case.page_by_id(each[0]).source == "ocr"]
        if not scans:
            return None
        sure = [self.case.page_by_id(page_id).confidence for page_id, _, _ in scans]
        confidence = min((each for each in sure if each is not None), default=None)
        said = [self.case.words_checked(*each) for each in scans]
        if any(each is None for each in said) or not self.stands(evidence):
            return ScanCheck((), "", confidence)
        checked = [one for each in said for one in each or ()]
        return ScanCheck(
            tuple(sorted({one.by for one in checked})), max((one.at for one in checked), default=""), confidence
        )

    def cite(self, evidence: Iterable[Evidence]) -> dict[str, Citation]:
        """Where rows stand that have a place on a page, by id: page label and number, section, cells of a sheet."""
        known: dict[str, tuple[Document, list[tuple[int, Section]]]] = {}
        found = {}
        for item in evidence:
            if item.document is None or item.page_id is None or item.page is None:
                continue
            if item.document not in known:
                known[item.document] = (self.case.document(item.document), self.case.sections(item.document))
            document, headings = known[item.document]
            page = self.case.page_by_id(item.page_id)
            last = self.case.page_by_id(item.more[-1].page_id) if item.more else None
            start = item.start or 0
            path = sections.path(headings, item.page, start)
            words = sections.citation(
                document.name,
                item.page,
                label=page.label,
                path=path,
                cells=sections.cells(page.text, start, item.end if item.end is not None else start),
                kind=document.kind,
                pages=document.pages,
                last=last.number if last else 0,
                last_label=last.label if last else "",
            )
            place = words[len(document.name) :].removeprefix(", ")
            found[item.id] = Citation(place, page.label, path, self._skipped(item))
        return found

    def _skipped(self, item: Evidence) -> tuple[str, ...]:
        """For each page break in a quote, what stands there between its stretches, its lines apart by ' / '."""
        found: list[str] = []
        before, end = item.page_id or 0, item.end
        for part in item.more:
            between = (
                f"{self.case.page_by_id(before).text[end:]}\n{self.case.page_by_id(part.page_id).text[: part.start]}"
            )
            lines = " / ".join(" ".join(line.split()) for line in between.splitlines() if line.strip())
            found.append(lines if len(lines) <= _SKIPPED else f"{lines[: _SKIPPED // 2]} … {lines[-_SKIPPED // 2 :]}")
            before, end = part.page_id, part.end
        return tuple(found)

    def remove_evidence(self, *evidence: str) -> Changes:
        """Take rows out, as one decision."""
        self.case.remove_evidence(*evidence)
        return Changes(evidence=True, proposals=True, matrix=True)

    def evidence(self) -> list[Evidence]:
        return self.case.evidence()

    def hypotheses(self) -> list[Hypothesis]:
        return self.case.hypotheses()

    def set_hypothesis_kind(self, hypothesis: str, kind: str) -> Changes:
        """'' for one like others, 'null' for nothing-happened, 'deception' for we-are-meant-to-believe-it."""
        self.case.set_hypothesis_kind(hypothesis, kind)
        return Changes(hypotheses=True)

    def set_priors(self, priors: Mapping[str, float] | None) -> Changes:
        """Probabilities before any evidence, for the Bayes reading: one for every hypothesis, or None for none.

        Raises BadInput when one is missing or below 0, or all are 0.
        """
        if priors is not None:
            matrices.bayes([hypothesis.id for hypothesis in self.hypotheses()], [], priors=priors)
        self.case.set_priors(priors)
        return Changes(hypotheses=True, matrix=True)

    def supersede(self, document: str, by: str) -> Changes:
        """``by`` is a newer version of ``document``; '' takes it back."""
        self.case.supersede(document, by)
        return Changes(documents=True, matrix=True)

    def case_settings(self) -> CaseSettings:
        return self.case.settings()

    def change_settings(
        self,
        *,
        blind: bool | None = None,
        strict: bool | None = None,
        grade_weights: Mapping[str, float] | None = None,
        ocr_languages: Sequence[str] | None = None,
    ) -> Changes:
        self.case.change_settings(blind=blind, strict=strict, grade_weights=grade_weights, ocr_languages=ocr_languages)
        return Changes(proposals=True, evidence=True, matrix=True)

    def assessments(self, *, everyone: bool = False) -> list[Assessment]:
        """People's ratings. Where rating is blind, colleagues' only of cells that one has rated oneself, unless
        ``everyone`` is asked for."""
        found = self.case.assessments()
        return found if everyone or not self.case.settings().blind else self._of_own_cells(found, found)

    def suggestions(self, *, everything: bool = False) -> list[Suggestion]:
        """The model's ratings. Where rating is blind, only of cells that one has rated oneself."""
        found = self.case.suggestions()
        blind = self.case.settings().blind and not everything
        return self._of_own_cells(found, self.case.assessments()) if blind else found

    def ratings_of(self, evidence: str) -> tuple[list[Assessment], list[Suggestion]]:
        """What ``assessments`` and ``suggestions`` show of one row, quickly also in a large matrix."""
        people, model = self.case.ratings_of(evidence)
        if not self.case.settings().blind:
            return people, model
        return self._of_own_cells(people, people), self._of_own_cells(model, people)

    def _of_own_cells(self, found: Iterable[R], assessments: Iterable[Assessment]) -> list[R]:
        """The rule of blind rating: only what concerns cells that one has rated oneself."""
        own = {(item.evidence, item.hypothesis) for item in assessments if item.by == self.who}
        return [item for item in found if (item.evidence, item.hypothesis) in own]

    def _of_own_hypotheses(self, likelihoods: Iterable[Likelihood]) -> list[Likelihood]:
        """The same rule for likelihoods: only of hypotheses for which one has stated one's own."""
        found = list(likelihoods)
        own = {item.hypothesis for item in found if item.by == self.who}
        return [item for item in found if item.hypothesis in own]

    def raters(self) -> tuple[str, ...]:
        """Everybody who has rated a cell, in order of name."""
        return tuple(sorted({by for _evidence, _hypothesis, by, _rating in self.case.rated_cells()}))

    # --- considerations ----------------------------------------------------------------------------------------------

    def considerations(self, kind: str | None = None) -> list[Consideration]:
        return self.case.considerations(kind)

    def add_consideration(self, kind: str, text: str, *, hypothesis: str = "", query: str = "") -> Added:
        """A key assumption, a premortem, or an indicator with its search."""
        return Added(
            self.case.add_consideration(kind, text, hypothesis=hypothesis, query=query).id, Changes(hypotheses=True)
        )

    def edit_consideration(
        self,
        consideration: str,
        *,
        text: str | None = None,
        hypothesis: str | None = None,
        query: str | None = None,
        status: str | None = None,
    ) -> Changes:
        given = {"text": text, "hypothesis": hypothesis, "query": query, "status": status}
        self.case.edit_consideration(consideration, {k: v for k, v in given.items() if v is not None})
        return Changes(hypotheses=True)

    def remove_consideration(self, consideration: str) -> Changes:
        self.case.remove_consideration(consideration)
        return Changes(hypotheses=True)

    def mark_seen(self, consideration: str) -> Changes:
        """The documents that are there now have been looked at for this indicator."""
        self.case.mark_seen(consideration)
        return Changes(hypotheses=True)

    def likelihoods(self) -> list[Likelihood]:
        """Stated likelihoods; where rating is blind, colleagues' only after one's own."""
        found = self.case.likelihoods()
        return self._of_own_hypotheses(found) if self.case.settings().blind else found

    def state_likelihood(self, hypothesis: str, value: float | None) -> Changes:
        self.case.state_likelihood(hypothesis, value)
        return _MATRIX

    def last_report(self, after: int = 0) -> int:
        """The entry of the log of the last report written later than entry ``after``; 0: none was."""
        return self.case.last_report(after)

    def decided_since(self, seq: int) -> int:
        """How many decisions came after entry ``seq`` of the log."""
        return self.case.decided_since(seq)

    def position(self) -> int:
        """The number of the last entry of the log."""
        return self.case.position()

    # --- the matrix --------------------------------------------------------------------------------------------------

    def matrix(
        self,
        view: str = "",
        *,
        without_rows: Collection[str] = (),
        without_sources: Collection[str] = (),
        as_of: str | None = None,
    ) -> Matrix:
        """Everything that follows from the ratings; suggestions do not count.

        ``view`` is 'group' (the default), 'mine' (the default where rating is blind) or a rater's name. Rows and
        sources that are left out are for looking only. ``as_of`` is a moment of the case (see ``CaseFile.moment``).
        """
        seq = self.case.position() if as_of is None else self.case.moment(as_of)
        by = self._by(view)
        key = (seq, by, frozenset(without_rows), frozenset(without_sources))
        if key not in self._matrices:
            # Now is read without an object for each of what may be 150,000 cells.
            now = seq == self.case.position()
            given = self._inputs_now(by) if now else self.inputs(self.case.state_at(seq), by)
            rows = [row for row in given.rows if row.id not in without_rows and row.source not in without_sources]
            self._matrices[key] = matrices.build(given.hypotheses, rows, priors=given.priors)
            while len(self._matrices) > _KEPT:
                self._matrices.popitem(last=False)
        self._matrices.move_to_end(key)
        return self._matrices[key]

    def _by(self, view: str) -> str | None:
        """Whose ratings a view shows; None: the group's."""
        wanted = view or ("mine" if self.case.settings().blind else "group")
        return {"group": None, "mine": self.who}.get(wanted, wanted)

    def inputs(self, state: State, by: str | None = None) -> Inputs:
        """What the matrix of a state is computed from: of one person, or (None) of the group."""
        cells = ((item.evidence, item.hypothesis, item.by, item.rating) for item in state.assessments)
        return self._inputs(
            state.hypotheses,
            state.evidence,
            state.documents,
            state.settings,
            cells,
            by,
            now=state.seq == self.case.position(),
        )

    def _inputs_now(self, by: str | None) -> Inputs:
        case = self.case
        return self._inputs(
            case.hypotheses(), case.evidence(), case.documents(), case.settings(), case.rated_cells(), by, now=True
        )

    def _inputs(
        self,
        hypotheses: Iterable[Hypothesis],
        evidence: Sequence[Evidence],
        documents: Iterable[Document],
        settings: CaseSettings,
        cells: Iterable[tuple[str, str, str, Rating]],
        by: str | None,
        *,
        now: bool,
    ) -> Inputs:
        ratings: dict[str, dict[str, Rating]] = {}
        several: dict[tuple[str, str], list[Rating]] = {}
        for id, hypothesis, person, rating in cells:
            if by is not None and person != by:
                continue
            row = ratings.setdefault(id, {})
            if hypothesis in row:
                several.setdefault((id, hypothesis), [row[hypothesis]]).append(rating)
            else:
                row[hypothesis] = rating
        for (id, hypothesis), given in several.items():
            ratings[id][hypothesis] = matrices.group_rating(given)
        # Pages are known as they are now: of an earlier moment nothing is said of them.
        stale: Collection[str] = self.case.stale_evidence() if now else ()
        unchecked: Collection[str] = self.case.unchecked_quotes() if now else ()
        hidden: Collection[str] = self.case.hidden_quotes() if now else ()
        superseded = {document.id for document in documents if document.superseded_by}
        clusters = self._upstreams(evidence)
        rows = tuple(
            matrices.Row(
                id=item.id,
                ratings=ratings.get(item.id, {}),
                credibility=item.credibility,
                relevance=item.relevance,
                weight=matrices.graded_weight(
                    item.credibility,
                    item.relevance,
                    item.reliability,
                    item.information,
                    settings.grade_weights,
                ),
                # What was searched for and not found has no source that could lie.
                source="" if item.kind == "absence" else item.document or item.source,
                upstream=item.upstream or (clusters[item.id].head if item.id in clusters else ""),
                marks=(
                    *(("stale",) if item.id in stale else ()),
                    *(("superseded",) if item.document in superseded else ()),
                    *(("unchecked",) if item.id in unchecked else ()),
                    *(("hidden",) if item.id in hidden else ()),
                ),
                reliability=item.reliability,
            )
            for item in evidence
        )
        stated = {hypothesis.id: hypothesis.prior for hypothesis in hypotheses}
        priors = {id: prior for id, prior in stated.items() if prior is not None}
        # A hypothesis added after the priors were set has none: then they are all alike, and the report says so.
        usable = priors if stated and len(priors) == len(stated) and any(priors.values()) else None
        return Inputs(tuple(stated), rows, usable)

    def shared_origins(self, evidence: Iterable[Evidence] | None = None) -> dict[str, str]:
        """For each row that counts together with others: why, in a sentence. What the analyst says of a row's upstream
        stands over what the program finds."""
        rows = list(self.evidence() if evidence is None else evidence)
        names = {document.id: document.name for document in self.case.documents()}
        of = {item.id: names.get(item.document or "", item.source) for item in rows}
        alike = {"verbatim": "the same words as", "near": "nearly the same words as", "part": "the words of"}
        told = {}
        for row, shared in self._upstreams(rows).items():
            if not shared.why:
                told[row] = "Others quote the same report; together they count once."
                continue
            documents = "" if shared.why == "verbatim" else ", and the documents are near copies or one holds the other"
            told[row] = (
                f"Counts once with {shared.with_} ({of[shared.with_]}): the quote has {alike[shared.why]} that one"
                f"{documents}. Name an upstream of its own if it is no copy."
            )
        several = Counter(item.upstream for item in rows if item.upstream)
        told |= {
            item.id: f"Counts once with the others that go back to “{item.upstream}”, as the analyst says."
            for item in rows
            if several[item.upstream] > 1
        }
        return told

    def _upstreams(self, evidence: Iterable[Evidence]) -> dict[str, near_duplicates.Shared]:
        """Copies of one report among the quotes, where the analyst said nothing about the upstream."""
        quotes = tuple(
            (item.id, item.document, " ".join((item.quote, *(part.text for part in item.more))))
            for item in evidence
            if item.document and item.quote and not item.upstream
        )
        if self._clusters[0] != quotes:
            self._clusters = (quotes, near_duplicates.same_upstream(quotes, self._text))
        return self._clusters[1]

    def _text(self, document: str) -> str:
        """A document as far as documents are compared: a long one is not read to its end."""
        parts: list[str] = []
        length = 0
        for page in self.case.pages(document):
            parts.append(page.text)
            length += len(page.text) + 1
            if length > near_duplicates.LONGEST:
                break
        return "\n".join(parts)

    def resting_on(self, *what: str) -> Resting:
        """What rests on documents ('D1') or pieces of evidence ('E1'): to be looked at again when a quote is no longer
        what stands on its page, or before a document is taken out. Raises NoSuchItem."""
        documents = {self.case.document(identity).id for identity in what if identity.startswith("D")}
        wanted = set(what) - documents
        rows = [item for item in self.evidence() if item.id in wanted or item.document in documents]
        missing = sorted(wanted - {item.id for item in rows})
        if missing:
            raise NoSuchItem(kind="evidence", id=missing[0], listing="evidence")
        found = tuple(item.id for item in rows)
        now = self.matrix()
        without = self.matrix(without_rows=found) if found else now
        proposals = self.case.proposals() if documents else []
        return replace(
            resting(found, now, without, self.assessments(), self.considerations()),
            proposals=tuple(proposal.id for proposal in proposals if proposal.quote.document in documents),
        )

    def group(self) -> Group:
        """Everybody's opinion, the cells in dispute, the plain mean and the coherent aggregate.

        Where rating is blind, of colleagues only what one may see by now.
        """
        state = self.case.state()
        return self._group_of(replace(state, assessments=tuple(self.assessments())), self.likelihoods())

    def _group_of(self, visible: State, likelihoods: Collection[Likelihood]) -> Group:
        """The group as the ratings of a state and these likelihoods make it."""
        people = {item.by for item in visible.assessments} | {item.by for item in likelihoods}
        by = {person: self.inputs(visible, person).rows for person in sorted(people)}
        stated: dict[str, dict[str, float]] = {}
        for item in likelihoods:
            stated.setdefault(item.by, {})[item.hypothesis] = item.value
        return matrices.group([hypothesis.id for hypothesis in visible.hypotheses], by, stated)

    # --- time --------------------------------------------------------------------------------------------------------

    def history(self, evidence: str, hypothesis: str | None = None) -> list[Past]:
        """What happened to a row, or to one cell of it, oldest first. Where rating is blind, what colleagues and the
        model rated only in cells that one has rated oneself."""
        found: list[Past] = []
        for entry in self.case.entries_about(evidence):
            found += _past(entry, evidence, hypothesis)
        if not self.case.settings().blind:
            return found
        own = {item.hypothesis for item in self.case.ratings_of(evidence)[0] if item.by == self.who}
        return [past for past in found if past.hypothesis in ("", *own) or past.who == self.who]

    def timeline(self, view: str = "") -> list[TimePoint]:
        """The ranking after each decision that could move it, at most 200 of them, evenly chosen, the last included.

        What was decided does not change, so a point once computed is kept: after another decision one is added.
        """
        by = self._by(view)
        telling = [
            entry.seq
            for entry, tables in self.case.touched()
            if tables & {"hypothesis", "evidence", "rating", "setting"}
        ]
        cells = max(1, len(self.case.evidence()) * len(self.case.hypotheses()))
        most = max(2, min(MOST_POINTS, _POINT_CELLS // cells))
        # Every second, fourth, eighth ... decision and the last: most of those chosen stay chosen as the case grows.
        step = 1
        while -(-len(telling) // step) + 1 > most and step < len(telling):
            step *= 2
        telling = [*telling[:-1:step], *telling[-1:]]
        missing = [seq for seq in telling if (seq, by) not in self._points]
        for entry, state in self.case.states(missing) if missing else ():
            given = self.inputs(state, by)
            matrix = matrices.build(given.hypotheses, given.rows, priors=given.priors, linchpins=False)
            rule = DEFAULT_RULE
            self._points[entry.seq, by] = TimePoint(
                entry.seq,
                entry.at,
                f"undo {entry.verb}" if entry.undoes is not None else entry.verb,
                entry.who,
                matrix.leaders[rule],
                matrix.scores[rule],
                matrix.ranks[rule],
                matrix.comparison.provisional,
                matrix.comparison.sentence,
            )
        return [self._points[seq, by] for seq in telling]

    def what_changed(self, before: str, after: str, view: str = "") -> Difference:
        """Every single thing that differs between two moments, and which of them, taken back alone, would change the
        ranking. Raises BadInput when the first moment is not before the second."""
        first, second = self.case.moment(before), self.case.moment(after)
        if first > second:
            raise BadInput(reason="The first moment lies after the second.", remedy="Swap them.")
        by = self._by(view)
        old, new = self.case.state_at(first), self.case.state_at(second)
        was, now = self.inputs(old, by), self.inputs(new, by)
        told = {
            (item.evidence, item.hypothesis): (item.by, item.at)
            for item in new.assessments
            if by is None or item.by == by
        }
        moves = matrices.changes((was.hypotheses, was.rows, was.priors), (now.hypotheses, now.rows, now.priors), told)
        return Difference(
            matrices.build(was.hypotheses, was.rows, priors=was.priors, linchpins=False),
            matrices.build(now.hypotheses, now.rows, priors=now.priors, linchpins=False),
            tuple(moves),
        )


def resting(
    evidence: Sequence[str],
    matrix: Matrix,
    without: Matrix,
    assessments: Iterable[Assessment],
    considerations: Iterable[Consideration] = (),
) -> Resting:
    """What rests on these rows: ``matrix`` counts them, ``without`` does not."""
    rows = set(evidence)
    rated = {(item.evidence, item.hypothesis) for item in assessments if item.evidence in rows}
    leaders, others = matrix.leaders.get(DEFAULT_RULE, ()), without.leaders.get(DEFAULT_RULE, ())
    named = re.compile(rf"\b(?:{'|'.join(re.escape(row) for row in evidence)})\b") if evidence else re.compile(r"(?!)")
    said: list[str] = []
    if set(leaders) != set(others):
        few = matrices.both(evidence)
        now = matrices.outcome(leaders)
        said.append(f"{now[:1].upper()}{now[1:]}; without {few} {matrices.outcome(others, would=True)}.")
    said += [pin.sentence for pin in matrix.linchpins if rows & {pin.evidence, *pin.rows}]
    said += [words for words in matrix.warnings if named.search(words)]
    said += [item.text for item in considerations if named.search(item.text)]
    return Resting(
        tuple(evidence),
        tuple(sorted(rated, key=lambda cell: (matrices.natural(cell[0]), matrices.natural(cell[1])))),
        tuple(dict.fromkeys(said)),
        tuple(leaders),
        tuple(others),
    )


_FIELDS = {
    "text": "text",
    "source": "source",
    "date": "date",
    "credibility": "credibility",
    "relevance": "relevance",
    "reliability": "reliability of the source",
    "information": "credibility of the information",
    "upstream": "upstream",
    "note": "note",
    "kind": "kind",
}


def _past(entry: LogEntry, evidence: str, hypothesis: str | None) -> Iterable[Past]:
    before, after = rows_of(entry)
    verb = f"undo {entry.verb}" if entry.undoes is not None else entry.verb
    for table in ("evidence", "suggestion", "rating"):
        for key, new in after.get(table, {}).items():
            old = before[table][key]
            known = new or old or {}
            if known.get("id" if table == "evidence" else "evidence") != evidence:
                continue
            if table == "evidence":
                if hypothesis is not None and old is not None:
                    continue
                yield Past(entry.seq, entry.at, entry.who, verb, "", _row_words(old, new), _row_words(new, old))
                continue
            against = str(known["hypothesis"])
            if hypothesis is not None and against != hypothesis:
                continue
            machine = table == "suggestion"
            yield Past(
                entry.seq,
                entry.at,
                str(known["model"]) if machine else str(known["by"]),
                "suggest" if machine and entry.undoes is None else verb,
                against,
                _cell_words(old),
                _cell_words(new),
                machine,
            )


def _cell_words(row: Mapping[str, object] | None) -> str:
    if row is None:
        return ""
    parts = [str(row["rating"])]
    if row.get("confidence"):
        parts.append(f"confidence {row['confidence']}")
    if row.get("note"):
        parts.append(f"“{row['note']}”")
    return ", ".join(parts)


def _row_words(row: Mapping[str, object] | None, other: Mapping[str, object] | None) -> str:
    """A row of evidence beside its other version: only what differs."""
    if row is None:
        return ""
    if other is None:
        return str(row["text"])
    differ = [f"{words}: {row[name] or 'none'}" for name, words in _FIELDS.items() if row[name] != other[name]]
    return "; ".join(differ)
