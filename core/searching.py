"""Finding passages: the two legs of a search, their fusion, and what is looked for on its own."""

from __future__ import annotations

import time
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.documents import Documents
from core.domain import (
    Chunk,
    Passage,
)
from core.errors import (
    BadInput,
    ModelMissing,
    ModelUnreadable,
)
from core.ports import Embedder
from core.steps import retrieve

Mode = Literal["hybrid", "vector", "lexical"]
MODES: tuple[Mode, ...] = ("hybrid", "vector", "lexical")

PER_DOCUMENT = 5
LONGEST_QUERY = 2_000  # characters of a query that are used; the embedder's window ends far earlier


@dataclass(frozen=True, slots=True)
class SearchResult:
    query: str
    passages: tuple[Passage, ...]
    seconds: float
    notes: tuple[str, ...] = ()


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
    ) -> SearchResult:
        """The ``k`` best passages for ``text``; ``include`` and ``exclude`` name documents.

        Raises NoSuchItem for an unknown document, BadInput for an empty query.
        """
        return self.search_many(
            [text],
            k=k,
            include=include,
            exclude=exclude,
            mode=mode,
            min_similarity=min_similarity,
            per_document=per_document,
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
    ) -> list[SearchResult]:
        """One result a query; the queries are embedded together."""
        began = time.monotonic()
        queries = [_query_text(text) for text in texts]
        scope, left_out = self._scope(include, exclude)
        embedder, notes = self._embedder_for(mode)
        vectors: list[bytes] | None = None
        if embedder is not None:
            try:
                vectors = embedder.embed(queries)
            except (ModelMissing, ModelUnreadable) as error:
                notes.append(f"{error.sentence} {error.hint}")
        results = []
        for at, query in enumerate(queries):
            hits = self._hits(
                query,
                vectors[at] if vectors is not None else None,
                k=k,
                scope=scope,
                left_out=left_out,
                mode=mode,
                min_similarity=min_similarity,
                per_document=per_document,
            )
            passages = self._passages(hits)
            found = tuple(notes) if passages else (*notes, self._nothing_found(query, scope, left_out))
            results.append(SearchResult(query, passages, time.monotonic() - began, found))
            began = time.monotonic()
        return results

    def _scope(self, include: Collection[str] | None, exclude: Collection[str]) -> tuple[list[str] | None, list[str]]:
        """Documents to search (None: all) and documents to leave out, after those the person took out of scope."""
        for document in (*(include or ()), *exclude):
            self.case.document(document)
        left_out = set(exclude)
        if include is None:
            left_out.update(document.id for document in self.case.documents() if not document.included)
        return (None if include is None else sorted(include)), sorted(left_out)

    def _embedder_for(self, mode: Mode) -> tuple[Embedder | None, list[str]]:
        if mode not in MODES:
            raise BadInput(reason=f"'{mode}' is no way to search.", remedy="Use hybrid, vector or lexical.")
        if mode == "lexical":
            return None, []
        embedder = self.engines.embedder
        if embedder is None:
            return None, ["The search model is not on this computer: passages were found by their words only."]
        return embedder, []

    def _hits(
        self,
        query: str,
        vector: bytes | None,
        *,
        k: int,
        scope: list[str] | None,
        left_out: list[str],
        mode: Mode,
        min_similarity: float,
        per_document: int,
    ) -> list[retrieve.Hit]:
        embedder = self.engines.embedder
        match = ""
        if mode != "vector":
            wanted = retrieve.terms(query)
            match = retrieve.match_expression(
                wanted, self.case.document_frequency(wanted), self.case.counts()["chunks"]
            )
        depth = max(100, 4 * k)
        while True:
            near: list[tuple[int, float]] = []
            if vector is not None and embedder is not None:
                near = self.case.nearest(embedder.fingerprint, vector, depth, include=scope, exclude=left_out)
            words = self.case.lexical(match, depth, include=scope, exclude=left_out) if match else []
            hits = retrieve.fuse(near, words)
            if vector is not None and embedder is not None:
                hits = [self._with_similarity(hit, vector, embedder.fingerprint) for hit in hits]
            chunks = self.case.chunks([hit.chunk for hit in hits])
            documents = {chunk.id: chunk.document for chunk in chunks.values()}
            chosen = retrieve.choose(
                hits,
                documents.__getitem__,
                limit=k,
                per_document=per_document,
                min_similarity=min_similarity,
            )
            # One document may fill the depth of both legs: look deeper until the list is full or all was seen.
            exhausted = len(near) < depth and len(words) < depth
            if len(chosen) >= k or exhausted or depth >= 4096:
                return chosen
            depth = min(4096, depth * 4)

    def _with_similarity(self, hit: retrieve.Hit, query: bytes, model: str) -> retrieve.Hit:
        """A hit of the word leg gets its cosine too, so that every passage can say how near it is."""
        if hit.similarity is not None:
            return hit
        stored = self.case.vector(model, hit.chunk)
        return hit if stored is None else replace(hit, similarity=_cosine(query, stored))

    def _passages(self, hits: Sequence[retrieve.Hit]) -> tuple[Passage, ...]:
        chunks = self.case.chunks([hit.chunk for hit in hits])
        return tuple(
            _passage(rank, hit, chunks[hit.chunk]) for rank, hit in enumerate(hits, start=1) if hit.chunk in chunks
        )

    def _nothing_found(self, query: str, scope: list[str] | None, left_out: list[str]) -> str:
        counts = self.case.counts()
        where = f"{len(scope)} chosen documents" if scope is not None else f"{counts['documents']} documents"
        if left_out:
            where += f" without {len(left_out)} left out"
        if not counts["chunks"]:
            return "The case holds no text yet: add documents, then search again."
        return (
            f"Nothing found in {where} ({counts['chunks']} passages) for “{query[:80]}”. "
            "Try other words, a lower minimum similarity, or more documents."
        )

    def look_for(self, queries: Sequence[str], *, k: int = 10) -> tuple[SearchResult, ...]:
        """What is there, before saying that something is not: one result for each query."""
        return tuple(self.search_many(queries, k=k))

    def check_indicators(self) -> tuple[IndicatorHit, ...]:
        """For each open indicator the best passage of every document that came since it was last looked at."""
        hits: list[IndicatorHit] = []
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
                if retrieve.answers(indicator.query, passage.text, passage.similarity):
                    best.setdefault(passage.document, passage)
            hits += [
                IndicatorHit(indicator.id, p.document, p.name, p.page, p.page_id, p.start, p.end, p.text)
                for p in best.values()
            ]
        return tuple(hits)


def _passage(rank: int, hit: retrieve.Hit, chunk: Chunk) -> Passage:
    return Passage(
        rank=rank,
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
        confidence=retrieve.confidence(hit),
    )


def _cosine(one: bytes, other: bytes) -> float:
    """Of two unit vectors of float32; plain Python, since only a few passages a query need it."""
    first, second = array("f"), array("f")
    first.frombytes(one)
    second.frombytes(other)
    return sum(a * b for a, b in zip(first, second, strict=True))


def _query_text(text: str) -> str:
    stripped = " ".join(text.split())
    if not stripped:
        raise BadInput(reason="The search text is empty.", remedy="Write a word, a phrase or a sentence.")
    return stripped[:LONGEST_QUERY]
