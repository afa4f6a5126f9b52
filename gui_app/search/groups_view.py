"""The hits of a search in groups by what they are about: words that set each apart, its size, its passages below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPolygonF, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QTreeView, QWidget

from core.domain import Passage
from gui_app.search.passage_list import SIDE, CopyLinks, PassageDelegate, WordPicker
from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.passages_model import Index, passage_data

if TYPE_CHECKING:
    from core.search.service import Group


class _PassageItem(QStandardItem):
    def __init__(self, passage: Passage, copies: Sequence[Passage]) -> None:
        super().__init__()
        self.passage, self.copies = passage, tuple(copies)
        self.setEditable(False)

    def data(self, role: int = int(Qt.ItemDataRole.UserRole) + 1) -> Any:
        return passage_data(self.passage, self.copies, role)


class _GroupItem(QStandardItem):
    def __init__(self, title: str, detail: str) -> None:
        super().__init__(title)
        self.detail = detail
        self.setEditable(False)
        self.setData(detail, int(Qt.ItemDataRole.UserRole))
        self.setData(f"{title}, {detail}", int(Qt.ItemDataRole.AccessibleTextRole))


class _Rows(PassageDelegate):
    """Passages as in the list, and a head for each group."""

    def __init__(self, parent: QTreeView) -> None:
        super().__init__(parent, indent=8)
        self._tree = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if isinstance(index.data(Qt.ItemDataRole.UserRole), Passage):
            return super().sizeHint(option, index)
        return QSize(0, theme.px(24) + 16 + theme.air())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if isinstance(index.data(Qt.ItemDataRole.UserRole), Passage):
            super().paint(painter, option, index)
            return
        t = theme.tokens()
        rect: QRect = option.rect
        painter.save()
        is_selected = option.state & QStyle.StateFlag.State_Selected
        painter.fillRect(rect, QColor(t.selection if is_selected else t.raised))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), QColor(t.focus))
        painter.setPen(QColor(t.line))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inner = rect.adjusted(SIDE, 0, -SIDE, 0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.muted))
        x, y = inner.left() + 4.0, inner.center().y() + 0.5
        if self._tree.isExpanded(index):
            shape = [(x - 4, y - 2), (x + 4, y - 2), (x, y + 3)]
        else:
            shape = [(x - 2, y - 4), (x + 3, y), (x - 2, y + 4)]
        painter.drawPolygon(QPolygonF([QPointF(*point) for point in shape]))
        detail = str(index.data(Qt.ItemDataRole.UserRole))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(t.muted))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignRight | middle), detail)
        room = inner.width() - painter.fontMetrics().horizontalAdvance(detail) - 40
        bold = theme.sans(bold=True)
        painter.setFont(bold)
        painter.setPen(QColor(t.text))
        title = QFontMetrics(bold).elidedText(str(index.data()), Qt.TextElideMode.ElideRight, room)
        painter.drawText(inner.adjusted(20, 0, 0, 0), int(Qt.AlignmentFlag.AlignLeft | middle), title)
        painter.restore()


class GroupsView(QTreeView):
    """Groups that fold. ``opened(Passage)`` on Enter or double click, ``chosen_changed(Passage | None)``."""

    opened = Signal(object)
    chosen_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = QStandardItemModel(self)
        self.setModel(self._model)
        self.setAccessibleName("Passages in groups")
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.delegate = _Rows(self)
        self.setItemDelegate(self.delegate)
        self.picker = WordPicker(self, self.delegate)
        self.copies = CopyLinks(self, self.delegate, self.opened.emit)
        self.clicked.connect(self._clicked)
        self.doubleClicked.connect(lambda index: self._open(index))
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    def show_groups(
        self,
        groups: Sequence[Group],
        passages: Sequence[Passage],
        copies: Mapping[int, Sequence[Passage]],
        rest_words: Callable[[int], str],
    ) -> None:
        """Show the groups with their passages.

        Those in no group follow under the words that ``rest(count)`` gives.
        """
        by_chunk = {passage.chunk: passage for passage in passages}
        self._model.clear()
        in_groups: set[int] = set()
        alone: list[int] = []
        for group in groups:
            chunks = [chunk for chunk in group.passages if chunk in by_chunk]
            in_groups.update(chunks)
            if len(chunks) < 2:
                alone += chunks
                continue
            where = counted(len({by_chunk[chunk].document for chunk in chunks}), "document")
            detail = f"{counted(len(chunks), 'passage')} in {where}"
            self._add(" · ".join(group.label) or by_chunk[chunks[0]].label, detail, chunks, by_chunk, copies)
        alone += [chunk for chunk in by_chunk if chunk not in in_groups]
        if alone:
            detail = counted(len(alone), "passage")
            self._add(
                rest_words(self._model.rowCount()),
                detail,
                sorted(alone, key=lambda c: by_chunk[c].rank),
                by_chunk,
                copies,
            )
        self.expandAll()
        first = self._model.index(0, 0)
        if first.isValid():
            self.setCurrentIndex(first)

    def _add(
        self,
        title: str,
        detail: str,
        chunks: Sequence[int],
        by_chunk: Mapping[int, Passage],
        copies: Mapping[int, Sequence[Passage]],
    ) -> None:
        head = _GroupItem(title, detail)
        for chunk in chunks:
            head.appendRow(_PassageItem(by_chunk[chunk], copies.get(chunk, ())))
        self._model.appendRow(head)

    def count(self) -> int:
        """Count the groups on show."""
        return self._model.rowCount()

    def chosen(self) -> Passage | None:
        """Return the selected passage, or None on the head of a group."""
        value = self.currentIndex().data(Qt.ItemDataRole.UserRole)
        return value if isinstance(value, Passage) else None

    def step(self, by: int) -> None:
        """Go to the head of the next group, or of the one before."""
        if not self._model.rowCount():
            return
        current = self.currentIndex()
        head = current.parent() if current.parent().isValid() else current
        row = head.row() + by
        if by < 0 and current.parent().isValid():
            row = head.row()
        self.setCurrentIndex(self._model.index(max(0, min(self._model.rowCount() - 1, row)), 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the selected row on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Emit the passage that is selected now."""
        super().currentChanged(current, previous)
        self.chosen_changed.emit(self.chosen())

    def _clicked(self, index: QModelIndex) -> None:
        if not isinstance(index.data(Qt.ItemDataRole.UserRole), Passage):
            self.setExpanded(index, not self.isExpanded(index))

    def _open(self, index: QModelIndex) -> None:
        value = index.data(Qt.ItemDataRole.UserRole)
        if isinstance(value, Passage):
            self.opened.emit(value)
        elif index.isValid():
            self.setExpanded(index, not self.isExpanded(index))
