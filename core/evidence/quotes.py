"""Proving quotes: the only place where a ``Quote`` is made, and the search for text that claims to be one.

A quote is a span of a page. Text that somebody typed or a model wrote is *verified* when the same characters are on
a page, apart from white space, hyphens at line ends, ligatures and the shape of quotation marks and dashes; letter
case, digits, signs and every word must be the same, and it must begin and end at word borders, so that 'likely' is no
quote from 'unlikely', at a line end neither, '500' none from '1,500' or '1 500', and '12' none from '-12' or '10-12'. A
fuzzy ratio only ever locates what is *near*, with the differences.
Over a page break, a head or a page number between the words may be skipped: where it surely is one, the quote is
verified and says what was skipped; where the line could as well be words of the text, as any figure could inside a
sentence, the quote is near.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from core.domain import MARKS, Page, Quote, QuotePart
from core.errors import BadInput
from core.evidence import running_lines, word_differences
from core.evidence.word_borders import NEXT_TO, cuts, exact_places, is_blank, numeral_words, plain_places
from core.evidence.word_differences import Difference
from core.text import DIGITS, WORD, Offsets, has_raised, normalise, plain_indices

Status = Literal["verified", "near", "not_found", "unchecked"]

MOST_MATCHES = 20  # places a verified quote is reported at
NEAR = 0.75  # share of the quote's characters that must be found again for a place to be called near
_KEPT = 256  # pages whose plain form is kept
LONGEST_NEAR = 400  # words; longer text is only ever verified or not found, since aligning it is slow

_CANDIDATES = 8  # pages that are aligned word by word
_PROBES = 12  # longest words of a quote by which pages are picked
_FEW = 4  # pages that are all looked at
_SHORTLIST = 40  # pages looked at by ratio before the alignment

_WORD = re.compile(r"\S+")
_HEADS = 3  # pages away from the break that have the same line in the same place, where it surely is a running head
_COUNT = 3  # pages, this one among them, whose numbers must count up


@dataclass(frozen=True, slots=True)
class Part:
    """A further stretch of a match over a page break, or a line skipped there; page.text[start:end] == text."""

    page: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """A place: page.text[start:end] == text, and so for each of ``more``, on the pages that follow.

    ``differences`` is empty for a verified quote. ``skipped_lines`` are between its stretches: heads and page
    numbers. ``frame`` is what its sentence says around it that changes what it says ('Aske said that'), where that was
    looked for. ``marks`` are keys of core.domain.MARKS that touch it.
    """

    document: str
    page: int
    start: int
    end: int
    text: str
    differences: tuple[Difference, ...] = ()
    score: float = 1.0
    more: tuple[Part, ...] = ()
    skipped_lines: tuple[Part, ...] = ()
    frame: str = ""
    marks: tuple[str, ...] = ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the words are not plainly what their source says, as it is said beside them; none: they are."""
        return tuple(MARKS[mark] for mark in self.marks if mark in ("struck", "hidden"))

    @property
    def altered(self) -> bool:
        """Return whether a figure, a date, a negation or a name differs: then it is no misprint of the page."""
        return any(difference.what != "word" for difference in self.differences)

    @property
    def whole(self) -> str:
        """The words of the page, or of all its pages."""
        return " ".join((self.text, *(part.text for part in self.more)))


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of looking for a quote.

    ``unchecked``: no page that could be searched has text. Matches are in order of page; a near one is the best.
    """

    status: Status
    matches: tuple[Match, ...] = ()

    @property
    def altered(self) -> bool:
        """Return whether the nearest place says something else: only a near quote that is not altered is a misprint."""
        return any(match.altered for match in self.matches)


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a quote beside what the page says.

    'same', 'changed', 'added' (in the quote alone) or 'missing' (on the page alone). The pieces of either side, one
    after the other, are the whole of it.
    """

    kind: Literal["same", "changed", "added", "missing"]
    quote: str
    page: str


def edits(quote: str, page: str) -> tuple[Edit, ...]:
    """Set a quote beside what the page says there, character by character in their plain forms, in order."""
    (quote_text, back), (two, page_offsets) = normalise(quote), normalise(page)
    kinds: dict[str, Literal["same", "changed", "added", "missing"]]
    kinds = {"equal": "same", "replace": "changed", "delete": "added", "insert": "missing"}
    pieces = []
    for step in Levenshtein.opcodes(quote_text, two):
        piece = quote[_edge_at(back, step.src_start, quote) : _edge_at(back, step.src_end, quote)]
        page_part = page[_edge_at(page_offsets, step.dest_start, page) : _edge_at(page_offsets, step.dest_end, page)]
        if piece or page_part:
            pieces.append(Edit(kinds[step.tag], piece, page_part))
    return tuple(pieces)


