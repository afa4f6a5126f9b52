"""A report as paragraphs and sentences: what is read, what is not, and as what."""

from __future__ import annotations

import pytest

from core.audit.document_text import read
from core.domain import PageText, Section

MARKDOWN = """---
# What happened

The **door** was open.[^1] It was \\*late\\*
and cold.

> The pump was out
> for 47 minutes.

- First thing
- Second thing, p. 4

| Name | Time |
|------|------|
| Aske | 02:14 |

Notes
-----
[^1]: night-log.txt, p. 1
"""


def rows(report):
    return [(row.kind, row.text) for row in report.paragraphs]


def test_markdown_is_read_as_displayed():
    assert rows(read([PageText(1, MARKDOWN)], markdown=True)) == [
        ("heading", "What happened"),
        ("text", "The door was open.[^1] It was *late* and cold."),
        ("quote", "The pump was out for 47 minutes."),
        ("item", "First thing"),
        ("item", "Second thing, p. 4"),
        ("row", "Name \t Time"),
        ("row", "Aske \t 02:14"),
        ("heading", "Notes"),
        ("note", "night-log.txt, p. 1"),
    ]


def test_hidden_text_is_not_read_and_deletions_are_counted():
    text = "It was sabotage.\n\nDeleted by Ann: It was not."
    start = text.index("Deleted")
    page = PageText(1, text, hidden_spans=((start, len(text)),), hidden_why=("unseen",))
    report = read([page])
    assert rows(report) == [("text", "It was sabotage.")]
    assert report.deletions == 1


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The night shift: what we know\n\nIt rained. It snowed.\n\nThe pump stood still", ["heading", "text", "text"]),
        ("The pump stood still.\n\nIt rained.", ["text", "text"]),
        ("The pump stood still for seven hours on end", ["text"]),
    ],
)
def test_the_first_lines_of_a_text_are_its_title_where_they_end_without_a_full_stop(text, kinds):
    assert [row.kind for row in read([PageText(1, text)]).paragraphs] == kinds


def test_headings_of_the_file_are_headings_and_sentences_keep_their_places():
    page = PageText(1, "The long night of pumps\n\nIt rained. It snowed.", sections=(Section(1, "The long night", 0),))
    report = read([page])
    assert [row.kind for row in report.paragraphs] == ["heading", "text"]
    for sentence in report.sentences:
        assert report.paragraphs[sentence.paragraph - 1].text[sentence.start : sentence.end] == sentence.text
    assert [row.section for row in report.sentences] == ["The long night of pumps"] * 3


def test_running_heads_and_invisible_characters_are_recognised():
    pages = [PageText(n, f"The silent pump {n} / 4\n\nThe d\u200boor was open on day {n}.") for n in range(1, 5)]
    report = read(pages)
    assert [row.kind for row in report.paragraphs if "silent" in row.text] == ["furniture"] * 4
    assert report.sentences[1].text == "The door was open on day 1."
