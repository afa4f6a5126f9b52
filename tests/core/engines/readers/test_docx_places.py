"""Word files: a word in any place of the package is on a page, in a file of its own, or under a line for its place."""

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
from tests.core.engines.readers.test_drawing_chart import C, rich, series

NAMES = " ".join(
    f'xmlns:{short}="{long}"'
    for short, long in (
        ("w", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
        ("r", "http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
        ("m", "http://schemas.openxmlformats.org/officeDocument/2006/math"),
        ("w14", "urn:w14"), ("wp", "urn:wp"), ("a", "urn:a"), ("c", "urn:c"), ("dgm", "urn:dgm"), ("mc", "urn:mc"),
        ("wps", "urn:wps"), ("v", "urn:v"), ("pic", "urn:pic"),
    )
)  # fmt: skip


@dataclass
class Word:
    """A Word file in the making: its body, its parts, what the body refers to, and where each word is left out."""

    body: str = ""
    parts: dict[str, str | bytes] = field(default_factory=dict)
    relations: list[tuple[str, str, str]] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)

    def part(self, kind: str, name: str, content: str | bytes) -> str:
        """Add a part of the folder word that the body refers to."""
        self.parts[f"word/{name}"] = content
        self.relations.append((f"r{len(self.relations)}", kind, name))
        return self.relations[-1][0]

    def data(self) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/document.xml", f"<w:document {NAMES}><w:body>{self.body}</w:body></w:document>")
            rows = "".join(f'<Relationship Id="{i}" Type="x/{k}" Target="{t}"/>' for i, k, t in self.relations)
            archive.writestr("word/_rels/document.xml.rels", f"<Relationships>{rows}</Relationships>")
            for name, content in self.parts.items():
                archive.writestr(name, content)
        return file.getvalue()


def p(inside: str, properties: str = "") -> str:
    return f"<w:p>{properties}{inside}</w:p>"


def r(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def drawing(inside: str) -> str:
    return p(f"<w:r><w:drawing><wp:inline>{inside}</wp:inline></w:drawing></w:r>")


def chart(word: str) -> str:
    inside = series(word + "s", [word + "c"], ["71"])
    return f"<c:chartSpace {C}><c:chart>{rich(word)}<c:plotArea>{inside}</c:plotArea></c:chart></c:chartSpace>"


def _body(inside: str):
    return lambda file, word: setattr(file, "body", file.body + inside.replace("WORD", word))


def _field(code: str, result: str = "", form: str = "") -> str:
    end = f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{r(result)}' if result else ""
    return p(
        f'<w:r><w:fldChar w:fldCharType="begin">{form}</w:fldChar></w:r><w:r><w:instrText>{code}</w:instrText></w:r>'
        f'{end}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def _cells(*texts: str) -> str:
    return f"<w:tr>{''.join(f'<w:tc>{p(r(text))}</w:tc>' for text in texts)}</w:tr>"


BOX = f"<w:txbxContent>{p(r('WORD'))}</w:txbxContent>"
SIMPLE = {
    "a run": p(r("WORD")),
    "a hidden run": p(r("WORD", "<w:vanish/>")),
    "a struck run": p(r("WORD", "<w:strike/>")),
    "a raised run": p(r("WORD", '<w:vertAlign w:val="superscript"/>')),
    "a link": p(f"<w:hyperlink>{r('WORD')}</w:hyperlink>"),
    "a control": f"<w:sdt><w:sdtContent>{p(r('WORD'))}</w:sdtContent></w:sdt>",
    "an unknown wrapper": f"<w:odd><w:odder>{p(r('WORD'))}</w:odder></w:odd>",
    "an insertion": p(f"<w:ins>{r('WORD')}</w:ins>"),
    "a deletion": p("<w:del><w:r><w:delText>WORD</w:delText></w:r></w:del>"),
    "a table": f"<w:tbl>{_cells('a', 'WORD')}{_cells('WORDx', 'b')}</w:tbl>",
    "a table of one column": f"<w:tbl>{_cells('WORD')}</w:tbl>",
    "a nested table": f"<w:tbl><w:tr><w:tc><w:tbl>{_cells('a', 'WORD')}</w:tbl></w:tc><w:tc/></w:tr></w:tbl>",
    "a hidden row": f"<w:tbl>{_cells('WORD', 'x').replace('<w:tr>', '<w:tr><w:trPr><w:hidden/></w:trPr>')}</w:tbl>",
    "a text box": p(f"<w:r><w:drawing><wps:txbx>{BOX}</wps:txbx></w:drawing></w:r>"),
    "an old text box": p(f"<w:r><w:pict><v:shape><v:textbox>{BOX}</v:textbox></v:shape></w:pict></w:r>"),
    "lettering": p('<w:r><w:pict><v:shape><v:textpath string="WORD"/></v:shape></w:pict></w:r>'),
    "the words for a picture": drawing('<wp:docPr id="1" descr="WORD"/>'),
    "the title of a picture": drawing('<wp:docPr id="1" title="WORD"/>'),
    "the words for an old picture": p('<w:r><w:pict><v:shape alt="WORD"/></w:pict></w:r>'),
    "a formula": p("<m:oMath><m:sSup><m:e><m:r><m:t>WORD</m:t></m:r></m:e></m:sSup></m:oMath>"),
    "a formula of its own": "<m:oMathPara><m:oMath><m:r><m:t>WORD</m:t></m:r></m:oMath></m:oMathPara>",
    "a simple field": p(f'<w:fldSimple w:instr="REF x">{r("WORD")}</w:fldSimple>'),
    "the result of a field": _field("REF x", "WORD"),
    "a field that is not closed": p(f'<w:r><w:fldChar w:fldCharType="begin"/></w:r>{r("WORD")}'),
    "a button": _field("MACROBUTTON Go WORD"),
    "a chosen value": _field(
        "FORMDROPDOWN", "", '<w:ffData><w:ddList><w:listEntry w:val="WORD"/></w:ddList></w:ffData>'
    ),
    "a text field left as it was": _field(
        "FORMTEXT", "", '<w:ffData><w:textInput><w:default w:val="WORD"/></w:textInput></w:ffData>'
    ),
    "characters with their reading": p(
        f"<w:r><w:ruby><w:rt>{r('WORD')}</w:rt><w:rubyBase>{r('WORDx')}</w:rubyBase></w:ruby></w:r>"
    ),
}  # fmt: skip


def _note(kind: str, mark: str):
    def build(file: Word, word: str) -> None:
        tag = kind.rstrip("s")
        notes = f'<w:{kind} {NAMES}><w:{tag} w:id="7" w:author="Ann">{p(r(word, "<w:strike/>"))}</w:{tag}></w:{kind}>'
        file.part(kind, f"{kind}.xml", notes)
        file.body += p(mark and f'<w:r><w:{mark} w:id="7"/></w:r>')

    return build


def _margin(kind: str, inside: str):
    def build(file: Word, word: str) -> None:
        tag = "hdr" if kind == "header" else "ftr"
        file.part(kind, f"{kind}1.xml", f"<w:{tag} {NAMES}>{inside.replace('WORD', word)}</w:{tag}>")

    return build


def _chunk(name: str, content: str):
    def build(file: Word, word: str) -> None:
        file.body += f'<w:altChunk r:id="{file.part("aFChunk", name, content.replace("WORD", word))}"/>'

    return build


def _word_chunk(file: Word, word: str) -> None:
    inner = Word(p(r(word))).data()
    file.body += f'<w:altChunk r:id="{file.part("aFChunk", "inner.docx", inner)}"/>'


def _chart(file: Word, word: str) -> None:
    file.body += drawing(
        f'<a:graphicData><c:chart r:id="{file.part("chart", f"charts/{word}.xml", chart(word))}"/></a:graphicData>'
    )


def _diagram(file: Word, word: str) -> None:
    point = f"<dgm:pt><dgm:t><a:p><a:r><a:t>{word}</a:t></a:r></a:p></dgm:t></dgm:pt>"
    data = f"<dgm:dataModel {NAMES}>{point}</dgm:dataModel>"
    file.body += drawing(f'<dgm:relIds r:dm="{file.part("diagramData", "diagrams/data1.xml", data)}"/>')


def _list(file: Word, word: str) -> None:
    definition = f'<w:lvl w:ilvl="0"><w:start w:val="1"/><w:lvlText w:val="{word} %1."/></w:lvl>'
    abstract = f'<w:abstractNum w:abstractNumId="0">{definition}</w:abstractNum>'
    num = '<w:num w:numId="3"><w:abstractNumId w:val="0"/></w:num>'
    file.part("numbering", "numbering.xml", f"<w:numbering {NAMES}>{abstract}{num}</w:numbering>")
    file.body += p(r("x"), '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr>')


def _beside(name: str, where: str, kind: str = "x"):
    def build(file: Word, word: str) -> None:
        file.parts[name] = f"<x><y>{word}</y></x>"
        file.named[word] = where

    return build


def _unseen(inside: str, where: str = "word/document.xml"):
    """A word that no page shows, and the place that the ledger names."""

    def build(file: Word, word: str) -> None:
        file.body += inside.replace("WORD", word)
        file.named[word] = where

    return build


def _file(name: str):
    def build(file: Word, word: str) -> None:
        file.parts[name] = f"PDF {word}"

    return build


def _separator(file: Word, word: str) -> None:
    note = f'<w:footnote w:type="separator" w:id="0">{p(r(word))}</w:footnote>'
    file.part("footnotes", "footnotes.xml", f"<w:footnotes {NAMES}>{note}</w:footnotes>")


PLACES = {place: _body(inside) for place, inside in SIMPLE.items()} | {
    "a footnote": _note("footnotes", "footnoteReference"),
    "an endnote": _note("endnotes", "endnoteReference"),
    "a comment": _note("comments", "commentReference"),
    "a comment without a place": _note("comments", ""),
    "a header": _margin("header", p(r("WORD"))),
    "a header with a box": _margin("header", p(f"<w:r><w:pict>{BOX}</w:pict></w:r>")),
    "a watermark": _margin("header", SIMPLE["lettering"]),
    "a footer": _margin("footer", f"<w:tbl>{_cells('Page', 'WORD')}</w:tbl>"),
    "an imported page": _chunk("chunk.html", "<html><body><p>WORD</p></body></html>"),
    "an imported RTF text": _chunk("chunk.rtf", r"{\rtf1 WORD}"),
    "an imported text": _chunk("chunk.txt", "WORD and so on"),
    "an imported Word file": _word_chunk,
    "a chart": _chart,
    "a diagram": _diagram,
    "the number of a paragraph": _list,
    "an embedded file": _file("word/embeddings/one.pdf"),
    "a recording": _beside("word/media/one.mp3", "word/media"),
    "a building block": _beside("word/glossary/document.xml", "word/glossary"),
    "data": _beside("customXml/item1.xml", "customXml"),
    "properties": _beside("docProps/custom.xml", "docProps"),
    "a chart that nothing refers to": _beside("word/charts/chart9.xml", "word/charts"),
    "who inserted a text": _unseen(p(f'<w:ins w:author="WORD">{r("x")}</w:ins>')),
    "who changed a look": _unseen(p(r("x", '<w:rPrChange w:author="WORD"/>'))),
    "an unknown part": _beside("word/odd.xyz", "word"),
    "an unknown file among the fonts": _beside("word/fonts/odd.txt", "word/fonts"),
    "an unknown file beside the theme": _beside("word/theme/odd.xml", "word/theme"),
    "a condition": _unseen(_field('IF 1 = 2 "WORD" "x"', "x")),
    "an entry of the index": _unseen(_field('XE "WORD"')),
    "an address": _unseen(_field('HYPERLINK "https://a.example/WORD" \\o "x"', "x"), "a.example"),
    "a bookmark": _unseen('<w:p><w:bookmarkStart w:name="WORD"/></w:p>'),
    "the tip of a link": _unseen(p(f'<w:hyperlink w:tooltip="WORD">{r("x")}</w:hyperlink>')),
    "a choice that is not taken": _unseen(
        _field(
            "FORMDROPDOWN",
            "",
            '<w:ffData><w:ddList><w:listEntry w:val="x"/><w:listEntry w:val="WORD"/></w:ddList></w:ffData>',
        )
    ),
    "a choice of a control": _unseen(
        '<w:sdt><w:sdtPr><w:comboBox><w:listItem w:displayText="WORD"/></w:comboBox></w:sdtPr>'
        f"<w:sdtContent>{p(r('x'))}</w:sdtContent></w:sdt>"
    ),
    "the name of a control": _unseen('<w:sdt><w:sdtPr><w:alias w:val="WORD"/></w:sdtPr><w:sdtContent/></w:sdt>'),
    "a deleted code": _unseen(p("<w:del><w:r><w:delInstrText>WORD</w:delInstrText></w:r></w:del>")),
    "the description of a table": _body(
        f'<w:tbl><w:tblPr><w:tblCaption w:val="x"/><w:tblDescription w:val="WORD"/></w:tblPr>{_cells("a", "b")}</w:tbl>'
    ),
    "the title and the words for a picture": _body(drawing('<wp:docPr id="1" title="WORD" descr="x"/>')),
    "a text that was moved away": _body(p(f"<w:moveFrom>{r('WORD')}</w:moveFrom>")),
    "the line above footnotes": _separator,
}


def _places_of_words(file: Word) -> tuple[str, str, list[LeftOut]]:
    items = list(FileReader().read(file.data(), "a.docx"))
    text = "\n".join(item.text for item in items if isinstance(item, PageText))
    files = "\n".join(item.data.decode("latin-1") for item in items if isinstance(item, Attachment))
    return text, files, [item for item in items if isinstance(item, LeftOut)]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(sorted(PLACES)), unique=True, min_size=1, max_size=12))
def test_every_word_is_on_a_page_in_a_file_or_under_a_line(places: list[str]) -> None:
    file, words = Word(p(r("start"))), {}
    for number, place in enumerate(places):
        word = f"wd{'abcdefghijklmnopqrst'[number] * 6}"
        longer = Word(file.body, dict(file.parts), list(file.relations), dict(file.named))
        PLACES[place](longer, word)
        if all(longer.parts[name] == content for name, content in file.parts.items()):  # no part has room for two
            file, words[place] = longer, word
    text, files, lines = _places_of_words(file)
    for place, word in words.items():
        is_named = any(line.where == file.named.get(word) for line in lines)
        assert word in text or word in files or is_named, place


@pytest.mark.parametrize("place", sorted(PLACES))
def test_each_place_by_itself(place: str) -> None:
    file = Word(p(r("start")))
    PLACES[place](file, "quartz")
    text, files, lines = _places_of_words(file)
    if "quartz" in file.named:
        assert file.named["quartz"] in [line.where for line in lines]
    else:
        assert "quartz" in text + files
        assert text.count("quartz") + files.count("quartz") <= 4
    assert "start" in text


def test_a_box_a_chart_and_a_picture_stand_once() -> None:
    choice = f"<mc:Choice><w:drawing><wps:txbx>{BOX}</wps:txbx></w:drawing></mc:Choice>"
    alternate = f"<mc:AlternateContent>{choice}<mc:Fallback><w:pict>{BOX}</w:pict></mc:Fallback></mc:AlternateContent>"
    group = f"<w:drawing><wps:grp>{alternate}</wps:grp><wp:docPr descr='seen'/><pic:cNvPr descr='seen'/></w:drawing>"
    text, _, _ = _places_of_words(Word(p(f"<w:r>{group}</w:r>")))
    assert text == "[picture: seen]\n\nWORD"


def test_form_fields_and_controls_show_their_state() -> None:
    box = "<w:ffData><w:checkBox><w:default w:val='0'/>{}</w:checkBox></w:ffData>"
    state = "<w:sdtPr><w14:checkbox><w14:checked w14:val='{}'/></w14:checkbox></w:sdtPr>"
    control = f"<w:sdt>{state}<w:sdtContent>{{}}</w:sdtContent></w:sdt>"
    body = "".join(
        (
            _field("FORMCHECKBOX", "", box.format("<w:checked/>")),
            _field("FORMCHECKBOX", "", box.format("<w:checked w:val='0'/>")),
            _field("FORMCHECKBOX", "x", box.format("")),
            p(control.format("1", r("\uf052")) + control.format("0", r("o"))),
        )
    )
    assert _places_of_words(Word(body))[0].split() == ["☒", "☐", "☐", "☒☐"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (r"EQ \f(1,2)", "1/2"),
        (r"EQ \s\up5(2)", "²"),
        (r"EQ \s\do5(2)", "₂"),
        (r"EQ \r(3,x)", "³√(x)"),
        (r"EQ \r(\f(1,2))", "√(1/2)"),
        (r"SYMBOL 163 \f Symbol", "≤"),
        ("SYMBOL 97", "a"),
    ],
)
def test_fields_that_draw(code: str, expected: str) -> None:
    assert _places_of_words(Word(_field(code)))[0] == expected


