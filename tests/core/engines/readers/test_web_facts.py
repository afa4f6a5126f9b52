"""What a web page says about itself; its date is never that of another article."""

from __future__ import annotations

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from core.engines.readers import web_facts


def date(source: str) -> str:
    return web_facts.read(LexborHTMLParser(source), source).date


def data(*contents) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(content)}</script>' for content in contents)


ARTICLE = {"@type": "NewsArticle", "datePublished": "2024-03-12", "headline": "Crane fails"}
OTHER = {"@type": "NewsArticle", "datePublished": "2011-01-05", "headline": "Old story"}
TIME = "<time datetime='2024-03-12'>then</time>"
OLD = "<time datetime='2011-01-05'>long ago</time>"


@pytest.mark.parametrize(
    "source",
    [
        data({"datePublished": "2024-03-12"}),
        data(ARTICLE),
        data({"@graph": [{"@type": "WebSite", "dateCreated": "2001-01-01"}, ARTICLE]}),
        data({"@type": "ItemList", "itemListElement": [OTHER]}, ARTICLE),
        data([ARTICLE | {"mentions": OTHER}]),
        "<title>Crane fails | Post</title>" + data(OTHER, ARTICLE),
        '<script type="application/ld+json">{"datePublished": "2024-03-12",}</script>',
        "<meta property='article:published_time' content='2024-03-12'>" + data(OTHER),
        "<span itemprop=datePublished content='2024-03-12'></span>" + OLD,
        f"<p>{TIME}</p>",
        f"<aside>{OLD}</aside><article><h1>Crane</h1>{TIME}</article>",
        f"<article><h2>Old</h2>{OLD}</article><article><h1>Crane</h1>{TIME}</article>",
        f"<article><h1>Crane</h1>{TIME}<p>As of {OLD}</article>",
        f"<article><h1>Crane</h1><div class='related-stories'>{OLD}</div>{TIME}</article>",
    ],
)
def test_the_date_is_that_of_the_article(source):
    assert date(source) == "2024-03-12"


@pytest.mark.parametrize(
    "source",
    [
        f"<aside>{OLD}</aside><article><h1>Crane</h1>Published 12 March 2024.</article>",
        f"<nav>{OLD}</nav><p>x",
        f"<div id=comments>{OLD}</div>",
        f"<p>{OLD}<p>{TIME}",
        f"<article>{OLD}</article><article>{TIME}</article>",
        f"<article><h1>Crane</h1></article><article>{OLD}</article>",
        data(OTHER, ARTICLE),
        data({"@type": "ItemList", "itemListElement": [OTHER]}),
        data({"@type": "Comment", "datePublished": "2011-01-05"}),
    ],
)
def test_no_date_is_better_than_that_of_another_article(source):
    assert date(source) == ""


def test_facts():
    source = (
        "<head><title>The\n dam</title><meta name=author content='Ann Lee'><meta property='og:site_name' content=Post>"
        "<link rel=canonical href='https://news.example/dam'>"
    )
    assert web_facts.read(LexborHTMLParser(source), source) == web_facts.Facts(
        "The dam", "Ann Lee", "", "https://news.example/dam", "Post"
    )
