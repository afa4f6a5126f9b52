"""Bringing in a matrix made elsewhere: through the real child, into a case, from the command line."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import pytest

from core.__main__ import main
from core.errors import BadInput, CaseReadOnly, EngineStopped, SeveralMatrices, UnreadableDocument
from core.ports import Engines
from core.workbench import Workbench
from core.workers.client import Limits
from core.workers.engines import ReaderClient
from core.workers.frames import ProtocolError
from core.workers.wire.matrices import matrix_row_in
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_import.test_dispatch import bombs
from tests.core.engines.matrix_material import EVIDENCE, HYPOTHESES
from tests.core.workers.children import COMMAND
from tests.fakes import PlainReader


@pytest.fixture
def odd():
    client = ReaderClient(command=COMMAND, limits=Limits(start=20, item=5, whole=5, memory=1 << 30))
    yield client
    client.close()


@pytest.fixture
def bench(tmp_path, reader):
    with Workbench.create(tmp_path / "pump.disconfirm", Engines(reader=reader), title="Pump", who="ana") as bench:
        yield bench


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "from elsewhere"
    folder.mkdir()
    for name, data in material.everything().items():
        (folder / name).write_bytes(data)
    (folder / "two.json").write_bytes(material.as_json({"matrices": [material.own_json("a"), material.own_json("b")]}))
    return folder


class TestThroughTheChild:
    @pytest.mark.parametrize("name", material.everything())
    def test_what_comes_through_is_what_was_read(self, reader, name):
        from core.engines.matrix_import import dispatch

        data = material.everything()[name]
        assert reader.read_matrix(data, name) == dispatch.read(data, name)

    def test_the_choice_comes_through_and_so_does_its_lack(self, reader, files):
        data = (files / "two.json").read_bytes()
        with pytest.raises(SeveralMatrices) as error:
            reader.read_matrix(data, "two.json")
        assert error.value.details["choices"].splitlines() == ["a\tPump two", "b\tPump two"]
        assert len(reader.read_matrix(data, "two.json", choose="b").rows) == 4

    def test_the_longest_texts_of_every_script_come_through(self, reader):
        note = "\U0001f600\u05d0\u202e\u0001" * 5_000
        lines = [["Evidence", "Notes", *(f"H{n}" for n in range(1, 31))], [note, note * 2, *(["CC"] * 30)]]
        (row,) = reader.read_matrix(material.comma_table(lines=lines), "long.csv").rows
        assert len(row.text) == 10_000
        assert len(row.note) == 20_000
        assert "\x01" not in row.note

    def test_bombs_end_in_a_refusal_and_the_next_file_is_read(self, reader):
        files = bombs()
        for name in ("gzip.achz", "laughs.achz", "shared.xlsx", "many-cells.xlsx", "deep.json", "quote.csv"):
            with pytest.raises(BadInput):
                reader.read_matrix(files[name], name)
        assert len(reader.read_matrix(material.comma_table(), "table.csv").rows) == 4

    @pytest.mark.slow
    def test_broken_files_never_end_the_reader(self, reader):
        luck = random.Random(7)
        for name, data in material.everything().items():
            for _ in range(3):
                copy = bytearray(data)
                copy[luck.randrange(len(copy))] ^= 255
                try:
                    matrix = reader.read_matrix(bytes(copy[: luck.randrange(1, len(copy))]), name)
                except (BadInput, SeveralMatrices):
                    continue
                assert all(len(row.cells) == len(matrix.hypotheses) for row in matrix.rows)

    def test_a_file_beyond_the_limit_is_not_even_sent(self, reader):
        with pytest.raises(BadInput, match="larger than"):
            reader.read_matrix(bytes(33 << 20), "large.csv")


class TestAnOddChild:
    def test_one_that_ends_is_told_and_replaced(self, odd):
        with pytest.raises(EngineStopped):
            odd.read_matrix(b"x", "exit 3")
        assert len(odd.read_matrix(b"evidence,a,b\nx,C,I\n", "table").rows) == 1

    @pytest.mark.parametrize(
        "order",
        [
            "MatrixFile('t', 'f', (), ())",
            "MatrixFile('t' * 999, 'f', (FileHypothesis('a'),), ())",
            "MatrixFile('t', 'f', (FileHypothesis('a'),) * 300, ())",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (FileRow('x', ()),))",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (FileRow('x', (FileCell('CCC'),)),))",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (FileRow('x', (FileCell('C', '', 'sure'),)),))",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (FileRow('x', (FileCell('C'),), kind='absence'),))",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (FileRow('x', (FileCell('C'),), credibility='X'),))",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (FileRow('x', (FileCell('C'),), reliability='Z'),))",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (FileRow(7, (FileCell('C'),)),))",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (), problems=(Problem('a', 'b', 7),))",
            "MatrixFile('t', 'f', (FileHypothesis('a'),), (), left_out=(7,))",
        ],
    )
    def test_what_is_out_of_form_is_not_believed(self, odd, order):
        with pytest.raises(EngineStopped, match="malformed"):
            odd.read_matrix(b"x", f"matrix {order}")

    def test_a_row_is_checked_field_by_field(self):
        with pytest.raises(ProtocolError):
            matrix_row_in({"cells": [["C", "", ""]]}, 1)


class TestIntoACase:
    @pytest.mark.parametrize("name", material.everything())
    def test_everything_comes_in_with_one_decision_and_goes_with_one_undo(self, bench, files, name):
        entries = len(bench.store.log.entries())
        report = bench.matrix.import_file(files / name)
        assert (report.hypotheses, report.matches, report.evidence, report.ratings + report.open_cells) == (3, 0, 4, 12)
        assert len(bench.store.log.entries()) == entries + 1
        assert [h.text for h in bench.hypotheses.all()] == list(HYPOTHESES)
        assert [e.text for e in bench.evidence.all()] == [row[0] for row in EVIDENCE]
        assert [e.id for e in bench.evidence.all()] == list(report.rows)
        assert {a.by for a in bench.evidence.assessments()} == {"ana"}
        assert len(bench.evidence.assessments()) == report.ratings
        assert bench.case.undo() is not None
        assert (bench.hypotheses.all(), bench.evidence.all(), bench.evidence.assessments()) == ([], [], [])
        assert bench.case.redo() is not None
        assert len(bench.evidence.all()) == 4
        assert bench.case.verify().ok

    def test_grades_notes_and_reasons_arrive(self, bench, files):
        report = material.own_json()
        report["matrix"] = {"rows": report["evidence"]}
        report["assessments"] = [
            {"evidence": "E1", "hypothesis": "H2", "by": "ben", "note": "as the log says", "confidence": "medium"}
        ]
        (files / "report.json").write_bytes(material.as_json(report))
        bench.matrix.import_file(files / "report.json")
        (reason,) = [a for a in bench.evidence.assessments() if a.note]
        assert (reason.evidence, reason.hypothesis, reason.rating) == ("E1", "H2", "II")
        assert (reason.note, reason.confidence) == ("as the log says", "medium")
        bench.case.undo()
        bench.matrix.import_file(files / "table.csv")
        assert [(e.credibility, e.relevance) for e in bench.evidence.all()] == [row[2:] for row in EVIDENCE]

    def test_the_scores_are_computed_from_the_ratings(self, bench, files):
        bench.matrix.import_file(files / "stirparo-v0.6.xlsx")
        scores = bench.matrix.compute().scores["weighted_inconsistency"]
        assert scores["H2"] == pytest.approx(2 * 2**0.5)  # not four times
        assert bench.matrix.compute().leaders["weighted_inconsistency"] == ("H1",)

    def test_a_hypothesis_that_is_here_is_that_one(self, bench, files):
        bench.hypotheses.add(HYPOTHESES[1])
        report = bench.matrix.import_file(files / "table.csv")
        assert report.matches == 1
        assert len(bench.hypotheses.all()) == 3

    def test_the_same_file_twice_is_told(self, bench, files):
        bench.matrix.import_file(files / "table.csv")
        report = bench.matrix.import_file(files / "table.csv")
        assert report.matches == 3
        assert "4 of its pieces of evidence" in report.problems[-1].what

    @pytest.mark.parametrize("name", ["cut.achz", "cut.xlsx", "cut.json", "foreign.csv"])
    def test_a_broken_file_changes_nothing(self, bench, tmp_path, name):
        everything = material.everything()
        data = {
            "cut.achz": everything["parc.achz"][:-20],
            "cut.xlsx": everything["stirparo-v0.4.xlsx"][:-200],
            "cut.json": everything["own.json"][:-20],
            "foreign.csv": b"name,price\npump,12\n",
        }[name]
        (tmp_path / name).write_bytes(data)
        entries = len(bench.store.log.entries())
        with pytest.raises(BadInput):
            bench.matrix.import_file(tmp_path / name)
        assert len(bench.store.log.entries()) == entries
        assert bench.hypotheses.all() == []

    def test_a_file_that_is_not_there(self, bench, tmp_path):
        with pytest.raises(UnreadableDocument):
            bench.matrix.import_file(tmp_path / "gone.csv")

    def test_one_of_several(self, bench, files):
        with pytest.raises(SeveralMatrices):
            bench.matrix.import_file(files / "two.json")
        assert bench.hypotheses.all() == []
        assert bench.matrix.import_file(files / "two.json", choose="a").evidence == 4

    def test_nothing_is_written_where_nothing_can_be(self, tmp_path, files, reader):
        path = tmp_path / "kept.disconfirm"
        Workbench.create(path, Engines(reader=reader), who="ana").close()
        path.chmod(0o400)
        with Workbench.open(path, Engines(reader=reader), who="ana") as bench:
            if not bench.case.read_only:
                pytest.skip("this account may write everywhere")
            with pytest.raises(CaseReadOnly):
                bench.matrix.import_file(files / "table.csv")

    def test_odd_matrices(self, bench, tmp_path):
        """Empty, one hypothesis, all NA, names twice, long notes, control characters, right-to-left text."""
        path = tmp_path / "odd.csv"
        for lines in (
            [["Evidence", "H1", "H2"]],
            [["Evidence", "only one"], ["a", "C"]],
            [["Evidence", "H1", "H2"], ["a", "NA", "NA"], ["b", "N/A", "NA"]],
            [["Evidence", "the same", "the same"], ["a", "C", "I"]],
            [["Evidence", "Notes", "H1", "H2"], ["a", "n" * 10_000, "C", "I"]],
            [["Evidence", "H1\x07", "\u05d0\u05d1"], ["\u202ereversed\u202c \x00", "C", "I"]],
        ):
            path.write_bytes(material.comma_table(lines=lines))
            report = bench.matrix.import_file(path)
            assert report.evidence == len(lines) - 1
            assert len(bench.matrix.compute().hypotheses) == report.hypotheses
            bench.case.undo()
        assert bench.case.verify().ok


def rename_heading(workbook: Path, old: str, new: str) -> None:
    with zipfile.ZipFile(workbook) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    assert any(old.encode() in data for data in parts.values())
    with zipfile.ZipFile(workbook, "w") as package:
        for name, data in parts.items():
            package.writestr(name, data.replace(old.encode(), new.encode()))


@pytest.mark.parametrize(("ending", "heading"), [("csv", ""), ("xlsx", ""), ("xlsx", "Separates"), ("json", "")])
def test_a_report_of_one_case_comes_into_another(bench, files, tmp_path, reader, ending, heading):
    """What leaves a case as a table or as JSON can be brought in again: texts, ratings, grades."""
    from core.workers.engines import WriterClient

    writer = WriterClient()
    try:
        with Workbench.create(
            tmp_path / "one.disconfirm", Engines(reader=reader, writer=writer), who="ben"
        ) as source_bench:
            source_bench.matrix.import_file(files / "table.csv")
            source_bench.evidence.annotate("E1", "H2", note="as the log says", confidence="low")
            source_bench.evidence.describe(
                ["E2"], note="=1+1 stands there", reliability="B", information="2", date="2020-03-04"
            )
            source_bench.reports.write(tmp_path / f"out.{ending}")
            original_rows, rated = (
                source_bench.evidence.all(),
                {(a.evidence, a.hypothesis): a.rating for a in source_bench.evidence.assessments()},
            )
    finally:
        writer.close()
    if heading:  # as earlier versions called the column of diagnosticity
        rename_heading(tmp_path / f"out.{ending}", "Diagnosticity", heading)
    report = bench.matrix.import_file(tmp_path / f"out.{ending}")
    assert report.problems == ()
    assert [h.text for h in bench.hypotheses.all()] == list(HYPOTHESES)
    imported_rows = bench.evidence.all()
    for name in ("text", "credibility", "relevance", "reliability", "information", "date"):
        assert [getattr(e, name) for e in imported_rows] == [getattr(e, name) for e in original_rows], name
    assert {(a.evidence, a.hypothesis): a.rating for a in bench.evidence.assessments()} == rated
    if ending != "xlsx":  # its remarks are computed; what a person noted stands on another sheet
        assert imported_rows[1].note == "=1+1 stands there"
    else:
        assert {e.note for e in imported_rows} == {""}
    if ending == "json":
        (reason,) = [a for a in bench.evidence.assessments() if a.note]
        assert (reason.note, reason.confidence) == ("as the log says", "low")


def test_any_reader_brings_a_matrix_into_a_case(tmp_path):
    (tmp_path / "table.csv").write_bytes(b"evidence,a,b\nx,C,\ny,odd,II\n")
    with Workbench.create(tmp_path / "c.disconfirm", Engines(reader=PlainReader()), who="ana") as bench:
        report = bench.matrix.import_file(tmp_path / "table.csv")
    assert (report.ratings, report.open_cells, len(report.problems)) == (2, 2, 1)


class TestCommand:
    @pytest.fixture
    def case(self, tmp_path):
        path = str(tmp_path / "c.disconfirm")
        assert main(["new", path]) == 0
        return path

    def test_counts_and_what_was_left_out(self, case, files, capsys):
        capsys.readouterr()
        assert main(["--json", "import", case, str(files / "stirparo-v0.6.xlsx")]) == 0
        result = json.loads(capsys.readouterr().out)
        assert (result["hypotheses"], result["evidence"], result["ratings"], result["problems"]) == (3, 4, 12, [])
        assert any("computed again" in sentence for sentence in result["left_out"])

    def test_problems_are_listed_and_end_with_1(self, case, tmp_path, capsys):
        (tmp_path / "odd.csv").write_bytes(b"Evidence,H1,H2\na,C,II\nb,perhaps,I\n")
        assert main(["import", case, str(tmp_path / "odd.csv")]) == 1
        assert "row 3, hypothesis 1: “perhaps” is not a rating" in capsys.readouterr().err

    def test_several_are_named_and_one_is_chosen(self, case, files, capsys):
        assert main(["import", case, str(files / "two.json")]) == 3
        assert "a, b" in capsys.readouterr().err
        assert main(["import", case, str(files / "two.json"), "--matrix", "b"]) == 0
        assert main(["import", case, str(files / "two.json"), "--matrix", "c"]) == 3

    def test_a_foreign_file_ends_with_3(self, case, tmp_path):
        (tmp_path / "x.pdf").write_bytes(b"%PDF-1.4")
        assert main(["import", case, str(tmp_path / "x.pdf")]) == 3
