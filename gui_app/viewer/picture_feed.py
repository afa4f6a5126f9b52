"""The pictures of the page on show: asked for as they are wanted, coarse before sharp, and the next page ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from core.errors import AppError, UnreadableDocument
from gui_app.viewer.page_pictures import PictureRequest

if TYPE_CHECKING:
    from gui_app.viewer.document_pane import DocumentPane

LOW = 1.0  # pixels a point of the first, quick picture


class PictureFeed(QObject):
    """The feed of pictures of a pane's page to its view; ``missing`` are the pages that cannot be drawn."""

    def __init__(self, pane: DocumentPane) -> None:
        super().__init__(pane)
        self._pane = pane
        self._view = pane.page_view
        self._pictures = pane.pictures
        self.missing: set[tuple[str, int]] = set()
        self._view.picture_wanted.connect(self._fetch_picture)
        self._view.tiles_wanted.connect(self._fetch_tiles)
        self._pictures.came.connect(self.show_picture)
        self._pictures.failed.connect(self._give_up)

    def _fetch_picture(self, scale: float) -> None:
        content = self._pane.content
        if content is None or not self._pane.has_picture():
            return
        document, number = content.document.id, content.page.number
        picture = self._pictures.get(PictureRequest(document, number, scale))
        if picture is not None:
            self._view.set_picture(picture, scale)
            self._fetch_ahead()
            return
        self._pictures.forget(("ahead", id(self)))  # what is looked at comes first
        if self._view.picture_scale() == 0:
            sharpest = self._pictures.sharpest(document, number)
            if sharpest is not None:
                self._view.set_picture(QImage(sharpest[1]), sharpest[0])
        if scale > LOW * 1.5 and self._view.picture_scale() == 0:
            self._pictures.ask(PictureRequest(document, number, LOW), key=("first picture", id(self)))
        self._pictures.ask(PictureRequest(document, number, scale), key=("sharp picture", id(self)))

    def _fetch_tiles(self) -> None:
        """Fetch the tile in sight that is missing and nearest to the middle; the next one when it is there."""
        content = self._pane.content
        if content is None or not self._pane.has_picture():
            return
        for tile in self._view.missing_tiles():
            request = PictureRequest(content.document.id, content.page.number, tile.scale, tile.clip)
            picture = self._pictures.get(request)
            if picture is None:
                self._pictures.ask(request, key=("tile", id(self)))
                return
            self._view.set_tile(tile, picture)

    def show_picture(self, request: PictureRequest, image: QImage) -> None:
        """Show a picture that came, where it is of the page on show and sharp enough."""
        content = self._pane.content
        if content is None or content.document.id != request.document:
            return
        if content.page.number != request.number:
            if abs(content.page.number - request.number) == 1 and request.scale == self._view.wanted_scale():
                self._fetch_ahead()
            return
        if request.clip is not None:
            self._fetch_tiles()
            return
        # A thumbnail is none; one that was asked for a moment ago, in nearly this size, is better than no picture.
        if request.scale >= min(LOW, 0.8 * self._view.wanted_scale()):
            former_scale = self._view.picture_scale()
            self._view.set_picture(image, request.scale)
            if request.scale == self._view.wanted_scale() and former_scale != request.scale:
                self._fetch_ahead()

    def _give_up(self, request: PictureRequest, error: AppError) -> None:
        content = self._pane.content
        if content is None or (content.document.id, content.page.number) != (request.document, request.number):
            return
        self._pane.said.emit(error.sentence)
        if isinstance(error, UnreadableDocument) and request.clip is None:
            # A reader that was stopped is another matter: the next opening asks again.
            self.missing.add((request.document, request.number))
            self._pane.show_view()

    def _fetch_ahead(self) -> None:
        """Fetch the next page, and when that is there the one before: turning a page should show it at once."""
        content = self._pane.content
        if content is None:
            return
        scale = self._view.wanted_scale()
        for step in (1, -1):
            request = PictureRequest(content.document.id, content.page.number + step, scale)
            if 1 <= request.number <= content.document.pages and self._pictures.get(request) is None:
                self._pictures.ask(request, key=("ahead", id(self)))
                return
