"""Scores rule by rule: one small bar chart a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui_app.shared import theme
from gui_app.shared.charts import draw_bar
from gui_app.shared.row_painting import LEFT, RIGHT


@dataclass(frozen=True, slots=True)
class RuleScores:
    """The scores under one rule: (hypothesis, rank as shown, score, share 0..1 of the longest bar, leads).

    ``unrated_shares`` has by hypothesis the share of rows that are not rated, ``coverage`` the same as '3 of 22 rated'.
    """

    rule: str
    better: str
    rows: tuple[tuple[str, str, str, float, bool], ...]
    unrated_shares: Mapping[str, float] = field(default_factory=dict)
    coverage: Mapping[str, str] = field(default_factory=dict)


class RuleChart(QWidget):
    """One small bar chart a rule, beside each other where there is room, below each other where there is not.

    Every rule has a scale of its own: their scores cannot be compared, their orders can.
    """

    BLOCK = 112  # pixels: the narrowest block that still shows bars

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._blocks: tuple[RuleScores, ...] = ()
        self.setAccessibleName("Scores of the hypotheses under each rule")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.updateGeometry)

    def show_scores(self, blocks: Sequence[RuleScores]) -> None:
        """Show the scores under these rules."""
        self._blocks = tuple(blocks)
        self.setAccessibleDescription(self.as_text())
        self.updateGeometry()
        self.update()

    def as_text(self) -> str:
        """Return the chart's data, a line a rule."""
        lines = []
        for block in self._blocks:
            scores = ", ".join(
                f"{rank} {h} {score}".strip() + (f" ({block.coverage[h]})" if block.unrated_shares.get(h) else "")
                for h, rank, score, _share, _leads in block.rows
            )
            lines.append(f"{block.rule} ({block.better}): {scores}")
        return "\n".join(lines)

    def _columns(self, width: int) -> int:
        fit = (width + 16) // (theme.px(self.BLOCK) + 16)
        return max(1, min(len(self._blocks) or 1, fit))

    def _row(self) -> int:
        return theme.px(17)

    def _high(self) -> int:
        rows = max((len(block.rows) for block in self._blocks), default=0)
        return theme.px(16) * 2 + 4 + rows * self._row() + 12

    def hasHeightForWidth(self) -> bool:
        """Return True: a narrow chart is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all blocks at that width."""
        columns = self._columns(width)
        return -(-len(self._blocks) // columns) * self._high() if self._blocks else 0

    def sizeHint(self) -> QSize:
        """Return the size of the blocks in the width there is."""
        return QSize(theme.px(self.BLOCK), self.heightForWidth(max(self.width(), theme.px(self.BLOCK))))

    def minimumSizeHint(self) -> QSize:
        """Return the width of one block."""
        return QSize(theme.px(self.BLOCK), 0)

    def resizeEvent(self, event: Any) -> None:
        """Keep the height that the new width asks for."""
        super().resizeEvent(event)
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the blocks, each on a scale of its own."""
        ink = theme.tokens()
        painter = QPainter(self)
        columns = self._columns(self.width())
        wide = (self.width() - 16 * (columns - 1)) // columns
        for index, block in enumerate(self._blocks):
            left = (index % columns) * (wide + 16)
            top = (index // columns) * self._high()
            painter.setFont(theme.sans(theme.SMALL, bold=True))
            painter.setPen(QColor(ink.text))
            small = QFontMetrics(painter.font())
            title = small.elidedText(block.rule, Qt.TextElideMode.ElideRight, wide)
            painter.drawText(QRect(left, top, wide, theme.px(16)), LEFT, title)
            painter.setFont(theme.sans(theme.SMALL))
            painter.setPen(QColor(ink.muted))
            painter.drawText(QRect(left, top + theme.px(15), wide, theme.px(16)), LEFT, block.better)
            y = top + theme.px(16) * 2 + 4
            metrics = QFontMetrics(theme.sans(theme.SMALL, bold=True))
            rank_width = max((metrics.horizontalAdvance(row[1]) for row in block.rows), default=0) + 6
            name_width = min(wide // 3, max((metrics.horizontalAdvance(row[0]) for row in block.rows), default=0) + 8)
            score_width = max((metrics.horizontalAdvance(row[2]) for row in block.rows), default=0) + 6
            for h, rank, score, share, leads in block.rows:
                box = QRect(left, y, wide, self._row())
                painter.setFont(theme.sans(theme.SMALL, bold=leads))
                painter.setPen(QColor(ink.text if leads else ink.muted))
                painter.drawText(box, LEFT, rank)
                name = QRect(left + rank_width, y, name_width, self._row())
                painter.drawText(name, LEFT, metrics.elidedText(h, Qt.TextElideMode.ElideRight, name_width - 4))
                painter.drawText(box, RIGHT, score)
                room = wide - rank_width - name_width - score_width
                unrated_share = block.unrated_shares.get(h, 0.0)
                if room >= 16 and (score or unrated_share):
                    bar = QRectF(left + rank_width + name_width, y + self._row() / 2 - 3, room, 6)
                    draw_bar(painter, bar, share, "accent" if leads else "neutral", unrated_share=unrated_share)
                y += self._row()
        if self.hasFocus():
            painter.setPen(QColor(ink.focus))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
