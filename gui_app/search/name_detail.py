"""The selected name: its fields, co-occurring names, the documents that mention it, and its passages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.domain import Chunk, Entity
from gui_app.search.names_model import KINDS
from gui_app.shared import theme
from gui_app.shared.charts import Bar, BarList
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.excerpt_list import Excerpt, ExcerptList
from gui_app.shared.formatting import counted
from gui_app.shared.labels import line, plain

if TYPE_CHECKING:
    from core.entities.names import Candidate, CoOccurrence
    from core.entities.service import NameCount, Named

_BARS = 8  # names and documents shown beside a name


class NameDetail(QStackedWidget):
    """A name with its fields, its charts and its passages.

    ``edited(field, value)`` when a field was changed, ``name_chosen(id)`` and ``passage_chosen(Chunk)`` when one is
    selected here, ``show_source(document, page, start, end)`` when its page is asked for.
    """

    edited = Signal(str, object)
    name_chosen = Signal(object)
    passage_chosen = Signal(object)
    show_source = Signal(str, int, int, int)

    def __init__(self, look_for_names: Callable[[], object]) -> None:
        super().__init__()
        self.entity: Entity | None = None  # the name of the case that the fields show
        self._places: list[Named] = []
        self._entities: Sequence[Entity] = ()
        self._count: NameCount | None = None
        self._together: Sequence[CoOccurrence] = ()
        self._documents: Mapping[str, str] = {}
        self.empty = EmptyState("search", "", "Look for names", look_for_names)
        self.addWidget(self._build())
        self.addWidget(self.empty)

    def _build(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.title = plain("", "heading", wrap=True)
        self.title.setContentsMargins(16, 12, 16, 4)
        column.addWidget(self.title)
        column.addWidget(self._build_fields())
        column.addWidget(self._build_bars())
        column.addWidget(line())
        self.passages_title = plain("", "section")
        self.passages_title.setContentsMargins(16, 8, 16, 8)
        column.addWidget(self.passages_title)
        self.passages = ExcerptList("Passages that mention the name")
        self.passages.chosen.connect(self._show_place)
        self.passages.selectionModel().currentChanged.connect(self._passage_changed)
        column.addWidget(self.passages, 1)
        return page

    def _build_fields(self) -> QWidget:
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
        self.name_field.editingFinished.connect(lambda: self.edited.emit("name", self.name_field.text().strip()))
        self.alias_field.editingFinished.connect(
            lambda: self.edited.emit("aliases", [part.strip() for part in self.alias_field.text().split(";")])
        )
        self.note_field.editingFinished.connect(lambda: self.edited.emit("note", self.note_field.text().strip()))
        self.kind_field.activated.connect(lambda _at: self.edited.emit("kind", str(self.kind_field.currentData())))
        return self.fields

    def _build_bars(self) -> QWidget:
        self.bars = QWidget()
        pair = QHBoxLayout(self.bars)
        pair.setContentsMargins(0, 0, 0, 8)
        pair.setSpacing(8)
        self._pair = pair
        self.with_title = plain("Occurs with", "section")
        self.with_whom = BarList("Names in the same passages")
        self.with_whom.chosen.connect(self.name_chosen)
        self.documents_title = plain("Documents", "section")
        self.by_document = BarList("Documents that mention it", elide=Qt.TextElideMode.ElideMiddle)
        self.by_document.chosen.connect(self._go_to_document)
        for title, bars in ((self.with_title, self.with_whom), (self.documents_title, self.by_document)):
            column = QVBoxLayout()
            column.setSpacing(4)
            title.setContentsMargins(16, 0, 0, 0)
            column.addWidget(title)
            column.addWidget(bars, 1)
            pair.addLayout(column, 1)
        return self.bars

    # --- showing -----------------------------------------------------------------------------------------------------

    def show_nothing(self, text: str, *, is_new: bool) -> None:
        """Show a hint instead of a name; ``is_new``: nobody has looked for names yet."""
        self.entity = None
        self._places = []
        self.passages.show_excerpts(())
        self.empty.say(text)
        self.empty.button.setVisible(is_new)
        self.setCurrentWidget(self.empty)

    def show_suggestion(self, candidate: Candidate) -> None:
        """Show a name that the documents suggest: it has no fields yet."""
        self._show_kind(is_suggestion=True)
        self.entity = None
        self.title.setText(candidate.name)

    def show_name(self, entity: Entity, *, writable: bool) -> None:
        """Show a name of the case; a field that is being written in is left alone."""
        self._show_kind(is_suggestion=False)
        self.fields.setEnabled(writable)
        self.entity = entity
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

    def _show_kind(self, *, is_suggestion: bool) -> None:
        self.setCurrentIndex(0)
        self.title.setVisible(is_suggestion)  # a name of the case is in its field
        self.fields.setVisible(not is_suggestion)
        self.bars.setVisible(not is_suggestion)

    def show_places(self, places: list[Named]) -> None:
        """List the passages that mention the name."""
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
                    place.passage.label, f"page {place.passage.page}", place.passage.text, place.places, target=place
                )
                for place in places
            ]
        )

    def show_counts(
        self,
        entities: Sequence[Entity],
        count: NameCount | None,
        together: Sequence[CoOccurrence],
        documents: Mapping[str, str],
    ) -> None:
        """Show with which names it occurs and in which documents; ``documents`` gives their names by id."""
        self._entities, self._count, self._together, self._documents = entities, count, together, documents
        self._show_bars()

    def _show_bars(self) -> None:
        if self.entity is None:
            return
        count = self._with_bars(self.entity)
        first = self._count.documents[:_BARS] if self._count is not None else ()
        self.by_document.show_bars(
            [
                Bar(
                    self._documents.get(document, document),
                    float(times),
                    f"{times:,}",
                    f"{self._documents.get(document, document)}: {counted(times, 'passage')}",
                    target=document,
                )
                for document, times in first
            ]
        )
        more = 0 if self._count is None else len(self._count.documents) - len(first)
        self.documents_title.setText(f"Documents, and {more} more" if more else "Documents")
        high = max(1, count, len(first)) * (theme.px(18) + 8) + 4
        rows = 3 if self._pair.direction() == QBoxLayout.Direction.TopToBottom else 5
        for bars in (self.with_whom, self.by_document):
            bars.setFixedHeight(min(high, rows * (theme.px(18) + 8) + 4))

    def _with_bars(self, entity: Entity) -> int:
        """Show the names that occur with it; return how many."""
        names = {item.id: item.name for item in self._entities}
        beside = [
            (pair.other if pair.one == entity.id else pair.one, pair)
            for pair in self._together
            if entity.id in (pair.one, pair.other)
        ][:_BARS]
        self.with_whom.show_bars(
            [
                Bar(
                    names.get(name, name),
                    float(pair.passages),
                    f"{pair.passages:,}",
                    f"{names.get(name, name)}: {counted(pair.passages, 'passage')} together "
                    f"in {counted(pair.documents, 'document')}",
                    target=name,
                )
                for name, pair in beside
            ]
        )
        self.with_title.setText("Occurs with" if beside else "Occurs with none of the other names")
        return len(beside)

    def stack_bars(self, *, narrow: bool) -> None:
        """Put the two charts below each other where their names would be cut off side by side."""
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._pair.direction() != way:
            self._pair.setDirection(way)
            self._show_bars()

    # --- passages ----------------------------------------------------------------------------------------------------

    def has_places(self) -> bool:
        """Return whether any passage mentions the name."""
        return bool(self._places)

    def in_hand(self) -> Chunk | None:
        """Return the passage that is selected."""
        row = self.passages.currentIndex().row()
        return self._places[row].passage if 0 <= row < len(self._places) else None

    def open(self) -> None:
        """Show the selected passage on its page, or the first one."""
        row = max(0, self.passages.currentIndex().row())
        if row < len(self._places):
            self._show_place(self._places[row])

    def _go_to_document(self, document: object) -> None:
        """Select the first passage in a document."""
        for row, place in enumerate(self._places):
            if place.passage.document == document:
                index = self.passages.rows.index(row, 0)
                self.passages.setCurrentIndex(index)
                self.passages.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtTop)
                self.passages.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    def _passage_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and (passage := self.in_hand()) is not None:
            self.passage_chosen.emit(passage)

    def _show_place(self, place: Named) -> None:
        start, end = place.places[0]
        begin = place.passage.start
        self.show_source.emit(place.passage.document, place.passage.page, begin + start, begin + end)
