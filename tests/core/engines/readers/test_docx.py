"""Word files: built with python-docx, by hand where it cannot build them, and bombs."""

from __future__ import annotations

import io
import struct
import zipfile

import docx
import pytest
from docx.shared import Pt, RGBColor

from core.domain import PageText
from core.engines.readers import docx as word
from core.engines.readers import plain_text
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument

READER = FileReader()
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def saved(document) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def read(data: bytes) -> list[PageText]:
    return [item for item in READER.read(data, "a.docx") if isinstance(item, PageText)]


def package(body: str = "", **parts: str | bytes) -> bytes:
    """A Word file made by hand; the names of ``parts`` have _ for / and __ for a dot."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if body:
            archive.writestr("word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>")
        for name, content in parts.items():
            archive.writestr(name.replace("__", ".").replace("_", "/"), content)
    return file.getvalue()


def paragraph(text: str, inside: str = "") -> str:
    return f"<w:p><w:r>{inside}<w:t>{text}</w:t></w:r></w:p>"


def refusal(data: bytes) -> UnreadableDocument:
    with pytest.raises(UnreadableDocument) as caught:
        read(data)
    assert caught.value.hint.endswith(".")
    return caught.value


# --- text ------------------------------------------------------------------------------------------------------------


def test_paragraphs_tables_and_what_the_file_says_about_itself():
    document = docx.Document()
    document.core_properties.title = "The dam"
    document.core_properties.author = "Ann Lee"
    document.add_heading("Findings")
    document.add_paragraph("The pump stopped.\tAt two.")
    table = document.add_table(2, 3)
    for row, texts in zip(table.rows, (("Name", "", "Age"), ("Ann", "x", "31")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(1, 1).add_paragraph("second line")
    document.add_paragraph("Grüße, 世界.")
    items = list(READER.read(saved(document), "a.docx"))
    assert (items[0].kind, items[0].title, items[0].author, items[0].pages) == ("docx", "The dam", "Ann Lee", 1)
    assert items[0].file_date
    assert items[1].text == (
        "Findings\n\nThe pump stopped.\tAt two.\n\nName · Age\nAnn · x second line · Age: 31\n\nGrüße, 世界."
    )
    (rows,) = (table.rows for table in items[1].tables)
    assert [[items[1].text[start:end] for start, end in row] for row in rows] == [["Ann", "x second line", "31"]]


def test_a_table_that_places_others_flows_and_the_inner_one_keeps_its_rows():
    document = docx.Document()
    cell = document.add_table(1, 2).rows[0].cells[0]
    inner = cell.add_table(1, 2)
    inner.rows[0].cells[0].text, inner.rows[0].cells[1].text = "in", "ner"
    document.tables[0].rows[0].cells[1].text = "outer"
    assert read(saved(document))[0].text == "in · ner\n\nouter"


def test_headers_stand_first_and_footers_last():
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Confidential"
    document.sections[0].footer.paragraphs[0].text = "Page foot"
    document.add_paragraph("Body.")
    assert read(saved(document))[0].text == "Confidential\n\nBody.\n\nPage foot"


def test_comments_are_read_with_their_author():
    document = docx.Document()
    run = document.add_paragraph().add_run("The pump stopped.")
    document.add_comment(run, text="Who says so?", author="Ann Lee", initials="AL")
    assert read(saved(document))[0].text == "The pump stopped.\n\nComment by Ann Lee: Who says so?"


def test_footnotes_stand_at_the_end_of_their_page():
    notes = (
        f'<w:footnotes {W}><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        f'<w:footnote w:id="2">{paragraph("See the log.")}</w:footnote></w:footnotes>'
    )
    relations = '<Relationships><Relationship Type="x/footnotes" Target="footnotes.xml"/></Relationships>'
    body = (
        f'<w:p><w:r><w:t>It stopped.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>{paragraph("Next.")}'
        f"<w:p><w:r><w:lastRenderedPageBreak/><w:t>Page two.</w:t></w:r></w:p>"
    )
    data = package(body, word_footnotes__xml=notes)
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("word/_rels/document.xml.rels", relations)
    pages = read(file.getvalue())
    assert [page.text for page in pages] == ["It stopped.\n\nNext.\n\nFootnote: See the log.", "Page two."]


def test_pages_are_those_of_the_last_layout():
    body = (
        paragraph("One.")
        + '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
        + paragraph("Two", "<w:lastRenderedPageBreak/>")
        + "<w:p><w:r><w:t>starts here, </w:t><w:lastRenderedPageBreak/><w:t>goes on there.</w:t></w:r></w:p>"
    )
    assert [page.text for page in read(package(body))] == ["One.", "Two\n\nstarts here, ", "goes on there."]


def test_a_file_that_was_never_laid_out_is_one_flowing_text(monkeypatch):
    body = paragraph("One.") + '<w:p><w:r><w:br w:type="page"/></w:r></w:p>' + paragraph("Two.")
    assert [page.text for page in read(package(body))] == ["One.\n\nTwo."]
    monkeypatch.setattr(plain_text, "PAGE", 30)
    hidden = "<w:rPr><w:vanish/></w:rPr>"
    pages = read(package("".join(paragraph(f"Number {n}.", hidden if n % 5 == 0 else "") for n in range(20))))
    assert len(pages) > 3
    assert [page.label for page in pages][:2] == ["part 1", "part 2"]
    flagged = [page.text[start:end].strip() for page in pages for start, end in page.hidden_spans]
    assert flagged == ["Number 0.", "Number 5.", "Number 10.", "Number 15."]


def test_tracked_changes_are_read_as_accepted_and_what_was_deleted_is_kept_aside():
    body = (
        "<w:p><w:r><w:t>It </w:t></w:r><w:ins><w:r><w:t>never </w:t></w:r></w:ins>"
        "<w:del w:author='Ann'><w:r><w:delText>always </w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>gone </w:t></w:r></w:moveFrom><w:r><w:t>stopped</w:t></w:r>"
        "<w:moveFrom><w:r><w:t> at noon</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t> at noon.</w:t></w:r></w:moveTo>"
        "<w:r><w:instrText>HYPERLINK x</w:instrText></w:r></w:p>"
    )
    (page,) = read(package(body))
    assert page.text == "It never stopped at noon.\n\nDeleted by Ann: always\n\nDeleted: gone"
    hidden = [page.text[start:end] for start, end in page.hidden_spans]
    assert hidden == ["Deleted by Ann: always", "Deleted: gone"]
    assert page.hidden_why == ("unseen",) * 2


def test_text_boxes_are_read_once():
    box = f"<w:txbxContent>{paragraph('In the box.')}</w:txbxContent>"
    alternate = (
        '<mc:AlternateContent xmlns:mc="m"><mc:Choice Requires="wps"><w:drawing>' + box + "</w:drawing></mc:Choice>"
        "<mc:Fallback><w:pict>" + box + "</w:pict></mc:Fallback></mc:AlternateContent>"
    )
    assert read(package(f"<w:p><w:r><w:t>Beside.</w:t>{alternate}</w:r></w:p>"))[0].text == "Beside.\n\nIn the box."


def test_content_controls_links_and_special_characters():
    body = (
        f"<w:sdt><w:sdtContent>{paragraph('Controlled.')}</w:sdtContent></w:sdt>"
        "<w:p><w:hyperlink><w:r><w:t>a link</w:t></w:r></w:hyperlink><w:r><w:noBreakHyphen/><w:t>x</w:t><w:br/>"
        "<w:t>y</w:t><w:softHyphen/></w:r></w:p>"
    )
    assert read(package(body))[0].text == "Controlled.\n\na link-x\ny\u00ad"


def test_strict_documents_are_read():
    data = package(paragraph("Strict."))
    strict = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(strict, "w") as new:
        text = old.read("word/document.xml").replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        )
        new.writestr("word/document.xml", text)
    assert read(strict.getvalue())[0].text == "Strict."


def test_hidden_runs_are_flagged():
    document = docx.Document()
    line = document.add_paragraph()
    line.add_run("Seen ")
    line.add_run("vanished ").font.hidden = True
    line.add_run("white ").font.color.rgb = RGBColor(255, 255, 255)
    line.add_run("tiny ").font.size = Pt(1)
    line.add_run("end.")
    (page,) = read(saved(document))
    assert page.text == "Seen vanished white tiny end."
    assert [page.text[start:end] for start, end in page.hidden_spans] == ["vanished ", "white ", "tiny "]
    assert page.hidden_why == ("unseen", "colour", "tiny")


def styled(body: str, styles: str) -> list[PageText]:
    relation = '<Relationships><Relationship Id="r1" Type="x/styles" Target="styles.xml"/></Relationships>'
    file = io.BytesIO(package(body))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("word/_rels/document.xml.rels", relation)
        archive.writestr("word/styles.xml", f"<w:styles {W}>{styles}</w:styles>")
    return read(file.getvalue())


@pytest.mark.parametrize(
    ("style", "run", "why"),
    [
        ("<w:vanish/>", "", "unseen"),
        ("<w:vanish/>", '<w:vanish w:val="0"/>', ""),
        ('<w:color w:val="FFFFFF"/>', "", "colour"),
        ('<w:color w:val="FFFFFF"/>', '<w:shd w:fill="000000"/>', ""),
        ('<w:color w:val="FFFFFF"/>', '<w:color w:val="auto"/>', ""),
        ('<w:sz w:val="2"/>', "", "tiny"),
        ('<w:sz w:val="2"/>', '<w:sz w:val="24"/>', ""),
        ("", '<w:highlight w:val="black"/>', "blacked out"),
        ("", '<w:highlight w:val="black"/><w:color w:val="FFFFFF"/>', ""),
        ("", '<w:highlight w:val="yellow"/>', ""),
        ("", '<w:color w:val="000000"/><w:shd w:fill="000000"/>', "blacked out"),
        ("", '<w:shd w:fill="000000"/>', ""),
        ("", '<w:color w:val="C00000"/><w:shd w:fill="c00000"/>', "colour"),
        ("", '<w:color w:val="FFFFFF"/><w:highlight w:val="white"/>', "colour"),
        ("", '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="auto"/>', "colour"),
    ],
)
@pytest.mark.parametrize("kind", ["pStyle", "rStyle"])
def test_what_a_style_hides_is_flagged_and_a_nearer_format_counts(style, run, why, kind):
    styles = (
        f'<w:style w:type="x" w:styleId="Base"><w:rPr>{style}</w:rPr></w:style>'
        '<w:style w:type="x" w:styleId="S"><w:basedOn w:val="Base"/></w:style>'
    )
    named = f'<w:{kind} w:val="S"/>'
    outer, inner = (f"<w:pPr>{named}</w:pPr>", run) if kind == "pStyle" else ("", named + run)
    (page,) = styled(f"<w:p>{outer}<w:r><w:rPr>{inner}</w:rPr><w:t>words</w:t></w:r></w:p>", styles)
    assert page.text == "words"
    assert page.hidden_why == ((why,) if why else ())


def test_symbols_are_characters_or_say_that_they_are_none():
    body = '<w:p><w:r><w:t>5 </w:t><w:sym w:char="03A9"/><w:sym w:char="F0E0"/><w:sym w:char="x"/></w:r></w:p>'
    assert read(package(body))[0].text == "5 \u03a9\ufffd"


WHITE = '<w:p><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>white</w:t></w:r></w:p>'
DARK = '<w:shd w:val="clear" w:fill="204060"/>'


def in_table(*, table: str = "", cell: str = "") -> str:
    return f"<w:tbl><w:tblPr>{table}</w:tblPr><w:tr><w:tc><w:tcPr>{cell}</w:tcPr>{WHITE}</w:tc></w:tr></w:tbl>"


def in_box(look: str) -> str:
    return (
        '<w:p><w:r><w:drawing><wps:wsp xmlns:wps="urn:wps" xmlns:a="urn:a">'
        f"<wps:spPr>{look}</wps:spPr><wps:txbx><w:txbxContent>{WHITE}</w:txbxContent></wps:txbx></wps:wsp>"
        "</w:drawing></w:r></w:p>"
    )


@pytest.mark.parametrize(
    ("body", "is_visible"),
    [
        (in_table(), False),
        (in_table(cell=DARK), True),
        (in_table(table=DARK), True),
        (in_table(table=DARK, cell='<w:shd w:val="clear" w:fill="auto"/>'), False),
        (in_table(cell='<w:shd w:val="pct50" w:fill="FFFFFF"/>'), True),
        (in_table(table='<w:tblStyle w:val="Dark"/>'), True),
        (in_table(table='<w:tblStyle w:val="OnDark"/>'), True),
        (in_table(table='<w:tblStyle w:val="Grid"/>'), False),
        (in_table(table='<w:tblStyle w:val="Gone"/>'), True),
        (WHITE.replace("<w:p>", '<w:p><w:pPr><w:pStyle w:val="Banner"/></w:pPr>'), True),
        (WHITE.replace("<w:p>", f"<w:p><w:pPr>{DARK}</w:pPr>"), True),
        (in_box('<a:solidFill><a:srgbClr val="204060"/></a:solidFill>'), True),
        (in_box(""), True),
        (in_box("<a:noFill/>"), False),
        (in_box('<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>'), False),
    ],
)
def test_white_words_are_hidden_on_white_and_seen_on_what_is_not(body, is_visible):
    styles = (
        f'<w:style w:type="table" w:styleId="Dark"><w:tblStylePr><w:tcPr>{DARK}</w:tcPr></w:tblStylePr></w:style>'
        '<w:style w:type="table" w:styleId="OnDark"><w:basedOn w:val="Dark"/></w:style>'
        '<w:style w:type="table" w:styleId="Grid"><w:tblPr/></w:style>'
        f'<w:style w:type="paragraph" w:styleId="Banner"><w:pPr>{DARK}</w:pPr></w:style>'
    )
    (page,) = styled(body, styles)
    assert [page.text[start:end] for start, end in page.hidden_spans] == ([] if is_visible else ["white"])


def test_white_words_on_dark_paper_are_seen():
    body = f'<w:document {W}><w:background w:color="204060"/><w:body>{WHITE}</w:body></w:document>'
    (page,) = read(package(word_document__xml=body))
    assert page.hidden_spans == ()


# --- hostile files ---------------------------------------------------------------------------------------------------


def test_no_text_no_document():
    assert "no text" in refusal(package("<w:p/>")).sentence


def test_a_damaged_archive():
    whole = package(paragraph("Text. " * 500))
    for end in (30, len(whole) // 2, len(whole) - 10):
        refusal(whole[:end])
    refusal(package("", other__txt="x"))
    refusal(package("<w:p><unclosed>"))


def test_a_flipped_byte_is_refused_or_read():
    whole = bytearray(package(paragraph("The pump stopped at two. " * 40)))
    for index in range(0, len(whole), 7):
        whole[index] ^= 0xFF
        try:
            read(bytes(whole))
        except UnreadableDocument:
            pass
        whole[index] ^= 0xFF


def test_a_part_that_unpacks_to_a_gigabyte():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        for _ in range(150):
            part.write(b" " * 1_000_000)
    assert "unpacks" in refusal(file.getvalue()).sentence


def test_a_directory_that_lies_about_a_size():
    data = bytearray(package(paragraph("x" * 3_000_000)))
    offset = data.rindex(b"PK\x01\x02")
    data[offset + 24 : offset + 28] = struct.pack("<I", 100)
    refusal(bytes(data))


def test_entities_are_refused_before_they_unfold():
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE d [<!ENTITY l0 "ha">{levels}]><w:document {W}><w:body>{paragraph("&l9;")}</w:body></w:document>'
    thief = (
        f'<!DOCTYPE d [<!ENTITY f SYSTEM "file:///etc/passwd">]><w:document {W}><w:body>{paragraph("&f;")}</w:body>'
        "</w:document>"
    )
    for xml in (bomb, thief, bomb.replace("<!DOCTYPE", " \n<!DOCTYPE")):
        assert "entities" in refusal(package(word_document__xml=xml)).sentence
        assert "entities" in refusal(package(word_document__xml=xml.encode("utf-16"))).sentence


def test_far_too_many_parts():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "x")
        for n in range(21_000):
            archive.writestr(f"p{n}", "")
    assert "too many" in refusal(file.getvalue()).sentence


def test_parts_on_top_of_each_other_and_twice_the_same():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "x" * 100)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("word/document.xml", "y" * 100)
    assert "same name" in refusal(file.getvalue()).sentence
    data = bytearray(package(paragraph("text"), a="x" * 100, b="y" * 100))
    first = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", first + 4)
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    refusal(bytes(data))


def test_deep_nesting_is_refused():
    refusal(package("<w:sdt><w:sdtContent>" * 400 + paragraph("x") + "</w:sdtContent></w:sdt>" * 400))


def test_a_protected_package_asks_for_a_copy():
    data = bytearray(package(paragraph("text")))
    offset = data.rindex(b"PK\x01\x02")
    data[offset + 8] |= 1
    assert "password" in refusal(bytes(data)).sentence


def test_names_of_parts_open_nothing(tmp_path):
    relations = '<Relationships><Relationship Type="x/officeDocument" Target="../../../../etc/passwd"/></Relationships>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("_rels/.rels", relations)
        archive.writestr("../evil.txt", "x")
        archive.writestr("word/document.xml", "x")
    refusal(file.getvalue())
    assert word.check_package(package(paragraph("x")), "a.docx").namelist() == ["word/document.xml"]


def test_what_is_shown_from_right_to_left_letter_by_letter_is_marked_as_such():
    run = "<w:r><w:t>012</w:t></w:r>"
    (page,) = read(package(f'<w:p><w:r><w:t>They paid </w:t></w:r><w:bdo w:val="rtl">{run}</w:bdo></w:p>'))
    assert page.text == "They paid \u202e012\u202c"
    (page,) = read(package(f'<w:p><w:r><w:t>They paid </w:t></w:r><w:bdo w:val="ltr">{run}</w:bdo></w:p>'))
    assert page.text == "They paid 012"
