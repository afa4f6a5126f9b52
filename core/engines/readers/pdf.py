"""PDF, XPS and pictures through PyMuPDF. Runs in a child process and in one thread only: MuPDF allows no more.

Boxes are in points, origin top left, on the page as it is shown: cropped and rotated.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pymupdf as _pymupdf

from core.documents import headings
from core.domain import STAMP, LeftOut, PageText
from core.engines.readers import (
    pdf_annotations,
    pdf_glyphs,
    pdf_hidden_text,
    pdf_layout,
    pdf_ledger,
    pdf_letters,
    pdf_margins,
    pdf_notes,
    pdf_outline,
    pdf_scans,
    pdf_tables,
    plain_text,
    png,
)
from core.engines.readers.attachments import Children
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Attachment, Outline, Picture

pymupdf: Any = _pymupdf  # the library is only half typed

PAGES = 10_000
PIXELS = 12_000_000  # of a page picture
SIDE = 10_000  # pixels

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


def open_document(data: bytes, name: str, kind: str, password: str = "") -> Any:
    """Open a document. ``kind`` is the type PyMuPDF is told. Raises UnreadableDocument, PasswordNeeded."""
    try:
        document = pymupdf.open(stream=data, filetype=kind)
        is_locked = document.needs_pass and not (password and document.authenticate(password))
        count = 0 if is_locked else _count(document)
    except MemoryError:
        raise
    except Exception as error:  # the library raises a dozen unrelated types for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: no page of it could be found.",
            remedy="Open it in the program that made it and save it again, or fetch it again from its source.",
        ) from error
    if is_locked:
        raise PasswordNeeded(
            reason=f"{name} is protected by a password" + (", and the one given is wrong." if password else "."),
            remedy="Give its password, or save a copy without one in a PDF program and add the copy.",
        )
    if count < 1:
        raise UnreadableDocument(
            reason=f"{name} has no pages.",
            remedy="Open it in the program that made it and save it again, or fetch it again from its source.",
        )
    if count > PAGES:
        raise UnreadableDocument(
            reason=f"{name} has {count:,} pages; {PAGES:,} is the limit.",
            remedy="Split it into several files and add those.",
        )
    return document


def _count(document: Any) -> int:
    """Count the pages of a document.

    One that tells a wrong number, or the same page over and over, is given the pages that it holds, each once.
    """
    try:
        return int(document.page_count)
    except MemoryError:
        raise
    except Exception:
        kind, value = document.xref_get_key(document.pdf_catalog(), "Pages")
        if kind != "xref":
            raise
        nodes = set[int]()
        _recount(document, int(value.split()[0]), nodes, 0)
        return int(document.page_count)


def _recount(document: Any, node: int, nodes: set[int], depth: int) -> int:
    """Set right how many pages lie under a node of the tree of pages, without those that were there before."""
    nodes.add(node)
    kind, value = document.xref_get_key(node, "Kids")
    if kind != "array":
        return 1
    kids, count = [], 0
    for kid in map(int, re.findall(r"(\d+)\s+\d+\s+R", value)):
        if kid not in nodes and len(nodes) <= 2 * PAGES and depth < 50:
            kids.append(f"{kid} 0 R")
            count += _recount(document, kid, nodes, depth + 1)
    document.xref_set_key(node, "Kids", f"[{' '.join(kids)}]")
    document.xref_set_key(node, "Count", str(count))
    return count


def read(
    data: bytes, name: str, kind: str, password: str = "", *, note_marks: bool = False
) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Read a whole document: its outline, its pages with their sections, the files in it."""
    _last.clear()
    document = open_document(data, name, kind, password)
    yield _outline(document, kind)
    pages = _Pages(document, note_marks=note_marks)
    for index in range(document.page_count):
        yield pages.read(index, name)
    yield from pages.rest()


