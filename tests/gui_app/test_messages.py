"""What the window says goes again: after a while, with another decision, with its screen or its case. And the small
things that lead astray: keys, palette, names."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from core.errors import CannotRunHere, DiskFull, EngineStopped, IndexDamaged, ModelMissing, ModelUnreadable
from gui_app.hypotheses.hypotheses_model import KIND
from gui_app.shell.navigation import PLACES
from gui_app.shell.shortcut_sheet import keys_of
from tests.gui_app.small_case import settle

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def proposed(with_case, session, qtbot):
    session.do(lambda bench: bench.review.propose(passages=4))
    qtbot.keyClick(with_case, Key.Key_5, CONTROL)
    assert with_case.current().name == "Review"
    settle(qtbot, session)
    yield with_case
    qtbot.waitUntil(lambda: not session.tasks._newest)


def test_an_undo_is_offered_for_the_last_decision_alone(with_case, session, qtbot):
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    session.tell("H3 added", undo=True)
    assert with_case.toast.isVisible()
    session.do(lambda bench: bench.hypotheses.add("It was all staged."))
    assert not with_case.toast.isVisible()
    with_case.toast.undo.emit()  # a click that was under way
    assert len(session.workbench.hypotheses.all()) == 4


def test_a_toast_stays_with_a_change_that_is_no_decision(with_case, session):
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    session.tell("H3 added", undo=True)
    session.do(lambda bench: bench.matrix.compute())
    with_case.toast._undo.click()
    assert len(session.workbench.hypotheses.all()) == 2


def test_what_was_undone_is_said_until_the_next_decision(with_case, session):
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    session.undo()
    assert with_case.toast.isVisible()
    assert with_case.toast.text().startswith("Undone")
    assert with_case.strip.message.text() == ""  # it is said once
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    assert not with_case.toast.isVisible()


def test_no_undo_is_offered_of_a_case_that_is_closed(with_case, session, qtbot):
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    session.tell("H3 added", undo=True)
    session.status.emit("Something was done.")
    qtbot.keyClick(with_case, Key.Key_W, CONTROL)
    assert with_case.current().name == "Start"
    assert not with_case.toast.isVisible()
    assert with_case.strip.message.text() == ""


def test_what_u_takes_back_is_said_until_another_decision(proposed, session, qtbot):
    qtbot.keyClick(proposed.current().list, Key.Key_A)
    assert proposed.toast.isVisible()
    assert proposed.toast.text() == "Accepted as E1"
    session.decided.emit("Added as E2; U undoes it")
    assert "U undoes it" in proposed.strip.message.text()
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    assert proposed.strip.message.text() == ""
    assert not proposed.toast.isVisible()


def test_the_details_follow_to_the_proposal_whose_decision_is_taken_back(proposed, session, qtbot):
    review = proposed.current()
    qtbot.keyClick(review.list, Key.Key_Down)
    first = review.current()
    qtbot.keyClick(review.list, Key.Key_A)
    assert review.current().id != first.id
    assert proposed.panels.detail.shown() == review.current()
    qtbot.keyClick(review.list, Key.Key_U)
    assert review.current() == first
    assert proposed.panels.detail.shown() == first


def test_what_is_said_of_a_screen_goes_with_it(proposed, session, qtbot):
    session.decided.emit("Added as E1; U undoes it")
    assert "Added" in proposed.strip.message.text()
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_2, CONTROL)
    assert proposed.strip.message.text() == ""


def test_a_message_goes_after_a_while(with_case, session, qtbot):
    with_case.strip._fading.setInterval(30)
    session.status.emit("Select some words first.")
    assert with_case.strip.message.text()
    qtbot.waitUntil(lambda: with_case.strip.message.text() == "")


def test_taking_back_a_decision_shows_what_it_was_about(proposed, session, qtbot):
    review = proposed.current()
    first = review.current().id
    qtbot.keyClick(review.list, Key.Key_R)
    qtbot.keyClick(review.list, Key.Key_J)
    assert review.current().id != first
    qtbot.keyClick(review.list, Key.Key_U)
    assert review.current().id == first


@pytest.mark.parametrize(
    ("keys", "rating"), [([Key.Key_I], "I"), ([Key.Key_C, Key.Key_C], "CC"), ([Key.Key_5], "II"), ([Key.Key_N], "N")]
)
def test_accept_and_rate_takes_the_rating_in_place(proposed, session, qtbot, keys, rating):
    review = proposed.current()
    proposal = review.current()
    qtbot.keyClick(review.list, Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert review.ask.hasFocus()
    assert proposal.hypothesis in review.ask.text.text()
    assert session.workbench.evidence.all() == []
    for key in keys:
        qtbot.keyClick(QApplication.focusWidget(), key)
    qtbot.waitUntil(lambda: bool(session.workbench.evidence.assessments()))
    [evidence] = session.workbench.evidence.all()
    [assessment] = session.workbench.evidence.assessments()
    assert (assessment.evidence, assessment.hypothesis, assessment.rating) == (evidence.id, proposal.hypothesis, rating)
    assert not review.ask.isVisible()
    assert review.list.hasFocus()
    assert review.current().id != proposal.id
    assert rating in proposed.strip.message.text()


def test_enter_takes_what_the_model_suggests(proposed, session, qtbot):
    review = proposed.current()
    chosen = next(proposal for proposal in review.queue.rows if proposal.verdict.label == "supports")
    review._go_to(review.queue.rows.index(chosen))
    qtbot.keyClick(review.list, Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert review.ask.rating.text() == "C"
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
    [assessment] = session.workbench.evidence.assessments()
    assert (assessment.hypothesis, assessment.rating) == (chosen.hypothesis, "C")
    qtbot.keyClick(review.list, Key.Key_U)
    assert session.workbench.evidence.assessments() == []
    qtbot.keyClick(review.list, Key.Key_U)
    assert session.workbench.evidence.all() == []


def test_escape_accepts_nothing(proposed, session, qtbot):
    review = proposed.current()
    qtbot.keyClick(review.list, Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    for key in (Key.Key_R, Key.Key_S, Key.Key_X):  # no commands while a rating is asked for
        qtbot.keyClick(QApplication.focusWidget(), key)
    assert review.ask.isVisible()
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Escape)
    assert not review.ask.isVisible()
    assert review.list.hasFocus()
    assert session.workbench.evidence.all() == []
    assert all(proposal.status == "pending" for proposal in session.workbench.verdicts.proposals())


def test_what_if_stays_pressed_and_its_row_in_sight(with_case, session, qtbot):
    for number in range(40):
        session.do(lambda bench, number=number: bench.evidence.add(f"Row {number} of the matrix."))
    qtbot.keyClick(with_case, Key.Key_6, CONTROL)
    matrix = with_case.current()
    grid = matrix.grid
    with_case.resize(1440, 900)
    QApplication.processEvents()
    while grid.cursor_rect().bottom() + grid.cursor_rect().height() < grid.viewport().height():
        qtbot.keyClick(grid, Key.Key_Down)
    top, row = grid.mapTo(with_case, grid.rect().topLeft()), grid.current_row().id
    for key in (Key.Key_W, Key.Key_X, Key.Key_X):
        qtbot.keyClick(grid, key)
        QApplication.processEvents()
        assert matrix.bar.what_if_button.isChecked()
        assert grid.mapTo(with_case, grid.rect().topLeft()) == top
        assert grid.current_row().id == row
        assert grid.viewport().rect().contains(grid.cursor_rect())


def test_a_new_rival_is_called_one(with_case, qtbot):
    qtbot.keyClick(with_case, Key.Key_3, CONTROL)
    screen = with_case.current()
    qtbot.keyClicks(screen.field, "It was a prank.")
    qtbot.keyClick(screen.field, Key.Key_Return)
    assert screen.model.index(2, KIND).data() == "Rival"


def test_no_key_is_listed_twice(with_case, qtbot):
    for place in PLACES:
        with_case.go(place.name)
        for action in with_case.current().actions():
            keys = keys_of(action).split(", ")
            assert len(keys) == len(set(keys)), (place.name, action.text(), keys)
    qtbot.waitUntil(lambda: not with_case.session.tasks._newest)


def test_the_palette_has_one_undo(with_case, session, qtbot):
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    for name in ("Documents", "Review"):
        with_case.go(name)
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_K, CONTROL)
        qtbot.keyClicks(with_case.palette_popup.field, "undo")
        titles = [entry.title for entry in with_case.palette_popup.model.rows if entry.title.startswith("Undo")]
        assert titles == ["Undo: add hypothesis"]
        qtbot.keyClick(with_case.palette_popup.field, Key.Key_Escape)


def test_the_palette_begins_with_something_to_do(window, qtbot):
    qtbot.keyClick(window, Key.Key_K, CONTROL)
    popup = window.palette_popup
    chosen = popup.model.rows[popup.view.currentIndex().row()]
    assert "recent cases" not in chosen.title
    assert chosen.title == "New case"


def test_the_palette_tells_recent_cases_of_the_same_title_apart(window, session, tmp_path):
    paths = [tmp_path / "one" / "case.disconfirm", tmp_path / "two" / "case.disconfirm"]
    for path in paths:
        path.parent.mkdir()
        assert session.create(path, title="Who was it?")
    titles = [entry.title for entry in window.commands.entries() if entry.kind == "recent case"]
    assert len(set(titles)) == 2
    assert all(any(str(path) in title for title in titles) for path in paths)


def test_the_tabs_of_a_case_that_is_opened_again_are_not_cut(with_case, session, tmp_path, qtbot):
    (tmp_path / "empty.txt").touch()
    session.do(lambda bench: bench.documents.add([tmp_path / "empty.txt"]))
    path = session.workbench.path
    session.close_case()
    assert session.create(tmp_path / "other.disconfirm", title="Another?")
    session.do(lambda bench: bench.documents.add([tmp_path / "texts"]))
    with_case.go("Report")
    with_case.screen_named("Documents")  # made ahead, and not on show
    QApplication.processEvents()
    session.close_case()
    assert session.open(path)
    with_case.go("Documents")
    tabs = with_case.current().tabs
    qtbot.waitUntil(lambda: tabs.width() == tabs.sizeHint().width())


def test_no_way_on_leads_anywhere_without_a_case(with_case, session, qtbot):
    for name in ("Search", "Documents"):
        with_case.go(name)
    with_case.navigation.back()
    assert with_case.commands.forward.isEnabled()
    qtbot.keyClick(with_case, Key.Key_W, CONTROL)
    assert not with_case.commands.forward.isEnabled()
    assert not with_case.commands.back.isEnabled()


def test_the_first_page_does_not_say_that_there_is_no_case_while_one_is_open(with_case, session, qtbot):
    def said() -> list[str]:
        return [label.text() for label in with_case.current().findChildren(QLabel) if label.isVisible()]

    qtbot.keyClick(with_case, Key.Key_1, CONTROL)
    start = with_case.current()
    start.view.setFocus()
    qtbot.keyClick(start.view, Key.Key_Home)
    qtbot.keyClick(start.view, Key.Key_Delete)  # off the list of recent cases
    assert start.model.rows == []
    assert "“Who was it?” is open. It is not in the list of recent cases." in said()
    assert not any("No case yet" in text for text in said())
    session.close_case()
    assert any("No case yet" in text for text in said())


def fail(session, error, title, qtbot):
    """Have a job of this name end with an error."""

    def work(_bench, _progress):
        raise error

    session.run(title, work)
    qtbot.waitUntil(lambda: not session.tasks.busy())


def test_an_error_goes_when_what_failed_works(with_case, session, qtbot):
    error = EngineStopped(engine="reader", item="a.pdf", reason="it crashed")
    fail(session, error, "Reading a.pdf", qtbot)
    assert with_case.notice.isVisible()
    session.run("Reading b.pdf", lambda _bench, _progress: None)
    qtbot.waitUntil(lambda: not session.tasks.busy())
    assert with_case.notice.isVisible()  # it says nothing of b.pdf
    session.run("Reading a.pdf", lambda _bench, _progress: None)
    qtbot.waitUntil(lambda: not session.tasks.busy())
    assert not with_case.notice.isVisible()


def test_a_damaged_index_is_built_again_from_its_banner_which_then_goes(with_case, session, qtbot):
    error = IndexDamaged(path=session.workbench.path, reason="a table is gone")
    fail(session, error, "Reading a.pdf", qtbot)
    notice = with_case.notice
    assert "disconfirm" not in notice.hint.text()
    assert f"Press {notice.action.text()}" in notice.hint.text()
    session.workbench.store.db.execute("DELETE FROM passage_word")
    notice.action.setFocus()
    qtbot.keyClick(notice.action, Key.Key_Return)
    qtbot.waitUntil(lambda: not notice.isVisible())
    assert session.workbench.search.find("technician", mode="lexical").passages


def test_a_banner_of_a_damaged_index_goes_when_a_search_made_it_anew(with_case, session, qtbot):
    fail(session, IndexDamaged(path=session.workbench.path, reason="a table is gone"), "Reading a.pdf", qtbot)
    assert with_case.notice.isVisible()
    results: list[object] = []
    session.read(lambda bench: bench.case.rebuild_index(), results.append)
    qtbot.waitUntil(lambda: results == [None])
    assert not with_case.notice.isVisible()


@pytest.mark.parametrize(
    "error",
    [
        CannotRunHere(path="judge.gguf", fault="an illegal instruction"),
        ModelMissing(role="judging", path="judge.gguf", effect="nothing is judged"),
        ModelUnreadable(path="judge.gguf", reason="it is cut off", effect="nothing is judged"),
    ],
)
def test_an_error_of_a_model_leads_to_the_models_and_goes_with_another_one(with_case, session, qtbot, error):
    fail(session, error, "Finding evidence", qtbot)
    notice = with_case.notice
    assert "bootstrap" not in notice.hint.text()
    assert "disconfirm " not in notice.hint.text()
    assert "Models" in notice.hint.text()
    notice.action.setFocus()
    qtbot.keyClick(notice.action, Key.Key_Return)
    assert with_case.current().name == "Models"
    fail(session, error, "Finding evidence", qtbot)
    assert notice.isVisible()
    assert not notice.action.isVisible()  # the models are on show
    assert session.use_model("judge", None)
    assert not notice.isVisible()


def test_that_the_disk_is_full_is_not_said_any_more_when_something_was_saved(with_case, session, qtbot):
    session.failed.emit(DiskFull(path=session.workbench.path))
    assert with_case.notice.isVisible()
    session.do(lambda bench: bench.hypotheses.add("Saved."))
    assert not with_case.notice.isVisible()


def test_a_toast_covers_nothing_but_the_line_below(with_case, session):
    toast, strip = with_case.toast, with_case.strip
    for width in (1100, 1440):
        with_case.resize(width, 700)
        session.tell("Accepted as E1, rated against H1, H2, H3, H4", undo=True)
        assert strip.geometry().contains(toast.geometry())
        assert not toast.geometry().intersects(strip.save_label.geometry().translated(strip.pos()))
