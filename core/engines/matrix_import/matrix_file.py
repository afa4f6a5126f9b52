"""What every format of a matrix ends in: limits, names kept apart, texts cut, grades read; the same for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeGuard

from core.domain import Level
from core.engines.matrix_import import vocabulary as words
from core.engines.matrix_import.import_log import MAX_HYPOTHESES, MAX_ROWS, ImportLog, bad, foreign, shorten, too_large
from core.engines.readers import plain_text
from core.errors import SeveralMatrices
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile

MAX_CELLS = 600_000
MAX_TEXT_CHARS = 10_000  # characters of a piece of evidence
MAX_NOTE_CHARS = 20_000  # characters of a note
MAX_HYPOTHESIS_CHARS = 1_000  # characters of a hypothesis: as many as the judge can weigh beside a passage
MAX_CELL_NOTE_CHARS = 40_000  # characters of all notes of one row's cells
ASSUMPTION_WORDS = ("assu", "assumption", "key assumption", "annahme")


def matrix(
    log: ImportLog, *, title: str, format: str, hypotheses: Sequence[FileHypothesis], rows: Iterable[FileRow]
) -> MatrixFile:
    """Check limits, keep names apart, cut what is too long and say so."""
    if not hypotheses:
        raise foreign(log.name)
    if len(hypotheses) > MAX_HYPOTHESES:
        raise too_large(log.name)
    cut_rows = tuple(_cut(row, number, log) for number, row in enumerate(rows, start=1))
    if cut_rows and not any(cell.rating for row in cut_rows for cell in row.cells):
        log.problem(log.name, "No cell of it is rated.", "Rate the evidence in the matrix.")
    if len(cut_rows) > MAX_ROWS or len(cut_rows) * len(hypotheses) > MAX_CELLS:
        raise too_large(log.name)
    return MatrixFile(
        title=shorten(plain_text.clean(title), 300) or PurePath(log.name).stem,
        format=format,
        hypotheses=_distinct([_cut_hypothesis(h, log) for h in _without_numbers(hypotheses)], log),
        rows=cut_rows,
        left_out=tuple(log.left_out),
        problems=log.finish(),
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
    """Add numbers to hypotheses of the same name: they are two, or the file would not have two columns."""
    counts: dict[str, int] = {}
    distinct = []
    for number, hypothesis in enumerate(hypotheses, start=1):
        text = hypothesis.text or f"(hypothesis {number} without a name)"
        if not hypothesis.text:
            log.many(f"hypothesis {number}", "It has no name in the file.", "Give it one under Hypotheses.")
        key = plain_key(text)
        counts[key] = count = counts.get(key, 0) + 1
        if count > 1:
            log.problem(
                f"hypothesis {number}",
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
    if len(text) > MAX_HYPOTHESIS_CHARS - 8:  # room for a number that keeps it apart
        note = f"{text}\n{note}".strip()
        text = text[: MAX_HYPOTHESIS_CHARS - 9] + "…"
        log.many(
            shorten(text, 40),
            f"It is longer than {MAX_HYPOTHESIS_CHARS:,} characters; the whole is in its note.",
            "Shorten it.",
        )
    return FileHypothesis(text, _cut_note(note, MAX_NOTE_CHARS, shorten(text, 40), log))


def _cut(row: FileRow, number: int, log: ImportLog) -> FileRow:
    text, note = plain_text.clean(row.text).strip(), plain_text.clean(row.note).strip()
    if not text:
        text = f"(no text in the file, item {number})"
        log.many(f"item {number}", "It has no text in the file.", "Write what was observed.")
    if len(text) > MAX_TEXT_CHARS:
        note = f"{text}\n{note}".strip()
        text = text[: MAX_TEXT_CHARS - 1] + "…"
        log.many(
            f"item {number}",
            f"Its text is longer than {MAX_TEXT_CHARS:,} characters; the whole is in its note.",
            "Shorten it.",
        )
    left = MAX_CELL_NOTE_CHARS
    cells = []
    for cell in row.cells:
        remark = plain_text.clean(cell.note).strip()
        if remark and cell.rating is None:  # a remark needs a rating beside it
            note, remark = f"{note}\n{remark}".strip(), ""
        if len(remark) > min(left, MAX_TEXT_CHARS):
            log.many(
                f"item {number}", "The notes of its cells were cut: they are too long.", "Look them up in the file."
            )
            remark = remark[: min(left, MAX_TEXT_CHARS)]
        left -= len(remark)
        cells.append(FileCell(cell.rating, remark, cell.confidence if cell.rating is not None else ""))
    return FileRow(
        text=text,
        cells=tuple(cells),
        source=_cut_note(" ".join(plain_text.clean(row.source).split()), 2_000, f"item {number}", log),
        date=row.date,
        credibility=row.credibility,
        relevance=row.relevance,
        reliability=row.reliability,
        information=row.information,
        note=_cut_note(note, MAX_NOTE_CHARS, f"item {number}", log),
        kind=row.kind,
    )


def _cut_note(text: str, limit: int, where: str, log: ImportLog) -> str:
    if len(text) <= limit:
        return text
    log.many(where, f"A note or source was cut after {limit:,} characters.", "Look the rest up in the file.")
    return text[: limit - 1] + "…"


def join_notes(*parts: str) -> str:
    """Join remarks as lines of one note."""
    return "\n".join(part for part in parts if part.strip())


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


# --- grades ----------------------------------------------------------------------------------------------------------

GRADE_HINT = "Set credibility and relevance yourself where it matters."


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value of JSON is a number that can be counted with."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def numbers_in_words(grades: dict[str, object]) -> str:
    """Write grades that were numbers as a remark: a level says less than they did."""
    numbers = [f"{key.removesuffix('_num')} {value:g}" for key, value in grades.items() if is_number(value)]
    return f"In the file: {', '.join(numbers)}" if numbers else ""


def read_level(value: str, what: str, where: str, log: ImportLog) -> Level | None:
    """Read a low, medium or high; what means none of them is noted, and none set."""
    level, is_known = words.level(value)
    if not is_known:
        log.problem(
            where, f"“{shorten(value, 40)}” is not a {what} (low, medium, high); none was set.", "Set it yourself."
        )
    return level


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
        log.many(where, "Its weight was read as relevance: low, medium or high (thirds of 0 to 1).", GRADE_HINT)
        return words.level_of_share(weight), note
    log.many(where, "Its weight is not from 0 to 1; it is kept in the note and does not count.", GRADE_HINT)
    return None, note
