"""E-books: chapters made ready for the library that draws them, and an account of what else a book holds.

The library puts raised figures beside the number before them, the reading of a word behind it as if it were part of
it, and writes an error where a chapter is missing. All are put right in a copy of the book before it reads it, so that
text, word boxes and pictures stay one.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import unquote

from core.domain import LeftOut
from core.engines.readers import attachments, html, pictures, plain_text, raised
from core.engines.readers import ooxml_package as package
from core.errors import UnreadableDocument
from core.ports import Attachment

_CHAPTERS = 5_000  # of one book
_CHAPTER = 20_000_000  # bytes of one chapter that is searched for raised figures
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_EMPTY = b'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>\xc2\xa0</p></body></html>'
_FRACTION = re.compile(r"(\d?)<sup\b[^>]*>\s*(\d{1,4})\s*</sup>\s*[/\u2044\u2215]\s*<sub\b[^>]*>\s*(\d{1,4})\s*</sub>")
_SHIFTED = re.compile(r"<(sup|sub)\b([^>]*)>((?:(?!<su[pb]\b).){0,500}?)</\1>", re.DOTALL)
# A rule of a style sheet that sets text above or below the line by moving it, as LibreOffice writes it.
_RULE = re.compile(r"\{[^{}]{0,2000}\}")
_MOVED = re.compile(r"(?<![\w-])position\s*:\s*relative\b")
_UP_OR_DOWN = re.compile(r"(?<![\w-])top\s*:\s*(-?)0?\.\d+em\b")
_RUBY = re.compile(r"<ruby\b(?:(?!</ruby>|<rp\b).){0,2000}</ruby>", re.DOTALL)
_READING = re.compile(r"(<rt\b[^>]*>)(.*?)(</rt>)", re.DOTALL)
_TEXT = re.compile(r"(?:^|(?<=>))[^<>&]+")
_MEDIA = {"audio": "sound", "video": "video", "font": "", "image": "picture"}
# Parts of the format itself, which hold no text of the book.
_PLUMBING = ("application/x-dtbncx+xml", "text/css", "application/vnd.ms-opentype", "application/font-sfnt")


@dataclass(slots=True)
class _Book:
    """The parts of a book: what it lists, in the order in which it is read."""

    items: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # by id: name of the part, type, properties
    order: list[str] = field(default_factory=list)  # names of parts
    plumbing: set[str] = field(default_factory=set)
    properties: list[str] = field(default_factory=list)  # names of what it says about itself and no page shows


def _root_of(parts: zipfile.ZipFile, part: str, name: str) -> Any:
    """Return the root of an XML part, or None if it is missing or damaged: the library reports that better."""
    try:
        return package.xml_part(parts, part, name)
    except SyntaxError:  # the parser's own, for whatever is not well-formed
        return None


def _book(parts: zipfile.ZipFile, name: str) -> _Book:
    book = _Book(plumbing={"mimetype"})
    container = _root_of(parts, "META-INF/container.xml", name)
    roots = [] if container is None else [node for node in container.iter() if package.local(node) == "rootfile"]
    for root in roots[:5]:
        path = package.value(root, "full-path")
        contents = _root_of(parts, path, name) if path else None
        if contents is None:
            continue
        book.plumbing.add(path)
        folder = posixpath.dirname(path)
        for element in contents.iter():
            match package.local(element):
                case (
                    "description" | "subject" | "publisher" | "contributor" | "rights" | "source" | "relation" | "date"
                ):
                    book.properties += [package.local(element)] * bool("".join(element.itertext()).strip())
                case "item":
                    part = posixpath.normpath(posixpath.join(folder, unquote(package.value(element, "href") or "")))
                    kind = (package.value(element, "media-type") or "").lower()
                    properties = package.value(element, "properties") or ""
                    book.items[package.value(element, "id") or part] = (part, kind, properties)
                case "itemref" if len(book.order) < _CHAPTERS:
                    item = book.items.get(package.value(element, "idref") or "")
                    if item:
                        book.order.append(item[0])
        break
    return book


_last: list[tuple[bytes, bytes]] = []  # the last book and its copy: pages are drawn one after another


def prepare(data: bytes, name: str) -> bytes:
    """Return the book with raised figures as characters and a blank page for each missing chapter."""
    if not (_last and _last[0][0] is data):
        _last[:] = [(data, _copy(data, name))]
    return _last[0][1]


def _copy(data: bytes, name: str) -> bytes:
    try:
        parts = zipfile.ZipFile(io.BytesIO(data))
        book = _book(parts, name)
        present = set(parts.namelist())
        changes = {part: _EMPTY for part in book.order if part not in present}
        for part in dict.fromkeys(book.order):
            if part in present and parts.getinfo(part).file_size <= _CHAPTER:
                chapter = parts.read(part)
                text = _with_readings(_with_shifted_figures(chapter))
                if text != chapter:
                    changes[part] = text
        for part, media, _ in book.items.values():
            if media == "text/css" and part in present and parts.getinfo(part).file_size <= _CHAPTER:
                sheet = parts.read(part)
                rules = _RULE.sub(_aligned, sheet.decode("latin-1")).encode("latin-1")
                if rules != sheet:
                    changes[part] = rules
        if not changes:
            return data
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
            for entry in dict.fromkeys([*parts.namelist(), *changes]):
                content = changes[entry] if entry in changes else parts.read(entry)
                kind = zipfile.ZIP_STORED if entry == "mimetype" else zipfile.ZIP_DEFLATED
                copy.writestr(zipfile.ZipInfo(entry), content, kind)
        return file.getvalue()
    except (UnreadableDocument, zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError, KeyError):
        return data  # the library says what is wrong with it


def _with_shifted_figures(chapter: bytes) -> bytes:
    if b"<sup" not in chapter and b"<sub" not in chapter:
        return chapter
    try:
        text = chapter.decode("utf-8")
    except UnicodeDecodeError:
        return chapter
    text = _FRACTION.sub(lambda match: match[1] + raised.fraction(match[2], match[3], preceding=match[1]), text)
    return _SHIFTED.sub(_shift, text).encode("utf-8")


def _with_readings(chapter: bytes) -> bytes:
    """Return a chapter with the reading of a word in brackets, where the book itself puts none."""
    if b"<rt" not in chapter:
        return chapter
    text = chapter.decode("latin-1")
    return _RUBY.sub(lambda ruby: _READING.sub(r"\1(\2)\3", ruby[0]), text).encode("latin-1")


def _aligned(rule: re.Match[str]) -> str:
    """Return a rule of a style sheet that raises or lowers text in the words that the library knows."""
    moved = _UP_OR_DOWN.search(rule[0]) if _MOVED.search(rule[0]) else None
    if moved is None:
        return rule[0]
    return f"{rule[0][:-1]}; vertical-align: {'super' if moved[1] else 'sub'}}}"


def _shift(match: re.Match[str]) -> str:
    tag, attributes, contents = match.groups()
    if contents.lstrip().startswith("["):
        return match[0]
    turn = raised.raised if tag == "sup" else raised.lowered
    text = _TEXT.sub(lambda run: turn(run[0]), contents)
    return match[0] if text == contents else f"<span{attributes}>{text}</span>"


def rest(data: bytes, name: str) -> Iterator[Attachment | LeftOut]:
    """Yield the pages of a book outside its reading order, and a line for each kind of part that is on no page."""
    ledger: Counter[tuple[str, str]] = Counter()
    inside = attachments.Children()
    try:
        parts = zipfile.ZipFile(io.BytesIO(data))
        book = _book(parts, name)
        present = set(parts.namelist())
    except (UnreadableDocument, zipfile.BadZipFile, ValueError, OSError):
        return
    for part in book.order:
        if part not in present:
            ledger["missing chapter", f"{part} (chapter {book.order.index(part) + 1})"] += 1
        else:
            for what, where, count in _unseen(parts, part):
                ledger[what, where] += count
    for what in book.properties:
        ledger[f"property of the file ({what})", "the book"] += 1
    members = set(book.order) | book.plumbing
    for part, kind, properties in book.items.values():
        if part in members:
            continue
        members.add(part)
        if part not in present:
            ledger["missing part", part] += kind not in _PLUMBING
        elif kind in _PAGES and "nav" in properties.split():
            ledger["table of contents", part] += 1
        elif kind in _PAGES:
            yield from inside.take(part, partial(parts.read, part), size=parts.getinfo(part).file_size)
        elif what := _kind(kind, parts, part):
            ledger[what, posixpath.dirname(part) or "the book"] += 1
    for part in parts.namelist():
        if part not in members and not part.startswith("META-INF/") and not part.endswith("/"):
            ledger["part that the book does not list", posixpath.dirname(part) or "the book"] += 1
    yield from inside.rest()
    yield from (LeftOut(what, count, where) for (what, where), count in ledger.items() if count)


def _kind(kind: str, parts: zipfile.ZipFile, part: str) -> str:
    """Return the name in the ledger of a part that is no page, '' for one without text."""
    family = kind.partition("/")[0]
    if kind in _PLUMBING or "font" in kind or "opentype" in kind:
        return ""
    if family == "image" and kind != "image/svg+xml":
        with parts.open(part) as file:
            data = file.read(1_000_000)
        return "small picture" if pictures.ending(data) and not pictures.worth_reading(data) else "picture"
    if family in _MEDIA:
        return _MEDIA[family]
    return "script" if "javascript" in kind else f"part of type {kind[:80] or 'unknown'}"


def _unseen(parts: zipfile.ZipFile, part: str) -> Iterator[tuple[str, str, int]]:
    """Yield what a chapter holds that is not drawn: hidden passages, scripts and the like, with its place."""
    if parts.getinfo(part).file_size > _CHAPTER:
        return
    folder = posixpath.dirname(part)

    def sheet(address: str) -> str | None:
        target = posixpath.normpath(posixpath.join(folder, unquote(address)))
        try:
            return plain_text.decode(parts.read(target)) if parts.getinfo(target).file_size < _CHAPTER else None
        except (KeyError, zipfile.BadZipFile, OSError):
            return None

    try:
        page: Any = html.read(parts.read(part), html.Surroundings(sheet=sheet, has=lambda _: True))
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError):
        return
    yield "hidden passage", part, len(page.body.hidden_spans)
    yield "struck passage that is not marked", part, len(page.body.struck_spans)
    yield "picture", part, len(page.pictures)
    yield "description of a picture", "chapters", page.text.count("[picture: ")
    for item in page.left_out:
        yield item.what, "chapters", item.count
