"""Reads scans with two engines and lays their readings side by side, or with the one that is installed.

One engine's confidence does not show its worst faults: a network is sure of "enied" where "denied" stands. Where two
engines of different make disagree, one of them is wrong.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.engines.ocr import page_layout
from core.engines.ocr.page_layout import Box, Line
from core.engines.ocr.rapidocr_engine import RapidOcr
from core.engines.ocr.tesseract_engine import TesseractOcr
from core.errors import ModelMissing
from core.ports import UNREAD, OcrEngine, OcrPage, OcrWord

_VERSION = 1  # raise when the same two readings would give another page than before
# Typographic marks that engines set as they please: no disagreement.
_ALIKE = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—―", '\'\'\'\'""""""------')


_SURE = 0.93  # from here on Tesseract is right more often than PP-OCR
_HARDLY = 0.75  # the mean confidence of Tesseract on a page it can hardly read
_SPECK = 0.5


def build(folder: Path | None = None) -> OcrEngine:
    """Build both engines, or the one that is here. ``folder`` holds language data of the person's own.

    Raises ModelMissing where there is neither.
    """
    engines: list[TesseractOcr | RapidOcr] = []
    missing: list[ModelMissing] = []
    for make in (lambda: TesseractOcr(folder), RapidOcr):
        try:
            engines.append(make())
        except ModelMissing as error:
            missing.append(error)
            print("reading scans without one engine:", error.sentence)
    match engines:
        case [TesseractOcr() as first, RapidOcr() as second]:
            return BothOcr(first, second)
        case [engine]:
            return engine
    raise missing[0]


class BothOcr:
    """Two engines as one. See core.ports.OcrEngine. Places of words and their order come from the first."""

    def __init__(self, first: TesseractOcr, second: RapidOcr) -> None:
        self._first, self._second = first, second

    @property
    def fingerprint(self) -> str:
        """Fingerprints of both engines."""
        return f"both {_VERSION}: {self._first.fingerprint}, {self._second.fingerprint}"

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        """Read a page with both engines; the page carries each engine's own reading too. See core.ports.OcrEngine."""
        began = time.monotonic()
        sheet = page_layout.prepare(png, width, height)
        until = time.process_time() + page_layout.SECONDS
        languages = languages or self._first.languages_of(sheet, until)
        first_data = self._first.data_fingerprint(languages)
        sheet, ours = self._first.upright(sheet, languages, until)
        between = time.monotonic()
        second_lines = self._second.lines(sheet, until)
        end = time.monotonic()
        two = self._second.fingerprint
        readings = (
            page_layout.page(ours, sheet, first_data, between - began),
            page_layout.page(second_lines, sheet, two, end - between),
        )
        lines = combine(ours, second_lines)
        return page_layout.page(
            lines, sheet, f"both {_VERSION}: {first_data}, {two}", time.monotonic() - began, readings
        )


def combine(first: Sequence[Line], second: Sequence[Line]) -> list[Line]:
    """Make one reading of two.

    Where they agree, the word as sure as the surer engine is; where they do not, the likelier word with half its
    confidence and the other engine's in ``other``. What one engine alone saw and doubts is left out.

    Places and order come from the first engine, unless it could hardly read the page and the second one could.
    """
    first_leads = page_layout.sureness(first) >= min(_HARDLY, page_layout.sureness(second) - 0.1)
    ours, other_lines = (first, second) if first_leads else (second, first)
    rows = [(page_layout.around(words), words) for words, _ in ours]
    beside: list[list[OcrWord]] = [[] for _ in ours]
    left: list[list[OcrWord]] = []
    for words, _ in other_lines:
        over: list[OcrWord] = []
        places = [_row_of(word, rows) for word in words]
        # Where the other engine lost the beginning or the end of a line, its words belong to it all the same.
        commonest = Counter(place for place in places if place is not None).most_common(1)
        for word, place in zip(words, places, strict=True):
            if place is None and commonest and _level(word, rows[commonest[0][0]][0]):
                place = commonest[0][0]
            (over if place is None else beside[place]).append(word)
        if over:
            left.append(over)
    pieces = [_pieces(words, beside[index]) for index, (words, _) in enumerate(ours)]
    common_words = {_bare(word.text) for line in pieces for left, right in line if _alike(left, right) for word in left}
    lines: list[Line] = []
    for (_, begins), line in zip(ours, pieces, strict=True):
        lines.append(([word for piece in line for word in _likelier_words(*piece, common_words, first_leads)], begins))
    for words in left:
        box = page_layout.around(words)
        place = next(
            (i for i, (row, _) in enumerate(rows) if row[1] > box[1] and row[0] < box[2] and box[0] < row[2]), len(rows)
        )
        rows.insert(place, (box, words))
        lines.insert(place, (list(_alone(words)), True))
    return [line for line in lines if line[0]]


