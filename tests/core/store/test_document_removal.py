"""What the case keeps of documents beside their pages, and what verify finds when somebody changed it."""

from __future__ import annotations

import hashlib

import pytest

from core.domain import PageText, Section, Span
from core.errors import BadInput, NoSuchItem
from core.ports import Outline
from core.progress import silent
from core.store import CaseFile, Found, ImportedRow
from tests.core.store.material import TEXTS, add, clock, tamper


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.disconfirm"


@pytest.fixture
def case(path):
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as opened:
        yield opened


def begin(case, name, data):
    return case.begin_document(
        name=name, kind="", sha256=hashlib.sha256(data).hexdigest(), data=data, reader="plain reader 1"
    )


def failed(case, name="noise.bin", data=b"\xff", **more):
    document = begin(case, name, data)
    return case.fail_document(document, reason=f"{name} is no text.", remedy="Save it as text.", **more)


def test_a_failed_document_keeps_its_bytes_and_loses_its_pages(case):
    document = begin(case, "half.txt", b"half")
    case.put_pages(document, [(PageText(1, TEXTS[0]), [Span(0, 10)])])
    kept = case.fail_document(document, reason="The reader stopped.", remedy="Try again.", parent="")
    assert (kept.status, kept.pages, kept.chunks, kept.reason) == ("failed", 0, 0, "The reader stopped.")
    assert case.original(document) == b"half"
    assert case.counts()["chunks"] == 0
    assert case.verify(silent()).ok
    with pytest.raises(ValueError):
        case.put_pages(document, [(PageText(1, "x"), [])])
    with pytest.raises(ValueError):
        case.fail_document(document, reason="again", remedy="")


def test_a_document_that_was_read_is_never_begun_again(case):
    add(case, "a.txt", [TEXTS[0]])
    for verb in (
        lambda: case.restart_document("D1", name="a.txt", reader="r"),
        lambda: case.fail_document("D1", reason="x", remedy=""),
        lambda: case.drop_document("D1"),
    ):
        with pytest.raises(ValueError):
            verb()
    with pytest.raises(NoSuchItem):
        case.restart_document("D9", name="a.txt", reader="r")


def test_the_log_tells_of_a_failure_and_of_its_end(case):
    failed(case)
    case.restart_document("D1", name="noise.txt", reader="reader 2")
    case.put_pages("D1", [(PageText(1, TEXTS[0]), [])])
    assert [d.status for d in case.state().documents] == ["failed"]
    assert case.verify(silent()).ok
    case.drop_document("D1")  # cut short: it is failed as it was
    assert (case.document("D1").status, case.document("D1").pages) == ("failed", 0)
    assert case.verify(silent()).ok
    case.restart_document("D1", name="noise.txt", reader="reader 2")
    case.finish_document("D1", Outline("text", 1))
    seq = case.position()
    assert [d.status for d in case.state_at(seq).documents] == ["ready"]
    assert [d.status for d in case.state_at(2).documents] == ["failed"]
    assert case.undoable() is None
    assert case.verify(silent()).ok


def test_nothing_is_decided_of_a_document_while_it_is_read(case):
    failed(case)
    case.describe_documents(["D1"], {"note": "look again"})
    case.restart_document("D1", name="noise.bin", reader="plain reader 1")
    for verb in (
        lambda: case.describe_documents(["D1"], {"note": "x"}),
        lambda: case.remove_documents(["D1"]),
        case.undo,
    ):
        with pytest.raises(BadInput):
            verb()
    case.finish_document("D1", Outline("text", 0))
    assert case.undo().verb == "describe documents"
    assert (case.document("D1").note, case.document("D1").status) == ("", "ready")


def test_a_removed_failure_is_a_failure_again_when_it_is_back(case):
    failed(case)
    case.remove_documents(["D1"])
    assert case.failed_documents() == []
    assert [d.status for d in case.restore_documents(["D1"])] == ["failed"]
    assert case.verify(silent()).ok


def test_passwords_are_no_part_of_the_log(case):
    failed(case, locked=True)
    assert (case.locked_documents(), case.password("D1"), case.passwords()) == ({"D1"}, "", [])
    case.put_password("D1", "swordfish")
    assert (case.locked_documents(), case.passwords()) == (set(), ["swordfish"])
    assert all("swordfish" not in entry.after for entry in case.log())


def test_places_and_imports_come_back_as_they_were_kept(case):
    add(case, "a.txt", [TEXTS[0]])
    case.put_found_at({"p": Found("D1", 3, 4), "q": Found("D1", 5, 6)})
    case.put_found_at({"p": Found("D1", 7, 8)})
    assert (case.found_at("p"), case.found_at("x")) == (Found("D1", 7, 8), None)
    row = ImportedRow(0, "", "a.txt", "", "near_duplicate", "D1", "D1", "near", 0.9, "why", "what")
    assert case.put_imported([row]) == 1
    assert case.put_imported([row, row]) == 2
    assert [each.run for each in case.imported()] == [1, 2, 2]
    last = case.imported(0)
    assert len(last) == 2
    assert (last[0].name, last[0].score, last[0].reason, last[0].remedy) == ("a.txt", 0.9, "why", "what")
    assert case.imported(7) == []


def test_a_document_that_lost_its_container_is_adopted_by_the_next(case):
    container = begin(case, "a.zip", b"zip")
    inner = begin(case, "a.zip/x.txt", b"x")
    case.finish_document(inner, Outline("text", 0), parent=container)
    case.drop_document(container)
    again = begin(case, "a.zip", b"zip")
    case.adopt_document(inner, again)
    assert case.document(inner).parent == again
    case.finish_document(again, Outline("zip", 0))
    case.adopt_document(inner, "D77")  # it has one
    assert case.document(inner).parent == again
    assert case.verify(silent()).ok


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE document SET status = 'lost' WHERE id = 'D1'", "Its recorded state 'lost'"),
        ("UPDATE document SET pages = 9 WHERE id = 'D1'", "It has 1 pages and should have 9"),
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
        case.put_pages(document, [(PageText(1, TEXTS[0], sections=(Section(1, "Night", 0),)), [Span(0, 10)])])
        case.finish_document(document, Outline("text", 1))
        failed(case)
        case.put_found_at({"p": Found("D1", 1, 2)})
        assert case.verify(silent()).ok
    tamper(path, statement)
    with CaseFile.open(path) as case:
        found = case.verify(silent())
    assert not found.ok
    assert any(words in problem.what for problem in found.problems), found.problems


def test_passages_of_removed_documents_match_nothing_until_they_are_back(case):
    one = add(case, "one.txt", ["The pump stopped at night."])
    two = add(case, "two.txt", ["The pump ran by day."])
    both = case.matching("text : pump")
    assert case.documents_of(both) == {both[0]: one, both[1]: two}
    case.remove_documents([one])
    assert case.matching("text : pump") == both[1:]
    case.undo()
    assert case.matching("text : pump") == both
