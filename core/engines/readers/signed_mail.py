"""Mails (S/MIME, RFC 8551) and files (.p7m) inside their signature: taken out, the signature is not checked.

Of a file that is cut off, what is left of its content is taken: the certificates are behind it.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from core.domain import LeftOut
from core.errors import UnreadableDocument

_ENTITY = re.compile(
    rb"\s*(?:content-[\w-]+|x-[\w-]+|mime-version|from|to|subject|date|received)[ \t]*:", re.IGNORECASE
)
_SIGNED = bytes.fromhex("2a864886f70d010702")  # the object identifier of signed data (RFC 5652)
_SEQUENCE, _IDENTIFIER, _OCTETS, _CONTEXT = 0x30, 0x06, 0x04, 0xA0
_DEPTH = 20
_ELEMENTS = 200_000

_Element = tuple[int, bytes]  # a tag and what it holds


@dataclass(frozen=True, slots=True)
class Content:
    """The message or file that a signature encloses; ``is_cut``: its end is missing."""

    data: bytes
    is_cut: bool

    @property
    def is_mail(self) -> bool:
        """Return whether it begins as a message, and not as a file of another kind."""
        return _ENTITY.match(self.data) is not None

    def left_out(self, where: str) -> list[LeftOut]:
        """Return what of the signed mail or file is no content."""
        return [
            LeftOut("digital signature", 1, where),
            *([LeftOut("end of a signed file, which is cut off", 1, where)] if self.is_cut else []),
        ]


def file_in(data: bytes, name: str) -> tuple[Content, str]:
    """Return the file that a signature encloses, and its name. Raises UnreadableDocument where it encloses none."""
    inner = content(data)
    if inner is None:
        raise UnreadableDocument(
            reason=f"{name} is encrypted, damaged, or a signature without the file that it signs.",
            remedy="Open it in the mail program or the program that made it, save its content, and add that.",
        )
    stem = name[: -len(".p7m")]
    return inner, f"{stem}.eml" if inner.is_mail else stem


def content(data: bytes) -> Content | None:
    """Return the message or file that a signature encloses, or None if it is missing or encrypted."""
    try:
        data = _binary(data)
        first_tag, body, end = _element(data, 0, 0)
        outer = _elements(body)
        if first_tag != _SEQUENCE or outer[0] != (_IDENTIFIER, _SIGNED):
            return None
        parts = _elements(_elements(outer[1][1])[0][1])
        _, holder = next(element for element in parts if element[0] == _SEQUENCE)
        content_info = _elements(holder)[1]
        octets = _octets(_elements(content_info[1])[0], 0)
        return Content(octets, end > len(data)) if octets else None
    except (IndexError, ValueError, StopIteration, binascii.Error):
        return None


def _binary(data: bytes) -> bytes:
    """Return a file that may be written in letters; raises binascii.Error where it is neither."""
    if data[:1] == bytes([_SEQUENCE]):
        return data
    letters = re.sub(rb"-----[^\n]*|\s", b"", data)
    return base64.b64decode(letters[: len(letters) // 4 * 4], validate=True)


def _elements(data: bytes) -> list[_Element]:
    elements: list[_Element] = []
    offset = 0
    while offset + 1 < len(data):
        tag, body, offset = _element(data, offset, 0)
        elements.append((tag, body))
        if len(elements) > _ELEMENTS:
            raise ValueError("too many elements")
    return elements


def _element(data: bytes, offset: int, depth: int) -> tuple[int, bytes, int]:
    """Return the tag of the element at a place, what it holds, and where it ends (ITU-T X.690).

    One that is cut off holds what is left of it, and ends behind the data.
    """
    tag, length = data[offset], data[offset + 1]
    offset += 2
    if tag & 0x1F == 0x1F or depth > _DEPTH:
        raise ValueError("a long tag, or nested too deeply")
    if length == 0x80:  # ends with two zero bytes
        start = offset
        while data[offset : offset + 2] != b"\0\0":
            if offset + 2 > len(data):
                return tag, data[start:], len(data) + 1
            _, _, offset = _element(data, offset, depth + 1)
        return tag, data[start:offset], offset + 2
    if length & 0x80:
        count = length & 0x7F
        length = int.from_bytes(data[offset : offset + count], "big")
        offset += count
    return tag, data[offset : offset + length], offset + length


def _octets(element: _Element, depth: int) -> bytes:
    """Return bytes that may be cut into pieces."""
    tag, body = element
    if tag & 0x20 and depth < _DEPTH:
        return b"".join(_octets(part, depth + 1) for part in _elements(body))
    return body
