"""RTF documents: text, tables, notes, what is hidden and struck; pictures and embedded files are handed out.

Read here and not by a library, because only the control words tell hidden and deleted text from visible text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from core.domain import LeftOut, PageText
from core.engines.readers import (
    attachments,
    docx_ledger,
    ole_object,
    package_parts,
    pictures,
    symbol_fonts,
    table_text,
    text_flow,
    word_fields,
)
from core.engines.readers.raised import lowered, raised
from core.errors import UnreadableDocument
from core.ports import Attachment, Outline

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
# Groups without words for a reader: tables of styles and lists, ways of drawing, what says the text once more.
_SKIP = {
    "stylesheet", "themedata", "colorschememapping", "latentstyles", "listtable", "listoverridetable",
    "rsidtbl", "generator", "filetbl", "xmlnstbl", "nonshppict", "bkmkend", "atnid", "atnref", "atndate",
    "atnparent", "atnicn", "annotationref", "mmathPr", "pgptbl", "panose", "falt", "fontemb", "template", "blipuid",
    "objclass", "objname", "wgrffmtfilter", "passwordhash", "oldpprops", "oldcprops", "oldtprops", "oldsprops",
    "factoidname", "keycode", "listname", "leveltext", "levelnumbers", "pntxtb", "pntxta", "pnseclvl", "pn",
    "picprop", "shprslt", "nonesttables", "nesttableprops", "defchp", "defpap", "listpicture", "liststylename",
    "revtim", "printim", "buptim", "atrfstart", "atrfend", "mvfmf", "mvfml", "writereservhash", "htmltag",
    "mhtmltag", "ffformat", "ffentrymcr", "ffexitmcr", "objsect", "objtime", "flymaincnt", "gridtbl", "mmathPict",
    "mmaddfieldname", "rsid", "lsdlockedexcept",
}  # fmt: skip
# Groups whose words are in no text here: what they are.
_LEFT_OUT = {
    "xe": "index entry", "tc": "entry of a table of contents", "tcn": "entry of a table of contents",
    "docvar": "document variable", "userprops": "property of the file", "background": "page background",
    "datastore": "data part", "subject": "property of the file (subject)", "manager": "property of the file (manager)",
    "company": "property of the file (company)", "operator": "property of the file (operator)",
    "category": "property of the file (category)", "keywords": "property of the file (keywords)",
    "comment": "property of the file (remarks)", "doccomm": "property of the file (remarks)",
    "bkmkstart": "bookmark name", "ffname": "name of a form field", "ffhelptext": "help text of a form field",
    "ffstattext": "help text of a form field", "protusertbl": "name of a user", "userprotbl": "name of a user",
    "hlinkbase": "link address", "nextfile": "link address", "objalias": "link address", "datafield": "data part",
    "private": "data part", **dict.fromkeys(("ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "ftncn", "aftncn"),
                                            "line above notes"),
    "vern": "", "version": "", "id": "",
}  # fmt: skip
_STAR_WORDS = {
    "shptxt", "shpinst", "shp", "ud", "atnauthor", "annotation", "listtext", "pntext", "objresult", "result", "do",
    "shppict", "sp", "sv", "sn", "fldinst", "formfield", "ffl", "ffdeftext", "objdata", "pict", "dptxbxtext",
}  # fmt: skip
_MATH = re.compile(
    r"m(?:oMath(?:Para)?|math|acc|bar|box|borderBox|d|e|eqArr|f|func|fName|groupChr|lim|limLow|limUpp|m|mr|nary|num|den"
    r"|phant|r|rad|deg|sPre|sSub|sSubSup|sSup|sub|sup)"
)
_ASIDE = {
    "footnote": "Footnote", "annotation": "Comment", "atnauthor": "author", "title": "title", "author": "author of",
    "creatim": "creatim", "info": "info", "fonttbl": "fonttbl", "colortbl": "colortbl", "fldinst": "fldinst",
    "ffl": "ffl", "ffdeftext": "ffdeftext", "sn": "sn", "sv": "sv", "pict": "pict", "objdata": "objdata",
    "revtbl": "revtbl",
}  # fmt: skip
_OWN_BOOKMARK = re.compile(r"_\w+")  # what Word makes for its own use
_SHAPE_WORDS = {"wzDescription": "[picture: {}]", "gtextUNICODE": "{}"}
_VECTOR = {"emfblip": "vector picture (EMF)", "wmetafile": "vector picture (WMF)", "macpict": "vector picture (PICT)",
           "dibitmap": "bitmap", "wbitmap": "bitmap"}  # fmt: skip
_SHIFT = 6  # half points up or down, from which figures count as raised or lowered
_CELL = 2_000  # characters of a cell, from which a table is one that only places text
_MARGINS = {"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"}
_SIGNS = {
    "emdash": "\u2014", "endash": "\u2013", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "bullet": "\u2022", "emspace": "\u2003", "enspace": "\u2002", "qmspace": "\u2005",
    "zwj": "\u200d", "zwnj": "\u200c", "ltrmark": "\u200e", "rtlmark": "\u200f",
}  # fmt: skip
_CHARSETS = {
    0: "cp1252", 2: "symbol",
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    254: "cp437",
}  # fmt: skip
_PAGES = {10000: "mac_roman", 10007: "mac_cyrillic", 10029: "mac_latin2", 65001: "utf-8", 936: "gbk", 950: "big5"}


def read(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read an RTF text: its outline, its pages, then the files in it and what is left out. Raises UnreadableDocument.

    A file of pictures only has a page that lists them.
    """
    if len(data) > _MAX_BYTES:
        raise UnreadableDocument(
            reason=f"{name} is larger than {_MAX_BYTES // 1_000_000} MB, too large for a text.",
            remedy="Open it in an office program, leave out its pictures, save it as DOCX, and add that.",
        )
    source = data.decode("latin-1")
    document = _Document(name, _outline_levels(source))
    document.take(source)
    pages = text_flow.number_pages(document.pages())
    if not any(page.text.strip() for page in pages) and document.files:
        listing = "\n".join(["Pictures and files:", *(f"- {file.name}" for file in document.files)])
        pages = [text_flow.page(1, listing, [])]
    if not any(page.text.strip() for page in pages):
        raise UnreadableDocument(
            reason=f"{name} contains no text.", remedy="If it shows pictures of text, save it as PDF and add that."
        )
    yield Outline(
        "rtf", len(pages), document.properties["title"], document.properties["author of"], file_date=document.date
    )
    yield from pages
    yield from document.files
    yield from document.children.rest()
    yield from document.ledger.lines()


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
    group: int = 0  # of those left out, a number of its own; 0: none whose words count
    fields: int = 0  # around it
    in_upr: bool = False  # whether the group says the same twice, for old programs and in Unicode
    is_struck: bool = False
    shift: int = 0  # above 0: raised, below: lowered
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
    files: list[Attachment] = field(default_factory=list)
    children: attachments.Children = field(default_factory=attachments.Children)
    ledger: package_parts.Ledger = field(default_factory=package_parts.Ledger)
    _left_out: list[str] = field(default_factory=list)  # what each group is that was left out
    _with_words: set[int] = field(default_factory=set)  # those of them that have words
    _fonts: dict[int, str] = field(default_factory=dict)
    _font_names: dict[int, str] = field(default_factory=dict)
    _colours: list[tuple[int, ...]] = field(default_factory=list)  # red, green, blue; () for one that is not stated
    _colour: list[int] = field(default_factory=list)  # the current one
    _default_font: int = -1
    _bytes: bytearray = field(default_factory=bytearray)
    _units: list[int] = field(default_factory=list)  # UTF-16
    _asides: list[text_flow.Flow] = field(default_factory=list)  # the text of open notes
    _codes: list[word_fields.Field] = field(default_factory=list)  # of open fields
    _hex: list[str] = field(default_factory=list)  # of the current picture or object
    _blip: str = ""  # the kind of the current picture
    _form: tuple[int, int, int, list[str]] = (-1, 0, 0, [])  # kind, result, default and choices of a form field
    _shape_name: str = ""  # of the property of a shape
    _footers: dict[str, text_flow.Piece] = field(default_factory=dict)
    _author: str = ""
    _skip: int = 0
    _star: bool = False
    _deletion: list[str] = field(default_factory=list)  # what a tracked change took out, up to here
    _level: int = 0  # of the current heading, 0: it is none
    _in_row: bool = False
    _cell: text_flow.Flow = field(default_factory=lambda: text_flow.Flow(cell=1))
    _row: list[text_flow.Piece | None] = field(default_factory=list)
    _rows: list[list[text_flow.Piece | None]] = field(default_factory=list)
    _headings: int = 0  # rows that head the current table

    def take(self, text: str) -> None:
        offset = 0
        while offset < len(text):
            token = _TOKEN.match(text, offset)
            if token is None:  # a lone stroke at the end
                break
            offset = token.end()
            word, number, byte, symbol, brace, run = token.groups()
            if word:
                if word == "bin":
                    size = max(0, int(number or 0))
                    if self._look.into in ("pict", "objdata") and not self._look.skip:
                        self._hex.append(text[offset : offset + size].encode("latin-1").hex())
                    elif size > len(text) - offset:  # no such block: what is there is read
                        size = 0
                    elif size and not self._look.skip:
                        self.ledger.add("block of binary data", "body")
                    offset += size
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
        self._end_row()
        self._end_table()
        for footer in self._footers.values():
            self.out.aside(footer)
        for number in self._with_words:
            self.ledger.add(self._left_out[number - 1], "hidden groups")
        if not self.out.empty or not self.out.has_text:
            self.out.end_page()
        return self.out.pages()

    def _close(self) -> None:
        self._flush()
        self._skip, self._star = 0, False
        if not self._groups:
            return
        look, self._look = self._look, self._groups.pop()
        if look.fields > self._look.fields:
            self._end_field()
        if look.into and look.into != self._look.into:
            self._end_aside(look.into)

    def _word(self, word: str, number: int | None) -> None:
        star, self._star = self._star, False
        if word == "u" and number is not None:
            self._flush_bytes()
            if self._look.skip:
                self._note_words()
            elif not self._look.is_deleted or not self._look.into:
                self._units.append(number & 0xFFFF)
            self._skip = self._look.uc
            return
        if self._skip:
            self._skip -= 1
            return
        self._flush()
        is_math = bool(_MATH.fullmatch(word))
        if word == "ud" and self._look.in_upr:
            self._look = replace(self._look, skip=False, in_upr=False)
        elif word == "upr":
            self._look = replace(self._look, skip=True, in_upr=not self._look.skip)
        elif self._look.skip:
            pass
        elif word == "field":
            self._look = replace(self._look, fields=self._look.fields + 1)
            self._codes.append(word_fields.Field())
        elif word in _LEFT_OUT or (star and word not in _SKIP | _STAR_WORDS and word not in _ASIDE and not is_math):
            self._leave_out(word)
        elif word in _SKIP or (word.startswith("m") and word.endswith("Pr")):
            self._look = replace(self._look, skip=True)
        elif is_math:
            self._math(word)
        elif word in _MARGINS or word in _ASIDE:
            self._begin_aside(word)
        elif self._look.into == "creatim" and word in ("yr", "mo", "dy", "hr", "min"):
            self._asides[-1].write(f"{word}{number or 0} ")
        elif word in ("fftype", "ffres", "ffdefres"):
            kind, result, default, entries = self._form
            values = {"fftype": kind, "ffres": result, "ffdefres": default} | {word: number or 0}
            self._form = (values["fftype"], values["ffres"], values["ffdefres"], entries)
        elif self._look.into == "pict" and word in (*_VECTOR, "pngblip", "jpegblip"):
            self._blip = word
        elif word == "fldrslt":
            if self._codes:
                self._codes[-1].is_result = True
        elif self._look.into == "colortbl" and word in ("red", "green", "blue"):
            self._colour.append(number or 0)
        elif self._look.into == "fonttbl" and word == "fcharset":
            self._fonts[self._look.font] = _CHARSETS.get(number or 0, "")
        else:
            self._format(word, number)

    def _leave_out(self, word: str) -> None:
        """Skip a group, and count it once it turns out to have words."""
        self._left_out.append(_LEFT_OUT.get(word, f"part of an unknown kind ({word})"))
        is_named = bool(self._left_out[-1])
        self._look = replace(self._look, skip=True, group=len(self._left_out) if is_named else 0)

    def _note_words(self) -> None:
        if self._look.group:
            self._with_words.add(self._look.group)

    def _math(self, word: str) -> None:
        """Begin a part of a formula."""
        match word:
            case "msup":
                self._look = replace(self._look, shift=1)
            case "msub":
                self._look = replace(self._look, shift=-1)
            case "mnum" if self.out.last.isdigit():
                self._write(" ")
            case "mden":
                self._write("/")

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
            case "strike" | "striked":
                self._look = replace(look, is_struck=on)
            case "super" | "sub":
                self._look = replace(look, shift=1 if word == "super" else -1)
            case "nosupersub":
                self._look = replace(look, shift=0)
            case "up" | "dn":
                size = number if number is not None else 6
                self._look = replace(look, shift=0 if size < _SHIFT else 1 if word == "up" else -1)
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
                    is_struck=False,
                    shift=0,
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
            case "shptxt" | "dptxbxtext" if self.out.last:
                self.out.gap("\n")
            case "par" | "sect" | "page" | "pagebb" | "softpage" | "column":
                self._paragraph(word)
            case "trowd" | "intbl":
                self._in_row = True
            case "trhdr" if self._headings == len(self._rows):
                self._headings += 1
            case "cell" if self._in_row:
                self._row.append(self._cell.piece().strip())
                self.out.take_asides(self._cell)
                self._cell = text_flow.Flow(cell=1)
            case "cell":
                self.out.next_cell()
            case "nestcell" | "nestrow" if self._in_row:
                self._cell.gap(" ")
            case "row":
                self._end_row()

    def _end_row(self) -> None:
        if not self._cell.empty:  # the end of its last cell is missing
            self._row.append(self._cell.piece().strip())
            self.out.take_asides(self._cell)
            self._cell = text_flow.Flow(cell=1)
        if self._row:
            self._rows.append(self._row)
        elif self._headings > len(self._rows):
            self._headings = len(self._rows)
        self._row, self._in_row = [], False

    def _end_table(self) -> None:
        """Write the current table."""
        if not self._rows:
            return
        rows, self._rows = self._rows, []
        headings, self._headings = self._headings, 0
        self.out.gap("\n\n")
        pieces = [piece for row in rows for piece in row if piece is not None]
        if max(map(len, rows)) < 2 or any(len(piece.text) > _CELL for piece in pieces):
            for piece in pieces:
                self.out.write_piece(piece)
                self.out.gap("\n\n")
        else:
            self.out.write_piece(table_text.piece(rows, headings or None))
        self.out.gap("\n\n")

    def _heading(self, level: int) -> None:
        self._level = level
        if self._in_row:
            return
        if level:
            self._end_table()
            self.out.heading(level)
        else:
            self.out.end_heading()

    def _paragraph(self, word: str) -> None:
        if word in ("par", "sect", "page", "softpage"):
            self._heading(self._level)  # what follows has the format of this one until it is told otherwise
        if self._in_row:
            self._cell.gap(" ")
            return
        if word != "par":
            self._end_table()
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
        else:
            self._note_words()

    def _run(self, run: str) -> None:
        self._star = False
        if self._skip:
            count = min(self._skip, len(run))
            self._skip -= count
            run = run[count:]
        if self._look.skip and re.search(r"\w", run) and not _OWN_BOOKMARK.fullmatch(run):
            self._note_words()
        if not run or self._look.skip:
            return
        if self._look.into == "fonttbl":
            name = self._font_names.get(self._look.font, "")
            self._font_names[self._look.font] = (name + run).partition(";")[0][:100]
            return
        if self._look.into in ("pict", "objdata"):
            self._hex.append(run)
            return
        if self._look.into == "colortbl":
            for _ in range(run.count(";")):
                self._colours.append(tuple(self._colour))
                self._colour = []
            return
        is_symbolic = self._fonts.get(self._look.font) == "symbol"
        if run.isascii() and not self._bytes and not self._units and not is_symbolic:
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
            if self._fonts.get(self._look.font) == "symbol":
                font = self._font_names.get(self._look.font, "")
                if symbol_fonts.is_symbolic(font):
                    self._write("".join(symbol_fonts.character(font, byte) for byte in data))
                    return
                data = bytes(byte if byte < 128 else 63 for byte in data)
            for encoding in (self._fonts.get(self._look.font, "").replace("symbol", ""), self._encoding, "cp1252"):
                try:
                    text = data.decode(encoding) if encoding else ""
                except (LookupError, ValueError):
                    continue
                if text:
                    self._write(text)
                    return
            self._write(data.decode("cp1252", "replace"))

    def _unseen(self) -> str:
        """Return why the current text is not seen, or ''."""
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
        if self._font_names and "\uf020" <= max(text, default="") <= "\uf0ff":
            text = symbol_fonts.text(self._font_names.get(look.font, ""), text)
        if look.shift:
            text = raised(text) if look.shift > 0 else lowered(text)
        for code in self._codes[-1:]:
            code.has_result = code.has_result or (code.is_result and bool(text.strip()))
        flow = self._flow()
        if flow is not None:
            flow.write(text, reason=self._unseen() if text.strip() else "", is_struck=look.is_struck)

    def _flow(self) -> text_flow.Flow | None:
        """Return where text goes: a note, a cell or the current page."""
        if self._look.into:
            return self._asides[-1] if self._asides else None
        if self._in_row:
            return self._cell
        self._end_table()
        return self.out

    def _end_deletion(self) -> None:
        text = "".join(self._deletion).strip()
        self._deletion = []
        if re.search(r"\w", text):
            self.out.aside(f"Deleted: {text}", reason="unseen")

    def _begin_aside(self, word: str) -> None:
        if self._look.skip:
            return
        self._look = replace(self._look, into=_ASIDE.get(word, word), is_hidden=False, is_struck=False, shift=0)
        self._asides.append(text_flow.Flow(cell=1))
        if word in ("pict", "objdata"):
            self._hex, self._blip = [], ""

    def _end_aside(self, into: str) -> None:
        piece = self._asides.pop().piece().strip() if self._asides else text_flow.Piece("")
        line = " ".join(piece.text.split())
        match into:
            case "creatim":
                self._take_date(piece.text)
            case "author":
                self._author = line
            case "Comment":
                lead = f"Comment by {self._author}:" if self._author else "Comment:"
                self._note(lead, piece)
                self._author = ""
            case "Footnote":
                self._note("Footnote:", piece)
            case "fldinst" if self._codes:
                self._codes[-1].code.append(piece.text)
            case "revtbl":
                authors = {name.strip() for name in piece.text.split(";")} - {"", "Unknown"}
                self.ledger.add("author of a change", "hidden groups", len(authors))
            case "ffl":
                self._form[3].append(line)
            case "ffdeftext":
                self._form[3][:] = [line]
            case "sn":
                self._shape_name = line
            case "sv" if line and self._shape_name in _SHAPE_WORDS:
                self._write(_SHAPE_WORDS[self._shape_name].format(line))
            case "sv" if line and self._shape_name == "wzTooltip":
                self.ledger.add("tip of a link", "body")
            case "pict":
                self._picture()
            case "objdata":
                self._object()
            case _ if into in self.properties:
                self.properties[into] = line[:1_000]
            case _ if into in _MARGINS and re.search(r"[^\W\d_]|\d{3}", line):  # a page number alone says nothing
                self._footers.setdefault(line, piece)

    def _note(self, lead: str, piece: text_flow.Piece) -> None:
        if piece.text:
            self.out.aside(text_flow.join([text_flow.Piece(lead), piece], " "))

    def _take_date(self, text: str) -> None:
        numbers = {key: int(digits) for key, digits in re.findall(r"([a-z]+)(\d{1,4})", text)}
        if {"yr", "mo", "dy"} <= set(numbers) and 1 <= numbers["mo"] <= 12 and 1 <= numbers["dy"] <= 31:
            self.date = f"{numbers['yr']:04}-{numbers['mo']:02}-{numbers['dy']:02}"
            if numbers.get("hr", 24) < 24 and numbers.get("min", 60) < 60:
                self.date += f"T{numbers['hr']:02}:{numbers['min']:02}:00"

    def _end_field(self) -> None:
        """Write what a field shows that has no result, or has its state in its code."""
        code = self._codes.pop() if self._codes else word_fields.Field()
        kind, result, default, entries = self._form
        self._form = (-1, 0, 0, [])
        docx_ledger.count_field(code.kind, "".join(code.code), "body", self.ledger)
        self.ledger.add("choice of a form field", "body", len(entries) - 1 if kind == 2 else 0)
        state = result if result != 25 else default  # 25: not stated
        if kind == 1 or (kind < 0 and code.kind == "FORMCHECKBOX"):
            self._write(word_fields.TICKED if state else word_fields.UNTICKED)
        elif kind == 2:
            if not code.has_result:
                self._write(entries[state] if 0 <= state < len(entries) else "")
        elif not code.has_result:
            self._write(entries[0] if kind == 0 and entries else code.end())

    def _data(self) -> bytes:
        digits = re.sub(r"[^0-9A-Fa-f]", "", "".join(self._hex))
        self._hex = []
        return bytes.fromhex(digits[: len(digits) // 2 * 2])

    def _picture(self) -> None:
        """Hand out a picture that OCR can read, and count any other."""
        data = self._data()
        if not data:
            return
        ending = pictures.ending(data)
        if ending and pictures.worth_reading(data):
            self.files += self.children.take(f"picture.{ending}", lambda: data, size=len(data))
        else:
            self.ledger.add("small picture" if ending else _VECTOR.get(self._blip, "picture"), "pictures")

    def _object(self) -> None:
        """Hand out the file in an embedded object (MS-OLEDS 2.2.5), and count an object that has none."""
        data = self._data()
        if not data:
            return
        start = data.find(ole_object.MAGIC)
        content = ole_object.content(data[start:], "object.bin") if start >= 0 else ole_object.embedded(data)
        if content.data:
            self.files += self.children.take(content.name, lambda: content.data, size=len(content.data))
        else:
            what = f"embedded object ({content.kind})" if content.kind else "embedded object"
            self.ledger.add(what, "objects")


# --- HTML inside RTF -------------------------------------------------------------------------------------------------
