"""Proving quotes: the only place where a ``Quote`` is made, and the search for text that claims to be one.

A quote is a span of a page. Text that somebody typed or a model wrote is *verified* when the same characters stand on
a page, apart from white space, hyphens at line ends, ligatures and the shape of quotation marks and dashes; letter
case, digits, signs and every word must be the same, and it must begin and end at word borders, so that 'likely' is no
quote from 'unlikely', at a line end neither, '500' none from '1,500' or '1 500', and '12' none from '-12' or '10-12'. A
fuzzy ratio only ever locates what is *near*, with the differences.
Over a page break, a head or a page number between the words may be skipped: where it surely is one, the quote is
verified and says what was skipped; where the line could as well be words of the text, as any figure could inside a
sentence, the quote is near.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel, Levenshtein

from core.domain import Page, Quote, QuotePart
from core.errors import BadInput
from core.text import NEGATIONS, Offsets, normalise

Status = Literal["verified", "near", "not_found", "unchecked"]
What = Literal["number", "date", "negation", "name", "word"]

MOST_MATCHES = 20  # places a verified quote is reported at
NEAR = 0.75  # share of the quote's characters that must be found again for a place to be called near
_KEPT = 256  # pages whose plain form is kept
LONGEST_NEAR = 400  # words; longer text is only ever verified or not found, since aligning it is slow

_CANDIDATES = 8  # pages that are aligned word by word
_PROBES = 12  # longest words of a quote by which pages are picked
_FEW = 4  # pages that are all looked at
_SHORTLIST = 40  # pages looked at by ratio before the alignment

_WORD = re.compile(r"\S+")
_LETTERS = re.compile(r"\w+")
_AROUND = re.compile(r"^\W+|\W+$")
_LINE = re.compile(r"[^\n\f]*\S[^\n\f]*")
_RUNNING = 3  # lines at the top and at the bottom of a page that may be no part of its text
_LONGEST_RUNNING = 200  # characters
_HEADS = 3  # pages away from the break that have the same line in the same place, where it surely is a running head
_COUNT = 3  # pages, this one among them, whose numbers must count up

_DATE_WORDS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri "
    "sat sun"
)
_DATES = frozenset(_DATE_WORDS.split())
_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands "
    "million millions billion billions dozen dozens half quarter third first second both once twice"
)
_NUMBERS = frozenset(_NUMBER_WORDS.split())
_FIGURE = re.compile(r"(?:(?<!\w)[-+±])?\d+(?:[.,:/]\d+)*")


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the quote and the page part; '' on the side where nothing stands. ``what`` is 'number', 'date',
    'negation', 'name', or 'word'; ``quote`` is the given text, ``page`` what the page says.
    """

    quote: str
    page: str
    what: What


@dataclass(frozen=True, slots=True)
class Part:
    """A further stretch of a match over a page break, or a line skipped there: the text of that page[start:end] ==
    text.
    """

    page: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """A place: page.text[start:end] == text, and so for each of ``more``, on the pages that follow. ``differences`` is
    empty for a verified quote. ``skipped`` are the lines that stand between its stretches, heads and page numbers.
    """

    document: str
    page: int
    start: int
    end: int
    text: str
    differences: tuple[Difference, ...] = ()
    score: float = 1.0
    more: tuple[Part, ...] = ()
    skipped: tuple[Part, ...] = ()

    @property
    def altered(self) -> bool:
        """Whether a figure, a date, a negation or a name differs: then it is no misprint of what stands there."""
        return any(difference.what != "word" for difference in self.differences)

    @property
    def whole(self) -> str:
        """The words of the page, or of all its pages."""
        return " ".join((self.text, *(part.text for part in self.more)))


