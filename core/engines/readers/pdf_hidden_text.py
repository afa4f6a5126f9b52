"""Which words of a page nobody sees who looks at it, and why.

Sure signs are told from the file: outside the page, at most 1 point high, fully transparent, drawn with no paint, cut
off by a clip, in a layer that is switched off. What could be either (pale colour, a ground behind the words, a shape
drawn over them, a mask or a transparent group around them, the text layer of a scan) is settled by drawing the page and
looking for contrast in the word's box.

A page is interpreted once, into a list; what is asked of it runs over the list, which costs a fifth of that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import pymupdf as _pymupdf

from core.engines.readers.pdf_layout import FLAGS, Box, Line, PlainWord

pymupdf: Any = _pymupdf  # the library is only half typed
_mupdf: Any = _pymupdf.mupdf
_STILL = _mupdf.FzMatrix()

SCAN = 0.5  # of the page under pictures, from which on unpainted text is the text layer of a scan

_TINY = 1.0  # points
_CONTRAST = 24  # of 255: the least difference inside a word's box that an eye sees
_GROUND = 0.4  # of a word's box: what at least differs from the colour of visible letters
_OWN = 0.5  # of a word's box in its own colour, from which on pale letters are lost in it, whatever else shows there
_COVERS = 200  # the largest shapes of a page that are looked at
_LINE = 4.0  # points: what is thinner covers nothing
_RULE = 3.0  # points: what is higher is no line through words
_RULES = 2_000  # of a page
_EVERYWHERE = (-1e9, -1e9, 1e9, 1e9)
_SHAPE = 20.0  # square points, from which on a shape can cover a word
_DARK = 100  # of 255: up to this a picture laid over words is as good as a black box
_PALE = 230  # of 255: from this on a shape laid over words whitens them out
_FILLED, _STROKED, _CLIPS = 16, 32, 64  # bits of a span's char_flags

_Word = tuple[int, int]  # the number of its line, its place in the line


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes drawn on a page, in the order of drawing; boxes as shown."""

    covers: tuple[tuple[int, bool, Box], ...]  # what can hide a word, the largest first: when, whether a picture, where
    texts: tuple[tuple[int, Box], ...]
    outlines: tuple[Box, ...]  # of letters that a line is drawn around
    picture: float  # share of the page under pictures, 0 to 1
    veils: tuple[tuple[str, Box], ...]  # where something may make letters vanish, and what a word there is then
    contents: Any  # the list that the page is drawn from, without what annotations and fields draw
    notes: bool  # whether those draw on it
    rules: tuple[Box, ...] = ()  # thin level lines, which may run through words
    pictures: tuple[Box, ...] = ()
    uprights: tuple[Box, ...] = ()  # thin upright lines
    frames: tuple[Box, ...] = ()  # rectangles of which the outline is drawn
    has_spoken_text: bool = False  # whether the file says in other words what some of the page's letters are


def shapes(page: Any, width: float, height: float, *, notes: bool) -> Shapes:
    """Gather what is drawn on a page. ``notes``: whether annotations or fields draw on it as well."""
    pdf_page = _own(page)
    contents = _mupdf.fz_new_display_list_from_page_contents(pdf_page)
    watch = _Watch()
    _run(contents, watch)
    if notes:
        _mupdf.fz_run_page_annots(pdf_page, watch, _STILL, _mupdf.FzCookie())
        _mupdf.fz_run_page_widgets(pdf_page, watch, _STILL, _mupdf.FzCookie())
    _mupdf.fz_close_device(watch)
    covers = sorted(watch.covers, key=lambda cover: -_area(cover[2]))[:_COVERS]
    return Shapes(
        tuple(covers),
        tuple(watch.texts),
        tuple(watch.outlines[:_COVERS]),
        _share([box for _, picture, box in watch.covers if picture], width, height),
        tuple(watch.veils[:_COVERS]) if len(watch.veils) <= _COVERS else (("unseen", _EVERYWHERE),),
        contents,
        notes,
        tuple(watch.rules),
        tuple(box for _, picture, box in covers if picture),
        tuple(watch.uprights),
        tuple(watch.frames),
        watch.has_spoken_text,
    )