def _outline(document: Any, kind: str) -> Outline:
    metadata = document.metadata or {}
    return Outline(
        kind=kind if kind in ("pdf", "xps", "epub") else "image",
        pages=document.page_count,
        title=_line(metadata.get("title")),
        author=_line(metadata.get("author")),
        file_date=_date(metadata.get("creationDate")) or _date(metadata.get("modDate")),
    )


_last: list[tuple[bytes, Any]] = []  # the document of the last picture, open: pages are looked at one after another


_AROUND = 48.0  # points shown above and below what is boxed
_PAD = 1.5  # points between the words and the line around them
_BOX = (200, 96, 0)  # of the line; orange, as what speaks up in the window


def render(
    data: bytes,
    name: str,
    kind: str,
    number: int,
    scale: float,
    boxes: Sequence[tuple[float, float, float, float]] = (),
    password: str = "",
    clip: tuple[float, float, float, float] | None = None,
) -> Picture:
    """Draw a page as a picture.

    With ``boxes`` only the part around them, as wide as the page, a line around each; with ``clip`` that part of it
    (points, as shown).
    """
    if not (_last and _last[0][0] is data):
        _last[:] = [(data, open_document(data, name, kind, password))]
    document = _last[0][1]
    if not 1 <= number <= document.page_count:
        raise UnreadableDocument(
            reason=f"{name} has no page {number}.", remedy=f"Choose a page from 1 to {document.page_count}."
        )
    try:
        page = document.load_page(number - 1)
        width, height = size_of(page)
        if not (width and height):
            raise ValueError("a page without a size")
        area = _around(boxes, width, height) if boxes else pymupdf.Rect(0, 0, width, height)
        if clip is not None:
            area = pymupdf.Rect(clip) & area
            if not all(map(math.isfinite, clip)) or area.is_empty or min(area.width, area.height) < 1e-3:
                raise ValueError("a part beyond the page")
        width, height = area.width, area.height
        limit = min(math.sqrt(PIXELS / (width * height)), (SIDE - 1) / max(width, height))
        scale = max(min(scale if math.isfinite(scale) and scale > 0 else 1.0, limit), 2.0 / min(width, height))
        if scale > limit:
            raise ValueError("a page too long and thin to draw")
        pixels = page.get_pixmap(
            matrix=pymupdf.Matrix(scale, scale),
            alpha=False,
            colorspace=pymupdf.csRGB,
            clip=area if boxes or clip is not None else None,
        )
        for box in boxes:
            _line_around(pixels, box, scale)
        return Picture(png.encode(pixels), pixels.width, pixels.height, scale)
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableDocument(
            reason=f"Page {number} of {name} cannot be drawn.",
            remedy="Read its text instead, or open the original in another program.",
        ) from error


def _around(boxes: Sequence[tuple[float, float, float, float]], width: float, height: float) -> Any:
    """Return the strip of the page that holds all boxes."""
    top = max(0.0, min(box[1] for box in boxes) - _AROUND)
    bottom = min(height, max(box[3] for box in boxes) + _AROUND)
    if bottom - top < 2:  # boxes beyond the page
        top, bottom = 0.0, height
    return pymupdf.Rect(0, top, width, bottom)


def _line_around(pixels: Any, box: tuple[float, float, float, float], scale: float) -> None:
    """Paint a frame on the picture; the document itself stays as it is."""
    thick = max(1, round(scale))
    x0, y0 = (math.floor((value - _PAD) * scale) for value in box[:2])
    x1, y1 = (math.ceil((value + _PAD) * scale) for value in box[2:])
    for frame in (
        (x0, y0, x1, y0 + thick),
        (x0, y1 - thick, x1, y1),
        (x0, y0, x0 + thick, y1),
        (x1 - thick, y0, x1, y1),
    ):
        inside = pymupdf.IRect(*frame) & pixels.irect
        if not inside.is_empty:
            pixels.set_rect(inside, _BOX)


# --- what the file says about itself ---------------------------------------------------------------------------------


def _line(text: object) -> str:
    return " ".join(plain_text.clean(str(text or "")).replace("\ufffd", " ").split())[:1_000]


