"""The pane at the left of the viewer: the quotes of the document, its pages as small pictures, its outline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.domain import Evidence, Section
from core.errors import AppError
from gui_app import window_state
from gui_app.shared import theme
from gui_app.shared.formatting import VERDICTS, counted
from gui_app.shared.header import segment
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.snippet_list import SnippetList
from gui_app.viewer.document_pane import DocumentPane
from gui_app.viewer.page_pictures import PagePictures, PictureRequest
from gui_app.viewer.state import Placed

QUOTES, PAGES, OUTLINE = "quotes", "pages", "outline"
NARROW = 1200  # pixels: below this the page gets all the room, and the list of quotes is opened by hand
_SMALL = 0.22  # pixels a point of a small picture on a screen of one pixel a pixel
_ROOM = QSize(136, 178)  # of a small picture
_PAGE = int(Qt.ItemDataRole.UserRole)


class Thumbnails(QListWidget):
    """Pages as small pictures; those in sight are fetched. ``chosen(page)`` on a click or Enter."""

    chosen = Signal(int)

    def __init__(self, pictures: PagePictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Pages of this document")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Thumbnail(self))
        self._pictures = pictures
        self._document = ""
        self._kinds: tuple[str, int] = ("", 0)
        self._drawable = True
        self._current = 0
        self._small: dict[int, QImage] = {}
        self._undrawable: set[int] = set()
        self._spots: Mapping[int, str] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(40)
        self._soon.timeout.connect(self._ask)
        pictures.came.connect(self._came)
        pictures.failed.connect(self._skip)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._soon.start())
        self.itemActivated.connect(lambda item: self.chosen.emit(item.data(_PAGE)))
        self.itemClicked.connect(lambda item: self.chosen.emit(item.data(_PAGE)))

    def show_document(self, document: str, pages: int, labels: Mapping[int, str], *, drawable: bool) -> None:
        """List the pages of a document; ``labels`` are the names of pages that have one.

        A format without pictures (``drawable``) shows its names alone.
        """
        if (document, pages) != self._kinds:
            self._kinds = (document, pages)
            self._document, self._drawable = document, drawable
            self._small, self._undrawable, self._spots = {}, set(), {}
            self.clear()
            for number in range(1, pages + 1):
                label = labels.get(number, "")
                name = f"{label} ({number})" if label and label != str(number) else str(number)
                item = QListWidgetItem(name)
                item.setData(_PAGE, number)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Page {name}")
                self.addItem(item)
        self._soon.start()

    def show_page(self, number: int) -> None:
        """Show which page is looked at."""
        self._current = number
        item = self.item(number - 1)
        if item is not None:
            self.setCurrentItem(item)
            self.scrollToItem(item, QAbstractItemView.ScrollHint.EnsureVisible)
        self.viewport().update()

    def show_spots(self, spots: Mapping[int, str]) -> None:
        """Show what is on each page, in a word or two: '2 quotes'."""
        former, self._spots = self._spots, spots
        for number in {*former, *spots}:
            item = self.item(number - 1)
            text = spots.get(number, "")
            if item is not None and (text != former.get(number, "") or text):
                name = f"Page {item.text()}"
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name}, {text}" if text else name)
        self.viewport().update()

    def spot(self, number: int) -> str:
        """Return what is on a page, in a word or two."""
        return self._spots.get(number, "")

    def picture(self, number: int) -> QImage | None:
        """Return the small picture of a page, None while there is none."""
        return self._small.get(number)

    def is_current(self, number: int) -> bool:
        """Return whether a page is the one that is looked at."""
        return number == self._current

    def drawable(self) -> bool:
        """Return whether the document has pictures."""
        return self._drawable

    def _scale(self) -> float:
        return round(_SMALL * self.devicePixelRatioF(), 3)

    def _ask(self) -> None:
        """Fetch the next small picture in sight; one at a time, so that pages themselves come first."""
        if not (self.isVisible() and self._document and self._drawable):
            return
        port = self.viewport().rect()
        first, last = self.indexAt(port.topLeft()).row(), self.indexAt(port.bottomLeft()).row()
        last = self.count() - 1 if last < 0 else last
        for row in range(max(0, first), min(self.count(), last + 2)):
            if row + 1 in self._small or row + 1 in self._undrawable:
                continue
            request = PictureRequest(self._document, row + 1, self._scale())
            image = self._pictures.get(request)
            if image is None:
                self._pictures.ask(request, key=("thumbnail", id(self)))
                return
            self._small[row + 1] = image
        self.viewport().update()

    def _came(self, request: PictureRequest, image: QImage) -> None:
        if request.document == self._document and request.clip is None and request.scale == self._scale():
            self._small[request.number] = image
            while len(self._small) > 400:  # of 60 kB each
                del self._small[next(iter(self._small))]
            self.viewport().update()
            self._soon.start()

    def _skip(self, request: PictureRequest, _error: AppError) -> None:
        if request.document == self._document and request.scale == self._scale():
            self._undrawable.add(request.number)
            self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Fetch the pictures that are missing."""
        super().showEvent(event)
        self._soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the pictures out again."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
        self._soon.start()


