"""A PDF with typst: PDF/A-2a and PDF/UA-1, tagged, with the fonts of the program.

Text of the case reaches the template as values of a JSON document and is never read as markup. Where the fonts of the
program lack a character, those of the computer are used as well; where these lack it too, the archival standards, which
ask for every character to be drawn, are given up rather than the report.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

import typst

from core import paths
from core.engines.report_writers.dispatch import moment, png_size
from core.errors import BadInput

_STANDARDS = ["a-2a", "ua-1"]
_PER_POINT = 2.0  # pixels of a picture that make a point on paper
_LONG = re.compile(r"\S{41,}")
_ACROSS = {False: 174.0, True: 269.0}  # mm of a page between its margins, upright and on its side
_INSET = 3.6  # mm at both sides of a cell
_LETTER = 2.1  # mm that letters of a table take on average where they are wide, as capitals and figures are
_HASH = re.compile(r"[0-9a-f]{64}\W*")  # it fits a line


def write(content: Mapping[str, Any], pictures: Mapping[str, bytes]) -> bytes:
    """Return the report as the bytes of a PDF. Raises BadInput where typst cannot set it."""
    created_at = moment(content)
    document = {
        "story": _within_columns(_breakable(content["story"])),
        "short": " ".join(str(content["story"]["title"]).split())[:90],
        "date": list(created_at.timetuple()[:6]),
        "pictures": {
            name: {"svg": _svg(png), "width": png_size(png)[0] / _PER_POINT} for name, png in pictures.items()
        },
    }
    template = (paths.RESOURCES / "report" / "report.typ").read_bytes()
    inputs = {"told": json.dumps(document, ensure_ascii=False)}
    compile_: Any = typst.compile  # its own types ask for more than it needs
    reason = ""
    for bundled_only, standards in ((True, _STANDARDS), (False, _STANDARDS), (False, [])):
        try:
            return bytes(
                compile_(
                    template,
                    font_paths=[str(paths.RESOURCES / "fonts")],
                    ignore_system_fonts=bundled_only,
                    sys_inputs=inputs,
                    format="pdf",
                    pdf_standards=standards,
                    timestamp=int(created_at.timestamp()),
                )
            )
        except typst.TypstError as error:
            reason = " ".join(str(error.message).split())[:200]
    raise BadInput(reason=f"The report cannot be exported as PDF: {reason}", remedy="Save it as HTML and print that.")


def _svg(png: bytes) -> str:
    """Wrap a picture so that it can travel inside JSON."""
    width, height = png_size(png)
    data = base64.b64encode(png).decode("ascii")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<image width="{width}" height="{height}" href="data:image/png;base64,{data}"/></svg>'
    )


def _breakable(value: Any) -> Any:
    """Put places to break inside words that no line would hold, such as long addresses."""
    if isinstance(value, str):
        return _LONG.sub(_split_word, value) if len(value) > 40 else value
    if isinstance(value, list):
        return [_breakable(item) for item in value]
    if isinstance(value, dict):
        return {key: item if key in ("anchor", "anchors", "kind") else _breakable(item) for key, item in value.items()}
    return value


def _within_columns(story: dict[str, Any]) -> dict[str, Any]:
    """Put places to break in every word of a table that is wider than its column: it would run over the next one."""
    sections = [
        {**section, "blocks": [_narrow(block, wide=section["wide"]) for block in section["blocks"]]}
        for section in story["sections"]
    ]
    return {**story, "sections": sections}


def _narrow(block: dict[str, Any], *, wide: bool) -> dict[str, Any]:
    if block["kind"] != "table":
        return block
    total = sum(column["share"] for column in block["columns"]) or 1.0
    letters = [int((_ACROSS[wide] * column["share"] / total - _INSET) / _LETTER) for column in block["columns"]]
    rows = [
        [
            cell if column["look"] in ("code", "cell") else _split_words(cell, limit)
            for cell, column, limit in zip(row, block["columns"], letters, strict=True)
        ]
        for row in block["rows"]
    ]
    return {**block, "rows": rows}


def _split_words(text: str, limit: int) -> str:
    """Put places to break after every letter of a word longer than ``limit``, so that it fills its lines."""
    return re.sub(rf"\S{{{max(3, limit) + 1},}}", lambda word: "\u200b".join(word.group()), text)


def _split_word(match: re.Match[str]) -> str:
    word = match.group()
    if _HASH.fullmatch(word):
        return word
    return "\u200b".join(word[start : start + 12] for start in range(0, len(word), 12))
