"""Scans of a case: pages read in their pictures, the words of them that people check."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from core import paths
from core.documents import chunking
from core.documents.languages import DOUBTFUL, recognise
from core.domain import OF_THE_FILE, STAMP, Changes, Document, OcrDecision, Page, PageText, Reading
from core.errors import BadInput, EngineStopped, ModelMissing, ModelUnreadable, Problem, UnreadableDocument
from core.language.codes import THREE_LETTERS
from core.language.identification import name_of
from core.ocr import own_words, page_selection, suspect_words
from core.ocr.lexicon import Lexicon
from core.ports import OcrEngine, OcrPage
from core.progress import Progress, silent
from core.store import Corrected
from core.workers.pool import ToScan, read_scans

if TYPE_CHECKING:
    from core.case.service import CaseService
    from core.open_case import OpenCase
    from core.search.embedding_index import EmbeddingIndex


_OCR_SCALE = 300 / 72  # pixels a point: 300 dots an inch, what OCR engines are made for
# A white picture of one pixel. What languages there are an engine alone knows, and it says so when it reads.
_BLANK = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b5500"
    "00000a49444154789c63f80f0001010100b138f6140000000049454e44ae426082"
)


@dataclass(frozen=True, slots=True)
class ScanReport:
    """The pages that were read in their pictures, with their words, and those that could not be.

    ``stale`` are rows of evidence whose quote is not what is on its page since a page was read again.
    """

    pages: int
    words: int
    problems: tuple[Problem, ...]
    seconds: float
    stale: tuple[str, ...] = ()
    changes: Changes = Changes(documents=True, proposals=True, evidence=True, matrix=True)


class _PageStays(Exception):
    """The reason why a page stays as it is."""

    def __init__(self, why: BadInput) -> None:
        super().__init__(why.sentence)
        self.why = why


class Ocr:
    """The reading of scans, and what people say of the words that were read."""

    def __init__(self, case: OpenCase, about: CaseService, index: EmbeddingIndex) -> None:
        self._open = case
        self._store = case.store
        self._about = about
        self._index = index
        self._page_doubts: dict[int, tuple[tuple[object, ...], list[suspect_words.SuspectWord]]] = {}
        self._vocabulary_key: tuple[object, ...] = ()
        self._words_of_case: dict[str, suspect_words.Vocabulary] = {}

    def read(
        self,
        documents: Collection[str] | None = None,
        progress: Progress | None = None,
        *,
        languages: Sequence[str] = (),
        again: bool = False,
    ) -> ScanReport:
        """Read pages in their pictures, and make them searchable: those without text, and those whose text is none.

        Of ``documents`` that are named every page is read, also one with text of its own, which stays beside what the
        picture adds. ``languages`` by three letters; () takes those of the case, else the document's, else English.
        ``again`` reads pages as well that were read before, by another engine or in another language; what people said
        of their words stays. A page is kept as soon as it is read: cancelling keeps what was read, and the next run
        goes on from there. One that cannot be read, or replaced, becomes a Problem. Raises ModelMissing without an OCR
        engine, BadInput for a language without data, also where no page is to be read, NoSuchItem.
        """
        progress = progress or silent()
        began = time.monotonic()
        engines = self._open.engines.ocrs or ((self._open.engines.ocr,) if self._open.engines.ocr is not None else ())
        if not engines:
            raise ModelMissing(role="OCR", path="the program's own packages", effect="scans cannot be read")
        documents_to_read = [d for d in self._store.documents.all() if d.status in ("ready", "needs_ocr")]
        if documents is not None:
            for identity in documents:
                self._store.documents.get(identity)
            documents_to_read = [d for d in documents_to_read if d.id in set(documents)]
        unread = self._store.readings.unread_pages()
        pages: list[tuple[Document, Page]] = []
        for document in documents_to_read:
            if document.id in unread or again:
                pages += [(document, page) for page in self._store.readings.pages_to_read(document.id)]
            if documents is not None:
                pages += [(document, page) for page in self._pages_with_text(document.id)]
            if again:
                pages += [(document, page) for page in self._store.pages.of(document.id) if page.source == "ocr"]
        if languages and not pages:
            engines[0].read(_BLANK, width=1.0, height=1.0, languages=tuple(languages))
        problems: list[Problem] = []
        if documents is not None:
            problems += [_no_pictures(document) for document in self._without_pictures(documents_to_read)]
        same: Counter[str] = Counter()
        stale: list[str] = []
        words = 0
        read: Counter[str] = Counter()  # pages, by document
        jobs = self._pictures(pages, tuple(languages), problems, progress)
        for number, ((document, page), answer) in enumerate(read_scans(engines, jobs)):
            progress.step(number, len(pages), f"Reading the scan {document.name}, page {page.number}")
            if answer is None:
                continue  # there was no picture, which is among the problems
            try:
                reading = answer()
                outcome = self._keep_scan(page, reading)
            except (UnreadableDocument, EngineStopped) as error:
                progress.check()
                problems.append(Problem.at(f"{document.name}, page {page.number}", error))
                continue
            except _PageStays as error:
                problems.append(Problem.at(f"{document.name}, page {page.number}", error.why))
                continue
            if outcome is None:
                same[document.name] += page.source != "ocr"
            else:
                read[document.id] += 1
                words += outcome[0]
                stale += outcome[1]
                if len(reading.words) and reading.confidence < DOUBTFUL:
                    problems.append(_doubtful(document, page, reading.confidence))
        recognise(self._open, list(read), progress)
        if read:
            try:
                self._index.fill(progress)
            except (ModelMissing, ModelUnreadable, EngineStopped) as error:
                progress.check()
                problems.append(Problem.at("search by meaning", error))
        problems += [_nothing_new(name, count) for name, count in same.items() if count]
        progress.step(len(pages), len(pages), "Scans read")
        return ScanReport(read.total(), words, tuple(problems), time.monotonic() - began, tuple(dict.fromkeys(stale)))

    def _pages_with_text(self, document: str) -> list[Page]:
        """List the pages of a document whose text is that of the file and will do."""
        return [
            page
            for page in self._store.pages.of(document)
            if page.source in OF_THE_FILE and page.confidence is None and page.width and page.height
        ]

    def _without_pictures(self, documents: Sequence[Document]) -> Iterator[Document]:
        """Yield the documents that have no page which could be drawn."""
        for document in documents:
            if not any(page.width and page.height for page in self._store.pages.of(document.id)):
                yield document

    def _pictures(
        self,
        pages: Sequence[tuple[Document, Page]],
        languages: tuple[str, ...],
        problems: list[Problem],
        progress: Progress,
    ) -> Iterator[tuple[tuple[Document, Page], ToScan | None]]:
        """Draw the pages, one after the other, as the engines have time for them."""
        case_languages = self._about.settings().ocr_languages
        reader = self._open.engines.viewer or self._open.engines.reader
        original = ("", b"", "")
        for document, page in pages:
            progress.check()
            document_languages = language_of(document) if document.language else ()  # without one the engine guesses
            if document.language and not (languages or case_languages) and (missing := _missing_data(document)):
                problems.append(Problem.at(f"{document.name}, page {page.number}", missing))
                yield (document, page), None
                continue
            try:
                if document.id != original[0]:
                    original = (
                        document.id,
                        self._store.documents.original(document.id),
                        self._store.imports.password(document.id),
                    )
                picture = reader.render(original[1], document.name, page.number, scale=_OCR_SCALE, password=original[2])
            except (UnreadableDocument, EngineStopped) as error:
                progress.check()
                problems.append(Problem.at(f"{document.name}, page {page.number}", error))
                yield (document, page), None
                continue
            width, height = page.width or picture.width / picture.scale, page.height or picture.height / picture.scale
            yield (
                (document, page),
                ToScan(picture.png, width, height, languages or case_languages or document_languages),
            )

    def _keep_scan(self, page: Page, result: OcrPage) -> tuple[int, tuple[str, ...]] | None:
        """Keep a reading: how many words, and the rows of evidence that are stale now; None if nothing is new.

        Text of the file that is right stays in its place.
        """
        poor = page.source in OF_THE_FILE and page.confidence not in (None, STAMP)
        layer = page.source == "layer" and page.confidence is None
        if page.source != "none" and not poor and not layer:
            readings_of_page = self._store.pages.readings(page.id) if page.source == "ocr" else ()
            page_words = own_words.own_words(page, self._store.pages.words(page.id), readings_of_page)
            with_text = own_words.with_own_words(result, *page_words)
            if with_text is None and page.confidence != STAMP:
                return None
            result = result if with_text is None else with_text
        readings = [_reading(reading) for reading in (result, *result.readings)]
        # One row for each engine: a second one of the same name would be the same reading.
        engine_readings = list({reading.engine: reading for reading in reversed(readings)}.values())[::-1]
        confidence = result.confidence if len(result.words) else None
        text = PageText(page.number, result.text, result.words, page.width, page.height, "ocr", confidence, page.label)
        if page.source == "ocr" and page.fingerprint == result.engine:
            return None
        try:
            if page.source == "ocr":
                return len(result.words), self._store.readings.read_again(page.id, text, engine_readings).stale
            spans = chunking.split(text)
            if page.source == "none":
                self._store.readings.put(page.id, text, spans, engine_readings)
            else:
                self._store.readings.replace_text(page.id, text, spans, engine_readings, is_asked=True)
        except BadInput as error:
            raise _PageStays(error) from error
        return len(result.words), ()

    def check_layers(self, pages: Mapping[str, Sequence[int]], progress: Progress | None = None) -> int:
        """Compare pages, by document, whose text the file gives as a layer over a picture, with that picture.

        All of a document where one of those says otherwise. Returns how many do; they wait to be read in their
        pictures. What cannot be looked into stays as it is.
        """
        progress = progress or silent()
        engines = self._open.engines.ocrs or ((self._open.engines.ocr,) if self._open.engines.ocr is not None else ())
        count = 0
        for identity, numbers in pages.items() if engines else ():
            first = page_selection.sample_pages(numbers)
            comparisons = self._against_pictures(identity, first, engines, progress)
            if any(comparison.refuted for comparison in comparisons.values()):
                remaining = [number for number in numbers if number not in set(first)]
                comparisons |= self._against_pictures(identity, remaining, engines, progress)
            for page_id, comparison in comparisons.items():
                if comparison.refuted:
                    doubt = self._store.readings.hide_text if comparison.absent else self._store.readings.doubt_text
                    doubt(page_id, min(0.99, round(comparison.share, 4)))
                elif comparison.is_whole:
                    self._store.readings.confirm_text(page_id)
            count += sum(comparison.refuted for comparison in comparisons.values())
        return count

    def _against_pictures(
        self, identity: str, numbers: Sequence[int], engines: Sequence[OcrEngine], progress: Progress
    ) -> dict[int, _Comparison]:
        """Compare pages with their pictures: by id of each page whose picture is good enough to tell."""
        document = self._store.documents.get(identity)
        reader = self._open.engines.viewer or self._open.engines.reader
        original, password = self._store.documents.original(identity), self._store.imports.password(identity)
        languages_to_read = self._about.settings().ocr_languages or language_of(document)

        def jobs() -> Iterator[
            tuple[tuple[Page, list[page_selection.WordBox], bool, tuple[float, ...]], ToScan | None]
        ]:
            for index, number in enumerate(numbers):
                progress.step(index, len(numbers), f"Comparing the text of {document.name} with its pictures")
                page = self._store.pages.page(identity, number)
                words = [
                    page_selection.WordBox(page.text[word.start : word.end], word.x0, word.y0, word.x1, word.y1)
                    for word in self._store.pages.words(page.id)
                    if not any(start < word.end and word.start < end for start, end in page.hidden_spans)
                ]
                area = page_selection.sample_band(words)
                if area is None:
                    continue
                if page.width:  # what is in the picture may be wider than what the layer says
                    area = 0.0, area[1], page.width, area[3]
                try:
                    image = reader.render(
                        original, document.name, number, scale=_OCR_SCALE, password=password, clip=area
                    )
                except (UnreadableDocument, EngineStopped):
                    progress.check()
                    continue
                inside = [word for word in words if area[1] <= (word.y0 + word.y1) / 2 <= area[3]]
                size = image.width / image.scale, image.height / image.scale
                yield (page, inside, len(inside) == len(words), area), ToScan(image.png, *size, languages_to_read)

        comparisons: dict[int, _Comparison] = {}
        for (page, layer, has_all, area), answer in read_scans(engines, jobs()):
            progress.check()
            try:
                reading = answer() if answer is not None else None
            except (UnreadableDocument, EngineStopped):
                progress.check()
                continue
            if reading is None:
                continue
            left, top = area[0], area[1]
            picture = [
                page_selection.WordBox(
                    *(word.text, word.x0 + left, word.y0 + top, word.x1 + left, word.y1 + top),
                    sure=0.0 if word.other else word.confidence,
                )
                for word in reading.each_word()
            ]
            share = page_selection.agreement(layer, picture)
            if share is not None:
                comparisons[page.id] = _Comparison(
                    share,
                    absent=page.source == "layer" and page_selection.is_absent(layer, picture),
                    is_whole=has_all and page.source == "layer" and page_selection.is_proven(layer, picture),
                )
        return comparisons

    def unread_pages(self) -> dict[str, tuple[int, int]]:
        """Count by document that has any how many pages have no text, and how many have text that is none."""
        return self._store.readings.unread_pages()

    def blank_pages(self) -> dict[str, int]:
        """Count by document that has any how many pages were read in their pictures and have no word."""
        return self._store.readings.blank_pages()

    def left_pages(self) -> frozenset[tuple[str, int]]:
        """Return (document, page) of every page whose text a person looked at and left as it is."""
        return self._store.readings.left_pages()

    def text_left(self, page_id: int) -> tuple[str, str] | None:
        """Return who left the text of a page as it is, and when; None if nobody did."""
        return self._store.readings.text_left(page_id)

    def leave_text(self, pages: Sequence[tuple[str, int]], *, left: bool = True) -> Changes:
        """Record that a person looked at these pages, (document, page), and their text is right as it is.

        OCR is offered for them no more, and what is hidden on them has been seen. It stays out of search and prompts.
        Raises NoSuchItem.
        """
        self._store.readings.leave_text(pages, left=left)
        return Changes(documents=True, evidence=True, matrix=True)  # rows that quote a layer are checked by it

    def decide(self, decisions: Sequence[tuple[int, int, str, str]]) -> Corrected:
        """Record what a person says of words of scans, as one decision: (page id, word, action, text).

        ``word`` counts the words of the page's reading; ``action`` is accepted, corrected (to ``text``), illegible, or
        '' to take it back. Raises BadInput.
        """
        return self._store.corrections.decide(decisions)

    def queue(self, limit: int = 500) -> list[suspect_words.SuspectWord]:
        """List the words of scans that a person should check, those first in which an error would change most."""
        return self._doubts()[:limit]

    def _doubts(self) -> list[suspect_words.SuspectWord]:
        decisions: dict[int, set[int]] = {}
        for decision in self._store.corrections.decisions():
            decisions.setdefault(decision.page_id, set()).add(decision.word)
        quotes_of: dict[int, list[tuple[int, int, str]]] = {}
        for row in self._store.evidence.all():
            if row.page_id is not None and row.start is not None and row.end is not None:
                quotes_of.setdefault(row.page_id, []).append((row.start, row.end, row.id))
            for part in row.more:
                quotes_of.setdefault(part.page_id, []).append((part.start, part.end, row.id))
        pages = self._store.corrections.scanned_pages()
        vocabularies = self._vocabularies(pages)
        suspects: list[suspect_words.SuspectWord] = []
        for page in pages:
            words_decided, quotes = frozenset(decisions.get(page.id, ())), tuple(quotes_of.get(page.id, ()))
            key = (page.sha256, page.fingerprint, words_decided, quotes, self._vocabulary_key)
            cache_entry = self._page_doubts.get(page.id)
            if cache_entry is None or cache_entry[0] != key:
                reading = self._reading_of(page)
                words = self._store.pages.words(page.id)
                suspects_of_page = (
                    []
                    if reading is None
                    else suspect_words.find(
                        page, reading, words, words_decided, quotes, vocabulary=vocabularies[page.document]
                    )
                )
                cache_entry = (key, suspects_of_page)
                self._page_doubts[page.id] = cache_entry
            suspects += cache_entry[1]
        return suspect_words.in_order(suspects)

    def _vocabularies(self, pages: Sequence[Page]) -> dict[str, suspect_words.Vocabulary]:
        """Gather by document what words are known in its scans."""
        case_languages = self._about.settings().ocr_languages
        key = (case_languages, *((page.id, page.fingerprint) for page in pages))
        if key != self._vocabulary_key or not key:
            counts = suspect_words.word_counts(
                reading for page in pages if (reading := self._reading_of(page)) is not None
            )
            self._words_of_case = {
                document.id: suspect_words.Vocabulary(counts, lexicon(case_languages or language_of(document)))
                for document in self._store.documents.all()
            }
            self._page_doubts = {}
            self._vocabulary_key = key
        return self._words_of_case

    def _reading_of(self, page: Page) -> Reading | None:
        return next(
            (reading for reading in self._store.pages.readings(page.id) if reading.engine == page.fingerprint), None
        )

    def readings(self, page_id: int) -> list[Reading]:
        """Return what OCR engines read on a page, in order of engine."""
        return self._store.pages.readings(page_id)

    def scanned_pages(self) -> list[Page]:
        """Return the pages whose text was read in their pictures, by document."""
        return self._store.corrections.scanned_pages()

    def decisions(self, page_id: int | None = None) -> list[OcrDecision]:
        """Return people's decisions on scanned words, by page and word."""
        return self._store.corrections.decisions(page_id)

    def words_checked(self, page_id: int, start: int, end: int) -> Collection[OcrDecision] | None:
        """Return the decisions on every word of a stretch of a scan; None when a word of it was never looked at."""
        return self._store.corrections.words_checked(page_id, start, end)

    def pages_to_read(self, document: str) -> list[Page]:
        """Return the pages of a document without text, or whose text is garbled, in order."""
        return self._store.readings.pages_to_read(document)


