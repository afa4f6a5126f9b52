"""The audit of a report: its sentences at the left, the selected one with sources at the right, decided by a key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QComboBox, QMenu, QPushButton, QWidget

from core.audit.finding import ANOTHER_DIFFERS, TITLES, AuditedCitation, AuditedQuotation, AuditedSentence, AuditRecord
from core.audit.forms import FORMS, unchecked_line
from core.domain import Changes
from core.errors import PasswordNeeded
from core.progress import Progress
from core.report.service import ReportFile
from gui_app.audit.sentence_view import DECIDED, SentenceView
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs, theme
from gui_app.shared.announce import announce
from gui_app.shared.decision_panel import DecisionPanel
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header
from gui_app.shared.info_bar import InfoBar
from gui_app.shared.labels import line
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.list_page import ListPage
from gui_app.shared.screen import Screen
from gui_app.shared.screen_job import ScreenJob
from gui_app.shared.snippet_list import TARGET
from gui_app.shared.source_commands import SourceCommands

if TYPE_CHECKING:
    from core.workbench import Workbench

_LOOK, _EVERY, _DISPUTE = "look", "every", "dispute"
_ATTENTION = "Needs attention"
_EMPTY = (
    "Choose a written report, drop it here, or paste its text (Ctrl+V): each of its sentences, quotations and "
    "citations is checked against the documents of this case."
)
_CLEAN = "Nothing in this report needs a second look."
_NOTHING_COPIED = "No text is copied. Copy the text of the report first."
_WORDS_IN_NAME = 5  # of a pasted text
_STALE = "The documents have changed since. Audit the report again (F5)."


class AuditScreen(Screen):
    """The audits and filters above, sentences at the left, the selected one at the right, the decision below it."""

    name = "Audit"
    icon = "audit"
    concerns = Changes(documents=True, results=True)
    leads_viewer = True

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.job = ScreenJob(self, self._allow)
        self._files: dict[str, Path] = {}  # of the reports audited since the case was opened, by their names
        self._texts: dict[str, bytes] = {}  # those of them that were pasted
        self._quotations: dict[int, list[AuditedQuotation]] = {}
        self._citations: dict[int, list[AuditedCitation]] = {}
        self.records: list[AuditRecord] = []
        self.setAcceptDrops(True)
        self.view = SentenceView()
        self.sources = SourceCommands(self, self.view.area, allow=self._allow)
        self._make_commands()
        column = vbox(self, spacing=0)
        self.header = Header("Audit")
        self.stop_button = self.header.add(self.stop_action, "Stop")
        self.export_button = QPushButton("Export")
        self.export_button.setAccessibleName("Export the audit")
        menu = QMenu(self.export_button)
        for action in self.export_actions:
            menu.addAction(action)
        self.export_button.setMenu(menu)
        self.header.row.addWidget(self.export_button)
        self.audit_button = self.header.add(self.audit_action, kind="primary")
        column.addWidget(self.header)
        self.filters = self._filters()
        column.addWidget(self.filters)
        self.note = InfoBar()
        column.addWidget(self.note)
        column.addWidget(line())
        rows = [
            (self.accept_action, "Accept"),
            (self.overrule_action, "Overrule"),
            (self.reopen_action, "Undo decision"),
        ]
        self.empty = EmptyState("audit", _EMPTY, "Audit a report", self.choose)
        self.decision = DecisionPanel(session, self.view.area, rows)
        self.decision.note_written.connect(self._keep_note)
        self.page = ListPage("Sentences", self.decision, empty=self.empty, least=240, width=320)
        self.page.moved.connect(self._show_chosen)
        self.page.filled.connect(self.room_changed)
        self.page.list.itemActivated.connect(lambda _item: self.view.area.focus_first())
        self.list = self.page.list
        column.addWidget(self.page, 1)
        self.setFocusProxy(self.empty.button)
        self._allow()

    def _make_commands(self) -> None:
        self.audit_action = self.command("Audit a report", "Ctrl+Shift+O", self.choose)
        self.paste_action = self.command("Audit the copied text", "Ctrl+V", self.paste)
        self.again_action = self.command("Audit the report again", "F5", self._again)
        self.stop_action = self.command("Stop the audit", None, self.job.stop)
        self.accept_action = self.command("Accept the finding", "A", lambda: self._decide("accepted"))
        self.overrule_action = self.command("Overrule the finding", "R", lambda: self._decide("overruled"))
        self.reopen_action = self.command("Take the decision back", "Backspace", lambda: self._decide(""))
        self.note_action = self.command("Write a note on the decision", "N", lambda: self.decision.write_note())
        self.open_action = self.command("Show the source on its page", "O", self._open_first, shown_keys="Enter")
        self.next_action = self.command("Next sentence", "J", lambda: self._step(1))
        self.next_action.setShortcuts([QKeySequence("J"), QKeySequence("Alt+Down")])
        self.previous_action = self.command("Previous sentence", "K", lambda: self._step(-1))
        self.previous_action.setShortcuts([QKeySequence("K"), QKeySequence("Alt+Up")])
        self.remove_action = self.command("Remove the audit", "Delete", self._remove)
        self.export_actions = [
            self.command(f"Export the audit as {words}", None, lambda ending=ending: self.export(ending))  # type: ignore[misc]
            for ending, words in FORMS.items()
        ]

    def _filters(self) -> QWidget:
        holder = QWidget()
        row = hbox(holder, margins=(24, 0, 24, 12), spacing=8)
        self.reports = QComboBox()
        self.reports.setAccessibleName("Report")
        self.reports.setMinimumWidth(theme.px(180))
        self.reports.currentIndexChanged.connect(lambda _at: self._show_record())
        row.addWidget(self.reports)
        self.which = QComboBox()
        self.which.setAccessibleName("Sentences on show")
        self.which.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.which.currentIndexChanged.connect(lambda _at: self._list(self.number()))
        row.addWidget(self.which)
        self.order = QComboBox()
        self.order.setAccessibleName("Order")
        self.order.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.order.addItem("Most serious first", "serious")
        self.order.addItem("In reading order", "reading")
        self.order.currentIndexChanged.connect(lambda _at: self._list(self.number()))
        row.addWidget(self.order)
        row.addStretch(1)
        return holder

    # --- what is shown -----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the audits that the case keeps."""
        self.read(lambda bench: bench.audits.all(), self._show_records, key="audits")

    def forget(self) -> None:
        """Show no audits of the case before."""
        self.records, self._files, self._texts = [], {}, {}
        self._show_records([])

    def _show_records(self, records: list[AuditRecord]) -> None:
        record = self.record()
        identity = record.id if record else ""
        self.records = list(reversed(records))
        self._fill_reports(identity, by_person=False)

    def _fill_reports(self, identity: str, *, by_person: bool = True) -> None:
        """Offer the reports, with that of this id selected, and its sentence if it stays the same."""
        self.reports.blockSignals(True)
        self.reports.clear()
        for record in self.records:
            self.reports.addItem(record.audit.file, record.id)
        index = next((index for index, record in enumerate(self.records) if record.id == identity), 0)
        self.reports.setCurrentIndex(index if self.records else -1)
        self.reports.blockSignals(False)
        self._show_record(by_person=by_person)

    def record(self) -> AuditRecord | None:
        """Return the selected audit."""
        index = self.reports.currentIndex()
        return self.records[index] if 0 <= index < len(self.records) else None

    def _show_record(self, *, by_person: bool = True) -> None:
        """Show the selected audit; unless a person asked for another, no other sentence is selected."""
        record, previous = self.record(), self.chosen()
        self._quotations, self._citations = {}, {}
        wanted_filter = self.which.currentData() or _LOOK
        self.which.blockSignals(True)
        self.which.clear()
        if record is not None:
            for quotation in record.audit.quotations:
                self._quotations.setdefault(quotation.sentence, []).append(quotation)
            for citation in record.audit.citations:
                self._citations.setdefault(citation.sentence, []).append(citation)
            sentences = record.audit.sentences
            self.which.addItem(f"{_ATTENTION} ({sum(self._needs_look(sentence) for sentence in sentences):,})", _LOOK)
            self.which.addItem(f"Every sentence ({len(sentences):,})", _EVERY)
            for finding, count in record.audit.counts.items():
                if count:
                    self.which.addItem(f"{TITLES[finding]} ({count:,})", finding)
            if record.audit.disputes:
                self.which.addItem(f"{ANOTHER_DIFFERS.capitalize()} ({record.audit.disputes:,})", _DISPUTE)
        self.which.setCurrentIndex(max(0, self.which.findData(wanted_filter)))
        self.which.blockSignals(False)
        stays = previous is not None and record is not None and previous.text in _texts(record, previous.number)
        self._list(
            previous.number if previous is not None and stays else 0, or_first=by_person or not self.list.count()
        )

    def _needs_look(self, sentence: AuditedSentence) -> bool:
        return (
            sentence.is_in_doubt
            or any(quotation.status != "verified" for quotation in self._quotations.get(sentence.number, ()))
            or any(citation.status != "PASS" for citation in self._citations.get(sentence.number, ()))
        )

    def _list(self, number: int, *, or_first: bool = True) -> None:
        """List the sentences that pass the filter, with the one of that number selected, else the first or none."""
        record, which = self.record(), self.which.currentData()
        rows = [sentence for sentence in record.audit.sentences if self._passes(sentence, which)] if record else []
        if self.order.currentData() == "serious":
            rows.sort(key=lambda sentence: (sentence.rank, sentence.number))
        in_list = [(self._word(sentence), sentence.text, sentence) for sentence in rows]
        self.page.fill(in_list, lambda sentence: sentence.number == number, or_first=or_first)
        self._show_stack()
        self._show_chosen()

    def _passes(self, sentence: AuditedSentence, which: str) -> bool:
        if which == _DISPUTE:
            return bool(sentence.other_accounts)
        return which == _EVERY or (self._needs_look(sentence) if which == _LOOK else sentence.finding == which)

    def _word(self, sentence: AuditedSentence) -> str:
        """Return the status of a sentence in a few words."""
        record = self.record()
        decision = record.decision(sentence) if record else None
        parts = [str(sentence.number), sentence.title]
        statuses = [
            quotation.status
            for quotation in self._quotations.get(sentence.number, ())
            if quotation.status != "verified"
        ]
        parts += [f"quotation {status.replace('_', ' ')}" for status in dict.fromkeys(statuses)]
        off = [citation.status for citation in self._citations.get(sentence.number, ()) if citation.status != "PASS"]
        parts += [f"citation: {status.lower()}" for status in dict.fromkeys(off)]
        if decision is not None:
            parts.append(decision.status)
        return " · ".join(parts)

    def _show_stack(self) -> None:
        record = self.record()
        waits = self.empty.button.hasFocus() or self.audit_button.hasFocus()  # since before the audits were read
        self.filters.setVisible(record is not None)
        self._show_empty()
        self.audit_button.setVisible(record is not None)  # one of the two
        self.setFocusProxy(self.list if self.list.count() else self.audit_button if record else self.empty.button)
        if waits and self.list.count():
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        if record is None:
            self.note.hide()
            self.header.count.setText("")
            return
        audit = record.audit
        self.header.count.setText(f"{counted(len(audit.sentences), 'sentence')}, {counted(audit.pages, 'page')}")
        notes = [_STALE] if record.is_stale else list(audit.notes[:-1])
        if notes:
            self.note.say(" ".join(notes))
        else:
            self.note.hide()

    def _show_empty(self) -> None:
        """Explain why no sentence is listed: no audit yet, one that is under way, or one that found nothing."""
        record, task = self.record(), self.job.task
        if task is not None and record is None:
            self.empty.say(f"{task.title}. Its sentences are listed here when all are checked.")
        else:
            self.empty.say(_EMPTY if record is None else f"{_CLEAN} {unchecked_line(record.audit)}".strip())
        self.empty.button.setVisible(record is None and task is None)

    def wants_room(self) -> bool:
        """Return whether a sentence is beside its sources."""
        return self.page.is_filled()

    def chosen(self) -> AuditedSentence | None:
        """Return the selected sentence."""
        sentence: AuditedSentence | None = self.page.selected()
        return sentence

    def number(self) -> int:
        """Return the number of the selected sentence; 0 for none."""
        sentence = self.chosen()
        return sentence.number if sentence else 0

    def _show_chosen(self) -> None:
        record, sentence = self.record(), self.chosen()
        self.sources.passage = None
        if record is not None and sentence is not None:
            decision = record.decision(sentence)
            note = decision.note if decision else ""
            self.decision.show_note(f"Note on sentence {sentence.number} of {record.id}", note)
            self.view.show_sentence(
                sentence,
                self._quotations.get(sentence.number, []),
                self._citations.get(sentence.number, []),
                decision,
                record.audit.notes[-1] if record.audit.notes else "",
            )
        elif self.view.sentence is not None:
            self.decision.note_field.clear()
            self.view.show_gone()
        self._allow()

    def current_item(self) -> object:
        """Return the passage around the source that has the focus."""
        return self.sources.passage

    def state(self) -> Any:
        """Return which audit and sentence are selected."""
        record = self.record()
        return (record.id, self.number()) if record else None

    def restore(self, state: Any) -> None:
        """Select a sentence of an audit again."""
        if not state:
            return
        identity, number = state
        index = next((index for index, record in enumerate(self.records) if record.id == identity), -1)
        if index >= 0:
            self.reports.setCurrentIndex(index)
            if not any(sentence.number == number for sentence in self.page.items()):
                self.which.setCurrentIndex(self.which.findData(_EVERY))
            self._list(number)

    def _allow(self) -> None:
        is_free, record, sentence = self.job.task is None, self.record(), self.chosen()
        can_write = record is not None and bool(record.id) and not self.session.read_only
        can_decide = can_write and sentence is not None and sentence.is_in_doubt
        decision = record.decision(sentence) if record is not None and sentence is not None else None
        self._show_empty()
        self.audit_action.setEnabled(is_free)
        self.paste_action.setEnabled(is_free)
        self.again_action.setEnabled(is_free and record is not None)
        self.job.offer_stop(self.stop_action, self.stop_button)
        self.accept_action.setEnabled(can_decide)
        self.overrule_action.setEnabled(can_decide)
        self.note_action.setEnabled(can_decide)
        self.decision.note_field.setEnabled(can_decide)
        self.reopen_action.setEnabled(can_write and decision is not None)
        self.remove_action.setEnabled(can_write)
        self.open_action.setEnabled(bool(self.view.area.sources) and sentence is not None)
        self.export_button.setVisible(record is not None)
        for action in self.export_actions:
            action.setEnabled(record is not None)

    # --- auditing ----------------------------------------------------------------------------------------------------

    def choose(self) -> None:
        """Ask for a report and audit it."""
        path = file_dialogs.ask_report(self, self._folder())
        if path is not None:
            self.audit(path)

    def paste(self) -> None:
        """Audit the text that was copied in another program, under its first words."""
        text = QGuiApplication.clipboard().text()
        words = re.findall(r"\w+", text)
        if not words:
            self.session.tell(_NOTHING_COPIED)
            return
        name = f"Pasted text, {' '.join(words[:_WORDS_IN_NAME])}.txt"
        self._texts[name] = text.encode("utf-8")
        self.audit(Path(name))

    def audit(self, path: Path, password: str = "") -> None:
        """Audit a report, beside the work; the password of one that is protected is asked for, and never kept."""
        if self.job.task is not None:
            return

        def audited(bench: Workbench, progress: Progress) -> AuditRecord | PasswordNeeded:
            try:
                return bench.audits.audit(path, progress, password=password, keep=True, data=self._texts.get(path.name))
            except PasswordNeeded as error:
                return error

        def done(result: AuditRecord | PasswordNeeded) -> None:
            if isinstance(result, PasswordNeeded):
                self.job.finish()
                self._ask_password(path, result)
            else:
                self._show_audit(result)

        task = self.session.run(
            f"Auditing {path.name}",
            audited,
            done=done,
            initiator=self,
            for_person=True,
            again=lambda: self.audit(path),
        )
        if self.job.begin(task) and path.name not in self._texts:
            self._files[path.name] = path

    def _ask_password(self, path: Path, error: PasswordNeeded) -> None:
        password = file_dialogs.ask_password(self, [path.name], error.sentence)
        if password:
            self.audit(path, password)

    def _again(self) -> None:
        record = self.record()
        if record is None:
            return
        name = record.audit.file
        path = Path(name) if name in self._texts else self._files.get(name)
        if path is not None and (name in self._texts or path.is_file()):
            self.audit(path)
        else:
            self.choose()

    def _show_audit(self, record: AuditRecord) -> None:
        self.records = [record, *(earlier for earlier in self.records if earlier.id != record.id or not earlier.id)]
        with QSignalBlocker(self.which):
            self.which.setCurrentIndex(0)
        self._fill_reports(record.id, by_person=False)
        count = sum(self._needs_look(sentence) for sentence in record.audit.sentences)
        announce(self, f"{counted(count, 'sentence')} to look at" if count else self.empty.sentence.text())
        self.session.changed.emit(Changes(results=True), self)
        self.list.setFocus()

    def _folder(self) -> Path:
        path = next(iter(self._files.values()), None)
        if path is None and self.session.workbench is not None:
            path = self.session.workbench.path
        return path.parent if path is not None else Path.home()

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _decide(self, status: str) -> None:
        record, sentence = self.record(), self.chosen()
        if record is None or sentence is None:
            return
        note = self.decision.note() if status else ""
        row, former = self.list.currentRow(), record.decision(sentence)
        changes = self.session.do(
            lambda bench: bench.audits.decide(record.id, sentence.number, status, note), initiator=self
        )
        if changes is None:
            return
        self.decision.draft.end()
        self.session.tell(DECIDED.get(status, "Decision taken back"), undo=True)
        following = self.list.item(row + 1) if status and former is None else None
        number = following.data(TARGET).number if following is not None else sentence.number
        current = self.session.do(lambda bench: bench.audits.get(record.id))
        if current is not None:
            self.records[self.reports.currentIndex()] = current
        self._list(number)  # to the next one, as in the review
        self.list.setFocus()

    def _keep_note(self, note: str) -> None:
        """Keep the note with the decision that stands; without one it waits for the decision."""
        self.list.setFocus()
        record, sentence = self.record(), self.chosen()
        decision = record.decision(sentence) if record is not None and sentence is not None else None
        if decision is not None and note != decision.note:
            self._decide(decision.status)

    def _remove(self) -> None:
        record = self.record()
        if record is not None and record.id:
            self.session.do(lambda bench: bench.audits.remove(record.id), initiator=self)
            self.session.tell(f"{record.id} was removed", undo=True)
            self.refresh()

    # --- sources -----------------------------------------------------------------------------------------------------

    def _step(self, rows: int) -> None:
        row = min(max(self.list.currentRow() + rows, 0), self.list.count() - 1)
        if row >= 0:
            self.list.setCurrentRow(row)
            self.list.setFocus()

    def _open_first(self) -> None:
        area = self.view.area
        self.sources.open(area.quote_in_hand() or next((source.quote for source in area.sources), None))

    # --- export ------------------------------------------------------------------------------------------------------

    def export(self, ending: str) -> None:
        """Write the selected audit as a file."""
        record = self.record()
        if record is None:
            return
        words = FORMS[ending]
        proposal = self._folder() / f"{Path(record.audit.file).stem} audit{ending}"
        target = file_dialogs.ask_target(
            self,
            "Export the audit",
            proposal,
            f"{words[:1].upper()}{words[1:]} (*{ending})",
            lambda path: path if path.suffix.lower() == ending else path.with_name(path.name + ending),
        )
        if target is None:
            return
        report = self._files.get(record.audit.file)
        self.session.run(
            f"Writing {target.name}",
            lambda bench, progress: bench.audits.write(record, target, report=report, progress=progress),
            done=self._tell_file,
            initiator=self,
        )

    def _tell_file(self, file: ReportFile) -> None:
        self.session.tell(f"Saved: {file.file.name}.{self.session.in_clear}")

    # --- drops -------------------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take one file."""
        if len(self._dropped(event)) == 1 and self.job.task is None:
            event.acceptProposedAction()
            self.session.status.emit("Drop to audit this report.")

    def dropEvent(self, event: QDropEvent) -> None:
        """Audit what was dropped."""
        event.acceptProposedAction()
        self.session.status.emit("")
        self.audit(self._dropped(event)[0])

    @staticmethod
    def _dropped(event: QDropEvent) -> list[Path]:
        urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
        return [path for path in (Path(url.toLocalFile()) for url in urls) if path.is_file()]


def _texts(record: AuditRecord, number: int) -> list[str]:
    """Return the text of the sentence of that number in a report, if it has one."""
    return [sentence.text for sentence in record.audit.sentences if sentence.number == number]
