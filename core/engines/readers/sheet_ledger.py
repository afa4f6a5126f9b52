"""What a sheet of a workbook says beside its cells: tips, conditions, filters, scenarios, names of ranges."""

from __future__ import annotations

import re
from typing import Any

from core.engines.readers import package_parts
from core.engines.readers.ooxml_package import local, value

# By element: the attributes that hold words, and what those are called in the ledger.
_WORDS = {
    "hyperlink": (("tooltip",), "tip of a link"),
    "cfRule": (("text",), "rule for the look of cells"),
    "dataValidation": ((), "rule for the contents of cells"),
    "scenario": (("name", "comment"), "scenario"),
    "protectedRange": (("name",), "name of a range or formula"),
    "filter": (("val",), "value of a filter"),
    "customFilter": (("val",), "value of a filter"),
}
TAGS = tuple(_WORDS)
_RULES = ("cfRule", "dataValidation")  # whose formulas may hold words in quotation marks
_QUOTED = re.compile(r"\"[^\"]*[^\W\d_][^\"]*\"")


def count(element: Any, sheet: str, ledger: package_parts.Ledger) -> None:
    """Count an element that holds words that no cell shows; choices and messages of a cell are read elsewhere."""
    attributes, what = _WORDS.get(local(element), ((), ""))
    has_words = any(re.search(r"[^\W\d_]", value(element, name)) for name in attributes)
    if not has_words and local(element) in _RULES and value(element, "type") != "list":
        has_words = _QUOTED.search("".join(element.itertext())) is not None
    if has_words:
        ledger.add(what, f"sheet {sheet}")
