"""OLE objects inside office files: the file that one holds, as a document of its own."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import Any

from core.engines.readers import ole_compound, plain_text
from core.errors import UnreadableDocument

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NATIVE = "\x01Ole10Native"
_WHOLE = {"WordDocument": "doc", "Workbook": "xls", "Book": "xls", "PowerPoint Document": "ppt"}
_MOST = 150_000_000  # bytes of one stream


@dataclass(frozen=True, slots=True)
class Content:
    """The file in an object. ``data`` is b"" where none could be taken out; ``kind`` says what made it."""

    name: str = ""
    data: bytes = b""
    kind: str = ""


def is_word(data: bytes, name: str) -> bool:
    """Return whether a compound file is a Word document itself, and not only holds one."""
    import olefile

    try:
        ole_compound.check_chains(data, name)
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            return bool(file.exists("WordDocument"))
    except (MemoryError, RecursionError):
        raise
    except (UnreadableDocument, Exception):  # the library raises what comes for a damaged file
        return False


def content(data: bytes, name: str) -> Content:
    """Return the file that an OLE object holds. Raises nothing: an object that cannot be opened holds none."""
    import olefile

    try:
        ole_compound.check_chains(data, name)
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            return _content(file, data, name)
    except (MemoryError, RecursionError):
        raise
    except (UnreadableDocument, Exception):  # the library raises what comes for a damaged file
        return Content(kind="damaged")


def _content(file: Any, data: bytes, name: str) -> Content:
    stem = name.rpartition(".")[0] or name
    for stream, extension in _WHOLE.items():
        if file.exists(stream):
            return Content(f"{stem}.{extension}", data)
    for stream in ("Package", "CONTENTS", "EmbeddedOdf", "package_stream"):
        inside = _stream(file, stream)
        if inside.startswith((b"PK\x03\x04", b"%PDF", MAGIC)):
            extension = "pdf" if inside.startswith(b"%PDF") else "bin"
            return Content(f"{stem}.{extension}", inside)
    inside = _stream(file, _NATIVE)
    if inside:
        return native(inside, stem)
    kind = _stream(file, "\x01CompObj")
    return Content(kind=user_type(kind))


def embedded(data: bytes) -> Content:
    """Return the file in an object of OLE 1 (MS-OLEDS 2.2.5): version, kind, three names, a size, its bytes."""
    try:
        start = 8
        names = []
        for _ in range(3):
            (length,) = struct.unpack_from("<I", data, start)
            names.append(
                plain_text.clean(data[start + 4 : start + 4 + min(length, 200)].rstrip(b"\0").decode("latin-1"))
            )
            start += 4 + length
        (size,) = struct.unpack_from("<I", data, start)
    except struct.error:
        return Content(kind="damaged")
    inside = data[start + 4 : start + 4 + size]
    if names[0] == "Package":
        # The bytes are those of the stream Ole10Native without its size.
        return native(struct.pack("<I", len(inside)) + inside, "object")
    return Content(kind=names[0])


def native(data: bytes, stem: str) -> Content:
    """Return the file in the stream Ole10Native: a size, two names and a path before its bytes (MS-OLEDS 2.3.6)."""
    try:
        offset = 6
        label, offset = _line(data, offset)
        _, offset = _line(data, offset)
        offset += 4
        (length,) = struct.unpack_from("<I", data, offset)
        offset += 4 + length
        (size,) = struct.unpack_from("<I", data, offset)
        inside = data[offset + 4 : offset + 4 + size]
    except (struct.error, ValueError):
        return Content(kind="packager")
    if size and len(inside) == size:
        return Content(label.replace("\\", "/").rpartition("/")[2] or stem, inside)
    return Content(kind="packager")


def _line(data: bytes, start: int) -> tuple[str, int]:
    end = data.index(b"\0", start, start + 2_000)
    return plain_text.clean(data[start:end].decode("cp1252", "replace")), end + 1


def _stream(file: Any, name: str) -> bytes:
    if not file.exists(name) or file.get_size(name) > _MOST:
        return b""
    return bytes(file.openstream(name).read())


def user_type(data: bytes) -> str:
    """Return the program of an object from its stream CompObj ("Microsoft Equation 3.0"): a length, then the words."""
    if len(data) < 32:
        return ""
    (length,) = struct.unpack_from("<I", data, 28)
    words = data[32 : 32 + min(length, 100)].rstrip(b"\0").decode("cp1252", "replace")
    return " ".join(plain_text.clean(words).split())
