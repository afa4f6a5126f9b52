"""Plain text: bytes to characters, characters to pages. The other readers of flowing text end here too."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from core.engines.readers import charsets
from core.errors import UnreadableDocument

# What may be between two stretches of flowing text, the weakest first. The strongest that was asked for counts.
GAPS = ("", " ", "\t", "\n", "\n\n")

PAGE = 250_000  # characters of one page of a format that has no pages of its own
PAGES = 10_000  # of one document
RUN = 1_000_000  # characters without a blank, from which on a text is none

_MARKS = (  # the longer ones first: a UTF-32 mark begins like a UTF-16 mark
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]{0,40}[ -/]{0,5}[@-~]|\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|[()][0-9A-B])")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


def decode(data: bytes, *, encoding: str = "") -> str:
    """Decode a text file. ``encoding`` is what the file says about itself, as web browsers take it, if it fits.

    Order: byte order mark, encodings written in ASCII bytes, UTF-16 and UTF-32 without a mark, UTF-8, UTF-8 with a few
    odd bytes, the stated encoding, the likeliest one. Never raises: bytes that fit nothing become U+FFFD.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    if data.isascii() and not encoding and not charsets.wide(data):
        by_escapes = charsets.by_escapes(data, charsets.escaped(data))
        return data.decode("ascii") if by_escapes is None else by_escapes
    name = charsets.codec(encoding) if encoding else ""
    text = charsets.by_escapes(data, name)
    if text is not None:
        return text
    wide = charsets.wide(data)
    if wide:
        return data.decode(wide, "replace")
    try:
        text = data.decode("utf-8")
        # Two bytes of a Chinese, Japanese or Korean table may happen to be a letter of UTF-8, hardly ever three.
        if name not in charsets.MULTIBYTE or text.isascii() or max(text) >= "\u0800":
            return text
    except UnicodeDecodeError:
        complete = charsets.with_whole_characters(data)
        if charsets.nearly_utf8(complete):
            return complete.decode("utf-8", "replace")
    for codec in (name, _guess(data)):
        text = charsets.by_label(data, codec) if codec else None
        if text is not None:
            return text
    return data.decode("cp1252", "replace")


def _guess(data: bytes) -> str:
    """Return the likeliest encoding of bytes that are not UTF-8."""
    name, _ = charsets.likeliest(data)
    if name:
        return name
    import charset_normalizer

    best = charset_normalizer.from_bytes(data[:500_000]).best()
    return best.encoding if best is not None else ""


def doubt(data: bytes) -> str:
    """Return the encoding that a text was read in where nothing says which it is and another is nearly as likely."""
    if data.isascii() or any(data.startswith(mark) for mark, _ in _MARKS) or charsets.wide(data):
        return ""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        name, sure = charsets.likeliest(data)
        return "" if sure or charsets.nearly_utf8(data) else name
    return ""


