from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engines.readers import html
from core.engines.readers.dispatch import FileReader
from tests.work import linear

READER = FileReader()


def text(source: str) -> str:
    return html.read(source.encode()).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>One</p><p>Two\n  lines</p>", "One\n\nTwo lines"),
        ("<h1>Head</h1>text <b>bold</b>, <i>it</i>alic", "Head\n\ntext bold, italic"),
        ("a<br>b<br><br>c", "a\nb\n\nc"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("<ol><li><p>one</p></li><li>two</li></ol>", "one\n\ntwo"),
        ("<table><tr><th>Name<th>Age<tr><td>Ann<td>31</table>", "Name\tAge\nAnn\t31"),
        ("<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>", "a b\tc"),
        (
            "<table><tr><td><table><tr><td>in</td><td>ner</td></tr></table><p>after</td></tr></table>",
            "in\tner\n\nafter",
        ),
        ("<pre>  x\n    y</pre>", "  x\n    y"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("a&nbsp;b &lt;tag&gt; &amp;", "a b <tag> &"),
        ("<a href='http://x'>link</a><img src='http://x/y.png' alt='pic'>", "link"),
        ("<p>one<p><p>two", "one\n\ntwo"),
        ("", ""),
    ],
)
def test_blocks(source, expected):
    assert text(source).replace("\u00a0", " ") == expected


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>alert(1)</script>",
        "<style>p {color: red}</style>",
        "<noscript>turn it on</noscript>",
        "<template><p>later</p></template>",
        "<!-- comment -->",
        "<svg><title>secret</title><text>secret</text></svg>",
        "<input type=hidden value=secret>",
        "<iframe src='file:///etc/passwd'>secret</iframe>",
        "<object data='x'>secret</object>",
        "<dialog>secret</dialog>",
    ],
)
def test_what_is_no_text_of_the_page_is_left_out(unseen):
    assert text(f"<body><p>seen</p>{unseen}<p>also seen</p>") == "seen\n\nalso seen"


def hidden(source: str) -> list[tuple[str, str]]:
    body = html.read(source.encode()).body
    return [(body.text[start:end], why) for start, end, why in body.hidden_spans]


@pytest.mark.parametrize(
    ("unseen", "why"),
    [
        ("<div hidden>secret</div>", "unseen"),
        ("<div style='DISPLAY : none'>secret</div>", "unseen"),
        ("<span style='visibility:hidden'>secret</span>", "unseen"),
        ("<p style='font-size:0'>secret</p>", "tiny"),
        ("<p style='color:red;font-size: 0.5px;'>secret</p>", "tiny"),
        ("<p style='opacity:0'>secret</p>", "transparent"),
        ("<p style='position:absolute;left:-9999px'>secret</p>", "outside"),
        ("<p style='color:#fff'>secret</p>", "colour"),
        ("<p style='color: white'>secret</p>", "colour"),
        ("<p style='color:rgb(255, 255, 254)'><b>secret</b></p>", "colour"),
        ("<font color=white>secret</font>", "colour"),
        ("<p style='color:#000;background-color:black'>secret</p>", "colour"),
        ("<table bgcolor='#123456'><tr><td style='color:#123456'>secret</table>", "colour"),
    ],
)
def test_what_a_person_would_not_see_is_kept_and_flagged(unseen, why):
    source = f"<body><p>seen</p>{unseen}<p>also seen</p>"
    assert "secret" in text(source)
    assert hidden(source) == [("secret", why)]