def cut_off(page: Any, sheet: Any, words: Sequence[tuple[Any, ...]], shapes: Shapes) -> frozenset[int]:
    """Return which of the ``words`` of a page's own contents, as MuPDF gives them for ``sheet``, every clip hides."""
    visible = _inside_clips(lambda device: _run(shapes.contents, device))
    if visible.extractText().split() == sheet.extractText().split():
        return frozenset()
    # The list leaves out letters that their font gives no shape to as well, which is another matter.
    visible = _inside_clips(lambda device: _mupdf.fz_run_page_contents(_own(page), device, _STILL, _mupdf.FzCookie()))
    return _missing(words, visible.extractWORDS())


def _inside_clips(run: Callable[[Any], None]) -> Any:
    letters = _mupdf.FzStextPage(_mupdf.FzRect(_mupdf.FzRect.Fixed_INFINITE))
    device = _mupdf.fz_new_stext_device(letters, _mupdf.FzStextOptions(FLAGS | _mupdf.FZ_STEXT_CLIP))
    run(device)
    _mupdf.fz_close_device(device)
    return pymupdf.TextPage(letters)


def _missing(words: Sequence[tuple[Any, ...]], visible: Sequence[tuple[Any, ...]]) -> frozenset[int]:
    """Return which of the ``words`` have less than half their width among the ``visible``; both as MuPDF gives them."""
    same = Counter((round(word[0]), round(word[1]), word[4]) for word in visible)
    stripes = _by_stripes((index, word[:4]) for index, word in enumerate(visible))
    missing = set[int]()
    for index, (x0, y0, x1, y1, text, *_) in enumerate(words):
        if same[round(x0), round(y0), text]:
            continue
        row = stripes.get(int((y0 + y1) / 2) >> 4, ()) if -1e4 < y0 <= y1 < 1e5 else ()
        beside = {
            (box[0], box[2])
            for _, box in row
            if box[0] < x1 and box[2] > x0 and min(box[3], y1) - max(box[1], y0) > 0.5 * (y1 - y0)
        }
        if sum(min(right, x1) - max(left, x0) for left, right in beside) < 0.5 * (x1 - x0) or x1 <= x0:
            missing.add(index)
    return frozenset(missing)


def _own(page: Any) -> Any:
    return page.this.super() if isinstance(page.this, _mupdf.PdfPage) else page.this


def _run(contents: Any, device: Any) -> None:
    everywhere = _mupdf.FzRect(_mupdf.FzRect.Fixed_INFINITE)
    _mupdf.fz_run_display_list(contents, device, _STILL, everywhere, _mupdf.FzCookie())


def layers_off(document: Any) -> tuple[int, ...]:
    """Return the layers of a document that are switched off, by MuPDF's count."""
    try:
        if not document.is_pdf or document.xref_get_key(document.pdf_catalog(), "OCProperties")[0] == "null":
            return ()
        pdf = _mupdf.pdf_document_from_fz_document(document.this)
        return tuple(
            layer for layer in range(_mupdf.pdf_count_layers(pdf)) if not _mupdf.pdf_layer_is_enabled(pdf, layer)
        )
    except MemoryError:
        raise
    except Exception:  # of a damaged list nothing is drawn
        return ()


def missing_words(every: Sequence[tuple[Any, ...]], visible: Sequence[tuple[Any, ...]]) -> frozenset[int]:
    """Return which of ``every`` word are not among the ``visible``, to the place."""
    left = Counter(word[:5] for word in visible)
    missing = set[int]()
    for index, word in enumerate(every):
        if left[word[:5]]:
            left[word[:5]] -= 1
        else:
            missing.add(index)
    return frozenset(missing)


@contextmanager
def switched_on(document: Any, layers: Sequence[int]) -> Iterator[None]:
    """Switch layers on for as long as the context lasts."""
    pdf = _mupdf.pdf_document_from_fz_document(document.this)
    try:
        for layer in layers:
            _mupdf.pdf_enable_layer(pdf, layer, 1)
        yield
    finally:
        for layer in layers:
            _mupdf.pdf_enable_layer(pdf, layer, 0)


# Ways of mixing colours that never make dark letters vanish: normal, multiply, darken, colour burn.
_DARKENS = (0, 1, 4, 7)
_VEIL_OPACITY = 0.3  # opacity of a group, below which its letters may be lost


