"""Verdicts on passages: found, judged, and kept as proposals.

A verdict is a suggestion. It is kept with the name of the model that gave it, and nothing counts until somebody decides
(``core.review.service``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from core.documents import near_duplicates
from core.documents.furniture import furniture, is_navigation
from core.domain import (
    Changes,
    Chunk,
    Hypothesis,
    Page,
    Passage,
    PlanQuery,
    Probabilities,
    Proposal,
    Quote,
    Span,
    Verdict,
)
from core.errors import AppError, BadInput, EngineStopped, ModelUnreadable, NoSuchItem, QuoteNotProven
from core.evidence import quotes, running_lines
from core.plans.service import PlanResult
from core.ports import Judge
from core.progress import Progress
from core.review.windows import HEADING, windows
from core.text import counted, digest, sentences
from core.verdicts import exam_results, label_imbalance, prompt_injection
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.open_case import OpenCase
    from core.verdicts.policy import VerdictPolicy

AT_ONCE = 64  # hypotheses that the judge is asked about in one call

MOST_NAMED = 5  # passages that a judge could not take, one by one

TRIES = 3  # to judge a passage, where its words are changed meanwhile

SPEAKING = ("supports", "contradicts")

GIVE_UP = 3  # passages in a row at which a model fails: it is the model, then, and not the passages


@dataclass(frozen=True, slots=True)
class ProposeReport:
    """The result of a run of the judge.

    ``passages_judged`` counts pairs of passage and hypothesis, those from the cache included: each is one verdict, of
    which several quotes may be proposals. What is in a language that the judge was not measured in counts nowhere.
    """

    proposals: tuple[Proposal, ...]
    passages_judged: int
    seconds: float
    notes: tuple[str, ...] = ()
    changes: Changes = Changes(proposals=True)
    hypotheses: int = 0
    searches: int = 0
    against: int = 0  # of the passages, in the place of what speaks against their hypothesis
    passages: int = 0  # that the searches brought, each for its hypothesis
    passages_read: int = 0  # of the documents in use, for every one of the hypotheses
    passages_total: int = 0  # of the documents in use
    passages_each: tuple[int, ...] = ()  # that the searches brought for each of the hypotheses
    is_whole: bool = False  # all passages of the documents in use were to be read
    steps: tuple[tuple[PlanQuery, int], ...] = ()  # the searches, and how many passages each found

    @property
    def effort(self) -> str:
        """The effort in words: '30 passages for each of 4 hypotheses, half of them looked for what speaks against; …'.

        '' for nothing.
        """
        if not self.hypotheses:
            return ""
        is_half = abs(2 * self.against - self.passages) <= self.hypotheses
        hypotheses = "hypothesis" if self.hypotheses == 1 else "hypotheses"
        if self.passages_read and (self.is_whole or self.passages_read == self.passages_total):
            every = counted(self.passages_total, "passage")
            share = "All" if self.passages_read == self.passages_total else f"{self.passages_read:,} of"
            return f"{share} {every} read for {self.hypotheses} {hypotheses}; {self.searches} searches ordered them"
        least, most = min(self.passages_each, default=0), max(self.passages_each, default=0)
        passages = counted(most, "passage") if least == most else f"{least:,} to {counted(most, 'passage')}"
        return (
            f"{passages} for {'each of ' if self.hypotheses > 1 else ''}{self.hypotheses} {hypotheses}, "
            f"{'half' if is_half else f'{self.against:,}'} of them looked for what speaks against; "
            f"{self.searches} searches"
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one pair and the span of the passage that carries it."""

    verdict: Verdict
    start: int
    end: int
    explanation: str


class ModelReplaced(ModelUnreadable):
    """Another model answers than the one that was asked: nothing that it says may go on under the name of the first."""


class WordsChanged(Exception):
    """The words that a model was asked about are not those of the case any more: what it said of them is not kept."""


Done = TypeVar("Done")

Pair = tuple[Hypothesis, Passage]


