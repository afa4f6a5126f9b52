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
    return [page.text[start:end] for start, end in page.hidden]


def test_slides_come_in_the_order_they_are_shown_with_title_first_and_notes_last():
    outline, pages = read(
        slides(
            slide(shape("It stopped\nat 02:14"), shape("The pump", kind="title")),
            slide(shape("The valve", kind="ctrTitle"), shape("It was shut.")),
            notes={1: "Say who found it."},
        )
    )
    assert (outline.kind, outline.pages, outline.title, outline.author) == ("pptx", 2, "Pumps", "Ann Berg")
    assert outline.date == "2024-03-05T08:00:00Z"
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


def test_runs_in_the_colour_of_their_own_shape_are_flagged_and_others_are_not():
    paint = '<a:solidFill><a:srgbClr val="{}"/></a:solidFill>'
    run = "<a:r><a:rPr>{}</a:rPr><a:t>{}</a:t></a:r>"
    runs = run.format(paint.format("1f4e79"), "same ") + run.format(paint.format("FFFFFF"), "white")
    body = shape("x").replace("<a:r><a:t>x</a:t></a:r>", runs)
    filled = body.replace("<p:spPr></p:spPr>", f"<p:spPr>{paint.format('1F4E79')}</p:spPr>")
    assert filled != body
    _, (page,) = read(slides(slide(filled)))
    assert (unseen(page), page.hidden_why) == (["same "], ("colour",))
    _, (page,) = read(slides(slide(body)))  # what is behind it is not known
    assert page.hidden == ()


_PAINT = '<a:solidFill><a:srgbClr val="{}"/></a:solidFill>'


def white(at: tuple[int, int], fill: str = "", kind: str = "", ink: str = "") -> str:
    """A shape of a hundred units with white words."""
    look = f"<a:r><a:rPr>{ink or _PAINT.format('FFFFFF')}</a:rPr><a:t>x</a:t></a:r>"
    return (
        shape("x", at=at, kind=kind).replace("<a:r><a:t>x</a:t></a:r>", look).replace("</p:spPr>", f"{fill}</p:spPr>")
    )


LIGHT = '<p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef>'


def themed(page: str, *, layout: str = "", master: str = "", background: str = LIGHT) -> bytes:
    """One slide with a layout, a master and a theme, as every real presentation has them."""
    theme = (
        f'<a:theme {SPACES}><a:themeElements><a:clrScheme><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1>'
        '<a:lt1><a:srgbClr val="FFFFFF"/></a:lt1><a:dk2><a:srgbClr val="102040"/></a:dk2></a:clrScheme><a:fmtScheme>'
        '<a:bgFillStyleLst><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:bgFillStyleLst></a:fmtScheme>'
        "</a:themeElements></a:theme>"
    )
    tree = "<p:{0} {1}><p:cSld>{2}<p:spTree>{3}</p:spTree></p:cSld>{4}</p:{0}>"
    names = '<p:clrMap bg1="lt1" tx1="dk1" bg2="dk2"/>'
    return slides(
        page,
        more={
            "ppt/slides/_rels/slide1.xml.rels": relations(("l", "slideLayout", "../slideLayouts/l.xml")),
            "ppt/slideLayouts/l.xml": tree.format("sldLayout", SPACES, "", layout, ""),
            "ppt/slideLayouts/_rels/l.xml.rels": relations(("m", "slideMaster", "../slideMasters/m.xml")),
            "ppt/slideMasters/m.xml": tree.format("sldMaster", SPACES, f"<p:bg>{background}</p:bg>", master, names),
            "ppt/slideMasters/_rels/m.xml.rels": relations(("t", "theme", "../theme/t.xml")),
            "ppt/theme/t.xml": theme,
        },
    )


DARK = '<p:bgRef idx="1001"><a:schemeClr val="bg2"/></p:bgRef>'
GRADIENT = "<p:bgPr><a:gradFill/></p:bgPr>"
PHOTO = '<p:pic><p:spPr><a:xfrm><a:off x="{}" y="0"/><a:ext cx="50" cy="900"/></a:xfrm></p:spPr></p:pic>'


@pytest.mark.parametrize(
    ("data", "hidden"),
    [
        (themed(slide(white((0, 0)))), True),
        (themed(slide(white((0, 0), ink='<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'))), True),
        (themed(slide(white((0, 0), ink='<a:solidFill><a:schemeClr val="tx1"/></a:solidFill>'))), False),
        (themed(slide(white((0, 0))), background=f"<p:bgPr>{_PAINT.format('fefefe')}</p:bgPr>"), True),
        (themed(slide(white((0, 0))), background=DARK), False),
        (themed(slide(white((0, 0), ink=_PAINT.format("102040"))), background=DARK), True),
        (themed(slide(white((0, 0))), background=GRADIENT), False),
        (themed(slide(white((0, 0), _PAINT.format("204060")))), False),
        (themed(slide(white((0, 0), _PAINT.format("204060").replace("srgbClr", "schemeClr")))), False),
        (themed(slide(PHOTO.format(80), white((0, 0)))), False),
        (themed(slide(PHOTO.format(300), white((0, 0)))), True),
        (themed(slide(white((0, 0))), master=PHOTO.format(80)), False),
        (themed(slide(white((0, 0))), layout=shape("", kind="title", at=(0, 0))), True),
        (themed(slide(shape("", kind="body").replace("x", "y"), white((0, 0)))), True),
        (themed(slide(white((0, 0), kind="body")), layout=white((0, 0), _PAINT.format("204060"), kind="body")), False),
        (themed(slide(f"<p:grpSp>{PHOTO.format(0)}{white((0, 0))}</p:grpSp>")), False),
    ],
)
def test_words_in_the_colour_of_the_slide_are_flagged_and_others_are_not(data, hidden):
    _, (page,) = read(data)
    assert unseen(page) == (["x"] if hidden else [])


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
        (slides(slide()), "holds no text"),
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
