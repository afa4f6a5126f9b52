"""The bar above the grid: how many rows, the filter, the order, whose ratings, and ways to look at the matrix."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QPushButton, QToolButton, QWidget

from core.domain import Hypothesis
from gui_app.matrix.grid_filter import GridFilter
from gui_app.matrix.grid_model import SORTS
from gui_app.matrix.state import MatrixState
from gui_app.shared import theme
from gui_app.shared.labels import ElidedLabel
from gui_app.shared.layout import hbox

_SORT_NAMES = {
    "id": "by number",
    "text": "by text",
    "source": "by source",
    "date": "by date",
    "grade": "by grade",
    "credibility": "by credibility",
    "relevance": "by relevance",
    "diagnosticity": "by diagnosticity",
    "unrated": "unrated first",
    "upstream": "by shared source",
}


class MatrixBar(QWidget):
    """The controls in one line; what they do is the screen's."""

    def __init__(self, rows_filter: GridFilter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.count = ElidedLabel("", "strong")
        self.count.setMinimumWidth(48)
        rows_filter.field.setMinimumWidth(64)
        rows_filter.field.setMaximumWidth(200)
        self.sort_choice = _choice("Sort the rows")
        self.view_choice = _choice("Whose ratings are shown")
        self.view_choice.hide()
        self.what_if_button = QPushButton("What if")
        self.analysis_button = QPushButton("Analysis")
        for button in (self.what_if_button, self.analysis_button):
            button.setCheckable(True)
            button.setProperty("kind", "quiet")
        self.what_if_button.setToolTip("Untick rows and watch the ranks move; nothing is stored (W)")
        self.what_if_button.setAccessibleName("What if rows were not there")
        self.analysis_button.setAccessibleName("Show rules, sensitivity, group and time")
        self.more_button = QToolButton()
        self.more_button.setAccessibleName("More ways to look at the matrix")
        self.more_button.setToolTip("More")
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        theme.set_icon(self.more_button, "more")
        row = hbox(self, margins=(16, 8, 16, 8), spacing=8)
        row.addWidget(self.count, 2)
        row.addWidget(rows_filter.field, 1)
        for widget in (
            rows_filter.button,
            self.sort_choice,
            self.view_choice,
            self.what_if_button,
            self.analysis_button,
            self.more_button,
        ):
            row.addWidget(widget)

    def offer_views(self, state: MatrixState) -> None:
        """Offer whose ratings can be shown, and show whose are."""
        self.view_choice.setToolTip(
            "Blind rating: colleagues' ratings are shown when you have rated what they rated."
            if state.has_hidden
            else "Whose ratings are shown"
        )
        _fill(self.view_choice, state.views)
        self.view_choice.setCurrentIndex(self.view_choice.findData(state.view))
        self.view_choice.setVisible(state.has_colleagues)

    def offer_sorts(self, hypotheses: Sequence[Hypothesis], sort: str) -> None:
        """Offer the orders of the rows, and show the one in force."""
        sorts = [(_SORT_NAMES[sort], sort) for sort in SORTS]
        sorts += [(f"against {h.id}", f"h:{h.id}") for h in hypotheses]
        _fill(self.sort_choice, sorts)
        self.sort_choice.setCurrentIndex(max(0, self.sort_choice.findData(sort)))


def _fill(choice: QComboBox, entries: Sequence[tuple[str, str]]) -> None:
    """Put other words and values into a choice, unless it offers these values already."""
    if [choice.itemData(index) for index in range(choice.count())] != [value for _words, value in entries]:
        choice.clear()
        for words, value in entries:
            choice.addItem(words, value)


def _choice(name: str) -> QComboBox:
    """Return a choice that takes no more room than it must."""
    choice = QComboBox()
    choice.setAccessibleName(name)
    choice.setToolTip(name)
    choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    choice.setMinimumContentsLength(7)
    return choice
