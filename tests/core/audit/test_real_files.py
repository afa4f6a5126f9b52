"""Audits of reports in real formats, read and written by the engines of the program, in this process."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from lxml import etree

from core.engines.readers.dispatch import FileReader
from core.engines.report_writers.dispatch import FileWriter
from core.errors import UnreadableDocument
from core.report_settings import ReportSettings

LOG = (
    "The relay of pump two was out for 47 minutes.\n\nKlara Bost signed the night log at 06:10.\n\n"
    "The door of the hall was not locked.\n"
)
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


@pytest.fixture
def bench(case_of, engines):
    real = replace(engines, reader=FileReader(), writer=FileWriter())
    return case_of({"night-log.txt": LOG}, engines=real, title="The silent pump", who="Ada")


def change(paragraph, tag: str, text: str) -> None:
    """Add a tracked insertion or deletion to a paragraph."""
    mark = OxmlElement(f"w:{tag}")
    mark.set(qn("w:author"), "Ben")
    run = paragraph.add_run(text)._r
    if tag == "del":
        run.find(qn("w:t")).tag = qn("w:delText")
    paragraph._p.append(mark)
    mark.append(run)


def docx(path, *, notes: bool = False):
    document = Document()
    document.add_heading("What happened", 1)
    paragraph = document.add_paragraph("The relay of pump two was out for ")
    change(paragraph, "del", "47 ")
    change(paragraph, "ins", "74 ")
    paragraph.add_run("minutes.")
    if notes:
        reference = OxmlElement("w:footnoteReference")
        reference.set(qn("w:id"), "2")
        paragraph.add_run()._r.append(reference)
    paragraph.add_run(" Klara Bost signed the night log at 06:10.")
    stream = io.BytesIO()
    document.save(stream)
    if notes:
        stream = with_footnote(stream, "night-log.txt, p. 1")
    path.write_bytes(stream.getvalue())
    return path


def with_footnote(stream: io.BytesIO, text: str) -> io.BytesIO:
    result = io.BytesIO()
    with zipfile.ZipFile(stream) as source, zipfile.ZipFile(result, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "word/_rels/document.xml.rels":
                kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
                row = f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'
                data = data.replace(b"</Relationships>", row.encode())
            target.writestr(name, data)
        space = W.strip("{}")
        target.writestr(
            "word/footnotes.xml",
            f'<w:footnotes xmlns:w="{space}"><w:footnote w:id="2"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:footnote>'
            "</w:footnotes>",
        )
    return result


def test_tracked_insertions_are_read_and_deletions_are_not(bench, tmp_path):
    audit = bench.audits.audit(docx(tmp_path / "report.docx")).audit
    texts = [row.text for row in audit.sentences]
    assert texts[1] == "The relay of pump two was out for 74 minutes."
    assert audit.sentences[0].finding == "not_a_claim"
    assert audit.sentences[1].finding == "differs"
    assert any("tracked changes" in note for note in audit.notes)


def test_a_footnote_is_the_citation_of_its_sentence(bench, tmp_path):
    audit = bench.audits.audit(docx(tmp_path / "report.docx", notes=True)).audit
    citation, of_the_note = audit.citations
    assert (citation.sentence, citation.document, citation.pages, citation.status) == (2, "D1", (1,), "PASS")
    assert of_the_note.status == "PASS"
    assert audit.sentences[1].sources[0].is_cited


def test_comments_are_written_into_a_copy_of_the_report(bench, tmp_path):
    file = docx(tmp_path / "report.docx", notes=True)
    record = bench.audits.audit(file)
    copy = bench.audits.write(record, tmp_path / "audit.docx", report=file).file
    archive = zipfile.ZipFile(copy)
    comments = etree.fromstring(archive.read("word/comments.xml"))
    text = ["".join(row.itertext()) for row in comments.iter(f"{W}comment")]
    assert any("Differs." in row and "74" in row for row in text)
    body = archive.read("word/document.xml").decode()
    assert body.count("commentRangeStart") == len(text)
    assert "footnoteReference" in body
    assert "w:ins" in body


def test_a_file_that_opens_with_a_password_or_is_broken_is_refused(bench, tmp_path):
    broken = tmp_path / "broken.docx"
    broken.write_bytes(docx(tmp_path / "report.docx").read_bytes()[:2_000])
    locked = tmp_path / "locked.docx"
    locked.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le") + bytes(4_096))
    for file in (broken, locked):
        with pytest.raises(UnreadableDocument):
            bench.audits.audit(file)


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("form", ["md", "html", "docx", "pdf"])
def test_the_report_of_a_case_passes_its_audit(bench, tmp_path, form, short):
    for text in ("The relay of pump two was faulty.", "Somebody switched the pump off."):
        bench.hypotheses.add(text)
    for line in LOG.split("\n\n"):
        (match, *_) = bench.evidence.check(line.strip()).matches
        evidence = bench.evidence.add_quote("D1", match.page, match.start, match.end)
        for hypothesis, rating in (("H1", "C"), ("H2", "I")):
            bench.evidence.rate(evidence.id, hypothesis, rating)
    file = bench.reports.write(tmp_path / f"report.{form}", short=short).file
    audit = bench.audits.audit(file, keep=True).audit
    assert [row.text for row in audit.sentences if row.finding != "not_a_claim" and row.is_claim] == []
    assert audit.is_clean
    bench.audits.audit(file, keep=True)  # an audit is an entry of the log that the report counts
    assert bench.audits.audit(file).audit.is_clean


def test_a_summary_that_a_person_wrote_is_checked_like_any_text(bench, tmp_path):
    bench.hypotheses.add("The relay of pump two was faulty.")
    bench.case.change_settings(report=ReportSettings(summary="Klara Bost stole eleven pumps in Trondheim."))
    audit = bench.audits.audit(bench.reports.write(tmp_path / "report.md").file).audit
    assert [row.text for row in audit.sentences if row.is_claim] == ["Klara Bost stole eleven pumps in Trondheim."]


def test_an_altered_figure_in_the_report_of_a_case_is_found(bench, tmp_path):
    for text in ("The relay of pump two was faulty.", "Somebody switched the pump off."):
        bench.hypotheses.add(text)
    file = bench.reports.write(tmp_path / "report.md").file
    text = file.read_text("utf-8")
    assert "2 hypotheses" in text
    file.write_text(
        text.replace("The relay of pump two was faulty.", "The relay of pump five was never faulty."), "utf-8"
    )
    audit = bench.audits.audit(file).audit
    assert any("pump five" in row.text and row.is_claim for row in audit.sentences)
