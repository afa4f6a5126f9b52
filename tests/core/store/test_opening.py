"""Opening: what is not ours is refused with a reason, and a file is never harmed by looking at it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import numpy
import pytest

from core.domain import OtherVerdict, Verdict
from core.errors import (
    AppError,
    CannotWrite,
    CaseClosed,
    CaseCorrupt,
    CaseExists,
    CaseFromNewerVersion,
    CaseInUse,
    CaseIsFolder,
    CaseNotFound,
    CaseReadOnly,
    CaseUnreadable,
    DiskFull,
    NoRoom,
)
from core.language import fold
from core.progress import Cancelled, Progress, silent
from core.store import CaseFile, connection, opening, schema
from core.store.log import DecisionLog
from tests.core.store.damage import recover_from
from tests.core.store.material import EMBEDDER, HALF, TEXTS, add, clock, decisions, embed, fill, tamper
from tests.old_cases.make_version_8 import Former
from tests.small_disk import mounted, needs_mount

OLD_CASES = Path(__file__).parents[2] / "old_cases"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.disconfirm"


@pytest.fixture
def closed_case(path):
    """A filled case that nobody has open."""
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        fill(case)
    return path


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "a.disconfirm"
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        fill(case)
    return path.read_bytes()


def state(path):
    """Everything about a file and its folder that looking must not change."""
    info = path.stat()
    return (
        hashlib.sha256(path.read_bytes()).hexdigest(),
        info.st_mtime_ns,
        info.st_size,
        sorted(file.name for file in path.parent.iterdir()),
    )


# --- create, close ---------------------------------------------------------------------------------------------------


def test_a_closed_case_is_one_file(closed_case):
    assert list(closed_case.parent.iterdir()) == [closed_case]
    assert closed_case.read_bytes()[18:20] == b"\1\1"  # no WAL


def test_creating_never_overwrites(closed_case, tmp_path):
    original_state = state(closed_case)
    with pytest.raises(CaseExists):
        CaseFile.create(closed_case)
    assert state(closed_case) == original_state
    with pytest.raises(CannotWrite):
        CaseFile.create(tmp_path / "no folder" / "a.disconfirm")


def test_a_closed_case_says_so(path):
    case = CaseFile.create(path)
    case.close()
    case.close()
    with pytest.raises(CaseClosed):
        case.documents.all()
    with pytest.raises(CaseClosed):
        case.hypotheses.add("late")


# --- what is not a case ----------------------------------------------------------------------------------------------


def test_what_is_not_a_case_is_left_as_it_was(tmp_path):
    with pytest.raises(CaseNotFound):
        CaseFile.open(tmp_path / "none.disconfirm")
    database = tmp_path / "other.db"
    db = apsw.Connection(str(database))
    db.execute("CREATE TABLE t (x)")
    db.close()
    files = {"empty": b"", "short": b"SQLite format 3\0", "text": b"Dear Sir or Madam, " * 400, "other.db": None}
    for name, data in files.items():
        file = tmp_path / name
        if data is not None:
            file.write_bytes(data)
        original_state = state(file)
        with pytest.raises(CaseUnreadable) as error:
            CaseFile.open(file)
        assert str(file) in error.value.sentence
        assert state(file) == original_state


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_of_a_folder_it_says_that_it_is_one_and_nothing_of_backups(tmp_path):
    (tmp_path / "pump.disconfirm").mkdir()
    (tmp_path / "pump backups").mkdir()
    (tmp_path / "pump backups" / "pump 2026-03-02 090000.disconfirm").write_bytes(b"no case")
    for folder in (tmp_path, tmp_path / "pump.disconfirm"):
        with pytest.raises(CaseIsFolder) as error:
            CaseFile.open(folder)
        assert error.value.sentence.startswith(f"{folder} is a folder")
        assert error.value.hint == CaseIsFolder.hint


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CaseUnreadable):
        CaseFile.open(tmp_path / "pipe")


def test_a_newer_case_is_refused_with_nothing_written(closed_case):
    data = bytearray(closed_case.read_bytes())
    data[60:64] = struct.pack(">i", schema.newest() + 1)
    closed_case.write_bytes(data)
    original_state = state(closed_case)
    with pytest.raises(CaseFromNewerVersion) as error:
        CaseFile.open(closed_case)
    assert f"format {schema.newest() + 1}" in error.value.sentence
    assert state(closed_case) == original_state


def test_a_truncated_case_is_refused(closed_case):
    data = closed_case.read_bytes()
    for size in (len(data) - 1, len(data) // 2, 4096, 200, 100, 99, 16, 1):
        closed_case.write_bytes(data[:size])
        original_state = state(closed_case)
        with pytest.raises((CaseCorrupt, CaseUnreadable)):
            CaseFile.open(closed_case)
        assert state(closed_case) == original_state


VEC0 = "vec0(embedding float[{}] distance_metric=cosine)"
HOSTILE = {
    "trigger": "CREATE TRIGGER t AFTER INSERT ON hypothesis BEGIN DELETE FROM evidence; END",
    "temp-like view": "CREATE VIEW v AS SELECT * FROM evidence",
    "table": "CREATE TABLE extra (x)",
    "index": "CREATE INDEX extra ON page (text)",
    "partial index": "CREATE INDEX extra ON page (text) WHERE abs(id) > 0",
    "column": "ALTER TABLE hypothesis ADD COLUMN extra TEXT",
    "generated column": "ALTER TABLE hypothesis ADD COLUMN extra TEXT GENERATED ALWAYS AS (upper(text)) VIRTUAL",
    "virtual table": "CREATE VIRTUAL TABLE extra USING fts5(x)",
    "another vec0": "CREATE VIRTUAL TABLE extra USING vec0(x float[3])",
    "renamed": "ALTER TABLE rating RENAME TO ratings",
    "dropped": "DROP TABLE suggestion",
    "dropped index": "DROP INDEX chunk_page",
    "word table of another kind": "DROP TABLE passage_word; CREATE VIEW passage_word AS SELECT 1 AS rowid, 2 AS text",
    "vector table of an older format": f"CREATE VIRTUAL TABLE passage_vector USING {VEC0.format(64)}",
    "a part of it": "CREATE TABLE passage_vector_info (key text primary key, value any)",
}


@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_schema_that_is_not_ours_is_refused(closed_case, sql):
    db = apsw.Connection(str(closed_case))
    connection.load_vec0(db)
    for statement in sql.split("; C"):
        db.execute(statement if statement.startswith(("C", "A", "D")) else f"C{statement}").fetchall()
    db.close()
    digest = hashlib.sha256(closed_case.read_bytes()).hexdigest()
    with pytest.raises(CaseCorrupt) as error:
        CaseFile.open(closed_case)
    assert error.value.hint
    assert hashlib.sha256(closed_case.read_bytes()).hexdigest() == digest


def test_rewritten_definitions_are_refused(closed_case):
    tamper(
        closed_case,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = replace(sql, 'note TEXT', 'note BLOB') WHERE name = 'hypothesis'",
    )
    with pytest.raises(CaseCorrupt):
        CaseFile.open(closed_case)


# --- two at once -----------------------------------------------------------------------------------------------------


def test_the_same_case_twice_in_one_process(closed_case):
    with CaseFile.open(closed_case) as case:
        with pytest.raises(CaseInUse):
            CaseFile.open(closed_case)
        link = closed_case.with_name("link.disconfirm")
        os.link(closed_case, link)
        with pytest.raises(CaseInUse):
            CaseFile.open(link)
        # Refusing it did not cost us the lock.
        assert _other_process_opens(closed_case) == "CaseInUse"
        case.hypotheses.add("still ours")


def _other_process_opens(path):
    code = (
        "import sys, pathlib\nfrom core.store import CaseFile\n"
        "try:\n    CaseFile.open(pathlib.Path(sys.argv[1])).close(); print('opened')\n"
        "except Exception as e: print(type(e).__name__, str(e), file=sys.stderr); print(type(e).__name__)"
    )
    out = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=30)
    return out.stdout.strip()


def test_a_second_process_is_told_who_has_it_and_a_kill_frees_it(closed_case):
    command = [sys.executable, "-m", "tests.core.store.worker", "hold", str(closed_case)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout.readline() == "ready\n"
        note = json.loads(closed_case.with_name(closed_case.name + ".lock").read_text("utf-8"))
        assert note["pid"] == worker.pid
        original_state = state(closed_case)
        with pytest.raises(CaseInUse) as error:
            CaseFile.open(closed_case)
        assert f"process {worker.pid}" in error.value.sentence
        assert "worker" in error.value.sentence
        assert state(closed_case) == original_state
        worker.kill()
    with CaseFile.open(closed_case) as case:  # the note is still there and stops nobody
        assert case.verify(silent()).ok
    assert list(closed_case.parent.iterdir()) == [closed_case]


@pytest.mark.parametrize("note", [b"", b"[]", b"\xff\xfe", b'{"pid": "x"}', b"{" * 9999])
def test_a_garbled_note_stops_nobody(closed_case, note):
    closed_case.with_name(closed_case.name + ".lock").write_bytes(note)
    CaseFile.open(closed_case).close()
    with CaseFile.open(closed_case):
        closed_case.with_name(closed_case.name + ".lock").write_bytes(note)
        assert _other_process_opens(closed_case) == "CaseInUse"


# --- where nothing can be written ------------------------------------------------------------------------------------


@pytest.fixture
def unwritable(monkeypatch):
    """Root may write anywhere, so the question is answered for it."""
    monkeypatch.setattr(connection, "_writable", lambda _path: False)


def test_a_read_only_case_can_be_read_and_searched(closed_case, unwritable):
    original_state = state(closed_case)
    with CaseFile.open(closed_case) as case:
        assert case.read_only
        assert len(case.documents.all()) == 3
        assert case.words.matching("pump")
        assert case.vectors.nearest(EMBEDDER.fingerprint, EMBEDDER.embed(["pump"])[0], 3)
        assert case.verify(silent()).ok
        for write in (
            lambda: case.hypotheses.add("x"),
            lambda: case.ratings.rate("E1", "H1", "C"),
            lambda: case.undo.undo(),
            lambda: case.rebuild_index(),
            lambda: add(case, "x", ["y"]),
        ):
            with pytest.raises(CaseReadOnly):
                write()
        folder = case.db.handle.copy.path
        assert folder.is_dir()
    assert not folder.exists()
    assert state(closed_case) == original_state


def test_viewing_loses_nothing_that_only_the_journal_holds(closed_case, unwritable, monkeypatch):
    command = [sys.executable, "-m", "tests.core.store.worker", "rate", str(closed_case)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        for _ in range(4):
            answer = worker.stdout.readline()
        worker.kill()
        answer = ([answer, *worker.stdout.read().splitlines(keepends=True)])[-1] or answer
    assert closed_case.with_name(closed_case.name + "-wal").stat().st_size > 0
    original_state = state(closed_case)
    with CaseFile.open(closed_case) as case:
        entries = len(case.log.entries())
    assert entries >= 14 + 2  # the first rating was the one that stood there
    assert state(closed_case) == original_state
    monkeypatch.undo()
    with CaseFile.open(closed_case) as case:
        assert len(case.log.entries()) == entries


def test_a_read_only_case_in_use_is_not_copied(closed_case, unwritable):
    note = {"pid": os.getppid(), "host": __import__("platform").node(), "who": "bob", "since": "now"}
    closed_case.with_name(closed_case.name + ".lock").write_text(json.dumps(note), "utf-8")
    with pytest.raises(CaseInUse) as error:
        CaseFile.open(closed_case)
    assert "bob" in error.value.sentence


@needs_mount
def test_a_read_only_medium(closed_case, tmp_path):
    with mounted(tmp_path / "medium", "8m") as medium:
        case_path = medium / "a.disconfirm"
        shutil.copyfile(closed_case, case_path)
        subprocess.run(["mount", "-o", "remount,ro", str(medium)], check=True)
        original_state = state(case_path)
        with CaseFile.open(case_path) as case:
            assert case.read_only
            assert case.evidence.all()
            with pytest.raises(CaseReadOnly):
                case.settings.set_title("x")
        assert state(case_path) == original_state
        with pytest.raises(CannotWrite):
            CaseFile.create(medium / "new.disconfirm")


@needs_mount
def test_a_case_on_a_full_disk_says_that_and_opens_when_there_is_room(closed_case, tmp_path):
    with mounted(tmp_path / "small", "8m") as small:
        path = small / "a.disconfirm"
        shutil.copyfile(closed_case, path)
        with contextlib.suppress(OSError), (small / "rest").open("wb", buffering=0) as rest:
            while rest.write(bytes(4096)):
                pass
        content = path.read_bytes()
        with pytest.raises(NoRoom) as error:
            CaseFile.open(path)
        assert "is full" in error.value.sentence
        assert path.read_bytes() == content
        (small / "rest").unlink()
        with CaseFile.open(path) as case:
            assert case.evidence.all()


@needs_mount
def test_a_full_disk_loses_nothing_and_the_case_stays_usable(tmp_path):
    with mounted(tmp_path / "small", "2m") as small:
        path = small / "a.disconfirm"
        with CaseFile.create(path, now=clock()) as case:
            answer = []
            with pytest.raises(DiskFull) as error:
                answer.extend(case.hypotheses.add(f"{number} " + "word " * 800).id for number in range(10_000))
            assert "stays open" in error.value.hint
            assert len(answer) > 20
            assert [h.id for h in case.hypotheses.all()] == answer
            with pytest.raises(DiskFull):
                add(case, "big.txt", ["x" * 3_000_000])
            assert case.documents.all() == []
            subprocess.run(["mount", "-o", "remount,size=12m", str(small)], check=True)
            answer.append(case.hypotheses.add("there is room again").id)
            add(case, "a.txt", [TEXTS[0]])
            assert case.verify(silent()).ok
        with CaseFile.open(path) as case:
            assert [h.id for h in case.hypotheses.all()] == answer


# --- older formats ---------------------------------------------------------------------------------------------------


def test_the_kept_case_of_format_1_opens(tmp_path):
    path = tmp_path / "old.disconfirm"
    shutil.copyfile(OLD_CASES / "version_1.disconfirm", path)
    with CaseFile.open(path, now=clock()) as case:
        assert case.settings.title() == "Kept case of format 1"
        assert case.pages.page("D3", 1).text == TEXTS[2]
        assert [a.rating for a in case.ratings.assessments()] == ["CC", "II"]
        assert case.vectors.nearest(EMBEDDER.fingerprint, EMBEDDER.embed(["pump"])[0], 3)
        assert case.words.matching("pump")
        assert case.verify(silent()).problems == ()
        case.undo.redo()
        add(case, "new.txt", ["A new text."])
        assert case.verify(silent()).ok


def test_the_kept_case_of_format_5_opens(tmp_path):
    path = tmp_path / "old.disconfirm"
    shutil.copyfile(OLD_CASES / "version_5.disconfirm", path)
    with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
        assert case.settings.title() == "Kept case of format 5"
        assert {(a.evidence, a.hypothesis, a.rating, a.note) for a in case.ratings.assessments() if a.by == "ben"} == {
            ("E1", "H1", "N", "why")
        }
        row = case.evidence.all()[0]
        assert (row.reliability, row.information, row.date, row.upstream) == ("B", "3", "2026-02", "memo")
        assert case.evidence.all()[-1].absence.queries == ("vendor login",)
        assert [(h.kind, h.prior) for h in case.hypotheses.all()] == [("null", 0.25), ("", 0.75)]
        assert (case.settings.get().blind, case.settings.get().grade_weights["A"]) == (True, 2.0)
        assert [c.query for c in case.considerations.all("indicator")] == ["valve"]
        assert [x.value for x in case.hypotheses.likelihoods()] == [0.3]
        (page,) = case.corrections.scanned_pages()
        assert page.text == "The valve was open. Nobody signed."
        assert case.pages.readings(page.id)[0].text.startswith("The valvc")
        assert [likeness.of for likeness in case.documents.likenesses().values()] == ["D1"]
        assert case.verify(silent()).problems == ()
        while case.undo.undo():
            pass
        assert case.pages.page(page.document, page.number).text.startswith("The valvc")
        while case.undo.redo():
            pass
        assert case.verify(silent()).problems == ()


def test_the_kept_case_of_format_6_opens(tmp_path):
    path = tmp_path / "old.disconfirm"
    shutil.copyfile(OLD_CASES / "version_6.disconfirm", path)
    with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
        assert case.settings.title() == "Kept case of format 6"
        (plan,) = (document for document in case.documents.all() if document.name == "plan.txt")
        assert (plan.tags, plan.origin, plan.reliability, plan.parent) == (("plans",), "the yard", "B", "D1")
        assert [(e.name, e.aliases) for e in case.entities.all()] == [("Northern Yard", ("the yard",))]
        assert [query.text for query in case.plans.queries("H1")] == ["operator pump"]
        assert [search.fresh for search in case.plans.searches()] == [2]
        assert [relevance.relevant for relevance in case.plans.relevances("H1")] == [True]
        settings = case.settings.get()
        assert (settings.blind, settings.strict, settings.ocr_languages) == (False, False, ("deu", "eng"))
        pending = case.proposals.all(status="pending")
        assert [(p.verdict.label, p.verdict.model, p.others) for p in pending] == [("ambiguous", "judge 2", ())]
        assert case.verify(silent()).problems == ()
        case.proposals.put_other_verdicts(
            [OtherVerdict(pending[0].id, "second reader", Verdict("supports", HALF, "judge 3"), "so", case.db.now())]
        )
        assert case.proposals.get(pending[0].id).disputed
        while case.undo.undo():
            pass
        while case.undo.redo():
            pass
        assert case.verify(silent()).problems == ()


def test_the_kept_case_of_format_7_opens_and_says_since_when_its_pages_are_proven(tmp_path):
    path = tmp_path / "old.disconfirm"
    shutil.copyfile(OLD_CASES / "version_7.disconfirm", path)
    with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
        assert case.settings.title() == "Kept case of format 7"
        assert [entry.verb for entry in case.log.entries()][-2:] == ["change settings", "anchor"]
        assert case.undo.undoable().verb == "change settings"
        result = case.verify(silent())
        assert result.problems == ()
        assert "2027-01-01" in result.notes[0]
        assert case.verdicts.get("judge 1", [("ab" * 32, "cd" * 32)])
        while case.undo.undo():
            pass
        while case.undo.redo():
            pass
        add(case, "new.txt", ["A new text."])
        entries = len(case.log.entries())
    with CaseFile.open(path, now=clock("2027-02-01T00:00:00+00:00")) as case:
        assert len(case.log.entries()) == entries  # bound once
        result = case.verify(silent())
        assert (result.problems, "2027-01-01" in result.notes[0]) == ((), True)
    tamper(path, "UPDATE page SET hidden = '[[0,4]]' WHERE id = 1", "UPDATE searched SET passages = 400")
    with CaseFile.open(path) as case:
        assert {problem.where for problem in case.verify(silent()).problems} == {"D1, page 1", "searched 1"}


def test_the_kept_case_of_format_9_opens_and_keeps_results(tmp_path):
    path = tmp_path / "old.disconfirm"
    shutil.copyfile(OLD_CASES / "version_9.disconfirm", path)
    with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
        assert case.settings.title() == "Kept case of format 9"
        assert case.results.all("answer") == []
        document = case.documents.all()[0]
        assert case.results.keep("answer", [("Who?", document)]) == ["A1"]
        assert case.results.get("answer", "A1").decode(type(document)) == document
        assert case.verify(silent()).problems == ()


def test_the_kept_case_of_format_12_opens_and_finds_raised_digits(tmp_path):
    path = tmp_path / "old.disconfirm"
    shutil.copyfile(OLD_CASES / "version_12.disconfirm", path)
    with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
        assert case.settings.title() == "Kept case of format 12"
        lake = case.documents.all()[-1]
        page = case.pages.page(lake.id, 1)
        assert (lake.left_out, lake.file_date, page.struck_spans, page.tables) == ((), "", (), ())
        assert page.hidden_why == ("tiny",)
        for words in ("2019", "CO2", "CO₂", "10⁶"):
            owners = case.pages.documents_of(case.words.matching(fold.phrase([words])))
            assert set(owners.values()) == {lake.id}, words
        assert case.words.matching('"106"') == []
        assert case.verify(silent()).problems == ()
    recovery = recover_from(path.read_bytes(), tmp_path)
    assert recovery.losses == recovery.check == ()


def test_the_kept_case_of_format_15_opens_and_finds_a_row_by_the_headings_of_its_table(tmp_path):
    path = tmp_path / "old.disconfirm"
    shutil.copyfile(OLD_CASES / "version_15.disconfirm", path)
    with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
        (row,) = case.pages.chunk_ids("D1")
        assert case.words.matching('"vehicle white van"') == [row]
        assert case.pages.chunks([row])[row].text == "time\tvehicle\tdirection\n\n07:58\twhite van\tin"
        # Only the vector of what is read otherwise now is made again.
        assert [chunk.id for chunk in case.vectors.chunks_without(EMBEDDER.fingerprint, 9)] == [row]
        embed(case)
        assert case.verify(silent()).problems == ()


@pytest.mark.parametrize("number", [1, 9, 15])
@pytest.mark.parametrize("step", [0, 1])
def test_an_older_case_whose_opening_is_cancelled_is_as_it_was(tmp_path, number, step):
    path = tmp_path / "old.disconfirm"
    path.write_bytes((OLD_CASES / f"version_{number}.disconfirm").read_bytes())
    content = path.read_bytes()
    steps = []

    def report(*values):
        steps.append(values)
        if len(steps) > step:
            progress.cancel()

    progress = Progress(report)
    with pytest.raises(Cancelled):
        CaseFile.open(path, progress=progress)
    assert len(steps) == step + 1
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]
    with CaseFile.open(path) as case:
        assert case.verify(silent()).ok


def test_a_cancelled_opening_removes_no_other_copy(tmp_path):
    path = tmp_path / "old.disconfirm"
    path.write_bytes((OLD_CASES / "version_9.disconfirm").read_bytes())
    earlier_copy = tmp_path / "old backups" / "old 2026-03-02 090000.disconfirm"
    earlier_copy.parent.mkdir()
    earlier_copy.write_bytes(b"a copy")
    progress = Progress(lambda count, total, label: total and progress.cancel())
    with pytest.raises(Cancelled):
        CaseFile.open(path, progress=progress)
    assert list(earlier_copy.parent.iterdir()) == [earlier_copy]


def test_a_long_statement_ends_when_the_person_cancels():
    db, progress = apsw.Connection(":memory:"), Progress()
    threading.Timer(0.05, progress.cancel).start()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(Cancelled), opening._stoppable(db, progress):
        db.execute(endless)


def test_an_older_case_that_can_only_be_viewed_says_that_its_pages_are_not_proven(tmp_path, monkeypatch):
    path = tmp_path / "old.disconfirm"
    shutil.copyfile(OLD_CASES / "version_7.disconfirm", path)
    monkeypatch.setattr(connection, "_writable", lambda path: False)
    with CaseFile.open(path) as case:
        assert case.read_only
        assert case.pages.page("D1", 1).text == TEXTS[0]
        result = case.verify(silent())
        assert result.problems == ()
        assert "viewing only" in result.notes[0]


WITH_VEC0 = [1, 5, 6, 7, 8]  # the kept cases whose vectors stand in a table of sqlite-vec as well


def old_case(path, number):
    return Path(shutil.copyfile(OLD_CASES / f"version_{number}.disconfirm", path))


def rows_of(path):
    """All that a file holds beside what is made from it, by table."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.load_vec0(db)
    try:
        return {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in sorted(schema.lasting(db))}
    finally:
        db.close()


