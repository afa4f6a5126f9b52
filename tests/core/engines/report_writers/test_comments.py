"""Comments in a text document: at the right words, over runs, in links, insertions and tables; the rest as it was."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml import etree

from core.engines.report_writers.dispatch import FileWriter

W = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main"}
SENTENCES = ["It was certainly sabotage.", "The relay was out for 74 minutes.", "In a cell it says so.", "See the log."]


def report() -> bytes:
    document = Document()
    paragraph = document.add_paragraph("It was ")
    change = OxmlElement("w:ins")
    paragraph._p.append(change)
    change.append(paragraph.add_run("certainly ")._r)
    gone = OxmlElement("w:del")
    gone_run = paragraph.add_run("never ")._r
    gone_run.find(qn("w:t")).tag = qn("w:delText")
    gone.append(gone_run)
    paragraph._p.append(gone)
    paragraph.add_run("sabotage. The relay was ").bold = True
    paragraph.add_run("out for  74 minutes. Then it rained.")
    document.add_table(1, 1).cell(0, 0).text = "In a cell it says so."
    link = OxmlElement("w:hyperlink")
    last = document.add_paragraph()
    link.append(last.add_run("See the log.")._r)
    last._p.append(link)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def order(sentences=SENTENCES) -> bytes:
    return json.dumps(
        {
            "title": "Audit",
            "generated_at": "2026-01-02T03:04:05Z",
            "author": "Disconfirm",
            "initials": "DC",
            "summary": ["What was found."],
            "comments": [{"text": text, "comment": f"On {number}"} for number, text in enumerate(sentences)],
            "paragraphs": [{"kind": "text", "text": text} for text in SENTENCES],
        }
    ).encode()


def comments_of(data: bytes) -> dict[str, str]:
    """What each comment says, and the words between its marks."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    body = etree.fromstring(archive.read("word/document.xml"))
    texts = {
        comment.get(qn("w:id")): "".join(comment.itertext())
        for comment in etree.fromstring(archive.read("word/comments.xml")).iter(qn("w:comment"))
    }
    result = {}
    for identity, comment_text in texts.items():
        words, inside = "", False
        for element in body.iter():
            if element.tag == qn("w:commentRangeStart") and element.get(qn("w:id")) == identity:
                inside = True
            elif element.tag == qn("w:commentRangeEnd") and element.get(qn("w:id")) == identity:
                inside = False
            elif inside and element.tag == qn("w:t"):
                words += element.text or ""
        result[comment_text] = " ".join(words.split())
    return result


def test_each_comment_stands_at_its_words():
    data = FileWriter().write("comments", order(), {"original": report()})
    comments = comments_of(data)
    assert {f"On {number}": text for number, text in enumerate(SENTENCES)}.items() <= comments.items()
    assert "What was found." in comments
    text = "".join(etree.fromstring(zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml")).itertext())
    original = "".join(etree.fromstring(zipfile.ZipFile(io.BytesIO(report())).read("word/document.xml")).itertext())
    assert text.replace(" ", "") == original.replace(" ", "")


def test_words_that_stand_nowhere_are_said_at_the_beginning():
    comments = comments_of(FileWriter().write("comments", order(["Not there."]), {"original": report()}))
    assert any("Not there." in comment and "On 0" in comment for comment in comments)


def test_a_report_of_another_format_is_written_anew():
    comments = comments_of(FileWriter().write("comments", order(), {}))
    assert {f"On {number}": text for number, text in enumerate(SENTENCES)}.items() <= comments.items()


@pytest.mark.parametrize("pictures", [{}, {"original": report()}])
def test_the_same_again(pictures):
    first, second = (FileWriter().write("comments", order(), pictures) for _ in range(2))
    assert first == second
    stamps = set(
        etree.fromstring(zipfile.ZipFile(io.BytesIO(first)).read("word/comments.xml")).xpath("//@w:date", namespaces=W)
    )
    assert stamps == {"2026-01-02T03:04:05Z"}
