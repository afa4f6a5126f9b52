"""A bug shows a report once, with places in the code and no words of a document."""

from __future__ import annotations

import sys

from core import __version__
from core.errors import CaseCorrupt
from gui_app import app
from gui_app.shell.bug_report import BugDialog, bug_report

SECRET = "the witness is called Miriam"


def failing() -> None:
    raise ValueError(SECRET)


def test_report_names_the_place_and_not_the_words():
    try:
        failing()
    except ValueError as error:
        report = bug_report(type(error), error.__traceback__)
    assert "ValueError" in report
    assert "in failing" in report
    assert __version__ in report
    assert "Miriam" not in report


def test_excepthook_opens_one_dialog_and_the_program_goes_on(styled, qtbot, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    app.install_excepthook()
    for _ in range(3):
        try:
            failing()
        except ValueError as error:
            sys.excepthook(type(error), error, error.__traceback__)
    dialogs = [widget for widget in styled.topLevelWidgets() if isinstance(widget, BugDialog)]
    visible = [dialog for dialog in dialogs if dialog.isVisible()]
    assert len(visible) == 1
    assert "Miriam" not in visible[0].text.toPlainText()
    visible[0].accept()
    assert not styled.property("bug_on_show")


def test_an_error_that_a_person_can_put_right_is_no_bug_and_is_told_once(window, styled, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    app.install_excepthook()
    errors = []
    window.session.failed.connect(errors.append)
    for _frame in range(3):
        error = CaseCorrupt(path=tmp_path / "a.disconfirm", reason="a text in it is garbled", backups=tmp_path)
        sys.excepthook(CaseCorrupt, error, None)
    assert len(errors) == 1
    assert window.notice.isVisible()
    assert "a text in it is garbled" in window.notice.sentence.text()
    assert not [widget for widget in styled.topLevelWidgets() if isinstance(widget, BugDialog) and widget.isVisible()]
    window.notice.hide()
    sys.excepthook(CaseCorrupt, error, None)
    assert window.notice.isVisible()
