"""What adding files would do, said above the table before anything is written; new files of a watched folder.

Nothing is added before the person says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.formatting import counted
from gui_app.shared.labels import ElidedLabel, plain

if TYPE_CHECKING:
    from core.documents.folder_scan import Preview

MANY = 50  # files from which on a batch is worth a look
_MAX_NAMES = 4  # files of one kind that are named


def worth_saying(preview: Preview) -> bool:
    """Return whether a person would want to know before these files are added."""
    odd = preview.copies or preview.without_text or preview.cases or preview.too_large or preview.missing
    return bool(odd or preview.files > MANY)


class ImportSheet(QFrame):
    """One question with its answers. ``shown(bool)`` when it comes and goes, ``answered`` when a person has chosen."""

    shown = Signal(bool)
    answered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Files to be added")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 12, 24, 12)
        column.setSpacing(8)
        self.title = plain("", "strong", wrap=True)
        column.addWidget(self.title)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        column.addLayout(self._grid)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.add = QPushButton()
        self.add.setProperty("kind", "primary")
        self.add.setAccessibleName("Add the files that can be read")
        self.everything = QPushButton()
        self.everything.setAccessibleName("Try every file")
        self.no = QPushButton("Cancel")
        self.no.setToolTip("Add nothing (Esc)")
        for button, answer in ((self.add, self._add), (self.everything, self._everything), (self.no, self.dismiss)):
            button.setAutoDefault(True)  # Enter answers as well as Space
            button.clicked.connect(lambda _on=False, answer=answer: answer())
            button.clicked.connect(self.answered)
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        self._readable: tuple[Path, ...] = ()
        self._all: tuple[Path, ...] = ()
        self._roots: tuple[Path, ...] = ()
        self._go: Callable[[list[Path], Sequence[Path]], object] = lambda _paths, _roots: None
        self._on_decline: Callable[[], object] = int
        self.hide()

    def ask(
        self,
        preview: Preview,
        names: dict[str, str],
        go: Callable[[list[Path], Sequence[Path]], object],
        roots: Sequence[Path] = (),
    ) -> None:
        """Ask what to add of these files; ``names`` gives the name of a document by id.

        ``go(paths, roots)`` adds them, with the folders that they were found in.
        """
        rows: list[tuple[str, Sequence[str]]] = [
            ("{0} new", [path.name for path in preview.new]),
            ("{0} newer than a document from the same place", [f"{path.name} ({of})" for path, of in preview.changed]),
            ("{0} failed or removed earlier: tried again", [path.name for path, _ in preview.again]),
            (
                "{0} already in the case",
                [path.name if names.get(of) == path.name else f"{path.name} ({of})" for path, of in preview.copies],
            ),
            ("{0} of a type without text", [path.name for path in preview.without_text]),
            ("{0} left out: a case, part of one, or a report of this one", [path.name for path in preview.cases]),
            ("{0} too large for a case", [path.name for path in preview.too_large]),
            ("{0} cannot be found or opened", [path.name for path in preview.missing]),
        ]
        total = preview.files - len(preview.cases) - len(preview.too_large) - len(preview.missing)
        self._roots = tuple(roots)
        if len(preview.new) == preview.files:  # there is nothing to weigh
            place = f" in {roots[0].name}" if len(roots) == 1 and roots[0].name else ""
            self._show("{}{}, all new".format(counted(total, "file"), place), [])
        else:
            self._show("{} to be added".format(counted(total, "file")), rows)
        self._readable = preview.readable
        rest = (*(path for path, _ in preview.copies), *preview.without_text, *preview.too_large, *preview.missing)
        self._all = (*preview.readable, *rest)
        count = len(preview.readable)
        self.add.setText("Add {}".format(counted(count, "file")))
        self.add.setVisible(count > 0)
        self.everything.setText(f"Try all {len(self._all):,}")
        self.everything.setVisible(bool(preview.without_text))
        self._begin(go, lambda: None)

    def offer(
        self,
        folder: Path,
        paths: Sequence[Path],
        go: Callable[[list[Path], Sequence[Path]], object],
        on_decline: Callable[[], object],
    ) -> None:
        """Offer files that are new or changed in a watched folder."""
        self._roots = (folder,)
        title = "{} new or changed in {}".format(counted(len(paths), "file"), folder.name)
        self._show(title, [("", [path.name for path in paths])])
        self._readable = self._all = tuple(paths)
        self.add.setText("Add {}".format(counted(len(paths), "file")))
        self.add.show()
        self.everything.hide()
        self._begin(go, on_decline)

    def dismiss(self) -> None:
        """Add nothing."""
        if self.waits():
            self.hide()
            self._on_decline()

    def first_button(self) -> QPushButton:
        """Return the button that most people will want."""
        return self.no if self.add.isHidden() else self.add

    def event(self, event: QEvent) -> bool:
        """Emit when the question appears and disappears."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.shown.emit(event.type() == QEvent.Type.ShowToParent)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Add nothing on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            self.answered.emit()
        else:
            super().keyPressEvent(event)

    def waits(self) -> bool:
        """Return whether it is waiting for an answer."""
        return not self.isHidden()

    def _begin(self, go: Callable[[list[Path], Sequence[Path]], object], on_decline: Callable[[], object]) -> None:
        self._go, self._on_decline = go, on_decline
        self.show()
        announce(self, self.title.text())

    def _add(self) -> None:
        self.hide()
        self._go(list(self._readable), self._roots)

    def _everything(self) -> None:
        self.hide()
        self._go(list(self._all), self._roots)

    def _show(self, title: str, rows: Sequence[tuple[str, Sequence[str]]]) -> None:
        self.title.setText(title)
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        line = 0
        for words, names in rows:
            if not names:
                continue
            text = ", ".join(names[:_MAX_NAMES]) + (
                f" … (+{len(names) - _MAX_NAMES:,})" if len(names) > _MAX_NAMES else ""
            )
            sentence = words.format(f"{len(names):,}")
            if sentence:
                self._grid.addWidget(plain(sentence), line, 0, Qt.AlignmentFlag.AlignTop)
            label = ElidedLabel(text, "muted", mode=Qt.TextElideMode.ElideRight)
            label.setMinimumWidth(theme.px(80))
            self._grid.addWidget(label, line, 1 if sentence else 0, 1, 1 if sentence else 2)
            line += 1
