from __future__ import annotations

import base64
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from core.domain import LeftOut
from core.engines.readers import html
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment
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
        ("<ol><li><p>one</p></li><li>two</li></ol>", "1. one\n\n2. two"),
        ("<table><tr><th>Name<th>Age<tr><td>Ann<td>31</table>", "Name · Age\nAnn · Age: 31"),
        ("<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>", "a b\tc"),
        (
            "<table><tr><td><table><tr><td>in</td><td>ner</td></tr></table><p>after</td></tr></table>",
            "in\tner\n\nafter",
        ),
        ("<pre>  x\n    y</pre>", "  x\n    y"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("a&nbsp;b &lt;tag&gt; &amp;", "a b <tag> &"),
        ("<a href='http://x'>link</a><img src='http://x/y.png' alt='pic'>", "linkpic"),
        ("<p>a <img alt='not'> b</p><figure><img alt='A valve'></figure>", "a not b\n\n[picture: A valve]"),
        ("<p>10<sup>6</sup>, 2019<sup><a href=#n>3</a></sup>, H<sub>2</sub>O, 1<sup>st</sup>", "10⁶, 2019³, H₂O, 1st"),
        ("<p>said<sup><a>[3]</a></sup>, 12<sup>1</sup>/<sub>2</sub> tons", "said[3], 12 1/2 tons"),
        ("<p>x<span style='vertical-align: super'>2</span>", "x²"),
        (
            "<math><msup><mn>10</mn><mn>6</mn></msup><mo>+</mo><mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>",
            "10⁶+2 1/2",
        ),
        ("<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>", "(a+b)/2"),
        (
            "<p>12<span><span style='clip:rect(0 0 0 0)'><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math></span>"
            "<span aria-hidden=true><i>2</i><i>1</i></span></span> tons",
            "12 1/2 tons",
        ),
        ("<style>.f b{display:block}</style><p>12<span class=f><b>1</b><b>2</b></span> tons", "12 1/2 tons"),
        (
            "<p>12<b style='display:inline-flex;flex-direction:column'><i>1</i><i>/</i><i>2</i></b> tons",
            "12 1/2 tons",
        ),
        ("<style>.l{display:block}</style><p><b class=l>41</b><b class=l>7 hurt</b>", "41\n7 hurt"),
        ("<style>.r{display:flex}</style><div class=r><b>Total</b><b>417</b></div>", "Total 417"),
        ("<div style='display:grid'><b>Total</b><b>417</b></div>", "Total\n417"),
        ("<p>10<span style='vertical-align:4px'>6</span>, 10<span style='vertical-align:1px'>6</span>", "10⁶, 106"),
        ("<style>td{display:block}</style><table><tr><td>a<td>b</table><p>c<p>d", "a\nb\n\nc\n\nd"),
        ("<p>The rent is <del>900</del><ins>1,200</ins> and colo<del>u</del>r", "The rent is 900 1,200 and colour"),
        ("<style>.r{float:right}</style><p><b>Total</b><b class=r>417</b><b class=r>Sum</b>", "Total 417 Sum"),
        ("<p><b style='float:left'>T</b>he pump <b style='position:absolute'>stop</b>ped", "The pump stopped"),
        ("<p><b style='display:table-cell'>41</b><b style='display:table-cell'>7</b>", "41 7"),
        ("<button>41</button><button>7</button><label>Age</label>", "41 7 Age"),
        ("<frameset><frame src='menu.html'><frame src='log.html'></frameset>", "[frame: menu.html]\n[frame: log.html]"),
        ("<ruby>東京<rt>とう</rt></ruby>と<ruby>京<rp>(</rp><rt>き</rt><rp>)</rp></ruby>", "東京(とう)と京(き)"),
        ("<input value=typed> <input type=checkbox checked>Yes <input type=checkbox>No", "typed ☑ Yes ☐ No"),
        ("<ol start=7><li>a<li>b</ol><ol type=i><li>c<li value=4>d</ol>", "7. a\n8. b\n\ni. c\niv. d"),
        ("<style>.r{list-style:upper-roman inside}</style><ol class=r><li>a<li>b</ol>", "I. a\nII. b"),
        ("<ol style='list-style-type: lower-alpha'><li>a</ol><ol style='list-style:disc'><li>b</ol>", "a. a\n\nb"),
        ("<ol style='list-style: none'><li>a</ol><style>.n{list-style:none}</style><ol class=n><li>b</ol>", "a\n\nb"),
        ("<p>He said <q>no</q>.<progress value=3 max=10></progress>", "He said “no”. 3 of 10"),
        (
            "<div style='white-space: pre-wrap'>a\n  b</div><style>.l{white-space:pre}</style><p class=l>c\nd",
            "a\n  b\n\nc\nd",
        ),
        ("<svg><text>axis</text><text>label</text></svg><a href=x aria-label=Share></a>", "axis\nlabel\n\n[Share]"),
        ("<style>.b{display:block}.x{display:none}</style>a<span style='display:block'>b</span>c", "a\nb\nc"),
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
        "<svg><title>secret</title></svg>",
        "<input type=hidden value=secret>",
        "<iframe src='file:///etc/passwd'>secret</iframe>",
        "<object data='data:image/png;base64,AAAA'>secret</object>",
        "<canvas>secret</canvas>",
    ],
)
def test_what_is_no_text_of_the_page_is_left_out(unseen):
    assert text(f"<body><p>seen</p>{unseen}<p>also seen</p>") == "seen\n\nalso seen"


