"""Text as it is compared and cut: a plain form with the way back to the original, and sentences with exact offsets."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from core.domain import Span


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def counted(number: int, singular: str, many: str = "") -> str:
    """Count things in words: '1 page', '3 pages'."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def and_list(items: Sequence[str]) -> str:
    """Join items as in 'A, B and C'."""
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def column_letters(column: int) -> str:
    """Name a column that counts from 0: A, B, ..., Z, AA."""
    text, column = "", column + 1
    while column:
        column, digit = divmod(column - 1, 26)
        text = chr(65 + digit) + text
    return text


# --- on a terminal ---------------------------------------------------------------------------------------------------

# What a terminal would obey instead of showing: controls (ESC, and CSI and OSC of the second set), and what turns the
# direction of the text around it. Line ends are among them: within a value they would forge a row.
_OBEYED = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_NOT_ON_A_TERMINAL = re.compile(f"[\0-\x08\x0a-\x1f{_OBEYED}]")
_NOT_IN_JSON = re.compile(f"[{_OBEYED}]")  # JSON itself escapes those below U+0020


def printable(line: str) -> str:
    r"""Write out what a terminal would obey in a line that is shown there, as ``\x1b`` or ``\u202e``."""
    return _NOT_ON_A_TERMINAL.sub(lambda match: ascii(match[0])[1:-1], line)


def columns(*values: object) -> str:
    """Write values in one line with a tab between them; a tab within a value would forge one more."""
    return "\t".join(str(value).replace("\t", " ") for value in values)


def printable_json(document: str) -> str:
    """Return the same JSON text with escapes for what a terminal would obey."""
    return _NOT_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", document)


WORD = re.compile(r"\w+")
BARE_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")  # without underscores
FULL_WORD = re.compile(r"\w+(?:['’]\w+)?")  # with its contraction
LONG_WORD = re.compile(r"[^\W\d_]{3,}")  # of letters
DIGITS = re.compile(r"\d+")

# --- the plain form --------------------------------------------------------------------------------------------------

# Characters without a shape of their own: soft hyphen, zero-width, direction marks, variation selectors, tags.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff"
)

_FOLDED: dict[str, str] = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u02bc\u0060\u00b4\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u301d\u301e\u301f\uff02", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d", "-"),
}

