"""The menu of the grid's columns, ticked while they are shown; what a person chose is kept with the case."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gui_app import window_state
from gui_app.matrix.grid import MatrixGrid
from gui_app.session import CaseSession

_NAMES = {
    "source": "Source",
    "date": "Date",
    "grade": "Admiralty grade",
    "credibility": "Credibility",
    "relevance": "Relevance",
    "diagnosticity": "Diagnosticity",
}


class ColumnMenu(QMenu):
    """Shows and hides the columns beside the hypotheses."""

    def __init__(self, grid: MatrixGrid, session: CaseSession, parent: QWidget) -> None:
        super().__init__("Columns", parent)
        self._grid = grid
        self._session = session
        self._kind_actions: dict[str, QAction] = {}
        for kind, text in _NAMES.items():
            action = self.addAction(text)
            action.setCheckable(True)
            action.triggered.connect(lambda on=False, kind=kind: self.show_column(kind, on))
            self._kind_actions[kind] = action
        self.aboutToShow.connect(self._tick)

    def _tick(self) -> None:
        kinds = {column.kind for column in self._grid.columns()}
        for kind, action in self._kind_actions.items():
            action.setChecked(kind in kinds)

    def show_column(self, kind: str, on: bool) -> None:
        """Show a column whatever the room, or leave it out."""
        grid = self._grid
        hidden_kinds = grid.hidden_kinds - {kind} if on else grid.hidden_kinds | {kind}
        pinned_kinds = grid.pinned_kinds | {kind} if on else grid.pinned_kinds - {kind}
        grid.show_columns(hidden_kinds, pinned_kinds)
        bench = self._session.workbench
        if bench is not None:
            window_state.keep_columns(bench.path, hidden_kinds, pinned_kinds)
