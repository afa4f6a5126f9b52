"""Which words of a page nobody sees who looks at it, and why.

Sure signs are told from the file: outside the page, at most 1 point high, fully transparent, drawn with no paint. What
could be either (pale colour, a ground behind the words, a shape drawn over them, the text layer of a scan) is settled
by drawing the page and looking for contrast in the word's box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pymupdf as _pymupdf

from core.engines.pdf_text import Box, Line

pymupdf: Any = _pymupdf  # the library is only half typed

SCAN = 0.5  # of the page under pictures, from which on unpainted text is the text layer of a scan

_TINY = 1.0  # points
_CONTRAST = 24  # of 255: the least difference inside a word's box that an eye sees
_GROUND = 0.25  # of a word's box: what at least differs from the colour of visible letters
_COVERS = 200  # the largest shapes of a page that are looked at
_SHAPE = 20.0  # square points, from which on a shape can cover a word
_DARK = 100  # of 255: a box up to this blacks out what is under it
_FILLED, _STROKED, _CLIPS = 16, 32, 64  # bits of a span's char_flags

_Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Shapes:
    """What is drawn on a page besides letters, in the order of drawing; boxes as shown."""

    covers: tuple[tuple[int, bool, Box], ...]  # what can hide a word, the largest first: when, whether a picture, where
    texts: tuple[tuple[int, Box], ...]
    picture: float  # share of the page under pictures, 0 to 1


def shapes(page: Any, width: float, height: float) -> Shapes:
    turn = _turner(page)
    covers: list[tuple[int, bool, Box]] = []
    texts: list[tuple[int, Box]] = []
    pictures: list[Box] = []
    for at, (what, box) in enumerate(page.get_bboxlog()):
        if what.endswith("-text"):
            texts.append((at, box))
            continue
        if what == "stroke-path" and min(box[2] - box[0], box[3] - box[1]) < 4:
            continue
        if (box[2] - box[0]) * (box[3] - box[1]) < _SHAPE or not what.startswith(("fill-", "stroke-")):
            continue
        picture = what in ("fill-image", "fill-imgmask", "fill-image-mask")
        shown = turn(box)
        if picture:
            pictures.append(shown)
        covers.append((at, picture, shown))
    covers.sort(key=lambda cover: -_area(cover[2]))
    del covers[_COVERS:]
    if turn is not _as_is and covers:
        texts = [(at, turn(box)) for at, box in texts]
    return Shapes(tuple(covers), tuple(texts), _share(pictures, width, height))


def mark(page: Any, blocks: Iterable[dict[str, Any]], lines: Sequence[Line], drawn: Shapes) -> None:
    """Say in each line which of its words are hidden, and why. ``blocks`` are MuPDF's, with the spans of the lines."""
    width, height = float(page.rect.width), float(page.rect.height)
    rows = {(line.block, line.number): line for line in lines}
    sure: dict[_Key, dict[int, str]] = {}
    doubts: dict[_Key, dict[int, _Doubt]] = {}
    for line in lines:
        if line.x0 < 0 or line.y0 < 0 or line.x1 > width or line.y1 > height:
            for place, (x0, y0, x1, y1, _) in enumerate(line.words):
                if not (0 <= (x0 + x1) / 2 <= width and 0 <= (y0 + y1) / 2 <= height):
                    sure.setdefault((line.block, line.number), {})[place] = "outside"
    spans: dict[_Key, list[dict[str, Any]]] = {}
    for block in blocks:
        for number, told in enumerate(block.get("lines", ())):
            key = (block["number"], number)
            row = rows.get(key)
            if row is None:
                continue
            spans[key] = told["spans"]
            looks = [_look(span) for span in told["spans"]]
            if any(looks):
                for place, span in enumerate(_span_of_words(told["spans"], len(row.words))):
                    _weigh(looks[span], key, place, told["spans"][span], drawn, sure, doubts)
    _under(lines, drawn, spans, doubts)
    for key in sure:
        for place in sure[key]:
            doubts.get(key, {}).pop(place, None)
    for key, place, why in _unseen(page, rows, {key: places for key, places in doubts.items() if places}):
        sure.setdefault(key, {})[place] = why
    for key, places in sure.items():
        rows[key].hidden = places


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Why a word may be unseen: ``why`` it is if nothing shows in its box; the colour it is drawn in (None: unknown);
    the shape that lies over it, and whether that is a picture."""

    why: str
    color: int | None = None
    over: Box | None = None
    picture: bool = False


def _look(span: dict[str, Any]) -> str:
    """'' for a span that looks plainly visible, else what speaks against it."""
    flags = span.get("char_flags", _FILLED)
    alpha = span.get("alpha", 255)
    if not flags & (_FILLED | _STROKED):
        return "invisible"
    if flags & _CLIPS and alpha == 0:
        return "clip"  # letters that cut out what is drawn next
    x0, y0, x1, y1 = span["bbox"]
    if span["size"] <= _TINY and min(x1 - x0, y1 - y0) <= 2 * _TINY:
        return "tiny"
    if alpha < 13:
        return "transparent"
    if alpha < 80:
        return "faint"
    color = span["color"]
    return "pale" if 0.3 * (color >> 16 & 255) + 0.59 * (color >> 8 & 255) + 0.11 * (color & 255) > 200 else ""


def _weigh(
    look: str,
    key: _Key,
    place: int,
    span: dict[str, Any],
    drawn: Shapes,
    sure: dict[_Key, dict[int, str]],
    doubts: dict[_Key, dict[int, _Doubt]],
) -> None:
    if (look == "invisible" and drawn.picture < SCAN) or look in ("tiny", "transparent"):
        sure.setdefault(key, {}).setdefault(place, look)
    elif look in ("invisible", "clip"):
        doubts.setdefault(key, {})[place] = _Doubt("invisible")
    elif look == "faint":
        doubts.setdefault(key, {})[place] = _Doubt("transparent")
    elif look == "pale":
        doubts.setdefault(key, {})[place] = _Doubt("colour", span["color"])


def _span_of_words(spans: list[dict[str, Any]], count: int) -> list[int]:
    """For each word of a line the span it begins in."""
    begins: list[int] = []
    inside = False
    for at, span in enumerate(spans):
        for c in span["text"]:
            if c <= " " or c == "\xa0" or "\u202a" <= c <= "\u202e":  # where MuPDF ends a word
                inside = False
            elif not inside:
                inside = True
                begins.append(at)
    begins += [len(spans) - 1] * (count - len(begins))
    return begins[:count]


def _under(
    lines: Sequence[Line],
    drawn: Shapes,
    spans: dict[_Key, list[dict[str, Any]]],
    doubts: dict[_Key, dict[int, _Doubt]],
) -> None:
    """Doubt the words that a shape was drawn over, and those drawn on a ground."""
    if not drawn.covers or not drawn.texts:
        return
    first, last = drawn.texts[0][0], drawn.texts[-1][0]
    over = [cover for cover in drawn.covers if cover[0] > first]
    under = [box for at, _, box in drawn.covers if at < last]
    when: dict[int, list[tuple[int, Box]]] = {}  # the text objects by the stripes of the page that they touch
    if over:
        for at, box in drawn.texts:
            if -1e4 < box[1] <= box[3] < 1e5:
                for stripe in range(int(box[1]) >> 4, (int(box[3]) >> 4) + 1):
                    when.setdefault(stripe, []).append((at, box))
    for line in lines:
        key = (line.block, line.number)
        here = [c for c in over if c[2][0] < line.x1 and c[2][2] > line.x0 and c[2][1] < line.y1 and c[2][3] > line.y0]
        ground = any(b[0] < line.x1 and b[2] > line.x0 and b[1] < line.y1 and b[3] > line.y0 for b in under)
        if not (here or ground):
            continue
        told = spans.get(key)
        colors = [span["color"] for span in told] if told else []
        one = colors[0] if len(set(colors)) == 1 else None
        begins = _span_of_words(told, len(line.words)) if told and one is None else ()
        for place, (x0, y0, x1, y1, _) in enumerate(line.words):
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            color = one if one is not None else colors[begins[place]] if begins else None
            before = doubts.get(key, {}).get(place)
            for at, picture, box in here:
                if not (box[0] <= x <= box[2] and box[1] <= y <= box[3]):
                    continue
                here_too = when.get(int(y) >> 4, [])
                if any(then < at and b[0] - 1 <= x <= b[2] + 1 and b[1] < y1 and b[3] > y0 for then, b in here_too):
                    why = before.why if before else "unseen"
                    doubts.setdefault(key, {})[place] = _Doubt(why, color, box, picture)
                    break
            else:
                if ground and before is None:
                    doubts.setdefault(key, {})[place] = _Doubt("unseen", color)


def _unseen(
    page: Any, rows: dict[_Key, Line], doubts: dict[_Key, dict[int, _Doubt]]
) -> Iterator[tuple[_Key, int, str]]:
    """Of the doubtful words those that do not stand out when the page is drawn."""
    boxes = [rows[key].words[place][:4] for key, places in doubts.items() for place in places]
    if not boxes:
        return
    shown = page.rect
    region = pymupdf.Rect(
        max(0.0, min(box[0] for box in boxes) - 2),
        max(0.0, min(box[1] for box in boxes) - 2),
        min(shown.width, max(box[2] for box in boxes) + 2),
        min(shown.height, max(box[3] for box in boxes) + 2),
    )
    if region.is_empty or not (0 < region.width < 1e6 and 0 < region.height < 1e6):
        return
    scale = min(1.5, math.sqrt(4_000_000 / (region.width * region.height)))
    picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False, clip=region)
    seen = _Drawn(bytes(picture.samples_mv), picture.x, picture.y, picture.width, picture.height, scale)
    for key, places in doubts.items():
        for place, doubt in places.items():
            why = _why_unseen(seen, rows[key].words[place][:4], doubt)
            if why:
                yield key, place, why


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A part of the page as pixels: three bytes each, from (x, y) on."""

    pixels: bytes
    x: int
    y: int
    width: int
    height: int
    scale: float

    def inside(self, box: Box, *, inset: float = 0.0) -> tuple[bytes, bytes, bytes]:
        """Red, green and blue in a box given in points, ``inset`` pixels from its upper and lower edge."""
        left = max(0, math.floor(box[0] * self.scale) - self.x)
        right = min(self.width, math.ceil(box[2] * self.scale) - self.x)
        top = max(0, math.floor(box[1] * self.scale + inset) - self.y)
        bottom = min(self.height, math.ceil(box[3] * self.scale - inset) - self.y)
        if right <= left or bottom <= top:
            return b"", b"", b""
        stride = 3 * self.width
        rows = b"".join(self.pixels[row * stride + 3 * left : row * stride + 3 * right] for row in range(top, bottom))
        return rows[::3], rows[1::3], rows[2::3]


