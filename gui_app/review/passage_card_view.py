"""One passage with everything that is decided about it: its words, its copies, and a line for every hypothesis."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen
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
from core.review.passage_cards import Copy, PassageCard, clash_words
from core.verdicts.labels import readers_words
from gui_app.review import quote_marks
from gui_app.review.decisions import suggestion
from gui_app.review.marked_passage import MarkedPassage
from gui_app.review.passage_list import copies_words, verdict_words
from gui_app.shared import theme
from gui_app.shared.excerpt_list import ground
from gui_app.shared.formatting import VERDICTS, own_lines
from gui_app.shared.labels import plain, tooltip
from gui_app.shared.probabilities import probability_of, two_digits
from gui_app.shared.proposal_queue import sign_label
from gui_app.shared.table_models import Index, ListRows
from gui_app.shared.verdict_signs import ProbabilityBar, draw_sign

_MAX_COPIES = 4  # that are named one by one
_MOST_ROWS = 7  # shown at once; more are scrolled to
_CELL = 58  # pixels of the cell of a row
_LONGEST_VERDICT = "H10 speaks against .00  "
_INDENT = 20  # pixels that the words of a verdict are beside its sign


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A hypothesis beside a passage.

    ``rating`` is what accepting would give it, '' for none; ``is_own`` if a person chose it, ``is_being_typed`` while
    they type it. ``proposal`` is None if the judge was not asked.
    """

    hypothesis: Hypothesis
    proposal: Proposal | None
    rating: Rating | str = ""
    is_own: bool = False
    is_omitted: bool = False
    is_being_typed: bool = False
    quote_of: str = ""  # where its quote is, if that is in a copy of the passage


def verdict_rows(
    card: PassageCard,
    hypotheses: Sequence[Hypothesis],
    ratings: Mapping[str, Rating],
    omissions: Collection[str],
    entry: tuple[str, str] = ("", ""),
) -> list[VerdictRow]:
    """Make a row of each hypothesis, in the order of the case; ``entry`` is one and what is typed for it so far."""
    lines = []
    for hypothesis in hypotheses:
        proposal, is_omitted = card.proposals.get(hypothesis.id), hypothesis.id in omissions
        value = ratings.get(hypothesis.id, "")
        rating = "" if is_omitted else value or suggestion(proposal) or ""
        if entry[1] and entry[0] == hypothesis.id:
            lines.append(VerdictRow(hypothesis, proposal, entry[1], is_being_typed=True))
            continue
        is_copy = proposal is not None and proposal.chunk != card.passage.id
        place = f"{proposal.label}, p. {proposal.quote.page}" if proposal is not None and is_copy else ""
        is_rated = bool(value) and not is_omitted
        lines.append(VerdictRow(hypothesis, proposal, rating, is_rated, is_omitted, quote_of=place))
    return lines


def copy_words(copy: Copy) -> str:
    """Name a copy with what differs in it: 'b.txt, p. 1 (02:14 instead of 02:41)'."""
    place = f"{copy.passage.label}, p. {copy.passage.page}"
    parts = [
        f"{right} instead of {left}" if left and right else f"with “{right}”" if right else f"without “{left}”"
        for left, right in copy.differences
    ]
    return f"{place} ({'; '.join(parts)})" if parts else f"{place} (the same words)"


class VerdictModel(ListRows):
    """One row a hypothesis. UserRole gives the VerdictRow."""

    def role_data(self, row: VerdictRow, at: int, role: int) -> Any:
        """Return what is painted, in words."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row_words(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(row_words(row))
        return None


def row_words(row: VerdictRow) -> str:
    """Return the text of a hypothesis's line."""
    if row.proposal is None:
        verdict = f"{row.hypothesis.id} not judged"
    else:
        verdict = verdict_words(row.hypothesis.id, row.proposal)
    how = "left out" if row.is_omitted else f"your rating {row.rating}" if row.is_own or row.is_being_typed else ""
    how = how or (f"suggested rating {row.rating}" if row.rating else "no rating suggested")
    quote = f" “{' '.join(row.proposal.quote.text.split())}”" if row.proposal else ""
    return f"{verdict}, {how}. {' '.join(row.hypothesis.text.split())}{quote}"


