"""What a file is, by its content; polite refusals; hostile files through the child process."""

from __future__ import annotations

import io
import random
import zipfile

import docx
import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.documents import chunking
from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader, _kind
from core.errors import EngineStopped, UnreadableDocument
from core.ports import Attachment, Outline
from core.workers.engines import ReaderClient
from tests.contracts import ReaderContract

READER = FileReader()


def pdf(text: str = "The pump stopped.") -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((50, 50), text)
    return document.tobytes()


def word(text: str = "The pump stopped.") -> bytes:
    file = io.BytesIO()
    document = docx.Document()
    document.add_paragraph(text)
    document.save(file)
    return file.getvalue()


def archive(**parts: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as writer:
        for name, content in parts.items():
            writer.writestr(name.replace("__", ".").replace("_", "/"), content)
    return file.getvalue()


class TestFileReader(ReaderContract):
    @pytest.fixture
    def reader(self):
        return READER

    @pytest.fixture
    def rendered(self, reader):
        return reader.render(pdf(), "a.pdf", 1, scale=1.5)


class TestFileReaderInItsChild(ReaderContract):
    @pytest.fixture
    def reader(self):
        client = ReaderClient()
        yield client
        client.close()

    @pytest.fixture
    def rendered(self, reader):
        return reader.render(pdf(), "a.pdf", 1, scale=1.5)


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (pdf(), "wrong.txt", "pdf"),
        (b"junk before\n" + pdf(), "mail.bin", "pdf"),
        (word(), "wrong.zip", "docx"),
        (b"<!DOCTYPE HTML><p>x", "page", "html"),
        (b"  <!-- saved -->\n<html><body>x", "page.txt", "html"),
        (b"<p>fragment</p>", "page.htm", "html"),
        (b"From: a@x.org\n\nx", "a.EML", "email"),
        (b"name,age\nAnn,31\n", "table.csv", "csv"),
        (b"Dear Ann, nothing here is a table.\nYours\n", "table.csv", "text"),
        (b'{"name": "Ann"}', "data.json", "text"),
        (b"12:00 started\n12:01 stopped\n", "server.log", "text"),
        ("Grüße".encode("utf-16"), "no extension", "text"),
        (b"a <b and c> d", "notes.txt", "text"),
        (b"x", "x", "text"),
        (b"A PDF file begins with %PDF", "about.txt", "text"),
        (b"{\\rtf1\\ansi hello}", "a.doc", "rtf"),
        (archive(some_file__txt="x"), "a.bin", "zip"),
        (archive(some_file__txt="word/document.xml"), "a.zip", "zip"),
    ],
)
def test_a_file_is_what_its_content_says(data, name, kind):
    assert next(iter(READER.read(data, name))).kind == kind


@pytest.mark.parametrize(
    ("data", "name", "word_of_it"),
    [
        (b"x", "a.rtf", "RTF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "a.doc", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "__substg1.0_".encode("utf-16-le"), "a.msg", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "a.docx", "password"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xyz", "office file"),
        (archive(xl_workbook__xml="x"), "a.xlsx", "damaged"),
        (archive(ppt_presentation__xml="x"), "a.pptx", "damaged"),
        (archive(mimetype="application/vnd.oasis.opendocument.text"), "a.odt", "damaged"),
        (archive(mimetype="application/vnd.oasis.opendocument.formula"), "a.odf", "OpenDocument"),
        (archive(mimetype="application/epub+zip"), "a.epub", "damaged"),
        (b"PK\x05\x06" + b"\0" * 18, "a.zip", "empty archive"),
        (b"PK\x03\x04" + b"\0" * 40, "a.zip", "damaged"),
        (b"MZ\x90\0" + b"\0" * 100, "a.pdf.exe", "program"),
        (b"SQLite format 3\0" + b"\0" * 100, "a.db", "database"),
        (b"\x1f\x8b\x08\0" + b"\0" * 100, "a.gz", "damaged"),
        (b"ID3\x03" + b"\0" * 100, "a.mp3", "audio"),
        (b"MIME-Version: 1.0\nFrom: a\n\nx", "a.mhtml", "no page"),
        (b"a line\n", "a.mbox", "no message"),
        (b"\0\0\0\x18ftypmp42" + b"\0" * 200, "a.mp4", "cannot read"),
        (bytes(range(256)) * 20, "a.bin", "cannot read"),
        (b"RIFF\x24\0\0\0WEBPVP8 " + b"\0" * 50, "a.webp", "cannot read"),
    ],
)
def test_other_files_are_refused_by_name_with_a_remedy(data, name, word_of_it):
    with pytest.raises(UnreadableDocument) as caught:
        list(READER.read(data, name))
    assert word_of_it in caught.value.sentence
    assert name in caught.value.sentence
    assert caught.value.hint.endswith(".")