def _date(text: object) -> str:
    """Write a PDF date (D:20240131235900+01'00') as ISO 8601; '' where it is none."""
    match = re.match(r"D?:?\s*(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?([-+]\d\d|Z)?'?(\d\d)?", str(text or ""))
    if not match:
        return ""
    year, month, day, hour, minute, second, zone, zone_minute = match.groups()
    if not (1 <= int(month or 1) <= 12 and 1 <= int(day or 1) <= 31 and int(hour or 0) < 24 and int(minute or 0) < 60):
        return ""
    date = "-".join(part for part in (year, month, day) if part)
    if hour and minute and day:
        date += f"T{hour}:{minute}:{second or '00'}"
        date += "Z" if zone == "Z" else f"{zone}:{zone_minute or '00'}" if zone else ""
    return date


def _labels(document: Any) -> list[Any]:
    try:
        return list(document.get_page_labels())
    except Exception:  # a damaged label tree is no reason to refuse the pages
        return []


# --- the pages -------------------------------------------------------------------------------------------------------


def size_of(page: Any) -> tuple[float, float]:
    """Return width and height in points of the page as shown, (0, 0) where it has none to speak of."""
    width, height = float(page.rect.width), float(page.rect.height)
    if not (0 < width < 1e6 and 0 < height < 1e6):
        return 0.0, 0.0
    return round(width, 3), round(height, 3)


