"""The session: one case, verbs, what changed, what went wrong."""

from __future__ import annotations

import json
import threading

from core import paths
from core.domain import Changes
from core.errors import BadInput, CaseExists, CaseNotFound, CaseNotProven, CaseUnreadable
from gui_app.recent_cases import KEPT, forget, recent_cases, remember
from gui_app.session import EVERYTHING
from tests.core.store.material import tamper
from tests.gui_app.conftest import complaints


def listen(session):
    announcements = []
    session.changed.connect(lambda changes, initiator: announcements.append((changes, initiator)))
    return announcements


def test_a_new_case_is_open_and_remembered(case, tmp_path):
    assert case.workbench.case.title() == "Who was it?"
    assert [entry.title for entry in recent_cases()] == ["Who was it?"]
    assert recent_cases()[0].path == str((tmp_path / "test.disconfirm").resolve())


def test_opening_announces_everything(session, tmp_path):
    announcements = listen(session)
    session.create(tmp_path / "a.disconfirm")
    assert announcements == [(EVERYTHING, session)]


def test_a_verb_says_once_what_changed_and_who_asked(case):
    announcements = listen(case)
    hypothesis = case.do(lambda bench: bench.hypotheses.add("It was the night technician."), initiator="screen")
    assert hypothesis.id == "H1"
    assert announcements == [(Changes(hypotheses=True, matrix=True), "screen")]


def test_reading_announces_nothing(case):
    announcements = listen(case)
    assert case.do(lambda bench: bench.hypotheses.all()) == []
    assert announcements == []


def test_an_error_is_told_and_nothing_changes(case):
    announcements, errors = listen(case), complaints(case)
    assert case.do(lambda bench: bench.hypotheses.add("   ")) is None
    assert [type(error) for error in errors] == [BadInput]
    assert announcements == []


def test_a_record_that_was_added_while_a_case_was_closed_is_told_when_it_is_opened(case, tmp_path):
    path, errors = tmp_path / "test.disconfirm", complaints(case)
    case.close_case()
    assert case.open(path)
    assert errors == []
    case.close_case()
    tamper(path, "INSERT INTO record SELECT seq + 1, 'verdict', '{}', hash, hash FROM record ORDER BY seq DESC LIMIT 1")
    assert case.open(path)
    assert [type(error) for error in errors] == [CaseNotProven]
    assert "was added while the case was closed" in errors[0].sentence


def test_a_decision_that_the_log_denies_is_told_when_a_case_is_opened(case, tmp_path, qtbot):
    path, errors = tmp_path / "test.disconfirm", complaints(case)
    case.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    case.close_case()
    tamper(path, "UPDATE hypothesis SET text = 'It was the day technician.'")
    assert case.open(path)
    qtbot.waitUntil(lambda: bool(errors))
    assert [type(error) for error in errors] == [CaseNotProven]
    assert "hypothesis H1: It is not what the log says was decided" in errors[0].sentence


def test_a_case_that_cannot_be_opened_leaves_the_open_one(case, tmp_path):
    errors = complaints(case)
    open_now = case.workbench
    assert not case.open(tmp_path / "nowhere.disconfirm")
    false_case = tmp_path / "other.disconfirm"
    false_case.write_bytes(b"this is no case")
    assert not case.open(false_case)
    assert not case.create(tmp_path / "test.disconfirm")
    assert [type(error) for error in errors] == [CaseNotFound, CaseUnreadable, CaseExists]
    assert case.workbench is open_now
    assert false_case.read_bytes() == b"this is no case"


def test_opening_another_case_closes_the_first(case, tmp_path):
    assert case.create(tmp_path / "second.disconfirm")
    assert case.workbench.path.name == "second.disconfirm"
    # The first is free again: it can be opened at once.
    assert case.open(tmp_path / "test.disconfirm")
    assert [entry.title for entry in recent_cases()] == ["Who was it?", "second"]


def test_a_long_verb_delivers_result_and_changes(case, texts, qtbot):
    announcements, got = listen(case), []
    task = case.run("Adding", lambda bench, progress: bench.documents.add([texts], progress), done=got.append)
    with qtbot.waitSignal(task.ended, timeout=10_000):
        pass
    assert [item.status for item in got[0].documents] == ["added"] * 3
    assert announcements == [(Changes(documents=True), None)]


