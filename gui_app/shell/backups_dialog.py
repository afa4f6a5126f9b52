"""The backups of a case: which there are, whether each is sound, and putting one back."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDoubleSpinBox,
    QHBoxLayout,
    QListView,
    QPushButton,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from core import settings
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.fields import bare
from gui_app.shared.formatting import ago, counted, file_size, spoken_time
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.outside import open_outside
from gui_app.shared.row_painting import LEFT, RIGHT, draw_ground, draw_line_below, two_lines
from gui_app.shared.table_models import Index, ListRows

if TYPE_CHECKING:
    from core.store import Backup

ROW = 54


class BackupRows(ListRows):
    """The backups, newest first; ``checked``: whether it is known by now which of them are sound."""

    rows: list[Backup]
    is_checked = False

    def role_data(self, backup: Backup, _at: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return _date(backup)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_date(backup)}, {_aside(backup)}, {file_size(backup.bytes)}, {self.state(backup)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return str(backup.path)
        return None

    def state(self, backup: Backup) -> str:
        """Return what is known of it: 'checked', or why it cannot be used."""
        if not self.is_checked:
            return "checking…"
        if backup.needs_passphrase:
            return "needs its passphrase"
        return "checked" if backup.is_sound else f"cannot be used: {backup.reason}"


def _date(backup: Backup) -> str:
    words = spoken_time(backup.at)
    return words[:1].upper() + words[1:]


def _aside(backup: Backup) -> str:
    """Return how old it is, and what it was made for where that is not the usual."""
    why = f"before the change from format {backup.before_format}" if backup.before_format else ""
    return " · ".join(part for part in (ago(backup.at), why) if part)


def _may_be_used(backup: Backup) -> bool:
    return backup.is_sound or backup.needs_passphrase


class _BackupDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.px(ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = theme.tokens()
        rows = index.model()
        backup = index.data(Qt.ItemDataRole.UserRole)
        state = rows.state(backup) if isinstance(rows, BackupRows) else ""
        bad = state not in ("checked", "checking…", "needs its passphrase")
        painter.save()
        draw_ground(painter, option, is_framed=True)
        draw_line_below(painter, option.rect)
        top, low = two_lines(option.rect, 8)
        painter.setFont(theme.sans(theme.BODY))
        painter.setPen(QColor(t.muted))
        painter.drawText(top, RIGHT, file_size(backup.bytes))
        painter.setFont(theme.sans(theme.BODY, bold=True))
        painter.setPen(QColor(t.muted if bad else t.text))
        painter.drawText(top, LEFT, _date(backup))
        small = theme.sans(theme.SMALL)
        painter.setFont(small)
        state_text = QFontMetrics(small).elidedText(state, Qt.TextElideMode.ElideRight, low.width() * 2 // 3)
        painter.setPen(QColor(t.contradicts if bad else t.muted))
        painter.drawText(low, RIGHT, state_text)
        if state == "checked":
            width, size = QFontMetrics(small).horizontalAdvance(state_text), theme.px(12)
            mark = theme.pixmap("check", size, t.muted, ratio=option.widget.devicePixelRatioF())
            painter.drawPixmap(low.right() - width - size - 5, low.center().y() - size // 2 + 1, mark)
        painter.setPen(QColor(t.muted))
        painter.drawText(low, LEFT, _aside(backup))
        painter.restore()


class BackupsDialog(QDialog):
    """The backups of the case at ``case``, which need be neither open nor sound nor there."""

    def __init__(self, session: CaseSession, case: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.case = case
        bench = session.workbench
        self._open = bench is not None and bench.path.resolve() == case.resolve()
        self._read_only = self._open and session.read_only
        self.setWindowTitle("Backups")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=8)
        column.addWidget(plain("Restore from a backup", "title"))
        name = bench.case.title() if bench is not None and self._open else ""
        column.addWidget(
            ElidedLabel(f"{name} · {case}" if name else str(case), "muted", mode=Qt.TextElideMode.ElideMiddle)
        )
        column.addSpacing(8)
        self.rows = BackupRows(self)
        self.view = QListView()
        self.view.setModel(self.rows)
        self.view.setItemDelegate(_BackupDelegate(self.view))
        self.view.setMouseTracking(True)
        self.view.setAccessibleName("Backups, newest first")
        self.view.selectionModel().currentChanged.connect(lambda *_: self._enable())
        self.nothing = EmptyState("save", "Looking for backups…")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.nothing)
        self._pages.addWidget(self.view)
        column.addWidget(line())
        column.addWidget(self._pages, 1)
        self.summary = plain("", "small")
        column.addWidget(self.summary)
        explanation = "Restoring overwrites nothing: the current file stays beside the case under another name."
        column.addWidget(plain(explanation, "muted", wrap=True))
        column.addSpacing(4)
        column.addWidget(line())
        column.addLayout(self._settings())
        column.addWidget(line())
        column.addSpacing(4)
        column.addLayout(self._buttons())
        self.session.opened.connect(self.reject)
        room = parent.window().height() - 16 if parent is not None else theme.px(620)
        self.resize(theme.px(680), max(theme.px(420), min(theme.px(620), room)))
        self.refresh()

    def _settings(self) -> QHBoxLayout:
        current = settings.load()
        row = hbox(margins=(0, 4, 0, 4), spacing=8)
        self.automatic = QCheckBox("Back up cases automatically")
        self.automatic.setAccessibleName(self.automatic.text())
        self.automatic.setToolTip(
            "When a changed case is closed, and once a day before it is worked on. Applies to every case."
        )
        self.automatic.setChecked(current.backups)
        self.automatic.toggled.connect(self._keep)
        row.addWidget(self.automatic)
        row.addStretch(1)
        row.addWidget(plain("At most", "muted"))
        self.space = QDoubleSpinBox()
        self.space.setDecimals(1)
        self.space.setRange(0.0, 1000.0)
        self.space.setSingleStep(0.5)
        self.space.setSuffix(" GB")
        self.space.setSpecialValueText("no limit")
        self.space.setKeyboardTracking(False)
        self.space.setFixedHeight(theme.px(28))
        bare(self.space, "Space for the backups of one case, in GB", letters=9)
        self.space.setValue(current.backup_space / 1000)
        self.space.valueChanged.connect(self._keep)
        row.addWidget(self.space)
        row.addWidget(plain("for each case", "muted"))
        return row

    def _buttons(self) -> QHBoxLayout:
        row = hbox(spacing=8)
        self.restore_button = QPushButton("Restore")
        self.restore_button.setProperty("kind", "primary")
        self.restore_button.setAccessibleName("Restore the selected backup")
        self.restore_button.setDefault(True)
        self.restore_button.clicked.connect(self._restore)
        self.apart_button = QPushButton("Open as a separate case")
        self.apart_button.setAccessibleName("Open the selected backup as a separate case")
        self.apart_button.clicked.connect(self._open_apart)
        self.folder_button = QPushButton("Show folder")
        self.folder_button.setAccessibleName("Show the folder of the backups")
        self.folder_button.clicked.connect(self.show_folder)
        self.now_button = QPushButton("Back up now")
        self.now_button.setAccessibleName("Make a backup now")
        self.now_button.setVisible(self._open and not self._read_only)
        self.now_button.clicked.connect(self._back_up)
        self.close_button = QPushButton("Close")
        self.close_button.clicked.connect(self.reject)
        for button in (self.restore_button, self.apart_button, self.folder_button):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.now_button)
        row.addWidget(self.close_button)
        return row

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read which backups there are, then check them."""
        self._read(check=False)
        self._read(check=True)
        self._enable()

    def _read(self, *, check: bool) -> None:
        def arrived(backups: list[Backup]) -> None:
            if isValid(self):
                self._show(backups, is_checked=check)

        self.session.backups.read_list(self.case, arrived, check=check, key=("backups", check))

    def _show(self, backups: list[Backup], *, is_checked: bool) -> None:
        selection = self.chosen()
        self.rows.is_checked = is_checked
        self.rows.show(backups)
        had_list = self._pages.currentWidget() is self.view
        self._pages.setCurrentWidget(self.view if backups else self.nothing)
        if backups:
            if not had_list:
                self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            row = next(
                (row for row, backup in enumerate(backups) if selection is not None and backup.path == selection.path),
                -1,
            )
            if row < 0:
                row = next((row for row, backup in enumerate(backups) if backup.is_sound), 0)
            self.view.setCurrentIndex(self.rows.index(row, 0))
            size = file_size(sum(backup.bytes for backup in backups))
            self.summary.setText(f"{counted(len(backups), 'backup')}, {size}, in {backups[0].path.parent}")
        else:
            self.nothing.say(self._why_none())
            self.summary.setText("")
            # Not the check box, which a key meant for the list would switch off.
            (self.now_button if self._open and not self._read_only else self.close_button).setFocus()
        self._enable()

    def _why_none(self) -> str:
        if not self._open:
            return "There is no backup of this case."
        if self._read_only:
            return "There is no backup of this case. It is open for viewing only, so none is made."
        if not settings.load().backups:
            return "There is no backup of this case yet: they are not made automatically."
        return "There is no backup of this case yet. One is made when you close it after changing it."

    def chosen(self) -> Backup | None:
        """Return the selected backup."""
        index: QModelIndex = self.view.currentIndex()
        return self.rows.rows[index.row()] if 0 <= index.row() < len(self.rows.rows) else None

    def _enable(self) -> None:
        backup = self.chosen()
        usable = backup is not None and _may_be_used(backup)
        writable = os.access(self.case.parent, os.W_OK)
        self.restore_button.setEnabled(usable and writable)
        self.apart_button.setEnabled(usable and writable)
        self.folder_button.setEnabled(backup is not None)
        for button in (self.restore_button, self.apart_button):
            button.setToolTip("" if writable else "Nothing can be written in the folder of this case.")

    # --- doing -------------------------------------------------------------------------------------------------------

    def _restore(self) -> None:
        backup = self.chosen()
        if backup is not None and _may_be_used(backup):
            self.accept()
            self.session.backups.restore(self.case, backup)

    def _open_apart(self) -> None:
        backup = self.chosen()
        if backup is not None and _may_be_used(backup):
            self.accept()
            self.session.backups.open_copy(self.case, backup)

    def show_folder(self) -> None:
        """Open the folder of the selected backup in the system's file manager."""
        backup = self.chosen()
        if backup is not None:
            open_outside(backup.path.parent)

    def _back_up(self) -> None:
        self.now_button.setEnabled(False)

        def over() -> None:
            if isValid(self):
                self.now_button.setEnabled(True)
                self.refresh()

        task = self.session.backups.make()
        if task is not None:
            task.ended.connect(over)

    def _keep(self) -> None:
        space = round(self.space.value() * 1000)
        settings.save(replace(settings.load(), backups=self.automatic.isChecked(), backup_space=space))
