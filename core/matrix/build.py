"""The whole matrix from the ratings: scores, ranks, ties, flags, gaps, linchpins and warnings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.domain import DEFAULT_RULE, RULES, Gap, Matrix, MatrixRow
from core.matrix import linchpins as pins
from core.matrix.coverage import compare
from core.matrix.rules import (
    PENALTIES,
    Row,
    Table,
    arkham_count,
    bears,
    inconsistency_count,
    leaders,
    log_posteriors,
    natural,
    open_synthesis,
    posteriors,
    rank,
    separation,
    tabulate,
    weighted_inconsistency,
)
from core.matrix.sentences import warnings

_GAPS = 200  # so many gaps are listed, the most diagnostic first
_NOT_BEARING = bytes((0, 6))


def build(
    hypotheses: Sequence[str],
    rows: Sequence[Row],
    *,
    priors: Mapping[str, float] | None = None,
    pairs: bool = True,
    linchpins: bool = True,
) -> Matrix:
    """Score, rank and examine ``rows`` against ``hypotheses`` (ids, in the order of the columns).

    Ratings of hypotheses that are not listed are ignored. A hypothesis on which nothing bears (unrated or NA
    throughout) is last and cannot lead: silence is not support. Unless all are rated on the same rows (see
    ``coverage.compare``) nothing is ranked, nothing leads and nothing depends on a row. ``pairs`` False leaves out
    linchpins of two rows, ``linchpins`` False leaves out all of them. Raises BadInput for repeated ids and for unusable
    weights or priors, BadRating for an unknown rating.
    """
    hypotheses, rows = tuple(hypotheses), tuple(rows)
    table = tabulate(hypotheses, rows)
    names = table.hypotheses
    bearing = {h for h, count in zip(names, table.bearing, strict=True) if count}
    comparison = compare(table)
    comparable = comparison.state == "complete"
    logs = log_posteriors(table, priors)
    costs = {
        "weighted_inconsistency": weighted_inconsistency(table),
        "inconsistency_count": inconsistency_count(table),
        "open_synthesis": open_synthesis(table),
        "arkham_count": arkham_count(table),
        "bayes": [-value for value in logs],
    }
    values = {rule: [round(value, 12) for value in costs[rule]] for rule in RULES} | {"bayes": posteriors(logs)}
    scores = {rule: dict(zip(names, values[rule], strict=True)) for rule in RULES}
    ranks: dict[str, dict[str, int]] = {}
    leading: dict[str, tuple[str, ...]] = {}
    for rule in RULES:
        of_tested = {h: cost for h, cost in zip(names, costs[rule], strict=True) if h in bearing}
        places = rank(of_tested)
        ranks[rule] = {h: places.get(h, len(bearing) + 1) for h in hypotheses} if comparable else {}
        leading[rule] = leaders(of_tested) if comparable else ()
    critical = pins.linchpins(table, costs[DEFAULT_RULE], pairs=pairs) if linchpins and comparable else pins.NONE
    places = ranks[DEFAULT_RULE] or comparison.provisional
    matrix = Matrix(
        hypotheses=hypotheses,
        rows=tuple(_rows(table, hypotheses, rows, critical.alone)),
        scores={rule: {h: scores[rule][h] for h in hypotheses} for rule in RULES},
        ranks=ranks,
        leaders=leading,
        linchpins=critical.smallest,
        unrated=sum(column.count(0) for column in table.columns),
        rules_agree=comparable and len(set(leading.values())) == 1,
        order=_order(hypotheses, places),
        untested=tuple(h for h in names if h not in bearing),
        linchpin_counts=critical.counts,
        clusters=tuple(tuple(table.rows[index].id for index in cluster) for cluster in table.clusters),
        overlaps=_overlaps(table),
        unattacked=_in_order(hypotheses, _without_attacks(table)),
        gaps=tuple(itertools.islice(_gaps(table, costs[DEFAULT_RULE], leading[DEFAULT_RULE]), _GAPS)),
        one_source=_one_source(table),
        priors=_normal(hypotheses, priors),
        comparison=comparison,
    )
    return replace(matrix, warnings=tuple(warnings(matrix, rows)))


def _order(hypotheses: Sequence[str], places: Mapping[str, int]) -> tuple[str, ...]:
    """Order by rank, ties by id as wherever they are named; hypotheses without a rank come last."""
    last = len(hypotheses) + 1
    return tuple(sorted(hypotheses, key=lambda h: (places.get(h, last), natural(h))))


def _in_order(hypotheses: Sequence[str], those: set[str]) -> tuple[str, ...]:
    return tuple(h for h in hypotheses if h in those)


def _normal(hypotheses: Sequence[str], priors: Mapping[str, float] | None) -> dict[str, float]:
    """Scale priors so that they sum to 1; none where they are all alike."""
    if priors is None or len({priors[h] for h in hypotheses}) < 2:
        return {}
    total = sum(priors[h] for h in hypotheses)
    return {h: priors[h] / total for h in hypotheses}


def _rows(table: Table, hypotheses: Sequence[str], rows: Sequence[Row], alone: frozenset[str]) -> Iterator[MatrixRow]:
    place = {row.id: index for index, row in enumerate(table.rows)}
    cluster_names = {index: table.rows[cluster[0]].id for cluster in table.clusters for index in cluster}
    by_line: dict[bytes, tuple[float | None, float | None, tuple[str, ...]]] = {}
    for row in rows:
        index = place[row.id]
        line = table.lines[index]
        if line not in by_line:
            by_line[line] = (*separation(line), _flags(line))
        diagnosticity, spread, flags = by_line[line]
        cells = zip(hypotheses, map(row.ratings.get, hypotheses), strict=True)
        yield MatrixRow(
            row.id,
            {h: rating for h, rating in cells if rating} if 0 in line else dict(cells),  # type: ignore[arg-type]
            table.weights[index],
            diagnosticity,
            spread,
            (*flags, *(("linchpin",) if row.id in alone else ()), *row.marks),
            cluster_names.get(index, ""),
            table.shares[index],
        )


def _flags(line: bytes) -> tuple[str, ...]:
    """List what the analyst should know of a row (F12). The 'all' flags and 'uniform' need every cell rated."""
    if 0 in line:
        return ("unrated",)
    if not line:
        return ()
    flags = [
        flag
        for flag, codes in (("all_NA", b"\6"), ("all_C", b"\1\2"), ("all_N", b"\3"), ("all_I", b"\4\5"))
        if not line.strip(codes)
    ]
    if separation(line)[1] == 0:
        flags.append("uniform")
    return tuple(flags)


def _without_attacks(table: Table) -> set[str]:
    return {
        h
        for h, column, count in zip(table.hypotheses, table.columns, table.bearing, strict=True)
        if count and not column.translate(PENALTIES).strip(b"\0")
    }


def _overlaps(table: Table) -> tuple[tuple[str, ...], ...]:
    """Group hypotheses rated alike in every row; one row alone is no ground to say so."""
    groups: dict[bytes, list[str]] = {}
    for h, column, count in zip(table.hypotheses, table.columns, table.bearing, strict=True):
        if count > 1:
            groups.setdefault(column, []).append(h)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _one_source(table: Table) -> dict[str, str]:
    """Map hypotheses of whom all rated rows, two or more, come from one source that is named, to that source."""
    sources = [row.source for row in table.rows]
    sole_sources = {}
    for h, column, count in zip(table.hypotheses, table.columns, table.bearing, strict=True):
        if count > 1:
            behind = {source for source, code in zip(sources, column, strict=True) if code not in _NOT_BEARING}
            if len(behind) == 1 and (source := behind.pop()):
                sole_sources[h] = source
    return sole_sources


def _gaps(table: Table, costs: Sequence[float], leading: Sequence[str]) -> Iterator[Gap]:
    """Yield unrated cells of hypotheses tied at the top whose rating as I or II would end the tie.

    Rows that bear on another tied hypothesis come first, then heavier rows, then by id. A row that bears on nothing yet
    takes its share of its cluster only when it is rated; then the others count less.
    """
    if len(leading) < 2:
        return
    costs_of = {h: cost for h, cost, count in zip(table.hypotheses, costs, table.bearing, strict=True) if count}
    ties = [(index, h) for index, h in enumerate(table.hypotheses) if h in leading]
    cluster_of = {index: cluster for cluster in table.clusters for index in cluster}
    heaviest_first = sorted(range(len(table.rows)), key=lambda index: -table.counting[index])
    for telling in (True, False):
        for index in heaviest_first:
            line = table.lines[index]
            cells = bytes(line[column] for column, _ in ties)
            if 0 not in cells or bears(cells) != telling:
                continue
            for column, h in ties:
                if line[column]:
                    continue
                afterwards = [
                    leaders(_costs_if_rated(table, costs_of, index, h, penalty, cluster_of.get(index, ())))
                    for penalty in (1, 2)
                ]
                ends = [then for then in afterwards if then != leading]
                if ends:
                    yield Gap(table.rows[index].id, h, min(ends, key=len))


def _costs_if_rated(
    table: Table, costs: Mapping[str, float], index: int, h: str, penalty: int, cluster: Sequence[int]
) -> dict[str, float]:
    """Return the totals if row ``index`` were rated with ``penalty`` against ``h``."""
    members = [member for member in cluster if bears(table.lines[member])]
    if not members or index in members:
        return {**costs, h: costs[h] + table.counting[index] * penalty}
    size = len(members)
    after = dict(costs)
    for column, name in enumerate(table.hypotheses):
        if name in after:
            subtotal = sum(table.weights[member] * PENALTIES[table.lines[member][column]] for member in members)
            after[name] += subtotal / (size + 1) - subtotal / size
    after[h] += table.weights[index] * penalty / (size + 1)
    return after
