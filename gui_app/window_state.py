"""What the window remembers from one time to the next: sizes, folders, the last screen of a case. No content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from PySide6.QtCore import QByteArray, QMargins, QPoint, QRect, QSettings, QStandardPaths

from core import paths


def _ini() -> QSettings:
    return QSettings(str(paths.user_data() / "window.ini"), QSettings.Format.IniFormat)


def geometry(window: str = "window") -> QByteArray | None:
    """Return the place and size of a window the last time; None if there was none."""
    value = _ini().value(f"{window}/geometry")
    return value if isinstance(value, QByteArray) else None


def keep_geometry(value: QByteArray, window: str = "window") -> None:
    """Remember the place and size of a window."""
    _ini().setValue(f"{window}/geometry", value)


def fitted(geometry: QRect, frame: QMargins, available: QRect) -> QRect:
    """Return ``geometry``, the window without its frame, moved and made smaller until it fits with its frame.

    ``available`` is the part of the screen that it may take.
    """
    room = available.marginsRemoved(frame)
    size = geometry.size().boundedTo(room.size())
    left = max(room.left(), min(geometry.left(), room.right() + 1 - size.width()))
    top = max(room.top(), min(geometry.top(), room.bottom() + 1 - size.height()))
    return QRect(QPoint(left, top), size)


def sizes() -> list[int]:
    """Return the widths of the centre, the split viewer and the detail panel; empty the first time."""
    value = _ini().value("window/sizes")
    try:
        return [int(str(part)) for part in value] if isinstance(value, list) else []
    except ValueError:
        return []


def keep_sizes(value: list[int]) -> None:
    """Remember those widths."""
    _ini().setValue("window/sizes", value)


def last_screen(case: Path) -> str:
    """Return the screen on which a case was left; '' where that is not known."""
    return str(_ini().value(f"cases/{_key(case)}", "") or "")


def keep_last_screen(case: Path, name: str) -> None:
    """Remember the screen of a case."""
    _ini().setValue(f"cases/{_key(case)}", name)


def columns(case: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the columns of the matrix that the person does not want, and those they want whatever the room."""
    marks = str(_ini().value(f"columns/{_key(case)}", "") or "").split(" ")
    return frozenset(k[1:] for k in marks if k[:1] == "-"), frozenset(k[1:] for k in marks if k[:1] == "+")


def keep_columns(case: Path, unwanted_columns: frozenset[str], wanted_columns: frozenset[str]) -> None:
    """Remember those columns."""
    _ini().setValue(
        f"columns/{_key(case)}",
        " ".join(sorted([f"-{k}" for k in unwanted_columns] + [f"+{k}" for k in wanted_columns])),
    )


def widths(case: Path) -> dict[str, int]:
    """Return the widths of columns of the matrix that the person chose, in pixels at the usual text size."""
    pairs = (mark.partition(":") for mark in str(_ini().value(f"widths/{_key(case)}", "") or "").split(" "))
    return {kind: int(width) for kind, _, width in pairs if width.isdecimal()}


def keep_widths(case: Path, widths: Mapping[str, int]) -> None:
    """Remember those widths."""
    _ini().setValue(f"widths/{_key(case)}", " ".join(f"{kind}:{width}" for kind, width in sorted(widths.items())))


def guide() -> bool | None:
    """Return whether the guide is shown; None as long as nobody chose."""
    value = str(_ini().value("window/guide", "") or "")
    return None if not value else value == "shown"


def keep_guide(is_visible: bool) -> None:
    """Remember whether the guide is shown."""
    _ini().setValue("window/guide", "shown" if is_visible else "hidden")


def pane(name: str) -> str:
    """Return what the person chose for a pane of the window; '' as long as nobody chose."""
    return str(_ini().value(f"panes/{name}", "") or "")


def keep_pane(name: str, value: str) -> None:
    """Remember a choice for a pane."""
    _ini().setValue(f"panes/{name}", value)


def document_columns() -> tuple[str, ...]:
    """Return the columns that the person chose for the list of documents; empty: as many as there is room for."""
    return tuple(filter(None, str(_ini().value("documents/columns", "") or "").split(" ")))


def keep_document_columns(names: Iterable[str]) -> None:
    """Remember those columns."""
    _ini().setValue("documents/columns", " ".join(names))


def document_group() -> str:
    """Return what the list of documents is grouped by; '' for nothing."""
    return str(_ini().value("documents/group", "") or "")


def keep_document_group(name: str) -> None:
    """Remember what it is grouped by."""
    _ini().setValue("documents/group", name)


def marks(case: Path, kind: str) -> set[str]:
    """Return the words noted for a case: 'looked' at, or prompts 'declined'."""
    return set(filter(None, str(_ini().value(f"{kind}/{_key(case)}", "") or "").split(" ")))


def keep_mark(case: Path, kind: str, word: str) -> None:
    """Note a word for a case."""
    _ini().setValue(f"{kind}/{_key(case)}", " ".join(sorted(marks(case, kind) | {word})))


def review_by_passage() -> bool:
    """Return whether the review shows one card a passage."""
    return str(_ini().value("review/by", "passage")) == "passage"


def keep_review_by_passage(by_passage: bool) -> None:
    """Remember how the review is shown."""
    _ini().setValue("review/by", "passage" if by_passage else "proposal")


def watched(case: Path) -> list[Path]:
    """List the folders in which new files are looked for, for a case."""
    value = str(_ini().value(f"watched/{_key(case)}", "") or "")
    return [Path(line) for line in value.split("\n") if line]


def keep_watched(case: Path, folders: list[Path]) -> None:
    """Remember those folders."""
    _ini().setValue(f"watched/{_key(case)}", "\n".join(str(folder) for folder in folders))


def folder(kind: str) -> Path:
    """Return the folder a person last chose for a kind ('cases', 'documents', 'glossaries'); one that is there."""
    usual = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    for value in (str(_ini().value(f"folders/{kind}", "") or ""), usual):
        if value and Path(value).is_dir():
            return Path(value)
    return Path.home()


def keep_folder(kind: str, value: Path) -> None:
    """Remember a folder of that kind."""
    _ini().setValue(f"folders/{kind}", str(value))


def _key(case: Path) -> str:
    return hashlib.sha256(str(case.resolve()).encode()).hexdigest()[:16]