def test_clauses_are_numbered_as_word_numbers_them() -> None:
    def level(number: int, kind: str, text: str, more: str = "") -> str:
        inside = f'<w:start w:val="1"/><w:numFmt w:val="{kind}"/>{more}<w:lvlText w:val="{text}"/>'
        return f'<w:lvl w:ilvl="{number}">{inside}</w:lvl>'

    levels = (
        level(0, "upperRoman", "%1.")
        + level(1, "decimal", "%1.%2", "<w:isLgl/>")
        + level(2, "lowerLetter", "(%3)")
        + level(3, "bullet", "•")
    )
    definition = (
        f"<w:abstractNum w:abstractNumId='0'>{levels}</w:abstractNum>"
        "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
        "<w:num w:numId='2'><w:abstractNumId w:val='0'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='1'/>"
        "</w:lvlOverride></w:num>"
    )
    file = Word()
    file.part("numbering", "numbering.xml", f"<w:numbering {NAMES}>{definition}</w:numbering>")
    for number, tier in (
        (1, 0),
        (1, 1),
        (1, 1),
        (1, 2),
        (1, 2),
        (1, 3),
        (1, 1),
        (1, 2),
        (1, 0),
        (1, 1),
        (2, 0),
        (0, 0),
    ):
        list_of = f"<w:numPr><w:ilvl w:val='{tier}'/><w:numId w:val='{number}'/></w:numPr>"
        file.body += p(r("x"), f"<w:pPr>{list_of}</w:pPr>")
    labels = [line.rpartition("x")[0].strip() for line in _places_of_words(file)[0].split("\n\n")]
    assert labels == ["I.", "1.1", "1.2", "(a)", "(b)", "", "1.3", "(a)", "II.", "2.1", "I.", ""]


