"""Words and figures that every form of the report shares, and text that can do no harm.

Nothing here knows a file format. Escaping is the business of each form; what is done here is what all of them need:
characters that cannot be seen are written out, and places on the writer's computer are cut down to names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from core.domain import MARKS, Rating
from core.english import MONTHS
from core.text import and_list

RATING_WORDS: dict[Rating, str] = {
    "CC": "strongly consistent",
    "C": "consistent",
    "N": "neutral",
    "I": "inconsistent",
    "II": "strongly inconsistent",
    "NA": "does not bear",
}
FLAG_WORDS = {
    "all_NA": "bears on no hypothesis",
    "all_C": "consistent with every hypothesis, so it does not help to choose",
    "all_N": "neutral to every hypothesis, so it does not help to choose",
    "all_I": "inconsistent with every hypothesis: challenge it, or add the hypothesis that is missing",
    "uniform": "says the same about every hypothesis",
    "linchpin": "the conclusion depends on it",
    "circular": "shares its origin with other evidence; together they count once",
    "stale": "the page has changed since the quote was taken",
    "superseded": "older than a newer version of its document",
    "unchecked": "its words were read by OCR and are not yet checked against the page",
    "hidden": f"{MARKS['hidden']}: some of its words are not visible on the page",
    "struck": f"{MARKS['struck']}: a line runs through some of its words",
    "conflict": "is part of an unresolved conflict",
    "assumption": "an assumption, not an observation",
    "absence": "something expected that was searched for and not found",
    "deception": "its source may have been fed false information",
    "withdrawn": "withdrawn, as its document was erased: its ratings do not count",
}
# Kinds of change that could change who leads, in the order in which they are told.
LINCHPIN_WORDS = {
    "one_step": "one rating moved one step",
    "flip": "one rating turned to the opposite side",
    "remove": "one piece of evidence left out",
    "pair": "two pieces of evidence left out together",
    "source": "one source left out",
    "deception": "one source lying: all it says reversed",
    "grade": "everything graded worse than a mark left out",
    "drop_hypothesis": "one hypothesis dropped",
}
CONSIDERATION_WORDS = {
    "assumption": "Key assumptions",
    "premortem": "Why the conclusion may be wrong",
    "indicator": "What to watch for",
    "conflict": "What a merge could not settle",
}
LEVEL_WORDS = {"L": "low", "M": "medium", "H": "high", None: "not graded"}
KIND_WORDS = {"null": "null hypothesis", "deception": "deception hypothesis"}
DISPUTE_WORDS = {"consensus": "agree", "mild": "mild", "large": "large", "extreme": "extreme"}

# Admiralty grades. F and 6 say that nothing can be judged: they weigh like no grade at all, never like the worst.
RELIABILITY_WORDS = {
    "A": "completely reliable",
    "B": "usually reliable",
    "C": "fairly reliable",
    "D": "not usually reliable",
    "E": "unreliable",
    "F": "reliability cannot be judged",
}
INFORMATION_WORDS = {
    "1": "confirmed by other sources",
    "2": "probably true",
    "3": "possibly true",
    "4": "doubtful",
    "5": "improbable",
    "6": "truth cannot be judged",
}

# Words of estimative probability with the range each stands for, in per cent (ICD 203).
ICD_203 = (
    ("almost no chance", 1, 5),
    ("very unlikely", 5, 20),
    ("unlikely", 20, 45),
    ("roughly even chance", 45, 55),
    ("likely", 55, 80),
    ("very likely", 80, 95),
    ("almost certain", 95, 99),
)
# The rules as heads of narrow columns.
RULE_HEADS = {
    "weighted_inconsistency": "Weighted",
    "inconsistency_count": "Counted",
    "open_synthesis": "Squared",
    "arkham_count": "Cells against",
    "bayes": "Bayes",
}
# Formula and source of each rule, as printed under "How it was computed".
RULE_NOTES = {
    "weighted_inconsistency": "The default. Sum of 1 for I and 2 for II, times credibility and relevance (low 0.707, "
    "medium 1, high 1.414; not graded counts as medium). Consistent evidence never counts. PARC; Heuer's method.",
    "inconsistency_count": "The same without weights: 1 for I, 2 for II. PARC.",
    "open_synthesis": "Distance from neutral, squared: 1 for I, 4 for II. Open Synthesis.",
    "arkham_count": "The number of cells rated I or II, for comparison only. ArkhamMirror.",
    "bayes": "Second opinion. Posterior from equal priors with likelihoods CC .95, C .80, N and NA .50, I .20, II .05, "
    "as if all evidence were independent, which it seldom is. Schiller.",
}


# --- text that cannot do harm ----------------------------------------------------------------------------------------

# Fillers that are drawn as nothing although Unicode does not call them format characters.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
_PATH = re.compile(
    r"""file:/+[^\s"'<>]+ | (?<![\w.:/\\])(?:[A-Za-z]:[\\/]|\\\\|~?/(?=[^\s/]))[^\s"'<>|:*?]*[^\s"'<>|:*?.,;)\]]""",
    re.VERBOSE,
)


ID_BEHIND = re.compile("\u2002(\\([^()\u2002\n]{1,20}\\))")


def unseen(character: str) -> bool:
    """Return whether a character would leave no trace on paper, or would reorder what is around it."""
    if character in "\n\r\t\f":
        return False
    if unicodedata.category(character) in ("Cf", "Cc", "Cs", "Co", "Zl", "Zp") or character in _BLANKS:
        return True
    if ord(character) & 0xFFFE == 0xFFFE or "\ufdd0" <= character <= "\ufdef":
        return True  # no character at all; XML forbids some of them
    return "\U000e0100" <= character <= "\U000e01ef"


def visible(text: str) -> str:
    """Write every character that cannot be seen as ⟨U+202E⟩, runs of one as ⟨U+200B ×12⟩."""
    return "".join(mark(part) if unseen else part for unseen, part in runs(text))


def runs(text: str) -> Iterable[tuple[bool, str]]:
    """Cut ``text`` into (unseen, part): visible text in one piece, unseen characters in runs of the same one."""
    if (text.isascii() and text.isprintable()) or not any(map(unseen, set(text))):
        if text:
            yield False, text
        return
    start = 0
    for index in range(1, len(text) + 1):
        if index < len(text):
            odd = unseen(text[index])
            if odd == unseen(text[start]) and (not odd or text[index] == text[start]):
                continue
        yield unseen(text[start]), text[start:index]
        start = index


def mark(run: str) -> str:
    """Write a run of one unseen character as its code point."""
    times = f" ×{len(run)}" if len(run) > 1 else ""
    return f"⟨U+{ord(run[0]):04X}{times}⟩"


def without_paths(text: str) -> str:
    """Cut places on a computer down to the last name: nobody need know where the writer keeps files.

    Only for what the program says; words of documents and people are never changed.
    """
    return _PATH.sub(lambda match: "…/" + re.split(r"[\\/]", match.group().rstrip("\\/"))[-1], text)


def name_only(text: str) -> str:
    """Return a file name without its folder."""
    return re.split(r"[\\/]", text.rstrip("\\/"))[-1] or text


# --- words and figures -----------------------------------------------------------------------------------------------


def moment(text: str) -> str:
    """Write an ISO 8601 time as '21 November 2026, 04:15 UTC'; other text as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} UTC"


