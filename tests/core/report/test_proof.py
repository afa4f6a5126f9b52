"""A report says what the log bears out: whatever was changed in the file behind the program's back is told at its top,
in every form, and is not printed as what it was made to look like."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile

import apsw
import pytest

from core.engines.report_writers.dispatch import FileWriter
from core.errors import CaseCorrupt, CaseNotProven
from core.ports import Engines
from core.report import tell
from core.report.service import FORMS
from core.store.record_chain import record_hash
from core.workbench import Workbench
from tests.core.report.test_service import Clock, build
from tests.core.store.material import tamper
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge

FAILED = "This case fails its own check"
TRUE, FALSE = "the dosing pump stopped at 02:14.", "He confessed to it."


@pytest.fixture
def case(tmp_path):
    engines = Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge())
    build(tmp_path / "case", engines, Clock()).close()
    return tmp_path / "case" / "case.disconfirm"


@pytest.fixture
def opened(case):
    """Open the case, after statements that change its file."""
    benches = []

    def open_(*statements):
        tamper(case, *statements)
        engines = Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=ScriptedJudge(), writer=FileWriter())
        benches.append(Workbench.open(case, engines, who="Ann", now=Clock()))
        return benches[-1]

    yield open_
    for bench in benches:
        bench.close()


def text_of(path):
    """Everything that a report says, as text."""
    raw = path.read_bytes()
    if path.suffix == ".achz":
        return gzip.decompress(raw).decode("utf-16")
    if path.suffix in (".docx", ".xlsx"):
        with zipfile.ZipFile(io.BytesIO(raw)) as parts:
            return "".join(parts.read(name).decode() for name in parts.namelist() if name.endswith(".xml"))
    if path.suffix == ".pdf":
        import pymupdf

        with pymupdf.open(path) as pages:
            return " ".join(" ".join(page.get_text() for page in pages).split())
    return raw.decode("utf-8-sig")


FORGED = f"UPDATE evidence SET quote = '{FALSE}', text = '{FALSE}' WHERE id = 'E1'"


@pytest.mark.parametrize("ending", FORMS)
def test_an_altered_quote_is_printed_in_no_form_and_told_at_the_top(opened, tmp_path, ending):
    report = opened(FORGED).reports.write(tmp_path / f"r{ending}")
    assert [problem.where for problem in report.problems] == ["evidence E1"]
    text = text_of(report.file)
    assert FALSE not in text
    assert ('"failed":[{' if ending == ".json" else FAILED) in text
    assert TRUE in text or TRUE in text.replace("\\", "")  # what the log says was quoted
    if ending in (".html", ".md", ".pdf", ".docx", ".pack.html"):
        assert text.index(FAILED) < text.index("Hypotheses" if ending != ".pack.html" else "Bottom line")


def test_a_sound_case_says_nothing_of_a_check(opened, tmp_path):
    report = opened().reports.write(tmp_path / "r.md")
    assert report.problems == ()
    assert FAILED not in text_of(report.file)


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE evidence SET start = 0, \"end\" = 9 WHERE id = 'E1'", "evidence E1"),
        ("UPDATE rating SET rating = 'CC'", "rating E1/H1/Ann"),
        ("UPDATE rating SET rating = 'ZZ'", "rating E1/H1/Ann"),
        ("UPDATE hypothesis SET text = 'He did it.' WHERE id = 'H2'", "hypothesis H2"),
        ("DELETE FROM rating WHERE evidence = 'E2'", "rating E2/H1/Ann"),
        ("UPDATE document SET name = 'confession.txt' WHERE id = 'D1'", "document D1"),
        ("UPDATE about SET title = 'Guilty'", "about case"),
        ("INSERT INTO rating VALUES ('E3', 'H1', 'II', 'Eve', '2026-11-03T09:00:00Z', '', '')", "rating E3/H1/Eve"),
    ],
)
def test_a_report_of_altered_decisions_gives_those_of_the_log(opened, tmp_path, case, statement, where):
    with Workbench.open(case, Engines(reader=PlainReader(), embedder=HashEmbedder()), who="Ann", now=Clock()) as bench:
        sound = bench.reports.data()
    bench = opened(statement)
    data = bench.reports.data()
    assert where in [problem.where for problem in data.failed]
    fields = ("title", "hypotheses", "evidence", "assessments", "matrix", "documents", "citations")
    assert [getattr(data, name) for name in fields] == [getattr(sound, name) for name in fields]
    assert tell(data).sections[0].title == FAILED
    # What the window shows beside it is made of the tables again, not of what stood in for them.
    stands = [tuple(row) for row in bench.store.db.rows("SELECT * FROM rating ORDER BY 1, 2, 4")]
    bench.reports.write(tmp_path / "r.json")
    assert [tuple(row) for row in bench.store.db.rows("SELECT * FROM rating ORDER BY 1, 2, 4")] == stands


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log SET after = replace(after, 'Ann', 'Eve') WHERE seq = 9",
        "DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)",
        "DELETE FROM log WHERE seq = 5",
    ],
)
def test_nothing_is_reported_of_a_case_whose_log_fails(opened, tmp_path, statement):
    with pytest.raises(CaseNotProven) as caught:
        opened(statement).reports.write(tmp_path / "r.html")
    assert "log" in caught.value.sentence
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE page SET label = 'iv' WHERE document = 'D1'", "D1, page 1"),
        ("UPDATE page SET hidden = '[[0,9]]' WHERE document = 'D1'", "D1, page 1"),
        ("UPDATE page SET source = 'ocr' WHERE document = 'D2' AND number = 2", "D2, page 2"),
        ("UPDATE original SET data = zeroblob(length(data)) WHERE document = 'D1'", "D1 log.txt"),
        ("UPDATE imported SET status = 'failed'", "imported 1"),
        ("UPDATE meta SET value = 'x' WHERE key = 'created'", "meta created"),
    ],
)
def test_what_stands_behind_the_quotes_is_proven_too(opened, tmp_path, statement, where):
    report = opened(statement).reports.write(tmp_path / "r.md")
    assert where in [problem.where for problem in report.problems]
    assert where in text_of(report.file).replace("\\", "")


def test_nothing_is_reported_of_a_case_whose_log_changes_a_page_that_no_scan_explains(opened, tmp_path):
    bench = opened()
    case = bench.store
    page = case.pages.page("D1", 1)
    text = page.text.replace("02:14", "02:74")
    with case.db.transaction() as db:
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        db.execute("UPDATE page SET text = ?, sha256 = ? WHERE id = ?", (text, sha256, page.id))
        case.anchors.pending_pages.add(page.id)
    with pytest.raises(CaseNotProven, match="never does"):
        bench.reports.write(tmp_path / "r.md")
    assert not (tmp_path / "r.md").exists()


def test_a_record_that_was_added_to_the_closed_case_is_told_at_the_top(case, opened, tmp_path):
    db = apsw.Connection(str(case), flags=apsw.SQLITE_OPEN_READONLY)
    seq, previous = db.execute("SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1").fetchone()
    db.close()
    hash_ = record_hash(seq + 1, "verdict", "{}", previous)
    bench = opened(
        f"INSERT INTO record VALUES ({seq + 1}, 'verdict', '{{}}', '{previous}', '{hash_}')",
        "UPDATE counter SET last = last + 1 WHERE kind = 'record'",
    )
    report = bench.reports.write(tmp_path / "r.md")
    assert [problem.what for problem in report.problems] == [f"Record {seq + 1} was added while the case was closed."]
    assert FAILED in text_of(report.file)


def test_closing_the_case_changes_nothing_of_what_is_reported(opened):
    bench = opened()
    bench.store.imports.put_password("D1", "open")
    original = bench.reports.data()
    bench.close()
    bench = opened()
    assert bench.store.log.entries()[-1].verb == "name records"
    after = bench.reports.data()
    assert (after.log_head, after.log_entries) == (original.log_head, original.log_entries)
    assert (after.decisions, after.failed) == (original.decisions, ())


def test_nothing_is_reported_of_a_case_with_an_altered_page(opened, tmp_path):
    with pytest.raises(CaseCorrupt):
        opened("UPDATE page SET text = replace(text, '02:14', '04:12')").reports.write(tmp_path / "r.html")


def test_the_command_says_what_fails_and_ends_with_one(opened, case, tmp_path, capsys):
    from core.__main__ import main

    tamper(case, FORGED)
    assert main(["report", str(case), "-o", str(tmp_path / "r.json"), "--json"]) == 1
    out = capsys.readouterr()
    assert "evidence E1" in out.err
    assert json.loads(out.out)["file"].endswith("r.json")
    assert json.loads((tmp_path / "r.json").read_text())["failed"][0]["where"] == "evidence E1"
    assert main(["verify", str(case)]) == 1


def test_a_forged_page_is_no_source_of_quotes_and_no_rebuild_makes_it_one(case, capsys):
    from core.__main__ import main

    with Workbench.open(case, Engines(reader=PlainReader()), who="Ann", now=Clock()) as bench:
        text = bench.documents.page("D1", 1).text
    forged = text.replace("did not touch", "did so touch ")
    sha256 = hashlib.sha256(forged.encode()).hexdigest()
    tamper(case, f"UPDATE page SET text = '{forged}', sha256 = '{sha256}' WHERE document = 'D1'")
    assert main(["quote", str(case), "The operator did so touch"]) == 3
    assert main(["rebuild", str(case)]) == 3
    assert "fails its own check (D1, page 1" in capsys.readouterr().err
    assert main(["verify", str(case)]) == 1
    assert main(["quote", str(case), "The operator did so touch"]) == 3


def test_a_poisoned_verdict_goes_into_no_proposal(opened):
    bench = opened()
    bench.review.propose(["H1"], passages=8)
    verdicts = {(p.quote.text, p.verdict) for p in bench.store.proposals.all(hypothesis="H1")}
    assert verdicts
    text = bench.store.hypotheses.get("H1").text
    bench.close()
    bench = opened("UPDATE verdict SET supports = .99, contradicts = .005, neutral = .005")
    bench.hypotheses.remove("H1")
    hypothesis = bench.hypotheses.add(text).id
    bench.review.propose([hypothesis], passages=8)
    assert {(p.quote.text, p.verdict) for p in bench.store.proposals.all(hypothesis=hypothesis)} == verdicts


@pytest.mark.parametrize(
    ("statement", "commands"),
    [
        ("UPDATE rating SET rating = 'CC'", ["matrix", "group", "timeline"]),
        (FORGED, ["evidence", "matrix"]),
        ("UPDATE hypothesis SET text = 'Nobody did it.'", ["proposals"]),
    ],
)
def test_no_command_shows_a_decision_that_the_log_denies(case, statement, commands, capsys):
    from core.__main__ import main

    for command in commands:
        assert main([command, str(case), *(["list"] if command == "evidence" else [])]) == 0
    tamper(case, statement)
    capsys.readouterr()
    for command in commands:
        assert main([command, str(case), *(["list"] if command == "evidence" else [])]) == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert "It is not what the log says was decided" in err
