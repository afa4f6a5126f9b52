"""Matrices made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.domain import RATINGS, Level, Rating
from core.errors import Problem
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile
from core.workers.frames import Header, ProtocolError, _clean, _count, _items, _one_of, _text, pack


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


def _level(header: Header, key: str) -> Level | None:
    value = header.get(key)
    if value is None:
        return None
    if value not in ("L", "M", "H"):
        raise ProtocolError(f"{key} is not a level")
    return value  # type: ignore[no-any-return]
