"""PDF: a word in any kind of place is on a page, in a file, in the outline, or under a line of the ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.ports import Attachment, Outline
from tests.core.engines.pdf_material import READER, new

Place = Callable[[Any, Any, str], Any]
RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'


def _text(**look: Any) -> Place:
    return lambda _, page, word: page.insert_text((72, 100), word, **look)


def _note(**info: str) -> Place:
    def add(_: Any, page: Any, word: str) -> None:
        annot = page.add_text_annot((72, 200), "a note")
        annot.set_info(**{key: value.replace("WORD", word) for key, value in info.items()})
        annot.update()

    return add


def _field(kind: int = pymupdf.PDF_WIDGET_TYPE_TEXT, **values: Any) -> Place:
    def add(_: Any, page: Any, word: str) -> None:
        field = pymupdf.Widget()
        field.field_type, field.field_name, field.rect = kind, "f", pymupdf.Rect(72, 300, 300, 320)
        for key, value in values.items():
            is_list = isinstance(value, list)
            setattr(field, key, [v.replace("WORD", word) for v in value] if is_list else value.replace("WORD", word))
        page.add_widget(field)

    return add


def _on_a_layer(document: Any, page: Any, word: str) -> None:
    page.insert_text((72, 100), word, oc=document.add_ocg("layer", on=False))


def _link(_: Any, page: Any, word: str) -> None:
    area = pymupdf.Rect(72, 90, 200, 104)
    page.insert_link({"kind": pymupdf.LINK_URI, "from": area, "uri": f"https://a.example/{word}"})


def _figure(document: Any, _: Any, word: str) -> None:
    figure, tree = document.get_new_xref(), document.get_new_xref()
    document.update_object(figure, f"<</Type/StructElem/S/Figure/Alt({word})>>")
    document.update_object(tree, f"<</Type/StructTreeRoot/K {figure} 0 R>>")
    document.xref_set_key(document.pdf_catalog(), "StructTreeRoot", f"{tree} 0 R")


def _metadata(inside: str) -> Place:
    def add(document: Any, _: Any, word: str) -> None:
        names = f'{RDF} xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"'
        head = '<?xpacket begin="\ufeff" id="x"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        document.set_xml_metadata(f"{head}<rdf:RDF {names}>{inside.replace('WORD', word)}</rdf:RDF></x:xmpmeta>")

    return add


# What a word of this place is in: '' for a page, a file or the outline, else the line of the ledger.
PLACES: dict[str, tuple[Place, str]] = {
    "text": (_text(), ""),
    "text in white": (_text(color=(1, 1, 1)), ""),
    "text that is not drawn": (_text(render_mode=3), ""),
    "text upwards": (_text(rotate=90), ""),
    "tiny text": (_text(fontsize=0.5), ""),
    "text beyond the page": (lambda _, page, word: page.insert_text((900, 100), word), ""),
    "a layer that is off": (_on_a_layer, ""),
    "a note": (_note(content="WORD"), ""),
    "the author of a note": (_note(title="WORD"), ""),
    "the subject of a note": (_note(subject="WORD"), "subject of a note"),
    "text written onto a page": (lambda _, page, word: page.add_freetext_annot((72, 400, 300, 440), word), ""),
    "a field": (_field(field_value="WORD"), ""),
    "the label of a field": (_field(field_value="x", field_label="WORD"), ""),
    "a choice": (
        _field(pymupdf.PDF_WIDGET_TYPE_COMBOBOX, choice_values=["a", "WORD"], field_value="a"),
        "choice of a form field",
    ),
    "a link": (_link, "link address"),
    "a file": (lambda document, _, word: document.embfile_add("a.txt", word.encode()), ""),
    "what a file is described as": (
        lambda document, _, word: document.embfile_add("b.txt", b"x", desc=word),
        "description of a file in the file",
    ),
    "a file pinned to a page": (lambda _, page, word: page.add_file_annot((72, 500), word.encode(), "c.txt"), ""),
    "a bookmark": (lambda document, _, word: document.set_toc([[1, word, 1]]), ""),
    "what a figure is described as": (_figure, ""),
    "the label of a page": (
        lambda document, _, word: document.set_page_labels([{"startpage": 0, "prefix": word, "style": "D"}]),
        "",
    ),
    "the title": (lambda document, _, word: document.set_metadata({"title": word}), ""),
    "keywords": (lambda document, _, word: document.set_metadata({"keywords": word}), "list of keywords"),
    "metadata": (
        _metadata(f"<rdf:Description {RDF}><dc:description><rdf:Alt><rdf:li>WORD</rdf:li></rdf:Alt></dc:description>"
                  "</rdf:Description>"),
        "property of the file that only its metadata have",
    ),
    "an attribute of metadata": (
        _metadata('<rdf:Description pdf:Keywords="WORD"/>'), "property of the file that only its metadata have"
    ),
}  # fmt: skip
ALONE = ("the title", "keywords", "metadata", "an attribute of metadata")  # each takes the place of another


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(PLACES.keys() - set(ALONE))), max_size=5, unique=True),
    st.sampled_from(ALONE),
)
def test_every_word_is_on_a_page_in_a_file_or_under_a_line(places: list[str], alone: str) -> None:
    document, page = new()
    page.insert_text((72, 700), "The harbour office.")
    words = {place: f"quartz{number}word" for number, place in enumerate([*places, alone])}
    for place, word in words.items():
        PLACES[place][0](document, page, word)
    texts, lines = "", set()
    for item in READER.read(document.tobytes(), "a.pdf"):
        match item:
            case Outline():
                texts += item.title
            case PageText():
                texts += item.text + item.label + " ".join(section.title for section in item.sections)
            case Attachment():
                texts += item.data.decode("latin-1")
            case LeftOut():
                lines.add(item.what)
    for place, word in words.items():
        line = PLACES[place][1]
        assert word in texts or (line and line in lines), place


def test_metadata_that_say_what_the_file_says_have_no_line() -> None:
    document, _ = new()
    document.set_metadata({"title": "The pump", "keywords": "pump, valve"})
    inside = "<dc:title><rdf:Alt><rdf:li>The pump</rdf:li></rdf:Alt></dc:title>"
    _metadata(f'<rdf:Description pdf:Keywords="pump, valve">{inside}</rdf:Description>')(document, None, "")
    lines = [item.what for item in READER.read(document.tobytes(), "a.pdf") if isinstance(item, LeftOut)]
    assert lines == ["list of keywords"]