@pytest.mark.parametrize("inside", ["turn it on", "<p>turn it on</p>", "<div><!-- a --><p>turn</div>", "<!--- ->-->on"])
@pytest.mark.parametrize("frame", ["<head>{}</head><body><p>seen", "<body><p>seen{}", "<body><table><tr><td>seen{}"])
def test_words_for_browsers_without_scripts_are_no_text_wherever_they_stand(inside, frame):
    page = html.read(frame.format(f"<noscript>{inside}</noscript>").encode())
    assert page.text == "seen"
    assert [item.what for item in page.left_out] == ["text for browsers without scripts"]


def test_what_stands_in_an_object_is_shown_where_the_object_is_not():
    source = b"<p>one<object data=film.swf><p>Get a player</p></object><object data=a.png>a plan</object>"
    page = html.read(source, html.Surroundings(has=lambda address: address == "a.png"))
    assert page.text == "one\n\nGet a player"
    assert [(item.what, item.where) for item in page.left_out] == [
        ("embedded object", "film.swf"),
        ("embedded object", "a.png"),
    ]


def hidden(source: str) -> list[tuple[str, str]]:
    body = html.read(source.encode()).body
    return [(body.text[start:end], why) for start, end, why in body.hidden_spans]


@pytest.mark.parametrize(
    ("unseen", "why"),
    [
        ("<div hidden>secret</div>", "unseen"),
        ("<dialog>secret</dialog>", "unseen"),
        ("<style>.x{display:none}</style><p class=x>secret</p>", "unseen"),
        (
            "<style>@media screen and (min-width:20em){#x>b{visibility:hidden}}</style><p id=x><b>secret</b>",
            "unseen",
        ),
        ("<style>.x{opacity:0}</style><p class='y x'>secret</p>", "transparent"),
        ("<style>.x p{position:absolute;left:-9999px}</style><div class=x><p>secret</p></div>", "outside"),
        ("<style>.x{position:absolute;clip:rect(1px,1px,1px,1px)}</style><p class=x>secret</p>", "cut off"),
        ("<style>.x{width:1px;height:1px;overflow:hidden}</style><p class=x>secret</p>", "cut off"),
        ("<style>p.x{font-size:0}</style><p class=x>secret</p>", "tiny"),
        ("<style>.x{color:#fefefe}</style><p class=x>secret</p>", "colour"),
        ("<style>.x{background:#036}.x p{color:#036}</style><div class=x><p>secret</p></div>", "colour"),
        ("<style>.x{color:transparent}</style><p class=x>secret</p>", "transparent"),
        ("<style>.x{dis\\70 lay:none}</style><p class=x>secret</p>", "unseen"),
        (
            "<style>.x{display:none!important}.x.x{display:block}</style><p class=x style='display:block'>secret</p>",
            "unseen",
        ),
        ("<style>p:not(.y):first-child~p[title^=t]{display:none}</style><p title=two>secret</p>", "unseen"),
        ("<p style='display/**/:none'>secret</p>", "unseen"),
        ("<style>.x{display:none}</style><table><tr><th>a<th>b<tr><td>c<td class=x>secret</table>", "unseen"),
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
    "source",
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
        "<style>.x{display:none}.x.y{display:block}</style><p class='x y'>a</p>",
        "<style>.x{display:none}</style><p class=x style='display:block'>a</p>",
        "<style>@media print{.x{display:none}}@media (max-width:600px){.x{display:none}}</style><p class=x>a</p>",
        "<style media=print>.x{display:none}</style><p class=x>a</p>",
        "<style>.x:hover{display:none}.x::before{display:none}</style><p class=x>a</p>",
        "<style>.x{visibility:hidden}.x b{visibility:visible}</style><p class=x><b>a</b></p>",
        "<style>.x{font-size:0}.x b{font-size:14px}</style><p class=x><b>a</b></p>",
        "<style>.x{color:#fff;background:#036}</style><p class=x>a</p>",
        "<style>.x{color:#fff}body{background:#000}</style><p class=x>a</p>",
        "<style>.x{opacity:0;animation:appear 1s}</style><p class=x>a</p>",
        "<style>body{display:none}html{opacity:0}</style><p>a</p>",
        "<style>@keyframes k{from{opacity:0}.x{display:none}}@font-face{display:none}</style><p class=x>a</p>",
        "<style>.y>.x{display:none}</style><div class=y><div><p class=x>a</p></div></div>",
        "<style>.x{position:absolute;left:0;height:1px}</style><p class=x>a</p>",
    ],
)
def test_what_looks_hidden_but_is_not_is_not_flagged(source):
    assert text(source) == "a"
    assert hidden(source) == []


