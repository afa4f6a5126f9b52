"""Sources of a case for the sentences of a report: cited pages, cited documents, search results."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.answers.question import names_in
from core.answers.sentences import Rarity
from core.audit import bearing, citations, speakers
from core.audit.accounting import (
    MissingPart,
    SourceText,
    in_words,
    is_row,
    is_turned,
    least_missing,
    missing_parts,
    source_choices,
)
from core.audit.bearing import Candidate
from core.audit.citations import Mention, Target
from core.audit.document_text import Sentence
from core.audit.finding import Source
from core.audit.foreign import foreign_language
from core.audit.readings import EXACT, Reading, Stretch
from core.audit.rules import Difference, Stock, coverage, stock
from core.domain import Document, Label, Page, Quote, Verdict
from core.errors import AppError, BadInput
from core.evidence import quotes
from core.language import row_headings
from core.progress import Progress
from core.text import LONG_WORD, without_hidden
from core.text import sentences as split
from core.verdicts import exam_results, prompt_injection
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.open_case import OpenCase
    from core.ports import StatementReader
    from core.search.embedding_index import EmbeddingIndex
    from core.search.service import Search

MOST_JUDGED = 400  # sentences of a report that the judge reads
_PASSAGES = 8
_DOCUMENTS = 64  # whose words are cached
_PAGES = 256
_STRETCHES = 4_000  # of pages whose sentences are cached
_NEAR_CITED = 0.5  # share of a claim's words that a cited document must have to be compared with it
_FEW = 3  # documents that may share a name if they are searched because of it
_READ_AT_ONCE = 500  # characters of a stretch that the reader of statements reads
# Stretches that are read: that are quoted, cited, of who is named, by the words, by the rank of the page.
_QUOTED, _CITED, _AUTHORED, _BY_WORDS, _BY_RANK = 2, 2, 1, 3, 4
_SHORT_PAGE = 8_000  # characters of a page of which all sentences are looked at


@dataclass(frozen=True, slots=True)
class Reference:
    """A citation with its target; not ``is_own``: it is in a following sentence of the paragraph."""

    mention: Mention
    target: Target
    is_own: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a page that a sentence of the report may rest on."""

    page: Page
    start: int
    end: int
    previous: tuple[int, int] | None
    candidate: Candidate
    name: str


