"""How far the ratings of people and the verdicts of a model agree in this case: a table to look into, and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.verdicts.agreement import ENOUGH, Agreement, lines, share
from core.verdicts.agreement import agreement as counted_up
from gui_app.review.agreement_model import FIGURE, PEOPLE, AgreementModel
from gui_app.shared import theme
from gui_app.shared.effort_meter import empty_cell
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.labels import plain
from gui_app.shared.table import Table
from gui_app.shared.verdict_signs import draw_sign

NARROW = 624  # pixels below which the shares are in sentences instead of the table
_WIDTHS = (136, 100, 84, 84, 0)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class AgreementPage(QWidget):
    """The verdicts of each model held against people's ratings.

    ``chosen(list of proposal ids, words)`` for the proposals behind a cell; ``closed`` when the person goes back.
    """

    chosen = Signal(object, str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._agreements: list[Agreement] = []
        self._names: dict[str, str] = {}
        self.model = AgreementModel(self)
        self.table = Table(self.model, "What the model said against what people rated")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setItemDelegate(_Cell(self.table))
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.on_open = self._open_cell
        self.headline = plain(role="heading", wrap=True)
        self.mind = plain(role="muted", wrap=True)
        self.sentences = [plain(wrap=True, selectable=True) for _ in range(8)]
        self.models = QComboBox()
        self.models.setAccessibleName("Whose verdicts")
        self.models.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.models.currentIndexChanged.connect(lambda index: self._show(index))
        self.back_button = QPushButton("Back to the queue")
        self.back_button.clicked.connect(lambda _on=False: self.closed.emit())
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(plain("Agreement", "title"), 1)
        head.addWidget(self.back_button)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setSpacing(16)
        column.addLayout(head)
        column.addWidget(self.models, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.headline)
        column.addWidget(self.mind)
        column.addWidget(self.table)
        for label in self.sentences:
            column.addWidget(label)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        self._column = column
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        theme.changed.connect(self._size)

    def show_agreements(self, agreements: Sequence[Agreement], names: dict[str, str]) -> None:
        """Show what people and models agree on; ``names`` has what each model is called, by its fingerprint."""
        current = self.models.currentData()
        self._agreements, self._names = list(agreements), names
        self.models.blockSignals(True)
        self.models.clear()
        for agreement in self._agreements:
            self.models.addItem(names.get(agreement.model, agreement.model), agreement.model)
        self.models.setCurrentIndex(max(0, self.models.findData(current)) if self._agreements else -1)
        self.models.blockSignals(False)
        self.models.setVisible(len(self._agreements) > 1)
        self._show(self.models.currentIndex())

    def _show(self, index: int) -> None:
        agreement = self._agreements[index] if 0 <= index < len(self._agreements) else None
        self.model.show_agreement(agreement)
        self.table.setVisible(agreement is not None)
        sentences = lines(agreement if agreement is not None else counted_up("", []))
        if agreement is None:
            self.headline.setText(sentences[0])
            self.mind.setText(
                "Accept a quote here and rate it in the matrix: from then on this page shows how often you agreed "
                f"with the model, and after {ENOUGH} ratings what its probabilities would be in this case."
            )
            sentences = []
        else:
            name = self._names.get(agreement.model, agreement.model)
            self.headline.setText(f"Agreement with {name}: {share(agreement.right)}")
            self.mind.setText(sentences[-1])
            sentences = sentences[:-1]
        for label, text in zip(self.sentences, [*sentences, *[""] * len(self.sentences)], strict=False):
            label.setText(text)
            # Class by class it is in the table, where that has the room.
            label.setProperty("row", text.startswith("Where it found"))
        self._size()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the shares into sentences where the table has no room for them."""
        super().resizeEvent(event)
        self._size()

    def _size(self) -> None:
        narrow = self.width() < theme.px(NARROW)
        gap = 16 if narrow else 24
        self._column.setContentsMargins(gap, 16, gap, 24)
        self.table.setColumnHidden(AgreementModel.SHARED, narrow)
        widest = len(PEOPLE) if narrow else AgreementModel.SHARED
        self.table.widths([0 if column == widest else wide for column, wide in enumerate(_WIDTHS)], stretch=widest)
        for label in self.sentences:
            label.setVisible(bool(label.text()) and (narrow or not label.property("row")))
        self.table.verticalHeader().setDefaultSectionSize(theme.row_height() + 8)
        rows = self.model.rowCount()
        high = self.table.horizontalHeader().sizeHint().height() + rows * (theme.row_height() + 8) + 4
        self.table.setFixedHeight(high)

    def _open_cell(self) -> None:
        index = self.table.currentIndex()
        place = self.models.currentIndex()
        if not index.isValid() or not 1 <= index.column() <= len(PEOPLE) or not 0 <= place < len(self._agreements):
            return
        label, rating = index.data(Qt.ItemDataRole.UserRole).label, PEOPLE[index.column() - 1]
        decisions = self._agreements[place].decisions
        proposals = [row.proposal for row in decisions if (row.verdict.label, row.meant) == (label, rating)]
        if proposals:
            words = f"said “{VERDICTS[label]}”, rated “{VERDICTS[rating]}”"
            self.chosen.emit(list(dict.fromkeys(proposals)), words)


