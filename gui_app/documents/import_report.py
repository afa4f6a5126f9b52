"""What became of the files of the last import: a sentence, and a row for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHeaderView, QVBoxLayout, QWidget

from core.documents import left_out_parts
from gui_app.documents.cell_delegates import NameDelegate, StatusDelegate
from gui_app.documents.documents_model import ImportedFile, ImportModel, imported_files, notes, stored_files
from gui_app.documents.state import last_import_words, report_summary, stored_summary, whole_import
from gui_app.session import CaseSession
from gui_app.shared.labels import line, plain
from gui_app.shared.table import Table

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.store import ImportedRow


class ImportReportPage(QWidget):
    """The last import, as a sentence and a table.

    ``titled(str, str)`` gives the words of its tab and those of what became of it; ``show_source(document,
    page, start, end)`` asks for a document, ``show_failure(document)`` for one that could not be read.
    """

    titled = Signal(str, str)
    show_source = Signal(str, int, int, int)
    show_failure = Signal(str)

    def __init__(self, session: CaseSession) -> None:
        super().__init__()
        self._session = session
        self._stamp = ("", 0)  # when the files came in that the report is about, and how many they are
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
        self._stamp = ("", 0)
        self.titled.emit("Last import", "")

    def follow(self, names: dict[str, str]) -> None:
        """Show the last import as the case remembers it, unless it is on show; ``names`` are those of documents."""
        rows = self._rows(0)
        if rows and (rows[0].at, len(rows)) != self._stamp:
            self._show_stored(rows, names)
        elif rows:
            self._title(whole_import(rows, self._rows)[0])  # of its rest, somebody may have decided

    def show_again(self, names: dict[str, str], report: ImportReport) -> bool:
        """Show the last import with what became of files that were read again or were left; tell whether there was one.

        ``report`` may say more of them than is stored.
        """
        rows = self._rows(0)
        if rows:
            self._show_stored(rows, names, notes(report))
        return bool(rows)

    def show_report(self, report: ImportReport, names: dict[str, str]) -> bool:
        """Show what became of files that were just added; tell whether anything needs to be looked at."""
        rows = self._rows(0)
        self._stamp = (rows[0].at, len(rows)) if rows else ("", 0)
        files = imported_files(report, names)
        self.model.show(files)
        self.summary.setText(report_summary(report))
        self._title(rows)
        return any(file.status in ("failed", "note") for file in files)

    def _show_stored(
        self, last: Sequence[ImportedRow], names: dict[str, str], remarks: Sequence[ImportedFile] = ()
    ) -> None:
        self._stamp = last[0].at, len(last)
        rows, moment = whole_import(last, self._rows)
        documents = self._session.do(lambda bench: bench.documents.all()) or []
        ledgers = {row.id: left_out_parts.sentence(row.left_out) for row in documents if row.left_out}
        self.model.show([*remarks, *stored_files(rows, names, ledgers)])
        self.summary.setText(stored_summary(rows, moment))
        self._title(rows)

    def _rows(self, run: int) -> list[ImportedRow]:
        """Ask for the files of one import; 0 is the last."""
        return self._session.do(lambda bench: bench.documents.imports(run)) or []

    def _title(self, rows: Sequence[ImportedRow]) -> None:
        failures = sum(row.status == "failed" for row in rows)
        counts = self._session.do(lambda bench: bench.documents.import_counts()) or []
        title = f"Last import ({failures} failed)" if failures else "Last import"
        self.titled.emit(title, last_import_words(rows, counts))

    def _open(self) -> None:
        index = self.table.currentIndex()
        row = self.model.rows[index.row()] if index.isValid() else None
        if row is None or not row.document:
            return
        if row.status == "failed":  # it has no page that could be shown
            self.show_failure.emit(row.document)
        else:
            self.show_source.emit(row.document, 1, 0, 0)
