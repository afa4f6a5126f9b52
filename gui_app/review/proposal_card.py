"""One proposal in the middle of the review: its quote between its neighbours, its place, what models say of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from core.domain import Page, Proposal
from core.verdicts.labels import readers_words
from gui_app.review.quote_view import QuoteContext, QuoteView
from gui_app.review.state import ReviewState, retrieval_words, warnings
from gui_app.review.verdict_block import ModelReading, Verdicts
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.labels import line, plain, tooltip
from gui_app.shared.probabilities import probability_of, two_digits
from gui_app.shared.proposal_queue import sign_label

_HIDDEN = {
    "blind": "Blind rating: the model's verdict is shown when you have decided.",
    "outdated": "The passage or the hypothesis was changed since it was judged. Shift+J has it judged again.",
    "language": "Not judged: the passage or the hypothesis is in {}, and the model was measured on English only. "
    "Read it and rate it yourself.",
    "withheld": "The model is not sure enough of this passage: read it and rate it yourself.",
}


class ProposalCard(QScrollArea):
    """Shows a proposal; its quote can be edited in its place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._on_show = ""  # the id of the proposal
        self.hypothesis_label = plain(wrap=True)
        self.hypothesis_label.setProperty("role", "heading")
        self.place_label = plain(role="muted")
        self.quote_view = QuoteView()
        self.origin_label = plain(wrap=True, selectable=True)
        self.retrieval_label = plain(role="small", wrap=True)
        self.verdicts = Verdicts()
        self.hidden_label = plain(wrap=True)
        self.sure_label = plain(role="small", wrap=True)
        self.readers_label = plain(wrap=True)
        self.warning_label = plain(wrap=True)
        self.warning_label.setProperty("tone", "contradicts")
        self.others = FlowLayout(gap=16)

        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(16)
        top = QHBoxLayout()
        top.addWidget(self.hypothesis_label, 1)
        top.addWidget(self.place_label, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        column.addSpacing(8)
        column.addWidget(self.quote_view)
        column.addWidget(self.origin_label)
        column.addWidget(self.retrieval_label)
        column.addWidget(line())
        column.addWidget(self.hidden_label)
        column.addWidget(self.sure_label)
        column.addWidget(self.readers_label)
        column.addWidget(self.verdicts)
        column.addWidget(self.warning_label)
        self.others_heading = plain("The same passage for the other hypotheses", "section")
        column.addWidget(self.others_heading)
        column.addLayout(self.others)
        column.addStretch(1)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)

    def show_proposal(
        self, proposal: Proposal, page: Page, state: ReviewState, readings: Sequence[ModelReading]
    ) -> None:
        """Show a proposal of ``page``; ``readings`` are what models say of it, shown unless that is hidden."""
        hypothesis = next((h for h in state.hypotheses if h.id == proposal.hypothesis), None)
        text = " ".join(hypothesis.text.split()) if hypothesis else ""
        self.hypothesis_label.setText(f"{proposal.hypothesis}  {_shorten(text, 240)}")
        self.hypothesis_label.setToolTip(tooltip(text))
        self.quote_view.show_quote(
            QuoteContext.of(page.text, proposal.quote.start, proposal.quote.end), sign_label(proposal)
        )
        origin = [proposal.label, f"page {page.label or page.number}"]
        if proposal.status != "pending":
            origin.append(f"already {proposal.status}")
        self.origin_label.setText(" · ".join(origin))
        self.retrieval_label.setText(" · ".join(retrieval_words(proposal)))
        self.verdicts.setVisible(not proposal.is_hidden)
        self.hidden_label.setVisible(proposal.is_hidden)
        self.hidden_label.setText(_HIDDEN.get(proposal.hidden_reason, "").format(proposal.unmeasured_language))
        is_unsure = proposal.withheld or proposal.doubtful
        self.sure_label.setVisible(is_unsure and proposal.hidden_reason in ("", "withheld"))
        self.sure_label.setText(
            f"Not sure enough to suggest a rating.\n{state.sure}" if proposal.doubtful else state.sure
        )
        if not proposal.is_hidden:
            self.verdicts.show_readings(list(readings))
        self._show_readers("" if proposal.is_hidden else readers_words(proposal), is_disputed=proposal.disputed)
        lines = warnings(proposal, page, state)
        self.warning_label.setText("\n".join(lines))
        self.warning_label.setVisible(bool(lines))
        self._show_others(proposal, state)
        if proposal.id != self._on_show:
            self.verticalScrollBar().setValue(0)
        self._on_show = proposal.id

    def _show_readers(self, words: str, *, is_disputed: bool) -> None:
        """Show above the verdicts whether the readers agree."""
        self.readers_label.setText(words)
        self.readers_label.setVisible(bool(words))
        self.readers_label.setProperty("tone", "contradicts" if is_disputed else None)
        self.readers_label.style().unpolish(self.readers_label)
        self.readers_label.style().polish(self.readers_label)

    def _show_others(self, proposal: Proposal, state: ReviewState) -> None:
        while (item := self.others.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        by_hypothesis = {sibling.hypothesis: sibling for sibling in state.by_chunk.get(proposal.chunk, ())}
        hypotheses = [hypothesis.id for hypothesis in state.hypotheses if hypothesis.id != proposal.hypothesis]
        for identity in hypotheses:
            sibling = by_hypothesis.get(identity)
            label = QLabel()
            label.setTextFormat(Qt.TextFormat.PlainText)
            if sibling is not None and sibling.is_hidden:
                label.setText(f"{identity} hidden")
                label.setProperty("role", "muted")
            elif sibling is None:
                label.setText(f"{identity} –")
                label.setProperty("role", "muted")
                label.setAccessibleName(f"{identity}: not judged")
            else:
                label.setText(
                    f"{identity} {VERDICTS[sibling.verdict.label]} {two_digits(probability_of(sibling.verdict))}"
                )
                label.setProperty("tone", sibling.verdict.label)
            self.others.addWidget(label)
        self.others_heading.setVisible(bool(hypotheses))


def _shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
