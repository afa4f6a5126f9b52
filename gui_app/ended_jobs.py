"""The jobs of a case that ended, newest first, as JSON in the user's folder. A broken file gives an empty list."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core import files, paths
from core.errors import CannotWrite, Problem

MOST = 100  # jobs of a case
CASES = 12
_COLUMNS = 5  # of a job in the file


@dataclass(frozen=True, slots=True)
class EndedJob:
    """A job that ended: when, how ('done', 'failed', 'cancelled', 'stopped'), and what it said at its end.

    ``problems`` are what could not be done, each with its cause and remedy. ``again`` begins it again, where it can be
    repeated and the program was not closed since.
    """

    title: str
    at: str
    state: str
    result: str
    problems: tuple[str, ...] = ()
    again: Callable[[], object] | None = field(default=None, compare=False)


def problems_of(result: Any) -> tuple[str, ...]:
    """List what a job could not do: the problems of its result, and the files of an import that failed."""
    problems, documents = getattr(result, "problems", ()), getattr(result, "documents", ())
    problems = problems if isinstance(problems, tuple) else ()
    lines = [f"{row.where}: {row.what} {row.hint}" for row in problems if isinstance(row, Problem)]
    # A result may be anything: an open case has documents too, and is no report of an import.
    rows = documents if isinstance(documents, tuple) else ()
    failures = [row for row in rows if getattr(row, "status", "") == "failed" and hasattr(row, "reason")]
    lines += [f"{row.name}: {row.reason} {row.remedy}" for row in failures]
    return tuple(dict.fromkeys(line.strip() for line in lines))


def _file() -> Path:
    return paths.user_data() / "jobs.json"


def open_list(case: Path, *, keep: bool) -> list[EndedJob]:
    """Return the jobs of a case that ended on this computer; ``keep`` them as those of the case opened last."""
    rows = _rows()
    jobs = [
        EndedJob(str(title), str(at), str(state), str(result), tuple(map(str, problems)))
        for title, at, state, result, problems in rows.get(str(case.resolve()), [])
    ]
    _write(rows, case, jobs if keep else [])
    return jobs


def save(case: Path, jobs: list[EndedJob]) -> None:
    """Keep the jobs of a case in place of those that were there; of the cases, those opened last."""
    _write(_rows(), case, jobs)


def _write(rows: dict[str, list[list[Any]]], case: Path, jobs: list[EndedJob]) -> None:
    rows.pop(str(case.resolve()), None)
    if jobs:
        rows[str(case.resolve())] = [[job.title, job.at, job.state, job.result, job.problems] for job in jobs[:MOST]]
    try:
        files.write(_file(), json.dumps(dict(list(rows.items())[-CASES:]), indent=1), make_folder=True)
    except CannotWrite:
        return  # a list of jobs is a comfort: a full or read-only disk must not stop the work


def _rows() -> dict[str, list[list[Any]]]:
    try:
        raw = json.loads(_file().read_text("utf-8"))
        return {case: [row for row in rows if len(row) == _COLUMNS] for case, rows in raw.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
