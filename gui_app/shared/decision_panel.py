"""What is to be decided in a list at the left, the one in hand at the right, the decision on it with a note below."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QPushButton, QSplitter, QStackedWidget, QWidget

from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.header import decisions
from gui_app.shared.labels import line
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.snippet_list import TARGET, SnippetList
from gui_app.shared.sources_view import SourcesView


class DecisionPage(QStackedWidget):
    """A list beside what ``view`` shows, with buttons for ``actions`` (command, text); ``empty`` where there is none.

    ``moved()`` when another thing of the list is in hand, ``note_written(str)`` on Enter in the note.
    """

    moved = Signal()
    note_written = Signal(str)

    def __init__(
        self,
        name: str,
        view: SourcesView,
        actions: Iterable[tuple[QAction, str]],
        *,
        empty: EmptyState,
        least: int,
        width: int,
    ) -> None:
        super().__init__()
        self.list = SnippetList(name, quotes=False)
        self.list.setMinimumWidth(theme.px(least))
        self.list.currentItemChanged.connect(lambda *_: self.moved.emit())
        self.list.itemActivated.connect(lambda _item: view.focus_first())
        right = QWidget()
        beside = vbox(right, spacing=0)
        beside.addWidget(view, 1)
        beside.addWidget(line())
        bar = hbox(margins=(24, 8, 24, 8), spacing=8)
        self.note_field = QLineEdit()
        self.note_field.setPlaceholderText("Reason (N)")
        self.note_field.setAccessibleName("Note on the decision")
        self.note_field.setMaxLength(1_000)
        self.note_field.returnPressed.connect(self._finish_note)
        bar.addWidget(self.note_field, 1)
        self.buttons: list[QPushButton] = list(decisions((action, text, "") for action, text in actions))
        for widget in self.buttons:
            bar.addWidget(widget)
        beside.addLayout(bar)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.list)
        self.split.addWidget(right)
        self.split.setStretchFactor(0, 0)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([theme.px(width), 800])
        self.empty = empty
        self.addWidget(self.split)
        self.addWidget(self.empty)
        self.setCurrentWidget(self.empty)

    def fill(
        self,
        rows: Iterable[tuple[str, str, Any]],
        is_in_hand: Callable[[Any], bool] = bool,
        *,
        or_first: bool = True,
    ) -> None:
        """List things (title, text, thing), with the first that ``is_in_hand`` in hand, else the first of all or none.

        None where what was in hand has gone by itself: no decision that was meant for it may fall on another.
        """
        rows = list(rows)
        self.list.blockSignals(True)
        self.list.clear()
        for row in rows:
            self.list.add(*row)
        at = next((at for at, (_, _, thing) in enumerate(rows) if is_in_hand(thing)), 0 if or_first and rows else -1)
        self.list.setCurrentRow(at)
        self.list.blockSignals(False)
        self.setCurrentWidget(self.split if rows else self.empty)

    def chosen(self) -> Any:
        """Return the thing in hand; None for nothing."""
        item = self.list.currentItem()
        return None if item is None else item.data(TARGET)

    def things(self) -> list[Any]:
        """List what is on show."""
        return [self.list.item(row).data(TARGET) for row in range(self.list.count())]

    def note(self) -> str:
        """Return the note on the decision."""
        return self.note_field.text().strip()

    def write_note(self) -> None:
        """Put the cursor into the note."""
        self.note_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.note_field.selectAll()

    def _finish_note(self) -> None:
        self.list.setFocus()
        self.note_written.emit(self.note())
