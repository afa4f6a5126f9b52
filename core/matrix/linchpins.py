"""Linchpins: every change, up to pairs of rows, that changes the leaders under the default rule.

Exact, not sampled. Three facts about F2 make it quick enough to be worked out after every keystroke. A cell moves the
total of its own hypothesis alone, so the gap to the next total says which cells are heavy enough. Removals add up, but
for rows of one cluster. And once no row of a pair changes the leaders alone, the pair does so only by bringing one
hypothesis down to the leader, so that the partners of a row are those from one place on in a sorted list.
"""

from __future__ import annotations

import heapq
import itertools
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from core.domain import Linchpin, Rating
from core.matrix.rules import NAMES, PENALTIES, ROUNDING, Table, bears, by_code, tolerance
from core.matrix.sentences import both, outcome

LISTED = 200  # so many are listed; all are counted
_OF_EACH = 25  # of every kind at least so many are listed, so that cells do not crowd out sources
# In this order where two changes are equally small.
KINDS = ("one_step", "flip", "remove", "pair", "source", "deception", "grade", "drop_hypothesis")
GRADES = "ABCDE"  # of reliability, best first; F says that it cannot be judged, which is no worse grade

_MIRROR = bytes((0, 5, 4, 3, 2, 1, 6)).ljust(256, b"\0")  # the opposite of a code
_MIRRORED = bytes(PENALTIES[code] for code in _MIRROR)  # the penalty of the opposite
_TURN: bytes = by_code({"CC": 2, "C": 1, "I": 1, "II": 2})  # how far the penalty moves when the cell is turned
# (kind, code before, code after) of a change to one cell that moves its penalty.
_CELL_CHANGES = tuple(
    (kind, before, after)
    for before in range(1, 6)
    for kind, after in (("one_step", before - 1), ("one_step", before + 1), ("flip", 6 - before))
    if 1 <= after <= 5 and PENALTIES[before] != PENALTIES[after] and (kind == "one_step" or before != 3)
)


@dataclass(frozen=True, slots=True)
class Linchpins:
    """Changes that alter the leaders.

    ``smallest``: the smallest of them, in order; ``counts``: how many there are of each kind; ``alone``: rows whose
    removal alone alters the leaders.
    """

    smallest: tuple[Linchpin, ...]
    counts: dict[str, int]
    alone: frozenset[str]


NONE = Linchpins((), {}, frozenset())


@dataclass(frozen=True, slots=True)
class _Change:
    """A change before it is put in words. ``where`` orders equals: positions of rows, then of the hypothesis."""

    size: float
    kind: str
    where: tuple[int, ...]
    leaders: tuple[int, ...]
    hypothesis: int = -1
    before: int = 0
    after: int = 0
    label: str = ""

    @property
    def key(self) -> tuple[float, int, tuple[int, ...], int, int, str]:
        return (self.size, KINDS.index(self.kind), self.where, self.hypothesis, self.after, self.label)


def linchpins(table: Table, costs: Sequence[float], *, pairs: bool = True) -> Linchpins:
    """Find every change that changes the leaders under F2 (``costs``, by column): see KINDS.

    A tie that becomes a lead, or a lead that becomes a tie, is a change. The size of a change is the penalty in the
    cells that it removes or moves. ``pairs`` False leaves out pairs of rows.
    """
    race = _Race.of(table, costs)
    counts = dict.fromkeys(KINDS if pairs else (kind for kind in KINDS if kind != "pair"), 0)
    if not race.leaders:
        return Linchpins((), counts, frozenset())
    first: dict[str, list[_Change]] = {kind: [] for kind in counts}
    alone = race.alone()
    for kind, changes_of_kind in (
        ("remove", alone),
        ("source", list(race.sources())),
        ("deception", list(race.deceptions())),
        ("grade", list(race.grades())),
        ("drop_hypothesis", list(race.drops())),
    ):
        counts[kind] = len(changes_of_kind)
        first[kind] = heapq.nsmallest(LISTED, changes_of_kind, key=lambda change: change.key)
    for kind, number, smallest in race.cells():
        counts[kind] += number
        first[kind] = smallest
    if pairs:
        counts["pair"], first["pair"] = race.pairs({change.where[0] for change in alone})
    smallest_of_each = [change for changes in first.values() for change in changes[:_OF_EACH]]
    further = heapq.nsmallest(
        max(0, LISTED - len(smallest_of_each)),
        itertools.chain.from_iterable(changes[_OF_EACH:] for changes in first.values()),
        key=lambda change: change.key,
    )
    return Linchpins(
        smallest=tuple(
            race.in_words(change) for change in sorted(smallest_of_each + further, key=lambda change: change.key)
        ),
        counts=counts,
        alone=frozenset(table.rows[change.where[0]].id for change in alone),
    )