def _row_of(word: OcrWord, rows: Sequence[tuple[Box, Sequence[OcrWord]]]) -> int | None:
    """Find the line of the other engine in which a word lies; None: in none."""
    best, row = 0.0, None
    middle = (word.x0 + word.x1) / 2
    for index, ((x0, y0, x1, y1), _) in enumerate(rows):
        low, high = sorted((word.y1 - word.y0, y1 - y0))
        both = min(word.y1, y1) - max(word.y0, y0)
        # The line that fits best in height: a stain read as text may be as high as a paragraph.
        if both > 0.5 * low and both / high > best and x0 - 2 * low < middle < x1 + 2 * low:
            best, row = both / high, index
    return row if best > 0.3 else None


def _level(word: OcrWord, box: Box) -> bool:
    return min(word.y1, box[3]) - max(word.y0, box[1]) > 0.5 * min(word.y1 - word.y0, box[3] - box[1])


Piece = tuple[Sequence[OcrWord], Sequence[OcrWord]]


def _pieces(ours: Sequence[OcrWord], other_words: list[OcrWord]) -> list[Piece]:
    """Cut the line where both engines see a gap between words, by the alignment with the fewest changed letters."""
    from rapidfuzz.distance import Levenshtein

    other_words.sort(key=lambda word: (word.x0 + word.x1) / 2)
    first_text, two = _line_text(ours), _line_text(other_words)
    pieces: list[Piece] = []
    start = to = 0
    for step in Levenshtein.opcodes(first_text, two):
        if step.tag != "equal":
            continue
        for offset in range(step.src_end - step.src_start):
            if first_text[step.src_start + offset] == " ":
                here = first_text.count(" ", 0, step.src_start + offset) + 1
                second_end = two.count(" ", 0, step.dest_start + offset) + 1
                pieces += _split_ends(ours[start:here], other_words[to:second_end])
                start, to = here, second_end
    return [*pieces, *_split_ends(ours[start:], other_words[to:])]


def _split_ends(ours: Sequence[OcrWord], other_words: Sequence[OcrWord]) -> Iterator[Piece]:
    """Yield a piece without the words at its ends that are alike, which become pieces of their own."""
    end: list[Piece] = []
    while len(ours) != len(other_words) and _alike(ours[:1], other_words[:1]):
        yield ours[:1], other_words[:1]
        ours, other_words = ours[1:], other_words[1:]
    while len(ours) != len(other_words) and _alike(ours[-1:], other_words[-1:]):
        end.append((ours[-1:], other_words[-1:]))
        ours, other_words = ours[:-1], other_words[:-1]
    if ours or other_words:
        yield ours, other_words
    yield from reversed(end)


def _line_text(words: Sequence[OcrWord]) -> str:
    return " ".join(_plain(word.text) for word in words)


def _plain(text: str) -> str:
    """Drop what engines set as they please: kinds of quotation marks and dashes, two single marks for a double."""
    return text.translate(_ALIKE).replace("''", '"')


def _bare(text: str) -> str:
    return re.sub(r"^\W+|\W+$", "", text).casefold()


def _alike(ours: Sequence[OcrWord], other_words: Sequence[OcrWord]) -> bool:
    return bool(ours) and len(ours) == len(other_words) and _line_text(ours) == _line_text(other_words)