class CaseSources:
    """The pages of a case for one audit; ``left_out`` are the documents that are the report itself."""

    def __init__(
        self,
        case: OpenCase,
        index: EmbeddingIndex,
        search: Search,
        catalogue: Sequence[citations.Source],
        left_out: frozenset[str],
        progress: Progress,
    ) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._search = search
        self._names = {source.id: source.name for source in catalogue}
        self._left_out = left_out
        self._progress = progress
        self._stocks: OrderedDict[str, Stock] = OrderedDict()
        self._pages: OrderedDict[tuple[str, int], Page] = OrderedDict()
        self._by_name: dict[str, set[str]] | None = None
        self._stretches: OrderedDict[tuple[int, int, int], list[Place]] = OrderedDict()
        self.judgements = 0
        self.statements_read = 0

    # --- places to compare with ------------------------------------------------------------------------------------

    def places(self, claims: Sequence[Sentence], references: Sequence[Sequence[Reference]]) -> dict[int, list[Place]]:
        """Gather for some claims the sentences of the cited pages, of the cited documents, and of the whole case."""
        texts = [self.without_citations(sentence.text) or sentence.text for sentence in claims]
        result: dict[int, dict[tuple[int, int], Place]] = {sentence.number: {} for sentence in claims}

        def take(sentence: Sentence, page: Page, start: int, end: int, cosine: float | None) -> None:
            for place in self._sentences_of(page, start, end, cosine):
                result[sentence.number].setdefault((place.page.id, place.start), place)

        by_document: dict[str, list[int]] = {}
        for index, (sentence, references_here) in enumerate(zip(claims, references, strict=True)):
            for reference in references_here:
                for number in near_pages(reference.target.pages):
                    page = self._page(reference.target.document, number)
                    if page is not None:
                        take(sentence, page, 0, len(page.text), None)
            documents = cited_documents(references_here) | self._bearing_name_of(texts[index])
            for document in sorted(documents - self._left_out):
                by_document.setdefault(document, []).append(index)
        requests: list[tuple[list[int], list[str] | None]] = [(list(range(len(claims))), None)]
        requests += [(positions, [document]) for document, positions in sorted(by_document.items())]
        for positions, include in requests:
            self._progress.check()
            with self._progress.asking():
                results = self._search.search_many(
                    [texts[index] for index in positions],
                    k=_PASSAGES,
                    include=include,
                    exclude=() if include else sorted(self._left_out),
                    per_document=_PASSAGES,
                )
            for index, result_row in zip(positions, results, strict=True):
                for passage in result_row.passages:
                    page = self._page(passage.document, passage.page)
                    if page is not None:
                        cosine = passage.similarity if passage.trusted else None
                        take(claims[index], page, passage.start, passage.end, cosine)
        return {number: list(places.values()) for number, places in result.items()}

    def _bearing_name_of(self, text: str) -> frozenset[str]:
        """Return the documents whose author or title shares a name with a text, if few documents have that name."""
        if self._by_name is None:
            self._by_name = {}
            for document in self._store.documents.all():
                for word in set(LONG_WORD.findall(_credits(document).replace("_", " ").casefold())):
                    self._by_name.setdefault(word, set()).add(document.id)
        words = {word for name in names_in(text) for word in LONG_WORD.findall(name.casefold())}
        groups = [self._by_name[word] for word in words if word in self._by_name]
        return frozenset(document for group in groups if len(group) <= _FEW for document in group)

    def without_citations(self, text: str) -> str:
        """Blank the citations of a sentence out; every character keeps its place."""
        for mention in citations.find(text, list(self._names.values())):
            text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
        return text

    def _sentences_of(self, page: Page, start: int, end: int, cosine: float | None) -> list[Place]:
        """List the sentences of a stretch of a page; they are cut once, however many claims look at them."""
        key = page.id, start, end
        places = self._stretches.get(key)
        if places is None:
            places = self._stretches[key] = self._cut(page, start, end)
            if len(self._stretches) > _STRETCHES:
                self._stretches.popitem(last=False)
        return [replace(place, candidate=replace(place.candidate, cosine=cosine)) for place in places]

    def _cut(self, page: Page, start: int, end: int) -> list[Place]:
        text = without_hidden(page.text, page.hidden_spans)
        part = text[start:end]
        spans = [span for span in split(part) if any(map(str.isalnum, part[span.start : span.end]))]
        findings = prompt_injection.find(part)
        orders = {
            span for span in spans if prompt_injection.is_order(part[span.start : span.end], span.start, findings)
        }
        for span in orders:  # nor do they support their neighbours
            text = text[: start + span.start] + " " * (span.end - span.start) + text[start + span.end :]
        places = []
        for number, span in enumerate(spans):
            if span in orders:
                continue
            first, last = spans[max(0, number - 1)], spans[min(len(spans) - 1, number + 1)]
            context = text[start + first.start : start + last.end]
            previous = (start + first.start, start + first.end) if number else None
            low, high = start + span.start, start + span.end
            reading = row_headings.read(text, low, high, page.tables)
            candidate = Candidate(reading.text, context, None)
            places.append(Place(page, low, high, previous, candidate, self._names.get(page.document, page.document)))
        return places

    def best(
        self, text: str, places: Sequence[Place], references: Sequence[Reference]
    ) -> tuple[list[Place], list[float]]:
        """Return the sentences to compare a claim with, and the share of its words that each has.

        Sentences of the cited pages or document are preferred if they have enough of the words.
        """
        ranking = self.ranking(text, places)
        documents = cited_documents(references)
        targets = [reference.target for reference in references]
        pages = {(target.document, page) for target in targets for page in near_pages(target.pages)}
        on_pages = [row for row in ranking if (row[0].page.document, row[0].page.number) in pages]
        in_document = [row for row in ranking if row[0].page.document in documents]
        for rows in (on_pages, in_document, ranking):
            top = rows[: bearing.SHOWN]
            highest = max((coverage(text, place.candidate.text) for place, _ in top), default=0.0)
            if top and (rows is ranking or highest >= _NEAR_CITED):
                return [place for place, _ in top], [share for _, share in top]
        return [], []

    def ranking(self, text: str, places: Sequence[Place]) -> list[tuple[Place, float]]:
        """Return sentences with the share of the words of a text that each holds, best first."""
        rows = bearing.order(text, [place.candidate for place in places], self.rarity(text))
        return [(places[index], share) for share, index in rows]

    def missing(self, text: str, sources: Sequence[Place], references: Sequence[Reference]) -> list[str]:
        """List the parts of a sentence that its sources lack: those of one document, or of all cited ones together."""
        documents = list(dict.fromkeys(place.page.document for place in sources))
        cited_here = cited_documents(references)
        groups = [frozenset((document,)) for document in documents]
        if len(cited_group := cited_here & set(documents)) > 1:
            groups.append(cited_group)
        by_group = ([place for place in sources if place.page.document in group] for group in groups)
        lists = [self._missing(text, group) for group in by_group]
        return [in_words(part) for part in min(lists, key=len, default=[])]

    def _missing(self, text: str, places: Sequence[Place]) -> list[MissingPart]:
        """List the parts of a sentence that places lack."""
        return least_missing(text, [self._source_text(place) for place in places])

    def _source_text(self, place: Place) -> SourceText:
        document = self._store.documents.get(place.page.document)
        about = "\n".join((document.title, document.name, document.own_title, document.date[:10], document.dated))
        author = f"{document.own_author} {document.author}".strip() or speakers.author_in(
            document.own_title or document.title
        )
        text = place.candidate.text
        return SourceText(text, text if is_row(text) else place.candidate.context, about, author)

    @property
    def can_read(self) -> bool:
        """Return whether there is a statement reader."""
        return self._open.engines.statements is not None

    def readings(
        self, text: str, places: Sequence[Place], references: Sequence[Reference], quotations: Sequence[Quote] = ()
    ) -> list[Reading]:
        """Read a sentence against the stretches that may support it, and against the two nearest of them together.

        Among them are the places of its verbatim quotations. Empty without a reader, and if it fails.
        """
        reader = self._open.engines.statements
        if reader is None or not places:
            return []
        readings: list[Reading] = []
        try:
            with self._progress.asking():
                for stretch in self._stretches_for(text, places, references, quotations):
                    if (reading := self._reading(reader, text, stretch)) is not None:
                        readings.append(reading)
                nearest = sorted(readings, key=lambda reading: reading.bearing.absent)[:2]
                if len(nearest) > 1:
                    stretches = [reading.stretch for reading in nearest]
                    joint = Stretch(
                        tuple(place for stretch in stretches for place in stretch.places),
                        "\n".join(stretch.text for stretch in stretches),
                    )
                    if (reading := self._reading(reader, text, joint)) is not None:
                        readings.append(reading)
        except AppError:
            return []  # the words decide alone
        self.statements_read += bool(readings)
        return readings

    def _reading(self, reader: StatementReader, text: str, stretch: Stretch) -> Reading | None:
        """Read a sentence against one stretch; return None if both are too long for one call."""
        try:
            bearing = reader.bearing(stretch.text, text)
        except BadInput:
            return None
        texts = [place.candidate.text for place in stretch.places]
        first = self._source_text(stretch.places[0])
        about = "\n".join(dict.fromkeys(self._source_text(place).about for place in stretch.places))
        choices = [" ".join(texts[index] for index in choice) for choice in source_choices(text, texts)]
        context = "" if any(map(is_row, texts)) else stretch.text
        lists = [missing_parts(text, [SourceText(row, context or row, about, first.author)]) for row in choices]
        lacks = tuple(in_words(part) for part in min(lists, key=len) if part.kind in EXACT)
        return Reading(stretch, bearing, lacks, coverage(text, " ".join(texts)), is_turned(text, texts))

    def _stretches_for(
        self, text: str, places: Sequence[Place], references: Sequence[Reference], quotations: Sequence[Quote]
    ) -> list[Stretch]:
        """Choose stretches that are quoted, that are cited, that hold most words, and of the first pages."""
        pages = list({place.page.id: place.page for place in places}.values())[:_BY_RANK]
        pool = {(place.page.id, place.start): place for place in places}
        for page in pages:
            pool |= {(place.page.id, place.start): place for place in self._whole(page)}
        quoted_places = [place for quotation in quotations[:_QUOTED] for place in self._holding(quotation)]
        pool |= {(place.page.id, place.start): place for place in quoted_places}
        candidates = list(pool.values())
        ranking = bearing.order(text, [place.candidate for place in candidates], self.rarity(text))
        order = [index for _, index in ranking]
        documents = cited_documents(references)
        quoted_keys = {(place.page.id, place.start) for place in quoted_places}
        quoted_indices = [n for n, place in enumerate(candidates) if (place.page.id, place.start) in quoted_keys]
        cited_indices = [index for index in order if candidates[index].page.document in documents]
        named_documents = self._bearing_name_of(text)
        authored_indices = [index for index in order if candidates[index].page.document in named_documents]
        leaders = [next(index for index in order if candidates[index].page.id == page.id) for page in pages]
        stretches: list[Stretch] = []
        for seeds, limit in (
            (quoted_indices, _QUOTED),
            (cited_indices, _CITED),
            (authored_indices, _AUTHORED),
            (order, _BY_WORDS),
            (leaders, _BY_RANK),
        ):
            count = 0
            for index in seeds:
                if count >= limit:
                    break
                seed = candidates[index]
                if not any(_has(stretch, seed) for stretch in stretches):
                    stretches.append(self._around(seed, candidates))
                    count += 1
        return stretches

    def _holding(self, quotation: Quote) -> list[Place]:
        """Return the sentences of a page that hold a quotation."""
        page = self._page(quotation.document, quotation.page)
        if page is None:
            return []
        places = self._sentences_of(page, 0, len(page.text), None)
        return [place for place in places if place.start < quotation.end and quotation.start < place.end]

    def unattributed_speakers(self, sentence: str, quotation: str, places: Sequence[Quote]) -> list[Difference]:
        """Return the speakers that a sentence names for a quotation and whom none of its places supports."""
        start = sentence.find(quotation)
        if start < 0 or not places:
            return []
        frame = sentence[:start] + " " * len(quotation) + sentence[start + len(quotation) :]
        return [
            Difference("speaker", sentence[low:high], "", low, high)
            for low, high in speakers.speakers(frame)
            if not any(self._names_near(sentence[low:high], place) for place in places)
        ]

    def _names_near(self, name: str, quotation: Quote) -> bool:
        """Return whether a name is near a quotation, or in the author or title of its document."""
        page = self._page(quotation.document, quotation.page)
        document = self._store.documents.get(quotation.document)
        low, high = quotation.start - speakers.NEAR, quotation.end + speakers.NEAR
        return page is None or speakers.is_named(name, (_credits(document), page.text[max(0, low) : high]))

    def _whole(self, page: Page) -> list[Place]:
        """Return all sentences of a page that is short."""
        return self._sentences_of(page, 0, len(page.text), None) if len(page.text) <= _SHORT_PAGE else []

    def _around(self, seed: Place, places: Sequence[Place]) -> Stretch:
        """Return a sentence with as many neighbours as are read at once."""
        row = self._whole(seed.page) or [place for place in places if place.page.id == seed.page.id]
        row = sorted({place.start: place for place in row}.values(), key=lambda place: place.start)
        middle = next((index for index, place in enumerate(row) if place.start <= seed.start < place.end), 0)
        first = last = middle
        size = len(row[middle].candidate.text)
        while first > 0 or last < len(row) - 1:
            is_earlier = last == len(row) - 1 or (first > 0 and middle - first <= last - middle)
            index = first - 1 if is_earlier else last + 1
            size += len(row[index].candidate.text) + 1
            if size > _READ_AT_ONCE:
                break
            first, last = min(first, index), max(last, index)
        window = tuple(row[first : last + 1])
        document = self._store.documents.get(seed.page.document)
        about = ", ".join(filter(None, (document.title or document.name, document.dated or document.date[:10])))
        return Stretch(window, f"{about}: " + " ".join(place.candidate.text for place in window))

    def foreign_language(self, text: str, language: str, sources: Sequence[Place]) -> str:
        """Return the language of a sentence, or of its nearest source, that is not read here; '' for none.

        ``language`` is that of the page that the sentence is on, '' where it is unknown.
        """
        texts = [(text, language)]
        if sources:
            document = self._store.documents.get(sources[0].page.document)
            texts.append((sources[0].candidate.text, document.language))
        return foreign_language(*texts)

    def stock(self, places: Sequence[Place], sources: Sequence[Place], references: Sequence[Reference]) -> Stock:
        """Return the words and figures of the documents that may support a sentence.

        These are the cited documents if they have sources, else all that the search returned.
        """
        documents = {place.page.document for place in sources}
        if not documents & cited_documents(references):
            documents |= {place.page.document for place in places}
        total = Stock(frozenset(), ())
        for document in sorted(documents):
            if document not in self._stocks:
                self._stocks[document] = stock(
                    "\n".join(without_hidden(page.text, page.hidden_spans) for page in self._store.pages.of(document))
                )
            self._stocks.move_to_end(document)
            total |= self._stocks[document]
            while len(self._stocks) > _DOCUMENTS:
                self._stocks.popitem(last=False)
        return total

    def source(self, place: Place, references: Sequence[Reference]) -> Source:
        """Prove that a sentence is on its page."""
        self.prove([place.page.id])
        quote = quotes.span(place.page, place.start, place.end)
        previous = place.page.text[place.previous[0] : place.previous[1]] if place.previous else ""
        is_cited = any(
            place.page.document in reference.target.attachments
            or (
                reference.target.document == place.page.document
                and (not reference.target.pages or place.page.number in reference.target.pages)
            )
            for reference in references
        )
        return Source(quote, place.name, previous, is_cited, place.page.source)

    def prove(self, pages: Collection[int]) -> None:
        """Compare pages with the log. Raises CaseNotProven."""
        self._store.prove_pages(sorted(set(pages)))

    def _page(self, document: str, number: int) -> Page | None:
        if not document or document in self._left_out:
            return None
        key = (document, number)
        if key not in self._pages:
            if not 1 <= number <= self._store.documents.get(document).pages:
                return None
            self._pages[key] = self._store.pages.page(document, number)
            while len(self._pages) > _PAGES:
                self._pages.popitem(last=False)
        return self._pages[key]

    # --- engines --------------------------------------------------------------------------------------------------

    def rarity(self, text: str) -> Rarity:
        """Return how rare the words of a sentence are in the case."""
        frequency = self._store.words.document_frequency(bearing.vocabulary(text))
        return Rarity(self._store.counts()["chunks"], frequency)

    def verdict(self, text: str, candidates: Sequence[Candidate]) -> Label | None:
        """Ask the judge about a sentence that no rule decides; return None if it is not sure."""
        if self.judgements >= MOST_JUDGED or not candidates:
            return None
        verdict = self._judged(" ".join(candidate.text for candidate in candidates), text)
        if verdict is None or classify.is_withheld(verdict, exam_results.show_thresholds(verdict.model)):
            return None
        return verdict.label

    def is_opposed(self, text: str, stretch: Stretch) -> bool:
        """Return whether the judge sees more in a stretch against a sentence than for it."""
        verdict = self._judged(stretch.text, text)
        return verdict is not None and verdict.probabilities.supports < verdict.probabilities.contradicts

    def _judged(self, passage: str, text: str) -> Verdict | None:
        """Ask the judge about a sentence and a passage; return None if no judge is available."""
        if self._open.engines.judge is None:
            return None
        try:
            with self._progress.asking():
                judge = exam_results.require_judge(self._open.engines, self._progress)
                self.judgements += 1
                (answer,) = judge.judge(passage, [text])
        except AppError:
            return None
        label = classify.label(answer, exam_results.margin_of(judge.fingerprint))
        return Verdict(label, answer, judge.fingerprint)

    def models(self) -> tuple[str, ...]:
        """Name the models that had a part in it."""
        models = []
        embedder = self._index.embedder()
        if embedder is not None and self._search.similarity_is_measured():
            models.append(embedder.fingerprint)
        if self.statements_read and self._open.engines.statements is not None:
            models.append(self._open.engines.statements.fingerprint)
        if self.judgements and self._open.engines.judge is not None:
            models.append(self._open.engines.judge.fingerprint)
        return tuple(models)


def _credits(document: Document) -> str:
    """Return the author, title and file name of a document."""
    return " ".join((document.author, document.own_author, document.title, document.own_title, document.name))


def _has(stretch: Stretch, seed: Place) -> bool:
    return any(place.page.id == seed.page.id and place.start <= seed.start < place.end for place in stretch.places)


def cited_documents(references: Sequence[Reference]) -> frozenset[str]:
    """Return the documents that some citations name, with their attachments."""
    return frozenset(document for reference in references for document in reference.target.documents)


def near_pages(pages: Sequence[int]) -> list[int]:
    """Return pages with their neighbours."""
    return sorted({near for page in pages for near in (page - 1, page, page + 1) if near > 0})
