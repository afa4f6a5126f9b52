"""One line while there are pages without text that OCR could read, or whose text does not look like text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QWidget

from core import paths
from core.domain import Changes
from gui_app.documents.state import DocumentsState, first_poor_page, scan_summary
from gui_app.session import REST_OF_OCR, CaseSession
from gui_app.shared.labels import plain
from gui_app.shared.language_choice import LanguageChoice

if TYPE_CHECKING:
    from core.ocr.service import ScanReport
    from gui_app.tasks import Task


class ScansStrip(QWidget):
    """The line about pages that wait for OCR; ``readable(bool)`` tells whether any can be read now.

    ``show_source(document, page, start, end)`` asks for the first page to be looked at.
    """

    readable = Signal(bool)
    show_source = Signal(str, int, int, int)

    def __init__(self, session: CaseSession) -> None:
        super().__init__()
        self._session = session
        self._task: Task | None = None
        self._has_pages = False
        self.text = plain("", "", wrap=True)
        self.poor_button = QPushButton("Check the text")
        self.poor_button.setToolTip("Open the first page whose text should be checked; L keeps it as it is")
        self.poor_button.clicked.connect(self._show_poor)
        self.read_button = QPushButton("Run OCR")
        self.read_button.clicked.connect(lambda _on=False: self.read())
        self.language = LanguageChoice("Language of these scans")
        self.language.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.language.setMinimumContentsLength(22)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 8, 24, 8)
        row.addWidget(self.text, 1)
        row.addWidget(self.poor_button)
        row.addWidget(self.language)
        row.addWidget(self.read_button)
        self.hide()

    def show_state(self, state: DocumentsState, *, writable: bool) -> None:
        """Show the number of pages that wait."""
        self._has_pages = state.pages_without_text() + state.poor_pages > 0
        can = self._session.engines.ocr is not None and writable
        running = self._running()
        self.readable.emit(can and self._has_pages and not running)
        self.read_button.setVisible(can)
        self.read_button.setEnabled(not running)
        self.poor_button.setVisible(state.poor_pages > 0)
        self._offer_languages(can=can and not running)
        self.text.setText(state.scans(missing_engine=not can and writable))

    def _offer_languages(self, *, can: bool) -> None:
        """Offer the languages that these scans can be read in; with one there is nothing to choose."""
        bench = self._session.workbench
        self.language.setVisible(can and len(paths.ocr_languages()) > 1)
        of_case = bench.case.settings().ocr_languages if bench is not None else ()
        self.language.show_languages(self.language.languages(), usual=of_case)

    def show_beside(self, *, is_listed: bool) -> None:
        """Show the line where the documents are listed and pages wait."""
        self.setVisible(self._has_pages and is_listed)

    def read(self) -> None:
        """Read every page that is a picture, beside the work; what is read is found at once."""
        if self._running():
            return
        languages = self.language.languages()
        self._task = self._session.run(
            "Reading scans",
            lambda bench, progress: bench.ocr.read(None, progress, languages=languages),
            done=self._tell_scans,
            partial=Changes(documents=True),
            rest=REST_OF_OCR,
            again=self.read,
        )
        self.read_button.setEnabled(False)
        self.language.hide()
        self.readable.emit(False)

    def _running(self) -> bool:
        return self._task is not None and not self._task.is_over()

    def _tell_scans(self, report: ScanReport) -> None:
        self._session.status.emit(scan_summary(report))

    def _show_poor(self) -> None:
        place = self._session.do(first_poor_page)
        if place is not None:
            self.show_source.emit(*place, 0, 0)
