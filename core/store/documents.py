"""Documents: their originals and rows, from the first byte to the last page, and which of them are nearly the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence

from core.domain import STAMP, WORD_BYTES, Attribution, Changes, Document, LeftOut, NearDuplicate, PageText, Span
from core.errors import BadInput, NoSuchItem, UnreadableDocument
from core.language import fold, row_headings
from core.ports import Outline
from core.store import decision_log, schema, values
from core.store.anchors import PageAnchors
from core.store.database import Database, clean, keepable
from core.store.decision_log import Row, Rows
from core.store.log import DecisionLog
from core.store.record_chain import RecordChain
from core.store.records import BY_NUMBER, Records, RowValues

_DOCUMENT = ", ".join(decision_log.TABLES["document"].columns)
_INCLUDED, _TAGS, _ATTRIBUTIONS, _LEFT_OUT = (
    decision_log.TABLES["document"].columns.index(name) for name in ("included", "tags", "attributions", "left_out")
)


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


# A document whose text can be read and searched, as a condition on its row.
READ = "status IN ('ready', 'needs_ocr')"
# What a document is called: the analyst's word before its own.
TITLE = "iif(document.own_title = '', document.title, document.own_title)"
# One that is listed as a document of the case: also while it is being read.
_LISTED = "status NOT IN ('failed', 'removed')"
# What a document that was read is again when nothing else is to be said of it.
STANDING = (
    "CASE WHEN pages = 0 AND reason <> '' THEN 'failed' "
    "WHEN pages > 0 AND pages_without_text >= pages THEN 'needs_ocr' ELSE 'ready' END"
)


class DocumentTable:
    """The documents of a case. One is 'reading' until ``finish``; only then is it searched."""

    def __init__(
        self, db: Database, chain: RecordChain, anchors: PageAnchors, log: DecisionLog, records: Records
    ) -> None:
        self._db = db
        self._chain = chain
        self._anchors = anchors
        self._log = log
        self._records = records
        self._values = RowValues(_document)
        self.session_documents: set[str] = set()  # documents whose reading began since the case was opened

    def all(self) -> list[Document]:
        """List the documents of the case in order of import, one being read included.

        Those that could not be read and those that were removed are left out.
        """
        return self._documents_where(_LISTED)

    def languages(self) -> dict[str, str]:
        """Return the language of each document by its id: ISO 639-1, '' where it is unknown."""
        with self._db.reading() as db:
            return {str(id_): str(language) for id_, language in db.execute("SELECT id, language FROM document")}

    def get(self, document: str) -> Document:
        """Return a document. Raises NoSuchItem."""
        with self._db.reading() as db:
            row = db.execute(f"SELECT {_DOCUMENT} FROM document WHERE id = ?", (document,)).fetchone()
        if row is None:
            raise NoSuchItem(kind="document", id=document, listing="documents")
        return _document(row)

    def by_sha256(self, sha256: str) -> Document | None:
        """Return the document whose original has that hash."""
        with self._db.reading() as db:
            row = db.execute(f"SELECT {_DOCUMENT} FROM document WHERE sha256 = ?", (sha256,)).fetchone()
            return _document(row) if row else None

    def begin(self, *, name: str, kind: str, sha256: str, data: bytes, reader: str, folder: str = "") -> str:
        """Keep an original and return the id of its document, 'D1'. The bytes must have that sha256."""
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ValueError("the original does not have the sha256 that was given")
        with self._db.transaction() as db:
            document = f"D{self._db.number('document')}"
            db.execute(
                "INSERT INTO document (id, name, sha256, kind, size, status, imported_at, reader, folder) "
                "VALUES (?, ?, ?, ?, ?, 'reading', ?, ?, ?)",
                (
                    *(document, clean(name), sha256, clean(kind), len(data), self._db.now(), clean(reader)),
                    clean(folder),
                ),
            )
            db.execute("INSERT INTO original (document, data) VALUES (?, ?)", (document, data))
        self.session_documents.add(document)
        return document

    def restart(self, document: str, *, name: str, reader: str) -> None:
        """Begin again with a document that failed, or whose reading was cut short: without pages, under its id.

        Raises NoSuchItem; ValueError for a document that was read.
        """
        with self._db.transaction() as db:
            status = self.get(document).status
            if status not in ("reading", "failed"):
                raise ValueError(f"document {document} is finished")
            old_row = as_logged(self.stored_row(document))
            self._forget_pages(document)
            self.session_documents.add(document)
            db.execute(
                "UPDATE document SET status = 'reading', name = ?, reader = ? WHERE id = ?",
                (clean(name), clean(reader), document),
            )
            self._log_document(document, old_row)

    def fail(
        self, document: str, *, reason: str, remedy: str, parent: str = "", needs_password: bool = False
    ) -> Document:
        """Keep a document that cannot be read with the reason: its file stays, pages that were read so far go.

        ``needs_password``: it opens with a password only. Raises NoSuchItem; ValueError for a document that was read.
        """
        with self._db.transaction() as db:
            self.require_unfinished(document)
            old_row = as_logged(self.stored_row(document))
            self._forget_pages(document)
            db.execute(
                "UPDATE document SET status = 'failed', reason = ?, remedy = ?, parent = iif(? = '', parent, ?) "
                "WHERE id = ?",
                (clean(reason) or "It cannot be read.", clean(remedy), parent, parent, document),
            )
            if needs_password:
                db.execute("INSERT OR REPLACE INTO password (document, password) VALUES (?, '')", (document,))
                self._chain.record("password", {document: ("",)})
            self._log_document(document, old_row)
            return self.get(document)

    def _log_document(self, document: str, old_row: Row | None) -> None:
        """Log what the reading of a file changed in what the log knows of it; nothing where it changed nothing."""
        after = as_logged(self.stored_row(document))
        if old_row != after:
            self._log.append("add document", {"document": {document: old_row}}, {"document": {document: after}})

    def adopt(self, document: str, parent: str) -> None:
        """Record in which document this one was found, where that is not known (any more)."""
        with self._db.transaction() as db:
            row = self.stored_row(document)
            parent_is_there = db.execute("SELECT 1 FROM document WHERE id = ?", (row["parent"],)).get
            if parent and row["parent"] and not parent_is_there:
                db.execute("UPDATE document SET parent = ? WHERE id = ?", (parent, document))
                self._log_document(document, as_logged(row))

    def put_pages(self, document: str, pages: Sequence[tuple[PageText, Sequence[Span]]]) -> list[int]:
        """Keep pages with their chunks, words indexed, in one transaction; return the chunk ids.

        Raises UnreadableDocument for a text that cannot be kept exactly, and for a page number that came twice.
        """
        page_rows = []
        for page, spans in pages:
            check_page(page, spans)
            page_rows.append((page, spans, sha256_of(page.text), marks_of(page)))
        chunks: list[int] = []
        with self._db.transaction() as db:
            self.require_unfinished(document)
            reader = db.execute("SELECT reader FROM document WHERE id = ?", (document,)).get
            next_chunk = int(db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunk'").get)
            rows: list[tuple[int, int, str, int, int]] = []
            words: list[tuple[int, str, str]] = []
            without_text = 0
            for page, spans, digest, marks in page_rows:
                if db.execute("SELECT 1 FROM page WHERE document = ? AND number = ?", (document, page.number)).get:
                    raise UnreadableDocument(
                        reason=f"The document has two pages numbered {page.number}.", remedy="Save it again elsewhere."
                    )
                db.execute(
                    "INSERT INTO page (document, number, sha256, width, height, source, confidence, label, "
                    f"fingerprint, text, words, {', '.join(marks)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(document, page.number, digest, page.width, page.height, page.source, page.confidence),
                        *(clean(page.label), reader, page.text, page.words.buffer, *marks.values()),
                    ),
                )
                page_id = db.last_insert_rowid()
                db.executemany(
                    "INSERT INTO section (page, start, level, title) VALUES (?, ?, ?, ?)",
                    [(page_id, section.start, section.level, clean(section.title)) for section in page.sections],
                )
                without_text += not page.text.strip() or page.confidence == STAMP
                for span in spans:
                    next_chunk += 1
                    rows.append((next_chunk, page_id, document, span.start, span.end))
                    reading = row_headings.with_headings(page.text, span.start, span.end, page.tables)
                    words.append((next_chunk, *fold.columns(page.text[span.start : span.end], reading)))
                    chunks.append(next_chunk)
            db.executemany('INSERT INTO chunk (id, page, document, start, "end") VALUES (?, ?, ?, ?, ?)', rows)
            db.executemany(schema.ADD_WORDS, words)
            db.execute(
                "UPDATE document SET pages = pages + ?, chunks = chunks + ?, "
                "pages_without_text = pages_without_text + ? WHERE id = ?",
                (len(page_rows), len(rows), without_text, document),
            )
        return chunks

    def finish(
        self,
        document: str,
        outline: Outline,
        *,
        kind: str | None = None,
        language: str = "",
        parent: str = "",
        left_out: Sequence[LeftOut] = (),
    ) -> Document:
        """Close the reading of a document: it is 'ready', or 'needs_ocr' when no page has text.

        All pages are in, and from now on it is searched. ``left_out``: what of its file they do not hold.
        """
        with self._db.transaction() as db:
            self.require_unfinished(document)
            old_row = as_logged(self.stored_row(document))
            db.execute(
                "UPDATE document SET status = iif(pages > 0 AND pages_without_text >= pages, 'needs_ocr', 'ready'), "
                "kind = ?, title = ?, author = ?, date = ?, address = ?, publisher = ?, place = ?, file_date = ?, "
                "attributions = ?, left_out = ?, language = ?, parent = iif(? = '', parent, ?), reason = '', "
                "remedy = '' WHERE id = ?",
                (
                    clean(outline.kind if kind is None else kind),
                    *own_words(outline).values(),
                    decision_log.canonical([[clean(part.what), part.count, clean(part.where)] for part in left_out]),
                    clean(language),
                    *(parent, parent),
                    document,
                ),
            )
            db.execute("DELETE FROM password WHERE document = ? AND password = ''", (document,))
            self._anchors.pending_pages |= {
                row[0] for row in db.execute("SELECT id FROM page WHERE document = ?", (document,))
            }
            self._log_document(document, old_row)
            return self.get(document)

    def sketches(self) -> Iterator[tuple[str, bytes]]:
        """Yield (document, signature) in order of import, of the documents that can be read."""
        with self._db.reading():
            rows = self._db.rows(
                f"SELECT document FROM sketch WHERE document IN (SELECT id FROM document WHERE {READ})"
            )
        for document in sorted((str(row[0]) for row in rows), key=lambda identity: (len(identity), identity)):
            with self._db.reading():
                sketch_rows = self._db.rows("SELECT data FROM sketch WHERE document = ?", (document,))
            if sketch_rows:
                yield document, bytes(sketch_rows[0][0])

    def without_sketch(self) -> list[str]:
        """List finished documents that were not compared with the others yet."""
        with self._db.reading():
            rows = self._db.rows(
                "SELECT id FROM document WHERE status = 'ready' AND id NOT IN (SELECT document FROM sketch) "
                + BY_NUMBER
            )
            return [str(row[0]) for row in rows]

    def put_sketch(self, document: str, data: bytes, likeness: NearDuplicate | None = None) -> None:
        """Keep a document's signature, and which earlier one it is like."""
        with self._db.transaction() as db:
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
            self._chain.record_where("sketch", "sketch.document = ?", (document,))

    def likenesses(self, document: str | None = None) -> dict[str, NearDuplicate]:
        """Return by document (None: all) the earlier one that it is nearly the same as, where both are in the case."""
        read = f"(SELECT id FROM document WHERE {READ})"
        with self._db.reading():
            rows = self._db.rows(
                f"SELECT document, of, measure, score FROM likeness WHERE document IN {read} AND of IN {read} "
                "AND (?1 IS NULL OR document = ?1)",
                (document,),
            )
            return {row[0]: NearDuplicate(*row) for row in rows}

    def stored_row(self, document: str) -> Row:
        """Return the row of a document, whatever it holds."""
        row = self._db.rows(f"SELECT {_DOCUMENT} FROM document WHERE id = ?", (document,))[0]
        return dict(zip(decision_log.TABLES["document"].columns, row, strict=True))

    def drop(self, document: str) -> None:
        """Take out an unfinished document with everything read from it.

        A finished one stays: decisions rest on it; and one that was kept as failed before is failed again.
        """
        with self._db.transaction() as db:
            self.require_unfinished(document)
            self._forget_pages(document)
            if as_logged(self.stored_row(document)) is not None:
                db.execute("UPDATE document SET status = 'failed' WHERE id = ?", (document,))
                return
            for table in ("password", "found_at", "layer_check", "original"):
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

    def require_unfinished(self, document: str) -> None:
        """Raise NoSuchItem for an unknown document, and ValueError for one that was read."""
        status = self._db.execute("SELECT status FROM document WHERE id = ?", (document,)).get
        if status is None:
            raise NoSuchItem(kind="document", id=document, listing="documents")
        if status != "reading":
            raise ValueError(f"document {document} is finished")

    def cut_short(self, document: str) -> bool:
        """Return whether a document was not read to its end: nothing says that its pages are those of its file."""
        sql = "SELECT 1 FROM document WHERE id = ? AND status = 'reading'"
        return bool(self._db.execute(sql, (document,)).get)

    def unfinished(self) -> list[Document]:
        """List those whose reading was cut short."""
        return [document for document in self.all() if document.status == "reading"]

    def unfinished_names(self) -> list[tuple[str, str]]:
        """Return id and name of those whose reading was cut short, by id, whatever else is in their rows."""
        with self._db.reading():
            rows = self._db.rows("SELECT id, name FROM document WHERE status = 'reading' ORDER BY id")
        return [(str(identity), str(name)) for identity, name in rows]

    def failed(self) -> list[Document]:
        """List files that are kept and could not be read, unless a newer file took their place."""
        return self._documents_where("status = 'failed' AND superseded_by = ''")

    def removed(self) -> list[Document]:
        """List documents that a person took out of the case; their files are kept, so that it can be taken back."""
        return self._documents_where("status = 'removed'")

    def _documents_where(self, condition: str) -> list[Document]:
        with self._db.reading():
            rows = self._db.rows(f"SELECT {_DOCUMENT} FROM document WHERE {condition} {BY_NUMBER}")
        return self._values.of(rows)

    def set_included(self, documents: Collection[str], included: bool) -> Changes:
        """Take documents into the scope of searches or out of it. Raises NoSuchItem."""
        before: Rows = {"document": {}}
        after: Rows = {"document": {}}
        with self._db.transaction() as db:
            for document in dict.fromkeys(documents):
                current = self.get(document)
                if current.included == included or current.status not in ("ready", "needs_ocr"):
                    continue
                for rows in (before, after):
                    if rows is after:
                        db.execute("UPDATE document SET included = ? WHERE id = ?", (int(included), document))
                    row = self._db.rows(f"SELECT {_DOCUMENT} FROM document WHERE id = ?", (document,))[0]
                    rows["document"][document] = dict(zip(decision_log.TABLES["document"].columns, row, strict=True))
            if after["document"]:
                self._log.append("set included", before, after)
        return Changes(documents=bool(after["document"]))

    def original(self, document: str) -> bytes:
        """Return the file as it was added. Raises NoSuchItem."""
        with self._db.reading() as db:
            row = db.execute("SELECT data FROM original WHERE document = ?", (document,)).fetchone()
        if row is None:
            raise NoSuchItem(kind="document", id=document, listing="documents")
        return bytes(row[0])

    def sizes(self) -> set[int]:
        """Return the sizes of all files that are kept: one of another size is no copy of them."""
        with self._db.reading():
            return {int(row[0]) for row in self._db.rows("SELECT DISTINCT size FROM document")}

    def require_settled(self, document: str) -> Row:
        """Return the row of a document. Raises NoSuchItem, and BadInput for one that is being read."""
        row = self._records.require("document", document)
        if row["status"] == "reading":
            raise BadInput(reason=f"{document} is being read at the moment.", remedy="Wait until it is read.")
        return row

    def standing(self, document: str) -> str:
        """Return the state of a document that was read, when nothing else is to be said of it."""
        return str(self._db.execute(f"SELECT {STANDING} FROM document WHERE id = ?", (document,)).get)

    def last_number(self) -> int:
        """Return the number that was given to a document last."""
        return int(self._db.execute("SELECT last FROM counter WHERE kind = 'document'").get or 0)


