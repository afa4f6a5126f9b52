"""The conflicts of a case: the list at the left, the positions of the one in hand side by side, decided by a key."""

from __future__ import annotations

from typing import Any, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.conflicts.differences import KINDS
from core.conflicts.results import ConflictRecord, ConflictsReport, Status
from core.domain import Changes, Passage, Quote
from gui_app.conflicts.conflict_view import ConflictView, kind_words
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header, button, decisions
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import line
from gui_app.shared.screen import Screen
from gui_app.shared.snippet_list import TARGET, SnippetList
from gui_app.tasks import Task

_POSITIONS = 4  # that have a key of their own
_ALL, _OPEN, _RESOLVED = "All", "Open", "Resolved"
_FIND = (
    "Conflicts are statements of your documents that cannot all be true: figures, dates, names, a statement and its "
    "denial, two versions of a text."
)
_NONE = "No statements were found that contradict each other. Look again when documents have come."
_NOTHING_SELECTED = "No conflict is of this kind and status."


class ConflictsScreen(Screen):
    """The filter above, the conflicts at the left, the one in hand at the right, the decision below it."""

    name = "Conflicts"
    icon = "conflicts"
    concerns = Changes(documents=True, evidence=True, results=True)
    leads_viewer = True

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._task: Task | None = None
        self._passage: Passage | None = None
        self._is_wide = False  # whether positions stand beside each other
        self._is_complete = False  # whether conflicts were looked for in this case since it was opened
        self.records: list[ConflictRecord] = []
        self._make_commands()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.header = Header("Conflicts")
        self.stop_button = button(self.stop_action)
        self.stop_button.setText("Stop")
        self.header.row.addWidget(self.stop_button)
        self.find_button = self.header.add(self.find_action, kind="primary")
        column.addWidget(self.header)
        self.filters = self._filters()
        column.addWidget(self.filters)
        self.note = InfoBar()
        column.addWidget(self.note)
        column.addWidget(line())
        self.list = SnippetList("Conflicts", quotes=False)
        self.list.setMinimumWidth(theme.px(220))
        self.list.currentItemChanged.connect(lambda *_: self._show_chosen())
        self.view = ConflictView()
        self.list.itemActivated.connect(lambda _item: self.view.focus_first())
        self.view.opened.connect(self._open)
        self.view.entered.connect(self._follow)
        right = QWidget()
        self._right = QVBoxLayout(right)
        self._right.setContentsMargins(0, 0, 0, 0)
        self._right.setSpacing(0)
        self._right.addWidget(self.view, 1)
        self._right.addWidget(line())
        self._right.addWidget(self._decision_bar())
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.list)
        self.split.addWidget(right)
        self.split.setStretchFactor(0, 0)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([theme.px(260), 800])
        self.empty = EmptyState("conflicts", _FIND, "Find conflicts", self.look)
        self.empty.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # its sentence is read out, and keys have a place to be
        self.stack = QStackedWidget()
        self.stack.addWidget(self.split)
        self.stack.addWidget(self.empty)
        self.stack.setCurrentWidget(self.empty)
        column.addWidget(self.stack, 1)
        self.setFocusProxy(self.list)
        self._show_stack()
        self._allow()

    def _make_commands(self) -> None:
        self.find_action = self.command("Find conflicts", "F5", self.look)
        self.stop_action = self.command("Stop looking for conflicts", None, self.stop)
        self.hold_actions = [
            self.command(f"Position {number} holds", str(number), lambda number=number: self._hold(number))  # type: ignore[misc]
            for number in range(1, _POSITIONS + 1)
        ]
        self.both_action = self.command("Both hold, of different things", "B", lambda: self._resolve("both"))
        self.reopen_action = self.command("Open the conflict again", "R", lambda: self._resolve("open"))
        self.note_action = self.command("Write a note on the decision", "N", self._write_note)
        self.open_action = self.command(
            "Show the source on its page", "O", lambda: self._with_quote(self._open), shown_keys="Enter"
        )
        self.add_action = self.command("Add the sentence as evidence", "A", lambda: self._with_quote(self._add))
        self.next_action = self.command("Next source", "J", lambda: self.view.step(1))
        self.next_action.setShortcuts([QKeySequence("J"), QKeySequence("Alt+Down")])
        self.previous_action = self.command("Previous source", "K", lambda: self.view.step(-1))
        self.previous_action.setShortcuts([QKeySequence("K"), QKeySequence("Alt+Up")])

    def _filters(self) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(24, 0, 24, 12)
        row.setSpacing(0)
        self.statuses = QButtonGroup(self)
        self.status_buttons: dict[str, QPushButton] = {}
        for words in (_ALL, _OPEN, _RESOLVED):
            choice = QPushButton(words)
            choice.setProperty("kind", "segment")
            choice.setProperty("first", not self.status_buttons)
            choice.setCheckable(True)
            choice.setChecked(words == _ALL)
            choice.toggled.connect(lambda _on: self._list(self.state()))
            self.statuses.addButton(choice)
            self.status_buttons[words] = choice
            row.addWidget(choice)
        row.addSpacing(12)
        self.kinds = QComboBox()
        self.kinds.setAccessibleName("Kind of conflict")
        self.kinds.addItem("Of every kind", "")
        for kind, words in KINDS.items():
            self.kinds.addItem(words[:1].upper() + words[1:], kind)
        self.kinds.currentIndexChanged.connect(lambda _at: self._list(self.state()))
        row.addWidget(self.kinds)
        row.addStretch(1)
        return holder

    def _decision_bar(self) -> QWidget:
        bar = QWidget()
        row = QHBoxLayout(bar)
        row.setContentsMargins(24, 8, 24, 8)
        row.setSpacing(8)
        self.note_field = QLineEdit()
        self.note_field.setPlaceholderText("Why (N)")
        self.note_field.setAccessibleName("Note on the decision")
        self.note_field.setMaxLength(1_000)
        self.note_field.returnPressed.connect(self._save_note)
        row.addWidget(self.note_field, 1)
        holding = [(action, f"{number} holds", "") for number, action in enumerate(self.hold_actions, start=1)]
        self.hold_buttons = list(decisions(holding))
        for widget in self.hold_buttons:
            row.addWidget(widget)
        for widget in decisions([(self.both_action, "Both hold", ""), (self.reopen_action, "Open again", "")]):
            row.addWidget(widget)
        return bar

    # --- what is shown -----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the conflicts that the case keeps."""
        self.read(lambda bench: bench.conflicts.all(), self._show_records, key="conflicts")

    def forget(self) -> None:
        """Show no conflicts of the case before."""
        self.records, self._is_complete = [], False
        self.list.clear()
        self.note.hide()
        self.header.count.setText("")
        self._show_stack()

    def _show_records(self, records: list[ConflictRecord]) -> None:
        identity = self.state()
        self.records = records
        self._list(identity)

    def _list(self, identity: str | None) -> None:
        """List the conflicts that pass the filter, with that of this id in hand."""
        rows = [record for record in self.records if self._passes(record)]
        self.list.blockSignals(True)
        self.list.clear()
        for record in rows:
            self.list.add(_word(record), record.conflict.subject, record)
        at = next((at for at, record in enumerate(rows) if record.id == identity), 0)
        self.list.setCurrentRow(at if rows else -1)
        self.list.blockSignals(False)
        count = sum(record.is_open for record in self.records)
        self.header.count.setText(f"{counted(len(self.records), 'conflict')}, {count:,} open" if self.records else "")
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
        if bool(self.list.count()) != self._is_wide:
            self._is_wide = bool(self.list.count())
            self.room_changed.emit()
        is_filtered = bool(self.records)
        self.find_button.setVisible(is_filtered)  # else the page itself has it
        if self.list.count():
            self.stack.setCurrentWidget(self.split)
            self.setFocusProxy(self.list)
            if waits:
                self.list.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.empty.say(_NOTHING_SELECTED if is_filtered else _NONE if self._is_complete else _FIND)
        self.empty.button.setVisible(not is_filtered)
        self.stack.setCurrentWidget(self.empty)
        self.setFocusProxy(self.find_button if is_filtered else self.empty.button)

    def wants_room(self) -> bool:
        """Tell whether positions stand beside each other."""
        return self._is_wide

    def chosen(self) -> ConflictRecord | None:
        """Return the conflict in hand."""
        item = self.list.currentItem()
        return None if item is None else cast("ConflictRecord", item.data(TARGET))

    def _show_chosen(self) -> None:
        record = self.chosen()
        self._passage = None
        if record is not None:
            self.note_field.setText(record.note)
            self.view.show_conflict(record)
        self._allow()

    def current_item(self) -> object:
        """Return the passage around the source that has the focus."""
        return self._passage

    def state(self) -> Any:
        """Return which conflict is in hand."""
        record = self.chosen()
        return record.id if record else None

    def restore(self, state: Any) -> None:
        """Take a conflict in hand again."""
        at = next((at for at in range(self.list.count()) if self.list.item(at).data(TARGET).id == state), -1)
        if at >= 0:
            self.list.setCurrentRow(at)

    def _allow(self) -> None:
        is_free, record = self._task is None, self.chosen()
        can_decide = record is not None and bool(record.id) and not self.session.read_only
        self.find_action.setEnabled(is_free)
        self.stop_action.setEnabled(not is_free)
        self.stop_button.setVisible(not is_free)
        positions = len(record.conflict.positions) if record is not None else 0
        for number, action in enumerate(self.hold_actions, start=1):
            action.setEnabled(can_decide and number <= positions)
            self.hold_buttons[number - 1].setVisible(number <= positions)
        self.both_action.setEnabled(can_decide)
        self.reopen_action.setEnabled(can_decide and record is not None and not record.is_open)
        self.note_action.setEnabled(can_decide)
        self.note_field.setEnabled(can_decide)
        has_quote = self._quote() is not None
        self.open_action.setEnabled(has_quote)
        self.add_action.setEnabled(has_quote and not self.session.read_only)

    # --- finding -----------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Look for conflicts in the documents, beside the work."""
        if self._task is not None:
            return
        task = self.session.run(
            "Finding conflicts",
            lambda bench, progress: bench.conflicts.find(progress, again=True),
            done=self._show_report,
            initiator=self,
        )
        if task is None:
            return
        self._task = task
        task.ended.connect(self._finish)
        self._allow()

    def stop(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self.session.tasks.cancel(self._task)

    def _show_report(self, report: ConflictsReport) -> None:
        self._task, self._is_complete = None, True
        self._show_records(list(report.conflicts))
        if report.notes:
            self.note.say(" ".join(report.notes[:3]))
        else:
            self.note.hide()
        announce(self, self.header.count.text() or _NONE)

    def _finish(self) -> None:
        self._task = None
        self._allow()

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _hold(self, number: int) -> None:
        self._resolve("held", number)

    def _resolve(self, status: Status, position: int = 0) -> None:
        record, note = self.chosen(), self.note_field.text().strip()
        if record is None:
            return
        note = "" if status == "open" else note
        at = self.list.currentRow()
        changes = self.session.do(
            lambda bench: bench.conflicts.resolve(record.id, status, position=position, note=note), initiator=self
        )
        if changes is None:
            return
        words = {"held": f"position {position} holds", "both": "both hold", "open": "open again"}[status]
        self.session.tell(f"{record.id}: {words}", undo=True)
        self.refresh()
        self.list.setFocus()
        if status != "open" and at + 1 < self.list.count() and record.is_open:
            self.list.setCurrentRow(at + 1)  # to the next one, as in the review

    def _write_note(self) -> None:
        self.note_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.note_field.selectAll()

    def _save_note(self) -> None:
        """Keep the note with the decision that stands; without one it waits for the decision."""
        record = self.chosen()
        self.list.setFocus()
        if record is not None and not record.is_open and self.note_field.text().strip() != record.note:
            self._resolve(record.status, record.position)

    # --- sources -----------------------------------------------------------------------------------------------------

    def _quote(self) -> Quote | None:
        return next((source.quote for source in self.view.sources if source.hasFocus()), None)

    def _with_quote(self, action: Any) -> None:
        quote = self._quote()
        if quote is not None:
            action(quote)

    def _follow(self, quote: Quote) -> None:
        """Have the details show the passage around a source."""
        self._passage = self.session.do(lambda bench: bench.search.passage_around(quote))
        self._allow()
        self.selected.emit(self._passage)

    def _open(self, quote: Quote) -> None:
        self.show_source.emit(quote.document, quote.page, quote.start, quote.end)

    def _add(self, quote: Quote) -> None:
        more = [(part.page, part.start, part.end) for part in quote.more]
        evidence = self.session.do(
            lambda bench: bench.evidence.add_quote(quote.document, quote.page, quote.start, quote.end, more=more),
            initiator=self,
        )
        if evidence is not None:
            self.session.tell(f"Added as {evidence.id}", undo=True)
            self.tell_made(evidence.id)


def _word(record: ConflictRecord) -> str:
    """Say in a few words what a conflict is about and how it stands."""
    words = kind_words(record)
    status = {"open": "", "held": "resolved", "both": "both hold"}[record.status]
    touches = f"touches {', '.join(record.evidence[:3])}" if record.evidence else ""
    return " · ".join(part for part in (record.id, words, status, touches) if part)
