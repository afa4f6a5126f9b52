"""Reports as PDF: what they say, tags and archival form, nothing active, words inside their columns."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import replace

import pymupdf
import pytest

from core import matrix
from core.domain import Evidence, Hypothesis
from core.engines.report_writers import pdf
from tests.core.engines.report_writers.test_dispatch import PICTURES, contents, written
from tests.core.report.cases import full_case
from tests.core.report.test_report import _poison, empty_case, made_case


def objects(raw: bytes) -> str:
    """Every object of a PDF as text, those in compressed streams included."""
    with pymupdf.open(stream=raw, filetype="pdf") as pdf:
        entries = [pdf.xref_object(n, compressed=True) for n in range(1, pdf.xref_length())]
        return "\n".join([*entries, pdf.xref_object(-1)])


def pdf_text(raw: bytes) -> str:
    with pymupdf.open(stream=raw, filetype="pdf") as pdf:
        return " ".join(" ".join(page.get_text() for page in pdf).split())


def test_no_word_of_a_pdf_runs_over_the_column_beside_it():
    """A moment stands as its day, and a word wider than its column is broken there."""
    data = made_case()
    wide = replace(data.documents[0], date="2014-03-21T22:02:34Z", kind="APPLICATION-WORDPERFECT")
    raw = written("pdf", replace(data, documents=(wide, *data.documents[1:])))
    with pymupdf.open(stream=raw, filetype="pdf") as pdf:
        (page,) = [page for page in pdf if "SHA-256 of the original" in page.get_text()]
        assert "2014-03-21" in page.get_text()
        assert "22:02" not in page.get_text()
        boxes = [pymupdf.Rect(word[:4]) for word in page.get_text("words")]
        overprinted = [
            (left, right)
            for index, left in enumerate(boxes)
            for right in boxes[index + 1 :]
            if (left & right).width > 0.5 and (left & right).height > 0.4 * min(left.height, right.height)
        ]
    assert overprinted == []


def test_pdf_says_what_the_story_says():
    data = made_case()
    text = re.sub(r"\s", "", pdf_text(written("pdf", data)))
    for section in json.loads(contents(data)["pdf"])["story"]["sections"]:
        for block in section["blocks"]:
            for part in (block.get("text", ""), *block.get("items", ())):
                if part and block["kind"] != "figure":
                    assert re.sub(r"\s", "", part) in text, part
    for document in data.documents:
        assert document.sha256 in text


ACTIVE = ("/JS", "/JavaScript", "/Launch", "/OpenAction", "/EmbeddedFile", "/AA", "/URI", "/SubmitForm", "/GoToR")


@pytest.mark.parametrize("data", [made_case(), full_case()], ids=["made", "with letters that no font here has"])
def test_pdf_is_tagged_and_carries_nothing_active(data):
    raw = written("pdf", data)
    everything = objects(raw)
    for active in ACTIVE:
        assert not re.search(rf"{active}\b", everything), active
    assert "/StructTreeRoot" in everything
    assert re.search(r"/Marked\s*true", everything)
    assert re.search(r"/Lang\s*\(en", everything)
    assert "/Alt" in everything
    with pymupdf.open(stream=raw, filetype="pdf") as pdf:
        assert [entry[1] for entry in pdf.get_toc() if entry[0] == 1][:3] == [
            "Bottom line",
            "Hypotheses, least contradicted first",
            "What the conclusion depends on",
        ]
        assert pdf.metadata["creationDate"].startswith("D:20261104073000")
        assert "Who opened gate 2?" in pdf.metadata["title"]
        assert {link["kind"] for page in pdf for link in page.get_links()} <= {pymupdf.LINK_GOTO, pymupdf.LINK_NAMED}
        shapes = [(page.rect.width > page.rect.height, "Diagnosticity" in page.get_text()) for page in pdf]
        assert (True, True) in shapes  # the matrix lies on its side
        assert shapes[0][0] is False


def test_pdf_with_letters_of_the_programs_fonts_is_archival_and_accessible():
    with pymupdf.open(stream=written("pdf", made_case()), filetype="pdf") as pdf:
        xmp = pdf.get_xml_metadata()
    assert "<pdfaid:part>2</pdfaid:part>" in xmp
    assert "<pdfaid:conformance>A</pdfaid:conformance>" in xmp
    assert "<pdfuaid:part>1</pdfuaid:part>" in xmp


def test_pdf_shows_the_pictures_of_pages():
    with pymupdf.open(stream=written("pdf"), filetype="pdf") as pdf:
        sizes = {(image[2], image[3]) for page in pdf for image in page.get_images()}
    assert sizes == {struct.unpack(">II", png[16:24]) for png in PICTURES.values()}


def test_pdf_takes_any_text_as_text():
    code = '#panic() #read("/etc/passwd") $x$ *b* _i_ `c` @ref <label> #eval("1") \\u{202e} = head // note /* more'
    text = re.sub(r"[\s\u200b]", "", pdf_text(written("pdf", _poison(made_case(), code), {})))
    assert text.count(re.sub(r"\s", "", code)) > 20
    for odd in ("a" * 3_000, "שלום ابجد \U0001f600\U00020000\ue000\ufffe\x00\x1b"):
        data = replace(made_case(), title=odd, evidence=(replace(made_case().evidence[0], text=odd, quote=odd),))
        assert written("pdf", data, {})


def test_the_head_of_the_matrix_stands_on_every_page_of_it():
    ids = ["H1", "H2"]
    rows = [matrix.Row(f"E{n}", {"H1": "I", "H2": "C"}) for n in range(1, 121)]
    data = replace(
        empty_case(),
        hypotheses=tuple(Hypothesis(h, h) for h in ids),
        evidence=tuple(Evidence(row.id, f"fact {row.id}", "", "manual", None, None) for row in rows),
        matrix=matrix.build(ids, rows),
    )
    with pymupdf.open(stream=written("pdf", data, {}), filetype="pdf") as pdf:
        wide = [page.get_text() for page in pdf if page.rect.width > page.rect.height]
    assert len(wide) > 2
    assert all("Diagnosticity" in text for text in wide[:-1])


def test_a_quote_from_right_to_left_begins_at_the_right_and_its_full_stop_stands_last():
    document = json.loads(contents(made_case())["pdf"])
    quotes = [block for section in document["story"]["sections"] for block in section["blocks"]]
    next(block for block in quotes if block["kind"] == "quote")["text"] = "توقفت المضخة عند الساعة."
    with pymupdf.open(stream=pdf.write(document, {}), filetype="pdf") as printed:
        spans = [page.get_text("rawdict")["blocks"] for page in printed]
    letters = [
        (char["c"], char["bbox"][0])
        for blocks in spans
        for block in blocks
        for line in block.get("lines", ())
        for span in line["spans"]
        for char in span["chars"]
        if "Arabic" in span["font"] or "؀" <= char["c"] <= "ۿ" or char["c"] == "."
    ]
    first = next(index for index, (char, _) in enumerate(letters) if "؀" <= char <= "ۿ")
    arabic = [x for char, x in letters if "؀" <= char <= "ۿ"]
    stops = [x for char, x in letters[max(0, first - 1) :] if char == "."]
    assert max(arabic) > 500  # points: the right end of the line
    assert stops[0] < min(arabic)
