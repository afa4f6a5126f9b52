from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import xml_text
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment

READER = FileReader()


def read(text: str, name: str = "a.xml", encoding: str = "utf-8"):
    items = list(READER.read(text.encode(encoding), name))
    pages = [item.text for item in items if isinstance(item, PageText)]
    return items[0], "\f".join(pages), items


def test_records_stand_on_a_line_and_words_in_a_sentence_stay_in_it():
    text = """<r><rec id="8"><name>Tom</name><sum cur="EUR">4,500</sum></rec>
    <note>He <b>did not</b> say it<br/>at noon.</note><e><![CDATA[5 < 6]]></e></r>"""
    assert read(text)[1].split("\n") == [
        'rec (id="8") · name: Tom · sum: 4,500 (cur="EUR")',
        "He did not say it",
        "at noon.",
        "e: 5 < 6",
    ]


def test_the_stated_encoding_and_wide_ones_are_read():
    text = "<?xml version='1.0' encoding='ISO-8859-1'?><a><p>“Grüße”</p></a>"
    assert read(text, encoding="cp1252")[1] == "“Grüße”"
    assert read(text.replace("ISO-8859-1", "utf-16"), "a", "utf-16")[1] == "“Grüße”"


def test_a_declaration_in_the_text_stays_and_blanks_without_end_are_read_soon():
    blanks = " " * 600_000
    text = f"<a>{blanks}<e><![CDATA[Say <?xml version='1.0'?> first]]></e></a>"
    assert read(text)[1] == "e: Say <?xml version='1.0'?> first"


def test_a_drawing_is_its_words():
    text = """<svg xmlns="http://www.w3.org/2000/svg"><title>Plan</title><g class="c">
    <text x="1">The <tspan>valve</tspan></text>
    <text style="display:none">secret</text><path d="M0 0"/><image href="data:image/png;base64,QUJD"/></g></svg>"""
    outline, body, items = read(text, "a.svg")
    assert outline.title == "Plan"
    assert body == "Plan\n\nThe valve\nsecret"
    (page,) = (item for item in items if isinstance(item, PageText))
    assert [page.text[start:end] for start, end in page.hidden_spans] == ["secret"]
    assert Attachment("embedded 1.png", b"ABC") in items


def test_paragraphs_of_office_programs_are_whole():
    text = "<w:d xmlns:w='u'><w:p><w:r><w:t>The ins</w:t></w:r><w:r><w:t>pector</w:t></w:r></w:p></w:d>"
    assert read(text)[1] == "The inspector"


def test_news_feeds_hold_pages_in_fields():
    text = "<rss><channel><title>News</title><item><title>Valve</title>"
    text += "<description>&lt;p&gt;It was open.&lt;/p&gt;</description></item></channel></rss>"
    outline, body, _ = read(text, "feed")
    assert (outline.title, "It was open." in body, "<p>" in body) == ("News", True, False)


@pytest.mark.parametrize(
    "text",
    [
        "<?xml version='1.0'?><a>open <b>tag</a>",
        "<?xml version='1.0'?>" + "<a>" * 3_000 + "deep" + "</a>" * 3_000,
        '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]><r x="&c;">tag &c; deep</r>',
    ],
)
def test_what_is_malformed_or_nested_too_deep_is_text_as_it_stands(text):
    body = read(text)[1]
    assert "tag" in body or "deep" in body


def test_entities_are_neither_expanded_nor_fetched():
    text = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname"><!ENTITY b "Acme">]><r><p>&a; and &b;</p></r>'
    _, body, items = read(text)
    assert body == "&a; and &b;"
    assert LeftOut("entity that is not expanded", 2, "whole file") in items
    assert LeftOut("entity declaration", 2, "whole file") in items


words = (f"word{n}x" for n in itertools.count())
WORD = st.builds(lambda: next(words))