def _why_unseen(seen: _Drawn, box: Box, doubt: _Doubt) -> str:
    x0, y0, x1, y1 = box
    if doubt.over is not None:
        # Only the part under the shape, without the soft edge of it: a black box rarely covers the whole line.
        edge = 1.0 / seen.scale
        over = doubt.over
        box = (max(x0, over[0] + edge), max(y0, over[1] + edge), min(x1, over[2] - edge), min(y1, over[3] - edge))
        if box[2] - box[0] < 0.5 * (x1 - x0) or box[3] - box[1] < 0.4 * (y1 - y0):
            return ""
    band = 0.25 * (box[3] - box[1])
    middle = seen.inside((box[0], box[1] + band, box[2], box[3] - band))
    if not middle[0]:
        return ""
    flat = _flat(middle) and _flat(seen.inside(box, inset=0.0 if doubt.over is not None else 1.0))
    near = doubt.color is not None and _like(middle, doubt.color) > 1 - _GROUND
    if not flat:
        # Something shows there; but where nearly all is of the letters' own colour, it is not the letters.
        return "colour" if near and doubt.over is None else ""
    if doubt.over is not None and not (near and doubt.why == "colour"):
        dark = max(sum(channel) / len(channel) for channel in middle) <= _DARK
        return "blacked out" if dark else "behind"
    return "colour" if near else doubt.why


