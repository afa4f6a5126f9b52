"""What is behind the words of a slide: fills, backgrounds, masters, and what is drawn on them."""

from __future__ import annotations

import pytest

from tests.core.engines.format_material import SPACES, relations, shape, slide, slides
from tests.core.engines.readers.test_pptx import read, unseen


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
    assert page.hidden_spans == ()


_PAINT = '<a:solidFill><a:srgbClr val="{}"/></a:solidFill>'


def white(spot: tuple[int, int], fill: str = "", kind: str = "", ink: str = "") -> str:
    """A shape of a hundred units with white words."""
    look = f"<a:r><a:rPr>{ink or _PAINT.format('FFFFFF')}</a:rPr><a:t>x</a:t></a:r>"
    return (
        shape("x", spot=spot, kind=kind)
        .replace("<a:r><a:t>x</a:t></a:r>", look)
        .replace("</p:spPr>", f"{fill}</p:spPr>")
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
        (themed(slide(white((0, 0))), layout=shape("", kind="title", spot=(0, 0))), True),
        (themed(slide(shape("", kind="body").replace("x", "y"), white((0, 0)))), True),
        (themed(slide(white((0, 0), kind="body")), layout=white((0, 0), _PAINT.format("204060"), kind="body")), False),
        (themed(slide(f"<p:grpSp>{PHOTO.format(0)}{white((0, 0))}</p:grpSp>")), False),
    ],
)
def test_words_in_the_colour_of_the_slide_are_flagged_and_others_are_not(data, hidden):
    _, (page,) = read(data)
    assert unseen(page) == (["x"] if hidden else [])
