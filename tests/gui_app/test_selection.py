"""The details show what is selected on the screen on show, and their buttons act on that alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton

from core.domain import Document, Evidence, Hypothesis, Passage, Proposal
from gui_app.shared.selected_cell import Cell
from gui_app.shell.navigation import PLACES
from gui_app.shell.viewer_beside import position_of
from tests.gui_app.small_case import settle

RAIL = [place.name for place in PLACES if place.in_rail and not place.keys]
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def full(with_case, session, qtbot):
    """The window with something to select on most screens."""
    session.do(lambda bench: bench.review.propose(passages=4))
    bench = session.workbench
    session.do(lambda bench: bench.review.accept([bench.verdicts.proposals()[0].id]))
    session.do(lambda bench: bench.evidence.add("The badge reader shows one entry."))
    assert any(proposal.status == "pending" for proposal in bench.verdicts.proposals())
    yield with_case
    qtbot.waitUntil(lambda: not session.tasks._newest and not session.tasks.busy())


def go(window, qtbot, name: str) -> None:
    key = Qt.Key(Qt.Key.Key_1 + RAIL.index(name))
    qtbot.keyClick(QApplication.focusWidget() or window, key, CONTROL)
    assert window.current().name == name
    QApplication.processEvents()
    settle(qtbot, window.session)


def choose(window, qtbot, session) -> None:
    """Select something on the screen on show by its keys, where it has anything to select."""
    screen = window.current()
    if screen.name == "Documents":
        qtbot.keyClick(screen.table, Qt.Key.Key_Down)
    elif screen.name == "Hypotheses":
        screen.table.setFocus()
        qtbot.keyClick(screen.table, Qt.Key.Key_Down)
    elif screen.name == "Search":
        qtbot.keyClicks(screen.field, "technician")
        qtbot.keyClick(screen.field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    elif screen.name == "Matrix":
        qtbot.keyClick(screen.grid, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda: not screen._tell_soon.isActive())
    QApplication.processEvents()


def buttons(window) -> dict[str, QPushButton]:
    return {button.text(): button for button in window.panels.detail._action_buttons}


def identity(value: object) -> tuple[str, str]:
    if isinstance(value, Cell):
        return "Evidence", value.evidence.id
    if isinstance(value, Passage):
        return "Passage", f"{value.document} {value.start}"
    return type(value).__name__, getattr(value, "id", "")


KINDS = {
    "Documents": Document,
    "Hypotheses": Hypothesis,
    "Search": Passage,
    "Review": Proposal,
    "Matrix": (Evidence, Cell),
    "Viewer": (Document, Evidence, Proposal),
}


@pytest.mark.parametrize("name", RAIL)
def test_the_details_follow_from_screen_to_screen(full, session, qtbot, name):
    kind = KINDS.get(name, type(None))
    go(full, qtbot, name)
    choose(full, qtbot, session)
    for next_name in RAIL:
        if next_name == name:
            continue
        assert isinstance(full.panels.detail.shown(), kind), f"{name}, before {next_name}"
        go(full, qtbot, next_name)
        value = full.panels.detail.shown()
        assert identity(value) == identity(full.current().current_item()), next_name
        assert value is None or isinstance(value, KINDS.get(next_name, type(None))), next_name
        assert value is not None or buttons(full) == {}
        go(full, qtbot, name)


def test_evidence_cannot_be_removed_from_the_list_of_documents(full, qtbot, session):
    go(full, qtbot, "Matrix")
    choose(full, qtbot, session)
    assert "Remove" in buttons(full)
    go(full, qtbot, "Documents")
    assert "Remove" not in buttons(full)


def test_the_details_are_empty_where_nothing_can_be_selected(full, qtbot, session):
    go(full, qtbot, "Review")
    assert "Accept as evidence" in buttons(full)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_K, CONTROL)
    qtbot.keyClicks(full.palette_popup.field, "mail.txt")
    qtbot.keyClick(full.palette_popup.field, Qt.Key.Key_Return)
    assert full.current().name == "Viewer"
    assert full.panels.detail.shown().name == "mail.txt"
    go(full, qtbot, "Report")
    assert full.panels.detail.shown() is None
    assert buttons(full) == {}


def test_what_was_accepted_is_not_offered_for_acceptance(full, qtbot, session):
    go(full, qtbot, "Review")
    screen = full.current()
    former = full.panels.detail.shown().id
    qtbot.keyClick(screen.list, Qt.Key.Key_A)
    assert full.panels.detail.shown() is None or full.panels.detail.shown().id != former
    screen.panel.status_filter.setCurrentIndex(screen.panel.status_filter.findData("accepted"))
    screen._filter_changed()
    QApplication.processEvents()
    assert isinstance(full.panels.detail.shown(), Proposal)
    assert "Accept as evidence" not in buttons(full)


def test_a_quote_that_is_added_is_on_show(full, qtbot, session):
    go(full, qtbot, "Search")
    choose(full, qtbot, session)
    screen = full.current()
    screen.views.passages.view.setFocus()
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_A)
    row = session.workbench.evidence.all()[-1]
    assert identity(full.panels.detail.shown()) == ("Evidence", row.id)
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_Z, CONTROL)  # and is not, when it is gone
    qtbot.waitUntil(lambda: isinstance(full.panels.detail.shown(), Passage))
    assert "Remove" not in buttons(full)


def test_a_quote_added_in_the_details_is_on_show(full, qtbot, session):
    go(full, qtbot, "Search")
    choose(full, qtbot, session)
    qtbot.mouseClick(buttons(full)["Add as evidence"], Qt.MouseButton.LeftButton)
    assert identity(full.panels.detail.shown()) == ("Evidence", session.workbench.evidence.all()[-1].id)


def test_a_removal_in_the_details_can_be_undone(full, qtbot, session):
    go(full, qtbot, "Matrix")
    choose(full, qtbot, session)
    ids = [row.id for row in session.workbench.evidence.all()]
    removed = identity(full.panels.detail.shown())[1]
    qtbot.mouseClick(buttons(full)["Remove"], Qt.MouseButton.LeftButton)
    assert removed not in [row.id for row in session.workbench.evidence.all()]
    assert full.toast.isVisible()
    assert removed in full.toast.text()
    qtbot.waitUntil(lambda: identity(full.panels.detail.shown()) == identity(full.current().current_item()))
    assert identity(full.panels.detail.shown())[1] != removed
    qtbot.mouseClick(full.toast._undo, Qt.MouseButton.LeftButton)
    assert [row.id for row in session.workbench.evidence.all()] == ids


def test_a_button_of_the_row_before_does_nothing(full, qtbot, session):
    """The details come a moment behind the cursor; what they still show is not what is selected."""
    go(full, qtbot, "Matrix")
    grid = full.current().grid
    grid.go_to(session.workbench.evidence.all()[0].id, "H1")
    qtbot.waitUntil(
        lambda: isinstance(full.panels.detail.shown(), Cell) and not full.panels.detail._cell_timer.isActive()
    )
    remove = buttons(full)["Remove"]
    qtbot.keyClick(grid, Qt.Key.Key_Down)
    full.current()._tell_selected()  # the cursor rests; the details are not there yet
    assert full.panels.detail._cell_timer.isActive()
    remove.click()
    assert len(session.workbench.evidence.all()) == 2


def test_a_button_of_what_is_gone_does_nothing(full, qtbot, session):
    go(full, qtbot, "Matrix")
    choose(full, qtbot, session)
    remove = buttons(full)["Remove"]
    gone = identity(full.panels.detail.shown())[1]
    session.workbench.evidence.remove(gone)  # nobody was told
    remove.click()
    assert len(session.workbench.evidence.all()) == 1
    qtbot.waitUntil(lambda: identity(full.panels.detail.shown())[1] != gone)


def test_edit_leads_to_the_hypothesis_on_show(full, qtbot, session):
    go(full, qtbot, "Documents")
    full.panels.ranking.selected.emit(session.workbench.hypotheses.all()[1])
    qtbot.mouseClick(buttons(full)["Edit"], Qt.MouseButton.LeftButton)
    assert full.current().name == "Hypotheses"
    assert full.current().current_item().id == "H2"
    assert full.panels.detail.shown().id == "H2"


def test_closing_the_case_empties_the_details(full, qtbot, session):
    go(full, qtbot, "Matrix")
    choose(full, qtbot, session)
    qtbot.keyClick(full, Qt.Key.Key_W, CONTROL)
    assert full.panels.detail.shown() is None
    assert buttons(full) == {}


@pytest.mark.parametrize("name", ["Documents", "Search", "Review", "Matrix"])
def test_the_viewer_beside_a_screen_follows_its_selection(full, session, qtbot, name):
    """Along the list by its own keys, with F6 pressed on the way: page after page beside it."""
    session.do(lambda bench: bench.evidence.add_quote("D3", 1, 0, 20))
    go(full, qtbot, name)
    choose(full, qtbot, session)
    screen = full.current()
    if name == "Search":
        screen.views.passages.view.setFocus()
    keys = QApplication.focusWidget()
    qtbot.keyClick(keys, Qt.Key.Key_F6)
    assert QApplication.focusWidget() is keys
    places = set()
    up = 1 if name == "Search" else 2  # from the first hit Up leads into the field
    for key in (Qt.Key.Key_Down, *up * [Qt.Key.Key_Up]):
        qtbot.keyClick(keys, key)
        assert QApplication.focusWidget() is keys
        wanted = position_of(screen.current_item())
        if wanted is not None:
            qtbot.waitUntil(lambda wanted=wanted: full.navigation.beside.viewer.pane.place() == wanted)
            places.add(wanted)
    assert len(places) > 1
    assert identity(full.panels.detail.shown()) == identity(screen.current_item())


def test_what_belongs_together_stays_on_one_line_of_the_viewers_bar(full, session, qtbot):
    full.resize(1100, 700)
    go(full, qtbot, "Documents")
    choose(full, qtbot, session)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
    QApplication.processEvents()
    viewer = full.navigation.beside.viewer
    by_name = {button.accessibleName(): button for button in viewer.findChildren(QToolButton)}
    for left, right in (("Zoom out", "Zoom in"), ("Previous page", "Next page"), ("Previous quote", "Next quote")):
        heights = {by_name[name].mapTo(viewer, QPoint(0, 0)).y() for name in (left, right)}
        assert len(heights) == 1, (left, right)


def test_the_details_show_the_hypothesis_whose_row_is_highlighted_after_undo(full, qtbot, session):
    session.do(lambda bench: bench.hypotheses.add("Nobody used the account."))
    go(full, qtbot, "Hypotheses")
    table = full.current().table
    table.setFocus()
    table.selectRow(1)
    assert full.panels.detail.shown().id == "H2"
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: identity(full.panels.detail.shown()) == ("Hypothesis", "H3"))
    qtbot.keyClick(table, Qt.Key.Key_Z, CONTROL)
    QApplication.processEvents()
    highlighted = full.current().current_item()
    assert [row.id for row in full.current().model.rows] == ["H1", "H2", "H3"]
    assert highlighted.id == "H2"
    assert identity(full.panels.detail.shown()) == identity(highlighted)


def test_ctrl_z_closes_the_question_for_a_rating_and_takes_nothing_back(full, qtbot, session):
    evidence = session.workbench.evidence.all()[0].id
    session.do(lambda bench: bench.evidence.rate(evidence, "H1", "C"))
    assessments = session.workbench.evidence.assessments()
    go(full, qtbot, "Review")
    screen = full.current()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is screen.ask
    qtbot.keyClick(screen.ask, Qt.Key.Key_Z, CONTROL)
    assert not screen.ask.isVisible()
    assert QApplication.focusWidget() is screen.list
    assert session.workbench.evidence.assessments() == assessments


def test_ctrl_z_in_a_field_with_nothing_to_undo_is_for_the_case(full, qtbot, session):
    go(full, qtbot, "Hypotheses")
    field = full.current().field
    field.setFocus()
    qtbot.keyClicks(field, "It was chance.")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert len(session.workbench.hypotheses.all()) == 3
    qtbot.keyClicks(field, "x")
    qtbot.keyClick(field, Qt.Key.Key_Z, CONTROL)  # what was typed goes first
    assert field.text() == ""
    assert len(session.workbench.hypotheses.all()) == 3
    qtbot.keyClick(field, Qt.Key.Key_Z, CONTROL)
    assert len(session.workbench.hypotheses.all()) == 2
    assert full.toast.text() == "Undone: H3 is removed again"


def test_the_editor_of_a_row_stays_open_when_the_text_grows(full, qtbot, session):
    go(full, qtbot, "Hypotheses")
    table = full.current().table
    table.setFocus()
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    qtbot.keyClick(table, Qt.Key.Key_Up)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    editor = QApplication.focusWidget()
    assert table.isAncestorOf(editor)
    qtbot.keyClick(editor, Qt.Key.Key_Plus, CONTROL)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_0, CONTROL)
    QApplication.processEvents()
    assert QApplication.focusWidget() is editor


def test_the_field_gets_the_keys_where_there_is_no_hypothesis_yet(window, qtbot, session, tmp_path, texts):
    assert session.create(tmp_path / "test.disconfirm", title="Who was it?")
    session.do(lambda bench: bench.documents.add([texts]))
    qtbot.mouseClick(window.rail.buttons["Documents"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(window.rail.buttons["Hypotheses"], Qt.MouseButton.LeftButton)
    qtbot.keyClicks(QApplication.focusWidget(), "It was chance.")
    assert window.current().field.text() == "It was chance."
    qtbot.mouseClick(window.rail.buttons["Documents"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(window.rail.buttons["Hypotheses"], Qt.MouseButton.LeftButton)
    qtbot.keyClicks(QApplication.focusWidget(), " Or not.")
    assert window.current().field.text() == "It was chance. Or not."
    qtbot.keyClick(window.current().field, Qt.Key.Key_Return)
    window.current().table.setFocus()  # and where there is none any more
    window.current().table.selectRow(0)
    qtbot.keyClick(window.current().table, Qt.Key.Key_Delete)
    assert session.workbench.hypotheses.all() == []
    qtbot.mouseClick(window.rail.buttons["Documents"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(window.rail.buttons["Hypotheses"], Qt.MouseButton.LeftButton)
    qtbot.keyClicks(QApplication.focusWidget(), "Chance")
    assert window.current().field.text() == "Chance"


def test_the_screen_counts_what_the_filter_leaves_and_down_enters_the_list(full, qtbot, session):
    go(full, qtbot, "Documents")
    screen = full.current()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(QApplication.focusWidget(), "mail")
    qtbot.waitUntil(lambda: screen.proxy.rowCount() == 1)
    assert screen._tab_row.last.text() == "1 of 3 documents"
    go(full, qtbot, "Matrix")
    go(full, qtbot, "Documents")
    assert screen.filter.text() == "mail"
    assert screen._tab_row.last.text() == "1 of 3 documents"
    screen.filter.setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    assert QApplication.focusWidget() is screen.table
    assert [document.name for document in screen.chosen()] == ["mail.txt"]
    screen.filter.setFocus()
    screen.filter.clear()
    qtbot.waitUntil(lambda: screen.header.count.text().startswith("3 documents"))


def selected_rows(table) -> list[int]:
    return [index.row() for index in table.selectionModel().selectedRows()]


@pytest.mark.parametrize("name", ["Documents", "Hypotheses"])
def test_the_first_arrow_down_goes_to_the_first_row(with_case, qtbot, name):
    go(with_case, qtbot, name)
    screen = with_case.current()
    screen.table.setFocus()
    qtbot.keyClick(screen.table, Qt.Key.Key_Down)
    assert selected_rows(screen.table) == [0]
    assert with_case.panels.detail.shown() == screen.current_item()
    assert with_case.panels.detail.shown() is not None
    qtbot.keyClick(screen.table, Qt.Key.Key_Down)
    assert selected_rows(screen.table) == [1]
    assert with_case.panels.detail.shown() == screen.current_item()


def test_tab_into_a_table_marks_the_row_that_the_details_show(with_case, qtbot):
    go(with_case, qtbot, "Hypotheses")
    screen = with_case.current()
    screen.field.setFocus()
    for _ in range(12):
        if screen.table.hasFocus():
            break
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert screen.table.hasFocus()
    hypothesis = with_case.panels.detail.shown()
    assert isinstance(hypothesis, Hypothesis)
    assert [screen.model.rows[row].id for row in selected_rows(screen.table)] == [hypothesis.id]


def test_a_hypothesis_that_was_added_is_in_sight(with_case, session, qtbot):
    session.do(lambda bench: [bench.hypotheses.add(f"Rival number {number} did it.") for number in range(20)][-1])
    go(with_case, qtbot, "Hypotheses")
    screen = with_case.current()
    screen.field.setFocus()
    qtbot.keyClicks(screen.field, "Nobody was there.")
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    last = screen.model.index(screen.model.rowCount() - 1, 0)
    qtbot.waitUntil(lambda: screen.table.viewport().rect().contains(screen.table.visualRect(last)))
