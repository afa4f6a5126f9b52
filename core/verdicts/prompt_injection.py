"""Words in a document that speak to a reader or a model rather than about the matter.

Fixed rules: orders about orders or verdicts, speech to a model, the costume of a prompt, the form of an answer, control
words, invisible tags, the same behind base64. A mark for a person to look at; it decides nothing and removes nothing.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core import paths

SAID = "the passage contains text addressed to a reader or a model"  # how an explanation begins to tell of it
LONGEST_SHOWN = 60  # characters of the words in question


@dataclass(frozen=True, slots=True)
class InjectionFinding:
    """A span of a text and why it is suspected."""

    start: int
    end: int
    reason: str


def _rules() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the patterns of the lexicon, each with what it is suspected of."""
    lexicon = tomllib.loads((paths.RESOURCES / "lexicon" / "injection.toml").read_text("utf-8"))
    for reason, patterns in lexicon["suspected"].items():
        for pattern in map(_in_one_line, patterns):
            for name, part in lexicon["names"].items():
                pattern = pattern.replace(f"<{name}>", _in_one_line(part))
            yield reason, re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def _in_one_line(pattern: str) -> str:
    return "".join(map(str.strip, pattern.splitlines()))


_RULES = tuple(_rules())
# A sentence that begins so says what to answer: it is nothing that its document states.
_ORDER = re.compile(
    r"\W*(?:(?:please|always|now|then|just|you must|you should)\s+)*(?:answer|respond|reply|say|state)\s+"
    r"(?:only\s+)?(?:that|with|yes|no)\b",
    re.IGNORECASE,
)
_TAGS = re.compile("[\U000e0001-\U000e007f]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_ENCODED = re.compile(r"\b[A-Za-z0-9+/]{40,}={0,2}")


@functools.lru_cache(maxsize=1_000)  # a passage is looked at for every hypothesis
def find(text: str) -> tuple[InjectionFinding, ...]:
    """Find what of ``text`` is suspected, in order; of spans that overlap the first and longest is kept."""
    candidates = [
        InjectionFinding(match.start(), match.end(), "invisible tag characters") for match in _TAGS.finditer(text)
    ]
    for plain, places in _readings(text):
        for reason, start, end in _matches(plain):
            candidates.append(InjectionFinding(places[start], places[end - 1] + 1, reason))
    findings: list[InjectionFinding] = []
    for finding in sorted(candidates, key=lambda finding: (finding.start, -finding.end, finding.reason)):
        if not findings or finding.start >= findings[-1].end:
            findings.append(finding)
    return tuple(findings)


def is_order(text: str, start: int, findings: Sequence[InjectionFinding]) -> bool:
    """Return whether a sentence orders what to say, or is suspected.

    It begins at ``start`` of the text that ``findings`` are of.
    """
    end = start + len(text)
    return bool(_ORDER.match(text)) or any(finding.start < end and finding.end > start for finding in findings)


def sentence(text: str, findings: Sequence[InjectionFinding]) -> str:
    """Word the first of ``findings`` for an explanation; '' when there is none."""
    if not findings:
        return ""
    words = " ".join(_printable(text[findings[0].start : findings[0].end]).split())
    if len(words) > LONGEST_SHOWN:
        words = words[: LONGEST_SHOWN - 1].rstrip() + "…"
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    return f"{SAID} ({findings[0].reason}" + (f": “{words}”" if words else "") + f"{more})"


def _printable(text: str) -> str:
    return "".join(mark if mark.isprintable() else " " for mark in _TAGS.sub("", text))


def _readings(text: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the text as an eye reads it, with its lines and with them run together, and where each character is."""
    characters: list[str] = []
    places: list[int] = []
    for offset, mark in enumerate(text):
        if _INVISIBLE.match(mark):
            continue
        for plain in mark if mark.isascii() else unicodedata.normalize("NFKC", mark):
            if plain in " \t" and characters and characters[-1] == " ":
                continue
            characters.append(" " if plain == "\t" else plain)
            places.append(offset)
    lines = "".join(characters)
    yield lines, places
    if "\n" in lines:
        # Runs of white space that hold a line break, between two words, are one space.
        joined_lines: list[str] = []
        standing: list[int] = []
        start = 0
        for gap in re.finditer(r"(?<=\S)\s*\n\s*(?=\S)", lines):
            joined_lines += [lines[start : gap.start()], " "]
            standing += [*places[start : gap.start()], places[gap.start()]]
            start = gap.end()
        yield "".join([*joined_lines, lines[start:]]), standing + places[start:]


def _matches(plain: str) -> Iterator[tuple[str, int, int]]:
    for reason, pattern in _RULES:
        for match in pattern.finditer(plain):
            words = match[0].lstrip(" \n.,!?:;")  # a rule may begin with the end of the sentence before
            if words:
                yield reason, match.end() - len(words), match.end()
    for match in _ENCODED.finditer(plain):
        with_padding = match[0].rstrip("=") + "=" * (-len(match[0].rstrip("=")) % 4)
        try:
            plain_text = base64.b64decode(with_padding, validate=True).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if any(pattern.search(plain_text) for _, pattern in _RULES):
            yield "an order hidden in base64", match.start(), match.end()
