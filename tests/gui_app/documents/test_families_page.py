"""The page of documents that repeat one another: its rows, the sentence above them, and where they lead."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.documents.relations import Family, Relation
from core.domain import Document
from core.ports import Engines
from gui_app.documents.families_page import FamiliesModel, rows_of
from gui_app.documents.screen import DocumentsScreen
from gui_app.documents.tabs import HERE, REPEATS
from tests.core.documents.test_relations import LONG, OTHER, SHORT
from tests.fakes import HashEmbedder, PlainReader
from tests.gui_app.small_case import put_on_show

BODIES = {
    "agency.txt": f"{LONG}Nothing else was known of it.",
    "ferry.txt": f"{SHORT}{OTHER} {'The weather was fair all week in the valley. ' * 20}",
    "paper.txt": f"{'Readers ask us every day what is going on up there. ' * 12}{LONG}",
}


@pytest.fixture
def engines():
    return Engines(PlainReader(), HashEmbedder())


@pytest.fixture
def screen(case, tmp_path, qtbot):
    for name, text in BODIES.items():
        (tmp_path / name).write_text(text, "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / name for name in BODIES]))
    screen = DocumentsScreen(case)
    put_on_show(qtbot, screen, 1100, 700)
    screen.refresh()
    return screen


@pytest.fixture
def families(screen, qtbot):
    screen.tabs.setCurrentIndex(REPEATS)
    qtbot.waitUntil(lambda: len(screen.families.model.rows) == 2)
    return screen.families


def test_who_repeats_whom_stands_under_a_sentence_that_counts_the_sources(screen, families):
    assert screen.pages.currentWidget() is families
    model = families.model
    texts = [[model.index(row, column).data() for column in (model.DOCUMENT, model.HOW)] for row in range(2)]
    assert texts == [["agency.txt", "2 documents"], ["\u21b3  paper.txt", "1 sentence"]]
    assert families.summary.text() == (
        "1 of 3 documents repeats an earlier one; if those that repeat one another count as one, 2 sources are left."
    )
    role = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(1, model.HOW).data(role) == "Repeats: 1 sentence D1"


def test_enter_goes_to_the_words_that_are_repeated_and_a_row_can_be_compared(screen, families, qtbot):
    families.table.setFocus()
    QTest.keyClick(families.table, Qt.Key.Key_Down)
    QTest.keyClick(families.table, Qt.Key.Key_Down)
    assert [document.name for document in families.chosen()] == ["paper.txt"]
    assert screen.current_item().name == "paper.txt"
    with qtbot.waitSignal(screen.show_source) as signal:
        QTest.keyClick(families.table, Qt.Key.Key_Return)
    document, page, start, end = signal.args
    assert (document, page) == ("D3", 1)
    assert BODIES["paper.txt"][start:end] == LONG.strip()
    screen.compare.trigger()
    qtbot.waitUntil(lambda: screen.comparison.pair == ("D1", "D3"))


def test_the_page_follows_the_documents_of_the_case(screen, families, case, qtbot, tmp_path):
    (tmp_path / "third.txt").write_text(f"{'A third paper has its own words here. ' * 12}{LONG}", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "third.txt"]))
    screen.refresh()
    qtbot.waitUntil(lambda: len(families.model.rows) == 3)
    case.do(lambda bench: bench.documents.describe(["D3"], title="The paper"))
    screen.refresh()
    assert families.model.index(1, FamiliesModel.DOCUMENT).data() == "\u21b3  The paper (paper.txt)"
    screen.tabs.setCurrentIndex(HERE)
    screen.forget()
    assert families.model.rows == []


def test_a_row_stands_below_the_one_that_it_repeats():
    documents = {f"D{n}": Document(f"D{n}", f"{n}.txt", "", "text", 1, 1, 1, "ready", "") for n in range(1, 5)}
    family = Family(
        ("D1", "D2", "D3", "D4"),
        (
            Relation("D2", "D1", "copy", 0.9),
            Relation("D3", "D1", "sentences", sentences=2),
            Relation("D4", "D2", "version"),
        ),
    )
    rows = rows_of([family], documents)
    assert [(row.document.id, row.depth, row.members) for row in rows] == [
        ("D1", 0, 4),
        ("D2", 1, 0),
        ("D4", 2, 0),
        ("D3", 1, 0),
    ]


def test_copies_that_were_not_stored_are_named_and_an_empty_list_compares_nothing(case, tmp_path, qtbot):
    (tmp_path / "gate.txt").write_text("The guard saw a van at the gate.", "utf-8")
    (tmp_path / "annex").mkdir()
    (tmp_path / "annex" / "van.txt").write_text("The guard saw a van at the gate.", "utf-8")
    (tmp_path / "log.txt").write_text("Nobody signed for the crate that night.", "utf-8")
    for _ in range(2):
        case.do(lambda bench: bench.documents.add([tmp_path / "gate.txt", tmp_path / "log.txt"]))
    screen = DocumentsScreen(case)
    put_on_show(qtbot, screen, 1100, 700)
    screen.refresh()
    screen.tabs.setCurrentIndex(REPEATS)
    summary = screen.families.summary
    qtbot.waitUntil(lambda: summary.text() == "No document in the case repeats another.")
    assert not screen.compare.isEnabled()
    case.do(lambda bench: bench.documents.add([tmp_path / "annex" / "van.txt"]))
    screen.refresh()
    qtbot.waitUntil(lambda: "exact copy" in summary.text())
    assert summary.text().endswith("1 exact copy was not stored: van.txt (as gate.txt).")
    screen.tabs.setCurrentIndex(HERE)
    assert screen.compare.isEnabled()
