"""Discriminating evidence: the passages that would separate the hypotheses best, judged or only near.

Each says what it would change in the matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QListView,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.domain import Changes, Chunk, Hypothesis
from core.errors import AppError
from core.progress import Progress
from gui_app.search.discrimination_model import DiscriminationModel, Index, standing_words
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.case_view import CaseView
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.excerpt_list import SIDE, ground, marked_lines
from gui_app.shared.formatting import VERDICTS, counted
from gui_app.shared.header import button
from gui_app.shared.labels import ElidedLabel, line
from gui_app.shared.painted_text import draw_lines

if TYPE_CHECKING:
    from core.plans.service import DiscriminatingPassage
    from core.review.judging import ProposeReport
    from core.workbench import Workbench

LISTED = 50
_LINES = 2
_SCALE = 160  # pixels of the two-sided bar, at the default text size


class DiscriminationDelegate(QStyledItemDelegate):
    """A passage: its place and which way it leans on one line, its words, and its verdicts.

    ``strongest`` is the strength of the longest bar.
    """

    blind = False
    strongest = 1.0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; all have the same."""
        return QSize(80, 24 + 2 * theme.air() + theme.px(20) + theme.lines(_LINES) * theme.px(20) + 2 * theme.px(16))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        hit: DiscriminatingPassage = index.data(Qt.ItemDataRole.UserRole)
        ink = theme.tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = ground(painter, option).adjusted(SIDE, 8, -SIDE, -8)
        head = QRect(inner.left(), inner.top(), inner.width(), theme.px(20))
        left = theme.px(28)
        middle = Qt.AlignmentFlag.AlignVCenter
        scale = QRect(head.right() - theme.px(_SCALE), head.top(), theme.px(_SCALE), head.height())
        self._scale(painter, scale, hit)
        painter.setFont(theme.sans())
        painter.setPen(QColor(ink.muted))
        painter.drawText(head, int(Qt.AlignmentFlag.AlignLeft | middle), f"{index.row() + 1}")
        place = f"page {hit.passage.page}" + (f"  ·  {hit.evidence} in the matrix" if hit.evidence else "")
        room = head.width() - left - scale.width() - 24
        wide = QFontMetrics(painter.font()).horizontalAdvance(place) + 10
        painter.setFont(theme.sans(bold=True))
        painter.setPen(QColor(ink.text))
        name = QFontMetrics(painter.font()).elidedText(
            hit.passage.label, Qt.TextElideMode.ElideMiddle, max(40, room - wide)
        )
        painter.drawText(head.adjusted(left, 0, 0, 0), int(Qt.AlignmentFlag.AlignLeft | middle), name)
        offset = left + QFontMetrics(painter.font()).horizontalAdvance(name) + 10
        painter.setFont(theme.sans())
        painter.setPen(QColor(ink.muted))
        painter.drawText(
            QRect(head.left() + offset, head.top(), max(0, room + left - offset), head.height()),
            int(Qt.AlignmentFlag.AlignLeft | middle),
            QFontMetrics(painter.font()).elidedText(place, Qt.TextElideMode.ElideRight, max(0, room + left - offset)),
        )
        words = QRect(inner.left() + left, head.bottom() + 3, inner.width() - left, theme.lines(_LINES) * theme.px(20))
        marked_lines(painter, hit.passage.text, (), words, theme.lines(_LINES))
        painter.setFont(theme.sans(theme.SMALL))
        changes = hit.outcome is not None and hit.outcome.changes_lead and not self.blind
        painter.setPen(QColor(ink.text if changes else ink.muted))
        below = QRect(words.left(), words.bottom() + 3, words.width(), 2 * theme.px(16))
        draw_lines(painter, standing_words(hit, blind=self.blind), below, lines=2)
        painter.restore()

    def _scale(self, painter: QPainter, box: QRect, hit: DiscriminatingPassage) -> None:
        """Paint the two hypotheses at the ends, and a bar from the middle to the one it leans to.

        The bar is full when the passage is judged, outlined when it is only near.
        """
        ink = theme.tokens()
        first, second = hit.pair
        is_hidden = self.blind and hit.judged
        metrics = QFontMetrics(theme.sans(theme.SMALL, bold=True))
        wide = max(metrics.horizontalAdvance(h) for h in hit.pair) + 8
        for h, side in ((first, Qt.AlignmentFlag.AlignLeft), (second, Qt.AlignmentFlag.AlignRight)):
            leans = h == hit.leans and not is_hidden
            painter.setFont(theme.sans(theme.SMALL, bold=leans))
            painter.setPen(QColor(ink.text if leans else ink.muted))
            painter.drawText(box, int(side | Qt.AlignmentFlag.AlignVCenter), h)
        track = QRectF(box.left() + wide, box.center().y() - 3, box.width() - 2 * wide, 7)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ink.neutral_tint))
        painter.drawRoundedRect(track, 3, 3)
        half_width = track.width() / 2
        centre = track.center().x()
        if not is_hidden:
            long = max(3.0, half_width * min(1.0, hit.strength / self.strongest))
            bar = QRectF(centre - long if hit.leans == first else centre, track.top(), long, track.height())
            if hit.judged:
                painter.setBrush(QColor(ink.accent))
            else:
                painter.setBrush(QColor(ink.surface))
                painter.setPen(QPen(QColor(ink.strong_line), 1))
                bar.adjust(0.5, 0.5, -0.5, -0.5)
            painter.drawRect(bar)
        painter.setPen(QPen(QColor(ink.strong_line), 1))
        painter.drawLine(round(centre), box.center().y() - 6, round(centre), box.center().y() + 7)


