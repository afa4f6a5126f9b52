"""The room that a page is shown in: its edges, its lanes of stripes, and how large a page may be in it. No widget."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize

from gui_app.shared import theme
from gui_app.viewer import hypothesis_stripes

EDGE = 24  # pixels around the page; half of it where there is little room
WIDEST = 2.0  # pixels a point of a page fitted to the width: wider than reading distance helps nobody


@dataclass(frozen=True, slots=True)
class PageRoom:
    """A view of ``width`` x ``height`` pixels."""

    width: int
    height: int

    @property
    def _is_large(self) -> bool:
        return self.width >= theme.px(560)

    @property
    def edge(self) -> int:
        """Pixels around the page."""
        return EDGE if self._is_large else EDGE // 2

    @property
    def lanes(self) -> int:
        """Lanes of stripes beside the page."""
        return 2 if self._is_large else 1

    @property
    def gutter(self) -> int:
        """Pixels kept free beside every page, so that pages with and without marks are shown at one size."""
        return self.lanes * hypothesis_stripes.lane()

    def need(self, page: QSize, scale: float) -> tuple[int, int]:
        """Return the pixels across and down that a page takes with all that is around it."""
        across = round(page.width() * scale) + 2 * self.edge + self.gutter
        return across, round(page.height() * scale) + 2 * self.edge

    def left_of(self, page: QSize, scale: float) -> float:
        """Return where a page begins from the left: in the middle of the room, or at its edge."""
        return max(float(self.edge), (self.width - page.width() * scale - self.gutter) / 2)

    def width_scale(self, page: QSize, *, bar: int, has_bar: bool) -> float:
        """Return the scale that fits the width, beside a scroll bar of ``bar`` pixels where the page is too high."""
        # Without the bar a page can be just too high, and with it just fit: it would come and go for ever.
        free = (self.width + bar * has_bar - 2 * self.edge - self.gutter) / page.width()
        high = page.height() * min(free, WIDEST) + 2 * self.edge
        return min(free if high <= self.height else free - bar / page.width(), WIDEST)

    def page_scale(self, page: QSize) -> float:
        """Return the scale that fits the whole page."""
        across = (self.width - 2 * self.edge - self.gutter) / page.width()
        return min(across, (self.height - 2 * self.edge) / page.height())
