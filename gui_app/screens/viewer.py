"""The viewer: a page as it looks, or its text, with every quote of it marked. Text picked here becomes evidence."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QImage, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain import Changes, Document, Evidence, Label, Page, Passage, Proposal, Rating, Word
from core.errors import AppError, UnreadableDocument
from gui_app import look
from gui_app.screens.screen import Screen
from gui_app.session import CaseSession
from gui_app.widgets.fields import bare
from gui_app.widgets.flow import Flow
from gui_app.widgets.page_geometry import Mark
from gui_app.widgets.page_view import PageView
from gui_app.widgets.snippets import SnippetList
from gui_app.widgets.text_view import TextView
from gui_app.words import counted

if TYPE_CHECKING:
    from core.workbench import Workbench

LOW = 1.0  # pixels a point of the first, quick picture
PICTURE_BYTES = 64_000_000  # of decoded pages kept: about eight sharp ones; the window may use 300 MB in all
MOST_HITS = 2_000
SIMILAR = 12
NARROW = 900  # pixels: below this the page gets all the room, and the list of quotes is opened by hand

STANCES: dict[Rating, Label | None] = {
    "CC": "supports",
    "C": "supports",
    "N": "neutral",
    "I": "contradicts",
    "II": "contradicts",
    "NA": None,
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What is on show: one page of one document."""

    document: Document
    page: Page
    words: tuple[Word, ...]


