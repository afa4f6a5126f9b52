"""The proof of a case: originals, texts, quotes, records, log entries, and the search index against its rows.

What holds each table: ``original`` the SHA-256 in the row of its document; the decision tables the replay of the log;
``page``, ``section``, ``chunk``, ``reading`` their page's entry in the log; ``imported``, ``searched``, ``verdict``,
``vector``, ``model``, ``sketch``, ``likeness``, ``found_at``, ``password``, ``meta``, ``import_run``, ``import_file``,
``layer_check`` the chain of records that the log names (core.store.record_chain); ``counter`` the numbers that were
given; ``passage_word`` the texts that it is made from. A chain without a key cannot show that the whole file was made
again, with a log of its own: for that the last hash must be kept elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from core.domain import LogEntry, QuotePart
from core.errors import AppError, CaseCorrupt, CaseNotProven, Problem
from core.language import fold
from core.progress import Progress, silent
from core.stats import Proportion, wilson_interval
from core.store import decision_log, entry_rules, schema, values
from core.store.database import clean
from core.store.decision_log import Rows
from core.store.documents import as_logged, sha256_of
from core.store.record_chain import LASTING, RECORDED, digest_of
from core.text import counted

if TYPE_CHECKING:
    from core.store.case_file import CaseFile

_RESTORE = "Keep the file as it is, and open your last copy of it."
_REBUILD = "Documents and decisions are not affected. Rebuild the index with: disconfirm rebuild CASE"
_STATUSES = ("reading", "ready", "needs_ocr", "failed", "removed")
_REST = (
    "What goes with its text is not what was read: marks of hidden text or struck text, tables, headings, passages, "
    "boxes of words, or how it was read."
)
_MARKS: tuple[tuple[str, Callable[[str, int], object]], ...] = (
    ("What is hidden", values.spans),
    ("What is struck through", values.struck_places),
    ("What the tables are", values.tables),
)
_SHOWN = 50  # altered records of one kind that are named
_HIGHEST = 1 << 40  # no case counts so far
_NUMBERED = frozenset(
    {"document", "hypothesis", "proposal", "evidence", "consideration", "entity", "plan_query"}
    | {"answer", "conflict", "audit"}
)
_BATCH = 500  # rows a lock is held for: the window goes on reading meanwhile


@dataclass(frozen=True, slots=True)
class CaseCheck:
    """The result of ``verify``.

    ``counts`` say how much was looked at, by part; ``notes`` what it could not look at. ``head`` is the hash of the
    last entry of the log.
    """

    ok: bool
    counts: dict[str, int]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()
    head: str = ""


def prove(case: CaseFile, progress: Progress) -> CaseCheck:
    """Make every check in order, the cheapest last.

    Each part ends with its own problems: one fault hides no other.
    """
    parts: tuple[tuple[str, Callable[[CaseFile, Progress], Iterator[Problem | int]]], ...] = (
        ("database", _database),
        ("originals", _originals),
        ("documents", _documents),
        ("pages", _pages),
        ("changed pages", _changed_pages),
        ("sections", _sections),
        ("quotes", _quotes),
        ("exams", _exams),
        ("values", _values),
        ("log entries", _log),
        ("numbers", _numbers),
        ("records", _records),
        ("words", _words),
        ("vectors", _vectors),
    )
    counts: dict[str, int] = {}
    problems: list[Problem] = []
    for number, (name, part) in enumerate(parts):
        progress.step(number, len(parts), f"Checking {name}")
        counts[name] = 0
        try:
            for finding in part(case, progress):
                if isinstance(finding, Problem):
                    problems.append(finding)
                else:
                    counts[name] += finding
        except AppError as error:
            problems.append(Problem.at(name, error))
        except apsw.Error as error:  # a search table without what its module needs
            problems.append(Problem(name, f"It cannot be read ({type(error).__name__}).", _REBUILD))
    progress.step(len(parts), len(parts), "Checked")
    since = case.anchors.anchored_since()
    notes = [] if case.anchors.is_anchored() and not since else [_older(since)]
    notes += (
        f"{identity} {name} was not read to its end: nothing can be quoted from it or proven about it. Add "
        "the file again."
        for identity, name in case.documents.unfinished_names()
        if identity not in case.documents.session_documents
    )
    notes += _vouching(case)
    notes += (
        f"The clock was set back before entry {seq} of the log, from {before[:16]} to {moment[:16]} UTC: the order of "
        "the entries is that of the decisions, whatever their times say."
        for seq, before, moment in case.history.setbacks()
    )
    unnamed_count = case.chain.unnamed_count() if case.anchors.is_anchored() else 0
    if unnamed_count > 0:
        notes.append(
            f"{unnamed_count:,} of the machine's last records {'is' if unnamed_count == 1 else 'are'} not yet named by "
            "the log, which "
            "happens when the case is closed: a change before that would not be noticed."
        )
    with case.db.reading() as db:
        head = db.execute("SELECT CAST(hash AS BLOB) FROM log ORDER BY seq DESC LIMIT 1").get or b""
    return CaseCheck(not problems, counts, tuple(problems), tuple(notes), head.decode(errors="replace"))


def _vouching(case: CaseFile) -> Iterator[str]:
    """Yield what was erased or recovered, and which entries of the log hold what is left of them, or differ from it."""
    yield from case.history.recoveries()
    with case.db.reading():
        sql = f"{decision_log.ENTRY} WHERE verb IN (?, ?) ORDER BY seq"
        rows = case.db.rows(sql, (decision_log.ERASE, decision_log.RECOVER))
    for entry in (LogEntry(*row) for row in rows):
        try:
            after = values.from_json(entry.after)
            erasure, day = after["erasure"], entry.at[:10]
            documents, entries = ", ".join(erasure["documents"]), len(erasure["entries"])
        except (ValueError, KeyError, TypeError, AttributeError):
            continue  # told where the log is checked
        if entry.verb == decision_log.RECOVER and not entries:
            continue
        what = f"{entry.who} erased {documents} on {day}" if documents else "Erased before it was recovered"
        many = counted(entries, "earlier entry", "earlier entries")
        yield f"{what}: {many} of the log had words blanked, and entry {entry.seq} vouches for what is left of them."
    if case.erasures.unfinished():
        yield "Something was erased and the file has not been rewritten since: open and close the case to finish that."


def _older(since: str) -> str:
    """Return what holds of a case of an older format, bound to its log at a time, or ('') not yet."""
    if not since:
        return (
            "This case has an older format and is open for viewing only: its log does not say what its pages, imports "
            "and verdicts were, so a change to them would not be noticed."
        )
    return (
        f"The log secures the pages, imports and verdicts of this case since {since[:10]}, when it was brought "
        "to the current format. A change to them before that day would not be noticed."
    )


def not_proven(path: Path, fault: Problem, effect: str) -> CaseNotProven:
    """Return the error for a case of which ``fault`` is the first that was found; ``effect`` is what was not done."""
    return CaseNotProven(path=path, fault=f"{fault.where}: {fault.what.rstrip('.')}", effect=effect)


def first_altered_page(case: CaseFile, progress: Progress) -> Problem | None:
    """Find the first page that is not what the log says of it, or of which the log cannot say so."""
    parts = (chain_faults(snapshot(case)), _pages(case, progress), _changed_pages(case, progress))
    return next((finding for finding in itertools.chain.from_iterable(parts) if isinstance(finding, Problem)), None)


def first_fault(case: CaseFile, progress: Progress) -> Problem | None:
    """Find the first fault of what another case would take from this one.

    That is its log, what the log says was decided, and the files and texts that this rests on. Search indexes are made
    again and not looked at.
    """
    now = snapshot(case)
    parts = (part(case, progress) for part in (_originals, _documents, _pages, _changed_pages, _exams, _records))
    findings = itertools.chain(chain_faults(now), decision_faults(now), itertools.chain.from_iterable(parts))
    return next((finding for finding in findings if isinstance(finding, Problem)), None)


def stated(case: CaseFile, now: Snapshot) -> Iterator[Problem]:
    """Yield the faults of what a report says.

    Those of the log itself are left out, and of the pages, which are proven as they are read.
    """
    yield from decision_faults(now)
    records = _records(case, silent(), ("imported", "searched", "meta", "model"))
    findings = itertools.chain(_changed_pages(case, silent()), _exams(case, silent()), records)
    yield from (finding for finding in findings if isinstance(finding, Problem))


def _database(case: CaseFile, _progress: Progress) -> Iterator[Problem | int]:
    with case.db.reading():
        try:
            report = [str(row[0]) for row in case.db.rows("PRAGMA integrity_check(20)")]
        except apsw.SQLError:  # a search table that cannot even be looked into; its own check tells the rest
            report = [f"the tables of {schema.WORD_TABLE} are not whole"]
        loose = case.db.rows("PRAGMA foreign_key_check")
    yield 1
    for line in report:
        # The search table answers for itself here; what it says is about the index, not about the case.
        index = schema.WORD_TABLE in line
        if line != "ok":
            yield Problem("database", f"SQLite finds: {line}.", _REBUILD if index else _RESTORE)
    for row in loose[:20]:
        yield Problem("database", f"A row of '{row[0]}' refers to a row of '{row[2]}' that is gone.", _RESTORE)


def quoted(case: CaseFile, pages: Collection[int], documents: Collection[str]) -> Iterator[Problem]:
    """Yield the faults of pages that quotes are on, beside their texts, and of the files they were read from."""
    anchors = case.anchors.all()
    with case.db.reading():
        facts = case.anchors.facts_of(pages)
    for page, fact in facts.items():
        anchor = anchors.get(page)
        if anchor is not None and anchor.rest != fact.rest:
            yield Problem(f"{fact.document}, page {fact.number}", _REST, _RESTORE)
    yield from (finding for finding in _originals(case, silent(), documents) if isinstance(finding, Problem))


def first_fault_of(case: CaseFile, pages: Collection[int]) -> Problem | None:
    """Find the first fault of some pages beside their own texts: what belongs to these, and how they came to them."""
    changed_pages = case.anchors.restated_pages().intersection(pages)  # else the whole log need not be read
    parts = (quoted(case, pages, ()), _changed_pages(case, silent(), changed_pages) if changed_pages else ())
    return next((finding for finding in itertools.chain.from_iterable(parts) if isinstance(finding, Problem)), None)


def _originals(case: CaseFile, progress: Progress, only: Collection[str] | None = None) -> Iterator[Problem | int]:
    with case.db.reading():
        documents = case.db.rows("SELECT id, name, sha256, size FROM document ORDER BY id")
    for document, name, sha256, size in documents:
        progress.check()
        if only is not None and document not in only:
            continue
        with case.db.reading() as db:
            row = db.execute("SELECT data FROM original WHERE document = ?", (document,)).fetchone()
        where = f"{document} {name}"
        if row is None:
            yield Problem(where, "The original file is missing from the case.", _RESTORE)
        elif len(row[0]) != size or hashlib.sha256(row[0]).hexdigest() != sha256:
            yield Problem(where, "The original is not the file that was added: its SHA-256 differs.", _RESTORE)
        yield 1


def _documents(case: CaseFile, _progress: Progress) -> Iterator[Problem | int]:
    """Check what is said of documents beside their text: state, where they were found, what took their place."""
    with case.db.reading():
        rows = case.db.rows(
            "SELECT id, name, status, pages, parent, superseded_by, reason, "
            "(SELECT count(*) FROM page WHERE page.document = document.id) FROM document ORDER BY id"
        )
    ids = {row[0] for row in rows}
    for document, name, status, pages, parent, newer, reason, page_count in rows:
        where = f"{document} {name}"
        if status not in _STATUSES or (status == "failed" and (page_count or not reason)):
            yield Problem(where, f"Its recorded state '{str(status)[:20]}' is impossible.", _RESTORE)
        if pages != page_count:
            yield Problem(where, f"It has {counted(page_count, 'page')} and should have {pages}.", _RESTORE)
        if newer and newer not in ids:
            yield Problem(where, f"The newer version {str(newer)[:20]} that it names is not there.", _RESTORE)
        # A container whose reading was cut short may be gone: it names itself again when it is added again.
        if parent == document:
            yield Problem(where, "It is recorded as found in itself.", _RESTORE)
        yield 1


def _pages(case: CaseFile, progress: Progress) -> Iterator[Problem | int]:
    """Check every page against its entry in the log: text, place, and all that ``core.store.anchors`` binds to it."""
    is_anchored = case.anchors.is_anchored()
    last = -1
    while True:
        progress.check()
        with case.db.reading():
            rows = case.db.rows(
                "SELECT id, document, number, sha256, text FROM page WHERE id > ? ORDER BY id LIMIT ?", (last, _BATCH)
            )
            if not rows:
                return
            by_page = case.anchors.all()
            anchors = {row[0]: by_page.get(row[0]) for row in rows}  # work goes on when the lock is free
            reading_now = {row[0] for row in case.db.rows("SELECT id FROM document WHERE status = 'reading'")}
            facts = case.anchors.facts_of([row[0] for row in rows])
            spans = case.db.rows(
                'SELECT page, chunk.id, start, "end", chunk.document = page.document FROM chunk '
                "JOIN page ON page.id = chunk.page WHERE page BETWEEN ? AND ?",
                (rows[0][0], rows[-1][0]),
            )
        lengths = {}
        for page, document, number, sha256, text in rows:
            lengths[page] = len(text)
            where = f"{document}, page {number}"
            anchor = anchors[page]
            if sha256_of(text) != sha256 or (anchor is not None and anchor.sha256 != sha256):
                yield Problem(
                    where, "The text of this page is not the one that was read: its SHA-256 differs.", _RESTORE
                )
            elif anchor is None and is_anchored and document not in reading_now:
                yield Problem(where, "The log knows of no such page.", _RESTORE)
            elif anchor is not None and (anchor.document, anchor.number) != (document, number):
                what = f"The log says that this is page {anchor.number} of {anchor.document}."
                yield Problem(where, what, _RESTORE)
            elif anchor is not None and anchor.rest != facts[page].rest:
                yield Problem(where, _REST, _RESTORE)
        for page, chunk, start, end, same in spans:
            if not 0 <= start < end <= lengths.get(page, 0) or not same:
                yield Problem(f"passage {chunk}", "It lies outside its page.", _RESTORE)
        yield len(rows)
        last = rows[-1][0]


def _changed_pages(case: CaseFile, progress: Progress, only: Collection[int] | None = None) -> Iterator[Problem | int]:
    """Check pages whose text changed: each text is what was read, with what people said of its words."""
    course = entry_rules.Course(case.log.entries())
    for page in course.changed_pages():
        if only is not None and page not in only:
            continue
        progress.check()
        with case.db.reading() as db:
            row = db.execute("SELECT document, number, source FROM page WHERE id = ?", (page,)).fetchone()
        if row is None:
            continue  # told where its quotes, or its records, are checked
        if row[2] != "ocr" or course.has_unread_text(page, case.pages.readings(page)):
            what = "Its text was changed to something that neither its file, nor a reading with its corrections, says."
            yield Problem(f"{row[0]}, page {row[1]}", what, _RESTORE)
        yield 1
    for page in sorted(course.touched_pages if only is None else course.touched_pages.intersection(only)):
        doubt = "source IN ('embedded', 'layer') AND confidence IS NOT NULL"
        sql = f"SELECT document, number FROM page WHERE id = ? AND NOT ({doubt})"
        with case.db.reading() as db:
            row = db.execute(sql, (page,)).fetchone()
        if row is not None:
            what = "What goes with its text was changed in a way the program never does."
            yield Problem(f"{row[0]}, page {row[1]}", what, _RESTORE)


def _numbers(case: CaseFile, _progress: Progress) -> Iterator[Problem | int]:
    """Check the counters: no number is given twice, and none is so high that nothing could be added any more."""
    log_numbers = last_numbers(case.log.entries())
    with case.db.reading():
        counters = {str(kind): last for kind, last in case.db.rows("SELECT kind, last FROM counter")}
        log_numbers["document"] = max(
            log_numbers["document"],
            *(row[0] for row in case.db.rows("SELECT CAST(substr(id, 2) AS INTEGER) FROM document")),
            0,
        )
    yield len(counters)
    for kind in sorted(counters.keys() | {kind for kind, highest in log_numbers.items() if highest}):
        last = counters.get(kind, 0)
        if kind not in (*log_numbers, "log", "record"):
            yield Problem(f"counter {kind[:20]}", "The case counts nothing of that name.", _RESTORE)
        elif last < log_numbers.get(kind, 0) or last > _HIGHEST:
            yield Problem(f"counter {kind}", f"{last} cannot be the last number that was given.", _RESTORE)


def last_numbers(entries: Sequence[LogEntry]) -> dict[str, int]:
    """Return the highest number of each kind of thing that the log ever named."""
    highest = dict.fromkeys(_NUMBERED, 0)
    for entry in entries:
        try:
            rows = decision_log.rows_of(entry)[1]
        except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
            continue  # told where the log is replayed
        for kind in rows.keys() & _NUMBERED:
            numbers = (int(key[1:]) for key in rows[kind] if key[1:].isdecimal())
            highest[kind] = max(highest[kind], *numbers, 0)
    return highest


def _recorded_rows(case: CaseFile, kind: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a recorded table, vectors a few at a time.

    The lock of the case is held until the next are asked for, and others can write in between.
    """
    sql, last = RECORDED[kind], -1
    if kind != "vector":
        with case.db.reading():
            yield case.db.rows(sql)
        return
    while True:
        with case.db.reading():
            chunks = case.db.rows(
                "SELECT DISTINCT chunk FROM vector WHERE chunk > ? ORDER BY chunk LIMIT ?", (last, _BATCH)
            )
            if not chunks:
                return
            yield case.db.rows(f"{sql} WHERE chunk BETWEEN ? AND ?", (chunks[0][0], chunks[-1][0]))
        last = chunks[-1][0]


