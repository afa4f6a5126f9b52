"""PDF, XPS and pictures through PyMuPDF. Runs in a child process and in one thread only: MuPDF allows no more.

Boxes are in points, origin top left, on the page as it is shown: cropped and rotated.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pymupdf as _pymupdf

from core.domain import PageText, Word, Words
from core.engines import plain
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Outline, Picture

pymupdf: Any = _pymupdf  # the library is only half typed

PAGES = 10_000
PIXELS = 12_000_000  # of a page picture
SIDE = 10_000  # pixels

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

# Ligatures are taken apart, unknown glyphs become U+FFFD instead of a code that looks like a letter.
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE
_FILLED, _STROKED = 16, 32  # bits of a span's char_flags


def open_document(data: bytes, name: str, kind: str, password: str = "") -> Any:
    """The opened document. ``kind`` is the type PyMuPDF is told. Raises UnreadableDocument, PasswordNeeded."""
    try:
        document = pymupdf.open(stream=data, filetype=kind)
        locked = document.needs_pass and not (password and document.authenticate(password))
        count = 0 if locked else document.page_count
    except MemoryError:
        raise
    except Exception as error:  # the library raises a dozen unrelated types for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: no page of it could be found.",
            remedy="Open it in the program that made it and save it again, or fetch it again from its source.",
        ) from error
    if locked:
        raise PasswordNeeded(
            reason=f"{name} is protected by a password"
            + (", and it is not the one that was given." if password else "."),
            remedy="Give its password, or save a copy without one in a PDF program and add the copy.",
        )
    if count < 1:
        raise UnreadableDocument(
            reason=f"{name} has no pages.",
            remedy="Open it in the program that made it and save it again, or fetch it again from its source.",
        )
    if count > PAGES:
        raise UnreadableDocument(
            reason=f"{name} has {count:,} pages; {PAGES:,} is the most the program takes.",
            remedy="Split it into several files and add those.",
        )
    return document


def read(data: bytes, name: str, kind: str, password: str = "") -> Iterator[Outline | PageText]:
    _last.clear()
    document = open_document(data, name, kind, password)
    count = document.page_count
    told = document.metadata or {}
    yield Outline(
        kind=kind if kind in ("pdf", "xps", "epub") else "image",
        pages=count,
        title=_line(told.get("title")),
        author=_line(told.get("author")),
        date=_date(told.get("creationDate")) or _date(told.get("modDate")),
    )
    labelled = bool(_labels(document))
    lost = 0
    for index in range(count):
        try:
            page = document.load_page(index)
            label = _line(page.get_label())[:200] if labelled else ""
            yield _page(page, index + 1, label)
        except MemoryError:
            raise
        except Exception as error:  # a page that cannot be drawn is shown as one without text, never left out
            lost += 1
            if lost == count:
                raise UnreadableDocument(
                    reason=f"{name} is damaged: none of its {count} pages could be read.",
                    remedy="Open it in the program that made it and save it again, or fetch it again from its source.",
                ) from error
            yield PageText(index + 1, "", source="none")


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
    """A page as a picture; with ``boxes`` only the part around them, as wide as the page, a line around each; with
    ``clip`` that part of it (points, as shown)."""
    if not (_last and _last[0][0] is data):
        _last[:] = [(data, open_document(data, name, kind, password))]
    document = _last[0][1]
    if not 1 <= number <= document.page_count:
        raise UnreadableDocument(
            reason=f"{name} has no page {number}.", remedy=f"Choose a page from 1 to {document.page_count}."
        )
    try:
        page = document.load_page(number - 1)
        width, height = _size(page)
        if not (width and height):
            raise ValueError("a page without a size")
        area = _around(boxes, width, height) if boxes else pymupdf.Rect(0, 0, width, height)
        if clip is not None:
            area = pymupdf.Rect(clip) & area
            if not all(map(math.isfinite, clip)) or area.is_empty or min(area.width, area.height) < 1e-3:
                raise ValueError("a part beyond the page")
        width, height = area.width, area.height
        most = min(math.sqrt(PIXELS / (width * height)), (SIDE - 1) / max(width, height))
        scale = max(min(scale if math.isfinite(scale) and scale > 0 else 1.0, most), 2.0 / min(width, height))
        if scale > most:
            raise ValueError("a page too long and thin to draw")
        pixels = page.get_pixmap(
            matrix=pymupdf.Matrix(scale, scale),
            alpha=False,
            colorspace=pymupdf.csRGB,
            clip=area if boxes or clip is not None else None,
        )
        for box in boxes:
            _line_around(pixels, box, scale)
        return Picture(pixels.tobytes("png"), pixels.width, pixels.height, scale)
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableDocument(
            reason=f"Page {number} of {name} cannot be drawn.",
            remedy="Read its text instead, or open the original in another program.",
        ) from error


def _around(boxes: Sequence[tuple[float, float, float, float]], width: float, height: float) -> Any:
    """The strip of the page that holds all boxes."""
    top = max(0.0, min(box[1] for box in boxes) - _AROUND)
    bottom = min(height, max(box[3] for box in boxes) + _AROUND)
    if bottom - top < 2:  # boxes beyond the page
        top, bottom = 0.0, height
    return pymupdf.Rect(0, top, width, bottom)


def _line_around(pixels: Any, box: tuple[float, float, float, float], scale: float) -> None:
    """A frame painted on the picture; the document itself stays as it is."""
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
    return " ".join(plain.clean(str(text or "")).replace("\ufffd", " ").split())[:1_000]


def _date(text: object) -> str:
    """A PDF date (D:20240131235900+01'00') as ISO 8601; '' where it is none."""
    found = re.match(r"D?:?\s*(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?([-+]\d\d|Z)?'?(\d\d)?", str(text or ""))
    if not found:
        return ""
    year, month, day, hour, minute, second, zone, zone_minute = found.groups()
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


# --- the text of a page ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Line:
    """A line of words as shown. ``block`` and ``number`` are MuPDF's, in the order of the file."""

    block: int
    number: int
    words: list[tuple[float, float, float, float, str]]
    x0: float
    y0: float
    x1: float
    y1: float
    hidden: frozenset[int] = frozenset()  # which of the words


