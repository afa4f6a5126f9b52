"""The stripes beside a page and beside its text: one for each hypothesis a quote bears on, with its letter and a sign.

Hypotheses are told apart by letter and hatching, stances by sign and tone: none of it by colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPen

from core.domain import Label
from gui_app.shared import mark_colours, theme
from gui_app.shared.page_geometry import Mark

LANE = 44  # pixels a lane at the default text size
SIGNS: dict[Label | None, str] = {
    "supports": "+",
    "contradicts": "\u2212",
    "neutral": "\u25cb",
    "ambiguous": "\u00b1",
    None: "",
}
_HATCHES = (
    Qt.BrushStyle.SolidPattern,
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.HorPattern,
    Qt.BrushStyle.Dense4Pattern,
    Qt.BrushStyle.FDiagPattern,
    Qt.BrushStyle.CrossPattern,
    Qt.BrushStyle.Dense6Pattern,
    Qt.BrushStyle.DiagCrossPattern,
)


def lane() -> int:
    """Return the pixels that a lane of stripes takes at the person's text size."""
    return theme.px(LANE)


def hatch(hypothesis: str) -> Qt.BrushStyle:
    """Return the hatching of a hypothesis, the same everywhere; the ninth has that of the first."""
    digits = "".join(char for char in hypothesis if char.isdigit())
    return _HATCHES[(int(digits) - 1) % len(_HATCHES) if digits else 0]


def least_height(mark: Mark) -> float:
    """Return how high the stripe of a mark must be: a row each, two at the least are never squeezed."""
    rows = max(1, min(3, len(mark.stances)))
    return rows * float(QFontMetrics(theme.sans(theme.SMALL, bold=True)).height())


def places(extents: Sequence[tuple[float, float]], lanes: int = 2) -> list[tuple[int, float, float]]:
    """Return (lane, top, bottom) of each stripe: one that finds no lane free is lower."""
    ends = [-1e9] * lanes
    positions = [(0, 0.0, 0.0)] * len(extents)
    for index in sorted(range(len(extents)), key=lambda i: extents[i]):
        top, bottom = extents[index]
        free = (lane for lane, end in enumerate(ends) if top >= end + 2)
        lane = next(free, ends.index(min(ends)))
        high = bottom - top
        top = max(top, ends[lane] + 2)
        ends[lane] = top + high
        positions[index] = (lane, top, top + high)
    return positions


def paint_stripe(painter: QPainter, box: QRectF, mark: Mark, *, current: bool) -> None:
    """Draw the stripe of one quote: a bar cut among its hypotheses, a letter and a sign beside each part."""
    ink = theme.tokens()
    painter.setFont(theme.sans(theme.SMALL, bold=True))
    stances = mark.stances or ((mark.letters, mark.stance),)
    high = painter.fontMetrics().height()
    fit = max(1, int((box.height() + 2) // high))
    visible, more = stances[:fit], len(stances) > fit
    bar = QRectF(box.left(), box.top(), 6 if current else 5, box.height())
    part = bar.height() / len(visible)
    for index, (hypothesis, stance) in enumerate(visible):
        tone = mark_colours.tone(stance)
        piece = QRectF(bar.left(), bar.top() + index * part, bar.width(), part - (1 if index < len(visible) - 1 else 0))
        if mark.is_decided:
            painter.fillRect(piece, QBrush(tone, hatch(hypothesis)))
        painter.setPen(QPen(tone, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(piece.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(tone if current else QColor(ink.muted))
        text = f"{hypothesis}{SIGNS[stance]}" + ("\u2026" if more and index == len(visible) - 1 else "")
        top = max(piece.top(), box.top() + index * high)
        painter.drawText(QPointF(box.left() + 9, top + painter.fontMetrics().ascent()), text)
    painter.setPen(QPen(QColor(ink.muted), 1.5))
    middle = bar.center().x()
    if mark.goes_on:
        _arrow(painter, QPointF(middle, bar.bottom() + 6), 1)
    if mark.from_before:
        _arrow(painter, QPointF(middle, bar.top() - 6), -1)


def _arrow(painter: QPainter, tip: QPointF, way: int) -> None:
    """Draw a small arrow head: the quote goes on over the page break."""
    painter.drawLine(tip, tip + QPointF(-4, -4 * way))
    painter.drawLine(tip, tip + QPointF(4, -4 * way))
