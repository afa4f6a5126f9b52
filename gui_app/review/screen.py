"""Review: one proposal at a time in the middle, the queue at the left, decided from the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QItemSelectionModel, QSignalBlocker, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.domain import LABELS, LAYER, Assessment, Changes, Hypothesis, Page, Proposal, Rating
from core.verdicts.agreement import Fit, in_this_case
from core.verdicts.labels import rating_for
from gui_app.review.agreement_page import AgreementPage
from gui_app.review.queue_list import QueueList
from gui_app.review.quote_view import QuoteView, Stretch
from gui_app.review.rating_prompt import RatingAsk
from gui_app.review.verdict_bar import VerdictLine
from gui_app.review.verdict_block import Reading, Verdicts
from gui_app.session import CaseSession
from gui_app.shared.effort_meter import EffortLine
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.fields import bare
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.header import button, decisions
from gui_app.shared.labels import ElidedLabel, line, plain, tooltip
from gui_app.shared.passages_model import short
from gui_app.shared.probabilities import exam_words, probability_of, two_digits
from gui_app.shared.proposal_queue import DISPUTED, OTHER_MODEL, Filter, Queue, is_hidden, of_other_model, review_order
from gui_app.shared.screen import Screen

if TYPE_CHECKING:
    from core.hypotheses.service import Added
    from core.progress import Progress
    from core.review.judging import ProposeReport
    from core.review.service import Accepted, ReadAgain
    from core.workbench import Workbench
    from gui_app.tasks import Task

PASSAGES = 30
MAX_FIT_ROWS = 2_000  # of evidence, for which the fit on the case is worked out whenever something changes


@dataclass(frozen=True, slots=True)
class OwnSpan:
    """A proposal taken with a span of the person's own: the new evidence, and everything that changed."""

    id: str
    changes: Changes


