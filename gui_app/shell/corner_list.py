"""A list over the work, in a corner of the window: what the jobs and the messages have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListView, QPushButton, QWidget
from shiboken6 import isValid

from gui_app.shared import theme
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.table_models import ListRows


class CornerList(QFrame):
    """A heading, a list of ``model``, and buttons below it; Escape closes it and gives the keys back.

    ``fill()`` shows the rows as they are now, ``press(event)`` acts on a key and returns whether it took it. The list
    has a ``size`` in pixels at the usual text size, and begins ``top`` pixels below the upper edge of the window, or
    ends ``below`` the lower one. An empty one is its heading alone.
    """

    def __init__(
        self,
        name: str,
        aloud: str,
        model: ListRows,
        parent: QWidget,
        *,
        fill: Callable[[], object],
        press: Callable[[QKeyEvent], bool],
        size: tuple[int, int] = (440, 360),
        top: int = 0,
        below: int = 0,
    ) -> None:
        super().__init__(parent)
        self._fill, self._press = fill, press
        self._size, self._top, self._below = size, top, below
        self._previous_focus: QWidget | None = None
        self.setProperty("kind", "popup")
        self.setAccessibleName(name)
        self._column = column = vbox(self, margins=(0, 12, 0, 8), spacing=8)
        self.head = plain(name.upper(), "section")
        self.close_button = QPushButton("Close")
        self.close_button.clicked.connect(self.dismiss)
        above = hbox(margins=(16, 0, 16, 0))  # a label that has a style sheet ignores margins of its own
        above.addWidget(self.head, 1)
        above.addWidget(self.close_button)
        column.addLayout(above)
        self._body = QWidget()
        body = vbox(self._body, spacing=8)
        body.addWidget(line())
        self.model = model
        self.view = QListView()
        self.view.setModel(model)
        self.view.setWordWrap(True)
        self.view.setResizeMode(QListView.ResizeMode.Adjust)  # or rows have the height of another width
        self.view.setAccessibleName(aloud)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.installEventFilter(self)
        around = hbox(margins=(12, 0, 8, 0))
        around.addWidget(self.view)
        body.addLayout(around, 1)
        body.addWidget(line())
        self._foot = hbox(margins=(16, 0, 16, 0))
        body.addLayout(self._foot)
        column.addWidget(self._body, 1)
        parent.installEventFilter(self)
        self.hide()

    def add_buttons(self, left: Iterable[QPushButton], right: Iterable[QPushButton]) -> None:
        """Put buttons below the list."""
        for button in left:
            self._foot.addWidget(button)
        self._foot.addStretch(1)
        for button in right:
            self._foot.addWidget(button)

    def turn(self) -> None:
        """Show the list, or put it away."""
        if self.isVisible():
            self.dismiss()
            return
        self._previous_focus = self.window().focusWidget()
        self.show()
        self._fill()
        self._place()
        self.raise_()
        self.view.setCurrentIndex(self.model.index(0, 0))
        (self.view if self.model.rows else self.close_button).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def dismiss(self) -> None:
        """Put the list away and give the keys back."""
        if self.isVisible():
            self.hide()
            previous = self._previous_focus
            if previous is not None and isValid(previous) and previous.isVisible():
                previous.setFocus(Qt.FocusReason.OtherFocusReason)
        self._previous_focus = None

    def current(self) -> Any:
        """Return the selected row, or None."""
        row = self.view.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def show_head(self, words: str) -> None:
        """Show the heading, above the list where it has rows, else alone."""
        self.head.setText(words.upper())
        is_filled = bool(self.model.rows)
        if self._body.isHidden() != is_filled:
            return
        if self._body.isAncestorOf(self.window().focusWidget()):
            self.close_button.setFocus()
        self._body.setVisible(is_filled)
        self._place()

    def _place(self) -> None:
        around = self.parentWidget()
        if around is not None:
            width = min(theme.px(self._size[0]), around.width() - 32)
            self._column.activate()
            high = theme.px(self._size[1]) if self.model.rows else self.sizeHint().height()
            height = min(high, around.height() - 120)
            top = self._top or around.height() - height - theme.px(self._below)
            self.setGeometry(around.width() - width - 16, top, width, height)

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Close by Escape, act on the keys of the list, and keep to the corner of the window."""
        if event.type() == QEvent.Type.Resize and target is self.parentWidget() and self.isVisible():
            self._place()
        if target is self.view and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() != Qt.Key.Key_Escape:
                return self._press(event)
            self.dismiss()
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by Escape from the buttons, too."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)
