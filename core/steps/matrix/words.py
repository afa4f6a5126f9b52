"""Plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 8  # so many ids are named in a sentence before "and 12 more"


def outcome(leaders: Sequence[str], *, would: bool = False) -> str:
    if not leaders:
        return "nothing bears on any hypothesis"
    if len(leaders) == 1:
        return f"{leaders[0]} would lead" if would else f"{leaders[0]} leads"
    return f"{both(leaders)} {'would be' if would else 'are'} tied"


def both(items: Sequence[str]) -> str:
    """'E1', 'E1 and E2', 'E1, E2 and E3', 'E1, ..., E8 and 12 more'."""
    if len(items) > _NAMED:
        return f"{', '.join(items[:_NAMED])} and {len(items) - _NAMED} more"
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def figure(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
