"""What is decided about in the middle of the review, with what can be done about it below."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui_app.review.rating_prompt import RatingPrompt
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.labels import line


class Candidate(QWidget):
    """A card over the prompt for its rating; ``buttons`` is the row of buttons, put there by the view."""

    def __init__(self, card: QWidget) -> None:
        super().__init__()
        self.ask = RatingPrompt()
        self.buttons = FlowLayout(gap=4)
        self.buttons.setContentsMargins(24, 8, 24, 8)
        prompt = QVBoxLayout()
        prompt.setContentsMargins(24, 0, 24, 8)
        prompt.addWidget(self.ask)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(card, 1)
        column.addLayout(prompt)
        column.addWidget(line())
        column.addLayout(self.buttons)
