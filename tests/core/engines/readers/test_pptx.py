"""Presentations: one page a slide, in the order they are shown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment
from tests.core.engines.format_material import SPACES, packed, relations, shape, slide, slides

READER = FileReader()


def read(data, name="a.pptx"):
    outline, *items = READER.read(data, name)
    return outline, [item for item in items if isinstance(item, PageText)]


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
                shape("seen", spot=(10, 10)),
                shape("hidden shape", hidden=True),
                shape("beside", spot=(1_001, 10)),
                shape("above", spot=(10, -200)),
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
    assert page.text == "Costs\n\nItem · Cost\nPump · B · Cost: 12"
    assert [[page.text[start:end] for start, end in row] for row in page.tables[0].rows] == [["Pump", "B", "12"]]


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


def test_raised_and_struck_runs_and_formulas():
    run = "<a:r><a:rPr {}/><a:t>{}</a:t></a:r>"
    body = shape("x").replace(
        "<a:r><a:t>x</a:t></a:r>",
        run.format("", "10")
        + run.format('baseline="30000"', "6")
        + run.format('strike="sngStrike"', " not")
        + '<m:m xmlns:m="urn:m"><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r>'
        "</m:den></m:f></m:oMath></m:m>",
    )
    _, (page,) = read(slides(slide(body)))
    assert page.text.startswith("10⁶ not")
    assert page.text.rstrip().endswith("1/2")
    assert [page.text[start:end] for start, end in page.struck_spans] == [" not"]


def test_one_damaged_slide_is_named_and_the_others_are_read():
    data = slides(slide(shape("first")), slide(shape("second")), more={"ppt/slides/slide1.xml": "<a><b></a>"})
    _, *items = READER.read(data, "a.pptx")
    assert [item.text for item in items if isinstance(item, PageText)] == ["first", ""]
    assert LeftOut("damaged part", 1, "ppt/slides/slide1.xml") in items


def test_what_a_design_puts_on_each_slide_is_said_once_and_prompts_never():
    layout = f"<p:sldLayout {SPACES}><p:cSld><p:spTree>{shape('Click to edit', kind='body')}{shape('CONFIDENTIAL')}"
    more = {
        f"ppt/slides/_rels/slide{n}.xml.rels": relations(("l", "slideLayout", "../slideLayouts/slideLayout1.xml"))
        for n in (1, 2)
    }
    more["ppt/slideLayouts/slideLayout1.xml"] = f"{layout}</p:spTree></p:cSld></p:sldLayout>"
    _, (first, second) = read(slides(slide(shape("one")), slide(shape("two")), more=more))
    assert first.text == "one\n\nOn each slide of this design: CONFIDENTIAL"
    assert second.text == "two"


def linked(word: str, kind: str, part: str, content: str, *shapes: str) -> bytes:
    """Pack a slide that refers to a part with the word in it."""
    more = {
        "ppt/slides/_rels/slide1.xml.rels": relations(("d1", kind, f"../{part}")),
        f"ppt/{part}": content.replace("WORD", word),
    }
    return slides(slide(shape("x"), *shapes), more=more)


FRAME = "<p:graphicFrame><a:graphic><a:graphicData>{}</a:graphicData></a:graphic></p:graphicFrame>"
TEXT = "<a:p><a:r><a:t>WORD</a:t></a:r></a:p>"
CHART = (
    f'<c:chartSpace xmlns:c="urn:c" {SPACES}><c:chart><c:title><c:tx><c:rich>{TEXT}</c:rich></c:tx></c:title></c:chart>'
)
# Each puts a word into one kind of place: text of pages, or a part with the folder that names it.
PLACES = {
    "title": lambda w: slides(slide(shape(w, kind="title"))),
    "footer": lambda w: slides(slide(shape("x"), shape(w, kind="ftr"))),
    "notes": lambda w: slides(slide(shape("x")), notes={1: w}),
    "header of notes": lambda w: linked(w, "notesSlide", "notesSlides/n.xml", slide(shape("WORD", kind="hdr"))),
    "alt text": lambda w: slides(
        slide(shape("x"), f'<p:pic><p:nvPicPr><p:cNvPr id="2" descr="{w}"/></p:nvPicPr></p:pic>')
    ),
    "connector": lambda w: slides(
        slide(shape("x"), f'<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="2" descr="{w}"/></p:nvCxnSpPr></p:cxnSp>')
    ),
    "cell": lambda w: slides(
        slide(FRAME.format(f"<a:tbl><a:tr><a:tc><a:txBody>{TEXT.replace('WORD', w)}</a:txBody></a:tc></a:tr></a:tbl>"))
    ),
    "chart": lambda w: linked(
        w, "chart", "charts/chart1.xml", f"{CHART}</c:chartSpace>", FRAME.format('<c:chart xmlns:c="urn:c" r:id="d1"/>')
    ),
    "diagram": lambda w: linked(
        w, "diagramData", "diagrams/data1.xml",
        f'<d:dataModel xmlns:d="urn:d" {SPACES}><d:ptLst><d:pt><d:t>{TEXT}</d:t></d:pt></d:ptLst></d:dataModel>',
        FRAME.format('<d:relIds xmlns:d="urn:d" r:dm="d1"/>'),
    ),
    "comment": lambda w: linked(
        w, "comments", "comments/c.xml", f'<p:cmLst {SPACES}><p:cm authorId="0"><p:text>WORD</p:text></p:cm></p:cmLst>'
    ),
    "reply": lambda w: linked(
        w, "comments", "comments/c.xml",
        f'<p:cmLst {SPACES}><p:cm authorId="a"><p:replyLst><p:reply authorId="b"><p:txBody>{TEXT}</p:txBody></p:reply>'
        "</p:replyLst></p:cm></p:cmLst>",
    ),
    "ppt": lambda w: slides(slide(shape("x")), more={"ppt/vbaProject.bin": w}),
    "ppt/slides": lambda w: slides(slide(shape("x")), more={"ppt/slides/slide9.xml": slide(shape(w))}),
    "ppt/media": lambda w: slides(slide(shape("x")), more={"ppt/media/media1.mp4": w}),
    "ppt/ink": lambda w: slides(slide(shape("x")), more={"ppt/ink/ink1.xml": f"<a>{w}</a>"}),
    "ppt/tags": lambda w: slides(slide(shape("x")), more={"ppt/tags/tag1.xml": f'<tag val="{w}"/>'}),
    "ppt/slides/slide1.xml": lambda w: slides(slide(shape("x"), f"<p:odd>{shape(w)}</p:odd>")),
    "ppt/slideLayouts/slideLayout9.xml": lambda w: slides(
        slide(shape("x")),
        more={"ppt/slideLayouts/slideLayout9.xml": slide(shape(w), shape("Click to edit", kind="title"))},
    ),
    "ppt/presentation.xml": lambda w: slides(
        slide(shape("x")),
        more={
            "ppt/presentation.xml": f'<p:presentation {SPACES}><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst>'
            f'<p:custShowLst><p:custShow name="{w}"/></p:custShowLst></p:presentation>'
        },
    ),
    "customXml": lambda w: slides(slide(shape("x")), more={"customXml/item1.xml": f"<a>{w}</a>"}),
    "embedded": lambda w: slides(slide(shape("x")), more={"ppt/embeddings/a.xlsx": w}),
    "odd": lambda w: slides(slide(shape("x")), more={"odd/part.xyz": w}),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=10)
@given(word=st.from_regex(r"[a-z]{6}q[a-z]{3}", fullmatch=True))
def test_a_word_is_read_or_its_place_is_named(place, word):
    _, *items = READER.read(PLACES[place](word), "a.pptx")
    is_read = any(isinstance(item, PageText) and word in item.text for item in items)
    is_document = any(isinstance(item, Attachment) and word.encode() in item.data for item in items)
    assert is_read or is_document or any(isinstance(item, LeftOut) and item.where == place for item in items)


def test_prompts_and_numbers_of_pages_have_no_line():
    design = slide(shape("Click to edit", kind="title"))
    notes = slide(
        shape("Ask Bo.", kind="body"), shape("x", kind="sldNum").replace("a:r>", "a:fld>").replace(">x<", ">17<")
    )
    data = linked("", "notesSlide", "notesSlides/n.xml", notes)
    _, page, *lines = READER.read(data, "a.pptx")
    assert "Notes: Ask Bo." in page.text
    assert lines == []
    _, _, *lines = READER.read(slides(slide(shape("x")), more={"ppt/slideLayouts/slideLayout9.xml": design}), "a.pptx")
    assert lines == []
