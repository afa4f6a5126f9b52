"""OCR: the doubtful words of scans one by one, those first in which an error would change most, decided by key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QTimer
from PySide6.QtGui import QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core import paths
from core.domain import Changes, Evidence
from core.errors import AppError, EngineStopped, ModelMissing, ModelUnreadable
from core.ocr.suspect_words import ConfusionGroup, SuspectWord, confusion_groups, matters
from core.ports import UNREAD
from gui_app.ocr.suspect_list import AlikeWords, DoubtList, WordGrid
from gui_app.ocr.suspects_model import Doubts, Key, differing, key_of, others, why
from gui_app.ocr.word_strip import Box, Cut, StripView, WordField, top_of, zoom_for
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.flow_layout import Flow
from gui_app.shared.formatting import counted
from gui_app.shared.header import decisions
from gui_app.shared.info_bar import Strip
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.marked_text import MarkedText
from gui_app.shared.screen import Screen

if TYPE_CHECKING:
    from core.matrix.service import RemovalImpact
    from core.ocr.service import ScanReport
    from core.progress import Progress
    from core.workbench import Workbench
    from gui_app.tasks import Task

MOST = 5_000  # words in the queue; the gravest are decided long before
ILLEGIBLE = "[?]"
EMBED_MS = 10_000  # after the last word that was decided on
ROOMY = 720  # pixels of height from which on the strip is high
_LISTED = 12  # cells and sentences that are named
_AT_ONCE = 6  # pictures of the grid a reading: others may read in between
_AHEAD = 24  # pictures kept, so that the next word is there when the one before is decided


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What the screen knows of the case."""

    doubts: list[SuspectWord]
    stale: tuple[str, ...]  # rows whose quote is not what stands on its scan now
    scans: int  # pages read by OCR
    unread: int  # pages without text
    poor: int  # pages whose text is none
    decided: int
    resting: RemovalImpact | None  # what rests on the stale rows
    languages: tuple[str, ...]  # that scans of this case are read in; () each document's own
    names: Mapping[str, str]
    rows: Mapping[str, Evidence]


def _load(bench: Workbench) -> _Loaded:
    scans = {page.id: page.text for page in bench.ocr.scanned_pages()}
    rows = {row.id: row for row in bench.evidence.all()}
    documents = bench.documents.all()
    stale = tuple(
        row.id
        for row in rows.values()
        if any(page in scans and scans[page][start:end] != quote for page, start, end, quote in _stretches(row))
    )
    waiting = bench.ocr.unread_pages()
    listed = {d.id for d in documents if d.status in ("ready", "needs_ocr")}
    return _Loaded(
        doubts=bench.ocr.queue(MOST),
        stale=stale,
        scans=len(scans),
        unread=sum(bare for document, (bare, _) in waiting.items() if document in listed),
        poor=sum(poor for document, (_, poor) in waiting.items() if document in listed),
        decided=len(bench.ocr.decisions()),
        resting=bench.matrix.removal_impact(*stale) if stale else None,
        languages=bench.case.settings().ocr_languages,
        names={document.id: document.name for document in documents},
        rows=rows,
    )


def _stretches(row: Evidence) -> list[tuple[int, int, int, str]]:
    """(page id, start, end, words) of every stretch that a row quotes."""
    found = [(part.page_id, part.start, part.end, part.text) for part in row.more]
    if row.page_id is not None and row.start is not None and row.end is not None and row.quote is not None:
        found.insert(0, (row.page_id, row.start, row.end, row.quote))
    return found


def _cut(bench: Workbench, doubt: SuspectWord, ratio: float) -> Cut:
    """The strip of the page around a word, as large as its lines can be read."""
    page = bench.documents.page(doubt.document, doubt.page)
    words = list(bench.documents.words(page.id))
    zoom = zoom_for([word.y1 - word.y0 for word in words])
    picture = bench.documents.strip(doubt.document, doubt.page, doubt.box, zoom * ratio)
    # The reader may have drawn it smaller than asked.
    zoom = picture.scale / ratio
    top = top_of(doubt.box, picture.height / picture.scale, page.height)
    return Cut(picture.png, zoom, ratio, doubt.box, top)


def _words_of(bench: Workbench, doubt: SuspectWord) -> list[tuple[str, Box]]:
    """The words of a page with their boxes, as they stand in its text now."""
    text = bench.documents.page(doubt.document, doubt.page).text
    words = bench.documents.words(doubt.page_id)
    return [(text[word.start : word.end], (word.x0, word.y0, word.x1, word.y1)) for word in words]