def _first(costs: Sequence[float]) -> tuple[int, ...]:
    """List the positions of the smallest costs, ties up to rounding; inf stands for a hypothesis that is out.

    Of fewer than two that are left none leads: there is nothing to compare it with.
    """
    if len(costs) - costs.count(math.inf) < 2:
        return ()
    best = min(costs)
    limit = best + ROUNDING * max(1.0, best)
    return tuple(index for index, cost in enumerate(costs) if cost <= limit)


@dataclass(frozen=True, slots=True)
class _Race:
    """The hypotheses that something bears on, their costs, and of every row what it adds to them.

    Positions of hypotheses are those among ``in_play``, which has their places in the table.
    """

    table: Table
    in_play: tuple[int, ...]
    costs: tuple[float, ...]
    leaders: tuple[int, ...]
    lines: tuple[bytes, ...]  # codes of a row against the tested hypotheses
    penalties: tuple[bytes, ...]
    bearing: tuple[int, ...]
    cluster: dict[int, int]  # row -> its cluster; only rows that bear on something
    members: tuple[tuple[int, ...], ...]  # rows of a cluster that bear on something
    sums: tuple[tuple[float, ...], ...]  # weight * penalty over the members of a cluster

    @classmethod
    def of(cls, table: Table, costs: Sequence[float]) -> _Race:
        in_play = tuple(index for index, count in enumerate(table.bearing) if count)
        lines = table.lines
        if len(in_play) < len(table.hypotheses):
            columns = [table.columns[index] for index in in_play]
            lines = tuple(map(bytes, zip(*columns, strict=True))) if in_play else tuple(b"" for _ in table.rows)
        costs_in_play = tuple(costs[index] for index in in_play)
        penalties = tuple(line.translate(PENALTIES) for line in lines)
        members = tuple(tuple(index for index in cluster if bears(table.lines[index])) for cluster in table.clusters)
        return cls(
            table=table,
            in_play=in_play,
            costs=costs_in_play,
            leaders=_first(costs_in_play),
            lines=lines,
            penalties=penalties,
            bearing=tuple(table.bearing[index] for index in in_play),
            cluster={index: number for number, those in enumerate(members) for index in those},
            members=members,
            sums=tuple(
                tuple(_sum([[table.weights[index] * p for p in penalties[index]] for index in those], len(in_play)))
                for those in members
            ),
        )

    # --- rows that go ------------------------------------------------------------------------------------------------

    def without(self, rows: Sequence[int]) -> tuple[int, ...]:
        """Return who leads once ``rows`` (that bear on something) are gone."""
        weights = self.table.weights
        by_cluster: dict[int, set[int]] = {}
        parts = [list(self.costs)]
        for index in rows:
            number = self.cluster.get(index)
            if number is None:
                parts.append([-weights[index] * p for p in self.penalties[index]])
            else:
                by_cluster.setdefault(number, set()).add(index)
        for number, removals in by_cluster.items():
            left = [index for index in self.members[number] if index not in removals]
            size = len(self.members[number])
            parts.append([-total / size for total in self.sums[number]])
            parts.extend([weights[index] / len(left) * p for p in self.penalties[index]] for index in left)
        costs = _sum(parts, len(self.costs))
        if len(rows) >= min(self.bearing):
            cells_of_rows = zip(*(self.lines[index] for index in rows), strict=True)
            for h, cells in enumerate(cells_of_rows):
                if self.bearing[h] == len(cells) - cells.count(0) - cells.count(6):
                    costs[h] = math.inf
        return _first(costs)

    def reduction(self, index: int) -> list[float]:
        """Return what every total loses with row ``index``, which bears on something; its cluster then counts more."""
        weight, number = self.table.weights[index], self.cluster.get(index)
        shares = [weight * p for p in self.penalties[index]]
        if number is None or len(self.members[number]) == 1:
            return shares
        size = len(self.members[number])
        return [total / size - (total - x) / (size - 1) for total, x in zip(self.sums[number], shares, strict=True)]

    def size(self, rows: Iterable[int]) -> float:
        """Sum the penalty in ``rows`` as it counts."""
        counting = self.table.counting
        return round(math.fsum(counting[index] * sum(self.penalties[index]) for index in rows), 12)

    def alone(self) -> list[_Change]:
        """Find rows whose removal alone changes the leaders; rows alike in cells and weight are tried once."""
        changes: list[_Change] = []
        leaders_after: dict[tuple[float, bytes], tuple[int, ...]] = {}
        rare = [h for h, count in enumerate(self.bearing) if count == 1]
        for index, line in enumerate(self.lines):
            if not bears(line):
                continue
            weight, penalties = self.table.weights[index], self.penalties[index]
            if index in self.cluster or any(line[h] not in (0, 6) for h in rare):
                after = self.without((index,))
            elif (weight, penalties) in leaders_after:
                after = leaders_after[weight, penalties]
            else:
                after = _first([cost - weight * p for cost, p in zip(self.costs, penalties, strict=True)])
                leaders_after[weight, penalties] = after
            if after != self.leaders:
                changes.append(_Change(self.size((index,)), "remove", (index,), after))
        return changes

    def by_source(self) -> dict[str, list[int]]:
        """Map sources to their rows that bear on something."""
        sources: dict[str, list[int]] = {}
        for index, row in enumerate(self.table.rows):
            if row.source and bears(self.lines[index]):
                sources.setdefault(row.source, []).append(index)
        return sources

    def sources(self) -> Iterator[_Change]:
        """Find sources without which others lead."""
        for source, rows in self.by_source().items():
            after = self.without(rows)
            if after != self.leaders:
                yield _Change(self.size(rows), "source", tuple(rows), after, label=source)

    def grades(self) -> Iterator[_Change]:
        """Find sets of rows by grade; a set is named once, by the lowest grade above all of it."""
        worse: list[int] = []
        for place in range(len(GRADES) - 1, 0, -1):
            of_grade = [
                index
                for index, row in enumerate(self.table.rows)
                if row.reliability == GRADES[place] and bears(self.lines[index])
            ]
            worse += of_grade
            if of_grade and (after := self.without(worse)) != self.leaders:
                yield _Change(self.size(worse), "grade", tuple(sorted(worse)), after, label=GRADES[place - 1])

    # --- a source that lies ------------------------------------------------------------------------------------------

    def deceptions(self) -> Iterator[_Change]:
        """Turn all rows of a source to their opposite: CC to II, C to I and back; N and NA stay."""
        counting = self.table.counting
        for source, rows in self.by_source().items():
            parts = [list(self.costs)]
            for index in rows:
                weight, opposites = counting[index], self.lines[index].translate(_MIRRORED)
                parts.append([weight * (new - old) for new, old in zip(opposites, self.penalties[index], strict=True)])
            after = _first(_sum(parts, len(self.costs)))
            if after != self.leaders:
                shift = round(
                    math.fsum(counting[index] * sum(self.lines[index].translate(_TURN)) for index in rows), 12
                )
                yield _Change(shift, "deception", tuple(rows), after, label=source)

    # --- a rival that goes -------------------------------------------------------------------------------------------

    def drops(self) -> Iterator[_Change]:
        """Find rivals whose removal alters the leaders.

        A sole leader is skipped, as its removal always does, and so is either of only two. Totals do not depend on each
        other, but rows that bear on the rival alone leave their cluster.
        """
        for h, cost in enumerate(self.costs):
            if self.leaders == (h,) or len(self.costs) == 2:
                continue
            parts = [list(self.costs)]
            for number, members in enumerate(self.members):
                left = sum(bears(self.lines[index][:h] + self.lines[index][h + 1 :]) for index in members)
                if 0 < left < len(members):
                    parts.append([total / left - total / len(members) for total in self.sums[number]])
            costs = _sum(parts, len(self.costs))
            costs[h] = math.inf
            after = _first(costs)
            if after != self.leaders:
                yield _Change(round(cost, 12), "drop_hypothesis", (), after, hypothesis=h)

    # --- one cell ----------------------------------------------------------------------------------------------------

    def cells(self) -> Iterator[tuple[str, int, list[_Change]]]:
        """Count the steps and the flips that change the leaders, each with the smallest."""
        counting = self.table.counting
        order = sorted(range(len(counting)), key=counting.__getitem__)
        heaviest = counting[order[-1]] if order else 0.0
        numbers = dict.fromkeys(("one_step", "flip"), 0)
        runs: dict[str, list[Iterator[_Change]]] = {"one_step": [], "flip": []}
        for h in range(len(self.costs)):
            up, down = self._least_shift(h, by=1), self._least_shift(h, by=-1)
            if 2 * heaviest < min(up, down):
                continue
            buckets: list[list[int]] = [[] for _ in NAMES]
            column = self.table.columns[self.in_play[h]]
            for index in order:
                buckets[column[index]].append(index)
            for kind, before, after in _CELL_CHANGES:
                step = PENALTIES[after] - PENALTIES[before]
                cells = buckets[before]
                start = bisect_left(cells, (up if step > 0 else down) / abs(step), key=counting.__getitem__)
                numbers[kind] += len(cells) - start
                runs[kind].append(self._moves(kind, h, before, after, cells[start : start + LISTED]))
        for kind, number in numbers.items():
            in_order = heapq.merge(*runs[kind], key=lambda change: change.key)
            yield kind, number, list(itertools.islice(in_order, LISTED))

    def _least_shift(self, h: int, *, by: int) -> float:
        """Return the least that the total of ``h`` must rise (``by`` 1) or fall (-1) for other leaders, else inf."""
        cost, best = self.costs[h], min(self.costs)
        least = tolerance(best) * (1 + 1e-3)
        if len(self.leaders) > 1 and h in self.leaders:
            return least
        if by > 0:
            rivals = [total for index, total in enumerate(self.costs) if index != h]
            return max(least, min(rivals) - cost - least) if self.leaders == (h,) and rivals else math.inf
        return math.inf if h in self.leaders else max(least, cost - best - least)

    def _moves(self, kind: str, h: int, before: int, after: int, rows: Sequence[int]) -> Iterator[_Change]:
        for index in rows:
            shift = self.table.counting[index] * (PENALTIES[after] - PENALTIES[before])
            costs = list(self.costs)
            costs[h] += shift
            yield _Change(round(abs(shift), 12), kind, (index,), _first(costs), h, before, after)

    # --- two rows ----------------------------------------------------------------------------------------------------

    def pairs(self, alone: set[int]) -> tuple[int, list[_Change]]:
        """Count the pairs of rows that change the leaders though neither row does, with the smallest.

        Let L be the leaders and l one of them. A row that changes nothing alone takes as much from every leader, so a
        pair changes the leaders if and only if for some h outside L what the two take from h beyond what they take from
        l reaches the gap between them. For each h that is one walk from both ends of a sorted list; the union over all
        h is kept as one row of bits for each row.
        """
        rows = [index for index, line in enumerate(self.lines) if index not in alone and bears(line)]
        sizes = {index: self.table.counting[index] * sum(self.penalties[index]) for index in rows}
        rows.sort(key=lambda index: (sizes[index], index))
        place = {index: bit for bit, index in enumerate(rows)}
        partners = [0] * len(rows)
        lead = self.leaders[0]
        rivals = [h for h in range(len(self.costs)) if h not in self.leaders]
        # Removing a row takes at most 2 weights from a rival, and in a cluster gives the leader at most 2 more.
        reach = 4 * max((self.table.weights[index] for index in rows), default=0.0)
        if any(self.costs[h] - self.costs[lead] <= 2 * reach for h in rivals):
            reductions = [self.reduction(index) for index in rows]
            of_lead = list(map(itemgetter(lead), reductions))
            for h in rivals:
                beyond = [
                    (value, bit)
                    for bit, (losses, less) in enumerate(zip(reductions, of_lead, strict=True))
                    if (value := losses[h] - less) > 0 and not self._only(h, rows[bit])
                ]
                _join(beyond, self.costs[h] - self.costs[lead], partners)
        special: set[tuple[int, int]] = set()
        for number, members in enumerate(self.members):
            bits = [place[index] for index in members if index in place]
            if len(bits) > 1:
                self._within(number, bits, rows, partners)
                if len(members) == 2:
                    special.add((bits[0], bits[1]))
        for h, count in enumerate(self.bearing):
            if count == 2:  # the two rows that alone bear on h: without them it is out
                cells = self.table.columns[self.in_play[h]]
                a, b = (index for index, cell in enumerate(cells) if cell not in (0, 6))
                if a in place and b in place:
                    special.add((place[a], place[b]))
        sole = self._sole_bearers()
        if len(sole) > 1 and len(self.costs) - len(sole) < 2:  # without two of them a single hypothesis may be left
            special |= set(itertools.combinations(sorted({place[index] for index in sole if index in place}), 2))
        for a, b in special:
            changes = self.without((rows[a], rows[b])) != self.leaders
            for left, right in ((a, b), (b, a)):
                partners[left] = partners[left] | 1 << right if changes else partners[left] & ~(1 << right)
        partners = [mask & ~(1 << bit) for bit, mask in enumerate(partners)]
        smallest = []
        for a, b in itertools.islice(_smallest_pairs(partners, [sizes[index] for index in rows]), LISTED):
            both_rows = tuple(sorted((rows[a], rows[b])))
            smallest.append(_Change(self.size(both_rows), "pair", both_rows, self.without(both_rows)))
        return sum(mask.bit_count() for mask in partners) // 2, sorted(smallest, key=lambda change: change.key)

    def _sole_bearers(self) -> list[int]:
        """List the rows that alone bear on a hypothesis, one for each such hypothesis."""
        columns = (self.table.columns[self.in_play[h]] for h, count in enumerate(self.bearing) if count == 1)
        return [next(index for index, cell in enumerate(column) if cell not in (0, 6)) for column in columns]

    def _only(self, h: int, index: int) -> bool:
        """Return whether row ``index`` alone bears on ``h``; without it ``h`` is out and cannot lead."""
        return self.bearing[h] == 1 and self.lines[index][h] not in (0, 6)

    def _within(self, number: int, bits: Sequence[int], rows: Sequence[int], partners: list[int]) -> None:
        """Update ``partners`` for pairs within one cluster, whose other rows then count 1 / (size - 2) each."""
        size, sums = len(self.members[number]), self.sums[number]
        all_bits = 0
        for bit in bits:
            all_bits |= 1 << bit
        for bit in bits:
            partners[bit] &= ~all_bits
        if size == 2:
            return
        lead = self.leaders[0]
        base = [cost - total / size + total / (size - 2) for cost, total in zip(self.costs, sums, strict=True)]
        for h in range(len(self.costs)):
            if h not in self.leaders:
                beyond = [
                    (
                        self.table.weights[index]
                        / (size - 2)
                        * (self.penalties[index][h] - self.penalties[index][lead]),
                        bit,
                    )
                    for bit, index in ((bit, rows[bit]) for bit in bits)
                    if not self._only(h, index)
                ]
                _join(beyond, base[h] - base[lead], partners)

    # --- in words ----------------------------------------------------------------------------------------------------

    def in_words(self, change: _Change) -> Linchpin:
        """Put a change in words, with the ids of its rows and hypotheses."""
        names = [self.table.hypotheses[index] for index in self.in_play]
        rows = tuple(self.table.rows[index].id for index in change.where)
        leaders = tuple(names[h] for h in change.leaders)
        hypothesis = names[change.hypothesis] if change.hypothesis >= 0 else None
        before, after = NAMES[change.before], NAMES[change.after]
        return Linchpin(
            change=change.kind,
            evidence=rows[0] if rows else "",
            leaders=leaders,
            hypothesis=hypothesis,
            before=before,
            after=after,
            size=change.size,
            sentence=_sentence(change, rows, hypothesis, before, after, leaders),
            rows=rows,
            label=change.label,
        )


