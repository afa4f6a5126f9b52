"""RTF documents: text, tables, notes and what is hidden. Objects and pictures are never opened.

Read here and not by a library, because only the control words tell hidden and deleted text from visible text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from core.domain import PageText
from core.engines.readers import plain_text, text_flow
from core.errors import UnreadableDocument
from core.ports import Outline

_MAX_BYTES = 200_000_000  # bytes
_DEPTH = 5_000  # groups inside groups
_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,40})(-?\d{1,30})?[ ]?"  # a control word and its number
    r"|\\'([0-9a-fA-F]{2})"  # a byte
    r"|\\(.)"  # a control symbol
    r"|([{}])"
    r"|[\r\n\0]+"
    r"|([^\\{}\r\n\0]+)",
    re.DOTALL,
)
_SKIP = {
    "stylesheet", "pict", "objdata", "themedata", "colorschememapping", "datastore", "latentstyles", "listtable",
    "listoverridetable", "revtbl", "rsidtbl", "generator", "filetbl", "xmlnstbl", "fldinst", "nonshppict", "bkmkstart",
    "bkmkend", "atnid", "atnref", "atndate", "atnparent", "atnicn", "annotationref", "mmathPr", "pgptbl", "panose",
    "falt", "fontemb", "template", "xe", "tc", "private", "blipuid", "sp", "objclass", "objname", "ftnsep", "ftnsepc",
    "aftnsep", "aftnsepc", "ftncn", "aftncn", "wgrffmtfilter", "userprops", "passwordhash", "background", "oldpprops",
    "factoidname", "upr", "keycode", "docvar",
}  # fmt: skip
_STAR_WORDS = {"shptxt", "shpinst", "shp", "ud", "atnauthor", "annotation", "listtext", "pntext", "objresult", "result"}
_ASIDE = {
    "footnote": "Footnote", "annotation": "Comment", "atnauthor": "author", "title": "title", "author": "author of",
    "creatim": "creatim", "info": "info", "fonttbl": "fonttbl", "colortbl": "colortbl",
}  # fmt: skip
_MARGINS = {"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"}
_SIGNS = {
    "emdash": "\u2014", "endash": "\u2013", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "bullet": "\u2022", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005",
    "zwj": "\u200d", "zwnj": "\u200c", "ltrmark": "\u200e", "rtlmark": "\u200f",
}  # fmt: skip
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    254: "cp437",
}  # fmt: skip
_PAGES = {10000: "mac_roman", 10007: "mac_cyrillic", 10029: "mac_latin2", 65001: "utf-8", 936: "gbk", 950: "big5"}


def read(data: bytes, name: str) -> Iterator[Outline | PageText]:
    """Read an RTF text: its outline, then its pages. Raises UnreadableDocument."""
    if len(data) > _MAX_BYTES:
        raise UnreadableDocument(
            reason=f"{name} is larger than {_MAX_BYTES // 1_000_000} MB, too large for a text.",
            remedy="Open it in an office program, leave out its pictures, save it as DOCX, and add that.",
        )
    source = data.decode("latin-1")
    document = _Document(name, _outline_levels(source))
    document.take(source)
    pages = text_flow.number_pages(document.pages())
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline(
        "rtf", len(pages), document.properties["title"], document.properties["author of"], file_date=document.date
    )
    yield from pages


_STYLE_SHEET = re.compile(r"\{\\stylesheet")
_STYLE = re.compile(r"\{\s*\\s(\d{1,5})(?![\d\w])((?:[^{}]|\{[^{}]*\})*)\}")


def _outline_levels(source: str) -> dict[int, int]:
    """Return which styles make a heading, and of which level, counted from 1."""
    start = _STYLE_SHEET.search(source[:5_000_000])
    levels: dict[int, int] = {}
    for style in _STYLE.finditer(source, start.end(), start.end() + 500_000) if start else ():
        level = re.search(r"\\outlinelevel(\d)(?!\d)", style.group(2))
        heading = re.search(r"[ \n]heading (\d);?\s*$", style.group(2), re.IGNORECASE)
        if level or heading:
            levels.setdefault(
                int(style.group(1)), int(level.group(1)) + 1 if level else int(heading.group(1)) if heading else 1
            )
    return levels


@dataclass(slots=True, frozen=True)
class _Look:
    """The look of the text of a group; what a closing brace brings back."""

    skip: bool = False
    into: str = ""  # '' for the body, else the place beside it that the text goes to
    is_hidden: bool = False
    is_deleted: bool = False
    tiny: bool = False
    ink: int = 0  # a number of the table of colours; 0: chosen by the program
    ground: int = 0  # 0: none
    is_highlight: bool = False  # whether the ground is a highlighter's, against which no program chooses the ink
    font: int = -1
    uc: int = 1  # characters after \u that say the same for old programs


@dataclass(slots=True)
class _Document:
    name: str
    levels: dict[int, int]  # of the styles that make a heading
    out: text_flow.Flow = field(default_factory=text_flow.Flow)
    properties: dict[str, str] = field(default_factory=lambda: {"title": "", "author of": ""})
    date: str = ""
    _look: _Look = _Look()
    _groups: list[_Look] = field(default_factory=list)
    _encoding: str = "cp1252"
    _fonts: dict[int, str] = field(default_factory=dict)
    _colours: list[tuple[int, ...]] = field(default_factory=list)  # red, green, blue; () for one that is not stated
    _colour: list[int] = field(default_factory=list)  # the one in hand
    _default_font: int = -1
    _bytes: bytearray = field(default_factory=bytearray)
    _units: list[int] = field(default_factory=list)  # UTF-16
    _asides: list[list[str]] = field(default_factory=list)  # the text of open notes
    _footers: dict[str, None] = field(default_factory=dict)
    _author: str = ""
    _skip: int = 0
    _star: bool = False
    _deletion: list[str] = field(default_factory=list)  # what a tracked change took out, up to here
    _level: int = 0  # of the heading in hand, 0: it is none
    _cells: bool = False  # whether the row in hand has a cell already

    def take(self, text: str) -> None:
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:  # a lone stroke at the end
                break
            at = token.end()
            word, number, byte, symbol, brace, run = token.groups()
            if word:
                if word == "bin":
                    at += max(0, int(number or 0))
                    continue
                self._word(word, int(number) if number is not None else None)
            elif byte:
                self._byte(int(byte, 16))
            elif symbol:
                self._symbol(symbol)
            elif brace == "{":
                self._flush()
                if len(self._groups) >= _DEPTH:
                    raise UnreadableDocument(
                        reason=f"{self.name} was not opened, because its groups are nested without end.",
                        remedy="Such a file is probably malicious. If you trust it, open it elsewhere and "
                        "save it as PDF.",
                    )
                self._groups.append(self._look)
                self._star, self._skip = False, 0
            elif brace:
                self._close()
                if not self._groups:
                    break  # the document ends with its outermost group
            elif run:
                self._run(run)
        self._flush()
        while self._groups:  # a file that was cut off
            self._close()

    def pages(self) -> list[PageText]:
        self._end_deletion()
        for footer in self._footers:
            self.out.aside(footer)
        if not self.out.empty or not self.out.has_text:
            self.out.end_page()
        return self.out.pages()

    def _close(self) -> None:
        self._flush()
        self._skip, self._star = 0, False
        if not self._groups:
            return
        before = self._groups.pop()
        if self._look.into and self._look.into != before.into:
            self._end_aside(self._look.into)
        self._look = before

    def _word(self, word: str, number: int | None) -> None:
        star, self._star = self._star, False
        if word == "u" and number is not None:
            self._flush_bytes()
            if not self._look.skip and not self._look.is_deleted:
                self._units.append(number & 0xFFFF)
            self._skip = self._look.uc
            return
        if self._skip:
            self._skip -= 1
            return
        self._flush()
        if word in _SKIP or (star and word not in _STAR_WORDS and word not in _ASIDE):
            self._look = replace(self._look, skip=True)
        elif word in _MARGINS or word in _ASIDE:
            self._begin_aside(word)
        elif word == "fonttbl" or self._look.skip:
            pass
        elif self._look.into == "creatim" and word in ("yr", "mo", "dy", "hr", "min"):
            self._asides[-1].append(f"{word}{number or 0} ")
        elif self._look.into == "colortbl" and word in ("red", "green", "blue"):
            self._colour.append(number or 0)
        elif self._look.into == "fonttbl" and word == "fcharset":
            self._fonts[self._look.font] = _CHARSETS.get(number or 0, "")
        else:
            self._format(word, number)

    def _format(self, word: str, number: int | None) -> None:
        look, on = self._look, number != 0
        match word:
            case "f":
                self._look = replace(look, font=number or 0)
            case "s" | "pard" | "outlinelevel" if look.into:
                pass  # a note is no part of the outline
            case "pard":
                self._level = 0
                self.out.end_heading()
            case "s":
                self._heading(self.levels.get(number or 0, 0))
            case "outlinelevel":
                self._heading((number or 0) + 1 if 0 <= (number or 0) < 9 else 0)
            case "plain":
                self._look = replace(
                    look,
                    is_hidden=False,
                    is_deleted=False,
                    tiny=False,
                    ink=0,
                    ground=0,
                    is_highlight=False,
                    font=self._default_font,
                )
            case "v":
                self._look = replace(look, is_hidden=on)
            case "deleted":
                self._look = replace(look, is_deleted=on)
            case "fs":
                self._look = replace(look, tiny=number is not None and number <= 2)  # half points
            case "cf":
                self._look = replace(look, ink=number or 0)
            case "cb" | "highlight" | "chcbpat" | "chshdng":
                self._look = replace(look, ground=number or 0, is_highlight=word == "highlight")
            case "uc":
                self._look = replace(look, uc=max(0, min(number if number is not None else 1, 10)))
            case "ansicpg" if number is not None:
                self._encoding = _PAGES.get(number, f"cp{number}")
            case "mac":
                self._encoding = "mac_roman"
            case "pc":
                self._encoding = "cp437"
            case "pca":
                self._encoding = "cp850"
            case "deff":
                self._default_font = number or 0
                self._look = replace(look, font=number or 0)
            case _ if word in _SIGNS:
                self._write(_SIGNS[word])
            case "tab":
                self._write("\t" if not look.into else " ")
            case "line" | "softline":
                self._write("\n")
            case _ if look.into:
                if word in ("par", "cell", "row", "sect", "page"):
                    self._write("\n")
            case "par" | "sect" | "page" | "pagebb" | "softpage" | "column":
                self._paragraph(word)
            case "cell" | "nestcell":
                self.out.next_cell()
                self._cells = True
            case "row" | "nestrow":
                self.out.end_row()
                self._cells = False
            case "trowd":
                if not self._cells:
                    self.out.gap("\n")

    def _heading(self, level: int) -> None:
        self._level = level
        if level and not self._cells:
            self.out.heading(level)
        else:
            self.out.end_heading()

    def _paragraph(self, word: str) -> None:
        if word in ("par", "sect", "page", "softpage"):
            self._heading(self._level)  # what follows has the format of this one until it is told otherwise
        if self._cells and word in ("par", "column"):
            self.out.gap(" ")
            return
        if word in ("page", "softpage") and self.out.has_text and not self.out.empty:
            self.out.end_page()
            return
        self.out.gap("\n\n")

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._star = True
            return
        if self._skip:
            self._skip -= 1
            return
        self._flush()
        match symbol:
            case "~":
                self._write("\xa0")
            case "_":
                self._write("-")
            case "-":
                self._write("\xad")
            case "\\" | "{" | "}":
                self._write(symbol)
            case "\r" | "\n":
                self._format("par", None)
            case "\t":
                self._format("tab", None)

    def _byte(self, byte: int) -> None:
        if self._skip:
            self._skip -= 1
        elif not self._look.skip:
            self._flush_units()
            self._bytes.append(byte)

    def _run(self, run: str) -> None:
        self._star = False
        if self._skip:
            count = min(self._skip, len(run))
            self._skip -= count
            run = run[count:]
        if not run or self._look.skip:
            return
        if self._look.into == "fonttbl":
            return
        if self._look.into == "colortbl":
            for _ in range(run.count(";")):
                self._colours.append(tuple(self._colour))
                self._colour = []
            return
        if run.isascii() and not self._bytes and not self._units:
            self._write(run)
            return
        self._flush_units()
        self._bytes += run.encode("latin-1")

    def _flush(self) -> None:
        self._flush_units()
        self._flush_bytes()

    def _flush_units(self) -> None:
        if self._units:
            data = b"".join(unit.to_bytes(2, "little") for unit in self._units)
            self._units = []
            self._write(data.decode("utf-16-le", "replace"))

    def _flush_bytes(self) -> None:
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            for encoding in (self._fonts.get(self._look.font, ""), self._encoding, "cp1252"):
                try:
                    text = data.decode(encoding) if encoding else ""
                except (LookupError, ValueError):
                    continue
                if text:
                    self._write(text)
                    return
            self._write(data.decode("cp1252", "replace"))

    def _unseen(self) -> str:
        """Return why the text in hand is not seen, '' where it is."""
        look = self._look
        if look.is_hidden:
            return "unseen"
        if look.tiny:
            return "tiny"
        ink, ground = (self._colours[n] if 0 < n < len(self._colours) else () for n in (look.ink, look.ground))
        black, white = max(ground, default=255) <= 5, min(ground, default=255) >= 250
        if black and (ink == ground or (not ink and look.is_highlight)):
            return "blacked out"
        if ink and (ink == ground or (white and min(ink) >= 250)):
            return "colour"
        return ""

    def _write(self, text: str) -> None:
        look = self._look
        if look.is_deleted and not look.skip and not look.into:
            self._deletion.append(text)
        if look.skip or look.is_deleted:
            return
        if self._deletion:
            self._end_deletion()
        if look.into:
            if self._asides:
                self._asides[-1].append(text)
        else:
            self.out.write(text, reason=self._unseen() if text.strip() else "")

    def _end_deletion(self) -> None:
        text = "".join(self._deletion).strip()
        self._deletion = []
        if re.search(r"\w", text):
            self.out.aside(f"Deleted: {text}", reason="unseen")

    def _begin_aside(self, word: str) -> None:
        if self._look.skip:
            return
        self._look = replace(self._look, into=_ASIDE.get(word, word), is_hidden=False)
        self._asides.append([])

    def _end_aside(self, into: str) -> None:
        text = plain_text.clean("".join(self._asides.pop())) if self._asides else ""
        line = " ".join(text.split())
        if into == "creatim":
            numbers = {key: int(digits) for key, digits in re.findall(r"([a-z]+)(\d{1,4})", text)}
            if {"yr", "mo", "dy"} <= set(numbers) and 1 <= numbers["mo"] <= 12 and 1 <= numbers["dy"] <= 31:
                self.date = f"{numbers['yr']:04}-{numbers['mo']:02}-{numbers['dy']:02}"
                if numbers.get("hr", 24) < 24 and numbers.get("min", 60) < 60:
                    self.date += f"T{numbers['hr']:02}:{numbers['min']:02}:00"
        elif into == "author":
            self._author = line
        elif into in self.properties:
            self.properties[into] = line[:1_000]
        elif into == "Comment":
            self.out.aside(
                f"Comment by {self._author}: {line}" if self._author and line else line and f"Comment: {line}"
            )
            self._author = ""
        elif into == "Footnote":
            self.out.aside(line and f"Footnote: {line}")
        elif into in _MARGINS and re.search(r"[^\W\d_]", line):  # a page number alone says nothing
            self._footers.setdefault(line)
