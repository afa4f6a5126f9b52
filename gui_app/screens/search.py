"""Search the documents by meaning and by words, and see how each way ranked every passage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.domain import Changes, Passage
from core.errors import AppError
from gui_app import look
from gui_app.models.documents import Index
from gui_app.models.passages import PassagesModel
from gui_app.screens.screen import Screen
from gui_app.session import CaseSession
from gui_app.widgets.empty_state import EmptyState
from gui_app.widgets.header import Header, button
from gui_app.widgets.labels import line, plain
from gui_app.words import counted

if TYPE_CHECKING:
    from core.searching import Mode, SearchResult

MODES: dict[str, tuple[str, str]] = {
    "hybrid": ("Both", "By meaning and by words, ranks fused"),
    "vector": ("Meaning", "By meaning: other words for the same thing are found too"),
    "lexical": ("Words", "By the words themselves"),
}
_LINES = 3
_LITTLE = set(
    re.findall(
        r"\w+",
        "the and for was were are has had have not but that this with from his her its their they them then there when "
        "who what which where why how did does been into than you your our one any all can",
    )
)


def words_of(query: str) -> list[str]:
    """The words of a query that are worth marking in a result: not the little ones that stand everywhere."""
    return [word for word in re.findall(r"\w+", query.casefold()) if len(word) > 2 and word not in _LITTLE]


def marks(query: str, text: str) -> list[tuple[int, int]]:
    """Where words of ``query`` stand in ``text``, whole or as the start of a longer form (account, accounts)."""
    found = []
    for word in words_of(query):
        rest = r"\w{0,3}\b" if len(word) > 3 else r"\b"
        found += [match.span() for match in re.finditer(rf"\b{re.escape(word)}{rest}", text, re.IGNORECASE)]
    return found


class _PassageDelegate(QStyledItemDelegate):
    """Origin and ranks on one line, the passage in serif below, its first three lines."""

    query = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, 28 + look.px(20) + _LINES * look.px(21))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = look.tokens()
        passage: Passage = index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(t.selection))
        painter.setPen(QColor(t.line))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(t.focus))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        inner = rect.adjusted(24, 12, -24, -8)
        head = QRect(inner.left(), inner.top(), inner.width(), look.px(20))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.sans(look.SMALL))
        painter.setPen(QColor(t.muted))
        aside = f"{ranks(passage)}   {passage.confidence} confidence"
        painter.drawText(head, int(Qt.AlignmentFlag.AlignRight | middle), aside)
        room = head.width() - painter.fontMetrics().horizontalAdvance(aside) - 24
        painter.setFont(look.sans())
        painter.drawText(head, int(Qt.AlignmentFlag.AlignLeft | middle), f"{passage.rank}")
        left = look.px(30)
        bold = look.sans(bold=True)
        place = f"page {passage.page}"
        place_width = QFontMetrics(look.sans()).horizontalAdvance(place) + 10
        name = QFontMetrics(bold).elidedText(passage.name, Qt.TextElideMode.ElideMiddle, room - left - place_width)
        painter.setFont(bold)
        painter.setPen(QColor(t.text))
        painter.drawText(head.adjusted(left, 0, 0, 0), int(Qt.AlignmentFlag.AlignLeft | middle), name)
        at = left + painter.fontMetrics().horizontalAdvance(name) + 10
        painter.setFont(look.sans())
        painter.setPen(QColor(t.muted))
        painter.drawText(head.adjusted(at, 0, 0, 0), int(Qt.AlignmentFlag.AlignLeft | middle), place)
        self._text(painter, passage.text, inner.adjusted(left, look.px(20) + 4, 0, 0))
        painter.restore()

    def _text(self, painter: QPainter, text: str, rect: QRect) -> None:
        t = look.tokens()
        font = look.serif(look.BODY + 1)
        flat = _first_lines(" ".join(text.split()), font, rect.width())
        layout = QTextLayout(flat, font)
        marked = QTextCharFormat()
        marked.setFontWeight(600)
        formats = []
        for start, end in marks(self.query, flat):
            part = QTextLayout.FormatRange()
            part.start, part.length, part.format = start, end - start, marked
            formats.append(part)
        layout.setFormats(formats)
        layout.beginLayout()
        high = 0.0
        for _ in range(_LINES):
            row = layout.createLine()
            if not row.isValid():
                break
            row.setLineWidth(rect.width())
            row.setPosition(QPointF(0, high))
            high += look.px(21)
        layout.endLayout()
        painter.setPen(QColor(t.text))
        painter.setClipRect(rect)
        layout.draw(painter, QPointF(rect.topLeft()))


def _first_lines(text: str, font: QFont, width: int) -> str:
    """As much of ``text`` as three lines hold, with an ellipsis when that is not all."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    last = 0
    for _ in range(_LINES):
        row = layout.createLine()
        if not row.isValid():
            break
        row.setLineWidth(width)
        last = row.textStart()
        end = last + row.textLength()
    layout.endLayout()
    if not text or end >= len(text):
        return text
    # The bold of the marked words takes room too, so the last line is cut a little short.
    return text[:last] + QFontMetrics(font).elidedText(text[last:], Qt.TextElideMode.ElideRight, round(width * 0.96))