class DiscriminationList(QListView):
    """The list; ``opened()`` on Enter or a double click, ``key(letter)`` for the letters that decide."""

    opened = Signal()
    key = Signal(str)

    def event(self, event: QEvent) -> bool:
        """Keep the letters for the list while it has the focus, over any command."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            letters = (Qt.Key.Key_J, Qt.Key.Key_A, Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.key() in letters and event.modifiers() == Qt.KeyboardModifier.NoModifier:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open on Enter, decide on J and A."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        elif event.key() in (Qt.Key.Key_J, Qt.Key.Key_A) and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.key.emit(event.text().upper())
        else:
            super().keyPressEvent(event)


class DiscriminationPage(CaseView):
    """A pair to choose, the ranked passages, and commands for the selected one."""

    concerns = Changes(documents=True, hypotheses=True, proposals=True, evidence=True, matrix=True)
    selected = Signal(object)  # the passage (Chunk) in hand
    made = Signal(str)  # evidence, of the current passage

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setAccessibleName("Diagnosticity")
        self._passages: list[DiscriminatingPassage] = []
        self._notes: tuple[str, ...] = ()
        self.judge_action = self.command(
            "Judge this passage", None, self._judge, shown_keys="J",
            tip="Have the judge read this passage for both hypotheses; what it says becomes proposals",
        )  # fmt: skip
        self.judge_all_action = self.command(
            "Judge the whole list", None, self._judge_all,
            tip="Judge every passage on the list that has no verdict yet",
        )  # fmt: skip
        self.add_action = self.command("Add as evidence", None, self._add, shown_keys="A")
        self.open_action = self.command("Show the passage on its page", None, self._open, shown_keys="Enter")

        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(24, 8, 24, 8)
        row.setSpacing(8)
        self.pair = QComboBox()
        self.pair.setAccessibleName("Hypotheses to compare")
        self.pair.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.pair.setMinimumContentsLength(16)
        self.pair.activated.connect(lambda _at: self._read())
        row.addWidget(self.pair)
        self.fresh = QCheckBox("Hide what is already in the matrix")
        self.fresh.toggled.connect(lambda _on: self._show())
        row.addWidget(self.fresh)
        self.count = ElidedLabel("", "muted")
        row.addWidget(self.count, 1)
        column.addLayout(row)
        column.addWidget(line())
        self.model = DiscriminationModel(self)
        self.view = DiscriminationList()
        self.view.setModel(self.model)
        self.view.setAccessibleName("Passages by diagnosticity")
        self.view.setUniformItemSizes(True)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._delegate = DiscriminationDelegate(self.view)
        self.view.setItemDelegate(self._delegate)
        self.view.opened.connect(self._open)
        self.view.doubleClicked.connect(lambda _index: self._open())
        self.view.key.connect(lambda key: self._judge() if key == "J" else self._add())
        self.view.selectionModel().currentChanged.connect(self._row_changed)
        theme.changed.connect(self.view.scheduleDelayedItemsLayout)
        self.empty = EmptyState("split", "")
        self.pages = QStackedWidget()
        self.pages.addWidget(self.view)
        self.pages.addWidget(self.empty)
        column.addWidget(self.pages, 1)
        column.addWidget(line())
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 8, 24, 8)
        foot.setSpacing(8)
        self.judge_button = button(self.judge_action, kind="primary")
        self.add_button = button(self.add_action)
        self.open_button = button(self.open_action)
        self.open_button.setText("Show on its page")
        for control in (self.judge_button, self.add_button, self.open_button):
            foot.addWidget(control)
        foot.addStretch(1)
        self.judge_all_button = button(self.judge_all_action)
        foot.addWidget(self.judge_all_button)
        column.addLayout(foot)
        self.setFocusProxy(self.view)
        self._name_actions()

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the hypotheses, and rank the passages again."""
        bench = self.session.workbench
        if bench is None:
            return
        self._dirty = False
        self._fill(bench.hypotheses.all())
        self._read()

    def forget(self) -> None:
        """Show nothing of the case before."""
        self._passages = []
        self.pair.clear()
        self._show()

    def _fill(self, hypotheses: list[Hypothesis]) -> None:
        """Offer the pairs to choose from; the one that is chosen stays so."""
        current = self.pair.currentData()
        self.pair.clear()
        if len(hypotheses) > 2:
            self.pair.addItem("All pairs", None)
        for index, first in enumerate(hypotheses):
            for second in hypotheses[index + 1 :]:
                self.pair.addItem(f"{first.id} or {second.id}", (first.id, second.id))
                texts = f"{first.id}: {first.text}\n{second.id}: {second.text}"
                self.pair.setItemData(self.pair.count() - 1, texts, Qt.ItemDataRole.AccessibleDescriptionRole)
        places = [self.pair.itemData(index) for index in range(self.pair.count())]
        self.pair.setCurrentIndex(next((index for index, pair in enumerate(places) if pair == current), 0))
        self.pair.setEnabled(bool(places))

    def _read(self) -> None:
        """Rank the passages again, beside the work."""
        if self.pair.count() == 0:
            self._say("Two rival hypotheses are needed: write them on the Hypotheses screen.")
            return
        pair = self.pair.currentData()
        self.count.setText("Comparing")

        def read(bench: Workbench) -> tuple[list[DiscriminatingPassage], bool, tuple[str, ...]]:
            passages = bench.plans.discriminating(LISTED, pair=pair)
            # What keeps a search from finding anything keeps passages from being compared.
            notes = () if passages else bench.search.passages_for(bench.hypotheses.all()[0].text, k=1).notes
            return passages, bench.case.settings().blind, notes

        self.read(read, self._take_result, key="apart", on_error=self._not_found)

    def _take_result(self, result: tuple[list[DiscriminatingPassage], bool, tuple[str, ...]]) -> None:
        self._passages, blind, self._notes = result
        self._delegate.blind = self.model.blind = blind
        self._show()

    def _not_found(self, error: AppError) -> None:
        self._passages = []
        self._say(f"{error.sentence} {error.hint}")

    def _show(self) -> None:
        previous = self.chosen()
        row = self.view.currentIndex().row()
        rows = [hit for hit in self._passages if not (self.fresh.isChecked() and hit.evidence)]
        top = self.view.verticalScrollBar().value()
        self._delegate.strongest = max((hit.strength for hit in self._passages), default=1.0) or 1.0
        self.model.show(rows, blind=self.model.blind)
        if rows:
            same = [n for n, hit in enumerate(rows) if previous is not None and hit.passage.id == previous.passage.id]
            self.view.setCurrentIndex(self.model.index(same[0] if same else max(0, min(row, len(rows) - 1)), 0))
            if previous is not None:
                self.view.verticalScrollBar().setValue(top)
            judgements = sum(hit.judged for hit in rows)
            self.count.setText(f"{counted(len(rows), 'passage')}, {judgements:,} judged; the most diagnostic first")
            self.pages.setCurrentWidget(self.view)
        elif self.session.workbench is not None:
            self._say(
                "Everything found is already in the matrix."
                if self._passages
                else " ".join(self._notes)
                or "No passage is nearer to one hypothesis than to another. Add documents, or rivals."
            )
        self._name_actions()

    def _say(self, text: str) -> None:
        self.model.show([], blind=self.model.blind)
        self.count.setText("")
        self.empty.say(text)
        self.pages.setCurrentWidget(self.empty)
        self._name_actions()

    def chosen(self) -> DiscriminatingPassage | None:
        """Return the selected row."""
        row = self.view.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def in_hand(self) -> Chunk | None:
        """Return the passage that is selected."""
        chosen = self.chosen()
        return chosen.passage if chosen is not None else None

    def _row_changed(self, _index: QModelIndex, _before: QModelIndex) -> None:
        chosen = self.chosen()
        self._name_actions()
        if chosen is not None:
            self.selected.emit(chosen.passage)

    def _name_actions(self) -> None:
        chosen = self.chosen()
        bench = self.session.workbench
        free = bench is not None and not self.session.read_only
        missing = bench.review.judge_missing() if bench is not None else ""
        self.judge_action.setEnabled(free and chosen is not None and not chosen.judged and not missing)
        self.judge_action.setToolTip(
            missing or "Have the judge read this passage for both hypotheses; what it says becomes proposals"
        )
        self.judge_all_action.setEnabled(free and not missing and any(not hit.judged for hit in self.model.rows))
        self.add_action.setEnabled(free and chosen is not None and not chosen.evidence)
        self.open_action.setEnabled(chosen is not None)

    # --- commands ----------------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        chosen = self.chosen()
        if chosen is None or chosen.judged or not self.judge_action.isEnabled():
            return
        self.session.run(
            "Judging a passage",
            lambda bench, progress: bench.review.judge_passage(chosen.passage.id, chosen.pair, progress=progress),
            done=self.while_here(self._tell_verdicts),
            initiator=self,
        )

    def _tell_verdicts(self, report: ProposeReport) -> None:
        """Announce the verdicts; a passage with the same on both hypotheses goes to the end."""
        labels = {proposal.hypothesis: proposal.verdict.label for proposal in report.proposals}
        if not labels and report.notes:
            self.session.tell(" ".join(report.notes))
            return
        if self.model.blind:
            self.session.tell("Judged: it is among the proposals to review")
            return
        message = ", ".join(f"{h}: {VERDICTS[label]}" for h, label in labels.items())
        if len(set(labels.values())) == 1:
            message = f"{message}: much the same for both, so its diagnosticity is low"
        self.session.tell(message)

    def _judge_all(self) -> None:
        waiting = [(hit.passage.id, hit.pair) for hit in self.model.rows if not hit.judged]

        def judge(bench: Workbench, progress: Progress) -> Changes:
            for index, (chunk, pair) in enumerate(waiting):
                progress.step(index, len(waiting), f"Judging {index + 1} of {len(waiting)}")
                bench.review.judge_passage(chunk, pair, progress=progress)
            return Changes(proposals=True)

        if waiting:
            self.session.run("Judging passages", judge, initiator=self, partial=Changes(proposals=True))

    def _add(self) -> None:
        chosen = self.chosen()
        if chosen is None or not self.add_action.isEnabled():
            return
        passage = chosen.passage
        evidence = self.session.do(
            lambda bench: bench.evidence.add_quote(passage.document, passage.page, passage.start, passage.end),
            initiator=self,
        )
        if evidence is not None:
            self.session.tell(f"Added as {evidence.id}", undo=True)
            self.made.emit(evidence.id)

    def _open(self) -> None:
        chosen = self.chosen()
        if chosen is not None:
            passage = chosen.passage
            self.show_source.emit(passage.document, passage.page, passage.start, passage.end)
