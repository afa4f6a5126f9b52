"""What a document is: its title, author, publisher, place and date, where each was read, and how sure it is. Pure.

What the first page shows and what the file says of itself are weighed against each other (``complete``); what a person
says of a document counts before both (``title_of`` and the functions below it). The certainties are those measured by
``tests.eval.descriptions``: H was right in at least 95 of 100 documents, M in at least 80, L in fewer.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from core import formats
from core.documents import first_lines
from core.domain import ANALYST, Attribution, Document, Level, PageText, Section
from core.language import dates
from core.ports import Outline
from core.text import LONG_WORD

FIELDS = ("title", "author", "publisher", "place", "date")
MAILS, WEB = formats.kinds("mail"), formats.kinds("web")
TEXTS = frozenset({"text", "markdown"})
_WITH_TITLE_PAGE, _PRINTED = formats.kinds("title page"), formats.kinds("printed")

_HEAD = 4_000  # characters of the first page that are looked at
_TOP, _FIRST = 1_200, 250  # characters of it in which a heading is the title: of a page as printed, of one that flows
_SHORTEST, _LONGEST = 4, 300  # characters of a title that is a heading
_SHARE = 0.7  # of the words of a title that are on the first page

_MARKS = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+")
_EMPHASIS = re.compile(r"(?m)^([*_]{1,3})(?=\S)([^*_\n]+)\1[ \t]*$")
_OFFICE_PREFIX = re.compile(r"(?i)^microsoft (?:word|powerpoint|excel) - ")
_FILE_NAME = re.compile(
    r"(?i)\.(?:docx?|txt|pdf|pptx?|xlsx?|rtf|odt|indd|qxd|tex|dvi|pages|png|jpe?g|tiff?|html?|p65|cdr)$"
)
_NO_TITLE = re.compile(
    r"(?i)(?:untitled|unbenannt|unknown|none|null|title|titel|document|dokument|presentation|powerpoint presentation"
    r"|präsentation|slide|folie|book|sheet|scan|scanned|image|noname|no title|new|blank|template|test|draft|layout)"
    r"(?:[ _-]?(?:document|page|\d+))?"
)
_NO_AUTHOR = re.compile(
    r"(?i)(?:python-docx|openpyxl|fastreport|anonymous|unknown|author|user|owner|admin(?:istrator)?|win(?:dows)?|pc|me"
    r"|microsoft(?: office)?(?: user)?|adobe.*|root|none|default|hp|dell|lenovo|scanner|www\..*|apache poi)"
)
_OF_A_TEMPLATE = ("2013-12-23T23:15:00Z",)  # the file that python-docx begins every document with


_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?(?!\d)")


def complete(outline: Outline, page: PageText | None) -> Outline:
    """Add to what a file says of itself what its first page shows, and say where each was read. None: no page."""
    text = page.text[:_HEAD] if page is not None else ""
    if _DATE.match(outline.date) and not _is_day(outline.date):
        outline = replace(outline, date="")
    if not (_DATE.match(outline.file_date) and _is_day(outline.file_date)):
        outline = replace(outline, file_date="")
    if outline.kind in MAILS:
        outline = replace(outline, date=outline.date if _DATE.match(outline.date) else "")
        return _attributed(outline, dict.fromkeys(("title", "author", "date"), ("mail header", "H")))
    if outline.kind in WEB:
        sections, language = (page.sections, page.language) if page is not None else ((), "")
        return _of_web_page(outline, sections, page.text if page is not None else "", language)
    if outline.kind in TEXTS:
        return _of_text(outline, _EMPHASIS.sub(r"\2", _MARKS.sub("", text)), page.language if page is not None else "")
    return _of_file(outline, page)


def _is_day(date: str) -> bool:
    """Return whether the calendar has a date that is written as one."""
    year, month, day = (*date[:10].split("-"), "01", "01")[:3]
    try:
        datetime.date(int(year[:4]), int(month), int(day))
    except ValueError:
        return False
    return True


def language_read(language: str) -> Attribution:
    """Return what is noted of the language that the text of a document shows; '' for none: then none is looked for."""
    return Attribution("language", "text", "H" if language else "L")


def outline_of(document: Document) -> Outline:
    """Return the outline of a document's file, as known before its first page was looked at.

    Of a text that is nothing: all that is known of it was read in its first lines.
    """
    is_text = document.kind == "text"
    return Outline(
        document.kind,
        document.pages,
        title="" if is_text else document.title,
        author="" if document.kind in TEXTS else document.author,
        date="" if document.kind in TEXTS else document.date,
        address=document.address,
        publisher="" if document.kind in TEXTS else document.publisher,
        attributions=document.attributions,
        file_date=document.file_date,
    )


def _attributed(outline: Outline, places: dict[str, tuple[str, Level]]) -> Outline:
    """Return an outline with a place for each field that says something, and what was said of encoding and language."""
    attributions = [Attribution(name, *places[name]) for name in FIELDS if name in places and getattr(outline, name)]
    attributions += [attribution for attribution in outline.attributions if attribution.field not in FIELDS]
    return replace(outline, attributions=tuple(attributions))


def _of_web_page(outline: Outline, sections: Sequence[Section], text: str, language: str) -> Outline:
    places: dict[str, tuple[str, Level]] = dict.fromkeys(("author", "publisher", "date"), ("meta tag", "H"))
    places["title"] = ("page title", "H")
    title = outline.title
    for mark in (" | ", " - ", " – ", " — ", " :: "):
        head, _, tail = title.rpartition(mark)
        if head and tail.casefold().strip() == outline.publisher.casefold():
            title = head.strip()
    heading = next((section for section in sections if _is_title_with_site(title, section.title)), None)
    if heading is not None:
        title = heading.title
    if not title or _FILE_NAME.search(title):
        title, places["title"] = _heading(sections, text[:_HEAD], _TOP), ("heading", "M")
    date = outline.date
    if date and not _DATE.match(date):
        mention = dates.interval(date)
        date = mention.earliest[:10] if mention is not None and mention.precision in ("day", "time") else ""
    if not date:
        start = next((section.start for section in sections if title and section.title == title), -1)
        below = text[start : start + _HEAD].split("\n", 1)[1:] if start >= 0 else []
        date, places["date"] = first_lines.day_below(below[0] if below else "", language=language), ("byline", "M")
    return _attributed(replace(outline, title=title, date=date), places)


def _is_title_with_site(title: str, heading: str) -> bool:
    """Return whether the title of a page is its heading and, apart from it, the name of its site."""
    site = title.removeprefix(heading)
    return len(heading) >= _SHORTEST and site != title and re.fullmatch(r"\s+[|–—:·-]+\s+\S.{0,60}", site) is not None


def _of_text(outline: Outline, text: str, language: str) -> Outline:
    """Read the first lines of a text: it has no other place for what it is."""
    head = first_lines.head_of(text, language=language)
    places: dict[str, tuple[str, Level]] = {}
    fields = {name: getattr(head, name) for name in FIELDS}
    fields["title"] = outline.title or head.title
    fields["publisher"] = "" if head.publisher == fields["title"] else head.publisher
    for name, value in fields.items():
        line = line_of(text, value, is_date=name == "date", language=language) if value else 0
        places[name] = (f"line {line}", "H") if line else ("first lines", "M")  # put together of several
    return _attributed(replace(outline, **fields), places)


def _of_file(outline: Outline, page: PageText | None) -> Outline:
    """Weigh the properties of a file against its first page."""
    text, places = (page.text[:_HEAD] if page is not None else ""), dict[str, tuple[str, Level]]()
    head = first_lines.Head()
    if page is not None and page.source == "embedded" and outline.kind in _WITH_TITLE_PAGE:
        head = first_lines.head_of(text, language=page.language)
    own_title = _own_title(outline.title)
    heading = ""
    if page is not None and outline.kind in _WITH_TITLE_PAGE:
        heading = _heading(page.sections, page.text, _TOP if outline.kind in _PRINTED else _FIRST)
    if own_title and _stands_in(own_title, text):
        title, places["title"] = own_title, ("file properties, and on page 1", "H")
    elif own_title:
        title, places["title"] = own_title, ("file properties", "M")
    elif heading:
        title, places["title"] = heading, ("heading on page 1", "M")
    else:
        title, places["title"] = head.title, ("first lines", "M")
    author = "" if _NO_AUTHOR.fullmatch(outline.author.strip()) else outline.author
    places["author"] = ("file properties", "L")
    if author and _stands_in(author, text):
        places["author"] = ("file properties, and on page 1", "H")
    elif head.author:
        author, places["author"] = head.author, ("first lines", "M")
    places["date"] = ("first lines", "M")
    file_date = outline.file_date or outline.date  # what the properties of a file state is the day it was made on
    file_date = "" if file_date in _OF_A_TEMPLATE else file_date
    return _attributed(replace(outline, title=title, author=author, date=head.date, file_date=file_date), places)


def _own_title(title: str) -> str:
    """Return the title in the properties of a file, '' where it is a file's name or what a program puts there."""
    title = _OFFICE_PREFIX.sub("", " ".join(title.split()))
    is_none = _NO_TITLE.fullmatch(title) or _FILE_NAME.search(title) or "_" in title.strip("_")
    return "" if is_none or " " not in title or not LONG_WORD.search(title) else title


