"""The quotations of a report, and whether the case's pages say so: word for word, altered, or nowhere. Pure.

An ellipsis or a bracket divides a quotation into stretches that must stand on one page in their order. What they leave
out must not change what is said: a denial, a doubt or an exception that is hidden inside a sentence makes the quotation
an altered one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from core.domain import Page
from core.evidence import quotes
from core.evidence.quotes import Answer, Match
from core.evidence.word_borders import places
from core.evidence.word_differences import Difference
from core.text import NEGATIONS, normalise

Status = Literal["verified", "altered", "not_found"]

FEWEST_WORDS = 3  # shorter ones are terms and titles
_LONGEST_GAP = 1_500  # characters that an ellipsis may leave out

_MARKS = re.compile(
    r"“(?P<a>[^“”]{2,3000})”|„(?P<b>[^„“”]{2,3000})[“”]|«\s?(?P<c>[^«»]{2,3000}?)\s?»"
    r"|(?<![\w\"])\"(?P<d>[^\"]{2,3000})\"(?!\w)|(?<!\w)‘(?P<e>[^‘\n]{12,1500}?)’(?![\w’])"
    r"|(?<![\w'])'(?P<f>[^'\n]{20,600})'(?!\w)"
)
_GAP = re.compile(
    r"\s*(?:\[\s*(?:\.{3}|…|\. \. \.)\s*\]|\(\s*(?:\.{3}|…)\s*\)|(?:\. ){2,3}\.|\.{3,4}|…)\s*"
    r"|\s*\[(?P<words>[^\[\]]{2,80})\]\s*"
)
_NO_WORDS = re.compile(
    r"\[\s*(?:sic|sic!|emphasis (?:added|mine|in (?:the )?original)|citations? omitted|footnotes? omitted)\s*\]", re.I
)
_LETTER = re.compile(r"\[([A-Za-z])\](?=[a-z])")
_ENDS = re.compile(r"[\s.,;:!?]+$")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s)")
_CHANGES = NEGATIONS | {
    *("unless", "except", "excepting", "hardly", "barely", "scarcely", "rarely", "seldom", "allegedly", "alleged"),
    *(
        "supposedly",
        "reportedly",
        "perhaps",
        "possibly",
        "maybe",
        "might",
        "may",
        "could",
        "unlikely",
        "if",
        "although",
    ),
    *(
        "however",
        "but",
        "only",
        "false",
        "falsely",
        "untrue",
        "nearly",
        "almost",
        "probably",
        "apparently",
        "seemingly",
    ),
}
_DENIAL_BEFORE = re.compile(
    r"\b(?:not (?:true|the case|certain|clear|proven|established|so)|no (?:evidence|proof|indication|sign)"
    r"|den(?:y|ies|ied)|false(?:ly)?|untrue"
    r"|refut\w+|never (?:said|claimed|stated)|(?:did|do|does) not (?:say|claim|state|believe|think))\b[^.;!?]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words between quotation marks: text[start:end] of its paragraph, without the marks."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of looking for a quotation: where it stands, and what differs."""

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


def check(
    quotation: str, find: Callable[[str], Answer], page_of: Callable[[str, int], Page], *, around: str = ""
) -> Finding:
    """Look a quotation up. ``around`` are the report's own words about it, which may say that it was denied."""
    words = _LETTER.sub(r"\1", _NO_WORDS.sub("", quotation)).strip()
    stretches, inserts = _stretches(words)
    insertions = [Difference(text, "", "word") for text in inserts if _CHANGES & _folded(text)]
    stretches = [stretch for stretch in stretches if re.search(r"\w", stretch)]
    if not stretches:
        return Finding("not_found")
    finding = _whole(stretches[0], find) if len(stretches) == 1 else _in_order(stretches, find, page_of)
    if insertions and finding.status == "verified":
        finding = Finding("altered", finding.matches, tuple(insertions))
    if finding.status == "verified" and not _DENIAL_BEFORE.search(around):
        denial = _denied_before(finding.matches, page_of)
        if denial is not None:
            return Finding("altered", finding.matches, (denial,))
    return finding


def _stretches(words: str) -> tuple[list[str], list[str]]:
    stretches, inserts, at = [], [], 0
    for match in _GAP.finditer(words):
        stretches.append(words[at : match.start()])
        if match["words"]:
            inserts.append(match["words"])
        at = match.end()
    return [*stretches, words[at:]], inserts


