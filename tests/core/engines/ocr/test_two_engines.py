"""Reading scans: the contract on real engines, in this process and through a child, and how two readings are joined."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from core.engines.ocr import page_layout
from core.engines.ocr import two_engines as ocr
from core.errors import ModelMissing, UnreadableDocument
from core.ports import UNREAD, OcrWord
from core.runtime import launch
from core.settings import Settings
from core.workers.engines import OcrClient
from tests.contracts import OcrContract
from tests.core.engines.scans import HEIGHT, LINES, WIDTH, draw, overlap, word_boxes
from tests.core.engines.scans import png as as_png
from tests.fakes import FakeOcr, png


class RealOcrContract(OcrContract):
    @pytest.fixture
    def scan(self, drawn):
        return drawn

    @pytest.fixture
    def blank(self, empty):
        return empty


class TestFakeOcr(OcrContract):
    @pytest.fixture
    def ocr(self):
        return FakeOcr(always="\n".join(self.SCANNED))

    @pytest.fixture
    def scan(self):
        return png(30, 40), WIDTH, HEIGHT

    @pytest.fixture
    def blank(self):
        return png(1, 1), WIDTH, HEIGHT


@pytest.fixture(scope="module")
def client(tesseract, rapid):
    engine = OcrClient()
    yield engine
    engine.close()


class TestBothThroughAChild(RealOcrContract):
    @pytest.fixture
    def ocr(self, client):
        return client


def test_a_child_answers_like_the_engine_itself(client, tesseract, rapid, drawn):
    picture, width, height = drawn
    expected = ocr.BothOcr(tesseract, rapid).read(picture, width=width, height=height)
    page = client.read(picture, width=width, height=height)
    assert (page.text, page.words, page.engine) == (expected.text, expected.words, expected.engine)
    assert (page.alternatives, page.others) == (expected.alternatives, expected.others)
    assert page.confidences == pytest.approx(expected.confidences)
    assert [reading.engine for reading in page.readings] == [reading.engine for reading in expected.readings]
    assert [reading.text for reading in page.readings] == [reading.text for reading in expected.readings]


# --- the picture -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_page_that_lies_on_its_side_or_head_is_read(tesseract, rapid, quarters):
    flat = Image.open(io.BytesIO(draw((*LINES, "A line of writing about nothing at all."))))
    size = (WIDTH, HEIGHT) if quarters == 2 else (HEIGHT, WIDTH)
    lying = as_png(flat.rotate(90 * quarters, expand=True))
    for engine in (tesseract, ocr.BothOcr(tesseract, rapid)):
        page = engine.read(lying, width=size[0], height=size[1])
        assert page.text.split()[:8] == LINES[0].split()
        shares = []
        for word, (x0, y0, x1, y1) in zip(page.words, word_boxes(LINES), strict=False):
            side = (y0, WIDTH - x1, y1, WIDTH - x0)
            head = (WIDTH - x1, HEIGHT - y1, WIDTH - x0, HEIGHT - y0)
            other_side = (HEIGHT - y1, x0, HEIGHT - y0, x1)
            shares.append(overlap(word[2:], (side, head, other_side)[quarters - 1]))
        assert min(shares) > 0.7


@pytest.mark.parametrize("size", [(1, 1), (3_000, 1), (2, 3_000), (900, 900)])
def test_pictures_without_text_of_any_shape_give_nothing(client, size):
    speckled = np.random.default_rng(2).integers(0, 256, size[::-1], dtype=np.uint8)
    assert len(client.read(as_png(Image.fromarray(speckled)), width=WIDTH, height=HEIGHT).words) <= 2


# --- each engine -----------------------------------------------------------------------------------------------------


def test_reading_that_takes_too_long_ends_with_a_reason(tesseract, rapid, monkeypatch):

    monkeypatch.setattr(page_layout, "SECONDS", 0.0)
    for engine in (tesseract, rapid):
        with pytest.raises(UnreadableDocument, match="longer than") as caught:
            engine.read(draw(LINES * 3), width=WIDTH, height=HEIGHT)
        assert caught.value.hint


# --- two readings of one page ----------------------------------------------------------------------------------------


def row(text, y=100.0, x=50.0, sure=0.95, **odd):
    """A line of words 10 pixels a letter; ``odd`` gives the confidence of single words."""
    words = []
    for piece in text.split():
        words.append(OcrWord(piece, odd.get(piece.strip(",."), sure), x, y, x + 10 * len(piece), y + 30))
        x += 10 * (len(piece) + 1)
    return words


def joined(first, second):
    lines = ocr.combine([(line, False) for line in first], [(line, False) for line in second])
    return [[(word.text, word.other) for word in line] for line, _ in lines]


def test_where_both_agree_the_word_is_as_sure_as_the_surer_engine():
    lines = ocr.combine([(row("It was denied.", sure=0.8), True)], [(row("It was denied.", sure=0.99), True)])
    assert [(w.text, w.confidence, w.other) for w in lines[0][0]] == [
        ("It", 0.99, ""),
        ("was", 0.99, ""),
        ("denied.", 0.99, ""),
    ]


def test_a_sure_fault_of_one_engine_shows_as_disagreement():
    first, second = row("It was denied.", sure=0.95), row("It was enied.", sure=0.99)
    words = ocr.combine([(first, True)], [(second, True)])[0][0]
    assert [(word.text, word.other) for word in words] == [("It", ""), ("was", ""), ("denied.", "enied.")]
    assert words[2].confidence < 0.5


def test_the_likelier_word_is_taken_and_the_other_kept():
    assert joined([row("the ruiu of it", ruiu=0.6)], [row("the ruin of it")]) == [
        [("the", ""), ("ruin", "ruiu"), ("of", ""), ("it", "")]
    ]


def test_a_word_that_both_read_elsewhere_is_likelier():
    first = [row("the dog and the cat", 100), row("tlie end of it", 140)]
    second = [row("the dog and the cat", 100, sure=0.9), row("the end of it", 140, sure=0.7)]
    assert joined(first, second)[1][0] == ("the", "tlie")


def test_blanks_between_words_are_seen_as_such():
    assert joined([row("but itis so")], [row("but it is so")]) == [
        [("but", ""), ("it", "itis"), ("is", "itis"), ("so", "")]
    ]
    assert joined([row("at 1114 hours")], [row("at 11 14 hours")])[0][1] == ("1114", "11 14")
    assert joined([row("the “end” now")], [row('the " end" now')])[0][1] == ("“end”", '" end"')


def test_kinds_of_quotation_marks_are_no_disagreement():
    assert joined([row("‘‘Yes,’’ he said—so")], [row('"Yes," he said-so')]) == [
        [('"Yes,"', ""), ("he", ""), ("said—so", "")]
    ]


def test_what_only_one_engine_saw_is_marked_and_specks_are_left_out():
    first = [row("one two", 100), [OcrWord("~", 0.4, 500, 300, 510, 310)]]
    second = [row("one", 100), row("three four", 200)]
    assert joined(first, second) == [[("one", ""), ("two", UNREAD)], [("three", UNREAD), ("four", UNREAD)]]


def test_a_line_that_only_the_second_engine_saw_stands_in_its_place():
    first = [row("the first line", 100), row("the third line", 200)]
    second = [row("the first line", 100), row("the second line", 150), row("the third line", 200)]
    assert [line[1][0] for line in joined(first, second)] == ["first", "second", "third"]


def test_a_page_that_the_first_engine_can_hardly_read_follows_the_second():
    first = [row("xx yy zz qq", 100, sure=0.3), row("rr", 300, sure=0.55)]
    second = [row("Nobody had seen it", 100), row("at night", 200)]
    assert [[text for text, _ in line] for line in joined(first, second)][:2] == [
        ["Nobody", "had", "seen", "it"],
        ["at", "night"],
    ]


def test_one_engine_or_none_on_a_page():
    assert joined([], []) == []
    assert joined([row("alone here")], []) == [[("alone", UNREAD), ("here", UNREAD)]]
    assert joined([], [row("alone here")]) == [[("alone", UNREAD), ("here", UNREAD)]]


@given(
    st.lists(st.tuples(st.text("abI1 .,\"'-", max_size=12), st.integers(0, 3), st.floats(0, 1)), max_size=6),
    st.lists(st.tuples(st.text("abI1 .,\"'-", max_size=12), st.integers(0, 3), st.floats(0, 1)), max_size=6),
)
def test_any_two_readings_make_a_page(first_rows, second_rows):
    first, second = (
        [(line, False) for text, number, sure in rows if (line := row(text, 100.0 + 40 * number, sure=sure))]
        for rows in (first_rows, second_rows)
    )
    sheet = page_layout.Sheet(None, (0.24, 0, 0, 0, 0.24, 0), WIDTH, HEIGHT)
    page = page_layout.page(ocr.combine(first, second), sheet, "both", 0.0)
    assert [page.text[word.start : word.end] for word in page.words] == page.text.split()
    assert all(0 <= confidence <= 1 for confidence in page.confidences)


# --- what is missing -------------------------------------------------------------------------------------------------


def test_without_one_engine_the_other_reads_alone_and_a_line_says_so(monkeypatch, tmp_path, capsys):
    assert type(ocr.build(tmp_path)).__name__ == "RapidOcr"
    assert "not on this computer" in capsys.readouterr().out
    monkeypatch.setattr("core.engines.ocr.rapidocr_engine.find_spec", lambda _: None)
    assert type(ocr.build()).__name__ == "TesseractOcr"
    assert capsys.readouterr().out.count("\n") == 1
    with pytest.raises(ModelMissing):
        ocr.build(tmp_path)


def test_the_program_starts_no_reader_of_scans_where_there_is_none(monkeypatch):
    assert launch.build_engines(Settings()).ocr is not None
    assert launch.ocr_note() == ""
    assert "eng" in launch.ocr_languages()
    monkeypatch.setattr(launch, "find_spec", lambda name: None if name == "rapidocr" else name)
    assert "Tesseract alone" in launch.ocr_note()
    monkeypatch.setattr(launch, "find_spec", lambda _: None)
    assert launch.build_engines(Settings()).ocr is None
    assert "cannot be read" in launch.ocr_note()