def own_words(outline: Outline) -> dict[str, str]:
    """Return what a file says of itself as the columns that keep it."""
    texts = {name: clean(str(getattr(outline, name))) for name in ("title", "author", "date", "address")}
    texts |= {name: clean(str(getattr(outline, name))) for name in ("publisher", "place", "file_date")}
    return {
        **texts,
        "attributions": decision_log.canonical([list(attribution) for attribution in outline.attributions]),
    }


def document_of(row: Mapping[str, object]) -> Document:
    """Return a document from its row, as it is in its table or in the log."""
    tags = tuple(values.from_json(row["tags"]))
    attributions = _attributions(row["attributions"])
    row = {**row, "included": bool(row["included"]), "tags": tags, "attributions": attributions}
    row["left_out"] = _left_out(row["left_out"])
    return Document(**row)  # type: ignore[arg-type]


def place_of_language(row: Mapping[str, object]) -> str:
    """Return the place from which the language of a document is known, '' where an older program did not say."""
    return next((item.where for item in _attributions(row["attributions"]) if item.field == "language"), "")


def _attributions(text: object) -> tuple[Attribution, ...]:
    return () if text == "[]" else tuple(Attribution(*item) for item in values.from_json(text))


def _left_out(text: object) -> tuple[LeftOut, ...]:
    return () if text == "[]" else tuple(LeftOut(*item) for item in values.from_json(text))


