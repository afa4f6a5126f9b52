"""The words that models judged: a verdict is outdated once its passage or its hypothesis has others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.domain import Probabilities, Proposal, State, Suggestion, Verdict
from core.text import digest

if TYPE_CHECKING:
    from core.store.case_file import CaseFile

_Answer = tuple[str, int, str, str, Probabilities]  # of a model on a passage or its quote, for a hypothesis


def mark_outdated(case: CaseFile, proposals: Sequence[Proposal], then: State | None = None) -> list[Proposal]:
    """Mark those whose model was asked about other words; of other models only what they said of these stays.

    The words are those of now; with ``then`` hypotheses have those of that moment, as do the proposals.
    """
    reworded = _reworded(case, then)
    suspects = [p for p in proposals if p.id in reworded["proposal"] or p.hypothesis in reworded["hypothesis"]]
    if not suspects:
        return list(proposals)
    answers = _answers_that_hold(
        case,
        then,
        (
            (v.model, p.chunk, p.quote.text, p.hypothesis, v.probabilities)
            for p in suspects
            for v in (p.verdict, *(o.verdict for o in p.others))
        ),
    )

    def holds(proposal: Proposal, verdict: Verdict) -> bool:
        return (
            verdict.model,
            proposal.chunk,
            proposal.quote.text,
            proposal.hypothesis,
            verdict.probabilities,
        ) in answers

    marked = {
        p.id: replace(p, outdated=not holds(p, p.verdict), others=tuple(o for o in p.others if holds(p, o.verdict)))
        for p in suspects
    }
    return [marked.get(p.id, p) for p in proposals]


def without_outdated(case: CaseFile, suggestions: Sequence[Suggestion], then: State | None = None) -> list[Suggestion]:
    """Leave out ratings that a model suggested for a row or a hypothesis that had other words; ``then`` as above."""
    if not suggestions:
        return []
    reworded = _reworded(case, then)

    def is_suspect(suggestion: Suggestion) -> bool:
        return suggestion.evidence in reworded["evidence"] or suggestion.hypothesis in reworded["hypothesis"]

    rows = {suggestion.evidence for suggestion in suggestions if is_suspect(suggestion)}
    if not rows:
        return list(suggestions)
    quoted = {row.id: row.quote or "" for row in (case.evidence.all() if then is None else then.evidence)}
    chunks = {
        row.id: case.pages.chunk_around(row.page_id, row.start, row.end) or 0
        for row in (case.evidence.all() if then is None else then.evidence)
        if row.id in rows and row.page_id is not None and row.start is not None and row.end is not None
    }

    def answer(suggestion: Suggestion) -> _Answer:
        return (
            suggestion.model,
            chunks.get(suggestion.evidence, 0),
            quoted.get(suggestion.evidence, ""),
            suggestion.hypothesis,
            suggestion.probabilities,
        )

    answers = _answers_that_hold(
        case, then, (answer(suggestion) for suggestion in suggestions if is_suspect(suggestion))
    )
    return [suggestion for suggestion in suggestions if not is_suspect(suggestion) or answer(suggestion) in answers]


def _reworded(case: CaseFile, then: State | None) -> Mapping[str, frozenset[str]]:
    """List what may have had other words; of a former moment hypotheses alone, as pages are known as they are now."""
    reworded = case.history.reworded()
    return reworded if then is None else {**dict.fromkeys(reworded, frozenset()), "hypothesis": reworded["hypothesis"]}


def _answers_that_hold(case: CaseFile, then: State | None, answers: Iterable[_Answer]) -> set[_Answer]:
    """List which of these the case keeps as what the model said of these words.

    It may keep one on these words and another on those before, which were put back since: only the same numbers
    are the same answer.
    """
    unique = list(dict.fromkeys(answers))
    hypotheses = case.hypotheses.all() if then is None else then.hypotheses
    texts = {hypothesis.id: hypothesis.text for hypothesis in hypotheses}
    passages = case.pages.chunks(list({chunk for _, chunk, _, _, _ in unique if chunk}))
    keys: dict[str, dict[tuple[str, str], list[_Answer]]] = {}
    for answer in unique:
        model, chunk, quote, hypothesis, _ = answer
        if chunk in passages and hypothesis in texts:
            # A passage is judged as a whole or by the part that is quoted.
            words = [passages[chunk].text, *([quote] if quote and quote in passages[chunk].text else [])]
            for passage in words:
                key = digest(passage), digest(texts[hypothesis])
                keys.setdefault(model, {}).setdefault(key, []).append(answer)
    return {
        answer
        for model, of_model in keys.items()
        for key, probabilities in case.verdicts.get(model, of_model).items()
        for answer in of_model[key]
        if answer[-1] == probabilities
    }
