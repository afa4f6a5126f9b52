"""The matrix as compact arrays of small codes, quick to paint, sort and filter, and as a table for screen readers.

A cell is one byte: 0 empty, 1 to 6 what people rated (in the order CC C N I II NA), 7 to 12 what the machine suggests.
A second byte holds its marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.domain import RATINGS, Assessment, Evidence, Hypothesis, Matrix, MatrixRow, Rating, Suggestion
from core.matrix import VALUE, fraction
from core.text import over_pages
from gui_app.shared.formatting import RATING_WORDS
from gui_app.shared.proposal_queue import number

SUGGESTED = len(RATINGS)
CODE: dict[Rating, int] = {rating: code for code, rating in enumerate(RATINGS, start=1)}

# Marks of a cell, as bits.
NOTE = 1  # somebody left a note
UNSURE = 2  # rated with low confidence
DISPUTED = 4  # people rate it differently
DIFFERS = 8  # people and the machine point different ways
MINE = 16  # the person at this computer rated it
UNCOUNTED = 32  # its row was withdrawn
OUTDATED = 64  # rated while the hypothesis or the quote had other words
PAINTED = NOTE | UNSURE | DISPUTED | OUTDATED  # those that change the picture of a cell

# What the flags of a row say: it does not help to choose between the hypotheses. A row of I and II alone speaks against
# all of them, but not alike: it is not among these.
DULL = frozenset({"all_NA", "all_N", "uniform"})
MINE_VIEW, GROUP_VIEW = "mine", "group"

# The orders of rows that are not those of one hypothesis ('h:H1').
SORTS = (
    "id", "text", "source", "date", "grade", "credibility", "relevance", "diagnosticity", "unrated", "upstream",
)  # fmt: skip
_HIGHEST_FIRST = frozenset({"diagnosticity", "unrated"})

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class GridRow:
    """The facts of one piece of evidence beside its ratings.

    ``search_text`` is what the text filter looks into, ``whole`` the text with the words of the pages that its quote
    skips; in ``text`` a sign stands for them.
    """

    item: Evidence
    text: str
    place: str
    date: str = ""
    search_text: str = ""
    whole: str = ""

    @property
    def id(self) -> str:
        """The id of the evidence."""
        return self.item.id

    @property
    def is_withdrawn(self) -> bool:
        """Return whether what it quoted was erased: it stays, says so, and does not count."""
        return self.item.kind == "withdrawn"

    @property
    def grade(self) -> str:
        """The Admiralty grade as it is written: 'B2', 'B', '2', ''."""
        return f"{self.item.reliability}{self.item.information}"


def grid_row(item: Evidence, date: str = "", gaps: Sequence[str] = ()) -> GridRow:
    """Return the row of a piece of evidence.

    ``date`` is that of its document, used when it has none of its own; ``gaps`` is what its quote skips at each page
    break.
    """
    place = item.source
    if item.page is not None:
        pages = f"pp. {item.page}–{item.more[-1].page}" if item.more else f"p. {item.page}"
        place = f"{item.source}, {pages}" if item.source else pages
    stretches = [item.quote, *(part.text for part in item.more)] if item.quote else [item.text]
    text = " ".join(over_pages(*stretches, skipped=gaps, brief=True).split())
    full_text = " ".join(over_pages(*stretches, skipped=gaps).split())
    place, day = " ".join(place.split()), item.date or date[:10]
    return GridRow(item, text, place, day, f"{item.id} {text} {place} {day} {item.note}".casefold(), full_text)


class Sheet:
    """The whole matrix: rows in the order of their ids, and one code and one byte of marks a cell, row by row.

    ``suggestions`` holds what the machine says of every cell, decided or not. ``assessments`` has those of cells with
    a note, a confidence or several people. ``row_scores`` follows later and is None for rows that are not scored yet.
    """

    __slots__ = (
        "_column",
        "_empty",
        "_row",
        "assessments",
        "codes",
        "dull",
        "hypotheses",
        "marks",
        "row_scores",
        "rows",
        "sizes",
        "suggestions",
        "view",
        "who",
        "width",
    )

    def __init__(
        self,
        rows: Sequence[GridRow] = (),
        hypotheses: Sequence[Hypothesis] = (),
        codes: bytes | bytearray = b"",
        *,
        who: str = "",
        view: str = MINE_VIEW,
    ) -> None:
        self.rows = list(rows)
        self.hypotheses = list(hypotheses)
        self.width = len(self.hypotheses)
        cells = len(self.rows) * self.width
        self.codes = bytearray(codes) if codes else bytearray(cells)
        self.marks = bytearray(cells)
        self.suggestions = bytearray(cells)
        self.assessments: dict[int, tuple[Assessment, ...]] = {}
        self.row_scores: list[MatrixRow | None] = [None] * len(self.rows)
        self.dull = bytearray(len(self.rows))
        self.sizes: Counter[str] = Counter()
        self.who, self.view = who, view
        self._empty: frozenset[str] | None = None
        self._row = {row.id: index for index, row in enumerate(self.rows)}
        self._column = {hypothesis.id: index for index, hypothesis in enumerate(self.hypotheses)}

    def empty_kinds(self) -> frozenset[str]:
        """Return the columns beside the hypotheses that have no value in any row."""
        if self._empty is None:
            values: dict[str, Callable[[GridRow], object]] = {
                "date": lambda row: row.date,
                "grade": lambda row: row.grade,
                "credibility": lambda row: row.item.credibility,
                "relevance": lambda row: row.item.relevance,
            }
            self._empty = frozenset(kind for kind, value in values.items() if not any(map(value, self.rows)))
        return self._empty

    def row_of(self, evidence: str) -> int | None:
        """Return the number of the row of a piece of evidence; None when it is not in the matrix."""
        return self._row.get(evidence)

    def column_of(self, hypothesis: str) -> int | None:
        """Return the number of the column of a hypothesis; None when it is not in the matrix."""
        return self._column.get(hypothesis)

    def place(self, evidence: str, hypothesis: str) -> int | None:
        """Return where a cell lies in the arrays; None when it is not in the matrix."""
        row, column = self._row.get(evidence), self._column.get(hypothesis)
        return None if row is None or column is None else row * self.width + column

    def cells(self, row: int) -> bytes:
        """Return the codes of one row."""
        return bytes(self.codes[row * self.width : (row + 1) * self.width])

    def count_unrated(self, row: int | None = None) -> int:
        """Count the cells that nobody has rated, of one row or of all."""
        cells = self.codes if row is None else self.codes[row * self.width : (row + 1) * self.width]
        return sum(cells.count(code) for code in _UNRATED)

    def count_outdated(self) -> int:
        """Count the cells that were rated before a rewording."""
        return sum(bool(mark & OUTDATED) for mark in self.marks)

    def rate(self, evidence: str, hypothesis: str, rating: Rating | None) -> None:
        """Show one's own rating ahead of everything that follows from it; a cleared cell shows the machine's again."""
        place = self.place(evidence, hypothesis)
        if place is None:
            return
        if rating is not None:
            self.codes[place] = CODE[rating]
            self.marks[place] = self.marks[place] & ~(DIFFERS | OUTDATED) | MINE
            if _sides_differ(CODE[rating], self.suggestions[place]):
                self.marks[place] |= DIFFERS
        else:
            suggestion = self.suggestions[place]
            self.codes[place] = suggestion + SUGGESTED if suggestion else 0
            self.marks[place] = 0

    def score(self, matrix: Matrix) -> None:
        """Take over what the arithmetic says of every row.

        One that people dispute is not dull: what they say of it cancels out, which is no reason to look past it.
        """
        by_id = {row.id: row for row in matrix.rows}
        self.row_scores = [by_id.get(row.id) for row in self.rows]
        self.dull = bytearray(
            row_score is not None and not DULL.isdisjoint(row_score.flags) and not self._has_dispute(row)
            for row, row_score in enumerate(self.row_scores)
        )
        self.sizes = Counter(cluster for row in range(len(self.rows)) if (cluster := self.cluster(row)))

    def _has_dispute(self, row: int) -> bool:
        return any(mark & DISPUTED for mark in self.marks[row * self.width : (row + 1) * self.width])

    def cluster(self, row: int) -> str:
        """Return what rows of one origin have in common; '' for a row that is alone."""
        row_score = self.row_scores[row]
        return row_score.cluster if row_score is not None else ""

    def share(self, row: int) -> str:
        """Return what counts of a row that shares its origin with others: '1/3', '' for a row that is alone.

        It is the same as in every report.
        """
        row_score = self.row_scores[row]
        return fraction(row_score.share) if row_score is not None and row_score.cluster else ""

    def diagnosticity(self, row: int) -> float | None:
        """Return how far a row tells the hypotheses apart (0..2); None when that is not known."""
        row_score = self.row_scores[row]
        return row_score.diagnosticity if row_score is not None else None

    def flags(self, row: int) -> tuple[str, ...]:
        """Return what the arithmetic says of a row, as names of MatrixRow.flags."""
        row_score = self.row_scores[row]
        return row_score.flags if row_score is not None else ()


_UNRATED = (0, *range(SUGGESTED + 1, 2 * SUGGESTED + 1))


def rating_of(code: int) -> Rating | None:
    """Return the rating behind a code, suggested or decided; None for an empty cell."""
    return RATINGS[(code - 1) % SUGGESTED] if code else None


def is_decided(code: int) -> bool:
    """Return whether people rated a cell with this code."""
    return 0 < code <= SUGGESTED


def _side(code: int) -> int | None:
    """Return -1 for consistent, 0 neutral, 1 inconsistent, None if the evidence does not bear."""
    rating = rating_of(code)
    if rating is None or rating == "NA":
        return None
    return (VALUE[rating] > 0) - (VALUE[rating] < 0)


_SIDES = [_side(code) for code in range(SUGGESTED + 1)]


def _sides_differ(code: int, suggestion: int) -> bool:
    return bool(suggestion) and _SIDES[code] != _SIDES[suggestion]


# --- building --------------------------------------------------------------------------------------------------------


def build(
    hypotheses: Sequence[Hypothesis],
    evidence: Iterable[Evidence],
    assessments: Iterable[Assessment],
    suggestions: Iterable[Suggestion],
    *,
    who: str = "",
    view: str = GROUP_VIEW,
    dates: Mapping[str, str] | None = None,
    gaps: Mapping[str, Sequence[str]] | None = None,
    group_rating: Callable[[Sequence[Rating]], Rating] | None = None,
    raters_before: Mapping[tuple[str, str], Collection[str]] | None = None,
) -> Sheet:
    """Build the sheet as ``view`` shows it.

    That is one's own ratings, everybody's as ``group_rating`` sums them up, or one person's. A person's rating hides
    the machine's suggestion for that cell. ``dates`` are those of the documents, ``gaps`` what the quotes of rows skip
    at their page breaks; ``raters_before`` says by (evidence, hypothesis) who rated it before a rewording.
    """
    document_dates, between, before_rewording = dates or {}, gaps or {}, raters_before or {}
    rows = sorted(
        (grid_row(item, document_dates.get(item.document or "", ""), between.get(item.id, ())) for item in evidence),
        key=lambda row: number(row.id),
    )
    sheet = Sheet(rows, hypotheses, who=who, view=view)
    codes, marks, suggestion_codes, by_cell = sheet.codes, sheet.marks, sheet.suggestions, sheet.assessments
    row_of, column, width = sheet._row, sheet._column, sheet.width
    for suggestion in suggestions:
        if suggestion.evidence in row_of and suggestion.hypothesis in column:
            suggestion_codes[row_of[suggestion.evidence] * width + column[suggestion.hypothesis]] = CODE[
                suggestion.rating
            ]
    by = {MINE_VIEW: who, GROUP_VIEW: None}.get(view, view)
    first: dict[int, Assessment] = {}
    several: dict[int, list[Assessment]] = {}
    for assessment in assessments:
        row, h = row_of.get(assessment.evidence), column.get(assessment.hypothesis)
        if row is None or h is None:
            continue
        place = row * width + h
        if by is None or assessment.by == by:
            codes[place] = CODE[assessment.rating]
            if assessment.confidence == "low":
                marks[place] |= UNSURE
            if assessment.by in before_rewording.get((assessment.evidence, assessment.hypothesis), ()):
                marks[place] |= OUTDATED
        if assessment.by == who:
            marks[place] |= MINE
        if assessment.note:
            marks[place] |= NOTE
        earlier = first.setdefault(place, assessment)
        if earlier is not assessment:
            several.setdefault(place, [earlier]).append(assessment)
        elif assessment.note or assessment.confidence:
            by_cell[place] = (assessment,)
    for place, people in several.items():
        by_cell[place] = tuple(people)
        ratings = [assessment.rating for assessment in people]
        if len(set(ratings)) > 1:
            marks[place] |= DISPUTED
            if by is None and group_rating is not None:
                codes[place] = CODE[group_rating(ratings)]
    for place, suggestion_code in enumerate(suggestion_codes):
        if suggestion_code:
            if not codes[place]:
                codes[place] = suggestion_code + SUGGESTED
            elif _sides_differ(codes[place], suggestion_code):
                marks[place] |= DIFFERS
    return sheet


# --- which rows, in which order --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter:
    """The conditions that a row meets to be shown, all of them.

    ``flags`` are names of MatrixRow.flags, 'dull' for any that says the row does not help, 'cluster' for rows of one
    origin, 'note' and 'unsure' for marks of cells; 'unrated', 'differs', 'disputed' and 'outdated' ask for at least one
    such cell.
    """

    words: str = ""
    source: str = ""
    flags: tuple[str, ...] = ()

    def without(self, condition: str) -> Filter:
        """Return the same less one condition: a flag, 'source' or 'words'."""
        if condition == "source":
            return replace(self, source="")
        if condition == "words":
            return replace(self, words="")
        return replace(self, flags=tuple(flag for flag in self.flags if flag != condition))

    def toggle(self, flag: str) -> Filter:
        """Return the same with a flag, or without it where it has it."""
        return self.without(flag) if flag in self.flags else replace(self, flags=(*self.flags, flag))


_CELL_FLAGS = {"note": NOTE, "unsure": UNSURE, "disputed": DISPUTED, "differs": DIFFERS, "outdated": OUTDATED}


def has_flag(sheet: Sheet, row: int, flag: str) -> bool:
    """Return whether a row meets one condition of a filter."""
    bit = _CELL_FLAGS.get(flag)
    if bit is not None:
        return any(mark & bit for mark in sheet.marks[row * sheet.width : (row + 1) * sheet.width])
    if flag == "unrated":
        return sheet.count_unrated(row) > 0
    if flag == "dull":
        return bool(sheet.dull[row])
    if flag == "cluster":
        return bool(sheet.cluster(row))
    if flag == "absence":
        return sheet.rows[row].item.kind == "absence"
    return flag in sheet.flags(row)


def visible_rows(
    sheet: Sheet,
    *,
    sort: str = "id",
    reverse: bool = False,
    conditions: Filter | str = Filter(),
    ids: Collection[str] = (),
) -> list[int]:
    """List which rows are shown, as numbers in the sheet; ties in the order of ids, what is not known last.

    ``ids`` are rows shown whether they pass the filter or not.
    """
    if isinstance(conditions, str):
        conditions = Filter(conditions)
    words = conditions.words.casefold().split()
    rows = []
    for index, row in enumerate(sheet.rows):
        if row.id not in ids:
            if words and not all(word in row.search_text for word in words):
                continue
            if conditions.source and row.item.source != conditions.source:
                continue
            if conditions.flags and not all(has_flag(sheet, index, flag) for flag in conditions.flags):
                continue
        rows.append(index)
    return in_order(sheet, rows, sort=sort, reverse=reverse)


def in_order(sheet: Sheet, rows: list[int], *, sort: str, reverse: bool = False) -> list[int]:
    """Return rows of the sheet in another order."""
    if sort == "id":
        return sorted(rows, reverse=reverse)
    value = _value_of(sheet, sort)
    values = {index: value(index) for index in rows}
    filled = [index for index in rows if values[index] is not None]
    filled.sort()
    filled.sort(key=lambda index: values[index], reverse=reverse != (sort in _HIGHEST_FIRST))
    return filled + sorted(index for index in rows if values[index] is None)


def _value_of(sheet: Sheet, sort: str) -> Callable[[int], Any]:
    """Return what rows are sorted by, as a function of their number; it gives None if a row has no such thing."""
    rows = sheet.rows
    if sort.startswith("h:"):
        column = sheet.column_of(sort[2:])
        return lambda index: None if column is None else _STRENGTH.get(sheet.codes[index * sheet.width + column])
    if sort == "upstream":
        # The rows of one origin are together where the first of them is.
        first: dict[str, int] = {}
        for index in range(len(rows)):
            if sheet.cluster(index):
                first.setdefault(sheet.cluster(index), index)
        return lambda index: first.get(sheet.cluster(index), index)
    values: dict[str, Callable[[int], Any]] = {
        "text": lambda index: rows[index].text.casefold() or None,
        "source": lambda index: rows[index].place.casefold() or None,
        "date": lambda index: rows[index].date or None,
        "grade": lambda index: (
            (rows[index].item.reliability or "~", rows[index].item.information or "~") if rows[index].grade else None
        ),
        "credibility": lambda index: "HML".index(level) if (level := rows[index].item.credibility) else None,
        "relevance": lambda index: "HML".index(level) if (level := rows[index].item.relevance) else None,
        "diagnosticity": sheet.diagnosticity,
        "unrated": sheet.count_unrated,
    }
    return values[sort]


# What speaks against the hypothesis first; decided cells before suggested ones of the same strength; NA after all.
_STRENGTH = {
    code: (place, code > SUGGESTED)
    for code in range(1, 2 * SUGGESTED + 1)
    for place, rating in enumerate(("II", "I", "N", "C", "CC", "NA"))
    if rating_of(code) == rating
}


# --- in words --------------------------------------------------------------------------------------------------------


def cell_words(sheet: Sheet, row: int, column: int, code: int | None = None) -> str:
    """Return a cell for a screen reader: 'Evidence E2, hypothesis H1: inconsistent, confirmed by you'.

    ``code`` is given for a rating that is being typed.
    """
    place = row * sheet.width + column
    is_entry = code is not None
    code = sheet.codes[place] if code is None else code
    marks = sheet.marks[place]
    rating = rating_of(code)
    if rating is None:
        words = "not rated"
    elif not is_decided(code):
        words = f"{RATING_WORDS[rating]}, suggested by the model, not confirmed"
    elif is_entry or (marks & MINE and sheet.view == MINE_VIEW):
        words = f"{RATING_WORDS[rating]}, confirmed by you"
    elif sheet.view not in (MINE_VIEW, GROUP_VIEW):
        words = f"{RATING_WORDS[rating]}, confirmed by {sheet.view}"
    elif marks & MINE and len(sheet.assessments.get(place, ())) < 2:
        words = f"{RATING_WORDS[rating]}, confirmed by you"
    else:
        words = f"{RATING_WORDS[rating]}, confirmed"
    parts = [f"Evidence {sheet.rows[row].id}, hypothesis {sheet.hypotheses[column].id}: {words}"]
    if not is_entry:
        own_rating = next(
            (assessment.rating for assessment in sheet.assessments.get(place, ()) if assessment.by == sheet.who), rating
        )
        if sheet.view == GROUP_VIEW and own_rating is not None and own_rating != rating:
            parts.append(f"yours is {RATING_WORDS[own_rating]}")
        parts += [MARK_WORDS[bit] for bit in MARK_WORDS if marks & bit]
    if sheet.rows[row].is_withdrawn:
        parts.append("withdrawn, does not count")
    return ", ".join(parts)


MARK_WORDS = {
    UNSURE: "low confidence",
    OUTDATED: "rated before a rewording",
    DISPUTED: "in dispute",
    DIFFERS: "the model differs",
    NOTE: "with a note",
}


class MatrixTable(QAbstractTableModel):
    """The same rows as a plain table: what a screen reader walks through, cell by cell."""

    FIRST = ("Evidence", "Text", "Source", "Date", "Grade", "Credibility", "Relevance")

    def __init__(self) -> None:
        super().__init__()
        self.sheet = Sheet()
        self.order: list[int] = []

    def show(self, sheet: Sheet, order: Sequence[int]) -> None:
        """Show these rows of a sheet."""
        self.beginResetModel()
        self.sheet, self.order = sheet, list(order)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Count the rows on show."""
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Count the columns: the fields, the hypotheses, and the diagnosticity."""
        return 0 if parent.isValid() else len(self.FIRST) + self.sheet.width + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Name a column; a row is named by the id of its evidence."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return self.sheet.rows[self.order[section]].id
        return (*self.FIRST, *(h.id for h in self.sheet.hypotheses), "Diagnosticity")[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what is in a cell, or what is said of it aloud."""
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        sheet = self.sheet
        row = self.order[index.row()]
        index_of_hypothesis = index.column() - len(self.FIRST)
        aloud = role == Qt.ItemDataRole.AccessibleTextRole
        if 0 <= index_of_hypothesis < sheet.width:
            if aloud:
                return cell_words(sheet, row, index_of_hypothesis)
            code = sheet.codes[row * sheet.width + index_of_hypothesis]
            rating = rating_of(code)
            return "" if rating is None else (rating if is_decided(code) else f"{rating}?")
        evidence = sheet.rows[row]
        if index_of_hypothesis < 0:
            value = fields(evidence)[index.column()]
            if aloud:
                words = f"{value.rstrip('.')}. It does not count" if evidence.is_withdrawn and value else value
                return f"Evidence {evidence.id}, {self.FIRST[index.column()].lower()}: {words or 'not given'}"
            return value
        figure = figure_of(sheet.diagnosticity(row))
        return f"Evidence {evidence.id}, diagnosticity: {figure or 'not known yet'}" if aloud else figure


def figure_of(diagnosticity: float | None) -> str:
    """Write a diagnosticity with two decimals; '' when it is not known."""
    return "" if diagnosticity is None else f"{diagnosticity:.2f}"


def fields(row: GridRow) -> tuple[str, ...]:
    """Return what is before the ratings, in the order of MatrixTable.FIRST."""
    item = row.item
    return (row.id, row.text, row.place, row.date, row.grade, item.credibility or "", item.relevance or "")
