"""How names and states of documents are painted in the cells of tables."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QRect, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from core.documents.descriptions import title_of
from core.domain import Document
from gui_app.documents.documents_filter import DocumentsFilter
from gui_app.documents.documents_model import DocumentsModel
from gui_app.shared import theme
from gui_app.shared.painted_text import draw_lines, line_count
from gui_app.shared.reading_direction import CellDelegate, direction_of
from gui_app.shared.table_models import Index

BELOW = "\u21b3  "  # before the name of one that follows the first of its group
INDENT, UNFOLDED, FOLDED = "\u2003\u2002", "▾", "▸"
_PREFIX = f"{BELOW}{INDENT}{UNFOLDED}{FOLDED}"
ARROW_MARGIN, ARROW_WIDTH = 6, 20  # pixels before and behind the left edge of an arrow that take a click
TITLE_GAP, TITLE_LEAST = 16, 64  # pixels between a name and a title; of a title, else it is left out


def name_in_list(model: DocumentsFilter, row: int, document: Document) -> str:
    """Return the name as it is in the list: what is found in another has no path of it, and is set in."""
    source = model.sourceModel()
    if not isinstance(source, DocumentsModel):
        return document.name
    level, is_open = model.level(row), not model.is_folded(row)
    arrow = f"{UNFOLDED if is_open else FOLDED}\u2002" if model.contents(row) else ""
    if level:
        return f"{INDENT * level}{arrow}{source.short_name(document)}"
    if model.group == "file" and document.parent:
        return document.name.rpartition("/")[2]  # the file that it lies in is above it
    is_below = model.grouped() and source.first.get(document.id, document.id) != document.id
    return f"{BELOW if is_below else ''}{arrow}{document.name}"


def text_box(option: QStyleOptionViewItem, table: QWidget) -> QRect:
    """Return the box for the words of a cell."""
    style = table.style()
    margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, table) + 1  # what Qt leaves itself
    return style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, table).adjusted(margin, 0, -margin, 0)


class StatusDelegate(CellDelegate):
    """Words that need attention are in the tone for it; the words themselves say what it is."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Colour the words by what the status asks for."""
        super().initStyleOption(option, index)
        row = index.data(Qt.ItemDataRole.UserRole)
        status = getattr(row, "status", "")
        t = theme.tokens()
        colour = t.text
        if status in ("failed", "needs_ocr", "note"):
            colour = t.contradicts
        elif (
            status in ("duplicate", "reading")
            or bool(getattr(row, "superseded_by", ""))
            or not getattr(row, "included", True)
        ):
            colour = t.muted
        option.palette.setColor(option.palette.ColorRole.Text, QColor(colour))
        option.palette.setColor(option.palette.ColorRole.HighlightedText, QColor(colour))


class FieldDelegate(CellDelegate):
    """A cell with what a document says of itself; muted where that may well be wrong."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Mute what is unsure, as the day on which a file was made."""
        super().initStyleOption(option, index)
        row, model = index.data(Qt.ItemDataRole.UserRole), index.model()
        source = model.sourceModel() if isinstance(model, DocumentsFilter) else None
        if isinstance(row, Document) and isinstance(source, DocumentsModel):
            if row.included and not source.is_unsure(row, index.column()):
                return
            for role in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
                option.palette.setColor(role, QColor(theme.tokens().muted))


class NameDelegate(QStyledItemDelegate):
    """The name, and muted beside it the title where that has no column of its own.

    A document out of scope is muted; one that follows the first of its group is below it, and so is one that was
    found in another: a click on the arrow before a name folds what is below it.
    """

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Indent a name below the first of its group, and mute one that is out of scope."""
        super().initStyleOption(option, index)
        row = index.data(Qt.ItemDataRole.UserRole)
        model = index.model()
        if isinstance(model, DocumentsFilter) and isinstance(row, Document):
            option.text = name_in_list(model, index.row(), row)
        if isinstance(row, Document) and not row.included:
            for role in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
                option.palette.setColor(role, QColor(theme.tokens().muted))

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        """Fold or unfold by a click on the arrow before the name."""
        if (
            isinstance(model, DocumentsFilter)
            and isinstance(event, QMouseEvent)
            and event.button() == Qt.MouseButton.LeftButton
            and model.contents(index.row())
        ):
            item_option = QStyleOptionViewItem(option)
            self.initStyleOption(item_option, index)
            box = text_box(item_option, option.widget)
            left = box.left() + item_option.fontMetrics.horizontalAdvance(INDENT * model.level(index.row()))
            if left - ARROW_MARGIN <= event.position().x() < left + ARROW_WIDTH:
                if event.type() == QEvent.Type.MouseButtonRelease:
                    model.fold_document(index.row())
                return True
        return super().editorEvent(event, model, option, index)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the name over as many lines as the row has, and the title beside it where there is room."""
        item_option = QStyleOptionViewItem(option)
        self.initStyleOption(item_option, index)
        box = text_box(item_option, option.widget)
        name, row = item_option.text.lstrip(_PREFIX), index.data(Qt.ItemDataRole.UserRole)
        prefix = item_option.text.removesuffix(name)
        item_option.text = ""
        option.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, item_option, painter, option.widget)
        painter.save()
        painter.setFont(item_option.font)
        metrics = item_option.fontMetrics
        painter.setPen(item_option.palette.color(item_option.palette.ColorRole.Text))
        left = box.left() + metrics.horizontalAdvance(prefix)
        room = max(1, box.height() // metrics.height())
        high = metrics.height() * line_count(name, item_option.font, box.right() + 1 - left, most=room)
        first = QRect(box.left(), box.top() + (box.height() - high) // 2, left - box.left(), metrics.height())
        painter.drawText(first, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), prefix)
        box.setLeft(left)
        draw_lines(painter, name, box, lines=room, middle=True)
        table = option.widget
        has_column = isinstance(table, QTableView) and not table.isColumnHidden(DocumentsModel.TITLE)
        if isinstance(row, Document) and title_of(row) and not has_column:
            title_offset = metrics.horizontalAdvance(name) + TITLE_GAP
            is_left = direction_of(name) == Qt.LayoutDirection.LeftToRight
            box.adjust(title_offset if is_left else 0, 0, 0 if is_left else -title_offset, 0)
            if box.width() >= TITLE_LEAST:
                painter.setPen(QColor(theme.tokens().muted))
                draw_lines(painter, title_of(row), box, lines=1)
        painter.restore()
