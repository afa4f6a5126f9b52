"""Headings of every format become sections, at the place where they stand; each page has its language."""

from __future__ import annotations

import hashlib
import io
import zipfile

import docx
import pytest

from core.domain import PageText, Section
from core.engines.readers import markdown
from core.engines.readers.dispatch import FileReader
from core.store import CaseFile
from core.workers.engines import ReaderClient
from tests.core.engines.format_material import message, mhtml, opendocument, shape, slide, slides, warc

READER = FileReader()
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def pages_of(data: bytes, name: str) -> list[PageText]:
    return [item for item in READER.read(data, name) if isinstance(item, PageText)]


def headings(data: bytes, name: str) -> list[tuple[int, int, str]]:
    """(page, level, title) of each, after a look at its place: the title begins there."""
    rows = []
    for page in pages_of(data, name):
        for section in page.sections:
            words = section.title.split()
            assert page.text[section.start :].lstrip("#").lstrip().startswith(words[0]), (section, page.text)
            rows.append((page.number, section.level, section.title))
    return rows


def word(body: str, styles: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>")
        archive.writestr(
            "word/_rels/document.xml.rels",
            '<Relationships><Relationship Id="r1" Type="x/styles" Target="styles.xml"/></Relationships>',
        )
        archive.writestr("word/styles.xml", f"<w:styles {W}>{styles}</w:styles>")
    return file.getvalue()


def paragraph(text: str, properties: str = "", run: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def test_word_by_style_by_what_it_is_based_on_and_by_outline_level():
    document = docx.Document()
    document.add_heading("The dam", 1)
    document.add_paragraph("It broke.")
    document.add_heading("At night", 3)
    out = io.BytesIO()
    document.save(out)
    assert headings(out.getvalue(), "a.docx") == [(1, 1, "The dam"), (1, 3, "At night")]
    styles = (
        '<w:style w:styleId="berschrift2"><w:name w:val="Heading 2"/></w:style>'
        '<w:style w:styleId="Mine"><w:basedOn w:val="berschrift2"/></w:style>'
        '<w:style w:styleId="Body"><w:basedOn w:val="Mine"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
        '<w:style w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>'
    )
    body = (
        paragraph("One", '<w:pStyle w:val="berschrift2"/>')
        + paragraph("Two", '<w:pStyle w:val="Mine"/>')
        + paragraph("text", '<w:pStyle w:val="Body"/>')
        + paragraph("more", '<w:pStyle w:val="Loop"/>')
        + paragraph("Three", '<w:outlineLvl w:val="0"/>')
        + paragraph("none", '<w:pStyle w:val="Mine"/><w:outlineLvl w:val="9"/>')
        + paragraph("  ", '<w:pStyle w:val="Mine"/>')
        + paragraph("secret", '<w:pStyle w:val="Mine"/>', "<w:vanish/>")
    )
    assert headings(word(body, styles), "a.docx") == [(1, 2, "One"), (1, 2, "Two"), (1, 1, "Three")]


def test_word_over_several_pages():
    broken = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>x</w:t></w:r></w:p>"
    style = '<w:outlineLvl w:val="0"/>'
    assert headings(word(paragraph("One", style) + broken + paragraph("Two", style)), "a.docx") == [
        (1, 1, "One"),
        (2, 1, "Two"),
    ]


def test_opendocument_text_and_slides():
    body = (
        '<text:h text:outline-level="1">The <text:span>dam</text:span></text:h><text:p>It broke.</text:p>'
        '<text:h text:outline-level="2">At night</text:h><text:h>No level</text:h>'
    )
    assert headings(opendocument("text", body), "a.odt") == [(1, 1, "The dam"), (1, 2, "At night"), (1, 1, "No level")]
    frame = '<draw:frame presentation:class="{}"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
    body = f"<draw:page>{frame.format('title', 'Pumps')}{frame.format('outline', 'text')}</draw:page>" * 2
    assert headings(opendocument("presentation", body), "a.odp") == [(1, 1, "Pumps"), (2, 1, "Pumps")]


def test_slides():
    data = slides(slide(shape("text"), shape("The pump", kind="title")), slide(shape("no title")))
    assert headings(data, "a.pptx") == [(1, 1, "The pump")]


def test_rich_text_by_outline_level_and_by_style():
    sheet = r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0\b heading 1;}{\s2{\*\soutlvl x}\b heading 2;}{\*\cs3 x;}}"
    body = (
        r"\pard\s1 The dam\par\pard\s0 It broke.\par\pard\s2 At\~night\par again\par"
        r"\pard\outlinelevel2{\b Deep}{\footnote no}\par\pard text\par\page\pard\s1 After\par}"
    )
    data = (r"{\rtf1\ansi" + sheet + body).encode()
    assert headings(data, "a.rtf") == [
        (1, 1, "The dam"), (1, 2, "At night"), (1, 2, "again"), (1, 3, "Deep"), (2, 1, "After")
    ]  # fmt: skip


