"""What the conclusion hangs on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.domain import Linchpin
from core.steps.matrix.rules import PENALTY, STEPS, Row, natural, weight
from core.steps.matrix.rules import leaders as leaders_of
from core.steps.matrix.words import outcome


def linchpins(
    tested: Sequence[str], rows: Sequence[Row], bearing: Mapping[str, int], costs: Mapping[str, float]
) -> tuple[Linchpin, ...]:
    """Every single removal of a row and every single step of a cell on CC-C-N-I-II that changes the leaders under F2.

    Smallest first, by the penalty moved; a cell goes before a row. Totals change by differences, so that 200 rows and 8
    hypotheses stay far under a tenth of a second. A tie that becomes a lead, or a lead that becomes a tie, is a change.
    """
    before = {h: costs[h] for h in tested}
    leaders = leaders_of(before)
    found: list[Linchpin] = []
    for row in rows:
        w = weight(row)
        left = {
            h: cost - w * PENALTY[row.ratings[h]] if h in row.ratings else cost
            for h, cost in before.items()
            if bearing[h] > (row.ratings.get(h, "NA") != "NA")
        }
        after = leaders_of(left)
        if after != leaders:
            size = math.fsum(w * PENALTY[rating] for rating in row.ratings.values())
            sentence = f"Without {row.id}, {outcome(after)}."
            found.append(Linchpin("remove", row.id, after, size=round(size, 12), sentence=sentence))
        for h, old in row.ratings.items():
            if old == "NA":
                continue
            at = STEPS.index(old)
            for new in STEPS[max(0, at - 1) : at] + STEPS[at + 1 : at + 2]:
                moved = w * (PENALTY[new] - PENALTY[old])
                if not moved or (moved > 0 and h not in leaders):
                    continue
                after = leaders_of(before | {h: before[h] + moved})
                if after != leaders:
                    sentence = f"If {row.id} against {h} were {new} instead of {old}, {outcome(after, would=True)}."
                    found.append(Linchpin("one_step", row.id, after, h, old, new, round(abs(moved), 12), sentence))
    found.sort(
        key=lambda c: (c.size, c.change != "one_step", natural(c.evidence), natural(c.hypothesis or ""), c.after or "")
    )
    return tuple(found)
