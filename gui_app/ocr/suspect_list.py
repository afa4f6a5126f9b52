"""How a word to check looks in the queue: why it is there, the word, its document; and in the grid of words alike."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.ocr.suspect_words import SuspectWord
from gui_app.ocr.suspects_model import DOUBT, NAME, Key, SuspectsModel, differing_span, key_of, why
from gui_app.ocr.word_strip import Cut
from gui_app.shared import theme
from gui_app.shared.row_painting import LEFT

CELL = QSize(208, 104)  # pixels of a cell of the grid at the default text size
GAP = 8


class SuspectList(QListView):
    """The queue. The strip and the field show the row that is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Doubtful words")
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setItemDelegate(_Row(self))
        theme.changed.connect(self.scheduleDelayedItemsLayout)


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        small = QFontMetrics(theme.sans(theme.SMALL)).height()
        return QSize(160, 2 * (8 + theme.air() + small + 3) + QFontMetrics(theme.serif(theme.LARGE)).height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        ink = theme.tokens()
        doubt = index.data(DOUBT)
        box = QRect(option.rect)
        painter.save()
        _back(painter, option, box)
        wide = box.width() - 32
        bold = theme.sans(theme.SMALL, bold=True)
        small = QFontMetrics(bold).height()
        painter.setFont(bold)
        top = box.top() + 8 + theme.air()
        ids = ", ".join(doubt.cited)
        room = wide
        if ids:
            ids = QFontMetrics(bold).elidedText(ids, Qt.TextElideMode.ElideRight, wide // 3)
            room -= QFontMetrics(bold).horizontalAdvance(ids) + 8
            painter.setPen(QColor(ink.accent))
            painter.drawText(QRect(box.left() + 16, top, wide, small), int(Qt.AlignmentFlag.AlignRight), ids)
        painter.setPen(QColor(ink.muted))
        reasons = QFontMetrics(bold).elidedText(why(doubt), Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRect(box.left() + 16, top, room, small), int(Qt.AlignmentFlag.AlignLeft), reasons)
        serif = theme.serif(theme.LARGE)
        metrics = QFontMetrics(serif)
        painter.setFont(serif)
        painter.setPen(QColor(ink.text))
        place = QRect(box.left() + 16, top + small + 3, wide, metrics.height())
        word = metrics.elidedText(index.data(), Qt.TextElideMode.ElideRight, wide)
        painter.drawText(place, LEFT, word)
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        place = QRect(box.left() + 16, place.bottom() + 3, wide, small)
        where = QFontMetrics(painter.font()).elidedText(index.data(NAME), Qt.TextElideMode.ElideMiddle, wide)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft), where)
        painter.restore()


def _back(painter: QPainter, option: QStyleOptionViewItem, box: QRect) -> None:
    ink = theme.tokens()
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(box, QColor(ink.selection))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), QColor(ink.focus))


class AlikeWords(SuspectsModel):
    """Words that are doubtful in the same way, with their pictures; some may be left out of what is decided."""

    def __init__(self) -> None:
        super().__init__()
        self.left_out: set[Key] = set()
        self.pictures: dict[Key, tuple[QPixmap, Cut]] = {}

    def selected_rows(self) -> list[int]:
        """List the rows that a key decides."""
        return [row for row, doubt in enumerate(self.rows) if key_of(doubt) not in self.left_out]

    def picture(self, row: int, cut: Cut) -> None:
        """Show the picture of a word."""
        pixmap = QPixmap()
        if pixmap.loadFromData(cut.png):
            self.pictures[key_of(self.rows[row])] = (pixmap, cut)
            self.dataChanged.emit(self.index(row), self.index(row))

    def turn(self, row: int) -> None:
        """Leave a word out, or take it in again."""
        self.left_out ^= {key_of(self.rows[row])}
        self.dataChanged.emit(self.index(row), self.index(row))

    def role_data(self, doubt: SuspectWord, index: int, role: int) -> Any:
        """Return what a role is of a row; of a word left out, that too."""
        data = super().role_data(doubt, index, role)
        if role == Qt.ItemDataRole.AccessibleTextRole and key_of(doubt) in self.left_out:
            return f"left out: {data}"
        return data


class WordGrid(QListView):
    """Words alike as a grid of pictures; Space leaves one out."""

    def __init__(self, words: AlikeWords, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = words
        self.setModel(words)
        self.setAccessibleName("Words read alike")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        self.setSpacing(GAP // 2)
        self.setItemDelegate(_Cell(self))
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave a word out by Space."""
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.words.turn(self.currentIndex().row())
            return
        super().keyPressEvent(event)


class _Cell(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(theme.px(CELL.width()), theme.px(CELL.height()))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        ink = theme.tokens()
        doubt = index.data(DOUBT)
        model = index.model()
        if not isinstance(model, AlikeWords):
            return
        out = key_of(doubt) in model.left_out
        painter.save()
        box = option.rect.adjusted(2, 2, -2, -2)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.fillRect(box, QColor(ink.selection if is_selected else ink.raised))
        small = QFontMetrics(theme.sans(theme.SMALL)).height()
        serif = theme.serif(theme.LARGE)
        foot = QFontMetrics(serif).height() + small + 12
        paper = box.adjusted(8, 8, -8, -foot)
        picture = model.pictures.get(key_of(doubt))
        if picture is not None:
            painter.setOpacity(0.35 if out else 1.0)
            _draw_word(painter, paper, *picture)
            painter.setOpacity(1.0)
        line = QRect(paper.left(), paper.bottom() + 4, paper.width(), QFontMetrics(serif).height())
        painter.setFont(serif)
        painter.setPen(QColor(ink.muted if out else ink.text))
        word = QFontMetrics(serif).elidedText(doubt.text, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, LEFT, word)
        start, end = differing_span(doubt.text, doubt.other)
        if end > start and word == doubt.text and not out:
            left = line.left() + QFontMetrics(serif).horizontalAdvance(word[:start])
            right = line.left() + QFontMetrics(serif).horizontalAdvance(word[:end])
            painter.setPen(QPen(QColor(ink.contradicts), 2))
            painter.drawLine(left, line.bottom(), right, line.bottom())
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        note = "left out" if out else ", ".join(doubt.cited) or index.data(NAME)
        note = QFontMetrics(painter.font()).elidedText(note, Qt.TextElideMode.ElideMiddle, line.width())
        painter.drawText(QRect(line.left(), line.bottom() + 2, line.width(), small), 0, note)
        if is_selected and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(ink.focus), 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))
        painter.restore()


def _draw_word(painter: QPainter, paper: QRect, picture: QPixmap, cut: Cut) -> None:
    """Draw the part of a strip around its word, as large as the cell allows."""
    scale = cut.zoom * cut.ratio
    x0, y0, x1, y1 = cut.box
    part = QRectF(x0 * scale, (y0 - cut.top) * scale, (x1 - x0) * scale, (y1 - y0) * scale)
    air = part.height() * 0.4
    part = part.adjusted(-air, -air, air, air)
    ratio = paper.width() / paper.height()
    if part.width() < part.height() * ratio:
        more = (part.height() * ratio - part.width()) / 2
        part = part.adjusted(-more, 0, more, 0)
    high = paper.width() * part.height() / part.width()
    place = QRectF(paper.left(), paper.top() + (paper.height() - high) / 2, paper.width(), high)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.fillRect(place, QColor(theme.LIGHT.surface))
    painter.drawPixmap(place, picture, part)
