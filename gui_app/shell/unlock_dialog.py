"""Asking for the passphrase of a case, or of a copy of one, before it is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QPushButton, QWidget
from shiboken6 import isValid

from core.errors import AppError, PassphraseWrong
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import ElidedLabel, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.passphrase_fields import CAPS_LOCK, PassphraseField

if TYPE_CHECKING:
    from core.store import CaseKey


_OF_A_BACKUP = "It opens with the passphrase that the case had when the backup was made."


class UnlockDialog(QDialog):
    """Asks until the passphrase is right or the person thinks better of it; ``then`` is given the key.

    With ``show_backups`` the backups are one press away once a passphrase was wrong; without, ``case`` is one itself.
    """

    def __init__(
        self,
        session: CaseSession,
        case: Path,
        then: Callable[[CaseKey], object],
        parent: QWidget | None = None,
        show_backups: Callable[[Path], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._case = case
        self._then = then
        self.setWindowTitle("Passphrase")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=8)
        column.addWidget(plain(f"This {'case' if show_backups is not None else 'backup'} is encrypted", "title"))
        column.addWidget(ElidedLabel(str(case), "muted", mode=Qt.TextElideMode.ElideMiddle))
        column.addSpacing(8)
        self.field = PassphraseField("Passphrase")
        self.field.textChanged.connect(self._typed)
        self.field.caps_lock.connect(self._typed)
        column.addWidget(self.field)
        self.state = plain("" if show_backups is not None else _OF_A_BACKUP, wrap=True)
        self.state.setMinimumHeight(theme.px(60))
        self.state.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.state)
        row = hbox()
        self.backups_button = QPushButton("Backups…")
        self.backups_button.setToolTip("List the backups of this case, to restore one")
        self.backups_button.hide()  # until a passphrase was wrong, and a backup is advised
        if show_backups is not None:
            self.backups_button.clicked.connect(self.reject)
            self.backups_button.clicked.connect(lambda: show_backups(case))
        self._may_show_backups = show_backups is not None
        row.addWidget(self.backups_button)
        row.addStretch(1)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.clicked.connect(self.reject)
        self.open_button = QPushButton("Unlock")
        self.open_button.setProperty("kind", "primary")
        self.open_button.setDefault(True)
        self.open_button.clicked.connect(self._try)
        row.addWidget(self.cancel_button)
        row.addWidget(self.open_button)
        column.addLayout(row)
        self.resize(theme.px(520), self.sizeHint().height())
        self._enable()

    def _typed(self) -> None:
        """Clear what was shown about the passphrase typed before."""
        self.state.setText(CAPS_LOCK if self.field.has_caps_lock else "")
        self._enable()

    def _enable(self) -> None:
        self.open_button.setEnabled(bool(self.field.text().strip()))

    def _try(self) -> None:
        """Derive the key beside the window, which takes half a second."""
        try:
            passphrase = self.field.passphrase()
        except AppError as error:
            self._failed(error)
            return
        case = self._case
        self.field.setEnabled(False)
        self.open_button.setEnabled(False)
        self.state.setText("Checking…")

        def derive() -> CaseKey | None:
            from core.workbench import encryption

            try:
                return encryption.unlock(case, passphrase)
            finally:
                passphrase.forget()

        self._session.tasks.read(derive, self._unlocked, self._failed, key="unlock")

    def _unlocked(self, key: CaseKey | None) -> None:
        if not isValid(self) or not self.isVisible() or key is None:
            return
        self.field.forget()
        self.accept()
        # Once the window has the keys again: opening a case gives them to one of its screens.
        then, window = self._then, self.parentWidget()
        if window is not None:
            window.activateWindow()
        QTimer.singleShot(0, self._session, lambda: then(key))

    def _failed(self, error: BaseException) -> None:
        if not isinstance(error, AppError):
            self._session.report(error)
            return
        if not isValid(self):
            return
        self.field.setEnabled(True)
        wrong = "This is not its passphrase; nothing was changed."
        words = f"{wrong if isinstance(error, PassphraseWrong) else error.sentence} {error.hint}"
        self.state.setText(words)
        self.backups_button.setVisible(self._may_show_backups and isinstance(error, PassphraseWrong))
        announce(self.state, words)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()
        self._enable()

    def done(self, result: int) -> None:
        """Leave nothing of what was typed behind."""
        self.field.forget()
        super().done(result)
