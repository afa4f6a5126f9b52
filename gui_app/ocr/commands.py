"""The commands of the screen for words of scans, and when each of them can be given."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from core.ocr.suspect_words import SuspectWord
from core.ports import UNREAD
from gui_app.ocr.suspects_model import others
from gui_app.ocr.word_page import PICKS
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.header import decisions

if TYPE_CHECKING:
    from gui_app.ocr.screen import OcrScreen


class OcrCommands(QWidget):
    """The commands as actions of ``screen``, and the row of buttons for those that decide."""

    def __init__(self, screen: OcrScreen) -> None:
        super().__init__()
        command = screen.command
        accept = command("Correct", "A", screen.accept, tip="The word is what was read", shown_keys="Enter")
        self.edit = command(
            "Correct the word",
            "E",
            screen.edit,
            tip="Type what the word is; Enter takes it, Esc leaves it",
            shown_keys="F2, ←, →",
        )
        self.take_other = command("Take the other engine's reading", "B", screen.take_other)
        illegible = command("Illegible", "I", screen.mark_illegible, tip="Nobody can read it: [?] is put in its place")
        skip = command("Skip", "S", screen.skip, tip="Go on; the word stays unchecked")
        group = command("Words read alike", "G", screen.toggle_group, tip="Decide all words that are alike at once")
        open_page = command("Open page", "O", screen.open_page)
        overlay = command("Text over the image", "T", screen.toggle_overlay, tip="Show the text over the image")
        command("Words in charts: on the list, or set aside", "H", screen.turn_charts)
        undo = command("Undo", "U", screen.session.undo)
        self._list_readings = command("Choose another reading", None, screen.show_alternatives, shown_keys="↓")
        self.take_new_words = command("Update the quotes with the new words", "N", screen.take_new_words)
        previous = command("Previous word", "K", lambda: screen.step(-1))
        following = command("Next word", "J", lambda: screen.step(1))
        previous.setShortcuts([QKeySequence("K"), QKeySequence("Shift+F3")])
        following.setShortcuts([QKeySequence("J"), QKeySequence("F3")])
        command(
            "Run OCR again",
            None,
            lambda: screen.read_scans(again=True),
            tip="With the current engine and language; decisions on words are kept",
        )
        self.leave_group = command("Leave the words read alike", "Esc", screen.close_group)
        self._picks = [
            command(f"Take reading {number}", str(number), partial(screen.pick, number - 1))
            for number in range(1, PICKS + 1)
        ]
        self._deciding = (accept, self.edit, illegible)
        self._going = (skip, group, open_page, overlay, previous, following)
        row = FlowLayout(self, gap=4)
        row.setContentsMargins(24, 8, 24, 8)
        for button in decisions(
            (
                (accept, "Correct  A", "primary"),
                (self.edit, "Fix it  E", ""),
                (self.take_other, "Use other reading  B", ""),
                (illegible, "Illegible  I", ""),
                (skip, "Skip  S", "quiet"),
                (group, "Similar words  G", "quiet"),
                (open_page, "Page  O", "quiet"),
                (overlay, "Text  T", "quiet"),
                (undo, "Undo  U", "quiet"),
            )
        ):
            row.addWidget(button)

    def enable(self, doubt: SuspectWord | None, *, in_group: bool, read_only: bool) -> None:
        """Enable what can be done with the word on show, and show the row of buttons while there is one."""
        writable = doubt is not None and not read_only
        for action in self._deciding:
            action.setEnabled(writable)
        for action in self._going:
            action.setEnabled(doubt is not None)
        readings = others(doubt) if doubt is not None else []
        for index, pick in enumerate(self._picks):
            pick.setEnabled(writable and not in_group and index < len(readings))
        self._list_readings.setEnabled(writable and not in_group and bool(readings))
        self.take_other.setEnabled(writable and doubt is not None and doubt.other not in ("", UNREAD))
        self.leave_group.setEnabled(in_group)
        self.setVisible(doubt is not None)