class Skipping:
    """A run of a model over passages that leaves out what it cannot take, and names it.

    Hypotheses that are too long for it, passages that are, and passages at which it fails, unless it fails at all of
    them.
    """

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._refusals: dict[str, str] = {}  # by the text of the hypothesis
        self._unread: list[str] = []
        self._changes: list[str] = []  # passages that were changed or taken out while they were judged
        self._failures: list[AppError] = []  # in a row
        self._read = 0

    def read(self, where: str, hypotheses: Sequence[str], work: Callable[[Sequence[str]], Done]) -> Done | None:
        """Return what ``work`` makes of a passage and those of the ``hypotheses`` (their texts) that the model takes.

        None if it takes none of them or not the passage. Raises what ``work`` does when it fails again and again.
        """
        texts = [text for text in hypotheses if text not in self._refusals]
        if not texts:
            return None
        try:
            result = work(texts)
        except BadInput as error:
            refusals = self._too_long(texts)
            if refusals:
                self._refusals |= refusals
                return self.read(where, texts, work)
            self._unread.append(f"{where}: {error.sentence} {error.hint}")
            return None
        except (ModelUnreadable, EngineStopped) as error:
            self._failures.append(error)
            if isinstance(error, ModelReplaced) or len(self._failures) >= GIVE_UP:
                raise
            self._unread.append(f"{where}: {error.sentence} It was left out.")
            return None
        self._failures.clear()
        self._read += 1
        return result

    def _too_long(self, hypotheses: Sequence[str]) -> dict[str, str]:
        """Map those that the model does not take with any passage to why."""
        reasons = {}
        for text in hypotheses:
            try:
                self._judge.judge("It is so.", [text])
            except BadInput as error:
                reasons[text] = f"{error.sentence} {error.hint}"
        return reasons

    def leave_out(self, where: str) -> None:
        """Leave out a passage that is not in the case any more as it was."""
        self._changes.append(where)

    def reason(self, hypothesis: str) -> str:
        """Return why the last passage was not read for this hypothesis."""
        return self._refusals.get(hypothesis) or (self._unread[-1].partition(": ")[2] if self._unread else "")

    def notes(self, hypotheses: Iterable[Hypothesis]) -> list[str]:
        """List what was left out: the hypotheses, the first ``MOST_NAMED`` passages, and how many more.

        Raises the last error of the model where it failed at every passage.
        """
        if self._failures and not self._read:
            raise self._failures[-1]
        lines = [
            f"{hypothesis.id}: {self._refusals[hypothesis.text]}"
            for hypothesis in hypotheses
            if hypothesis.text in self._refusals
        ]
        lines += self._unread[:MOST_NAMED]
        if len(self._unread) > MOST_NAMED:
            lines.append(f"{len(self._unread) - MOST_NAMED:,} more passages were not judged.")
        if self._changes:
            names = list(dict.fromkeys(self._changes))
            more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
            lines.append(f"Changed or removed meanwhile, so not judged: {'; '.join(names[:MOST_NAMED])}{more}.")
        return lines


def _where(passage: Passage) -> str:
    return f"{passage.name}, page {passage.page}"


def _not_judged(hypotheses: Iterable[Hypothesis], languages: Iterable[str]) -> list[str]:
    """Return notes on what is not judged: hypotheses and passages that are not in English."""
    notes = [
        f"{hypothesis.id} is not judged: it is in {language}, and the judge was measured on English only."
        for hypothesis in hypotheses
        if (language := classify.foreign_language("", hypothesis.text))
    ]
    counts = Counter(languages)
    if counts:
        ranking = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
        parts = ", ".join(f"{count:,} {language}" for language, count in ranking)
        notes.append(
            f"Not judged: {counted(counts.total(), 'passage')} ({parts}). The judge was measured on English only."
        )
    return notes


def judge_pair(
    judge: Judge, passage: str, hypothesis: str, ask: Callable[[str], Probabilities] | None = None
) -> Judgement:
    """Judge one pair without a case: its verdict and the sentence to quote.

    ``ask`` gives what the judge says of a text for the hypothesis; without it, it reads the two by themselves.
    """

    def alone(text: str) -> Probabilities:
        return judge.judge(text, [hypothesis])[0]

    ask = ask or alone
    probabilities, model = ask(passage), judge.fingerprint
    verdict = Verdict(classify.label(probabilities, exam_results.margin_of(model)), probabilities, model)
    return _judge(passage, sentences(passage), hypothesis, verdict, ask)


def _judge(
    passage: str, spans: Sequence[Span], hypothesis: str, verdict: Verdict, ask: Callable[[str], Probabilities]
) -> Judgement:
    choice = classify.choose_quote(passage, spans, verdict.label, hypothesis, ask)
    quote = passage[choice.start : choice.end]
    mind = prompt_injection.sentence(passage, prompt_injection.find(passage))
    words = classify.explanation(
        verdict.label, verdict.probabilities, choice, quote, hypothesis, before=passage[: choice.start], mind=mind
    )
    return Judgement(verdict, choice.start, choice.end, words)


