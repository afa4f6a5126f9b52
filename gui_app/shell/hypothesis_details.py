"""A hypothesis in the details: its score by each rule, and what its rank depends on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout

from core.domain import DEFAULT_RULE, RULES, Hypothesis
from core.matrix import coverage, score_words
from gui_app.matrix.rules_panel import rank_text
from gui_app.shared.labels import line, plain
from gui_app.shell.detail_page import DetailPage


def show_hypothesis(page: DetailPage, hypothesis: Hypothesis) -> None:
    """Show a hypothesis, and its score by each rule."""
    page.add(plain(hypothesis.text, "heading", wrap=True, selectable=True))
    if hypothesis.note:
        page.add(plain(hypothesis.note, "", wrap=True, selectable=True))
    matrix = page.session.do(lambda bench: bench.matrix.compute())
    if matrix is not None and any(hypothesis.id in row.ratings for row in matrix.rows):
        page.add(line())
        page.add(plain("BY RULE", "section"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        for number, (rule, title) in enumerate(RULES.items()):
            bold = "strong" if rule == DEFAULT_RULE else ""
            grid.addWidget(plain(title.capitalize(), bold), number, 0)
            place = rank_text(matrix, rule, hypothesis.id)
            is_compared = rule != "bayes" or bool(matrix.leaders.get(rule))
            is_tested = hypothesis.id not in matrix.untested and is_compared
            score_text = score_words(rule, matrix.scores[rule][hypothesis.id]) if is_tested else "–"
            score = plain(score_text, bold)
            rank = plain(f"rank {place}" if place != "–" else "no rank", "muted")
            grid.addWidget(score, number, 1, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(rank, number, 2, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        page.add(grid)
        page.add(plain(coverage(matrix, hypothesis.id), "muted"))
        if matrix.comparison.sentence:
            page.add(plain(matrix.comparison.sentence, "", wrap=True))
        if hypothesis.id in matrix.unattacked:
            page.add(plain("Nothing rated speaks against it yet.", "muted", wrap=True))
        pins = [pin.sentence for pin in matrix.linchpins if hypothesis.id in (pin.hypothesis, *pin.leaders)]
        if pins:
            page.add(plain("IT DEPENDS ON", "section"))
            for sentence in pins[:5]:
                page.add(plain(sentence, "", wrap=True))
