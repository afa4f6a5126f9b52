"""A long PDF is read in parts by several children: what comes of it is what one child gives alone."""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path

import pymupdf
import pytest

from core.documents import headings
from core.domain import PageText
from core.engines.readers import pdf
from core.errors import EngineStopped, PasswordNeeded, UnreadableDocument
from core.ports import Attachment, Outline, PartEnd, PartStart
from core.workers import pool
from core.workers.client import Limits
from core.workers.engines import ReaderClient
from core.workers.pool import ToRead, read_documents

COMMAND = [sys.executable, str(Path(__file__).with_name("child_engines.py"))]
PAGES = 150


@functools.cache
def report(*, contents=False, files=False, password="", mixed=True) -> bytes:
    """150 pages with headings, a title on top of each, letters of mixed sizes and notes here and there."""
    document = pymupdf.open()
    table = []
    for number in range(1, PAGES + 1):
        page = document.new_page(width=300, height=400)
        page.insert_text((30, 15), "Annual Report of the Harbour", fontsize=14)
        if number % 7 == 1:
            page.insert_text((30, 60), f"{number // 7 + 1} Chapter about pumps", fontsize=16)
            table.append([1, f"{number // 7 + 1} Chapter about pumps", number])
        if number % 10 == 3:
            page.insert_text((30, 75), "Summary", fontsize=16)  # only the first of them is a section
        sizes = (6, 9, 12) if mixed and number % 11 == 5 else (8,)
        y = 100
        for at in range(24):
            size = sizes[at % len(sizes)]
            page.insert_text((30, y), f"The operator of gate {number}.{at} saw nothing.", fontsize=size)
            y += 11
        if files and number in (20, 100, 140):
            page.add_file_annot((200, 300), f"pinned to {number}".encode(), f"pinned {number}.txt")
        if number % 50 == 0:
            page.add_text_annot((200, 350), f"Checked on page {number}.")
    if contents:
        document.set_toc(table)
    if files:
        document.embfile_add("inside.txt", b"what lies inside", filename="inside.txt")
    locked = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password, "owner_pw": password} if password else {}
    return document.tobytes(**locked)


@functools.cache
def damaged() -> bytes:
    """One that has to be mended when its hundredth page is read, and not before."""
    data = report(mixed=False)
    xref = pymupdf.open(stream=data, filetype="pdf")[99].get_contents()[0]
    start = int(re.search(rb"startxref\s+(\d+)", data)[1])
    table = data.index(b"\n", data.index(b"\n", start) + 1) + 1
    entry = table + 20 * xref
    assert re.fullmatch(rb"\d{10} 00000 n ?\r?\n?", data[entry : entry + 20])
    return data[:entry] + b"0000000017" + data[entry + 10 :]


def reading(readers, job):
    for _, items in read_documents(readers, [("long", job)]):
        yield from items


def outcome(items):
    found = []
    try:
        found += map(repr, items)
    except (UnreadableDocument, EngineStopped) as error:
        found.append(f"{error!r} {error}")
    return found


@pytest.fixture
def readers():
    made = [ReaderClient() for _ in range(2)]
    yield made
    for reader in made:
        reader.close()


@pytest.fixture
def odd():
    made = [ReaderClient(command=COMMAND, limits=Limits(start=60, item=20, whole=60)) for _ in range(3)]
    yield made
    for reader in made:
        reader.close()


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: report(), id="headings"),
        pytest.param(lambda: report(contents=True, files=True), id="contents and files"),
        pytest.param(damaged, id="damaged on the way"),
    ],
)
def test_several_give_what_one_gives(readers, made):
    data = made()
    alone = outcome(readers[0].read(data, "report.pdf"))
    items = reading(readers, ToRead(data, "report.pdf"))
    first = next(items)
    assert isinstance(first, Outline)
    assert first.pages == PAGES
    together = [repr(first), *outcome(items)]
    assert together == alone
    assert sum("PageText" in item for item in together) == PAGES
    assert made is damaged or all(reader.child.documents for reader in readers)  # else the parts ahead were let go


def test_the_damaged_one_is_mended_on_the_way():
    document = pymupdf.open(stream=damaged(), filetype="pdf")
    mended = []
    for page in range(PAGES):
        document[page].get_text()
        mended.append(document.is_repaired)
    assert mended.index(True) == 99


def test_what_the_parts_hold_is_whole(readers):
    """The same again, looked at: sections in spite of the pages between them, files in their order."""
    found = list(reading(readers, ToRead(report(files=True), "report.pdf")))
    sections = [
        (page.number, section.title) for page in found if isinstance(page, PageText) for section in page.sections
    ]
    assert sections[:2] == [(1, "1 Chapter about pumps"), (3, "Summary")]
    assert [number for number, title in sections if title == "Summary"] == [3]
    assert len(sections) == 23
    assert [item.name for item in found if isinstance(item, Attachment)] == [
        "inside.txt", "pinned 20.txt", "pinned 100.txt", "pinned 140.txt",
    ]  # fmt: skip


def test_a_password_opens_every_part(readers):
    data = report(password="harbour", mixed=False)
    wrong, right = (
        outcome(items)
        for _, items in read_documents(
            readers, [(n, ToRead(data, "a.pdf", word)) for n, word in enumerate(("", "harbour"))]
        )
    )
    assert wrong[0].startswith(PasswordNeeded.__name__)
    assert right == outcome(readers[0].read(data, "a.pdf", password="harbour"))
    assert len(right) == PAGES + 1


