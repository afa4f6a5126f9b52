"""Reads any supported file: finds out what it is by its content, then asks the reader of that family.

Runs in a child process. Libraries are imported when the first file needs them, so that a refusal costs nothing.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from core import formats
from core.domain import Attribution, LeftOut, PageText
from core.engines.readers import language_id, ole_object, plain_text, text_flow, text_tables
from core.errors import UnreadableDocument
from core.installation import library_version
from core.ports import Attachment, MatrixFile, Outline, Picture

if TYPE_CHECKING:
    from core.engines.readers.chat import Export

_VERSION = 11  # raise when the same file would give other text than before

_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"BM", "bmp"),
)

# What other files are called, by how they begin, and into what their owner can turn them.
_AS_DOCUMENT = "Open it in an office program, save it as DOCX or PDF, and add that."
_AS_PDF = "Open it in the program that made it, print or export it as PDF, and add that."
_UNPACK = "Unpack it and add the files that are in it."
_TRANSCRIBE = "Transcribe it into a text file and add that."
_DECRYPT = "Decrypt it with the key that it was written for, save what comes out, and add that."
_PGP_HEADER = b"-----BEGIN PGP MESSAGE-----"
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x05\x06", "an empty archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"\x1f\x8b", "a gzip archive", _UNPACK),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ", "an XZ archive", _UNPACK),
    (b"MSCF\0", "a cabinet archive (CAB)", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", _UNPACK),
    (b"MZ", "a program", "Leave it out."),
    (b"\x7fELF", "a program", "Leave it out."),
    (b"SQLite format 3\0", "a database", "Export what you need from it as text and add that."),
    (b"ID3", "an audio file", _TRANSCRIBE),
    (b"\xff\xfb", "an audio file", _TRANSCRIBE),
    (b"OggS", "an audio file", _TRANSCRIBE),
    (b"fLaC", "an audio file", _TRANSCRIBE),
    (b"\xffWPC", "a WordPerfect document", _AS_DOCUMENT),
    (b"%!PS-", "a PostScript file", _AS_PDF),
    (b"%!PS\n", "a PostScript file", _AS_PDF),
    (b"%!PS\r", "a PostScript file", _AS_PDF),
    (b"AT&TFORM", "a DjVu document", _AS_PDF),
)
_WORD_OF_OLE: tuple[tuple[bytes, str, str], ...] = (
    ("PowerPoint Document".encode("utf-16-le"), "an old-format PowerPoint file (PPT)", _AS_PDF),
)  # fmt: skip
_HTML = re.compile(r"\s*(?>(?:<!--.*?-->|<\?xml[^>]*>)\s*)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_WORDS = re.compile(rb"[\t\n\r\f -~\x80-\xff]*")  # bytes of text: a format of other bytes begins differently
# A header without which no mail is told by its beginning: the readers of mail are loaded only where there is one.
_MAIL = ("mime-version", "received", "message-id", "return-path", "x-mailer")
_TEXT_NAMES = (".text", *(end for kind in ("text", "markdown", "csv") for end in formats.BY_KIND[kind].endings))
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x19\x1c-\x1f]")  # what no text holds
_EMPTY = "Check that it was copied completely, and add it again when it has content."


class FileReader:
    """The reader of all formats. See core.ports.Reader."""

    @property
    def fingerprint(self) -> str:
        """Version of this reader, and the libraries whose change gives other text."""
        libraries = (f"{name} {library_version(name)}" for name in ("pymupdf", "selectolax"))
        return f"disconfirm reader {_VERSION} {' '.join(libraries)}"

    def read(
        self, data: bytes, name: str, *, password: str = "", note_marks: bool = False
    ) -> Iterator[Outline | PageText | Attachment | LeftOut]:
        """Read a document of any format: its outline, its pages, the files in it. See core.ports.Reader."""
        for item in self._read(data, name, password, note_marks=note_marks):
            if isinstance(item, PageText):
                item = _in_its_language(item)
            if isinstance(item, Outline) and item.pages > plain_text.PAGES:
                raise UnreadableDocument(
                    reason=f"{name} has {item.pages:,} pages; {plain_text.PAGES:,} is the limit.",
                    remedy="Split it into several files and add those.",
                )
            yield item

    def _read(
        self, data: bytes, name: str, password: str, *, note_marks: bool = False
    ) -> Iterator[Outline | PageText | Attachment | LeftOut]:
        kind, detail = _kind(data, name)
        try:
            match kind:
                case "pdf" | "xps" | "image" | "epub":
                    from core.engines.readers import pdf

                    if kind == "epub":
                        from core.engines.readers import ooxml_package as package

                        package.check_package(data, name)
                        from core.engines.readers import epub

                        yield from pdf.read(
                            epub.prepare(data, name), name, detail or kind, password, note_marks=note_marks
                        )
                        yield from epub.rest(data, name)
                        return
                    yield from pdf.read(data, name, detail or kind, password, note_marks=note_marks)
                case "docx":
                    from core.engines.readers import docx

                    yield from docx.read(data, name, note_marks=note_marks, read_part=partial(self._read, password=""))
                case "locked":
                    from core.engines.readers import encrypted_office

                    yield from self._read(
                        encrypted_office.decrypt(data, name, password), name, "", note_marks=note_marks
                    )
                case "html":
                    from core.engines.readers import chat_html, html

                    export = chat_html.read(plain_text.decode(data)) if chat_html.looks_like(data[:200_000]) else None
                    if export is not None:
                        from core.engines.readers import chat

                        yield from chat.read(export, name)
                        return

                    page = html.read(data)
                    outline = Outline("html", 0, page.title, page.author, page.date, page.address, page.publisher)
                    yield from _flowing(outline, page.body, name)
                    yield from html.parts(page)
                case "email":
                    yield from _mail(data, name)
                case "signed":
                    from core.engines.readers import signed_mail

                    inner, inner_name = signed_mail.file_in(data, name)
                    yield from self._read(inner.data, inner_name, password, note_marks=note_marks)
                    yield from inner.left_out("whole file")
                case "tnef":
                    from core.engines.readers import tnef

                    yield from _mail(tnef.mail_in(data, name), name)
                case "xml":
                    from core.engines.readers import chat, chat_sms, flat_package, xml_text

                    backup = chat_sms.read(data) if chat_sms.looks_like(detail) else None
                    if backup is not None:
                        yield from chat.read(backup[0], name)
                        yield from backup[1]
                        return
                    packed = flat_package.pack(data) if flat_package.looks_like(detail) else None
                    if packed is not None:
                        yield from self._read(packed, name, "", note_marks=note_marks)
                        return
                    reading = xml_text.read(data)
                    yield from _flowing(Outline("xml", 0, reading.title), reading.body, name)
                    yield from xml_text.items(reading)
                case "calendar" | "contacts":
                    yield from _entries(data, name, kind)
                case "subtitles":
                    from core.engines.readers import subtitles

                    title, cues, left_out = subtitles.read(plain_text.read(data, name))
                    yield from _flowing(Outline("subtitles", 0, title), text_flow.Piece(cues), name)
                    yield from left_out
                case "text" | "chat":
                    yield from _text(data, name, detail)
                case _:
                    row = formats.BY_KIND[kind]
                    module, function = row.reader.split(".")
                    read = getattr(import_module(f"core.engines.readers.{module}"), function)
                    options = {"kind": kind, "password": password, "note_marks": note_marks}
                    yield from read(data, name, **{option: options[option] for option in row.takes})
        except MemoryError as error:
            raise _too_much(name) from error
        except RecursionError as error:
            raise UnreadableDocument(
                reason=f"{name} was not opened, because its parts are nested in each other too deeply.",
                remedy="Such a file is probably malicious. If you trust it, save it as plain text or PDF and add that.",
            ) from error

    def render(
        self,
        data: bytes,
        name: str,
        page: int,
        *,
        scale: float,
        password: str = "",
        clip: tuple[float, float, float, float] | None = None,
    ) -> Picture:
        """Draw a page, or the part ``clip`` of it in points.

        Raises UnreadableDocument for a format without page images.
        """
        kind, detail = _kind(data, name)
        if kind not in ("pdf", "xps", "epub", "image"):
            raise UnreadableDocument(reason="This format has no page image.", remedy="Read its text instead.")
        from core.engines.readers import epub, pdf

        if kind == "epub":
            data = epub.prepare(data, name)
        try:
            return pdf.render(data, name, detail or kind, page, scale, password=password, clip=clip)
        except MemoryError as error:
            raise UnreadableDocument(
                reason=f"Page {page} of {name} needs more memory to draw than one document is allowed.",
                remedy="Read its text instead, or open the original in another program.",
            ) from error

    def crop(
        self,
        data: bytes,
        name: str,
        page: int,
        boxes: Sequence[tuple[float, float, float, float]],
        *,
        scale: float,
        password: str = "",
    ) -> Picture:
        """Draw the part of a page around ``boxes``, a line around each. Raises what ``render`` raises."""
        kind, detail = _kind(data, name)
        if kind not in ("pdf", "xps", "epub", "image"):
            raise UnreadableDocument(reason="This format has no page image.", remedy="Read its text instead.")
        from core.engines.readers import epub, pdf

        if kind == "epub":
            data = epub.prepare(data, name)
        try:
            return pdf.render(data, name, detail or kind, page, scale, boxes, password)
        except MemoryError as error:
            raise UnreadableDocument(
                reason=f"Page {page} of {name} needs more memory to draw than one document is allowed.",
                remedy="Read its text instead, or open the original in another program.",
            ) from error

    def read_matrix(self, data: bytes, name: str, *, choose: str = "") -> MatrixFile:
        """Read a matrix that another program made. Raises BadInput, SeveralMatrices."""
        from core.engines.matrix_import import dispatch

        return dispatch.read(data, name, choose)


def _in_its_language(page: PageText) -> PageText:
    return page if page.language else replace(page, language=language_id.of(page.text))


def _too_much(name: str) -> UnreadableDocument:
    return UnreadableDocument(
        reason=f"{name} needs more memory than one document is allowed.",
        remedy="Split it into smaller files, or save it as plain text, and add those.",
    )


def _flowing(outline: Outline, body: text_flow.Piece, name: str) -> Iterator[Outline | PageText]:
    if not body.text.strip():
        raise UnreadableDocument(
            reason=f"{name} contains no text.",
            remedy="If it shows pictures of text, save or print it as PDF and add that.",
        )
    if plain_text.without_blanks(body.text):
        raise UnreadableDocument(
            reason=f"{name} has {plain_text.RUN:,} characters or more in a row without a space: it is data, not text.",
            remedy="Save the readable part as a separate text file, and add that.",
        )
    pages = body.pages()
    yield replace(outline, pages=len(pages))
    yield from pages


def _mail(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    from core.engines.readers import email_message

    mail = email_message.read(data)
    yield from _flowing(Outline("email", 0, mail.subject, mail.sender, mail.date), mail.body, name)
    yield from mail.left_out
    yield from mail.attachments()


def _text(data: bytes, name: str, form: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a text, and say where its encoding is in doubt and which bytes are no characters."""
    data, zeros = plain_text.without_zero_blocks(data) if name.lower().endswith(_TEXT_NAMES) else (data, 0)
    text = plain_text.read(data, name)
    doubt = plain_text.doubt(data) if "\ufffd" in text or not text.isascii() else ""
    for item in _text_of_kind(text, name, form):
        if doubt and isinstance(item, Outline):
            item = replace(item, attributions=(Attribution("encoding", f"read as {doubt}, the likeliest", "L"),))
        yield item
    bad = text.count("\ufffd")
    if bad:
        yield LeftOut("unreadable byte", bad, "marked � in the text")
    if zeros:
        yield LeftOut("zero byte", zeros, "blocks between the lines")
    codes = plain_text.terminal_codes(data)
    if codes:
        yield LeftOut("terminal code", codes, "whole file")


