"""Subtitles (SubRip, WebVTT, Advanced SubStation): what is said, each sentence with the time in which it is shown."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from core.domain import LeftOut
from core.engines.readers import plain_text

_CLOCK = r"(?:\d{1,3}:)?\d{1,2}:\d\d[.,:]\d{1,3}"
_TIMES = re.compile(rf"[ \t]*({_CLOCK})[ \t]*-->[ \t]*({_CLOCK})[^\n]*$")
_TAG = re.compile(r"</?(?:[bicu]|ruby|rt|lang|font|s)\b[^>\n]*>|<\d[\d:.]*>|\{\\[^}\n]*\}")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?\s+([^>\n]+)>|</v>")
# Parts of a SubStation file that say how it is shown, and events that are no dialogue.
_SETTINGS = {
    "ScriptType", "PlayResX", "PlayResY", "PlayDepth", "LayoutResX", "LayoutResY", "WrapStyle", "Collisions", "Timer",
    "ScaledBorderAndShadow", "YCbCr Matrix", "Kerning", "Last Style Storage", "Video Aspect Ratio", "Video Zoom",
    "Video Position", "Scroll Position", "Active Line",
}  # fmt: skip
_EVENTS = {
    "Comment": "comment", "Picture": "picture that is not in the file", "Sound": "sound that is not in the file",
    "Movie": "film that is not in the file", "Command": "command to another program",
}  # fmt: skip
_LOOKS = {
    "fonts": "line of an embedded font", "graphics": "line of an embedded picture",
    "aegisub project garbage": "setting", "aegisub extradata": "setting",
}  # fmt: skip
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
    ledger: Counter[str] = Counter()
    cues = list(_cues(text, notes, ledger))
    lines = [*notes, *_lines(cues)]
    return "", "\n".join(lines), _left_out(ledger)


def _left_out(ledger: Counter[str]) -> list[LeftOut]:
    return [LeftOut(what, count, "subtitles") for what, count in ledger.items()]


def _cues(text: str, notes: list[str], ledger: Counter[str]) -> Iterator[Cue]:
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
            if pending and not pending[-1].startswith("NOTE"):
                ledger += Counter({"name of a cue": int(not pending.pop().isdecimal())})
            notes += _notes(pending, ledger)
            times, content, pending = match, [], []
        elif times is not None and line:
            content.append(line)
        elif times is not None:
            yield from cue()
            times, content = None, []
        elif line:
            pending.append(line)
        elif pending and not pending[0].isdigit():
            notes += _notes(pending, ledger)
            pending = []
    yield from cue()
    notes += _notes(pending, ledger)


def _notes(lines: list[str], ledger: Counter[str]) -> list[str]:
    if lines and lines[0] in ("STYLE", "REGION"):  # how it looks
        ledger["style"] += 1
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
    """Read a SubStation file: its title, what it says of itself, its dialogue, and a count of everything else."""
    title, section = "", ""
    lines: list[str] = []
    columns = ["layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text"]
    cues: list[Cue] = []
    ledger: Counter[str] = Counter()
    for raw in text.split("\n"):
        line = raw.strip()
        key, _, value = line.partition(":")
        if line.startswith("["):
            section = line.strip("[]").lower()
        elif section == "script info" and key == "Title":
            title = value.strip()
        elif line.startswith((";", "!:")):
            ledger["comment"] += 1
        elif section == "script info" and key in _SETTINGS:
            ledger["setting"] += 1
        elif section == "events" and key == "Format":
            columns = [column.strip().lower() for column in value.split(",")]
        elif section == "events" and key in _EVENTS:
            ledger[_EVENTS[key]] += 1
        elif section in _LOOKS or section.endswith("styles"):
            ledger[_LOOKS.get(section, "style")] += bool(line)
        elif section != "events" or key != "Dialogue":
            lines += filter(None, [line])
        else:
            fields = dict(zip(columns, value.strip().split(",", len(columns) - 1), strict=False))
            content = fields.get("text", "")
            if re.search(r"\{[^}]*\\p[1-9]", content):
                ledger["drawing"] += 1
                continue
            effect = fields.get("effect", "").strip()
            ledger["effect of a line"] += bool(effect)
            content = re.sub(r"\\[Nnh]", " ", re.sub(r"\{\\[^}]*\}", "", content))
            words = " ".join(plain_text.clean(content).split())
            if words:
                cues.append(Cue(fields.get("start", ""), fields.get("end", ""), words, fields.get("name", "").strip()))
    return title, "\n".join([*lines, *_lines(cues)]), _left_out(+ledger)
