"""What the grid says in words: a cell for a screen reader, and what is shown on hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain import Hypothesis
from gui_app.matrix.copies import Folds
from gui_app.matrix.grid_model import CODE, DISPUTED, OUTDATED, Sheet, cell_words, figure_of, is_decided, rating_of
from gui_app.matrix.grid_painter import Kind, Standing
from gui_app.shared.formatting import LEVELS, RATING_WORDS, counted

if TYPE_CHECKING:
    from gui_app.matrix.grid import MatrixGrid


_REMARKS = {
    "conflict": "In an open conflict",
    "struck": "Quotes words that are struck through on the page",
    "hidden": "Quotes words that are not visible on the page",
}
_TIPS = _REMARKS | {"conflict": "It is part of an unresolved conflict"}


def field_words(sheet: Sheet, number: int, kind: Kind) -> str:
    """Return the value of a row in a column without ratings: 'Evidence E2: grade B2'."""
    row = sheet.rows[number]
    item = row.item
    none = "not given"
    text = f"{row.whole.rstrip('.')}. It does not count" if row.is_withdrawn else row.whole
    remarks = [words for flag, words in _REMARKS.items() if flag in sheet.flags(number)]
    words = {
        "evidence": ". ".join((text, *remarks)),
        "source": f"source {row.place or none}",
        "date": f"date {row.date or none}",
        "grade": f"grade {row.grade or none}",
        "credibility": f"credibility {LEVELS[item.credibility] if item.credibility else 'not graded'}",
        "relevance": f"relevance {LEVELS[item.relevance] if item.relevance else 'not graded'}",
        "diagnosticity": f"diagnosticity {figure_of(sheet.diagnosticity(number)) or '–'}",
    }[kind]
    return f"Evidence {row.id}: {words}"


def words_at(grid: MatrixGrid, row_at: int, column_at: int) -> str:
    """Return a cell of the grid for a screen reader, by shown row and column."""
    number, column, sheet, entry = grid.order[row_at], grid.columns()[column_at], grid.sheet, grid.editor.entry
    after = ", set aside" if sheet.rows[number].id in grid.aside else ""
    after += _fold_words(grid.folds, number)
    if column.hypothesis < 0:
        return field_words(sheet, number, column.kind) + after
    code = CODE[entry.rating] if entry is not None and entry.covers(row_at, column_at) else None
    return cell_words(sheet, number, column.hypothesis, code) + after


def _fold_words(folds: Folds, number: int) -> str:
    """Return how many copies a row stands for; '' for none."""
    rows = folds.closed_groups.get(number, ())
    return f", {counted(len(rows) - 1, 'copy', 'copies')} folded into it" if rows else ""


LEGEND = ", ".join(f"{rating} {words}" for rating, words in RATING_WORDS.items())


def header_tip(hypothesis: Hypothesis, standing: Standing | None) -> str:
    """Return a hypothesis in full, and on how many rows its score rests."""
    coverage = f"\n{standing.coverage}" if standing is not None and standing.coverage else ""
    return f"{hypothesis.id}: {hypothesis.text[:600]}{coverage}\n{LEGEND}"


def row_tip(sheet: Sheet, number: int, kind: Kind) -> str:
    """Return a piece of evidence in full, with its source, and how it counts where it shares that with other rows."""
    row = sheet.rows[number]
    cluster = sheet.cluster(number)
    text = f"{row.whole[:600]} ({row.place})" if row.place else row.whole[:600]
    if row.is_withdrawn:
        text += "\nIts ratings stay and do not count."
    if cluster and kind == "evidence":
        count, share = sheet.sizes[cluster], sheet.share(number)
        text += f"\n{count} rows that share a source count once; each that bears on something counts {share}."
    if kind == "evidence":
        text += "".join(f"\n{words}." for flag, words in _TIPS.items() if flag in sheet.flags(number))
    return text


def cell_tip(sheet: Sheet, number: int, h: int) -> str:
    """Return everything that is known of a cell: its rating, who gave what, notes, what the model says."""
    place = number * sheet.width + h
    code, marks = sheet.codes[place], sheet.marks[place]
    rating = rating_of(code)
    state = "not rated" if rating is None else RATING_WORDS[rating]
    if rating is not None and not is_decided(code):
        state = f"{state}, suggested by the model"
    parts = [f"{sheet.rows[number].id} · {sheet.hypotheses[h].id}: {state}"]
    for assessment in sheet.assessments.get(place, ()):
        words = f"{assessment.by or '–'}: {RATING_WORDS[assessment.rating]}"
        if assessment.confidence:
            words += f", {assessment.confidence} confidence"
        if assessment.note:
            words += f". {' '.join(assessment.note[:300].split())}"
        parts.append(words)
    if sheet.rows[number].is_withdrawn:
        parts.append(f"{sheet.rows[number].whole} It does not count.")
    if marks & OUTDATED:
        parts.append("Rated before the hypothesis or the quote was reworded. Rate it again, the same or otherwise.")
    if marks & DISPUTED:
        parts.append("People rate this cell differently.")
    suggestion = rating_of(sheet.suggestions[place])
    if suggestion is not None and is_decided(code):
        parts.append(f"The model suggests: {RATING_WORDS[suggestion]}")
    return "\n".join(parts)
