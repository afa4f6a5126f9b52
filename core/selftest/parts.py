"""Results of the self-test, one for each part of the program, as values, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from core.errors import remedy

State = Literal["ok", "failed", "not installed", "not available"]
_ABSENT: tuple[State, ...] = ("not installed", "not available")

FETCH = remedy("Install the program again, or fetch the models with: python3 packaging/bootstrap.py models")
REINSTALL = "Install the program again. If the part fails again, report it with this table."


class PartFailed(Exception):
    """A part that does not do what it should: what was seen, and what a person can do about it."""

    def __init__(self, reason: str, remedy: str = REINSTALL) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


class PartLeftOut(Exception):
    """A part that this program or this system need not have: ``state`` says which, ``reason`` what it is without."""

    def __init__(self, state: Literal["not installed", "not available"], reason: str) -> None:
        super().__init__(reason)
        self.state: State = state
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the program as it was tried: the seconds it took, what was seen, and the remedy where it failed."""

    name: str
    state: State
    seconds: float
    note: str
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Return whether nothing is wrong with it: it works, or it need not be here."""
        return self.state != "failed"

    def facts(self) -> dict[str, Any]:
        """Return the fields of the contract."""
        return {
            "name": self.name,
            "ok": self.ok,
            "state": self.state,
            "seconds": round(self.seconds, 2),
            "note": self.note,
            "remedy": self.remedy,
        }

    def line(self) -> str:
        """Return it as a line of the table."""
        word = "FAILED" if self.state == "failed" else self.state
        return f"{word:<14}{self.seconds:6.2f} s  {self.name}: {self.note}"

    def lines(self) -> list[str]:
        """Return its line, and its remedy below it where it failed."""
        return [self.line(), *([f"{'':<24}{self.remedy}"] if self.remedy else [])]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a self-test: every part in the order in which it was tried."""

    parts: tuple[Part, ...]

    @property
    def ok(self) -> bool:
        """Return whether no part failed."""
        return all(part.ok for part in self.parts)

    def facts(self) -> dict[str, Any]:
        """Return the fields of the contract."""
        return {"parts": [part.facts() for part in self.parts], "ok": self.ok}

    def sentence(self) -> str:
        """Return in one sentence how it ended."""
        names = {state: ", ".join(part.name for part in self.parts if part.state == state) for state in _ABSENT}
        absent = "".join(
            f" {state.capitalize()}: {names_of_state}." for state, names_of_state in names.items() if names_of_state
        )
        failures = [part.name for part in self.parts if not part.ok]
        if failures:
            verb = "fails" if len(failures) == 1 else "fail"
            return f"{len(failures)} of {len(self.parts)} parts {verb}: {', '.join(failures)}.{absent}"
        count, seconds = sum(part.state == "ok" for part in self.parts), sum(part.seconds for part in self.parts)
        return f"{count} {'part works' if count == 1 else 'parts work'}: {seconds:.0f} s.{absent}"

    def lines(self) -> list[str]:
        """Return the table as text, a line or two a part, and how it ended."""
        return [*(line for part in self.parts for line in part.lines()), self.sentence()]
