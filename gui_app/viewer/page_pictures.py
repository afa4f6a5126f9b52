"""Pictures of pages: fetched beside the work, kept as long as there is room, handed to whoever shows them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from core.errors import AppError
from gui_app.session import CaseSession

if TYPE_CHECKING:
    from core.workbench import Workbench

PICTURE_BYTES = 64_000_000  # of decoded pictures kept: about eight sharp pages; the window may use 300 MB in all


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """A page as a picture of ``scale`` pixels a point, or the part of it in ``clip`` (points)."""

    document: str
    number: int
    scale: float
    clip: tuple[float, float, float, float] | None = None


class PagePictures(QObject):
    """Pictures of pages by request.

    ``came(PictureRequest, QImage)`` for every one that was asked for, ``failed(PictureRequest, AppError)`` for one that
    could not be drawn. Cached pictures are found with ``get`` and not asked for again.
    """

    came = Signal(object, object)
    failed = Signal(object, object)

    def __init__(self, session: CaseSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._cache: OrderedDict[PictureRequest, QImage] = OrderedDict()
        self._size = 0

    def get(self, request: PictureRequest) -> QImage | None:
        """Return a picture that is there, and count it as looked at."""
        image = self._cache.get(request)
        if image is not None:
            self._cache.move_to_end(request)
        return image

    def sharpest(self, document: str, number: int) -> tuple[float, QImage] | None:
        """Return the best picture there is of a whole page, at whatever scale."""
        requests = [w for w in self._cache if (w.document, w.number, w.clip) == (document, number, None)]
        if not requests:
            return None
        best = max(requests, key=lambda w: w.scale)
        return best.scale, self._cache[best]

    def put(self, request: PictureRequest, image: QImage) -> None:
        """Keep a picture; those not looked at for longest make room."""
        former = self._cache.pop(request, None)
        self._size += image.sizeInBytes() - (former.sizeInBytes() if former is not None else 0)
        self._cache[request] = image
        while self._size > PICTURE_BYTES and len(self._cache) > 1:
            _, oldest = self._cache.popitem(last=False)
            self._size -= oldest.sizeInBytes()

    def order(self) -> list[PictureRequest]:
        """List what is kept, the one to be given up first in front."""
        return [*self._cache]

    def clear(self) -> None:
        """Drop all pictures."""
        self._cache.clear()
        self._size = 0

    def forget(self, key: object) -> None:
        """Fetch no more what was asked for with ``key`` and has not begun yet."""
        self._session.read(lambda _bench: None, lambda _nothing: None, key=key)

    def ask(self, request: PictureRequest, *, key: object) -> None:
        """Fetch a picture; of several asked for with the same ``key`` only the newest."""

        def load(bench: Workbench) -> QImage:
            # Decoded here, beside the work: a sharp page takes some 20 ms.
            data = bench.documents.picture(request.document, request.number, request.scale, clip=request.clip).png
            return QImage.fromData(data)

        def deliver(image: QImage) -> None:
            if not image.isNull():
                self.put(request, image)
                self.came.emit(request, image)

        def refuse(error: AppError) -> None:
            self.failed.emit(request, error)

        self._session.read(load, deliver, key=key, failed=refuse)
