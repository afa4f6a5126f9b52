"""Flowing text on its way to pages: gaps between blocks, cells of tables, hidden spans, headings, notes at the foot."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.domain import PageText, Section, Table
from core.engines.readers import plain_text

_TITLE = 500  # characters of a heading
_SECTIONS = 5_000  # of one page
# Around what a file shows from right to left letter by letter: an override of direction and its end (UAX #9).
REVERSED = ("\u202e", "\u202c")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text with what is hidden in it, and why, the headings in it, its struck words and its tables."""

    text: str
    hidden_spans: tuple[tuple[int, int, str], ...] = ()
    sections: tuple[Section, ...] = ()
    struck_spans: tuple[tuple[int, int], ...] = ()
    tables: tuple[Table, ...] = ()

    def strip(self) -> Piece:
        """Return the piece without the blanks around it."""
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, start + len(self.text.strip()))

    def cut(self, start: int, end: int) -> Piece:
        """Return text[start:end], with what of the rest lies in it; spans, headings and tables are in order.

        Of a table the rows that lie in it whole remain. No table is without rows.
        """
        first = bisect_right(self.hidden_spans, start, key=lambda span: span[1])
        last = bisect_left(self.hidden_spans, end, key=lambda span: span[0])
        hidden_spans = tuple(
            (max(s, start) - start, min(e, end) - start, why) for s, e, why in self.hidden_spans[first:last]
        )
        first = bisect_left(self.sections, start, key=lambda section: section.start)
        last = bisect_left(self.sections, end, key=lambda section: section.start)
        sections = tuple(replace(section, start=section.start - start) for section in self.sections[first:last])
        first = bisect_right(self.struck_spans, start, key=lambda span: span[1])
        last = bisect_left(self.struck_spans, end, key=lambda span: span[0])
        struck_spans = tuple((max(s, start) - start, min(e, end) - start) for s, e in self.struck_spans[first:last])
        first = bisect_right(self.tables, start, key=lambda table: table.rows[-1][-1][1])
        last = bisect_left(self.tables, end, key=lambda table: table.rows[0][0][0])
        tables = tuple(part for table in self.tables[first:last] if (part := _rows_between(table, start, end)).rows)
        return Piece(self.text[start:end], hidden_spans, sections, struck_spans, tables)

    def below(self, level: int) -> Piece:
        """Return the piece with its headings that many levels further in."""
        return replace(self, sections=tuple(replace(s, level=min(99, s.level + level)) for s in self.sections))

    def pages(self, label: str = "") -> list[PageText]:
        """Return it as a page, or as parts where it is too long for one; a form feed starts a new one."""
        result: list[PageText] = []
        offset = 0
        for number, (text, part) in enumerate(plain_text.sheets(self.text), start=1):
            if result and self.text.startswith("\f", offset):  # between two pages, and in neither
                offset += 1
            piece = self.cut(offset, offset + len(text))
            both = f"{label}, {part}" if label and part else label or part
            result.append(
                page(number, text, list(piece.hidden_spans), both, piece.sections, piece.struck_spans, piece.tables)
            )
            offset += len(text)
        return result


def join(pieces: Iterable[Piece], gap: str) -> Piece:
    """Put the pieces one after the other, empty ones left out."""
    texts: list[str] = []
    hidden_spans: list[tuple[int, int, str]] = []
    sections: list[Section] = []
    struck_spans: list[tuple[int, int]] = []
    tables: list[Table] = []
    offset = 0
    for piece in pieces:
        if not piece.text:
            continue
        if texts:
            texts.append(gap)
            offset += len(gap)
        texts.append(piece.text)
        if piece.hidden_spans:
            hidden_spans += [(start + offset, end + offset, why) for start, end, why in piece.hidden_spans]
        if piece.sections:
            sections += [replace(section, start=section.start + offset) for section in piece.sections]
        if piece.struck_spans:
            struck_spans += [(start + offset, end + offset) for start, end in piece.struck_spans]
        if piece.tables:
            tables += [moved_table(table, offset) for table in piece.tables]
        offset += len(piece.text)
    return Piece("".join(texts), tuple(hidden_spans), tuple(sections), tuple(struck_spans), tuple(tables))


def moved_table(table: Table, by: int) -> Table:
    """Return a table with its offsets moved by so many characters."""
    return replace(table, rows=tuple(tuple((start + by, end + by) for start, end in row) for row in table.rows))


