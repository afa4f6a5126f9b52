"""Results of a case: kept, found again, decided on, taken out and back."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from core.domain import Quote
from core.errors import BadInput, CaseValueWrong, NoSuchItem, ResultAltered
from core.progress import silent
from core.store import CaseFile
from core.store.results import encode
from tests.core.store.material import TEXTS, add, tamper, undone_and_redone


@dataclass(frozen=True, slots=True)
class Sighting:
    where: str
    count: int
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Sum:
    total: int


def test_a_value_comes_back_as_it_was(pump_case):
    page = pump_case.pages.page("D1", 1)
    quote = Quote("D1", page.id, 1, 0, 8, page.text[:8], page.sha256)
    value = Sighting("the yard", 2, (quote,))
    assert pump_case.results.keep("answer", [("Where was it?", value)]) == ["A1"]
    (result,) = pump_case.results.all("answer")
    assert (result.id, result.subject, result.by, result.is_stale) == ("A1", "Where was it?", "ann", False)
    assert result.decode(Sighting) == value
    with pytest.raises(CaseValueWrong):
        result.decode(Sum)


def test_what_is_worked_out_again_takes_the_place_of_what_stood_there(pump_case):
    first = pump_case.results.keep("conflict", [("minutes", Sighting("a", 1)), ("gate", Sighting("b", 1))])
    pump_case.results.resolve("conflict", "X1", "held", note=" the log is right ")
    second = pump_case.results.keep("conflict", [("minutes", Sighting("a", 2))], obsolete=["X2"])
    assert (first, second) == (["X1", "X2"], ["X1"])
    (result,) = pump_case.results.all("conflict")
    assert result.decode(Sighting).count == 2
    assert [(resolution.status, resolution.note, resolution.by) for resolution in result.resolutions] == [
        ("held", "the log is right", "ann")
    ]


def test_the_same_again_is_no_entry(pump_case):
    pump_case.results.keep("audit", [("report.docx", Sum(3))])
    entries = len(pump_case.log.entries())
    pump_case.results.keep("audit", [("report.docx", Sum(3))])
    assert len(pump_case.log.entries()) == entries


def test_the_same_question_may_be_asked_twice(pump_case):
    for _ in range(2):
        pump_case.results.keep("answer", [("Who?", Sum(1))])
    assert [result.id for result in pump_case.results.all("answer")] == ["A1", "A2"]


def test_a_result_is_stale_once_the_documents_change(pump_case):
    pump_case.results.keep("answer", [("Who?", Sum(1))])
    add(pump_case, "late.txt", [TEXTS[1]])
    assert pump_case.results.get("answer", "A1").is_stale
    pump_case.removal.remove(["D4"])
    assert not pump_case.results.get("answer", "A1").is_stale


def test_decisions_and_removals_are_taken_back_and_results_are_not(pump_case):
    pump_case.results.keep("audit", [("report.docx", Sum(3))])
    assert not pump_case.log.stacks.undo or pump_case.log.entries()[-1].seq not in pump_case.log.stacks.undo
    pump_case.results.resolve("audit", "U1", "overruled", item="4")

    def standing():
        return [
            (result.id, [(r.item, r.status) for r in result.resolutions]) for result in pump_case.results.all("audit")
        ]

    undone_and_redone(pump_case, standing)
    pump_case.results.resolve("audit", "U1", "", item="4")
    undone_and_redone(pump_case, standing)
    pump_case.results.remove("audit", "U1")
    undone_and_redone(pump_case, standing)
    assert standing() == []


@pytest.mark.parametrize(("status", "result", "error"), [("perhaps", "U1", BadInput), ("held", "U9", NoSuchItem)])
def test_what_cannot_be_decided(pump_case, status, result, error):
    pump_case.results.keep("audit", [("report.docx", Sum(3))])
    with pytest.raises(error):
        pump_case.results.resolve("audit", result, status)


def test_a_case_with_results_proves_itself_and_a_forged_one_does_not(pump_case):
    path = pump_case.path
    pump_case.results.keep("answer", [("Who?", Sum(1))])
    pump_case.results.keep("conflict", [("minutes", Sum(2))])
    pump_case.results.resolve("conflict", "X1", "both")
    assert pump_case.verify(silent()).ok
    pump_case.close()
    tamper(path, "UPDATE answer SET value = '{\"total\":2}'", "UPDATE resolution SET status = 'held'")
    with CaseFile.open(path) as case:
        problems = " ".join(problem.where for problem in case.verify(silent()).problems)
    assert "answer" in problems
    assert "resolution" in problems


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE answer SET value = '{\"total\":2}'",
        "UPDATE answer SET at = '2020-01-01T00:00:00+00:00'",
        "DELETE FROM answer",
        "INSERT INTO answer SELECT 'A7', subject, value, digest, by, at FROM answer",
        "UPDATE resolution SET status = 'held'",
        "DELETE FROM resolution",
    ],
)
def test_what_is_not_what_the_log_says_is_not_shown(pump_case, change):
    path = pump_case.path
    pump_case.results.keep("answer", [("Who?", Sum(1))])
    pump_case.results.resolve("answer", "A1", "both")
    assert [result.id for result in pump_case.results.all("answer")] == ["A1"]
    pump_case.close()
    tamper(path, change)
    with CaseFile.open(path) as case, pytest.raises(ResultAltered, match=r"A[17].* was altered"):
        case.results.all("answer")


def test_what_the_log_says_is_followed_as_it_grows_and_where_it_is_taken_back(pump_case):
    pump_case.results.keep("answer", [("Who?", Sum(1))])
    assert len(pump_case.results.all("answer")) == 1
    pump_case.results.keep("answer", [("When?", Sum(2))])
    assert len(pump_case.results.all("answer")) == 2
    pump_case.results.remove("answer", "A1")
    assert [result.id for result in pump_case.results.all("answer")] == ["A2"]
    pump_case.undo.undo()
    assert [result.id for result in pump_case.results.all("answer")] == ["A1", "A2"]


def test_a_value_that_is_no_json_is_no_value(pump_case):
    path = pump_case.path
    pump_case.results.keep("answer", [("Who?", Sum(1))])
    pump_case.close()
    tamper(path, "UPDATE answer SET value = 'nothing'")
    with CaseFile.open(path) as case, pytest.raises(CaseValueWrong):
        case.results.all("answer")


def test_canonical_text():
    assert encode(Sighting("é", 1)) == '{"count":1,"quotes":[],"where":"é"}'
