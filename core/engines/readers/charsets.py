"""Character encodings: what a label means, and which one bytes without a label are in."""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from collections import Counter
from functools import lru_cache

# Codecs of Python for the encodings of the WHATWG standard, where the name differs or its own table has less.
_CODECS = {
    "gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs", "windows-874": "cp874",
    "macintosh": "mac-roman", "x-mac-cyrillic": "mac-cyrillic", "iso-8859-8-i": "iso8859-8",
    "x-user-defined": "cp1252",
}  # fmt: skip
# Labels that the standard does not have, but mail programs write: by the codec that Python knows them as.
_WIDER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs",
}  # fmt: skip
# What is tried when the first table lacks a character of the text.
_NEXT = {"euc_jp": "euc_jis_2004", "big5hkscs": "cp950", "cp932": "shift_jis_2004"}
_BYTE_CODECS = re.compile(
    r"cp(?:037|1006|1026|1125|1140|125\d|273|424|437|500|720|737|775|8\d\d|932|949|950)|mac-\w+|iso8859-\d+|koi8-\w"
    r"|gb18030|big5hkscs|euc_\w+|shift_\w+|johab|hz|iso2022_\w+|utf-(?:7|8|16|32)(?:-[lb]e)?|kz1048|ptcp154|hp-roman8"
)
MULTIBYTE = ("gb18030", "big5hkscs", "cp932", "cp949", "euc_jp")
_ESCAPED = re.compile(r"iso2022_\w+|hz|utf-7")  # written in ASCII bytes, so that their text is valid UTF-8 too
_HZ = re.compile(rb"~\{((?:[\x21-\x77][\x21-\x7e])+)~\}")
_HZ_ROWS = frozenset((0x21, 0x22, 0x23, *range(0x30, 0x58)))  # of GB 2312: punctuation, letters and common characters
_CONTROL = bytes([*range(9), *range(0x0E, 0x1B), *range(0x1C, 0x20)])
_HALVES = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_SAMPLE, _LINES = 4_000, 1_500  # bytes that the statistics of wide encodings and of letters look at


def codec(label: str) -> str:
    """Return the codec for a label as web browsers take it, '' for a label that names no character encoding."""
    from webencodings import LABELS

    standard = LABELS.get(label.strip("\t\n\f\r ").lower(), "")
    listed = standard not in ("", "replacement")
    try:
        name = codecs.lookup(_CODECS.get(standard, standard) if listed else label.strip()).name
    except (LookupError, ValueError):
        return ""
    name = name if listed else _WIDER.get(name, name)
    return name if _BYTE_CODECS.fullmatch(name) else ""


def escaped(data: bytes) -> str:
    """Return the encoding of East Asian text that switches tables by ASCII bytes, '' where none is switched."""
    if b"\x1b$)C" in data:
        return "iso2022_kr"
    if b"~{" in data and data.isascii():
        rows = b"".join(_HZ.findall(data))[::2]
        if rows and 10 * sum(row in _HZ_ROWS for row in rows) >= 9 * len(rows):
            return "hz"
    starts = [offset for offset in (data.find(b"\x1b$B"), data.find(b"\x1b$@")) if offset >= 0]
    ends = (data.rfind(b"\x1b(B"), data.rfind(b"\x1b(J"))
    return "iso2022_jp" if starts and max(ends) > min(starts) else ""


def with_whole_characters(data: bytes) -> bytes:
    """Return UTF-8 in which the halves of a character, as databases store them (CESU-8), are the character."""
    if not _HALVES.search(data):
        return data
    return _HALVES.sub(
        lambda match: match.group().decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass")
        .decode("utf-16").encode(), data,
    )  # fmt: skip


def by_escapes(data: bytes, name: str) -> str | None:
    """Decode text in an encoding that switches tables by ASCII bytes, or return None for any other."""
    if not _ESCAPED.fullmatch(name) or not (b"\x1b" in data or b"~{" in data or (name == "utf-7" and b"+" in data)):
        return None
    for attempt in (name, "iso2022_jp_ext" if name.startswith("iso2022_jp") else ""):
        try:
            if attempt:
                return data.decode(attempt)
        except ValueError:
            continue
    return _japanese(data) if name.startswith("iso2022_jp") else data.decode(name, "replace")


