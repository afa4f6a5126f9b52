"""A case that was changed behind the program's back: every column of every table, and forgeries that fit together."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace

import apsw
import pytest

from core.__main__ import main
from core.domain import (
    LeftOut,
    NearDuplicate,
    OtherVerdict,
    PageText,
    PlanQuery,
    Reading,
    Searched,
    Section,
    Span,
    Table,
    Verdict,
    Word,
    Words,
)
from core.errors import AppError, CaseCorrupt, CaseNotProven, CaseValueWrong, NoSuchItem
from core.ports import Outline
from core.progress import silent
from core.store import CaseFile, Found, ImportedRow, PendingFile, decision_log, entry_rules, integrity, schema
from core.store.merge import merge
from core.store.record_chain import RECORDED
from tests.core.store.material import EMBEDDER, HALF, add, clock, fill, proposal, tamper

# Tables that hold nothing but an index: what is wrong in them is repaired by a rebuild, and found where it matters by a
# comparison with the texts. SQLite's own list of the highest ids is one of them.
DISPOSABLE = ("passage_word", "sqlite_")
READ = "Tbe valve was open. Nobody signed."


def build(path):
    """A case with a row in every table."""
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        fill(case)
        data = b"Plan"
        document = case.documents.begin(
            name="plan.pdf", kind="pdf", sha256=hashlib.sha256(data).hexdigest(), data=data, reader="plain reader 1"
        )
        first_page = PageText(
            1, "Plan\nSteal it.", Words.of([(0, 4, 1, 2, 3, 4)]), 100.0, 200.0, label="i",
            hidden_spans=((5, 14),), sections=(Section(1, "Plan", 0),), struck_spans=((0, 4),),
            tables=(Table(("Plan",), (((5, 10),),)),),
        )  # fmt: skip
        case.documents.put_pages(
            document, [(first_page, [Span(0, 14)]), (PageText(2, "", width=10.0, height=10.0, source="none"), [])]
        )
        left_out = [LeftOut("chart", 2, "word/charts")]
        case.documents.finish(document, Outline("pdf", 2, title="Plan"), language="en", parent="D1", left_out=left_out)
        page = case.pages.page(document, 2)
        words = Words.of([Word(start, start + 3, 1.0, 2.0, 3.0, 4.0) for start in (0, 10)])
        reading = Reading("ocr 1", READ, words, (0.5, 0.9), (("The",), ()), ("", ""))
        case.readings.put(
            page.id, PageText(2, READ, words, source="ocr", confidence=0.7), [Span(0, len(READ))], [reading]
        )
        case.corrections.decide([(page.id, 0, "corrected", "The")])
        case.descriptions.describe([document], {"tags": ["plans"], "origin": "the yard", "reliability": "B"})
        case.imports.put_password(document, "open")
        case.imports.settle(0, "", places={"ab" * 32: Found(document, 4, 1)})
        case.documents.put_sketch("D2", b"\1\2\3\4", NearDuplicate("D2", "D1", "near", 0.75))
        case.imports.put(
            [ImportedRow(0, "", "a.txt", "", "added", "D1"), ImportedRow(0, "", "b", "", "failed", None, reason="bad")]
        )
        case.imports.ask([PendingFile("/in/a.txt", "/in", 4, 1), PendingFile("/in/b.txt", "/in", 5, 2)])
        case.imports.settle(2, "/in/a.txt", [ImportedRow(0, "", "c.txt", "", "failed", None, reason="bad")])
        case.imports.put_layers(document, [1, 2])
        case.entities.add("Northern Yard", kind="organisation", aliases=["the yard"])
        case.plans.set([PlanQuery("", "H1", "statement", "operator pump")], hypotheses=["H1"])
        case.plans.note_searches([Searched("2026-03-01T09:00:00Z", "H1", "statement", "operator pump", 3, 2, 1, 1)])
        case.plans.judge_relevance("H1", case.pages.chunk_ids("D2")[0], True)
        proposals = case.proposals.put([proposal(case, "H2", case.pages.chunk_ids("D3")[0])])
        case.proposals.put_other_verdicts(
            [OtherVerdict(proposals[0].id, "second reader", Verdict("supports", HALF, "judge 3"), "so", case.db.now())]
        )
        case.considerations.add("indicator", "It opens again", hypothesis="H1", query="valve")
        case.hypotheses.state_likelihood("H1", 0.25)
        for kind in ("answer", "conflict", "audit"):
            case.results.keep(kind, [("pump", Span(1, 2))])
        case.results.resolve("conflict", "X1", "held", note="the log")
        case.settings.change(blind=True)
        case.verdicts.keep_exam("judge 1", json.dumps({"exam": "not read here"}))


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    path = tmp_path_factory.mktemp("case") / "a.disconfirm"
    build(path)
    return path


@pytest.fixture
def path(template, tmp_path):
    return shutil.copyfile(template, tmp_path / "a.disconfirm")


@pytest.fixture(scope="module")
def open_case(template, tmp_path_factory):
    """One open case for changes that are taken back."""
    with CaseFile.open(shutil.copyfile(template, tmp_path_factory.mktemp("open") / "a.disconfirm")) as case:
        case.db.execute("PRAGMA foreign_keys = OFF").fetchall()
        yield case


# The exam of the model that the cases here were made with is made up, which a check says.
MADE_UP_EXAM = "Its recorded exam result is impossible."


def found_in(case):
    """What ``verify`` says of a case, none of it remembered from before."""
    case.anchors._anchors = case.verdicts._digests = None
    case.anchors._bound = False
    case.db._totals.clear()
    return [p for p in case.verify(silent()).problems if p.what != MADE_UP_EXAM]


def columns():
    db = apsw.Connection(":memory:")
    schema.migrate(db)
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall():
        if not table.startswith(DISPOSABLE):
            for _, column, kind, *_ in db.execute(f"PRAGMA table_info({table})").fetchall():
                yield table, column, kind
    db.close()


def changed_value(value, kind):
    """Another value that a column may hold."""
    match value:
        case None:
            return {"TEXT": "x", "INTEGER": 1, "REAL": 0.5, "BLOB": b"x"}[kind]
        case int():
            return value + 1_000
        case float():
            return value + 0.125
        case str():
            return value + "x"
        case _:
            return value[:-1] + bytes([value[-1] ^ 1]) if value else b"x"


def test_every_table_has_a_row(open_case):
    with open_case.db.reading():
        tables = {table for table, *_ in columns()}
        assert [table for table in sorted(tables) if not open_case.db.rows(f'SELECT 1 FROM "{table}" LIMIT 1')] == []


@pytest.mark.parametrize(("table", "column", "kind"), list(columns()))
def test_a_change_of_any_column_is_found(open_case, table, column, kind):
    db = open_case.db.connection
    key = {"verdict": "passage"}.get(table, "rowid")
    rows = db.execute(f'SELECT {key}, "{column}" FROM "{table}" ORDER BY 1').fetchall()
    for row_key, value in dict([rows[0], rows[-1]]).items():
        # A higher counter only leaves numbers out; a lower one gives a number twice.
        new = 0 if table == "counter" and column == "last" else changed_value(value, kind)
        db.execute("SAVEPOINT before")
        try:
            db.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {key} = ?', (new, row_key))
            assert found_in(open_case), f"{table}.{column}: {value!r} became {new!r}"
        finally:
            db.execute("ROLLBACK TO before")
            db.execute("RELEASE before")


@pytest.mark.parametrize("table", sorted({table for table, *_ in columns()}))
def test_a_row_that_nobody_wrote_is_found(open_case, table):
    db = open_case.db.connection
    names = [(column, kind) for name, column, kind in columns() if name == table]
    row = db.execute(f"SELECT {', '.join(f'{chr(34)}{name}{chr(34)}' for name, _ in names)} FROM {table}").fetchone()
    db.execute("SAVEPOINT before")
    try:
        new = [changed_value(value, kind) for value, (_, kind) in zip(row, names, strict=True)]
        if table in ("record", "log", "page", "chunk", "imported", "searched", "model", "import_file"):
            new[0] = 1_000
        db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(new))})", new)
        assert found_in(open_case)
    finally:
        db.execute("ROLLBACK TO before")
        db.execute("RELEASE before")


@pytest.mark.parametrize(
    "table", ["imported", "searched", "model", "meta", "import_run", "record", "page", "chunk", "section", "reading"]
)
def test_a_row_that_is_gone_is_found(open_case, table):
    db = open_case.db.connection
    db.execute("SAVEPOINT before")
    try:
        db.execute(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
        assert found_in(open_case)
    finally:
        db.execute("ROLLBACK TO before")
        db.execute("RELEASE before")


def test_the_case_that_is_changed_is_sound(open_case):
    assert found_in(open_case) == []
    assert set(RECORDED) <= {table for table, *_ in columns()}


# --- forgeries that fit together -------------------------------------------------------------------------------------


def problems(path):
    with CaseFile.open(path) as case:
        return found_in(case)


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def forge_text(path, document="D1"):
    """A page text with its own hash changed to fit, as in the decision tables too."""
    with CaseFile.open(path) as case:
        text = case.pages.page(document, 1).text
    new = text.replace("did not touch", "did surely so")
    assert len(new) == len(text)
    tamper(
        path,
        f"UPDATE page SET text = '{new}', sha256 = '{sha(new)}' WHERE document = '{document}' AND number = 1",
    )


def test_a_forged_text_with_its_own_hash_is_found_not_read_and_not_indexed(path):
    forge_text(path)
    assert any("D1, page 1" in problem.where for problem in problems(path))
    with CaseFile.open(path) as case:
        with pytest.raises(CaseCorrupt):
            case.pages.page("D1", 1)
        with pytest.raises(CaseCorrupt):
            list(case.pages.of(None))
        with pytest.raises(CaseNotProven, match="D1, page 1"):
            case.rebuild_index()
    assert any("D1, page 1" in problem.where for problem in problems(path))


def test_a_forged_text_is_not_taken_in_anew_by_an_older_format_number(path):
    forge_text(path)
    later_tables = ("record", "answer", "conflict", "audit", "resolution", "import_file", "import_run", "layer_check")
    later_columns = ("publisher", "place", "own_title", "own_author", "own_place", "attributions", "folder")
    later_columns += ("left_out", "file_date")
    tamper(
        path,
        *(f"DROP TABLE {name}" for name in (*later_tables, "passage_word")),
        *(f"ALTER TABLE page DROP COLUMN {name}" for name in ("struck", "tables")),
        *(f"ALTER TABLE document DROP COLUMN {name}" for name in later_columns),
        "PRAGMA user_version = 7",
        "DELETE FROM counter WHERE kind = 'record'",
    )
    faults = problems(path)
    assert any("D1, page 1" in problem.where for problem in faults)
    assert any("record" in problem.what for problem in faults)


@pytest.mark.parametrize(
    "statements",
    [
        [
            f"UPDATE {table} SET document = '{new}' WHERE document = '{old}'"
            for table in ("page", "chunk")
            for old, new in (("D2", "X"), ("D3", "D2"), ("X", "D3"))
        ],
        ["UPDATE page SET number = number + 10 WHERE document = 'D2'",
         "UPDATE page SET number = 13 - number WHERE document = 'D2'"],
    ],
)  # fmt: skip
def test_pages_that_changed_places_are_found_and_not_read(path, statements):
    tamper(path, *statements)
    assert {"D2, page 1", "D2, page 2"} <= {problem.where for problem in problems(path)}
    with CaseFile.open(path) as case, pytest.raises(CaseCorrupt):
        case.pages.page("D2", 1)


def test_a_poisoned_verdict_is_found_and_not_used(path):
    key = ("ab" * 32, "cd" * 32)
    with CaseFile.open(path) as case:
        assert case.verdicts.get("judge 1", [key]) == {key: HALF}
    tamper(path, "UPDATE verdict SET supports = .99, contradicts = .005, neutral = .005")
    assert any(problem.where.startswith("verdict") for problem in problems(path))
    with CaseFile.open(path) as case:
        assert case.verdicts.get("judge 1", [key]) == {}
        case.verdicts.put("judge 1", [(*key, HALF)])
        assert case.verdicts.get("judge 1", [key]) == {key: HALF}
        assert found_in(case) == []


def test_a_poisoned_verdict_with_a_forged_record_is_not_used(path):
    key = ("ab" * 32, "cd" * 32)
    tamper(
        path,
        "UPDATE verdict SET supports = .99, contradicts = .005, neutral = .005",
        "UPDATE record SET digests = replace(digests, substr(digests, -34, 32), 'ff') WHERE kind = 'verdict'",
    )
    with CaseFile.open(path) as case:
        assert case.verdicts.get("judge 1", [key]) == {}


# --- entries that somebody appends to the log ------------------------------------------------------------------------


class Forger:
    """A case in the hands of somebody who knows its format and writes to it by himself."""

    def __init__(self, path):
        self.path = path
        self.case = CaseFile.open(path, who="ann", now=clock("2026-05-01T00:00:00+00:00"))
        self.case.db.execute("PRAGMA foreign_keys = OFF").fetchall()

    def __enter__(self):
        self.case.db.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, *_):
        self.case.db.execute("COMMIT")
        self.case.close()

    def rows(self, table, where="true"):
        return {decision_log.TABLES[table].key_of(row): row for row in self.case.records.rows(table, where)}

    def change(self, table, where, **values):
        """The rows before and after, and the change itself."""
        rows = self.rows(table, where)
        for name, value in values.items():
            self.case.db.execute(f'UPDATE {table} SET "{name}" = ? WHERE {where}', (value,))
        return {table: rows}, {table: {key: {**row, **values} for key, row in rows.items()}}

    def text(self, new):
        """Another text for the page that E1 quotes, and the same words in all that quotes it."""
        row = self.rows("evidence", "id = 'E1'")["E1"]
        page, words = row["page_id"], new[row["start"] : row["end"]]
        self.case.db.execute("UPDATE page SET text = ?, sha256 = ? WHERE id = ?", (new, sha(new), page))
        before, after = self.change("evidence", "id = 'E1'", quote=words, text=words, page_sha256=sha(new))
        rows_before, rows_after = {"proposal": {}}, {"proposal": {}}
        for key, proposal_row in self.rows("proposal", f"page_id = {page}").items():
            words = new[proposal_row["start"] : proposal_row["end"]]
            old, now = self.change("proposal", f"id = '{key}'", quote=words, page_sha256=sha(new))
            rows_before["proposal"] |= old["proposal"]
            rows_after["proposal"] |= now["proposal"]
        self.case.anchors.pending_pages.add(page)
        return {**before, **rows_before}, {**after, **rows_after}

    def append(self, verb, before, after, *, undoes=None):
        self.case.log.append(verb, before, after, undoes=undoes)


FORGED = "The dosing pump stopped at 02:14. The operator did surely so it."


def must_not_be_believed(path, tmp_path):
    """Neither by a check, nor by a rebuild, a report or a merge."""
    assert problems(path)
    with CaseFile.open(path) as case:
        now = integrity.snapshot(case)
        faults = [*integrity.chain_faults(now), *integrity.stated(case, now)]
        assert [fault for fault in faults if fault.what != MADE_UP_EXAM]
        with pytest.raises(CaseNotProven):
            case.rebuild_index()
    assert problems(path)
    with CaseFile.create(tmp_path / "other.disconfirm") as target_case, pytest.raises(CaseNotProven):
        merge(target_case, path, silent())


@pytest.mark.parametrize("verb", sorted({*entry_rules.WRITES, "touch up"}))
def test_no_entry_of_the_log_changes_the_text_of_a_page_from_its_file(path, tmp_path, verb):
    with Forger(path) as forger:
        forger.append(verb, *forger.text(FORGED))
    must_not_be_believed(path, tmp_path)


@pytest.mark.parametrize("verb", ["look", "anchor", "describe"])
def test_a_text_that_was_anchored_anew_is_not_read(path, verb):
    with Forger(path) as forger:
        forger.append(verb, *forger.text(FORGED))
    with CaseFile.open(path) as case, pytest.raises(CaseCorrupt):
        case.pages.page("D1", 1)


def test_a_text_that_is_said_to_be_corrected_comes_from_a_reading_and_its_corrections(path, tmp_path):
    with Forger(path) as forger:
        before, after = forger.text(FORGED)
        page = after["evidence"]["E1"]["page_id"]
        row = {"page": page, "word": 0, "action": "accepted", "text": "", "by": "ann", "at": "2026-05-01T00:00:00Z"}
        forger.case.db.execute("INSERT INTO ocr_word VALUES (?, ?, ?, ?, ?, ?)", tuple(row.values()))
        forger.case.pages.keep_reading(
            page, Reading("ocr 1", FORGED, Words.of([(0, 3, 1, 2, 3, 4)]), (0.5,), ((),), ("",))
        )
        forger.case.db.execute("UPDATE page SET source = 'ocr', fingerprint = 'ocr 1' WHERE id = ?", (page,))
        key = f"{page}/0"
        forger.append("check words", {**before, "ocr_word": {key: None}}, {**after, "ocr_word": {key: row}})
    must_not_be_believed(path, tmp_path)


def test_a_scan_says_what_was_read_and_corrected_in_it(path, tmp_path):
    with Forger(path) as forger:
        page = forger.case.corrections.scanned_pages()[0]
        new = page.text.replace("Nobody", "Andrew")
        assert new != page.text
        forger.case.db.execute("UPDATE page SET text = ?, sha256 = ? WHERE id = ?", (new, sha(new), page.id))
        forger.case.anchors.pending_pages.add(page.id)
        forger.append("check words", *forger.change("ocr_word", f"page = {page.id}", by="bob"))
    must_not_be_believed(path, tmp_path)


@pytest.mark.parametrize("verb", sorted(entry_rules.WRITES))
def test_a_verb_writes_its_own_tables_only(open_case, verb):
    entries = open_case.log.entries()
    for table, shape in decision_log.TABLES.items():
        row = open_case.records.stored_rows(table)[0]
        entry = replace(
            entries[-1],
            seq=entries[-1].seq + 1,
            verb=verb,
            undoes=None,
            before="{}",
            after=decision_log.canonical({table: {shape.key_of(row): row}}),
        )
        assert bool(entry_rules.Course([*entries, entry]).faults) == (table not in entry_rules.WRITES[verb])


@pytest.mark.parametrize("verb", ["look", "reject", "add name"])
def test_ratings_that_an_entry_of_another_kind_brings_are_not_believed(path, tmp_path, verb):
    with Forger(path) as forger:
        forger.append(verb, *forger.change("rating", "true", rating="C"))
    must_not_be_believed(path, tmp_path)


def test_a_quote_does_not_move_to_other_words_of_its_page_by_an_entry_that_never_moves_any(path, tmp_path):
    with Forger(path) as forger:
        text = forger.case.pages.page("D1", 1).text
        change = forger.change("evidence", "id = 'E1'", start=34, end=len(text), quote=text[34:])
        forger.append("describe", *change)
    must_not_be_believed(path, tmp_path)


def test_only_what_can_be_undone_is_undone(path, tmp_path):
    with Forger(path) as forger:
        last = next(entry.seq for entry in forger.case.log.entries() if entry.verb == "look" or entry.verb == "propose")
        forger.append("propose", *forger.change("proposal", "true", explanation="x"), undoes=last)
    must_not_be_believed(path, tmp_path)


# --- a page that is shown or quoted by itself ------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["read scan", "read scan again", "check words", "merge"])
def test_a_page_whose_text_an_appended_entry_changed_is_neither_shown_nor_quoted(path, capsys, verb):
    with Forger(path) as forger:
        forger.append(verb, *forger.text(FORGED))
    assert main(["page", str(path), "D1", "1"]) == 3
    assert "Its text was changed" in capsys.readouterr().err
    assert main(["quote", str(path), "The operator did surely so it"]) == 3
    out, err = capsys.readouterr()
    assert ("D1" in out, "Its text was changed" in err) == (False, True)
    assert main(["page", str(path), "D2", "1"]) == 0


@pytest.mark.parametrize("document", ["D1", "D4"])
def test_marks_beside_a_text_that_an_appended_entry_changed_are_found(path, capsys, document):
    number = {"D1": 1, "D4": 2}[document]
    with Forger(path) as forger:
        page = forger.case.pages.page(document, number).id
        forger.case.db.execute("UPDATE page SET hidden = '[[0,4]]' WHERE id = ?", (page,))
        forger.case.anchors.pending_pages.add(page)
        forger.append("anchor", {}, {})
    assert (
        "in a way the program never does"
        in {problem.where: problem.what for problem in problems(path)}[f"{document}, page {number}"]
    )
    assert main(["page", str(path), document, str(number)]) == 3


def test_marks_that_the_log_does_not_know_are_found_where_the_page_is_shown(path, capsys):
    tamper(path, "UPDATE page SET hidden = '[[0,4]]' WHERE document = 'D1' AND number = 1")
    assert main(["page", str(path), "D1", "1"]) == 3
    assert "marks of hidden text" in capsys.readouterr().err
    assert main(["quote", str(path), "The operator did not touch it"]) == 3


def test_pages_that_the_program_changed_are_shown(path, capsys):
    with CaseFile.open(path, who="ann", now=clock("2026-04-01T00:00:00+00:00")) as case:
        case.corrections.decide([(case.pages.page("D4", 2).id, 1, "corrected", "gate")])
        case.readings.doubt_text(case.pages.page("D4", 1).id, 0.25)
    for number in ("1", "2"):
        assert main(["page", str(path), "D4", number]) == 0
    assert "gate" in capsys.readouterr().out
    assert main(["quote", str(path), "gate"]) == 0


# --- records that somebody appends -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "change"), [
    ("imported", "UPDATE imported SET name = 'x.txt' WHERE id = 1"),
    ("imported", "DELETE FROM imported WHERE id = 1"),
    ("searched", "UPDATE searched SET contradicts = 9"),
])  # fmt: skip
def test_what_is_written_once_is_not_recorded_anew(path, table, change):
    with Forger(path) as forger:
        forger.case.db.execute(change)
        now = {str(key): values for key, *values in forger.case.db.rows(RECORDED[table])}
        forger.case.chain.record(table, {key: now.get(key) for key in forger.case.chain.last_digests(table)})
    assert any("written once" in problem.what for problem in problems(path))


def test_a_check_says_how_much_the_log_does_not_name_yet(path):
    with CaseFile.open(path, who="ann", now=clock("2026-05-01T00:00:00+00:00")) as case:
        case.settings.set_title("Pumps")
        assert case.verify(silent()).notes == ()
        case.imports.put_password("D1", "open")
        assert any("not yet named" in note for note in case.verify(silent()).notes)
        case.settings.set_title("Pump")
        assert case.verify(silent()).notes == ()


# --- a document that was not read to its end -------------------------------------------------------------------------


def test_nothing_is_quoted_from_a_document_that_was_not_read_to_its_end_and_a_check_names_it(path):
    with CaseFile.open(path) as case:
        document = add(case, "begun.txt", ["He confessed to it."], finish=False)
        assert case.pages.page(document, 1).text == "He confessed to it."  # it is being read here
        assert not any(document in note for note in case.verify(silent()).notes)
        assert document not in {page.document for page in case.pages.of(None)}
    with CaseFile.open(path) as case:
        assert document not in {page.document for page in case.pages.of(None)}
        assert list(case.pages.of(document)) == []
        with pytest.raises(NoSuchItem):
            case.pages.page(document, 1)
        assert any(document in note for note in case.verify(silent()).notes)


def test_exchanged_vectors_are_found(path):
    with CaseFile.open(path) as case:
        left, right = case.pages.chunk_ids("D1")[:2]
        first, second = (case.vectors.get(EMBEDDER.fingerprint, chunk) for chunk in (left, right))
        case.db.execute("UPDATE vector SET data = ? WHERE chunk = ?", (second, left))
        case.db.execute("UPDATE vector SET data = ? WHERE chunk = ?", (first, right))
    assert {f"vector 1 {left}", f"vector 1 {right}"} <= {problem.where for problem in problems(path)}


@pytest.mark.parametrize("marks", ["hidden", "struck", "tables"])
def test_marks_cannot_be_taken_off_a_page(path, marks):
    tamper(path, f"UPDATE page SET {marks} = '[]' WHERE {marks} <> '[]'")
    assert [problem.where for problem in problems(path)] == ["D4, page 1"]


@pytest.mark.parametrize("marks", ["hidden", "struck", "tables"])
def test_marks_that_cannot_be_read_are_found(path, marks):
    tamper(path, f"UPDATE page SET {marks} = '[[99,100]]' WHERE {marks} <> '[]'")
    assert any("cannot be read" in problem.what for problem in problems(path))
    with CaseFile.open(path) as case, pytest.raises(CaseValueWrong, match=marks):
        case.pages.page("D4", 1)


@pytest.mark.parametrize("ledger", ["[]", '[["chart",0,""]]'])
def test_a_ledger_cannot_be_changed(path, ledger):
    tamper(path, f"UPDATE document SET left_out = '{ledger}' WHERE left_out <> '[]'")
    assert "document D4" in {problem.where for problem in problems(path)}


@pytest.mark.parametrize(
    "name", ["passage_wordlist", "passage_word_notes", "passage_vectors", "passage_vector", "passage_vector_chunks"]
)
def test_a_foreign_table_is_refused_whatever_its_name_begins_with(path, name):
    tamper(path, f"CREATE TABLE {name} (a)")
    with pytest.raises(AppError, match=name):
        CaseFile.open(path)


@pytest.mark.parametrize("last", [0, (1 << 63) - 1])
@pytest.mark.parametrize("kind", ["document", "hypothesis", "evidence", "proposal", "log", "record"])
def test_a_counter_that_would_stop_the_work_is_found(path, kind, last):
    tamper(path, f"UPDATE counter SET last = {last} WHERE kind = '{kind}'")
    assert problems(path)


def test_a_search_index_without_its_settings_is_told_and_repaired(path):
    tamper(path, "DELETE FROM passage_word_config")
    assert problems(path)
    with CaseFile.open(path) as case:
        case.rebuild_index()
        assert found_in(case) == []


def test_a_search_model_that_nobody_knows_is_told_and_a_rebuild_goes_on(path):
    tamper(path, "UPDATE model SET fingerprint = 'garbage' WHERE dimensions IS NOT NULL")
    assert problems(path)
    with CaseFile.open(path) as case:
        case.rebuild_index()
        assert {problem.where.split()[0] for problem in found_in(case)} == {"model", "vector"}


def test_a_record_that_cannot_be_read_is_told(path):
    tamper(path, "UPDATE record SET digests = '" + "[" * 90_000 + "'")
    assert any(problem.where == "records" for problem in problems(path))


@pytest.mark.parametrize("table", ["page", "reading"])
def test_boxes_of_words_that_are_none_are_told(path, table):
    tamper(path, f"UPDATE {table} SET words = CAST(words || x'00' AS BLOB)")
    assert problems(path)


def test_a_page_of_no_finite_size_is_kept_and_proven(path):
    with CaseFile.open(path) as case:
        data = b"Endless"
        document = case.documents.begin(
            name="endless.pdf", kind="pdf", sha256=hashlib.sha256(data).hexdigest(), data=data, reader="plain reader 1"
        )
        case.documents.put_pages(document, [(PageText(1, "Endless", width=float("inf"), height=1.0), [])])
        case.documents.finish(document, Outline("pdf", 1))
        assert found_in(case) == []


def test_what_the_program_itself_changes_stays_sound(path):
    with CaseFile.open(path, who="ann", now=clock("2026-04-01T00:00:00+00:00")) as case:
        page = case.corrections.scanned_pages()[0]
        case.corrections.decide([(page.id, 0, "illegible", "")])
        case.undo.undo()
        case.undo.undo()
        case.undo.redo()
        case.readings.doubt_text(case.pages.page("D4", 1).id, 0.25)
        case.removal.remove(["D3"], with_evidence=True)
        case.undo.undo()
        case.verdicts.keep_exam("judge 9", "{}")
        case.documents.put_sketch("D2", b"\1\2\3\5")
        case.rebuild_index()
        assert found_in(case) == []
    assert problems(path) == []


def test_a_check_compares_the_log_with_the_hash_of_an_earlier_report(path, capsys):
    with CaseFile.open(path) as case:
        head = case.log.entries()[3].hash
    assert main(["verify", str(path), "--head", "ab" * 32]) != 0
    assert "no entry with the given hash" in "".join(capsys.readouterr())
    main(["verify", str(path), "--head", head])
    assert "no entry with the given hash" not in "".join(capsys.readouterr())
