"""7z archives: a page that lists what is in them, and the files themselves, unpacked in memory within limits."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any

from core.domain import LeftOut, PageText
from core.engines.readers import attachments, plain_text, zip_archive
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Attachment, Outline

_ENTRIES = 20_000
_RATIO = 200  # unpacked to packed, of an archive that unpacks to more than 10 MB
_TRIES = 8  # protected streams that a wrong password is tried on: making a key takes time
_PROOF = 4  # bytes: fewer come out right by chance
_CAREFUL = "Such an archive is probably malicious. If you trust it, unpack it and add the files that are in it."


def read(data: bytes, name: str, password: str = "") -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read an archive: a page that lists its files, then the files. Raises PasswordNeeded, UnreadableDocument."""
    import py7zr

    archive = _open(data, name, password)
    try:
        folders = [str(entry.filename) for entry in archive.files if entry.is_directory]
        entries = [entry for entry in archive.files if not entry.is_directory]
        litter = [str(entry.filename) for entry in entries if zip_archive.is_litter(str(entry.filename))]
        entries = [entry for entry in entries if str(entry.filename) not in litter]
    except (py7zr.exceptions.ArchiveError, AttributeError, ValueError) as error:
        raise zip_archive.damage(name) from error
    if len(entries) > _ENTRIES:
        raise UnreadableDocument(
            reason=f"{name} was not opened, because it contains far too many parts.", remedy=_CAREFUL
        )
    total = sum(_size(entry) for entry in entries)
    if total > 10_000_000 and total > _RATIO * len(data):
        raise UnreadableDocument(
            reason=f"{name} was not opened, because it unpacks to a size that no document has.", remedy=_CAREFUL
        )
    if not entries:
        raise zip_archive.empty(name)
    names = [str(entry.filename) for entry in entries]
    contents = _contents(archive, entries, name, password)
    pages = zip_archive.listing(names)
    yield Outline("zip", len(pages))
    yield from pages
    inside = attachments.Children()
    for entry, entry_name in zip(entries, names, strict=True):
        yield from inside.take(entry_name, partial(_content, entry, entry_name, contents), size=_size(entry))
    yield from inside.rest()
    yield from zip_archive.left_out([*names, *litter, *folders], folders, data[_end(data) :])


def _end(data: bytes) -> int:
    """Return where the archive ends: behind the list of its files, whose place its head states."""
    offset, size = struct.unpack_from("<QQ", data, 12)
    return min(32 + int(offset) + int(size), len(data))


def _open(data: bytes, name: str, password: str) -> Any:
    """Open the archive. Raises PasswordNeeded where its list is encrypted, or its files are."""
    import py7zr

    try:
        archive = py7zr.SevenZipFile(io.BytesIO(data), password=password or None)
        if archive.needs_password() and not password:
            raise _password_error(name, password)
    except py7zr.exceptions.PasswordRequired as error:
        raise _password_error(name, password) from error
    except (PasswordNeeded, MemoryError):
        raise
    except Exception as error:  # the header of a hostile archive fails anywhere in the library
        if password:
            raise _password_error(name, password) from error
        raise zip_archive.damage(name) from error
    return archive


def _password_error(name: str, password: str) -> PasswordNeeded:
    return PasswordNeeded(
        reason=f"{name} is protected by a password" + (", and the one given is wrong." if password else "."),
        remedy="Give its password, or unpack it and add the files that are in it.",
    )


def _size(entry: Any) -> int:
    return int(entry.uncompressed or 0)


def _wanted(entries: list[Any]) -> set[int]:
    """Return the ids of the files that are unpacked: those with content, within the limits."""
    ids: set[int] = set()
    size = 0
    for entry in entries[: attachments.COUNT]:
        size += _size(entry)
        if size > attachments.BYTES:
            break
        if _size(entry) and not entry.is_socket:
            ids.add(entry.id)
    return ids


def _contents(archive: Any, entries: list[Any], name: str, password: str) -> dict[int, bytes]:
    """Unpack the files; one that is damaged is not among them. Keys are their ids: two files may have one name.

    Raises PasswordNeeded where the password opens nothing: what a wrong one makes of the data unpacks to some bytes as
    often as not, so that only the checksum of a file proves a password.
    """
    from py7zr.compressor import SupportedMethods
    from py7zr.exceptions import UnsupportedCompressionMethodError

    wanted = _wanted(entries)
    members: dict[int, list[Any]] = {}  # by the stream they are packed in
    for entry in archive.files:
        members.setdefault(id(entry.folder), []).append(entry)
    contents: dict[int, bytes] = {}
    failures, proof = 0, 0
    for folder, place in _folders(archive):
        files = members.get(id(folder), [])
        while files and files[-1].id not in wanted:
            files.pop()
        if not files:
            continue
        is_protected = SupportedMethods.needs_password(folder.coders)
        try:
            content = dict(_unpack(archive, folder, files, place, wanted, without_checksum=not is_protected))
        except UnsupportedCompressionMethodError:  # whatever the password
            continue
        contents |= content
        if is_protected:
            proof += sum(map(len, content.values()))
            failures += not content
            if failures >= _TRIES and proof < _PROOF:
                break
    if failures and proof < _PROOF:
        raise _password_error(name, password)
    return contents


def _folders(archive: Any) -> Iterator[tuple[Any, tuple[int, int]]]:
    """Yield what is packed as one stream, each with its place in the archive."""
    streams = getattr(archive.header, "main_streams", None)
    if streams is None:  # all files are empty
        return
    offsets = [archive.afterheader + streams.packinfo.packpos + offset for offset in streams.packinfo.packpositions]
    number = 0
    for folder in streams.unpackinfo.folders:
        last = number + len(folder.packed_indices)
        if last < len(offsets):
            yield folder, (offsets[number], offsets[last])
        number = last


def _unpack(
    archive: Any, folder: Any, files: list[Any], place: tuple[int, int], wanted: set[int], *, without_checksum: bool
) -> Iterator[tuple[int, bytes]]:
    """Yield the files of one stream that unpack to what the archive says of them."""
    import py7zr

    archive.fp.seek(place[0])
    for entry in files:
        out = io.BytesIO()
        is_sound = without_checksum
        try:
            archive.worker.decompress(archive.fp, folder, out, _size(entry), entry.compressed, place[1])
        except (MemoryError, py7zr.exceptions.UnsupportedCompressionMethodError):
            raise
        except py7zr.exceptions.CrcError:  # of the whole stream, at its end
            is_sound = False
        except Exception:  # the decoders raise what comes for damaged data, and there are a dozen of them
            return
        content = out.getvalue()
        if entry.crc32 is not None:
            is_sound = zlib.crc32(content) == entry.crc32
        if is_sound and entry.id in wanted and len(content) == _size(entry):
            yield entry.id, content


def _content(entry: Any, name: str, contents: dict[int, bytes]) -> bytes:
    if entry.is_symlink or entry.is_junction:
        raise zip_archive.link(name, plain_text.decode(contents.get(entry.id, b"")[:1_000]))
    if entry.id in contents or not _size(entry):
        return contents.get(entry.id, b"")
    raise UnreadableDocument(
        reason=f"{name} is damaged, or packed in a way the program cannot handle.",
        remedy="Unpack the archive elsewhere, and add the file.",
    )
