"""A row of widgets that goes on in the next line, whatever becomes of the items that Qt keeps for them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from shiboken6 import delete, invalidate

from gui_app.shared.flow_layout import FlowLayout


@pytest.fixture
def row(qtbot):
    whole = QWidget()
    qtbot.addWidget(whole)
    layout = FlowLayout(whole, gap=8)
    for number in range(4):
        label = QLabel(f"label {number}")
        label.setFixedSize(80, 20)
        layout.addWidget(label)
    whole.resize(400, 200)
    whole.show()
    qtbot.waitExposed(whole)
    yield layout
    assert whole.layout() is layout  # it lives as long as the test does


def labels(row):
    return [row.itemAt(index).widget().text() for index in range(row.count())]


def test_a_narrow_row_goes_on_below(row):
    assert row.heightForWidth(400) == 20
    assert row.heightForWidth(200) == 48


def test_items_that_were_given_up_are_made_anew(row):
    height = row.heightForWidth(200)
    for item, _ in row._items:
        invalidate(item)
    assert labels(row) == ["label 0", "label 1", "label 2", "label 3"]
    assert row.heightForWidth(200) == height
    row.removeWidget(row.itemAt(1).widget())
    assert labels(row) == ["label 0", "label 2", "label 3"]


def test_a_widget_that_is_gone_takes_no_room(row, qtbot):
    last = row.itemAt(3).widget()
    for item, _ in row._items:
        invalidate(item)
    delete(last)
    assert labels(row) == ["label 0", "label 1", "label 2"]
    assert row.sizeHint().width() == 3 * 80 + 2 * 8