def _text_of_kind(text: str, name: str, form: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a text as a chat, a table, Markdown or lines."""
    from core.engines.readers import markdown

    export = _chat(text, form) if form else None
    if export is not None:
        from core.engines.readers import chat

        yield from chat.read(export, name)
        return
    if formats.is_named(name, "csv"):
        from core.engines.readers import separated_text, spreadsheet

        rows = separated_text.rows(text)
        if rows:
            yield from spreadsheet.read_rows(rows, name)
            return
    if formats.is_named(name, "markdown"):
        headings = markdown.sections(text)
        outline = Outline("markdown", 0, markdown.title(text, headings))
        yield from _flowing(outline, text_tables.lay_out(text_flow.Piece(text, (), headings)), name)
    else:
        yield from _flowing(Outline("text", 0), text_tables.lay_out(text_flow.Piece(text)), name)


def _chat(text: str, form: str) -> Export | None:
    """Return the messages of a chat, or None if the text is no chat after all."""
    if form == "text":
        from core.engines.readers import chat_text

        return chat_text.read(text)
    from core.engines.readers import chat_json

    return chat_json.read(text)


def _entries(data: bytes, name: str, kind: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a calendar or address cards, with the pictures in them."""
    from core.engines.readers import attachments, calendar_text

    text = plain_text.read(calendar_text.unfold(data), name)
    ledger: Counter[str] = Counter()
    body = calendar_text.calendar(text, ledger) if kind == "calendar" else calendar_text.contacts(text, ledger)
    yield from _flowing(Outline(kind, 0), text_flow.Piece(body), name)
    inside = attachments.Children()
    for file_name, content in calendar_text.embedded_files(text):
        yield from inside.take(file_name, partial(bytes, content))
    yield from inside.rest()
    yield from calendar_text.left_out(ledger)


def _kind(data: bytes, name: str) -> tuple[str, str]:
    """Return the kind of a file, and which image or chat it is or how its XML begins.

    Raises UnreadableDocument for everything else.
    """
    lower = name.lower()
    if not data:
        raise UnreadableDocument(reason=f"{name} is empty.", remedy=_EMPTY)
    if lower.endswith(".achz"):
        raise UnreadableDocument(
            reason=f"{name} is a matrix of the program PARC ACH, not a document.",
            remedy="Import it as a matrix: choose Import a matrix, or run disconfirm import CASE FILE.",
        )
    if lower.endswith(".p7m"):
        return "signed", ""
    # What a container holds may be at its very beginning.
    holds = data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"WARC/"))
    if formats.is_named(name, "pdf") or (not holds and _is_pdf(data)):
        return "pdf", ""
    if data.startswith(b"PK\x03\x04"):
        return _kind_of_zip(data, name), ""
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _kind_of_ole(data, name), ""
    kind = formats.by_start(data) or ("warc" if _is_warc(data) else "")
    if kind:
        return kind, ""
    from core.engines.readers import packed_files

    if packed_files.packing(data) or packed_files.is_tar(data):
        return "packed", ""
    if data[0x8001:0x8006] == b"CD001":
        raise _refusal(name, "an image of a disc (ISO)", _UNPACK)
    for magic, image in _IMAGES:
        if data.startswith(magic) and (image != "bmp" or data[6:10] == b"\0\0\0\0") and not _WORDS.fullmatch(data[:64]):
            return "image", image
    # The mail itself, and the label that RFC 3156 puts before it.
    if data[:100].lstrip().startswith(_PGP_HEADER) or lower.endswith("pgp-encrypted"):
        raise _refusal(name, "an encrypted message (PGP)", _DECRYPT)
    if data.startswith(b"!<arch>\n") and data[66:68] == b"`\n":
        raise _refusal(name, "an archive of the Unix program ar", _UNPACK)
    for magic, what, remedy in _FOREIGN:
        if data.startswith(magic) and not (magic.isalnum() and _WORDS.fullmatch(data[:64])):
            raise _refusal(name, what, remedy)
    return _kind_of_text(data, name)


