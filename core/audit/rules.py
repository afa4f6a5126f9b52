"""Differences of a sentence from its sources: figures, days, names, denials, hedges, reports, shares. Pure.

Each rule names the words it goes by. What is compared word for word is the part of a source that the sentence is
nearest to; whether a figure or a name stands anywhere is asked of the whole text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from core.answers.question import names_in
from core.answers.sentences import beginnings
from core.english import COUNTS
from core.language.figures import Figure, agree, figures, missing, same_slot
from core.search.ranking import STOP_WORDS

What = Literal[
    "number",
    "date",
    "name",
    "negation",
    "opposite",
    "hedge",
    "reported",
    "share",
    "likelihood",
    "confidence",
    "quote",
    "speaker",
    "word",
]
CONTRADICTS: frozenset[What] = frozenset(("negation", "opposite"))
OVERSTATES: frozenset[What] = frozenset(("hedge", "reported", "share", "likelihood"))
DIFFERS: frozenset[What] = frozenset(("number", "date", "name"))

NEAR = 0.6  # share of the other content words of a sentence that its source has, from which they speak of one thing
VERY_NEAR = 0.75
_AKIN = 0.4  # below it a figure of the source is that of another thing

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_NEGATED = re.compile(r"^(?:not|never|no|nor|neither|none|nobody|nothing|without|cannot)$|n['’]t$", re.IGNORECASE)
_NO_DENIAL = re.compile(
    r"\bnot only\b|\bno (?:later|sooner|fewer|less|more) than\b|\bno\. ?\d|\bno doubt\b|\bwhether or not\b"
    r"|\bnot (?:just|merely|until)\b",
    re.I,
)
_COUNTS = frozenset((*COUNTS, "both"))
_PRONOUN = re.compile(r"\b(?:he|she|they|his|her|their)\b", re.IGNORECASE)
_SCOPE = 4  # words behind a negation that it may deny

_HEDGE_WORDS = (
    "may might could possibly perhaps probably maybe likely unlikely potentially presumably apparently seemingly "
    "supposedly allegedly reportedly purportedly appears appear appeared seems seem seemed suggests suggested suggest "
    "suspected suspects suspect alleged alleges rumoured rumored unconfirmed unverified preliminary tentative "
    "tentatively "
    "believed believes believe thought assumed presumed estimated uncertain unclear conceivably plausibly plausible "
    "possible probable doubtful cannot-exclude considering considers planned plans proposed proposes expects expected "
    "hopes intends aims should would if"
)
# Those that weaken a statement of fact; the rest only weaken it where it is the same statement otherwise.
_STRONG_HEDGES = frozenset(
    [
        "may",
        "might",
        "could",
        "possibly",
        "perhaps",
        "probably",
        "maybe",
        "potentially",
        "presumably",
        "apparently",
        "seemingly",
        "supposedly",
        "allegedly",
        "reportedly",
        "purportedly",
        "appears",
        "appeared",
        "seems",
        "seemed",
        "suspected",
        "alleged",
        "rumoured",
        "rumored",
        "unconfirmed",
        "unverified",
        "preliminary",
        "tentative",
        "tentatively",
        "believed",
        "uncertain",
        "unclear",
        "conceivably",
        "plausibly",
        "possible",
        "probable",
        "doubtful",
        "likely",
        "unlikely",
    ]
)
HEDGES = frozenset(_HEDGE_WORDS.split())
_REPORTS = re.compile(
    r"\b(?P<source>(?:[A-Z][\w'’.-]*\s){0,3}(?:he|she|they|[A-Z][\w'’.-]+|\w+))?\s*\b(?P<verb>claims?|claimed"
    r"|alleges?|alleged|asserts?"
    r"|asserted|insists?|insisted|maintains|maintained|denies|denied|testified|recalled"
    r"|rumou?red)\b(?!\s(?:responsibility|to\b))"
    r"|\baccording to\b|\bin (?:his|her|their) (?:view|opinion|words|account)\b|\b(?:so )?(?:he|she|they) "
    r"(?:said|says)\b",
)
_SAYS = re.compile(
    r"\b(?:say|says|said|told|tells|states?|stated|claims?|claimed|alleges?|alleged|asserts?|asserted|insists?"
    r"|insisted|maintains|maintained"
    r"|testified|recalled|reports?|reported|reportedly|allegedly|writes?|wrote|according to|denies|denied"
    r"|mentions?|mentioned|notes?|noted|argues?|argued"
    r"|explains?|explained|account|statement|rumou?red|thinks?|thought|believes?|believed|suggests?|suggested"
    r"|announced?|asked|asks|quoted|words)\b",
    re.IGNORECASE,
)
# From the least to the most.
_SHARES = (
    ("no", "none", "neither", "nobody", "never", "nothing"),
    ("few", "hardly", "rarely", "seldom", "little"),
    ("some", "several", "sometimes", "occasionally", "partly", "partially", "part", "certain", "one", "a number"),
    ("many", "often", "frequently", "much"),
    ("most", "mostly", "mainly", "usually", "majority", "largely", "generally", "nearly", "almost"),
    (
        "all",
        "every",
        "everyone",
        "everybody",
        "always",
        "entire",
        "entirely",
        "completely",
        "whole",
        "fully",
        "each",
        "only",
    ),
)
_ALL = frozenset(_SHARES[-1]) - {"each", "only", "whole", "fully", "completely", "entire"}
_PARTIAL = {word: level for level, words in enumerate(_SHARES) for word in words if 0 < level < 5} | {}
_NOT_SHARES = re.compile(
    r"\b(?:at all|after all|above all|all right|all over|first of all|in all|for all|not all|no one|one of the "
    r"most|at most|the most|most (?:recent|likely|important)\w*|all the more|all but|almost all|nearly all|all "
    r"(?:day|night)(?: long)?)\b",
    re.I,
)

_OPPOSITES = (
    "increase decrease|increased decreased|increases decreases|increasing decreasing|rise fall|rose fell|risen "
    "fallen|rising falling"
    "|grew shrank|growth decline|higher lower|high low|highest lowest|more less|more fewer|larger smaller"
    "|greater smaller"
    "|up down|above below|before after|earlier later|first last|early late|open closed|opened closed|open shut"
    "|opened shut"
    "|locked unlocked|inside outside|include exclude|included excluded|includes excludes|including excluding"
    "|accept reject"
    "|accepted rejected|accepts rejects|accept refuse|accepted refused|agree disagree|agreed disagreed|agrees disagrees"
    "|support oppose|supported opposed|supports opposes|supporting opposing|confirm deny|confirmed denied"
    "|confirms denies"
    "|won lost|win lose|wins loses|gain loss|gained lost|profit loss|success failure|succeed fail|succeeded failed"
    "|successful unsuccessful|allow forbid|allowed forbidden|allowed prohibited|allow prohibit|permitted "
    "forbidden|encourage discourage"
    "|positive negative|positively negatively|strong weak|stronger weaker|strengthen weaken|strengthened "
    "weakened|improve worsen"
    "|improved worsened|better worse|best worst|easy difficult|easier harder|hard easy|safe dangerous|safe "
    "unsafe|true false"
    "|correct wrong|right wrong|present absent|present missing|alive dead|new old|newer older|young old"
    "|younger older|male female"
    "|man woman|men women|buy sell|bought sold|buying selling|import export|start end|started ended|begin end"
    "|began ended"
    "|start stop|started stopped|arrive leave|arrived left|enter leave|entered left|day night|morning evening|east west"
    "|north south|northern southern|eastern western|left right|top bottom|maximum minimum|majority minority"
    "|public private"
    "|guilty innocent|friend enemy|ally enemy|love hate|loves hates|likes dislikes|happy sad|happy unhappy"
    "|satisfied dissatisfied"
    "|able unable|possible impossible|likely unlikely|known unknown|legal illegal|necessary unnecessary"
    "|effective ineffective"
    "|efficient inefficient|expected unexpected|connected disconnected|connect disconnect|enabled disabled"
    "|enable disable"
    "|approve disapprove|approved rejected|approve reject|expand contract|expanded contracted|hot cold|warm "
    "cold|wet dry|full empty"
    "|rich poor|fast slow|faster slower|quickly slowly|short long|shorter longer|wide narrow|deep shallow"
    "|heavy light|always never"
    "|on off|switched-on switched-off|with without|internal external|domestic foreign|voluntary compulsory"
    "|optional mandatory"
    "|temporary permanent|optimistic pessimistic|confident doubtful|interested uninterested|outperform underperform"
    "|outperforms underperforms|overestimate underestimate|advantage disadvantage|advantages disadvantages"
    "|benefit harm|benefits harms"
    "|cause prevent|causes prevents|caused prevented|attack defend|attacked defended|hire fire|hired fired"
    "|pass fail|passed failed"
    "|raise lower|raised lowered|raising lowering|raise cut|raised cut|add remove|added removed|adding "
    "removing|join leave|joined left|win loss|unique common|cheap expensive|similar different|same different"
    "|simple complex|major minor|minor major"
)
_OPPOSITE: dict[str, frozenset[str]] = {}
for _pair in _OPPOSITES.split("|"):
    _one, _, _other = _pair.partition(" ")
    _OPPOSITE[_one] = _OPPOSITE.get(_one, frozenset()) | {_other}
    _OPPOSITE[_other] = _OPPOSITE.get(_other, frozenset()) | {_one}


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where a sentence and its sources part: text[start:end] of the sentence is ``own``.

    ``source`` is what stands there instead, '' for nothing; ``is_sure``: it is an error, not only worth a look.
    """

    what: What
    own: str
    source: str
    start: int
    end: int
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stretch of a source that a sentence is compared with.

    ``text`` is one sentence of it, ``around`` that with its neighbours.
    """

    text: str
    around: str


@dataclass(frozen=True, slots=True)
class Stock:
    """The words (small, and their parts) and the figures of whole documents, to be asked what stands nowhere."""

    words: frozenset[str]
    figures: tuple[Figure, ...]
    codes: frozenset[str] = frozenset()  # the digits at the end of words such as 'FGF21'

    def __or__(self, other: Stock) -> Stock:
        return Stock(self.words | other.words, self.figures + other.figures, self.codes | other.codes)


def stock(text: str) -> Stock:
    """Read the words and figures of a document."""
    words = {word.casefold().removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text)}
    pieces = {piece for word in words for piece in re.split(r"['’]", word)}
    codes = frozenset(match[1] for word in words if (match := re.fullmatch(r"\D+(\d+)", word)))
    return Stock(frozenset(words | pieces), tuple(figures(text)), codes)


def content(text: str) -> list[tuple[str, int, int]]:
    """List the content words of a text with their places: no stop words, no figures."""
    return [
        (match.group(), match.start(), match.end())
        for match in _WORD.finditer(text)
        if match.group().casefold() not in STOP_WORDS and not match.group()[0].isdigit()
    ]


def coverage(sentence: str, source: str) -> float:
    """Return the share of the content words of a sentence that stand in a source, by their beginnings."""
    own = set(beginnings(" ".join(word for word, _, _ in content(sentence))))
    return len(own & set(beginnings(source))) / len(own) if own else 0.0


def compare(sentence: str, evidence: Sequence[Evidence], documents: Stock) -> list[Difference]:
    """List what a sentence says otherwise than its sources, in order of place.

    ``evidence`` is the best first; ``documents`` the words and figures of those that it stands in.
    """
    if not evidence:
        return []
    result = [*_figures(sentence, evidence, documents), *_names(sentence, evidence, documents)]
    head = _aligned(sentence, evidence)
    if head is not None:
        near, source = head
        if near >= VERY_NEAR:
            result += _negation(sentence, source)
        result += _opposites(sentence, source)
        if near >= NEAR:
            result += [
                *_hedge(sentence, source, evidence),
                *_reported(sentence, source, near),
                *_shares(sentence, source),
            ]
    return sorted(set(result), key=lambda one: (one.start, one.end, one.what))


def _aligned(sentence: str, evidence: Sequence[Evidence]) -> tuple[float, Evidence] | None:
    """Return the source that has most of the words of a sentence, with their share; the first of equally good ones."""
    rows = [(coverage(sentence, one.text), one) for one in evidence]
    return max(rows, key=lambda row: row[0], default=None)


# --- figures ---------------------------------------------------------------------------------------------------------


def _figures(sentence: str, evidence: Sequence[Evidence], documents: Stock) -> list[Difference]:
    own = [one for one in figures(sentence) if one.text.casefold() not in ("two", "three", "half")]
    if not own:
        return []
    # Only a source that speaks of the same thing says this figure of it, or another.
    akin = [one for each in evidence if coverage(sentence, each.text) >= _AKIN for one in figures(each.around)]
    result = []
    absent = missing(own, documents.figures)
    head = _aligned(sentence, evidence)
    near = head[0] if head else 0.0
    for figure in own:
        near_values = list(same_slot(figure, figures(head[1].text))) if head else []
        what: What = "date" if figure.kind in ("date", "day", "time") else "number"
        if figure.text.strip() in documents.codes or _is_sum(figure, figures(head[1].around) if head else []):
            continue
        if figure in absent:
            instead = (next(iter(near_values), None) if near >= _AKIN else None) or next(same_slot(figure, akin), None)
            result.append(Difference(what, figure.text, instead.text if instead else "", figure.start, figure.end))
        elif (
            near >= NEAR
            and near_values
            and not any(agree(figure, other) for other in akin)
            and len({other.text for other in near_values}) == 1
        ):
            result.append(Difference(what, figure.text, near_values[0].text, figure.start, figure.end))
    return result


def _is_sum(figure: Figure, others: Sequence[Figure]) -> bool:
    """Return whether a number is that of several counted things together: 'four ... and three'."""
    values = [other.low for other in others if other.kind == figure.kind == "number"][:8]
    return any(one + other == figure.low for at, one in enumerate(values) for other in values[at + 1 :])


# --- names -----------------------------------------------------------------------------------------------------------


def _names(sentence: str, evidence: Sequence[Evidence], documents: Stock) -> list[Difference]:
    """List names that stand elsewhere or nowhere: an error where one other name has their place, else worth a look."""
    head = _aligned(sentence, evidence)
    near_words = {word.casefold() for one in evidence for word in _WORD.findall(one.around)}
    result = []
    for name in names_in(sentence):
        start = sentence.find(name)
        words = [word for word in _WORD.findall(name) if word.casefold() not in STOP_WORDS and len(word) > 1]
        words = [word for word in words if not word[0].isdigit()]
        initials = "".join(word[0] for word in words).casefold()
        if start < 0 or not words or (len(words) > 1 and initials in documents.words):
            continue
        if name.casefold() in _COUNTS:
            continue
        alien = [word for word in words if not _stands(word.casefold(), documents.words)]
        if alien and len(alien) < len(words):
            instead = "" if head is None else _namesake(sentence, name, alien, head[1])
            at = start + name.find(alien[0])
            result.append(Difference("name", alien[0], instead, at, at + len(alien[0]), bool(instead)))
            continue
        instead = "" if head is None else _other_name(sentence, name, head[1])
        if alien or (instead and not any(_stands(word.casefold(), near_words) for word in words)):
            result.append(Difference("name", name, instead, start, start + len(name), bool(instead)))
    return result


def _namesake(sentence: str, name: str, alien: Sequence[str], source: Evidence) -> str:
    """Return the name in a source that shares one of its two words with another; '' for none."""
    own = [_bare(word) for word in name.split()]
    if len(own) != 2 or coverage(sentence.replace(name, " "), source.text) < VERY_NEAR:
        return ""
    common = set(own) - {_bare(word) for word in alien}
    for other in names_in(source.text):
        words = [_bare(word) for word in other.split()]
        apart = [at for at in range(len(words)) if words[at] != own[at]] if len(words) == len(own) else []
        if len(apart) == 1 and own[apart[0]] not in common:
            (at,) = apart
            return "" if words[at][:2] == own[at][:2] else other  # 'Mike' and 'Michael'
    return ""


def _bare(word: str) -> str:
    """Return a word small, without accents and 's."""
    plain = unicodedata.normalize("NFKD", word.casefold().removesuffix("'s").removesuffix("’s"))
    return "".join(c for c in plain if c.isalnum())


