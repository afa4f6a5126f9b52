"""Where results and messages go, and the JSON Lines that batches of work are read from and written to.

The one place where anything of a case is printed: line by line, and made safe to show.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from core import files
from core.domain import Quote
from core.errors import AppError, BadInput, CannotWrite, Problem
from core.progress import Progress
from core.report.service import check_target
from core.text import printable, printable_json

Json = dict[str, Any]

STANDARD_OUTPUT = "standard output"
LONGEST_LINE = 16_000_000  # characters of one that is read


def say(line: str) -> None:
    """Write one line to standard error, as it can be shown on a terminal; what it does not take is let go."""
    if sys.stderr is None:  # it was closed: without it ``print`` would write among the results
        return
    try:
        print(printable(line), file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)


def show(line: str) -> None:
    """Write one line to standard output. Raises CannotWrite where it takes none."""
    try:
        print(line)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWrite(path=STANDARD_OUTPUT, reason=error.strerror or type(error).__name__) from error


def flush() -> None:
    """Have everything written out. Raises CannotWrite, BrokenPipeError."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWrite(path=STANDARD_OUTPUT, reason=error.strerror or type(error).__name__) from error


def drop_output() -> None:
    """Let go what standard output did not take."""
    _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    """Let what could not be written out go, so that the end of the process does not try once more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Output:
    """The way that results and messages take. A line that holds a line end is not two."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._last_step = 0.0

    def result(self, document: Json, text: Callable[[], str | Sequence[str]]) -> None:
        """Show a result: as JSON, or what ``text`` gives, one line or several."""
        if self.as_json:
            show(as_json_text(document))
            return
        lines = text()
        for line in [lines] if isinstance(lines, str) else lines:
            if line or not isinstance(lines, str):
                show(printable(line))

    def problems(self, problems: Sequence[Problem]) -> int:
        """List problems on standard error; returns the exit code that they give."""
        for problem in problems:
            say(f"{problem.where}: {problem.what} {problem.hint}")
        return 1 if problems else 0

    def warn(self, error: AppError) -> None:
        """Print what went wrong beside the work, which goes on."""
        say(f"{error.sentence} {error.hint}")

    def progress(self) -> Progress:
        """Make a progress that says a line a second on standard error."""
        return Progress(self._step)

    def _step(self, count: int, total: int, what: str) -> None:
        now = time.monotonic()
        if now - self._last_step < 1.0 and count < total:
            return
        self._last_step = now
        say(f"[{count}/{total}] {what}")


def as_json_text(document: object) -> str:
    """Return a document as JSON that a terminal can show."""
    return printable_json(json.dumps(document, ensure_ascii=False))


def problems_json(problems: Sequence[Problem]) -> list[Json]:
    """Return problems with the fields of the contract."""
    return [asdict(problem) for problem in problems]


# --- JSON Lines ------------------------------------------------------------------------------------------------------


def citation_json(name: str, quote: Quote) -> Json:
    """Return where a quote of the document of this name stands, with the fields of the contract."""
    return {
        "document": quote.document,
        "name": name,
        "page": quote.page,
        "start": quote.start,
        "end": quote.end,
        "text": quote.text,
    }


def read_lines(path: str, needs: Sequence[str]) -> Iterator[Json]:
    """Read the lines of a JSON Lines file. Raises BadInput naming the first line that is not of the form."""
    for number, line in enumerate(_lines(path), start=1):
        if len(line) > LONGEST_LINE:
            raise BadInput(
                reason=f"Line {number} of {path} is longer than {LONGEST_LINE:,} characters.",
                remedy="Write one JSON object per line.",
            )
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not (
            isinstance(row, dict)
            and row.keys() >= set(needs)
            and all(isinstance(row[key], str) for key in needs if key != "id")
            and isinstance(row.get("document", ""), str | None)
        ):
            raise BadInput(
                reason=f"Line {number} of {path} is not an object with {', '.join(needs)}.",
                remedy="Write one JSON object per line, with texts and document ids as strings.",
            )
        yield row


def _lines(path: str) -> Iterator[str]:
    """Read a text line by line, of one that is too long only the beginning: a device may give one without an end."""
    try:
        if path == "-":
            yield from iter(lambda: sys.stdin.readline(LONGEST_LINE + 1) if sys.stdin is not None else "", "")
            return
        with Path(path).open(encoding="utf-8") as stream:
            yield from iter(lambda: stream.readline(LONGEST_LINE + 1), "")
    except (OSError, ValueError) as error:
        raise BadInput(
            reason=f"The file {path} cannot be read ({type(error).__name__}).", remedy="Check its path and encoding."
        ) from error


@contextmanager
def lines_to(path: str | None, case: str | None = None) -> Iterator[Callable[[Json], None]]:
    """Open what writes one JSON object as a line: to the file, which appears whole, or to standard output."""
    if path is None:
        yield lambda document: show(as_json_text(document))
        return
    check_target(Path(path))
    with files.replacing(Path(path), never=Path(case) if case else None) as stream:
        yield lambda document: _write(stream, as_json_text(document))


def _write(stream: BinaryIO, line: str) -> None:
    stream.write(f"{line}\n".encode("utf-8", "backslashreplace"))
