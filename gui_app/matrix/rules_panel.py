"""What the ratings add up to: ranks and scores under every rule side by side, how robust they are, what is open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from core.domain import DEFAULT_RULE, RULES, Hypothesis, Matrix
from core.matrix import coverage, outcome, provisional, robustness, score_words
from gui_app.shared.labels import plain
from gui_app.shared.responsive_panels import STANDING, ResponsivePanels, fit, inset
from gui_app.shared.rule_chart import RuleChart, RuleScores
from gui_app.shared.snippet_list import SnippetList

if TYPE_CHECKING:
    from gui_app.matrix.grid import Standing

MAX_ACROSS = 6  # hypotheses; more of them would not fit beside the names of the rules
MAX_GAPS = 40


def rank_text(matrix: Matrix, rule: str, hypothesis: str) -> str:
    """Write a rank: '1', '1=' where it is shared, '–' where there is none.

    There is none for a hypothesis that nothing bears on, and for all while they are rated on different rows.
    """
    ranks = matrix.ranks.get(rule, {})
    if hypothesis not in ranks or hypothesis in matrix.untested:
        return "–"
    contenders = [rival for rival in ranks if rival not in matrix.untested]
    is_shared = sum(1 for rival in contenders if ranks[rival] == ranks[hypothesis]) > 1
    return f"{ranks[hypothesis]}=" if is_shared else str(ranks[hypothesis])


def standing(matrix: Matrix, hypothesis: str) -> Standing:
    """Return rank and score under the default rule, and on how many rows it rests, for the header of the grid."""
    from gui_app.matrix.grid import Standing

    rank = rank_text(matrix, DEFAULT_RULE, hypothesis)
    score = matrix.scores.get(DEFAULT_RULE, {}).get(hypothesis)
    if score is None or not matrix.rows:
        return Standing("", "")
    figure = "" if hypothesis in matrix.untested else f"{score:.2f}"
    return Standing("" if rank == "–" else rank, figure, coverage=coverage(matrix, hypothesis))


def in_order(matrix: Matrix, hypotheses: Sequence[Hypothesis]) -> list[str]:
    """List the hypotheses in the order of the default rule, those it does not know last."""
    ids = [hypothesis.id for hypothesis in hypotheses]
    order = [h for h in matrix.order if h in ids]
    return order + [h for h in ids if h not in order]


def changed_rank(matrix: Matrix, rule: str, hypothesis: str, now: Matrix | None) -> str:
    """Write the rank, and in brackets the one that holds ``now`` where it is another: '1 (2=)'."""
    rank = rank_text(matrix, rule, hypothesis)
    former = rank_text(now, rule, hypothesis) if now is not None else rank
    return rank if former == rank else f"{rank} ({former})"


def rule_scores(matrix: Matrix, order: Sequence[str], rule: str, better: str, now: Matrix | None = None) -> RuleScores:
    """Return one rule for the chart; ``now`` gives the ranks in brackets.

    A hypothesis that nothing bears on has no score there, and none has a probability while nothing can be compared.
    """
    scores = matrix.scores.get(rule, {})
    is_comparable = rule != "bayes" or bool(matrix.leaders.get(rule))
    comparable = [h for h in order if h in scores and h not in matrix.untested and is_comparable]
    longest = max((scores[h] for h in comparable), default=0.0) or 1.0
    rows = []
    for h in order:
        rank = changed_rank(matrix, rule, h, now)
        figure = score_words(rule, scores[h]) if h in comparable else ""
        leads = h in matrix.leaders.get(rule, ())
        rows.append((h, rank, figure, scores[h] / longest if h in comparable else 0.0, leads))
    rows_of = {h: sum(h in row.ratings for row in matrix.rows) for h in order}
    return RuleScores(
        RULES[rule][:1].upper() + RULES[rule][1:],
        better,
        tuple(rows),
        unrated_shares={
            h: 1 - rows_of[h] / len(matrix.rows) for h in order if matrix.rows and rows_of[h] < len(matrix.rows)
        },
        coverage={h: coverage(matrix, h) for h in order},
    )


class RulesPanel(ResponsivePanels):
    """Every rule beside the others; what is chosen leads to a cell that is missing or that could separate a tie."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.what_if = plain("", "strong", wrap=True)
        self.what_if.hide()
        self.table = QWidget()
        self.ranks = QGridLayout(self.table)
        self.ranks.setContentsMargins(0, 0, 0, 0)
        self.ranks.setHorizontalSpacing(10)
        self.ranks.setVerticalSpacing(6)
        self.ranks.setColumnStretch(0, 1)
        self._is_flat = self._has_ranks = False
        self.heading = plain("", "section")
        self.robust = plain(wrap=True, selectable=True)
        self.so_far = plain(wrap=True, selectable=True, role="muted")
        self.chart = RuleChart()
        self.warnings = plain(wrap=True, selectable=True)
        self.gap_heading = plain("", "section", wrap=True)
        self.gaps = SnippetList("Open cells that matter for the ranking", quotes=False, lines=2)
        self.gaps.chosen.connect(lambda target: self.chosen.emit(*target))
        self.warning_heading = plain("Keep in mind", "section")
        self.add(
            inset(self.what_if),
            inset(self.heading),
            inset(self.robust),
            inset(self.so_far),
            inset(self.table),
        )
        # Before the charts: who reads that a hypothesis leads reads at once what speaks against trusting it.
        self._warning_part = self.add(inset(self.warning_heading), inset(self.warnings))
        self._chart_part = self.add(inset(self.chart))
        self._gap_part = self.add(inset(self.gap_heading), self.gaps, grows=1)

    def set_flat(self, flat: bool) -> None:
        """Show all charts in one line where there is width; they say what the table of ranks says."""
        super().set_flat(False)
        self.setMinimumWidth(0 if flat else STANDING)
        self._is_flat = flat
        self._show_table()

    def _show_table(self) -> None:
        """Name what the panel has: without ranks a table of them would be a table of dashes."""
        self.heading.setText("Ranks, rule by rule" if self._has_ranks else "Scores, rule by rule")
        self.table.setVisible(self._has_ranks and not self._is_flat)

    def show_matrix(self, matrix: Matrix, hypotheses: Sequence[Hypothesis], *, what_if: Matrix | None = None) -> None:
        """Show the rules over ``matrix``, or over ``what_if``, with the ranks of ``matrix`` in brackets."""
        current = what_if or matrix
        self.what_if.setVisible(what_if is not None)
        self.what_if.setText("What if: none of this is stored. Current values in brackets.")
        order = in_order(current, hypotheses)
        words = {True: "lower is better", False: "higher is better"}
        rules = [rule for rule in RULES if rule in current.ranks]
        now = matrix if what_if is not None else None
        self._has_ranks = any(rank_text(current, rule, h) != "–" for rule in rules for h in order)
        self._show_ranks(current, order, now)
        self._show_table()
        scores = [rule_scores(current, order, rule, words[rule != "bayes"], now) for rule in rules]
        self.chart.show_scores(scores)
        self.show_part(self._chart_part, any(figure for block in scores for _, _, figure, _, _ in block.rows))
        verdict = robustness(current)
        self.robust.setText(verdict.sentence)
        incomplete = current.comparison.state == "incomplete"
        self.robust.setProperty("role", "strong" if verdict.word == "differ" or incomplete else "muted")
        self.robust.style().polish(self.robust)
        so_far = provisional(current.comparison)
        self.so_far.setText(so_far)
        self.so_far.setVisible(bool(so_far))
        warnings = [warning for warning in current.warnings if warning not in (verdict.sentence, so_far)]
        self.warnings.setText("\n".join(f"· {warning}" for warning in warnings))
        self.show_part(self._warning_part, bool(warnings))
        self._show_gaps(current)

    def _show_ranks(self, matrix: Matrix, order: Sequence[str], now: Matrix | None) -> None:
        """Rules down, hypotheses across; who leads is set in bold. Of many hypotheses only the leaders are named."""
        while (item := self.ranks.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        rules = [rule for rule in RULES if rule in matrix.ranks]
        right = Qt.AlignmentFlag.AlignRight
        if len(order) > MAX_ACROSS:
            self.ranks.addWidget(plain("leads", "small"), 0, 1, right)
        else:
            for column, h in enumerate(order, start=1):
                self.ranks.addWidget(plain(h, "strong"), 0, column, right)
            self._show_coverage(matrix, order, len(rules) + 1)
        for row, rule in enumerate(rules, start=1):
            name = plain(RULES[rule], "" if rule == DEFAULT_RULE else "muted", wrap=True)
            self.ranks.addWidget(name, row, 0)
            if len(order) > MAX_ACROSS:
                self.ranks.addWidget(self._leaders(matrix, rule), row, 1, right)
                continue
            for column, h in enumerate(order, start=1):
                self.ranks.addWidget(self._rank(matrix, rule, h, now), row, column, right)

    def _show_coverage(self, matrix: Matrix, order: Sequence[str], row: int) -> None:
        """Below the ranks on how many rows each hypothesis is rated: '3/22'."""
        self.ranks.addWidget(plain(f"rows rated, of {len(matrix.rows)}", "small"), row, 0)
        for column, h in enumerate(order, start=1):
            count = sum(h in row.ratings for row in matrix.rows)
            label = plain(f"{count}", "small" if count == len(matrix.rows) else "strong")
            label.setToolTip(f"{h}: {coverage(matrix, h)}")
            label.setAccessibleName(f"{h}: {coverage(matrix, h)}")
            self.ranks.addWidget(label, row, column, Qt.AlignmentFlag.AlignRight)

    def _leaders(self, matrix: Matrix, rule: str) -> QLabel:
        leaders = matrix.leaders.get(rule, ())
        text = " = ".join(leaders[:4]) + (f" +{len(leaders) - 4}" if len(leaders) > 4 else "") or "–"
        label = plain(text, "strong")
        label.setToolTip(", ".join(leaders))
        label.setAccessibleName(f"{RULES[rule]}: {', '.join(leaders) or 'nothing'} {'tied ' * (len(leaders) > 1)}leads")
        return label

    def _rank(self, matrix: Matrix, rule: str, h: str, now: Matrix | None) -> QLabel:
        rank = rank_text(matrix, rule, h)
        former = rank_text(now, rule, h) if now is not None else rank
        label = plain(changed_rank(matrix, rule, h, now), "strong" if rank.startswith("1") else "muted")
        score = matrix.scores.get(rule, {}).get(h)
        is_comparable = rule != "bayes" or bool(matrix.leaders.get(rule))
        detail = f" ({score_words(rule, score)}, {coverage(matrix, h)})" if score is not None and is_comparable else ""
        label.setToolTip(f"{h}, {RULES[rule]}: {rank}{detail}")
        words = "no rank yet" if rank == "–" else f"rank {rank.replace('=', ', tied')}"
        if former != rank:
            words += f", now {former}"
        label.setAccessibleName(f"{h} under {RULES[rule]}: {words}")
        return label

    def _show_gaps(self, matrix: Matrix) -> None:
        """List the cells that hinder a comparison; where it is complete, those that could separate a tie."""
        gaps: Sequence[object] = matrix.comparison.missing or matrix.gaps
        self.gaps.clear()
        for evidence, hypothesis in matrix.comparison.missing[:MAX_GAPS]:
            sentence = f"Rate {evidence} against {hypothesis}."
            self.gaps.add("", sentence, (evidence, hypothesis))
        for gap in () if matrix.comparison.missing else matrix.gaps[:MAX_GAPS]:
            result = f": then {outcome(gap.could_lead, would=True)}" if gap.could_lead else ""
            sentence = f"Rate {gap.evidence} against {gap.hypothesis}{result}."
            self.gaps.add("", sentence, (gap.evidence, gap.hypothesis))
        more = len(gaps) - MAX_GAPS
        heading = "What is missing" if matrix.comparison.missing else "What could separate the tie"
        self.gap_heading.setText(f"{heading} ({MAX_GAPS} of {len(gaps)})" if more > 0 else heading)
        self.gaps.setMinimumHeight(min(120, 40 * len(gaps)))
        fit(self.gaps)
        self.show_part(self._gap_part, bool(gaps))
