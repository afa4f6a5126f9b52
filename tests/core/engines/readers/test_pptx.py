"""Presentations: one page a slide, in the order they are shown."""

from __future__ import annotations

import pytest

from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from tests.core.engines.format_material import SPACES, packed, relations, shape, slide, slides

READER = FileReader()


def read(data, name="a.pptx"):
    outline, *pages = READER.read(data, name)
    return outline, pages


def unseen(page) -> list[str]:
    return [page.text[start:end] for start, end in page.hidden_spans]


def test_slides_come_in_the_order_they_are_shown_with_title_first_and_notes_last():
    outline, pages = read(
        slides(
            slide(shape("It stopped\nat 02:14"), shape("The pump", kind="title")),
            slide(shape("The valve", kind="ctrTitle"), shape("It was shut.")),
            notes={1: "Say who found it."},
        )
    )
    assert (outline.kind, outline.pages, outline.title, outline.author) == ("pptx", 2, "Pumps", "Ann Berg")
    assert outline.file_date == "2024-03-05T08:00:00Z"
    assert [page.text for page in pages] == [
        "The pump\n\nIt stopped\nat 02:14\n\nNotes: Say who found it.",
        "The valve\n\nIt was shut.",
    ]


def test_a_slide_without_words_is_a_page_without_text():
    outline, pages = read(slides(slide(), slide(shape("x"))))
    assert outline.pages == 2
    assert [page.source for page in pages] == ["none", "embedded"]


def test_hidden_slides_and_shapes_and_what_lies_beside_the_slide_are_flagged():
    _, (first, second) = read(
        slides(
            slide(
                shape("seen", at=(10, 10)),
                shape("hidden shape", hidden=True),
                shape("beside", at=(1_001, 10)),
                shape("above", at=(10, -200)),
            ),
            slide(shape("hidden slide"), show="0"),
            notes={2: "and its notes"},
        )
    )
    assert unseen(first) == ["hidden shape", "beside", "above"]
    assert first.hidden_why == ("unseen", "outside", "outside")
    assert unseen(second) == ["hidden slide", "Notes: and its notes"]


def test_runs_too_small_to_see_or_wholly_transparent_are_flagged():
    run = "<a:r>{}<a:t>{}</a:t></a:r>"
    body = shape("x").replace(
        "<a:p><a:r><a:t>x</a:t></a:r></a:p>",
        "<a:p>"
        + run.format('<a:rPr sz="100"/>', "tiny ")
        + run.format(
            '<a:rPr><a:solidFill><a:srgbClr val="0"><a:alpha val="0"/></a:srgbClr></a:solidFill></a:rPr>', "clear"
        )
        + run.format('<a:rPr sz="1800"/>', " seen")
        + "</a:p>",
    )
    _, (page,) = read(slides(slide(body)))
    assert page.text == "tiny clear seen"
    assert unseen(page) == ["tiny ", "clear"]
    assert page.hidden_why == ("tiny", "transparent")


def test_tables_keep_rows_and_cells():
    cell = "<a:tc><a:txBody>{}</a:txBody></a:tc>"
    words = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
    rows = "".join(
        f"<a:tr>{''.join(cell.format(words.format(text) if text else '<a:p/>') for text in row)}</a:tr>"
        for row in (("Item", "", "Cost"), ("Pump", "B", "12"))
    )
    frame = (
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )
    _, (page,) = read(slides(slide(shape("Costs", kind="title"), frame)))
    assert page.text == "Costs\n\nItem\t\tCost\nPump\tB\t12"


def test_groups_alternatives_and_breaks_are_read_once():
    group = f"<p:grpSp>{shape('in a group')}<p:grpSp>{shape('deeper')}</p:grpSp></p:grpSp>"
    choice = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice>{shape('either')}</mc:Choice><mc:Fallback>{shape('or')}</mc:Fallback></mc:AlternateContent>"
    )
    _, (page,) = read(slides(slide(group, choice)))
    assert page.text == "in a group\n\ndeeper\n\neither"


def test_comments_name_their_author():
    more = {
        "ppt/slides/_rels/slide1.xml.rels": relations(("c", "comments", "../comments/comment1.xml")),
        "ppt/comments/comment1.xml": f'<p:cmLst {SPACES}><p:cm authorId="0"><p:text>Says who?</p:text>'
        "</p:cm></p:cmLst>",
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst {SPACES}><p:cmAuthor id="0" name="Bo Lind"/></p:cmAuthorLst>',
    }
    parts = relations(("rId1", "slide", "slides/slide1.xml"), ("a", "commentAuthors", "commentAuthors.xml"))
    _, (page,) = read(slides(slide(shape("x")), more={**more, "ppt/_rels/presentation.xml.rels": parts}))
    assert page.text == "x\n\nComment by Bo Lind: Says who?"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (slides(slide()), "contains no text"),
        (slides(slide(shape("x")), more={"ppt/slides/slide1.xml": "<a><b></a>"}), "damaged"),
        (slides(slide(shape("x")), more={"ppt/slides/slide1.xml": "<!DOCTYPE a><a/>"}), "entities"),
        (packed({"ppt/presentation.xml": "x"}), "damaged"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_cannot_be_read_is_refused_with_its_cause(data, words):
    with pytest.raises(UnreadableDocument, match=words) as caught:
        read(data)
    assert caught.value.hint


def test_a_slide_that_is_missing_is_no_slide_left_out():
    broken = slides(
        slide(shape("x")), more={"ppt/_rels/presentation.xml.rels": relations(("rId1", "slide", "gone.xml"))}
    )
    with pytest.raises(UnreadableDocument, match="damaged"):
        read(broken)
