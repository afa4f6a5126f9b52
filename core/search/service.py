"""Finding passages: the two legs of a search, their fusion, and what is looked for on its own."""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from core.documents import near_duplicates
from core.domain import (
    Changes,
    Chunk,
    Consideration,
    Document,
    Entity,
    Passage,
)
from core.entities import names as naming
from core.errors import BadInput, IndexDamaged, ModelMissing, ModelUnreadable
from core.progress import Progress, silent
from core.report.csv_form import harmless
from core.search import clustering as grouping
from core.search import query_language, ranking
from core.search.query_language import Query, parse
from core.text import sentences
from core.timeline import dates
from core.timeline.service import _own_date
from core.verdicts import labels

if TYPE_CHECKING:
    from core.entities.service import Entities
    from core.open_case import OpenCase
    from core.search.embedding_index import EmbeddingIndex
    from core.timeline.service import Timeline


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


_THEMES = 200  # passages that themes are made of

TALLIED = 200  # passages by meaning that a query of a list is counted in

_WHOLE = re.compile(r"""["'“‘«(]?[^\W_a-z].*[.!?]["'”’»)]?\s*\Z""", re.DOTALL)  # a sentence with both its ends


@dataclass(frozen=True, slots=True)
class Group:
    """Passages on one matter, the most central first, with the words that set them apart."""

    label: tuple[str, ...]
    passages: tuple[int, ...]
    cohesion: float


