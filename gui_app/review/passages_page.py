"""Review by passage: one card a passage with the verdict for every hypothesis, one decision for the whole row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from core.domain import Changes, Hypothesis, Proposal, Rating
from core.review import passage_order
from core.review.passage_cards import PassageCard
from gui_app.review import quote_marks
from gui_app.review.candidate import ReviewPane
from gui_app.review.decisions import suggestion
from gui_app.review.passage_card_view import PassageCardView, verdict_rows
from gui_app.review.passage_list import PassageRow, PassagesModel, heights
from gui_app.review.queue_frame import current_row, fill_frame, filter_combo, selected_rows, status_combo
from gui_app.review.queue_list import QueueList
from gui_app.review.rating_entry import RatingEntry
from gui_app.review.state import NextStep, first_step, with_status
from gui_app.session import CaseSession
from gui_app.shared.case_reader import CaseReader
from gui_app.shared.case_view import CaseView
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.fields import leave_by_keys
from gui_app.shared.formatting import counted
from gui_app.shared.header import decisions
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import ElidedLabel
from gui_app.shared.row_in_hand import place_in_view, row_after, scroll_to_place, select_rows, take_row

if TYPE_CHECKING:
    from core.progress import Progress
    from core.review.passages import RowAccepted, RowsSuggested
    from core.workbench import Workbench

_ORDERS = (
    ("most diagnostic first", passage_order.TELLING),
    ("contradictions first", passage_order.CONTRADICTIONS),
    ("by hypothesis", "hypothesis"),
    ("by verdict", "verdict"),
    ("by document", "document"),
)


@dataclass(frozen=True, slots=True)
class State:
    """The state of the case that the page shows.

    ``rows`` is how many rows quote a document; ``unsuggested`` are hypotheses that none of them is rated against.
    """

    cards: tuple[PassageCard, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    joinable: tuple[tuple[str, ...], ...] = ()
    rows: int = 0
    unsuggested: tuple[str, ...] = ()
    missing: str = ""
    is_read_only: bool = False
    is_blind: bool = False
    is_read: bool = False

    def with_statuses(self, statuses: Mapping[str, str]) -> State:
        """Return the state with cards whose proposals are as they are now; without those that are gone."""
        if all(statuses.get(p.id) == p.status for card in self.cards for p in card.all):
            return self
        cards = (self._restated(card, statuses) for card in self.cards)
        return replace(self, cards=tuple(card for card in cards if card.proposals))

    def _restated(self, card: PassageCard, statuses: Mapping[str, str]) -> PassageCard:
        if all(statuses.get(p.id) == p.status for p in card.all):
            return card
        proposals = {
            hypothesis: with_status(p, statuses[p.id], is_blind=self.is_blind)
            for hypothesis, p in card.proposals.items()
            if p.id in statuses
        }
        changed = (with_status(p, statuses[p.id], is_blind=self.is_blind) for p in card.others if p.id in statuses)
        return replace(card, proposals=proposals, others=tuple(changed))


def load(bench: Workbench) -> State:
    """Read what the page shows."""
    hypotheses = bench.hypotheses.all()
    rows = {row.id for row in bench.evidence.all() if row.page_id is not None}
    # A row that has no suggestion may be one of which the judge was not sure; a whole empty column is a new one.
    columns = {cell.hypothesis for cell in bench.evidence.assessments(everyone=True) if cell.evidence in rows}
    columns |= {cell.hypothesis for cell in bench.evidence.suggestions(everything=True) if cell.evidence in rows}
    return State(
        tuple(bench.passages.cards()),
        tuple(hypotheses),
        tuple(bench.passages.joinable()),
        len(rows),
        tuple(h.id for h in hypotheses if rows and h.id not in columns),
        bench.review.judge_missing(),
        bench.case.read_only,
        bench.case.settings().blind,
        is_read=True,
    )


class PassagesPage(CaseView):
    """The cards of passages and the decisions about them.

    ``selected(proposal or None)`` tells what is on show, ``next_step(action)`` that the next step is to be taken.
    """

    concerns = Changes(proposals=True, hypotheses=True, evidence=True, matrix=True)
    selected = Signal(object)
    next_step = Signal(str)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._state = State()
        self._reader = CaseReader(self, self._arrived)
        self._on_show = 0  # the passage of the card in the middle
        self._is_reading_new = False  # whether what a search brought is being read
        # By passage: what a person said of the cells of cards that are not accepted yet.
        self._ratings: defaultdict[int, dict[str, Rating]] = defaultdict(dict)
        self._omissions: defaultdict[int, set[str]] = defaultdict(set)
        self._build()
        self._make_commands()
        self.setFocusProxy(self.list)
        self._show_nothing()  # until the passages are read: a card of none would show a verdict that nobody gave

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.count = ElidedLabel("", "strong")
        self.status_filter = status_combo(self._arrange)
        self.order = filter_combo("Order of the queue", self._arrange)
        for text, order in _ORDERS:
            self.order.addItem(text, order)
        self.text_filter = QLineEdit()
        self.text_filter.setPlaceholderText("Filter by words")
        self.text_filter.setClearButtonEnabled(True)
        self.text_filter.setAccessibleName("Filter the queue by words of the passage or the name of its document")
        self.text_filter.textChanged.connect(lambda _text: self._arrange())
        self.rows = PassagesModel(self)
        self.list = QueueList("Queue of passages", self.rows, PassageRow(), heights)
        self.list.selectionModel().currentChanged.connect(lambda _current, _previous: self._show_card())
        self.list.doubleClicked.connect(lambda _index: self.open_page())
        leave_by_keys(self.text_filter, self.list)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.queue = QFrame(self.splitter)
        self.queue.setMinimumWidth(208)
        self.queue_head = fill_frame(
            self.queue, self.count, (self.text_filter, self.status_filter, self.order), self.list
        )
        middle = QWidget(self.splitter)
        self.stack = QStackedWidget(middle)
        self.card = PassageCardView()
        self.candidate = ReviewPane(self.card, self.session, self.card.verdicts, self.stack)
        self.candidate.page.clicked.connect(self.open_page)
        self.card.pointed.connect(lambda _hypothesis: self._tell_current())
        self.entry = RatingEntry(self.list, self.card.verdicts)
        self.entry.typed.connect(self._rate_cell)
        self.entry.begun.connect(self._show_entry)
        self.entry.confirmed.connect(self._take_suggestion)
        self.entry.cleared.connect(self._clear_cell)
        self.entry.moved.connect(self.card.step)
        self.bar = InfoBar()
        self.bar_button = self.bar.add_button("Join", self._press_bar)
        self.empty = EmptyState("review", "", "Find evidence", lambda: self.next_step.emit(self._next.action))
        self.stack.addWidget(self.candidate)
        self.stack.addWidget(self.empty)
        middle_column = QVBoxLayout(middle)
        middle_column.setContentsMargins(0, 0, 0, 0)
        middle_column.setSpacing(0)
        middle_column.addWidget(self.bar)
        middle_column.addWidget(self.stack, 1)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.queue)
        self.splitter.addWidget(middle)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([256, 800])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter, 1)

    def _make_commands(self) -> None:
        command = self.command
        tip = "Make one row of this passage; the model's ratings appear in its cells as suggestions"
        accept = command("Accept the row", "A", self.accept, tip=tip)
        tip = "Make one row of this passage and rate every cell as shown here, in your own name"
        confirm = command("Add to the matrix with ratings", "Shift+A", lambda: self.accept(confirm=True), tip=tip)
        reject = command("Reject the passage", "R", self.reject)
        skip = command("Decide later", "S", lambda: self.step(1), tip="Go on; this passage stays to review")
        command("Open page", "O", self.open_page)
        tip = "Leave the current hypothesis unrated for this passage; the others stay in the row"
        refuse = command("Leave a hypothesis out", "X", self.omit_cell, tip=tip)
        judge = command(
            "Judge the missing cells",
            "M",
            self.judge_missing,
            tip="Have the model judge this passage for the hypotheses it has no verdict on",
        )
        undo = command("Undo", "U", self.session.undo)
        command(
            "Split the row of this passage",
            "T",
            self.split_row,
            tip="Make a row of each different quote; the ratings go with their quote",
        )
        self._rate_rows = command(
            "Rate the rows against the newest hypothesis",
            "H",
            self.suggest_ratings,
            tip="Have the model suggest a rating for every row that has none against it",
        )
        command("Previous passage", "K", lambda: self.step(-1))
        command("Next passage", "J", lambda: self.step(1))
        for line in range(1, 10):
            command(
                f"Go to the line of hypothesis {line}",
                str(line),
                partial(self.go_to_line, line - 1),
                shown_keys="then C CC N I II, Shift+N for NA, or Enter",
            )
        self._judge_button, *buttons = decisions(
            (
                (judge, "Judge missing  M", "quiet"),
                (accept, "Add to matrix  A", "primary"),
                (confirm, "Add with ratings  ⇧A", ""),
                (reject, "Reject  R", ""),
                (refuse, "Leave out H1  X", "quiet"),
                (skip, "Decide later  S", "quiet"),
                (undo, "Undo  U", "quiet"),
            )
        )
        self._leave_out_button = buttons[3]
        for decision in (*buttons, self._judge_button):
            self.candidate.buttons.addWidget(decision)

    # --- what is on show ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show at once what was decided, and read the case again beside the work."""
        if self._state.is_read:
            self.show_state(self._state)
        self._reader.read(load)

    def begin(self) -> None:
        """Go to the first card of all that was found, while nothing is decided: the one on show was found first."""
        self._is_reading_new = True
        if not self._reader.is_busy():
            self._reader.read(load)

    def _arrived(self, state: State) -> None:
        if not self._is_reading_new or self._reader.is_busy():
            self.show_state(state)
            return
        self._is_reading_new = False
        if all(card.status == "pending" for card in state.cards):
            self._on_show = 0
        self.show_state(state)
        self.list.scrollTo(self.list.currentIndex())
        if self.isAncestorOf(QApplication.focusWidget() or self.list):
            self.setFocus()

    def forget(self) -> None:
        """Clear what belongs to the previous case."""
        self._reader.forget()
        self._ratings.clear()
        self._omissions.clear()
        self._on_show, self._is_reading_new = 0, False
        with QSignalBlocker(self.text_filter):
            self.text_filter.clear()
        self._state = State()
        self._show_bar()
        self._arrange()

    def show_state(self, state: State) -> None:
        """Show what was read: a card whose decision was taken back, the card on show, or the one in its place.

        With every decision made since it was read.
        """
        statuses = self.session.do(lambda bench: bench.verdicts.statuses())
        if statuses is None:
            return
        state = state.with_statuses(statuses)
        if state is self._state:
            return
        decided = {card.passage.id for card in self._state.cards if card.status != "pending"}
        reopened = [card.passage.id for card in state.cards if card.status == "pending" and card.passage.id in decided]
        self._on_show = reopened[0] if reopened else self._on_show
        old, self._state = self._state, state
        self._show_bar()
        self._arrange(moves_on=_status_of(state, self._on_show) not in ("", _status_of(old, self._on_show)))

    def _arrange(self, *, moves_on: bool = True) -> None:
        index = self.list.currentIndex().row()
        selection = {card.passage.id for card in self.selection()}
        status = self.status_filter.currentData()
        order = self.order.currentData() or passage_order.TELLING
        words = self.text_filter.text().casefold().split()
        shown = (c for c in self._state.cards if status in ("", c.status) and _has_words(c, words))
        rows = passage_order.arrange(list(shown), order)
        cards = [card for _, card in rows]
        place = place_in_view(self.list, [card.passage.id for card in self.rows.rows])
        with QSignalBlocker(self.list.selectionModel()):
            self.rows.show_groups(rows)
        pending = [card for card in self._state.cards if card.status == "pending"]
        total, copies = len(self._state.cards), sum(len(card.copies) for card in pending)
        also = f" and {counted(copies, 'copy', 'copies')}" if copies else ""  # which a report counts as passages
        self.count.setText(f"{len(pending):,}{also} left" if total else "Queue")
        self.count.setToolTip(
            f"{len(pending):,} of {counted(total, 'passage')} left{', with their copies' * bool(also)}"
        )
        if not cards:
            self._show_nothing()
            return
        ids = [card.passage.id for card in cards]
        row = row_after(ids, self._on_show or None, index, moves_on=moves_on)
        take_row(self.list, row)
        if row < 0:
            self._show_nothing()
            self.empty.say("This passage is no longer on the list. ↓ shows the next one.")
            self.empty.button.hide()
            return
        if ids[row] in selection:
            select_rows(self.list, [index for index, id in enumerate(ids) if id in selection])
        if self._on_show == ids[row]:
            scroll_to_place(self.list, ids, place)
        self._show_card()

    def follow_search(self) -> None:
        """Say that evidence is being found, or no longer, where there is no card."""
        if not self._state.cards:
            self._show_nothing()

    def _show_nothing(self) -> None:
        self._on_show = 0
        self.stack.setCurrentWidget(self.empty)
        self._next = self._next_step()
        self.empty.say(self._next.sentence)
        self.empty.button.setText(self._next.button)
        self.empty.button.setVisible(bool(self._next.button))
        self._show_queue(bool(self._state.cards) or not self._next.button)
        self.selected.emit(None)

    def _show_queue(self, is_queue: bool) -> None:
        """Show the queue, or while nothing is or comes into it no more than the button of the next step."""
        self.setFocusProxy(self.list if is_queue else self.empty.button)  # first: what is hidden hands its keys on
        self.queue.setVisible(is_queue)

    def _next_step(self) -> NextStep:
        state = self._state
        if state.cards and self.text_filter.text().strip():
            return NextStep("No passage has these words.", "", "")
        if state.cards and any(card.status == "pending" for card in state.cards):
            return NextStep("No passage has this status.", "", "")
        if state.cards:
            sentence = "Every passage is decided. The matrix shows what they add up to."
            return NextStep(sentence, "Open the matrix", "Matrix")
        is_finding = self._is_reading_new or self.session.is_growing(Changes(proposals=True))
        if not (state.is_read or is_finding):
            return NextStep("Reading the passages." if self.session.workbench is not None else "", "", "")
        return first_step(state.hypotheses, state.missing, is_finding=is_finding)

    def _show_card(self) -> None:
        card = self.current()
        if card is None:
            return
        passage = self._on_show = card.passage.id
        self.stack.setCurrentWidget(self.candidate)
        self._show_queue(True)
        rows = verdict_rows(card, self._state.hypotheses, self._ratings[passage], self._omissions[passage])
        self.card.show_card(card, rows, f"{self.list.currentIndex().row() + 1} of {len(self.rows.rows)}")
        self._judge_button.setVisible(not self._state.missing and any(row.proposal is None for row in rows))
        self._tell_current()

    def _tell_current(self) -> None:
        """Mark the current quote on the page beside, and tell what is on show."""
        card = self.current()
        if card is None:
            return
        passage = card.passage
        self._leave_out_button.setText(f"Leave out {self.card.current_hypothesis()}  X")
        marks = quote_marks.of_card(card, self.card.current_hypothesis())
        self.candidate.page.show_place(passage.document, passage.page, *card.span, marks)
        self.selected.emit(self.current_item())

    def _show_bar(self) -> None:
        """Offer what is left to do with rows that stand."""
        state = self._state
        if state.joinable:
            rows = state.joinable[0]
            self.bar_button.setText(f"Join {' and '.join(rows)}")
            copies = len(state.joinable) - 1
            more = f"; so do {counted(copies, 'other group', 'other groups')}" if copies else ""
            self.bar.say(f"{', '.join(rows)} quote the same passage{more}. Joined, they count as one row.")
        elif state.unsuggested and not state.missing:
            hypothesis = state.unsuggested[0]
            self.bar_button.setText(f"Rate the rows against {hypothesis}  H")
            self.bar.say(f"{counted(state.rows, 'row has', 'rows have')} no rating against {hypothesis}.")
        else:
            self.bar.hide()
        self.bar_button.setEnabled(not state.is_read_only)
        newest = state.hypotheses[-1].id if state.hypotheses else "the newest hypothesis"
        self._rate_rows.setText(f"Rate the rows against {(state.unsuggested or (newest,))[0]}")

    def current(self) -> PassageCard | None:
        """Return the card in the middle."""
        return current_row(self.list, self.rows.rows)

    def current_item(self) -> Proposal | None:
        """Return the proposal of the current line, or the card's first: what the details can show."""
        card = self.current()
        if card is None:
            return None
        return card.proposals.get(self.card.current_hypothesis()) or next(iter(card.proposals.values()))

    def selection(self) -> list[PassageCard]:
        """List the cards that a decision is about."""
        return selected_rows(self.list, self.rows.rows)

    # --- deciding ----------------------------------------------------------------------------------------------------

    def step(self, way: int) -> None:
        """Go to the next card, or back."""
        self.entry.finish()
        row = self.list.currentIndex().row() + way
        if 0 <= row < len(self.rows.rows):
            take_row(self.list, row)

    def go_to_line(self, line: int) -> None:
        """Make the line of a hypothesis the current one: what is typed then rates its cell."""
        self.entry.finish()
        if line < len(self._state.hypotheses):
            self.card.point_at(self._state.hypotheses[line].id)
            self.list.setFocus()

    def _show_entry(self, entry: str) -> None:
        """Show in the cell what is typed so far; the rating is given when the row is accepted."""
        card = self.current()
        if card is not None and not self.session.read_only:
            passage, cell = card.passage.id, (self.card.current_hypothesis(), entry)
            omissions = self._omissions[passage]
            self.card.show_rows(verdict_rows(card, self._state.hypotheses, self._ratings[passage], omissions, cell))

    def _rate_cell(self, entry: str) -> None:
        """Take a rating for the current cell, and go on to the next one."""
        card, hypothesis = self.current(), self.card.current_hypothesis()
        if card is None or not hypothesis or self.session.read_only:
            return
        self._omissions[card.passage.id].discard(hypothesis)
        self._ratings[card.passage.id][hypothesis] = cast("Rating", entry)
        self._show_card()
        self.card.step(1)

    def _take_suggestion(self) -> None:
        """Make the suggested rating of the current cell one's own, and go on; a rating of one's own stays."""
        card = self.current()
        if card is not None and self.card.current_hypothesis() in self._ratings[card.passage.id]:
            self.card.step(1)
            return
        rating = suggestion(card.proposals.get(self.card.current_hypothesis())) if card is not None else None
        if rating is not None:
            self._rate_cell(rating)

    def _clear_cell(self) -> None:
        """Take back what was said of the current cell."""
        card, hypothesis = self.current(), self.card.current_hypothesis()
        if card is not None:
            self._omissions[card.passage.id].discard(hypothesis)
            self._ratings[card.passage.id].pop(hypothesis, None)
            self._show_card()

    def omit_cell(self) -> None:
        """Leave the cell of the current hypothesis out of the row, or take it in again."""
        self.entry.finish()
        card, hypothesis = self.current(), self.card.current_hypothesis()
        if card is None or not hypothesis:
            return
        self._omissions[card.passage.id] ^= {hypothesis}
        self._ratings[card.passage.id].pop(hypothesis, None)
        self._show_card()

    def judge_missing(self) -> None:
        """Have the chosen passages judged for the hypotheses that they were not judged for."""
        ids = [hypothesis.id for hypothesis in self._state.hypotheses]
        work = [(card.passage.id, [h for h in ids if h not in card.proposals]) for card in self.selection()]
        work = [(chunk, missing) for chunk, missing in work if missing]
        if not work or self._state.missing or self.session.read_only:
            return

        def judge(bench: Workbench, progress: Progress) -> Changes:
            for number, (chunk, missing) in enumerate(work):
                progress.step(number, len(work), "Judging the missing cells")
                bench.review.judge_passage(chunk, missing, progress=progress)
            return Changes(proposals=True)

        self.session.run("Judging the missing cells", judge, partial=Changes(proposals=True))

    def accept(self, *, confirm: bool = False) -> None:
        """Make a row of each chosen card; with ``confirm`` its cells are rated as they are, in one's own name."""
        self.entry.finish()
        cards = [card for card in self.selection() if card.status != "accepted"]
        if not cards or self.session.read_only:
            return
        results = [row for card in cards if (row := self._accept_card(card, confirm=confirm)) is not None]
        if len(results) == 1:
            ids = [hypothesis.id for hypothesis in self._state.hypotheses if hypothesis.id in results[0].rated]
            rated = f", rated against {', '.join(ids)}" if ids else ""
            self.session.tell(f"Accepted as {results[0].evidence}{rated}", undo=True)
        elif results:
            self.session.tell(f"Accepted as {counted(len(results), 'row')}", undo=True)

    def _accept_card(self, card: PassageCard, *, confirm: bool) -> RowAccepted | None:
        passage = card.passage.id
        omissions, ratings = self._omissions[passage], self._ratings[passage]
        row = [p.id for p in card.all if p.chunk == passage and p.hypothesis not in omissions]
        # What is left out waits for nobody any more: cells without a rating, proposals of copies, other quotes.
        aside = [p.id for p in card.all if p.id not in row and p.status == "pending"]
        if not row:
            self.session.tell("Every hypothesis is left out of this passage: R rejects it.")
            return None
        return self.session.do(lambda bench: bench.passages.accept(row, confirm=confirm, ratings=ratings, aside=aside))

    def reject(self) -> None:
        """Put the chosen cards aside, with all of their proposals."""
        cards = [card for card in self.selection() if card.status == "pending"]
        proposals = [p.id for card in cards for p in card.all if p.status == "pending"]
        if not proposals or self.session.read_only:
            return
        changes = self.session.do(lambda bench: bench.review.reject(proposals))
        if changes is not None:
            self.session.tell(f"Rejected {counted(len(cards), 'passage')}", undo=True)

    def split_row(self) -> None:
        """Make a row of each different quote of the passage on show."""
        card = self.current()
        if card is None or self.session.read_only:
            return
        rows = self.session.do(lambda bench: bench.passages.rows_in(card.passage))
        if not rows:
            self.session.status.emit("This passage has no row yet: A accepts it.")
            return
        result = self.session.do(lambda bench: bench.passages.split(rows[0]))
        if result is not None:
            self.session.tell(f"{rows[0]} is {' and '.join(result.rows)} now", undo=True)

    def open_page(self) -> None:
        """Show the page of the passage, at the quote of the current hypothesis."""
        proposal = self.current_item()
        if proposal is not None:
            quote = proposal.quote
            self.show_source.emit(quote.document, quote.page, quote.start, quote.end)

    def _press_bar(self) -> None:
        state = self._state
        if state.joinable:
            rows = state.joinable[0]
            changes = self.session.do(lambda bench: bench.passages.join(rows))
            if changes is not None:
                self.bar.hide()  # until it is known what is left to join
                self.session.tell(f"{', '.join(rows)} are {rows[0]} now", undo=True)
        else:
            self.suggest_ratings()

    def suggest_ratings(self) -> None:
        """Have the model suggest ratings of the rows for a hypothesis without any, else for the newest."""
        state = self._state
        if not state.hypotheses or not state.rows or state.missing or state.is_read_only:
            self.session.status.emit("There are no rows to rate yet, or no model to suggest their ratings.")
            return
        hypothesis = (state.unsuggested or (state.hypotheses[-1].id,))[0]
        self.session.run(
            f"Suggesting ratings for {hypothesis}",
            lambda bench, progress: bench.passages.suggest_ratings(hypothesis, progress),
            done=self._tell_suggestions,
            partial=Changes(matrix=True),
        )

    def _tell_suggestions(self, report: RowsSuggested) -> None:
        notes = f"; {counted(len(report.notes), 'row')} without" if report.notes else ""
        self.session.tell(f"{counted(len(report.ratings), 'rating')} suggested for {report.hypothesis}{notes}")


def _status_of(state: State, passage: int) -> str:
    """Return the status of a card; '' for one that the case does not have."""
    return next((card.status for card in state.cards if card.passage.id == passage), "")


def _has_words(card: PassageCard, words: Sequence[str]) -> bool:
    """Return whether the passage of a card, or the name of its document, has every word."""
    text = f"{card.passage.text} {card.passage.name} {card.passage.title}".casefold()
    return all(word in text for word in words)
