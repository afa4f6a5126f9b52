"""A line that says how far the passages have vectors of the search model, and offers what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget

from core.domain import Changes
from gui_app.session import REST_OF_INDEXING, CaseSession
from gui_app.shared import file_dialogs
from gui_app.shared.formatting import file_size
from gui_app.shared.info_bar import InfoBar

if TYPE_CHECKING:
    from core.search.embedding_index import Embedding, EmbedReport
    from gui_app.tasks import Task

_SETTLE_MS = 250  # what grows is told a few times a second


class IndexStatusBar(InfoBar):
    """A line on ``screen`` while something is to be said of the index.

    ``tidying``: vectors that are no longer needed are offered to be forgotten, and a case in several languages a model
    that knows them.
    """

    def __init__(self, session: CaseSession, screen: QWidget, *, tidying: bool) -> None:
        super().__init__(screen)
        outer = self.layout()
        if outer is not None:
            outer.setContentsMargins(16, 8, 16, 8)
        self.session = session
        self.state: Embedding | None = None
        self._screen = screen
        self._tidying = tidying
        self._running: Task | None = None
        self._declined = False
        self.embed_button = self.add_button("Make them searchable", self.embed)
        self.forget_button = self.add_button("", self.forget)
        self.forget_button.setAccessibleName("Delete vectors that are no longer needed")
        self.choose_button = self.add_button("Choose the search model", self.choose)
        self.choose_button.setAccessibleName("Choose the folder of the search model")
        self.offer_button = self.add_button("Search across languages", self.accept_offer)
        self.offer_button.setAccessibleName("Search with the model of many languages from now on")
        self.decline_button = self.add_button("Not now", self.decline_offer)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SETTLE_MS)
        self._soon.timeout.connect(self.refresh)
        screen.installEventFilter(self)
        session.changed.connect(self._case_changed)
        session.opened.connect(self._restart)

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Ask the case again, beside the work: the search model may have to start."""
        if self.session.workbench is None:
            self.hide()
            return
        self.session.read(
            lambda bench: bench.index.status(), self.show_state, key=self, failed=lambda _error: self.hide()
        )

    def show_state(self, state: Embedding) -> None:
        """Show what can be searched by meaning, and offer what can be done about the rest."""
        self.state = state
        running = self.session.tasks.busy()  # what runs may be just this, or be followed by it
        writable = not self.session.read_only
        leftovers = tuple(vectors for vectors in state.others if self._tidying and state.model and not state.waiting)
        self.embed_button.setVisible(bool(state.model and state.waiting) and writable and not running)
        self.choose_button.setVisible(not state.model)
        self.forget_button.setVisible(bool(leftovers) and writable and not running)
        offer = state.offer if self._tidying and writable and not (running or state.sentence or self._declined) else ""
        self.offer_button.setVisible(bool(offer))
        self.decline_button.setVisible(bool(offer))
        if state.sentence:
            self.say(state.sentence)
        elif offer:
            self.forget_button.hide()
            self.say(offer)
        elif leftovers:
            from core.search.embedding_index import distinct_name, name_of

            names = " and ".join(dict.fromkeys(distinct_name(vectors.model, state.model) for vectors in leftovers))
            size = file_size(sum(vectors.size for vectors in leftovers))
            self.forget_button.setText(f"Delete the vectors of {names}: {size}")
            self.say(
                f"All {state.passages:,} passages are searched by meaning with {name_of(state.model)}; "
                f"vectors of {names} are stored too."
            )
        else:
            self.hide()

    def eventFilter(self, source: QObject, event: QEvent) -> bool:
        """Ask again when the screen comes on show."""
        if source is self._screen and event.type() == QEvent.Type.Show:
            self._soon.start()
        return super().eventFilter(source, event)

    def _case_changed(self, changes: Changes, _initiator: object) -> None:
        # An import tells what grows now and then: not every time is worth the question.
        if changes.documents and self._screen.isVisible() and not self._soon.isActive():
            self._soon.start()

    def _restart(self) -> None:
        self.state = None
        self._running = None
        self._declined = False
        self.hide()
        if self._screen.isVisible():
            self._soon.start()

    # --- doing -------------------------------------------------------------------------------------------------------

    def embed(self) -> None:
        """Compute vectors of the present model for all passages; a stop keeps what was done."""
        self.embed_button.hide()
        self._running = self.session.run(
            "Indexing for search by meaning",
            lambda bench, progress: bench.index.build(progress),
            done=self._show_report,
            initiator=self,
            partial=Changes(documents=True),
            rest=REST_OF_INDEXING,
            again=self.embed,
        )
        if self._running is not None:
            self._running.ended.connect(self._soon.start, Qt.ConnectionType.QueuedConnection)

    def _show_report(self, report: EmbedReport) -> None:
        self.show_state(report.embedding)

    def forget(self) -> None:
        """Delete the vectors that are no longer needed."""
        self.session.do(lambda bench: bench.index.forget(), initiator=self)
        self.refresh()

    def accept_offer(self) -> None:
        """Search with the model of many languages from now on; vectors are made when a person asks for them."""
        from core import paths

        self.session.choose_search_model(paths.model(paths.MULTILINGUAL))

    def decline_offer(self) -> None:
        """Hide the offer of the model of many languages until the case is opened again."""
        self._declined = True
        self.refresh()

    def choose(self) -> None:
        """Ask for the folder of another search model."""
        from core import paths

        folder = file_dialogs.ask_folder(self, "The folder of a search model", paths.models())
        if folder is not None:
            self.session.choose_search_model(folder)
