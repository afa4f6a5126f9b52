"""What becomes of verdicts: shown or held back, read again by another model, decided, held against people's ratings.

Both verdicts of two models are kept, and neither counts: only a person's decision makes evidence or a rating.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core import matrix as matrices
from core.domain import (
    DEFAULT_RULE,
    SECOND_READER,
    Changes,
    Chunk,
    Hypothesis,
    OtherVerdict,
    Passage,
    Proposal,
    Quote,
    Suggestion,
    Verdict,
)
from core.errors import AppError, ModelMissing, ModelUnreadable, NoSuchItem
from core.language.identification import has_running_text, is_known, read_as_english
from core.plans import discrimination
from core.plans.service import PlanResult
from core.ports import Judge
from core.progress import Cancelled, Progress, silent
from core.review import cascade
from core.review.judging import (
    AT_ONCE,
    Pair,
    PassageJudging,
    ProposeReport,
    Skipping,
    WordsChanged,
    _as_far,
    _not_judged,
    _one_sided,
    _where,
)
from core.search.service import PER_DOCUMENT
from core.verdicts import agreement as agreeing
from core.verdicts import exam_results
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.evidence.service import EvidenceService
    from core.matrix.service import MatrixService
    from core.open_case import OpenCase
    from core.plans.service import SearchPlans
    from core.search.embedding_index import EmbeddingIndex
    from core.search.service import Search
    from core.verdicts.policy import VerdictPolicy


PLANNED = 30  # passages for each hypothesis that searches bring where nobody says how many
MOST_READ = 20_000  # passages of a case, up to which all of them are read
_CHUNKS_AT_ONCE = 256
_FEW, _SOON = 40, 10.0  # pairs, and seconds, after which the time left can be told

Keep = Callable[[Mapping[str, tuple[Verdict, str]]], None]


@dataclass(frozen=True, slots=True)
class Accepted:
    """Proposals that became evidence: (evidence id, proposal id) pairs."""

    pairs: tuple[tuple[str, str], ...]
    changes: Changes = Changes(proposals=True, evidence=True, matrix=True)


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Verdicts that were read again, as they are now.

    ``model`` did it; ``disputed`` of them have another label than they had; ``notes`` say what could not be read.
    """

    proposals: tuple[Proposal, ...]
    model: str
    disputed: int
    seconds: float
    notes: tuple[str, ...] = ()
    changes: Changes = Changes(proposals=True)


