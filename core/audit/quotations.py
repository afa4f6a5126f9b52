"""The quotations of a report, looked up on the case's pages: verbatim, altered, or not found. Pure.

An ellipsis or a bracket divides a quotation into stretches that must be on one page in their order. Their omissions and
insertions make the quotation an altered one, unless they are harmless; the finding names them in both cases.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from core.audit.omissions import ELLIPSIS, at_edge, left_out
from core.domain import Page
from core.evidence import framing
from core.evidence.quotes import Answer, Match
from core.evidence.word_borders import places
from core.evidence.word_differences import Difference

Status = Literal["verified", "altered", "not_found"]

FEWEST_WORDS = 3  # shorter ones are terms and titles
_LONGEST_GAP = 1_500  # characters that an ellipsis may leave out

_MARKS = re.compile(
    r"“(?P<a>[^“”]{2,3000})”|„(?P<b>[^„“”]{2,3000})[“”]|«\s?(?P<c>[^«»]{2,3000}?)\s?»"
    r"|(?<![\w\"])\"(?P<d>[^\"]{2,3000})\"(?!\w)|(?<!\w)‘(?P<e>[^‘\n]{12,1500}?)’(?![\w’])"
    r"|(?<![\w'])'(?P<f>[^'\n]{20,600})'(?!\w)"
)
_DOTS = r"(?:(?:\.[ \u00a0\u2009]?){2,5}\.|\.{2,}|[…⋯‥]+\.?)"
_GAP = re.compile(rf"\s*(?:[\[(<{{]\s*(?:{_DOTS}|[-–—]+)\s*[\])>}}]|{_DOTS})\s*|\s*\[(?P<words>[^\[\]]{{1,200}})\]\s*")
_NO_WORDS = re.compile(
    r"\[\s*(?:sic|sic!|emphasis (?:added|mine|in (?:the )?original)|citations? omitted|footnotes? omitted)\s*\]"
    r"|\[\^[^\]\s]{1,20}\]",
    re.I,
)
_LETTER = re.compile(r"\[([A-Za-z])\](?=[a-z])")
_ENDS = re.compile(r"[\s.,;:!?]+$")
_SAYS_MARKED = re.compile(r"\b(?:struck|crossed|deleted|hidden|invisible|not visible)\b", re.I)
# Overrides of direction; and other characters that turn left-to-right text or show a blank inside a word.
_OVERRIDES = re.compile("[\u202d\u202e\u115f\u1160\u17b4\u17b5]")
_TURNS = re.compile("[\u202a\u202b\u202d\u202e\u2066-\u2068\u115f\u1160\u17b4\u17b5]")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words between quotation marks: text[start:end] of its paragraph, without the marks."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of looking up a quotation: its matches and its differences.

    The differences of a verified quotation are harmless omissions.
    """

    status: Status
    matches: tuple[Match, ...] = ()
    differences: tuple[Difference, ...] = ()


def extract(text: str) -> list[Quotation]:
    """List the quotations of a paragraph that are long enough to be somebody's words."""
    result = []
    for match in _MARKS.finditer(text):
        name = match.lastgroup or "a"
        words = match[name]
        if len(re.findall(r"\w+", words)) >= FEWEST_WORDS:
            result.append(Quotation(words, match.start(name), match.end(name)))
    return result


def surroundings(text: str, quotation: Quotation, start: int, end: int) -> tuple[str, str]:
    """Return the words around a quotation in its paragraph, and of these the ones of its sentence, text[start:end]."""
    prefix, suffix = text[: quotation.start], text[quotation.end :]
    return prefix + suffix, prefix[start:] + suffix[: max(0, end - quotation.end)]


