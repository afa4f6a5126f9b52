"""Names: who and what the case is about, what the documents suggest, and where each name stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.domain import Changes, Chunk, Entity
from gui_app.search.names_model import KINDS, Index, NameRow, NamesModel, case_kind, fitting, of_candidates, of_entities
from gui_app.search.names_model_bar import NamesModelLine
from gui_app.session import CaseSession
from gui_app.shared import theme as look
from gui_app.shared.case_view import CaseView
from gui_app.shared.charts import Bar, BarList
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.excerpt_list import SIDE, Excerpt, ExcerptList, ground
from gui_app.shared.formatting import counted
from gui_app.shared.header import button
from gui_app.shared.labels import line, plain

if TYPE_CHECKING:
    from core.entities.names import Candidate, CoOccurrence
    from core.entities.service import NameCount, Named, Suggestions
    from core.errors import AppError
    from core.progress import Progress
    from core.workbench import Workbench
    from gui_app.tasks import Task

_BARS = 8  # names and documents shown beside a name


class NameDelegate(QStyledItemDelegate):
    """Name and figure on one line, kind and other names below in small letters."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(80, 12 + look.px(18) + look.px(16))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: NameRow = index.data(Qt.ItemDataRole.UserRole)
        ink = look.tokens()
        painter.save()
        inner = ground(painter, option).adjusted(SIDE, 5, -SIDE, -6)
        below = " · ".join(filter(None, (row.kind, row.by, row.below)))
        high = look.px(18) if below else inner.height()
        head = QRect(inner.left(), inner.top(), inner.width(), high)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.sans(look.SMALL))
        painter.setPen(QColor(ink.muted))
        painter.drawText(head, int(Qt.AlignmentFlag.AlignRight | middle), row.figure)
        room = inner.width() - painter.fontMetrics().horizontalAdvance(row.figure) - 12
        painter.setFont(look.sans())
        painter.setPen(QColor(ink.text))
        name = QFontMetrics(painter.font()).elidedText(row.name, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(head, int(Qt.AlignmentFlag.AlignLeft | middle), name)
        painter.setFont(look.sans(look.SMALL))
        painter.setPen(QColor(ink.muted))
        box = QRect(inner.left(), head.bottom() + 1, inner.width(), look.px(16))
        words = QFontMetrics(painter.font()).elidedText(below, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | middle), words)
        painter.restore()


