"""The accuracy of a case: every figure with its basis, and whether the searches meet every quote again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from core.domain import Changes
from gui_app.accuracy.figures_model import FiguresModel, RetrievalModel
from gui_app.session import CaseSession
from gui_app.shared.announce import announce
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import vbox
from gui_app.shared.screen import Screen
from gui_app.shared.screen_job import ScreenJob
from gui_app.shared.table import Table

if TYPE_CHECKING:
    from core.accuracy.figures import Figure
    from core.accuracy.service import Retrieval
    from core.progress import Progress
    from core.workbench import Workbench

_NO_QUOTES = "No quote in the matrix bears on a hypothesis yet."


class AccuracyScreen(Screen):
    """A table of the figures; below it, once asked for, the quotes with the rank at which a search meets them."""

    name = "Accuracy"
    icon = "info"
    concerns = Changes(documents=True, hypotheses=True, proposals=True, evidence=True, matrix=True, results=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.job = ScreenJob(self, self._allow)
        self._figures: tuple[Figure, ...] = ()
        self._of_quotes: tuple[Figure, ...] = ()  # on the search for every quote
        self.search_action = self.command(
            "Search for every quote again",
            "F5",
            self.search_again,
            tip="Search for each hypothesis, and look up the rank of the quotes that bear on it",
        )
        self.stop_action = self.command("Stop the search for the quotes", None, self.job.stop)
        self.open_action = self.command("Show the evidence in the matrix", "O", self._open, shown_keys="Enter")
        column = vbox(self, spacing=0)
        self.header = Header("Accuracy")
        self.header.count.setText("A case has no single accuracy")
        self.stop_button = self.header.add(self.stop_action, "Stop")
        self.header.add(self.search_action, kind="primary")
        column.addWidget(self.header)
        column.addWidget(line())
        self.figures = FiguresModel(self)
        self.table = Table(self.figures, "Figures")
        self.table.widths([104, 190, 136, 0], stretch=FiguresModel.BASIS)
        self.table.wrap()
        column.addWidget(self.table, 3)
        self.below = QWidget()
        inside = vbox(self.below, spacing=0)
        inside.addWidget(line())
        self.summary = plain("", "heading", wrap=True)
        self.summary.setContentsMargins(24, 12, 24, 8)
        inside.addWidget(self.summary)
        self.retrieval = RetrievalModel(self)
        self.quotes = Table(self.retrieval, "Quotes searched for again")
        self.quotes.widths([104, 190, 0], stretch=RetrievalModel.RANK)
        self.quotes.on_open = self._open
        self.quotes.selectionModel().selectionChanged.connect(lambda *_: self._follow())
        inside.addWidget(self.quotes, 1)
        column.addWidget(self.below, 2)
        self.below.hide()
        self.setFocusProxy(self.table)
        self._allow()

    def refresh(self) -> None:
        """Read the figures of the case again."""
        self.read(lambda bench: bench.accuracy.figures(), self._show_figures, key="accuracy")

    def forget(self) -> None:
        """Show no figures of the case before."""
        self._figures = ()
        self._drop_quotes()

    def state(self) -> Any:
        """Return which quote is selected."""
        return self.quotes.currentIndex().row()

    def restore(self, state: Any) -> None:
        """Select a quote again."""
        if isinstance(state, int) and 0 <= state < len(self.retrieval.rows):
            self.quotes.selectRow(state)
            self.quotes.setFocus()

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        if changes & Changes(documents=True, hypotheses=True, evidence=True, matrix=True):
            self._drop_quotes()  # they were looked up in the case as it was
        super()._case_changed(changes, initiator)

    def _drop_quotes(self) -> None:
        self._of_quotes = ()
        self.retrieval.show([])
        self.below.hide()
        self._show_figures(self._figures)

    def _show_figures(self, figures: tuple[Figure, ...]) -> None:
        self._figures = figures
        end = max(
            (end for end, figure in enumerate(figures, start=1) if figure.part == "retrieval"), default=len(figures)
        )
        self.figures.show((*figures[:end], *self._of_quotes, *figures[end:]))
        self._allow()

    # --- the search for every quote ----------------------------------------------------------------------------------

    def search_again(self) -> None:
        """Search for every quote again, beside the work."""
        if self.job.task is not None:
            return

        def work(bench: Workbench, progress: Progress) -> tuple[tuple[Retrieval, ...], tuple[Figure, ...]]:
            rows = bench.accuracy.retrieval(progress)
            return rows, bench.accuracy.retrieval_figures(rows)

        self.job.begin(self.session.run("Searching for every quote", work, done=self._show_quotes, initiator=self))

    def _show_quotes(self, result: tuple[tuple[Retrieval, ...], tuple[Figure, ...]]) -> None:
        rows, self._of_quotes = result
        hits = [row for row in rows if row.rank is not None]
        missing = [row for row in rows if row.rank is None]
        self.retrieval.show([*missing, *sorted(hits, key=lambda row: -(row.rank or 0))])  # the doubtful ones first
        words = f"Found again: {len(hits):,} of {counted(len(rows), 'quote')}" if rows else _NO_QUOTES
        self.summary.setText(words)
        self.quotes.setVisible(bool(rows))
        self.below.show()
        self._show_figures(self._figures)
        announce(self, words)
        if rows:
            self.quotes.selectRow(0)
            self.quotes.setFocus()

    def current_quote(self) -> Retrieval | None:
        """Return the selected quote."""
        rows = self.quotes.selectionModel().selectedRows()
        return self.retrieval.rows[rows[0].row()] if rows else None

    def current_item(self) -> object:
        """Return the evidence of the selected quote."""
        row = self.current_quote()
        if row is None:
            return None
        return self.session.do(
            lambda bench: next((item for item in bench.evidence.all() if item.id == row.evidence), None)
        )

    def _follow(self) -> None:
        self._allow()
        self.selected.emit(self.current_item())

    def _open(self) -> None:
        row = self.current_quote()
        if row is not None:
            self.go_to_part.emit("Matrix", f"{row.evidence} {row.hypothesis}")

    def _allow(self) -> None:
        self.search_action.setEnabled(self.job.task is None)
        self.job.offer_stop(self.stop_action, self.stop_button)
        self.open_action.setEnabled(self.quotes.selectionModel().hasSelection())