def _other_name(sentence: str, name: str, source: Evidence) -> str:
    """Return the one name that a source has in the place of another, where all else is said of it; '' for none.

    Where the source says 'he', nobody knows whom it names.
    """
    if coverage(sentence.replace(name, " "), source.text) < VERY_NEAR or _PRONOUN.search(source.text):
        return ""
    own = {word.casefold() for word in _WORD.findall(sentence)}
    others = [one for one in names_in(source.text) if not own & {word.casefold() for word in _WORD.findall(one)}]
    others = [one for one in others if len(one) > 1]
    return others[0] if len(others) == 1 and not (len(others[0]) > 4 and others[0].isupper()) else ""


def _stands(word: str, there: Collection[str]) -> bool:
    word = word.removesuffix("'s").removesuffix("’s")
    if word in there or word.removesuffix("s") in there or f"{word}s" in there:
        return True
    if "-" in word and all(part in there for part in word.split("-")):
        return True
    # 'German' and 'Germany', 'Congress' and 'Congressional'
    return len(word) > 5 and any(
        min(len(one), len(word)) > 5 and (one.startswith(word) or word.startswith(one)) for one in there
    )


# --- denials ---------------------------------------------------------------------------------------------------------


def _denied(text: str) -> tuple[set[str], set[str], dict[str, tuple[int, int, str]]]:
    """Return the beginnings of the content words that a text denies and asserts, and where it denies them."""
    text = _NO_DENIAL.sub(lambda match: " " * len(match.group()), text)
    tokens = list(_WORD.finditer(text))
    reach = -1
    where: dict[str, tuple[int, int, str]] = {}
    denials: set[str] = set()
    assertions: set[str] = set()
    marker: re.Match[str] | None = None
    for at, token in enumerate(tokens):
        word = token.group()
        if (at and re.search(r"[,;:.()]|\bbut\b", text[tokens[at - 1].end() : token.start()])) or word.lower() == "but":
            reach = -1
        if _NEGATED.search(word):
            reach, marker = at + _SCOPE, token
            continue
        if word.casefold() in STOP_WORDS:
            reach += at <= reach  # small words do not use up its reach
            continue
        (head,) = beginnings(word)[:1] or ("",)
        if at <= reach and marker is not None:
            denials.add(head)
            where.setdefault(head, (marker.start(), token.end(), marker.group()))
        else:
            assertions.add(head)
    return denials, assertions, where


