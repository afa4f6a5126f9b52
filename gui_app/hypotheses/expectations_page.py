"""What one would expect if a hypothesis were true: search for it, look at what comes, record that it is not found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from core.domain import Absence, Evidence, Hypothesis
from core.errors import AppError
from gui_app.hypotheses.considerations_page import AboutChoice
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import counted, flowing, when
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.snippet_list import TARGET, SnippetList

if TYPE_CHECKING:
    from core.hypotheses.service import Added
    from core.search.service import SearchResult

_MAX_PASSAGES = 12  # of one search that are listed


def not_found(absence: Absence) -> str:
    """Return what was done, and no more than that: 'searched 400 passages in 12 documents; not found'."""
    passages, documents = counted(absence.passages, "passage"), counted(absence.documents, "document")
    outcome = f"; {absence.found} of them were added as evidence" if absence.found else "; not found"
    gaps = f" (not searched: {absence.gaps})" if absence.gaps else ""
    return f"searched {passages} in {documents}{gaps}{outcome}"


class ExpectationsPage(QWidget):
    """The form above; below it what the searches found, or what was recorded before."""

    show_source = Signal(str, int, int, int)
    selected = Signal(object)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.results: tuple[SearchResult, ...] = ()
        self._request: tuple[str, str, tuple[str, ...]] | None = None
        self._rows: list[Evidence] = []
        self._writable = True
        self.setAccessibleName("Expected evidence")
        column = vbox(self, spacing=0)
        intro = plain(
            (
                "If a hypothesis were true, what would you expect to find? What was searched for and not found becomes "
                "a row of the matrix and is rated like any other."
            ),
            "muted",
            wrap=True,
        )
        intro.setContentsMargins(24, 12, 24, 8)
        column.addWidget(intro)
        form = QGridLayout()
        form.setContentsMargins(24, 0, 24, 12)
        form.setHorizontalSpacing(8)
        form.setVerticalSpacing(8)
        form.setColumnStretch(1, 1)
        under = plain("Expected under", "muted")
        form.addWidget(under, 0, 0, Qt.AlignmentFlag.AlignTop)
        self.about = AboutChoice("Expected under which hypothesis")
        self.field = QLineEdit()
        self.field.setPlaceholderText("What you would expect to find if it were true")
        self.field.setAccessibleName("What you would expect to find")
        self.field.returnPressed.connect(self._to_queries)
        first = hbox(spacing=8)
        first.addWidget(self.about)
        first.addWidget(self.field, 1)
        upper = vbox()  # in which an offer of unsaved text has its place, above the second field
        upper.addLayout(first)
        form.addLayout(upper, 0, 1)
        under.setFixedHeight(self.field.sizeHint().height())
        form.addWidget(plain("Searches", "muted"), 1, 0, Qt.AlignmentFlag.AlignTop)
        self.queries = QPlainTextEdit()
        self.queries.setPlaceholderText("One per line: other words for the same thing find more")
        self.queries.setAccessibleName("Searches, one per line")
        self.queries.setProperty("kind", "field")
        self.queries.setTabChangesFocus(True)
        self.queries.setFixedHeight(theme.px(60))
        self.queries.installEventFilter(self)
        FieldDraft(self.session, self.field, "What is expected")
        FieldDraft(self.session, self.queries, "Searches for what is expected")
        second = hbox(spacing=8)
        second.addWidget(self.queries, 1)
        self.search_button = QPushButton("Search")
        self.search_button.setProperty("kind", "primary")
        self.search_button.setToolTip("Search for what is expected (Enter)")
        self.search_button.setAccessibleName("Search for what is expected")
        self.search_button.clicked.connect(self.search)
        second.addWidget(self.search_button, 0, Qt.AlignmentFlag.AlignTop)
        form.addLayout(second, 1, 1)
        column.addLayout(form)
        column.addWidget(line())

        head = hbox(margins=(24, 8, 24, 8), spacing=8)
        self.summary = plain("", "strong", wrap=True)
        head.addWidget(self.summary, 1)
        self.again_button = QPushButton("Search again")
        self.again_button.setAccessibleName("Run the searches of the recorded row again")
        self.again_button.clicked.connect(self.search_again)
        head.addWidget(self.again_button)
        self.keep_button = QPushButton("It is there: add the passage")
        self.keep_button.setAccessibleName("Add the passage as evidence")
        self.keep_button.clicked.connect(self.keep)
        head.addWidget(self.keep_button)
        self.record_button = QPushButton("Record as not found")
        self.record_button.setAccessibleName("Record as not found")
        self.record_button.clicked.connect(self.record)
        head.addWidget(self.record_button)
        self._head = QWidget()
        self._head.setLayout(head)
        column.addWidget(self._head)
        self.hits = SnippetList("Passages found by the searches", quotes=True, lines=3)
        self.hits.chosen.connect(lambda place: self.show_source.emit(*place))
        self._lists = QWidget()
        lists_row = QHBoxLayout(self._lists)
        lists_row.setContentsMargins(8, 0, 8, 0)  # with the text above: a snippet has 16 pixels of its own
        lists_row.addWidget(self.hits)
        self.absences = SnippetList("Recorded as not found", quotes=False, lines=4)
        self.absences.chosen.connect(self.selected)
        self.absences.currentRowChanged.connect(lambda _at: self._name_buttons())
        lists_row.addWidget(self.absences)
        column.addWidget(self._lists, 1)
        self.empty = EmptyState("search", "Nothing expected under a hypothesis has been searched for yet.")
        column.addWidget(self.empty, 1)
        self.setFocusProxy(self.field)
        theme.changed.connect(self._restyled)
        self._show()

    # --- showing -----------------------------------------------------------------------------------------------------

    def show_rows(self, hypotheses: Sequence[Hypothesis], evidence: Sequence[Evidence], *, writable: bool) -> None:
        """Show the hypotheses to choose from and the rows recorded so far."""
        self._writable = writable
        self.about.show_hypotheses(hypotheses)
        self._rows = [row for row in evidence if row.absence is not None]
        number = self.absences.currentRow()
        self.absences.clear()
        for row in self._rows:
            absence = row.absence
            if absence is not None:
                title = f"{row.id} · expected under {absence.hypothesis} · {when(absence.at)}"
                queries = ", ".join(f"“{query}”" for query in absence.queries)
                self.absences.add(title, f"{row.text}: {not_found(absence)}. Searches: {queries}", row)
        if self._rows:
            self.absences.setCurrentRow(min(max(number, 0), len(self._rows) - 1))
        self._show()

    def reset(self) -> None:
        """Show nothing of the case before."""
        self._forget()
        self.field.clear()
        self.queries.clear()
        self._rows = []
        self.absences.clear()
        self._show()

    def begin(self, hypothesis: str = "") -> None:
        """Make ready to write down what is expected under ``hypothesis``."""
        if hypothesis:
            self.about.choose(hypothesis)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show(self) -> None:
        has_search = self._request is not None
        self.hits.setVisible(has_search)
        self.absences.setVisible(not has_search and bool(self._rows))
        self._lists.setVisible(has_search or bool(self._rows))
        self.empty.setVisible(not has_search and not self._rows)
        self.empty.say(
            "Nothing expected under a hypothesis has been searched for yet."
            if self.about.count()
            else "Add a hypothesis first: expectations need one."
        )
        self._head.setVisible(has_search or bool(self._rows))
        if not has_search:
            self.summary.setText("Recorded as not found" if self._rows else "")
        self._name_buttons()

    def _name_buttons(self) -> None:
        has_search = self._request is not None
        self.record_button.setVisible(has_search)
        self.keep_button.setVisible(has_search and self.hits.count() > 0)
        self.again_button.setVisible(not has_search and bool(self._rows))
        self.keep_button.setEnabled(self._writable)
        self.record_button.setEnabled(self._writable and bool(self.results))  # not before there is something to read
        self.search_button.setEnabled(self.about.count() > 0)
        self.search_button.setToolTip(
            "Search for what is expected (Enter)"
            if self.about.count()
            else "Add a hypothesis first: expectations need one."
        )

    def _restyled(self) -> None:
        self.queries.setFixedHeight(theme.px(60))

    def _forget(self) -> None:
        self._request = None
        self.results = ()
        self.hits.clear()

    # --- commands ----------------------------------------------------------------------------------------------------

    def _to_queries(self) -> None:
        """Go from what is expected to the words to search for; the sentence itself is the first offer."""
        text = " ".join(self.field.text().split())
        if text and not self.queries.toPlainText().strip():
            self.queries.setPlainText(text)
            self.queries.selectAll()
        self.queries.setFocus(Qt.FocusReason.OtherFocusReason)

    def request(self) -> tuple[str, str, tuple[str, ...]]:
        """Return hypothesis, what is expected, and the searches, as they are in the form."""
        lines = (" ".join(text.split()) for text in self.queries.toPlainText().splitlines())
        return self.about.chosen(), " ".join(self.field.text().split()), tuple(dict.fromkeys(filter(None, lines)))

    def search(self) -> None:
        """Search for what is expected, or go to the field that is still empty."""
        hypothesis, text, queries = self.request()
        if not hypothesis:
            self.session.status.emit("Add a hypothesis first: expectations need one.")
            return
        if not text:
            self.session.status.emit("Say what you would expect to find.")
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        if not queries:
            self._to_queries()
            hypothesis, text, queries = self.request()
        self._forget()
        self._request = hypothesis, text, queries
        self._show()
        self.summary.setText("Searching")
        self.record_button.setEnabled(False)
        self.session.read(
            lambda bench: bench.search.look_for(queries), self._show_hits, key="expected", failed=self._search_failed
        )

    def search_again(self) -> None:
        """Run the searches of a recorded row once more: documents may have come in since."""
        item = self.absences.currentItem()
        row = item.data(TARGET) if item is not None else None
        if isinstance(row, Evidence) and row.absence is not None:
            self.about.choose(row.absence.hypothesis)
            self.field.setText(row.text)
            self.queries.setPlainText("\n".join(row.absence.queries))
            self.search()

    def _show_hits(self, results: tuple[SearchResult, ...]) -> None:
        if self._request is None:
            return
        self.results = tuple(results)
        self.hits.clear()
        passages: dict[int, str] = {}
        for result in self.results:
            for passage in result.passages[:_MAX_PASSAGES]:
                if passage.chunk in passages:
                    continue
                passages[passage.chunk] = passage.document
                title = f"{passage.label} · page {passage.page} · “{result.query}”"
                place = (passage.document, passage.page, passage.start, passage.end)
                self.hits.add(title, flowing(passage.text), place)
        documents = len(set(passages.values()))
        if passages:
            summary = "{} gave {} in {}. Read them: is what you expected among them?".format(
                counted(len(self.results), "search", "searches"),
                counted(len(passages), "passage"),
                counted(documents, "document"),
            )
            self.hits.setCurrentRow(0)
        else:
            summary = "{} gave no passage.".format(counted(len(self.results), "search", "searches"))
        self.summary.setText(summary)
        self._name_buttons()
        if passages:
            self.hits.setFocus(Qt.FocusReason.OtherFocusReason)

    def _search_failed(self, error: AppError) -> None:
        self._forget()
        self._show()
        self.session.failed.emit(error)

    def keep(self) -> None:
        """Make evidence of the selected passage: what was expected is there."""
        item = self.hits.currentItem()
        if item is None or not self._writable:
            return
        document, page, start, end = item.data(TARGET)
        evidence = self.session.do(lambda bench: bench.evidence.add_quote(document, page, start, end), initiator=self)
        if evidence is not None:
            message = "Added as {0}" if evidence.new else "This quote is in the matrix already: {0}"
            self.session.tell(message.format(evidence.id), undo=evidence.new)

    def record(self) -> None:
        """Record that it was searched for and not found, with the searches and what they went through."""
        if self._request is None or not self._writable or not self.record_button.isEnabled():
            return
        request = hypothesis, text, queries = self._request
        self.record_button.setEnabled(False)

        def done(row: Added) -> None:
            self.session.tell(f"Recorded as {row.id}: rate it in the matrix", undo=True)
            if self._request is not request:
                return  # the next search is on show already
            self._forget()
            self.field.clear()
            self.queries.clear()
            self._show()
            self.absences.setCurrentRow(self.absences.count() - 1)
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

        # Beside the work, because the searches are run again so that the record says what was really searched.
        self.session.run(
            "Recording what was not found",
            lambda bench, _progress: bench.evidence.add_absence(hypothesis, text, queries),
            done=done,
            initiator=self,
        )

    def cancel(self) -> bool:
        """Go back to what was recorded; tell whether there was a search on show."""
        had_search = self._request is not None
        self._forget()
        self._show()
        return had_search

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Search on Enter; begin another line on Shift+Enter."""
        if target is self.queries and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.search()
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the search on show on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.cancel():
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        super().keyPressEvent(event)
