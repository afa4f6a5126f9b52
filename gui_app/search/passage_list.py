"""The look of a hit in a list: origin and confidence, its first lines, and its copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QCursor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QListView,
    QMenu,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.domain import LAYER, Passage
from gui_app.shared import theme
from gui_app.shared.passages_model import COPIES, FRESH, Index, PassagesModel, first_shown, is_ranked, marks
from gui_app.shared.reading_direction import text_option

LINES = 3
SIDE = 24  # pixels left and right of a row
_LEVELS = {"high": 3, "medium": 2, "low": 1}


def link_name(copy: Passage) -> str:
    """Return 'report.txt p. 2'."""
    return f"{copy.label} p. {copy.page}"


class PassageDelegate(QStyledItemDelegate):
    """Origin and confidence on one line, the passage in serif below, its first three lines, then its copies."""

    def __init__(self, parent: QAbstractItemView, *, indent: int = 0) -> None:
        super().__init__(parent)
        self.query = ""
        self._indent = indent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row: one more line for a passage with copies."""
        more = theme.px(20) + 4 if index.data(COPIES) else 0
        return QSize(0, 28 + 2 * theme.air() + theme.px(20) + theme.lines(LINES) * theme.px(21) + more)

    def text_box(self, rect: QRect) -> QRect:
        """Return the box of the passage's words in its row."""
        inner = rect.adjusted(SIDE + self._indent, 12 + theme.air(), -SIDE, -8 - theme.air())
        return inner.adjusted(theme.px(30), theme.px(20) + 4, 0, 0)

    def links(self, rect: QRect, copies: Sequence[Passage]) -> list[tuple[QRect, str, tuple[Passage, ...]]]:
        """List the copies as (place, words, passages).

        There are as many as one line holds; the last one is for all others.
        """
        if not copies:
            return []
        box = self.text_box(rect)
        metrics = QFontMetrics(theme.sans(theme.SMALL))
        high = theme.px(20)
        top = rect.bottom() - 10 - theme.air() - high
        x = box.left() + metrics.horizontalAdvance("also in ") + 2
        boxes: list[tuple[QRect, str, tuple[Passage, ...]]] = []
        for index, copy in enumerate(copies):
            words = metrics.elidedText(link_name(copy), Qt.TextElideMode.ElideMiddle, theme.px(220))
            wide = metrics.horizontalAdvance(words)
            left = len(copies) - index
            reserve = metrics.horizontalAdvance(f"and {left} more") if left > 1 else 0
            if x + wide + reserve + 24 > box.right() and boxes:
                words = f"and {left} more"
                place = QRect(x, top, metrics.horizontalAdvance(words), high)
                boxes.append((place, words, tuple(copies[index:])))
                break
            boxes.append((QRect(x, top, wide, high), words, (copy,)))
            x += wide + metrics.horizontalAdvance(" · ") + 4
        return boxes

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        t = theme.tokens()
        passage: Passage = index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(t.selection))
        painter.setPen(QColor(t.line))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), QColor(t.focus))
        inner = rect.adjusted(SIDE + self._indent, 12 + theme.air(), -SIDE, -8 - theme.air())
        head = QRect(inner.left(), inner.top(), inner.width(), theme.px(20))
        right = self._confidence(painter, head, passage)
        left, middle = theme.px(30), int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.setFont(theme.sans())
        painter.setPen(QColor(t.muted))
        painter.drawText(head, middle, f"{passage.rank}")
        room = right - 16 - head.left() - left
        plain = QFontMetrics(theme.sans())
        place = f"page {passage.page}" + (f" · {LAYER}" if passage.source == "layer" else "")
        if index.data(FRESH):
            room -= self._fresh(painter, QRect(head.left() + left, head.top(), room, head.height()))
        least = plain.horizontalAdvance("page 000")
        place = plain.elidedText(place, Qt.TextElideMode.ElideRight, max(least, room - 40))
        place_wide = plain.horizontalAdvance(place) + 10
        bold = theme.sans(bold=True)
        name = QFontMetrics(bold).elidedText(passage.label, Qt.TextElideMode.ElideMiddle, max(24, room - place_wide))
        painter.setFont(bold)
        painter.setPen(QColor(t.text))
        painter.drawText(head.adjusted(left, 0, 0, 0), middle, name)
        offset = left + painter.fontMetrics().horizontalAdvance(name) + 10
        painter.setFont(theme.sans())
        painter.setPen(QColor(t.muted))
        painter.drawText(head.adjusted(offset, 0, 0, 0), middle, place)
        self._text(painter, passage, self.text_box(rect))
        self._copies(painter, rect, index.data(COPIES) or ())
        painter.restore()

    def _confidence(self, painter: QPainter, head: QRect, passage: Passage) -> int:
        """Paint three bars and the word at the right; return the left edge. The figures are in the tool tip."""
        if not is_ranked(passage):
            return head.right()
        t = theme.tokens()
        painter.setFont(theme.sans(theme.SMALL))
        metrics = painter.fontMetrics()
        level = _LEVELS[passage.confidence]
        column = metrics.horizontalAdvance("medium") + 26
        x = head.right() - column
        base = head.center().y() + 6
        for bar in range(3):
            high = 4 + 3 * bar
            box = QRectF(x + 6 * bar, base - high, 4, high)
            if bar < level:
                painter.fillRect(box, QColor(t.accent if level == 3 else t.muted))
            else:
                painter.setPen(QColor(t.strong_line))
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(QColor(t.text if level == 3 else t.muted))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(
            head.adjusted(x + 24 - head.left(), 0, 0, 0), int(Qt.AlignmentFlag.AlignLeft | middle), passage.confidence
        )
        return x

    def _fresh(self, painter: QPainter, room: QRect) -> int:
        """Paint the word 'new', outlined, at the right end of the room for the name; return the width that it takes."""
        t = theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.sans(theme.SMALL, bold=True))
        wide = painter.fontMetrics().horizontalAdvance("new") + 12
        box = QRectF(room.right() - wide, room.center().y() - theme.px(16) / 2, wide, theme.px(16))
        painter.setPen(QColor(t.accent))
        painter.drawRoundedRect(box, 4, 4)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), "new")
        painter.restore()
        return wide + 12

    def _text(self, painter: QPainter, passage: Passage, rect: QRect) -> None:
        t = theme.tokens()
        font = theme.serif(theme.BODY + 1)
        flat = " ".join(passage.text.split())
        room = len(_first_lines(flat, font, rect.width()))
        begin = first_shown(marks(self.query, flat), flat, room)
        flat = _first_lines(f"… {flat[begin:]}" if begin else flat, font, rect.width())
        layout = QTextLayout(flat, font)
        layout.setTextOption(text_option(flat))
        bold = QTextCharFormat()
        bold.setFontWeight(600)
        formats = []
        for start, end in marks(self.query, flat):
            part = QTextLayout.FormatRange()
            part.start, part.length, part.format = start, end - start, bold
            formats.append(part)
        layout.setFormats(formats)
        layout.beginLayout()
        high = 0.0
        for _ in range(theme.lines(LINES)):
            row = layout.createLine()
            if not row.isValid():
                break
            row.setLineWidth(rect.width())
            row.setPosition(QPointF(0, high))
            high += theme.px(21)
        layout.endLayout()
        painter.setPen(QColor(t.muted if is_ranked(passage) and passage.confidence == "low" else t.text))
        painter.save()
        painter.setClipRect(rect)
        layout.draw(painter, QPointF(rect.topLeft()))
        painter.restore()

    def _copies(self, painter: QPainter, rect: QRect, copies: Sequence[Passage]) -> None:
        links = self.links(rect, copies)
        if not links:
            return
        t = theme.tokens()
        painter.setFont(theme.sans(theme.SMALL))
        middle = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        first = links[0][0]
        painter.setPen(QColor(t.muted))
        painter.drawText(
            QRect(self.text_box(rect).left(), first.top(), rect.width(), first.height()), middle, "also in"
        )
        for index, (place, words, _) in enumerate(links):
            painter.setPen(QColor(t.accent))
            painter.drawText(place, middle, words)
            if index + 1 < len(links):
                painter.setPen(QColor(t.muted))
                painter.drawText(QRect(place.right() + 4, place.top(), 20, place.height()), middle, "·")


