"""The tables of a case file: what each format holds, what is derived, and what stands there without being ours."""

from __future__ import annotations

import apsw
import pytest

from core.progress import Cancelled, Progress, silent
from core.store import connection, schema
from core.store.word_index import index_pages

VEC0 = "CREATE VIRTUAL TABLE passage_vector USING vec0(embedding float[8] distance_metric=cosine)"
PARTS = {
    "passage_vector_info", "passage_vector_chunks", "passage_vector_rowids", "passage_vector_vector_chunks00",
}  # fmt: skip


def of_format(version):
    """An empty database of a format, as the program of then made it."""
    db = apsw.Connection(":memory:")
    connection.load_vec0(db)
    for migration in schema.MIGRATIONS[:version]:
        migration(db)
    db.execute(f"PRAGMA user_version = {version}").fetchall()
    return db


def tables(db):
    return {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


@pytest.mark.parametrize("version", range(1, schema.newest() + 1))
def test_no_format_is_odd_and_all_end_alike(version):
    db = of_format(version)
    assert schema.oddity(db) == ""
    if version < 9:
        db.execute(VEC0)
        assert schema.oddity(db) == ""
    schema.migrate(db)
    assert schema.user_version(db) == schema.newest()
    assert schema.oddity(db) == ""
    assert schema._definitions(db).keys() == schema._definitions(of_format(schema.newest())).keys()


def test_vectors_have_no_second_table_any_more():
    db = of_format(8)
    db.execute(VEC0)
    assert tables(db) >= PARTS
    assert all(schema.derived(name) for name in PARTS)
    table_names = tables(db) - PARTS - {"passage_vector"}
    schema.migrate(db)
    assert tables(db) == table_names | {"answer", "conflict", "audit", "resolution"} | {
        "import_run",
        "import_file",
        "layer_check",
    }


@pytest.mark.parametrize("version", [8, schema.newest()])
@pytest.mark.parametrize(("statement", "name"), [
    ("CREATE TABLE passage_vector (rowid, embedding)", "passage_vector"),
    ("CREATE VIRTUAL TABLE passage_vector USING vec0(x float[8])", "passage_vector"),
    ("CREATE VIRTUAL TABLE passage_vector_info USING fts5(x)", "passage_vector_info"),
    ("CREATE VIEW passage_vector_info AS SELECT 1", "passage_vector_info"),
    ("CREATE INDEX passage_vector_chunks ON evidence (text)", "passage_vector_chunks"),
    ("CREATE TABLE passage_words (x)", "passage_words"),
])  # fmt: skip
def test_what_is_not_ours_is_odd_under_any_name(version, statement, name):
    db = of_format(version)
    db.execute(statement)
    assert f"'{name}" in schema.oddity(db)


def test_the_second_table_is_odd_in_a_format_that_has_none():
    db = of_format(schema.newest())
    db.execute(VEC0)
    assert "unknown table 'passage_vector" in schema.oddity(db)


@pytest.mark.parametrize("damage", ["", "DROP TABLE passage_vector_rowids", "DELETE FROM passage_vector_info"])
def test_a_search_table_goes_with_all_that_stands_beside_it(damage):
    db = of_format(8)
    db.execute(VEC0)
    if damage:
        db.execute(damage)
    initial_tables = tables(db)
    with db:
        schema.drop_virtual(db, "passage_vector")
        schema.drop_virtual(db, "passage_vector")  # one that is not there is no error
    assert initial_tables - tables(db) >= PARTS & initial_tables
    assert not [name for name in tables(db) if name.startswith("passage_vector")]
    assert "passage_word" in tables(db)


def test_a_search_table_goes_where_its_module_is_missing(tmp_path):
    path = tmp_path / "a.db"
    db = apsw.Connection(str(path))
    connection.load_vec0(db)
    db.execute(VEC0)
    db.close()
    db = apsw.Connection(str(path))
    with pytest.raises(apsw.SQLError):
        db.execute("DROP TABLE passage_vector")
    with db:
        schema.drop_virtual(db, "passage_vector")
    db.close()
    db = apsw.Connection(str(path))
    assert tables(db) == {"sqlite_sequence"}
    assert db.execute("PRAGMA integrity_check").get == "ok"


def test_what_can_be_made_again_is_no_lasting_table():
    db = of_format(8)
    db.execute(VEC0)
    lasting = schema.lasting(db)
    assert {"vector", "chunk", "page", "log", "record"} <= set(lasting)
    assert not [name for name in lasting if name.startswith("passage_")]
    assert [
        name for name in ("passage_word", "passage_word_data", "vector", "passage_vectors") if schema.derived(name)
    ] == [
        "passage_word",
        "passage_word_data",
    ]


def with_passage(text):
    db = of_format(14)
    db.execute(
        "INSERT INTO document (id, name, sha256, kind, size, status, imported_at) "
        "VALUES ('D1', 'a', 'b', '', 1, '', '')"
    )
    db.execute(
        "INSERT INTO page (document, number, sha256, width, height, source, label, hidden, fingerprint, text, words) "
        "VALUES ('D1', 1, '', 0, 0, '', '', '[]', '', ?, x'')",
        (text,),
    )
    db.execute("INSERT INTO chunk (id, page, document, start, \"end\") VALUES (5, 1, 'D1', 0, ?)", (len(text),))
    db.execute("INSERT INTO passage_word (rowid, text) VALUES (5, ?)", (text,))
    return db


def passages(db, expression):
    rows = db.execute("SELECT rowid FROM passage_word WHERE passage_word MATCH ?", (expression,))
    return [row[0] for row in rows]


def test_the_word_index_of_an_older_format_is_made_anew():
    db = with_passage("Auf der Straße: 门锁完好。")
    assert (passages(db, "strasse"), passages(db, "门锁")) == ([], [])
    schema.migrate(db, lambda db: index_pages(db, silent()))
    assert (passages(db, "strasse"), passages(db, "门锁")) == ([5], [5])


def test_the_older_format_stays_where_the_index_is_not_finished():
    db = with_passage("a pump")
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        schema.migrate(db, lambda db: index_pages(db, progress))
    assert (schema.user_version(db), passages(db, "pump")) == (14, [5])
    schema.migrate(db, lambda db: index_pages(db, silent()))
    assert (schema.user_version(db), passages(db, "pump")) == (schema.newest(), [5])