def _edge_at(offsets: Offsets, index: int, text: str) -> int:
    """Return where in the text the border before character ``index`` of its plain form lies; the ends are its ends."""
    return 0 if index == 0 else len(text) if index == len(offsets) else offsets[index]


def _cell(words: str) -> tuple[str, bool] | None:
    """Return the plain form of a cell, and whether it has raised characters; None for an empty one."""
    plain = normalise(plain_indices(words))[0].strip()
    return (plain, has_raised(words)) if plain else None


def _rows_span(
    text: str, rows: Sequence[Sequence[tuple[int, int]]], lines: Sequence[Sequence[tuple[str, bool] | None]]
) -> tuple[int, int] | None:
    """Return the span of rows that hold the cells of as many lines, each from the same column on; None for no match."""
    for left in range(len(rows[0])):
        spans = [row[left : left + len(line)] for row, line in zip(rows, lines, strict=True)]
        if all(
            len(cells) == len(line)
            and all(_cell(text[slice(*cells[index])]) == cell for index, cell in enumerate(line))
            for cells, line in zip(spans, lines, strict=True)
        ):
            places = [(start, end) for cells in spans for start, end in cells if start < end]
            return min(places)[0], max(end for _, end in places)
    return None


# --- making quotes ---------------------------------------------------------------------------------------------------


def span(page: Page, start: int, end: int, more: Sequence[tuple[Page, int, int]] = ()) -> Quote:
    """Make the quote page.text[start:end] without white space at its ends.

    ``more`` are the pages on which it goes on, with the stretch of each. Raises BadInput for a stretch without text,
    and for pages that do not follow one another.
    """
    first, *further = (_stretch(*stretch) for stretch in ((page, start, end), *more))
    for number, (following, *_) in enumerate(more, start=1):
        if (following.document, following.number) != (page.document, page.number + number):
            raise BadInput(
                reason=f"Page {following.number} of {following.document} does not follow page "
                f"{page.number + number - 1} of {page.document}, so this is not one quote.",
                remedy="Mark words that run on from one page to the next, or add two quotes.",
            )
    first_stretch = first.page_id, first.page, first.start, first.end, first.text, first.page_sha256
    return Quote(page.document, *first_stretch, more=tuple(further))


def _stretch(page: Page, start: int, end: int) -> QuotePart:
    """Make a part of page.text[start:end] without white space at its ends."""
    if not 0 <= start < end <= len(page.text) or not page.text[start:end].strip():
        raise BadInput(
            reason=f"Characters {start} to {end} of page {page.number} contain no text.",
            remedy=f"Mark at least one word; the page has {len(page.text)} characters.",
        )
    while page.text[start].isspace():
        start += 1
    while page.text[end - 1].isspace():
        end -= 1
    return QuotePart(page.id, page.number, start, end, page.text[start:end], page.sha256)


def marks_of(page: Page, start: int, end: int) -> tuple[str, ...]:
    """Return which of core.domain.MARKS touch page.text[start:end], in their order."""
    touches = {
        "struck": any(first < end and start < last for first, last in page.struck_spans),
        "hidden": any(first < end and start < last for first, last in page.hidden_spans),
        "raised": has_raised(page.text[start:end]),
    }
    return tuple(mark for mark in MARKS if touches[mark])


def struck_edges(page: Page) -> frozenset[int]:
    """Return where what is struck through on a page begins and ends: nothing struck goes on in what is beside it.

    With 900 struck and 1,200 written behind it, '900 1,200' is two numbers.
    """
    edges = set[int]()
    for start, end in page.struck_spans:
        while start > 0 and page.text[start - 1].isspace():
            edges.add(start)
            start -= 1
        while end < len(page.text) and page.text[end].isspace():
            edges.add(end)
            end += 1
        edges |= {start, end}
    return frozenset(edges)


# --- finding what claims to be a quote -------------------------------------------------------------------------------


def find(text: str, pages: Iterable[Page]) -> Answer:
    """Look ``text`` up on ``pages``. Raises BadInput for an empty text."""
    return QuoteFinder(pages).find(text)