@dataclass(frozen=True, slots=True)
class Answer:
    """``unchecked``: no page that could be searched has text. Matches are in order of page; a near one is the best."""

    status: Status
    matches: tuple[Match, ...] = ()

    @property
    def altered(self) -> bool:
        """Whether the nearest place says something else: only a quote that is near and not altered is a misprint."""
        return any(match.altered for match in self.matches)


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a quote beside what the page says: 'same', 'changed', 'added' (in the quote alone) or 'missing' (on
    the page alone). The pieces of either side, one after the other, are the whole of it.
    """

    kind: Literal["same", "changed", "added", "missing"]
    quote: str
    page: str


def edits(quote: str, page: str) -> tuple[Edit, ...]:
    """A quote and what the page says there, character by character in their plain forms, in order."""
    (one, back), (two, there) = normalise(quote), normalise(page)
    kinds: dict[str, Literal["same", "changed", "added", "missing"]]
    kinds = {"equal": "same", "replace": "changed", "delete": "added", "insert": "missing"}
    found = []
    for step in Levenshtein.opcodes(one, two):
        piece = quote[_edge_at(back, step.src_start, quote) : _edge_at(back, step.src_end, quote)]
        other = page[_edge_at(there, step.dest_start, page) : _edge_at(there, step.dest_end, page)]
        if piece or other:
            found.append(Edit(kinds[step.tag], piece, other))
    return tuple(found)


def _edge_at(offsets: Offsets, at: int, text: str) -> int:
    """Where in the text the border before character ``at`` of its plain form lies; the first and last are its ends."""
    return 0 if at == 0 else len(text) if at == len(offsets) else offsets[at]


# --- making quotes ---------------------------------------------------------------------------------------------------


def span(page: Page, start: int, end: int, more: Sequence[tuple[Page, int, int]] = ()) -> Quote:
    """The quote page.text[start:end] without white space at its ends; ``more`` are the pages on which it goes on, with
    the stretch of each. Raises BadInput for a stretch without text, and for pages that do not follow one another.
    """
    first, *others = (_stretch(*each) for each in ((page, start, end), *more))
    for number, (following, *_) in enumerate(more, start=1):
        if (following.document, following.number) != (page.document, page.number + number):
            raise BadInput(
                reason=f"Page {following.number} of {following.document} does not follow page "
                f"{page.number + number - 1} of {page.document}, so this is not one quote.",
                remedy="Mark words that run on from one page to the next, or add two quotes.",
            )
    whole = first.page_id, first.page, first.start, first.end, first.text, first.page_sha256
    return Quote(page.document, *whole, more=tuple(others))


def _stretch(page: Page, start: int, end: int) -> QuotePart:
    """page.text[start:end] without white space at its ends."""
    if not 0 <= start < end <= len(page.text) or not page.text[start:end].strip():
        raise BadInput(
            reason=f"Characters {start} to {end} of page {page.number} hold no text.",
            remedy=f"Mark at least one word; the page has {len(page.text)} characters.",
        )
    while page.text[start].isspace():
        start += 1
    while page.text[end - 1].isspace():
        end -= 1
    return QuotePart(page.id, page.number, start, end, page.text[start:end], page.sha256)


def locate(text: str, page: Page) -> Quote | None:
    """The first place on ``page`` where ``text`` is verified, as a quote; None when there is none."""
    for start, end in _places(text, page.text):
        return span(page, start, end)
    return None


# --- finding what claims to be a quote -------------------------------------------------------------------------------


def find(text: str, pages: Iterable[Page]) -> Answer:
    """Whether ``text`` stands on any of ``pages``. Raises BadInput for an empty text."""
    return QuoteFinder(pages).find(text)


@dataclass(frozen=True, slots=True)
class _Text:
    """What is searched: a page, or the end of one with the pages after it. ``pieces`` are (page, where the piece begins
    on its page, where it begins here) in order; between two stands a line end, and ``skipped`` has for each such border
    the lines that are left out there, with whether each surely is a running line.
    """

    text: str
    plain: str
    offsets: Offsets
    pieces: tuple[tuple[int, int, int], ...]
    cut: bool = False  # whether something stands before it on its first page
    skipped: tuple[tuple[tuple[Part, bool], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Body:
    """The stretch of a page between the lines at its edges that may be running lines; ``head`` and ``foot`` are where
    those lie, the outermost first.
    """

    start: int
    end: int
    head: tuple[tuple[int, int], ...]
    foot: tuple[tuple[int, int], ...]


class QuoteFinder:
    """Pages to look quotes up in; for many quotes the plain forms are made once."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = list(pages)
        self._folded: dict[int, str] = {}  # made when first asked for
        self._bodies: dict[int, _Body] = {}
        self._edges: dict[str, dict[tuple[int, int, str], list[int]]] = {}  # by document
        self._breaks: dict[tuple[int, int], tuple[int, int]] = {}
        self._texts: OrderedDict[int, _Text] = OrderedDict()
        self._place = {(page.document, page.number): at for at, page in enumerate(self._pages)}

    def find(self, text: str, *, document: str | None = None) -> Answer:
        """Verified where it stands, on a page or over a page break, else the nearest place, else not found."""
        if not text.strip():
            raise BadInput(reason="The quote is empty.", remedy="Give the words to look for.")
        scope = [
            at
            for at, page in enumerate(self._pages)
            if (document is None or page.document == document) and page.text.strip()
        ]
        if not scope:
            return Answer("unchecked")
        exact = [
            self._match(at, start, end)
            for at in scope
            for start, end in _exact_places(text.strip(), self._pages[at].text)
            if not self._cut_by_page(at, start, end)
        ]
        if exact:
            return Answer("verified", tuple(exact[:MOST_MATCHES]))
        flat, _ = normalise(text)
        if not flat:
            return Answer("not_found")
        shortlist, breaks = self._shortlists(flat, scope)
        plain = [
            self._match(at, start, end)
            for at in sorted(shortlist)
            for start, end in _plain_places(text, flat, *self._plain(at), self._pages[at].text)
            if not self._cut_by_page(at, start, end)
        ]
        if plain:
            return Answer("verified", tuple(plain[:MOST_MATCHES]))
        joined = [self._joined(at, flat, sure=True) for at in breaks]
        over = [match for one in joined for match in self._over_break(text, flat, one)]
        if over:
            return Answer("verified", tuple(sorted(over, key=lambda m: self._place[m.document, m.page])[:MOST_MATCHES]))
        # Without the lines that may be running lines and may be words of the text: the quote is near at best.
        strict = {one.text for one in joined}
        loose = [one for at in breaks if (one := self._joined(at, flat, sure=False)).text not in strict]
        over = [match for one in loose for match in self._over_break(text, flat, one) if match.differences]
        if over:
            return Answer("near", (max(over, key=lambda match: match.score),))
        near = self._near(text, flat, [*(self._whole(at) for at in shortlist), *joined, *loose])
        return Answer("near", (near,)) if near else Answer("not_found")

    def _match(self, at: int, start: int, end: int) -> Match:
        page = self._pages[at]
        return Match(page.document, page.number, start, end, page.text[start:end])

    def _cut_by_page(self, at: int, start: int, end: int) -> bool:
        """Whether a stretch of page ``at`` begins or ends inside a word or a number that runs over a page break."""
        page = self._pages[at]
        before, following = self._place.get((page.document, page.number - 1)), self._following(at)
        return (before is not None and self._goes_on(before, None, at, start)) or (
            following is not None and self._goes_on(at, end, following, None)
        )

    def _goes_on(self, one: int, end: int | None, other: int, start: int | None) -> bool:
        """Whether a word or a number runs from page ``one`` to the next one, ``other``: from ``end`` on, where at most
        running lines stand behind it, to ``start``, where at most running lines stand before it.
        """
        here, there = self._pages[one].text, self._pages[other].text
        tails = [at for at in {len(here), self._body(one).end} if end is None or _blank(here, end, at)]
        heads = [at for at in {0, self._body(other).start} if start is None or _blank(there, at, start)]
        return any(
            _cuts(here[:tail].rstrip()[-_NEXT_TO:], "\n" + there[head:].lstrip()[:_NEXT_TO])
            for tail in tails
            for head in heads
        )

    def _whole(self, at: int) -> _Text:
        known = self._texts.get(at)
        if known is None:
            text = self._pages[at].text
            known = self._texts[at] = _Text(text, *normalise(text), ((at, 0, 0),))
            if len(self._texts) > _KEPT:
                self._texts.popitem(last=False)
        return known

    def _holds(self, at: int, words: Sequence[str]) -> int:
        """Which of the words a page has, as bits."""
        folded = self._folded.get(at)
        if folded is None:
            folded = self._folded[at] = self._pages[at].text.casefold()
        return sum(1 << n for n, word in enumerate(words) if word in folded)

    def _plain(self, at: int) -> tuple[str, Offsets]:
        whole = self._whole(at)
        return whole.plain, whole.offsets

    def _shortlists(self, flat: str, scope: Sequence[int]) -> tuple[list[int], list[int]]:
        """The pages that hold most of the longest words of the quote, most first, at least a third of them; and the
        pages that hold half of them only together with the next page.
        """
        if len(scope) <= _FEW:
            return list(scope), [at for at in scope if self._following(at) is not None]
        words = sorted(set(_LETTERS.findall(flat.casefold())), key=lambda word: (-len(word), word))[:_PROBES]
        if not words:
            return list(scope[:_SHORTLIST]), []
        held = {at: self._holds(at, words) for at in scope}
        counted = [(bits.bit_count(), at) for at, bits in held.items()]
        enough = sorted((-count, at) for count, at in counted if 3 * count >= len(words))
        together = []
        for at, bits in held.items():
            following = self._following(at)
            if following is not None:
                both = (bits | held.get(following, 0)).bit_count()
                if 2 * both >= len(words):
                    together.append((-both, at))
        return [at for _, at in enough[:_SHORTLIST]], [at for _, at in sorted(together)[:_SHORTLIST]]

    # --- over a page break -------------------------------------------------------------------------------------------

    def _following(self, at: int) -> int | None:
        """The next page of the document, when it has text."""
        page = self._pages[at]
        following = self._place.get((page.document, page.number + 1))
        return following if following is not None and self._pages[following].text.strip() else None

    def _joined(self, at: int, flat: str, *, sure: bool) -> _Text:
        """The end of page ``at`` and as much of the pages after it as the quote can cover, without the lines that
        surely are running lines, or without all that may be ones.
        """
        pieces, parts, skipped = [], [], []
        room = 3 * len(flat) + 1_000  # more than the quote with every line end and space of its page
        here: int | None = at
        start = length = 0
        while here is not None and room > 0:
            page, following = self._pages[here].text, self._following(here)
            end, begins = (len(page), 0) if following is None else self._break(here, following, sure=sure)
            stop = end
            line_end = page.find("\n", start + room, end)
            if here != at and line_end >= 0:
                stop = line_end
            elif here == at and end - start > room:
                start = page.rfind("\n", start, end - room) + 1
            pieces.append((here, start, length))
            parts.append(page[start:stop])
            length += 1 + stop - start
            room -= stop - start if here != at else 0
            if stop < end or following is None:
                break
            if room > 0:
                skipped.append(
                    (
                        *self._lines_skipped(here, following, end, len(page), -1),
                        *self._lines_skipped(here, following, 0, begins, 0),
                    )
                )
            here, start = following, begins
        text = "\n".join(parts)
        return _Text(text, *normalise(text), tuple(pieces), pieces[0][1] > 0, tuple(skipped))

    def _lines_skipped(self, one: int, other: int, start: int, end: int, side: int) -> Iterator[tuple[Part, bool]]:
        """The lines that are left out at the foot (-1) of page ``one`` or at the head (0) of ``other``, the next one,
        each with whether it surely is a running line.
        """
        foot, head = self._break(one, other, sure=True)
        page = self._pages[one if side else other]
        for line in _LINE.finditer(page.text, start, end):
            text = line.group().strip()
            first = line.start() + line.group().index(text)
            sure = line.start() >= foot if side else line.end() <= head
            yield Part(page.number, first, first + len(text), text), sure

    def _over_break(self, text: str, flat: str, joined: _Text) -> Iterator[Match]:
        """Places where the quote begins on the first page and ends on a later one."""
        for start, end in _plain_places(text, flat, joined.plain, joined.offsets, joined.text):
            if joined.cut and start == 0:
                continue  # what stands before it was cut off: it may begin inside a word
            match = self._placed(joined, start, end)
            if match is not None and match.more and match.page == self._pages[joined.pieces[0][0]].number:
                yield match

    def _placed(self, where: _Text, start: int, end: int) -> Match | None:
        """The match that where.text[start:end] is, piece by piece on its pages; None where it holds no text."""
        found: list[Part] = []
        skipped: list[tuple[Part, bool]] = []
        borders = [*(begins for _, _, begins in where.pieces[1:]), len(where.text) + 1]
        for number, ((at, first, begins), border) in enumerate(zip(where.pieces, borders, strict=True)):
            low, high = max(start, begins), min(end, border - 1)
            text = where.text[low:high]
            if low < high and text.strip():
                if found:
                    skipped += where.skipped[number - 1]
                low += len(text) - len(text.lstrip())
                high -= len(text) - len(text.rstrip())
                page = self._pages[at]
                from_, to = first + low - begins, first + high - begins
                found.append(Part(page.number, from_, to, page.text[from_:to]))
        if not found:
            return None
        document = self._pages[where.pieces[0][0]].document
        head = found[0]
        doubtful = [part.text for part, sure in skipped if not sure]
        return Match(
            *(document, head.page, head.start, head.end, head.text),
            differences=tuple(Difference("", line, _kind("", line)) for line in doubtful),
            score=round((end - start) / (end - start + sum(map(len, doubtful))), 4),
            more=tuple(found[1:]),
            skipped=tuple(part for part, _ in skipped),
        )

    def _body(self, at: int) -> _Body:
        """Page ``at`` without what may be running lines at its top and bottom: page numbers, and lines that stand in
        the same place on a page near by. A line with a negation is never one.
        """
        known = self._bodies.get(at)
        if known is not None:
            return known
        page = self._pages[at]
        lines = [(m.start(), m.end()) for m in _LINE.finditer(page.text)]
        first, last = 0, len(lines)
        while last > 0 and len(lines) - last < _RUNNING and self._runs(at, page.text[slice(*lines[last - 1])], -1):
            last -= 1
        while first < last and first < _RUNNING and self._runs(at, page.text[slice(*lines[first])], 0):
            first += 1
        if first == last:
            body = _Body(0, len(page.text), (), ())
        else:
            body = _Body(lines[first][0], lines[last - 1][1], tuple(lines[:first]), tuple(reversed(lines[last:])))
        self._bodies[at] = body
        return body

    def _break(self, one: int, other: int, *, sure: bool) -> tuple[int, int]:
        """Where the text of page ``one`` ends and that of ``other``, the next one, begins: without what may be running
        lines, or only without what surely is one, from the edge of the page on.
        """
        before, after = self._body(one), self._body(other)
        if not sure:
            return before.end, after.start
        known = self._breaks.get((one, other))
        if known is None:
            here, there = self._pages[one].text, self._pages[other].text
            ends, begins = here[: before.end].rstrip(), there[after.start :].lstrip()
            left_out = [*(here[slice(*line)] for line in before.foot), *(there[slice(*line)] for line in after.head)]
            if (
                _CUT.search(ends[-_NEXT_TO:])
                and begins[:1].islower()
                and not any(line.lstrip()[:1].islower() for line in left_out)
            ):
                return before.end, after.start  # no line stands inside a word that is cut in two
            closed = _CLOSES.search(ends[-_NEXT_TO:]) is not None
            runs_on = not closed and begins[:1].islower()
            opens = closed and _OPENS.match(begins) is not None
            foot, head = len(here), 0
            for place, (start, _) in enumerate(before.foot):
                if not self._surely_runs(one, other, place, -1, here[before.end : start], runs_on, opens):
                    break
                foot = start if place + 1 < len(before.foot) else before.end
            for place, (_, end) in enumerate(after.head):
                if not self._surely_runs(one, other, place, 0, there[end : after.start], runs_on, opens):
                    break
                head = end if place + 1 < len(after.head) else after.start
            known = self._breaks[one, other] = foot, head
        return known

    def _surely_runs(
        self, one: int, other: int, place: int, side: int, between: str, runs_on: bool, opens: bool
    ) -> bool:
        """Whether the line that is ``place`` lines from the bottom (-1) of page ``one`` or from the top (0) of
        ``other``, the next one, and may be a running line, can be nothing else. ``between`` is what stands between it
        and the text; ``runs_on``: a sentence goes on over the break in a small letter; ``opens``: one ends there and
        another begins.

        A page number does, at the very edge of pages that count up, where no sentence runs on: '2' may count people. A
        line of words does where a sentence runs on, and the line stands in the same place on pages elsewhere, apart
        from the text or at the very edge, and does not read as words of the sentence.
        """
        at = one if side else other
        page = self._pages[at]
        line = _line_at(page.text, side, place)
        same = [
            (number - page.number, self._pages[self._place[page.document, number]])
            for number in self._alike(page.document, side, place, line)
            if number != page.number
        ]
        same = [
            (apart, near) for apart, near in same if _same_running_line(line, _line_at(near.text, side, place), apart)
        ]
        counting = sum(_counts(line, _line_at(near.text, side, place), apart) for apart, near in same)
        labelled = bool(page.label) and _bare(line) == page.label.casefold()
        words = [word for word in re.findall(r"[^\W\d_]+", line) if word.casefold() not in _NUMBERING]
        if labelled or not words:
            if labelled:
                counting = max(counting, self._labels(page.document, side))
            return opens and place == 0 and counting >= _COUNT - 1 and not _SIGNED.match(line)
        broken = {self._pages[one].number, self._pages[other].number}
        apart = _BLANK.search(between) is not None
        return (
            runs_on
            and (apart or place == 0)
            and sum(near.number not in broken for _, near in same) >= _HEADS
            and _QUALIFYING.isdisjoint(_folded_words(line))
            and words[0].casefold() not in _OPENING
            and not (counting and words[0][0].islower())
            and not _reads_on(line, counted=counting >= _COUNT - 1, apart=apart)
        )

    def _alike(self, document: str, side: int, place: int, line: str) -> list[int]:
        """The numbers of the pages of a document that have this line in this place, whatever the figures in it."""
        if document not in self._edges:
            edges = self._edges[document] = {}
            for page in self._pages:
                for end in (0, -1) if page.document == document else ():
                    for n, text in enumerate(_edge(page.text, end)):
                        at = n if end == 0 else len(_edge(page.text, end)) - 1 - n
                        edges.setdefault((end, at, _DIGITS.sub("0", text)), []).append(page.number)
        return self._edges[document].get((side, place, _DIGITS.sub("0", line)), [])

    def _labels(self, document: str, side: int) -> int:
        """How many other pages of a document have their label as the line at this edge."""
        return (
            sum(
                bool(page.label) and _bare(_line_at(page.text, side, 0)) == page.label.casefold()
                for page in self._pages
                if page.document == document
            )
            - 1
        )

    def _runs(self, at: int, line: str, side: int) -> bool:
        """Whether a line at the top (0) or bottom (-1) of page ``at`` is a running line."""
        page = self._pages[at]
        line = line.strip()
        if len(line) > _LONGEST_RUNNING or not NEGATIONS.isdisjoint(_folded_words(line)):
            return False
        if re.fullmatch(r"\W*(\d+)\W*", line) and int(re.sub(r"\D", "", line)) == page.number:
            return True
        if page.label and _bare(line) == page.label.casefold():
            return True
        for apart in (-2, -1, 1, 2):
            other = self._place.get((page.document, page.number + apart))
            if other is not None and any(
                _same_running_line(line, there, apart) for there in _edge(self._pages[other].text, side)
            ):
                return True
        return False

    # --- near --------------------------------------------------------------------------------------------------------

    def _near(self, text: str, flat: str, candidates: Sequence[_Text]) -> Match | None:
        if len(flat.split()) > LONGEST_NEAR:
            return None
        needle = flat.casefold()
        located = []
        for order, where in enumerate(candidates):
            plain = where.plain
            if not plain:
                continue
            # The shorter of the two is slid along the longer one: a page shorter than the quote is taken whole.
            if len(plain) <= len(needle):
                located.append((fuzz.ratio(needle, plain.casefold()), order, 0, len(plain)))
                continue
            folded = plain.casefold()
            if len(folded) != len(plain):  # a letter that folds into two would shift every offset behind it
                folded = plain.lower() if len(plain.lower()) == len(plain) else plain
            found = fuzz.partial_ratio_alignment(needle, folded, score_cutoff=100 * (NEAR - 0.2))
            if found is not None:
                located.append((found.score, order, found.dest_start, found.dest_end))
        best: Match | None = None
        for _, order, start, end in sorted(located, key=lambda item: (-item[0], item[1]))[:_CANDIDATES]:
            match = self._aligned(text, flat, candidates[order], start, end)
            if match is not None and (best is None or match.score > best.score):
                best = match
        return best

    def _aligned(self, text: str, flat: str, where: _Text, start: int, end: int) -> Match | None:
        """The stretch around plain[start:end] that fits the quote word by word, with the words that differ."""
        plain = where.plain
        room = len(flat) // 3 + 20  # the sliding window is never longer than the quote: look beyond both ends
        low = max(0, start - room)
        window = [m.span() for m in _WORD.finditer(plain, low, min(len(plain), end + room))]
        if not window:
            return None
        wanted = flat.split()
        first, last = _borders(flat, wanted, plain, window, start, end)
        there = [plain[slice(*span)] for span in window[first : last + 1]]
        # Spaces count for nothing: a picture that was read badly breaks words and runs them together.
        one, other = "".join(wanted), "".join(there)
        score = 1.0 - Levenshtein.distance(one, other) / len(one)
        if score < NEAR:
            return None
        laid = _differences(wanted, there)
        if laid is None:
            return None
        differences, begin, stop = laid
        match = self._placed(where, *where.offsets.span(window[first + begin][0], window[first + stop][1]))
        if match is None:
            return None
        if (
            not differences and not match.differences
        ):  # plain forms are equal: a numeral of another kind ('10²' for '102') keeps them apart
            differences = (Difference(_written(text), _written(match.whole), "number"),)
        return replace(match, differences=(*differences, *match.differences), score=round(score * match.score, 4))


