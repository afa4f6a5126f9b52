"""What is decided about in the middle of the review, the page beside it, and below what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gui_app.review.page_beside import PageBeside
from gui_app.session import CaseSession
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.labels import line


class ReviewPane(QWidget):
    """A card with its page beside it, over ``foot`` if there is one; ``buttons`` is the row of buttons of the view."""

    def __init__(
        self, card: QWidget, session: CaseSession, foot: QWidget | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.page = PageBeside(session)
        self.buttons = FlowLayout(gap=4)
        self.buttons.setContentsMargins(24, 8, 24, 8)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(card)
        self.splitter.addWidget(self.page)
        self.splitter.setSizes([520, 480])
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.splitter, 1)
        column.addWidget(line())
        if foot is not None:
            column.addWidget(foot)
        column.addLayout(self.buttons)
