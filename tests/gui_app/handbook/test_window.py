"""The handbook under real keys: F1 opens the page of what is on show, the search leads to its sections, and back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from core.handbook.pages import FOLDER, page_named, pages
from gui_app.handbook.page_html import html_of
from gui_app.handbook.window import HandbookWindow
from gui_app.shared import theme
from gui_app.shell.navigation import PLACES

Key, Modifier = Qt.Key, Qt.KeyboardModifier
IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def handbook(qtbot, styled):
    handbook = HandbookWindow()
    qtbot.addWidget(handbook)
    handbook.open("README")
    handbook.show()
    with qtbot.waitActive(handbook):
        handbook.activateWindow()
    yield handbook
    theme.apply(styled, "light")


def on_show(window: HandbookWindow) -> str:
    return window._stops[window._index].page


def first_visible_line(window: HandbookWindow) -> str:
    cursor = window.view.cursorForPosition(window.view.viewport().rect().topLeft())
    return cursor.block().text().strip()


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_every_screen_has_a_page_of_its_name(place):
    page = page_named(place.name)
    assert page is not None
    assert page.title == place.name


def test_f1_opens_the_page_of_the_screen_on_show(with_case, qtbot, session):
    for place in PLACES:
        with_case.go(place.name)
        with_case.activateWindow()
        QApplication.processEvents()
        qtbot.keyClick(with_case, Key.Key_F1)
        window = with_case.commands.handbook_window
        assert window.isVisible()
        assert on_show(window) == place.name.lower()
    qtbot.waitUntil(lambda: not session.tasks._newest)


@pytest.mark.parametrize(
    ("screen", "part", "title"),
    [
        ("Search", "timeline", "Timeline"),
        ("Search", "apart", "Diagnosticity"),
        ("Hypotheses", "premortem", "Premortem"),
    ],
)
def test_f1_on_a_part_of_a_screen_opens_its_section(with_case, qtbot, session, screen, part, title):
    with_case.go(screen, part)
    qtbot.keyClick(with_case, Key.Key_F1)
    window = with_case.commands.handbook_window
    assert (on_show(window), first_visible_line(window)) == (screen.lower(), title)
    qtbot.waitUntil(lambda: not session.tasks._newest and not session.tasks.busy())


@pytest.mark.parametrize("screen", ["Search", "Hypotheses"])
def test_every_part_of_a_screen_has_its_section(with_case, qtbot, session, screen):
    page = page_named(screen)
    anchors = {section.anchor for section in page.sections}
    with_case.go(screen)
    tabs = with_case.current().views.tabs if screen == "Search" else with_case.current().tabs
    sections = []
    for index in range(tabs.count()):
        if tabs.isTabVisible(index):
            tabs.setCurrentIndex(index)
            sections.append(with_case.current().handbook_section())
    assert len(set(sections)) == len(sections)
    assert set(sections) <= anchors
    qtbot.waitUntil(lambda: not session.tasks._newest and not session.tasks.busy())


@pytest.mark.parametrize(
    ("key", "modifier", "page", "heading"),
    [
        (Key.Key_Comma, Modifier.ControlModifier, "settings", "Settings"),
        (Key.Key_Slash, Modifier.ControlModifier, "keys", "Keys"),
        (Key.Key_Comma, Modifier.ControlModifier | Modifier.ShiftModifier, "settings", "Settings of the case"),
    ],
)
def test_f1_in_a_dialog_opens_its_page_and_the_dialog_stays(with_case, qtbot, key, modifier, page, heading):
    qtbot.keyClick(with_case, key, modifier)
    dialog = next(candidate for candidate in with_case.findChildren(QDialog) if candidate.isVisible())
    dialog.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dialog)
    qtbot.keyClick(dialog, Key.Key_F1)
    window = with_case.commands.handbook_window
    assert on_show(window) == page
    assert first_visible_line(window) == heading
    assert dialog.isVisible()
    assert window.isVisible()
    dialog.close()


def test_the_start_page_leads_to_the_method_by_keys(window, qtbot):
    button = window.current().method_button
    button.setFocus()
    qtbot.keyClick(button, Key.Key_Space)
    assert on_show(window.commands.handbook_window) == "method"


def test_the_handbook_closes_with_escape_and_with_the_window(window, qtbot):
    qtbot.keyClick(window, Key.Key_F1)
    handbook = window.commands.handbook_window
    qtbot.keyClick(handbook.view, Key.Key_Escape)
    assert not handbook.isVisible()
    qtbot.keyClick(window, Key.Key_F1)
    assert window.commands.handbook_window is handbook
    assert handbook.isVisible()
    window.close()
    assert not handbook.isVisible()


def test_a_search_by_keys_leads_to_the_section_and_back_again(handbook, qtbot):
    handbook.open("method")
    qtbot.keyClick(handbook, Key.Key_F, Modifier.ControlModifier)
    assert QApplication.focusWidget() is handbook.field
    QTest.keyClicks(handbook.field, "premortem")
    qtbot.keyClick(handbook.field, Key.Key_Return)
    assert handbook.side.currentWidget() is handbook.hits
    titles = [handbook.hits.item(n).data(Qt.ItemDataRole.AccessibleTextRole) for n in range(handbook.hits.count())]
    to = next(n for n, title in enumerate(titles) if title.startswith("Hypotheses: Premortem"))
    for _ in range(to):
        qtbot.keyClick(handbook.field, Key.Key_Down)
    qtbot.keyClick(handbook.field, Key.Key_Return)
    assert (on_show(handbook), first_visible_line(handbook)) == ("hypotheses", "Premortem")
    marks = [mark.cursor.selectedText().lower() for mark in handbook.view.extraSelections()]
    assert marks
    assert set(marks) <= {"premortem", "premortems"}
    while on_show(handbook) != "method":
        qtbot.keyClick(handbook, Key.Key_Left, Modifier.AltModifier)
    qtbot.keyClick(handbook, Key.Key_Right, Modifier.AltModifier)
    assert on_show(handbook) != "method"
    qtbot.keyClick(handbook.field, Key.Key_Escape)
    assert handbook.side.currentWidget() is handbook.contents
    assert handbook.isVisible()


def test_a_search_for_what_is_not_there_says_so(handbook, qtbot):
    handbook.field.setText("giraffe")
    qtbot.waitUntil(lambda: handbook.side.currentWidget() is handbook.no_hits)
    assert "giraffe" in handbook.no_hits.text()


def test_the_contents_are_walked_by_keys(handbook, qtbot):
    handbook.contents.setFocus()
    handbook.contents.setCurrentItem(handbook._items["method"])
    qtbot.keyClick(handbook.contents, Key.Key_Down)
    qtbot.keyClick(handbook.contents, Key.Key_Return)
    assert on_show(handbook) == "first-case"
    assert QApplication.focusWidget() is handbook.view


def test_links_are_followed_by_keys_and_where_one_was_is_found_again(handbook, qtbot):
    handbook.view.setFocus()
    qtbot.keyClick(handbook.view, Key.Key_Tab)
    qtbot.keyClick(handbook.view, Key.Key_Return)
    assert on_show(handbook) == pages()[1].name
    bar = handbook.view.verticalScrollBar()
    qtbot.keyClick(handbook.view, Key.Key_PageDown)
    offset = bar.value()
    assert offset > 0
    handbook.open("matrix")
    qtbot.keyClick(handbook, Key.Key_Left, Modifier.AltModifier)
    assert (on_show(handbook), bar.value()) == (pages()[1].name, offset)


def test_every_page_has_its_headings_as_places_to_go_to(handbook):
    for page in pages():
        for section in page.sections[1:]:
            handbook.open(page.name, section.anchor)
            names = [part for block in blocks(handbook.view.document()) for part in names_in(block)]
            assert section.anchor in names
        assert html_of(page).count("<a name=") == len(page.sections)


def blocks(document: QTextDocument):
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def names_in(block):
    fragments = block.begin()
    while not fragments.atEnd():
        yield from fragments.fragment().charFormat().anchorNames()
        fragments += 1


def test_nothing_is_loaded_but_pictures_of_the_handbook(handbook, tmp_path):
    name = next(file.stem for file in (FOLDER / "pictures").iterdir() if not file.stem.endswith("-dark"))
    assert not handbook.view.loadResource(IMAGE, QUrl(f"pictures/{name}.png")).isNull()
    for address in (
        *("https://example.org/a.png", "file:///etc/passwd", "../icons/add.svg", "pictures/../../icons/add.png"),
        *(f"{tmp_path}/x.png", "qrc:/x.png", "data:image/png;base64,AAAA", "pictures/none.txt"),
    ):
        assert handbook.view.loadResource(IMAGE, QUrl(address)) is None, address
    style = QTextDocument.ResourceType.StyleSheetResource.value
    assert handbook.view.loadResource(style, QUrl(f"pictures/{name}.png")) is None


def test_a_link_out_of_the_handbook_does_nothing(handbook):
    handbook.view._follow(QUrl("https://example.org/"))
    handbook.view._follow(QUrl("file:///etc/passwd"))
    assert on_show(handbook) == "README"


def test_pictures_are_never_wider_than_the_text_and_follow_the_colours(handbook, styled, qtbot):
    handbook.resize(900, 700)
    QApplication.processEvents()
    light = handbook.view.loadResource(IMAGE, QUrl("pictures/matrix.png"))
    assert light.width() <= handbook.view.viewport().width() * handbook.view.devicePixelRatioF()
    theme.apply(styled, "dark")
    dark = handbook.view.loadResource(IMAGE, QUrl("pictures/matrix.png"))
    assert dark.pixelColor(5, 5).lightness() < 90 < 160 < light.pixelColor(5, 5).lightness()


def test_text_follows_the_size_that_is_set_and_stays_at_its_place(window, qtbot, styled):
    qtbot.keyClick(window, Key.Key_F1)
    handbook = window.commands.handbook_window
    handbook.open("matrix", "the-score")
    size = handbook.view.document().defaultFont().pixelSize()
    qtbot.keyClick(handbook, Key.Key_Plus, Modifier.ControlModifier)
    assert handbook.view.document().defaultFont().pixelSize() == size + 1
    assert handbook.view.verticalScrollBar().value() > 0
    qtbot.keyClick(handbook, Key.Key_0, Modifier.ControlModifier)
    assert handbook.view.document().defaultFont().pixelSize() == size
