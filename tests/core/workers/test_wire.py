"""Values cross unchanged; whatever else comes out of a child is a protocol error and no more."""

from __future__ import annotations

import json
import os
import random
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import PageText, Probabilities, Section, Word, Words
from core.errors import ModelMissing, ModelUnreadable, Problem, UnreadableDocument
from core.ports import Attachment, FileCell, FileHypothesis, FileRow, FoundName, MatrixFile, OcrPage, Outline, Picture
from core.workers.frames import ProtocolError, frame_at, pack, unpack
from core.workers.wire.documents import (
    attachment_in,
    attachment_out,
    outline_in,
    outline_out,
    page_in,
    page_out,
    picture_in,
    picture_out,
    report_in,
    report_out,
)
from core.workers.wire.errors import error_in, error_out
from core.workers.wire.matrices import matrix_end_in, matrix_head_in, matrix_out, matrix_row_in
from core.workers.wire.names import spans_in, spans_out
from core.workers.wire.ocr import ocr_in, ocr_out
from core.workers.wire.sandbox import sandbox_in
from core.workers.wire.vectors import lengths_in, lengths_out, scores_in, scores_out, vectors_in, vectors_out
from core.workers.wire.verdicts import probabilities_in, probabilities_out
from tests.core.workers.test_frames import Source
from tests.fakes import png


def understand(data: bytes) -> None:
    """What the parent does with a frame, by each of its readings."""
    source = Source(data)
    header, blobs = unpack(source.exactly, header_cap=1 << 16, cap=1 << 20)
    assert source.asked <= 1 << 20
    for reading in (
        lambda: outline_in(header),
        lambda: page_in(header, blobs),
        lambda: picture_in(header, blobs),
        lambda: probabilities_in(header, 2),
        lambda: error_in(header),
        lambda: attachment_in(header, blobs),
        lambda: matrix_head_in(header),
        lambda: matrix_row_in(header, 2),
        lambda: matrix_end_in(header, 1),
        lambda: ocr_in(header, blobs),
        lambda: sandbox_in(header.get("confined")),
        lambda: spans_in(header, blobs, ["Ann saw", "Bo"]),
        lambda: vectors_in(header, blobs, 2, 3),
        lambda: lengths_in(header, 2),
        lambda: scores_in(header, 2),
        lambda: report_in(header, blobs),
    ):
        try:
            # What is taken can be kept: no text in it is beyond UTF-8.
            repr(reading()).encode()
        except ProtocolError:
            pass


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_are_only_a_protocol_error(data):
    try:
        understand(data)
    except (ProtocolError, EOFError):
        pass


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = [
    "type", "blobs", "kind", "pages", "title", "author", "date", "address", "number", "width", "height", "source",
    "confidence", "label", "hidden", "scale", "rows", "class", "details", "why", "sections", "language", "picture",
    "name", "more", "reason", "remedy", "format", "hypotheses", "cells", "problems", "left_out", "confined", "kinds",
    "counts", "scores",
]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=len(KEYS)),
    st.lists(st.binary(max_size=60), max_size=3),
    st.booleans(),
)
def test_headers_with_anything_in_them_are_only_a_protocol_error(header, blobs, honest):
    if honest:
        header["blobs"] = [len(blob) for blob in blobs]
    body = json.dumps(header).encode()
    try:
        understand(struct.pack(">I", len(body)) + body + b"".join(blobs))
    except (ProtocolError, EOFError):
        pass


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_damaged_frames_are_only_a_protocol_error(data):
    page = PageText(1, "Grüße there", Words.of([Word(0, 5, 1, 2, 3, 4)]), 10.0, 20.0, "embedded", 0.5, "iv", ((0, 2),))
    whole = b"".join(page_out(page))
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        understand(bytes(damaged))
    except (ProtocolError, EOFError):
        pass


def real_frames() -> dict[str, bytes]:
    """One frame of every kind that a child may send, with something in every field."""
    page = PageText(
        3, "Grüße there, again", Words.of([Word(0, 5, 1, 2, 3, 4), Word(6, 11, 5, 2, 9, 4)]), 10.0, 20.0, "embedded",
        0.5, "iv", ((0, 2), (3, 5)), hidden_why=("tiny", "colour"),
        sections=(Section(1, "Head", 0), Section(2, "Part", 6)), language="de",
    )  # fmt: skip
    reading = OcrPage("ab cd", Words.of([Word(0, 2, 1, 1, 2, 2), Word(3, 5, 3, 1, 4, 2)]), (0.5, 1.0), (("x",), ()),
                      ("", "cb"), 0.7, "one", 1.5)  # fmt: skip
    matrix = MatrixFile(
        "Pump", "plain table", (FileHypothesis("It was worn", "note"), FileHypothesis("Somebody broke in")),
        (FileRow("Seen", (FileCell("C", "why", "low"), FileCell()), "source", "2026", "H", None, "A", "1", "note"),),
        (Problem("row 1", "odd", "leave it"),), ("a part",),
    )  # fmt: skip
    head, row, end = matrix_out(matrix)
    confined = {"network": True, "files": True, "programs": False, "memory": True, "detail": "by hand"}
    hello = {"type": "ready", "fingerprint": "one", "dimensions": 384, "confined": confined}
    frames = {
        "outline": outline_out(Outline("pdf", 3, "title", "author", "2026", "address")),
        "page": page_out(page),
        "attachment": next(attachment_out(Attachment("in.txt", b"inside"))),
        "picture": picture_out(Picture(png(3, 4), 3, 4, 1.5)),
        "matrix": head,
        "row": row,
        "end": end,
        "ocr": ocr_out(replace(reading, readings=(reading, reading))),
        "verdicts": probabilities_out([Probabilities(0.5, 0.25, 0.25), Probabilities(1, 0, 0)]),
        "spans": spans_out([(FoundName(0, 3, "PERSON"),), (FoundName(0, 2, "PLACE"),)]),
        "vectors": vectors_out([bytes(12), bytes(range(12))]),
        "lengths": lengths_out([3, 1]),
        "scores": scores_out([-1.5, 2]),
        "written": report_out(b"%PDF-1.7"),
        "error": error_out(UnreadableDocument(reason="odd", remedy="leave it")),
        "hello": pack(hello),
    }
    return {kind: b"".join(frame) for kind, frame in frames.items()}


