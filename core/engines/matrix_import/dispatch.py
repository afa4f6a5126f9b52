"""Matrices that other programs made: finds out by its content what a file is, and reads it whole or not at all.

Runs in the reader's child process. Nothing is trusted: what a file unpacks to is counted while it unpacks, XML with a
DTD is refused, and a value that means nothing known is reported, never guessed. Scores that a file carries are left
out, because they are computed anew: one popular spreadsheet counts a double inconsistency four times.

Layouts and where they come from:

- PARC ``.achz``: gzip of UTF-16 XML; Burton, Open Source ACH, ``import_action.php``. Two faults of that importer are
  not repeated: it gives an empty or unknown value the rating before it, and keeps only two of three credibilities.
- SANS / Stirparo XLSX v0.4 and v0.6, and any XLSX or CSV matrix: see core/engines/matrix_import/tables.py.
- ArkhamMirror: ``arkham_shard_ach/export.py`` and ``models.py`` (signs, numbers from 0 to 1); its stand-alone tool,
  ``ach-standalone/src/types/index.ts`` and ``useACHStore.ts``, and the older ``app/arkham/services/ach_service.py``
  (both letters, '-' or nothing for unrated).
- radarist: ``analysis-of-competing-hypotheses/scripts/ach.py`` ('H1: text', marks, numeric weights).
- The JSON of ``disconfirm matrix --from``: README.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, TypeGuard

from core.domain import Level
from core.engines.matrix_import import vocabulary as words
from core.engines.readers import plain_text
from core.errors import BadInput, Problem, SeveralMatrices
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile

FILE = 32_000_000  # bytes of a file
UNPACKED = 64_000_000  # bytes of what it unpacks to
HYPOTHESES = 200
ROWS = 20_000
CELLS = 600_000
TEXT = 10_000  # characters of a piece of evidence
NOTE = 20_000  # characters of a note
HYPOTHESIS = 1_000  # characters of a hypothesis: as many as the judge can weigh beside a passage
CELL_NOTES = 40_000  # characters of all notes of one row's cells
PROBLEMS = 200  # listed one by one; more are counted
_XML_MARKS = 600_000  # '<' in an XML text: bounds what the tree of it takes
_JSON_MARKS = 3_000_000  # ',' '[' and '{' in a JSON text


class ImportLog:
    """The remarks on a file, gathered while it is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problems: list[Problem] = []
        self.left_out: list[str] = []
        self._more = 0
        self._places: dict[tuple[str, str], list[str]] = {}

    def problem(self, where: str, what: str, hint: str) -> None:
        """Add a remark on one place; beyond ``PROBLEMS`` they are only counted."""
        if len(self.problems) < PROBLEMS:
            self.problems.append(Problem(shorten(where, 80), shorten(what, 300), hint))
        else:
            self._more += 1

    def unknown_rating(self, where: str, value: str) -> None:
        """Add that a cell holds no rating, and was left unrated."""
        self.problem(where, f"“{shorten(value, 60)}” is not a rating; the cell was left unrated.", "Rate it yourself.")

    def many(self, where: str, what: str, hint: str) -> None:
        """Add a remark that holds for many places: it is made once, with the places."""
        self._places.setdefault((what, hint), []).append(where)

    def leave_out(self, sentence: str) -> None:
        """Add what of the file is not read; the same sentence stands once."""
        if sentence not in self.left_out and len(self.left_out) < PROBLEMS:
            self.left_out.append(sentence)

    def done(self) -> tuple[Problem, ...]:
        """Return all remarks, those for many places and a count of those beyond the limit among them."""
        for (what, hint), places in self._places.items():
            label = ", ".join(places[:8]) + (f" and {len(places) - 8} more" if len(places) > 8 else "")
            self.problems.append(Problem(shorten(label, 200), what, hint))
        if self._more:
            what = f"{self._more} more remarks of this kind were not listed."
            self.problems.append(Problem(self.name, what, "Look at the cells that are left unrated."))
        self._places, self._more = {}, 0
        return tuple(self.problems)


def read(data: bytes, name: str, choose: str = "") -> MatrixFile:
    """Read the matrix in a file. Raises BadInput, SeveralMatrices."""
    if not data:
        raise bad(f"{name} is empty.", "Check that it was copied completely.")
    if len(data) > FILE:
        raise bad(
            f"{name} is larger than {FILE // 1_000_000} MB, too large for a matrix.", "Check that it is the right file."
        )
    try:
        return _read(data, name, choose)
    except (MemoryError, RecursionError) as error:
        raise too_large(name) from error


