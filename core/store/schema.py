"""The tables of a case file: their definitions, the numbered migrations, and the check that a file holds nothing else.

Two groups of tables. What must never be lost: originals, pages, chunks, vectors, decisions, log. What can be made from
it at any time: the FTS5 table ``passage_word``. No triggers: with trusted_schema off they may not touch virtual tables.
STRICT, so that SQLite's own check finds values of another type than their column's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import apsw

APPLICATION_ID = 0x44434E46  # 'DCNF', bytes 68-71 of the file

# FTS5 tokenizer: English stems; marks are parts of words. What it cuts has been folded (core.language.fold), and it
# looks words up too, so both sides cut words alike.
TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co M*")
_OLD_TOKENIZER = TOKENIZER[:4]

WORD_TABLE = "passage_word"
# Up to format 8 the vectors of one search model were in this table of sqlite-vec too.
OLD_VECTOR_TABLE = "passage_vector"
_WITHOUT_IT = 9

MOST_DIMENSIONS = 8192


def _word_ddl(columns: str, tokenizer: Sequence[str] = _OLD_TOKENIZER) -> str:
    arguments = " ".join(f"''{part}''" if " " in part else part for part in tokenizer)
    return (
        f"CREATE VIRTUAL TABLE {WORD_TABLE} USING fts5({columns}, content='', contentless_delete=1, "
        f"tokenize='{arguments}')"
    )


# ``form`` has other forms of the words of ``text``. What surrounds a passage (title, date, headings) counts in a search
# as it is in its own tables, so that an edit counts at once.
_WORD_DDL = _word_ddl("text, form", TOKENIZER)
ADD_WORDS = f"INSERT INTO {WORD_TABLE} (rowid, text, form) VALUES (?, ?, ?)"

_VERSION_1 = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    # The last number given to an id of each kind, and to the log: numbers are never used twice, undo or not.
    "CREATE TABLE counter (kind TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT",
    """CREATE TABLE document (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, size INTEGER NOT NULL,
        pages INTEGER NOT NULL DEFAULT 0, chunks INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL,
        imported_at TEXT NOT NULL, title TEXT NOT NULL DEFAULT '', author TEXT NOT NULL DEFAULT '',
        date TEXT NOT NULL DEFAULT '', address TEXT NOT NULL DEFAULT '', reader TEXT NOT NULL DEFAULT '',
        pages_without_text INTEGER NOT NULL DEFAULT 0, included INTEGER NOT NULL DEFAULT 1) STRICT""",
    "CREATE TABLE original (document TEXT PRIMARY KEY REFERENCES document(id), data BLOB NOT NULL) STRICT",
    """CREATE TABLE page (
        id INTEGER PRIMARY KEY AUTOINCREMENT, document TEXT NOT NULL REFERENCES document(id), number INTEGER NOT NULL,
        sha256 TEXT NOT NULL, width REAL NOT NULL, height REAL NOT NULL, source TEXT NOT NULL, confidence REAL,
        label TEXT NOT NULL, hidden TEXT NOT NULL, fingerprint TEXT NOT NULL, text TEXT NOT NULL, words BLOB NOT NULL,
        UNIQUE (document, number)) STRICT""",
    """CREATE TABLE chunk (
        id INTEGER PRIMARY KEY AUTOINCREMENT, page INTEGER NOT NULL REFERENCES page(id),
        document TEXT NOT NULL REFERENCES document(id), start INTEGER NOT NULL, "end" INTEGER NOT NULL) STRICT""",
    "CREATE INDEX chunk_page ON chunk (page)",
    "CREATE INDEX chunk_document ON chunk (document)",
    # An embedder or a judge, by its fingerprint. ``dimensions`` is NULL for a judge.
    "CREATE TABLE model (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, dimensions INTEGER) STRICT",
    """CREATE TABLE vector (
        model INTEGER NOT NULL REFERENCES model(id), chunk INTEGER NOT NULL REFERENCES chunk(id), data BLOB NOT NULL,
        UNIQUE (model, chunk)) STRICT""",
    "CREATE INDEX vector_chunk ON vector (chunk)",
    """CREATE TABLE verdict (
        model INTEGER NOT NULL REFERENCES model(id), passage BLOB NOT NULL, hypothesis BLOB NOT NULL,
        supports REAL NOT NULL, contradicts REAL NOT NULL, neutral REAL NOT NULL,
        PRIMARY KEY (model, passage, hypothesis)) WITHOUT ROWID, STRICT""",
    "CREATE TABLE about (id TEXT PRIMARY KEY, title TEXT NOT NULL) STRICT",
    "CREATE TABLE hypothesis (id TEXT PRIMARY KEY, text TEXT NOT NULL, note TEXT NOT NULL) STRICT",
    """CREATE TABLE proposal (
        id TEXT PRIMARY KEY, hypothesis TEXT NOT NULL REFERENCES hypothesis(id),
        chunk INTEGER NOT NULL REFERENCES chunk(id), document TEXT NOT NULL REFERENCES document(id),
        page_id INTEGER NOT NULL REFERENCES page(id), page INTEGER NOT NULL, start INTEGER NOT NULL,
        "end" INTEGER NOT NULL, quote TEXT NOT NULL, page_sha256 TEXT NOT NULL, label TEXT NOT NULL,
        supports REAL NOT NULL, contradicts REAL NOT NULL, neutral REAL NOT NULL, model TEXT NOT NULL, similarity REAL,
        vector_rank INTEGER, lexical_rank INTEGER, explanation TEXT NOT NULL, status TEXT NOT NULL,
        possible_duplicate TEXT, UNIQUE (hypothesis, page_id, start, "end")) STRICT""",
    'CREATE INDEX proposal_span ON proposal (page_id, start, "end")',
    "CREATE INDEX proposal_chunk ON proposal (chunk)",
    """CREATE TABLE evidence (
        id TEXT PRIMARY KEY, text TEXT NOT NULL, source TEXT NOT NULL, method TEXT NOT NULL, credibility TEXT,
        relevance TEXT, document TEXT REFERENCES document(id), page_id INTEGER REFERENCES page(id), page INTEGER,
        start INTEGER, "end" INTEGER, quote TEXT, page_sha256 TEXT, similarity REAL, proposal TEXT,
        created_by TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (page_id, start, "end")) STRICT""",
    """CREATE TABLE rating (
        evidence TEXT NOT NULL REFERENCES evidence(id), hypothesis TEXT NOT NULL REFERENCES hypothesis(id),
        rating TEXT NOT NULL, "by" TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (evidence, hypothesis)) STRICT""",
    """CREATE TABLE suggestion (
        evidence TEXT NOT NULL REFERENCES evidence(id), hypothesis TEXT NOT NULL REFERENCES hypothesis(id),
        rating TEXT NOT NULL, model TEXT NOT NULL, supports REAL NOT NULL, contradicts REAL NOT NULL,
        neutral REAL NOT NULL, at TEXT NOT NULL, PRIMARY KEY (evidence, hypothesis)) STRICT""",
    """CREATE TABLE log (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, verb TEXT NOT NULL, version TEXT NOT NULL,
        undoes INTEGER, previous TEXT NOT NULL, hash TEXT NOT NULL, before TEXT NOT NULL,
        after TEXT NOT NULL) STRICT""",
    _word_ddl("text"),
)


def m0001_first_tables(db: apsw.Connection) -> None:
    """Make the tables of a new case."""
    for statement in _VERSION_1:
        db.execute(statement)


_RATING = """CREATE TABLE rating (
        evidence TEXT NOT NULL REFERENCES evidence(id), hypothesis TEXT NOT NULL REFERENCES hypothesis(id),
        rating TEXT NOT NULL, "by" TEXT NOT NULL, at TEXT NOT NULL, note TEXT NOT NULL, confidence TEXT NOT NULL,
        PRIMARY KEY (evidence, hypothesis, "by")) STRICT"""


def _new_texts(table: str, *columns: str, default: str = "") -> Iterator[str]:
    for column in columns:
        yield f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT '{default}'"


_VERSION_2 = (
    "ALTER TABLE document ADD COLUMN superseded_by TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE hypothesis ADD COLUMN kind TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE hypothesis ADD COLUMN prior REAL",
    "ALTER TABLE evidence ADD COLUMN kind TEXT NOT NULL DEFAULT 'observation'",
    *_new_texts("evidence", "date", "reliability", "information", "upstream", "note"),
    "ALTER TABLE evidence ADD COLUMN absence TEXT",
    """CREATE TABLE likelihood (
        hypothesis TEXT NOT NULL REFERENCES hypothesis(id), "by" TEXT NOT NULL, value REAL NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (hypothesis, "by")) STRICT""",
    """CREATE TABLE consideration (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL, hypothesis TEXT NOT NULL, query TEXT NOT NULL,
        seen INTEGER NOT NULL, status TEXT NOT NULL, "by" TEXT NOT NULL, at TEXT NOT NULL) STRICT""",
    "CREATE TABLE setting (id TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
)


def m0002_several_analysts(db: apsw.Connection) -> None:
    """Keep a rating for each person and cell, grades and dates of evidence, considerations, likelihoods."""
    for statement in _VERSION_2:
        db.execute(statement)
    ratings = db.execute('SELECT evidence, hypothesis, rating, "by", at FROM rating').fetchall()
    db.execute("DROP TABLE rating")
    db.execute(_RATING)
    db.executemany("INSERT INTO rating VALUES (?, ?, ?, ?, ?, '', '')", ratings)


# What an OCR engine read on a page, as it read it: confidences as float32 a word, alternatives as JSON.
_READING = """CREATE TABLE reading (
        page INTEGER NOT NULL REFERENCES page(id), engine TEXT NOT NULL, text TEXT NOT NULL, words BLOB NOT NULL,
        confidences BLOB NOT NULL, alternatives TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (page, engine)) STRICT"""


def m0003_readings(db: apsw.Connection) -> None:
    """Keep what is read in the pictures of pages."""
    db.execute(_READING)


# What people say of words that OCR read. The text of a page is its reading with these in it.
_OCR_WORD = """CREATE TABLE ocr_word (
        page INTEGER NOT NULL REFERENCES page(id), word INTEGER NOT NULL, action TEXT NOT NULL, text TEXT NOT NULL,
        "by" TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (page, word)) STRICT"""


def m0004_corrections(db: apsw.Connection) -> None:
    """Keep the words that people checked or corrected."""
    db.execute(_OCR_WORD)


# Signatures of documents, and which earlier one each is like; both can be made again from the pages.
_LIKENESS = (
    "CREATE TABLE sketch (document TEXT PRIMARY KEY REFERENCES document(id), data BLOB NOT NULL) STRICT",
    """CREATE TABLE likeness (
        document TEXT PRIMARY KEY REFERENCES document(id), of TEXT NOT NULL REFERENCES document(id),
        measure TEXT NOT NULL, score REAL NOT NULL) STRICT""",
)


def m0005_likeness(db: apsw.Connection) -> None:
    """Keep which documents are nearly the same."""
    for statement in _LIKENESS:
        db.execute(statement)


_VERSION_6 = (
    *_new_texts("document", "language", "parent", "reason", "remedy"),
    "ALTER TABLE document ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'",
    *_new_texts("document", "origin", "reliability", "information", "dated", "note"),
    # The further stretches of a quote over a page break, as JSON.
    "ALTER TABLE evidence ADD COLUMN more TEXT NOT NULL DEFAULT '[]'",
    """CREATE TABLE section (
        page INTEGER NOT NULL REFERENCES page(id), start INTEGER NOT NULL, level INTEGER NOT NULL,
        title TEXT NOT NULL) STRICT""",
    "CREATE INDEX section_page ON section (page)",
    # Neither is part of the log: the one is a secret, the other says where things lie on one computer.
    "CREATE TABLE password (document TEXT PRIMARY KEY REFERENCES document(id), password TEXT NOT NULL) STRICT",
    """CREATE TABLE found_at (
        path TEXT PRIMARY KEY, document TEXT NOT NULL REFERENCES document(id), size INTEGER NOT NULL,
        modified INTEGER NOT NULL) STRICT""",
    # What became of every file of every import.
    """CREATE TABLE imported (
        id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, at TEXT NOT NULL, name TEXT NOT NULL,
        parent TEXT NOT NULL, status TEXT NOT NULL, document TEXT, of TEXT, measure TEXT NOT NULL, score REAL,
        reason TEXT NOT NULL, remedy TEXT NOT NULL) STRICT""",
    """CREATE TABLE entity (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, aliases TEXT NOT NULL, status TEXT NOT NULL,
        note TEXT NOT NULL, "by" TEXT NOT NULL, at TEXT NOT NULL) STRICT""",
    """CREATE TABLE plan_query (
        id TEXT PRIMARY KEY, hypothesis TEXT NOT NULL REFERENCES hypothesis(id), role TEXT NOT NULL,
        text TEXT NOT NULL, origin TEXT NOT NULL, "by" TEXT NOT NULL, at TEXT NOT NULL) STRICT""",
    """CREATE TABLE searched (
        id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, hypothesis TEXT NOT NULL,
        role TEXT NOT NULL, query TEXT NOT NULL, passages INTEGER NOT NULL, fresh INTEGER NOT NULL,
        supports INTEGER NOT NULL, contradicts INTEGER NOT NULL) STRICT""",
    """CREATE TABLE relevance (
        hypothesis TEXT NOT NULL REFERENCES hypothesis(id), chunk INTEGER NOT NULL REFERENCES chunk(id),
        relevant INTEGER NOT NULL, "by" TEXT NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (hypothesis, chunk, "by")) STRICT""",
    f"DROP TABLE IF EXISTS {WORD_TABLE}",
    _word_ddl("text, context"),
)


def m0006_library(db: apsw.Connection) -> None:
    """Keep what is known of documents beside their text, searches for hypotheses, the words around a passage."""
    for statement in _VERSION_6:
        db.execute(statement)


# What other models than that of the proposal's own verdict said of its passage.
_OTHER_VERDICT = """CREATE TABLE other_verdict (
        proposal TEXT NOT NULL REFERENCES proposal(id), model TEXT NOT NULL, role TEXT NOT NULL, label TEXT NOT NULL,
        supports REAL NOT NULL, contradicts REAL NOT NULL, neutral REAL NOT NULL, explanation TEXT NOT NULL,
        at TEXT NOT NULL, PRIMARY KEY (proposal, model)) STRICT"""


def m0007_other_verdicts(db: apsw.Connection) -> None:
    """Keep the verdicts of several models on one passage."""
    db.execute(_OTHER_VERDICT)


# A chain of hashes over what the machine keeps: see core.store.record_chain. What is in a case by then is bound to
# its log when it is opened, with the time.
_RECORD = """CREATE TABLE record (
        seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, digests TEXT NOT NULL, previous TEXT NOT NULL,
        hash TEXT NOT NULL) STRICT"""


def m0008_anchors(db: apsw.Connection) -> None:
    """Bind pages and the machine's records to the log."""
    db.execute(_RECORD)


