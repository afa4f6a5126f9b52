"""A bug shows a report once, with places in the code and no words of a document."""

from __future__ import annotations

import sys

from core import __version__
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
    shown = [dialog for dialog in dialogs if dialog.isVisible()]
    assert len(shown) == 1
    assert "Miriam" not in shown[0].text.toPlainText()
    shown[0].accept()
    assert not styled.property("bug_on_show")