# Folded before everything else: one character for one, so that offsets stay, and the most frequent of them.
_AT_ONCE = (("\u2019", "'"), ("\u2018", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\u00a0", " "))

_INNER_DASH = re.compile(r"[\u2013\u2014](?![ \t\r]*\n)")  # at a line end it breaks no word, as a hyphen would

_TOKEN = re.compile(
    # A word broken at the end of a line: the hyphen, the line end and the indent of the next line.
    r"(?P<broken>(?<=[^\W_])[-\u2010\u2011\u00ad][ \t\r]*\n[ \t]*(?=[^\W_]))"
    # What stays as it is, with single spaces, line ends and hyphens inside it: nearly all of a text in a few tokens.
    r"|(?P<plain>[!-,.-_a-~]+(?:(?:- |[ \n-])(?=[!-~])[!-,.-_a-~]*)*|-)"
    rf"|(?P<space>[\s{_UNSEEN}]+)"
    r"|(?P<other>[^\s!-_a-~])"
)


# Digits above and below the line. They are no digits of the number before them: '10\u2076' is not 106.
_ABOVE, _BELOW = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079", "\u2080-\u2089"
_SIGNS_OFF_THE_LINE = "\u207a-\u207f\u2071\u208a-\u208e"
_RUN_OFF_THE_LINE = re.compile(f"[{_ABOVE}{_BELOW}{_SIGNS_OFF_THE_LINE}]+")
_OF_A_NAME = re.compile(rf"(?<=[^\W\d_{_ABOVE}{_BELOW}])[{_BELOW}]+")  # of CO\u2082, x\u2081


def has_raised(text: str) -> bool:
    """Return whether a text has characters above or below the line: powers, numbers of notes, indices."""
    return not text.isascii() and _RUN_OFF_THE_LINE.search(text) is not None


def plain_indices(text: str) -> str:
    """Return a text whose lowered digits behind a letter are plain ones: of CO\u2082, CO2. Its length stays."""
    return text if text.isascii() else _OF_A_NAME.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def searchable(text: str) -> str:
    """Return a text as its words are looked for: lowered digits behind a letter are plain, other raised ones apart.

    So CO\u2082 is CO2, 2019\u00b3 is found by 2019, and 10\u2076 is never 106.
    """
    return _RUN_OFF_THE_LINE.sub(r" \g<0> ", plain_indices(text)) if has_raised(text) else text


# '10\u2076' and '3.2 \u00d7 10\u2076', as a part of a pattern. No other number with raised digits is read: they may
# number a note.
POWER = rf"(?:(?P<mantissa>\d+(?:\.\d+)?)\s?[\u00d7\u00b7\u22c5x*]\s?)?10(?P<exponent>\u207b?[{_ABOVE}]{{1,2}})"


def power_of_ten(mantissa: str | None, exponent: str) -> float:
    """Return the value of a match of POWER."""
    return float(mantissa or 1) * 10.0 ** int(unicodedata.normalize("NFKC", exponent).replace("\u2212", "-"))


class Offsets:
    """The way back: character ``i`` of the plain form comes from text[starts[i]:ends[i]].

    Kept as runs, since nearly all of a text is as it was: a run is straight (character by character) or one piece of
    the text that became one or more characters.
    """

    __slots__ = ("_first", "_last", "_length", "_plain_starts", "_straight")

    def __init__(self, runs: Sequence[tuple[int, int, int, bool]], length: int) -> None:
        """Take the runs: (where it begins in the plain form, from and to in the text, straight).

        ``length`` is that of the plain form.
        """
        self._plain_starts = [run[0] for run in runs]
        self._first = [run[1] for run in runs]
        self._last = [run[2] for run in runs]
        self._straight = [run[3] for run in runs]
        self._length = length

    def __getitem__(self, index: int) -> int:
        """Return where in the text character ``index`` of the plain form begins."""
        if not 0 <= index < self._length:
            raise IndexError(index)
        run = bisect_right(self._plain_starts, index) - 1
        return self._first[run] + (index - self._plain_starts[run] if self._straight[run] else 0)

    def __len__(self) -> int:
        return self._length

    @property
    def starts(self) -> list[int]:
        """Of every character, where what it comes from begins."""
        return [offset for offset, _ in self._all()]

    @property
    def ends(self) -> list[int]:
        """Of every character, where what it comes from ends."""
        return [offset for _, offset in self._all()]

    def _all(self) -> Iterator[tuple[int, int]]:
        for run, (offset, following) in enumerate(pairwise((*self._plain_starts, self._length))):
            first = self._first[run]
            for step in range(following - offset):
                yield (first + step, first + step + 1) if self._straight[run] else (first, self._last[run])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the text that plain[start:end] is from; a character that became several counts whole."""
        if not 0 <= start < end <= self._length:
            raise ValueError("an empty stretch, or one outside the plain form, comes from nowhere")
        run = bisect_right(self._plain_starts, end - 1) - 1
        last = self._first[run] + end - self._plain_starts[run] if self._straight[run] else self._last[run]
        return self[start], last


def normalise(text: str) -> tuple[str, Offsets]:
    """Return the plain form of ``text`` and the way back.

    Compatibility characters and ligatures become plain letters (Unicode NFKC), but not what is above or below the
    line, curly quotes and dashes become ' " -, a run of white space becomes one space (none at the
    ends), characters without a shape vanish, and a word broken at a line end is joined (the hyphen goes before a small
    letter and stays before anything else). Case is kept.
    """
    pieces: list[str] = []  # never an empty one; a run that is not straight is one piece
    runs: list[list[int]] = []  # where it begins in the plain form, from, to, whether it is straight
    length = 0

    def add(piece: str, start: int, end: int, *, straight: bool) -> None:
        nonlocal length
        if straight and runs and runs[-1][3] and runs[-1][2] == start:
            runs[-1][2] = end
        else:
            runs.append([length, start, end, straight])
        pieces.append(piece)
        length += len(piece)

    def take_last() -> int:
        """Take back the last character with those that came from the same place; where that is."""
        nonlocal length
        offset, first, last, straight = runs[-1]
        if straight and last - first > 1:
            runs[-1][2] = first = last - 1
            length -= 1
        else:
            runs.pop()
            length = offset
        pieces[-1] = pieces[-1][:-1] if straight else ""
        if not pieces[-1]:
            pieces.pop()
        return first

    if not text.isascii():
        for odd, plain_character in _AT_ONCE:
            text = text.replace(odd, plain_character)
        text = _INNER_DASH.sub("-", text)
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        start, end = token.span()
        if kind == "plain":
            add(token.group().replace("\n", " "), start, end, straight=True)
        elif kind == "space":
            if length and pieces[-1][-1] != " " and any(c.isspace() for c in token.group()):
                add(" ", start, end, straight=end - start == 1)
        elif kind == "broken":
            if text[start] != "\u00ad" and not text[end].islower():
                add("-", start, end, straight=False)
        else:
            # A mark belongs to the letter before it, and the two may become one character.
            if _is_mark(text[start]) and length and runs[-1][2] == start and pieces[-1][-1] != " ":
                first = start - 1 if runs[-1][3] else runs[-1][1]
                if start - first < 32:
                    start = take_last()
            piece = ""
            for c in _plain(text[start:end]):
                if c != " " or (piece or "".join(pieces[-1:]) or " ")[-1] != " ":
                    piece += c
            if piece:
                add(piece, start, end, straight=len(piece) == 1 == end - start)
    if length and pieces[-1][-1] == " ":
        take_last()
    return "".join(pieces), Offsets(
        [(offset, first, last, bool(straight)) for offset, first, last, straight in runs], length
    )


def _is_mark(c: str) -> bool:
    return unicodedata.category(c)[0] == "M" or "\u1160" <= c <= "\u11ff"


def _plain(cluster: str) -> str:
    plain_character = _FOLDED.get(cluster)
    if plain_character is not None:
        return plain_character
    if _RUN_OFF_THE_LINE.match(cluster):
        return cluster
    wide = unicodedata.normalize("NFKC", cluster)
    if wide.startswith(" "):  # a free-standing accent would become a space and a mark
        return cluster
    return "".join(_FOLDED.get(c, c) for c in wide)


# --- a quote over a page break ---------------------------------------------------------------------------------------

PAGE_BREAK = "[…page break…]"  # is between the stretches of one quote where it is shown; no part of the quote
LEFT_OUT = "[…]"  # is there in one line for words of the pages that the quote skips


def over_pages(*stretches: str, skipped: Sequence[str] = (), brief: bool = False) -> str:
    """Show the stretches of a quote as one text.

    ``skipped`` is, for each page break, what is between the two stretches on their pages, a head or a page number,
    '' where nothing does. ``brief`` leaves those words out.
    """
    text = stretches[0]
    for stretch, between in zip_longest(stretches[1:], skipped[: len(stretches) - 1], fillvalue=""):
        words = LEFT_OUT if brief else f"[…page break, skipped: {between}…]"
        text += f" {words if between else PAGE_BREAK} {stretch}"
    return text


# --- what must never differ ------------------------------------------------------------------------------------------

NEGATIONS = frozenset(
    (
        *("no", "not", "never", "none", "nobody", "nothing", "neither", "nor", "without", "cannot", "can't", "won't"),
        *("don't", "didn't", "doesn't", "isn't", "aren't", "wasn't", "weren't", "hasn't", "haven't", "hadn't"),
        *("couldn't", "wouldn't", "shouldn't", "denied", "denies", "deny", "failed", "fails", "refused", "lacks"),
    )
)
# Words that begin a sentence with a capital letter and name nothing.
_JOINING = frozenset(
    (
        *("a", "an", "the", "in", "on", "at", "of", "to", "for", "from", "by", "with", "and", "but", "or", "as", "if"),
        *("when", "while", "after", "before", "this", "that", "these", "those", "there", "then", "also"),
    )
)
_SAYING = re.compile(rf"[-+]?\d+[{_ABOVE}]*|[^\W\d_]+(?:'[^\W\d_]+)*")


def without_hidden(text: str, hidden_spans: Sequence[tuple[int, int]]) -> str:
    """Return the text of a page as a person sees it: blanks where it is hidden, so that every place stays."""
    for start, end in hidden_spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def sayings(text: str) -> list[str]:
    """List what must never differ, in order: figures, negations and the words with a capital letter of a plain form.

    Figures with their sign; without "The", "In" and the like.
    """
    return [
        word
        for word in _SAYING.findall(text)
        if not word[-1].isalpha()
        or (word[0].isupper() and word.casefold() not in _JOINING)
        or word.casefold() in NEGATIONS
        or word.endswith("n't")
    ]


# --- sentences -------------------------------------------------------------------------------------------------------

_BLANK_LINE = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+|\f")
_ITEM = re.compile(r"[^\S\n]*(?:[-*+•‣▪▫●○◦■□–—][^\S\n]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)][^\S\n]|#{1,6} |\|)")
_NUMBER = re.compile(r"\(?\w{1,5}[.)]\s*")
_FIELD = re.compile(r"[A-Z][\w-]{0,24}:[^\S\n]")  # 'From: ', 'Subject: '
# How the entries of a log or a chat begin: a day, a time, the address of a computer.
_STAMP = re.compile(
    r"[^\S\n]*[\[(<]?(?:\d{4}[-/.]\d\d[-/.]\d\d|\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?!\d)|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?!\d)"
    r"|(?:\d{1,3}\.){3}\d{1,3}(?!\d)|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d)"
)
_RUNS_ON = re.compile(r"(?:[,(\-\u2010-\u2014&/]|\b(?:a|an|and|as|at|by|for|from|in|of|on|or|that|the|to|with))\s*$")
_STOP = re.compile(r"[.!?…。．！？؟।॥։።‼⁇⁈⁉｡]")
_ODD_SPACE = re.compile(r"[^\S \n]|\ufeff")
CELL_BORDER = " · "  # between the cells of a row
_LONGEST_ROW = 600  # characters of a row that is no sentence by sentence
_SHORT = 0.6  # a line shorter than this share of its block's longest line ends something


class RowCell(NamedTuple):
    """A cell of a row, without the heading of its column that is before it; '' if there is none."""

    heading: str
    start: int
    end: int


def row_cells(line: str) -> list[RowCell]:
    """List the cells of a row of a table as its line has them: 'Ann · sum: 12 · day: Monday'; [] for other text."""
    cells: list[RowCell] = []
    offset = 0
    if CELL_BORDER not in line or "\n" in line:
        return cells
    for number, words in enumerate(line.split(CELL_BORDER)):
        heading, border, _ = words.partition(": ") if number else ("", "", "")
        start = offset + len(heading) + len(border) if border else offset
        cells.append(RowCell(heading if border else "", start, offset + len(words)))
        offset += len(words) + len(CELL_BORDER)
    return cells


def sentences(text: str) -> list[Span]:
    """Cut ``text`` into sentences in order: every character that is not white space lies in exactly one.

    Blank lines, list items, table rows, entries of logs, header fields and short lines (headings, addresses) end a
    sentence before the splitter is asked, because it sees only punctuation.
    """
    return [sentence for block in blocks(text) for sentence in _split(text, block)]


def blocks(text: str) -> list[Span]:
    """List the stretches between which no sentence runs on, without white space at their ends."""
    spans: list[Span] = []
    offset = 0
    for gap in _BLANK_LINE.finditer(text):
        spans.extend(_by_lines(text, offset, gap.start()))
        offset = gap.end()
    spans.extend(_by_lines(text, offset, len(text)))
    return spans


def _by_lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Split text[start:end] (no blank line in it) where a line begins something new."""
    if text.find("\n", start, end) < 0:
        yield from _trim(text, start, end)
        return
    lines: list[tuple[int, int]] = []
    offset = start
    while offset <= end:
        stop = text.find("\n", offset, end)
        stop = end if stop < 0 else stop
        lines.append((offset, stop))
        offset = stop + 1
    longest = max(stop - offset for offset, stop in lines)
    begin = start
    for (offset, stop), (following, its_end) in pairwise(lines):
        is_entry = _STAMP.match(text, following, its_end) and _STAMP.match(text, begin, stop)
        if is_entry or _new_thing(text[offset:stop], text[following:its_end], longest):
            yield from _trim(text, begin, stop)
            begin = following
    yield from _trim(text, begin, end)


def _new_thing(line: str, following: str, longest: int) -> bool:
    if "\t" in line.strip() or "\t" in following.strip() or CELL_BORDER in line or CELL_BORDER in following:
        return True
    if _ITEM.match(following) or _FIELD.match(following):
        return True
    first = following.lstrip()[:1]
    if first.islower() or not first:
        return False
    return len(line) < _SHORT * longest and not _RUNS_ON.search(line)


def _trim(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Span(start, end)


def _split(text: str, block: Span) -> Iterator[Span]:
    piece = text[block.start : block.end]
    is_row = CELL_BORDER in piece and len(piece) <= _LONGEST_ROW and "\n" not in piece
    if is_row or not _STOP.search(piece, 0, len(piece) - 1):
        yield block
        return
    lengths = _lengths(piece)
    if len(lengths) > 1 and _NUMBER.fullmatch(piece, 0, lengths[0]):  # the number of a list item is no sentence
        lengths[:2] = [lengths[0] + lengths[1]]
    offset = block.start
    for length in lengths:
        yield from _trim(text, offset, offset + length)
        offset += length


def _lengths(piece: str) -> list[int]:
    """Measure the sentences of one block; together they make the whole block."""
    import sentencex  # late: a native library that only this function needs

    from core.language.identification import language_of

    # sentencex 1.0.32 panics at white space of more than one byte after an initial, so it is given plain spaces.
    plain = _ODD_SPACE.sub(" ", piece).encode("utf-8", "replace").decode("utf-8")
    try:
        lengths = [len(part) for part in sentencex.segment(language_of(plain), plain)]
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # what the library's runtime raises; it is no Exception
            raise
        lengths = []
    if sum(lengths) != len(piece):
        lengths = [len(part) for part in re.split(r"(?<=[.!?…。！？؟])\s+(?=\S)", piece)]
        return _with_gaps(piece, lengths)
    return lengths


def _with_gaps(piece: str, lengths: list[int]) -> list[int]:
    """Add the white space after each part to its length."""
    result, offset = [], 0
    for length in lengths:
        end = offset + length
        while end < len(piece) and piece[end].isspace():
            end += 1
        result.append(end - offset)
        offset = end
    return result