def test_a_refusal_imports_no_parser():
    import subprocess
    import sys

    script = (
        "import sys; from core.engines.readers.dispatch import FileReader; from core.errors import UnreadableDocument\n"
        "try: list(FileReader().read(b'MZ\\x90\\0', 'a.exe'))\nexcept UnreadableDocument: pass\n"
        "print([m for m in ('pymupdf', 'lxml', 'selectolax', 'charset_normalizer', 'numpy') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def checked(items: list[Outline | PageText | Attachment]) -> None:
    """What holds for every document that was read."""
    items = [item for item in items if not isinstance(item, LeftOut)]
    outline, *pages = [item for item in items if not isinstance(item, Attachment)]
    inside = [item for item in items if isinstance(item, Attachment)]
    assert items[len(pages) + 1 :] == inside, "what is inside comes last"
    assert len({item.name for item in inside}) == len(inside)
    for item in inside:
        assert item.name == " ".join(item.name.split())
        assert not item.name.startswith(("/", "../"))
        assert (item.data == b"") >= bool(item.reason)
        assert bool(item.reason) == bool(item.remedy)
    assert isinstance(outline, Outline)
    assert pages
    assert outline.pages == len(pages)
    for number, page in enumerate(pages, start=1):
        assert isinstance(page, PageText)
        assert page.number == number
        assert not set(page.text) & {"\0", "\r", "\f"}
        page.text.encode("utf-8")
        assert (page.source == "none") == (not page.text.strip())
        for start, end in page.hidden_spans:
            assert 0 <= start < end <= len(page.text)
        last = 0
        for w in page.words:
            assert last <= w.start < w.end <= len(page.text)
            assert not set(page.text[w.start : w.end]) & {" ", "\n", "\t"}
            last = w.end
        for span in chunking.split(page):
            assert all(span.end <= start or span.start >= end for start, end in page.hidden_spans)


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from(["a.txt", "a.html", "a.eml", "a.docx", "a.md", "a", "a.csv", "\x1b[2J\u202efdp.txt", "a.png"]),
)
def test_any_bytes_end_as_pages_or_a_refusal(data, name):
    try:
        checked(list(READER.read(data, name)))
    except UnreadableDocument as error:
        sentences = (error.sentence, error.hint)
        assert all(sentences)


def mutants(data: bytes, count: int, seed: int) -> list[bytes]:
    """Damaged copies: flipped bytes, cut ends, doubled and dropped stretches, changed numbers."""
    chance = random.Random(seed)
    copies = []
    for _ in range(count):
        copy = bytearray(data)
        match chance.randrange(5):
            case 0:
                for _ in range(chance.choice((1, 20, 200))):
                    copy[chance.randrange(len(copy))] = chance.randrange(256)
            case 1:
                del copy[chance.randrange(len(copy)) :]
            case 2:
                start = chance.randrange(len(copy))
                copy[start:start] = copy[start : start + chance.randrange(2_000)]
            case 3:
                start = chance.randrange(len(copy))
                del copy[start : start + chance.randrange(500)]
            case _:
                digits = [index for index, byte in enumerate(copy) if 48 <= byte <= 57]
                for index in chance.sample(digits, min(len(digits), 10)):
                    copy[index] = chance.choice(b"0123456789-")
        copies.append(bytes(copy))
    return copies


