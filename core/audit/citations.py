"""Citations in a text and their targets: '[3]', '(D2, p. 4)', '(file.pdf, p. 9)', notes, ibid., addresses. Pure.

A citation names a document of the case by its id, file name, title or address, or a row of evidence, or an entry of the
report's own list of sources. Other citations name sources that the case does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Literal

from rapidfuzz import fuzz

from core import formats

Kind = Literal["number", "document", "evidence", "file", "title", "address", "note", "ibid"]

_ENDINGS = "|".join(re.escape(ending[1:]) for ending in formats.ENDINGS)
_FILE = re.compile(rf"[\w()+&~-]+(?:\.[\w()+&~-]+)*\.(?:{_ENDINGS})\b", re.IGNORECASE)
_PAGES = re.compile(
    r"(?:,|;|:|\()?\s*(?:\bpp?\.\s?|\bpp?\s|\bpages?\s|\bpg\.?\s|\bS\.\s)\s*(?P<pages>\d{1,5}(?:\s*[-\u2013]\s*\d{1,5})?"
    r"(?:\s*,\s*\d{1,5}(?:\s*[-\u2013]\s*\d{1,5})?)*\b|[ivxlc]{1,6}\b)",
    re.IGNORECASE,
)
_ID = re.compile(r"\b(?P<kind>[DE])(?P<number>\d{1,6})\b")
_NUMBERS = re.compile(
    r"\[(?P<numbers>\d{1,3}(?:\s*[-\u2013,;]\s*\d{1,3})*)(?P<rest>[,:]?\s*(?:pp?\.?|pages?)\s*[\d\s,\u2013-]+)?\]"
)
_ROUND = re.compile(
    r"\((?:(?:see(?: also)?|cf\.|source:|sources:|from|per"
    r"|in)\s+)?(?P<body>[^()\n]{2,240}(?:\([^()\n]{0,60}\)[^()\n]{0,120})?)\)",
    re.I,
)
_SQUARE = re.compile(r"\[(?:(?:see(?: also)?|cf\.|source:)\s+)?(?P<body>[^\[\]\n^]{2,240})\]", re.I)
_MARK = re.compile(r"\[\^(?P<mark>[^\]\s]{1,20})\]|(?P<raised>[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3})")
_IBID = re.compile(
    r"[(\[]?\b(?P<word>ibid(?:em)?|id|op\. ?cit|loc\. ?cit|supra)\b\.?(?P<rest>(?:,?\s*(?:at|pp?\."
    r"|pages?)\s*[\d\s,\u2013-]*\d)?)[)\]]?",
    re.I,
)
_ADDRESS = re.compile(r"<?\b(?P<address>(?:https?://|www\.)[^\s<>\"”]+[^\s<>\"”.,;:!?)\]'])>?", re.I)
_RAISED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_ENTRY = re.compile(r"(?:\[(?P<one>\d{1,3})\]|(?P<two>\d{1,3})[.)])\s+(?P<rest>\S.*)", re.DOTALL)
_SOURCES = re.compile(
    r"(?:\d+\.?\s*)?(?:references?|sources?|bibliography|works cited|notes|endnotes|footnotes|documents(?: "
    r"cited)?|list of sources)\W*",
    re.I,
)
_ALIKE, _AHEAD = 90, 5  # token-set ratio of a title, and its lead over the second best
_MOST = 60  # documents that a citation may name


@dataclass(frozen=True, slots=True)
class Mention:
    """A citation, text[start:end]. ``name`` is its name of the source, ``pages`` the pages that it cites.

    ``trails``: at the beginning of a sentence, it belongs to the previous one.
    """

    start: int
    end: int
    text: str
    kind: Kind
    name: str
    pages: tuple[str, ...] = ()
    trails: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """A document that can be cited: ``labels`` are the names of its pages in print, with their numbers.

    ``attachments`` are the documents that came inside it.
    """

    id: str
    name: str
    title: str = ""
    address: str = ""
    pages: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)
    attachments: tuple[str, ...] = ()

    def page(self, words: str) -> int | None:
        """Return the number of the page with this printed label, else of this number, else None."""
        words = words.strip().casefold()
        by_label = next((number for label, number in self.labels.items() if label.casefold() == words), None)
        if by_label is not None:
            return by_label
        return int(words) if words.isdigit() and 1 <= int(words) <= self.pages else None


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a citation: a document of the case ('' for none) and pages of it.

    ``stray_pages`` are pages that it does not have; ``attachments`` are files inside it, cited with it.
    """

    document: str
    pages: tuple[int, ...] = ()
    stray_pages: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()

    @property
    def documents(self) -> frozenset[str]:
        """The document with its attachments; empty if the case does not have it."""
        return frozenset((self.document, *self.attachments)) if self.document else frozenset()