class _Pages:
    """A reader of the pages of one document, one after another."""

    def __init__(self, document: Any, *, note_marks: bool = False) -> None:
        self.document = document
        self._note_marks = note_marks
        self._count = document.page_count
        self._has_labels = bool(_labels(document))
        self._contents = pdf_outline.contents(document)
        self._xfa = _has_xfa(document)
        self._off = pdf_hidden_text.layers_off(document)
        self._headings = headings.Headings()
        self.failures = 0  # pages that could not be read
        self._with_files: list[int] = []  # indexes of pages that files are pinned to
        self._separate_notes: list[str] = []  # notes on pages that have no text of their own
        self._left_out: list[tuple[str, int, int]] = []  # what of a page is no text of it: its name, how many, the page

    def read(self, index: int, name: str) -> PageText:
        """Read the next page."""
        try:
            return self._read(index)
        except MemoryError:
            raise
        except Exception as error:  # a page that cannot be drawn is shown as one without text, never left out
            self.failures += 1
            if self.failures == self._count:
                single = self._count == 1
                raise UnreadableDocument(
                    reason=f"{name} is damaged: {'its page' if single else f'none of its {self._count} pages'} could "
                    f"{'not ' * single}be read.",
                    remedy="Open it in the program that made it and save it again, or fetch it again from its source.",
                ) from error
            return PageText(index + 1, "", source="none")

    def rest(self) -> Iterator[Attachment | LeftOut]:
        """Read what lies in the file, and name what was left out of its pages."""
        yield from pdf_ledger.on_pages(self._left_out)
        texts: list[tuple[str, str]] = []
        if self.document.is_pdf:
            texts, left_out = pdf_ledger.of_document(self.document)
            yield from left_out
        if self._separate_notes:
            texts.append(("notes on pages.txt", "\n\n".join(self._separate_notes)))
        if texts or self._with_files or self.document.is_pdf:
            yield from _attachments(self.document, self._with_files, texts)

    def _read(self, index: int) -> PageText:
        page = self.document.load_page(index)
        number = index + 1
        label = _line(page.get_label())[:200] if self._has_labels else ""
        width, height = size_of(page)
        note_kinds = pdf_annotations.kinds(page) if self.document.is_pdf else frozenset()
        if pdf_annotations.has_files(note_kinds):
            self._with_files.append(index)
        addresses = pdf_annotations.count_addresses(page) if self.document.is_pdf else 0
        if addresses:
            self._left_out.append(("link address", addresses, number))
        shapes = _shapes(page, width, height, notes=bool(note_kinds))
        sheet, spoken = _sheet(page, contents=True), 0
        if shapes is None or shapes.has_spoken_text:
            sheet, spoken = _as_drawn(page, sheet)
        if spoken:
            self._left_out.append(("word for screen readers that is not the one drawn", spoken, number))
        words = sheet.extractWORDS()
        lines = pdf_layout.lines_of(words)
        if lines:
            pdf_layout.set_spans(lines, _blocks(sheet, lines, words))
        note_lines: list[pdf_layout.Line] = []
        if note_kinds:
            above = _sheet(page, contents=False)
            note_lines = pdf_layout.lines_of(above.extractWORDS())
            pdf_layout.set_spans(note_lines, above.extractDICT()["blocks"])
        layer = is_stamped = is_blank = False
        picture = 0.0
        pictures: Sequence[pdf_layout.Box] = ()
        rules: Sequence[pdf_layout.Box] = ()
        if shapes is not None:
            picture, pictures, rules = shapes.picture, shapes.pictures, shapes.rules
            if lines or note_lines:
                layer = _mark_hidden(page, sheet, words, [*lines, *note_lines], shapes)
            # In a book a page without anything on it stands for a chapter that is missing: no picture to be read.
            is_blank = not (self.document.is_pdf or lines or note_lines or shapes.covers or rules)
            is_stamped = not layer and pdf_scans.is_stamped(lines, shapes)
        if note_kinds:
            rules = (*rules, *pdf_annotations.struck_boxes(page))
        pdf_letters.strike(lines, rules)
        if self._note_marks:
            pdf_notes.mark(lines, number)
        if self._off:
            lines += self._switched_off(page, words)
        lines, line_numbers = pdf_margins.without_line_numbers(pdf_letters.tidy(lines))
        layout = pdf_layout.place_text(pdf_layout.in_reading_order(lines))
        if pdf_layout.is_unknown(layout.text):
            # The file does not say which letters its glyphs are. Only the picture of such a page can be read.
            layout = pdf_layout.PlacedText("")
        notes = pdf_annotations.notes(page, lines, note_lines) if note_kinds else []
        if line_numbers:
            self._left_out.append(("line number", line_numbers, number))
        if unknown := layout.text.count("\ufffd"):
            self._left_out.append(("character that its font does not explain", unknown, number))
        if note_kinds:
            self._left_out += [(what, count, number) for what, count in pdf_annotations.without_text(page)]
        # Pictures of a book are counted as the parts that they are.
        is_whole = is_stamped or not layout.text or layer or self.document.is_reflowable
        silent = 0 if is_whole else pdf_scans.count_silent(pictures, lines, width, height)
        if silent:
            self._left_out.append(("picture", silent, number))
        if self._xfa and not index:
            notes.append(pdf_annotations.Note(_XFA))
        if notes and (is_stamped or not layout.text) and picture > 0.05:
            # A scan is to be read in its picture, and not to be taken for a page that has its text.
            place = f"Page {number}" + (f" ({label})" if label and label != str(number) else "")
            self._separate_notes += [f"{place}: {note.text}" for note in notes]
            notes = []
        own_layout = layout
        tables = pdf_tables.tables(layout, shapes) if shapes is not None and layout.text else ()
        if notes:
            layout = _with_notes(layout, notes)
        spans, why = plain_text.split_reasons(layout.hidden_spans + plain_text.unseen_why(layout.text))
        read = PageText(
            number,
            layout.text,
            pdf_layout.word_boxes(layout.words),
            width,
            height,
            source=("layer" if layer else "embedded") if layout.text or is_blank else "none",
            label=label,
            hidden_spans=spans,
            hidden_why=why,
            picture=picture,
            confidence=STAMP if is_stamped and layout.text else None,
            struck_spans=tuple(layout.struck_spans),
            tables=tables,
        )
        if not self._contents:
            return replace(read, sections=self._headings.on(pdf_outline.lines(own_layout, height)))
        return replace(read, sections=pdf_outline.place_sections(self._contents.get(number, ()), own_layout))

    def _switched_off(self, page: Any, words: Sequence[tuple[Any, ...]]) -> list[pdf_layout.Line]:
        """Return the words of layers that are switched off; ``words`` are those that are not."""
        with pdf_hidden_text.switched_on(self.document, self._off):
            sheet = _sheet(page, contents=True)
        every = sheet.extractWORDS()
        if len(every) == len(words):
            return []
        places = pdf_hidden_text.missing_words(every, words)
        lines = pdf_layout.lines_of(word for index, word in enumerate(every) if index in places)
        pdf_layout.set_spans(lines, sheet.extractDICT()["blocks"])
        for line in lines:
            line.block += _HIDDEN_BLOCKS
            line.hidden_words = dict.fromkeys(range(len(line.words)), "layer")
        return lines


