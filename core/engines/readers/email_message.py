"""Single e-mails (.eml, .emlx): headers a person reads, the body, and what is attached.

Each part of a message is text of the page, a file that is handed out, or a line of what was left out.
"""

from __future__ import annotations

import base64
import email
import email.errors
import email.policy
import email.utils
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.generator import BytesGenerator
from email.message import Message
from functools import lru_cache, partial
from typing import Any

from core import formats
from core.domain import UNSHOWN_HEADER, LeftOut, Section
from core.engines.readers import attachments as children
from core.engines.readers import (
    calendar_text,
    html,
    mail_bodies,
    mail_headers,
    mapi_mail,
    pictures,
    plain_text,
    signed_mail,
    text_flow,
)
from core.ports import Attachment

_MAX_DEPTH = 20  # messages inside messages
_MAX_NESTING = 200  # parts inside parts of one message
_PARTS = 2_000
_RAW = 8_000  # characters of a header as it is sent; the time to take one apart grows with their square
_NAMES = 300  # characters of the names of headers that are not shown
_WIDTH, _HEIGHT, _BYTES = 100, 50, 2_000  # of the smallest picture in a body that may hold words

header = mail_headers.value


@dataclass(frozen=True, slots=True)
class File:
    """A file attached to a mail, whose bytes are taken out when they are asked for, or why it cannot be."""

    name: str
    content: Callable[[], bytes] = bytes
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail as text, what it says about itself, what is attached to it, and what of it was left out."""

    body: text_flow.Piece
    subject: str = ""
    sender: str = ""
    date: str = ""
    files: tuple[File, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def text(self) -> str:
        """The text alone, without where its headings and hidden spans lie."""
        return self.body.text

    def attachments(self) -> Iterator[Attachment]:
        """Yield the files attached to the message and to those attached to it."""
        inside = children.Children()
        for file in self.files:
            if file.reason:
                yield Attachment(file.name, b"", file.reason, file.remedy)
            else:
                yield from inside.take(file.name, file.content)
        yield from inside.rest()


class _Policy(email.policy.EmailPolicy):
    """The usual reading of a message, with long headers cut and the bytes in headers decoded."""

    stated_charset = ""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Return the name and the value of a header, decoded and cut."""
        name, value = super().header_source_parse(sourcelines)
        if not value.isascii() or "\x1b" in value:
            value = plain_text.decode(value.encode("utf-8", "surrogateescape"), encoding=self.stated_charset)
        return name, value if len(value) <= _RAW else f"{value[:_RAW]} {_CUT}"

    def header_fetch_parse(self, name: str, value: str) -> Any:
        """Return a header taken apart."""
        return _parsed(name, value)


@lru_cache(maxsize=2_000)
def _parsed(name: str, value: str) -> Any:
    """Take a header apart; the parser asks for the same one many times."""
    return email.policy.default.header_fetch_parse(name, value)


_CUT = "(cut here)"
_IN_MAIL = html.Surroundings(has=lambda address: address[:4].lower() == "cid:")  # pictures that are parts of the mail
_POLICY = _Policy()
_EMLX = re.compile(rb"\s{0,20}(\d{1,10})[ \t]*\r?\n")


def looks_like(head: str) -> bool:
    """Return whether a text begins like an e-mail. A memo with 'From:' and 'To:' alone does not."""
    fields: set[str] = set()
    head = re.sub(r"\A\s{0,20}\d{1,10}[ \t]*\r?\n", "", head.removeprefix("\ufeff"))  # the length in an .emlx file
    strays = 0
    for line in head.lstrip("\n\r").splitlines()[:60]:
        if not line.strip():
            break
        if line[:1] in " \t":
            continue
        field_name = re.match(r"([A-Za-z][A-Za-z0-9-]{1,60})[ \t]*:", line)
        if field_name:
            fields.add(field_name.group(1).lower())
        elif not (line.startswith(("From ", ">From ")) and not fields):
            strays += 1
            if strays > 2 or len(fields) < 2:
                break
    return bool(fields & {"mime-version", "received", "message-id", "return-path", "x-mailer"}) and len(fields) >= 3


