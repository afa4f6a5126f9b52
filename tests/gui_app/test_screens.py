"""Start, Documents, Hypotheses, Search and the offline proof, by keyboard where a person would use it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtGui import QGuiApplication, QStandardItem, QStandardItemModel
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QStyle

from core.domain import DEFAULT_RULE, Changes, Hypothesis, Matrix, MatrixRow
from core.errors import EngineStopped
from core.workers.sandbox import Sandbox
from gui_app.documents.documents_model import DocumentsModel, ImportModel, imported_files
from gui_app.documents.screen import DocumentsScreen
from gui_app.hypotheses.hypotheses_model import NOTE, TEXT, HypothesesModel
from gui_app.hypotheses.screen import HypothesesScreen
from gui_app.offline.screen import OfflineScreen, open_connections, used_paths
from gui_app.recent_cases import remember
from gui_app.search.screen import SearchScreen
from gui_app.shared import file_dialogs
from gui_app.shared.passages_model import marks
from gui_app.shared.table import Table
from gui_app.shell.ranking_model import StandingsModel, standings
from gui_app.start.screen import StartScreen
from tests.contracts import zipped
from tests.fakes import FakeOcr, PlainReader
from tests.gui_app.conftest import complaints


def show(screen, qtbot):
    qtbot.addWidget(screen)
    screen.resize(1000, 700)
    screen.show()
    with qtbot.waitActive(screen):
        screen.activateWindow()
    return screen


# --- Screen -----------------------------------------------------------------------------------------------------------


def test_a_hidden_screen_reloads_only_when_shown(case, qtbot, monkeypatch):
    calls = []
    monkeypatch.setattr(HypothesesScreen, "refresh", lambda self: calls.append(True))
    screen = HypothesesScreen(case)
    qtbot.addWidget(screen)
    case.changed.emit(Changes(hypotheses=True), None)
    assert calls == []
    screen.show()
    assert len(calls) == 1
    case.changed.emit(Changes(documents=True), None)  # of no concern
    assert len(calls) == 1
    case.changed.emit(Changes(hypotheses=True), None)
    assert len(calls) == 2


# --- Start ------------------------------------------------------------------------------------------------------------


def test_start_lists_recent_cases_and_opens_one_by_enter(session, tmp_path, qtbot):
    session.create(tmp_path / "a.disconfirm", title="First")
    session.create(tmp_path / "b.disconfirm", title="Second")
    session.close_case()
    screen = show(StartScreen(session), qtbot)
    assert [case.title for case, _ in screen.model.rows] == ["Second", "First"]
    paths = []
    session.open = lambda path: paths.append(path)  # the file itself is opened by other tests
    screen.view.setFocus()
    screen.view.setCurrentIndex(screen.model.index(1, 0))
    qtbot.keyClick(screen.view, Qt.Key.Key_Return)
    assert paths == [tmp_path / "a.disconfirm"]


def test_start_says_that_there_is_no_case_unless_one_is_being_opened(session, qtbot):
    screen = show(StartScreen(session), qtbot)
    screen.refresh()
    assert screen._nothing.isVisible()
    screen.tell_opening("a")
    screen.refresh()
    assert not screen._nothing.isVisible()
    screen.tell_opening("")
    assert screen._nothing.isVisible()


def test_a_case_that_is_gone_is_marked_and_can_be_taken_off(session, tmp_path, qtbot):
    remember(tmp_path / "gone.disconfirm", "Gone")
    screen = show(StartScreen(session), qtbot)
    assert "not found" in screen.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    screen.view.setFocus()
    screen.view.setCurrentIndex(screen.model.index(0, 0))
    qtbot.keyClick(screen.view, Qt.Key.Key_Delete)
    assert screen.model.rows == []


def test_a_new_case_by_keyboard(session, tmp_path, qtbot):
    screen = show(StartScreen(session), qtbot)
    screen.begin_new_case()
    screen._folder = tmp_path
    assert not screen.create_button.isEnabled()
    qtbot.keyClicks(screen.title_field, "Who was it?")
    qtbot.keyClick(screen.title_field, Qt.Key.Key_Return)
    assert session.workbench.case.title() == "Who was it?"
    assert session.workbench.path == tmp_path / "Who was it.disconfirm"
    screen.title_field.setText("Who was it?")
    assert screen.path() == tmp_path / "Who was it 2.disconfirm"  # never over another file


def test_after_another_folder_enter_creates_the_case(session, tmp_path, monkeypatch, qtbot):
    screen = show(StartScreen(session), qtbot)
    screen.begin_new_case()
    qtbot.keyClicks(screen.title_field, "Who was it?")
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_of: tmp_path)
    change = next(button for button in screen.findChildren(QPushButton) if button.text() == "Change folder…")
    change.setFocus()
    qtbot.keyClick(change, Qt.Key.Key_Space)
    assert screen.title_field.hasFocus()
    qtbot.keyClick(screen.title_field, Qt.Key.Key_Return)
    assert session.workbench.path == tmp_path / "Who was it.disconfirm"


def test_a_first_case_is_kept_in_a_folder_that_is_there(session, tmp_path, monkeypatch, qtbot):
    """Not every computer has a folder of documents."""
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _kind: str(tmp_path / "Documents"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    screen = show(StartScreen(session), qtbot)
    screen.begin_new_case()
    qtbot.keyClicks(screen.title_field, "Who was it?")
    qtbot.keyClick(screen.title_field, Qt.Key.Key_Return)
    assert session.workbench.path == tmp_path / "Who was it.disconfirm"


# --- Documents --------------------------------------------------------------------------------------------------------


def test_documents_are_listed_and_filtered(filled, qtbot):
    screen = show(DocumentsScreen(filled), qtbot)
    assert screen.proxy.rowCount() == 3
    screen.filter.setText("LOG")
    qtbot.waitUntil(lambda: screen.proxy.rowCount() == 1)
    assert screen.proxy.index(0, 0).data() == "access_log.txt"
    screen.filter.clear()
    qtbot.waitUntil(lambda: screen.proxy.rowCount() == 3)


def test_rows_are_as_high_as_what_stands_in_them(styled, qtbot):
    """As wide as the style leaves it: a row that is too low hides the end of a remedy."""
    text = "Check that it was copied completely, and add it again when it has content."
    model = QStandardItemModel(1, 1)
    model.setItem(0, 0, QStandardItem(text))
    table = Table(model, "Files")
    qtbot.addWidget(table)
    table.setWordWrap(True)
    beside = 8 + table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1  # padding, margin of the style
    wrap = int(Qt.TextFlag.TextWordWrap)
    for width in range(120, 400):
        table.setColumnWidth(0, width)
        table.fit_rows()
        needed = table.fontMetrics().boundingRect(0, 0, width - 2 * beside, 10_000, wrap, text).height()
        assert table.rowHeight(0) > needed, width  # the line under a row takes a pixel


def test_pages_sort_as_numbers(case, tmp_path, qtbot):
    for pages in (2, 10, 9):
        (tmp_path / f"{pages}.txt").write_text("\f".join(f"page {n} of {pages}" for n in range(pages)), "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / f"{pages}.txt" for pages in (2, 10, 9)]))
    screen = show(DocumentsScreen(case), qtbot)
    screen.table.sortByColumn(DocumentsModel.PAGES, Qt.SortOrder.AscendingOrder)
    assert [screen.proxy.index(row, DocumentsModel.PAGES).data() for row in range(3)] == ["2", "9", "10"]


def test_space_leaves_a_document_out_and_undo_takes_it_back(filled, qtbot):
    screen = show(DocumentsScreen(filled), qtbot)
    screen.table.setFocus()
    screen.table.select(screen.proxy.index(0, 0))
    first = screen.chosen()[0].id
    qtbot.keyClick(screen.table, Qt.Key.Key_Space)
    assert not filled.workbench.documents.get(first).included
    assert "out of scope" in screen.proxy.index(0, DocumentsModel.STATUS).data()
    filled.undo()
    assert filled.workbench.documents.get(first).included


def test_the_check_box_is_the_scope(filled, qtbot):
    screen = show(DocumentsScreen(filled), qtbot)
    index = screen.proxy.index(1, 0)
    assert index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    screen.proxy.setData(index, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert [document.included for document in filled.workbench.documents.all()].count(False) == 1


def test_enter_opens_the_document(filled, qtbot):
    screen = show(DocumentsScreen(filled), qtbot)
    screen.table.setFocus()
    screen.table.select(screen.proxy.index(0, 0))
    with qtbot.waitSignal(screen.show_source) as signal:
        qtbot.keyClick(screen.table, Qt.Key.Key_Return)
    assert signal.args == [screen.chosen()[0].id, 1, 0, 0]


def test_selection_stays_while_documents_come_in(filled, tmp_path, qtbot):
    screen = show(DocumentsScreen(filled), qtbot)
    screen.table.select(screen.proxy.index(1, 0))
    chosen = screen.chosen()[0].id
    (tmp_path / "later.txt").write_text("Another document.", "utf-8")
    filled.do(lambda bench: bench.documents.add([tmp_path / "later.txt"]))
    assert screen.proxy.rowCount() == 4
    assert [document.id for document in screen.chosen()] == [chosen]


def test_the_import_report_names_every_file(case, texts, qtbot):
    (texts / "again.txt").write_bytes((texts / "mail.txt").read_bytes())
    (texts / "broken.txt").write_bytes(b"\xff\xfe\xfa")
    (texts / "empty.txt").write_bytes(b"")
    screen = show(DocumentsScreen(case), qtbot)
    report = case.do(lambda bench: bench.documents.add([texts]))
    case.imported.emit(report)
    rows = screen.report.model.rows
    assert len(rows) == 6
    assert [row.status for row in rows] == ["failed", "failed", "duplicate", "added", "added", "added"]
    assert all(row.why and row.remedy for row in rows[:2])
    assert screen.pages.currentWidget() is screen.report  # failures are not left unseen
    assert "6 files: 3 added, 1 duplicate, 2 failed" in screen.report.summary.text()


def test_an_import_without_failures_stays_out_of_the_way(case, texts, qtbot):
    screen = show(DocumentsScreen(case), qtbot)
    report = case.do(lambda bench: bench.documents.add([texts]))
    case.imported.emit(report)
    assert screen.pages.currentWidget() is screen.table


def test_scans_are_offered_read_and_then_found(case, tmp_path, qtbot):
    (tmp_path / "scan.txt").write_text("Words on one.\f   ", "utf-8")
    screen = show(DocumentsScreen(case), qtbot)
    assert screen.scans.isHidden()
    case.do(lambda bench: bench.documents.add([tmp_path / "scan.txt"]))
    case.changed.emit(Changes(documents=True), None)
    assert not screen.scans.isHidden()
    assert "1 page has no text" in screen.scans.text.text()
    assert "No OCR engine" in screen.scans.text.text()
    assert screen.scans.read_button.isHidden()
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=FakeOcr("The badge was off."))
    case.changed.emit(Changes(documents=True), None)
    with qtbot.waitSignal(case.status, check_params_cb=lambda message: "1 page read" in message, timeout=5000):
        qtbot.keyClick(
            screen.table, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        )
    qtbot.waitUntil(screen.scans.isHidden, timeout=5000)
    assert case.workbench.search.passages_for("badge").passages[0].page == 2


def test_models_keep_their_word(filled, qtmodeltester):
    documents = DocumentsModel()
    tester = QAbstractItemModelTester(documents, QAbstractItemModelTester.FailureReportingMode.Fatal)
    rows = filled.workbench.documents.all()
    documents.show(rows[:2])
    documents.show(rows)  # grows
    documents.show(rows[:1])  # another list
    assert tester is not None
    qtmodeltester.check(documents)
    imports = ImportModel()
    imports.show(imported_files(filled.workbench.documents.add([]), {}))
    qtmodeltester.check(imports)
    hypotheses = HypothesesModel()
    hypotheses.show(filled.workbench.hypotheses.all())
    qtmodeltester.check(hypotheses)
    ranking = StandingsModel()
    ranking.show(standings(filled.workbench.hypotheses.all(), filled.workbench.matrix.compute()))
    qtmodeltester.check(ranking)


# --- Hypotheses -------------------------------------------------------------------------------------------------------


def test_a_file_inside_an_archive_that_cannot_be_read_says_why(filled, tmp_path):
    path = tmp_path / "files.zip"
    path.write_bytes(zipped({"a.txt": b"The pump.", "locked.txt": b"x", "inner.zip": zipped({"empty.txt": b""})}))
    report = filled.workbench.documents.add([path])
    rows = {row.name: row for row in imported_files(report, {})}
    assert len(rows) == len(report.documents) == 5
    for name in ("files.zip/locked.txt", "files.zip/inner.zip/empty.txt"):
        assert rows[name].status == "failed"
        assert rows[name].why
        assert rows[name].remedy
    assert "note" not in {row.status for row in rows.values()}


def test_hypotheses_by_keyboard_alone(case, qtbot):
    screen = show(HypothesesScreen(case), qtbot)
    screen.field.setFocus()
    for text in ("It was the night technician.", "It was the vendor."):
        qtbot.keyClicks(screen.field, text)
        qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    assert [h.text for h in case.workbench.hypotheses.all()] == ["It was the night technician.", "It was the vendor."]
    assert screen.field.text() == ""

    screen.table.setFocus()
    screen.table.setCurrentIndex(screen.model.index(1, TEXT))
    qtbot.keyClick(screen.table, Qt.Key.Key_F2)
    editor = screen.table.findChild(QPlainTextEdit)
    editor.setPlainText("It was the vendor itself.")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert case.workbench.hypotheses.all()[1].text == "It was the vendor itself."

    screen.table.setCurrentIndex(screen.model.index(1, NOTE))
    screen._edit_column(NOTE)
    editor = [e for e in screen.table.findChildren(QPlainTextEdit) if e.isVisible()][-1]
    editor.setPlainText("Ask the vendor.")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert case.workbench.hypotheses.all()[1].note == "Ask the vendor."
    assert case.workbench.hypotheses.all()[1].text == "It was the vendor itself."

    screen.table.setFocus()
    screen.table.setCurrentIndex(screen.model.index(0, TEXT))
    qtbot.keyClick(screen.table, Qt.Key.Key_Delete)
    assert [h.id for h in case.workbench.hypotheses.all()] == ["H2"]
    case.undo()
    assert [h.id for h in case.workbench.hypotheses.all()] == ["H1", "H2"]


def test_reloading_chooses_nothing(filled, qtbot):
    screen = show(HypothesesScreen(filled), qtbot)
    screen.table.setCurrentIndex(screen.model.index(1, TEXT))
    chosen = []
    screen.selected.connect(chosen.append)
    filled.do(lambda bench: bench.hypotheses.edit("H1", text="It was somebody else."))
    assert chosen == []
    assert screen.table.currentIndex().row() == 1


def test_a_refused_hypothesis_stays_in_the_field(case, qtbot):
    screen = show(HypothesesScreen(case), qtbot)
    errors = complaints(case)
    long = "A hypothesis that never ends. " * 400
    screen.field.setText(long)
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    assert len(errors) == 1
    assert screen.field.text() == long
    assert case.workbench.hypotheses.all() == []


def test_a_refused_rewording_stays_in_the_editor(filled, qtbot):
    screen = show(HypothesesScreen(filled), qtbot)
    errors = complaints(filled)
    text = filled.workbench.hypotheses.all()[0].text
    screen.table.setCurrentIndex(screen.model.index(0, TEXT))
    screen.rivals.edit_current()
    editor = screen.table.findChild(QPlainTextEdit)
    long = "Word " * 3000
    editor.setPlainText(long)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert len(errors) == 1
    qtbot.waitUntil(lambda: any(e.toPlainText() == long for e in screen.table.findChildren(QPlainTextEdit)))
    assert filled.workbench.hypotheses.all()[0].text == text


# --- ranking ----------------------------------------------------------------------------------------------------------


def matrix_of(scores, ratings):
    ranks = {h: 1 + sum(1 for rival_score in scores.values() if rival_score < score) for h, score in scores.items()}
    best = min(scores.values())
    return Matrix(
        hypotheses=tuple(scores),
        rows=(MatrixRow("E1", ratings),),
        scores={DEFAULT_RULE: scores},
        ranks={DEFAULT_RULE: ranks},
        leaders={DEFAULT_RULE: tuple(h for h, score in scores.items() if score == best)},
        order=tuple(sorted(scores, key=lambda h: (ranks[h], h))),
    )


def test_ties_are_shown_as_ties_and_the_unrated_come_last():
    hypotheses = [Hypothesis(f"H{n}", f"hypothesis {n}") for n in range(1, 5)]
    matrix = matrix_of({"H1": 2.0, "H2": 1.0, "H3": 1.0, "H4": 0.0}, {"H1": "II", "H2": "I", "H3": "I", "H4": "NA"})
    rows = standings(hypotheses, matrix)
    assert [row.hypothesis.id for row in rows] == ["H2", "H3", "H1", "H4"]
    assert [row.score for row in rows] == [1.0, 1.0, 2.0, None]
    assert rows[0].rank.endswith("=")
    assert rows[0].share == pytest.approx(0.5)
    assert rows[2].share == 1.0
    assert rows[3].rank == ""


def test_what_alone_was_rated_does_not_stand_first(filled):
    evidence = filled.do(lambda bench: bench.evidence.add("The camera was not recording."))
    filled.do(lambda bench: bench.evidence.rate(evidence.id, "H2", "I"))
    bench = filled.workbench
    rows = standings(bench.hypotheses.all(), bench.matrix.compute())
    assert [(row.hypothesis.id, row.rank) for row in rows] == [("H1", ""), ("H2", "")]


# --- Search -----------------------------------------------------------------------------------------------------------


def test_search_finds_marks_and_opens(filled, qtbot):
    screen = show(SearchScreen(filled), qtbot)
    screen.field.setFocus()
    qtbot.keyClicks(screen.field, "camera recording")
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    best = screen.views.passages.model.rows[0]
    assert (best.name, best.page) == ("report.txt", 2)
    qtbot.keyClick(screen.field, Qt.Key.Key_Down)
    assert screen.views.passages.view.hasFocus()
    with qtbot.waitSignal(screen.show_source) as signal:
        qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_Return)
    assert signal.args == [best.document, 2, best.start, best.end]
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_Up)
    assert screen.field.hasFocus()


def test_marks_are_words_that_matter():
    text = "Then the accounts were read; an accountant and the vendor's account."
    marked = [text[start:end] for start, end in marks("who used the vendor account", text)]
    assert marked == ["vendor", "accounts", "accountant", "account"]
    assert marks("the and was", text) == []


def test_a_passage_becomes_evidence_and_undo_takes_it_back(filled, qtbot):
    screen = show(SearchScreen(filled), qtbot)
    screen.search_for("camera recording")
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    [evidence] = filled.workbench.evidence.all()
    passage = screen.views.passages.model.rows[0]
    assert (
        evidence.quote
        == filled.workbench.documents.page(passage.document, passage.page).text[passage.start : passage.end]
    )
    filled.undo()
    assert filled.workbench.evidence.all() == []


def test_nothing_found_says_what_to_do(case, qtbot):
    screen = show(SearchScreen(case), qtbot)
    screen.search_for("anything")
    qtbot.waitUntil(lambda: screen.views.passages.empty.sentence.text() != "")
    qtbot.waitUntil(lambda: screen.header.count.text() == "")
    assert screen.views.passages.currentWidget() is screen.views.passages.empty
    assert not screen.commands.add_action.isEnabled()


def test_search_ways_differ(filled, qtbot):
    screen = show(SearchScreen(filled), qtbot)
    screen.search_for("camera")
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    screen.bar.mode_buttons["lexical"].click()
    qtbot.waitUntil(lambda: all(passage.vector_rank is None for passage in screen.views.passages.model.rows))
    assert [passage.name for passage in screen.views.passages.model.rows] == ["report.txt"]


# --- Offline ----------------------------------------------------------------------------------------------------------


def test_the_proof_page_lists_the_case_and_counts_no_connection(filled, qtbot):
    screen = show(OfflineScreen(filled), qtbot)
    paths_listed = [used.path for used in used_paths(filled.workbench.path)]
    assert filled.workbench.path in paths_listed
    assert len(paths_listed) == len(set(paths_listed))
    assert open_connections() in (0, None)
    assert "0, counted" in screen.connections.text() or open_connections() is None


def test_the_proof_page_says_what_each_engine_is_kept_from(filled, qtbot):
    def engine_texts():
        return [label.text() for label in screen._scroll.widget().findChildren(QLabel)]

    class Kept(PlainReader):
        sandbox = None

        @property
        def fingerprint(self):
            self.sandbox = Sandbox(network=True, memory=True, detail="2 GB of memory at most; no Landlock")
            return "kept"

    class Free(PlainReader):
        sandbox = Sandbox(detail="not confined beyond limits")

    class Broken(PlainReader):
        sandbox = None

        @property
        def fingerprint(self):
            raise EngineStopped(engine="report writer", item="its start", reason="it ended with code 3")

    filled.engines = dataclasses.replace(filled.engines, reader=Kept(), viewer=Free(), writer=Broken(), judge=None)
    screen = show(OfflineScreen(filled), qtbot)
    assert engine_texts().count("Not started yet; it starts when it is first needed") == 3  # with the search model
    assert "No restrictions: it runs with your rights" in engine_texts()
    assert "Not on this computer" in engine_texts()
    next(action for action in screen.actions() if action.text() == "Check engines").trigger()
    qtbot.waitUntil(lambda: "Cannot reach a network; take more memory than its limit" in engine_texts())
    assert "2 GB of memory at most; no Landlock" in engine_texts()
    assert "Did not start" in engine_texts()
    assert any("it ended with code 3" in text for text in engine_texts())
    screen._copy()
    assert "Reading documents: Cannot reach a network" in QGuiApplication.clipboard().text()


def test_an_open_socket_is_counted(filled):
    import socket

    if open_connections() is None:
        pytest.skip("this system does not list sockets")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("127.0.0.1", 0))
        except OSError:
            pytest.skip("no loopback interface here")
        assert open_connections() == 1
