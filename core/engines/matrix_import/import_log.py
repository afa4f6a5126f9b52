"""What is noted while a matrix of another program is read, and the errors of a file that is not imported."""

from __future__ import annotations

from core.errors import BadInput, Problem

MAX_UNPACKED_BYTES = 64_000_000  # bytes of what it unpacks to
MAX_HYPOTHESES = 200
MAX_ROWS = 20_000
MAX_PROBLEMS = 200  # listed one by one; more are counted


class ImportLog:
    """The remarks on a file, gathered while it is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[Problem] = []
        self.left_out: list[str] = []
        self._more = 0
        self._places: dict[tuple[str, str], list[str]] = {}

    def problem(self, where: str, what: str, hint: str) -> None:
        """Add a remark on one place; beyond ``MAX_PROBLEMS`` they are only counted."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(shorten(where, 80), shorten(what, 300), hint))
        else:
            self._more += 1

    def unknown_rating(self, where: str, value: str) -> None:
        """Add that a cell holds no rating, and was left unrated."""
        self.problem(where, f"“{shorten(value, 60)}” is not a rating; the cell was left unrated.", "Rate it yourself.")

    def many(self, where: str, what: str, hint: str) -> None:
        """Add a remark that holds for many places: it is made once, with the places."""
        self._places.setdefault((what, hint), []).append(where)

    def leave_out(self, sentence: str) -> None:
        """Add what of the file is not read; the same sentence only once."""
        if sentence not in self.left_out and len(self.left_out) < MAX_PROBLEMS:
            self.left_out.append(sentence)

    def finish(self) -> tuple[Problem, ...]:
        """Return all remarks, those for many places and a count of those beyond the limit among them."""
        for (what, hint), places in self._places.items():
            label = ", ".join(places[:8]) + (f" and {len(places) - 8} more" if len(places) > 8 else "")
            self.problems.append(Problem(shorten(label, 200), what, hint))
        if self._more:
            what = f"{self._more} more remarks of this kind were not listed."
            self.problems.append(Problem(self.name, what, "Look at the cells that are left unrated."))
        self._places, self._more = {}, 0
        return tuple(self.problems)


SAVE = "Open it in a spreadsheet program, save it as XLSX or CSV, and import that."


def bad(reason: str, remedy: str) -> BadInput:
    """Make the error of a file that is not imported."""
    return BadInput(reason=f"{reason} Nothing was imported.", remedy=remedy)


def foreign(name: str) -> BadInput:
    """Make the error of a file without a matrix."""
    return bad(
        f"{name} contains no matrix that the program can read.",
        "It reads PARC .achz, XLSX and CSV with hypotheses as columns, and the JSON of Disconfirm.",
    )


def too_large(name: str) -> BadInput:
    """Make the error of a file that holds more than any matrix."""
    return bad(
        f"{name} contains far more than any matrix would; it may be malicious.",
        f"A matrix may have {MAX_HYPOTHESES} hypotheses and {MAX_ROWS:,} pieces of evidence. "
        "Check where the file comes from.",
    )


def damaged_file(name: str, what: str) -> BadInput:
    """Make the error of a file that cannot be read to its end; ``what`` is wrong with it."""
    return bad(f"{name} is damaged: {what}.", "Ask for it again, or open it in the program that made it and save it.")


def shorten(text: str, limit: int) -> str:
    """Put a text on one line of at most ``limit`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
