"""Matrices made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.domain import RATINGS, Level, Rating
from core.errors import Problem
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile
from core.workers.frames import (
    Header,
    ProtocolError,
    choice_field,
    clean_text,
    count_field,
    list_field,
    pack,
    text_field,
)


def matrix_out(matrix: MatrixFile) -> Iterator[list[bytes]]:
    """Send a matrix as frames: its head, one frame a row, the end."""
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
ROWS_CAP = 20_000
_COLUMNS_CAP = 200
_CONFIDENCES = ("", "low", "medium", "high")


def matrix_head_in(header: Header) -> MatrixFile:
    """Read the head of a matrix, without its rows."""
    hypotheses = []
    for item in list_field(header, "hypotheses", most=_COLUMNS_CAP):
        fields = dict(zip(("text", "note"), item if isinstance(item, list) else (), strict=False))
        hypotheses.append(
            FileHypothesis(text_field(fields, "text", longest=1_000), text_field(fields, "note", longest=20_000))
        )
    if not hypotheses:
        raise ProtocolError("a matrix without hypotheses")
    return MatrixFile(
        text_field(header, "title", longest=300), text_field(header, "format", longest=40), tuple(hypotheses), ()
    )


def matrix_row_in(header: Header, columns: int) -> FileRow:
    """Read a row of a matrix; raises ProtocolError for anything else."""
    cells = []
    for item in list_field(header, "cells", most=columns):
        if not isinstance(item, list) or len(item) != 3:
            raise ProtocolError("a cell is not a rating, a note and a confidence")
        fields = dict(zip(("rating", "note", "confidence"), item, strict=True))
        rating: Rating | None = None
        if fields["rating"] is not None:
            rating = next((code for code in RATINGS if code == fields["rating"]), None)
            if rating is None:
                raise ProtocolError("unknown rating")
        cells.append(
            FileCell(
                rating, text_field(fields, "note", longest=10_000), choice_field(fields, "confidence", _CONFIDENCES)
            )
        )
    if len(cells) != columns:
        raise ProtocolError("not one cell a hypothesis")
    texts = {name: text_field(header, name, longest=limit) for name, limit in _ROW_TEXTS.items()}
    if texts["reliability"] not in ("", *"ABCDEF") or texts["information"] not in ("", *"123456"):
        raise ProtocolError("unknown grade")
    choice_field(header, "kind", ("observation", "assumption"))
    return FileRow(
        cells=tuple(cells), credibility=_level(header, "credibility"), relevance=_level(header, "relevance"), **texts
    )


def matrix_end_in(header: Header, rows: int) -> tuple[tuple[Problem, ...], tuple[str, ...]]:
    """Read the end of a matrix: its problems, and how much was left out; raises ProtocolError for anything else."""
    if count_field(header, "rows", most=ROWS_CAP) != rows:
        raise ProtocolError("rows are missing")
    problems = []
    for item in list_field(header, "problems", most=1_000):
        fields = dict(zip(("where", "what", "hint"), item if isinstance(item, list) else (), strict=False))
        problems.append(
            Problem(*(clean_text(text_field(fields, key, longest=1_000)) for key in ("where", "what", "hint")))
        )
    left_out = [
        clean_text(text_field({"it": item}, "it", longest=2_000)) for item in list_field(header, "left_out", most=1_000)
    ]
    return tuple(problems), tuple(left_out)


def _level(header: Header, key: str) -> Level | None:
    value = header.get(key)
    if value is None:
        return None
    if value not in ("L", "M", "H"):
        raise ProtocolError(f"{key} is not a level")
    return value  # type: ignore[no-any-return]
