"""Office documents that are one XML file are read as the package that they stand for."""

from __future__ import annotations

import base64

import pytest

from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment, Outline
from tests.core.engines.format_material import relations
from tests.core.engines.readers.test_mail_parts import png

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OPEN = "urn:oasis:names:tc:opendocument:xmlns"
SPACES = f'xmlns:office="{OPEN}:office:1.0" xmlns:text="{OPEN}:text:1.0" xmlns:style="{OPEN}:style:1.0"'
SPACES += f' xmlns:table="{OPEN}:table:1.0" xmlns:draw="{OPEN}:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
RAISED = (
    '<style:style style:name="S" style:family="text"><style:text-properties style:text-position="super"/></style:style>'
)


def flat(kind: str, body: str, styles: str = "") -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {SPACES} '
        f'office:mimetype="application/vnd.oasis.opendocument.{kind}"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"
    ).encode()


TEXT = flat("text", '<text:p>The lake holds 10<text:span text:style-name="S">6</text:span> litres.</text:p>', RAISED)
ROWS = "".join(
    f"<table:table-row>{''.join(f'<table:table-cell><text:p>{cell}</text:p></table:table-cell>' for cell in row)}"
    "</table:table-row>"
    for row in (("Name", "Loss"), ("Varga", "12,5%"))
)
SHEET = flat("spreadsheet", f'<table:table table:name="Data">{ROWS}</table:table>')
OLD_WORD = b"""<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument
 xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:aml="http://schemas.microsoft.com/aml/2001/core"
 xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint"><w:body><wx:sect><wx:sub-section>
<w:p><w:pPr><w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="1"/><wx:t wx:val="3.1"/></w:listPr></w:pPr>
<w:r><w:t>The lake holds 10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r><w:r>
<w:t> litres</w:t></w:r><w:r><w:footnote><w:p><w:r><w:t>By the ledger.</w:t></w:r></w:p></w:footnote></w:r></w:p>
<w:p><aml:annotation aml:id="1" w:type="Word.Insertion"><aml:content><w:r><w:t>always </w:t></w:r></aml:content>
</aml:annotation><aml:annotation aml:id="2" w:type="Word.Deletion"><aml:content><w:r><w:delText>never</w:delText></w:r>
</aml:content></aml:annotation><w:r><w:t>open</w:t></w:r></w:p></wx:sub-section></wx:sect></w:body></w:wordDocument>
"""


def flat_word() -> bytes:
    space = "http://schemas.microsoft.com/office/2006/xmlPackage"
    raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r>'
    body = f"<w:body><w:p><w:r><w:t>10</w:t></w:r>{raised}</w:p></w:body>"
    parts = "".join(
        f'<pkg:part pkg:name="{name}"><pkg:xmlData>{text}</pkg:xmlData></pkg:part>'
        for name, text in {
            "/_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "/word/document.xml": f'<w:document xmlns:w="{WORD}">{body}</w:document>',
        }.items()
    )
    return f'<?xml version="1.0"?><pkg:package xmlns:pkg="{space}">{parts}</pkg:package>'.encode()


@pytest.mark.parametrize(
    ("data", "name", "kind", "text"),
    [
        (TEXT, "a.fodt", "odt", "The lake holds 10⁶ litres."),
        (SHEET, "a.fods", "ods", "Sheet Data\n\nName · Loss\nVarga · Loss: 12,5%"),
        (flat_word(), "a.xml", "docx", "10⁶"),
        (
            OLD_WORD, "a.xml", "docx",
            "3.1 The lake holds 10⁶ litres\n\nalways open\n\nFootnote: By the ledger.\n\nDeleted: never",
        ),
    ],
)  # fmt: skip
def test_one_file_gives_what_its_package_gives(data, name, kind, text):
    outline, page, *_ = FileReader().read(data, name)
    assert isinstance(outline, Outline)
    assert isinstance(page, PageText)
    assert (outline.kind, page.text) == (kind, text)


def test_a_picture_in_it_is_a_file_of_its_own():
    image = base64.b64encode(png(300, 200)).decode()
    frame = f"<draw:frame><draw:image><office:binary-data>{image}</office:binary-data></draw:image></draw:frame>"
    items = list(FileReader().read(flat("text", f"<text:p>See {frame}</text:p>"), "a.fodt"))
    assert [item.data for item in items if isinstance(item, Attachment)] == [png(300, 200)]


def test_xml_that_only_looks_like_one_is_read_as_any_other():
    (outline, page, *_) = FileReader().read(TEXT.replace(b"</text:p>", b""), "a.fodt")
    assert outline.kind == "xml"
    assert "litres" in page.text
