"""Matrices that other programs made: finds out by its content what a file is, and reads it whole or not at all.

Runs in the reader's child process. Nothing is trusted: what a file unpacks to is counted while it unpacks, XML with a
DTD is refused, and a value that means nothing known is reported, never guessed. Scores that a file carries are left
out, because they are computed again: one popular spreadsheet counts a double inconsistency four times.

Layouts and where they come from: PARC in ``parc``, XLSX in ``workbook``, XLSX and CSV in ``tables``, this
program's JSON in ``json_formats``.
"""

from __future__ import annotations

from core import formats
from core.engines.matrix_import import json_formats, parc, tables, workbook
from core.engines.matrix_import.import_log import SAVE, bad, foreign, too_large
from core.engines.readers import plain_text
from core.ports import MatrixFile

MAX_FILE_BYTES = 32_000_000  # bytes of a file


def read(data: bytes, name: str, choose: str = "") -> MatrixFile:
    """Read the matrix in a file. Raises BadInput, SeveralMatrices."""
    if not data:
        raise bad(f"{name} is empty.", "Check that it was copied completely.")
    if len(data) > MAX_FILE_BYTES:
        raise bad(
            f"{name} is larger than {MAX_FILE_BYTES // 1_000_000} MB, too large for a matrix.",
            "Check that it is the right file.",
        )
    try:
        return _read(data, name, choose)
    except (MemoryError, RecursionError) as error:
        raise too_large(name) from error


def _read(data: bytes, name: str, choose: str) -> MatrixFile:
    if data.startswith(b"\x1f\x8b"):
        return parc.read(plain_text.decode(parc.gunzip(data, name)), name)
    if data.startswith(b"PK"):
        return workbook.read_workbook(data, name, choose)
    for magic, what, remedy in _FOREIGN:
        if magic in data[:1_024] if magic == b"%PDF-" else data.startswith(magic):
            raise bad(f"{name} is {what}, not a matrix that the program can read.", remedy)
    text = plain_text.decode(data).removeprefix("\ufeff")
    if text[:8_000].count("\ufffd") + text[:8_000].count("\0") > 20:
        raise foreign(name)
    head = text.lstrip()[:1]
    if head == "<":
        return parc.read(text, name)
    if head in ("{", "["):
        return json_formats.read(text, name, choose)
    if formats.is_named(name, "markdown"):
        # Its lines of prose would pass for rows, and its table for something else.
        raise bad(
            f"{name} is a Markdown text, not a matrix that the program can read.", "Import the CSV, XLSX or JSON."
        )
    return tables.read_text(plain_text.clean(text), name, choose)


_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old-format office file, or one with a password", SAVE),
    (b"%PDF-", "a PDF document", "Add it under Documents, or ask for the file that the matrix was made with."),
    (b"SQLite format 3\0", "a database", "If it is a case, merge it with this one instead."),
    (b"\x89PNG", "a picture", "Ask for the file that the matrix was made with."),
    (b"\xff\xd8\xff", "a picture", "Ask for the file that the matrix was made with."),
)
