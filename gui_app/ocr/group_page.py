"""Words that are doubtful in the same way, decided at once: their pictures as a grid, and one field for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from core.ocr.suspect_words import SuspectWord
from gui_app.ocr.pictures import WordPictures
from gui_app.ocr.suspect_list import AlikeWords, WordGrid
from gui_app.ocr.suspects_model import group_title, key_of
from gui_app.ocr.word_strip import Cut, WordField
from gui_app.shared.labels import plain
from gui_app.shared.layout import vbox


class GroupPage(QWidget):
    """The words alike below what they have in common; ``is_same`` when all are the very same word."""

    def __init__(self) -> None:
        super().__init__()
        self.words = AlikeWords()
        self.is_same = False
        self.title = plain(wrap=True)
        self.title.setProperty("role", "heading")
        self.hint = plain(role="small", wrap=True)
        self.grid = WordGrid(self.words)
        self.field = WordField("What all these words are")
        column = vbox(self, margins=(24, 24, 24, 16), spacing=8)
        column.addWidget(self.title)
        column.addWidget(self.hint)
        column.addSpacing(8)
        column.addWidget(self.grid, 1)
        column.addWidget(self.field)

    def begin(self) -> None:
        """Take all words in, and forget their pictures: another group is shown."""
        self.words.left_out.clear()
        self.words.pictures.clear()

    def show_words(
        self, what: str, rows: Sequence[SuspectWord], names: Mapping[str, str], *, can_take_other: bool
    ) -> None:
        """Show the words that are doubtful as ``what`` says, of documents of these ``names`` by id."""
        row = self.grid.currentIndex().row()
        self.words.show_named(rows, names)
        self.grid.setCurrentIndex(self.words.index(min(max(row, 0), len(rows) - 1)))
        self.is_same = len({doubt.text for doubt in rows}) == 1
        self.title.setText(group_title(what, rows))
        keys = ["A all as read"]
        if can_take_other:
            keys.append("B all as the other engine read")
        keys.append("I all illegible")
        if self.is_same:
            keys.append("E type what all are")
        keys += ["Space leaves one out", "Esc goes back"]
        self.hint.setText(" · ".join(keys))
        self.field.setVisible(False)
        self.field.show_word(rows[0].text if self.is_same else "")

    def current(self) -> SuspectWord | None:
        """Return the word that the keys are at."""
        index = self.grid.currentIndex()
        return self.words.rows[index.row()] if index.isValid() else None

    def selection(self) -> list[SuspectWord]:
        """List the words that a key decides."""
        return [self.words.rows[row] for row in self.words.selected_rows()]

    def fetch_pictures(self, pictures: WordPictures) -> None:
        """Fetch the pictures of the words that have none, a few at a time."""
        waiting = [doubt for doubt in self.words.rows if key_of(doubt) not in self.words.pictures]
        if waiting:
            pictures.fetch_several(waiting, lambda cuts: self._show_pictures(cuts, pictures))

    def _show_pictures(self, cuts: Sequence[tuple[SuspectWord, Cut]], pictures: WordPictures) -> None:
        rows = {key_of(doubt): row for row, doubt in enumerate(self.words.rows)}
        for doubt, cut in cuts:
            if key_of(doubt) in rows:
                self.words.picture(rows[key_of(doubt)], cut)
        self.fetch_pictures(pictures)
