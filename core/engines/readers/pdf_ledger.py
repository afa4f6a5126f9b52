"""What a PDF holds beside its pages and the files in it: forms in XML, descriptions of pictures, scripts, properties.

Text of it becomes a document of its own; the rest is counted, with its place. Accounted for without a line, because
they hold no text: fonts, colour profiles, thumbnails, page labels, named places, permissions and names of layers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from core.domain import LeftOut
from core.engines.readers import plain_text

_OBJECTS = 50_000  # of a file that are looked through for descriptions of pictures
_DESCRIPTIONS = 2_000
_CHARS = 2_000_000  # of the text of a form in XML
_PACKETS = 40
_SCRIPTS = 1_000
_BOOKMARKS = 10_000
_PAGES_NAMED = 40
_FILES = 2_000
_SPOKEN = {"title", "description", "creator", "subject", "Keywords"}  # what the metadata say of a document in words

_DESCRIPTION_FILE, _FORM_FILE = "picture descriptions.txt", "form data.txt"


def on_pages(parts: Sequence[tuple[str, int, int]]) -> Iterator[LeftOut]:
    """Yield a line for each kind of part that pages hold beside their text: (what, how many, page)."""
    by_kind: dict[str, dict[int, int]] = defaultdict(dict)
    for what, count, page in parts:
        by_kind[what][page] = by_kind[what].get(page, 0) + count
    for what, pages in by_kind.items():
        place = f"{'left margin, ' if what == 'line number' else ''}{_pages(sorted(pages))}"
        yield LeftOut(what, sum(pages.values()), place)


def _pages(numbers: Sequence[int]) -> str:
    """Write page numbers as 'page 3' or 'pages 1-3, 7'."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:_PAGES_NAMED]]
    more = " and others" if len(runs) > _PAGES_NAMED else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {', '.join(words)}{more}"


def of_document(document: Any) -> tuple[list[tuple[str, str]], list[LeftOut]]:
    """Return texts that a PDF holds beside its pages, each with a name for it, and what else it holds."""
    texts: list[tuple[str, str]] = []
    left_out: list[LeftOut] = []
    for look in (_form, _descriptions, _scripts, _bookmarks, _properties, _files, _versions):
        try:
            for item in look(document):
                if isinstance(item, LeftOut):
                    left_out.append(item)
                else:
                    texts.append(item)
        except MemoryError:
            raise
        except Exception:  # a damaged part takes nothing from the rest
            left_out.append(LeftOut(f"damaged part ({look.__name__.strip('_')})", 1, "file"))
    return texts, left_out


def _key(document: Any, xref: int, path: str) -> tuple[str, str]:
    kind, value = document.xref_get_key(xref, path)
    return str(kind), str(value)


def _number(value: str) -> int:
    """Return the number of the object that a reference names."""
    return int(value.split()[0])


# --- forms in XML ----------------------------------------------------------------------------------------------------


def _form(document: Any) -> Iterator[tuple[str, str] | LeftOut]:
    kind, value = _key(document, document.pdf_catalog(), "AcroForm/XFA")
    if kind == "null":
        return
    if kind == "xref" and not document.xref_is_stream(_number(value)):
        value = document.xref_object(_number(value))
    packets = [int(number) for number in re.findall(r"(\d+)\s+0\s+R", value)][:_PACKETS]
    lines: list[str] = []
    for packet in packets:
        if document.xref_is_stream(packet):
            lines += _text_of_xml(document.xref_stream(packet) or b"")
    text = "\n".join(dict.fromkeys(lines))[:_CHARS]
    if text.strip():
        yield _FORM_FILE, text
    else:
        yield LeftOut("XFA form", 1, "file")


def _text_of_xml(data: bytes) -> list[str]:
    """Return the texts of captions and fields in a packet, a line each, values behind the names of their fields."""
    from lxml import etree

    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        return []  # entities could blow up memory
    if not re.search(rb"<\w*:?(?:datasets|template|xdp|data)\b", data[:200_000]):
        return []
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    root = etree.fromstring(data[: 4 * _CHARS], parser)
    lines: list[str] = []
    for item in root.iter() if root is not None else ():
        if not isinstance(item.tag, str):
            continue
        name = etree.QName(item).localname
        text = " ".join((item.text or "").split())
        if text and name not in ("script", "present", "creator", "pdf"):
            plain = name in ("text", "p", "span", "b", "i", "exData", "float", "integer", "date", "value")
            lines.append(plain_text.clean(text if plain else f"{name}: {text}"))
        tail = " ".join((item.tail or "").split())
        if tail:
            lines.append(plain_text.clean(tail))
    return lines


