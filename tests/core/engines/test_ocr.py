"""Reading scans: the contract on real engines, in this process and through a child, and how two readings are joined."""

from __future__ import annotations

import pytest

from core.apart import RemoteOcr
from core.engines import ocr
from core.errors import ModelMissing
from tests.contracts import OcrContract
from tests.core.engines.scans import HEIGHT, WIDTH, draw
from tests.fakes import FakeOcr, png


@pytest.fixture(scope="module")
def tesseract():
    pytest.importorskip("tesserocr")
    from core.engines.ocr_tesseract import TesseractOcr

    try:
        return TesseractOcr()
    except ModelMissing as error:
        pytest.skip(error.sentence)


@pytest.fixture(scope="module")
def rapid():
    pytest.importorskip("onnxruntime")
    from core.engines.ocr_rapid import RapidOcr

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
def remote(tesseract, rapid):
    engine = RemoteOcr()
    yield engine
    engine.close()


class TestBothThroughAChild(RealOcrContract):
    @pytest.fixture
    def ocr(self, remote):
        return remote


def test_a_child_answers_like_the_engine_itself(remote, tesseract, rapid, drawn):
    picture, width, height = drawn
    here = ocr.BothOcr(tesseract, rapid).read(picture, width=width, height=height)
    there = remote.read(picture, width=width, height=height)
    assert (there.text, there.words, there.engine) == (here.text, here.words, here.engine)
    assert (there.alternatives, there.others) == (here.alternatives, here.others)
    assert there.confidences == pytest.approx(here.confidences)
    assert [one.engine for one in there.readings] == [one.engine for one in here.readings]
    assert [one.text for one in there.readings] == [one.text for one in here.readings]
