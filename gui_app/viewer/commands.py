"""The commands of the viewer, with their keys, their buttons in the bar and those beside a selection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence

from gui_app import window_state
from gui_app.viewer.beside import BOTH, OCR, SECOND, TEXT
from gui_app.viewer.sidebar import OUTLINE, PAGES, QUOTES

if TYPE_CHECKING:
    from gui_app.viewer.screen import ViewerScreen


class ViewerCommands:
    """The commands as actions of ``screen``; those kept by name are switched or enabled later."""

    def __init__(self, screen: ViewerScreen) -> None:
        self._screen = screen
        command, quotes, tools = screen.command, screen.quote_actions, screen.tools
        previous_page = command("Previous page", "Ctrl+PgUp", lambda: screen.turn(-1))
        next_page = command("Next page", "Ctrl+PgDown", lambda: screen.turn(1))
        previous_quote = command("Previous quote", "Shift+N", lambda: screen.step_quote(-1))
        next_quote = command("Next quote", "N", lambda: screen.step_quote(1))
        command("Back to where the page was opened from", "O", screen.back.emit)
        command("Go to page", "Ctrl+G", tools.focus_page)
        command("Choose a document", "Ctrl+L", tools.open_picker)
        smaller = command("Zoom out", "-", lambda: screen.active.zoom(-1))
        larger = command("Zoom in", "+", lambda: screen.active.zoom(1))
        command("Fit the width", "W", lambda: screen.active.page_view.set_fit("width"))
        command("Fit the page", "P", lambda: screen.active.page_view.set_fit("page"))
        fit = command("Fit the width, or the whole page", "F", lambda: screen.active.switch_fit())
        self.text = self._switch("Show the text", "T", screen.toggle_text)
        self.side = self._switch("Pane at the left", "Q", screen.toggle_side)
        for name, text, keys in (
            (QUOTES, "List the quotes of this document", "Shift+Q"),
            (PAGES, "List the pages of this document", "G"),
            (OUTLINE, "Outline of this document", "U"),
        ):
            command(text, keys, partial(screen.open_side, name))
        self.beside = {
            which: self._switch(text, keys, partial(screen.toggle_beside, which))
            for which, text, keys in (
                (TEXT, "The page's text", "Shift+T"),
                (OCR, "What OCR read", "Shift+R"),
                (BOTH, "Hidden text: both readings", "Shift+H"),
                (SECOND, "Another document, or another page", "B"),
            )
        }
        command("Switch to the other pane", "Shift+B", screen.switch_pane)
        self.names = self._switch("Underline the names of the case", "Shift+E", screen.toggle_names)
        self.names.setChecked(window_state.pane("viewer-names") != "-")
        command("Keep the text of this page as it is", "L", lambda: screen.active.leave_text())
        find = command("Find in this document", "Ctrl+F", screen.finder.bar.open)
        command("Next hit", "F3", lambda: screen.finder.step(1))
        command("Previous hit", "Shift+F3", lambda: screen.finder.step(-1))
        add = command("Add as evidence", "A", quotes.add)
        note = command("Note", "M", quotes.ask_note, tip="Note on the quote")
        similar = command("Search similar", "S", quotes.search_similar)
        name_of_case = command("Add to names", "E", quotes.add_name, tip="Add it to the names of this case")
        copy = command("Copy", "Ctrl+C", quotes.copy, tip="Copy with citation")
        self.go_on = command("Continue on next page", "", quotes.go_on)
        self.go_on.setShortcuts([QKeySequence("Shift+PgDown"), QKeySequence("Ctrl+Shift+PgDown")])
        for action in (add, note, similar, name_of_case, copy, self.go_on):
            screen.selection_bar.offer(action)
        tip = "Beside the page: its text, what OCR read, another document"
        beside = tools.menu_button([*self.beside.values()], "split", "Beside", "Beside the page", tip)
        button = tools.button
        for group in (
            (button(self.side, "quote"),),
            (tools.picker,),
            (button(previous_page, "left"), tools.page_field, tools.of_pages, button(next_page, "right")),
            (button(previous_quote, "up"), button(next_quote, "down", "Quote")),
            (button(smaller, "zoom-out"), tools.zoom_label, button(larger, "zoom-in"), button(fit, "fit")),
            (button(self.text, "page-text"), beside, button(find, "search")),
        ):
            tools.add(*group)

    def _switch(self, text: str, keys: str, slot: Callable[[], object]) -> QAction:
        action = self._screen.command(text, keys, slot)
        action.setCheckable(True)
        return action
