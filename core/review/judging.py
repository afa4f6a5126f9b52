"""Verdicts on passages: found, judged, and kept as proposals.

A verdict is a suggestion. It is kept with the name of the model that gave it, and nothing counts until somebody
decides (``core.review.service``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from core.documents import near_duplicates
from core.domain import Changes, Chunk, Hypothesis, Passage, Probabilities, Proposal, Quote, Span, Verdict
from core.errors import AppError, BadInput, EngineStopped, ModelUnreadable
from core.evidence import quotes
from core.plans.service import PlanResult
from core.ports import Judge
from core.progress import Progress
from core.text import digest, sentences
from core.verdicts import exam_results, label_imbalance, prompt_injection
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.open_case import OpenCase
    from core.verdicts.policy import VerdictPolicy

AT_ONCE = 64  # hypotheses that the judge is asked about in one call

MOST_NAMED = 5  # passages that a judge could not take, one by one

GIVE_UP = 3  # passages in a row at which a model fails: it is the model, then, and not the passages


@dataclass(frozen=True, slots=True)
class ProposeReport:
    """``passages_judged`` counts pairs of passage and hypothesis, those from the cache included."""

    proposals: tuple[Proposal, ...]
    passages_judged: int
    seconds: float
    notes: tuple[str, ...] = ()
    changes: Changes = Changes(proposals=True)
    hypotheses: int = 0
    searches: int = 0
    against: int = 0  # of the passages, in the place of what speaks against their hypothesis

    @property
    def effort(self) -> str:
        """'120 passages for 4 hypotheses, half of them looked for what speaks against; 32 searches'; '' for nothing."""
        if not self.hypotheses:
            return ""
        half = abs(2 * self.against - self.passages_judged) <= self.hypotheses
        passages = "passage" if self.passages_judged == 1 else "passages"
        hypotheses = "hypothesis" if self.hypotheses == 1 else "hypotheses"
        return (
            f"{self.passages_judged:,} {passages} for {self.hypotheses} {hypotheses}, "
            f"{'half' if half else f'{self.against:,}'} of them looked for what speaks against; "
            f"{self.searches} searches"
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on one pair and the span of the passage that carries it."""

    verdict: Verdict
    start: int
    end: int
    explanation: str


class Replaced(ModelUnreadable):
    """Another model answers than the one that was asked: nothing that it says may go on under the name of the first."""


Done = TypeVar("Done")

Pair = tuple[Hypothesis, Passage]


