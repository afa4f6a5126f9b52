"""Searching for hypotheses: plans with as much effort against each as for it, and how much was probably missed.

Also what would tell hypotheses apart, and who and what the case is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core import matrix as matrices
from core.documents.copies import near_identical
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
from core.plans.passage_counts import passage_counts
from core.progress import Progress, silent
from core.search import ranking
from core.search.service import PER_DOCUMENT, SearchResult
from core.text import digest
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.matrix.service import MatrixService
    from core.open_case import OpenCase
    from core.search.embedding_index import EmbeddingIndex
    from core.search.service import Search
    from core.verdicts.policy import VerdictPolicy


PASSAGES = 30  # looked at for each hypothesis, half of them for what speaks against it


_DEEPER = (1, 2, 4, 8)  # times as many passages are searched for, where copies leave too few different ones

_AROUND = 100  # passages near each hypothesis that are weighed when hypotheses are told apart


@dataclass(frozen=True, slots=True)
class PlanResult:
    """The passages that the searches of one hypothesis's plan found together.

    ``passages`` are in the order in which they are to be looked at, ``origins`` say what found each, ``hits`` what
    each search found; ``notes`` are those of the searches.
    """

    hypothesis: str
    searches: tuple[PlanQuery, ...]
    passages: tuple[Passage, ...]
    origins: tuple[planning.PlannedPassage, ...]
    hits: tuple[tuple[PlanQuery, tuple[int, ...]], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effort:
    """The work that was done for one hypothesis.

    Searches for what speaks for it and against it, passages looked at, and how the judge took them. ``fair`` is False
    where another hypothesis had more passages looked at; then ``uneven`` says by how many, in words.
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

    ``verdicts`` has what the judge said of it, ``outcome`` what would follow were it rated so, None if hypotheses
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


