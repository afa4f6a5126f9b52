"""What the ratings of a case amount to: the matrix from any point of view and at any moment, the group, time.

It needs no engine.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core import matrix as matrices
from core.documents.folder_scan import file_bytes
from core.domain import (
    DEFAULT_RULE,
    Assessment,
    CaseSettings,
    Changes,
    Consideration,
    Document,
    Evidence,
    Group,
    Hypothesis,
    Likelihood,
    Matrix,
    Move,
    Rating,
    State,
)
from core.errors import BadInput, NoSuchItem, Problem
from core.progress import Progress, silent

if TYPE_CHECKING:
    from core.case.service import CaseService
    from core.conflicts.service import Conflicts
    from core.evidence.service import EvidenceService
    from core.hypotheses.service import Hypotheses
    from core.open_case import OpenCase


MOST_POINTS = 200  # of the ranking over time

_POINT_CELLS = 3_000_000  # cells scored for a whole timeline; fewer points for a larger matrix

_MATRICES = 12  # computed matrices that are kept


@dataclass(frozen=True, slots=True)
class TimePoint:
    """The ranking after one decision.

    ``scores`` and ``ranks`` are those of the default rule. Where hypotheses were rated on different rows there are
    neither ``leaders`` nor ``ranks``: ``why`` says so, and ``provisional`` has the ranks on the rows they had in common
    (see ``Comparison``).
    """

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
class RemovalImpact:
    """The things that rest on rows of evidence.

    The ``cells`` (evidence, hypothesis) that somebody rated, the ``proposals`` of a document, and the ``sentences`` of
    the report that say something because of them, the gravest first. ``leaders`` are those of the default rule,
    ``leaders_without`` who would lead without these rows.
    """

    evidence: tuple[str, ...]
    cells: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]
    leaders: tuple[str, ...]
    leaders_without: tuple[str, ...]
    proposals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of a matrix."""

    hypotheses: tuple[str, ...]
    rows: tuple[matrices.Row, ...]
    priors: dict[str, float] | None


@dataclass(frozen=True, slots=True)
class MatrixImport:
    """The parts of a matrix made elsewhere that came in, counted, and those that did not.

    ``matches`` counts hypotheses that were in the case already, by their text. ``problems`` are places that could not
    be taken as they are, ``left_out`` parts of the file that a case has no place for or computes again.
    """

    file: str
    title: str
    format: str
    hypotheses: int
    matches: int
    evidence: int
    ratings: int
    open_cells: int
    problems: tuple[Problem, ...]
    left_out: tuple[str, ...]
    rows: tuple[str, ...] = ()  # ids of the new evidence
    changes: Changes = Changes(hypotheses=True, evidence=True, matrix=True)


