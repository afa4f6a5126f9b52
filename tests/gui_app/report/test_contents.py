"""The sections of a report beside its preview, and what people put into it, by real keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt

from core.report_settings import ReportSettings
from gui_app.report.screen import NARROW, ReportScreen
from tests.gui_app.small_case import open_session, put_on_show

Key = Qt.Key


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as session:
        bench = session.workbench
        bench.review.accept([bench.verdicts.proposals()[0].id])
        bench.evidence.rate("E1", "H1", "I")
        yield session


@pytest.fixture
def screen(qtbot, session):
    screen = ReportScreen(session)
    put_on_show(qtbot, screen)
    screen.resize(NARROW + 200, 700)
    qtbot.waitUntil(lambda: screen.preview.toPlainText() != "" and screen.contents.isVisible())
    return screen


def text(screen) -> str:
    return " ".join(screen.preview.toPlainText().split())


def row_of(screen, section: str) -> int:
    items = [screen.outline.item(row) for row in range(screen.outline.count())]
    return next(row for row, item in enumerate(items) if item.data(Qt.ItemDataRole.UserRole) == section)


def test_a_section_is_left_out_by_the_space_bar_and_comes_back_by_undo(qtbot, screen, session):
    assert "How to check this report" in text(screen)
    screen.outline.setFocus()
    screen.outline.setCurrentRow(row_of(screen, "check"))
    qtbot.keyClick(screen.outline, Key.Key_Space)
    qtbot.waitUntil(lambda: "Left out of this report: “How to check this report”." in text(screen))
    assert session.workbench.case.settings().report.omissions == ("check",)
    assert screen.outline.currentRow() == row_of(screen, "check")  # where the person was
    assert screen.outline.item(row_of(screen, "check")).checkState() == Qt.CheckState.Unchecked
    session.undo()
    qtbot.waitUntil(lambda: "Left out of this report" not in text(screen))
    assert screen.outline.item(row_of(screen, "check")).checkState() == Qt.CheckState.Checked


def test_the_titles_of_the_sections_are_whole(screen):
    around = QRect(0, 0, screen.outline.viewport().width() - 40, 1000)
    metrics = screen.outline.fontMetrics()
    rows = [screen.outline.item(row) for row in range(screen.outline.count())]
    lines = [metrics.boundingRect(around, Qt.TextFlag.TextWordWrap, item.text()).height() for item in rows]
    assert max(lines) > metrics.height()  # one of them takes two
    assert all(high <= item.sizeHint().height() for high, item in zip(lines, rows, strict=True))
    assert screen.outline.wordWrap()


def test_what_to_know_before_relying_on_it_cannot_be_left_out(qtbot, screen, session):
    screen.outline.setFocus()
    screen.outline.setCurrentRow(row_of(screen, "bottom-line"))
    qtbot.keyClick(screen.outline, Key.Key_Space)
    assert screen.outline.item(0).checkState() == Qt.CheckState.Checked
    assert session.workbench.case.settings().report == ReportSettings()
    assert "Before you rely on it" in text(screen)


def test_summary_author_and_marking_are_kept_when_a_field_is_left(qtbot, screen, session):
    screen.contents.summary.setFocus()
    qtbot.keyClicks(screen.contents.summary, "Somebody used the badge.")
    qtbot.keyClick(screen.contents.summary, Key.Key_Tab)
    qtbot.waitUntil(lambda: "Written by" in text(screen))
    assert screen.contents.author.hasFocus()
    qtbot.keyClicks(screen.contents.author, "Ann")
    qtbot.keyClick(screen.contents.author, Key.Key_Tab)
    qtbot.keyClicks(screen.contents.marking, "SECRET")
    qtbot.keyClick(screen.contents.marking, Key.Key_Return)
    qtbot.waitUntil(lambda: text(screen).count("SECRET") == 2)
    report = session.workbench.case.settings().report
    assert (report.summary, report.author, report.marking) == ("Somebody used the badge.", "Ann", "SECRET")
    assert "By Ann ·" in text(screen)
    position = session.workbench.case.position()
    screen.contents.summary.editingFinished.emit()  # left again without a change
    assert session.workbench.case.position() == position


def test_the_short_form_is_shown_and_written(qtbot, screen, session, tmp_path, monkeypatch):
    assert "What is not rated" in text(screen)
    qtbot.keyClick(screen.short_box, Key.Key_Space)
    qtbot.waitUntil(lambda: "This is the short form." in text(screen))
    assert "What is not rated" not in text(screen)
    target = tmp_path / "brief.md"
    monkeypatch.setattr(screen, "ask_path", lambda _proposed, _form: target)
    with qtbot.waitSignal(session.status):
        screen.export(".md")
    assert "This is the short form." in Path(target).read_text("utf-8")
    session.do(lambda bench: bench.case.change_settings(report=ReportSettings(omissions=("gaps",))))
    qtbot.keyClick(screen.short_box, Key.Key_Space)
    qtbot.waitUntil(lambda: "Left out of this report: “What is not rated”." in text(screen))


def test_a_section_that_the_short_form_has_not_stays_left_out(qtbot, screen, session):
    session.do(lambda bench: bench.case.change_settings(report=ReportSettings(omissions=("gaps",))))
    qtbot.keyClick(screen.short_box, Key.Key_Space)
    qtbot.waitUntil(lambda: "This is the short form." in text(screen))
    screen.outline.setCurrentRow(row_of(screen, "check"))
    qtbot.keyClick(screen.outline, Key.Key_Space)
    assert session.workbench.case.settings().report.omissions == ("check", "gaps")


def test_an_earlier_moment_is_looked_at_and_not_changed(qtbot, screen, session):
    screen.show_as_of(str(session.workbench.case.position()))
    qtbot.waitUntil(lambda: not screen.contents.is_writable)
    assert screen.contents.author.isReadOnly()
    screen.outline.setCurrentRow(row_of(screen, "check"))
    qtbot.keyClick(screen.outline, Key.Key_Space)
    assert session.workbench.case.settings().report == ReportSettings()


def test_without_much_room_the_contents_come_when_asked_for(qtbot, screen):
    screen.resize(NARROW - 100, 500)
    assert not screen.contents.isVisible()
    assert screen.contents_button.isVisible()
    screen.edit_summary()
    assert screen.contents.isVisible()
    assert screen.contents.summary.hasFocus()
    screen.contents_button.click()
    assert not screen.contents.isVisible()
