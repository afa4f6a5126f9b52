"""Titles in the list of documents."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt

from core.engines.readers.dispatch import FileReader
from core.ports import Engines
from gui_app.documents.documents_model import DocumentsModel
from gui_app.documents.screen import DocumentsScreen
from tests.core.documents.test_descriptions import ARTICLE
from tests.fakes import HashEmbedder
from tests.gui_app.small_case import put_on_show


@pytest.fixture
def engines():
    return Engines(FileReader(), HashEmbedder())


@pytest.fixture
def screen(case, tmp_path, qtbot):
    texts = {
        "0.txt": ARTICLE,
        "1.txt": "the river rose and nobody knows why.\n",
        "ferry.txt": f"TITLE: ferry\n\n{ARTICLE}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / name for name in texts]))
    screen = DocumentsScreen(case)
    put_on_show(qtbot, screen, 1300, 700)
    return screen


def colours_beside_the_name(screen, row):
    """How many colours the cell has where a name of a few letters has ended."""
    box = screen.table.visualRect(screen.proxy.index(row, DocumentsModel.NAME))
    image = screen.table.viewport().grab(QRect(box.left() + 110, box.top() + 3, 200, box.height() - 6)).toImage()
    return len({image.pixel(x, y) for x in range(image.width()) for y in range(image.height())})


def test_a_title_stands_beside_the_name_and_is_said(screen):
    screen.table.choose_columns(["Date"])
    screen.table.sortByColumn(DocumentsModel.NAME, Qt.SortOrder.AscendingOrder)
    name_cells = [screen.proxy.index(row, DocumentsModel.NAME) for row in range(3)]
    assert [index.data() for index in name_cells] == ["0.txt", "1.txt", "ferry.txt"]
    screen.table.clearSelection()
    assert [colours_beside_the_name(screen, row) > 1 for row in range(3)] == [True, False, False]
    role = Qt.ItemDataRole.AccessibleTextRole
    assert [index.data(role) for index in name_cells] == [
        "Name: 0.txt, FERRY SINKS AS RIVER RISES, in scope",
        "Name: 1.txt, in scope",
        "Name: ferry.txt, in scope",
    ]
    assert [screen.proxy.index(row, DocumentsModel.DATE).data() for row in range(2)] == ["1994-09-24", ""]