def test_a_page_that_its_sheets_hide_whole_until_a_script_has_run_is_not_hidden():
    words = "The valve was shut at noon. " * 100
    assert hidden(f"<style>.all{{visibility:hidden}}</style><p>x</p><div class=all>{words}</div>") == []
    assert hidden(f"<style>.all{{visibility:hidden}}</style><p>{words}</p><div class=all>{words}</div>") != []


def test_struck_words_are_marked():
    source = (
        "<style>.s{text-decoration:line-through}</style><p>The rent is <del>900</del> 1,200; may <s>not</s> sublet "
        "<i class=s>at <b>all</b></i><i style='text-decoration: underline line-through'> ever</i>"
    )
    body = html.read(source.encode()).body
    assert [body.text[start:end] for start, end in body.struck_spans] == ["900", "not", "at all ever"]


def test_shadow_roots_and_pages_in_pages_are_read_with_their_own_style_sheets():
    for mode in ("shadowrootmode", "shadowroot", "shadowmode"):
        source = f"<p>a</p><div><template {mode}=open><style>.x{{display:none}}</style><p class=x>b</template></div>"
        assert (text(source), hidden(source)) == ("a\n\nb", [("b", "unseen")])
    source = "<style>b{display:none}</style><iframe srcdoc='&lt;b&gt;in&lt;/b&gt; a frame'></iframe>after"
    assert (text(source), hidden(source)) == ("in a frame\n\nafter", [])
    deep = "x"
    for _ in range(9):
        deep = f"<template shadowrootmode=open>{deep}</template>"
    assert [item.what for item in html.read(deep.encode()).left_out] == ["template"]


def test_tables_keep_their_cells():
    page = html.read(
        b"<table><caption>Log</caption><thead><tr><th>time<th>vehicle<th>way</thead><tr><td rowspan=2>07:58"
        b"<td>van<td>in</tr><tr><td><s>bus</s><td colspan=1></tr></table>"
    )
    assert page.text == "Log\n\ntime · vehicle · way\n07:58 · vehicle: van · way: in\n07:58 · vehicle: bus"
    (table,) = page.body.tables
    assert table.columns == ("time", "vehicle", "way")
    cells = [[page.text[slice(*cell)] for cell in row] for row in table.rows]
    assert cells == [["07:58", "van", "in"], ["07:58", "bus", ""]]
    assert [page.text[slice(*span)] for span in page.body.struck_spans] == ["bus"]


def test_a_picture_written_into_the_page_is_a_document():
    file = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(file, "PNG")
    small = io.BytesIO()
    Image.new("RGB", (20, 20), "white").save(small, "PNG")
    encoded = [base64.b64encode(picture.getvalue()).decode() for picture in (file, small)]
    tags = "".join(f"<img src='data:image/png;base64,{data}'>" for data in encoded)
    items = list(READER.read(f"<html><p>a</p>{tags}<img src=b.png>".encode(), "a.html"))
    assert [(item.name, item.data) for item in items if isinstance(item, Attachment)] == [
        ("picture 1.png", file.getvalue())
    ]
    assert LeftOut("picture that is not in the file", 1, "body") in items


