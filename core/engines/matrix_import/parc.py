"""PARC ``.achz``: gzip of UTF-16 XML; Burton, Open Source ACH, ``import_action.php``.

Two faults of that importer are not repeated: it gives an empty or unknown value the rating before it, and keeps only
two of three credibilities.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Any

from core.engines.matrix_import import vocabulary as words
from core.engines.matrix_import.import_log import (
    MAX_UNPACKED_BYTES,
    ImportLog,
    bad,
    damaged_file,
    foreign,
    shorten,
    too_large,
)
from core.engines.matrix_import.matrix_file import ASSUMPTION_WORDS, join_notes, matrix, read_level
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile

_MAX_MARKS = 600_000  # '<' in an XML text: bounds what the tree of it takes


def gunzip(data: bytes, name: str) -> bytes:
    """Unpack the gzip of a file, no further than its limit. Raises BadInput."""
    unpack = zlib.decompressobj(31)
    try:
        text = unpack.decompress(data, MAX_UNPACKED_BYTES // 2)
    except zlib.error as error:
        raise damaged_file(name, "it cannot be unpacked") from error
    if unpack.unconsumed_tail:
        raise too_large(name)
    if not unpack.eof:
        raise damaged_file(name, "its end is missing")
    return text


def xml(text: str, name: str) -> Any:
    """Parse an XML text to its root. Raises BadInput for anything that is not plain, small, finished XML."""
    from lxml import etree

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise bad(f"{name} declares XML entities, which a matrix never needs; it may be malicious.", _CHECK)
    if text.count("<") > _MAX_MARKS:
        raise too_large(name)
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1)  # it names the encoding that the text had
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)  # not allowed in XML
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except (etree.LxmlError, ValueError) as error:
        raise damaged_file(name, "its XML is not well-formed") from error
    if root.getroottree().docinfo.doctype:
        raise bad(f"{name} declares XML entities, which a matrix never needs; it may be malicious.", _CHECK)
    return root


_CHECK = "Check where the file comes from; the program that made the matrix can save it again."
_KINDS = {  # spellings of PARC's evidence types, as its importer knows them
    "open source": "OSINT", "osint": "OSINT", "press": "OSINT", "hum": "HUMINT", "humint": "HUMINT",
    "imagery": "IMINT", "imint": "IMINT", "sig": "SIGINT", "sigint": "SIGINT", "masint": "MASINT",
}  # fmt: skip
_DISPLAY_PARTS = ("LAST-INDEX", "COLOR-SCHEME")
_EVIDENCE_PARTS = frozenset(
    ("NAME", "NOTES", "LINK", "TYPE", "DATE", "CODE", "FLAG", "VALUES", "CREDIBILITY", "RELEVANCE")
)


def _local(element: Any) -> str:
    tag = element.tag
    return tag.rsplit("}", 1)[-1].upper() if isinstance(tag, str) else ""


def _child(element: Any, name: str) -> str:
    """Return the text of the first child of that name; '' where there is none."""
    for child in element:
        if _local(child) == name:
            return "".join(child.itertext()).strip()
    return ""


def read(text: str, name: str) -> MatrixFile:
    """Read the first matrix of a PARC file. Raises BadInput."""
    root = xml(text, name)
    tables = [child for child in root if _local(child) == "MATRIX"]
    if not tables:
        raise foreign(name)
    log = ImportLog(name)
    if len(tables) > 1:
        log.problem(
            name, f"It contains {len(tables)} matrices; the first was read.", "Save the others as files of their own."
        )
    marking = _child(root, "CLASSIFICATION")
    if marking:
        log.leave_out(f"The file is marked “{shorten(marking, 60)}”; a case carries no marking; handle it accordingly.")
    for part in root:
        if _local(part) not in ("PROJECT-TITLE", "CLASSIFICATION", "MATRIX", *_DISPLAY_PARTS):
            log.leave_out(f"The part {shorten(_local(part), 40)} of the file was not read.")
    hypotheses, evidence = [], []
    for element in tables[0]:
        if _local(element) == "HYPOTHESIS":
            hypotheses.append(FileHypothesis(_child(element, "NAME"), _child(element, "NOTES")))
        elif _local(element) == "EVIDENCE":
            evidence.append(element)
    scale = words.scale_of(value for item in evidence for value in _child(item, "VALUES").split(","))
    rows = [_row(item, number, hypotheses, scale, log) for number, item in enumerate(evidence, start=1)]
    return matrix(log, title=_child(root, "PROJECT-TITLE"), format="PARC ACH", hypotheses=hypotheses, rows=rows)


def _row(item: Any, number: int, hypotheses: Sequence[FileHypothesis], scale: words.Scale, log: ImportLog) -> FileRow:
    where = f"item {number}"
    ratings_text = _child(item, "VALUES")
    values = ratings_text.split(",") if ratings_text else []
    cells = []
    for column, value in enumerate(values[: len(hypotheses)], start=1):
        reading = scale.read(value)
        if not reading.is_known:
            log.unknown_rating(f"{where}, hypothesis {column}", value)
        cells.append(FileCell(reading.rating, reading.remark))
    surplus = [value for value in values[len(hypotheses) :] if value.strip()]
    if surplus:
        log.problem(
            where,
            f"It has {len(surplus)} ratings more than there are hypotheses; they were left out.",
            "Check the row.",
        )
    cells += [FileCell()] * (len(hypotheses) - len(cells))
    date = words.date_of_milliseconds(_child(item, "DATE"))
    type_ = _child(item, "TYPE")
    is_assumption = words.plain_form(type_) in ASSUMPTION_WORDS
    link = _child(item, "LINK")
    for part in item:
        if _local(part) not in _EVIDENCE_PARTS and "".join(part.itertext()).strip():
            log.leave_out(f"The part {shorten(_local(part), 40)} of the evidence was not read.")
    return FileRow(
        text=_child(item, "NAME"),
        cells=tuple(cells),
        source=link,
        date=date or "",
        credibility=read_level(_child(item, "CREDIBILITY"), "credibility", where, log),
        relevance=read_level(_child(item, "RELEVANCE"), "relevance", where, log),
        note=join_notes(
            _child(item, "NOTES"),
            f"Date in the file: {_child(item, 'DATE')}" if date is None else "",
            f"Code: {_child(item, 'CODE')}" if _child(item, "CODE") else "",
            f"Type: {_KINDS.get(words.plain_form(type_), type_)}" if type_ and not is_assumption else "",
            "Flagged." if _child(item, "FLAG") == "1" else "",
        ),
        kind="assumption" if is_assumption else "observation",
    )
