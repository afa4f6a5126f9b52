"""The passphrase of the open case: set, changed or removed, and what becomes of its older backups then."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QDialog, QPushButton, QRadioButton, QWidget
from shiboken6 import isValid

from core.errors import AppError, PassphraseWrong
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.formatting import counted
from gui_app.shared.labels import ElidedLabel, line, note, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.passphrase_fields import CAPS_LOCK, NewPassphrase, PassphraseField

if TYPE_CHECKING:
    from core.store import Backup, CaseKey

_ENCRYPTED = (
    "The whole file is encrypted, with its backups from now on. The old file is overwritten and removed; on SSDs and "
    "memory sticks traces of it may remain. Other copies of the case stay as they are, including the file kept when a "
    "backup was restored. Reports and other files that you export are never encrypted."
)
_WRONG = "This is not its current passphrase; nothing was changed. Check capitals and the keyboard layout."
_CLEAR = "Its backups stay encrypted, and open with the passphrase they were made with."


class PassphraseDialog(QDialog):
    """The current passphrase of the case, if it has one, what it gets instead, and the one button that does it."""

    def __init__(self, session: CaseSession, case: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._case = case
        self._key: CaseKey | None = session.do(lambda bench: bench.case.key)
        has_one = self._key is not None
        self.setWindowTitle("Passphrase")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=8)
        column.addWidget(plain("Change or remove the passphrase" if has_one else "Encrypt the case", "title"))
        column.addWidget(ElidedLabel(str(case), "muted", mode=Qt.TextElideMode.ElideMiddle))
        column.addSpacing(4)
        self.present = PassphraseField("Current passphrase")
        self.present.setVisible(has_one)
        self.present.textChanged.connect(self._typed)
        self.present.caps_lock.connect(self._typed)
        self.state = plain("", wrap=True)
        self.state.hide()
        column.addWidget(self.present)
        column.addWidget(self.state)
        self.another = QRadioButton("Another passphrase")
        self.none = QRadioButton("No passphrase: store the case unencrypted again")
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
        self.clear_note = note(plain("Anybody who has the file can then read everything in the case.", wrap=True))
        column.addWidget(self.clear_note)
        column.addStretch(1)
        column.addWidget(line())
        row = hbox()
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
        first = self.present if has_one else self.fields.first
        first.setFocus(Qt.FocusReason.OtherFocusReason)
        self.resize(theme.px(560), self.heightForWidth(theme.px(560)))

    def _choices(self, *, is_encrypted: bool) -> QWidget:
        """Make the choice of what to do with backups that would not open with the new passphrase."""
        box = QWidget()
        rows = vbox(box, margins=(0, 8, 0, 0), spacing=4)
        rows.addWidget(line())
        rows.addWidget(plain("Older backups", "heading"))
        count = counted(len(self._older), "backup")
        is_one = len(self._older) == 1
        what = f"{count} of this case, not encrypted."
        if is_encrypted:
            quantifier = "" if is_one else "each "
            what = f"{count} of this case, {quantifier}with the passphrase that it was made with, or with none."
        rows.addWidget(plain(what, "muted", wrap=True))
        them, they = ("it", "it is") if is_one else ("them", "they are")
        self.encrypt = QRadioButton(f"Encrypt {them} with the new passphrase too")
        self.erase = QRadioButton(f"Overwrite and remove {them}")
        self.keep = QRadioButton(f"Leave {them} as {they}")
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
        change = "Change the passphrase" if self._key is not None else "Encrypt"
        self.do_button.setText("Remove the passphrase" if removing else change)
        self.do_button.setAccessibleName(self.do_button.text())
        self._enable()
        self.resize(self.width(), self.heightForWidth(self.width()))

    def _typed(self) -> None:
        """Clear what was shown about the passphrase typed before."""
        if self.present.has_caps_lock:
            self._say(CAPS_LOCK)
        elif self.state.text():
            self.state.setText("")
            self.state.hide()
            self.resize(self.width(), self.heightForWidth(self.width()))
        self._enable()

    def _enable(self) -> None:
        is_known = self._key is None or bool(self.present.text().strip())
        is_new = self.none.isChecked() or not self.fields.problem()
        self.do_button.setEnabled(is_known and is_new and self.present.isEnabled())

    def _do(self) -> None:
        """Do it; of a case that has a passphrase once that is proven, beside the window: it takes half a second."""
        key, case = self._key, self._case
        if key is None:
            self._change()
            return
        try:
            passphrase = self.present.passphrase()
        except AppError as error:
            self._failed(error)
            return
        self._hold(True)
        self._say("Checking…")

        def check() -> None:
            try:
                key.check(passphrase, case)
            finally:
                passphrase.forget()

        self._session.tasks.read(check, lambda _: self._proven(), self._failed, key="present passphrase")

    def _proven(self) -> None:
        if isValid(self) and self.isVisible():
            self._change()

    def _failed(self, error: BaseException) -> None:
        if not isinstance(error, AppError):
            self._session.report(error)
            return
        if not isValid(self):
            return
        self._hold(False)
        is_wrong = isinstance(error, PassphraseWrong)
        self._say(_WRONG if is_wrong else f"{error.sentence} {error.hint}")
        announce(self.state, self.state.text())
        self.present.setFocus(Qt.FocusReason.OtherFocusReason)
        self.present.selectAll()

    def _hold(self, is_held: bool) -> None:
        """Keep what was typed as it is while it is checked."""
        for part in (self.present, self.another, self.none, self.fields, self._backups):
            part.setEnabled(not is_held)
        self._enable()

    def _say(self, words: str) -> None:
        self.state.setText(words)
        self.state.show()
        self.resize(self.width(), self.heightForWidth(self.width()))

    def _change(self) -> None:
        fate = "erase" if self.erase.isChecked() else "encrypt" if self.encrypt.isChecked() else "keep"
        passphrase = None if self.none.isChecked() else self.fields.passphrase()
        self.accept()
        self._session.backups.change_passphrase(passphrase, fate if passphrase is not None else "keep")

    def done(self, result: int) -> None:
        """Leave nothing of what was typed behind."""
        self.fields.forget()
        self.present.forget()
        super().done(result)


def _group(parent: QWidget, choices: tuple[QRadioButton, ...]) -> QButtonGroup:
    group = QButtonGroup(parent)
    for choice in choices:
        group.addButton(choice)
    return group
