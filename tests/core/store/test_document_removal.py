"""What the case keeps of documents beside their pages, and what verify finds when somebody changed it."""

from __future__ import annotations

import pytest

from core.domain import PageText, Section, Span
from core.errors import BadInput, NoSuchItem
from core.ports import Outline
from core.progress import silent
from core.store import CaseFile, Found
from tests.core.store.material import TEXTS, add, add_failure, begin, clock, tamper


def test_a_failed_document_keeps_its_bytes_and_loses_its_pages(case):
    document = begin(case, "half.txt", b"half")
    case.documents.put_pages(document, [(PageText(1, TEXTS[0]), [Span(0, 10)])])
    failure = case.documents.fail(document, reason="The reader stopped.", remedy="Try again.", parent="")
    assert (failure.status, failure.pages, failure.chunks, failure.reason) == ("failed", 0, 0, "The reader stopped.")
    assert case.documents.original(document) == b"half"
    assert case.counts()["chunks"] == 0
    assert case.verify(silent()).ok
    with pytest.raises(ValueError):
        case.documents.put_pages(document, [(PageText(1, "x"), [])])
    with pytest.raises(ValueError):
        case.documents.fail(document, reason="again", remedy="")


def test_a_document_that_was_read_is_never_begun_again(case):
    add(case, "a.txt", [TEXTS[0]])
    for verb in (
        lambda: case.documents.restart("D1", name="a.txt", reader="r"),
        lambda: case.documents.fail("D1", reason="x", remedy=""),
        lambda: case.documents.drop("D1"),
    ):
        with pytest.raises(ValueError):
            verb()
    with pytest.raises(NoSuchItem):
        case.documents.restart("D9", name="a.txt", reader="r")


def test_the_log_tells_of_a_failure_and_of_its_end(case):
    add_failure(case)
    case.documents.restart("D1", name="noise.txt", reader="reader 2")
    case.documents.put_pages("D1", [(PageText(1, TEXTS[0]), [])])
    assert [d.status for d in case.history.state().documents] == ["failed"]
    assert case.verify(silent()).ok
    case.documents.drop("D1")  # cut short: it is failed as it was
    assert (case.documents.get("D1").status, case.documents.get("D1").pages) == ("failed", 0)
    assert case.verify(silent()).ok
    case.documents.restart("D1", name="noise.txt", reader="reader 2")
    case.documents.finish("D1", Outline("text", 1))
    seq = case.history.position()
    assert [d.status for d in case.history.state_at(seq).documents] == ["ready"]
    assert [d.status for d in case.history.state_at(2).documents] == ["failed"]
    assert case.undo.undoable() is None
    assert case.verify(silent()).ok


def test_nothing_is_decided_of_a_document_while_it_is_read(case):
    add_failure(case)
    case.descriptions.describe(["D1"], {"note": "look again"})
    case.documents.restart("D1", name="noise.bin", reader="plain reader 1")
    for verb in (
        lambda: case.descriptions.describe(["D1"], {"note": "x"}),
        lambda: case.removal.remove(["D1"]),
        case.undo.undo,
    ):
        with pytest.raises(BadInput):
            verb()
    case.documents.finish("D1", Outline("text", 0))
    assert case.undo.undo().verb == "describe documents"
    assert (case.documents.get("D1").note, case.documents.get("D1").status) == ("", "ready")


def test_a_removed_failure_is_a_failure_again_when_it_is_back(case):
    add_failure(case)
    case.removal.remove(["D1"])
    assert case.documents.failed() == []
    assert [d.status for d in case.removal.restore(["D1"])] == ["failed"]
    assert case.verify(silent()).ok


def test_a_document_that_lost_its_container_is_adopted_by_the_next(case):
    container = begin(case, "a.zip", b"zip")
    inner = begin(case, "a.zip/x.txt", b"x")
    case.documents.finish(inner, Outline("text", 0), parent=container)
    case.documents.drop(container)
    next_container = begin(case, "a.zip", b"zip")
    case.documents.adopt(inner, next_container)
    assert case.documents.get(inner).parent == next_container
    case.documents.finish(next_container, Outline("zip", 0))
    case.documents.adopt(inner, "D77")  # it has one
    assert case.documents.get(inner).parent == next_container
    assert case.verify(silent()).ok


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE document SET status = 'lost' WHERE id = 'D1'", "Its recorded state 'lost'"),
        ("UPDATE document SET pages = 9 WHERE id = 'D1'", "It has 1 page and should have 9"),
        ("UPDATE document SET superseded_by = 'D7' WHERE id = 'D1'", "The newer version D7"),
        ("UPDATE document SET parent = 'D1' WHERE id = 'D1'", "found in itself"),
        ("UPDATE document SET reason = '' WHERE id = 'D2'", "Its recorded state 'failed'"),
        ("UPDATE document SET tags = '[\"forged\"]' WHERE id = 'D1'", "not what the log says"),
        ("UPDATE document SET status = 'removed' WHERE id = 'D1'", "not what the log says"),
        ("UPDATE section SET start = 9999", "a place that is not on the page"),
        ("UPDATE original SET data = x'00' WHERE document = 'D2'", "is not the file that was added"),
        ("UPDATE found_at SET document = 'D9'", "refers to a row"),
    ],
)
def test_verify_finds_what_was_changed(path, statement, words):
    with CaseFile.create(path, who="ann", now=clock()) as case:
        document = begin(case, "a.txt", b"a")
        case.documents.put_pages(document, [(PageText(1, TEXTS[0], sections=(Section(1, "Night", 0),)), [Span(0, 10)])])
        case.documents.finish(document, Outline("text", 1))
        add_failure(case)
        case.imports.settle(0, "", places={"p": Found("D1", 1, 2)})
        assert case.verify(silent()).ok
    tamper(path, statement)
    with CaseFile.open(path) as case:
        check = case.verify(silent())
    assert not check.ok
    assert any(words in problem.what for problem in check.problems), check.problems


def test_passages_of_removed_documents_match_nothing_until_they_are_back(case):
    first = add(case, "one.txt", ["The pump stopped at night."])
    second = add(case, "two.txt", ["The pump ran by day."])
    chunks = case.words.matching("text : pump")
    assert case.pages.documents_of(chunks) == {chunks[0]: first, chunks[1]: second}
    case.removal.remove([first])
    assert case.words.matching("text : pump") == chunks[1:]
    case.undo.undo()
    assert case.words.matching("text : pump") == chunks