class ReviewScreen(Screen):
    """Decides about proposals."""

    name = "Review"
    icon = "review"
    leads_viewer = True
    concerns = Changes(proposals=True, hypotheses=True, documents=True, matrix=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._filter = Filter()
        self._hypotheses: list[Hypothesis] = []
        self._all: list[Proposal] = []
        self._by_chunk: dict[int, list[Proposal]] = {}
        self._page: Page | None = None
        self._on_show: str | None = None
        self._to_rate: list[Proposal] = []  # what a rating is asked for
        self._last: Callable[[], None] | None = None
        self._task: Task | None = None
        self._ran = ""  # what the last search did, in a sentence
        self._other_models: dict[str, str] = {}  # that are not in use, with words for it
        self._models: dict[str, tuple[str, str, str]] = {}  # by fingerprint: name, what its exam says, all of it
        self._fits: dict[str, Fit] = {}
        self._reasons: dict[str, str] = {}  # why a second reader would be asked
        self._asked_for_agreement = False
        self.queue = Queue()
        self._build()
        self._make_commands()
        self._show_nothing()
        self.setFocusProxy(self.list)
        session.opened.connect(self._case_opened)

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self._build_queue())
        self.splitter.addWidget(self._build_middle())
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([256, 800])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.splitter, 1)

    def _build_queue(self) -> QWidget:
        self.count = ElidedLabel("", "strong")
        self.hypothesis_filter = self._combo("Show the proposals of")
        self.verdict_filter = self._combo("Show the verdict")
        self.verdict_filter.addItem("any verdict", "")
        for label in (*LABELS, DISPUTED, OTHER_MODEL):
            self.verdict_filter.addItem(label, label)
        self.status_filter = self._combo("Show the status")
        for text, status in (("pending", "pending"), ("accepted", "accepted"), ("rejected", "rejected"), ("all", "")):
            self.status_filter.addItem(text, status)
        self.group_choice = self._combo("Group the queue by")
        for text in ("verdict", "hypothesis", "document"):
            self.group_choice.addItem(f"by {text}", text)
        self.list = QueueList()
        self.list.setModel(self.queue)
        self.list.selectionModel().currentChanged.connect(lambda now, _before: self._show_row(now.row()))
        self.list.selectionModel().selectionChanged.connect(lambda _on, _off: self._count_selected())
        self.list.doubleClicked.connect(lambda _index: self.open_page())
        panel = QFrame()
        panel.setProperty("kind", "surface")
        panel.setMinimumWidth(208)
        column = QVBoxLayout(panel)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(16, 16, 16, 8)
        head.setSpacing(8)
        self.queue_head = QHBoxLayout()
        self.queue_head.addWidget(self.count, 1)
        head.addLayout(self.queue_head)
        head.addWidget(self.hypothesis_filter)
        pair = QHBoxLayout()
        pair.setSpacing(8)
        pair.addWidget(self.status_filter, 1)
        pair.addWidget(self.verdict_filter, 1)
        head.addLayout(pair)
        head.addWidget(self.group_choice)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        return panel

    def _combo(self, name: str) -> QComboBox:
        combo = QComboBox()
        combo.setAccessibleName(name)
        combo.setToolTip(name)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(6)
        combo.activated.connect(lambda _index: self._filter_changed())
        return combo

    def _build_middle(self) -> QWidget:
        self.hypothesis_label = plain(wrap=True)
        self.hypothesis_label.setProperty("role", "heading")
        self.place_label = plain(role="muted")
        self.quote_view = QuoteView()
        self.quote_view.edited.connect(self._take_own_span)
        self.quote_view.left.connect(self.list.setFocus)
        self.origin_label = plain(wrap=True, selectable=True)
        self.retrieval_label = plain(role="small", wrap=True)
        self.verdicts = Verdicts()
        self.hidden_label = plain(wrap=True)
        self.sure_label = plain(role="small", wrap=True)
        self.warning_label = plain(wrap=True)
        self.warning_label.setProperty("tone", "contradicts")
        self.others = FlowLayout(gap=16)

        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(16)
        top = QHBoxLayout()
        top.addWidget(self.hypothesis_label, 1)
        top.addWidget(self.place_label, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        column.addSpacing(8)
        column.addWidget(self.quote_view)
        column.addWidget(self.origin_label)
        column.addWidget(self.retrieval_label)
        column.addWidget(line())
        column.addWidget(self.hidden_label)
        column.addWidget(self.sure_label)
        column.addWidget(self.verdicts)
        column.addWidget(self.warning_label)
        self.others_heading = plain("The same passage for the other hypotheses", "section")
        column.addWidget(self.others_heading)
        column.addLayout(self.others)
        column.addStretch(1)
        self.content = content
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(content)

        self.actions_row = FlowLayout(gap=4)
        self.actions_row.setContentsMargins(24, 8, 24, 8)
        candidate = QWidget()
        candidate_column = QVBoxLayout(candidate)
        candidate_column.setContentsMargins(0, 0, 0, 0)
        candidate_column.setSpacing(0)
        candidate_column.addWidget(self.area, 1)
        self.ask = RatingAsk()
        self.ask.answered.connect(self._accept_rated)
        self.ask.left.connect(self.list.setFocus)
        prompt_column = QVBoxLayout()
        prompt_column.setContentsMargins(24, 0, 24, 8)
        prompt_column.addWidget(self.ask)
        candidate_column.addLayout(prompt_column)
        candidate_column.addWidget(line())
        candidate_column.addLayout(self.actions_row)

        self.empty = EmptyState("review", "", "Find evidence", self._empty_pressed)
        self.stack = QStackedWidget()
        self.stack.addWidget(candidate)
        self.stack.addWidget(self.empty)
        self.agreement = AgreementPage()
        self.agreement.closed.connect(self._leave_agreement)
        self.agreement.chosen.connect(self._pick_out)
        self.stack.addWidget(self.agreement)
        self.candidate = candidate

        middle = QWidget()
        whole = QVBoxLayout(middle)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._build_finder())
        self.effort = EffortLine()
        self.effort.even_out.connect(self.even_out)
        self.effort.opened.connect(lambda: self.go_to_part.emit("Hypotheses", "searches"))
        self.effort_rule = line()
        self.verdict_line = VerdictLine()
        self.verdict_line.read_again.connect(self.read_again)
        self.verdict_line.judge_again.connect(self.judge_again)
        self.verdict_line.agreement.connect(self.show_agreement)
        self.verdict_line.strict.connect(self._set_strict)
        self.verdict_rule = line()
        for part in (self.effort, self.effort_rule, self.verdict_line, self.verdict_rule):
            part.hide()
            whole.addWidget(part)
        whole.addWidget(self.stack, 1)
        return middle

    def _build_finder(self) -> QWidget:
        """The options of the search, in the page instead of a dialog."""
        self.finder = QFrame()
        self.finder.setProperty("kind", "panel")
        self.finder_hypotheses = FlowLayout(gap=16)
        self.finder_checks: list[QCheckBox] = []
        self.passages = QSpinBox()
        self.passages.setRange(1, 500)
        self.passages.setValue(PASSAGES)
        bare(self.passages, "Passages for each hypothesis")
        self.similarity = QDoubleSpinBox()
        self.similarity.setRange(0.0, 0.99)
        self.similarity.setSingleStep(0.05)
        self.similarity.setDecimals(2)
        bare(self.similarity, "Minimum similarity of a passage")
        self.finder_note = plain(role="small", wrap=True)
        self.find_button = QPushButton("Find evidence")
        self.find_button.setProperty("kind", "primary")
        self.find_button.clicked.connect(lambda _on=False: self.find_evidence())
        self.stop_button = QPushButton("Cancel")
        self.stop_button.clicked.connect(lambda _on=False: self.cancel())
        self.stop_button.hide()
        options = FlowLayout(gap=8)
        for widget in (
            plain("passages for each hypothesis", "muted"),
            self.passages,
            plain("minimum similarity", "muted"),
            self.similarity,
            self.find_button,
            self.stop_button,
        ):
            options.addWidget(widget)
        column = QVBoxLayout(self.finder)
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(12)
        column.addWidget(plain("Find passages that speak for or against", "strong"))
        column.addLayout(self.finder_hypotheses)
        column.addLayout(options)
        column.addWidget(self.finder_note)
        self.finder.hide()
        return self.finder

    def _make_commands(self) -> None:
        command = self.command
        accept = command("Accept", "A", self.accept, tip="Take the quote into the matrix")
        accept_and_rate = command(
            "Accept and rate",
            "Shift+A",
            self.accept_and_rate,
            tip=(
                "Take the quote into the matrix and rate it for this hypothesis: C, CC, N, I, II or NA; Enter takes "
                "what the model suggests"
            ),
            shown_keys="then C CC N I II NA or Enter",
        )
        reject = command("Reject", "R", self.reject)
        skip = command("Skip", "S", self.skip)
        open_page = command("Open page", "O", self.open_page)
        edit = command("Edit span", "E", self.edit_span)
        undo = command("Undo", "U", self.session.undo)
        self.repeat_action = command("Repeat the last decision", ".", self.repeat)
        command("Previous proposal", "K", lambda: self.step(-1))
        command("Next proposal", "J", lambda: self.step(1))
        command("Accept everything listed", "Ctrl+Shift+A", lambda: self._decide_all("accept"))
        command("Reject everything listed", "Ctrl+Shift+R", lambda: self._decide_all("reject"))
        self.find_action = command("Find evidence…", "F", self.toggle_finder)
        finder = button(self.find_action, kind="quiet", icon="search")
        finder.setText("")
        self.queue_head.addWidget(finder)
        command(
            "Have the second reader read again",
            "Shift+F",
            self.read_again,
            tip="The second reader judges the close verdicts and those that the ranking hangs on",
        )
        command(
            "Judge again with the current model",
            "Shift+J",
            self.judge_again,
            tip="Undecided proposals with another model's verdict are judged again; both verdicts are kept",
        )
        command("How far you and the model agree", "G", self.show_agreement)
        command(
            "Show confident verdicts only",
            "Shift+S",
            lambda: self._set_strict(not self.verdict_line.sure.isChecked()),
            tip="Only verdicts of a class and a probability that was right nine times in ten",
        )
        command("All hypotheses", "0", lambda: self.pick_hypothesis(0))
        for at in range(1, 10):
            command(f"Only hypothesis {at}", str(at), partial(self.pick_hypothesis, at))
        for decision in decisions(
            (
                (accept, "Accept  A", "primary"),
                (accept_and_rate, "Accept and rate  ⇧A", ""),
                (reject, "Reject  R", ""),
                (skip, "Skip  S", "quiet"),
                (open_page, "Page  O", "quiet"),
                (edit, "Span  E", "quiet"),
                (undo, "Undo  U", "quiet"),
            )
        ):
            self.actions_row.addWidget(decision)

    # --- what is on show ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        bench = self.session.workbench
        if bench is None:
            return
        self._hypotheses = bench.hypotheses.all()
        before = {proposal.id for proposal in self._all if proposal.status != "pending"}
        self._all = bench.verdicts.proposals()
        back = [proposal.id for proposal in self._all if proposal.status == "pending" and proposal.id in before]
        if back:
            self._on_show = back[0]  # a decision that was taken back is looked at again
        self._by_chunk = {}
        for proposal in self._all:
            self._by_chunk.setdefault(proposal.chunk, []).append(proposal)
        self._fill_hypothesis_filter()
        self._fill_finder(bench)
        self._show_effort(bench)
        self._other_models = bench.verdicts.other_models({proposal.verdict.model for proposal in self._all})
        self._models = {}
        has_second_reader = bench.engines.second_reader is not None
        self._reasons = {one.proposal: one.why for one in bench.review.close_or_decisive()} if has_second_reader else {}
        self._fits = self._fits_of(bench)
        self._tell_verdicts(bench)
        self._arrange()
        if back:
            self.selected.emit(self.current_item())

    def _case_opened(self) -> None:
        self._last, self._on_show, self._page, self._task = None, None, None, None
        self._ran = ""
        self._hypotheses, self._all, self._by_chunk = [], [], {}
        self._models, self._fits, self._reasons = {}, {}, {}
        self._filter = Filter()
        self.finder.hide()
        self._asked_for_agreement = False
        self._set_combos()
        self.queue.show([], self._filter.group)
        self._show_nothing()

    def _fill_hypothesis_filter(self) -> None:
        with QSignalBlocker(self.hypothesis_filter):
            self.hypothesis_filter.clear()
            self.hypothesis_filter.addItem("all hypotheses", "")
            for hypothesis in self._hypotheses:
                self.hypothesis_filter.addItem(
                    f"{hypothesis.id}  {' '.join(hypothesis.text.split())[:90]}", hypothesis.id
                )
        if self.hypothesis_filter.findData(self._filter.hypothesis) < 0:
            self._filter = replace(self._filter, hypothesis="")
        self._set_combos()

    def _set_combos(self) -> None:
        for combo, value in (
            (self.hypothesis_filter, self._filter.hypothesis),
            (self.verdict_filter, self._filter.verdict),
            (self.status_filter, self._filter.status),
            (self.group_choice, self._filter.group),
        ):
            with QSignalBlocker(combo):
                combo.setCurrentIndex(max(0, combo.findData(value)))

    def _fill_finder(self, bench: Workbench) -> None:
        ticks = {str(check.property("hypothesis")): check.isChecked() for check in self.finder_checks}
        if list(ticks) != [hypothesis.id for hypothesis in self._hypotheses]:
            for check in self.finder_checks:
                self.finder_hypotheses.removeWidget(check)
                check.deleteLater()
            self.finder_checks = []
            for hypothesis in self._hypotheses:
                check = QCheckBox(hypothesis.id)
                check.setProperty("hypothesis", hypothesis.id)
                check.setAccessibleName(f"{hypothesis.id}: {hypothesis.text[:200]}")
                check.setToolTip(tooltip(hypothesis.text))
                check.setChecked(ticks.get(hypothesis.id, True))
                self.finder_hypotheses.addWidget(check)
                self.finder_checks.append(check)
        missing = bench.review.judge_missing()
        self.find_button.setEnabled(not missing and not bench.case.read_only and bool(self._hypotheses))
        if self._task is None:
            self.finder_note.setText(missing or self.finder_note.text())
            self.finder_note.setVisible(bool(self.finder_note.text()))

    def _show_effort(self, bench: Workbench) -> None:
        """How much was looked at for each hypothesis, in one line, as soon as anything was."""
        efforts = bench.plans.effort(self._all)
        has_effort = any(effort.passages for effort in efforts)
        for part in (self.effort, self.effort_rule):
            part.setVisible(has_effort)
        if has_effort:
            possible = self.find_button.isEnabled() and self._task is None
            running = self.session.is_growing(Changes(proposals=True))
            self.effort.show_effort(efforts, possible=possible, ran=self._ran, running=running)

    def _arrange(self) -> None:
        """The queue again after a change; the proposal on show stays, or the one that moved into its place is shown."""
        row = self.list.currentIndex().row()
        selection = {proposal.id for proposal in self.selection()}
        rows = review_order(self._all, self._filter, self._other_models)
        self.queue.show(rows, self._filter.group)
        waiting = sum(1 for proposal in self._all if proposal.status == "pending")
        self.count.setText(f"{waiting} left of {len(self._all)}" if self._all else "Queue")
        if self._asked_for_agreement:
            self._fill_agreement()
        if not rows:
            self._on_show = None
            self._show_nothing()
            return
        keep = next((at for at, proposal in enumerate(rows) if proposal.id == self._on_show), None)
        self._go_to(keep if keep is not None else min(max(row, 0), len(rows) - 1))
        if keep is not None and len(selection) > 1:
            for at, proposal in enumerate(rows):
                if proposal.id in selection:
                    self.list.selectionModel().select(self.queue.index(at), QItemSelectionModel.SelectionFlag.Select)

    def _go_to(self, row: int) -> None:
        index = self.queue.index(row)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.list.scrollTo(index)
        self._show_row(row)

    def _show_row(self, row: int) -> None:
        if not 0 <= row < len(self.queue.rows):
            return
        proposal = self.queue.rows[row]
        bench = self.session.workbench
        if bench is None:
            return
        quote = proposal.quote
        if self._page is None or self._page.id != quote.page_id:
            self._page = self.session.do(lambda bench: bench.documents.page(quote.document, quote.page))
            if self._page is None:
                return
        if not self._asked_for_agreement:
            self.stack.setCurrentWidget(self.candidate)
        is_new = proposal.id != self._on_show
        self._on_show = proposal.id
        # New proposals arrive while a span is edited; the edit stays what it is.
        if is_new or not (self.quote_view.editing or self.quote_view.is_changed()):
            self._show(proposal, self._page)
        self._count_selected()
        if is_new:
            self.selected.emit(proposal)

    def _show(self, proposal: Proposal, page: Page) -> None:
        hypothesis = next((h for h in self._hypotheses if h.id == proposal.hypothesis), None)
        text = " ".join(hypothesis.text.split()) if hypothesis else ""
        self.hypothesis_label.setText(f"{proposal.hypothesis}  {_shortened(text, 240)}")
        self.hypothesis_label.setToolTip(tooltip(text))
        self.quote_view.show_stretch(
            Stretch.of(page.text, proposal.quote.start, proposal.quote.end),
            "neutral" if is_hidden(proposal) else proposal.verdict.label,
        )
        where = [proposal.name, f"page {page.label or page.number}"]
        if proposal.status != "pending":
            where.append(f"already {proposal.status}")
        self.origin_label.setText(" · ".join(where))
        self.retrieval_label.setText(" · ".join(_retrieval_words(proposal)))
        self.verdicts.setVisible(not is_hidden(proposal))
        self.hidden_label.setVisible(is_hidden(proposal))
        self.hidden_label.setText(
            "Blind rating: the model's verdict is shown when you have decided."
            if proposal.blind
            else "The model is not sure enough of this passage: read it and rate it yourself."
        )
        self.sure_label.setVisible(proposal.withheld and not proposal.blind)
        self.sure_label.setText(self.verdict_line.sure.accessibleDescription())
        if not is_hidden(proposal):
            self.verdicts.show_readings(self._readings(proposal))
        warnings = self._warnings(proposal, page)
        self.warning_label.setText("\n".join(warnings))
        self.warning_label.setVisible(bool(warnings))
        self._show_others(proposal)
        self.area.verticalScrollBar().setValue(0)

    def _readings(self, proposal: Proposal) -> list[Reading]:
        """What each model says of it, that of its own verdict first."""
        several = bool(proposal.others)
        words = [("Judge", proposal.verdict, proposal.explanation)]
        words += [(other.role.capitalize(), other.verdict, other.explanation) for other in proposal.others]
        readings = []
        for role, verdict, explanation in words:
            name, figure, summary = self._model(verdict.model)
            fit = self._fits.get(verdict.model)
            here = in_this_case(fit, verdict.probabilities) if fit is not None else None
            who = f"{role}: {name}" if several else name
            readings.append(Reading(who, figure, verdict, explanation, here, fit.n if fit is not None else 0, summary))
        return readings

    def _model(self, fingerprint: str) -> tuple[str, str, str]:
        """A model's name, what it reached in its exam, and everything that was measured of it."""
        if fingerprint not in self._models:
            card = self.session.do(lambda bench: bench.verdicts.model_card(fingerprint))
            if card is None:
                return fingerprint, "", ""
            self._models[fingerprint] = (card.name, exam_words(card), card.summary)
        return self._models[fingerprint]

    def _warnings(self, proposal: Proposal, page: Page) -> list[str]:
        warnings = []
        if proposal.disputed and not is_hidden(proposal):
            warnings.append("The two readers disagree (≠): read the passage. Nothing is suggested for it.")
        elif proposal.id in self._reasons and not is_hidden(proposal):
            warnings.append(f"Worth a second reading: {self._reasons[proposal.id]}.")
        if of_other_model(proposal, self._other_models):
            words = self._other_models[proposal.verdict.model]
            warnings.append(f"Judged {words}. Shift+J has it judged again.")
        if proposal.possible_duplicate:
            warnings.append(f"Nearly the same as {proposal.possible_duplicate}.")
        if page.hidden_spans:
            warnings.append("This page also holds text that a reader would not see; it was not judged.")
        if page.source == "layer":
            warnings.append(f"The words are from the {LAYER}: check them on the page.")
        if page.source == "ocr" and page.confidence is not None:
            warnings.append(
                f"The words were read by OCR (confidence {two_digits(page.confidence)}): check them on the page."
            )
        return warnings

    def _show_others(self, proposal: Proposal) -> None:
        while (item := self.others.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        by_hypothesis = {other.hypothesis: other for other in self._by_chunk.get(proposal.chunk, ())}
        others = [hypothesis.id for hypothesis in self._hypotheses if hypothesis.id != proposal.hypothesis]
        for identity in others:
            other = by_hypothesis.get(identity)
            label = QLabel()
            label.setTextFormat(Qt.TextFormat.PlainText)
            if other is not None and is_hidden(other):
                label.setText(f"{identity} hidden")
                label.setProperty("role", "muted")
            elif other is None:
                label.setText(f"{identity} –")
                label.setProperty("role", "muted")
                label.setAccessibleName(f"{identity}: not judged")
            else:
                label.setText(f"{identity} {other.verdict.label} {two_digits(probability_of(other.verdict))}")
                label.setProperty("tone", other.verdict.label)
            self.others.addWidget(label)
        self.others_heading.setVisible(bool(others))

    def _count_selected(self) -> None:
        count = len(self.list.selectionModel().selectedRows())
        row = self.list.currentIndex().row()
        if count > 1:
            self.place_label.setText(f"{count} selected")
        else:
            self.place_label.setText(f"{row + 1} of {len(self.queue.rows)}" if row >= 0 else "")

    def _show_nothing(self) -> None:
        """What to do next, while there is nothing to decide."""
        bench = self.session.workbench
        if not self._asked_for_agreement:
            self.stack.setCurrentWidget(self.empty)
        self.selected.emit(None)
        if bench is None:
            self._next = ("", "", lambda: None)
        elif not self._hypotheses:
            self._next = (
                "Write at least two rival hypotheses; then passages can be found for and against each.",
                "Write hypotheses",
                lambda: self.go.emit("Hypotheses"),
            )
        elif not self._all:
            missing = bench.review.judge_missing()
            self._next = (
                missing or "Look through the documents for passages that speak for or against each hypothesis.",
                "Search by hand" if missing else "Find evidence",
                (lambda: self.go.emit("Viewer")) if missing else self._open_finder,
            )
        elif self._filter == Filter(group=self._filter.group):
            self._next = (
                f"All {len(self._all)} proposals are decided. The matrix shows what they add up to.",
                "Open the matrix",
                lambda: self.go.emit("Matrix"),
            )
        else:
            self._next = (
                "No proposal matches this filter."
                if not self._filter.only
                else f"None of the selected ones ({self._filter.words}) matches this filter.",
                "Show everything pending",
                self._clear_filter,
            )
        self.empty.say(self._next[0])
        self.empty.button.setText(self._next[1])
        self.empty.button.setVisible(bool(self._next[1]))
        self.place_label.setText("")

    def _empty_pressed(self) -> None:
        self._next[2]()

    def _clear_filter(self) -> None:
        self._filter = Filter(group=self._filter.group)
        self._set_combos()
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.list.setFocus()  # else the first filter gets the keys, and arrows would change it
        if self.current() is not None:
            self.selected.emit(self.current())

    def current_item(self) -> object:
        """The proposal in the middle."""
        return None if self.stack.currentWidget() is self.empty else self.current()

    # --- filter ------------------------------------------------------------------------------------------------------

    def _filter_changed(self) -> None:
        self._filter = Filter(
            self.hypothesis_filter.currentData() or "",
            self.verdict_filter.currentData() or "",
            self.status_filter.currentData() or "",
            self.group_choice.currentData() or "verdict",
        )
        self._leave_agreement()

    def pick_hypothesis(self, at: int) -> None:
        """Show only the proposals of hypothesis number ``at``; 0 shows all."""
        if at <= len(self._hypotheses):
            self.hypothesis_filter.setCurrentIndex(at)
            self._filter_changed()
            self.list.setFocus()

    # --- deciding ----------------------------------------------------------------------------------------------------

    def current(self) -> Proposal | None:
        """The proposal in the middle."""
        row = self.list.currentIndex().row()
        return self.queue.rows[row] if 0 <= row < len(self.queue.rows) else None

    def selection(self) -> list[Proposal]:
        """What a decision is about: everything picked in the queue that is not decided that way yet."""
        rows = sorted(index.row() for index in self.list.selectionModel().selectedRows())
        if not rows:
            current = self.current()
            return [current] if current is not None else []
        return [self.queue.rows[row] for row in rows if row < len(self.queue.rows)]

    def accept(self, *, rate: bool = False) -> None:
        """Take the chosen quotes into the matrix; with ``rate`` the model's rating is kept as a suggestion."""
        selection = self.selection()
        if len(selection) == 1 and self.quote_view.is_changed():
            self._take_own_span(*self.quote_view.span())
            return
        self._last = lambda: self.accept(rate=rate)
        self._accept([proposal.id for proposal in selection if proposal.status != "accepted"], rate=rate)

    def accept_and_rate(self) -> None:
        """Ask for the rating of what is chosen, in place; the answer accepts and rates it."""
        self._to_rate = [proposal for proposal in self.selection() if proposal.status != "accepted"]
        if not self._to_rate or self.session.read_only:
            return
        one = self._to_rate[0]
        if len(self._to_rate) > 1:
            self.ask.ask(f"{len(self._to_rate)} quotes", None, by_itself=True)
            return
        hint = None if is_hidden(one) or one.disputed else rating_for(one.verdict.label)
        self.ask.ask(f"this quote for {one.hypothesis}", hint)

    def _accept_rated(self, entry: str) -> None:
        """Accept what was asked about, with the rating typed; '' takes what the model suggests for each."""
        self.list.setFocus()
        to_rate = {proposal.id: proposal for proposal in self._to_rate}
        if not to_rate:
            return
        self._last = self.accept_and_rate

        def take(bench: Workbench) -> tuple[Accepted, Changes]:
            acceptance = bench.review.accept(list(to_rate), rate=True)
            cells: dict[tuple[str, str], Rating] = {}
            for evidence, proposal in acceptance.pairs:
                one = to_rate[proposal]
                hint = None if is_hidden(one) or one.disputed else rating_for(one.verdict.label)
                rating = entry or hint
                if rating:
                    cells[(evidence, one.hypothesis)] = cast("Rating", rating)
            return acceptance, bench.evidence.rate_many(
                [(*cell, rating) for cell, rating in cells.items()]
            ) if cells else Changes()

        result = self.session.do(take)
        if result is None:
            return
        acceptance, changes = result
        self.session.changed.emit(acceptance.changes | changes, self)
        evidence = list(dict.fromkeys(pair[0] for pair in acceptance.pairs))
        if len(evidence) == 1:
            rating = entry or next((one.rating for one in self._ratings_of(evidence[0])), "")
            sentence = "Accepted as {id} and rated {rating}; U undoes the rating, then the quote"
            if not rating:
                sentence = "Accepted as {id}; U undoes it"
            self.session.decided.emit(sentence.format(id=evidence[0], rating=rating))
        else:
            self.session.tell(f"Accepted as {len(evidence)} pieces of evidence", undo=True)

    def _ratings_of(self, evidence: str) -> Sequence[Assessment]:
        """What people say of evidence, the newest first."""
        read = self.session.do(lambda bench: bench.evidence.ratings_of(evidence))
        return sorted(read[0], key=lambda one: one.at, reverse=True) if read is not None else ()

    def _accept(self, ids: Sequence[str], *, rate: bool) -> None:
        if not ids:
            return
        acceptance = self.session.do(lambda bench: bench.review.accept(list(ids), rate=rate), initiator=self)
        if acceptance is None:
            return
        evidence = list(dict.fromkeys(pair[0] for pair in acceptance.pairs))
        if len(ids) == 1:
            # No toast: it would lie over the buttons at every decision, and U is beside them.
            self.session.decided.emit(f"Accepted as {evidence[0]}; U undoes it")
        else:
            self.session.tell(f"Accepted as {len(evidence)} pieces of evidence", undo=True)

    def reject(self) -> None:
        self._last = self.reject
        self._reject([proposal.id for proposal in self.selection() if proposal.status == "pending"])

    def _reject(self, ids: Sequence[str]) -> None:
        if not ids or self.session.do(lambda bench: bench.review.reject(list(ids)), initiator=self) is None:
            return
        if len(ids) == 1:
            self.session.decided.emit(f"Rejected {ids[0]}; U undoes it")
        else:
            self.session.tell(f"Rejected {len(ids)} proposals", undo=True)

    def _decide_all(self, what: str) -> None:
        ids = [proposal.id for proposal in self.queue.rows if proposal.status == "pending"]
        if what == "accept":
            self._accept(ids, rate=False)
        else:
            self._reject(ids)

    def skip(self) -> None:
        """Leave this one for later: the next is shown, after the last the first."""
        self._last = self.skip
        count = len(self.queue.rows)
        if count:
            self._go_to((self.list.currentIndex().row() + 1) % count)

    def step(self, way: int) -> None:
        row = self.list.currentIndex().row() + way
        if 0 <= row < len(self.queue.rows):
            self._go_to(row)

    def repeat(self) -> None:
        """Do to this proposal what was done to the last one."""
        if self._last is None:
            self.session.status.emit("Nothing to repeat yet.")
        else:
            self._last()

    def open_page(self) -> None:
        """The page itself, with the quote on it."""
        proposal = self.current()
        if proposal is not None:
            quote = proposal.quote
            self.show_source.emit(quote.document, quote.page, quote.start, quote.end)

    def edit_span(self) -> None:
        proposal = self.current()
        if proposal is not None and proposal.status == "pending":
            self.quote_view.begin_editing()

    def _take_own_span(self, start: int, end: int) -> None:
        """The quote with the person's own borders becomes evidence; the proposal it came from is set aside."""
        proposal = self.current()
        if proposal is None:
            return
        quote = proposal.quote
        if (start, end) == (quote.start, quote.end):
            self.list.setFocus()
            self._accept([proposal.id], rate=False)
            return

        def take(bench: Workbench) -> OwnSpan:
            evidence: Added = bench.evidence.add_quote(quote.document, quote.page, start, end)
            return OwnSpan(evidence.id, evidence.changes | bench.review.reject([proposal.id]))

        own_span = self.session.do(take, initiator=self)
        self.list.setFocus()
        if own_span is not None:
            current = self.current()
            if current is not None and self._page is not None and current.id == proposal.id:
                self._show(current, self._page)  # still listed: with its own span again
            self.session.tell(f"{own_span.id} added with your own span; {proposal.id} is set aside")

    # --- verdicts read again, and held against ratings ---------------------------------------------------------------

    def _tell_verdicts(self, bench: Workbench) -> None:
        """What there is to do about verdicts, in one line, as soon as there are some."""
        for part in (self.verdict_line, self.verdict_rule):
            part.setVisible(bool(self._all))
        if not self._all:
            return
        strict = bench.case.settings().strict
        visible = [proposal for proposal in self._all if not is_hidden(proposal)]
        self.verdict_line.tell(
            other=sum(of_other_model(proposal, self._other_models) for proposal in self._all),
            close=len(self._reasons),
            disputes=sum(proposal.disputed for proposal in visible),
            abstentions=sum(proposal.withheld for proposal in self._all),
            strict=strict,
            sure=self._sure_words(bench),
            reader=bench.engines.second_reader is not None,
            free=self._task is None and not bench.case.read_only,
        )
        self.verdict_line.sure.setEnabled(not bench.case.read_only)

    def _sure_words(self, bench: Workbench) -> str:
        """Which verdicts a strict case shows, of the model that judged last."""
        sure = bench.verdicts.show_thresholds(self._all[-1].verdict.model)
        if not sure:
            return "Nobody has measured from which probability on this model is right, so none would be shown."
        return "\n".join(row.sentence() for row in sure)

    def _set_strict(self, strict: bool) -> None:
        self.session.do(lambda bench: bench.case.change_settings(strict=strict))

    def _fits_of(self, bench: Workbench) -> dict[str, Fit]:
        """What each model's probabilities would be in this case, where a fit helps; of very large cases it is told on
        the page of the agreement alone.
        """
        if len(bench.evidence.all()) > MAX_FIT_ROWS:
            return {}
        return {one.model: one.fit for one in bench.review.agreements() if one.fit is not None and one.fit.helps}

    def read_again(self) -> None:
        """Have the second reader judge the close and the decisive verdicts, beside the work."""
        bench = self.session.workbench
        if bench is None or self._task is not None:
            return
        if bench.engines.second_reader is None:
            self.session.status.emit("No model has the role of the second reader: give one that role first.")
            return
        self._open_finder()
        self._run("Reading again", lambda bench, progress: bench.review.read_again(progress=progress), self._read)

    def judge_again(self) -> None:
        """Let the current judge judge undecided proposals with another model's verdict, beside the work."""
        if self._task is None and any(of_other_model(proposal, self._other_models) for proposal in self._all):
            self._open_finder()
            self._run(
                "Judging again",
                lambda bench, progress: bench.review.judge_again(progress=progress),
                self._read,
            )

    def _read(self, report: ReadAgain) -> None:
        sentence = (
            f"{len(report.proposals)} verdicts read again in {report.seconds:.0f} s; "
            f"{report.disputed} came out differently."
        )
        self.finder_note.setText("\n".join((sentence, *report.notes)))
        self.finder_note.show()
        if not report.notes:
            self.finder.hide()
            self.list.setFocus()
        self.session.status.emit(sentence)

    def show_agreement(self) -> None:
        """How far the person's ratings and the verdicts agree, in the place of the proposal."""
        if self.session.workbench is not None:
            self._asked_for_agreement = True
            self._fill_agreement()
            self.stack.setCurrentWidget(self.agreement)
            self.agreement.table.setFocus()

    def _fill_agreement(self) -> None:
        agreements = self.session.do(lambda bench: bench.review.agreements())
        if agreements is not None:
            self.agreement.show_agreements(agreements, {one.model: self._model(one.model)[0] for one in agreements})

    def _leave_agreement(self) -> None:
        self._asked_for_agreement = False
        self._arrange()
        self.list.setFocus()

    def _pick_out(self, proposals: Sequence[str], words: str) -> None:
        """Show these proposals alone, whatever became of them."""
        self._filter = Filter(status="", group=self._filter.group, only=frozenset(proposals), words=words)
        self._set_combos()
        self._leave_agreement()
        self.session.status.emit(f"{len(self.queue.rows)} proposals: {words}. Any filter shows the others again.")

    # --- finding -----------------------------------------------------------------------------------------------------

    def toggle_finder(self) -> None:
        if self.finder.isVisible():
            self.finder.hide()
            self.list.setFocus()
        else:
            self._open_finder()

    def _open_finder(self) -> None:
        self.finder.show()
        (self.find_button if self.find_button.isEnabled() else self.passages).setFocus()

    def find_evidence(self) -> None:
        """Search, judge and propose for the ticked hypotheses, beside the work; proposals appear as they come."""
        hypotheses = [str(check.property("hypothesis")) for check in self.finder_checks if check.isChecked()]
        if not hypotheses or self._task is not None:
            return
        passages, similarity = self.passages.value(), self.similarity.value()
        self._run(
            "Finding evidence",
            lambda bench, progress: bench.review.propose(
                hypotheses, passages=passages, min_similarity=similarity, progress=progress
            ),
        )

    def even_out(self, hypotheses: Sequence[str]) -> None:
        """Look at more passages for those that had fewer looked at, beside the work."""
        if self._task is None and self.find_button.isEnabled():
            behind = list(hypotheses)
            self._open_finder()
            self._run(
                "Balancing the effort",
                lambda bench, progress: bench.review.balance_effort(behind, progress=progress),
            )

    def _run(
        self,
        title: str,
        verb: Callable[[Workbench, Progress], Any],
        on_done: Callable[[Any], None] | None = None,
    ) -> None:
        task = self.session.run(
            title,
            verb,
            done=on_done or self._report_proposals,
            initiator=self,
            partial=Changes(proposals=True),
        )
        if task is None:
            return
        self._task = task
        if self.session.workbench is not None:
            self._tell_verdicts(self.session.workbench)
        self._change_places(self.find_button, self.stop_button)
        self.finder_note.setText("Waiting for its turn …")
        self.finder_note.show()
        task.progressed.connect(self._tell_progress)
        task.ended.connect(self._finding_ended)

    @staticmethod
    def _change_places(leaving: QPushButton, instead: QPushButton) -> None:
        """One button in the place of another, with its focus: Qt would give that to whatever comes next."""
        has_focus = leaving.hasFocus()
        instead.show()
        if has_focus:
            instead.setFocus()
        leaving.hide()

    def cancel(self) -> None:
        """Stop the search; what was judged is kept."""
        if self._task is not None:
            self.session.tasks.cancel(self._task)
            self.finder_note.setText("Stopping …")

    def _tell_progress(self) -> None:
        task = self._task
        if task is not None and not task.stopping:
            self.finder_note.setText(f"{task.what}: {task.count} of {task.total}" if task.total else task.what)

    def _finding_ended(self) -> None:
        if self._task is not None and self._task.state != "done":
            self.finder_note.setText("")
            self.finder_note.hide()
        self._task = None
        if self.session.workbench is not None:
            self._tell_verdicts(self.session.workbench)
        self._change_places(self.stop_button, self.find_button)

    def _report_proposals(self, report: ProposeReport) -> None:
        count = len(report.proposals)
        sentence = f"{count} proposals from {report.passages_judged} verdicts in {report.seconds:.0f} s."
        self._ran = report.effort
        # Below it stands what was looked at, unless there is a warning in its place.
        behind = any(effort.uneven for effort in self.effort.efforts)
        self.finder_note.setText("\n".join(part for part in (sentence, report.effort * behind, *report.notes) if part))
        if self.session.workbench is not None:
            self._show_effort(self.session.workbench)  # with what was run
        self.finder_note.show()
        if report.proposals and not report.notes:
            self.finder.hide()
            self.list.setFocus()
        self.session.status.emit(sentence)

    # --- back and forward --------------------------------------------------------------------------------------------

    def state(self) -> Any:
        return (self._filter, self._on_show)

    def restore(self, state: Any) -> None:
        if state is not None:
            self._filter, self._on_show = state
            self._set_combos()
            self._arrange()


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def _retrieval_words(proposal: Proposal) -> list[str]:
    """How the search came to this passage: nearness, and its rank by meaning and by words."""
    words = []
    if proposal.similarity is not None:
        words.append(f"similarity {short(proposal.similarity)}")
    words.append(f"by meaning {_rank(proposal.vector_rank)}")
    words.append(f"by words {_rank(proposal.lexical_rank)}")
    return words


def _rank(rank: int | None) -> str:
    return "not found" if rank is None else f"rank {rank}"