# --- pictures, scripts, bookmarks, properties ------------------------------------------------------------------------


def _descriptions(document: Any) -> Iterator[tuple[str, str] | LeftOut]:
    """Yield what figures of a tagged file are described as."""
    if _key(document, document.pdf_catalog(), "StructTreeRoot")[0] == "null":
        return
    objects = document.xref_length()
    pages = {document.page_xref(index): index + 1 for index in range(min(document.page_count, 2_000))}
    lines: dict[str, None] = {}
    for xref in range(1, min(objects, _OBJECTS)):
        try:
            kind, value = _key(document, xref, "Alt")
        except MemoryError:
            raise
        except Exception:  # a number without an object
            continue
        if kind != "string" or not value.strip():
            continue
        page = _key(document, xref, "Pg")
        place = pages.get(_number(page[1])) if page[0] == "xref" else None
        words = " ".join(plain_text.clean(value).replace("\f", " ").split())[:5_000]
        lines[f"Page {place}: {words}" if place else words] = None
        if len(lines) >= _DESCRIPTIONS:
            break
    if lines:
        yield _DESCRIPTION_FILE, "\n\n".join(lines)
    if objects > _OBJECTS or len(lines) >= _DESCRIPTIONS:
        yield LeftOut("description of a picture (more than are read)", 1, "file")


def _scripts(document: Any) -> Iterator[LeftOut]:
    catalog = document.pdf_catalog()
    count = 0
    for path in ("OpenAction/JS", "AA"):
        count += _key(document, catalog, path)[0] != "null"
    kind, value = _key(document, catalog, "Names/JavaScript")
    if kind == "xref":
        value = document.xref_object(_number(value))
    if kind != "null":
        count += max(1, min(_SCRIPTS, len(re.findall(r"\d+\s+0\s+R|/JS\b", value))))
    if count:
        yield LeftOut("script", count, "file")
    if _key(document, catalog, "Threads")[0] != "null":
        yield LeftOut("list of articles", 1, "file")


def _bookmarks(document: Any) -> Iterator[LeftOut]:
    rows = document.get_toc(simple=True)
    pages = document.page_count
    lost = sum(not 1 <= row[2] <= pages for row in rows) + max(0, len(rows) - _BOOKMARKS)
    if lost:
        yield LeftOut("bookmark that leads to no page", lost, "table of contents")


def _properties(document: Any) -> Iterator[LeftOut]:
    metadata = document.metadata or {}
    for name in ("subject", "keywords"):
        if str(metadata.get(name) or "").strip():
            yield LeftOut(name if name == "subject" else "list of keywords", 1, "file properties")
    listed = " ".join(str(metadata.get(name) or "") for name in ("title", "author", "subject", "keywords"))
    texts = _metadata_texts((document.get_xml_metadata() or "")[:_CHARS])
    count = sum(bool(re.search(r"[^\W_]", text)) and text not in " ".join(listed.split()) for text in texts)
    if count:
        yield LeftOut("property of the file that only its metadata have", count, "metadata (XMP)")


def _metadata_texts(source: str) -> set[str]:
    """Return the texts in metadata that describe the document."""
    from lxml import etree

    if "<!DOCTYPE" in source or "<!ENTITY" in source:
        return set()  # entities could blow up memory
    start = source.find("<", source.find("?>") + 2) if source.lstrip("\ufeff \n").startswith("<?") else 0
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    root = etree.fromstring(source[start:].encode(), parser) if source[start:].strip() else None
    texts: list[str] = []
    for item in root.iter("{*}*") if root is not None else ():
        if etree.QName(item).localname in _SPOKEN:
            texts += item.itertext()
        texts += [str(value) for name, value in item.attrib.items() if etree.QName(name).localname in _SPOKEN]
    return {" ".join(text.split()) for text in texts}


def _files(document: Any) -> Iterator[LeftOut]:
    """Yield a line for what embedded files are described as, beyond their names."""
    count = 0
    for number in range(min(document.embfile_count(), _FILES)):
        info = document.embfile_info(number)
        words = " ".join(str(info.get("description") or info.get("desc") or "").split())
        count += bool(words) and words not in (info.get("name"), info.get("filename"), info.get("ufilename"))
    if count:
        yield LeftOut("description of a file in the file", count, "files in the file")


def _versions(document: Any) -> Iterator[LeftOut]:
    """Yield a line for the versions that a program kept when it saved the file again: they may say something else."""
    if document.version_count > 1:
        yield LeftOut("earlier version", document.version_count - 1, "file")