def _sentence(
    change: _Change,
    rows: Sequence[str],
    hypothesis: str | None,
    before: Rating | None,
    after: Rating | None,
    leaders: Sequence[str],
) -> str:
    match change.kind:
        case "one_step" | "flip":
            return (
                f"If {rows[0]} against {hypothesis} were {after} instead of {before}, {outcome(leaders, would=True)}."
            )
        case "source":
            return f"Without the source {change.label} ({both(rows)}), {outcome(leaders)}."
        case "deception":
            opposite = "turned to its opposite" if len(rows) == 1 else "turned to their opposite"
            return f"If the source {change.label} deceives ({both(rows)} {opposite}), {outcome(leaders, would=True)}."
        case "grade":
            return f"Without everything graded worse than {change.label} ({both(rows)}), {outcome(leaders)}."
        case "drop_hypothesis":
            return f"Without the hypothesis {hypothesis}, {outcome(leaders)}."
        case _:
            return f"Without {both(rows)}, {outcome(leaders)}."


def _sum(parts: Sequence[Sequence[float]], width: int) -> list[float]:
    """Sum vectors, exactly up to the last rounding."""
    return list(map(math.fsum, zip(*parts, strict=True))) if parts else [0.0] * width


def _join(values: Sequence[tuple[float, int]], gap: float, partners: list[int]) -> None:
    """Set in ``partners`` the bits of all pairs whose two values together reach ``gap``, up to rounding."""
    in_order = sorted(values)
    limit = gap - tolerance(gap)
    if not in_order or 2 * in_order[-1][0] < limit:
        return
    high, mask = len(in_order), 0
    for value, bit in in_order:
        while high and in_order[high - 1][0] + value >= limit:
            high -= 1
            mask |= 1 << in_order[high][1]
        if mask:
            partners[bit] |= mask


def _smallest_pairs(partners: Sequence[int], sizes: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Yield pairs (a < b) whose bits are set, the smallest sum of sizes first; ``sizes`` ascend."""
    heap: list[tuple[float, int, int]] = []

    def push(a: int, beyond: int) -> None:
        remaining = partners[a] >> (beyond + 1)
        if remaining:
            b = beyond + (remaining & -remaining).bit_length()
            heapq.heappush(heap, (sizes[a] + sizes[b], a, b))

    for a in range(len(partners)):
        push(a, a)
    while heap:
        _, a, b = heapq.heappop(heap)
        yield a, b
        push(a, b)