def test_short_ones_and_other_formats_stay_whole(readers):
    small = pymupdf.open()
    for number in range(pdf.PART + 1):
        small.new_page().insert_text((50, 50), f"page {number}")
    jobs = [("a.pdf", small.tobytes()), ("b.txt", b"words " * 50_000), ("c.pdf", b"%PDF-1.4 nothing")]
    together = [
        outcome(items) for _, items in read_documents(readers, [(name, ToRead(data, name)) for name, data in jobs])
    ]
    assert together == [outcome(readers[0].read(data, name)) for name, data in jobs]


def test_a_file_of_which_no_first_page_can_be_read_is_read_on(monkeypatch):
    data = report()
    real = pdf._Pages._read

    def broken(least):
        def read(self, index):
            if index < least:
                raise ValueError("damaged")
            return real(self, index)

        return read

    monkeypatch.setattr(pdf._Pages, "_read", broken(50))
    first, *pages, last = pdf.read_part(data, "a.pdf", 0)
    assert isinstance(first, PartStart)
    assert last.next == len(pages) == 51
    monkeypatch.setattr(pdf._Pages, "_read", broken(PAGES))
    pdf._let_go()
    with pytest.raises(UnreadableDocument, match="none of its 150 pages"):
        list(pdf.read_part(data, "a.pdf", 0))


def test_a_part_is_read_by_itself():
    data = report()
    whole = [item for item in pdf.read(data, "a.pdf", "pdf") if isinstance(item, PageText)]
    *pages, end = pdf.read_part(data, "a.pdf", 64)
    assert end == PartEnd(96, b"[[], [], []]")  # what lies in the file is asked for at its end
    assert all(isinstance(page, headings.Draft) for page in pages)
    assert [page.page.text for page in pages] == [page.text for page in whole[64:96]]
    pdf._let_go()


# --- children that do odd things --------------------------------------------------------------------------------------


def parts(order):
    return [("long", ToRead(b"", order))]


def texts(items):
    return [item.text for item in items if isinstance(item, PageText)]


def test_pages_come_in_order_whoever_is_first(odd):
    for reader in odd:
        assert reader.fingerprint
    items = reading(odd, ToRead(b"", "parts 200 slow"))
    assert texts(items) == [f"page {number}" for number in range(1, 201)]


def test_they_are_read_at_the_same_time(odd):
    for reader in odd:
        assert reader.fingerprint
    pages = texts(reading(odd, ToRead(b"", "parts 240 when")))  # twelve parts of half a second
    assert len(pages) == 240
    times = [tuple(map(float, page.split())) for page in pages[::20]]
    assert any(one < two < one_end for one, one_end in times for two, _ in times)


@pytest.mark.parametrize("what", ["die", "raise", "lie", "skip", "again", "stop"])
def test_one_part_that_fails_is_the_end_of_the_document_at_that_page(odd, what):
    found = []
    for name, items in read_documents(
        odd, [("long", ToRead(b"", f"parts 200 {what}")), ("next", ToRead(b"next", "next"))]
    ):
        read = []
        try:
            for item in items:
                read.append(item)
        except EngineStopped as error:
            found.append((len(read), error.details["item"]))
        if name == "next":
            assert texts(read) == ["next"]
    ((count, item),) = found
    assert count <= 141  # the outline and what came before
    assert item == f"page {count} of parts 200 {what}"
    assert all(reader.is_free() for reader in odd)


def test_a_refusal_in_a_part_is_told(odd):
    items = reading(odd, ToRead(b"", "parts 200 refuse"))
    with pytest.raises(UnreadableDocument, match="odd"):
        list(items)


def test_a_part_that_hangs_runs_into_the_limit_of_a_page(odd):
    hasty = [ReaderClient(command=COMMAND, limits=Limits(start=60, item=1.0, whole=1.5)) for _ in range(2)]
    items = reading(hasty, ToRead(b"", "parts 200 hang"))
    with pytest.raises(EngineStopped, match="no answer within"):
        list(items)
    for reader in hasty:
        reader.close()


def test_leaving_early_lets_every_child_go(odd):
    answers = read_documents(odd, parts("parts 2000 sleep"))
    _, items = next(answers)
    assert isinstance(next(items), Outline)
    next(items)
    items.close()
    answers.close()
    assert all(reader.is_free() for reader in odd)
    assert texts(odd[0].read(b"again", "again")) == ["again"]


def test_a_document_that_nobody_looks_at_costs_nothing_else(odd):
    jobs = [("long", ToRead(b"", "parts 2000 sleep")), ("next", ToRead(b"next", "next"))]
    seen = [texts(items) for name, items in read_documents(odd, jobs) if name == "next"]
    assert seen == [["next"]]


def test_few_parts_lie_ahead(odd, monkeypatch):
    begun = []
    begin = pool.PendingCall.begin
    monkeypatch.setattr(
        pool.PendingCall, "begin", lambda self, *a, **k: (begun.append(self.start), begin(self, *a, **k))[1]
    )
    for reader in odd:
        assert reader.fingerprint
    read = 0
    for _, items in read_documents(odd, parts("parts 2000 plain")):
        for item in items:
            read += isinstance(item, PageText)
            assert len(begun) <= read // 20 + 2 + 4 * len(odd)
    assert begun == list(range(0, 2000, 20))


def test_what_lies_in_a_document_is_read_meanwhile(odd):
    """The next long document is ahead while the files of the first are read by the same children."""
    found = []
    for name, items in read_documents(odd, [(n, ToRead(b"", f"parts {n} plain")) for n in (100, 120, 140)]):
        found.append(len(texts(items)))
        found += [len(texts(within)) for _, within in read_documents(odd, parts(f"parts {name + 1} plain"))]
    assert found == [100, 101, 120, 121, 140, 141]
