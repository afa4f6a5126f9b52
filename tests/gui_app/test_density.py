"""The density of the settings: the rows of every table and list stand closer, or less close, at once."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QListView, QTableView

from gui_app.shared import theme

VIEWS = {
    "Documents": "Documents of the case",
    "Hypotheses": "Hypotheses of the case",
    "Review": "Queue of proposals",
    "Search": "Passages found",
    "Accuracy": "Figures",
}


@pytest.fixture(autouse=True)
def compact_again():
    yield
    theme.set_density("compact")


def rows_of(screen, name):
    """The heights of the first rows of the table or list of this name."""
    (view,) = [v for kind in (QTableView, QListView) for v in screen.findChildren(kind) if v.accessibleName() == name]
    return [view.visualRect(view.model().index(row, 0)).height() for row in range(min(3, view.model().rowCount()))]


@pytest.mark.parametrize("name", VIEWS)
def test_rows_have_more_room_where_it_is_comfortable(with_case, session, qtbot, name):
    session.do(lambda bench: bench.review.propose(passages=4))
    with_case.go(name)
    screen, view = with_case.screen_named(name), VIEWS[name]
    if name == "Search":
        screen.search_for("vendor")
    qtbot.waitUntil(lambda: bool(rows_of(screen, view)))
    close = rows_of(screen, view)
    theme.set_density("comfortable")
    qtbot.waitUntil(lambda: all(wide > high for wide, high in zip(rows_of(screen, view), close, strict=True)))
    theme.set_density("compact")
    qtbot.waitUntil(lambda: rows_of(screen, view) == close)
