"""Which row is selected when a list was read again: a key decides on the row that a person saw, or on none.

And where it is in the view, so that what a person reads stays under their eyes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from PySide6.QtCore import QItemSelectionModel, QPoint
from PySide6.QtWidgets import QAbstractItemView

K = TypeVar("K", bound=Hashable)


def row_after(keys: Sequence[K], in_hand: K | None, row: int, *, moves_on: bool) -> int:
    """Return the row of what was selected (None: nothing was, so the first); -1 for no row.

    A row that is gone leaves ``row`` to the next one if the list ``moves_on`` by the person's own doing. Else no row is
    selected: a key that is on its way was meant for the one that is gone.
    """
    if in_hand in keys:
        return keys.index(in_hand)
    if in_hand is not None and not moves_on:
        return -1
    return min(max(row, 0), len(keys) - 1) if in_hand is not None else min(0, len(keys) - 1)


def take_row(view: QAbstractItemView, row: int) -> None:
    """Select one row and no other, whatever keys are held down; -1 for none.

    ``setCurrentIndex`` of Qt adds to the selection while Ctrl or Shift is held, as when Ctrl+Z reads a list again.
    """
    selection = view.selectionModel()
    if row < 0:
        selection.clear()
        return
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    index = view.model().index(row, max(0, view.currentIndex().column()))
    selection.setCurrentIndex(index, flags)
    view.scrollTo(index)


def select_rows(view: QAbstractItemView, rows: Sequence[int]) -> None:
    """Select these rows as well as the selected one."""
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    for row in rows:
        view.selectionModel().select(view.model().index(row, 0), flags)


def place_in_view(view: QAbstractItemView, keys: Sequence[K]) -> tuple[K, int] | None:
    """Return a row in view, the current one before the uppermost, and where it ends, in pixels; None for no row."""
    index, area = view.currentIndex(), view.viewport().rect()
    if not area.intersects(view.visualRect(index)):
        index = view.indexAt(QPoint(1, 1))
    return (keys[index.row()], view.visualRect(index).bottom()) if 0 <= index.row() < len(keys) else None


def scroll_to_place(view: QAbstractItemView, keys: Sequence[K], place: tuple[K, int] | None) -> None:
    """Have a row end where ``place_in_view`` says that it did: a list that was read again moves nothing."""
    if place is not None and place[0] in keys:
        end = view.visualRect(view.model().index(keys.index(place[0]), 0)).bottom()
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() + end - place[1])