def _negation(sentence: str, source: Evidence) -> list[Difference]:
    denials, assertions, where = _denied(sentence)
    source_denials, source_assertions, source_where = _denied(source.text)
    for word in sorted(denials, key=where.__getitem__):
        if word in source_assertions and word not in source_denials and not _has_other_denial(source.text):
            start, end, _ = where[word]
            return [Difference("negation", sentence[start:end], "", start, end)]
    if not denials and not _has_other_denial(sentence):
        for word in sorted(source_denials, key=source_where.__getitem__):
            if word in assertions and word not in source_assertions:
                start, end, _ = source_where[word]
                place = next((m for m in _WORD.finditer(sentence) if beginnings(m.group())[:1] == [word]), None)
                if place is not None:
                    return [Difference("negation", place.group(), source.text[start:end], place.start(), place.end())]
    return []


_OTHER_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|fail\w*|den(?:y|ies|ied)|refus\w+|lack\w*|absen\w+|unable"
    r"|hardly|barely|non(?=-\w)|reject\w*|prevent\w*|avoid\w*|stop\w*|\w+n['’]t)\b",
    re.IGNORECASE,
)


def _has_other_denial(text: str) -> bool:
    return _OTHER_DENIAL.search(_NO_DENIAL.sub("", text)) is not None


