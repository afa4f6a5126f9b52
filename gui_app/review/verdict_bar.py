"""What there is to do about verdicts, in one line: those to be read again, those of another model, only sure ones."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QWidget

from gui_app.shared.labels import plain, tooltip


class VerdictLine(QWidget):
    """``read_again``, ``judge_again`` and ``agreement`` when a button is pressed; ``strict`` (bool) when it is set."""

    read_again = Signal()
    judge_again = Signal()
    agreement = Signal()
    strict = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 4, 24, 4)
        row.setSpacing(8)
        self.summary = plain("", "small", wrap=True)
        row.addWidget(self.summary, 1)
        self.sure = QCheckBox("Confident only")
        self.sure.setAccessibleName("Show only verdicts of a kind that was right nine times in ten")
        self.sure.toggled.connect(self.strict.emit)
        row.addWidget(self.sure)
        self.again_button = self._button(
            "Judge again",
            "Let the current judge judge undecided proposals with another model's verdict",
        )
        self.again_button.clicked.connect(lambda _on=False: self.judge_again.emit())
        self.second_button = self._button(
            "Read again",
            "Have the second reader judge the close verdicts and those that the ranking hangs on",
        )
        self.second_button.clicked.connect(lambda _on=False: self.read_again.emit())
        self.agreement_button = self._button(
            "Agreement", "How far your ratings and the model's verdicts agree in this case"
        )
        self.agreement_button.clicked.connect(lambda _on=False: self.agreement.emit())
        for button in (self.again_button, self.second_button, self.agreement_button):
            row.addWidget(button)

    @staticmethod
    def _button(text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setProperty("kind", "quiet")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def tell(
        self,
        *,
        other: int,
        close: int,
        disputes: int,
        abstentions: int,
        strict: bool,
        sure: str,
        reader: bool,
        free: bool,
    ) -> None:
        """How many verdicts are ``other`` models', ``close`` or decisive, ``disputes``, ``abstentions``; ``sure`` says
        which are shown in a strict case; ``reader``: there is a second reader; ``free``: models have nothing to do.
        """
        parts = []
        if other:
            one = "1 verdict is from a model other than the one in use"
            parts.append(one if other == 1 else f"{other} verdicts are from a model other than the one in use")
        if close and reader:
            parts.append(f"{close} close or decisive, to be read again")
        if disputes:
            parts.append(f"{disputes} on which two models disagree")
        if abstentions:
            parts.append(f"{abstentions} not sure enough to be shown")
        text = "; ".join(parts)
        self.summary.setText(
            f"{text[:1].upper()}{text[1:]}." if text else "A verdict counts for nothing until you decide."
        )
        with QSignalBlocker(self.sure):
            self.sure.setChecked(strict)
        self.sure.setToolTip(tooltip(sure))
        self.sure.setAccessibleDescription(sure)
        self.again_button.setVisible(other > 0)
        self.again_button.setEnabled(free)
        self.second_button.setVisible(reader and close > 0)
        self.second_button.setEnabled(free)