def _rows_between(table: Table, start: int, end: int) -> Table:
    """Return a table with the rows whose cells all lie in text[start:end], as seen from ``start``."""
    inside = [index for index, row in enumerate(table.rows) if start <= min(row)[0] and max(e for _, e in row) <= end]
    rows = tuple(table.rows[index] for index in inside)
    numbers = tuple(table.numbers[index] for index in inside) if table.numbers else ()
    return moved_table(replace(table, rows=rows, numbers=numbers), -start)


@dataclass(slots=True)
class Flow:
    """Text that is written piece by piece. Gaps wait until something follows, and the strongest of them counts.

    ``cell`` is the depth of open table cells: in a cell every gap is a blank, so that a row stays a line. A
    ``reason`` is a key of core.domain.HIDDEN for what is not seen; '' for what is.
    """

    cell: int = 0
    _pages: list[Piece] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _gap: str = ""
    _hidden_spans: plain_text.Reasons = field(default_factory=list)
    _aside: list[tuple[str | Piece, str]] = field(default_factory=list)  # notes and comments of the current page
    _sections: list[Section] = field(default_factory=list)
    _struck_spans: list[tuple[int, int]] = field(default_factory=list)
    _tables: list[Table] = field(default_factory=list)
    _heading: tuple[int, list[str]] | None = None  # the level and the visible words of an open heading
    _heading_start: int = -1  # where the open heading begins; -1: nothing of it is written yet

    def write(self, text: str, *, reason: str = "", is_struck: bool = False) -> None:
        """Append text; ``reason``: why nobody sees it."""
        if not text:
            return
        self._end_gap()
        text = plain_text.clean(text).replace("\f", "\n")
        if self.cell:
            text = text.replace("\n", " ").replace("\t", " ")
        # A number that is struck does not join the one that takes its place.
        was_struck = bool(self._struck_spans) and self._struck_spans[-1][1] == self._length
        if is_struck != was_struck and text[0].isdigit() and self.last.isdigit():
            self._parts.append(" ")
            self._length += 1
        if reason:
            start = self._length
            if self._hidden_spans and self._hidden_spans[-1][1:] == (start, reason):
                start = self._hidden_spans.pop()[0]
            self._hidden_spans.append((start, self._length + len(text), reason))
        elif self._heading is not None and (self._heading_start >= 0 or text.strip()):
            if self._heading_start < 0:
                self._heading_start = self._length + len(text) - len(text.lstrip())
            self._heading[1].append(text)
        if is_struck and text.strip():
            self._strike(self._length, self._length + len(text))
        self._parts.append(text)
        self._length += len(text)

    def write_piece(self, piece: Piece) -> None:
        """Append a piece unchanged, with its hidden and struck words, its headings and its tables."""
        if not piece.text:
            return
        self._end_gap()
        start = self._length
        self._parts.append(piece.text)
        self._length += len(piece.text)
        self._hidden_spans += [(start + s, start + e, why) for s, e, why in piece.hidden_spans]
        self._sections += [replace(section, start=section.start + start) for section in piece.sections]
        for s, e in piece.struck_spans:
            self._strike(start + s, start + e)
        self._tables += [moved_table(table, start) for table in piece.tables]

    def _end_gap(self) -> None:
        if self._gap and self._parts:
            self._parts.append(self._gap)
            self._length += len(self._gap)
        self._gap = ""

    def _strike(self, start: int, end: int) -> None:
        if self._struck_spans and self._struck_spans[-1][1] == start:
            start = self._struck_spans.pop()[0]
        self._struck_spans.append((start, end))

    def heading(self, level: int) -> None:
        """Begin a heading, which lasts until ``end_heading``; one that nobody sees begins no section."""
        self.end_heading()
        self._heading, self._heading_start = (max(1, min(level, 99)), []), -1

    def end_heading(self) -> None:
        """End the open heading, and begin a section with it."""
        if self._heading is not None and self._heading_start >= 0:
            level, words = self._heading
            self.section(level, "".join(words), self._heading_start)
        self._heading, self._heading_start = None, -1

    def section(self, level: int, title: str, start: int = -1) -> None:
        """Add a section that begins at ``start`` of the current page (-1: with what is written next)."""
        title = heading_text(title)
        if title and len(self._sections) < _SECTIONS:
            waiting = len(self._gap) if self._gap and self._parts else 0
            self._sections.append(Section(level, title, start if start >= 0 else self._length + waiting))

    def gap(self, gap: str) -> None:
        """Ask for a gap before what is written next; a weaker one than waits already changes nothing."""
        if self.cell:
            gap = " "
        waiting = self._gap.rstrip("\t") or self._gap[:1]
        if plain_text.GAPS.index(gap) > plain_text.GAPS.index(waiting):
            self._gap = gap
        if self._heading is not None and self._heading[1] and gap:
            self._heading[1].append(" ")

    def next_cell(self) -> None:
        """Write the border between two cells of the outermost table: an empty cell leaves its tab, so columns stay."""
        self._gap = self._gap.rstrip(" ") + "\t" if self._parts else ""

    def aside(self, text: str | Piece, *, reason: str = "") -> None:
        """Note what belongs to this page; it is written at its end."""
        if (text if isinstance(text, str) else text.text).strip():
            self._aside.append((text, reason))

    def take_asides(self, flow: Flow) -> None:
        """Take the notes that wait in another flow."""
        self._aside += flow._aside
        flow._aside = []

    def end_page(self) -> None:
        """Finish the page, its notes at its end."""
        self.end_heading()
        cell, self.cell = self.cell, 0
        for note, reason in self._aside:
            self._gap = "\n\n"
            if isinstance(note, Piece):
                self.write_piece(note)
            else:
                self.write(note, reason=reason)
        self.cell = cell
        self._aside = []
        text = "".join(self._parts)
        sections = tuple(replace(section, start=min(section.start, len(text))) for section in self._sections)
        piece = Piece(text, tuple(self._hidden_spans), sections, tuple(self._struck_spans), tuple(self._tables))
        self._pages.append(piece)
        self._parts, self._length, self._gap, self._hidden_spans, self._sections = [], 0, "", [], []
        self._struck_spans, self._tables = [], []

    @property
    def empty(self) -> bool:
        """Return whether the current page is empty."""
        return not self._parts and not self._aside

    @property
    def last(self) -> str:
        """The character before what is written next, '' after a gap."""
        return self._parts[-1][-1:] if self._parts and not self._gap else ""

    @property
    def has_text(self) -> bool:
        """Return whether anything was written, on this page or before."""
        return bool(self._parts or self._pages)

    def pages(self) -> list[PageText]:
        """Return the finished pages; one that is too long is cut into parts."""
        return [page for piece in self._pages for page in piece.pages()]

    def text(self) -> str:
        """Return the text since the last page end, for a note that is put elsewhere."""
        return "".join(self._parts)

    def whole(self, gap: str = " ") -> Piece:
        """Finish the current page, and return the whole text, its notes included, as one piece."""
        self.end_page()
        return join((piece.strip() for piece in self._pages), gap)

    def piece(self) -> Piece:
        """Return the text since the last page end with its marks, its notes left out."""
        return Piece(
            self.text(),
            tuple(self._hidden_spans),
            tuple(self._sections),
            tuple(self._struck_spans),
            tuple(self._tables),
        )


