"""One document in the viewer: a page as it looks or its text, with its marks, its pictures, its selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from core.domain import HIDDEN, LAYER, OF_THE_FILE, Evidence, Label, Proposal, Rating
from core.errors import AppError, UnreadableDocument
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.page_geometry import Mark
from gui_app.viewer.marks import Shown, Stretch, facts, marks_of_page, page_name, parts_of
from gui_app.viewer.minimap import HitMap, Spot
from gui_app.viewer.page_pictures import PagePictures, Wanted
from gui_app.viewer.page_view import PageView
from gui_app.viewer.text_view import TextView

if TYPE_CHECKING:
    from core.workbench import Workbench

LOW = 1.0  # pixels a point of the first, quick picture
_TYPICAL = 3_000  # characters of a page whose length is not known: only for its place on the map


Placed = tuple[int, int, int, Evidence | Proposal]  # page, start, end and what stands there


@dataclass(frozen=True, slots=True)
class Quotes:
    """What the case holds that is marked on pages."""

    evidence: Sequence[Evidence] = ()
    proposals: Sequence[Proposal] = ()
    ratings: Mapping[str, dict[str, Rating]] = field(default_factory=dict)


class DocumentPane(QWidget):
    """Shows one page at a time. ``activated`` when the person turns to it, ``opened`` when another page is on show,
    ``words_selected`` and ``selection_gone`` of words picked, ``mark_clicked(thing)`` of a quote, ``turned(step)`` when
    somebody scrolls beyond an end, ``both_asked(which)`` for 'both' readings of a page or its 'text'
    beside it, ``said(text)`` for the status line.
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
        self.shown: Shown | None = None
        self.span: tuple[int, int] | None = None
        self.things: list[tuple[Mark, Evidence | Proposal]] = []
        self.labels: Mapping[int, str] = {}
        self.begun: list[Stretch] = []
        self.finds: list[tuple[int, int, int]] = []
        self._quotes = Quotes()
        self._listed: tuple[str, Sequence[Placed]] | None = None
        self._wants_text = False
        self._names_shown = True
        self._no_picture: set[tuple[str, int]] = set()
        self._build()
        pictures.came.connect(self._picture_came)
        pictures.failed.connect(self._picture_failed)

    def _build(self) -> None:
        self.name = ElidedLabel("", "strong")
        self.facts = ElidedLabel("", "muted")
        self.head = _Head()
        row = QHBoxLayout(self.head)
        row.setContentsMargins(24, 4, 16, 6)
        row.setSpacing(12)
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        row.addWidget(self.name)  # whole while there is room for it
        row.addWidget(self.facts, 1)
        self.name.hide()
        self.banner_text = plain("", wrap=True)
        self.beside = ""  # what stands beside the page, as the screen says it
        self.both_button = QPushButton()
        self.both_button.setProperty("kind", "quiet")
        self.both_button.clicked.connect(lambda: self.both_asked.emit(self._compared_with()))
        self.leave_button = QPushButton("Dismiss")
        self.leave_button.setProperty("kind", "quiet")
        self.leave_button.clicked.connect(self.leave_text)
        self.banner = _notice(self.banner_text, self.both_button, self.leave_button, kind="notice")
        self.begun_text = plain("", wrap=True)
        self.begun_stop = QPushButton("Leave it")
        self.begun_stop.setProperty("kind", "quiet")
        self.begun_stop.setAccessibleName("Discard the unfinished quote")
        self.begun_stop.clicked.connect(self.leave_begun)
        self.begun_bar = _notice(self.begun_text, self.begun_stop, kind="note")
        self.page_view = PageView()
        self.page_view.picture_wanted.connect(self._want_picture)
        self.page_view.tiles_wanted.connect(self._want_tiles)
        self.page_view.zoomed.connect(lambda _scale: self.zoomed.emit())
        self.page_view.scrolled.connect(self._show_band)
        self.text_view = TextView()
        self.text_view.scrolled.connect(self._show_band)
        for view in (self.page_view, self.text_view):
            view.words_selected.connect(self._words_selected)
            view.selection_cleared.connect(self.selection_gone.emit)
            view.mark_clicked.connect(self._mark_clicked)
            view.turned.connect(self.turned.emit)
            view.installEventFilter(self)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.page_view)
        self.stack.addWidget(self.text_view)
        self.stack.currentChanged.connect(lambda _at: self._view_turned())
        self.map = HitMap()
        self.map.chosen.connect(self.place_asked.emit)
        self.map.page_chosen.connect(lambda page: self.place_asked.emit(page, 0, 0))
        middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.stack, 1)
        middle.addWidget(self.map)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.banner)
        column.addWidget(self.begun_bar)
        column.addLayout(middle, 1)
        self._view_turned()

    # --- what is on show ---------------------------------------------------------------------------------------------

    def view(self) -> PageView | TextView:
        """The page or its text, whichever is on show."""
        return self.page_view if self.stack.currentWidget() is self.page_view else self.text_view

    def as_text(self) -> bool:
        return self.stack.currentWidget() is self.text_view

    def set_quotes(self, quotes: Quotes) -> None:
        self._quotes, self._listed = quotes, None
        self.update_marks()

    def set_active(self, active: bool) -> None:
        """Whether the person works in this pane; said by a line above its name where there are two."""
        self.head.lined = active and not self.name.isHidden()
        self.head.update()

    def named(self, shown: bool) -> None:
        """Whether the name of the document stands above it: needed where there are two."""
        self.name.setVisible(shown)
        self._show_head()

    def open(self, document: str, number: int, start: int, end: int) -> bool:
        """Show page ``number``, text[start:end] in the middle (no quote where they are equal); whether it is there."""
        before = self.shown

        def load(bench: Workbench) -> tuple[Shown, Mapping[int, str]]:
            stored = bench.documents.page(document, number)
            known = before is not None and before.document.id == document
            sections = before.sections if before is not None and known else tuple(bench.documents.sections(document))
            labels = self.labels if known else bench.documents.page_labels(document)
            return Shown(
                bench.documents.get(document), stored, tuple(bench.documents.words(stored.id)), sections
            ), labels

        loaded = self.session.do(load)
        if loaded is None:
            return False
        self.shown, self.labels = loaded
        if before is None or before.document.id != document:
            self.finds, self.begun = [], []
        self.span = (start, end) if end > start else None
        self.things = marks_of_page(self.shown.page.id, *self._case_quotes())
        self._show_view()
        self._show_head()
        self.show_banner()
        self._show_begun()
        self._show_map()
        self._name_view()
        self.opened.emit()
        return True

    def place(self) -> tuple[str, int, int, int] | None:
        """What ``open`` needs to show this again; None where nothing is on show."""
        if self.shown is None:
            return None
        return self.shown.document.id, self.shown.page.number, *(self.span or (0, 0))

    def forget(self) -> None:
        """Nothing is on show any more."""
        self.shown, self.span, self.things, self.labels = None, None, [], {}
        self.begun, self.finds = [], []
        self._no_picture.clear()

    def show_nothing(self, text: str) -> None:
        self.things = []
        self.banner.hide()
        self.begun_bar.hide()
        self.head.hide()
        self.stack.setCurrentWidget(self.page_view)
        self.page_view.show_message(text)
        self.map.show_document(1, [])
        self.map.show_hits([])

    def has_picture(self) -> bool:
        """Whether the page on show can be drawn."""
        shown = self.shown
        if shown is None:
            return False
        return shown.page.width > 0 and (shown.document.id, shown.page.number) not in self._no_picture

    def toggle_text(self) -> None:
        """Between the page and its text, at the same place."""
        if self.shown is not None and self.has_picture():
            self._wants_text = not self.as_text()
            self._show_view()
            self.view().setFocus()

    def marks(self) -> tuple[list[Mark], int | None]:
        """The marks of the page, and which of them is the quote on show; a span that is no quote yet gets a mark."""
        marks = [mark for mark, _ in self.things]
        if self.span is None:
            return marks, None
        for index, mark in enumerate(marks):
            if (mark.start, mark.end) == self.span:
                return marks, index
        return [*marks, Mark(*self.span)], len(marks)

    def update_marks(self) -> None:
        if self.shown is None:
            return
        self.things = marks_of_page(self.shown.page.id, *self._case_quotes())
        marks, current = self.marks()
        self.page_view.set_marks(marks, current)
        if self.as_text():
            self.text_view.set_marks(marks, current)
        self._show_map()
        self._name_view()

    def set_names_shown(self, shown: bool) -> None:
        """Whether the names of the case are underlined on the page."""
        self._names_shown = shown
        self.update_names()

    def update_names(self) -> None:
        shown = self.shown
        if shown is None or self.as_text():
            return
        found = None
        if self._names_shown:
            found = self.session.do(lambda bench: bench.entities.names_on(shown.document.id, shown.page.number))
        self.page_view.set_names([(start, end) for _, start, end in found or ()])

    def thing_at(self, start: int, end: int) -> Evidence | Proposal | None:
        """The quote of exactly this stretch of the page on show."""
        return next((thing for mark, thing in self.things if (mark.start, mark.end) == (start, end)), None)

    def quotes(self) -> Sequence[Placed]:
        """Every quote of the document on show in reading order; the same list as long as neither changes."""
        if self.shown is None:
            return ()
        document = self.shown.document.id
        if self._listed is not None and self._listed[0] == document:
            return self._listed[1]
        found: dict[tuple[int, int, int], Evidence | Proposal] = {}
        things: list[Evidence | Proposal] = [each for each in self._quotes.proposals if each.status != "rejected"]
        things += self._quotes.evidence
        for thing in things:
            held = thing if isinstance(thing, Evidence) else thing.quote
            first = next(parts_of(thing), None) if held.document == document else None
            if first is not None:
                found[(first.page, first.start, first.end)] = thing
        listed = [(*at, found[at]) for at in sorted(found)]
        self._listed = (document, listed)
        return listed

    def _case_quotes(self) -> tuple[Sequence[Evidence], Sequence[Proposal], dict[str, dict[str, Rating]]]:
        return self._quotes.evidence, self._quotes.proposals, dict(self._quotes.ratings)

    def _show_view(self) -> None:
        shown = self.shown
        assert shown is not None
        marks, current = self.marks()
        if self._wants_text or not self.has_picture():
            self._show_text(marks, current)
            return
        self.stack.setCurrentWidget(self.page_view)
        self.page_view.continues = bool(self.begun)
        self.page_view.show_page(shown.page.width, shown.page.height, shown.words)
        self.page_view.set_marks(marks, current)
        self.update_names()
        self.page_view.verticalScrollBar().setValue(0)
        self.page_view.horizontalScrollBar().setValue(0)
        if self.span is not None and not self.page_view.centre_on(*self.span):
            # The words of this quote have no place on the picture: the text shows them.
            self.said.emit("This page has no word positions: shown as text.")
            self._show_text(marks, current)

    def _show_text(self, marks: Sequence[Mark], current: int | None) -> None:
        shown = self.shown
        assert shown is not None
        self.stack.setCurrentWidget(self.text_view)
        headings = [section.start for number, section in shown.sections if number == shown.page.number]
        self.text_view.show_text(shown.page.text, marks, shown.page.hidden_spans, current, headings=headings)
        if current is None:
            self.text_view.verticalScrollBar().setValue(0)

    def _view_turned(self) -> None:
        self.stack.setFocusProxy(self.view())
        self.setFocusProxy(self.view())
        self.zoomed.emit()
        self._show_band()

    def _show_head(self) -> None:
        shown = self.shown
        if shown is None:
            return
        self.name.setText(f"{shown.document.name}, p. {page_name(shown.page)}")
        self.facts.setText(facts(shown, self.span))
        self.head.setVisible(bool(self.facts.text()) or not self.name.isHidden())

    def _name_view(self) -> None:
        """What a screen reader says of the page."""
        shown = self.shown
        if shown is None:
            return
        name = f"Page {page_name(shown.page)} of {shown.document.name}"
        marked = counted(len(self.things), "quote")
        self.page_view.setAccessibleName(f"{name}, {marked}")
        self.page_view.setAccessibleDescription("An image. Press T for its text.")
        self.text_view.setAccessibleName(f"{name}, {marked}")

    def flags(self) -> tuple[str, ...]:
        """Why the text of the page on show is flagged: it is 'poor' (no text as far as one can tell) or a 'layer' over
        a picture that nobody compared it with, some of it is 'hidden', there is 'none'.
        """
        page = self.shown.page if self.shown is not None else None
        if page is None:
            return ()
        if page.source == "none":
            return ("none",)
        poor = page.source in OF_THE_FILE and page.confidence is not None and page.width > 0
        layer = page.source == "layer" and not poor
        both = ("poor", poor), ("layer", layer), ("hidden", bool(page.hidden_spans))
        return tuple(flag for flag, here in both if here)

    def show_banner(self) -> None:
        """What is to be said of the text of the page, until a person has left it as it is."""
        shown, flags = self.shown, self.flags()
        if shown is None:
            self.banner.hide()
            return
        said = []
        if "none" in flags:
            said.append("This page has no text (needs OCR): it can be looked at, not searched or quoted.")
        if "poor" in flags:
            said.append(
                "The text of this page looks garbled or doesn’t match the page image. OCR can read the image "
                "instead (“Read the scans” on the Documents screen)."
            )
        if "layer" in flags:
            told = "Words of this page are the {layer}: the image under them may say something else."
            said.append(told.format(layer=LAYER))
        if "hidden" in flags:
            letters = sum(end - start for start, end in shown.page.hidden_spans)
            reasons = dict.fromkeys(HIDDEN.get(one, HIDDEN["unseen"]) for one in shown.page.hidden_why)
            told = "{count} characters of this page are not visible ({why}). They are neither searched nor judged."
            said.append(told.format(count=f"{letters:,}", why="; ".join(reasons) or HIDDEN["unseen"]))
        self.banner_text.setText(" ".join(said))
        settled = bool(flags) and "none" not in flags
        tip = "You have compared it: the notice is gone"
        if "hidden" in flags:
            tip += ", and what is hidden stays out of searches"
        if "poor" in flags:
            tip += ", and OCR is not offered for this page"
        self.leave_button.setToolTip(tip)
        self.leave_button.setVisible(settled and not self.session.read_only)
        self.both_button.setText("Both readings" if "hidden" in flags else "Text beside it")
        self.both_button.setVisible(settled and self.beside != self._compared_with())
        self.banner.setVisible(bool(flags) and not (settled and self._is_left()))

    def _compared_with(self) -> str:
        """What the text of the page is best compared with."""
        return "both" if "hidden" in self.flags() else "text"

    def _is_left(self) -> bool:
        shown = self.shown
        left = self.session.do(lambda bench: bench.ocr.left_pages()) or ()
        return shown is not None and (shown.document.id, shown.page.number) in left

    def leave_text(self) -> None:
        """A person has looked at the page: its text is right as it is, or what is hidden on it has been seen. Once more
        takes it back.
        """
        shown = self.shown
        if shown is None or not {"poor", "layer", "hidden"} & set(self.flags()):
            self.said.emit("There is nothing to note about the text of this page.")
            return
        here, left = (shown.document.id, shown.page.number), self._is_left()
        if self.session.do(lambda bench: bench.ocr.leave_text([here], left=not left), initiator=self) is None:
            return
        self.show_banner()
        told = "Page {page} is flagged again" if left else "The text of page {page} is kept as it is"
        self.session.tell(told.format(page=page_name(shown.page)), undo=True)

    # --- the map -----------------------------------------------------------------------------------------------------

    def _show_map(self) -> None:
        shown = self.shown
        if shown is None:
            return
        marks = {(mark.start, mark.end): mark for mark, _ in self.things}
        spots = []
        for page, start, end, thing in self.quotes():
            mark = marks.get((start, end)) if page == shown.page.number else None
            stance = mark.stance if mark is not None else _stance(thing)
            spots.append(
                Spot(self._share(page, start), page, start, end, stance, isinstance(thing, Evidence), thing.id)
            )
        self.map.show_document(shown.document.pages, spots)
        self._show_band()

    def show_finds(self, current: tuple[int, int, int] | None) -> None:
        """The hits of a search on the map, and those of this page where they stand."""
        shown = self.shown
        if shown is None:
            return
        self.map.show_hits([Spot(self._share(page, s), page, s, e) for page, s, e in self.finds], current)
        here = [(s, e) for number, s, e in self.finds if number == shown.page.number]
        at = here.index(current[1:]) if current is not None and current[0] == shown.page.number else 0
        self.view().set_finds(here, at)

    def clear_finds(self) -> None:
        self.finds = []
        self.page_view.set_finds([])
        self.text_view.set_finds([])
        self.map.show_hits([])

    def _share(self, page: int, start: int) -> float:
        """Where in the document a place lies, 0..1 of its pages."""
        shown = self.shown
        if shown is None:
            return 0.0
        long = len(shown.page.text) if page == shown.page.number else _TYPICAL
        return (page - 1 + min(1.0, start / max(1, long))) / max(1, shown.document.pages)

    def _show_band(self) -> None:
        if self.shown is not None:
            self.map.show_band(self.shown.page.number, *self.view().visible_part())

    # --- pictures ----------------------------------------------------------------------------------------------------

    def _want_picture(self, scale: float) -> None:
        shown = self.shown
        if shown is None or not self.has_picture():
            return
        document, number = shown.document.id, shown.page.number
        kept = self.pictures.kept(Wanted(document, number, scale))
        if kept is not None:
            self.page_view.set_picture(kept, scale)
            self._prefetch()
            return
        self.pictures.forget(("ahead", id(self)))  # what is looked at comes first
        if self.page_view.picture_scale() == 0:
            other = self.pictures.sharpest(document, number)
            if other is not None:
                self.page_view.set_picture(QImage(other[1]), other[0])
        if scale > LOW * 1.5 and self.page_view.picture_scale() == 0:
            self.pictures.ask(Wanted(document, number, LOW), key=("first picture", id(self)))
        self.pictures.ask(Wanted(document, number, scale), key=("sharp picture", id(self)))

    def _want_tiles(self) -> None:
        """The tile in sight that is missing and nearest to the middle; the next one when it is there."""
        shown = self.shown
        if shown is None or not self.has_picture():
            return
        for tile in self.page_view.missing_tiles():
            wanted = Wanted(shown.document.id, shown.page.number, tile.scale, tile.clip)
            kept = self.pictures.kept(wanted)
            if kept is None:
                self.pictures.ask(wanted, key=("tile", id(self)))
                return
            self.page_view.set_tile(tile, kept)

    def _picture_came(self, wanted: Wanted, image: QImage) -> None:
        shown = self.shown
        if shown is None or shown.document.id != wanted.document:
            return
        if shown.page.number != wanted.number:
            if abs(shown.page.number - wanted.number) == 1 and wanted.scale == self.page_view.wanted_scale():
                self._prefetch()
            return
        if wanted.clip is not None:
            self._want_tiles()
            return
        # A thumbnail is none; one that was asked for a moment ago, in nearly this size, is better than no picture.
        if wanted.scale >= min(LOW, 0.8 * self.page_view.wanted_scale()):
            before = self.page_view.picture_scale()
            self.page_view.set_picture(image, wanted.scale)
            if wanted.scale == self.page_view.wanted_scale() and before != wanted.scale:
                self._prefetch()

    def _picture_failed(self, wanted: Wanted, error: AppError) -> None:
        shown = self.shown
        if shown is None or (shown.document.id, shown.page.number) != (wanted.document, wanted.number):
            return
        self.said.emit(error.sentence)
        if isinstance(error, UnreadableDocument) and wanted.clip is None:
            # A reader that was stopped is another matter: the next opening asks again.
            self._no_picture.add((wanted.document, wanted.number))
            self._show_view()

    def _prefetch(self) -> None:
        """The next page, and when that is there the one before: turning a page should show it at once."""
        shown = self.shown
        if shown is None:
            return
        scale = self.page_view.wanted_scale()
        for step in (1, -1):
            wanted = Wanted(shown.document.id, shown.page.number + step, scale)
            if 1 <= wanted.number <= shown.document.pages and self.pictures.kept(wanted) is None:
                self.pictures.ask(wanted, key=("ahead", id(self)))
                return

    # --- selection ---------------------------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """The offsets of the text picked on the page or in its text."""
        return self.view().selection()

    def stretches(self) -> list[Stretch]:
        """What is picked: the stretches of a quote that was begun on pages before, and the one of this page; the quote
        on show when nothing is picked.
        """
        shown = self.shown
        if shown is None:
            return []
        chosen = self.selection()
        if chosen is None and not self.begun:
            chosen = self.span
        here = [Stretch(shown.page.number, *chosen, shown.page.text[slice(*chosen)])] if chosen is not None else []
        return [*self.begun, *here]

    def carry_over(self) -> bool:
        """Keep what is picked as the beginning of a quote that goes on on the next page; whether there is one."""
        shown, chosen = self.shown, self.selection()
        if shown is None or chosen is None or shown.page.number >= shown.document.pages:
            return False
        self.begun.append(Stretch(shown.page.number, *chosen, shown.page.text[slice(*chosen)]))
        return True

    def leave_begun(self) -> None:
        self.begun = []
        self.page_view.continues = False
        self._show_begun()

    def clear_selection(self) -> None:
        self.leave_begun()
        self.page_view.clear_selection()
        self.text_view.clear_selection()

    def _show_begun(self) -> None:
        self.page_view.continues = bool(self.begun)
        if self.begun:
            last = self.begun[-1]
            words = " ".join(last.text.split())
            tail = words if len(words) <= 60 else f"… {words[-60:].partition(' ')[2]}"
            said = "The quote begins on page {page}: “{words}” Select the rest here, then add or copy it."
            self.begun_text.setText(
                said.format(page=self.labels.get(self.begun[0].page) or self.begun[0].page, words=tail)
            )
        self.begun_bar.setVisible(bool(self.begun))

    def _words_selected(self, _start: int, _end: int, box: QRect) -> None:
        port = self.view().viewport()
        self.words_selected.emit(QRect(port.mapTo(self, box.topLeft()), box.size()))

    def _mark_clicked(self, mark: Mark) -> None:
        for known, thing in self.things:
            if known == mark:
                self.span = (mark.start, mark.end)
                self.update_marks()
                self._show_head()
                self.mark_clicked.emit(thing)
                return

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self.activated.emit()
        return super().eventFilter(watched, event)


class _Head(QFrame):
    """The line with name and facts, with an accent above it in the pane that commands go to."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "surface")
        self.lined = False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.lined:
            QPainter(self).fillRect(0, 0, self.width(), 2, QColor(theme.tokens().accent))


def _stance(thing: Evidence | Proposal) -> Label | None:
    if isinstance(thing, Proposal) and not thing.blind:
        return thing.verdict.label
    return None


def _notice(text: QWidget, *buttons: QPushButton, kind: str) -> QFrame:
    """A line across the pane with something to do about it."""
    frame = QFrame()
    frame.setProperty("kind", kind)
    row = QHBoxLayout(frame)
    row.setContentsMargins(16, 6, 8, 6)
    row.addWidget(text, 1)
    for button in buttons:
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
    frame.hide()
    return frame