def test_paragraphs_whose_border_a_tracked_change_took_out_are_one() -> None:
    def item(inside: str, mark: str = "", list_of: str = "<w:numPr><w:numId w:val='1'/></w:numPr>") -> str:
        return p(inside, f"<w:pPr>{list_of}<w:rPr>{mark}</w:rPr></w:pPr>")

    gone = "<w:del w:author='Ann'><w:r><w:delText>Pets are allowed.</w:delText></w:r></w:del>"
    file = Word(
        item(r("The rent is 9"), "<w:del/>")
        + "<w:bookmarkEnd w:id='1'/><w:proofErr w:type='gramEnd'/>"
        + item(r("00 euros."))
        + item(gone, "<w:moveFrom/>")
        + item(r("No dogs."))
        + item(r("Signed."), "<w:del/>", list_of="")
        + f"<w:tbl><w:tr><w:tc>{p(r('Stamp'))}</w:tc></w:tr></w:tbl>"
    )
    level = "<w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>"
    definition = f"<w:abstractNum w:abstractNumId='0'>{level}</w:abstractNum>"
    definition += "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
    file.part("numbering", "numbering.xml", f"<w:numbering {NAMES}>{definition}</w:numbering>")
    assert _places_of_words(file)[0] == (
        "1. The rent is 900 euros.\n\n2. No dogs.\n\nSigned.\n\nStamp\n\nDeleted by Ann: Pets are allowed."
    )


