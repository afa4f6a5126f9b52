"""The case itself: undo and redo, and the name that signs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import PageText
from core.errors import BadInput, PasswordNeeded, UnreadableDocument
from core.workbench import Workbench
from tests.fakes import PlainReader


@pytest.fixture
def filled(tmp_path, engines):
    note = tmp_path / "log.txt"
    note.write_text("The night log shows that the dosing pump stopped at 02:14.", "utf-8")
    with Workbench.create(tmp_path / "case.disconfirm", engines, title="Pump", who="ann") as opened:
        opened.documents.add([note])
        opened.hypotheses.add("The operator stopped the dosing pump.")
        opened.hypotheses.add("The vendor account opened the valve.")
        yield opened


def test_undo_and_redo_walk_over_every_decision(filled):
    proposal = filled.review.propose().proposals[0].id
    filled.review.accept([proposal])
    filled.evidence.rate("E1", "H1", "II")
    assert filled.case.undo().changes.matrix
    assert filled.evidence.assessments() == []
    filled.case.undo()
    assert filled.evidence.all() == []
    assert filled.store.proposals.get(proposal).status == "pending"
    filled.case.redo()
    filled.case.redo()
    assert [a.rating for a in filled.evidence.assessments()] == ["II"]
    assert filled.case.verify().ok


def test_a_new_name_signs_the_decisions_from_then_on(filled):
    filled.evidence.add("The guard heard a car.")
    filled.case.sign_as("Bo")
    filled.evidence.add("The dog did not bark.")
    assert [entry.who for entry in filled.store.log.entries()][-2:] == ["ann", "Bo"]
    assert filled.case.verify().ok


def test_a_case_is_renamed_and_undo_takes_it_back(filled):
    before = filled.case.title()
    assert filled.case.rename("  The valve ").matrix
    assert filled.case.title() == "The valve"
    filled.case.undo()
    assert filled.case.title() == before
    with pytest.raises(BadInput):
        filled.case.rename(" ")
    assert filled.case.verify().ok


# --- the texts of a case against its originals -----------------------------------------------------------------------


class LyingReader(PlainReader):
    """The reader of a changed program: a page less, and another word, under the same fingerprint."""

    def read(self, data, name, *, password="", note_marks=False):
        for item in super().read(data, name):
            if isinstance(item, PageText):
                if item.number == 3:
                    continue
                item = replace(item, text=item.text.replace("noon", "dusk"))
            yield item


def made_by(reader, tmp_path, engines):
    file = tmp_path / "memo.txt"
    file.write_text("The pump stopped at noon.\fNobody saw it stop.\fThe valve was open.", "utf-8")
    path = tmp_path / "theirs.disconfirm"
    with Workbench.create(path, replace(engines, reader=reader)) as bench:
        bench.documents.add([file])
    return path


def compared(path, engines):
    with Workbench.open(path, engines) as bench:
        check = bench.case.verify()
        assert check.ok
        return bench.case.compare_originals(check)


def test_pages_that_say_what_their_originals_say_are_counted(tmp_path, engines):
    check = compared(made_by(PlainReader(), tmp_path, engines), engines)
    assert (check.ok, check.problems, check.notes) == (True, (), ())
    assert (check.counts["texts compared"], check.counts["texts not compared"]) == (3, 0)


def test_a_text_that_is_not_what_its_original_says_is_a_problem_though_the_log_bears_it_out(tmp_path, engines):
    check = compared(made_by(LyingReader(), tmp_path, engines), engines)
    assert not check.ok
    assert [(one.where, one.what) for one in check.problems] == [
        ("D1 memo.txt, page 1", "Its text is not what its original says."),
        ("D1 memo.txt, page 3", "The case has no such page."),
    ]
    assert (check.counts["texts compared"], check.counts["texts not compared"]) == (1, 0)


def test_what_another_reader_read_cannot_be_compared(tmp_path, engines):
    class Later(PlainReader):
        fingerprint = "plain reader 2"

    check = compared(made_by(LyingReader(), tmp_path, engines), replace(engines, reader=Later()))
    assert check.ok
    assert (check.counts["texts compared"], check.counts["texts not compared"]) == (0, 2)
    words = "Page texts that cannot be compared with their originals: 2 read by another version of the reader."
    assert check.notes == (words,)


@pytest.mark.parametrize("error", [PasswordNeeded, UnreadableDocument])
def test_an_original_that_cannot_be_read_again_is_a_problem_unless_a_password_is_missing(tmp_path, engines, error):
    class Refusing(PlainReader):
        def read(self, data, name, *, password="", note_marks=False):
            yield from ()
            raise error(reason="It is locked.", remedy="Unlock it.")

    check = compared(made_by(PlainReader(), tmp_path, engines), replace(engines, reader=Refusing()))
    if error is PasswordNeeded:
        assert (check.ok, check.counts["texts not compared"]) == (True, 3)
        assert "3 in files whose password is not stored" in check.notes[0]
    else:
        (problem,) = check.problems
        assert problem.where == "D1 memo.txt"
        assert problem.what.startswith("Its original could not be read again.")


def test_a_page_that_ocr_read_cannot_be_compared(tmp_path, engines):
    class Scanner(PlainReader):
        def read(self, data, name, *, password="", note_marks=False):
            for item in super().read(data, name):
                yield replace(item, source="ocr", confidence=0.9) if isinstance(item, PageText) else item

    check = compared(made_by(Scanner(), tmp_path, engines), engines)
    assert (check.ok, check.counts["texts compared"], check.counts["texts not compared"]) == (True, 0, 3)
    assert "3 read by OCR, or corrected by a person" in check.notes[0]