def _stretch_of(quote: Span, parts: Sequence[Span]) -> Span:
    """Return the stretch of a passage that a quote was judged by: the windows it has a share in, else the quote."""
    shared = [part for part in parts if part.start < quote.end and quote.start < part.end]
    return Span(min(shared[0].start, quote.start), max(shared[-1].end, quote.end)) if shared else quote


def _window_judgement(
    passage: str, spans: Sequence[Span], hypothesis: str, window: Span, verdict: Verdict
) -> Judgement:
    """Return the judgement of a part of a passage: what it was judged by is what is quoted."""
    choice = classify.chosen(spans, window, verdict)
    quote = passage[window.start : window.end]
    mind = prompt_injection.sentence(passage, prompt_injection.find(passage))
    words = classify.explanation(
        verdict.label, verdict.probabilities, choice, quote, hypothesis, before=passage[: window.start], mind=mind
    )
    return Judgement(verdict, window.start, window.end, words)


def _refuse_nonsense(judge: Judge, answers: Sequence[Probabilities], count: int) -> None:
    """Refuse answers that are not one distribution a hypothesis, whatever a judge is: they are kept nowhere."""
    reason = "" if len(answers) == count else f"{len(answers)} answers to {count} questions"
    for answer in answers:
        values = (answer.supports, answer.contradicts, answer.neutral)
        if (
            not all(isinstance(value, float | int) and 0 <= value <= 1 for value in values)
            or abs(sum(values) - 1) > 1e-3
        ):
            reason = "an answer is not three probabilities that sum to 1"
    if reason:
        raise ModelUnreadable(path=judge.fingerprint[:80], reason=reason, effect="this passage has no verdict")


def _as_far(result: PlanResult, proposals: Sequence[Proposal]) -> PlanResult:
    """Keep of the passages that searches found what was judged before the run was stopped."""
    chunks = {proposal.chunk for proposal in proposals if proposal.hypothesis == result.hypothesis}
    return replace(result, origins=tuple(origin for origin in result.origins if origin.chunk in chunks))


def _one_sided(proposals: Sequence[Proposal]) -> list[str]:
    names = {proposal.quote.document: proposal.name for proposal in proposals}
    imbalances = label_imbalance.find([(proposal.quote.document, proposal.verdict.label) for proposal in proposals])
    return [imbalance.sentence(names.get(imbalance.document, "")) for imbalance in imbalances]


