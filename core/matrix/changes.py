"""Single differences between two moments, and which of them, taken back alone, would change the ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain import Move, Rating
from core.matrix.rules import (
    Row,
    Table,
    leaders,
    log_posteriors,
    natural,
    rank,
    tabulate,
    weight,
    weighted_inconsistency,
)
from core.matrix.sentences import figure, order, outcome

# Hypotheses in order, rows, and priors (None: all alike): what a matrix is computed from.
Inputs = tuple[Sequence[str], Sequence[Row], Mapping[str, float] | None]
# (evidence, hypothesis) -> (who, when); a whole row has the hypothesis ''.
Authors = Mapping[tuple[str, str], tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Standing:
    """Totals of a rule by hypothesis; those on which nothing bears have none.

    ``complete``: all are rated on the same rows, without which nothing leads and there is no order.
    """

    costs: dict[str, float]
    complete: bool

    @property
    def comparable(self) -> dict[str, float]:
        """The totals where they can be compared, else none."""
        return self.costs if self.complete and len(self.costs) > 1 else {}

    @property
    def leaders(self) -> tuple[str, ...]:
        return leaders(self.comparable)

    def differs_from(self, earlier: _Standing) -> bool:
        """Return whether the leaders differ, or the order of the hypotheses that both have."""
        if self.leaders != earlier.leaders:
            return True
        left, right = self.comparable, earlier.comparable
        common = left.keys() & right.keys()
        return rank({h: left[h] for h in common}) != rank({h: right[h] for h in common})

    def order(self) -> str:
        """Write the order: 'H1 = H2 > H3', the leaders first."""
        return order(rank(self.comparable))


def changes(before: Inputs, after: Inputs, authors: Authors | None = None) -> tuple[Move, ...]:
    """List every single difference between two moments, those first that moved the ranking.

    A difference moved the ranking if taking it back alone, all else as at the later moment, changes the leaders or the
    order under the default rule (for priors: under the Bayes reading, as no other rule has any). The first rating of a
    cell is taken back with all ratings of its row: a row counts only when it is rated against every hypothesis. Kinds
    are 'rating' (one cell), 'evidence' and 'hypothesis' (added or removed, with their ratings), 'grade' (the weight of
    a row), 'upstream' (its cluster) and 'prior'. ``authors`` says who did it and when, where that is known.
    """
    author_of = authors or {}
    later = _Later(before, after)
    moves = []
    for move, standing in later.differences():
        by, moment = author_of.get((move.evidence, move.hypothesis), ("", ""))
        now = later.bayes(after) if move.kind == "prior" else later.now
        has_moved = standing.differs_from(now)
        without = f"with {move.evidence} unrated" if move.kind == "rating" and not move.before else "without that"
        if not has_moved:
            effect = f"{without}, the ranking would be the same"
        elif standing.leaders != now.leaders:
            effect = f"{without}, {outcome(standing.leaders, would=True)}"
        else:
            effect = f"{without}, the order would be {standing.order()}"
        moves.append(replace(move, by=by, at=moment, moved=has_moved, sentence=f"{move.sentence}; {effect}."))
    moves.sort(key=lambda move: not move.moved)
    return tuple(moves)


class _Later:
    """The later moment, and what becomes of it when one thing is taken back.

    Totals are sums over rows, and a row meets others only in its cluster. So for a change of one row only that row and
    the clusters that it is in, now and then, are counted again.
    """

    def __init__(self, before: Inputs, after: Inputs) -> None:
        self.before, self.after = before, after
        self.hypotheses = tuple(after[0])
        self.rows = {row.id: row for row in after[1]}
        self.earlier = {row.id: row for row in before[1]}
        self.together: dict[str, list[Row]] = {}
        for row in after[1]:
            if row.upstream:
                self.together.setdefault(row.upstream, []).append(row)
        self.totals, self.bearing, self.partial = _totals(self.hypotheses, after[1])
        self.now = self._standing(self.totals, self.bearing, self.partial)

    def differences(self) -> Iterator[tuple[Move, _Standing]]:
        """Yield each difference with the standing without it. The sentence says what happened."""
        hypotheses = set(self.hypotheses)
        for h in sorted({*self.before[0]} ^ hypotheses, key=natural):
            yield self._hypothesis(h, is_new=h in hypotheses)
        for id in sorted({*self.rows, *self.earlier}, key=natural):
            row, old = self.rows.get(id), self.earlier.get(id)
            if row is None or old is None:
                is_new = old is None
                move = _move("evidence", id, "", "", "added" if is_new else "removed", f"{id} was {_verb(is_new)}")
                yield move, self._with(row, old)
                if row is None:
                    continue
            else:
                yield from self._of_row(row, old)
            for h in self.hypotheses:
                was, now = (old.ratings.get(h) if old else None), row.ratings.get(h)
                if was == now:
                    continue
                ratings: Mapping[str, Rating] = {**row.ratings, h: was} if was else {}
                if was is None:
                    what = f"{id} was rated {now} against {h}"
                elif now is None:
                    what = f"{id} is no longer rated against {h} (it was {was})"
                else:
                    what = f"{id} against {h} went from {was} to {now}"
                yield (
                    _move("rating", id, h, was or "", now or "", what),
                    self._with(row, replace(row, ratings=ratings)),
                )
        earlier, later = _alike(self.before[2]), _alike(self.after[2])
        if earlier != later:
            # A hypothesis that the earlier priors do not know makes them unusable: then all are alike.
            usable = self.before[2] if self.before[2] and hypotheses <= self.before[2].keys() else None
            yield (
                _move("prior", "", "", _prior_words(earlier), _prior_words(later), "The priors were changed"),
                self.bayes((self.hypotheses, self.after[1], usable)),
            )

    def bayes(self, inputs: Inputs) -> _Standing:
        table = tabulate(inputs[0], inputs[1])
        logs = log_posteriors(table, inputs[2])
        costs = {h: -log for h, log, n in zip(table.hypotheses, logs, table.bearing, strict=True) if n}
        return _Standing(costs, complete=not _partial(table))

    def _of_row(self, row: Row, old: Row) -> Iterator[tuple[Move, _Standing]]:
        if weight(row) != weight(old):
            was, now = figure(weight(old)), figure(weight(row))
            move = _move("grade", row.id, "", was, now, f"The weight of {row.id} went from {was} to {now}")
            yield move, self._with(row, replace(row, weight=weight(old)))
        if row.upstream != old.upstream and self._cluster(self.after, row) != self._cluster(self.before, old):
            move = _move("upstream", row.id, "", old.upstream, row.upstream, f"The upstream of {row.id} was changed")
            yield move, self._with(row, replace(row, upstream=old.upstream))

    def _hypothesis(self, h: str, *, is_new: bool) -> tuple[Move, _Standing]:
        if is_new:
            rivals = [rival for rival in self.hypotheses if rival != h]
            standing = self._standing(*_totals(rivals, self.after[1]))
        else:
            back = [
                replace(row, ratings={**row.ratings, h: self.earlier[id].ratings[h]})
                if id in self.earlier and h in self.earlier[id].ratings
                else row
                for id, row in self.rows.items()
            ]
            standing = self._standing(*_totals((*self.hypotheses, h), back))
        return _move("hypothesis", "", h, "", "added" if is_new else "removed", f"{h} was {_verb(is_new)}"), standing

    def _cluster(self, inputs: Inputs, row: Row) -> frozenset[str]:
        if not row.upstream:
            return frozenset()
        return frozenset(member.id for member in inputs[1] if member.upstream == row.upstream)

    def _with(self, row: Row | None, substitute: Row | None) -> _Standing:
        """Return the standing with ``substitute`` in the place of ``row``; None: there is no such row."""
        upstreams = {part.upstream for part in (row, substitute) if part is not None and part.upstream}
        near = [member for upstream in upstreams for member in self.together.get(upstream, ())]
        neighbours = [member for member in near if row is None or member.id != row.id]
        current_rows = neighbours if row is None else [*neighbours, row]
        substitute_rows = neighbours if substitute is None else [*neighbours, substitute]
        current_totals, current_bearing, current_partial = _totals(self.hypotheses, current_rows)
        substitute_totals, substitute_bearing, substitute_partial = _totals(self.hypotheses, substitute_rows)
        totals = {h: total - current_totals[h] + substitute_totals[h] for h, total in self.totals.items()}
        bearing = {h: n - current_bearing[h] + substitute_bearing[h] for h, n in self.bearing.items()}
        return self._standing(totals, bearing, self.partial - current_partial + substitute_partial)

    def _standing(self, totals: Mapping[str, float], bearing: Mapping[str, int], partial: int) -> _Standing:
        return _Standing({h: total for h, total in totals.items() if bearing[h]}, complete=not partial)


def _totals(hypotheses: Sequence[str], rows: Sequence[Row]) -> tuple[dict[str, float], dict[str, int], int]:
    """Compute by hypothesis F2 and the number of bearing cells; and how many rows are rated against some only."""
    table = tabulate(hypotheses, rows)
    return (
        dict(zip(table.hypotheses, weighted_inconsistency(table), strict=True)),
        dict(zip(table.hypotheses, table.bearing, strict=True)),
        _partial(table),
    )


def _partial(table: Table) -> int:
    return sum(0 < line.count(0) < len(line) for line in table.lines)


def _move(kind: str, evidence: str, hypothesis: str, before: str, after: str, what: str) -> Move:
    return Move(kind, evidence, hypothesis, before, after, "", "", moved=False, sentence=what)


def _verb(is_new: bool) -> str:
    return "added" if is_new else "removed"


def _alike(priors: Mapping[str, float] | None) -> dict[str, float]:
    return dict(priors) if priors and len(set(priors.values())) > 1 else {}


def _prior_words(priors: Mapping[str, float]) -> str:
    return ", ".join(f"{h} {figure(priors[h])}" for h in sorted(priors, key=natural))
