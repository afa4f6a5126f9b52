"""ZIP archives: a page that lists what is in them, and the files themselves. Nothing is unpacked to a disk."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.domain import LeftOut, PageText
from core.engines.readers import attachments, charsets, chat, chat_discord, chat_slack, plain_text, text_flow
from core.engines.readers.ooxml_package import ARCHIVE_ERRORS, check_package
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Attachment, Outline

_TRIES = 64  # files that a password is tried on
_PROOF = 4  # bytes that it opens: fewer come out right by chance
_CAREFUL = "Such an archive is probably malicious. If you trust it, unpack it and add the files that are in it."


def read(data: bytes, name: str, password: str = "") -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read an archive: a page that lists its files, then the files; the conversations of a chat export as chats.

    Raises PasswordNeeded where every file is protected, or ``password`` is not theirs.
    """
    try:
        package = check_package(data, name, allow_encrypted=True, allow_doubles=True, careful=_CAREFUL)
    except UnreadableDocument as error:
        if error.hint == _CAREFUL:
            raise
        raise damage(name) from error
    entries = [(part, _name(part)) for part in package.infolist()]
    names = [entry_name for _, entry_name in entries]
    files = [entry for entry in entries if not entry[0].is_dir() and not is_litter(entry[1])]
    if not files:
        raise empty(name)
    lock = _lock(data, package, [part for part, _ in files], name, password)
    export = _chats(package, files, lock)
    if export is not None:
        yield from chat.read(export[0], name)
        files = [entry for entry in files if entry[1] not in export[1]]
    else:
        remarks = {file_name: _remark(part.comment) for part, file_name in files if part.comment}
        pages = listing([file_name for _, file_name in files], remarks, _remark(package.comment))
        yield Outline("zip", len(pages))
        yield from pages
    inside = attachments.Children()
    for part, file_name in files:
        yield from inside.take(file_name, partial(_extract, package, part, file_name, lock), size=part.file_size)
    yield from inside.rest()
    yield from left_out(names, [entry_name for part, entry_name in entries if part.is_dir()])


def is_litter(name: str) -> bool:
    """Return whether a file is a note that a Macintosh makes on another."""
    last = name.rsplit("/", 1)[-1]
    return last == ".DS_Store" or last.startswith("._") or name.startswith("__MACOSX/")


def left_out(names: Sequence[str], folders: Sequence[str], rest: bytes = b"") -> Iterator[LeftOut]:
    """Yield the lines for what is no file of an archive: empty folders, notes of a Macintosh, data behind its end.

    ``names`` are all that it lists, ``folders`` those that are folders.
    """
    holders = {above for name in names if (above := name.rstrip("/").rpartition("/")[0])}
    empty_folders = [folder for folder in folders if folder.rstrip("/") not in holders and not is_litter(folder)]
    if empty_folders:
        yield LeftOut("empty folder", len(empty_folders), ", ".join(sorted(empty_folders)[:20]))
    litter = sum(is_litter(name) for name in names if name not in folders)
    if litter:
        yield LeftOut("note of a Macintosh on a file", litter, "archive")
    if rest.strip(b"\0"):
        yield LeftOut("data behind the end of the archive", 1, "archive")


def _chats(
    package: zipfile.ZipFile, files: list[tuple[zipfile.ZipInfo, str]], lock: _Lock | None
) -> tuple[chat.Export, set[str]] | None:
    """Return the messages of a chat export and the names of the files that hold them, None for another archive."""
    names = [file_name for _, file_name in files]
    if len(set(names)) < len(names):
        return None
    contents = {
        file_name: (part.file_size, partial(_extract, package, part, file_name, lock)) for part, file_name in files
    }
    if chat_slack.looks_like(names):
        return chat_slack.read(contents)
    return chat_discord.read(contents) if chat_discord.looks_like(names) else None


def _remark(comment: bytes) -> str:
    return " ".join(plain_text.clean(plain_text.decode(comment)).split())


def listing(names: list[str], remarks: Mapping[str, str] | None = None, remark: str = "") -> list[PageText]:
    """Return the pages that list the files of an archive, with what is remarked on it and on files by their names."""
    out = text_flow.Flow()
    out.write(f"Archive with {len(names)} {'file' if len(names) == 1 else 'files'}")
    if remark:
        out.gap("\n\n")
        out.write(remark)
    for number, file_name in enumerate(names):
        out.gap("\n" if number else "\n\n")
        out.write(" ".join(plain_text.clean(file_name).split()))
        if remarks and remarks.get(file_name):
            out.write(f" ({remarks[file_name]})")
    out.end_page()
    return text_flow.number_pages(out.pages())


def damage(name: str) -> UnreadableDocument:
    """Make the error of an archive whose list of files is lost."""
    return UnreadableDocument(
        reason=f"{name} is damaged: the list of what is in it could not be found.",
        remedy="Fetch it again from its source, or unpack it elsewhere and add the files that are in it.",
    )


