"""A matrix made elsewhere comes in through the window: from the menu, by a drop, one of several, or not at all."""

from __future__ import annotations

import pytest

from core.errors import SeveralMatrices
from core.ports import FileCell, FileHypothesis, FileRow, MatrixFile
from gui_app.shared import file_dialogs
from gui_app.shell.window import MainWindow

TABLE = b"evidence,The pump was worn,Somebody broke in\nThe lock was whole,N,II\nNobody came,perhaps,C\n"


@pytest.fixture
def window(case, qtbot):
    window = MainWindow(case)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    window.go("Matrix")
    yield window
    window.close()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "workshop.csv"
    path.write_bytes(TABLE)
    return path


def bring_in(window, qtbot, path):
    window.intake.import_matrix(path)
    qtbot.waitUntil(lambda: window.matrix_report.isVisible() or window.notice.isVisible())


def test_what_came_in_and_what_did_not_stands_above_the_matrix(window, qtbot, table):
    bring_in(window, qtbot, table)
    report = window.matrix_report
    assert window.current().name == "Matrix"
    assert "2 hypotheses" in report.sentence.text()
    assert "3 ratings, 1 cell left unrated" in report.sentence.text()
    assert "“perhaps” is not a rating" in report.problems.text()
    assert "(1)" in report.problems_title.text()
    assert not report.left_out.isVisible()
    assert not window.notice.isVisible()
    assert len(window.session.workbench.evidence.all()) == 2


def test_one_button_takes_it_back(window, qtbot, table):
    bring_in(window, qtbot, table)
    window.matrix_report.undo_button.click()
    assert window.session.workbench.evidence.all() == []
    assert window.session.workbench.hypotheses.all() == []
    assert not window.matrix_report.isVisible()


def test_the_button_never_undoes_anything_else(window, qtbot, table):
    bring_in(window, qtbot, table)
    window.session.do(lambda bench: bench.hypotheses.add("It rained."))
    assert not window.matrix_report.undo_button.isVisible()
    window.session.undo()
    assert window.matrix_report.undo_button.isVisible()
    window.session.undo()
    assert not window.matrix_report.isVisible()


def test_a_command_asks_for_the_file(window, qtbot, table, monkeypatch):
    monkeypatch.setattr(file_dialogs, "ask_matrix", lambda *_: table)
    assert any(entry.title == "Import a matrix..." for entry in window.commands.entries())
    window.commands.import_matrix.trigger()
    qtbot.waitUntil(lambda: window.matrix_report.isVisible())
    monkeypatch.setattr(file_dialogs, "ask_matrix", lambda *_: None)
    window.commands.import_matrix.trigger()
    assert len(window.session.workbench.evidence.all()) == 2


def test_a_table_dropped_on_the_matrix_comes_in_and_elsewhere_is_a_document(window, qtbot, table):
    window.intake.take([table])
    qtbot.waitUntil(lambda: window.matrix_report.isVisible())
    assert window.session.workbench.documents.all() == []
    window.go("Documents")
    window.intake.take([table])
    qtbot.waitUntil(lambda: len(window.session.workbench.documents.all()) == 1)
    assert len(window.session.workbench.evidence.all()) == 2


def test_a_file_of_another_matrix_program_is_no_document_anywhere(window):
    assert window.intake.is_matrix(file_dialogs.Path("old.achz"))
    window.go("Documents")
    assert window.intake.is_matrix(file_dialogs.Path("old.ACHZ"))
    assert not window.intake.is_matrix(file_dialogs.Path("table.csv"))


def test_a_broken_file_is_told_above_and_changes_nothing(window, qtbot, tmp_path):
    path = tmp_path / "broken.achz"
    path.write_bytes(b"not a table at all")
    bring_in(window, qtbot, path)
    assert window.notice.isVisible()
    assert window.notice.sentence.text()
    assert window.notice.hint.text()
    assert not window.matrix_report.isVisible()
    assert window.session.workbench.hypotheses.all() == []


def test_one_of_several_is_asked_for(window, qtbot, table):
    choices = []

    def read_matrix(_data, name, *, choose=""):
        choices.append(choose)
        if not choose:
            raise SeveralMatrices(name=name, count=2, names="may, june", choices="may\tIn May\njune\tIn June")
        return MatrixFile(choose, "test", (FileHypothesis("a"),), (FileRow("x", (FileCell("C"),)),))

    window.session.engines.reader.read_matrix = read_matrix
    bring_in(window, qtbot, table)
    report = window.matrix_report
    assert "2 matrices" in report.sentence.text()
    assert [report.matrices.itemText(n) for n in range(report.matrices.count())] == ["may: In May", "june: In June"]
    assert not report.undo_button.isVisible()
    assert not window.notice.isVisible()
    report.matrices.setCurrentIndex(1)
    report.take_button.click()
    qtbot.waitUntil(lambda: len(window.session.workbench.evidence.all()) == 1)
    assert choices == ["", "june"]
    qtbot.waitUntil(lambda: "“june” was imported" in report.sentence.text())
    assert report.undo_button.isVisible()


def test_many_remarks_scroll(window, qtbot, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_bytes(b"evidence,a,b\n" + b"x,odd,odd\n" * 60)
    bring_in(window, qtbot, path)
    report = window.matrix_report
    assert report.problems.text().count("\n") == 119
    assert report.lines.height() < report.lines.widget().height()
    qtbot.waitUntil(lambda: report.height() < window.height() // 2)


def test_another_case_has_another_report(window, qtbot, table, tmp_path):
    bring_in(window, qtbot, table)
    assert window.session.create(tmp_path / "other.disconfirm", title="Other")
    assert not window.matrix_report.isVisible()
    window.session.close_case()
    assert not window.commands.import_matrix.isEnabled()
