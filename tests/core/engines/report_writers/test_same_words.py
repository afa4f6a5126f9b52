"""The report in every form that is read: the same titles, sentences and figures, in the same order."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import docx
import pymupdf
import pytest
from docx.table import Table as DocxTable

from core.report import ReportData, render_html, render_markdown, tell
from core.report.blocks import Para, Points, Quote, Sub, Table, Terms
from core.report.data import without_places
from core.report_settings import ReportSettings
from tests.core.engines.report_writers.test_dispatch import written
from tests.core.report.cases import HOSTILE, full_case
from tests.core.report.test_report import made_case

OWN = ReportSettings("The gate was opened by hand.", "Ann", "A. Analyst", "CONFIDENTIAL", ("gaps",))
SHAPES = re.compile("[▲●▼○]")


def case(name: str) -> ReportData:
    if name == "made":
        return made_case()
    data = full_case()
    data = replace(data, title="Who opened gate 2?", settings=replace(data.settings, report=OWN))
    evidence = tuple(replace(e, text="The gate hung.") if e.text == HOSTILE else e for e in data.evidence)
    return replace(data, evidence=evidence, short=name == "short")


def bare(text: str) -> str:
    """The text without white space, and without what a form draws beside it."""
    return re.sub(r"\s", "", SHAPES.sub("", text)).replace("\u200b", "")


def web(data: ReportData) -> str:
    page = render_html(data).decode().partition("<main>")[2]
    page = re.sub(r'<span class="flag">.*?</span>|<p class="marking.*?</p>', "", page)
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def markdown(data: ReportData) -> str:
    text = render_markdown(data).decode().replace("<br>", " ")
    text = re.sub(r"^(#+ |- |> |\| ?)|(?<!\\)\*\*|(?<!\\)\|", "", text, flags=re.M)
    return html.unescape(re.sub(r"\\(?=[\W_])", "", re.sub(r"^[ :-]+$", "", text, flags=re.M)))


def word(data: ReportData) -> str:
    document = docx.Document(io.BytesIO(written("docx", data, {})))
    parts = []
    for block in document.iter_inner_content():
        if isinstance(block, DocxTable):
            parts += [cell.text for row in block.rows for cell in row.cells]
        else:
            parts.append("".join(node.text or "" for node in block._p.iter() if node.tag.endswith("}t")))
    return "\n".join(parts)


def pdf_titles(data: ReportData) -> list[str]:
    with pymupdf.open(stream=written("pdf", data, {}), filetype="pdf") as pdf:
        return [title for level, title, _ in pdf.get_toc() if level == 1]


def texts_of(data: ReportData) -> Iterator[str]:
    """Every text of the story, in its order."""
    for section in tell(without_places(data)).sections:
        yield section.title
        for block in section.blocks:
            match block:
                case Para(text) | Sub(text) | Quote(text):
                    yield text
                case Points(items):
                    yield from items
                case Terms(pairs):
                    for term, words in pairs:
                        yield from (term, words)
                case Table(_, columns, rows):
                    yield from (column.title for column in columns if column.look != "cell")
                    for row in rows:
                        yield from row


FORMS = {"html": web, "md": markdown, "docx": word}


@cache
def form(name: str, of: str) -> str:
    return bare(FORMS[name](case(of)))


@pytest.mark.parametrize("of", ["made", "full", "short"])
@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_every_word_in_the_same_order(name, of):
    text, offset = form(name, of), 0
    for words in texts_of(case(of)):
        expected = bare(words)
        place = text.find(expected, offset)
        assert place >= 0, f"“{words}” is not there, or not after “{text[max(0, offset - 80) : offset]}”"
        offset = place + len(expected)


@pytest.mark.parametrize("of", ["made", "full", "short"])
def test_the_titles_are_the_same_in_every_form(of):
    data = case(of)
    titles = [section.title for section in tell(data).sections]
    assert "What is not rated" not in titles or of == "made"
    page = render_html(data).decode()
    assert [html.unescape(title) for title in re.findall(r"<h2[^>]*>(.*?)</h2>", page)] == titles
    assert re.findall(r"^## (.*)$", render_markdown(data).decode(), flags=re.M) == titles
    document = docx.Document(io.BytesIO(written("docx", data, {})))
    assert [p.text for p in document.paragraphs if p.style.name == "Heading 1"] == titles
    assert pdf_titles(data) == titles


def test_the_marking_stands_on_every_page_and_the_author_in_the_properties():
    data = case("full")
    with pymupdf.open(stream=written("pdf", data, {}), filetype="pdf") as pdf:
        assert len(pdf) > 3
        assert all(page.get_text().count("CONFIDENTIAL") == 2 for page in pdf)
        assert pdf.metadata["author"] == "A. Analyst"
    document = docx.Document(io.BytesIO(written("docx", data, {})))
    assert document.core_properties.author == "A. Analyst"
    for section in document.sections:
        assert section.header.paragraphs[0].text == section.footer.paragraphs[0].text == "CONFIDENTIAL"
    with pymupdf.open(stream=written("pdf", made_case(), {}), filetype="pdf") as pdf:
        assert "CONFIDENTIAL" not in pdf[0].get_text()


def test_the_short_form_has_two_pages_at_most():
    with pymupdf.open(stream=written("pdf", case("short"), {}), filetype="pdf") as pdf:
        assert len(pdf) <= 2
