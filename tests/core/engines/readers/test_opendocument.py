"""OpenDocument text and slides: what is seen, what is not, and notes in their place."""

from __future__ import annotations

import pytest

from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from tests.core.engines.format_material import opendocument, packed

READER = FileReader()


def read(data, name="a.odt"):
    outline, *items = READER.read(data, name)
    return outline, [item for item in items if isinstance(item, PageText)]


def text_of(body, **more) -> str:
    _, (page,) = read(opendocument("text", body, **more))
    return page.text


def unseen(body, styles="") -> list[str]:
    _, (page,) = read(opendocument("text", body, styles=styles))
    return [page.text[start:end] for start, end in page.hidden_spans]


def test_headings_paragraphs_lists_and_what_the_file_says_about_itself():
    outline, (page,) = read(
        opendocument(
            "text",
            "<text:h>The pump</text:h><text:p>It stopped\n  at <text:span>02:14</text:span>.</text:p>"
            "<text:list><text:list-item><text:p>first</text:p></text:list-item>"
            "<text:list-item><text:p>second</text:p></text:list-item></text:list>",
            meta="<dc:title>Log</dc:title><meta:initial-creator>Ann Berg</meta:initial-creator>"
            "<meta:creation-date>2024-03-05T08:00:00</meta:creation-date><dc:creator>Bo</dc:creator>",
        )
    )
    assert (outline.kind, outline.title, outline.author, outline.file_date) == (
        "odt",
        "Log",
        "Ann Berg",
        "2024-03-05T08:00:00",
    )
    assert page.text == "The pump\n\nIt stopped at 02:14.\n\nfirst\n\nsecond"


def test_spaces_tabs_and_line_breaks_count_only_where_the_file_says_so():
    body = '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d\n\n   e</text:p>'
    assert text_of(body) == "a   b\tc\nd e"


def test_rows_are_lines_and_cells_are_apart_even_empty_ones():
    body = (
        "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Item</text:p></table:table-cell>"
        "<table:table-cell/><table:table-cell><text:p>Cost</text:p><text:p>in EUR</text:p></table:table-cell>"
        "</table:table-row></table:table-header-rows><table:table-row>"
        '<table:table-cell table:number-columns-spanned="2"><text:p>Pump</text:p></table:table-cell>'
        "<table:covered-table-cell/><table:table-cell><text:p>12</text:p></table:table-cell></table:table-row>"
        "</table:table><text:p>after</text:p>"
    )
    assert text_of(body) == "Item · Cost in EUR\nPump · Cost in EUR: 12\n\nafter"


def test_notes_and_comments_follow_the_page_they_are_on():
    body = (
        '<text:p>The pump<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>Type B.</text:p></text:note-body></text:note> stopped."
        "<office:annotation><dc:creator>Bo Lind</dc:creator><dc:date>2024-03-05</dc:date>"
        "<text:p>Says who?</text:p></office:annotation></text:p>"
        "<text:p><text:soft-page-break/>Next page.</text:p>"
        '<text:p>End<text:note text:note-class="endnote"><text:note-body><text:p>Last.</text:p></text:note-body>'
        "</text:note></text:p>"
    )
    _, pages = read(opendocument("text", body))
    assert [page.text for page in pages] == [
        "The pump stopped.\n\nFootnote: Type B.\n\nComment by Bo Lind: Says who?",
        "Next page.\n\nEnd\n\nEndnote: Last.",
    ]


STYLES = (
    '<style:style style:name="Gone"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="Child" style:parent-style-name="Gone"/>'
    '<style:style style:name="White"><style:text-properties fo:color="#FFFFFF"/></style:style>'
    '<style:style style:name="OnBlack"><style:text-properties fo:color="#ffffff" fo:background-color="#000000"/>'
    "</style:style>"
    '<style:style style:name="Barred"><style:text-properties fo:color="#000000" fo:background-color="#000000"/>'
    "</style:style>"
    '<style:style style:name="Tiny"><style:text-properties fo:font-size="1pt"/></style:style>'
    '<style:style style:name="Loop" style:parent-style-name="Loop2"/>'
    '<style:style style:name="Loop2" style:parent-style-name="Loop"/>'
)


