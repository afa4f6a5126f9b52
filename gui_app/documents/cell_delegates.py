"""How names and states of documents are painted in the cells of tables."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from core.documents.descriptions import title_of
from core.domain import Document
from gui_app.documents.documents_filter import DocumentsFilter
from gui_app.documents.documents_model import DocumentsModel
from gui_app.shared import theme
from gui_app.shared.table_models import Index

BELOW = "\u21b3  "  # before the name of one that follows the first of its group
TITLE_GAP, TITLE_LEAST = 16, 64  # pixels between a name and a title; of a title, else it is left out


class StatusDelegate(QStyledItemDelegate):
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


class FieldDelegate(QStyledItemDelegate):
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

    A document out of scope is muted; one that follows the first of its group stands below it.
    """

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Indent a name below the first of its group, and mute one that is out of scope."""
        super().initStyleOption(option, index)
        row = index.data(Qt.ItemDataRole.UserRole)
        model = index.model()
        if isinstance(model, DocumentsFilter) and isinstance(row, Document) and model.grouped():
            source = model.sourceModel()
            if isinstance(source, DocumentsModel) and source.first.get(row.id, row.id) != row.id:
                option.text = f"{BELOW}{option.text}"
        if isinstance(model, DocumentsFilter) and model.group == "file" and isinstance(row, Document) and row.parent:
            option.text = row.name.rpartition("/")[2]  # the file that it lies in stands above it
        if isinstance(row, Document) and not row.included:
            for role in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
                option.palette.setColor(role, QColor(theme.tokens().muted))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the name, and the title beside it where there is room."""
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        super().paint(painter, option, index)
        row = index.data(Qt.ItemDataRole.UserRole)
        table = option.widget
        has_column = isinstance(table, QTableView) and not table.isColumnHidden(DocumentsModel.TITLE)
        if not isinstance(row, Document) or not title_of(row) or has_column:
            return
        item_option = QStyleOptionViewItem(option)
        self.initStyleOption(item_option, index)
        box = option.widget.style().subElementRect(QStyle.SubElement.SE_ItemViewItemText, item_option, option.widget)
        box.setLeft(box.left() + item_option.fontMetrics.horizontalAdvance(item_option.text) + TITLE_GAP)
        if box.width() < TITLE_LEAST:
            return
        painter.save()
        painter.setFont(item_option.font)
        painter.setPen(QColor(theme.tokens().muted))
        words = item_option.fontMetrics.elidedText(title_of(row), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), words)
        painter.restore()
