"""Subtitles (SubRip, WebVTT, Advanced SubStation): what is said, each sentence with the time in which it is shown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.domain import LeftOut
from core.engines.readers import plain_text

_CLOCK = r"(?:\d{1,3}:)?\d{1,2}:\d\d[.,:]\d{1,3}"
_TIMES = re.compile(rf"[ \t]*({_CLOCK})[ \t]*-->[ \t]*({_CLOCK})[^\n]*$")
_TAG = re.compile(r"</?(?:[bicu]|ruby|rt|lang|font|s)\b[^>\n]*>|<\d[\d:.]*>|\{\\[^}\n]*\}")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?\s+([^>\n]+)>|</v>")
_CUE, _PAUSE = 400, 3.0  # characters of a joined line; seconds between two cues that are one sentence


@dataclass(frozen=True, slots=True)
class Cue:
    """A text with its first and last moment, as they are written, and who says it."""

    start: str
    end: str
    text: str
    speaker: str = ""


def looks_like(head: str) -> bool:
    """Return whether a text begins as subtitles do."""
    lines = [line for line in head.lstrip("\ufeff").split("\n", 12)[:12] if line.strip()]
    if lines and re.match(r"WEBVTT(?:\s|$)", lines[0]):
        return "-->" in head
    if lines and lines[0].strip().lower() == "[script info]":
        return True
    return any(_TIMES.match(line) for line in lines[:2])


def read(text: str) -> tuple[str, str, list[LeftOut]]:
    """Return the title, the text and what is left out of subtitles."""
    if re.match(r"\ufeff?\s*\[script info\]", text, re.IGNORECASE):
        return _substation(text)
    notes: list[str] = []
    cues = list(_cues(text, notes))
    lines = [*notes, *_lines(cues)]
    return "", "\n".join(lines), []


def _cues(text: str, notes: list[str]) -> Iterator[Cue]:
    times: re.Match[str] | None = None
    content: list[str] = []
    pending: list[str] = []  # lines of no cue yet: a number, a name, a note
    previous: list[str] = []

    def cue() -> Iterator[Cue]:
        nonlocal previous
        if times is None:
            return
        lines = content
        # Captions that roll show the last line once more above the next.
        again = next((n for n in range(len(lines), 0, -1) if previous[-n:] == lines[:n]), 0) if previous else 0
        previous = lines or previous
        yield from _voices(times.group(1), times.group(2), lines[again:])

    for raw in [*text.split("\n"), ""]:
        line = raw.strip()
        match = _TIMES.match(raw)
        if match:
            # In a file without empty lines the number of the next cue ends the one before.
            if times is not None and content and re.fullmatch(r"\d+", content[-1]):
                content.pop()
            yield from cue()
            notes += _notes(pending[:-1] if pending and not pending[-1].startswith("NOTE") else pending)
            times, content, pending = match, [], []
        elif times is not None and line:
            content.append(line)
        elif times is not None:
            yield from cue()
            times, content = None, []
        elif line:
            pending.append(line)
        elif pending and not pending[0].isdigit():
            notes += _notes(pending)
            pending = []
    yield from cue()
    notes += _notes(pending)


def _notes(lines: list[str]) -> list[str]:
    if not lines or lines[0] in ("STYLE", "REGION"):  # how it looks
        return []
    text = " ".join(lines)
    text = re.sub(r"^WEBVTT\b[ \t-]*", "", text)
    return [text] if text and not text.isdigit() else []


def _voices(start: str, end: str, lines: list[str]) -> Iterator[Cue]:
    """Yield a cue for each voice of a cue."""
    text = "\n".join(lines)
    start_of_text, speaker = 0, ""
    for match in _VOICE.finditer(text):
        yield from _cue(start, end, text[start_of_text : match.start()], speaker)
        start_of_text, speaker = match.end(), (match.group(1) or "").strip()
    yield from _cue(start, end, text[start_of_text:], speaker)


def _cue(start: str, end: str, text: str, speaker: str) -> Iterator[Cue]:
    words = " ".join(html.unescape(_TAG.sub("", text)).split())
    if words:
        yield Cue(start, end, words, speaker)


def _lines(cues: list[Cue]) -> Iterator[str]:
    """Join the cues of one sentence; a line begins with its first and last moment."""
    group: list[Cue] = []
    for cue in cues:
        if group and _apart(group, cue):
            yield _line(group)
            group = []
        group.append(cue)
    if group:
        yield _line(group)


def _apart(group: list[Cue], cue: Cue) -> bool:
    last = group[-1]
    return (
        last.speaker != cue.speaker
        or last.text.rstrip("\"'”’»)]♪ ").endswith((".", "!", "?", "…", "。", "？", "！"))
        or cue.text.startswith(("-", "–", "—", "[", "("))
        or not -0.5 <= _seconds(cue.start) - _seconds(last.end) <= _PAUSE
        or sum(len(item.text) for item in group) > _CUE
    )


def _line(group: list[Cue]) -> str:
    who = f"{group[0].speaker}: " if group[0].speaker else ""
    return f"[{group[0].start} – {group[-1].end}] {who}{' '.join(cue.text for cue in group)}"


def _seconds(clock: str) -> float:
    parts = [float(part) for part in re.split(r"[:]", clock.replace(",", "."))]
    return sum((part * 60.0**power for power, part in enumerate(reversed(parts))), 0.0)


def _substation(text: str) -> tuple[str, str, list[LeftOut]]:
    """Read a SubStation file: its title, its dialogue, and a count of comments and of drawings."""
    title, section, lines = "", "", []
    columns = ["layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text"]
    cues: list[Cue] = []
    comments = drawings = 0
    for raw in text.split("\n"):
        line = raw.strip()
        key, _, value = line.partition(":")
        if line.startswith("["):
            section = line.strip("[]").lower()
        elif section == "script info" and key == "Title":
            title = value.strip()
        elif section == "script info" and key.startswith(("Original", "Script Updated", "Update Details")):
            lines.append(line)
        elif line.startswith(";"):
            comments += 1
        elif section == "events" and key == "Format":
            columns = [column.strip().lower() for column in value.split(",")]
        elif section == "events" and key == "Comment":
            comments += 1
        elif section == "events" and key == "Dialogue":
            fields = dict(zip(columns, value.strip().split(",", len(columns) - 1), strict=False))
            content = fields.get("text", "")
            if re.search(r"\{[^}]*\\p[1-9]", content):
                drawings += 1
                continue
            content = re.sub(r"\\[Nnh]", " ", re.sub(r"\{\\[^}]*\}", "", content))
            words = " ".join(plain_text.clean(content).split())
            if words:
                cues.append(Cue(fields.get("start", ""), fields.get("end", ""), words, fields.get("name", "").strip()))
    left_out = [
        LeftOut(what, count, "subtitles") for what, count in (("comment", comments), ("drawing", drawings)) if count
    ]
    return title, "\n".join([*lines, *_lines(cues)]), left_out