def _is_pdf(data: bytes) -> bool:
    """Return whether a file is a PDF, and does not only speak of one."""
    offset = data[:1_024].find(b"%PDF-")
    return offset >= 0 and (not _is_text(data) or re.search(rb"\d\s+obj\b|\bstartxref\b|\btrailer\b", data) is not None)


def _kind_of_ole(data: bytes, name: str) -> str:
    def has_stream(what: str) -> bool:
        return what.encode("utf-16-le") in data

    if has_stream("__substg1.0_"):
        return "msg"
    if has_stream("EncryptedPackage"):
        return "locked"
    if re.search("WordDocument".encode("utf-16-le"), data, re.IGNORECASE) and (
        not has_stream("PowerPoint Document") or ole_object.is_word(data, name)
    ):
        return "doc"
    if (
        not has_stream("WordDocument")
        and not has_stream("PowerPoint Document")
        and (has_stream("Workbook") or has_stream("Book\0"))
    ):
        return "xls"
    raise _refusal_by_mark(name, data, _WORD_OF_OLE, "an old-format office file", _AS_DOCUMENT)


def _is_warc(data: bytes) -> bool:
    if data.startswith(b"WARC/"):
        return re.match(rb"WARC/\d+\.\d+[ \t]*\r?\n", data) is not None
    if not data.startswith(b"\x1f\x8b"):
        return False
    try:
        return zlib.decompressobj(31).decompress(data[:4_000], 5) == b"WARC/"
    except zlib.error:
        return False


