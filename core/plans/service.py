"""Searching for hypotheses: plans with as much effort against each as for it, what would tell them apart, who and what
the case is about, and how much was probably missed."""

from __future__ import annotations

import csv
import io
import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core import matrix as matrices
from core.domain import (
    DEFAULT_RULE,
    Changes,
    Chunk,
    Consideration,
    Document,
    Entity,
    Evidence,
    Hypothesis,
    Passage,
    PlanQuery,
    Probabilities,
    Proposal,
    Relevance,
    Searched,
)
from core.entities import names as naming
from core.entities.model_names import Named as NamedByModel
from core.errors import AppError, BadInput, ModelMissing, NoSuchItem
from core.plans import discrimination
from core.plans import elusion as missing
from core.plans import queries as planning
from core.ports import Engines
from core.progress import Progress, silent
from core.report.csv_form import harmless
from core.search import clustering as grouping
from core.search import query_language, ranking
from core.search.query_language import Query, parse
from core.search.service import PER_DOCUMENT, Mode, Searching, SearchResult
from core.store import CaseFile
from core.text import digest, sentences
from core.timeline import dates
from core.verdicts import labels as classify

PASSAGES = 30  # looked at for each hypothesis, half of them for what speaks against it
_AROUND = 100  # passages near each hypothesis that are weighed when hypotheses are told apart
_THEMES = 200  # passages that themes are made of
TALLIED = 200  # passages by meaning that a query of a list is counted in
_WHOLE = re.compile(r"""["'“‘«(]?[^\W_a-z].*[.!?]["'”’»)]?\s*\Z""", re.DOTALL)  # a sentence with both its ends
_NAMED = 5_000  # mentions of one name that are listed


