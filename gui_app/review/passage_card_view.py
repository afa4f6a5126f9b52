"""One passage with everything that is decided about it: its words, its copies, and a line for every hypothesis."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QScrollArea,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.domain import LAYER, Hypothesis, Proposal, Rating
from core.review.passage_cards import Copy, PassageCard
from gui_app.review.decisions import suggestion
from gui_app.review.passage_list import copies_words, verdict_words
from gui_app.shared import theme
from gui_app.shared.excerpt_list import SIDE, ground
from gui_app.shared.labels import line, plain
from gui_app.shared.marked_text import MarkedText
from gui_app.shared.proposal_queue import sign_label
from gui_app.shared.table_models import Index, ListRows
from gui_app.shared.verdict_signs import draw_sign

_MAX_COPIES = 4  # that are named one by one


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A hypothesis beside a passage.

    ``rating`` is what accepting would give it, ``is_own`` where a person chose it, '' for none. ``proposal`` is None
    where the judge was not asked.
    """

    hypothesis: Hypothesis
    proposal: Proposal | None
    rating: Rating | str = ""
    is_own: bool = False
    is_refused: bool = False


def verdict_rows(
    card: PassageCard, hypotheses: Sequence[Hypothesis], ratings: Mapping[str, Rating], refused: Collection[str]
) -> list[VerdictRow]:
    """Make a row of each hypothesis, in the order of the case."""
    lines = []
    for hypothesis in hypotheses:
        proposal, is_refused = card.proposals.get(hypothesis.id), hypothesis.id in refused
        own = ratings.get(hypothesis.id, "")
        rating = "" if is_refused else own or suggestion(proposal) or ""
        lines.append(VerdictRow(hypothesis, proposal, rating, bool(own) and not is_refused, is_refused))
    return lines


def copy_words(copy: Copy) -> str:
    """Name a copy with what differs in it: 'b.txt, p. 1 (02:14 instead of 02:41)'."""
    place = f"{copy.passage.name}, p. {copy.passage.page}"
    parts = [f"{theirs or 'nothing'} instead of {ours or 'nothing'}" for ours, theirs in copy.differences]
    return f"{place} ({'; '.join(parts)})" if parts else f"{place} (the same words)"


class VerdictModel(ListRows):
    """One row a hypothesis. UserRole gives the VerdictRow."""

    def role_data(self, row: VerdictRow, at: int, role: int) -> Any:
        """Return what is painted, in words."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row_words(row)
        return None


def row_words(row: VerdictRow) -> str:
    """Say what stands in the line of a hypothesis."""
    if row.proposal is None:
        verdict = f"{row.hypothesis.id} not judged"
    else:
        verdict = verdict_words(row.hypothesis.id, row.proposal)
    how = "refused" if row.is_refused else f"your rating {row.rating}" if row.is_own else ""
    how = how or (f"suggested rating {row.rating}" if row.rating else "no rating suggested")
    quote = f" “{' '.join(row.proposal.quote.text.split())}”" if row.proposal else ""
    return f"{verdict}, {how}. {' '.join(row.hypothesis.text.split())}{quote}"


class VerdictRows(QListView):
    """The hypotheses of one passage. It takes as much height as they need."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Verdicts on this passage, by hypothesis")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rows = VerdictModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(_Row(self))
        theme.changed.connect(self._fit)

    def show_rows(self, rows: Sequence[VerdictRow]) -> None:
        """Show these rows; the current line stays where it was."""
        at = max(0, self.currentIndex().row())
        self.rows.show(rows)
        self.setCurrentIndex(self.rows.index(min(at, len(rows) - 1), 0))
        self._fit()

    def _fit(self) -> None:
        self.scheduleDelayedItemsLayout()
        self.setFixedHeight(len(self.rows.rows) * _row_height() + 2)