def m0009_each_vector_once(db: apsw.Connection) -> None:
    """Drop the second copy of the vectors: the rows of ``vector`` are what is searched."""
    drop_virtual(db, OLD_VECTOR_TABLE)


# Results that the program worked out and a case keeps, and what people decided on them or on items within them.
_RESULT = """CREATE TABLE {name} (
        id TEXT PRIMARY KEY, subject TEXT NOT NULL, value TEXT NOT NULL, digest TEXT NOT NULL, "by" TEXT NOT NULL,
        at TEXT NOT NULL) STRICT"""
_RESOLUTION = """CREATE TABLE resolution (
        result TEXT NOT NULL, item TEXT NOT NULL, status TEXT NOT NULL, note TEXT NOT NULL, "by" TEXT NOT NULL,
        at TEXT NOT NULL, PRIMARY KEY (result, item)) STRICT"""


def m0010_results(db: apsw.Connection) -> None:
    """Keep answers, conflicts and audits."""
    for name in ("answer", "conflict", "audit"):
        db.execute(_RESULT.format(name=name))
    db.execute(_RESOLUTION)


_VERSION_11 = (
    *_new_texts("document", "publisher", "place", "own_title", "own_author", "own_place"),
    *_new_texts("document", "attributions", default="[]"),
)


