"""What became of the files of the last import: a sentence, and a row for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView, QVBoxLayout, QWidget

from gui_app.documents.cell_delegates import NameDelegate, StatusDelegate
from gui_app.documents.documents_model import ImportModel, imported_files, stored_files
from gui_app.documents.state import report_summary, stored_summary, whole_import
from gui_app.session import CaseSession
from gui_app.shared.labels import line, plain
from gui_app.shared.table import Table

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.store import ImportedRow


class ImportReportPage(QWidget):
    """The last import, as a sentence and a table.

    ``titled(str)`` gives the words of its tab; ``show_source(document, page, start, end)`` asks for a document,
    ``show_failure(document)`` for one that could not be read.
    """

    titled = Signal(str)
    show_source = Signal(str, int, int, int)
    show_failure = Signal(str)

    def __init__(self, session: CaseSession) -> None:
        super().__init__()
        self._session = session
        self._at = ""  # when the files came in that the report is about
        self.model = ImportModel(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.summary = plain("", "", wrap=True)
        self.summary.setContentsMargins(24, 12, 24, 12)
        column.addWidget(self.summary)
        column.addWidget(line())
        self.table = Table(self.model, "What happened to the files")
        self.table.widths([180, 100, 0, 0], stretch=2)
        self.table.horizontalHeader().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        self.table.setItemDelegateForColumn(0, NameDelegate(self.table))
        self.table.setItemDelegateForColumn(1, StatusDelegate(self.table))
        self.table.wrap()
        self.table.on_open = self._open
        column.addWidget(self.table, 1)
        self.setFocusProxy(self.table)

    def forget(self) -> None:
        """Know of no import."""
        self.model.show([])
        self._at = ""

    def follow(self, names: dict[str, str]) -> None:
        """Show the last import as the case remembers it, unless it is on show; ``names`` are those of documents."""
        rows = self._rows(0)
        if rows and rows[0].at != self._at:
            self._at = rows[0].at
            self._show_stored(rows, names)

    def show_again(self, names: dict[str, str]) -> bool:
        """Show the last import with what became of files that were read again; tell whether there was one."""
        rows = self._rows(0)
        self._at = rows[0].at if rows else ""
        if rows:
            self._show_stored(rows, names)
        return bool(rows)

    def show_report(self, report: ImportReport, names: dict[str, str]) -> bool:
        """Show what became of files that were just added; tell whether anything needs to be looked at."""
        rows = self._rows(0)
        self._at = rows[0].at if rows else ""
        files = imported_files(report, names)
        self.model.show(files)
        self.summary.setText(report_summary(report))
        failures = sum(item.status == "failed" for item in report.documents)
        self._title(failures)
        return bool(failures) or any(file.status == "note" for file in files)

    def _show_stored(self, last: Sequence[ImportedRow], names: dict[str, str]) -> None:
        rows, at = whole_import(last, self._rows)
        self.model.show(stored_files(rows, names))
        self.summary.setText(stored_summary(rows, at))
        self._title(sum(row.status == "failed" for row in rows))

    def _rows(self, run: int) -> list[ImportedRow]:
        """Ask for the files of one import; 0 is the last."""
        return self._session.do(lambda bench: bench.documents.imports(run)) or []

    def _title(self, failures: int) -> None:
        self.titled.emit(f"Last import ({failures} failed)" if failures else "Last import")

    def _open(self) -> None:
        index = self.table.currentIndex()
        row = self.model.rows[index.row()] if index.isValid() else None
        if row is None or not row.document:
            return
        if row.status == "failed":  # it has no page that could be shown
            self.show_failure.emit(row.document)
        else:
            self.show_source.emit(row.document, 1, 0, 0)
