"""Reads scans with two engines and lays their readings side by side, or with the one that is installed.

One engine's confidence does not show its worst faults: a network is sure of "enied" where "denied" stands. Where two
engines of different make disagree, one of them is wrong.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.engines import ocr_page
from core.engines.ocr_page import Line
from core.engines.ocr_rapid import RapidOcr
from core.engines.ocr_tesseract import TesseractOcr
from core.errors import ModelMissing
from core.ports import UNREAD, OcrEngine, OcrPage, OcrWord

_VERSION = 1  # raise when the same two readings would give another page than before
# Typographic marks that engines set as they please: no disagreement.
_ALIKE = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—―", '\'\'\'\'""""""------')


def build(folder: Path | None = None) -> OcrEngine:
    """Both engines, or the one that is here. ``folder`` holds language data of the person's own.

    Raises ModelMissing where there is neither.
    """
    found: list[TesseractOcr | RapidOcr] = []
    missing: list[ModelMissing] = []
    for make in (lambda: TesseractOcr(folder), RapidOcr):
        try:
            found.append(make())
        except ModelMissing as error:
            missing.append(error)
            print("reading scans without one engine:", error.sentence)
    match found:
        case [TesseractOcr() as first, RapidOcr() as second]:
            return BothOcr(first, second)
        case [engine]:
            return engine
    raise missing[0]


class BothOcr:
    """See core.ports.OcrEngine. The places of words and their order come from the first engine."""

    def __init__(self, first: TesseractOcr, second: RapidOcr) -> None:
        self._first, self._second = first, second

    @property
    def fingerprint(self) -> str:
        return f"both {_VERSION}: {self._first.fingerprint}, {self._second.fingerprint}"

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        began = time.monotonic()
        sheet = ocr_page.prepare(png, width, height)
        one = self._first.named(languages)
        ours = self._first.lines(sheet, languages)
        between = time.monotonic()
        theirs = self._second.lines(sheet)
        ended = time.monotonic()
        two = self._second.fingerprint
        readings = (
            ocr_page.page(ours, one, between - began),
            ocr_page.page(theirs, two, ended - between),
        )
        lines = combine(ours, theirs)
        return ocr_page.page(lines, f"both {_VERSION}: {one}, {two}", time.monotonic() - began, readings)


def combine(first: Sequence[Line], second: Sequence[Line]) -> list[Line]:
    """One reading of two. Where they agree, the first engine's word, as sure as the surer one; where they do not, the
    likelier word with half its confidence and the other engine's in ``other``."""
    rows = [(_around(words), words) for words, _ in first]
    beside: list[list[OcrWord]] = [[] for _ in first]
    left: list[list[OcrWord]] = []
    for words, _ in second:
        over: list[OcrWord] = []
        for word in words:
            at = _row_of(word, rows)
            (over if at is None else beside[at]).append(word)
        if over:
            left.append(over)
    lines = [(list(_woven(words, beside[at])), begins) for at, (words, begins) in enumerate(first)]
    for words in left:
        box = _around(words)
        at = next(
            (i for i, (row, _) in enumerate(rows) if row[1] > box[1] and row[0] < box[2] and box[0] < row[2]), len(rows)
        )
        rows.insert(at, (box, words))
        lines.insert(at, ([_doubted(word, UNREAD) for word in words], True))
    return [line for line in lines if line[0]]


Box = tuple[float, float, float, float]


def _around(words: Sequence[OcrWord]) -> Box:
    return (
        min(word.x0 for word in words),
        min(word.y0 for word in words),
        max(word.x1 for word in words),
        max(word.y1 for word in words),
    )


def _row_of(word: OcrWord, rows: Sequence[tuple[Box, Sequence[OcrWord]]]) -> int | None:
    """The line of the first engine in which a word of the second lies; None: in none."""
    best, found = 0.5, None
    middle = (word.x0 + word.x1) / 2
    for at, ((x0, y0, x1, y1), _) in enumerate(rows):
        height = min(word.y1 - word.y0, y1 - y0)
        both = min(word.y1, y1) - max(word.y0, y0)
        if both > best * height and x0 - 2 * height < middle < x1 + 2 * height:
            best, found = both / height, at
    return found


def _woven(ours: Sequence[OcrWord], theirs: list[OcrWord]) -> Iterator[OcrWord]:
    """The words of one line, from both readings of it."""
    theirs.sort(key=lambda word: (word.x0 + word.x1) / 2)
    for mine, other in _pieces(ours, theirs):
        yield from _chosen(mine, other)


def _pieces(
    ours: Sequence[OcrWord], theirs: Sequence[OcrWord]
) -> Iterator[tuple[Sequence[OcrWord], Sequence[OcrWord]]]:
    """The line cut where both engines see a gap between words, by the alignment with the fewest changed letters."""
    from rapidfuzz.distance import Levenshtein

    one = " ".join(word.text for word in ours).translate(_ALIKE)
    two = " ".join(word.text for word in theirs).translate(_ALIKE)
    at = to = 0
    for step in Levenshtein.opcodes(one, two):
        if step.tag != "equal":
            continue
        for offset in range(step.src_end - step.src_start):
            if one[step.src_start + offset] == " ":
                here = one.count(" ", 0, step.src_start + offset) + 1
                there = two.count(" ", 0, step.dest_start + offset) + 1
                yield ours[at:here], theirs[to:there]
                at, to = here, there
    yield ours[at:], theirs[to:]


def _chosen(ours: Sequence[OcrWord], theirs: Sequence[OcrWord]) -> Iterator[OcrWord]:
    one, two = (" ".join(word.text for word in words) for words in (ours, theirs))
    if one.translate(_ALIKE) == two.translate(_ALIKE):
        for mine, other in zip(ours, theirs, strict=True):
            yield replace(mine, confidence=max(mine.confidence, other.confidence))
    elif not theirs:
        yield from (_doubted(word, UNREAD) for word in ours)
    elif not ours:
        yield from (_doubted(word, UNREAD) for word in theirs)
    elif likelier(ours, theirs):
        yield from (_doubted(word, two) for word in ours)
    elif len(ours) == len(theirs):
        for mine, other in zip(ours, theirs, strict=True):
            if mine.text.translate(_ALIKE) == other.text.translate(_ALIKE):
                yield _doubted(mine, one)
                continue
            told = tuple(dict.fromkeys(text for text in (mine.text, *mine.alternatives) if text != other.text))
            yield _doubted(replace(mine, text=other.text, confidence=other.confidence, alternatives=told), one)
    else:
        yield from (_doubted(word, one) for word in _laid_over(theirs, _around(ours)))


def _doubted(word: OcrWord, other: str) -> OcrWord:
    return replace(word, confidence=word.confidence / 2, other=other)


def _laid_over(words: Sequence[OcrWord], box: Box) -> Iterator[OcrWord]:
    """The words of the second engine in the place that the first one measured, which lies closer to the ink."""
    x0, _, x1, _ = _around(words)
    stretch = (box[2] - box[0]) / max(0.1, x1 - x0)
    for word in words:
        left, right = box[0] + (word.x0 - x0) * stretch, box[0] + (word.x1 - x0) * stretch
        yield replace(word, x0=left, x1=max(right, left + 0.5), y0=box[1], y1=box[3])


def likelier(ours: Sequence[OcrWord], theirs: Sequence[OcrWord]) -> bool:
    """Whether the first engine's reading of a place is the likelier one."""
    return min(word.confidence for word in ours) >= min(word.confidence for word in theirs) - 0.1
