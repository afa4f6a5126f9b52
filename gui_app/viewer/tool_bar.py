"""The bar above the page: which document, which page, how large; and the buttons of commands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QToolButton, QWidget

from gui_app.shared import theme
from gui_app.shared.fields import NameChoice
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox
from gui_app.viewer.marks import PageContent, page_name

FIELD, FIELD_MOST = 52, 148  # pixels of the field for the page


class ToolBar(FlowLayout):
    """The bar with the choice of document and page.

    ``document_chosen(id)`` and ``page_entered(text)`` when a person asks for another document or page.
    """

    document_chosen = Signal(str)
    page_entered = Signal(str)

    def __init__(self) -> None:
        super().__init__(gap=2)
        self.setContentsMargins(16, 8, 16, 8)
        self.picker = NameChoice()
        self.picker.setAccessibleName("Document")
        self.picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.picker.setMinimumContentsLength(10)
        self.picker.setMaxVisibleItems(24)
        self.picker.activated.connect(lambda index: self.document_chosen.emit(self.picker.itemData(index)))
        self.page_field = QLineEdit()
        self.page_field.setAccessibleName("Page: its number, or the name printed on it")
        self.page_field.setToolTip("The name printed on the page, or its number; #5 is the fifth page")
        self.page_field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.page_field.setFixedWidth(theme.px(FIELD))
        self.page_field.returnPressed.connect(lambda: self.page_entered.emit(self.page_field.text()))
        self.of_pages = plain("", "muted")
        self.zoom_label = plain()
        self.zoom_label.setMinimumWidth(theme.px(42))
        self.zoom_label.setAlignment(Qt.AlignmentFlag.AlignCenter)

    # --- showing -----------------------------------------------------------------------------------------------------

    def list_documents(self, documents: Sequence[tuple[str, str]]) -> None:
        """List the documents to choose from: (id, name) of each."""
        with QSignalBlocker(self.picker):
            self.picker.clear()
            for document, name in documents:
                self.picker.addItem(name, document)

    def show_document(self, document: str) -> None:
        """Show which document is looked at."""
        with QSignalBlocker(self.picker):
            self.picker.setCurrentIndex(self.picker.findData(document))

    def show_page(self, content: PageContent) -> None:
        """Show which page is looked at, by its label and its number where they differ."""
        self.page_field.setText(content.page.label.strip() or str(content.page.number))
        self.page_field.setCursorPosition(0)
        self.resize_field()
        many = max(1, content.document.pages)
        if page_name(content.page) == str(content.page.number):
            self.of_pages.setText(f"of {many}")
        else:
            self.of_pages.setText(f"({content.page.number} of {many})")

    def show_nothing(self) -> None:
        """Show that there is no page."""
        self.of_pages.setText("")
        self.page_field.clear()

    def resize_field(self) -> None:
        """Fit the field for the page to its name, as far as there is room, and to the text size in force."""
        name = self.page_field.fontMetrics().horizontalAdvance(self.page_field.text()) + 28
        self.page_field.setFixedWidth(max(theme.px(FIELD), min(theme.px(FIELD_MOST), name)))

    def focus_page(self) -> None:
        """Go to the field for the page."""
        self.page_field.setFocus()
        self.page_field.selectAll()

    def open_picker(self) -> None:
        """List the documents."""
        self.picker.setFocus()
        self.picker.showPopup()

    # --- buttons -----------------------------------------------------------------------------------------------------

    def add(self, *parts: QWidget) -> None:
        """Add parts that stay on one line."""
        if len(parts) == 1:
            self.addWidget(parts[0])
            return
        holder = QWidget()
        row = hbox(holder, spacing=2)
        for part in parts:
            row.addWidget(part)
        self.addWidget(holder)

    @staticmethod
    def button(action: QAction, picture: str, text: str = "") -> QToolButton:
        """Make a button for a command: a picture (and a short text), the command's words for the tip."""
        button = QToolButton()
        theme.set_icon(button, picture)
        if text:
            button.setText(text)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setAccessibleName(action.text())
        button.setToolTip(f"{action.text()}  {action.shortcut().toString()}".rstrip())
        button.setCheckable(action.isCheckable())
        if action.isCheckable():
            # A click on a checkable button toggles it by itself; the command decides what is shown.
            action.toggled.connect(button.setChecked)
        action.changed.connect(lambda: button.setEnabled(action.isEnabled()))
        button.clicked.connect(lambda *_: _trigger(action, button))
        return button

    @staticmethod
    def menu_button(actions: Sequence[QAction], picture: str, text: str, name: str, tip: str) -> QToolButton:
        """Make a button that lists commands."""
        button = QToolButton()
        theme.set_icon(button, picture)
        button.setText(text)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.addActions([*actions])
        button.setMenu(menu)
        return button


def _trigger(action: QAction, button: QToolButton) -> None:
    action.trigger()
    if action.isCheckable():
        button.setChecked(action.isChecked())
