"""The viewer: a page as it looks, or its text, with every quote of it marked. Text picked here becomes evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRect, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain import Changes, Evidence, Page, Proposal, Rating
from gui_app import window_state
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.fields import NameChoice
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import counted
from gui_app.shared.labels import line, plain
from gui_app.shared.screen import Screen
from gui_app.shared.selection_bar import SelectionBar
from gui_app.viewer.document_pane import DocumentPane, Placed, Quotes
from gui_app.viewer.find_bar import FindBar
from gui_app.viewer.marks import PageContent, PageSpan, check_of, citation, engine_name, hits, page_name, page_number
from gui_app.viewer.page_pictures import PagePictures
from gui_app.viewer.page_view import PageView
from gui_app.viewer.side_by_side import LinkedText, ReadText, TwoReadings
from gui_app.viewer.sidebar import OUTLINE, PAGES, QUOTES, SidePane
from gui_app.viewer.text_view import TextView

if TYPE_CHECKING:
    from core.workbench import Workbench

MOST_HITS = 2_000
LONGEST_NAME = 100  # characters
NARROW = 900  # pixels: below this the page gets all the room, and the list of quotes is opened by hand
TEXT, OCR, BOTH, SECOND = "text", "ocr", "both", "document"  # what can stand beside the page


class ViewerScreen(Screen):
    """Shows a page with the quote somebody came for; everything else is one key away."""

    name = "Viewer"
    icon = "viewer"
    concerns = Changes(documents=True, proposals=True, evidence=True, matrix=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._wants_side: bool | None = None
        self._quotes = Quotes()
        self._quotes_in_list: Sequence[Placed] = ()  # what the list of quotes shows
        self._find_at = 0
        self._looked_for = ""
        self._picked_thing: Evidence | Proposal | None = None  # on the page on show, by a click on it or from a list
        self._beside = self._laid_out = ""
        self.pictures = PagePictures(session, self)
        self._build()
        self._make_commands()
        self.setFocusProxy(self.pane)
        setting = window_state.pane("viewer-side")
        self.side.turn(setting.removeprefix("-") or QUOTES)
        self._wants_side = None if not setting else not setting.startswith("-")
        self._beside = window_state.pane("viewer-beside") if window_state.pane("viewer-beside") in (TEXT, OCR) else ""

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.picker = NameChoice()
        self.picker.setAccessibleName("Document")
        self.picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.picker.setMinimumContentsLength(10)
        self.picker.setMaxVisibleItems(24)
        self.picker.activated.connect(self._picked_document)
        self.page_field = QLineEdit()
        self.page_field.setAccessibleName("Page: its number, or the name printed on it")
        self.page_field.setToolTip("The name printed on the page, or its number; #5 is the fifth page")
        self.page_field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.page_field.setFixedWidth(theme.px(52))
        self.page_field.returnPressed.connect(self._typed_page)
        self.of_pages = plain("", "muted")
        self.zoom_label = plain()
        self.zoom_label.setMinimumWidth(theme.px(42))
        self.zoom_label.setAlignment(Qt.AlignmentFlag.AlignCenter)

        self.pane = self._new_pane()
        self.page_view, self.text_view, self.stack = self.pane.page_view, self.pane.text_view, self.pane.stack
        self.banner = self.pane.banner
        self.second: DocumentPane | None = None
        self._active = self.pane
        self.side = SidePane(self.pictures)
        self.side.quotes.chosen.connect(self._quote_chosen)
        self.side.pages.chosen.connect(lambda page: self._go_to(page, 0, 0))
        self.side.outline.chosen.connect(self._section_chosen)
        self.side.turned.connect(lambda _name: self._keep_side())
        self.linked_text = LinkedText()
        self.linked_text.pointed.connect(self.page_view.set_linked)
        self.linked_text.picked.connect(self._picked_beside)
        self.pane.page_view.hovered.connect(self._hovered_word)
        self.both = TwoReadings()
        self.beside = QStackedWidget()
        self.beside.addWidget(self.linked_text)
        self.beside.addWidget(self.both)
        self.beside.hide()
        self.find_bar = FindBar()
        self.find_bar.wanted.connect(self._find)
        self.find_bar.step.connect(self._step_find)
        self.find_bar.closed.connect(self._close_find)

        self.tools = FlowLayout(gap=2)
        self.tools.setContentsMargins(16, 8, 16, 8)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.panes = QSplitter(Qt.Orientation.Horizontal)
        self.panes.setHandleWidth(1)
        self.panes.setChildrenCollapsible(False)
        self.panes.addWidget(self.pane)
        self.panes.addWidget(self.beside)
        self.panes.setStretchFactor(0, 3)
        self.panes.setStretchFactor(1, 2)
        column.addWidget(self.panes, 1)
        column.addWidget(self.find_bar)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.side)
        self.splitter.addWidget(centre)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([224, 800])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(self.tools)
        whole.addWidget(line())
        whole.addWidget(self.splitter, 1)
        self.selection_bar = SelectionBar(self)
        self.selection_bar.noted.connect(self.keep_note)

    def _new_pane(self) -> DocumentPane:
        pane = DocumentPane(self.session, self.pictures)
        pane.activated.connect(lambda: self._activate(pane))
        pane.opened.connect(lambda: self._opened(pane))
        pane.words_selected.connect(lambda box: self._words_selected(pane, box))
        pane.selection_gone.connect(self.selection_bar_gone)
        pane.mark_clicked.connect(self._pick_thing)
        pane.turned.connect(lambda step: self._turn_by_scrolling(pane, step))
        pane.zoomed.connect(self._show_zoom)
        pane.both_asked.connect(self._show_beside)
        pane.place_asked.connect(lambda page, start, end: self._go_in(pane, page, start, end))
        pane.said.connect(self.session.status.emit)
        pane.set_names_visible(window_state.pane("viewer-names") != "-")
        return pane

    def _tool(self, action: QAction, picture: str, text: str = "") -> QToolButton:
        """A button of the bar for a command: a picture (and a short text), the command's words for the tip."""
        button = QToolButton()
        theme.set_icon(button, picture)
        if text:
            button.setText(text)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setAccessibleName(action.text())
        button.setToolTip(f"{action.text()}  {action.shortcut().toString()}".rstrip())
        button.setCheckable(action.isCheckable())
        if action.isCheckable():
            # A click on a checkable button toggles it by itself; the command decides what is shown.
            action.toggled.connect(button.setChecked)
        action.changed.connect(lambda: button.setEnabled(action.isEnabled()))
        button.clicked.connect(lambda *_: self._trigger(action, button))
        return button

    @staticmethod
    def _trigger(action: QAction, button: QToolButton) -> None:
        action.trigger()
        if action.isCheckable():
            button.setChecked(action.isChecked())

    def _make_commands(self) -> None:
        command = self.command
        previous_page = command("Previous page", "Ctrl+PgUp", lambda: self.turn(-1))
        next_page = command("Next page", "Ctrl+PgDown", lambda: self.turn(1))
        previous_quote = command("Previous quote", "Shift+N", lambda: self.step_quote(-1))
        next_quote = command("Next quote", "N", lambda: self.step_quote(1))
        command("Back to where the page was opened from", "O", self.back.emit)
        command("Go to page", "Ctrl+G", self._focus_page_field)
        command("Choose a document", "Ctrl+L", self._open_picker)
        smaller = command("Zoom out", "-", lambda: self._zoom(-1))
        larger = command("Zoom in", "+", lambda: self._zoom(1))
        command("Fit the width", "W", lambda: self._active.page_view.set_fit("width"))
        command("Fit the page", "P", lambda: self._active.page_view.set_fit("page"))
        fit = command("Fit the width, or the whole page", "F", self._fit)
        self.text_action = self._switch("Show the text", "T", self.toggle_text)
        self.side_action = self._switch("Pane at the left", "Q", self._toggle_side)
        for name, text, keys in (
            (QUOTES, "List the quotes of this document", "Shift+Q"),
            (PAGES, "List the pages of this document", "G"),
            (OUTLINE, "Outline of this document", "U"),
        ):
            command(text, keys, partial(self._open_side, name))
        self.beside_actions = {
            which: self._switch(text, keys, partial(self._toggle_beside, which))
            for which, text, keys in (
                (TEXT, "The page's text", "Shift+T"),
                (OCR, "What OCR read", "Shift+R"),
                (BOTH, "Hidden text: both readings", "Shift+H"),
                (SECOND, "Another document, or another page", "B"),
            )
        }
        command("Switch to the other pane", "Shift+B", self._turn_side)
        self.names_action = self._switch("Underline the names of the case", "Shift+E", self._toggle_names)
        self.names_action.setChecked(window_state.pane("viewer-names") != "-")
        command("Keep the text of this page as it is", "L", lambda: self._active.leave_text())
        find = command("Find in this document", "Ctrl+F", self.find_bar.open)
        command("Next hit", "F3", lambda: self._step_find(1))
        command("Previous hit", "Shift+F3", lambda: self._step_find(-1))
        self.add_action = command("Add as evidence", "A", self.add_selection)
        self.note_action = command("Note", "M", self.note_selection, tip="Note on the quote")
        self.similar_action = command("Search similar", "S", self.search_similar)
        self.name_action = command("Add to names", "E", self.add_name, tip="Add it to the names of this case")
        self.copy_action = command("Copy", "Ctrl+C", self.copy_selection, tip="Copy with citation")
        self.on_action = command("Continue on next page", "", self.continue_selection)
        self.on_action.setShortcuts([QKeySequence("Shift+PgDown"), QKeySequence("Ctrl+Shift+PgDown")])
        for action in (
            *(self.add_action, self.note_action, self.similar_action, self.name_action),
            *(self.copy_action, self.on_action),
        ):
            self.selection_bar.offer(action)
        self.beside_button = QToolButton()
        theme.set_icon(self.beside_button, "split")
        self.beside_button.setText("Beside")
        self.beside_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.beside_button.setAccessibleName("Beside the page")
        self.beside_button.setToolTip("Beside the page: its text, what OCR read, another document")
        self.beside_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.beside_button)
        menu.addActions([*self.beside_actions.values()])
        self.beside_button.setMenu(menu)
        for group in (
            (self._tool(self.side_action, "quote"),),
            (self.picker,),
            (self._tool(previous_page, "left"), self.page_field, self.of_pages, self._tool(next_page, "right")),
            (self._tool(previous_quote, "up"), self._tool(next_quote, "down", "Quote")),
            (self._tool(smaller, "zoom-out"), self.zoom_label, self._tool(larger, "zoom-in"), self._tool(fit, "fit")),
            (self._tool(self.text_action, "page-text"), self.beside_button, self._tool(find, "search")),
        ):
            self.tools.addWidget(_together(*group))

    def _switch(self, text: str, keys: str, slot: Any) -> QAction:
        action = self.command(text, keys, slot)
        action.setCheckable(True)
        return action

    # --- what the case holds -----------------------------------------------------------------------------------------

    def refresh(self) -> None:
        bench = self.session.workbench
        if bench is None:
            return
        documents = bench.documents.all()
        ratings: dict[str, dict[str, Rating]] = {}
        for assessment in bench.evidence.assessments():
            ratings.setdefault(assessment.evidence, {})[assessment.hypothesis] = assessment.rating
        self._quotes = Quotes(bench.evidence.all(), bench.verdicts.proposals(), ratings)
        with QSignalBlocker(self.picker):
            self.picker.clear()
            for document in documents:
                self.picker.addItem(document.name, document.id)
        here = {document.id for document in documents}
        for pane in self._panes():
            if pane.content is not None and pane.content.document.id not in here:
                pane.forget()
            pane.set_quotes(self._quotes)
            pane.update_names()
            pane.show_banner()
        if self.second is not None and self.second.content is None and self._beside == SECOND:
            self._show_beside("")
        if self.pane.content is None:
            first = next((document for document in documents if document.pages), None)
            if first is None:
                self._show_nothing("There are no documents in this case yet. Add some on the Documents screen.")
            else:
                self.open_source(first.id, 1, 0, 0)
            return
        self._reread_page()
        self._pick_in_picker()
        self._show_side()

    def _reread_page(self) -> None:
        """The pages on show, once more, where a correction gave them another text."""
        bench = self.session.workbench
        for pane in self._panes():
            content = pane.content
            if bench is None or content is None:
                continue
            now = self.session.do(partial(_page_now, content=content))
            if now is not None and now.sha256 != content.page.sha256:
                pane.open(content.document.id, content.page.number, 0, 0)

    def _panes(self) -> list[DocumentPane]:
        return [self.pane] if self.second is None else [self.pane, self.second]

    def forget(self) -> None:
        for pane in self._panes():
            pane.forget()
        self.pictures.clear()
        self._quotes = Quotes()
        self.find_bar.hide()
        self.picker.clear()
        if self._beside == SECOND:
            self._show_beside("")
        self._show_nothing("")

    def _show_nothing(self, text: str) -> None:
        self._quotes_in_list = ()
        self.side.quotes.clear()
        self.side.pages.show_document("", 0, {}, drawable=False)
        self.side.outline.show_sections((), {})
        self.side.retell()
        self.of_pages.setText("")
        self.page_field.clear()
        self.selection_bar.hide()
        self.beside.hide()
        self.pane.show_nothing(text)

    # --- opening -----------------------------------------------------------------------------------------------------

    def open_source(self, document: str, page: int, start: int, end: int) -> None:
        """Show ``page`` of ``document`` with text[start:end] in the middle; start == end means no quote."""
        self._activate(self.pane)
        self.pane.open(document, page, start, end)

    def _opened(self, pane: DocumentPane) -> None:
        """Another page is on show in a pane: everything around it follows."""
        self.selection_bar.hide()
        content = pane.content
        self._picked_thing = None
        if content is None:
            return
        if self.picker.findData(content.document.id) < 0:
            self.picker.addItem(content.document.name, content.document.id)
        if pane is self._active:
            self._follow(pane)
            if self.find_bar.isVisible():
                self.find_bar.again()
            self.selected.emit(self.current_item())
        if pane is self.pane:
            self._fill_beside()
        self.moved.emit()

    def current_item(self) -> object:
        """The quote that was picked or come for, as the case has it; else the document on show."""
        pane, content = self._active, self._active.content
        if content is None:
            return None
        item = self._picked_thing
        things = [thing for _, thing in pane.things]
        if item is not None:
            item = next((thing for thing in things if thing.id == item.id), None)
        return item or (pane.thing_at(*pane.span) if pane.span is not None else None) or content.document

    def _pick_thing(self, thing: Evidence | Proposal) -> None:
        self._picked_thing = thing
        self.selected.emit(thing)

    def _follow(self, pane: DocumentPane) -> None:
        """The bar and the lists at the left show the pane that the person works in."""
        content = pane.content
        if content is None:
            return
        self._pick_in_picker()
        self.page_field.setText(content.page.label.strip() or str(content.page.number))
        many = max(1, content.document.pages)
        if page_name(content.page) == str(content.page.number):
            self.of_pages.setText(f"of {many}")
        else:
            self.of_pages.setText(f"({content.page.number} of {many})")
        self._show_zoom()
        self._show_side()

    def _activate(self, pane: DocumentPane) -> None:
        if pane is not self._active:
            self.selection_bar.hide()
            self._active = pane
            self._show_active()
            self._follow(pane)
            if self.find_bar.isVisible():
                self.find_bar.again()

    def _show_active(self) -> None:
        for each in self._panes():
            each.set_active(each is self._active and self._beside == SECOND)

    def _go_to(self, page: int, start: int, end: int) -> None:
        self._go_in(self._active, page, start, end)

    def _go_in(self, pane: DocumentPane, page: int, start: int, end: int) -> None:
        if pane.content is not None:
            self._activate(pane)
            pane.open(pane.content.document.id, page, start, end)

    # --- moving ------------------------------------------------------------------------------------------------------

    def turn(self, step: int) -> None:
        """Go ``step`` pages on."""
        content = self._active.content
        if content is not None and 1 <= content.page.number + step <= content.document.pages:
            self._go_to(content.page.number + step, 0, 0)

    def _turn_by_scrolling(self, pane: DocumentPane, step: int) -> None:
        self._activate(pane)
        before = pane.content
        self.turn(step)
        if step < 0 and pane.content is not before:
            bar = pane.view().verticalScrollBar()
            bar.setValue(bar.maximum())

    def quotes_of_document(self) -> Sequence[Placed]:
        """Every quote of the document on show in reading order: (page, start, end, evidence or proposal)."""
        return self._active.quotes()

    def step_quote(self, step: int) -> None:
        """Go to the next quote of the document, or the one before."""
        content = self._active.content
        quotes = self.quotes_of_document()
        if content is None or not quotes:
            self.session.status.emit("This document has no quotes yet.")
            return
        here = (content.page.number, *(self._active.span or (0, 0)))
        if step > 0:
            target = next((quote for quote in quotes if quote[:3] > here), quotes[0])
        else:
            target = next((quote for quote in reversed(quotes) if quote[:3] < here), quotes[-1])
        self._go_to(*target[:3])
        self._pick_thing(target[3])

    def _picked_document(self, index: int) -> None:
        document = self.picker.itemData(index)
        content = self._active.content
        if document is not None and (content is None or document != content.document.id):
            self._active.open(document, 1, 0, 0)
        self._active.view().setFocus()

    def _pick_in_picker(self) -> None:
        if self._active.content is not None:
            with QSignalBlocker(self.picker):
                self.picker.setCurrentIndex(self.picker.findData(self._active.content.document.id))

    def _typed_page(self) -> None:
        content = self._active.content
        if content is None:
            return
        number = page_number(self.page_field.text(), self._active.labels, content.document.pages)
        if number is None:
            message = "{document} has no page “{page}”."
            self.session.status.emit(message.format(document=content.document.name, page=self.page_field.text()))
            self.page_field.selectAll()
            return
        if number != content.page.number:
            self._go_to(number, 0, 0)
        self._follow(self._active)
        self._active.view().setFocus()

    def _focus_page_field(self) -> None:
        self.page_field.setFocus()
        self.page_field.selectAll()

    def _open_picker(self) -> None:
        self.picker.setFocus()
        self.picker.showPopup()

    def _zoom(self, way: int) -> None:
        pane = self._active
        if pane.as_text():
            pane.text_view.zoomIn(way)
        elif way > 0:
            pane.page_view.zoom_in()
        else:
            pane.page_view.zoom_out()

    def _fit(self) -> None:
        view = self._active.page_view
        view.set_fit("page" if view.fit == "width" else "width")

    def _show_zoom(self) -> None:
        pane = self._active
        self.zoom_label.setText("" if pane.as_text() else f"{pane.page_view.scale * 100:.0f}%")
        if pane.content is not None:
            self.text_action.setChecked(pane.as_text())
            self.text_action.setEnabled(pane.has_picture())

    def toggle_text(self) -> None:
        """Between the page and its text, at the same place."""
        self._active.toggle_text()
        self._show_zoom()

    # --- the lists at the left ---------------------------------------------------------------------------------------

    def _show_side(self) -> None:
        pane = self._active
        content = pane.content
        if content is None:
            return
        quotes = pane.quotes()
        drawable = pane.has_picture()
        self.side.pages.show_document(content.document.id, content.document.pages, pane.labels, drawable=drawable)
        if quotes is not self._quotes_in_list:  # the lists stay as they are while pages are turned
            self._quotes_in_list = quotes
            self._list_quotes(quotes, pane.labels)
            pages = Counter(page for page, _, _, _ in quotes)
            self.side.pages.show_spots({page: counted(number, "quote") for page, number in pages.items()})
        here = (content.page.number, *pane.span) if pane.span is not None else None
        at = next((at for at, quote in enumerate(quotes) if quote[:3] == here), -1)
        self.side.quotes.setCurrentRow(at)
        self.side.pages.show_page(content.page.number)
        self.side.outline.show_sections(content.sections, pane.labels)
        self.side.outline.show_place(content.page.number, pane.span[0] if pane.span is not None else 0)
        self.side.retell()

    def _list_quotes(self, quotes: Sequence[Placed], labels: Mapping[int, str]) -> None:
        self.side.quotes.clear()
        for page, start, end, thing in quotes:
            if isinstance(thing, Evidence):
                title, text = thing.id, thing.quote or thing.text
                last = thing.more[-1].page if thing.more else page
            else:
                label = "" if thing.blind else f" {thing.verdict.label}"
                title, text = f"{thing.hypothesis}{label}?", thing.quote.text
                last = thing.quote.more[-1].page if thing.quote.more else page
            name = labels.get(page) or page
            place = f"p. {name}" if last == page else f"pp. {name}–{labels.get(last) or last}"
            self.side.quotes.add(f"{title} · {place}", text, (page, start, end, thing))

    def _quote_chosen(self, target: Placed) -> None:
        page, start, end, thing = target
        self._go_to(page, start, end)
        self._pick_thing(thing)

    def _section_chosen(self, page: int, start: int) -> None:
        """Bring a heading into sight; it is no quote, so it is not marked for long."""
        content = self._active.content
        if content is None:
            return
        self._go_to(page, 0, 0)
        content = self._active.content
        if content is not None and start:
            text = content.page.text
            stop = text.find("\n", start)
            self._active.view().centre_on(start, len(text) if stop < 0 else stop)

    def _toggle_side(self) -> None:
        self._wants_side = not self.side.isVisibleTo(self)
        self._show_side_panel()
        self._keep_side()

    def _open_side(self, name: str) -> None:
        self.side.turn(name)
        self._wants_side = True
        self._show_side_panel()
        self._keep_side()
        self.side.setFocus()

    def _keep_side(self) -> None:
        if self._wants_side is not None:
            window_state.keep_pane("viewer-side", f"{'' if self._wants_side else '-'}{self.side.name()}")

    def _show_side_panel(self) -> None:
        room = self.width() - (NARROW // 2 if self._beside else 0)
        on = room >= NARROW if self._wants_side is None else self._wants_side
        self.side.setVisible(on)
        self.side_action.setChecked(on)

    # --- what stands beside the page ---------------------------------------------------------------------------------

    def _toggle_beside(self, which: str) -> None:
        self._show_beside("" if self._beside == which else which)

    def _show_beside(self, which: str) -> None:
        """Put something beside the page, or nothing ('')."""
        step = (which == SECOND) != (self._beside == SECOND)
        self._beside = which
        window_state.keep_pane("viewer-beside", which if which in (TEXT, OCR) else "")
        self._fill_beside()
        if which == SECOND:
            assert self.second is not None
            self._activate(self.second)
            self.second.view().setFocus()
        else:
            self._activate(self.pane)
            self.pane.view().setFocus()
        if step and self.pane.content is not None:  # another document beside this one is worth coming back from
            self.moved.emit()

    def _fill_beside(self) -> None:
        content = self.pane.content
        for name, action in self.beside_actions.items():
            action.setChecked(name == self._beside)
        self.page_view.set_linked([])
        if content is None or not self._beside:
            self.beside.hide()
        elif self._beside == SECOND:
            self._fill_second()
        elif self._beside == BOTH:
            self.beside.setCurrentWidget(self.both)
            self.both.show_page(content.page)
        else:
            self.beside.setCurrentWidget(self.linked_text)
            own = ReadText("Text of the case", content.page.text, content.words, own=True)
            readings = [own] if self._beside == TEXT else [own, *self._ocr_readings(content.page)]
            title = "Text of the page" if self._beside == TEXT else "What OCR read"
            if self._beside == OCR and content.page.source != "ocr":
                title = "This page was not read by OCR"
            self.linked_text.show_readings(title, readings, self.pane.marks(), content.page.hidden_spans)
        if self._beside and content is not None:
            self.beside.show()
            if self._beside != self._laid_out:
                share = 50 if self._beside in (SECOND, BOTH) else 42
                self.panes.setSizes([1_000 * (100 - share), 1_000 * share])  # shares of whatever room there is
        has_changed = bool(self._laid_out) != bool(self._beside and content is not None)
        self._laid_out = self._beside if content is not None else ""
        if has_changed:
            self.room_changed.emit()
        self.pane.show_name(self._beside == SECOND)
        self.pane.beside = self._beside
        self.pane.show_banner()
        self._show_active()
        self._show_side_panel()

    def _fill_second(self) -> None:
        content = self.pane.content
        if self.second is None:
            self.second = self._new_pane()
            self.second.set_quotes(self._quotes)
            self.second.show_name(True)
            self.beside.addWidget(self.second)
        self.beside.setCurrentWidget(self.second)
        if self.second.content is None and content is not None:
            self.second.open(content.document.id, content.page.number, *(self.pane.span or (0, 0)))

    def _ocr_readings(self, page: Page) -> list[ReadText]:
        readings = self.session.do(lambda bench: bench.ocr.readings(page.id)) or []
        return [ReadText(engine_name(one.engine), one.text, tuple(one.words)) for one in readings]

    def _hovered_word(self, index: int | None) -> None:
        if self._beside in (TEXT, OCR) and self.pane.content is not None:
            words = self.pane.content.words
            word = words[index] if index is not None and index < len(words) else None
            self.linked_text.link((word.x0, word.y0, word.x1, word.y1) if word is not None else None)

    def _picked_beside(self, start: int, end: int) -> None:
        """Words picked in the text beside the page are picked on the page."""
        self._activate(self.pane)
        if not self.pane.as_text():
            self.page_view.select(start, end)

    def _turn_side(self) -> None:
        """To the other of two documents, or to what stands beside the page."""
        if self._beside == SECOND and self.second is not None:
            (self.pane if self._active is self.second else self.second).view().setFocus()
        elif self._beside and self.beside.isAncestorOf(self.focusWidget() or self):
            self.pane.view().setFocus()
        elif self._beside:
            (self.both if self._beside == BOTH else self.linked_text).setFocus()

    # --- selection ---------------------------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """The offsets of the text picked on the page or in its text."""
        return self._active.selection()

    def view(self) -> PageView | TextView:
        return self._active.view()

    def _words_selected(self, pane: DocumentPane, box: QRect) -> None:
        self._activate(pane)
        content = pane.content
        self.on_action.setVisible(content is not None and content.page.number < content.document.pages)
        self.selection_bar.stand_by(QRect(pane.mapTo(self, box.topLeft()), box.size()))

    def selection_bar_gone(self) -> None:
        self.selection_bar.hide()

    def _picked(self) -> list[PageSpan]:
        spans = self._active.selected_spans()
        if not spans:
            self.session.status.emit("Select some words first.")
        return spans

    def add_selection(self) -> None:
        """Make evidence of the picked text, or of the span on show."""
        self._add("")

    def _add(self, note: str) -> None:
        pane, spans = self._active, self._picked()
        content = pane.content
        if content is None or not spans:
            return
        first, *more = spans

        def add(bench: Workbench) -> Any:
            further = [(each.page, each.start, each.end) for each in more]
            return bench.evidence.add_quote(
                content.document.id, first.page, first.start, first.end, more=further, note=note
            )

        evidence = self.session.do(add, initiator=self)
        if evidence is None:
            return
        pane.clear_selection()
        self.selection_bar.hide()
        last = spans[-1]
        if last.page == content.page.number:
            pane.span = (last.start, last.end)
            pane.update_marks()
            self._show_side()
        message = "{id} added to the matrix, with the note" if note else "{id} added to the matrix"
        if not evidence.new:
            message = "This quote is in the matrix already: {id}"
        self.session.tell(message.format(id=evidence.id), undo=evidence.new)
        self._picked_thing = None
        self.tell_made(evidence.id)

    def note_selection(self) -> None:
        """A note on the quote: one that is in the matrix already, or one that is added with it."""
        spans = self._picked()
        if not spans:
            return
        thing = self._active.thing_at(spans[-1].start, spans[-1].end)
        if not self.selection_bar.isVisible():
            self.selection_bar.stand_by(QRect(self.width() // 2, self.height() // 3, 1, 1))
        self.selection_bar.ask_note(thing.note if isinstance(thing, Evidence) else "")

    def keep_note(self, text: str) -> None:
        """The note typed in the bar."""
        spans = self._picked()
        thing = self._active.thing_at(spans[-1].start, spans[-1].end) if spans else None
        self.selection_bar.hide()
        self._active.view().setFocus()
        if isinstance(thing, Evidence):
            evidence = thing.id
            if (
                self.session.do(lambda bench: bench.evidence.describe([evidence], note=text.strip()), initiator=self)
                is not None
            ):
                self.session.tell(f"Note of {evidence} saved", undo=True)
        elif spans and text.strip():
            self._add(text.strip())

    def copy_selection(self) -> None:
        """The picked text with document, page and section, to the clipboard."""
        content, spans = self._active.content, self._picked()
        if content is None or not spans:
            return
        check = self.session.do(lambda bench: check_of(bench, content.document.id, spans)) or ""
        QGuiApplication.clipboard().setText(citation(content, spans, self._active.labels, check=check))
        self.session.status.emit("Copied with its citation.")

    def search_similar(self) -> None:
        """Search the case for passages like the picked text."""
        spans = self._picked()
        if spans:
            self.selection_bar.hide()
            self.search_wanted.emit(" ".join(" ".join(each.text.split()) for each in spans))

    def add_name(self) -> None:
        """Keep the picked words as a name of the case, in its gazetteer."""
        spans = self._active.selected_spans() if self.selection() is not None else []
        if not spans:
            self.session.status.emit("Select a name first.")
            return
        name = " ".join(spans[-1].text.split()).strip('.,;:!?()[]“”"')
        if len(name) > LONGEST_NAME or not name:
            self.session.status.emit("This is too long for a name: select only the name.")
            return
        entity = self.session.do(lambda bench: bench.entities.add(name), initiator=self)
        if entity is not None:
            self.selection_bar.hide()
            self.session.changed.emit(Changes(documents=True), self)
            self.session.tell(f"“{entity.name}” is in the names", undo=True)

    def _toggle_names(self) -> None:
        """Whether the names of the case are underlined on its pages; kept for the next time."""
        window_state.keep_pane("viewer-names", "" if self.names_action.isChecked() else "-")
        for pane in self._panes():
            pane.set_names_visible(self.names_action.isChecked())

    def continue_selection(self) -> None:
        """The picked words are the beginning of a quote that goes on on the next page."""
        if not self._active.carry_over():
            last = self._active.content is not None and self._active.selection() is not None
            message = "This is the last page." if last else "Select the beginning of the quote first."
            self.session.status.emit(message)
            return
        self.turn(1)
        self._active.view().setFocus()

    # --- find --------------------------------------------------------------------------------------------------------

    def open_find(self) -> None:
        self.find_bar.open()

    def _close_find(self) -> None:
        self.find_bar.hide()
        self._looked_for = ""
        for pane in self._panes():
            pane.clear_finds()
        self._active.view().setFocus()

    def _find(self, query: str) -> None:
        pane, content = self._active, self._active.content
        if content is None or not self.find_bar.isVisible():
            return
        document = content.document.id

        def look_through(bench: Workbench) -> list[tuple[int, int, int]]:
            matches: list[tuple[int, int, int]] = []
            for page in bench.documents.pages(document) if query.strip() else ():
                matches += [(page.number, start, end) for start, end in hits(page.text, query)]
                if len(matches) >= MOST_HITS:
                    break
            return matches[:MOST_HITS]

        def arrived(matches: list[tuple[int, int, int]]) -> None:
            now = pane.content
            if now is None or now.document.id != document or not self.find_bar.isVisible():
                return
            pane.finds = matches
            here = (now.page.number, *(pane.span or (0, 0)))
            self._find_at = next((i for i, hit in enumerate(matches) if hit >= here), 0)
            # While typing the nearest hit comes into view; turning a page or a document must not jump back to one.
            self._show_finds(jump=query != self._looked_for)
            self._looked_for = query

        self.session.read(look_through, arrived, key=("viewer find", id(self)))

    def _step_find(self, step: int) -> None:
        if self._active.finds:
            self._find_at = (self._find_at + step) % len(self._active.finds)
            self._show_finds(jump=True)

    def _show_finds(self, *, jump: bool) -> None:
        pane, content = self._active, self._active.content
        if content is None:
            return
        if not pane.finds:
            self.find_bar.tell("not found" if self.find_bar.field.text().strip() else "")
            pane.clear_finds()
            return
        match = pane.finds[min(self._find_at, len(pane.finds) - 1)]
        more = "+" if len(pane.finds) == MOST_HITS else ""
        self.find_bar.tell(f"{self._find_at + 1} / {len(pane.finds)}{more}")
        if match[0] != content.page.number and jump:
            finds, at = pane.finds, self._find_at
            self._go_to(match[0], 0, 0)
            self.find_bar.rest()
            pane.finds, self._find_at = finds, at
        pane.show_finds(match)

    # --- the window --------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._active.view().setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_side_panel()
        self.selection_bar.hide()

    def _restyled(self) -> None:
        super()._restyled()
        self.page_field.setFixedWidth(theme.px(52))
        QTimer.singleShot(0, self, self._dress_views)

    def _dress_views(self) -> None:
        for pane in self._panes():
            pane.update_marks()

    def wants_room(self) -> bool:
        return bool(self._laid_out)

    # --- back and forward --------------------------------------------------------------------------------------------

    def state(self) -> Any:
        """The place in the document, and behind it the one in the document beside it where there is one."""
        second = self.second.place() if self.second is not None and self._beside == SECOND else None
        place = self.pane.place()
        return place if place is None or second is None else (*place, second)

    def restore(self, state: Any) -> None:
        if state is None or state == self.state():
            return
        place, beside = state[:4], state[4] if len(state) > 4 else None
        if place != self.pane.place():
            self.open_source(*place)
        if (beside is not None) != (self._beside == SECOND):
            self._show_beside(SECOND if beside is not None else "")
        if beside is not None and self.second is not None and self.second.place() != beside:
            self.second.open(*beside)


def _together(*parts: QWidget) -> QWidget:
    """Parts of the bar that stay on one line."""
    if len(parts) == 1:
        return parts[0]
    whole = QWidget()
    row = QHBoxLayout(whole)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(2)
    for part in parts:
        row.addWidget(part)
    return whole


def _page_now(bench: Workbench, *, content: PageContent) -> Page:
    return bench.documents.page(content.document.id, content.page.number)