# --- the same characters ---------------------------------------------------------------------------------------------


def _places(text: str, page: str) -> Iterator[tuple[int, int]]:
    exact = list(_exact_places(text.strip(), page))
    if exact:
        yield from exact
        return
    flat, _ = normalise(text)
    plain, offsets = normalise(page)
    yield from _plain_places(text, flat, plain, offsets, page)


def _exact_places(text: str, page: str) -> Iterator[tuple[int, int]]:
    at = page.find(text) if text else -1
    while at >= 0:
        if _at_word_borders(page, at, at + len(text)):
            yield at, at + len(text)
        at = page.find(text, at + 1)


def _plain_places(text: str, flat: str, plain: str, offsets: Offsets, page: str) -> Iterator[tuple[int, int]]:
    for at, stop in _occurrences(flat, plain):
        if _joins(plain, at) or _joins(plain, stop) or _cuts_a_character(offsets, at, stop):
            continue
        start, end = offsets.span(at, stop)
        if not _at_word_borders(page, start, end):
            continue
        if stop - at != len(flat) and not _own_hyphens(flat, plain, offsets, page, at):
            continue
        # A superscript or a fraction becomes plain digits in the plain form: '10²' must not prove '102'.
        if _numerals(page[start:end]) == _numerals(text):
            yield start, end


