"""Matrices in JSON.

- ArkhamMirror: ``arkham_shard_ach/export.py`` and ``models.py`` (signs, numbers from 0 to 1); its stand-alone tool,
  ``ach-standalone/src/types/index.ts`` and ``useACHStore.ts``, and the older ``app/arkham/services/ach_service.py``
  (both letters, '-' or nothing for unrated).
- radarist: ``analysis-of-competing-hypotheses/scripts/ach.py`` ('H1: text', marks, numeric weights).
- The JSON of ``disconfirm matrix --from``: README.
"""

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
    GRADE_HINT,
    MAX_CELLS,
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
_MATRIX_LISTS = ("matrices", "analyses")


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
        several = next((data[key] for key in _MATRIX_LISTS if isinstance(data.get(key), list)), None)
        if several is None:
            return _matrix(data, name, PurePath(name).stem)
    if not isinstance(several, list) or not several:
        raise foreign(name)
    matrices: dict[str, Json] = {}
    titles: dict[str, str] = {}
    for at, item in enumerate(several, start=1):
        if not isinstance(item, dict) or "hypotheses" not in item:
            raise foreign(name)
        id = _string(item.get("id")) or str(at)
        id = id if id not in matrices else f"{id} #{at}"
        matrices[id], titles[id] = item, _title(item)
    return _matrix(*pick(matrices, titles, name, choose))


def _title(data: Mapping[str, Any]) -> str:
    inner = data.get("metadata") if isinstance(data.get("metadata"), dict) else data.get("analysis")
    for source in (data, inner if isinstance(inner, dict) else {}):
        for key in ("title", "question", "focusQuestion", "focus_question"):
            if _string(source.get(key)):
                return _string(source.get(key))
    return ""


def _matrix(data: Json, name: str, id: str) -> MatrixFile:
    inner = data.get("analysis")
    if "hypotheses" not in data and isinstance(inner, dict):
        data = {**data, **inner}
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
        rows = _report_rows(data, columns, log)
        file_hypotheses = [FileHypothesis(text, note) for text, note in columns.values()]
        return matrix(log, title=_title(data) or id, format="Disconfirm report", hypotheses=file_hypotheses, rows=rows)
    if isinstance(data.get("ratings"), list):
        rows = _arkham_rows(data, columns, log)
        format = "ArkhamMirror"
    elif any("marks" in item for item in evidence) or any(isinstance(h, str) for h in hypotheses):
        rows = _plain_rows(evidence, columns, log, marks="marks")
        format = "radarist ach.py"
    else:
        rows = _plain_rows(evidence, columns, log, marks="ratings")
        format = "ArkhamMirror" if isinstance(inner, dict) else "matrix in JSON"
    file_hypotheses = [FileHypothesis(text, note) for text, note in columns.values()]
    _note_left_out(data, log)
    return matrix(log, title=_title(data) or id, format=format, hypotheses=file_hypotheses, rows=rows)


_READ_KEYS = frozenset(
    ("id", "title", "question", "focusQuestion", "focus_question", "description", "hypotheses", "evidence", "ratings",
     "metadata", "analysis", "source", "provenance", "note", "status", "createdAt", "updatedAt", "currentStep",
     "steps_completed", "current_step", "created_at", "updated_at", "hypothesis_count", "evidence_count", "project_id",
     "exported_at", "stepsCompleted", "unrated", "order", "rule", "about", "export_info", "version")
)  # fmt: skip
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
    for at, item in enumerate(hypotheses, start=1):
        note = ""
        if isinstance(item, str):  # radarist: 'H1: label'
            id, _, label = (part.strip() for part in item.partition(":"))
            text = label or id
        elif isinstance(item, dict):
            id = _string(item.get("id"))
            label, description = _string(item.get("title")), _string(item.get("description"))
            text = _string(item.get("text")) or label or description
            note = join_notes(
                _string(item.get("note") or item.get("notes")), description if description != text else ""
            )
            if item.get("kind") or item.get("prior") is not None:
                log.leave_out("Kinds and priors of hypotheses were not read; set them under Hypotheses.")
            if not text:
                text = _string(item.get("label"))
        else:
            raise damaged_file(name, f"hypothesis {at} is neither a text nor an object")
        id = id or f"H{at}"
        if id in columns:
            raise damaged_file(
                name, f"two hypotheses have the id “{shorten(id, 40)}”, so their ratings cannot be told apart"
            )
        columns[id] = (text, note)
    return columns


