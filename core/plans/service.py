"""Searching for hypotheses: plans with as much effort against each as for it, what would tell them apart, who and what
the case is about, and how much was probably missed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core import matrix as matrices
from core.domain import (
    DEFAULT_RULE,
    Changes,
    Chunk,
    Hypothesis,
    Passage,
    PlanQuery,
    Probabilities,
    Proposal,
    Relevance,
    Searched,
)
from core.errors import BadInput, ModelMissing
from core.plans import discrimination
from core.plans import elusion as missing
from core.plans import queries as planning
from core.progress import Progress, silent
from core.search import ranking
from core.search.service import PER_DOCUMENT
from core.text import digest
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.matrix.service import MatrixService
    from core.open_case import OpenCase
    from core.search.embedding_index import EmbeddingIndex
    from core.search.service import Search
    from core.verdicts.policy import VerdictPolicy


PASSAGES = 30  # looked at for each hypothesis, half of them for what speaks against it

_AROUND = 100  # passages near each hypothesis that are weighed when hypotheses are told apart


@dataclass(frozen=True, slots=True)
class PlanResult:
    """What the searches of one hypothesis's plan found together: ``passages`` in the order in which they are to be
    looked at, with what found each; ``notes`` of the searches.
    """

    hypothesis: str
    searches: tuple[PlanQuery, ...]
    passages: tuple[Passage, ...]
    origins: tuple[planning.PlannedPassage, ...]
    hits: tuple[tuple[PlanQuery, tuple[int, ...]], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effort:
    """How much was done for one hypothesis: searches for what speaks for it and against it, passages looked at, and how
    the judge took them. ``fair`` is False where another hypothesis had more passages looked at; then ``uneven`` says by
    how many, in words.
    """

    hypothesis: str
    searches_for: int
    searches_against: int
    passages: int
    supports: int
    contradicts: int
    neutral: int
    ambiguous: int
    fair: bool = True
    uneven: str = ""


@dataclass(frozen=True, slots=True)
class DiscriminatingPassage:
    """A passage that may tell two hypotheses apart; see core.plans.discrimination.Discrimination.

    ``verdicts`` has what the judge said of it, ``outcome`` what would follow were it rated so, None where hypotheses
    are rated on different rows; ``evidence`` is the row that quotes it already.
    """

    passage: Chunk
    pair: tuple[str, str]
    leans: str
    strength: float
    effect: float
    judged: bool
    verdicts: tuple[tuple[str, Probabilities], ...] = ()
    outcome: discrimination.Outcome | None = None
    evidence: str = ""


class SearchPlans:
    """The search plan of each hypothesis, the effort spent, and what would tell hypotheses apart."""

    def __init__(
        self, case: OpenCase, index: EmbeddingIndex, search: Search, verdicts: VerdictPolicy, matrix: MatrixService
    ) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._search = search
        self._verdicts = verdicts
        self._matrix = matrix

    def get(self, hypothesis: str | None = None) -> list[PlanQuery]:
        """The searches planned for one hypothesis, or for all."""
        return self._store.plans.queries(hypothesis)

    def make(self, hypotheses: Sequence[str] | None = None) -> Changes:
        """Plan the searches anew from templates, as one decision; what the analyst wrote stays. Raises NoSuchItem."""
        chosen = self.chosen(hypotheses)
        made = [query for queries in self.templates(chosen) for query in queries]
        self._store.plans.set(made, hypotheses=[hypothesis.id for hypothesis in chosen])
        return Changes(hypotheses=True)

    def templates(self, hypotheses: Sequence[Hypothesis]) -> Iterator[list[PlanQuery]]:
        """The searches that each of ``hypotheses`` is begun with."""
        everything = self._store.hypotheses.all()
        entities = self._store.entities.all("confirmed")
        expected: dict[str, list[str]] = {}
        for consideration in self._store.considerations.all("indicator"):
            if consideration.status == "open":
                expected.setdefault(consideration.hypothesis, []).append(consideration.query or consideration.text)
        for row in self._store.evidence.all():
            if row.absence is not None:
                expected.setdefault(row.absence.hypothesis, []).extend(row.absence.queries)
        for hypothesis in hypotheses:
            words = ranking.terms(hypothesis.text)
            yield planning.templates(
                hypothesis,
                [rival for rival in everything if rival.id != hypothesis.id],
                expected=list(dict.fromkeys(expected.get(hypothesis.id, ()))),
                entities=entities,
                words=words,
                frequency=self._store.words.document_frequency(words),
            )

    def add(self, hypothesis: str, role: str, text: str) -> PlanQuery:
        """Raises NoSuchItem, BadInput."""
        return self._store.plans.add(hypothesis, role, text)

    def edit(self, query: str, text: str) -> Changes:
        self._store.plans.edit(query, text)
        return Changes(hypotheses=True)

    def remove(self, *queries: str) -> Changes:
        self._store.plans.remove(*queries)
        return Changes(hypotheses=True)

    def run(
        self,
        hypotheses: Sequence[str] | None = None,
        *,
        passages: int | Mapping[str, int] = PASSAGES,
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
        without: Mapping[str, Collection[int]] | None = None,
        progress: Progress | None = None,
    ) -> list[PlanResult]:
        """Run the plans of hypotheses together; one that has none yet is searched by its templates.

        Every hypothesis gets ``passages`` passages (a mapping gives each its own number), half of them from searches
        for what speaks against it; none of those that ``without`` has for it. Raises NoSuchItem.
        """
        chosen = self.chosen(hypotheses)
        left_out = {h.id: set((without or {}).get(h.id, ())) for h in chosen}
        most = {h.id: passages if isinstance(passages, int) else passages.get(h.id, PASSAGES) for h in chosen}
        plans = {h.id: self._store.plans.queries(h.id) for h in chosen}
        without_plan = [h for h in chosen if not plans[h.id]]
        plans |= {h.id: made for h, made in zip(without_plan, self.templates(without_plan), strict=True)}
        searches = [query for h in chosen for query in plans[h.id]]
        further = max((len(chunks) for chunks in left_out.values()), default=0)
        against = sum(query.role in planning.AGAINST for query in searches)
        (progress or silent()).step(
            0, 0, f"Running {len(searches)} searches, {against} of them for what speaks against a hypothesis"
        )
        results = self._search.search_many(
            [query.text for query in searches],
            k=max(most.values(), default=0) + further,
            min_similarity=min_similarity,
            per_document=per_document,
        )
        made = []
        told = iter(results)  # in the order of the searches: first those of the first hypothesis
        for hypothesis in chosen:
            mine = [(query, next(told)) for query in plans[hypothesis.id]]
            by_chunk = {p.chunk: p for _, result in reversed(mine) for p in reversed(result.passages)}
            ranked = [(q, tuple(p.chunk for p in result.passages)) for q, result in mine]
            found = planning.merge(
                [(q.role, chunks) for q, chunks in ranked], most[hypothesis.id], without=left_out[hypothesis.id]
            )
            # What the search for the hypothesis itself has to say; the others would say it again in other words.
            own = mine[0][1]
            notes = own.notes if own.passages or not found else ()
            made.append(
                PlanResult(
                    hypothesis.id,
                    tuple(q for q, _ in mine),
                    tuple(by_chunk[one.chunk] for one in found),
                    tuple(found),
                    tuple(ranked),
                    notes,
                )
            )
        return made

    def note_effort(
        self,
        results: Sequence[PlanResult],
        labels: Mapping[tuple[str, int], str],
        before: Collection[tuple[str, int]] = (),
    ) -> None:
        """Keep which searches were run and what came of them. ``labels`` has the judge's word for (hypothesis, chunk);
        a passage is fresh to the first search that found it, unless it is in ``before``: looked at in an earlier run.
        """
        searched = []
        at = self._store.db.now()
        known: dict[str, set[int]] = {}
        for hypothesis, chunk in before:
            known.setdefault(hypothesis, set()).add(chunk)
        for result in results:
            seen = set(known.get(result.hypothesis, ()))
            chosen = {one.chunk for one in result.origins}
            for query, chunks in result.hits:
                looked = [chunk for chunk in chunks if chunk in chosen]
                told = [labels.get((result.hypothesis, chunk), "") for chunk in looked]
                fresh = [chunk for chunk in looked if chunk not in seen]
                seen.update(fresh)
                searched.append(
                    Searched(
                        *(at, result.hypothesis, query.role, query.text, len(looked), len(fresh)),
                        *(told.count("supports"), told.count("contradicts")),
                    )
                )
        self._store.plans.note_searches(searched)

    def runs(self, hypothesis: str | None = None) -> list[Searched]:
        """Every search that was run for a hypothesis, or for all, in order."""
        return self._store.plans.searches(hypothesis)

    def effort(self, proposals: Sequence[Proposal] | None = None) -> list[Effort]:
        """For every hypothesis how much was done to find what speaks for it and against it. ``proposals`` are all of
        the case, where somebody has them in hand.
        """
        run: dict[str, list[str]] = {}
        for search in self._store.plans.searches():
            run.setdefault(search.hypothesis, []).append(search.role)
        looked: dict[str, dict[int, str]] = {hypothesis.id: {} for hypothesis in self._store.hypotheses.all()}
        for proposal in self._verdicts.proposals() if proposals is None else proposals:
            if proposal.hypothesis in looked:
                looked[proposal.hypothesis][proposal.chunk] = proposal.shown_label
        most = max((len(chunks) for chunks in looked.values()), default=0)
        uneven = planning.effort_gaps({hypothesis: len(chunks) for hypothesis, chunks in looked.items()})
        made = []
        for hypothesis, chunks in looked.items():
            roles = run.get(hypothesis, [])
            labels = list(chunks.values())
            made.append(
                Effort(
                    hypothesis,
                    sum(role in planning.FOR for role in roles),
                    sum(role in planning.AGAINST for role in roles),
                    len(chunks),
                    labels.count("supports"),
                    labels.count("contradicts"),
                    labels.count("neutral"),
                    labels.count("ambiguous"),
                    len(chunks) == most,
                    uneven.get(hypothesis, ""),
                )
            )
        return made

    def chosen(self, hypotheses: Sequence[str] | None) -> list[Hypothesis]:
        everything = self._store.hypotheses.all()
        if hypotheses is None:
            return everything
        for identity in hypotheses:
            self._store.hypotheses.get(identity)
        return [hypothesis for hypothesis in everything if hypothesis.id in set(hypotheses)]

    def discriminating(self, limit: int = 30, *, pair: tuple[str, str] | None = None) -> list[DiscriminatingPassage]:
        """The passages that would tell hypotheses apart best, those first from which the matrix would learn most now.

        Weighed are the passages nearest to each hypothesis and all that were looked at, by what the judge said of them
        where it did, else by their nearness. Raises ModelMissing without a search model, NoSuchItem, BadInput.
        """
        chosen = self.chosen(pair)
        if len(chosen) < 2:
            raise BadInput(
                reason="It takes at least two hypotheses to discriminate between them.",
                remedy="Write at least one rival hypothesis.",
            )
        embedder = self._index.embedder()
        if embedder is None:
            raise ModelMissing(role="search", path="the models folder", effect="passages cannot be compared")
        vectors = embedder.embed_queries([hypothesis.text for hypothesis in chosen])
        results = self._search.search_many([hypothesis.text for hypothesis in chosen], k=_AROUND)
        weighed = {p.chunk for result in results for p in result.passages}
        ids = [hypothesis.id for hypothesis in chosen]
        weighed |= {p.chunk for p in self._store.proposals.all() if p.hypothesis in ids and p.status != "rejected"}
        chunks = self._store.pages.chunks(sorted(weighed))
        near = {
            h: self._store.vectors.cosines(embedder.fingerprint, v, list(chunks))
            for h, v in zip(ids, vectors, strict=True)
        }
        similarity = {chunk: {h: near[h][chunk] for h in ids if chunk in near[h]} for chunk in chunks}
        matrix = self._matrix.compute()
        penalties = discrimination.penalties_of(matrix, DEFAULT_RULE)
        verdicts = self._known_verdicts(self._store.hypotheses.all(), chunks)
        found = discrimination.separations(ids, similarity, verdicts, penalties, each=limit)
        quoted: dict[int, list[tuple[int, int, str]]] = {}
        for row in self._store.evidence.all():
            if row.page_id is not None and row.start is not None and row.end is not None:
                quoted.setdefault(row.page_id, []).append((row.start, row.end, row.id))
        judge = self._open.engines.judge
        margin = None if judge is None else self._verdicts.margin_of(judge.fingerprint)
        made = []
        for one in discrimination.best(found, limit, discrimination.weights(ids, penalties)):
            chunk, told = chunks[one.chunk], verdicts.get(one.chunk, {})
            ratings = {h: rating for h, p in told.items() if (rating := classify.rating_for(classify.label(p, margin)))}
            # What would follow can be said only where this row, or those rated so far, compare all hypotheses.
            compared = penalties is not None or set(ratings) == set(matrix.hypotheses)
            made.append(
                DiscriminatingPassage(
                    *(chunk, one.pair, one.leans, one.strength, one.effect, one.judged),
                    tuple(told.items()),
                    discrimination.outcome(matrix.hypotheses, penalties or {}, ratings, matrices.PENALTY, matrices.rank)
                    if one.judged and compared
                    else None,
                    next((e for s, t, e in quoted.get(chunk.page_id, ()) if chunk.start <= s and t <= chunk.end), ""),
                )
            )
        return made

    def _known_verdicts(
        self, hypotheses: Sequence[Hypothesis], chunks: Mapping[int, Chunk]
    ) -> dict[int, dict[str, Probabilities]]:
        judge = self._open.engines.judge
        if judge is None:
            return {}
        asked = {h.id: digest(h.text) for h in hypotheses}
        passages = {chunk: digest(kept.text) for chunk, kept in chunks.items()}
        known = self._store.verdicts.get(judge.fingerprint, [(p, h) for p in passages.values() for h in asked.values()])
        shown = self._verdicts.shown_by(judge.fingerprint) if self._store.settings.get().strict else lambda _: True
        return {
            chunk: {
                h: known[passage, key]
                for h, key in asked.items()
                if (passage, key) in known and shown(known[passage, key])
            }
            for chunk, passage in passages.items()
        }

    def elusion_sample(self, hypothesis: str, size: int = 20) -> list[Chunk]:
        """Passages that nobody looked at for a hypothesis and nobody judged yet, to be judged by a person."""
        next_ranked, others, _ = self._unread(hypothesis)
        judged = {one.chunk for one in self._store.plans.relevances(hypothesis) if one.by == self._store.who}
        drawn = missing.sample(next_ranked, others, size + len(judged), seed=hypothesis)
        wanted = [chunk for chunk in drawn if chunk not in judged][:size]
        return list(self._store.pages.chunks(wanted).values())

    def judge_relevance(self, hypothesis: str, chunk: int, relevant: bool | None) -> Changes:
        """Say whether a passage bears on a hypothesis; None takes it back. Raises NoSuchItem, BadInput."""
        self._store.plans.judge_relevance(hypothesis, chunk, relevant)
        return Changes(hypotheses=True)

    def relevances(self, hypothesis: str | None = None) -> list[Relevance]:
        return self._store.plans.relevances(hypothesis)

    def elusion(self, hypothesis: str) -> missing.ElusionEstimate:
        """How many relevant passages were probably missed, from what people judged of the sample. Raises NoSuchItem."""
        next_ranked, others, found = self._unread(hypothesis)
        told: dict[int, bool] = {}
        for one in self._store.plans.relevances(hypothesis):
            told[one.chunk] = told.get(one.chunk, False) or one.relevant
        first = set(next_ranked[: missing.NEXT])

        def stratum(chunks: Collection[int]) -> missing.Stratum:
            judged = [told[chunk] for chunk in chunks if chunk in told]
            return missing.Stratum(len(chunks), len(judged), sum(judged))

        return missing.estimate(found, [stratum(first), stratum(set(others) - first)])

    def elusion_if_judged(self, hypothesis: str) -> missing.ElusionEstimate | None:
        return self.elusion(hypothesis) if self._store.plans.relevances(hypothesis) else None

    def _unread(self, hypothesis: str) -> tuple[list[int], list[int], int]:
        """Passages nobody looked at for a hypothesis: those the search ranks next, all of them; and how many of those
        looked at bear on it (judged for or against, and not rejected).
        """
        # Ranked by words alone: the same case gives the same estimate on a computer without the search model.
        text = self._store.hypotheses.get(hypothesis).text
        proposals = self._store.proposals.all(hypothesis=hypothesis)
        looked = {p.chunk for p in proposals}
        found = {p.chunk for p in proposals if p.status == "accepted"} | {
            p.chunk for p in proposals if p.status == "pending" and p.verdict.label in ("supports", "contradicts")
        }
        depth = missing.NEXT + len(looked)
        ranked = self._search.passages_for(text, k=depth, per_document=depth, mode="lexical").passages
        included = [d.id for d in self._store.documents.all() if d.included]
        every = [chunk for document in included for chunk in self._store.pages.chunk_ids(document)]
        return [p.chunk for p in ranked if p.chunk not in looked], [c for c in every if c not in looked], len(found)
