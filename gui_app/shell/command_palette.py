"""Ctrl+K: one field that finds every command, screen, document and hypothesis, and searches the documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui_app.shared import theme
from gui_app.shared.labels import line
from gui_app.shared.layout import vbox
from gui_app.shared.row_painting import LEFT, RIGHT
from gui_app.shared.table_models import ListRows
from gui_app.shell.palette_words import closeness

WIDTH = 600
SHOWN = 9
THINGS = frozenset({"document", "hypothesis", "recent case"})  # found by their own words alone
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Entry:
    """Something the palette can do. ``kind`` tells command, screen, document, hypothesis; ``keys`` its shortcut."""

    title: str
    kind: str
    run: Callable[[], object]
    keys: str = ""
    is_enabled: bool = True


class _Entries(ListRows):
    def role_data(self, entry: Entry, index: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.title}, {entry.kind}" + (f", {entry.keys}" if entry.keys else "")
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and not self.rows[index.row()].is_enabled:
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)


class _EntryDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.px(34))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = theme.tokens()
        entry: Entry = index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.selection))
            painter.drawRoundedRect(rect.adjusted(6, 1, -6, -1), 5, 5)
        inner = rect.adjusted(18, 0, -18, 0)
        aside = entry.keys or entry.kind
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(t.muted))
        painter.drawText(inner, RIGHT, aside)
        aside_width = painter.fontMetrics().horizontalAdvance(aside) + 16
        font = theme.sans(theme.BODY)
        painter.setFont(font)
        painter.setPen(QColor(t.text if entry.is_enabled else t.strong_line))
        room = inner.adjusted(0, 0, -aside_width, 0)
        title = QFontMetrics(font).elidedText(entry.title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, LEFT, title)
        painter.restore()


class CommandPalette(QFrame):
    """Floats over the window; Enter runs, Escape goes back to where the focus was."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "popup")
        self.setAccessibleName("Search or command")
        column = vbox(self, margins=(0, 6, 0, 6), spacing=4)
        self.field = QLineEdit()
        self.field.setProperty("kind", "plain")
        self.field.setPlaceholderText("Type a command, a document, a hypothesis, or words to search for")
        self.field.setAccessibleName("Search or command")
        self.field.setContentsMargins(12, 4, 12, 4)
        self.field.setFont(theme.sans(theme.LARGE))
        column.addWidget(self.field)
        column.addWidget(line())
        self.model = _Entries(self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(_EntryDelegate(self.view))
        self.view.setAccessibleName("Matching commands")
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.clicked.connect(lambda index: self._run(index.row()))
        column.addWidget(self.view)
        self._entries: list[Entry] = []
        self._search: Callable[[str], object] | None = None
        self._before: QWidget | None = None
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self.hide()

    def ask(self, entries: Sequence[Entry], search: Callable[[str], object] | None, text: str = "") -> None:
        """Open with these entries. ``search`` takes the typed text; None while there is nothing to search."""
        self._entries = list(entries)
        self._search = search
        self._before = self.window().focusWidget()
        if self._before is not None and not self.isVisible():
            self._before.clearFocus()  # who takes the keys back when they leave a line of theirs does so now, not later
        self.field.setFont(theme.sans(theme.LARGE))
        self.field.setText(text)
        self._filter(text)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.deselect()  # what is typed next goes on from the text

    def _filter(self, query: str) -> None:
        query = query.strip()
        if query:
            scores = [(closeness(query, entry.title, exact=entry.kind in THINGS), entry) for entry in self._entries]
            matches = [entry for score, entry in sorted(scores, key=lambda item: -item[0]) if score > 0]
            search = self._search
            if search is not None:
                document_search = Entry(f"Search the documents for “{query}”", "search", lambda: search(query))
                # Words that name nothing here are a search; otherwise the search is the last resort.
                matches = [*matches[: SHOWN - 1], document_search]
        else:
            matches = self._entries
        self.model.show(matches)
        first = next((index for index, entry in enumerate(matches) if entry.is_enabled), -1)
        if first >= 0:
            self.view.setCurrentIndex(self.model.index(first, 0))
        self._place()

    def _place(self) -> None:
        around = self.parentWidget()
        if around is None:
            return
        width = min(WIDTH, around.width() - 48)
        rows = max(1, min(SHOWN, self.model.rowCount()))
        self.view.setFixedHeight(rows * theme.px(34) + 4)
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((around.width() - width) // 2, 8)

    def _run(self, row: int) -> None:
        if not 0 <= row < len(self.model.rows):
            return
        entry = self.model.rows[row]
        if entry.is_enabled:
            self.dismiss()
            entry.run()

    def dismiss(self) -> None:
        """Close the list and give the keys back."""
        if not self.isVisible():
            return
        self.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._before = None

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Move in the list with the keys of the field, and close it when the focus goes."""
        if event.type() == QEvent.Type.FocusOut and target is self.field and self.isVisible():
            self.hide()
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.dismiss()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(self.view.currentIndex().row())
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._step(1 if key == Qt.Key.Key_Down else -1)
        else:
            return False
        return True

    def _step(self, by: int) -> None:
        rows = self.model.rows
        row = self.view.currentIndex().row()
        for _ in rows:
            row = (row + by) % len(rows)
            if rows[row].is_enabled:
                self.view.setCurrentIndex(self.model.index(row, 0))
                return