def _row_height() -> int:
    return 14 + theme.px(20) + theme.px(20)


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, _row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: VerdictRow = index.data(Qt.ItemDataRole.UserRole)
        ink = theme.tokens()
        painter.save()
        inner = ground(painter, option).adjusted(SIDE, 6, -SIDE, -6)
        head = QRect(inner.left(), inner.top(), inner.width(), theme.px(20))
        tone = theme.tone(sign_label(row.proposal)) if row.proposal else QColor(ink.muted)
        left = head.left()
        if row.proposal is not None:
            is_accepted = row.proposal.status == "accepted"
            sign = QRectF(left, head.center().y() - 4.5, 10, 10)
            draw_sign(painter, sign_label(row.proposal), sign, tone, fill=is_accepted)
        left += 20
        painter.setFont(theme.sans(theme.SMALL, bold=True))
        painter.setPen(tone)
        middle = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        words = verdict_words(row.hypothesis.id, row.proposal) if row.proposal else f"{row.hypothesis.id} not judged"
        painter.drawText(QRect(left, head.top(), head.width(), head.height()), middle, words)
        left += max(theme.px(132), QFontMetrics(painter.font()).horizontalAdvance(words) + 16)
        badge = theme.px(60)
        self._draw_rating(painter, row, QRect(head.right() - badge, head.top(), badge, head.height()))
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        room = head.right() - badge - 8 - left
        text = " ".join(row.hypothesis.text.split())
        text = QFontMetrics(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRect(left, head.top(), room, head.height()), middle, text)
        if row.proposal is not None:
            below = QRect(inner.left() + 20, head.bottom() + 2, inner.width() - 20, theme.px(20))
            painter.setFont(theme.serif(theme.BODY))
            painter.setPen(QColor(ink.muted if row.is_refused else ink.text))
            quote = f"“{' '.join(row.proposal.quote.text.split())}”"
            quote = QFontMetrics(painter.font()).elidedText(quote, Qt.TextElideMode.ElideRight, below.width())
            painter.drawText(below, middle, quote)
        painter.restore()

    def _draw_rating(self, painter: QPainter, row: VerdictRow, box: QRect) -> None:
        """Draw the person's own rating filled, the model's outlined."""
        ink = theme.tokens()
        right = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        painter.setFont(theme.sans(theme.SMALL, bold=row.is_own))
        if row.is_refused or not row.rating:
            painter.setPen(QColor(ink.muted))
            painter.drawText(box, right, "refused" if row.is_refused else "")
            return
        wide = QFontMetrics(theme.sans(theme.SMALL, bold=True)).horizontalAdvance(row.rating) + 16
        frame = QRectF(box.right() - wide, box.top() + 1, wide, box.height() - 3)
        painter.setPen(QColor(ink.accent))
        painter.setBrush(QColor(ink.accent) if row.is_own else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, 4, 4)
        painter.setPen(QColor(ink.on_accent if row.is_own else ink.accent))
        painter.drawText(frame, int(Qt.AlignmentFlag.AlignCenter), row.rating)


class PassageCardView(QScrollArea):
    """A passage in the middle of the screen. ``pointed(hypothesis)`` when another line becomes current."""

    pointed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.place_label = plain(role="heading", wrap=True)
        self.position_label = plain(role="muted")
        self.passage = MarkedText("The passage")
        self.copies_label = plain(role="muted", wrap=True, selectable=True)
        self.warning_label = plain(wrap=True)
        self.warning_label.setProperty("tone", "contradicts")
        self.verdicts = VerdictRows()
        self.explanation_label = plain(role="small", wrap=True)
        self.verdicts.selectionModel().currentChanged.connect(self._point)
        self._card: PassageCard | None = None
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        top = QHBoxLayout()
        top.addWidget(self.place_label, 1)
        top.addWidget(self.position_label, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        for part in (self.passage, self.copies_label, self.warning_label, line(), self.verdicts):
            column.addWidget(part)
        column.addWidget(self.explanation_label)
        column.addStretch(1)
        self.setWidget(content)

    def show_card(self, card: PassageCard, rows: Sequence[VerdictRow], position: str) -> None:
        """Show a card with its lines; ``position`` says where it stands in the queue."""
        self._card = card
        self.place_label.setText(f"{card.passage.name}, page {card.passage.page}")
        self.position_label.setText(position)
        named = [copy_words(copy) for copy in card.copies[:_MAX_COPIES]]
        if len(card.copies) > _MAX_COPIES:
            named.append(f"and {len(card.copies) - _MAX_COPIES} more")
        self.copies_label.setText(f"{copies_words(card).capitalize()}: {', '.join(named)}" if named else "")
        self.copies_label.setVisible(bool(named))
        is_layer = card.passage.source == "layer"
        self.warning_label.setText(f"The words are from the {LAYER}: check them on the page." if is_layer else "")
        self.warning_label.setVisible(is_layer)
        self.verdicts.show_rows(rows)
        self._mark()

    def current_hypothesis(self) -> str:
        """Return the hypothesis whose line is current, '' where there is none."""
        row = self.verdicts.currentIndex().data(Qt.ItemDataRole.UserRole)
        return row.hypothesis.id if isinstance(row, VerdictRow) else ""

    def point_at(self, hypothesis: str) -> None:
        """Make the line of a hypothesis the current one."""
        ids = [row.hypothesis.id for row in self.verdicts.rows.rows]
        if hypothesis in ids:
            self.verdicts.setCurrentIndex(self.verdicts.rows.index(ids.index(hypothesis), 0))

    def _point(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self._mark()
        self.pointed.emit(self.current_hypothesis())

    def _mark(self) -> None:
        """Mark the quote of the current hypothesis in the passage, and say why the model judged it so."""
        card = self._card
        if card is None:
            return
        proposal = card.proposals.get(self.current_hypothesis())
        text, start, end = card.passage.text, 0, 0
        if proposal is not None and proposal.chunk == card.passage.id:
            start = max(0, proposal.quote.start - card.passage.start)
            end = min(len(text), proposal.quote.end - card.passage.start)
        # Line breaks of a page are not those of a window; one character stays one character, so places stay.
        self.passage.say("".join(" " if char.isspace() else char for char in text), start, end)
        is_visible = proposal is not None and not proposal.is_hidden
        self.explanation_label.setText(proposal.explanation if proposal is not None and is_visible else "")
        self.explanation_label.setVisible(is_visible)