_HYPHEN = re.compile(r"(?<=[^\W_])-(?=[^\W\d_])")  # inside a word, where a line of the page may end
_LINE_END = re.compile(r"[-\u2010\u2011][ \t\r]*\n[ \t]*")
# What comes before a hyphen and says another thing without it: to re-cover, re-sign, un-ionised, a co-op.
_PREFIXES = frozenset(("re", "un", "in", "de", "co", "dis", "mis", "pre", "pro"))


def _occurrences(flat: str, plain: str) -> Iterator[tuple[int, int]]:
    """Where the plain form of a quote stands in that of a page, which has lost the hyphens at which its lines end."""
    if not flat:
        return
    own = [m.start() for m in _HYPHEN.finditer(flat) if flat[m.end()].islower()]
    if not own:
        at = plain.find(flat)
        while at >= 0:
            yield at, at + len(flat)
            at = plain.find(flat, at + 1)
        return
    pieces = [flat[one:other] for one, other in pairwise((0, *own, len(flat)))]
    pattern = re.compile(
        "-?".join(re.escape(piece.removeprefix("-") if n else piece) for n, piece in enumerate(pieces))
    )
    found = pattern.search(plain)
    while found:
        yield found.span()
        found = pattern.search(plain, found.start() + 1)


def _own_hyphens(flat: str, plain: str, offsets: Offsets, page: str, at: int) -> bool:
    """Whether the hyphens of a quote that the plain form of the page lacks, from ``at`` on, stand on the page at the
    end of a line, and are sure to be those of a compound ('well-known') and not of a word that was cut in two.
    """
    for hyphen in flat:
        if at < len(plain) and plain[at] == hyphen:
            at += 1
            continue
        before = offsets.span(at - 1, at)[1]
        word = re.search(r"[\w-]*$", plain[max(0, at - 40) : at])
        if not _LINE_END.fullmatch(page, before, offsets[at]) or (word and word.group().casefold() in _PREFIXES):
            return False
    return True