def _records(case: CaseFile, progress: Progress, kinds: Collection[str] = tuple(RECORDED)) -> Iterator[Problem | int]:
    """Check what the machine keeps, row by row against the last digest that was recorded of it."""
    for words in case.chain.breaks():
        yield Problem("records", words[0].upper() + words[1:] + ".", _RESTORE)
    if not case.anchors.is_anchored():
        return
    for kind in kinds:
        progress.check()
        last_digests = case.chain.last_digests(kind) if kind == "vector" else {}
        keys: set[str] = set()
        wrong: list[str] = []
        missing: list[str] = []
        for rows in _recorded_rows(case, kind):
            progress.check()
            digests = {str(key): digest_of(values) for key, *values in rows}
            keys |= digests.keys()
            if kind != "vector" or any(last_digests.get(key) != digest for key, digest in digests.items()):
                last_digests = case.chain.last_digests(kind)  # as of now: some may have been written meanwhile
                wrong += [key for key, digest in digests.items() if last_digests.get(key) != digest]
            missing = [key for key, digest in last_digests.items() if digest is not None and key not in keys]
        yield len(keys)
        for key in wrong[:_SHOWN]:
            yield Problem(f"{kind} {key[:60]}", "It is not what was recorded when it was written.", _RESTORE)
        for key in missing[:_SHOWN] if kind in LASTING else ():
            yield Problem(f"{kind} {key[:60]}", "It was recorded and is gone.", _RESTORE)
        more = max(0, len(wrong) - _SHOWN)
        if more:
            yield Problem(kind, f"{more:,} more are not what was recorded.", _RESTORE)
    with case.db.reading():
        orphans = case.db.rows("SELECT document FROM likeness WHERE document NOT IN (SELECT document FROM sketch)")
    for (document,) in orphans:
        yield Problem(f"likeness {document}", "It was never recorded.", _RESTORE)


