"""The what-if below the rows: rows set aside to see who would lead without them, and the way to remove them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui_app.matrix.decisions import MatrixDecisions
from gui_app.matrix.grid import MatrixGrid
from gui_app.shared.formatting import counted
from gui_app.shared.info_bar import InfoBar


class WhatIfStrip(InfoBar):
    """Sets rows of the grid aside; ``aside`` has their ids, and nothing of it is stored.

    ``switched(bool)`` when a what-if begins or ends, ``aside_changed()`` when other rows are set aside, ``ended()``
    when the case is shown as it is again.
    """

    switched = Signal(bool)
    aside_changed = Signal()
    ended = Signal()

    def __init__(self, grid: MatrixGrid, decisions: MatrixDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = grid
        self._decisions = decisions
        self.aside: frozenset[str] = frozenset()
        self._lead = ""
        self._is_armed = False
        self.remove_button = self.add_button("Remove them…", self._remove)
        self.back_button = self.add_button("Back to the case", self.step_back)

    def toggle(self) -> None:
        """Show check boxes before the rows, or go back to the case as it is."""
        if self._grid.what_if:
            self.step_back()
            return
        self.switched.emit(True)
        self._grid.show_what_if(True, self.aside)
        self.show_lead("")
        self._grid.setFocus()

    def show_lead(self, sentence: str) -> None:
        """Show who would lead, while a what-if is on."""
        self._lead = sentence
        self.setVisible(self._grid.what_if)
        if self._grid.what_if:
            self._say()

    def forget(self) -> None:
        """Show the grid of another case, without a what-if."""
        self.aside, self._lead, self._is_armed = frozenset(), "", False
        self.hide()
        self.switched.emit(False)
        self._grid.show_what_if(False, self.aside)

    def keep(self, ids: Collection[str]) -> None:
        """Forget rows that are not among these."""
        self.aside &= frozenset(ids)

    # --- which rows --------------------------------------------------------------------------------------------------

    def toggle_rows(self, ids: Sequence[str]) -> None:
        """Set rows aside; when all of them are aside already, take them back."""
        if not ids:
            return
        rows = frozenset(ids)
        self.aside = self.aside - rows if rows <= self.aside else self.aside | rows
        self._is_armed = False
        self._grid.show_what_if(True, self.aside)
        self.show_lead("")  # of other rows than are set aside now
        self.aside_changed.emit()

    def toggle_selected(self) -> None:
        """Set the selected rows aside, or take them back."""
        if not self._grid.what_if:
            self.toggle()
        self.toggle_rows([row.id for row in self._grid.with_copies(self._grid.selected_rows())])

    def toggle_source(self) -> None:
        """Do so with every row of the source under the cursor."""
        row = self._grid.current_row()
        if row is None:
            return
        if not self._grid.what_if:
            self.toggle()
        source, rows = row.item.source, self._grid.sheet.rows
        self.toggle_rows([fellow.id for fellow in rows if fellow.item.source == source] if source else [row.id])

    # --- the way out -------------------------------------------------------------------------------------------------

    def step_back(self) -> None:
        """Cancel the pending removal; if there is none, leave the what-if."""
        if self._is_armed:
            self._is_armed = False
            self._say()
        else:
            self._leave()

    def _leave(self) -> None:
        """Nothing was stored, so there is nothing to take back."""
        self.forget()
        self.ended.emit()
        self._grid.setFocus()

    def _remove(self) -> None:
        """Asked for once, say what would be removed; the second time remove it, as one decision."""
        self._is_armed = not self._is_armed
        if self._is_armed:
            self._say()
        elif self._decisions.remove([row.id for row in self._grid.sheet.rows if row.id in self.aside]):
            self._leave()

    def _say(self) -> None:
        count = len(self.aside)
        rows = counted(count, "row")
        self.remove_button.setVisible(bool(count))
        self.remove_button.setEnabled(not self._grid.read_only)
        self.back_button.setText("Keep them" if self._is_armed else "Back to the case")
        self.remove_button.setText(f"Remove {rows}" if self._is_armed else "Remove them…")
        if self._is_armed:
            sentence = f"Remove {rows} with all ratings? Undo brings them back."
        elif not count:
            sentence = "What if: untick rows (X) or a whole source (Shift+X) and watch the ranks. Nothing is stored."
        else:
            sentence = f"What if: {rows} set aside. {self._lead}"
        self.say(sentence)