def _cuts_a_character(offsets: Offsets, start: int, end: int) -> bool:
    """Whether a character of the page that became several, as an ellipsis does, lies inside in part only."""
    return (start > 0 and offsets[start - 1] == offsets[start]) or (
        end < len(offsets) and offsets[end - 1] == offsets[end]
    )


def _numerals(text: str) -> list[tuple[str, bool]]:
    """The numerals of a text in order, with whether each is a plain digit. Full-width digits count as plain."""
    return [
        (unicodedata.normalize("NFKC", c), unicodedata.category(c) == "Nd")
        for c in text
        if c.isnumeric() and unicodedata.category(c) in ("Nd", "No", "Nl")
    ]


def _written(text: str) -> str:
    """The words of ``text`` that hold numerals."""
    return " ".join(word for word in text.split() if _numerals(word))


def _blank(text: str, start: int, end: int) -> bool:
    return start <= end and not text[start:end].strip()


def _joins(plain: str, at: int) -> bool:
    """Whether a word or a number of a plain form goes on over the border before character ``at``."""
    return 0 < at < len(plain) and _class(plain[at - 1]) in ("a", "0") and _class(plain[at]) in ("a", "0")


# What a character is for the borders of words and numbers: a letter, 0 a digit, - a dash that may join words, — one
# that never does, ' an apostrophe, . what separates digits, < a sign of mathematics, $ a currency or percent sign, # a
# sign that belongs to the number beside it, blank and line end; ; is anything else.
_DASHES = "\u00ac\u2043\u2212\u207b\u208b\u2e17"  # and all of the category of dashes; U+00AC is one in OCR
_LONG_DASHES = "\u2014\u2015\u2e3a\u2e3b\ufe58"
_SEPARATORS = ".,:/\u00b7\u02d9\u066b\u066c\u2044\u2215\u2219\u22c5\u2024\u2027\u30fb"
_SOFT_HYPHEN = re.compile(r"\u00ad(?=\s|$)")
_GAP = r"[ ]*\n?[ ]*"
_UNCUT = re.compile(
    rf"(?:(?:[-—<$]{_GAP}|[.#])+(?=0))?"  # the sign of a number
    r"[a0]+"
    rf"(?:(?:'|-{_GAP}|(?<=0)(?:{_GAP}[-—<$#.']+{_GAP}|{_GAP})(?=0))[a0]+)*"  # can't, un-likely, 1 500, 10–12
    r"-?(?:(?<=0)(?:[<#]|[ ]*\$)+)?"
)
_BETWEEN_WORDS = re.compile(r"[A-Za-z.,;:!?][ \n][A-Za-z]|.[A-Za-z][ \n.,;:!?)]", re.DOTALL)  # most borders, at once
_NEXT_TO = 60  # characters to either side of a border that are looked at