def _page(page: Any, number: int, label: str) -> PageText:
    width, height = _size(page)
    sheet = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=_FLAGS)
    lines = _lines(sheet.extractWORDS(), page)
    if not lines:
        return PageText(number, "", width=width, height=height, source="none", label=label)
    picture = 0.0
    try:
        picture = _find_hidden(page, sheet, lines, width, height)
    except MemoryError:
        raise
    except Exception:  # a page that cannot be drawn still has its text, and who cannot see it cannot be misled by it
        for line in lines:
            line.hidden = frozenset()
    return replace(_written(_in_reading_order(lines), number, label, width, height), picture=picture)


def _size(page: Any) -> tuple[float, float]:
    width, height = float(page.rect.width), float(page.rect.height)
    if not (0 < width < 1e6 and 0 < height < 1e6):
        return 0.0, 0.0
    return round(width, 3), round(height, 3)


def _lines(words: list[tuple[Any, ...]], page: Any) -> list[_Line]:
    a, b, c, d, e, f = tuple(page.rotation_matrix) if page.rotation else (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    turned = bool(page.rotation)
    lines: list[_Line] = []
    row = _Line(0, 0, [], 0.0, 0.0, 0.0, 0.0)
    for x0, y0, x1, y1, word, block, line, _ in words:
        if turned:
            p, q, r, s = a * x0 + c * y0 + e, b * x0 + d * y0 + f, a * x1 + c * y1 + e, b * x1 + d * y1 + f
            x0, y0, x1, y1 = min(p, r), min(q, s), max(p, r), max(q, s)
        if not (-1e6 < x0 < 1e6 and -1e6 < y0 < 1e6 and -1e6 < x1 < 1e6 and -1e6 < y1 < 1e6):
            x0 = y0 = x1 = y1 = 0.0
        # A box without extent cannot be drawn or pointed at.
        if x1 - x0 < 0.1:
            x1 = x0 + 0.1
        if y1 - y0 < 0.1:
            y1 = y0 + 0.1
        if block != row.block or line != row.number or not lines:
            row = _Line(block, line, [], x0, y0, x1, y1)
            lines.append(row)
        row.words.append((x0, y0, x1, y1, word))
        if x0 < row.x0:
            row.x0 = x0
        if y0 < row.y0:
            row.y0 = y0
        if x1 > row.x1:
            row.x1 = x1
        if y1 > row.y1:
            row.y1 = y1
    return lines


def _written(lines: list[_Line], number: int, label: str, width: float, height: float) -> PageText:
    """The text with its word boxes: lines end with a newline, paragraphs with a blank line."""
    parts: list[str] = []
    words: list[Word] = []
    hidden: list[tuple[int, int]] = []
    at = 0
    before: _Line | None = None
    for line in lines:
        if before is not None:
            gap = _between(before, line)
            parts.append(gap)
            at += len(gap)
        for place, (x0, y0, x1, y1, raw) in enumerate(line.words):
            word = raw if raw.isascii() and raw.isprintable() else _letters(raw)
            if place:
                parts.append(" ")
                at += 1
            parts.append(word)
            words.append(Word(at, at + len(word), x0, y0, x1, y1))
            if place in line.hidden:
                # From the word before, if that is hidden too, so that one hidden sentence is one span.
                start = hidden[-1][0] if hidden and place and hidden[-1][1] == at - 1 else at
                if start != at:
                    hidden.pop()
                hidden.append((start, at + len(word)))
            at += len(word)
        before = line
    text = "".join(parts)
    unknown = text.count("\ufffd")
    if unknown and unknown > (len(text) - text.count(" ") - text.count("\n")) // 2:
        # The file does not say which letters its glyphs are. Only the picture of such a page can be read.
        return PageText(number, "", width=width, height=height, source="none", label=label)
    return PageText(
        number,
        text,
        Words.of(word for word in words if word.end > word.start),
        width,
        height,
        label=label,
        hidden=plain.merged(hidden + list(plain.unseen(text))),
    )


_SHAPES = re.compile(r"[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]")


def _letters(word: str) -> str:
    """A word as it would be typed: some fonts name the shapes of Arabic letters and ligatures instead."""
    word = _SHAPES.sub(lambda shape: unicodedata.normalize("NFKC", shape.group()).strip() or shape.group(), word)
    return plain.clean(word).replace("\n", " ").replace("\f", " ")


def _between(before: _Line, line: _Line) -> str:
    """A newline inside a paragraph, a blank line between two, a space or a tab inside one row of a block."""
    if bool(before.hidden) != bool(line.hidden):
        return "\n\n"
    height = min(before.y1 - before.y0, line.y1 - line.y0)
    if before.block == line.block and min(before.y1, line.y1) - max(before.y0, line.y0) > 0.7 * height:
        apart = max(line.x0 - before.x1, before.x0 - line.x1)
        if apart > -0.3 * height:  # MuPDF begins a new line at every wide gap
            return " " if apart < 2.5 * height else "\t"
    if before.block == line.block and line.number > before.number:
        return "\n"
    ends = before.words[-1][4][-1:] in ".!?:;؟。"
    alike = abs((line.y1 - line.y0) - (before.y1 - before.y0)) < 0.2 * height
    aligned = min(abs(line.x0 - before.x0), abs(line.x1 - before.x1)) < 3 * height
    if alike and aligned:
        # In widely spaced text every line is a block of its own: a full line without a stop goes on in the next.
        full = before.x1 - before.x0 > 0.8 * (line.x1 - line.x0) and len(before.words) > 5 and not ends
        if -0.5 * height < line.y0 - before.y1 < (1.3 if full else 0.6) * height:
            return "\n"
    # A sentence that goes on at the top of the next column.
    return "\n" if line.words[0][4][:1].islower() and not ends else "\n\n"


# --- hidden text -----------------------------------------------------------------------------------------------------

_TINY = 1.0  # points
_CONTRAST = 24  # of 255: the least difference inside a word's box that an eye sees
_COVERS = 200  # the largest shapes of a page that are looked at


def _find_hidden(page: Any, sheet: Any, lines: list[_Line], width: float, height: float) -> float:
    """Mark the words that a person looking at the page would not see; the share of the page under pictures.

    Sure signs: outside the page, at most 1 point high, fully transparent, or drawn with no paint where no picture
    lies (over a picture it is the text layer of a scan). Mere suspicions, pale colour or a shape drawn later on top,
    are settled by drawing the page and looking for contrast in the word's box.
    """
    rows = {(line.block, line.number): line for line in lines}
    sure: dict[tuple[int, int], set[int]] = {}
    unpainted: dict[tuple[int, int], set[int]] = {}
    unsure: dict[tuple[int, int], set[int]] = {}
    for line in lines:
        if line.x0 < 0 or line.y0 < 0 or line.x1 > width or line.y1 > height:
            for place, (x0, y0, x1, y1, _) in enumerate(line.words):
                if not (0 <= (x0 + x1) / 2 <= width and 0 <= (y0 + y1) / 2 <= height):
                    sure.setdefault((line.block, line.number), set()).add(place)
    for block in sheet.extractDICT()["blocks"]:
        for number, line in enumerate(block.get("lines", ())):
            odd = [_look(span) for span in line["spans"]]
            if not any(odd):
                continue
            key = (block["number"], number)
            row = rows.get(key)
            if row is None:
                continue
            for place in range(len(row.words)):
                for what, target in (("sure", sure), ("unpainted", unpainted), ("unsure", unsure)):
                    if _word_is(what, place, line["spans"], odd):
                        target.setdefault(key, set()).add(place)
    pictures: list[_Box] = []
    painted = _covered(page, lines, unpainted, unsure, pictures)
    for key, places in unpainted.items():
        if key not in painted:
            sure.setdefault(key, set()).update(places)
    for key in list(unsure):
        unsure[key] -= sure.get(key, set())
        if not unsure[key]:
            del unsure[key]
    if unsure:
        for key, places in _without_contrast(page, rows, unsure):
            sure.setdefault(key, set()).update(places)
    for key, places in sure.items():
        rows[key].hidden = frozenset(places)
    return _share(pictures, width, height)


def _share(boxes: Sequence[_Box], width: float, height: float) -> float:
    """What share of the page lies under the boxes; where they lie over each other it is too large, at most 1."""
    under = sum(
        max(0.0, min(x1, width) - max(x0, 0.0)) * max(0.0, min(y1, height) - max(y0, 0.0)) for x0, y0, x1, y1 in boxes
    )
    return min(1.0, under / (width * height)) if width and height else 0.0


def _look(span: dict[str, Any]) -> str:
    """'' for a span that is plainly visible, else how sure it is that it is not."""
    flags = span.get("char_flags", _FILLED)
    if not flags & (_FILLED | _STROKED):
        return "unpainted"
    x0, y0, x1, y1 = span["bbox"]
    if span.get("alpha", 255) < 13 or (span["size"] <= _TINY and min(x1 - x0, y1 - y0) <= 2 * _TINY):
        return "sure"
    color = span["color"]
    red, green, blue = color >> 16 & 255, color >> 8 & 255, color & 255
    return "unsure" if 0.3 * red + 0.59 * green + 0.11 * blue > 200 or span.get("alpha", 255) < 80 else ""


def _word_is(what: str, place: int, spans: list[dict[str, Any]], odd: list[str]) -> bool:
    """Whether word ``place`` of the line begins in a span that looks like ``what``."""
    if what not in odd:
        return False
    count, inside = -1, False
    for span, look in zip(spans, odd, strict=True):
        for c in span["text"]:
            if c <= " " or c == "\xa0" or "\u202a" <= c <= "\u202e":  # where MuPDF ends a word
                inside = False
            elif not inside:
                inside = True
                count += 1
                if count == place:
                    return look == what
    return False


def _covered(
    page: Any,
    lines: list[_Line],
    unpainted: dict[tuple[int, int], set[int]],
    unsure: dict[tuple[int, int], set[int]],
    pictures: list[_Box],
) -> set[tuple[int, int]]:
    """Lines of unpainted text that lie on a picture. Fills ``pictures`` with the boxes of pictures as shown, and adds to
    ``unsure`` the words under a shape drawn later."""
    log = page.get_bboxlog()
    turn = _turner(page)
    pictures += [turn(box) for what, box in log if what in ("fill-image", "fill-imgmask", "fill-image-mask")]
    on_picture: set[tuple[int, int]] = set()
    if unpainted and pictures:
        for line in lines:
            if (line.block, line.number) in unpainted:
                x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
                if any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in pictures):
                    on_picture.add((line.block, line.number))
    first_text = next((at for at, (what, _) in enumerate(log) if what.endswith("-text")), len(log))
    covers = [
        (at, box)
        for at, (what, box) in enumerate(log)
        if at > first_text and what.startswith("fill-") and what != "fill-text" and _area(box) > 60
    ]
    covers.sort(key=lambda cover: -_area(cover[1]))
    del covers[_COVERS:]
    if not covers:
        return on_picture
    latest = max(at for at, _ in covers)
    under: list[tuple[float, float, float, float]] = []
    for at, (what, box) in enumerate(log[:latest]):
        if what in ("fill-text", "stroke-text") and any(
            later > at and c[0] <= box[0] and c[1] <= box[1] and c[2] >= box[2] and c[3] >= box[3]
            for later, c in covers
        ):
            under.append(turn(box))
            if len(under) >= 2_000:
                break
    if under:
        for line in lines:
            places = {
                place
                for place, (x0, y0, x1, y1, _) in enumerate(line.words)
                if any(b[0] <= (x0 + x1) / 2 <= b[2] and b[1] <= (y0 + y1) / 2 <= b[3] for b in under)
            }
            if places:
                unsure.setdefault((line.block, line.number), set()).update(places)
    return on_picture


