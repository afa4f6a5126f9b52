"""A cell in the detail panel: grades, upstream, who rated what, note and confidence, history."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton

from core.domain import DEFAULT_RULE, Evidence
from core.evidence.service import Past
from core.matrix import dependencies
from core.store.typed_text import TypedText
from gui_app.matrix.grid_model import grid_row
from gui_app.session import CaseSession
from gui_app.shared.selected_cell import Cell
from gui_app.shell.cell_detail import CellDetail, told
from gui_app.shell.detail_panel import DetailPanel
from gui_app.shell.ranking_model import StandingsModel, standings
from gui_app.shell.ranking_panel import HypothesesPanel


@pytest.fixture
def panel(qtbot, rated) -> DetailPanel:
    panel = DetailPanel(rated)
    qtbot.addWidget(panel)
    panel.resize(328, 900)
    panel.show()
    with qtbot.waitActive(panel):
        panel.activateWindow()
    return panel


def row(session: CaseSession, evidence: str) -> Evidence:
    return next(item for item in session.workbench.evidence.all() if item.id == evidence)


def detail(panel: DetailPanel) -> CellDetail:
    assert panel._cell is not None
    return panel._cell


def words(panel: DetailPanel) -> list[str]:
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisibleTo(panel)]


def show(qtbot, panel: DetailPanel, session: CaseSession, evidence: str, hypothesis: str) -> CellDetail:
    panel.show_value(Cell(row(session, evidence), hypothesis))
    with qtbot.waitSignal(detail(panel).filled):
        pass
    cell = detail(panel)
    qtbot.waitUntil(lambda: all(part.isVisible() for part in (cell._past, cell._people, cell.note_field())))
    return cell


def test_everyones_rating_of_the_cell_is_shown_with_its_history(qtbot, rated, panel):
    show(qtbot, panel, rated, "E4", "H1")
    texts = words(panel)
    assert any(text.startswith("you (Ada), ") for text in texts)
    assert any(text.startswith("Ben, ") for text in texts)
    past = [text for text in texts if "rate cell H1" in text]
    assert past[0].endswith("Ben: rate cell H1, – → II")  # newest first
    assert past[1].endswith("Ada: rate cell H1, – → C")
    assert "C ≠" in texts  # the group sees it otherwise


def test_another_cell_of_the_row_is_one_click_away(qtbot, rated, panel):
    cell = show(qtbot, panel, rated, "E4", "H1")
    got = []
    panel.chosen.connect(lambda *pair: got.append(pair))
    button = next(b for b in cell.findChildren(QPushButton) if b.text() == "H3")
    assert button.accessibleName() == "E4 against H3: inconsistent, yours"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert panel.shown() == Cell(row(rated, "E4"), "H3")
    assert got == [("E4", "H3")]


def test_grades_are_chosen_and_kept(qtbot, rated, panel):
    cell = show(qtbot, panel, rated, "E1", "H2")
    cell.reliability.setCurrentIndex(cell.reliability.findData("B"))
    cell.reliability.activated.emit(0)
    cell.information.setCurrentIndex(cell.information.findData("6"))
    cell.information.activated.emit(0)
    assert (row(rated, "E1").reliability, row(rated, "E1").information) == ("B", "6")
    assert [cell.reliability.itemData(index) for index in range(cell.reliability.count())] == ["", *"ABCDEF"]
    cell.reliability.setCurrentIndex(0)
    cell.reliability.activated.emit(0)
    assert row(rated, "E1").reliability == ""
    rated.undo()
    assert row(rated, "E1").reliability == "B"
    assert detail(panel).reliability.currentText() == "B  Usually reliable"


def test_a_row_of_choices_has_an_edge_at_its_left(qtbot, rated, panel):
    cell = show(qtbot, panel, rated, "E1", "H2")
    segments = [b for b in cell.findChildren(QPushButton) if b.property("kind") == "segment"]
    assert [b.text() for b in segments if b.property("first")] == ["Low"] * 3  # credibility, relevance, confidence


def test_rows_of_one_upstream_count_once(qtbot, rated, panel):
    rated.workbench.evidence.describe(["E1"], upstream="the raid")
    cell = show(qtbot, panel, rated, "E6", "H2")
    cell.list_upstreams()
    assert [cell.upstream.itemText(index) for index in range(cell.upstream.count())] == ["", "the raid"]
    cell.upstream.setCurrentText("the raid")
    cell.upstream.textActivated.emit("the raid")
    assert row(rated, "E6").upstream == "the raid"
    assert ("E1", "E6") in rated.workbench.matrix.compute().clusters


def test_a_note_is_kept_when_the_focus_goes_and_stays_undoable(qtbot, rated, panel):
    cell = show(qtbot, panel, rated, "E1", "H2")
    field = cell.note_field()
    field.setFocus()
    qtbot.keyClicks(field, "No plant abroad.")
    cell.date.setFocus()
    assessment = next(
        a for a in rated.workbench.evidence.assessments() if (a.evidence, a.hypothesis, a.by) == ("E1", "H2", "Ada")
    )
    assert assessment.note == "No plant abroad."
    assert panel._cell is cell  # it is not built anew under the person's hands
    qtbot.mouseClick(cell.confidence_button("high"), Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(cell.filled):
        pass
    assert next(
        a for a in rated.workbench.evidence.assessments() if a.evidence == "E1" and a.hypothesis == "H2"
    ).confidence == ("high")
    qtbot.waitUntil(cell.confidence_button("high").isChecked)
    qtbot.mouseClick(cell.confidence_button("high"), Qt.MouseButton.LeftButton)  # again: none
    assessment = next(
        a for a in rated.workbench.evidence.assessments() if (a.evidence, a.hypothesis, a.by) == ("E1", "H2", "Ada")
    )
    assert (assessment.note, assessment.confidence) == ("No plant abroad.", "")


def test_what_is_typed_in_a_note_stays_under_the_net_after_a_visit_and_when_it_cannot_be_saved(
    qtbot, rated, panel, monkeypatch
):
    cell = show(qtbot, panel, rated, "E1", "H2")
    field = cell.note_field()
    field.setFocus()
    cell.date.setFocus()  # a visit that changed nothing
    field.setFocus()
    qtbot.keyClicks(field, "No plant abroad.")
    monkeypatch.setattr(rated, "do", lambda *_, **__: None)  # the disk is full, say
    cell.date.setFocus()
    cell._draft.keep()
    texts = TypedText(rated.workbench.path, None).leftovers()  # as after a kill
    assert [(draft.place, draft.text) for draft in texts] == [("Note on E1 against H2", "No plant abroad.")]


def test_without_ones_own_rating_there_is_nothing_to_note(qtbot, rated, panel):
    rated.workbench.evidence.rate("E1", "H2", None)
    cell = show(qtbot, panel, rated, "E1", "H2")
    assert not cell.note_field().isEnabled()
    assert not cell.confidence_button("low").isEnabled()
    assert "(I)" in words(panel)  # Ben's, and marked as not one's own


def test_blind_rating_says_what_it_hides(qtbot, rated, panel):
    rated.workbench.case.change_settings(blind=True)
    rated.workbench.evidence.rate("E1", "H2", None)
    show(qtbot, panel, rated, "E1", "H2")
    texts = words(panel)
    assert not any("Ben" in text for text in texts)  # neither among the ratings nor in the history
    assert any("Ada: rate cell H2, I → –" in text for text in texts)
    assert any(text.startswith("Blind rating: ") for text in texts)


def test_date_and_grade_stand_with_the_origin(qtbot, rated, panel):
    rated.workbench.evidence.describe(["E2"], date="1995-03-20", reliability="B", information="2")
    show(qtbot, panel, rated, "E2", "H1")
    assert "1995-03-20 · grade B2" in words(panel)


@pytest.mark.parametrize("blind", [False, True])
def test_the_ratings_of_a_row_are_those_that_may_be_seen(rated, blind):
    bench = rated.workbench
    bench.case.change_settings(blind=blind)
    bench.evidence.rate("E4", "H2", None)
    people, model = bench.evidence.ratings_of("E4")
    assert people == [a for a in bench.evidence.assessments() if a.evidence == "E4"]
    assert model == [s for s in bench.evidence.suggestions() if s.evidence == "E4"]
    assert len(people) == (6 if blind else 7)


def test_one_key_to_the_page_and_back_to_the_cell(qtbot, rated, texts):
    from gui_app.shell.window import MainWindow

    bench = rated.workbench
    bench.documents.add([texts])
    quote = bench.evidence.add_quote(bench.documents.all()[0].id, 1, 0, 20)
    window = MainWindow(rated)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    window.go("Matrix")
    matrix = window.current()
    qtbot.waitUntil(lambda: matrix.grid.go_to(quote.id, "H3"))
    matrix.grid.setFocus()
    qtbot.keyClick(matrix.grid, Qt.Key.Key_O)
    assert window.current().name == "Viewer"
    qtbot.waitUntil(lambda: window.current().isAncestorOf(window.focusWidget()))
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_O)
    assert window.current() is matrix
    assert (matrix.grid.current_row().id, matrix.grid.current_hypothesis().id) == (quote.id, "H3")
    qtbot.waitUntil(lambda: isinstance(window.panels.detail.shown(), Cell))
    assert (window.panels.detail.shown().evidence.id, window.panels.detail.shown().hypothesis) == (quote.id, "H3")
    qtbot.waitUntil(lambda: window.panels.detail._cell is not None and window.panels.detail._cell._facts is not None)
    button = next(b for b in window.panels.detail.findChildren(QPushButton) if b.text() == "H2")
    button.click()
    assert matrix.grid.current_hypothesis().id == "H2"
    window.close()


def test_a_hypothesis_shows_its_ties_and_that_nothing_speaks_against_it(qtbot, case):
    bench = case.workbench
    for text in ("one", "two", "three"):
        bench.hypotheses.add(text)
    bench.evidence.add("seen")
    bench.evidence.rate_many([("E1", "H1", "C"), ("E1", "H2", "C"), ("E1", "H3", "I")])
    panel = DetailPanel(case)
    qtbot.addWidget(panel)
    panel.resize(328, 900)
    panel.show()
    panel.show_value(bench.hypotheses.all()[0])
    qtbot.waitUntil(lambda: words(panel).count("rank 1=") == 5)
    assert "Nothing rated speaks against it yet." in words(panel)
    panel.show_value(bench.hypotheses.all()[2])
    qtbot.waitUntil(lambda: words(panel).count("rank 3") == 5)
    assert "Nothing rated speaks against it yet." not in words(panel)


# --- the origin ------------------------------------------------------------------------------------------------------


def test_the_name_of_a_file_without_pages_keeps_its_room(qtbot, case, tmp_path, monkeypatch):
    """Its place is a section, which stands in full below the name."""
    (tmp_path / "notes.md").write_text("# Your water is in our hands\n\nWe shut the pump.\n", "utf-8")
    bench = case.workbench
    bench.documents.add([tmp_path / "notes.md"])
    text = bench.documents.page("D1", 1).text
    bench.evidence.add_quote("D1", 1, text.index("We shut"), len(text.rstrip()))
    title = "Your water is in our hands"
    cited = SimpleNamespace(place=f"section {title}", section=(title,), frame="")
    monkeypatch.setattr(bench.evidence, "cite", lambda items: {item.id: cited for item in items})
    panel = DetailPanel(case)
    qtbot.addWidget(panel)
    panel.resize(296, 700)
    panel.show()
    panel.show_value(row(case, "E1"))
    qtbot.waitUntil(lambda: "notes.md" in words(panel))
    assert [label for label in words(panel) if title in label] == [title]


# --- the ranking at the left ------------------------------------------------------------------------------------------


def test_the_ranking_names_the_rows_it_hangs_on(qtbot, rated):
    ranking = HypothesesPanel(rated)
    qtbot.addWidget(ranking)
    ranking.refresh()
    qtbot.waitUntil(lambda: ranking.model.rowCount() > 0)
    matrix = rated.workbench.matrix.compute()
    rows = dependencies(matrix)
    bench = rated.workbench
    without = {item.id: bench.matrix.compute(without_rows=[item.id]).leaders for item in bench.evidence.all()}
    leaders = matrix.leaders[DEFAULT_RULE]
    assert set(rows) == {row for row, others in without.items() if others[DEFAULT_RULE] != leaders}
    assert 2 <= len(rows) < len(without)
    assert ranking._hangs.text() == f"Depends on {', '.join(rows[:4])}" + (
        f" and {len(rows) - 4} more" * (len(rows) > 4)
    )


def test_the_ranking_says_when_it_counts_ones_own_ratings_alone(qtbot, rated):
    ranking = HypothesesPanel(rated)
    qtbot.addWidget(ranking)
    ranking.refresh()
    qtbot.waitUntil(lambda: ranking.model.rowCount() > 0)
    assert not ranking._whose.isVisibleTo(ranking)
    rated.do(lambda bench: bench.case.change_settings(blind=True))
    qtbot.waitUntil(lambda: ranking._whose.isVisibleTo(ranking))


def test_a_hypothesis_with_nothing_against_it_is_marked(qtbot, case):
    bench = case.workbench
    for text in ("one", "two"):
        bench.hypotheses.add(text)
    bench.evidence.add("seen")
    bench.evidence.rate_many([("E1", "H1", "C"), ("E1", "H2", "I")])
    rows = standings(bench.hypotheses.all(), bench.matrix.compute())
    assert [(row.hypothesis.id, row.unattacked) for row in rows] == [("H1", True), ("H2", False)]
    model = StandingsModel()
    model.show(rows)
    lines = [model.index(index, 0).data(Qt.ItemDataRole.AccessibleTextRole) for index in range(2)]
    assert lines == [
        "H1, rank 1, score 0.00, 1 of 1 rated, nothing rated speaks against it: one",
        "H2, rank 2, score 1.00, 1 of 1 rated: two",
    ]


def test_a_quote_over_a_page_break_is_shown_whole_with_its_pages_and_its_copy(qtbot, rated, panel, tmp_path):
    head, tail = "The night log says that the pump was stopped by", "a guard who had no key to the hall."
    (tmp_path / "log.txt").write_text(f"{head}\f{tail}", "utf-8")
    (tmp_path / "copy.txt").write_text(f"{head} {tail}", "utf-8")
    bench = rated.workbench
    bench.documents.add([tmp_path / "log.txt", tmp_path / "copy.txt"])
    first = bench.evidence.add_quote("D1", 1, 0, len(head), more=[(2, 0, len(tail))]).id
    second = bench.evidence.add_quote("D2", 1, 0, len(head) + 1 + len(tail)).id
    for evidence in (first, second):
        bench.evidence.rate(evidence, "H1", "I")
    show(qtbot, panel, rated, first, "H1")
    texts = words(panel)
    assert any("stopped by […page break…] a guard" in text for text in texts)
    assert "pp. 1–2" in texts
    panel.show_value(None)
    show(qtbot, panel, rated, second, "H1")
    texts = words(panel)
    assert any(first in text and "the same words" in text for text in texts)
    assert grid_row(row(rated, first)).place == "log.txt, pp. 1–2"


def test_a_word_without_room_pushes_nothing_off_the_panel(qtbot, rated, panel, tmp_path):
    name = "minutes_of_the_meeting_of_the_board_on_the_night_of_the_attack.txt"
    (tmp_path / name).write_text("The board met at night.", "utf-8")
    bench = rated.workbench
    bench.documents.add([tmp_path / name])
    author = "Control Room <control.room.of.the.works@ostermerewater.example.org>"
    panel.show_value(replace(bench.documents.get("D1"), author=author))
    content, viewport = panel._scroll.widget(), panel._scroll.viewport()
    QApplication.sendPostedEvents()
    assert content.minimumSizeHint().width() <= viewport.width()
    assert name in words(panel)
    assert author in [
        text for field in panel.findChildren(QLineEdit) for text in (field.text(), field.placeholderText())
    ]


def test_the_history_says_of_an_erasure_what_it_did():
    erasure = Past(9, "2026-01-02T03:04:05Z", "Ada", "erase documents", "", "text: the relay", "text: [erased]")
    words = told(erasure, {}).partition("  ")[2]
    assert words == "Ada: the words of an erased document were taken out of this row"
