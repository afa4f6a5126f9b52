"""The matrix as a PARC file: its layout, what it has no place for, and the way back into a case."""

from __future__ import annotations

import gzip

import pytest
from lxml import etree

from core.ports import Engines
from core.workbench import Workbench
from tests.core.engines import matrix_material as material
from tests.core.engines.matrix_material import EVIDENCE, HYPOTHESES


@pytest.fixture
def case(tmp_path, reader):
    (tmp_path / "table.csv").write_bytes(material.comma_table())
    with Workbench.create(tmp_path / "one.disconfirm", Engines(reader=reader), title="Pump <two>", who="ana") as bench:
        bench.matrix.import_file(tmp_path / "table.csv")
        yield bench


def tree(bench, tmp_path):
    raw = gzip.decompress(bench.reports.write(tmp_path / "out.achz").file.read_bytes())
    assert raw.startswith(b"\xff\xfe")
    return etree.fromstring(raw)


def test_the_layout_is_the_one_that_the_importer_reads(case, tmp_path):
    case.evidence.describe(["E1"], date="2010-05-12", source="log", note="two saw it", reliability="B", information="2")
    case.evidence.describe(["E3"], kind="assumption", date="2010")
    root = tree(case, tmp_path)
    assert root.findtext("PROJECT-TITLE") == "Pump <two>"
    assert [h.text for h in root.iterfind("MATRIX/HYPOTHESIS/NAME")] == list(HYPOTHESES)
    first, _, third, fourth = root.iterfind("MATRIX/EVIDENCE")
    assert first.findtext("VALUES") == "N,I I,N"
    assert fourth.findtext("VALUES") == "C C,N,I I"
    assert (first.findtext("DATE"), first.findtext("CODE"), first.findtext("LINK")) == ("1273622400000", "E1", "log")
    assert (first.findtext("CREDIBILITY"), third.findtext("CREDIBILITY"), fourth.findtext("CREDIBILITY")) == (
        "HIGH", "LOW", "MEDIUM",
    )  # fmt: skip
    assert first.findtext("NOTES").splitlines() == ["two saw it", "Relevance: medium", "Admiralty grade: B2"]
    assert (third.findtext("TYPE"), third.findtext("DATE")) == ("Assumption", "0")
    assert "Date: 2010" in third.findtext("NOTES")


def test_an_unrated_cell_is_an_empty_value(case, tmp_path):
    case.evidence.rate("E1", "H2", None)
    assert next(tree(case, tmp_path).iterfind("MATRIX/EVIDENCE")).findtext("VALUES") == "N,,N"


def test_it_comes_back_as_it_left(case, tmp_path, reader):
    case.evidence.rate("E3", "H1", None)
    file = case.reports.write(tmp_path / "out.achz").file
    matrix = reader.read_matrix(file.read_bytes(), file.name)
    assert matrix.title == "Pump <two>"
    assert [h.text for h in matrix.hypotheses] == list(HYPOTHESES)
    assert [row.text for row in matrix.rows] == [row[0] for row in EVIDENCE]
    expected = [list(row[1]) for row in EVIDENCE]
    expected[2][0] = None
    assert [[cell.rating for cell in row.cells] for row in matrix.rows] == expected
    assert [row.credibility for row in matrix.rows] == ["H", "M", "L", "M"]
    assert matrix.problems == ()


def test_text_of_any_kind_does_no_harm(case, tmp_path):
    case.evidence.describe(["E1"], text="]]> & <b> \u05d0\u05d1 \U0001f600 </EVIDENCE>", note="<!DOCTYPE a>")
    first = next(tree(case, tmp_path).iterfind("MATRIX/EVIDENCE"))
    assert first.findtext("NAME").startswith("]]> & <b>")
    assert len(list(first)) == 9


def test_the_same_case_gives_the_same_bytes(case, tmp_path):
    moment = case.store.db.now()
    assert (
        case.reports.write(tmp_path / "a.achz", as_of=moment).sha256
        == case.reports.write(tmp_path / "b.achz", as_of=moment).sha256
    )
