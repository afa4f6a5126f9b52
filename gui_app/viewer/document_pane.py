"""One document in the viewer: a page as it looks or its text, with its marks, its pictures, its selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QStackedWidget, QWidget

from core.domain import Evidence, Proposal, Rating
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.labels import ElidedLabel
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.page_geometry import Mark
from gui_app.shared.page_grid import PageGrid, is_grid
from gui_app.viewer.mark_legend import MarkLegend
from gui_app.viewer.marks import PageContent, PageSpan, facts, marks_of_page, page_name, text_flags
from gui_app.viewer.minimap import HitMap, find_spots, quote_spots
from gui_app.viewer.notices import PageBanner, QuoteHeadBar
from gui_app.viewer.page_pictures import PagePictures
from gui_app.viewer.page_view import PageView
from gui_app.viewer.picture_feed import PictureFeed
from gui_app.viewer.state import Placed, Quotes, load_quotes
from gui_app.viewer.text_view import TextView

if TYPE_CHECKING:
    from core.workbench import Workbench


class DocumentPane(QWidget):
    """One page at a time of one document.

    ``activated`` when the person turns to it, ``opened`` when another page is on show, ``words_selected`` and
    ``selection_gone`` of words picked, ``mark_clicked(thing)`` of a quote, ``turned(step)`` when somebody scrolls
    beyond an end, ``both_asked(which)`` for 'both' readings of a page or its 'text' beside it, ``said(text)`` for the
    status line.
    """

    activated = Signal()
    opened = Signal()
    words_selected = Signal(QRect)
    selection_gone = Signal()
    mark_clicked = Signal(object)
    turned = Signal(int)
    zoomed = Signal()
    both_asked = Signal(str)
    place_asked = Signal(int, int, int)
    said = Signal(str)

    def __init__(self, session: CaseSession, pictures: PagePictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.pictures = pictures
        self.content: PageContent | None = None
        self.span: tuple[int, int] | None = None
        self.things: list[tuple[Mark, Evidence | Proposal]] = []
        self.labels: Mapping[int, str] = {}
        self.quote_head: list[PageSpan] = []
        self.finds: list[tuple[int, int, int]] = []
        self._quotes = Quotes()
        self._quote_cache: tuple[str, Sequence[Placed]] | None = None
        self._look: Literal["", "grid", "text"] = ""  # '': as a page looks by itself
        self._names_visible = True
        self._build()
        self.feed = PictureFeed(self)

    def _build(self) -> None:
        self.name = ElidedLabel("", "strong", mode=Qt.TextElideMode.ElideMiddle)
        self.facts = ElidedLabel("", "muted")
        self.head = _Head()
        row = hbox(self.head, margins=(24, 4, 16, 6), spacing=12)
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        row.addWidget(self.name)  # whole while there is room for it
        row.addWidget(self.facts, 1)
        self.name.hide()
        self.beside = ""  # what is beside the page, as the screen says it
        self.banner = PageBanner()
        self.banner.compare_wanted.connect(self.both_asked.emit)
        self.banner.leave_button.clicked.connect(self.leave_text)
        self.quote_head_bar = QuoteHeadBar()
        self.quote_head_bar.stop_button.clicked.connect(self.discard_quote_head)
        self.page_view = PageView()
        self.page_view.zoomed.connect(lambda _scale: self.zoomed.emit())
        self.page_view.scrolled.connect(self._show_band)
        self.text_view = TextView()
        self.text_view.scrolled.connect(self._show_band)
        self.grid = PageGrid()
        self.grid.scrolled.connect(self._show_band)
        for view in (self.page_view, self.text_view, self.grid):
            view.words_selected.connect(self._words_selected)
            view.selection_cleared.connect(self.selection_gone.emit)
            view.mark_clicked.connect(self._mark_clicked)
            view.turned.connect(self.turned.emit)
            view.installEventFilter(self)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.page_view)
        self.stack.addWidget(self.text_view)
        self.stack.addWidget(self.grid)
        self.stack.currentChanged.connect(lambda _at: self._view_turned())
        self.map = HitMap()
        self.map.chosen.connect(self.place_asked.emit)
        self.map.page_chosen.connect(lambda page: self.place_asked.emit(page, 0, 0))
        middle = hbox(spacing=0)
        middle.addWidget(self.stack, 1)
        middle.addWidget(self.map)
        column = vbox(self, spacing=0)
        column.addWidget(self.head)
        column.addWidget(self.banner)
        column.addWidget(self.quote_head_bar)
        column.addLayout(middle, 1)
        self.legend = MarkLegend()
        column.addWidget(self.legend)
        self._view_turned()

    # --- what is on show ---------------------------------------------------------------------------------------------

    def view(self) -> PageView | TextView | PageGrid:
        """Return the page, its text or its tables, whichever is on show."""
        for view in (self.page_view, self.grid):
            if self.stack.currentWidget() is view:
                return view
        return self.text_view

    def as_text(self) -> bool:
        """Return whether the text is on show."""
        return self.stack.currentWidget() is self.text_view

    def read_quotes(self) -> None:
        """Read the quotes of the document as the case holds them now, and mark the page again."""
        content = self.content
        quotes = self.session.do(lambda bench: load_quotes(bench, content.document.id)) if content else Quotes()
        if quotes is not None:
            self._quotes, self._quote_cache = quotes, None
        self.update_marks()

    def set_active(self, active: bool) -> None:
        """Show by a line above its name whether the person works in this pane, where there are two."""
        self.head.is_active = active and not self.name.isHidden()
        self.head.update()

    def show_name(self, visible: bool) -> None:
        """Show the name of the document above it, or hide it: needed where there are two."""
        self.name.setVisible(visible)
        self._show_head()

    def open(self, document: str, number: int, start: int, end: int) -> bool:
        """Show page ``number``, text[start:end] in the middle; tell whether it is there.

        No quote is meant where ``start`` and ``end`` are equal.
        """
        former = self.content

        def load(bench: Workbench) -> tuple[PageContent, Mapping[int, str], Quotes]:
            page = bench.documents.page(document, number)
            is_same = former is not None and former.document.id == document
            sections = former.sections if former is not None and is_same else tuple(bench.documents.sections(document))
            labels = self.labels if is_same else bench.documents.page_labels(document)
            quotes = self._quotes if is_same else load_quotes(bench, document)
            words = tuple(bench.documents.words(page.id))
            return PageContent(bench.documents.get(document), page, words, sections), labels, quotes

        result = self.session.do(load)
        if result is None:
            return False
        self.content, self.labels, self._quotes = result
        if former is None or former.document.id != document:
            self.finds, self.quote_head, self._quote_cache = [], [], None
        self.span = (start, end) if end > start else None
        self.things = marks_of_page(self.content.page.id, *self._case_quotes())
        self.show_view()
        self._show_head()
        self.show_banner()
        self._show_quote_head()
        self._show_map()
        self._name_view()
        self.opened.emit()
        return True

    def reread(self) -> None:
        """Show the page on show once more where a correction gave it another text."""
        content = self.content
        if content is None:
            return
        now = self.session.do(lambda bench: bench.documents.page(content.document.id, content.page.number))
        if now is not None and now.sha256 != content.page.sha256:
            self.open(content.document.id, content.page.number, 0, 0)

    def centre_on_line(self, start: int) -> None:
        """Bring the line that begins at ``start`` to the middle; the first line of the page stays where it is."""
        if self.content is not None and start:
            text = self.content.page.text
            stop = text.find("\n", start)
            self.view().centre_on(start, len(text) if stop < 0 else stop)

    def place(self) -> tuple[str, int, int, int] | None:
        """Return what ``open`` needs to show this again; None if nothing is on show."""
        if self.content is None:
            return None
        return self.content.document.id, self.content.page.number, *(self.span or (0, 0))

    def forget(self) -> None:
        """Forget the page on show: it belongs to no case any more."""
        self.content, self.span, self.things, self.labels = None, None, [], {}
        self.quote_head, self.finds = [], []
        self.feed.missing.clear()

    def show_nothing(self, text: str) -> None:
        """Show a sentence in place of a page."""
        self.things = []
        self.banner.hide()
        self.quote_head_bar.hide()
        self.head.hide()
        self.legend.hide()
        self.stack.setCurrentWidget(self.page_view)
        self.page_view.show_message(text)
        self.map.show_document(1, [])
        self.map.show_hits([])

    def zoom(self, way: int) -> None:
        """Zoom in (1) or out (-1)."""
        if self.as_text():
            self.text_view.zoomIn(way)
        elif self.view() is self.grid:
            return
        elif way > 0:
            self.page_view.zoom_in()
        else:
            self.page_view.zoom_out()

    def switch_fit(self) -> None:
        """Fit the width, or the whole page where the width is fitted."""
        self.page_view.set_fit("page" if self.page_view.fit == "width" else "width")

    def has_picture(self) -> bool:
        """Return whether the page on show can be drawn."""
        content = self.content
        if content is None:
            return False
        return content.page.width > 0 and (content.document.id, content.page.number) not in self.feed.missing

    def has_grid(self) -> bool:
        """Return whether most of the page on show is tables, so that a grid shows it well."""
        content = self.content
        return content is not None and is_grid(content.page.text, content.page.tables)

    def toggle_text(self) -> None:
        """Go from the page to the grid of its tables, to its text, and back, at the same place."""
        looks = self._looks()
        if self.content is not None and len(looks) > 1:
            look = looks[(looks.index(self._look_now()) + 1) % len(looks)]
            self._look = look if look != looks[0] else ""
            self.show_view()
            self.view().setFocus()

    def _looks(self) -> list[Literal["", "grid", "text"]]:
        """List the ways to show the page; the first is how it shows by itself."""
        looks: list[Literal["", "grid", "text"]] = [""] if self.has_picture() else []
        return [*looks, "grid", "text"] if self.has_grid() else [*looks, "text"]

    def _look_now(self) -> Literal["", "grid", "text"]:
        looks = self._looks()
        return self._look if self._look in looks else looks[0]

    def marks(self) -> tuple[list[Mark], int | None]:
        """Return the marks of the page, and which is the quote on show; a span that is no quote gets one."""
        marks = [mark for mark, _ in self.things]
        if self.span is None:
            return marks, None
        for index, mark in enumerate(marks):
            if (mark.start, mark.end) == self.span:
                return marks, index
        return [*marks, Mark(*self.span)], len(marks)

    def update_marks(self) -> None:
        """Mark the page, its text and the map again."""
        if self.content is None:
            return
        self.things = marks_of_page(self.content.page.id, *self._case_quotes())
        marks, current = self.marks()
        self.page_view.set_marks(marks, current)
        if self.as_text():
            self.text_view.set_marks(marks, current)
        self.grid.set_marks(marks, current)
        self._show_legend()
        self._show_map()
        self._name_view()

    def set_names_visible(self, visible: bool) -> None:
        """Underline the names of the case on the page, or leave them as they are."""
        self._names_visible = visible
        self.update_names()

    def update_names(self) -> None:
        """Find the names of the case on the page again."""
        content = self.content
        if content is None or self.view() is not self.page_view:
            return
        names = None
        if self._names_visible:
            names = self.session.do(lambda bench: bench.entities.names_on(content.document.id, content.page.number))
        self.page_view.set_names([(start, end) for _, start, end in names or ()])

    def thing_at(self, start: int, end: int) -> Evidence | Proposal | None:
        """Return the quote of exactly this span of the page on show."""
        return next((thing for mark, thing in self.things if (mark.start, mark.end) == (start, end)), None)

    def quotes(self) -> Sequence[Placed]:
        """List every quote of the document in reading order; the same list as long as neither changes."""
        if self.content is None:
            return ()
        document = self.content.document.id
        if self._quote_cache is not None and self._quote_cache[0] == document:
            return self._quote_cache[1]
        quotes = self._quotes.of_document(document)
        self._quote_cache = (document, quotes)
        return quotes

    def _case_quotes(self) -> tuple[Sequence[Evidence], Sequence[Proposal], dict[str, dict[str, Rating]]]:
        return self._quotes.evidence, self._quotes.proposals, dict(self._quotes.ratings)

    def show_view(self) -> None:
        """Show the page as it looks, or its text where it has no picture or the text is wanted."""
        content = self.content
        assert content is not None
        marks, current = self.marks()
        look = self._look_now()
        self._show_page(content, marks, current, look)
        self._show_legend()

    def _show_page(
        self, content: PageContent, marks: Sequence[Mark], current: int | None, look: Literal["", "grid", "text"]
    ) -> None:
        if look == "grid":
            self.stack.setCurrentWidget(self.grid)
            page = content.page
            self.grid.show_page(
                *(page.text, page.tables, marks, current),
                struck_spans=page.struck_spans,
                hidden_spans=page.hidden_spans,
            )
            return
        if look == "text":
            self._show_text(marks, current)
            return
        self.stack.setCurrentWidget(self.page_view)
        self.page_view.continues = bool(self.quote_head)
        self.page_view.show_page(content.page.width, content.page.height, content.words)
        self.page_view.set_marks(marks, current)
        self.update_names()
        self.page_view.verticalScrollBar().setValue(0)
        self.page_view.horizontalScrollBar().setValue(0)
        if self.span is not None and not self.page_view.centre_on(*self.span):
            # The words of this quote have no place on the picture: the text shows them.
            self.said.emit("This page has no word positions: shown as text.")
            self._show_text(marks, current)

    def _show_text(self, marks: Sequence[Mark], current: int | None) -> None:
        content = self.content
        assert content is not None
        self.stack.setCurrentWidget(self.text_view)
        headings = [section.start for number, section in content.sections if number == content.page.number]
        page = content.page
        self.text_view.show_text(
            *(page.text, marks, page.hidden_spans, current), headings=headings, struck_spans=page.struck_spans
        )
        if current is None:
            self.text_view.verticalScrollBar().setValue(0)

    def _view_turned(self) -> None:
        self.stack.setFocusProxy(self.view())
        self.setFocusProxy(self.view())
        self.zoomed.emit()
        self._show_band()

    def _show_legend(self) -> None:
        """Say what the colours of the quotes on show mean."""
        self.legend.show_marks([mark for mark, _ in self.things], on_paper=self.view() is self.page_view)

    def _show_head(self) -> None:
        content = self.content
        if content is None:
            return
        self.name.setText(f"{content.document.name}, p. {page_name(content.page)}")
        self.facts.setText(facts(content, self.span))
        self.head.setVisible(bool(self.facts.text()) or not self.name.isHidden())

    def _name_view(self) -> None:
        """Word what a screen reader says of the page."""
        content = self.content
        if content is None:
            return
        name = f"Page {page_name(content.page)} of {content.document.name}"
        count = counted(len(self.things), "quote")
        self.page_view.setAccessibleName(f"{name}, {count}")
        self.page_view.setAccessibleDescription("An image. Press T for its text.")
        self.text_view.setAccessibleName(f"{name}, {count}")
        self.grid.setAccessibleName(f"Tables of page {page_name(content.page)} of {content.document.name}, {count}")

    def show_banner(self) -> None:
        """Show what is to be said of the text of the page, until a person has left it as it is."""
        if self.content is None:
            self.banner.hide()
            return
        is_left = bool(text_flags(self.content.page)) and self._is_left()
        read_only = self.session.read_only
        self.banner.show_page(self.content.page, beside=self.beside, is_left=is_left, read_only=read_only)

    def _is_left(self) -> bool:
        content = self.content
        left = self.session.do(lambda bench: bench.ocr.left_pages()) or ()
        return content is not None and (content.document.id, content.page.number) in left

    def leave_text(self) -> None:
        """Keep the text of the page as it is, for a person has looked at it; once more takes it back."""
        content = self.content
        if content is None or not {"stamp", "poor", "layer", "hidden"} & set(text_flags(content.page)):
            self.said.emit("There is nothing to note about the text of this page.")
            return
        here, left = (content.document.id, content.page.number), self._is_left()
        if self.session.do(lambda bench: bench.ocr.leave_text([here], left=not left), initiator=self) is None:
            return
        self.show_banner()
        message = "Page {page} is flagged again" if left else "The text of page {page} is kept as it is"
        self.session.tell(message.format(page=page_name(content.page)), undo=True)

    # --- the map -----------------------------------------------------------------------------------------------------

    def _show_map(self) -> None:
        content = self.content
        if content is None:
            return
        spots = quote_spots(content, self.quotes(), [mark for mark, _ in self.things])
        self.map.show_document(content.document.pages, spots)
        self._show_band()

    def show_finds(self, current: tuple[int, int, int] | None) -> None:
        """Show the hits of a search on the map, and those of this page where they are."""
        content = self.content
        if content is None:
            return
        self.map.show_hits(find_spots(content, self.finds), current)
        here = [(s, e) for number, s, e in self.finds if number == content.page.number]
        index = here.index(current[1:]) if current is not None and current[0] == content.page.number else 0
        self.view().set_finds(here, index)

    def clear_finds(self) -> None:
        """Take the hits of a search away."""
        self.finds = []
        self.page_view.set_finds([])
        self.text_view.set_finds([])
        self.grid.set_finds([])
        self.map.show_hits([])

    def _show_band(self) -> None:
        if self.content is not None:
            self.map.show_band(self.content.page.number, *self.view().visible_part())

    # --- selection ---------------------------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """Return the offsets of the text picked on the page or in its text."""
        return self.view().selection()

    def selected_spans(self) -> list[PageSpan]:
        """List the spans of what is picked: those of a quote begun on pages before, and this page's.

        It is the quote on show when nothing is picked.
        """
        content = self.content
        if content is None:
            return []
        selection = self.selection()
        if selection is None and not self.quote_head:
            selection = self.span
        if selection is None:
            return [*self.quote_head]
        return [*self.quote_head, PageSpan(content.page.number, *selection, content.page.text[slice(*selection)])]

    def carry_over(self) -> bool:
        """Keep what is picked as the beginning of a quote that goes on; tell whether there is any."""
        content, selection = self.content, self.selection()
        if content is None or selection is None or content.page.number >= content.document.pages:
            return False
        self.quote_head.append(PageSpan(content.page.number, *selection, content.page.text[slice(*selection)]))
        return True

    def discard_quote_head(self) -> None:
        """Forget the quote that was begun."""
        self.quote_head = []
        self.page_view.continues = False
        self._show_quote_head()

    def clear_selection(self) -> None:
        """Pick nothing, and forget the quote that was begun."""
        self.discard_quote_head()
        self.page_view.clear_selection()
        self.text_view.clear_selection()
        self.grid.clear_selection()

    def _show_quote_head(self) -> None:
        self.page_view.continues = bool(self.quote_head)
        self.quote_head_bar.show_spans(self.quote_head, self.labels)

    def _words_selected(self, _start: int, _end: int, box: QRect) -> None:
        port = self.view().viewport()
        self.words_selected.emit(QRect(port.mapTo(self, box.topLeft()), box.size()))

    def _mark_clicked(self, mark: Mark) -> None:
        for thing_here, thing in self.things:
            if thing_here == mark:
                self.span = (mark.start, mark.end)
                self.update_marks()
                self._show_head()
                self.mark_clicked.emit(thing)
                return

    def eventFilter(self, source: QObject, event: QEvent) -> bool:
        """Emit that this pane is in use when one of its views gets the focus."""
        if event.type() == QEvent.Type.FocusIn:
            self.activated.emit()
        return super().eventFilter(source, event)


class _Head(QFrame):
    """The line with name and facts, with an accent above it in the pane that commands go to."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "surface")
        self.is_active = False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_active:
            QPainter(self).fillRect(0, 0, self.width(), 2, QColor(theme.tokens().accent))
