"""The viewer: a page as it looks, or its text, with every quote of it marked. Text picked here becomes evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from core.domain import Changes, Evidence, Proposal
from gui_app import window_state
from gui_app.session import CaseSession
from gui_app.shared.labels import line
from gui_app.shared.layout import vbox
from gui_app.shared.screen import Screen
from gui_app.shared.selection_bar import SelectionBar
from gui_app.viewer.beside import BOTH, OCR, SECOND, TEXT, BesidePanel
from gui_app.viewer.commands import ViewerCommands
from gui_app.viewer.document_pane import DocumentPane
from gui_app.viewer.finder import Finder
from gui_app.viewer.marks import page_number
from gui_app.viewer.page_pictures import PagePictures
from gui_app.viewer.quote_actions import QuoteActions
from gui_app.viewer.sidebar import NARROW, SidePane
from gui_app.viewer.state import Placed, ViewerState, load
from gui_app.viewer.tool_bar import ToolBar

if TYPE_CHECKING:
    pass


class ViewerScreen(Screen):
    """A page with the quote somebody came for; everything else is one key away."""

    name = "Viewer"
    icon = "viewer"
    concerns = Changes(documents=True, proposals=True, evidence=True, matrix=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._state = ViewerState()
        self._picked_thing: Evidence | Proposal | None = None  # on the page on show, by a click on it or from a list
        self._laid_out = ""  # what was beside the page when its room was last divided
        self.pictures = PagePictures(session, self)
        self._build()
        self.commands = ViewerCommands(self)
        self.setFocusProxy(self.pane)
        self.side.recall()
        beside = window_state.pane("viewer-beside")
        self.beside.which = beside if beside in (TEXT, OCR) else ""

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.tools = ToolBar()
        self.tools.document_chosen.connect(self._open_document)
        self.tools.page_entered.connect(self._go_to_entry)
        self.pane = self._new_pane()
        self.page_view, self.text_view, self.stack = self.pane.page_view, self.pane.text_view, self.pane.stack
        self.banner = self.pane.banner
        self.active = self.pane
        self.side = SidePane(self.pictures)
        self.side.quotes.chosen.connect(self._quote_chosen)
        self.side.pages.chosen.connect(lambda page: self.go_to(page, 0, 0))
        self.side.outline.chosen.connect(self._section_chosen)
        self.pane.page_view.hovered.connect(lambda index: self.beside.link_word(self.pane, index))
        self.beside: BesidePanel = BesidePanel(self.session)
        self.beside.linked_text.pointed.connect(self.page_view.set_linked)
        self.beside.linked_text.picked.connect(self._picked_beside)
        self.finder: Finder = Finder(self)

        centre = QWidget()
        column = vbox(centre, spacing=0)
        self._halves = QSplitter(Qt.Orientation.Horizontal)
        self._halves.setHandleWidth(1)
        self._halves.setChildrenCollapsible(False)
        self._halves.addWidget(self.pane)
        self._halves.addWidget(self.beside)
        self._halves.setStretchFactor(0, 3)
        self._halves.setStretchFactor(1, 2)
        column.addWidget(self._halves, 1)
        column.addWidget(self.finder.bar)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.side)
        self.splitter.addWidget(centre)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([224, 800])
        outer = vbox(self, spacing=0)
        outer.addLayout(self.tools)
        outer.addWidget(line())
        outer.addWidget(self.splitter, 1)
        self.selection_bar: SelectionBar = SelectionBar(self)
        self.quote_actions: QuoteActions = QuoteActions(self)
        self.selection_bar.noted.connect(self.quote_actions.keep_note)

    def _new_pane(self) -> DocumentPane:
        pane = DocumentPane(self.session, self.pictures)
        pane.activated.connect(lambda: self._activate(pane))
        pane.opened.connect(lambda: self._show_around(pane))
        pane.words_selected.connect(lambda box: self._words_selected(pane, box))
        pane.selection_gone.connect(lambda: self.selection_bar.hide())
        pane.mark_clicked.connect(self._pick_thing)
        pane.turned.connect(lambda step: self._turn_by_scrolling(pane, step))
        pane.zoomed.connect(self._show_zoom)
        pane.both_asked.connect(self._show_beside)
        pane.place_asked.connect(lambda page, start, end: self._go_in(pane, page, start, end))
        pane.said.connect(self.session.status.emit)
        pane.set_names_visible(window_state.pane("viewer-names") != "-")
        return pane

    # --- what the case holds -----------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read again what the case holds."""
        bench = self.session.workbench
        if bench is not None:
            self.show_state(load(bench))

    def show_state(self, state: ViewerState) -> None:
        """Show what the case holds now, at the place that is looked at."""
        self._state = state
        self.tools.list_documents([(document.id, document.name) for document in state.documents])
        here = {document.id for document in state.documents}
        for pane in self.panes():
            if pane.content is not None and pane.content.document.id not in here:
                pane.forget()
            pane.read_quotes()
            pane.update_names()
            pane.show_banner()
        if self.beside.second is not None and self.beside.second.content is None and self.beside.which == SECOND:
            self._show_beside("")
        if self.pane.content is None:
            first = state.first_with_pages()
            if first is None:
                self._show_nothing("There are no documents in this case yet. Add some on the Documents screen.")
            else:
                self.open_source(first.id, 1, 0, 0)
            return
        for pane in self.panes():
            pane.reread()
        self._pick_in_picker()
        self.show_side()

    def panes(self) -> list[DocumentPane]:
        """List the panes that there are: one, or two with a document beside the page."""
        return [self.pane] if self.beside.second is None else [self.pane, self.beside.second]

    def forget(self) -> None:
        """Show nothing of the case before."""
        for pane in self.panes():
            pane.forget()
        self.pictures.clear()
        self._state = ViewerState()
        self.finder.bar.hide()
        self.tools.picker.clear()
        if self.beside.which == SECOND:
            self._show_beside("")
        self._show_nothing("")

    def _show_nothing(self, text: str) -> None:
        self.side.show_nothing()
        self.tools.show_nothing()
        self.selection_bar.hide()
        self.beside.hide()
        self.pane.show_nothing(text)

    # --- opening -----------------------------------------------------------------------------------------------------

    def open_source(self, document: str, page: int, start: int, end: int) -> None:
        """Show ``page`` of ``document`` with text[start:end] in the middle; start == end means no quote."""
        self._activate(self.pane)
        self.pane.open(document, page, start, end)

    def _show_around(self, pane: DocumentPane) -> None:
        """Let everything around a pane follow: another page is on show in it."""
        self.selection_bar.hide()
        content = pane.content
        self._picked_thing = None
        if content is None:
            return
        if self.tools.picker.findData(content.document.id) < 0:
            self.tools.picker.addItem(content.document.name, content.document.id)
        if pane is self.active:
            self._follow(pane)
            self.finder.again()
            self.selected.emit(self.current_item())
        if pane is self.pane:
            self._fill_beside()
        self.moved.emit()

    def current_item(self) -> object:
        """Return the quote that was picked or come for, as the case has it; else the document."""
        pane, content = self.active, self.active.content
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

    def forget_pick(self) -> None:
        """Forget which quote was picked: something else was made of it."""
        self._picked_thing = None

    def _follow(self, pane: DocumentPane) -> None:
        """Show in the bar and in the lists at the left the pane that the person works in."""
        content = pane.content
        if content is None:
            return
        self._pick_in_picker()
        self.tools.show_page(content)
        self._show_zoom()
        self.show_side()

    def _activate(self, pane: DocumentPane) -> None:
        if pane is not self.active:
            self.selection_bar.hide()
            self.active = pane
            self._show_active()
            self._follow(pane)
            self.finder.again()

    def _show_active(self) -> None:
        for pane in self.panes():
            pane.set_active(pane is self.active and self.beside.which == SECOND)

    def go_to(self, page: int, start: int, end: int) -> None:
        """Go to a place in the document that is looked at."""
        self._go_in(self.active, page, start, end)

    def _go_in(self, pane: DocumentPane, page: int, start: int, end: int) -> None:
        if pane.content is not None:
            self._activate(pane)
            pane.open(pane.content.document.id, page, start, end)

    # --- moving ------------------------------------------------------------------------------------------------------

    def turn(self, step: int) -> None:
        """Go ``step`` pages on."""
        content = self.active.content
        if content is not None and 1 <= content.page.number + step <= content.document.pages:
            self.go_to(content.page.number + step, 0, 0)

    def _turn_by_scrolling(self, pane: DocumentPane, step: int) -> None:
        self._activate(pane)
        former = pane.content
        self.turn(step)
        if step < 0 and pane.content is not former:
            bar = pane.view().verticalScrollBar()
            bar.setValue(bar.maximum())

    def quotes_of_document(self) -> Sequence[Placed]:
        """List every quote of the document in reading order: (page, start, end, thing)."""
        return self.active.quotes()

    def step_quote(self, step: int) -> None:
        """Go to the next quote of the document, or the one before."""
        content = self.active.content
        quotes = self.quotes_of_document()
        if content is None or not quotes:
            self.session.status.emit("This document has no quotes yet.")
            return
        here = (content.page.number, *(self.active.span or (0, 0)))
        if step > 0:
            target = next((quote for quote in quotes if quote[:3] > here), quotes[0])
        else:
            target = next((quote for quote in reversed(quotes) if quote[:3] < here), quotes[-1])
        self.go_to(*target[:3])
        self._pick_thing(target[3])

    def _open_document(self, document: str) -> None:
        content = self.active.content
        if content is None or document != content.document.id:
            self.active.open(document, 1, 0, 0)
        self.active.view().setFocus()

    def _pick_in_picker(self) -> None:
        if self.active.content is not None:
            self.tools.show_document(self.active.content.document.id)

    def _go_to_entry(self, entry: str) -> None:
        content = self.active.content
        if content is None:
            return
        number = page_number(entry, self.active.labels, content.document.pages)
        if number is None:
            self.session.status.emit(f"{content.document.name} has no page “{entry}”.")
            self.tools.page_field.selectAll()
            return
        if number != content.page.number:
            self.go_to(number, 0, 0)
        self._follow(self.active)
        self.active.view().setFocus()

    def _show_zoom(self) -> None:
        pane = self.active
        self.tools.zoom_label.setText(f"{pane.page_view.scale * 100:.0f}%")
        self.tools.zoom_label.setVisible(pane.view() is pane.page_view)
        if pane.content is not None:
            self.commands.text.setChecked(pane.as_text())
            self.commands.text.setEnabled(pane.has_picture() or pane.has_grid())

    def toggle_text(self) -> None:
        """Go between the page and its text, at the same place."""
        self.active.toggle_text()
        self._show_zoom()

    # --- the lists at the left ---------------------------------------------------------------------------------------

    def show_side(self) -> None:
        """Show the lists of the document that is looked at."""
        self.side.show_pane(self.active)

    def _quote_chosen(self, target: Placed) -> None:
        page, start, end, thing = target
        self.go_to(page, start, end)
        self._pick_thing(thing)

    def _section_chosen(self, page: int, start: int) -> None:
        """Bring a heading into sight; it is no quote, so it is not marked for long."""
        self.go_to(page, 0, 0)
        self.active.centre_on_line(start)

    def open_side(self, name: str) -> None:
        """Go to one of the lists."""
        self.side.open(name)
        self._show_side_panel()
        self.side.setFocus()

    def toggle_side(self) -> None:
        """Show the pane at the left, or hide it."""
        self.side.toggle()
        self._show_side_panel()

    def _show_side_panel(self) -> None:
        self.side.fit(self.width() - (NARROW // 2 if self.beside.which else 0))
        self.commands.side.setChecked(not self.side.isHidden())

    # --- what is beside the page ---------------------------------------------------------------------------------

    def toggle_beside(self, which: str) -> None:
        """Put something beside the page, or take it away."""
        self._show_beside("" if self.beside.which == which else which)

    def _show_beside(self, which: str) -> None:
        """Put something beside the page, or nothing ('')."""
        step = (which == SECOND) != (self.beside.which == SECOND)
        self.beside.which = which
        window_state.keep_pane("viewer-beside", which if which in (TEXT, OCR) else "")
        self._fill_beside()
        if which == SECOND:
            assert self.beside.second is not None
            self._activate(self.beside.second)
            self.beside.second.view().setFocus()
        else:
            self._activate(self.pane)
            self.pane.view().setFocus()
        if step and self.pane.content is not None:  # another document beside this one is worth coming back from
            self.moved.emit()

    def _fill_beside(self) -> None:
        which, content = self.beside.which, self.pane.content
        for name, action in self.commands.beside.items():
            action.setChecked(name == which)
        self.page_view.set_linked([])
        if which == SECOND and content is not None and self.beside.second is None:
            self._make_second()
        self.beside.fill(self.pane)
        if which and content is not None and which != self._laid_out:
            share = 50 if which in (SECOND, BOTH) else 42
            self._halves.setSizes([1_000 * (100 - share), 1_000 * share])  # shares of whatever room there is
        has_changed = bool(self._laid_out) != bool(which and content is not None)
        self._laid_out = which if content is not None else ""
        if has_changed:
            self.room_changed.emit()
        self.pane.show_name(which == SECOND)
        self.pane.beside = which
        self.pane.show_banner()
        self._show_active()
        self._show_side_panel()

    def _make_second(self) -> None:
        second = self._new_pane()
        second.show_name(True)
        self.beside.addWidget(second)
        self.beside.second = second

    def _picked_beside(self, start: int, end: int) -> None:
        """Pick on the page the words that were picked in the text beside it."""
        self._activate(self.pane)
        if self.pane.view() is self.page_view:
            self.page_view.select(start, end)

    def switch_pane(self) -> None:
        """Go to the other of two documents, or to what is beside the page."""
        if self.beside.which == SECOND and self.beside.second is not None:
            (self.pane if self.active is self.beside.second else self.beside.second).view().setFocus()
        elif self.beside.which and self.beside.isAncestorOf(self.focusWidget() or self):
            self.pane.view().setFocus()
        elif self.beside.which:
            self.beside.focus_target().setFocus()

    # --- selection ---------------------------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """Return the offsets of the text picked on the page or in its text."""
        return self.active.selection()

    def _words_selected(self, pane: DocumentPane, box: QRect) -> None:
        self._activate(pane)
        content = pane.content
        self.commands.go_on.setVisible(content is not None and content.page.number < content.document.pages)
        self.selection_bar.stand_by(QRect(pane.mapTo(self, box.topLeft()), box.size()))

    def toggle_names(self) -> None:
        """Underline the names of the case on its pages, or not; kept for the next time."""
        window_state.keep_pane("viewer-names", "" if self.commands.names.isChecked() else "-")
        for pane in self.panes():
            pane.set_names_visible(self.commands.names.isChecked())

    # --- the window --------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the page."""
        super().showEvent(event)
        self.active.view().setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the lists where there is room for them."""
        super().resizeEvent(event)
        self._show_side_panel()
        self.selection_bar.hide()

    def _restyled(self) -> None:
        super()._restyled()
        self.tools.resize_field()
        QTimer.singleShot(0, self, self._dress_views)

    def _dress_views(self) -> None:
        for pane in self.panes():
            pane.update_marks()

    def wants_room(self) -> bool:
        """Return whether something is beside the page."""
        return bool(self._laid_out)

    # --- back and forward --------------------------------------------------------------------------------------------

    def state(self) -> Any:
        """Return the place in the document, and behind it the one in a document beside it."""
        second = self.beside.second.place() if self.beside.second is not None and self.beside.which == SECOND else None
        place = self.pane.place()
        return place if place is None or second is None else (*place, second)

    def restore(self, state: Any) -> None:
        """Go back to a place, and to the document that was beside it."""
        if state is None or state == self.state():
            return
        place, beside = state[:4], state[4] if len(state) > 4 else None
        if place != self.pane.place():
            self.open_source(*place)
        if (beside is not None) != (self.beside.which == SECOND):
            self._show_beside(SECOND if beside is not None else "")
        if beside is not None and self.beside.second is not None and self.beside.second.place() != beside:
            self.beside.second.open(*beside)
