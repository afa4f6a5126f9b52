"""What every queue of the review has at the left: how much is left, filters, the list, and what is selected in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtWidgets import QAbstractItemView, QComboBox, QFrame, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from gui_app.shared.labels import ElidedLabel

T = TypeVar("T")


def filter_combo(name: str, on_choice: Callable[[], object]) -> QComboBox:
    """Make a choice of what a queue shows; a person's choice calls ``on_choice``."""
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setToolTip(name)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(6)
    combo.activated.connect(lambda _index: on_choice())
    return combo


def status_combo(on_choice: Callable[[], object]) -> QComboBox:
    """Make the choice of a status: its data is the status, '' for all."""
    combo = filter_combo("Show the status", on_choice)
    for text, status in (("to review", "pending"), ("accepted", "accepted"), ("rejected", "rejected"), ("all", "")):
        combo.addItem(text, status)
    return combo


def fill_frame(
    frame: QFrame, count: ElidedLabel, choices: Sequence[QWidget | QLayout], rows: QAbstractItemView
) -> QHBoxLayout:
    """Put a queue into its frame, and return the row of ``count``, which takes the buttons of the screen."""
    frame.setProperty("kind", "surface")
    head = QHBoxLayout()
    head.setSpacing(4)
    head.addWidget(count, 1)
    filters = QVBoxLayout()
    filters.setContentsMargins(16, 8, 16, 8)
    filters.setSpacing(8)
    filters.addLayout(head)
    for part in choices:
        if isinstance(part, QLayout):
            filters.addLayout(part)
        else:
            filters.addWidget(part)
    column = QVBoxLayout(frame)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addLayout(filters)
    column.addWidget(rows, 1)
    return head


def current_row(view: QAbstractItemView, rows: Sequence[T]) -> T | None:
    """Return which of ``rows`` is under the cursor of their list."""
    row = view.currentIndex().row()
    return rows[row] if 0 <= row < len(rows) else None


def selected_rows(view: QAbstractItemView, rows: Sequence[T]) -> list[T]:
    """List which of ``rows`` are selected, in their order; else what is under the cursor."""
    selection = sorted(index.row() for index in view.selectionModel().selectedRows())
    if selection:
        return [rows[row_number] for row_number in selection if row_number < len(rows)]
    current = current_row(view, rows)
    return [] if current is None else [current]