class MatrixService:
    """Everything that is computed from ratings: matrix, group, ranking over time, differences."""

    def __init__(
        self,
        case: OpenCase,
        about: CaseService,
        evidence: EvidenceService,
        hypotheses: Hypotheses,
        conflicts: Conflicts,
    ) -> None:
        self._open = case
        self._store = case.store
        self._about = about
        self._evidence = evidence
        self._hypotheses = hypotheses
        self._conflicts = conflicts
        self._matrices: OrderedDict[tuple[object, ...], Matrix] = OrderedDict()
        self._points: dict[tuple[int, str | None], TimePoint] = {}
        self._recoveries: tuple[int, tuple[str, ...]] = (0, ())  # with the entry of the log up to which they are so

    def compute(
        self,
        view: str = "",
        *,
        without_rows: Collection[str] = (),
        without_sources: Collection[str] = (),
        as_of: str | None = None,
    ) -> Matrix:
        """Compute everything that follows from the ratings; suggestions do not count.

        ``view`` is 'group' (the default), 'mine' (the default where rating is blind) or a rater's name. Rows and
        sources that are left out are for looking only. ``as_of`` is a moment of the case (see ``History.moment``).
        """
        with self._store.db.snapshot():
            now = self._store.history.position()
            seq = now if as_of is None else self._store.history.moment(as_of)
            by = self.rater_of(view)
            key = (seq, by, frozenset(without_rows), frozenset(without_sources))
            if key in self._matrices:
                self._matrices.move_to_end(key)
                return self._matrices[key]
            # Now is read without an object for each of what may be 150,000 cells.
            inputs = self._inputs_now(by) if seq == now else self.inputs(self._store.history.state_at(seq), by)
            raters = self._evidence.outdated_ratings(seq)
        rows = [row for row in inputs.rows if row.id not in without_rows and row.source not in without_sources]
        matrix = matrices.build(inputs.hypotheses, rows, priors=inputs.priors)
        row_ids = {row.id for row in rows}
        cells = [cell for cell, people in raters.items() if cell[0] in row_ids and (by is None or by in people)]
        warnings = (*self._caveats(), *matrices.rewording_warnings(cells), *matrix.warnings)
        matrix = replace(matrix, caveats=self._caveats(), warnings=warnings)
        with self._store.db.snapshot():
            self._matrices[key] = matrix
            self._matrices.move_to_end(key)
            while len(self._matrices) > _MATRICES:
                self._matrices.popitem(last=False)
        return matrix

    def _caveats(self) -> tuple[str, ...]:
        """Return what holds of every matrix of the case: what was lost when the case was recovered."""
        position = self._store.history.position()
        if self._recoveries[0] != position:
            self._recoveries = position, self._store.history.recoveries()
        return self._recoveries[1]

    def rater_of(self, view: str) -> str | None:
        """Return whose ratings a view shows; None: the group's."""
        view_or_default = view or ("mine" if self._store.settings.get().blind else "group")
        return {"group": None, "mine": self._about.who}.get(view_or_default, view_or_default)

    def inputs(self, state: State, by: str | None = None) -> Inputs:
        """Return what the matrix of a state is computed from: of one person, or (None) of the group."""
        cells = ((item.evidence, item.hypothesis, item.by, item.rating) for item in state.assessments)
        return self._inputs(
            state.hypotheses,
            state.evidence,
            state.documents,
            state.settings,
            cells,
            by,
            now=state.seq == self._store.history.position(),
        )

    def _inputs_now(self, by: str | None) -> Inputs:
        case = self._store
        return self._inputs(
            case.hypotheses.all(),
            case.evidence.all(),
            case.documents.all(),
            case.settings.get(),
            case.ratings.rated_cells(),
            by,
            now=True,
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
        for (id, hypothesis), cell_ratings in several.items():
            ratings[id][hypothesis] = matrices.group_rating(cell_ratings)
        # Pages are known as they are now: of an earlier moment nothing is said of them.
        stale: Collection[str] = self._store.evidence.stale() if now else ()
        unproofread: Collection[str] = self._store.corrections.unchecked() if now else ()
        quote_marks = self._store.evidence.marks() if now else {}
        contradicted: Collection[str] = self._conflicts.open_by_evidence(evidence) if now else ()
        old_versions = {document.id for document in documents if document.superseded_by}
        clusters = self._evidence.upstreams(evidence)
        rows = tuple(
            matrices.Row(
                id=item.id,
                ratings=ratings.get(item.id, {}),
                credibility=item.credibility,
                relevance=item.relevance,
                weight=matrices.graded_weight(
                    item.credibility, item.relevance, item.reliability, item.information, settings.grade_weights
                ),
                # What was searched for and not found has no source that could lie.
                source="" if item.kind == "absence" else item.document or item.source,
                upstream=item.upstream or (clusters[item.id].head if item.id in clusters else ""),
                marks=(
                    *(("stale",) if item.id in stale else ()),
                    *(("superseded",) if item.document in old_versions else ()),
                    *(("unchecked",) if item.id in unproofread else ()),
                    *quote_marks.get(item.id, ()),
                    *(("conflict",) if item.id in contradicted else ()),
                ),
                reliability=item.reliability,
            )
            for item in evidence
            if item.kind != "withdrawn"
        )
        prior_of = {hypothesis.id: hypothesis.prior for hypothesis in hypotheses}
        priors = {id: prior for id, prior in prior_of.items() if prior is not None}
        # A hypothesis added after the priors were set has none: then they are all alike, and the report says so.
        usable = priors if prior_of and len(priors) == len(prior_of) and any(priors.values()) else None
        return Inputs(tuple(prior_of), rows, usable)

    def removal_impact(self, *what: str) -> RemovalImpact:
        """Find what rests on documents ('D1') or pieces of evidence ('E1').

        To be looked at again when a quote is no longer what is on its page, or before a document is taken out.
        Raises NoSuchItem.
        """
        documents = {self._store.documents.get(identity).id for identity in what if identity.startswith("D")}
        row_ids = set(what) - documents
        rows = [item for item in self._evidence.all() if item.id in row_ids or item.document in documents]
        missing = sorted(row_ids - {item.id for item in rows})
        if missing:
            raise NoSuchItem(kind="evidence", id=missing[0], listing="evidence")
        ids = tuple(item.id for item in rows)
        now = self.compute()
        without = self.compute(without_rows=ids) if ids else now
        proposals = self._store.proposals.all() if documents else []
        return replace(
            removal_impact(ids, now, without, self._evidence.assessments(), self._hypotheses.considerations()),
            proposals=tuple(proposal.id for proposal in proposals if proposal.quote.document in documents),
        )

    def group(self) -> Group:
        """Gather everybody's opinion, the cells in dispute, the plain mean and the coherent aggregate.

        Where rating is blind, of colleagues only what one may see by now.
        """
        state = self._store.history.state()
        return self.group_of(
            replace(state, assessments=tuple(self._evidence.assessments())), self._evidence.likelihoods()
        )

    def group_of(self, visible: State, likelihoods: Collection[Likelihood]) -> Group:
        """Gather the group as the ratings of a state and these likelihoods make it."""
        people = {item.by for item in visible.assessments} | {item.by for item in likelihoods}
        by = {person: self.inputs(visible, person).rows for person in sorted(people)}
        values: dict[str, dict[str, float]] = {}
        for item in likelihoods:
            values.setdefault(item.by, {})[item.hypothesis] = item.value
        return matrices.group([hypothesis.id for hypothesis in visible.hypotheses], by, values)

    def over_time(self, view: str = "") -> list[TimePoint]:
        """Rank after each decision that could move it, at most 200 of them, evenly chosen, the last included.

        What was decided does not change, so a point once computed is kept: after another decision one is added.
        """
        by = self.rater_of(view)
        telling = [
            entry.seq
            for entry, tables in self._store.history.touched()
            if tables & {"hypothesis", "evidence", "rating", "setting"}
        ]
        cells = max(1, len(self._store.evidence.all()) * len(self._store.hypotheses.all()))
        limit = max(2, min(MOST_POINTS, _POINT_CELLS // cells))
        # Every second, fourth, eighth ... decision and the last: most of those chosen stay chosen as the case grows.
        step = 1
        while -(-len(telling) // step) + 1 > limit and step < len(telling):
            step *= 2
        telling = [*telling[:-1:step], *telling[-1:]]
        points = {seq: self._points[seq, by] for seq in telling if (seq, by) in self._points}
        missing = [seq for seq in telling if seq not in points]
        for entry, state in self._store.history.states(missing) if missing else ():
            inputs = self.inputs(state, by)
            matrix = matrices.build(inputs.hypotheses, inputs.rows, priors=inputs.priors, linchpins=False)
            rule = DEFAULT_RULE
            points[entry.seq] = self._points[entry.seq, by] = TimePoint(
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
        return [points[seq] for seq in telling]

    def what_changed(self, before: str, after: str, view: str = "") -> Difference:
        """List every difference between two moments, and which, taken back alone, would change the ranking.

        Raises BadInput when the first moment is not before the second.
        """
        first, second = self._store.history.moment(before), self._store.history.moment(after)
        if first > second:
            raise BadInput(reason="The first moment is after the second.", remedy="Swap them.")
        by = self.rater_of(view)
        old, new = self._store.history.state_at(first), self._store.history.state_at(second)
        was, now = self.inputs(old, by), self.inputs(new, by)
        authors = {
            (item.evidence, item.hypothesis): (item.by, item.at)
            for item in new.assessments
            if by is None or item.by == by
        }
        moves = matrices.changes(
            (was.hypotheses, was.rows, was.priors), (now.hypotheses, now.rows, now.priors), authors
        )
        return Difference(
            matrices.build(was.hypotheses, was.rows, priors=was.priors, linchpins=False),
            matrices.build(now.hypotheses, now.rows, priors=now.priors, linchpins=False),
            tuple(moves),
        )

    def import_file(self, path: Path, progress: Progress | None = None, *, choose: str = "") -> MatrixImport:
        """Bring in a matrix that another program made: whole, in one's own name, as one decision; or nothing at all.

        Its hypotheses are added unless the case has one of the same text; its evidence is added as rows of one's own.
        Raises BadInput for a file that holds no matrix, SeveralMatrices where ``choose`` must name one.
        """
        progress = progress or silent()
        progress.step(0, 2, f"Reading {path.name or path}")
        reader = self._open.engines.viewer or self._open.engines.reader
        with progress.asking():
            table = reader.read_matrix(file_bytes(path, progress), path.name, choose=choose)
        progress.step(1, 2, f"Importing {path.name}")
        earlier = {evidence.text for evidence in self._store.evidence.all()}
        ids_before = {hypothesis.id for hypothesis in self._store.hypotheses.all()}
        rows: list[tuple[dict[str, str | None], dict[int, Rating]]] = []
        remarks: dict[tuple[int, int], tuple[str, str]] = {}
        for index, row in enumerate(table.rows):
            fields: dict[str, str | None] = {
                "text": row.text,
                "source": row.source,
                "date": row.date,
                "credibility": row.credibility,
                "relevance": row.relevance,
                "reliability": row.reliability,
                "information": row.information,
                "note": row.note,
                "kind": row.kind,
            }
            rows.append((fields, {n: cell.rating for n, cell in enumerate(row.cells) if cell.rating is not None}))
            remarks |= {(index, n): (cell.note, cell.confidence) for n, cell in enumerate(row.cells) if cell.rating}
        columns, ids = self._store.ratings.add_matrix(
            [(h.text, h.note) for h in table.hypotheses], rows, remarks=remarks
        )
        problems = table.problems
        again = sum(row.text in earlier for row in table.rows)
        if again:
            what = f"{again} of its pieces of evidence have the same text as one already in the case."
            problems += (Problem(path.name, what, "Undo the import, or remove the duplicates."),)
        progress.step(2, 2, "Matrix imported")
        ratings = sum(len(cells) for _, cells in rows)
        return MatrixImport(
            file=path.name,
            title=table.title,
            format=table.format,
            hypotheses=len(columns),
            matches=len(ids_before & set(columns)),
            evidence=len(ids),
            ratings=ratings,
            open_cells=len(ids) * len(columns) - ratings,
            problems=problems,
            left_out=table.left_out,
            rows=tuple(ids),
        )

    def forget(self) -> None:
        """Clear the computed matrices: before the case is read as its log says, and afterwards."""
        self._matrices.clear()


def removal_impact(
    evidence: Sequence[str],
    matrix: Matrix,
    without: Matrix,
    assessments: Iterable[Assessment],
    considerations: Iterable[Consideration] = (),
) -> RemovalImpact:
    """Find what rests on these rows: ``matrix`` counts them, ``without`` does not."""
    rows = set(evidence)
    cells = {(item.evidence, item.hypothesis) for item in assessments if item.evidence in rows}
    leaders, leaders_without = matrix.leaders.get(DEFAULT_RULE, ()), without.leaders.get(DEFAULT_RULE, ())
    mention = re.compile(rf"\b(?:{'|'.join(map(re.escape, evidence)) or '(?!)'})\b")
    sentences: list[str] = []
    if set(leaders) != set(leaders_without):
        few = matrices.both(evidence)
        now = matrices.outcome(leaders)
        sentences.append(f"{now[:1].upper()}{now[1:]}; without {few} {matrices.outcome(leaders_without, would=True)}.")
    sentences += [pin.sentence for pin in matrix.linchpins if rows & {pin.evidence, *pin.rows}]
    sentences += [words for words in matrix.warnings if mention.search(words)]
    sentences += [item.text for item in considerations if mention.search(item.text)]
    return RemovalImpact(
        tuple(evidence),
        tuple(sorted(cells, key=lambda cell: (matrices.natural(cell[0]), matrices.natural(cell[1])))),
        tuple(dict.fromkeys(sentences)),
        tuple(leaders),
        tuple(leaders_without),
    )