def find(text: str, names: Sequence[str] = ()) -> list[Mention]:
    """List the citations in a text in order of place, without overlaps; ``names`` of documents may contain blanks."""
    is_free = [True] * len(text)
    result: list[Mention] = []

    def take(mention: Mention) -> None:
        if all(is_free[mention.start : mention.end]):
            result.append(mention)
            is_free[mention.start : mention.end] = [False] * (mention.end - mention.start)

    for match in _MARK.finditer(text):
        mark = match["mark"] or match["raised"].translate(_RAISED)
        if match["mark"] or (
            match.start() and not text[match.start() - 1].isdigit() and text[match.start() - 1] not in "mMkK "
        ):
            take(Mention(match.start(), match.end(), match.group(), "note", mark))
    for match in _NUMBERS.finditer(text):
        pages = _pages(match["rest"] or "")
        take(Mention(match.start(), match.end(), match.group(), "number", match["numbers"], pages))
    for form in (_ROUND, _SQUARE):
        for match in form.finditer(text):
            for mention in _bracketed(match, names):
                take(mention)
    for match in _ADDRESS.finditer(text):
        take(Mention(match.start(), match.end(), match.group(), "address", match["address"], trails=False))
    for match in _IBID.finditer(text):
        is_word = match["word"].lower() in ("id", "supra") and not match.group().startswith(("(", "["))
        if not (is_word and not match["rest"] and not text[match.start() : match.end()].endswith(".")):
            take(
                Mention(match.start(), match.end(), match.group(), "ibid", match["word"].lower(), _pages(match["rest"]))
            )
    for name in sorted(names, key=len, reverse=True):
        for match in (
            re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
            if len(name) > 4 and "." in name
            else ()
        ):
            end, pages = _with_pages(text, match.end())
            take(Mention(match.start(), end, text[match.start() : end], "file", match.group(), pages, trails=False))
    for match in _FILE.finditer(text):
        end, pages = _with_pages(text, match.end())
        take(Mention(match.start(), end, text[match.start() : end], "file", match.group(), pages, trails=False))
    for match in _ID.finditer(text):
        end, pages = _with_pages(text, match.end())
        kind: Kind = "document" if match["kind"] == "D" else "evidence"
        if kind == "document" and pages:
            take(Mention(match.start(), end, text[match.start() : end], kind, match.group(), pages, trails=False))
    return sorted(result, key=lambda mention: mention.start)


def _bracketed(match: re.Match[str], names: Sequence[str]) -> Iterator[Mention]:
    """Read a pair of brackets: one or several citations, or none."""
    body = match["body"]
    parts = [part for part in re.split(r";\s*", body) if part.strip()]
    mentions = [mention for part in parts if (mention := _part(part, names)) is not None]
    if not mentions or len(mentions) < len(parts):
        return
    if len(mentions) == 1:
        yield replace(mentions[0], start=match.start(), end=match.end(), text=match.group())
        return
    position = match.start()
    for number, (part, mention) in enumerate(zip(parts, mentions, strict=True)):
        start = match.string.index(part, position)
        end = start + len(part)
        low, high = (match.start() if not number else start), (match.end() if number + 1 == len(parts) else end)
        yield replace(mention, start=low, end=high, text=part.strip())
        position = end


def _part(part: str, names: Sequence[str]) -> Mention | None:
    words = part.strip()
    pages = _pages(words)
    head = _PAGES.sub("", words, count=1).strip(" ,;:.") if pages else words.strip(" ,;:")
    blank = Mention(0, 0, words, "title", head, pages)
    if identity := _ID.fullmatch(head.split(",")[0].strip()):
        kind: Kind = "document" if identity["kind"] == "D" else "evidence"
        if kind == "document" or not pages:
            return replace(blank, kind=kind, name=identity.group())
    if address := _ADDRESS.search(words):
        return replace(blank, kind="address", name=address["address"])
    lower_head = head.casefold()
    name = next(
        (
            name
            for name in sorted(names, key=len, reverse=True)
            if lower_head == name.casefold() or lower_head.startswith(f"{name.casefold()},")
        ),
        None,
    )
    if name is not None:
        return replace(blank, kind="file", name=head[: len(name)])
    if re.fullmatch(rf"[^,;]{{1,120}}\.(?:{_ENDINGS})(?:,.*)?", head, re.IGNORECASE):
        return replace(blank, kind="file", name=head.split(",")[0])
    if _IBID.fullmatch(words):
        return replace(blank, kind="ibid", name=words.split(".")[0].split(",")[0].lower())
    if pages and head and re.search(r"[^\W\d_]{2,}", head) and len(head.split()) <= 14:
        return blank
    return None


def _with_pages(text: str, end: int) -> tuple[int, tuple[str, ...]]:
    match = _PAGES.match(text, end)
    if match is None:
        return end, ()
    end = match.end()
    return end, _pages(match.group())