def _at_word_borders(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] cuts no word and no number in two, also not where a line ends or at a character without a
    shape, and drops no sign of a number. A dash before a number counts as its sign, with a blank between them too.
    """
    return not (_cuts(text[max(0, start - _NEXT_TO) : start], text[start : start + _NEXT_TO])) and not _cuts(
        text[max(0, end - _NEXT_TO) : end], text[end : end + _NEXT_TO]
    )


def _cuts(before: str, after: str) -> bool:
    """Whether a border between two stretches of one text lies inside a word, a number or a character."""
    if not before or not after or _BETWEEN_WORDS.fullmatch(before[-2:] + after[0]):
        return False
    mark = next((c for c in after if _class(c) or unicodedata.category(c)[0] == "M"), "")
    if mark and unicodedata.category(mark)[0] == "M":  # an accent of the last letter
        return True
    left, right = _classes(before, after), _classes(after)
    at = len(left)
    return any(found.start() < at < found.end() for found in _UNCUT.finditer(left + right))


def _classes(text: str, following: str = "") -> str:
    """The class of every character that is seen, before ``following``; a soft hyphen is seen where its line ends."""
    if "\u00ad" in text:
        text = _SOFT_HYPHEN.sub("-", text + following)[: len(text)]
    return "".join(map(_class, text))


@functools.cache
def _class(c: str) -> str:
    """What a character is for the borders of words and numbers; '' for an accent and what has no shape."""
    if c.isspace():
        return "\n" if c in "\n\f\v\x85\u2028\u2029" else " "
    kind, (plain, _) = unicodedata.category(c), normalise(c)
    if not plain or kind[0] == "M":
        return ""
    if c in _LONG_DASHES:
        return "—"
    if kind == "Pd" or c in _DASHES:
        return "-"
    if c.isnumeric():
        return "0"
    if c.isalnum() or c == "_":
        return "a"
    if plain == "'":
        return "'"
    if c in _SEPARATORS or plain in _SEPARATORS:
        return "."
    if kind == "Sc" or plain in "%\u2030\u2031\u066a":
        return "$"
    return "<" if kind == "Sm" else "#" if kind in ("Sk", "So") or c in "#*\\&@" else ";"


# --- running lines ---------------------------------------------------------------------------------------------------


def _edge(text: str, side: int) -> list[str]:
    """The lines at the top (0) or bottom (-1) of a page, without white space around them."""
    lines = [m.group().strip() for m in _LINE.finditer(text)]
    return lines[-_RUNNING:] if side else lines[:_RUNNING]


def _line_at(text: str, side: int, place: int) -> str:
    """The line that is ``place`` lines from the top (0) or bottom (-1) of a page, '' where there is none."""
    edge = _edge(text, side)
    return edge[-1 - place if side else place] if place < len(edge) else ""


def _bare(line: str) -> str:
    """What a line says without brackets and dashes around it, to be compared with the label of a page."""
    return line.strip(" -–—[]()").casefold()


_DIGITS = re.compile(r"\d+")
_NUMBERING = frozenset(("page", "pages", "p", "pp", "pg", "of", "seite", "von", "sheet", "folio"))
_CUT = re.compile(r"[^\W\d_][-\u00ad\u2010\u2011]$")
_CLOSES = re.compile(r"[.!?\u2026][\"'\u2019\u201d\u00bb)\]]*$")
_OPENS = re.compile(r"[^\w\s]{0,2}[^\W\d_]")
_SIGNED = re.compile(r"[-–—−+±][^-–—]*$")
_BLANK = re.compile(r"\n[^\S\n]*\n|\f")

# Words that say how far to believe a sentence, or whether it holds at all: a line with one is no sure running line.
_QUALIFYING = frozenset(
    (
        *("allegedly", "alleged", "reportedly", "apparently", "supposedly", "presumably", "purportedly", "ostensibly"),
        *("perhaps", "maybe", "possibly", "probably", "likely", "unlikely", "doubtful", "unconfirmed", "unverified"),
        *("hardly", "scarcely", "barely", "seldom", "rarely", "sometimes", "occasionally", "almost", "nearly"),
        *("rejected", "refuted", "withdrawn", "retracted", "disputed", "contradicted", "disproved", "dismissed"),
        *("false", "falsely", "untrue", "wrong", "wrongly", "incorrect", "impossible", "mistaken", "mistakenly"),
        *("theory", "theoretical", "theoretically", "hypothetical", "hypothetically", "scenario", "imaginary", "dream"),
        *("fiction", "fictional", "fictitious", "novel", "draft", "duress", "joke", "rumour", "rumor", "opposite"),
        *("said", "says", "told", "tells", "lied", "thought", "thinks", "according", "sic", "few", "only"),
        *("attempted", "suspected", "claimed", "believed", "threatened", "pretended", "simulated"),
    )
)


# Words with which a clause begins that says when or whether a sentence holds: a line that begins so is no running line.
_OPENING = frozenset(
    (
        *(
            "if",
            "unless",
            "until",
            "except",
            "were",
            "had",
            "should",
            "was",
            "is",
            "as",
            "by",
            "in",
            "under",
            "up",
            "at",
        ),
        *("about", "over", "less", "more", "instead", "far", "anything", "because", "although", "though", "when"),
    )
)


def _folded_words(line: str) -> list[str]:
    return re.findall(r"[\w']+", line.casefold())


def _reads_on(line: str, *, counted: bool, apart: bool) -> bool:
    """Whether a line that is the same on pages near by could all the same be words of the sentence around it.
    ``counted``: a number in it counts the pages; ``apart``: a blank line stands between it and the text.
    """
    words = re.findall(r"[^\W_]+", line)
    if not words or not any(c.isalpha() for c in line):
        return True
    if apart and (counted or "://" in line or "www." in line):
        return False
    if words[0][0].islower():
        return True
    if apart:
        return words[0][0].isdigit() and len(words) < 3
    if counted:
        return False
    # Without a blank line a name or a date reads on as well as any other words.
    letters = [word for word in words if word[0].isalpha()]
    if line.isupper():
        return len(letters) < 2
    return not words[0][0].isupper() or all(word[0].isupper() for word in letters)


def _counts(line: str, other: str, apart: int) -> bool:
    """Whether a number of a line is the one of the same line ``apart`` pages on."""
    return apart in _steps(line, other)


def _steps(line: str, other: str) -> list[int]:
    """By how much each number of a line changes to the same line elsewhere."""
    return [
        int(there) - int(here)
        for here, there in zip(re.findall(r"\d{1,9}", line), re.findall(r"\d{1,9}", other), strict=True)
    ]


def _same_running_line(line: str, other: str, apart: int) -> bool:
    """Whether a line is the one of another page, ``apart`` pages on: figures in it are the same or count the pages."""
    if re.split(r"\d+", line) != re.split(r"\d+", other):
        return False
    steps = _steps(line, other)
    # A bare number that stays the same from page to page is no page number.
    return all(step in (0, apart) for step in steps) and (any(c.isalpha() for c in line) or apart in steps)


# --- nearly the same words -------------------------------------------------------------------------------------------

Pair = tuple[int | None, int | None]  # places in the quote's and in the page's words; None: nothing stands there

_EDGE = 8  # words to either side that may be the true first or last one
_FITS = 0.15  # share of characters that may differ where both end words are much alike


def _borders(
    flat: str, wanted: Sequence[str], plain: str, window: Sequence[tuple[int, int]], start: int, end: int
) -> tuple[int, int]:
    """The first and the last word of the window between which the quote fits best, near plain[start:end]."""
    # A word counts as inside when its middle is.
    first = next((n for n, span in enumerate(window) if sum(span) > 2 * start), len(window) - 1)
    last = max(first, next((n for n in reversed(range(len(window))) if sum(window[n]) < 2 * end), 0))

    def apart(one: int, other: int, most: int | None = None) -> int:
        return Levenshtein.distance(flat, plain[window[one][0] : window[other][1]], score_cutoff=most)

    least = apart(first, last)
    ends = ((plain[slice(*window[first])], wanted[0]), (plain[slice(*window[last])], wanted[-1]))
    if least <= _FITS * len(flat) and all(2 * Levenshtein.distance(one, two) <= len(two) for one, two in ends):
        return first, last
    for _ in range(2):
        for other in range(max(first, last - _EDGE), min(len(window), last + _EDGE + 1)):
            cost = apart(first, other, least)
            if cost < least:
                least, last = cost, other
        for one in range(max(0, first - _EDGE), min(last, first + _EDGE) + 1):
            cost = apart(one, last, least)
            if cost < least:
                least, first = cost, one
    return first, last


def _differences(wanted: Sequence[str], there: Sequence[str]) -> tuple[tuple[Difference, ...], int, int] | None:
    """What differs between the words of the quote and those of the page, and the places in ``there`` of the first and
    the last word that the quote has too; None where there is none. What stands outside of them is none of its
    business.
    """
    apart: list[list[Pair]] = []
    used: list[int] = []
    for step in Levenshtein.opcodes(wanted, there):
        low, high, from_, to = step.src_start, step.src_end, step.dest_start, step.dest_end
        if step.tag == "equal":
            used += (from_, to - 1)
            continue
        pairs = [
            (None if i is None else i + low, None if j is None else j + from_)
            for i, j in _align(wanted[low:high], there[from_:to])
        ]
        used += [j for i, j in pairs if i is not None and j is not None]
        apart.append(pairs)
    if not used:
        return None
    first, last = min(used), max(used)
    found: list[Difference] = []
    for pairs in apart:
        inside = [(i, j) for i, j in pairs if i is not None or first <= (j or 0) <= last]
        quote = " ".join(wanted[i] for i, _ in inside if i is not None)
        page = " ".join(there[j] for _, j in inside if j is not None)
        if quote.replace(" ", "") == page.replace(" ", ""):  # words broken or run together
            found += [Difference(quote, page, _kind_of_break(quote, page))] if quote != page else []
            continue
        for i, j in inside:
            one, other = "" if i is None else wanted[i], "" if j is None else there[j]
            if one != other:
                found.append(Difference(one, other, _kind(one, other)))
    return tuple(found), first, last


def _align(wanted: Sequence[str], there: Sequence[str]) -> list[Pair]:
    """The cheapest way to lay one list of words over another (Needleman and Wunsch 1970): a word costs its characters
    where it is missing on one side, else half the characters that are in one of the two alone.
    """
    if not wanted or not there:
        return [(i, None) for i in range(len(wanted))] + [(None, j) for j in range(len(there))]
    rows, columns = len(wanted), len(there)
    lengths = [len(word) for word in there]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    came = [[0] * (columns + 1) for _ in range(rows + 1)]  # 1 both, 2 quote only, 3 page only
    for j in range(1, columns + 1):
        best[0][j], came[0][j] = best[0][j - 1] + lengths[j - 1], 3
    for i in range(1, rows + 1):
        word = wanted[i - 1]
        above, here, back = best[i - 1], best[i], came[i]
        here[0], back[0] = above[0] + len(word), 2
        for j in range(1, columns + 1):
            both = above[j - 1] + _change(word, there[j - 1])
            quote_only = above[j] + len(word)
            page_only = here[j - 1] + lengths[j - 1]
            here[j] = min(both, quote_only, page_only)
            back[j] = 1 if here[j] == both else 2 if here[j] == quote_only else 3
    i, j = rows, columns
    pairs: list[Pair] = []
    while i > 0 or j > 0:
        step = came[i][j]
        i, j = i - (step != 3), j - (step != 2)
        pairs.append((i if step != 3 else None, j if step != 2 else None))
    return pairs[::-1]


@functools.lru_cache(maxsize=65_536)
def _change(one: str, other: str) -> float:
    return 0.0 if one == other else Indel.distance(one, other) / 2 + 0.01  # equal words win over like ones


def _kind_of_break(quote: str, page: str) -> What:
    """The kind of a difference in spaces alone: '1 500' is not '1500', 'no table' not 'notable'."""
    if _FIGURE.findall(quote) != _FIGURE.findall(page):
        return "number"
    denials = [sum(_denies(_AROUND.sub("", w).casefold()) for w in text.split()) for text in (quote, page)]
    return "negation" if denials[0] != denials[1] else "word"


def _kind(quote: str, page: str) -> What:
    """What kind of difference it is, the gravest first."""
    if _FIGURE.findall(quote) != _FIGURE.findall(page):
        return "number"
    words = [_AROUND.sub("", word) for word in (quote, page)]
    bare = [word.casefold() for word in words]
    if bare[0] == bare[1]:
        return "word"
    if not _NUMBERS.isdisjoint(part for word in bare for part in word.split("-")):
        return "number"
    if _denies(bare[0]) != _denies(bare[1]) or _prefixed(*bare):
        return "negation"
    if any(word[:1].isupper() for word in words):
        return "name" if _DATES.isdisjoint(bare) else "date"
    return "word"


def _denies(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")


def _prefixed(one: str, other: str) -> bool:
    """Whether one word is the other with a denying prefix: likely, unlikely."""
    short, long = sorted((one, other), key=len)
    return bool(short) and any(
        long == prefix + short for prefix in ("un", "in", "im", "il", "ir", "dis", "non", "non-")
    )