class NamesPage(CaseView):
    """Two lists at the left, names of the case and names suggested; at the right where the name in hand stands."""

    concerns = Changes(documents=True)
    selected = Signal(object)  # the passage (Chunk) in hand

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setAccessibleName("Names")
        self._entities: list[Entity] = []
        self._counts: dict[str, NameCount] = {}
        self._together: list[CoOccurrence] = []
        self._candidates: list[Candidate] | None = None
        self._looked_at: tuple[str, ...] = ()  # the documents that the suggestions were made from
        self._looked_by = ""  # and the model
        self._problem: AppError | None = None  # why the model could not be asked
        self._task: Task | None = None
        self._entity: Entity | None = None  # the name of the case that the fields show
        self._places: list[Named] = []
        self._pending_id = ""  # the id of a name to be selected when it is on the list
        self._make_commands()
        self._build()
        self._name_actions()

    # --- layout ------------------------------------------------------------------------------------------------------

    def _make_commands(self) -> None:
        keys = ", ".join(f"{key} {kind}" for key, kind in KINDS.items())
        self.confirm_action = self.command(
            "Confirm the name",
            None,
            self._confirm,
            shown_keys="Enter",
            tip="It is a name of the case",
        )
        self.reject_action = self.command(
            "Not a name", None, self._reject, shown_keys="Del", tip="Do not suggest it again"
        )
        self.merge_action = self.command(
            "Another name of the selected one", None, self._merge, shown_keys="M",
            tip="Add the suggestion as an alias of the name selected above",
        )  # fmt: skip
        self.kind_action = self.command(
            "Set the kind of a name",
            None,
            self._to_kind,
            shown_keys=keys,
            tip=f"Its kind: {keys}",
        )
        self.add_action = self.command("Add a name", "Ctrl+Shift+A", self._add)
        self.remove_action = self.command("Remove the name", None, self._remove, shown_keys="Del")
        self.suggest_action = self.command(
            "Look for names", "Ctrl+Shift+L", self._suggest, tip="Go through all documents in scope"
        )
        self.open_action = self.command(
            "Show the passage on its page", None, self._open, shown_keys="Enter in the passages"
        )

    def _build(self) -> None:
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter names")
        self.filter.setAccessibleName("Filter names")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(lambda _text: self._show_lists())
        self.filter.installEventFilter(self)
        self.names, self.suggestions = NamesModel(self), NamesModel(self)
        self.name_list = self._list(self.names, "Names of the case")
        self.suggestion_list = self._list(self.suggestions, "Suggested names")
        self.names_title = plain("Names", "section")
        self.rejected_button = QPushButton()
        self.rejected_button.setAccessibleName("Names that were rejected")
        self.rejected_button.setProperty("kind", "chip")
        self.rejected_button.setCheckable(True)
        self.rejected_button.setToolTip("Show rejected names; Enter confirms one after all")
        self.rejected_button.toggled.connect(lambda _on: self._show_lists())
        add = button(self.add_action, kind="quiet", icon="add")
        add.setText("Add")
        self.suggestions_title = plain("Suggested", "section")
        self.suggest_button = button(self.suggest_action, kind="quiet")
        self.nothing = plain("", "muted", wrap=True)
        self.nothing.setContentsMargins(16, 8, 16, 8)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setProperty("kind", "quiet")
        self.cancel_button.setAccessibleName("Stop looking for names")
        self.cancel_button.clicked.connect(self._cancel)
        self.cancel_button.hide()

        upper, lower = QWidget(), QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(_row(self.names_title, None, self.rejected_button, add))
        column.addWidget(self.name_list, 1)
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line())
        column.addLayout(_row(self.suggestions_title, None, self.cancel_button, self.suggest_button))
        self.by = NamesModelLine(self.session)
        column.addWidget(self.by)
        column.addWidget(self.nothing)
        column.addWidget(self.suggestion_list, 1)
        self.confirm_button = button(self.confirm_action, kind="primary")
        self.confirm_button.setText("Confirm")
        self.reject_button = button(self.reject_action)
        self.merge_button = button(self.merge_action)
        self.merge_button.setText("Alias")
        column.addStretch(0)
        self.decide = QWidget()
        below = QVBoxLayout(self.decide)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(line())
        below.addLayout(_row(self.confirm_button, self.reject_button, self.merge_button, None))
        column.addWidget(self.decide)
        lists = QSplitter(Qt.Orientation.Vertical)
        lists.setHandleWidth(1)
        lists.setChildrenCollapsible(False)
        lists.addWidget(upper)
        lists.addWidget(lower)
        self._lists = lists
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        top = QHBoxLayout()
        top.setContentsMargins(16, 8, 16, 8)
        top.addWidget(self.filter)
        column.addLayout(top)
        column.addWidget(lists, 1)

        self.empty = EmptyState("hypotheses", "")
        self.detail = QStackedWidget()
        self.detail.addWidget(self._build_detail())
        self.detail.addWidget(self.empty)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.detail)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([look.px(300), 700])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.splitter)
        self.setFocusProxy(self.name_list)

    def _list(self, model: NamesModel, name: str) -> QListView:
        view = QListView()
        view.setModel(model)
        view.setAccessibleName(name)
        view.setUniformItemSizes(True)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setItemDelegate(NameDelegate(view))
        view.installEventFilter(self)
        view.selectionModel().currentChanged.connect(partial(self._row_changed, view))
        view.clicked.connect(lambda index, of=view: self._row_changed(of, index, QModelIndex()))
        look.changed.connect(view.scheduleDelayedItemsLayout)
        return view

    def _build_detail(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.title = plain("", "heading", wrap=True)
        self.title.setContentsMargins(16, 12, 16, 4)
        column.addWidget(self.title)
        self.fields = QWidget()
        grid = QGridLayout(self.fields)
        grid.setContentsMargins(16, 8, 16, 12)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self.name_field, self.alias_field, self.note_field = QLineEdit(), QLineEdit(), QLineEdit()
        self.kind_field = QComboBox()
        self.kind_field.addItem("–", "")
        for kind in KINDS.values():
            self.kind_field.addItem(kind, kind)
        self.alias_field.setPlaceholderText("separated by semicolons")
        self.kind_field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.kind_field.setMinimumContentsLength(9)
        for name, accessible_name, field, row, column_at, wide in (
            ("Name", "Name", self.name_field, 0, 0, 3),
            ("Also", "Other names, separated by semicolons", self.alias_field, 1, 0, 3),
            ("Kind", "Kind", self.kind_field, 2, 0, 1),
            ("Note", "Note", self.note_field, 2, 2, 1),
        ):
            grid.addWidget(plain(name, "muted"), row, column_at)
            field.setAccessibleName(accessible_name)
            grid.addWidget(field, row, column_at + 1, 1, wide)
        grid.setColumnStretch(3, 1)
        self.name_field.editingFinished.connect(lambda: self._save_field("name", self.name_field.text().strip()))
        self.alias_field.editingFinished.connect(
            lambda: self._save_field("aliases", [part.strip() for part in self.alias_field.text().split(";")])
        )
        self.note_field.editingFinished.connect(lambda: self._save_field("note", self.note_field.text().strip()))
        self.kind_field.activated.connect(lambda _at: self._save_field("kind", str(self.kind_field.currentData())))
        column.addWidget(self.fields)
        self.bars = QWidget()
        pair = QHBoxLayout(self.bars)
        pair.setContentsMargins(0, 0, 0, 8)
        pair.setSpacing(8)
        self._pair = pair
        self.with_title = plain("Occurs with", "section")
        self.with_whom = BarList("Names in the same passages")
        self.with_whom.chosen.connect(self.select)
        self.documents_title = plain("Documents", "section")
        self.by_document = BarList("Documents that mention it", elide=Qt.TextElideMode.ElideMiddle)
        self.by_document.chosen.connect(self._go_to_document)
        for title, bars in ((self.with_title, self.with_whom), (self.documents_title, self.by_document)):
            half = QVBoxLayout()
            half.setSpacing(4)
            title.setContentsMargins(16, 0, 0, 0)
            half.addWidget(title)
            half.addWidget(bars, 1)
            pair.addLayout(half, 1)
        column.addWidget(self.bars)
        column.addWidget(line())
        self.passages_title = plain("", "section")
        self.passages_title.setContentsMargins(16, 8, 16, 8)
        column.addWidget(self.passages_title)
        self.passages = ExcerptList("Passages that mention the name")
        self.passages.chosen.connect(self._show_place)
        self.passages.selectionModel().currentChanged.connect(self._passage_changed)
        column.addWidget(self.passages, 1)
        return page

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """The names of the case, and how often each stands there, read beside the work."""
        bench = self.session.workbench
        if bench is None:
            return
        self._dirty = False
        self._entities = bench.entities.all()
        self.by.refresh()
        self._show_lists()
        if self._in_hand is None and self.names.rows:
            self.name_list.setCurrentIndex(self.names.index(0, 0))

        def read(bench: Workbench) -> tuple[dict[str, NameCount], list[CoOccurrence]]:
            return bench.entities.counts(), bench.entities.co_occurrences()

        self.read(read, self._take_counts, key="names")

    def forget(self) -> None:
        self._entities, self._counts, self._together, self._candidates = [], {}, [], None
        self._looked_at, self._looked_by, self._problem, self._entity, self._pending_id = (), "", None, None, ""
        self.filter.clear()
        self._show_lists()

    def select(self, entity: str) -> None:
        """Show a name of the case."""
        self._pending_id = entity
        self.rejected_button.setChecked(False)
        if self.filter.text():
            self.filter.clear()
        else:
            self._show_lists()

    def _take_counts(self, result: tuple[dict[str, NameCount], list[CoOccurrence]]) -> None:
        self._counts, self._together = result
        self._show_lists()
        self._show_bars()

    def _show_lists(self) -> None:
        rejections = [entity for entity in self._entities if entity.status == "rejected"]
        names = [entity for entity in self._entities if entity.status == "confirmed"]
        self.rejected_button.setText(f"Rejected {len(rejections):,}")
        self.rejected_button.setVisible(bool(rejections) or self.rejected_button.isChecked())
        rows = of_entities(rejections if self.rejected_button.isChecked() else names, self._counts)
        self._put(self.name_list, self.names, fitting(rows, self.filter.text()), _of_entity)
        self.names_title.setText(f"Names {len(names):,}" if names else "No names yet")
        case_names = {name.casefold() for entity in self._entities for name in (entity.name, *entity.aliases)}
        left = [one for one in self._candidates or [] if one.name.casefold() not in case_names]
        self._put(
            self.suggestion_list, self.suggestions, fitting(of_candidates(left), self.filter.text()), _of_candidate
        )
        self._tell_suggestions(len(left))
        if self._pending_id:
            at = next((n for n, row in enumerate(self.names.rows) if row.of.id == self._pending_id), None)
            if at is not None:
                self._pending_id = ""
                self.name_list.setCurrentIndex(self.names.index(at, 0))
        self._show_detail()
        self._name_actions()

    def _put(self, view: QListView, model: NamesModel, rows: Sequence[NameRow], key: Callable[[NameRow], str]) -> None:
        """Show rows; the one in hand stays in hand, or what took its place does."""
        at = view.currentIndex().row()
        current = key(model.rows[at]) if 0 <= at < len(model.rows) else ""
        if [row.description for row in rows] == [row.description for row in model.rows]:
            model.rows = list(rows)
            view.viewport().update()
            return
        top = view.verticalScrollBar().value()
        view.selectionModel().blockSignals(True)
        model.show(rows)
        same = next((n for n, row in enumerate(rows) if key(row) == current), min(at, len(rows) - 1))
        if current and same >= 0:
            view.setCurrentIndex(model.index(same, 0))
        view.selectionModel().blockSignals(False)
        view.verticalScrollBar().setValue(top)
        view.viewport().update()

    def _tell_suggestions(self, left: int) -> None:
        looking = self._task is not None and not self._task.is_over()
        self.cancel_button.setVisible(looking)
        self.suggest_button.setVisible(not looking)
        stale = self._candidates is not None and self._looked_at != self._documents()
        self.suggest_button.setText("Refresh" if self._candidates is not None else "Look for names")
        message = ""
        if looking and self._task is not None:
            message = self._task.what or "Looking for names"
        elif self._candidates is None:
            message = "Names that the documents suggest: confirm those that matter, reject the others."
        elif self._looked_by != self.by.model:
            message = "The model has changed since."
        elif stale:
            message = "The documents have changed since."
        elif self._problem is not None:
            message = "By form alone: the model cannot be used."
        elif not left:
            message = "Nothing is left to decide."
        self.nothing.setText(message)
        self.nothing.setVisible(bool(message))
        if self.suggestion_list.isHidden() == bool(self.suggestions.rows):
            self.suggestion_list.setVisible(bool(self.suggestions.rows))
            self._share_room()
        self.decide.setVisible(bool(self.suggestions.rows))
        self.suggestions_title.setText(f"Suggested {left:,}" if self._candidates is not None else "Suggested")

    def _share_room(self) -> None:
        """Neither suggestions nor names that are not there take room from the others."""
        if self.suggestions.rows:
            self._lists.setSizes([300, 360] if self.names.rows else [160, 500])
        else:
            low = look.px(168)
            self._lists.setSizes([max(low, self.height() - look.px(48) - low), low])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.suggestions.rows:
            self._share_room()
        # The two stand below each other where their names would be cut off side by side.
        narrow = self.width() < look.px(880)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._pair.direction() != way:
            self._pair.setDirection(way)
            self._show_bars()

    def _documents(self) -> tuple[str, ...]:
        bench = self.session.workbench
        return () if bench is None else tuple(d.id for d in bench.documents.all() if d.included and d.pages)

    # --- the name in hand --------------------------------------------------------------------------------------------

    def _row_changed(self, view: QListView, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid():
            self._in_hand = view
            self._show_detail()
        self._name_actions()

    _in_hand: QListView | None = None

    def chosen(self) -> Entity | None:
        """The name of the case that is selected."""
        at = self.name_list.currentIndex().row()
        return self.names.rows[at].of if 0 <= at < len(self.names.rows) else None

    def suggestion(self) -> Candidate | None:
        """The suggestion that is selected."""
        at = self.suggestion_list.currentIndex().row()
        return self.suggestions.rows[at].of if 0 <= at < len(self.suggestions.rows) else None

    def _show_detail(self) -> None:
        entity, one = self.chosen(), self.suggestion()
        is_suggestion = self._in_hand is self.suggestion_list and one is not None
        if not is_suggestion and entity is None:
            self._entity = None
            self._places = []
            self.passages.show_excerpts(())
            self.empty.say(
                "Select a name to see where it stands and who stands with it."
                if self._entities or self._candidates
                else "Names let you search for a person or a place by every name it goes by."
            )
            self.detail.setCurrentWidget(self.empty)
            return
        self.detail.setCurrentIndex(0)
        self.title.setVisible(is_suggestion)  # a name of the case stands in its field
        self.fields.setVisible(not is_suggestion)
        self.bars.setVisible(not is_suggestion)
        self.fields.setEnabled(not self.session.read_only)
        if is_suggestion and one is not None:
            self._entity = None
            self.title.setText(one.name)
            self.read(
                lambda bench: bench.entities.occurrences(one.name, one.spellings), self._show_places, key="names-places"
            )
        elif entity is not None:
            self._entity = entity
            self.title.setText(entity.name)
            for field, text in (
                (self.name_field, entity.name),
                (self.alias_field, "; ".join(entity.aliases)),
                (self.note_field, entity.note),
            ):
                if not (field.hasFocus() and field.isModified()):
                    field.setText(text)
                    field.setCursorPosition(0)
            self.kind_field.setCurrentIndex(max(0, self.kind_field.findData(entity.kind)))
            self._show_bars()
            self.read(
                lambda bench: bench.entities.occurrences(entity.name, entity.aliases),
                self._show_places,
                key="names-places",
            )

    def _show_places(self, places: list[Named]) -> None:
        self._places = places
        documents = len({place.passage.document for place in places})
        if places:
            where = f"{counted(len(places), 'passage')} in {counted(documents, 'document')}"
        else:
            where = "No passage of the documents in scope mentions it."
        self.passages_title.setText(where)
        self.passages.show_excerpts(
            [
                Excerpt(
                    place.passage.name, f"page {place.passage.page}", place.passage.text, place.places, target=place
                )
                for place in places
            ]
        )

    def _show_bars(self) -> None:
        entity = self._entity
        if entity is None:
            return
        names = {one.id: one.name for one in self._entities}
        beside = [
            (pair.other if pair.one == entity.id else pair.one, pair)
            for pair in self._together
            if entity.id in (pair.one, pair.other)
        ][:_BARS]
        self.with_whom.show_bars(
            [
                Bar(
                    names.get(other, other),
                    float(pair.passages),
                    f"{pair.passages:,}",
                    f"{names.get(other, other)}: {counted(pair.passages, 'passage')} together "
                    f"in {counted(pair.documents, 'document')}",
                    target=other,
                )
                for other, pair in beside
            ]
        )
        self.with_title.setText("Occurs with" if beside else "Occurs with none of the other names")
        count = self._counts.get(entity.id)
        bench = self.session.workbench
        document_names = {} if bench is None else {document.id: document.name for document in bench.documents.all()}
        first = count.documents[:_BARS] if count is not None else ()
        self.by_document.show_bars(
            [
                Bar(
                    document_names.get(document, document),
                    float(times),
                    f"{times:,}",
                    f"{document_names.get(document, document)}: {counted(times, 'passage')}",
                    target=document,
                )
                for document, times in first
            ]
        )
        more = 0 if count is None else len(count.documents) - len(first)
        self.documents_title.setText(f"Documents, and {more} more" if more else "Documents")
        high = max(1, len(beside), len(first)) * (look.px(18) + 8) + 4
        most = 3 if self._pair.direction() == QBoxLayout.Direction.TopToBottom else 5
        for bars in (self.with_whom, self.by_document):
            bars.setFixedHeight(min(high, most * (look.px(18) + 8) + 4))

    def _go_to_document(self, document: object) -> None:
        """The first passage in a document, on the list."""
        for at, place in enumerate(self._places):
            if place.passage.document == document:
                index = self.passages.rows.index(at, 0)
                self.passages.setCurrentIndex(index)
                self.passages.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtTop)
                self.passages.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    def _passage_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and (passage := self.in_hand()) is not None:
            self.selected.emit(passage)

    def in_hand(self) -> Chunk | None:
        """The passage that is selected."""
        at = self.passages.currentIndex().row()
        return self._places[at].passage if 0 <= at < len(self._places) else None

    def _show_place(self, place: Named) -> None:
        start, end = place.places[0]
        begin = place.passage.start
        self.show_source.emit(place.passage.document, place.passage.page, begin + start, begin + end)

    def _open(self) -> None:
        at = max(0, self.passages.currentIndex().row())
        if at < len(self._places):
            self._show_place(self._places[at])

    # --- decisions ---------------------------------------------------------------------------------------------------

    def _name_actions(self) -> None:
        free = not self.session.read_only and self.session.workbench is not None
        entity, one = self.chosen(), self.suggestion()
        is_rejected = entity is not None and entity.status == "rejected"
        self.confirm_action.setEnabled(free and (one is not None or is_rejected))
        self.reject_action.setEnabled(free and one is not None)
        self.merge_action.setEnabled(free and one is not None and entity is not None and not is_rejected)
        self.merge_button.setToolTip(
            f"Another name of {entity.name}  (M)" if entity is not None else self.merge_action.toolTip()
        )
        self.kind_action.setEnabled(free and (one is not None or entity is not None))
        self.remove_action.setEnabled(free and entity is not None)
        self.add_action.setEnabled(free)
        self.suggest_action.setEnabled(self.session.workbench is not None)
        self.open_action.setEnabled(bool(self._places))

    def _do(self, verb: Callable[[Workbench], object], message: str) -> bool:
        """Run a decision on names, and say that it can be undone."""

        def decision(bench: Workbench) -> Changes:
            verb(bench)
            return Changes(documents=True)

        result = self.session.do(decision, initiator=self)
        if result is None:
            self._show_lists()
            return False
        self.session.tell(message, undo=True)
        return True

    def _confirm(self, kind: str | None = None) -> None:
        one = self.suggestion()
        entity = self.chosen()
        if self._in_hand is self.name_list and entity is not None and entity.status == "rejected":
            self._do(
                lambda bench: bench.entities.edit(entity.id, status="confirmed"),
                f"“{entity.name}” is a name again",
            )
        elif one is not None:
            new_kind = case_kind(one.kind) if kind is None else kind
            self._do(
                lambda bench: bench.entities.add(one.name, kind=new_kind, aliases=one.spellings),
                f"“{one.name}” is a name of the case",
            )

    def _reject(self) -> None:
        one = self.suggestion()
        if one is not None:
            self._do(
                lambda bench: bench.entities.add(one.name, status="rejected", aliases=one.spellings),
                f"“{one.name}” won’t be suggested again",
            )

    def _merge(self) -> None:
        one, entity = self.suggestion(), self.chosen()
        if one is None or entity is None or entity.status != "confirmed":
            self.session.status.emit("Select the name above that this is another name of.")
            return
        aliases = [*entity.aliases, one.name, *one.spellings]
        self._do(
            lambda bench: bench.entities.edit(entity.id, aliases=aliases),
            f"“{one.name}” is another name of {entity.name}",
        )

    def _say_kind(self, view: QListView, kind: str) -> None:
        """A key that says what the name in hand is: a suggestion is confirmed by it."""
        entity = self.chosen()
        if view is self.suggestion_list:
            self._confirm(kind)
        elif entity is not None and entity.kind != kind:
            self._do(
                lambda bench: bench.entities.edit(entity.id, kind=kind),
                f"{entity.name}: {kind}",
            )

    def _to_kind(self) -> None:
        if self._entity is not None:
            self.kind_field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _remove(self) -> None:
        entity = self.chosen()
        if entity is not None:
            self._do(lambda bench: bench.entities.remove(entity.id), f"“{entity.name}” removed")

    def _add(self) -> None:
        """What is written in the filter becomes a name; with nothing there, one is asked for in it."""
        name = " ".join(self.filter.text().split())
        if not name:
            self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.session.status.emit("Write the name, then add it.")
            return
        entities: list[Entity] = []
        self.filter.clear()
        if self._do(lambda bench: entities.append(bench.entities.add(name)), f"“{name}” is a name of the case"):
            self.select(entities[0].id)

    def _save_field(self, field: str, value: str | list[str]) -> None:
        entity = self._entity
        if entity is None:
            return
        now = list(entity.aliases) if field == "aliases" else getattr(entity, field)
        if isinstance(value, list):
            value = [part for part in value if part]
        if value != now:
            self._do(lambda bench: bench.entities.edit(entity.id, **{field: value}), f"{entity.name} saved")

    # --- suggestions -------------------------------------------------------------------------------------------------

    def _suggest(self) -> None:
        looked_at, looked_by = self._documents(), self.session.names_model

        def look(bench: Workbench, progress: Progress) -> Suggestions:
            return bench.entities.suggested(progress)

        def found(suggestions: Suggestions) -> None:
            candidates, self._problem = suggestions
            self._candidates, self._looked_at, self._looked_by = list(candidates), looked_at, looked_by
            if self._problem is not None:
                self.session.failed.emit(self._problem)
            self._show_lists()
            if self.suggestions.rows and not self.suggestion_list.currentIndex().isValid():
                self.suggestion_list.setCurrentIndex(self.suggestions.index(0, 0))
            self.session.status.emit(f"{len(candidates)} names suggested")

        task = self.session.run("Looking for names", look, done=self.while_here(found))
        if task is None:
            return
        self._task = task
        task.progressed.connect(self._looking)
        task.ended.connect(self._finish)
        self._looking()

    def _looking(self) -> None:
        self._tell_suggestions(len(self.suggestions.rows))

    def _finish(self) -> None:
        self._task = None
        self._tell_suggestions(len(self.suggestions.rows))
        self._name_actions()

    def _cancel(self) -> None:
        if self._task is not None:
            self.session.tasks.cancel(self._task)

    # --- keys --------------------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter, Delete, M and the keys of the kinds decide on the name in hand; Down leaves the filter."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if watched is not self.filter and _decides(event):
                event.accept()  # a command of the screen around it may have the same letter
            return False
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        key = event.key()
        bare = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if watched is self.filter:
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
                view = self.name_list if self.names.rows else self.suggestion_list
                view.setFocus(Qt.FocusReason.TabFocusReason)
                if not view.currentIndex().isValid():
                    view.setCurrentIndex(view.model().index(0, 0))
                return True
            return False
        if not bare or watched not in (self.name_list, self.suggestion_list) or self.session.read_only:
            return False
        view = self.suggestion_list if watched is self.suggestion_list else self.name_list
        self._in_hand = view
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if view is self.suggestion_list or self.rejected_button.isChecked():
                self._confirm()
            else:
                self.passages.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        if key == Qt.Key.Key_Delete:
            self._reject() if view is self.suggestion_list else self._remove()
            return True
        if key == Qt.Key.Key_M and view is self.suggestion_list:
            self._merge()
            return True
        letter = event.text().upper()
        if letter in KINDS and view.currentIndex().isValid():
            self._say_kind(view, KINDS[letter])
            return True
        return False


def _decides(event: QKeyEvent) -> bool:
    """Whether a key decides on the name in hand."""
    bare = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Delete, Qt.Key.Key_M)
    return bare and (event.key() in keys or event.text().upper() in KINDS)


def _row(*parts: QWidget | None) -> QHBoxLayout:
    """Widgets in a row; None is the room between."""
    row = QHBoxLayout()
    row.setContentsMargins(16, 6, 8, 6)
    row.setSpacing(8)
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    return row


def _of_entity(row: NameRow) -> str:
    return str(row.of.id)


def _of_candidate(row: NameRow) -> str:
    return row.name