_HIDDEN_BLOCKS = 1_000_000  # added to the number of a block, to tell it from the blocks that are seen
_XFA = "Form: this file holds an XFA form. Some programs show its fields and values otherwise than on this page."


def _shapes(page: Any, width: float, height: float, *, notes: bool) -> pdf_hidden_text.Shapes | None:
    """Return what is drawn on a page, None where it cannot be drawn: its text can be read all the same."""
    try:
        return pdf_hidden_text.shapes(page, width, height, notes=notes)
    except MemoryError:
        raise
    except Exception:
        return None


def _mark_hidden(
    page: Any,
    sheet: Any,
    words: Sequence[tuple[Any, ...]],
    lines: Sequence[pdf_layout.Line],
    shapes: pdf_hidden_text.Shapes,
) -> bool:
    """Mark the words of a page that nobody sees; return whether its text is the layer of a scan.

    On a page that cannot be judged none is marked, as no text is lost that way.
    """
    try:
        return pdf_hidden_text.mark(page, lines, shapes, pdf_hidden_text.cut_off(page, sheet, words, shapes))
    except MemoryError:
        raise
    except Exception:
        for line in lines:
            line.hidden_words = {}
        return False


def _as_drawn(page: Any, sheet: Any) -> tuple[Any, int]:
    """Return the letters of a page, and how many words of its text for screen readers are not those that it draws.

    That text says which letters a ligature or a hyphen stands for. Where plain words or figures differ, what a person
    sees on the page is read.
    """
    drawn = _sheet(page, contents=True, flags=pdf_layout.FLAGS | pymupdf.TEXT_IGNORE_ACTUALTEXT)
    texts = sheet.extractText(), drawn.extractText()
    if texts[0] == texts[1]:
        return sheet, 0
    spoken, seen = (_PLAIN_WORD.findall(unicodedata.normalize("NFKC", text).casefold()) for text in texts)
    unseen = sum(word not in "".join(seen) for word in spoken)
    if "\0" in texts[0] or any(word not in "".join(spoken) for word in set(seen)):
        return drawn, max(1, unseen)
    return sheet, 0 if "\ufffd" in texts[1] else unseen  # letters of a glyph that its font does not explain


_PLAIN_WORD = re.compile(r"[a-z0-9]+")


def _sheet(page: Any, *, contents: bool, flags: int = pdf_layout.FLAGS) -> Any:
    """Return the letters of a page as shown: of its own ``contents``, or those that annotations and fields draw."""
    mupdf = pymupdf.mupdf
    letters = mupdf.FzStextPage(mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE))
    device = mupdf.fz_new_stext_device(letters, mupdf.FzStextOptions(flags))
    pdf_page = page.this.super() if isinstance(page.this, mupdf.PdfPage) else page.this
    still, cookie = mupdf.FzMatrix(), mupdf.FzCookie()
    if contents:
        mupdf.fz_run_page_contents(pdf_page, device, still, cookie)
    else:
        mupdf.fz_run_page_annots(pdf_page, device, still, cookie)
        mupdf.fz_run_page_widgets(pdf_page, device, still, cookie)
    mupdf.fz_close_device(device)
    return pymupdf.TextPage(letters)


