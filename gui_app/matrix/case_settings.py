"""Settings of the case: blind rating, and what the grades of sources weigh, with what that does to the ranking."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QCheckBox, QDialog, QDoubleSpinBox, QGridLayout, QPushButton, QWidget

from core.domain import DEFAULT_RULE, GRADE_WEIGHTS, CaseSettings, Evidence, Hypothesis, Matrix, ShowMode
from core.verdicts.labels import SHOW_MODES
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.fields import bare, presses_with_enter
from gui_app.shared.formatting import INFORMATION, RELIABILITY
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.layout import hbox, scrolled, vbox
from gui_app.shared.show_modes import ShowModes

SMALLEST, LARGEST = 0.01, 10.0


class CaseSettingsPage(QDialog):
    """Every change is kept at once and is one step of undo. ``opened_with`` is the ranking to compare with."""

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.fields: dict[str, QDoubleSpinBox] = {}
        self._row_counts: dict[str, object] = {}
        self._quiet = False
        self._has_grades = False
        self.opened_with: Matrix | None = session.do(lambda bench: bench.matrix.compute())
        self.setWindowTitle("Case settings")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=16)
        column.addWidget(plain("Case settings", "title"))
        inside = QWidget()
        body = vbox(inside, margins=(0, 0, 16, 0), spacing=12)
        body.addWidget(plain("Grades of sources", "heading"))
        body.addWidget(
            plain(
                (
                    "Admiralty grades of the source (A to F) and of the information (1 to 6), and the factor by which "
                    "each weighs what speaks against a hypothesis. Where both are given, the geometric mean of the "
                    "two counts; a credibility of Low, Medium or High set by hand takes precedence. F and 6 "
                    "mean that it "
                    "cannot be judged: such a grade counts as not given, never as the worst."
                ),
                "muted",
                wrap=True,
            )
        )
        scales = hbox(spacing=32)
        scales.addLayout(self._scale("SOURCE", RELIABILITY), 1)
        scales.addLayout(self._scale("INFORMATION", INFORMATION), 1)
        body.addLayout(scales)
        reset = hbox()
        self.reset_button = QPushButton("Restore defaults")
        self.reset_button.setAccessibleName("Restore the default factors")
        self.reset_button.clicked.connect(self._reset)
        reset.addWidget(self.reset_button)
        self.same = plain("", "muted")
        reset.addWidget(self.same, 1)
        body.addLayout(reset)
        body.addWidget(line())
        body.addWidget(plain("What it does to the ranking", "heading"))
        self.effect = plain("", "muted", wrap=True)
        body.addWidget(self.effect)
        self._ranking = QGridLayout()
        self._ranking.setHorizontalSpacing(16)
        self._ranking.setVerticalSpacing(4)
        self._ranking.setColumnStretch(1, 1)
        body.addLayout(self._ranking)
        body.addWidget(line())
        body.addWidget(plain("Blind rating", "heading"))
        self.blind = QCheckBox("Rate blind first")
        self.blind.setAccessibleName("Rate blind first")
        self.blind.toggled.connect(self._set_blind)
        body.addWidget(self.blind)
        body.addWidget(
            plain(
                (
                    "The ratings of the model and of colleagues stay hidden in a cell until you have given your own, "
                    "so that nobody is swayed by them."
                ),
                "muted",
                wrap=True,
            )
        )
        body.addWidget(line())
        body.addWidget(plain("How sure verdicts have to be", "heading"))
        self.show_modes = ShowModes(SHOW_MODES)
        self.show_modes.choice.connect(self._show_mode)
        body.addWidget(self.show_modes)
        body.addWidget(
            plain(
                (
                    "A verdict is sure if nine in ten of the model's verdicts of that class and probability were right "
                    "when it was measured. If no probability reaches that, no verdict of the class is sure. The "
                    "passages stay in the queue."
                ),
                "muted",
                wrap=True,
            )
        )
        body.addStretch(1)
        scroll = scrolled(inside, "Settings of the case")
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.addWidget(scroll, 1)
        foot = hbox()
        foot.addWidget(plain("Every change is saved at once; Ctrl+Z undoes it.", "muted", wrap=True), 1)
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        foot.addWidget(close)
        column.addLayout(foot)
        self._key(QKeySequence.StandardKey.Undo, session.undo)
        self._key(QKeySequence("Ctrl+Shift+Z"), session.redo)
        session.changed.connect(self._case_changed)
        session.opened.connect(self.reject)
        room = parent.window().height() - 16 if parent is not None else theme.px(760)
        self.resize(theme.px(760), max(theme.px(420), min(theme.px(760), room)))
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)  # Enter in a number field keeps the number and presses nothing
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button that has the focus with Enter; in a field it keeps what was typed."""
        if not presses_with_enter(self, event):
            super().keyPressEvent(event)

    def _key(self, keys: QKeySequence | QKeySequence.StandardKey, slot: object) -> None:
        action = QAction(self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _on=False: slot())  # type: ignore[operator]
        self.addAction(action)

    def _scale(self, title: str, meanings: dict[str, str]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        grid.addWidget(plain(title, "section"), 0, 0, 1, 2)
        grid.addWidget(plain("Factor", "small"), 0, 2, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(plain("Rows", "small"), 0, 3, Qt.AlignmentFlag.AlignRight)
        for row, (grade, meaning) in enumerate(meanings.items(), start=1):
            grid.addWidget(plain(grade, "strong"), row, 0)
            grid.addWidget(plain(meaning, "", wrap=True), row, 1)
            if grade in GRADE_WEIGHTS:
                field = QDoubleSpinBox()
                field.setDecimals(3)
                field.setRange(SMALLEST, LARGEST)
                field.setSingleStep(0.1)
                field.setKeyboardTracking(False)
                field.setFixedHeight(theme.px(28))
                bare(field, f"Factor of grade {grade}, {meaning.lower()}", letters=6)
                field.valueChanged.connect(partial(self._set_weight, grade))
                self.fields[grade] = field
                grid.addWidget(field, row, 2)
            else:
                not_graded = plain("not graded", "muted")
                grid.addWidget(not_graded, row, 2, Qt.AlignmentFlag.AlignRight)
            rows = plain("", "muted")
            self._row_counts[grade] = rows
            grid.addWidget(rows, row, 3, Qt.AlignmentFlag.AlignRight)
        return grid

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the settings and the ranking again."""
        read = self.session.do(
            lambda bench: (bench.case.settings(), bench.hypotheses.all(), bench.evidence.all(), bench.matrix.compute())
        )
        if read is None:
            return
        settings, hypotheses, evidence, matrix = read
        writable = not self.session.read_only
        self._quiet = True
        self.blind.setChecked(settings.blind)
        self.blind.setEnabled(writable)
        self.show_modes.choose(settings.show)
        self.show_modes.setEnabled(writable)
        for grade, field in self.fields.items():
            field.setValue(settings.grade_weights.get(grade, GRADE_WEIGHTS[grade]))
            field.setEnabled(writable)
        self._quiet = False
        first = settings.grade_weights == GRADE_WEIGHTS
        self.reset_button.setEnabled(writable and not first)
        self.same.setText("These are the defaults." if first else "")
        self._count(evidence)
        self._compare(hypotheses, matrix)

    def _count(self, evidence: list[Evidence]) -> None:
        # A credibility given by hand goes before the grades, so those of such a row do not count.
        self._has_grades = any(
            row.credibility is None and not {row.reliability, row.information}.isdisjoint(GRADE_WEIGHTS)
            for row in evidence
        )
        for grade, label in self._row_counts.items():
            rows = sum(grade in (row.reliability, row.information) for row in evidence)
            label.setText(f"{rows:,}" if rows else "–")  # type: ignore[attr-defined]

    def _compare(self, hypotheses: list[Hypothesis], matrix: Matrix) -> None:
        while self._ranking.count():
            item = self._ranking.takeAt(0)
            part = item.widget() if item else None
            if part is not None:
                part.hide()
                part.deleteLater()
        former = self.opened_with or matrix
        texts = {hypothesis.id: hypothesis.text for hypothesis in hypotheses}
        order = [hypothesis for hypothesis in matrix.order if hypothesis in texts] or list(texts)
        if not any(_place(matrix, hypothesis) for hypothesis in order):
            self.effect.setText("Nothing is rated yet, so there is no ranking to change.")
            return
        ranks_differ = any(_place(former, hypothesis) != _place(matrix, hypothesis) for hypothesis in order)
        scores_differ = any(_score(former, hypothesis) != _score(matrix, hypothesis) for hypothesis in order)
        if ranks_differ:
            sentence = "The ranking has changed since this page was opened."
        elif scores_differ:
            sentence = "Scores have changed since this page was opened; the ranking has not."
        elif self._has_grades:
            sentence = "As it was when this page was opened."
        else:
            sentence = "No row has a grade that counts yet, so the factors change nothing."
        self.effect.setText(sentence)
        for column, words in enumerate(("Before", "Now")):
            self._ranking.addWidget(plain(words, "small"), 0, 2 + column, Qt.AlignmentFlag.AlignRight)
        for row, hypothesis in enumerate(order, start=1):
            self._ranking.addWidget(plain(hypothesis, "strong"), row, 0)
            self._ranking.addWidget(ElidedLabel(texts[hypothesis], "muted"), row, 1)
            for column, state in enumerate((former, matrix)):
                place = _place(state, hypothesis)
                text = f"{place}   {_score(state, hypothesis):.2f}" if place else "not rated"
                role = "strong" if column and place != _place(former, hypothesis) else ""
                self._ranking.addWidget(plain(text, role), row, 2 + column, Qt.AlignmentFlag.AlignRight)

    def _case_changed(self, _changes: object, _initiator: object) -> None:
        if self.session.workbench is not None:
            self.refresh()

    # --- changing ----------------------------------------------------------------------------------------------------

    def _show_mode(self, mode: ShowMode) -> None:
        self.session.do(lambda bench: bench.case.change_settings(show=mode), initiator=self)

    def _set_blind(self, blind: bool) -> None:
        if not self._quiet:
            self.session.do(lambda bench: bench.case.change_settings(blind=blind), initiator=self)
            self.refresh()

    def _set_weight(self, grade: str, value: float) -> None:
        if self._quiet:
            return
        settings = self.session.do(lambda bench: bench.case.settings())
        if isinstance(settings, CaseSettings):
            weights = {**settings.grade_weights, grade: round(value, 3)}
            self.session.do(lambda bench: bench.case.change_settings(grade_weights=weights), initiator=self)
            self.refresh()

    def _reset(self) -> None:
        weights = dict(GRADE_WEIGHTS)
        self.session.do(lambda bench: bench.case.change_settings(grade_weights=weights), initiator=self)
        self.refresh()


def _place(matrix: Matrix, hypothesis: str) -> str:
    """'1', '1=' for a tie, '' while nothing bears on it."""
    rank = matrix.ranks.get(DEFAULT_RULE, {}).get(hypothesis)
    if rank is None or hypothesis in matrix.untested:
        return ""
    is_tied = sum(matrix.ranks[DEFAULT_RULE].get(rival) == rank for rival in matrix.hypotheses) > 1
    return f"{rank}{'=' if is_tied else ''}"


def _score(matrix: Matrix, hypothesis: str) -> float:
    return round(matrix.scores.get(DEFAULT_RULE, {}).get(hypothesis, 0.0), 6)
