"""Rows of a PDF table: found by the headings of their columns, by words and by meaning; quoted as the page has them."""

from __future__ import annotations

from dataclasses import replace

import pymupdf
import pytest

from core.engines.readers.dispatch import FileReader
from core.workbench import Workbench
from tests.fakes import HashEmbedder

COLUMNS = ("Time", "Vehicle", "Direction", "Driver")
ROWS = (
    ("07:41", "blue lorry", "out", "Tomas Reiner"),
    ("07:58", "white van", "in", "Ines Varga"),
    ("08:12", "grey estate car", "in", "not seen"),
)
XS, Y, HEIGHT = (72, 150, 290, 390, 520), 120, 22


def gate_log() -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Gate log of the harbour")
    for number, row in enumerate((COLUMNS, *ROWS)):
        top = Y + HEIGHT * number
        for column, words in enumerate(row):
            page.draw_rect(pymupdf.Rect(XS[column], top, XS[column + 1], top + HEIGHT), width=0.7)
            font = "helv" if number else "hebo"
            page.insert_text((XS[column] + 5, top + 15), words, fontsize=10, fontname=font)
    return document.tobytes()


class Listener(HashEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts):
        self.texts += texts
        return super().embed(texts)


@pytest.fixture
def embedder():
    return Listener()


@pytest.fixture
def bench(tmp_path, engines, embedder):
    (tmp_path / "gate.pdf").write_bytes(gate_log())
    (tmp_path / "memo.txt").write_text("The vehicle left. A van is a vehicle, and white is a colour.", "utf-8")
    file_engines = replace(engines, embedder=embedder, reader=FileReader())
    with Workbench.create(tmp_path / "case.disconfirm", file_engines) as bench:
        bench.documents.add([tmp_path / "gate.pdf", tmp_path / "memo.txt"])
        yield bench


def test_the_search_model_reads_the_row_with_its_headings(embedder, bench):
    (text,) = (text for text in embedder.texts if "07:58" in text)
    assert "07:58 · Vehicle: white van · Direction: in · Driver: Ines Varga" in text


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
@pytest.mark.parametrize("query", ["Vehicle: white van", "Driver: Ines Varga"])
def test_a_row_is_found_by_heading_and_value_and_shown_as_it_stands(bench, mode, query):
    best = bench.search.passages_for(query, mode=mode).passages[0]
    assert (best.name, best.holds_query) == ("gate.pdf", True)
    page = bench.store.pages.by_id(best.page_id)
    assert best.text == page.text[best.start : best.end]
    assert "07:58\twhite van\tin\tInes Varga" in best.text


def test_a_question_names_a_column_and_the_answer_is_the_cell(bench):
    (point, *_) = bench.answers.ask("Who was the driver of the white van?").answer.points
    assert point.short == "Ines Varga"
    (source, *_) = point.sources
    assert source.quote.text == point.text == "07:58\twhite van\tin\tInes Varga"


def test_a_report_that_gives_another_value_of_a_column_differs(bench, tmp_path):
    report = tmp_path / "report.md"
    report.write_text("The vehicle at 07:58 was a white van. (gate.pdf, p. 1)\n", "utf-8")
    (sentence,) = bench.audits.audit(report).audit.sentences
    (source, *_) = sentence.sources
    assert "07:58\twhite van\tin" in source.quote.text
