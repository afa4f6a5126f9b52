"""The whole document as a narrow strip beside the scroll bar: where its quotes and the hits of a search stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.domain import Evidence, Label, Proposal
from gui_app.shared import mark_colours, theme
from gui_app.shared.page_geometry import Mark
from gui_app.viewer.marks import PageContent
from gui_app.viewer.state import Placed

WIDE = 14  # pixels
EDGE = 4  # pixels free above and below
_TYPICAL = 3_000  # characters of a page whose length is not known: only for its place on the map


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the document, ``at`` 0..1 of all its pages. A hit of a search has no ``name``."""

    at: float
    page: int
    start: int
    end: int
    stance: Label | None = None
    is_decided: bool = False
    name: str = ""


def quote_spots(content: PageContent, quotes: Sequence[Placed], marks: Sequence[Mark]) -> list[Spot]:
    """Place the quotes of a document; ``marks`` are those of the page on show, whose stance is that of its mark."""
    stances = {(mark.start, mark.end): mark.stance for mark in marks}
    spots = []
    for page, start, end, thing in quotes:
        stance = _stance(thing)
        if page == content.page.number:
            stance = stances.get((start, end), stance)
        share = _share(content, page, start)
        spots.append(Spot(share, page, start, end, stance, isinstance(thing, Evidence), thing.id))
    return spots


def find_spots(content: PageContent, finds: Sequence[tuple[int, int, int]]) -> list[Spot]:
    """Place the hits of a search: (page, start, end) of each."""
    return [Spot(_share(content, page, start), page, start, end) for page, start, end in finds]


def _share(content: PageContent, page: int, start: int) -> float:
    """Return where in the document a place lies, 0..1 of its pages."""
    long = len(content.page.text) if page == content.page.number else _TYPICAL
    return (page - 1 + min(1.0, start / max(1, long))) / max(1, content.document.pages)


def _stance(thing: Evidence | Proposal) -> Label | None:
    return thing.verdict.label if isinstance(thing, Proposal) and not thing.is_hidden else None


class HitMap(QWidget):
    """A strip with quotes as bars at the left (solid: decided, outlined: suggested), hits as lines at the right."""

    chosen = Signal(int, int, int)
    page_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedWidth(WIDE)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._pages = 1
        self._band = (0.0, 1.0)
        self._quotes: Sequence[Spot] = ()
        self._hits: Sequence[Spot] = ()
        self._current: tuple[int, int, int] | None = None
        theme.changed.connect(self.update)
        self._name()

    def show_document(self, pages: int, quotes: Sequence[Spot]) -> None:
        """Show these quotes of a document of so many pages."""
        self._pages, self._quotes = max(1, pages), quotes
        self._name()

    def show_hits(self, hits: Sequence[Spot], current: tuple[int, int, int] | None = None) -> None:
        """Show these hits of a search; ``current`` is the one that is looked at."""
        self._hits, self._current = hits, current
        self._name()

    def show_band(self, page: int, top: float, bottom: float) -> None:
        """Show what is in sight: from ``top`` to ``bottom`` (0..1) of ``page``."""
        band = ((page - 1 + top) / self._pages, (page - 1 + bottom) / self._pages)
        if band != self._band:
            self._band = band
            self.update()

    def spots(self) -> list[Spot]:
        """List the quotes and the hits on the map."""
        return [*self._quotes, *self._hits]

    def _name(self) -> None:
        name = "Map of the document: {quotes} quotes, {hits} hits"
        self.setAccessibleName(name.format(quotes=len(self._quotes), hits=len(self._hits)))
        self.update()

    def y_of(self, share: float) -> float:
        """Return where a share of the document lies, in pixels."""
        return EDGE + share * (self.height() - 2 * EDGE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what is in sight, the hits and the quotes."""
        ink = theme.tokens()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(ink.raised))
        painter.setPen(QPen(QColor(ink.line), 1))
        painter.drawLine(0, 0, 0, self.height())
        top, bottom = self.y_of(self._band[0]), self.y_of(self._band[1])
        if bottom - top < 0.98 * (self.height() - 2 * EDGE):  # all in sight: nothing to point out
            painter.fillRect(QRectF(1, top, self.width() - 1, max(3.0, bottom - top)), QColor(ink.selection))
        for spot in self._hits:
            y = round(self.y_of(spot.at))
            here = (spot.page, spot.start, spot.end) == self._current
            mark = QColor(ink.text if here else ink.muted)
            painter.fillRect(
                QRectF(self.width() / 2 + 1, y - (1 if here else 0), self.width() / 2 - 1, 2 if here else 1), mark
            )
        for spot in self._quotes:
            box = QRectF(2.5, round(self.y_of(spot.at)) - 1.5, self.width() / 2 - 3, 4)
            tone = mark_colours.tone(spot.stance)
            if spot.is_decided:
                painter.fillRect(box, tone)
            painter.setPen(QPen(tone, 1))
            painter.drawRect(box)

    def _nearest(self, y: float) -> Spot | None:
        nearest = min(self.spots(), key=lambda spot: abs(self.y_of(spot.at) - y), default=None)
        return nearest if nearest is not None and abs(self.y_of(nearest.at) - y) <= 5 else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the quote or hit at the pointer, else to the page."""
        spot = self._nearest(event.position().y())
        if spot is not None:
            self.chosen.emit(spot.page, spot.start, spot.end)
            return
        share = (event.position().y() - EDGE) / max(1, self.height() - 2 * EDGE)
        self.page_chosen.emit(min(self._pages, max(1, int(share * self._pages) + 1)))

    def event(self, event: QEvent) -> bool:
        """Name the quote or hit at the pointer in the tool tip."""
        if isinstance(event, QHelpEvent):
            spot = self._nearest(event.pos().y())
            if spot is not None:
                name = spot.name or "Hit of the search"
                QToolTip.showText(event.globalPos(), f"{name}, p. {spot.page}", self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        """Return the width of the strip."""
        return QSize(WIDE, 200)
