"""Checking the whole case from the window."""

from __future__ import annotations

from core.errors import CaseNotProven, Problem
from core.store.integrity import CaseCheck
from gui_app import case_check


def test_a_sound_case_is_said_to_be(case, qtbot):
    words = []
    case.told_at_length.connect(lambda *both: words.append(both))
    case_check.begin(case)
    qtbot.waitUntil(lambda: bool(words))
    sentence, rest = words[0]
    assert sentence == "The case is sound."
    assert rest.startswith("Checked: 0 original files and 0 quotes, with every text, decision and record.")


def test_the_originals_are_read_again_where_that_is_asked_for(window, session, tmp_path, qtbot):
    file = tmp_path / "memo.txt"
    file.write_text("The pump stopped at noon.", "utf-8")
    session.create(tmp_path / "a.disconfirm", title="A")
    session.do(lambda bench: bench.documents.add([file]).changes)
    words = []
    session.told_at_length.connect(lambda *both: words.append(both))
    window.commands.check_originals.trigger()
    qtbot.waitUntil(lambda: bool(words))
    assert words[0][0] == "The case is sound."
    assert "1 page read again from the original files: the same text." in words[0][1]


def test_that_the_case_is_sound_is_not_said_of_what_it_becomes(window, session, tmp_path, qtbot):
    session.create(tmp_path / "a.disconfirm", title="A")
    window.commands.check_case.trigger()
    qtbot.waitUntil(window.notice.isVisible)
    session.do(lambda bench: bench.hypotheses.add("A copy of the case brought this one."))
    assert not window.notice.isVisible()


def test_where_nothing_could_be_compared_no_number_of_pages_is_called_equal(case, qtbot, monkeypatch):
    nothing = CaseCheck(True, {"texts compared": 0}, (), notes=("Page texts that cannot be compared: 2.",))
    monkeypatch.setattr(type(case.workbench.case), "verify", lambda *_: nothing)
    words = []
    case.told_at_length.connect(lambda *both: words.append(both))
    case_check.begin(case)
    qtbot.waitUntil(lambda: bool(words))
    assert "read again" not in words[0][1]
    assert words[0][1].endswith("Page texts that cannot be compared: 2.")


def test_what_fails_is_an_error_that_names_the_first_problems(case, qtbot, monkeypatch):
    problems = tuple(Problem(f"E{number}", f"Its quote {number} is not there.", "") for number in range(1, 6))
    check = CaseCheck(False, {}, problems)
    monkeypatch.setattr(type(case.workbench.case), "verify", lambda *_: check)
    errors = []
    case.failed.connect(errors.append)
    case_check.begin(case)
    qtbot.waitUntil(lambda: bool(errors))
    assert isinstance(errors[0], CaseNotProven)
    fault = "E1: Its quote 1 is not there; E2: Its quote 2 is not there; E3: Its quote 3 is not there"
    assert f"({fault}; and 2 more problems)" in errors[0].sentence


def test_the_menu_offers_it_where_a_case_is_open(window, session, tmp_path):
    action = window.commands.check_case
    assert not action.isEnabled()
    session.create(tmp_path / "a.disconfirm", title="A")
    assert action.isEnabled()
    assert action in [entry for top in window.menuBar().actions() for entry in top.menu().actions()]
