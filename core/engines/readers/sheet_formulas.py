"""The formulas of a sheet: those without a value, and those with words that the sheet does not show."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from core.engines.readers import package_parts
from core.text import column_letters

NOT_CALCULATED = "(not calculated)"
_PLACES = 10  # of cells that are named
# Words in quotation marks, which are no code for the look of dates.
_WORDS = re.compile(r"\"(?![ymdhs\W\d]*\")[^\"]*[^\W\d_]{2}[^\"]*\"", re.IGNORECASE)


@dataclass(slots=True)
class Formulas:
    """The formulas of one sheet as its cells are read."""

    _places: list[str] = field(default_factory=list)
    _count: int = 0  # of those without a value
    _spoken: int = 0  # of those with words

    def add(self, formula: str, row: int, column: int, *, is_calculated: bool) -> None:
        """Count the formula of a cell; ``row`` and ``column`` count from 0."""
        if is_calculated:
            self._spoken += '"' in formula and _WORDS.search(formula) is not None
            return
        self._count += 1
        if len(self._places) < _PLACES:
            self._places.append(f"{column_letters(column)}{row + 1}")

    def finish(self, title: str, ledger: package_parts.Ledger) -> None:
        """Put what was counted into a ledger, with the sheet and the cells."""
        rest = self._count - len(self._places)
        places = ", ".join(self._places) + (f" and {rest} more" if rest else "")
        ledger.add("formula that is not calculated", f"sheet {title}, {places}", self._count)
        ledger.add("formula with words in it", f"sheet {title}", self._spoken)
