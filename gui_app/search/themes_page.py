"""The themes of a question, found beside the work once the question rests; a model may word hypotheses of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.errors import AppError
from gui_app.search.themes_view import ThemesView
from gui_app.session import CaseSession
from gui_app.shared.announce import announce
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted

if TYPE_CHECKING:
    from core.plans.drafting import Draft
    from core.search.service import Theme

SETTLE_MS = 700  # between a search and its themes, which take longer


class ThemesPage(QStackedWidget):
    """The themes of ``question``, sought when ``follow`` asks and the page is on show.

    ``shown()`` when there are new themes or drafts.
    """

    shown = Signal()

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.question = ""
        self.themes_of = ""  # the question whose themes are on show
        self.view = ThemesView()
        self.view.wording_wanted.connect(self.word)
        self.empty = EmptyState("hypotheses", "")
        self.addWidget(self.view)
        self.addWidget(self.empty)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self._read)

    def forget(self) -> None:
        """Drop the themes, so that they are looked for again next time."""
        self.themes_of = ""

    def follow(self) -> None:
        """Show the themes of the question."""
        if self.question == self.themes_of:
            return
        self._say("Looking for themes" if self.question else "Write a question: its themes are shown here.")
        if self.question:
            self._timer.start()

    def restyle(self) -> None:
        """Show the same themes in new colours."""
        if self.themes_of:
            self._show(self.view.themes, self.view.drafts)

    def can_word(self) -> bool:
        """Return whether there is a model that writes drafts, and a case to write them for."""
        bench = self.session.workbench
        return bench is not None and bench.engines.text_model is not None and not self.session.read_only

    def word(self) -> None:
        """Have the model that writes drafts word a hypothesis of each theme; none is added."""
        question, themes = self.themes_of, self.view.themes
        if question and self._on_show() and self.can_word():
            self.session.run(
                "Wording hypotheses",
                lambda bench, progress: bench.drafts.hypotheses(question, themes, progress),
                done=lambda drafts: self._show_drafts(question, drafts),
                initiator=self,
            )

    def _on_show(self) -> bool:
        stack = self.parentWidget()
        return stack is not None and self.isVisibleTo(stack)

    def _read(self) -> None:
        question = self.question
        if not self._on_show() or not question or question == self.themes_of:
            return

        def done(themes: list[Theme]) -> None:
            if self.question != question:
                return
            self.themes_of = question
            if not themes:
                self._say("No topic occurs in three or more of the passages found. Ask a broader question.")
                return
            self._show(themes)
            self.setCurrentWidget(self.view)
            announce(self, counted(len(themes), "theme"))

        def failed(error: AppError) -> None:
            self._say(f"{error.sentence} {error.hint}")

        self.session.read(lambda bench: bench.search.themes(question), done, key="search themes", failed=failed)

    def _say(self, text: str) -> None:
        self.empty.say(text)
        self.setCurrentWidget(self.empty)

    def _show(self, themes: Sequence[Theme], drafts: Sequence[Draft] = ()) -> None:
        self.view.show_themes(themes, writable=not self.session.read_only, can_word=self.can_word(), drafts=drafts)
        self.shown.emit()

    def _show_drafts(self, question: str, drafts: Sequence[Draft]) -> None:
        if question != self.themes_of:
            return
        self._show(self.view.themes, drafts)
        usable = sum(bool(draft.text) for draft in drafts)
        self.session.tell(
            f"{counted(usable, 'draft')} for {counted(len(drafts), 'theme')}"
            if usable
            else "No usable draft: the documents' own sentences stay"
        )