class _Watch(_mupdf.FzDevice2):  # type: ignore[misc]
    """A recorder of what is drawn, as MuPDF calls it; parameters are its own, after the context."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.covers: list[tuple[int, bool, Box]] = []
        self.texts: list[tuple[int, Box]] = []
        self.outlines: list[Box] = []
        self.veils: list[tuple[str, Box]] = []
        self.rules: list[Box] = []
        self.uprights: list[Box] = []
        self.frames: list[Box] = []
        self.use_virtual_fill_path()
        self.use_virtual_stroke_path()
        self.use_virtual_fill_text()
        self.use_virtual_stroke_text()
        self.use_virtual_ignore_text()
        self.use_virtual_fill_shade()
        self.use_virtual_fill_image()
        self.use_virtual_fill_image_mask()
        self.use_virtual_clip_path()
        self.use_virtual_clip_image_mask()
        self.use_virtual_begin_mask()
        self.use_virtual_begin_group()
        self.use_virtual_begin_metatext()
        self.has_spoken_text = False

    def _cover(self, box: Any, *, picture: bool = False) -> None:
        x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
        if (x1 - x0) * (y1 - y0) >= _SHAPE:
            self.covers.append((self.count, picture, (x0, y0, x1, y1)))
        if y1 - y0 <= _RULE or x1 - x0 <= _RULE:
            self._rule(x0, y0, x1, y1)
        self.count += 1

    def _rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        if y1 - y0 <= _RULE:
            if x1 - x0 >= _LINE and len(self.rules) < _RULES:
                self.rules.append((x0, y0, x1, y1))
        elif x1 - x0 <= _RULE and y1 - y0 >= _LINE and len(self.uprights) < _RULES:
            self.uprights.append((x0, y0, x1, y1))

    def fill_path(self, _: Any, path: Any, even_odd: int, matrix: Any, *how: Any) -> None:
        self._cover(_mupdf.ll_fz_bound_path(path, None, matrix))

    def stroke_path(self, _: Any, path: Any, stroke: Any, matrix: Any, *how: Any) -> None:
        box = _mupdf.ll_fz_bound_path(path, stroke, matrix)
        if min(box.x1 - box.x0, box.y1 - box.y0) >= _LINE:
            self._cover(box)
            if len(self.frames) < _RULES and _mupdf.ll_fz_path_is_rect(path, matrix):
                self.frames.append((box.x0, box.y0, box.x1, box.y1))
        else:
            self._rule(box.x0, box.y0, box.x1, box.y1)
            self.count += 1

    def fill_shade(self, _: Any, shade: Any, matrix: Any, *how: Any) -> None:
        self._cover(_mupdf.ll_fz_bound_shade(shade, matrix))

    def fill_image(self, _: Any, image: Any, matrix: Any, *how: Any) -> None:
        self._cover(_mupdf.ll_fz_transform_rect(_mupdf.fz_unit_rect, matrix), picture=True)

    def fill_image_mask(self, _: Any, image: Any, matrix: Any, *how: Any) -> None:
        self._cover(_mupdf.ll_fz_transform_rect(_mupdf.fz_unit_rect, matrix), picture=True)

    def fill_text(self, _: Any, text: Any, matrix: Any, *how: Any) -> None:
        box = _mupdf.ll_fz_bound_text(text, None, matrix)
        self.texts.append((self.count, (box.x0, box.y0, box.x1, box.y1)))
        self.count += 1

    def stroke_text(self, _: Any, text: Any, stroke: Any, matrix: Any, *how: Any) -> None:
        box = _mupdf.ll_fz_bound_text(text, stroke, matrix)
        self.texts.append((self.count, (box.x0, box.y0, box.x1, box.y1)))
        self.outlines.append(self.texts[-1][1])
        self.count += 1

    def ignore_text(self, _: Any, text: Any, matrix: Any) -> None:
        self.fill_text(_, text, matrix)

    def clip_path(self, _: Any, path: Any, even_odd: int, matrix: Any, scissor: Any) -> None:
        if not _mupdf.ll_fz_path_is_rect(path, matrix):  # of one with corners only its bounds are heeded otherwise
            box = _mupdf.ll_fz_bound_path(path, None, matrix)
            self.veils.append(("cut off", (box.x0, box.y0, box.x1, box.y1)))

    def clip_image_mask(self, _: Any, image: Any, matrix: Any, scissor: Any) -> None:
        box = _mupdf.ll_fz_transform_rect(_mupdf.fz_unit_rect, matrix)
        self.veils.append(("cut off", (box.x0, box.y0, box.x1, box.y1)))

    def begin_mask(self, *how: Any) -> None:
        self.veils.append(("transparent", _EVERYWHERE))

    def begin_metatext(self, *how: Any) -> None:
        self.has_spoken_text = True

    def begin_group(self, _: Any, box: Any, space: Any, isolated: int, knockout: int, blend: int, alpha: float) -> None:
        if alpha < _VEIL_OPACITY or blend not in _DARKENS:
            self.veils.append(("transparent" if alpha < _VEIL_OPACITY else "unseen", (box.x0, box.y0, box.x1, box.y1)))


def mark(page: Any, lines: Sequence[Line], shapes: Shapes, cut: Collection[int] = ()) -> bool:
    """Mark in each line which of its words are hidden, and why.

    ``cut`` are those that a clip cuts off, counted through all lines. Returns whether words without paint of their own
    are left over a picture, which may show something else than they say.
    """
    width, height = float(page.rect.width), float(page.rect.height)
    sure: dict[_Word, str] = {}
    doubts: dict[_Word, _Doubt] = {}
    plain: set[int] = set()  # colours that stand out on a white page
    for number, line in enumerate(lines):
        if line.x0 < 0 or line.y0 < 0 or line.x1 > width or line.y1 > height:
            for place, (x0, y0, x1, y1, _) in enumerate(line.words):
                if not (0 <= (x0 + x1) / 2 <= width and 0 <= (y0 + y1) / 2 <= height):
                    sure[number, place] = "outside"
        odd = {index: look for index, span in enumerate(line.spans) if (look := _look(span, plain))}
        if odd:
            for place, index in enumerate(_span_of_words(line)):
                if index in odd:
                    _weigh(odd[index], (number, place), line.words[place], line.spans[index], shapes, sure, doubts)
        if any("\u202d" in span["text"] or "\u202e" in span["text"] for span in line.spans):
            for place in _turned_words(line):
                sure.setdefault((number, place), "direction")
    if cut:
        places = ((number, place) for number, line in enumerate(lines) for place in range(len(line.words)))
        for index, word in enumerate(places):
            if index in cut:
                sure.setdefault(word, "cut off")
    _doubt_covered(lines, shapes, doubts)
    _doubt_veiled(lines, shapes, doubts)
    for word in sure:
        doubts.pop(word, None)
    sure.update(_unseen(page, lines, doubts, shapes))
    for (number, place), why in sure.items():
        line = lines[number]
        line.hidden_words = {**line.hidden_words, place: why}
    return any(
        doubt.why == "invisible" and word not in sure and _over_picture(lines[word[0]].words[word[1]], shapes)
        for word, doubt in doubts.items()
    )


def _over_picture(word: PlainWord, shapes: Shapes) -> bool:
    return shapes.picture >= SCAN or any(picture and _inside(box, word) for _, picture, box in shapes.covers)


@dataclass(frozen=True, slots=True)
class _Doubt:
    """The reason why a word may be unseen.

    ``why`` it is if nothing shows in its box; the colour it is drawn in (None: unknown); the shape that lies over it,
    and whether that is a picture.
    """

    why: str
    color: int | None = None
    over: Box | None = None
    picture: bool = False


def _look(span: Mapping[str, Any], plain: set[int]) -> str:
    """Return '' for a span that looks plainly visible, else what speaks against it; ``plain`` gathers such colours."""
    flags, alpha, color = span["char_flags"], span["alpha"], span["color"]
    if color in plain and alpha == 255 and flags & (_FILLED | _STROKED | _CLIPS) == _FILLED and span["size"] > _TINY:
        return ""
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
    if 0.3 * (color >> 16 & 255) + 0.59 * (color >> 8 & 255) + 0.11 * (color & 255) > 200:
        return "pale"
    plain.add(color)
    return ""


def _weigh(
    look: str,
    word: _Word,
    box: PlainWord,
    span: Mapping[str, Any],
    shapes: Shapes,
    sure: dict[_Word, str],
    doubts: dict[_Word, _Doubt],
) -> None:
    if (look == "invisible" and shapes.picture < SCAN) or look in ("tiny", "transparent"):
        sure.setdefault(word, look)
    elif look == "clip" and not any(_inside(cover[2], box) for cover in shapes.covers):
        sure.setdefault(word, "invisible")  # nothing is there to be seen through the letters
    elif look in ("invisible", "clip"):
        doubts[word] = _Doubt("invisible")
    elif look == "faint":
        doubts[word] = _Doubt("transparent")
    elif look == "pale":
        has_outline = any(_inside(outline, box) for outline in shapes.outlines)  # in a colour that is not told
        doubts[word] = _Doubt("colour", None if has_outline else span["color"])


def _inside(box: Box, word: PlainWord) -> bool:
    """Return whether the middle of a word lies in a box."""
    return box[0] <= (word[0] + word[2]) / 2 <= box[2] and box[1] <= (word[1] + word[3]) / 2 <= box[3]


def _span_of_words(line: Line) -> list[int]:
    """Return for each word of a line the span it begins in."""
    begins: list[int] = []
    inside = False
    for index, span in enumerate(line.spans):
        for c in span["text"]:
            if _ends_word(c):
                inside = False
            elif not inside:
                inside = True
                begins.append(index)
    count = len(line.words)
    begins += [len(line.spans) - 1] * (count - len(begins))
    return begins[:count]


def _turned_words(line: Line) -> Iterator[int]:
    """Yield the words between an override of the direction and its end, which MuPDF leaves out of its words."""
    place = -1
    inside = is_turned = False
    for c in "".join(span["text"] for span in line.spans):
        if _ends_word(c):
            inside = False
            is_turned = c in "\u202d\u202e" or (is_turned and c != "\u202c")
        elif not inside:
            inside = True
            place += 1
            if is_turned and place < len(line.words):
                yield place


def _ends_word(c: str) -> bool:
    return c <= " " or c == "\xa0" or "\u202a" <= c <= "\u202e"  # as MuPDF sees it


def _doubt_covered(lines: Sequence[Line], shapes: Shapes, doubts: dict[_Word, _Doubt]) -> None:
    """Doubt the words that a shape was drawn over, and those drawn on a ground."""
    if not shapes.covers or not shapes.texts:
        return
    first, last = shapes.texts[0][0], shapes.texts[-1][0]
    over = [cover for cover in shapes.covers if cover[0] > first]
    under = _apart([box for order, _, box in shapes.covers if order < last])
    when = _by_stripes(shapes.texts) if over else {}
    low, tall = _low(over)
    for number, line in enumerate(lines):
        left, top, right, bottom = line.x0, line.y0, line.x1, line.y1
        candidates = tall
        if low and -1e4 < top <= bottom < 1e5:
            candidates = sorted(
                {*tall, *(index for row in range(int(top) >> 4, (int(bottom) >> 4) + 1) for index in low.get(row, ()))}
            )
        elif low:
            candidates = range(len(over))
        here = [
            c
            for c in map(over.__getitem__, candidates)
            if c[2][0] < right and c[2][2] > left and c[2][1] < bottom and c[2][3] > top
        ]
        ground = False
        for x0, y0, x1, y1 in under:
            if x0 < right and x1 > left and y0 < bottom and y1 > top:
                ground = True
                break
        if not (here or ground):
            continue
        colors = [span["color"] for span in line.spans]
        begins = _span_of_words(line) if len(set(colors)) > 1 else ()
        on = {color: _Doubt("unseen", color) for color in colors} or {None: _Doubt("unseen")}
        only = colors[0] if colors else None
        for place, word in enumerate(line.words):
            color = colors[begins[place]] if begins else only
            cover = next((candidate for candidate in here if _covers(candidate, word, when)), None) if here else None
            if cover is not None:
                doubt = doubts.get((number, place))
                doubts[number, place] = _Doubt(doubt.why if doubt else "unseen", color, cover[2], cover[1])
            elif ground and (number, place) not in doubts:
                doubts[number, place] = on[color]


def _doubt_veiled(lines: Sequence[Line], shapes: Shapes, doubts: dict[_Word, _Doubt]) -> None:
    """Doubt the words in places where a clip with corners, a mask or a transparent group may take them away."""
    for why, veil in shapes.veils:
        x0, y0, x1, y1 = veil
        for number, line in enumerate(lines):
            if x0 < line.x1 and x1 > line.x0 and y0 < line.y1 and y1 > line.y0:
                for place, word in enumerate(line.words):
                    doubt = doubts.get((number, place))
                    if (doubt is None or (doubt.why == "unseen" and doubt.over is None)) and _inside(veil, word):
                        doubts[number, place] = _Doubt(why, doubt.color if doubt else None)


_Stripes = dict[int, list[tuple[int, Box]]]


def _by_stripes(texts: Iterable[tuple[int, Box]]) -> _Stripes:
    """Group text objects by the stripes of the page, 16 points high, that they touch."""
    stripes: _Stripes = {}
    for order, box in texts:
        if -1e4 < box[1] <= box[3] < 1e5:
            for stripe in range(int(box[1]) >> 4, (int(box[3]) >> 4) + 1):
                stripes.setdefault(stripe, []).append((order, box))
    return stripes


def _low(covers: Sequence[tuple[int, bool, Box]]) -> tuple[dict[int, list[int]], Sequence[int]]:
    """Return the places of low shapes by the stripes of the page that they touch, and those of all others."""
    low: dict[int, list[int]] = {}
    tall: list[int] = []
    for place, (_, _, (_, top, _, bottom)) in enumerate(covers):
        if -1e4 < top <= bottom < 1e5 and bottom - top < 64:
            for stripe in range(int(top) >> 4, (int(bottom) >> 4) + 1):
                low.setdefault(stripe, []).append(place)
        else:
            tall.append(place)
    return low, tall


def _apart(boxes: Sequence[Box]) -> list[Box]:
    """Return boxes, the largest first, without those that lie inside one of the largest few."""
    outer = boxes[:3]
    return [
        *outer,
        *(
            box
            for box in boxes[3:]
            if not any(b[0] <= box[0] and b[1] <= box[1] and b[2] >= box[2] and b[3] >= box[3] for b in outer)
        ),
    ]


def _covers(cover: tuple[int, bool, Box], word: PlainWord, when: _Stripes) -> bool:
    """Return whether the middle of a word lies under a shape that was drawn after its letters."""
    order, _, box = cover
    x0, y0, x1, y1, _ = word
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if not (box[0] <= x <= box[2] and box[1] <= y <= box[3]):
        return False
    return any(
        text_order < order and b[0] - 1 <= x <= b[2] + 1 and b[1] < y1 and b[3] > y0
        for text_order, b in when.get(int(y) >> 4, [])
    )


def _unseen(
    page: Any, lines: Sequence[Line], doubts: Mapping[_Word, _Doubt], shapes: Shapes
) -> Iterator[tuple[_Word, str]]:
    """Yield those of the doubtful words that have no contrast when the page is drawn."""
    if not doubts:
        return
    paper = page.rect
    left, top, right, bottom, _ = zip(*(lines[number].words[place] for number, place in doubts), strict=True)
    region = pymupdf.Rect(
        max(0.0, min(left) - 2),
        max(0.0, min(top) - 2),
        min(paper.width, max(right) + 2),
        min(paper.height, max(bottom) + 2),
    )
    if region.is_empty or not (0 < region.width < 1e6 and 0 < region.height < 1e6):
        return
    scale = min(1.5, math.sqrt(4_000_000 / (region.width * region.height)))
    drawing = page.get_displaylist() if shapes.notes else pymupdf.DisplayList(shapes.contents)
    picture = drawing.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=0, clip=region)
    rendering = _Rendering(bytes(picture.samples_mv), picture.x, picture.y, picture.width, picture.height, scale)
    for word, doubt in doubts.items():
        box = lines[word[0]].words[word[1]]
        why = _why_unseen(rendering, box, doubt)
        if why:
            yield word, why


@dataclass(frozen=True, slots=True)
class _Rendering:
    """A part of the page as pixels, each red, green and blue, from (x, y) on."""

    pixels: bytes
    x: int
    y: int
    width: int
    height: int
    scale: float

    def stands_out(self, box: Box, color: int, least: float) -> bool:
        """Return whether letters of that colour are sure to be seen; False is no answer.

        It is a look at the middle of their box, which is mostly enough; ``least`` of it must be of another colour.
        """
        row = int((box[1] + box[3]) * self.scale / 2) - self.y
        left, right = max(0, int(box[0] * self.scale) - self.x), min(self.width, int(box[2] * self.scale) + 1 - self.x)
        if not (0 <= row < self.height and left < right):
            return False
        green = self.pixels[3 * (row * self.width + left) + 1 : 3 * (row * self.width + right) : 3]
        differing = len(green.translate(None, _alike(color >> 8 & 255)))
        return differing >= least * len(green) and max(green) - min(green) >= _CONTRAST

    def inside(self, box: Box, *, inset: float = 0.0) -> tuple[bytes, bytes, bytes]:
        """Return red, green and blue in a box given in points, ``inset`` pixels from its upper and lower edge."""
        left = max(0, math.floor(box[0] * self.scale) - self.x)
        right = min(self.width, math.ceil(box[2] * self.scale) - self.x)
        top = max(0, math.floor(box[1] * self.scale + inset) - self.y)
        bottom = min(self.height, math.ceil(box[3] * self.scale - inset) - self.y)
        if right <= left or bottom <= top:
            return b"", b"", b""
        starts = range(3 * (top * self.width + left), 3 * (bottom * self.width + left), 3 * self.width)
        part = b"".join(self.pixels[start : start + 3 * (right - left)] for start in starts)
        return part[::3], part[1::3], part[2::3]


def _why_unseen(rendering: _Rendering, word: PlainWord, doubt: _Doubt) -> str:
    x0, y0, x1, y1, text = word
    box = (x0, y0, x1, y1)
    if doubt.over is not None:
        # Only the part under the shape, without the soft edge of it: a black box rarely covers the whole line.
        edge = 1.0 / rendering.scale
        over = doubt.over
        box = (max(x0, over[0] + edge), max(y0, over[1] + edge), min(x1, over[2] - edge), min(y1, over[3] - edge))
        if box[2] - box[0] < 0.5 * (x1 - x0) or box[3] - box[1] < 0.4 * (y1 - y0):
            return ""
    pale = doubt.why == "colour"
    careful = pale or doubt.over is not None
    if not pale and doubt.color is not None and rendering.stands_out(box, doubt.color, 0.6 if careful else _GROUND):
        return ""
    band = 0.25 * (box[3] - box[1])
    middle = rendering.inside((box[0], box[1] + band, box[2], box[3] - band))
    if not middle[0] or not any(c.isalnum() for c in text):  # strokes and dots have no middle to look at
        return ""
    flat = _flat(middle) and _flat(rendering.inside(box, inset=0.0 if doubt.over is not None else 1.0))
    is_like_letters = doubt.color is not None and _like(middle, doubt.color) > (_OWN if careful else 1 - _GROUND)
    if not flat and not is_like_letters:
        return ""
    # Where something shows, but nearly all is of the letters' own colour, it is not the letters: a label, say, on the
    # box that lies over them.
    if doubt.over is not None and not (is_like_letters and pale):
        brightest = max(sum(channel) / len(channel) for channel in middle)
        return "blacked out" if brightest <= (_DARK if doubt.picture else _PALE) else "behind"
    return "colour" if is_like_letters else doubt.why


def _flat(channels: tuple[bytes, bytes, bytes]) -> bool:
    return all(not channel or max(channel) - min(channel) < _CONTRAST for channel in channels)


def _like(channels: tuple[bytes, bytes, bytes], color: int) -> float:
    """Return the share of the pixels that look like a colour."""
    return min(
        1 - len(channel.translate(None, _alike(color >> shift & 255))) / len(channel)
        for channel, shift in zip(channels, (16, 8, 0), strict=True)
    )


@cache
def _alike(value: int) -> bytes:
    """Return the values of a channel that an eye takes for one."""
    return bytes(range(max(0, value - _CONTRAST + 1), min(255, value + _CONTRAST - 1) + 1))


# --- geometry --------------------------------------------------------------------------------------------------------


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _share(pictures: Sequence[Box], width: float, height: float) -> float:
    """Return the share of the page under pictures.

    They are mostly one, or stripes side by side; of more than can be told apart cheaply a grid of points says how much
    they cover.
    """
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
