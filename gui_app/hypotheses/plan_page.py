"""The searches of each hypothesis: planned from two sides, reworded by the analyst, run, and compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QStackedWidget, QWidget

from core.domain import ROLES, Changes, Hypothesis, PlanQuery, Searched
from gui_app.hypotheses.considerations_page import AboutChoice
from gui_app.hypotheses.elusion_page import ElusionSample
from gui_app.hypotheses.plan_table import PlanTable
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.effort_meter import SHOWN, EffortMeter
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.labels import line, plain, tooltip
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.plan_model import PlanRow, plan_rows, role_words, side_of

if TYPE_CHECKING:
    from core.plans.service import Effort
    from core.review.judging import ProposeReport
    from core.workbench import Workbench
    from gui_app.tasks import Task


class SearchesPage(QWidget):
    """The plans as one table grouped by hypothesis, the effort below it, and the sample of what was missed."""

    show_source = Signal(str, int, int, int)
    go = Signal(str)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.hypotheses: list[Hypothesis] = []
        self._writable = True
        self._ran = 0  # searches that had been run when the rows were made
        self._task: Task | None = None
        self.setAccessibleName("Searches of each hypothesis")
        outer = vbox(self)
        self.turns = QStackedWidget()
        outer.addWidget(self.turns)
        self.plans = QWidget()
        self.turns.addWidget(self.plans)
        self.sample = ElusionSample(session)
        self.sample.show_source.connect(self.show_source)
        self.sample.closed.connect(self.show_plans)
        self.turns.addWidget(self.sample)
        column = vbox(self.plans, spacing=0)
        intro = plain(
            (
                "Half of the effort goes to what would speak against a hypothesis: if you look only for what fits, you "
                "will find it, true or not."
            ),
            "muted",
            wrap=True,
        )
        intro.setContentsMargins(24, 12, 24, 0)
        self.intro = intro
        column.addWidget(intro)
        column.addWidget(self._entry())
        column.addLayout(self._buttons())
        self.note = plain("", "small", wrap=True)
        self.note.setContentsMargins(24, 0, 24, 8)
        self.note.hide()
        column.addWidget(self.note)
        column.addWidget(line())

        self.table = PlanTable(self.session)
        self.model = self.table.plan
        self.model.edited.connect(self._edit)
        self.table.on_open = self.edit_current
        self.table.selectionModel().currentRowChanged.connect(lambda _now, _before: self._row_changed())
        self.empty = EmptyState("search", "", "Plan searches", self._empty_pressed)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.empty)
        column.addWidget(self.pages, 1)
        self.meter_line = line()
        column.addWidget(self.meter_line)
        self.meter = EffortMeter()
        self.meter.even_out.connect(self.even_out)
        column.addWidget(self.meter)
        self.setFocusProxy(self.table)
        session.changed.connect(self._changed)

    def _entry(self) -> QWidget:
        entry = QWidget()
        row = hbox(entry, margins=(24, 8, 24, 8), spacing=8)
        self.about = AboutChoice("Hypothesis of the new search")
        row.addWidget(self.about)
        self.role = QComboBox()
        for role in ROLES:
            words = role_words(role)
            self.role.addItem(f"{side_of(role)}: {words[:1].lower()}{words[1:]}", role)
            self.role.setItemData(self.role.count() - 1, tooltip(ROLES[role]), Qt.ItemDataRole.ToolTipRole)
        self.role.setCurrentIndex(max(0, self.role.findData("if false")))
        self.role.setAccessibleName("What the new search looks for")
        self.role.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.role.setMinimumContentsLength(16)
        row.addWidget(self.role, 2)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Words to look for")
        self.field.setAccessibleName("Words of the new search")
        self.field.returnPressed.connect(self.add)
        self.field.textChanged.connect(lambda _text: self._allow())
        row.addWidget(self.field, 3)
        self.add_button = QPushButton("Add search")
        self.add_button.clicked.connect(lambda _on=False: self.add())
        row.addWidget(self.add_button)
        return entry

    def _buttons(self) -> FlowLayout:
        row = FlowLayout(gap=8)
        row.setContentsMargins(24, 0, 24, 12)
        self.plan_button = QPushButton("Plan searches")
        self.plan_button.clicked.connect(lambda _on=False: self.make_plans())
        self.word_button = QPushButton("Have a model draft them")
        self.word_button.clicked.connect(lambda _on=False: self.word_plans())
        self.word_button.hide()
        self.find_button = QPushButton("Find evidence with these")
        self.find_button.setProperty("kind", "primary")
        self.find_button.clicked.connect(lambda _on=False: self.find_evidence())
        self.stop_button = QPushButton("Cancel")
        self.stop_button.clicked.connect(lambda _on=False: self.cancel())
        self.stop_button.hide()
        self.missed_button = QPushButton("How much was missed?")
        self.missed_button.clicked.connect(lambda _on=False: self.show_missed())
        self.review_button = QPushButton("Review what was found")
        self.review_button.setProperty("kind", "quiet")
        self.review_button.clicked.connect(lambda _on=False: self.go.emit("Review"))
        self.review_button.hide()
        for button in (
            *(self.plan_button, self.word_button, self.find_button),
            *(self.stop_button, self.missed_button, self.review_button),
        ):
            button.setAccessibleName(button.text())
            row.addWidget(button)
        return row

    # --- showing -----------------------------------------------------------------------------------------------------

    def show_rows(
        self,
        hypotheses: Sequence[Hypothesis],
        plan: Sequence[PlanQuery],
        searches: Sequence[Searched],
        efforts: Sequence[Effort],
        *,
        writable: bool,
    ) -> None:
        """Show what is planned, what was run and what came of it; the selected row stays selected."""
        self.hypotheses = list(hypotheses)
        self._ran = len(searches)
        self._writable = writable
        self.model.writable = writable
        self.about.show_hypotheses(hypotheses)
        self.table.show_rows(plan_rows(hypotheses, plan, searches))
        self.pages.setCurrentIndex(0 if plan else 1)
        self.plan_button.setVisible(bool(plan))
        self.find_button.setVisible(bool(plan) and self._task is None)
        self.missed_button.setVisible(bool(plan) or any(effort.passages for effort in efforts))
        self._show_effort(efforts)
        self._allow()
        self.table.fit_rows()
        if self.sample.hypothesis and not any(h.id == self.sample.hypothesis for h in hypotheses):
            self.show_plans()

    def out_of_date(self) -> bool:
        """Return whether searches were run since the rows were made."""
        ran = self.session.do(lambda bench: bench.plans.runs())
        return ran is not None and len(ran) != self._ran

    def _show_effort(self, efforts: Sequence[Effort]) -> None:
        has_effort = any(effort.passages or effort.searches_for for effort in efforts)
        for part in (self.meter, self.meter_line):
            part.setVisible(has_effort)
        texts = {h.id: h.text for h in self.hypotheses}
        running = self.session.is_growing(Changes(proposals=True))
        self.meter.show_effort(efforts, texts, possible=self._possible(), running=running)
        self.missed_button.setEnabled(bool(self.hypotheses))

    def _missing(self) -> str:
        """Return why evidence cannot be found now; '' where it can."""
        bench = self.session.workbench
        if bench is None or not self._writable:
            return "This case is open for viewing only."
        return bench.review.judge_missing()

    def _possible(self) -> bool:
        return not self._missing() and self._task is None

    def _allow(self) -> None:
        missing = self._missing()
        has_hypotheses = bool(self.hypotheses)
        for part in (self.field, self.role, self.about):
            part.setEnabled(self._writable and has_hypotheses)
        self.add_button.setEnabled(self._writable and has_hypotheses and bool(self.field.text().strip()))
        self.plan_button.setEnabled(self._writable and has_hypotheses)
        self.find_button.setEnabled(has_hypotheses and self._possible())
        self.find_button.setToolTip(
            missing or "Run every plan, as many passages for each hypothesis, and have them judged"
        )
        if not has_hypotheses:
            self.empty.say("Write at least two rival hypotheses; then searches can be planned for each.")
            self.empty.button.setText("Write hypotheses")
        else:
            self.empty.say("No search is planned yet: plan what to look for on both sides of each hypothesis.")
            self.empty.button.setText("Plan searches")
        self.empty.button.setEnabled(self._writable)
        words = self.can_word()
        self.word_button.setVisible(words and has_hypotheses)
        self.word_button.setEnabled(words and has_hypotheses and self._writable and self._task is None)
        self._name_plan_button()

    def _name_plan_button(self) -> None:
        without = self.without_plan()
        row = self.current()
        if without or row is None:
            self.plan_button.setText("Plan searches")
            tip = "Plan the searches of every hypothesis that has none"
        else:
            self.plan_button.setText(f"Plan {row.hypothesis.id} again")
            tip = "Rebuild its searches from what is in the case now; your own stay"
        self.plan_button.setAccessibleName(self.plan_button.text())
        self.plan_button.setToolTip(tip)
        targets = self._to_plan()
        singular = "Have a model draft {id}"
        self.word_button.setText(singular.format(id=targets[0]) if len(targets) == 1 else "Have a model draft them")
        self.word_button.setAccessibleName(self.word_button.text())
        self.word_button.setToolTip(
            "Your drafting model writes what documents would say for a hypothesis and against it, as much on either "
            "side. A draft is a search, never evidence; your own searches stay"
        )

    def _row_changed(self) -> None:
        row = self.current()
        if row is not None:
            self.about.choose(row.hypothesis.id)
        self._name_plan_button()

    def without_plan(self) -> list[str]:
        """List the hypotheses for which nothing is planned."""
        return [row.hypothesis.id for row in self.model.rows if row.query is None and not row.searches]

    def current(self) -> PlanRow | None:
        """Return the selected row."""
        return self.table.current()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for the searches: the introduction goes first."""
        super().resizeEvent(event)
        self.table.fit_columns(narrow=self.width() < theme.px(900))
        low = self.height() <= theme.px(620)
        self.intro.setHidden(low)  # where there is little room, the searches have it
        self.meter.rows_shown = 4 if low else SHOWN
        QTimer.singleShot(0, self, self.table.fit_rows)  # when the columns have their widths

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the rows once the columns have their widths."""
        super().showEvent(event)
        QTimer.singleShot(0, self, self.table.fit_rows)

    def _changed(self, changes: Changes, _initiator: object) -> None:
        """Have the meter alone follow proposals that come in while a search runs: an editor stays open."""
        if changes.proposals and not changes.hypotheses and self.isVisible():
            efforts = self.session.do(lambda bench: bench.plans.effort())
            if efforts is not None:
                self._show_effort(efforts)

    # --- the plan ----------------------------------------------------------------------------------------------------

    def _empty_pressed(self) -> None:
        if self.hypotheses:
            self.make_plans()
        else:
            self.go.emit("")

    def _to_plan(self) -> list[str]:
        """List all hypotheses without a plan; where each has one, the selected hypothesis."""
        row = self.current()
        return self.without_plan() or ([row.hypothesis.id] if row else [])

    def can_word(self) -> bool:
        """Return whether the person gave a model the role of writing drafts."""
        bench = self.session.workbench
        return bench is not None and bench.engines.text_model is not None

    def word_plans(self) -> None:
        """Plan again, with searches that a model words."""
        targets = self._to_plan()
        if not targets or not self._writable or not self.can_word() or self._task is not None:
            return
        self._start(
            self.session.run(
                "Drafting searches",
                lambda bench, progress: bench.drafts.plans(targets, progress),
                done=lambda _changes: self._tell_drafts(targets),
                initiator=self,
            )
        )

    def _tell_drafts(self, targets: Sequence[str]) -> None:
        self._task = None
        self._say("")
        plan = self.session.do(lambda bench: bench.plans.get()) or []
        with_draft = {query.hypothesis for query in plan if query.origin not in ("template", "analyst")}
        without_draft = [hypothesis for hypothesis in targets if hypothesis not in with_draft]
        if without_draft:
            self.session.tell(
                "No usable draft came for {}: its searches stay templates".format(", ".join(without_draft)), undo=True
            )
        else:
            self.session.tell("Searches drafted for {}".format(", ".join(targets)), undo=True)

    def make_plans(self) -> None:
        """Plan for all without a plan; where each has one, again for the selected hypothesis."""
        if not self._writable or not self.hypotheses:
            return
        targets = self._to_plan()
        if not targets or self.session.do(lambda bench: bench.plans.make(targets), initiator=self) is None:
            return
        self.session.tell("Searches planned for {}".format(", ".join(targets)), undo=True)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def begin(self) -> None:
        """Make ready to write a search of one's own."""
        self.show_plans()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def add(self) -> None:
        """Add the search in the field to the plan of a hypothesis."""
        text = " ".join(self.field.text().split())
        hypothesis, role = self.about.chosen(), str(self.role.currentData())
        if not text or not hypothesis or not self._writable:
            return
        query = self.session.do(lambda bench: _add(bench, hypothesis, role, text), initiator=self)
        if query is None:
            return  # what was typed stays in the field
        self.session.changed.emit(Changes(hypotheses=True), self)
        self.field.clear()
        self.table.take(query.id)
        self.session.tell(f"Search added to the plan of {hypothesis}", undo=True)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def edit_current(self) -> None:
        """Edit the words of the selected search."""
        row = self.current()
        if row is not None and row.query is not None and self._writable:
            self.table.edit_words()

    def _edit(self, query: str, words: str) -> None:
        row = self.table.currentIndex().row()
        if self.session.do(lambda bench: bench.plans.edit(query, words), initiator=self) is None:
            # Refused: open the editor again with what was typed, so that nothing is lost.
            QTimer.singleShot(0, self, lambda: self.table.edit_again(row, words))

    def remove(self) -> None:
        """Remove the selected searches."""
        ids = [query.id for query in self.table.chosen()]
        if not ids or not self._writable:
            return
        if self.session.do(lambda bench: bench.plans.remove(*ids), initiator=self) is not None:
            message = "Search removed" if len(ids) == 1 else f"{len(ids)} searches removed"
            self.session.tell(message, undo=True)

    # --- running -----------------------------------------------------------------------------------------------------

    def find_evidence(self) -> None:
        """Run every plan, with as many passages for each hypothesis."""
        self._run("Finding evidence", None)

    def even_out(self, hypotheses: Sequence[str]) -> None:
        """Search more passages for hypotheses that had fewer."""
        self._run("Balancing the effort", list(hypotheses))

    def _run(self, title: str, behind: list[str] | None) -> None:
        if self._task is not None or not self._possible():
            return
        task = self.session.run(
            title,
            lambda bench, progress: (
                bench.review.propose(progress=progress)
                if behind is None
                else bench.review.balance_effort(behind, progress=progress)
            ),
            done=self._tell_report,
            initiator=self,
            partial=Changes(proposals=True),
            again=lambda: self._run(title, behind),
        )
        self._start(task)

    def _start(self, task: Task | None) -> None:
        """Follow a job of this page until it ends."""
        if task is None:
            return
        self._task = task
        self._say("Waiting for its turn …")
        self.find_button.hide()
        self.stop_button.show()
        self._allow()
        task.progressed.connect(self._tell_progress)
        task.ended.connect(self._finish)

    def cancel(self) -> None:
        """Stop the search; what was judged is kept."""
        if self._task is not None:
            self.session.tasks.cancel(self._task)
            self._say("Stopping …")

    def _tell_progress(self) -> None:
        task = self._task
        if task is not None and not task.stopping:
            self._say(f"{task.what}: {task.count} of {task.total}" if task.total else task.what)

    def _finish(self) -> None:
        if self._task is not None and self._task.state != "done":
            self._say("")
        self._task = None
        self.stop_button.hide()
        self._allow()
        self.session.changed.emit(Changes(hypotheses=True), self)  # what was run is in the table

    def _tell_report(self, report: ProposeReport) -> None:
        self._task = None  # over, though the strip has still to take it down
        self._say("\n".join(words for words in (report.effort, *report.notes) if words))

    def _say(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
        self.review_button.setVisible(bool(text) and self._task is None)

    # --- what was missed ---------------------------------------------------------------------------------------------

    def show_missed(self) -> None:
        """Show a sample of unread passages for the selected hypothesis."""
        row = self.current()
        hypothesis = row.hypothesis if row is not None else (self.hypotheses[0] if self.hypotheses else None)
        if hypothesis is None:
            return
        self.turns.setCurrentWidget(self.sample)
        self.setFocusProxy(self.sample)
        self.sample.begin(hypothesis)
        self.sample.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_plans(self) -> None:
        """Go back from the sample to the plans."""
        self.turns.setCurrentWidget(self.plans)
        self.setFocusProxy(self.table)
        if self.isVisible():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def sampling(self) -> bool:
        """Return whether the sample is on show, and its keys mean what they say there."""
        return self.turns.currentWidget() is self.sample

    def reset(self) -> None:
        """Show nothing of the case before."""
        self._task = None
        self.stop_button.hide()
        self.find_button.show()
        self.field.clear()
        self._say("")
        self.sample.hypothesis = ""
        self.sample.chunks = []
        self.show_plans()
        self.show_rows([], [], [], [], writable=True)


def _add(bench: Workbench, hypothesis: str, role: str, text: str) -> PlanQuery:
    return bench.plans.add(hypothesis, role, text)