def _document(row: Sequence[object]) -> Document:
    # By position: a case has thousands of them, and they are all read whenever one changes.
    fields = list(row)
    fields[_INCLUDED] = bool(fields[_INCLUDED])
    if any(fields[field] != "[]" for field in (_TAGS, _ATTRIBUTIONS, _LEFT_OUT)):
        values.prove("document", str(row[0]), dict(zip(decision_log.TABLES["document"].columns, row, strict=True)))
    fields[_TAGS] = () if fields[_TAGS] == "[]" else tuple(values.from_json(fields[_TAGS]))
    fields[_ATTRIBUTIONS] = _attributions(fields[_ATTRIBUTIONS])
    fields[_LEFT_OUT] = _left_out(fields[_LEFT_OUT])
    return Document(*fields)  # type: ignore[arg-type]


def as_logged(row: Row) -> Row | None:
    """Return what the log knows of a document.

    Nothing while it is read for the first time, the failure while it is read again.
    """
    if row["status"] != "reading":
        return row
    if not row["reason"]:
        return None
    return {**row, "status": "failed", "pages": 0, "chunks": 0, "pages_without_text": 0}


def marks_of(page: PageText) -> dict[str, str]:
    """Return the columns that say what is hidden and struck through on a page, and what its tables are, as JSON."""
    why = page.hidden_why or ("unseen",) * len(page.hidden_spans)
    hidden_spans = [[start, end, reason] for (start, end), reason in zip(page.hidden_spans, why, strict=True)]
    tables = [
        [[*map(clean, table.columns)], table.rows, [*map(clean, table.letters)], table.numbers] for table in page.tables
    ]
    return {
        "hidden": json.dumps(hidden_spans),
        "struck": decision_log.canonical(page.struck_spans),
        "tables": decision_log.canonical(tables),
    }


def check_page(page: PageText, spans: Sequence[Span]) -> None:
    """Raise UnreadableDocument for a page that cannot be kept exactly, ValueError for chunks outside it."""
    if not keepable(page.text):
        raise UnreadableDocument(
            reason=f"Page {page.number} holds characters that are not text (NUL or half a surrogate pair).",
            remedy="Save the document again in another format.",
        )
    if page.number < 1 or len(page.words.buffer) % WORD_BYTES:
        raise UnreadableDocument(
            reason=f"What was read as page {page.number} is not a page.", remedy="Save the document again elsewhere."
        )
    length = len(page.text)
    cells = (cell for table in page.tables for row in table.rows for cell in row)
    if any(not 0 <= start <= end <= length for start, end in (*page.struck_spans, *cells)):
        raise ValueError(f"a mark or a cell of page {page.number} lies outside its text")
    if any(not 0 <= span.start < span.end <= length for span in spans):
        raise ValueError(f"a chunk of page {page.number} lies outside its text")