class PassageJudging:
    """The judging of passages of a case: verdicts come from its cache where they are known, else from the judge."""

    def __init__(self, case: OpenCase, verdicts: VerdictPolicy) -> None:
        self._open = case
        self._store = case.store
        self._verdicts = verdicts
        self._too_long: list[str] = []  # hypotheses of the case that a judge did not take together

    def start_judge(self) -> None:
        """Have the judge load beside what is done before it is asked. Raises ModelMissing, EngineStopped."""
        judge = exam_results.judge_of(self._open.engines)
        if start := getattr(judge, "start", None):
            start()

    def judge_in_use(self, progress: Progress | None = None) -> Judge:
        """Return the judge in use, examined, with its exam recorded in the case."""
        judge = exam_results.require_judge(self._open.engines, progress)
        self._verdicts.record_exam(judge.fingerprint)
        return judge

    def keep_verdicts(
        self,
        skipping: Skipping,
        judge: Judge,
        model: str,
        pairs: Sequence[Pair],
        quoted: Sequence[tuple[str, Quote]],
        progress: Progress,
        *,
        only_speaking: bool = False,
    ) -> list[Proposal]:
        """Have the passage of ``pairs`` judged for their hypotheses, as far as the model takes them.

        Kept are the proposals, each marked whose words are those of one of the ``quotes``; ``only_speaking``:
        of a passage that speaks for or against a hypothesis.
        """
        where = _where(pairs[0][1]) if pairs else ""
        for _ in range(TRIES):
            current = self._as_now(pairs)
            if not current:
                break

            def judge_texts(texts: Sequence[str], pairs: Sequence[Pair] = current) -> list[Proposal]:
                with progress.asking():
                    return self._judge_passage(judge, model, [pair for pair in pairs if pair[0].text in texts])

            try:
                new = skipping.read(where, [hypothesis.text for hypothesis, _ in current], judge_texts) or []
                if not new or (only_speaking and all(p.verdict.label not in SPEAKING for p in new)):
                    return []
                marks = near_duplicates.possible_duplicates([proposal.quote for proposal in new], quoted)
                with self._store.db.snapshot():
                    self.require_words(current[0][1], {hypothesis.id: hypothesis.text for hypothesis, _ in current})
                    return self._store.proposals.put(
                        [replace(proposal, possible_duplicate=mark) for proposal, mark in zip(new, marks, strict=True)]
                    )
            except (WordsChanged, QuoteNotProven):
                continue
        if pairs:
            skipping.leave_out(where)
        return []

    def _as_now(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return those of pairs whose passage and hypothesis are still in the case, in the words of now."""
        if not pairs:
            return []
        with self._store.db.snapshot():
            chunk = self.standing(pairs[0][1].chunk)
            texts = {hypothesis.id: hypothesis for hypothesis in self._store.hypotheses.all()}
        if chunk is None:
            return []
        return [
            (texts[hypothesis.id], replace(passage, start=chunk.start, end=chunk.end, text=chunk.text))
            for hypothesis, passage in pairs
            if hypothesis.id in texts
        ]

    def standing(self, chunk: int) -> Chunk | None:
        """Return a passage of a document that was not removed; None if there is none any more."""
        chunk_row = self._store.pages.chunks([chunk]).get(chunk)
        removed = chunk_row is not None and self._store.documents.get(chunk_row.document).status == "removed"
        return None if removed else chunk_row

    def require_words(self, passage: Passage | Chunk, hypotheses: Mapping[str, str]) -> None:
        """Raise WordsChanged where a passage or a hypothesis, by id, has not the words that a model was asked about."""
        passage_row = self.standing(passage.id if isinstance(passage, Chunk) else passage.chunk)
        texts = {hypothesis.id: hypothesis.text for hypothesis in self._store.hypotheses.all()}
        words = (passage_row.start, passage_row.text) if passage_row is not None else None
        if words != (passage.start, passage.text) or any(
            texts.get(id_) != wording for id_, wording in hypotheses.items()
        ):
            raise WordsChanged

    def _judge_passage(self, judge: Judge, model: str, pairs: Sequence[Pair]) -> list[Proposal]:
        passage = pairs[0][1]
        page = self._store.pages.by_id(passage.page_id)
        about_now = {hypothesis.id: hypothesis.text for hypothesis, _ in pairs}

        def read(text: str, hypotheses: Sequence[str]) -> list[Probabilities]:
            return self._probabilities(judge, model, text, hypotheses, lambda: self.require_words(passage, about_now))

        if is_navigation(passage.text):
            return []
        texts = [hypothesis.text for hypothesis, _ in pairs]
        margin, spans = exam_results.margin_of(model), sentences(passage.text)
        parts = windows(passage.text, self._furniture(page, passage)) or [Span(0, len(passage.text))]
        answers = [read(passage.text[part.start : part.end], texts) for part in parts]
        proposals = []
        for number, (hypothesis, place) in enumerate(pairs):
            verdicts = [Verdict(classify.label(row[number], margin), row[number], model) for row in answers]
            indexes = [index for index, verdict in enumerate(verdicts) if verdict.label in SPEAKING]
            if not indexes:  # what is least neutral stands for the passage
                indexes = [min(range(len(parts)), key=lambda index: (verdicts[index].probabilities.neutral, index))]
            judgements = [
                _window_judgement(passage.text, spans, hypothesis.text, parts[index], verdicts[index])
                for index in indexes
            ]
            for judgement in judgements:
                quote = quotes.span(page, passage.start + judgement.start, passage.start + judgement.end)
                proposals.append(
                    Proposal(
                        id="",
                        hypothesis=hypothesis.id,
                        chunk=passage.chunk,
                        quote=quote,
                        name=passage.name,
                        title=passage.title,
                        verdict=judgement.verdict,
                        similarity=place.similarity,
                        vector_rank=place.vector_rank,
                        lexical_rank=place.lexical_rank,
                        explanation=judgement.explanation,
                    )
                )
        return proposals

    def _furniture(self, page: Page, passage: Passage | Chunk) -> list[Span]:
        """List what of a passage states nothing, by where it is in the passage."""

        def text_of(document: str, number: int) -> str:
            try:
                return self._store.pages.page(document, number).text
            except NoSuchItem:
                return ""

        sections = [section for number, section in self._store.pages.sections(page.document) if number == page.number]
        spans = furniture(
            page.text, sections, page.tables, title=passage.title, is_first=page.number == 1, short=HEADING
        )
        spans += running_lines.spans(page, text_of)
        shift = passage.start
        return [
            Span(max(span.start, shift) - shift, min(span.end, passage.end) - shift)
            for span in spans
            if span.start < passage.end and span.end > shift
        ]

    def _probabilities(
        self, judge: Judge, model: str, passage: str, hypotheses: Sequence[str], require_words: Callable[[], None]
    ) -> list[Probabilities]:
        """Take answers from the cache of the case where it has them, else from the judge, then kept.

        The judge reads what is missing beside all hypotheses of the case, its rivals; what it said before
        stays, so that a new hypothesis changes no verdict on the others. ``require_words`` raises where the
        words are not those of the case any more.
        """
        keys = [(digest(passage), digest(hypothesis)) for hypothesis in hypotheses]
        in_cache = self._store.verdicts.get(model, keys)
        missing = [index for index, key in enumerate(keys) if key not in in_cache]
        # A passage with thousands of hypotheses goes in parts: what is judged is kept, also when a person cancels.
        for part in (missing[start : start + AT_ONCE] for start in range(0, len(missing), AT_ONCE)):
            fresh = self._beside_rivals(judge, passage, [hypotheses[index] for index in part])
            if judge.fingerprint != model:  # its process was started again, on another file of the same name
                raise ModelReplaced(
                    path=judge.fingerprint[:80],
                    reason="it took the place of another model while passages were judged",
                    effect="this run ended; what was judged before keeps the name of its model",
                )
            rows = [(*keys[index], probabilities) for index, probabilities in zip(part, fresh, strict=True)]
            with self._store.db.snapshot():
                require_words()
                self._store.verdicts.put(model, rows)
            in_cache.update({(row[0], row[1]): row[2] for row in rows})
        return [in_cache[key] for key in keys]

    def _beside_rivals(self, judge: Judge, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        """Return what the judge says of these when it reads all hypotheses of the case, or as many as it takes."""
        rivals = list(dict.fromkeys(hypothesis.text for hypothesis in self._store.hypotheses.all()))
        is_complete = set(hypotheses) == set(rivals)
        if is_complete or len(rivals) > AT_ONCE or not set(hypotheses) <= set(rivals) or rivals == self._too_long:
            rivals = list(hypotheses)
        try:
            answers = judge.judge(passage, rivals)
        except BadInput:  # the passage or one of them is too long for it
            if is_complete:
                self._too_long = rivals
            if is_complete or rivals == list(hypotheses):
                raise
            self._too_long = rivals
            rivals = list(hypotheses)
            answers = judge.judge(passage, rivals)
        _refuse_nonsense(judge, answers, len(rivals))
        by_text = dict(zip(rivals, answers, strict=True))
        return [by_text[text] for text in hypotheses]

    def verdicts_on(
        self, judge: Judge, model: str, passage: Chunk, proposals: Sequence[Proposal], hypotheses: Mapping[str, str]
    ) -> dict[str, tuple[Verdict, str]]:
        """Ask a model about a passage for these proposals, each with its own words on the quote that stands.

        It reads what the first verdict was given on: the window, or the windows, that the quote lies in.
        """
        if not proposals:
            return {}
        about_now = {p.hypothesis: hypotheses[p.hypothesis] for p in proposals}

        def read(text: str, texts: Sequence[str]) -> list[Probabilities]:
            return self._probabilities(judge, model, text, texts, lambda: self.require_words(passage, about_now))

        spans, margin = sentences(passage.text), exam_results.margin_of(model)
        mind = prompt_injection.sentence(passage.text, prompt_injection.find(passage.text))
        parts = windows(passage.text, self._furniture(self._store.pages.by_id(passage.page_id), passage))
        by_stretch: dict[Span, list[tuple[Span, Proposal]]] = {}
        for proposal in proposals:
            quote = Span(proposal.quote.start - passage.start, proposal.quote.end - passage.start)
            by_stretch.setdefault(_stretch_of(quote, parts), []).append((quote, proposal))
        verdicts = {}
        for stretch, those in by_stretch.items():
            texts = list(dict.fromkeys(hypotheses[proposal.hypothesis] for _, proposal in those))
            answers = dict(zip(texts, read(passage.text[stretch.start : stretch.end], texts), strict=True))
            for quote, proposal in those:
                about = hypotheses[proposal.hypothesis]

                def ask(text: str, about: str = about) -> Probabilities:
                    return read(text, [about])[0]

                verdict = Verdict(classify.label(answers[about], margin), answers[about], model)
                if quote == stretch:
                    choice = classify.chosen(spans, quote, verdict)
                else:
                    choice = classify.weigh(passage.text, spans, quote, verdict.label, ask)
                words = classify.explanation(
                    verdict.label,
                    verdict.probabilities,
                    choice,
                    proposal.quote.text,
                    about,
                    before=passage.text[: quote.start],
                    mind=mind,
                )
                verdicts[proposal.id] = (verdict, words)
        return verdicts
