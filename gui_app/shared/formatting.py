"""How the window words what the core names: verdicts, statuses, sizes, dates, counts."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise

from core.domain import Attribution, Label, Level, Rating
from core.formats import BY_KIND
from core.text import blocks
from core.text import counted as counted  # what a screen says is worded here

LINE_BREAK = "\u2028"  # of Qt, within a paragraph

VERDICTS: dict[Label, str] = {  # of a clue, which seldom proves or disproves
    "supports": "speaks for",
    "contradicts": "speaks against",
    "neutral": "neutral",
    "ambiguous": "ambiguous",
}
RATING_WORDS: dict[Rating, str] = {
    "CC": "very consistent",
    "C": "consistent",
    "N": "neutral",
    "I": "inconsistent",
    "II": "very inconsistent",
    "NA": "not applicable",
}
LEVELS: dict[Level, str] = {"L": "Low", "M": "Medium", "H": "High"}
CERTAINTIES: dict[Level, str] = {"L": "unsure", "M": "likely", "H": "sure"}
# The Admiralty scale. F and 6 say that nothing can be judged; they are not the worst grades.
RELIABILITY = {
    "A": "Completely reliable",
    "B": "Usually reliable",
    "C": "Fairly reliable",
    "D": "Not usually reliable",
    "E": "Unreliable",
    "F": "Reliability cannot be judged",
}
INFORMATION = {
    "1": "Confirmed by other sources",
    "2": "Probably true",
    "3": "Possibly true",
    "4": "Doubtful",
    "5": "Improbable",
    "6": "Truth cannot be judged",
}
STATUSES = {
    "ready": "ready",
    "needs_ocr": "no text (needs OCR)",
    "reading": "being read",
    "failed": "could not be read",
    "removed": "removed",
    "added": "added",
    "duplicate": "duplicate",
}


def attribution_words(attribution: Attribution) -> str:
    """Return where a field of a document was read and how sure it is: 'line 3', 'file properties (unsure)'."""
    sure = CERTAINTIES[attribution.certainty]
    return attribution.where if sure == "sure" else f"{attribution.where} ({sure})"


def kind_of(kind: str) -> str:
    """Call a file type as a person does."""
    row = BY_KIND.get(kind)
    return row.label if row is not None else kind.upper()


def flowing(text: str) -> str:
    """Take out the line breaks that only a page's width made; empty lines and the lines of logs and tables stay."""
    return "\n\n".join(
        "\n".join(" ".join(part[block.start : block.end].split()) for block in blocks(part))
        for part in re.split(r"\n\s*\n", text.strip())
        if part.strip()
    )


def own_lines(text: str) -> str:
    """Put a blank in place of each white space, and a line break of Qt where a log, a list or a table breaks its lines.

    One character stays one character, so places stay.
    """
    characters = [" " if char.isspace() else char for char in text]
    for block, following in pairwise(blocks(text)):
        # The last of them, so that no line begins with the blank of an empty one.
        if (offset := text.rfind("\n", block.end, following.start)) >= 0:
            characters[offset] = LINE_BREAK
    return "".join(characters)


def file_size(size: int) -> str:
    """Word a size in bytes as a person reads it: '312 B', '4.1 kB', '12 MB'."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 999.5 or unit == "GB":
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"
    return f"{size} B"


def lasting(seconds: float) -> str:
    """Word a length of time: '12.3 s', '32 min', '2 h 5 min'."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def when(stamp: str) -> str:
    """Word an ISO time in UTC as local date and minute; return the text itself when it is not one."""
    try:
        return datetime.fromisoformat(stamp.replace("Z", "+00:00")).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return stamp


def spoken(stamp: str) -> str:
    """Word the day in prose, or the time where it is today or yesterday: 'today at 14:02', '3 May 2021'."""
    try:
        moment = datetime.fromisoformat(stamp.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return stamp
    days = (datetime.now().astimezone().date() - moment.date()).days
    if days == 0:
        return f"today at {moment:%H:%M}"
    if days == 1:
        return f"yesterday at {moment:%H:%M}"
    return f"{moment.day} {moment:%B %Y}"


def spoken_time(stamp: str) -> str:
    """Word day and minute in prose: 'today at 14:02', '3 May 2021 at 14:02'."""
    text = spoken(stamp)
    return text if " at " in text or text == stamp else f"{text} at {when(stamp)[-5:]}"


def ago(stamp: str) -> str:
    """Return how long ago, roughly: 'just now', '5 minutes ago'; '' for what is no time, or lies ahead."""
    try:
        seconds = (datetime.now().astimezone() - datetime.fromisoformat(stamp.replace("Z", "+00:00"))).total_seconds()
    except ValueError:
        return ""
    if seconds < 0:
        return ""
    for unit, length in (("year", 31_557_600), ("month", 2_629_800), ("week", 604_800), ("day", 86_400)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}s ago"
    for unit, length in (("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} ago"
    return "just now"
