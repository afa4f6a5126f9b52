"""Keys and words on the screen that the handbook names exist in the program, keys of a screen on that screen."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from core.handbook.pages import Page, pages, parser
from gui_app.handbook.window import HandbookWindow
from gui_app.shell.navigation import PLACES

ROOT = Path(__file__).parents[3]
KEY = re.compile(
    r"(?:(?:Ctrl|Alt|Shift)\+)*(?:[A-Z0-9.,+/\[\]-]|F\d\d?|Enter|Return|Esc|Del|Delete|Space|Tab|Backspace|"
    r"PgUp|PgDown|Left|Right|Up|Down)"
)
RATINGS = {"C", "N", "I"}
# What Qt's widgets do by themselves, or the window does without a command; F10 is the menu button's.
OF_THE_TOOLKIT = {"Enter", "Return", "Esc", "Tab", "Space", "Shift", "F10"}


def normal(key: str) -> str:
    return QKeySequence.fromString(key).toString()


def keys_of(actions: list[QAction]) -> set[str]:
    keys = {sequence.toString() for action in actions for sequence in action.shortcuts()}
    for action in actions:
        keys |= {
            normal(word) for word in re.findall(rf"(?<!\w){KEY.pattern}(?!\w)", action.property("shown_keys") or "")
        }
    return keys


def spans(page: Page, kind: str) -> list[str]:
    """The words set as code, or those set as words on the screen."""
    words: list[str] = []
    for token in parser().parse(page.markdown):
        inside = False
        for child in token.children or ():
            if child.type == "code_inline" and kind == "code":
                words.append(child.content)
            elif child.type in ("em_open", "em_close"):
                inside = child.type == "em_open"
                if inside and kind == "screen":
                    words.append("")
            elif inside and kind == "screen":
                words[-1] += " " if child.type == "softbreak" else child.content
    return words


def unknown_keys(page: Page, program_keys: set[str]) -> list[str]:
    keys = [text for text in spans(page, "code") if KEY.fullmatch(text) and text not in OF_THE_TOOLKIT | RATINGS]
    return [key for key in keys if normal(key) not in program_keys]


@pytest.fixture
def keys(with_case, qtbot, session):
    """The keys of the whole window, and those of each screen besides."""
    everywhere = keys_of(with_case.actions())
    by_screen = {}
    for place in PLACES:
        screen: QWidget = with_case.screen_named(place.name)
        by_screen[place.name.lower()] = keys_of([*screen.actions(), *screen.findChildren(QAction)])
    qtbot.waitUntil(lambda: not session.tasks._newest and not session.tasks.busy())
    return everywhere, by_screen


def test_a_key_on_the_page_of_a_screen_is_one_of_that_screen(keys):
    everywhere, by_screen = keys
    faults = {
        page.name: unknown_keys(page, everywhere | by_screen[page.name]) for page in pages() if page.name in by_screen
    }
    assert {name: unknown for name, unknown in faults.items() if unknown} == {}


def test_a_key_on_any_other_page_is_one_of_the_program(keys, qtbot):
    everywhere, by_screen = keys
    handbook = HandbookWindow()
    qtbot.addWidget(handbook)
    program_keys = everywhere.union(*by_screen.values(), keys_of(handbook.actions()))
    assert {page.name: faults for page in pages() if (faults := unknown_keys(page, program_keys))} == {}
    planted = Page("x", "X", "", "Press `Ctrl+Alt+Shift+F11`, or `F1`, or `Ctrl+K`.", ())
    assert unknown_keys(planted, program_keys) == ["Ctrl+Alt+Shift+F11"]


@cache
def words_of_the_program() -> frozenset[str]:
    words: set[str] = set()
    for file in (*(ROOT / "gui_app").rglob("*.py"), *(ROOT / "core").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 400:
                words.add(plain(node.value))
    return frozenset(words)


def plain(text: str) -> str:
    return re.sub(r"(\.\.\.|…)$", "", " ".join(text.split())).casefold()


def unknown_words(page: Page) -> list[str]:
    texts = words_of_the_program()
    starts = {text[:end] for text in texts for end in (text.find(":"), text.find(","), text.find("  ")) if end > 0}
    return [text for text in spans(page, "screen") if plain(text).rstrip(".") not in texts | starts
            and plain(text) not in texts]  # fmt: skip


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_words_set_as_those_of_the_screen_are_in_the_program(page):
    assert unknown_words(page) == []


def test_words_that_are_nowhere_are_found():
    assert unknown_words(Page("x", "X", "", "Press *Open sample case* or *Make some coffee*.", ())) == [
        "Make some coffee"
    ]
