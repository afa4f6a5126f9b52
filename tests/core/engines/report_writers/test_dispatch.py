"""PDF, DOCX and XLSX as other programs read them: openpyxl, python-docx and the bare XML, MuPDF."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from core.engines.report_writers.dispatch import FileWriter, same_archive
from core.errors import BadInput, EngineStopped
from core.report import render_sheets, render_story
from core.workers.engines import WriterClient
from tests.contracts import CropContract, WriterContract
from tests.core.report.cases import full_case, picture
from tests.core.report.test_report import empty_case, made_case
from tests.elsewhere import outputs
from tests.fakes import PlainReader, PlainWriter

ROOT = Path(__file__).parents[4]
PICTURES = {"E1": picture(800, 200), "E3": picture(400, 120, 90)}


def contents(data) -> dict[str, bytes]:
    story = render_story(data, figures_of=tuple(PICTURES))
    return {"pdf": story, "docx": story, "xlsx": render_sheets(data)}


def written(form: str, data=None, pictures=PICTURES) -> bytes:
    return FileWriter().write(form, contents(data or full_case())[form], pictures)


class TestPlainWriter(WriterContract):
    @pytest.fixture
    def writer(self):
        return PlainWriter()

    @pytest.fixture
    def contents(self):
        return contents(made_case())


class TestFileWriter(WriterContract):
    @pytest.fixture
    def writer(self):
        return FileWriter()

    @pytest.fixture
    def contents(self):
        return contents(made_case())


@pytest.fixture(scope="module")
def client():
    writer = WriterClient()
    yield writer
    writer.close()


class TestWriterApart(WriterContract):
    @pytest.fixture
    def writer(self, client):
        return client

    @pytest.fixture
    def contents(self):
        return contents(made_case())

    def test_it_gives_what_the_writer_gives_with_pictures(self, client):
        for form, report in contents(full_case()).items():
            assert client.write(form, report, PICTURES) == FileWriter().write(form, report, PICTURES)

    def test_what_is_no_report_ends_the_child_and_not_the_program(self, client):
        with pytest.raises(EngineStopped):
            client.write("pdf", b"not JSON", {})
        assert client.write("xlsx", contents(made_case())["xlsx"], {})


class TestCropOfThePlainReader(CropContract):
    @pytest.fixture
    def reader(self):
        return PlainReader()

    @pytest.fixture
    def document(self):
        return b"The pump stopped at 02:14.", "notes.txt"

    @pytest.fixture
    def box(self):
        return (20.0, 20.0, 60.0, 32.0)


# --- XLSX ------------------------------------------------------------------------------------------------------------


def test_an_empty_case_can_be_written_in_every_form():
    for form in ("pdf", "docx", "xlsx"):
        assert written(form, empty_case(), {})


# --- the same bytes --------------------------------------------------------------------------------------------------


def test_the_bytes_depend_on_nothing_but_the_report():
    code = (
        "import hashlib; from tests.core.engines.report_writers.test_dispatch import *; "
        "print([hashlib.sha256(written(form)).hexdigest() for form in ('pdf', 'docx', 'xlsx')])"
    )
    assert len(outputs(code)) == 1


def test_an_archive_has_fixed_times_and_order():
    raw = written("docx")
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = archive.namelist()
        assert {item.date_time for item in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert names[0] == "[Content_Types].xml"
    assert names[1:] == sorted(names[1:])
    assert same_archive(raw) == raw


def test_another_time_gives_another_file_and_nothing_else_changes():
    data = full_case()
    later = replace(data, as_of="2026-12-24T00:00:00.000Z")
    assert written("pdf", data) != written("pdf", later)
    assert json.loads(render_story(later))["generated_at"].startswith("2026-12-24")


def test_a_form_that_there_is_not_is_refused():
    with pytest.raises(BadInput, match="exe"):
        FileWriter().write("exe", b"{}", {})
