"""Sources of a case for the sentences of a report: cited pages, cited documents, what a search brings."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.answers.question import names_in
from core.answers.sentences import Rarity
from core.audit import bearing, citations, speakers
from core.audit.accounting import MissingPart, SourceText, in_words, is_row, missing_parts, rows_apart
from core.audit.bearing import Candidate
from core.audit.citations import Mention, Target
from core.audit.document_text import Sentence
from core.audit.finding import Source
from core.audit.readings import EXACT, Reading, Stretch
from core.audit.rules import Difference, Stock, coverage, stock
from core.domain import Document, Label, Page, Quote, Verdict
from core.errors import AppError, BadInput
from core.evidence import quotes
from core.language import row_headings
from core.progress import Progress
from core.text import sentences as split
from core.text import without_hidden
from core.verdicts import exam_results, prompt_injection
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.open_case import OpenCase
    from core.ports import StatementReader
    from core.search.embedding_index import EmbeddingIndex
    from core.search.service import Search

READ = "en"  # the language whose denials, numbers and names the rules read
MOST_JUDGED = 400  # sentences of a report that the judge reads
_PASSAGES = 8
_DOCUMENTS = 64  # whose words are held
_PAGES = 256
_STRETCHES = 4_000  # of pages whose sentences are held
_NEAR_CITED = 0.5  # share of its words that a cited document must hold, to be what a sentence is compared with
_HAS_WORDS = re.compile(r"\w")
_NAME_WORD = re.compile(r"[^\W\d_]{3,}")
_FEW = 3  # documents that may share a name, to be looked into because of it
_READ_AT_ONCE = 500  # characters of a stretch that the reader of statements reads
# Stretches that are read: that are quoted, cited, of who is named, by the words, by the rank of the page.
_QUOTED, _CITED, _AUTHORED, _BY_WORDS, _BY_RANK = 2, 2, 1, 3, 4
_SHORT_PAGE = 8_000  # characters of a page of which all sentences are looked at


@dataclass(frozen=True, slots=True)
class Reference:
    """A citation with what it names; not ``is_own``: it stands in a sentence that follows in the paragraph."""

    mention: Mention
    target: Target
    is_own: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a page that a sentence of the report may rest on."""

    page: Page
    start: int
    end: int
    before: tuple[int, int] | None
    candidate: Candidate
    name: str


