"""A damaged case leads to a screen with three ways on, and none of them touches the file."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.errors import CaseCorrupt
from core.passphrase import Passphrase
from core.store import CaseFile, backups
from core.store.backups import Backups
from core.store.case_key import make_key
from core.store.recovery_material import Loss
from gui_app.recovery import screen as module
from gui_app.recovery.losses_model import LossesModel, loss_rows, summary
from gui_app.recovery.screen import RecoveryScreen
from gui_app.shell.ranking_panel import HypothesesPanel
from tests.core.store.damage import damaged, pages_of
from tests.core.store.material import clock, fill
from tests.gui_app.small_case import put_on_show


def words_in(widget):
    return " ".join(label.text() for label in widget.findChildren(QWidget) if hasattr(label, "text"))


def broken_case(folder, *, backup=False):
    path = folder / "a.disconfirm"
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        fill(case)
        if backup:
            Backups(case).make()
    pages = pages_of(path)
    path.write_bytes(damaged(path.read_bytes(), [1, *pages["document"]], "zero"))
    return path


@pytest.fixture
def screen(session, qtbot):
    screen = RecoveryScreen(session)
    put_on_show(qtbot, screen)
    return screen


def test_without_a_damaged_case_it_says_so(screen):
    assert "No damaged case" in words_in(screen)
    assert not any(
        action.isEnabled()
        for action in (screen.restore_action, screen.backups_action, screen.recover_action, screen.folder_action)
    )


def test_what_can_be_read_becomes_a_new_case_that_opens(screen, tmp_path, qtbot):
    path = broken_case(tmp_path)
    data = path.read_bytes()
    errors = []
    screen.session.failed.connect(errors.append)
    assert not screen.session.open(path)
    screen.show_fault(path, errors[0])
    words = words_in(screen)
    assert "It cannot be opened: its beginning was overwritten, or it never was a case." in words
    assert "There is no backup of it." in words
    assert "Restoring" not in words
    buttons = {screen.restore_action: screen.restore_button, screen.backups_action: screen.backups_button}
    for action, button in buttons.items():
        assert not action.isEnabled()
        assert not button.isVisible()
    screen.recover_action.trigger()
    qtbot.waitUntil(lambda: screen.recovery is not None, timeout=20000)
    assert screen.pages.currentIndex() == 1
    assert screen.window().focusWidget() is screen.open_button
    assert "All 3 original files" in screen.counts.text()
    assert "is sound" in screen.proof.text()
    assert path.read_bytes() == data
    screen.open_action.trigger()
    assert screen.session.workbench.path == tmp_path / "a recovered.disconfirm"
    assert [document.id for document in screen.session.workbench.documents.all()] == ["D1", "D2", "D3"]
    panel = HypothesesPanel(screen.session)
    qtbot.addWidget(panel)
    panel.refresh()
    qtbot.waitUntil(lambda: bool(panel.model.rows), timeout=5000)
    assert panel.caveat.isVisibleTo(panel)
    assert "Tester recovered this case on" in panel.caveat.accessibleDescription()
    assert not panel.caveat_sign.isVisibleTo(panel)
    panel.set_narrow(True)
    assert panel.caveat_sign.isVisibleTo(panel)
    assert panel.caveat_sign.sizeHint().width() <= panel.width()
    assert "Tester recovered this case on" in panel.caveat_sign.accessibleDescription()


def test_a_case_that_was_not_recovered_has_no_such_caveat(session, tmp_path, qtbot):
    path = tmp_path / "a.disconfirm"
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        fill(case)
    session.open(path)
    panel = HypothesesPanel(session)
    qtbot.addWidget(panel)
    panel.refresh()
    qtbot.waitUntil(lambda: bool(panel.model.rows), timeout=5000)
    assert not panel.caveat.isVisibleTo(panel)
    panel.set_narrow(True)
    assert not panel.caveat_sign.isVisibleTo(panel)


def test_what_was_lost_is_listed(screen, tmp_path, qtbot):
    path = broken_case(tmp_path)
    pages = 4096 * 40
    data = bytearray(path.read_bytes())
    data[4096 * 6 : pages] = bytes(pages - 4096 * 6)
    path.write_bytes(data)
    screen.show_fault(path, CaseCorrupt(path=path, reason="a page is not well formed", backups=""))
    screen.recover_action.trigger()
    assert not screen.recover_action.isEnabled()
    qtbot.waitUntil(lambda: screen.recovery is not None, timeout=20000)
    assert screen.losses.rows
    assert screen.outcome_title.text() == "Recovered, but not all of it"
    assert screen.table.isVisible()


def test_the_newest_good_backup_takes_its_place(screen, tmp_path, qtbot):
    path = broken_case(tmp_path, backup=True)
    errors = []
    screen.session.failed.connect(errors.append)
    assert not screen.session.open(path)
    screen.show_fault(path, errors[0])
    assert "The newest good one is from" in words_in(screen)
    assert "none of the options below changes what is in it. Restoring a backup gives it another name." in words_in(
        screen
    )
    assert screen.restore_button.isVisible()
    assert screen.backups_button.isVisible()
    data = path.read_bytes()
    restorations = []
    screen.session.restored.connect(restorations.append)
    screen.restore_action.trigger()
    qtbot.waitUntil(lambda: bool(restorations), timeout=20000)
    assert restorations[0].former.read_bytes() == data
    assert screen.session.workbench.path == path


def test_backups_that_cannot_be_used_are_listed_and_not_offered(screen, tmp_path):
    path = broken_case(tmp_path, backup=True)
    for backup in backups.unchecked(path):
        backup.path.write_bytes(b"no case")
    screen.show_fault(path, CaseCorrupt(path=path, reason="x", backups=""))
    assert "Its only backup cannot be used." in words_in(screen)
    assert not screen.restore_button.isVisible()
    assert screen.backups_button.isVisible()
    assert screen.backups_action.isEnabled()


def test_encrypted_backups_of_a_case_whose_beginning_is_lost_can_be_chosen(screen, tmp_path):
    path = tmp_path / "a.disconfirm"
    with CaseFile.create(path, who="ann", now=clock(), key=make_key(Passphrase("orchid tunnel"))) as case:
        Backups(case).make()
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    errors = []
    screen.session.failed.connect(errors.append)
    assert not screen.session.open(path)
    assert "they open with their passphrase" in errors[0].hint
    screen.show_fault(path, errors[0])
    assert "Backups of it are encrypted" in screen.backup_text.text()
    assert "gives it another name" in screen.untouched.text()
    assert not screen.restore_button.isVisible()
    assert screen.backups_button.isVisible()


def test_the_folder_is_shown(screen, tmp_path, monkeypatch):
    folders = []
    monkeypatch.setattr(module, "open_outside", lambda folder: folders.append(folder) or True)
    path = broken_case(tmp_path)
    screen.show_fault(path, CaseCorrupt(path=path, reason="x", backups=""))
    screen.folder_action.trigger()
    assert folders == [tmp_path]


def test_the_table_and_the_counts_in_words(qtmodeltester):
    model = LossesModel()
    model.show(loss_rows([Loss("page", "D1, page 2", "Its text is lost.", "memo.txt"), Loss("odd", "x", "y")]))
    qtmodeltester.check(model)
    assert model.data(model.index(0, 0)) == "Page texts"
    assert model.data(model.index(0, 1)) == "D1, page 2: memo.txt"
    aloud = model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert aloud == "Page texts, D1, page 2: memo.txt. Its text is lost."
    assert model.data(model.index(1, 0)) == "Odd"
    assert model.data(model.index(1, 1)) == "x"
    assert summary({"document": (12, 12), "page": (1, 1_200), "vector": (0, 0)}) == (
        "All 12 documents, 1 of 1,200 page texts."
    )
    assert summary({"document": (13, 16), "page": (13, 13)}) == "13 of 16 documents, 13 page texts."
    assert summary({}) == "Nothing."


def test_many_losses_of_a_kind_are_one_row(qtmodeltester):
    ratings = [Loss("rating", f"E{number}/H1/ann", "What it belongs to is lost.") for number in range(1, 6)]
    pages = [Loss("page", f"D1, page {number}", "Its text is lost.") for number in range(1, 6)]
    suggestions = [Loss("suggestion", f"E{number}/H1", "What it belongs to is lost.") for number in range(1, 4)]
    model = LossesModel()
    model.show(loss_rows([*pages, *ratings, *suggestions, Loss("rating", "E9/H1/ann", "It is as the log says.")]))
    qtmodeltester.check(model)
    places = [model.data(model.index(row, 1)) for row in range(model.rowCount())]
    assert places[:5] == [loss.where for loss in pages]
    assert places[5] == "5: E1/H1/ann, E2/H1/ann, E3/H1/ann, …"
    assert places[6:] == ["E1/H1", "E2/H1", "E3/H1", "E9/H1/ann"]
    tip = model.data(model.index(5, 1), Qt.ItemDataRole.ToolTipRole)
    assert tip == ", ".join(loss.where for loss in ratings)


def test_a_file_with_nothing_in_it_is_not_offered_to_be_saved(screen, tmp_path, qtbot):
    path = tmp_path / "a.disconfirm"
    path.write_bytes(b"")
    errors = []
    screen.session.failed.connect(errors.append)
    assert not screen.session.open(path)
    screen.show_fault(path, errors[0])
    assert screen.title.text() == "This file is empty"
    assert not screen.recover_button.isVisible()
    assert not screen.recover_action.isEnabled()
    path.write_text("A text that was renamed.")
    assert not screen.session.open(path)
    screen.show_fault(path, errors[1])
    assert screen.title.text() == "This file cannot be read as a case"
    screen.recover_action.trigger()
    qtbot.waitUntil(lambda: len(errors) == 3, timeout=20000)
    assert "there is no backup of it" in errors[2].hint
    screen.show_fault(path, errors[2])
    assert not screen.recover_button.isVisible()
    assert [file.name for file in tmp_path.iterdir()] == ["a.disconfirm"]


def test_the_next_damaged_case_has_the_keys_on_its_first_way_on(screen, tmp_path):
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    error = CaseCorrupt(path=tmp_path, reason="x", backups="")
    screen.show_fault(broken_case(tmp_path / "first"), error)
    screen.folder_button.setFocus()
    screen.show_fault(broken_case(tmp_path / "second"), error)
    assert screen.window().focusWidget() is screen.recover_button
