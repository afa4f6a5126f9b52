"""The field of the search: what is typed, its conditions as chips below, and values to choose from while typing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QPushButton, QWidget

from core.search.query_language import Condition, conditions
from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.labels import tooltip

_BEGUN = re.compile(r'(?:^|(?<=\s))-?(document|doc|in|source|tag|name|entity|grade):("?)([^"]*)$', re.IGNORECASE)
_KINDS = {"doc": "document", "in": "document", "entity": "name"}
_MAX_VALUES = 200  # that are offered

Values = Callable[[str], Sequence[tuple[str, str]]]


def open_condition(text: str) -> tuple[str, int, str] | None:
    """Return the condition being typed at the end of ``text``: its kind, where its value begins, the value so far.

    A value without quotes ends at the first blank.
    """
    match = _BEGUN.search(text)
    if match is None or (not match[2] and " " in match[3]):
        return None
    kind = match[1].lower()
    return _KINDS.get(kind, kind), match.start(2), match[3]


class SearchField(QLineEdit):
    """A line that offers values for ``document:``, ``source:``, ``tag:``, ``name:`` and ``grade:``.

    ``values(kind)`` gives them as (what is put in, what is shown).
    """

    def __init__(self, values: Values, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = values
        self._kind = ""
        self._items = QStandardItemModel(self)
        self.popup = QListView()
        self.popup.setAccessibleName("Values for the condition")
        self.popup.setStyleSheet("QListView::item { padding: 4px 8px; }")
        self.completer_ = QCompleter(self._items, self)
        self.completer_.setWidget(self)
        self.completer_.setPopup(self.popup)
        self.completer_.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.completer_.setFilterMode(Qt.MatchFlag.MatchContains)
        self.completer_.setMaxVisibleItems(9)
        self.completer_.activated[QModelIndex].connect(self._take)  # type: ignore[index]
        self.textEdited.connect(lambda _text: self.offer())

    def offer(self) -> None:
        """Show the values for the condition at the cursor, if one is being typed there."""
        condition = open_condition(self.text()[: self.cursorPosition()])
        if condition is None:
            self._kind = ""
            self.popup.hide()
            return
        kind, _, prefix = condition
        if kind != self._kind:
            self._kind = kind
            self._items.clear()
            for value, label in self._values(kind)[:_MAX_VALUES]:
                item = QStandardItem(label)
                item.setData(value, Qt.ItemDataRole.UserRole)
                self._items.appendRow(item)
        self.completer_.setCompletionPrefix(prefix)
        fitting = self.completer_.completionCount()
        only = self.completer_.currentCompletion() if fitting == 1 else ""
        if not fitting or only.casefold() == prefix.casefold():
            self.popup.hide()
            return
        start = self.cursorRect().translated(-self.fontMetrics().horizontalAdvance(prefix), 4)
        start.setWidth(max(theme.px(200), self.popup.sizeHintForColumn(0) + theme.px(32)))
        self.completer_.complete(start)
        self.popup.setCurrentIndex(self.completer_.completionModel().index(0, 0))

    def _take(self, index: QModelIndex) -> None:
        value = str(index.data(Qt.ItemDataRole.UserRole))
        position = self.cursorPosition()
        condition = open_condition(self.text()[:position])
        if condition is None:
            return
        _, start, _ = condition
        head, tail = self.text()[:start], self.text()[position:].removeprefix('"').lstrip()
        put = f"{quote_value(value)} "
        self._kind = ""
        self.setText(head + put + tail)
        self.setCursorPosition(len(head + put))
        self.textEdited.emit(self.text())

    def insert_example(self, example: str) -> None:
        """Put an operator in at the end, ready for its value to be typed or changed."""
        text = self.text().rstrip()
        start = len(text) + (1 if text else 0)
        self.setText(f"{text} {example}" if text else example)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        field = re.match(r"-?[a-z]+:", example)
        if field:
            self.setSelection(start + field.end(), len(example) - field.end())
        self.textEdited.emit(self.text())


def quote_value(value: str) -> str:
    """Return a value as it is typed after a field: in quotes where it would not hold together without."""
    plain = value.replace('"', " ")
    return plain if re.fullmatch(r"[^\s]+", plain) else f'"{plain}"'


class Chips(QWidget):
    """The conditions that the search understood; a click on one takes it out.

    ``dropped(start, end)`` asks for that stretch of the text to go; ``cleared()`` for the passage in place of a query.
    """

    dropped = Signal(int, int)
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = FlowLayout(self, gap=8)
        self._row.setContentsMargins(24, 0, 24, 12)
        self.chips: list[QPushButton] = []
        self.setAccessibleName("Conditions of the search")
        self.hide()

    def show_conditions(self, text: str, names: Callable[[str], str], like: str = "") -> None:
        """Show the conditions of ``text``; ``names(id)`` gives the name of a document.

        ``like`` names the passage whose like is searched for instead.
        """
        for chip in self.chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = []
        if like:
            self._add(f"like {like}", self.cleared.emit)
        for condition in [] if like else conditions(text):
            self._add(condition_words(condition, names), partial(self.dropped.emit, condition.start, condition.end))
        self.setVisible(bool(self.chips))

    def _add(self, words: str, slot: Callable[[], object]) -> None:
        chip = QPushButton(f"{words if len(words) <= 60 else words[:59] + '…'}   ✕".replace("&", "&&"))
        chip.setProperty("kind", "chip")
        chip.setAccessibleName(f"Remove the condition: {words}")
        chip.setToolTip(tooltip(f"{words}. Click to remove it."))
        chip.clicked.connect(lambda _on=False: slot())
        self.chips.append(chip)
        self._row.addWidget(chip)
        chip.show()


def condition_words(condition: Condition, names: Callable[[str], str]) -> str:
    """Word a condition: 'without alarm', 'in report.pdf', 'the words stood still'."""
    value = condition.value
    match condition.kind:
        case "phrase":
            return f"“{value}”"
        case "near":
            return value.replace(" words apart at most", " words at most")
        case "prefix":
            return f"beginning with {value.removesuffix('*')}"
        case "without":
            return f"without “{value}”"
        case "document":
            return f"{'not in' if condition.minus else 'in'} {names(value)}"
        case "source":
            return f"{'not from' if condition.minus else 'from'} {value}"
        case "tag":
            return f"{'without tag' if condition.minus else 'tag'} {value}"
        case "name":
            return f"names {value}"
        case "grade":
            return f"grade {value.upper().replace('-', ' to ')}"
        case "date":
            return f"dated {value.replace('..', ' to ')}"
        case "after":
            return f"dated {value} or later"
        case "before":
            return f"dated {value} or earlier"
        case "when":
            return f"mentions {value.replace('..', ' to ')}"
    return value


def without(text: str, start: int, end: int) -> str:
    """Return ``text`` without a stretch of it and without the blanks that this leaves."""
    return " ".join(part for part in (text[:start].rstrip(), text[end:].lstrip()) if part)


def keep_action(field: QLineEdit, action: QAction) -> None:
    """Put a command into the end of the field as a small picture."""
    field.addAction(action, QLineEdit.ActionPosition.TrailingPosition)
