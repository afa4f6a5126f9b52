"""Messages are kept behind the bell: with their time, counted until they are looked at, undone where that holds."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.errors import DiskFull
from gui_app.shared import theme

Key = Qt.Key


def add(session, text: str) -> None:
    session.do(lambda bench: bench.hypotheses.add(text))
    session.tell(f"{text} added", undo=True)


def texts(window) -> list[str]:
    return [message.text for message in window.message_list.corner.model.rows]


def test_f12_lists_what_was_said_newest_first(with_case, session, qtbot):
    with_case.messages.clear()
    focus = with_case.focusWidget()
    add(session, "Nobody logged in.")
    session.failed.emit(DiskFull(path="case"))
    session.status.emit("2 rows copied")
    assert with_case.top_bar.bell.text() == "1"  # what one did oneself, or what answers a key, is no news
    qtbot.keyClick(with_case, Key.Key_F12)
    listing = with_case.message_list
    assert listing.corner.isVisible()
    assert listing.corner.view.hasFocus()
    assert texts(with_case)[0] == "2 rows copied"
    assert texts(with_case)[-1] == "Nobody logged in. added"
    assert listing.corner.model.rows[1].is_error
    assert listing.corner.model.rows[0].at[2] == ":"
    assert with_case.top_bar.bell.text() == ""
    listing.corner.grab()
    qtbot.keyClick(listing.corner.view, Key.Key_Escape)
    assert not listing.corner.isVisible()
    assert QApplication.focusWidget() is focus


def test_only_the_last_decision_is_undone_from_its_message(with_case, session, qtbot):
    with_case.messages.clear()
    add(session, "Nobody logged in.")
    add(session, "It was staged.")
    count = len(session.workbench.hypotheses.all())
    qtbot.keyClick(with_case, Key.Key_F12)
    listing = with_case.message_list
    qtbot.keyClick(listing.corner.view, Key.Key_Down)
    assert not listing.undo_button.isVisible()
    qtbot.keyClick(listing.corner.view, Key.Key_Return)
    assert len(session.workbench.hypotheses.all()) == count
    qtbot.keyClick(listing.corner.view, Key.Key_Up)
    assert listing.undo_button.isVisible()
    qtbot.keyClick(listing.corner.view, Key.Key_Return)
    assert len(session.workbench.hypotheses.all()) == count - 1
    assert texts(with_case)[0].startswith("Undone")  # what is said meanwhile is seen at once
    assert with_case.top_bar.bell.text() == ""


def test_the_same_again_is_one_message_and_another_case_takes_its_undo(with_case, session, qtbot, tmp_path):
    with_case.messages.clear()
    for _ in range(3):
        session.status.emit("Select some words first.")
    assert len(with_case.messages.all) == 1
    add(session, "Nobody logged in.")
    assert with_case.messages.can_undo(with_case.messages.all[0])
    session.create(tmp_path / "other.disconfirm", title="Other")
    assert not any(map(with_case.messages.can_undo, with_case.messages.all))
    with_case.message_list.corner.turn()
    with_case.message_list.clear_button.click()
    assert texts(with_case) == []


def test_other_colours_leave_the_count_beside_the_bell(with_case, session):
    with_case.messages.clear()
    session.failed.emit(DiskFull(path="case"))
    assert with_case.top_bar.bell.text() == "1"
    former = theme.theme()
    try:
        for colours in ("dark", "light"):
            with_case.commands.set_theme(colours)
            assert with_case.top_bar.bell.text() == "1"
    finally:
        with_case.commands.set_theme(former)
    with_case.top_bar.bell.click()
    assert with_case.message_list.corner.isVisible()


def test_what_was_said_at_length_is_kept_too(with_case, session):
    session.told_at_length.emit("The case is sound.", "Checked: 1 quote.")
    assert with_case.messages.all[0].text == "The case is sound. Checked: 1 quote."