def m0011_descriptions(db: apsw.Connection) -> None:
    """Keep who published a document and where, what the analyst calls it, and where each of it was read."""
    for statement in _VERSION_11:
        db.execute(statement)


def m0012_folders(db: apsw.Connection) -> None:
    """Keep in which of the folders that were added a document stood."""
    db.execute("ALTER TABLE document ADD COLUMN folder TEXT NOT NULL DEFAULT ''")


_VERSION_13 = (
    *_new_texts("page", "struck", "tables", default="[]"),
    *_new_texts("document", "left_out", default="[]"),
    *_new_texts("document", "file_date"),
)


def m0013_left_out(db: apsw.Connection) -> None:
    """Keep what of a file no page holds, what is struck through on a page, and the tables on it."""
    for statement in _VERSION_13:
        db.execute(statement)


_VERSION_14 = (
    # The imports that were asked for. Paths are in a case only as long as their files are still to be read.
    "CREATE TABLE import_run (run INTEGER PRIMARY KEY, at TEXT NOT NULL, asked INTEGER NOT NULL) STRICT",
    """CREATE TABLE import_file (
        id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES import_run(run),
        path BLOB NOT NULL UNIQUE, root BLOB NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL) STRICT""",
    # Pages, as JSON, whose text lies over a picture that it was not compared with yet.
    """CREATE TABLE layer_check (
        document TEXT PRIMARY KEY REFERENCES document(id), pages TEXT NOT NULL) STRICT""",
)


