"""Tar archives, and files packed by gzip, bzip2 or xz: unpacked in memory within limits."""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from core.domain import LeftOut, PageText
from core.engines.readers import attachments, plain_text, zip_archive
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

_UNPACKED = 600_000_000  # bytes
_RATIO = 200  # unpacked to packed, of what unpacks to more than 10 MB
_ENTRIES = 20_000
_STEP = 1_000_000
_CAREFUL = "Such an archive is probably malicious. If you trust it, unpack it and add the files that are in it."
_ENDINGS = (".gz", ".bz2", ".xz", ".lzma", ".z")
_ERRORS = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)

Items = Iterator[Outline | PageText | Attachment | LeftOut]


def packing(data: bytes) -> str:
    """Return how a file is packed: 'gz', 'bz2', 'xz', or '' for a file that is not."""
    if data.startswith(b"\x1f\x8b\x08"):
        return "gz"
    if data.startswith(b"BZh") and data[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return "bz2"
    return "xz" if data.startswith(b"\xfd7zXZ\0") else ""


def is_tar(data: bytes) -> bool:
    """Return whether a file is a tar archive, by the sum of its first header."""
    if len(data) < 512 or not data[0]:
        return False
    head = data[:512]
    try:
        total = int(head[148:156].strip(b"\0 "), 8)
    except ValueError:
        return False
    return total == sum(head) - sum(head[148:156]) + 8 * 32


def read(data: bytes, name: str) -> Items:
    """Read a tar archive, or what is packed in one file. Raises UnreadableDocument for a bomb and what is damaged."""
    way = packing(data)
    if way:
        content, is_complete = _unpack(data, way, name)
        if not is_tar(content):
            yield from _single(data, content, name, way, is_complete)
            return
        data = content
    yield from _tar(data, name)


def _unpack(data: bytes, way: str, name: str) -> tuple[bytes, bool]:
    """Return the content, and whether it is complete."""
    out = bytearray()
    remaining = data
    try:
        while remaining:
            unpacker = _unpacker(way)
            waiting = remaining
            while not unpacker.eof:
                part = unpacker.decompress(waiting, _STEP)
                waiting = unpacker.unconsumed_tail if way == "gz" else b""
                out += part
                if len(out) > _UNPACKED or (len(out) > 10_000_000 and len(out) > _RATIO * len(data)):
                    raise UnreadableDocument(
                        reason=f"{name} was not opened, because it unpacks to a size that no document has.",
                        remedy=_CAREFUL,
                    )
                if not part and not waiting and (way == "gz" or unpacker.needs_input):
                    return bytes(out), False
            remaining = unpacker.unused_data.lstrip(b"\0")
            if remaining and packing(remaining) != way:  # something that is no further part
                return bytes(out), False
    except _ERRORS as error:
        if not out:
            raise UnreadableDocument(
                reason=f"{name} is damaged: nothing in it could be unpacked.",
                remedy="Fetch it again from its source, or unpack it elsewhere and add what is in it.",
            ) from error
        return bytes(out), False
    return bytes(out), True


def _unpacker(way: str) -> Any:
    if way == "gz":
        return zlib.decompressobj(31)
    return bz2.BZ2Decompressor() if way == "bz2" else lzma.LZMADecompressor(memlimit=500_000_000)


def _single(data: bytes, content: bytes, name: str, way: str, is_complete: bool) -> Items:
    inner, remark = _gzip_texts(data) if way == "gz" else ("", "")
    inner = inner or name.rsplit("/", 1)[-1]
    if inner.lower().endswith(_ENDINGS):
        inner = inner.rpartition(".")[0]
    pages = zip_archive.listing([inner], remark=" ".join(_text(remark).split()))
    yield Outline("zip", len(pages))
    yield from pages
    inside = attachments.Children()
    yield from inside.take(inner, lambda: content, size=len(content))
    if not is_complete:
        yield LeftOut("damaged rest of the packed file", 1, inner)


def _gzip_texts(data: bytes) -> tuple[str, str]:
    """Return the name and the remark that a gzip file states, '' where it states none (RFC 1952)."""
    flags, offset = (data[3], 10) if len(data) > 10 else (0, 0)
    if flags & 4:
        offset += 2 + int.from_bytes(data[offset : offset + 2], "little")
    texts = []
    for flag in (8, 16):
        end = data.find(b"\0", offset, offset + 1_000) if flags & flag else -1
        texts.append(data[offset:end].decode("latin-1") if end > offset else "")
        offset = end + 1 if end > offset else offset
    return texts[0], texts[1]


def _tar(data: bytes, name: str) -> Items:
    members: list[tarfile.TarInfo] = []
    is_complete = True
    try:
        archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - read until the last file is out
        for member in archive:
            members.append(member)
            if len(members) > _ENTRIES:
                raise UnreadableDocument(
                    reason=f"{name} was not opened, because it contains far too many parts.", remedy=_CAREFUL
                )
    except (tarfile.TarError, *_ERRORS) as error:
        if not members:
            raise zip_archive.damage(name) from error
        is_complete = False
    listed = [(member, _text(member.name)) for member in members]
    files = [(member, file_name) for member, file_name in listed if not member.isdir()]
    files = [(member, file_name) for member, file_name in files if not zip_archive.is_litter(file_name)]
    if not files:
        raise zip_archive.empty(name)
    remarks = {file_name: remark for member, file_name in files if (remark := _remark(member.pax_headers, archive))}
    remark = " ".join(_text(archive.pax_headers.get("comment", "")).split())
    pages = zip_archive.listing([file_name for _, file_name in files], remarks, remark)
    yield Outline("zip", len(pages))
    yield from pages
    inside = attachments.Children()
    for member, file_name in files:
        yield from inside.take(file_name, partial(_content, archive, member, file_name), size=member.size)
    yield from inside.rest()
    folders = [folder for member, folder in listed if member.isdir()]
    rest = data[archive.offset :] if is_complete else b""
    yield from zip_archive.left_out([entry_name for _, entry_name in listed], folders, rest)
    if not is_complete:
        yield LeftOut("damaged rest of the archive", 1, "after the files that are listed")


def _text(name: str) -> str:
    return plain_text.decode(name.encode("utf-8", "surrogateescape"))


def _remark(headers: Mapping[str, str], archive: tarfile.TarFile) -> str:
    """Return the remark on a file, which is not that on the archive."""
    remark = headers.get("comment", "")
    return " ".join(_text(remark).split()) if remark != archive.pax_headers.get("comment", "") else ""


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> bytes:
    if member.issym() or member.islnk():
        raise zip_archive.link(name, _text(member.linkname))
    if not member.isreg():
        raise UnreadableDocument(reason=f"{name} is a device, not a file.", remedy="Leave it out.")
    try:
        stream = archive.extractfile(member)
        content = stream.read(member.size) if stream is not None else b""
    except (tarfile.TarError, *_ERRORS) as error:
        raise UnreadableDocument(
            reason=f"{name} is damaged.", remedy="Fetch the archive again from its source, or add the file by itself."
        ) from error
    if len(content) != member.size:
        raise UnreadableDocument(
            reason=f"{name} is cut off: the archive ends before it.",
            remedy="Fetch the archive again from its source, or add the file by itself.",
        )
    return content