class OcrScreen(Screen):
    """Decides what doubtful words of scans are."""

    name = "OCR"
    icon = "ocr"
    concerns = Changes(documents=True, evidence=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._known: _Loaded | None = None
        self._on_show: Key | None = None
        self._decided: list[Key] = []
        self._cuts: dict[Key, Cut] = {}
        self._group: ConfusionGroup | None = None
        self._overlay = False  # whether the text lies over the picture
        self._same = False  # whether all words of the group are the same
        self._stale: tuple[str, ...] = ()
        self._reading: Task | None = None
        self._next: Any = None
        self._since = 0  # words decided since the case was read
        self._page_words: list[tuple[str, Box]] = []
        self.queue = Doubts()
        self.alike = AlikeWords()
        self._embedding = QTimer(self)
        self._embedding.setSingleShot(True)
        self._embedding.setInterval(EMBED_MS)
        self._embedding.timeout.connect(self._embed)
        self._build()
        self._make_commands()
        self._show_nothing()

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._build_queue())
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.strip_note = Strip()
        self.strip_note.setContentsMargins(8, 16, 8, 0)
        self.take_button = self.strip_note.add_button("Update quotes  N", self.take_new_words)
        self.take_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        column.addWidget(self.strip_note)
        self.stack = QStackedWidget()
        self.candidate, self.group_page = self._build_word(), self._build_group()
        self.empty = EmptyState("ocr", "", "", self._empty_pressed)
        self.empty_page = self._build_empty()
        for page in (self.candidate, self.group_page, self.empty_page):
            self.stack.addWidget(page)
        column.addWidget(self.stack, 1)
        column.addWidget(line())
        self.actions_row = Flow(gap=4)
        self.actions_row.setContentsMargins(24, 8, 24, 8)
        self.actions_place = QWidget()
        self.actions_place.setLayout(self.actions_row)
        column.addWidget(self.actions_place)
        splitter.addWidget(middle)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([256, 800])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(splitter)

    def _build_queue(self) -> QWidget:
        self.count = ElidedLabel("", "strong")
        self.count.setAccessibleName("Words left to check")
        self.left = ElidedLabel("", "muted")
        self.left.setAccessibleName("Of these in quotes, and further words")
        self.list = DoubtList()
        self.list.setModel(self.queue)
        self.list.selectionModel().currentChanged.connect(lambda now, _before: self._show_row(now.row()))
        self.list.doubleClicked.connect(lambda _index: self.open_page())
        self.list.activated.connect(lambda _index: self.field.setFocus())
        panel = QFrame()
        panel.setProperty("kind", "surface")
        panel.setMinimumWidth(200)
        column = QVBoxLayout(panel)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(16, 16, 16, 8)
        head.setSpacing(2)
        head.addWidget(self.count)
        head.addWidget(self.left)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        return panel

    def _build_word(self) -> QWidget:
        self.why_label = plain(wrap=True)
        self.why_label.setProperty("role", "heading")
        self.place_label = plain(role="muted")
        self.strip = StripView()
        self.strip.hovered.connect(self._pointed_on_page)
        self.field = WordField("The word as it was read")
        self.field.as_read.connect(self.accept)
        self.field.corrected.connect(self.correct)
        self.field.asked.connect(self.show_alternatives)
        self.field.editing_changed.connect(lambda _on: self._hint())
        self.hint = plain(role="small")
        self.as_read = MarkedText("On the page", underline=True)
        self.other = MarkedText("The other engine", underline=True)
        self.other_note = plain(role="muted")
        readings = QGridLayout()
        readings.setHorizontalSpacing(24)
        readings.setVerticalSpacing(4)
        readings.addWidget(plain("On the page", "section"), 0, 0)
        readings.addWidget(plain("The other engine", "section"), 0, 1)
        self.alternatives_heading = plain("Other readings  ↓", "section")
        readings.addWidget(self.alternatives_heading, 0, 2)
        readings.addWidget(self.as_read, 1, 0)
        readings.addWidget(self.other, 1, 1)
        readings.addWidget(self.other_note, 1, 1)
        self.alternatives = ElidedLabel()
        self.alternatives.setAccessibleName("Other readings, picked with their figure")
        readings.addWidget(self.alternatives, 1, 2)
        for at in range(3):
            readings.setColumnStretch(at, 1)
        self.context = MarkedText("The word among its neighbours")
        self.context.follow_pointer()
        self.context.hovered.connect(self._pointed_in_text)
        self.cited_label = plain(role="strong")
        self.origin_label = ElidedLabel("", "muted", mode=Qt.TextElideMode.ElideMiddle)

        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(16)
        self.word_column = column
        top = QHBoxLayout()
        top.addWidget(self.why_label, 1)
        top.addWidget(self.place_label, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        column.addWidget(self.strip)
        word = QVBoxLayout()
        word.setSpacing(4)
        word.addWidget(self.field)
        word.addWidget(self.hint)
        column.addLayout(word)
        column.addLayout(readings)
        column.addWidget(line())
        foot = QHBoxLayout()
        foot.setSpacing(16)
        foot.addWidget(self.cited_label)
        foot.addWidget(self.origin_label, 1)
        column.addLayout(foot)
        column.addWidget(self.context)
        self.resting_heading = plain("Rests on quotes that changed", "section")
        self.resting = plain(role="muted", wrap=True)
        self.resting.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self.resting_heading)
        column.addWidget(self.resting)
        column.addStretch(1)
        area = QScrollArea()
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        return area

    def _build_group(self) -> QWidget:
        self.group_title = plain(wrap=True)
        self.group_title.setProperty("role", "heading")
        self.group_hint = plain(role="small", wrap=True)
        self.grid = WordGrid(self.alike)
        self.grid.activated.connect(lambda _index: self.accept())
        self.group_field = WordField("What all these words are")
        self.group_field.as_read.connect(self.accept)
        self.group_field.corrected.connect(self.correct)
        self.group_field.editing_changed.connect(self._group_edited)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(8)
        column.addWidget(self.group_title)
        column.addWidget(self.group_hint)
        column.addSpacing(8)
        column.addWidget(self.grid, 1)
        column.addWidget(self.group_field)
        return page

    def _build_empty(self) -> QWidget:
        """What to do next, and the language that scans are read in."""
        self.language_told = plain("Written in", role="muted")
        self.language = QComboBox()
        self.language.setAccessibleName("OCR language")
        self.language.activated.connect(lambda _at: self.choose_language(self.language.currentData()))
        self.language_note = plain(role="small", wrap=True)
        self.language_note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.language_note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.language_told)
        row.addWidget(self.language)
        row.addStretch(1)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(24, 0, 24, 24)
        column.setSpacing(8)
        column.addWidget(self.empty, 1)
        column.addLayout(row)
        column.addWidget(self.language_note)
        return page

    def _show_languages(self) -> None:
        """The languages to choose from while there are pages to read; with one there is nothing to choose."""
        known, installed = self._known, paths.ocr_languages()
        waiting = known is not None and bool(known.unread or known.poor) and self.session.engines.ocr is not None
        choose = waiting and len(installed) > 1 and not self.session.read_only
        self.language_told.setVisible(choose)
        self.language.setVisible(choose)
        self.language_note.setVisible(waiting)
        if not waiting or known is None:
            return
        self.language.clear()
        self.language.addItem("each document’s own language", ())
        for code in installed:
            self.language.addItem(language_name(code), (code,))
        if known.languages and known.languages not in [(code,) for code in installed]:
            self.language.addItem(" + ".join(map(language_name, known.languages)), known.languages)
        at = next((at for at in range(self.language.count()) if self.language.itemData(at) == known.languages), 0)
        self.language.setCurrentIndex(at)
        said = "Another language can be read when its file NAME.traineddata is in {folder}."
        if len(installed) == 1:
            said = f"Scans are read in {language_name(installed[0])}." + " " + said
        self.language_note.setText(said.format(folder=paths.models() / "tessdata"))

    def choose_language(self, languages: tuple[str, ...]) -> None:
        """Read the scans of this case in these languages; none: each document in its own."""
        if self._known is not None and tuple(languages) != self._known.languages:
            self.session.do(lambda bench: bench.case.change_settings(ocr_languages=list(languages)), initiator=self)
            self.refresh()

    def _make_commands(self) -> None:
        command = self.command
        accept = command("As read", "A", self.accept, tip="The word is what was read", shown_keys="Enter")
        edit = command(
            "Correct the word",
            "E",
            self.edit,
            tip="Type what the word is; Enter takes it, Esc leaves it",
            shown_keys="F2, ←, →",
        )
        other = command("Take the other engine's reading", "B", self.take_other)
        illegible = command("Illegible", "I", self.mark_illegible, tip="Nobody can read it: [?] is put in its place")
        skip = command("Skip", "S", self.skip, tip="Go on; the word stays unchecked")
        group = command("Words read alike", "G", self.toggle_group, tip="Decide all words that are alike at once")
        open_page = command("Open page", "O", self.open_page)
        overlay = command("Text over the image", "T", self.toggle_overlay, tip="Show the text over the image")
        undo = command("Undo", "U", self.session.undo)
        down = command("Choose another reading", None, self.show_alternatives, shown_keys="↓")
        self.take_action = command("Update the quotes with the new words", "N", self.take_new_words)
        previous = command("Previous word", "K", lambda: self.step(-1))
        following = command("Next word", "J", lambda: self.step(1))
        previous.setShortcuts([QKeySequence("K"), QKeySequence("Shift+F3")])
        following.setShortcuts([QKeySequence("J"), QKeySequence("F3")])
        command(
            "Read the scans again",
            None,
            lambda: self.read_scans(again=True),
            tip="With the current engine and language; decisions on words are kept",
        )
        leave = command("Leave the words read alike", "Esc", self._close_group)
        self.leave_action = leave
        self._picks = [command(f"Take reading {at}", str(at), partial(self.pick, at - 1)) for at in range(1, 6)]
        self._deciding = (accept, edit, illegible)
        self._going = (skip, group, open_page, overlay, previous, following)
        self._other, self._down = other, down
        for made in decisions(
            (
                (accept, "As read  A", "primary"),
                (edit, "Fix it  E", ""),
                (other, "The other  B", ""),
                (illegible, "Illegible  I", ""),
                (skip, "Skip  S", "quiet"),
                (group, "Alike  G", "quiet"),
                (open_page, "Page  O", "quiet"),
                (overlay, "Text  T", "quiet"),
                (undo, "Undo  U", "quiet"),
            )
        ):
            self.actions_row.addWidget(made)

    # --- what is on show ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        self.session.read(_load, self._arrived, key="words to check")

    def forget(self) -> None:
        self._known, self._on_show, self._group, self._reading = None, None, None, None
        self._decided, self._cuts, self._stale = [], {}, ()
        self._embedding.stop()
        self.queue.show_named([], {})
        self._tell_stale(())
        self._show_nothing()

    def _arrived(self, known: _Loaded) -> None:
        row = self.list.currentIndex().row()
        self._known, self._since = known, 0
        self.queue.show_named(known.doubts, known.names)
        self._show_languages()
        self._tell_stale(known.stale)
        self._tell_count()
        keys = {key_of(doubt): at for at, doubt in enumerate(known.doubts)}
        # A decision that was taken back is looked at again.
        again = [key for key in self._decided if key in keys]
        self._decided = [key for key in self._decided if key not in keys]
        if again:
            self._on_show = again[-1]
        if not known.doubts:
            self._on_show, self._group = None, None
            self._show_nothing()
            return
        here = keys.get(self._on_show, -1) if self._on_show is not None else -1
        if self._reading is not None and row <= 0 and not self.field.editing and self._group is None:
            here = 0  # who is at the first word stays at the first while scans are read: graver ones may come
        was_empty = self.stack.currentWidget() is self.empty_page
        if here < 0:
            self._on_show = None
        self._go_to(here if here >= 0 else min(max(row, 0), len(known.doubts) - 1))
        focus = QApplication.focusWidget()
        if was_empty and self.isVisible() and (focus is None or self.isAncestorOf(focus)):
            self._focus()
        if self._group is not None:
            left = self._alike_to(self._group)
            self._show_group(left) if left else self._close_group()

    def _alike_to(self, group: ConfusionGroup) -> Sequence[SuspectWord]:
        return next((one.doubts for one in confusion_groups(self.queue.rows) if one.what == group.what), ())

    def current(self) -> SuspectWord | None:
        """The word on show."""
        row = self.list.currentIndex().row()
        return self.queue.rows[row] if 0 <= row < len(self.queue.rows) else None

    def _go_to(self, row: int) -> None:
        index = self.queue.index(row)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.list.scrollTo(index)
        self._show_row(row)

    def _show_row(self, row: int) -> None:
        if not 0 <= row < len(self.queue.rows):
            return
        doubt = self.queue.rows[row]
        told = key_of(doubt) != self._on_show
        self._on_show = key_of(doubt)
        if self._group is None:
            self.stack.setCurrentWidget(self.candidate)
        self.place_label.setText(f"{row + 1} of {len(self.queue.rows)}")
        if told or not self.field.editing:  # what is typed meanwhile stays
            self._show(doubt)
        self._enable()
        if told:
            self._tell_detail(doubt)

    def _show(self, doubt: SuspectWord) -> None:
        said = why(doubt)
        self.why_label.setText(said[:1].upper() + said[1:])
        had_focus = self.field.hasFocus()
        self.field.show_word(doubt.text)
        self.field.setAccessibleDescription(f"{said}. {doubt.context[0]} {doubt.text} {doubt.context[1]}")
        if had_focus:
            announce(self.field, f"{doubt.text}. {said}")
        self._hint()
        unseen = doubt.other == UNREAD
        self.as_read.say(doubt.text, *differing(doubt.text, doubt.other))
        seen = bool(doubt.other) and not unseen
        self.other.setVisible(seen)
        self.other.say(doubt.other if seen else "", *(differing(doubt.other, doubt.text) if seen else (0, 0)))
        self.other_note.setText("saw nothing here" if unseen else "reads no other word here")
        self.other_note.setVisible(not seen)
        listed = others(doubt)[: len(self._picks)]
        self.alternatives.setText(" · ".join(f"{at} {text}" for at, text in enumerate(listed, start=1)))
        self.alternatives.setVisible(bool(listed))
        self.alternatives_heading.setVisible(bool(listed))
        before, after = doubt.context
        start = f"{before} " if before else ""
        self.context.say(f"{start}{doubt.text}{f' {after}' if after else ''}", len(start), len(start) + len(doubt.text))
        self.cited_label.setText("cited by {ids}".format(ids=", ".join(doubt.cited)) if doubt.cited else "")
        self.cited_label.setVisible(bool(doubt.cited))
        self.origin_label.setText(self.queue.place(doubt))
        self._ask_strip(doubt)

    def _hint(self) -> None:
        editing = self.field.editing
        self.hint.setText(
            "Enter takes what you typed · Esc leaves the word as it was read"
            if editing
            else "Enter: it is as read · E: type what it is · ↓ other readings"
        )

    def current_item(self) -> object:
        """The evidence that quotes the word on show."""
        doubt = self.current()
        return self._known.rows.get(doubt.cited[0]) if self._known is not None and doubt and doubt.cited else None

    def _tell_detail(self, doubt: SuspectWord) -> None:
        self.selected.emit(self.current_item())

    def _tell_count(self) -> None:
        rows = self.queue.rows
        self.left.setVisible(bool(rows))
        if not rows:
            self.count.setText("Words to check")
            return
        open_words = sum(map(matters, rows))
        done = (self._known.decided if self._known is not None else 0) + self._since
        said = f"{done:,} of {done + open_words:,} important words checked"
        self.count.setText(said)
        cited = sum(1 for doubt in rows if doubt.cited)
        less = len(rows) - open_words
        more = "{count} or more" if len(rows) >= MOST else "{count}"
        parts = [f"{cited:,} in quotes"] if cited else []
        if less:
            parts.append("{count} less doubtful".format(count=more.format(count=f"{less:,}")))
        self.left.setText(" · ".join(parts) or "none of them in a quote")

    def _tell_stale(self, stale: Sequence[str]) -> None:
        self._stale = tuple(stale)
        self.resting.setText("")
        one = "The quote of {ids} changed."
        many = "The quotes of {ids} changed."
        if stale:
            said = (one if len(stale) == 1 else many).format(ids=", ".join(stale))
            resting = self._known.resting if self._known is not None else None
            if resting is not None and set(resting.evidence) == set(stale):
                said = said[:-1] + ": " + self._how_much(resting)
                self.resting.setText(self._on_stale(resting))
            self.strip_note.say(said)
        else:
            self.strip_note.hide()
        for part in (self.resting_heading, self.resting):
            part.setVisible(bool(stale) and bool(self.resting.text()))
        can = bool(stale) and not self.session.read_only
        self.take_action.setEnabled(can)
        self.take_button.setVisible(can)

    def _how_much(self, resting: RemovalImpact) -> str:
        ratings, sentences = len(resting.cells), len(resting.sentences)
        told = [counted(ratings, "rating")] if ratings else []
        if sentences:
            told.append("{sentences} of the report".format(sentences=counted(sentences, "sentence")))
        if not told:
            return "nothing rests on it yet."
        rests = "rests on it." if ratings + sentences == 1 else "rest on it."
        return f"{' and '.join(told)} {rests}"

    def _on_stale(self, resting: RemovalImpact) -> str:
        """The cells and the sentences of the report that rest on quotes that changed, a line each."""
        lines = []
        if resting.cells:
            lines.append(
                "Ratings: {cells}".format(
                    cells=", ".join(f"{evidence} × {hypothesis}" for evidence, hypothesis in resting.cells[:_LISTED])
                    + (f" … ({len(resting.cells)})" if len(resting.cells) > _LISTED else "")
                )
            )
        lines += [f"• {sentence}" for sentence in resting.sentences[:_LISTED]]
        if len(resting.sentences) > _LISTED:
            lines.append(f"… and {len(resting.sentences) - _LISTED} more")
        return "\n".join(lines)

    def _enable(self) -> None:
        doubt = self.current()
        writable = doubt is not None and not self.session.read_only
        for action in self._deciding:
            action.setEnabled(writable)
        for action in self._going:
            action.setEnabled(doubt is not None)
        listed = others(doubt) if doubt is not None else []
        for at, pick in enumerate(self._picks):
            pick.setEnabled(writable and self._group is None and at < len(listed))
        self._down.setEnabled(writable and self._group is None and bool(listed))
        self._other.setEnabled(writable and doubt is not None and doubt.other not in ("", UNREAD))
        self.leave_action.setEnabled(self._group is not None)
        self.field.setEnabled(doubt is not None)
        self.actions_place.setVisible(doubt is not None)

    # --- pictures ----------------------------------------------------------------------------------------------------

    def _ratio(self) -> float:
        return max(1.0, self.devicePixelRatioF())

    def _ask_strip(self, doubt: SuspectWord) -> None:
        key = key_of(doubt)
        self._lay_over(doubt)
        if key in self._cuts:
            self.strip.show_cut(self._cuts[key])
            self._look_ahead()
            return
        self.strip.say("")  # never another word's picture beside this one
        ratio = self._ratio()
        self.session.read(
            lambda bench: _cut(bench, doubt, ratio),
            lambda cut: self._cut_came(doubt, cut),
            key="strip of a word",
            failed=lambda error: self._no_cut(doubt, error),
        )

    def _cut_came(self, doubt: SuspectWord, cut: Cut) -> None:
        self._keep(doubt, cut)
        if key_of(doubt) == self._on_show:
            self.strip.show_cut(cut)
            self._look_ahead()

    def _no_cut(self, doubt: SuspectWord, error: AppError) -> None:
        if key_of(doubt) == self._on_show:
            self.strip.say(f"{error.sentence} {error.hint}")

    def _keep(self, doubt: SuspectWord, cut: Cut) -> None:
        self._cuts[key_of(doubt)] = cut
        while len(self._cuts) > _AHEAD:
            del self._cuts[next(iter(self._cuts))]

    def _look_ahead(self) -> None:
        """The picture of the next word, while the person looks at this one."""
        row = self.list.currentIndex().row() + 1
        if not row < len(self.queue.rows) or key_of(self.queue.rows[row]) in self._cuts:
            return
        following = self.queue.rows[row]
        ratio = self._ratio()
        self.session.read(
            lambda bench: _cut(bench, following, ratio),
            lambda cut: self._keep(following, cut),
            key="strip of the next word",
            failed=lambda _error: None,  # told when it is on show
        )

    # --- deciding ----------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """What is on show is as it was read."""
        self._decide([(doubt, "accepted", "") for doubt in self._chosen()])

    def correct(self, text: str) -> None:
        """What is on show is ``text``."""
        if text == ILLEGIBLE:
            self.mark_illegible()
            return
        self._decide([(doubt, "corrected", text) for doubt in self._chosen()])

    def take_other(self) -> None:
        """The other engine was right."""
        chosen = [doubt for doubt in self._chosen() if doubt.other not in ("", UNREAD)]
        self._decide([(doubt, "corrected", doubt.other) for doubt in chosen])

    def mark_illegible(self) -> None:
        self._decide([(doubt, "illegible", "") for doubt in self._chosen()])

    def pick(self, at: int) -> None:
        """Take one of the other readings."""
        doubt = self.current()
        if doubt is not None and self._group is None and at < len(others(doubt)):
            self._decide([(doubt, "corrected", others(doubt)[at])])

    def _chosen(self) -> list[SuspectWord]:
        if self._group is not None:
            return [self.alike.rows[row] for row in self.alike.chosen()]
        doubt = self.current()
        return [doubt] if doubt is not None else []

    def _decide(self, decisions: Sequence[tuple[SuspectWord, str, str]]) -> None:
        if not decisions or self.session.read_only:
            return
        told = self.session.do(
            lambda bench: bench.ocr.decide([(*key_of(doubt), action, text) for doubt, action, text in decisions]),
            initiator=self,
        )
        if told is None:
            return
        done = {key_of(doubt) for doubt, _, _ in decisions}
        self._since += len(done)
        self._decided += list(done)
        self._embedding.start()
        if told.stale:
            self._tell_stale(tuple(dict.fromkeys([*self._stale, *told.stale])))
        # The list goes on at once; what the case says of the rest comes when it is read.
        row = self.list.currentIndex().row()
        first = min((at for at, doubt in enumerate(self.queue.rows) if key_of(doubt) in done), default=row)
        rows = [doubt for doubt in self.queue.rows if key_of(doubt) not in done]
        self.queue.show(rows)
        self._tell_count()
        grouped = self._group is not None
        if grouped:
            self._close_group()
        if rows:
            self._go_to(min(first, len(rows) - 1))
            if grouped:
                self._focus()  # the word is there only now
        else:
            self._on_show = None
            self._show_nothing()
        self._say_decided(decisions)

    def _embed(self) -> None:
        """Passages whose words were corrected get vectors of the new words, beside the work."""

        def embed(bench: Workbench, progress: Progress) -> None:
            with suppress(ModelMissing, ModelUnreadable, EngineStopped):  # the strip above the documents tells
                bench.index.finish(progress)

        if self.session.engines.embedder is not None:
            self.session.run("Making corrected passages searchable", embed, partial=Changes(documents=True))

    def _say_decided(self, decisions: Sequence[tuple[SuspectWord, str, str]]) -> None:
        doubt, action, text = decisions[0]
        if len(decisions) > 1:
            self.session.tell(f"{len(decisions)} words decided", undo=True)
        elif action == "accepted":
            self.session.decided.emit(f"“{doubt.text}” is as read; U undoes it")
        else:
            now = ILLEGIBLE if action == "illegible" else text
            said = "“{word}” is “{now}” now; U undoes it"
            self.session.decided.emit(said.format(word=doubt.text, now=now))

    def take_new_words(self) -> None:
        """The rows whose page was corrected quote what stands there now."""
        for evidence in self._stale:
            self.session.do(partial(_refresh, evidence), initiator=self)

    def edit(self) -> None:
        """Type what the word is."""
        if self._group is None:
            self.field.begin()
        elif self._same:
            self.group_field.begin()

    def skip(self) -> None:
        """Go on; the word stays in the queue and unchecked."""
        if self._group is not None:
            self._close_group()
        self.step(1)

    def step(self, way: int) -> None:
        """The next word or the one before, round and round."""
        if self.queue.rows:
            self._go_to((self.list.currentIndex().row() + way) % len(self.queue.rows))

    def open_page(self) -> None:
        doubt = self.current()
        if self._group is not None and self.grid.currentIndex().isValid():
            doubt = self.alike.rows[self.grid.currentIndex().row()]
        if doubt is not None:
            self.show_source.emit(doubt.document, doubt.page, doubt.start, doubt.end)

    def toggle_overlay(self) -> None:
        """Show the text over the image, each word in its place, or take it away."""
        self._overlay = not self._overlay
        doubt = self.current()
        if doubt is not None:
            self._lay_over(doubt)

    def _lay_over(self, doubt: SuspectWord) -> None:
        self._page_words = self.session.do(lambda bench: _words_of(bench, doubt)) or []
        self.strip.know(self._page_words)
        self.strip.lay_over(self._page_words if self._overlay else ())

    def _neighbours(self) -> dict[int, tuple[int, int]]:
        """Where words of the page stand in the line of context, by their number on the page."""
        doubt = self.current()
        if doubt is None:
            return {}
        text, found = self.context.text(), {}
        spans = [match.span() for match in re.finditer(r"\S+", text)]
        own = len(doubt.context[0].split())
        for at, (start, end) in enumerate(spans):
            number = doubt.word + at - own
            if 0 <= number < len(self._page_words) and self._page_words[number][0] == text[start:end]:
                found[number] = (start, end)
        return found

    def _pointed_on_page(self, number: int) -> None:
        self.context.point(*self._neighbours().get(number, (0, 0)))

    def _pointed_in_text(self, place: int) -> None:
        found = (number for number, (start, end) in self._neighbours().items() if start <= place < end)
        self.strip.point(next(found, -1))

    def show_alternatives(self) -> None:
        """The other readings as a list below the word; Enter takes one."""
        doubt = self.current()
        if doubt is None or self._group is not None or self.session.read_only:
            return
        listed = others(doubt)
        if not listed:
            self.session.status.emit("No other reading is known; E lets you type what it is.")
            return
        self.menu = QMenu(self)
        self.menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu.setAccessibleName("Other readings")
        self.menu.setFont(theme.serif(theme.LARGE))
        for at, text in enumerate(listed):
            self.menu.addAction(text.replace("&", "&&")).triggered.connect(lambda _checked=False, at=at: self.pick(at))
        self.menu.setActiveAction(self.menu.actions()[0])
        self.menu.popup(self.field.mapToGlobal(QPoint(0, self.field.height())))

    # --- words alike -------------------------------------------------------------------------------------------------

    def toggle_group(self) -> None:
        """All words that are doubtful as this one is, as a grid; and back."""
        if self._group is not None:
            self._close_group()
            return
        doubt = self.current()
        if doubt is None:
            return
        group = next(group for group in confusion_groups(self.queue.rows) if doubt in group.doubts)
        if len(group.doubts) < 2:
            self.session.status.emit("No other word is doubtful in the same way.")
            return
        self._group = group
        self.alike.left_out.clear()
        self.alike.pictures.clear()
        self._show_group(group.doubts)
        self.grid.setCurrentIndex(self.alike.index(group.doubts.index(doubt)))
        self.grid.setFocus()

    def _show_group(self, found: Sequence[SuspectWord]) -> None:
        group = self._group
        if group is None:
            return
        rows = list(found)
        at = self.grid.currentIndex().row()
        self.alike.show_named(rows, self.queue.names)
        self.grid.setCurrentIndex(self.alike.index(min(max(at, 0), len(rows) - 1)))
        same = len({doubt.text for doubt in rows}) == 1
        one, _, two = group.what.partition("/")
        if rows[0].other not in ("", UNREAD):
            said = "{count} words in which “{one}” may be “{two}”"
            if not one:
                said = "{count} words in which “{two}” may be missing"
            elif not two:
                said = "{count} words in which “{one}” may be superfluous"
            said = said.format(count=len(rows), one=one, two=two)
        else:
            said = f"{len(rows)} words read “{rows[0].text}”"
        self.group_title.setText(said)
        keys = ["A all as read"]
        if self._other.isEnabled():
            keys.append("B all as the other engine read")
        keys.append("I all illegible")
        if same:
            keys.append("E type what all are")
        keys += ["Space leaves one out", "Esc goes back"]
        self.group_hint.setText(" · ".join(keys))
        self.group_field.setVisible(False)
        self.group_field.show_word(rows[0].text if same else "")
        self._same = same
        self.stack.setCurrentWidget(self.group_page)
        self._enable()
        self._deciding[1].setEnabled(same and not self.session.read_only)
        announce(self.grid, said)
        self._ask_pictures()

    def _ask_pictures(self) -> None:
        """Pictures of the grid, a few at a time, so that other readings come in between."""
        waiting = [d for d in self.alike.rows if key_of(d) not in self.alike.pictures][:_AT_ONCE]
        if self._group is None or not waiting:
            return
        ratio = self._ratio()
        self.session.read(
            lambda bench: [(doubt, _cut(bench, doubt, ratio)) for doubt in waiting],
            self._pictures_came,
            key="pictures of words",
            failed=lambda _error: None,  # the words stand there without
        )

    def _pictures_came(self, came: Sequence[tuple[SuspectWord, Cut]]) -> None:
        rows = {key_of(doubt): row for row, doubt in enumerate(self.alike.rows)}
        for doubt, cut in came:
            if key_of(doubt) in rows:
                self.alike.picture(rows[key_of(doubt)], cut)
        self._ask_pictures()

    def _group_edited(self, editing: bool) -> None:
        self.group_field.setVisible(editing)
        self.leave_action.setEnabled(not editing)
        if not editing and self._group is not None:
            self.grid.setFocus()

    def _close_group(self) -> None:
        if self._group is None:
            return
        self._group = None
        self.alike.show([])
        if self.queue.rows:
            self.stack.setCurrentWidget(self.candidate)
            self._enable()
            self.field.setFocus()

    # --- nothing to decide -------------------------------------------------------------------------------------------

    def _show_nothing(self) -> None:
        """What to do next, while there is no word to check."""
        self.stack.setCurrentWidget(self.empty_page)
        self._tell_count()
        self.place_label.setText("")
        self.selected.emit(None)
        known = self._known
        said, text, self._next = "", "", None
        reading = self._reading is not None and not self._reading.is_over()
        if known is None:
            said = "Looking for words to check …" if self.session.workbench is not None else ""
        elif reading:
            said = "Reading the scans. Words to check appear here as they come."
        elif (known.unread or known.poor) and self.session.engines.ocr is not None and not self.session.read_only:
            told = []
            if known.unread:
                told.append(
                    "{pages} without text: images that OCR has not read yet.".format(
                        pages=counted(known.unread, "page")
                    )
                )
            if known.poor:
                told.append(
                    "{pages} with text that looks garbled or doesn’t match the page image: OCR reads the image.".format(
                        pages=counted(known.poor, "page")
                    )
                )
            said = " ".join(told)
            text, self._next = "Read the scans", self.read_scans
        elif known.unread and not known.scans:
            said = "{pages} without text, but no OCR engine is on this computer to read them."
            said = said.format(pages=counted(known.unread, "page"))
            text, self._next = "Open the documents", partial(self.go.emit, "Documents")
        elif known.scans:
            said = "No doubtful word is left on {pages} ({decided} decided).".format(
                pages=counted(known.scans, "scanned page"), decided=f"{known.decided:,}"
            )
            text, self._next = "Open the matrix", partial(self.go.emit, "Matrix")
        else:
            said = (
                "No page of this case was read by OCR. Add scans, read them with “Read the scans” on the "
                "Documents screen, and doubtful words appear here."
            )
            text, self._next = "Open the documents", partial(self.go.emit, "Documents")
        self.empty.say(said)
        self.empty.button.setText(text)
        self.empty.button.setAccessibleName(text or "Next step")
        if not text and self.empty.button.hasFocus():
            self.list.setFocus()  # else hiding it would hand the keys to some other part of the window
        self.empty.button.setVisible(bool(text))
        self._enable()
        focus = QApplication.focusWidget()
        if self.isVisible() and (focus is None or self.isAncestorOf(focus)):
            self._focus()  # the next step is one key away

    def _empty_pressed(self) -> None:
        if self._next is not None:
            self._next()

    def read_scans(self, *, again: bool = False) -> None:
        """Read every page that is a picture, beside the work; doubtful words come as they are read."""
        if self._reading is not None and not self._reading.is_over():
            return
        self._reading = self.session.run(
            "Reading scans",
            lambda bench, progress: bench.ocr.read(None, progress, again=again),
            done=self._scans_read,
            partial=Changes(documents=True),
        )
        self._show_nothing()

    def _scans_read(self, report: ScanReport) -> None:
        said = f"{counted(report.pages, 'page')} read, {counted(report.words, 'word')}"
        if report.problems:
            first = report.problems[0]
            said += f"; {counted(len(report.problems), 'page')} not: {first.where}: {first.what} {first.hint}"
        self.session.status.emit(f"{said}.")

    # --- coming and going --------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._focus()
        doubt = self.current()
        if doubt is not None:
            self._tell_detail(doubt)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        little = self.height() < theme.px(ROOMY)
        self.strip.make_room(little)
        self.word_column.setSpacing(8 if little else 16)

    def main_widget(self) -> QWidget:
        """The words alike, the word, or the next step."""
        if self._group is not None:
            return self.grid
        return self.field if self.queue.rows else self.empty.button

    def _focus(self) -> None:
        if not self.empty.button.isHidden() or self.main_widget() is not self.empty.button:
            self.main_widget().setFocus()

    def state(self) -> Any:
        return self._on_show

    def restore(self, state: Any) -> None:
        row = next((at for at, doubt in enumerate(self.queue.rows) if key_of(doubt) == state), -1)
        if row >= 0:
            self._go_to(row)
        else:
            self._on_show = state


# Names of languages that data is often installed for; others are shown by their letters.
_NAMES = {
    **{"ara": "Arabic", "ces": "Czech", "chi_sim": "Chinese, simplified", "dan": "Danish", "deu": "German"},
    **{"eng": "English", "fas": "Persian", "fin": "Finnish", "fra": "French", "heb": "Hebrew", "hin": "Hindi"},
    **{"hrv": "Croatian", "hun": "Hungarian", "ita": "Italian", "jpn": "Japanese", "kor": "Korean"},
    **{"nld": "Dutch", "nor": "Norwegian", "pol": "Polish", "por": "Portuguese", "ron": "Romanian"},
    **{"rus": "Russian", "spa": "Spanish", "srp": "Serbian", "swe": "Swedish", "tur": "Turkish"},
    "ukr": "Ukrainian",
}


def language_name(code: str) -> str:
    """'German (deu)'."""
    return f"{_NAMES[code]} ({code})" if code in _NAMES else code


def _refresh(evidence: str, bench: Workbench) -> Changes:
    return bench.evidence.update_quote(evidence)