def m0014_imports_asked_for(db: apsw.Connection) -> None:
    """Keep what an import was asked to read, until it is read."""
    for statement in _VERSION_14:
        db.execute(statement)


def m0015_folded_words(db: apsw.Connection) -> None:
    """Make the word index again, empty: what opens a case fills it in the same step."""
    drop_virtual(db, WORD_TABLE)
    create_words(db)


def m0016_headings_of_columns(db: apsw.Connection) -> None:
    """Make the word index again, which has the headings of columns beside the values of a table that lacks them."""
    m0015_folded_words(db)


# Append only. The number of a migration is the user_version of a file on which it ran.
MIGRATIONS: list[Callable[[apsw.Connection], None]] = [
    m0001_first_tables,
    m0002_several_analysts,
    m0003_readings,
    m0004_corrections,
    m0005_likeness,
    m0006_library,
    m0007_other_verdicts,
    m0008_anchors,
    m0009_each_vector_once,
    m0010_results,
    m0011_descriptions,
    m0012_folders,
    m0013_left_out,
    m0014_imports_asked_for,
    m0015_folded_words,
    m0016_headings_of_columns,
]
_MAKES_WORDS = (m0015_folded_words, m0016_headings_of_columns)


def newest() -> int:
    """Return the number of the format that this program writes."""
    return len(MIGRATIONS)


