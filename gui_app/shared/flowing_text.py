"""Words of a document in serif, in as many lines as the width of their widget asks for."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui_app.shared import theme


class FlowingText(QWidget):
    """A text that is painted by whoever derives from this, and may have its height measured for a width."""

    def __init__(self, accessible_name: str, size: int) -> None:
        super().__init__()
        self._name, self._size = accessible_name, size
        self._text = ""
        self.setAccessibleName(accessible_name)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self._dress)

    def text(self) -> str:
        """Return the text on show."""
        return self._text

    def hasHeightForWidth(self) -> bool:
        """Return True: a narrow text is higher."""
        return True

    def sizeHint(self) -> QSize:
        """Return the size of the text in a column that reads well."""
        return QSize(240, self.heightForWidth(max(240, self.width())))

    def minimumSizeHint(self) -> QSize:
        """Return the size of one short line."""
        return QSize(80, theme.px(self._size) + 4)

    def _dress(self) -> None:
        self.updateGeometry()
        self.update()


def units(text: str) -> int:
    """Count the UTF-16 units of ``text``, as Qt does; Python counts characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