_OFFICE: tuple[tuple[str, str], ...] = (
    ("word/document", "docx"),
    ("xl/workbook.bin", "xlsb"),
    ("xl/workbook", "xlsx"),
    ("ppt/presentation", "pptx"),
)


def _kind_of_zip(data: bytes, name: str) -> str:
    """Return the kind by the names of the parts.

    By the ending, or by any trace of a name, where the list of them is lost.
    """
    parts, mimetype = _part_names(data)
    if formats.is_named(name, "docx") or (not parts and b"word/document" in data):
        return "docx"
    if formats.is_named(name, "xps") or any(part.endswith(".fdseq") for part in parts):
        return "xps"
    if not parts and b".fdseq" in data:
        return "xps"
    if kind := formats.by_type(mimetype.decode("latin-1")):
        return kind
    if b"opendocument" in mimetype:
        raise _refusal(name, "an OpenDocument file of a type without text", _AS_PDF)
    for start, kind in _OFFICE:
        if any(part.startswith(start) for part in parts):
            return kind
    return formats.by_name(name, "package") or "zip"


def _part_names(data: bytes) -> tuple[list[str], bytes]:
    """Return the names of an archive's parts and its stated type; nothing for a damaged archive or a bomb."""
    if data.count(b"PK\x01\x02") > 20_000:
        return [], b""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if "mimetype" not in names or archive.getinfo("mimetype").file_size > 200:
                return names, b""
            return names, archive.read("mimetype").strip()
    except Exception:  # whatever a damaged list raises, its reader says it better
        return [], b""