def _string(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _plain_rows(
    evidence: Sequence[Json], columns: Mapping[str, object], log: ImportLog, *, marks: str
) -> list[FileRow]:
    """Read evidence whose ratings stand in the row itself, by the id of the hypothesis."""
    scale = words.scale_of(
        value for item in evidence if isinstance(item.get(marks), dict) for value in item[marks].values()
        if isinstance(value, str)
    )  # fmt: skip
    rows = []
    for at, item in enumerate(evidence, start=1):
        where = _string(item.get("id")) or f"item {at}"
        ratings = item.get(marks, {})
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


def _arkham_rows(data: Json, columns: Mapping[str, object], log: ImportLog) -> list[FileRow]:
    """Read evidence whose ratings stand in a list of their own, by the ids of evidence and hypothesis."""
    evidence: list[Json] = data["evidence"]
    ratings = data["ratings"]
    if any(not isinstance(item, dict) for item in ratings):
        raise damaged_file(log.name, "a rating is not an object")
    if len(ratings) > MAX_CELLS:
        raise too_large(log.name)
    scale = words.scale_of(item["rating"] for item in ratings if isinstance(item.get("rating"), str))
    rows_by_id: dict[str, int] = {}
    for at, item in enumerate(evidence):
        id = _string(item.get("id")) or f"item {at + 1}"
        if id in rows_by_id:
            raise damaged_file(log.name, f"two pieces of evidence have the id “{shorten(id, 40)}”")
        rows_by_id[id] = at
    label = {id: _string(evidence[at].get("label")) or f"item {at + 1}" for id, at in rows_by_id.items()}
    places = {id: at for at, id in enumerate(columns, start=1)}
    cells: dict[tuple[str, str], FileCell] = {}
    orphans = 0
    for item in ratings:
        row = _string(item.get("evidence_id", item.get("evidenceId")))
        column = _string(item.get("hypothesis_id", item.get("hypothesisId")))
        if row not in rows_by_id or column not in columns:
            orphans += 1
            continue
        where = f"{label[row]}, hypothesis {places[column]}"
        cell = _cell(item.get("rating"), scale, where, log)
        share = item.get("confidence")
        sure = words.confidence_of_share(share) if is_number(share) and 0 <= share < 1 else ""
        cell = FileCell(
            cell.rating, join_notes(_string(item.get("reasoning")), _string(item.get("notes")), cell.note), sure
        )
        if (row, column) in cells and cells[row, column].rating != cell.rating:
            log.problem(
                where, "The file rates this cell twice, and differently; it was left unrated.", "Rate it yourself."
            )
            cell = FileCell()
        cells[row, column] = cell
    if orphans:
        what = f"{orphans} ratings belong to no evidence or hypothesis of the file and were left out."
        log.problem(log.name, what, "Check that the file is complete.")
    is_ungraded = all(item.get("credibility", 1.0) == 1.0 == item.get("relevance", 1.0) for item in evidence)
    rows = []
    order = sorted(rows_by_id, key=lambda id: _position(evidence[rows_by_id[id]], rows_by_id[id]))
    for id in order:
        item = dict(evidence[rows_by_id[id]])
        if is_ungraded:  # 1.0 is what the program writes where nobody graded anything
            item.pop("credibility", None)
            item.pop("relevance", None)
        rows.append(_row(item, [cells.get((id, h), FileCell()) for h in columns], label[id], log))
    return rows


def _report_rows(data: Json, columns: Mapping[str, object], log: ImportLog) -> list[FileRow]:
    """Read the evidence of this program's own report.

    The ratings stand in its matrix, the reasons with those who rated.
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
    rows = _plain_rows(evidence, columns, log, marks="ratings")
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


def _position(item: Json, at: int) -> tuple[float, int]:
    position = item.get("row_index", item.get("displayOrder", item.get("display_order", at)))
    return (float(position) if is_number(position) else float(at)), at


def _row(item: Json, cells: Sequence[FileCell], where: str, log: ImportLog) -> FileRow:
    label, description = _string(item.get("label")), _string(item.get("description"))
    text = _string(item.get("text")) or description or _string(item.get("title")) or label
    kind_word = _string(item.get("kind") or item.get("type") or item.get("evidenceType") or item.get("evidence_type"))
    kind = "assumption" if words.plain_form(kind_word) in ASSUMPTION_WORDS else "observation"
    raw_date = _string(item.get("date"))
    date = words.iso_date(raw_date)
    grade = words.admiralty(_string(item.get("reliability"))) if len(_string(item.get("reliability"))) < 40 else None
    credibility = _level(item, ("credibility", "credibility_num"), where, log)
    if credibility is None and grade is None:
        credibility = _level(item, ("reliability",), where, log)  # ArkhamMirror: high, medium, low
    relevance = _level(item, ("relevance", "relevance_num"), where, log)
    information = words.admiralty(_string(item.get("information"))) or ("", "")
    weight = item.get("weight", item.get("w"))
    note = ""
    if is_number(weight) and weight != 1 and credibility is None and relevance is None:
        relevance, note = relevance_of_weight(float(weight), where, log)
    elif "weight" in item and is_number(weight) and weight != 1:
        note = f"Weight in the file: {weight:g}"
        log.many(
            where, "It has a weight beside its grades; the weight is kept in the note and does not count.", GRADE_HINT
        )
    return FileRow(
        text=text,
        cells=tuple(cells),
        source=_string(item.get("source")),
        date=date or "",
        credibility=credibility,
        relevance=relevance,
        reliability=grade[0] if grade else "",
        information=(grade[1] if grade else "") or information[1],
        note=join_notes(
            _string(item.get("note") or item.get("notes")),
            description if description != text else "",
            f"Date in the file: {raw_date}" if date is None else "",
            f"Type: {kind_word}"
            if kind_word and kind != "assumption" and kind_word not in ("observation", "fact")
            else "",
            note,
            "Left out of the scores in the file."
            if item.get("is_critical") == 1
            else "",  # what ArkhamMirror means by it
            "Suggested by a model in the file." if item.get("ai_origin") else "",
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