# Where a word may stand in a page, and what the ledger calls the place where it is in no text; '' for a text.
PLACES = {
    "<p>WORD": "",
    "<p hidden>WORD</p>": "",
    "<img alt=WORD>": "",
    "<input value=WORD>": "",
    "<td>WORD": "",
    "<textarea>WORD</textarea>": "",
    "<select><option>x<option>WORD</select>": "",
    "<details>WORD</details>": "",
    "<dialog>WORD</dialog>": "",
    "<svg><text>WORD</text></svg>": "",
    "<math><mtext>WORD</mtext></math>": "",
    "<iframe srcdoc=WORD></iframe>": "",
    "<div><template shadowrootmode=open>WORD</template></div>": "",
    "<button aria-label=WORD></button>": "",
    "<button>WORD</button>": "",
    "<ruby>x<rt>WORD</rt></ruby>": "",
    "<table><tr><th>a<th>b<tr><td>c<td>WORD</table>": "",
    "<table><caption>WORD</caption><tr><th>a<th>b<tr><td>c<td>d</table>": "",
    "<fieldset><legend>WORD</legend></fieldset>": "",
    "<del>WORD</del>": "",
    "<svg><foreignObject>WORD</foreignObject></svg>": "",
    "<progress value=1>WORD</progress>": "",
    "<marquee>WORD</marquee>": "",
    "<iframe src='data:text/html,<p>WORD</p>'></iframe>": "",
    "<select><optgroup label=WORD><option>x</optgroup></select>": "",
    "<select><option label=WORD></option></select>": "",
    "<textarea placeholder=WORD></textarea>": "hint in an empty form field",
    "<datalist><option value=WORD></datalist>": "list of suggestions",
    "<div aria-label=WORD>x</div>": "label for screen readers",
    "<math alttext=WORD><mi>x</mi></math>": "source of a formula",
    "<table summary=WORD><tr><th>a<th>b<tr><td>c<td>d</table>": "summary of a table",
    "<img src='data:image/svg+xml,<svg><text>WORD</text></svg>'>": "vector picture (SVG)",
    "<unknown-tag>WORD</unknown-tag>": "",
    "<script>WORD</script>": "script",
    "<script type='application/ld+json'>{'a': 'WORD'}</script>": "block of data in a script",
    "<!-- WORD -->": "comment in the source",
    "<noscript>WORD</noscript>": "text for browsers without scripts",
    "<p>x<noscript><p>WORD <!-- x --></p></noscript>": "text for browsers without scripts",
    "<template>WORD</template>": "template",
    "<object>WORD</object>": "",
    "<object data=x><param name=a value=b><p>WORD</p></object>": "",
    "<object data='data:image/png;base64,AAAA'>WORD</object>": "embedded object",
    "<canvas>WORD</canvas>": "drawing by a script",
    "<video>WORD</video>": "video",
    "<audio>WORD</audio>": "sound",
    "<iframe src=x>WORD</iframe>": "embedded page",
    "<map><area alt=WORD></map>": "picture map",
    "<datalist><option>WORD</datalist>": "list of suggestions",
    "<svg><title>WORD</title></svg>": "label of a drawing",
    "<svg><desc>WORD</desc></svg>": "label of a drawing",
    "<abbr title=WORD>x</abbr>": "tooltip",
    "<input type=hidden value=WORD>": "hidden form value",
    "<input placeholder=WORD>": "hint in an empty form field",
    "<p></p><style>p::after{content:'WORD'}</style>": "text written by a style sheet",
    "<p data-w=WORD class=w></p><style>.w::before{content:attr(data-w)}</style>": "text written by a style sheet",
    "<math><mphantom>WORD</mphantom></math>": "hidden part of a formula",
    "<math><semantics><mi>x</mi><annotation>WORD</annotation></semantics></math>": "source of a formula",
    "<embed src=WORD>": "embedded object",
    "<img src=WORD.png>": "picture that is not in the file",
}  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=6, unique=True))
def test_every_word_is_in_a_page_or_under_a_line_of_the_ledger(places):
    words = {place: f"word{number}" for number, place in enumerate(places)}
    source = "<html><body>" + "".join(f"<div>{place.replace('WORD', word)}</div>" for place, word in words.items())
    page = html.read(source.encode())
    kinds = {item.what for item in page.left_out}
    for place, word in words.items():
        assert (word in page.text) == (PLACES[place] == ""), place
        assert not PLACES[place] or PLACES[place] in kinds, place


def test_what_a_style_sheet_writes_is_named_where_an_element_has_it():
    sheet = (
        ":root{--w:'not '}.a::before{content:var(--w)}.b:after{content:'\\201C'}.c::before{content:'\\f101'}"
        ".d::before{content:'never'}.e li::before{content:counter(n) '. '}@media print{.a::after{content:'printed'}}"
    )
    body = "<p class=a>guilty<p class=a>late<p class=b>x<p class=c>y<ul class=e><li>z</ul>"
    page = html.read(f"<style>{sheet}</style>{body}".encode())
    assert [(item.what, item.count, item.where) for item in page.left_out] == [
        ("text written by a style sheet", 2, "“not” before .a"),
        ("text written by a style sheet", 1, "“1, 2 ….” before .e li"),
    ]


