"""What holds for every working screen: named controls, keys of its own, no markup, quick to open a page."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollBar,
    QStackedWidget,
    QTableView,
    QWidget,
)

from gui_app.matrix.screen import MatrixScreen
from gui_app.report.screen import ReportScreen
from gui_app.review.screen import ReviewScreen
from gui_app.shared import theme as look
from gui_app.viewer.screen import ViewerScreen
from tests.gui_app.small_case import open_session, put_on_show

SCREENS = [ReviewScreen, MatrixScreen, ViewerScreen, ReportScreen]


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as session:
        bench = session.workbench
        bench.review.accept([bench.verdicts.proposals()[0].id], rate=True)
        yield session


@pytest.fixture(params=SCREENS, ids=[screen.name for screen in SCREENS])
def screen(request, qtbot, session):
    screen = request.param(session)
    put_on_show(qtbot, screen)
    return screen


def named(widget: QWidget) -> bool:
    name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
    return bool(name.strip())


def own_controls(screen: QWidget) -> list[QWidget]:
    """Everything the focus can reach. What Qt builds into a control belongs to it; a label is its own name."""
    return [
        widget
        for widget in screen.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and widget.focusProxy() is None
        and not isinstance(widget, QScrollBar | QHeaderView | QLabel)
        and not widget.objectName().startswith("qt_")
        and not any(isinstance(parent, QComboBox | QTableView) for parent in parents(widget))
    ]


def parents(widget: QWidget) -> list[QWidget]:
    ancestors = []
    parent = widget.parentWidget()
    while parent is not None:
        ancestors.append(parent)
        parent = parent.parentWidget()
    return ancestors


def test_every_control_has_a_name(screen):
    controls = own_controls(screen)
    assert len(controls) > 1
    assert [type(widget).__name__ for widget in controls if not named(widget)] == []


def test_no_two_commands_share_a_key(screen):
    keys = [key.toString() for action in screen.actions() for key in action.shortcuts()]
    assert len(keys) == len(set(keys)) > 1
    assert all(action.text() for action in screen.actions())


def test_labels_read_no_markup(screen):
    assert [
        label.text()
        for label in screen.findChildren(QLabel)
        if label.textFormat() != Qt.TextFormat.PlainText and label.pixmap().isNull() and label.text()
    ] == []


def test_the_focus_starts_where_the_work_is(qtbot, screen):
    pages = QStackedWidget()  # as in the window: the stack hands the focus over when a screen is shown
    pages.addWidget(QPushButton("another screen"))
    put_on_show(qtbot, pages)
    pages.currentWidget().setFocus()
    pages.addWidget(screen)
    pages.setCurrentWidget(screen)
    focused = pages.window().focusWidget()
    screen.setParent(None)  # the fixture closes it
    assert type(focused).__name__ in ("QueueList", "MatrixGrid", "PageView", "QPushButton")


def test_a_screen_fits_a_small_window(screen):
    for width in (900, 520):  # as a window is made smaller: the matrix moves its rules below the grid on the way
        screen.resize(width, 480)
        QApplication.processEvents()
    assert screen.minimumSizeHint().width() <= 520
    assert screen.minimumSizeHint().height() <= 480


@pytest.mark.parametrize("theme", ["dark", "contrast", "light"])
def test_every_theme_paints(qtbot, screen, theme):
    look.apply(QApplication.instance(), theme)
    assert not screen.grab().isNull()


def test_a_warm_quote_is_on_its_page_at_once(qtbot, session):
    viewer = ViewerScreen(session)
    put_on_show(qtbot, viewer)
    proposals = session.workbench.verdicts.proposals()
    for proposal in proposals:  # warm: the pictures are kept
        quote = proposal.quote
        viewer.open_source(quote.document, quote.page, quote.start, quote.end)
        qtbot.waitUntil(lambda: viewer.page_view.picture_scale() == viewer.page_view.wanted_scale())
    for proposal in proposals:
        quote = proposal.quote
        viewer.open_source(quote.document, quote.page, quote.start, quote.end)
        viewer.page_view.viewport().repaint()
        # No turn of the window between: nothing that is read beside it is waited for.
        assert viewer.page_view.picture_scale() == viewer.page_view.wanted_scale()
