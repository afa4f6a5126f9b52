"""The line below a page that says what the colours of its quotes mean."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.domain import Label
from gui_app.shared import mark_colours, theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.labels import plain
from gui_app.shared.page_geometry import Mark
from gui_app.viewer.hypothesis_stripes import SIGNS

_STANCES: tuple[Label | None, ...] = ("supports", "contradicts", "neutral", "ambiguous", None)
_WORDS: dict[Label | None, str] = {"ambiguous": "ambiguous, or for one and against another", None: "not rated"}
_GAP = 6  # pixels between a swatch and its word


class MarkLegend(QWidget):
    """What the colours of the quotes on show mean; hidden where there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = plain("", "small")
        self.entries = [_Entry(stance) for stance in _STANCES]
        row = FlowLayout(self, gap=12)
        row.setContentsMargins(24, 6, 16, 6)
        for widget in (self.head, *self.entries):
            row.addWidget(widget)
        self.hide()

    def show_marks(self, marks: Sequence[Mark], *, on_paper: bool) -> None:
        """Show the colours that these quotes have; those of a picture of a page are of paper in every theme."""
        quotes = [mark for mark in marks if mark.letters]
        stances = {mark.stance for mark in quotes}
        for entry in self.entries:
            entry.on_paper = on_paper
            entry.setVisible(entry.stance in stances)
        decided = sum(mark.is_decided for mark in quotes)
        self.head.setText("Quotes" if 0 < decided < len(quotes) else "In the matrix" if decided else "Proposals")
        self.setVisible(bool(quotes))


class _Entry(QWidget):
    """One colour with its sign, and its word."""

    def __init__(self, stance: Label | None) -> None:
        super().__init__()
        self.stance = stance
        self.on_paper = False
        self.text = _WORDS.get(stance) or VERDICTS[stance or "neutral"]
        self.setAccessibleName(self.text)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        """Return the size of the swatch and its word."""
        metrics = QFontMetrics(theme.sans(theme.SMALL))
        return QSize(2 * metrics.height() + _GAP + metrics.horizontalAdvance(self.text), metrics.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the swatch as the quotes are marked, and the word."""
        painter = QPainter(self)
        painter.setFont(theme.sans(theme.SMALL))
        high = painter.fontMetrics().height()
        swatch = QRectF(0.5, 0.5, 2 * high - 1, high - 1)
        tone = mark_colours.paper_tone(self.stance) if self.on_paper else mark_colours.tone(self.stance)
        tint = mark_colours.paper_tint(self.stance) if self.on_paper else mark_colours.text_tint(self.stance)
        painter.fillRect(swatch, tint)
        painter.setPen(QPen(tone, 1))
        painter.drawRect(swatch)
        painter.drawText(swatch, int(Qt.AlignmentFlag.AlignCenter), SIGNS[self.stance])
        painter.setPen(theme.tokens().muted)
        words = QRectF(2 * high + _GAP, 0, self.width(), high)
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), self.text)