@pytest.mark.parametrize(
    "seen",
    [
        "<p style='font-size:12px;opacity:0.9'>a</p>",
        "<p style='font-size:1em'>a</p>",
        "<p style='font-size:1.5rem'>a</p>",
        "<p style='left:-9px'>a</p>",
        "<dialog open>a</dialog>",
        "<div hidden=until-found>a</div>",
        "<p style='color:white;background:#333'>a</p>",
        "<p style='background:#333'><span style='color:#FFF'>a</span></p>",
        "<p style='background:url(x.png)'><span style='color:#FFF'>a</span></p>",
        "<div style='background:navy'><b style='background:transparent;color:white'>a</b></div>",
        "<table><tr bgcolor=darkblue><td><font color=white>a</font></table>",
        "<p style='background:hsl(1 2% 3%);color:white'>a</p>",
        "<p style='color:rgba(255,255,255,0.5)'>a</p>",
        "<table><tr bgcolor=navy><td><font color=white>a</font></table>",
        "<style>.b {background: navy}</style><p class=b style='color:white'>a</p>",
        "<link rel=stylesheet href=x.css><p class=b style='color:white'>a</p>",
        "<p style='border-color:white'>a</p>",
        "<p style='color:currentColor'>a</p>",
        "<p data-style='display:none'>a</p>",
        "<p style='-x-display:none'>a</p>",
    ],
)
def test_what_looks_hidden_but_is_not_is_not_flagged(seen):
    assert text(seen) == "a"
    assert hidden(seen) == []


def test_one_hidden_stretch_is_one_span_and_a_seen_one_between_parts_it():
    source = "<p>a</p><div hidden><p>one</p><p>two</p></div><p>b</p><div hidden>three</div>"
    assert hidden(source) == [("one\n\ntwo", "unseen"), ("three", "unseen")]


def test_headings_are_sections_with_their_place():
    body = html.read(
        b"<title>no</title><h1>The <b>dam</b></h1><p>It broke.</p><h3>\n At  night<br>again </h3><p>x</p><h2> </h2>"
        b"<h2 hidden>never seen</h2><section><h2>After</h2>y</section>"
    ).body
    assert [(s.level, s.title) for s in body.sections] == [(1, "The dam"), (3, "At night again"), (2, "After")]
    for section in body.sections:
        assert body.text[section.start :].startswith(section.title.split()[0])


def test_layout_tables_keep_their_paragraphs():
    long = "The night guard wrote that the second pump had stopped. " * 10
    assert text(f"<table><tr><td>menu</td><td><p>{long}</p><p>{long}</p></td></tr></table>").count("\n\n") == 2


def test_what_a_page_says_about_itself():
    page = html.read(
        b"<!doctype html><!-- saved from url=(0022)https://saved.example/x -->"
        b"<head><title>The &amp; dam\n broke</title><meta name=Author content='Ann Lee'>"
        b"<meta property='article:published_time' content='2024-01-31T10:00:00Z'>"
        b"<link rel=canonical href='https://news.example/dam'></head><body>text"
    )
    assert (page.title, page.author) == ("The & dam broke", "Ann Lee")
    assert (page.date, page.address) == ("2024-01-31T10:00:00Z", "https://news.example/dam")
    saved = html.read(b"<!-- saved from url=(0022)https://saved.example/x -->\n<html><body>text")
    assert saved.address == "https://saved.example/x"
    assert html.read(b"<base href='file:///x/y/'>x").address == ""
    assert html.read(b"<link rel=canonical href='javascript:alert(1)'>x").address == ""
    assert (
        html.read(b'<script type="application/ld+json">{"datePublished":"2023-05-01"}</script>x').date == "2023-05-01"
    )
    assert html.read(b"<time datetime='2022-02-02'>then</time>").date == "2022-02-02"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16", "koi8-r", "shift_jis"])
def test_encodings(encoding):
    words = {"koi8-r": "насос остановился", "shift_jis": "ポンプが停止した"}.get(encoding, "Grüße “zitiert”")
    source = f"<html><head><meta http-equiv=Content-Type content='text/html; charset={encoding}'></head><p>{words}"
    assert html.read(source.encode(encoding)).text == words