@pytest.mark.parametrize(
    ("style", "why"),
    [("Gone", "unseen"), ("Child", "unseen"), ("White", "colour"), ("Tiny", "tiny"), ("Barred", "blacked out")],
)
def test_text_that_nobody_sees_is_kept_and_flagged(style, why):
    body = f'<text:p>seen <text:span text:style-name="{style}">hidden words</text:span> seen</text:p>'
    assert unseen(body, STYLES) == ["hidden words"]
    _, (page,) = read(opendocument("text", body, styles=STYLES))
    assert page.hidden_why == (why,)


@pytest.mark.parametrize("style", ["OnBlack", "Loop", "Unknown"])
def test_text_that_is_seen_is_not_flagged(style):
    assert unseen(f'<text:p text:style-name="{style}">plain words</text:p>', STYLES) == []


GROUNDS = STYLES + (
    '<style:style style:name="W" style:family="text"><style:text-properties fo:color="#FFFFFF"/></style:style>'
    '<style:style style:name="DarkCell"><style:table-cell-properties fo:background-color="#204060"/></style:style>'
    '<style:style style:name="DarkLine"><style:paragraph-properties fo:background-color="#204060"/></style:style>'
    '<style:style style:name="LineOnDark" style:parent-style-name="DarkLine"/>'
    '<style:style style:name="Blue">'
    '<style:graphic-properties draw:fill="solid" draw:fill-color="#204060"/></style:style>'
    '<style:style style:name="Clear"><style:graphic-properties draw:fill="none"/></style:style>'
    '<style:style style:name="Night"><style:drawing-page-properties draw:fill="gradient"/></style:style>'
)
W = '<text:span text:style-name="W">white words</text:span>'
CELL = (
    "<table:table><table:table-row><table:table-cell {}><text:p>" + W + "</text:p></table:table-cell>"
    "</table:table-row></table:table>"
)
BOX = "<text:p><draw:frame {}><draw:text-box><text:p>" + W + "</text:p></draw:text-box></draw:frame></text:p>"
SHAPE = "<text:p><draw:custom-shape {}><text:p>" + W + "</text:p></draw:custom-shape></text:p>"


@pytest.mark.parametrize(
    ("body", "is_visible"),
    [
        (f"<text:p>{W}</text:p>", False),
        (CELL.format(""), False),
        (CELL.format('table:style-name="DarkCell"'), True),
        (CELL.format("").replace("<table:table>", '<table:table table:template-name="Academic">'), True),
        (f'<text:p text:style-name="LineOnDark">{W}</text:p>', True),
        (BOX.format('draw:style-name="Blue"'), True),
        (BOX.format(""), False),
        (
            f'<text:p><draw:custom-shape draw:style-name="Clear"><text:p>{W}</text:p></draw:custom-shape></text:p>',
            False,
        ),
        (SHAPE.format(""), True),
    ],
)
def test_white_words_are_hidden_on_white_and_seen_on_what_is_not(body, is_visible):
    assert unseen(body, GROUNDS) == ([] if is_visible else ["white words"])


def test_white_words_on_slides_are_held_against_what_is_behind_them():
    place = 'svg:x="{}cm" svg:y="2cm" svg:width="4cm" svg:height="2cm"'
    words = f"<draw:frame {place.format(3)}><draw:text-box><text:p>{W}</text:p></draw:text-box></draw:frame>"
    shape = '<draw:custom-shape draw:style-name="{}" {}/>'

    def hidden(page: str, master: str = "") -> list[str]:
        _, (read_page, *_) = read(opendocument("presentation", page, styles=GROUNDS, master=master), "a.odp")
        return [read_page.text[start:end] for start, end in read_page.hidden_spans]

    assert hidden(f"<draw:page>{words}</draw:page>") == ["white words"]
    assert hidden(f'<draw:page draw:style-name="Night">{words}</draw:page>') == []
    assert hidden(f"<draw:page>{shape.format('Blue', place.format(5))}{words}</draw:page>") == []
    assert hidden(f"<draw:page>{shape.format('Blue', place.format(9))}{words}</draw:page>") == ["white words"]
    photo = f"<draw:frame {place.format(2)}><draw:image/></draw:frame>"
    assert hidden(f"<draw:page>{photo}{words}</draw:page>") == []
    night = '<style:master-page style:name="M" draw:style-name="Night"/>'
    assert hidden(f'<draw:page draw:master-page-name="M">{words}</draw:page>', night) == []


