"""The cases this person opened, newest first, as JSON in the user's folder. A broken file gives an empty list."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from core import files, paths
from core.errors import CannotWrite

KEPT = 12


@dataclass(frozen=True, slots=True)
class RecentCase:
    """A case that was open on this computer."""

    path: str
    title: str
    opened_at: str
    is_encrypted: bool = False  # when it was open last

    @property
    def size(self) -> int | None:
        """Bytes of the file; None when it is no longer there."""
        try:
            return Path(self.path).stat().st_size
        except OSError:
            return None


def _file() -> Path:
    return paths.user_data() / "recent.json"


def recent_cases() -> list[RecentCase]:
    """List the cases that were open here, newest first; a broken list is as good as none."""
    try:
        raw = json.loads(_file().read_text("utf-8"))
        return [
            RecentCase(
                str(item["path"]), str(item["title"]), str(item["opened_at"]), item.get("is_encrypted", False) is True
            )
            for item in raw
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []


def names() -> list[tuple[str, Path]]:
    """Name each recent case by its title, and by its path too where another has that title."""
    cases = recent_cases()
    times = Counter(case.title for case in cases)
    return [(f"{case.title} ({case.path})" if times[case.title] > 1 else case.title, Path(case.path)) for case in cases]


def remember(path: Path, title: str, *, is_encrypted: bool = False) -> None:
    """Put a case at the top of the list."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = RecentCase(str(path.resolve()), title, now, is_encrypted)
    _write([entry, *(case for case in recent_cases() if case.path != entry.path)])


def forget(path: str) -> None:
    """Take a case off the list; the file stays."""
    _write([case for case in recent_cases() if case.path != path])


def _write(cases: list[RecentCase]) -> None:
    target = _file()
    try:
        files.write(target, json.dumps([asdict(case) for case in cases[:KEPT]], indent=1), make_folder=True)
    except CannotWrite:
        # A list of recent cases is a comfort; a full or read-only disk must not stop the case itself.
        return
