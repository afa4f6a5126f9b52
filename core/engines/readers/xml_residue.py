"""The words of XML that no page holds: a net below the readers of office files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from core.engines.readers import package_parts
from core.engines.readers.ooxml_package import local

_SHORTEST = 2  # letters and digits of a text that is looked for
_MISSES = 1_000  # of one part, after which the rest is not looked for: each costs a look at all pages
_INNER = re.compile(r"#|\./|Pictures/|Object |ObjectReplacements/")  # a link into the file itself
BESIDE = "text beside the pages"
# What texts are called that are not of the running text.
_TEXTS = {
    "script": "script", "annotation": "source of a formula", "annotation-xml": "source of a formula",
    "title": "label of a drawing", "desc": "label of a drawing", "creator": "author of a change",
}  # fmt: skip


class Net:
    """The text of all pages of a document, in which the words of its parts are looked for."""

    def __init__(self, pages: Collection[str], ledger: package_parts.Ledger) -> None:
        self._text = " ".join(map(_letters, pages))
        self._ledger = ledger
        self._place = self._misses = 0

    def count(
        self,
        root: Any,
        part: str,
        attributes: Mapping[str, str] = MappingProxyType({}),
        *,
        texts: Collection[str] = (),
        skips: Collection[str] = (),
    ) -> None:
        """Count what is below an element and on no page: texts, and ``attributes`` by what they are called.

        An attribute is named as 'name' or 'element name'. ``texts`` are the elements whose texts count, all if empty.
        Elements in ``skips`` are left out, with all in them.
        """
        self._place = self._misses = 0
        for element, text in _texts(root, skips):
            if self._misses >= _MISSES:
                return
            if text is None:
                self._attributes(element, part, attributes)
            elif (not texts or local(element) in texts) and not self._has(text):
                self._ledger.add(_TEXTS.get(local(element), BESIDE), part)

    def _attributes(self, element: Any, part: str, attributes: Mapping[str, str]) -> None:
        for key, words in element.attrib.items():
            name = key.rpartition("}")[2]
            what = attributes.get(f"{local(element)} {name}") or attributes.get(name)
            if not what or not re.search(r"[^\W\d_]", words):
                continue
            if name == "href":
                if not _INNER.match(words):
                    self._ledger.add("link address", package_parts.host(words))
            elif not self._has(words):
                self._ledger.add(what, part)

    def _has(self, words: str) -> bool:
        letters = _letters(words)
        if len(letters) < _SHORTEST:
            return True
        place = self._text.find(letters, self._place)  # most come in the order of the pages
        if place < 0:
            place = self._text.find(letters)
        else:
            self._place = place
        self._misses += place < 0
        return place >= 0


def _letters(text: str) -> str:
    """Return the letters and digits of a text, raised ones as others: what a reader of a format adds is none."""
    text = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return re.sub(r"[\W_]+", "", text).casefold()


def _texts(root: Any, skips: Collection[str]) -> Iterator[tuple[Any, str | None]]:
    """Yield each element with None, for its attributes, and each text with the element that it is in."""
    stack: list[Any] = [root]
    while stack:
        element = stack.pop()
        if isinstance(element, tuple):  # the text behind an element, in the one around it
            yield element
            continue
        is_read = isinstance(element.tag, str) and local(element) not in skips
        if element is not root and element.tail and element.tail.strip():
            stack.append((element.getparent(), element.tail))
        if not is_read:
            continue
        yield element, None
        if element.text and element.text.strip():
            yield element, element.text
        stack.extend(reversed(element))
