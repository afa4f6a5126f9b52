"""Bodies of e-mails: flowing lines, files written into the text, and which of several forms of a body are read."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from core.engines.readers import plain_text, text_flow

_WORD = re.compile(r"\d(?:[\d.,:/'’\-]*\d)?|[^\W\d]+")
_LINK = re.compile(r"<?\b(?:https?|mailto|tel|cid):[^\s<>\"]+>?|\[(?:cid|image):[^\]\n]*\]", re.IGNORECASE)
_BEGIN = re.compile(r"begin(-base64)? [0-7]{3,4} (\S[^\n]{0,300})")
_PICTURE = re.compile(r"data:image/([\w.+-]{1,40});base64,([A-Za-z0-9+/=%\s]+)")
_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?![ \t]*\n))*")
_FILES = 500  # written into one body
_ADDRESSES = 300  # of links that one body spells out
_CHECKS = 500_000_000  # characters searched for paragraphs that are in both forms

Files = list[tuple[str, bytes]]


def unflow(text: str, *, delete_space: bool) -> str:
    """Join the lines of a text of format=flowed (RFC 3676) that were broken for the way."""
    result: list[str] = []
    depth_before, is_open = 0, False
    for line in plain_text.clean(text).split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        content = line[depth:].removeprefix(" ")
        is_signature = content == "-- "
        if is_open and depth == depth_before and not is_signature:
            result[-1] += content
        else:
            result.append((">" * depth + " " if depth else "") + content)
        is_open = content.endswith(" ") and not is_signature
        if is_open and delete_space:
            result[-1] = result[-1][:-1]
        depth_before = depth
    return "\n".join(result)


def without_files(text: str) -> tuple[str, Files]:
    """Take the files out that were written into a text (uuencode); what cannot be decoded stays text."""
    if "begin" not in text:
        return text, []
    lines = text.split("\n")
    begins = {offset: match for offset, line in enumerate(lines) if (match := _BEGIN.fullmatch(line.rstrip()))}
    ends = [indexfset for indexfset, line in enumerate(lines) if line.rstrip() in ("end", "====")]
    parts: list[str] = []
    files: Files = []
    offset = 0
    for start, match in begins.items():
        if start < offset or len(files) >= _FILES:
            continue
        place = bisect_right(ends, start)
        if place == len(ends):
            break
        content = _unpack(lines[start + 1 : ends[place]], is_base64=bool(match.group(1)))
        if content:
            files.append((match.group(2).strip(), content))
            parts += lines[offset:start]
            offset = ends[place] + 1
    return ("\n".join([*parts, *lines[offset:]]), files) if files else (text, [])


def _unpack(lines: Sequence[str], *, is_base64: bool) -> bytes:
    try:
        if is_base64:
            return base64.b64decode("".join(lines), validate=True)
        return b"".join(_line_of_uu(line.rstrip("\r")) for line in lines if line.strip())
    except (ValueError, binascii.Error):
        return b""


def _line_of_uu(line: str) -> bytes:
    try:
        return binascii.a2b_uu(line)
    except binascii.Error:  # some programs put more at the end of a line than its length says
        return binascii.a2b_uu(line[: (((ord(line[0]) - 32) & 63) * 4 + 5) // 3])


def pictures_in(source: str) -> Files:
    """Return the pictures that are written into the source of a page (data:)."""
    files: Files = []
    if "base64," not in source:
        return files
    for match in _PICTURE.finditer(source):
        try:
            content = base64.b64decode(re.sub(r"\s|%0[AaDd]", "", match.group(2)).replace("%3D", "=") + "==")
        except (ValueError, binascii.Error):
            continue
        ending = match.group(1).lower().split("+")[0].replace("jpeg", "jpg").removeprefix("x-")
        if content and len(files) < _FILES:
            files.append((f"picture {len(files) + 1}.{ending}", content))
    return files


def merge(plain: Sequence[text_flow.Piece], rich: Sequence[text_flow.Piece]) -> list[text_flow.Piece]:
    """Return of the forms of one body those that say all: the plain form alone where it has each word and number.

    That is if the rich form only says the same: no words that are struck or hidden, no tables. Otherwise the rich
    forms (HTML) are read, and behind them the paragraphs of the plain form that have more.
    """
    plain = [piece for piece in plain if piece.text.strip()]
    rich = [piece for piece in rich if piece.text.strip()]
    if not plain or not rich:
        return [*plain, *rich]
    is_marked = any(piece.struck_spans or piece.hidden_spans or piece.tables for piece in rich)
    if not is_marked and not _words(rich) - _words(plain):
        return list(plain)
    additions = _additions(plain, rich)
    result = list(rich)
    if additions:
        result.append(text_flow.join((text_flow.Piece("In the plain text of this mail also:"), *additions), "\n\n"))
    if addresses := _addresses(plain, result):
        result.append(text_flow.Piece("\n".join(("Addresses in the plain text of this mail:", *addresses))))
    return result


def _addresses(plain: Sequence[text_flow.Piece], forms: Sequence[text_flow.Piece]) -> list[str]:
    """List the addresses of links that the plain form spells out and the others only lead to, each once."""
    text = "\n".join(piece.text for piece in forms)
    links = (match.group().strip("<>[]").rstrip(".,;)") for piece in plain for match in _LINK.finditer(piece.text))
    spelled = [link for link in dict.fromkeys(links) if not link.startswith(("cid:", "image:")) and link not in text]
    more = [f"({len(spelled) - _ADDRESSES:,} more)"] if len(spelled) > _ADDRESSES else []
    return [*spelled[:_ADDRESSES], *more]


def _tokens(text: str) -> list[str]:
    return _WORD.findall(_LINK.sub(" ", text.casefold()))


def _words(pieces: Sequence[text_flow.Piece]) -> Counter[str]:
    return Counter(word for piece in pieces for word in _tokens(piece.text))


def _additions(plain: Sequence[text_flow.Piece], rich: Sequence[text_flow.Piece]) -> list[text_flow.Piece]:
    """Return the paragraphs of the plain form with a word that the rich one lacks or has less often."""
    words = _words(rich)
    missing = _words(plain) - words
    if not missing:
        return []
    parts: list[text_flow.Piece] = []
    rich_text = " ".join(("", *(word for piece in rich for word in _tokens(piece.text)), ""))
    checks = _CHECKS
    for piece in plain:
        for match in _PARAGRAPH.finditer(piece.text):
            tokens = _tokens(match.group())
            rarer = [token for token in tokens if token in missing]
            if not rarer:
                continue
            checks -= len(rich_text)
            is_new = any(token not in words for token in rarer)
            if is_new or checks < 0 or " ".join(("", *tokens, "")) not in rich_text:
                parts.append(piece.cut(*match.span()).strip())
    return parts
