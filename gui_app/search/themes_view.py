"""What the documents have to say on a question: themes, each with the sentence that is nearest to all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gui_app.shared import theme as look
from gui_app.shared.formatting import counted, flowing
from gui_app.shared.labels import line, plain

if TYPE_CHECKING:
    from core.plans.drafting import Draft
    from core.search.service import Theme


class ThemesView(QScrollArea):
    """One theme below the other.

    ``hypothesis_wanted(sentence)`` hands a sentence on to be made a hypothesis of,
    ``opened(document, page, start, end)`` shows it on its page, ``passages_wanted(Theme)`` its passages;
    ``wording_wanted()`` asks for hypotheses that a model words.
    """

    hypothesis_wanted = Signal(str)
    opened = Signal(str, int, int, int)
    passages_wanted = Signal(object)
    wording_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Themes of the question")
        self.themes: tuple[Theme, ...] = ()
        self.drafts: tuple[Draft, ...] = ()
        self.buttons: list[QPushButton] = []
        self.writable = True

    def show_themes(
        self, themes: Sequence[Theme], *, writable: bool, can_word: bool = False, drafts: Sequence[Draft] = ()
    ) -> None:
        """Show themes; ``drafts`` are what a model worded of them, ``can_word`` whether there is one that could."""
        self.themes = tuple(themes)
        self.drafts = tuple(drafts)
        self.buttons = []
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 16)
        column.setSpacing(0)
        note = plain(
            (
                "Sentences from the documents, one for each topic, as a start for hypotheses. None is added unless "
                "you edit it and add it."
            ),
            "muted",
            wrap=True,
        )
        note.setContentsMargins(24, 12, 24, 12)
        column.addWidget(note)
        if can_word and not self.drafts:
            column.addLayout(self._wording(writable))
        drafts_by_theme = {draft.theme: draft for draft in self.drafts if draft.text}
        for theme in self.themes:
            column.addWidget(line())
            column.addLayout(self._theme(theme, writable, drafts_by_theme.get(theme)))
        column.addStretch(1)
        previous = self.takeWidget()
        if previous is not None:
            previous.deleteLater()
        self.setWidget(content)
        if self.buttons:
            self.setFocusProxy(self.buttons[0])

    def _wording(self, writable: bool) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(24, 0, 24, 12)
        self.word_button = QPushButton("Have a model draft hypotheses")
        self.word_button.setToolTip("A draft for each theme, for you to edit; none is added automatically")
        self.word_button.setEnabled(writable)
        self.word_button.clicked.connect(lambda _on=False: self.wording_wanted.emit())
        row.addWidget(self.word_button)
        row.addStretch(1)
        return row

    def _theme(self, theme: Theme, writable: bool, draft: Draft | None) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.setSpacing(16)
        label = plain(" · ".join(theme.label), "strong", wrap=True)
        head.addWidget(label, 1)
        where = counted(theme.documents, "document")
        head.addWidget(plain(f"{counted(len(theme.passages), 'passage')} in {where}", "small"))
        column.addLayout(head)
        sentence = plain(f"“{flowing(theme.sentence)}”", wrap=True, selectable=True)
        font: QFont = look.serif(look.LARGE)
        sentence.setFont(font)
        sentence.setAccessibleName(f"Sentence of the documents: {flowing(theme.sentence)}")
        column.addWidget(sentence)
        row = QHBoxLayout()
        row.setSpacing(8)
        make = QPushButton("Make a hypothesis from it")
        make.setAccessibleName(f"Make a hypothesis from: {flowing(theme.sentence)[:120]}")
        make.setToolTip("Puts the sentence into the field for a new hypothesis, for you to edit")
        make.setEnabled(writable)
        make.clicked.connect(lambda _on=False: self.hypothesis_wanted.emit(flowing(theme.sentence)))
        row.addWidget(make)
        place = QPushButton(f"{theme.passage.label}, page {theme.passage.page}".replace("&", "&&"))
        place.setProperty("kind", "quiet")
        place.setAccessibleName(f"Show it on its page: {place.text()}")
        place.clicked.connect(
            lambda _on=False: self.opened.emit(theme.passage.document, theme.passage.page, theme.start, theme.end)
        )
        row.addWidget(place)
        passages = QPushButton("Its passages")
        passages.setProperty("kind", "quiet")
        passages.setAccessibleName("Show the passages of this theme")
        passages.clicked.connect(lambda _on=False: self.passages_wanted.emit(theme))
        row.addWidget(passages)
        row.addStretch(1)
        column.addLayout(row)
        self.buttons.append(make)
        if draft is not None:
            column.addLayout(self._draft(draft, writable))
        return column

    def _draft(self, draft: Draft, writable: bool) -> QVBoxLayout:
        """Show what a model worded: in the letters of the program, not of the documents, and with its name."""
        column = QVBoxLayout()
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        column.addWidget(plain(f"Draft by {draft.model}", "small"))
        text = plain(draft.text, wrap=True, selectable=True)
        text.setAccessibleName(f"Draft of a hypothesis: {draft.text}")
        column.addWidget(text)
        row = QHBoxLayout()
        make = QPushButton("Make a hypothesis from the draft")
        make.setToolTip("Puts the draft into the field for a new hypothesis, for you to edit")
        make.setEnabled(writable)
        make.clicked.connect(lambda _on=False: self.hypothesis_wanted.emit(draft.text))
        row.addWidget(make)
        row.addStretch(1)
        column.addLayout(row)
        self.buttons.append(make)
        return column
