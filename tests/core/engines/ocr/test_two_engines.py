"""Reading scans: the contract on real engines, in this process and through a child, and how two readings are joined."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from core.engines.ocr import page_layout
from core.engines.ocr import two_engines as ocr
from core.engines.ocr.rapidocr_engine import in_order
from core.engines.ocr.tesseract_engine import _alternatives
from core.errors import ModelMissing, UnreadableDocument
from core.ports import UNREAD, OcrWord
from core.runtime import launch
from core.settings import Settings
from core.workers.engines import OcrClient
from tests.contracts import OcrContract
from tests.core.engines.scans import HEIGHT, WIDTH, draw, word_boxes
from tests.core.engines.scans import png as as_png
from tests.fakes import FakeOcr, png


@pytest.fixture(scope="module")
def tesseract():
    pytest.importorskip("tesserocr")
    from core.engines.ocr.tesseract_engine import TesseractOcr

    try:
        return TesseractOcr()
    except ModelMissing as error:
        pytest.skip(error.sentence)


@pytest.fixture(scope="module")
def rapid():
    pytest.importorskip("onnxruntime")
    from core.engines.ocr.rapidocr_engine import RapidOcr

    try:
        return RapidOcr()
    except ModelMissing as error:
        pytest.skip(error.sentence)


@pytest.fixture(scope="module")
def drawn():
    return draw(OcrContract.SCANNED), WIDTH, HEIGHT


@pytest.fixture(scope="module")
def empty():
    return draw(()), WIDTH, HEIGHT


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


class TestTesseract(RealOcrContract):
    @pytest.fixture
    def ocr(self, tesseract):
        return tesseract


class TestRapid(RealOcrContract):
    @pytest.fixture
    def ocr(self, rapid):
        return rapid


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
    here = ocr.BothOcr(tesseract, rapid).read(picture, width=width, height=height)
    there = client.read(picture, width=width, height=height)
    assert (there.text, there.words, there.engine) == (here.text, here.words, here.engine)
    assert (there.alternatives, there.others) == (here.alternatives, here.others)
    assert there.confidences == pytest.approx(here.confidences)
    assert [one.engine for one in there.readings] == [one.engine for one in here.readings]
    assert [one.text for one in there.readings] == [one.text for one in here.readings]


# --- the picture -----------------------------------------------------------------------------------------------------

LINES = ("The pump stopped at 02:14 and was denied.", "Nobody had touched it before the 14 March.", "Invoice 48817.")


def overlap(one, two):
    wide, high = min(one[2], two[2]) - max(one[0], two[0]), min(one[3], two[3]) - max(one[1], two[1])
    both = max(0.0, wide) * max(0.0, high)
    sizes = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, two)]
    return both / (sum(sizes) - both)


def turned(box, angle):
    """Where a box lies when the page was turned by ``angle`` degrees about its middle."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = (box[0] + box[2] - WIDTH) / 2, (box[1] + box[3] - HEIGHT) / 2
    u, v = WIDTH / 2 + cos * x + sin * y, HEIGHT / 2 - sin * x + cos * y
    wide, high = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
    return u - wide, v - high, u + wide, v + high


@pytest.mark.parametrize(("dpi", "angle"), [(300, 0.0), (110, 0.0), (600, 0.0), (300, 2.0), (300, -4.3)])
def test_boxes_lie_on_the_words_of_the_page_as_shown(tesseract, dpi, angle):
    page = tesseract.read(draw(LINES, dpi=dpi, angle=angle), width=WIDTH, height=HEIGHT)
    assert page.text.split() == " ".join(LINES).split()
    shares = [overlap(word[2:], turned(box, angle)) for word, box in zip(page.words, word_boxes(LINES), strict=True)]
    assert min(shares) > 0.75
    assert sum(shares) / len(shares) > 0.87


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
            other = (HEIGHT - y1, x0, HEIGHT - y0, x1)
            shares.append(overlap(word[2:], (side, head, other)[quarters - 1]))
        assert min(shares) > 0.7


def test_the_second_engine_draws_its_boxes_close_to_the_ink(rapid):
    page = rapid.read(draw(LINES, angle=-2.0), width=WIDTH, height=HEIGHT)
    assert page.text.split() == " ".join(LINES).split()
    assert min(overlap(w[2:], turned(b, -2.0)) for w, b in zip(page.words, word_boxes(LINES), strict=True)) > 0.75


@pytest.mark.parametrize("angle", [0.0, 0.5, -1.0, 3.0, -5.0])
def test_the_slant_of_a_page_is_found(angle):
    sheet = page_layout.prepare(draw(LINES, angle=angle), WIDTH, HEIGHT)
    a, _, _, d, _, _ = sheet.turn
    assert math.degrees(math.atan2(d, a)) == pytest.approx(-angle, abs=0.21)
    assert abs(page_layout.skew(sheet.picture)) <= 0.21


def test_a_page_without_lines_is_not_turned():
    stars = np.where(np.random.default_rng(1).random((400, 600)) < 0.03, 0, 255).astype(np.uint8)
    assert page_layout.skew(Image.fromarray(stars)) == 0
    assert page_layout.skew(Image.new("L", (600, 400), 255)) == 0
    assert page_layout.skew(Image.new("L", (600, 400), 0)) == 0


