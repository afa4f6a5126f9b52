"""The text of a page, read-only and selectable, with its marks and hidden stretches. Offsets are those of the case."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QToolTip, QWidget

from core.domain import Label
from gui_app.shared import mark_colours, theme
from gui_app.shared.labels import tooltip
from gui_app.shared.page_geometry import Mark
from gui_app.shared.page_turning import turn_at_end
from gui_app.shared.qt_text import QtText
from gui_app.shared.reading_direction import text_option
from gui_app.viewer import hypothesis_stripes

_UNDERLINE: dict[Label | None, QTextCharFormat.UnderlineStyle] = {
    "supports": QTextCharFormat.UnderlineStyle.SingleUnderline,
    "contradicts": QTextCharFormat.UnderlineStyle.DashUnderline,
    "ambiguous": QTextCharFormat.UnderlineStyle.DashDotLine,
    "neutral": QTextCharFormat.UnderlineStyle.DotLine,
    None: QTextCharFormat.UnderlineStyle.SingleUnderline,
}
COLUMN = 760  # pixels: about 90 characters, the longest line that reads well


def _set_apart(format_: QTextCharFormat, is_hidden: bool) -> QTextCharFormat:
    """Draw a line through struck words; set hidden ones, through which no line runs on the page, grey above dots."""
    if not is_hidden:
        format_.setFontStrikeOut(True)
        return format_
    format_.setForeground(QColor(theme.tokens().muted))
    if format_.underlineStyle() == QTextCharFormat.UnderlineStyle.NoUnderline:
        format_.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    return format_


class TextView(QPlainTextEdit):
    """One page's text in the document's face, with the stripes of its quotes at the right.

    ``turned(1 or -1)`` when the person scrolls or pages beyond an end; ``hovered(offset)`` is the character under the
    mouse, None for none.
    """

    words_selected = Signal(int, int, QRect)
    selection_cleared = Signal()
    mark_clicked = Signal(object)
    turned = Signal(int)
    hovered = Signal(object)
    scrolled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Text of the page")
        self.setTabChangesFocus(True)
        # A read-only text must still show where the keyboard selects.
        self.setTextInteractionFlags(
            self.textInteractionFlags().TextSelectableByMouse | self.textInteractionFlags().TextSelectableByKeyboard
        )
        self._text = QtText("")
        self._marks: Sequence[Mark] = ()
        self._current: int | None = None
        self._hidden_spans: Sequence[tuple[int, int]] = ()
        self._struck_spans: Sequence[tuple[int, int]] = ()
        self._finds: Sequence[tuple[int, int]] = ()
        self._find_current = 0
        self._headings: Sequence[int] = ()
        self._link_span: tuple[int, int] | None = None
        self._hover_offset: int | None = None
        self.has_stripes = True
        self._line_width = -1  # pixels that the lines are made for
        self._margin = _Margin(self)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._tell_scrolled())
        self.verticalScrollBar().rangeChanged.connect(lambda _low, _high: self._tell_scrolled())
        self.viewport().setMouseTracking(True)
        self.viewport().installEventFilter(self)
        self._settle_timer = QTimer(self)
        self._settle_timer.setSingleShot(True)
        self._settle_timer.setInterval(0)
        self._settle_timer.timeout.connect(self._tell_selection)
        self.selectionChanged.connect(self._settle_timer.start)

    def show_text(
        self,
        text: str,
        marks: Sequence[Mark] = (),
        hidden_spans: Sequence[tuple[int, int]] = (),
        current: int | None = None,
        *,
        headings: Sequence[int] = (),
        struck_spans: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Show a text; ``headings`` are the offsets at which sections begin: their lines are set bold.

        A line runs through what is struck through on the page; what is hidden is grey.
        """
        self._text = QtText(text)
        self._struck_spans = struck_spans
        self._marks, self._hidden_spans, self._current, self._finds = marks, hidden_spans, current, ()
        self._headings, self._link_span, self._hover_offset = headings, None, None
        self.setFont(theme.serif())
        self.setTabStopDistance(theme.px(96))  # tables: most cells are shorter
        self._begin_at_side_of(text)
        self.setPlainText(self._text.text)
        self._paint_spans()
        if current is not None:
            self.centre_on(marks[current].start, marks[current].end)

    def _begin_at_side_of(self, text: str) -> None:
        """Set lines from the side that a text is read from."""
        side, option = text_option(text), self.document().defaultTextOption()
        option.setAlignment(side.alignment())
        option.setTextDirection(side.textDirection())
        self.document().setDefaultTextOption(option)

    def set_marks(self, marks: Sequence[Mark], current: int | None = None) -> None:
        """Mark these quotes; ``current`` is the one that is looked at."""
        self._marks, self._current = marks, current
        self._paint_spans()

    def set_finds(self, spans: Sequence[tuple[int, int]], current: int = 0) -> None:
        """Mark hits of a search; the current one is brought to the middle."""
        self._finds, self._find_current = spans, current
        self._paint_spans()
        if spans:
            self.centre_on(*spans[current])

    def set_linked(self, span: tuple[int, int] | None) -> None:
        """Mark what is pointed at on the page beside the text, and bring it into sight; None takes the mark away."""
        if span == self._link_span:
            return
        self._link_span = span
        self._paint_spans()
        if span is not None:
            box = self._rect_of(span[0])
            if not self.viewport().rect().contains(box.center()):
                bar = self.verticalScrollBar()
                line = max(1, self.fontMetrics().lineSpacing())
                bar.setValue(bar.value() + (box.center().y() - self.viewport().height() // 2) // line)

    def centre_on(self, start: int, end: int) -> None:
        """Bring text[start:end] to the middle, the cursor at its start."""
        cursor = self.textCursor()
        cursor.setPosition(self._text.to_qt(start))
        self.setTextCursor(cursor)
        self.centerCursor()

    def selection(self) -> tuple[int, int] | None:
        """Return the offsets of the selected text, without the spaces around it; None for none."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return None
        start = self._text.from_qt(cursor.selectionStart())
        end = self._text.from_qt(cursor.selectionEnd())
        text = self._text.text[start:end]
        start += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        return (start, end) if start < end else None

    def offset(self) -> int:
        """Return where the cursor of the keyboard stands."""
        return self._text.from_qt(self.textCursor().position())

    def select(self, start: int, end: int) -> None:
        """Select text[start:end]."""
        cursor = self.textCursor()
        cursor.setPosition(self._text.to_qt(start))
        cursor.setPosition(self._text.to_qt(end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def clear_selection(self) -> None:
        """Select nothing."""
        cursor = self.textCursor()
        cursor.clearSelection()
        self.setTextCursor(cursor)

    def _tell_selection(self) -> None:
        selection = self.selection()
        if selection is None:
            self.selection_cleared.emit()
            return
        cursor = self.textCursor()
        ends = QTextCursor(cursor)
        ends.setPosition(cursor.selectionEnd())
        starts = QTextCursor(cursor)
        starts.setPosition(cursor.selectionStart())
        self.words_selected.emit(*selection, self.cursorRect(starts).united(self.cursorRect(ends)))

    def _paint_spans(self) -> None:
        spans: list[QTextEdit.ExtraSelection] = []
        for start in self._headings:
            format_ = QTextCharFormat()
            format_.setFontWeight(QFont.Weight.Bold)
            stop = self._text.text.find("\n", start)
            spans.append(self._span(start, len(self._text.text) if stop < 0 else stop, format_))
        over: list[tuple[int, int, QTextCharFormat]] = []
        for index, mark in enumerate(self._marks):
            format_ = QTextCharFormat()
            format_.setBackground(mark_colours.text_tint(mark.stance, strong=index == self._current))
            format_.setUnderlineStyle(_UNDERLINE[mark.stance])
            format_.setUnderlineColor(QColor(mark_colours.tone(mark.stance)))
            over.append((mark.start, mark.end, format_))
        for index, (start, end) in enumerate(self._finds):
            format_ = QTextCharFormat()
            format_.setBackground(mark_colours.find())
            if index == self._find_current:
                format_.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
                format_.setFontWeight(QFont.Weight.Bold)
            over.append((start, end, format_))
        lines = [(*span, True) for span in self._hidden_spans] + [(*span, False) for span in self._struck_spans]
        spans += [self._span(start, end, _set_apart(QTextCharFormat(), is_hidden)) for start, end, is_hidden in lines]
        for first, last, format_ in over:
            spans.append(self._span(first, last, format_))
            # What is painted last hides what is below it, so the line is drawn again.
            spans += [
                self._span(max(first, start), min(last, end), _set_apart(QTextCharFormat(format_), is_hidden))
                for start, end, is_hidden in lines
                if start < last and first < end
            ]
        if self._link_span is not None:
            format_ = QTextCharFormat()
            format_.setBackground(mark_colours.find())
            spans.append(self._span(*self._link_span, format_))
        self.setExtraSelections(spans)
        self._margin.update()

    def _span(self, start: int, end: int, format_: QTextCharFormat) -> QTextEdit.ExtraSelection:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._text.to_qt(start))
        cursor.setPosition(self._text.to_qt(end), QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        selection.format = format_
        return selection

    def _rect_of(self, offset: int) -> QRect:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._text.to_qt(offset))
        return self.cursorRect(cursor)

    def visible_part(self) -> tuple[float, float]:
        """Return from where to where the text is in sight, as shares of it."""
        bar = self.verticalScrollBar()
        total = bar.maximum() + bar.pageStep()
        return bar.value() / max(1, total), min(1.0, (bar.value() + bar.pageStep()) / max(1, total))

    # --- the stripes at the right ------------------------------------------------------------------------------------

    def stripes_in_sight(self) -> list[tuple[int, QRectF]]:
        """List the marks with a stripe in sight, and where in the margin it is."""
        port = self.viewport().rect()
        first = self._text.from_qt(self.cursorForPosition(port.topLeft()).position())
        last = self._text.from_qt(self.cursorForPosition(port.bottomRight()).position()) + 1
        in_sight = [
            index for index, mark in enumerate(self._marks) if mark.about and mark.start < last and mark.end > first
        ]
        extents = []
        for index in in_sight:
            top, bottom = self._rect_of(self._marks[index].start).top(), self._rect_of(self._marks[index].end).bottom()
            extents.append((float(top), max(float(bottom), top + hypothesis_stripes.least_height(self._marks[index]))))
        wide = hypothesis_stripes.lane()
        return [
            (index, QRectF(8 + wide * lane, top, wide - 4, bottom - top))
            for index, (lane, top, bottom) in zip(in_sight, hypothesis_stripes.places(extents), strict=True)
        ]

    def paint_margin(self, painter: QPainter) -> None:
        """Draw the stripes that are in sight."""
        painter.fillRect(painter.window(), QColor(theme.tokens().surface))
        for index, box in self.stripes_in_sight():
            hypothesis_stripes.paint_stripe(painter, box, self._marks[index], current=index == self._current)

    def mark_at(self, position: QPoint) -> Mark | None:
        """Return the mark whose stripe lies under a point of the margin."""
        inside = [index for index, box in self.stripes_in_sight() if box.contains(position)]
        return self._marks[inside[0]] if inside else None

    def _tell_scrolled(self) -> None:
        self._margin.update()
        self.scrolled.emit()

    # --- pointing and typing -----------------------------------------------------------------------------------------

    def eventFilter(self, source: QObject, event: QEvent) -> bool:
        """Emit which character the pointer is over."""
        if source is self.viewport():
            if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent) and not event.buttons():
                self._hover(self._text.from_qt(self.cursorForPosition(event.position().toPoint()).position()))
            elif event.type() == QEvent.Type.Leave:
                self._hover(None)
        return super().eventFilter(source, event)

    def _hover(self, offset: int | None) -> None:
        if offset != self._hover_offset:
            self._hover_offset = offset
            self.hovered.emit(offset)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, or turn the page beyond an end."""
        way = turn_at_end(self.verticalScrollBar(), event)
        if way:
            self.turned.emit(way)
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Turn the page beyond an end, and select nothing by Escape."""
        way = turn_at_end(self.verticalScrollBar(), event)
        if way:
            self.turned.emit(way)
        elif event.key() == Qt.Key.Key_Escape and self.textCursor().hasSelection():
            self.clear_selection()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leave copying to the viewer, whose command adds the citation."""
        # Copying is a command of the viewer: it adds the citation.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _copies(event):
            event.ignore()
            return False
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the column out again."""
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        """Lay the text out in a column that reads well, the stripes at its right."""
        stripe = 2 * hypothesis_stripes.lane() + 8 if self.has_stripes else 0
        aside = max(24, (self.width() - theme.px(COLUMN) - stripe) // 2)
        right = max(24, aside - self.verticalScrollBar().width()) + stripe
        self.setViewportMargins(aside, 16, right, 16)
        port = self.viewport().geometry()
        self._margin.setVisible(self.has_stripes)
        self._margin.setGeometry(port.right() + 1, port.top(), stripe, port.height())
        if port.width() != self._line_width:
            # Margins set while the text is not on show narrow the viewport and leave the lines as long as they were.
            self._line_width = port.width()
            super().resizeEvent(QResizeEvent(port.size(), QSize()))


class _Margin(QWidget):
    """The strip at the right of a text that its quotes are named in."""

    def __init__(self, text: TextView) -> None:
        super().__init__(text)
        self._of = text
        self.setMouseTracking(True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        self._of.paint_margin(QPainter(self))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        mark = self._of.mark_at(event.position().toPoint())
        if mark is not None:
            self._of.mark_clicked.emit(mark)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            mark = self._of.mark_at(event.pos())
            QToolTip.showText(event.globalPos(), tooltip(mark.about) if mark is not None else "", self)
            return True
        return super().event(event)


def _copies(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Copy)
