"""The queue of words to check as a list model, and how a doubt is put into words. No widget lives here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt

from core.ocr.suspect_words import SuspectWord, apart
from core.ports import UNREAD
from gui_app.shared.table_models import ListRows

DOUBT = int(Qt.ItemDataRole.UserRole)
NAME = DOUBT + 1  # of its document

Key = tuple[int, int]  # page id and place of the word: what a word is called while it moves on its page


def key_of(doubt: SuspectWord) -> Key:
    return doubt.page_id, doubt.word


def why(doubt: SuspectWord) -> str:
    """'the engines differ, a figure'."""
    return ", ".join(doubt.reasons)


def others(doubt: SuspectWord) -> list[str]:
    """What else the word may be: the other engine's reading first, then this engine's own, each once."""
    found = [doubt.other] if doubt.other and doubt.other != UNREAD else []
    return [text for text in dict.fromkeys([*found, *doubt.alternatives]) if text and text != doubt.text]


def differing(text: str, other: str) -> tuple[int, int]:
    """The part of ``text`` in which it differs from ``other``; the whole word when letters are only missing."""
    if not other or other == UNREAD or text == other:
        return 0, 0
    first, end, _ = apart(text, other)
    return (first, end) if first < end else (0, len(text))


class Doubts(ListRows):
    """Words to check, in their order."""

    rows: list[SuspectWord]

    def __init__(self) -> None:
        super().__init__()
        self.names: Mapping[str, str] = {}

    def show_named(self, rows: Sequence[SuspectWord], names: Mapping[str, str]) -> None:
        """``names`` are those of the documents, by id."""
        self.names = names
        self.show(rows)

    def place(self, doubt: SuspectWord) -> str:
        """'scan.pdf, p. 3'."""
        return f"{self.names.get(doubt.document, doubt.document)}, p. {doubt.page}"

    def told(self, doubt: SuspectWord, _at: int, role: int) -> Any:
        if role == NAME:
            return self.place(doubt)
        if role == Qt.ItemDataRole.DisplayRole:
            return doubt.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            cited = f", cited by {', '.join(doubt.cited)}" if doubt.cited else ""
            other = f", or {doubt.other}" if doubt.other and doubt.other != UNREAD else ""
            return f"{doubt.text}{other}. {why(doubt)}{cited}. {self.place(doubt)}"
        return None