def empty(name: str) -> UnreadableDocument:
    """Make the error of an archive without files."""
    return UnreadableDocument(
        reason=f"{name} is an empty archive: there is no file in it.",
        remedy="Check that it was copied completely, and add it again when it has content.",
    )


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
        return charsets.file_name(raw)


@dataclass(frozen=True, slots=True)
class _Lock:
    """The password of an archive, and the library that can open what is encrypted with it, if anything is."""

    key: bytes
    package: Any  # pyzipper.AESZipFile


def _lock(
    data: bytes, package: zipfile.ZipFile, files: list[zipfile.ZipInfo], name: str, password: str
) -> _Lock | None:
    """Return the password, tried on the smallest protected files; None if none is given or needed."""
    import pyzipper

    encrypted_parts = [part for part in files if part.flag_bits & 1]
    if not encrypted_parts or (not password and len(encrypted_parts) < len(files)):
        return None
    if password:
        try:
            locked_package = pyzipper.AESZipFile(io.BytesIO(data))
        except Exception as error:  # of a list that the other library could read
            raise damage(name) from error
        for key in dict.fromkeys((password.encode(), password.encode("cp437", "ignore"))):
            lock = _Lock(key, locked_package)
            if _opens(package, encrypted_parts, lock):
                return lock
    raise PasswordNeeded(
        reason=f"{name} is protected by a password" + (", and the one given is wrong." if password else "."),
        remedy="Give its password, or unpack it and add the files that are in it.",
    )


def _opens(package: zipfile.ZipFile, parts: list[zipfile.ZipInfo], lock: _Lock) -> bool:
    """Return whether a password is theirs: a wrong one opens an empty part as often as one byte comes out right."""
    parts = [part for part in parts if part.file_size] or parts
    size = failures = 0
    for part in sorted(parts, key=lambda part: part.file_size)[:_TRIES]:  # the first may be damaged
        try:
            size += len(_content(package, part, lock))
        except (*ARCHIVE_ERRORS, *_ERRORS, NotImplementedError, StopIteration):
            failures += 1
        if size >= _PROOF:
            return True
    return not failures


_ERRORS = (RuntimeError, ValueError, KeyError, IndexError, struct.error)


def link(name: str, target: str) -> UnreadableDocument:
    """Make the error of an entry that only says where a file is."""
    to = " ".join(plain_text.clean(target).split())[:300]
    return UnreadableDocument(
        reason=f"{name} is a link{f' to {to}' if to else ''}, not a file.", remedy="Add the file that it points to."
    )


def _target(package: zipfile.ZipFile, part: zipfile.ZipInfo, lock: _Lock | None) -> str:
    try:
        return plain_text.decode(_content(package, part, lock)[:1_000]) if part.file_size < 10_000 else ""
    except (*ARCHIVE_ERRORS, *_ERRORS, NotImplementedError, StopIteration):
        return ""


def _content(package: zipfile.ZipFile, part: zipfile.ZipInfo, lock: _Lock | None) -> bytes:
    """Return the bytes of a part, at most one more than the archive says."""
    if lock is None or not part.flag_bits & 1:
        with package.open(part) as stream:
            return stream.read(part.file_size + 1)
    import pyzipper

    # The same part in the other library's list: by its place, for names may be doubled.
    same = next(entry for entry in lock.package.infolist() if entry.header_offset == part.header_offset)
    try:
        with lock.package.open(same, pwd=lock.key) as stream:
            return bytes(stream.read(part.file_size + 1))
    except pyzipper.BadZipFile as error:  # a type of its own
        raise zipfile.BadZipFile(str(error)) from error


def _extract(package: zipfile.ZipFile, part: zipfile.ZipInfo, name: str, lock: _Lock | None) -> bytes:
    if part.flag_bits & 1 and lock is None:
        raise UnreadableDocument(
            reason=f"{name} is protected by a password.", remedy="Unpack it with its password, and add the file."
        )
    if (part.external_attr >> 28) == 0xA:  # what it points to may lie anywhere
        raise link(name, _target(package, part, lock))
    if (part.external_attr >> 28) in (0x1, 0x2, 0x6, 0xC):
        raise UnreadableDocument(reason=f"{name} is a device, not a file.", remedy="Leave it out.")
    try:
        return _content(package, part, lock)
    except NotImplementedError as error:
        raise UnreadableDocument(
            reason=f"{name} is packed in a way (method {part.compress_type}) that the program cannot open.",
            remedy="Unpack the archive elsewhere, and add the file.",
        ) from error
    except (*ARCHIVE_ERRORS, *_ERRORS, StopIteration) as error:
        doubt = (
            "has another password than the others"
            if part.flag_bits & 1
            else "packed in a way the program cannot handle"
        )
        raise UnreadableDocument(
            reason=f"{name} is damaged, or {doubt}.", remedy="Unpack the archive elsewhere, and add the file."
        ) from error
