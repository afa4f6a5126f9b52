"""What is read in the picture of a page is kept beside it, searched, and proven like any other text."""

from __future__ import annotations

import hashlib

import pytest

from core.domain import PageText, Reading, Word, Words
from core.errors import BadInput
from core.ports import Outline
from core.progress import silent
from core.store import CaseFile
from tests.core.store.material import EMBEDDER, TEXTS, add, clock, embed, halves, pages_to_ocr

SEEN = "The valve was open. Nobody signed."
WORDS = Words.of([Word(0, 3, 1, 1, 20, 9), Word(4, 9, 22, 1, 50, 9)])


def page_read(text=SEEN, number=1, confidence=0.9):
    return PageText(number, text, WORDS, 595, 842, "ocr", confidence)


def reading(text=SEEN):
    return Reading("engine 1", text, WORDS, (0.5, 0.875), (("Tho",), ()), ("", "valve"))


@pytest.fixture
def case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="Ann", now=clock()) as new_case:
        add(new_case, "log.txt", [TEXTS[0]])
        data = b"a scan"
        document = new_case.documents.begin(
            name="scan.pdf", kind="pdf", sha256=hashlib.sha256(data).hexdigest(), data=data, reader="reader"
        )
        blank = [(PageText(number, "", Words(), 595, 842, "none"), []) for number in (1, 2)]
        new_case.documents.put_pages(document, blank)
        new_case.documents.finish(document, Outline("pdf", 2))
        yield new_case


def test_a_scanned_page_gets_a_text_that_is_found_and_proven(case):
    assert case.documents.get("D2").status == "needs_ocr"
    first, second = pages_to_ocr(case, "D2")
    chunks = case.readings.put(first.id, page_read(), halves(SEEN), [reading()])
    document = case.documents.get("D2")
    assert (document.status, document.pages_without_text, document.chunks) == ("ready", 1, 2)
    page = case.pages.page("D2", 1)
    assert (page.text, page.source, page.confidence, page.fingerprint) == (SEEN, "ocr", 0.9, "engine 1")
    assert [word.x0 for word in case.pages.words(page.id)] == [1, 22]
    assert case.words.matching("valve") == chunks[:1]
    embed(case)
    assert case.vectors.count_without(EMBEDDER.fingerprint) == 0
    assert pages_to_ocr(case, "D2") == [second]
    assert case.verify(silent()).problems == ()
    case.rebuild_index()
    assert case.words.matching("valve") == chunks[:1]


def test_the_reading_is_kept_with_the_confidence_of_every_word(case):
    page = pages_to_ocr(case, "D2")[0]
    case.readings.put(page.id, page_read(), halves(SEEN), [reading()])
    assert case.pages.readings(page.id) == [reading()]
    assert case.pages.readings(case.pages.page("D1", 1).id) == []


def test_a_page_with_nothing_on_it_is_not_read_again(case):
    first, second = pages_to_ocr(case, "D2")
    case.readings.put(
        first.id, PageText(1, "", Words(), 595, 842, "ocr", None), [], [Reading("engine 1", "", Words(), ())]
    )
    assert case.documents.get("D2").status == "needs_ocr"
    assert case.documents.get("D2").pages_without_text == 2
    assert pages_to_ocr(case, "D2") == [second]
    assert case.verify(silent()).ok


def test_a_page_with_a_text_stays_as_it_is(case):
    page = case.pages.page("D1", 1)
    with pytest.raises(BadInput):
        case.readings.put(page.id, page_read(), halves(SEEN), [reading()])
    first = pages_to_ocr(case, "D2")[0]
    case.readings.put(first.id, page_read(), halves(SEEN), [reading()])
    with pytest.raises(BadInput):
        case.readings.put(first.id, page_read("Another text."), halves("Another text."), [reading("Another text.")])
    assert case.pages.page("D2", 1).text == SEEN


def test_undo_of_an_older_decision_leaves_what_was_read(case):
    case.documents.set_included(["D2"], False)
    first = pages_to_ocr(case, "D2")[0]
    case.readings.put(first.id, page_read(), halves(SEEN), [reading()])
    assert case.undo.undo().verb == "set included"
    document = case.documents.get("D2")
    assert (document.included, document.status, document.chunks) == (True, "ready", 2)
    case.undo.redo()
    assert (case.documents.get("D2").included, case.documents.get("D2").chunks) == (False, 2)
    assert case.verify(silent()).problems == ()
