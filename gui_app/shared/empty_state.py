"""What a screen shows while it has nothing: the next step in one sentence, with one button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gui_app.shared import theme
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox


class EmptyState(QWidget):
    """An icon, one sentence and at most one button, in the middle."""

    def __init__(
        self, icon: str, sentence: str, button: str = "", on_press: Callable[[], object] | None = None
    ) -> None:
        super().__init__()
        column = vbox(self, margins=(32, 32, 32, 32), spacing=16)
        column.addStretch(2)
        self._icon = QLabel()
        self._icon.setFixedSize(40, 40)
        self._icon.setScaledContents(True)
        self._name = icon
        column.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignHCenter)
        self.sentence = plain(sentence, "muted", wrap=True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        # Between stretches, not aligned: an aligned label that wraps takes its narrowest width and is cut off.
        self.sentence.setMaximumWidth(440)
        middle = hbox()
        middle.addStretch(1)
        middle.addWidget(self.sentence, 1000)
        middle.addStretch(1)
        column.addLayout(middle)
        self.button = QPushButton(button)
        self.button.setAccessibleName(button or "Next step")
        self.button.setProperty("kind", "primary")
        self.button.setAutoDefault(True)  # Enter presses it as well as Space, wherever it is
        if not button:  # shown before it has a parent, it would be a window of its own
            self.button.hide()
        if on_press is not None:
            self.button.clicked.connect(lambda *_: on_press())
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        theme.changed.connect(self._tint)
        self._tint()

    def say(self, sentence: str) -> None:
        """Show another sentence."""
        self.sentence.setText(sentence)

    def _tint(self) -> None:
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(theme.pixmap(self._name, 40, theme.tokens().strong_line, ratio=max(ratio, 1.0)))
