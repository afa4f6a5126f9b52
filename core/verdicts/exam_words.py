"""What a result of the exam means to a person, in plain words and figures out of ten."""

from __future__ import annotations

from core.verdicts.exam import Class, Result

_CALLS: tuple[tuple[Class, str], ...] = (("contradicts", "against"), ("supports", "for"))


def trust(result: Result) -> list[str]:
    """Return sentences on how far verdicts can be relied on: what they call for and against, what they miss, where."""
    by_class = {row.label: row for row in result.classes}
    lines = []
    for label, side in _CALLS:
        row = by_class[label]
        lines.append(
            f"Of 10 passages that it says speak {side} a hypothesis, {_out_of_ten(row.precision)} do; of 10 that do, "
            f"it finds {_out_of_ten(row.recall)}."
        )
    indirect = result.half("clues")
    if indirect is not None and not indirect.beats_chance:
        lines.append(
            "Where a passage does not say it outright, it is not clearly better than chance: do not rely on its "
            "verdict."
        )
    elif indirect is not None:
        lines.append(
            f"It is right in {_out_of_ten(result.statements.value)} of 10 where a passage says it outright, and in "
            f"{_out_of_ten(indirect.accuracy.value)} of 10 where it only points to it."
        )
    return lines


def _out_of_ten(share: float) -> str:
    """Word a share as 'about 6', never as all or none of them."""
    tenths = round(10 * share)
    return f"about {tenths}" if 0 < tenths < 10 else "nearly all" if tenths else "hardly any"
