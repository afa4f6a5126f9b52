"""A list of passages with places marked in them: where each is on one line, a few lines of its words below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui_app.shared import mark_colours, theme
from gui_app.shared.flowing_text import units
from gui_app.shared.reading_direction import text_option
from gui_app.shared.row_painting import draw_ground, draw_line_below
from gui_app.shared.table_models import Index, ListRows

BEFORE = 90  # characters shown before the first marked place
MAX_CHARS = 700  # characters looked at: more than a few lines hold
SIDE = 16  # pixels at the left and right


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage of the list; ``marks`` are places in ``text``, ``description`` is read out in place of all of it."""

    title: str
    aside: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    target: Any = None
    description: str = ""


def around(text: str, marks: Sequence[tuple[int, int]], *, before: int = BEFORE) -> tuple[str, list[tuple[int, int]]]:
    """Cut a part of ``text`` that begins shortly before the first mark, on one line, with the marks in it."""
    begin = 0
    first = min((start for start, _ in marks), default=0)
    if first > before:
        begin = first - before
        while begin < first and not text[begin - 1].isspace():
            begin += 1
    flat: list[str] = []
    place: list[int] = []  # of each character from ``begin`` on, in what is shown
    lead = "… " if begin else ""
    offset = len(lead)
    blank = True
    for char in text[begin : begin + MAX_CHARS]:
        if char.isspace():
            place.append(offset)
            if not blank:
                flat.append(" ")
                offset += 1
            blank = True
        else:
            place.append(offset)
            flat.append(char)
            offset += 1
            blank = False
    excerpt = lead + "".join(flat).rstrip()
    spans = []
    for start, end in marks:
        if begin <= start < end and end - begin <= len(place):
            spans.append((place[start - begin], min(place[end - 1 - begin] + 1, len(excerpt))))
    return excerpt, [(start, end) for start, end in spans if start < end]


class ExcerptsModel(ListRows):
    """One row an excerpt. UserRole gives it."""

    def role_data(self, row: Excerpt, index: int, role: int) -> Any:
        """Return the text of an excerpt, or all of it to be read out."""
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.description or f"{row.title}, {row.aside}: {' '.join(row.text.split())}"
        return None


class ExcerptList(QListView):
    """A list of excerpts; ``chosen(target)`` on a click or Enter."""

    chosen = Signal(object)

    def __init__(self, accessible_name: str, *, lines: int = 3, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(accessible_name)
        self.rows = ExcerptsModel(self)
        self.setModel(self.rows)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(ExcerptDelegate(self, lines=lines))
        self.clicked.connect(self._choose)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def show_excerpts(self, excerpts: Sequence[Excerpt]) -> None:
        """Show these excerpts."""
        self.rows.show(excerpts)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(self.rows.rows[index.row()].target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Enter as a choice."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)


class ExcerptDelegate(QStyledItemDelegate):
    """An excerpt as a row: its title and aside on one line, some lines of its text below."""

    def __init__(self, parent: QObject, *, lines: int) -> None:
        super().__init__(parent)
        self._lines = lines

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of the title and of so many lines."""
        return QSize(80, 16 + 2 * theme.air() + theme.px(18) + theme.lines(self._lines) * theme.px(20))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw an excerpt with its marks."""
        excerpt: Excerpt = index.data(Qt.ItemDataRole.UserRole)
        painter.save()
        inner = ground(painter, option).adjusted(SIDE, 6, -SIDE, -8)
        head = QRect(inner.left(), inner.top(), inner.width(), theme.px(18))
        title_and_aside(painter, head, excerpt.title, excerpt.aside)
        marked_lines(
            painter, excerpt.text, excerpt.marks, inner.adjusted(0, head.height() + 2, 0, 0), theme.lines(self._lines)
        )
        painter.restore()


def ground(painter: QPainter, option: QStyleOptionViewItem) -> QRect:
    """Draw the background of a row as it is selected, focused or pointed at, with a line below.

    Return the box for its words: between the air that the density gives it.
    """
    draw_ground(painter, option)
    draw_line_below(painter, option.rect)
    return QRect(option.rect).adjusted(0, theme.air(), 0, -theme.air())


def title_and_aside(painter: QPainter, box: QRect, title: str, aside: str) -> None:
    """Draw a bold title at the left that gives up its middle, and small muted words at the right."""
    ink = theme.tokens()
    painter.setFont(theme.sans(theme.SMALL))
    painter.setPen(QColor(ink.muted))
    middle = Qt.AlignmentFlag.AlignVCenter
    room = box.width()
    if aside:
        painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | middle), aside)
        room -= QFontMetrics(painter.font()).horizontalAdvance(aside) + 16
    painter.setFont(theme.sans(bold=True))
    painter.setPen(QColor(ink.text))
    text = QFontMetrics(painter.font()).elidedText(title, Qt.TextElideMode.ElideMiddle, max(24, room))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | middle), text)


def marked_lines(
    painter: QPainter, text: str, marks: Sequence[tuple[int, int]], box: QRect, lines: int, font: QFont | None = None
) -> None:
    """Draw the first lines of a document's words from shortly before the first mark on, with tinted marks."""
    ink = theme.tokens()
    font = font or theme.serif(theme.BODY)
    excerpt, places = around(text, marks)
    layout = QTextLayout(_cut(excerpt, font, box.width(), lines), font)
    layout.setTextOption(text_option(excerpt))
    tint = QTextCharFormat()
    tint.setBackground(mark_colours.find())
    formats = []
    for start, end in places:
        part = QTextLayout.FormatRange()
        part.start, part.length = units(excerpt[:start]), units(excerpt[start:end])
        part.format = tint
        formats.append(part)
    layout.setFormats(formats)
    layout.beginLayout()
    high = 0.0
    for _ in range(lines):
        row = layout.createLine()
        if not row.isValid():
            break
        row.setLineWidth(box.width())
        row.setPosition(QPointF(0, high))
        high += theme.px(20)
    layout.endLayout()
    painter.setPen(QColor(ink.text))
    painter.setClipRect(box)
    layout.draw(painter, QPointF(box.topLeft()))
    painter.setClipping(False)


def _cut(text: str, font: QFont, width: int, lines: int) -> str:
    """Cut ``text`` to as much as so many lines hold, with an ellipsis when that is not all."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    last = end = 0
    for _ in range(lines):
        row = layout.createLine()
        if not row.isValid():
            break
        row.setLineWidth(width)
        last, end = row.textStart(), row.textStart() + row.textLength()
    layout.endLayout()
    if end >= units(text) or not text:
        return text
    encoded = text.encode("utf-16-le", "replace")
    head = encoded[: 2 * last].decode("utf-16-le", "replace")
    tail = encoded[2 * last :].decode("utf-16-le", "replace")
    return head + QFontMetrics(font).elidedText(tail, Qt.TextElideMode.ElideRight, round(width * 0.97))