@dataclass(frozen=True, slots=True)
class PlanResult:
    """What the searches of one hypothesis's plan found together: ``passages`` in the order in which they are to be
    looked at, with what found each; ``notes`` of the searches."""

    hypothesis: str
    searches: tuple[PlanQuery, ...]
    passages: tuple[Passage, ...]
    found: tuple[planning.Found, ...]
    ranked: tuple[tuple[PlanQuery, tuple[int, ...]], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effort:
    """How much was done for one hypothesis: searches for what speaks for it and against it, passages looked at, and how
    the judge took them. ``fair`` is False where another hypothesis had more passages looked at; then ``uneven`` says by
    how many, in words."""

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
class Separating:
    """A passage that may tell two hypotheses apart; see core.plans.discrimination.Separation. ``verdicts`` has what the
    judge said of it, ``outcome`` what would follow were it rated so, None where hypotheses are rated on different rows;
    ``evidence`` is the row that quotes it already."""

    passage: Chunk
    pair: tuple[str, str]
    leans: str
    strength: float
    effect: float
    judged: bool
    verdicts: tuple[tuple[str, Probabilities], ...] = ()
    outcome: discrimination.Outcome | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """Where a name stands: the passage, and the places in it (start, end)."""

    passage: Chunk
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class NameCount:
    """In how many passages a name stands, and how many they are in each document, most first."""

    passages: int
    documents: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Passages on one matter, the most central first, with the words that set them apart."""

    label: tuple[str, ...]
    passages: tuple[int, ...]
    cohesion: float


@dataclass(frozen=True, slots=True)
class Theme:
    """A matter that several passages are about, with the sentence of theirs that is nearest to all: a verbatim span of
    its page, to begin a hypothesis with."""

    label: tuple[str, ...]
    sentence: str
    passage: Chunk
    start: int
    end: int
    passages: tuple[Chunk, ...]
    documents: int


@dataclass(frozen=True, slots=True)
class DatedPassage:
    """A date, with offsets into the text of the passage that names it."""

    date: dates.Dated
    passage: Chunk


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a query of a list is met: the passages, by document in order, and what is to be said of the query."""

    query: str
    passages: Mapping[str, tuple[int, ...]]
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return sum(len(chunks) for chunks in self.passages.values())


class Planning(Searching):
    """Verbs that search for hypotheses."""

    def __init__(self, case: CaseFile, engines: Engines) -> None:
        super().__init__(case, engines)
        self._dates: dict[int, tuple[str, str, tuple[dates.Dated, ...]]] = {}  # text digest, language
        self._by_model = NamedByModel()

    # --- plans -------------------------------------------------------------------------------------------------------

    def plan(self, hypothesis: str | None = None) -> list[PlanQuery]:
        """The searches planned for one hypothesis, or for all."""
        return self.case.plan(hypothesis)

    def make_plans(self, hypotheses: Sequence[str] | None = None) -> Changes:
        """Plan the searches anew from templates, as one decision; what the analyst wrote stays. Raises NoSuchItem."""
        chosen = self._wanted(hypotheses)
        made = [query for queries in self._templates(chosen) for query in queries]
        self.case.set_plan(made, hypotheses=[hypothesis.id for hypothesis in chosen])
        return Changes(hypotheses=True)

    def _templates(self, hypotheses: Sequence[Hypothesis]) -> Iterator[list[PlanQuery]]:
        """The searches that each of ``hypotheses`` is begun with."""
        everything = self.case.hypotheses()
        entities = self.case.entities("confirmed")
        expected: dict[str, list[str]] = {}
        for consideration in self.case.considerations("indicator"):
            if consideration.status == "open":
                expected.setdefault(consideration.hypothesis, []).append(consideration.query or consideration.text)
        for row in self.case.evidence():
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
                frequency=self.case.document_frequency(words),
            )

    def add_plan_query(self, hypothesis: str, role: str, text: str) -> PlanQuery:
        """Raises NoSuchItem, BadInput."""
        return self.case.add_plan_query(hypothesis, role, text)

    def edit_plan_query(self, query: str, text: str) -> Changes:
        self.case.edit_plan_query(query, text)
        return Changes(hypotheses=True)

    def remove_plan_query(self, *queries: str) -> Changes:
        self.case.remove_plan_query(*queries)
        return Changes(hypotheses=True)

    def search_plans(
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
        chosen = self._wanted(hypotheses)
        left_out = {h.id: set((without or {}).get(h.id, ())) for h in chosen}
        most = {h.id: passages if isinstance(passages, int) else passages.get(h.id, PASSAGES) for h in chosen}
        plans = {h.id: self.case.plan(h.id) for h in chosen}
        without_plan = [h for h in chosen if not plans[h.id]]
        plans |= {h.id: made for h, made in zip(without_plan, self._templates(without_plan), strict=True)}
        searches = [query for h in chosen for query in plans[h.id]]
        further = max((len(chunks) for chunks in left_out.values()), default=0)
        against = sum(query.role in planning.AGAINST for query in searches)
        (progress or silent()).step(
            0, 0, f"Running {len(searches)} searches, {against} of them for what speaks against a hypothesis"
        )
        results = self.search_many(
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
        at = self.case.now()
        known: dict[str, set[int]] = {}
        for hypothesis, chunk in before:
            known.setdefault(hypothesis, set()).add(chunk)
        for result in results:
            seen = set(known.get(result.hypothesis, ()))
            chosen = {one.chunk for one in result.found}
            for query, chunks in result.ranked:
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
        self.case.note_searches(searched)

    def searches(self, hypothesis: str | None = None) -> list[Searched]:
        """Every search that was run for a hypothesis, or for all, in order."""
        return self.case.searches(hypothesis)

    def effort(self, proposals: Sequence[Proposal] | None = None) -> list[Effort]:
        """For every hypothesis how much was done to find what speaks for it and against it. ``proposals`` are all of
        the case, where somebody has them in hand."""
        run: dict[str, list[str]] = {}
        for search in self.case.searches():
            run.setdefault(search.hypothesis, []).append(search.role)
        looked: dict[str, dict[int, str]] = {hypothesis.id: {} for hypothesis in self.case.hypotheses()}
        for proposal in self.case.proposals() if proposals is None else proposals:
            if proposal.hypothesis in looked:
                looked[proposal.hypothesis][proposal.chunk] = proposal.told
        most = max((len(chunks) for chunks in looked.values()), default=0)
        uneven = planning.uneven({hypothesis: len(chunks) for hypothesis, chunks in looked.items()})
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

    def _wanted(self, hypotheses: Sequence[str] | None) -> list[Hypothesis]:
        everything = self.case.hypotheses()
        if hypotheses is None:
            return everything
        for identity in hypotheses:
            self.case.hypothesis(identity)
        return [hypothesis for hypothesis in everything if hypothesis.id in set(hypotheses)]

    # --- what tells hypotheses apart ---------------------------------------------------------------------------------

    def discriminating(self, limit: int = 30, *, pair: tuple[str, str] | None = None) -> list[Separating]:
        """The passages that would tell hypotheses apart best, those first from which the matrix would learn most now.

        Weighed are the passages nearest to each hypothesis and all that were looked at, by what the judge said of them
        where it did, else by their nearness. Raises ModelMissing without a search model, NoSuchItem, BadInput.
        """
        chosen = self._wanted(pair)
        if len(chosen) < 2:
            raise BadInput(
                reason="Fewer than two hypotheses cannot be told apart.", remedy="Write at least one rival of it."
            )
        embedder = self.embedder_for_searches()
        if embedder is None:
            raise ModelMissing(role="search", path="the models folder", effect="passages cannot be compared")
        vectors = embedder.embed_queries([hypothesis.text for hypothesis in chosen])
        results = self.search_many([hypothesis.text for hypothesis in chosen], k=_AROUND)
        weighed = {p.chunk for result in results for p in result.passages}
        ids = [hypothesis.id for hypothesis in chosen]
        weighed |= {p.chunk for p in self.case.proposals() if p.hypothesis in ids and p.status != "rejected"}
        chunks = self.case.chunks(sorted(weighed))
        near = {h: self.case.cosines(embedder.fingerprint, v, list(chunks)) for h, v in zip(ids, vectors, strict=True)}
        similarity = {chunk: {h: near[h][chunk] for h in ids if chunk in near[h]} for chunk in chunks}
        matrix = self.matrix()
        penalties = discrimination.penalties_of(matrix, DEFAULT_RULE)
        verdicts = self._known_verdicts(self.case.hypotheses(), chunks)
        found = discrimination.separations(ids, similarity, verdicts, penalties, each=limit)
        quoted: dict[int, list[tuple[int, int, str]]] = {}
        for row in self.case.evidence():
            if row.page_id is not None and row.start is not None and row.end is not None:
                quoted.setdefault(row.page_id, []).append((row.start, row.end, row.id))
        judge = self.engines.judge
        margin = None if judge is None else self.margin_of(judge.fingerprint)
        made = []
        for one in discrimination.best(found, limit, discrimination.weights(ids, penalties)):
            chunk, told = chunks[one.chunk], verdicts.get(one.chunk, {})
            ratings = {h: rating for h, p in told.items() if (rating := classify.rating_for(classify.label(p, margin)))}
            # What would follow can be said only where this row, or those rated so far, compare all hypotheses.
            compared = penalties is not None or set(ratings) == set(matrix.hypotheses)
            made.append(
                Separating(
                    *(chunk, one.pair, one.leans, one.strength, one.effect, one.judged),
                    tuple(told.items()),
                    discrimination.outcome(matrix.hypotheses, penalties or {}, ratings, matrices.PENALTY, matrices.rank)
                    if one.judged and compared
                    else None,
                    next((e for s, t, e in quoted.get(chunk.page_id, ()) if chunk.start <= s and t <= chunk.end), ""),
                )
            )
        return made

    def _nearness(self, texts: Sequence[str], chunks: Sequence[int]) -> list[dict[int, float]]:
        """For each text how near these passages are to it; nothing without a search model."""
        embedder = self.embedder_for_searches()
        if embedder is None:
            return [{} for _ in texts]
        return [self.case.cosines(embedder.fingerprint, v, chunks) for v in embedder.embed_queries(texts)]

    def _known_verdicts(
        self, hypotheses: Sequence[Hypothesis], chunks: Mapping[int, Chunk]
    ) -> dict[int, dict[str, Probabilities]]:
        judge = self.engines.judge
        if judge is None:
            return {}
        asked = {h.id: digest(h.text) for h in hypotheses}
        passages = {chunk: digest(kept.text) for chunk, kept in chunks.items()}
        known = self.case.verdicts(judge.fingerprint, [(p, h) for p in passages.values() for h in asked.values()])
        return {
            chunk: {h: known[passage, key] for h, key in asked.items() if (passage, key) in known}
            for chunk, passage in passages.items()
        }

    # --- names -------------------------------------------------------------------------------------------------------

    def entities(self, status: str | None = None) -> list[Entity]:
        return self.case.entities(status)

    def add_entity(
        self, name: str, *, kind: str = "", aliases: Sequence[str] = (), status: str = "confirmed", note: str = ""
    ) -> Entity:
        """Put a name into the gazetteer of the case; one that is there gets the new aliases. Raises BadInput."""
        return self.case.add_entity(name, kind=kind, aliases=aliases, status=status, note=note)

    def edit_entity(self, entity: str, **fields: str | Sequence[str]) -> Changes:
        self.case.edit_entity(entity, fields)
        return Changes(documents=True)

    def remove_entity(self, *ids: str) -> Changes:
        self.case.remove_entity(*ids)
        return Changes(documents=True)

    def names_on(self, document: str, page: int) -> list[tuple[Entity, int, int]]:
        """The confirmed names in the text of a page as (name, start, end), in order. Raises NoSuchItem."""
        known = {entity.id: entity for entity in self.case.entities("confirmed")}
        if not known:
            return []
        kept = self.case.page(document, page)
        found = naming.finder(list(known.values()))(_seen(kept.text, kept.hidden))
        return [(known[mention.entity], mention.start, mention.end) for mention in found]

    def suggested_names(self, progress: Progress | None = None) -> list[naming.Candidate]:
        """Names that the documents suggest and nobody has decided on: by their form, and by the model for names where
        one was chosen. ``names_problem`` then says why one that was chosen could not be asked."""
        progress = progress or silent()
        searched = [d for d in self.case.documents() if d.included and d.pages]

        def pages() -> Iterator[tuple[str, str]]:
            for done, document in enumerate(searched):
                progress.step(done, len(searched), f"Looking for names in {document.name}")
                for page in self.case.pages(document.id):
                    progress.check()  # a model takes its time over a page
                    yield document.id, _seen(page.text, page.hidden)

        model = self._by_model
        asked = model.asked(pages(), self.engines.names, progress)
        found = naming.candidates(asked, self.case.entities(), named=model.of)

        def passages() -> Iterator[tuple[str, str]]:
            for document in searched:
                progress.check()
                for chunk in self.case.chunks(self.case.chunk_ids(document.id)).values():
                    yield document.id, chunk.text

        # Counted as the passages of a name are listed, so that the figure is that of the list.
        return naming.counted_in(found, passages())

    @property
    def names_problem(self) -> AppError | None:
        """Why the last suggestions came without the model for names although one was chosen."""
        return self._by_model.problem

    def mentions(self, entity: str) -> list[Named]:
        """The passages in which a name stands, in order of document and page; at most 5,000. Raises NoSuchItem."""
        known = next((one for one in self.case.entities() if one.id == entity), None)
        if known is None:
            raise NoSuchItem(kind="name", id=entity, listing="names")
        return self.where_stands(known.name, known.aliases)

    def where_stands(self, name: str, aliases: Sequence[str] = ()) -> list[Named]:
        """The passages in which a name stands, whether it is one of the case yet or not; see ``mentions``."""
        wanted = Entity("N0", name, aliases=tuple(aliases))
        found: list[Named] = []
        find = naming.finder([wanted])
        for chunk in self._mentioning([wanted]):
            places = tuple((m.start, m.end) for m in find(chunk.text))
            if places:
                found.append(Named(chunk, places))
        return found[:_NAMED]

    def name_counts(self) -> dict[str, NameCount]:
        """For every confirmed name how often it stands, and where. A passage counts once for a name."""
        known = self.case.entities("confirmed")
        find = naming.finder(known)
        where: dict[str, Counter[str]] = {entity.id: Counter() for entity in known}
        for chunk in self._mentioning(known):
            for entity in {mention.entity for mention in find(chunk.text)}:
                where[entity][chunk.document] += 1
        return {
            entity: NameCount(
                counts.total(), tuple(sorted(counts.items(), key=lambda item: (-item[1], int(item[0][1:]))))
            )
            for entity, counts in where.items()
        }

    def names_in(self, document: str) -> list[tuple[Entity, int]]:
        """The confirmed names that stand in a document with the number of its passages, most first. Raises
        NoSuchItem."""
        self.case.document(document)
        known = {entity.id: entity for entity in self.case.entities("confirmed")}
        find = naming.finder(list(known.values()))
        count: Counter[str] = Counter()
        if known:
            for chunk in self.case.chunks(self.case.chunk_ids(document)).values():
                count.update({mention.entity for mention in find(chunk.text)})
        return [(known[entity], times) for entity, times in sorted(count.items(), key=lambda i: (-i[1], int(i[0][1:])))]

    def together(self) -> list[naming.Together]:
        """Which confirmed names stand in the same passages, the most often first."""
        known = self.case.entities("confirmed")
        find = naming.finder(known)
        return naming.together((chunk.document, find(chunk.text)) for chunk in self._mentioning(known))

    def _mentioning(self, wanted: Sequence[Entity]) -> list[Chunk]:
        """The passages that may hold one of the names: those the word index has all words of a name in."""
        ids: set[int] = set()
        for entity in wanted:
            for name in (entity.name, *entity.aliases):
                ids |= self.case.with_words(name)
        kept = {d.id for d in self.case.documents() if d.included}
        return [chunk for chunk in self.case.chunks(sorted(ids)).values() if chunk.document in kept]

    # --- groups and themes -------------------------------------------------------------------------------------------

    def grouped(self, passages: Sequence[Passage]) -> list[Group]:
        """Passages of a search in groups by what they are about. Raises ModelMissing without a search model."""
        vectors, kept = self._kept_vectors([p.chunk for p in passages][: grouping.MOST])
        texts = {p.chunk: p.text for p in passages}
        found = grouping.clusters(vectors, [ranking.terms(texts[chunk]) for chunk in kept], largest=grouping.LARGEST)
        return [Group(one.label, tuple(kept[m] for m in one.members), one.cohesion) for one in found]

    def themes(self, question: str, *, least: int = 3) -> list[Theme]:
        """What the documents have to say on a question, in groups of at least ``least`` passages: each with the
        sentence that is nearest to all of it. Suggestions to begin hypotheses with, never hypotheses by themselves.
        The question may have conditions (see ``find``).

        Raises BadInput for an empty question, ModelMissing without a search model.
        """
        result = self.find(question, k=_THEMES, per_document=grouping.MOST)
        embedder = self.embedder_for_searches()
        if embedder is None:
            raise ModelMissing(role="search", path="the models folder", effect="passages cannot be grouped")
        made = []
        for group in self.grouped(result.passages):
            if len(group.passages) < least:
                continue
            chunks = self.case.chunks(group.passages)
            centre = chunks[group.passages[0]]
            spans = [s for s in sentences(centre.text) if s.end - s.start > 20] or sentences(centre.text)
            # Scans and passages cut through sentences: a whole one says more.
            spans = [s for s in spans if _WHOLE.match(centre.text[s.start : s.end])] or spans
            told = embedder.embed([centre.text[s.start : s.end] for s in spans])
            nearness = [
                sum(self.case.cosines(embedder.fingerprint, vector, group.passages).values()) for vector in told
            ]
            nearest = max(range(len(spans)), key=lambda at: (round(nearness[at], 6), -at))
            span = spans[nearest]
            made.append(
                Theme(
                    *(group.label, centre.text[span.start : span.end], centre),
                    *(centre.start + span.start, centre.start + span.end, tuple(chunks.values())),
                    len({chunk.document for chunk in chunks.values()}),
                )
            )
        return made

    def _kept_vectors(self, chunks: Sequence[int]) -> tuple[list[bytes], list[int]]:
        embedder = self.embedder_for_searches()
        if embedder is None:
            raise ModelMissing(role="search", path="the models folder", effect="passages cannot be grouped")
        pairs = [(self.case.vector(embedder.fingerprint, chunk), chunk) for chunk in dict.fromkeys(chunks)]
        return [v for v, _ in pairs if v is not None], [chunk for v, chunk in pairs if v is not None]

    # --- what was missed ---------------------------------------------------------------------------------------------

    def missed_sample(self, hypothesis: str, size: int = 20) -> list[Chunk]:
        """Passages that nobody looked at for a hypothesis and nobody judged yet, to be judged by a person."""
        next_ranked, others, _ = self._unread(hypothesis)
        judged = {one.chunk for one in self.case.relevances(hypothesis) if one.by == self.case.who}
        drawn = missing.sample(next_ranked, others, size + len(judged), seed=hypothesis)
        wanted = [chunk for chunk in drawn if chunk not in judged][:size]
        return list(self.case.chunks(wanted).values())

    def judge_relevance(self, hypothesis: str, chunk: int, relevant: bool | None) -> Changes:
        """Say whether a passage bears on a hypothesis; None takes it back. Raises NoSuchItem, BadInput."""
        self.case.judge_relevance(hypothesis, chunk, relevant)
        return Changes(hypotheses=True)

    def relevances(self, hypothesis: str | None = None) -> list[Relevance]:
        return self.case.relevances(hypothesis)

    def missed(self, hypothesis: str) -> missing.Missed:
        """How many relevant passages were probably missed, from what people judged of the sample. Raises NoSuchItem."""
        next_ranked, others, found = self._unread(hypothesis)
        told: dict[int, bool] = {}
        for one in self.case.relevances(hypothesis):
            told[one.chunk] = told.get(one.chunk, False) or one.relevant
        first = set(next_ranked[: missing.NEXT])

        def stratum(chunks: Collection[int]) -> missing.Stratum:
            judged = [told[chunk] for chunk in chunks if chunk in told]
            return missing.Stratum(len(chunks), len(judged), sum(judged))

        return missing.estimate(found, [stratum(first), stratum(set(others) - first)])

    def _missed(self, hypothesis: str) -> missing.Missed | None:
        return self.missed(hypothesis) if self.case.relevances(hypothesis) else None

    def _unread(self, hypothesis: str) -> tuple[list[int], list[int], int]:
        """Passages nobody looked at for a hypothesis: those the search ranks next, all of them; and how many of those
        looked at bear on it (judged for or against, and not rejected)."""
        # Ranked by words alone: the same case gives the same estimate on a computer without the search model.
        text = self.case.hypothesis(hypothesis).text
        proposals = self.case.proposals(hypothesis=hypothesis)
        looked = {p.chunk for p in proposals}
        found = {p.chunk for p in proposals if p.status == "accepted"} | {
            p.chunk for p in proposals if p.status == "pending" and p.verdict.label in ("supports", "contradicts")
        }
        depth = missing.NEXT + len(looked)
        ranked = self.search(text, k=depth, per_document=depth, mode="lexical").passages
        included = [d.id for d in self.case.documents() if d.included]
        every = [chunk for document in included for chunk in self.case.chunk_ids(document)]
        return [p.chunk for p in ranked if p.chunk not in looked], [c for c in every if c not in looked], len(found)

    # --- dates -------------------------------------------------------------------------------------------------------

    def dated(
        self, passages: Sequence[Passage] | None = None, *, progress: Progress | None = None
    ) -> list[DatedPassage]:
        """The dates that passages name (of a search, or all in scope), in order of time: a timeline to be checked.

        By the earliest day each may be, then by document and place. Dates without a year are not among them.
        """
        progress = progress or silent()
        spoken = {document.id: document.language for document in self.case.documents() if document.included}
        if passages is not None:
            chunks = list(self.case.chunks([p.chunk for p in passages]).values())
        else:
            chunks = []
            for done, document in enumerate(spoken):
                progress.step(done, len(spoken), "Reading dates")
                chunks += self.case.chunks(self.case.chunk_ids(document)).values()
        found: dict[tuple[int, int], DatedPassage] = {}
        for at, chunk in enumerate(chunks):
            if at % 200 == 0:
                progress.check()
            for date in self._dates_of(chunk, spoken.get(chunk.document, "")):
                # Passages overlap: a date that stands in two of them stands on its page once.
                found.setdefault((chunk.page_id, chunk.start + date.start), DatedPassage(date, chunk))
        return sorted(
            found.values(),
            key=lambda one: (one.date.earliest, one.date.latest, one.passage.id, one.date.start),
        )

    def _dates_of(self, chunk: Chunk, language: str) -> tuple[dates.Dated, ...]:
        """The dates in a passage: read once, as long as nobody corrects its words or says that it is in another
        language."""
        of, known = digest(chunk.text), self._dates.get(chunk.id)
        if known is None or known[:2] != (of, language):
            known = self._dates[chunk.id] = (of, language, dates.dates_in(chunk.text, language=language))
        return known[2]

    def dated_documents(self) -> list[tuple[dates.Dated, Document]]:
        """Documents in scope by their own dates, in order of time: the analyst's before the file's. Those whose date
        says nothing are left out."""
        found = []
        for document in self.case.documents():
            told = _own_date(document)
            if document.included and told is not None:
                found.append((told, document))
        return sorted(found, key=lambda item: (*dates.order(item[0]), int(item[1].id[1:])))

    def dated_evidence(self) -> list[tuple[dates.Dated, Evidence]]:
        """The rows of the matrix that have a date, in order of time."""
        found = [(told, row) for row in self.case.evidence() if row.date and (told := dates.interval(row.date))]
        return sorted(found, key=lambda item: (*dates.order(item[0]), int(item[1].id[1:])))

    # --- the search field ---------------------------------------------------------------------------------------------

    def find(
        self,
        text: str,
        *,
        k: int = 30,
        mode: Mode = "hybrid",
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
        strict: bool = False,
    ) -> SearchResult:
        """What a person typed, with its conditions (see core.search.query_language): words rank the passages that fulfil them.

        Conditions without words give the passages that fulfil them in the order of the documents. A name that is not in
        the gazetteer is looked for as it is written. Raises BadInput for an empty query.
        """
        asked = parse(text)
        if not asked.conditions:
            if not asked.words.strip() and text.strip():
                return SearchResult(text, (), 0.0, ("Nothing to look for: write a word, a phrase or a condition.",))
            options = {"min_similarity": min_similarity, "per_document": per_document, "strict": strict}
            found = self.search(asked.words, k=k, mode=mode, **options)  # type: ignore[arg-type]
            return replace(found, query=text, notes=(*asked.notes, *found.notes))
        began = time.monotonic()
        notes = list(asked.notes)
        documents = self._fitting(asked, notes)
        among = self._among(asked, notes)
        if documents == [] or among == set():
            looked, through = self.case.searched(None, self.case.documents_out_of_scope())
            notes.append(
                f"Nothing in {through:,} passages of {looked:,} documents fulfils these conditions. "
                "Take one of them out, or write it in another way."
            )
            return SearchResult(text, (), time.monotonic() - began, tuple(notes))
        if asked.words.strip():
            result = self.search(
                asked.words,
                k=k,
                mode=mode,
                include=documents,
                min_similarity=min_similarity,
                per_document=per_document,
                strict=strict,
                among=among,
            )
            return replace(result, query=text, notes=(*notes, *result.notes))
        kept = [d for d in self.case.documents() if d.included and (documents is None or d.id in documents)]
        chunks: list[int] = []
        for document in kept:
            mine = [chunk for chunk in self.case.chunk_ids(document.id) if among is None or chunk in among]
            chunks += mine[:per_document]
            if len(chunks) >= k:
                break
        passages = self.passages(chunks[:k])
        if not passages:
            notes.append("No passage fulfils these conditions.")
        return SearchResult(text, passages, time.monotonic() - began, tuple(notes))

    def passages(self, chunks: Sequence[int]) -> tuple[Passage, ...]:
        """Passages as they stand, ranked by nothing but the order in which they are asked for."""
        found = self.case.chunks(chunks)
        there = [found[chunk] for chunk in dict.fromkeys(chunks) if chunk in found]
        return tuple(
            Passage(
                *(rank, c.id, c.page_id, c.document, c.name, c.page, c.start, c.end, c.text),
                *(0.0, None, None, None, "low"),
            )
            for rank, c in enumerate(there, start=1)
        )

    def similar(
        self, chunk: int, *, k: int = 30, mode: Mode = "hybrid", strict: bool = False, per_document: int = PER_DOCUMENT
    ) -> SearchResult:
        """Passages like a passage, without it and what overlaps it on its page. Raises BadInput."""
        own = self.case.chunks([chunk]).get(chunk)
        if own is None:
            raise BadInput(reason=f"There is no passage {chunk}.", remedy="Choose one that the search found.")

        def other(passage: Passage) -> bool:
            apart = passage.end <= own.start or passage.start >= own.end
            return passage.chunk != chunk and (passage.page_id != own.page_id or apart)

        room = 8  # passages that overlap it, and a copy that stood in its place, leave the list full
        found = self.search(own.text, k=k + room, mode=mode, strict=strict, per_document=per_document + room)
        kept: list[tuple[Passage, ...]] = []
        taken: dict[str, int] = {}
        for first in found.passages:
            group = [passage for passage in (first, *found.copies.get(first.chunk, ())) if other(passage)]
            if group and taken.get(group[0].document, 0) < per_document and len(kept) < k:
                taken[group[0].document] = taken.get(group[0].document, 0) + 1
                kept.append(tuple(replace(passage, rank=len(kept) + 1) for passage in group))
        return replace(
            found,
            passages=tuple(group[0] for group in kept),
            copies={group[0].chunk: group[1:] for group in kept if len(group) > 1},
        )

    def tally(
        self, queries: Sequence[str], *, by: Literal["words", "meaning"] = "words", progress: Progress | None = None
    ) -> list[Tally]:
        """How often each query of a list is met, by document.

        'words': every passage in scope that holds all words of the query and fulfils its conditions. 'meaning': those
        of high and medium confidence among the first TALLIED. Queries that are empty are left out.
        """
        progress = progress or silent()
        asked = [" ".join(query.split()) for query in queries]
        asked = [query for query in dict.fromkeys(asked) if query]
        order = [document.id for document in self.case.documents() if document.included and document.pages]
        made = []
        for done, query in enumerate(asked):
            progress.step(done, len(asked), f"Searching for {query[:60]}")
            if by == "words":
                chunks, notes = self._holding(query)
            else:
                result = self.find(query, k=TALLIED, per_document=TALLIED)
                told = [
                    group
                    for p in result.passages
                    if p.confidence != "low"
                    for group in (p, *result.copies.get(p.chunk, ()))
                ]
                chunks, notes = [p.chunk for p in told], [*result.notes]
            documents = self.case.documents_of(chunks)
            by_document: dict[str, list[int]] = {document: [] for document in order}
            for chunk in chunks:
                by_document.get(documents.get(chunk, ""), []).append(chunk)
            made.append(Tally(query, {d: tuple(found) for d, found in by_document.items() if found}, tuple(notes)))
        return made

    def _holding(self, query: str) -> tuple[list[int], list[str]]:
        """The passages that hold all words of a query and fulfil its conditions, in order, and what is to be said."""
        asked = parse(query)
        notes = list(asked.notes)
        words = ranking.terms(asked.words)
        if not words and not asked.conditions:
            return [], [*notes, "Nothing to look for: write a word, a phrase or a condition."]
        documents, among = self._fitting(asked, notes), self._among(asked, notes)
        if words:
            held = set(self.case.matching("text : (" + " AND ".join(f'"{word}"' for word in words) + ")"))
            among = held if among is None else among & held
        chunks = sorted(self.case.every_chunk() if among is None else among)
        if documents is not None:
            of, wanted = self.case.documents_of(chunks), set(documents)
            chunks = [chunk for chunk in chunks if of.get(chunk) in wanted]
        return chunks, notes

    def tally_table(self, tallies: Sequence[Tally]) -> bytes:
        """The counts as comma-separated values: a row a query, a column a document. UTF-8 with a byte order mark;
        texts that a spreadsheet would take for a formula get an apostrophe in front."""
        names = {document.id: document.name for document in self.case.documents()}
        met = [document for document in names if any(document in tally.passages for tally in tallies)]
        stream = io.StringIO(newline="")
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow(["query", "passages", "documents", *(harmless(f"{d} {names[d]}") for d in met), "note"])
        for tally in tallies:
            counts = [len(tally.passages.get(document, ())) for document in met]
            row = [harmless(tally.query), tally.total, len(tally.passages), *counts, harmless(" ".join(tally.notes))]
            writer.writerow(row)
        return b"\xef\xbb\xbf" + stream.getvalue().encode("utf-8")

    def _fitting(self, asked: Query, notes: list[str]) -> list[str] | None:
        """The documents in scope that fulfil what is asked of documents; None where nothing is."""
        of_documents = (asked.documents, asked.not_documents, asked.tags, asked.not_tags, asked.grades)
        if not any(of_documents) and not asked.after and not asked.before:
            return None

        everything = [d for d in self.case.documents() if d.included and d.pages]
        ids = {document.id.casefold() for document in everything}

        def named(document: Document, wanted: str) -> bool:
            # Whoever writes the number of a document means it, and not names with the same signs in them.
            if wanted.casefold() in ids:
                return wanted.casefold() == document.id.casefold()
            return wanted.casefold() in document.name.casefold()

        for wanted in (*asked.documents, *asked.not_documents):
            if not any(named(document, wanted) for document in everything):
                notes.append(f"No document is called “{wanted}”.")
        fitting = []
        for document in everything:
            tags = {tag.casefold() for tag in document.tags}
            if (
                (not asked.documents or any(named(document, wanted) for wanted in asked.documents))
                and not any(named(document, wanted) for wanted in asked.not_documents)
                and (not asked.tags or any(tag.casefold() in tags for tag in asked.tags))
                and not any(tag.casefold() in tags for tag in asked.not_tags)
                and (not asked.grades or document.reliability in asked.grades)
                and _dated_within(document, asked.after, asked.before)
            ):
                fitting.append(document.id)
        return fitting

    def _among(self, asked: Query, notes: list[str]) -> set[int] | None:
        """The passages that fulfil what is asked of their words; None where nothing is."""
        among: set[int] | None = None
        there, away = query_language.must(asked), query_language.must_not(asked)
        if there:
            among = set(self.case.matching(f"text : ({there})"))
        for wanted in asked.names:
            known = next((e for e in self.case.entities("confirmed") if wanted.casefold() in _called(e)), None)
            if known is None:
                notes.append(f"“{wanted}” is not among the names of the case; it was looked for as it is written.")
            find = naming.finder([known or Entity("N0", wanted)])
            spots = {c.id for c in self._mentioning([known or Entity("N0", wanted)]) if find(c.text)}
            among = spots if among is None else among & spots
        if asked.when:
            spoken = {d.id: d.language for d in self.case.documents() if d.included}
            first, last = asked.when
            may = dates.years_of(first, last)
            some = self.case.chunks(sorted(self.case.every_chunk() if among is None else among))
            among = {
                c.id
                for c in some.values()
                if c.document in spoken
                and may.search(c.text)
                and any(dates.within(date, first, last) for date in self._dates_of(c, spoken[c.document]))
            }
        if away:
            gone = set(self.case.matching(f"text : ({away})"))
            among = (set(self.case.every_chunk()) if among is None else among) - gone
        return among

    # --- kept searches -----------------------------------------------------------------------------------------------

    def saved_searches(self) -> list[Consideration]:
        """``text`` is the name of each, ``query`` what it looks for."""
        return self.case.considerations("search")

    def save_search(self, name: str, query: str) -> Consideration:
        """Raises BadInput."""
        if not query.strip():
            raise BadInput(reason="There is nothing to keep: the search is empty.", remedy="Write what to look for.")
        return self.case.add_consideration("search", name.strip() or query.strip(), query=query)

    def remove_search(self, search: str) -> Changes:
        self.case.remove_consideration(search)
        return Changes(hypotheses=True)


def _dated_within(document: Document, after: str, before: str) -> bool:
    """Whether the document's date, the analyst's before the file's, may lie between two days."""
    if not after and not before:
        return True
    told = _own_date(document)
    return told is not None and told.latest[:10] >= after and (not before or told.earliest[:10] <= before)


def _own_date(document: Document) -> dates.Dated | None:
    """The date of a document, the analyst's before the file's; None where neither says one."""
    first, _, last = document.dated.partition("/")  # the analyst may give two days with a stroke between
    told = dates.interval(first or document.date, language=document.language)
    end = dates.interval(last, language=document.language) if last else told
    return None if told is None or end is None else replace(told, latest=end.latest)


def _called(entity: Entity) -> set[str]:
    return {name.casefold() for name in (entity.name, *entity.aliases)}


def _seen(text: str, hidden: Sequence[tuple[int, int]]) -> str:
    """The text as a person sees it: blanks where it is hidden."""
    for start, end in hidden:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
