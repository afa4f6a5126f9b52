"""ZIP archives: a page that lists what is in them, and the files themselves. Nothing is unpacked to a disk."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from functools import partial

from core.domain import PageText
from core.engines.readers import attachments, plain_text, text_flow
from core.engines.readers.ooxml_package import ARCHIVE_ERRORS, check_package
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Attachment, Outline

_CAREFUL = "Such an archive is probably malicious. If you trust it, unpack it and add the files that are in it."


def read(data: bytes, name: str, password: str = "") -> Iterator[Outline | PageText | Attachment]:
    """Read an archive: a page that lists its files, then the files.

    Raises PasswordNeeded where every file is protected, or ``password`` is not theirs.
    """
    try:
        package = check_package(data, name, allow_encrypted=True, careful=_CAREFUL)
    except UnreadableDocument as error:
        if error.hint == _CAREFUL:
            raise
        raise UnreadableDocument(
            reason=f"{name} is damaged: the list of what is in it could not be found.",
            remedy="Fetch it again from its source, or unpack it elsewhere and add the files that are in it.",
        ) from error
    files = [(part, _name(part)) for part in package.infolist() if not part.is_dir()]
    litter = [entry for entry in files if entry[1].startswith("__MACOSX/") or entry[1].endswith("/.DS_Store")]
    files = [entry for entry in files if entry not in litter and entry[1] != ".DS_Store"]
    if not files:
        raise UnreadableDocument(
            reason=f"{name} is an empty archive: there is no file in it.",
            remedy="Check that it was copied completely, and add it again when it has content.",
        )
    key = _key(package, [part for part, _ in files], name, password)
    out = text_flow.Flow()
    out.write(f"Archive with {len(files)} {'file' if len(files) == 1 else 'files'}")
    for part, file_name in files:
        out.gap("\n\n" if part is files[0][0] else "\n")
        out.write(" ".join(plain_text.clean(file_name).split()))
    out.end_page()
    pages = text_flow.number_pages(out.pages())
    yield Outline("zip", len(pages))
    yield from pages
    inside = attachments.Children()
    for part, file_name in files:
        yield from inside.take(file_name, partial(_extract, package, part, file_name, key), size=part.file_size)
    yield from inside.rest()


def _name(part: zipfile.ZipInfo) -> str:
    """Return the name as its maker meant it: archives made elsewhere write other letters without saying so."""
    if part.flag_bits & 0x800 or part.filename.isascii():
        return part.filename
    try:
        raw = part.filename.encode("cp437")
    except ValueError:
        return part.filename
    try:
        return raw.decode("utf-8")
    except ValueError:
        return part.filename


_STRONG = 99  # the way of packing that says: encrypted with AES


def _key(package: zipfile.ZipFile, files: list[zipfile.ZipInfo], name: str, password: str) -> bytes:
    """Return the bytes of the password, tried on the smallest protected file; b'' where none is there or needed."""
    encrypted_parts = [part for part in files if part.flag_bits & 1 and part.compress_type != _STRONG]
    if not encrypted_parts or (not password and len(encrypted_parts) < len(files)):
        return b""
    if password:
        smallest = min(encrypted_parts, key=lambda part: part.compress_size)
        for key in dict.fromkeys((password.encode(), password.encode("cp437", "ignore"))):
            try:
                with package.open(smallest, pwd=key) as stream:
                    stream.read(smallest.file_size + 1)
                return key
            except (*ARCHIVE_ERRORS, RuntimeError, ValueError):  # not this one
                continue
    raise PasswordNeeded(
        reason=f"{name} is protected by a password" + (", and the one given is wrong." if password else "."),
        remedy="Give its password, or unpack it and add the files that are in it.",
    )


def _extract(package: zipfile.ZipFile, part: zipfile.ZipInfo, name: str, key: bytes) -> bytes:
    if part.flag_bits & 1 and part.compress_type == _STRONG:
        raise UnreadableDocument(
            reason=f"{name} is protected by a password in a way (AES) that the program cannot open.",
            remedy="Unpack it with its password, and add the file.",
        )
    if part.flag_bits & 1 and not key:
        raise UnreadableDocument(
            reason=f"{name} is protected by a password.", remedy="Unpack it with its password, and add the file."
        )
    if (part.external_attr >> 28) == 0xA:  # what it points to may lie anywhere
        raise UnreadableDocument(reason=f"{name} is a link, not a file.", remedy="Add the file that it points to.")
    try:
        with package.open(part, pwd=key or None) as stream:
            data = stream.read(part.file_size + 1)
    except (*ARCHIVE_ERRORS, RuntimeError, ValueError, KeyError) as error:
        raise UnreadableDocument(
            reason=f"{name} is damaged, or packed in a way the program cannot handle.",
            remedy="Unpack the archive elsewhere, and add the file.",
        ) from error
    return data