def _placed(passage: Passage, place: Passage) -> Passage:
    """Return a passage as near as its copy was found to be."""
    if place.chunk == passage.chunk:
        return place
    return replace(passage, similarity=place.similarity, vector_rank=place.vector_rank, lexical_rank=place.lexical_rank)


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
        """Return the searches planned for one hypothesis, or for all."""
        return self._store.plans.queries(hypothesis)

    def make(self, hypotheses: Sequence[str] | None = None) -> Changes:
        """Plan the searches again from templates, as one decision; what the analyst wrote stays. Raises NoSuchItem."""
        selection = self.selection(hypotheses)
        plan = [query for queries in self.default_queries(selection) for query in queries]
        self._store.plans.set(plan, hypotheses=[hypothesis.id for hypothesis in selection])
        return Changes(hypotheses=True)

    def default_queries(self, hypotheses: Sequence[Hypothesis]) -> Iterator[list[PlanQuery]]:
        """Write the searches that each of ``hypotheses`` is begun with."""
        everything = self._store.hypotheses.all()
        entities = self._store.entities.all("confirmed")
        expectations: dict[str, list[str]] = {}
        for consideration in self._store.considerations.all("indicator"):
            if consideration.status == "open":
                expectations.setdefault(consideration.hypothesis, []).append(consideration.query or consideration.text)
        for row in self._store.evidence.all():
            if row.absence is not None:
                expectations.setdefault(row.absence.hypothesis, []).extend(row.absence.queries)
        for hypothesis in hypotheses:
            words = ranking.terms(hypothesis.text)
            yield planning.default_queries(
                hypothesis,
                [rival for rival in everything if rival.id != hypothesis.id],
                if_true=list(dict.fromkeys(expectations.get(hypothesis.id, ()))),
                entities=entities,
                words=words,
                frequency=self._store.words.document_frequency(words),
            )

    def add(self, hypothesis: str, role: str, text: str) -> PlanQuery:
        """Add a search of the analyst's own to a plan. Raises NoSuchItem, BadInput."""
        return self._store.plans.add(hypothesis, role, text)

    def edit(self, query: str, text: str) -> Changes:
        """Reword a planned search, which is the analyst's own from then on. Raises NoSuchItem, BadInput."""
        self._store.plans.edit(query, text)
        return Changes(hypotheses=True)

    def remove(self, *queries: str) -> Changes:
        """Take searches out of their plans, as one decision. Raises NoSuchItem."""
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

        Every hypothesis gets ``passages`` different passages (a mapping gives each its own number), half of them from
        searches for what speaks against it; none of those that ``without`` has for it, nor copies of them. Of
        near-identical passages one is taken, and the searches go deeper until there are enough. Raises NoSuchItem.
        """
        selection = self.selection(hypotheses)
        left_out = {h.id: set((without or {}).get(h.id, ())) for h in selection}
        limits = {h.id: passages if isinstance(passages, int) else passages.get(h.id, PASSAGES) for h in selection}
        plans = {h.id: self._store.plans.queries(h.id) for h in selection}
        without_plan = [h for h in selection if not plans[h.id]]
        plans |= {h.id: queries for h, queries in zip(without_plan, self.default_queries(without_plan), strict=True)}
        searches = [query for h in selection for query in plans[h.id]]
        further = max((len(chunks) for chunks in left_out.values()), default=0)
        against = sum(query.role in planning.AGAINST for query in searches)
        (progress or silent()).step(
            0, 0, f"Running {len(searches)} searches, {against} of them for what speaks against a hypothesis"
        )
        budget = max(limits.values(), default=0) + further
        for k in (budget * factor for factor in _DEEPER):
            results = self._search.search_many(
                [query.text for query in searches], k=k, min_similarity=min_similarity, per_document=per_document
            )
            plan_results = self._merge_results(selection, plans, results, limits, left_out)
            complete = {
                result.hypothesis for result in plan_results if len(result.passages) >= limits[result.hypothesis]
            }
            # What brought fewer passages than it was asked for has no more to bring.
            if all(
                query.hypothesis in complete or len(result.passages) < k
                for query, result in zip(searches, results, strict=True)
            ):
                break
        return plan_results

    def _merge_results(
        self,
        selection: Sequence[Hypothesis],
        plans: Mapping[str, Sequence[PlanQuery]],
        results: Sequence[SearchResult],
        limits: Mapping[str, int],
        left_out: Mapping[str, Collection[int]],
    ) -> list[PlanResult]:
        """Choose the passages for each hypothesis from what its searches found; of copies the first stands for all."""
        every = {p.chunk: p for result in reversed(results) for p in reversed(result.passages)}
        head_of = self._heads(results, left_out)
        plan_results = []
        ordered_results = iter(results)  # in the order of the searches: first those of the first hypothesis
        for hypothesis in selection:
            queries = [(query, next(ordered_results)) for query in plans[hypothesis.id]]
            # A passage is as near to this hypothesis as the first of its copies that was found for it.
            by_head: dict[int, Passage] = {}
            for _, result in queries:
                for p in result.passages:
                    by_head.setdefault(head_of[p.chunk], p)
            hits = [(q, tuple(dict.fromkeys(head_of[p.chunk] for p in result.passages))) for q, result in queries]
            origins = planning.merge(
                [(q.role, chunks) for q, chunks in hits],
                limits[hypothesis.id],
                without={head_of[chunk] for chunk in left_out[hypothesis.id] if chunk in head_of},
            )
            # What the search for the hypothesis itself has to say; the others would say it again in other words.
            own_words = queries[0][1]
            notes = own_words.notes if own_words.passages or not origins else ()
            passages = tuple(_placed(every[origin.chunk], by_head[origin.chunk]) for origin in origins)
            searches = tuple(q for q, _ in queries)
            plan_results.append(PlanResult(hypothesis.id, searches, passages, tuple(origins), tuple(hits), notes))
        return plan_results

    def _heads(self, results: Sequence[SearchResult], left_out: Mapping[str, Collection[int]]) -> dict[int, int]:
        """Map each passage that was found or is left out to the one that stands for its near-identical copies.

        That is one which was found: of these one that was judged before, where there is any, else the first.
        """
        hits = {p.chunk: p.text for result in results for p in result.passages}
        with_verdict = {proposal.chunk for proposal in self._store.proposals.all()}
        left_out_chunks = {chunk for chunks in left_out.values() for chunk in chunks} - set(hits)
        texts = {chunk: text for chunk, text in hits.items() if chunk in with_verdict} | hits
        texts |= {chunk: stretch.text for chunk, stretch in self._store.pages.chunks(sorted(left_out_chunks)).items()}
        chunks = list(texts)  # those that were found come first, so that each group with one of them begins with one
        return {chunks[index]: chunks[group[0]] for group in near_identical(list(texts.values())) for index in group}

    def note_effort(
        self,
        results: Sequence[PlanResult],
        labels: Mapping[tuple[str, int], str],
        known: Collection[tuple[str, int]] = (),
    ) -> None:
        """Keep which searches were run and what came of them.

        ``labels`` has the judge's word for (hypothesis, chunk); a passage is fresh to the first search that found it,
        unless it is in ``known``: looked at in an earlier run.
        """
        runs = []
        moment = self._store.db.now()
        earlier: dict[str, set[int]] = {}
        for hypothesis, chunk in known:
            earlier.setdefault(hypothesis, set()).add(chunk)
        for result in results:
            old = set(earlier.get(result.hypothesis, ()))
            selection = {origin.chunk for origin in result.origins}
            for query, chunks in result.hits:
                read_chunks = [chunk for chunk in chunks if chunk in selection]
                verdict_labels = [labels.get((result.hypothesis, chunk), "") for chunk in read_chunks]
                fresh = [chunk for chunk in read_chunks if chunk not in old]
                old.update(fresh)
                runs.append(
                    Searched(
                        *(moment, result.hypothesis, query.role, query.text, len(read_chunks), len(fresh)),
                        *(verdict_labels.count("supports"), verdict_labels.count("contradicts")),
                    )
                )
        self._store.plans.note_searches(runs)

    def note_reading(self, hypotheses: Sequence[Hypothesis], passages: int, proposals: Sequence[Proposal]) -> None:
        """Keep that every passage in use was read for these hypotheses, as they are worded now."""
        moment = self._store.db.now()
        labels = Counter((proposal.hypothesis, str(proposal.verdict.label)) for proposal in proposals)
        self._store.plans.note_searches(
            [
                Searched(
                    *(moment, hypothesis.id, planning.EVERYTHING, hypothesis.text, passages, 0),
                    *(labels[hypothesis.id, "supports"], labels[hypothesis.id, "contradicts"]),
                )
                for hypothesis in hypotheses
            ]
        )

    def passages_in_use(self) -> list[int]:
        """List the passages of all documents that are part of the case."""
        documents = [document.id for document in self._store.documents.all() if document.included]
        return [chunk for document in documents for chunk in self._store.pages.chunk_ids(document)]

    def runs(self, hypothesis: str | None = None) -> list[Searched]:
        """List every search that was run for a hypothesis, or for all, in order."""
        return self._store.plans.searches(hypothesis)

    def effort(self, proposals: Sequence[Proposal] | None = None) -> list[Effort]:
        """Measure for every hypothesis how much was done to find what speaks for it and against it.

        ``proposals`` are all of the case, if the caller has them.
        """
        run: dict[str, list[str]] = {}
        searches = self._store.plans.searches()
        for search in searches:
            run.setdefault(search.hypothesis, []).append(search.role)
        read = passage_counts(
            self._verdicts.proposals() if proposals is None else proposals,
            searches,
            {hypothesis.id: hypothesis.text for hypothesis in self._store.hypotheses.all()},
        )
        counts = {hypothesis: count.passages for hypothesis, count in read.items()}
        highest = max(counts.values(), default=0)
        uneven = planning.effort_gaps(counts)
        efforts = []
        for hypothesis, count in read.items():
            roles = run.get(hypothesis, [])
            efforts.append(
                Effort(
                    hypothesis,
                    sum(role in planning.FOR for role in roles),
                    sum(role in planning.AGAINST for role in roles),
                    count.passages,
                    count.labels.get("supports", 0),
                    count.labels.get("contradicts", 0),
                    count.labels.get("neutral", 0),
                    count.labels.get("ambiguous", 0),
                    counts[hypothesis] == highest,
                    uneven.get(hypothesis, ""),
                )
            )
        return efforts

    def selection(self, hypotheses: Sequence[str] | None) -> list[Hypothesis]:
        """Return the hypotheses with these ids in the order of the case; None: all. Raises NoSuchItem."""
        everything = self._store.hypotheses.all()
        if hypotheses is None:
            return everything
        for identity in hypotheses:
            self._store.hypotheses.get(identity)
        return [hypothesis for hypothesis in everything if hypothesis.id in set(hypotheses)]

    def discriminating(self, limit: int = 30, *, pair: tuple[str, str] | None = None) -> list[DiscriminatingPassage]:
        """Rank the passages that would tell hypotheses apart, by what the matrix would learn from each now.

        Weighed are the passages nearest to each hypothesis and all that were looked at, by what the judge said of them
        where it did, else by their nearness. Raises ModelMissing without a search model, NoSuchItem, BadInput.
        """
        hypotheses = self.selection(pair)
        if len(hypotheses) < 2:
            raise BadInput(
                reason="Diagnosticity takes at least two hypotheses.", remedy="Write at least one rival hypothesis."
            )
        embedder = self._index.embedder()
        if embedder is None:
            raise ModelMissing(role="search", path="the models folder", effect="passages cannot be compared")
        vectors = embedder.embed_queries([hypothesis.text for hypothesis in hypotheses])
        results = self._search.search_many([hypothesis.text for hypothesis in hypotheses], k=_AROUND)
        candidates = {p.chunk for result in results for p in result.passages}
        ids = [hypothesis.id for hypothesis in hypotheses]
        candidates |= {p.chunk for p in self._store.proposals.all() if p.hypothesis in ids and p.status != "rejected"}
        chunks = self._store.pages.chunks(sorted(candidates))
        near = {
            h: self._store.vectors.cosines(embedder.fingerprint, v, list(chunks))
            for h, v in zip(ids, vectors, strict=True)
        }
        similarity = {chunk: {h: near[h][chunk] for h in ids if chunk in near[h]} for chunk in chunks}
        matrix = self._matrix.compute()
        penalties = discrimination.penalties_of(matrix, DEFAULT_RULE)
        verdicts = self._known_verdicts(self._store.hypotheses.all(), chunks)
        discriminations = discrimination.discriminations(ids, similarity, verdicts, penalties, each=limit)
        quotes: dict[int, list[tuple[int, int, str]]] = {}
        for row in self._store.evidence.all():
            if row.page_id is not None and row.start is not None and row.end is not None:
                quotes.setdefault(row.page_id, []).append((row.start, row.end, row.id))
        judge = self._open.engines.judge
        margin = None if judge is None else self._verdicts.margin_of(judge.fingerprint)
        rows = []
        for candidate in discrimination.best(discriminations, limit, discrimination.weights(ids, penalties)):
            chunk, probabilities = chunks[candidate.chunk], verdicts.get(candidate.chunk, {})
            ratings = {
                h: rating
                for h, p in probabilities.items()
                if (rating := classify.rating_for(classify.label(p, margin)))
            }
            # What would follow can be said only where this row, or those rated so far, compare all hypotheses.
            is_comparable = penalties is not None or set(ratings) == set(matrix.hypotheses)
            rows.append(
                DiscriminatingPassage(
                    *(chunk, candidate.pair, candidate.leans, candidate.strength, candidate.effect, candidate.judged),
                    tuple(probabilities.items()),
                    discrimination.outcome(matrix.hypotheses, penalties or {}, ratings, matrices.PENALTY, matrices.rank)
                    if candidate.judged and is_comparable
                    else None,
                    next((e for s, t, e in quotes.get(chunk.page_id, ()) if chunk.start <= s and t <= chunk.end), ""),
                )
            )
        return rows

    def _known_verdicts(
        self, hypotheses: Sequence[Hypothesis], chunks: Mapping[int, Chunk]
    ) -> dict[int, dict[str, Probabilities]]:
        judge = self._open.engines.judge
        if judge is None:
            return {}
        keys = {h.id: digest(h.text) for h in hypotheses}
        passages = {chunk: digest(content.text) for chunk, content in chunks.items()}
        verdicts = self._store.verdicts.get(
            judge.fingerprint, [(p, h) for p in passages.values() for h in keys.values()]
        )
        is_shown = self._verdicts.shown_by(judge.fingerprint) if self._store.settings.get().strict else lambda _: True
        return {
            chunk: {
                h: verdicts[passage, key]
                for h, key in keys.items()
                if (passage, key) in verdicts and is_shown(verdicts[passage, key])
            }
            for chunk, passage in passages.items()
        }

    def elusion_sample(self, hypothesis: str, size: int = 20) -> list[Chunk]:
        """Draw passages that nobody looked at for a hypothesis and nobody judged yet, to be judged by a person."""
        next_ranked, unread, _ = self._unread(hypothesis)
        own_judgements = {
            judgement.chunk for judgement in self._store.plans.relevances(hypothesis) if judgement.by == self._store.who
        }
        lot = missing.sample(next_ranked, unread, size + len(own_judgements), seed=hypothesis)
        selection = [chunk for chunk in lot if chunk not in own_judgements][:size]
        return list(self._store.pages.chunks(selection).values())

    def judge_relevance(self, hypothesis: str, chunk: int, relevant: bool | None) -> Changes:
        """Record whether a passage bears on a hypothesis; None removes it. Raises NoSuchItem, BadInput."""
        self._store.plans.judge_relevance(hypothesis, chunk, relevant)
        return Changes(hypotheses=True)

    def relevances(self, hypothesis: str | None = None) -> list[Relevance]:
        """Return what people judged of samples, for one hypothesis or for all."""
        return self._store.plans.relevances(hypothesis)

    def elusion(self, hypothesis: str) -> missing.ElusionEstimate:
        """Estimate how many relevant passages were missed, from what people judged of the sample. Raises NoSuchItem."""
        next_ranked, unread, relevant = self._unread(hypothesis)
        relevance: dict[int, bool] = {}
        for judgement in self._store.plans.relevances(hypothesis):
            relevance[judgement.chunk] = relevance.get(judgement.chunk, False) or judgement.relevant
        first = set(next_ranked[: missing.NEXT])

        def stratum(chunks: Collection[int]) -> missing.Stratum:
            sample = [relevance[chunk] for chunk in chunks if chunk in relevance]
            return missing.Stratum(len(chunks), len(sample), sum(sample))

        return missing.estimate(relevant, [stratum(first), stratum(set(unread) - first)])

    def elusion_if_judged(self, hypothesis: str) -> missing.ElusionEstimate | None:
        """Return the estimate of what was missed; None if nobody judged anything yet."""
        return self.elusion(hypothesis) if self._store.plans.relevances(hypothesis) else None

    def _unread(self, hypothesis: str) -> tuple[list[int], list[int], int]:
        """List the passages nobody looked at for a hypothesis: those the search ranks next, and all of them.

        Also how many of those looked at bear on it (judged for or against, and not rejected).
        """
        # Ranked by words alone: the same case gives the same estimate on a computer without the search model.
        text = self._store.hypotheses.get(hypothesis).text
        proposals = self._store.proposals.all(hypothesis=hypothesis)
        read_chunks = {p.chunk for p in proposals}
        relevant = {p.chunk for p in proposals if p.status == "accepted"} | {
            p.chunk for p in proposals if p.status == "pending" and p.verdict.label in ("supports", "contradicts")
        }
        depth = missing.NEXT + len(read_chunks)
        hits = self._search.passages_for(text, k=depth, per_document=depth, mode="lexical").passages
        return (
            [p.chunk for p in hits if p.chunk not in read_chunks],
            [c for c in self.passages_in_use() if c not in read_chunks],
            len(relevant),
        )