def hits(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where ``wanted`` stands in ``text``, whatever its case and however its words are spaced."""
    parts = wanted.split()
    if not parts:
        return []
    pattern = re.compile(r"\s+".join(re.escape(part) for part in parts), re.IGNORECASE)
    return [match.span() for match in pattern.finditer(text)]


def citation(document: Document, page: Page, text: str) -> str:
    """A quote as it is pasted elsewhere: its words with single spaces, and where they stand."""
    place = document.name if document.pages <= 1 else f"{document.name}, p. {page.label or page.number}"
    return f"“{' '.join(text.split())}” ({place})"


def marks_of_page(
    page_id: int, evidence: Sequence[Evidence], proposals: Sequence[Proposal], ratings: dict[str, dict[str, Rating]]
) -> list[tuple[Mark, object]]:
    """Every quote of a page once, in reading order, with the thing to show when it is clicked.

    A quote that is in the matrix shows the person's ratings; before any rating, and for a pending proposal, it shows
    the machine's verdicts. Rejected proposals are not marked.
    """
    spans: dict[tuple[int, int], tuple[object, bool, dict[str, Label | None]]] = {}
    for item in evidence:
        if item.page_id == page_id and item.start is not None and item.end is not None:
            rated = {h: STANCES[rating] for h, rating in ratings.get(item.id, {}).items()}
            spans[(item.start, item.end)] = (item, True, rated)
    for proposal in proposals:
        if proposal.quote.page_id != page_id or proposal.status == "rejected":
            continue
        at = (proposal.quote.start, proposal.quote.end)
        thing, decided, stances = spans.get(at, (proposal, False, {}))
        stances.setdefault(proposal.hypothesis, "neutral" if proposal.blind else proposal.verdict.label)
        spans[at] = (thing, decided, stances)
    found = []
    for (start, end), (thing, decided, stances) in sorted(spans.items(), key=lambda item: item[0]):
        telling: set[Label | None] = {stance for stance in stances.values() if stance in ("supports", "contradicts")}
        kinds = telling or set(stances.values())
        stance: Label | None = kinds.pop() if len(kinds) == 1 else ("ambiguous" if kinds else None)
        letters = " ".join(sorted(stances, key=lambda h: (len(h), h)))
        said = ", ".join(f"{h} {stances[h] or 'not applicable'}" for h in sorted(stances))
        name = thing.id if isinstance(thing, Evidence | Proposal) else ""
        about = f"{name}: {said}" if said else name
        found.append((Mark(start, end, stance, letters or name, decided, about), thing))
    return found


class SelectionBar(QFrame):
    """The small bar beside a selection."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setProperty("kind", "popup")
        self.setAccessibleName(self.tr("What to do with the selected text"))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(4, 4, 4, 4)
        self._row.setSpacing(4)
        self.hide()

    def offer(self, action: QAction) -> None:
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setAutoRaise(True)
        button.setAccessibleName(action.text())
        self._row.addWidget(button)

    def stand_by(self, box: QRect) -> None:
        """Below the selection, or above it where there is no room, inside the view."""
        self.adjustSize()
        room = self._over.rect()
        left = min(max(8, box.center().x() - self.width() // 2), max(8, room.width() - self.width() - 8))
        top = box.bottom() + 8
        if top + self.height() > room.height() - 8:
            top = max(8, box.top() - self.height() - 8)
        self.move(left, top)
        self.show()
        self.raise_()


class ViewerScreen(Screen):
    """Shows a page with the quote somebody came for; everything else is one key away."""

    name = "Viewer"
    icon = "viewer"
    concerns = Changes(documents=True, proposals=True, evidence=True, matrix=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._shown: Shown | None = None
        self._span: tuple[int, int] | None = None
        self._wants_text = False
        self._wants_side: bool | None = None
        self._things: list[tuple[Mark, object]] = []
        self._evidence: list[Evidence] = []
        self._proposals: list[Proposal] = []
        self._ratings: dict[str, dict[str, Rating]] = {}
        self._pictures: OrderedDict[tuple[str, int, float], QImage] = OrderedDict()
        self._no_picture: set[tuple[str, int]] = set()
        self._finds: list[tuple[int, int, int]] = []
        self._find_at = 0
        self._similar: list[Passage] = []
        self._build()
        self._make_commands()
        self.setFocusProxy(self.stack)
        session.opened.connect(self._case_opened)

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.picker = QComboBox()
        self.picker.setAccessibleName(self.tr("Document"))
        self.picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.picker.setMinimumContentsLength(12)
        self.picker.setMaxVisibleItems(24)
        self.picker.activated.connect(self._picked_document)
        self.page_field = QSpinBox()
        bare(self.page_field, self.tr("Page number"))
        self.page_field.setKeyboardTracking(False)
        self.page_field.setMinimum(1)
        self.page_field.valueChanged.connect(self._typed_page)
        self.of_pages = QLabel()
        self.of_pages.setTextFormat(Qt.TextFormat.PlainText)
        self.zoom_label = QLabel()
        self.zoom_label.setTextFormat(Qt.TextFormat.PlainText)
        self.zoom_label.setMinimumWidth(48)
        self.zoom_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.banner = QLabel()
        self.banner.setTextFormat(Qt.TextFormat.PlainText)
        self.banner.setWordWrap(True)
        self.banner.setProperty("kind", "notice")
        self.banner.setContentsMargins(16, 8, 16, 8)
        self.banner.hide()

        self.page_view = PageView()
        self.page_view.picture_wanted.connect(self._want_picture)
        self.page_view.zoomed.connect(lambda _scale: self._show_zoom())
        self.page_view.words_selected.connect(self._selected)
        self.page_view.selection_cleared.connect(self._selection_gone)
        self.page_view.mark_clicked.connect(self._mark_clicked)
        self.page_view.turned.connect(self._turn_by_scrolling)
        self.text_view = TextView()
        self.text_view.words_selected.connect(self._selected)
        self.text_view.selection_cleared.connect(self._selection_gone)
        self.stack = QStackedWidget()
        self.stack.currentChanged.connect(lambda _at: self._turned_view())
        self.stack.addWidget(self.page_view)
        self.stack.addWidget(self.text_view)
        self.stack.setFocusProxy(self.page_view)

        self.side_title = QLabel()
        self.side_title.setTextFormat(Qt.TextFormat.PlainText)
        self.side_list = SnippetList(self.tr("Quotes of this document"), quotes=True)
        self.side_list.chosen.connect(self._side_chosen)
        self.side_back = QToolButton()
        self.side_back.setText(self.tr("Quotes"))
        self.side_back.setAccessibleName(self.tr("Back to the quotes of this document"))
        self.side_back.clicked.connect(lambda: self._show_side(similar=False))
        self.side_back.hide()
        heading = QHBoxLayout()
        heading.setContentsMargins(16, 8, 8, 8)
        heading.addWidget(self.side_title, 1)
        heading.addWidget(self.side_back)
        self.side = QWidget()
        side_column = QVBoxLayout(self.side)
        side_column.setContentsMargins(0, 0, 0, 0)
        side_column.setSpacing(0)
        side_column.addLayout(heading)
        side_column.addWidget(self.side_list, 1)

        self.find_field = QLineEdit()
        self.find_field.setAccessibleName(self.tr("Find in this document"))
        self.find_field.setPlaceholderText(self.tr("Find in this document"))
        self.find_field.setClearButtonEnabled(True)
        self.find_field.installEventFilter(self)
        self.find_count = QLabel()
        self.find_count.setTextFormat(Qt.TextFormat.PlainText)
        self._find_soon = QTimer(self)
        self._find_soon.setSingleShot(True)
        self._find_soon.setInterval(120)
        self._find_soon.timeout.connect(self._find)
        self.find_field.textChanged.connect(lambda _text: self._find_soon.start())
        self.find_bar = QWidget()
        find_row = QHBoxLayout(self.find_bar)
        find_row.setContentsMargins(16, 8, 16, 8)
        find_row.addWidget(self.find_field, 1)
        find_row.addWidget(self.find_count)
        for picture, told, slot in (
            ("up", self.tr("Previous hit"), lambda: self._step_find(-1)),
            ("down", self.tr("Next hit"), lambda: self._step_find(1)),
            ("cross", self.tr("Close the search"), self._close_find),
        ):
            find_row.addWidget(self._button(picture, told, slot))
        self.find_bar.hide()

        self.tools = Flow(gap=2)
        self.tools.setContentsMargins(16, 8, 16, 8)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.stack, 1)
        column.addWidget(self.find_bar)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.side)
        self.splitter.addWidget(centre)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([216, 800])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(self.tools)
        whole.addWidget(self.splitter, 1)
        self.selection_bar = SelectionBar(self.stack)

    def _view(self) -> PageView | TextView:
        """The page or its text, whichever is on show."""
        return self.page_view if self.stack.currentWidget() is self.page_view else self.text_view

    def _turned_view(self) -> None:
        self.stack.setFocusProxy(self._view())
        self._show_zoom()

    def _button(self, picture: str, told: str, slot: Any) -> QToolButton:
        button = QToolButton()
        look.set_icon(button, picture)
        button.setAccessibleName(told)
        button.setToolTip(told)
        button.setAutoRaise(True)
        button.clicked.connect(lambda _checked=False: slot())
        return button

    def _tool(self, action: QAction, picture: str, text: str = "") -> QToolButton:
        """A button of the bar for a command: a picture (and a short text), the command's words for the tip."""
        button = QToolButton()
        look.set_icon(button, picture)
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
        button.clicked.connect(lambda _checked=False: self._trigger(action, button))
        return button

    @staticmethod
    def _trigger(action: QAction, button: QToolButton) -> None:
        action.trigger()
        if action.isCheckable():
            button.setChecked(action.isChecked())

    def _make_commands(self) -> None:
        command = self.command
        previous_page = command(self.tr("Previous page"), "Ctrl+PgUp", lambda: self.turn(-1))
        next_page = command(self.tr("Next page"), "Ctrl+PgDown", lambda: self.turn(1))
        previous_quote = command(self.tr("Previous quote"), "Shift+N", lambda: self.step_quote(-1))
        next_quote = command(self.tr("Next quote"), "N", lambda: self.step_quote(1))
        command(self.tr("Back to where the page was opened from"), "O", self.back.emit)
        command(self.tr("Go to page"), "Ctrl+G", self._focus_page_field)
        command(self.tr("Choose a document"), "Ctrl+L", self._open_picker)
        smaller = command(self.tr("Zoom out"), "-", lambda: self._zoom(-1))
        larger = command(self.tr("Zoom in"), "+", lambda: self._zoom(1))
        width = command(self.tr("Fit the width"), "W", lambda: self.page_view.set_fit("width"))
        whole = command(self.tr("Fit the page"), "P", lambda: self.page_view.set_fit("page"))
        self.text_action = command(self.tr("Show the text"), "T", self.toggle_text)
        self.text_action.setCheckable(True)
        self.side_action = command(self.tr("List the quotes of this document"), "Q", self._toggle_side)
        self.side_action.setCheckable(True)
        find = command(self.tr("Find in this document"), "Ctrl+F", self.open_find)
        self.add_action = command(self.tr("Add as evidence"), "A", self.add_selection)
        self.copy_action = command(self.tr("Copy with citation"), "Ctrl+C", self.copy_selection)
        self.similar_action = command(self.tr("Search similar"), "S", self.search_similar)
        for action in (self.add_action, self.copy_action, self.similar_action):
            self.selection_bar.offer(action)
        for widget in (
            self._tool(self.side_action, "quote"),
            self.picker,
            self._tool(previous_page, "left"),
            self.page_field,
            self.of_pages,
            self._tool(next_page, "right"),
            self._tool(previous_quote, "up"),
            self._tool(next_quote, "down", self.tr("Quote")),
            self._tool(smaller, "zoom-out"),
            self.zoom_label,
            self._tool(larger, "zoom-in"),
            self._tool(width, "fit"),
            self._tool(whole, "document"),
            self._tool(self.text_action, "page-text", self.tr("Text")),
            self._tool(find, "search"),
        ):
            self.tools.addWidget(widget)

    # --- what the case holds -----------------------------------------------------------------------------------------

    def refresh(self) -> None:
        bench = self.session.workbench
        if bench is None:
            return
        documents = bench.documents()
        self._evidence = bench.evidence()
        self._proposals = bench.proposals()
        self._ratings = {}
        for assessment in bench.assessments():
            self._ratings.setdefault(assessment.evidence, {})[assessment.hypothesis] = assessment.rating
        with QSignalBlocker(self.picker):
            self.picker.clear()
            for document in documents:
                self.picker.addItem(document.name, document.id)
        if self._shown is not None and self._shown.document.id not in {document.id for document in documents}:
            self._shown = None
        if self._shown is None:
            first = next((document for document in documents if document.pages), None)
            if first is None:
                self._show_nothing(self.tr("No document is in this case yet. Add some on the Documents screen."))
            else:
                self.open_source(first.id, 1, 0, 0)
            return
        self._pick_in_picker()
        self._update_marks()
        self._show_side(similar=bool(self._similar))

    def _case_opened(self) -> None:
        self._shown, self._span = None, None
        self._pictures.clear()
        self._no_picture.clear()
        self._finds, self._similar = [], []
        self.find_bar.hide()
        self.picker.clear()
        self._show_nothing("")

    def _show_nothing(self, text: str) -> None:
        self._things = []
        self.side_list.clear()
        self.side_title.setText("")
        self.of_pages.setText("")
        self.banner.hide()
        self.selection_bar.hide()
        self.stack.setCurrentWidget(self.page_view)
        self.page_view.show_message(text)

    # --- opening -----------------------------------------------------------------------------------------------------

    def open_source(self, document: str, page: int, start: int, end: int) -> None:
        """Show ``page`` of ``document`` with text[start:end] in the middle; start == end means no quote."""

        def load(bench: Workbench) -> Shown:
            stored = bench.page(document, page)
            return Shown(bench.document(document), stored, tuple(bench.words(stored.id)))

        loaded = self.session.do(load)
        if loaded is None:
            return
        other = self._shown is None or self._shown.document.id != document
        self._shown = loaded
        self._span = (start, end) if end > start else None
        self.selection_bar.hide()
        if other:
            self._similar, self._finds = [], []
            self.find_count.setText("")
        if self.picker.findData(document) < 0:
            self.picker.addItem(loaded.document.name, document)
        self._pick_in_picker()
        with QSignalBlocker(self.page_field):
            self.page_field.setMaximum(max(1, loaded.document.pages))
            self.page_field.setValue(page)
        self.of_pages.setText(self.tr("of {count}").format(count=max(1, loaded.document.pages)))
        self._things = marks_of_page(loaded.page.id, self._evidence, self._proposals, self._ratings)
        self._show_view()
        self._show_banner()
        self._show_side(similar=bool(self._similar))
        if other or self.find_bar.isVisible():
            self._find_soon.start()
        self.moved.emit()

    def _show_view(self) -> None:
        shown = self._shown
        assert shown is not None
        marks, current = self._marks()
        as_text = self._wants_text or not self._has_picture(shown)
        self.text_action.setChecked(as_text)
        self.text_action.setEnabled(self._has_picture(shown))
        if as_text:
            self.stack.setCurrentWidget(self.text_view)
            self.text_view.show_text(shown.page.text, marks, shown.page.hidden, current)
            if current is None:
                self.text_view.verticalScrollBar().setValue(0)
            return
        self.stack.setCurrentWidget(self.page_view)
        self.page_view.show_page(shown.page.width, shown.page.height, shown.words)
        self.page_view.set_marks(marks, current)
        self.page_view.verticalScrollBar().setValue(0)
        self.page_view.horizontalScrollBar().setValue(0)
        if self._span is not None and not self.page_view.centre_on(*self._span):
            # The words of this quote have no place on the picture: the text shows them.
            self.session.status.emit(self.tr("This page has no word positions: shown as text."))
            self.text_action.setChecked(True)
            self.stack.setCurrentWidget(self.text_view)
            self.text_view.show_text(shown.page.text, marks, shown.page.hidden, current)

    def _has_picture(self, shown: Shown) -> bool:
        return shown.page.width > 0 and (shown.document.id, shown.page.number) not in self._no_picture

    def _marks(self) -> tuple[list[Mark], int | None]:
        """The marks of the page, and which of them is the quote on show; a span that is no quote yet gets a mark."""
        marks = [mark for mark, _ in self._things]
        if self._span is None:
            return marks, None
        for index, mark in enumerate(marks):
            if (mark.start, mark.end) == self._span:
                return marks, index
        return [*marks, Mark(*self._span, None, "", False, "")], len(marks)

    def _update_marks(self) -> None:
        shown = self._shown
        if shown is None:
            return
        self._things = marks_of_page(shown.page.id, self._evidence, self._proposals, self._ratings)
        marks, current = self._marks()
        self.page_view.set_marks(marks, current)
        if self.stack.currentWidget() is self.text_view:
            self.text_view.set_marks(marks, current)

    def _show_banner(self) -> None:
        shown = self._shown
        text = ""
        if shown is not None:
            if shown.page.source == "none":
                text = self.tr("This page has no text (needs OCR): it can be looked at, not searched or quoted.")
            elif shown.page.hidden:
                letters = sum(end - start for start, end in shown.page.hidden)
                text = self.tr(
                    "This page holds {count} characters that a reader would not see. They are struck through in the "
                    "text and are neither searched nor judged."
                ).format(count=letters)
        self.banner.setText(text)
        self.banner.setVisible(bool(text))

    # --- pictures ----------------------------------------------------------------------------------------------------

    def _want_picture(self, scale: float) -> None:
        shown = self._shown
        if shown is None or not self._has_picture(shown):
            return
        document, number = shown.document.id, shown.page.number
        if self._use_cached(document, number, scale):
            self._prefetch()
            return
        if self.page_view.picture_scale() == 0:
            self._use_other(document, number)
        if scale > LOW * 1.5 and self.page_view.picture_scale() == 0:
            self._read_picture(document, number, LOW, key=("viewer first picture", id(self)))
        self._read_picture(document, number, scale, key=("viewer sharp picture", id(self)))

    def _use_cached(self, document: str, number: int, scale: float) -> bool:
        image = self._pictures.get((document, number, scale))
        if image is None:
            return False
        self._pictures.move_to_end((document, number, scale))
        self.page_view.set_picture(image, scale)
        return True

    def _use_other(self, document: str, number: int) -> None:
        """The sharpest picture kept of that page, until the one for this size is there."""
        others = [scale for name, page, scale in self._pictures if (name, page) == (document, number)]
        if others:
            self._use_cached(document, number, max(others))

    def _read_picture(self, document: str, number: int, scale: float, *, key: object, ahead: bool = False) -> None:
        def load(bench: Workbench) -> QImage:
            # Decoded here, beside the work: a sharp page takes some 20 ms.
            return QImage.fromData(bench.picture(document, number, scale).png)

        def arrived(image: QImage) -> None:
            if image.isNull():
                return
            self._keep(document, number, scale, image)
            shown = self._shown
            here = shown is not None and (shown.document.id, shown.page.number) == (document, number)
            if here:
                self.page_view.set_picture(image, scale)
            if here and not ahead and scale == self.page_view.wanted_scale():
                self._prefetch()

        def failed(error: AppError) -> None:
            if ahead:
                return
            self.session.status.emit(error.sentence)
            if not isinstance(error, UnreadableDocument):
                return  # the reader was stopped: the next opening asks again
            self._no_picture.add((document, number))
            shown = self._shown
            if shown is not None and (shown.document.id, shown.page.number) == (document, number):
                self._show_view()

        self.session.read(load, arrived, key=key, failed=failed)

    def _keep(self, document: str, number: int, scale: float, image: QImage) -> None:
        self._pictures[(document, number, scale)] = image
        self._pictures.move_to_end((document, number, scale))
        total = sum(kept.sizeInBytes() for kept in self._pictures.values())
        while total > PICTURE_BYTES and len(self._pictures) > 1:
            _, gone = self._pictures.popitem(last=False)
            total -= gone.sizeInBytes()

    def _prefetch(self) -> None:
        """The next page, then the one before: turning a page should show it at once."""
        shown = self._shown
        if shown is None:
            return
        scale = self.page_view.wanted_scale()
        for step in (1, -1):
            number = shown.page.number + step
            if 1 <= number <= shown.document.pages and (shown.document.id, number, scale) not in self._pictures:
                self._read_picture(shown.document.id, number, scale, key=("viewer ahead", id(self), step), ahead=True)

    # --- moving ------------------------------------------------------------------------------------------------------

    def turn(self, step: int) -> None:
        """Go ``step`` pages on."""
        shown = self._shown
        if shown is not None and 1 <= shown.page.number + step <= shown.document.pages:
            self.open_source(shown.document.id, shown.page.number + step, 0, 0)

    def _turn_by_scrolling(self, step: int) -> None:
        before = self._shown
        self.turn(step)
        if step < 0 and self._shown is not before:
            bar = self.page_view.verticalScrollBar()
            bar.setValue(bar.maximum())

    def quotes_of_document(self) -> list[tuple[int, int, int, object]]:
        """Every quote of the document on show in reading order: (page, start, end, evidence or proposal)."""
        shown = self._shown
        if shown is None:
            return []
        found: dict[tuple[int, int, int], object] = {}
        for proposal in self._proposals:
            quote = proposal.quote
            if quote.document == shown.document.id and proposal.status != "rejected":
                found[(quote.page, quote.start, quote.end)] = proposal
        for item in self._evidence:
            if item.document == shown.document.id and None not in (item.page, item.start, item.end):
                found[(item.page or 0, item.start or 0, item.end or 0)] = item
        return [(*at, found[at]) for at in sorted(found)]

    def step_quote(self, step: int) -> None:
        """Go to the next quote of the document, or the one before."""
        shown = self._shown
        quotes = self.quotes_of_document()
        if shown is None or not quotes:
            self.session.status.emit(self.tr("This document has no quotes yet."))
            return
        here = (shown.page.number, *(self._span or (0, 0)))
        if step > 0:
            target = next((quote for quote in quotes if quote[:3] > here), quotes[0])
        else:
            target = next((quote for quote in reversed(quotes) if quote[:3] < here), quotes[-1])
        self.open_source(shown.document.id, target[0], target[1], target[2])
        self.selected.emit(target[3])

    def _picked_document(self, index: int) -> None:
        document = self.picker.itemData(index)
        if document is not None and (self._shown is None or document != self._shown.document.id):
            self.open_source(document, 1, 0, 0)
            shown = self._shown
            if shown is not None:
                self.selected.emit(shown.document)

    def _pick_in_picker(self) -> None:
        if self._shown is not None:
            with QSignalBlocker(self.picker):
                self.picker.setCurrentIndex(self.picker.findData(self._shown.document.id))

    def _typed_page(self, number: int) -> None:
        if self._shown is not None and number != self._shown.page.number:
            self.open_source(self._shown.document.id, number, 0, 0)

    def _focus_page_field(self) -> None:
        self.page_field.setFocus()
        self.page_field.selectAll()

    def _open_picker(self) -> None:
        self.picker.setFocus()
        self.picker.showPopup()

    def _zoom(self, way: int) -> None:
        if self.stack.currentWidget() is self.text_view:
            self.text_view.zoomIn(way)
        elif way > 0:
            self.page_view.zoom_in()
        else:
            self.page_view.zoom_out()

    def _show_zoom(self) -> None:
        on_page = self.stack.currentWidget() is self.page_view
        self.zoom_label.setText(f"{self.page_view.scale * 100:.0f} %" if on_page else "")

    def toggle_text(self) -> None:
        """Between the page and its text, at the same place."""
        shown = self._shown
        if shown is None or not self._has_picture(shown):
            return
        self._wants_text = self.stack.currentWidget() is self.page_view
        self._show_view()
        self._view().setFocus()

    def _mark_clicked(self, mark: Mark) -> None:
        for known, thing in self._things:
            if known == mark:
                self._span = (mark.start, mark.end)
                self._update_marks()
                self.selected.emit(thing)

    # --- the side list -----------------------------------------------------------------------------------------------

    def _show_side(self, *, similar: bool) -> None:
        if not similar:
            self._similar = []
        self.side_back.setVisible(similar)
        if similar and not self.side.isVisibleTo(self):
            self._toggle_side()
        self.side_list.clear()
        if similar:
            self.side_title.setText(self.tr("Similar passages"))
            self.side_list.setAccessibleName(self.tr("Similar passages"))
            for passage in self._similar:
                near = f" · {passage.similarity:.2f}" if passage.similarity is not None else ""
                self.side_list.add(
                    f"{passage.name}, p. {passage.page}{near}",
                    passage.text,
                    (passage.document, passage.page, passage.start, passage.end, passage),
                )
            return
        shown = self._shown
        quotes = self.quotes_of_document()
        self.side_title.setText(counted(len(quotes), "quote") if quotes else self.tr("No quotes"))
        self.side_list.setAccessibleName(self.tr("Quotes of this document"))
        here = (shown.page.number, *self._span) if shown is not None and self._span is not None else None
        for page, start, end, thing in quotes:
            if isinstance(thing, Evidence):
                said, text = thing.id, thing.quote or thing.text
            else:
                assert isinstance(thing, Proposal)
                label = "" if thing.blind else f" {thing.verdict.label}"
                said, text = f"{thing.hypothesis}{label}?", thing.quote.text
            document = shown.document.id if shown is not None else ""
            item = self.side_list.add(f"{said} · p. {page}", text, (document, page, start, end, thing))
            if (page, start, end) == here:
                self.side_list.setCurrentItem(item)

    def _side_chosen(self, target: tuple[str, int, int, int, object]) -> None:
        document, page, start, end, thing = target
        kept = self._similar
        self.open_source(document, page, start, end)
        if kept:
            self._similar = kept
            self._show_side(similar=True)
        self.selected.emit(thing)

    # --- selection ---------------------------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """The offsets of the text picked on the page or in its text."""
        return self._view().selection()

    def _selected(self, _start: int, _end: int, box: QRect) -> None:
        port = self._view().viewport()
        self.selection_bar.stand_by(QRect(port.mapTo(self.stack, box.topLeft()), box.size()))

    def _selection_gone(self) -> None:
        self.selection_bar.hide()

    def _chosen_or_quote(self) -> tuple[int, int] | None:
        return self.selection() or self._span

    def add_selection(self) -> None:
        """Make evidence of the picked text, or of the span on show."""
        shown, chosen = self._shown, self._chosen_or_quote()
        if shown is None or chosen is None:
            self.session.status.emit(self.tr("Select some words first."))
            return
        added = self.session.do(
            lambda bench: bench.add_quote(shown.document.id, shown.page.number, *chosen), initiator=self
        )
        if added is None:
            return
        self.page_view.clear_selection()
        self.text_view.clear_selection()
        self.selection_bar.hide()
        self._span = chosen
        self._update_marks()
        self._show_side(similar=bool(self._similar))
        self.session.tell(self.tr("{id} added to the matrix").format(id=added.id), undo=True)

    def copy_selection(self) -> None:
        """The picked text with document and page, to the clipboard."""
        shown, chosen = self._shown, self._chosen_or_quote()
        if shown is None or chosen is None:
            self.session.status.emit(self.tr("Select some words first."))
            return
        QGuiApplication.clipboard().setText(citation(shown.document, shown.page, shown.page.text[slice(*chosen)]))
        self.session.status.emit(self.tr("Copied with its citation."))

    def search_similar(self) -> None:
        """Passages like the picked text, listed at the left."""
        shown, chosen = self._shown, self._chosen_or_quote()
        if shown is None or chosen is None:
            self.session.status.emit(self.tr("Select some words first."))
            return
        text = shown.page.text[slice(*chosen)]
        at = (shown.document.id, shown.page.number)

        def arrived(result: Any) -> None:
            self._similar = [
                passage
                for passage in result.passages
                # The passage that holds the selection itself says nothing new.
                if (passage.document, passage.page) != at or passage.end <= chosen[0] or passage.start >= chosen[1]
            ]
            self._show_side(similar=True)
            if not self._similar:
                self.side_title.setText(self.tr("Nothing similar found"))

        self.side_title.setText(self.tr("Searching …"))
        self.selection_bar.hide()
        self.session.read(lambda bench: bench.search(text, k=SIMILAR), arrived, key=("viewer similar", id(self)))

    # --- find --------------------------------------------------------------------------------------------------------

    def open_find(self) -> None:
        self.find_bar.show()
        self.find_field.setFocus()
        self.find_field.selectAll()

    def _close_find(self) -> None:
        self.find_bar.hide()
        self._finds = []
        self.page_view.set_finds([])
        self.text_view.set_finds([])
        self._view().setFocus()

    def _find(self) -> None:
        shown, wanted = self._shown, self.find_field.text()
        if shown is None or not self.find_bar.isVisible():
            return
        document = shown.document.id

        def look_through(bench: Workbench) -> list[tuple[int, int, int]]:
            found: list[tuple[int, int, int]] = []
            for page in bench.pages(document):
                found += [(page.number, start, end) for start, end in hits(page.text, wanted)]
                if len(found) >= MOST_HITS:
                    break
            return found[:MOST_HITS]

        def arrived(found: list[tuple[int, int, int]]) -> None:
            now = self._shown
            if now is None or now.document.id != document:
                return
            self._finds = found
            self._find_at = next((i for i, hit in enumerate(found) if hit[0] >= now.page.number), 0)
            self._show_finds(jump=False)

        self.session.read(look_through, arrived, key=("viewer find", id(self)))

    def _step_find(self, step: int) -> None:
        if self._finds:
            self._find_at = (self._find_at + step) % len(self._finds)
            self._show_finds(jump=True)

    def _show_finds(self, *, jump: bool) -> None:
        shown = self._shown
        if shown is None:
            return
        if not self._finds:
            self.find_count.setText(self.tr("not found") if self.find_field.text().strip() else "")
            self.page_view.set_finds([])
            self.text_view.set_finds([])
            return
        page, start, end = self._finds[self._find_at]
        more = "+" if len(self._finds) == MOST_HITS else ""
        self.find_count.setText(f"{self._find_at + 1} / {len(self._finds)}{more}")
        if page != shown.page.number:
            if not jump:
                return
            finds, at = self._finds, self._find_at
            self.open_source(shown.document.id, page, 0, 0)
            self._find_soon.stop()
            self._finds, self._find_at = finds, at
        here = [(s, e) for number, s, e in self._finds if number == page]
        self._view().set_finds(here, here.index((start, end)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.find_field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._step_find(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self._close_find()
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._view().setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_side_panel()

    def _toggle_side(self) -> None:
        self._wants_side = not self.side.isVisibleTo(self)
        self._show_side_panel()

    def _show_side_panel(self) -> None:
        on = self.width() >= NARROW if self._wants_side is None else self._wants_side
        self.side.setVisible(on)
        self.side_action.setChecked(on)

    # --- back and forward --------------------------------------------------------------------------------------------

    def state(self) -> Any:
        if self._shown is None:
            return None
        return (self._shown.document.id, self._shown.page.number, *(self._span or (0, 0)))

    def restore(self, state: Any) -> None:
        if state is not None and state != self.state():
            self.open_source(*state)
