"""What keys and the clipboard do to the ratings and grades of the grid.

Nothing is changed here: what is decided goes out by the grid's signals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from core.domain import Level, Rating
from gui_app.matrix import clipboard
from gui_app.matrix.grid_model import GROUP_VIEW, MINE_VIEW, SUGGESTED, is_decided, rating_of
from gui_app.shared.rating_keys import DIGITS, FIRST, SECOND, TYPING_MS

if TYPE_CHECKING:
    from gui_app.matrix.grid import MatrixGrid

_LEVELS: dict[str, Level] = {"l": "L", "m": "M", "h": "H"}
_GRADES = ("grade", "credibility", "relevance")
_LETTERS = {"cell": "cni12345", "grade": "abcdef123456", "credibility": "lmh", "relevance": "lmh"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A rating being typed over the cells selected when it began, as numbers of shown rows and of columns."""

    rating: Rating
    top: int
    bottom: int
    left: int
    right: int

    def covers(self, row: int, column: int) -> bool:
        """Return whether a cell is among those that are being rated."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right


class GridEditor:
    """Types, clears, fills, copies and pastes over the selection of a grid; ``entry`` is the rating being typed."""

    def __init__(self, grid: MatrixGrid) -> None:
        self._grid = grid
        self.entry: Entry | None = None
        self._typing = QTimer(grid)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self._finish)

    def commit(self) -> None:
        """Hand over the rating that is being typed, if any."""
        grid = self._grid
        self._typing.stop()
        entry, self.entry = self.entry, None
        if entry is not None:
            cells = grid.rating_cells(entry.top, entry.bottom, entry.left, entry.right)
            self._hand_over([(number, h, entry.rating) for number, h in cells])
            grid.speak(after_move=False)

    def _finish(self) -> None:
        """Hand over the rating that is being typed, and go on from a cell that was not rated before."""
        grid, entry = self._grid, self.entry
        goes_on = entry is not None and self._goes_on(entry)
        self.paint_and_commit()
        if goes_on:
            grid.next_unrated()

    def _goes_on(self, entry: Entry) -> bool:
        grid = self._grid
        if not grid.advances or (entry.top, entry.left) != (entry.bottom, entry.right):
            return False
        h = grid.columns()[entry.left].hypothesis
        return h >= 0 and not is_decided(grid.shown_code(grid.order[entry.top], h))

    def move_columns(self, moves: Mapping[int, int | None]) -> None:
        """Keep what is being typed over its cells where columns are elsewhere now; ``moves``: old place to new."""
        if self.entry is not None:
            left, right = moves.get(self.entry.left), moves.get(self.entry.right)
            if left is None or right is None:
                self.commit()
            else:
                self.entry = replace(self.entry, left=left, right=right)

    def drop(self) -> None:
        """Forget the rating that is being typed."""
        self._typing.stop()
        self.entry = None

    def claims(self, letter: str) -> bool:
        """Return whether a letter is for the cell under the cursor, whatever else it is a key for."""
        return (
            letter in _LETTERS.get(self._grid.current_kind(), "n")
            or (self.entry is not None and letter == "a")
            or (letter in _LETTERS["cell"] and self._grid.several())
        )

    def _hand_over(self, cells: Sequence[tuple[int, int, Rating | None]]) -> None:
        """Rate these cells, and with a row the copies that are folded into it."""
        grid = self._grid
        rows, hypotheses, width = grid.sheet.rows, grid.hypotheses, grid.sheet.width
        grid.rated.emit(
            [
                (rows[member].id, hypotheses[h].id, rating)
                for number, h, rating in cells
                for member in grid.folds.members(number)
                if member == number or rating is not None or is_decided(grid.sheet.codes[member * width + h])
            ]
        )

    def paint_and_commit(self) -> None:
        """Paint, then hand over: keeping a decision takes longer than a frame, and the eye should not wait for it."""
        grid = self._grid
        if self.entry is not None:
            grid.viewport().repaint()
            self.commit()

    def may_rate(self) -> bool:
        """Return whether ratings can be given here; say why when not."""
        grid = self._grid
        if grid.read_only:
            grid.refused.emit("The case is open for viewing only.")
        elif grid.sheet.view not in (MINE_VIEW, GROUP_VIEW):
            grid.refused.emit(f"These are the ratings of {grid.sheet.view}. Choose your own or everybody's to rate.")
        else:
            return True
        return False

    def _type(self, letter: str) -> bool:
        grid = self._grid
        if grid.current() is None or (letter not in DIGITS and letter not in FIRST and self.entry is None):
            return False
        if not grid.rating_columns() or (grid.current_kind() != "cell" and not grid.several()):
            return False
        entry = self.entry
        longer = SECOND.get((entry.rating, letter)) if entry is not None else None
        if longer is None and letter not in DIGITS and letter not in FIRST:
            return False
        if not self.may_rate():
            return True
        if longer is None and entry is not None and self._goes_on(entry):
            self._finish()  # the letter is for the next cell
        bounds = grid.bounds()
        if longer is not None:
            self.entry = Entry(longer, *bounds)
            self._finish()
        elif letter in DIGITS:
            self.entry = Entry(DIGITS[letter], *bounds)
            self._finish()
        else:
            self.entry = Entry(FIRST[letter], *bounds)
            # C, N and I may grow into CC, NA and II: shown at once, handed over when no second letter comes.
            self._typing.start()
            grid.viewport().update()
        return True

    def clear(self) -> None:
        """Take back the ratings of the selected cells, or the grades of the selected rows."""
        grid = self._grid
        self.drop()
        if grid.current() is None:
            return
        kind = grid.current_kind()
        width = grid.sheet.width
        codes, selection = grid.sheet.codes, grid.rating_cells(*grid.bounds())
        cells = [(number, h) for number, h in selection if is_decided(codes[number * width + h])]
        if cells:
            if self.may_rate():
                self._hand_over([(number, h, None) for number, h in cells])
                grid.speak(after_move=False)
        elif kind in (*_GRADES, "date"):
            self._grade(kind, None)
        grid.viewport().update()

    def _grade(self, field: str, value: str | None) -> None:
        grid = self._grid
        if grid.read_only:
            grid.refused.emit("The case is open for viewing only.")
            return
        grid.graded.emit([row.id for row in grid.selected_rows()], field, value)

    def take_letter(self, letter: str) -> bool:
        """Rate or grade by a letter or a figure; False when it means nothing here."""
        grid = self._grid
        kind = grid.current_kind()
        if grid.current() is None:
            return False
        if kind in ("credibility", "relevance") and letter in _LEVELS:
            self._grade(kind, _LEVELS[letter])
            return True
        if kind == "grade" and letter in _LETTERS["grade"]:
            self._grade("information" if letter.isdigit() else "reliability", letter.upper())
            return True
        if self._type(letter):
            return True
        if letter == "n" and kind != "cell":
            grid.unrated_wanted.emit()
            return True
        return False

    def _confirm(self, entry: Entry) -> None:
        """Keep what was typed and go to the next unrated cell, or to the next one."""
        if self._goes_on(entry):
            self._finish()
        elif not self._grid.next_cell(1):
            self.paint_and_commit()

    def enter(self) -> None:
        """Keep what is being typed and move on.

        On a suggestion Enter makes it the person's own; on a decided cell it asks for the note.
        """
        grid = self._grid
        row, column = grid.current_row(), grid.columns()[grid.cursor_place()[1]]
        if row is None:
            return
        if self.entry is not None:
            self._confirm(self.entry)
            return
        if column.hypothesis < 0:
            if column.kind in ("source", "date"):
                grid.edited.emit(row.id, column.kind)
            else:
                grid.shown.emit(row)
            return
        hypothesis = grid.hypotheses[column.hypothesis].id
        code = grid.code_at(row.id, hypothesis)
        if code > SUGGESTED:
            if self.may_rate():
                grid.select_one()
                suggestion = rating_of(code)
                assert suggestion is not None
                self.entry = Entry(suggestion, *grid.bounds())
                self._confirm(self.entry)
            return
        grid.noted.emit(row.id, hypothesis)

    def fill_down(self) -> None:
        """Fill the selected rows with the values of the first; a single row takes them from the row above."""
        grid = self._grid
        if grid.current() is None:
            return
        top, bottom, left, right = grid.bounds()
        top = top - 1 if top == bottom else top
        if top < 0:
            grid.refused.emit("There is no row above to fill from.")
            return
        kinds = {column.kind for column in grid.columns()[left : right + 1]}
        if "cell" not in kinds and len(kinds) == 1:
            self._fill_field(kinds.pop(), top, bottom)
            return
        source = grid.order[top]
        codes, width = grid.sheet.codes, grid.sheet.width
        ratings: list[tuple[int, int, Rating | None]] = []
        for number, h in grid.rating_cells(top + 1, bottom, left, right):
            code = codes[source * width + h]
            if is_decided(code) and codes[number * width + h] != code:
                ratings.append((number, h, rating_of(code)))
        if not ratings:
            grid.refused.emit("Nothing to fill down: the first row is not rated here, or the others agree.")
        elif self.may_rate():
            self._hand_over(ratings)

    def _fill_field(self, kind: str, top: int, bottom: int) -> None:
        grid = self._grid
        item = grid.sheet.rows[grid.order[top]].item
        ids = [grid.sheet.rows[number].id for number in grid.order[top + 1 : bottom + 1]]
        if grid.read_only:
            grid.refused.emit("The case is open for viewing only.")
        elif kind == "grade":
            grid.graded.emit(ids, "grade", (item.reliability, item.information))
        elif kind in ("credibility", "relevance", "date"):
            grid.graded.emit(ids, kind, getattr(item, kind) or None)
        else:
            grid.refused.emit("Ratings, grades and dates can be filled down, not this column.")

    def selection_as_text(self) -> str:
        """Return the selection as tab-separated text: ratings that people gave, and the texts of other columns."""
        grid = self._grid
        top, bottom, left, right = grid.bounds()
        return clipboard.as_tsv(
            [clipboard.cell_text(grid.sheet, number, column) for column in grid.columns()[left : right + 1]]
            for number in grid.order[top : bottom + 1]
        )

    def paste(self, text: str) -> str:
        """Rate cells from tab-separated text, all of them or none; '' when it worked, else why nothing was pasted.

        One cell on the clipboard fills the whole selection; an empty one clears.
        """
        grid = self._grid
        if grid.current() is None or not self.may_rate():
            return ""
        block = clipboard.read(text)
        if block.misread:
            names = "; ".join(block.misread[: clipboard.MAX_NAMES])
            more = len(block.misread) - clipboard.MAX_NAMES
            tail = f" and {more} more" if more > 0 else ""
            return (
                f"Nothing was pasted, because these cells are not ratings: {names}{tail}. Use CC C N I II NA or 1 to 5."
            )
        top, _bottom, left, _right = grid.bounds()
        if block.width == 1 and len(block.rows) == 1:
            cells = grid.rating_cells(*grid.bounds())
            if not cells:
                return "Nothing was pasted: put the cursor on a cell of a hypothesis."
            self._hand_over([(number, h, block.rows[0][0]) for number, h in cells])
            return ""
        down, across = len(block.rows), block.width
        last = grid.columns()[left : left + across]
        if any(column.hypothesis < 0 for column in last) or len(last) < across or top + down > len(grid.order):
            return (
                f"Nothing was pasted: {down} rows of {across} cells reach beyond the ratings from here. "
                "Put the cursor on the first cell they belong to."
            )
        ratings = [
            (number, column.hypothesis, cells[index] if index < len(cells) else None)
            for number, cells in zip(grid.order[top : top + down], block.rows, strict=True)
            for index, column in enumerate(last)
        ]
        width = grid.sheet.width
        changes = [
            (number, h, rating)
            for number, h, rating in ratings
            if rating is not None or is_decided(grid.sheet.codes[number * width + h])
        ]
        if changes:
            self._hand_over(changes)
        grid.show_selection(top, left, top + down - 1, left + across - 1)
        return ""
