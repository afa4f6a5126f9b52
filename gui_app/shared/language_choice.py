"""The choice of the languages that scans are read in: one of them, each document's own, or several at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QWidget

from core import paths
from gui_app.shared.fields import NameChoice
from gui_app.shared.languages import language_name

_OWN = "each document’s own language"
_SEVERAL = "Several at once..."


class LanguageChoice(NameChoice):
    """A choice of languages by their codes; ``chosen(codes)`` when a person chose, () for what is usual."""

    chosen = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.menu: LanguageMenu | None = None  # while several are chosen
        self.activated.connect(self._take)

    def show_languages(self, languages: Sequence[str], *, usual: Sequence[str] = ()) -> None:
        """Offer the languages that data is installed for, with these selected; without any, ``usual`` is shown."""
        codes = paths.ocr_languages()
        in_hand = () if tuple(languages) == tuple(usual) else tuple(languages)
        entries = [(_words(usual) or _OWN, ()), *((language_name(code), (code,)) for code in codes)]
        entries = [entry for entry in entries if not entry[1] or entry[1] != tuple(usual)]
        if in_hand not in [data for _, data in entries]:
            entries.append((_words(in_hand), in_hand))
        rows: list[tuple[str, tuple[str, ...] | None]] = [*entries, *([(_SEVERAL, None)] if len(codes) > 1 else [])]
        if [(self.itemText(index), self.itemData(index)) for index in range(self.count())] != rows:
            self.clear()
            for words, data in rows:
                self.addItem(words, data)
        self._in_hand = next(index for index, (_, data) in enumerate(entries) if data == in_hand)
        self.setCurrentIndex(self._in_hand)

    def languages(self) -> tuple[str, ...]:
        """Return the codes of the selected languages."""
        return cast("tuple[str, ...]", self.currentData() or ())

    def _take(self, index: int) -> None:
        if self.itemData(index) is not None:
            self._in_hand = index
            self.chosen.emit(self.languages())
            return
        self.setCurrentIndex(self._in_hand)
        self.menu = LanguageMenu(self, self.languages())
        self.menu.taken.connect(self._take_several)
        # The key or the click that chose this row would reach the menu too, and close it.
        QTimer.singleShot(0, self.menu, self._show_menu)

    def _show_menu(self) -> None:
        if self.menu is not None:
            self.menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def _take_several(self, languages: tuple[str, ...]) -> None:
        index = next((index for index in range(self.count()) if self.itemData(index) == languages), -1)
        if index < 0:
            index = self.count() - 1
            self.insertItem(index, _words(languages), languages)
        self.setCurrentIndex(index)
        self._take(index)


class LanguageMenu(QMenu):
    """The languages with a mark each: Space or a click sets it, Enter or the last row takes them: ``taken(codes)``."""

    taken = Signal(object)

    def __init__(self, parent: QWidget, languages: Sequence[str]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for code in paths.ocr_languages():
            action = self.addAction(language_name(code))
            action.setData(code)
            action.setCheckable(True)
            action.setChecked(code in languages)
        self.addSeparator()
        self.addAction("Take these (Enter)").triggered.connect(self._finish)
        self.setActiveAction(self.actions()[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Set the mark of a row, or take those that have one."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._finish()
            self.close()
        elif event.key() != Qt.Key.Key_Space or not self._turn():
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Set the mark of a row; the menu stays open for more."""
        if not self._turn():
            super().mouseReleaseEvent(event)

    def _turn(self) -> bool:
        action = self.activeAction()
        if action is None or not action.isCheckable():
            return False
        action.toggle()
        return True

    def _finish(self) -> None:
        codes = tuple(action.data() for action in self.actions() if action.isChecked())
        if codes:
            self.taken.emit(codes)


def _words(languages: Sequence[str]) -> str:
    return " + ".join(map(language_name, languages))