def test_hidden_text_fields_and_sections_are_flagged():
    body = (
        "<text:p>a <text:hidden-text>field</text:hidden-text></text:p>"
        '<text:section text:display="none"><text:p>section</text:p></text:section>'
    )
    assert unseen(body) == ["field", "section"]


def test_deleted_text_is_kept_aside_on_the_page_that_it_was_taken_from():
    body = (
        '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><office:change-info>'
        "<dc:creator>Ann Berg</dc:creator></office:change-info><text:p>It was off.</text:p></text:deletion>"
        '</text:changed-region><text:changed-region text:id="c2"><text:insertion/></text:changed-region>'
        "</text:tracked-changes><text:p>One</text:p><text:p><text:soft-page-break/>Two"
        '<text:change text:change-id="c1"/><text:change-start text:change-id="c2"/> kept</text:p>'
    )
    _, (first, second) = read(opendocument("text", body))
    assert first.text == "One"
    assert second.text == "Two kept\n\nDeleted by Ann Berg: It was off."
    assert [second.text[start:end] for start, end in second.hidden_spans] == ["Deleted by Ann Berg: It was off."]


def test_headers_footers_and_boxes_are_read_once():
    master = (
        "<style:master-page><style:header><text:p>Secret report</text:p></style:header>"
        "<style:footer><text:p>12</text:p></style:footer></style:master-page>"
        "<style:master-page><style:header><text:p>Secret report</text:p></style:header>"
        "<style:footer><text:p>Unit 4</text:p></style:footer></style:master-page>"
    )
    body = "<text:p>Body<draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame></text:p>"
    assert text_of(body, master=master) == "Secret report\n\nBody\n\nBoxed\n\nUnit 4"


def test_slides_are_pages_and_a_hidden_slide_is_flagged():
    styles = (
        '<style:style style:name="dp1" style:family="drawing-page">'
        '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    frame = "<draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
    body = (
        f"<draw:page>{frame.format('One')}<presentation:notes>{frame.format('Say this')}</presentation:notes>"
        "</draw:page>"
        f'<draw:page draw:style-name="dp1">{frame.format("Two")}</draw:page>'
    )
    outline, pages = read(opendocument("presentation", body, styles=styles), "a.odp")
    assert outline.kind == "odp"
    assert [page.text for page in pages] == ["One\n\nNotes: Say this", "Two"]
    assert [page.hidden_spans for page in pages] == [(), ((0, 3),)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (opendocument("text", "<text:p/>"), "contains no text"),
        (opendocument("text", "<text:p>a</text:p>", more={"META-INF/manifest.xml": "<encryption-data/>"}), "password"),
        (packed({"mimetype": "application/vnd.oasis.opendocument.text"}), "damaged"),
        (packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a><b></a>"}), "damaged"),
        (
            packed(
                {
                    "mimetype": "application/vnd.oasis.opendocument.text",
                    "content.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
                }
            ),
            "entities",
        ),
        (packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a>" * 9_000}), "damaged"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_cause(data, words):
    with pytest.raises(UnreadableDocument, match=words) as caught:
        read(data)
    assert caught.value.hint


def test_numbers_made_to_fill_the_memory_do_not():
    body = (
        '<text:p>a<text:s text:c="999999999"/>b</text:p><table:table><table:table-row>'
        '<table:table-cell table:number-columns-repeated="999999999"><text:p>c</text:p></table:table-cell>'
        "</table:table-row></table:table>"
    )
    assert len(text_of(body)) < 5_000
