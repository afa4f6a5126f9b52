"""Mails that lie inside their signature (S/MIME, RFC 8551): the message is taken out, the signature is not checked."""

from __future__ import annotations

_SIGNED = bytes.fromhex("2a864886f70d010702")  # the object identifier of signed data (RFC 5652)
_SEQUENCE, _IDENTIFIER, _OCTETS, _CONTEXT = 0x30, 0x06, 0x04, 0xA0
_DEPTH = 20
_ELEMENTS = 200_000

_Element = tuple[int, bytes]  # a tag and what it holds


def content(data: bytes) -> bytes | None:
    """Return the message that a signature encloses, or None if it is missing or encrypted."""
    try:
        outer = _inside(data, _SEQUENCE)
        if outer[0] != (_IDENTIFIER, _SIGNED):
            return None
        parts = _elements(_elements(outer[1][1])[0][1])
        _, holder = next(element for element in parts if element[0] == _SEQUENCE)
        content_info = _elements(holder)[1]
        return _octets(_elements(content_info[1])[0], 0) or None
    except (IndexError, ValueError, StopIteration):
        return None


def _inside(data: bytes, tag: int) -> list[_Element]:
    first_tag, body, _ = _element(data, 0, 0)
    if first_tag != tag:
        raise ValueError("another tag")
    return _elements(body)


def _elements(data: bytes) -> list[_Element]:
    elements: list[_Element] = []
    offset = 0
    while offset < len(data):
        tag, body, offset = _element(data, offset, 0)
        elements.append((tag, body))
        if len(elements) > _ELEMENTS:
            raise ValueError("too many elements")
    return elements


def _element(data: bytes, offset: int, depth: int) -> tuple[int, bytes, int]:
    """Return the tag of the element at a place, what it holds, and where it ends (ITU-T X.690)."""
    tag, length = data[offset], data[offset + 1]
    offset += 2
    if tag & 0x1F == 0x1F or depth > _DEPTH:
        raise ValueError("a long tag, or nested too deeply")
    if length == 0x80:  # ends with two zero bytes
        start = offset
        while data[offset : offset + 2] != b"\0\0":
            _, _, offset = _element(data, offset, depth + 1)
        return tag, data[start:offset], offset + 2
    if length & 0x80:
        count = length & 0x7F
        length = int.from_bytes(data[offset : offset + count], "big")
        offset += count
    if length > len(data) - offset:
        raise ValueError("cut off")
    return tag, data[offset : offset + length], offset + length


def _octets(element: _Element, depth: int) -> bytes:
    """Return bytes that may be cut into pieces."""
    tag, body = element
    if tag & 0x20 and depth < _DEPTH:
        return b"".join(_octets(part, depth + 1) for part in _elements(body))
    return body
