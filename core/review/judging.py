"""Verdicts on passages: found, judged, and kept as proposals.

A verdict is a suggestion. It is kept with the name of the model that gave it, and nothing counts until somebody
decides (``core.review.service``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from core.documents import near_duplicates
from core.domain import Changes, Hypothesis, Passage, Probabilities, Proposal, Quote, Span, Verdict
from core.errors import AppError, BadInput, EngineStopped, ModelMissing, ModelUnreadable, NoSuchItem
from core.evidence import quotes
from core.plans.service import Planning, PlanResult
from core.ports import Judge
from core.progress import Cancelled, Progress, silent
from core.search.service import PER_DOCUMENT
from core.text import digest, sentences
from core.verdicts import exam, exam_results, label_imbalance, prompt_injection
from core.verdicts import labels as classify

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
    for it, passages that are, and passages at which it fails, unless it fails at all of them."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._refused: dict[str, str] = {}  # by the text of the hypothesis
        self._unread: list[str] = []
        self._failed: list[AppError] = []  # in a row
        self._read = 0

    def read(self, where: str, hypotheses: Sequence[str], work: Callable[[Sequence[str]], Done]) -> Done | None:
        """What ``work`` makes of a passage and those of the ``hypotheses`` (their texts) that the model takes; None
        where it takes none of them or not the passage. Raises what ``work`` does when it fails again and again."""
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


class Judging(Planning):
    """Verbs that have passages judged."""

    def propose(
        self,
        hypotheses: Sequence[str] | None = None,
        *,
        passages: int | Mapping[str, int] = 30,
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
        fresh: bool = False,
        progress: Progress | None = None,
    ) -> ProposeReport:
        """Find passages for each hypothesis, have them judged, and keep a proven quote of each as a proposal.

        The searches are those of each hypothesis's plan. With ``fresh`` only passages come that were not looked at for
        it before, ``passages`` of them. Verdicts are kept as they come: a cancelled run loses nothing and a repeated
        one asks the model nothing twice. A judge without an exam sits it first.

        Raises ModelMissing without a judge, BadInput for one that failed its exam, NoSuchItem for unknown hypotheses.
        """
        progress = progress or silent()
        began = time.monotonic()
        chosen = self._chosen_hypotheses(hypotheses)
        if not chosen:
            return ProposeReport((), 0, 0.0, ("The case has no hypotheses yet: add at least two rival ones.",))
        judge = self._judge(progress)
        model = judge.fingerprint
        with suppress(ModelMissing, ModelUnreadable):  # the searches go on by words, and say so
            self._embed(progress)
        notes = _foreign(chosen)
        work: dict[int, list[Pair]] = {}
        looked: dict[str, set[int]] = {}
        if fresh:
            for proposal in self.case.proposals():
                looked.setdefault(proposal.hypothesis, set()).add(proposal.chunk)
            per_document += max((len(looked.get(hypothesis.id, ())) for hypothesis in chosen), default=0)
        results = self.search_plans(
            [hypothesis.id for hypothesis in chosen],
            passages=passages,
            min_similarity=min_similarity,
            per_document=per_document,
            without=looked,
            progress=progress,
        )
        for hypothesis, result in zip(chosen, results, strict=True):
            notes += [f"{hypothesis.id}: {note}" for note in result.notes]
            for rank, passage in enumerate(result.passages, start=1):
                work.setdefault(passage.chunk, []).append((hypothesis, replace(passage, rank=rank)))
        there = self.case.proposals()
        before = {(proposal.hypothesis, proposal.chunk) for proposal in there}
        known = [(proposal.id, proposal.quote) for proposal in there]
        seen = {proposal.id for proposal in there}
        kept: list[Proposal] = []
        skipping = Skipping(judge)
        total = sum(len(pairs) for pairs in work.values())
        done = 0
        try:
            # Best passages first, so that the rows worth reading come first.
            for _, found in sorted(work.items(), key=lambda item: (min(p.rank for _, p in item[1]), item[0])):
                for at in range(0, len(found), AT_ONCE):
                    pairs = found[at : at + AT_ONCE]
                    progress.step(done, total, f"Judging {_where(pairs[0][1])}")
                    stored = self._keep_judged(skipping, judge, model, pairs, known, progress)
                    known += [(proposal.id, proposal.quote) for proposal in stored if proposal.id not in seen]
                    seen.update(proposal.id for proposal in stored)
                    kept += stored
                    done += len(pairs)
        except (Cancelled, AppError):
            self._note_judged([_as_far(result, kept) for result in results], kept, before)
            raise
        self._note_judged(results, kept, before)
        notes += skipping.notes(chosen)
        progress.step(total, total, "Passages judged")
        order = {hypothesis.id: at for at, hypothesis in enumerate(chosen)}
        kept.sort(key=lambda proposal: (order[proposal.hypothesis], int(proposal.id[1:])))
        if not self.case.settings().blind:  # it would tell the verdicts that a person is not to see yet
            notes += _one_sided(kept)
        return ProposeReport(
            tuple(kept),
            total,
            time.monotonic() - began,
            tuple(notes),
            hypotheses=len(results),
            searches=sum(len(result.searches) for result in results),
            against=sum(one.side == "against" for result in results for one in result.found),
        )

    def _note_judged(
        self, results: Sequence[PlanResult], kept: Sequence[Proposal], before: Collection[tuple[str, int]]
    ) -> None:
        """Keep what was searched and what the judge said of it."""
        self.note_effort(results, {(p.hypothesis, p.chunk): str(p.verdict.label) for p in kept}, before)

    def even_out(self, hypotheses: Sequence[str] | None = None, *, progress: Progress | None = None) -> ProposeReport:
        """Look at as many passages for each of these hypotheses as for the one that had the most looked at.

        Raises ModelMissing without a judge, NoSuchItem.
        """
        chosen = {hypothesis.id for hypothesis in self._chosen_hypotheses(hypotheses)}
        passages = {one.hypothesis: one.passages for one in self.effort()}
        most = max(passages.values(), default=0)
        fewer = {h: most - number for h, number in passages.items() if h in chosen and number < most}
        if not fewer:
            return ProposeReport((), 0, 0.0, ("Every hypothesis had as many passages looked at as any other.",))
        return self.propose(list(fewer), passages=fewer, fresh=True, progress=progress)

    def judge_passage(
        self, chunk: int, hypotheses: Sequence[str] | None = None, *, progress: Progress | None = None
    ) -> ProposeReport:
        """Have one passage judged for these hypotheses, or for all, and keep a proven quote of it for each as a
        proposal, as ``propose`` does; what the judge said before is not asked again.

        A judge without an exam sits it first, which ``progress`` tells.

        Raises ModelMissing without a judge, NoSuchItem for an unknown hypothesis or passage.
        """
        began = time.monotonic()
        chosen = self._chosen_hypotheses(hypotheses)
        judge = self._judge(progress)
        there = self.case.chunks([chunk])
        if not there:
            raise NoSuchItem(kind="passage", id=str(chunk), listing="search")
        kept = there[chunk]
        near = self._nearness([hypothesis.text for hypothesis in chosen], [chunk])
        pairs = [
            (
                hypothesis,
                Passage(
                    *(0, kept.id, kept.page_id, kept.document, kept.name, kept.page, kept.start, kept.end, kept.text),
                    *(0.0, None, None, cosines.get(chunk), "low"),
                ),
            )
            for hypothesis, cosines in zip(chosen, near, strict=True)
        ]
        known = [(proposal.id, proposal.quote) for proposal in self.case.proposals()]
        skipping = Skipping(judge)
        stored = self._keep_judged(skipping, judge, judge.fingerprint, pairs, known, progress or silent())
        return ProposeReport(
            tuple(stored), len(pairs), time.monotonic() - began, (*_foreign(chosen), *skipping.notes(chosen))
        )

    def _chosen_hypotheses(self, wanted: Sequence[str] | None) -> list[Hypothesis]:
        everything = self.case.hypotheses()
        if wanted is None:
            return everything
        for identity in wanted:
            self.case.hypothesis(identity)
        return [hypothesis for hypothesis in everything if hypothesis.id in set(wanted)]

    def _judge(self, progress: Progress | None = None) -> Judge:
        judge = exam_results.required(self.engines, progress)
        self.keep_exam(judge.fingerprint)
        return judge

    def _keep_judged(
        self,
        skipping: Skipping,
        judge: Judge,
        model: str,
        pairs: Sequence[Pair],
        known: Sequence[tuple[str, Quote]],
        progress: Progress,
    ) -> list[Proposal]:
        """Have the passage of ``pairs`` judged for their hypotheses, as far as the model takes them, and keep the
        proposals, each marked whose words are those of a ``known`` one."""
        if not pairs:
            return []

        def judged(texts: Sequence[str]) -> list[Proposal]:
            with progress.asking():
                return self._judge_passage(judge, model, [pair for pair in pairs if pair[0].text in texts])

        new = skipping.read(_where(pairs[0][1]), [hypothesis.text for hypothesis, _ in pairs], judged) or []
        marks = near_duplicates.possible_duplicates([proposal.quote for proposal in new], known)
        return self.case.put_proposals(
            [replace(proposal, possible_duplicate=mark) for proposal, mark in zip(new, marks, strict=True)]
        )

    def _judge_passage(self, judge: Judge, model: str, pairs: Sequence[Pair]) -> list[Proposal]:
        passage = pairs[0][1]
        page = self.case.page_by_id(passage.page_id)
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
        known = self.case.verdicts(model, keys)
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
            self.case.put_verdicts(model, rows)
            known.update({(row[0], row[1]): row[2] for row in rows})
        return [known[key] for key in keys]

    def judge_missing(self) -> str:
        """One line when no passage can be judged, '' otherwise."""
        if self.engines.judge is not None:
            return ""
        return "No judging model is on this computer: everything else works, passages are rated by hand."

    def judge_card(self) -> classify.JudgeCard | None:
        """What was measured of the judge in use; None without a judge."""
        return exam_results.card(self.engines)

    def examine(self, progress: Progress | None = None) -> exam.Result:
        """Have the judge in use sit the exam, again where it did before. Raises ModelMissing without a judge."""
        if self.engines.judge is None:
            raise ModelMissing(role="judging", path="the models folder", effect="no exam can be sat")
        return exam_results.sit(self.engines.judge, progress)


def _where(passage: Passage) -> str:
    return f"{passage.name}, page {passage.page}"


def _foreign(hypotheses: Iterable[Hypothesis]) -> list[str]:
    """That nobody knows how well a hypothesis in another language is judged."""
    return [
        f"{hypothesis.id}: seems not to be in English, and the judge was measured on English only."
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
            reason = "an answer is not three shares of a whole"
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
