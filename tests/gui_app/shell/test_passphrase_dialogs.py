"""Encrypted cases in the window: made, opened, given a passphrase and rid of it, with real keys."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit
from shiboken6 import isValid

from core import paths
from core.errors import DiskFull
from core.passphrase import Passphrase
from core.store import CaseFile, backups, encryption, replacement
from gui_app.matrix.group_panel import GroupPanel
from gui_app.shell.backups_dialog import BackupsDialog
from gui_app.shell.passphrase_dialog import PassphraseDialog
from gui_app.shell.unlock_dialog import UnlockDialog

WORDS = "orchid tunnel seven gravel"
PAGE = 4096  # bytes of a page of the file
LATER = "another few words here"


@pytest.fixture
def secret_path(tmp_path):
    """An encrypted case that nobody has open."""
    path = tmp_path / "secret.disconfirm"
    with CaseFile.create(path, title="The zebra affair", key=encryption.make_key(Passphrase(WORDS))) as case:
        case.hypotheses.add("The zebra did it")
    return path


def idle(session, qtbot) -> None:
    qtbot.waitUntil(lambda: not session.tasks.busy())


def dialog_of(window, kind):
    dialogs = [dialog for dialog in window.findChildren(kind) if dialog.isVisible()]
    assert len(dialogs) == 1
    return dialogs[0]


def type_passphrase(window, qtbot, words: str) -> UnlockDialog:
    """Type into the field that asks, and press Enter."""
    dialog = dialog_of(window, UnlockDialog)
    dialog.field.clear()
    qtbot.keyClicks(dialog.field, words)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    return dialog


def command(window, words: str, qtbot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(window.palette_popup.field, words)
    qtbot.keyClick(window.palette_popup.field, Qt.Key.Key_Return)


def choose_new(dialog, qtbot, words: str, *, present: str = "") -> None:
    qtbot.keyClicks(dialog.present, present)
    qtbot.keyClicks(dialog.fields.first, words)
    qtbot.keyClicks(dialog.fields.second, words)
    qtbot.keyClick(dialog.fields.second, Qt.Key.Key_Return)


def wait_for_change(dialog, session, qtbot) -> None:
    """Wait until a dialog has closed and the case is open again with what was chosen in it."""
    qtbot.waitUntil(lambda: not isValid(dialog) or not dialog.isVisible(), timeout=20000)
    qtbot.waitUntil(lambda: session.workbench is not None and not session.tasks.busy(), timeout=20000)


# --- opening ---------------------------------------------------------------------------------------------------------


def test_a_wrong_passphrase_is_told_in_place_and_the_right_one_opens(window, session, secret_path, qtbot):
    content = secret_path.read_bytes()
    assert not session.open(secret_path)
    dialog = type_passphrase(window, qtbot, "not it")
    qtbot.waitUntil(lambda: "not its passphrase" in dialog.state.text())
    assert session.workbench is None
    assert secret_path.read_bytes() == content
    assert dialog.field.selectedText() == "not it"
    qtbot.keyClicks(dialog.field, WORDS)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert session.workbench.case.title() == "The zebra affair"
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None and QApplication.focusWidget().window() is window)
    command(window, "passphrase of the case", qtbot)
    assert dialog_of(window, PassphraseDialog).none.isVisible()


def test_what_can_be_read_of_a_damaged_case_asks_for_its_passphrase_once(window, session, secret_path, qtbot):
    pages = secret_path.stat().st_size // PAGE
    secret_path.write_bytes(secret_path.read_bytes()[: PAGE * (pages - 1)])
    session.open(secret_path)
    type_passphrase(window, qtbot, WORDS)
    qtbot.waitUntil(lambda: window.current() is not None and window.current().name == "Recovery")
    page = window.current()
    page.recover_action.trigger()
    qtbot.waitUntil(lambda: page.recovery is not None, timeout=20000)
    assert not [dialog for dialog in window.findChildren(UnlockDialog) if dialog.isVisible()]
    page.open_action.trigger()
    assert session.workbench.path.name == "secret recovered.disconfirm"
    session.close_case()
    questions = []
    session.passphrase_asked.connect(lambda *_: questions.append(True))
    session.with_key(secret_path, lambda _key: None)
    assert questions  # once another case is open, nothing of it is at hand any more


def test_the_backups_are_one_press_away_where_they_are_advised(window, session, secret_path, qtbot):
    session.open(secret_path)
    dialog = dialog_of(window, UnlockDialog)
    assert not dialog.backups_button.isVisible()
    type_passphrase(window, qtbot, "not it")
    qtbot.waitUntil(lambda: "use a backup" in dialog.state.text())
    qtbot.mouseClick(dialog.backups_button, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
    assert dialog_of(window, BackupsDialog).isVisible()


def test_thinking_better_of_it_leaves_all_as_it_was(window, session, secret_path, qtbot):
    session.open(secret_path)
    dialog = dialog_of(window, UnlockDialog)
    assert not dialog.open_button.isEnabled()
    qtbot.keyClicks(dialog.field, WORDS)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.field.text() == ""
    assert session.workbench is None


def test_what_is_typed_is_hidden_until_it_is_to_be_seen(window, session, secret_path, qtbot):
    session.open(secret_path)
    field = dialog_of(window, UnlockDialog).field
    assert field.echoMode() == QLineEdit.EchoMode.Password
    field.shown_action.trigger()
    assert field.echoMode() == QLineEdit.EchoMode.Normal
    assert field.shown_action.toolTip() == "Hide the passphrase"


def drop(window, path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))


def test_every_way_into_a_case_asks(window, session, secret_path, qtbot):
    """The list of recent cases, the palette, a drop; the double click of a file manager is a path as the last."""
    session.open(secret_path)
    type_passphrase(window, qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None)
    session.close_case()
    start = window.screen_named("Start")
    start.view.setCurrentIndex(start.model.index(0, 0))
    ways = (
        lambda: start._open_recent(start.view.currentIndex()),
        lambda: next(entry for entry in window.commands.entries() if entry.title == "Open secret").run(),
        lambda: drop(window, secret_path),
    )
    for way in ways:
        way()
        qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in window.findChildren(UnlockDialog)))
        type_passphrase(window, qtbot, WORDS)
        qtbot.waitUntil(lambda: session.workbench is not None)
        session.close_case()


def test_the_list_of_recent_cases_has_no_title_of_it(window, session, secret_path, qtbot):
    session.open(secret_path)
    type_passphrase(window, qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None)
    (recent,) = json.loads((paths.user_data() / "recent.json").read_text("utf-8"))
    assert recent["title"] == "secret"
    session.close_case()
    for file in (file for file in paths.user_data().rglob("*") if file.is_file()):
        data = file.read_bytes()
        assert b"zebra" not in data
        assert WORDS.encode() not in data


# --- making ----------------------------------------------------------------------------------------------------------


def new_encrypted_case(window, folder, qtbot):
    """The start screen with the form of a new case, titled and to be encrypted."""
    start = window.screen_named("Start")
    start.begin_new_case()
    start._folder = folder
    qtbot.keyClicks(start.title_field, "Pump")
    start.encrypt_box.setChecked(True)
    return start


def test_a_new_case_is_encrypted_from_the_start(window, session, tmp_path, qtbot, monkeypatch):
    start = new_encrypted_case(window, tmp_path, qtbot)
    assert not start.create_button.isEnabled()
    qtbot.keyClicks(start.passphrase.first, WORDS)
    assert not start.create_button.isEnabled()
    assert "type the same again" in start.passphrase.state.text()
    qtbot.keyClicks(start.passphrase.second, WORDS)
    assert start.create_button.isEnabled()
    start.create_button.click()
    assert session.workbench.case.key is not None
    assert encryption.is_encrypted(session.workbench.path) is False  # it is open here, so it is not looked into
    session.close_case()
    assert encryption.is_encrypted(tmp_path / "Pump.disconfirm")
    assert start.passphrase.first.text() == start.passphrase.second.text() == ""


def test_the_palette_opens_at_the_first_press_in_a_new_encrypted_case(window, session, tmp_path, qtbot):
    start = new_encrypted_case(window, tmp_path, qtbot)
    qtbot.keyClicks(start.passphrase.first, WORDS)
    qtbot.keyClicks(start.passphrase.second, WORDS)
    qtbot.keyClick(start.passphrase.second, Qt.Key.Key_Return)
    assert session.workbench is not None
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert window.palette_popup.isVisible()
    assert QApplication.focusWidget() is window.palette_popup.field


def test_the_steps_of_a_first_case_make_room_for_its_form(window, qtbot):
    start = window.screen_named("Start")
    start.refresh()
    assert not start._steps.isHidden()
    start.begin_new_case()
    assert start._steps.isHidden()
    start.title_field.setText("Who did it?")
    start.encrypt_box.setChecked(True)
    qtbot.keyClicks(start.passphrase.first, "half a passphrase")
    qtbot.keyClick(start.passphrase.first, Qt.Key.Key_Escape)
    assert not start._steps.isHidden()
    assert start.form.isHidden()
    start.begin_new_case()
    assert (start.title_field.text(), start.passphrase.first.text()) == ("Who did it?", "")


@pytest.mark.parametrize("words", ["", "  ", "one"])
def test_no_case_is_made_with_half_a_passphrase(window, session, tmp_path, qtbot, words):
    start = new_encrypted_case(window, tmp_path, qtbot)
    qtbot.keyClicks(start.passphrase.first, words)
    qtbot.keyClick(start.title_field, Qt.Key.Key_Return)
    assert session.workbench is None
    assert not list(tmp_path.glob("*.disconfirm"))


# --- setting, changing, removing -------------------------------------------------------------------------------------


@pytest.fixture
def open_path(with_case, session):
    """A case without a passphrase that is open, with a backup of now."""
    session.backups.make()
    return session.workbench.path


def test_a_case_is_given_a_passphrase_with_its_backups(window, session, open_path, qtbot):
    idle(session, qtbot)
    texts = [hypothesis.text for hypothesis in session.workbench.hypotheses.all()]
    command(window, "passphrase of the case", qtbot)
    dialog = dialog_of(window, PassphraseDialog)
    assert not dialog.do_button.isEnabled()
    assert "nobody can recover it" in " ".join(label.text() for label in dialog.findChildren(type(dialog.effect)))
    assert dialog.encrypt.isChecked()
    assert dialog.encrypt.text() == "Encrypt it with the new passphrase too"
    choose_new(dialog, qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None and not session.tasks.busy())
    assert session.workbench.case.key is not None
    assert [hypothesis.text for hypothesis in session.workbench.hypotheses.all()] == texts
    assert "The case is encrypted." in window.notice.sentence.text()
    idle(session, qtbot)  # the backup of the encrypted case
    assert {backup.is_sound for backup in backups.copies(open_path, key=session.workbench.case.key)} == {True}
    session.close_case()
    assert encryption.is_encrypted(open_path)
    assert encryption.unlock(open_path, Passphrase(WORDS)) is not None


def test_backups_that_are_left_in_clear_are_told(window, session, open_path, qtbot):
    idle(session, qtbot)
    window.commands.passphrase.trigger()
    dialog = dialog_of(window, PassphraseDialog)
    dialog.keep.setChecked(True)
    choose_new(dialog, qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None and not session.tasks.busy())
    assert "1 older backup does not have its passphrase" in window.notice.hint.text()


def test_a_passphrase_is_changed_and_removed(window, session, open_path, qtbot):
    idle(session, qtbot)
    for present, words in (("", WORDS), (WORDS, LATER)):
        window.commands.passphrase.trigger()
        dialog = dialog_of(window, PassphraseDialog)
        choose_new(dialog, qtbot, words, present=present)
        wait_for_change(dialog, session, qtbot)
    key = session.workbench.case.key
    window.commands.passphrase.trigger()
    dialog = dialog_of(window, PassphraseDialog)
    dialog.none.setChecked(True)
    assert dialog.do_button.text() == "Remove the passphrase"
    assert not dialog.do_button.isEnabled()
    qtbot.keyClicks(dialog.present, LATER)
    dialog.do_button.click()
    wait_for_change(dialog, session, qtbot)
    assert session.workbench.case.key is None
    assert "no longer has a passphrase" in window.notice.sentence.text()
    assert "stay encrypted" in window.notice.hint.text()
    idle(session, qtbot)  # the backup after the change
    assert any(backup.is_sound for backup in backups.copies(open_path, key=key))
    assert backups.copies(open_path)[0].is_sound


@pytest.mark.parametrize("removing", [False, True])
def test_who_does_not_know_the_present_passphrase_changes_nothing(window, session, secret_path, qtbot, removing):
    session.open(secret_path)
    type_passphrase(window, qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None)
    bench, key = session.workbench, session.workbench.case.key
    content = secret_path.read_bytes()
    window.commands.passphrase.trigger()
    dialog = dialog_of(window, PassphraseDialog)
    assert dialog.focusWidget() is dialog.present
    if removing:
        dialog.none.setChecked(True)
        qtbot.keyClicks(dialog.present, "not it")
        qtbot.keyClick(dialog.present, Qt.Key.Key_Return)
    else:
        choose_new(dialog, qtbot, LATER, present="not it")
    assert not dialog.do_button.isEnabled()  # while it is checked
    qtbot.waitUntil(lambda: "not its current passphrase" in dialog.state.text())
    assert dialog.isVisible()
    assert dialog.focusWidget() is dialog.present
    assert dialog.present.selectedText() == "not it"
    assert dialog.do_button.isEnabled()
    assert session.workbench is bench
    assert (bench.case.key, secret_path.read_bytes()) == (key, content)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.present.text() == ""


def test_a_case_without_a_passphrase_asks_for_none(window, session, open_path, qtbot):
    idle(session, qtbot)
    window.commands.passphrase.trigger()
    dialog = dialog_of(window, PassphraseDialog)
    assert not dialog.present.isVisible()
    assert not dialog.none.isVisible()


def test_a_change_that_fails_leaves_the_case_open_as_it_was(window, session, open_path, qtbot, monkeypatch):
    def refuse(place):
        raise OSError(28, "No space left")

    idle(session, qtbot)
    monkeypatch.setattr(replacement, "put_in_place", refuse)
    window.commands.passphrase.trigger()
    choose_new(dialog_of(window, PassphraseDialog), qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None and not session.tasks.busy())
    assert session.workbench.case.key is None
    assert isinstance(window.notice.error, DiskFull)


def test_closing_the_dialog_changes_nothing_and_forgets_what_was_typed(window, session, open_path, qtbot):
    idle(session, qtbot)
    window.commands.passphrase.trigger()
    dialog = dialog_of(window, PassphraseDialog)
    qtbot.keyClicks(dialog.fields.first, WORDS)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.fields.first.text() == ""
    assert session.workbench.case.key is None


# --- backups and merging ---------------------------------------------------------------------------------------------


def test_a_backup_of_a_closed_case_is_restored_with_its_passphrase(window, session, secret_path, qtbot):
    key = encryption.unlock(secret_path, Passphrase(WORDS))
    with CaseFile.open(secret_path, key=key) as case:
        backups.Backups(case).make()
        case.hypotheses.add("A second one")
    window.commands.show_backups(secret_path)
    dialog = dialog_of(window, BackupsDialog)
    qtbot.waitUntil(lambda: dialog.rows.is_checked)
    assert dialog.rows.state(dialog.chosen()) == "needs its passphrase"
    dialog.restore_button.click()
    asking = dialog_of(window, UnlockDialog)
    assert "This backup is encrypted" in [label.text() for label in asking.findChildren(QLabel)]
    assert asking.state.text().startswith("It opens with the passphrase that the case had")
    qtbot.keyClicks(asking.field, "wrong")
    qtbot.keyClick(asking.field, Qt.Key.Key_Return)
    qtbot.waitUntil(asking.field.isEnabled)
    assert asking.state.text().startswith("This is not its passphrase")
    assert not asking.backups_button.isVisible()  # where it was chosen, and which would list backups of a backup
    type_passphrase(window, qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert [hypothesis.text for hypothesis in session.workbench.hypotheses.all()] == ["The zebra did it"]
    qtbot.waitUntil(lambda: "The case has the passphrase of that backup." in window.notice.hint.text())


def test_a_backup_of_the_open_case_needs_no_second_asking(window, session, secret_path, qtbot):
    session.open(secret_path)
    type_passphrase(window, qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None)
    session.backups.make()
    idle(session, qtbot)
    session.do(lambda bench: bench.hypotheses.add("A second one"))
    window.commands.show_backups()
    dialog = dialog_of(window, BackupsDialog)
    qtbot.waitUntil(lambda: dialog.rows.is_checked)
    assert dialog.rows.state(dialog.chosen()) == "checked"
    with qtbot.waitSignal(session.restored):
        dialog.restore_button.click()
    assert len(session.workbench.hypotheses.all()) == 1


def test_a_backup_opens_as_a_case_of_its_own(window, session, secret_path, qtbot):
    key = encryption.unlock(secret_path, Passphrase(WORDS))
    with CaseFile.open(secret_path, key=key) as case:
        backup = backups.Backups(case).make()
    session.backups.open_copy(secret_path, backup)
    type_passphrase(window, qtbot, WORDS)
    qtbot.waitUntil(lambda: session.workbench is not None)
    assert "backup of" in session.workbench.path.name


def test_merging_an_encrypted_copy_asks_for_its_passphrase(window, session, open_path, secret_path, qtbot):
    idle(session, qtbot)
    window.go("Matrix")
    (group,) = window.screen_named("Matrix").findChildren(GroupPanel) or [None]
    group.merge(secret_path)
    type_passphrase(window, qtbot, WORDS)
    qtbot.waitUntil(lambda: any("zebra" in hypothesis.text for hypothesis in session.workbench.hypotheses.all()))
    assert session.workbench.case.key is None


def test_what_is_written_from_an_encrypted_case_is_told_to_be_in_clear(session, with_case, secret_path):
    assert session.in_clear == ""
    session.open(secret_path, encryption.unlock(secret_path, Passphrase(WORDS)))
    assert "not encrypted" in session.in_clear


def test_caps_lock_is_told_of_and_a_wrong_passphrase_no_longer_once_another_is_typed(
    window, session, secret_path, qtbot
):
    session.open(secret_path)
    dialog = dialog_of(window, UnlockDialog)
    field = dialog.field

    def key(sign: str, keys=Qt.KeyboardModifier.NoModifier) -> None:
        QApplication.sendEvent(field, QKeyEvent(QEvent.Type.KeyPress, ord(sign.upper()), keys, sign))

    key("O")
    assert dialog.state.text() == "Caps Lock is on."
    key("7")
    assert dialog.state.text() == "Caps Lock is on."
    key("r")
    assert dialog.state.text() == ""
    key("C", Qt.KeyboardModifier.ShiftModifier)
    assert dialog.state.text() == ""
    key("h", Qt.KeyboardModifier.ShiftModifier)
    assert dialog.state.text() == "Caps Lock is on."
    qtbot.keyClick(field, Qt.Key.Key_CapsLock)
    assert dialog.state.text() == ""
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "not its passphrase" in dialog.state.text())
    key("o")
    assert dialog.state.text() == ""


def test_a_new_passphrase_is_entered_with_the_keys_and_two_that_differ_are_told(window, session, qtbot, tmp_path):
    start = window.screen_named("Start")
    start.begin_new_case()
    start._folder = tmp_path
    start.title_field.setText("Pump")
    start.encrypt_box.setChecked(True)
    fields = start.passphrase
    qtbot.keyClicks(fields.first, WORDS)
    qtbot.keyClick(fields.first, Qt.Key.Key_Return)
    assert start.window().focusWidget() is fields.second
    qtbot.keyClicks(fields.second, WORDS[:4])
    assert "Now type the same again." in fields.state.text()
    qtbot.keyClicks(fields.second, "x")
    assert "not the same" in fields.state.text()
    qtbot.keyClick(fields.second, Qt.Key.Key_Return)
    assert session.workbench is None
    fields.second.clear()
    qtbot.keyClicks(fields.second, WORDS)
    qtbot.keyClick(fields.second, Qt.Key.Key_Return)
    assert session.workbench.case.key is not None
    row = start.model.index(0, 0)
    assert "encrypted" in row.data(Qt.ItemDataRole.AccessibleTextRole)
    session.close_case()
    session.create(tmp_path / "clear.disconfirm", title="Clear")
    assert "encrypted" not in start.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