class _Thumbnail(QStyledItemDelegate):
    def __init__(self, parent: Thumbnails) -> None:
        super().__init__(parent)
        self._list = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        high = QFontMetrics(theme.sans(theme.SMALL)).height() + 20
        return QSize(80, high + (_ROOM.height() if self._list.drawable() else 0))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        ink = theme.tokens()
        number = int(index.data(_PAGE))
        box: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(ink.selection))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor(ink.raised))
        painter.setFont(theme.sans(theme.SMALL, bold=self._list.is_current(number)))
        line = painter.fontMetrics().height()
        if self._list.drawable():
            room = QRect(box.center().x() - _ROOM.width() // 2, box.top() + 8, _ROOM.width(), _ROOM.height())
            picture = self._list.picture(number)
            size = QSize(126, 178)
            if picture is not None:
                size = picture.size().scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
            sheet = QRectF(
                room.center().x() - size.width() / 2, room.bottom() - size.height(), size.width(), size.height()
            ).toRect()
            painter.fillRect(sheet, QColor("#ffffff"))
            if picture is not None:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawImage(sheet, picture)
            current = self._list.is_current(number)
            painter.setPen(QPen(QColor(ink.accent if current else ink.strong_line), 2 if current else 1))
            painter.drawRect(sheet.adjusted(0, 0, -1, -1))
        spot = self._list.spot(number)
        name = f"Page {index.data()}" if not self._list.drawable() else index.data()
        painter.setPen(QColor(ink.text))
        text = f"{name} · {spot}" if spot else name
        painter.drawText(
            QRect(box.left() + 8, box.bottom() - line - 5, box.width() - 16, line),
            int(Qt.AlignmentFlag.AlignCenter),
            painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width() - 16),
        )
        painter.restore()


class OutlineTree(QTreeWidget):
    """The sections of a document. ``chosen(page, offset)`` on a click or Enter."""

    chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Outline of this document")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHeaderHidden(True)
        self.setColumnCount(1)
        self.setIndentation(14)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._sections: Sequence[tuple[int, Section]] = ()
        self._items: list[tuple[int, int, QTreeWidgetItem]] = []
        self.itemActivated.connect(lambda item, _column: self.chosen.emit(*item.data(0, _PAGE)))
        self.itemClicked.connect(lambda item, _column: self.chosen.emit(*item.data(0, _PAGE)))

    def show_sections(self, sections: Sequence[tuple[int, Section]], labels: Mapping[int, str]) -> None:
        """Show the sections of a document, each below the one it belongs to."""
        if sections == self._sections and self._items:
            return
        self._sections = sections
        self.clear()
        self._items = []
        above: list[tuple[int, QTreeWidgetItem]] = []
        for page, section in sections:
            while above and above[-1][0] >= section.level:
                above.pop()
            title = " ".join(section.title.split())
            item = QTreeWidgetItem([title])
            item.setToolTip(0, f"{title}\np. {labels.get(page) or page}")
            item.setSizeHint(0, QSize(0, theme.px(24)))
            item.setData(0, _PAGE, (page, section.start))
            item.setData(0, int(Qt.ItemDataRole.AccessibleTextRole), f"{title}, page {labels.get(page) or page}")
            above[-1][1].addChild(item) if above else self.addTopLevelItem(item)
            above.append((section.level, item))
            self._items.append((page, section.start, item))
        self.expandAll()

    def show_place(self, page: int, offset: int) -> None:
        """Point at the section that the place lies in."""
        inside = [item for number, start, item in self._items if (number, start) <= (page, max(offset, 0))]
        own_item = next((item for number, _, item in self._items if number == page), None) if not offset else None
        target = own_item or (inside[-1] if inside else None)
        if target is not None:
            self.setCurrentItem(target)


