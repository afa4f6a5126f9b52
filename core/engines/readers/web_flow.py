"""Text of a web page on its way to pages: white space is collapsed, gaps wait until something follows."""

from __future__ import annotations

from core.domain import Section, Table
from core.engines.readers import plain_text, text_flow


class WebFlow:
    """Text with collapsed white space. Gaps wait until something follows, and the strongest of them counts."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._breaks = 0
        self._marker = ""
        self._cells: list[bool] = []  # the open cells, and which of them hold data rather than layout
        self._hidden_spans: plain_text.Reasons = []
        self._struck_spans: list[tuple[int, int]] = []
        self._tables: list[Table] = []
        self._sections: list[Section] = []
        self._heading: tuple[int, list[str]] | None = None  # the level and the visible words of an open heading
        self._heading_start = 0
        self._is_apart = False  # whether what is written next is apart from what is there

    def open_cell(self, *, data: bool) -> None:
        """Begin a cell of a table; ``data``: it stays in the line of its row."""
        self.gap("\t" if data else "\n\n")
        self._cells.append(data)

    def close_cell(self) -> None:
        """End the innermost cell."""
        if self._cells:
            self._cells.pop()

    @property
    def depth(self) -> int:
        """The number of open cells."""
        return len(self._cells)

    def gap(self, gap: str) -> None:
        """Ask for a gap before what is written next; a weaker one than waits already changes nothing."""
        if self._cells and self._cells[-1]:
            gap = " "  # a paragraph inside a cell must not break the row
        if plain_text.GAPS.index(gap) > plain_text.GAPS.index(self._gap):
            self._gap = gap

    def part(self) -> None:
        """Let what is written next not join what is there: a number none, a capital no small letter."""
        self._is_apart = True

    def newline(self) -> None:
        """End a line; two in a row leave an empty one."""
        self._breaks += 1
        self.gap("\n" if self._breaks < 2 else "\n\n")

    def heading(self, level: int) -> None:
        """Begin a heading, which lasts until ``end_heading``."""
        self.end_heading()
        self._heading = (level, [])

    def end_heading(self) -> None:
        """End the open heading, and begin a section with it where a word of it is seen."""
        if self._heading is not None:
            level, words = self._heading
            title = text_flow.heading_text("".join(words))
            if title:
                self._sections.append(Section(level, title, self._heading_start))
        self._heading = None

    def write(self, text: str, *, exactly: bool = False, reason: str = "", is_struck: bool = False) -> None:
        """Write text; ``exactly``: with its blanks and lines, ``reason``: why nobody sees it."""
        if exactly:
            if text:
                self._put(plain_text.clean(text).replace("\f", "\n"), reason, is_struck)
            return
        words = plain_text.clean(text).split()
        if not words:
            if text:
                self.gap(" ")
            return
        if text[0].isspace():
            self.gap(" ")
        self._put(" ".join(words), reason, is_struck)
        if text[-1].isspace():
            self.gap(" ")

    def marker(self, text: str) -> None:
        """Put the number of an item before the first words in it."""
        self._marker = text

    def drop_marker(self) -> None:
        """Forget the number of an item that had no words."""
        self._marker = ""

    @property
    def last(self) -> str:
        """The last characters, as far as no gap follows them."""
        return self._parts[-1] if self._parts and not self._gap else ""

    def write_piece(self, piece: text_flow.Piece) -> None:
        """Append a piece unchanged, with its spans, headings and tables."""
        text = piece.text
        if not text:
            return
        if self._gap and self._parts:
            self._parts.append(self._gap)
            self._length += len(self._gap)
        self._gap, self._breaks, self._marker = "", 0, ""
        offset = self._length
        self._hidden_spans += [(start + offset, end + offset, why) for start, end, why in piece.hidden_spans]
        self._struck_spans += [(start + offset, end + offset) for start, end in piece.struck_spans]
        self._tables += [text_flow.moved_table(table, offset) for table in piece.tables]
        self._sections += [Section(section.level, section.title, section.start + offset) for section in piece.sections]
        self._parts.append(text)
        self._length += len(text)

    def _put(self, text: str, reason: str, is_struck: bool) -> None:
        if self._marker and text.strip():
            text, self._marker = self._marker + text.lstrip(), ""
        gap = (self._gap or self._border(text, is_struck)) if self._parts else ""
        self._gap, self._is_apart = "", False
        self._breaks = 0
        if not self._parts:
            text = text.lstrip("\n")
        if not text:
            return
        if gap:
            self._parts.append(gap)
            self._length += len(gap)
        if is_struck and text.strip():
            start = self._length
            if self._struck_spans and self._struck_spans[-1][1] == start - len(gap):
                start = self._struck_spans.pop()[0]
            self._struck_spans.append((start, self._length + len(text)))
        if reason and text.strip():
            start = self._length
            # From the one before, if nothing but a gap is between, so that one hidden stretch is one span.
            if self._hidden_spans and self._hidden_spans[-1][1:] == (start - len(gap), reason):
                start = self._hidden_spans.pop()[0]
            self._hidden_spans.append((start, self._length + len(text), reason))
        elif self._heading is not None and (self._heading[1] or text.strip()):
            if not self._heading[1]:
                self._heading_start = self._length + len(text) - len(text.lstrip())
            self._heading[1].append((" " if gap else "") + text)
        self._parts.append(text)
        self._length += len(text)

    def _border(self, text: str, is_struck: bool) -> str:
        """Return a blank where the text must not join what is there."""
        left, right = self._parts[-1][-1:], text[:1]
        if not (left.isalnum() and right.isalnum()):
            return ""
        was_struck = bool(self._struck_spans) and self._struck_spans[-1][1] == self._length
        if left.isdigit() and right.isdigit() and is_struck != was_struck:
            return " "  # the number that takes the place of a struck one
        has_digit = left.isdigit() or right.isdigit()
        return " " if self._is_apart and (has_digit or (left.islower() and right.isupper())) else ""

    def piece(self) -> text_flow.Piece:
        """Return the text with its marks."""
        self.end_heading()
        text = "".join(self._parts).rstrip()
        spans = tuple(self._hidden_spans), tuple(self._sections), tuple(self._struck_spans), tuple(self._tables)
        return text_flow.Piece(text, *spans).cut(0, len(text))
