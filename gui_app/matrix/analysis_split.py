"""The grid with the analysis at its right, below it where there is no room beside, or in its place."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSplitter, QWidget

from gui_app import window_state
from gui_app.matrix.analysis_panel import AnalysisPanel

WIDE = 1040  # pixels: from here on the analysis is at the right of the grid; below, it lies under it
PANEL = 304  # pixels the analysis takes at the right
LOW = 208  # pixels the analysis takes below


class AnalysisSplit(QSplitter):
    """Shows the analysis where it fits beside the grid, until the person says otherwise: ``wants_analysis``.

    That is None before. ``whole``: the analysis has the whole page, and the grid is away.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        choice = window_state.pane("analysis")
        self.wants_analysis: bool | None = choice == "+" if choice else None
        self.whole = False
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)

    def fill(self, grid: QWidget, analysis: AnalysisPanel) -> None:
        """Take in the grid and the analysis."""
        self._grid = grid
        self._analysis = analysis
        self.addWidget(grid)
        self.addWidget(analysis)
        self.setStretchFactor(0, 1)
        self.setSizes([800, PANEL])

    def choose(self, wants_analysis: bool) -> None:
        """Show the analysis from now on, or not; remembered."""
        self.wants_analysis, self.whole = wants_analysis, False
        window_state.keep_pane("analysis", "+" if wants_analysis else "-")

    def arrange(self, room: QSize) -> bool:
        """Put the analysis where a screen of this size has room for it. Return whether it is shown."""
        flat = room.width() < WIDE
        on = self.whole or (not flat if self.wants_analysis is None else self.wants_analysis)
        lies = flat or self.whole
        if lies != self._analysis.is_lying:
            self._analysis.set_flat(lies)
        if flat != (self.orientation() == Qt.Orientation.Vertical):
            self.setOrientation(Qt.Orientation.Vertical if flat else Qt.Orientation.Horizontal)
            self.setSizes([room.height() - LOW, LOW] if flat else [room.width() - PANEL, PANEL])
        self._grid.setVisible(not self.whole)
        self._analysis.setVisible(on)
        self._analysis.show_whole(self.whole)
        return on