def _opposites(sentence: str, source: Evidence) -> list[Difference]:
    own = {word.casefold(): (start, end) for word, start, end in _words(sentence)}
    there = {word.casefold() for word, _, _ in _words(source.text)}
    around = {word.casefold() for word, _, _ in _words(source.around)}
    if _has_other_denial(sentence) != _has_other_denial(source.text):
        return []  # 'not open' is 'closed'
    (denials, *_), (source_denials, *_) = _denied(sentence), _denied(source.text)
    result = []
    for word, (start, end) in own.items():
        against = sorted(_OPPOSITE.get(word, frozenset()) & there)
        is_turned = (beginnings(word)[0] in denials) != any(beginnings(one)[0] in source_denials for one in against)
        if against and not is_turned and word not in around and not _OPPOSITE[word] & own.keys():
            rest = sentence[:start] + sentence[end:]
            beside = _beside(sentence, word)
            stands_alike = any(beside & _beside(source.text, one) for one in against)
            if stands_alike and coverage(rest, source.text) >= VERY_NEAR:
                result.append(Difference("opposite", sentence[start:end], against[0], start, end))
    return result


def _beside(text: str, word: str) -> set[str]:
    """Return the content words next to a word, by their beginnings."""
    words = [one.casefold() for one, _, _ in _words(text) if one.casefold() not in STOP_WORDS or one.casefold() == word]
    places = [at for at, one in enumerate(words) if one == word]
    near = {words[at + by] for at in places for by in (-2, -1, 1, 2) if 0 <= at + by < len(words)}
    return {beginnings(one)[0] for one in near if beginnings(one)}


