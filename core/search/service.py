"""Finding passages: the two legs of a search, their fusion, and what is looked for on its own."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from core.documents import near_duplicates
from core.domain import Absence, Changes, Chunk, Consideration, Entity, Passage, Quote, ShowMode, Span
from core.entities import names as naming
from core.errors import BadInput, EngineStopped, IndexDamaged, ModelMissing, ModelUnreadable
from core.language import dates
from core.language.identification import ENGLISH, language_of, name_of, possible_languages
from core.search import clustering as grouping
from core.search import document_conditions, query_language, ranking
from core.search.passages import Question, best_level, passage_of, unranked
from core.search.query_language import Query, parse
from core.text import counted, sentences
from core.timeline.service import own_date

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
    """The passages that a query finds, best first, and what is to be said of the search.

    ``copies`` has, by the chunk of a passage that is shown, the passages that say the same elsewhere; they have its
    rank.

    ``confidence`` is that of the best passage; insufficient: nothing that was found seems to be about the query.
    """

    query: str
    passages: tuple[Passage, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    copies: Mapping[int, tuple[Passage, ...]] = field(default_factory=dict)
    confidence: ranking.Level = "insufficient"


class SearchOptions(TypedDict, total=False):
    """What may be asked of a search; ``include`` and ``exclude`` name documents, ``among`` passages."""

    k: int
    include: Collection[str] | None
    exclude: Collection[str]
    mode: Mode
    min_similarity: float
    per_document: int
    show: ShowMode  # a key of core.search.passages.SHOW_MODES
    among: Collection[int] | None


@dataclass(frozen=True, slots=True)
class _Options:
    """The scope, size and ways of a search; see SearchOptions."""

    k: int = 30
    include: Collection[str] | None = None
    exclude: Collection[str] = ()
    mode: Mode = "hybrid"
    min_similarity: float = 0.0
    per_document: int = PER_DOCUMENT
    show: ShowMode = "exploratory"
    among: Collection[int] | None = None


_RECENT = 64  # queries whose vectors are held: the same is often asked of one document after another

_THEMES = 200  # passages that themes are made of

_WHOLE = re.compile(r"""["'“‘«(]?[^\W_a-z].*[.!?]["'”’»)]?\s*\Z""", re.DOTALL)  # a sentence with both its ends


@dataclass(frozen=True, slots=True)
class Group:
    """Passages on one matter, the most central first, with the words that set them apart."""

    label: tuple[str, ...]
    passages: tuple[int, ...]
    cohesion: float


@dataclass(frozen=True, slots=True)
class Theme:
    """A matter that several passages are about, with the sentence of theirs that is nearest to all.

    The sentence is a verbatim span of its page, to begin a hypothesis with.
    """

    label: tuple[str, ...]
    sentence: str
    passage: Chunk
    start: int
    end: int
    passages: tuple[Chunk, ...]
    documents: int


class Conditions:
    """The conditions of a query on documents and passages, beside its words."""

    def __init__(self, case: OpenCase, entities: Entities, timeline: Timeline) -> None:
        self._store = case.store
        self._entities = entities
        self._timeline = timeline

    def documents(self, query: Query, notes: list[str]) -> list[str] | None:
        """List the documents in scope that fulfil what is asked of documents; None if nothing is."""
        in_scope = [document for document in self._store.documents.all() if document.included and document.pages]
        return document_conditions.fitting(query, in_scope, own_date, notes)

    def passages(self, query: Query, notes: list[str]) -> set[int] | None:
        """Find the passages that fulfil what is asked of their words; None if nothing is."""
        among: set[int] | None = None
        wanted, away = query_language.required_expression(query), query_language.excluded_expression(query)
        if wanted:
            among = set(self._store.words.matching(wanted))
        for name in query.names:
            entity = next((e for e in self._store.entities.all("confirmed") if name.casefold() in _spellings(e)), None)
            if entity is None:
                notes.append(f"“{name}” is not among the names of the case; it was looked for as it is written.")
            find = naming.name_matcher([entity or Entity("N0", name)])
            spots = {c.id for c in self._entities.mentioning([entity or Entity("N0", name)]) if find(c.text)}
            among = spots if among is None else among & spots
        if query.when:
            languages = {d.id: d.language for d in self._store.documents.all() if d.included}
            first, last = query.when
            may = dates.years_of(first, last)
            candidates = self._store.pages.chunks(sorted(self._store.pages.every_chunk() if among is None else among))
            among = {
                c.id
                for c in candidates.values()
                if c.document in languages
                and may.search(c.text)
                and any(dates.within(date, first, last) for date in self._timeline.dates_of(c, languages[c.document]))
            }
        if away:
            exclusions = set(self._store.words.matching(away))
            among = (set(self._store.pages.every_chunk()) if among is None else among) - exclusions
        return among


class Search:
    """Finding passages by words, by meaning and by conditions."""

    def __init__(self, case: OpenCase, index: EmbeddingIndex, entities: Entities, timeline: Timeline) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._conditions = Conditions(case, entities, timeline)
        self._recent: dict[tuple[str, str], tuple[bytes, int]] = {}  # vectors and pieces of queries, by model

    def passages_for(self, text: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """Find the ``k`` best passages for ``text``.

        Raises NoSuchItem for an unknown document, BadInput for an empty query.
        """
        return self.search_many([text], **options)[0]

    def search_many(self, texts: Sequence[str], **asked: Unpack[SearchOptions]) -> list[SearchResult]:
        """Answer each query with a result; they are embedded together and go through the passages together."""
        began = time.monotonic()
        options = _Options(**asked)
        scope, left_out = self._scope(options.include, options.exclude)
        per_document = options.k if options.show == "audit" else options.per_document
        options = replace(options, include=scope, exclude=left_out, per_document=per_document)
        questions, notes = self._questions([_query_text(text) for text in texts], options.mode)
        if any(len(text) > LONGEST_QUERY for text in texts):
            notes.append(f"Only the first {LONGEST_QUERY:,} characters of a search text are used.")
        try:
            groups_of, no_rerank = self._find(questions, options)
        except IndexDamaged as error:
            if self._store.read_only or self._store.db.is_writing:
                raise
            # Everything in it can be made again, so nobody need know how to ask for that.
            self._store.rebuild_index()
            notes.append(f"{error.sentence} It was made again from the pages.")
            groups_of, no_rerank = self._find(questions, options)
        if no_rerank:
            notes.append(no_rerank)
        results = []
        for ask, groups in zip(questions, groups_of, strict=True):
            with_ranks = [[replace(hit, rank=rank) for hit in group] for rank, group in enumerate(groups, start=1)]
            passages = tuple(group[0] for group in with_ranks)
            copies = {group[0].chunk: tuple(group[1:]) for group in with_ranks if len(group) > 1}
            messages = list(notes)
            level = best_level(ask, passages)
            if not passages:
                messages.append(self._nothing_found(ask.text, options))
            elif level == "insufficient":
                messages.append(
                    f"Nothing here seems to be about “{ask.text[:80]}”: these are only the nearest passages."
                )
            if options.show == "audit":
                messages.append(self._extent(options))
            results.append(SearchResult(ask.text, passages, time.monotonic() - began, tuple(messages), copies, level))
            began = time.monotonic()
        return results

    def _scope(self, include: Collection[str] | None, exclude: Collection[str]) -> tuple[list[str] | None, list[str]]:
        """Return documents to search (None: all) and to leave out, with those the person took out of scope."""
        for document in (*(include or ()), *exclude):
            self._store.documents.get(document)
        left_out = set(exclude)
        if include is None:
            left_out.update(self._store.scope.left_out())
        return (None if include is None else sorted(include)), sorted(left_out)

    def _questions(self, queries: Sequence[str], mode: Mode) -> tuple[list[Question], list[str]]:
        """Compute the vectors of the queries, if there is a search model."""
        if mode not in MODES:
            raise BadInput(reason=f"'{mode}' is not a way to search.", remedy="Use hybrid, vector or lexical.")
        embedder = self._index.embedder()
        if mode == "lexical":
            return [Question(query) for query in queries], []
        if embedder is None:
            return [Question(query) for query in queries], [
                "The search model is not on this computer: passages were found by their words only."
            ]
        try:
            model = embedder.fingerprint
            recent = self._recent
            fresh = [query for query in dict.fromkeys(queries) if (model, query) not in recent]
            if fresh:
                pieces = embedder.pieces([ranking.bare(query) for query in fresh])
                rows = zip(fresh, embedder.embed_queries(fresh), pieces, strict=True)
                if embedder.fingerprint != model:  # its process was started again, on other files in the same place
                    return self._questions(queries, mode)
                recent = {**recent, **{(model, query): (vector, count) for query, vector, count in rows}}
                self._recent = dict(list(recent.items())[-_RECENT:])
        except (ModelMissing, ModelUnreadable) as error:
            return [Question(query) for query in queries], [f"{error.sentence} {error.hint}"]
        notes = []
        if waiting := self._store.vectors.count_without(model):
            notes.append(
                f"{counted(waiting, 'passage has', 'passages have')} not been indexed for search by meaning yet. "
                "Until then only words find them: vectors are made when documents are next added, or now with: "
                "disconfirm embed"
            )
        if not ranking.measured(model):
            name = model.partition(" sha256:")[0]
            notes.append(
                f"Similarity was measured with {name} across languages only: the confidence of a passage in the "
                "language of the question is based on its words."
                if ranking.across(model)
                else f"Similarity was not measured with {name}: the confidence of a passage is based on its words."
            )
        crossing = ranking.multilingual(model)
        return [
            Question(
                *(query, model, vector, ranking.vector_weight(query, count, model)),
                possible_languages(query) if crossing else frozenset(),
            )
            for query, (vector, count) in ((query, recent[model, query]) for query in queries)
        ], notes

    def _find(self, questions: Sequence[Question], options: _Options) -> tuple[list[list[tuple[Passage, ...]]], str]:
        """Find for each query the passages to show, each with its copies; and why they were not reranked, or ''."""
        no_rerank = ""
        self._store.vectors.memory_for_search = self._open.engines.search_memory
        groups_of: list[list[tuple[Passage, ...]]] = [[] for _ in questions]
        open_, depth = list(range(len(questions))), max(DEPTH, 4 * options.k)
        while open_:
            hits_by_meaning = self._nearest([questions[index] for index in open_], depth, options)
            further = []
            for index, by_meaning in zip(open_, hits_by_meaning, strict=True):
                text = self._with_aliases(questions[index].text)
                by_words = [] if options.mode == "vector" else self._by_words(text, depth, options)
                foreign = self._foreign(questions[index], [chunk for chunk, _ in (*by_meaning, *by_words)])
                hits = ranking.fuse(by_meaning, by_words, weight=questions[index].weight, foreign=foreign)
                try:
                    hits = self._rerank(questions[index], hits, options)
                except (ModelMissing, ModelUnreadable) as error:
                    no_rerank = f"{error.sentence} {error.hint}"
                groups_of[index] = self._selection(questions[index], hits, options)
                # One document may fill the depth of both legs: look deeper until the list is full or all was seen.
                is_all = len(by_meaning) < depth and len(by_words) < depth
                if len(groups_of[index]) < options.k and not is_all and depth < DEEPEST:
                    further.append(index)
            open_, depth = further, min(DEEPEST, 4 * depth)
        return groups_of, no_rerank

    def _with_aliases(self, query: str) -> str:
        """Add to a query the other names of whoever it names, as they were confirmed."""
        entities = {entity.id: entity for entity in self._store.entities.all("confirmed") if entity.aliases}
        if not entities:
            return query
        named = {mention.entity for mention in naming.name_matcher(list(entities.values()))(query)}
        aliases = [name for key in sorted(named) for name in (entities[key].name, *entities[key].aliases)]
        return " ".join((query, *aliases))

    def _by_words(self, query: str, depth: int, options: _Options) -> list[tuple[int, float]]:
        """Find the hits of the words; in both ways together, where they are not English, of their other forms too."""
        words = ranking.terms(query)
        both = options.mode == "hybrid"
        if not (both and language_of(query) != ENGLISH):
            hits = self._words_of(words, depth, options)
            if not both:
                return hits
            # A few words may be of any language: that of what holds them decides.
            languages = self._store.pages.languages_of([chunk for chunk, _ in hits[:TOLD_BY]]).values()
            if 2 * sum(language != "en" for language in languages) <= len(languages):
                return hits
        return self._words_of(words, depth, options, forms=True)

    def _words_of(
        self, words: Sequence[str], depth: int, options: _Options, *, forms: bool = False
    ) -> list[tuple[int, float]]:
        return self._store.words.best(
            words, depth, include=options.include, exclude=options.exclude, among=options.among, forms=forms
        )

    def _foreign(self, ask: Question, chunks: Sequence[int]) -> set[int]:
        """Find the chunks of another language than the question, as far as both are known."""
        if not ask.languages:
            return set()
        languages = self._store.pages.languages_of(chunks)
        return {chunk for chunk, language in languages.items() if language not in ask.languages}

    def _nearest(self, questions: Sequence[Question], depth: int, options: _Options) -> list[list[tuple[int, float]]]:
        if any(ask.vector is None for ask in questions):
            return [[] for _ in questions]
        hits: list[list[tuple[int, float]]] = [[] for _ in questions]
        for languages in sorted({ask.languages for ask in questions}, key=sorted):
            places = [index for index, ask in enumerate(questions) if ask.languages == languages]
            rows = self._nearest_in(languages, [questions[index] for index in places], depth, options)
            for index, row in zip(places, rows, strict=True):
                hits[index] = row
        return hits

    def _nearest_in(
        self, languages: frozenset[str], questions: Sequence[Question], depth: int, options: _Options
    ) -> list[list[tuple[int, float]]]:
        """Find the nearest chunks of questions of a language; where a case has others too, both on one level."""
        vectors = [ask.vector for ask in questions if ask.vector is not None]

        def nearest(include: Collection[str] | None, exclude: Collection[str]) -> list[list[tuple[int, float]]]:
            return self._store.vectors.nearest_many(
                questions[0].model, vectors, depth, include=include, exclude=exclude, among=options.among
            )

        language_of = self._store.scope.languages() if languages else {}
        documents = {document for document, language in language_of.items() if language in languages}
        if not documents or len(documents) == len(language_of):
            return nearest(options.include, options.exclude)
        within = documents if options.include is None else documents & set(options.include)
        own_language = nearest(sorted(within), options.exclude)
        far = nearest(options.include, sorted(documents | set(options.exclude)))
        return [ranking.level_languages(*pair, depth) for pair in zip(own_language, far, strict=True)]

    def _rerank(self, ask: Question, hits: list[ranking.Hit], options: _Options) -> list[ranking.Hit]:
        """Order the best hits by the reranker and the searches together. Raises ModelMissing, ModelUnreadable."""
        if self._open.engines.reranker is None or options.mode != "hybrid":
            return hits
        chunks = self._store.pages.chunks([hit.chunk for hit in hits[:RERANKED]])
        first = [hit for hit in hits[:RERANKED] if hit.chunk in chunks]
        scores = self._open.engines.reranker.score(ask.text, [chunks[hit.chunk].search_text for hit in first])
        return [*ranking.rerank(first, scores), *hits[RERANKED:]]

    def _selection(self, ask: Question, hits: list[ranking.Hit], options: _Options) -> list[tuple[Passage, ...]]:
        if ask.vector is not None:
            # A hit of the word leg gets its cosine too, so that every passage can say how near it is.
            unknown = [hit.chunk for hit in hits if hit.similarity is None]
            cosines = self._store.vectors.cosines(ask.model, ask.vector, unknown)
            hits = [
                replace(hit, similarity=cosines[hit.chunk]) if hit.similarity is None and hit.chunk in cosines else hit
                for hit in hits
            ]
        if options.show == "strict":
            hits = [hit for hit in hits if ask.level(hit) == "high"]
        documents = self._store.pages.documents_of([hit.chunk for hit in hits])
        hits = [hit for hit in hits if hit.chunk in documents]
        limit = options.k
        while True:
            selection = ranking.diversify(
                hits,
                documents.__getitem__,
                limit=limit,
                per_document=options.per_document,
                min_similarity=options.min_similarity,
            )
            chunks = self._store.pages.chunks([hit.chunk for hit in selection])
            passages = [passage_of(hit, chunks[hit.chunk], ask) for hit in selection if hit.chunk in chunks]
            passages.sort(key=lambda passage: not passage.holds_query)  # word for word: the best there is
            if options.show == "audit":
                return [(passage,) for passage in passages]
            groups = near_duplicates.collapse_duplicates(passages, self._store.documents.likenesses().values())
            if len(groups) >= options.k or len(selection) < limit:
                return groups[: options.k]
            limit += options.k - len(groups)

    def _nothing_found(self, query: str, options: _Options) -> str:
        """Return what was searched, how many passages were looked at, what to try."""
        documents, passages = self._store.scope.searched(options.include, options.exclude)
        if not self._store.counts()["chunks"]:
            return "The case contains no text yet: add documents, then search again."
        if options.among is not None:
            passages = len(options.among)
        return (
            f"Nothing found for “{query[:80]}” in {counted(passages, 'passage')} of {counted(documents, 'document')}"
            f"{' without those left out' if options.exclude else ''}. "
            f"Try {_what_to_try(options)}."
        )

    def _extent(self, options: _Options) -> str:
        """Return what a search went through, and what it did not."""
        documents, passages = self._store.scope.searched(options.include, options.exclude)
        if options.among is not None:
            passages = len(options.among)
        _, lines = self.unsearched()
        return " ".join([f"Searched: {counted(passages, 'passage')} of {counted(documents, 'document')}.", *lines])

    def unsearched(self) -> tuple[int, list[str]]:
        """Count the pages that no search reads, and say what is not searched and what would change that."""
        documents = self._store.documents.all()
        pages = sum(document.pages_without_text for document in documents)
        lines = []
        if pages:
            lines.append(
                f"{counted(pages, 'page has', 'pages have')} no text, so search can't find "
                f"{'it' if pages == 1 else 'them'}. Run OCR."
            )
        if unread := len(self._store.documents.failed()):
            lines.append(f"{counted(unread, 'document')} could not be read: see Documents.")
        if waiting := self._waiting():
            lines.append(f"{counted(waiting, 'file')} of an import {'is' if waiting == 1 else 'are'} still to be read.")
        if aside := sum(not document.included for document in documents):
            lines.append(f"{counted(aside, 'document is', 'documents are')} out of scope and not searched.")
        return pages, lines

    def can_look_for(self, query: str) -> bool:
        """Return whether a query has words or conditions to search for; False if it has only symbols."""
        parts = parse(query)
        return bool(ranking.terms(parts.words)) or parts.conditions

    def look_for(self, queries: Sequence[str], *, k: int = 10) -> tuple[SearchResult, ...]:
        """Search before recording an absence: one result for each query."""
        return tuple(self.search_many(queries, k=k))

    def reach(self, absence: Absence, about: str) -> Absence:
        """Return an absence with the number of documents that its queries reach, and of what they do not.

        ``about`` says what is absent; its language counts where that of the queries is unknown. A document in another
        language that holds all words of a query is reached. Raises BadInput where no document is.
        """
        documents = self._store.documents.all()
        included = [document for document in documents if document.included]
        searched = [document for document in included if document.chunks and document.status != "reading"]
        if not searched:
            raise BadInput(
                reason="No document in scope has text that can be searched, so nothing can be called absent.",
                remedy="Finish the import, run OCR, or put documents back into scope.",
            )
        languages = frozenset[str]().union(*map(possible_languages, absence.queries)) or possible_languages(about)
        languages = languages or frozenset((ENGLISH,))
        chunks = sorted(set[int]().union(*map(self._store.words.with_all, absence.queries)))
        holders = {chunk.document for chunk in self._store.pages.chunks(chunks).values()}
        embedder = self._index.embedder()
        try:
            model = "" if embedder is None else embedder.fingerprint
        except (ModelMissing, ModelUnreadable):
            model = ""
        foreign = [
            document
            for document in searched
            if document.language not in ("", *languages)
            and document.id not in holders
            and not ranking.multilingual(model)
        ]
        if len(foreign) == len(searched):
            names = ", ".join(sorted({name_of(document.language) for document in foreign}))
            raise BadInput(
                reason=f"All documents are in another language ({names}), where the words of the search find nothing.",
                remedy="Search in the language of the documents.",
            )
        return replace(
            absence,
            documents=len(searched) - len(foreign),
            pages_without_text=sum(document.pages_without_text for document in included),
            unread=len(self._store.documents.failed()) + self._waiting(),
            out_of_scope=len(documents) - len(included),
            foreign=len(foreign),
            unindexed=self._store.vectors.count_without(model) if model else 0,
        )

    def _waiting(self) -> int:
        """Count the files of imports that are still to be read."""
        pending = {file.path for file in self._store.imports.pending()}
        return len(pending) or sum(document.status == "reading" for document in self._store.documents.all())

    def similarity_is_measured(self) -> bool:
        """Return whether the cosines of the search model are calibrated."""
        embedder = self._index.embedder()
        try:
            return embedder is not None and ranking.measured(embedder.fingerprint)
        except (ModelMissing, ModelUnreadable):
            return False

    def similarity(self, texts: Sequence[str], chunks: Sequence[int]) -> list[dict[int, float]]:
        """Return for each text how near these passages are to it; nothing without a search model that works."""
        embedder = self._index.embedder()
        if embedder is None:
            return [{} for _ in texts]
        try:
            vectors = embedder.embed_queries(texts)
            return [self._store.vectors.cosines(embedder.fingerprint, vector, chunks) for vector in vectors]
        except (ModelMissing, ModelUnreadable, EngineStopped):
            return [{} for _ in texts]

    def grouped(self, passages: Sequence[Passage]) -> list[Group]:
        """Group passages of a search by what they are about. Raises ModelMissing without a search model."""
        vectors, with_vector = self._kept_vectors([p.chunk for p in passages][: grouping.MOST])
        texts = {p.chunk: p.text for p in passages}
        clusters = grouping.clusters(
            vectors, [ranking.terms(texts[chunk]) for chunk in with_vector], largest=grouping.LARGEST
        )
        return [
            Group(cluster.label, tuple(with_vector[m] for m in cluster.members), cluster.cohesion)
            for cluster in clusters
        ]

    def themes(self, question: str, *, least: int = 3) -> list[Theme]:
        """Group what the documents say on a question, each with the sentence that is nearest to all of it.

        A group has at least ``least`` passages. Suggestions to begin hypotheses with, never hypotheses by themselves.
        The question may have conditions (see ``find``).

        Raises BadInput for an empty question, ModelMissing without a search model.
        """
        result = self.find(question, k=_THEMES, per_document=grouping.MOST)
        embedder = self._index.embedder()
        if embedder is None:
            raise ModelMissing(role="search", path="the models folder", effect="passages cannot be grouped")
        suggestions = []
        for group in self.grouped(result.passages):
            if len(group.passages) < least:
                continue
            chunks = self._store.pages.chunks(group.passages)
            centre = chunks[group.passages[0]]
            spans = _telling_sentences(centre.text)
            span_vectors = embedder.embed([centre.text[s.start : s.end] for s in spans])
            nearness = [
                sum(self._store.vectors.cosines(embedder.fingerprint, vector, group.passages).values())
                for vector in span_vectors
            ]
            nearest = max(range(len(spans)), key=lambda index: (round(nearness[index], 6), -index))
            span = spans[nearest]
            suggestions.append(
                Theme(
                    *(group.label, centre.text[span.start : span.end], centre),
                    *(centre.start + span.start, centre.start + span.end, tuple(chunks.values())),
                    len({chunk.document for chunk in chunks.values()}),
                )
            )
        return suggestions

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
        show: ShowMode = "exploratory",
    ) -> SearchResult:
        """Find what a person typed, with its conditions (see core.search.query_language): words rank what fulfils them.

        Conditions without words give the passages that fulfil them in the order of the documents. A name that is not in
        the gazetteer is looked for as it is written. Raises BadInput for an empty query.
        """
        query = parse(text)
        if not query.conditions:
            if not query.words.strip() and text.strip():
                return SearchResult(text, (), 0.0, ("Nothing to look for: write a word, a phrase or a condition.",))
            options = {"min_similarity": min_similarity, "per_document": per_document, "show": show}
            matches = self.passages_for(query.words, k=k, mode=mode, **options)  # type: ignore[arg-type]
            return replace(matches, query=text, notes=(*query.notes, *matches.notes))
        began = time.monotonic()
        notes = list(query.notes)
        documents = self._conditions.documents(query, notes)
        among = self._conditions.passages(query, notes)
        if documents == [] or among == set():
            in_documents, through = self._store.scope.searched(None, self._store.scope.left_out())
            notes.append(
                f"Nothing in {through:,} passages of {in_documents:,} documents meets these conditions. "
                "Remove one of them, or write it in another way."
            )
            return SearchResult(text, (), time.monotonic() - began, tuple(notes))
        if query.words.strip():
            result = self.passages_for(
                query.words,
                k=k,
                mode=mode,
                include=documents,
                min_similarity=min_similarity,
                per_document=per_document,
                show=show,
                among=among,
            )
            return replace(result, query=text, notes=(*notes, *result.notes))
        fitting = [d for d in self._store.documents.all() if d.included and (documents is None or d.id in documents)]
        chunks: list[int] = []
        for document in fitting:
            chunks_of_document = [
                chunk for chunk in self._store.pages.chunk_ids(document.id) if among is None or chunk in among
            ]
            chunks += chunks_of_document if show == "audit" else chunks_of_document[:per_document]
            if len(chunks) >= k:
                break
        passages = self.passages(chunks[:k])
        if not passages:
            notes.append("No passage meets these conditions.")
        if show == "audit":
            notes.append(" ".join(self.unsearched()[1]) or "No document in the case was left out.")
        return SearchResult(text, passages, time.monotonic() - began, tuple(notes))

    def passages(self, chunks: Sequence[int]) -> tuple[Passage, ...]:
        """Return passages as they are, ranked by nothing but the order in which they are asked for."""
        by_id = self._store.pages.chunks(chunks)
        matches = [by_id[chunk] for chunk in dict.fromkeys(chunks) if chunk in by_id]
        return tuple(unranked(chunk, rank) for rank, chunk in enumerate(matches, start=1))

    def passage_around(self, quote: Quote) -> Passage | None:
        """Return the passage in which a quote lies, or begins; None if none does."""
        chunk = self._store.pages.chunk_around(quote.page_id, quote.start, quote.end)
        if chunk is None:
            chunk = self._store.pages.chunk_around(quote.page_id, quote.start, quote.start + 1)
        return None if chunk is None else self.passages([chunk])[0]

    def similar(
        self,
        chunk: int,
        *,
        k: int = 30,
        mode: Mode = "hybrid",
        show: ShowMode = "exploratory",
        per_document: int = PER_DOCUMENT,
    ) -> SearchResult:
        """Find passages like a passage, without it and what overlaps it on its page. Raises BadInput."""
        source = self._store.pages.chunks([chunk]).get(chunk)
        if source is None:
            raise BadInput(reason=f"There is no passage {chunk}.", remedy="Choose one that the search found.")
        room = 8  # passages that overlap it, and a copy that was in its place, leave the list full
        result = self.passages_for(source.text, k=k + room, mode=mode, show=show, per_document=per_document + room)
        return _beside(source, result, k, k if show == "audit" else per_document)

    def saved(self) -> list[Consideration]:
        """List the saved searches: ``text`` is the name of each, ``query`` what it looks for."""
        return self._store.considerations.all("search")

    def save(self, name: str, query: str) -> Consideration:
        """Save a search under a name, or under its own words. Raises BadInput where it is empty."""
        if not query.strip():
            raise BadInput(reason="There is nothing to save: the search is empty.", remedy="Write what to look for.")
        return self._store.considerations.add("search", name.strip() or query.strip(), query=query)

    def remove_saved(self, search: str) -> Changes:
        """Take out a saved search. Raises NoSuchItem."""
        self._store.considerations.remove(search)
        return Changes(hypotheses=True)


def _beside(source: Chunk, result: SearchResult, k: int, per_document: int) -> SearchResult:
    """Leave out of a result a passage and what overlaps it on its page."""

    def is_other(passage: Passage) -> bool:
        apart = passage.end <= source.start or passage.start >= source.end
        return passage.chunk != source.id and (passage.page_id != source.page_id or apart)

    groups: list[tuple[Passage, ...]] = []
    counts: dict[str, int] = {}
    for first in result.passages:
        group = [passage for passage in (first, *result.copies.get(first.chunk, ())) if is_other(passage)]
        if group and counts.get(group[0].document, 0) < per_document and len(groups) < k:
            counts[group[0].document] = counts.get(group[0].document, 0) + 1
            groups.append(tuple(replace(passage, rank=len(groups) + 1) for passage in group))
    return replace(
        result,
        passages=tuple(group[0] for group in groups),
        copies={group[0].chunk: group[1:] for group in groups if len(group) > 1},
    )


def _telling_sentences(text: str) -> list[Span]:
    """List the sentences of a passage that say most: scans and passages cut through some, and a whole one says more."""
    every = sentences(text)
    long = [span for span in every if span.end - span.start > 20] or every
    return [span for span in long if _WHOLE.match(text[span.start : span.end])] or long


def _what_to_try(options: _Options) -> str:
    ways = ["other words"]
    if options.show == "strict":
        ways.append("passages of lower confidence too")
    if options.min_similarity > 0:
        ways.append("a lower minimum similarity")
    if options.mode != "hybrid":
        ways.append("both ways of searching")
    if options.include is not None or options.exclude or options.among is not None:
        ways.append("more documents")
    return ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])} or {ways[-1]}"


def _query_text(text: str) -> str:
    """Put what can be seen of a text on one line. Raises BadInput where that is nothing."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not line:
        raise BadInput(reason="The search text is empty.", remedy="Write a word, a phrase or a sentence.")
    return line[:LONGEST_QUERY]


def _spellings(entity: Entity) -> set[str]:
    return {name.casefold() for name in (entity.name, *entity.aliases)}