def clean(text: str) -> str:
    """Return text with one kind of line end, and without what a database, a terminal or a JSON file stumbles over."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0b", "\n").replace("\x85", "\n")
    return _CONTROL.sub("\ufffd", text.removeprefix("\ufeff"))


_ZEROS = re.compile(rb"\0{16,}")


def without_zero_blocks(data: bytes) -> tuple[bytes, int]:
    """Return a text without the blocks of zero bytes that a crash leaves in a log, and how many bytes those are."""
    if b"\0" * 16 not in data:
        return data, 0
    remainder = _ZEROS.sub(b"", data)
    return (data, 0) if b"\0" in remainder or not remainder.strip() else (remainder, len(data) - len(remainder))


def terminal_codes(data: bytes) -> int:
    """Count what tells a terminal about colours and places, and is no text."""
    return len(_TERMINAL.findall(decode(data))) if b"\x1b" in data else 0


def read(data: bytes, name: str) -> str:
    """Return the text of a text file, without codes for a terminal.

    Raises UnreadableDocument when it is something else under the name of text.
    """
    text = decode(data)
    text = clean(_TERMINAL.sub("", text) if "\x1b" in text else text)
    odd = text.count("\ufffd")
    if odd > 20 and odd > len(text) // 10:
        raise UnreadableDocument(
            reason=f"{name} is not text: it contains many bytes that are not characters.",
            remedy="Find out what made the file, and save it there as PDF, DOCX or text.",
        )
    return text


_BLANK = re.compile(r"[\s\u0250-\U0010ffff]")  # or a letter of a script that may be written without blanks


def without_blanks(text: str) -> bool:
    """Return whether a text has ``RUN`` characters in a row without a blank; sure for twice as many."""
    return any(not _BLANK.search(text, start, start + RUN) for start in range(0, len(text) - RUN + 1, RUN))


def sheets(text: str) -> Iterator[tuple[str, str]]:
    """Cut text into pages with their labels: at form feeds, and a very long one at a paragraph end.

    Pages that were made by cutting are labelled 'part n', because no reader of the paper would know their numbers.
    If there are more pages than a document may have, several are joined as one, labelled 'pages n to m'.
    """
    leaves = text.split("\f")
    while len(leaves) > 1 and not leaves[-1].strip():
        leaves.pop()
    parts: list[tuple[str, str]] = [(sheet, "") for sheet in leaves]
    if len(leaves) + len(text) // (PAGE // 2) > PAGES:
        size = -(-len(leaves) // (PAGES // 2))
        starts = range(0, len(leaves), size)
        parts = [
            ("\n".join(leaves[start : start + size]), f"pages {start + 1} to {min(start + size, len(leaves))}")
            for start in starts
        ]
    number = 0
    for sheet, label in parts:
        for part in _parts(sheet):
            number += 1
            cut = f"part {number}" if len(sheet) > PAGE else ""
            yield part, f"{label}, {cut}" if label and cut else label or cut


def _parts(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PAGE:
        end = start + PAGE
        for gap in ("\n\n", "\n", " "):
            place = text.rfind(gap, start + PAGE // 2, end)
            if place >= 0:
                end = place + len(gap)
                break
        yield text[start:end]
        start = end
    yield text[start:]


# --- characters that nobody sees -------------------------------------------------------------------------------------

_TAGS = re.compile(
    # Tag characters spell invisible ASCII; after a black flag they are the emoji of a region.
    r"(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+"
    # One zero-width character is typesetting; a row of them is a message.
    r"|[\u200b-\u200f\u2060-\u2064\ufeff\u180e]{4,}"
    r"|[\u115f\u1160\u3164\uffa0]{4,}"
    r"|[\U000e0100-\U000e01ef\ufe00-\ufe0f]{4,}"
    # Text between an override and its end shows in another order than it is stored.
    r"|([\u202d\u202e][^\u202c\n]*\u202c?)"
)

# One of these is in every match: a class is searched for ten times faster.
_ODD = re.compile(
    r"[\u200b-\u200f\u2060-\u2064\ufeff\u180e\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\u202d\u202e\U000e0000-\U000e01ef]"
)

Reasons = list[tuple[int, int, str]]  # a span and the key of core.domain.HIDDEN that says why it is not seen


def unseen_why(text: str) -> Reasons:
    """Find the spans of ``text`` that a person would not see, or not see as they are stored, each with its reason.

    The reasons are 'zero width' and 'direction'.
    """
    if text.isascii() or not _ODD.search(text):
        return []
    return [(*match.span(), "direction" if match.group(1) else "zero width") for match in _TAGS.finditer(text)]


def split_reasons(spans: Reasons) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    """Put spans in order without overlap, and split off a reason for each, as core.domain.PageText keeps them.

    Those that overlap or touch become one where their reason is the same; where it is not, the one that began first
    keeps what both claim.
    """
    result: Reasons = []
    for start, end, why in sorted(spans):
        if result and start <= result[-1][1] and why == result[-1][2]:
            result[-1] = (result[-1][0], max(end, result[-1][1]), why)
            continue
        start = max(start, result[-1][1]) if result else start
        if start < end:
            result.append((start, end, why))
    return tuple((start, end) for start, end, _ in result), tuple(why for _, _, why in result)
