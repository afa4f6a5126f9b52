"""The matrix as a PARC ACH file (.achz), for those who work on in that program or in Open Source ACH.

Gzip of a UTF-16 XML file; layout after Burton, Open Source ACH, ``import_action.php``, which reads what is below
the root and never names the root itself. The format knows one rating a cell and one credibility of three, and neither
relevance, quotes nor a second grade: what it has no place for goes into the notes of the evidence, in words. It has no
word for "not graded" either; MEDIUM weighs the same.
"""

from __future__ import annotations

import gzip
import re
from datetime import UTC, datetime
from xml.sax.saxutils import escape

from core.domain import Rating
from core.report.data import ReportData, without_places
from core.report.rows import FAILED, Item, absence_words, failure_lines, items
from core.report.wording import LEVEL_WORDS, plain

_RATINGS: dict[Rating, str] = {"CC": "C C", "C": "C", "N": "N", "I": "I", "II": "I I", "NA": "NA"}
_CREDIBILITY = {"L": "LOW", "M": "MEDIUM", "H": "HIGH", None: "MEDIUM"}


def render_parc(data: ReportData) -> bytes:
    """Write the matrix as a PARC file; the same data gives the same bytes."""
    data = without_places(data)
    order, marking = [hypothesis.id for hypothesis in data.hypotheses], data.settings.report.marking
    parts = [
        _element("PROJECT-TITLE", f"{FAILED}: {data.title}" if data.failed else data.title),
        _element("CLASSIFICATION", " ".join([*filter(None, [marking]), *failure_lines(data), *data.matrix.caveats])),
        _element("LAST-INDEX", str(len(data.evidence))),
        "<MATRIX>",
        *(f"<HYPOTHESIS>{_element('NAME', hypothesis.text)}</HYPOTHESIS>" for hypothesis in data.hypotheses),
        *(_evidence(item, order) for item in items(data)),
        "</MATRIX>",
    ]
    xml = f'<?xml version="1.0" encoding="UTF-16"?>\n<ACH>{"".join(parts)}</ACH>\n'
    # Little endian with its mark, wherever the program runs; no time in the head of the archive.
    return gzip.compress(b"\xff\xfe" + xml.encode("utf-16-le"), mtime=0)


def _evidence(item: Item, order: list[str]) -> str:
    e = item.evidence
    rating_of = {cell.hypothesis: cell.rating for cell in item.cells}
    ratings = [rating_of.get(h) for h in order]
    fields = {
        "NAME": e.text,
        "NOTES": "\n".join(_notes(item)),
        "LINK": e.source,
        "TYPE": "Assumption" if e.kind == "assumption" else "",
        "DATE": str(_milliseconds(e.date)),
        "CODE": e.id,
        "FLAG": "1" if "linchpin" in item.row.flags else "0",
        "VALUES": ",".join(_RATINGS[rating] if rating else "" for rating in ratings),
        "CREDIBILITY": _CREDIBILITY[e.credibility],
    }
    return f"<EVIDENCE>{''.join(_element(name, text) for name, text in fields.items())}</EVIDENCE>"


def _notes(item: Item) -> list[str]:
    e = item.evidence
    lines = [e.note] if e.note else []
    if e.quote:
        place = item.origin if item.document else f"{e.source}, {item.place}"
        lines.append(f"Quote ({place}): “{item.quote}”")
    if item.document:
        lines.append(f"SHA-256 of the document: {item.document.sha256}")
    if e.date and not _milliseconds(e.date):
        lines.append(f"Date: {e.date}")
    if e.relevance:
        lines.append(f"Relevance: {LEVEL_WORDS[e.relevance]}")
    if e.credibility is None:
        lines.append("Credibility: not graded")
    if e.reliability or e.information:
        lines.append(f"Admiralty grade: {e.reliability}{e.information}")
    absent = absence_words(item)
    return [*lines, *([absent] if absent else [])]


def _element(name: str, text: str) -> str:
    # Characters that XML 1.0 cannot hold would make the whole file unreadable.
    xml_text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", plain(text))
    return f"<{name}>{escape(xml_text)}</{name}>"


def _milliseconds(date: str) -> int:
    """Count from 1970 in UTC; 0, which the format takes for none, where the day is not known."""
    try:
        day = datetime.strptime(date[:10], "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return 0
    return round(day.timestamp() * 1000)
