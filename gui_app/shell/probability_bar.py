"""The probabilities of a verdict as one bar with figures."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from core.domain import Label, Probabilities
from gui_app.shared import theme
from gui_app.shared.formatting import VERDICTS


class ProbabilityBar(QWidget):
    """Three probabilities as one bar with figures: supports, neutral, contradicts."""

    def __init__(self, probabilities: Probabilities, basis: str) -> None:
        super().__init__()
        self._parts: list[tuple[Label, float]] = [
            ("supports", probabilities.supports),
            ("neutral", probabilities.neutral),
            ("contradicts", probabilities.contradicts),
        ]
        words = ", ".join(f"{VERDICTS[label]} {share:.2f}" for label, share in self._parts)
        self.setAccessibleName(f"Probabilities: {words}")
        self.setToolTip(f"{words}\n{basis}".strip())
        self.setFixedHeight(8 + theme.px(20))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the bar, and the figures below it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        left = 0.0
        for label, share in self._parts:
            width = share * self.width()
            painter.setBrush(theme.tone(label) if label != "neutral" else QColor(theme.tokens().line))
            painter.drawRect(QRectF(left, 0, max(0.0, width - 1), 6))
            left += width
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(theme.tokens().muted))
        row = QRect(0, 10, self.width(), theme.px(16))
        places = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for place, (label, share) in zip(places, self._parts, strict=True):
            painter.drawText(row, int(place), f"{VERDICTS[label]} {share:.2f}".replace(" 0.", " ."))