def test_web_pages_saved_in_one_file_or_in_an_archive():
    page = "<html><head><title>t</title></head><body><h1>The dam</h1><p>x</p><h2>At night</h2>y</body></html>"
    expected = [(1, 1, "The dam"), (1, 2, "At night")]
    assert headings(page.encode(), "a.html") == expected
    assert headings(mhtml(page), "a.mhtml") == expected
    assert headings(warc(("https://e.org/", "text/html", page.encode())), "a.warc") == expected


def test_mails_by_their_subject_and_what_is_attached_below_it():
    head = "From: a@x.org\nTo: b@x.org\nMIME-Version: 1.0\nSubject: {}\n"
    simple = head.format("The dam") + "Content-Type: text/html\n\n<h1>It broke</h1>At night."
    (page,) = pages_of(simple.encode(), "a.eml")
    assert [(s.level, s.title) for s in page.sections] == [(1, "The dam"), (2, "It broke")]
    assert page.text[page.sections[1].start :] == "It broke\n\nAt night."
    nested = head.format("Fwd") + "Content-Type: message/rfc822\n\n" + simple
    (page,) = pages_of(nested.encode(), "a.eml")
    assert [(s.level, s.title) for s in page.sections] == [(1, "Fwd"), (2, "The dam"), (3, "It broke")]
    assert page.text[page.sections[1].start :].startswith("From: a@x.org")


def test_mailboxes_and_outlook_messages():
    letter = "From x Tue Mar  5 08:00:00 2024\nFrom: a@x.org\nSubject: {}\n\nBody.\n\n"
    pages = pages_of((letter.format("First") + letter.format("Second") + letter.format("")).encode(), "a.mbox")
    assert [[(s.level, s.title, s.start) for s in page.sections] for page in pages] == [
        [(1, "First", 0)],
        [(1, "Second", 0)],
        [(1, "message 3", 0)],
    ]
    (page,) = pages_of(message({0x0037: "The dam", 0x1000: "It broke."}), "a.msg")
    assert page.sections == (Section(1, "The dam", 0),)


# --- Markdown --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\ntext\n## Two ##\n", [(1, "One"), (2, "Two")]),
        ("One\n===\n\nTwo\n---\n", [(1, "One"), (2, "Two")]),
        ("#no heading\n####### seven\n\\# no\n    # code\n", []),
        ("```\n# no\n```\n# Yes", [(1, "Yes")]),
        ("~~~~\n# no\n```\n~~~\n# no\n~~~~\n# Yes", [(1, "Yes")]),
        ("---\ntitle: x\n---\n# Yes", [(1, "Yes")]),
        ("text\n\n---\n\nmore", []),
        ("- item\n---\n", []),
        ("| a | b |\n---\n", []),
        ("# **Bold** and [link](http://x) and `code`", [(1, "Bold and link and code")]),
        ("# snake_case_name 2 * 3 * 4", [(1, "snake_case_name 2 * 3 * 4")]),
        ("#\n# \n#\t\n", []),
        ("\f# After a page", [(1, "After a page")]),
    ],
)
def test_markdown(text, expected):
    sections = markdown.sections(text)
    assert [(s.level, s.title) for s in sections] == expected
    assert all(text[s.start] not in "\n\f " for s in sections)


# --- languages -------------------------------------------------------------------------------------------------------

ENGLISH = (
    "The committee met on Tuesday to discuss the report, and agreed that more evidence was needed before a decision. "
)
GERMAN = "Der Ausschuss trat am Dienstag zusammen, um den Bericht zu beraten, und hielt weitere Beweise für nötig. "


def test_every_page_has_its_language_and_crosses_to_the_program_with_it():
    data = "\f".join([ENGLISH * 4, GERMAN * 4, "Too short."]).encode()
    reader = ReaderClient()
    try:
        pages = [item for item in reader.read(data, "a.txt") if isinstance(item, PageText)]
    finally:
        reader.close()
    assert [page.language for page in pages] == ["en", "de", ""]


def test_sections_and_reasons_cross_to_the_program_and_are_kept_in_the_case(tmp_path):
    source = b"<h1>The dam</h1><p>It broke.</p><h2>At night</h2><p style='font-size:0'>secret</p>"
    reader = ReaderClient()
    try:
        outline, page = reader.read(source, "a.html")
    finally:
        reader.close()
    assert page.hidden_why == ("tiny",)
    with CaseFile.create(tmp_path / "a.disconfirm") as case:
        digest = hashlib.sha256(source).hexdigest()
        document = case.documents.begin(name="a.html", kind="html", sha256=digest, data=source, reader="r")
        case.documents.put_pages(document, [(page, [])])
        case.documents.finish(document, outline)
        assert case.pages.sections(document) == [(1, Section(1, "The dam", 0)), (1, Section(2, "At night", 20))]
        assert case.pages.page(document, 1).hidden_why == ("tiny",)
