"""The passphrase of the open case: set, changed or removed, and what becomes of its older backups then."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QDialog, QHBoxLayout, QPushButton, QRadioButton, QVBoxLayout, QWidget

from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.formatting import counted
from gui_app.shared.labels import ElidedLabel, line, note, plain
from gui_app.shared.passphrase_fields import NewPassphrase

if TYPE_CHECKING:
    from core.store import Backup

_ENCRYPTED = (
    "The whole file is encrypted, with its backups from now on. The old file is overwritten and removed; on SSDs and "
    "memory sticks traces of it may stay all the same. Reports and other files that you write from the case are never "
    "encrypted."
)
_CLEAR = "Its backups stay encrypted, and open with the passphrase that they were made with."


class PassphraseDialog(QDialog):
    """What the case has, what it gets instead, and the one button that does it."""

    def __init__(self, session: CaseSession, case: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        has_one = session.do(lambda bench: bench.case.key) is not None
        self.setWindowTitle("Passphrase")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(8)
        column.addWidget(plain("Change or remove the passphrase" if has_one else "Encrypt the case", "title"))
        column.addWidget(ElidedLabel(str(case), "muted", mode=Qt.TextElideMode.ElideMiddle))
        column.addSpacing(4)
        self.another = QRadioButton("Another passphrase")
        self.none = QRadioButton("No passphrase: store the case in clear again")
        self._kinds = _group(self, (self.another, self.none))
        for choice in (self.another, self.none):
            choice.setAccessibleName(choice.text())
            choice.setVisible(has_one)
            choice.toggled.connect(self._show)
            column.addWidget(choice)
        self.fields = NewPassphrase()
        self.fields.changed.connect(self._enable)
        column.addWidget(self.fields)
        self.effect = plain("", "muted", wrap=True)
        column.addWidget(self.effect)
        self._older: list[Backup] = session.backups.unchecked()
        self._backups = self._choices(is_encrypted=has_one)
        self._backups.setVisible(bool(self._older))
        column.addWidget(self._backups)
        self.clear_note = note(plain("Everything in the case can then be read by whoever has the file.", wrap=True))
        column.addWidget(self.clear_note)
        column.addStretch(1)
        column.addWidget(line())
        row = QHBoxLayout()
        row.addStretch(1)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.clicked.connect(self.reject)
        self.do_button = QPushButton()
        self.do_button.setProperty("kind", "primary")
        self.do_button.setDefault(True)
        self.do_button.clicked.connect(self._do)
        row.addWidget(self.cancel_button)
        row.addWidget(self.do_button)
        column.addLayout(row)
        self.another.setChecked(True)
        self._show()
        self.fields.first.setFocus(Qt.FocusReason.OtherFocusReason)
        self.resize(theme.px(560), self.heightForWidth(theme.px(560)))

    def _choices(self, *, is_encrypted: bool) -> QWidget:
        """Make the choice of what to do with backups that would not open with the new passphrase."""
        box = QWidget()
        rows = QVBoxLayout(box)
        rows.setContentsMargins(0, 8, 0, 0)
        rows.setSpacing(4)
        rows.addWidget(line())
        rows.addWidget(plain("Older backups", "heading"))
        count = counted(len(self._older), "backup")
        what = f"{count} of this case, not encrypted."
        if is_encrypted:
            what = f"{count} of this case, each with the passphrase that it was made with, or with none."
        rows.addWidget(plain(what, "muted", wrap=True))
        self.encrypt = QRadioButton("Encrypt them with the new passphrase too")
        self.erase = QRadioButton("Overwrite and remove them")
        self.keep = QRadioButton("Leave them as they are")
        self._fates = _group(box, (self.encrypt, self.erase, self.keep))
        for choice in (self.encrypt, self.erase, self.keep):
            choice.setAccessibleName(choice.text())
            rows.addWidget(choice)
        self.encrypt.setChecked(True)
        return box

    def _show(self) -> None:
        removing = self.none.isChecked()
        self.fields.setVisible(not removing)
        self.clear_note.setVisible(removing)
        self._backups.setVisible(bool(self._older) and not removing)
        self.effect.setText(_CLEAR if removing else _ENCRYPTED)
        has_one = self.none.isVisibleTo(self)
        self.do_button.setText(
            "Remove the passphrase" if removing else "Change the passphrase" if has_one else "Encrypt"
        )
        self.do_button.setAccessibleName(self.do_button.text())
        self._enable()
        self.resize(self.width(), self.heightForWidth(self.width()))

    def _enable(self) -> None:
        self.do_button.setEnabled(self.none.isChecked() or not self.fields.problem())

    def _do(self) -> None:
        fate = "erase" if self.erase.isChecked() else "encrypt" if self.encrypt.isChecked() else "keep"
        passphrase = None if self.none.isChecked() else self.fields.passphrase()
        self.accept()
        self._session.backups.change_passphrase(passphrase, fate if passphrase is not None else "keep")

    def done(self, result: int) -> None:
        """Leave nothing of what was typed behind."""
        self.fields.forget()
        super().done(result)


def _group(parent: QWidget, choices: tuple[QRadioButton, ...]) -> QButtonGroup:
    group = QButtonGroup(parent)
    for choice in choices:
        group.addButton(choice)
    return group
