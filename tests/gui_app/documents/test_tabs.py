"""The tabs of the documents have the room that their words need, whatever was on show before."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from gui_app.documents.state import DocumentsState
from gui_app.documents.tabs import FAILED, IMPORT, DocumentTabs
from tests.gui_app.small_case import put_on_show


def test_tabs_that_change_while_they_are_hidden_are_not_cut(qtbot):
    around = QWidget()
    column = QVBoxLayout(around)
    tabs = DocumentTabs()
    column.addWidget(tabs)
    around.resize(700, 200)
    put_on_show(qtbot, around)
    documents = [object(), object()]
    tabs.name_import("Last import", "")
    tabs.show_state(DocumentsState(documents=documents), has_report=True)
    QApplication.processEvents()
    for whole in (tabs, around):
        whole.hide()
        QApplication.processEvents()
        tabs.name_import("Last import (2 failed)", "Last import: 1 of 3 added, 2 failed")
        tabs.show_state(DocumentsState(documents=documents, failures=documents), has_report=True)
        whole.show()
        QApplication.processEvents()
        assert tabs.bar.isTabVisible(FAILED)
        assert tabs.bar.width() == tabs.bar.sizeHint().width()
        assert tabs.bar.tabRect(IMPORT).right() < tabs.bar.tabRect(FAILED).right() < tabs.bar.width()
        tabs.name_import("Last import", "")
        tabs.show_state(DocumentsState(documents=documents), has_report=True)
        QApplication.processEvents()