def test_addresses_behind_links_are_counted():
    links = "<a href='https://a.example/'>One</a> <a href='mailto:x@y.example'>Two</a> <a href='#top'>Three</a>"
    (item,) = html.read(f"<body>{links} <a>Four</a></body>".encode()).left_out
    assert (item.what, item.count, item.where) == ("link address", 2, "body")


def test_comments_around_the_page_are_counted():
    source = (
        "<!-- one --><html><head><!-- two --><!-- saved from url=(9)x --><title>T</title></head><body>x</body></html>"
    )
    (item,) = html.read(f"{source}<!-- three -->".encode()).left_out
    assert (item.what, item.count, item.where) == ("comment in the source", 3, "head")


def test_frames_are_named_with_the_place_of_their_pages():
    frames = "<frame src='start_files/left.html?x=1'><frame src='https://a.example/right'><frame src='about:blank'>"
    page = html.read(f"<html><frameset cols='1,2'>{frames}</frameset></html>".encode())
    assert page.text.split("\n")[0] == "[frame: start_files/left.html?x=1]"
    assert {(item.what, item.count, item.where) for item in page.left_out} == {
        ("embedded page", 1, "start_files/left.html"),
        ("embedded page", 1, "a.example"),
        ("embedded page", 1, "body"),
    }


def test_the_frames_of_a_page_are_read_where_they_are_saved_with_it():
    frames = {"left.html": html.read(b"<p>The list.</p>"), "right.html": html.read(b"<p>The news.</p>")}
    around = html.Surroundings(page=frames.get)
    page = html.read(b"<frameset><frame src=left.html><frame src=right.html></frameset>", around)
    assert (page.text, page.left_out) == ("The list.\n\nThe news.", ())


@pytest.mark.slow
def test_selectors_made_to_take_long_end():
    source = "<style>" + "".join(f".a .a .a>.a~.b{n} .a,div .a .a .a{{display:none}}" for n in range(300)) + "</style>"
    html.read((source + "<div class=a>" * 2_000 + "x").encode())
    html.read((source + "<p class=a>x</p>" * 5_000).encode())


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
    words = html.read(source.encode()).text
    assert "<" not in words
    assert words.endswith(("deep", "x", "text", "&")) or not words.strip()


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
    last = 0
    for start, end, _ in body.hidden_spans:
        assert last <= start < end <= len(body.text)
        last = end
    assert all(0 <= section.start < len(body.text) for section in body.sections)
    pages = body.pages()
    assert "".join(page.text for page in pages) == body.text


def test_the_parser_is_not_given_more_attributes_of_a_tag_than_it_reads_in_good_time(monkeypatch):
    sources = []

    class Parser(html.LexborHTMLParser):
        def __init__(self, source):
            sources.append(source)
            super().__init__(source)

    monkeypatch.setattr(html, "LexborHTMLParser", Parser)
    many = " ".join(f"a{n}='{n} {n}'" for n in range(200_000))
    page = html.read(
        f"<p {many} style='display: none'>unseen</p><p>seen</p><svg d='{'M 1 ' * 5_000}'></svg>end".encode()
    )
    assert page.text == "unseen\n\nseen\n\nend"
    assert page.body.hidden_spans == ((0, 6, "unseen"),)
    assert len(sources[0]) < 50_000
    assert "M 1 " * 5_000 in sources[0]


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


def test_a_page_of_elements_without_end_inside_each_other_keeps_its_words():
    deep = 60_000
    page = html.parse(f"<html><body><p>First.</p>{'<div>' * deep}<b>Inside</b> it.{'</div>' * deep}<p>Last.</p>")
    assert "First." in page.text
    assert "Inside it." in " ".join(page.text.split())
    assert "Last." in page.text


def test_xhtml_closes_elements_at_once_and_has_data_of_characters():
    page = html.read(
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/><style>'
        b"<![CDATA[.h{display:none}]]></style></head><body><p/><p>Seen<br/>here</p><p class='h'>Hidden</p>"
        b'<div title="a/>b"/><![CDATA[a < b]]></body></html>'
    )
    assert page.text == "Seen\nhere\n\nHidden\n\na < b"
    assert [page.text[start:end] for start, end, _ in page.body.hidden_spans] == ["Hidden"]
