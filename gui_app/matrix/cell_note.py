"""The note and the confidence of one cell, edited beside the cell itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QButtonGroup, QFrame, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from gui_app.shared import theme
from gui_app.shared.header import segment
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import hbox, vbox

CONFIDENCES = ("", "low", "medium", "high")


class _Note(QPlainTextEdit):
    left = Signal(QFocusEvent)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit(event)


class CellNote(QFrame):
    """A small sheet over the grid.

    ``saved(evidence, hypothesis, note, confidence)`` only when something changed; ``closed()`` whenever it goes, saved
    or not; ``opened(place)`` says of which cell.
    """

    saved = Signal(str, str, str, str)
    opened = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setProperty("kind", "popup")
        self.setAutoFillBackground(True)
        self._cell = ("", "")
        self._before = ("", "")
        self.title = ElidedLabel("", "strong")
        self.text = _Note()
        self.text.setPlaceholderText("Why this rating?")
        self.text.setAccessibleName("Note of the cell")
        self.text.setTabChangesFocus(True)
        self.group = QButtonGroup(self)
        words = ("Not stated", "Low", "Medium", "High")
        sure = hbox(spacing=0)
        sure.addWidget(plain("Confidence", "muted"))
        sure.addSpacing(8)
        self.buttons: dict[str, QPushButton] = {}
        for index, (confidence, word) in enumerate(zip(CONFIDENCES, words, strict=True)):
            button = segment(word, first=not self.buttons)
            button.setAccessibleName(f"Confidence in this rating: {word}")
            self.group.addButton(button, index)
            sure.addWidget(button)
            self.buttons[confidence] = button
        sure.addStretch(1)
        column = vbox(self, margins=(12, 8, 12, 8), spacing=8)
        column.addWidget(self.title)
        column.addWidget(self.text, 1)
        column.addLayout(sure)
        column.addWidget(plain("Ctrl+Enter saves, Esc discards", "small"))
        for part in (self.text, *self.buttons.values()):
            part.installEventFilter(self)
        self.text.left.connect(self._focus_left)
        self.hide()

    def edit(self, evidence: str, hypothesis: str, *, title: str, note: str, confidence: str, over: QRect) -> None:
        """Open below the cell that lies at ``over`` of the parent widget, or above it where there is more room."""
        self._cell = (evidence, hypothesis)
        self._before = (note, confidence)
        self.title.setText(title)
        self.text.setPlainText(note)
        self.text.selectAll()
        self.buttons[confidence if confidence in self.buttons else ""].setChecked(True)
        self._place(over)
        self.show()
        self.raise_()
        self.text.setFocus()
        self.opened.emit(f"Note on {evidence} against {hypothesis}")

    def _place(self, over: QRect) -> None:
        room = self._over.rect()
        size = QSize(min(room.width() - 16, theme.px(400)), min(room.height() - 16, theme.px(208)))
        top = over.bottom() + 4
        if top + size.height() > room.height() - 8:
            above = over.top() - 4 - size.height()
            top = above if above >= 8 else max(8, room.height() - 8 - size.height())
        left = max(8, min(over.left(), room.width() - size.width() - 8))
        self.setGeometry(QRect(QPoint(left, top), size))

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Switch between the note and the confidence on Tab: the sheet is left by saving or by Escape."""
        target = self.buttons[self.confidence()] if self.text.hasFocus() else self.text
        target.setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def confidence(self) -> str:
        """Return the confidence that is chosen; '' when none is stated."""
        return CONFIDENCES[max(0, self.group.checkedId())]

    def save(self) -> None:
        """Keep what is written, if it is anything new, and close."""
        if not self.isVisible():
            return
        now = (self.text.toPlainText().strip(), self.confidence())
        self._close()
        if now != self._before:
            self.saved.emit(*self._cell, *now)

    def leave(self) -> None:
        """Close and forget what was written."""
        if self.isVisible():
            self._close()

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    def _focus_left(self, event: QFocusEvent) -> None:
        # A click elsewhere keeps the words; another window, a menu or the buttons below are no leaving.
        focus = self.window().focusWidget()
        if event.reason() == Qt.FocusReason.MouseFocusReason and focus is not None and not self.isAncestorOf(focus):
            self.save()

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Save on Ctrl+Enter and leave on Escape, wherever in the sheet the focus is."""
        if isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            save = enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            if save or event.key() == Qt.Key.Key_Escape:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    self.save() if save else self.leave()
                return True
        return super().eventFilter(target, event)


class CellLine(QLineEdit):
    """One line of a row (its source, its date) edited in its place. ``saved(evidence, field, text)``."""

    saved = Signal(str, str, str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._evidence = self._field = self._before = ""
        self.setAccessibleName("What is edited in its place")
        self.returnPressed.connect(self._save)
        self.hide()

    def edit(self, evidence: str, field: str, text: str, over: QRect, *, hint: str = "") -> None:
        """Open over the cell that lies at ``over`` of the parent widget."""
        self._evidence, self._field, self._before = evidence, field, text
        self.setText(text)
        self.setPlaceholderText(hint)
        self.setAccessibleName(f"{field} of {evidence}")
        wide = max(over.width(), theme.px(200))
        room = self._over.rect()
        left = max(0, min(over.left(), room.width() - wide))
        self.setGeometry(QRect(left, over.top() + (over.height() - 32) // 2, wide, 32))
        self.show()
        self.raise_()
        self.selectAll()
        self.setFocus()

    def _save(self) -> None:
        if not self.isVisible():
            return
        now = " ".join(self.text().split())
        self.hide()
        self.closed.emit()
        if now != self._before:
            self.saved.emit(self._evidence, self._field, now)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Save when the person clicks elsewhere."""
        super().focusOutEvent(event)
        if event.reason() == Qt.FocusReason.MouseFocusReason:
            self._save()

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Save on Tab."""
        self._save()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Escape, and forget what was written."""
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            self.closed.emit()
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Take Escape and Enter before any command of the screen has them."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (event.key() == Qt.Key.Key_Escape or event.matches(QKeySequence.StandardKey.InsertParagraphSeparator))
        ):
            event.accept()
            return True
        return super().event(event)