def _area(box: tuple[float, float, float, float]) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


_Box = tuple[float, float, float, float]


def _turner(page: Any) -> Callable[[_Box], _Box]:
    if not page.rotation:
        return lambda box: box
    matrix = page.rotation_matrix

    def turn(box: _Box) -> _Box:
        x0, y0, x1, y1 = pymupdf.Rect(box) * matrix
        return x0, y0, x1, y1

    return turn


def _without_contrast(
    page: Any, rows: dict[tuple[int, int], _Line], unsure: dict[tuple[int, int], set[int]]
) -> Iterator[tuple[tuple[int, int], set[int]]]:
    """Of the doubtful words those whose box has one colour when the page is drawn."""
    width, height = _size(page)
    if not (width and height):
        return
    scale = min(1.5, math.sqrt(4_000_000 / (width * height)))
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    grey, stride, across, down = drawn.samples_mv, drawn.stride, drawn.width, drawn.height
    for key, places in unsure.items():
        flat: set[int] = set()
        for place in places:
            x0, y0, x1, y1, _ = rows[key].words[place]
            left, right = max(0, int(x0 * scale)), min(across, math.ceil(x1 * scale))
            top, bottom = max(0, int(y0 * scale) + 1), min(down, math.ceil(y1 * scale) - 1)
            if right <= left or bottom <= top:
                continue
            stretches = [bytes(grey[row * stride + left : row * stride + right]) for row in range(top, bottom)]
            if max(map(max, stretches)) - min(map(min, stretches)) < _CONTRAST:
                flat.add(place)
        if flat:
            yield key, flat