def _sections(case: CaseFile, _progress: Progress) -> Iterator[Problem | int]:
    with case.db.reading():
        rows = case.db.rows(
            "SELECT page.document, page.number, section.start, section.level, length(page.text) FROM section "
            "JOIN page ON page.id = section.page ORDER BY section.rowid"
        )
    for document, number, start, level, length in rows:
        if not 0 <= start <= length or level < 1:
            yield Problem(
                f"{document}, page {number}", "A heading is recorded at a place that is not on the page.", _RESTORE
            )
        yield 1


def _quotes(case: CaseFile, progress: Progress) -> Iterator[Problem | int]:
    with case.db.reading():
        rows = [
            (f"{kind} {row[0]}", *row[1:])
            for kind in ("proposal", "evidence")
            for row in case.db.rows(
                f'SELECT id, page_id, start, "end", quote, page_sha256 FROM {kind} WHERE page_id IS NOT NULL '
                "ORDER BY page_id, id"
            )
        ]
        further = case.db.rows("SELECT id, document, page, more FROM evidence WHERE more <> '[]' ORDER BY id")
    for identity, document, page_number, more in further:
        for number, part in enumerate(_parts(more), start=1):
            where = f"evidence {identity}"
            rows.append((where, part.page_id, part.start, part.end, part.text, part.page_sha256))
            with case.db.reading() as db:
                place = db.execute("SELECT document, number FROM page WHERE id = ?", (part.page_id,)).fetchone()
            if place != (document, page_number + number) or part.page != page_number + number:
                yield Problem(where, "It continues on a page that is not the next one of its document.", _RESTORE)
        if not _parts(more):
            yield Problem(f"evidence {identity}", "How its quote continues cannot be read.", _RESTORE)
    current: tuple[int, str, str] | None = None
    for where, page_id, start, end, quote, sha256 in rows:
        progress.check()
        if current is None or current[0] != page_id:
            with case.db.reading() as db:
                page = db.execute("SELECT text, sha256 FROM page WHERE id = ?", (page_id,)).fetchone()
            current = (page_id, *page) if page else None
        if current is not None and current[2] != sha256:
            yield Problem(
                where,
                "Its page has been corrected or read again since, so its quote is not what is there now.",
                "Look at the page; take the new words or remove it.",
            )
        elif current is None or current[1][start:end] != quote:
            yield Problem(where, "Its quote is not at the recorded place on its page.", _RESTORE)
        yield 1


