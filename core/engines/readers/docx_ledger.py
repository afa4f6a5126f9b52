"""Words of a Word document that its page does not show: choices that were not taken, tips, names, codes of fields."""

from __future__ import annotations

import re
from typing import Any

from core.engines.readers import package_parts, word_fields
from core.engines.readers.ooxml_package import local, value

# By element: the attributes that hold words, and what those are called in the ledger.
_WORDS = {
    "hyperlink": (("tooltip",), "tip of a link"),
    "helpText": (("val",), "help text of a form field"),
    "statusText": (("val",), "help text of a form field"),
    "alias": (("val",), "name of a form field"),
    "attr": (("val",), "attribute of a tag in the text"),
    "bookmarkStart": (("name",), "bookmark name"),
    "docVar": (("val", "name"), "document variable"),
    "query": (("val",), "mail merge query"),
}
_CHOICES = ("ddList", "dropDownList", "comboBox")
# Changes whose page does not say who made them.
_CHANGES = (
    "ins", "moveTo", "rPrChange", "pPrChange", "sectPrChange", "tblPrChange", "trPrChange", "tcPrChange",
    "numberingChange", "cellIns", "cellDel", "cellMerge",
)  # fmt: skip
_TAGS = tuple(f"{{*}}{tag}" for tag in (*_WORDS, *_CHOICES, *_CHANGES, "delInstrText"))
_OWN_BOOKMARK = re.compile(r"_\w+")  # what Word makes for its own use
# Fields whose result says all that their code does.
_SHOWN = frozenset(
    re.findall(
        r"\S+",
        """
    PAGE NUMPAGES SECTIONPAGES SECTION PAGEREF REF NOTEREF TOC INDEX SEQ STYLEREF DATE TIME CREATEDATE SAVEDATE
    PRINTDATE EDITTIME FILENAME FILESIZE AUTHOR TITLE SUBJECT KEYWORDS LASTSAVEDBY NUMCHARS NUMWORDS REVNUM USERNAME
    USERINITIALS USERADDRESS TEMPLATE FORMTEXT FORMCHECKBOX FORMDROPDOWN SYMBOL EQ MACROBUTTON GOTOBUTTON LISTNUM
    AUTONUM AUTONUMLGL AUTONUMOUT BARCODE ADVANCE SHAPE CITATION BIBLIOGRAPHY DOCPROPERTY DOCVARIABLE MERGEFIELD INFO
    """,
    )
)
_SWITCH = re.compile(r"\\[*#@]\s*(?:\"[^\"]*\"|\S+)|\\\S")


def count(root: Any, part: str, ledger: package_parts.Ledger) -> None:
    """Count the words in attributes of a part."""
    authors: set[str] = set()
    for element in root.iter(*_TAGS):
        tag = local(element)
        if tag == "delInstrText":
            ledger.add("deleted code of a field", part, bool((element.text or "").strip()))
            continue
        if tag in _CHANGES:
            authors.add(value(element, "author").strip())
            continue
        if tag in _CHOICES:
            ledger.add("choice of a form field", part, _not_taken(element))
            continue
        attributes, what = _WORDS[tag]
        words = next(filter(None, (value(element, name) for name in attributes)), "")
        if re.search(r"\w", words) and not (tag == "bookmarkStart" and _OWN_BOOKMARK.fullmatch(words)):
            ledger.add(what, part)
    ledger.add("author of a change", part, len(authors - {""}))


def _not_taken(choices: Any) -> int:
    """Return how many choices of a list are not what the form shows."""
    if local(choices) == "ddList":
        value_shown = word_fields.form_value(choices.getparent()) or ""
    else:
        control = choices.getparent().getparent()
        value_shown = "".join(text.text or "" for text in control.iter("{*}t")) if control is not None else ""
    entries = [
        value(item, "displayText") or value(item, "value") or value(item, "val")
        for item in choices.iter("{*}listItem", "{*}listEntry")
    ]
    return sum(bool(re.search(r"\w", entry)) and entry != value_shown for entry in entries)


def count_field(kind: str, code: str, part: str, ledger: package_parts.Ledger) -> None:
    """Count the code of a field that says more than its result: what a condition chooses from, where a link leads."""
    words = _SWITCH.sub(" ", code.strip()[len(kind) :])
    if kind == "HYPERLINK":
        address = re.search(r"\"([^\"]+)\"|(\S+)", code.strip()[len(kind) :].split("\\", 1)[0])
        if address:
            ledger.add("link address", package_parts.host(address[1] or address[2]))
    elif kind not in _SHOWN and not kind.startswith("=") and re.search(r"\w", words):
        ledger.add(f"code of a field ({kind})" if re.fullmatch(r"\w{1,20}", kind) else "code of a field", part)
