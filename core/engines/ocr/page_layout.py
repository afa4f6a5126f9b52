"""What the engines that read scans share: the picture made ready to be read, and lines of words made into a page."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.domain import Word, Words
from core.errors import UnreadableDocument
from core.ports import OcrPage, OcrWord

if TYPE_CHECKING:
    from PIL.Image import Image

PIXELS = 60_000_000  # of a picture that is looked at
DPI = 300  # what both engines read best
# Of processor time, for reading a page by all engines together; one takes two to ten. On a busy computer a page takes
# longer by the clock, and is read all the same: up to BUSY times as long.
SECONDS = 30.0
BUSY = 4
_LOW, _HIGH = 240, 420  # dots an inch between which a picture is left as it is
_LONG_SIDE = 4_600  # pixels of the picture that is read: a little more than A4 at DPI
_MAX_SCALE = 4.0  # enlarging further only takes time
_SKEW = 6.0  # degrees to either side that are looked at
_GRAIN = 5.0  # grey levels of noise from which a picture is smoothed
_SMOOTH = 1.5  # pixels at 300 dots an inch: on grainy paper it takes Tesseract from 160 wrong letters in 1,000 to 20
_UNEVEN = 16  # grey levels between the brightest and the darkest paper from which a page was lit unevenly
_DARKEST = 64.0  # grey level below which nothing is paper
_STRAIGHT = 0.25  # degrees that need no turning

Box = tuple[float, float, float, float]
# Words of one line in reading order, in pixels of a sheet; whether a paragraph begins with it.
Line = tuple[list[OcrWord], bool]


def around(words: Sequence[OcrWord]) -> Box:
    """Return the box around words."""
    return (
        min(word.x0 for word in words),
        min(word.y0 for word in words),
        max(word.x1 for word in words),
        max(word.y1 for word in words),
    )


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page ready to be read: grey, upright, about 300 dots an inch. ``turn`` leads from its pixels to the page.

    ``turn`` is (a, b, c, d, e, f): x = a * u + b * v + c, y = d * u + e * v + f in points.
    """

    picture: Image
    turn: tuple[float, float, float, float, float, float]
    width: float
    height: float

    def box(self, u0: float, v0: float, u1: float, v1: float) -> Box:
        """Return the box on the page, in points, of a box of pixels; never empty, never outside the page."""
        a, b, c, d, e, f = self.turn
        # A word's box turned with its middle: its corners would make it taller than the word.
        u, v = (u0 + u1) / 2, (v0 + v1) / 2
        x, y = a * u + b * v + c, d * u + e * v + f
        scale = math.hypot(a, d)
        wide, high = (u1 - u0) * scale / 2, (v1 - v0) * scale / 2
        if abs(a) < abs(b):
            wide, high = high, wide
        x0, x1 = _clamp(x - wide, x + wide, self.width)
        y0, y1 = _clamp(y - high, y + high, self.height)
        return x0, y0, x1, y1


def _clamp(low: float, high: float, highest: float) -> tuple[float, float]:
    low = min(max(low, 0.0), highest - 0.5)
    return low, max(min(high, highest), low + 0.5)


