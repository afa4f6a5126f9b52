"""The searches planned for each hypothesis and how much was looked at, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from core.domain import ROLES, Hypothesis, PlanQuery, Searched
from core.plans.queries import FOR
from gui_app.shared import theme
from gui_app.shared.formatting import counted, when
from gui_app.shared.labels import tooltip
from gui_app.shared.table_models import Index, Rows

if TYPE_CHECKING:
    from core.plans.service import Effort


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A planned search with what came of it when it was last run, or, without ``query``, the hypothesis above it."""

    hypothesis: Hypothesis
    query: PlanQuery | None = None
    last: Searched | None = None
    searches: int = 0  # of a heading: how many are planned


def plan_rows(
    hypotheses: Sequence[Hypothesis], plan: Sequence[PlanQuery], searches: Sequence[Searched]
) -> list[PlanRow]:
    """List every hypothesis as a heading, with its searches below it."""
    last = {
        (search.hypothesis, search.role, search.query): search for search in searches
    }  # the later in place of the earlier
    rows = []
    for hypothesis in hypotheses:
        planned = [query for query in plan if query.hypothesis == hypothesis.id]
        rows.append(PlanRow(hypothesis, searches=len(planned)))
        rows += [PlanRow(hypothesis, query, last.get((query.hypothesis, query.role, query.text))) for query in planned]
    return rows


def side_of(role: str) -> str:
    """Return the side a search looks for: 'for' or 'against'."""
    return "for" if role in FOR else "against"


def role_words(role: str) -> str:
    """Return what a search stands for, in a few words with a capital letter."""
    words = ROLES.get(role, role).removeprefix("what one would see ").replace(" that would speak", "")
    return words[:1].upper() + words[1:]


def from_whom(query: PlanQuery) -> str:
    """Return who worded a search: a person by name, 'template', or a model."""
    return query.by if query.origin == "analyst" and query.by else query.origin


class PlanModel(Rows):
    """The planned searches as a table; ``edited(search, words)`` asks for other words."""

    edited = Signal(str, str)
    COLUMNS = ("Looks for", "Side", "Words", "From", "Last run")
    ROLE, SIDE, WORDS, FROM, LAST = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.writable = True

    def row_of(self, query: str) -> int:
        """Return the row of a search, -1 where it has none."""
        return next(
            (number for number, row in enumerate(self.rows) if row.query is not None and row.query.id == query), -1
        )

    def headings(self) -> list[int]:
        """List the rows that are headings."""
        return [number for number, row in enumerate(self.rows) if row.query is None]

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the words of a search be edited."""
        flags = super().flags(index)
        if index.isValid() and self.writable and index.column() == self.WORDS and self.rows[index.row()].query:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def cell_data(self, row: PlanRow, index: Index, role: int) -> Any:
        """Return what a cell shows, says or explains."""
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.EditRole:
            return row.query.text if row.query is not None and column == self.WORDS else ""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            if row.query is None:
                return self._text(row, self.ROLE)
            return f"{row.hypothesis.id}, {self.COLUMNS[column]}: {self._text(row, column)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            if row.query is None:
                return tooltip(row.hypothesis.text[:2_000])
            tip = f"{ROLES.get(row.query.role, row.query.role)}; written by: {from_whom(row.query)}"
            return tooltip(tip if column in (self.ROLE, self.SIDE) else self._text(row, column)[:2_000])
        if role == Qt.ItemDataRole.FontRole and row.query is None:
            return theme.sans(theme.BODY, bold=True)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for other words of a search."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not self.writable:
            return False
        query = self.rows[index.row()].query
        words = " ".join(str(value or "").split())
        if query is None or words == query.text:
            return False
        self.edited.emit(query.id, words)
        return True

    def _text(self, row: PlanRow, column: int) -> str:
        query = row.query
        if query is None:
            if column != self.ROLE:
                return ""
            note = counted(row.searches, "search", "searches") if row.searches else "not planned yet"
            return f"{row.hypothesis.id}  {row.hypothesis.text}  ({note})"
        if column == self.ROLE:
            # Where there is no room to say who worded it: what a machine did never looks like what a person did.
            return role_words(query.role) + ("" if query.origin in ("template", "analyst") else " · draft")
        if column == self.SIDE:
            return side_of(query.role)
        if column == self.WORDS:
            return query.text
        if column == self.FROM:
            return from_whom(query)
        return last_run(row.last)


def last_run(search: Searched | None) -> str:
    """Sum up the last run: '12 passages, 5 new: 2 for, 1 against; 2026-11-21'."""
    if search is None:
        return "not run yet"
    text = f"{counted(search.passages, 'passage')}, {search.fresh} new"
    if search.supports or search.contradicts:
        text += f": {search.supports} for, {search.contradicts} against"
    return f"{text}; {when(search.at)[:10]}"


class EffortModel(Rows):
    """The effort made for each hypothesis, a row each; ``most`` is the longest bar."""

    COLUMNS = ("", "Searches", "Passages looked at", "As the judge labelled them", "")
    ID, SEARCHES, PASSAGES, TAKEN, UNEVEN = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.texts: Mapping[str, str] = {}
        self.most = 1
        self.running = False

    def show_effort(self, efforts: Sequence[Effort], texts: Mapping[str, str], *, running: bool = False) -> None:
        """Show the effort; ``running``: searches are being run that are not counted yet."""
        self.texts = dict(texts)
        self.running = running
        self.most = max((effort.passages for effort in efforts), default=0) or 1
        self.show(efforts)

    def cell_data(self, row: Effort, index: Index, role: int) -> Any:
        """Return what a cell shows, says or explains."""
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.hypothesis}, {self.COLUMNS[column] or 'effort'}: {self._text(row, column) or 'equal'}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(self.texts.get(row.hypothesis, "") if column == self.ID else self._text(row, column))
        if role == Qt.ItemDataRole.FontRole and column == self.ID:
            return theme.sans(theme.BODY, bold=True)
        if role == Qt.ItemDataRole.ForegroundRole and column == self.UNEVEN:
            return theme.tone("contradicts")
        return None

    def _text(self, row: Effort, column: int) -> str:
        if column == self.ID:
            return row.hypothesis
        if column == self.SEARCHES:
            if self.running and not row.searches_for + row.searches_against:
                return "running"
            return f"{row.searches_for} for, {row.searches_against} against"
        if column == self.PASSAGES:
            return counted(row.passages, "passage")
        if column == self.TAKEN:
            if not row.passages:
                return "–"
            return (
                f"{row.supports} support, {row.contradicts} contradict, {row.neutral} neutral, {row.ambiguous} unsure"
            )
        return row.uneven
