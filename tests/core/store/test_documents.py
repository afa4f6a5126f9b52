"""Documents in and out: what is kept comes back exactly."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest

from core.domain import Document, LeftOut, PageText, Span, Table, Word, Words
from core.errors import NoSuchItem, UnreadableDocument
from core.ports import Outline
from core.progress import silent
from core.store.decision_log import TABLES
from tests.core.store.material import TEXTS, add, embed


def test_a_document_comes_back_as_it_was_added(case):
    document = add(case, "a.txt", [TEXTS[2], ""])
    assert document == "D1"
    row = case.documents.get("D1")
    assert (row.name, row.status, row.pages, row.chunks, row.pages_without_text) == ("a.txt", "ready", 2, 2, 1)
    assert case.documents.original("D1") == "\f".join([TEXTS[2], ""]).encode()
    assert case.documents.by_sha256(row.sha256) == row
    assert case.pages.page("D1", 1).text == TEXTS[2]
    assert case.pages.page("D1", 1).fingerprint == "plain reader 1"
    assert list(case.pages.words(case.pages.page("D1", 1).id)) == [Word(0, 3, 1.0, 2.0, 3.0, 4.0)]
    chunks = case.pages.chunks(case.pages.chunk_ids("D1"))
    assert [chunk.text for chunk in chunks.values()] == [
        "Café logs show 😀 the badge reader was off.",
        "The guard denied everything.",
    ]
    assert [page.number for page in case.pages.of("D1")] == [1, 2]


def test_marks_tables_and_the_ledger_come_back_as_they_were_added(case):
    document = add(case, "a.txt", ["abc def"], finish=False)
    table = Table(("one", ""), (((0, 3), (4, 7)), ((3, 3), (0, 7))))
    page = PageText(2, "abc def", struck_spans=((0, 3),), tables=(table,), hidden_spans=((4, 7),), hidden_why=("tiny",))
    case.documents.put_pages(document, [(page, [Span(0, 3)])])
    ledger = (LeftOut("calendar part", 1, ""), LeftOut("chart", 2, "word/charts"))
    outline = Outline("text", 2, date="2024-03-12", file_date="2026-11-28")
    row = case.documents.finish(document, outline, left_out=ledger)
    assert (row.left_out, row.date, row.file_date) == (ledger, "2024-03-12", "2026-11-28")
    assert case.documents.all() == [row]
    first, second = case.pages.of(document)
    assert (first.struck_spans, first.tables) == ((), ())
    assert (second.struck_spans, second.tables, second.hidden_why) == (((0, 3),), (table,), ("tiny",))
    assert case.verify(silent()).problems == ()


def test_a_mark_or_a_cell_outside_the_page_is_a_fault_of_the_caller(case):
    document = add(case, "a.txt", ["abc"], finish=False)
    for page in (PageText(2, "abc", struck_spans=((0, 4),)), PageText(2, "abc", tables=(Table(("a",), (((2, 1),),)),))):
        with pytest.raises(ValueError):
            case.documents.put_pages(document, [(page, [])])


@pytest.mark.parametrize("text", ["a\0b", "half \ud800 pair"])
def test_a_text_that_could_not_come_back_is_refused_whole(case, text):
    document = case.documents.begin(
        name="a", kind="", sha256=hashlib.sha256(b"x").hexdigest(), data=b"x", reader="plain"
    )
    with pytest.raises(UnreadableDocument) as error:
        case.documents.put_pages(document, [(PageText(1, "fine"), [Span(0, 4)]), (PageText(2, text), [Span(0, 1)])])
    assert "Page 2" in error.value.sentence
    assert case.counts()["pages"] == 0


def test_what_a_person_types_is_kept_without_the_unkeepable(case):
    assert case.hypotheses.add("a\0b \udcff").text == "a\ufffdb \ufffd"


def test_spans_outside_the_page_are_a_fault_of_the_caller(case):
    document = add(case, "a.txt", ["abc"], finish=False)
    for span in (Span(0, 4), Span(2, 2), Span(-1, 2)):
        with pytest.raises(ValueError):
            case.documents.put_pages(document, [(PageText(2, "abc"), [span])])


def test_words_that_are_no_boxes_are_refused(case):
    document = add(case, "a.txt", ["abc"], finish=False)
    with pytest.raises(UnreadableDocument):
        case.documents.put_pages(document, [(PageText(2, "abc", Words(b"12345")), [])])


def test_a_page_number_that_comes_twice_is_refused(case):
    document = add(case, "a.txt", ["abc"], finish=False)
    with pytest.raises(UnreadableDocument):
        case.documents.put_pages(document, [(PageText(1, "abc"), [])])


def test_a_document_without_text_needs_ocr(case):
    add(case, "scan.pdf", ["", " "])
    assert case.documents.get("D1").status == "needs_ocr"


def test_an_unfinished_document_is_not_searched_and_can_be_dropped(case):
    add(case, "whole.txt", [TEXTS[0]])
    add(case, "half.txt", [TEXTS[0] + " Or so."], finish=False)
    embed(case)
    assert [d.id for d in case.documents.unfinished()] == ["D2"]
    assert set(case.words.matching("pump")) <= set(case.pages.chunk_ids("D1"))
    assert case.counts()["vectors"] == len(case.pages.chunk_ids("D1"))
    case.documents.drop("D2")
    assert case.documents.unfinished() == []
    with pytest.raises(NoSuchItem):
        case.documents.original("D2")
    # Numbers are never given twice.
    assert add(case, "again.txt", [TEXTS[1]]) == "D3"
    with pytest.raises(ValueError):
        case.documents.drop("D1")


def test_the_original_must_have_its_hash(case):
    with pytest.raises(ValueError):
        case.documents.begin(name="a", kind="", sha256="0" * 64, data=b"x", reader="r")


def test_unknown_ids_are_named(case):
    for ask in (
        lambda: case.documents.get("D9"),
        lambda: case.pages.page("D9", 1),
        lambda: case.pages.by_id(9),
        lambda: case.pages.words(9),
        lambda: case.documents.original("D9"),
        lambda: list(case.pages.of("D9")),
        lambda: case.hypotheses.get("H9"),
        lambda: case.proposals.get("P9"),
        lambda: case.proposals.accept(["P9"]),
        lambda: case.proposals.reject(["P9"]),
        lambda: case.evidence.grade("E9", credibility="H", relevance="H"),
        lambda: case.evidence.remove("E9"),
        lambda: case.ratings.rate("E9", "H9", "C"),
        lambda: case.hypotheses.remove("H9"),
        lambda: case.documents.set_included(["D9"], False),
    ):
        with pytest.raises(NoSuchItem) as error:
            ask()
        assert "9" in error.value.sentence


def test_a_document_is_read_in_the_order_of_its_columns():
    """Rows become documents by position."""
    assert tuple(field.name for field in dataclasses.fields(Document)) == TABLES["document"].columns
