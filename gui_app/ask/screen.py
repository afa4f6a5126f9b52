"""A question to the documents: asked in plain words, its steps seen, its answer kept, each sentence on its page."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from core.answers.results import MODES, NOT_SETTLED, AnswerRecord
from core.domain import Changes, Document, Page, Quote
from gui_app.ask.answer_view import AnswerView
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header, button
from gui_app.shared.labels import line
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.list_page import ListPage
from gui_app.shared.screen import Screen
from gui_app.shared.screen_job import ScreenJob
from gui_app.shared.show_modes import ShowModes
from gui_app.shared.source_commands import SourceCommands

LONGEST = 2_000


class AskScreen(Screen):
    """The field for a question above, the answers that the case keeps at the left, the selected one at the right."""

    name = "Ask"
    icon = "ask"
    concerns = Changes(documents=True, results=True)
    leads_viewer = True

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.job = ScreenJob(self, self._job_changed)
        self._next = ""  # a question that waits for the answer to the one before
        self._steps: list[str] = []
        self._question = ""  # the one being answered
        self._documents: dict[str, Document] = {}
        self.records: list[AnswerRecord] = []
        self._pages: dict[tuple[str, int], Page | None] = {}  # of the sources of answers
        self.view = AnswerView(self._page_of)
        self.sources = SourceCommands(self, self.view.area, allow=self._allow)
        self._make_commands()
        column = vbox(self, spacing=0)
        self.header = Header("Ask")
        self.report_box = QCheckBox("In the report")
        self.report_box.setToolTip("Print this answer in the report (P)")
        self.report_box.clicked.connect(self.report_action.trigger)
        self.header.row.addWidget(self.report_box)
        column.addWidget(self.header)
        column.addWidget(self._entry())
        column.addWidget(line())
        self.empty = EmptyState(
            "ask",
            "Ask a question in plain words. The answer consists of sentences from your documents, each with its page, "
            "or says why it is not known.",
        )
        self.page = ListPage("Questions asked", self.view.area, empty=self.empty, least=200, width=240)
        self.page.moved.connect(self._show_chosen)
        self.questions = self.page.list
        column.addWidget(self.page, 1)
        self.setFocusProxy(self.field)
        self._allow()

    def _make_commands(self) -> None:
        self.ask_action = self.command("Ask the documents", None, self.ask, shown_keys="Enter")
        self.command("Question field", "Ctrl+F", self._to_field).setShortcuts(
            [QKeySequence("Ctrl+F"), QKeySequence("/")]
        )
        self.stop_action = self.command("Stop answering", None, self.job.stop)
        self.command("How sure an answer has to be", "Shift+S", self._turn_mode)
        self.again_action = self.command("Ask the question again", "F5", self._ask_again)
        self.sources.make()
        self.copy_action = self.command("Copy the answer with its citations", "Ctrl+Shift+C", self._copy)
        self.report_action = self.command("Print the answer in the report", "P", self._choose_for_report)
        self.report_action.setCheckable(True)
        self.remove_action = self.command("Remove the answer", "Delete", self._remove)

    def _entry(self) -> QWidget:
        entry = QWidget()
        column = vbox(entry, margins=(24, 0, 24, 12), spacing=8)
        row = hbox(spacing=8)
        self.field = QLineEdit()
        self.field.setPlaceholderText("When did the vendor log in?")
        self.field.setAccessibleName("Question")
        self.field.setMaxLength(LONGEST)
        self.field.setMinimumHeight(theme.px(32))
        self.field.returnPressed.connect(self.ask)
        self.field.textChanged.connect(lambda _text: self._allow())
        self._draft = FieldDraft(self.session, self.field, "Question")
        row.addWidget(self.field, 1)
        self.stop_button = button(self.stop_action)
        self.stop_button.setText("Stop")
        row.addWidget(self.stop_button)
        self.ask_button = button(self.ask_action, kind="primary")
        self.ask_button.setText("Ask")
        row.addWidget(self.ask_button)
        column.addLayout(row)
        below = hbox(spacing=0)
        self.modes = ShowModes(MODES)
        below.addWidget(self.modes, 1)
        self.word_box = QCheckBox("Word it")
        self.word_box.setToolTip("A model words the answer; what the sources do not support is removed")
        below.addSpacing(12)
        below.addWidget(self.word_box)
        column.addLayout(below)
        return entry

    # --- what is shown -----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the answers that the case keeps."""
        self._documents = {
            document.id: document for document in self.session.do(lambda bench: bench.documents.all()) or []
        }
        self._pages.clear()
        self.read(lambda bench: bench.answers.all(), self._show_records, key="answers")

    def _page_of(self, quote: Quote) -> Page | None:
        """Return the page of a quote that is there still."""
        key = quote.document, quote.page
        if key not in self._pages:
            if quote.document not in self._documents:
                return None
            self._pages[key] = self.session.do(lambda bench: bench.documents.page(*key))
        return self._pages[key]

    def forget(self) -> None:
        """Show no answers of the case before."""
        self.records = []
        self.page.fill([])
        self.field.clear()
        self.header.count.setText("")
        self._allow()

    def _show_records(self, records: list[AnswerRecord]) -> None:
        identity = self.state() or ""
        self.records = list(reversed(records))
        self._list(identity)

    def _list(self, identity: str) -> None:
        """List the questions, with the answer of that id selected."""
        rows = [
            (f"{_word(record)}{' · in the report' * record.in_report}", record.answer.question, record)
            for record in self.records
        ]
        self.page.fill(rows, lambda record: record.id == identity)
        self.header.count.setText(counted(len(self.records), "question") if self.records else "")
        if self.job.task is None:
            self._show_chosen()
        else:
            self.page.setCurrentWidget(self.page.split)  # which shows the steps

    def chosen(self) -> AnswerRecord | None:
        """Return the selected answer."""
        record: AnswerRecord | None = self.page.selected()
        return record

    def _show_chosen(self) -> None:
        record = self.chosen()
        asides = {key: _aside(document) for key, document in self._documents.items()}
        # To build again what is on show would take the focus from the selected source.
        if record is not None and self.job.task is None and (record, asides) != (self.view.record, self.view.asides):
            self.sources.passage = None
            self.view.show_answer(record, asides)
            self.selected.emit(None)
        self._allow()

    def _restyled(self) -> None:
        self.view.record = None
        super()._restyled()

    def current_item(self) -> object:
        """Return the passage around the source that has the focus."""
        return self.sources.passage

    def state(self) -> Any:
        """Return which answer is selected."""
        record = self.chosen()
        return record.id if record else None

    def restore(self, state: Any) -> None:
        """Select an answer again."""
        self.page.select(lambda record: record.id == state)

    def _allow(self) -> None:
        is_free, record = self.job.task is None, self.chosen()
        bench = self.session.workbench
        self.word_box.setVisible(bench is not None and bench.engines.text_model is not None)
        self.ask_action.setEnabled(is_free and any(c.isalnum() for c in self.field.text()))
        self.job.offer_stop(self.stop_action, self.stop_button)
        self.again_action.setEnabled(is_free and record is not None)
        self.copy_action.setEnabled(record is not None)
        is_changeable = record is not None and bool(record.id) and not self.session.read_only
        self.remove_action.setEnabled(is_changeable)
        self.report_action.setEnabled(is_changeable)
        self.report_action.setChecked(record is not None and record.in_report)
        self.report_box.setVisible(record is not None)
        self.report_box.setEnabled(is_changeable)
        self.report_box.setChecked(self.report_action.isChecked())
        self.sources.enable()

    # --- asking ------------------------------------------------------------------------------------------------------

    def ask_for(self, question: str) -> None:
        """Put a question into the field and ask it."""
        self.field.setText(question)
        self.ask()

    def ask(self) -> None:
        """Answer the question in the field, beside the work."""
        question, mode = self.field.text().strip(), self.modes.mode()
        worded = self.word_box.isChecked() and not self.word_box.isHidden()
        if not any(c.isalnum() for c in question):
            return
        if self.job.task is not None:
            self._next = question
            self.session.status.emit("Asked as soon as the question before it is answered")
            return
        task = self.session.run(
            f"Answering “{question[:60]}”",
            lambda bench, progress: bench.answers.ask(question, mode=mode, keep=True, worded=worded, progress=progress),
            done=self._show_answer,
            initiator=self,
            for_person=True,
            again=lambda: self.ask_for(question),
        )
        if task is None:
            return
        self._question, self._steps = question, []
        task.progressed.connect(self._tell_step)
        self.job.begin(task)
        words = self.session.tasks.waits_for(task)
        self.view.show_steps(question, [words[:1].upper() + words[1:]])

    def _job_changed(self) -> None:
        self._show_state()
        if self.job.task is None and self._next:
            question, self._next = self._next, ""
            self.ask_for(question)

    def _to_field(self) -> None:
        """Put the cursor into the field, over the question before."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _turn_mode(self) -> None:
        self.modes.press_next()
        announce(self, self.modes.line.text())

    def _ask_again(self) -> None:
        record = self.chosen()
        if record is not None:
            self.modes.choose(record.answer.mode)
            self.ask_for(record.answer.question)

    def _tell_step(self) -> None:
        task = self.job.task
        if task is not None and task.what and task.what not in self._steps:
            self._steps.append(task.what)
            self.view.show_steps(self._question, self._steps)

    def _show_answer(self, record: AnswerRecord) -> None:
        """Show an answer that has come."""
        self.job.task = None
        if self.field.text().strip() == record.answer.question:
            self._draft.end()  # the case keeps it with its answer
        self.records = [record, *self.records]
        self._list(record.id)
        self.field.selectAll()
        answer = record.answer
        self.session.status.emit(_word(record))
        announce(self, answer.points[0].text if answer.is_answered and answer.points else answer.sentence)
        self.session.changed.emit(Changes(results=True), self)
        if self.field.hasFocus() and not self._draft.is_modified():  # else the next question is being typed
            self.questions.setFocus(Qt.FocusReason.OtherFocusReason)  # letters are commands there
            if record.answer.is_answered:
                self.view.area.focus_first()

    def _show_state(self) -> None:
        """Show the answers, or the steps of the one that is being found."""
        self._list(self.state() or "")
        self._allow()

    # --- what is done with an answer ---------------------------------------------------------------------------------

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.view.text())
        self.session.status.emit("Copied with its citations")

    def _choose_for_report(self) -> None:
        record = self.chosen()
        if record is not None and record.id:
            is_chosen = not record.in_report
            changes = self.session.do(
                lambda bench: bench.answers.choose_for_report(record.id, is_chosen=is_chosen), initiator=self
            )
            if changes is None:
                self._allow()  # the box says again what holds
                return
            words = "will be printed in the report" if is_chosen else "is no longer in the report"
            self.session.tell(f"{record.id} {words}", undo=True)

    def _remove(self) -> None:
        record = self.chosen()
        if record is not None and record.id:
            changes = self.session.do(lambda bench: bench.answers.remove(record.id), initiator=self)
            if changes is not None:
                self.session.tell(f"{record.id} was removed", undo=True)


def _word(record: AnswerRecord) -> str:
    """Return the status of an answer in a few words."""
    answer = record.answer
    if record.is_stale:
        return f"{record.id} · out of date"
    if not answer.is_answered:
        return f"{record.id} · " + ("sources differ" if answer.reason == "conflicting_sources" else "not known")
    if NOT_SETTLED in answer.advice:
        return f"{record.id} · not settled"
    return f"{record.id} · " + (answer.points[0].short or "answered" if answer.reason != "partial" else "in part")


def _aside(document: Document) -> str:
    """Return the date of a document and the grade of its source."""
    return " · ".join(part for part in (document.date[:10], document.reliability + document.information) if part)
