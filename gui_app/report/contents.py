"""What a report holds, beside its preview: its sections, to go to and to choose, and what people put in themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QPlainTextEdit, QWidget

from core.report_settings import LONGEST_LINE, ReportSettings
from gui_app.shared import theme
from gui_app.shared.labels import plain
from gui_app.shared.layout import vbox

if TYPE_CHECKING:
    from core.report.outline import Entry

WIDTH = 248  # pixels
_LEFT, _RIGHT = 16, 12  # pixels beside what is in it
_BOX = 48  # pixels beside a title: its box, and what is around them
LINES = 4  # of the summary that are in view

_Role = Qt.ItemDataRole


class SummaryField(QPlainTextEdit):
    """A field for some paragraphs; ``editingFinished`` comes when it is left, as from a field of one line."""

    editingFinished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setProperty("kind", "field")
        self.setAccessibleName("Your summary")
        self.setPlaceholderText("In your own words; printed as yours")
        self.setFixedHeight(LINES * self.fontMetrics().lineSpacing() + 18)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take what was typed."""
        super().focusOutEvent(event)
        self.editingFinished.emit()


class ReportContents(QWidget):
    """The sections of the report with a box each, and fields for the summary, the author and the marking."""

    jump = Signal(str)  # to the section of this id
    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._settings = ReportSettings()
        self.is_writable = False
        self.setFixedWidth(WIDTH)
        self.outline = QListWidget()
        self.outline.setFrameShape(QFrame.Shape.NoFrame)
        self.outline.setAccessibleName("Sections of the report")
        self.outline.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.outline.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.outline.setWordWrap(True)
        self.outline.itemActivated.connect(self._go)
        self.outline.itemClicked.connect(self._go)
        self.outline.itemChanged.connect(lambda _item: self.edited.emit())
        self.summary = SummaryField()
        self.author = QLineEdit()
        self.author.setAccessibleName("Author of the report")
        self.author.setMaxLength(LONGEST_LINE)
        self.marking = QLineEdit()
        self.marking.setAccessibleName("Marking on every page")
        self.marking.setMaxLength(LONGEST_LINE)
        self.marking.setPlaceholderText("CONFIDENTIAL")
        column = vbox(self, margins=(_LEFT, 16, _RIGHT, 16), spacing=4)
        column.addWidget(self.outline, 1)
        for words, field in (
            ("Your summary", self.summary),
            ("Author", self.author),
            ("Marking on every page", self.marking),
        ):
            column.addSpacing(4)
            column.addWidget(plain(words, "muted"))
            column.addWidget(field)
            field.editingFinished.connect(self.edited)

    def settings(self) -> ReportSettings:
        """Return what is chosen and typed here; sections that the report has not now stay as they were decided."""
        items = [self.outline.item(row) for row in range(self.outline.count())]
        here = {item.data(_Role.UserRole) for item in items}
        unchecked = [item.data(_Role.UserRole) for item in items if item.checkState() == Qt.CheckState.Unchecked]
        return replace(
            self._settings,
            summary=self.summary.toPlainText().strip(),
            author=self.author.text().strip(),
            marking=self.marking.text().strip(),
            omissions=tuple(sorted({*unchecked, *(set(self._settings.omissions) - here)})),
        )

    def show_settings(self, settings: ReportSettings, outline: Sequence[Entry], *, writable: bool) -> None:
        """Show what was decided; a field that is being typed in is left alone."""
        self._settings = settings
        self.is_writable = writable
        for field, text in (
            (self.summary, settings.summary),
            (self.author, settings.author),
            (self.marking, settings.marking),
        ):
            field.setReadOnly(not writable)
            now = field.toPlainText() if isinstance(field, QPlainTextEdit) else field.text()
            if field.hasFocus() or now == text:
                continue
            if isinstance(field, QPlainTextEdit):
                field.setPlainText(text)
            else:
                field.setText(text)
        row = self.outline.currentRow()
        self.outline.blockSignals(True)
        self.outline.clear()
        for entry in outline:
            item = QListWidgetItem(entry.title)
            item.setData(_Role.UserRole, entry.id)
            item.setToolTip(f"{entry.title}\nAlways in the report" if entry.is_fixed else entry.title)
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            if writable and not entry.is_fixed:
                flags |= Qt.ItemFlag.ItemIsUserCheckable
            item.setFlags(flags)
            item.setCheckState(Qt.CheckState.Checked if entry.is_shown else Qt.CheckState.Unchecked)
            item.setSizeHint(self._size_of(entry.title))
            self.outline.addItem(item)
        self.outline.setCurrentRow(min(row, self.outline.count() - 1))
        self.outline.blockSignals(False)

    def _size_of(self, title: str) -> QSize:
        """Return the room that a title needs, on as many lines as the width makes of it."""
        bar = self.outline.verticalScrollBar().sizeHint().width()
        room = WIDTH - _LEFT - _RIGHT - bar - theme.px(_BOX)
        metrics = self.outline.fontMetrics()
        lines = metrics.boundingRect(0, 0, room, 1000, Qt.TextFlag.TextWordWrap, title).height() // metrics.height()
        return QSize(0, theme.px(theme.BODY) + 14 + (lines - 1) * metrics.lineSpacing())

    def clear(self) -> None:
        """Show nothing, as of no case."""
        self.show_settings(ReportSettings(), (), writable=False)

    def _go(self, item: QListWidgetItem) -> None:
        self.jump.emit(item.data(_Role.UserRole))
