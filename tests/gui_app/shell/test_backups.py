"""Backups in the window: made at the close, listed, restored by keys, offered for a damaged case."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from core import settings
from core.errors import BackupNotMade, CaseExists, DiskFailed, DiskFull
from core.progress import silent
from core.store import CaseFile, backups, connection
from gui_app import case_backups
from gui_app.shared import file_dialogs
from gui_app.shared.formatting import ago, spoken_time
from gui_app.shell.backups_dialog import BackupsDialog
from tests.gui_app.conftest import complaints


def texts_of(session) -> list[str]:
    return [hypothesis.text for hypothesis in session.workbench.hypotheses.all()]


def dialog_of(window) -> BackupsDialog:
    (dialog,) = window.findChildren(BackupsDialog)
    return dialog


def ready(dialog, qtbot) -> None:
    qtbot.waitUntil(lambda: dialog.rows.is_checked)


def idle(session, qtbot) -> None:
    qtbot.waitUntil(lambda: not session.tasks.busy())


def command(window, words: str, qtbot) -> None:
    """Run what Ctrl+K finds first."""
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(window.palette_popup.field, words)
    qtbot.keyClick(window.palette_popup.field, Qt.Key.Key_Return)


def damage(path: Path) -> None:
    path.write_bytes(bytes(16) + path.read_bytes()[16:])


@pytest.fixture
def path(with_case, session) -> Path:
    return session.workbench.path


@pytest.fixture
def slow(with_case, session, monkeypatch):
    """The window on a case that counts as large and whose backup waits at a gate, at 3 of 9 MB."""
    monkeypatch.setattr(case_backups, "LARGE", 1)
    gate, write = threading.Event(), backups.write_copy

    def write_slowly(case, target, progress):
        while not gate.wait(0.01):
            progress.step(3, 9, "Making a backup, in MB")
        return write(case, target, progress)

    monkeypatch.setattr(backups, "write_copy", write_slowly)
    yield gate
    gate.set()


def close_by_keys(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    card = window.commands.closing_card
    qtbot.waitUntil(lambda: card.isVisible() and any(count.text() == "3 of 9" for _, _, count in card.steps))
    return card


# --- made by themselves ----------------------------------------------------------------------------------------------


def test_closing_a_changed_case_makes_one(case, tmp_path):
    case.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    path = case.workbench.path
    case.close_case()
    (backup,) = backups.copies(path)
    assert backup.is_sound
    assert backup.path.parent == tmp_path / "test backups"


def test_closing_an_unchanged_case_makes_none(case):
    path = case.workbench.path
    case.close_case()
    assert case.open(path)
    case.do(lambda bench: bench.hypotheses.all())
    case.close_case()
    assert not (path.parent / "test backups").exists()


def test_the_end_of_the_program_makes_one_too(case):
    case.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    path = case.workbench.path
    case.shutdown()
    assert [backup.is_sound for backup in backups.copies(path)] == [True]


def test_opening_another_case_makes_one_of_the_first(case, tmp_path):
    case.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    first = case.workbench.path
    assert case.create(tmp_path / "second.disconfirm")
    assert len(backups.copies(first)) == 1


def test_who_turned_them_off_gets_none(case):
    settings.save(replace(settings.load(), backups=False))
    case.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    path = case.workbench.path
    case.close_case()
    assert backups.copies(path) == []


def test_the_days_backup_is_made_beside_the_work(session, tmp_path, qtbot):
    path = tmp_path / "old.disconfirm"
    with CaseFile.create(path, now=lambda: datetime.now(UTC) - timedelta(days=3)) as case_file:
        case_file.hypotheses.add("It was the night technician.")
    assert session.open(path)
    assert [task.title for task in session.tasks.tasks] == ["Making a backup"]
    idle(session, qtbot)
    assert len(backups.copies(path)) == 1
    session.close_case()
    assert len(backups.copies(path)) == 1  # nothing was changed since


def test_one_that_cannot_be_made_is_told_once_and_the_case_closes(case, monkeypatch, qtbot):
    errors = complaints(case)
    monkeypatch.setattr(backups, "write_copy", full)
    path = case.workbench.path
    case.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    case.backups.make()
    idle(case, qtbot)
    case.close_case()
    assert [type(error) for error in errors] == [BackupNotMade]
    assert case.workbench is None
    with CaseFile.open(path) as closed:
        assert len(closed.hypotheses.all()) == 1


def test_closing_a_large_case_shows_its_steps_and_closes_when_the_backup_is_made(with_case, session, slow, path, qtbot):
    card = close_by_keys(with_case, qtbot)
    assert [words.text() for _, words, _ in card.steps][1] == "Making a backup, in MB"
    assert session.workbench is not None
    with_case.go("Hypotheses")  # nothing is frozen
    assert with_case.current().name == "Hypotheses"
    slow.set()
    qtbot.waitUntil(lambda: session.workbench is None)
    assert with_case.current().name == "Start"
    qtbot.waitUntil(lambda: not card.isVisible())
    assert [backup.is_sound for backup in backups.copies(path)] == [True]


def test_a_large_case_is_closed_without_its_backup_and_lacks_nothing(with_case, session, slow, path, qtbot):
    card = close_by_keys(with_case, qtbot)
    card.instead.setFocus()
    qtbot.keyClick(card.instead, Qt.Key.Key_Return)
    assert session.workbench is None
    assert with_case.current().name == "Start"
    qtbot.waitUntil(lambda: not card.isVisible())
    assert backups.copies(path) == []
    with CaseFile.open(path) as closed:
        assert len(closed.hypotheses.all()) == 2
        assert closed.verify(silent()).ok


def test_a_large_case_can_be_kept_open_while_its_backup_is_made(with_case, session, slow, path, qtbot):
    card = close_by_keys(with_case, qtbot)
    qtbot.keyClick(with_case, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not card.isVisible())
    assert session.workbench is not None
    assert with_case.strip.message.text() == "The case stays open."
    slow.set()
    qtbot.keyClick(with_case, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: session.workbench is None)
    assert len(backups.copies(path)) == 1


def test_a_backup_of_a_large_case_that_fails_at_the_close_is_told_on_the_first_page(
    with_case, session, monkeypatch, qtbot
):
    monkeypatch.setattr(case_backups, "LARGE", 1)
    monkeypatch.setattr(backups, "write_copy", full)
    qtbot.keyClick(with_case, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: session.workbench is None)
    assert with_case.current().name == "Start"
    assert "disk is full" in with_case.notice.sentence.text()


def test_damage_that_an_open_case_meets_leads_to_its_recovery(window, session, tmp_path, qtbot):
    path = tmp_path / "a.disconfirm"
    (tmp_path / "memo.txt").write_text("The pump stopped at noon.", "utf-8")
    session.create(path, title="A")
    session.do(lambda bench: bench.documents.add([tmp_path / "memo.txt"]).changes)
    session.close_case()
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE document SET name = CAST(x'ff' AS TEXT)")
    assert session.open(path)
    sentence = f"The case {path} is damaged (a text in it is garbled); it was left as it is."
    assert window.notice.sentence.text() == sentence
    window.notice.action.click()
    assert session.workbench is None
    qtbot.waitUntil(lambda: window.current().name == "Recovery")
    page = window.current()
    assert page.fault.text() == "Not all of it can be read: a text in it is garbled."
    assert page.restore_button.isVisible()
    page.recover_action.trigger()
    qtbot.waitUntil(lambda: page.recovery is not None)


def full(_case, target, _progress):
    raise DiskFull(path=target)


def test_one_that_fails_at_the_close_is_told_on_the_first_page(with_case, session, monkeypatch):
    monkeypatch.setattr(backups, "write_copy", full)
    session.close_case()
    assert with_case.current().name == "Start"
    assert with_case.notice.isVisible()
    assert "disk is full" in with_case.notice.sentence.text()


def test_the_window_closes_though_the_disk_is_full(with_case, session, path, monkeypatch):
    monkeypatch.setattr(backups, "write_copy", full)
    with_case.close()
    assert not with_case.isVisible()
    with CaseFile.open(path) as closed:
        assert len(closed.hypotheses.all()) == 2


# --- by keys ---------------------------------------------------------------------------------------------------------


def test_ctrl_k_knows_backup_copy_and_restore(with_case):
    with_case.commands.open_palette()
    field, rows = with_case.palette_popup.field, with_case.palette_popup.model
    for words, title in (
        ("backup", "Make a backup now"),
        ("copy", "Save a copy of the case..."),
        ("restore", "Restore from a backup..."),
    ):
        field.setText(words)
        assert title in [entry.title for entry in rows.rows]
        assert next(entry for entry in rows.rows if entry.title == title).is_enabled


def test_back_up_change_and_restore_by_keys(with_case, session, path, qtbot):
    command(with_case, "make a backup now", qtbot)
    idle(session, qtbot)
    assert with_case.toast.text().startswith("Backup made")
    former_texts = texts_of(session)
    session.do(lambda bench: bench.hypotheses.add("A third one."))
    command(with_case, "restore from a backup", qtbot)
    dialog = dialog_of(with_case)
    ready(dialog, qtbot)
    assert dialog.focusWidget() is dialog.view
    qtbot.keyClick(dialog.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: with_case.notice.isVisible())
    assert texts_of(session) == former_texts
    assert "in the backup from today at" in with_case.notice.sentence.text()
    former = next(file for file in path.parent.glob("test before restoring *.disconfirm"))
    assert former.name in with_case.notice.hint.text()
    assert not with_case.notice._copy.isVisible()
    with CaseFile.open(former) as case_file:
        assert "A third one." in [hypothesis.text for hypothesis in case_file.hypotheses.all()]


def test_a_backup_as_a_separate_case_by_keys(with_case, session, path, qtbot):
    session.backups.make()
    idle(session, qtbot)
    session.do(lambda bench: bench.hypotheses.add("A third one."))
    with_case.commands.restore_backup.trigger()
    dialog = dialog_of(with_case)
    ready(dialog, qtbot)
    qtbot.keyClick(dialog.view, Qt.Key.Key_Tab)
    while dialog.focusWidget() is not dialog.apart_button:
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    qtbot.keyClick(dialog.apart_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: session.workbench is not None and session.workbench.path != path)
    assert "backup of" in session.workbench.path.name
    assert len(texts_of(session)) == 2
    with CaseFile.open(path) as first:
        assert len(first.hypotheses.all()) == 3


def test_a_restore_that_fails_leaves_the_case_open(with_case, session, path, qtbot, monkeypatch):
    session.backups.make()
    idle(session, qtbot)
    (backup,) = backups.copies(path)
    backup.path.write_bytes(backup.path.read_bytes()[:5000])
    session.backups.restore(path, backup)
    idle(session, qtbot)
    assert session.workbench is not None
    assert session.workbench.path == path
    assert with_case.notice.isVisible()


def test_save_a_copy(with_case, session, path, tmp_path, qtbot, monkeypatch):
    target = tmp_path / "elsewhere.disconfirm"
    monkeypatch.setattr(file_dialogs, "ask_copy", lambda *_: target)
    command(with_case, "save a copy", qtbot)
    idle(session, qtbot)
    assert str(target) in with_case.toast.text()
    with CaseFile.open(target) as copy:
        assert len(copy.hypotheses.all()) == 2
    errors = complaints(session)
    command(with_case, "save a copy", qtbot)
    idle(session, qtbot)
    assert [type(error) for error in errors] == [CaseExists]


# --- the list --------------------------------------------------------------------------------------------------------


def test_the_list_says_when_how_large_and_whether_sound(with_case, session, path, qtbot):
    session.backups.make()
    idle(session, qtbot)
    folder = path.parent / "test backups"
    (folder / "test 2026-01-05 120000.disconfirm").write_bytes(b"no case")
    with_case.commands.restore_backup.trigger()
    dialog = dialog_of(with_case)
    ready(dialog, qtbot)
    lines = [
        dialog.rows.data(dialog.rows.index(row, 0), Qt.ItemDataRole.AccessibleTextRole)
        for row in range(len(dialog.rows.rows))
    ]
    assert lines[0].startswith("Today at ")
    assert lines[0].endswith("checked")
    assert "kB" in lines[0]
    assert lines[1].startswith("5 January 2026 at ")
    assert "cannot be used: it is not a database" in lines[1]
    assert dialog.restore_button.isEnabled()
    dialog.view.setCurrentIndex(dialog.rows.index(1, 0))
    assert not dialog.restore_button.isEnabled()
    assert not dialog.apart_button.isEnabled()
    assert dialog.folder_button.isEnabled()
    dialog.reject()


def test_without_any_the_list_says_so_and_makes_one(with_case, session, path, qtbot):
    with_case.commands.restore_backup.trigger()
    dialog = dialog_of(with_case)
    ready(dialog, qtbot)
    assert "no backup of this case yet" in dialog.nothing.sentence.text()
    assert not dialog.restore_button.isEnabled()
    qtbot.mouseClick(dialog.now_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(dialog.rows.rows) and dialog.rows.is_checked)
    qtbot.waitUntil(lambda: dialog.restore_button.isEnabled())
    dialog.reject()


def test_the_settings_stand_below_the_list(with_case, session, path, qtbot):
    with_case.commands.restore_backup.trigger()
    dialog = dialog_of(with_case)
    assert (settings.load().backups, settings.load().backup_space) == (True, 2000)
    dialog.automatic.click()
    dialog.space.setValue(0.5)
    assert (settings.load().backups, settings.load().backup_space) == (False, 500)
    ready(dialog, qtbot)
    dialog.reject()


def test_every_control_of_the_list_has_a_name(with_case, path, qtbot):
    with_case.commands.restore_backup.trigger()
    dialog = dialog_of(with_case)
    ready(dialog, qtbot)
    for control in (dialog.view, dialog.automatic, dialog.space, dialog.restore_button, dialog.now_button):
        assert control.accessibleName()
    dialog.reject()


# --- a case that does not open ---------------------------------------------------------------------------------------


def test_a_damaged_case_offers_its_newest_good_backup(window, session, tmp_path, qtbot):
    path = tmp_path / "test.disconfirm"
    assert session.create(path, title="Who was it?")
    session.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    session.close_case()
    damage(path)
    assert not session.open(path)
    screen = window.current()
    assert screen.name == "Recovery"
    assert window.notice.isHidden()
    assert "The newest good one is from" in screen.backup_text.text()
    assert screen.focusWidget() is screen.restore_button
    qtbot.keyClick(screen.restore_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert texts_of(session) == ["It was the night technician."]


def test_a_case_without_its_last_changes_offers_to_open_without_them(window, session, tmp_path, qtbot):
    path = tmp_path / "test.disconfirm"
    assert session.create(path, title="Who was it?")
    session.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    session.close_case()
    with path.open("r+b") as file:  # as a kill leaves it, and somebody who then moves it without its log
        file.seek(18)
        file.write(b"\2\2")
    assert not session.open(path)
    notice = window.notice
    assert "test.disconfirm-wal, is not beside it" in notice.sentence.text()
    assert notice.action.text() == "Open without them"
    notice.action.setFocus()
    qtbot.keyClick(notice.action, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert texts_of(session) == ["It was the night technician."]
    assert notice.isHidden()


def test_where_there_is_no_backup_the_message_says_so(window, session, tmp_path):
    path = tmp_path / "test.disconfirm"
    with CaseFile.create(path):
        pass
    damage(path)
    assert not session.open(path)
    screen = window.current()
    assert "There is no backup of it." in screen.backup_text.text()
    assert not screen.restore_button.isEnabled()
    assert screen.focusWidget() is screen.recover_button
    assert not screen.backups_button.isVisibleTo(screen)


def test_a_recent_case_is_restored_from_the_first_page(window, session, tmp_path, qtbot):
    """Also one that was deleted."""
    path = tmp_path / "test.disconfirm"
    assert session.create(path, title="Who was it?")
    session.do(lambda bench: bench.hypotheses.add("It was the night technician."))
    session.close_case()
    path.unlink()
    start = window.current()
    start.view.setFocus()
    qtbot.keyClick(start.view, Qt.Key.Key_Down)
    start.view.setCurrentIndex(start.model.index(0, 0))
    start._show_menu(start.view.visualRect(start.model.index(0, 0)).center())
    (menu,) = start.view.findChildren(QMenu)
    assert [action.text() for action in menu.actions()] == ["Open", "Restore from a backup...", "Remove from list"]
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    dialog = dialog_of(window)
    assert dialog.case == path
    ready(dialog, qtbot)
    qtbot.keyClick(dialog.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert texts_of(session) == ["It was the night technician."]


def test_without_a_selected_case_it_is_asked_for(window, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "test.disconfirm"
    with CaseFile.create(path):
        pass
    monkeypatch.setattr(file_dialogs, "ask_case", lambda *_: path)
    command(window, "restore", qtbot)
    dialog = dialog_of(window)
    ready(dialog, qtbot)
    assert dialog.nothing.sentence.text() == "There is no backup of this case."
    dialog.reject()


def test_a_case_for_viewing_gets_none_and_can_be_copied(window, session, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "test.disconfirm"
    with CaseFile.create(path, now=lambda: datetime.now(UTC) - timedelta(days=3)) as case_file:
        case_file.hypotheses.add("It was the night technician.")
    monkeypatch.setattr(connection, "_writable", lambda _path: False)
    assert session.open(path)
    assert session.read_only
    assert not window.commands.back_up.isEnabled()
    monkeypatch.setattr(file_dialogs, "ask_copy", lambda *_: tmp_path / "copy.disconfirm")
    window.commands.save_copy.trigger()
    idle(session, qtbot)
    session.close_case()
    assert backups.copies(path) == []
    monkeypatch.undo()
    with CaseFile.open(tmp_path / "copy.disconfirm") as copy:
        assert len(copy.hypotheses.all()) == 1


def test_times_in_words():
    now = datetime.now(UTC)
    words_of_age = {
        timedelta(seconds=5): "just now",
        timedelta(minutes=1): "1 minute ago",
        timedelta(hours=3): "3 hours ago",
        timedelta(hours=30): "30 hours ago",
        timedelta(days=5): "5 days ago",
        timedelta(days=20): "2 weeks ago",
        timedelta(days=100): "3 months ago",
        timedelta(days=900): "2 years ago",
    }
    for age, words in words_of_age.items():
        assert ago((now - age).isoformat()) == words
    assert ago("no time") == ago((now + timedelta(days=1)).isoformat()) == ""
    assert spoken_time("2021-05-03T12:00:00Z").startswith("3 May 2021 at ")
    assert spoken_time("no time") == "no time"


@pytest.mark.parametrize("kind", [DiskFailed, DiskFull])
def test_where_nothing_can_be_saved_a_copy_elsewhere_is_offered(with_case, session, path, monkeypatch, kind):
    copies = []
    monkeypatch.setattr(with_case.commands.save_copy, "trigger", lambda: copies.append(1), raising=False)
    session.failed.emit(kind(path=session.workbench.path))
    assert with_case.notice.action.text() == "Save a copy elsewhere..."
    with_case.notice.action.click()
    assert copies == [1]
    session.do(lambda bench: bench.hypotheses.add("Saved again."))
    assert with_case.notice.isHidden()


def test_a_synchronised_folder_is_told_of_once(window, session, tmp_path):
    folder = tmp_path / "Dropbox"
    folder.mkdir()
    assert session.create(folder / "a.disconfirm", title="Who was it?")
    assert window.notice.sentence.text() == "Dropbox synchronises the folder of this case."
    session.close_case()
    assert session.open(folder / "a.disconfirm")
    assert window.notice.isHidden()
