"""How probable each hypothesis is held to be before any evidence, for the Bayes reading alone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFrame, QPushButton, QWidget

from core.domain import Hypothesis
from gui_app.shared.fields import bare
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox

SMALLEST = 0.1  # percent: what is held to be impossible could never be found likely by any evidence


class PriorsStrip(QFrame):
    """A field in percent for each hypothesis, and their sum. ``kept(priors | None)`` asks for the change."""

    kept = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "panel")
        self.setAccessibleName("Prior probabilities")
        self.fields: dict[str, QDoubleSpinBox] = {}
        self._writable = True
        column = vbox(self, margins=(24, 12, 24, 12), spacing=8)
        column.addWidget(plain("Prior probabilities", "strong"))
        column.addWidget(
            plain(
                (
                    "How probable each hypothesis was before any of this evidence. Only the Bayes reading uses them; "
                    "without them all count as equally probable."
                ),
                "muted",
                wrap=True,
            )
        )
        self._place = QWidget()
        self._flow = FlowLayout(self._place, gap=16)
        column.addWidget(self._place)
        row = hbox(spacing=8)
        self.sum = plain("", "muted", wrap=True)
        row.addWidget(self.sum, 1)
        self.clear_button = QPushButton("All equal")
        self.clear_button.setAccessibleName("Clear the prior probabilities: all equal")
        self.clear_button.clicked.connect(lambda: self.kept.emit(None))
        row.addWidget(self.clear_button)
        self.keep_button = QPushButton("Set priors")
        self.keep_button.setProperty("kind", "primary")
        self.keep_button.setAccessibleName("Set the prior probabilities")
        self.keep_button.clicked.connect(self.keep)
        row.addWidget(self.keep_button)
        close = QPushButton("Close")
        close.setAccessibleName("Close the prior probabilities")
        close.clicked.connect(self.closed)
        row.addWidget(close)
        column.addLayout(row)

    def show_hypotheses(self, hypotheses: Sequence[Hypothesis], *, writable: bool) -> None:
        """Show one field each: what is set, else an equal share."""
        self._writable = writable
        for child in self._place.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self._flow.removeWidget(child)
            child.hide()
            child.deleteLater()
        self.fields.clear()
        missing = [hypothesis.id for hypothesis in hypotheses if hypothesis.prior is None]
        for hypothesis in hypotheses:
            pair = QWidget()
            row = hbox(pair, spacing=6)
            row.addWidget(plain(hypothesis.id, "strong"))
            field = QDoubleSpinBox()
            field.setDecimals(1)
            field.setRange(SMALLEST, 100.0)
            field.setSingleStep(5.0)
            prior = hypothesis.prior if hypothesis.prior is not None else 1 / len(hypotheses)
            field.setValue(100 * prior)
            bare(field, f"Prior probability of {hypothesis.id} in percent")
            field.setToolTip(hypothesis.text)
            field.setEnabled(writable)
            field.valueChanged.connect(lambda _value: self._add_up())
            row.addWidget(field)
            row.addWidget(plain("%", "muted"))
            self._flow.addWidget(pair)
            pair.show()
            self.fields[hypothesis.id] = field
        is_partial = len(missing) < len(hypotheses)
        self.clear_button.setEnabled(writable and is_partial)
        self._waiting = missing if is_partial else []
        self._place.updateGeometry()
        self._add_up()

    def total(self) -> float:
        """Return the sum in percent."""
        return sum(field.value() for field in self.fields.values())

    def priors(self) -> dict[str, float]:
        """Return what the fields say, scaled so that it sums to 1."""
        total = self.total()
        return {hypothesis: field.value() / total for hypothesis, field in self.fields.items()}

    def keep(self) -> None:
        """Ask for the priors in the fields to be set."""
        if self.fields and self._writable:
            self.kept.emit(self.priors())

    def _add_up(self) -> None:
        total = self.total()
        words = f"Sum {total:.1f}%"
        if self.fields and abs(total - 100) > 0.25:
            shares = ", ".join(f"{hypothesis} {100 * value:.1f}" for hypothesis, value in self.priors().items())
            words += f"; scaled to 100%: {shares}"
        if self._waiting:
            words += ". {} has none yet: until then all count as equal".format(", ".join(self._waiting))
        self.sum.setText(words)
        self.keep_button.setEnabled(self._writable and bool(self.fields))