def check(
    quotation: str,
    find: Callable[[str], Answer],
    page_of: Callable[[str, int], Page],
    *,
    context: str = "",
    sentence: str = "",
) -> Finding:
    """Look up a quotation.

    ``context`` are the report's own words in its paragraph, ``sentence`` those in its sentence: they may name the
    speaker, or report a denial.
    """
    words = _LETTER.sub(r"\1", _NO_WORDS.sub("", quotation)).strip()
    stretches, joints = _stretches(words)
    if not stretches:
        return Finding("not_found")
    finding = _as_it_stands(words, find) if any(joints) else None
    if finding is None:
        finding = _whole(stretches[0], find) if len(stretches) == 1 else _in_order(stretches, joints, find, page_of)
        finding = _with_ends(finding, joints[0], joints[-1], page_of)
    if finding.status != "verified":
        return finding
    frame = framing.left_out(finding.matches, page_of, context, sentence)
    if frame is not None:
        return Finding("altered", finding.matches, (*finding.differences, frame))
    question = _asked(words, finding.matches, page_of)
    looks = [*filter(None, [question]), *_other_looks(words, finding.matches), *_marks(finding.matches, context)]
    return Finding("altered", finding.matches, (*finding.differences, *looks)) if looks else finding


def _stretches(words: str) -> tuple[list[str], list[str]]:
    """Return the stretches of a quotation, and the brackets or dots before, between and after them."""
    stretches, joints, joint, position = [], [], "", 0
    for match in [*_GAP.finditer(words), None]:
        piece = words[position : match.start()] if match else words[position:]
        if re.search(r"\w", piece):
            stretches.append(piece)
            joints.append(joint)
            joint = ""
        if match:
            joint = f"{joint}, {match['words']}" if joint and match["words"] else match["words"] or joint or ELLIPSIS
            joint = joint.removeprefix(f"{ELLIPSIS}, ")
            position = match.end()
    return stretches, [*joints, joint]


def _as_it_stands(words: str, find: Callable[[str], Answer]) -> Finding | None:
    """Look up a quotation whose dots and brackets may be those of the page."""
    answer = find(words)
    return Finding("verified", answer.matches) if answer.status == "verified" else None


def _with_ends(finding: Finding, head: str, tail: str, page_of: Callable[[str, int], Page]) -> Finding:
    """Add the words in brackets at the beginning or end of a quotation, with the page's words in their place."""
    if finding.status == "not_found" or not finding.matches:
        return finding
    match = finding.matches[0]
    text = page_of(match.document, match.page).text
    low, high = framing.sentence_around(text, match.start, match.end)
    ends = [(low, match.start, head), (match.end, high, tail)]
    candidates = [at_edge(text, *end) for end in ends if end[2] and end[2] != ELLIPSIS]
    differences = tuple(difference for difference in candidates if difference is not None)
    return Finding("altered", finding.matches, (*finding.differences, *differences)) if differences else finding


def _whole(words: str, find: Callable[[str], Answer]) -> Finding:
    """Look up one stretch; a final full stop or comma and an initial capital may be the report's own."""
    best: Answer | None = None
    for form in _forms(words):
        answer = find(form)
        if answer.status == "verified":
            return Finding("verified", answer.matches)
        if answer.status == "near" and (best is None or answer.matches[0].score > best.matches[0].score):
            best = answer
    if best is None:
        return Finding("not_found")
    return Finding("altered", best.matches, best.matches[0].differences)


def _forms(words: str) -> list[str]:
    trimmed = _ENDS.sub("", words).strip()
    forms = [words.strip(), trimmed]
    if len(trimmed) > 1 and trimmed[0].isalpha() and not trimmed[1].isupper():
        forms.append(trimmed[0].swapcase() + trimmed[1:])
    return list(dict.fromkeys(form for form in forms if form))