def _no_pictures(document: Document) -> Problem:
    return Problem.at(
        document.name,
        BadInput(
            reason="It has no page images, so OCR has nothing to read.",
            remedy="Save it as PDF and add that, if pictures in it contain text.",
        ),
    )


def _doubtful(document: Document, page: Page, confidence: float) -> Problem:
    what = (
        f"The words were read with a confidence of {confidence:.2f}: the page may be unclear, or in another language."
    )
    remedy = "Compare it with its image, or read it again in its language: disconfirm ocr CASE --language CODE --again"
    return Problem.at(f"{document.name}, page {page.number}", BadInput(reason=what, remedy=remedy))


def _missing_data(document: Document) -> UnreadableDocument | None:
    """Return which file is missing to read a document's scans in its language; None if it is there."""
    code = THREE_LETTERS.get(document.language, "")
    if not code or code in languages():
        return None
    return UnreadableDocument(
        reason=f"The document is in {name_of(document.language)}, and there is no data to read that.",
        remedy=f"Put {code}.traineddata into {paths.models() / 'tessdata'} and run OCR again.",
    )


def _nothing_new(name: str, count: int) -> Problem:
    pages = "1 page was" if count == 1 else f"{count:,} pages were"
    reason = f"{pages} left as before: the image shows no words that the text of the file lacks."
    return Problem.at(name, BadInput(reason=reason, remedy="Nothing needs to be done."))


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A layer of a page held against its picture.

    ``share`` of it is there; ``absent``: it is nothing of that; ``is_whole``: it is the whole of it.
    """

    share: float
    absent: bool
    is_whole: bool

    @property
    def refuted(self) -> bool:
        return self.share < page_selection.AGREED


def language_codes(words: str) -> tuple[str, ...]:
    """Return the languages of 'deu+eng' by three letters; two letters ('de+en') do as well."""
    return tuple(THREE_LETTERS.get(word.lower(), word) for word in words.split("+") if word)


def language_of(document: Document) -> tuple[str, ...]:
    """Return the language to read a document's scans in: its own where data for it is installed, else English."""
    codes = THREE_LETTERS.get(document.language, "")
    return (codes,) if codes in languages() else ("eng",)


@cache
def lexicon(codes: tuple[str, ...]) -> Container[str] | None:
    """Return the words of languages, by three letters; None if the data of one of them has none."""
    lexicons: list[Lexicon] = []
    for language in codes:
        file = next((f for folder in paths.tessdata() if (f := folder / f"{language}.traineddata").is_file()), None)
        try:
            lexicons.append(Lexicon(file.read_bytes() if file is not None else b""))
        except (OSError, ValueError):
            return None
    return _Words(tuple(lexicons)) if lexicons else None


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of several languages."""

    languages: tuple[Lexicon, ...]

    def __contains__(self, word: object) -> bool:
        return any(word in language for language in self.languages)


def languages() -> tuple[str, ...]:
    """List the languages that scans can be read in, by three letters, as data is installed for them."""
    return paths.ocr_languages()


def _reading(page: OcrPage) -> Reading:
    return Reading(page.engine, page.text, page.words, page.confidences, page.alternatives, page.others)
