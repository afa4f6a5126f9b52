"""Documents: originals, pages, chunks, kept as they came and found again."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from core.domain import Changes, Chunk, Document, Likeness, Page, PageText, Reading, Section, Span, Words
from core.errors import BadInput, NoSuchItem, UnreadableDocument
from core.ports import Outline
from core.store import decision_log, schema, values
from core.store.anchors import Anchors
from core.store.database import clean, keepable

_DOCUMENT = ", ".join(decision_log.TABLES["document"].columns)
_PAGE = "id, document, number, text, sha256, width, height, source, confidence, label, hidden, fingerprint"
_BY_NUMBER = "ORDER BY CAST(substr(id, 2) AS INTEGER)"
_INCLUDED, _TAGS = (decision_log.TABLES["document"].columns.index(name) for name in ("included", "tags"))
_BATCH = 500  # chunks fetched in one statement


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# A document whose text can be read and searched, as a condition on its row.
READ = "status IN ('ready', 'needs_ocr')"
# One that is listed as a document of the case: also while it is being read.
_LISTED = "status NOT IN ('failed', 'removed')"
# What a document that was read is again when nothing else is to be said of it.
STANDING = (
    "CASE WHEN pages = 0 AND reason <> '' THEN 'failed' "
    "WHEN pages > 0 AND pages_without_text >= pages THEN 'needs_ocr' ELSE 'ready' END"
)


class Corpus(Anchors):
    """The documents of a case. A document is 'reading' until ``finish_document``; only then is it searched."""

    # --- documents ---------------------------------------------------------------------------------------------------

    def document_by_sha256(self, sha256: str) -> Document | None:
        with self._reading() as db:
            row = db.execute(f"SELECT {_DOCUMENT} FROM document WHERE sha256 = ?", (sha256,)).fetchone()
            return _document(row) if row else None

    def begin_document(self, *, name: str, kind: str, sha256: str, data: bytes, reader: str) -> str:
        """Keep an original and return the id of its document, 'D1'. The bytes must have that sha256."""
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ValueError("the original does not have the sha256 that was given")
        with self._writing() as db:
            document = f"D{self._number('document')}"
            db.execute(
                "INSERT INTO document (id, name, sha256, kind, size, status, imported_at, reader) "
                "VALUES (?, ?, ?, ?, ?, 'reading', ?, ?)",
                (document, clean(name), sha256, clean(kind), len(data), self.now(), clean(reader)),
            )
            db.execute("INSERT INTO original (document, data) VALUES (?, ?)", (document, data))
        self._begun.add(document)
        return document

    def restart_document(self, document: str, *, name: str, reader: str) -> None:
        """Begin again with a document that failed, or whose reading was cut short: without pages, under its id.

        Raises NoSuchItem; ValueError for a document that was read.
        """
        with self._writing() as db:
            status = self.document(document).status
            if status not in ("reading", "failed"):
                raise ValueError(f"document {document} is finished")
            before = as_logged(self._document_row(document))
            self._forget_pages(document)
            self._begun.add(document)
            db.execute(
                "UPDATE document SET status = 'reading', name = ?, reader = ? WHERE id = ?",
                (clean(name), clean(reader), document),
            )
            self._log_document(document, before)

    def fail_document(
        self, document: str, *, reason: str, remedy: str, parent: str = "", locked: bool = False
    ) -> Document:
        """Keep a document that cannot be read with the reason: its file stays, pages that were read so far go.

        ``locked``: it opens with a password only. Raises NoSuchItem; ValueError for a document that was read.
        """
        with self._writing() as db:
            self._must_be_unfinished(document)
            before = as_logged(self._document_row(document))
            self._forget_pages(document)
            db.execute(
                "UPDATE document SET status = 'failed', reason = ?, remedy = ?, parent = iif(? = '', parent, ?) "
                "WHERE id = ?",
                (clean(reason) or "It cannot be read.", clean(remedy), parent, parent, document),
            )
            if locked:
                db.execute("INSERT OR REPLACE INTO password (document, password) VALUES (?, '')", (document,))
                self._record("password", {document: ("",)})
            self._log_document(document, before)
            return self.document(document)

    def _log_document(self, document: str, before: decision_log.Row | None) -> None:
        """What the reading of a file changed in what the log knows of it; nothing where it changed nothing."""
        after = as_logged(self._document_row(document))
        if before != after:
            self._append("add document", {"document": {document: before}}, {"document": {document: after}})

    def adopt_document(self, document: str, parent: str) -> None:
        """Say in which document one was found, where that is not known (any more)."""
        with self._writing() as db:
            row = self._document_row(document)
            known = db.execute("SELECT 1 FROM document WHERE id = ?", (row["parent"],)).get
            if parent and row["parent"] and not known:
                db.execute("UPDATE document SET parent = ? WHERE id = ?", (parent, document))
                self._log_document(document, as_logged(row))

    def put_pages(self, document: str, pages: Sequence[tuple[PageText, Sequence[Span]]]) -> list[int]:
        """Keep pages with their chunks, words indexed, in one transaction; the chunk ids.

        Raises UnreadableDocument for a text that cannot be kept exactly, and for a page number that came twice.
        """
        prepared = []
        for page, spans in pages:
            _check_page(page, spans)
            why = page.hidden_why or ("unseen",) * len(page.hidden)
            spans_told = [[start, end, reason] for (start, end), reason in zip(page.hidden, why, strict=True)]
            prepared.append((page, spans, sha256_of(page.text), json.dumps(spans_told)))
        chunks: list[int] = []
        with self._writing() as db:
            self._must_be_unfinished(document)
            reader = db.execute("SELECT reader FROM document WHERE id = ?", (document,)).get
            next_chunk = int(db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunk'").get)
            rows: list[tuple[int, int, str, int, int]] = []
            words: list[tuple[int, str]] = []
            without_text = 0
            for page, spans, digest, hidden in prepared:
                if db.execute("SELECT 1 FROM page WHERE document = ? AND number = ?", (document, page.number)).get:
                    raise UnreadableDocument(
                        reason=f"The document has two pages numbered {page.number}.", remedy="Save it again elsewhere."
                    )
                db.execute(
                    "INSERT INTO page (document, number, sha256, width, height, source, confidence, label, hidden, "
                    "fingerprint, text, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(document, page.number, digest, page.width, page.height, page.source, page.confidence),
                        *(clean(page.label), hidden, reader, page.text, page.words.packed),
                    ),
                )
                page_id = db.last_insert_rowid()
                db.executemany(
                    "INSERT INTO section (page, start, level, title) VALUES (?, ?, ?, ?)",
                    [(page_id, section.start, section.level, clean(section.title)) for section in page.sections],
                )
                without_text += not page.text.strip()
                for span in spans:
                    next_chunk += 1
                    rows.append((next_chunk, page_id, document, span.start, span.end))
                    words.append((next_chunk, page.text[span.start : span.end]))
                    chunks.append(next_chunk)
            db.executemany('INSERT INTO chunk (id, page, document, start, "end") VALUES (?, ?, ?, ?, ?)', rows)
            db.executemany(f"INSERT INTO {schema.WORD_TABLE} (rowid, text) VALUES (?, ?)", words)
            db.execute(
                "UPDATE document SET pages = pages + ?, chunks = chunks + ?, "
                "pages_without_text = pages_without_text + ? WHERE id = ?",
                (len(prepared), len(rows), without_text, document),
            )
        return chunks

    def finish_document(
        self, document: str, outline: Outline, *, kind: str | None = None, language: str = "", parent: str = ""
    ) -> Document:
        """All pages are in: 'ready', or 'needs_ocr' when none has text. From now on it is searched."""
        with self._writing() as db:
            self._must_be_unfinished(document)
            before = as_logged(self._document_row(document))
            db.execute(
                "UPDATE document SET status = iif(pages > 0 AND pages_without_text >= pages, 'needs_ocr', 'ready'), "
                "kind = ?, title = ?, author = ?, date = ?, address = ?, language = ?, "
                "parent = iif(? = '', parent, ?), reason = '', remedy = '' WHERE id = ?",
                (
                    clean(outline.kind if kind is None else kind),
                    *(clean(text) for text in (outline.title, outline.author, outline.date, outline.address)),
                    clean(language),
                    *(parent, parent),
                    document,
                ),
            )
            db.execute("DELETE FROM password WHERE document = ? AND password = ''", (document,))
            self._changed_pages |= {row[0] for row in db.execute("SELECT id FROM page WHERE document = ?", (document,))}
            self._log_document(document, before)
            return self.document(document)

    def sketches(self) -> Iterator[tuple[str, bytes]]:
        """(document, signature) in order of import, of the documents that can be read."""
        with self._reading():
            rows = self._all(f"SELECT document FROM sketch WHERE document IN (SELECT id FROM document WHERE {READ})")
        for document in sorted((str(row[0]) for row in rows), key=lambda one: (len(one), one)):
            with self._reading():
                found = self._all("SELECT data FROM sketch WHERE document = ?", (document,))
            if found:
                yield document, bytes(found[0][0])

    def documents_without_sketch(self) -> list[str]:
        """Finished documents that were not compared with the others yet."""
        with self._reading():
            rows = self._all(
                "SELECT id FROM document WHERE status = 'ready' AND id NOT IN (SELECT document FROM sketch) "
                + _BY_NUMBER
            )
            return [str(row[0]) for row in rows]

    def put_sketch(self, document: str, data: bytes, likeness: Likeness | None = None) -> None:
        """Keep a document's signature, and which earlier one it is like."""
        with self._writing() as db:
            db.execute(
                "INSERT INTO sketch (document, data) VALUES (?, ?) "
                "ON CONFLICT (document) DO UPDATE SET data = excluded.data",
                (document, data),
            )
            if likeness is not None:
                db.execute(
                    "INSERT INTO likeness (document, of, measure, score) VALUES (?, ?, ?, ?) ON CONFLICT (document) "
                    "DO UPDATE SET of = excluded.of, measure = excluded.measure, score = excluded.score",
                    (document, likeness.of, likeness.measure, likeness.score),
                )
            self._record_where("sketch", "sketch.document = ?", (document,))

    def likenesses(self, document: str | None = None) -> dict[str, Likeness]:
        """By document (None: all): the earlier one that it is nearly the same as, where both are in the case."""
        read = f"(SELECT id FROM document WHERE {READ})"
        with self._reading():
            rows = self._all(
                f"SELECT document, of, measure, score FROM likeness WHERE document IN {read} AND of IN {read} "
                "AND (?1 IS NULL OR document = ?1)",
                (document,),
            )
            return {row[0]: Likeness(*row) for row in rows}

    def put_reading(
        self, page_id: int, page: PageText, spans: Sequence[Span], readings: Sequence[Reading]
    ) -> list[int]:
        """Give a page without text what was read in its picture; the ids of its new chunks. One transaction, logged.

        The readings (the first made the text) are kept as they are, with the confidence of every word. Raises
        NoSuchItem; BadInput for a page that has text, because quotes may rest on it; UnreadableDocument for a text that
        cannot be kept.
        """
        _check_page(page, spans)
        with self._writing():
            kept = self.page_by_id(page_id)
            if kept.text.strip() or kept.source != "none":
                raise BadInput(
                    reason=f"Page {kept.number} of {kept.document} already has text.",
                    remedy="Correct that text instead.",
                )
            before = self._document_row(kept.document)
            chunks = self._take_reading(page_id, page, spans, readings)
            after = self._document_row(kept.document)
            key = kept.document
            self._append("read scan", {"document": {key: before}}, {"document": {key: after}})
        return chunks

    def _take_reading(
        self, page_id: int, page: PageText, spans: Sequence[Span], readings: Sequence[Reading]
    ) -> list[int]:
        """The same within a transaction, without the log."""
        db = self._db
        document = str(db.execute("SELECT document FROM page WHERE id = ?", (page_id,)).get)
        db.execute(
            "UPDATE page SET text = ?, sha256 = ?, words = ?, source = 'ocr', confidence = ?, fingerprint = ? "
            "WHERE id = ?",
            (page.text, sha256_of(page.text), page.words.packed, page.confidence, readings[0].engine, page_id),
        )
        self._changed_pages.add(page_id)
        for reading in readings:
            self._keep_reading(page_id, reading)
        next_chunk = int(db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunk'").get)
        chunks = list(range(next_chunk + 1, next_chunk + 1 + len(spans)))
        for chunk, span in zip(chunks, spans, strict=True):
            db.execute(
                'INSERT INTO chunk (id, page, document, start, "end") VALUES (?, ?, ?, ?, ?)',
                (chunk, page_id, document, span.start, span.end),
            )
            db.execute(
                f"INSERT INTO {schema.WORD_TABLE} (rowid, text) VALUES (?, ?)",
                (chunk, page.text[span.start : span.end]),
            )
        db.execute(
            "UPDATE document SET chunks = chunks + ?, pages_without_text = pages_without_text - ?, "
            "status = iif(status = 'needs_ocr' AND ?, 'ready', status) WHERE id = ?",
            (len(chunks), int(bool(page.text.strip())), bool(page.text.strip()), document),
        )
        return chunks

    def _keep_reading(self, page_id: int, reading: Reading) -> None:
        self._db.execute(
            "INSERT INTO reading (page, engine, text, words, confidences, alternatives, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(page_id, reading.engine, reading.text, reading.words.packed),
                *(
                    array("f", reading.confidences).tobytes(),
                    json.dumps([reading.alternatives, reading.others], ensure_ascii=False),
                ),
                self.now(),
            ),
        )

    def _document_row(self, document: str) -> decision_log.Row:
        row = self._all(f"SELECT {_DOCUMENT} FROM document WHERE id = ?", (document,))[0]
        return dict(zip(decision_log.TABLES["document"].columns, row, strict=True))

    def readings(self, page_id: int) -> list[Reading]:
        """What OCR engines read on a page, in order of engine."""
        with self._reading():
            rows = self._all(
                "SELECT engine, text, words, confidences, alternatives FROM reading WHERE page = ? ORDER BY engine",
                (page_id,),
            )
            found = []
            for engine, text, words, confidences, alternatives in rows:
                try:
                    confidence = array("f")
                    confidence.frombytes(confidences)
                    told, others = values.alternatives(alternatives)
                except ValueError as error:
                    raise values.wrong("reading", f"{page_id} {engine}", "alternatives") from error
                found.append(Reading(engine, text, Words(bytes(words)), tuple(confidence), told, others))
            return found

    def drop_document(self, document: str) -> None:
        """Take out an unfinished document with everything read from it. A finished one stays: decisions rest on it; and
        one that was kept as failed before is failed again."""
        with self._writing() as db:
            self._must_be_unfinished(document)
            self._forget_pages(document)
            if as_logged(self._document_row(document)) is not None:
                db.execute("UPDATE document SET status = 'failed' WHERE id = ?", (document,))
                return
            for table in ("password", "found_at", "original"):
                db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
            db.execute("DELETE FROM document WHERE id = ?", (document,))

    def _forget_pages(self, document: str) -> None:
        """Take out what was read of an unfinished document."""
        db = self._db
        db.execute(
            f"DELETE FROM {schema.WORD_TABLE} WHERE rowid IN (SELECT id FROM chunk WHERE document = ?)", (document,)
        )
        for table in ("likeness", "sketch", "chunk"):
            db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
        db.execute("DELETE FROM section WHERE page IN (SELECT id FROM page WHERE document = ?)", (document,))
        db.execute("DELETE FROM page WHERE document = ?", (document,))
        db.execute("UPDATE document SET pages = 0, chunks = 0, pages_without_text = 0 WHERE id = ?", (document,))

    def _must_be_unfinished(self, document: str) -> None:
        status = self._db.execute("SELECT status FROM document WHERE id = ?", (document,)).get
        if status is None:
            raise NoSuchItem(kind="document", id=document, listing="documents")
        if status != "reading":
            raise ValueError(f"document {document} is finished")

    def _cut_short(self, document: str) -> bool:
        """Whether a document was not read to its end: nothing says that its pages are those of its file."""
        sql = "SELECT 1 FROM document WHERE id = ? AND status = 'reading'"
        return bool(self._db.execute(sql, (document,)).get)

    def unfinished_documents(self) -> list[Document]:
        """Those whose reading was cut short."""
        return [document for document in self.documents() if document.status == "reading"]

    def unfinished_names(self) -> list[tuple[str, str]]:
        """Return id and name of those whose reading was cut short, by id, whatever else stands in their rows."""
        with self._reading():
            rows = self._all("SELECT id, name FROM document WHERE status = 'reading' ORDER BY id")
        return [(str(identity), str(name)) for identity, name in rows]

    def documents(self) -> list[Document]:
        """The documents of the case in order of import, one being read included; without those that could not be read
        and those that were removed."""
        return self._documents_where(_LISTED)

    def failed_documents(self) -> list[Document]:
        """Files that are kept and could not be read, unless a newer file took their place."""
        return self._documents_where("status = 'failed' AND superseded_by = ''")

    def removed_documents(self) -> list[Document]:
        """Documents that a person took out of the case; their files are kept, so that it can be taken back."""
        return self._documents_where("status = 'removed'")

    def _documents_where(self, condition: str) -> list[Document]:
        with self._reading() as db:
            rows = db.execute(f"SELECT {_DOCUMENT} FROM document WHERE {condition} {_BY_NUMBER}")
            return [_document(row) for row in rows]

    def document(self, document: str) -> Document:
        """Raises NoSuchItem."""
        with self._reading() as db:
            row = db.execute(f"SELECT {_DOCUMENT} FROM document WHERE id = ?", (document,)).fetchone()
        if row is None:
            raise NoSuchItem(kind="document", id=document, listing="documents")
        return _document(row)

    def set_included(self, documents: Collection[str], included: bool) -> Changes:
        """Take documents into the scope of searches or out of it. Raises NoSuchItem."""
        before: decision_log.Rows = {"document": {}}
        after: decision_log.Rows = {"document": {}}
        with self._writing() as db:
            for document in dict.fromkeys(documents):
                known = self.document(document)
                if known.included == included or known.status not in ("ready", "needs_ocr"):
                    continue
                for rows in (before, after):
                    if rows is after:
                        db.execute("UPDATE document SET included = ? WHERE id = ?", (int(included), document))
                    row = self._all(f"SELECT {_DOCUMENT} FROM document WHERE id = ?", (document,))[0]
                    rows["document"][document] = dict(zip(decision_log.TABLES["document"].columns, row, strict=True))
            if after["document"]:
                self._append("set included", before, after)
        return Changes(documents=bool(after["document"]))

    def original(self, document: str) -> bytes:
        """The file as it was added. Raises NoSuchItem."""
        with self._reading() as db:
            row = db.execute("SELECT data FROM original WHERE document = ?", (document,)).fetchone()
        if row is None:
            raise NoSuchItem(kind="document", id=document, listing="documents")
        return bytes(row[0])

    # --- pages and chunks --------------------------------------------------------------------------------------------

    def page(self, document: str, number: int) -> Page:
        """Raises NoSuchItem; CaseCorrupt when its text is not the one that was kept."""
        return self._page("document = ? AND number = ?", (document, number), f"{document} page {number}")

    def page_by_id(self, page_id: int) -> Page:
        """Raises NoSuchItem; CaseCorrupt when its text is not the one that was kept."""
        return self._page("id = ?", (page_id,), str(page_id))

    def _page(self, where: str, bindings: tuple[object, ...], name: str) -> Page:
        with self._reading() as db:
            row = db.execute(f"SELECT {_PAGE} FROM page WHERE {where}", bindings).fetchone()
            if row is None:
                raise NoSuchItem(kind="page", id=name, listing="documents")
            page = _page_of(row)
            if page.document not in self._begun and self._cut_short(page.document):
                raise NoSuchItem(kind="page", id=name, listing="documents")
            self._prove(page.id, page.document, page.number, page.text, page.sha256)
        return page

    def pages(self, document: str | None) -> Iterator[Page]:
        """The pages of a document, or of all listed ones in order. The case is free for others between two pages."""
        with self._reading() as db:
            if document is not None:
                self.document(document)
                ids = [
                    row[0] for row in db.execute("SELECT id FROM page WHERE document = ? ORDER BY number", (document,))
                ]
            else:
                read = (document.id for document in self.documents() if document.status != "reading")
                order = {document: at for at, document in enumerate(read)}
                owners = dict(db.execute("SELECT id, document FROM page ORDER BY document, number"))
                ids = [page_id for page_id, owner in owners.items() if owner in order]
                ids.sort(key=lambda page_id: order[owners[page_id]])
        for page_id in ids:
            try:
                yield self.page_by_id(page_id)
            except NoSuchItem:  # its document was dropped meanwhile
                continue

    def words(self, page_id: int) -> Words:
        """Where the words of a page stand. Raises NoSuchItem."""
        with self._reading() as db:
            row = db.execute("SELECT words FROM page WHERE id = ?", (page_id,)).fetchone()
        if row is None:
            raise NoSuchItem(kind="page", id=str(page_id), listing="documents")
        return Words(bytes(row[0]))

    def page_labels(self, document: str) -> dict[int, str]:
        """What the pages of a document are called in print, by number; those without a name of their own are left
        out."""
        with self._reading() as db:
            return dict(db.execute("SELECT number, label FROM page WHERE document = ? AND label != ''", (document,)))

    def sections(self, document: str) -> list[tuple[int, Section]]:
        """The headings of a document in order, each with the number of its page. Raises NoSuchItem."""
        with self._reading():
            self.document(document)
            rows = self._all(
                "SELECT page.number, section.level, section.title, section.start FROM section "
                "JOIN page ON page.id = section.page WHERE page.document = ? "
                "ORDER BY page.number, section.start, section.rowid",
                (document,),
            )
            return [(int(number), Section(*told)) for number, *told in rows]

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        """Chunks by id; an unknown id is left out. Raises CaseCorrupt when a page's text is not the one kept."""
        wanted = list(dict.fromkeys(ids))
        found: dict[int, Chunk] = {}
        for at in range(0, len(wanted), _BATCH):
            part = json.dumps(wanted[at : at + _BATCH])
            with self._reading():
                rows = self._all(
                    "SELECT chunk.id, chunk.page, chunk.document, document.name, page.number, chunk.start, "
                    'chunk."end", page.source FROM chunk JOIN page ON page.id = chunk.page '
                    "JOIN document ON document.id = chunk.document "
                    "WHERE chunk.id IN (SELECT value FROM json_each(?)) ORDER BY chunk.page, chunk.id",
                    (part,),
                )
                texts = self._texts({row[1] for row in rows})
            for chunk, page, document, name, number, start, end, source in rows:
                found[chunk] = Chunk(chunk, page, document, name, number, start, end, texts[page][start:end], source)
        return {chunk: found[chunk] for chunk in wanted if chunk in found}

    def _texts(self, pages: Collection[int]) -> dict[int, str]:
        """Proven page texts by page id."""
        texts = {}
        rows = self._db.execute(
            "SELECT id, text, sha256, document, number FROM page WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(pages)),),
        )
        for page_id, text, digest, document, number in rows:
            self._prove(page_id, document, number, text, digest)
            texts[page_id] = text
        return texts

    def chunk_ids(self, document: str) -> list[int]:
        """In order of reading."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT chunk.id FROM chunk JOIN page ON page.id = chunk.page WHERE chunk.document = ? "
                "ORDER BY page.number, chunk.start, chunk.id",
                (document,),
            )
            return [row[0] for row in rows]


def document_of(row: Mapping[str, object]) -> Document:
    """A document from its row, as it stands in its table or in the log."""
    tags = tuple(values.parsed(row["tags"]))
    return Document(**{**row, "included": bool(row["included"]), "tags": tags})  # type: ignore[arg-type]


def _document(row: Sequence[object]) -> Document:
    # By position: a case has thousands of them, and they are all read whenever one changes.
    found = list(row)
    found[_INCLUDED] = bool(found[_INCLUDED])
    if found[_TAGS] == "[]":
        found[_TAGS] = ()
    else:
        whole = dict(zip(decision_log.TABLES["document"].columns, row, strict=True))
        found[_TAGS] = tuple(values.parsed(values.proven("document", str(row[0]), whole)["tags"]))
    return Document(*found)  # type: ignore[arg-type]


def as_logged(row: decision_log.Row) -> decision_log.Row | None:
    """What the log knows of a document: nothing while it is read for the first time, the failure while it is read
    again."""
    if row["status"] != "reading":
        return row
    if not row["reason"]:
        return None
    return {**row, "status": "failed", "pages": 0, "chunks": 0, "pages_without_text": 0}


def _page_of(row: Sequence[object]) -> Page:
    found = dict(zip(_PAGE.split(", "), row, strict=True))
    try:
        found["hidden"], found["hidden_why"] = values.spans(found["hidden"], len(str(found["text"])))
    except ValueError as error:
        raise values.wrong("page", f"{found['number']} of {found['document']}", "hidden") from error
    return Page(**found)  # type: ignore[arg-type]


def _check_page(page: PageText, spans: Sequence[Span]) -> None:
    if not keepable(page.text):
        raise UnreadableDocument(
            reason=f"Page {page.number} holds characters that are not text (NUL or half a surrogate pair).",
            remedy="Save the document again in another format.",
        )
    if page.number < 1 or len(page.words.packed) % 24:
        raise UnreadableDocument(
            reason=f"What was read as page {page.number} is not a page.", remedy="Save the document again elsewhere."
        )
    length = len(page.text)
    if any(not 0 <= span.start < span.end <= length for span in spans):
        raise ValueError(f"a chunk of page {page.number} lies outside its text")
