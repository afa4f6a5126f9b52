"""The jobs of a case that ended, newest first, as JSON in the user's folder. A broken file gives an empty list."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from core import files, paths
from core.errors import CannotWrite

MOST = 100  # jobs of a case
CASES = 12


@dataclass(frozen=True, slots=True)
class EndedJob:
    """A job that ended: when, how ('done', 'failed', 'cancelled', 'stopped'), and what it said at its end."""

    title: str
    at: str
    state: str
    result: str


def _file() -> Path:
    return paths.user_data() / "jobs.json"


def open_list(case: Path, *, keep: bool) -> list[EndedJob]:
    """Return the jobs of a case that ended on this computer; ``keep`` them as those of the case opened last."""
    rows = _rows()
    jobs = [EndedJob(*map(str, row)) for row in rows.get(str(case.resolve()), [])]
    _write(rows, case, jobs if keep else [])
    return jobs


def save(case: Path, jobs: list[EndedJob]) -> None:
    """Keep the jobs of a case in place of those that were there; of the cases, those opened last."""
    _write(_rows(), case, jobs)


def _write(rows: dict[str, list[list[str]]], case: Path, jobs: list[EndedJob]) -> None:
    rows.pop(str(case.resolve()), None)
    if jobs:
        rows[str(case.resolve())] = [list(asdict(job).values()) for job in jobs[:MOST]]
    try:
        files.write(_file(), json.dumps(dict(list(rows.items())[-CASES:]), indent=1), make_folder=True)
    except CannotWrite:
        return  # a list of jobs is a comfort: a full or read-only disk must not stop the work


def _rows() -> dict[str, list[list[str]]]:
    try:
        raw = json.loads(_file().read_text("utf-8"))
        return {case: [row for row in rows if len(row) == len(EndedJob.__slots__)] for case, rows in raw.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
