"""The engines for scans, made once, and a page to read."""

from __future__ import annotations

import pytest

from core.errors import ModelMissing
from tests.contracts import OcrContract
from tests.core.engines.scans import HEIGHT, WIDTH, draw


@pytest.fixture(scope="session")
def tesseract():
    pytest.importorskip("tesserocr")
    from core.engines.ocr.tesseract_engine import TesseractOcr

    try:
        return TesseractOcr()
    except ModelMissing as error:
        pytest.skip(error.sentence)


@pytest.fixture(scope="session")
def rapid():
    pytest.importorskip("onnxruntime")
    from core.engines.ocr.rapidocr_engine import RapidOcr

    try:
        return RapidOcr()
    except ModelMissing as error:
        pytest.skip(error.sentence)


@pytest.fixture(scope="session")
def drawn():
    return draw(OcrContract.SCANNED), WIDTH, HEIGHT


@pytest.fixture(scope="session")
def empty():
    return draw(()), WIDTH, HEIGHT