class CaseSources:
    """The pages of a case for one audit; ``left_out`` are documents that are the report itself."""

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

    # --- where to look -----------------------------------------------------------------------------------------------

    def places(self, some: Sequence[Sentence], references: Sequence[Sequence[Reference]]) -> dict[int, list[Place]]:
        """Gather for some claims the sentences of the cited pages, of the cited documents, and of the whole case."""
        texts = [self.without_citations(sentence.text) or sentence.text for sentence in some]
        result: dict[int, dict[tuple[int, int], Place]] = {sentence.number: {} for sentence in some}

        def take(sentence: Sentence, page: Page, start: int, end: int, cosine: float | None) -> None:
            for place in self._sentences_of(page, start, end, cosine):
                result[sentence.number].setdefault((place.page.id, place.start), place)

        by_document: dict[str, list[int]] = {}
        for at, (sentence, mine) in enumerate(zip(some, references, strict=True)):
            for one in mine:
                for number in near_pages(one.target.pages):
                    page = self._page(one.target.document, number)
                    if page is not None:
                        take(sentence, page, 0, len(page.text), None)
            for document in sorted((cited_documents(mine) | self._bearing_name_of(texts[at])) - self._left_out):
                by_document.setdefault(document, []).append(at)
        requests: list[tuple[list[int], list[str] | None]] = [(list(range(len(some))), None)]
        requests += [(positions, [document]) for document, positions in sorted(by_document.items())]
        for positions, include in requests:
            self._progress.check()
            with self._progress.asking():
                results = self._search.search_many(
                    [texts[at] for at in positions],
                    k=_PASSAGES,
                    include=include,
                    exclude=() if include else sorted(self._left_out),
                    per_document=_PASSAGES,
                )
            for at, found_result in zip(positions, results, strict=True):
                for passage in found_result.passages:
                    page = self._page(passage.document, passage.page)
                    if page is not None:
                        cosine = passage.similarity if passage.trusted else None
                        take(some[at], page, passage.start, passage.end, cosine)
        return {number: list(places.values()) for number, places in result.items()}

    def _bearing_name_of(self, text: str) -> frozenset[str]:
        """Return the documents whose author or title has a name of a sentence, where few documents have it."""
        if self._by_name is None:
            self._by_name = {}
            for document in self._store.documents.all():
                for word in set(_NAME_WORD.findall(_credits(document).replace("_", " ").casefold())):
                    self._by_name.setdefault(word, set()).add(document.id)
        words = {word for name in names_in(text) for word in _NAME_WORD.findall(name.casefold())}
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
        return [replace(one, candidate=replace(one.candidate, cosine=cosine)) for one in places]

    def _cut(self, page: Page, start: int, end: int) -> list[Place]:
        text = without_hidden(page.text, page.hidden_spans)
        spans = [
            span for span in split(text[start:end]) if _HAS_WORDS.search(text, start + span.start, start + span.end)
        ]
        findings = prompt_injection.find(text[start:end])
        orders = {
            span
            for span in spans
            if prompt_injection.is_order(text[start + span.start : start + span.end], span.start, findings)
        }
        for span in orders:  # nor do they bear out what stands beside them
            text = text[: start + span.start] + " " * (span.end - span.start) + text[start + span.end :]
        places = []
        for number, span in enumerate(spans):
            if span in orders:
                continue
            first, last = spans[max(0, number - 1)], spans[min(len(spans) - 1, number + 1)]
            around = text[start + first.start : start + last.end]
            before = (start + first.start, start + first.end) if number else None
            from_, to = start + span.start, start + span.end
            reading = row_headings.read(text, from_, to, page.tables)
            candidate = Candidate(reading.text, around, None)
            places.append(Place(page, from_, to, before, candidate, self._names.get(page.document, page.document)))
        return places

    def best(
        self, text: str, places: Sequence[Place], references: Sequence[Reference]
    ) -> tuple[list[Place], list[float]]:
        """Choose the sentences to compare with: those of the cited document where it speaks of this at all.

        With the share of the words that each holds.
        """
        ranking = self.ranking(text, places)
        documents = cited_documents(references)
        pages = {(one.target.document, page) for one in references for page in near_pages(one.target.pages)}
        on_pages = [row for row in ranking if (row[0].page.document, row[0].page.number) in pages]
        in_document = [row for row in ranking if row[0].page.document in documents]
        for rows in (on_pages, in_document, ranking):
            top = rows[: bearing.SHOWN]
            near = max((coverage(text, place.candidate.text) for place, _ in top), default=0.0)
            if top and (rows is ranking or near >= _NEAR_CITED):
                return [place for place, _ in top], [share for _, share in top]
        return [], []

    def ranking(self, text: str, places: Sequence[Place]) -> list[tuple[Place, float]]:
        """Return sentences with the share of the words of a text that each holds, best first."""
        rows = bearing.order(text, [place.candidate for place in places], self.rarity(text))
        return [(places[index], share) for share, index in rows]

    def missing(self, text: str, sources: Sequence[Place], references: Sequence[Reference]) -> list[str]:
        """List the parts of a sentence that its sources lack: those of one document, or of all that it cites.

        Sources of several documents bear a sentence out together only where it cites them.
        """
        documents = list(dict.fromkeys(place.page.document for place in sources))
        cited = cited_documents(references)
        groups = [frozenset((document,)) for document in documents]
        if len(together := cited & set(documents)) > 1:
            groups.append(together)
        by_group = ([place for place in sources if place.page.document in group] for group in groups)
        lists = [self._missing(text, group) for group in by_group]
        return [in_words(part) for part in min(lists, key=len, default=[])]

    def _missing(self, text: str, places: Sequence[Place]) -> list[MissingPart]:
        """List the parts of a sentence that some places lack; of a table those of one row, or of those it names."""
        sources = [self._source_text(place) for place in places]
        choices = rows_apart(text, [source.text for source in sources])
        return min((missing_parts(text, [sources[at] for at in choice]) for choice in choices), key=len)

    def _source_text(self, place: Place) -> SourceText:
        document = self._store.documents.get(place.page.document)
        about = "\n".join((document.title, document.name, document.own_title, document.date[:10], document.dated))
        author = f"{document.own_author} {document.author}"
        own = place.candidate.text
        return SourceText(own, own if is_row(own) else place.candidate.around, about, author)

    @property
    def can_read(self) -> bool:
        """Return whether there is a reader of statements."""
        return self._open.engines.statements is not None

    def readings(
        self,
        text: str,
        places: Sequence[Place],
        references: Sequence[Reference],
        quotations: Sequence[Quote] = (),
    ) -> list[Reading]:
        """Read a sentence against the stretches that may bear it out, and against the two nearest of them together.

        Among them are those of its quotations, where they stand word for word. Empty without a reader, and where it
        cannot be asked.
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
                near = sorted(readings, key=lambda reading: reading.bearing.absent)[:2]
                if len(near) > 1:
                    stretches = [reading.stretch for reading in near]
                    both = Stretch(
                        tuple(place for stretch in stretches for place in stretch.places),
                        "\n".join(stretch.text for stretch in stretches),
                    )
                    if (reading := self._reading(reader, text, both)) is not None:
                        readings.append(reading)
        except AppError:
            return []  # the words decide alone
        self.statements_read += bool(readings)
        return readings

    def _reading(self, reader: StatementReader, text: str, stretch: Stretch) -> Reading | None:
        """Read a sentence against one stretch; None where both are too long to be read at once."""
        try:
            bearing = reader.bearing(stretch.text, text)
        except BadInput:
            return None
        texts = [place.candidate.text for place in stretch.places]
        first = self._source_text(stretch.places[0])
        about = "\n".join(dict.fromkeys(self._source_text(place).about for place in stretch.places))
        choices = [" ".join(texts[at] for at in choice) for choice in rows_apart(text, texts)]
        around = "" if any(map(is_row, texts)) else stretch.text
        lists = [missing_parts(text, [SourceText(own, around or own, about, first.author)]) for own in choices]
        lacks = tuple(in_words(part) for part in min(lists, key=len) if part.kind in EXACT)
        return Reading(stretch, bearing, lacks, coverage(text, " ".join(texts)))

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
        order = [at for _, at in bearing.order(text, [place.candidate for place in candidates], self.rarity(text))]
        documents = cited_documents(references)
        quoted_keys = {(place.page.id, place.start) for place in quoted_places}
        quoted = [at for at, place in enumerate(candidates) if (place.page.id, place.start) in quoted_keys]
        cited = [at for at in order if candidates[at].page.document in documents]
        named = self._bearing_name_of(text)
        authored = [at for at in order if candidates[at].page.document in named]
        leaders = [next(at for at in order if candidates[at].page.id == page.id) for page in pages]
        stretches: list[Stretch] = []
        for seeds, most in (
            (quoted, _QUOTED),
            (cited, _CITED),
            (authored, _AUTHORED),
            (order, _BY_WORDS),
            (leaders, _BY_RANK),
        ):
            count = 0
            for at in seeds:
                if count >= most:
                    break
                seed = candidates[at]
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

    def strangers(self, sentence: str, quotation: str, places: Sequence[Quote]) -> list[Difference]:
        """Return who says a quotation by a sentence, where no place of it is known to be his."""
        at = sentence.find(quotation)
        if at < 0 or not places:
            return []
        frame = sentence[:at] + " " * len(quotation) + sentence[at + len(quotation) :]
        return [
            Difference("speaker", sentence[start:end], "", start, end)
            for start, end in speakers.speakers(frame)
            if not any(self._names_near(sentence[start:end], place) for place in places)
        ]

    def _names_near(self, name: str, quotation: Quote) -> bool:
        """Return whether somebody is named near a quotation, or as the author or in the title of its document."""
        page = self._page(quotation.document, quotation.page)
        document = self._store.documents.get(quotation.document)
        low, high = quotation.start - speakers.NEAR, quotation.end + speakers.NEAR
        return page is None or speakers.is_named(name, (_credits(document), page.text[max(0, low) : high]))

    def _whole(self, page: Page) -> list[Place]:
        """Return all sentences of a page that is short."""
        return self._sentences_of(page, 0, len(page.text), None) if len(page.text) <= _SHORT_PAGE else []

    def _around(self, seed: Place, places: Sequence[Place]) -> Stretch:
        """Return a sentence with those around it, as many as are read at once."""
        row = self._whole(seed.page) or [place for place in places if place.page.id == seed.page.id]
        row = sorted({place.start: place for place in row}.values(), key=lambda place: place.start)
        middle = first = last = next((at for at, place in enumerate(row) if place.start <= seed.start < place.end), 0)
        size = len(row[middle].candidate.text)
        while first > 0 or last < len(row) - 1:
            is_earlier = last == len(row) - 1 or (first > 0 and middle - first <= last - middle)
            at = first - 1 if is_earlier else last + 1
            size += len(row[at].candidate.text) + 1
            if size > _READ_AT_ONCE:
                break
            first, last = min(first, at), max(last, at)
        window = tuple(row[first : last + 1])
        document = self._store.documents.get(seed.page.document)
        about = ", ".join(filter(None, (document.title or document.name, document.dated or document.date[:10])))
        return Stretch(window, f"{about}: " + " ".join(place.candidate.text for place in window))

    def foreign_language(self, own: str, sources: Sequence[Place]) -> str:
        """Return the language of a sentence (``own``) or of its nearest source that is not read here; '' for none."""
        document = self._store.documents.get(sources[0].page.document) if sources else None
        languages = (own, document.language if document is not None else "")
        return next((language for language in languages if language not in ("", READ)), "")

    def stock(self, places: Sequence[Place], sources: Sequence[Place], references: Sequence[Reference]) -> Stock:
        """Return the words and figures of the documents that may bear a sentence out.

        The cited ones where its sources stand in them, else all that a search brought.
        """
        documents = {place.page.document for place in sources}
        if not documents & cited_documents(references):
            documents |= {place.page.document for place in places}
        whole = Stock(frozenset(), ())
        for document in sorted(documents):
            if document not in self._stocks:
                self._stocks[document] = stock(
                    "\n".join(without_hidden(page.text, page.hidden_spans) for page in self._store.pages.of(document))
                )
            self._stocks.move_to_end(document)
            whole |= self._stocks[document]
            while len(self._stocks) > _DOCUMENTS:
                self._stocks.popitem(last=False)
        return whole

    def source(self, place: Place, references: Sequence[Reference]) -> Source:
        """Prove that a sentence stands on its page."""
        self.prove([place.page.id])
        quote = quotes.span(place.page, place.start, place.end)
        before = place.page.text[place.before[0] : place.before[1]] if place.before else ""
        is_cited = any(
            place.page.document in one.target.attachments
            or (
                one.target.document == place.page.document
                and (not one.target.pages or place.page.number in one.target.pages)
            )
            for one in references
        )
        return Source(quote, place.name, before, is_cited, place.page.source)

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

    # --- what the engines say ----------------------------------------------------------------------------------------

    def rarity(self, text: str) -> Rarity:
        """Return how rare the words of a sentence are in the case."""
        frequency = self._store.words.document_frequency(bearing.vocabulary(text))
        return Rarity(self._store.counts()["chunks"], frequency)

    def verdict(self, text: str, candidates: Sequence[Candidate]) -> Label | None:
        """Ask the judge about a sentence that no rule decides; None where it is not sure."""
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
        """Ask the judge about a sentence beside a passage. Return None if there is none that can be asked."""
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
    """Return the author, title and name of a document."""
    return " ".join((document.author, document.own_author, document.title, document.own_title, document.name))


def _has(stretch: Stretch, seed: Place) -> bool:
    return any(place.page.id == seed.page.id and place.start <= seed.start < place.end for place in stretch.places)


def cited_documents(references: Sequence[Reference]) -> frozenset[str]:
    """Return the documents that some citations name, with their attachments."""
    return frozenset(document for reference in references for document in reference.target.documents)


def near_pages(pages: Sequence[int]) -> list[int]:
    """Return some pages with those before and behind them."""
    return sorted({near for page in pages for near in (page - 1, page, page + 1) if near > 0})
