"""The density of the settings: the rows of every table and list stand closer, or less close, at once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView, QTableView

from gui_app.shared import theme

SCREENS = {
    "Documents": ("Documents",),
    "Hypotheses": ("Hypotheses",),
    "Review": ("Queue of passages",),
    "Search": ("Passages found",),
    "Accuracy": ("Figures",),
}


@pytest.fixture(autouse=True)
def compact_again():
    yield
    theme.set_density("compact")


def rows_of(screen, name):
    """The heights of the first rows of the table or list of this name."""
    (view,) = [v for kind in (QTableView, QListView) for v in screen.findChildren(kind) if v.accessibleName() == name]
    return [view.visualRect(view.model().index(at, 0)).height() for at in range(min(3, view.model().rowCount()))]


@pytest.mark.parametrize("name", SCREENS)
def test_rows_have_more_room_where_it_is_comfortable(with_case, qtbot, name):
    with_case.go(name)
    screen = with_case.screen_named(name)
    if name == "Search":
        screen.search_for("vendor")
    for view in SCREENS[name]:
        qtbot.waitUntil(lambda view=view: bool(rows_of(screen, view)))
        close = rows_of(screen, view)
        theme.set_density("comfortable")
        qtbot.waitUntil(lambda view=view, close=close: all(a > b for a, b in zip(rows_of(screen, view), close)))
        theme.set_density("compact")
        qtbot.waitUntil(lambda view=view, close=close: rows_of(screen, view) == close)
