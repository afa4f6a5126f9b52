"""Finding passages: the two legs of a search, their fusion, and what is looked for on its own."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from core.documents import near_duplicates
from core.documents.importing import Documents
from core.domain import (
    Chunk,
    Passage,
)
from core.errors import (
    BadInput,
    IndexDamaged,
    ModelMissing,
    ModelUnreadable,
)
from core.search import ranking
from core.verdicts import labels

Mode = Literal["hybrid", "vector", "lexical"]
MODES: tuple[Mode, ...] = ("hybrid", "vector", "lexical")

PER_DOCUMENT = 5
LONGEST_QUERY = 2_000  # characters of a query that are used; the embedder's window ends far earlier
DEPTH = 100  # hits of each leg that are looked at
DEEPEST = 4096
RERANKED = 100
TOLD_BY = 10  # hits whose documents tell the language of a query


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``copies`` has, by the chunk of a passage that is shown, the passages that say the same elsewhere; they have its
    rank.

    ``confidence`` is that of the best passage; insufficient: nothing that was found seems to be about the query.
    """

    query: str
    passages: tuple[Passage, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    copies: Mapping[int, tuple[Passage, ...]] = field(default_factory=dict)
    confidence: ranking.Level = "insufficient"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query as it is searched; ``weight`` is that of its vector."""

    text: str
    model: str = ""
    vector: bytes | None = None
    weight: float = 1.0

    @property
    def near(self) -> bool:
        """Whether its cosines say how near a passage is."""
        return ranking.trusted(self.model, self.weight)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to come of a search."""

    k: int
    include: Sequence[str] | None
    exclude: Sequence[str]
    mode: Mode
    min_similarity: float
    per_document: int
    strict: bool
    among: Collection[int] | None


@dataclass(frozen=True, slots=True)
class IndicatorHit:
    """A new document that an indicator's search finds: its best passage."""

    consideration: str
    document: str
    name: str
    page: int
    page_id: int
    start: int
    end: int
    text: str


class Searching(Documents):
    """Verbs that find passages in one case."""

    _unranked = ""  # why the last search was not reranked although a model for it is set

    def search(
        self,
        text: str,
        *,
        k: int = 30,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        mode: Mode = "hybrid",
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
        strict: bool = False,
        among: Collection[int] | None = None,
    ) -> SearchResult:
        """The ``k`` best passages for ``text``; ``include`` and ``exclude`` name documents, ``among`` passages.

        ``strict`` keeps only passages of high confidence. Raises NoSuchItem for an unknown document, BadInput for an
        empty query.
        """
        return self.search_many(
            [text],
            k=k,
            include=include,
            exclude=exclude,
            mode=mode,
            min_similarity=min_similarity,
            per_document=per_document,
            strict=strict,
            among=among,
        )[0]

    def search_many(
        self,
        texts: Sequence[str],
        *,
        k: int = 30,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        mode: Mode = "hybrid",
        min_similarity: float = 0.0,
        per_document: int = PER_DOCUMENT,
        strict: bool = False,
        among: Collection[int] | None = None,
    ) -> list[SearchResult]:
        """One result a query; the queries are embedded together and go through the passages together."""
        began = time.monotonic()
        scope, left_out = self._scope(include, exclude)
        asked, notes = self._asked([_query_text(text) for text in texts], mode)
        if any(len(text) > LONGEST_QUERY for text in texts):
            notes.append(f"Only the first {LONGEST_QUERY:,} characters of a search text are used.")
        wanted = _Wanted(k, scope, left_out, mode, min_similarity, per_document, strict, among)
        try:
            found = self._find(asked, wanted)
        except IndexDamaged as error:
            if self.case.read_only:
                raise
            # Everything in it can be made again, so nobody need know how to ask for that.
            self.case.rebuild_index()
            notes.append(f"{error.sentence} It was made again from the pages.")
            found = self._find(asked, wanted)
        if self._unranked:
            notes.append(self._unranked)
        results = []
        for ask, groups in zip(asked, found, strict=True):
            ranked = [[replace(one, rank=rank) for one in group] for rank, group in enumerate(groups, start=1)]
            passages = tuple(group[0] for group in ranked)
            copies = {group[0].chunk: tuple(group[1:]) for group in ranked if len(group) > 1}
            said = list(notes)
            level = _level(ask, passages)
            if not passages:
                said.append(self._nothing_found(ask.text, wanted))
            elif level == "insufficient":
                said.append(f"Nothing here seems to be about “{ask.text[:80]}”: these are only the nearest passages.")
            results.append(SearchResult(ask.text, passages, time.monotonic() - began, tuple(said), copies, level))
            began = time.monotonic()
        return results

    def _scope(self, include: Collection[str] | None, exclude: Collection[str]) -> tuple[list[str] | None, list[str]]:
        """Documents to search (None: all) and documents to leave out, after those the person took out of scope."""
        for document in (*(include or ()), *exclude):
            self.case.document(document)
        left_out = set(exclude)
        if include is None:
            left_out.update(self.case.documents_out_of_scope())
        return (None if include is None else sorted(include)), sorted(left_out)

    def _asked(self, queries: Sequence[str], mode: Mode) -> tuple[list[_Asked], list[str]]:
        """The queries with their vectors, as far as there is a search model."""
        if mode not in MODES:
            raise BadInput(reason=f"'{mode}' is no way to search.", remedy="Use hybrid, vector or lexical.")
        embedder = self.embedder_for_searches()
        if mode == "lexical":
            return [_Asked(query) for query in queries], []
        if embedder is None:
            return [_Asked(query) for query in queries], [
                "The search model is not on this computer: passages were found by their words only."
            ]
        try:
            vectors, pieces = (
                embedder.embed_queries(queries),
                embedder.pieces([ranking.bare(query) for query in queries]),
            )
            model = embedder.fingerprint
        except (ModelMissing, ModelUnreadable) as error:
            return [_Asked(query) for query in queries], [f"{error.sentence} {error.hint}"]
        notes = []
        if waiting := self.case.count_without_vector(model):
            notes.append(
                f"{waiting:,} passages have no vector of this search model yet and are found by their words only: "
                "they get one when documents are next added, or now with: disconfirm embed"
            )
        if not ranking.measured(model):
            notes.append(
                f"What nearness means was not measured with {model.partition(' sha256:')[0]}: how sure a passage is "
                "goes by its words."
            )
        weights = [ranking.vector_weight(query, count) for query, count in zip(queries, pieces, strict=True)]
        told = zip(queries, vectors, weights, strict=True)
        return [_Asked(query, model, vector, weight) for query, vector, weight in told], notes

    def _find(self, asked: Sequence[_Asked], wanted: _Wanted) -> list[list[tuple[Passage, ...]]]:
        """For each query the passages to show, each with its copies."""
        self._unranked = ""
        self.case.memory_for_search = self.engines.search_memory
        found: list[list[tuple[Passage, ...]]] = [[] for _ in asked]
        open_, depth = list(range(len(asked))), max(DEPTH, 4 * wanted.k)
        while open_:
            near = self._near([asked[at] for at in open_], depth, wanted)
            further = []
            for at, by_meaning in zip(open_, near, strict=True):
                by_words = [] if wanted.mode == "vector" else self._by_words(asked[at].text, depth, wanted)
                hits = ranking.fuse(by_meaning, by_words, weight=asked[at].weight)
                found[at] = self._chosen(asked[at], self._reranked(asked[at], hits, wanted), wanted)
                # One document may fill the depth of both legs: look deeper until the list is full or all was seen.
                exhausted = len(by_meaning) < depth and len(by_words) < depth
                if len(found[at]) < wanted.k and not exhausted and depth < DEEPEST:
                    further.append(at)
            open_, depth = further, min(DEEPEST, 4 * depth)
        return found

    def _by_words(self, query: str, depth: int, wanted: _Wanted) -> list[tuple[int, float]]:
        """The hits of the words; in both ways together, where they are not English, of their other forms too."""
        words = ranking.terms(query)
        both = wanted.mode == "hybrid"
        if not (both and labels.foreign(query)):
            hits = self._words_of(words, depth, wanted)
            if not both:
                return hits
            # A few words may be of any language: that of what holds them decides.
            spoken = self.case.languages_of([chunk for chunk, _ in hits[:TOLD_BY]]).values()
            if 2 * sum(language != "en" for language in spoken) <= len(spoken):
                return hits
        return self._words_of(words, depth, wanted, forms=True)

    def _words_of(
        self, words: Sequence[str], depth: int, wanted: _Wanted, *, forms: bool = False
    ) -> list[tuple[int, float]]:
        return self.case.best_words(
            words, depth, include=wanted.include, exclude=wanted.exclude, among=wanted.among, forms=forms
        )

    def _near(self, asked: Sequence[_Asked], depth: int, wanted: _Wanted) -> list[list[tuple[int, float]]]:
        vectors = [ask.vector for ask in asked if ask.vector is not None]
        if len(vectors) < len(asked):
            return [[] for _ in asked]
        return self.case.nearest_many(
            asked[0].model, vectors, depth, include=wanted.include, exclude=wanted.exclude, among=wanted.among
        )

    def _reranked(self, ask: _Asked, hits: list[ranking.Hit], wanted: _Wanted) -> list[ranking.Hit]:
        """The best hits in the order that the model for it and the searches make together."""
        if self.engines.reranker is None or wanted.mode != "hybrid":
            return hits
        chunks = self.case.chunks([hit.chunk for hit in hits[:RERANKED]])
        kept = [hit for hit in hits[:RERANKED] if hit.chunk in chunks]
        try:
            scores = self.engines.reranker.score(ask.text, [chunks[hit.chunk].text for hit in kept])
        except (ModelMissing, ModelUnreadable) as error:
            self._unranked = f"{error.sentence} {error.hint}"
            return hits
        return [*ranking.rerank(kept, scores), *hits[RERANKED:]]

    def _chosen(
        self,
        ask: _Asked,
        hits: list[ranking.Hit],
        wanted: _Wanted,
    ) -> list[tuple[Passage, ...]]:
        if ask.vector is not None:
            # A hit of the word leg gets its cosine too, so that every passage can say how near it is.
            unknown = [hit.chunk for hit in hits if hit.similarity is None]
            cosines = self.case.cosines(ask.model, ask.vector, unknown)
            hits = [
                replace(hit, similarity=cosines[hit.chunk]) if hit.similarity is None and hit.chunk in cosines else hit
                for hit in hits
            ]
        if wanted.strict:
            hits = [hit for hit in hits if ranking.confidence(hit, near=ask.near) == "high"]
        documents = self.case.documents_of([hit.chunk for hit in hits])
        hits = [hit for hit in hits if hit.chunk in documents]
        limit = wanted.k
        while True:
            chosen = ranking.choose(
                hits,
                documents.__getitem__,
                limit=limit,
                per_document=wanted.per_document,
                min_similarity=wanted.min_similarity,
            )
            chunks = self.case.chunks([hit.chunk for hit in chosen])
            passages = [_passage(hit, chunks[hit.chunk], near=ask.near) for hit in chosen if hit.chunk in chunks]
            groups = near_duplicates.collapse(passages, self.case.likenesses().values())
            if len(groups) >= wanted.k or len(chosen) < limit:
                return groups[: wanted.k]
            limit += wanted.k - len(groups)

    def _nothing_found(self, query: str, wanted: _Wanted) -> str:
        """What was searched, how many passages were looked at, what to try."""
        documents, passages = self.case.searched(wanted.include, wanted.exclude)
        if not self.case.counts()["chunks"]:
            return "The case holds no text yet: add documents, then search again."
        if wanted.among is not None:
            passages = len(wanted.among)
        return (
            f"Nothing found for “{query[:80]}” in {passages:,} passages of {documents:,} documents"
            f"{' without those left out' if wanted.exclude else ''}. "
            f"Try {_what_to_try(wanted)}."
        )

    def look_for(self, queries: Sequence[str], *, k: int = 10) -> tuple[SearchResult, ...]:
        """What is there, before saying that something is not: one result for each query."""
        return tuple(self.search_many(queries, k=k))

    def _nearness_is_measured(self) -> bool:
        embedder = self.embedder_for_searches()
        try:
            return embedder is not None and ranking.measured(embedder.fingerprint)
        except (ModelMissing, ModelUnreadable):
            return False

    def check_indicators(self) -> tuple[IndicatorHit, ...]:
        """For each open indicator the best passage of every document that came since it was last looked at."""
        hits: list[IndicatorHit] = []
        near = self._nearness_is_measured()
        for indicator in self.case.considerations("indicator"):
            new = [
                document.id
                for document in self.case.documents()
                if int(document.id[1:]) > indicator.seen and document.included and document.status == "ready"
            ]
            if indicator.status != "open" or not new or not indicator.query.strip():
                continue
            found = self.search(indicator.query, include=new, k=3 * len(new), per_document=3)
            best: dict[str, Passage] = {}
            for passage in found.passages:
                # In one new document something always ranks first, so ranks say nothing here.
                if ranking.answers(indicator.query, passage.text, passage.similarity if near else None):
                    best.setdefault(passage.document, passage)
            hits += [
                IndicatorHit(indicator.id, p.document, p.name, p.page, p.page_id, p.start, p.end, p.text)
                for p in best.values()
            ]
        return tuple(hits)


def _passage(hit: ranking.Hit, chunk: Chunk, *, near: bool) -> Passage:
    level = ranking.confidence(hit, near=near)
    return Passage(
        rank=0,
        chunk=chunk.id,
        page_id=chunk.page_id,
        document=chunk.document,
        name=chunk.name,
        page=chunk.page,
        start=chunk.start,
        end=chunk.end,
        text=chunk.text,
        score=round(hit.score, 9),
        vector_rank=hit.vector_rank,
        lexical_rank=hit.lexical_rank,
        similarity=None if hit.similarity is None else round(hit.similarity, 6),
        confidence="low" if level == "insufficient" else level,
        trusted=near,
    )


def _level(ask: _Asked, passages: Sequence[Passage]) -> ranking.Level:
    """The best that can be said of any passage that was found."""
    best: ranking.Level = "insufficient"
    # What the search model has to spell out (a word nobody knows, another language) is near to something all the same:
    # then a passage must have a word of it.
    spelt = ask.vector is not None and ask.weight < ranking.TRUSTED
    for passage in passages:
        if spelt and passage.lexical_rank is None:
            continue
        if passage.confidence != "low" and ranking.LEVELS.index(passage.confidence) < ranking.LEVELS.index(best):
            best = passage.confidence
        elif best == "insufficient" and (
            ask.vector is None or not ask.near or ranking.answers(ask.text, passage.text, passage.similarity)
        ):
            best = "low"
    return best


def _what_to_try(wanted: _Wanted) -> str:
    ways = ["other words"]
    if wanted.strict:
        ways.append("passages of lower confidence too")
    if wanted.min_similarity > 0:
        ways.append("a lower minimum similarity")
    if wanted.mode != "hybrid":
        ways.append("both ways to search")
    if wanted.include is not None or wanted.exclude or wanted.among is not None:
        ways.append("more documents")
    return ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])} or {ways[-1]}"


def _query_text(text: str) -> str:
    """One line of what can be seen."""
    stripped = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not stripped:
        raise BadInput(reason="The search text is empty.", remedy="Write a word, a phrase or a sentence.")
    return stripped[:LONGEST_QUERY]