def read(data: bytes, where: str = "mail") -> Mail:
    """Read a message. Never raises for a malformed one: what can be read is read, the rest is named.

    ``where`` names the message in the lines of what was left out.
    """
    walk = _Walk()
    data, tail = _unwrapped(data, walk, where)
    message, strays = _parse(data)
    body = walk.message(message, strays, 0, where)
    if tail:
        body = text_flow.join((body, text_flow.Piece(tail)), "\n\n")
    files = (*walk.files, *walk.notices())
    left_out = tuple(LeftOut(what, count, place) for (what, place), count in walk.left_out.items())
    return Mail(body, header(message, "Subject"), header(message, "From"), date_of(message), files, left_out)


def _unwrapped(data: bytes, walk: _Walk, where: str) -> tuple[bytes, str]:
    """Extract the message of an Apple Mail file, between its length and a property list."""
    match = _EMLX.match(data)
    if match is None:
        return data, ""
    end = match.end() + int(match.group(1))
    tail = data[end:].strip()
    if tail and not tail.startswith((b"<?xml", b"<!DOCTYPE plist", b"<plist", b"bplist")):
        plist = data.rfind(b"<?xml", match.end())  # a length that is wrong
        if plist < 0 or b"<plist" not in data[plist:]:
            return data[match.end() : end], plain_text.clean(plain_text.decode(tail))
        end, tail = plist, data[plist:]
    if tail:
        walk.left_out["property list of Apple Mail", where] += 1
    return data[match.end() : end], ""