def test_struck_raised_and_lowered_runs() -> None:
    up, down = ('<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>')
    body = p(r("10") + r("6", up) + r(" CO") + r("2", down) + r(" 1") + r("st", up) + r(" not", "<w:dstrike/>"))
    body += p(r("10") + r("3", '<w:position w:val="8"/>') + r(" kept", '<w:strike w:val="0"/>'))
    (page,) = (item for item in FileReader().read(Word(body).data(), "a.docx") if isinstance(item, PageText))
    assert page.text == "10⁶ CO₂ 1st not\n\n10³ kept"
    assert [page.text[start:end] for start, end in page.struck_spans] == [" not"]


def test_struck_words_in_tables_and_notes_keep_their_mark() -> None:
    file = Word(
        f"<w:tbl><w:tr><w:tc>{p(r('a'))}</w:tc><w:tc>{p(r('may ') + r('not', '<w:strike/>'))}</w:tc></w:tr></w:tbl>"
    )
    PLACES["a footnote"](file, "never")
    (page,) = (item for item in FileReader().read(file.data(), "a.docx") if isinstance(item, PageText))
    assert [page.text[start:end] for start, end in page.struck_spans] == ["not", "never"]


def test_a_document_of_pictures_hands_them_out() -> None:
    from tests.core.engines.readers.test_pictures import picture

    file = Word(p("<w:r><w:drawing/></w:r>"), {"word/media/scan.png": picture("PNG", 800, 600)})
    text, _, _ = _places_of_words(file)
    assert text == "Pictures and files:\n- scan.png"