def prepare(png: bytes, width: float, height: float) -> Sheet:
    """Make the picture of a page ready. Raises UnreadableDocument for what is no picture, or too large a one."""
    from PIL import Image, ImageFilter, ImageOps

    if not (1.0 <= width <= 1e6 and 1.0 <= height <= 1e6):
        raise UnreadableDocument(reason="The page has no size.", remedy="Read the document again.")
    too_large = UnreadableDocument(
        reason=f"The picture of the page has more than {PIXELS // 1_000_000} million pixels.",
        remedy="Scan the page with fewer dots an inch.",
    )
    try:
        image = Image.open(io.BytesIO(png), formats=("PNG", "JPEG"))
        if image.width * image.height > PIXELS:
            raise too_large
        grey = _grey(image)
    except Image.DecompressionBombError as error:
        raise too_large from error
    except (OSError, ValueError, SyntaxError) as error:
        raise UnreadableDocument(
            reason="The picture of the page cannot be opened.", remedy="Scan the page again, as PNG or PDF."
        ) from error
    # White writing on black: most of a page is paper.
    if _mean(ImageOps.autocontrast(grey, cutoff=(0.5, 0.5))) < 96:
        grey = ImageOps.invert(grey)
    grey = ImageOps.autocontrast(lit_evenly(grey), cutoff=(0.5, 0.5))
    grainy = noise(grey) > _GRAIN
    wide, high = grey.size
    dpi = 72 * math.sqrt((wide / width) * (high / height))
    scale = 1.0 if _LOW <= dpi <= _HIGH else min(DPI / dpi, _MAX_SCALE)
    scale = min(scale, max(1.0, _LONG_SIDE / max(wide, high)) if scale > 1 else scale, _LONG_SIDE / max(wide, high, 1))
    if abs(scale - 1.0) > 0.01:
        size = (max(1, round(wide * scale)), max(1, round(high * scale)))
        grey = grey.resize(size, Image.Resampling.LANCZOS)
    if grainy:
        grey = grey.filter(ImageFilter.GaussianBlur(_SMOOTH))
    a, d = width / grey.width, height / grey.height
    angle = skew(grey)
    if abs(angle) < _STRAIGHT:
        return Sheet(grey, (a, 0.0, 0.0, 0.0, d, 0.0), width, height)
    back = _rotation(angle, grey.width, grey.height)
    grey = grey.transform(grey.size, Image.Transform.AFFINE, back, Image.Resampling.BICUBIC, fillcolor=255)
    turn = (a * back[0], a * back[1], a * back[2], d * back[3], d * back[4], d * back[5])
    return Sheet(grey, turn, width, height)


def too_long() -> UnreadableDocument:
    """Make the error of a page that takes longer than SECONDS."""
    return UnreadableDocument(
        reason=f"Reading the picture of the page took longer than {SECONDS:.0f} seconds.",
        remedy="Check that the page holds text; a photograph or a pattern can be left without.",
    )


def turn_sheet(sheet: Sheet, degrees: int) -> Sheet:
    """Turn a sheet against the clock by 90, 180 or 270 degrees."""
    from PIL import Image

    a, b, c, d, e, f = sheet.turn
    wide, high = sheet.picture.size
    match degrees:
        case 90:
            how, turn = Image.Transpose.ROTATE_90, (b, -a, c + a * wide, e, -d, f + d * wide)
        case 180:
            how = Image.Transpose.ROTATE_180
            turn = (-a, -b, c + a * wide + b * high, -d, -e, f + d * wide + e * high)
        case 270:
            how, turn = Image.Transpose.ROTATE_270, (-b, a, c + b * high, -e, d, f + e * high)
        case _:
            return sheet
    return Sheet(sheet.picture.transpose(how), turn, sheet.width, sheet.height)


def sureness(lines: Sequence[Line]) -> float:
    """Compute the mean confidence of a letter; 0 without any."""
    sure = [word.confidence for words, _ in lines for word in words for _ in word.text]
    return sum(sure) / len(sure) if sure else 0.0


def _grey(image: Any) -> Image:
    from PIL import Image

    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image_with_alpha = image.convert("RGBA")
        paper = Image.new("RGBA", image_with_alpha.size, "white")
        return Image.alpha_composite(paper, image_with_alpha).convert("L")
    if image.mode.startswith("I"):  # 16 bits a dot
        return image.convert("I").point(lambda value: value / 257).convert("L")  # type: ignore[no-any-return]
    return image.convert("L")  # type: ignore[no-any-return]


def _mean(grey: Image) -> float:
    from PIL import ImageStat

    return float(ImageStat.Stat(grey).mean[0])