def vectors_of(path):
    """By search model: its vectors by passage, without those of removed documents."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    sql = (
        "SELECT fingerprint, chunk, data FROM vector JOIN model ON model.id = model JOIN chunk ON chunk.id = chunk "
        "JOIN document ON document.id = document WHERE status <> 'removed'"
    )
    vectors = {}
    try:
        for model, chunk, data in db.execute(sql):
            vectors.setdefault(model, {})[chunk] = struct.unpack(f"<{len(data) // 4}f", data)
    finally:
        db.close()
    return vectors


@pytest.mark.parametrize("number", WITH_VEC0)
def test_an_older_case_keeps_each_vector_once_and_finds_the_same(tmp_path, number):
    path = old_case(tmp_path / "old.disconfirm", number)
    vectors, rows = vectors_of(path), rows_of(path)
    with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
        names = {name for (name,) in case.db.rows("SELECT name FROM sqlite_schema")}
        assert not [name for name in names if "passage_vector" in name]
        assert sorted(case.vectors.models()) == sorted(vectors)
        for embedder in [model for model in (EMBEDDER, Former()) if model.fingerprint in vectors]:
            for query in embedder.embed(["Nobody stopped the pump at dawn", "the valve", "second page"]):
                cosines = cosines_of(vectors[embedder.fingerprint], query)
                for room in (0, 800_000_000):
                    case.vectors.memory_for_search = room
                    hits = case.vectors.nearest(embedder.fingerprint, query, 50)
                    assert hits == sorted(hits, key=lambda hit: (-hit[1], hit[0]))
                    assert [cosine for _, cosine in hits] == pytest.approx(sorted(cosines.values(), reverse=True)[:50])
                    assert dict(hits) == pytest.approx({chunk: cosines[chunk] for chunk, _ in hits})
        assert case.verify(silent()).problems == ()
    now = rows_of(path)
    for table in rows if number == 8 else ("vector", "model", "chunk", "original", "verdict"):
        # Columns that came later stand at the end.
        assert [row[: len(old_row)] for row, old_row in zip(now[table], rows[table], strict=True)] == rows[table]
    (backup,) = (path.parent / "old backups").iterdir()
    assert f"format {number}" in backup.name
    assert rows_of(backup) == rows
    db = apsw.Connection(str(backup), flags=apsw.SQLITE_OPEN_READONLY)
    connection.load_vec0(db)
    assert db.execute("SELECT count(*) FROM passage_vector").get
    db.close()


def cosines_of(vectors, query):
    """How near each vector is, by products in float64."""
    rows = numpy.array(list(vectors.values()), dtype=float)
    vector = numpy.frombuffer(query, "<f4").astype(float)
    nearness = rows @ vector / numpy.linalg.norm(rows, axis=1) / numpy.linalg.norm(vector)
    return dict(zip(vectors, nearness.tolist(), strict=True))


def test_the_kept_case_of_format_8_gives_the_hits_it_gave(tmp_path, monkeypatch):
    path = old_case(tmp_path / "old.disconfirm", 8)
    original_state = state(path)
    for writable in (False, True):
        monkeypatch.setattr(connection, "_writable", lambda _path, writable=writable: writable)
        with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
            assert case.read_only is not writable
            assert case.vectors.models() == [EMBEDDER.fingerprint, Former.fingerprint]
            assert case.counts()["vectors"] == 68
            for embedder, hits in (
                (EMBEDDER, [52, 64, 16, 40, 31, 55, 49, 58, 19, 28, 43, 53]),
                (Former(), [52, 55, 16, 40, 64, 31, 58, 49, 19, 43, 53, 28]),
            ):
                (query,) = embedder.embed(["Nobody stopped the pump at dawn"])
                for room in (0, 800_000_000):
                    case.vectors.memory_for_search = room
                    assert [chunk for chunk, _ in case.vectors.nearest(embedder.fingerprint, query, 12)] == hits
            assert case.verify(silent()).problems == ()
        assert (state(path) == original_state) is not writable


def test_the_kept_case_of_format_8_is_undone_and_redone(tmp_path):
    with CaseFile.open(old_case(tmp_path / "old.disconfirm", 8), now=clock("2027-01-01T00:00:00+00:00")) as case:
        assert case.settings.title() == "Kept case of format 8"
        entries = len(case.log.entries())
        tables = decisions(case)
        while case.undo.undo():
            pass
        while case.undo.redo():
            pass
        assert decisions(case) == tables
        assert case.vectors.count_without(EMBEDDER.fingerprint) == 0
        assert case.verify(silent()).problems == ()
        assert case.verify(silent()).notes == ()
        assert len(case.log.entries()) > entries
        assert case.vectors.forget(Former.fingerprint, instead=EMBEDDER.fingerprint) == 72


BROKEN_VEC0 = {
    "gone": ["DROP TABLE passage_vector"],
    "vectors garbled": ["UPDATE passage_vector_vector_chunks00 SET vectors = zeroblob(8)"],
    "chunks gone": ["DELETE FROM passage_vector_chunks"],
    "a part gone": ["DROP TABLE passage_vector_rowids"],
    "only parts left": [
        "PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE name = 'passage_vector'",
        "PRAGMA writable_schema = RESET",
    ],
    "a part of another form": [
        "DROP TABLE passage_vector_info", "CREATE TABLE passage_vector_info (key, value, more DEFAULT 7)",
    ],
}  # fmt: skip


@pytest.mark.parametrize("statements", BROKEN_VEC0.values(), ids=BROKEN_VEC0.keys())
def test_an_older_case_opens_whatever_became_of_its_second_vectors(tmp_path, statements):
    path = old_case(tmp_path / "old.disconfirm", 8)
    tamper(path, *statements)
    with CaseFile.open(path, now=clock("2027-01-01T00:00:00+00:00")) as case:
        assert not case.db.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%passage_vector%'")
        (query,) = EMBEDDER.embed(["Nobody stopped the pump at dawn"])
        assert [chunk for chunk, _ in case.vectors.nearest(EMBEDDER.fingerprint, query, 3)] == [52, 64, 16]
        assert case.verify(silent()).problems == ()


PLANTED = {
    "another table of its name": ["DROP TABLE passage_vector", "CREATE TABLE passage_vector (rowid, embedding)"],
    "with other options": [
        "DROP TABLE passage_vector",
        "CREATE VIRTUAL TABLE passage_vector USING vec0(embedding float[64] distance_metric=cosine, +more text)",
    ],
    "another vec0": ["CREATE VIRTUAL TABLE extra USING vec0(x float[3])"],
    "a view": ["CREATE VIEW passage_vector_9 AS SELECT * FROM evidence"],
    "a trigger": ["CREATE TRIGGER passage_vector_1 AFTER DELETE ON passage_vector_chunks BEGIN DELETE FROM log; END"],
    "an index": ["CREATE INDEX passage_vector_2 ON evidence (text)"],
    "a module in the place of a part": [
        "DROP TABLE passage_vector", "CREATE VIRTUAL TABLE passage_vector_info USING fts5(x)",
    ],
}  # fmt: skip


@pytest.mark.parametrize("statements", PLANTED.values(), ids=PLANTED.keys())
def test_what_is_planted_beside_the_second_vectors_of_an_older_case_is_refused(tmp_path, statements):
    path = old_case(tmp_path / "old.disconfirm", 8)
    tamper(path, *statements)
    original_state = state(path)
    with pytest.raises(CaseCorrupt):
        CaseFile.open(path)
    assert state(path) == original_state


def test_a_new_case_needs_no_note(closed_case):
    with CaseFile.open(closed_case) as case:
        assert case.verify(silent()).notes == ()


@pytest.fixture
def next_format(monkeypatch):
    def m0006_colour(db):
        """Hypotheses have a colour."""
        db.execute("ALTER TABLE meta ADD COLUMN colour TEXT")
        db.execute("UPDATE meta SET colour = 'red'")

    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, m0006_colour])


def test_a_migration_backs_up_first_and_marks_the_file(closed_case, next_format):
    old = closed_case.read_bytes()
    with CaseFile.open(closed_case, now=clock()) as case:
        assert case.db.execute("SELECT DISTINCT colour FROM meta").get == "red"
        assert closed_case.read_bytes()[60:64] == struct.pack(
            ">i", schema.newest()
        )  # in the file itself, not only in the journal
        tables = decisions(case)
        assert case.verify(silent()).ok
    (backup,) = (closed_case.parent / "a backups").iterdir()
    assert f"format {schema.newest() - 1}" in backup.name
    assert backup.read_bytes()[60:64] == old[60:64]
    db = apsw.Connection(str(backup), flags=apsw.SQLITE_OPEN_READONLY)
    assert db.execute("PRAGMA integrity_check").get == "ok"
    assert db.execute("SELECT count(*) FROM log").get == len(tables["rating"]) + 13
    db.close()


def test_the_backup_opens_as_the_case_it_was(closed_case, next_format, monkeypatch):
    with CaseFile.open(closed_case, now=clock()) as case:
        tables = decisions(case)
    (backup,) = (closed_case.parent / "a backups").iterdir()
    monkeypatch.undo()
    with CaseFile.open(backup) as case:
        assert decisions(case) == tables
        assert case.verify(silent()).ok
    with pytest.raises(CaseFromNewerVersion):
        CaseFile.open(closed_case)


def test_a_migration_that_fails_leaves_the_old_format(closed_case, monkeypatch):
    def m0006_fails(db):
        db.execute("ALTER TABLE meta ADD COLUMN colour TEXT")
        raise RuntimeError("power cut")

    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, m0006_fails])
    with pytest.raises(RuntimeError):
        CaseFile.open(closed_case, now=clock())
    monkeypatch.undo()
    with CaseFile.open(closed_case) as case:
        assert case.verify(silent()).ok


def test_no_migration_without_its_backup(closed_case, next_format):
    newest = schema.newest() - 1
    (closed_case.parent / "a backups").write_text("a file where the folder should be")
    with pytest.raises(CannotWrite):
        CaseFile.open(closed_case, now=clock())
    assert closed_case.read_bytes()[60:64] == struct.pack(">i", newest)


# --- damage ----------------------------------------------------------------------------------------------------------


def mutants(data, count, seed):
    rng = random.Random(seed)
    size = 4096
    pages = len(data) // size
    for number in range(count):
        mutant = bytearray(data)
        match number % 6:
            case 0:
                mutant[rng.randrange(len(mutant))] ^= 1 << rng.randrange(8)
            case 1:
                for _ in range(20):
                    mutant[rng.randrange(len(mutant))] ^= 1 << rng.randrange(8)
            case 2:
                del mutant[rng.randrange(len(mutant)) :]
            case 3:
                start = size * rng.randrange(pages)
                mutant[start : start + size] = bytes(size)
            case 4:
                first, second = size * rng.randrange(pages), size * rng.randrange(pages)
                mutant[first : first + size], mutant[second : second + size] = (
                    mutant[second : second + size],
                    mutant[first : first + size],
                )
            case 5:
                start = rng.randrange(len(mutant) - 64)
                mutant[start : start + 64] = rng.randbytes(64)
        yield number, bytes(mutant)


def _survive(folder, data, count, seed):
    """Whatever is wrong with a file: an AppError or the truth, never a crash, never another text."""
    path = folder / "mutant.disconfirm"
    texts = [*TEXTS, *(f"Second page of {number}. It says little." for number in (1, 2, 3))]
    refusals = result = 0
    for number, mutant in mutants(data, count, seed):
        path.write_bytes(mutant)
        try:
            with CaseFile.open(path) as case:
                for page in _answers(lambda case=case: list(case.pages.of(None))):
                    assert page.text in texts, number
                for chunk in _answers(lambda case=case: list(case.pages.chunks(range(1, 13)).values())):
                    assert any(chunk.text in text for text in texts), number
                for ask in (
                    *(
                        case.documents.all,
                        case.hypotheses.all,
                        case.proposals.all,
                        case.evidence.all,
                        case.ratings.assessments,
                    ),
                    *(case.ratings.suggestions, case.log.entries, case.undo.undoable, case.counts, case.vectors.models),
                    lambda case=case: case.words.matching("pump"),
                    lambda case=case: case.vectors.nearest(EMBEDDER.fingerprint, EMBEDDER.embed(["pump"])[0], 5),
                    lambda case=case: case.documents.original("D1"),
                ):
                    _answers(ask)
                result += bool(mutant != data and _problems(case))
        except (CaseCorrupt, CaseUnreadable, CaseNotFound, CaseFromNewerVersion) as error:
            refusals += bool(error.sentence and error.hint)
            assert path.read_bytes() == mutant, f"mutant {number} was changed by looking at it"
        for left in folder.iterdir():
            left.unlink()
    return refusals, result


def _answers(ask):
    with contextlib.suppress(AppError):
        return ask() or []
    return []


def _problems(case):
    try:
        return case.verify(silent()).problems
    except AppError as error:
        return [error]


def test_damaged_cases_never_crash_and_never_lie(tmp_path, sample):
    refusals, result = _survive(tmp_path, sample, 60, 11)
    assert refusals + result >= 30


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_many_damaged_cases(tmp_path, sample):
    refusals, result = _survive(tmp_path, sample, 600, 12)
    assert refusals + result >= 300


def test_a_damaged_case_that_is_refused_is_left_as_it_is(closed_case, monkeypatch):
    def damaged(self):
        raise CaseCorrupt(path=self._db.path, reason="its log cannot be read", backups=self._db.path.parent)

    monkeypatch.setattr(DecisionLog, "recall", damaged)
    content = closed_case.read_bytes()
    with pytest.raises(CaseCorrupt):
        CaseFile.open(closed_case)
    assert closed_case.read_bytes() == content
    assert list(closed_case.parent.iterdir()) == [closed_case]


def test_a_changed_text_is_never_shown(closed_case):
    tamper(closed_case, "UPDATE page SET text = replace(text, 'not touch', 'now touch')")
    with CaseFile.open(closed_case) as case:
        with pytest.raises(CaseCorrupt) as error:
            case.pages.page("D1", 1)
        assert "page 1 of D1" in error.value.sentence
        with pytest.raises(CaseCorrupt):
            case.pages.chunks(case.pages.chunk_ids("D1"))
        assert any("D1, page 1" in problem.where for problem in case.verify(silent()).problems)


CHANGES = {
    "original": ("UPDATE original SET data = zeroblob(length(data)) WHERE document = 'D2'", "D2"),
    "original gone": ("DELETE FROM original WHERE document = 'D2'", "D2"),
    "quote": ("UPDATE evidence SET quote = 'invented' WHERE id = 'E1'", "E1"),
    "quote of a proposal": ("UPDATE proposal SET start = start + 1 WHERE id = 'P1'", "P1"),
    "chunk": ('UPDATE chunk SET "end" = 99999 WHERE id = 2', "passage 2"),
    "page gone": ("DELETE FROM page WHERE id = 1", "database"),
    "vector": ("UPDATE vector SET data = zeroblob(length(data)) WHERE chunk = 2", "vector"),
}


@pytest.mark.parametrize(("sql", "where"), CHANGES.values(), ids=CHANGES.keys())
def test_verify_names_what_was_changed(closed_case, sql, where):
    tamper(closed_case, sql)
    with CaseFile.open(closed_case) as case:
        check = case.verify(silent())
    assert not check.ok
    assert any(where in problem.where for problem in check.problems), check.problems


def test_a_row_whose_document_has_another_id_is_not_written(closed_case):
    tamper(closed_case, "UPDATE document SET id = 'D9' WHERE id = 'D1'")
    with CaseFile.open(closed_case) as case, pytest.raises(CaseCorrupt, match="belongs to another"):
        case.evidence.describe(["E1"], {"note": "n"})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("n" * 239 + ".disconfirm", "its name is too long"),
        ("/".join(["f" * 90] * 6) + "/a.disconfirm", "full path"),
    ],
)
def test_a_case_with_a_name_or_a_path_that_is_too_long_says_so(tmp_path, name, reason):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with pytest.raises(CannotWrite) as error:
        CaseFile.create(path)
    assert reason in error.value.sentence
    assert not path.exists()
