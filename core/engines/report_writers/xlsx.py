"""A workbook with XlsxWriter: frozen panes, filters, notes on cells, choice of ratings, colours that follow them.

Every text is written as a text and never as a formula, whatever it begins with; where it begins like a formula the cell
also carries the mark by which spreadsheets keep it a text when it is edited.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.utility import xl_rowcol_to_cell  # type: ignore[import-untyped]

from core.engines.report_writers.dispatch import moment

_FORMULA = frozenset("=+-@'\t\r\n＝＋－＠")
# Blue for, orange against, a tint each; letters say the same.
_FILLS = {"CC": "#8DBBE8", "C": "#CFE3F6", "N": "#ECEFF2", "I": "#FBD3A6", "II": "#EF9A4A", "NA": "#FFFFFF"}
_ROW_LINES = 3  # lines of text that a row shows at first
_LINE = 15  # points


def write(content: Mapping[str, Any]) -> bytes:
    """Return the report as the bytes of an XLSX file."""
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(
        stream,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
            "nan_inf_to_errors": False,
        },
    )
    created_at = moment(content).replace(tzinfo=None)
    book.set_properties(
        {
            "title": content["title"][:250],
            "author": content["author"],
            "comments": content["program"],
            "created": created_at,
        }
    )
    looks = _looks(book)
    for sheet in content["sheets"]:
        _sheet(book, sheet, looks, content["ratings"])
        if content["marking"]:
            line = "&C" + content["marking"].replace("&", "&&")  # a single & begins a code of the header
            book.get_worksheet_by_name(sheet["name"]).set_header(line)
            book.get_worksheet_by_name(sheet["name"]).set_footer(line)
    book.close()
    return stream.getvalue()


def _looks(book: Any) -> dict[str, Any]:
    font = {"font_name": "Calibri", "font_size": 11, "valign": "top"}
    quiet = {**font, "text_wrap": True}
    looks = {
        "text": book.add_format(quiet),
        "num": book.add_format({**font, "num_format": "0.###", "align": "right"}),
        "code": book.add_format({**font, "font_name": "Consolas", "font_size": 9}),
        "cell": book.add_format({**font, "align": "center", "bold": True, "border": 1, "border_color": "#CFD6DD"}),
        "head": book.add_format({**quiet, "bold": True, "bottom": 1, "bg_color": "#F4F6F8", "valign": "bottom"}),
    }
    looks["text quoted"] = book.add_format({**quiet, "quote_prefix": True})
    looks["head quoted"] = book.add_format(
        {**quiet, "bold": True, "bottom": 1, "bg_color": "#F4F6F8", "valign": "bottom", "quote_prefix": True}
    )
    for rating, fill in _FILLS.items():
        font_colour = {"font_color": "#5B6570"} if rating == "NA" else {"font_color": "#1B1F24"}
        looks[f"is {rating}"] = book.add_format({"bg_color": fill, **font_colour})
    return looks


def _sheet(book: Any, content: Mapping[str, Any], looks: Mapping[str, Any], ratings: list[str]) -> None:
    sheet = book.add_worksheet(content["name"])
    columns, rows = content["columns"], content["rows"]
    for k, column in enumerate(columns):
        sheet.set_column(k, k, column["width"])
        _put(sheet, 0, k, column["title"], "head", looks)
    tallest = max((len(column["title"]) / max(1, column["width"]) for column in columns), default=1)
    sheet.set_row(0, _LINE * min(8, 1 + int(tallest)))
    for n, row in enumerate(rows, start=1):
        lines = 1
        for k, value in enumerate(row):
            look = columns[k]["look"]
            if value is None:
                continue
            if isinstance(value, str):
                _put(sheet, n, k, value, look if look in ("cell", "code") else "text", looks)
                lines = max(lines, 1 + len(value) // max(1, columns[k]["width"]) + value.count("\n"))
            else:
                sheet.write_number(n, k, value, looks["num"])
        sheet.set_row(n, _LINE * min(_ROW_LINES, lines))
    last = max(1, len(rows))
    sheet.freeze_panes(1, content["frozen"])
    if content["filtered"] and rows:
        sheet.autofilter(0, 0, len(rows), len(columns) - 1)
    for k, column in enumerate(columns):
        if column["look"] == "cell" and rows:
            _choices(sheet, k, last, looks, ratings)
    for n, k, text in content["notes"]:
        sheet.write_comment(n + 1, k, text, {"author": "", "x_scale": 2.4, "y_scale": 1.6, "font_size": 9})
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)
    sheet.hide_gridlines(0 if content["filtered"] else 2)


def _put(sheet: Any, row: int, column: int, text: str, look: str, looks: Mapping[str, Any]) -> None:
    """Write a text as a text, an empty one as an empty cell of that look."""
    if not text:
        sheet.write_blank(row, column, None, looks[look])
        return
    if text.lstrip()[:1] in _FORMULA and f"{look} quoted" in looks:
        look = f"{look} quoted"
    sheet.write_string(row, column, text, looks[look])


def _choices(sheet: Any, column: int, last: int, looks: Mapping[str, Any], ratings: list[str]) -> None:
    """Let only ratings be typed into the column, and let each show its colour."""
    sheet.data_validation(
        1,
        column,
        last,
        column,
        {
            "validate": "list",
            "source": ratings,
            "error_title": "Not a rating",
            "error_message": f"Use one of {', '.join(ratings)}, or leave the cell empty.",
        },
    )
    first = xl_rowcol_to_cell(1, column)
    for rating in ratings:
        sheet.conditional_format(
            1,
            column,
            last,
            column,
            # EXACT: a comparison would take 'cc' for 'CC' as well.
            {"type": "formula", "criteria": f'=EXACT({first},"{rating}")', "format": looks[f"is {rating}"]},
        )
