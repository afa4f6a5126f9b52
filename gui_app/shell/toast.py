"""A line that says what was just done, with Undo in place of "are you sure?". It goes away by itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from gui_app.shared.announce import announce
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox

SHOWN_MS = 7000
MARGIN = 16  # pixels that are left free beside it


class Toast(QFrame):
    """Floats over the line at the lower edge of its parent, before ``last``, where it covers nothing to decide on."""

    undo = Signal()

    def __init__(self, parent: QWidget, last: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        self._last = last
        self.setProperty("kind", "toast")
        self.setAccessibleName("Message")
        row = hbox(self, margins=(16, 2, 12, 2), spacing=12)
        self._text = plain("")
        row.addWidget(self._text)
        self._undo = QPushButton("Undo")
        self._undo.setAccessibleName("Undo the last step")
        self._undo.setCursor(Qt.CursorShape.PointingHandCursor)
        self._undo.clicked.connect(self._undone)
        row.addWidget(self._undo)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    def tell(self, text: str, undo: bool) -> None:
        """Show a sentence for some seconds; ``undo`` puts an Undo button beside it."""
        self._text.setText(text if len(text) < 120 else text[:117] + "...")
        self._undo.setVisible(undo)
        self.show()
        self._place()
        self.raise_()
        self._timer.start()
        announce(self, text)

    def text(self) -> str:
        """Return the sentence on show."""
        return self._text.text()

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Keep the toast in its place when the window gets another size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def event(self, event: QEvent) -> bool:
        """Keep the toast in its place for another text size, too."""
        is_handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():  # another text size, too
            self._place()
        return is_handled

    def _place(self) -> None:
        """Take the room of the text, on several lines where the window is too narrow for one."""
        row = self.layout()
        assert row is not None
        right = self._last.mapTo(self._around, QPoint(0, 0)).x() - MARGIN
        widest = right - MARGIN
        beside = row.sizeHint().width() - self._text.sizeHint().width()
        width = self._text.fontMetrics().horizontalAdvance(self._text.text()) + beside + 1
        if self._text.wordWrap() != (width > widest):
            self._text.setWordWrap(width > widest)
        width = min(width, widest)
        self.resize(width, row.heightForWidth(width) if row.hasHeightForWidth() else row.sizeHint().height())
        bar = self._last.parentWidget()
        line = 0 if bar is None else bar.height()
        self.move(right - width, self._around.height() - self.height() - max(0, (line - self.height()) // 2))

    def _undone(self) -> None:
        self.hide()
        self.undo.emit()
