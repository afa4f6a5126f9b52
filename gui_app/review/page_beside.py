"""The page itself beside what is reviewed: its picture with the quotes marked, or its words where it has no picture."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from core.domain import Page
from core.errors import AppError
from gui_app.review.marked_passage import MarkedPassage
from gui_app.review.quote_marks import QuoteMark
from gui_app.session import CaseSession
from gui_app.shared import mark_colours, theme
from gui_app.shared.formatting import LINE_BREAK
from gui_app.shared.page_geometry import Mark, PageWords, bounds, lines
from gui_app.shared.page_grid import PageGrid, is_grid

if TYPE_CHECKING:
    from core.workbench import Workbench

_SCALE = 1.8  # pixels a point: sharp in a column of half a window
_MARGIN = 14.0  # points left free beside the words of a page
_AROUND = 1_500  # characters of a page without picture, before the passage and after it
_CACHE_PAGES = 8  # pages
_SETTLE_MS = 40  # a person running through the queue is not shown every page on the way
_ABOVE = 90  # pixels of the page shown above the passage


@dataclass(frozen=True, slots=True)
class PageView:
    """A page with the boxes of its words, and its picture of ``_SCALE`` pixels a point where it has one."""

    page: Page
    words: PageWords
    picture: QImage | None = None


class PagePicture(QWidget):
    """The picture of a page, as wide as there is room for its words, with quotes marked on it.

    The hypotheses of a quote are in a lane beside the page: on it they would cover words.
    """

    def __init__(self) -> None:
        super().__init__()
        self._view: PageView | None = None
        self._strip = QRectF()  # of the page, in points
        self._strip_picture = QImage()
        self.marks: list[QuoteMark] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_page(self, view: PageView, marks: Sequence[QuoteMark]) -> None:
        """Show a page that has a picture."""
        if view is not self._view:
            self._strip_picture = QImage()
        self._view, self.marks = view, list(marks)
        paper = QRectF(0, 0, view.page.width, view.page.height)
        area = bounds(view.words.all).adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
        self._strip = QRectF(area.left(), 0, area.width(), paper.height()).intersected(paper) or paper
        words = f"The page itself, {view.page.number}"
        quotes = ", ".join(mark.letters for mark in self.marks)
        self.setAccessibleName(f"{words}, with the quotes for {quotes}" if quotes else words)
        self.updateGeometry()
        self.update()

    def top_of(self, start: int, end: int) -> int:
        """Return how far down a stretch of the page's text begins, in pixels."""
        if self._view is None:
            return 0
        box = bounds(self._view.words.within(start, end))
        return round((box.top() - self._strip.top()) * self._zoom()) if box.isValid() else 0

    def lane(self) -> int:
        """Return the pixels beside the page that the letters of its quotes take."""
        metrics = QFontMetrics(_letters_font())
        return max((metrics.horizontalAdvance(mark.letters) + 8 for mark in self.marks), default=0)

    def tags(self) -> list[tuple[QuoteMark, QRectF]]:
        """Return where the letters of each quote stand: in the lane, at its first line or the nearest free below."""
        high, bottom, lane = QFontMetrics(_letters_font()).height(), 0.0, self.lane()
        firsts = [(mark, boxes[0].center().y()) for mark in self.marks if (boxes := self.boxes(mark))]
        tags = []
        for mark, middle in sorted(firsts, key=lambda first: first[1]):  # a later quote may stand higher: columns
            tag = QRectF(0, max(bottom, middle - high / 2), lane, high)
            bottom = tag.bottom()
            tags.append((mark, tag))
        return tags

    def _zoom(self) -> float:
        return max(1, self.width() - self.lane()) / max(1.0, self._strip.width())

    def hasHeightForWidth(self) -> bool:
        """Return True: a wider picture is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the page at that width."""
        return round(self._strip.height() * max(1, width - self.lane()) / max(1.0, self._strip.width()))

    def sizeHint(self) -> QSize:
        """Return the size of the page at its width."""
        return QSize(280, self.heightForWidth(max(280, self.width())))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the page, tint its quotes, and name the hypotheses beside each."""
        view = self._view
        if view is None or view.picture is None:
            return
        painter = QPainter(self)
        # In the scale of the marks, also while the height is still that of another width.
        paper = QRectF(self._strip.topLeft(), self._strip.size() * self._zoom())
        paper.moveTopLeft(QPointF(self.lane(), 0))
        painter.drawImage(paper, self._sharp(view.picture))
        places = [(mark, self.boxes(mark)) for mark in self.marks]
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        for mark, boxes in places:
            for box in boxes:
                tint = mark_colours.paper_find() if mark.is_current else mark_colours.paper_tint(mark.labels[0])
                painter.fillRect(box, tint)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        for mark, boxes in places:
            for box in boxes:
                part = box.width() / len(mark.labels)
                for index, label in enumerate(mark.labels):
                    line = QRectF(box.left() + index * part, box.bottom() - 1, part, 2)
                    painter.fillRect(line, mark_colours.paper_tone(label))
        self._draw_letters(painter)

    def _sharp(self, picture: QImage) -> QImage:
        """Return the strip of the page at the resolution of the screen: scaling while drawing blurs thin letters."""
        size = (self._strip.size() * self._zoom() * self.devicePixelRatioF()).toSize()
        if self._strip_picture.size() != size:
            strip = QRectF(self._strip.topLeft() * _SCALE, self._strip.size() * _SCALE).toRect()
            aspect, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            self._strip_picture = picture.copy(strip).scaled(size, aspect, smooth)
        return self._strip_picture

    def boxes(self, mark: QuoteMark) -> list[QRectF]:
        """Return where the lines of a quote are drawn."""
        words = self._view.words.within(mark.start, mark.end) if self._view is not None else ()
        return [self._on_screen(box) for box in lines(words)]

    def _on_screen(self, box: QRectF) -> QRectF:
        zoom = self._zoom()
        on_paper = QRectF((box.topLeft() - self._strip.topLeft()) * zoom, box.size() * zoom)
        return on_paper.translated(self.lane(), 0).adjusted(-1, -1, 1, 1)

    def _draw_letters(self, painter: QPainter) -> None:
        painter.setFont(_letters_font())
        metrics = painter.fontMetrics()
        for mark, tag in self.tags():
            painter.fillRect(tag, QColor(255, 255, 255, 225))
            left = tag.left() + 4
            for hypothesis, label in mark.signs:
                painter.setPen(mark_colours.paper_tone(label))
                painter.drawText(QPointF(left, tag.bottom() - metrics.descent()), hypothesis)
                left += metrics.horizontalAdvance(f"{hypothesis} ")


def _letters_font() -> QFont:
    return theme.sans(theme.SMALL - 1, bold=True)


class PageBeside(QFrame):
    """The page of what is reviewed, scrolled to it. ``clicked()`` when a person wants to see it whole."""

    clicked = Signal()

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._cache: OrderedDict[tuple[str, int], PageView] = OrderedDict()
        self._place = ("", 0, 0, 0)  # document, page, start and end of what is reviewed
        self._marks: list[QuoteMark] = []
        self.setProperty("kind", "surface")
        self.setMinimumWidth(theme.px(200))
        self.picture = PagePicture()
        self.words = MarkedPassage("The words of the page", size=theme.BODY)
        self.grid = PageGrid()
        self.grid.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.grid.clicked.connect(lambda _index: self.clicked.emit())
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        for part in (self.picture, self.words, self.grid):
            part.hide()
            column.addWidget(part)
        column.addStretch(1)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # A page that just fits without a scroll bar is too high with one beside it.
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self._area.setStyleSheet("QScrollArea { background: transparent; border: none; }")
        self._area.setWidget(content)
        self._area.setToolTip("Click to open the page  (O)")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SETTLE_MS)
        self._timer.timeout.connect(self._read)
        theme.changed.connect(self._restyle)
        session.opened.connect(self.forget)

    def show_place(self, document: str, number: int, start: int, end: int, marks: Sequence[QuoteMark]) -> None:
        """Show a stretch of a page, with ``marks`` on it; offsets are those of the page's text."""
        same_page = self._place[:2] == (document, number)
        same_place = self._place == (document, number, start, end)
        self._place, self._marks = (document, number, start, end), list(marks)
        view = self._cache.get((document, number))
        if view is not None:
            self._timer.stop()
            self._show(view, scroll=not same_place)
        elif not same_page:
            self._blank()
            self._timer.start()

    def forget(self) -> None:
        """Show nothing: another case is open, or nothing is under review."""
        self._timer.stop()
        self._cache.clear()
        self._place = ("", 0, 0, 0)
        self._blank()

    def has_picture(self) -> bool:
        """Return whether the picture of the page is on show."""
        return not self.picture.isHidden()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the page on a click."""
        if event.button() == Qt.MouseButton.LeftButton and self._place[0]:
            self.clicked.emit()

    def _restyle(self) -> None:
        self.setMinimumWidth(theme.px(200))

    def _blank(self) -> None:
        for part in (self.picture, self.words, self.grid):
            part.hide()

    def _read(self) -> None:
        document, number = self._place[:2]
        if not document:
            return

        def read(bench: Workbench) -> PageView:
            page = bench.documents.page(document, number)
            words = PageWords(bench.documents.words(page.id).within(0, len(page.text)))
            if not words.all:
                return PageView(page, words)
            png = bench.documents.picture(document, number, _SCALE).png
            return PageView(page, words, QImage.fromData(png))

        def read_words(bench: Workbench) -> PageView:
            return PageView(bench.documents.page(document, number), PageWords())

        def arrived(view: PageView) -> None:
            self._cache[(document, number)] = view
            while len(self._cache) > _CACHE_PAGES:
                self._cache.popitem(last=False)
            if self._place[:2] == (document, number):
                self._show(view, scroll=True)

        def refuse(_error: AppError) -> None:  # a format without pages, or a page that cannot be drawn
            self._session.read(read_words, arrived, key=self, failed=lambda _error: None)

        self._session.read(read, arrived, key=self, failed=refuse)

    def _show(self, view: PageView, *, scroll: bool) -> None:
        _, _, start, end = self._place
        has_picture = view.picture is not None and not view.picture.isNull()
        has_grid = not has_picture and is_grid(view.page.text, view.page.tables)
        if has_picture:
            self.picture.show_page(view, self._marks)
        elif has_grid:
            marks = [Mark(mark.start, mark.end, mark.labels[0]) for mark in self._marks]
            current = next((index for index, mark in enumerate(self._marks) if mark.is_current), None)
            page = view.page
            self.grid.show_page(
                *(page.text, page.tables, marks, current),
                around=(start, end),
                struck_spans=page.struck_spans,
                hidden_spans=page.hidden_spans,
            )
            self.grid.fit_height()
        else:
            first, last = max(0, start - _AROUND), min(len(view.page.text), end + _AROUND)
            text = view.page.text[first:last].replace("\n", LINE_BREAK)  # one character for one: places stay
            self.words.set_text(text, [mark.moved(first) for mark in self._marks])
        self.picture.setVisible(has_picture)
        self.words.setVisible(not has_picture and not has_grid)
        self.grid.setVisible(has_grid)
        if scroll:
            QTimer.singleShot(0, self, self._scroll_to_passage)

    def _scroll_to_passage(self) -> None:
        _, _, start, end = self._place
        if self.has_picture():
            top = self.picture.top_of(start, end)
        elif not self.grid.isHidden():
            top = self.grid.top_of(start)
        elif self.words.marks:
            top = self.words.top_of(self.words.marks[0])
        else:
            top = 0
        self._area.verticalScrollBar().setValue(max(0, top - _ABOVE))
