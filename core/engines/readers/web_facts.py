"""What a web page says about itself: its title, author, date, address and publisher.

The date is that of the page, never that of another article it names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.engines.readers import plain_text

_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(\S{1,2000})\s*-->", re.IGNORECASE)
_PUBLISHED_DATE = re.compile(r'"date(?:Published|Created)"\s*:\s*"([^"]{4,40})"')
_PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
    "dcterms.created", "dcterms.date", "pubdate", "publishdate", "sailthru.date", "parsely-pub-date", "citation_date",
)  # fmt: skip
_MODIFIED = ("article:modified_time", "og:updated_time", "last-modified")
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")
_PUBLISHERS = ("og:site_name", "dc.publisher", "dcterms.publisher", "citation_journal_title", "application-name")
_ARTICLE = re.compile(r"Article|BlogPosting|Report|Posting|NewsItem|Episode|Review", re.IGNORECASE)
_LIST = re.compile(r"ItemList|Breadcrumb|Organization|Person|Comment|ImageObject", re.IGNORECASE)
_ASIDE = {"aside", "nav", "footer", "blockquote"}
_OTHERS = re.compile(
    r"related|sidebar|side-bar|recommend|comment|more-(?:stories|news|from)|most-(?:read|popular)|popular|trending|teaser"
    r"|read-?next|promo|widget|footer",
    re.IGNORECASE,
)
_SCRIPT = 1_000_000  # characters of one block of data
_BLOCKS = 30  # blocks of data of a page that are read
_TIMES = 200  # elements with a time that are looked at
_AROUND = 60  # elements around one of them


@dataclass(frozen=True, slots=True)
class Facts:
    """What a page says about itself."""

    title: str = ""
    author: str = ""
    date: str = ""
    address: str = ""
    publisher: str = ""


def read(tree: Any, source: str) -> Facts:
    """Read what a page says about itself."""
    meta = _meta_values(tree)
    origin = _SAVED_FROM.search(source[:5_000])
    title = _line(_first(tree, "head title") or _first(tree, "body > title") or meta.get("og:title", ""))
    date = next((meta[key] for key in _PUBLISHED if meta.get(key)), "") or _date(tree, source, title)
    return Facts(
        title=title,
        author=_line(next((meta[key] for key in _AUTHORS if meta.get(key)), "")),
        date=_line(date or next((meta[key] for key in _MODIFIED if meta.get(key)), ""))[:60],
        address=_address(
            _attribute(tree, 'link[rel~="canonical"]', "href"),
            meta.get("og:url", ""),
            origin.group(1) if origin else "",
            _attribute(tree, "base", "href"),
        ),
        publisher=_line(next((meta[key] for key in _PUBLISHERS if meta.get(key)), ""))[:200],
    )


def _meta_values(tree: Any) -> dict[str, str]:
    values: dict[str, str] = {}
    for meta in tree.css("meta")[:500]:
        attributes = meta.attributes
        key = attributes.get("property") or attributes.get("name") or ""
        if not key and attributes.get("itemprop") and not _is_aside(meta):
            key = attributes["itemprop"] or ""
        if key and attributes.get("content"):
            values.setdefault(key.lower(), attributes["content"])
    return values


def _first(tree: Any, selector: str) -> str:
    node = tree.css_first(selector)
    return node.text() if node is not None else ""


def _attribute(tree: Any, selector: str, name: str) -> str:
    node = tree.css_first(selector)
    return (node.attributes.get(name) or "") if node is not None else ""


def _address(*candidates: str) -> str:
    """Return the first that is an address on the web; a link to a file of this computer says nothing."""
    for candidate in candidates:
        candidate = _line(candidate)
        if re.match(r"https?://[^\s/]+", candidate, re.IGNORECASE):
            return candidate
    return ""


def _line(text: str) -> str:
    return " ".join(plain_text.clean(text).split())[:2_000]


# --- dates -----------------------------------------------------------------------------------------------------------


def _date(tree: Any, source: str, title: str) -> str:
    """Return the date of the article itself: of its data, else of its marks, else of a time beside its heading."""
    if "datePublished" in source or "dateCreated" in source:
        date = _date_of_data(tree, title)
        if date:
            return date
    if "datepublished" in source.lower():
        marks = tree.css('[itemprop~="datePublished"]')[:_TIMES]
        dates = {_moment(mark) for mark in marks if not _is_aside(mark)} - {""}
        if len(dates) == 1:
            return dates.pop()
    return _date_of_time(tree)


def _date_of_data(tree: Any, title: str) -> str:
    candidates: list[tuple[int, str]] = []  # the better one first
    for script in tree.css('script[type*="ld+json"]')[:_BLOCKS]:
        text = script.text()[:_SCRIPT]
        try:
            contents = json.loads(text)
        except (ValueError, RecursionError):
            dates = {match.group(1) for match in _PUBLISHED_DATE.finditer(text)}
            candidates += [(3, date) for date in dates] if len(dates) == 1 else []
            continue
        for entry in _entries(contents):
            date = entry.get("datePublished") or entry.get("dateCreated")
            kind = str(entry.get("@type") or "")
            if not isinstance(date, str) or _LIST.search(kind):
                continue
            headline = str(entry.get("headline") or entry.get("name") or "").strip().lower()
            is_own = bool(headline) and (headline in title.lower() or title.lower() in headline)
            candidates.append(((0 if is_own else 1) if _ARTICLE.search(kind) else 2, date))
    if not candidates:
        return ""
    best = min(rank for rank, _ in candidates)
    dates = {date for rank, date in candidates if rank == best}
    return dates.pop() if len(dates) == 1 else ""


def _entries(contents: Any) -> Iterator[dict[str, Any]]:
    """Yield the things that data speak of first, not those that they mention."""
    for entry in contents[:50] if isinstance(contents, list) else [contents]:
        if not isinstance(entry, dict):
            continue
        yield entry
        graph = entry.get("@graph")
        if isinstance(graph, list):
            yield from (item for item in graph[:50] if isinstance(item, dict))
        main = entry.get("mainEntity")
        if isinstance(main, dict):
            yield main


def _date_of_time(tree: Any) -> str:
    """Return the time of the article under the main heading; without an article, the only one there is."""
    times = [time for time in tree.css("time[datetime]")[:_TIMES] if not _is_aside(time)]
    if not times:
        return ""
    articles = tree.css("article")[:_TIMES]
    if articles:
        main = [article for article in articles if article.css_first("h1") is not None] or articles
        if len(main) > 1:
            return ""
        article_times = [time for time in times if _article_of(time) == main[0].mem_id]
        return (article_times[0].attributes.get("datetime") or "") if article_times else ""
    dates = {time.attributes.get("datetime") or "" for time in times} - {""}
    return dates.pop() if len(dates) == 1 else ""


def _moment(node: Any) -> str:
    attributes = node.attributes
    return (attributes.get("content") or attributes.get("datetime") or "").strip()


def _article_of(node: Any) -> int:
    for _ in range(_AROUND):
        node = node.parent
        if node is None:
            break
        if node.tag == "article":
            return int(node.mem_id)
    return 0


def _is_aside(node: Any) -> bool:
    """Return whether an element is beside the text of a page, or among its comments."""
    for _ in range(_AROUND):
        node = node.parent
        if node is None or node.tag in ("body", "html"):
            return False
        if node.tag in _ASIDE:
            return True
        attributes = node.attributes
        if attributes and _OTHERS.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}"):
            return True
    return False