def _kind_of_text(data: bytes, name: str) -> tuple[str, str]:
    lower = name.lower()
    if formats.is_named(name, "html"):
        return "html", ""
    if formats.is_named(name, "email"):
        from core.engines.readers import mailbox

        return ("mbox" if mailbox.looks_like(data) and len(mailbox.messages(data)) > 1 else "email"), ""
    if lower.endswith(_TEXT_NAMES):
        data, _ = plain_text.without_zero_blocks(data)
    if not _is_text(data):
        raise _unknown_file(data, name)
    head = plain_text.decode(data[:8_000]) if len(data) > 8_000 else plain_text.decode(data)
    if head.count("\ufffd") > len(head) // 4 + 2 and not lower.endswith((".txt", ".md")):
        raise _unknown_file(data, name)
    if _HTML.match(head.removeprefix("\ufeff")):
        return "html", ""
    if formats.is_named(name, "mhtml"):
        return "mhtml", ""
    if head.lstrip().startswith("{\\rtf"):
        return "rtf", ""
    if formats.is_named(name, "rtf"):
        raise _refusal(name, "not an RTF document, despite its name", _AS_DOCUMENT)
    from core.engines.readers import chat_text, gpx, subtitles, xml_text

    if gpx.looks_like(head):
        return "gpx", ""
    if xml_text.looks_like(head, name):
        return "xml", head
    entry = re.match(r"[\ufeff\s]*BEGIN:(VCALENDAR|VCARD)[ \t]*(?:[\r\n]|$)", head, re.IGNORECASE)
    if entry:
        return ("calendar" if entry.group(1).upper() == "VCALENDAR" else "contacts"), ""
    if subtitles.looks_like(head):
        return "subtitles", ""
    if chat_text.looks_like(head):
        return "chat", "text"
    if head.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        from core.engines.readers import chat_json

        if chat_json.looks_like(head):
            return "chat", "json"
    kind = formats.by_name(name, "named")
    if kind:
        return kind, ""
    if data.lstrip(b"\xef\xbb\xbf\r\n").startswith(b"From "):
        from core.engines.readers import mailbox

        if mailbox.looks_like(data):
            return "mbox", ""
    beginning = head.lower()
    if any(field in beginning for field in _MAIL):
        from core.engines.readers import email_message

        return ("email", "") if email_message.looks_like(head) else ("text", "")
    return "text", ""