def piece_of(page: PageText) -> Piece:
    """Return the text of a page with its marks, to be put into another document."""
    hidden_spans = tuple(
        (start, end, why) for (start, end), why in zip(page.hidden_spans, page.hidden_why, strict=False)
    )
    return Piece(page.text, hidden_spans, page.sections, page.struck_spans, page.tables)


def heading_text(text: str) -> str:
    """Put a heading on one line, as it is shown and cited."""
    line = " ".join(plain_text.clean(text).replace("\f", " ").replace("\xad", "").split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"


def number_pages(pages: list[PageText]) -> list[PageText]:
    """Return the same pages, counted from 1."""
    return [replace(page, number=number) for number, page in enumerate(pages, start=1)]


def page(
    number: int,
    text: str,
    hidden_spans: plain_text.Reasons,
    label: str = "",
    sections: Sequence[Section] = (),
    struck_spans: Sequence[tuple[int, int]] = (),
    tables: Sequence[Table] = (),
) -> PageText:
    """Make a page of text; unseen characters in it are added to its hidden spans."""
    source = "embedded" if text.strip() else "none"
    spans, why = plain_text.split_reasons(
        [span for span in hidden_spans if span[1] > span[0]] + plain_text.unseen_why(text)
    )
    return PageText(
        number,
        text,
        source=source,
        label=label[:200],
        hidden_spans=spans,
        hidden_why=why,
        sections=tuple(sections[:_SECTIONS]),
        struck_spans=tuple(struck_spans),
        tables=tuple(tables),
    )
