"""E-books: raised figures, missing chapters, and an account of every part."""

from __future__ import annotations

import base64
import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from core.domain import LeftOut, PageText
from core.engines.readers import epub
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment
from tests.core.engines.format_material import epub as book

READER = FileReader()


def changed(data: bytes, *, drop: str = "", parts: dict[str, bytes], items: str = "", order: str = "") -> bytes:
    """Return a book with other parts, more of them in its list, and one of them gone."""
    file = io.BytesIO()
    source = zipfile.ZipFile(io.BytesIO(data))
    with zipfile.ZipFile(file, "w") as copy:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith(".opf"):
                content = content.replace(b"</manifest>", f"{items}</manifest>".encode())
                content = content.replace(b"</spine>", f"{order}</spine>".encode())
            if name != drop and name not in parts:
                copy.writestr(name, content)
        for name, content in parts.items():
            copy.writestr(name, content)
    return file.getvalue()


def read(data):
    items = list(READER.read(data, "a.epub"))
    return (
        [item for item in items if isinstance(item, PageText)],
        {(item.what, item.count, item.where) for item in items if isinstance(item, LeftOut)},
        [item for item in items if isinstance(item, Attachment)],
    )


@pytest.mark.parametrize(
    ("chapter", "text"),
    [
        ("10<sup>6</sup> litres", "10⁶ litres"),
        ("in 2019<sup><a href='#n'>3</a></sup> by", "in 2019³ by"),
        ("12<sup>1</sup>/<sub>2</sub> tons", "12 1/2 tons"),
        ("H<sub class='x'>2</sub>O on the 1<sup>st</sup>", "H₂O on the 1st"),
        ("note <sup>[4]</sup>", "note [4]"),
    ],
)
def test_raised_figures_never_join_the_number_before_them(chapter, text):
    data = book(f"<p>{chapter}</p>")
    (page,), _, _ = read(data)
    assert page.text == text
    assert [page.text[w.start : w.end] for w in page.words] == page.text.split()
    assert READER.render(data, "a.epub", 1, scale=0.5).width > 10


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("position: relative; top: -0.33em", "It holds 10⁶ litres."),
        ("position: relative; top: 0.2em;", "It holds 10₆ litres."),
        ("position: relative; left: 0.2em", "It holds 106 litres."),
    ],
)
def test_figures_that_a_style_sheet_moves_off_the_line_join_no_number(rule, text):
    link = '<link rel="stylesheet" type="text/css" href="s.css"/>'
    chapter = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title>{link}</head><body>'
    chapter += '<p>It holds 10<span class="up">6</span> litres.</p></body></html>'
    sheet = f".up {{ font-size: 0.58em; {rule} }}"
    item = '<item id="s" href="s.css" media-type="text/css"/>'
    data = changed(book("<p>x</p>"), parts={"c0.xhtml": chapter.encode(), "s.css": sheet.encode()}, items=item)
    assert read(data)[0][0].text == text


@pytest.mark.parametrize(
    ("ruby", "text"),
    [
        ("東京<rt>とうきょう</rt>", "東京(とうきょう)"),
        ("東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp>", "東京(とうきょう)"),
    ],
)
def test_the_reading_of_a_word_stands_in_brackets(ruby, text):
    page = read(book(f"<p>in <ruby>{ruby}</ruby>.</p>"))[0][0]
    assert page.text == f"in {text}."


def test_a_missing_chapter_is_a_blank_page_and_a_line_of_the_ledger():
    data = changed(book("<p>One.</p>", "<p>Two.</p>", "<p>Three.</p>"), drop="c1.xhtml", parts={})
    pages, left_out, _ = read(data)
    assert [page.text for page in pages] == ["One.", "", "Three."]
    assert [page.source for page in pages] == ["embedded"] * 3  # it has no picture to be read by OCR
    assert left_out == {("missing chapter", 1, "c1.xhtml (chapter 2)")}


def test_a_book_that_needs_no_change_is_read_as_it_is():
    data = book("<p>One.</p>")
    assert epub.prepare(data, "a.epub") is data
    assert epub.prepare(b"PK\x03\x04 no archive", "a.epub") == b"PK\x03\x04 no archive"