def user_version(db: apsw.Connection) -> int:
    """Return the number of the format of a file."""
    return int(db.execute("PRAGMA user_version").get)


def migrate(db: apsw.Connection, index: Callable[[apsw.Connection], None] | None = None) -> None:
    """Bring the file to the newest format, in one transaction: what stops it leaves the format that the file had.

    ``index`` fills the word index in it, if a step made that again.
    """
    migrations = MIGRATIONS[user_version(db) :]
    if not migrations:
        return
    with db:
        for migration in migrations:
            migration(db)
        if index is not None and not set(_MAKES_WORDS).isdisjoint(migrations):
            index(db)
        db.execute(f"PRAGMA user_version = {newest()}")


def create_words(db: apsw.Connection) -> None:
    """Make the empty table of the word index."""
    db.execute(_WORD_DDL)


def drop_virtual(db: apsw.Connection, table: str) -> None:
    """Take a search table out with its shadow tables, even when its own module no longer can."""
    try:
        with db:  # a savepoint
            db.execute(f"DROP TABLE IF EXISTS {table}")
    except apsw.Error:
        _drop_by_force(db, table)
    rows = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?", (f"{table}_*",))
    for name in [row[0] for row in rows.fetchall()]:
        db.execute(f'DROP TABLE "{name}"')


