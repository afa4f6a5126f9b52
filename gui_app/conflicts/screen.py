"""The conflicts of a case: the list at the left, the positions of the selected one side by side, decided by a key."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QComboBox, QPushButton, QWidget

from core.conflicts.differences import KINDS
from core.conflicts.results import ConflictRecord, ConflictsReport, Status
from core.domain import Changes
from gui_app.conflicts.conflict_view import ConflictView, kind_words
from gui_app.session import CaseSession
from gui_app.shared.announce import announce
from gui_app.shared.decision_panel import DecisionPanel
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header, segment
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.list_page import ListPage
from gui_app.shared.screen import Screen
from gui_app.shared.screen_job import ScreenJob
from gui_app.shared.source_commands import SourceCommands

_POSITIONS = 4  # that have a key of their own
_ALL, _OPEN, _RESOLVED = "All", "Open", "Resolved"
_FIND = (
    "Conflicts are statements in your documents that cannot all be true: figures, dates, names, a statement and its "
    "denial, two versions of a text."
)
_COMPARED = (
    "Figures, dates, times, places, names and roles, a statement and its denial, and versions of a document are "
    "compared. What takes knowledge or a second step to see is not found."
)
_NONE = "No two of them contradict each other."
_NOTHING_SELECTED = "There is no conflict of this kind and status."


class ConflictsScreen(Screen):
    """The filter above, the conflicts at the left, the selected one at the right, the decision below it."""

    name = "Conflicts"
    icon = "conflicts"
    concerns = Changes(documents=True, evidence=True, results=True)
    leads_viewer = True

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.job = ScreenJob(self, self._allow)
        self._report: ConflictsReport | None = None  # of the search since the case was opened
        self.records: list[ConflictRecord] = []
        self.view = ConflictView()
        self.sources = SourceCommands(self, self.view.area, allow=self._allow)
        self._make_commands()
        column = vbox(self, spacing=0)
        self.header = Header("Conflicts")
        self.stop_button = self.header.add(self.stop_action, "Stop")
        self.find_button = self.header.add(self.find_action, kind="primary")
        column.addWidget(self.header)
        self.filters = self._filters()
        column.addWidget(self.filters)
        self.scope = plain("", "small", wrap=True)
        self.scope.setContentsMargins(24, 0, 24, 8)
        column.addWidget(self.scope)
        self.note = InfoBar()
        column.addWidget(self.note)
        column.addWidget(line())
        empty = EmptyState("conflicts", _FIND, "Find conflicts", self._take_step)
        empty.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # its sentence is read out, and keys have a place to be
        holding = [(action, f"{number} is right") for number, action in enumerate(self.hold_actions, start=1)]
        further = [(self.both_action, "Both are right"), (self.reopen_action, "Reopen")]
        self.decision = DecisionPanel(session, self.view.area, [*holding, *further])
        self.decision.note_written.connect(self._keep_note)
        self.page = ListPage("Conflicts", self.decision, empty=empty, least=220, width=260)
        self.page.moved.connect(self._show_chosen)
        self.page.filled.connect(self.room_changed)
        self.page.list.itemActivated.connect(lambda _item: self.view.area.focus_first())
        self.list, self.empty = self.page.list, empty
        column.addWidget(self.page, 1)
        self.setFocusProxy(self.list)
        self._show_stack()
        self._allow()

    def _make_commands(self) -> None:
        self.find_action = self.command("Find conflicts", "F5", self.look)
        self.stop_action = self.command("Stop looking for conflicts", None, self.job.stop)
        self.hold_actions = [
            self.command(f"Position {number} is right", str(number), lambda number=number: self._hold(number))  # type: ignore[misc]
            for number in range(1, _POSITIONS + 1)
        ]
        self.both_action = self.command("Both are right, about different things", "B", lambda: self._resolve("both"))
        self.reopen_action = self.command("Open the conflict again", "R", lambda: self._resolve("open"))
        self.note_action = self.command("Write a note on the decision", "N", lambda: self.decision.write_note())
        self.sources.make()

    def _filters(self) -> QWidget:
        holder = QWidget()
        row = hbox(holder, margins=(24, 0, 24, 12), spacing=0)
        self.statuses = QButtonGroup(self)
        self.status_buttons: dict[str, QPushButton] = {}
        for words in (_ALL, _OPEN, _RESOLVED):
            choice = segment(words, first=not self.status_buttons)
            choice.setChecked(words == _ALL)
            choice.toggled.connect(lambda _on: self._list(self.state()))
            self.statuses.addButton(choice)
            self.status_buttons[words] = choice
            row.addWidget(choice)
        row.addSpacing(12)
        self.kinds = QComboBox()
        self.kinds.setAccessibleName("Kind of conflict")
        self.kinds.addItem("All types", "")
        for kind, words in KINDS.items():
            self.kinds.addItem(words[:1].upper() + words[1:], kind)
        self.kinds.currentIndexChanged.connect(lambda _at: self._list(self.state()))
        row.addWidget(self.kinds)
        row.addStretch(1)
        return holder

    # --- what is shown -----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the conflicts that the case keeps."""
        self.read(lambda bench: bench.conflicts.all(), self._show_records, key="conflicts")

    def forget(self) -> None:
        """Show no conflicts of the case before."""
        self.records, self._report = [], None
        self.page.fill([])
        self.note.hide()
        self.header.count.setText("")
        self._show_stack()

    def _show_records(self, records: list[ConflictRecord]) -> None:
        previous = self.chosen()
        self.records = records
        stays = not self.list.count() if previous is None else any(_is_same(record, previous) for record in records)
        self._list(previous.id if previous is not None and stays else None, or_first=stays)

    def _list(self, identity: str | None, *, or_first: bool = True) -> None:
        """List the conflicts that pass the filter, with that of this id selected, else the first or none."""
        rows = [(_word(record), record.conflict.subject, record) for record in self.records if self._passes(record)]
        self.page.fill(rows, lambda record: record.id == identity, or_first=or_first)
        count = sum(record.is_open for record in self.records)
        sides = sum(record.conflict.kind == "hypotheses" for record in self.records)
        parts = [f"{counted(len(self.records) - sides, 'conflict')} between statements"]
        parts += [f"{counted(sides, 'hypothesis', 'hypotheses')} with passages on both sides"] * bool(sides)
        self.header.count.setText(f"{', '.join(parts)}, {count:,} open" if self.records else "")
        self._show_stack()
        self._show_chosen()

    def _passes(self, record: ConflictRecord) -> bool:
        status = next((words for words, choice in self.status_buttons.items() if choice.isChecked()), _ALL)
        kind = self.kinds.currentData()
        return (status == _ALL or (status == _OPEN) == record.is_open) and kind in ("", record.conflict.kind)

    def _show_stack(self) -> None:
        """Show the conflicts, or the next step where there is none."""
        waits = self.empty.button.hasFocus()  # since before the conflicts were read
        self.filters.setVisible(bool(self.records))
        is_filtered = bool(self.records)
        self.find_button.setVisible(is_filtered or self._report is not None)  # else the page itself has it
        self.scope.setText(f"{_count(self._report)} {_COMPARED}".strip())
        self.scope.setVisible(is_filtered)
        if self.list.count():
            self.setFocusProxy(self.list)
            if waits:
                self.list.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        none = f"{_count(self._report)} {_NONE} {_COMPARED} Ask the documents about a point that you doubt."
        self.empty.say(_NOTHING_SELECTED if is_filtered else none if self._report is not None else _FIND)
        self.empty.button.setText("Find conflicts" if self._report is None else "Ask a question")
        self.empty.button.setVisible(not is_filtered)
        self.setFocusProxy(self.find_button if is_filtered else self.empty.button)

    def _take_step(self) -> None:
        """Look for conflicts; where none were found, go on to ask."""
        if self._report is None:
            self.look()
        else:
            self.go.emit("Ask")

    def wants_room(self) -> bool:
        """Return whether positions are beside each other."""
        return self.page.is_filled()

    def chosen(self) -> ConflictRecord | None:
        """Return the selected conflict."""
        record: ConflictRecord | None = self.page.selected()
        return record

    def _show_chosen(self) -> None:
        record, previous = self.chosen(), self.view.record
        if record is None or previous is None or record.id != previous.id:
            self.sources.passage = None
        if record is not None:
            self.decision.show_note(f"Note on {record.id}", record.note)
            self.view.show_conflict(record)
        elif previous is not None:
            self.decision.note_field.clear()
            self.view.show_gone()
        self._allow()

    def current_item(self) -> object:
        """Return the passage around the source that has the focus."""
        return self.sources.passage

    def state(self) -> Any:
        """Return which conflict is selected."""
        record = self.chosen()
        return record.id if record else None

    def restore(self, state: Any) -> None:
        """Select a conflict again."""
        self.page.select(lambda record: record.id == state)

    def _allow(self) -> None:
        is_free, record = self.job.task is None, self.chosen()
        can_decide = record is not None and bool(record.id) and not self.session.read_only
        self.find_action.setEnabled(is_free)
        self.job.offer_stop(self.stop_action, self.stop_button)
        positions = len(record.conflict.positions) if record is not None else 0
        for number, action in enumerate(self.hold_actions, start=1):
            action.setEnabled(can_decide and number <= positions)
            self.decision.buttons[number - 1].setVisible(number <= positions)
        self.both_action.setEnabled(can_decide)
        self.reopen_action.setEnabled(can_decide and record is not None and not record.is_open)
        self.note_action.setEnabled(can_decide)
        self.decision.note_field.setEnabled(can_decide)
        self.sources.enable()

    # --- finding -----------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Look for conflicts in the documents, beside the work."""
        if self.job.task is not None:
            return
        task = self.session.run(
            "Finding conflicts",
            lambda bench, progress: bench.conflicts.find(progress, again=True),
            done=self._show_report,
            initiator=self,
            again=self.look,
        )
        self.job.begin(task)

    def _show_report(self, report: ConflictsReport) -> None:
        self._report = report
        self._show_records(list(report.conflicts))
        if report.notes:
            self.note.say(" ".join(report.notes[:3]))
        else:
            self.note.hide()
        words = self.header.count.text() or "No conflicts found"
        self.session.status.emit(words)
        announce(self, words if self.records else self.empty.sentence.text())

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _hold(self, number: int) -> None:
        self._resolve("held", number)

    def _resolve(self, status: Status, position: int = 0) -> None:
        record, note = self.chosen(), self.decision.note()
        if record is None:
            return
        note = "" if status == "open" else note
        row = self.list.currentRow()
        changes = self.session.do(
            lambda bench: bench.conflicts.resolve(record.id, status, position=position, note=note), initiator=self
        )
        if changes is None:
            return
        self.decision.draft.end()
        words = {"held": f"position {position} is right", "both": "both are right", "open": "reopened"}[status]
        self.session.tell(f"{record.id}: {words}", undo=True)
        self.refresh()
        self.list.setFocus()
        if status != "open" and row + 1 < self.list.count() and record.is_open:
            self.list.setCurrentRow(row + 1)  # to the next one, as in the review

    def _keep_note(self, note: str) -> None:
        """Keep the note with the decision that stands; without one it waits for the decision."""
        self.list.setFocus()
        record = self.chosen()
        if record is not None and not record.is_open and note != record.note:
            self._resolve(record.status, record.position)


def _count(report: ConflictsReport | None) -> str:
    """Return how much was compared, in words; '' if unknown."""
    if report is None or not report.statements:
        return ""
    return f"{counted(report.statements, 'statement')} compared, in {counted(report.pairs, 'pair')} about one thing."


def _is_same(record: ConflictRecord, previous: ConflictRecord) -> bool:
    """Return whether a conflict is the one that was read before, with the positions that keys decide in their order."""
    texts = [[position.text for position in version.conflict.positions] for version in (record, previous)]
    return record.id == previous.id and texts[0] == texts[1]


def _word(record: ConflictRecord) -> str:
    """Return the subject and status of a conflict in a few words."""
    words = kind_words(record)
    status = {"open": "", "held": "resolved", "both": "both hold"}[record.status]
    touches = f"touches {', '.join(record.evidence[:3])}" if record.evidence else ""
    return " · ".join(part for part in (record.id, words, status, touches) if part)