# --- reading order ---------------------------------------------------------------------------------------------------


def _in_reading_order(lines: list[_Line]) -> list[_Line]:
    """The lines in the order of the file, or by columns where that order jumps about."""
    if len(lines) < 4:
        return lines
    if not (_jumps(lines) or _weaves(lines)):
        return lines
    return _by_columns(lines, depth=0)


def _jumps(lines: list[_Line]) -> bool:
    """Whether the file goes back up in the same column more than the odd header at the end would explain."""
    back = sum(
        after.y1 <= before.y0 + 0.3 * (before.y1 - before.y0)
        and min(before.x1, after.x1) - max(before.x0, after.x0) > 0.5 * min(before.x1 - before.x0, after.x1 - after.x0)
        for before, after in pairwise(lines)
    )
    return back >= max(2, 0.1 * len(lines))


def _weaves(lines: list[_Line]) -> bool:
    """Whether lines of two columns come by turns: left, right, left, right."""
    turns = sum(
        abs(after.y0 - before.y0) < 0.5 * (before.y1 - before.y0)
        and after.x0 - before.x1 > 0.5 * (before.y1 - before.y0)
        and len(before.words) >= 4
        and len(after.words) >= 4
        for before, after in pairwise(lines)
    )
    return turns >= max(3, 0.3 * len(lines))