@dataclass(frozen=True, slots=True)
class _Text:
    """The text searched: a page, or the end of one with the pages after it.

    ``pieces`` are (page, where the piece begins on its page, where it begins here) in order; between two stands a line
    end, and ``skipped_lines`` has for each such border the lines that are left out there, with whether each surely is a
    running line.
    """

    text: str
    plain: str
    offsets: Offsets
    pieces: tuple[tuple[int, int, int], ...]
    cut: bool = False  # whether something is before it on its first page
    skipped_lines: tuple[tuple[tuple[Part, bool], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Body:
    """The stretch of a page between the lines at its edges that may be running lines.

    ``head`` and ``foot`` are where those lie, the outermost first.
    """

    start: int
    end: int
    head: tuple[tuple[int, int], ...]
    foot: tuple[tuple[int, int], ...]


class QuoteFinder:
    """Pages to look quotes up in; for many quotes the plain forms are made once."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = list(pages)
        self._lower_texts: dict[int, str] = {}  # made when first asked for
        self._bodies: dict[int, _Body] = {}
        self._edges: dict[str, dict[tuple[int, int, str], list[int]]] = {}  # by document
        self._breaks: dict[tuple[int, int], tuple[int, int]] = {}
        self._texts: OrderedDict[int, _Text] = OrderedDict()
        self._place = {(page.document, page.number): index for index, page in enumerate(self._pages)}

    def find(self, text: str, *, document: str | None = None) -> Answer:
        """Look a quote up: verified where it is, on a page or over a page break, else near, else not found."""
        if not text.strip():
            raise BadInput(reason="The quote is empty.", remedy="Give the words to look for.")
        answer = self._find(text, document)
        return replace(answer, matches=tuple(replace(match, marks=self._marks(match)) for match in answer.matches))

    def _marks(self, match: Match) -> tuple[str, ...]:
        first = Part(match.page, match.start, match.end, match.text)
        parts = [(self._pages[self._place[match.document, part.page]], part) for part in (first, *match.more)]
        marks = {mark for page, part in parts for mark in marks_of(page, part.start, part.end)}
        return tuple(mark for mark in MARKS if mark in marks)

    def _find(self, text: str, document: str | None) -> Answer:
        scope = [
            index
            for index, page in enumerate(self._pages)
            if (document is None or page.document == document) and page.text.strip()
        ]
        if not scope:
            return Answer("unchecked")
        exact = [
            self._match(index, start, end)
            for index in scope
            for start, end in exact_places(text.strip(), self._pages[index].text, struck_edges(self._pages[index]))
            if not self._cut_by_page(index, start, end)
        ]
        if exact:
            return Answer("verified", tuple(exact[:MOST_MATCHES]))
        flat, _ = normalise(plain_indices(text))
        if not flat:
            return Answer("not_found")
        shortlist, breaks = self._shortlists(flat, scope)
        plain = [
            self._match(index, start, end)
            for index in sorted(shortlist)
            for start, end in plain_places(
                text, flat, *self._plain(index), self._pages[index].text, struck_edges(self._pages[index])
            )
            if not self._cut_by_page(index, start, end)
        ]
        if plain:
            return Answer("verified", tuple(plain[:MOST_MATCHES]))
        rows = list(islice(self._table_rows(text, sorted(shortlist)), MOST_MATCHES)) if "\t" in text.strip() else []
        if rows:
            return Answer("verified", tuple(rows))
        page_ends = [self._page_end(index, flat, sure=True) for index in breaks]
        over = [match for page_end in page_ends for match in self._over_break(text, flat, page_end)]
        if over:
            return Answer("verified", tuple(sorted(over, key=lambda m: self._place[m.document, m.page])[:MOST_MATCHES]))
        # Without the lines that may be running lines and may be words of the text: the quote is near at best.
        strict = {page_end.text for page_end in page_ends}
        loose = [
            page_end for index in breaks if (page_end := self._page_end(index, flat, sure=False)).text not in strict
        ]
        over = [match for page_end in loose for match in self._over_break(text, flat, page_end) if match.differences]
        if over:
            return Answer("near", (max(over, key=lambda match: match.score),))
        nearest = self._nearest(text, flat, [*(self._whole(index) for index in shortlist), *page_ends, *loose])
        return Answer("near", (nearest,)) if nearest else Answer("not_found")

    def _table_rows(self, text: str, scope: Sequence[int]) -> Iterator[Match]:
        """Yield the rows of tables that hold the cells of a text as a sheet copies it: tabs between, a line a row."""
        lines = [[_cell(cell) for cell in line.rstrip().split("\t")] for line in text.strip("\r\n ").splitlines()]
        if all(sum(map(bool, line)) < 2 for line in lines):
            return
        for index in scope:
            page = self._pages[index]
            for table in page.tables:
                for first in range(len(table.rows) - len(lines) + 1):
                    span = _rows_span(page.text, table.rows[first : first + len(lines)], lines)
                    if span is not None:
                        yield self._match(index, *span)

    def _match(self, index: int, start: int, end: int) -> Match:
        page = self._pages[index]
        return Match(page.document, page.number, start, end, page.text[start:end])

    def _cut_by_page(self, index: int, start: int, end: int) -> bool:
        """Return whether a stretch of page ``index`` begins or ends inside a word that runs over a page break."""
        page = self._pages[index]
        previous, following = self._place.get((page.document, page.number - 1)), self._following(index)
        return (previous is not None and self._goes_on(previous, None, index, start)) or (
            following is not None and self._goes_on(index, end, following, None)
        )

    def _goes_on(self, index: int, end: int | None, next_index: int, start: int | None) -> bool:
        """Return whether a word or a number runs from page ``index`` to the next one, ``next_index``.

        From ``end`` on, where at most running lines are behind it, to ``start``, where at most running lines are
        before it.
        """
        here, next_text = self._pages[index].text, self._pages[next_index].text
        tails = [offset for offset in {len(here), self._body(index).end} if end is None or is_blank(here, end, offset)]
        heads = [
            offset
            for offset in {0, self._body(next_index).start}
            if start is None or is_blank(next_text, offset, start)
        ]
        return any(
            cuts(here[:tail].rstrip()[-NEXT_TO:], "\n" + next_text[head:].lstrip()[:NEXT_TO])
            for tail in tails
            for head in heads
        )

    def _whole(self, index: int) -> _Text:
        page_text = self._texts.get(index)
        if page_text is None:
            text = self._pages[index].text
            page_text = self._texts[index] = _Text(text, *normalise(plain_indices(text)), ((index, 0, 0),))
            if len(self._texts) > _KEPT:
                self._texts.popitem(last=False)
        return page_text

    def _holds(self, index: int, words: Sequence[str]) -> int:
        """Return as bits which of the words a page has."""
        lower_text = self._lower_texts.get(index)
        if lower_text is None:
            lower_text = self._lower_texts[index] = self._pages[index].text.casefold()
        return sum(1 << n for n, word in enumerate(words) if word in lower_text)

    def _plain(self, index: int) -> tuple[str, Offsets]:
        text = self._whole(index)
        return text.plain, text.offsets

    def _shortlists(self, flat: str, scope: Sequence[int]) -> tuple[list[int], list[int]]:
        """List the pages that hold most of the longest words of the quote, most first, at least a third of them.

        And the pages that hold half of them only together with the next page.
        """
        if len(scope) <= _FEW:
            return list(scope), [index for index in scope if self._following(index) is not None]
        words = sorted(set(WORD.findall(flat.casefold())), key=lambda word: (-len(word), word))[:_PROBES]
        if not words:
            return list(scope[:_SHORTLIST]), []
        bits_of = {index: self._holds(index, words) for index in scope}
        counts = [(bits.bit_count(), index) for index, bits in bits_of.items()]
        enough = sorted((-count, index) for count, index in counts if 3 * count >= len(words))
        together = []
        for index, bits in bits_of.items():
            following = self._following(index)
            if following is not None:
                both = (bits | bits_of.get(following, 0)).bit_count()
                if 2 * both >= len(words):
                    together.append((-both, index))
        return [index for _, index in enough[:_SHORTLIST]], [index for _, index in sorted(together)[:_SHORTLIST]]

    # --- over a page break -------------------------------------------------------------------------------------------

    def _following(self, index: int) -> int | None:
        """Return the next page of the document, when it has text."""
        page = self._pages[index]
        following = self._place.get((page.document, page.number + 1))
        return following if following is not None and self._pages[following].text.strip() else None

    def _page_end(self, index: int, flat: str, *, sure: bool) -> _Text:
        """Join the end of page ``index`` and as much of the pages after it as the quote can cover.

        Without the lines that surely are running lines, or without all that may be ones.
        """
        pieces, parts, skipped_lines = [], [], []
        room = 3 * len(flat) + 1_000  # more than the quote with every line end and space of its page
        here: int | None = index
        start = length = 0
        while here is not None and room > 0:
            page, following = self._pages[here].text, self._following(here)
            end, begins = (len(page), 0) if following is None else self._break(here, following, sure=sure)
            stop = end
            line_end = page.find("\n", start + room, end)
            if here != index and line_end >= 0:
                stop = line_end
            elif here == index and end - start > room:
                start = page.rfind("\n", start, end - room) + 1
            pieces.append((here, start, length))
            parts.append(page[start:stop])
            length += 1 + stop - start
            room -= stop - start if here != index else 0
            if stop < end or following is None:
                break
            if room > 0:
                skipped_lines.append(
                    (
                        *self._skipped_lines(here, following, end, len(page), -1),
                        *self._skipped_lines(here, following, 0, begins, 0),
                    )
                )
            here, start = following, begins
        text = "\n".join(parts)
        return _Text(text, *normalise(plain_indices(text)), tuple(pieces), pieces[0][1] > 0, tuple(skipped_lines))

    def _skipped_lines(
        self, index: int, next_index: int, start: int, end: int, side: int
    ) -> Iterator[tuple[Part, bool]]:
        """Yield the lines that are left out at the foot (-1) of page ``index`` or at the head (0) of ``next_index``.

        ``next_index`` is the next page; each line comes with whether it surely is a running line.
        """
        foot, head = self._break(index, next_index, sure=True)
        page = self._pages[index if side else next_index]
        for line in running_lines.LINE.finditer(page.text, start, end):
            text = line.group().strip()
            first = line.start() + line.group().index(text)
            sure = line.start() >= foot if side else line.end() <= head
            yield Part(page.number, first, first + len(text), text), sure

    def _over_break(self, text: str, flat: str, page_end: _Text) -> Iterator[Match]:
        """Yield places where the quote begins on the first page and ends on a later one."""
        for start, end in plain_places(text, flat, page_end.plain, page_end.offsets, page_end.text):
            if page_end.cut and start == 0:
                continue  # what is before it was cut off: it may begin inside a word
            match = self._match_in(page_end, start, end)
            if match is not None and match.more and match.page == self._pages[page_end.pieces[0][0]].number:
                yield match

    def _match_in(self, where: _Text, start: int, end: int) -> Match | None:
        """Return the match that where.text[start:end] is, piece by piece on its pages; None if it has no text."""
        parts: list[Part] = []
        skipped_lines: list[tuple[Part, bool]] = []
        borders = [*(begins for _, _, begins in where.pieces[1:]), len(where.text) + 1]
        for number, ((offset, first, begins), border) in enumerate(zip(where.pieces, borders, strict=True)):
            low, high = max(start, begins), min(end, border - 1)
            text = where.text[low:high]
            if low < high and text.strip():
                if parts:
                    skipped_lines += where.skipped_lines[number - 1]
                low += len(text) - len(text.lstrip())
                high -= len(text) - len(text.rstrip())
                page = self._pages[offset]
                from_, to = first + low - begins, first + high - begins
                parts.append(Part(page.number, from_, to, page.text[from_:to]))
        if not parts:
            return None
        document = self._pages[where.pieces[0][0]].document
        head = parts[0]
        doubtful = [part.text for part, sure in skipped_lines if not sure]
        return Match(
            *(document, head.page, head.start, head.end, head.text),
            differences=tuple(Difference("", line, word_differences.kind_of("", line)) for line in doubtful),
            score=round((end - start) / (end - start + sum(map(len, doubtful))), 4),
            more=tuple(parts[1:]),
            skipped_lines=tuple(part for part, _ in skipped_lines),
        )

    def _body(self, index: int) -> _Body:
        """Return page ``index`` without what may be running lines at its top and bottom.

        Page numbers, and lines that are in the same place on a page near by. A line with a negation is never one.
        """
        stored_body = self._bodies.get(index)
        if stored_body is not None:
            return stored_body
        page = self._pages[index]
        lines = [(m.start(), m.end()) for m in running_lines.LINE.finditer(page.text)]
        first, last = 0, len(lines)
        while (
            last > 0
            and len(lines) - last < running_lines.MAX_LINES
            and self._runs(index, page.text[slice(*lines[last - 1])], -1)
        ):
            last -= 1
        while (
            first < last and first < running_lines.MAX_LINES and self._runs(index, page.text[slice(*lines[first])], 0)
        ):
            first += 1
        if first == last:
            body = _Body(0, len(page.text), (), ())
        else:
            body = _Body(lines[first][0], lines[last - 1][1], tuple(lines[:first]), tuple(reversed(lines[last:])))
        self._bodies[index] = body
        return body

    def _break(self, index: int, next_index: int, *, sure: bool) -> tuple[int, int]:
        """Return where the text of page ``index`` ends and that of ``next_index``, the next one, begins.

        Without what may be running lines, or only without what surely is one, from the edge of the page on.
        """
        body, after = self._body(index), self._body(next_index)
        if not sure:
            return body.end, after.start
        place_of_text = self._breaks.get((index, next_index))
        if place_of_text is None:
            here, next_text = self._pages[index].text, self._pages[next_index].text
            ends, begins = here[: body.end].rstrip(), next_text[after.start :].lstrip()
            left_out = [*(here[slice(*line)] for line in body.foot), *(next_text[slice(*line)] for line in after.head)]
            if (
                running_lines.CUT_WORD.search(ends[-NEXT_TO:])
                and begins[:1].islower()
                and not any(line.lstrip()[:1].islower() for line in left_out)
            ):
                return body.end, after.start  # no line is inside a word that is cut in two
            at_sentence_end = running_lines.CLOSES.search(ends[-NEXT_TO:]) is not None
            runs_on = not at_sentence_end and begins[:1].islower()
            opens = at_sentence_end and running_lines.OPENS.match(begins) is not None
            foot, head = len(here), 0
            for place, (start, _) in enumerate(body.foot):
                if not self._surely_runs(index, next_index, place, -1, here[body.end : start], runs_on, opens):
                    break
                foot = start if place + 1 < len(body.foot) else body.end
            for place, (_, end) in enumerate(after.head):
                if not self._surely_runs(index, next_index, place, 0, next_text[end : after.start], runs_on, opens):
                    break
                head = end if place + 1 < len(after.head) else after.start
            place_of_text = self._breaks[index, next_index] = foot, head
        return place_of_text

    def _surely_runs(
        self, index: int, next_index: int, place: int, side: int, between: str, runs_on: bool, opens: bool
    ) -> bool:
        """Return whether a line that may be a running line can be nothing else.

        It is ``place`` lines from the bottom (-1) of page ``index`` or from the top (0) of the next, ``next_index``.
        ``between`` is what is between it and the text; ``runs_on``: a sentence goes on over the break in a small
        letter; ``opens``: one ends there and another begins.

        A page number does, at the very edge of pages that count up, where no sentence runs on: '2' may count people. A
        line of words does where a sentence runs on, and the line is in the same place on pages elsewhere, apart
        from the text or at the very edge, and does not read as words of the sentence.
        """
        page_index = index if side else next_index
        page = self._pages[page_index]
        line = running_lines.line_at(page.text, side, place)
        same = [
            (number - page.number, self._pages[self._place[page.document, number]])
            for number in self._alike(page.document, side, place, line)
            if number != page.number
        ]
        same = [
            (apart, neighbour)
            for apart, neighbour in same
            if running_lines.is_same_line(line, running_lines.line_at(neighbour.text, side, place), apart)
        ]
        counting = sum(
            running_lines.counts(line, running_lines.line_at(neighbour.text, side, place), apart)
            for apart, neighbour in same
        )
        is_label = bool(page.label) and running_lines.bare(line) == page.label.casefold()
        words = [word for word in re.findall(r"[^\W\d_]+", line) if word.casefold() not in running_lines.NUMBERING]
        if is_label or not words:
            if is_label:
                counting = max(counting, self._labels(page.document, side))
            return opens and place == 0 and counting >= _COUNT - 1 and not running_lines.SIGNED.match(line)
        at_break = {self._pages[index].number, self._pages[next_index].number}
        apart = running_lines.BLANK_LINE.search(between) is not None
        return (
            runs_on
            and (apart or place == 0)
            and sum(neighbour.number not in at_break for _, neighbour in same) >= _HEADS
            and running_lines.QUALIFYING.isdisjoint(running_lines.folded_words(line))
            and words[0].casefold() not in running_lines.OPENING
            and not (counting and words[0][0].islower())
            and not running_lines.reads_on(line, counts_pages=counting >= _COUNT - 1, apart=apart)
        )

    def _alike(self, document: str, side: int, place: int, line: str) -> list[int]:
        """List the numbers of the pages of a document that have this line in this place, whatever the figures in it."""
        if document not in self._edges:
            edges = self._edges[document] = {}
            for page in self._pages:
                for end in (0, -1) if page.document == document else ():
                    for n, text in enumerate(running_lines.edge(page.text, end)):
                        row = n if end == 0 else len(running_lines.edge(page.text, end)) - 1 - n
                        edges.setdefault((end, row, DIGITS.sub("0", text)), []).append(page.number)
        return self._edges[document].get((side, place, DIGITS.sub("0", line)), [])

    def _labels(self, document: str, side: int) -> int:
        """Count the other pages of a document that have their label as the line at this edge."""
        return (
            sum(
                bool(page.label)
                and running_lines.bare(running_lines.line_at(page.text, side, 0)) == page.label.casefold()
                for page in self._pages
                if page.document == document
            )
            - 1
        )

    def _runs(self, index: int, line: str, side: int) -> bool:
        """Return whether a line at the top (0) or bottom (-1) of page ``index`` is a running line."""
        page = self._pages[index]
        return running_lines.runs(page, line, side, self._text_beside)

    def _text_beside(self, document: str, number: int) -> str:
        """Return the text of a page; '' where there is none."""
        index = self._place.get((document, number))
        return "" if index is None else self._pages[index].text

    # --- near --------------------------------------------------------------------------------------------------------

    def _nearest(self, text: str, flat: str, candidates: Sequence[_Text]) -> Match | None:
        if len(flat.split()) > LONGEST_NEAR:
            return None
        needle = flat.casefold()
        positions = []
        for order, where in enumerate(candidates):
            plain = where.plain
            if not plain:
                continue
            # The shorter of the two is slid along the longer one: a page shorter than the quote is taken whole.
            if len(plain) <= len(needle):
                positions.append((fuzz.ratio(needle, plain.casefold()), order, 0, len(plain)))
                continue
            lower_text = plain.casefold()
            if len(lower_text) != len(plain):  # a letter that folds into two would shift every offset behind it
                lower_text = plain.lower() if len(plain.lower()) == len(plain) else plain
            alignment = fuzz.partial_ratio_alignment(needle, lower_text, score_cutoff=100 * (NEAR - 0.2))
            if alignment is not None:
                positions.append((alignment.score, order, alignment.dest_start, alignment.dest_end))
        best: Match | None = None
        for _, order, start, end in sorted(positions, key=lambda item: (-item[0], item[1]))[:_CANDIDATES]:
            match = self._align(text, flat, candidates[order], start, end)
            if match is not None and (best is None or match.score > best.score):
                best = match
        return best

    def _align(self, text: str, flat: str, where: _Text, start: int, end: int) -> Match | None:
        """Return the stretch around plain[start:end] that fits the quote word by word, with the words that differ."""
        plain = where.plain
        room = len(flat) // 3 + 20  # the sliding window is never longer than the quote: look beyond both ends
        low = max(0, start - room)
        window = [m.span() for m in _WORD.finditer(plain, low, min(len(plain), end + room))]
        if not window:
            return None
        words = flat.split()
        first, last = word_differences.borders(flat, words, plain, window, start, end)
        page_words = [plain[slice(*span)] for span in window[first : last + 1]]
        # Spaces count for nothing: a picture that was read badly breaks words and runs them together.
        quote_text, page_text = "".join(words), "".join(page_words)
        score = 1.0 - Levenshtein.distance(quote_text, page_text) / len(quote_text)
        if score < NEAR:
            return None
        alignment = word_differences.differences(words, page_words)
        if alignment is None:
            return None
        differences, begin, stop = alignment
        match = self._match_in(where, *where.offsets.span(window[first + begin][0], window[first + stop][1]))
        if match is None:
            return None
        if (
            not differences and not match.differences
        ):  # plain forms are equal: a numeral of another kind ('10²' for '102') keeps them apart
            differences = (Difference(numeral_words(text), numeral_words(match.whole), "number"),)
        return replace(match, differences=(*differences, *match.differences), score=round(score * match.score, 4))
