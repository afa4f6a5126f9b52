"""Documents taken out for good: their files, texts and all that was made of them, and passwords of documents.

One transaction blanks what the log, the records and the rows of people hold of a document (core.store.redaction), takes
out the rest, and appends an entry that names every blanked entry and record with its new hash. Their old hashes stay,
so the chain goes on proving the order of all entries, and that entry vouches for what is left in the blanked ones.
After it the file is written again (VACUUM) and its write-ahead log cut off, since freed room may still hold what was
there; a last entry says so. A case in which that entry is missing is written again when it is next opened.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import apsw

from core.domain import LogEntry
from core.errors import BadInput, DiskFull, ErasureUnfinished
from core.progress import Progress, silent
from core.store import connection, decision_log, typed_text, values
from core.store.anchors import PageAnchors
from core.store.database import Database
from core.store.decision_log import TABLES, ChangeSet, Redactions, Row
from core.store.document_removal import Dependents, DocumentRemoval
from core.store.log import DecisionLog
from core.store.ocr_corrections import LEFT
from core.store.record_chain import RECORDED, RecordChain, digest_of, record_hash
from core.store.records import Records, number_of
from core.store.redaction import (
    ERASED,
    WITHDRAWN,
    Stretches,
    Traces,
    cut_words,
    mentions,
    own_texts,
    redacted_row,
    redacted_side,
)
from core.store.vector_index import VectorIndex
from core.store.word_index import WordIndex

_IN = "IN (SELECT value FROM json_each(?))"
_SMALL = 200_000_000  # bytes of a case that is written again in memory; a larger one goes by way of a temporary file
_RESULTS = ("answer", "conflict", "audit")
_COLUMNS = {"own_title": "title", "own_author": "author", "own_place": "place", "value": "text", "subject": "text"}


@dataclass(frozen=True, slots=True)
class CutText:
    """The words that an erasure takes out of a text that a person wrote; ``place`` says which text that is."""

    place: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Erasure:
    """The things that go for good with documents, and those that stay and still hold their words; shown before.

    ``dependents`` are as for a removal. ``results`` are answers, conflicts and audits that name one of the documents,
    ``names`` those that are in no other document. ``holders`` stay although they hold one of them: the file in which
    it was found, a copy or another version. ``sha256`` are those of the files, by document.
    ``cut_texts`` are those of people that stay without what was copied from a document.
    """

    dependents: Dependents
    results: tuple[str, ...]
    names: tuple[str, ...]
    holders: tuple[str, ...]
    sha256: dict[str, str]
    cut_texts: tuple[CutText, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that go."""
        return self.dependents.documents


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """Documents that were taken out for good, and how many entries of the log were blanked for it."""

    erasure: Erasure
    entries: int


