"""The accuracy of a case from the window around it: the way there, the way on to the matrix, and the glossary."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gui_app.accuracy.screen import AccuracyScreen
from gui_app.shared import file_dialogs
from gui_app.shell.window import MainWindow

TERMS = "The Joint Task Group (JTG) met at night. A dosing pump is a pump that adds a measured amount of a fluid.\n"


def entry(window: MainWindow, text: str):
    return next(command for command in window.commands.entries() if command.title.startswith(text))


def test_the_palette_leads_there(with_case: MainWindow):
    entry(with_case, "Go to Accuracy: how far").run()
    assert isinstance(with_case.current(), AccuracyScreen)


def test_a_quote_leads_to_its_cell_in_the_matrix(with_case: MainWindow, session, qtbot):
    bench = session.workbench
    document = bench.documents.all()[0]
    text = bench.documents.page(document.id, 1).text
    end = text.index(".") + 1
    session.do(lambda bench: bench.evidence.add_quote(document.id, 1, 0, end))
    session.do(lambda bench: bench.evidence.rate("E1", "H2", "I"))
    with_case.go("Accuracy")
    screen = with_case.current()
    qtbot.waitUntil(lambda: bool(screen.figures.rows))
    qtbot.keyClick(screen.table, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: screen.quotes.hasFocus())
    qtbot.keyClick(screen.quotes, Qt.Key.Key_O)
    matrix = with_case.current()
    assert matrix.name == "Matrix"
    qtbot.waitUntil(lambda: matrix.state()[:2] == ("E1", "H2"))


@pytest.mark.parametrize("ending", [".md", ".html", ".csv", ".txt"])
def test_the_glossary_is_written_in_the_form_of_its_ending(with_case, session, qtbot, tmp_path, monkeypatch, ending):
    source = tmp_path / "terms.txt"
    source.write_text(TERMS, "utf-8")
    session.do(lambda bench: bench.documents.add([source]))
    target = tmp_path / f"terms-out{ending}"
    monkeypatch.setattr(file_dialogs, "ask_target", lambda *_: target)
    entry(with_case, "Export the glossary").run()
    qtbot.waitUntil(target.exists)
    assert "Joint Task Group" in target.read_text("utf-8-sig")


def test_no_glossary_is_offered_without_a_case(window: MainWindow):
    assert not window.commands.export_glossary.isEnabled()
