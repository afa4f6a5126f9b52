"""Runs an engine in a child process, so that a hostile file or a bad model kills a child and never the program.

Both ends live here. The parent side (RemoteReader, RemoteWriter, RemoteOcr, RemoteEmbedder, RemoteJudge) implements the
ports of ``core.ports``; the child side (``child_main``) builds the real engine and serves it. They talk over the
child's standard input and output only, in frames:

    4 bytes   length of the header, big endian
    header    one JSON object; "blobs" lists the lengths of the byte strings that follow
    blobs     raw bytes

Nothing is pickled and nothing listens on a port. What comes out of a child is untrusted: lengths are capped before
memory is taken, every field is checked, and anything odd ends the child. No other module starts a process.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import re
import selectors
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import core
from core import paths
from core.documents import headings
from core.domain import HIDDEN, OF_THE_FILE, RATINGS, Level, PageText, Probabilities, Rating, Section, Words
from core.errors import (
    AppError,
    BadInput,
    CannotRunHere,
    EngineStopped,
    LibraryMissing,
    ModelMissing,
    ModelUnreadable,
    NotEnoughMemory,
    PasswordNeeded,
    Problem,
    SeveralMatrices,
    UnreadableDocument,
)
from core.model_files import crash_history, gguf
from core.ports import (
    Attachment,
    Embedder,
    FileCell,
    FileHypothesis,
    FileRow,
    FoundName,
    Judge,
    MatrixFile,
    NameFinder,
    OcrEngine,
    OcrPage,
    Outline,
    PartEnd,
    PartStart,
    Picture,
    Reader,
    Reranker,
    TextModel,
    Writer,
)
from core.progress import Cancelled
from core.workers.sandbox import Confinement, confine

Header = dict[str, Any]

MIB = 1 << 20
REQUEST_HEADER_CAP = 16 * MIB  # texts to embed lie in the header
ANSWER_HEADER_CAP = MIB  # small, because parsed JSON takes up to thirty times its size
ANSWER_CAP = 64 * MIB  # all blobs of one frame from a child: a page picture of 12 Mpx is below 40 MB
MATRIX_CAP = 32 * MIB  # a matrix made elsewhere on its way into a child
DOCUMENT_CAP = 500 * MIB  # a document on its way into a child
TEXT_CAP = 500 * MIB  # the text of one document on its way back
PAGE_CAP = 10_000
_LINES_CAP = 16 * MIB  # what could be headings on one page
_TITLES_CAP = 500_000  # different titles and sizes of letters that are remembered of one document
_PARTED_CAP = 128 * MIB  # a document of which several children hold a copy
_LEAST_PART = 16  # pages
_BLOBS_CAP = 4
BOXES_CAP = 1_000  # lines of a quote that are boxed
_PICTURE_SIDE = 10_000  # pixels
_DETAIL_CAP = 2_000  # characters of one detail of an error
_TAIL = 4_096  # bytes kept of what a child wrote to standard error
_PATIENCE = 5.0  # seconds for a killed child to vanish
_LEAVING = 1.0  # seconds between the end of a child's answers and the end of the child
_LYING = 16 * MIB  # of an answer that nobody has asked for yet
_IN_HAND = 64 * MIB  # of requests and answers of calls that were begun ahead of their turn
_ROOT = Path(__file__).resolve().parents[2]

# Errors that mean the same on both sides: they cross as class name and details.
_CROSSING: dict[str, type[AppError]] = {
    error.__name__: error
    for error in (
        UnreadableDocument,
        PasswordNeeded,
        LibraryMissing,
        ModelMissing,
        ModelUnreadable,
        NotEnoughMemory,
        BadInput,
        SeveralMatrices,
    )
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How long (seconds, while the parent waits) and how much a child may take.

    ``start``: until the engine is loaded. ``item``: one page, picture, batch or passage. ``whole``: one document; a
    long one gets ``page`` seconds for each page instead, where that is more. ``memory``: bytes of address space, 0 for
    no limit. ``files``: documents until the child is replaced, 0 for never. ``processor``: seconds of all cores that a
    call may take even where nobody waits for it, 0 for no limit.
    """

    start: float = 60.0
    item: float = 30.0
    whole: float = 120.0
    page: float = 0.1
    memory: int = 0
    files: int = 0
    processor: int = 0


READER_LIMITS = Limits(memory=2 << 30, files=200, processor=1_800)
# A report of 5,000 rows takes a minute; typesetting maps a file for each font of the computer.
WRITER_LIMITS = Limits(item=600.0, whole=600.0, memory=4 << 30)
# A page takes three to fifteen seconds; each engine has a limit of its own, which it names when it is reached.
OCR_LIMITS = Limits(item=150.0, whole=150.0, memory=4 << 30, files=500, processor=1_800)
MODEL_LIMITS = Limits(start=180.0, item=120.0, whole=120.0)


class ProtocolError(Exception):
    """The other side sent something that is not a frame, or a frame that says nothing sensible."""


# --- frames ----------------------------------------------------------------------------------------------------------


def pack(header: Mapping[str, object], blobs: Sequence[bytes] = ()) -> list[bytes]:
    """A frame as byte strings, to be written one after the other (a document is not copied to be joined)."""
    body = json.dumps({**header, "blobs": [len(blob) for blob in blobs]}, ensure_ascii=True, allow_nan=False).encode()
    if len(body) > REQUEST_HEADER_CAP:
        raise ProtocolError("header too long")
    return [struct.pack(">I", len(body)) + body, *blobs]


