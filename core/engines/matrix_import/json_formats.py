"""Matrices in this program's own JSON: its report, and the form of ``disconfirm matrix --from``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from core.domain import Level
from core.engines.matrix_import import vocabulary as words
from core.engines.matrix_import.import_log import (
    MAX_HYPOTHESES,
    MAX_ROWS,
    ImportLog,
    damaged_file,
    foreign,
    shorten,
    too_large,
)
from core.engines.matrix_import.matrix_file import (
    ASSUMPTION_WORDS,
    is_number,
    join_notes,
    matrix,
    numbers_in_words,
    pick,
    read_level,
    relevance_of_weight,
    share_level,
)
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile

_MAX_MARKS = 3_000_000  # ',' '[' and '{' in a JSON text
Json = dict[str, Any]


def read(text: str, name: str, choose: str) -> MatrixFile:
    """Read a matrix in JSON; ``choose`` names one of several. Raises BadInput, SeveralMatrices."""
    if text.count(",") + text.count("[") + text.count("{") > _MAX_MARKS:
        raise too_large(name)
    try:
        data = json.loads(text, parse_constant=_no_number)
    except RecursionError as error:
        raise too_large(name) from error
    except ValueError as error:
        raise damaged_file(name, f"its JSON cannot be read ({shorten(str(error), 80)})") from error
    return _choose(data, name, choose)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _choose(data: object, name: str, choose: str) -> MatrixFile:
    several: object = data
    if isinstance(data, dict):
        several = data.get("matrices")
        if not isinstance(several, list):
            return _matrix(data, name, PurePath(name).stem)
    if not isinstance(several, list) or not several:
        raise foreign(name)
    matrices: dict[str, Json] = {}
    titles: dict[str, str] = {}
    for number, item in enumerate(several, start=1):
        if not isinstance(item, dict) or "hypotheses" not in item:
            raise foreign(name)
        id = _string(item.get("id")) or str(number)
        id = id if id not in matrices else f"{id} #{number}"
        matrices[id], titles[id] = item, _string(item.get("title"))
    return _matrix(*pick(matrices, titles, name, choose))


def _matrix(data: Json, name: str, id: str) -> MatrixFile:
    hypotheses, evidence = data.get("hypotheses"), data.get("evidence")
    if not isinstance(hypotheses, list) or not isinstance(evidence, list):
        raise foreign(name)
    if len(hypotheses) > MAX_HYPOTHESES or len(evidence) > MAX_ROWS:
        raise too_large(name)
    if any(not isinstance(item, dict) for item in evidence):
        raise damaged_file(name, "a piece of evidence is not an object")
    log = ImportLog(name)
    columns = _columns(hypotheses, log)
    if isinstance(data.get("matrix"), dict) and isinstance(data.get("assessments"), list):
        rows, format = _report_rows(data, columns, log), "Disconfirm report"
    else:
        rows, format = _rows(evidence, columns, log), "matrix in JSON"
        _note_left_out(data, log)
    file_hypotheses = [FileHypothesis(text, note) for text, note in columns.values()]
    return matrix(log, title=_string(data.get("title")) or id, format=format, hypotheses=file_hypotheses, rows=rows)


_READ_KEYS = frozenset(("id", "title", "question", "hypotheses", "evidence", "unrated", "order", "rule", "about"))
_RESULT_KEYS = frozenset(
    ("scores", "computed", "expected", "diagnosticity", "linchpins", "leaders", "warnings", "robustness", "untested",
     "rules_agree", "rank_weighted", "rank_inconsistency", "rank_bayes", "rank_arkham_count", "consistency_checks")
)  # fmt: skip


def _note_left_out(data: Json, log: ImportLog) -> None:
    if _RESULT_KEYS & set(data):
        log.leave_out("Scores and other results in the file were left out: they are computed again.")
    for key, value in data.items():
        if key not in _READ_KEYS | _RESULT_KEYS and value not in ("", [], {}, None):
            log.leave_out(f"The part “{shorten(key, 40)}” of the file was not read.")


def _columns(hypotheses: Sequence[object], log: ImportLog) -> dict[str, tuple[str, str]]:
    """Return text and note of each hypothesis by its id in the file."""
    name = log.name
    columns: dict[str, tuple[str, str]] = {}
    for number, item in enumerate(hypotheses, start=1):
        if not isinstance(item, dict):
            raise damaged_file(name, f"hypothesis {number} is not an object")
        id = _string(item.get("id")) or f"H{number}"
        if item.get("kind") or item.get("prior") is not None:
            log.leave_out("Kinds and priors of hypotheses were not read; set them under Hypotheses.")
        if id in columns:
            raise damaged_file(
                name, f"two hypotheses have the id “{shorten(id, 40)}”, so their ratings cannot be told apart"
            )
        columns[id] = _string(item.get("text")), _string(item.get("note"))
    return columns


def _string(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _rows(evidence: Sequence[Json], columns: Mapping[str, object], log: ImportLog) -> list[FileRow]:
    """Read evidence whose ratings are in the row itself, by the id of the hypothesis."""
    scale = words.scale_of(
        value
        for item in evidence
        if isinstance(item.get("ratings"), dict)
        for value in item["ratings"].values()
        if isinstance(value, str)
    )
    rows = []
    for number, item in enumerate(evidence, start=1):
        where = _string(item.get("id")) or f"item {number}"
        ratings = item.get("ratings", {})
        if not isinstance(ratings, dict):
            raise damaged_file(log.name, f"the ratings of {shorten(where, 40)} are not an object")
        for key in ratings:
            if key not in columns:
                what = f"It is rated against “{shorten(key, 40)}”, which is not a hypothesis of the matrix."
                log.problem(where, what, "Check whether a hypothesis is missing.")
        cells = [_cell(ratings.get(id), scale, f"{where}, {id}", log) for id in columns]
        rows.append(_row(item, cells, where, log))
    return rows


def _cell(value: object, scale: words.Scale, where: str, log: ImportLog) -> FileCell:
    if value is None:
        return FileCell()
    reading = scale.read(value) if isinstance(value, str) else words.Reading(is_known=False)
    if not reading.is_known:
        log.unknown_rating(where, str(value)[:200])
    return FileCell(reading.rating, reading.remark)


def _report_rows(data: Json, columns: Mapping[str, object], log: ImportLog) -> list[FileRow]:
    """Read the evidence of this program's own report.

    The ratings are in its matrix, the reasons with those who rated.
    """
    matrix_rows = data["matrix"].get("rows")
    if not isinstance(matrix_rows, list) or any(not isinstance(row, dict) for row in matrix_rows):
        raise damaged_file(log.name, "its matrix has no rows")
    ratings = {_string(row.get("id")): row.get("ratings", {}) for row in matrix_rows}
    reasons: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for item in data["assessments"]:
        if isinstance(item, dict) and (item.get("note") or item.get("confidence")):
            key = _string(item.get("evidence")), _string(item.get("hypothesis"))
            reason = _string(item.get("by")), _string(item.get("note")), _string(item.get("confidence"))
            reasons.setdefault(key, []).append(reason)
    people = {_string(item.get("by")) for item in data["assessments"] if isinstance(item, dict)}
    names = {
        _string(item.get("id")): _string(item.get("name"))
        for item in data.get("documents", ())
        if isinstance(item, dict)
    }
    evidence = []
    for item in data["evidence"]:
        quote = _string(item.get("quote"))
        page = f", page {item['page']}" if isinstance(item.get("page"), int) else ""
        place = names.get(_string(item.get("document")), "")
        quotation = f"Quote ({place}{page}): “{quote}”" if quote and place else ""
        note = join_notes(_string(item.get("note")), quotation)
        evidence.append({**item, "ratings": ratings.get(_string(item.get("id")), {}), "note": note})
    rows = _rows(evidence, columns, log)
    log.leave_out("Documents, decisions, considerations and results of the report were not read, only its matrix.")
    if len(people) > 1:
        log.leave_out(f"The ratings of {len(people)} people came in as the one matrix that the report shows.")
    return [
        replace(row, cells=tuple(
            _with_reasons(cell, reasons.get((_string(item.get("id")), id), ()), alone=len(people) < 2)
            for cell, id in zip(row.cells, columns, strict=True)
        ))
        for row, item in zip(rows, evidence, strict=True)
    ]  # fmt: skip


def _with_reasons(cell: FileCell, reasons: Sequence[tuple[str, str, str]], *, alone: bool) -> FileCell:
    lines = [note if alone else f"{by}: {note}" for by, note, _ in reasons if note]
    sure = reasons[0][2] if alone and reasons and reasons[0][2] in ("low", "medium", "high") else ""
    return FileCell(cell.rating, join_notes(cell.note, *lines), sure)


def _row(item: Json, cells: Sequence[FileCell], where: str, log: ImportLog) -> FileRow:
    raw_date = _string(item.get("date"))
    date = words.iso_date(raw_date)
    kind = "assumption" if words.plain_form(_string(item.get("kind"))) in ASSUMPTION_WORDS else "observation"
    reliability, information = (words.admiralty(_string(item.get(key))) for key in ("reliability", "information"))
    credibility = _level(item, ("credibility", "credibility_num"), where, log)
    relevance = _level(item, ("relevance", "relevance_num"), where, log)
    weight = item.get("w")
    note = ""
    if is_number(weight) and weight != 1 and credibility is None and relevance is None:
        relevance, note = relevance_of_weight(float(weight), where, log)
    return FileRow(
        text=_string(item.get("text")),
        cells=tuple(cells),
        source=_string(item.get("source")),
        date=date or "",
        credibility=credibility,
        relevance=relevance,
        reliability=reliability[0] if reliability else "",
        information=(reliability[1] if reliability else "") or (information[1] if information else ""),
        note=join_notes(
            _string(item.get("note")),
            f"Date in the file: {raw_date}" if date is None else "",
            note,
            numbers_in_words({key: item.get(key) for key in _GRADE_NUMBERS}),
        ),
        kind=kind,
    )


_GRADE_NUMBERS = ("credibility", "credibility_num", "relevance", "relevance_num")


def _level(item: Json, keys: Sequence[str], where: str, log: ImportLog) -> Level | None:
    for key in keys:
        value = item.get(key)
        if value is None:
            continue
        if is_number(value):
            return share_level(float(value), keys[0], where, log)
        return read_level(_string(value), keys[0], where, log)
    return None