def _flat(channels: tuple[bytes, bytes, bytes]) -> bool:
    return all(not channel or max(channel) - min(channel) < _CONTRAST for channel in channels)


def _like(channels: tuple[bytes, bytes, bytes], color: int) -> float:
    """What share of the pixels is, to the eye, of a colour."""
    shares = []
    for channel, shift in zip(channels, (16, 8, 0), strict=True):
        own = color >> shift & 255
        near = bytes(range(max(0, own - _CONTRAST + 1), min(255, own + _CONTRAST - 1) + 1))
        shares.append(1 - len(channel.translate(None, near)) / len(channel))
    return min(shares)


# --- geometry --------------------------------------------------------------------------------------------------------


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _as_is(box: Box) -> Box:
    return box


def _turner(page: Any) -> Callable[[Box], Box]:
    """From the page as it is stored to the page as it is shown."""
    if not page.rotation:
        return _as_is
    matrix = page.rotation_matrix

    def turn(box: Box) -> Box:
        x0, y0, x1, y1 = pymupdf.Rect(box) * matrix
        return x0, y0, x1, y1

    return turn


def _share(pictures: Sequence[Box], width: float, height: float) -> float:
    """What share of the page lies under pictures. They are mostly one, or stripes side by side; of more than can be
    told apart cheaply a grid of points says how much they cover."""
    if not pictures or not (width and height):
        return 0.0
    inside = [(max(0.0, x0), max(0.0, y0), min(width, x1), min(height, y1)) for x0, y0, x1, y1 in pictures]
    inside = [box for box in inside if box[2] > box[0] and box[3] > box[1]]
    if len(inside) == 1:
        return min(1.0, _area(inside[0]) / (width * height))
    inside.sort(key=_area, reverse=True)
    del inside[_COVERS:]
    steps = 24
    hits = 0
    for row in range(steps):
        y = (row + 0.5) * height / steps
        here = [(box[0], box[2]) for box in inside if box[1] <= y < box[3]]
        if here:
            hits += sum(
                any(x0 <= x < x1 for x0, x1 in here) for x in ((step + 0.5) * width / steps for step in range(steps))
            )
    return hits / (steps * steps)