def elements(children):
    return st.builds(
        lambda tag, about, text, inner, tail, extra: (
            f"<{tag} {about}='{next(words)}'>{text or ''}{''.join(inner)}{extra}</{tag}>{tail or ''}"
        ),
        st.sampled_from(["p", "rec", "name", "g", "title", "q", "x:t", "svg"]),
        st.sampled_from(["id", "lat", "label", "d"]),
        st.none() | WORD,
        st.lists(children, max_size=3),
        st.none() | WORD,
        st.sampled_from(["", "<![CDATA[ word0cdata ]]>", "<br/>"]),
    )


@given(st.recursive(WORD.map(lambda w: f"<v>{w}</v>"), elements, max_leaves=12), st.integers(0, 3))
def test_every_word_is_on_a_page_and_every_comment_is_counted(inner, comments):
    text = f"<?xml version='1.0'?><root xmlns:x='u'>{inner}{'<!-- c -->' * comments}<p>end</p></root>"
    _, body, items = read(text)
    for word in set(re.findall(r"word\w+", text)):
        assert word in body
    assert [item.count for item in items if isinstance(item, LeftOut)] == ([comments] if comments else [])


@pytest.mark.parametrize("count", [2_500, 200_000])  # of the latter, the pairs that a library compares take minutes
def test_attributes_without_end_are_counted_soon(count):
    attributes = " ".join(f'a{number}="v{number}"' for number in range(count))
    items = list(FileReader().read(f"<?xml version='1.0'?><r><x {attributes}>text</x></r>".encode(), "a.xml"))
    text = "".join(item.text for item in items if isinstance(item, PageText))
    assert "v1999" in text
    assert "v2000" not in text
    assert [(item.what, item.count) for item in items if isinstance(item, LeftOut)] == [
        ("attribute beyond the first 2,000 of an element", count - 2_000)
    ]


@pytest.mark.parametrize(
    ("inside", "line"),
    [
        ("10<sup>6</sup> litres, H<sub>2</sub>O", "10⁶ litres, H₂O"),
        ("10<superscript>6</superscript> litres", "10⁶ litres"),
        ("10<hi rend='superscript'>6</hi> litres", "10⁶ litres"),
        ("in 2019<sup><xref>4</xref></sup>", "in 2019⁴"),
        ("in 2019<xref>4</xref>", "in 2019[4]"),
        ("the day<note>of May</note>", "the day of May"),
        ("<choice><sic>teh</sic><corr>the</corr></choice> day", "teh/the day"),
        ("12<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> tons", "12 1/2 tons"),
    ],
)
def test_figures_in_a_sentence_never_join(inside, line):
    assert read(f"<doc><p>It is {inside}.</p></doc>")[1] == f"It is {line}."


def test_struck_words_are_marked():
    (page,) = (item for item in read("<doc><p>may <del>not</del> go</p></doc>")[2] if isinstance(item, PageText))
    assert [page.text[start:end] for start, end in page.struck_spans] == ["not"]


@pytest.mark.parametrize(("high", "low"), [("&#55357;", "&#56834;"), ("&#xD83D;", "&#xde02;")])
def test_references_that_no_xml_has_do_not_keep_it_from_being_read(high, low):
    text = f'<notes><sms body="Don&apos;t pay &lt;700{high}{low}" note="a&#0;b&#55357;c" name="Zo&#235;"/></notes>'
    assert read(text)[1] == 'sms (body="Don\'t pay <700😂", note="a�b�c", name="Zoë")'


def test_a_picture_of_many_megabytes_is_a_file_and_nothing_else_grows_beyond_its_limits(monkeypatch):
    drawing = f'<svg xmlns:x="y"><text>The gate</text><image x:href="data:image/png;base64,{"A" * 10_400_000}"/></svg>'
    _, text, items = read(drawing, "a.svg")
    (file,) = [item for item in items if isinstance(item, Attachment)]
    assert (text, len(file.data)) == ("The gate", 7_800_000)
    with pytest.raises(UnreadableDocument):  # as it is written
        read(f"<!DOCTYPE svg [<!ENTITY e 'x'>]>{drawing}", "a.svg")
    monkeypatch.setattr(xml_text, "_LONG", 100)
    nested = "<b>" * 300 + "The gate" + "</b>" * 300
    assert read(nested)[1] == nested