def test_what_a_book_says_about_itself_is_named():
    words = "".join(f"<dc:{name}>words</dc:{name}>" for name in ("description", "subject", "subject", "publisher"))
    data = changed(
        book("<p>One.</p>"),
        parts={},
        items="</manifest><metadata xmlns:dc='d'>" + words + "<dc:rights> </dc:rights></metadata><manifest>",
    )
    assert read(data)[1] == {
        ("property of the file (description)", 1, "the book"),
        ("property of the file (subject)", 2, "the book"),
        ("property of the file (publisher)", 1, "the book"),
    }


def test_every_part_is_on_a_page_or_in_the_ledger():
    picture = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(picture, "PNG")
    pixels = base64.b64encode(picture.getvalue()).decode()
    chapter = (
        "<p>Seen.</p><p style='display:none'>Secret.</p><p><del>Struck.</del></p><img src='a.png' alt='A valve'/>"
        f"<img src='data:image/png;base64,{pixels}'/><!-- a remark -->"
    )
    kinds = {
        "a.png": "image/png", "b.mp3": "audio/mpeg", "c.js": "text/javascript",
        "d.css": "text/css", "e.ttf": "font/ttf",
        "f.xhtml": "application/xhtml+xml", "g.odd": "application/x-odd", "h.ncx": "application/x-dtbncx+xml",
    }  # fmt: skip
    items = "".join(f"<item id='{name}' href='{name}' media-type='{kind}'/>" for name, kind in kinds.items())
    items += "<item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>"
    items += "<item id='none' href='none.mp3' media-type='audio/mpeg'/>"
    parts = dict.fromkeys([*kinds, "nav.xhtml", "unlisted.txt"], b"x") | {
        "a.png": picture.getvalue(),
        "f.xhtml": b"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Aside.</p></body></html>",
    }
    pages, left_out, inside = read(changed(book(chapter), parts=parts, items=items))
    assert "Seen." in pages[0].text
    assert "Secret." not in pages[0].text
    assert [(item.name, item.data) for item in inside] == [("f.xhtml", parts["f.xhtml"])]
    assert left_out == {
        ("hidden passage", 1, "c0.xhtml"), ("struck passage that is not marked", 1, "c0.xhtml"),
        ("description of a picture", 1, "chapters"), ("comment in the source", 1, "chapters"),
        ("picture", 1, "the book"), ("picture", 1, "c0.xhtml"), ("sound", 1, "the book"), ("script", 1, "the book"),
        ("part of type application/x-odd", 1, "the book"), ("missing part", 1, "none.mp3"),
        ("part that the book does not list", 1, "the book"), ("table of contents", 1, "nav.xhtml"),
    }  # fmt: skip


# What a word of this place of a chapter is in: '' for the page, else the line of the ledger.
PLACES = {
    "<p>WORD</p>": "",
    "<h2>WORD</h2>": "",
    "<table><tr><td>a</td><td>WORD</td></tr></table>": "",
    "<ul><li>WORD</li></ul>": "",
    "<pre>WORD</pre>": "",
    "<p>x<sup>WORD</sup></p>": "",
    "<p><ruby>x<rt>WORD</rt></ruby></p>": "",
    "<aside epub:type='footnote'>WORD</aside>": "",
    "<p><del>WORD</del></p>": "",
    "<p hidden='hidden'>WORD</p>": "hidden passage",
    "<p style='display:none'>WORD</p>": "hidden passage",
    "<p><a href='https://a.example/WORD'>x</a></p>": "link address",
    "<p><abbr title='WORD'>x</abbr></p>": "tooltip",
    "<!-- WORD -->": "comment in the source",
    "<script>WORD</script>": "script",
}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=6, unique=True))
def test_every_word_of_a_chapter_is_on_a_page_or_under_a_line(places):
    words = {place: f"quartz{'abcdef'[number]}word" for number, place in enumerate(places)}
    chapter = "".join(f"<div>{place.replace('WORD', word)}</div>" for place, word in words.items())
    pages, left_out, _ = read(book(f"<p>First.</p>{chapter}"))
    text = " ".join(page.text for page in pages)
    lines = {what for what, _, _ in left_out}
    for place, word in words.items():
        assert word in text or (PLACES[place] and PLACES[place] in lines), place
