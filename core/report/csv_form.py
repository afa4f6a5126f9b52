"""The matrix as comma-separated values: one row a piece of evidence, one column a hypothesis.

A spreadsheet takes a cell that begins like a formula for one. Such a text gets an apostrophe in front, which changes
its first character: whoever needs the exact words takes the JSON form.
"""

from __future__ import annotations

import csv
import io

from core.report.data import ReportData, without_places
from core.report.rows import absence_words, failure_lines, items, ranking
from core.report.wording import plain

_FORMULA = frozenset("=+-@\t\r\n\0＝＋－＠")
COLUMNS = (
    "id", "evidence", "quote", "source", "document", "page", "document sha256", "date", "reliability", "information",
    "credibility", "relevance", "weight", "diagnosticity", "counts as", "flags", "note",
)  # fmt: skip


def harmless(text: str) -> str:
    """Put an apostrophe in front of ``text`` where a spreadsheet would take it for a formula."""
    text_shown = plain(text)
    return f"'{text_shown}" if text_shown.lstrip()[:1] in _FORMULA and text_shown.strip() else text_shown


def render_csv(data: ReportData) -> bytes:
    """Write UTF-8 with a byte order mark (spreadsheets ask for it), comma, CR LF; numbers stay numbers."""
    data = without_places(data)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    lines = ranking(data)
    order = [h.id for h in data.hypotheses]
    texts = {h.id: h.text for h in data.hypotheses}
    writer.writerow([*COLUMNS, *(harmless(f"{h}: {texts[h]}") for h in order)])
    writer.writerows(
        ["!", harmless(words), *[""] * (len(COLUMNS) - 2 + len(order))]
        for words in (*failure_lines(data), *data.matrix.caveats)
    )
    index_of = {line.hypothesis.id: n for n, line in enumerate(lines)}
    for item in items(data):
        e = item.evidence
        cells = [
            e.id, e.text, item.quote, e.source, item.document.name if item.document else "",
            f"{e.page}–{e.more[-1].page}" if e.more else e.page if e.page is not None else "",
            item.document.sha256 if item.document else "", e.date, e.reliability,
            e.information, e.credibility or "", e.relevance or "", round(item.row.weight, 6),
            "" if item.row.diagnosticity is None else round(item.row.diagnosticity, 6),
            round(item.row.share, 6), "; ".join(item.flags), "; ".join(x for x in (e.note, absence_words(item)) if x),
            *((item.cells[index_of[h]].rating or "") for h in order),
        ]  # fmt: skip
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in cells])
    return b"\xef\xbb\xbf" + stream.getvalue().encode("utf-8")