def _likelier_words(
    ours: Sequence[OcrWord], other_words: Sequence[OcrWord], common_words: Collection[str], first_leads: bool
) -> Iterator[OcrWord]:
    """Yield the words of one piece of a line. ``first_leads``: ``ours`` are those of the first engine."""
    if _alike(ours, other_words):
        for left, right in zip(ours, other_words, strict=True):
            # Of two single marks and a double one, the double one is what was printed.
            shorter = right.text if len(right.text) < len(left.text) else left.text
            yield replace(left, text=shorter, confidence=max(left.confidence, right.confidence))
        return
    if not ours or not other_words:
        yield from _alone(ours or other_words)
        return
    first_text, two = (" ".join(word.text for word in words) for words in (ours, other_words))
    keep_ours = (
        first_is_likelier(ours, other_words, common_words)
        if first_leads
        else not first_is_likelier(other_words, ours, common_words)
    )
    if keep_ours:
        yield from (_with_doubt(word, two) for word in ours)
    elif len(ours) == len(other_words):
        for left, right in zip(ours, other_words, strict=True):
            if _plain(left.text) == _plain(right.text):
                yield _with_doubt(left, first_text)
                continue
            alternatives = tuple(dict.fromkeys(text for text in (left.text, *left.alternatives) if text != right.text))
            yield _with_doubt(
                replace(left, text=right.text, confidence=right.confidence, alternatives=alternatives), first_text
            )
    else:
        yield from (_with_doubt(word, first_text) for word in _laid_over(other_words, page_layout.around(ours)))


def _alone(words: Sequence[OcrWord]) -> Iterator[OcrWord]:
    """Yield what one engine saw and the other did not: specks are left out, the rest is doubted."""
    for word in words:
        if word.confidence >= (_SPECK if any(c.isalnum() for c in word.text) else _SURE):
            yield _with_doubt(word, UNREAD)


def first_is_likelier(first: Sequence[OcrWord], second: Sequence[OcrWord], common_words: Collection[str]) -> bool:
    """Return whether the first engine's reading of a piece is the likelier one.

    ``common_words`` are those that both engines read elsewhere on the page. The thresholds are those that chose the
    right reading most often on scanned books, clean and made grainy (83 to 93 of 100).
    """
    first_words, two = [_plain(word.text) for word in first], [_plain(word.text) for word in second]
    letters, second_letters = ("".join(first_words), "".join(two))
    if letters != second_letters and abs(len(letters) - len(second_letters)) > max(
        6, min(len(letters), len(second_letters))
    ):
        return len(letters) > len(second_letters)  # a line that one engine lost the thread of
    if letters == second_letters:
        more = first_words if len(first_words) > len(two) else two
        return (more is first_words) == _is_whole_words(more)
    known_one, known_two = (
        all(_bare(text) in common_words for text in texts if _bare(text)) for texts in (first_words, two)
    )
    if known_one != known_two:
        return known_one
    sure, other_sure = min(word.confidence for word in first), min(word.confidence for word in second)
    return sure >= _SURE or sure >= other_sure + 0.1


def _is_whole_words(words: Sequence[str]) -> bool:
    """Return whether these are words, and not a mark or half a number torn off a word."""
    return (
        all(word[0].isalnum() and any(c.isalpha() for c in word) and word[-1] not in "-" for word in words[:-1])
        and words[-1][0].isalpha()
    )


def _with_doubt(word: OcrWord, other_reading: str) -> OcrWord:
    return replace(word, confidence=word.confidence / 2, other=other_reading)


def _laid_over(words: Sequence[OcrWord], box: Box) -> Iterator[OcrWord]:
    """Yield the words of the second engine in the place that the first one measured, which lies closer to the ink."""
    x0, _, x1, _ = page_layout.around(words)
    stretch = (box[2] - box[0]) / max(0.1, x1 - x0)
    for word in words:
        left, right = box[0] + (word.x0 - x0) * stretch, box[0] + (word.x1 - x0) * stretch
        yield replace(word, x0=left, x1=max(right, left + 0.5), y0=box[1], y1=box[3])