@pytest.mark.parametrize("copies", [6, pytest.param(50, marks=pytest.mark.slow)])
def test_damaged_files_end_as_pages_or_a_problem(copies):
    page = b"<html><head><title>T</title><meta charset=utf-8></head><body><table><tr><td>x</table><p>The pump</p>" * 5
    letter = b"From: a@x.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b--\n" * 3
    reader = ReaderClient()
    outcomes = {"read": 0, "refused": 0, "stopped": 0}
    for seed, (data, name) in enumerate(
        [(pdf("The pump stopped. " * 5), "a.pdf"), (word(), "a.docx"), (page, "a.html"), (letter, "a.eml")]
    ):
        for copy in mutants(data, copies, seed):
            try:
                checked(list(reader.read(copy, name)))
                outcomes["read"] += 1
            except UnreadableDocument:
                outcomes["refused"] += 1
            except EngineStopped:
                outcomes["stopped"] += 1
    reader.close()
    assert sum(outcomes.values()) == 4 * copies
    assert outcomes["stopped"] <= 2, outcomes
    assert outcomes["read"] > 1.6 * copies, outcomes


@pytest.mark.development_data
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("folder", ["pdf/varied", "docs_other/mixed_formats"])
def test_every_file_of_the_development_data_ends_well(development_data, folder, step):
    files = sorted((development_data / folder / "files").iterdir())[2 % step :: step]
    assert len(files) > 50 // step
    reader = ReaderClient()
    read = refused = 0
    named = []
    for file in files:
        try:
            checked(list(reader.read(file.read_bytes(), file.name)))
            read += 1
        except UnreadableDocument as error:
            named.append(error.sentence.startswith(file.name))
            refused += 1
    reader.close()
    assert all(named)
    assert read > 0.7 * len(files)
    assert refused > 2 // step


@pytest.mark.parametrize(
    ("name", "data", "part"),
    [
        (
            "ATT00002.bin",
            b"-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA7 abc\r\n-----END PGP MESSAGE-----\r\n",
            "encrypted",
        ),
        ("ATT00001.pgp-encrypted", b"Version: 1\r\n", "encrypted"),
        ("letter.wpd", b"\xffWPC\x10\0\0\0\x01\x0a", "WordPerfect"),
    ],
)
def test_what_cannot_be_read_says_what_it_is_and_what_to_do(name, data, part):
    with pytest.raises(UnreadableDocument) as refused:
        _kind(data, name)
    assert part in refused.value.sentence
    assert refused.value.hint


def test_comments_before_the_root_are_passed_once():
    comments = "<!-- sealed -->\n" * 200  # twice the time for each, if they were matched in every way
    assert _kind(f"{comments}<note>opened</note>".encode(), "note")[0] != "html"
    assert _kind(f"{comments}<html><p>opened</p></html>".encode(), "note")[0] == "html"


@pytest.mark.parametrize(
    "text",
    [
        "ID3 was the badge number on the door log.",
        "The forged file begins with %PDF-1.4 although the sender says it is a scan.",
        "MZ 44-B was parked at the gate.",
        "BM said he saw nothing at all.",
        "GIF89a is what the log calls it.",
        "OggS and fLaC are names of formats.",
        "%!PS was written on the wall.",
        "!<arch>\nwas painted over it.",
        "WARC/1.0 is the first line of such a file.",
        "BEGIN:VCALENDAR is how an entry starts, he said.",
    ],
)
def test_how_a_format_begins_counts_only_in_a_file_that_is_no_text(text):
    outline, page = FileReader().read(text.encode(), "note.txt")
    assert (outline.kind, page.text) == ("text", text)
