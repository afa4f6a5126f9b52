"""What is above the passage in every view of the review: the search's options, the effort, and the verdicts."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.domain import Changes
from gui_app.review.finder import Finder
from gui_app.review.state import ReviewState
from gui_app.review.verdict_bar import VerdictBar
from gui_app.session import CaseSession
from gui_app.shared.effort_meter import EffortLine
from gui_app.shared.labels import line


class ReviewBars(QWidget):
    """The finder, the line on the effort and the line on the verdicts, each on show when it has something to say."""

    def __init__(self, session: CaseSession, *, initiator: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._state = ReviewState()
        self._summary = ""  # what the last search did, in a sentence
        self.finder = Finder(session, initiator=initiator)
        self.finder.task_changed.connect(self._show_verdicts)
        self.finder.task_changed.connect(self._show_effort)
        self.finder.effort_made.connect(self._note_effort)
        self.effort = EffortLine()
        self.effort.even_out.connect(self.finder.even_out)
        self.effort_rule = line()
        self.verdicts = VerdictBar()
        self.verdicts.read_again.connect(self.finder.read_again)
        self.verdicts.judge_again.connect(self.finder.judge_again)
        self.verdict_rule = line()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.finder)
        for part in (self.effort, self.effort_rule, self.verdicts, self.verdict_rule):
            part.hide()
            column.addWidget(part)

    def show_state(self, state: ReviewState) -> None:
        """Show what a case offers to search for, and how much of it was looked at and judged."""
        self._state = state
        self.finder.show_state(state)
        self._show_effort()
        self._show_verdicts()

    def forget(self) -> None:
        """Clear what belongs to the previous case."""
        self._state, self._summary = ReviewState(), ""
        self.finder.task = None
        self.finder.hide()

    def _note_effort(self, summary: str) -> None:
        """Show the result of a search in the line of the effort."""
        self._summary = summary
        self._show_effort()

    def _show_effort(self) -> None:
        """Show in one line how much was looked at for each hypothesis, as soon as anything was."""
        is_finding = self.finder.task is not None and self.finder.isVisible()  # which says how far it is
        has_effort = any(effort.passages for effort in self._state.efforts) and not is_finding
        for part in (self.effort, self.effort_rule):
            part.setVisible(has_effort)
        if has_effort:
            possible = self.finder.find_button.isEnabled() and self.finder.task is None
            running = self._session.is_growing(Changes(proposals=True))
            self.effort.show_effort(self._state.efforts, possible=possible, ran=self._summary, running=running)

    def _show_verdicts(self) -> None:
        """Show in one line the next step about verdicts, once there are some."""
        for part in (self.verdicts, self.verdict_rule):
            part.setVisible(bool(self._state.proposals))
        if self._state.proposals:
            self.verdicts.show_state(self._state, free=self.finder.task is None)
