"""The thing selected, always in the same order: its words, where they are, what was made of them, actions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from core.domain import Changes, Document, Evidence, Hypothesis, Passage, Proposal
from core.errors import NoSuchItem
from gui_app.documents.documents_model import Chosen
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import vbox
from gui_app.shared.selected_cell import Cell
from gui_app.shell.cell_detail import CellDetail
from gui_app.shell.detail_page import DetailPage
from gui_app.shell.document_details import show_document, show_documents
from gui_app.shell.document_form import DocumentFields
from gui_app.shell.evidence_details import making, show_evidence
from gui_app.shell.hypothesis_details import show_hypothesis
from gui_app.shell.proposal_details import show_passage, show_proposal

if TYPE_CHECKING:
    from core.workbench import Workbench

WIDTH = 324
# What a change must concern for a thing on show to be read again.
_SHOWS: dict[type, Changes] = {
    Cell: Changes(evidence=True, matrix=True, hypotheses=True),
    Proposal: Changes(proposals=True),
    Evidence: Changes(evidence=True, matrix=True, hypotheses=True),
    Document: Changes(documents=True),
    Chosen: Changes(documents=True),
    Hypothesis: Changes(hypotheses=True, matrix=True),
}
_CELL_MS = 60  # before another cell is shown: a held arrow key is never waited for


class DetailPanel(QFrame):
    """The details of one value at a time, read again when the case changes.

    ``chosen(evidence, hypothesis)`` when another cell of a row was asked for here, ``searched(text)`` when something is
    to be looked for, ``edit(hypothesis)`` when one is to be reworded, ``gone()`` when the case no longer has what was
    on show.
    """

    show_source = Signal(str, int, int, int)
    edit = Signal(str)
    gone = Signal()
    chosen = Signal(str, str)
    searched = Signal(str)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._value: object = None
        self._cell: CellDetail | None = None
        self._fields: DocumentFields | None = None
        self.setProperty("kind", "panel")
        self.setAccessibleName("Details of what is selected")
        self.setMinimumWidth(theme.px(296))
        column = vbox(self, spacing=0)
        self._head = plain("DETAIL", "section")
        self._head.setContentsMargins(16, 16, 16, 8)
        column.addWidget(self._head)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setStyleSheet("QScrollArea { background: transparent; border: none; }")
        column.addWidget(self._scroll, 1)
        self._line = line()
        column.addWidget(self._line)
        self._actions = QWidget()
        self._buttons = vbox(self._actions, margins=(16, 12, 16, 12), spacing=8)
        column.addWidget(self._actions)
        self._action_buttons: list[QPushButton] = []
        self._cell_timer = QTimer(self)
        self._cell_timer.setSingleShot(True)
        self._cell_timer.setInterval(_CELL_MS)
        self._cell_timer.timeout.connect(self._build)
        self._scroll_position = 0
        session.changed.connect(self._case_changed)
        session.opened.connect(self._case_opened)
        theme.changed.connect(self._restyled)
        self.show_value(None)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def shown(self) -> object:
        """Return the value on show."""
        return self._value

    def show_value(self, value: object) -> None:
        """Show a Document, Passage, Proposal, Evidence, Cell or Hypothesis; None empties the panel."""
        wait = isinstance(value, Cell) and isinstance(self._value, Cell) and not _same(value, self._value)
        self._scroll_position = self._scroll.verticalScrollBar().value() if _same(value, self._value) else 0
        self._value = value
        if wait:
            self._cell_timer.start()
        else:
            self._build()

    def _build(self) -> None:
        value = self._value
        self._cell_timer.stop()
        self._begin()
        if isinstance(value, Proposal):
            self._proposal(value)
        elif isinstance(value, Evidence):
            self._evidence(value, "")
        elif isinstance(value, Cell):
            self._evidence(value.evidence, value.hypothesis)
        elif isinstance(value, Passage):
            self._passage(value)
        elif isinstance(value, Document):
            self._document(value)
        elif isinstance(value, Chosen):
            self._several(value)
        elif isinstance(value, Hypothesis):
            self._hypothesis(value)
        else:
            self._head.setText("DETAIL")
            self._page.add(
                plain("Select a document, a passage or a piece of evidence to see it here.", "muted", wrap=True)
            )
        self._page.finish()
        has_buttons = bool(self._action_buttons)
        self._actions.setVisible(has_buttons)
        self._line.setVisible(has_buttons)

    def _case_opened(self) -> None:
        self.show_value(None)

    def _restyled(self) -> None:
        self.setMinimumWidth(theme.px(296))
        if self._session.workbench is not None:
            self.show_value(self._value)

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        value = self._value
        if self._session.workbench is None or value is None:
            return
        if not changes & _SHOWS.get(type(value), Changes()):
            return
        fresh = self._session.do(lambda bench: _again(bench, value))
        if initiator is not None and initiator in (self._cell, self._fields):
            self._value = fresh  # it shows what it did by itself, and the person may be writing in it
            return
        if fresh != value or changes & Changes(matrix=True, hypotheses=True):
            self.show_value(fresh)
        if fresh is None:
            self.gone.emit()

    # --- the kinds ---------------------------------------------------------------------------------------------------

    def _proposal(self, proposal: Proposal) -> None:
        self._head.setText(f"PROPOSAL {proposal.id}")
        show_proposal(self._page, proposal)
        quote = proposal.quote
        if proposal.status == "pending":
            self._button("Accept as evidence", lambda: self._accept(proposal.id), primary=True)
            self._button("Reject", lambda: self._reject(proposal.id))
        self._button("Show the page", lambda: self._source(quote.document, quote.page, quote.start, quote.end))

    def _evidence(self, evidence: Evidence, hypothesis: str) -> None:
        self._head.setText(f"EVIDENCE {evidence.id}" + (f" × {hypothesis}" if hypothesis else ""))
        show_evidence(self._page, evidence)
        self._page.add(line())
        self._cell = CellDetail(self._session, evidence, hypothesis)
        self._cell.picked.connect(lambda h: self._pick(evidence.id, h))
        self._cell.filled.connect(self._scroll_back)
        self._page.add(self._cell)
        self._page.facts(making(evidence))
        document, page = evidence.document, evidence.page
        if document is not None and page is not None:
            start, end = evidence.start or 0, evidence.end or 0
            self._button("Show the page", lambda: self._source(document, page, start, end), primary=True)
        self._button("Remove", lambda: self._remove(evidence.id))

    def _passage(self, passage: Passage) -> None:
        self._head.setText(f"PASSAGE {passage.rank}")
        show_passage(self._page, passage)
        position = (passage.document, passage.page, passage.start, passage.end)
        self._button("Show the page", lambda: self._source(*position), primary=True)
        self._button("Add as evidence", lambda: self._add_quote(*position))

    def _document(self, document: Document) -> None:
        self._head.setText(f"DOCUMENT {document.id}")
        self._fields = show_document(self._page, document)
        if self._fields is not None:
            self._button("Open", lambda: self._source(document.id, 1, 0, 0), primary=True)
            word = "Exclude from searches" if document.included else "Include in searches"
            self._button(word, lambda: self._include(document))
        self._button("Copy the SHA-256", lambda: QGuiApplication.clipboard().setText(document.sha256))

    def _several(self, choice: Chosen) -> None:
        self._head.setText(f"{len(choice.documents)} DOCUMENTS")
        self._fields = show_documents(self._page, choice)

    def _hypothesis(self, hypothesis: Hypothesis) -> None:
        self._head.setText(f"HYPOTHESIS {hypothesis.id}")
        show_hypothesis(self._page, hypothesis)
        self._button("Edit", lambda: self.edit.emit(hypothesis.id))

    def _scroll_back(self) -> None:
        """Scroll to where the person was, when the same row is shown again."""
        if self._scroll_position:
            position, self._scroll_position = self._scroll_position, 0
            QTimer.singleShot(0, self, lambda: self._scroll.verticalScrollBar().setValue(position))

    def _pick(self, evidence: str, hypothesis: str) -> None:
        """Show another cell of the row on show."""
        item = self._session.do(lambda bench: next((e for e in bench.evidence.all() if e.id == evidence), None))
        if item is not None:
            self.show_value(Cell(item, hypothesis))
            self.chosen.emit(evidence, hypothesis)

    def edit_fields(self) -> None:
        """Put the cursor into the fields of the documents on show."""
        if self._fields is not None:
            self._fields.tags.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._cell = None
        self._fields = None
        self._page = DetailPage(self._session)
        self._page.searched.connect(self.searched)
        self._scroll.setWidget(self._page.widget)
        for button in self._action_buttons:
            self._buttons.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._action_buttons.clear()

    def _button(self, text: str, on_press: Callable[[], object], *, primary: bool = False) -> None:
        button = QPushButton(text)
        if primary:
            button.setProperty("kind", "primary")
        changes_the_case = text not in ("Open", "Show the page", "Edit", "Copy the SHA-256")
        button.setEnabled(not (changes_the_case and self._session.read_only))
        value = self._value
        button.clicked.connect(lambda _on=False: self._press(value, on_press))
        self._buttons.addWidget(button)
        self._action_buttons.append(button)

    def _press(self, value: object, on_press: Callable[[], object]) -> None:
        """Do what a button says, as long as the thing it was made for is the one selected and the case has it."""
        if value != self._value and not _same(value, self._value):
            return  # another cell was gone to, and its details are a moment away
        if self._session.do(lambda bench: _again(bench, value)) is None:
            self.show_value(None)
            self.gone.emit()
            return
        on_press()

    # --- actions -----------------------------------------------------------------------------------------------------

    def _source(self, document: str, page: int, start: int, end: int) -> None:
        self.show_source.emit(document, page, start, end)

    def _accept(self, proposal: str) -> None:
        acceptance = self._session.do(lambda bench: bench.review.accept([proposal], rate=True))
        if acceptance is not None:
            self._session.tell(f"Accepted as {', '.join(pair[0] for pair in acceptance.pairs)}", undo=True)
            if isinstance(self._value, Proposal) and self._value.id == proposal:  # no screen went on to the next
                self._show_evidence(acceptance.pairs[0][0])

    def _reject(self, proposal: str) -> None:
        if self._session.do(lambda bench: bench.review.reject([proposal])) is not None:
            self._session.tell(f"Rejected {proposal}", undo=True)

    def _remove(self, evidence: str) -> None:
        if self._session.do(lambda bench: bench.evidence.remove(evidence)) is not None:
            self._session.tell(f"Removed {evidence}", undo=True)

    def _include(self, document: Document) -> None:
        in_scope = not document.included
        if self._session.do(lambda bench: bench.documents.set_included([document.id], in_scope)) is not None:
            self._session.tell(f"{document.name} {'put in' if in_scope else 'taken out of'} scope", undo=True)

    def _add_quote(self, document: str, page: int, start: int, end: int) -> None:
        addition = self._session.do(lambda bench: bench.evidence.add_quote(document, page, start, end))
        if addition is not None:
            message = "Added as {0}" if addition.new else "This quote is in the matrix already: {0}"
            self._session.tell(message.format(addition.id), undo=addition.new)
            self._show_evidence(addition.id)

    def _show_evidence(self, identity: str) -> None:
        evidence = self._session.do(
            lambda bench: next((row for row in bench.evidence.all() if row.id == identity), None)
        )
        if evidence is not None:
            self.show_value(evidence)


def _again(bench: Workbench, value: object) -> object:
    """Return the same thing as it is now; None when it is gone. A passage does not change."""
    if isinstance(value, Proposal):
        with suppress(NoSuchItem):
            return bench.verdicts.proposals_of([value.id])[0]
        return None
    if isinstance(value, Evidence):
        return next((e for e in bench.evidence.all() if e.id == value.id), None)
    if isinstance(value, Cell):
        item = next((e for e in bench.evidence.all() if e.id == value.evidence.id), None)
        is_present = any(h.id == value.hypothesis for h in bench.hypotheses.all())
        return None if item is None else Cell(item, value.hypothesis if is_present else "")
    if isinstance(value, Document):
        return _document(bench, value.id)
    if isinstance(value, Chosen):
        current = [_document(bench, document.id) for document in value.documents]
        documents = tuple(document for document in current if document is not None)
        return Chosen(documents) if len(documents) > 1 else documents[0] if documents else None
    if isinstance(value, Hypothesis):
        return next((h for h in bench.hypotheses.all() if h.id == value.id), None)
    return value


def _document(bench: Workbench, identity: str) -> Document | None:
    """Return a document as it is now, be it one that could not be read; None when it is gone."""
    return next((d for d in (*bench.documents.all(), *bench.documents.failed()) if d.id == identity), None)


def _same(value: object, other_value: object) -> bool:
    """Return whether two values are of the same row, document or hypothesis."""
    left = value.evidence if isinstance(value, Cell) else value
    right = other_value.evidence if isinstance(other_value, Cell) else other_value
    identity = getattr(left, "id", None)
    return type(left) is type(right) and identity is not None and identity == getattr(right, "id", None)
