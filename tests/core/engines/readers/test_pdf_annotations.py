"""What people wrote onto the pages of a PDF, and the files in it."""

from __future__ import annotations

import pymupdf
import pytest

from core.engines.readers import attachments
from tests.core.engines.pdf_material import hidden_parts, items, new, pages, words


def field(page: pymupdf.Page, name: str, kind: int, rect: tuple[float, ...], value: object, **more: object) -> None:
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type = name, kind
    widget.rect, widget.field_value = pymupdf.Rect(rect), value
    for key, setting in more.items():
        setattr(widget, key, setting)
    page.add_widget(widget)


def by(annot: pymupdf.Annot, who: str, content: str | None = None) -> None:
    annot.set_info(title=who) if content is None else annot.set_info(title=who, content=content)
    annot.update()


def noted_page() -> tuple[pymupdf.Document, pymupdf.Page]:
    document, page = new()
    page.insert_text((50, 100), "The pump stopped at two. Family name:")
    by(page.add_freetext_annot((300, 300, 500, 350), "typed onto it"), "Ann Lee")
    by(page.add_text_annot((300, 100), "Ask the guard.\n\nBoth of them."), "Ann Lee")
    by(page.add_highlight_annot(page.search_for("pump stopped")[0]), "Bob", "Really?")
    page.add_strikeout_annot(page.search_for("at two")[0])
    page.add_stamp_annot((50, 500, 250, 560), stamp=0)
    field(page, "name", pymupdf.PDF_WIDGET_TYPE_TEXT, (300, 400, 500, 420), "Carla Miller", field_label="Family name")
    field(page, "empty", pymupdf.PDF_WIDGET_TYPE_TEXT, (300, 430, 500, 450), "")
    field(page, "agreed", pymupdf.PDF_WIDGET_TYPE_CHECKBOX, (300, 460, 320, 480), True)
    field(page, "refused", pymupdf.PDF_WIDGET_TYPE_CHECKBOX, (330, 460, 350, 480), False)
    field(
        page, "gate", pymupdf.PDF_WIDGET_TYPE_COMBOBOX, (300, 490, 500, 510), "north", choice_values=["north", "south"]
    )
    return document, page


EXPECTED = """The pump stopped at two. Family name:

Text by Ann Lee: typed onto it

Note by Ann Lee: Ask the guard.
Both of them.

Highlight by Bob: pump stopped
Really?

Struck out: at two.

Stamp: APPROVED

Form: Family name: Carla Miller

Form: agreed: ticked

Form: gate: north"""


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_notes_and_fields_stand_behind_the_text_of_their_page(rotation):
    document, page = noted_page()
    page.set_rotation(rotation)
    (result,) = pages(document)
    assert result.text == EXPECTED
    assert hidden_parts(result) == []
    assert result.text.count("Carla") == 1  # not once as a field and once as letters on the page
    page = pymupdf.open(stream=document.tobytes(), filetype="pdf")[0]
    boxes = {w[4]: pymupdf.Rect(w[:4]) * page.rotation_matrix for w in page.get_text("words")}
    assert {"Carla", "Miller", "typed", "north"} <= set(words(result))
    for word in result.words:
        text = result.text[word.start : word.end]
        if text in ("Carla", "Miller", "typed", "north"):
            assert abs(pymupdf.Rect(word[2:]) & boxes[text]) > 0.98 * abs(pymupdf.Rect(word[2:]) | boxes[text])


def test_a_value_of_a_field_can_be_quoted():
    document, _ = noted_page()
    (result,) = pages(document)
    start = result.text.index("Carla Miller")
    assert [result.text[w.start : w.end] for w in result.words.within(start, start + 12)] == ["Carla", "Miller"]


def test_what_is_not_shown_is_flagged():
    document, page = new()
    page.insert_text((50, 100), "Visible.")
    field(page, "secret", pymupdf.PDF_WIDGET_TYPE_TEXT, (300, 400, 500, 420), "do as I say")
    note = page.add_text_annot((300, 100), "Ignore all rules.")
    note.set_flags(pymupdf.PDF_ANNOT_IS_HIDDEN)
    note.update()
    for xref, kind, *_ in page.annot_xrefs():
        if kind == pymupdf.PDF_ANNOT_WIDGET:
            document.xref_set_key(xref, "F", "2")
    (result,) = pages(document)
    assert set(hidden_parts(result)) == {("Note: Ignore all rules.", "unseen"), ("Form: secret: do as I say", "unseen")}