def _parse(data: bytes) -> tuple[Message, list[str]]:
    """Return a message, and the lines of its head that are no headers."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:200].count(0) > 20:
        data = plain_text.decode(data).encode("utf-8")
    data = data.lstrip(b"\r\n\xef\xbb\xbf")
    data, strays = mail_headers.mend(data[1:] if data.startswith(b">From ") else data)
    changes: dict[str, Any] = {"stated_charset": mail_headers.stated_charset(data)}
    policy = _POLICY.clone(**changes)
    return email.message_from_bytes(data, policy=policy), strays


@dataclass(slots=True)
class _Form:
    """What a part of a message amounts to: bodies with their kind, lines on what is attached, attached messages."""

    bodies: list[tuple[str, text_flow.Piece]] = field(default_factory=list)
    file_lines: list[str] = field(default_factory=list)
    messages: list[tuple[Message, list[str], str]] = field(default_factory=list)

    def add(self, form: _Form) -> None:
        self.bodies += form.bodies
        self.file_lines += form.file_lines
        self.messages += form.messages


_PLAIN, _RICH, _DATA = "plain", "rich", "data"
_SIGNATURES = {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
_MESSAGES = {"message/rfc822", "message/global", "message/news"}
_REPORTS = {
    "message/delivery-status", "message/global-delivery-status", "message/disposition-notification",
    "message/global-disposition-notification", "message/feedback-report", "message/delivery-report",
    "message/tracking-status",
}  # fmt: skip
_RTF = {"text/rtf", "application/rtf", "text/richtext+rtf"}
_ENCRYPTED = "Open it in the mail program with its key or certificate, save it decrypted as .eml or PDF, and add that."
_PACKED = re.compile(r"(?:[A-Za-z0-9+/=]*+[ \t]*+\r?\n)++")
_PACKED_LINE = re.compile(r"[A-Za-z0-9+/=]{40,}\r?\n")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}),? (\d\d:\d\d(?::\d\d)?)\b")
_MARKUP = re.compile(r"<(/?)[A-Za-z-]{1,40}>")


@dataclass(slots=True)
class _Walk:
    """A walk over all parts of a message: what it finds, and how many parts there were, in all depths."""

    files: list[File] = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    parts: int = 0
    deep: int = 0
    message_count: int = 0  # messages
    subject: str = ""  # of the current message

    def notices(self) -> Iterator[File]:
        """Yield why parts were not read: there are too many, or they lie too deep."""
        if self.parts > _PARTS:
            yield _unread("more parts", f"It has more than {_PARTS:,} parts; the rest were not read.")
        if self.deep:
            several = f"{self.deep} parts of it are nested" if self.deep > 1 else "A part of it is nested"
            yield _unread(
                "deeper messages",
                f"{several} more than {_MAX_DEPTH} messages or {_MAX_NESTING} parts deep in others, "
                "and no text was read there.",
            )

    def message(self, message: Message, strays: list[str], depth: int, where: str) -> text_flow.Piece:
        """Write headers, body and attachments, under the subject as their heading."""
        form = _Form()
        self.subject = header(message, "Subject")
        self.collect(message, form, 0, where, is_inline=False)
        unshown = mail_headers.unshown(message)
        if unshown:
            names = ", ".join(dict.fromkeys(plain_text.clean(name) for name in unshown))[:_NAMES]
            self.left_out[UNSHOWN_HEADER, f"{where}: {names}"] += len(unshown)
        envelope = message.get_unixfrom()
        head = mail_headers.lines(message) + ([plain_text.clean(envelope)] if envelope else []) + strays
        blocks = [head_piece("\n".join(head), header(message, "Subject"))]
        blocks += [body.strip().below(1) for _, body in form.bodies]
        if form.file_lines:
            listing = "Attachments:\n" + "\n".join(f"- {line}" for line in form.file_lines)
            blocks.append(text_flow.Piece(plain_text.clean(listing)))
        for inner, inner_strays, name in form.messages:
            if depth + 1 >= _MAX_DEPTH:
                self.deep += 1
                blocks.append(
                    text_flow.Piece(f"- a message attached more deeply than the program reads ({_MAX_DEPTH} deep)")
                )
                continue
            self.message_count += 1
            place = f"{where}, attached message {self.message_count}"
            body = self.message(inner, inner_strays, depth + 1, place).below(1)
            title = f"Attached message: {name}" if name else "Attached message:"
            blocks.append(text_flow.join((text_flow.Piece(title), body), "\n\n"))
        return text_flow.join(blocks, "\n\n")

    def collect(self, part: Message, form: _Form, nesting: int, where: str, *, is_inline: bool) -> None:
        """Add what a part amounts to. ``is_inline``: of a body that consists of several parts."""
        self.parts += 1
        if self.parts > _PARTS:
            if self.parts == _PARTS + 1:
                form.file_lines.append(f"more than {_PARTS} parts; the rest is left out")
            return
        kind = part.get_content_type()
        inner = _children(part)
        if kind in _MESSAGES or kind in _REPORTS or (kind.startswith("message/") and inner):
            self._embedded(part, kind, form, where)
        elif not inner:
            self._leaf(part, kind, form, nesting, where, is_inline=is_inline)
        elif nesting >= _MAX_NESTING:
            self.deep += 1
            form.file_lines.append(f"parts that lie more deeply than the program reads ({_MAX_NESTING} deep)")
        else:
            self._beside(part.preamble, form)
            is_inline = is_inline or kind == "multipart/related"
            if kind == "multipart/alternative":
                forms = []
                for child in inner:
                    forms.append(_Form())
                    self.collect(child, forms[-1], nesting + 1, where, is_inline=is_inline)
                _add_best(forms, form)
            else:
                for child in inner:
                    self.collect(child, form, nesting + 1, where, is_inline=is_inline)
            self._beside(part.epilogue, form)

    @staticmethod
    def _beside(text: str | None, form: _Form) -> None:
        """Add the text before or behind the parts, which mail programs do not show."""
        if text and has_own_words(text):
            raw = text.encode("utf-8", "surrogateescape")
            form.bodies.append((_DATA, text_flow.Piece(plain_text.clean(plain_text.decode(raw)))))

    def _embedded(self, part: Message, kind: str, form: _Form, where: str) -> None:
        """Add a message in a message, a report on its delivery, or where it is kept."""
        if kind == "message/external-body":
            self.left_out["part that is kept outside the mail", where] += 1
            about = [f"{key}={value}" for key, value in part.get_params(failobj=[])[1:]]
            form.file_lines.append(f"a part that is kept elsewhere: {', '.join(about)}"[:1_000])
        elif kind == "message/partial":
            self._fragment(part, form, where)
        elif kind in _REPORTS:
            form.bodies.append((_DATA, text_flow.Piece(_report(part))))
        elif kind in _MESSAGES:
            content = _unpack(part)
            name = _name(part)
            if content:
                form.messages.append((*_parse(content), name))
            elif inner := _children(part):
                form.messages += [(child, [], name) for child in inner]
            elif data := payload_of(part):
                form.messages.append((*_parse(data), name))
        else:
            self._file(part, kind, form, where, content=_source(part))

    def _fragment(self, part: Message, form: _Form, where: str) -> None:
        """Add what can be read of a message that was sent in pieces, and say which piece it is (RFC 2046, 5.2.2)."""
        number, total = _parameter(part, "number") or "?", _parameter(part, "total")
        title = f"piece {number}{f' of {total}' if total else ''} of a message that was sent in pieces"
        self.left_out["fragment of a message that was sent in pieces", where] += 1
        content = _source(part).lstrip(b"\r\n") or payload_of(part)
        if number == "1":
            form.messages.append((*_parse(content), title))
            return
        form.file_lines.append(title)
        text = plain_text.clean(plain_text.decode(content))
        if not _PACKED_LINE.match(text) or not _PACKED.fullmatch(f"{text.rstrip()}\n"):
            form.bodies.append((_DATA, text_flow.Piece(text)))

    def _leaf(self, part: Message, kind: str, form: _Form, nesting: int, where: str, *, is_inline: bool) -> None:
        name = _name(part)
        disposition = str(part.get("Content-Disposition", "")).strip().lower()
        is_away = disposition.startswith("attachment")
        data = payload_of(part)
        if kind.startswith("multipart/"):  # one whose parts cannot be told apart
            kind = "text/plain"
        if kind in _SIGNATURES:
            self.left_out["digital signature", where] += 1
        elif kind == "application/pgp-encrypted" and re.fullmatch(rb"\s*Version:\s*1\s*", data):
            pass  # says that the part behind it is encrypted
        elif kind == "application/applefile":
            self.left_out["resource fork of a Macintosh file", where] += 1
        elif kind == mapi_mail.NOT_TAKEN_OUT:
            name = name or "attachment"
            form.file_lines.append(f"{name} (not taken out)")
            reason = f"{name} is attached in a way the program cannot read, such as a message or a link."
            remedy = "Open the message in Outlook, save what is attached, and add it."
            self.files.append(File(name, reason=reason, remedy=remedy))
        elif not data.strip():
            if name or not kind.startswith("text/"):
                self.left_out["empty part", where] += 1
            if name:
                form.file_lines.append(f"{name} (0 bytes)")
        elif kind == "application/ms-tnef" or formats.by_start(data) == "tnef":
            self._outlook_parts(data, part, form, nesting, where)
        elif kind in ("application/pkcs7-mime", "application/x-pkcs7-mime") or name.lower().endswith(".p7m"):
            self._signed_parts(data, part, form, nesting, where)
        elif kind in ("text/rfc822-headers", "message/rfc822-headers"):
            headers = email.message_from_bytes(data, policy=_POLICY)
            form.bodies.append((_DATA, text_flow.Piece(_fields(headers))))
        elif (kind.startswith("text/") or kind in _RTF) and not is_away and (not name or _is_data(kind)):
            self._text(part, data, kind, form, where)
        elif kind.startswith("image/") and not is_away and (part.get("Content-ID") or is_inline):
            self._picture(name or f"picture{formats.TYPES.get(kind, '')}", data, form, where)
        else:
            self._file(part, kind, form, where)

    def _text(self, part: Message, data: bytes, kind: str, form: _Form, where: str) -> None:
        """Add a body, or data that is read as text."""
        charset = charset_of(part)
        if kind == "text/html":
            for name, content in mail_bodies.pictures_in(data.decode("latin-1")):
                self._picture(name, content, form, where)
            text = plain_text.decode(data, encoding=charset) if charset else ""
            self._page(html.parse(text, _IN_MAIL) if charset else html.read(data, _IN_MAIL), form, where)
            return
        if kind in _RTF:
            from core.engines.readers import rtf_body

            piece, left_out = rtf_body.read(data)
            form.bodies.append((_RICH, piece))
            for entry in left_out:
                self.left_out[entry.what, where] += entry.count
            return
        if _is_data(kind):
            text = plain_text.decode(calendar_text.unfold(data) if "calendar" in kind else data, encoding=charset)
            show = calendar_text.calendar if "calendar" in kind else calendar_text.contacts
            ledger: Counter[str] = Counter()
            form.bodies.append((_DATA, text_flow.Piece(show(text, ledger))))
            for item in calendar_text.left_out(ledger):
                self.left_out[item.what, item.where] += item.count
            for name, content in calendar_text.embedded_files(text):
                self._add_file(name, content, form)
            return
        text = plain_text.clean(plain_text.decode(data, encoding=charset))
        if _parameter(part, "format").lower() == "flowed":
            text = mail_bodies.unflow(text, delete_space=_parameter(part, "delsp").lower() == "yes")
        text, files = mail_bodies.without_files(text)
        for name, content in files:
            self._add_file(name, content, form)
        if "-----BEGIN PGP MESSAGE-----" in text:
            self.files.append(File("(encrypted text)", reason="Its text is encrypted (PGP).", remedy=_ENCRYPTED))
        if kind in ("text/enriched", "text/richtext"):
            text = _MARKUP.sub("", text.replace("<<", "\ufff9")).replace("\ufff9", "<")
        is_page = kind in ("text/x-amp-html", "text/watch-html", "application/xhtml+xml")
        if is_page:
            self._page(html.parse(text, _IN_MAIL), form, where)
        else:
            form.bodies.append((_PLAIN, text_flow.Piece(text)))

    def _page(self, page: html.WebPage, form: _Form, where: str) -> None:
        """Add a body that is a web page, and count what it holds besides its text and the parts of the mail."""
        form.bodies.append((_RICH, page.body))
        for entry in page.left_out:
            if entry.what != "picture beyond the number that is read":  # it is a part of the mail
                self.left_out[entry.what, where] += entry.count

    def _picture(self, name: str, data: bytes, form: _Form, where: str) -> None:
        """Hand out a picture of the body that may hold words; one that is too small, or only counts readers, is not."""
        width, height = pictures.size(data)
        if (width >= _WIDTH and height >= _HEIGHT) or (not width and len(data) >= _BYTES):
            self._add_file(name, data, form)
        else:
            self.left_out["picture too small to hold words", where] += 1

    def _outlook_parts(self, data: bytes, part: Message, form: _Form, nesting: int, where: str) -> None:
        """Add what Outlook packed into a file of its own (winmail.dat)."""
        from core.engines.readers import tnef

        content = tnef.as_mail(data)
        if content is None:
            self._file(part, "application/ms-tnef", form, where)
            return
        inner, _ = _parse(content)
        if (subject := header(inner, "Subject")) and subject != self.subject:
            form.bodies.append((_DATA, text_flow.Piece(f"Subject: {subject}")))
        self.collect(inner, form, nesting + 20, where, is_inline=True)

    def _signed_parts(self, data: bytes, part: Message, form: _Form, nesting: int, where: str) -> None:
        """Add what a signature encloses (S/MIME), or that it is encrypted."""
        content = signed_mail.content(data)
        if content is None:
            name = _name(part) or "smime.p7m"
            form.file_lines.append(f"{name} ({size_text(len(data))})")
            self.files.append(File(name, reason=f"{name} is encrypted (S/MIME).", remedy=_ENCRYPTED))
            return
        if not content.is_mail:  # a file of its own
            self._file(part, part.get_content_type(), form, where)
            return
        for item in content.left_out(where):
            self.left_out[item.what, item.where] += item.count
        inner, _ = _parse(content.data)
        self.collect(inner, form, nesting + 20, where, is_inline=True)

    def _file(self, part: Message, kind: str, form: _Form, where: str, content: bytes = b"") -> None:
        """Hand out a part as the file that it is."""
        name = _name(part)
        size = len(content or payload_of(part))
        if not size:
            self.left_out["empty part", where] += 1
            return
        form.file_lines.append(f"{name or kind} ({size_text(size)})")
        take = partial(bytes, content) if content else partial(payload_of, part)
        self.files.append(File(name or f"attachment{formats.TYPES.get(kind, '')}", take))

    def _add_file(self, name: str, content: bytes, form: _Form) -> None:
        name = " ".join(plain_text.clean(name).split())[:200]
        form.file_lines.append(f"{name} ({size_text(len(content))})")
        self.files.append(File(name, partial(bytes, content)))


def _add_best(forms: list[_Form], form: _Form) -> None:
    """Add several forms of one body: as few of them as say all, and whatever else lies in them."""
    bodies = [[piece for what, piece in alternative.bodies if what != _DATA] for alternative in forms]
    is_rich = [any(what == _RICH for what, _ in alternative.bodies) for alternative in forms]
    plain = [piece for pieces, rich in zip(bodies, is_rich, strict=True) if not rich for piece in pieces]
    rich = [piece for pieces, rich in zip(bodies, is_rich, strict=True) if rich for piece in pieces]
    form.bodies += [(_RICH if any(is_rich) else _PLAIN, piece) for piece in mail_bodies.merge(plain, rich)]
    for alternative in forms:
        form.add(replace(alternative, bodies=[body for body in alternative.bodies if body[0] == _DATA]))


def _is_data(kind: str) -> bool:
    return kind in ("text/calendar", "text/vcard", "text/x-vcard", "text/directory", "text/x-vcalendar")


def _unread(name: str, reason: str) -> File:
    remedy = "Open it in the mail program, save the innermost messages as .eml, and add those."
    return File(f"({name})", reason=reason, remedy=remedy)


def head_piece(head: str, subject: str) -> text_flow.Piece:
    """Return the headers of a message, with its subject as the heading of all that follows."""
    title = text_flow.heading_text(subject)
    return text_flow.Piece(head, (), (Section(1, title, 0),) if title and head else ())


def _children(part: Message) -> list[Message]:
    payload: Any = part.get_payload() if part.is_multipart() else []
    return [child for child in payload if isinstance(child, Message)]


def _source(part: Message) -> bytes:
    """Return the bytes of a part that was taken for messages."""
    blocks = []
    for child in _children(part):
        out = io.BytesIO()
        try:
            BytesGenerator(out, mangle_from_=False, policy=_POLICY.clone(refold_source="none")).flatten(child)
        except Exception:  # the generator raises what comes for malformed headers
            out.write(payload_of(child))
        blocks.append(out.getvalue())
    return b"\n".join(blocks)


def _unpack(part: Message) -> bytes:
    """Return the bytes of a message that was encoded for transport, b"" for any other."""
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    if encoding not in ("base64", "quoted-printable"):
        return b""
    source = _source(part).lstrip(b"\r\n")
    carrier = email.message.Message()
    carrier["Content-Transfer-Encoding"] = encoding
    carrier.set_payload(source.decode("ascii", "surrogateescape"))
    data: Any = carrier.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _report(part: Message) -> str:
    """Write a report on the delivery of a mail: its fields, block by block."""
    content = _unpack(part)
    if content:
        blocks = [email.message_from_bytes(block, policy=_POLICY) for block in re.split(rb"\r?\n\r?\n", content)]
    else:
        blocks = _children(part) or [email.message_from_bytes(payload_of(part), policy=_POLICY)]
    return "\n\n".join(text for block in blocks if (text := _fields(block)))


def _fields(block: Message) -> str:
    """Write all headers of a block, and the text behind them."""
    lines = [f"{key}: {mail_headers.decode_words(' '.join(str(value).split()))}" for key, value in block.raw_items()]
    text = plain_text.decode(payload_of(block)).strip()
    return plain_text.clean("\n".join([*lines, *(["", text] if text and lines else [text] if text else [])]))


def has_own_words(text: str) -> bool:
    """Return whether text before or behind the parts says more than that there are parts."""
    return bool(re.search(r"\w", text)) and not re.search(r"(?i)\bmime\b|multi-?part", text[:500])


def payload_of(part: Message) -> bytes:
    """Return the bytes of a part, as they were before they were packed for the way."""
    try:
        stated = str(part.get("Content-Transfer-Encoding", "")).strip()
        match = re.match(r"[\w-]+(?=[\s(;])", stated)
        if match:  # a remark behind it
            part.replace_header("Content-Transfer-Encoding", match.group())
        # Blanks that were added on the way are behind the mark of a line that goes on (RFC 2045, 6.7).
        source = getattr(part, "_payload", None)
        if isinstance(source, str) and stated.lower().startswith("quoted") and re.search(r"=[ \t]+\r?\n", source):
            part.set_payload(re.sub(r"=[ \t]+(\r?\n)", r"=\1", source))
        data: Any = part.get_payload(decode=True)
        if any(isinstance(defect, email.errors.InvalidBase64LengthDefect) for defect in part.defects):
            letters = re.sub(r"[^A-Za-z0-9+/]", "", str(source))  # cut off within a group of four
            data = base64.b64decode(letters[: len(letters) // 4 * 4])
        elif isinstance(source, str) and stated.lower().startswith("base64") and isinstance(data, bytes):
            data = _with_footer(part, source, data)
    except Exception:  # the decoders raise what they like for malformed input
        data = str(getattr(part, "_payload", "")).encode("utf-8", "surrogateescape")
    return data if isinstance(data, bytes) else b""


def _with_footer(part: Message, source: str, data: bytes) -> bytes:
    """Return a text that was packed, with the plain lines that a list or a gateway added behind it."""
    packed = _PACKED.match(source)
    footer = source[packed.end() :] if packed else ""
    if not footer.strip() or re.fullmatch(r"[A-Za-z0-9+/=\s]*", footer.split("\n", 1)[0]):
        return data
    if not part.get_content_type().startswith("text/") or charset_of(part).startswith(("utf-16", "utf-32")):
        return data
    content = base64.b64decode(source[: packed.end()] + "==") if packed else b""
    return content.rstrip() + b"\n\n" + footer.encode("utf-8", "surrogateescape")


def charset_of(part: Message) -> str:
    """Return the encoding that a part states, '' where it states none."""
    try:
        return part.get_content_charset() or ""
    except Exception:  # of a malformed header
        return ""


def _parameter(part: Message, name: str) -> str:
    try:
        return str(part.get_param(name, ""))
    except Exception:  # of a malformed header
        return ""


def _name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except Exception:
        name = ""
    return " ".join(plain_text.clean(mail_headers.decode_words(str(name))).split())[:200]


def date_of(message: Message) -> str:
    """Return the date as ISO 8601, or unchanged if it is none."""
    text = header(message, "Date")
    try:
        return email.utils.parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        pass
    dotted = _DOTTED.match(text)  # as Lotus Notes writes it: no country writes the month first with full stops
    day, month, year, clock = dotted.groups() if dotted else ("", "", "", "")
    try:
        return datetime.fromisoformat(f"{year}-{month:0>2}-{day:0>2}T{clock}" if dotted else text).isoformat()
    except ValueError:
        return text[:100]


def size_text(size: int) -> str:
    """Return a number of bytes as a person writes it."""
    return f"{size} bytes" if size < 1_000 else f"{size / 1_000:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