def _read(data: bytes, name: str, choose: str) -> MatrixFile:
    if data.startswith(b"\x1f\x8b"):
        return _parc(plain_text.decode(_gunzip(data, name)), name)
    if data.startswith(b"PK"):
        from core.engines.matrix_import import tables as matrix_tables

        return matrix_tables.read_workbook(data, name, choose)
    for magic, what, remedy in _FOREIGN:
        if magic in data[:1_024] if magic == b"%PDF-" else data.startswith(magic):
            raise bad(f"{name} is {what}, not a matrix that the program can read.", remedy)
    text = plain_text.decode(data).removeprefix("\ufeff")
    if text[:8_000].count("\ufffd") + text[:8_000].count("\0") > 20:
        raise foreign(name)
    head = text.lstrip()[:1]
    if head == "<":
        return _parc(text, name)
    if head in ("{", "["):
        return _json(text, name, choose)
    if name.lower().endswith((".md", ".markdown")):
        # Its lines of prose would pass for rows, and its table for something else.
        raise bad(
            f"{name} is a Markdown text, not a matrix that the program can read.", "Import the CSV, XLSX or JSON."
        )
    from core.engines.matrix_import import tables as matrix_tables

    return matrix_tables.read_text(plain_text.clean(text), name, choose)


SAVE = "Open it in a spreadsheet program, save it as XLSX or CSV, and import that."
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old-format office file, or one with a password", SAVE),
    (b"%PDF-", "a PDF document", "Add it under Documents, or ask for the file that the matrix was made with."),
    (b"SQLite format 3\0", "a database", "If it is a case, merge it with this one instead."),
    (b"\x89PNG", "a picture", "Ask for the file that the matrix was made with."),
    (b"\xff\xd8\xff", "a picture", "Ask for the file that the matrix was made with."),
)


def bad(reason: str, remedy: str) -> BadInput:
    """Make the error of a file that is not imported."""
    return BadInput(reason=f"{reason} Nothing was imported.", remedy=remedy)


def foreign(name: str) -> BadInput:
    """Make the error of a file without a matrix."""
    return bad(
        f"{name} holds no matrix that the program can read.",
        "It reads PARC .achz, XLSX and CSV with hypotheses as columns, and the JSON of ArkhamMirror, radarist and "
        "Disconfirm.",
    )


def too_large(name: str) -> BadInput:
    """Make the error of a file that holds more than any matrix."""
    return bad(
        f"{name} holds far more than any matrix would; it may be malicious.",
        f"A matrix may have {HYPOTHESES} hypotheses and {ROWS:,} pieces of evidence. Check where the file comes from.",
    )


def damaged(name: str, what: str) -> BadInput:
    """Make the error of a file that cannot be read to its end; ``what`` is wrong with it."""
    return bad(f"{name} is damaged: {what}.", "Ask for it again, or open it in the program that made it and save it.")