def _japanese(data: bytes) -> str:
    """Decode ISO-2022-JP with the characters that vendors added to its table, such as digits in circles."""
    parts = re.split(rb"(\x1b\$[@B]|\x1b\([BJI])", data)
    result = [parts[0].decode("ascii", "replace")]
    for escape, part in zip(parts[1::2], parts[2::2], strict=True):
        if escape.startswith(b"\x1b$"):
            result.append(_rows(part))
        elif escape == b"\x1b(I":
            result.append(bytes(byte | 0x80 for byte in part).decode("cp932", "replace"))
        else:
            result.append(part.decode("ascii", "replace"))
    return "".join(result)


def _rows(part: bytes) -> str:
    """Decode pairs of bytes of the table JIS X 0208 through their places in Shift-JIS."""
    out = bytearray()
    index = 0
    while index < len(part):
        row, cell = part[index], part[index + 1] if index + 1 < len(part) else 0
        if not (0x21 <= row <= 0x7E and 0x21 <= cell <= 0x7E):  # a line end is between the pairs
            out.append(row)
            index += 1
            continue
        lead = (row + 1) // 2 + (0x70 if row <= 0x5E else 0xB0)
        trail = cell + (0x1F if cell < 0x60 else 0x20) if row % 2 else cell + 0x7E
        out += bytes((lead, trail))
        index += 2
    return bytes(out).decode("cp932", "replace")