class _Clock:
    """The time that a reading takes, and what of it is left."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._began = time.monotonic()

    def left(self, count: int) -> str:
        """Return ' · 14 min left' once that can be told, else ''."""
        elapsed = time.monotonic() - self._began
        if count < _FEW or elapsed < _SOON:
            return ""
        seconds = elapsed / count * (self._total - count)
        return f" · {seconds / 60:.0f} min left" if seconds >= 90 else f" · {max(1, round(seconds / 10)) * 10} s left"


def _pairs(chunk: Chunk, hypotheses: Sequence[Hypothesis], cosines_of: Sequence[Mapping[int, float]]) -> list[Pair]:
    """Return a passage with each hypothesis, by how near it is to it."""
    place = (0, chunk.id, chunk.page_id, chunk.document, chunk.name, chunk.page, chunk.start, chunk.end, chunk.text)
    return [
        (
            hypothesis,
            Passage(*place, *(0.0, None, None, cosines.get(chunk.id), "low"), source=chunk.source, title=chunk.title),
        )
        for hypothesis, cosines in zip(hypotheses, cosines_of, strict=True)
    ]


def _measured(pairs: Sequence[Pair], languages: Mapping[str, str], unmeasured: dict[int, str]) -> list[Pair]:
    """Return the pairs in the language that the judge was measured in.

    All are of one passage. ``languages`` are those of documents; a passage in another one goes into ``unmeasured``.
    """
    passage = pairs[0][1]
    if language := classify.foreign_language(passage.text, "", languages.get(passage.document, "")):
        unmeasured[passage.chunk] = language
        return []
    return [pair for pair in pairs if not classify.foreign_language("", pair[0].text)]


class Review:
    """The judging of passages, and the deciding on the proposals that come of it."""

    def __init__(
        self,
        case: OpenCase,
        index: EmbeddingIndex,
        search: Search,
        verdicts: VerdictPolicy,
        evidence: EvidenceService,
        matrix: MatrixService,
        plans: SearchPlans,
    ) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._search = search
        self._verdicts = verdicts
        self._evidence = evidence
        self._matrix = matrix
        self._plans = plans
        self._judging = PassageJudging(case, verdicts)

    def propose(
        self,
        hypotheses: Sequence[str] | None = None,
        *,
        passages: int | Mapping[str, int] | None = None,
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
        fresh: bool = False,
        rows: bool = False,
        everything: bool = False,
        progress: Progress | None = None,
    ) -> ProposeReport:
        """Find passages for each hypothesis, have them judged, and keep a proven quote of each as a proposal.

        The searches are those of each hypothesis's plan. Without a number of ``passages`` they order the
        reading: the ``PLANNED`` best for each hypothesis come first, then all others of the documents in use,
        of which those are kept that speak for or against a hypothesis. In a case of more than ``MOST_READ``
        passages (unless ``everything``), and with a number, only the passages that the searches bring are read.
        With ``fresh`` only passages come that were not looked at for it before, ``passages`` of them. With
        ``rows`` a passage is judged for all of these hypotheses, not only for those whose searches brought it.
        Verdicts are kept as they come: a cancelled run loses nothing and a repeated one asks the model nothing
        twice. The judge loads beside the searches; one without an exam sits it then.

        Raises ModelMissing without a judge, BadInput for one that failed its exam, NoSuchItem for unknown hypotheses.
        """
        progress = progress or silent()
        began = time.monotonic()
        selection = self._plans.selection(hypotheses)
        if not selection:
            return ProposeReport((), 0, 0.0, ("The case has no hypotheses yet: add at least two rival ones.",))
        self._judging.start_judge()
        with suppress(ModelMissing, ModelUnreadable):  # the searches go on by words, and say so
            self._index.fill(progress)
        notes: list[str] = []
        work: dict[int, list[Pair]] = {}
        seen_chunks: dict[str, set[int]] = {}
        if fresh:
            for proposal in self._store.proposals.all():
                seen_chunks.setdefault(proposal.hypothesis, set()).add(proposal.chunk)
            per_document += max((len(seen_chunks.get(hypothesis.id, ())) for hypothesis in selection), default=0)
        results = self._plans.run(
            [hypothesis.id for hypothesis in selection],
            passages=PLANNED if passages is None else passages,
            min_similarity=min_similarity,
            per_document=per_document,
            without=seen_chunks,
            progress=progress,
        )
        for hypothesis, result in zip(selection, results, strict=True):
            notes += [f"{hypothesis.id}: {note}" for note in result.notes]
            for rank, passage in enumerate(result.passages, start=1):
                work.setdefault(passage.chunk, []).append((hypothesis, replace(passage, rank=rank)))
        every = self._plans.passages_in_use()
        is_whole = passages is None and not fresh and (everything or len(every) <= MOST_READ)
        if passages is None and not fresh and not is_whole:
            notes.append(
                f"The documents hold {len(every):,} passages, more than the {MOST_READ:,} that are read whole: only "
                "those that searches bring were read."
            )
        if rows or is_whole:
            self._complete_rows(work, selection)
        judge = self._judging.judge_in_use(progress)
        model = judge.fingerprint
        stored = self._store.proposals.all()
        earlier = {(proposal.hypothesis, proposal.chunk) for proposal in stored}
        quotes_before = [(proposal.id, proposal.quote) for proposal in stored]
        ids = {proposal.id for proposal in stored}
        proposals: list[Proposal] = []
        skipping = Skipping(judge)
        unmeasured: dict[int, str] = {}  # languages, by passage
        languages = {document.id: document.language for document in self._store.documents.all()}
        unread = self._by_nearness([pair for pair in every if pair not in work], selection) if is_whole else []
        total = sum(len(pairs) for pairs in work.values()) + len(unread) * len(selection)
        count = foreign = 0
        clock = _Clock(total)
        try:
            # Best passages first, so that the rows worth reading come first.
            for _, pairs_of_passage in sorted(
                work.items(), key=lambda item: (min(p.rank for _, p in item[1]), item[0])
            ):
                for start in range(0, len(pairs_of_passage), AT_ONCE):
                    pairs = pairs_of_passage[start : start + AT_ONCE]
                    foreign += len(pairs) - len(_measured(pairs, languages, unmeasured))
                    progress.step(count, total, f"Judging {_where(pairs[0][1])}{clock.left(count)}")
                    new = self._judging.keep_verdicts(skipping, judge, model, pairs, quotes_before, progress)
                    quotes_before += [(proposal.id, proposal.quote) for proposal in new if proposal.id not in ids]
                    ids.update(proposal.id for proposal in new)
                    proposals += new
                    count += len(pairs)
            for start in range(0, len(unread), _CHUNKS_AT_ONCE):
                chunks = self._store.pages.chunks(unread[start : start + _CHUNKS_AT_ONCE])
                cosines_of = self._search.similarity([hypothesis.text for hypothesis in selection], list(chunks))
                for chunk in chunks.values():
                    pairs = _pairs(chunk, selection, cosines_of)
                    progress.step(count, total, f"Reading {_where(pairs[0][1])}{clock.left(count)}")
                    measured = _measured(pairs, languages, unmeasured)
                    foreign += len(pairs) - len(measured)
                    new = self._judging.keep_verdicts(
                        *(skipping, judge, model, measured, quotes_before, progress),
                        only_speaking=True,
                    )
                    quotes_before += [(proposal.id, proposal.quote) for proposal in new if proposal.id not in ids]
                    ids.update(proposal.id for proposal in new)
                    proposals += new
                    count += len(pairs)
            if is_whole:
                self._plans.note_reading(selection, len(every) - len(unmeasured), self._in_english(proposals))
        except (Cancelled, AppError):
            self._note_judged([_as_far(result, proposals) for result in results], proposals, earlier)
            raise
        self._note_judged(results, proposals, earlier)
        notes += [*_not_judged(selection, unmeasured.values()), *skipping.notes(selection)]
        unknown = {
            p.quote.document
            for p in proposals
            if p.chunk not in unmeasured
            and not is_known(p.quote.text, languages.get(p.quote.document, ""))
            and has_running_text(p.quote.text)
        }
        notes += read_as_english([d.name for d in self._store.documents.all() if d.id in unknown])
        progress.step(total, total, "Passages judged")
        order = {hypothesis.id: index for index, hypothesis in enumerate(selection)}
        proposals.sort(key=lambda proposal: (order[proposal.hypothesis], int(proposal.id[1:])))
        if not self._store.settings.get().blind:  # it would tell the verdicts that a person is not to see yet
            notes += _one_sided(self._in_english(proposals))
        return ProposeReport(
            tuple(proposals),
            total - foreign,
            time.monotonic() - began,
            tuple(notes),
            hypotheses=len(results),
            searches=sum(len(result.searches) for result in results),
            against=sum(origin.side == "against" for result in results for origin in result.origins),
            passages=sum(len(result.passages) for result in results),
            passages_read=(len(every) if is_whole else len(work)) - len(unmeasured),
            passages_total=len(every),
            passages_each=tuple(len(result.passages) for result in results),
            is_whole=is_whole,
            steps=tuple((query, len(chunks)) for result in results for query, chunks in result.hits),
        )

    def _in_english(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Return the proposals in the language that the judge was measured in."""
        return [p for p in self._verdicts.mark_languages(proposals) if not p.unmeasured_language]

    def _by_nearness(self, chunks: Sequence[int], hypotheses: Sequence[Hypothesis]) -> list[int]:
        """Return passages in the order of how near they are to any hypothesis; by number where nothing tells."""
        nearest: dict[int, float] = {}
        for cosines in self._search.similarity([hypothesis.text for hypothesis in hypotheses], chunks):
            for chunk, cosine in cosines.items():
                nearest[chunk] = max(cosine, nearest.get(chunk, -1.0))
        return sorted(chunks, key=lambda chunk: (-nearest.get(chunk, -1.0), chunk))

    def _complete_rows(self, work: dict[int, list[Pair]], hypotheses: Sequence[Hypothesis]) -> None:
        """Add to the pairs of each passage the hypotheses whose searches did not bring it."""
        cosines_of = self._search.similarity([hypothesis.text for hypothesis in hypotheses], list(work))
        for chunk, pairs in work.items():
            passage, present = pairs[0][1], {hypothesis.id for hypothesis, _ in pairs}
            pairs += [
                (h, replace(passage, similarity=cosines.get(chunk), vector_rank=None, lexical_rank=None))
                for h, cosines in zip(hypotheses, cosines_of, strict=True)
                if h.id not in present
            ]

    def _note_judged(
        self, results: Sequence[PlanResult], proposals: Sequence[Proposal], earlier: Collection[tuple[str, int]]
    ) -> None:
        """Keep what was searched and what the judge said of it."""
        labels = {(p.hypothesis, p.chunk): str(p.verdict.label) for p in self._in_english(proposals)}
        self._plans.note_effort(results, labels, earlier)

    def balance_effort(
        self, hypotheses: Sequence[str] | None = None, *, progress: Progress | None = None
    ) -> ProposeReport:
        """Look at as many passages for each of these hypotheses as for the one that had the most looked at.

        Raises ModelMissing without a judge, NoSuchItem.
        """
        ids = {hypothesis.id for hypothesis in self._plans.selection(hypotheses)}
        passages = {effort.hypothesis: effort.passages for effort in self._plans.effort()}
        largest = max(passages.values(), default=0)
        fewer = {h: largest - number for h, number in passages.items() if h in ids and number < largest}
        if not fewer:
            return ProposeReport((), 0, 0.0, ("Every hypothesis had the same number of passages looked at.",))
        return self.propose(list(fewer), passages=fewer, fresh=True, progress=progress)

    def judge_passage(
        self,
        chunk: int,
        hypotheses: Sequence[str] | None = None,
        *,
        quoted: Sequence[tuple[str, Quote]] | None = None,
        progress: Progress | None = None,
    ) -> ProposeReport:
        """Have one passage judged for these hypotheses, or for all, and keep a proven quote of it for each.

        As a proposal, as ``propose`` does; what the judge said before is not asked again. ``quoted`` are the quotes of
        all proposals, for whoever has many passages judged. A judge without an exam sits it first, which ``progress``
        tells. Raises ModelMissing without a judge, NoSuchItem for an unknown hypothesis or passage.
        """
        began = time.monotonic()
        selection = self._plans.selection(hypotheses)
        judge = self._judging.judge_in_use(progress)
        chunks = self._store.pages.chunks([chunk])
        if not chunks:
            raise NoSuchItem(kind="passage", id=str(chunk), listing="search")
        passage = chunks[chunk]
        cosines_of = self._search.similarity([hypothesis.text for hypothesis in selection], [chunk])
        pairs = _pairs(passage, selection, cosines_of)
        quotes_before = self.quotes() if quoted is None else quoted
        skipping = Skipping(judge)
        unmeasured: dict[int, str] = {}
        _measured(pairs, {passage.document: self._store.documents.get(passage.document).language}, unmeasured)
        proposals = self._judging.keep_verdicts(
            skipping, judge, judge.fingerprint, pairs, quotes_before, progress or silent()
        )
        notes = (*_not_judged(selection, unmeasured.values()), *skipping.notes(selection))
        return ProposeReport(tuple(proposals), len(pairs), time.monotonic() - began, notes)

    def quotes(self) -> list[tuple[str, Quote]]:
        """List the quotes of all proposals, each with its proposal."""
        return [(proposal.id, proposal.quote) for proposal in self._store.proposals.all()]

    def judge_missing(self) -> str:
        """Return in one line that no passage can be judged, '' otherwise."""
        if self._open.engines.judge is not None:
            return ""
        return "No judging model is on this computer: everything else works, passages are rated by hand."

    def accept(self, proposals: Sequence[str], rate: bool = False) -> Accepted:
        """Make evidence of proposals.

        With ``rate`` the model's rating is kept beside it as a suggestion; nothing is suggested where two models
        disagree, or where a strict case does not show the verdict.
        """
        suggestions: list[Suggestion] = []
        if rate:
            moment = self._store.db.now()
            accepted = self._verdicts.proposals_of(dict.fromkeys(proposals))
            candidates = (classify.suggestion(p, p.id, moment) for p in accepted)
            suggestions = [suggestion for suggestion in candidates if suggestion is not None]
        return Accepted(tuple(self._store.proposals.accept(list(proposals), suggestions=suggestions)))

    def reject(self, proposals: Sequence[str]) -> Changes:
        """Set proposals aside."""
        self._store.proposals.reject(list(proposals))
        return Changes(proposals=True)

    def by_other_models(self) -> list[Proposal]:
        """List what waits for a decision with a verdict of a model that is not in use, or on other words.

        Nothing without a judge.
        """
        if self._open.engines.judge is None:
            return []
        pending = self._verdicts.proposals(status="pending")
        models = self._verdicts.other_models({p.verdict.model for p in pending})
        return [p for p in pending if p.outdated or p.verdict.model in models]

    def close_or_decisive(self) -> list[cascade.RereadCandidate]:
        """List the verdicts that a second reader would be asked about now, and why; without those that it has read."""
        reader = self._open.engines.second_reader
        has_fingerprint = reader is not None and getattr(reader, "sandbox", True) is not None
        return self._to_read_again(reader.fingerprint if reader is not None and has_fingerprint else "")

    def _to_read_again(self, reader: str, limit: int = cascade.MOST) -> list[cascade.RereadCandidate]:
        proposals = [p for p in self._store.proposals.all() if p.verdict.model != reader]
        return cascade.choose(proposals, self._decisive(proposals), reader, limit=limit)

    def _decisive(self, proposals: Iterable[Proposal]) -> dict[str, str]:
        """Map the verdicts that the ranking depends on to why, in words.

        A rated cell that is a linchpin, an unrated one that could separate the leaders, and what would change the
        leaders were it taken as it is.
        """
        matrix = self._matrix.compute()
        cells = {
            (pin.evidence, pin.hypothesis): f"{pin.evidence}: {pin.sentence}" for pin in reversed(matrix.linchpins)
        }
        for gap in matrix.gaps:
            words = f"{gap.evidence} is not rated yet, and {matrices.both(gap.could_lead)} could then lead"
            cells.setdefault((gap.evidence, gap.hypothesis), words)
        rows: dict[tuple[int | None, int | None, int | None], str] = {
            (row.page_id, row.start, row.end): row.id for row in self._store.evidence.all() if row.page_id is not None
        }
        penalties = discrimination.penalties_of(matrix, DEFAULT_RULE)
        words_of = {}
        for proposal in proposals:
            quote = proposal.quote
            row = rows.get((quote.page_id, quote.start, quote.end), "")
            if row:
                stake = cells.get((row, proposal.hypothesis), "")
            else:
                stake = self._would_lead(proposal, matrix.hypotheses, penalties or {})
            if stake:
                words_of[proposal.id] = stake
        return words_of

    @staticmethod
    def _would_lead(proposal: Proposal, hypotheses: Sequence[str], penalties: Mapping[str, float]) -> str:
        rating = classify.rating_for(proposal.verdict.label)
        if rating in (None, "N") or not penalties:
            return ""
        ratings = {proposal.hypothesis: rating}
        then = discrimination.outcome(hypotheses, penalties, ratings, matrices.PENALTY, matrices.rank)
        return f"taken as it stands, {matrices.both(then.leaders)} would lead" if then.changes_lead else ""

    def read_again(
        self, proposals: Sequence[str] | None = None, *, limit: int = cascade.MOST, progress: Progress | None = None
    ) -> ReadAgain:
        """Have the second reader judge these, or else the close and decisive ones; both verdicts are kept.

        What it said before is not asked again, and each passage is kept as it comes: a cancelled run loses nothing.
        Raises ModelMissing without a second reader, BadInput for one that failed its exam, NoSuchItem.
        """
        progress = progress or silent()
        with progress.asking():
            return self._read_again(proposals, limit, progress)

    def _read_again(self, proposals: Sequence[str] | None, limit: int, progress: Progress) -> ReadAgain:
        reader = exam_results.second_reader(self._open.engines, progress)
        if reader is None:
            raise ModelMissing(
                role="second reading", path="the roles of models", effect="no verdict can be read a second time"
            )
        self._verdicts.record_exam(reader.fingerprint)
        ids = proposals
        if ids is None:
            ids = [candidate.proposal for candidate in self._to_read_again(reader.fingerprint, limit)]

        def keep(verdicts: Mapping[str, tuple[Verdict, str]]) -> None:
            moment = self._store.db.now()
            self._store.proposals.put_other_verdicts(
                [OtherVerdict(p, SECOND_READER, *verdict, moment) for p, verdict in verdicts.items()]
            )

        return self._judge_again(reader, [self._store.proposals.get(identity) for identity in ids], keep, progress)

    def judge_again(self, proposals: Sequence[str] | None = None, *, progress: Progress | None = None) -> ReadAgain:
        """Have the judge in use judge these, or else all that wait for a decision with the verdict of another one.

        Its verdict takes the place of the one before, which is kept beside it; the quote stays. Raises ModelMissing
        without a judge, BadInput for one that failed its exam, NoSuchItem.
        """
        progress = progress or silent()
        with progress.asking():
            judge = self._judging.judge_in_use(progress)
            if proposals is None:
                pending = self.by_other_models()
            else:
                pending = [p for p in map(self._store.proposals.get, proposals) if p.status == "pending"]
            return self._judge_again(judge, pending, self._store.proposals.put_verdicts_again, progress)

    def _judge_again(self, judge: Judge, proposals: Sequence[Proposal], keep: Keep, progress: Progress) -> ReadAgain:
        began, model = time.monotonic(), judge.fingerprint
        passages: dict[int, list[Proposal]] = {}
        for proposal in proposals:
            passages.setdefault(proposal.chunk, []).append(proposal)
        notes: list[str] = []
        skipping = Skipping(judge)
        read: list[str] = []
        for chunk, waiting in passages.items():
            where = f"{waiting[0].name}, page {waiting[0].quote.page}"
            progress.step(len(read), len(proposals), f"Reading {where} again")
            try:
                verdicts, sentences = self._read_passage(judge, model, chunk, waiting, skipping, keep, progress)
            except WordsChanged:
                skipping.leave_out(where)
                continue
            notes += sentences
            read += verdicts
        notes += skipping.notes(self._store.hypotheses.all())
        progress.step(len(proposals), len(proposals), "Read again")
        earlier = {proposal.id: proposal.verdict.label for proposal in proposals}
        after = {proposal.id: proposal for proposal in self._verdicts.proposals() if proposal.id in set(read)}
        labels = {
            identity: next((o.verdict.label for o in p.others if o.verdict.model == model), p.verdict.label)
            for identity, p in after.items()
        }
        return ReadAgain(
            tuple(after.values()),
            model,
            sum(labels[identity] != earlier[identity] for identity in after),
            time.monotonic() - began,
            tuple(notes),
        )

    def _read_passage(
        self,
        judge: Judge,
        model: str,
        chunk: int,
        proposals: Sequence[Proposal],
        skipping: Skipping,
        keep: Keep,
        progress: Progress,
    ) -> tuple[list[str], list[str]]:
        """Have the passage of these proposals judged again: the ids of those that were, and notes on the others.

        Raises WordsChanged where the passage or a hypothesis was changed or taken out meanwhile.
        """
        passage = self._judging.standing(chunk)
        if passage is None:
            raise WordsChanged
        hypotheses = {hypothesis.id: hypothesis.text for hypothesis in self._store.hypotheses.all()}
        stored = {proposal.id: proposal for proposal in self._store.proposals.all() if proposal.chunk == chunk}
        waiting = [
            stored[proposal.id] for proposal in proposals if proposal.id in stored and proposal.hypothesis in hypotheses
        ]
        inside = [p for p in waiting if passage.start <= p.quote.start and p.quote.end <= passage.end]
        notes = [f"{p.id}: its quote is no longer in its passage." for p in waiting if p not in inside]

        def work(texts: Sequence[str]) -> dict[str, tuple[Verdict, str]]:
            part = [p for p in inside if hypotheses[p.hypothesis] in texts]
            with progress.asking():
                return self._judging.verdicts_on(judge, model, passage, part, hypotheses)

        about = list(dict.fromkeys(hypotheses[p.hypothesis] for p in inside))
        verdicts = skipping.read(f"{passage.name}, page {passage.page}", about, work)
        if verdicts is None:
            return [], notes
        with self._store.db.snapshot():
            self._judging.require_words(
                passage, {stored[id_].hypothesis: hypotheses[stored[id_].hypothesis] for id_ in verdicts}
            )
            keep(verdicts)
        return list(verdicts), notes

    def agreements(self, proposals: Sequence[Proposal] | None = None) -> list[agreeing.Agreement]:
        """Count how far each model that judged and the people of the case agree so far, that of the most ratings first.

        Where rating is blind, of colleagues only what they rated in cells that one has rated oneself. ``proposals`` are
        all of the case, if the caller has them.
        """
        if proposals is None:
            proposals = self._verdicts.proposals()
        return self._verdicts.agreements_of(self._store.evidence.all(), proposals, self._evidence.assessments())