def test_the_languages_of_documents_of_an_older_program_are_recognised_beside_the_work(filled, tmp_path, qtbot):
    documents = filled.workbench.documents.all()
    with filled.workbench.store.db.transaction() as db:
        db.execute("UPDATE document SET attributions = '[]'")
        rows = {document.id: filled.workbench.store.documents.stored_row(document.id) for document in documents}
        filled.workbench.store.log.append("describe documents", {"document": rows}, {"document": rows})
    filled.close_case()
    assert filled.open(tmp_path / "test.disconfirm")
    (task,) = filled.tasks.tasks
    assert task.title == "Recognising languages"
    qtbot.waitSignal(task.ended).wait()
    assert filled.workbench.documents.without_language() == []
    filled.close_case()
    assert filled.open(tmp_path / "test.disconfirm")
    assert filled.tasks.tasks == []


def test_a_cancelled_verb_announces_what_it_finished(case, qtbot):
    announcements = listen(case)
    running = threading.Event()

    def work(bench, progress):
        while True:
            progress.step(0, 0, "going")
            running.set()

    task = case.run("Adding", work, partial=Changes(documents=True))
    assert running.wait(5)
    with qtbot.waitSignal(task.ended):
        case.tasks.cancel(task)
    assert announcements == [(Changes(documents=True), None)]


def test_what_is_running_is_stopped_and_what_waits_goes_on(case, qtbot):
    messages = []
    case.status.connect(messages.append)
    running = threading.Event()

    def work(bench, progress):
        while True:
            progress.step(0, 0, "going")
            running.set()

    case.cancel()
    assert messages == ["Nothing is running."]
    first = case.run("Adding", work)
    second = case.run("Reading", lambda bench, progress: 7)
    assert running.wait(5)
    with qtbot.waitSignal(second.ended):
        case.cancel()
    assert (first.state, second.state, second.result) == ("cancelled", "done", 7)


def test_results_of_a_closed_case_are_not_delivered(case, qtbot):
    gate = threading.Event()
    got = []
    case.read(lambda bench: gate.wait(5), got.append)
    gate.set()
    case.close_case()
    qtbot.wait(50)
    assert got == []
    assert case.workbench is None


def test_undo_and_redo_name_what_they_did(case):
    messages = []
    case.status.connect(messages.append)
    case.taken_back.connect(messages.append)
    case.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    case.undo()
    assert case.workbench.hypotheses.all() == []
    case.redo()
    assert [h.id for h in case.workbench.hypotheses.all()] == ["H1"]
    assert messages[:2] == ["Undone: H1 is removed again", "Redone: H1 is back"]
    case.undo()
    case.undo()
    assert messages[-1] == "Nothing to undo."


def test_undo_names_the_cell_the_row_and_the_hypothesis(filled):
    messages = []
    filled.taken_back.connect(messages.append)
    filled.do(lambda bench: bench.evidence.add("The badge reader shows one entry."))
    for decide, words in (
        (lambda bench: bench.evidence.rate("E1", "H2", "I"), "Undone: rating of E1 against H2"),
        (lambda bench: bench.evidence.remove("E1"), "Undone: E1 is back"),
        (lambda bench: bench.hypotheses.remove("H2"), "Undone: H2 is back"),
        (lambda bench: bench.evidence.add("The dog did not bark."), "Undone: E2 is removed again"),
        (lambda bench: bench.documents.set_included(["D1"], False), "Scope change undone"),
    ):
        filled.do(decide)
        filled.undo()
        assert messages[-1] == words


def test_a_read_only_folder_of_settings_does_not_stop_a_case(session, tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("DISCONFIRM_HOME", str(blocked))
    assert session.create(tmp_path / "a.disconfirm")


def test_recent_cases_survive_a_broken_file_and_stay_few(tmp_path):
    paths.user_data().mkdir(parents=True, exist_ok=True)
    (paths.user_data() / "recent.json").write_text('{"broken": ', "utf-8")
    assert recent_cases() == []
    for number in range(KEPT + 5):
        remember(tmp_path / f"{number}.disconfirm", f"Case {number}")
    remember(tmp_path / "7.disconfirm", "Case 7 again")
    entries = recent_cases()
    assert len(entries) == KEPT
    assert entries[0].title == "Case 7 again"
    assert entries[0].size is None
    assert len({entry.path for entry in entries}) == KEPT
    forget(entries[0].path)
    assert "Case 7 again" not in (paths.user_data() / "recent.json").read_text("utf-8")
    assert isinstance(json.loads((paths.user_data() / "recent.json").read_text("utf-8")), list)


def test_the_start_clears_away_the_copies_of_cases_that_a_killed_process_left(session, qtbot):
    folder = paths.user_data() / "copies" / "1.files"
    folder.mkdir(parents=True)
    with qtbot.waitCallback() as callback:
        session.warm_up(callback)
    assert not folder.exists()
