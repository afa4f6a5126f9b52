"""Review: one proposal at a time in the middle, the queue at the left, decided from the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from core.domain import Changes, Page, Proposal, ShowMode
from core.verdicts.agreement import Agreement
from gui_app import window_state
from gui_app.review import quote_marks
from gui_app.review.agreement_page import AgreementPage
from gui_app.review.bars import ReviewBars
from gui_app.review.candidate import ReviewPane
from gui_app.review.decisions import Decisions, suggestion
from gui_app.review.passages_page import PassagesPage
from gui_app.review.proposal_card import ProposalCard
from gui_app.review.queue_panel import QueuePanel
from gui_app.review.rating_prompt import RatingPrompt
from gui_app.review.state import NextStep, ReviewState, load, next_step, readings
from gui_app.session import CaseSession
from gui_app.shared.case_reader import CaseReader
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted
from gui_app.shared.header import button, decisions
from gui_app.shared.probabilities import exam_words
from gui_app.shared.proposal_queue import Filter, review_order
from gui_app.shared.row_in_hand import place_in_view, row_after, scroll_to_place, take_row
from gui_app.shared.screen import Screen


class ReviewScreen(Screen):
    """Decides about proposals."""

    name = "Review"
    icon = "review"
    leads_viewer = True
    room_for_guide = False
    concerns = Changes(proposals=True, hypotheses=True, documents=True, matrix=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._state = ReviewState()
        self._reader = CaseReader(self, self._arrived, self._not_read)
        self._agreement_reader = CaseReader(self, self._show_agreements)
        self._filter = Filter()
        self._page: Page | None = None
        self._on_show: str | None = None
        self._waits: bool | None = None  # the queue, to be arranged when it is shown: whether it moves on then
        self._to_rate: list[Proposal] = []  # what a rating is asked for
        self._last: Callable[[], None] | None = None
        self._models: dict[str, tuple[str, str, str]] = {}  # by fingerprint: name, what its exam says, all of it
        self._asked_for_agreement = False
        self._asked_to_find = False  # before it was known what there is to find evidence for
        self._decisions = Decisions(session, self)
        self._build()
        self._keys: QWidget = self.list
        self._choose_focus()  # first: the commands show the view that was on show last
        self._make_commands()
        self._show_nothing()

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        # Each part is made inside the one around it: Qt polishes a part again, with all in it, whenever it is moved.
        self.views = QStackedWidget(self)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.views)
        self.panel = QueuePanel(self.splitter)
        self.panel.filter_changed.connect(self._filter_changed)
        self.list, self.queue = self.panel.list, self.panel.queue
        self.list.selectionModel().currentChanged.connect(lambda current, _previous: self._show_row(current.row()))
        self.list.selectionModel().selectionChanged.connect(lambda _on, _off: self._tell_place())
        self.list.doubleClicked.connect(lambda _index: self.open_page())
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.panel)
        self.splitter.addWidget(self._build_middle())
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([256, 800])
        self.by_passage = PassagesPage(self.session, self.views)
        self.by_passage.show_source.connect(self.show_source)
        self.by_passage.selected.connect(lambda _item: self.selected.emit(self.current_item()))
        self.by_passage.next_step.connect(self._take_step)
        self.views.addWidget(self.splitter)
        self.views.addWidget(self.by_passage)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bars)  # over both views: what moves from one layout to another loses its children
        layout.addWidget(self.views, 1)

    def _build_middle(self) -> QWidget:
        middle = QWidget(self.splitter)
        self.stack = QStackedWidget(middle)
        self.card = ProposalCard()
        self.ask = RatingPrompt()
        self.candidate = ReviewPane(self.card, self.session, self.ask, self.stack)
        self.candidate.page.clicked.connect(self.open_page)
        self.card.quote_view.edited.connect(self._take_own_span)
        self.card.quote_view.left.connect(self.list.setFocus)
        self.ask.answered.connect(self._accept_rated)
        self.ask.left.connect(self.list.setFocus)
        self.empty = EmptyState("review", "", "Find evidence", lambda: self._take_step(self._next.action))
        self.agreement = AgreementPage(self.stack)
        self.agreement.closed.connect(self._leave_agreement)
        self.agreement.chosen.connect(self._pick_out)
        for page in (self.candidate, self.empty, self.agreement):
            self.stack.addWidget(page)
        self.bars = ReviewBars(self.session, initiator=self, parent=self)
        self.finder, self.effort, self.verdict_line = self.bars.finder, self.bars.effort, self.bars.verdicts
        self.finder.new_proposals.connect(self._take_up)
        self.finder.task_changed.connect(self._follow_search)
        self.effort.opened.connect(lambda: self.go_to_part.emit("Hypotheses", "searches"))
        self.verdict_line.agreement.connect(self.show_agreement)
        self.verdict_line.choice.connect(self._show_mode)
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.stack, 1)
        return middle

    def _make_commands(self) -> None:
        command = self.command
        accept = command("Accept", "A", self.accept, tip="Take the quote into the matrix")
        accept_and_rate = command(
            "Add with ratings",
            "Shift+A",
            self.accept_and_rate,
            tip=(
                "Take the quote into the matrix and rate it for this hypothesis: C, CC, N, I, II or NA; Enter takes "
                "what the model suggests"
            ),
            shown_keys="then C CC N I II NA or Enter",
        )
        reject = command("Reject", "R", self.reject)
        skip = command("Decide later", "S", self.skip, tip="Go on; this proposal stays to review")
        command("Open page", "O", self.open_page)
        edit = command("Edit span", "E", self.edit_span)
        undo = command("Undo", "U", self.session.undo)
        command("Repeat the last decision", ".", self.repeat)
        command("Previous proposal", "K", lambda: self.step(-1))
        command("Next proposal", "J", lambda: self.step(1))
        command("Accept everything listed", "Ctrl+Shift+A", lambda: self._decisions.accept(self.panel.pending()))
        command("Reject everything listed", "Ctrl+Shift+R", lambda: self._decisions.reject(self.panel.pending()))
        self.find_action = command("Find evidence", "F", self.finder.find_evidence)
        self.view_action = command(
            "Review by passage or by proposal",
            "P",
            lambda: self.show_passages(self.views.currentWidget() is not self.by_passage),
            tip="One card a passage, with the verdict for every hypothesis, or one proposal at a time",
        )
        for head, words in ((self.panel.head, "Passages  P"), (self.by_passage.queue_head, "Proposals  P")):
            view = button(self.view_action, kind="quiet")
            view.setText(words)
            head.addWidget(view)
        read_again = command(
            "Have the second reader read again",
            "Shift+F",
            self.finder.read_again,
            tip="The second reader judges the close verdicts and those that the ranking depends on",
        )
        judge_again = command(
            "Judge again with the current model",
            "Shift+J",
            self.finder.judge_again,
            tip="Undecided proposals with another model's verdict are judged again; both verdicts stay",
        )
        command("How far you and the model agree", "G", self.show_agreement)
        modes = command(
            "How sure a verdict has to be",
            "Shift+S",
            lambda: self.verdict_line.show_modes.press_next(),
            tip="What it takes to be shown and to suggest a rating",
        )
        command("All hypotheses", "0", lambda: self.pick_hypothesis(0))
        for line in range(1, 10):
            command(f"Only hypothesis {line}", str(line), partial(self.pick_hypothesis, line))
        for decision in decisions(
            (
                (accept, "Accept  A", "primary"),
                (accept_and_rate, "Add with ratings  ⇧A", ""),
                (reject, "Reject  R", ""),
                (skip, "Decide later  S", "quiet"),
                (edit, "Span  E", "quiet"),
                (undo, "Undo  U", "quiet"),
            )
        ):
            self.candidate.buttons.addWidget(decision)

        of_both = (self.view_action, self.find_action, read_again, judge_again, modes)
        self._proposal_actions = [action for action in self.actions() if action not in of_both]
        self.show_passages(window_state.review_by_passage())

    def show_passages(self, by_passage: bool) -> None:
        """Show one card a passage, or one proposal at a time."""
        if by_passage == (self.views.currentWidget() is self.by_passage):
            return
        # Both views have A, R, J and digits: those of the view that is away give way.
        for action in self._proposal_actions:
            action.setEnabled(not by_passage)
        self.views.setCurrentWidget(self.by_passage if by_passage else self.splitter)
        self.finder.whole_rows = by_passage
        window_state.keep_review_by_passage(by_passage)
        if not by_passage and self._state.is_read:
            self._show_state(self._state)  # with what was decided by passage
        if not by_passage and self._waits is not None:
            self._arrange(moves_on=self._waits)
        self._choose_focus()
        if self.isVisible():  # else a screen that is being made would take the keys from the one on show
            self.setFocus()
        self.selected.emit(self.current_item())

    def show_part(self, part: str) -> None:
        """Find evidence at once for 'find', as soon as it is known for what."""
        self._asked_to_find = part == "find"
        if self._state.is_read:
            self._begin_to_find()

    def _begin_to_find(self) -> None:
        if self._asked_to_find:
            self._asked_to_find = False
            self.finder.find_evidence()

    def show_own_details(self, visible: bool) -> bool:
        """Show the page beside what is reviewed, or hide it: the panel of details would say it all again."""
        for candidate in (self.candidate, self.by_passage.candidate):
            candidate.page.setVisible(visible)
        return bool(self._state.proposals)

    # --- what is on show ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show at once what was decided, where it is on show, and read the case again beside the work."""
        if self._state.is_read and self.views.currentWidget() is self.splitter:
            self._show_state(self._state)
        state = self._state
        self._reader.read(lambda bench: load(bench, state))
        if self._asked_for_agreement:
            self._read_agreement()

    def _arrived(self, state: ReviewState) -> None:
        self._models = {}
        self._show_state(state)
        self._begin_to_find()

    def _not_read(self) -> None:
        if not self._state.is_read:
            self._show_nothing(NextStep("The proposals could not be read.", "Try again", "read"))

    def _show_state(self, state: ReviewState) -> None:
        """Show a state with every decision made since it was read; one that was taken back comes first."""
        statuses = self.session.do(lambda bench: bench.verdicts.statuses())
        if statuses is None:
            return
        old_state, self._state = self._state, state.with_statuses(statuses)
        if self._state is old_state:
            return
        if bool(old_state.proposals) != bool(self._state.proposals):
            self.room_changed.emit()
        reopened = self._state.undecided_again(old_state)
        if reopened:
            self._on_show = reopened[0]  # a decision that was taken back is looked at again
        self.panel.show_hypotheses(self._state.hypotheses)
        if self._filter.hypothesis not in {"", *(hypothesis.id for hypothesis in self._state.hypotheses)}:
            self._filter = replace(self._filter, hypothesis="")
        self.panel.show_filter(self._filter)
        self.bars.show_state(self._state)
        self._arrange(moves_on=self._state.status_of(self._on_show) not in ("", old_state.status_of(self._on_show)))
        if reopened:
            self.selected.emit(self.current_item())

    def forget(self) -> None:
        """Clear what belongs to the previous case."""
        self._last, self._on_show, self._page, self._waits = None, None, None, None
        self._state, self._models, self._filter = ReviewState(), {}, Filter()
        self._reader.forget()
        self._agreement_reader.forget()
        self.bars.forget()
        self._asked_for_agreement = self._asked_to_find = False
        self.panel.show_filter(self._filter)
        self.queue.show([], self._filter.group)
        self._show_nothing()

    def _arrange(self, *, moves_on: bool = True) -> None:
        """Show the queue again after a change: the proposal on show stays, or the one that moved into its place.

        Not ``moves_on``: what has gone from the queue was not decided, and no other is shown before a person asks.
        """
        if self.views.currentWidget() is not self.splitter:
            self._waits = moves_on or bool(self._waits)
            return
        self._waits = None
        row = self.panel.row()
        selection = self.selection()
        proposals = self._state.proposals
        rows = review_order(proposals, self._filter, self._state.other_models, self._state.ranks or None)
        place = place_in_view(self.list, [proposal.id for proposal in self.queue.rows])
        if (rows, self._filter.group) != (self.queue.rows, self.queue.group):
            self.queue.show(rows, self._filter.group)
        pending = sum(1 for proposal in proposals if proposal.status == "pending")
        self.panel.count.setText(f"{pending:,} left" if proposals else "Queue")
        self.panel.count.setToolTip(f"{pending:,} of {counted(len(proposals), 'proposal')} left")
        if not rows:
            self._on_show = None
            self._show_nothing()
            return
        ids = [proposal.id for proposal in rows]
        index = row_after(ids, self._on_show, row, moves_on=moves_on)
        if index < 0:
            self._clear_current()
            return
        stays = self._on_show in ids
        self._go_to(index)
        if stays and len(selection) > 1:
            self.panel.select(selection)
        if stays:
            scroll_to_place(self.list, ids, place)

    def _clear_current(self) -> None:
        """Clear the selection: the proposal on show has gone without a decision."""
        words = f"{self._on_show} is no longer on this list."
        take_row(self.list, -1)
        self._on_show = None
        self._show_nothing(NextStep(words, "Show the next", "first"))

    def _go_to(self, row: int) -> None:
        self.panel.go_to(row)
        self._show_row(row)

    def _show_row(self, row: int) -> None:
        if not 0 <= row < len(self.queue.rows):
            return
        proposal = self.queue.rows[row]
        if self.session.workbench is None:
            return
        quote = proposal.quote
        if self._page is None or self._page.id != quote.page_id:
            self._page = self.session.do(lambda bench: bench.documents.page(quote.document, quote.page))
            if self._page is None:
                return
        if not self._asked_for_agreement:
            self.stack.setCurrentWidget(self.candidate)
        self._show_queue(True)
        is_new = proposal.id != self._on_show
        self._on_show = proposal.id
        # New proposals arrive while a span is edited; the edit stays what it is.
        if is_new or not (self.card.quote_view.editing or self.card.quote_view.is_changed()):
            self._show(proposal, self._page)
        self._tell_place()
        if is_new and self.views.currentWidget() is self.splitter:
            self.selected.emit(proposal)

    def _show(self, proposal: Proposal, page: Page) -> None:
        lines = [] if proposal.is_hidden else readings(proposal, self._state.fits, self._model)
        self.card.show_proposal(proposal, page, self._state, lines)
        quote = proposal.quote
        marks = quote_marks.of_proposal(proposal)
        self.candidate.page.show_place(quote.document, quote.page, quote.start, quote.end, marks)

    def _model(self, fingerprint: str) -> tuple[str, str, str]:
        """Return a model's name, what it reached in its exam, and everything that was measured of it."""
        if fingerprint not in self._models:
            card = self.session.do(lambda bench: bench.verdicts.model_card(fingerprint))
            if card is None:
                return fingerprint, "", ""
            self._models[fingerprint] = (card.name, exam_words(card), card.summary)
        return self._models[fingerprint]

    def _tell_place(self) -> None:
        self.card.place_label.setText(self.panel.place_words())

    def _show_nothing(self, step: NextStep | None = None) -> None:
        """Show the next step while there is nothing to decide."""
        if not self._asked_for_agreement:
            self.stack.setCurrentWidget(self.empty)
        self.selected.emit(self.current_item())
        self._next = step or self._own_next_step()
        self.empty.say(self._next.sentence)
        self.empty.button.setText(self._next.button)
        self.empty.button.setVisible(bool(self._next.button))
        self._show_queue(bool(self._state.proposals) or not self._next.button)
        self.card.place_label.setText("")

    def _follow_search(self) -> None:
        """Say that evidence is being found, or no longer, where there is nothing to decide."""
        if not self._state.proposals:
            self._show_nothing()
        self.by_passage.follow_search()

    def _own_next_step(self) -> NextStep:
        if self._state.is_read:
            is_finding = self.session.is_growing(Changes(proposals=True))
            return next_step(self._state, self._filter, is_finding=is_finding)
        return NextStep("Reading the proposals." if self.session.workbench is not None else "", "", "")

    def _take_up(self) -> None:
        """Begin with what was found, unless the person is at work in the queue already."""
        focus = QApplication.focusWidget()
        if focus is None or not self.views.isAncestorOf(focus):
            self.by_passage.begin()
        if focus is not None and self.bars.isAncestorOf(focus):
            self.setFocus()

    def _take_step(self, action: str) -> None:
        if action == "find":
            self.finder.find_evidence()
        elif action == "first":
            self._go_to(0)
            self.list.setFocus()
        elif action == "clear":
            self._clear_filter()
        elif action == "read":
            self.reload()
        elif action:
            self.go.emit(action)

    def _show_queue(self, is_queue: bool) -> None:
        """Show the queue, or while nothing is or comes into it no more than the button of the next step."""
        self._keys = self.list if is_queue else self.empty.button
        self._choose_focus()  # first: what is hidden hands its keys on
        self.panel.setVisible(is_queue)

    def _choose_focus(self) -> None:
        by_passage = self.views.currentWidget() is self.by_passage
        self.setFocusProxy(self.by_passage if by_passage else self._keys)

    def showEvent(self, event: QShowEvent) -> None:
        """Give the keys to the queue, and tell what is in the middle."""
        super().showEvent(event)
        self.setFocus()  # else the first filter gets the keys, and arrows would change it
        if self.current_item() is not None:
            self.selected.emit(self.current_item())

    def current_item(self) -> object:
        """Return the proposal in the middle."""
        if self.views.currentWidget() is self.by_passage:
            return self.by_passage.current_item()
        return None if self.stack.currentWidget() is self.empty else self.current()

    # --- filter ------------------------------------------------------------------------------------------------------

    def _filter_changed(self) -> None:
        self._filter = self.panel.filter()
        self._leave_agreement()

    def _clear_filter(self) -> None:
        self._filter = Filter(group=self._filter.group)
        self.panel.show_filter(self._filter)
        self._arrange()

    def pick_hypothesis(self, number: int) -> None:
        """Show only the proposals of hypothesis number ``number``; 0 shows all."""
        if number <= len(self._state.hypotheses):
            self.panel.hypothesis_filter.setCurrentIndex(number)
            self._filter_changed()
            self.list.setFocus()

    # --- deciding ----------------------------------------------------------------------------------------------------

    def current(self) -> Proposal | None:
        """Return the proposal in the middle."""
        return self.panel.current()

    def selection(self) -> list[Proposal]:
        """List what a decision is about: everything picked in the queue."""
        return self.panel.selection()

    def accept(self, *, rate: bool = False) -> None:
        """Take the chosen quotes into the matrix; with ``rate`` the model's rating is kept as a suggestion."""
        selection = self.selection()
        if len(selection) == 1 and self.card.quote_view.is_changed():
            self._take_own_span(*self.card.quote_view.span())
            return
        self._last = lambda: self.accept(rate=rate)
        self._decisions.accept([p.id for p in selection if p.status != "accepted"], rate=rate)

    def accept_and_rate(self) -> None:
        """Ask for the rating of what is chosen, in place; the answer accepts and rates it."""
        self._to_rate = [proposal for proposal in self.selection() if proposal.status != "accepted"]
        if not self._to_rate or self.session.read_only:
            return
        next_proposal = self._to_rate[0]
        if len(self._to_rate) > 1:
            self.ask.ask(f"{len(self._to_rate)} quotes", None, by_itself=True)
        else:
            self.ask.ask(f"this quote for {next_proposal.hypothesis}", suggestion(next_proposal))

    def _accept_rated(self, entry: str) -> None:
        """Accept what was asked about, with the rating typed; '' takes what the model suggests for each."""
        self.list.setFocus()
        if self._to_rate:
            self._last = self.accept_and_rate
            self._decisions.accept_and_rate(self._to_rate, entry)

    def reject(self) -> None:
        """Set the chosen proposals aside."""
        self._last = self.reject
        self._decisions.reject([proposal.id for proposal in self.selection() if proposal.status == "pending"])

    def skip(self) -> None:
        """Leave this one for later: the next is shown, after the last the first."""
        self._last = self.skip
        count = len(self.queue.rows)
        if count:
            self._go_to((self.panel.row() + 1) % count)

    def step(self, way: int) -> None:
        """Show the next proposal (1) or the one before (-1)."""
        row = self.panel.row() + way
        if 0 <= row < len(self.queue.rows):
            self._go_to(row)

    def repeat(self) -> None:
        """Do to this proposal what was done to the last one."""
        if self._last is None:
            self.session.status.emit("Nothing to repeat yet.")
        else:
            self._last()

    def open_page(self) -> None:
        """Open the page itself, with the quote on it."""
        proposal = self.current()
        if proposal is not None:
            quote = proposal.quote
            self.show_source.emit(quote.document, quote.page, quote.start, quote.end)

    def edit_span(self) -> None:
        """Let the person move the borders of the quote."""
        proposal = self.current()
        if proposal is not None and proposal.status == "pending":
            self.card.quote_view.begin_editing()

    def _take_own_span(self, start: int, end: int) -> None:
        """Make evidence of the quote with the person's own borders."""
        proposal = self.current()
        if proposal is None:
            return
        if (start, end) == (proposal.quote.start, proposal.quote.end):
            self.list.setFocus()
            self._decisions.accept([proposal.id])
            return
        own_span = self._decisions.take_span(proposal, start, end)
        self.list.setFocus()
        if own_span is not None:
            current = self.current()
            if current is not None and self._page is not None and current.id == proposal.id:
                self._show(current, self._page)  # still listed: with its own span again
            self.session.tell(f"{own_span.id} added with your own span; {proposal.id} is set aside")

    # --- verdicts held against ratings -------------------------------------------------------------------------------

    def _show_mode(self, mode: ShowMode) -> None:
        self.session.do(lambda bench: bench.case.change_settings(show=mode))

    def show_agreement(self) -> None:
        """Show how far the person's ratings and the verdicts agree, in the place of the proposal."""
        if self.session.workbench is not None:
            self.show_passages(False)
            self._asked_for_agreement = True
            self._read_agreement()
            self.stack.setCurrentWidget(self.agreement)
            self.agreement.table.setFocus()

    def _read_agreement(self) -> None:
        self._agreement_reader.read(lambda bench: bench.review.agreements())

    def _show_agreements(self, agreements: Sequence[Agreement]) -> None:
        self.agreement.show_agreements(agreements, {row.model: self._model(row.model)[0] for row in agreements})

    def _leave_agreement(self) -> None:
        self._asked_for_agreement = False
        self._arrange()
        self.list.setFocus()

    def _pick_out(self, proposals: Sequence[str], words: str) -> None:
        """Show these proposals alone, whatever became of them."""
        self._filter = Filter(status="", group=self._filter.group, only=frozenset(proposals), words=words)
        self.panel.show_filter(self._filter)
        self._leave_agreement()
        self.session.status.emit(
            f"{counted(len(self.queue.rows), 'proposal')}: {words}. Any filter shows the others again."
        )

    # --- back and forward --------------------------------------------------------------------------------------------

    def state(self) -> Any:
        """Return the view, the filter and the proposal on show."""
        return (self.views.currentWidget() is self.by_passage, self._filter, self._on_show)

    def restore(self, state: Any) -> None:
        """Go back to the view, the filter and the proposal of a state."""
        if state is not None:
            by_passage, self._filter, self._on_show = state
            self.show_passages(by_passage)
            self.panel.show_filter(self._filter)
            if self._state.is_read:
                self._arrange()