class SidePane(QFrame):
    """Three lists under three buttons; which one is on show is kept for the next time."""

    def __init__(self, pictures: PagePictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "surface")
        self.quotes = SnippetList("Quotes of this document", quotes=True)
        self.pages = Thumbnails(pictures)
        self.outline = OutlineTree()
        self.title = ElidedLabel("", "small")
        self.empty = plain("", "muted", wrap=True)
        self.empty.setContentsMargins(16, 8, 16, 8)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.stack = QStackedWidget()
        names = ((QUOTES, "Quotes"), (PAGES, "Pages"), (OUTLINE, "Outline"))
        row = hbox(margins=(16, 8, 8, 0), spacing=0)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QPushButton] = {}
        self._lists: dict[str, QWidget] = {QUOTES: self.quotes, PAGES: self.pages, OUTLINE: self.outline}
        for name, label in names:
            button = segment(label, first=not self.buttons)
            button.setAccessibleName(label)
            button.clicked.connect(lambda _=False, name=name: self.turn(name))
            self._group.addButton(button)
            self.buttons[name] = button
            row.addWidget(button)
            self.stack.addWidget(self._lists[name])
        row.addStretch(1)
        self.stack.addWidget(self.empty)
        column = vbox(self, spacing=4)
        column.addLayout(row)
        heading = hbox(margins=(16, 4, 8, 0))
        heading.addWidget(self.title)
        column.addLayout(heading)
        column.addWidget(self.stack, 1)
        self._name = QUOTES
        self._quotes: Sequence[Placed] = ()  # what the list of quotes shows
        self._is_wanted: bool | None = None  # None: a person has not said, so that the room decides
        self.turn(QUOTES)

    def name(self) -> str:
        """Return which list is on show."""
        return self._name

    def turn(self, name: str) -> None:
        """Show another list."""
        name = name if name in self._lists else QUOTES
        has_changed = name != self._name
        self._name = name
        self.buttons[name].setChecked(True)
        self.retell()
        self.setFocusProxy(self._lists[name])
        if has_changed:
            self._remember()

    def retell(self) -> None:
        """Show what the list on show holds, or that there is nothing in it."""
        if self._name == QUOTES:
            number, text = self.quotes.count(), counted(self.quotes.count(), "quote")
            none = "No quotes yet. Select words on the page and press A."
        elif self._name == PAGES:
            number, text, none = self.pages.count(), counted(self.pages.count(), "page"), ""
        else:
            number, text = len(self.outline._items), counted(len(self.outline._items), "section")
            none = "This document has no outline, and no headings were found in it."
        self.title.setText(text if number else "")
        self.title.setVisible(bool(number))
        self.empty.setText(none)
        self.stack.setCurrentWidget(self._lists[self._name] if number else self.empty)

    # --- whether it is on show ---------------------------------------------------------------------------------------

    def recall(self) -> None:
        """Be as it was left the last time: which list, and whether it is wanted."""
        setting = window_state.pane("viewer-side")
        self.turn(setting.removeprefix("-") or QUOTES)
        self._is_wanted = None if not setting else not setting.startswith("-")

    def _remember(self) -> None:
        if self._is_wanted is not None:
            window_state.keep_pane("viewer-side", f"{'' if self._is_wanted else '-'}{self._name}")

    def toggle(self) -> None:
        """Be wanted where it is hidden, and not where it is on show."""
        self._is_wanted = self.isHidden()
        self._remember()

    def open(self, name: str) -> None:
        """Be wanted, with one of the lists on show."""
        self.turn(name)
        self._is_wanted = True
        self._remember()

    def fit(self, room: int) -> None:
        """Show it where it is wanted, and where nobody has said so in enough ``room``."""
        self.setVisible(room >= NARROW if self._is_wanted is None else self._is_wanted)

    # --- what it shows -----------------------------------------------------------------------------------------------

    def show_nothing(self) -> None:
        """Empty the lists: no page is on show."""
        self._quotes = ()
        self.quotes.clear()
        self.pages.show_document("", 0, {}, drawable=False)
        self.outline.show_sections((), {})
        self.retell()

    def show_pane(self, pane: DocumentPane) -> None:
        """Show the quotes, pages and sections of the document in ``pane``, and where in them the person is."""
        content = pane.content
        if content is None:
            return
        quotes = pane.quotes()
        self.pages.show_document(content.document.id, content.document.pages, pane.labels, drawable=pane.has_picture())
        if quotes is not self._quotes:  # the lists stay as they are while pages are turned
            self._quotes = quotes
            self._list_quotes(quotes, pane.labels)
            pages = Counter(page for page, _, _, _ in quotes)
            self.pages.show_spots({page: counted(number, "quote") for page, number in pages.items()})
        here = (content.page.number, *pane.span) if pane.span is not None else None
        self.quotes.setCurrentRow(next((index for index, quote in enumerate(quotes) if quote[:3] == here), -1))
        self.pages.show_page(content.page.number)
        self.outline.show_sections(content.sections, pane.labels)
        self.outline.show_place(content.page.number, pane.span[0] if pane.span is not None else 0)
        self.retell()

    def _list_quotes(self, quotes: Sequence[Placed], labels: Mapping[int, str]) -> None:
        self.quotes.clear()
        for page, start, end, thing in quotes:
            if isinstance(thing, Evidence):
                title, text = thing.id, thing.quote or thing.text
                last = thing.more[-1].page if thing.more else page
            else:
                label = "" if thing.is_hidden else f" {VERDICTS[thing.verdict.label]}"
                title, text = f"{thing.hypothesis}{label}?", thing.quote.text
                last = thing.quote.more[-1].page if thing.quote.more else page
            name = labels.get(page) or page
            place = f"p. {name}" if last == page else f"pp. {name}–{labels.get(last) or last}"
            self.quotes.add(f"{title} · {place}", text, (page, start, end, thing))
