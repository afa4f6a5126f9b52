"""The ranking of the hypotheses, always in sight: rank with ties, score, and what the conclusion depends on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from core.domain import DEFAULT_RULE, RULES, Changes, Hypothesis, Matrix
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.charts import draw_bar
from gui_app.shared.labels import line, plain, tooltip
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.row_painting import LEFT, RIGHT
from gui_app.shell.ranking_model import Standing, StandingsModel, standings

if TYPE_CHECKING:
    from core.workbench import Workbench

AT_ONCE = 1_000  # cells; scoring more takes longer than a moment
WIDE, NARROW = 248, 68
_concerns = Changes(hypotheses=True, matrix=True, evidence=True)


class _StandingDelegate(QStyledItemDelegate):
    """Paints one standing; ``narrow`` leaves rank and letter."""

    narrow = False

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        if self.narrow:
            return QSize(theme.px(NARROW), theme.px(44))
        text = " ".join(index.data(Qt.ItemDataRole.UserRole).hypothesis.text.split())
        lines = 2 if QFontMetrics(theme.sans()).horizontalAdvance(text) > theme.px(WIDE) - 36 else 1
        return QSize(0, 20 + theme.px(19) + lines * theme.px(17) + 10)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t = theme.tokens()
        standing: Standing = index.data(Qt.ItemDataRole.UserRole)
        painter.save()
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(t.selection))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(t.focus))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        inner = rect.adjusted(16, 10, -16, -8)
        if self.narrow:
            inner = rect.adjusted(10, 6, -6, -6)
        head = QRect(inner.left(), inner.top(), inner.width(), theme.px(19))
        painter.setFont(theme.sans(theme.BODY, bold=standing.leads))
        painter.setPen(QColor(t.muted))
        rank = standing.rank or "–"
        painter.drawText(head, LEFT, rank)
        painter.setPen(QColor(t.text))
        painter.setFont(theme.sans(theme.BODY, bold=True))
        letter = head.adjusted(theme.px(26), 0, 0, 0)
        painter.drawText(letter, LEFT, standing.hypothesis.id)
        if self.narrow:
            self._bar(painter, QRect(inner.left(), inner.bottom() - 5, inner.width(), 4), standing)
            painter.restore()
            return
        painter.setFont(theme.sans(theme.BODY))
        score = f"{standing.score:.2f}" if standing.score is not None else "not rated"
        beside = standing.coverage if standing.score is not None else ""
        if standing.unattacked and not standing.open:
            beside = "nothing against"
        if beside:
            self._beside(painter, letter, score, beside)
        painter.setPen(QColor(t.text if standing.score is not None else t.muted))
        painter.drawText(head, RIGHT, score)
        bottom = self._text(painter, standing.hypothesis.text, inner.adjusted(0, theme.px(19) + 1, 0, 0))
        self._bar(painter, QRect(inner.left(), max(bottom + 5, inner.bottom() - 5), inner.width(), 4), standing)
        painter.restore()

    @staticmethod
    def _beside(painter: QPainter, head: QRect, score: str, words: str) -> None:
        """Paint what must be known of a score beside it, in small letters.

        That is on how many rows it rests, or that nothing speaks against the hypothesis yet.
        """
        room = head.width() - QFontMetrics(theme.sans(theme.BODY, bold=True)).horizontalAdvance(score) - 10
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(theme.tokens().muted))
        painter.drawText(QRect(head.left(), head.top(), room, head.height()), RIGHT, words)
        painter.setFont(theme.sans(theme.BODY))

    @staticmethod
    def _text(painter: QPainter, text: str, rect: QRect) -> int:
        """Up to two lines, the second one elided; returns the bottom."""
        font = theme.sans(theme.BODY)
        metrics = QFontMetrics(font)
        layout = QTextLayout(" ".join(text.split()), font)
        layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        layout.beginLayout()
        first = layout.createLine()
        first.setLineWidth(rect.width())
        layout.endLayout()
        painter.setFont(font)
        painter.setPen(QColor(theme.tokens().muted))
        full_text = layout.text()
        cut = first.textLength()
        height = theme.px(17)
        painter.drawText(QRect(rect.left(), rect.top(), rect.width(), height), 0, full_text[:cut].rstrip())
        if cut >= len(full_text):
            return rect.top() + height
        tail = metrics.elidedText(full_text[cut:], Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(QRect(rect.left(), rect.top() + height, rect.width(), height), 0, tail)
        return rect.top() + 2 * height

    @staticmethod
    def _bar(painter: QPainter, rect: QRect, standing: Standing) -> None:
        """Paint the score: a longer bar means more evidence against. What is not rated yet is hatched."""
        if standing.score is None and not standing.rows:
            return
        share = standing.share if standing.score is not None else None
        draw_bar(painter, QRectF(rect), share, "contradicts", unrated_share=standing.open)


class HypothesesPanel(QFrame):
    """The panel between rail and centre. Emits the hypothesis chosen, and ``add`` from its empty state."""

    selected = Signal(object)
    add = Signal()
    toggled = Signal(bool)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._narrow = False
        self.setProperty("kind", "panel")
        self.setAccessibleName("Hypotheses and their ranking")
        column = vbox(self, spacing=0)

        head = hbox(margins=(16, 12, 8, 6))
        self._title = plain("HYPOTHESES", "section")
        head.addWidget(self._title, 1)
        self._fold = QToolButton()
        self._fold.setAccessibleName("Collapse the hypotheses panel")
        self._fold.clicked.connect(lambda: self.set_narrow(not self._narrow, by_hand=True))
        head.addWidget(self._fold)
        column.addLayout(head)

        self._pages = QStackedWidget()
        column.addWidget(self._pages, 1)
        self.model = StandingsModel(self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setAccessibleName("Ranking of the hypotheses")
        self.view.setStyleSheet("QListView { background: transparent; }")
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._delegate = _StandingDelegate(self.view)
        self.view.setItemDelegate(self._delegate)
        self.view.clicked.connect(self._chosen)
        self.view.activated.connect(self._chosen)
        self._pages.addWidget(self.view)

        empty = QWidget()
        inside = vbox(empty, margins=(16, 8, 16, 16), spacing=12)
        self._invite = plain("State the rival explanations: at least two.", "muted", wrap=True)
        inside.addWidget(self._invite)
        self._add = QPushButton("Write hypotheses")
        self._add.clicked.connect(self.add)
        inside.addWidget(self._add)
        inside.addStretch(1)
        self._pages.addWidget(empty)

        self._foot = QWidget()
        foot = vbox(self._foot, margins=(16, 10, 16, 12), spacing=4)
        self._rule = plain(f"Score: {RULES[DEFAULT_RULE]}; lower is better", "small", wrap=True)
        self.caveat = plain("Recovered from a damaged file", "strong", wrap=True)
        self._tie = plain("", "strong", wrap=True)
        self._hangs = plain("", "", wrap=True)
        self._robust = plain("", "muted", wrap=True)
        self._why = plain("", "", wrap=True)
        self._so_far = plain("", "muted", wrap=True)
        self._gaps_label = plain("", "small", wrap=True)
        self._whose = plain("Only your ratings: rating is blind", "small", wrap=True)
        self._foot_line = line()
        column.addWidget(self._foot_line)
        for label in (
            *(self.caveat, self._tie, self._hangs, self._robust, self._why, self._so_far),
            *(self._gaps_label, self._whose, self._rule),
        ):
            foot.addWidget(label)
        column.addWidget(self._foot)
        self.caveat_sign = plain("Recovered", "small")  # what is left of the caveat while folded
        self.caveat_sign.setContentsMargins(4, 6, 0, 10)
        self.caveat_sign.hide()
        column.addWidget(self.caveat_sign)

        # The matrix is scored after the change itself is painted.
        self._shown_of: Path | None = None
        self._cells: int | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(25)
        self._soon.timeout.connect(self.refresh)
        session.changed.connect(self._case_changed)
        session.opened.connect(self.refresh)
        theme.changed.connect(self._restyled)
        self.set_narrow(False)

    @property
    def narrow(self) -> bool:
        """Return whether it is folded to letters."""
        return self._narrow

    def set_narrow(self, narrow: bool, *, by_hand: bool = False) -> None:
        """Fold to letters, or show texts and scores."""
        self._narrow = narrow
        self._delegate.narrow = narrow
        self.setFixedWidth(theme.px(NARROW if narrow else WIDE))
        self._title.setVisible(not narrow)
        self._show_foot()
        self._invite.setVisible(not narrow)
        self._add.setText("+" if narrow else "Write hypotheses")
        self._add.setAccessibleName("Write hypotheses")
        theme.set_icon(self._fold, "right" if narrow else "left")
        self._fold.setToolTip("Show texts and scores (F7)" if narrow else "Collapse to letters (F7)")
        self.view.scheduleDelayedItemsLayout()
        if by_hand:
            self.toggled.emit(narrow)

    def refresh(self) -> None:
        """Read hypotheses and matrix again.

        At once where that is quick, beside the work in a large case and in one whose size is not known yet.
        """
        bench = self._session.workbench
        path = None if bench is None else bench.path
        if path != self._shown_of:
            self._shown_of, self._cells = path, None
            self._show([], None)
            self._pages.setCurrentIndex(1 if path is None else 0)  # nothing is said of a case before it is read

        def read(bench: Workbench) -> tuple[list[Hypothesis], Matrix]:
            return bench.hypotheses.all(), bench.matrix.compute()

        if self._cells is None or self._cells > AT_ONCE:
            self._session.read(read, lambda result: self._show(*result), key="ranking")
            return
        result = self._session.do(read)
        if result is not None:
            self._show(*result)

    def _show(self, hypotheses: Sequence[Hypothesis], matrix: Matrix | None) -> None:
        rows: list[Standing] = []
        if matrix is not None:
            rows = standings(hypotheses, matrix)
            self._cells = len(matrix.rows) * len(matrix.hypotheses)
            self._say(matrix)
        current_id = self._current_id()
        self.model.show(rows)
        row = self.model.row_of(current_id)
        if row >= 0:
            self.view.setCurrentIndex(self.model.index(row, 0))
        self._pages.setCurrentIndex(0 if rows else 1)
        self._show_foot()

    def _show_foot(self) -> None:
        """Show what is said of the ranking: all of it, or while folded no more than that it was recovered."""
        has_rows = bool(self.model.rows)
        self._foot.setVisible(has_rows and not self._narrow)
        self._foot_line.setVisible(has_rows and not self._narrow)
        self.caveat_sign.setVisible(has_rows and self._narrow and bool(self.caveat.accessibleDescription()))

    def _say(self, matrix: Matrix) -> None:
        from core.matrix import dependencies, order, provisional, robustness

        leaders = matrix.leaders.get(DEFAULT_RULE, ())
        self._tie.setText(f"Tie: {', '.join(leaders)}" if len(leaders) > 1 else "")
        gaps = [f"{gap.evidence} against {gap.hypothesis}" for gap in matrix.gaps[:8]]
        self._tie.setToolTip("\n".join(["Rating one of these could separate them:", *gaps]) if gaps else "")
        evidence = dependencies(matrix)
        names = ", ".join(evidence[:4]) + (f" and {len(evidence) - 4} more" if len(evidence) > 4 else "")
        self._hangs.setText(f"Depends on {names}" if evidence else "")
        self._hangs.setToolTip(tooltip("\n".join(pin.sentence for pin in matrix.linchpins[:12])))
        agreement = robustness(matrix)
        words = {"agree": "Scoring rules agree", "differ": "Scoring rules disagree", "none": "Nothing leads yet"}
        self._robust.setText(words.get(agreement.word, agreement.word))
        self._robust.setToolTip(tooltip(agreement.sentence))
        incomplete = matrix.comparison.state == "incomplete"
        self._robust.setProperty("role", "strong" if incomplete else "muted")
        self._robust.style().polish(self._robust)
        self._why.setText("Not all are rated on the same rows." if incomplete else "")
        self._why.setToolTip(tooltip(agreement.sentence))
        so_far = matrix.comparison.provisional
        rows = "1 row" if matrix.comparison.provisional_rows == 1 else f"{matrix.comparison.provisional_rows} rows"
        self._so_far.setText(f"Provisional, from {rows}: {order(so_far)}" if so_far else "")
        self._so_far.setToolTip(tooltip(provisional(matrix.comparison)))
        cells = "1 cell" if matrix.unrated == 1 else f"{matrix.unrated} cells"
        self._gaps_label.setText(f"{cells} not rated yet" if matrix.unrated else "")
        for label in (self._tie, self._hangs, self._robust, self._why, self._so_far, self._gaps_label):
            label.setVisible(bool(label.text()))
        self.caveat.setVisible(bool(matrix.caveats))
        for label in (self.caveat, self.caveat_sign):
            label.setToolTip(tooltip("\n".join(matrix.caveats)))
            label.setAccessibleDescription("\n".join(matrix.caveats))
        bench = self._session.workbench
        self._whose.setVisible(
            bench is not None and bench.case.settings().blind and set(bench.evidence.raters()) > {bench.case.who}
        )

    def _current_id(self) -> str:
        row = self.view.currentIndex().row()
        return self.model.rows[row].hypothesis.id if 0 <= row < len(self.model.rows) else ""

    def _case_changed(self, changes: Changes, _initiator: object) -> None:
        if changes & _concerns:
            self._soon.start()

    def _chosen(self, index: QModelIndex) -> None:
        if 0 <= index.row() < len(self.model.rows):
            self.selected.emit(self.model.rows[index.row()].hypothesis)

    def _restyled(self) -> None:
        self.setFixedWidth(theme.px(NARROW if self._narrow else WIDE))
        self.view.scheduleDelayedItemsLayout()
