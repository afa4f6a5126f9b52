"""The picture of one page as far as it is there: whole at one scale, or coarse with sharp tiles over it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter

WHOLE = 3_000_000  # pixels of a page that is fetched as one picture; a larger one comes in tiles
COARSE = 1_500_000  # pixels of the picture below the tiles
TILE = 512  # pixels a side: drawn, sent and decoded in some 10 ms


@dataclass(frozen=True, slots=True)
class Tile:
    """A square of a page in a picture of ``scale`` pixels a point: its place in the grid, and its part in points."""

    column: int
    row: int
    scale: float
    clip: tuple[float, float, float, float]


class PagePicture:
    """The part of a page of ``size`` points that is drawn. ``exact`` is the scale it is shown at, in pixels a point."""

    def __init__(self) -> None:
        self.size = QSize(612, 792)
        self.image = QImage()
        self.scale = 0.0
        self.tiles: dict[tuple[int, int], QImage] = {}
        self._tiles_scale = 0.0

    def clear(self) -> None:
        """Drop what is there: another page is shown."""
        self.image, self.scale, self.tiles = QImage(), 0.0, {}

    def fits_whole(self, scale: float) -> bool:
        """Return whether the whole page is fetched as one picture at that scale."""
        return self.size.width() * self.size.height() * scale * scale <= WHOLE

    def wanted_scale(self, exact: float) -> float:
        """Return the scale of the picture of the whole page: exact, or coarse where tiles lie over it.

        Exact, so that nothing is scaled: scaled text is never as sharp.
        """
        if self.fits_whole(exact):
            return exact
        return round(math.sqrt(COARSE / (self.size.width() * self.size.height())), 3)

    def set_image(self, image: QImage, scale: float, *, exact: float, ratio: float) -> bool:
        """Take a picture of the page: the one that is wanted, else the sharpest; tell whether it is taken."""
        target = self.wanted_scale(exact)
        if scale != target and (self.scale == target or scale <= self.scale):
            return False
        self.image, self.scale = image, scale
        self.image.setDevicePixelRatio(ratio)
        return True

    def set_tile(self, tile: Tile, image: QImage, *, exact: float) -> bool:
        """Take a tile; tell whether it is taken: one of another scale comes too late."""
        if not tile.scale == self._tiles_scale == exact:
            return False
        self.tiles[(tile.column, tile.row)] = image
        return True

    def missing_tiles(self, exact: float, sight: tuple[float, float, float, float]) -> list[Tile]:
        """List the tiles in ``sight`` (pixels of the page) that are not there, those nearest to its middle first."""
        if self.fits_whole(exact):
            return []
        if exact != self._tiles_scale:
            self.tiles, self._tiles_scale = {}, exact
        left, top, right, bottom = sight
        in_sight = [
            (column, row)
            for row in range(int(top // TILE), math.ceil(bottom / TILE))
            for column in range(int(left // TILE), math.ceil(right / TILE))
        ]
        near = {(c + dc, r + dr) for c, r in in_sight for dc in (-1, 0, 1) for dr in (-1, 0, 1)}
        self.tiles = {corner: image for corner, image in self.tiles.items() if corner in near}
        x, y = (left + right) / 2 / TILE - 0.5, (top + bottom) / 2 / TILE - 0.5
        missing = [corner for corner in in_sight if corner not in self.tiles]
        missing.sort(key=lambda corner: math.hypot(corner[0] - x, corner[1] - y))
        return [Tile(*corner, exact, self._clip(*corner, TILE / exact)) for corner in missing]

    def _clip(self, column: int, row: int, step: float) -> tuple[float, float, float, float]:
        right, bottom = min(self.size.width(), (column + 1) * step), min(self.size.height(), (row + 1) * step)
        return column * step, row * step, right, bottom

    def paint(self, painter: QPainter, page: QRectF, *, exact: float, ratio: float) -> None:
        """Draw what is there into the rectangle of the page."""
        if self.scale == exact:
            painter.drawImage(page.topLeft(), self.image)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(page, self.image)
        if self._tiles_scale != exact:
            return
        for (column, row), image in self.tiles.items():
            left, top = page.left() + column * TILE / ratio, page.top() + row * TILE / ratio
            painter.drawImage(QRectF(left, top, image.width() / ratio, image.height() / ratio), image)
