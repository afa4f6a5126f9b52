"""Hostile texts in every field of every form of report, opened by independent readers (rows F1 to F3)."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.guarantees.attacks import exports


@pytest.mark.parametrize("form", exports.QUICK)
def test_no_hostile_text_becomes_anything_but_text(form, record_property):
    texts = exports.TEXTS[::9]
    assert {text: found for text in texts if (found := exports.found(form, text))} == {}
    record_property("n", len(texts))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("form", [*exports.QUICK, *exports.SLOW])
def test_no_hostile_text_of_all_becomes_anything_but_text(form, record_property):
    assert {text: found for text in exports.TEXTS if (found := exports.found(form, text))} == {}
    assert len(exports.TEXTS) >= 100
    record_property("n", len(exports.TEXTS))


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (exports.web_page, b"<p onclick=x()>a"), (exports.web_page, b"<a href=//evil>a</a>"),
        (exports.web_page, b"<svg><script>1</script></svg>"), (exports.markdown, b"a <script>1</script>"),
        (exports.markdown, b"[a](http://evil)"), (exports.table, b"a,=1+1\r\n"), (exports.table, "＝1\r\n".encode()),
    ],
)  # fmt: skip
def test_a_reader_finds_what_is_active(read, data):
    assert list(read(data))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_a_workbook_keeps_its_words_in_libreoffice():
    data = exports.written("xlsx", exports.poisoned("=1+1"), {})
    assert b"=1+1" in (exports.converted(data, "xlsx", "csv", "soffice") or b"")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_a_pdf_keeps_its_words_in_poppler(tmp_path):
    (tmp_path / "a.pdf").write_bytes(exports.written("pdf", exports.poisoned("plain words"), {}))
    done = subprocess.run(["pdftotext", str(tmp_path / "a.pdf"), "-"], capture_output=True, text=True, check=True)
    assert "plain words" in done.stdout
