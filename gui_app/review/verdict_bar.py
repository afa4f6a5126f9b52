"""What there is to do about verdicts, in one line: those to be read again, those of another model, only sure ones."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gui_app.review.state import ReviewState
from gui_app.shared.labels import tooltip
from gui_app.shared.show_modes import ShowModes


class VerdictBar(QWidget):
    """The sentence of ``show_modes`` with what is to be done.

    ``read_again``, ``judge_again`` and ``agreement`` when a button is pressed; ``choice(mode)`` of what is shown.
    """

    read_again = Signal()
    judge_again = Signal()
    agreement = Signal()
    choice = Signal(str)

    def __init__(self, show_modes: ShowModes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ""  # the sum of it, of the state on show
        self.is_pressing = False  # whether there is something to have judged or read again
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 4, 16, 4)
        row.setSpacing(8)
        self.show_modes = show_modes
        self.show_modes.choice.connect(self.choice)
        row.addWidget(self.show_modes.line, 1)
        self.again_button = self._button(
            "Judge again", "Let the current judge judge undecided proposals with another model's verdict"
        )
        self.again_button.clicked.connect(lambda _on=False: self.judge_again.emit())
        self.second_button = self._button(
            "Read again", "Have the second reader judge the close verdicts and those that the ranking depends on"
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

    def show_state(self, state: ReviewState, *, free: bool) -> None:
        """Show the next step about the verdicts; ``free``: models have nothing else to do."""
        self.show_modes.choose(state.show)
        self.words, others = summary(state), state.of_other_models()
        self.is_pressing = others > 0 or bool(state.reasons)
        self.show_modes.say_more(self.words)
        self.show_modes.line.setToolTip(tooltip(state.sure))
        self.show_modes.line.setAccessibleDescription(state.sure)
        self.show_modes.setEnabled(not state.read_only)
        self.again_button.setVisible(others > 0)
        self.again_button.setEnabled(free and not state.read_only)
        self.second_button.setVisible(bool(state.reasons))
        self.second_button.setEnabled(free and not state.read_only)


def summary(state: ReviewState) -> str:
    """Count the verdicts that are another model's, close or decisive, disputed, or not sure enough to be shown."""
    parts = []
    proposals = state.proposals
    outdated = sum(1 for proposal in proposals if proposal.outdated and proposal.status == "pending")
    foreign = state.of_other_models() - outdated
    if outdated:
        parts.append(f"{outdated} changed since judged")
    if foreign:
        singular = "1 verdict is from a model other than the one in use"
        parts.append(singular if foreign == 1 else f"{foreign} verdicts are from a model other than the one in use")
    if state.reasons:
        parts.append(f"{len(state.reasons)} close or decisive, to be read again")
    disputes = sum(1 for proposal in proposals if proposal.others and proposal.disputed and not proposal.is_hidden)
    if disputes:
        parts.append(f"{disputes} on which two models disagree")
    languages = Counter(proposal.unmeasured_language for proposal in proposals if proposal.unmeasured_language)
    parts += [f"{count} not judged: {language}" for language, count in languages.most_common()]
    if count := sum(1 for proposal in proposals if proposal.withheld and proposal.hidden_reason == "withheld"):
        parts.append(f"{count} not sure enough to be shown")
    if count := sum(1 for proposal in proposals if proposal.doubtful):
        parts.append(f"{count} not sure enough to suggest a rating")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else "A verdict counts for nothing until you decide."
