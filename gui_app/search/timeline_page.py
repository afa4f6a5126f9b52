"""Dates: what the documents name and are dated, on an axis and as a list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.documents.descriptions import label_of
from core.domain import Changes, Chunk, Evidence, Passage
from gui_app.search.timeline_model import TimeMark, clock_words, day_words, mark_of
from gui_app.search.timeline_view import DOCUMENTS, EVIDENCE, Timeline
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.case_view import CaseView
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.excerpt_list import Excerpt, ExcerptList
from gui_app.shared.formatting import counted
from gui_app.shared.header import segment
from gui_app.shared.labels import ElidedLabel, line, plain

if TYPE_CHECKING:
    from core.entities.service import Named
    from core.progress import Progress
    from core.timeline.service import DatedPassage
    from core.workbench import Workbench
    from gui_app.tasks import Task


class TimelinePage(CaseView):
    """The dates of the documents on an axis, and as a list.

    ``range_chosen(first, last, name)`` asks for passages that speak of these days (ISO 8601, both included), and of a
    name where it is not ''.
    """

    concerns = Changes(documents=True, evidence=True)
    range_chosen = Signal(str, str, str)
    selected = Signal(object)  # the passage (Chunk) of the current date

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setAccessibleName("Timeline of dates")
        self._passages: tuple[Passage, ...] | None = None  # the hits of a search
        self._everything: list[DatedPassage] | None = None
        self._read_from: tuple[object, ...] = ()
        self._in_scope: list[DatedPassage] = []  # in the scope that is chosen
        self._standing: dict[int, list[tuple[int, int]]] | None = None  # page -> passages of the name chosen
        self._mentions: list[DatedPassage] = []
        self._marks: list[TimeMark] = []
        self._of_documents: list[TimeMark] = []
        self._of_evidence: list[TimeMark] = []
        self._task: Task | None = None
        self._fresh = True
        self._by_hand = False  # the person moved what parts axis and list
        self._build()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(24, 8, 16, 8)
        row.setSpacing(8)
        segments = QHBoxLayout()
        segments.setSpacing(0)
        self.scopes = QButtonGroup(self)
        self.all_button = self._segment("All passages", segments)
        self.hits_button = self._segment("Hits of the search", segments)
        self.all_button.setChecked(True)
        self.hits_button.setEnabled(False)
        row.addLayout(segments)
        self.names = QComboBox()
        self.names.setAccessibleName("Only passages that mention this name")
        self.names.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.names.setMinimumContentsLength(9)
        self.names.activated.connect(lambda _at: self._name_chosen())
        row.addWidget(self.names)
        row.addStretch(1)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setProperty("kind", "quiet")
        self.cancel_button.clicked.connect(self._cancel)
        self.cancel_button.hide()
        row.addWidget(self.cancel_button)
        self.timeline = Timeline()
        for text, icon, slot, keys in (
            ("Show a longer period", "zoom-out", lambda: self.timeline.zoom(1 / 1.5), "-"),
            ("Show a shorter period", "zoom-in", lambda: self.timeline.zoom(1.5), "+"),
            ("Show the whole period", "fit", self.timeline.show_whole, "0"),
        ):
            action = self.command(text, None, slot, shown_keys=f"{keys} in the timeline")
            tool = QToolButton()
            theme.set_icon(tool, icon)
            tool.setAccessibleName(text)
            tool.setToolTip(f"{text}  {keys}")
            tool.clicked.connect(lambda _on=False, action=action: action.trigger())
            row.addWidget(tool)
        column.addLayout(row)
        self.count = ElidedLabel("", "muted")  # on a line of its own, as a narrow window would cut it beside the rest
        count_row = QHBoxLayout()
        count_row.setContentsMargins(24, 0, 16, 8)
        count_row.addWidget(self.count)
        column.addLayout(count_row)
        column.addWidget(line())
        self.command("Next or previous date", None, self.timeline.setFocus, shown_keys="→ and ← in the timeline")
        self.command("Begin or end the range at the current date", None, self.timeline.setFocus, shown_keys="[ and ]")

        self.picked_row = QWidget()
        range_row = QHBoxLayout(self.picked_row)
        range_row.setContentsMargins(24, 6, 16, 6)
        range_row.setSpacing(8)
        self.range_label = plain("", "strong")
        range_row.addWidget(self.range_label)
        range_row.addStretch(1)
        self.search_action = self.command("Search the passages of this period", None, self._search_range)
        search = QPushButton(self.search_action.text())
        search.setToolTip("Puts when: into the search")
        search.clicked.connect(lambda _on=False: self.search_action.trigger())
        range_row.addWidget(search)
        clear = QPushButton("Clear")
        clear.setProperty("kind", "quiet")
        clear.setToolTip("List all dates again  (Esc)")
        clear.clicked.connect(lambda _on=False: self.timeline.clear_range())
        range_row.addWidget(clear)
        self.picked_row.hide()

        self.timeline.picked.connect(self._mark_picked)
        self.timeline.opened.connect(self._mark_opened)
        self.timeline.ranged.connect(lambda *_days: self._list())
        self.list = ExcerptList("Dates in the texts", lines=2)
        self.list.chosen.connect(self._open)
        self.list.selectionModel().currentChanged.connect(self._row_changed)
        below = QWidget()
        lower = QVBoxLayout(below)
        lower.setContentsMargins(0, 0, 0, 0)
        lower.setSpacing(0)
        lower.addWidget(self.picked_row)
        lower.addWidget(self.list, 1)
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.timeline)
        self.splitter.addWidget(below)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.splitterMoved.connect(lambda *_: self._set_by_hand())
        self.empty = EmptyState("search", "")
        self.pages = QStackedWidget()
        self.pages.addWidget(self.splitter)
        self.pages.addWidget(self.empty)
        column.addWidget(self.pages, 1)
        self.setFocusProxy(self.timeline)

    def _segment(self, text: str, row: QHBoxLayout) -> QPushButton:
        choice = segment(text, first=row.count() == 0)
        choice.clicked.connect(lambda _on=False: self._read())
        self.scopes.addButton(choice)
        row.addWidget(choice)
        return choice

    def _set_by_hand(self) -> None:
        self._by_hand = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the axis its height, unless the person chose another."""
        super().resizeEvent(event)
        if not self._by_hand:  # in a low window the list has more need of the room than the dots
            high = theme.px(290 if self.height() > theme.px(600) else 210)
            self.splitter.setSizes([high, max(1, self.height() - high)])

    # --- reading -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the names of the case, and the dates."""
        bench = self.session.workbench
        if bench is None:
            return
        self._dirty = False
        self._fill_names(bench)
        self._read()

    def forget(self) -> None:
        """Show nothing of the case before."""
        self._passages = self._everything = self._standing = None
        self._read_from = ()
        self._in_scope, self._of_documents, self._of_evidence = [], [], []
        self._fresh = True
        self.all_button.setChecked(True)
        self.hits_button.setEnabled(False)
        with QSignalBlocker(self.names):
            self.names.clear()
        self.timeline.clear_range()
        self._show()

    def show_passages(self, passages: Sequence[Passage] | None) -> None:
        """Show the dates of these hits of a search; None goes back to all passages in scope."""
        self._passages = None if passages is None else tuple(passages)
        self.hits_button.setEnabled(passages is not None)
        (self.all_button if passages is None else self.hits_button).setChecked(True)
        if self.isVisible():
            self._read()
        else:
            self._dirty = True

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        if changes.documents and changes.evidence:  # words were corrected, or another case is open
            self._everything = None
        super()._case_changed(changes, initiator)

    def _fill_names(self, bench: Workbench) -> None:
        current = self.names.currentData()
        with QSignalBlocker(self.names):
            self.names.clear()
            self.names.addItem("All names", "")
            for entity in sorted(bench.entities.all("confirmed"), key=lambda item: item.name.casefold()):
                self.names.addItem(entity.name, entity.id)
            self.names.setCurrentIndex(max(0, self.names.findData(current)))
        self.names.setEnabled(self.names.count() > 1)
        if current and self.names.currentData() != current:
            self._standing = None

    def _name_chosen(self) -> None:
        entity = str(self.names.currentData() or "")
        if not entity:
            self._standing = None
            self._show()
            return
        self.read(lambda bench: bench.entities.mentions(entity), self._name_found, key="timeline-name")

    def _name_found(self, places: list[Named]) -> None:
        self._standing = {}
        for place in places:
            spans = self._standing.setdefault(place.passage.page_id, [])
            spans.append((place.passage.start, place.passage.end))
        self._show()

    def _read(self) -> None:
        """Find the dates of the scope that is chosen, beside the work; those of all passages are kept."""
        bench = self.session.workbench
        if bench is None:
            return
        self._of_documents, self._of_evidence = self._own_dates(bench)
        passages = self._passages if self.hits_button.isChecked() else None
        if passages is not None:
            self.read(lambda bench: bench.timeline.date_mentions(passages), self._take_mentions, key="timeline-dates")
            return
        documents = tuple((d.id, d.chunks, d.language) for d in bench.documents.all() if d.included and d.pages)
        if self._everything is not None and documents == self._read_from:
            self._take_mentions(self._everything)
            return
        if self._task is not None and not self._task.is_over():
            return

        def read(bench: Workbench, progress: Progress) -> list[DatedPassage]:
            return bench.timeline.date_mentions(progress=progress)

        def keep(mentions: list[DatedPassage]) -> None:
            self._everything, self._read_from = mentions, documents
            if not self.hits_button.isChecked():
                self._take_mentions(mentions)

        task = self.session.run("Reading dates", read, done=self.while_here(keep))
        if task is None:
            return
        self._task = task
        self.cancel_button.show()
        self.count.setText("Reading dates")
        task.ended.connect(self._over)

    def _over(self) -> None:
        self._task = None
        self.cancel_button.hide()
        if self._everything is None:
            self.count.setText("Stopped before all dates were read.")

    def _cancel(self) -> None:
        if self._task is not None:
            self.session.tasks.cancel(self._task)

    def _own_dates(self, bench: Workbench) -> tuple[list[TimeMark], list[TimeMark]]:
        from core.language.dates import DOUBTS

        documents = [
            mark_of(mention, DOUBTS, where=f"date of {label_of(document)}", target=(document.id, 1, 0, 0))
            for mention, document in bench.timeline.documents()
        ]
        rows = [
            mark_of(mention, DOUBTS, where=f"date of {row.id}", target=_place_of(row), evidence=(row.id,))
            for mention, row in bench.timeline.evidence()
        ]
        return documents, rows

    def _take_mentions(self, mentions: list[DatedPassage]) -> None:
        self._in_scope = mentions
        self._show()

    # --- showing -----------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        from core.language.dates import DOUBTS

        bench = self.session.workbench
        evidence_by_page: dict[int, list[Evidence]] = {}
        for row in bench.evidence.all() if bench is not None else ():
            if row.page_id is not None:
                evidence_by_page.setdefault(row.page_id, []).append(row)
        self._mentions, self._marks = [], []
        for entry in self._in_scope:
            passage, mention = entry.passage, entry.date
            start, end = passage.start + mention.start, passage.start + mention.end
            if self._standing is not None and not any(
                first <= start and end <= last for first, last in self._standing.get(passage.page_id, ())
            ):
                continue
            rows = [
                row.id
                for row in evidence_by_page.get(passage.page_id, ())
                if row.start is not None and row.end is not None and row.start < end and start < row.end
            ]
            self._mentions.append(entry)
            self._marks.append(
                mark_of(
                    mention,
                    DOUBTS,
                    where=f"{passage.label}, page {passage.page}",
                    target=(passage.document, passage.page, start, end),
                    evidence=rows,
                )
            )
        everything = [*self._marks, *self._of_documents, *self._of_evidence]
        self.timeline.show_marks(self._marks, self._of_documents, self._of_evidence, keep=not self._fresh)
        if everything:
            self._fresh = False
            self.pages.setCurrentWidget(self.splitter)
        else:
            self.empty.say(
                "These passages mention no date with a year, and no document has a date." if bench is not None else ""
            )
            self.pages.setCurrentWidget(self.empty)
        self._list()
        if self.timeline.range is None and self.timeline.outside()[0]:
            top = next((i for i, mark in enumerate(self._marks) if mark.begin() >= self.timeline.axis.begin), 0)
            self.list.scrollTo(self.list.rows.index(top, 0), ExcerptList.ScrollHint.PositionAtTop)

    def _list(self) -> None:
        """List the dates: all, or those that may lie in the range."""
        from core.language.dates import within

        days, hours = self._days(), self.timeline.hours
        rows = [
            (index, entry, mark)
            for index, (entry, mark) in enumerate(zip(self._mentions, self._marks, strict=True))
            if days is None or (mark.is_in(*hours) if hours is not None else within(entry.date, *days))
        ]
        excerpts = []
        for index, entry, mark in rows:
            aside = f"{entry.passage.label}  page {entry.passage.page}"
            if mark.evidence:
                aside = f"{', '.join(mark.evidence)}  ·  {aside}"
            title = f"{mark.words}  ·  {mark.doubt}" if mark.doubt else mark.words
            around = entry.passage.text[max(0, entry.date.start - 80) : entry.date.end + 120]
            description = f"{mark.description}: {' '.join(around.split())}"
            excerpts.append(
                Excerpt(
                    title,
                    aside,
                    entry.passage.text,
                    ((entry.date.start, entry.date.end),),
                    target=index,
                    description=description,
                )
            )
        self.list.show_excerpts(excerpts)
        doubtful = sum(bool(mark.doubt) for _, _, mark in rows)
        summary = (
            f"{counted(len(rows), 'date')} in {counted(len({o.passage.document for _, o, _ in rows}), 'document')}"
        )
        self.count.setText(f"{summary}, {doubtful:,} in doubt" if doubtful else summary)
        self.picked_row.setVisible(days is not None)
        if self.timeline.range is not None:
            first, last = map(day_words, self.timeline.range)
            if hours is not None:
                begin, end = map(clock_words, hours)
                self.range_label.setText(f"{first}, {begin} – {f'{last}, ' if first != last else ''}{end}")
            else:
                self.range_label.setText(first if first == last else f"{first} – {last}")

    def in_hand(self) -> Chunk | None:
        """Return the passage of the date that is selected."""
        index = self.list.currentIndex()
        return self._mentions[self.list.rows.rows[index.row()].target].passage if index.isValid() else None

    def _mark_picked(self, place: int) -> None:
        row = next((index for index, excerpt in enumerate(self.list.rows.rows) if excerpt.target == place), None)
        if row is not None:
            with QSignalBlocker(self.list.selectionModel()):
                self.list.setCurrentIndex(self.list.rows.index(row, 0))
            self.list.viewport().update()
            self.list.scrollTo(self.list.rows.index(row, 0))
        self.selected.emit(self._mentions[place].passage)

    def _row_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid():
            place = self.list.rows.rows[index.row()].target
            self.timeline.select(place, tell=False)
            self.selected.emit(self._mentions[place].passage)

    def _days(self) -> tuple[str, str] | None:
        """Return the first and the last day of the range that is picked, in ISO 8601."""
        if self.timeline.range is None:
            return None
        first, last = (
            date.fromordinal(max(1, min(day, date.max.toordinal()))).isoformat() for day in self.timeline.range
        )
        return first, last

    def _search_range(self) -> None:
        days = self._days()
        if days is not None:
            first, last = days
            name = self.names.currentText() if self.names.currentData() else ""
            self.range_chosen.emit(first, last, name)

    def _mark_opened(self, lane: int, place: int) -> None:
        marks = {DOCUMENTS: self._of_documents, EVIDENCE: self._of_evidence}.get(lane, self._marks)
        if marks[place].target is not None:
            self.show_source.emit(*marks[place].target)

    def _open(self, place: object) -> None:
        if isinstance(place, int):
            self.show_source.emit(*self._marks[place].target)


def _place_of(row: Evidence) -> tuple[str, int, int, int] | None:
    """Return the place of a row's quote, or None for a row in the analyst's own words."""
    if row.document is None or row.page is None:
        return None
    return row.document, row.page, row.start or 0, row.end or 0
