"""The grid with the analysis at its right, or below it where there is no room beside."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSplitter, QWidget

from gui_app.matrix.analysis_panel import AnalysisPanel

WIDE = 960  # pixels: from here on the analysis stands at the right of the grid; below, it lies under it
HIGH = 640  # pixels: below this a grid with the analysis under it is too low, and it is opened by hand
PANEL = 304  # pixels the analysis takes at the right
LOW = 208  # pixels the analysis takes below


class AnalysisSplit(QSplitter):
    """Shows the analysis where it fits, until the person says otherwise: ``wants_analysis``, None before that."""

    def __init__(self, grid: QWidget, analysis: AnalysisPanel, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.wants_analysis: bool | None = None
        self._analysis = analysis
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self.addWidget(grid)
        self.addWidget(analysis)
        self.setStretchFactor(0, 1)
        self.setSizes([800, PANEL])

    def arrange(self, room: QSize) -> bool:
        """Put the analysis where a screen of this size has room for it; whether it is shown."""
        flat = room.width() < WIDE
        on = not flat or room.height() >= HIGH if self.wants_analysis is None else self.wants_analysis
        if flat != (self.orientation() == Qt.Orientation.Vertical):
            self.setOrientation(Qt.Orientation.Vertical if flat else Qt.Orientation.Horizontal)
            self._analysis.lie(flat)
            self.setSizes([room.height() - LOW, LOW] if flat else [room.width() - PANEL, PANEL])
        self._analysis.setVisible(on)
        return on
