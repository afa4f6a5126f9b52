"""Every part of a PDF is text of a page, a document of its own, or counted with its place."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
import pytest

from core.domain import LeftOut, PageText
from core.engines.readers import pdf
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment, Outline
from tests.core.engines.readers.test_pdf import LOREM
from tests.core.engines.readers.test_pdf_annotations import field

READER = FileReader()
WORD = "zanzibar"
Put = Callable[[pymupdf.Document, pymupdf.Page], object]


def places(data: bytes) -> tuple[str, str, str, str]:
    """Return all pages, all documents inside, all lines of the ledger, and what the file says of itself."""
    items = list(READER.read(data, "a.pdf"))
    outline = items[0]
    assert isinstance(outline, Outline)
    return (
        "\n".join(item.text for item in items if isinstance(item, PageText)),
        "\n".join(f"{i.name} {i.data.decode('latin-1')} {i.reason}" for i in items if isinstance(i, Attachment)),
        "\n".join(f"{item.what}, {item.where}" for item in items if isinstance(item, LeftOut)),
        f"{outline.title} {outline.author}",
    )


def noted(kind: str) -> Put:
    def put(document: pymupdf.Document, page: pymupdf.Page) -> None:
        rect, point = pymupdf.Rect(50, 300, 250, 340), (50, 320)
        makers = {
            "text": lambda: page.add_text_annot(point, WORD),
            "free text": lambda: page.add_freetext_annot(rect, WORD),
            "highlight": lambda: page.add_highlight_annot(rect),
            "stamp": lambda: page.add_stamp_annot(rect),
            "redaction": lambda: page.add_redact_annot(rect, text=WORD),
            "square": lambda: page.add_rect_annot(rect),
            "drawing": lambda: page.add_ink_annot([[(50, 300), (60, 320), (70, 310)]]),
        }
        annot = makers[kind]()
        if kind in ("highlight", "stamp", "square", "drawing"):
            annot.set_info(content=WORD)
            annot.update()

    return put


def of_subtype(subtype: str) -> Put:
    """Pin an annotation of a kind that the library cannot make."""

    def put(document: pymupdf.Document, page: pymupdf.Page) -> None:
        annot = page.add_rect_annot((50, 300, 90, 340))
        document.xref_set_key(annot.xref, "Subtype", f"/{subtype}")
        document.xref_set_key(annot.xref, "T", f"({WORD})")

    return put


def xfa(document: pymupdf.Document, page: pymupdf.Page) -> None:
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(
        stream,
        b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'><template><draw><value><text>Name</text></value></draw>"
        b"</template><xfa:datasets xmlns:xfa='x'><xfa:data><form><Name>" + WORD.encode() + b"</Name></form></xfa:data>"
        b"</xfa:datasets></xdp:xdp>",
    )
    document.xref_set_key(document.pdf_catalog(), "AcroForm", f"<</Fields[]/XFA {stream} 0 R>>")


def figure(document: pymupdf.Document, page: pymupdf.Page) -> None:
    root, item = document.get_new_xref(), document.get_new_xref()
    document.update_object(item, f"<</S/Figure/Alt({WORD})/Pg {page.xref} 0 R/P {root} 0 R>>")
    document.update_object(root, f"<</Type/StructTreeRoot/K {item} 0 R>>")
    document.xref_set_key(document.pdf_catalog(), "StructTreeRoot", f"{root} 0 R")


def script(document: pymupdf.Document, page: pymupdf.Page) -> None:
    document.xref_set_key(document.pdf_catalog(), "OpenAction", f"<</S/JavaScript/JS(app.alert\\('{WORD}'\\))>>")


def layer(document: pymupdf.Document, page: pymupdf.Page) -> None:
    page.insert_text((50, 300), WORD, oc=document.add_ocg("draft", on=False))


def bookmark(document: pymupdf.Document, page: pymupdf.Page) -> None:
    document.set_toc([[1, "Pumps", 1], [1, WORD, -1]])


def picture(document: pymupdf.Document, page: pymupdf.Page) -> None:
    drawing = pymupdf.open().new_page(width=400, height=300)
    drawing.insert_text((50, 50), WORD)
    page.insert_image((50, 400, 450, 700), pixmap=drawing.get_pixmap(dpi=100))


PAGE, INSIDE, LEDGER, OUTLINE = range(4)
TEXT, CHOICE = pymupdf.PDF_WIDGET_TYPE_TEXT, pymupdf.PDF_WIDGET_TYPE_COMBOBOX
# What is put into the file, where the word is then, or the line that stands for it.
PARTS: dict[str, tuple[Put, int, str]] = {
    "text": (lambda _, page: page.insert_text((50, 300), WORD), PAGE, WORD),
    "text sideways": (lambda _, page: page.insert_text((50, 300), WORD, rotate=90), PAGE, WORD),
    **{
        f"note: {kind}": (noted(kind), PAGE, WORD)
        for kind in ("text", "free text", "highlight", "stamp", "redaction", "square", "drawing")
    },
    "pinned file": (
        lambda _, page: page.add_file_annot((50, 300), WORD.encode(), "a.txt", desc="a file"), INSIDE, WORD
    ),
    "embedded file": (lambda document, _: document.embfile_add("a.txt", WORD.encode()), INSIDE, WORD),
    "field": (lambda _, page: field(page, "Place", TEXT, (50, 300, 250, 320), WORD), PAGE, WORD),
    "choice": (
        lambda _, page: field(page, "Place", CHOICE, (50, 300, 250, 320), WORD, choice_values=["lima", WORD]),
        PAGE,
        WORD,
    ),
    "layer": (layer, PAGE, WORD),
    "title": (lambda document, _: document.set_metadata({"title": WORD}), OUTLINE, WORD),
    "author": (lambda document, _: document.set_metadata({"author": WORD}), OUTLINE, WORD),
    "subject": (lambda document, _: document.set_metadata({"subject": WORD}), LEDGER, "subject, file properties"),
    "keywords": (
        lambda document, _: document.set_metadata({"keywords": WORD}), LEDGER, "list of keywords, file properties"
    ),
    "XFA form": (xfa, INSIDE, WORD),
    "figure": (figure, INSIDE, WORD),
    "script": (script, LEDGER, "script, file"),
    "bookmark": (bookmark, LEDGER, "bookmark that leads to no page, table of contents"),
    "picture": (picture, LEDGER, "picture, page 2"),
    "sound": (of_subtype("Sound"), LEDGER, "sound, page 2"),
    "film": (of_subtype("Movie"), LEDGER, "film, page 2"),
    "rich media": (of_subtype("RichMedia"), LEDGER, "film, page 2"),
    "model": (of_subtype("3D"), LEDGER, "three-dimensional model, page 2"),
    "screen": (of_subtype("Screen"), LEDGER, "screen with media, page 2"),
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_a_word_in_every_kind_of_place_is_read_or_counted(part):
    put, place, text = PARTS[part]
    document = pymupdf.open()
    for _ in range(2):
        page = document.new_page(width=595, height=842)
        page.insert_textbox((50, 50, 545, 250), LOREM * 3)
    put(document, page)
    result = places(document.tobytes())
    assert text in result[place].casefold() if text == WORD else text in result[place]
    assert part in ("text", "text sideways") or WORD in "".join(result[:2] + result[3:]).casefold() or result[LEDGER]


def test_a_plain_file_has_an_empty_ledger():
    document = pymupdf.open()
    document.new_page().insert_textbox((50, 50, 545, 250), LOREM * 3)
    assert places(document.tobytes())[1:3] == ("", "")


def test_what_many_pages_leave_out_is_one_line():
    document = pymupdf.open()
    for number in range(70):
        page = document.new_page(width=595, height=842)
        page.insert_textbox((50, 50, 545, 250), LOREM * 2)
        if number % 30 == 0:
            picture(document, page)
    script(document, page)
    data = document.tobytes(garbage=4)
    whole = [item for item in READER.read(data, "a.pdf") if isinstance(item, LeftOut)]
    assert whole == [LeftOut("picture", 3, "pages 1, 31, 61"), LeftOut("script", 1, "file")]


def test_a_form_whose_xml_declares_entities_is_named_and_not_read():
    document = pymupdf.open()
    page = document.new_page()
    xfa(document, page)
    number = int(document.xref_get_key(document.pdf_catalog(), "AcroForm/XFA")[1].split()[0])
    document.update_stream(number, b'<!DOCTYPE a [<!ENTITY b "bomb">]><datasets><a>&b;</a></datasets>')
    result = places(document.tobytes())
    assert "bomb" not in result[INSIDE]
    assert "XFA form, file" in result[LEDGER]


def test_a_damaged_part_takes_nothing_from_the_rest(monkeypatch):
    def _broken(document: object) -> None:
        raise RuntimeError("damaged")

    monkeypatch.setattr(pdf.pdf_ledger, "_scripts", _broken)
    document = pymupdf.open()
    document.new_page().insert_textbox((50, 50, 545, 250), LOREM * 3)
    assert "damaged part (broken), file" in places(document.tobytes())[LEDGER]


def test_addresses_behind_links_are_counted_by_page() -> None:
    with pymupdf.open() as document:
        for address in ("https://a.example/", ""):
            page = document.new_page()
            page.insert_text((50, 50), LOREM)
            if address:
                page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(50, 40, 90, 60), "uri": address})
            page.insert_link({"kind": pymupdf.LINK_GOTO, "from": pymupdf.Rect(50, 40, 90, 60), "page": 0})
        data = document.tobytes()
    lines = [item for item in READER.read(data, "a.pdf") if isinstance(item, LeftOut)]
    assert lines == [LeftOut("link address", 1, "page 1")]


def test_earlier_versions_that_the_file_keeps_are_counted(tmp_path) -> None:
    path = tmp_path / "a.pdf"
    document = pymupdf.open()
    document.new_page().insert_text((50, 100), f"It was {WORD}.")
    document.save(path)
    document = pymupdf.open(path)
    page = document[0]
    page.add_redact_annot(page.search_for(WORD)[0])
    page.apply_redactions()
    document.saveIncr()
    text, _, lines, _ = places(path.read_bytes())
    assert (WORD in text, lines) == (False, "earlier version, file")


@pytest.mark.parametrize(
    ("drawn", "spoken", "text", "count"),
    [
        ("shown 100", "secret 999", "shown 100", 2),
        ("paid 100", "paid 900", "paid 100", 1),
        ("paid 100", "paid", "paid 100", 1),
        ("paid 100", "", "paid 100", 1),
        ("paid 100", "paid 100 gladly", "paid 100", 1),
        ("paid 100", "PAID 100", "PAID 100", 0),
        ("paid 100", "pa\\000id 100", "paid 100", 1),
    ],
)
def test_what_is_drawn_is_read_where_the_text_for_screen_readers_is_another(drawn, spoken, text, count) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 100), drawn)
    (stream,) = page.get_contents()
    contents = document.xref_stream(stream)
    document.update_stream(stream, b"/Span <</ActualText (%b)>> BDC %b EMC" % (spoken.encode("latin-1"), contents))
    _, page_text, *rest = READER.read(document.tobytes(), "a.pdf")
    assert page_text.text == text
    what = "word for screen readers that is not the one drawn"
    assert rest == ([LeftOut(what, count, "page 1")] if count else [])


def test_a_page_of_many_notes_and_fields_is_read_in_time() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 100), "The form.")
    for number in range(700):
        page.add_text_annot((100, 100), f"note {number}")
    steps = 0
    step = pymupdf.mupdf.pdf_next_annot

    def counted(annot):
        nonlocal steps
        steps += 1
        return step(annot)

    data = document.tobytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pymupdf.mupdf, "pdf_next_annot", counted)
        text, *_ = places(data)
    assert "note 699" in text
    assert steps < 10 * 700


def test_fields_that_nobody_filled_in_are_counted() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 100), "The form.")
    for number, (kind, value) in enumerate(
        [(7, ""), (7, "words"), (2, False), (2, True), (3, "yes"), (1, ""), (6, None)]
    ):
        widget = pymupdf.Widget()
        widget.rect, widget.field_name = pymupdf.Rect(50, 200 + 30 * number, 90, 220 + 30 * number), f"f{number}"
        widget.field_type, widget.field_value = kind, value
        widget.choice_values = ["yes"] if kind == 3 else None
        page.add_widget(widget)
    _, _, lines, _ = places(document.tobytes())
    assert lines == "form field that is empty, page 1"
    counts = [item.count for item in READER.read(document.tobytes(), "a.pdf") if isinstance(item, LeftOut)]
    assert counts == [2]


def test_choices_that_were_not_taken_and_links_to_files_are_counted() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 100), "The form.")
    widget = pymupdf.Widget()
    widget.rect, widget.field_name, widget.field_type = pymupdf.Rect(50, 200, 90, 220), "a", 3
    widget.choice_values, widget.field_value = ["yes", WORD], "yes"
    page.add_widget(widget)
    page.insert_link({"kind": pymupdf.LINK_LAUNCH, "from": pymupdf.Rect(50, 300, 90, 320), "file": "b.txt"})
    text, _, lines, _ = places(document.tobytes())
    assert "Form: a: yes" in text
    assert lines.split("\n") == ["link address, page 1", "choice of a form field, page 1"]
