"""Coverage: hypotheses can be compared, and one may lead, only where all are rated on the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.domain import Comparison
from core.matrix.rules import Table, rank, tabulate, weighted_inconsistency
from core.matrix.sentences import both, count

_NAMED = 3  # rows named with what is missing in them


def compare(table: Table) -> Comparison:
    """Return how far the hypotheses of ``table`` are rated on the same rows, and whether one of them can lead.

    The rule: *every row that is rated at all is rated against every hypothesis*, and something bears on two hypotheses
    at least. Then the comparison is complete. A row nobody has rated disturbs nothing, as it speaks for and against
    nobody. A row rated against some hypotheses only makes the comparison incomplete, because each rating moves its own
    hypothesis alone: the others would lead by not having been looked at.

    NA is a rating: somebody looked and found that the row does not bear. All hypotheses of the table are compared,
    whatever their kind and whenever they were added, so that a new one suspends the lead until it is rated on the rows
    that the others are rated on. A copy of a report is a row like any other. The rows of the table are those of the
    view: the ratings of one person or of the group, as of a moment, without the rows that are set aside.
    """
    names, wide, size = table.hypotheses, len(table.hypotheses), len(table.rows)
    blanks = [line.count(0) for line in table.lines]
    counts = {h: size - column.count(0) for h, column in zip(names, table.columns, strict=True)}
    missing = tuple(
        (table.rows[index].id, names[column])
        for index, blank in enumerate(blanks)
        if 0 < blank < wide
        for column, code in enumerate(table.lines[index])
        if not code
    )
    comparison = Comparison(rated=counts, rows=size, common=blanks.count(0) if wide else 0, missing=missing)
    if why := _nothing_to_compare(table, comparison):
        return replace(comparison, state="none", sentence=why)
    if not missing:
        return comparison
    ranks, rows = _provisional(table, counts)
    sentence = _incomplete(comparison)
    return replace(comparison, state="incomplete", sentence=sentence, provisional=ranks, provisional_rows=rows)


def _nothing_to_compare(table: Table, comparison: Comparison) -> str:
    """Return why nothing could lead however the open cells were rated alike; '' where a lead is possible."""
    if not table.hypotheses:
        return "There are no hypotheses yet."
    if not table.rows:
        return "There is no evidence yet and nothing is rated yet, so no hypothesis leads."
    if not any(comparison.rated.values()):
        cells = len(table.rows) * len(table.hypotheses)
        return f"Nothing is rated yet ({count(cells, 'cell is', 'cells are')} open), so no hypothesis leads."
    if len(table.hypotheses) == 1:
        return f"{table.hypotheses[0]} has no rival, so there is nothing to compare it with."
    if comparison.missing:
        return ""
    subjects = [h for h, bearing in zip(table.hypotheses, table.bearing, strict=True) if bearing]
    if not subjects:
        return "Every rated cell is NA: nothing bears on any hypothesis, so no hypothesis leads."
    if len(subjects) == 1:
        (only,) = subjects
        return f"Everything rated bears on {only} alone, so there is nothing to compare it with and nothing leads."
    return ""


def _incomplete(comparison: Comparison) -> str:
    never = [h for h, rows in comparison.rated.items() if not rows]
    of_row: dict[str, list[str]] = {}
    for row, h in comparison.missing:
        if h not in never:
            of_row.setdefault(row, []).append(h)
    parts = [f"{both(never)} {'is' if len(never) == 1 else 'are'} not rated at all"] if never else []
    if len(of_row) > _NAMED:
        cells = sum(map(len, of_row.values()))
        parts.append(f"{both(list(of_row))} are rated against some of them only ({count(cells, 'cell', 'cells')} open)")
    else:
        parts += [f"{row} is not rated against {both(those)}" for row, those in of_row.items()]
    return f"No hypothesis leads yet, because the hypotheses are not all rated on the same rows: {'; '.join(parts)}."


def _provisional(table: Table, counts: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """Rank the hypotheses that are rated at all, under the default rule, on the rows rated against all of these."""
    in_play = [h for h in table.hypotheses if counts[h]]
    rows = [row for row in table.rows if all(h in row.ratings for h in in_play)]
    if len(in_play) < 2 or not rows:
        return {}, 0
    part = tabulate(in_play, rows)
    costs = zip(part.hypotheses, weighted_inconsistency(part), part.bearing, strict=True)
    ranks = rank({h: cost for h, cost, bearing in costs if bearing})
    return (ranks, len(rows)) if len(ranks) > 1 else ({}, 0)
