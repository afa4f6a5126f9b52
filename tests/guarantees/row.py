"""What the program promises, row by row, and the checks that show it.

A check is a test of the suite, named once: what shows a promise in its own folder is not run a second time here.
"""

from __future__ import annotations

from dataclasses import dataclass

TIERS = (0, 1, 2)  # the default run; the long suites; the longest, by hand


@dataclass(frozen=True, slots=True)
class Check:
    """A test below ``tests/``, with all of its cases. ``n``: how often one case tries, where it does not say itself."""

    node: str
    n: int = 1
    tier: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A promise. ``figure`` is what is shown when every check passed, ``{n}`` is how often was tried.

    ``fault``: why it does not hold, or how far it does not; '' where it does. ``elsewhere``: what of it other code does
    on Windows or macOS, which was never run there; '' where the code is the same.
    """

    id: str
    promise: str
    figure: str
    checks: tuple[Check, ...]
    fault: str = ""
    elsewhere: str = ""


def checks(*entries: str | tuple[str, int] | tuple[str, int, int]) -> tuple[Check, ...]:
    return tuple(Check(entry) if isinstance(entry, str) else Check(*entry) for entry in entries)
