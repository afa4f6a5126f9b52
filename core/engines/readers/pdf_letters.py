"""Letters of a page put right: raised and lowered ones, letter-spaced words, text drawn twice, words struck through.

Words keep their boxes: a word that is put together of several has the box around them.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.engines.readers import raised as characters
from core.engines.readers.pdf_layout import Box, Line, PlainWord

_RAISED = 1  # the flag of MuPDF for a span above the line
_SMALLER = 0.88  # of the size of the line, that of a raised or lowered span at most
_ABOVE, _BELOW = 0.12, 0.06  # of the size of the line, how far a baseline lies from that of the line at least
_FRACTION = re.compile(r"\d+\s*[/\N{FRACTION SLASH}]\s*\d+")
_STRIKE = (0.12, 0.45)  # of the size of letters, how far above their baseline a line through them runs
_STRUCK = 0.6  # of the width of a word, how much of it a line runs through at least
_OVERHANG = 6.0  # points that such a line may go beyond its words

_Item = tuple[PlainWord, str, bool]  # a word, why nobody sees it, and whether it is struck


def tidy(lines: list[Line]) -> list[Line]:
    """Return the lines of a page, in the order of the file: doubles left out, spaced words joined, figures raised."""
    lines = _join_numbers(_join_spaced(_without_doubles(lines)))
    for line in lines:
        if len(line.spans) > 1:
            _raise_characters(line)
    return lines


def items_of(line: Line) -> list[_Item]:
    """Return the words of a line with what is known of each."""
    hidden_words, struck_words = line.hidden_words, line.struck_words
    return [(word, hidden_words.get(place, ""), place in struck_words) for place, word in enumerate(line.words)]


def set_items(line: Line, items: Sequence[_Item]) -> None:
    """Give a line other words, and the box around them."""
    line.words = [word for word, _, _ in items]
    line.hidden_words = {place: why for place, (_, why, _) in enumerate(items) if why}
    line.struck_words = frozenset(place for place, (_, _, is_struck) in enumerate(items) if is_struck)
    line.x0, line.y0 = min(word[0] for word in line.words), min(word[1] for word in line.words)
    line.x1, line.y1 = max(word[2] for word in line.words), max(word[3] for word in line.words)


# --- text that is drawn twice, to look bold or to throw a shadow -----------------------------------------------------


def _without_doubles(lines: list[Line]) -> list[Line]:
    """Leave out words that are drawn twice at one place; of the two, a visible one stays."""
    earlier: dict[tuple[str, ...], list[Line]] = {}
    doubles = set[int]()
    for line in lines:
        texts = tuple([word[4] for word in line.words])
        if len(texts) > 1 and len(set(texts)) < len(texts):
            _drop_double_words(line)
        alike = earlier.setdefault(texts, [])
        double = next((before for before in alike[-50:] if _same_place(before, line)), None) if alike else None
        if double is None:
            alike.append(line)
        elif len(double.hidden_words) > len(line.hidden_words):
            alike[alike.index(double)] = line
            doubles.add(id(double))
        else:
            double.struck_words |= line.struck_words
            doubles.add(id(line))
    return [line for line in lines if id(line) not in doubles] if doubles else lines


def _same_place(first: Line | PlainWord, second: Line | PlainWord) -> bool:
    a, b = (_box(first), _box(second))
    far = 0.15 * (a[3] - a[1])
    return abs(a[0] - b[0]) <= far and abs(a[1] - b[1]) <= far and abs(a[2] - b[2]) <= far and abs(a[3] - b[3]) <= far


def _box(of: Line | PlainWord) -> Box:
    return (of.x0, of.y0, of.x1, of.y1) if isinstance(of, Line) else of[:4]


def _drop_double_words(line: Line) -> None:
    last: dict[str, PlainWord] = {}
    doubles = set[int]()
    for place, word in enumerate(line.words):
        previous = last.get(word[4])
        last[word[4]] = word
        if previous is not None and abs(previous[0] - word[0]) <= word[3] - word[1] and _same_place(previous, word):
            doubles.add(place)
    if doubles:
        set_items(line, [item for place, item in enumerate(items_of(line)) if place not in doubles])


# --- C O N F I D E N T I A L -----------------------------------------------------------------------------------------

_SPACED = 5  # letters from which on a row of them is a word
_WIDE = 1.2  # of the height of a line: letters that are further apart are columns
_EVEN = 1.1  # times as wide at most are blanks of one width
_LARGER = 1.45  # of the usual distance, from which on the next letter begins a word
_VOWELS = frozenset("aeiouyäöüáàâãåéèêëíìîïóòôõøúùûæœ")


def _join_spaced(lines: list[Line]) -> list[Line]:
    """Join the letters of words that are set with blanks between them, also where MuPDF sees several lines."""
    if not any(_is_spaced(line) or _has_letters(line) for line in lines):
        return lines
    result: list[Line] = []
    for line in lines:
        last = result[-1] if result else None
        if last is not None and last.block == line.block and _is_spaced(last) and _is_spaced(line):
            height = min(last.y1 - last.y0, line.y1 - line.y0)
            gap = line.x0 - last.x1
            if abs(last.y1 - line.y1) < 0.1 * height and 0 < gap < 3 * _WIDE * height:
                set_items(last, [*items_of(last), *items_of(line)])
                last.spans = [*last.spans, *line.spans]
                last.number = line.number
                continue
        result.append(line)
    for line in result:
        _join_letters(line)
    return result


def _has_letters(line: Line) -> bool:
    return len(line.words) >= _SPACED and [len(word[4]) for word in line.words].count(1) >= _SPACED


def _is_spaced(line: Line) -> bool:
    first = line.words[0][4]
    return len(first) == 1 and first.isalpha() and all(len(word[4]) == 1 and word[4].isalpha() for word in line.words)


def _join_letters(line: Line) -> None:
    if not _has_letters(line):
        return
    items = items_of(line)
    result: list[_Item] = []
    start = 0
    while start < len(items):
        end = start
        while end < len(items) and len(items[end][0][4]) == 1 and items[end][0][4].isalpha():
            end += 1
        run = items[start:end]
        if _is_word(run, line.y1 - line.y0):
            end, figures = _figures(items, end, run)
            result += [*_words_of(run, line.y1 - line.y0), *figures]
        else:
            result += run
        result += items[end : end + 1]
        start = end + 1
    if len(result) < len(items):
        set_items(line, result)


def _is_word(run: Sequence[_Item], height: float) -> bool:
    """Return whether single letters that follow each other are a word: near each other, and no list of letters."""
    if len(run) < _SPACED:
        return False
    letters = "".join(item[0][4] for item in run).casefold()
    usual = sorted(_gaps(run)[0])[len(run) // 2 - 1]
    in_order = sum(ord(b) - ord(a) == 1 for a, b in itertools.pairwise(letters))
    has_vowel = not letters.isascii() or bool(_VOWELS & set(letters))
    return 0 < usual < _WIDE * height and in_order < len(run) // 2 and has_vowel


def _figures(items: Sequence[_Item], end: int, run: Sequence[_Item]) -> tuple[int, list[_Item]]:
    """Return the end of the figures that follow spaced letters at the same distance, and their numbers."""
    widest = _LARGER * sorted(_gaps(run)[0])[len(run) // 2]
    words: list[list[_Item]] = []
    while (
        end < len(items) and len(items[end][0][4]) == 1 and (items[end][0][4].isdigit() or items[end][0][4] in ".,:/-")
    ):
        is_next = words and items[end][0][0] - words[-1][-1][0][2] <= widest
        if not is_next:
            words.append([])
        words[-1].append(items[end])
        end += 1
    return end, [_join(word) for word in words]


def _gaps(run: Sequence[_Item]) -> tuple[list[float], list[float]]:
    """Return the blanks between letters, and the ways from one to the next."""
    boxes = [item[0] for item in run]
    pairs = list(itertools.pairwise(boxes))
    return [b[0] - a[2] for a, b in pairs], [b[0] - a[0] for a, b in pairs]


def _words_of(run: Sequence[_Item], height: float) -> list[_Item]:
    gaps, ways = _gaps(run)
    gap, way = sorted(gaps)[len(gaps) // 2], sorted(ways)[len(ways) // 2]
    in_order = sorted(gaps)
    # A blank behind each letter, whatever its width.
    is_typed = in_order[7 * len(gaps) // 10] < _EVEN * in_order[len(gaps) // 10]
    words: list[list[_Item]] = [[run[0]]]
    for item, here, distance in zip(run[1:], gaps, ways, strict=True):
        is_break = here > _LARGER * gap and (is_typed or distance > _LARGER * way)
        if is_break or here < -0.3 * height or item[1] != words[-1][0][1]:
            words.append([])
        words[-1].append(item)
    return [_join(word) for word in words]


def _join(items: Sequence[_Item]) -> _Item:
    """Return a word of several."""
    boxes = [item[0] for item in items]
    box = min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)
    return (*box, "".join(b[4] for b in boxes)), items[0][1], any(item[2] for item in items)


# --- 19 / 09 / 1403 --------------------------------------------------------------------------------------------------

_FIGURES = re.compile(r"\d+")
_SIGNS = re.compile(r"[/.,:\u066b\u066c-]")
_TOUCHING = 0.15  # of the height of a line, the most between the parts of a number


def _join_numbers(lines: list[Line]) -> list[Line]:
    """Join the parts of numbers that a text from right to left gives one by one, the last first."""
    result: list[Line] = []
    start = 0
    while start < len(lines):
        end = start + 1
        if len(lines[start].words) > 1:
            result.append(lines[start])
            start = end
            continue
        while end < len(lines) and _goes_on_left(lines[end - 1], lines[end], (end - start) % 2 == 1):
            end += 1
        end -= (end - start + 1) % 2  # a number ends with figures
        parts = lines[start:end]
        if len(parts) > 1:
            set_items(parts[0], [_join([item for part in reversed(parts) for item in items_of(part)])])
            parts[0].spans = [span for part in reversed(parts) for span in part.spans]
        result.append(parts[0])
        start = end
    return result


def _goes_on_left(right: Line, left: Line, is_sign: bool) -> bool:
    """Return whether a sign stands to the left of figures and touches them, or figures to the left of a sign."""
    if len(right.words) != 1 or len(left.words) != 1 or right.block != left.block:
        return False
    signs, figures = (left, right) if is_sign else (right, left)
    if not (_SIGNS.fullmatch(signs.words[0][4]) and _FIGURES.fullmatch(figures.words[0][4])):
        return False
    height = min(right.y1 - right.y0, left.y1 - left.y0)
    return abs(right.y1 - left.y1) < 0.1 * height and abs(right.x0 - left.x1) < _TOUCHING * height


# --- figures above and below the line --------------------------------------------------------------------------------


def _raise_characters(line: Line) -> None:
    """Write what is raised or lowered in a line with the characters for it."""
    base = max(line.spans, key=lambda span: float(span["size"]) * len(span["text"].strip()))
    levels = [_level(span, base, line.direction) for span in line.spans]
    if not any(levels):
        return
    words = list(_spans_by_word(line))
    if len(words) != len(line.words):
        return
    items: list[_Item] = []
    for item, parts in zip(items_of(line), words, strict=True):
        word = item[0]
        if any(levels[index] for _, index in parts) and "".join(text for text, _ in parts) == word[4]:
            text = _text_of([(text, levels[index], line.spans[index]) for text, index in parts])
            items += _cut((*word[:4], text), item)
        else:
            items.append(item)
    set_items(line, items)


def _level(span: Mapping[str, Any], base: Mapping[str, Any], direction: tuple[float, float]) -> int:
    """Return 1 for a span that is raised, -1 for a lowered one, 2 for small letters on the line, else 0."""
    size, line_size = float(span["size"]), float(base["size"])
    if span is base or size > _SMALLER * line_size or line_size <= 0:
        return 0
    dx, dy = direction
    (x, y), (x0, y0) = span["origin"], base["origin"]
    above = (x - x0) * dy - (y - y0) * dx  # how far the baseline lies above that of the line
    if above > _ABOVE * line_size or int(span["flags"]) & _RAISED:
        return 1
    return -1 if above < -_BELOW * line_size else 2


def _spans_by_word(line: Line) -> Iterator[list[tuple[str, int]]]:
    """Yield for each word of a line the parts of it, with the spans they are in."""
    parts: list[tuple[str, int]] = []
    for index, span in enumerate(line.spans):
        part = ""
        for c in span["text"]:
            if c <= " " or c == "\xa0" or "\u202a" <= c <= "\u202e":  # as MuPDF ends its words
                if part:
                    parts.append((part, index))
                    part = ""
                if parts:
                    yield parts
                    parts = []
            else:
                part += c
        if part:
            parts.append((part, index))
    if parts:
        yield parts


def _text_of(parts: Sequence[tuple[str, int, Mapping[str, Any]]]) -> str:
    """Return the text of a word, a blank before a fraction that is set in small figures."""
    text = ""
    for place, (part, level, span) in enumerate(parts):
        tail = "".join(text_of_part for text_of_part, _, _ in parts[place:])
        last = parts[place - 1] if place else None
        if level == 1:
            text += part if part.startswith("[") else characters.raised(part)  # [4] joins no number before it
        elif level == -1:
            if last is not None and last[1] == 1 and _is_stack(last[2], span) and place == len(parts) - 1:
                text += "\N{FRACTION SLASH}"
            text += characters.lowered(part)
        elif level == 2 and text[-1:].isdigit() and last is not None and not last[1] and _FRACTION.match(tail):
            text += " " + part
        else:
            text += part
    return text


def _is_stack(above: Mapping[str, Any], below: Mapping[str, Any]) -> bool:
    """Return whether two spans of figures are stacked."""
    if not (above["text"].strip().isdigit() and below["text"].strip().isdigit()):
        return False
    a, b = above["bbox"], below["bbox"]
    return bool(min(a[2], b[2]) - max(a[0], b[0]) > 0.5 * min(a[2] - a[0], b[2] - b[0]))


def _cut(word: PlainWord, item: _Item) -> Iterator[_Item]:
    """Yield the words of one that has a blank in it now, each with its share of the box."""
    x0, y0, x1, y1, text = word
    width = (x1 - x0) / max(1, len(text))
    for match in re.finditer(r"\S+", text):
        yield (x0 + match.start() * width, y0, x0 + match.end() * width, y1, match.group()), item[1], item[2]


# --- words with a line through them ----------------------------------------------------------------------------------


def strike(lines: Sequence[Line], rules: Sequence[Box]) -> None:
    """Note in each line which of its words one of the thin ``rules`` runs through."""
    if not rules:
        return
    by_height = sorted(rules, key=lambda rule: rule[1] + rule[3])
    heights = [(rule[1] + rule[3]) / 2 for rule in by_height]
    for line in lines:
        if bisect_left(heights, line.y0) == bisect_right(heights, line.y1):
            continue
        size, baseline = line.size, _baseline(line)
        if baseline is None:
            continue
        first = bisect_left(heights, baseline - _STRIKE[1] * size)
        last = bisect_right(heights, baseline - _STRIKE[0] * size)
        if first == last or last - first > 200:
            continue
        struck_words = set[int]()
        for x0, _, x1, _ in by_height[first:last]:
            if x0 < line.x0 - _OVERHANG or x1 > line.x1 + _OVERHANG:
                continue
            for place, word in enumerate(line.words):
                if min(x1, word[2]) - max(x0, word[0]) > _STRUCK * (word[2] - word[0]):
                    struck_words.add(place)
        if struck_words:
            line.struck_words = frozenset(struck_words)


def _baseline(line: Line) -> float | None:
    """Return the baseline of a level line, or None for any other."""
    if not line.spans or abs(line.direction[1]) > 0.01:
        return None
    span = max(line.spans, key=lambda candidate: len(candidate["text"]))
    return float(span["origin"][1])