def unpack(exactly: Callable[[int], bytes], *, header_cap: int, cap: int) -> tuple[Header, list[bytes]]:
    """Read one frame through ``exactly(n)``, which returns n bytes or raises. ``cap`` bounds all blobs together."""
    (length,) = struct.unpack(">I", exactly(4))
    if not 2 <= length <= header_cap:
        raise ProtocolError("header length out of range")
    try:
        header = json.loads(exactly(length).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError("header is not JSON") from error
    if not isinstance(header, dict):
        raise ProtocolError("header is not an object")
    lengths = header.get("blobs")
    if not isinstance(lengths, list) or len(lengths) > _BLOBS_CAP:
        raise ProtocolError("no list of blob lengths")
    if not all(type(n) is int and n >= 0 for n in lengths) or sum(lengths) > cap:
        raise ProtocolError("blob lengths out of range")
    return header, [exactly(n) for n in lengths]


_LONE = re.compile("[\ud800-\udfff]")  # JSON can say halves of characters, which no file can hold


def _text(header: Header, key: str, *, longest: int = 10_000) -> str:
    value = header.get(key)
    if not isinstance(value, str) or len(value) > longest:
        raise ProtocolError(f"{key} is not a text of at most {longest} characters")
    return _LONE.sub("\ufffd", value)


def _count(header: Header, key: str, *, most: int) -> int:
    value = header.get(key)
    if type(value) is not int or not 0 <= value <= most:
        raise ProtocolError(f"{key} is not a number up to {most}")
    return value


def _number(value: object, *, least: float = 0.0, most: float = 1e9) -> float:
    if type(value) not in (int, float) or not least <= value <= most:  # type: ignore[operator]
        raise ProtocolError("a number is out of range")
    return float(value)  # type: ignore[arg-type]


def _blob(blobs: Sequence[bytes], at: int) -> bytes:
    if at >= len(blobs):
        raise ProtocolError("a byte string is missing")
    return blobs[at]


# Each value crosses through one pair of plain functions. The reading half trusts nothing.


def outline_out(outline: Outline, part: int = 0) -> list[bytes]:
    """``part``: pages of a part of it, where it is read in parts."""
    return pack(
        {
            "type": "outline",
            "kind": outline.kind,
            "pages": outline.pages,
            "title": outline.title,
            "author": outline.author,
            "date": outline.date,
            "address": outline.address,
            "part": part,
        }
    )


def outline_in(header: Header) -> Outline:
    return Outline(
        kind=_text(header, "kind", longest=40),
        pages=_count(header, "pages", most=PAGE_CAP),
        title=_text(header, "title"),
        author=_text(header, "author"),
        date=_text(header, "date"),
        address=_text(header, "address"),
    )


def page_out(page: PageText, lines: headings.Lines | None = None) -> list[bytes]:
    """``lines``: of a page whose sections are yet to be found by them."""
    return pack(
        {
            "type": "page",
            "number": page.number,
            "width": page.width,
            "height": page.height,
            "source": page.source,
            "confidence": page.confidence,
            "label": page.label,
            "hidden": page.hidden,
            "why": page.hidden_why,
            "sections": [[s.level, s.title, s.start] for s in page.sections],
            "language": page.language,
            "picture": page.picture,
        },
        [page.text.encode("utf-8"), page.words.packed, *([] if lines is None else [lines_out(lines)])],
    )


_WORD = struct.Struct("<2I4f")


def page_in(header: Header, blobs: Sequence[bytes]) -> PageText:
    try:
        text = _blob(blobs, 0).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolError("page text is not UTF-8") from error
    packed = _blob(blobs, 1)
    if len(packed) % _WORD.size:
        raise ProtocolError("word boxes are cut off")
    end = len(text)
    for word in _WORD.iter_unpack(packed):
        # A sum that is not a number shows any coordinate that is not one.
        if not (word[0] < word[1] <= end and math.isfinite(word[2] + word[3] + word[4] + word[5])):
            raise ProtocolError("a word box is out of range")
    hidden = header.get("hidden")
    if not isinstance(hidden, list) or len(hidden) > end:
        raise ProtocolError("hidden spans are not a list")
    spans: list[tuple[int, int]] = []
    for span in hidden:
        if not isinstance(span, list) or len(span) != 2 or not all(type(n) is int for n in span):
            raise ProtocolError("a hidden span is not a pair")
        if not (spans[-1][1] if spans else 0) <= span[0] < span[1] <= end:
            raise ProtocolError("a hidden span is out of range")
        spans.append((span[0], span[1]))
    why = header.get("why")
    if not isinstance(why, list) or len(why) not in (0, len(spans)):
        raise ProtocolError("not one reason a hidden span")
    if not all(isinstance(reason, str) and reason in HIDDEN for reason in why):
        raise ProtocolError("hidden spans without a reason")
    source = _text(header, "source", longest=20)
    if source not in (*OF_THE_FILE, "ocr", "none"):
        raise ProtocolError("unknown text source")
    confidence = header.get("confidence")
    return PageText(
        number=_count(header, "number", most=PAGE_CAP),
        text=text,
        words=Words(packed),
        width=_number(header.get("width")),
        height=_number(header.get("height")),
        source=source,
        confidence=None if confidence is None else _number(confidence, most=1.0),
        label=_text(header, "label", longest=200),
        hidden=tuple(spans),
        hidden_why=tuple(why),
        sections=_sections_in(header.get("sections"), end),
        language=_text(header, "language", longest=10),
        picture=_number(header.get("picture"), most=1.0),
    )


def _sections_in(told: Any, end: int) -> tuple[Section, ...]:
    if not isinstance(told, list):
        raise ProtocolError("sections are not a list")
    found: list[Section] = []
    for item in told:
        match item:
            case [int(level), str(title), int(start)] if 1 <= level <= 99 and 0 <= start <= end and len(title) <= 1_000:
                found.append(Section(level, _clean(title), start))
            case _:
                raise ProtocolError("a section is out of form")
    return tuple(found)


def lines_out(lines: headings.Lines) -> bytes:
    """What could be headings on a page, as JSON: there may be more of it than a header holds."""
    found = [[c.size, c.bold, c.title, c.start, c.edge] for c in lines.candidates]
    return json.dumps([lines.sizes, found, lines.most], allow_nan=False).encode()


def lines_in(told: bytes, end: int) -> headings.Lines:
    if len(told) > _LINES_CAP:
        raise ProtocolError("too much that could be a heading")
    try:
        match json.loads(told):
            case [list(sizes), list(found), int(most)] if most >= 0:
                counts = tuple(_size_in(size) for size in sizes)
                return headings.Lines(counts, tuple(_candidate_in(one, end) for one in found), most)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("what could be headings is not JSON") from error
    raise ProtocolError("what could be headings is out of form")


def _size_in(told: Any) -> tuple[float, int]:
    match told:
        case [size, int(count)] if 0 < count <= TEXT_CAP:
            return _number(size, least=0.1), count
    raise ProtocolError("a size of letters is out of form")


def _candidate_in(told: Any, end: int) -> headings.Candidate:
    match told:
        case [size, bool(bold), str(title), int(start), bool(edge)] if 0 <= start <= end and headings.is_title(title):
            return headings.Candidate(_number(size), bold, _LONE.sub("\ufffd", title), start, edge)
    raise ProtocolError("what could be a heading is out of form")


_PIECE = 32 * MIB  # of a file inside a file: one frame
CHILDREN_CAP = 2_100  # files inside one file


def attachment_out(attachment: Attachment) -> Iterator[list[bytes]]:
    """A file inside a file, in as many frames as its size takes."""
    head = {"type": "attachment", "name": attachment.name, "reason": attachment.reason, "remedy": attachment.remedy}
    for at in range(0, max(1, len(attachment.data)), _PIECE):
        yield pack({**head, "more": at + _PIECE < len(attachment.data)}, [attachment.data[at : at + _PIECE]])


def attachment_in(header: Header, blobs: Sequence[bytes]) -> tuple[Attachment, bool]:
    """One piece of a file inside a file, and whether more of it follows."""
    more = header.get("more")
    if not isinstance(more, bool):
        raise ProtocolError("an attachment does not say whether more follows")
    name, reason = _clean(_text(header, "name", longest=1_000)), _clean(_text(header, "reason"))
    if not name or (reason and _blob(blobs, 0)):
        raise ProtocolError("an attachment is without a name, or both there and not there")
    return Attachment(name, _blob(blobs, 0), reason, _clean(_text(header, "remedy"))), more


def picture_out(picture: Picture) -> list[bytes]:
    head = {"type": "picture", "width": picture.width, "height": picture.height, "scale": picture.scale}
    return pack(head, [picture.png])


def picture_in(header: Header, blobs: Sequence[bytes]) -> Picture:
    png = _blob(blobs, 0)
    width, height = _count(header, "width", most=_PICTURE_SIDE), _count(header, "height", most=_PICTURE_SIDE)
    # The program hands these bytes to its own image decoder: at least the size must be what was promised.
    if not png.startswith(b"\x89PNG\r\n\x1a\n") or png[16:24] != struct.pack(">II", width, height):
        raise ProtocolError("the picture is not what it says")
    return Picture(png, width, height, _number(header.get("scale"), most=100.0))


def matrix_out(matrix: MatrixFile) -> Iterator[list[bytes]]:
    """A matrix as frames: its head, one frame a row, the end."""
    yield pack(
        {
            "type": "matrix",
            "title": matrix.title,
            "format": matrix.format,
            "hypotheses": [[h.text, h.note] for h in matrix.hypotheses],
        }
    )
    for row in matrix.rows:
        fields = {name: getattr(row, name) for name in _ROW_TEXTS}
        cells = [[cell.rating, cell.note, cell.confidence] for cell in row.cells]
        levels = {"credibility": row.credibility, "relevance": row.relevance}
        yield pack({"type": "row", "cells": cells, **fields, **levels})
    problems = [[p.where, p.what, p.hint] for p in matrix.problems]
    yield pack({"type": "end", "rows": len(matrix.rows), "problems": problems, "left_out": list(matrix.left_out)})


_ROW_TEXTS: Mapping[str, int] = {  # with the most characters that each may have
    "text": 10_000, "source": 2_000, "date": 40, "reliability": 1, "information": 1, "note": 20_000, "kind": 20,
}  # fmt: skip
_MATRIX_ROWS = 20_000
_MATRIX_COLUMNS = 200
_CONFIDENCES = ("", "low", "medium", "high")


def matrix_head_in(header: Header) -> MatrixFile:
    """The head of a matrix, without its rows."""
    hypotheses = []
    for item in _items(header, "hypotheses", most=_MATRIX_COLUMNS):
        fields = dict(zip(("text", "note"), item if isinstance(item, list) else (), strict=False))
        hypotheses.append(FileHypothesis(_text(fields, "text", longest=1_000), _text(fields, "note", longest=20_000)))
    if not hypotheses:
        raise ProtocolError("a matrix without hypotheses")
    return MatrixFile(_text(header, "title", longest=300), _text(header, "format", longest=40), tuple(hypotheses), ())


def matrix_row_in(header: Header, columns: int) -> FileRow:
    cells = []
    for item in _items(header, "cells", most=columns):
        if not isinstance(item, list) or len(item) != 3:
            raise ProtocolError("a cell is not a rating, a note and a confidence")
        fields = dict(zip(("rating", "note", "confidence"), item, strict=True))
        rating: Rating | None = None
        if fields["rating"] is not None:
            rating = next((known for known in RATINGS if known == fields["rating"]), None)
            if rating is None:
                raise ProtocolError("unknown rating")
        cells.append(
            FileCell(rating, _text(fields, "note", longest=10_000), _one_of(fields, "confidence", _CONFIDENCES))
        )
    if len(cells) != columns:
        raise ProtocolError("not one cell a hypothesis")
    texts = {name: _text(header, name, longest=most) for name, most in _ROW_TEXTS.items()}
    if texts["reliability"] not in ("", *"ABCDEF") or texts["information"] not in ("", *"123456"):
        raise ProtocolError("unknown grade")
    _one_of(header, "kind", ("observation", "assumption"))
    return FileRow(
        cells=tuple(cells),
        credibility=_level(header, "credibility"),
        relevance=_level(header, "relevance"),
        **texts,
    )


def matrix_end_in(header: Header, rows: int) -> tuple[tuple[Problem, ...], tuple[str, ...]]:
    if _count(header, "rows", most=_MATRIX_ROWS) != rows:
        raise ProtocolError("rows are missing")
    problems = []
    for item in _items(header, "problems", most=1_000):
        fields = dict(zip(("where", "what", "hint"), item if isinstance(item, list) else (), strict=False))
        problems.append(Problem(*(_clean(_text(fields, key, longest=1_000)) for key in ("where", "what", "hint"))))
    left_out = [_clean(_text({"it": item}, "it", longest=2_000)) for item in _items(header, "left_out", most=1_000)]
    return tuple(problems), tuple(left_out)


def _items(header: Header, key: str, *, most: int) -> list[Any]:
    value = header.get(key)
    if not isinstance(value, list) or len(value) > most:
        raise ProtocolError(f"{key} is not a list of at most {most}")
    return value


def _one_of(header: Header, key: str, allowed: Sequence[str]) -> str:
    value = header.get(key)
    if not isinstance(value, str) or value not in allowed:
        raise ProtocolError(f"{key} is not one of {', '.join(allowed)}")
    return value


def _level(header: Header, key: str) -> Level | None:
    value = header.get(key)
    if value is None:
        return None
    if value not in ("L", "M", "H"):
        raise ProtocolError(f"{key} is not a level")
    return value  # type: ignore[no-any-return]


_SECOND_READINGS = 2
_OCR_JSON = 8 * MIB


def ocr_out(page: OcrPage) -> list[bytes]:
    """The page and the readings it was made of, one after the other in each of the three blobs."""
    pages = (page, *page.readings)
    heads = [
        {
            "text": len(one.text.encode("utf-8")),
            "words": len(one.words),
            "confidence": one.confidence,
            "engine": one.engine,
            "seconds": one.seconds,
        }
        for one in pages
    ]
    told = [[one.alternatives, one.others] for one in pages]
    words = b"".join(one.words.packed + struct.pack(f"<{len(one.words)}f", *one.confidences) for one in pages)
    texts = b"".join(one.text.encode("utf-8") for one in pages)
    return pack({"type": "ocr", "pages": heads}, [texts, words, json.dumps(told).encode()])


def ocr_in(header: Header, blobs: Sequence[bytes]) -> OcrPage:
    heads = _items(header, "pages", most=1 + _SECOND_READINGS)
    texts, packed = _blob(blobs, 0), _blob(blobs, 1)
    if len(_blob(blobs, 2)) > _OCR_JSON:
        raise ProtocolError("too many other readings")
    try:
        told = json.loads(blobs[2])
    except (ValueError, RecursionError) as error:
        raise ProtocolError("other readings are not JSON") from error
    if not heads or not isinstance(told, list) or len(told) != len(heads):
        raise ProtocolError("not one list of other readings a page")
    pages: list[OcrPage] = []
    at = to = 0
    for head, lists in zip(heads, told, strict=True):
        if not isinstance(head, dict):
            raise ProtocolError("a page is not an object")
        size, count = _count(head, "text", most=len(texts)), _count(head, "words", most=len(packed))
        here, there = at + size, to + count * (_WORD.size + 4)
        if here > len(texts) or there > len(packed):
            raise ProtocolError("a page is cut off")
        boxes, confidences = packed[to : to + count * _WORD.size], packed[to + count * _WORD.size : there]
        pages.append(_ocr_page_in(head, texts[at:here], boxes, confidences, lists))
        at, to = here, there
    if at != len(texts) or to != len(packed):
        raise ProtocolError("more than the pages")
    return replace(pages[0], readings=tuple(pages[1:]))


def _ocr_page_in(head: Header, utf8: bytes, boxes: bytes, confidences: bytes, lists: Any) -> OcrPage:
    try:
        text = utf8.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolError("page text is not UTF-8") from error
    ended = 0
    for start, end, *box in _WORD.iter_unpack(boxes):
        if not (ended <= start < end <= len(text) and math.isfinite(sum(box))):
            raise ProtocolError("a word box is out of range")
        ended = end
    if not isinstance(lists, list) or len(lists) != 2:
        raise ProtocolError("other readings are not two lists")
    alternatives, others = lists
    if not all(isinstance(one, list) and len(one) == len(boxes) // _WORD.size for one in lists):
        raise ProtocolError("not one item a word")
    if not all(isinstance(one, list) and len(one) <= 20 for one in alternatives):
        raise ProtocolError("alternatives are not lists")
    words = [one for some in alternatives for one in some] + others
    if not all(isinstance(one, str) and len(one) <= 10_000 for one in words):
        raise ProtocolError("another reading is not a text")
    return OcrPage(
        text=_clean(text),
        words=Words(boxes),
        confidences=tuple(_number(one, most=1.0) for (one,) in struct.iter_unpack("<f", confidences)),
        alternatives=tuple(tuple(_clean(one) for one in some) for some in alternatives),
        others=tuple(_clean(one) for one in others),
        confidence=_number(head.get("confidence"), most=1.0),
        engine=_clean(_text(head, "engine", longest=500)),
        seconds=_number(head.get("seconds")),
    )


def probabilities_in(header: Header, expected: int) -> list[Probabilities]:
    rows = header.get("rows")
    if not isinstance(rows, list) or len(rows) != expected:
        raise ProtocolError("not one verdict a hypothesis")
    results = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 3:
            raise ProtocolError("a verdict is not three numbers")
        values = [_number(value, most=1.0) for value in row]
        if abs(sum(values) - 1.0) > 1e-3:
            raise ProtocolError("a verdict does not sum to 1")
        results.append(Probabilities(*values))
    return results


def confinement_in(told: Any) -> Confinement:
    match told:
        case {"network": bool(), "files": bool(), "programs": bool(), "memory": bool(), "detail": str(detail)}:
            parts = {key: told[key] for key in ("network", "files", "programs", "memory")}
            return Confinement(**parts, detail=_clean(detail)[:_DETAIL_CAP])
    raise ProtocolError("it does not say how it is confined")


def error_out(error: AppError) -> list[bytes]:
    details = {key: _clean(str(value))[:_DETAIL_CAP] for key, value in error.details.items()}
    return pack({"type": "error", "class": type(error).__name__, "details": details})


def error_in(header: Header) -> AppError:
    kind = _CROSSING.get(_text(header, "class"))
    details = header.get("details")
    if kind is None or not isinstance(details, dict) or len(details) > 10:
        raise ProtocolError("unknown error")
    if not all(isinstance(value, str) and len(value) <= _DETAIL_CAP for value in details.values()):
        raise ProtocolError("error details are not texts")
    try:
        return kind(**{key: _clean(value) for key, value in details.items()})
    except (KeyError, TypeError) as error:
        raise ProtocolError("error details do not fit") from error


def _clean(text: str) -> str:
    """Without control characters and lone surrogates: this may be shown on a terminal or in a window."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", text)


# --- the parent's side -----------------------------------------------------------------------------------------------


def _command(kind: str) -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, "--engine", kind]
    # -P: nothing is imported from the folder that happens to be the current one.
    return [sys.executable, "-P", "-m", "core.workers.apart", kind]


def _environment() -> dict[str, str]:
    """The parent's environment without what could load foreign code or call home."""
    foreign = ("PYTHON", "LD_PRELOAD", "DYLD_", "LLAMA_CPP_LIB_PATH")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    cores = os.cpu_count() or 1
    threads = str(2 if cores <= 2 else cores // 2)
    kept.update(
        PYTHONPATH=str(_ROOT),
        PYTHONUTF8="1",
        OMP_NUM_THREADS=threads,
        # Threads that spin while they wait cost more than they win as soon as anything else runs: embedding beside a
        # compiler took 2.6 times as long, judging 6 times. On an idle machine they would win some 8 %.
        OMP_WAIT_POLICY="passive",
        GOMP_SPINCOUNT="1000",
        OPENBLAS_NUM_THREADS=threads,
        MKL_NUM_THREADS=threads,
        MALLOC_ARENA_MAX="2",
        **core.OFFLINE,
        TOKENIZERS_PARALLELISM="false",
        # A library that gives up would start a debugger, where there is one, to tell where it was.
        GGML_NO_BACKTRACE="1",
    )
    return kept


class _Ended(Exception):
    """The child closed its end or did not answer in time; the text says which."""


class _Child:
    """One running child and its pipes. Used by one thread at a time; ``kill`` may come from any."""

    def __init__(self, command: Sequence[str], options: Mapping[str, object]) -> None:
        self.served = 0
        self.holds = ""  # which document it keeps from the last picture
        self.spent = False  # to be replaced before the next call
        self.stopped = False  # killed on request
        self._tail = b""
        self._silent = False  # it closed its standard error
        self.greeted = False
        self.waited = 0.0  # seconds that the parent waited for it
        self._buffer = bytearray()
        self._outgoing: deque[memoryview] = deque()
        self._ended = False  # it closed its standard output
        posix = os.name == "posix"
        alive, self._alive = os.pipe() if posix else (-1, -1)
        argument = json.dumps({**options, "parent": os.getpid(), "lifeline": alive})
        try:
            self.process = subprocess.Popen(
                [*command, argument],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=_environment(),
                # Not the person's folder: it may be on a medium they want to unplug.
                cwd=Path(sys.executable).parent,
                start_new_session=posix,
                pass_fds=(alive,) if posix else (),
                creationflags=0 if posix else getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError:
            self._close_lifeline()
            raise
        finally:
            if posix:
                os.close(alive)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._in = self.process.stdin.fileno()
        self._out = self.process.stdout.fileno()
        self._err = self.process.stderr.fileno()
        if posix:
            for fd in (self._in, self._out, self._err):
                os.set_blocking(fd, False)
                _widen(fd)

    def post(self, frame: Sequence[bytes]) -> None:
        """Give a frame to be written while its answer, or that of another child, is waited for."""
        self._outgoing.extend(memoryview(part) for part in frame if part)
        if os.name != "posix":
            self._flush()

    def send(self, frame: Sequence[bytes], *, seconds: float) -> None:
        self.post(frame)
        deadline = time.monotonic() + seconds
        while self._outgoing:
            self._wait(deadline, writing=True)

    def receive(
        self, *, seconds: float, beside: Callable[[], Sequence[_Child]] = tuple, moved: Callable[[], None] | None = None
    ) -> tuple[Header, list[bytes]]:
        """The next frame. What the children ``beside`` this one say and are told goes on meanwhile; ``moved`` is called
        after each turn, and its time does not count."""
        deadline = time.monotonic() + seconds

        def exactly(count: int) -> bytes:
            nonlocal deadline
            while len(self._buffer) < count:
                self._wait(deadline, beside=beside())
                if moved is not None:
                    began = time.monotonic()
                    moved()
                    deadline += time.monotonic() - began
            taken = bytes(memoryview(self._buffer)[:count])
            del self._buffer[:count]
            return taken

        return unpack(exactly, header_cap=ANSWER_HEADER_CAP, cap=ANSWER_CAP)

    def _wait(self, deadline: float, *, writing: bool = False, beside: Sequence[_Child] = ()) -> None:
        """Until something was written, or read into the buffer. Standard error is drained meanwhile."""
        if self._ended:
            raise _Ended("")
        began = time.monotonic()
        try:
            moved = exchange((self, *beside), seconds=max(0.0, deadline - began), whole=None if writing else self)
        finally:
            self.waited += time.monotonic() - began
        if self not in moved and time.monotonic() >= deadline:
            raise _Ended("no answer in time")

    def wants_room(self, whole: bool) -> bool:
        """Whether more of its answer may be taken in: of one whose turn it is not, a part only."""
        return not self._ended and (whole or len(self._buffer) < _LYING)

    @staticmethod
    def _lying(fd: int) -> int:
        """Bytes that can be read at once; -1 when the pipe is closed. Windows only."""
        import _winapi
        import msvcrt

        try:
            return int(_winapi.PeekNamedPipe(msvcrt.get_osfhandle(fd), 0)[0])  # type: ignore[attr-defined]
        except OSError:
            return -1

    def _flush(self) -> None:
        while self._outgoing:
            part = self._outgoing[0]
            try:
                written = os.write(self._in, part[:MIB])
            except BlockingIOError:
                return
            except OSError:  # it reads no more; what it said before is still to be heard
                self._outgoing.clear()
                return
            if written == len(part):
                self._outgoing.popleft()
            else:
                self._outgoing[0] = part[written:]

    def _read(self, count: int) -> None:
        try:
            more = os.read(self._out, min(count, MIB))
        except BlockingIOError:
            return
        except OSError:
            more = b""
        self._ended = not more
        self._buffer += more

    def taken_over(self) -> bytearray:
        """Everything it said so far, which it then forgets."""
        said, self._buffer = self._buffer, bytearray()
        return said

    @property
    def said(self) -> bytearray:
        return self._buffer

    def _drain(self) -> None:
        with contextlib.suppress(OSError):
            more = os.read(self._err, 65_536)
            self._tail = (self._tail + more)[-_TAIL:]
            self._silent = not more

    def last_words(self) -> str:
        """The end of what the child wrote to standard error, made safe to show."""
        return _clean(self._tail.decode("utf-8", "replace"))

    def running(self) -> bool:
        return not self.stopped and self.process.poll() is None

    def kill(self) -> None:
        """End the child and whatever it started. Safe from any thread, and twice."""
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                if os.name == "posix":
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()

    def end(self) -> None:
        """Let go of the child: ask, then kill, then close every pipe."""
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        if not self.spent and not self.stopped:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.5)
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self._close_lifeline()

    def _close_lifeline(self) -> None:
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1

    def why(self, reason: str) -> str:
        """Why it ended, in words."""
        if self.stopped:
            return "it was stopped on request"
        if reason:
            return reason
        try:
            code = self.process.wait(_LEAVING)
        except subprocess.TimeoutExpired:
            return "it closed its pipe"
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = str(-code)
            return f"it was killed by signal {name}"
        return f"it ended with code {code}"

    def fault(self) -> str:
        """The fault of the processor or of its memory that ended it; '' for any other end."""
        return "" if self.stopped else crash_history.name(self.process.poll())


def exchange(children: Sequence[_Child], *, seconds: float, whole: _Child | None = None) -> set[_Child]:
    """Write and read whatever can be, for several children at once; those for which something moved.

    Waits until something did, at most ``seconds``. Of the answer of ``whole`` everything is taken in.
    """
    if os.name != "posix":
        return _exchange_polling(children, seconds=seconds, whole=whole)
    owners: dict[int, _Child] = {}
    with selectors.DefaultSelector() as selector:
        for child in children:
            watched = []
            if not child._silent:
                watched.append((child._err, selectors.EVENT_READ))
            if child._outgoing:
                watched.append((child._in, selectors.EVENT_WRITE))
            if child.wants_room(child is whole):
                watched.append((child._out, selectors.EVENT_READ))
            for fd, event in watched:
                selector.register(fd, event)
                owners[fd] = child
        ready = [key.fd for key, _ in selector.select(seconds)]
    moved = set()
    for fd in ready:
        child = owners[fd]
        if fd == child._err:
            child._drain()
            continue
        moved.add(child)
        if fd == child._in:
            child._flush()
        else:
            child._read(MIB)
    return moved


def _exchange_polling(children: Sequence[_Child], *, seconds: float, whole: _Child | None) -> set[_Child]:
    """Windows cannot wait for pipes with select, but it can ask how much lies in one. What is sent was written."""
    deadline, pause = time.monotonic() + seconds, 0.0005
    while True:
        moved = set()
        for child in children:
            if child._lying(child._err) > 0:
                child._drain()
            lying = child._lying(child._out) if child.wants_room(child is whole) else 0
            if lying:
                moved.add(child)
                if lying < 0:
                    child._ended = True
                else:
                    child._read(lying)
        if moved or time.monotonic() >= deadline:
            return moved
        time.sleep(pause)
        pause = min(0.02, pause * 1.5)


def _widen(fd: int) -> None:
    """A pipe of 1 MiB where the system allows it: fewer turns for a large document."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, MIB)


class _Remote:
    """What the remote engines share: start at first use, one call at a time, stop, restart.

    ``command`` replaces the command line of the child (kind and options are added as its last arguments); tests use it
    to run a child of their own.
    """

    kind = ""
    called = ""  # how the person knows this engine
    limits = MODEL_LIMITS
    unharmed: tuple[type[AppError], ...] = ()  # errors after which the same process answers the next call

    def __init__(
        self,
        options: Mapping[str, object],
        *,
        command: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._options = dict(options)
        self._line = [*command, self.kind] if command is not None else _command(self.kind)
        if limits is not None:
            self.limits = limits
        self._options.update(memory=self.limits.memory, processor=self.limits.processor)
        self._turn = threading.Lock()  # held during a call, and while the pages of a document are being read
        self._holder: int | None = None
        self._token = object()
        self._child: _Child | None = None
        self._closed = False
        self._hello: Header = {}
        self._confinement: Confinement | None = None
        self._fault = ""  # what ended the last child that failed, where it was a fault

    # A call is: _begin, send and receive, _finish. A generator keeps its turn between pages.

    def _begin(self, item: str, *, greet: bool = True) -> object:
        if self._mine():
            # This thread left a document half read. Waiting for itself would last for ever, so that reading ends here.
            self._drop()
        else:
            self._turn.acquire()
        self._holder = threading.get_ident()
        self._token = token = object()
        try:
            self._ready(item, greet=greet)
        except BaseException:
            self._finish(token)
            raise
        return token

    def _mine(self) -> bool:
        """Whether a call of this thread is under way."""
        return self._holder == threading.get_ident() and self._turn.locked()

    def _free(self) -> bool:
        return not self._turn.locked()

    def _finish(self, token: object) -> None:
        if self._token is token:
            self._token = object()
            self._holder = None
            self._turn.release()

    def _ready(self, item: str, *, greet: bool = True) -> _Child:
        """The running child; a new one where there is none, it died, or it has served its time."""
        child = self._child
        if child is not None and (child.spent or not child.running()):
            self._drop()
            child = None
        if child is not None:
            if greet:
                self._greet(child, item)
            return child
        child = self._start(item)
        if greet:
            try:
                self._greet(child, item)
            except EngineStopped:
                # It saw no document yet. Perhaps a library lies where it may not look: reading goes before confining,
                # and what is not in force is told.
                # A fault is not for want of a library, and what ends a child may not win more room by it.
                if self._hello or self._options.get("loose") or self._closed or child.stopped or self._fault:
                    raise
                self._options["loose"] = True
                try:
                    child = self._start(item)
                    self._greet(child, item)
                except BaseException:
                    self._options["loose"] = False
                    raise
        return child

    def _start(self, item: str) -> _Child:
        if self._closed:
            raise EngineStopped(engine=self.called, item=item, reason="the program is closing")
        try:
            child = self._child = _Child(self._line, self._options)
        except OSError as error:
            raise EngineStopped(
                engine=self.called, item=item, reason=f"it could not be started: {error.strerror}"
            ) from error
        return child

    def _greet(self, child: _Child, item: str) -> None:
        """Hear that the child is ready, where that was not heard yet."""
        if child.greeted:
            return
        header, _ = self._receive(child, item, self.limits.start)
        if header.get("type") != "ready":
            self._failed(child, item, "it did not say that it is ready")
        try:
            _text(header, "fingerprint", longest=500)
            _count(header, "dimensions", most=8_192)
            self._confinement = confinement_in(header.get("confined"))
        except ProtocolError as error:
            self._failed(child, item, f"it answered out of form: {error}")
        self._hello = header
        child.greeted = True

    def _send(self, child: _Child, item: str, frame: Sequence[bytes]) -> None:
        try:
            child.send(frame, seconds=self.limits.whole)
        except _Ended as error:
            self._failed(child, item, str(error))
        except BaseException:
            self._drop()
            raise

    def _receive(self, child: _Child, item: str, seconds: float) -> tuple[Header, list[bytes]]:
        """The next frame. An error that the child reports is raised here; anything else that goes wrong kills it."""
        teams = _at_work()
        try:
            header, blobs = child.receive(
                seconds=seconds,
                beside=lambda: [other for team in teams for other in team.children() if other is not child],
                moved=teams[-1].look if teams else None,
            )
            kind = header.get("type")
            if kind == "error":
                reported = error_in(header)
            elif kind == "failed":
                self._failed(child, item, _unexpected(header))
        except ProtocolError as error:
            self._failed(child, item, f"it answered out of form: {error}")
        except _Ended as error:
            limit = f"no answer within {seconds:.0f} s" if str(error) else ""
            self._failed(child, item, limit)
        except EngineStopped:
            raise
        except BaseException:
            self._drop()
            raise
        if kind == "error":
            # A parser that met something bad is not used again; a question that was refused before it was read is none.
            child.spent = not isinstance(reported, self.unharmed)
            raise reported
        return header, blobs

    def _failed(self, child: _Child, item: str, reason: str) -> NoReturn:
        why = child.why(reason)
        self._fault = child.fault()
        self._drop()
        raise EngineStopped(engine=self.called, item=item, reason=why)

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.spent = True
            child.end()

    def _about(self, item: str) -> Header:
        if not self._hello:
            if self._mine() and self._child is not None:
                self._greet(self._child, item)
            else:
                self._finish(self._begin(item))
        return self._hello

    @property
    def fingerprint(self) -> str:
        """Library, version and weights, as the child names them. Starts the child the first time."""
        return str(self._about("its start")["fingerprint"])

    @property
    def confinement(self) -> Confinement | None:
        """What the last child said that it cannot do; None before the first one has started."""
        return self._confinement

    def interrupt(self) -> None:
        """Kill the child from any thread. A call that waits for it raises EngineStopped; the next one starts afresh."""
        child = self._child
        if child is not None:
            child.stopped = True
            child.kill()

    def close(self) -> None:
        """End the child for good. Safe from any thread; a call that waits raises EngineStopped."""
        self._closed = True
        if self._turn.acquire(blocking=False):
            try:
                child, self._child = self._child, None
                if child is not None:
                    child.end()
            finally:
                self._turn.release()
        else:
            self.interrupt()


def _unexpected(header: Header) -> str:
    return f"unexpected {_clean(_text(header, 'what', longest=200))}"


# --- calls that are begun before their answer is wanted --------------------------------------------------------------

Key = TypeVar("Key")
_LAST = ("end", "part", "ocr", "error", "failed")  # an answer is whole with a frame of these


class _Call:
    """One call: what is asked, the child that works at it, and the answer as soon as all of it lies here.

    A call that its child had to give up for another one is begun again when its answer is wanted.
    """

    def __init__(
        self,
        head: Header,
        data: bytes,
        item: str,
        *,
        key: str = "",
        told: Sequence[bytes] = (),
        part: Callable[[int], _Call] | None = None,
    ) -> None:
        """``data`` is sent with the header, and ``told`` behind it. ``key``: names data that a child keeps, and that is
        not sent to it again. ``part`` makes the call for the pages from an index on, of a document read in parts."""
        self.item = item
        self._head = head
        self._data = data
        self._key = key
        self._told = told
        self._part = part
        self.more: deque[_Call] = deque()  # for the other parts, in order, as soon as it is known that there are any
        self._remote: _Remote | None = None
        self._child: _Child | None = None
        self._token = object()
        self._answer: bytearray | None = None
        self._failure: Exception | None = None
        self._looked_at = 0  # bytes of the answer
        self.team: _Team | None = None  # set when its turn has come

    @property
    def start(self) -> int:
        """The index of the page that a part begins with."""
        return int(self._head.get("start") or 0)

    def divide(self, outline: Header) -> None:
        """Make the calls for the other parts of the document that begins with this outline, once."""
        part, pages = outline.get("part"), outline.get("pages")
        if self._part is None or self.more or type(part) is not int or type(pages) is not int:
            return
        if _LEAST_PART <= part < pages <= PAGE_CAP:
            self.more.extend(map(self._part, range(part, pages, part)))

    def following(self, at: int, pages: int, told: Sequence[bytes]) -> _Call | None:
        """The call to be answered after the part that ended before page ``at`` of ``pages``: for the next one, at last
        for what lies in the document where an end ``told`` of anything. None: that was all."""
        if at < pages:
            if not (self.more and self.more[0].start == at):
                raise ProtocolError("a part ends where none begins")
            call = self.more.popleft()
        else:
            self.drop()  # parts that are read already, by a child that could not stop
            if not any(told):
                return None
            head = {**self._head, "call": "rest"}
            call = _Call(head, self._data, self.item, key=self._key, told=[b"\n".join(filter(None, told))])
        call.team = self.team
        return call

    def drop(self) -> None:
        """Let go of it and of its parts."""
        self.finish()
        while self.more:
            self.more.popleft().finish()

    def fail(self, failure: Exception) -> None:
        self._failure = failure

    def ready(self) -> None:
        """Begin now what was not begun ahead, or was given up."""
        if self._failure is not None:
            raise self._failure
        if self.team is not None and self._answer is None and not self.under_way():
            self.team.begin(self)

    @property
    def size(self) -> int:
        """Bytes that it holds in this process."""
        said = self._answer if self._answer is not None else self._child.said if self._child is not None else b""
        return (0 if self.start else len(self._data)) + len(said)

    @property
    def limits(self) -> Limits:
        assert self._remote is not None
        return self._remote.limits

    @property
    def waited(self) -> float:
        """Seconds that the parent waited for its child."""
        return self._child.waited if self._child is not None else 0.0

    def begin(self, remote: _Remote, *, greet: bool = False) -> None:
        """Ask; wait for nothing, or until the child has said that it is ready."""
        token = remote._begin(self.item, greet=greet)
        child = remote._child
        assert child is not None
        if self._key and child.holds == self._key:
            child.post(pack({**self._head, "held": True}, self._told))
        else:
            child.served += 1
            child.holds = self._key
            child.post(pack(self._head, [self._data, *self._told]))
        self._remote, self._child, self._token, self._looked_at = remote, child, token, 0

    def waits(self) -> bool:
        """Whether it can be begun."""
        return self._answer is None and self._failure is None and not self.under_way()

    def under_way(self) -> bool:
        """Whether a child works at it, or its answer lies in the pipe."""
        return self._answer is None and self._remote is not None and self._remote._token is self._token

    def child(self) -> _Child | None:
        return self._child if self.under_way() else None

    def full(self) -> bool:
        """Whether its child has to wait until its answer is taken."""
        return self._child is not None and not self._child.wants_room(False)

    def look(self) -> None:
        """Take the answer over if it is whole, so that the child is free for another call."""
        child, remote = self.child(), self._remote
        if child is None or remote is None or self._failure is not None:
            return
        said = child.said
        at, last = self._looked_at, ""
        while (frame := _frame_at(said, at)) is not None:
            at, header = frame
            last = header["type"]
            if last == "outline":
                self.divide(header)
            if not child.greeted:
                try:
                    remote._greet(child, self.item)
                except AppError as error:
                    self.fail(error)
                    self.finish()
                    return
                at, last = 0, ""
        self._looked_at = at
        if last in _LAST and at == len(said):
            self._answer = child.taken_over()
            child.spent = child.spent or last in ("error", "failed")
            self._release(remote, child)

    def _release(self, remote: _Remote, child: _Child) -> None:
        if remote.limits.files and child.served >= remote.limits.files:
            child.spent = True
        remote._finish(self._token)

    def receive(self, item: str, seconds: float) -> tuple[Header, list[bytes]]:
        """The next frame of the answer. Raises what the child reports, and EngineStopped."""
        if self._failure is not None:
            raise self._failure
        remote, child = self._remote, self._child
        assert remote is not None
        assert child is not None
        if self._answer is None:
            if remote._token is not self._token:
                reason = "another document was opened meanwhile"
                raise EngineStopped(engine=remote.called, item=item, reason=reason)
            remote._greet(child, item)
            return remote._receive(child, item, seconds)
        _pump()
        try:
            header, blobs = unpack(_taking(self._answer), header_cap=ANSWER_HEADER_CAP, cap=ANSWER_CAP)
            if header.get("type") == "error":
                raise error_in(header)
            if header.get("type") == "failed":
                self.failed(item, _unexpected(header))
        except (ProtocolError, EOFError) as error:
            self.failed(item, f"it answered out of form: {error}")
        return header, blobs

    def failed(self, item: str, reason: str) -> NoReturn:
        remote, child = self._remote, self._child
        assert remote is not None
        assert child is not None
        if self._answer is None:
            remote._failed(child, item, reason)
        child.spent = True  # it may be at another document by now, and is replaced after that
        raise EngineStopped(engine=remote.called, item=item, reason=reason)

    def finish(self, *, whole: bool = False) -> None:
        """Let the child go. One that was not heard to the end is ended: its answer may still lie in the pipe."""
        remote, child = self._remote, self._child
        if remote is None or child is None or not self.under_way():
            return
        if whole:
            self._release(remote, child)
            return
        remote._drop()
        remote._finish(self._token)


def _frame_at(said: bytearray, at: int) -> tuple[int, Header] | None:
    """Where the frame that begins at ``at`` ends, and its header. None: not all of it is there, or it is no frame."""
    if len(said) < at + 4:
        return None
    (length,) = struct.unpack_from(">I", said, at)
    if length > ANSWER_HEADER_CAP or len(said) < at + 4 + length:
        return None
    try:
        header = json.loads(said[at + 4 : at + 4 + length])
        size, kind = sum(header["blobs"]), header["type"]
        if not isinstance(kind, str):
            return None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    end = at + 4 + length + size
    if type(size) is not int or size < 0 or end > len(said):
        return None
    return end, header


def _taking(data: bytearray) -> Callable[[int], bytes]:
    """Bytes taken off the beginning of ``data``."""

    def exactly(count: int) -> bytes:
        if len(data) < count:
            raise EOFError
        taken = bytes(memoryview(data)[:count])
        del data[:count]
        return taken

    return exactly


_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class ToRead:
    """A document to be read. See core.ports.Reader."""

    data: bytes
    name: str
    password: str = ""

    def call(self, *, beside: bool = False) -> _Call:
        """``beside``: others can read parts of it meanwhile."""
        shown = _clean(self.name)
        if len(self.data) > DOCUMENT_CAP:
            raise _too_large(shown)
        head = {"call": "read", "name": shown, "password": self.password}
        if not beside or len(self.data) > _PARTED_CAP:
            return _Call(head, self.data, shown)
        key = f"document {next(_numbers)}"

        def part(start: int) -> _Call:
            return _Call({**head, "call": "part", "start": start}, self.data, shown, key=key, part=part)

        return part(0)

    def answer(self, call: _Call) -> Iterator[Outline | PageText | Attachment]:
        return _read_items(call)

    def plainly(self, reader: Reader) -> Iterator[Outline | PageText | Attachment]:
        return reader.read(self.data, self.name, password=self.password)


def _read_items(call: _Call) -> Iterator[Outline | PageText | Attachment]:
    """What a reader answers, checked. Ends the child where it is left early."""
    first = call
    call.ready()
    shown, limits = call.item, call.limits
    waited, before, whole, number, size = call.waited, 0.0, limits.whole, 0, 0
    outline: Outline | None = None
    heard = resting = False  # anything of this call; whether all pages are there
    found = headings.Headings()
    told: list[bytes] = []
    inside, taken = 0, 0
    pieces: list[bytes] = []
    done = False
    try:
        while True:
            item = f"page {number + 1} of {shown}" if outline else shown
            # A format without pages is read as a whole before anything is known about it. Only the time that this
            # process waits counts, not what the caller takes for a page.
            patience = limits.item if heard else whole
            header, blobs = call.receive(item, min(patience, max(0.0, whole - before - (call.waited - waited))))
            kind, heard = header.get("type"), True
            try:
                if kind == "outline" and not outline:
                    outline = outline_in(header)
                    whole = max(whole, limits.page * outline.pages)
                    call.divide(header)
                    yield outline
                elif kind == "page" and outline and not resting:
                    page = page_in(header, blobs)
                    number, size = number + 1, size + len(page.text)
                    if page.number != number or number > PAGE_CAP or size > TEXT_CAP:
                        raise ProtocolError("pages out of order or too many")
                    if len(blobs) > 2:
                        page = replace(page, sections=found.on(lines_in(blobs[2], len(page.text))))
                        if found.held > _TITLES_CAP:
                            raise ProtocolError("too many titles")
                    yield page
                elif kind == "attachment" and outline:
                    attachment, more = attachment_in(header, blobs)
                    pieces.append(attachment.data)
                    taken += len(attachment.data)
                    if taken > DOCUMENT_CAP or inside >= CHILDREN_CAP:
                        raise ProtocolError("too much inside")
                    if not more:
                        inside += 1
                        attachment = replace(attachment, data=pieces[0] if len(pieces) == 1 else b"".join(pieces))
                        pieces = []
                        yield attachment
                elif kind == "part" and outline and not pieces and not resting:
                    told.append(_blob(blobs, 0))
                    if number != _count(header, "next", most=PAGE_CAP) or sum(map(len, told)) > ANSWER_CAP:
                        raise ProtocolError("a part ends elsewhere than its pages, or tells too much")
                    following = first.following(number, outline.pages, told)
                    call.finish(whole=True)
                    before += call.waited - waited
                    if following is None:
                        break
                    call, resting, heard = following, number >= outline.pages, False
                    _pump()
                    call.ready()
                    waited = call.waited
                elif kind == "end" and outline and not pieces and (resting or call is first):
                    break
                else:
                    raise ProtocolError("neither outline nor page")
            except ProtocolError as error:
                call.failed(item, f"it answered out of form: {error}")
        done = True
    except UnreadableDocument:
        done = True
        raise
    finally:
        call.finish(whole=done)
        first.drop()


class _Team:
    """Engines of one kind that work side by side at calls taken from ``jobs``, some ahead of their turn."""

    def __init__(self, engines: Sequence[_Remote], jobs: Iterator[tuple[Any, Any]]) -> None:
        self.calls: deque[tuple[Any, Any, _Call | None]] = deque()
        self._engines = engines
        self._jobs = jobs
        self._over: BaseException | None = None  # why no more jobs come
        self._looking = False
        self.current: _Call | None = None  # whose turn it is

    def ahead(self) -> Iterator[_Call]:
        """Those whose turn it is not yet, in order."""
        if self.current is not None:
            yield from self.current.more
        for _, _, call in self.calls:
            if call is not None:
                yield call
                yield from call.more

    def children(self) -> list[_Child]:
        """Those at work whose turn it is not yet."""
        return [child for call in self.ahead() if (child := call.child()) is not None]

    def look(self) -> None:
        """Free the children whose answers are whole, and give the free ones work."""
        if self._looking:
            return
        self._looking = True
        try:
            for call in self.ahead():
                call.look()
            for engine in self._engines:
                while engine._free() and self._one_more(engine):
                    pass
        finally:
            self._looking = False

    def _one_more(self, engine: _Remote) -> bool:
        """Begin the next part of a document, or the next job. False: there is none, or enough is ahead."""
        ahead = list(self.ahead())
        if sum(call.size for call in ahead) > _IN_HAND:
            return False
        part = next((call for call in ahead if call.start and call.waits()), None)
        if part is not None and sum(not call.waits() for call in ahead) < 4 * len(self._engines):
            try:
                part.begin(engine)
            except AppError as error:
                part.fail(error)
            return True
        if self._over is not None or len(self.calls) >= 4 * len(self._engines):
            return False
        self._take(engine)
        return True

    def _take(self, engine: _Remote | None) -> None:
        """The next job, begun if there is an engine for it. What goes wrong with it is told when its turn comes."""
        try:
            key, job = next(self._jobs)
        except StopIteration as end:
            self._over = end
            return
        except (Exception, Cancelled) as error:
            self._over = error
            return
        call = None
        if job is not None:
            try:
                call = job.call(beside=len(self._engines) > 1)
                if engine is not None:
                    call.begin(engine)
            except AppError as error:
                call = call or _Call({}, b"", "")
                call.fail(error)
        self.calls.append((key, job, call))

    def next(self) -> tuple[Any, Any, _Call | None] | None:
        """The job whose turn it is, with its call; None when all are done. Raises what went wrong with the jobs."""
        self.look()
        if not self.calls and self._over is None:
            self._take(None)
        if self.calls:
            return self.calls.popleft()
        if isinstance(self._over, StopIteration):
            return None
        assert self._over is not None
        raise self._over

    def begin(self, call: _Call) -> None:
        """Begin a call whose turn it is and which no child is at."""
        deadline = time.monotonic() + max(engine.limits.whole for engine in self._engines)
        while not any(engine._free() for engine in self._engines) and time.monotonic() < deadline:
            # All are ahead with other work of this thread: one is free as soon as its answer is whole and lies here.
            ahead = [call for team in _at_work() for call in team.ahead() if call.under_way()]
            if all(other.full() for other in ahead):
                break
            exchange([child for other in ahead if (child := other.child()) is not None], seconds=0.1)
            for other in ahead:
                other.look()
        engine = next((engine for engine in self._engines if engine._free()), self._engines[-1])
        call.begin(engine)

    def end(self) -> None:
        for _, _, call in self.calls:
            if call is not None:
                call.drop()


_of_thread = threading.local()


def _at_work() -> list[_Team]:
    """The teams of this thread, the innermost last."""
    if not hasattr(_of_thread, "teams"):
        _of_thread.teams = []
    teams: list[_Team] = _of_thread.teams
    return teams


def _pump() -> None:
    """Let the children at work go on while this process is busy with what lies here already."""
    teams = _at_work()
    children = [child for team in teams for child in team.children()]
    if children:
        exchange(children, seconds=0)
        teams[-1].look()


def _side_by_side(engines: Sequence[Any], jobs: Iterable[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
    if not all(isinstance(engine, _Remote) for engine in engines):
        for key, job in jobs:
            yield key, None if job is None else job.plainly(engines[0])
        return
    with contextlib.suppress(AppError):
        engines[0]._about("its start")  # so that one that cannot start with all it is denied starts with less
    for engine in engines[1:]:
        engine._options["loose"] = engines[0]._options.get("loose", False)
    team = _Team(engines, iter(jobs))
    teams = _at_work()
    teams.append(team)
    try:
        while (found := team.next()) is not None:
            key, job, call = found
            if call is None:
                yield key, None
                continue
            call.team, team.current = team, call
            try:
                yield key, job.answer(call)
            finally:
                call.drop()
                team.current = None
    finally:
        teams.remove(team)
        team.end()


def each_read(
    readers: Sequence[Reader], jobs: Iterable[tuple[Key, ToRead | None]]
) -> Iterator[tuple[Key, Iterator[Outline | PageText | Attachment] | None]]:
    """What ``Reader.read`` gives for each document, in the order of ``jobs``; the readers work side by side.

    Documents are taken from ``jobs`` ahead of their turn, as readers are free; a job without a document (None) only
    keeps its place. What cannot be read is told when the answer is iterated. An answer is to be used before the next
    one is asked for. May be nested: what is inside a document can be read by the same readers meanwhile.
    """
    return _side_by_side(readers, jobs)


def each_scan(
    engines: Sequence[OcrEngine], jobs: Iterable[tuple[Key, ToScan | None]]
) -> Iterator[tuple[Key, Callable[[], OcrPage] | None]]:
    """What ``OcrEngine.read`` gives for each picture, in the order of ``jobs``; the engines work side by side.

    The same as ``each_read``. The page, or the error, comes when the answer is called.
    """
    return _side_by_side(engines, jobs)


class RemoteReader(_Remote):
    """The document reader in a child process. See core.ports.Reader."""

    kind = "reader"
    called = "document reader"
    limits = READER_LIMITS

    def __init__(self, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({}, command=command, limits=limits)

    def read(self, data: bytes, name: str, *, password: str = "") -> Iterator[Outline | PageText | Attachment]:
        """The outline, then page after page as the child finds them. Leaving early ends the child."""
        call = ToRead(data, name, password).call()
        call.begin(self, greet=True)
        yield from _read_items(call)

    def render(
        self,
        data: bytes,
        name: str,
        page: int,
        *,
        scale: float,
        password: str = "",
        clip: tuple[float, float, float, float] | None = None,
    ) -> Picture:
        """A page as a picture. The child keeps the document, so that turning its pages does not send it again."""
        part = None if clip is None else list(clip)
        return self._picture(data, name, page, {"call": "render", "scale": scale, "password": password, "clip": part})

    def crop(
        self,
        data: bytes,
        name: str,
        page: int,
        boxes: Sequence[tuple[float, float, float, float]],
        *,
        scale: float,
        password: str = "",
    ) -> Picture:
        """A part of a page. Pages of one document that follow each other are cut out without sending it again."""
        kept = [list(box) for box in boxes[:BOXES_CAP]]
        return self._picture(data, name, page, {"call": "crop", "scale": scale, "boxes": kept, "password": password})

    def _picture(self, data: bytes, name: str, page: int, call: Header) -> Picture:
        shown = _clean(name)
        item = f"the picture of page {page} of {shown}"
        if len(data) > DOCUMENT_CAP:
            raise _too_large(shown)
        token = self._begin(item)
        try:
            child = self._ready(item)
            key = f"{len(data)} {hash(data)}"
            known = child.holds == key
            if not known:
                child.served += 1
            self._send(child, item, pack({**call, "name": shown, "page": page}, [] if known else [data]))
            child.holds = key
            header, blobs = self._receive(child, item, self.limits.item)
            try:
                picture = picture_in(header, blobs)
            except ProtocolError as error:
                self._failed(child, item, f"it answered out of form: {error}")
            if self.limits.files and child.served >= self.limits.files:
                child.spent = True
            return picture
        finally:
            self._finish(token)

    def read_matrix(self, data: bytes, name: str, *, choose: str = "") -> MatrixFile:
        """A matrix made elsewhere. Given back only when the child has said that it is whole."""
        shown = _clean(name)
        if len(data) > MATRIX_CAP:
            raise BadInput(
                reason=f"{shown} is larger than {MATRIX_CAP // MIB} MB, which no matrix is. Nothing was brought in.",
                remedy="Check that it is the right file.",
            )
        token = self._begin(shown)
        done = False
        try:
            child = self._ready(shown)
            child.served += 1
            self._send(child, shown, pack({"call": "matrix", "name": shown, "choose": choose[:1_000]}, [data]))
            rows: list[FileRow] = []
            try:
                header, _ = self._receive(child, shown, self.limits.item)
                if header.get("type") != "matrix":
                    raise ProtocolError("no matrix")
                head = matrix_head_in(header)
                while True:
                    header, _ = self._receive(child, shown, self.limits.item)
                    if header.get("type") == "end":
                        problems, left_out = matrix_end_in(header, len(rows))
                        break
                    if header.get("type") != "row" or len(rows) >= _MATRIX_ROWS:
                        raise ProtocolError("neither a row nor the end")
                    rows.append(matrix_row_in(header, len(head.hypotheses)))
            except ProtocolError as error:
                self._failed(child, shown, f"it answered out of form: {error}")
            if self.limits.files and child.served >= self.limits.files:
                child.spent = True
            done = True
            return replace(head, rows=tuple(rows), problems=problems, left_out=left_out)
        except (BadInput, SeveralMatrices):
            done = True
            raise
        finally:
            if not done and self._token is token:
                self._drop()
            self._finish(token)


def _too_large(name: str) -> UnreadableDocument:
    return UnreadableDocument(
        reason=f"{name} is larger than {DOCUMENT_CAP // MIB} MB.", remedy="Split it into smaller files and add those."
    )


class RemoteWriter(_Remote):
    """Sets reports in a child process. See core.ports.Writer."""

    kind = "writer"
    called = "report writer"
    limits = WRITER_LIMITS

    def __init__(self, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({}, command=command, limits=limits)

    def write(self, form: str, report: bytes, pictures: Mapping[str, bytes]) -> bytes:
        item = f"the report as {_clean(form)[:20].upper()}"
        token = self._begin(item)
        try:
            child = self._ready(item)
            listed = [[name, len(png)] for name, png in pictures.items()]
            head = {"call": "write", "form": form, "pictures": listed}
            self._send(child, item, pack(head, [report, b"".join(pictures.values())]))
            header, blobs = self._receive(child, item, self.limits.item)
            if header.get("type") != "written" or len(blobs) != 1 or not blobs[0]:
                self._failed(child, item, "it answered out of form: not one file")
            return blobs[0]
        finally:
            self._finish(token)


class RemoteOcr(_Remote):
    """Reads scans in a child process. See core.ports.OcrEngine."""

    kind = "ocr"
    called = "reader of scans"
    limits = OCR_LIMITS

    def __init__(
        self, folder: Path | None = None, *, command: Sequence[str] | None = None, limits: Limits | None = None
    ) -> None:
        data = None if folder is None else str(Path(folder).absolute())
        super().__init__({"folder": data}, command=command, limits=limits)

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        call = ToScan(png, width, height, languages).call()
        call.begin(self, greet=True)
        return _page_of(call)


@dataclass(frozen=True, slots=True)
class ToScan:
    """The picture of a page to be read. See core.ports.OcrEngine."""

    png: bytes
    width: float
    height: float
    languages: tuple[str, ...] = ("eng",)

    def call(self, *, beside: bool = False) -> _Call:
        head = {"call": "ocr", "width": self.width, "height": self.height, "languages": list(self.languages)}
        return _Call(head, self.png, "the picture of a page")

    def answer(self, call: _Call) -> Callable[[], OcrPage]:
        return lambda: _page_of(call)

    def plainly(self, engine: OcrEngine) -> Callable[[], OcrPage]:
        return lambda: engine.read(self.png, width=self.width, height=self.height, languages=self.languages)


def _page_of(call: _Call) -> OcrPage:
    """What a reader of scans answers, checked."""
    call.ready()
    done = False
    try:
        header, blobs = call.receive(call.item, call.limits.item)
        try:
            if header.get("type") != "ocr":
                raise ProtocolError("no page")
            page = ocr_in(header, blobs)
        except ProtocolError as error:
            call.failed(call.item, f"it answered out of form: {error}")
        done = True
        return page
    except (UnreadableDocument, BadInput):
        done = True
        raise
    finally:
        call.finish(whole=done)


class RemoteEmbedder(_Remote):
    """The search model in a child process. See core.ports.Embedder."""

    kind = "embedder"
    called = "search model"

    def __init__(self, folder: Path, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({"folder": str(Path(folder).absolute())}, command=command, limits=limits)

    @property
    def dimensions(self) -> int:
        return int(self._about("its start")["dimensions"])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return self._embed(texts, queries=False)

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        return self._embed(texts, queries=True)

    def pieces(self, texts: Sequence[str]) -> list[int]:
        if not texts:
            return []
        token = self._begin("a query")
        try:
            child = self._ready("a query")
            self._send(child, "a query", pack({"call": "pieces", "texts": list(texts)}))
            header, _ = self._receive(child, "a query", self.limits.item)
            counts = header.get("counts")
            if not isinstance(counts, list) or len(counts) != len(texts) or any(type(n) is not int for n in counts):
                self._failed(child, "a query", "it answered out of form: not one number a text")
            return counts
        finally:
            self._finish(token)

    def _embed(self, texts: Sequence[str], *, queries: bool) -> list[bytes]:
        if not texts:
            return []
        item = f"{len(texts)} passages" if len(texts) > 1 else "a passage"
        token = self._begin(item)
        try:
            child = self._ready(item)
            self._send(child, item, pack({"call": "embed", "texts": list(texts), "queries": queries}))
            header, blobs = self._receive(child, item, self.limits.item)
            size = 4 * int(self._hello["dimensions"])
            if header.get("type") != "vectors" or len(blobs) != 1 or len(blobs[0]) != size * len(texts):
                self._failed(child, item, "it answered out of form: not one vector a text")
            return [blobs[0][at : at + size] for at in range(0, len(blobs[0]), size)]
        finally:
            self._finish(token)


class RemoteReranker(_Remote):
    """A late-interaction model in a child process. See core.ports.Reranker."""

    kind = "reranker"
    called = "ranking model"

    def __init__(self, folder: Path, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({"folder": str(Path(folder).absolute())}, command=command, limits=limits)

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        item = f"{len(passages)} passages"
        token = self._begin(item)
        try:
            child = self._ready(item)
            self._send(child, item, pack({"call": "score", "query": query, "passages": list(passages)}))
            header, _ = self._receive(child, item, self.limits.item)
            scores = header.get("scores")
            if not isinstance(scores, list) or len(scores) != len(passages):
                self._failed(child, item, "it answered out of form: not one number a passage")
            try:
                return [_number(score, least=-1e9) for score in scores]
            except ProtocolError:
                self._failed(child, item, "it answered out of form: what is no number")
        finally:
            self._finish(token)


_SPAN = struct.Struct("<4I")  # text, start, end, kind
_KINDS_CAP = 500  # kinds of names of one model
_ITEM_TEXT = 100_000  # characters that the limit of time is for


def spans_out(found: Sequence[Sequence[FoundName]]) -> list[bytes]:
    """The names in texts: their kinds once, and four numbers a name."""
    kinds = {kind: at for at, kind in enumerate(dict.fromkeys(name.kind for names in found for name in names))}
    packed = [
        _SPAN.pack(text, name.start, name.end, kinds[name.kind]) for text, names in enumerate(found) for name in names
    ]
    return pack({"type": "spans", "kinds": list(kinds)}, [b"".join(packed)])


def spans_in(header: Header, blobs: Sequence[bytes], texts: Sequence[str]) -> list[tuple[FoundName, ...]]:
    if header.get("type") != "spans" or len(blobs) != 1 or len(blobs[0]) % _SPAN.size:
        raise ProtocolError("not the names of texts")
    kinds = header.get("kinds")
    if not isinstance(kinds, list) or len(kinds) > _KINDS_CAP:
        raise ProtocolError("kinds are not a list")
    if not all(isinstance(kind, str) and 0 < len(kind) <= 40 for kind in kinds):
        raise ProtocolError("a kind is not a word")
    kinds = [_clean(kind) for kind in kinds]
    found: list[list[FoundName]] = [[] for _ in texts]
    at = 0
    for text, start, end, kind in _SPAN.iter_unpack(blobs[0]):
        if not at <= text < len(texts) or kind >= len(kinds):
            raise ProtocolError("a name is out of range")
        at = text
        written, before = texts[text], found[text][-1].end if found[text] else 0
        if not before <= start < end <= len(written) or written[start].isspace() or written[end - 1].isspace():
            raise ProtocolError("a name is out of range")
        found[text].append(FoundName(start, end, kinds[kind]))
    return [tuple(names) for names in found]


class RemoteNames(_Remote):
    """A model that finds names in a child process. See core.ports.NameFinder."""

    kind = "names"
    called = "model for names"

    def __init__(self, folder: Path, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({"folder": str(Path(folder).absolute())}, command=command, limits=limits)

    def find(self, texts: Sequence[str]) -> list[tuple[FoundName, ...]]:
        if not texts:
            return []
        item = f"{len(texts)} texts" if len(texts) > 1 else "a text"
        # Half a character, which JSON and a few file formats can say, becomes one that has the same place.
        told = [_LONE.sub("\ufffd", text).encode("utf-8") for text in texts]
        token = self._begin(item)
        try:
            child = self._ready(item)
            self._send(child, item, pack({"call": "names", "lengths": [len(one) for one in told]}, [b"".join(told)]))
            seconds = self.limits.item * max(1.0, sum(map(len, texts)) / _ITEM_TEXT)
            header, blobs = self._receive(child, item, seconds)
            try:
                return spans_in(header, blobs, texts)
            except ProtocolError as error:
                self._failed(child, item, f"it answered out of form: {error}")
        finally:
            self._finish(token)


Answer = TypeVar("Answer")


class _LanguageModel(_Remote):
    """A GGUF model in a child process. Where its process ends by a fault, it is tried with plain settings, once; what
    came of it is remembered (core.model_files.crash_history)."""

    unharmed = (BadInput,)

    def __init__(
        self,
        model: Path,
        adapter: Path | None = None,
        *,
        sha256: str = "",
        command: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """``sha256``: what the weights must have, where that is known; '' for whatever lies there."""
        self._model = Path(model).absolute()
        files = {
            "model": str(self._model),
            "adapter": None if adapter is None else str(Path(adapter).absolute()),
            "sha256": sha256,
        }
        super().__init__(files, command=command, limits=limits)

    def _ready(self, item: str, *, greet: bool = True) -> _Child:
        self._fault = ""
        if self._child is None and not self._options.get("plain"):
            outcome, fault = crash_history.known(self._model)
            if outcome == "never":
                raise CannotRunHere(path=self._model, fault=crash_history.words(fault))
            self._options["plain"] = outcome == "plain"
        try:
            return super()._ready(item, greet=greet)
        except EngineStopped:
            fault = self._fault
            self._refuse_given_up()
            if not fault or self._options.get("plain"):
                raise
        self._options["plain"] = True
        try:
            child = super()._ready(item, greet=greet)
        except EngineStopped as error:
            self._options["plain"] = False
            self._refuse_given_up()
            if not self._fault:
                raise
            crash_history.remember(self._model, "never", self._fault)
            raise CannotRunHere(path=self._model, fault=crash_history.words(self._fault)) from error
        crash_history.remember(self._model, "plain", fault)
        return child

    def _refuse_given_up(self) -> None:
        """The library ends its process over a file that it cannot make sense of: no fault of this computer."""
        if self._fault == crash_history.GAVE_UP:
            raise ModelUnreadable(path=self._model, reason="the loader gave up on it", effect=gguf.EFFECT)

    def _asked(self, item: str, call: Header, seconds: float, read: Callable[[Header], Answer]) -> Answer:
        """The answer to a call. A fault in the midst of it is tried again with plain settings before it is told."""
        token = self._begin(item)
        try:
            try:
                return self._answer(item, call, seconds, read)
            except EngineStopped as first:
                fault = self._fault
                if not fault or self._options.get("plain"):
                    raise
                self._options["plain"] = True
                try:
                    answer = self._answer(item, call, seconds, read)
                except AppError:
                    # It was the passage, then, and not the settings.
                    self._options["plain"] = False
                    self._drop()
                    raise first from None
                crash_history.remember(self._model, "plain", fault)
                return answer
        finally:
            self._finish(token)

    def _answer(self, item: str, call: Header, seconds: float, read: Callable[[Header], Answer]) -> Answer:
        self._fault = ""
        child = self._ready(item)
        self._send(child, item, pack(call))
        header, _ = self._receive(child, item, seconds)
        try:
            return read(header)
        except ProtocolError as error:
            self._failed(child, item, f"it answered out of form: {error}")


class RemoteJudge(_LanguageModel):
    """The judging model in a child process. See core.ports.Judge."""

    kind = "judge"
    called = "language model"

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        if not hypotheses:
            return []
        call = {"call": "judge", "passage": passage, "hypotheses": list(hypotheses)}
        # The limit is one passage with one hypothesis; many hypotheses get their share each.
        seconds = self.limits.item * max(1.0, len(hypotheses) / 4)
        return self._asked("a passage", call, seconds, lambda header: probabilities_in(header, len(hypotheses)))

    def speed(self) -> float:
        """Tokens that it reads a second; takes some seconds, for a large model a minute."""
        return self._asked("its speed", {"call": "speed"}, self.limits.item * 4, lambda h: _number(h.get("speed")))


WORDS_CAP = 1_024  # tokens that a text model may be asked for


class RemoteTextModel(_LanguageModel):
    """A language model that words drafts, in a child process. See core.ports.TextModel."""

    kind = "text"
    called = "wording model"

    def write(self, order: str, material: str = "", *, most: int = 160) -> str:
        most = min(most, WORDS_CAP)
        call = {"call": "word", "order": order, "material": material, "most": most}
        seconds = self.limits.item * max(1.0, most / 100)
        return self._asked("a draft", call, seconds, lambda header: _text(header, "text", longest=most * 64))


# --- the child's side ------------------------------------------------------------------------------------------------

Factory = Callable[
    [Mapping[str, Any]], Reader | Embedder | Reranker | NameFinder | Judge | TextModel | Writer | OcrEngine
]


def _reader(_options: Mapping[str, Any]) -> Reader:
    from core.engines.readers.dispatch import FileReader

    return FileReader()


def _embedder(options: Mapping[str, Any]) -> Embedder:
    from core.engines.embedding import bert_onnx
    from core.model_files.embedding_folder import look_at

    folder = look_at(Path(options["folder"]))
    if bert_onnx.fits(folder):
        return bert_onnx.EncoderEmbedder(folder)
    # Where torch would keep what it compiles, which here is nothing: it asks for a folder that is there.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = options["folder"]
    from core.engines.embedding.sentence_transformer import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(folder)


def _reranker(options: Mapping[str, Any]) -> Reranker:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = options["folder"]
    from core.engines.embedding.late_interaction import MultiVectorReranker

    return MultiVectorReranker(Path(options["folder"]))


def _names(options: Mapping[str, Any]) -> NameFinder:
    from core.engines.names.spacy_names import SpacyNames

    return SpacyNames(Path(options["folder"]))


def _judge(options: Mapping[str, Any]) -> Judge:
    from core.engines.llm.llama import LlamaJudge

    adapter = Path(options["adapter"]) if options["adapter"] else None
    return LlamaJudge(
        Path(options["model"]), adapter, sha256=options.get("sha256", ""), plain=bool(options.get("plain"))
    )


def _text_model(options: Mapping[str, Any]) -> TextModel:
    from core.engines.llm.llama import LlamaText

    return LlamaText(Path(options["model"]), **_how(options))


def _how(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"sha256": str(options.get("sha256") or ""), "plain": bool(options.get("plain"))}


def _writer(_options: Mapping[str, Any]) -> Writer:
    from core.engines.report_writers.dispatch import FileWriter

    return FileWriter()


def _ocr(options: Mapping[str, Any]) -> OcrEngine:
    from core.engines.ocr.two_engines import build

    return build(Path(options["folder"]) if options["folder"] else None)


ENGINES: Mapping[str, Factory] = {
    "reader": _reader,
    "embedder": _embedder,
    "reranker": _reranker,
    "names": _names,
    "judge": _judge,
    "text": _text_model,
    "writer": _writer,
    "ocr": _ocr,
}


def child_main(argv: Sequence[str], *, engines: Mapping[str, Factory] = ENGINES) -> int:
    """The child: argv is KIND and a JSON object of options. Serves calls until its input closes; gives an exit code."""
    kind, options = argv[0], json.loads(argv[1])
    pipe = _Pipe.take_over()
    _stay_with_parent(options)
    _limit(options)
    places = [options[key] for key in ("folder", "model", "adapter") if options.get(key)]
    confined = confine(
        [*places, str(paths.models())], files=not options.get("loose"), memory=int(options.get("memory") or 0)
    )
    try:
        engine = engines[kind](options)
        hello = {
            "type": "ready",
            "fingerprint": engine.fingerprint,
            "dimensions": getattr(engine, "dimensions", 0),
            "confined": asdict(confined),
        }
        pipe.write(pack(hello))
    except AppError as error:
        pipe.write(error_out(error))
        return 1
    except Exception as error:
        _note(error)
        pipe.write(pack({"type": "failed", "what": type(error).__name__}))
        return 1
    while True:
        try:
            header, blobs = unpack(pipe.exactly, header_cap=REQUEST_HEADER_CAP, cap=DOCUMENT_CAP)
        except EOFError:
            return 0
        _limit_processor(int(options.get("processor") or 0))
        try:
            for frame in _CALLS[header["call"]](engine, header, blobs):
                pipe.write(frame)
        except AppError as error:
            pipe.write(error_out(error))
        except BrokenPipeError:
            return 0
        except Exception as error:
            _note(error)
            pipe.write(pack({"type": "failed", "what": type(error).__name__}))


_kept: list[bytes] = []  # in the child: the document of the last picture


def _read(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    _kept.clear()
    yield from _items_out(engine.read(blobs.pop(), header["name"], password=header["password"]))


def _read_part(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    if not hasattr(engine, "read_part"):
        yield from _read(engine, header, blobs)
        return
    if not header.get("held"):
        _kept[:] = blobs
    yield from _items_out(engine.read_part(_kept[0], header["name"], header["start"], password=header["password"]))


def _read_rest(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    told = blobs.pop()
    if not header.get("held"):
        _kept[:] = blobs
    yield from _items_out(engine.read_rest(_kept[0], header["name"], told, password=header["password"]))


def _items_out(items: Iterable[Any]) -> Iterator[list[bytes]]:
    for item in items:
        match item:
            case Attachment():
                yield from attachment_out(item)
            case Outline():
                yield outline_out(item)
            case PartStart():
                yield outline_out(item.outline, item.pages)
            case headings.Draft():
                yield page_out(item.page, item.lines)
            case PartEnd():
                yield pack({"type": "part", "next": item.next}, [item.told])
                return
            case _:
                yield page_out(item)
    yield pack({"type": "end"})


def _render(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    if blobs:
        _kept[:] = blobs
    told = {"scale": header["scale"], "password": header["password"]}
    if header["clip"] is not None:
        told["clip"] = tuple(header["clip"])
    yield picture_out(engine.render(_kept[0], header["name"], header["page"], **told))


def _matrix(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield from matrix_out(engine.read_matrix(blobs.pop(), header["name"], choose=header["choose"]))


def _crop(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    if blobs:
        _kept[:] = blobs
    boxes = [tuple(box) for box in header["boxes"]]
    told = {"scale": header["scale"], "password": header["password"]}
    yield picture_out(engine.crop(_kept[0], header["name"], header["page"], boxes, **told))


def _write(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    pictures, at = {}, 0
    for name, length in header["pictures"]:
        pictures[name] = blobs[1][at : at + length]
        at += length
    yield pack({"type": "written"}, [engine.write(header["form"], blobs[0], pictures)])


def _scan(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    size = {"width": header["width"], "height": header["height"]}
    yield ocr_out(engine.read(blobs.pop(), **size, languages=tuple(header["languages"])))


def _embed(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    embed = engine.embed_queries if header["queries"] else engine.embed
    yield pack({"type": "vectors"}, [b"".join(embed(header["texts"]))])


def _pieces(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield pack({"type": "pieces", "counts": engine.pieces(header["texts"])})


def _score(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield pack({"type": "scores", "scores": engine.score(header["query"], header["passages"])})


def _spans(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    texts, at = [], 0
    for length in header["lengths"]:
        texts.append(blobs[0][at : at + length].decode("utf-8"))
        at += length
    yield spans_out(engine.find(texts))


def _verdicts(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    results = engine.judge(header["passage"], header["hypotheses"])
    yield pack({"type": "verdicts", "rows": [[p.supports, p.contradicts, p.neutral] for p in results]})


def _speed(engine: Any, _header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield pack({"type": "speed", "speed": engine.speed()})


def _word(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield pack({"type": "worded", "text": engine.write(header["order"], header["material"], most=header["most"])})


_CALLS: Mapping[str, Callable[[Any, Header, list[bytes]], Iterator[list[bytes]]]] = {
    "read": _read,
    "part": _read_part,
    "rest": _read_rest,
    "render": _render,
    "crop": _crop,
    "write": _write,
    "matrix": _matrix,
    "ocr": _scan,
    "embed": _embed,
    "pieces": _pieces,
    "score": _score,
    "names": _spans,
    "judge": _verdicts,
    "word": _word,
    "speed": _speed,
}


@dataclass(slots=True)
class _Pipe:
    """The child's ends of the two pipes, moved away from the standard numbers."""

    source: int
    sink: int
    _whole: list[bytes] = field(default_factory=list)

    @classmethod
    def take_over(cls) -> _Pipe:
        """Whatever a library prints to standard output goes to standard error; what it reads is empty."""
        source, sink = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        if os.name != "posix":
            import msvcrt

            for fd in (source, sink):
                msvcrt.setmode(fd, os.O_BINARY)  # type: ignore[attr-defined]
        return cls(source, sink)

    def exactly(self, count: int) -> bytes:
        taken = bytearray()
        while len(taken) < count:
            more = os.read(self.source, min(count - len(taken), MIB))
            if not more:
                raise EOFError
            taken += more
        return bytes(taken)

    def write(self, frame: Sequence[bytes]) -> None:
        for part in frame:
            view = memoryview(part)
            while view:
                view = view[os.write(self.sink, view) :]


def _stay_with_parent(options: Mapping[str, Any]) -> None:
    """Die with the parent, even inside a library call.

    The lifeline is a pipe to which nobody writes. When the parent is gone, the kernel closes its end, which raises
    SIGIO here, and the default action of SIGIO is to end the process. PR_SET_PDEATHSIG would be simpler, but it fires
    when the *thread* that started the child ends, and the window's worker threads come and go. Where a pipe cannot
    signal (macOS, Windows), an idle child still ends at the end of its input, and a busy one at its next answer.
    """
    lifeline = options.get("lifeline", -1)
    if sys.platform != "linux" or lifeline < 0:
        return
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        if os.read(lifeline, 1) == b"":  # the parent went while this process was starting
            os._exit(1)


def _limit(options: Mapping[str, Any]) -> None:
    """No core dumps, no large files and, where asked, bounded memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which ends this child itself
    if os.name != "posix":
        return
    import resource

    memory = int(options.get("memory") or 0)
    for what, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, MIB), (resource.RLIMIT_AS, memory)):
        if most or what == resource.RLIMIT_CORE:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(what, (most, most))


def _limit_processor(seconds: int) -> None:
    """The processor time of one call, counted from now. At its end the kernel ends the process."""
    if os.name != "posix" or not seconds:
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + seconds + 1
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _note(error: Exception) -> None:
    """Where it happened, to standard error, without the message: that may quote the document."""
    trace, places = error.__traceback__, []
    while trace is not None:
        places.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    print(type(error).__name__, "at", " < ".join(reversed(places)), file=sys.stderr)


if __name__ == "__main__":
    # The classes of this file must exist once only, so the work is done by the importable module.
    from core.workers import apart

    sys.exit(apart.child_main(sys.argv[1:]))
