"""The question, asked once, under which name a person rates."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QLineEdit, QWidget

from core import settings
from core.domain import Changes
from gui_app import window_state
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.info_bar import InfoBar

_CHOICE = "name"


class NameBar(InfoBar):
    """A line with a field for the name, after the first rating of a person who has stated none."""

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent, above=8)
        self._session = session
        self.field = QLineEdit()
        self.field.setAccessibleName("Your name")
        self.field.setPlaceholderText("Your name")
        self.field.setToolTip("Signs your decisions, in the case and in its reports")
        self.field.setFixedWidth(theme.px(180))
        self._row.addWidget(self.field)
        self.use_button = self.add_button("Use this name", self._use)
        self.decline_button = self.add_button("Not now", self._decline)
        self.field.returnPressed.connect(self._use)
        self.field.textChanged.connect(lambda text: self.use_button.setEnabled(bool(text.strip())))
        self.use_button.setEnabled(False)
        session.changed.connect(self._case_changed)
        session.opened.connect(self.hide)

    def _case_changed(self, changes: Changes, _initiator: object) -> None:
        bench = self._session.workbench
        if not changes.matrix or bench is None or self.isVisible() or window_state.pane(_CHOICE) == "-":
            return
        choice = settings.load()
        if choice.analyst.strip() or self._session.who != choice.who:
            window_state.keep_pane(_CHOICE, "-")
        elif choice.who in bench.evidence.raters():
            self.say(f"Your ratings are signed “{choice.who}”.")

    def _use(self) -> None:
        name = self.field.text().strip()
        if name:
            settings.save(replace(settings.load(), analyst=name))
            self._session.sign_as(name)
            self._session.status.emit(f"From now on your decisions are signed “{name}”.")
            self._decline()

    def _decline(self) -> None:
        window_state.keep_pane(_CHOICE, "-")
        self.hide()