def _parts(more: str) -> tuple[QuotePart, ...]:
    """Return the further stretches of a quote; none where they cannot be read."""
    try:
        return tuple(QuotePart(**part) for part in values.from_json(more))
    except (ValueError, TypeError):
        return ()


def _exams(case: CaseFile, _progress: Progress) -> Iterator[Problem | int]:
    """Check what is kept of the models that gave verdicts: each is of its model, its share what its answers say."""
    for model, exam_text in case.verdicts.exams().items():
        try:
            exam = json.loads(exam_text)["exam"]
            answers = exam["confusion"]
            right = sum(answers[index][index] for index in range(len(answers)))
            of_it = clean(exam["judge"]) == model
            sound = of_it and Proportion(**exam["accuracy"]) == wilson_interval(right, sum(map(sum, answers)))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            sound = False
        if not sound:
            yield Problem(f"model {model[:80]}", "Its recorded exam result is impossible.", _RESTORE)
        yield 1


def _values(case: CaseFile, progress: Progress) -> Iterator[Problem | int]:
    """Check what columns hold beyond their type."""
    for table, shape in decision_log.TABLES.items():
        progress.check()
        with case.db.reading():
            rows = case.records.stored_rows(table)
        for row in rows:
            for column in values.faults(table, row):
                yield Problem(f"{table} {shape.key_of(row)[:60]}", f"Its '{column}' has an impossible value.", _RESTORE)
        yield len(rows)
    with case.db.reading():
        pages = case.db.rows(
            "SELECT document, number, length(text), hidden, struck, tables FROM page "
            "WHERE hidden <> '[]' OR struck <> '[]' OR tables <> '[]' ORDER BY id"
        )
        readings = case.db.rows("SELECT page, engine, alternatives FROM reading ORDER BY page, engine")
    for document, number, length, *marks in pages:
        for (what, decode), text in zip(_MARKS, marks, strict=True):
            if not _reads(decode, text, length):
                yield Problem(f"{document}, page {number}", f"{what} on it cannot be read.", _RESTORE)
    for page, engine, alternatives in readings:
        if not _reads(values.alternatives, alternatives):
            yield Problem(f"reading {page} {engine[:60]}", "What its words could also be cannot be read.", _RESTORE)
    yield len(pages) + len(readings)


