"""Office documents that are one XML file: written as the package of parts that they represent.

Flat OpenDocument (.fodt, .fods, .fodp), the flat form of Office Open XML, and WordprocessingML of 2003.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import zipfile
from typing import Any

from core.engines.readers import pictures, xml_text
from core.engines.readers.ooxml_package import local

_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_LINK = "{http://www.w3.org/1999/xlink}href"
_FLAT = "http://schemas.microsoft.com/office/2006/xmlPackage"
_OLD_WORD = "http://schemas.microsoft.com/office/word/2003/wordml"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MARKS = (_OFFICE, _FLAT, _OLD_WORD)
_ROOTS = re.compile(r"<(?:[\w.-]+:)?(?:document|package|wordDocument)[\s>]")
_DEPTH = 4  # documents in documents
_FILES = 2_000  # pictures and objects of one document


def looks_like(head: str) -> bool:
    """Return whether the beginning of an XML file is that of an office document."""
    return any(mark in head for mark in _MARKS) and _ROOTS.search(head) is not None


def pack(data: bytes) -> bytes | None:
    """Return the package of a document that is one XML file, or None for any other XML."""
    from lxml import etree

    root = xml_text.root_of(data)
    if root is None:
        return None
    match etree.QName(root).namespace, local(root):
        case (space, "document") if space == _OFFICE:
            parts = _open_document(root)
        case (space, "package") if space == _FLAT:
            parts = _flat(root)
        case (space, "wordDocument") if space == _OLD_WORD:
            parts = _old_word(root)
        case _:
            return None
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def _bytes_of(element: Any) -> bytes:
    try:
        return base64.b64decode("".join((element.text or "").split()) + "==")
    except (ValueError, binascii.Error):
        return b""


def _serialized(root: Any) -> bytes:
    from lxml import etree

    content: bytes = etree.tostring(root, encoding="utf-8", xml_declaration=True, with_tail=False)
    return content


# --- OpenDocument ----------------------------------------------------------------------------------------------------


def _open_document(root: Any, depth: int = 0) -> dict[str, bytes]:
    mimetype = root.get(f"{{{_OFFICE}}}mimetype") or "application/vnd.oasis.opendocument.text"
    parts = {"mimetype": mimetype.encode("utf-8", "replace")}
    for number, image in enumerate(list(root.iter(f"{{{_OFFICE}}}binary-data"))[:_FILES], start=1):
        holder = image.getparent()
        content = _bytes_of(image)
        path = f"Pictures/{number}.{pictures.ending(content) or 'bin'}"
        parts[path] = content
        holder.remove(image)
        holder.set(_LINK, path)
    if depth < _DEPTH:
        for number, holder in enumerate([node for node in root.iter("{*}object") if len(node)][:_FILES], start=1):
            path = f"Object {number}"
            for name, content in _object(holder[0], depth).items():
                parts[f"{path}/{name}"] = content
            holder.remove(holder[0])
            holder.set(_LINK, f"./{path}")
    for name, part, sections in (
        ("document-content", "content.xml", ("scripts", "font-face-decls", "automatic-styles", "body")),
        ("document-styles", "styles.xml", ("font-face-decls", "styles", "automatic-styles", "master-styles")),
        ("document-meta", "meta.xml", ("meta",)),
    ):
        parts[part] = _part_of(root, name, sections)
    return parts


def _object(root: Any, depth: int) -> dict[str, bytes]:
    return _open_document(root, depth + 1) if local(root) == "document" else {"content.xml": _serialized(root)}


def _part_of(root: Any, name: str, sections: tuple[str, ...]) -> bytes:
    from copy import deepcopy

    from lxml import etree

    part = etree.Element(f"{{{_OFFICE}}}{name}", nsmap=root.nsmap)
    part.extend([deepcopy(child) for child in root if isinstance(child.tag, str) and local(child) in sections])
    return _serialized(part)


# --- Office Open XML -------------------------------------------------------------------------------------------------


def _flat(root: Any) -> dict[str, bytes]:
    parts = {}
    for part in root.iter(f"{{{_FLAT}}}part"):
        name = str(part.get(f"{{{_FLAT}}}name") or "").lstrip("/")
        for holder in part:
            if name and local(holder) == "xmlData" and len(holder):
                parts[name] = _serialized(holder[0])
            elif name and local(holder) == "binaryData":
                parts[name] = _bytes_of(holder)
    return parts


def _relations(*targets: tuple[str, str]) -> bytes:
    items = "".join(
        f'<Relationship Id="r{number}" Type="{_KIND}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="{_RELATIONS}">{items}</Relationships>'.encode()


def _old_word(root: Any) -> dict[str, bytes]:
    """Write a document of Word 2003 with the elements that later versions have for the same."""
    from lxml import etree

    notes: dict[str, list[Any]] = {"footnote": [], "endnote": []}
    for element in list(root.iter(etree.Element)):
        space, name = etree.QName(element).namespace, local(element)
        if space != _OLD_WORD:
            _of_other_kind(element, name)
        elif name in notes and _in_text(element):
            _note(element, notes[name])
        elif name == "binData":
            element.getparent().remove(element)
        elif name == "listPr":
            _number(element)
    for element in root.iter(etree.Element):
        if etree.QName(element).namespace == _OLD_WORD:
            element.tag = _word(local(element))
            for key in [key for key in element.attrib if key.startswith(f"{{{_OLD_WORD}}}")]:
                element.set(_word(key.rsplit("}", 1)[-1]), element.attrib.pop(key))
    document = etree.Element(_word("document"))
    document.extend(list(root.findall(_word("body"))))
    parts = {"_rels/.rels": _relations(("officeDocument", "word/document.xml")), "word/document.xml": b""}
    targets = []
    styles = root.find(_word("styles"))
    if styles is not None:
        parts["word/styles.xml"] = _serialized(styles)
        targets.append(("styles", "styles.xml"))
    for name, of_kind in notes.items():
        if of_kind:
            notes_root = etree.Element(_word(f"{name}s"))
            notes_root.extend(of_kind)
            parts[f"word/{name}s.xml"] = _serialized(notes_root)
            targets.append((f"{name}s", f"{name}s.xml"))
    parts["word/document.xml"] = _serialized(document)
    parts["word/_rels/document.xml.rels"] = _relations(*targets)
    return parts


def _word(name: str) -> str:
    return f"{{{_WORD}}}{name}"


def _in_text(element: Any) -> bool:
    """Return whether a note is in a run, not among the settings."""
    parent = element.getparent()
    return parent is not None and local(parent) == "r"


def _note(element: Any, notes: list[Any]) -> None:
    """Replace a note by a reference, and move it to the other notes."""
    from lxml import etree

    name, number, parent = local(element), str(len(notes) + 2), element.getparent()
    reference = etree.Element(_word(f"{name}Reference"))
    reference.set(_word("id"), number)
    parent.replace(element, reference)
    element.set(_word("id"), number)
    notes.append(element)


def _number(element: Any) -> None:
    """Write the number of a clause, which Word stored with it, as the first words of the paragraph."""
    from lxml import etree

    properties = element.getparent()
    paragraph = properties.getparent() if properties is not None else None
    label = next((child for child in element if local(child) == "t"), None)
    text = next((value for key, value in label.attrib.items() if key.endswith("}val")), "") if label is not None else ""
    if text and paragraph is not None and local(paragraph) == "p":
        run = etree.Element(_word("r"))
        words = etree.SubElement(run, _word("t"))
        words.text = f"{text} "
        paragraph.insert(paragraph.index(properties) + 1, run)


def _of_other_kind(element: Any, name: str) -> None:
    """Take off what Word puts around its text, or say that it is inserted, deleted or a comment."""
    parent = element.getparent()
    if parent is None:
        return
    if name == "annotation":
        kind = next((value for key, value in element.attrib.items() if key.endswith("}type")), "")
        if kind == "Word.Deletion":
            element.tag = _word("del")
            return
    if name in ("sect", "sub-section", "content", "annotation"):
        position = parent.index(element)
        for child in reversed(list(element)):
            parent.insert(position + 1, child)
        parent.remove(element)
