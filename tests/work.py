"""Work counted instead of timed: the same on a slow, a fast and a busy computer."""

from __future__ import annotations

import sys
from collections.abc import Callable


def calls(action: Callable[[], object]) -> int:
    """Count the calls of functions, written in Python or in C, that an action makes in this thread."""
    count = 0

    def note(_frame: object, event: str, _called: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    profile = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(profile)
    return count


def linear(action: Callable[[int], object], size: int) -> bool:
    """Whether twice the size takes at most about twice the calls; what is quadratic takes four times as many."""
    action(size // 8)  # what is imported or compiled once is not counted
    return calls(lambda: action(2 * size)) <= 2.6 * calls(lambda: action(size)) + 1_000