class Erasures:
    """The erasing of documents and passwords, and the writing again of the file after it."""

    def __init__(
        self,
        db: Database,
        chain: RecordChain,
        anchors: PageAnchors,
        log: DecisionLog,
        records: Records,
        removal: DocumentRemoval,
        words: WordIndex,
        vectors: VectorIndex,
    ) -> None:
        self._db = db
        self._chain = chain
        self._anchors = anchors
        self._log = log
        self._records = records
        self._removal = removal
        self._words = words
        self._vectors = vectors

    # --- what would go -----------------------------------------------------------------------------------------------

    def look(self, documents: Collection[str], progress: Progress | None = None) -> Erasure:
        """Find what would go with documents, and which others still hold them. Raises NoSuchItem, BadInput."""
        return self._erasure(documents, self._traces(documents, progress or silent()))

    def _erasure(self, documents: Collection[str], traces: Traces) -> Erasure:
        hanging = self._removal.dependents(documents, with_removed=True)
        ids = (json.dumps(sorted(traces.documents)),)
        with self._db.reading():
            holders = {
                row[0]
                for sql in (
                    f"SELECT parent FROM document WHERE id {_IN} AND parent <> ''",
                    f"SELECT of FROM likeness WHERE document {_IN}",
                    f"SELECT document FROM likeness WHERE of {_IN}",
                    f"SELECT superseded_by FROM document WHERE id {_IN} AND superseded_by <> ''",
                    f"SELECT id FROM document WHERE superseded_by {_IN}",
                )
                for row in self._db.rows(sql, ids)
            } - traces.documents
            present = {row[0] for row in self._db.rows("SELECT id FROM document")}
            results = [
                str(row["id"]) for table in _RESULTS for row in self._records.rows(table) if row["id"] in traces.results
            ]
            entities = self._records.rows("entity")
            files = dict(self._db.rows(f"SELECT id, sha256 FROM document WHERE id {_IN}", ids))
        names = [str(row["name"]) for row in entities if redacted_row("entity", row, traces)["name"] == ERASED]
        staying = tuple(sorted(holders & present, key=number_of))
        return Erasure(hanging, tuple(results), tuple(names), staying, dict(files), tuple(self._cut_texts(traces)))

    def _cut_texts(self, traces: Traces) -> Iterator[CutText]:
        """Yield the texts of people that lose words, the newest state of each, and what was typed and not saved."""
        with self._db.reading():
            for table, shape in TABLES.items():
                for row in self._records.stored_rows(table):
                    for column, words in cut_words(table, row, traces):
                        yield CutText(_place(table, shape.key_of(row), column, row), tuple(words))
        for text in typed_text.words_in(self._db.path, self._db.handle.key):
            if words := traces.stretches.cut(text):
                yield CutText("text typed and not saved", tuple(words))

    def _traces(self, documents: Collection[str], progress: Progress) -> Traces:
        """Find all that is of some documents and of what was found in them. Raises NoSuchItem, BadInput."""
        family = frozenset(self._removal.dependents(documents, with_removed=True).documents)
        with self._db.reading():
            ids = (json.dumps(sorted(family)),)
            reading = self._db.rows(f"SELECT id FROM document WHERE id {_IN} AND status = 'reading'", ids)
            pages = frozenset(row[0] for row in self._db.rows(f"SELECT id FROM page WHERE document {_IN}", ids))
            names = self._db.rows(f"SELECT name, title, own_title FROM document WHERE id {_IN}", ids)
        if reading:
            raise BadInput(
                reason=f"{reading[0][0]} is being read at the moment, or was not read to its end.",
                remedy="Wait until it is read, or add its file again, then erase it.",
            )
        texts: list[str] = []
        evidence: set[str] = set()
        proposals: set[str] = set()
        results: set[str] = set()
        forms: set[str] = set()
        for table, row in self._every_row():
            quoting = row.get("document") in family
            match table:
                case "evidence" if quoting:
                    evidence.add(row["id"])
                case "proposal" if quoting:
                    proposals.add(row["id"])
                case "answer" | "conflict" | "audit" if mentions(row["value"], family):
                    results.add(row["id"])
                case "entity":
                    forms.update(map(str, (row["name"], *values.from_json(row["aliases"]))))
            texts += own_texts(table, row)
        with self._db.reading():
            texts += [str(row[0]) for row in self._db.rows("SELECT query FROM searched")]
        texts += typed_text.words_in(self._db.path, self._db.handle.key)
        stretches = Stretches(texts)
        for phrases in names:
            for phrase in phrases:
                stretches.phrase(str(phrase))
        forms_in_them: set[str] = set()
        for _, text in self._texts(family, progress, is_own=True):
            stretches.stand_in(text)
            lower = text.casefold()
            forms_in_them.update(form for form in forms if form.casefold() in lower)
        if stretches or forms_in_them:
            for _, text in self._texts(family, progress, is_own=False):
                stretches.stand_elsewhere(text)
                lower = text.casefold()
                forms_in_them = {form for form in forms_in_them if form.casefold() not in lower}
        lower_names = frozenset(form.casefold() for form in forms_in_them)
        return Traces(
            family, pages, stretches, frozenset(evidence), frozenset(proposals), frozenset(results), lower_names
        )

    def _every_row(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every decision row that is in the case or ever was in its log. Raises CaseValueWrong."""
        with self._db.reading():
            for table in TABLES:
                for row in self._records.stored_rows(table):
                    yield table, row
            entries = self._log.entries()
        for entry in entries:
            for side in decision_log.rows_of(entry):
                for table, rows in side.items():
                    for entry_row in rows.values():
                        if entry_row is not None:
                            yield table, entry_row

    def _texts(self, documents: Collection[str], progress: Progress, *, is_own: bool) -> Iterator[tuple[int, str]]:
        """Yield the pages and readings of some documents, or those and the names of all others."""
        ids = (json.dumps(sorted(documents)),)
        among = _IN if is_own else f"NOT {_IN}"
        with self._db.reading():
            pages = [row[0] for row in self._db.rows(f"SELECT id FROM page WHERE document {among} ORDER BY id", ids)]
            if not is_own:
                names = self._db.rows(f"SELECT name, title, own_title FROM document WHERE id {among}", ids)
        if not is_own:
            yield from ((0, str(name)) for row in names for name in row)
        for index, page in enumerate(pages):
            if index % 200 == 0:
                progress.step(
                    index, len(pages), "Looking for its words elsewhere" if not is_own else "Listing what goes"
                )
            with self._db.reading():
                rows = self._db.rows(
                    "SELECT text FROM page WHERE id = ?1 UNION ALL SELECT text FROM reading WHERE page = ?1", (page,)
                )
            yield from ((page, str(row[0])) for row in rows)

    # --- taking it out -----------------------------------------------------------------------------------------------

    def erase(self, documents: Collection[str], progress: Progress | None = None) -> ErasureReport:
        """Take documents out for good, with what was found in them; no undo reaches back past it.

        Rows of evidence that quoted them stay, withdrawn; text typed and not saved loses their words. Backups and
        copies of the case are not touched. Raises NoSuchItem, BadInput, CaseReadOnly, DiskFull, CannotWrite; then
        nothing is changed. Raises ErasureUnfinished where it is done but for the file, which could not be rewritten.
        """
        progress = progress or silent()
        traces = self._traces(documents, progress)
        erasure = self._erasure(documents, traces)
        progress.step(0, 3, "Erasing")
        self._db.before_writing = None  # a backup made now would keep what is to go
        with self._db.transaction():
            redactions = self._blank(traces)
            change = ChangeSet()
            self._take_out(change, traces)
            facts = {name: {"sha256": sha256} for name, sha256 in erasure.sha256.items()}
            self._append(decision_log.ERASE, change, redactions, {"documents": facts})
            progress.step(1, 3, "Building the search index again")
            self._words.rebuild()
            typed_text.blank(self._db.path, self._db.handle.key, traces.stretches.blank)
        self._forget_memory()
        progress.step(2, 3, "Rewriting the file")
        self._finish_or_say()
        progress.step(3, 3, "Erased")
        return ErasureReport(erasure, len(redactions.entries))

    def forget_passwords(self, documents: Collection[str]) -> list[str]:
        """Take the passwords of documents out for good; return whose there were. Raises NoSuchItem."""
        with self._db.reading():
            for document in documents:
                self._records.require("document", document)
            ids = (json.dumps(sorted(documents)),)
            sql = f"SELECT document FROM password WHERE document {_IN} AND password <> ''"
            holding = sorted((str(row[0]) for row in self._db.rows(sql, ids)), key=number_of)
        if not holding:
            return []
        with self._db.transaction() as db:
            records = self._blank_records("password", holding, {})
            # The row stays, empty, so that the password can be given again; that there is one the file tells anyway.
            db.execute(f"UPDATE password SET password = '' WHERE document {_IN}", (json.dumps(holding),))
            self._chain.record("password", dict.fromkeys(holding, ("",)))
            facts: dict[str, Any] = {"passwords": holding}
            self._append(decision_log.FORGET, ChangeSet(), Redactions({}, records), facts)
        self._finish_or_say()
        return holding

    def _append(self, verb: str, change: ChangeSet, redactions: Redactions, facts: dict[str, Any]) -> None:
        """Write the entry of an erasure, which names all that it blanked."""
        names = {
            "entries": {str(seq): hash_ for seq, hash_ in sorted(redactions.entries.items())},
            "records": {str(seq): hash_ for seq, hash_ in sorted(redactions.records.items())},
        }
        after: dict[str, Any] = {**change.after, "erasure": {**facts, **names}}
        self._log.append(verb, change.before, after)
        self._anchors.forget()

    def _blank(self, traces: Traces) -> Redactions:
        """Blank what is of the documents in the log, in the decision tables and in the records."""
        entries: dict[int, str] = {}
        for entry in self._log.entries():
            before = decision_log.canonical(redacted_side(json.loads(entry.before), traces))
            after = decision_log.canonical(redacted_side(json.loads(entry.after), traces))
            if (before, after) != (entry.before, entry.after):
                self._db.execute("UPDATE log SET before = ?, after = ? WHERE seq = ?", (before, after, entry.seq))
                entries[entry.seq] = decision_log.digest(replace(entry, before=before, after=after))
        for table, shape in TABLES.items():
            data_columns = [column for column in shape.columns if column not in shape.key]
            settings = ", ".join(f'"{column}" = ?' for column in data_columns)
            where = " AND ".join(f'"{column}" = ?' for column in shape.key)
            for row in self._records.stored_rows(table):
                blank = redacted_row(table, row, traces)
                if blank != row:
                    bindings = tuple(blank[column] for column in (*data_columns, *shape.key))
                    self._db.execute(f"UPDATE {table} SET {settings} WHERE {where}", bindings)
        records = self._blank_imports(traces) | self._blank_searches(traces)
        passwords = [row[0] for row in self._db.rows("SELECT document FROM password") if row[0] in traces.documents]
        records |= self._blank_records("password", passwords, {}) | self._take_out_verdicts(traces)
        # What a model or a formula makes of the words is as good as a digest of them.
        ids = (json.dumps(sorted(traces.documents)),)
        records |= self._blank_records("vector", self._vectors_of(ids), {})
        records |= self._blank_records("sketch", traces.documents, {})
        return Redactions(entries, records)

    def _blank_imports(self, traces: Traces) -> dict[int, str]:
        ids = (json.dumps(sorted(traces.documents)),)
        own_rows = self._db.rows(f"SELECT id, run, name FROM imported WHERE document {_IN}", ids)
        rows = {row for row, _, _ in own_rows}
        names = {(run, name) for _, run, name in own_rows}
        # What lay in an erased file and was no document of its own is listed with the name of that file.
        inside = "SELECT id, run, name, parent FROM imported WHERE parent <> '' AND status IN ('duplicate', 'failed')"
        for row, run, name, parent in self._db.rows(f"{inside} ORDER BY id"):
            if (run, parent) in names:
                rows.add(row)
                names.add((run, name))
        self._db.executemany(
            "UPDATE imported SET name = ?, parent = '', reason = '', remedy = '' WHERE id = ?",
            [(ERASED, row) for row in sorted(rows)],
        )
        return self._blank_records("imported", map(str, rows), self._digests_now("imported", rows))

    def _blank_searches(self, traces: Traces) -> dict[int, str]:
        rows = []
        for row, query in self._db.rows("SELECT id, query FROM searched"):
            blank = traces.stretches.blank(query)
            if blank != query:
                self._db.execute("UPDATE searched SET query = ? WHERE id = ?", (blank, row))
                rows.append(row)
        return self._blank_records("searched", map(str, rows), self._digests_now("searched", rows))

    def _digests_now(self, kind: str, rows: Collection[int]) -> dict[str, str]:
        rows_now = self._db.rows(f"{RECORDED[kind]} WHERE id {_IN}", (json.dumps(list(rows)),))
        return {str(key): digest_of(fields) for key, *fields in rows_now}

    def _blank_records(self, kind: str, keys: Iterable[str], digests: dict[str, str]) -> dict[int, str]:
        """Put other digests of some rows into the records, or none; return the new hashes of these, by number.

        A digest of a short text, such as a password, can be tried out by whoever has it.
        """
        key_set = set(keys)
        if not key_set:
            return {}

        def blank(by_key: dict[str, Any]) -> dict[str, Any]:
            return {key: digests.get(key) if key in key_set else digest for key, digest in by_key.items()}

        return self._rewrite_records(kind, blank)

    def _rewrite_records(self, kind: str, revise: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[int, str]:
        """Put what ``revise`` makes of the digests by key into the records; return the new hashes, by number."""
        hashes: dict[int, str] = {}
        rows = self._db.rows("SELECT seq, digests, previous FROM record WHERE kind = ? ORDER BY seq", (kind,))
        for seq, text, previous in rows:
            by_key = json.loads(text)
            left = revise(by_key)
            if left != by_key:
                digests = decision_log.canonical(left)
                self._db.execute("UPDATE record SET digests = ? WHERE seq = ?", (digests, seq))
                hashes[int(seq)] = record_hash(seq, kind, digests, previous)
        return hashes

    def _take_out(self, change: ChangeSet, traces: Traces) -> None:
        """Take out all that is of the documents, and withdraw the rows that quote them."""
        records = self._records
        nowhere = dict.fromkeys(("document", "page_id", "page", "start", "end", "quote", "page_sha256", "similarity"))
        for row in records.of_documents("evidence", traces.documents):
            state = {"text": WITHDRAWN, "source": "", "kind": values.WITHDRAWN, "more": "[]", "proposal": None}
            records.put(change, "evidence", {**row, **nowhere, **state})
        for row in records.of_documents("proposal", traces.documents):
            records.delete_cascade(change, "proposal", str(row["id"]))
        chunks = f"SELECT id FROM chunk WHERE document {_IN}"
        pages = f"SELECT id FROM page WHERE document {_IN}"
        ids = (json.dumps(sorted(traces.documents)),)
        for table, condition in (("relevance", f"chunk IN ({chunks})"), ("ocr_word", f"page IN ({pages})")):
            for row in records.rows(table, condition, ids):
                records.delete_cascade(change, table, TABLES[table].key_of(row))
        for table in _RESULTS:
            for row in records.rows(table):
                if row["id"] in traces.results:
                    records.delete_cascade(change, table, str(row["id"]))
        for row in records.rows("entity"):
            if row["name"] == ERASED:
                records.delete_cascade(change, "entity", str(row["id"]))
        for row in records.rows("setting"):
            document, _, number = str(row["id"]).removeprefix(LEFT).partition("/")
            if number and document in traces.documents:
                records.delete_cascade(change, "setting", str(row["id"]))
        for row in records.of_documents("document", traces.documents, "superseded_by"):
            records.put(change, "document", {**row, "superseded_by": ""})
        self._take_out_records(ids)
        for document in sorted(traces.documents, key=number_of):
            records.delete_cascade(change, "document", document)

    def _take_out_records(self, ids: tuple[str]) -> None:
        """Take out what the machine keeps of documents, each row that was recorded with a record of it."""
        db, chain = self._db, self._chain
        chunks = f"SELECT id FROM chunk WHERE document {_IN}"
        pages = f"SELECT id FROM page WHERE document {_IN}"
        vectors = self._vectors_of(ids)
        db.execute(f"DELETE FROM vector WHERE chunk IN ({chunks})", ids)
        chain.record("vector", dict.fromkeys(vectors))
        alike = [row[0] for row in db.rows(f"SELECT document FROM likeness WHERE of {_IN}", ids)]
        for column in ("document", "of"):
            db.execute(f"DELETE FROM likeness WHERE {column} {_IN}", ids)
        for kind, key in (("sketch", "document"), ("password", "document"), ("found_at", "path")):
            rows = db.rows(f"SELECT {key} FROM {kind} WHERE document {_IN}", ids)
            db.execute(f"DELETE FROM {kind} WHERE document {_IN}", ids)
            chain.record(kind, {str(row[0]): None for row in rows})
        chain.record_where("sketch", f"sketch.document {_IN}", (json.dumps(alike),))
        for table in ("section", "reading"):
            db.execute(f"DELETE FROM {table} WHERE page IN ({pages})", ids)
        for table in ("chunk", "page", "layer_check", "original"):
            db.execute(f"DELETE FROM {table} WHERE document {_IN}", ids)

    def _vectors_of(self, ids: tuple[str]) -> list[str]:
        """List the keys of the vectors of documents among the records."""
        chunks = f"SELECT id FROM chunk WHERE document {_IN}"
        return [
            f"{m} {chunk}"
            for m, chunk in self._db.rows(f"SELECT model, chunk FROM vector WHERE chunk IN ({chunks})", ids)
        ]

    def _take_out_verdicts(self, traces: Traces) -> dict[int, str]:
        """Take out all verdicts but those on passages and hypotheses that stay, also from the records.

        Their keys are digests of the words that were judged, which can be tried out; and of a sentence alone nobody can
        tell any more whose it was.
        """
        spans = (
            'SELECT substr(page.text, chunk.start + 1, chunk."end" - chunk.start) FROM chunk '
            f"JOIN page ON page.id = chunk.page WHERE chunk.document NOT {_IN}"
        )
        words = {
            "passage": self._db.rows(spans, (json.dumps(sorted(traces.documents)),)),
            "hypothesis": self._db.rows("SELECT text FROM hypothesis"),
        }
        stay = {column: {hashlib.sha256(row[0].encode()).digest() for row in rows} for column, rows in words.items()}
        gone, keys = [], set()
        for key, model, passage, hypothesis in self._db.rows(
            "SELECT model.fingerprint || ' ' || lower(hex(passage)) || ' ' || lower(hex(hypothesis)), model, passage, "
            "hypothesis FROM verdict JOIN model ON model.id = verdict.model"
        ):
            if passage in stay["passage"] and hypothesis in stay["hypothesis"]:
                keys.add(key)
            else:
                gone.append((model, passage, hypothesis))
        self._db.executemany("DELETE FROM verdict WHERE model = ? AND passage = ? AND hypothesis = ?", gone)
        return self._rewrite_records("verdict", lambda by_key: {key: by_key[key] for key in by_key if key in keys})

    # --- the file ----------------------------------------------------------------------------------------------------

    def unfinished(self) -> bool:
        """Return whether something was erased and the file was not written again since."""
        with self._db.reading() as db:
            last = "SELECT coalesce(max(seq), 0) FROM log WHERE verb IN (?, ?)"
            newest = int(db.execute(last, (decision_log.ERASE, decision_log.FORGET)).get)
            return newest > int(db.execute(last, (decision_log.REWRITE, decision_log.REWRITE)).get)

    def finish(self) -> None:
        """Write the file again, so that nothing that was erased is left in freed room or in the write-ahead log.

        Raises DiskFull: what was erased is then gone for every program that reads cases, and the next opening goes on.
        """
        db = self._db
        with db.lock, connection.seam(db.path):
            db.handle.check_place()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            large = int(db.execute("PRAGMA page_count").get) * int(db.execute("PRAGMA page_size").get) > _SMALL
            limit = db.connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # VACUUM attaches what it writes
            try:
                if large:
                    db.execute("PRAGMA temp_store = FILE").fetchall()
                db.execute("VACUUM")
            finally:
                db.connection.limit(apsw.SQLITE_LIMIT_ATTACHED, limit)
                if large:
                    db.execute("PRAGMA temp_store = MEMORY").fetchall()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            with db.transaction():
                self._log.append(decision_log.REWRITE, {}, {})

    def _finish_or_say(self) -> None:
        try:
            self.finish()
        except DiskFull as error:
            raise ErasureUnfinished(path=self._db.path) from error

    def _forget_memory(self) -> None:
        self._words.forget()
        self._vectors.forget_memory()
        self._vectors.look_again()


def _place(table: str, key: str, column: str, row: Row) -> str:
    """Name a text of a person: 'note of H2', 'title of the case', 'text of assumption C1'."""
    match table:
        case "consideration":
            return f"{_COLUMNS.get(column, column)} of {row['kind']} {key}"
        case "about":
            return "title of the case"
        case "setting":
            return "settings of the case"
        case "rating":
            evidence, hypothesis, *_ = key.split("/")
            return f"note on {evidence} against {hypothesis}"
        case "resolution":
            return f"{column} of {key.replace('/', ', ')}"
    return f"{_COLUMNS.get(column, column)} of {key}"


def erased_files(entries: Iterable[LogEntry]) -> set[str]:
    """Return the SHA-256 of every file that was erased, as the log says."""
    files: set[str] = set()
    for entry in entries:
        if entry.verb == decision_log.ERASE:
            files.update(
                document_row["sha256"] for document_row in json.loads(entry.after)["erasure"]["documents"].values()
            )
    return files
