"""Documents apart from the case: files that could not be read, with the reason, and documents that were taken out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QVBoxLayout, QWidget

from core.domain import Document
from gui_app.documents.cell_delegates import NameDelegate
from gui_app.documents.documents_model import SideListModel
from gui_app.shared.labels import line, plain
from gui_app.shared.table import Table


class SideList(QWidget):
    """A table with what can be done about its rows above it."""

    def __init__(self, text: str, name: str, actions: Sequence[QAction]) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(24, 8, 24, 8)
        head.setSpacing(8)
        head.addWidget(plain(text, "", wrap=True))  # beside the buttons a narrow window breaks it after every word
        row = QHBoxLayout()
        row.setSpacing(8)
        head.addLayout(row)
        self.buttons: dict[QAction, QPushButton] = {}
        for action in actions:
            button = QPushButton(action.text())
            button.setToolTip(action.toolTip())
            button.clicked.connect(lambda _on=False, action=action: action.trigger())
            button.setEnabled(action.isEnabled())
            action.enabledChanged.connect(button.setEnabled)
            self.buttons[action] = button
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(head)
        column.addWidget(line())
        self.model = SideListModel(self)
        self.table = Table(self.model, name)
        self.table.widths([200, 0, 0], stretch=1)
        self.table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.table.wrap()
        self.table.setItemDelegateForColumn(0, NameDelegate(self.table))
        column.addWidget(self.table, 1)
        self.setFocusProxy(self.table)

    def show_documents(self, documents: Sequence[Document], locked_ids: frozenset[str] = frozenset()) -> None:
        """Show these; what was selected stays selected."""
        selection = {document.id for document in self.chosen()}
        self.model.locked_ids = locked_ids
        self.model.show(documents)
        self.select({row.id for row in documents} if len(documents) == 1 else selection)

    def select(self, ids: Collection[str]) -> None:
        """Select only these documents, the first as the current one."""
        model = self.table.selectionModel()
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        model.clearSelection()
        for index, row in enumerate(self.model.rows):
            if row.id in ids:
                if not model.hasSelection():
                    model.setCurrentIndex(self.model.index(index, 0), flags)
                model.select(self.model.index(index, 0), flags)

    def chosen(self) -> list[Document]:
        """List the documents that are selected."""
        return [self.model.rows[index.row()] for index in self.table.selectionModel().selectedRows()]

    def at_hand(self) -> list[Document]:
        """List those that are selected, or all where none is."""
        return self.chosen() or list(self.model.rows)
