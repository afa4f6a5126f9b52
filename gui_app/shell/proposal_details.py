"""A proposal of the machine, or a passage of a search, in the details."""

from __future__ import annotations

from core.domain import Passage, Proposal
from core.verdicts.labels import readers_words
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox
from gui_app.shared.probabilities import probability_of, two_digits
from gui_app.shell.detail_page import DetailPage
from gui_app.shell.probability_bar import ProbabilityBar


def show_proposal(page: DetailPage, proposal: Proposal) -> None:
    """Show a proposal with the machine's verdict, unless that is hidden."""
    page.quote(proposal.quote.text)
    page.origin(proposal.label, f"page {proposal.quote.page}")
    page.crop(proposal.quote.document, proposal.quote.page, proposal.quote.start, proposal.quote.end)
    page.add(line())
    row = hbox(spacing=6)
    unseen = {
        "blind": "Verdict hidden until you decide",
        "outdated": "Passage or hypothesis changed since it was judged",
        "language": f"Not judged: {proposal.unmeasured_language}",
    }.get(proposal.hidden_reason, "Verdict not sure enough to be shown")
    verdict = plain(unseen if proposal.is_hidden else VERDICTS[proposal.verdict.label])
    verdict.setProperty("tone", "neutral" if proposal.is_hidden else proposal.verdict.label)
    row.addWidget(verdict)
    row.addWidget(plain(proposal.hypothesis, "strong"))
    row.addStretch(1)
    if not proposal.is_hidden:
        row.addWidget(plain("the machine's reading", "small"))
    page.add(row)
    if not proposal.is_hidden:
        basis = _measured(page, proposal.verdict.model)
        page.add(ProbabilityBar(proposal.verdict.probabilities, basis))
        if basis:
            page.add(plain(basis, "small", wrap=True))
        if proposal.explanation:
            page.add(plain(proposal.explanation, "muted", wrap=True))
    facts = []
    if proposal.similarity is not None:
        facts.append(("Similarity", f"{proposal.similarity:.2f}"))
    if not proposal.is_hidden:
        for reading in proposal.others:
            words = f"{VERDICTS[reading.verdict.label]} {two_digits(probability_of(reading.verdict))}"
            words = f"{words}\n{_measured(page, reading.verdict.model)}".strip()
            facts.append((reading.role.capitalize(), words))
        if words := readers_words(proposal):
            facts.append(("Two readers", words))
    facts += [("Found", _legs(proposal.vector_rank, proposal.lexical_rank)), ("Status", proposal.status)]
    if proposal.possible_duplicate:
        facts.append(("May repeat", proposal.possible_duplicate))
    page.facts(facts)


def show_passage(page: DetailPage, passage: Passage) -> None:
    """Show a passage and how it was found."""
    page.quote(passage.text)
    page.origin(passage.label, f"page {passage.page}")
    page.crop(passage.document, passage.page, passage.start, passage.end)
    page.add(line())
    facts = []
    if (passage.vector_rank, passage.lexical_rank) != (None, None):  # else nothing ranked it
        facts = [("Confidence", passage.confidence), ("Found", _legs(passage.vector_rank, passage.lexical_rank))]
    if passage.similarity is not None:
        facts.append(("Similarity", f"{passage.similarity:.2f}"))
    page.facts(facts)


def _measured(page: DetailPage, model: str) -> str:
    """Return what is known of the model that gave a verdict: its name, and what it reached in its exam."""
    card = page.session.do(lambda bench: bench.verdicts.model_card(model))
    if card is None:
        return ""
    if card.right is None:
        return f"{card.name}: it has not taken the exam"
    return card.line()


def _legs(vector: int | None, lexical: int | None) -> str:
    """Return how each way of searching ranked a passage."""
    ranks = []
    if vector is not None:
        ranks.append(f"rank {vector} by meaning")
    if lexical is not None:
        ranks.append(f"{lexical} by words" if ranks else f"rank {lexical} by words")
    return ", ".join(ranks) or "–"
