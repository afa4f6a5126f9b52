"""How much was missed: passages that no search has shown, one after the other, and what they say about the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QWidget

from core.domain import Changes, Chunk, Hypothesis
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import vbox

if TYPE_CHECKING:
    from core.plans.elusion import ElusionEstimate
    from core.workbench import Workbench

SIZE = 20  # passages drawn at a time


class ElusionSample(QWidget):
    """A sample of unread passages for one hypothesis, judged by Y and N; ``closed`` when the person is done."""

    show_source = Signal(str, int, int, int)
    closed = Signal()

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.hypothesis = ""
        self.chunks: list[Chunk] = []
        self.position = 0
        self._judgements: list[tuple[int, int]] = []  # place in the sample, decisions made of it
        self._drawing = False
        self.setAccessibleName("How much was missed")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        column = vbox(self, spacing=0)
        head = vbox(margins=(24, 12, 24, 12), spacing=8)
        self.title = plain("", "heading", wrap=True)
        head.addWidget(self.title)
        self.estimate = plain("", "strong", wrap=True)
        self.estimate.setAccessibleName("Estimate of what was missed")
        head.addWidget(self.estimate)
        self.why = plain(
            (
                "These passages were drawn at random from those that no search has shown. Decide for each whether it "
                "bears on the hypothesis, for it or against it."
            ),
            "muted",
            wrap=True,
        )
        head.addWidget(self.why)
        column.addLayout(head)
        column.addWidget(line())
        content = QWidget()
        body = vbox(content, margins=(24, 16, 24, 16), spacing=8)
        self.place = plain("", "small")
        body.addWidget(self.place)
        self.passage = QLabel()
        self.passage.setTextFormat(Qt.TextFormat.PlainText)
        self.passage.setWordWrap(True)
        self.passage.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.passage.setAccessibleName("Passage to judge")
        self.passage.setMaximumWidth(theme.px(720))
        body.addWidget(self.passage)
        body.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        self.area = area
        column.addWidget(area, 1)
        column.addWidget(line())
        buttons = FlowLayout(gap=4)
        buttons.setContentsMargins(24, 8, 24, 8)
        self.yes_button = self._button(buttons, "Bears on it  Y", lambda: self.judge(True), kind="primary")
        self.no_button = self._button(buttons, "Does not  N", lambda: self.judge(False))
        self.add_button = self._button(buttons, "Bears on it: add as evidence  A", self.add)
        self.open_button = self._button(buttons, "Page  O", self.open_page, kind="quiet")
        self.undo_button = self._button(buttons, "Undo  U", self.undo, kind="quiet")
        self.more_button = self._button(buttons, f"Draw {SIZE} more", self.draw, kind="primary")
        self._button(buttons, "Done  Esc", self.closed.emit, kind="quiet")
        column.addLayout(buttons)
        session.changed.connect(self._changed)
        theme.changed.connect(self._dress)
        self._dress()
        self._show()

    def _button(self, row: FlowLayout, text: str, slot: object, *, kind: str = "") -> QPushButton:
        button = QPushButton(text)
        button.setAccessibleName(text.rpartition("  ")[0] or text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if kind:
            button.setProperty("kind", kind)
        button.clicked.connect(lambda _on=False: slot())  # type: ignore[operator]
        row.addWidget(button)
        return button

    def _dress(self) -> None:
        self.passage.setFont(theme.serif(theme.LARGE))

    def showEvent(self, event: QShowEvent) -> None:
        """Set the passage in its letters once it has its place in the window."""
        super().showEvent(event)
        self._dress()  # the style sheet takes the font away when a widget gets its place in the window

    # --- showing -----------------------------------------------------------------------------------------------------

    def begin(self, hypothesis: Hypothesis) -> None:
        """Draw a sample for a hypothesis."""
        self.hypothesis = hypothesis.id
        self.title.setText(f"{hypothesis.id}  {' '.join(hypothesis.text.split())}")
        self.estimate.setText("")
        self.chunks, self.position, self._judgements = [], 0, []
        self.draw()

    def draw(self) -> None:
        """Draw further passages; what was judged stays judged."""
        hypothesis = self.hypothesis
        self._drawing = True
        self._show()

        def read(bench: Workbench) -> tuple[str, list[Chunk]]:
            return hypothesis, bench.plans.elusion_sample(hypothesis, SIZE)

        self.session.read(read, self._take_sample, key="missed sample")
        self._estimate()

    def _take_sample(self, sample: tuple[str, list[Chunk]]) -> None:
        if sample[0] != self.hypothesis:
            return
        self._drawing = False
        self.chunks, self.position, self._judgements = sample[1], 0, []
        self._show()
        if self.isVisible():
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def current(self) -> Chunk | None:
        """Return the passage to judge; None at the end of the sample."""
        return self.chunks[self.position] if 0 <= self.position < len(self.chunks) else None

    def _show(self) -> None:
        chunk = self.current()
        writable = not self.session.read_only
        if chunk is not None:
            self.place.setText(f"{self.position + 1} of {len(self.chunks)}  ·  {chunk.name}, page {chunk.page}")
            self.passage.setText(" ".join(chunk.text.split()))
        else:
            self.place.setText("")
            self.passage.setText(self._over())
        for button in (self.yes_button, self.no_button, self.add_button):
            button.setEnabled(chunk is not None and writable)
            button.setVisible(chunk is not None or self._drawing)
        self.open_button.setVisible(chunk is not None)
        self.undo_button.setEnabled(bool(self._judgements))
        self.more_button.setVisible(chunk is None and bool(self.chunks) and not self._drawing)
        self.area.verticalScrollBar().setValue(0)

    def _over(self) -> str:
        if self._drawing:
            return "Drawing passages …"
        if self.chunks:
            return f"All {len(self.chunks)} are judged. The more you judge, the narrower the estimate."
        return "Every passage has been looked at or judged." if self.hypothesis else ""

    def _estimate(self) -> None:
        hypothesis = self.hypothesis

        def read(bench: Workbench) -> tuple[str, ElusionEstimate]:
            return hypothesis, bench.plans.elusion(hypothesis)

        self.session.read(read, self._show_estimate, key="missed estimate")

    def _show_estimate(self, estimate: tuple[str, ElusionEstimate]) -> None:
        from core.plans.elusion import words  # beside its use: not needed to open a window

        if estimate[0] == self.hypothesis:
            self.estimate.setText(words(*estimate))

    def _changed(self, changes: Changes, _initiator: object) -> None:
        if self.hypothesis and self.isVisible() and (changes.hypotheses or changes.proposals):
            self._estimate()

    # --- judging -----------------------------------------------------------------------------------------------------

    def judge(self, relevant: bool) -> None:
        """Record whether the passage bears on the hypothesis, and go on to the next."""
        chunk, hypothesis = self.current(), self.hypothesis
        if chunk is None or self.session.read_only:
            return
        if (
            self.session.do(lambda bench: bench.plans.judge_relevance(hypothesis, chunk.id, relevant), initiator=self)
            is None
        ):
            return
        self._go_on(1)

    def add(self) -> None:
        """Judge that the passage bears on the hypothesis, and make its words evidence."""
        chunk, hypothesis = self.current(), self.hypothesis
        if chunk is None or self.session.read_only:
            return
        if (
            self.session.do(lambda bench: bench.plans.judge_relevance(hypothesis, chunk.id, True), initiator=self)
            is None
        ):
            return
        start, end = text_span(chunk)
        evidence = self.session.do(
            lambda bench: bench.evidence.add_quote(chunk.document, chunk.page, start, end), initiator=self
        )
        if evidence is not None:
            self.session.decided.emit(f"Added as {evidence.id}; U undoes it")
        self._go_on(2 if evidence is not None else 1)

    def _go_on(self, decisions: int) -> None:
        self._judgements.append((self.position, decisions))
        self.position += 1
        self._show()

    def undo(self) -> None:
        """Undo the judgement of the passage before, and show it again."""
        if not self._judgements:
            return
        index, decisions = self._judgements.pop()
        for _ in range(decisions):
            self.session.undo()
        self.position = index
        self._show()

    def open_page(self) -> None:
        """Show the passage on its page."""
        chunk = self.current()
        if chunk is not None:
            self.show_source.emit(chunk.document, chunk.page, chunk.start, chunk.end)


def text_span(chunk: Chunk) -> tuple[int, int]:
    """Return the place of a passage without the blanks around it."""
    start = chunk.start + len(chunk.text) - len(chunk.text.lstrip())
    return start, start + len(chunk.text.strip())
