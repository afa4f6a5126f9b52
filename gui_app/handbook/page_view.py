"""The text of one page of the handbook. It shows pictures of the handbook's own folder and loads nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRegularExpression, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QResizeEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QTextEdit, QWidget

from core.handbook.pages import FOLDER, Page
from gui_app.handbook.page_html import html_of, style_sheet
from gui_app.shared import theme

WIDEST = 760  # pixels at the default text size: longer lines are hard to follow
SIDE, TOP = 36, 12
BELOW = 90  # pixels of a last section that are always seen
RESIZED_MS = 60
_LINK = re.compile(r"(?:([\w-]+)\.md)?(?:#([\w-]+))?")
_PICTURE = re.compile(r"pictures/([\w-]+)\.png")


class PageView(QTextBrowser):
    """A page with its headings as places to go to. ``followed(page, anchor)`` when a link is; '' for this page."""

    followed = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setAccessibleName("Page of the handbook")
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setStyleSheet("QTextBrowser { border: none; padding: 0; border-radius: 0; }")
        self.document().setDocumentMargin(0)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # else it would make the text narrower
        self.page: Page | None = None
        self._picture_width = 0  # of the pictures on show
        self._query: tuple[str, ...] = ()
        self._resizing = QTimer(self, singleShot=True, interval=RESIZED_MS)
        self._resizing.timeout.connect(self._fit_pictures)
        self.anchorClicked.connect(self._follow)
        theme.changed.connect(self._show_again)

    def show_page(self, page: Page, anchor: str = "", words: tuple[str, ...] = ()) -> None:
        """Show a page from its beginning or an anchor, with what begins with these words marked."""
        self.page = page
        self._query = words
        self._fill()
        self.go_to(anchor)

    def go_to(self, anchor: str) -> None:
        """Scroll to a heading, or to the beginning."""
        if anchor:
            self.scrollToAnchor(anchor)
        else:
            self.moveCursor(QTextCursor.MoveOperation.Start)
            self.verticalScrollBar().setValue(0)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Return a picture of the handbook, as wide as the text at most; nothing else is ever loaded."""
        picture = _PICTURE.fullmatch(name.toString() if isinstance(name, QUrl) else name)
        if kind != QTextDocument.ResourceType.ImageResource.value or picture is None:
            return None
        dark = FOLDER / "pictures" / f"{picture[1]}-dark.png"
        return self._scaled(dark if theme.tokens().dark else FOLDER / "pictures" / f"{picture[1]}.png")

    def _scaled(self, file: Path) -> QImage:
        image, ratio = QImage(str(file)).convertToFormat(QImage.Format.Format_RGB32), self.devicePixelRatioF()
        width = round(min(self._text_width(), theme.px(WIDEST)) * ratio)
        if width < image.width():
            image = image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
        painter = QPainter(image)  # a line around it, or a light picture has no edge on a light page
        painter.setPen(QColor(theme.tokens().line))
        painter.drawRect(image.rect().adjusted(0, 0, -1, -1))
        painter.end()
        image.setDevicePixelRatio(ratio)
        return image

    def _fill(self) -> None:
        if self.page is None:
            return
        self._picture_width = self._text_width()
        self.document().setDefaultStyleSheet(style_sheet())
        self.document().setDefaultFont(theme.sans())
        self.setHtml(html_of(self.page))
        self._leave_room()
        self._mark_words()

    def _leave_room(self) -> None:
        """Leave so much room at the end that the last heading can be at the top, too."""
        frame = self.document().rootFrame()
        form = frame.frameFormat()
        form.setBottomMargin(max(0, self.viewport().height() - theme.px(BELOW)))
        frame.setFrameFormat(form)

    def _mark_words(self) -> None:
        marks = []
        if self._query:
            stems = "|".join(map(re.escape, self._query))
            pattern = QRegularExpression(rf"\b(?:{stems})\w*", QRegularExpression.PatternOption.CaseInsensitiveOption)
            match = self.document().find(pattern)
            while not match.isNull():
                mark = QTextEdit.ExtraSelection()
                mark.cursor = match
                mark.format.setBackground(QColor(theme.tokens().mark))
                marks.append(mark)
                match = self.document().find(pattern, match)
        self.setExtraSelections(marks)

    def _show_again(self) -> None:
        """Show the same place in other colours, or in another size."""
        share = self.verticalScrollBar().value() / max(1, self.verticalScrollBar().maximum())
        self._set_margins()
        self._fill()
        self.verticalScrollBar().setValue(round(share * self.verticalScrollBar().maximum()))

    def _fit_pictures(self) -> None:
        self._leave_room()
        if self.page is not None and self._picture_width != self._text_width():
            self._show_again()

    def _text_width(self) -> int:
        return max(200, self.viewport().width())

    def _set_margins(self) -> None:
        right = max(SIDE, self.width() - SIDE - self.verticalScrollBar().width() - theme.px(WIDEST))
        self.setViewportMargins(SIDE, TOP, right, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep lines short enough to read, and pictures as wide as they are."""
        self._set_margins()
        super().resizeEvent(event)
        self._resizing.start()

    def sizeHint(self) -> QSize:
        """Return room for a page."""
        return QSize(theme.px(WIDEST) + 2 * SIDE, 600)

    def _follow(self, url: QUrl) -> None:
        link = _LINK.fullmatch(url.toString())
        if link is not None:
            self.followed.emit(link[1] or "", link[2] or "")
