"""Another theme or text size: at once where it is seen, and elsewhere when it is shown."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton, QWidget

from core import settings
from gui_app.review.quote_view import QuoteView
from gui_app.shared import theme

Key = Qt.Key


class Restyled(QObject):
    """Counts how often each widget is told that its style changed."""

    def __init__(self, widgets: list[QWidget]) -> None:
        super().__init__()
        self.counts: Counter[QObject] = Counter()
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.StyleChange:
            self.counts[watched] += 1
        return False


@pytest.fixture(autouse=True)
def light_again(styled):
    yield
    theme.apply(styled, "light")


def everything_in(part: QWidget) -> list[QWidget]:
    return [part, *part.findChildren(QWidget)]


def test_a_screen_that_is_not_shown_is_left_alone_until_it_is(with_case):
    for name in ("Search", "Matrix", "Review", "Documents"):
        with_case.go(name)
    hidden = with_case.screen_named("Search")
    restyled = Restyled(everything_in(hidden))
    with_case.commands.set_theme("dark")
    assert not restyled.counts
    with_case.go("Search")
    assert restyled.counts[hidden] == 1
    title = next(part for part in hidden.findChildren(QLabel) if part.property("role") == "muted")
    assert title.palette().color(QPalette.ColorRole.WindowText).name() == theme.DARK.muted
    with_case.go("Documents")
    with_case.go("Search")
    assert restyled.counts[hidden] == 1


def test_a_widget_on_show_is_told_once_for_itself_and_not_for_all_around_it(with_case):
    with_case.go("Documents")
    button = with_case.rail.buttons["Matrix"]
    restyled = Restyled([button])
    with_case.commands.set_theme("dark")
    assert 1 <= restyled.counts[button] <= 2  # the sheet before is taken off, the new one is put on


def test_what_was_hidden_has_the_new_text_size_and_keeps_its_letters(with_case):
    with_case.go("Review")
    review = with_case.screen_named("Review")
    quotes = review.findChildren(QuoteView)
    with_case.go("Documents")
    title = next(part for part in review.findChildren(QLabel) if part.property("role") == "title")
    height = title.sizeHint().height()
    for _ in range(4):
        with_case.commands.larger.trigger()
    with_case.go("Review")
    assert title.font().pixelSize() == theme.px(theme.TITLE)
    assert title.sizeHint().height() > height
    assert quotes
    assert {quote.font().family() for quote in quotes} <= {theme.SERIF, theme.SANS}


def test_what_stands_away_from_the_edge_does_so_in_other_colours(with_case):
    with_case.go("Search")
    hidden = with_case.current().views.names.lists.nothing
    on_show = with_case.current().bar.note
    former = hidden.contentsMargins(), on_show.contentsMargins()
    assert not any(margins.isNull() for margins in former)
    with_case.commands.set_theme("dark")
    with_case.current().show_part("names")
    assert (hidden.contentsMargins(), on_show.contentsMargins()) == former


def test_an_icon_is_drawn_once_for_all_themes(with_case, styled):
    theme.apply(styled, "light")
    drawings = theme._shape.cache_info().misses
    theme.apply(styled, "dark")
    theme.apply(styled, "contrast")
    assert theme._shape.cache_info().misses == drawings
    picture = theme.pixmap("matrix", 32).toImage()
    colours = {
        picture.pixelColor(x, y).name() for x in range(32) for y in range(32) if picture.pixelColor(x, y).alpha() == 255
    }
    assert colours == {theme.CONTRAST.text}


def test_ctrl_0_brings_the_usual_text_size_back(with_case, qtbot):
    for _ in range(3):
        qtbot.keyClick(with_case, Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert settings.load().text_size == theme.BODY + 3
    qtbot.keyClick(with_case, Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert settings.load().text_size == theme.BODY
    assert theme.px(100) == 100
    assert "Default text size" in [entry.title for entry in with_case.commands.entries()]


def test_a_toast_and_the_line_below_have_room_for_a_larger_text_while_they_stand(with_case, session, qtbot):
    gate = threading.Event()
    session.run("Counting", lambda _bench, _progress: gate.wait())
    session.tell("Your rating is saved; Everyone shows another one, as most of the people who rated say", undo=True)
    toast, strip = with_case.toast, with_case.strip
    text, button = toast.findChild(QLabel), toast.findChild(QPushButton)
    try:
        for key in (Key.Key_Plus,) * 8 + (Key.Key_Minus,) * 10:
            qtbot.keyClick(with_case, key, Qt.KeyboardModifier.ControlModifier)
            QApplication.sendPostedEvents()
            needed = text.fontMetrics().boundingRect(text.rect(), Qt.TextFlag.TextWordWrap, text.text())
            assert text.width() >= needed.width()
            assert text.height() >= needed.height()
            assert button.height() >= button.sizeHint().height()
            assert toast.parentWidget().rect().contains(toast.geometry())
            assert strip.height() >= strip.minimumSizeHint().height()
    finally:
        gate.set()


@pytest.mark.parametrize("colours", ["light", "dark", "contrast"])
def test_the_screen_on_show_is_told_apart_from_the_one_under_the_pointer(with_case, qtbot, colours):
    with_case.commands.set_theme(colours)
    with_case.go("Documents")
    hovered, idle = with_case.rail.buttons["Matrix"], with_case.rail.buttons["Review"]
    point = hovered.mapTo(with_case, hovered.rect().center())
    qtbot.mouseMove(with_case, point)
    QApplication.sendEvent(hovered, QEnterEvent(QPointF(9, 9), QPointF(point), QPointF(point)))
    assert hovered.underMouse()

    def fill(button):
        return button.grab().toImage().pixelColor(button.width() - 8, button.height() // 2)

    assert fill(hovered) == fill(idle)
    selected = with_case.rail.buttons["Documents"]
    assert fill(selected).name() == theme.tokens().selection
    edge = selected.grab().toImage().pixelColor(1, selected.height() // 2)
    assert edge.name() == theme.tokens().accent


@pytest.mark.parametrize("colours", ["light", "dark", "contrast"])
def test_what_cannot_be_used_now_looks_so(window, colours):
    window.commands.set_theme(colours)
    usable, unusable = window.rail.buttons["Start"], window.rail.buttons["Matrix"]
    assert usable.isEnabled()
    assert not unusable.isEnabled()

    window.rail.group.setExclusive(False)
    usable.setChecked(False)

    def ink(button: QToolButton) -> int:
        """How far the ink of the button lies from its background, at most."""
        picture = button.parentWidget().grab(button.geometry()).toImage()
        back = QColor(theme.tokens().background).lightness()
        points = ((x, y) for x in range(picture.width()) for y in range(picture.height()))
        return max(abs(picture.pixelColor(x, y).lightness() - back) for x, y in points)

    usable.clearFocus()
    assert ink(usable) - ink(unusable) >= 30
