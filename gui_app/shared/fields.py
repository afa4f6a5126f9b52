"""Small fields: for numbers, and to choose by a name that may be long."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPaintEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QPushButton,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from gui_app.shared import theme


def presses_with_enter(dialog: QDialog, event: QKeyEvent) -> bool:
    """Press the button that has the focus with Enter, and tell whether one had it.

    Qt does so in dialogs only for buttons that Enter in a field presses as well.
    """
    button = dialog.focusWidget()
    if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or not isinstance(button, QPushButton):
        return False
    button.click()
    return True


def leave_by_keys(field: QLineEdit, rows: QWidget) -> None:
    """Have Escape clear a filter, and Escape or Enter give the keys back to the rows that it narrows."""
    key = QShortcut(QKeySequence(Qt.Key.Key_Escape), field)
    key.setContext(Qt.ShortcutContext.WidgetShortcut)
    key.activated.connect(field.clear)
    key.activated.connect(rows.setFocus)
    field.returnPressed.connect(rows.setFocus)  # letters are commands there


def bare(field: QAbstractSpinBox, accessible_name: str, *, letters: int = 5) -> None:
    """Take the two small buttons from a number field (the arrow keys do the same), and name it for screen readers."""
    # Not NoButtons: a styled spin box then leaves its text no room at all.
    field.setStyleSheet(
        "QAbstractSpinBox::up-button { subcontrol-origin: border; width: 0; border: none; }"
        "QAbstractSpinBox::down-button { subcontrol-origin: border; width: 0; border: none; }"
    )
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    field.setAccessibleName(accessible_name)
    field.setFixedWidth(theme.px(10) * letters + 16)


class NameChoice(QComboBox):
    """A choice among names: one that is too long for its room is shortened in the middle, and its tip has all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.currentTextChanged.connect(self.setToolTip)

    def shown_text(self) -> str:
        """Return what of the name there is room for."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        place = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, place, self)
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideMiddle, room.width() - 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the name shortened in its middle."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