def stamp(text: str) -> str:
    """Write an ISO 8601 time as '2026-11-21 04:15' in UTC, for tables; other text as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{moment.astimezone(UTC) if moment.tzinfo else moment:%Y-%m-%d %H:%M}"


def day(text: str) -> str:
    """Write '2014-03-21' of a date with or without a time; other text, such as '2014' or '2014-03', as it is."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return text
    return text[:10] if len(text) > 10 and text[4] == "-" == text[7] else text


def figures(values: Iterable[float]) -> dict[float, str]:
    """Write every value with as many decimals as the column needs: none, two or three."""
    values = set(values)
    for decimals in (0, 2):
        if all(abs(value - round(value, decimals)) < 1e-9 for value in values):
            return {value: f"{value:.{decimals}f}" for value in values}
    return {value: f"{value:.3f}" for value in values}


def share(probability: float) -> str:
    """Write three decimals; never a certainty."""
    if probability < 0.005:
        return "<\u00a01\u00a0%"
    if probability >= 0.995:
        return ">\u00a099\u00a0%"
    return f"{probability:.3f}"


def outcome(leaders: Sequence[str], *, would: bool = False) -> str:
    """Return who leads; ``would``: who would."""
    if not leaders:
        return "no hypothesis would lead" if would else "no hypothesis leads"
    if len(leaders) == 1:
        return f"{leaders[0]} would lead" if would else f"{leaders[0]} leads"
    return f"{and_list(leaders)} {'would be' if would else 'are'} tied"


def likelihood_words(probability: float) -> str:
    """Return the ICD 203 word with its range: 'likely (55–80%)'. The scale has none for below 1 % and above 99 %."""
    percent = round(100 * probability, 9)
    for word, least, highest in ICD_203:
        # Each range owns its lower end below even, its upper end above it, so that p and 1 - p mirror each other.
        if percent < highest or (percent == highest and least >= 45):
            return f"{word} ({least}–{highest}%)"
    word, least, highest = ICD_203[-1]
    return f"{word} ({least}–{highest}%)"


def count(number: int, singular: str, many: str = "") -> str:
    """Write a number with its noun: '1 page', '2 pages'."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def sentence(text: str) -> str:
    """Write ``text`` with a capital first letter."""
    return text[:1].upper() + text[1:]


def behind(name: str, key: str) -> str:
    """Write a name with the id that it has in the case behind it; forms print what ``ID_BEHIND`` matches small."""
    return f"{name}\u2002({key})"


def brief(text: str, length: int) -> str:
    """Write ``text`` in one line of at most ``length`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def plain(text: object) -> str:
    """Write ``text`` for forms without marks of their own: unseen characters written out, line ends as newlines."""
    text_shown = visible(str(text))
    if text_shown.isprintable():
        return text_shown
    return re.sub(r"\r\n?|[\f\v\x85]", "\n", text_shown).replace("\t", " ")