def _blocks(sheet: Any, lines: Sequence[pdf_layout.Line], words: Sequence[tuple[Any, ...]]) -> Sequence[Any]:
    """Return MuPDF's blocks of spans, once the letters in ``lines`` are put right."""
    if not pdf_glyphs.in_doubt(words):
        return list(sheet.extractDICT()["blocks"])
    blocks = list(sheet.extractRAWDICT()["blocks"])
    pdf_glyphs.put_right(lines, blocks)
    return blocks


def _with_notes(layout: pdf_layout.PlacedText, notes: Sequence[pdf_annotations.Note]) -> pdf_layout.PlacedText:
    """Append what people wrote onto a page to its text, a paragraph an entry."""
    parts = [layout.text] if layout.text else []
    words = list(layout.words)
    hidden_spans = list(layout.hidden_spans)
    offset = len(layout.text)
    for note in notes:
        if parts:
            parts.append("\n\n")
            offset += 2
        parts.append(note.text)
        words += [(word[0] + offset, word[1] + offset, *word[2:]) for word in note.words]
        if note.reason:
            hidden_spans.append((offset, offset + len(note.text), note.reason))
        offset += len(note.text)
    return pdf_layout.PlacedText("".join(parts), tuple(words), hidden_spans, layout.lines, layout.struck_spans)


def _has_xfa(document: Any) -> bool:
    try:
        return bool(document.is_pdf) and document.xref_get_key(document.pdf_catalog(), "AcroForm/XFA")[0] != "null"
    except Exception:  # a damaged catalogue says nothing
        return False


# --- files inside the file -------------------------------------------------------------------------------------------


def _attachments(document: Any, pages: Sequence[int], texts: Sequence[tuple[str, str]]) -> Iterator[Attachment]:
    """Yield embedded files, files pinned to pages, and ``texts`` by name that are on no page."""
    children = Children()
    count = _file_count(document)
    for number in range(count):
        info = _file_info(document, number)
        file_names = (_as_utf8(info.get("ufilename")), info.get("filename"), info.get("name"))
        name = next((text for candidate in file_names if (text := _line(candidate))), "attached")
        size = info.get("size")
        yield from children.take(
            name, _extractor(name, document.embfile_get, number), size=size if type(size) is int else 0
        )
    for index in pages:
        try:
            page = document.load_page(index)
            pins = [
                annot
                for annot in pdf_annotations.annotations_of(page)
                if annot.type[0] == pymupdf.PDF_ANNOT_FILE_ATTACHMENT
            ]
            names = [_line(annot.file_info.get("filename")) or "attached" for annot in pins]
        except MemoryError:
            raise
        except Exception:  # named on its page as a note, if at all
            continue
        for name, annot in zip(names, pins, strict=True):
            yield from children.take(name, _extractor(name, annot.get_file))
    for name, text in texts:
        yield from children.take(name, text.encode)
    yield from children.rest()


def _file_count(document: Any) -> int:
    """Count the files embedded in the file."""
    try:
        return int(document.embfile_count())
    except Exception:  # a damaged tree of names
        return 0


def _file_info(document: Any, number: int) -> dict[str, Any]:
    try:
        return dict(document.embfile_info(number))
    except Exception:  # it may be taken out all the same
        return {}


def _as_utf8(text: object) -> str:
    """Decode a Unicode name of a file, which PyMuPDF 1.27 gives byte by byte."""
    try:
        return str(text or "").encode("latin-1").decode()
    except UnicodeError:
        return str(text or "")


def _extractor(name: str, take: Callable[..., Any], *arguments: int) -> Callable[[], bytes]:
    def extract() -> bytes:
        try:
            return bytes(take(*arguments))
        except Exception as error:  # memory included: one file that is too large takes nothing from the others
            raise UnreadableDocument(
                reason=f"{name} could not be extracted from the file that contains it.",
                remedy="Save it with a PDF program, and add it by itself.",
            ) from error

    return extract
