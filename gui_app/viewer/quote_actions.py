"""What can be done with the words picked on a page: evidence, note, copy, search, name, a quote over a page break."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication

from core.domain import Changes, Evidence
from gui_app.shared.field_draft import FieldDraft
from gui_app.viewer.marks import PageSpan, check_of, citation

if TYPE_CHECKING:
    from core.workbench import Workbench
    from gui_app.viewer.screen import ViewerScreen

MAX_NAME_CHARS = 100


class QuoteActions:
    """The verbs on what is picked in the pane that the person works in."""

    def __init__(self, screen: ViewerScreen) -> None:
        self._screen = screen
        self._session = screen.session
        self._draft = FieldDraft(screen.session, screen.selection_bar.note)

    def _spans(self) -> list[PageSpan]:
        spans = self._screen.active.selected_spans()
        if not spans:
            self._session.status.emit("Select some words first.")
        return spans

    def add(self) -> None:
        """Make evidence of the picked text, or of the span on show."""
        self._add("")

    def _add(self, note: str) -> None:
        pane, spans = self._screen.active, self._spans()
        content = pane.content
        if content is None or not spans:
            return
        first, *more = spans

        def add(bench: Workbench) -> Any:
            further = [(part.page, part.start, part.end) for part in more]
            return bench.evidence.add_quote(
                content.document.id, first.page, first.start, first.end, more=further, note=note
            )

        evidence = self._session.do(add, initiator=self._screen)
        if evidence is None:
            return
        self._draft.end()
        pane.clear_selection()
        self._screen.selection_bar.hide()
        last = spans[-1]
        if last.page == content.page.number:
            pane.span = (last.start, last.end)
            pane.update_marks()
            self._screen.show_side()
        message = "{id} added to the matrix, with the note" if note else "{id} added to the matrix"
        if not evidence.new:
            message = "This quote is in the matrix already: {id}"
        self._session.tell(message.format(id=evidence.id), undo=evidence.new)
        self._screen.forget_pick()
        self._screen.tell_made(evidence.id)

    def ask_note(self) -> None:
        """Ask for a note on the quote: one that is in the matrix already, or one that is added with it."""
        spans = self._spans()
        if not spans:
            return
        thing = self._screen.active.thing_at(spans[-1].start, spans[-1].end)
        bar = self._screen.selection_bar
        if not bar.isVisible():
            bar.stand_by(QRect(self._screen.width() // 2, self._screen.height() // 3, 1, 1))
        bar.ask_note(thing.note if isinstance(thing, Evidence) else "")
        self._draft.begin(f"Note on {thing.id}" if isinstance(thing, Evidence) else "Note on a quote")

    def keep_note(self, text: str) -> None:
        """Keep the note typed in the bar."""
        spans = self._spans()
        thing = self._screen.active.thing_at(spans[-1].start, spans[-1].end) if spans else None
        self._screen.selection_bar.hide()
        self._screen.active.view().setFocus()
        if isinstance(thing, Evidence):
            evidence = thing.id
            changes = self._session.do(
                lambda bench: bench.evidence.describe([evidence], note=text.strip()), initiator=self._screen
            )
            if changes is not None:
                self._draft.end()
                self._session.tell(f"Note of {evidence} saved", undo=True)
        elif spans and text.strip():
            self._add(text.strip())

    def copy(self) -> None:
        """Copy the picked text with document, page and section to the clipboard."""
        pane, spans = self._screen.active, self._spans()
        content = pane.content
        if content is None or not spans:
            return
        check = self._session.do(lambda bench: check_of(bench, content.document.id, spans)) or ""
        QGuiApplication.clipboard().setText(citation(content, spans, pane.labels, check=check))
        self._session.status.emit("Copied with its citation.")

    def search_similar(self) -> None:
        """Search the case for passages like the picked text."""
        spans = self._spans()
        if spans:
            self._screen.selection_bar.hide()
            self._screen.search_wanted.emit(" ".join(" ".join(span.text.split()) for span in spans))

    def add_name(self) -> None:
        """Keep the picked words as a name of the case, in its gazetteer."""
        pane = self._screen.active
        spans = pane.selected_spans() if pane.selection() is not None else []
        if not spans:
            self._session.status.emit("Select a name first.")
            return
        name = " ".join(spans[-1].text.split()).strip('.,;:!?()[]“”"')
        if len(name) > MAX_NAME_CHARS or not name:
            self._session.status.emit("This is too long for a name: select only the name.")
            return
        entity = self._session.do(lambda bench: bench.entities.add(name), initiator=self._screen)
        if entity is not None:
            self._screen.selection_bar.hide()
            self._session.changed.emit(Changes(documents=True), self._screen)
            self._session.tell(f"“{entity.name}” is in the names", undo=True)

    def go_on(self) -> None:
        """Take the picked words as the beginning of a quote that goes on on the next page."""
        pane = self._screen.active
        if not pane.carry_over():
            last = pane.content is not None and pane.selection() is not None
            self._session.status.emit("This is the last page." if last else "Select the beginning of the quote first.")
            return
        self._screen.turn(1)
        self._screen.active.view().setFocus()
