"""The grid and the plain table in one place, with what is edited over a cell and what goes over the clipboard."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QStackedWidget, QTableView, QWidget

from gui_app.matrix import clipboard
from gui_app.matrix.cell_note import CellLine, CellNote
from gui_app.matrix.decisions import MatrixDecisions
from gui_app.matrix.grid import MatrixGrid
from gui_app.matrix.grid_model import MatrixTable
from gui_app.session import CaseSession
from gui_app.shared.formatting import counted


class GridViews(QStackedWidget):
    """Shows the grid, or the plain table in its place. ``paste_failed(why)``; '' when a paste worked."""

    paste_failed = Signal(str)

    def __init__(self, session: CaseSession, decisions: MatrixDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._decisions = decisions
        self.grid = MatrixGrid()
        self.grid.noted.connect(self.edit_note)
        self.grid.edited.connect(self._edit_field)
        self.grid.refused.connect(session.status.emit)
        # Beside the grid, not inside: there the grid would take their Tab for its own.
        self.note = CellNote(self)
        self.note.closed.connect(self.grid.setFocus)
        self.cell_line = CellLine(self)
        self.cell_line.saved.connect(lambda evidence, field, text: decisions.describe([evidence], **{field: text}))
        self.cell_line.closed.connect(self.grid.setFocus)
        for bar in (self.grid.verticalScrollBar(), self.grid.horizontalScrollBar()):
            bar.valueChanged.connect(lambda _value: self.note.save())
        self.table = MatrixTable()
        self.plain_table = QTableView()
        self.plain_table.setTabKeyNavigation(False)  # Tab leaves it, as it does other tables
        self.plain_table.setModel(self.table)
        self.plain_table.setAccessibleName("Matrix as a plain table")
        self.plain_table.verticalHeader().hide()
        self.addWidget(self.grid)
        self.addWidget(self.plain_table)

    # --- over a cell -------------------------------------------------------------------------------------------------

    def edit_current_note(self) -> None:
        """Edit the note of the cell under the cursor."""
        row, hypothesis = self.grid.current_row(), self.grid.current_hypothesis()
        if row is not None and hypothesis is not None:
            self.edit_note(row.id, hypothesis.id)

    def edit_note(self, evidence: str, hypothesis: str) -> None:
        """Edit the note and the confidence of one's own rating beside its cell; say why where there is none."""
        if self.grid.sheet.place(evidence, hypothesis) is None or not self.grid.editor.may_rate():
            return
        own_rating = self._decisions.own_assessment(evidence, hypothesis)
        if own_rating is None:
            self._session.status.emit("Rate the cell first: type CC, C, N, I, II or NA, then Enter for its note.")
            return
        self.note.edit(
            evidence,
            hypothesis,
            title=f"{evidence} · {hypothesis}: {own_rating.rating}",
            note=own_rating.note,
            confidence=own_rating.confidence,
            over=self.grid.cursor_rect(),
        )

    def _edit_field(self, evidence: str, field: str) -> None:
        row = self.grid.current_row()
        if row is None or self.grid.read_only:
            return
        hint = "2021-05-03, 2021-05 or 2021" if field == "date" else ""
        text = row.item.date if field == "date" else row.item.source
        self.cell_line.edit(evidence, field, text, self.grid.cursor_rect(), hint=hint)

    # --- the clipboard -----------------------------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy the selection for a spreadsheet."""
        if self.grid.current_row() is not None:
            self._copy(self.grid.editor.selection_as_text(), len(self.grid.selected_rows()))

    def copy_rows(self) -> None:
        """Copy the rows with everything that is known of them, and a header."""
        rows, sheet = self.grid.selected_rows(), self.grid.sheet
        if rows:
            header = [*MatrixTable.FIRST, *(h.id for h in sheet.hypotheses), "Diagnosticity"]
            numbers = [number for row in rows if (number := sheet.row_of(row.id)) is not None]
            lines = [clipboard.line_of(sheet, number) for number in numbers]
            self._copy(clipboard.as_tsv([header, *lines]), len(rows))

    def _copy(self, text: str, rows: int) -> None:
        QGuiApplication.clipboard().setText(text)
        self._session.status.emit(f"{counted(rows, 'row')} copied")

    def paste(self) -> None:
        """Rate by what is on the clipboard: all of its cells or none."""
        text = QGuiApplication.clipboard().text()
        if text.strip("\r\n"):
            self.paste_failed.emit(self.grid.editor.paste(text))
        else:
            self._session.status.emit("There is no text to paste.")