def _pages(words: str) -> tuple[str, ...]:
    match = _PAGES.search(words)
    if match is None:
        return ()
    pages: list[str] = []
    for piece in match["pages"].split(","):
        first, _, last = piece.replace("\u2013", "-").replace(" ", "").partition("-")
        if last.isdigit() and first.isdigit() and int(first) <= int(last) <= int(first) + 50:
            pages += [str(page) for page in range(int(first), int(last) + 1)]
        elif first:
            pages.append(first)
    return tuple(dict.fromkeys(pages))


def numbers(words: str) -> list[int]:
    """List the numbers of '3-5,7'."""
    result: list[int] = []
    for piece in re.split(r"[,;]", words):
        first, _, last = piece.replace("\u2013", "-").replace(" ", "").partition("-")
        if first.isdigit():
            end = int(last) if last.isdigit() else int(first)
            result += range(int(first), min(end, int(first) + _MOST) + 1)
    return list(dict.fromkeys(result))


def is_source_list(heading: str) -> bool:
    """Return whether a heading is that of the list of sources of a report."""
    return _SOURCES.fullmatch(heading.strip()) is not None


def entry(text: str) -> tuple[int, str] | None:
    """Split a line of a list of sources into its number and its text; None for another line."""
    match = _ENTRY.match(text)
    return (int(match["one"] or match["two"]), match["rest"]) if match else None


def resolve(mention: Mention, sources: Sequence[Source], evidence: Mapping[str, tuple[str, int]]) -> Target:
    """Find the document that a citation names; a number, a note or an ibid. is resolved by its report."""
    if mention.kind == "evidence" and mention.name in evidence:
        document, page = evidence[mention.name]
        return Target(document, (page,) if page else ())
    source = _named(mention, sources)
    return _target(source, mention.pages) if source is not None else Target("")


def attachments(document: str, contents: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """List the documents inside a document, directly or not; ``contents`` lists those directly inside each."""
    result: dict[str, None] = {}
    queue = list(contents.get(document, ()))
    while queue:
        attachment = queue.pop(0)
        if attachment not in result:
            result[attachment] = None
            queue += contents.get(attachment, ())
    return tuple(result)


def named_in(words: str, sources: Sequence[Source], evidence: Mapping[str, tuple[str, int]]) -> Target:
    """Find the document that an entry of a list of sources, or a note, is about."""
    for mention in find(words, [source.name for source in sources]):
        target = resolve(mention, sources, evidence)
        if target.document and not (target.pages or target.stray_pages):
            document = next(source for source in sources if source.id == target.document)
            return _target(document, _pages(words))  # which may be named before it
        if target.document:
            return target
    for match in _ID.finditer(words):
        source = next((source for source in sources if source.id == match.group()), None)
        if source is not None:
            return _target(source, _pages(words))
    source = _best_match(_PAGES.sub("", words), sources)
    return _target(source, _pages(words)) if source is not None else Target("")


def _target(source: Source, pages: Sequence[str]) -> Target:
    places = [(words, source.page(words)) for words in pages]
    return Target(
        source.id,
        tuple(page for _, page in places if page is not None),
        tuple(words for words, page in places if page is None),
        source.attachments,
    )


def _named(mention: Mention, sources: Sequence[Source]) -> Source | None:
    name = mention.name.strip().casefold()
    match mention.kind:
        case "document":
            return next((source for source in sources if source.id.casefold() == name), None)
        case "address":
            canonical = _canonical(name)
            return next((s for s in sources if s.address and _canonical(s.address.casefold()) == canonical), None)
        case "file" | "title":
            for source in sources:
                if name in (source.name.casefold(), _stem(source.name), source.title.casefold()):
                    return source
            return _best_match(mention.name, sources)
    return None


def _best_match(words: str, sources: Sequence[Source]) -> Source | None:
    """Return the document whose name or title is in these words, if it is clearly ahead of the next."""
    wanted_name = _normalised(words)
    if len(wanted_name) < 4:
        return None
    rows = []
    for source in sources:
        candidates = [name for name in (_normalised(_stem(source.name)), _normalised(source.title)) if len(name) > 3]
        # A title of one common word is in any sentence: the lengths must be similar, too.
        scores = [
            fuzz.token_set_ratio(wanted_name, name)
            if len(name.split()) > 1 or len(wanted_name.split()) <= 3
            else fuzz.ratio(wanted_name, name)
            for name in candidates
        ]
        rows.append((max(scores, default=0.0), source))
    rows.sort(key=lambda row: (-row[0], len(row[1].id), row[1].id))
    if rows and rows[0][0] >= _ALIKE and (len(rows) == 1 or rows[0][0] - rows[1][0] >= _AHEAD):
        return rows[0][1]
    return None


def _normalised(words: str) -> str:
    return " ".join(re.findall(r"\w+", words.replace("_", " ").casefold()))


def _stem(name: str) -> str:
    return PurePath(name).stem.casefold()


def _canonical(address: str) -> str:
    address = re.sub(r"^(?:https?://)?(?:www\.)?", "", address)
    return address.partition("#")[0].rstrip("/")
