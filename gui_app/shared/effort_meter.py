"""How much was done for each hypothesis: searches on both sides, passages looked at, and how the judge took them.

Nobody should mistake a search that looked away for evidence that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.domain import Label
from gui_app.shared import theme
from gui_app.shared.charts import draw_bar
from gui_app.shared.formatting import counted
from gui_app.shared.labels import plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.plan_model import EffortModel
from gui_app.shared.row_painting import LEFT
from gui_app.shared.table import Table
from gui_app.shared.verdict_signs import draw_sign

if TYPE_CHECKING:
    from core.plans.service import Effort

SHOWN = 6  # hypotheses that are seen without scrolling


def unequal(efforts: Sequence[Effort]) -> list[str]:
    """List the hypotheses that had fewer passages looked at than another."""
    return [effort.hypothesis for effort in efforts if effort.uneven]


def effort_summary(efforts: Sequence[Effort], *, running: bool = False) -> str:
    """Sum up the effort in one sentence: equal, or who is behind; not yet while evidence is being found."""
    counts = [effort.passages for effort in efforts]
    if running:
        return f"Finding evidence: up to {counted(max(counts, default=0), 'passage')} looked at for each so far."
    if not any(counts):
        return "No search was run yet."
    behind = [effort.uneven for effort in efforts if effort.uneven]
    if behind:
        names = unequal(efforts)
        phrase = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        return f"{behind[0]} Find evidence for {phrase}." if len(behind) == 1 else f"{' '.join(behind[:3])}"
    searches = sum(effort.searches_for + effort.searches_against for effort in efforts)
    return (
        f"Equal effort: {counted(counts[0], 'passage')} looked at for each, {counted(searches, 'search', 'searches')}."
    )


def _without_warnings(efforts: Sequence[Effort]) -> list[Effort]:
    """Leave out who is behind: as long as evidence is being found that says nothing."""
    return [replace(effort, fair=True, uneven="") for effort in efforts]


class EffortMeter(QWidget):
    """A table with a bar in it; ``even_out(list of hypotheses)`` when the person wants those behind to catch up."""

    even_out = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.efforts: list[Effort] = []
        self.rows_shown = SHOWN
        self.model = EffortModel(self)
        self.table = Table(self.model, "Effort for each hypothesis")
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.horizontalHeader().setSectionResizeMode(EffortModel.UNEVEN, QHeaderView.ResizeMode.Stretch)
        self.table.setItemDelegateForColumn(EffortModel.PASSAGES, _Bar(self.table))
        self.table.setItemDelegateForColumn(EffortModel.TAKEN, _Taken(self.table))
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.summary = plain("", "strong", wrap=True)
        self.even_button = QPushButton("Balance")
        self.even_button.setToolTip("Look at as many passages for each hypothesis as for the one with the most")
        self.even_button.setAccessibleName("Balance the effort")
        self.even_button.clicked.connect(lambda *_: self.even_out.emit(unequal(self.efforts)))
        head = hbox(margins=(24, 8, 24, 4), spacing=8)
        head.addWidget(self.summary, 1)
        head.addWidget(self.even_button)
        column = vbox(self, spacing=0)
        column.addLayout(head)
        inset = hbox(margins=(16, 0, 16, 8))
        inset.addWidget(self.table)
        column.addLayout(inset)
        theme.changed.connect(self._size)

    def show_effort(
        self, efforts: Sequence[Effort], texts: Mapping[str, str], *, possible: bool, running: bool = False
    ) -> None:
        """Show the effort for each hypothesis, with its text by id.

        ``possible``: evidence can be found now, so that the effort can be evened out; ``running``: it is being found,
        so that nobody is behind yet.
        """
        self.efforts = _without_warnings(efforts) if running else list(efforts)
        efforts = self.efforts
        self.model.show_effort(efforts, texts, running=running)
        self.summary.setText(effort_summary(efforts, running=running))
        behind = bool(unequal(efforts))
        self.summary.setProperty("tone", "contradicts" if behind else None)
        self.summary.style().unpolish(self.summary)
        self.summary.style().polish(self.summary)
        self.even_button.setVisible(behind)
        self.even_button.setEnabled(possible)
        self.table.setVisible(any(effort.passages or effort.searches_for for effort in efforts))
        self._size()
        first = next((index for index, effort in enumerate(efforts) if effort.uneven), 0)
        self.table.scrollTo(self.model.index(first, 0), QAbstractItemView.ScrollHint.PositionAtCenter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width among the columns again."""
        super().resizeEvent(event)
        self._size()

    def _size(self) -> None:
        metrics = QFontMetrics(theme.sans())
        wide = self.width() - 32
        small = wide < theme.px(720)
        ids = theme.px(56)
        searches = metrics.horizontalAdvance("00 for, 00 against") + theme.px(24)
        labels_width = sum(metrics.horizontalAdvance(f"000 {word}") + theme.px(28) for word in _words(small))
        remaining = wide - ids - searches - labels_width - 4
        # The warning is above the table too: beside its row only where there is room for both.
        roomy = bool(unequal(self.efforts)) and remaining > theme.px(480)
        self.table.setColumnHidden(EffortModel.UNEVEN, not roomy)
        self.table.setColumnWidth(EffortModel.ID, ids)
        self.table.setColumnWidth(EffortModel.SEARCHES, searches)
        self.table.setColumnWidth(EffortModel.TAKEN, labels_width)
        self.table.setColumnWidth(EffortModel.PASSAGES, max(theme.px(112), theme.px(160) if roomy else remaining))
        self.table.verticalHeader().setDefaultSectionSize(theme.row_height())
        rows = min(len(self.efforts), self.rows_shown)
        high = self.table.horizontalHeader().sizeHint().height() + rows * theme.row_height() + 4
        self.table.setFixedHeight(high)

    def as_text(self) -> str:
        """Return the whole table, a line a hypothesis."""
        model = self.model
        return "\n".join(
            ", ".join(str(model.index(row, column).data()) for column in range(model.columnCount()))
            for row in range(model.rowCount())
        )