def test_the_reader_gives_it_as_a_document():
    items = list(READER.read(b"<!DOCTYPE html><title>T</title><p>Seen</p>", "no extension"))
    assert (items[0].kind, items[0].title, items[0].pages) == ("html", "T", 1)
    assert items[1].text == "Seen"


@pytest.mark.parametrize(
    "source",
    [
        "<div>" * 50_000 + "deep",
        "<table><tr><td>" * 5_000 + "deep",
        "<b><i>" * 20_000 + "x",
        "<td>" * 50_000,
        "<p>" * 100_000,
        "x" + "&amp;" * 200_000,
        "<a " + "x=1 " * 50_000 + ">text</a>",
        "<pre>" * 5_000 + "x",
        "<!--" * 50_000,
        "<meta charset" * 20_000,
    ],
)
def test_hostile_nesting_ends_with_its_text(source):
    seen = html.read(source.encode()).text
    assert "<" not in seen
    assert seen.endswith(("deep", "x", "text", "&")) or not seen.strip()


@pytest.mark.parametrize(
    "piece", ["<div>", "<table><tr><td>", "<b><i>", "<td>", "<p>", "&amp;", "<pre>", "<!--", "<br>"]
)
def test_nesting_takes_work_in_proportion(piece):
    assert linear(lambda times: html.read((piece * times + "deep").encode()), 1_000)


PIECES = st.sampled_from(
    ["<p>", "</p>", "é", "<td>", "</td>", "<table>", "</table>", "<pre>", "</pre>", "text", " ", "\n", "<br>", "<li>",
     "&#0;", "<div hidden>", "</div>", "<h1>", "</h1>", "<h3>", "<b style='color:#fff'>", "</b>", "\f", "&#133;",
     "<!--", "-->", "<script>", "</script>", "<svg>", "</svg>", "\0", "<", "<template>"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_tags_give_clean_text(source):
    body = html.parse(source).body
    assert "\0" not in body.text
    assert body.text == body.text.strip("\n").rstrip()
    at = 0
    for start, end, _ in body.hidden_spans:
        assert at <= start < end <= len(body.text)
        at = end
    assert all(0 <= section.start < len(body.text) for section in body.sections)
    pages = body.pages()
    assert "".join(page.text for page in pages) == body.text


def test_the_parser_is_not_given_more_attributes_of_a_tag_than_it_reads_in_good_time(monkeypatch):
    given = []

    class Parser(html.LexborHTMLParser):
        def __init__(self, source):
            given.append(source)
            super().__init__(source)

    monkeypatch.setattr(html, "LexborHTMLParser", Parser)
    many = " ".join(f"a{n}='{n} {n}'" for n in range(200_000))
    page = html.read(
        f"<p {many} style='display: none'>unseen</p><p>seen</p><svg d='{'M 1 ' * 5_000}'></svg>end".encode()
    )
    assert page.text == "unseen\n\nseen\n\nend"
    assert page.body.hidden_spans == ((0, 6, "unseen"),)
    assert len(given[0]) < 50_000
    assert "M 1 " * 5_000 in given[0]


@pytest.mark.parametrize(
    "element",
    [
        '<bdo dir="rtl">012</bdo>',
        '<bdo dir="rtl"><b>012</b></bdo>',
        '<span style="unicode-bidi: bidi-override; direction: rtl">012</span>',
        '<span dir="rtl" style="unicode-bidi:isolate-override">012</span>',
    ],
)
def test_what_is_shown_from_right_to_left_letter_by_letter_is_marked_as_such(element):
    assert text(f"<p>They paid {element} crowns.") == "They paid \u202e012\u202c crowns."


@pytest.mark.parametrize(
    "element",
    ['<bdo dir="ltr">012</bdo>', '<bdi dir="rtl">012</bdi>', '<span dir="rtl" style="direction: rtl">012</span>'],
)
def test_what_is_only_set_in_the_direction_of_its_script_is_not(element):
    assert text(f"<p>They paid {element} crowns.") == "They paid 012 crowns."