class VerdictRows(QListView):
    """The hypotheses of one passage, a line each, for the foot of the card: in sight however long the passage is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Verdicts on this passage, by hypothesis")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rows = VerdictModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(_Row(self))
        theme.changed.connect(self._fit)

    def show_rows(self, rows: Sequence[VerdictRow], *, from_first: bool = False) -> None:
        """Show these rows; the current line stays where it was, or is the first."""
        index = 0 if from_first else max(0, self.currentIndex().row())
        self.rows.show(rows)
        self.setCurrentIndex(self.rows.index(min(index, len(rows) - 1), 0))
        self._fit()

    def _fit(self) -> None:
        self.scheduleDelayedItemsLayout()
        self.setFixedHeight(min(len(self.rows.rows), _MOST_ROWS) * _row_height() + 2)


def _row_height() -> int:
    return 6 + theme.px(28)


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, _row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: VerdictRow = index.data(Qt.ItemDataRole.UserRole)
        ink = theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = ground(painter, option).adjusted(24, 0, -24, 0)
        left = inner.left()
        tone = theme.tone(sign_label(row.proposal)) if row.proposal else QColor(ink.muted)
        if row.proposal is not None:
            sign = QRectF(left, inner.center().y() - 4.5, 10, 10)
            draw_sign(painter, sign_label(row.proposal), sign, tone, fill=row.proposal.status == "accepted")
        painter.setFont(theme.sans(bold=True))
        painter.setPen(tone)
        middle = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        words = verdict_words(row.hypothesis.id, row.proposal) if row.proposal else f"{row.hypothesis.id} not judged"
        painter.drawText(inner.adjusted(_INDENT, 0, 0, 0), middle, words)
        left += _INDENT + painter.fontMetrics().horizontalAdvance(_LONGEST_VERDICT)
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.muted))
        text = " ".join(row.hypothesis.text.split())
        text = f"{text} (quoted from {row.quote_of})" if row.quote_of else text
        room = QRect(left, inner.top(), inner.right() - theme.px(_CELL) - 12 - left, inner.height())
        painter.drawText(
            room, middle, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        )
        high = theme.px(28)
        cell = QRect(inner.right() - theme.px(_CELL), inner.center().y() - high // 2, theme.px(_CELL), high)
        self._draw_cell(painter, row, cell)
        painter.restore()

    def _draw_cell(self, painter: QPainter, row: VerdictRow, box: QRect) -> None:
        """Draw the cell of the pending row: the person's own rating filled, the model's outlined, none as a dash."""
        ink = theme.tokens()
        frame = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5)
        colour = QColor(ink.accent if row.rating else ink.line)
        if row.is_omitted:
            colour = QColor(ink.line)
        pen = QPen(colour, 1)
        if not row.rating:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(colour if row.is_own else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, 4, 4)
        painter.setFont(theme.sans(bold=bool(row.rating)) if not row.is_omitted else theme.sans(theme.SMALL))
        painter.setPen(QColor(ink.on_accent if row.is_own else ink.accent if row.rating else ink.muted))
        words = "left out" if row.is_omitted else f"{row.rating}…" if row.is_being_typed else row.rating or "–"
        painter.drawText(frame, int(Qt.AlignmentFlag.AlignCenter), words)


class PassageCardView(QScrollArea):
    """A passage in the middle of the screen. ``pointed(hypothesis)`` when another line becomes current.

    ``verdicts`` are the lines of its hypotheses, for the foot of the view: they do not scroll with the passage.
    """

    pointed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.place_label = plain(role="heading", wrap=True)
        self.position_label = plain(role="muted")
        self.passage = MarkedPassage("The passage")
        self.copies_label = plain(role="muted", wrap=True, selectable=True)
        self.warning_label = plain(wrap=True)
        self.warning_label.setProperty("tone", "contradicts")
        self.clash_label = plain(wrap=True, selectable=True)
        self.clash_label.setProperty("tone", "contradicts")
        self.verdicts = VerdictRows()
        self.hint_label = plain(
            "C CC N I II, ⇧N for NA: rate the line chosen · 1–9 or ← → choose it · Enter takes its suggestion",
            "small",
            wrap=True,
        )
        self.bar = ProbabilityBar()
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
        for part in (self.passage, self.copies_label, self.warning_label, self.clash_label):
            column.addWidget(part)
        column.addWidget(self.bar)
        column.addWidget(self.explanation_label)
        column.addWidget(self.hint_label)
        column.addStretch(1)
        self.setWidget(content)

    def show_card(self, card: PassageCard, rows: Sequence[VerdictRow], position: str) -> None:
        """Show a card with its lines; ``position`` says where it is in the queue."""
        is_new = self._card is None or self._card.passage.id != card.passage.id
        self._card = card
        self.place_label.setText(f"{card.passage.label}, page {card.passage.page}")
        self.position_label.setText(position)
        places = [copy_words(copy) for copy in card.copies[:_MAX_COPIES]]
        if len(card.copies) > _MAX_COPIES:
            places.append(f"and {len(card.copies) - _MAX_COPIES} more")
        self.copies_label.setText(f"{copies_words(card).capitalize()}: {', '.join(places)}" if places else "")
        self.copies_label.setVisible(bool(places))
        is_layer = card.passage.source == "layer"
        self.warning_label.setText(f"The words are from the {LAYER}: check them on the page." if is_layer else "")
        self.warning_label.setVisible(is_layer)
        self.clash_label.setText(clash_words(card.clash) if card.clash else "")
        self.clash_label.setVisible(bool(card.clash))
        self.verdicts.show_rows(rows, from_first=is_new)
        self._mark()
        if is_new:
            self.verticalScrollBar().setValue(0)
            QTimer.singleShot(0, self, self._show_quote)  # when the passage has its height

    def show_rows(self, rows: Sequence[VerdictRow]) -> None:
        """Refresh the lines of the card."""
        self.verdicts.show_rows(rows)

    def step(self, way: int) -> None:
        """Make the next line the current one (1) or the one before (-1); at an end it stays."""
        row = self.verdicts.currentIndex().row() + way
        if 0 <= row < len(self.verdicts.rows.rows):
            self.verdicts.setCurrentIndex(self.verdicts.rows.index(row, 0))

    def current_hypothesis(self) -> str:
        """Return the hypothesis whose line is current, '' where there is none."""
        row = self.verdicts.currentIndex().data(Qt.ItemDataRole.UserRole)
        return row.hypothesis.id if isinstance(row, VerdictRow) else ""

    def point_at(self, hypothesis: str) -> None:
        """Make the line of a hypothesis the current one."""
        ids = [row.hypothesis.id for row in self.verdicts.rows.rows]
        if hypothesis in ids:
            self.verdicts.setCurrentIndex(self.verdicts.rows.index(ids.index(hypothesis), 0))

    def _point(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        self._mark()
        self._show_quote()
        self.pointed.emit(self.current_hypothesis())

    def _show_quote(self) -> None:
        """Scroll to the quote of the current hypothesis where the passage is longer than its room."""
        mark = next((mark for mark in self.passage.marks if mark.is_current), None)
        if mark is not None:
            top, bottom = self.passage.extent_of(mark)
            self.ensureVisible(0, self.passage.y() + bottom, 0, 8)
            self.ensureVisible(0, self.passage.y() + top, 0, 24)

    def _mark(self) -> None:
        """Mark the quote of the current hypothesis in the passage, and say why the model judged it so."""
        card = self._card
        if card is None:
            return
        current = self.current_hypothesis()
        proposal = card.proposals.get(current)
        text = own_lines(card.passage.text)
        self.passage.set_text(text, [mark.moved(card.passage.start) for mark in quote_marks.of_card(card, current)])
        is_visible = proposal is not None and not proposal.is_hidden
        for part in (self.bar, self.explanation_label):
            part.setVisible(is_visible)
        if proposal is not None and is_visible:
            self.bar.show_probabilities(proposal.verdict.probabilities)
            self.explanation_label.setText("\n".join([proposal.explanation, *_other_words(proposal)]))


def _other_words(proposal: Proposal) -> list[str]:
    """Return the other models' verdicts on a passage, and what it means that they agree or disagree."""
    lines = [
        f"{reading.role.capitalize()}: {VERDICTS[reading.verdict.label]} {two_digits(probability_of(reading.verdict))}."
        for reading in proposal.others
    ]
    return [*lines, words] if (words := readers_words(proposal)) else lines