def _reads(decode: Callable[..., object], *arguments: object) -> bool:
    try:
        decode(*arguments)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The log, the number of its last entry as it is counted, and the decision tables, all of one moment."""

    entries: list[LogEntry]
    last: int
    tables: dict[str, dict[str, decision_log.Row]]


def snapshot(case: CaseFile) -> Snapshot:
    """Read the log and the decision tables that it is held against, all of one moment."""
    with case.db.reading() as db:
        entries: list[LogEntry] = case.log.entries()
        last = int(db.execute("SELECT last FROM counter WHERE kind = 'log'").get or 0)
        tables = {
            name: {shape.key_of(row): row for row in case.records.stored_rows(name)}
            for name, shape in decision_log.TABLES.items()
        }
    # A document still being read is no decision yet: the log learns of it when it is finished.
    documents = {key: as_logged(row) for key, row in tables["document"].items()}
    tables["document"] = {key: row for key, row in documents.items() if row is not None}
    return Snapshot(entries, last, tables)


def _log(case: CaseFile, _progress: Progress) -> Iterator[Problem | int]:
    now = snapshot(case)
    yield len(now.entries)
    yield from chain_faults(now)
    yield from decision_faults(now)


def chain_faults(now: Snapshot) -> Iterator[Problem]:
    """Yield where the log itself does not hold: then nothing in the case says what was decided."""
    for words in decision_log.breaks(now.entries, now.last):
        yield Problem("log", words[0].upper() + words[1:] + ".", _RESTORE)
    yield from entry_rules.Course(now.entries).faults


def first_altered_decision(case: CaseFile) -> Problem | None:
    """Find the first decision that is not what the log says of it."""
    now = snapshot(case)
    return next(itertools.chain(chain_faults(now), decision_faults(now)), None)


def decision_faults(now: Snapshot) -> Iterator[Problem]:
    """Yield where a decision table is not what the log says, or holds what no version of the program writes."""
    log_tables, tables = _replay(now.entries), now.tables
    if log_tables is None:
        yield Problem("log", "An entry cannot be read, so the decisions cannot be replayed.", _RESTORE)
        return
    for table, rows in log_tables.items():
        for key in sorted(rows.keys() | tables[table].keys()):
            if rows.get(key) != tables[table].get(key):
                yield Problem(f"{table} {key}", "It is not what the log says was decided.", _RESTORE)
    for table, log_rows in log_tables.items():
        for key, row in log_rows.items():
            fault = decision_log.fault(table, row) if row is not None else ""
            if fault:
                yield Problem(f"{table} {key}", fault, _RESTORE)


def _replay(entries: Sequence[LogEntry]) -> Rows | None:
    """Return the decision tables as the log tells them; None if it cannot be read."""
    try:
        return decision_log.replay(entries)
    except (CaseCorrupt, ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return None


def _words(case: CaseFile, progress: Progress) -> Iterator[Problem | int]:
    with case.db.reading() as db:
        if not case.db.has_table(schema.WORD_TABLE):
            yield Problem("word index", "It is missing, so search by words finds nothing.", _REBUILD)
            return
        try:
            index_rows = {row[0] for row in db.execute(f"SELECT rowid FROM {schema.WORD_TABLE}")}
        except apsw.Error as error:
            yield Problem("word index", f"It cannot be read ({type(error).__name__}).", _REBUILD)
            return
        chunks = {row[0] for row in db.execute("SELECT id FROM chunk")}
    yield len(chunks)
    faults = list(_parity(index_rows, chunks))
    yield from faults
    if faults:
        return
    ids = sorted(chunks)
    fresh = apsw.Connection(":memory:")
    try:
        schema.create_words(fresh)
        for start in range(0, len(ids), _BATCH):
            progress.check()
            batch = case.pages.chunks(ids[start : start + _BATCH])
            rows = ((chunk.id, *fold.columns(chunk.text, chunk.with_headings)) for chunk in batch.values())
            fresh.executemany(schema.ADD_WORDS, rows)
        # Term by term: how often each occurs where. In ranges of terms, for each holds the lock of the case.
        for low, high in itertools.pairwise(("", "1", "2", *"abcdefghijklmnopqrstuvwxyz{", "\U0010ffff")):
            progress.check()
            expected_places = _places(fresh, low, high)
            with case.db.reading() as db:
                try:
                    places = _places(db, low, high)
                except apsw.Error as error:
                    yield Problem("word index", f"It cannot be searched ({type(error).__name__}).", _REBUILD)
                    return
            if places != expected_places:
                yield Problem("word index", "It is not the index of the stored texts.", _REBUILD)
                return
    finally:
        fresh.close()


def _places(db: apsw.Connection, low: str, high: str) -> list[tuple[object, ...]]:
    """Return for each term of a range in how many places it occurs.

    Two sums go with it, which another set of places would change.
    """
    name = "passage_place"
    db.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab('main', '{schema.WORD_TABLE}', 'instance')"
    )
    try:
        return db.execute(
            f"SELECT term, col, count(*), sum(doc), sum(doc * (offset + 1)) FROM temp.{name} "
            "WHERE term >= ? AND term < ? GROUP BY term, col ORDER BY term, col",
            (low, high),
        ).fetchall()
    finally:
        with contextlib.suppress(apsw.Error):
            db.execute(f"DROP TABLE temp.{name}")


def _vectors(case: CaseFile, progress: Progress) -> Iterator[Problem | int]:
    """Each vector: of the dimension of its model, of length 1, and of a passage that is there."""
    unfit: list[tuple[int, str]] = []
    for batch in case.vectors.examined():
        progress.check()
        yield len(batch)
        unfit += [(chunk, fault) for _, chunk, fault in batch if fault]
    if unfit:
        chunk, fault = unfit[0]
        what = f"{len(unfit):,} cannot be searched. The first is that of passage {chunk}: {fault}."
        yield Problem("vectors", what, _REBUILD)


def _parity(index_ids: set[int], rows: set[int]) -> Iterator[Problem]:
    missing, foreign = len(rows - index_ids), len(index_ids - rows)
    if missing:
        yield Problem("word index", f"{missing} of {len(rows)} passages are missing from it.", _REBUILD)
    if foreign:
        yield Problem("word index", f"It has {foreign} passages that the case does not have.", _REBUILD)