def test_white_writing_on_black_a_page_with_alpha_and_a_grainy_one_are_read(tesseract):
    plain = Image.open(io.BytesIO(draw(LINES)))
    clear = Image.new("LA", plain.size, (0, 0))
    clear.putalpha(ImageOps.invert(plain))
    grain = np.random.default_rng(3).normal(0, 22, (plain.height, plain.width))
    grainy = Image.fromarray((np.asarray(plain, np.float64) * 0.6 + 60 + grain).clip(0, 255).astype(np.uint8))
    assert page_layout.noise(grainy) > 15
    assert page_layout.noise(plain) == 0
    for picture in (ImageOps.invert(plain), clear, plain.convert("RGB"), plain.convert("1"), grainy):
        page = tesseract.read(as_png(picture), width=WIDTH, height=HEIGHT)
        assert page.text.split() == " ".join(LINES).split()


def test_a_picture_with_too_many_pixels_is_refused_before_it_is_opened(tesseract):
    bomb = Image.new("1", (20_000, 20_000))
    with pytest.raises(UnreadableDocument, match="pixels"):
        tesseract.read(as_png(bomb), width=WIDTH, height=HEIGHT)
    with pytest.raises(UnreadableDocument, match="no size"):
        tesseract.read(draw(LINES), width=0, height=HEIGHT)


@pytest.mark.parametrize("size", [(1, 1), (3_000, 1), (2, 3_000), (900, 900)])
def test_pictures_without_text_of_any_shape_give_nothing(client, size):
    speckled = np.random.default_rng(2).integers(0, 256, size[::-1], dtype=np.uint8)
    assert len(client.read(as_png(Image.fromarray(speckled)), width=WIDTH, height=HEIGHT).words) <= 2


# --- each engine -----------------------------------------------------------------------------------------------------


def test_an_unsure_letter_brings_other_readings(tesseract):
    page = tesseract.read(draw(("Illicit 1ll0 O0O lI1 rnm clod",), dpi=50, points=9), width=WIDTH, height=HEIGHT)
    told = [word for word in page.each() if word.alternatives]
    assert told
    assert all(word.text not in word.alternatives and len(word.alternatives) <= 5 for word in told)
    assert page.confidence < tesseract.read(draw(LINES), width=WIDTH, height=HEIGHT).confidence


def test_letters_are_changed_one_at_a_time_the_likeliest_first():
    letters = [("d", [("d", 90.0), ("c", 45.0)]), ("o", [("o", 80.0), ("e", 60.0), ("o", 1.0)]), ("g", [("g", 9.0)])]
    assert _alternatives("dog", letters) == ("deg", "cog")
    assert _alternatives("other", letters) == ()


def test_reading_that_takes_too_long_ends_with_a_reason(tesseract, rapid, monkeypatch):

    monkeypatch.setattr(page_layout, "SECONDS", 0.0)
    for engine in (tesseract, rapid):
        with pytest.raises(UnreadableDocument, match="longer than") as caught:
            engine.read(draw(LINES * 3), width=WIDTH, height=HEIGHT)
        assert caught.value.hint


def test_the_second_engine_never_reaches_its_download(monkeypatch, rapid):
    """Every weight file is named, and the code that would fetch one is not called."""
    from rapidocr.utils.download_file import DownloadFile

    from core.engines.ocr.rapidocr_engine import RapidOcr

    monkeypatch.setattr(DownloadFile, "run", classmethod(lambda *_: pytest.fail("something would be downloaded")))
    assert RapidOcr().read(draw(("The pump",)), width=WIDTH, height=HEIGHT).text == "The pump"


def test_two_columns_are_read_one_after_the_other():
    def line(text, x, y):
        return [OcrWord(text, 0.9, x, y, x + 190, y + 20)]

    columns = [line(f"left{n}", 0, 100 + 30 * n) for n in range(4)]
    columns += [line(f"right{n}", 260, 104 + 30 * n) for n in range(4)]
    title = [[OcrWord("title", 0.9, 0, 10, 450, 40)]]
    told = [words[0].text for words, _ in in_order([*columns[::2], *columns[1::2], *title])]
    assert told == ["title", "left0", "left1", "left2", "left3", "right0", "right1", "right2", "right3"]


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
def test_any_two_readings_make_a_page(one, two):
    first, second = (
        [(line, False) for text, at, sure in some if (line := row(text, 100.0 + 40 * at, sure=sure))]
        for some in (one, two)
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


def test_a_page_that_is_darker_to_one_side_is_lit_evenly():
    sheet = Image.open(io.BytesIO(draw(LINES))).convert("L")
    dots = np.asarray(sheet, np.float64) * 0.2 + 150 - np.linspace(0, 60, sheet.width)[None, :]
    faint = Image.fromarray(dots.clip(0, 255).astype(np.uint8))
    even = np.asarray(page_layout.lit_evenly(faint), np.float64)
    paper = [float(np.median(even[:, at : at + 50])) for at in range(0, sheet.width - 50, 200)]
    assert max(paper) - min(paper) < 16
    assert page_layout.lit_evenly(sheet) is sheet  # nothing to do


def test_a_faint_page_that_is_darker_to_one_side_is_read(tesseract):
    sheet = Image.open(io.BytesIO(draw(LINES))).convert("L")
    dots = np.asarray(sheet, np.float64) * 0.2 + 150 - np.linspace(0, 60, sheet.width)[None, :]
    page = tesseract.read(as_png(Image.fromarray(dots.clip(0, 255).astype(np.uint8))), width=WIDTH, height=HEIGHT)
    assert page.text.split() == " ".join(LINES).split()