def _rotation(angle: float, width: int, height: int) -> tuple[float, float, float, float, float, float]:
    """Return the map from a dot of the straight picture to that of the slanted one, turned by ``angle`` degrees."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    u, v = width / 2, height / 2
    return cos, -sin, u - cos * u + sin * v, sin, cos, v - sin * u - cos * v


def lit_evenly(grey: Image) -> Image:
    """Light all of the paper alike; return the picture as it is where it was.

    Paper is what is brightest around a place. On faint pages that are darker to one side it takes Tesseract from 300 to
    500 wrong letters in 1,000 to none.
    """
    import numpy as np
    from PIL import Image, ImageFilter

    small = grey.copy()
    small.thumbnail((160, 160), Image.Resampling.BOX)
    paper = small.filter(ImageFilter.MaxFilter(9)).filter(ImageFilter.GaussianBlur(6))
    low, high = np.percentile(np.asarray(paper), (5, 95))
    if high - low < _UNEVEN:
        return grey
    shade = np.asarray(paper.resize(grey.size, Image.Resampling.BICUBIC), np.float32)
    dots = np.asarray(grey, np.float32) * (255.0 / np.maximum(shade, _DARKEST))
    return Image.fromarray(dots.clip(0, 255).astype(np.uint8))


def noise(grey: Image) -> float:
    """Measure how far neighbouring dots of even paper differ, in grey levels (standard deviation; 0 where it is clean).

    The median of the second differences, so that edges of letters do not count (after J. Immerkaer, Fast Noise Variance
    Estimation, 1996).
    """
    import numpy as np

    u, v = grey.width // 2, grey.height // 2
    part = grey.crop((max(0, u - 700), max(0, v - 700), min(grey.width, u + 700), min(grey.height, v + 700)))
    if min(part.size) < 3:
        return 0.0
    dots = np.asarray(part).astype(np.int32)
    across = dots[:, :-2] - 2 * dots[:, 1:-1] + dots[:, 2:]
    both = across[:-2] - 2 * across[1:-1] + across[2:]
    return float(np.median(np.abs(both))) / (0.6745 * 6)


def skew(grey: Image) -> float:
    """Measure by how many degrees lines fall to the right (a positive angle) or rise; 0 where nothing can be said.

    Lines that lie level make the sums of ink along the rows change most from row to row.
    """
    import numpy as np
    from PIL import Image

    small = grey.copy()
    small.thumbnail((1_000, 1_400), Image.Resampling.BOX)
    dots = np.asarray(small)
    rows, columns = np.nonzero(dots < 128)
    if not 200 <= len(rows) <= dots.size * 0.4:
        return 0.0
    if len(rows) > 60_000:
        every = len(rows) // 60_000 + 1
        rows, columns = rows[::every], columns[::every]

    def sharpness(angle: float) -> float:
        slid = rows - columns * math.tan(math.radians(angle))
        ink = np.bincount(np.floor(slid - slid.min()).astype(np.int64)).astype(np.float64)
        return float(np.square(np.diff(ink)).sum())

    sharpness_by_angle = {step * 0.5: sharpness(step * 0.5) for step in range(-int(_SKEW * 2), int(_SKEW * 2) + 1)}
    coarse = max(sharpness_by_angle, key=lambda angle: sharpness_by_angle[angle])
    best = max((coarse + step * 0.1 for step in range(-4, 5)), key=sharpness)
    # A picture without lines of text has some best angle too; only one that stands out counts.
    usual = sorted(sharpness_by_angle.values())[len(sharpness_by_angle) // 2]
    highest = sharpness(best)
    return best if highest > 1.15 * sharpness_by_angle[0.0] and highest > 1.5 * usual else 0.0


def page(
    lines: Sequence[Line], sheet: Sheet, engine: str, seconds: float, readings: tuple[OcrPage, ...] = ()
) -> OcrPage:
    """Make a page of lines of words, in points. Words without a visible letter are left out."""
    parts: list[str] = []
    words: list[Word] = []
    ocr_words: list[OcrWord] = []
    offset, at_sentence_end = 0, True
    for line, paragraph in lines:
        line_words = [word for word in line if word.text.strip()]
        if not line_words:
            continue
        if parts:
            # A paragraph that seems to begin in the middle of a sentence is a fault of the layout.
            goes_on = line_words[0].text[:1].islower() and not at_sentence_end
            gap = "\n\n" if paragraph and not goes_on else "\n"
            parts.append(gap)
            offset += len(gap)
        for number, word in enumerate(line_words):
            text = "".join(word.text.split()).replace("\0", "")
            if number:
                parts.append(" ")
                offset += 1
            parts.append(text)
            words.append(Word(offset, offset + len(text), *sheet.box(word.x0, word.y0, word.x1, word.y1)))
            ocr_words.append(word)
            offset += len(text)
        at_sentence_end = line_words[-1].text.rstrip("\"'”’)»")[-1:] in ".!?:;"
    letters = sum(len(word.text) for word in ocr_words)
    mean = sum(word.confidence * len(word.text) for word in ocr_words) / letters if letters else 0.0
    return OcrPage(
        text="".join(parts),
        words=Words.of(words),
        confidences=tuple(word.confidence for word in ocr_words),
        alternatives=tuple(word.alternatives for word in ocr_words),
        others=tuple(word.other for word in ocr_words),
        confidence=min(1.0, mean),
        engine=engine,
        seconds=seconds,
        readings=readings,
    )