def by_label(data: bytes, name: str) -> str | None:
    """Decode by the stated codec, with U+FFFD for a few odd bytes, or return None if it does not fit."""
    for attempt in (name, _NEXT.get(name, "")):
        try:
            if attempt:
                return data.decode(attempt)
        except ValueError:
            continue
    try:
        text = data.decode(name, "replace")
    except (LookupError, ValueError):
        return None
    bad = text.count("\ufffd")
    return text if bad <= max(1, sum(c > "\x7f" for c in text) // 10) else None


def file_name(raw: bytes) -> str:
    """Decode the name of a file in an archive whose maker did not say in which encoding it is: the likeliest one."""
    from core.engines.readers import letters

    best, result = -math.inf, raw.decode("cp437")
    for name, rarity in _OF_ARCHIVES.items():
        try:
            text = raw.decode(name)
        except ValueError:
            continue
        if rarity and (_HALF_WIDTH.search(text) or _MIXED.search(text)):
            continue
        score = letters.likelihood(text) - rarity
        if score > best:
            best, result = score, text
    return result


_OF_ARCHIVES = {"cp437": 0, "cp850": 1, "cp852": 4, "cp866": 1, "cp932": 1, "gb18030": 1, "cp949": 1}  # by how rare
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
_MIXED = re.compile("[A-Za-z][\u0400-\u052f]|[\u0400-\u052f][A-Za-z]")  # two alphabets in one word


def nearly_utf8(data: bytes) -> bool:
    """Return whether bytes are UTF-8 but for a few: four or more good characters to a bad byte, or only a cut end."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    good = sum(c > "\x7f" for c in text) - text.count("\ufffd")
    if bad == 1 and text.endswith("\ufffd") and good:
        return True
    return good >= max(2, 4 * bad)


def wide(data: bytes) -> str:
    """Detect UTF-16 or UTF-32 without a mark: letters of few scripts, and bytes that no other text has."""
    head = data[:_SAMPLE]
    if len(head) < 4 or len(head.translate(None, _CONTROL)) == len(head):
        return ""
    if b"\0" not in head and not head.isascii() and _fits_utf8(head):
        return ""
    if len(data) % 4 == 0 and b"\0" in head:
        for name in ("utf-32-le", "utf-32-be"):
            if _sensible(head, name):
                return name
    zeros = (head[::2].count(0), head[1::2].count(0))
    # Where both could be, the byte that repeats itself is the higher one.
    repeats = [sum(count * count for count in Counter(head[parity::2]).values()) for parity in (0, 1)]
    for name in (
        ("utf-16-le", "utf-16-be") if (zeros[1], repeats[1]) >= (zeros[0], repeats[0]) else ("utf-16-be", "utf-16-le")
    ):
        if _sensible(head, name):
            return name
    return ""


def _fits_utf8(head: bytes) -> bool:
    """Return whether the beginning of a file is UTF-8, which may end within a character."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _sensible(head: bytes, name: str) -> bool:
    """Return whether the bytes decode to assigned characters that are nearly all of one script, or Latin beside it."""
    try:
        text = codecs.getincrementaldecoder(name)().decode(head)
    except ValueError:
        return False
    odd = sum(unicodedata.category(c) in ("Cn", "Co", "Cs") or (c < " " and c not in "\t\n\r\f\x0b") for c in text)
    scripts = Counter(script(c) for c in text)
    plain = scripts.pop("", 0)
    latin = scripts.pop("latin", 0)
    main_script = max(scripts.values(), default=0)
    return (
        bool(text)
        and odd * 50 <= len(text)
        and (plain + latin + main_script) * 20 >= 19 * len(text)
        and plain + latin + main_script > odd
    )


_SCRIPTS = (
    (0x0, 0x40, ""), (0x41, 0x5A, "latin"), (0x5B, 0x60, ""), (0x61, 0x7A, "latin"), (0x7B, 0xBF, ""),
    (0xC0, 0x24F, "latin"), (0x370, 0x3FF, "greek"), (0x400, 0x52F, "cyrillic"), (0x530, 0x58F, "armenian"),
    (0x590, 0x5FF, "hebrew"), (0x600, 0x77F, "arabic"), (0x900, 0x97F, "devanagari"), (0x980, 0x9FF, "bengali"),
    (0xE00, 0xE7F, "thai"), (0x10A0, 0x10FF, "georgian"), (0x1E00, 0x1EFF, "latin"), (0x2000, 0x22FF, ""),
    (0x3000, 0x303F, ""), (0x3040, 0x30FF, "asian"), (0x3400, 0x9FFF, "asian"), (0xAC00, 0xD7A3, "asian"),
    (0xF900, 0xFAFF, "asian"), (0xFF00, 0xFFEF, "asian"),
)  # fmt: skip


def script(char: str) -> str:
    """Return the script of a letter, '' for a sign of all scripts, '?' for the scripts that are not told apart."""
    code = ord(char)
    return next((name for start, end, name in _SCRIPTS if start <= code <= end), "?")


# By how often they occur where no encoding is stated; of two that read the same the first counts.
_CANDIDATES = (
    "cp1252", "cp1251", "cp1250", "cp932", "gb18030", "big5hkscs", "cp949", "euc_jp", "cp1253", "cp1254", "cp1256",
    "cp1255", "cp874", "cp1257", "iso8859-2", "iso8859-15", "koi8-r", "iso8859-7", "cp866", "iso8859-5", "koi8-u",
    "mac-cyrillic", "mac-roman", "cp850", "cp852", "cp437", "iso8859-4", "mac-latin2",
)  # fmt: skip


def likeliest(data: bytes) -> tuple[str, bool]:
    """Return the encoding in which bytes read most like a text, and whether no other comes near it; '' for none."""
    return _likeliest(_words_around(data))


@lru_cache(maxsize=8)
def _likeliest(sample: bytes) -> tuple[str, bool]:
    from core.engines.readers import letters

    scores: dict[str, tuple[float, str]] = {}  # by the text: two encodings may read a sample alike
    for rank, name in enumerate(_CANDIDATES):
        try:
            text = sample.decode(name, "replace")
        except (LookupError, ValueError):
            continue
        bad = text.count("\ufffd")
        if bad * 20 > len(sample):
            continue
        if text not in scores:
            scores[text] = letters.likelihood(text) - 14.0 * bad - _prior(rank), name
    best, *runners_up = sorted(scores.values(), key=lambda pair: -pair[0]) or [(0.0, "")]
    return best[1], not runners_up or best[0] - runners_up[0][0] > _SURE


_SURE = 8.0  # logarithms of probability between the best and the next


def _prior(rank: int) -> float:
    return 0.0 if rank == 0 else min(6.0, 0.5 + rank * 0.25)


def _words_around(data: bytes) -> bytes:
    """Return the lines of a text that have bytes beyond ASCII, as many as the statistics need."""
    if len(data) <= _LINES:
        return data
    return b"".join(re.findall(rb"[^\n]*[\x80-\xff][^\n]*\n?", data[:400_000]))[:_LINES]
