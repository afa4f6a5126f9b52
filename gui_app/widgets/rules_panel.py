"""What the ratings amount to: ranks under every rule side by side, how robust they are, and what they hang on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain import DEFAULT_RULE, RULES, Hypothesis, Linchpin, Matrix
from core.steps.matrix import robustness
from gui_app import look
from gui_app.widgets.labels import line, plain
from gui_app.widgets.matrix_grid import Standing

MOST_LINCHPINS = 40
_SHORT = {
    "weighted_inconsistency": "weighted",
    "inconsistency_count": "count",
    "open_synthesis": "squared",
    "arkham_count": "I and II",
    "bayes": "Bayes",
}


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
        self.setMinimumWidth(232)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table = QTableWidget()
        self.table.setAccessibleName(self.tr("Ranks under every rule"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.setShowGrid(False)
        self.table.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.table.verticalHeader().hide()
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.robust = plain(wrap=True, selectable=True)
        self.warnings = plain(wrap=True, selectable=True)
        self.pins = QListWidget()
        self.pins.setAccessibleName(self.tr("Changes that would change the leader"))
        self.pins.setFrameShape(QFrame.Shape.NoFrame)
        self.pins.setWordWrap(True)
        self.pins.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.pins.itemActivated.connect(self._activated)
        self.pins.itemClicked.connect(self._activated)
        self.warning_heading = plain(self.tr("To keep in mind"), "section")
        self.pin_heading = plain(self.tr("What the result hangs on"), "section")
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addWidget(plain(self.tr("Ranks, rule by rule"), "section"))
        column.addWidget(self.table)
        column.addWidget(self.robust)
        column.addSpacing(8)
        column.addWidget(line())
        column.addWidget(self.pin_heading)
        column.addWidget(self.pins, 1)
        column.addWidget(line())
        column.addWidget(self.warning_heading)
        column.addWidget(self.warnings)
        self.setWidget(content)

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
        rules = [rule for rule in RULES if rule in matrix.ranks]
        table = self.table
        table.setRowCount(len(hypotheses))
        table.setColumnCount(1 + len(rules))
        table.setHorizontalHeaderLabels(["", *(_SHORT.get(rule, rule) for rule in rules)])
        known = {hypothesis.id: hypothesis for hypothesis in hypotheses}
        order = [known[h] for h in matrix.order if h in known]
        order += [hypothesis for hypothesis in hypotheses if hypothesis not in order]
        for at, hypothesis in enumerate(order):
            item = QTableWidgetItem(hypothesis.id)
            item.setFont(look.sans(bold=True))
            table.setItem(at, 0, item)
            for column, rule in enumerate(rules, start=1):
                rank = rank_text(matrix, rule, hypothesis.id)
                item = QTableWidgetItem(rank)
                item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                score = matrix.scores.get(rule, {}).get(hypothesis.id)
                said = "" if score is None else f" ({score:.3f})"
                item.setToolTip(f"{hypothesis.id}, {RULES[rule]}: {rank}{said}")
                item.setData(
                    Qt.ItemDataRole.AccessibleTextRole,
                    f"{hypothesis.id} under {RULES[rule]}: "
                    + ("not tested" if rank == "–" else f"rank {rank.replace('=', ', tied')}"),
                )
                item.setFont(look.sans(bold=rank.startswith("1")))
                table.setItem(at, column, item)
        for column, rule in enumerate(rules, start=1):
            table.horizontalHeaderItem(column).setToolTip(RULES[rule])
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(28)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter)
        table.verticalHeader().setDefaultSectionSize(look.px(26))
        table.setFixedHeight(header.sizeHint().height() + len(hypotheses) * look.px(26) + 4)

    def _show_pins(self, linchpins: Sequence[Linchpin]) -> None:
        self.pins.clear()
        for pin in linchpins[:MOST_LINCHPINS]:
            item = QListWidgetItem(pin.sentence)
            item.setData(Qt.ItemDataRole.UserRole, (pin.evidence, pin.hypothesis or ""))
            self.pins.addItem(item)
        self.pins.setVisible(bool(linchpins))
        self.pins.setMinimumHeight(min(240, 28 + 44 * len(linchpins)))
        self.pin_heading.setText(
            self.tr("What the result hangs on") if linchpins else self.tr("No single change would change who leads.")
        )

    def _activated(self, item: QListWidgetItem) -> None:
        evidence, hypothesis = item.data(Qt.ItemDataRole.UserRole)
        self.chosen.emit(evidence, hypothesis)