def _first_lines(text: str, font: QFont, width: int) -> str:
    """Return as much of ``text`` as three lines hold, with an ellipsis when that is not all."""
    layout = QTextLayout(text[:2_000], font)
    layout.setTextOption(text_option(text))
    layout.beginLayout()
    last = end = 0
    for _ in range(theme.lines(LINES)):
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


class _Words(QPlainTextEdit):
    """The whole passage over its row, to pick words of it by mouse or keyboard."""

    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("kind", "field")
        self.document().setDocumentMargin(0)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if QApplication.activePopupWidget() is None:
            self.left.emit()


class WordPicker(QObject):
    """Lets a person pick words of a passage in a view: by drawing over them, or by a key and the arrows.

    ``picked(str)`` tells what is picked now ('' again when it is let go).
    """

    picked = Signal(str)

    def __init__(self, view: QAbstractItemView, delegate: PassageDelegate) -> None:
        super().__init__(view)
        self._view, self._delegate = view, delegate
        self._press: tuple[QPoint, Index] | None = None
        self._editor: _Words | None = None
        view.viewport().installEventFilter(self)

    def words(self) -> str:
        """Return the picked words, on one line."""
        if self._editor is None:
            return ""
        return " ".join(self._editor.textCursor().selectedText().replace("\u2029", " ").split())

    def box(self, over: QWidget) -> QRect:
        """Return where the picked words end, in the coordinates of ``over``."""
        if self._editor is None:
            return QRect()
        rect = self._editor.cursorRect()
        return QRect(self._editor.viewport().mapTo(over, rect.topLeft()), rect.size())

    def open(self, index: Index) -> None:
        """Show the whole passage of a row, ready for words to be picked."""
        passage = index.data(Qt.ItemDataRole.UserRole)
        if not isinstance(passage, Passage):
            return
        self.close()
        view = self._view
        view.scrollTo(index)
        box = self._delegate.text_box(view.visualRect(index))
        editor = _Words(view.viewport())
        editor.setFont(theme.serif(theme.BODY + 1))
        editor.setAccessibleName("Words of the passage: select some with Shift and the arrows")
        editor.setPlainText(" ".join(passage.text.split()))
        lines = editor.fontMetrics().boundingRect(
            QRect(0, 0, box.width() - 12, 10_000), int(Qt.TextFlag.TextWordWrap), editor.toPlainText()
        )
        high = min(
            max(lines.height() + 12, theme.lines(LINES) * theme.px(21)), 10 * theme.px(21), view.viewport().height()
        )
        top = max(0, min(box.top() - 3, view.viewport().height() - high))
        editor.setGeometry(box.left() - 7, top, box.width() + 14, high)
        editor.selectionChanged.connect(lambda: self.picked.emit(self.words()))
        editor.left.connect(self.close)
        self._editor = editor
        editor.show()
        editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def close(self) -> None:
        """Let go of the words, and give the focus back to the view."""
        editor, self._editor = self._editor, None
        if editor is None:
            return
        had = editor.hasFocus()
        editor.hide()
        editor.deleteLater()
        self.picked.emit("")
        if had:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Begin to pick where the pointer is drawn over words."""
        if not isinstance(event, QMouseEvent):
            if event.type() in (QEvent.Type.Wheel, QEvent.Type.Resize):
                self.close()
            return False
        point = event.position().toPoint()
        if event.type() == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            index = self._view.indexAt(point)
            words = isinstance(index.data(Qt.ItemDataRole.UserRole), Passage)
            in_text = words and self._delegate.text_box(self._view.visualRect(index)).contains(point)
            self._press = (point, index) if in_text else None
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self._press = None
        elif event.type() == QEvent.Type.MouseMove and self._press and event.buttons() & Qt.MouseButton.LeftButton:
            start, row = self._press
            if self._editor is None and (point - start).manhattanLength() < QApplication.startDragDistance():
                return False
            if self._editor is None:
                self.open(row)
            editor = self._editor
            if editor is not None:
                cursor = editor.textCursor()
                cursor.setPosition(self._place(editor, start))
                cursor.setPosition(self._place(editor, point), QTextCursor.MoveMode.KeepAnchor)
                editor.setTextCursor(cursor)
            return True
        return False

    def _place(self, editor: QPlainTextEdit, point: QPoint) -> int:
        inside = editor.viewport().mapFrom(self._view.viewport(), point)
        return editor.cursorForPosition(inside).position()


class PassagesView(QListView):
    """A list of passages. ``opened(Passage)`` on Enter, double click, or a copy that was clicked."""

    opened = Signal(object)

    def __init__(self, model: PassagesModel, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.delegate = PassageDelegate(self)
        self.setItemDelegate(self.delegate)
        self.picker = WordPicker(self, self.delegate)
        self.copies = CopyLinks(self, self.delegate, self.opened.emit)
        self.activated.connect(lambda index: self.opened.emit(index.data(Qt.ItemDataRole.UserRole)))
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def chosen(self) -> Passage | None:
        """Return the selected passage."""
        value = self.currentIndex().data(Qt.ItemDataRole.UserRole)
        return value if isinstance(value, Passage) else None


class CopyLinks(QObject):
    """The copies of a passage, as links in its row."""

    def __init__(
        self, view: QAbstractItemView, delegate: PassageDelegate, on_open: Callable[[Passage], object]
    ) -> None:
        super().__init__(view)
        self._view, self._delegate, self._on_open = view, delegate, on_open
        view.viewport().installEventFilter(self)

    def at(self, point: QPoint) -> tuple[Passage, ...]:
        """List the copies behind a click at ``point``."""
        index = self._view.indexAt(point)
        copies = index.data(COPIES) or ()
        for place, _, passages in self._delegate.links(self._view.visualRect(index), copies):
            if place.contains(point):
                return passages
        return ()

    def offer(self, copies: Sequence[Passage], where: QPoint) -> None:
        """Open the copy, or offer a menu where there are several."""
        if len(copies) == 1:
            self._on_open(copies[0])
            return
        menu = copies_menu(self._view, copies, self._on_open)
        menu.exec(where)
        menu.deleteLater()

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Open copies that are clicked, and show by the pointer that they can be."""
        if not isinstance(event, QMouseEvent):
            return False
        point = event.position().toPoint()
        if event.type() == QEvent.Type.MouseMove and not event.buttons():
            shape = Qt.CursorShape.PointingHandCursor if self.at(point) else Qt.CursorShape.ArrowCursor
            self._view.viewport().setCursor(QCursor(shape))
        elif event.type() == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
            copies = self.at(point)
            if copies:
                self.offer(copies, event.globalPosition().toPoint())
                return True
        return False


def copies_menu(parent: QWidget, copies: Sequence[Passage], on_open: Callable[[Passage], object]) -> QMenu:
    """Return a menu of the copies of a passage."""
    menu = QMenu(parent)
    for copy in copies:
        action = QAction(link_name(copy).replace("&", "&&"), menu)
        action.triggered.connect(lambda _on=False, copy=copy: on_open(copy))
        menu.addAction(action)
    return menu
