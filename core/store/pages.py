"""Pages and passages: texts proven against the log, words and headings in their places, readings of pictures."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from core.domain import Chunk, Page, Reading, Section, Table, Words
from core.errors import NoSuchItem
from core.language import row_headings
from core.store import values
from core.store.anchors import PageAnchors
from core.store.database import Database
from core.store.documents import READ, TITLE, DocumentTable

_COLUMNS = (
    *("id", "document", "number", "text", "sha256", "width", "height", "source", "confidence", "label", "fingerprint"),
    *("hidden", "struck", "tables"),
)
_PAGE = ", ".join(_COLUMNS)
_BATCH = 500  # chunks fetched in one statement
WITH_PLAIN_TABLES = "instr(tables, ',[],[]]')"  # one has no letters and numbers, so it is of no sheet


class PageTable:
    """The pages of documents, and their passages (chunks)."""

    def __init__(self, db: Database, anchors: PageAnchors, documents: DocumentTable) -> None:
        self._db = db
        self._anchors = anchors
        self._documents = documents

    def page(self, document: str, number: int) -> Page:
        """Return a page by its number. Raises NoSuchItem; CaseCorrupt when its text is not the one that was kept."""
        return self._page("document = ? AND number = ?", (document, number), f"{document} page {number}")

    def by_id(self, page_id: int) -> Page:
        """Return a page. Raises NoSuchItem; CaseCorrupt when its text is not the one that was kept."""
        return self._page("id = ?", (page_id,), str(page_id))

    def _page(self, where: str, bindings: tuple[object, ...], name: str) -> Page:
        with self._db.reading() as db:
            row = db.execute(f"SELECT {_PAGE} FROM page WHERE {where}", bindings).fetchone()
            if row is None:
                raise NoSuchItem(kind="page", id=name, listing="documents")
            page = _page_of(row)
            if page.document not in self._documents.session_documents and self._documents.cut_short(page.document):
                raise NoSuchItem(kind="page", id=name, listing="documents")
            self._anchors.prove(page.id, page.document, page.number, page.text, page.sha256)
        return page

    def of(self, document: str | None) -> Iterator[Page]:
        """Yield the pages of a document, or of all listed ones in order.

        The case is free for others between two pages.
        """
        with self._db.reading() as db:
            if document is not None:
                self._documents.get(document)
                ids = [
                    row[0] for row in db.execute("SELECT id FROM page WHERE document = ? ORDER BY number", (document,))
                ]
            else:
                read = (document.id for document in self._documents.all() if document.status != "reading")
                order = {document: index for index, document in enumerate(read)}
                owners = dict(db.execute("SELECT id, document FROM page ORDER BY document, number"))
                ids = [page_id for page_id, owner in owners.items() if owner in order]
                ids.sort(key=lambda page_id: order[owners[page_id]])
        for page_id in ids:
            try:
                yield self.by_id(page_id)
            except NoSuchItem:  # its document was dropped meanwhile
                continue

    def words(self, page_id: int) -> Words:
        """Return where the words of a page stand. Raises NoSuchItem."""
        with self._db.reading() as db:
            row = db.execute("SELECT words FROM page WHERE id = ?", (page_id,)).fetchone()
        if row is None:
            raise NoSuchItem(kind="page", id=str(page_id), listing="documents")
        return values.words("page", str(page_id), row[0])

    def word_counts(self) -> dict[str, int]:
        """Count the words of each document that has any, page after page."""
        counts: dict[str, int] = {}
        with self._db.reading() as db:
            for document, text in db.execute("SELECT document, text FROM page"):
                counts[document] = counts.get(document, 0) + len(text.split())
        return counts

    def labels(self, document: str) -> dict[int, str]:
        """Return what the pages of a document are called in print, by number.

        Those without a name of their own are left out.
        """
        with self._db.reading() as db:
            return dict(db.execute("SELECT number, label FROM page WHERE document = ? AND label != ''", (document,)))

    def sections(self, document: str) -> list[tuple[int, Section]]:
        """List the headings of a document in order, each with the number of its page. Raises NoSuchItem."""
        with self._db.reading():
            self._documents.get(document)
            rows = self._db.rows(
                "SELECT page.number, section.level, section.title, section.start FROM section "
                "JOIN page ON page.id = section.page WHERE page.document = ? "
                "ORDER BY page.number, section.start, section.rowid",
                (document,),
            )
            return [(int(number), Section(*fields)) for number, *fields in rows]

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        """Return chunks by id; an unknown id is left out.

        Raises CaseCorrupt when a page's text is not the one kept.
        """
        order = list(dict.fromkeys(ids))
        by_id: dict[int, Chunk] = {}
        for offset in range(0, len(order), _BATCH):
            part = json.dumps(order[offset : offset + _BATCH])
            with self._db.reading():
                rows = self._db.rows(
                    "SELECT chunk.id, chunk.page, chunk.document, document.name, page.number, chunk.start, "
                    f'chunk."end", page.source, {TITLE} FROM chunk JOIN page ON page.id = chunk.page '
                    "JOIN document ON document.id = chunk.document "
                    "WHERE chunk.id IN (SELECT value FROM json_each(?)) ORDER BY chunk.page, chunk.id",
                    (part,),
                )
                texts = self.texts({row[1] for row in rows})
                tables = self._tables(texts)
            for chunk, page, document, name, number, start, end, source, title in rows:
                text = texts[page]
                words = text[start:end], source, " ".join(title.split())
                reading = row_headings.with_headings(text, start, end, tables.get(page, ()))
                by_id[chunk] = Chunk(chunk, page, document, name, number, start, end, *words, reading)
        return {chunk: by_id[chunk] for chunk in order if chunk in by_id}

    def texts(self, pages: Collection[int]) -> dict[int, str]:
        """Return proven page texts by page id."""
        texts = {}
        rows = self._db.execute(
            "SELECT id, text, sha256, document, number FROM page WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(pages)),),
        )
        for page_id, text, digest, document, number in rows:
            self._anchors.prove(page_id, document, number, text, digest)
            texts[page_id] = text
        return texts

    def _tables(self, texts: Mapping[int, str]) -> dict[int, tuple[Table, ...]]:
        """Return the tables of pages, which are given with their texts, as far as they are of no sheet."""
        rows = self._db.execute(
            f"SELECT id, tables FROM page WHERE id IN (SELECT value FROM json_each(?)) AND {WITH_PLAIN_TABLES}",
            (json.dumps(sorted(texts)),),
        )
        return {page_id: plain_tables(grids, len(texts[page_id])) for page_id, grids in rows}

    def chunk_ids(self, document: str) -> list[int]:
        """List the chunks of a document in order of reading."""
        with self._db.reading() as db:
            rows = db.execute(
                "SELECT chunk.id FROM chunk JOIN page ON page.id = chunk.page WHERE chunk.document = ? "
                "ORDER BY page.number, chunk.start, chunk.id",
                (document,),
            )
            return [row[0] for row in rows]

    def readings(self, page_id: int) -> list[Reading]:
        """List what OCR engines read on a page, in order of engine."""
        with self._db.reading():
            rows = self._db.rows(
                "SELECT engine, text, words, confidences, alternatives FROM reading WHERE page = ? ORDER BY engine",
                (page_id,),
            )
            page_readings = []
            for engine, text, words, confidences, alternatives in rows:
                try:
                    confidence = array("f")
                    confidence.frombytes(confidences)
                    alternative_words, second_readings = values.alternatives(alternatives)
                except ValueError as error:
                    raise values.wrong("reading", f"{page_id} {engine}", "alternatives") from error
                boxes = values.words("reading", f"{page_id} {engine}", words)
                page_readings.append(
                    Reading(engine, text, boxes, tuple(confidence), alternative_words, second_readings)
                )
            return page_readings

    def keep_reading(self, page_id: int, reading: Reading) -> None:
        """Keep what an engine read on a page, in the transaction that is open."""
        self._db.execute(
            "INSERT INTO reading (page, engine, text, words, confidences, alternatives, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(page_id, reading.engine, reading.text, reading.words.buffer),
                *(
                    array("f", reading.confidences).tobytes(),
                    json.dumps([reading.alternatives, reading.others], ensure_ascii=False),
                ),
                self._db.now(),
            ),
        )

    def documents_of(self, chunks: Collection[int]) -> dict[int, str]:
        """Return the document of each chunk."""
        with self._db.reading():
            return dict(
                self._db.rows(
                    "SELECT id, document FROM chunk WHERE id IN (SELECT value FROM json_each(?))",
                    (json.dumps(sorted(chunks)),),
                )
            )

    def languages_of(self, chunks: Collection[int]) -> dict[int, str]:
        """Return the language of the document of each chunk, as far as it is known (ISO 639-1)."""
        with self._db.reading():
            return dict(
                self._db.rows(
                    "SELECT chunk.id, language FROM chunk JOIN document ON document.id = chunk.document "
                    "WHERE language != '' AND chunk.id IN (SELECT value FROM json_each(?))",
                    (json.dumps(sorted(chunks)),),
                )
            )

    def every_chunk(self) -> list[int]:
        """List the ids of all passages of documents that can be read, in order."""
        sql = f"SELECT id FROM chunk WHERE document IN (SELECT id FROM document WHERE {READ}) ORDER BY id"
        with self._db.reading() as db:
            return [int(row[0]) for row in db.execute(sql)]

    def place_of(self, chunk: int) -> tuple[int, int, int] | None:
        """Return the page of a chunk, and where on it the chunk begins and ends."""
        with self._db.reading() as db:
            row = db.execute('SELECT page, start, "end" FROM chunk WHERE id = ?', (chunk,)).fetchone()
        return None if row is None else (int(row[0]), int(row[1]), int(row[2]))

    def chunk_at(self, page_id: int, start: int, end: int) -> int | None:
        """Return the chunk that lies just there."""
        sql = 'SELECT id FROM chunk WHERE page = ? AND start = ? AND "end" = ?'
        with self._db.reading() as db:
            chunk = db.execute(sql, (page_id, start, end)).get
        return None if chunk is None else int(chunk)

    def chunk_around(self, page_id: int, start: int, end: int) -> int | None:
        """Return the first chunk in which a stretch of a page lies."""
        sql = 'SELECT id FROM chunk WHERE page = ? AND start <= ? AND "end" >= ? ORDER BY id'
        with self._db.reading() as db:
            chunk = db.execute(sql, (page_id, start, end)).get
        return None if chunk is None else int(chunk)


def plain_tables(text: str, length: int) -> tuple[Table, ...]:
    """Return the tables of a page to be searched; none where they cannot be read, which a check of the case finds."""
    try:
        return values.tables(text, length)
    except ValueError:
        return ()


def _page_of(row: Sequence[object]) -> Page:
    fields = dict(zip(_COLUMNS, row, strict=True))
    length = len(str(fields["text"]))
    column = "hidden"
    try:
        fields["hidden_spans"], fields["hidden_why"] = values.spans(fields.pop(column), length)
        column = "struck"
        fields["struck_spans"] = values.struck_places(fields.pop(column), length)
        column = "tables"
        fields[column] = values.tables(fields[column], length)
    except ValueError as error:
        raise values.wrong("page", f"{fields['number']} of {fields['document']}", column) from error
    return Page(**fields)  # type: ignore[arg-type]
