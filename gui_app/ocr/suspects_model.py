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

ILLEGIBLE = "[?]"
Key = tuple[int, int]  # page id and place of the word: what a word is called while it moves on its page


def key_of(doubt: SuspectWord) -> Key:
    """Return what a word is called while it moves on its page."""
    return doubt.page_id, doubt.word


def why(doubt: SuspectWord) -> str:
    """Return why a word is doubtful: 'the engines differ, a figure'."""
    return ", ".join(doubt.reasons)


def others(doubt: SuspectWord) -> list[str]:
    """List what else the word may be: the other engine's reading first, then this engine's own, each once."""
    first = [doubt.other] if doubt.other and doubt.other != UNREAD else []
    return [text for text in dict.fromkeys([*first, *doubt.alternatives]) if text and text != doubt.text]


def differing_span(text: str, other_reading: str) -> tuple[int, int]:
    """Find the part of ``text`` in which it differs from ``other_reading``; all of it when letters are only missing."""
    if not other_reading or other_reading == UNREAD or text == other_reading:
        return 0, 0
    first, end, _ = apart(text, other_reading)
    return (first, end) if first < end else (0, len(text))


def group_title(what: str, doubts: Sequence[SuspectWord]) -> str:
    """Return what words alike have in common: '3 words in which “m” may be “rn”'; ``what`` is 'm/rn'."""
    first, _, two = what.partition("/")
    if doubts[0].other in ("", UNREAD):
        return f"{len(doubts)} words read “{doubts[0].text}”"
    if not first:
        return f"{len(doubts)} words in which “{two}” may be missing"
    if not two:
        return f"{len(doubts)} words in which “{first}” may be superfluous"
    return f"{len(doubts)} words in which “{first}” may be “{two}”"


def decision_message(doubt: SuspectWord, action: str, text: str) -> str:
    """Return what was decided of a word, and how it is taken back."""
    if action == "accepted":
        return f"“{doubt.text}” is as read; U undoes it"
    return f"“{doubt.text}” is “{ILLEGIBLE if action == 'illegible' else text}” now; U undoes it"


class SuspectsModel(ListRows):
    """Words to check, in their order."""

    rows: list[SuspectWord]

    def __init__(self) -> None:
        super().__init__()
        self.names: Mapping[str, str] = {}

    def show_named(self, rows: Sequence[SuspectWord], names: Mapping[str, str]) -> None:
        """Show these words; ``names`` are those of the documents, by id."""
        self.names = names
        self.show(rows)

    def place(self, doubt: SuspectWord) -> str:
        """Name the page of a word: 'scan.pdf, p. 3'."""
        return f"{self.names.get(doubt.document, doubt.document)}, p. {doubt.page}"

    def role_data(self, doubt: SuspectWord, _at: int, role: int) -> Any:
        """Return the word, the name of its page, or all of it to be read out."""
        if role == NAME:
            return self.place(doubt)
        if role == Qt.ItemDataRole.DisplayRole:
            return doubt.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            citations = f", cited by {', '.join(doubt.cited)}" if doubt.cited else ""
            alternative = f", or {doubt.other}" if doubt.other and doubt.other != UNREAD else ""
            return f"{doubt.text}{alternative}. {why(doubt)}{citations}. {self.place(doubt)}"
        return None
