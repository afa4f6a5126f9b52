"""The tabs of the documents: those of the case, the last import, files that could not be read, and what was removed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QTabBar, QWidget

from gui_app.documents.state import DocumentsState
from gui_app.shared import theme
from gui_app.shared.labels import ElidedLabel

HERE, IMPORT, FAILED, REMOVED, REPEATS = range(5)


class DocumentTabs(QWidget):
    """A tab is shown while there is something behind it; all of them while there is more than the documents."""

    def __init__(self) -> None:
        super().__init__()
        self.bar = QTabBar()
        self.bar.setAccessibleName("Documents or last import")
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        for title in ("All", "Last import", "Unreadable", "Removed", "Duplicates"):
            self.bar.addTab(title)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 24, 0)
        row.addWidget(self.bar)
        self._words = self._count = ""
        self.last = ElidedLabel("", "muted")
        self.last.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.last, 1)

    def name_import(self, title: str, words: str) -> None:
        """Name the tab of the last import, and say beside the tabs what became of it."""
        self.bar.setTabText(IMPORT, title)
        self._words = words
        self._fit_words()

    def count(self, words: str) -> None:
        """Show how many documents a filter leaves in place of the result of the last import; '' for no filter."""
        self._count = words
        self.last.setProperty("role", "strong" if words else "muted")
        self.last.style().polish(self.last)
        self._fit_words()

    def _fit_words(self) -> None:
        """Leave out what the tab says too where there is no room for all of the words."""
        if self._count:
            self.last.setText(self._count)
            return
        room = self.width() - self.bar.sizeHint().width() - theme.px(48)
        is_short = self.last.fontMetrics().horizontalAdvance(self._words) > room > 0
        self.last.setText(self._words.removeprefix("Last import: ") if is_short else self._words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the words to the room."""
        super().resizeEvent(event)
        self._fit_words()

    def show_import(self) -> None:
        """Offer the report of an import that just ended."""
        self.show()
        self.bar.setTabVisible(IMPORT, True)

    def show_state(self, state: DocumentsState, *, has_report: bool) -> None:
        """Offer what there is."""
        self.bar.setTabText(FAILED, f"Unreadable ({len(state.failures)})")
        self.bar.setTabText(REMOVED, f"Removed ({len(state.removals)})")
        self.bar.setTabVisible(FAILED, bool(state.failures))
        self.bar.setTabVisible(REMOVED, bool(state.removals))
        self.bar.setTabVisible(IMPORT, has_report)
        has_several = len(state.documents) > 1
        self.bar.setTabVisible(REPEATS, has_several)
        self.setVisible(bool(has_report or state.failures or state.removals or has_several))
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Give tabs that changed while they were hidden the room they need: Qt does not, and they would be cut."""
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.bar.setTabText(HERE, self.bar.tabText(HERE))  # lays the tabs out, so that their width is known
        self.bar.updateGeometry()
        self._fit_words()