ODD = [
    None, True, -1, 0, 2**31, 2**64, 10**400, 1.5, -0.0, 1e308, float("nan"), float("inf"), "", "x" * 20_001, "\ud800",
    "\x1b[31m", [], {}, [[]], [None], [[0, 0]], {"a": 1}, ["tiny", []], [{}], [[1, "x", 0]], [[1, "\udfff", 1]],
]  # fmt: skip


def odder(value: object, rng: random.Random) -> object:
    """The same JSON value with one part of it made odd."""
    inside = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    if not inside or rng.random() < 0.25:
        return rng.choice(ODD)
    key, part = rng.choice(inside)
    copy = dict(value) if isinstance(value, dict) else list(value)
    if rng.random() < 0.1:
        del copy[key]
    elif rng.random() < 0.1 and isinstance(copy, list):
        copy *= 1_500
    else:
        copy[key] = odder(part, rng)
    return copy


def test_five_thousand_damaged_frames_of_every_kind_take_little_memory():
    rng = random.Random(11)
    frames = real_frames()
    for data in frames.values():
        understand(data)
    memory = resident()
    count = 0
    for number in range(5_000):
        data = frames[rng.choice(list(frames))]
        (length,) = struct.unpack_from(">I", data)
        if number % 3:
            header = json.loads(data[4 : 4 + length])
            for _ in range(rng.randint(1, 3)):
                odd_header = odder(header, rng)
                header = odd_header if isinstance(odd_header, dict) else header
            body = json.dumps(header).encode()
            data = struct.pack(">I", len(body)) + body + data[4 + length :]
        damaged = bytearray(data)
        if number % 3 != 1:
            for _ in range(rng.randint(1, 6)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            del damaged[rng.randrange(len(damaged) + 1) :]
        try:
            understand(bytes(damaged))
            count += 1
        except (ProtocolError, EOFError):
            pass
        buffer = bytearray(damaged)
        while (frame := frame_at(buffer, 0)) is not None:
            assert 0 < frame[0] <= len(buffer)
            del buffer[: frame[0]]
    assert 500 < count < 4_500  # some damage is none, some is seen at once
    assert resident() - memory < 64 << 20


def resident() -> int:
    """Bytes of memory of this process; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def test_names_numbers_and_reports_cross_unchanged():
    def received(frame):
        return unpack(Source(b"".join(frame)).exactly, header_cap=1 << 16, cap=1 << 20)

    names = [(FoundName(0, 3, "PERSON"), FoundName(4, 7, "PLACE")), (), (FoundName(0, 2, "PERSON"),)]
    texts = ["Ann Ayr", "nobody", "Bo"]
    assert spans_in(*received(spans_out(names)), texts) == names
    with pytest.raises(ProtocolError):
        spans_in(*received(spans_out(names)), ["Ann Ayr", "nobody", ""])
    vectors = [bytes(range(12)), bytes(12)]
    assert vectors_in(*received(vectors_out(vectors)), 2, 3) == vectors
    for expected, dimensions in ((1, 3), (2, 4), (3, 3), (0, 3)):
        with pytest.raises(ProtocolError):
            vectors_in(*received(vectors_out(vectors)), expected, dimensions)
    assert lengths_in(received(lengths_out([3, 0]))[0], 2) == [3, 0]
    assert scores_in(received(scores_out([-1.5, 2.0]))[0], 2) == [-1.5, 2.0]
    for odd in (
        {},
        {"counts": [1], "scores": [1]},
        {"counts": [True, 1], "scores": [True, 1]},
        {"counts": 2, "scores": 2},
    ):
        with pytest.raises(ProtocolError):
            lengths_in(odd, 2)
        with pytest.raises(ProtocolError):
            scores_in(odd, 2)
    assert report_in(*received(report_out(b"a report"))) == b"a report"
    with pytest.raises(ProtocolError):
        report_in(*received(report_out(b"")))


def test_pictures_and_errors_cross_unchanged():
    picture = Picture(png(3, 4), 3, 4, 1.5)
    header, blobs = unpack(Source(b"".join(picture_out(picture))).exactly, header_cap=1 << 16, cap=1 << 20)
    assert picture_in(header, blobs) == picture
    for error in (
        UnreadableDocument(reason="It is {odd}.", remedy="Leave it."),
        ModelMissing(role="search", path=Path("/a/b"), effect="search is off"),
        ModelUnreadable(path=Path("/a/b"), reason="cut off", effect="verdicts are off"),
    ):
        header, _ = unpack(Source(b"".join(error_out(error))).exactly, header_cap=1 << 16, cap=0)
        received_error = error_in(header)
        assert type(received_error) is type(error)
        assert (received_error.sentence, received_error.hint) == (error.sentence, error.hint)
    assert probabilities_in({"rows": [[0.5, 0.25, 0.25]]}, 1) == [Probabilities(0.5, 0.25, 0.25)]