def ranks(passage: Passage) -> str:
    """How each way of searching ranked it: 'meaning 3 · words 1 · similarity .62'."""
    parts = []
    if passage.vector_rank is not None:
        parts.append(f"meaning {passage.vector_rank}")
    if passage.lexical_rank is not None:
        parts.append(f"words {passage.lexical_rank}")
    if passage.similarity is not None:
        parts.append(f"similarity {passage.similarity:.2f}".replace(" 0.", " ."))
    return " · ".join(parts)


class SearchScreen(Screen):
    """A field, three ways to search, a list of passages."""

    name = "Search"
    icon = "search"
    concerns = Changes(documents=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._asked = ""
        self._quiet = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Search")
        column.addWidget(self.header)
        row = QHBoxLayout()
        row.setContentsMargins(24, 0, 24, 12)
        row.setSpacing(8)
        self.field = QLineEdit()
        self.field.setPlaceholderText("A question, a statement, or words")
        self.field.setAccessibleName("Search the documents")
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._search)
        self.field.installEventFilter(self)
        row.addWidget(self.field, 1)
        modes = QHBoxLayout()
        modes.setSpacing(0)
        self.modes = QButtonGroup(self)
        self.mode_buttons: dict[str, QPushButton] = {}
        for mode, (words, told) in MODES.items():
            choice = QPushButton(words)
            choice.setProperty("kind", "segment")
            choice.setCheckable(True)
            choice.setChecked(mode == "hybrid")
            choice.setToolTip(told)
            choice.setAccessibleName(f"Search by: {words}")
            choice.clicked.connect(lambda _checked=False: self._search())
            self.modes.addButton(choice)
            self.mode_buttons[mode] = choice
            modes.addWidget(choice)
        row.addLayout(modes)
        self.search_action = self.command("Search now", None, self._search, shown_keys="Enter in the field")
        self.search_button = button(self.search_action, kind="primary")
        self.search_button.setText("Search")
        row.addWidget(self.search_button)
        column.addLayout(row)
        self.note = plain("", "muted", wrap=True)
        self.note.setContentsMargins(24, 0, 24, 12)
        self.note.hide()
        column.addWidget(self.note)
        column.addWidget(line())

        self.model = PassagesModel(self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setAccessibleName("Passages found")
        self._delegate = _PassageDelegate(self.view)
        self.view.setItemDelegate(self._delegate)
        self.view.selectionModel().currentChanged.connect(self._row_changed)
        self.view.activated.connect(lambda _index: self._open())
        self.view.installEventFilter(self)
        self.empty = EmptyState("search", "Ask in your own words: passages are found by meaning and by their words.")
        self.pages = QStackedWidget()
        self.pages.addWidget(self.view)
        self.pages.addWidget(self.empty)
        self.pages.setCurrentWidget(self.empty)
        column.addWidget(self.pages, 1)
        self.setFocusProxy(self.field)

        self.command("Search field", "Ctrl+F", self._to_field)
        self.open_action = self.command("Show the passage on its page", "Ctrl+Return", self._open, shown_keys="Enter")
        self.add_action = self.command("Add the passage as evidence", "Ctrl+E", self._add)
        self.watch_action = self.command(
            self.tr("Save the search as an indicator"),
            "Ctrl+Shift+S",
            self._watch,
            tip=self.tr("Run this search whenever documents come in, and flag those that match"),
        )
        self._name_actions()
        session.opened.connect(self._opened)

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Documents were added or left out: an answer on show is asked for again."""
        self.add_action.setEnabled(bool(self.model.rows) and not self.session.read_only)
        if self._asked:
            self._search_again()

    def _restyled(self) -> None:
        """New colours need no new search."""
        self.view.scheduleDelayedItemsLayout()

    def search_for(self, text: str) -> None:
        """Put ``text`` into the field and search."""
        self.field.setText(text)
        self._search()

    def mode(self) -> Mode:
        if self.mode_buttons["vector"].isChecked():
            return "vector"
        return "lexical" if self.mode_buttons["lexical"].isChecked() else "hybrid"

    def state(self) -> Any:
        return self.field.text(), self.mode(), self.view.currentIndex().row()

    def restore(self, state: Any) -> None:
        text, mode, row = state
        self.mode_buttons[mode].setChecked(True)
        if text != self.field.text():
            self.field.setText(text)
            self._search()
        elif 0 <= row < len(self.model.rows):
            self.view.setCurrentIndex(self.model.index(row, 0))

    def chosen(self) -> Passage | None:
        at = self.view.currentIndex().row()
        return self.model.rows[at] if 0 <= at < len(self.model.rows) else None

    def _search(self) -> None:
        text = self.field.text().strip()
        if not text:
            self._show_nothing("Ask in your own words: passages are found by meaning and by their words.")
            return
        fresh = text != self._asked
        self._asked = text
        self._search_again()
        if fresh:
            self.moved.emit()

    def _search_again(self) -> None:
        text, mode = self._asked, self.mode()
        self.header.count.setText("Searching")
        self.session.read(
            lambda bench: bench.search(text, mode=mode), self._found, key="search", failed=self._not_found
        )

    def _found(self, result: SearchResult) -> None:
        self._delegate.query = result.query
        kept = self.chosen()
        self.model.show(result.passages)
        documents = len({passage.document for passage in result.passages})
        if result.passages:
            where = f"{counted(len(result.passages), 'passage')} in {counted(documents, 'document')}"
            self.header.count.setText(f"{where} · {result.seconds:.2f} s")
            self.note.setText(" ".join(result.notes))
            self.note.setVisible(bool(result.notes))
            self.pages.setCurrentWidget(self.view)
            same = [at for at, row in enumerate(self.model.rows) if kept is not None and row.chunk == kept.chunk]
            self._quiet = bool(same)  # the passage on show is still there: nothing new was chosen
            self.view.setCurrentIndex(self.model.index(same[0] if same else 0, 0))
            self._quiet = False
        else:
            self._show_nothing(" ".join(result.notes) or "Nothing was found.")
        self._name_actions()

    def _not_found(self, error: AppError) -> None:
        self._show_nothing("The search did not work.")
        self.session.failed.emit(error)

    def _show_nothing(self, text: str) -> None:
        self.model.show([])
        self.header.count.setText("")
        self.note.hide()
        self.empty.say(text)
        self.pages.setCurrentWidget(self.empty)
        self._name_actions()

    def _opened(self) -> None:
        self._asked = ""
        self.field.clear()
        self._show_nothing("Ask in your own words: passages are found by meaning and by their words.")

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        if 0 <= index.row() < len(self.model.rows) and not self._quiet:
            self.selected.emit(self.model.rows[index.row()])

    def _name_actions(self) -> None:
        some = bool(self.model.rows)
        self.open_action.setEnabled(some)
        self.add_action.setEnabled(some and not self.session.read_only)
        self.watch_action.setEnabled(bool(self._asked) and not self.session.read_only)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        passage = self.chosen()
        if passage is not None:
            self.show_source.emit(passage.document, passage.page, passage.start, passage.end)

    def _add(self) -> None:
        passage = self.chosen()
        if passage is None:
            return
        added = self.session.do(
            lambda bench: bench.add_quote(passage.document, passage.page, passage.start, passage.end), initiator=self
        )
        if added is not None:
            told = self.tr("Added as {0}") if added.new else self.tr("This quote is in the matrix already: {0}")
            self.session.tell(told.format(added.id), undo=added.new)

    def _watch(self) -> None:
        """Keep the search as an indicator: documents that come in and match are flagged."""
        text = self._asked
        if not text:
            return
        added = self.session.do(lambda bench: bench.add_consideration("indicator", text, query=text), initiator=self)
        if added is not None:
            self.session.tell(self.tr("Saved as an indicator: new documents that match are flagged"), undo=True)

    def _to_field(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down leaves the field for the list, Up at the top goes back; Enter on a passage opens its page."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if watched is self.field and event.key() == Qt.Key.Key_Down and self.model.rows:
            self.view.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        if watched is self.view and event.key() == Qt.Key.Key_Up and self.view.currentIndex().row() <= 0:
            self.field.setFocus(Qt.FocusReason.BacktabFocusReason)
            return True
        return False
