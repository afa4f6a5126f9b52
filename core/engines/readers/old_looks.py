"""How binary workbooks set the characters of a cell: raised, lowered, struck, or in the colour of the paper.

[MS-XLS] 2.4.122, 2.4.265, 2.4.353 and 2.5.293; [MS-XLSB] 2.4.668, 2.4.818.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.engines.readers import plain_text, raised, text_flow

ERRORS = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A",
}  # fmt: skip
_STRINGS = 5_000_000

Runs = Sequence[tuple[int, int]]  # where another font begins, and its number


@dataclass(frozen=True, slots=True)
class Font:
    """The look of characters. ``shift``: '+' raises, '-' lowers. ``colour`` is its number in the palette."""

    is_struck: bool = False
    shift: str = ""
    colour: int = -1

    @property
    def is_plain(self) -> bool:
        """Return whether it leaves the text of a cell as it is."""
        return not self.is_struck and not self.shift


PLAIN = Font()


def font_of(content: bytes) -> Font:
    """Return the font of a record, which begins alike in both kinds of workbooks."""
    _, flags, colour, _, script = struct.unpack_from("<HHHHH", content)
    return Font(bool(flags & 8), {1: "+", 2: "-"}.get(script, ""), colour)


def font_of_xlsb(content: bytes) -> Font:
    """Return the same of a record of a newer binary workbook, which names its colour elsewhere."""
    _, flags, _, script = struct.unpack_from("<HHHH", content)
    return Font(bool(flags & 8), {1: "+", 2: "-"}.get(script, ""))


def shown(text: str, runs: Runs, fonts: Sequence[Font], base: Font) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text of a cell as it is set, and its struck spans. Runs count in units of two bytes."""
    raw = text.encode("utf-16-le", "surrogatepass")
    starts = [(0, base), *((start, fonts[number] if number < len(fonts) else base) for start, number in runs)]
    ends = [*(start for start, _ in starts[1:]), len(raw) // 2]
    out = text_flow.Flow()
    for (start, font), end in zip(starts, ends, strict=True):
        words = raw[2 * start : 2 * end].decode("utf-16-le", "replace")
        words = re.sub(r"\s+", " ", plain_text.clean(words))
        if font.shift:
            words = raised.raised(words) if font.shift == "+" else raised.lowered(words)
        out.write(words, is_struck=font.is_struck)
    piece = out.piece()
    return piece.text, piece.struck_spans


def shared_strings(parts: Sequence[bytes]) -> Iterator[tuple[str, Runs]]:
    """Yield the strings of a table that goes on in further records, each with its runs. Stops at what is damaged."""
    reader = _Reader(parts)
    try:
        (count,) = struct.unpack_from("<I", reader.take(8), 4)
        for _ in range(min(count, _STRINGS)):
            length, flags = struct.unpack("<HB", reader.take(3))
            run_count = struct.unpack("<H", reader.take(2))[0] if flags & 8 else 0
            extra = struct.unpack("<I", reader.take(4))[0] if flags & 4 else 0
            text = reader.characters(length, is_wide=bool(flags & 1))
            runs = [struct.unpack("<HH", reader.take(4)) for _ in range(run_count)]
            reader.take(extra)
            yield text, [(start, font_number(number)) for start, number in runs]
    except EOFError:
        return


def font_number(number: int) -> int:
    """Return the place of a font in their list: the number 4 is left out."""
    return number - (number > 4)


class _Reader:
    """A reader of bytes that are cut into parts; characters go on in a part behind a byte that says their width."""

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = iter(parts)
        self._part = b""
        self._offset = 0

    def _advance(self) -> bool:
        """Go to the next part if this one is at its end, and return whether it was. Raises EOFError behind the last."""
        if self._offset < len(self._part):
            return False
        part = next(self._parts, None)
        if part is None:
            raise EOFError
        self._part, self._offset = part, 0
        return True

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        out = bytearray()
        while len(out) < count:
            self._advance()
            piece = self._part[self._offset : self._offset + count - len(out)]
            out += piece
            self._offset += len(piece)
        return bytes(out)

    def characters(self, count: int, *, is_wide: bool) -> str:
        """Return the next characters, of two bytes or one."""
        raw = bytearray()
        while len(raw) < 2 * count:
            if self._advance():
                is_wide = bool(self.take(1)[0] & 1)
                continue
            here = max(1, (len(self._part) - self._offset) // (2 if is_wide else 1))
            content = self.take(min(count - len(raw) // 2, here) * (2 if is_wide else 1))
            raw += content if is_wide else content.decode("latin-1").encode("utf-16-le")
        return raw.decode("utf-16-le", "replace")
