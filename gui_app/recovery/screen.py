"""The page that a damaged case leads to: what is wrong, and the ways on, none of which overwrites anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from core.domain import Changes
from core.errors import AppError, CaseCorrupt
from gui_app.recovery.losses_model import LossesModel, loss_rows, summary
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.formatting import ago, counted, file_size, spoken_time
from gui_app.shared.header import button
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.outside import open_outside
from gui_app.shared.screen import Screen
from gui_app.shared.table import Table
from gui_app.tasks import Task

if TYPE_CHECKING:
    from core.progress import Progress
    from core.store import Backup, CaseKey
    from core.store.recovery import Recovery

COLUMN = 720
_UNTOUCHED = "Nothing was written to the file, and none of the options below changes what is in it."
_RENAMED = " Restoring a backup gives it another name."
# What the database library says, in words for people.
_PLAIN = {
    "database disk image is malformed": "parts of the file were overwritten or are missing",
    "file is not a database": "its beginning was overwritten",
    "it is not a database": "its beginning was overwritten, or it never was a case",
    "the disk reported an error": "the disk reported an error while it was read",
}
_DAMAGED = "This case is damaged"
_PERHAPS = "This file cannot be read as a case"  # damaged, or never one
_EMPTY = "This file is empty"
_NO_CASE = "No damaged case was opened. A case that cannot be read opens this page."


class RecoveryScreen(Screen):
    """The damaged case, its newest good backup, what can be read of it, and its folder."""

    name = "Recovery"
    icon = "warning"
    concerns = Changes()
    needs_case = False

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.case: Path | None = None
        self.recovery: Recovery | None = None
        self.backup: Backup | None = None
        self._task: Task | None = None
        self._key: CaseKey | None = None
        self._has_nothing = False  # that could be saved
        self._is_locked = False  # some backups were not checked for want of their passphrase
        self.restore_action = self.command(
            "Restore the newest good backup",
            "Ctrl+Shift+1",
            self.restore_backup,
            tip="Replace the case with the backup; the damaged file stays beside it under another name",
        )
        self.backups_action = self.command("All backups…", "Ctrl+Shift+2", self._show_backups)
        self.recover_action = self.command(
            "Save what can be read",
            "Ctrl+Shift+3",
            self.recover,
            tip="Make a new case from everything in the damaged file that can be read and proven",
        )
        self.folder_action = self.command("Show the folder", "Ctrl+Shift+4", self._show_folder)
        self.choose_action = self.command(
            "Open another case…", "Ctrl+Shift+6", self._choose, tip="A damaged one leads back to this page"
        )
        self.open_action = self.command("Open the recovered case", "Ctrl+Shift+5", self._open_recovered)
        self.pages = QStackedWidget()
        column = vbox(self)
        column.addWidget(self.pages)
        self.pages.addWidget(self._choices())
        self.pages.addWidget(self._outcome())
        self.setFocusProxy(self.choose_button)
        self._enable()

    # --- the first page ----------------------------------------------------------------------------------------------

    def _choices(self) -> QWidget:
        """Make the page of what is wrong and what can be done."""
        inside = QWidget()
        around = hbox(inside, margins=(32, 0, 32, 0))
        around.addStretch(1)
        middle = QWidget()
        middle.setMaximumWidth(theme.px(COLUMN))
        around.addWidget(middle, 20)
        around.addStretch(1)
        column = vbox(middle, margins=(0, 40, 0, 32), spacing=8)
        self.title = plain(_DAMAGED, "title", wrap=True)
        column.addWidget(self.title)
        self.path_label = ElidedLabel("", "muted", mode=Qt.TextElideMode.ElideMiddle)
        column.addWidget(self.path_label)
        column.addSpacing(8)
        self.fault = plain("", "strong", wrap=True, selectable=True)
        column.addWidget(self.fault)
        self.untouched = plain("", "", wrap=True)
        column.addWidget(self.untouched)
        column.addSpacing(16)
        self.ways = QWidget()
        ways = vbox(self.ways, spacing=8)
        column.addWidget(self.ways)
        self.backup_text = plain("", "", wrap=True)
        self.restore_button = button(self.restore_action)
        self.restore_button.setText("Restore it")
        self.backups_button = button(self.backups_action)
        self.recover_button = button(self.recover_action)
        self.recover_text = plain("", "", wrap=True)
        self.folder_button = button(self.folder_action)
        folder_text = plain("Look for a copy of your own, or keep the damaged file somewhere safe.", "", wrap=True)
        self._part(ways, "Go back to a backup", self.backup_text, [self.restore_button, self.backups_button])
        self.saving = self._part(ways, "Save what can be read", self.recover_text, [self.recover_button])
        self._part(ways, "Look at the folder", folder_text, [self.folder_button])
        self.choose_button = button(self.choose_action)
        column.addWidget(line())
        column.addSpacing(8)
        column.addWidget(self.choose_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setAccessibleName("A damaged case")
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        return scroll

    @staticmethod
    def _part(ways: QVBoxLayout, head: str, text: QLabel, buttons: list[QWidget]) -> QWidget:
        part = QWidget()
        ways.addWidget(part)
        column = vbox(part, spacing=8)
        column.addWidget(line())
        column.addSpacing(8)
        column.addWidget(plain(head, "heading"))
        column.addWidget(text)
        row = hbox(margins=(0, 4, 0, 0), spacing=8)
        for widget in buttons:
            row.addWidget(widget)
        row.addStretch(1)
        column.addLayout(row)
        column.addSpacing(8)
        return part

    def show_fault(self, case: Path, error: AppError) -> None:
        """Show what is wrong with a case that could not be opened."""
        self.case, self.recovery = case, None
        self.backup = error.details.get("backup")  # type: ignore[assignment]
        self._is_locked = bool(error.details.get("locked"))
        self.path_label.setText(str(case))
        is_empty = _is_empty(case)
        self._has_nothing = is_empty or bool(error.details.get("nothing"))
        is_case = isinstance(error, CaseCorrupt) and not self._has_nothing
        self.title.setText(_DAMAGED if is_case else _EMPTY if is_empty else _PERHAPS)
        reason = str(error.details.get("reason", "")).rstrip(".")
        what = "Not all of it can be read" if error.details.get("was_open") else "It cannot be opened"
        self.fault.setText(f"{what}: {_PLAIN.get(reason, reason)}." if reason else error.sentence)
        if self._has_nothing:
            self.fault.setText("There is nothing in it that could be saved.")
        self._show_backup()
        self.pages.setCurrentIndex(0)
        self._enable()
        ways = (self.restore_button, self.recover_button, self.backups_button, self.folder_button)
        first = next(way for way in ways if way.isEnabled())
        for way in ways:
            way.setProperty("kind", "primary" if way is first else "")
            way.style().unpolish(way)
            way.style().polish(way)
        self.setFocusProxy(first)
        first.setFocus(Qt.FocusReason.OtherFocusReason)  # not where the person was when another case was on show
        announce(self, f"{self.title.text()}. {self.fault.text()} {self.untouched.text()}")

    def _show_backup(self) -> None:
        newest, count = self.backup, self._count_backups()
        self.restore_button.setVisible(newest is not None)
        self.backups_button.setVisible(count > 0)
        self.untouched.setText(_UNTOUCHED + (_RENAMED if newest is not None or self._is_locked else ""))
        if newest is None:
            none = "Its only backup cannot be used." if count == 1 else f"None of its {count:,} backups can be used."
            locked = "Backups of it are encrypted: choose one to restore it with its passphrase."
            self.backup_text.setText(locked if self._is_locked else none if count else "There is no backup of it.")
        else:
            what = (
                f"The newest good one is from {spoken_time(newest.at)} ({ago(newest.at)}), {file_size(newest.bytes)}."
            )
            consequence = "It lacks whatever was done after that. The damaged file stays beside it under another name."
            self.backup_text.setText(f"{what} {consequence}")
        self.recover_text.setText(
            "Makes a new case beside this one from every document, text and decision that can still be read, each "
            "checked against its hash. Lost texts are read again from their originals where those are intact. You get "
            "a list of everything that is missing."
        )

    def _count_backups(self) -> int:
        from core.workbench import backups

        return len(backups.unchecked(self.case)) if self.case is not None else 0

    def _enable(self) -> None:
        is_free = self.case is not None and (self._task is None or self._task.state not in ("waiting", "running"))
        self.restore_action.setEnabled(is_free and self.backup is not None)
        self.backups_action.setEnabled(is_free and self._count_backups() > 0)
        self.recover_action.setEnabled(is_free and not self._has_nothing)
        self.saving.setVisible(not self._has_nothing)
        self.folder_action.setEnabled(self.case is not None)
        self.open_action.setEnabled(self.recovery is not None)
        if self.case is None:
            self.fault.setText(_NO_CASE)
        for part in (self.title, self.path_label, self.untouched, self.ways):
            part.setVisible(self.case is not None)

    # --- what is done ------------------------------------------------------------------------------------------------

    def restore_backup(self) -> None:
        """Put the newest good backup in the place of the case."""
        if self.case is not None and self.backup is not None:
            self.session.backups.restore(self.case, self.backup)

    def _show_backups(self) -> None:
        if self.navigator is not None and self.case is not None:
            self.navigator.restore_backup(self.case)

    def recover(self) -> None:
        """Make a new case of what can be read of the damaged one, beside the work."""
        if self.case is not None and self.recover_action.isEnabled():
            self.session.with_key(self.case, self._recover_with(self.case))

    def _recover_with(self, case: Path) -> Callable[[CaseKey | None], None]:
        def begin(key: CaseKey | None) -> None:
            reader, who = self.session.engines.reader, self.session.who

            def work(progress: Progress) -> Recovery:
                from core.recovery.service import free_name, recover

                return recover(case, free_name(case), reader=reader, who=who, progress=progress, key=key)

            self._key = key
            self._task = self.session.beside("Saving what can be read", work, lambda task: self._ended(case, task))
            self._enable()

        return begin

    def _ended(self, case: Path, task: Task) -> None:
        if task is self._task:
            self._task = None
            self._enable()
            if task.state == "done" and case == self.case:
                self._show_recovery(task.result)
            elif self.recover_button.isEnabled():
                self.recover_button.setFocus(Qt.FocusReason.OtherFocusReason)  # which went on while it was disabled
        self._enable()

    def _choose(self) -> None:
        if self.navigator is not None:
            self.navigator.open_case()

    def _show_folder(self) -> None:
        if self.case is not None and not open_outside(self.case.parent):
            self.session.status.emit(f"The folder is {self.case.parent}")

    def _open_recovered(self) -> None:
        if self.recovery is not None and self.session.open(self.recovery.case, self._key):
            self.session.backups.make_at_once()

    # --- the second page ---------------------------------------------------------------------------------------------

    def _outcome(self) -> QWidget:
        """Make the page of what came back and what did not."""
        page = QWidget()
        column = vbox(page, spacing=0)
        head = QWidget()
        inside = vbox(head, margins=(24, 24, 24, 12), spacing=8)
        self.outcome_title = plain("", "title", wrap=True)
        inside.addWidget(self.outcome_title)
        self.new_path = ElidedLabel("", "muted", mode=Qt.TextElideMode.ElideMiddle)
        inside.addWidget(self.new_path)
        self.counts = plain("", "", wrap=True, selectable=True)
        inside.addWidget(self.counts)
        self.proof = plain("", "", wrap=True)
        inside.addWidget(self.proof)
        row = hbox(spacing=8)
        self.open_button = button(self.open_action, kind="primary")
        row.addWidget(self.open_button)
        self.folder_again = button(self.folder_action)
        row.addWidget(self.folder_again)
        row.addStretch(1)
        inside.addLayout(row)
        column.addWidget(head)
        column.addWidget(line())
        self.losses = LossesModel(self)
        self.table = Table(self.losses, "What was lost")
        self.table.widths([150, 220, 0], stretch=2)
        self.table.wrap()
        column.addWidget(self.table, 1)
        self.nothing = plain("Nothing was lost.", "muted")
        self.nothing.setContentsMargins(24, 16, 24, 0)
        column.addWidget(self.nothing)
        column.addStretch(0)
        return page

    def _show_recovery(self, recovery: Recovery) -> None:
        self.recovery = recovery
        self._enable()  # before the focus goes to what opens it
        self.outcome_title.setText("Recovered, but not all of it" if recovery.losses else "Recovered whole")
        self.new_path.setText(str(recovery.case))
        self.counts.setText(summary(recovery.counts))
        if recovery.check:
            problems = counted(len(recovery.check), "problem")
            self.proof.setText(f"The new case was checked: {problems}, the first: {recovery.check[0].what}")
        else:
            self.proof.setText("The new case was checked and is sound. The damaged file is where it was.")
        self.losses.show(loss_rows(recovery.losses))
        self.table.setVisible(bool(recovery.losses))
        self.nothing.setVisible(not recovery.losses)
        self.pages.setCurrentIndex(1)
        self.setFocusProxy(self.open_button)
        self.open_button.setFocus(Qt.FocusReason.OtherFocusReason)
        announce(self, f"{self.outcome_title.text()}. {self.counts.text()}")


def _is_empty(case: Path) -> bool:
    try:
        return case.stat().st_size == 0
    except OSError:
        return False