def _drop_by_force(db: apsw.Connection, table: str) -> None:
    """Take out only the entry of a virtual table whose module cannot open it any more."""
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    try:
        db.execute("PRAGMA writable_schema = ON").fetchall()
        db.execute("DELETE FROM sqlite_schema WHERE name = ?", (table,))
        db.execute("PRAGMA writable_schema = RESET").fetchall()
    finally:
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)


Definition = tuple[str, str, str | None]  # type, name, sql of one row of sqlite_schema


def _definitions(db: apsw.Connection) -> dict[str, Definition]:
    rows = db.execute("SELECT type, name, sql FROM sqlite_schema")
    return {name: (kind, name, sql) for kind, name, sql in rows}


@cache
def _expected(version: int) -> dict[str, Definition]:
    """Read off a fresh file in memory what one of format ``version`` holds."""
    db = apsw.Connection(":memory:")
    try:
        for migration in MIGRATIONS[:version]:
            migration(db)
        return _definitions(db)
    finally:
        db.close()


# The tables that FTS5 and vec0 keep beside their own, by their endings.
_BESIDE_WORDS = ("", "_data", "_idx", "_content", "_docsize", "_config")
_BESIDE_VECTORS = re.compile(r"(_info|_chunks|_rowids|_vector_chunks\d\d)?(_\d+)?")
_OLD_VECTOR_DDL = re.compile(
    re.escape(f"CREATE VIRTUAL TABLE {OLD_VECTOR_TABLE} USING vec0(embedding float[0] distance_metric=cosine)").replace(
        r"\[0\]", r"\[\d{1,4}\]"
    )
)


def derived(name: str) -> bool:
    """Return whether a table can be made again from the others."""
    bare = name.removeprefix("sqlite_autoindex_")
    return (bare.startswith(WORD_TABLE) and bare.removeprefix(WORD_TABLE) in _BESIDE_WORDS) or _of_old_vectors(name)


def _of_old_vectors(name: str) -> bool:
    """Return whether a table is that of the vectors up to format 8, or one beside it."""
    bare = name.removeprefix("sqlite_autoindex_")
    return bare.startswith(OLD_VECTOR_TABLE) and bool(_BESIDE_VECTORS.fullmatch(bare.removeprefix(OLD_VECTOR_TABLE)))


def lasting(db: apsw.Connection) -> list[str]:
    """List the tables that cannot be made again."""
    rows = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'").fetchall()
    return [str(row[0]) for row in rows if not derived(str(row[0]))]


def oddity(db: apsw.Connection) -> str:
    """Return what in the file's schema is not ours; '' when nothing.

    That is an unknown or altered table, trigger, view or index, or one that is missing. A missing search table is no
    oddity: it can be made again.
    """
    definitions, version = _definitions(db), user_version(db)
    own_definitions = _expected(version)
    for name, definition in definitions.items():
        if name not in own_definitions:
            if not _of_an_index(definition, version):
                return f"it has an unknown {definition[0]} '{name[:60]}'"
        elif definition != own_definitions[name]:
            return f"its {definition[0]} '{name}' was altered"
    missing = [name for name in own_definitions if name not in definitions and not derived(name)]
    # sqlite_sequence may be gone only together with every AUTOINCREMENT table.
    return f"its table '{missing[0]}' is missing" if missing else ""


def _of_an_index(definition: Definition, version: int) -> bool:
    """Return whether a table may be in a file of format ``version`` although a new one has none of that name."""
    kind, name, sql = definition
    if name == OLD_VECTOR_TABLE:
        return version < _WITHOUT_IT and bool(_OLD_VECTOR_DDL.fullmatch(str(sql)))
    if _of_old_vectors(name):  # nothing that a module or an expression of somebody else would have a say in
        return version < _WITHOUT_IT and (sql is None or sql.startswith("CREATE TABLE "))
    # Shadow tables of a search table that is itself gone are swept away with the next rebuild.
    return derived(name) and kind in ("table", "index")