@dataclass(frozen=True, slots=True)
class Theme:
    """A matter that several passages are about, with the sentence of theirs that is nearest to all: a verbatim span of
    its page, to begin a hypothesis with.
    """

    label: tuple[str, ...]
    sentence: str
    passage: Chunk
    start: int
    end: int
    passages: tuple[Chunk, ...]
    documents: int


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a query of a list is met: the passages, by document in order, and what is to be said of the query."""

    query: str
    passages: Mapping[str, tuple[int, ...]]
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return sum(len(chunks) for chunks in self.passages.values())


class Search:
    """Finding passages by words, by meaning and by conditions."""

    def __init__(self, case: OpenCase, index: EmbeddingIndex, entities: Entities, timeline: Timeline) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._entities = entities
        self._timeline = timeline

    def passages_for(
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
            found, unranked = self._find(asked, wanted)
        except IndexDamaged as error:
            if self._store.read_only:
                raise
            # Everything in it can be made again, so nobody need know how to ask for that.
            self._store.rebuild_index()
            notes.append(f"{error.sentence} It was made again from the pages.")
            found, unranked = self._find(asked, wanted)
        if unranked:
            notes.append(unranked)
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
            self._store.documents.get(document)
        left_out = set(exclude)
        if include is None:
            left_out.update(self._store.scope.left_out())
        return (None if include is None else sorted(include)), sorted(left_out)

    def _asked(self, queries: Sequence[str], mode: Mode) -> tuple[list[_Asked], list[str]]:
        """The queries with their vectors, as far as there is a search model."""
        if mode not in MODES:
            raise BadInput(reason=f"'{mode}' is not a way to search.", remedy="Use hybrid, vector or lexical.")
        embedder = self._index.embedder()
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
        if waiting := self._store.vectors.count_without(model):
            notes.append(
                f"{waiting:,} passages have no vector of this search model yet and are found by their words only: "
                "they get one when documents are next added, or now with: disconfirm embed"
            )
        if not ranking.measured(model):
            notes.append(
                f"Similarity was not measured with {model.partition(' sha256:')[0]}: the confidence of a "
                "passage is based on its words."
            )
        weights = [ranking.vector_weight(query, count) for query, count in zip(queries, pieces, strict=True)]
        told = zip(queries, vectors, weights, strict=True)
        return [_Asked(query, model, vector, weight) for query, vector, weight in told], notes

    def _find(self, asked: Sequence[_Asked], wanted: _Wanted) -> tuple[list[list[tuple[Passage, ...]]], str]:
        """For each query the passages to show, each with its copies; and why they were not reranked, or ''."""
        unranked = ""
        self._store.vectors.memory_for_search = self._open.engines.search_memory
        found: list[list[tuple[Passage, ...]]] = [[] for _ in asked]
        open_, depth = list(range(len(asked))), max(DEPTH, 4 * wanted.k)
        while open_:
            near = self._near([asked[at] for at in open_], depth, wanted)
            further = []
            for at, by_meaning in zip(open_, near, strict=True):
                by_words = [] if wanted.mode == "vector" else self._by_words(asked[at].text, depth, wanted)
                hits = ranking.fuse(by_meaning, by_words, weight=asked[at].weight)
                try:
                    hits = self._reranked(asked[at], hits, wanted)
                except (ModelMissing, ModelUnreadable) as error:
                    unranked = f"{error.sentence} {error.hint}"
                found[at] = self._chosen(asked[at], hits, wanted)
                # One document may fill the depth of both legs: look deeper until the list is full or all was seen.
                exhausted = len(by_meaning) < depth and len(by_words) < depth
                if len(found[at]) < wanted.k and not exhausted and depth < DEEPEST:
                    further.append(at)
            open_, depth = further, min(DEEPEST, 4 * depth)
        return found, unranked

    def _by_words(self, query: str, depth: int, wanted: _Wanted) -> list[tuple[int, float]]:
        """The hits of the words; in both ways together, where they are not English, of their other forms too."""
        words = ranking.terms(query)
        both = wanted.mode == "hybrid"
        if not (both and labels.foreign(query)):
            hits = self._words_of(words, depth, wanted)
            if not both:
                return hits
            # A few words may be of any language: that of what holds them decides.
            spoken = self._store.pages.languages_of([chunk for chunk, _ in hits[:TOLD_BY]]).values()
            if 2 * sum(language != "en" for language in spoken) <= len(spoken):
                return hits
        return self._words_of(words, depth, wanted, forms=True)

    def _words_of(
        self, words: Sequence[str], depth: int, wanted: _Wanted, *, forms: bool = False
    ) -> list[tuple[int, float]]:
        return self._store.words.best(
            words, depth, include=wanted.include, exclude=wanted.exclude, among=wanted.among, forms=forms
        )

    def _near(self, asked: Sequence[_Asked], depth: int, wanted: _Wanted) -> list[list[tuple[int, float]]]:
        vectors = [ask.vector for ask in asked if ask.vector is not None]
        if len(vectors) < len(asked):
            return [[] for _ in asked]
        return self._store.vectors.nearest_many(
            asked[0].model, vectors, depth, include=wanted.include, exclude=wanted.exclude, among=wanted.among
        )

    def _reranked(self, ask: _Asked, hits: list[ranking.Hit], wanted: _Wanted) -> list[ranking.Hit]:
        """The best hits in the order that the model for it and the searches make together. Raises ModelMissing,
        ModelUnreadable.
        """
        if self._open.engines.reranker is None or wanted.mode != "hybrid":
            return hits
        chunks = self._store.pages.chunks([hit.chunk for hit in hits[:RERANKED]])
        kept = [hit for hit in hits[:RERANKED] if hit.chunk in chunks]
        scores = self._open.engines.reranker.score(ask.text, [chunks[hit.chunk].text for hit in kept])
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
            cosines = self._store.vectors.cosines(ask.model, ask.vector, unknown)
            hits = [
                replace(hit, similarity=cosines[hit.chunk]) if hit.similarity is None and hit.chunk in cosines else hit
                for hit in hits
            ]
        if wanted.strict:
            hits = [hit for hit in hits if ranking.confidence(hit, near=ask.near) == "high"]
        documents = self._store.pages.documents_of([hit.chunk for hit in hits])
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
            chunks = self._store.pages.chunks([hit.chunk for hit in chosen])
            passages = [_passage(hit, chunks[hit.chunk], near=ask.near) for hit in chosen if hit.chunk in chunks]
            groups = near_duplicates.collapse_duplicates(passages, self._store.documents.likenesses().values())
            if len(groups) >= wanted.k or len(chosen) < limit:
                return groups[: wanted.k]
            limit += wanted.k - len(groups)

    def _nothing_found(self, query: str, wanted: _Wanted) -> str:
        """What was searched, how many passages were looked at, what to try."""
        documents, passages = self._store.scope.searched(wanted.include, wanted.exclude)
        if not self._store.counts()["chunks"]:
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

    def similarity_is_measured(self) -> bool:
        embedder = self._index.embedder()
        try:
            return embedder is not None and ranking.measured(embedder.fingerprint)
        except (ModelMissing, ModelUnreadable):
            return False

    def similarity(self, texts: Sequence[str], chunks: Sequence[int]) -> list[dict[int, float]]:
        """For each text how near these passages are to it; nothing without a search model."""
        embedder = self._index.embedder()
        if embedder is None:
            return [{} for _ in texts]
        return [self._store.vectors.cosines(embedder.fingerprint, v, chunks) for v in embedder.embed_queries(texts)]

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
        embedder = self._index.embedder()
        if embedder is None:
            raise ModelMissing(role="search", path="the models folder", effect="passages cannot be grouped")
        made = []
        for group in self.grouped(result.passages):
            if len(group.passages) < least:
                continue
            chunks = self._store.pages.chunks(group.passages)
            centre = chunks[group.passages[0]]
            spans = [s for s in sentences(centre.text) if s.end - s.start > 20] or sentences(centre.text)
            # Scans and passages cut through sentences: a whole one says more.
            spans = [s for s in spans if _WHOLE.match(centre.text[s.start : s.end])] or spans
            told = embedder.embed([centre.text[s.start : s.end] for s in spans])
            nearness = [
                sum(self._store.vectors.cosines(embedder.fingerprint, vector, group.passages).values())
                for vector in told
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
        embedder = self._index.embedder()
        if embedder is None:
            raise ModelMissing(role="search", path="the models folder", effect="passages cannot be grouped")
        pairs = [(self._store.vectors.get(embedder.fingerprint, chunk), chunk) for chunk in dict.fromkeys(chunks)]
        return [v for v, _ in pairs if v is not None], [chunk for v, chunk in pairs if v is not None]

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
        """Find what a person typed, with its conditions (see core.search.query_language): words rank what fulfils them.

        Conditions without words give the passages that fulfil them in the order of the documents. A name that is not in
        the gazetteer is looked for as it is written. Raises BadInput for an empty query.
        """
        asked = parse(text)
        if not asked.conditions:
            if not asked.words.strip() and text.strip():
                return SearchResult(text, (), 0.0, ("Nothing to look for: write a word, a phrase or a condition.",))
            options = {"min_similarity": min_similarity, "per_document": per_document, "strict": strict}
            found = self.passages_for(asked.words, k=k, mode=mode, **options)  # type: ignore[arg-type]
            return replace(found, query=text, notes=(*asked.notes, *found.notes))
        began = time.monotonic()
        notes = list(asked.notes)
        documents = self._fitting(asked, notes)
        among = self._among(asked, notes)
        if documents == [] or among == set():
            looked, through = self._store.scope.searched(None, self._store.scope.left_out())
            notes.append(
                f"Nothing in {through:,} passages of {looked:,} documents meets these conditions. "
                "Remove one of them, or write it in another way."
            )
            return SearchResult(text, (), time.monotonic() - began, tuple(notes))
        if asked.words.strip():
            result = self.passages_for(
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
        kept = [d for d in self._store.documents.all() if d.included and (documents is None or d.id in documents)]
        chunks: list[int] = []
        for document in kept:
            mine = [chunk for chunk in self._store.pages.chunk_ids(document.id) if among is None or chunk in among]
            chunks += mine[:per_document]
            if len(chunks) >= k:
                break
        passages = self.passages(chunks[:k])
        if not passages:
            notes.append("No passage meets these conditions.")
        return SearchResult(text, passages, time.monotonic() - began, tuple(notes))

    def passages(self, chunks: Sequence[int]) -> tuple[Passage, ...]:
        """Passages as they stand, ranked by nothing but the order in which they are asked for."""
        found = self._store.pages.chunks(chunks)
        there = [found[chunk] for chunk in dict.fromkeys(chunks) if chunk in found]
        return tuple(
            Passage(
                *(rank, c.id, c.page_id, c.document, c.name, c.page, c.start, c.end, c.text),
                *(0.0, None, None, None, "low"),
                source=c.source,
            )
            for rank, c in enumerate(there, start=1)
        )

    def similar(
        self, chunk: int, *, k: int = 30, mode: Mode = "hybrid", strict: bool = False, per_document: int = PER_DOCUMENT
    ) -> SearchResult:
        """Passages like a passage, without it and what overlaps it on its page. Raises BadInput."""
        own = self._store.pages.chunks([chunk]).get(chunk)
        if own is None:
            raise BadInput(reason=f"There is no passage {chunk}.", remedy="Choose one that the search found.")

        def other(passage: Passage) -> bool:
            apart = passage.end <= own.start or passage.start >= own.end
            return passage.chunk != chunk and (passage.page_id != own.page_id or apart)

        room = 8  # passages that overlap it, and a copy that stood in its place, leave the list full
        found = self.passages_for(own.text, k=k + room, mode=mode, strict=strict, per_document=per_document + room)
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

    def query_counts(
        self, queries: Sequence[str], *, by: Literal["words", "meaning"] = "words", progress: Progress | None = None
    ) -> list[Tally]:
        """How often each query of a list is met, by document.

        'words': every passage in scope that holds all words of the query and fulfils its conditions. 'meaning': those
        of high and medium confidence among the first TALLIED. Queries that are empty are left out.
        """
        progress = progress or silent()
        asked = [" ".join(query.split()) for query in queries]
        asked = [query for query in dict.fromkeys(asked) if query]
        order = [document.id for document in self._store.documents.all() if document.included and document.pages]
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
            documents = self._store.pages.documents_of(chunks)
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
            held = set(self._store.words.matching("text : (" + " AND ".join(f'"{word}"' for word in words) + ")"))
            among = held if among is None else among & held
        chunks = sorted(self._store.pages.every_chunk() if among is None else among)
        if documents is not None:
            of, wanted = self._store.pages.documents_of(chunks), set(documents)
            chunks = [chunk for chunk in chunks if of.get(chunk) in wanted]
        return chunks, notes

    def query_table(self, tallies: Sequence[Tally]) -> bytes:
        """The counts as comma-separated values: a row a query, a column a document. UTF-8 with a byte order mark;
        texts that a spreadsheet would take for a formula get an apostrophe in front.
        """
        names = {document.id: document.name for document in self._store.documents.all()}
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

        everything = [d for d in self._store.documents.all() if d.included and d.pages]
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
            among = set(self._store.words.matching(f"text : ({there})"))
        for wanted in asked.names:
            known = next((e for e in self._store.entities.all("confirmed") if wanted.casefold() in _called(e)), None)
            if known is None:
                notes.append(f"“{wanted}” is not among the names of the case; it was looked for as it is written.")
            find = naming.name_matcher([known or Entity("N0", wanted)])
            spots = {c.id for c in self._entities.mentioning([known or Entity("N0", wanted)]) if find(c.text)}
            among = spots if among is None else among & spots
        if asked.when:
            spoken = {d.id: d.language for d in self._store.documents.all() if d.included}
            first, last = asked.when
            may = dates.years_of(first, last)
            some = self._store.pages.chunks(sorted(self._store.pages.every_chunk() if among is None else among))
            among = {
                c.id
                for c in some.values()
                if c.document in spoken
                and may.search(c.text)
                and any(dates.within(date, first, last) for date in self._timeline.dates_of(c, spoken[c.document]))
            }
        if away:
            gone = set(self._store.words.matching(f"text : ({away})"))
            among = (set(self._store.pages.every_chunk()) if among is None else among) - gone
        return among

    def saved(self) -> list[Consideration]:
        """``text`` is the name of each, ``query`` what it looks for."""
        return self._store.considerations.all("search")

    def save(self, name: str, query: str) -> Consideration:
        """Raises BadInput."""
        if not query.strip():
            raise BadInput(reason="There is nothing to save: the search is empty.", remedy="Write what to look for.")
        return self._store.considerations.add("search", name.strip() or query.strip(), query=query)

    def remove_saved(self, search: str) -> Changes:
        self._store.considerations.remove(search)
        return Changes(hypotheses=True)


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
        source=chunk.source,
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
        ways.append("both ways of searching")
    if wanted.include is not None or wanted.exclude or wanted.among is not None:
        ways.append("more documents")
    return ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])} or {ways[-1]}"


def _query_text(text: str) -> str:
    """One line of what can be seen."""
    stripped = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not stripped:
        raise BadInput(reason="The search text is empty.", remedy="Write a word, a phrase or a sentence.")
    return stripped[:LONGEST_QUERY]


def _dated_within(document: Document, after: str, before: str) -> bool:
    """Whether the document's date, the analyst's before the file's, may lie between two days."""
    if not after and not before:
        return True
    told = _own_date(document)
    return told is not None and told.latest[:10] >= after and (not before or told.earliest[:10] <= before)


def _called(entity: Entity) -> set[str]:
    return {name.casefold() for name in (entity.name, *entity.aliases)}