def _heading(sections: Sequence[Section], text: str, longest: int) -> str:
    """Return the largest heading at the top of the first page, '' if two are as large."""
    level = min((section.level for section in sections), default=0)
    first = [section for section in sections if section.level == level and section.start < longest]
    if len(first) != 1 or level > 3:
        return ""
    title, start = " ".join(first[0].title.split()), first[0].start
    is_one = _SHORTEST <= len(title) <= _LONGEST and LONG_WORD.search(title) and title[-1] not in ",;:"
    is_one = is_one and not first_lines.is_part(title)
    # A table of contents may call the page what is not on it.
    return title if is_one and _stands_in(title, text[start : start + 2 * len(title)]) else ""


def _stands_in(value: str, text: str) -> bool:
    """Return whether a text has most words of a value."""
    words = {word.casefold() for word in LONG_WORD.findall(value)}
    file_words = {word.casefold() for word in LONG_WORD.findall(text)}
    return bool(words) and len(words & file_words) >= _SHARE * len(words)


def line_of(text: str, value: str, *, is_date: bool = False, language: str = "") -> int:
    """Return the number of the first line that says a value, counted from 1; 0 where none does."""
    target = "".join(value.casefold().split())[:40]
    for number, line in enumerate(text.split("\n")[:60], 1):
        if is_date:
            if any(mark.isdigit() for mark in line) and any(
                mention.earliest[:10] == value[:10] for mention in dates.dates_in(line[:400], language=language)
            ):
                return number
        elif target in "".join(line.casefold().split()):
            return number
    return 0


