"""What OCR read in the picture of a page, with the words that the file itself has there: those are not guessed at.

A stamp or a header on a scan is exact text; the engine reads its picture as well, and may misread it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain import LAYER_READING as LAYER
from core.domain import Page, Reading, Words
from core.ports import OcrPage

ENGINE = " and text of the file"  # what such a reading is called, behind the name of the engine
_NEAR = 0.2  # of the height of a line of the file, how far from it the middle of a word that was read may lie
_ASLANT = 3.0  # times the size of letters, from which on the box of a line is that of words across the page

Span = tuple[int, int]
Box = tuple[float, float, float, float]


def own_words(page: Page, words: Words, readings: Sequence[Reading]) -> tuple[str, Words, tuple[Span, ...]]:
    """Return the text of the file on a page, its words, and the stretches of it that nobody sees.

    Of a page that was read before it is what that reading took from the file.
    """
    if page.source != "ocr":
        return page.text, words, tuple(page.hidden_spans)
    earlier = next((reading for reading in readings if reading.engine == page.fingerprint), None)
    layer = next((reading for reading in readings if reading.engine == LAYER), None)
    if earlier is None or layer is None or not page.fingerprint.endswith(ENGINE):
        return "", Words.of(()), ()
    boxes = {tuple(row[2:6]) for row in earlier.words}
    absent = tuple((row[0], row[1]) for row in layer.words if tuple(row[2:6]) not in boxes)
    return layer.text, layer.words, absent


def with_own_words(reading: OcrPage, text: str, words: Words, hidden_spans: Sequence[Span] = ()) -> OcrPage | None:
    """Return a reading with the text of the file, each line in its place; None if the picture adds nothing to it.

    ``text`` and ``words`` are those of the page. A line of the file is above the first line that was read below it;
    what has no place on the page, as a note, is behind all.
    """
    own_lines, notes = _own_lines(text, words, hidden_spans)
    if not own_lines and not notes:
        return reading
    boxes = [line.box for line in own_lines if not _is_aslant(line)]
    rows = list(reading.words)
    waiting = sorted(own_lines, key=lambda line: line.box[1])
    lines: list[_Line] = []
    is_new = False
    offset = first = 0
    for line in reading.text.split("\n"):
        last = first
        while last < len(rows) and rows[last][0] < offset + len(line):
            last += 1
        places = [place for place in range(first, last) if not _is_inside(rows[place][2:6], boxes)]
        offset, is_blank, first = offset + len(line) + 1, first == last, last
        if is_blank:
            lines.append(_Line("", ()))
        if not places:
            continue
        top = min(rows[place][3] for place in places)
        while waiting and waiting[0].box[1] <= top:
            lines.append(waiting.pop(0))
        lines.append(_line_of([(reading.text[rows[p][0] : rows[p][1]], rows[p][2:6]) for p in places], places))
        is_new = True
    if not is_new:
        return None
    lines += waiting
    for note in notes:
        lines += [_Line("", ()), _Line(note, ())]
    return _page_of(reading, lines)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text with the spans and boxes of its words; ``places`` are those of words of the reading."""

    text: str
    words: Sequence[tuple[int, int, Box]]
    places: Sequence[int] = ()

    @property
    def box(self) -> Box:
        """The box around the words."""
        boxes = [box for _, _, box in self.words]
        return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _line_of(words: Sequence[tuple[str, Box]], places: Sequence[int] = ()) -> _Line:
    text = ""
    spans = []
    for word, box in words:
        text += " " if text else ""
        spans.append((len(text), len(text) + len(word), box))
        text += word
    return _Line(text, spans, places)


def _own_lines(text: str, words: Words, hidden_spans: Sequence[Span]) -> tuple[list[_Line], list[str]]:
    """Return the lines of a page that have a place on it, and those that have none; without what nobody sees."""
    rows = list(words)
    lines: list[_Line] = []
    notes: list[str] = []
    start = offset = 0
    for line in text.split("\n"):
        end = start + len(line)
        first = offset
        while offset < len(rows) and rows[offset][0] < end:
            offset += 1
        visible = [
            row
            for row in rows[first:offset]
            if not any(row[0] < stop and begin < row[1] for begin, stop in hidden_spans)
        ]
        if visible:
            lines.append(_line_of([(text[row[0] : row[1]], row[2:6]) for row in visible]))
        elif first == offset and line.strip() and not any(start < stop and begin < end for begin, stop in hidden_spans):
            notes.append(line)
        start = end + 1
    return lines, notes


def _is_aslant(line: _Line) -> bool:
    """Return whether a line runs across the page, as a watermark: its box holds more than its words."""
    x0, y0, x1, y1 = line.box
    letters, across, down = max(1, len(line.text)), x1 - x0, y1 - y0
    return min(down * letters / max(across, 1e-6), across * letters / max(down, 1e-6)) > _ASLANT


def _is_inside(box: Box, lines: Sequence[Box]) -> bool:
    """Return whether the middle of a word lies in one of the lines."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(
        line[0] - far <= x <= line[2] + far and line[1] - far <= y <= line[3] + far
        for line in lines
        for far in (_NEAR * (line[3] - line[1]),)
    )


def _page_of(reading: OcrPage, lines: Sequence[_Line]) -> OcrPage:
    text = ""
    words: list[tuple[int, int, float, float, float, float]] = []
    confidences: list[float] = []
    alternatives: list[tuple[str, ...]] = []
    second_readings: list[str] = []
    for line in lines:
        if not line.text:
            text = text.rstrip("\n") + "\n\n" if text else ""
            continue
        text += "\n" if text and not text.endswith("\n") else ""
        words += [(start + len(text), end + len(text), *box) for start, end, box in line.words]
        confidences += [reading.confidences[index] for index in line.places] or [1.0] * len(line.words)
        alternatives += [reading.alternatives[index] for index in line.places] or [()] * len(line.words)
        second_readings += [reading.others[index] for index in line.places] or [""] * len(line.words)
        text += line.text
    letters = [end - start for start, end, *_ in words]
    mean = sum(a * b for a, b in zip(letters, confidences, strict=True)) / max(1, sum(letters))
    return OcrPage(
        text.rstrip("\n"),
        Words.of(words),  # type: ignore[arg-type]
        tuple(confidences),
        tuple(alternatives),
        tuple(second_readings),
        mean,
        reading.engine + ENGINE,
        reading.seconds,
        (reading, *reading.readings),
    )
