"""The options of a search for evidence, in the page instead of a dialog, and the searches that run from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFrame, QPushButton, QSpinBox, QWidget

from core.domain import Changes, Hypothesis
from gui_app.review.state import ReviewState
from gui_app.session import REST_OF_JUDGING, CaseSession
from gui_app.shared.fields import bare
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import counted
from gui_app.shared.labels import plain, tooltip
from gui_app.shared.layout import hbox, vbox

if TYPE_CHECKING:
    from core.progress import Progress
    from core.review.judging import ProposeReport
    from core.review.service import ReadAgain
    from core.workbench import Workbench
    from gui_app.tasks import Task

PASSAGES = 30


class Finder(QFrame):
    """Finds evidence for the ticked hypotheses and has verdicts judged again, beside the work, one job at a time.

    The widget has the options; ``find_button`` and ``stop_button`` stand where its owner puts them. ``task`` is the job
    under way, ``initiator`` who tells the session of its changes. ``task_changed()`` when one begins or ends,
    ``noted()`` when ``note`` says something else, ``effort_made(sentence)`` when a search came to its end,
    ``new_proposals()`` when there is something new to review.
    """

    task_changed = Signal()
    noted = Signal()
    effort_made = Signal(str)
    new_proposals = Signal()

    def __init__(self, session: CaseSession, *, initiator: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._initiator = initiator
        self._state = ReviewState()
        self.task: Task | None = None
        self.whole_rows = False  # whether each passage is judged for all of the hypotheses
        self.setProperty("kind", "panel")
        self._hypotheses = FlowLayout(gap=16)
        self.checks: list[QCheckBox] = []
        self.everything = QCheckBox("Read every passage")
        self.everything.setToolTip("The best ones first. Otherwise only those that the searches bring are read.")
        self.everything.setChecked(True)
        self.passages = QSpinBox()
        self.passages.setRange(1, 500)
        self.passages.setValue(PASSAGES)
        bare(self.passages, "Passages for each hypothesis")
        self._passages_label = plain("passages for each hypothesis", "muted")
        self.everything.toggled.connect(self._offer_number)
        self.similarity = QDoubleSpinBox()
        self.similarity.setRange(0.0, 0.99)
        self.similarity.setSingleStep(0.05)
        self.similarity.setDecimals(2)
        bare(self.similarity, "Minimum similarity of a passage")
        self.note = plain(role="small", wrap=True)
        self.note.hide()
        self.find_button = QPushButton("Find evidence  F")
        self.find_button.setEnabled(False)  # until the hypotheses are read
        self.find_button.setToolTip("Look through the documents for what speaks for or against each hypothesis  (F)")
        self.find_button.clicked.connect(lambda _on=False: self.find_evidence())
        self.stop_button = QPushButton("Cancel")
        self.stop_button.clicked.connect(lambda _on=False: self.cancel())
        self.stop_button.hide()
        options = FlowLayout(gap=8)
        for widget in (
            self.everything,
            self._passages_label,
            self.passages,
            plain("minimum similarity", "muted"),
            self.similarity,
        ):
            options.addWidget(widget)
        column = vbox(self, margins=(24, 8, 24, 8), spacing=8)
        head = hbox(spacing=16)
        head.addWidget(plain("Find evidence for", "muted"))
        head.addLayout(self._hypotheses, 1)
        column.addLayout(head)
        column.addLayout(options)
        column.addWidget(self.note)
        self._offer_number(True)

    def _offer_number(self, is_everything: bool) -> None:
        """Offer a number of passages where not all of them are read."""
        self._passages_label.setVisible(not is_everything)
        self.passages.setVisible(not is_everything)

    def forget(self) -> None:
        """Clear what belongs to the previous case."""
        self.task = None
        self._note("")

    def show_state(self, state: ReviewState) -> None:
        """Offer the hypotheses of a case, and say why nothing can be found, if so."""
        self._state = state
        self._show_hypotheses(state.hypotheses)
        self.find_button.setEnabled(not state.missing and not state.read_only and bool(state.hypotheses))
        if self.task is None:
            self._note(state.missing or self.note.text())

    def _show_hypotheses(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Show a check box for each; what is ticked stays so, new ones begin ticked."""
        ticks = {str(check.property("hypothesis")): check.isChecked() for check in self.checks}
        if list(ticks) == [hypothesis.id for hypothesis in hypotheses]:
            return
        for check in self.checks:
            self._hypotheses.removeWidget(check)
            check.deleteLater()
        self.checks = []
        for hypothesis in hypotheses:
            check = QCheckBox(hypothesis.id)
            check.setProperty("hypothesis", hypothesis.id)
            check.setAccessibleName(f"{hypothesis.id}: {hypothesis.text[:200]}")
            check.setToolTip(tooltip(hypothesis.text))
            check.setChecked(ticks.get(hypothesis.id, True))
            self._hypotheses.addWidget(check)
            self.checks.append(check)

    # --- jobs --------------------------------------------------------------------------------------------------------

    def find_evidence(self) -> None:
        """Search, judge and propose for the ticked hypotheses; proposals appear as they come."""
        hypotheses = [str(check.property("hypothesis")) for check in self.checks if check.isChecked()]
        if self.task is not None:
            return
        if not self.find_button.isEnabled():
            self._session.status.emit(self._state.missing or "Evidence can’t be found now.")
            return
        if not hypotheses:
            self._session.status.emit("No hypothesis is ticked in Details, so there is nothing to find evidence for.")
            return
        passages = None if self.everything.isChecked() else self.passages.value()
        similarity, rows = self.similarity.value(), self.whole_rows
        self._run(
            "Finding evidence",
            lambda bench, progress: bench.review.propose(
                hypotheses, passages=passages, min_similarity=similarity, rows=rows, progress=progress
            ),
            self._report_search,
        )

    def even_out(self, hypotheses: Sequence[str]) -> None:
        """Search more passages for hypotheses that had fewer."""
        if self.task is None and self.find_button.isEnabled():
            pending = list(hypotheses)
            self._run(
                "Balancing the effort",
                lambda bench, progress: bench.review.balance_effort(pending, progress=progress),
                self._report_search,
            )

    def read_again(self) -> None:
        """Have the second reader judge the close and the decisive verdicts."""
        bench = self._session.workbench
        if bench is None or self.task is not None:
            return
        if bench.engines.second_reader is None:
            self._session.status.emit("No model has the role of the second reader: give one that role first.")
            return
        self._run(
            "Reading again", lambda bench, progress: bench.review.read_again(progress=progress), self._report_reading
        )

    def judge_again(self) -> None:
        """Let the current judge judge undecided proposals with another model's verdict."""
        if self.task is None and self._state.of_other_models():
            self._run(
                "Judging again",
                lambda bench, progress: bench.review.judge_again(progress=progress),
                self._report_reading,
            )

    def _report_search(self, report: ProposeReport) -> None:
        count = len(report.proposals)
        sentence = (
            f"{counted(count, 'proposal')} from {counted(report.passages_judged, 'verdict')} in {report.seconds:.0f} s."
        )
        self.effort_made.emit(report.effort)
        # What was looked at stands in the line of the effort, unless there is a warning in its place.
        is_uneven = any(effort.uneven for effort in self._state.efforts)
        self._note("\n".join(part for part in (sentence, report.effort * is_uneven, *report.notes) if part))
        if report.proposals:
            self.new_proposals.emit()
        self._session.status.emit(sentence)

    def _report_reading(self, report: ReadAgain) -> None:
        sentence = (
            f"{len(report.proposals)} verdicts read again in {report.seconds:.0f} s; "
            f"{report.disputed} came out differently."
        )
        self._note("\n".join((sentence, *report.notes)))
        self._session.status.emit(sentence)

    def _note(self, text: str) -> None:
        if text == self.note.text():
            return
        self.note.setText(text)
        self.note.setVisible(bool(text))
        self.noted.emit()

    def _run(self, title: str, verb: Callable[[Workbench, Progress], Any], on_done: Callable[[Any], None]) -> None:
        task = self._session.run(
            title,
            verb,
            done=on_done,
            initiator=self._initiator,
            partial=Changes(proposals=True),
            rest=REST_OF_JUDGING,
            again=lambda: None if self.task is not None else self._run(title, verb, on_done),
        )
        if task is None:
            return
        self.task = task
        self.task_changed.emit()
        words = self._session.tasks.waits_for(task)
        self._note(f"{words[:1].upper()}{words[1:]} …")
        task.progressed.connect(self._tell_progress)
        task.ended.connect(self._end)

    def cancel(self) -> None:
        """Stop the search; what was judged is kept."""
        if self.task is not None:
            self._session.tasks.cancel(self.task)
            self._note("Stopping …")

    def _tell_progress(self) -> None:
        task = self.task
        if task is not None and not task.stopping:
            self._note(f"{task.what}: {task.count} of {task.total}" if task.total else task.what)

    def _end(self) -> None:
        if self.task is not None and self.task.state != "done":
            self._note("")
        self.task = None
        self.task_changed.emit()
