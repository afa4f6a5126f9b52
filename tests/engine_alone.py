"""Runs one engine in this process, with nothing that keeps it from a network, and then waits: ``KIND SECONDS``.

Started by tests/test_calls_home.py. What the engine is given is what it is given in the program.
"""

from __future__ import annotations

import io
import sys
import time

from core import paths, settings
from core.domain import Probabilities
from core.runtime import launch
from core.verdicts import exam_results
from core.workers import server

SAMPLE = paths.RESOURCES / "sample_case" / "documents"
TEXTS = ["The pump stopped at two.", "Nobody had entered the hall since midnight."]


def reader() -> object:
    engine = server.ENGINES["reader"]({})
    return engine, [list(engine.read(file.read_bytes(), file.name)) for file in sorted(SAMPLE.iterdir())]


def embedder() -> object:
    engine = server.ENGINES["embedder"]({"folder": str(paths.models() / paths.EMBEDDER)})
    return engine, engine.embed(TEXTS)


def torch() -> object:
    from core.engines.embedding.sentence_transformer import SentenceTransformerEmbedder
    from core.model_files.embedding_folder import look_at

    engine = SentenceTransformerEmbedder(look_at(paths.models() / paths.EMBEDDER))
    return engine, engine.embed(TEXTS)


def judge() -> object:
    file = launch.judge_file(settings.Settings())
    options = {"model": str(file), "sha256": exam_results.sha256_of(file)}
    engine = server.ENGINES["judge"](options)
    (verdict,) = engine.judge(TEXTS[0], ["The pump failed."])
    assert isinstance(verdict, Probabilities)
    return engine


def ocr() -> object:
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (1000, 300), 255)
    ImageDraw.Draw(picture).text((60, 100), "The relay failed at two", fill=0, font=ImageFont.load_default(56))
    data = io.BytesIO()
    picture.save(data, "PNG")
    engine = server.ENGINES["ocr"]({"folder": None})
    both = (engine, getattr(engine, "_second", engine))  # the second is asked only about what the first doubts
    pages = [reader.read(data.getvalue(), width=1000.0, height=300.0) for reader in both]
    assert all("relay" in page.text for page in pages)
    return engine, pages


def writer() -> object:
    from tests.core.engines.report_writers.test_dispatch import contents, full_case

    engine = server.ENGINES["writer"]({})
    return engine, [engine.write(form, contents(full_case())[form], {}) for form in ("pdf", "docx", "xlsx")]


def matrix() -> object:
    engine = server.ENGINES["reader"]({})
    return engine, engine.read_matrix(b"Evidence,H1 one,H2 two\nE1,C,I\nE2,I,C\n", "matrix.csv")


if __name__ == "__main__":
    engine = {kind.__name__: kind for kind in (reader, embedder, torch, judge, ocr, writer, matrix)}[sys.argv[1]]()
    print("ready", flush=True)
    time.sleep(float(sys.argv[2]))
    del engine
