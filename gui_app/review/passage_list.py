"""How a passage looks in the queue: where it is, its words, and the verdict for every hypothesis as a sign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from core.domain import Proposal
from core.review.passage_cards import PassageCard
from gui_app.shared import theme
from gui_app.shared.excerpt_list import SIDE, ground, marked_lines
from gui_app.shared.formatting import VERDICTS, counted
from gui_app.shared.labels import tooltip
from gui_app.shared.probabilities import probability_of, two_digits
from gui_app.shared.proposal_queue import GROUP, hidden_reason, sign_label
from gui_app.shared.table_models import Index, ListRows
from gui_app.shared.verdict_signs import draw_sign

_LINES = 2
_SIGN = 46  # pixels for a sign with the name of its hypothesis


def verdict_words(hypothesis: str, proposal: Proposal) -> str:
    """Return the model's suggestion for a hypothesis: 'H1 speaks against .87', or why it is not shown.

    '≠' behind it says that a second reader disagrees.
    """
    if proposal.is_hidden:
        return f"{hypothesis} {hidden_reason(proposal)}"
    words = f"{hypothesis} {VERDICTS[proposal.verdict.label]} {two_digits(probability_of(proposal.verdict))}"
    return f"{words}  ≠" if proposal.disputed else words


def copies_words(card: PassageCard) -> str:
    """Count the near-identical passages of a card in words; '' for none."""
    if not card.copies:
        return ""
    documents = {copy.passage.document for copy in card.copies} - {card.passage.document}
    return f"also in {counted(len(documents), 'document')}" if documents else f"{len(card.copies) + 1} times here"


def words_from_quote(card: PassageCard) -> str:
    """Return the text of a passage from its first quote on, for a row that shows little of it."""
    text = card.passage.text
    start = max(0, card.span[0] - card.passage.start)
    return f"… {text[start:]}" if text[:start].strip() else text


class PassagesModel(ListRows):
    """One row a card. UserRole gives the PassageCard, GROUP the heading above it, '' for none."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.headings: list[str] = []

    def show_groups(self, rows: Sequence[tuple[str, PassageCard]]) -> None:
        """Show cards below the headings of their groups."""
        groups = [group for group, _ in rows]
        counts = Counter(groups)
        self.headings = [
            f"{group}  {counts[group]}" if group and (index == 0 or groups[index - 1] != group) else ""
            for index, group in enumerate(groups)
        ]
        self.show([card for _, card in rows])

    def role_data(self, row: PassageCard, at: int, role: int) -> Any:
        """Return the passage's text, and all that is painted as words for a screen reader."""
        if role == Qt.ItemDataRole.DisplayRole:
            return row.passage.text
        if role == GROUP:
            return self.headings[at] if at < len(self.headings) else ""
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(f"{row.passage.label}, page {row.passage.page}")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            verdicts = "; ".join(verdict_words(h, proposal) for h, proposal in row.proposals.items())
            place = f"{row.passage.label}, page {row.passage.page}"
            return f"{place}: {verdicts}. {row.status}. {' '.join(row.passage.text.split())}"
        return None


class PassageRow(QStyledItemDelegate):
    """Paints a card, below a heading where a group begins."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the card of a row."""
        card: PassageCard = index.data(Qt.ItemDataRole.UserRole)
        ink = theme.tokens()
        painter.save()
        heading = index.data(GROUP)
        if heading:
            head = QRect(option.rect.left(), option.rect.top(), option.rect.width(), _heading_height())
            painter.setFont(theme.sans(theme.SMALL, bold=True))
            painter.setPen(QColor(ink.muted))
            text = QFontMetrics(painter.font()).elidedText(heading, Qt.TextElideMode.ElideMiddle, head.width() - 24)
            painter.drawText(head.adjusted(SIDE, 4, -8, 0), int(Qt.AlignmentFlag.AlignVCenter), text)
            option = QStyleOptionViewItem(option)
            option.rect = option.rect.adjusted(0, head.height(), 0, 0)
        inner = ground(painter, option).adjusted(SIDE, 6, -SIDE, -8)
        head = QRect(inner.left(), inner.top(), inner.width(), theme.px(18))
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        small = QFontMetrics(painter.font())
        signs = QRect(inner.left(), head.bottom() + 3, inner.width(), theme.px(18))
        aside = card.status if card.status != "pending" else copies_words(card)
        wide = small.horizontalAdvance(aside) + 12 if aside else 0
        is_below = len(card.proposals) * _SIGN + wide <= signs.width()  # beside the signs, where there is room for it
        right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(signs if is_below else head, right, aside)
        page = f", p. {card.passage.page}"
        room = head.width() - small.horizontalAdvance(page) - (0 if is_below else wide)
        place = f"{small.elidedText(card.passage.label, Qt.TextElideMode.ElideMiddle, room)}{page}"
        painter.drawText(head, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), place)
        self._draw_signs(painter, card, signs)
        box = inner.adjusted(0, signs.bottom() + 3 - inner.top(), 0, 0)
        marked_lines(painter, words_from_quote(card), (), box, theme.lines(_LINES), theme.serif(theme.BODY))
        painter.restore()

    def _draw_signs(self, painter: QPainter, card: PassageCard, box: QRect) -> None:
        painter.setFont(theme.sans(theme.SMALL, bold=True))
        left = box.left()
        for hypothesis, proposal in card.proposals.items():
            if left + _SIGN > box.right():
                painter.setPen(QColor(theme.tokens().muted))
                painter.drawText(QRect(left, box.top(), 24, box.height()), int(Qt.AlignmentFlag.AlignVCenter), "…")
                return
            tone = theme.tone(sign_label(proposal))
            is_accepted = proposal.status == "accepted"
            draw_sign(painter, sign_label(proposal), QRectF(left, box.center().y() - 4, 9, 9), tone, fill=is_accepted)
            painter.setPen(tone)
            words = QRect(left + 13, box.top(), _SIGN - 14, box.height())
            painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), hypothesis)
            left += _SIGN


def heights() -> tuple[int, int]:
    """Return the height of a row and that of a heading, in pixels."""
    lines = theme.lines(_LINES) * theme.px(20)
    return 20 + 2 * theme.air() + 2 * theme.px(18) + lines, _heading_height()


def _heading_height() -> int:
    return QFontMetrics(theme.sans(theme.SMALL)).height() + 16