def _is_text(data: bytes) -> bool:
    """Return whether the beginning could be text: hardly a control byte, unless it is UTF-16 or UTF-32."""
    head = data[:8_000]
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or plain_text.decode(head[:4_000]).isprintable():
        return True
    text = plain_text.decode(head)
    odd = len(_CONTROL.findall(text))
    return odd <= max(2, len(text) // 50) and text.count("\0") <= max(20, len(text) // 10)


def _refusal(name: str, what: str, remedy: str) -> UnreadableDocument:
    return UnreadableDocument(reason=f"{name} is {what}, which Disconfirm cannot read.", remedy=remedy)


def _refusal_by_mark(
    name: str, data: bytes, table: tuple[tuple[bytes, str, str], ...], otherwise: str, remedy: str
) -> UnreadableDocument:
    for mark, what, its_remedy in table:
        if mark in data:
            return _refusal(name, what, its_remedy)
    return _refusal(name, otherwise, remedy)


def _unknown_file(data: bytes, name: str) -> UnreadableDocument:
    """Make a refusal that says what the file is, as far as its first bytes tell."""
    if name.lower().endswith(_TEXT_NAMES):
        return UnreadableDocument(
            reason=f"{name} is not plain text: it contains zero bytes, or others that are not characters.",
            remedy="Open it in the program that made it, save it as plain text, and add that.",
        )
    what = "a file of unknown type"
    try:
        import puremagic

        guesses = puremagic.magic_string(data[:100_000], name)
        if guesses and guesses[0].name:
            what = f"a file of the type “{guesses[0].name[:60]}”"
    except Exception:  # the list of types is a courtesy; any failure leaves the type unknown
        pass
    return _refusal(name, what, "Convert it to PDF, DOCX or text and add that.")