# --- what counts of it ------------------------------------------------------------------------------------------------


def title_of(document: Document) -> str:
    """Return the title of a document, the analyst's before its own; '' where it says no more than its name."""
    text = " ".join((document.own_title or document.title).split())
    return "" if text in (document.name, document.name.rpartition(".")[0]) else text


def author_of(document: Document) -> str:
    """Return who wrote a document, as the analyst says or else the document."""
    return document.own_author or document.author


def source_of(document: Document) -> str:
    """Return where a document comes from: the analyst's word, its publisher, its sender, the site it was saved from."""
    if document.origin or document.publisher:
        return document.origin or document.publisher
    if document.kind in MAILS:
        return author_of(document)
    return site_of(document.address)


def provenance_of(document: Document) -> str:
    """Return who wrote an article and where it appeared: 'Ann Roe, The Orb'; of any other document its source."""
    source, author = source_of(document), author_of(document)
    return ", ".join(dict.fromkeys(filter(None, (author, source)))) if document.kind in WEB else source


def site_of(address: str) -> str:
    """Return the site of an address on the web, '' where it is none."""
    try:
        return urlsplit(address).netloc.rpartition("@")[2].removeprefix("www.")
    except ValueError:  # such as an open bracket
        return ""


def place_of(document: Document) -> str:
    """Return the place that a document is from, as the analyst says or else the document."""
    return document.own_place or document.place


def date_of(document: Document) -> str:
    """Return the date of a document: the analyst's, which may be an interval, or the day that the document says."""
    return document.dated or document.date[:10]


_OWN = {"title": "own_title", "author": "own_author", "publisher": "origin", "place": "own_place", "date": "dated"}


def attribution_of(document: Document, field: str) -> Attribution | None:
    """Return where a field was read, None if nothing is known of it."""
    if field in _OWN and getattr(document, _OWN[field]):
        return Attribution(field, ANALYST, "H")
    return next((attribution for attribution in document.attributions if attribution.field == field), None)


def certain_date_of(document: Document) -> str:
    """Return the date that a citation may state; '' for one that is that of the file at best."""
    read = attribution_of(document, "date")
    return date_of(document) if read is not None and read.certainty != "L" else ""


def label_of(document: Document) -> str:
    """Name a document by its title and its file: 'Ferry sinks as river rises (0.txt)'."""
    of = title_of(document)
    return f"{of} ({document.name})" if of else document.name


def citation_of(document: Document) -> str:
    """Name a document as the source of evidence: 'The Orb: Ferry sinks as river rises', or its file."""
    return ": ".join(part for part in (provenance_of(document), title_of(document) or document.name) if part)


def reference_of(document: Document) -> str:
    """Cite a document as a whole: '“Ferry sinks as river rises”, The Orb, 1994-09-24 (0.txt)'."""
    of = title_of(document)
    parts = (f"“{of}”" if of else "", provenance_of(document), certain_date_of(document))
    words = ", ".join(part for part in parts if part)
    return f"{words} ({document.name})" if words else document.name
