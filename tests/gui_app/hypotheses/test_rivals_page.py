"""The list of rival hypotheses, by keys in the real window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication


def test_the_arrow_goes_from_the_field_to_the_hypotheses_below_it(with_case, qtbot):
    with_case.go("Hypotheses")
    page = with_case.screen_named("Hypotheses").rivals
    page.field.setFocus()
    qtbot.waitUntil(lambda: len(page.model.rows) == 2)
    qtbot.keyClick(page.field, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is page.table
    assert page.table.currentIndex().row() == 0
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    assert page.table.currentIndex().row() == 1


def test_at_most_one_hypothesis_can_be_true(with_case, qtbot):
    with_case.go("Hypotheses")
    page = with_case.screen_named("Hypotheses").rivals
    qtbot.waitUntil(lambda: len(page.model.rows) == 2)
    bench = with_case.session.workbench
    assert (page.exclusive_box.isVisible(), page.exclusive_box.isChecked()) == (True, False)
    page.exclusive_box.setFocus()
    qtbot.keyClick(page.exclusive_box, Qt.Key.Key_Space)
    assert bench.hypotheses.exclusive() == ("H1", "H2")
    with_case.session.undo()
    qtbot.waitUntil(lambda: not page.exclusive_box.isChecked())
    assert bench.hypotheses.exclusive() == ()


def test_the_palette_says_which_hypotheses_exclude_each_other(with_case, qtbot):
    bench, popup = with_case.session.workbench, with_case.palette_popup
    for title, exclusive in (
        ("At most one hypothesis can be true", ("H1", "H2")),
        ("Several hypotheses can be true", ()),
    ):
        with_case.go("Matrix")
        with_case.commands.open_palette()
        qtbot.keyClicks(popup.field, "mutually exclusive")
        assert popup.model.rows[0].title == title
        qtbot.keyClick(popup.field, Qt.Key.Key_Return)
        assert with_case.current().name == "Hypotheses"
        assert bench.hypotheses.exclusive() == exclusive
