"""What drops down from the search field: the operators with an example each, and the searches that were kept."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.domain import Consideration
from gui_app.shared import theme
from gui_app.shared.formatting import counted, when
from gui_app.shared.labels import line, plain
from gui_app.shared.snippet_list import TARGET, SnippetList

OPERATORS = (
    ('"stood still"', "These words next to each other"),
    ("pressure NEAR/5 valve", "Both, at most five words apart"),
    ("press*", "Words starting with this"),
    ("pump AND valve", "Both words; OR is not needed: passages with any of the words are found"),
    ("-alarm", 'Passages without this word (-"two words" too)'),
    ("document:D1", "Only in this document, by its number or a part of its name or title; -document: leaves one out"),
    ("source:orb", "Only documents from there: publisher, sender, site; -source: leaves them out"),
    ("tag:mail", "Only in documents with this tag; -tag: leaves them out"),
    ("language:de", "Only in documents in this language; -language: leaves them out"),
    ('name:"Dana Reyes"', "Passages that mention somebody or something, by any of its names in the case"),
    ("when:2024-03-05", "Passages that mention this day, month or year; when:2024-03..2024-05 for a span"),
    ("grade:A-C", "Only sources of these grades of reliability"),
    ("date:2024-03", "Only documents of this day, month or year; date:2024-03..2024-05 for a span"),
    ("after:2024-03-05", "Documents of this day or later"),
    ("before:2024-06", "Documents of this day, month or year, or earlier"),
)


class Popover(QFrame):
    """A list that floats below a button over the screen; Escape gives the focus back."""

    def __init__(self, over: QWidget, title: str, *, wide: int = 440) -> None:
        super().__init__(over)
        self._over, self._wide = over, wide
        self._before: QWidget | None = None
        self.setProperty("kind", "popup")
        self.setAccessibleName(title)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(1, 8, 1, 8)
        self.column.setSpacing(8)
        head = QHBoxLayout()
        head.setContentsMargins(16, 4, 12, 0)
        self.title = plain(title, "strong")
        head.addWidget(self.title, 1)
        self.head = head
        self.column.addLayout(head)
        self.column.addWidget(line())
        self.list = SnippetList(title, quotes=False, lines=2)
        self.list.installEventFilter(self)
        self.column.addWidget(self.list, 1)
        self.foot = plain("", "small", wrap=True)
        self.foot.setContentsMargins(16, 0, 16, 0)
        self.column.addWidget(self.foot)
        self.hide()

    def open_below(self, button: QWidget) -> None:
        """Float below ``button``, its right edge at the button's, inside the screen."""
        self._before = QApplication.focusWidget()
        corner = button.mapTo(self._over, QPoint(button.width(), button.height() + 4))
        wide = min(theme.px(self._wide), self._over.width() - 16)
        room = self._over.height() - corner.y() - 16
        self.foot.setVisible(bool(self.foot.text()))
        self.setFixedWidth(wide)
        self.show()
        self.list.setFixedWidth(wide - 2)
        self.list.doItemsLayout()
        rows = sum(self.list.sizeHintForRow(row) for row in range(self.list.count())) + 8
        frame = self.head.sizeHint().height() + 4 * 8 + 16
        frame += self.foot.heightForWidth(wide - 2) + 8 if self.foot.text() else 0
        self.list.setFixedHeight(max(theme.px(32), min(rows, room - frame)))
        self.setFixedHeight(self.list.height() + frame)
        self.move(max(8, min(corner.x() - wide, self._over.width() - wide - 8)), corner.y())
        self.raise_()
        if self.list.currentRow() < 0 and self.list.count():
            self.list.setCurrentRow(0)
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Hide, and give the focus back."""
        if self.isVisible():
            self.hide()
            if self._before is not None and self._before.isVisible():
                self._before.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Hide on Escape, and when the focus goes elsewhere."""
        if event.type() == QEvent.Type.FocusOut:
            focus = QApplication.focusWidget()
            if focus is None or not self.isAncestorOf(focus):
                self.hide()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return True
        return super().eventFilter(target, event)


class Operators(Popover):
    """Search operators. ``chosen(example)`` puts it into the field."""

    chosen = Signal(str)

    def __init__(self, over: QWidget) -> None:
        super().__init__(over, "")
        self.title.setText("Search operators")
        self.setAccessibleName(self.title.text())
        self.list.setAccessibleName(self.title.text())
        for example, meaning in OPERATORS:
            self.list.add(example, meaning, example)
        self.foot.setText("Enter or a click puts an example into the field, to be changed there.")
        self.list.chosen.connect(self._take)

    def _take(self, example: str) -> None:
        self.hide()
        self.chosen.emit(example)


def saved_words(search: Consideration, newer: int) -> str:
    """Return when a search was saved and how many documents came since, in words."""
    since = f" · {counted(newer, 'new document')} since" if newer else ""
    return f"saved {when(search.at)[:10]}{since}"


def fill(view: SnippetList, searches: Sequence[tuple[Consideration, int]]) -> None:
    """Show kept searches, the last first, with how many documents came since."""
    view.clear()
    for search, newer in reversed(searches):
        words = search.text if search.text == search.query else f"{search.text}: {search.query}"
        view.add(saved_words(search, newer), words, search)


class SavedSearches(Popover):
    """The searches that were kept. ``chosen(Consideration)`` runs one, ``removed(id)`` forgets one."""

    chosen = Signal(object)
    removed = Signal(str)

    def __init__(self, over: QWidget) -> None:
        super().__init__(over, "")
        self.title.setText("Saved searches")
        self.setAccessibleName(self.title.text())
        self.list.setAccessibleName(self.title.text())
        self.remove_button = QPushButton("Delete")
        self.remove_button.setProperty("kind", "quiet")
        self.remove_button.setAccessibleName("Delete the selected search")
        self.remove_button.setToolTip("Delete the selected search (Delete)")
        self.remove_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.remove_button.clicked.connect(lambda _on=False: self._remove())
        self.head.addWidget(self.remove_button)
        self.list.chosen.connect(self._take)

    def show_searches(self, searches: Sequence[tuple[Consideration, int]], *, writable: bool) -> None:
        """List these searches, each with how many documents came since."""
        row = self.list.currentRow()
        fill(self.list, searches)
        self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
        self.remove_button.setVisible(writable and bool(searches))
        self.foot.setText("" if searches else "None yet: the star in the field saves the current search.")

    def _take(self, search: Consideration) -> None:
        self.hide()
        self.chosen.emit(search)

    def _remove(self) -> None:
        item = self.list.currentItem()
        if item is not None and not self.remove_button.isHidden():
            self.removed.emit(item.data(TARGET).id)

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Delete the selected search on Delete."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Delete:
            self._remove()
            return True
        return super().eventFilter(target, event)
