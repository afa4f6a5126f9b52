"""One word to check: why it is doubtful, the strip of its scan, the field, its other readings and its neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QMenu, QScrollArea, QWidget

from core.errors import AppError
from core.ocr.suspect_words import SuspectWord
from core.ports import UNREAD
from gui_app.ocr.pictures import WordPictures
from gui_app.ocr.suspects_model import differing_span, key_of, others, why
from gui_app.ocr.word_strip import Cut, StripView, WordField
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.marked_text import MarkedText

if TYPE_CHECKING:
    from gui_app.ocr.word_strip import Box

PICKS = 5  # other readings that a figure takes


class WordPage(QScrollArea):
    """The word that is decided on. A word pointed at in the strip is underlined in the context, and the other way."""

    def __init__(self) -> None:
        super().__init__()
        self.doubt: SuspectWord | None = None
        self.page_words: Sequence[tuple[str, Box]] = ()
        self._build_labels()
        self.strip = StripView()
        self.strip.hovered.connect(self._pointed_on_page)
        self.field = WordField("The word as it was read")
        self.field.editing_changed.connect(lambda _on: self._hint())
        self.hint = plain(role="small")
        readings = self._build_readings()
        self.context = MarkedText("The word among its neighbours")
        self.context.follow_pointer()
        self.context.hovered.connect(self._pointed_in_text)
        self._lay_out(readings)

    # --- layout ------------------------------------------------------------------------------------------------------

    def _build_labels(self) -> None:
        self.why_label = plain(wrap=True)
        self.why_label.setProperty("role", "heading")
        self.place_label = plain(role="muted")
        self.cited_label = plain(role="strong")
        self.origin_label = ElidedLabel("", "muted", mode=Qt.TextElideMode.ElideMiddle)
        self.resting_heading = plain("Rests on quotes that changed", "section")
        self.resting = plain(role="muted", wrap=True)
        self.resting.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def _build_readings(self) -> QGridLayout:
        self.as_read = MarkedText("On the page", underline=True)
        self.other = MarkedText("The other engine", underline=True)
        self.other_note = plain(role="muted")
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(4)
        grid.addWidget(plain("On the page", "section"), 0, 0)
        grid.addWidget(plain("The other engine", "section"), 0, 1)
        self.alternatives_heading = plain("Other readings  ↓", "section")
        grid.addWidget(self.alternatives_heading, 0, 2)
        grid.addWidget(self.as_read, 1, 0)
        grid.addWidget(self.other, 1, 1)
        grid.addWidget(self.other_note, 1, 1)
        self.alternatives = ElidedLabel()
        self.alternatives.setAccessibleName("Other readings, picked with their figure")
        grid.addWidget(self.alternatives, 1, 2)
        for index in range(3):
            grid.setColumnStretch(index, 1)
        return grid

    def _lay_out(self, readings: QGridLayout) -> None:
        content = QWidget()
        column = vbox(content, margins=(24, 16, 24, 16), spacing=16)
        self._column = column
        top = hbox()
        top.addWidget(self.why_label, 1)
        top.addWidget(self.place_label, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        column.addWidget(self.strip)
        word = vbox(spacing=4)
        word.addWidget(self.field)
        word.addWidget(self.hint)
        column.addLayout(word)
        column.addLayout(readings)
        column.addWidget(line())
        foot = hbox(spacing=16)
        foot.addWidget(self.cited_label)
        foot.addWidget(self.origin_label, 1)
        column.addLayout(foot)
        column.addWidget(self.context)
        column.addWidget(self.resting_heading)
        column.addWidget(self.resting)
        column.addStretch(1)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)

    def make_room(self, little: bool) -> None:
        """Take less height where there is little."""
        self.strip.make_room(little)
        self._column.setSpacing(8 if little else 16)

    # --- showing -----------------------------------------------------------------------------------------------------

    def show_word(self, doubt: SuspectWord, origin: str) -> None:
        """Show a word of the page that ``origin`` names; its strip and the words around it come by themselves."""
        reasons = why(doubt)
        self.why_label.setText(reasons[:1].upper() + reasons[1:])
        had_focus = self.field.hasFocus()
        self.field.show_word(doubt.text)
        self.field.setAccessibleDescription(f"{reasons}. {doubt.context[0]} {doubt.text} {doubt.context[1]}")
        if had_focus:
            announce(self.field, f"{doubt.text}. {reasons}")
        self._hint()
        self._show_readings(doubt)
        before, after = doubt.context
        start = f"{before} " if before else ""
        self.context.set_text(
            f"{start}{doubt.text}{f' {after}' if after else ''}", len(start), len(start) + len(doubt.text)
        )
        self.cited_label.setText("cited by {ids}".format(ids=", ".join(doubt.cited)) if doubt.cited else "")
        self.cited_label.setVisible(bool(doubt.cited))
        self.origin_label.setText(origin)

    def _show_readings(self, doubt: SuspectWord) -> None:
        unseen = doubt.other == UNREAD
        self.as_read.set_text(doubt.text, *differing_span(doubt.text, doubt.other))
        has_other = bool(doubt.other) and not unseen
        self.other.setVisible(has_other)
        span = differing_span(doubt.other, doubt.text) if has_other else (0, 0)
        self.other.set_text(doubt.other if has_other else "", *span)
        self.other_note.setText("saw nothing here" if unseen else "reads no other word here")
        self.other_note.setVisible(not has_other)
        readings = others(doubt)[:PICKS]
        self.alternatives.setText(" · ".join(f"{number} {text}" for number, text in enumerate(readings, start=1)))
        self.alternatives.setVisible(bool(readings))
        self.alternatives_heading.setVisible(bool(readings))

    def _hint(self) -> None:
        self.hint.setText(
            "Enter takes what you typed · Esc leaves the word as it was read"
            if self.field.editing
            else "Enter: it is as read · E: type what it is · ↓ other readings"
        )

    def show_resting(self, text: str) -> None:
        """Show what rests on quotes that changed; '' takes it away."""
        self.resting.setText(text)
        for part in (self.resting_heading, self.resting):
            part.setVisible(bool(text))

    def show_strip(self, pictures: WordPictures, following: Callable[[], SuspectWord | None]) -> None:
        """Show the strip of the word, now or when it comes, and fetch that of the ``following`` word ahead."""
        doubt = self.doubt
        if doubt is None:
            return
        key = key_of(doubt)

        def show(cut: Cut) -> None:
            if self.doubt is not None and key_of(self.doubt) == key:
                self.strip.show_cut(cut)
                ahead = following()
                if ahead is not None and key_of(ahead) not in pictures.cuts:
                    pictures.fetch_ahead(ahead)

        def say(error: AppError) -> None:
            if self.doubt is not None and key_of(self.doubt) == key:
                self.strip.say(f"{error.sentence} {error.hint}")

        if key in pictures.cuts:
            show(pictures.cuts[key])
            return
        self.strip.say("")  # never another word's picture beside this one
        pictures.fetch(doubt, show, say)

    def show_page_words(self, words: Sequence[tuple[str, Box]], *, overlay: bool) -> None:
        """Take the words of the page for pointing; with ``overlay`` they lie over the picture as well."""
        self.page_words = words
        self.strip.know(words)
        self.strip.lay_over(words if overlay else ())

    def list_readings(self, readings: Sequence[str], on_pick: Callable[[int], object]) -> None:
        """List the other readings below the word; Enter takes one, by its place."""
        self.menu = QMenu(self)
        self.menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu.setAccessibleName("Other readings")
        self.menu.setFont(theme.serif(theme.LARGE))
        for index, text in enumerate(readings):
            self.menu.addAction(text.replace("&", "&&")).triggered.connect(lambda _=False, index=index: on_pick(index))
        self.menu.setActiveAction(self.menu.actions()[0])
        self.menu.popup(self.field.mapToGlobal(QPoint(0, self.field.height())))

    # --- pointing ----------------------------------------------------------------------------------------------------

    def _neighbours(self) -> dict[int, tuple[int, int]]:
        """Find where words of the page are in the line of context, by their number on the page."""
        doubt = self.doubt
        if doubt is None:
            return {}
        text, spans_by_word = self.context.text(), {}
        spans = [match.span() for match in re.finditer(r"\S+", text)]
        words_before = len(doubt.context[0].split())
        for index, (start, end) in enumerate(spans):
            number = doubt.word + index - words_before
            if 0 <= number < len(self.page_words) and self.page_words[number][0] == text[start:end]:
                spans_by_word[number] = (start, end)
        return spans_by_word

    def _pointed_on_page(self, number: int) -> None:
        self.context.point(*self._neighbours().get(number, (0, 0)))

    def _pointed_in_text(self, place: int) -> None:
        numbers = (number for number, (start, end) in self._neighbours().items() if start <= place < end)
        self.strip.point(next(numbers, -1))
