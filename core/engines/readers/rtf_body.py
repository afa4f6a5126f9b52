"""Bodies of mails in RTF, also those in which Outlook packed a page of HTML (MS-OXRTFEX) or compressed them."""

from __future__ import annotations

import re
import struct

from core.domain import LeftOut, PageText
from core.engines.readers import html, plain_text, rtf, text_flow
from core.errors import UnreadableDocument

_LARGEST = 50_000_000  # bytes of a body
_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,40})(-?\d{1,10})?[ ]?"  # a control word and its number
    r"|\\'([0-9a-fA-F]{2})"  # a byte
    r"|\\([^a-zA-Z])"  # a control symbol
    r"|([{}])"
    r"|[\r\n]+"
    r"|([^\\{}\r\n]+)"
)
_FONT = re.compile(r"\\f(\d{1,5})[^{};]{0,200}?\\fcharset(\d{1,3})")
_SIGNS = {
    "emdash": "\u2014", "endash": "\u2013", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "bullet": "\u2022", "par": "\r\n", "line": "\r\n", "tab": "\t",
}  # fmt: skip
_ENCODINGS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip


def read(data: bytes) -> tuple[text_flow.Piece, list[LeftOut]]:
    """Return the text of a body in RTF, and what of it was left out; no text where it is none."""
    source = data[:_LARGEST].decode("latin-1")
    if "\\fromhtml" in source[:2_000]:
        page = html.parse(page_in(source)).body
        if page.text.strip():
            return page, []
    pieces: list[text_flow.Piece] = []
    left_out: list[LeftOut] = []
    try:
        for item in rtf.read(data, "the body"):
            if isinstance(item, PageText):
                hidden = [(*span, why) for span, why in zip(item.hidden_spans, item.hidden_why, strict=True)]
                pieces.append(text_flow.Piece(item.text, tuple(hidden), item.sections, item.struck_spans, item.tables))
            elif isinstance(item, LeftOut):
                left_out.append(item)
    except UnreadableDocument:  # without text
        pass
    return text_flow.join(pieces, "\n\n"), left_out


def decompress(data: bytes) -> bytes:
    """Return a body in RTF as it was before Outlook compressed it (MS-OXRTFCP); b"" where it is none.

    A checksum is not looked at where the program that wrote the body stated none, or did not compress it.
    """
    import compressed_rtf
    from compressed_rtf.crc32 import crc32

    if len(data) < 16:
        return b""
    length, size = struct.unpack_from("<II", data)
    if max(length, size, len(data)) > _LARGEST:
        return b""
    packed = data[16 : length + 4].ljust(max(0, length - 12), b"\0")
    stated: int = struct.unpack_from("<I", data, 12)[0]
    checksum = 0 if data[8:12] != b"LZFu" else stated or crc32(packed)
    try:
        content: bytes = compressed_rtf.decompress(data[:12] + struct.pack("<I", checksum) + packed)
    except Exception:  # whatever the library raises for what is none
        return b""
    return content


def page_in(source: str) -> str:
    """Return the page of HTML that is packed into a body in RTF (MS-OXRTFEX, 2.1.3)."""
    fonts = {int(font): _ENCODINGS.get(int(charset), "cp1252") for font, charset in _FONT.findall(source[:200_000])}
    codepage = re.search(r"\\ansicpg(\d{3,5})", source[:2_000])
    encoding = f"cp{codepage.group(1)}" if codepage else "cp1252"
    out: list[str] = []
    pending = bytearray()
    state = (False, False, -1)  # whether it is a tag, whether it is skipped, the font
    states: list[tuple[bool, bool, int]] = []
    is_starred, skip, unicode_count, is_rtf = False, 0, 1, False

    def flush() -> None:
        if pending:
            out.append(_decode(bytes(pending), fonts.get(state[2], ""), encoding))
            pending.clear()

    for match in _TOKEN.finditer(source):
        word, number, byte, symbol, brace, run = match.groups()
        is_tag, is_skipped, font = state
        if brace == "{":
            flush()
            if len(states) > 5_000:
                break
            states.append(state)
            is_starred, skip = False, 0
        elif brace:
            flush()
            state = states.pop() if states else state
            is_starred, skip = False, 0
        elif symbol == "*":
            is_starred = True
        elif word:
            if word == "htmltag" and is_starred:
                state = (True, False, font)
            elif word == "htmlrtf":
                flush()
                is_rtf = number != "0"
            elif word in ("fonttbl", "colortbl", "stylesheet", "info", "pntext") or is_starred:
                state = (is_tag, True, font)
            elif word == "f" and number:
                flush()
                state = (is_tag, is_skipped, int(number))
            elif word == "uc":
                unicode_count = min(int(number or 1), 10)
            elif not is_skipped and not is_rtf:
                if word == "u" and number:
                    flush()
                    out.append(chr(int(number) & 0xFFFF))
                    skip = unicode_count
                elif word in _SIGNS:
                    flush()
                    out.append(_SIGNS[word])
            is_starred = False
        elif byte and not is_skipped and not is_rtf:
            if skip:
                skip -= 1
            else:
                pending.append(int(byte, 16))
        elif symbol and not is_skipped and not is_rtf:
            flush()
            out.append({"~": "&nbsp;", "_": "-", "-": "&shy;"}.get(symbol, symbol if symbol in "\\{}" else ""))
        elif run and not is_skipped and not is_rtf:
            count = min(skip, len(run))
            skip -= count
            flush()
            out.append(_decode(run[count:].encode("latin-1"), fonts.get(state[2], ""), encoding))
    flush()
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _decode(data: bytes, font: str, encoding: str) -> str:
    for name in (font, encoding):
        try:
            if name:
                return data.decode(name)
        except (LookupError, ValueError):
            continue
    return plain_text.decode(data)