def _in_order(
    stretches: Sequence[str], joints: Sequence[str], find: Callable[[str], Answer], page_of: Callable[[str, int], Page]
) -> Finding:
    """Look up stretches in order on one page, and judge the omissions between them."""
    anchor = max(range(len(stretches)), key=lambda index: (len(stretches[index]), -index))
    head = _whole(stretches[anchor], find)
    if head.status != "verified":
        return head
    outcome: Finding | None = None
    for match in head.matches:
        if match.more:
            continue
        page = page_of(match.document, match.page)
        spans = _around(stretches, anchor, (match.start, match.end), page.text)
        if spans is None:
            continue
        start, end = spans[0][0], spans[-1][1]
        match_found = Match(match.document, match.page, start, end, page.text[start:end])
        omissions, is_harmless = _omissions(page.text, spans, joints)
        if is_harmless:
            return Finding("verified", (match_found,), omissions)
        outcome = outcome or Finding("altered", (match_found,), omissions)
    if outcome is not None:
        return outcome
    missing = next((words for index, words in enumerate(stretches) if index != anchor), "")
    for stretch in stretches:
        part_finding = _whole(stretch, find)
        if part_finding.status != "verified":
            # A near stretch is the alteration; one that is not found is shown as missing.
            differences = part_finding.differences or (Difference(stretch.strip(), "", "word"),)
            return Finding("altered", part_finding.matches or head.matches, differences)
    return Finding("altered", head.matches, (Difference(missing.strip(), "", "word"),))


def _around(stretches: Sequence[str], anchor: int, place: tuple[int, int], text: str) -> list[tuple[int, int]] | None:
    """Return the places of all stretches around the placed one, in order; None if one has no place."""
    spans = [place]
    for stretch in reversed(stretches[:anchor]):
        earlier = [span for form in _forms(stretch) for span in places(form, text) if span[1] <= spans[0][0]]
        if not earlier or spans[0][0] - max(earlier)[1] > _LONGEST_GAP:
            return None
        spans.insert(0, max(earlier))
    for stretch in stretches[anchor + 1 :]:
        later = [span for form in _forms(stretch) for span in places(form, text) if span[0] >= spans[-1][1]]
        if not later or min(later)[0] - spans[-1][1] > _LONGEST_GAP:
            return None
        spans.append(min(later))
    return spans


def _omissions(
    text: str, spans: Sequence[tuple[int, int]], joints: Sequence[str]
) -> tuple[tuple[Difference, ...], bool]:
    """Return the omissions between stretches, and whether all of them are harmless."""
    omissions, is_harmless = [], True
    for joint, (left, right) in zip(joints[1:], pairwise(spans), strict=False):
        difference, is_irrelevant = left_out(text, left[1], right[0], "" if joint == ELLIPSIS else joint)
        is_harmless &= is_irrelevant
        if difference is not None:
            omissions.append(difference)
    return tuple(omissions), is_harmless


def _asked(words: str, matches: Sequence[Match], page_of: Callable[[str, int], Page]) -> Difference | None:
    """Return the question mark that every place of a quotation ends with and the quotation lacks."""
    if "?" in words[-3:]:
        return None
    for match in matches:
        following = page_of(match.document, match.page).text[match.end : match.end + 3]
        if not re.match(r"\s?[?\uff1f]", following) and not match.text.rstrip().endswith("?"):
            return None
    return Difference(".", "?", "word") if matches else None


def turns(text: str) -> str:
    """Return the characters of a text that change its displayed order or show blanks: overrides, blank letters.

    In a right-to-left script, embeddings and isolates are only typesetting.
    """
    is_leftward = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    return "".join((_OVERRIDES if is_leftward else _TURNS).findall(text))


def _other_looks(words: str, matches: Sequence[Match]) -> list[Difference]:
    """Return the display characters in which a quotation differs from all its places."""
    own_turns = turns(words)
    page_turns = [turns(match.text) for match in matches]
    if not page_turns or any(own_turns == row or (not own_turns and not _OVERRIDES.search(row)) for row in page_turns):
        return []
    return [Difference(_codes(own_turns), _codes(page_turns[0]), "word")]


def _marks(matches: Sequence[Match], context: str) -> list[Difference]:
    """Return the marks of a quotation whose places are all struck through or hidden, unless the report mentions it."""
    if not matches or not all(match.doubts for match in matches) or _SAYS_MARKED.search(context):
        return []
    return [Difference("", " and ".join(matches[0].doubts), "word")]


def _codes(characters: str) -> str:
    return " ".join(f"U+{ord(c):04X}" for c in characters)
