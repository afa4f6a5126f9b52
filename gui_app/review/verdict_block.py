"""What one model says of a passage: who it is and how often it was right, its verdict, and its words on the quote."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from core.domain import Probabilities, Verdict
from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.labels import plain, tooltip
from gui_app.shared.probabilities import two_digits
from gui_app.shared.verdict_signs import ProbabilityBar, VerdictChip

BESIDE = 720  # pixels from which on two verdicts are side by side


@dataclass(frozen=True, slots=True)
class ModelReading:
    """A model's word on a passage.

    ``who`` is its part and name, ``figure`` what it reached in its exam, ``summary`` everything that is known of it;
    ``here`` are what its probabilities would be fitted to this case, ``ratings`` on how many ratings.
    """

    who: str
    figure: str
    verdict: Verdict
    explanation: str
    here: Probabilities | None = None
    ratings: int = 0
    summary: str = ""


class VerdictBlock(QWidget):
    """One model's word."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.who = plain(role="strong", wrap=True)
        self.figure = plain(role="small", wrap=True)
        self.chip, self.bar = VerdictChip(), ProbabilityBar()
        self.here = plain(role="small", wrap=True)
        self.explanation = plain(wrap=True)
        verdict = FlowLayout(gap=16)
        verdict.addWidget(self.chip)
        verdict.addWidget(self.bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        head = QVBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.who)
        head.addWidget(self.figure)
        column.addLayout(head)
        column.addLayout(verdict)
        column.addWidget(self.here)
        column.addWidget(self.explanation)
        column.addStretch(1)

    def show_reading(self, reading: ModelReading) -> None:
        """Show what one model says."""
        self.who.setText(reading.who)
        self.figure.setText(reading.figure)
        self.figure.setVisible(bool(reading.figure))
        for part in (self.who, self.figure):
            part.setToolTip(tooltip(reading.summary))
        self.chip.show_verdict(reading.verdict)
        self.bar.show_probabilities(reading.verdict.probabilities)
        self.here.setVisible(reading.here is not None)
        if reading.here is not None:
            here = reading.here
            self.here.setText(
                f"In this case: for {two_digits(here.supports)}, neutral {two_digits(here.neutral)}, "
                f"against {two_digits(here.contradicts)} "
                f"(fitted on {reading.ratings} ratings; the verdict stays as it is)"
            )
        self.explanation.setText(reading.explanation)
        self.explanation.setVisible(bool(reading.explanation))


class Verdicts(QWidget):
    """The words of all models on a passage, side by side where there is room, else below one another."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.blocks: list[VerdictBlock] = []
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(24)

    def show_readings(self, readings: list[ModelReading]) -> None:
        """Show what each model says, in this order."""
        while len(self.blocks) < len(readings):
            block = VerdictBlock()
            self.blocks.append(block)
            self._row.addWidget(block, 1)
        for index, block in enumerate(self.blocks):
            block.setVisible(index < len(readings))
            if index < len(readings):
                block.show_reading(readings[index])
        self._arrange()

    @property
    def first(self) -> VerdictBlock:
        """The block of the verdict that the proposal carries."""
        if not self.blocks:
            self.blocks.append(VerdictBlock())
            self._row.addWidget(self.blocks[0], 1)
        return self.blocks[0]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the blocks side by side where there is room."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        has_several = sum(not block.isHidden() for block in self.blocks) > 1
        is_wide = has_several and self.width() >= theme.px(BESIDE)
        way = QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom
        if self._row.direction() != way:
            self._row.setDirection(way)
        for block in self.blocks:
            self._row.setAlignment(block, Qt.AlignmentFlag.AlignTop if is_wide else Qt.AlignmentFlag(0))
