"""The queue of words to check as a list model, and how a doubt is put into words. No widget lives here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from core.ports import UNREAD
from core.steps.doubts import Doubt, apart

DOUBT = int(Qt.ItemDataRole.UserRole)
NAME = DOUBT + 1  # of its document

Key = tuple[int, int]  # page id and place of the word: what a word is called while it moves on its page


def key_of(doubt: Doubt) -> Key:
    return doubt.page_id, doubt.word


def why(doubt: Doubt) -> str:
    """'the engines differ, a figure'."""
    return ", ".join(doubt.reasons)


def others(doubt: Doubt) -> list[str]:
    """What else the word may be: the other engine's reading first, then this engine's own, each once."""
    found = [doubt.other] if doubt.other and doubt.other != UNREAD else []
    return [text for text in dict.fromkeys([*found, *doubt.alternatives]) if text and text != doubt.text]


def differing(text: str, other: str) -> tuple[int, int]:
    """The part of ``text`` in which it differs from ``other``; the whole word when letters are only missing."""
    if not other or other == UNREAD or text == other:
        return 0, 0
    first, end, _ = apart(text, other)
    return (first, end) if first < end else (0, len(text))


class Doubts(QAbstractListModel):
    """Words to check, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Doubt] = []
        self.names: Mapping[str, str] = {}

    def show(self, rows: list[Doubt], names: Mapping[str, str]) -> None:
        self.beginResetModel()
        self.rows, self.names = rows, names
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def place(self, doubt: Doubt) -> str:
        """'scan.pdf, p. 3'."""
        return f"{self.names.get(doubt.document, doubt.document)}, p. {doubt.page}"

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        doubt = self.rows[index.row()]
        if role == DOUBT:
            return doubt
        if role == NAME:
            return self.place(doubt)
        if role == Qt.ItemDataRole.DisplayRole:
            return doubt.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            cited = f", cited by {', '.join(doubt.cited)}" if doubt.cited else ""
            other = f", or {doubt.other}" if doubt.other and doubt.other != UNREAD else ""
            return f"{doubt.text}{other}. {why(doubt)}{cited}. {self.place(doubt)}"
        return None