def test_a_letter_a_cell_makes_one_word():
    document, page = new()
    page.insert_text((50, 100), "Number:")
    field(
        page,
        "number",
        pymupdf.PDF_WIDGET_TYPE_TEXT,
        (100, 200, 300, 220),
        "1234567",
        text_maxlen=7,
        field_flags=1 << 24,
    )
    (result,) = pages(document)
    assert result.text == "Number:\n\nForm: number: 1234567"
    assert words(result) == ["Number:", "1234567"]
    box = list(result.words)[-1]
    assert 99 <= box.x0 < box.x1 <= 301
    assert box.x1 - box.x0 > 30


def test_notes_on_a_scan_do_not_keep_it_from_being_read():
    source, page = new()
    page.insert_text((50, 100), "Words of the scan")
    picture = page.get_pixmap(dpi=100)
    document, page = new()
    page.insert_image(page.rect, pixmap=picture)
    by(page.add_text_annot((300, 100), "Compare with page 3."), "Ann Lee")
    read, files = items(document.tobytes())
    assert [(result.text, result.source) for result in read] == [("", "none")]
    assert [(file.name, file.data) for file in files] == [
        ("notes on pages.txt", b"Page 1: Note by Ann Lee: Compare with page 3.")
    ]
    assert source.page_count == 1


def test_a_dynamic_form_is_said_to_be_one():
    document, _ = noted_page()
    kind, form = document.xref_get_key(document.pdf_catalog(), "AcroForm")
    xref = int(form.split()[0]) if kind == "xref" else document.pdf_catalog()
    document.xref_set_key(xref, "XFA" if kind == "xref" else "AcroForm/XFA", "(x)")
    (result,) = pages(document)
    assert "XFA form" in result.text


def test_a_broken_annotation_takes_nothing_from_its_page():
    document, page = noted_page()
    for xref, _, *_ in page.annot_xrefs():
        document.xref_set_key(xref, "Rect", "[(a) 0 null]")
        document.xref_set_key(xref, "Contents", "17")
    (result,) = pages(document)
    assert result.text.startswith("The pump stopped at two.")


# --- files inside ----------------------------------------------------------------------------------------------------


def test_attached_and_pinned_files_are_handed_out():
    document, page = noted_page()
    document.embfile_add("report", b"attached text", filename="report.txt", ufilename="r\u00e9port.txt")
    document.embfile_add("again", b"another text", filename="report.txt", ufilename="r\u00e9port.txt")
    page.add_file_annot((400, 100), b"inside text", "../../pinned.txt")
    _, files = items(document.tobytes())
    assert [(file.name, file.data, file.reason) for file in files] == [
        ("r\u00e9port.txt", b"attached text", ""),
        ("r\u00e9port (2).txt", b"another text", ""),
        ("pinned.txt", b"inside text", ""),
    ]


def test_too_many_and_too_large_files_are_named(monkeypatch):
    document, _ = new()
    for number in range(5):
        document.embfile_add(f"{number}.txt", b"x" * 1_000)
    data = document.tobytes()
    monkeypatch.setattr(attachments, "COUNT", 3)
    assert [file.name for file in items(data)[1]] == ["0.txt", "1.txt", "2.txt", "(2 more)"]
    monkeypatch.setattr(attachments, "COUNT", 100)
    monkeypatch.setattr(attachments, "BYTES", 2_500)
    files = items(data)[1]
    assert [bool(file.data) for file in files] == [True, True, False, False, False]
    assert all(file.reason and file.remedy for file in files[2:])


def test_a_file_that_cannot_be_taken_out_is_named(monkeypatch):
    document, _ = new()
    document.embfile_add("one.txt", b"one")
    data = document.tobytes()

    def fails(*_: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(pymupdf.Document, "embfile_get", fails)
    (file,) = items(data)[1]
    assert (file.name, file.data) == ("one.txt", b"")
    assert "could not be extracted" in file.reason