class _Cell(QStyledItemDelegate):
    """The sign of a verdict; a count on a ground as deep as its share of the row; a share with its interval."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(Qt.ItemDataRole.UserRole)
        column = index.column()
        ink = theme.tokens()
        empty_cell(self, painter, option, index)
        painter.save()
        inner = option.rect.adjusted(8, 0, -8, 0)
        painter.setFont(theme.sans())
        if column == AgreementModel.LABEL:
            tone = theme.tone(row.label)
            draw_sign(painter, row.label, QRectF(inner.left(), inner.center().y() - 4, 9, 9), tone, fill=False)
            painter.setPen(tone)
            painter.drawText(inner.adjusted(18, 0, 0, 0), _LEFT, index.data())
        elif column == AgreementModel.SHARED:
            self._share(painter, QRectF(inner), row, index.data())
        else:
            count, of = index.data(FIGURE)
            same = PEOPLE[column - 1] == row.label
            if count:
                ground = theme.tint(PEOPLE[column - 1])
                ground.setAlphaF(min(1.0, 0.25 + 0.75 * count / max(1, of)))
                painter.fillRect(option.rect.adjusted(2, 2, -2, -2), ground)
            painter.setPen(QColor(ink.text if count else ink.muted))
            painter.setFont(theme.sans(bold=bool(same and count)))
            painter.drawText(inner, _RIGHT, index.data())
        painter.restore()

    @staticmethod
    def _share(painter: QPainter, box: QRectF, row: object, words: str) -> None:
        """Draw the interval as a line with a mark at the share, on a track from 0 to 1."""
        ink = theme.tokens()
        right = row.right  # type: ignore[attr-defined]
        is_known = bool(right.n) and row.label != "ambiguous"  # type: ignore[attr-defined]
        painter.setPen(QColor(ink.text if is_known else ink.muted))
        wide = QFontMetrics(theme.sans()).horizontalAdvance("100% (100% to 100%)") + theme.px(16)
        painter.drawText(box, _LEFT, words)
        track = QRectF(box.left() + wide, box.center().y(), box.width() - wide - 4, 0)
        if not is_known or track.width() < theme.px(48):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(ink.line))
        painter.drawLine(track.topLeft(), track.topRight())
        pen = painter.pen()
        pen.setColor(QColor(ink.accent))
        pen.setWidthF(2.0)
        painter.setPen(pen)
        offsets = [track.left() + track.width() * value for value in (right.low, right.value, right.high)]
        low, high = (QRectF(x, track.y(), 0, 0).topLeft() for x in (offsets[0], offsets[2]))
        painter.drawLine(low, high)
        painter.setBrush(QColor(ink.accent))
        painter.drawEllipse(QRectF(offsets[1] - 3.5, track.y() - 3.5, 7, 7))