def test_a_header_is_there_unless_it_only_counts_pages() -> None:
    number = p(f'<w:fldSimple w:instr="PAGE">{r("7")}</w:fldSimple>')
    for inside, expected in ((number, "start"), (p(r("4711")) + number, "4711\n\n7\n\nstart")):
        file = Word(p(r("start")))
        _margin("header", inside)(file, "x")
        assert _places_of_words(file)[0] == expected


def test_imports_that_never_end_stop() -> None:
    data = Word(p(r("core"))).data()
    for _ in range(8):
        outer = Word(p(r("layer")))
        identity = outer.part("aFChunk", "inner.docx", data)
        outer.body += f'<w:altChunk r:id="{identity}"/>' * 3
        data = outer.data()
    items = list(FileReader().read(data, "a.docx"))
    assert any(isinstance(item, LeftOut) and item.what == "imported part beyond the limit" for item in items)


def test_a_part_that_is_imported_again_and_again_is_read_three_times() -> None:
    file = Word(p(r("core")))
    identity = file.part("aFChunk", "inner.html", "<p>again</p>")
    file.body += f'<w:altChunk r:id="{identity}"/>' * 500
    items = list(FileReader().read(file.data(), "a.docx"))
    (page,) = (item for item in items if isinstance(item, PageText))
    assert page.text.count("again") == 3
    (line,) = (item for item in items if isinstance(item, LeftOut) and item.what == "repetition of an imported part")
    assert line.count == 497


def test_an_equation_joins_no_number_before_it_and_a_merged_cell_names_each_of_its_rows() -> None:
    code = r"<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> EQ \f(3,8) </w:instrText></w:r>"
    field = f"<w:p><w:r><w:t>It is 5</w:t></w:r>{code}<w:r><w:fldChar w:fldCharType='end'/></w:r></w:p>"
    assert _places_of_words(Word(field))[0] == "It is 5 3/8"

    def cell(text: str, merge: str = "") -> str:
        return f"<w:tc><w:tcPr>{merge}</w:tcPr>{p(r(text)) if text else '<w:p/>'}</w:tc>"

    rows = [
        cell("Month") + cell("Loss"),
        cell("May", '<w:vMerge w:val="restart"/>') + cell("417"),
        cell("", "<w:vMerge/>") + cell("12"),
    ]
    table = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"
    assert _places_of_words(Word(table))[0] == "Month · Loss\nMay · Loss: 417\nMay · Loss: 12"
