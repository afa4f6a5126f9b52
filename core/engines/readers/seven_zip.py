"""7z archives: a page that lists what is in them, and the files themselves, unpacked in memory within limits."""

from __future__ import annotations

import io
import lzma
import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any

from core.domain import LeftOut, PageText
from core.engines.readers import attachments, zip_archive
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Attachment, Outline

_ENTRIES = 20_000
_RATIO = 200  # unpacked to packed, of an archive that unpacks to more than 10 MB
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
    sizes = _sizes(entries, names)
    contents = _contents(archive, sizes, name, password)
    pages = zip_archive.listing(names)
    yield Outline("zip", len(pages))
    yield from pages
    inside = attachments.Children()
    for entry, entry_name in zip(entries, names, strict=True):
        yield from inside.take(entry_name, partial(_content, entry, entry_name, sizes, contents), size=_size(entry))
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


def _sizes(entries: list[Any], names: list[str]) -> dict[str, int]:
    """Return the names that are unpacked, each with its size: within the limits, no link, and once each."""
    from py7zr.helpers import get_sanitized_output_path

    sizes: dict[str, int] = {}
    size = 0
    for entry, entry_name in zip(entries, names, strict=True):
        size += _size(entry)
        if len(sizes) >= attachments.COUNT or size > attachments.BYTES:
            break
        try:
            get_sanitized_output_path(entry_name, None)
        except Exception:  # a name that leads out of the archive
            continue
        if not (entry.is_symlink or entry.is_junction or entry.is_socket) and names.count(entry_name) == 1:
            sizes[entry_name] = _size(entry)
    return sizes


class _Full(Exception):
    """A file unpacks to more than the archive says."""


def _contents(archive: Any, sizes: dict[str, int], name: str, password: str) -> dict[str, bytes]:
    """Unpack the files that are unpacked; one that is damaged is not among them."""
    import py7zr
    from py7zr.helpers import get_sanitized_output_path

    class Buffer(py7zr.io.Py7zIO):
        """The content of a file as it is unpacked, never longer than stated."""

        def __init__(self, limit: int) -> None:
            self.buffer = io.BytesIO()
            self._limit = limit

        def write(self, part: bytes | bytearray) -> int:
            if self.size() + len(part) > self._limit:
                raise _Full
            return self.buffer.write(part)

        def read(self, size: int | None = None) -> bytes:
            return self.buffer.read(size)

        def seek(self, offset: int, whence: int = 0) -> int:
            return self.buffer.seek(offset, whence)

        def flush(self) -> None:
            pass

        def size(self) -> int:
            return self.buffer.getbuffer().nbytes

    class Factory(py7zr.io.WriterFactory):
        """Hands out a buffer a file, in the order of the archive."""

        def __init__(self) -> None:
            self.products: dict[str, Buffer] = {}

        def create(self, filename: str) -> Buffer:
            product = Buffer(attachments.BYTES)
            self.products[filename] = product
            return product

    factory = Factory()
    broken_file = False
    try:
        archive.extract(targets=list(sizes), factory=factory)
    except MemoryError:
        raise
    except (py7zr.exceptions.ArchiveError, lzma.LZMAError, zlib.error, EOFError, OSError, ValueError, _Full) as error:
        broken_file = True
        if password and not any(product.size() for product in factory.products.values()):
            raise _password_error(name, password) from error
    except Exception as error:
        raise zip_archive.damage(name) from error
    products = {key: product.buffer.getvalue() for key, product in factory.products.items()}
    if broken_file and products:  # the current file
        del products[list(products)[-1]]
    keys = {entry_name: str(get_sanitized_output_path(entry_name, None).as_posix()) for entry_name in sizes}
    return {
        entry_name: products[key]
        for entry_name, key in keys.items()
        if key in products and len(products[key]) == sizes[entry_name]
    }


def _content(entry: Any, name: str, sizes: dict[str, int], contents: dict[str, bytes]) -> bytes:
    if entry.is_symlink or entry.is_junction:
        raise UnreadableDocument(reason=f"{name} is a link, not a file.", remedy="Add the file that it points to.")
    if name in contents:
        return contents[name]
    if name in sizes and not sizes[name]:
        return b""
    raise UnreadableDocument(
        reason=f"{name} is damaged, or packed in a way the program cannot handle.",
        remedy="Unpack the archive elsewhere, and add the file.",
    )
