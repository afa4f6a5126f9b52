"""OpenDocument: a word in any place of the package is on a page, in a file of its own, or under a line."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment
from tests.core.engines.readers.test_pictures import picture

NAMES = " ".join(
    f'xmlns:{name}="urn:{name}"'
    for name in (
        "office",
        "text",
        "style",
        "draw",
        "table",
        "svg",
        "xlink",
        "form",
        "chart",
        "field",
        "dc",
        "presentation",
    )
)
LABEL = (
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-prefix="WORD " style:num-suffix="."/>'
)


@dataclass
class File:
    """An ODT file in the making: its body, its styles, its other parts, and where each word is left out."""

    body: str = ""
    automatic: str = ""
    master: str = ""
    parts: dict[str, str | bytes] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def data(self) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
            archive.writestr(
                "content.xml",
                f"<office:document-content {NAMES}><office:automatic-styles>{self.automatic}</office:automatic-styles>"
                f"<office:body><office:text>{self.body}</office:text></office:body></office:document-content>",
            )
            archive.writestr(
                "styles.xml",
                f"<office:document-styles {NAMES}><office:master-styles><style:master-page>{self.master}"
                "</style:master-page></office:master-styles></office:document-styles>",
            )
            for name, content in self.parts.items():
                archive.writestr(name, content)
        return file.getvalue()


def p(inside: str) -> str:
    return f"<text:p>{inside}</text:p>"


def _frame(inside: str) -> str:
    return p(f"<draw:frame>{inside}</draw:frame>")


def _control(tag: str, inside: str = "") -> str:
    forms = (
        f'<office:forms><form:form><form:{tag} form:id="c1">{inside}</form:{tag.split()[0]}></form:form></office:forms>'
    )
    return forms + p('<draw:control draw:control="c1"/>')


def _cell(inside: str) -> str:
    return f"<table:table-cell>{inside}</table:table-cell>"


INNER = f"<table:table><table:table-row>{_cell(p('WORD'))}{_cell(p('x'))}</table:table-row></table:table>"
RUBY = "<text:ruby><text:ruby-base>x</text:ruby-base><text:ruby-text>WORD</text:ruby-text></text:ruby>"
LOOSE = '<form:form><form:text form:id="c2" form:value="WORD"/></form:form>'
REGION = f'<text:changed-region text:id="d"><text:deletion><office:change-info/>{p("WORD")}</text:deletion>'
BODIES = {
    "a paragraph": p("WORD"),
    "a heading": '<text:h text:outline-level="2">WORD</text:h>',
    "a span": p("<text:span>WORD</text:span>"),
    "a link": p("<text:a>WORD</text:a>"),
    "a list": f"<text:list><text:list-item>{p('WORD')}</text:list-item></text:list>",
    "a section": f"<text:section>{p('WORD')}</text:section>",
    "a hidden section": f'<text:section text:display="none">{p("WORD")}</text:section>',
    "a table": f"<table:table><table:table-row>{_cell(p('a'))}{_cell(p('WORD'))}</table:table-row></table:table>",
    "a narrow table": f"<table:table><table:table-row>{_cell(p('WORD'))}</table:table-row></table:table>",
    "a table in a table": f"<table:table><table:table-row>{_cell(INNER)}{_cell('')}</table:table-row></table:table>",
    "a text box": _frame(f"<draw:text-box>{p('WORD')}</draw:text-box>"),
    "a shape": p(f"<draw:ellipse>{p('WORD')}</draw:ellipse>"),
    "a line": p(f"<draw:connector>{p('WORD')}</draw:connector>"),
    "the title of a picture": _frame("<draw:image/><svg:title>WORD</svg:title>"),
    "the words for a picture": _frame("<draw:image/><svg:title>x</svg:title><svg:desc>WORD</svg:desc>"),
    "a footnote": p(f'<text:note text:note-class="footnote"><text:note-body>{p("WORD")}</text:note-body></text:note>'),
    "an endnote": p(f'<text:note text:note-class="endnote"><text:note-body>{p("WORD")}</text:note-body></text:note>'),
    "a comment": p(f"<office:annotation><dc:creator>Ann</dc:creator>{p('WORD')}</office:annotation>"),
    "the reading of characters": p(RUBY),
    "a text field": _control('text form:current-value="WORD"'),
    "a long text field": _control("textarea", p("WORD")),
    "a box to tick": _control('checkbox form:label="WORD" form:current-state="checked"'),
    "a choice": _control("listbox", '<form:option form:label="WORD" form:current-selected="true"/>'),
    "a control without a place": f"<office:forms>{LOOSE}</office:forms>",
    "a deletion": f"<text:tracked-changes>{REGION}</text:changed-region></text:tracked-changes>"
    + p('<text:change text:change-id="d"/>x'),
    "an index": f"<text:table-of-content><text:index-body>{p('WORD')}</text:index-body></text:table-of-content>",
    "hidden text": p("<text:hidden-text>WORD</text:hidden-text>"),
}  # fmt: skip


def _body(inside: str):
    def build(file: File, word: str) -> None:
        file.body += inside.replace("WORD", word)

    return build


def _margin(tag: str):
    def build(file: File, word: str) -> None:
        file.master += f"<style:{tag}>{p(word)}</style:{tag}>"

    return build


def _unseen(inside: str, where: str = "content.xml"):
    """A word that no page shows, and the place that the ledger names."""

    def build(file: File, word: str) -> None:
        file.body += inside.replace("WORD", word)
        file.named[word] = where

    return build


def _master(inside: str):
    def build(file: File, word: str) -> None:
        file.master += inside.replace("WORD", word)
        file.named[word] = "styles.xml"

    return build


def _object(name: str, content: str):
    def build(file: File, word: str) -> None:
        file.parts[f"{name}/content.xml"] = content.replace("WORD", word)
        file.body += _frame(
            f'<draw:object xlink:href="./{name}"/><draw:image xlink:href="./ObjectReplacements/{name}"/>'
        )

    return build


def _numbers(file: File, word: str) -> None:
    file.automatic += f'<text:list-style style:name="{word}">{LABEL.replace("WORD", word)}</text:list-style>'
    file.body += f'<text:list text:style-name="{word}"><text:list-item>{p("x")}</text:list-item></text:list>'


def _beside(name: str, where: str):
    def build(file: File, word: str) -> None:
        file.parts[name] = f"<x><y>{word}</y></x>"
        file.named[word] = where

    return build


TITLE = f"<chart:chart><chart:title>{p('WORD')}</chart:title></chart:chart>"
CHART = f"<office:c {NAMES}><office:body>{TITLE}</office:body></office:c>"
SHEET = f"<office:c {NAMES}><office:body><office:spreadsheet>WORD</office:spreadsheet></office:body></office:c>"
PLACES = {place: _body(inside) for place, inside in BODIES.items()} | {
    "a header": _margin("header"),
    "a header of left pages": _margin("header-left"),
    "a footer": _margin("footer"),
    "a chart": _object("Object 1", CHART),
    "a formula": _object("Object 2", "<math><mi>WORD</mi></math>"),
    "a sheet": _object("Object 3", SHEET),
    "the number of an item": _numbers,
    "a recording": _beside("media/one.mp3", "media"),
    "an object that nothing refers to": _beside("Object 9/content.xml", "Object 9"),
    "a macro": _beside("Basic/Standard/Module1.xml", "Basic/Standard"),
    "an unknown part": _beside("odd/thing.xyz", "odd"),
    "an unknown setting": _beside("Configurations2/odd.xml", "Configurations2"),
    "the other branch of a condition": _unseen(
        p('<text:conditional-text text:string-value-if-true="WORD">x</text:conditional-text>')
    ),
    "a variable": _unseen('<text:variable-decls><text:variable-decl text:name="WORD"/></text:variable-decls>'),
    "an entry of an index": _unseen(p('x<text:toc-mark text:string-value="WORD"/>')),
    "a bookmark": _unseen(p('x<text:bookmark text:name="WORD"/>')),
    "an address": _unseen(p('<text:a xlink:href="https://a.example/WORD">x</text:a>'), "a.example"),
    "a choice that is not taken": _unseen(p('<text:drop-down><text:label text:value="WORD"/>x</text:drop-down>')),
    "the remark of a change": _unseen(
        f"<text:tracked-changes><text:changed-region><text:insertion><office:change-info>{p('WORD')}"
        "</office:change-info></text:insertion></text:changed-region></text:tracked-changes>"
    ),
    "the description of a table": _body(
        f"<table:table><table:desc>WORD</table:desc><table:table-row>{_cell(p('x'))}</table:table-row></table:table>"
    ),
    "a frame of a design": _master(_frame(f"<draw:text-box>{p('WORD')}</draw:text-box>")),
    "an older version": _beside("Versions/one", "Versions"),
}


def contents(data: bytes) -> tuple[str, str, list[LeftOut], list]:
    items = list(FileReader().read(data, "a.odt"))
    text = "\n".join(item.text for item in items if isinstance(item, PageText))
    files = ""
    for item in items:
        if isinstance(item, Attachment) and item.data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(item.data)) as archive:
                files += "".join(archive.read(name).decode() for name in archive.namelist())
    return text, files, [item for item in items if isinstance(item, LeftOut)], items


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(sorted(PLACES)), unique=True, min_size=1, max_size=10))
def test_every_word_is_on_a_page_in_a_file_or_under_a_line(places: list[str]) -> None:
    file, words = File(p("start")), {}
    for number, place in enumerate(places):
        if "control" in place or "field" in place or place in ("a choice", "a box to tick", "a deletion"):
            continue  # one name for all of them
        words[place] = f"wd{'abcdefghijklmnopqrst'[number] * 6}"
        PLACES[place](file, words[place])
    text, files, lines, _ = contents(file.data())
    for place, word in words.items():
        is_named = any(line.where == file.named.get(word) for line in lines)
        assert word in text or word in files or is_named, place


@pytest.mark.parametrize("place", sorted(PLACES))
def test_each_place_by_itself(place: str) -> None:
    file = File(p("start"))
    PLACES[place](file, "quartz")
    text, files, lines, _ = contents(file.data())
    if "quartz" in file.named:
        assert file.named["quartz"] in [line.where for line in lines]
    else:
        assert (text + files).count("quartz") == 1
    assert "start" in text


def test_struck_raised_and_lowered_words() -> None:
    styles = (
        '<style:style style:name="K"><style:text-properties style:text-line-through-style="solid"/></style:style>'
        '<style:style style:name="N" style:parent-style-name="K"><style:text-properties '
        'style:text-line-through-style="none"/></style:style>'
        '<style:style style:name="U"><style:text-properties style:text-position="33% 58%"/></style:style>'
        '<style:style style:name="D"><style:text-properties style:text-position="sub 58%"/></style:style>'
    )

    def span(style: str, words: str) -> str:
        return f'<text:span text:style-name="{style}">{words}</text:span>'

    body = p(f"10{span('U', '6')} CO{span('D', '2')} may {span('K', 'not ' + span('N', 'ever'))}")
    body += '<text:p text:style-name="K">gone</text:p>'
    (page,) = (item for item in contents(File(body, styles).data())[3] if isinstance(item, PageText))
    assert page.text == "10⁶ CO₂ may not ever\n\ngone"
    assert [page.text[start:end] for start, end in page.struck_spans] == ["not ", "gone"]


def test_items_and_headings_are_numbered_as_they_are_shown() -> None:
    styles = (
        '<text:list-style style:name="L">'
        '<text:list-level-style-number text:level="1" style:num-format="A" style:num-suffix=")"/>'
        '<text:list-level-style-number text:level="2" style:num-format="i" style:num-prefix="(" style:num-suffix=")"/>'
        '<text:list-level-style-bullet text:level="3"/></text:list-style>'
        '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    )

    def items(inside: str, style: str = "") -> str:
        return f'<text:list text:style-name="{style}">{inside}</text:list>'

    def item(words: str, inside: str = "") -> str:
        return f"<text:list-item>{p(words)}{inside}</text:list-item>"

    body = items(item("x", items(item("x") + item("x", items(item("x"))))) + item("x", items(item("x"))), "L")
    body += items(item("x"), "L")
    body += "".join(f'<text:h text:outline-level="{level}">x</text:h>' for level in (1, 2, 2, 1, 2))
    text = contents(File(body, styles).data())[0]
    labels = [line.removesuffix("x").strip() for line in text.split("\n\n")]
    assert labels == ["A)", "(i)", "(ii)", "", "B)", "(i)", "A)", "1", "1.1", "1.2", "2", "2.1"]


def test_ticked_boxes_show_their_state() -> None:
    param = '<field:param field:name="Checkbox_Checked" field:value="{}"/>'
    mark = f'<field:fieldmark-start field:type="x.FORMCHECKBOX">{param}</field:fieldmark-start>'
    body = p(mark.format("true") + " yes " + mark.format("false") + " no") + BODIES["a box to tick"].replace(
        "WORD", "agreed"
    )
    assert contents(File(body).data())[0] == "☒ yes ☐ no\n\n☒ agreed"


def test_a_document_of_pictures_hands_them_out() -> None:
    file = File(_frame("<draw:image/>"), parts={"Pictures/scan.png": picture("PNG", 500, 300)})
    text, _, _, items = contents(file.data())
    assert text == "Pictures and files:\n- scan.png"
    assert any(isinstance(item, Attachment) for item in items)
