"""The first page: recent cases, a new one, the sample. No dialog is before the work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLineEdit,
    QListView,
    QMenu,
    QProgressBar,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.domain import Changes
from gui_app import window_state
from gui_app.recent_cases import RecentCase, forget, recent_cases
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs as files
from gui_app.shared import theme
from gui_app.shared.formatting import counted, file_size, spoken
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.passphrase_fields import NewPassphrase
from gui_app.shared.row_painting import LEFT, RIGHT, draw_ground, draw_line_below, two_lines
from gui_app.shared.screen import Screen
from gui_app.shared.table_models import Index, ListRows

COLUMN = 680
NO_CASE = "No case yet. Make one, open the sample, or drop documents anywhere on this window."
STEPS = (
    ("Read", "Add documents and state the rival hypotheses."),
    ("Quote", "Passages that bear on them are proposed with exact quotes; you accept or reject each one."),
    ("Rate", "Say how consistent every piece of evidence is with every hypothesis."),
    ("Test", "See what the ranking depends on, and whether the rules agree."),
    ("Report", "Hand over one file in which every sentence leads to its page."),
)


class RecentModel(ListRows):
    """The recent cases, newest first, each with the size of its file; None: it is not there any more."""

    rows: list[tuple[RecentCase, int | None]]

    def role_data(self, row: tuple[RecentCase, int | None], _at: int, role: int) -> Any:
        case, size = row
        if role == Qt.ItemDataRole.DisplayRole:
            return case.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = file_size(size) if size is not None else "not found"
            lock = "encrypted, " * case.is_encrypted
            return f"{case.title}, {lock}opened {spoken(case.opened_at)}, {state}, {case.path}"
        return None


class _RecentDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.px(56))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = theme.tokens()
        case, size = index.data(Qt.ItemDataRole.UserRole)
        painter.save()
        draw_ground(painter, option, is_framed=True)
        draw_line_below(painter, option.rect)
        top, low = two_lines(option.rect, 9)
        aside = spoken(case.opened_at)
        painter.setFont(theme.sans(theme.BODY))
        painter.setPen(QColor(t.muted))
        painter.drawText(top, RIGHT, aside)
        lock = theme.px(14) if case.is_encrypted else 0
        room = top.width() - painter.fontMetrics().horizontalAdvance(aside) - 16 - 2 * lock
        title = theme.sans(theme.BODY, bold=True)
        words = QFontMetrics(title).elidedText(case.title, Qt.TextElideMode.ElideRight, room)
        painter.setFont(title)
        painter.setPen(QColor(t.text if size is not None else t.muted))
        painter.drawText(top, LEFT, words)
        if lock:
            place = top.left() + QFontMetrics(title).horizontalAdvance(words) + lock // 2
            ratio = painter.device().devicePixelRatioF()
            painter.drawPixmap(place, top.center().y() - lock // 2, theme.pixmap("lock", lock, t.muted, ratio=ratio))
        small = theme.sans(theme.SMALL)
        painter.setFont(small)
        painter.setPen(QColor(t.muted))
        state = file_size(size) if size is not None else "File not found"
        painter.drawText(low, RIGHT, state)
        room = low.width() - painter.fontMetrics().horizontalAdvance(state) - 16
        painter.drawText(low, LEFT, QFontMetrics(small).elidedText(case.path, Qt.TextElideMode.ElideMiddle, room))
        painter.restore()


class StartScreen(Screen):
    """Recent cases and the ways to begin."""

    name = "Start"
    icon = "start"
    concerns = Changes()
    needs_case = False

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._waiting: list[Path] = []
        self._is_first = False  # there is no recent case
        self._folder = window_state.folder("cases")
        around = hbox(self, margins=(32, 0, 32, 0))
        around.addStretch(1)
        inside = QWidget()
        inside.setMaximumWidth(COLUMN)
        around.addWidget(inside, 20)
        around.addStretch(1)
        column = vbox(inside, margins=(0, 56, 0, 32), spacing=8)
        self._name = plain("Disconfirm", "title")
        column.addWidget(self._name)
        column.addWidget(
            plain(
                "Find what speaks against each explanation, quote it exactly, and let the explanation with the least "
                "against it lead. Everything stays on this computer.",
                "muted",
                wrap=True,
            )
        )
        column.addSpacing(16)
        buttons = hbox(spacing=8)
        self.new_button = QPushButton("New case")
        self.new_button.setProperty("kind", "primary")
        self.new_button.setAccessibleName("New case")
        self.new_button.clicked.connect(lambda: self.begin_new_case())
        self.open_button = QPushButton("Open case")
        self.open_button.setAccessibleName("Open case")
        self.open_button.clicked.connect(self._ask_for_case)
        self.sample_button = QPushButton("Open sample case")
        self.sample_button.setAccessibleName("Open sample case")
        self.sample_button.clicked.connect(self._open_sample)
        for button in (self.new_button, self.open_button, self.sample_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        self.method_button = QPushButton("The method in ten minutes")
        self.method_button.setProperty("kind", "quiet")
        self.method_button.setToolTip("The handbook, which F1 opens on every screen")
        self.method_button.clicked.connect(self._show_method)
        buttons.addWidget(self.method_button)
        column.addLayout(buttons)
        self.opening = plain("", "muted", wrap=True)
        self.opening_bar = QProgressBar()
        self.opening_bar.setRange(0, 0)
        self.opening_bar.setTextVisible(False)
        self.opening_bar.setAccessibleName("A case is being opened")
        for part in (self.opening, self.opening_bar):
            part.hide()
            column.addWidget(part)
        column.addWidget(self._form())
        column.addSpacing(24)
        self._recent_head = plain("RECENT CASES", "section")
        column.addWidget(self._recent_head)
        self._recent_line = line()
        column.addWidget(self._recent_line)
        self.model = RecentModel(self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(_RecentDelegate(self.view))
        self.view.setMouseTracking(True)
        self.view.setAccessibleName("Recent cases")
        self.view.activated.connect(self._open_recent)
        self.view.clicked.connect(self._open_recent)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        column.addWidget(self.view, 1)
        self._nothing = plain("", "muted", wrap=True)
        column.addWidget(self._nothing)
        self._steps = self._how_it_works()
        column.addWidget(self._steps)
        self._rest = QWidget()
        column.addWidget(self._rest, 1)
        self.setFocusProxy(self.new_button)
        self.forget_action = self.command("Remove from recent cases", "Del", self._forget)
        self.forget_action.setEnabled(False)
        session.opened.connect(self.refresh)
        session.opening.connect(lambda path: self.tell_opening(path.stem if path is not None else ""))
        for over in (session.opened, session.failed, session.passphrase_asked):
            over.connect(lambda *_: self.tell_opening(""))

    def tell_opening(self, name: str) -> None:
        """Show that a case of this name is being opened; '' for no more."""
        self.opening.setText(f"Opening {name} …")
        self.opening.setVisible(bool(name))
        self.opening_bar.setVisible(bool(name))
        self._show_nothing()

    def _form(self) -> QFrame:
        """Make the form of a new case, asked for in place: a title, and where it will be kept."""
        self.form = QFrame()
        rows = vbox(self.form, margins=(0, 20, 0, 0), spacing=8)
        rows.addWidget(line())
        rows.addSpacing(8)
        self._files_label = plain("", "muted")
        rows.addWidget(self._files_label)
        self.title_field = QLineEdit()
        self.title_field.setPlaceholderText("The question this case is about")
        self.title_field.setAccessibleName("Title of the new case")
        self.title_field.setMaxLength(200)
        self.title_field.textChanged.connect(self._show_path)
        self.title_field.returnPressed.connect(self._create)
        rows.addWidget(self.title_field)
        self.encrypt_box = QCheckBox("Encrypt it with a passphrase")
        self.encrypt_box.setAccessibleName(self.encrypt_box.text())
        self.encrypt_box.setToolTip("The case and its backups can then be read only with the passphrase.")
        self.encrypt_box.toggled.connect(self._show_passphrase)
        rows.addWidget(self.encrypt_box)
        self.passphrase = NewPassphrase()
        self.passphrase.changed.connect(self._show_path)
        self.passphrase.entered.connect(self._create)
        self.passphrase.hide()
        rows.addWidget(self.passphrase)
        where = hbox(spacing=8)
        self._path = ElidedLabel("", "muted", mode=Qt.TextElideMode.ElideMiddle)
        where.addWidget(self._path, 1)
        change = QPushButton("Change folder…")
        change.setProperty("kind", "quiet")
        change.setAccessibleName("Save the case in another folder")
        change.clicked.connect(self._change_folder)
        where.addWidget(change)
        cancel = QPushButton("Cancel")
        cancel.setAccessibleName("Cancel the new case")
        cancel.clicked.connect(self._cancel)
        where.addWidget(cancel)
        self.create_button = QPushButton("Create")
        self.create_button.setProperty("kind", "primary")
        self.create_button.setAccessibleName("Create the case")
        self.create_button.clicked.connect(self._create)
        where.addWidget(self.create_button)
        rows.addLayout(where)
        rows.addSpacing(8)
        rows.addWidget(line())
        self.form.hide()
        return self.form

    def _how_it_works(self) -> QWidget:
        """Show the way through a case, for somebody who has none yet."""
        steps = QWidget()
        grid = QGridLayout(steps)
        grid.setContentsMargins(0, 24, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        grid.setColumnStretch(1, 1)
        for row, (head, text) in enumerate(STEPS):
            number = plain(str(row + 1), "heading")
            number.setProperty("tone", "supports")
            grid.addWidget(number, row, 0, Qt.AlignmentFlag.AlignTop)
            both = vbox(spacing=2)
            both.addWidget(plain(head, "strong"))
            both.addWidget(plain(text, "muted", wrap=True))
            grid.addLayout(both, row, 1)
        return steps

    def refresh(self) -> None:
        """Read the recent cases again."""
        self.model.show([(case, case.size) for case in recent_cases()])
        self.forget_action.setEnabled(bool(self.model.rows))
        has_cases = bool(self.model.rows)
        self.view.setVisible(has_cases)
        self._recent_head.setVisible(has_cases)
        self._recent_line.setVisible(has_cases)
        bench = self.session.workbench
        self._nothing.setText(
            NO_CASE
            if bench is None
            else f"“{bench.case.title() or bench.path.stem}” is open. It is not in the list of recent cases."
        )
        self._show_nothing()
        self._rest.setVisible(not has_cases)
        self._is_first = not has_cases and bench is None
        self._show_steps()

    def _show_nothing(self) -> None:
        """Show that there are no recent cases, unless one is just being opened."""
        self._nothing.setVisible(not self.model.rows and self.opening.isHidden())

    def _show_steps(self) -> None:
        """Show the way through a case where there is room for it, which the form of a new case needs."""
        self._steps.setVisible(self._is_first and self.form.isHidden())

    def begin_new_case(self, paths: list[Path] | None = None) -> None:
        """Ask for a title in place; ``dropped`` files are added once the case is there."""
        self._waiting = paths or []
        folders = sum(path.is_dir() for path in self._waiting)
        files = len(self._waiting) - folders
        counts = [counted(number, noun) for number, noun in ((files, "file"), (folders, "folder")) if number]
        self._files_label.setText(f"{' and '.join(counts)} will be added to it." if counts else "")
        self._files_label.setVisible(bool(self._waiting))
        self._folder = window_state.folder("cases")
        self.form.show()
        self._show_steps()
        self._show_path()
        self.title_field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def path(self) -> Path:
        """Return where the new case will be kept: named after its title, never over another file."""
        # Characters that no file system of the three takes; a leading dot would hide the file.
        title = re.sub(r'[\x00-\x1f<>:"/\\|?*]+', " ", self.title_field.text())
        stem = " ".join(title.split()).strip(" .")[:80].strip() or "case"
        path = self._folder / f"{stem}{files.SUFFIX}"
        number = 2
        while path.exists():
            path = self._folder / f"{stem} {number}{files.SUFFIX}"
            number += 1
        return path

    def _show_path(self) -> None:
        is_typed = not self.encrypt_box.isChecked() or not self.passphrase.problem()
        self.create_button.setEnabled(bool(self.title_field.text().strip()) and is_typed)
        self._path.setText(f"Will be saved in {self.path()}")

    def _change_folder(self) -> None:
        folder = files.ask_folder(self, "Where to save the case", self._folder)
        if folder is not None:
            self._folder = folder
            window_state.keep_folder("cases", folder)
            self._show_path()
            self.title_field.setFocus(Qt.FocusReason.OtherFocusReason)  # Enter creates the case, not asks again

    def _show_passphrase(self, is_on: bool) -> None:
        self.passphrase.forget()
        self.passphrase.setVisible(is_on)
        if self.form.isVisible():  # else the keys would wait in a field that nobody sees
            (self.passphrase.first if is_on else self.title_field).setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_path()

    def _cancel(self) -> None:
        self._waiting = []
        self.encrypt_box.setChecked(False)
        self.form.hide()
        self._show_steps()
        self.new_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Put the form of a new case away with Escape; its title stays for another time."""
        if event.key() == Qt.Key.Key_Escape and self.form.isVisible():
            self._cancel()
            return
        super().keyPressEvent(event)

    def _create(self) -> None:
        title = self.title_field.text().strip()
        if not title or not self.create_button.isEnabled():
            return
        passphrase = self.passphrase.passphrase() if self.encrypt_box.isChecked() else None
        waiting, self._waiting = self._waiting, []
        if not self.session.create(self.path(), title=title, passphrase=passphrase):
            self._waiting = waiting
            return
        self.form.hide()
        self.encrypt_box.setChecked(False)
        self.title_field.clear()
        if waiting:
            self.session.dropped.emit(waiting, ())

    def _open_recent(self, index: QModelIndex) -> None:
        if not 0 <= index.row() < len(self.model.rows):
            return
        path = Path(self.model.rows[index.row()][0].path)
        bench = self.session.workbench
        if bench is not None and bench.path.resolve() == path.resolve():
            self.go.emit("Documents")
            return
        self.session.open(path)

    def _forget(self) -> None:
        if self.view.hasFocus():
            self._forget_selected()

    def _forget_selected(self) -> None:
        row = self.view.currentIndex().row()
        if 0 <= row < len(self.model.rows):
            forget(self.model.rows[row][0].path)
            self.refresh()

    def selected_case(self) -> Path | None:
        """Return the recent case that is selected, whether it is there or not."""
        row = self.view.currentIndex().row()
        return Path(self.model.rows[row][0].path) if 0 <= row < len(self.model.rows) else None

    def _show_menu(self, point: QPoint) -> None:
        """Show what can be done with a recent case, also with one that does not open."""
        index = self.view.indexAt(point) if self.view.indexAt(point).isValid() else self.view.currentIndex()
        if not index.isValid():
            return
        self.view.setCurrentIndex(index)
        menu = QMenu(self.view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open").triggered.connect(lambda: self._open_recent(self.view.currentIndex()))
        menu.addAction("Restore from a backup...").triggered.connect(self._restore)
        menu.addAction("Remove from list").triggered.connect(self._forget_selected)
        menu.popup(self.view.viewport().mapToGlobal(point))

    def _ask_for_case(self) -> None:
        if self.navigator is not None:
            self.navigator.open_case()

    def _open_sample(self) -> None:
        if self.navigator is not None:
            self.navigator.open_sample()

    def _show_method(self) -> None:
        if self.navigator is not None:
            self.navigator.show_handbook("method")

    def _restore(self) -> None:
        """Show the backups of the selected case."""
        if self.navigator is not None:
            self.navigator.restore_backup()
