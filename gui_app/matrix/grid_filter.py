"""Which rows of the matrix are shown: words, a menu of conditions, and the conditions in force as words to remove."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QMenu, QToolButton, QWidget

from gui_app.matrix.grid_model import Filter, Sheet, has_flag
from gui_app.shared import theme
from gui_app.shared.filter_chips import FilterChips, menu_text, short

MAX_SOURCES = 30

# Conditions in the order of the menu; the flags of rows follow where they occur.
_CELLS = ("unrated", "differs", "disputed", "note", "unsure", "outdated")
_ROWS = ("linchpin", "dull", "cluster", "absence", "stale", "superseded", "unchecked", "hidden", "struck", "conflict")


class GridFilter(FilterChips):
    """The line of removable words; it hides itself when there is none. ``changed()`` whenever the filter is another.

    ``field`` and ``button`` are put by the screen where it wants them.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filter = Filter()
        self.field = QLineEdit()
        self.field.setPlaceholderText("Filter")
        self.field.setAccessibleName("Show only rows with these words")
        self.field.setClearButtonEnabled(True)
        self.button = QToolButton()
        self.button.setAccessibleName("Filter by source, flag, unrated, disagreement")
        self.button.setToolTip("More filters")
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        theme.set_icon(self.button, "filter")
        self.menu = QMenu(self.button)
        self.menu.aboutToShow.connect(self._fill)
        self.button.setMenu(self.menu)
        self._sheet = Sheet()
        self.removed.connect(lambda condition: self.set_filter(self.filter().without(condition)))
        self.cleared.connect(self.clear)

    def words(self) -> dict[str, str]:
        """Return every condition as a person reads it."""
        return {
            "unrated": "Unrated cells",
            "differs": "Disagreeing with the model",
            "disputed": "In dispute",
            "note": "With a note",
            "unsure": "Low confidence",
            "outdated": "Rated before a rewording",
            "linchpin": "The result hangs on them",
            "dull": "Not diagnostic",
            "cluster": "Sharing a source",
            "absence": "Expected and not found",
            "stale": "Quote is stale",
            "superseded": "Superseded",
            "unchecked": "Scan not checked",
            "hidden": "Quoting hidden text",
            "struck": "Quoting struck-through words",
            "conflict": "In an open conflict",
        }

    def filter(self) -> Filter:
        """Return what is asked for now, with the words of the field."""
        return Filter(self.field.text(), self._filter.source, self._filter.flags)

    def show_sheet(self, sheet: Sheet) -> None:
        """Have the menu count the rows of this sheet."""
        self._sheet = sheet

    def set_filter(self, conditions: Filter) -> None:
        """Ask for other rows; the field takes the words."""
        was_blocked = self.field.blockSignals(True)
        self.field.setText(conditions.words)
        self.field.blockSignals(was_blocked)
        self._filter = conditions
        self._show_words()
        self.changed.emit()

    def focus_field(self) -> None:
        """Have the next keys replace the words of the filter."""
        self.field.setFocus()
        self.field.selectAll()

    def clear(self) -> None:
        """Show every row."""
        self.set_filter(Filter())

    def toggle(self, flag: str) -> None:
        """Toggle a condition."""
        self.set_filter(self.filter().toggle(flag))

    def set_source(self, source: str) -> None:
        """Show the rows of one source only; '' for all."""
        now = self.filter()
        self.set_filter(Filter(now.words, source, now.flags))

    def _fill(self) -> None:
        self.menu.clear()
        sheet, words = self._sheet, self.words()
        for flags in (_CELLS, _ROWS):
            for flag in flags:
                count = sum(has_flag(sheet, row, flag) for row in range(len(sheet.rows)))
                action = self.menu.addAction(f"{words[flag]}\t{count}")
                action.setCheckable(True)
                action.setChecked(flag in self._filter.flags)
                action.setEnabled(bool(count) or flag in self._filter.flags)
                action.triggered.connect(lambda _on=False, flag=flag: self.toggle(flag))
            self.menu.addSeparator()
        sources = self.menu.addMenu("Source")
        for source, count in Counter(row.item.source for row in sheet.rows).most_common(MAX_SOURCES):
            if source:
                action = sources.addAction(f"{menu_text(source)}\t{count}")
                action.setCheckable(True)
                action.setChecked(source == self._filter.source)
                action.triggered.connect(lambda on=False, source=source: self.set_source(source if on else ""))
        sources.setEnabled(bool(sources.actions()))
        if self._filter != Filter():
            self.menu.addSeparator()
            self.menu.addAction("Show every row").triggered.connect(lambda _on=False: self.clear())

    def _show_words(self) -> None:
        words = self.words()
        conditions = {flag: words[flag] for flag in self._filter.flags}
        if self._filter.source:
            conditions["source"] = f"Source: {short(self._filter.source)}"
        self.show_conditions(conditions)
