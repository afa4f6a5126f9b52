"""F1: the handbook in a window of its own, so that it can be read beside the work, and while a dialog is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QHideEvent, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from core.handbook.pages import CONTENTS, Section, page_named, pages
from core.handbook.search import search, stems
from gui_app import window_state
from gui_app.handbook.page_view import PageView
from gui_app.shared import snippet_list
from gui_app.shared import theme as look
from gui_app.shared.command import Command
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.snippet_list import SnippetList

USUAL = QSize(1120, 800)
TYPED_MS = 120
TARGET = int(Qt.ItemDataRole.UserRole)


@dataclass(frozen=True, slots=True)
class _Stop:
    """A place that was read: a page, the heading that was gone to, and how far down it was scrolled."""

    page: str
    anchor: str = ""
    scroll: int = 0


class HandbookWindow(QWidget):
    """Contents or hits at the left, the page at the right, and the way back.

    ``text_resized(step)`` asks for larger (1), smaller (-1) or default (0) text.
    """

    text_resized = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Handbook - Disconfirm")
        self.setAccessibleName("Handbook")
        self._stops: list[_Stop] = []
        self._index = -1
        self.view = PageView()
        self.view.followed.connect(lambda page, anchor: self.open(page or self._stops[self._index].page, anchor))
        self.contents = self._make_contents()
        self.hits = SnippetList("Sections found in the handbook", quotes=False, lines=3)
        self.hits.chosen.connect(self._open_hit)
        self.no_hits = plain("", "muted", wrap=True)
        self.no_hits.setContentsMargins(16, 12, 16, 12)
        self.no_hits.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.side = QStackedWidget()
        for part in (self.contents, self.hits, self.no_hits):
            self.side.addWidget(part)
        self._dress_groups()
        look.changed.connect(self._dress_groups)
        self._make_commands()
        self._build()
        self._typing = QTimer(self, singleShot=True, interval=TYPED_MS)
        self._typing.timeout.connect(self._search)
        self.field.textChanged.connect(lambda _text: self._typing.start())
        self.field.installEventFilter(self)
        self.resize(USUAL)
        geometry = window_state.geometry("handbook")
        if geometry is not None:
            self.restoreGeometry(geometry)

    def _build(self) -> None:
        column = vbox(self, spacing=0)
        bar = hbox(margins=(12, 8, 16, 8), spacing=8)
        for action in (self.back_action, self.forward_action):
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAccessibleName(action.text())
            button.setToolTip(f"{action.text()} ({action.shortcut().toString()})")
            bar.addWidget(button)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search the handbook (Ctrl+F)")
        self.field.setAccessibleName("Search the handbook")
        self.field.setClearButtonEnabled(True)
        self.field.setMaximumWidth(440)
        bar.addWidget(self.field, 1)
        bar.addStretch(1)
        column.addLayout(bar)
        column.addWidget(line())
        surface = QFrame()
        surface.setProperty("kind", "surface")
        inside = vbox(surface)
        inside.addWidget(self.view)
        self.split = QSplitter()
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.side)
        self.split.addWidget(surface)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([look.px(270), look.px(850)])
        column.addWidget(self.split, 1)

    def _make_contents(self) -> QListWidget:
        contents = QListWidget()
        contents.setAccessibleName("Contents of the handbook")
        contents.setFrameShape(QListWidget.Shape.NoFrame)
        contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        contents.setStyleSheet("QListWidget { padding: 8px 0; } QListWidget::item { padding: 4px 16px; }")
        self._items: dict[str, QListWidgetItem] = {}
        self._groups: list[QListWidgetItem] = []
        for page in pages():
            if page.group and (not self._groups or page.group != self._groups[-1].text()):
                heading = QListWidgetItem(page.group, contents)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                self._groups.append(heading)
            item = QListWidgetItem("Contents" if page.name == CONTENTS else page.title, contents)
            item.setData(TARGET, page.name)
            item.setToolTip(page.title)
            self._items[page.name] = item
        contents.itemActivated.connect(self._open_item)
        contents.itemClicked.connect(self._open_item)
        return contents

    def _dress_groups(self) -> None:
        """Set the headings of the contents apart, in the colours and the text size in force."""
        for group in self._groups:
            group.setForeground(QColor(look.tokens().muted))
            group.setFont(look.sans(look.SMALL, bold=True))
            group.setSizeHint(QSize(0, look.px(36)))
            group.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)

    def _make_commands(self) -> None:
        self.back_action = self._command("Back", "Alt+Left", lambda: self._travel(-1), "back")
        self.forward_action = self._command("Forward", "Alt+Right", lambda: self._travel(1), "forward")
        self._command("Search the handbook", "Ctrl+F", self._begin_search)
        self._command("Contents", "F1", lambda: self.open(CONTENTS))
        self._command("Close the handbook", "Ctrl+W", self.close)
        self._command("Larger text", ["Ctrl++", "Ctrl+="], lambda: self.text_resized.emit(1))
        self._command("Smaller text", "Ctrl+-", lambda: self.text_resized.emit(-1))
        self._command("Default text size", "Ctrl+0", lambda: self.text_resized.emit(0))

    def _command(self, text: str, keys: str | list[str], slot: Callable[[], object], icon: str = "") -> QAction:
        action = Command(text, self)
        action.setShortcuts([QKeySequence(key) for key in ([keys] if isinstance(keys, str) else keys)])
        action.triggered.connect(lambda _on=False: slot())
        if icon:
            look.set_icon(action, icon)
        self.addAction(action)
        return action

    # --- going about -------------------------------------------------------------------------------------------------

    def open(self, page: str, anchor: str = "") -> None:
        """Show a page, or a heading of it; where the reader was stays reachable by Alt+Left."""
        if page_named(page) is None:
            page, anchor = CONTENTS, ""
        self._leave()
        del self._stops[self._index + 1 :]
        if not self._stops or self._stops[-1].page != page or self._stops[-1].anchor != anchor:
            self._stops.append(_Stop(page, anchor))
        self._index = len(self._stops) - 1
        self._show(self._stops[self._index])

    def _leave(self) -> None:
        """Note how far down the reader was."""
        if 0 <= self._index < len(self._stops):
            self._stops[self._index] = replace(self._stops[self._index], scroll=self.view.verticalScrollBar().value())

    def _travel(self, step: int) -> None:
        if 0 <= self._index + step < len(self._stops):
            self._leave()
            self._index += step
            self._show(self._stops[self._index], as_left=True)

    def _show(self, stop: _Stop, *, as_left: bool = False) -> None:
        page = page_named(stop.page)
        if page is None:
            return
        words = stems(self.field.text()) if self.side.currentWidget() is self.hits else ()
        self.view.show_page(page, stop.anchor, words)
        if as_left:
            self.view.verticalScrollBar().setValue(stop.scroll)
        self.contents.setCurrentItem(self._items[page.name])
        self.setWindowTitle(f"{page.title} - Handbook - Disconfirm")
        self.back_action.setEnabled(self._index > 0)
        self.forward_action.setEnabled(self._index < len(self._stops) - 1)

    def _open_item(self, item: QListWidgetItem) -> None:
        name = item.data(TARGET)
        if name:
            self.open(name)
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- the search --------------------------------------------------------------------------------------------------

    def _begin_search(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _search(self) -> None:
        """Show the sections that hold what was typed; the contents where that is nothing."""
        self._typing.stop()
        query = self.field.text().strip()
        hits = search(pages(), query)
        self.hits.clear()
        for hit in hits:
            title = hit.page_title if hit.section.level == 1 else f"{hit.page_title}: {hit.section.title}"
            self.hits.add(title, hit.snippet or hit.section.title, hit.section)
        self.hits.setCurrentRow(0)
        if not query:
            self.side.setCurrentWidget(self.contents)
        elif hits:
            self.side.setCurrentWidget(self.hits)
        else:
            self.no_hits.setText(f"Nothing in the handbook is about “{query}”. Try fewer or other words.")
            self.side.setCurrentWidget(self.no_hits)

    def _open_hit(self, section: Section) -> None:
        self.open(section.page, section.anchor if section.level > 1 else "")

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Move in the hits with the keys of the field; Enter opens one, Escape empties the field."""
        if target is not self.field or not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._typing.isActive():
                self._search()
            if self.side.currentWidget() is self.hits:
                self._open_hit(self.hits.currentItem().data(snippet_list.TARGET))
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self.side.currentWidget() is self.hits:
            step = 1 if key == Qt.Key.Key_Down else -1
            self.hits.setCurrentRow((self.hits.currentRow() + step) % self.hits.count())
        elif key == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
            self._search()
        else:
            return False
        return True

    # --- the window --------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin with the keys in the text, so that they scroll it."""
        super().showEvent(event)
        if not event.spontaneous():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        """Remember place and size of the window."""
        window_state.keep_geometry(self.saveGeometry(), "handbook")
        super().hideEvent(event)
