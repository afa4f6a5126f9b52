"""The screen of the conflicts: found, filtered, decided by keys, on a small case with the engines of the tests."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.domain import Changes
from gui_app.conflicts.screen import ConflictsScreen
from gui_app.matrix.grid_words import field_words, row_tip
from gui_app.matrix.screen import MatrixScreen
from tests.gui_app.small_case import open_session, put_on_show, words

TEXT = (
    "The dosing pump of the Weir Lane works in Ostermere stopped at night and was silent for {minutes} minutes.\n"
    "\nThe clerk {name} handed the sealed crate of samples to a driver at the gate of the Corn Street depot.\n"
)


@pytest.fixture
def session(engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        for number, (minutes, name) in enumerate((("47", "Ruben Aske"), ("74", "Jonas Pell"))):
            (tmp_path / f"release{number}.txt").write_text(TEXT.format(minutes=minutes, name=name), "utf-8")
        session.workbench.documents.add([tmp_path / f"release{number}.txt" for number in range(2)])
        yield session


@pytest.fixture
def screen(session, qtbot):
    screen = ConflictsScreen(session)
    put_on_show(qtbot, screen)
    return screen


@pytest.fixture
def conflicts(screen, qtbot):
    """The screen once conflicts were looked for by the button of the empty page."""
    qtbot.mouseClick(screen.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.job.task is None and len(screen.records) == 2, timeout=60_000)
    screen.list.setFocus()
    return screen


def test_conflicts_are_found_by_the_next_step_and_kept(conflicts, session):
    assert [record.id for record in conflicts.records] == [entry.id for entry in session.workbench.conflicts.all()]
    assert conflicts.list.count() == 2
    assert "2 conflicts between statements, 2 open" in conflicts.header.count.text()
    assert " statements compared, in 6 pairs about one thing. Figures, dates" in conflicts.scope.text()
    assert conflicts.page.currentWidget() is conflicts.page.split
    assert conflicts.find_button.isVisible()


def test_a_search_without_a_find_says_what_was_compared_and_what_to_do_next(screen, session, qtbot):
    session.workbench.documents.remove([d.id for d in session.workbench.documents.all() if d.name == "release1.txt"])
    qtbot.mouseClick(screen.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.job.task is None and screen._report is not None, timeout=60_000)
    sentence = screen.empty.sentence.text()
    assert "statements compared" in sentence
    assert "What takes knowledge or a second step to see is not found." in sentence
    assert screen.find_button.isVisible()
    with qtbot.waitSignal(screen.go) as gone:
        qtbot.mouseClick(screen.empty.button, Qt.MouseButton.LeftButton)
    assert gone.args == ["Ask"]


def test_a_denial_is_marked_by_the_words_that_deny(conflicts, qtbot):
    record = conflicts.view.record
    first, second = record.conflict.positions
    source = replace(second.sources[0], words="")
    denial = replace(source, quote=replace(source.quote, text="Ruben Aske denies this."))
    positions = (first, replace(second, text="Ruben Aske denies this.", sources=(denial,)))
    conflicts.view.show_conflict(replace(record, conflict=replace(record.conflict, kind="denial", positions=positions)))
    assert conflicts.view.area.sources[-1].text.marked_part() == "denies this"


def test_a_second_passage_of_a_document_is_no_copy_of_the_first(conflicts):
    record = conflicts.view.record
    first, second = record.conflict.positions
    source = first.sources[0]
    copies = (replace(source, is_copy=True), replace(second.sources[0], is_copy=True))
    positions = (replace(first, sources=(source, *copies)), second)
    conflicts.view.show_conflict(replace(record, conflict=replace(record.conflict, positions=positions)))
    same, copy = conflicts.view.area.sources[1:3]
    assert "the same document" in same.origin.text()
    assert "a copy" in copy.origin.text()


def test_conflicts_have_the_keys_once_they_are_read(screen, session, qtbot):
    screen.setFocus()
    assert screen.empty.button.hasFocus()
    session.do(lambda bench: bench.conflicts.find())
    screen.refresh()
    qtbot.waitUntil(lambda: bool(screen.list.count()))
    assert screen.list.hasFocus()


def test_the_next_step_of_an_empty_page_stands_there_once(screen):
    assert screen.empty.button.isVisible()
    assert not screen.find_button.isVisible()


def test_positions_stand_beside_each_other_with_their_quotes(conflicts):
    record = conflicts.chosen()
    assert len(conflicts.view.cards) == len(record.conflict.positions) == 2
    assert {source.quote for source in conflicts.view.area.sources} == {
        source.quote for position in record.conflict.positions for source in position.sources
    }
    assert record.conflict.subject in words(conflicts)
    first, second = conflicts.view.cards
    assert first.y() == second.y()
    assert first.x() < second.x()


def test_a_key_decides_and_goes_on_to_the_next_and_undo_takes_it_back(conflicts, session, qtbot):
    first = conflicts.chosen().id
    qtbot.keyClick(conflicts.list, Qt.Key.Key_2)
    decision = session.workbench.conflicts.get(first)
    assert (decision.status, decision.position) == ("held", 2)
    qtbot.waitUntil(lambda: not conflicts.records[0].is_open)
    assert conflicts.chosen().id != first
    session.undo()
    qtbot.waitUntil(lambda: all(record.is_open for record in conflicts.records))


def test_both_may_hold_with_a_note_and_the_conflict_be_opened_again(conflicts, session, qtbot):
    conflict = conflicts.chosen().id
    qtbot.keyClick(conflicts.list, Qt.Key.Key_N)
    assert conflicts.decision.note_field.hasFocus()
    qtbot.keyClicks(conflicts.decision.note_field, "Pump 1 and pump 2.")
    qtbot.keyClick(conflicts.decision.note_field, Qt.Key.Key_Return)
    qtbot.keyClick(conflicts.list, Qt.Key.Key_B)
    decision = session.workbench.conflicts.get(conflict)
    assert (decision.status, decision.note) == ("both", "Pump 1 and pump 2.")
    qtbot.waitUntil(lambda: not conflicts.records[0].is_open)
    conflicts.list.setCurrentRow(0)
    assert "Pump 1 and pump 2." in words(conflicts)
    qtbot.keyClick(conflicts.list, Qt.Key.Key_R)
    assert session.workbench.conflicts.get(conflict).is_open


def test_a_digit_beyond_the_positions_decides_nothing(conflicts, session, qtbot):
    qtbot.keyClick(conflicts.list, Qt.Key.Key_4)
    assert all(record.is_open for record in session.workbench.conflicts.all())


def test_the_list_is_filtered_by_kind_and_status(conflicts, qtbot):
    conflicts.kinds.setCurrentIndex(conflicts.kinds.findData("name"))
    kinds = {record.conflict.kind for record in conflicts.records}
    assert conflicts.list.count() == sum(record.conflict.kind == "name" for record in conflicts.records)
    conflicts.kinds.setCurrentIndex(0)
    assert kinds
    qtbot.mouseClick(conflicts.status_buttons["Resolved"], Qt.MouseButton.LeftButton)
    assert conflicts.list.count() == 0
    assert conflicts.page.currentWidget() is conflicts.empty
    assert not conflicts.empty.button.isVisible()
    qtbot.mouseClick(conflicts.status_buttons["Open"], Qt.MouseButton.LeftButton)
    assert conflicts.list.count() == 2


def test_a_source_is_shown_on_its_page_and_becomes_evidence_that_the_conflict_touches(conflicts, session, qtbot):
    places = []
    conflicts.show_source.connect(lambda *place: places.append(place))
    qtbot.keyClick(conflicts.list, Qt.Key.Key_J)
    first = QApplication.focusWidget()
    assert first is conflicts.view.area.sources[0]
    quote = first.quote
    qtbot.keyClick(first, Qt.Key.Key_O)
    assert places == [(quote.document, quote.page, quote.start, quote.end)]
    qtbot.keyClick(first, Qt.Key.Key_A)
    (row,) = session.workbench.evidence.all()
    qtbot.waitUntil(lambda: any(record.evidence == (row.id,) for record in conflicts.records))
    focus = QApplication.focusWidget()  # the conflict is shown anew, with the same source in hand
    assert focus is conflicts.view.area.sources[0]
    qtbot.keyClick(focus, Qt.Key.Key_O)
    assert len(places) == 2


def test_the_keys_go_from_source_to_source(conflicts, qtbot):
    qtbot.keyClick(conflicts.list, Qt.Key.Key_J)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_J)
    assert QApplication.focusWidget() is conflicts.view.area.sources[1]
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_K)
    assert QApplication.focusWidget() is conflicts.view.area.sources[0]


def test_positions_stand_below_each_other_where_there_is_no_room(conflicts, qtbot):
    conflicts.resize(700, 600)
    conflicts.page.split.setSizes([300, 400])
    qtbot.waitUntil(lambda: conflicts.view.cards[0].x() == conflicts.view.cards[1].x())
    assert conflicts.view.cards[0].y() < conflicts.view.cards[1].y()


def test_another_case_shows_no_conflict_of_the_first(conflicts, session, qtbot, tmp_path):
    session.create(tmp_path / "other.disconfirm", title="Other")
    qtbot.waitUntil(lambda: conflicts.list.count() == 0)
    assert conflicts.page.currentWidget() is conflicts.empty
    assert conflicts.header.count.text() == ""


def test_the_matrix_marks_the_rows_that_an_open_conflict_touches(conflicts, session, qtbot):
    quote = conflicts.view.area.sources[0].quote
    session.workbench.evidence.add_quote(quote.document, quote.page, quote.start, quote.end)
    session.changed.emit(Changes(evidence=True, matrix=True), None)
    matrix = MatrixScreen(session)
    put_on_show(qtbot, matrix)
    qtbot.waitUntil(lambda: bool(matrix.grid.sheet.rows))
    assert "conflict" in matrix.grid.sheet.flags(0)
    assert "part of an unresolved conflict" in row_tip(matrix.grid.sheet, 0, "evidence")
    assert "In an open conflict" in field_words(matrix.grid.sheet, 0, "evidence")
    session.do(lambda bench: bench.conflicts.resolve(conflicts.chosen().id, "both"))
    assert "conflict" not in session.workbench.matrix.compute().rows[0].flags
    qtbot.waitUntil(lambda: "conflict" not in matrix.grid.sheet.flags(0))


def test_a_key_that_was_meant_for_a_conflict_that_has_gone_decides_nothing(conflicts, session, qtbot):
    gone = conflicts.chosen()
    left = [record for record in conflicts.records if record.id != gone.id]
    for _ in range(2):  # also when it is read anew once more
        conflicts._show_records(left)
        for key in (Qt.Key.Key_1, Qt.Key.Key_B):
            qtbot.keyClick(conflicts.list, key)
        assert all(record.is_open for record in session.workbench.conflicts.all())
        assert f"{gone.id} is no longer on the list" in words(conflicts)
    qtbot.keyClick(conflicts.list, Qt.Key.Key_Down)
    assert conflicts.chosen() == left[0]
    qtbot.keyClick(conflicts.list, Qt.Key.Key_1)
    assert session.workbench.conflicts.get(left[0].id).status == "held"


def test_a_conflict_whose_positions_are_others_now_is_not_decided_by_their_numbers(conflicts, session, qtbot):
    record = conflicts.chosen()
    turned = replace(record, conflict=replace(record.conflict, positions=record.conflict.positions[::-1]))
    conflicts._show_records([turned, *(entry for entry in conflicts.records if entry.id != record.id)])
    qtbot.keyClick(conflicts.list, Qt.Key.Key_1)
    assert all(stored.is_open for stored in session.workbench.conflicts.all())


@pytest.mark.parametrize("width", [340, 560, 700])
def test_a_conflict_fits_the_width_it_is_shown_in(conflicts, qtbot, width):
    view = conflicts.view
    record = view.record
    first, *others = record.conflict.positions
    position = replace(first, text="Speaks for H3, and for what follows from it in the notes")
    conflict = replace(record.conflict, positions=(position, *others))
    evidence = tuple(f"E{number}" for number in range(1, 40))
    view.area.setFixedWidth(width)
    view.show_conflict(replace(record, conflict=conflict, evidence=evidence))
    QApplication.processEvents()
    view._rearrange()
    QApplication.processEvents()
    assert view.area.widget().width() <= view.area.viewport().width()
    assert view.area.widget().minimumSizeHint().width() <= view.area.viewport().width()
