"""Office files are ZIP archives of XML: opened here, and only when nothing shows that they are made to harm."""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from itertools import pairwise
from typing import Any

from core.errors import UnreadableDocument

_PARTS = 20_000
_MAX_UNPACKED_BYTES = 2_000_000_000  # bytes of all parts
_RATIO = 200  # unpacked to packed, of a part above 10 MB
_XML = 150_000_000  # bytes of one XML part

# What the archive library and its decompressors raise for damaged data.
ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, OSError, EOFError)

_CAREFUL = "Such a file is probably malicious. If you trust it, open it in an office program and save it as PDF."
_AGAIN = "Open it in an office program, save it again as DOCX or PDF, and add that."


def check_package(
    data: bytes, name: str, *, allow_encrypted: bool = False, allow_doubles: bool = False, careful: str = _CAREFUL
) -> zipfile.ZipFile:
    """Open the archive, if nothing in its directory shows that it is a bomb. Raises UnreadableDocument.

    ``allow_encrypted``: parts may be encrypted; without it such a file is refused. ``allow_doubles``: parts may have
    the same name. ``careful`` is the remedy for a bomb.
    """
    if data.count(b"PK\x01\x02") > _PARTS:
        raise hostile(name, "it contains far too many parts", careful)
    try:
        package = zipfile.ZipFile(io.BytesIO(data))
        parts = package.infolist()
    except (*ARCHIVE_ERRORS, ValueError) as error:
        raise damaged_file(name) from error
    if not allow_encrypted and any(part.flag_bits & 1 for part in parts):
        raise UnreadableDocument(
            reason=f"{name} is protected by a password.",
            remedy="Open it with its password, save a copy without one, and add the copy.",
        )
    if sum(part.file_size for part in parts) > _MAX_UNPACKED_BYTES:
        raise hostile(name, "its parts unpack to more than 2 GB", careful)
    if any(part.file_size > 10_000_000 and part.file_size > _RATIO * max(1, part.compress_size) for part in parts):
        raise hostile(name, "a part of it unpacks to a size that no document has", careful)
    if not allow_doubles and len({part.filename for part in parts}) != len(parts):
        raise hostile(name, "two of its parts have the same name", careful)
    places = sorted((part.header_offset, part.compress_size) for part in parts)
    for (start, size), (following, _) in pairwise(places):
        if start + size > following:
            raise hostile(name, "parts of it overlap", careful)
    return package


def hostile(name: str, why: str, careful: str = _CAREFUL) -> UnreadableDocument:
    """Make the error of a file that looks made to harm."""
    return UnreadableDocument(reason=f"{name} was not opened, because {why}.", remedy=careful)


def damaged_file(name: str, remedy: str = _AGAIN) -> UnreadableDocument:
    """Make the error of a file whose text cannot be found."""
    return UnreadableDocument(reason=f"{name} is damaged: its text could not be found.", remedy=remedy)


def raw_part(package: zipfile.ZipFile, part: str, name: str) -> bytes | None:
    """Return the bytes of a part, or None."""
    try:
        with package.open(part) as stream:
            data = stream.read(_XML + 1)
    except KeyError:
        return None
    except (*ARCHIVE_ERRORS, RuntimeError) as error:
        raise damaged_file(name) from error
    if len(data) > _XML:
        raise hostile(name, "a part of it is larger than any text")
    return data


def xml_part(package: zipfile.ZipFile, part: str, name: str) -> Any:
    """Return the root of an XML part, or None."""
    data = raw_part(package, part, name)
    return None if data is None else xml_of(data, name)


def xml_of(data: bytes, name: str) -> Any:
    """Parse the XML of a part to its root. Raises UnreadableDocument where it declares entities."""
    from lxml import etree

    # An office program never writes a DTD; entities could blow up memory or name files.
    head = data.replace(b"\0", b"") if b"\0" in data[:200] else data
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise hostile(name, "its XML declares entities")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(data, parser)


def related_parts(package: zipfile.ZipFile, name: str, part: str) -> dict[str, tuple[str, str]]:
    """Return the relations of a part inside its package: id -> (last word of the type, part name)."""
    folder, _, file = part.rpartition("/")
    root = xml_part(package, f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels", name)
    targets: dict[str, tuple[str, str]] = {}
    for relation in root if root is not None else ():
        if relation.get("TargetMode") == "External":
            continue
        target, steps = str(relation.get("Target", "")), folder.split("/") if folder else []
        if target.startswith("/"):
            steps = []
        for step in re.split(r"[/\\]+", target.lstrip("/")):
            if step == "..":
                del steps[-1:]
            elif step != ".":
                steps.append(step)
        targets[str(relation.get("Id", ""))] = (str(relation.get("Type", "")).rsplit("/", 1)[-1], "/".join(steps))
    return targets


def local(element: Any) -> str:
    """Return the name of an element without its namespace, '' for a comment."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""


def value(element: Any, name: str) -> str:
    """Return an attribute by its local name: transitional and strict documents differ in the namespace."""
    for key, value in element.attrib.items():
        if key.rsplit("}", 1)[-1] == name:
            return str(value)
    return ""


def relation_id(element: Any) -> str:
    """Return the id of a relation: the attribute 'id' of the namespace for relations, not the number beside it."""
    return next((str(text) for key, text in element.attrib.items() if key.endswith("relationships}id")), "")


def child(element: Any, name: str) -> Any:
    """Return the first child of that local name, or None."""
    return next((child for child in element if local(child) == name), None)


def core_properties(package: zipfile.ZipFile, name: str) -> dict[str, str]:
    """Return title, author and date of an Office Open XML file, as it states them."""
    from core.engines.readers import plain_text

    root = xml_part(package, "docProps/core.xml", name)
    fields = {local(item): " ".join((item.text or "").split())[:1_000] for item in (root if root is not None else ())}
    return {
        "title": plain_text.clean(fields.get("title", "")),
        "author": plain_text.clean(fields.get("creator", "")),
        "date": plain_text.clean(fields.get("created") or fields.get("modified") or "")[:40],
    }