class EffortLine(QWidget):
    """The meter in one line, for a screen that is about something else."""

    even_out = Signal(object)
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.efforts: list[Effort] = []
        row = hbox(self, margins=(24, 4, 24, 4), spacing=8)
        self.summary = plain("", "small", wrap=True)
        row.addWidget(self.summary, 1)
        self.even_button = QPushButton("Balance")
        self.even_button.setProperty("kind", "quiet")
        self.even_button.setAccessibleName("Balance the effort")
        self.even_button.clicked.connect(lambda *_: self.even_out.emit(unequal(self.efforts)))
        row.addWidget(self.even_button)
        self.open_button = QPushButton("Search log")
        self.open_button.setProperty("kind", "quiet")
        self.open_button.setAccessibleName("Show the searches of each hypothesis")
        self.open_button.clicked.connect(lambda *_: self.opened.emit())
        row.addWidget(self.open_button)
        for part in (self.even_button, self.open_button):
            part.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_effort(self, efforts: Sequence[Effort], *, possible: bool, ran: str = "", running: bool = False) -> None:
        """Show the effort in one line.

        ``ran`` is what the last search did; a warning comes before it. ``running``: evidence is being found, so that
        nobody is behind yet.
        """
        self.efforts = efforts = _without_warnings(efforts) if running else list(efforts)
        behind = bool(unequal(efforts))
        warning = " ".join(e.uneven for e in efforts if e.uneven)
        summary = effort_summary(efforts, running=running)
        self.summary.setText(summary if running else warning or ran or summary)
        self.summary.setProperty("tone", "contradicts" if behind else None)
        self.summary.style().unpolish(self.summary)
        self.summary.style().polish(self.summary)
        self.even_button.setVisible(behind)
        self.even_button.setEnabled(possible)


def _words(small: bool) -> tuple[str, ...]:
    return ("", "", "", "") if small else ("support", "contradict", "neutral", "unsure")


def empty_cell(
    delegate: QStyledItemDelegate,
    painter: QPainter,
    option: QStyleOptionViewItem,
    index: QModelIndex | QPersistentModelIndex,
) -> None:
    """Draw what is behind a cell that is painted by hand: its ground and line, as in the cells beside it."""
    background = QStyleOptionViewItem(option)
    delegate.initStyleOption(background, index)
    background.text = ""
    style = option.widget.style() if option.widget is not None else QApplication.style()
    style.drawControl(QStyle.ControlElement.CE_ItemViewItem, background, painter, option.widget)


class _Bar(QStyledItemDelegate):
    """The number of passages, and a bar as long as its share of the most."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        effort = index.data(Qt.ItemDataRole.UserRole)
        model = index.model()
        longest = model.most if isinstance(model, EffortModel) else 1
        empty_cell(self, painter, option, index)
        painter.save()
        painter.setFont(theme.sans())
        painter.setPen(QColor(theme.tokens().text))
        inner = option.rect.adjusted(8, 0, -8, 0)
        figure = f"{effort.passages:,}"
        figure_width = QFontMetrics(theme.sans()).horizontalAdvance(f"{longest:,}") + 8
        painter.drawText(inner, LEFT, figure)
        box = QRectF(inner.left() + figure_width, inner.center().y() - 3, max(8, inner.width() - figure_width), 7)
        draw_bar(painter, box, effort.passages / longest, "contradicts" if effort.uneven else "accent")
        painter.restore()


class _Taken(QStyledItemDelegate):
    """The four labels with their shapes, outlined: the machine says it, nobody decided it."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        effort = index.data(Qt.ItemDataRole.UserRole)
        empty_cell(self, painter, option, index)
        painter.save()
        painter.setFont(theme.sans())
        metrics = QFontMetrics(theme.sans())
        inner = option.rect.adjusted(8, 0, 0, 0)
        if not effort.passages:
            painter.setPen(QColor(theme.tokens().muted))
            painter.drawText(inner, LEFT, "–")
            painter.restore()
            return
        view = self.parent()
        small = isinstance(view, QWidget) and view.width() < theme.px(720)
        x = float(inner.left())
        labels: tuple[Label, ...] = ("supports", "contradicts", "neutral", "ambiguous")
        counts = (effort.supports, effort.contradicts, effort.neutral, effort.ambiguous)
        for label, number, word in zip(labels, counts, _words(small), strict=True):
            tone = theme.tone(label)
            draw_sign(painter, label, QRectF(x, inner.center().y() - 4, 9, 9), tone, fill=False)
            painter.setPen(QColor(theme.tokens().text))
            text = f"{number} {word}".strip()
            painter.drawText(
                QRectF(x + 14, inner.top(), metrics.horizontalAdvance(text) + 4, inner.height()), LEFT, text
            )
            x += metrics.horizontalAdvance(f"000 {word}") + theme.px(24)
        painter.restore()
