"""What is above the passage in every view of the review: one line, and behind its Details all there is to say.

Details hold what Find evidence reads, how much was looked at for each hypothesis, and what to do about verdicts.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from core.domain import Changes
from core.verdicts.labels import SHOW_MODES
from gui_app.review.finder import Finder
from gui_app.review.state import ReviewState
from gui_app.review.verdict_bar import VerdictBar
from gui_app.session import CaseSession
from gui_app.shared.effort_meter import EffortLine, unequal
from gui_app.shared.labels import ElidedLabel, line
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.show_modes import ShowModes


class ReviewBars(QWidget):
    """The line with what is most worth knowing, and the finder, the effort and the verdicts behind its Details."""

    def __init__(self, session: CaseSession, *, initiator: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._state = ReviewState()
        self._summary = ""  # what the last search did, in a sentence
        self.show_modes = ShowModes(SHOW_MODES, beside=False)
        self.words = ElidedLabel("", "muted")
        self.finder = Finder(session, initiator=initiator)
        self.finder.task_changed.connect(self._show_all)
        self.finder.noted.connect(self._show_words)
        self.finder.effort_made.connect(self._note_effort)
        self.effort = EffortLine()
        self.effort.even_out.connect(self.finder.even_out)
        self.verdicts = VerdictBar(self.show_modes)
        self.verdicts.read_again.connect(self.finder.read_again)
        self.verdicts.judge_again.connect(self.finder.judge_again)
        self.details_button = QPushButton("Details")
        self.details_button.setProperty("kind", "quiet")
        self.details_button.setCheckable(True)
        self.details_button.setToolTip("What Find evidence reads, how much was looked at, what to do about verdicts")
        self.details_button.toggled.connect(self._show_details)
        self.row = QWidget()
        row = hbox(self.row, margins=(16, 4, 8, 4), spacing=4)
        row.addWidget(self.show_modes)
        row.addSpacing(4)
        row.addWidget(self.words, 1)
        for button in (self.finder.stop_button, self.finder.find_button, self.details_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        self.details = QWidget()
        inside = vbox(self.details, spacing=0)
        for part in (self.finder, self.effort, self.verdicts):
            inside.addWidget(line())
            inside.addWidget(part)
        self.details.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.row)
        column.addWidget(self.details)
        column.addWidget(line())
        self._show_all()

    def show_state(self, state: ReviewState) -> None:
        """Show what a case offers to search for, and how much of it was looked at and judged."""
        self._state = state
        self.finder.show_state(state)
        self._show_all()

    def forget(self) -> None:
        """Clear what belongs to the previous case."""
        self._state, self._summary = ReviewState(), ""
        self.finder.forget()
        self.details_button.setChecked(False)
        self._show_all()

    def _note_effort(self, sentence: str) -> None:
        """Show the result of a search in the line of the effort."""
        self._summary = sentence
        self._show_all()

    def _show_details(self, visible: bool) -> None:
        self.details.setVisible(visible)
        self._show_buttons()
        self._show_words()

    def _show_buttons(self) -> None:
        """Show what begins a search or what stops it, in one place and with its focus; Qt would give that to the next.

        Before anything was found, the page below has the button that begins.
        """
        find, stop = self.finder.find_button, self.finder.stop_button
        leaving, instead = (stop, find) if self.finder.task is None else (find, stop)
        has_focus = leaving.hasFocus()
        instead.setVisible(instead is stop or bool(self._state.proposals) or self.details_button.isChecked())
        if has_focus:
            instead.setFocus()
        leaving.hide()

    def _show_all(self) -> None:
        state, is_free = self._state, self.finder.task is None
        has_effort = any(effort.passages for effort in state.efforts)
        self.setVisible(bool(state.hypotheses) or not is_free)
        self.effort.setVisible(has_effort)
        if has_effort:
            possible = self.finder.find_button.isEnabled() and is_free
            running = self._session.is_growing(Changes(proposals=True))
            self.effort.show_effort(state.efforts, possible=possible, ran=self._summary, running=running)
        self._show_buttons()
        for part in (self.show_modes, self.verdicts):
            part.setVisible(bool(state.proposals))
        if state.proposals:
            self.verdicts.show_state(state, free=is_free)
        self._show_words()

    def _show_words(self) -> None:
        """Show in the line what matters most, unless it is on show already."""
        is_open = self.details_button.isChecked()
        behind = bool(unequal(self.effort.efforts)) and not self.effort.isHidden()
        effort = "" if self.effort.isHidden() else self.effort.summary.text()
        verdicts = self.verdicts.words if self._state.proposals else ""
        about_verdicts = verdicts if self.verdicts.is_pressing else ""
        words = self.finder.note.text() or (effort if behind else "") or about_verdicts or effort or verdicts
        self.words.setText("" if is_open and self.finder.task is None else words)
        self.words.setProperty("tone", "contradicts" if behind and words == effort else None)
        self.words.style().unpolish(self.words)
        self.words.style().polish(self.words)
