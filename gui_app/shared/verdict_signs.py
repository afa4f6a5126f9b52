"""How verdicts and ratings look, in one place: what the machine says is outlined, what a person decided is filled."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.domain import Label, Probabilities, Verdict
from gui_app.shared import theme
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.probabilities import probability_of, two_digits


def draw_sign(painter: QPainter, label: Label, box: QRectF, colour: QColor, *, fill: bool) -> None:
    """Draw the shape of a verdict: up for supports, down for contradicts, a bar or a diamond for the others.

    The bar is for neutral, the diamond for ambiguous.
    """
    left, right, top, bottom, middle = box.left(), box.right(), box.top(), box.bottom(), box.center()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.2))
    painter.setBrush(colour if fill else Qt.BrushStyle.NoBrush)
    if label == "supports":
        painter.drawPolygon(QPolygonF([QPointF(middle.x(), top), QPointF(right, bottom), QPointF(left, bottom)]))
    elif label == "contradicts":
        painter.drawPolygon(QPolygonF([QPointF(left, top), QPointF(right, top), QPointF(middle.x(), bottom)]))
    elif label == "neutral":
        painter.drawRect(QRectF(left, middle.y() - 1.5, box.width(), 3))
    else:
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(middle.x(), top),
                    QPointF(right, middle.y()),
                    QPointF(middle.x(), bottom),
                    QPointF(left, middle.y()),
                ]
            )
        )
    painter.restore()


class VerdictChip(QWidget):
    """A verdict of the machine: shape and word inside an outline, never filled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label: Label = "neutral"
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_verdict(self, verdict: Verdict) -> None:
        """Show the verdict of the machine."""
        self._label = verdict.label
        self._text = f"{VERDICTS[verdict.label]} {two_digits(probability_of(verdict))}"
        self.setAccessibleName(f"The model suggests: {self._text}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the sign and its word."""
        metrics = QFontMetrics(theme.sans(bold=True))
        return QSize(metrics.horizontalAdvance(self._text) + 44, metrics.height() + 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the sign and the word inside their outline."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tone = theme.tone(self._label)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(tone, 1))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        draw_sign(painter, self._label, QRectF(14, box.center().y() - 4.5, 9, 9), tone, fill=False)
        painter.setFont(theme.sans(bold=True))
        painter.setPen(tone)
        painter.drawText(
            box.adjusted(30, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), self._text
        )


class ProbabilityBar(QWidget):
    """The three probabilities of a verdict as one outlined bar, with their figures below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._probabilities = Probabilities(0.0, 0.0, 1.0)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_probabilities(self, probabilities: Probabilities) -> None:
        """Show the probabilities of a verdict."""
        self._probabilities = probabilities
        self.setAccessibleName(f"Probabilities: {self._words()}")
        self.setToolTip("Probabilities of the model's verdict; they sum to 1.")
        self.update()

    def _parts(self) -> list[tuple[Label, float]]:
        p = self._probabilities
        return [("supports", p.supports), ("neutral", p.neutral), ("contradicts", p.contradicts)]

    def _words(self) -> str:
        return ", ".join(f"{VERDICTS[label]} {two_digits(value)}" for label, value in self._parts())

    def sizeHint(self) -> QSize:
        """Return a size with room for the three figures."""
        metrics = QFontMetrics(theme.sans(theme.SMALL))
        legend = sum(metrics.horizontalAdvance(f"{VERDICTS[label]} .00") + 16 for label, _ in self._parts())
        return QSize(max(280, legend), 12 + metrics.height() + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar with its figures below."""
        painter = QPainter(self)
        painter.setFont(theme.sans(theme.SMALL))
        metrics = QFontMetrics(theme.sans(theme.SMALL))
        wide = self.width() - 1
        x = 0.0
        for label, value in self._parts():
            box = QRectF(x + 0.5, 0.5, max(2.0, wide * value - 2), 7)
            painter.setPen(QPen(theme.tone(label), 1))
            painter.setBrush(theme.tint(label))
            painter.drawRect(box)
            x += wide * value
        x = 0.0
        for label, value in self._parts():
            text = f"{VERDICTS[label]} {two_digits(value)}"
            painter.setPen(theme.tone(label))
            painter.drawText(QPointF(x, 12 + metrics.ascent()), text)
            x += metrics.horizontalAdvance(text) + 16
