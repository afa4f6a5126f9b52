"""What the ratings amount to: ranks under every rule side by side, how robust they are, and what they hang on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.domain import DEFAULT_RULE, RULES, Hypothesis, Linchpin, Matrix
from core.steps.matrix import robustness
from gui_app.widgets.labels import line, plain
from gui_app.widgets.matrix_grid import Standing
from gui_app.widgets.snippets import SnippetList

MOST_LINCHPINS = 40


def rank_text(matrix: Matrix, rule: str, hypothesis: str) -> str:
    """'1', '1=' where it is shared, '–' for a hypothesis that nothing bears on."""
    ranks = matrix.ranks.get(rule, {})
    if hypothesis not in ranks or hypothesis in matrix.untested:
        return "–"
    tested = [other for other in ranks if other not in matrix.untested]
    shared = sum(1 for other in tested if ranks[other] == ranks[hypothesis]) > 1
    return f"{ranks[hypothesis]}=" if shared else str(ranks[hypothesis])


def standing(matrix: Matrix, hypothesis: str) -> Standing:
    """Rank and score under the default rule, as the header of the grid shows them."""
    rank = rank_text(matrix, DEFAULT_RULE, hypothesis)
    score = matrix.scores.get(DEFAULT_RULE, {}).get(hypothesis)
    return Standing("", "") if rank == "–" or score is None else Standing(rank, f"{score:.2f}")


class RulesPanel(QScrollArea):
    """The right side of the matrix."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMinimumWidth(264)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.ranks = QGridLayout()
        self.ranks.setHorizontalSpacing(10)
        self.ranks.setVerticalSpacing(6)
        self.ranks.setColumnStretch(0, 1)
        self.robust = plain(wrap=True, selectable=True)
        self.warnings = plain(wrap=True, selectable=True)
        self.pins = SnippetList(self.tr("Changes that would change the leader"), quotes=False, lines=4)
        self.pins.chosen.connect(lambda target: self.chosen.emit(*target))
        self.warning_heading = plain(self.tr("To keep in mind"), "section")
        self.pin_heading = plain(self.tr("What the result hangs on"), "section", wrap=True)
        content = QWidget()
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom, content)
        self._flat = False
        self._parts.setContentsMargins(0, 8, 0, 8)
        self._parts.setSpacing(0)
        ranks = _part(_inset(plain(self.tr("Ranks, rule by rule"), "section")), _inset(self.ranks), _inset(self.robust))
        pins = _part(_inset(self.pin_heading), self.pins)
        warnings = _part(_inset(self.warning_heading), _inset(self.warnings))
        self._lines = (line(), line())
        for part in (ranks, self._lines[0], pins, self._lines[1], warnings):
            self._parts.addWidget(part)
        for at, share in ((0, 0), (2, 1), (4, 0)):
            self._parts.setStretch(at, share)
        self.setWidget(content)

    def lie(self, flat: bool) -> None:
        """Below the grid, with its parts beside each other, instead of standing at its right."""
        directions = QBoxLayout.Direction
        self._parts.setDirection(directions.LeftToRight if flat else directions.TopToBottom)
        self._flat = flat
        self._parts.setContentsMargins(0, 0 if flat else 8, 0, 8)
        for separator in self._lines:
            separator.setVisible(not flat)
        for at, share in ((0, 0), (2, 1), (4, 1 if flat else 0)):
            self._parts.setStretch(at, share)
        for row in range(1, self.ranks.rowCount()):
            item = self.ranks.itemAtPosition(row, 0)
            name = item.widget() if item is not None else None
            if isinstance(name, QLabel):
                name.setWordWrap(not flat)
        self.setMinimumWidth(264 if not flat else 0)
        self.setMinimumHeight(160 if flat else 0)

    def show_matrix(self, matrix: Matrix, hypotheses: Sequence[Hypothesis]) -> None:
        self._show_ranks(matrix, hypotheses)
        said = robustness(matrix)
        self.robust.setText(said.sentence)
        self.robust.setProperty("role", "strong" if said.word == "differ" else "muted")
        self.robust.style().polish(self.robust)
        told = [warning for warning in matrix.warnings if warning != said.sentence]
        self.warnings.setText("\n".join(f"· {warning}" for warning in told))
        self.warnings.setVisible(bool(told))
        self.warning_heading.setVisible(bool(told))
        self._show_pins(matrix.linchpins)

    def _show_ranks(self, matrix: Matrix, hypotheses: Sequence[Hypothesis]) -> None:
        """Rules down, hypotheses across in the order of the default rule; who leads is set in bold."""
        while (item := self.ranks.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        known = [hypothesis.id for hypothesis in hypotheses]
        order = [h for h in matrix.order if h in known]
        order += [h for h in known if h not in order]
        for column, h in enumerate(order, start=1):
            self.ranks.addWidget(plain(h, "strong"), 0, column, Qt.AlignmentFlag.AlignRight)
        for row, rule in enumerate((rule for rule in RULES if rule in matrix.ranks), start=1):
            name = plain(RULES[rule], "" if rule == DEFAULT_RULE else "muted", wrap=not self._flat)
            self.ranks.addWidget(name, row, 0)
            for column, h in enumerate(order, start=1):
                rank = rank_text(matrix, rule, h)
                label = plain(rank, "strong" if rank.startswith("1") else "muted")
                score = matrix.scores.get(rule, {}).get(h)
                said = "" if score is None else f" ({score:.3f})"
                label.setToolTip(f"{h}, {RULES[rule]}: {rank}{said}")
                told = "not tested" if rank == "–" else f"rank {rank.replace('=', ', tied')}"
                label.setAccessibleName(f"{h} under {RULES[rule]}: {told}")
                self.ranks.addWidget(label, row, column, Qt.AlignmentFlag.AlignRight)

    def _show_pins(self, linchpins: Sequence[Linchpin]) -> None:
        self.pins.clear()
        for pin in linchpins[:MOST_LINCHPINS]:
            self.pins.add("", pin.sentence, (pin.evidence, pin.hypothesis or ""))
        self.pins.setVisible(bool(linchpins))
        self.pins.setMinimumHeight(min(120, 40 * len(linchpins)))
        self.pin_heading.setText(
            self.tr("What the result hangs on") if linchpins else self.tr("No single change would change who leads.")
        )


def _part(*rows: QWidget | QLayout) -> QWidget:
    """One of the panel's parts: its rows from the top."""
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 8, 0, 8)
    column.setSpacing(8)
    for row in rows:
        if isinstance(row, QLayout):
            column.addLayout(row)
        else:
            column.addWidget(row, 1)
    column.addStretch(0)
    return part


def _inset(what: QWidget | QLayout) -> QHBoxLayout:
    """With the panel's margins at both sides; lists go without, so that their selection reaches the edges."""
    row = QHBoxLayout()
    row.setContentsMargins(16, 0, 16, 0)
    if isinstance(what, QLayout):
        row.addLayout(what)
    else:
        row.addWidget(what, 1)
    return row
