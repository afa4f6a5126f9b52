"""OCR: the doubtful words of scans one by one, those first in which an error would change most, decided by key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QWidget

from core.domain import Changes
from core.ocr.suspect_words import ConfusionGroup, SuspectWord, confusion_groups
from core.ports import UNREAD
from gui_app import window_state
from gui_app.ocr.commands import OcrCommands
from gui_app.ocr.empty_page import EmptyPage
from gui_app.ocr.group_page import GroupPage
from gui_app.ocr.pictures import WordPictures
from gui_app.ocr.queue_panel import QueuePanel
from gui_app.ocr.reindexing import Reindexing
from gui_app.ocr.state import NextStep, OcrState, load, next_step, resting_lines, scan_message, stale_sentence, words_of
from gui_app.ocr.suspects_model import ILLEGIBLE, Key, SuspectsModel, decision_message, key_of, others
from gui_app.ocr.word_page import WordPage
from gui_app.session import REST_OF_OCR, CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import line
from gui_app.shared.layout import vbox
from gui_app.shared.row_in_hand import take_row
from gui_app.shared.screen import Screen

if TYPE_CHECKING:
    from core.workbench import Workbench
    from gui_app.tasks import Task

ROOMY = 720  # pixels of height from which on the strip is high


class OcrScreen(Screen):
    """The place where a person decides what doubtful words of scans are."""

    name = "OCR"
    icon = "ocr"
    concerns = Changes(documents=True, evidence=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._state: OcrState | None = None
        self._on_show: Key | None = None
        self._decision_keys: list[Key] = []
        self._group: ConfusionGroup | None = None
        self._overlay = False  # whether the text lies over the picture
        self._stale: tuple[str, ...] = ()
        self._reading: Task | None = None
        self._next = NextStep("")
        self._with_charts = window_state.pane("ocr-charts") == "+"
        self._by_person = False  # whether the person asked for another list
        self._since = 0  # words decided since the case was read
        self.queue = SuspectsModel()
        self.pictures = WordPictures(session, self)
        self._embedding = Reindexing(session, self)
        self._build()
        self._show_nothing()

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        self.panel = QueuePanel(self.queue)
        self.panel.charts.clicked.connect(lambda _on=False: self.turn_charts())
        self.list = self.panel.list
        self.list.selectionModel().currentChanged.connect(lambda now, _before: self._show_row(now.row()))
        self.list.doubleClicked.connect(lambda _index: self.open_page())
        self.list.activated.connect(lambda _index: self.field.setFocus())
        splitter.addWidget(self.panel)
        middle = QWidget()
        column = vbox(middle, spacing=0)
        self.strip_note = InfoBar()
        self.strip_note.setContentsMargins(8, 16, 8, 0)
        self.take_button = self.strip_note.add_button("Update quotes  N", self.take_new_words)
        self.take_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        column.addWidget(self.strip_note)
        self.stack = QStackedWidget()
        self._build_pages()
        for page in (self.word, self.group_page, self.empty_page):
            self.stack.addWidget(page)
        column.addWidget(self.stack, 1)
        column.addWidget(line())
        self.commands = OcrCommands(self)
        column.addWidget(self.commands)
        splitter.addWidget(middle)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([256, 800])
        outer = vbox(self)
        outer.addWidget(splitter)

    def _build_pages(self) -> None:
        self.word = WordPage()
        self.field = self.word.field
        self.group_page = GroupPage()
        self.grid = self.group_page.grid
        self.grid.activated.connect(lambda _index: self.accept())
        for field in (self.field, self.group_page.field):
            field.as_read.connect(self.accept)
            field.corrected.connect(self.correct)
        self.field.asked.connect(self.show_alternatives)
        self.group_page.field.editing_changed.connect(self._group_edited)
        self.empty = EmptyState("ocr", "", "", self._take_next_step)
        self.empty_page = EmptyPage(self.empty)
        self.empty_page.language_chosen.connect(self.choose_language)

    def choose_language(self, languages: tuple[str, ...]) -> None:
        """Read the scans of this case in these languages; none: each document in its own."""
        if self._state is not None and tuple(languages) != self._state.languages:
            self.session.do(lambda bench: bench.case.change_settings(ocr_languages=list(languages)), initiator=self)
            self.refresh()

    # --- what is on show ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the words to check, beside the work."""
        with_charts = self._with_charts
        self.session.read(lambda bench: load(bench, with_charts=with_charts), self._show_state, key="words to check")

    def turn_charts(self) -> None:
        """Put the words in charts on the list, or set them aside; remembered."""
        self._with_charts, self._by_person = not self._with_charts, True
        window_state.keep_pane("ocr-charts", "+" if self._with_charts else "")
        self.panel.charts.setChecked(self._with_charts)
        self.refresh()

    def forget(self) -> None:
        """Show nothing of the case before."""
        self._state, self._on_show, self._group, self._reading = None, None, None, None
        self._decision_keys, self._stale = [], ()
        self.pictures.clear()
        self._embedding.stop()
        self.queue.show_named([], {})
        self._tell_stale(())
        self._show_nothing()

    def _show_state(self, state: OcrState) -> None:
        row, former, had_words = self.list.currentIndex().row(), self.current(), bool(self.queue.rows)
        self._state, self._since = state, 0
        self.queue.show_named(state.doubts, state.names)
        self.empty_page.show_languages(
            state, has_engine=self.session.engines.ocr is not None, read_only=self.session.read_only
        )
        self._tell_stale(state.stale)
        self._show_counts()
        self.panel.show_charts(state.in_charts, with_charts=self._with_charts)
        keys = {key_of(doubt): index for index, doubt in enumerate(state.doubts)}
        # A decision that was taken back is looked at again.
        again = [key for key in self._decision_keys if key in keys]
        self._decision_keys = [key for key in self._decision_keys if key not in keys]
        if again:
            self._on_show = again[-1]
        if not state.doubts:
            self._on_show, self._group = None, None
            self._show_nothing()
            return
        here = keys.get(self._on_show, -1) if self._on_show is not None else -1
        was_empty = self.stack.currentWidget() is self.empty_page
        by_itself, self._by_person = had_words and not again and not self._by_person, False
        if here >= 0 and former is not None and key_of(former) == self._on_show:
            here = here if state.doubts[here].text == former.text else -1  # a page read again has other words
        if here < 0 and by_itself and self._group is None:
            self._clear_current(former)
            return
        if here < 0:
            self._on_show = None
        self._go_to(here if here >= 0 else min(max(row, 0), len(state.doubts) - 1))
        focus = QApplication.focusWidget()
        if was_empty and self.isVisible() and (focus is None or self.isAncestorOf(focus)):
            self._focus()
        if self._group is not None:
            in_grid = {(key_of(doubt), doubt.text) for doubt in self.group_page.words.rows}
            left = [doubt for doubt in self._alike_to(self._group) if (key_of(doubt), doubt.text) in in_grid]
            self._show_group(left) if left else self.close_group()

    def _clear_current(self, former: SuspectWord | None) -> None:
        """Select no word: the one on show has gone without a decision."""
        self._on_show = None
        take_row(self.list, -1)
        words = f"“{former.text}” is" if former is not None else "The word is"
        self._show_nothing(NextStep(f"{words} no longer on this list.", "Show the next", "next"))

    def _alike_to(self, group: ConfusionGroup) -> Sequence[SuspectWord]:
        return next(
            (confusion.doubts for confusion in confusion_groups(self.queue.rows) if confusion.what == group.what), ()
        )

    def current(self) -> SuspectWord | None:
        """Return the word on show."""
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
        is_new = key_of(doubt) != self._on_show
        self._on_show = key_of(doubt)
        self.panel.show()
        if self._group is None:
            self.stack.setCurrentWidget(self.word)
        self.word.place_label.setText(f"{row + 1} of {len(self.queue.rows)}")
        self.word.doubt = doubt
        if is_new or not self.field.editing:  # what is typed meanwhile stays
            self.word.show_word(doubt, self.queue.place(doubt))
            self._lay_over(doubt)
            self.word.show_strip(self.pictures, self._following)
        self._enable()
        if is_new:
            self.selected.emit(self.current_item())

    def current_item(self) -> object:
        """Return the evidence that quotes the word on show."""
        doubt = self.current()
        return self._state.rows.get(doubt.cited[0]) if self._state is not None and doubt and doubt.cited else None

    def _show_counts(self) -> None:
        self.panel.show_counts((self._state.decision_count if self._state is not None else 0) + self._since)

    def _tell_stale(self, stale: Sequence[str]) -> None:
        self._stale = tuple(stale)
        resting = self._state.resting if self._state is not None else None
        if resting is not None and set(resting.evidence) != set(stale):
            resting = None
        if stale:
            self.strip_note.say(stale_sentence(stale, resting))
        else:
            self.strip_note.hide()
        self.word.show_resting(resting_lines(resting) if stale and resting is not None else "")
        can = bool(stale) and not self.session.read_only
        self.commands.take_new_words.setEnabled(can)
        self.take_button.setVisible(can)

    def _enable(self) -> None:
        doubt = self.current()
        self.commands.enable(doubt, in_group=self._group is not None, read_only=self.session.read_only)
        self.field.setEnabled(doubt is not None)

    def _following(self) -> SuspectWord | None:
        row = self.list.currentIndex().row() + 1
        return self.queue.rows[row] if row < len(self.queue.rows) else None

    # --- deciding ----------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Decide that what is on show is as it was read."""
        self._decide([(doubt, "accepted", "") for doubt in self._selection()])

    def correct(self, text: str) -> None:
        """Decide that what is on show is ``text``."""
        if text == ILLEGIBLE:
            self.mark_illegible()
            return
        self._decide([(doubt, "corrected", text) for doubt in self._selection()])

    def take_other(self) -> None:
        """Decide that the other engine was right."""
        doubts = [doubt for doubt in self._selection() if doubt.other not in ("", UNREAD)]
        self._decide([(doubt, "corrected", doubt.other) for doubt in doubts])

    def mark_illegible(self) -> None:
        """Decide that nobody can read it."""
        self._decide([(doubt, "illegible", "") for doubt in self._selection()])

    def pick(self, index: int) -> None:
        """Take one of the other readings."""
        doubt = self.current()
        if doubt is not None and self._group is None and index < len(others(doubt)):
            self._decide([(doubt, "corrected", others(doubt)[index])])

    def _selection(self) -> list[SuspectWord]:
        if self._group is not None:
            return self.group_page.selection()
        doubt = self.current()
        return [doubt] if doubt is not None else []

    def _decide(self, decisions: Sequence[tuple[SuspectWord, str, str]]) -> None:
        if not decisions or self.session.read_only:
            return
        outcome = self.session.do(
            lambda bench: bench.ocr.decide([(*key_of(doubt), action, text) for doubt, action, text in decisions]),
            initiator=self,
        )
        if outcome is None:
            return
        keys = {key_of(doubt) for doubt, _, _ in decisions}
        self._since += len(keys)
        self._decision_keys += list(keys)
        self._embedding.start()
        if outcome.stale:
            self._tell_stale(tuple(dict.fromkeys([*self._stale, *outcome.stale])))
        # The list goes on at once; what the case says of the rest comes when it is read.
        row = self.list.currentIndex().row()
        first = min((index for index, doubt in enumerate(self.queue.rows) if key_of(doubt) in keys), default=row)
        rows = [doubt for doubt in self.queue.rows if key_of(doubt) not in keys]
        self.queue.show(rows)
        self._show_counts()
        is_group = self._group is not None
        if is_group:
            self.close_group()
        if rows:
            self._go_to(min(first, len(rows) - 1))
            if is_group:
                self._focus()  # the word is there only now
        else:
            self._on_show = None
            self._show_nothing()
        if len(decisions) > 1:
            self.session.tell(f"{len(decisions)} words decided", undo=True)
        else:
            self.session.decided.emit(decision_message(*decisions[0]))

    def take_new_words(self) -> None:
        """Let the rows whose page was corrected quote what is there now."""
        for evidence in self._stale:
            self.session.do(partial(_refresh, evidence), initiator=self)

    def edit(self) -> None:
        """Type what the word is."""
        if self._group is None:
            self.field.begin()
        elif self.group_page.is_same:
            self.group_page.field.begin()

    def skip(self) -> None:
        """Go on; the word stays in the queue and unchecked."""
        if self._group is not None:
            self.close_group()
        self.step(1)

    def step(self, way: int) -> None:
        """Go to the next word or the one before, round and round."""
        if self.queue.rows:
            self._go_to((self.list.currentIndex().row() + way) % len(self.queue.rows))

    def open_page(self) -> None:
        """Open the page at the word, or at the one of the words alike that the keys are at."""
        doubt = (self.group_page.current() if self._group is not None else None) or self.current()
        if doubt is not None:
            self.show_source.emit(doubt.document, doubt.page, doubt.start, doubt.end)

    def toggle_overlay(self) -> None:
        """Show the text over the image, each word in its place, or take it away."""
        self._overlay = not self._overlay
        doubt = self.current()
        if doubt is not None:
            self._lay_over(doubt)

    def _lay_over(self, doubt: SuspectWord) -> None:
        words = self.session.do(lambda bench: words_of(bench, doubt)) or []
        self.word.show_page_words(words, overlay=self._overlay)

    def show_alternatives(self) -> None:
        """List the other readings below the word; Enter takes one."""
        doubt = self.current()
        if doubt is None or self._group is not None or self.session.read_only:
            return
        readings = others(doubt)
        if not readings:
            self.session.status.emit("No other reading is known; E lets you type what it is.")
            return
        self.word.list_readings(readings, self.pick)

    # --- words alike -------------------------------------------------------------------------------------------------

    def toggle_group(self) -> None:
        """Show all words that are doubtful as this one is, as a grid; and go back."""
        if self._group is not None:
            self.close_group()
            return
        doubt = self.current()
        if doubt is None:
            return
        group = next(group for group in confusion_groups(self.queue.rows) if doubt in group.doubts)
        if len(group.doubts) < 2:
            self.session.status.emit("No other word is doubtful in the same way.")
            return
        self._group = group
        self.group_page.begin()
        self._show_group(group.doubts)
        self.grid.setCurrentIndex(self.group_page.words.index(group.doubts.index(doubt)))
        self.grid.setFocus()

    def _show_group(self, doubts: Sequence[SuspectWord]) -> None:
        group = self._group
        if group is None:
            return
        page = self.group_page
        page.show_words(group.what, list(doubts), self.queue.names, can_take_other=self.commands.take_other.isEnabled())
        self.stack.setCurrentWidget(page)
        self._enable()
        self.commands.edit.setEnabled(page.is_same and not self.session.read_only)
        announce(self.grid, page.title.text())
        page.fetch_pictures(self.pictures)

    def _group_edited(self, editing: bool) -> None:
        self.group_page.field.setVisible(editing)
        self.commands.leave_group.setEnabled(not editing)
        if not editing and self._group is not None:
            self.grid.setFocus()

    def close_group(self) -> None:
        """Go back from the words alike to the word."""
        if self._group is None:
            return
        self._group = None
        self.group_page.words.show([])
        if self.queue.rows:
            self.stack.setCurrentWidget(self.word)
            self._enable()
            self.field.setFocus()

    # --- nothing to decide -------------------------------------------------------------------------------------------

    def _show_nothing(self, step: NextStep | None = None) -> None:
        """Show what to do next, while there is no word to check."""
        self.stack.setCurrentWidget(self.empty_page)
        self._show_counts()
        self.word.place_label.setText("")
        self.selected.emit(None)
        self._next = step or next_step(
            self._state,
            has_case=self.session.workbench is not None,
            is_reading=self._is_reading(),
            waits_for=self.session.tasks.waits_for(self._reading) if self._is_reading() and self._reading else "",
            can_read=self.session.engines.ocr is not None and not self.session.read_only,
        )
        self.empty_page.show_step(self._next)
        state, button = self._state, self.empty.button
        has_list = state is None or state.doubts or state.in_charts or state.decision_count or self._is_reading()
        if has_list:
            self.panel.show()
        if not self._next.button and button.hasFocus():
            self.list.setFocus()  # else hiding it would hand the keys to some other part of the window
        button.setVisible(bool(self._next.button))
        self.panel.setVisible(bool(has_list))  # one that nothing comes into takes no room
        self._enable()
        focus = QApplication.focusWidget()
        if self.isVisible() and (focus is None or self.isAncestorOf(focus)):
            self._focus()  # the next step is one key away

    def _take_next_step(self) -> None:
        if self._next.place == "next":
            self._go_to(0)
            self._focus()
        elif self._next.place:
            self.go.emit(self._next.place)
        elif self._next.button:
            self.read_scans()

    def _is_reading(self) -> bool:
        return self._reading is not None and not self._reading.is_over()

    def read_scans(self, *, again: bool = False) -> None:
        """Read every page that is a picture, beside the work; doubtful words come as they are read."""
        if self._is_reading():
            return
        self._reading = self.session.run(
            "Reading scans",
            lambda bench, progress: bench.ocr.read(None, progress, again=again),
            done=lambda report: self.session.status.emit(scan_message(report)),
            partial=Changes(documents=True),
            rest=REST_OF_OCR,
            again=lambda: self.read_scans(again=again),
        )
        if self._reading is not None:
            self._reading.progressed.connect(self._show_reading)
        if self.current() is None:
            self._show_nothing()

    def _show_reading(self) -> None:
        """Show that the scans are being read once they no longer wait."""
        if self.current() is None and self._next.sentence.startswith("OCR is waiting"):
            self._show_nothing()

    # --- coming and going --------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the word."""
        super().showEvent(event)
        self._focus()
        if self.current() is not None:
            self.selected.emit(self.current_item())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the strip lower where there is little room."""
        super().resizeEvent(event)
        self.word.make_room(self.height() < theme.px(ROOMY))

    def main_widget(self) -> QWidget:
        """Return the words alike, the word, or the next step."""
        if self._group is not None:
            return self.grid
        return self.field if self.current() is not None else self.empty.button

    def _focus(self) -> None:
        if not self.empty.button.isHidden() or self.main_widget() is not self.empty.button:
            self.main_widget().setFocus()

    def state(self) -> Any:
        """Return which word is on show."""
        return self._on_show

    def restore(self, state: Any) -> None:
        """Go to that word, now or when it is read."""
        row = next((index for index, doubt in enumerate(self.queue.rows) if key_of(doubt) == state), -1)
        if row >= 0:
            self._go_to(row)
        else:
            self._on_show = state


def _refresh(evidence: str, bench: Workbench) -> Changes:
    return bench.evidence.update_quote(evidence)