def shorten(text: str, most: int) -> str:
    """Put a text on one line of at most ``most`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


# --- what every format ends in ---------------------------------------------------------------------------------------


def matrix(
    log: ImportLog,
    *,
    title: str,
    format: str,
    hypotheses: Sequence[FileHypothesis],
    rows: Iterable[FileRow],
) -> MatrixFile:
    """Check limits, keep names apart, cut what is too long and say so."""
    if not hypotheses:
        raise foreign(log.name)
    if len(hypotheses) > HYPOTHESES:
        raise too_large(log.name)
    cut_rows = tuple(_cut(row, at, log) for at, row in enumerate(rows, start=1))
    if cut_rows and not any(cell.rating for row in cut_rows for cell in row.cells):
        log.problem(log.name, "No cell of it is rated.", "Rate the evidence in the matrix.")
    if len(cut_rows) > ROWS or len(cut_rows) * len(hypotheses) > CELLS:
        raise too_large(log.name)
    return MatrixFile(
        title=shorten(plain_text.clean(title), 300) or PurePath(log.name).stem,
        format=format,
        hypotheses=_distinct([_cut_hypothesis(h, log) for h in _without_numbers(hypotheses)], log),
        rows=cut_rows,
        left_out=tuple(log.left_out),
        problems=log.done(),
    )


_WITH_NUMBER = re.compile(r"(h\d{1,3})\s*[:.)\u2013-]\s*(\S.*)", re.I | re.S)


def _without_numbers(hypotheses: Sequence[FileHypothesis]) -> Sequence[FileHypothesis]:
    """Write 'H1: text' as 'text' where every hypothesis has a number of its own: the case numbers them itself."""
    matches = [_WITH_NUMBER.fullmatch(hypothesis.text.strip()) for hypothesis in hypotheses]
    prefixes = [match for match in matches if match is not None]
    if len({match.group(1).casefold() for match in prefixes}) < len(hypotheses):
        return hypotheses
    return [FileHypothesis(match.group(2), h.note) for match, h in zip(prefixes, hypotheses, strict=True)]


def _distinct(hypotheses: Sequence[FileHypothesis], log: ImportLog) -> tuple[FileHypothesis, ...]:
    """Give hypotheses of the same name a number: they are two, or the file would not have two columns."""
    counts: dict[str, int] = {}
    distinct = []
    for at, hypothesis in enumerate(hypotheses, start=1):
        text = hypothesis.text or f"(hypothesis {at} without a name)"
        if not hypothesis.text:
            log.many(f"hypothesis {at}", "It has no name in the file.", "Give it one under Hypotheses.")
        key = plain_key(text)
        counts[key] = count = counts.get(key, 0) + 1
        if count > 1:
            log.problem(
                f"hypothesis {at}",
                f"“{shorten(text, 80)}” is the name of more than one hypothesis; they are kept apart by a number.",
                "Say under Hypotheses what makes them different, or take one out.",
            )
            text = f"{text} ({count})"
        distinct.append(FileHypothesis(text, hypothesis.note))
    return tuple(distinct)


def plain_key(text: str) -> str:
    """Return the key by which names of hypotheses are compared."""
    return words.plain_form(text)


def _cut_hypothesis(hypothesis: FileHypothesis, log: ImportLog) -> FileHypothesis:
    text, note = " ".join(plain_text.clean(hypothesis.text).split()), plain_text.clean(hypothesis.note).strip()
    if len(text) > HYPOTHESIS - 8:  # room for a number that keeps it apart
        note = f"{text}\n{note}".strip()
        text = text[: HYPOTHESIS - 9] + "…"
        log.many(
            shorten(text, 40),
            f"It is longer than {HYPOTHESIS:,} characters; the whole is in its note.",
            "Shorten it.",
        )
    return FileHypothesis(text, _limited(note, NOTE, shorten(text, 40), log))


def _cut(row: FileRow, at: int, log: ImportLog) -> FileRow:
    text, note = plain_text.clean(row.text).strip(), plain_text.clean(row.note).strip()
    if not text:
        text = f"(no text in the file, item {at})"
        log.many(f"item {at}", "It has no text in the file.", "Write what was observed.")
    if len(text) > TEXT:
        note = f"{text}\n{note}".strip()
        text = text[: TEXT - 1] + "…"
        log.many(f"item {at}", f"Its text is longer than {TEXT:,} characters; the whole is in its note.", "Shorten it.")
    left = CELL_NOTES
    cells = []
    for cell in row.cells:
        remark = plain_text.clean(cell.note).strip()
        if remark and cell.rating is None:  # a remark needs a rating to stand beside
            note, remark = f"{note}\n{remark}".strip(), ""
        if len(remark) > min(left, TEXT):
            log.many(f"item {at}", "The notes of its cells were cut: they are too long.", "Look them up in the file.")
            remark = remark[: min(left, TEXT)]
        left -= len(remark)
        cells.append(FileCell(cell.rating, remark, cell.confidence if cell.rating is not None else ""))
    return FileRow(
        text=text,
        cells=tuple(cells),
        source=_limited(" ".join(plain_text.clean(row.source).split()), 2_000, f"item {at}", log),
        date=row.date,
        credibility=row.credibility,
        relevance=row.relevance,
        reliability=row.reliability,
        information=row.information,
        note=_limited(note, NOTE, f"item {at}", log),
        kind=row.kind,
    )


def _limited(text: str, most: int, where: str, log: ImportLog) -> str:
    if len(text) <= most:
        return text
    log.many(where, f"A note or source was cut after {most:,} characters.", "Look the rest up in the file.")
    return text[: most - 1] + "…"


def join_notes(*parts: str) -> str:
    """Join remarks as lines of one note."""
    return "\n".join(part for part in parts if part.strip())


# --- PARC ------------------------------------------------------------------------------------------------------------


def _gunzip(data: bytes, name: str) -> bytes:
    unpack = zlib.decompressobj(31)
    try:
        text = unpack.decompress(data, UNPACKED // 2)
    except zlib.error as error:
        raise damaged(name, "it cannot be unpacked") from error
    if unpack.unconsumed_tail:
        raise too_large(name)
    if not unpack.eof:
        raise damaged(name, "its end is missing")
    return text


def xml(text: str, name: str) -> Any:
    """Parse an XML text to its root. Raises BadInput for anything that is not plain, small, finished XML."""
    from lxml import etree

    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise bad(f"{name} declares XML entities, which a matrix never needs; it may be malicious.", _CHECK)
    if text.count("<") > _XML_MARKS:
        raise too_large(name)
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1)  # it names the encoding that the text had
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)  # not allowed in XML
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except (etree.LxmlError, ValueError) as error:
        raise damaged(name, "its XML is not well-formed") from error
    if root.getroottree().docinfo.doctype:
        raise bad(f"{name} declares XML entities, which a matrix never needs; it may be malicious.", _CHECK)
    return root


_CHECK = "Check where the file comes from; the program that made the matrix can save it again."

_KINDS = {  # spellings of PARC's evidence types, as its importer knows them
    "open source": "OSINT", "osint": "OSINT", "press": "OSINT", "hum": "HUMINT", "humint": "HUMINT",
    "imagery": "IMINT", "imint": "IMINT", "sig": "SIGINT", "sigint": "SIGINT", "masint": "MASINT",
}  # fmt: skip
_ASSUMPTION_WORDS = ("assu", "assumption", "key assumption", "annahme")
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


def _parc(text: str, name: str) -> MatrixFile:
    root = xml(text, name)
    tables = [child for child in root if _local(child) == "MATRIX"]
    if not tables:
        raise foreign(name)
    log = ImportLog(name)
    if len(tables) > 1:
        log.problem(
            name, f"It holds {len(tables)} matrices; the first was read.", "Save the others as files of their own."
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
    rows = [_parc_row(item, at, hypotheses, scale, log) for at, item in enumerate(evidence, start=1)]
    return matrix(log, title=_child(root, "PROJECT-TITLE"), format="PARC ACH", hypotheses=hypotheses, rows=rows)


def _parc_row(item: Any, at: int, hypotheses: Sequence[FileHypothesis], scale: words.Scale, log: ImportLog) -> FileRow:
    where = f"item {at}"
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
    is_assumption = words.plain_form(type_) in _ASSUMPTION_WORDS
    link = _child(item, "LINK")
    for part in item:
        if _local(part) not in _EVIDENCE_PARTS and "".join(part.itertext()).strip():
            log.leave_out(f"The part {shorten(_local(part), 40)} of the evidence was not read.")
    return FileRow(
        text=_child(item, "NAME"),
        cells=tuple(cells),
        source=link,
        date=date or "",
        credibility=_level(_child(item, "CREDIBILITY"), "credibility", where, log),
        relevance=_level(_child(item, "RELEVANCE"), "relevance", where, log),
        note=join_notes(
            _child(item, "NOTES"),
            f"Date in the file: {_child(item, 'DATE')}" if date is None else "",
            f"Code: {_child(item, 'CODE')}" if _child(item, "CODE") else "",
            f"Type: {_KINDS.get(words.plain_form(type_), type_)}" if type_ and not is_assumption else "",
            "Flagged." if _child(item, "FLAG") == "1" else "",
        ),
        kind="assumption" if is_assumption else "observation",
    )


def _level(value: str, what: str, where: str, log: ImportLog) -> Level | None:
    level, is_known = words.level(value)
    if not is_known:
        log.problem(
            where, f"“{shorten(value, 40)}” is not a {what} (low, medium, high); none was set.", "Set it yourself."
        )
    return level


# --- JSON ------------------------------------------------------------------------------------------------------------

Json = dict[str, Any]
_MATRIX_LISTS = ("matrices", "analyses")


def _json(text: str, name: str, choose: str) -> MatrixFile:
    if text.count(",") + text.count("[") + text.count("{") > _JSON_MARKS:
        raise too_large(name)
    try:
        data = json.loads(text, parse_constant=_no_number)
    except RecursionError as error:
        raise too_large(name) from error
    except ValueError as error:
        raise damaged(name, f"its JSON cannot be read ({shorten(str(error), 80)})") from error
    return _one_of(data, name, choose)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _one_of(data: object, name: str, choose: str) -> MatrixFile:
    several: object = data
    if isinstance(data, dict):
        several = next((data[key] for key in _MATRIX_LISTS if isinstance(data.get(key), list)), None)
        if several is None:
            return _one(data, name, PurePath(name).stem)
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
    return _one(*pick(matrices, titles, name, choose))


def pick(matrices: Mapping[str, Any], titles: Mapping[str, str], name: str, choose: str) -> tuple[Any, str, str]:
    """Return the matrix that was chosen, the file's name and the matrix's own. Raises SeveralMatrices, BadInput."""
    if choose and choose not in matrices:
        raise bad(f"{name} has no matrix “{shorten(choose, 60)}”.", f"It has: {shorten(', '.join(matrices), 1_000)}.")
    if not choose and len(matrices) > 1:
        raise several_matrices(matrices, titles, name)
    id = choose or next(iter(matrices))
    return matrices[id], name, id


def several_matrices(matrix_ids: Iterable[str], titles: Mapping[str, str], name: str) -> SeveralMatrices:
    """Make the error of a file with several matrices, of which one must be chosen."""
    ids = list(matrix_ids)
    lines = [f"{' '.join(id.split())}\t{shorten(titles.get(id, ''), 100)}" for id in ids]
    while sum(map(len, lines)) + len(lines) > 1_900:
        lines.pop()
    return SeveralMatrices(name=name, count=len(ids), names=shorten(", ".join(ids), 600), choices="\n".join(lines))


def _title(data: Mapping[str, Any]) -> str:
    inner = data.get("metadata") if isinstance(data.get("metadata"), dict) else data.get("analysis")
    for source in (data, inner if isinstance(inner, dict) else {}):
        for key in ("title", "question", "focusQuestion", "focus_question"):
            if _string(source.get(key)):
                return _string(source.get(key))
    return ""


def _one(data: Json, name: str, id: str) -> MatrixFile:
    inner = data.get("analysis")
    if "hypotheses" not in data and isinstance(inner, dict):
        data = {**data, **inner}
    hypotheses, evidence = data.get("hypotheses"), data.get("evidence")
    if not isinstance(hypotheses, list) or not isinstance(evidence, list):
        raise foreign(name)
    if len(hypotheses) > HYPOTHESES or len(evidence) > ROWS:
        raise too_large(name)
    if any(not isinstance(item, dict) for item in evidence):
        raise damaged(name, "a piece of evidence is not an object")
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
    _json_left_out(data, log)
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


def _json_left_out(data: Json, log: ImportLog) -> None:
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
            raise damaged(name, f"hypothesis {at} is neither a text nor an object")
        id = id or f"H{at}"
        if id in columns:
            raise damaged(
                name, f"two hypotheses have the id “{shorten(id, 40)}”, so their ratings cannot be told apart"
            )
        columns[id] = (text, note)
    return columns


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


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
            raise damaged(log.name, f"the ratings of {shorten(where, 40)} are not an object")
        for key in ratings:
            if key not in columns:
                what = f"It is rated against “{shorten(key, 40)}”, which is not a hypothesis of the matrix."
                log.problem(where, what, "Check whether a hypothesis is missing.")
        cells = [_json_cell(ratings.get(id), scale, f"{where}, {id}", log) for id in columns]
        rows.append(_json_row(item, cells, where, log))
    return rows


def _json_cell(value: object, scale: words.Scale, where: str, log: ImportLog) -> FileCell:
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
        raise damaged(log.name, "a rating is not an object")
    if len(ratings) > CELLS:
        raise too_large(log.name)
    scale = words.scale_of(item["rating"] for item in ratings if isinstance(item.get("rating"), str))
    rows_by_id: dict[str, int] = {}
    for at, item in enumerate(evidence):
        id = _string(item.get("id")) or f"item {at + 1}"
        if id in rows_by_id:
            raise damaged(log.name, f"two pieces of evidence have the id “{shorten(id, 40)}”")
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
        cell = _json_cell(item.get("rating"), scale, where, log)
        share = item.get("confidence")
        sure = words.confidence_of_share(share) if _is_number(share) and 0 <= share < 1 else ""
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
        rows.append(_json_row(item, [cells.get((id, h), FileCell()) for h in columns], label[id], log))
    return rows


def _report_rows(data: Json, columns: Mapping[str, object], log: ImportLog) -> list[FileRow]:
    """Read the evidence of this program's own report.

    The ratings stand in its matrix, the reasons with those who rated.
    """
    matrix_rows = data["matrix"].get("rows")
    if not isinstance(matrix_rows, list) or any(not isinstance(row, dict) for row in matrix_rows):
        raise damaged(log.name, "its matrix has no rows")
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
    return (float(position) if _is_number(position) else float(at)), at


def _json_row(item: Json, cells: Sequence[FileCell], where: str, log: ImportLog) -> FileRow:
    label, description = _string(item.get("label")), _string(item.get("description"))
    text = _string(item.get("text")) or description or _string(item.get("title")) or label
    kind_word = _string(item.get("kind") or item.get("type") or item.get("evidenceType") or item.get("evidence_type"))
    kind = "assumption" if words.plain_form(kind_word) in _ASSUMPTION_WORDS else "observation"
    raw_date = _string(item.get("date"))
    date = words.iso_date(raw_date)
    grade = words.admiralty(_string(item.get("reliability"))) if len(_string(item.get("reliability"))) < 40 else None
    credibility = _json_level(item, ("credibility", "credibility_num"), where, log)
    if credibility is None and grade is None:
        credibility = _json_level(item, ("reliability",), where, log)  # ArkhamMirror: high, medium, low
    relevance = _json_level(item, ("relevance", "relevance_num"), where, log)
    information = words.admiralty(_string(item.get("information"))) or ("", "")
    weight = item.get("weight", item.get("w"))
    note = ""
    if _is_number(weight) and weight != 1 and credibility is None and relevance is None:
        relevance, note = relevance_of_weight(float(weight), where, log)
    elif "weight" in item and _is_number(weight) and weight != 1:
        note = f"Weight in the file: {weight:g}"
        log.many(where, "It has a weight beside its grades; the weight is kept in the note and does not count.", _GRADE)
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


def numbers_in_words(grades: dict[str, object]) -> str:
    """Write grades that were numbers as a remark: a level says less than they did."""
    grades_text = [f"{key.removesuffix('_num')} {value:g}" for key, value in grades.items() if _is_number(value)]
    return f"In the file: {', '.join(grades_text)}" if grades_text else ""


_GRADE = "Set credibility and relevance yourself where it matters."


def _json_level(item: Json, keys: Sequence[str], where: str, log: ImportLog) -> Level | None:
    for key in keys:
        value = item.get(key)
        if value is None:
            continue
        if _is_number(value):
            return share_level(float(value), keys[0], where, log)
        return _level(_string(value), keys[0], where, log)
    return None


def share_level(value: float, what: str, where: str, log: ImportLog) -> Level | None:
    """Read a number from 0 to 1 as low, medium or high, and note that it was one."""
    if not 0 <= value <= 1:
        log.problem(where, f"{value:g} is not a {what} from 0 to 1; none was set.", "Set it yourself.")
        return None
    log.many(
        where,
        f"Its {what} is a number in the file; it was read as low, medium or high (thirds of 0 to 1).",
        "Scores differ a little from those of the program that made it.",
    )
    return words.level_of_share(value)


def relevance_of_weight(weight: float, where: str, log: ImportLog) -> tuple[Level | None, str]:
    """Read a single weight as relevance where nothing else is given; beyond 0 to 1 it is kept as a remark only."""
    note = f"Weight in the file: {weight:g}"
    if 0 <= weight <= 1:
        log.many(where, "Its weight was read as relevance: low, medium or high (thirds of 0 to 1).", _GRADE)
        return words.level_of_share(weight), note
    log.many(where, "Its weight is not from 0 to 1; it is kept in the note and does not count.", _GRADE)
    return None, note
