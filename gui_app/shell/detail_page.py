"""The blocks of which the details of a thing are made: quote, origin, facts, a strip of its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from gui_app.matrix.grid_painter import printable
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.formatting import flowing
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shell.page_crop import Crop, CropView

if TYPE_CHECKING:
    from core.workbench import Workbench

MAX_WORD_CHARS = 26  # characters that have room in one line beside the name of a fact
_CROP_SCALE = 1.6
_SETTLE_MS = 160  # a person running through a list is not shown every page on the way


class DetailPage(QObject):
    """The details of one thing, in ``widget``. ``searched(text)`` when something is to be looked for."""

    searched = Signal(str)

    def __init__(self, session: CaseSession) -> None:
        self.widget = QWidget()
        super().__init__(self.widget)
        self.session = session
        self._body = vbox(self.widget, margins=(16, 4, 16, 16), spacing=10)
        self._crop_of: tuple[str, int, int, int] | None = None
        self._crop_place: QVBoxLayout | None = None

    def finish(self) -> None:
        """Close the page once it has all its blocks, and read the strip that it shows."""
        self._body.addStretch(1)
        if self._crop_of is not None:
            QTimer.singleShot(_SETTLE_MS, self, self._read_crop)

    def add(self, part: QWidget | QLayout) -> None:
        """Add a block below the others."""
        if isinstance(part, QWidget):
            self._body.addWidget(part)
        else:
            self._body.addLayout(part)

    def quote(self, text: str) -> None:
        """Add the words of a document."""
        # Signs that turn the direction of what follows would show other words than the page has.
        label = plain(printable(flowing(text)), "", wrap=True, selectable=True)
        label.setFont(theme.serif(theme.LARGE))
        label.setAccessibleName(f"Quote: {text}")
        self.add(label)

    def origin(self, name: str, place: str) -> None:
        """Add where words are."""
        row = hbox(spacing=8)
        icon = QLabel()
        theme.set_icon(icon, "document")
        row.addWidget(icon)
        row.addWidget(ElidedLabel(f"{name}", "muted", mode=Qt.TextElideMode.ElideMiddle), 1)
        row.addWidget(plain(place, "muted"))
        self.add(row)

    def facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """Add a table of names and values."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(facts):
            grid.addWidget(plain(name, "muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(words(value), row, 1)
        self.add(grid)

    def crop(self, document: str, page: int, start: int, end: int) -> None:
        """Add the strip of the page around some words; it is read a moment later."""
        if end <= start:
            return
        self._crop_of = (document, page, start, end)
        self._crop_place = vbox()
        self.add(self._crop_place)

    def _read_crop(self) -> None:
        position = self._crop_of
        if position is None:
            return
        document, number, start, end = position

        def read(bench: Workbench) -> Crop | None:
            page = bench.documents.page(document, number)
            boxes = tuple(bench.documents.words(page.id).within(start, end))
            if not boxes:
                return None
            picture = bench.documents.picture(document, number, _CROP_SCALE)
            return Crop(picture.png, picture.scale, boxes, page.height)

        def arrived(crop: Crop | None) -> None:
            if crop is None or not isValid(self) or self._crop_place is None or self._crop_place.count():
                return
            view = CropView()
            if view.show_crop(crop):
                self._crop_place.addWidget(view)
            else:
                view.deleteLater()

        # A format without pages has no picture; the quote itself is already on show.
        self.session.read(read, arrived, key="detail crop", failed=lambda _error: None)


def words(text: str, role: str = "") -> QLabel:
    """Return a label that wraps.

    With a word that has no room in one line, which Qt breaks nowhere, it gives up its middle.
    """
    if max(map(len, text.split()), default=0) > MAX_WORD_CHARS:
        return ElidedLabel(text, role, mode=Qt.TextElideMode.ElideMiddle)
    return plain(text, role, wrap=True, selectable=True)
