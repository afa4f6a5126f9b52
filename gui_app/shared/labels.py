"""Labels that show data: always plain text, so that a file name with markup stays a file name."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from gui_app.shared.layout import vbox


def plain(text: str = "", role: str = "", *, wrap: bool = False, selectable: bool = False) -> QLabel:
    """Make a label in plain text; ``role`` is title, heading, strong, muted, small, section or mono (see theme.py)."""
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setWordWrap(wrap)
    if role:
        label.setProperty("role", role)
    if selectable:
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
    return label


def line(*, vertical: bool = False) -> QFrame:
    """Make a separator of one pixel."""
    frame = QFrame()
    frame.setProperty("kind", "vline" if vertical else "hline")
    frame.setFixedWidth(1) if vertical else frame.setFixedHeight(1)
    return frame


def note(*rows: QWidget) -> QFrame:
    """Make a box for what is to be noticed, its rows one below the other."""
    frame = QFrame()
    frame.setProperty("kind", "note")
    column = vbox(frame, margins=(12, 8, 12, 8), spacing=4)
    for row in rows:
        column.addWidget(row)
    return frame


class ElidedLabel(QLabel):
    """One line that gives up its middle (or end) when there is no room; the whole text is the tool tip.

    Of parts with a dot between them, the last ones go first; a ``tail`` at the end of the text never goes.
    """

    def __init__(
        self,
        text: str = "",
        role: str = "",
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        tail: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._mode, self._tail = mode, " ".join(tail.split())
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show a text on one line, all of it in the tool tip."""
        super().setText(" ".join(text.split()))
        self.setToolTip(tooltip(text))

    def minimumSizeHint(self) -> QSize:
        """Return a width for a letter or two."""
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what of the text there is room for."""
        painter = QPainter(self)
        metrics, text = QFontMetrics(self.font()), self.text()
        while self._mode == Qt.TextElideMode.ElideRight and metrics.horizontalAdvance(text) > self.width():
            text, dot, _last = text.rpartition(" · ")
            if not dot:
                text = self.text().partition(" · ")[0]
                break
        text = elided(text, self._tail, metrics, self.width(), self._mode)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), text)


def elided(text: str, tail: str, metrics: QFontMetrics, room: int, mode: Qt.TextElideMode) -> str:
    """Return a text with as much of it left out before its ``tail`` as does not fit into the ``room``."""
    if not tail or not text.endswith(tail):
        return metrics.elidedText(text, mode, room)
    head = text.removesuffix(tail)
    return metrics.elidedText(head, mode, max(24, room - metrics.horizontalAdvance(tail))) + tail


def tooltip(text: str) -> str:
    """Escape ``text`` for a tool tip where Qt could take it for markup."""
    if "<" not in text and "&" not in text:
        return text
    return "<span>" + text.replace("&", "&amp;").replace("<", "&lt;") + "</span>"