class Skipping:
    """A run of a model over passages that leaves out what it cannot take, and names it: hypotheses that are too long
    for it, passages that are, and passages at which it fails, unless it fails at all of them.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._refused: dict[str, str] = {}  # by the text of the hypothesis
        self._unread: list[str] = []
        self._failed: list[AppError] = []  # in a row
        self._read = 0

    def read(self, where: str, hypotheses: Sequence[str], work: Callable[[Sequence[str]], Done]) -> Done | None:
        """What ``work`` makes of a passage and those of the ``hypotheses`` (their texts) that the model takes; None
        where it takes none of them or not the passage. Raises what ``work`` does when it fails again and again.
        """
        asked = [text for text in hypotheses if text not in self._refused]
        if not asked:
            return None
        try:
            done = work(asked)
        except BadInput as error:
            refused = self._too_long(asked)
            if refused:
                self._refused |= refused
                return self.read(where, asked, work)
            self._unread.append(f"{where}: {error.sentence} {error.hint}")
            return None
        except (ModelUnreadable, EngineStopped) as error:
            self._failed.append(error)
            if isinstance(error, Replaced) or len(self._failed) >= GIVE_UP:
                raise
            self._unread.append(f"{where}: {error.sentence} It was left out.")
            return None
        self._failed.clear()
        self._read += 1
        return done

    def _too_long(self, hypotheses: Sequence[str]) -> dict[str, str]:
        """Those that the model does not take with any passage, and why."""
        found = {}
        for text in hypotheses:
            try:
                self._judge.judge("It is so.", [text])
            except BadInput as error:
                found[text] = f"{error.sentence} {error.hint}"
        return found

    def reason(self, hypothesis: str) -> str:
        """Why the last passage was not read for this hypothesis."""
        return self._refused.get(hypothesis) or (self._unread[-1].partition(": ")[2] if self._unread else "")

    def notes(self, hypotheses: Iterable[Hypothesis]) -> list[str]:
        """What was left out: the hypotheses, the first ``MOST_NAMED`` passages, and how many more.

        Raises the last error of the model where it failed at every passage.
        """
        if self._failed and not self._read:
            raise self._failed[-1]
        told = [f"{one.id}: {self._refused[one.text]}" for one in hypotheses if one.text in self._refused]
        told += self._unread[:MOST_NAMED]
        if len(self._unread) > MOST_NAMED:
            told.append(f"{len(self._unread) - MOST_NAMED:,} more passages were not judged.")
        return told


def _where(passage: Passage) -> str:
    return f"{passage.name}, page {passage.page}"


def _foreign(hypotheses: Iterable[Hypothesis]) -> list[str]:
    """That nobody knows how well a hypothesis in another language is judged."""
    return [
        f"{hypothesis.id}: does not seem to be in English, and the judge was measured on English only."
        for hypothesis in hypotheses
        if classify.foreign(hypothesis.text)
    ]


def judge_pair(judge: Judge, passage: str, hypothesis: str) -> Judged:
    """Verdict and quote for one pair without a case; the same steps as ``Workbench.propose``."""

    def ask(text: str) -> Probabilities:
        return judge.judge(text, [hypothesis])[0]

    probabilities, model = ask(passage), judge.fingerprint
    verdict = Verdict(classify.label(probabilities, exam_results.margin_of(model)), probabilities, model)
    return _judged(passage, sentences(passage), hypothesis, verdict, ask)


def _judged(
    passage: str,
    spans: Sequence[Span],
    hypothesis: str,
    verdict: Verdict,
    ask: Callable[[str], Probabilities],
) -> Judged:
    choice = classify.choose_quote(passage, spans, verdict.label, hypothesis, ask)
    quote = passage[choice.start : choice.end]
    mind = prompt_injection.sentence(passage, prompt_injection.find(passage))
    words = classify.explanation(verdict.label, verdict.probabilities, choice, quote, hypothesis, mind=mind)
    return Judged(verdict, choice.start, choice.end, words)


def _refuse_nonsense(judge: Judge, answers: Sequence[Probabilities], expected: int) -> None:
    """Whatever a judge is: answers that are not one distribution a hypothesis are kept nowhere."""
    reason = "" if len(answers) == expected else f"{len(answers)} answers to {expected} questions"
    for answer in answers:
        values = (answer.supports, answer.contradicts, answer.neutral)
        if (
            not all(isinstance(value, float | int) and 0 <= value <= 1 for value in values)
            or abs(sum(values) - 1) > 1e-3
        ):
            reason = "an answer is not three probabilities that sum to 1"
    if reason:
        raise ModelUnreadable(path=judge.fingerprint[:80], reason=reason, effect="this passage has no verdict")


def _as_far(result: PlanResult, kept: Sequence[Proposal]) -> PlanResult:
    """What of the passages that searches found was judged before the run was stopped."""
    judged = {proposal.chunk for proposal in kept if proposal.hypothesis == result.hypothesis}
    return replace(result, found=tuple(one for one in result.found if one.chunk in judged))


def _one_sided(proposals: Sequence[Proposal]) -> list[str]:
    names = {proposal.quote.document: proposal.name for proposal in proposals}
    found = label_imbalance.find([(proposal.quote.document, proposal.verdict.label) for proposal in proposals])
    return [one.sentence(names.get(one.document, "")) for one in found]


class PassageJudging:
    """Judging passages of a case: verdicts from its cache where they are known, else from the judge, then kept."""

    def __init__(self, case: OpenCase, verdicts: VerdictPolicy) -> None:
        self._open = case
        self._store = case.store
        self._verdicts = verdicts

    def judge_in_use(self, progress: Progress | None = None) -> Judge:
        judge = exam_results.require_judge(self._open.engines, progress)
        self._verdicts.record_exam(judge.fingerprint)
        return judge

    def keep_verdicts(
        self,
        skipping: Skipping,
        judge: Judge,
        model: str,
        pairs: Sequence[Pair],
        known: Sequence[tuple[str, Quote]],
        progress: Progress,
    ) -> list[Proposal]:
        """Have the passage of ``pairs`` judged for their hypotheses, as far as the model takes them, and keep the
        proposals, each marked whose words are those of a ``known`` one.
        """
        if not pairs:
            return []

        def judged(texts: Sequence[str]) -> list[Proposal]:
            with progress.asking():
                return self._judge_passage(judge, model, [pair for pair in pairs if pair[0].text in texts])

        new = skipping.read(_where(pairs[0][1]), [hypothesis.text for hypothesis, _ in pairs], judged) or []
        marks = near_duplicates.possible_duplicates([proposal.quote for proposal in new], known)
        return self._store.proposals.put(
            [replace(proposal, possible_duplicate=mark) for proposal, mark in zip(new, marks, strict=True)]
        )

    def _judge_passage(self, judge: Judge, model: str, pairs: Sequence[Pair]) -> list[Proposal]:
        passage = pairs[0][1]
        page = self._store.pages.by_id(passage.page_id)
        whole = self._probabilities(judge, model, passage.text, [hypothesis.text for hypothesis, _ in pairs])
        spans, margin = sentences(passage.text), exam_results.margin_of(model)
        labels = [classify.label(probabilities, margin) for probabilities in whole]
        # Each sentence once for all the hypotheses that need it: it is read once then, too.
        needed: dict[str, list[str]] = {}
        for (hypothesis, _), label in zip(pairs, labels, strict=True):
            for sentence in classify.worth_asking(passage.text, spans, label, hypothesis.text):
                needed.setdefault(sentence, []).append(hypothesis.text)
        told = {
            (sentence, about): one
            for sentence, those in needed.items()
            for about, one in zip(those, self._probabilities(judge, model, sentence, those), strict=True)
        }
        made = []
        for (hypothesis, found), label, probabilities in zip(pairs, labels, whole, strict=True):

            def ask(text: str, about: str = hypothesis.text) -> Probabilities:
                return told.get((text, about)) or self._probabilities(judge, model, text, [about])[0]

            judged = _judged(passage.text, spans, hypothesis.text, Verdict(label, probabilities, model), ask)
            quote = quotes.span(page, passage.start + judged.start, passage.start + judged.end)
            made.append(
                Proposal(
                    id="",
                    hypothesis=hypothesis.id,
                    chunk=passage.chunk,
                    quote=quote,
                    name=passage.name,
                    verdict=judged.verdict,
                    similarity=found.similarity,
                    vector_rank=found.vector_rank,
                    lexical_rank=found.lexical_rank,
                    explanation=judged.explanation,
                )
            )
        return made

    def _probabilities(self, judge: Judge, model: str, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        """From the cache of the case where it is known, else from the judge, then kept."""
        keys = [(digest(passage), digest(hypothesis)) for hypothesis in hypotheses]
        known = self._store.verdicts.get(model, keys)
        missing = [at for at, key in enumerate(keys) if key not in known]
        # A passage with thousands of hypotheses goes in parts: what is judged is kept, also when a person cancels.
        for asked in (missing[at : at + AT_ONCE] for at in range(0, len(missing), AT_ONCE)):
            fresh = judge.judge(passage, [hypotheses[at] for at in asked])
            _refuse_nonsense(judge, fresh, len(asked))
            if judge.fingerprint != model:  # its process was started anew, on another file of the same name
                raise Replaced(
                    path=judge.fingerprint[:80],
                    reason="it took the place of another model while passages were judged",
                    effect="this run ended; what was judged before keeps the name of its model",
                )
            rows = [(*keys[at], probabilities) for at, probabilities in zip(asked, fresh, strict=True)]
            self._store.verdicts.put(model, rows)
            known.update({(row[0], row[1]): row[2] for row in rows})
        return [known[key] for key in keys]

    def verdicts_on(
        self, judge: Judge, model: str, passage: Chunk, proposals: Sequence[Proposal], hypotheses: Mapping[str, str]
    ) -> dict[str, tuple[Verdict, str]]:
        """What a model makes of a passage for these proposals, each with its own words on the quote that stands."""
        if not proposals:
            return {}
        whole = self._probabilities(judge, model, passage.text, [hypotheses[p.hypothesis] for p in proposals])
        spans, margin = sentences(passage.text), exam_results.margin_of(model)
        mind = prompt_injection.sentence(passage.text, prompt_injection.find(passage.text))
        found = {}
        for proposal, probabilities in zip(proposals, whole, strict=True):
            about = hypotheses[proposal.hypothesis]

            def ask(text: str, about: str = about) -> Probabilities:
                return self._probabilities(judge, model, text, [about])[0]

            label = classify.label(probabilities, margin)
            quote = Span(proposal.quote.start - passage.start, proposal.quote.end - passage.start)
            choice = classify.weigh(passage.text, spans, quote, label, ask)
            words = classify.explanation(label, probabilities, choice, proposal.quote.text, about, mind=mind)
            found[proposal.id] = (Verdict(label, probabilities, model), words)
        return found