def _by_columns(lines: list[_Line], depth: int) -> list[_Line]:
    """Recursive X-Y cut: columns left to right where a gutter runs through, else the parts above and below a gap."""
    if len(lines) < 2 or depth > 40:
        return sorted(lines, key=lambda line: (round(line.y0 / 2), line.x0))
    gutter = _widest_gap(lines, 0)
    if gutter is not None:
        left = [line for line in lines if (line.x0 + line.x1) / 2 < gutter]
        right = [line for line in lines if (line.x0 + line.x1) / 2 >= gutter]
        if len(left) > 1 and len(right) > 1:
            return _by_columns(left, depth + 1) + _by_columns(right, depth + 1)
    # Cut off the top at the first gap below which the rest falls into columns (a title over two columns), ...
    gaps = _gaps(lines, 1, 0.0)
    for at, _ in gaps[:12]:
        below = [line for line in lines if (line.y0 + line.y1) / 2 >= at]
        above = [line for line in lines if (line.y0 + line.y1) / 2 < at]
        if above and len(below) > 3 and _widest_gap(below, 0) is not None:
            return _by_columns(above, depth + 1) + _by_columns(below, depth + 1)
    # ... else cut at the widest gap.
    if gaps:
        at = max(gaps, key=lambda gap: gap[1])[0]
        above = [line for line in lines if (line.y0 + line.y1) / 2 < at]
        below = [line for line in lines if (line.y0 + line.y1) / 2 >= at]
        if above and below:
            return _by_columns(above, depth + 1) + _by_columns(below, depth + 1)
    return sorted(lines, key=lambda line: (round(line.y0 / 2), line.x0))


def _gaps(lines: list[_Line], axis: int, least: float) -> list[tuple[float, float]]:
    """Stretches of an axis (0 across, 1 down) where no line lies: their middle and width, in order."""
    spans = sorted((line.x0, line.x1) if axis == 0 else (line.y0, line.y1) for line in lines)
    found: list[tuple[float, float]] = []
    reach = spans[0][1]
    for start, end in spans:
        if start - reach > least:
            found.append(((start + reach) / 2, start - reach))
        reach = max(reach, end)
    return found


def _widest_gap(lines: list[_Line], axis: int) -> float | None:
    heights = sorted(line.y1 - line.y0 for line in lines)
    gaps = _gaps(lines, axis, 0.6 * heights[len(heights) // 2])
    return max(gaps, key=lambda gap: gap[1])[0] if gaps else None
