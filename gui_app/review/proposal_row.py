"""How a proposal looks in the queue: its verdict as an outlined sign, the hypothesis, the quote, where it is."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from core.domain import Proposal
from gui_app.shared import theme
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.painted_text import draw_lines
from gui_app.shared.probabilities import probability_of, two_digits
from gui_app.shared.proposal_queue import GROUP, PROPOSAL, hidden_reason, sign_label
from gui_app.shared.verdict_signs import draw_sign


class ProposalRow(QStyledItemDelegate):
    """Paints a proposal, below a heading where a group begins."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint the proposal of a row."""
        ink = theme.tokens()
        proposal: Proposal = index.data(PROPOSAL)
        heading = index.data(GROUP)
        box = QRect(option.rect)
        painter.save()
        if heading:
            head = QRect(box.left(), box.top(), box.width(), _heading_height())
            painter.setFont(theme.sans(theme.SMALL, bold=True))
            painter.setPen(QColor(ink.muted))
            painter.drawText(head.adjusted(16, 4, -8, 0), int(Qt.AlignmentFlag.AlignVCenter), heading)
            box.setTop(head.bottom() + 1)
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(ink.selection))
            if state & QStyle.StateFlag.State_HasFocus:
                painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), QColor(ink.focus))
        label = sign_label(proposal)
        tone = theme.tone(label)
        is_accepted = proposal.status == "accepted"
        first = QFontMetrics(theme.sans(theme.SMALL, bold=True)).height()
        top = box.top() + 8 + theme.air()
        draw_sign(painter, label, QRectF(box.left() + 16, top + 2, 9, 9), tone, fill=is_accepted)
        painter.setFont(theme.sans(theme.SMALL, bold=True))
        painter.setPen(tone)
        line = QRect(box.left() + 32, top, box.width() - 44, first)
        words = f"{VERDICTS[label]} {two_digits(probability_of(proposal.verdict))}"
        if proposal.disputed:
            words = f"{words}  ≠"  # a second reader says otherwise
        if proposal.is_hidden:
            words = hidden_reason(proposal)
        painter.drawText(line, int(Qt.AlignmentFlag.AlignLeft), words)
        painter.setPen(QColor(ink.muted))
        right = proposal.hypothesis if proposal.status == "pending" else f"{proposal.status} · {proposal.hypothesis}"
        painter.drawText(line, int(Qt.AlignmentFlag.AlignRight), right)
        painter.setFont(theme.serif(theme.BODY))
        metrics = QFontMetrics(theme.serif(theme.BODY))
        painter.setPen(QColor(ink.muted if proposal.status == "rejected" else ink.text))
        line = QRect(box.left() + 32, top + first + 3, box.width() - 44, metrics.height())
        draw_lines(painter, index.data(), line, lines=1)
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        line = QRect(box.left() + 32, line.bottom() + 3, box.width() - 44, first)
        origin = QFontMetrics(theme.sans(theme.SMALL)).elidedText(
            f"{proposal.label}, p. {proposal.quote.page}", Qt.TextElideMode.ElideMiddle, line.width()
        )
        painter.drawText(line, int(Qt.AlignmentFlag.AlignLeft), origin)
        painter.restore()


def heights() -> tuple[int, int]:
    """Return the height of a row and that of a heading, in pixels."""
    small = QFontMetrics(theme.sans(theme.SMALL)).height()
    row = 2 * (8 + theme.air() + small + 3) + QFontMetrics(theme.serif(theme.BODY)).height()
    return row, _heading_height()


def _heading_height() -> int:
    return QFontMetrics(theme.sans(theme.SMALL)).height() + 16