def _words(text: str) -> list[tuple[str, int, int]]:
    return [(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]


# --- overstatements --------------------------------------------------------------------------------------------------


def _hedge(sentence: str, source: Evidence, evidence: Sequence[Evidence]) -> list[Difference]:
    own = {word.casefold() for word in _WORD.findall(sentence)}
    if own & HEDGES or _SAYS.search(sentence):
        return []
    match = next(
        (m for m in _WORD.finditer(source.text) if m.group().casefold() in _STRONG_HEDGES and m.group() != "May"),
        None,
    )
    if match is None or coverage(sentence, source.text) < VERY_NEAR:
        return []
    if any(
        coverage(sentence, other.text) >= NEAR and not {w.casefold() for w in _WORD.findall(other.text)} & HEDGES
        for other in evidence
        if other != source
    ):
        return []
    following = _weakened(source.text, match.end())
    place = next((m for m in _WORD.finditer(sentence) if following and beginnings(m.group())[:1] == [following]), None)
    if place is None:
        return []
    return [Difference("hedge", place.group(), match.group(), place.start(), place.end())]


def _weakened(text: str, at: int) -> str:
    """Return the beginning of the first content word behind a hedge: what it weakens."""
    for word, _, _ in content(text[at : at + 80]):
        if word.casefold() not in HEDGES:
            return beginnings(word)[0]
    return ""


def _reported(sentence: str, source: Evidence, near: float) -> list[Difference]:
    match = _REPORTS.search(source.text)
    if match is None or near < VERY_NEAR or _SAYS.search(sentence):
        return []
    if {word.casefold() for word in _WORD.findall(sentence)} & HEDGES:
        return []
    place = _WORD.search(sentence)
    start = place.start() if place else 0
    end = place.end() if place else len(sentence)
    words = " ".join(match.group().split())
    return [Difference("reported", sentence[start:end], words, start, end, False)]


def _shares(sentence: str, source: Evidence) -> list[Difference]:
    plain = _NOT_SHARES.sub(lambda match: "\0" * len(match.group()), sentence)
    other = _NOT_SHARES.sub(" ", source.text)
    there = {word.casefold() for word in _WORD.findall(other)}
    if there & set(_SHARES[-1]):
        return []
    for match in _WORD.finditer(plain):
        if match.group().casefold() not in _ALL:
            continue
        noun = _weakened(plain, match.end())
        for part in _WORD.finditer(other):
            if (
                part.group().casefold() in _PARTIAL
                and part.group().casefold() != "one"
                and noun
                and noun == _weakened(other, part.end())
            ):
                return [Difference("share", match.group(), part.group(), match.start(), match.end())]
    return []