def _whole(words: str, find: Callable[[str], Answer]) -> Finding:
    """Look up one stretch; a full stop or comma at its end is the report's own, and so is a capital at its start."""
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
    bare = _ENDS.sub("", words).strip()
    forms = [words.strip(), bare]
    if len(bare) > 1 and bare[0].isalpha() and not bare[1].isupper():
        forms.append(bare[0].swapcase() + bare[1:])
    return list(dict.fromkeys(form for form in forms if form))


def _in_order(stretches: Sequence[str], find: Callable[[str], Answer], page_of: Callable[[str, int], Page]) -> Finding:
    """Look for stretches that follow each other on one page, and judge what stands between them."""
    anchor = max(range(len(stretches)), key=lambda at: (len(stretches[at]), -at))
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
        whole = Match(match.document, match.page, spans[0][0], spans[-1][1], page.text[spans[0][0] : spans[-1][1]])
        gaps = [(one[1], other[0]) for one, other in pairwise(spans)]
        omissions = [one for gap in gaps if (one := _hidden(page.text, *gap)) is not None]
        if not omissions:
            return Finding("verified", (whole,))
        outcome = outcome or Finding("altered", (whole,), tuple(omissions))
    if outcome is not None:
        return outcome
    missing = next((one for at, one in enumerate(stretches) if at != anchor), "")
    for stretch in stretches:
        each = _whole(stretch, find)
        if each.status != "verified":
            # A stretch that is near is the alteration; one that is nowhere is shown as missing.
            differences = each.differences or (Difference(stretch.strip(), "", "word"),)
            return Finding("altered", each.matches or head.matches, differences)
    return Finding("altered", head.matches, (Difference(missing.strip(), "", "word"),))


def _around(stretches: Sequence[str], anchor: int, place: tuple[int, int], text: str) -> list[tuple[int, int]] | None:
    """Return the places of all stretches around one that is placed, in their order; None where they have none."""
    spans = [place]
    for stretch in reversed(stretches[:anchor]):
        before = [span for form in _forms(stretch) for span in places(form, text) if span[1] <= spans[0][0]]
        if not before or spans[0][0] - max(before)[1] > _LONGEST_GAP:
            return None
        spans.insert(0, max(before))
    for stretch in stretches[anchor + 1 :]:
        behind = [span for form in _forms(stretch) for span in places(form, text) if span[0] >= spans[-1][1]]
        if not behind or min(behind)[0] - spans[-1][1] > _LONGEST_GAP:
            return None
        spans.append(min(behind))
    return spans


def _hidden(text: str, start: int, end: int) -> Difference | None:
    """Tell what an ellipsis leaves out that changes what is said, inside the sentences that it cuts."""
    between = text[start:end]
    ends = [match.end() for match in _SENTENCE_END.finditer(text[max(0, start - 1) : end + 1])]
    offset = max(0, start - 1)
    parts = [text[start : offset + ends[0]], text[offset + ends[-1] : end]] if ends else [between]
    for part in parts:
        changes = sorted(_CHANGES & _folded(part))
        if changes:
            line = " ".join(part.split())
            return Difference("…", line, "negation" if set(changes) & NEGATIONS else "word")
    return None


def _denied_before(matches: Sequence[Match], page_of: Callable[[str, int], Page]) -> Difference | None:
    """Return the words before a quotation, in its sentence on the page, that deny it; None where one place has none."""
    first = None
    for match in matches:
        text = page_of(match.document, match.page).text
        low = max(0, match.start - 200)
        before = text[low : match.start]
        ends = [end.end() for end in _SENTENCE_END.finditer(before)]
        before = before[ends[-1] :] if ends else before
        if "\n\n" in before:
            before = before.rpartition("\n\n")[2]
        denial = _DENIAL_BEFORE.search(before)
        if denial is None:
            return None
        first = first or Difference("", " ".join(before[denial.start() :].split()), "negation")
    return first


def _folded(text: str) -> set[str]:
    plain, _ = normalise(text)
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", plain.casefold())
    return {*words, *("not" for word in words if word.endswith("n't"))}


def answer_on(pages: Sequence[Page]) -> Callable[[str], Answer]:
    """Return what looks words up on some pages."""
    return quotes.QuoteFinder(pages).find
