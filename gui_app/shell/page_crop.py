"""A strip of a page around a quote, as the page itself shows it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.domain import Word
from gui_app.shared import theme
from gui_app.shared.page_geometry import lines


@dataclass(frozen=True, slots=True)
class Crop:
    """A strip of a page around some words, in pixels of ``png``."""

    png: bytes
    scale: float
    boxes: tuple[Word, ...]
    height: float


class CropView(QWidget):
    """The strip of the page itself with the words boxed."""

    def __init__(self) -> None:
        super().__init__()
        self._picture = QPixmap()
        self._boxes: list[QRectF] = []
        self._strip = QRectF()
        self.setAccessibleName("The words on the page itself")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_crop(self, crop: Crop) -> bool:
        """Return whether there was something to show."""
        picture = QPixmap()
        if not crop.boxes or not picture.loadFromData(crop.png):
            return False
        top = min(word.y0 for word in crop.boxes) * crop.scale - 14
        bottom = max(word.y1 for word in crop.boxes) * crop.scale + 14
        bottom = min(bottom, top + 260)
        self._picture = picture
        self._boxes = [QRectF(box.topLeft() * crop.scale, box.bottomRight() * crop.scale) for box in lines(crop.boxes)]
        left = max(0.0, min(box.left() for box in self._boxes) - 16)
        right = min(float(picture.width()), max(box.right() for box in self._boxes) + 16)
        self._strip = QRectF(left, max(0.0, top), max(120.0, right - left), bottom - max(0.0, top))
        self._fit()
        self.update()
        return True

    def sizeHint(self) -> QSize:
        """Return the height that the strip has at its width."""
        return QSize(200, self.height())

    def resizeEvent(self, event: object) -> None:
        """Fit the strip to the width."""
        self._fit()

    def _fit(self) -> None:
        if self._strip.isEmpty() or not self.width():
            return
        self.setFixedHeight(max(24, round(self._strip.height() * self._zoom())))

    def _zoom(self) -> float:
        return min(1.0, self.width() / self._strip.width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the strip with its words marked."""
        if self._picture.isNull():
            return
        t = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        clip = QPainterPath()
        clip.addRoundedRect(QRectF(self.rect()), 3, 3)
        painter.setClipPath(clip)
        zoom = self._zoom()
        painter.scale(zoom, zoom)
        painter.translate(-self._strip.topLeft())
        painter.drawPixmap(0, 0, self._picture)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        for box in self._boxes:
            painter.fillRect(box.adjusted(-1, -1, 1, 1), QColor(theme.LIGHT.mark))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        painter.resetTransform()
        painter.setPen(QColor(t.line))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
