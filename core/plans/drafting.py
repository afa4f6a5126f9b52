"""Drafts worded by a model that the person gave this role: what to search for, and hypotheses to begin with.

A draft is a search or a suggestion and never evidence. Without such a model the templates and the sentences of the
documents are in its place (core.plans.service).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain import Changes, Hypothesis, PlanQuery
from core.errors import BadInput
from core.plans import queries as planning
from core.ports import TextModel
from core.progress import Progress, silent
from core.search.service import Theme
from core.text import sentences

if TYPE_CHECKING:
    from core.open_case import OpenCase
    from core.plans.service import SearchPlans


# What the model is asked for, by the kind of search (core.domain.ROLES). As many for a hypothesis as against it.
_ORDERS = {
    "if true": "Name one thing that the documents of a case would show if this statement is true. Answer with one "
    "plain sentence and nothing else. The statement:",
    "for": "Write one or two sentences as a report, a mail or a witness would have them if this statement is true. "
    "Write nothing else. The statement:",
    "if false": "Name one thing that the documents of a case would show if this statement is false. Answer with one "
    "plain sentence and nothing else. The statement:",
    "against": "Write one or two sentences as a report, a mail or a witness would have them if this statement is "
    "false. Write nothing else. The statement:",
}

_WORDING = (
    "Passages of documents follow a question. Word one hypothesis that answers the question and that these passages "
    "suggest: one plain sentence of at most twenty words, and nothing else."
)

_LONGEST = 400  # characters of a draft; what is longer is cut after a sentence

_PASSAGES = 4  # of a theme that a hypothesis is worded from


@dataclass(frozen=True, slots=True)
class Draft:
    """A theme with the hypothesis that ``model`` words from it; '' where nothing usable came."""

    theme: Theme
    text: str
    model: str


class Drafts:
    """Searches and hypotheses worded by a text model, for a person to edit."""

    def __init__(self, case: OpenCase, plans: SearchPlans) -> None:
        self._open = case
        self._store = case.store
        self._plans = plans

    def plans(self, hypotheses: Sequence[str] | None = None, progress: Progress | None = None) -> Changes:
        """Plan the searches again, with passages that a model imagines in place of the template's, as one decision.

        What the analyst wrote stays. Where the model gives nothing usable for one of the kinds of search, all of that
        hypothesis's stay templates: else one side would be searched in better words than the other. Raises BadInput
        without a model for drafts, NoSuchItem, and what the model raises.
        """
        model = self._text_model()
        progress = progress or silent()
        selection = self._plans.selection(hypotheses)
        queries: list[PlanQuery] = []
        for position, hypothesis in enumerate(selection):
            progress.step(position, len(selection), f"Drafting searches for {hypothesis.id}")
            (templates,) = self._plans.default_queries([hypothesis])
            drafts = self._drafts_for(model, hypothesis, progress)
            if drafts:
                templates = [query for query in templates if query.role not in ("for", "against")]
            queries += [*templates, *drafts]
        self._store.plans.set(queries, hypotheses=[hypothesis.id for hypothesis in selection])
        progress.step(len(selection), len(selection), "Searches planned")
        return Changes(hypotheses=True)

    def hypotheses(self, question: str, themes: Sequence[Theme], progress: Progress | None = None) -> tuple[Draft, ...]:
        """Have a model word a hypothesis from the passages of each theme; none is added to the case.

        Raises BadInput without a model for drafts, and what the model raises.
        """
        model = self._text_model()
        progress = progress or silent()
        drafts = []
        for position, theme in enumerate(themes):
            progress.step(position, len(themes), "Drafting hypotheses")
            material = "\n\n".join(
                [f"Question: {question}", *(chunk.text.strip() for chunk in theme.passages[:_PASSAGES])]
            )
            text = _ask(model, _WORDING, material, progress)
            first = list(sentences(text))[:1]
            drafts.append(Draft(theme, text[first[0].start : first[0].end].strip() if first else "", _short(model)))
        progress.step(len(themes), len(themes), "Hypotheses drafted")
        return tuple(drafts)

    def _text_model(self) -> TextModel:
        if self._open.engines.text_model is None:
            raise BadInput(
                reason="No model is set to write drafts, so nothing was drafted.",
                remedy="Add a language model and let it write drafts: disconfirm models.",
            )
        return self._open.engines.text_model

    def _drafts_for(self, model: TextModel, hypothesis: Hypothesis, progress: Progress) -> list[PlanQuery]:
        statement = hypothesis.text.strip()
        answers = {role: _ask(model, order, statement, progress) for role, order in _ORDERS.items()}
        own_texts = {statement.casefold(), planning.negation(statement).casefold()}
        texts = {text.casefold() for text in answers.values()}
        if "" in texts or texts & own_texts or len(texts) < len(answers):
            return []
        return [PlanQuery("", hypothesis.id, role, text, _short(model)) for role, text in answers.items()]


def _ask(model: TextModel, order: str, material: str, progress: Progress) -> str:
    """Return what the model words, as one line of whole sentences; a cancelled run ends here."""
    progress.check()
    with progress.asking():
        text = model.write(order, material)
    text = " ".join(re.sub(r"^[\s\-*•\d.)\"“”]+", "", text).split()).strip('"“” ')
    ends = [span.end for span in sentences(text) if span.end <= _LONGEST]
    return text[: ends[-1]].strip() if ends else ""


def _short(model: TextModel) -> str:
    return model.fingerprint.partition(" sha256:")[0]
