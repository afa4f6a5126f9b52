"""The frame: bar, rail, panels and screens; what it says of the session, its size, its keys, files dropped on it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMargins, QObject, QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from core import paths
from core.domain import Changes
from core.errors import (
    AppError,
    CannotRunHere,
    CaseCorrupt,
    CaseUnfinished,
    CaseUnreadable,
    IndexDamaged,
    ModelMissing,
    ModelUnreadable,
    SeveralMatrices,
)
from gui_app import case_check, focus, window_state
from gui_app.session import CaseSession
from gui_app.shared.file_dialogs import SUFFIX
from gui_app.shared.formatting import spoken_time
from gui_app.shared.labels import line
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.screen import Screen
from gui_app.shell.command_palette import CommandPalette
from gui_app.shell.commands import Commands
from gui_app.shell.error_banner import Notice
from gui_app.shell.intake import Intake
from gui_app.shell.job_list import JobList, Jobs
from gui_app.shell.leaving import Leaving
from gui_app.shell.matrix_import_banner import MatrixReport
from gui_app.shell.messages import MessageList, Messages
from gui_app.shell.name_bar import NameBar
from gui_app.shell.navigation import Navigation, Rail
from gui_app.shell.panels import Panels
from gui_app.shell.task_strip import NOT_SAVED, TaskStrip
from gui_app.shell.toast import Toast
from gui_app.shell.top_bar import TopBar

if TYPE_CHECKING:
    from core.store import Restored
    from core.workbench import Workbench

_TEXT_FIELDS = (QLineEdit, QPlainTextEdit, QTextEdit)
FRAMED_MS = 300
USUAL, SMALLEST = QSize(1440, 900), QSize(820, 560)
FRAME = QMargins(8, 40, 8, 8)  # room for the frame, until the desktop has put one on


class MainWindow(QMainWindow):
    """One window, one case; for its screens it is their ``Navigator``."""

    def __init__(self, session: CaseSession) -> None:
        super().__init__()
        self.session = session
        self._toast_decision = 0  # the decision that the toast on show can take back
        self._closing = False
        self._key_target: QWidget | None = None
        self._text_field: QWidget | None = None  # the text field that has the keys, or had them last
        self.setWindowTitle("Disconfirm")
        self.setAcceptDrops(True)
        self.navigation = Navigation(session, self, self)
        self.panels = Panels(session, self.navigation, self)
        self.messages = Messages(session, self)
        self.jobs = Jobs(session, self)
        self.notice = Notice()
        self.matrix_report = MatrixReport()
        self.name_bar = NameBar(session)
        self.intake = Intake(session, self.navigation, self.notice, self.matrix_report)
        self.commands = Commands(session, self)
        self.leaving = Leaving(session, self)
        self._build()
        self.navigation.leaving.connect(self._leave_screen)
        self.navigation.arrived.connect(self._arrive)
        self.navigation.history_changed.connect(self.commands.enable)
        session.cleared.connect(self._case_opened)
        session.changed.connect(self._case_changed)
        session.failed.connect(self.show_error)
        session.mended.connect(self._mended)
        session.told.connect(self._tell)
        session.taken_back.connect(lambda text: self._tell(text, False))
        self.toast.undo.connect(self._undo_toast)
        session.dropped.connect(self.intake.add_paths)
        session.restored.connect(self._restored)
        session.passphrase_asked.connect(self.commands.ask_passphrase)
        session.opening.connect(self._prepare)
        session.updating.connect(self.commands.show_updating)
        session.told_at_length.connect(self.notice.say)
        session.correction.connect(self.notice.say_instead)
        self.resize(USUAL)
        geometry = window_state.geometry()
        if geometry is not None:
            self.restoreGeometry(geometry)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]
        self._fit_screen(FRAME)
        self._first_size = self.size()
        self._case_opened()

    def _build(self) -> None:
        central = QWidget()
        self.setCentralWidget(central)
        column = vbox(central, spacing=0)
        commands = self.commands
        for menu in commands.make_menus(self.menuBar()):
            self.menuBar().addMenu(menu)
        self.top_bar = TopBar(self.session, commands.back, commands.forward, commands.messages)
        self.top_bar.search_asked.connect(commands.open_palette)
        self.top_bar.chosen.connect(self.navigation.go)
        column.addWidget(self.top_bar)
        column.addWidget(line())
        middle = hbox(spacing=0)
        self.rail = Rail(commands.screens)
        self.rail.chosen.connect(self.navigation.go)
        middle.addWidget(self.rail)
        middle.addWidget(line(vertical=True))
        centre = QFrame()
        centre.setProperty("kind", "surface")
        inside = vbox(centre, spacing=0)
        inside.addWidget(self.notice)
        inside.addWidget(self.matrix_report)
        inside.addWidget(self.name_bar)
        inside.addWidget(self.navigation.stack, 1)
        self.panels.add_to(middle, centre)
        column.addLayout(middle, 1)
        column.addWidget(line())
        self.strip = TaskStrip(self.session)
        column.addWidget(self.strip)
        self.toast = Toast(central, self.strip.save_label)
        self.palette_popup = CommandPalette(central)
        self.message_list = MessageList(self.messages, self.session, central)
        self.job_list = JobList(self.jobs, central)
        self.strip.jobs_button.clicked.connect(self.job_list.corner.turn)
        self.messages.changed.connect(lambda: self.top_bar.count_messages(self.messages.unread))

    # --- what screens may ask of the window --------------------------------------------------------------------------

    def screen_named(self, name: str) -> Screen:
        """Return the screen of that name, made if need be."""
        return self.navigation.screen_named(name)

    def current(self) -> Screen | None:
        """Return the screen on show."""
        return self.navigation.current()

    def go(self, name: str, part: str | None = None) -> None:
        """Show a screen, or a part of it; where the person was stays reachable by Alt+Left."""
        self.navigation.go(name, part)

    def open_source(self, document: str, page: int, start: int, end: int) -> None:
        """Show a page with its quote (start == end: no quote)."""
        self.navigation.open_source(document, page, start, end)

    def search_for(self, text: str) -> None:
        """Search for what a person typed."""
        self.navigation.search_for(text)

    def search_words(self, text: str) -> None:
        """Search for words of a document, as they are there."""
        self.navigation.search_words(text)

    def begin_hypothesis(self, text: str) -> None:
        """Put words into the field of a new hypothesis."""
        self.navigation.begin_hypothesis(text)

    def consider(self, paths: list[Path]) -> None:
        """Look at files before they are added to the case."""
        self.navigation.consider(paths)

    def describe_documents(self) -> None:
        """Put the cursor into the fields that describe the documents on show in the details."""
        self.panels.describe_documents()

    def open_case(self) -> None:
        """Ask for a case and open it."""
        self.commands.open_case.trigger()

    def open_sample(self) -> None:
        """Open the sample case."""
        self.commands.open_sample.trigger()

    def restore_backup(self, case: Path | None = None) -> None:
        """Show the backups of a case; None: of the one that is meant."""
        self.commands.show_backups(case)

    def show_handbook(self, page: str) -> None:
        """Show a page of the handbook."""
        self.commands.show_handbook(page)

    # --- following the navigation ------------------------------------------------------------------------------------

    def _leave_screen(self) -> None:
        self.strip.say("")  # what was said of one screen is not true of another
        self.notice.leave()

    def _arrive(self, name: str) -> None:
        self.rail.mark(name)
        self.panels.arrange()

    # --- keys --------------------------------------------------------------------------------------------------------

    def _focus_moved(self, old: QWidget | None, now: QWidget | None) -> None:
        """Focus the screen on show where the focus was lost, and not whatever Qt finds next."""
        screen = self.current()
        if not self._closing and screen is not None and screen.isVisible() and focus.lost(old, now, self):
            focus.give(screen, screen.main_widget(), old)
        if isinstance(now, _TEXT_FIELDS) and now.window() is self and now is not self._text_field:
            if self._text_field is not None and isValid(self._text_field):
                self._text_field.removeEventFilter(self)
            self._text_field = now
            now.installEventFilter(self)

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Keep Ctrl+Z for what was typed in a text field; where that is nothing, the case's last decision is meant."""
        override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if override and event.matches(QKeySequence.StandardKey.Undo) and not _can_undo(target):  # type: ignore[attr-defined]
            event.ignore()
            return True
        return super().eventFilter(target, event)

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Go by Tab to each part in turn, as by Shift+Tab."""
        widget = focus.following(self) if next_ else None
        if widget is None:
            return super().focusNextPrevChild(next_)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def event(self, event: QEvent) -> bool:
        """Note what has the keys before a key comes."""
        if event.type() == QEvent.Type.ShortcutOverride:  # comes before the key itself
            self._key_target = self.focusWidget()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button that has the focus with Enter, as with Space: Qt does so in dialogs alone.

        Not one that got it by this very key: Enter in a field may open a screen whose first button asks for files.
        """
        button = self.focusWidget()
        here = button is self._key_target and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if here and isinstance(button, QPushButton | QToolButton) and button.isEnabled():
            button.click()
        elif event.key() == Qt.Key.Key_Escape and self._dismiss():
            return
        else:
            super().keyPressEvent(event)

    def _dismiss(self) -> bool:
        """Do what Escape is for where nothing else wanted it.

        That is: stop what a card in the middle shows, or put the bar above the screen away.
        """
        card = self.commands.visible_card()
        if card is not None:
            card.cancel.click()
            return True
        bar = next((bar for bar in (self.notice, self.matrix_report) if bar.isVisible()), None)
        if bar is not None:
            bar.hide()
        return bar is not None

    # --- following the case ------------------------------------------------------------------------------------------

    def _case_opened(self) -> None:
        bench = self.session.workbench
        has_case = bench is not None
        # What is being typed in the palette goes on there: the screen that a case begins on takes the keys.
        typed = self.palette_popup.field.text() if self.palette_popup.isVisible() else None
        self.notice.hide()
        self.matrix_report.hide()
        self.toast.hide()
        self._toast_decision = 0
        self.navigation.begin()
        for name, place in self.navigation.places.items():
            if place.needs_case:
                self.commands.screens[name].setEnabled(has_case)
                if name in self.rail.buttons:
                    self.rail.buttons[name].setEnabled(has_case)
        if not has_case:
            self.navigation.beside.hide()
        self._show_title()
        self.top_bar.show_model()
        self.navigation.go(self._first_screen(bench))
        self.commands.enable()
        if typed is not None:
            self.commands.open_palette(typed)

    def _first_screen(self, bench: Workbench | None) -> str:
        """Return the screen that a case begins on, with the others made soon after it."""
        if bench is None:
            return "Start"
        empty = self.session.do(lambda bench: bench.documents.all()) == []  # None: they cannot be read
        sample = bench.path in (sample_path(), self.commands.sample)
        self.panels.is_young = empty or not self.session.do(lambda bench: bench.hypotheses.all()) or sample
        self.navigation.warm_up()
        return "Documents" if empty else self._last_screen(bench.path)

    def _last_screen(self, case: Path) -> str:
        name = window_state.last_screen(case)
        return name if name in self.navigation.places else "Documents"

    def _prepare(self, case: Path | None) -> None:
        """Make the screen that a case will begin on, while the case is opened beside the window."""
        if case is not None:
            self.navigation.prepare(self._last_screen(case))

    def _case_changed(self, _changes: Changes, _initiator: object) -> None:
        bench = self.session.workbench
        if isinstance(self.notice.error, NOT_SAVED):  # no longer so, since something could be saved
            self.notice.hide()
        if self._toast_decision != self.session.undoable():
            self.toast.hide()
        self.notice.say_instead(case_check.SOUND, "", "")  # that was the case before
        if bench is not None and self.matrix_report.isVisible():
            self.matrix_report.follow(bench.case.undo_text(), bench.case.redo_text())
        self.commands.name_undo()
        self._show_title()

    def _show_title(self) -> None:
        bench = self.session.workbench
        title = bench.case.title() if bench is not None else ""
        self.top_bar.show_title()
        self.setWindowTitle(f"{title} - Disconfirm" if title else "Disconfirm")

    def _tell(self, text: str, undo: bool) -> None:
        """Show a toast, which goes with the next decision; its Undo takes back the last one there was, and no other."""
        self._toast_decision = self.session.undoable()
        if not self.message_list.corner.isVisible():  # which says it itself
            self.toast.tell(text, undo)

    def _undo_toast(self) -> None:
        if self._toast_decision == self.session.undoable():
            self.session.undo()

    def _restored(self, restoration: Restored) -> None:
        """Show which backup the case is now, and where the file is that was there before."""
        sentence = f"The case is as it was in the backup from {spoken_time(restoration.backup.at)}."
        hint = "Nothing was overwritten: there was no file in its place."
        if restoration.former is not None:
            hint = f"The previous file is kept as “{restoration.former.name}” in the same folder."
        bench = self.session.workbench
        if bench is not None and bench.case.key is not None:
            hint += " The case has the passphrase of that backup."
        self.notice.say(sentence, hint)

    def show_error(self, error: AppError) -> None:
        """Show an error above the screen, with the button that leads out of it where there is one."""
        if isinstance(error, SeveralMatrices):
            self.matrix_report.offer(error)
            return
        case = error.details.get("path")
        has_backup = error.details.get("backup", isinstance(error, CaseCorrupt))  # None: there is none that is good
        if isinstance(case, Path) and isinstance(error, CaseUnfinished) and error.details.get("way_on", True):
            anyway = partial(self.session.open, case, without_unsaved=True)
            self.notice.tell(error, "Open without them", anyway)
        elif isinstance(error, NOT_SAVED) and self.session.workbench is not None:
            self.notice.tell(error, "Save a copy elsewhere...", self.commands.save_copy.trigger)
        elif isinstance(case, Path) and self._is_damaged(case, error):
            self.notice.hide()
            self.navigation.recover_case(case, error)
        elif type(error) is CaseCorrupt and self.session.workbench is not None and case == self.session.workbench.path:
            leave = partial(self.session.backups.leave_damaged, error)
            self.notice.tell(error, "Close and recover...", leave)
        elif isinstance(case, Path) and has_backup:
            self.notice.tell(error, "Restore...", partial(self.commands.show_backups, case))
        elif isinstance(error, IndexDamaged) and not self.session.read_only:
            self.notice.tell(error, "Rebuild", self.session.rebuild_index)
        elif (
            isinstance(error, CannotRunHere | ModelMissing | ModelUnreadable)
            and self.navigation.current_name != "Models"
        ):
            self.notice.tell(error, "Models", lambda: self.go("Models"))
        else:
            self.notice.tell(error)

    def _is_damaged(self, case: Path, error: AppError) -> bool:
        """Return whether a case was to be opened and is damaged; what is no case at all is not."""
        if "backup" not in error.details or not isinstance(error, CaseCorrupt | CaseUnreadable):
            return False
        return case.is_file() and (isinstance(error, CaseCorrupt) or case.suffix == SUFFIX)

    def _mended(self, error: AppError) -> None:
        if self.notice.error is error:
            self.notice.hide()

    # --- size --------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold what there is no room for."""
        super().resizeEvent(event)
        self.panels.arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Arrange the panels, and fit the window to the screen once it has its frame."""
        super().showEvent(event)
        self.panels.arrange()
        # The frame comes from the desktop, some time after the window is there.
        QTimer.singleShot(FRAMED_MS, self, self._fit_frame)

    def _fit_frame(self) -> None:
        if self.size() != self._first_size:
            return  # somebody chose another
        inside, outside = self.geometry(), self.frameGeometry()
        self._fit_screen(
            QMargins(
                inside.left() - outside.left(),
                inside.top() - outside.top(),
                outside.right() - inside.right(),
                outside.bottom() - inside.bottom(),
            )
        )

    def _fit_screen(self, frame: QMargins) -> None:
        """Keep the window, with its frame, on the screen that it is on; on the first one when its own is gone."""
        if self._closing or self.windowState() & (Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen):
            return
        screen = QApplication.screenAt(self.geometry().center()) or QApplication.primaryScreen()
        available = screen.availableGeometry()
        self.setMinimumSize(SMALLEST.boundedTo(available.marginsRemoved(frame).size()))
        geometry = window_state.fitted(self.geometry(), frame, available)
        if geometry != self.geometry():
            self.setGeometry(geometry)

    def changeEvent(self, event: QEvent) -> None:
        """Arrange the panels again for another size of text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.panels.arrange()

    # --- files dropped on the window ---------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files, and say what a drop would do."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self.session.status.emit(self.intake.drop_message(event.mimeData()))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Clear what was shown about a drop."""
        super().dragLeaveEvent(event)
        self.session.status.emit("")

    def dropEvent(self, event: QDropEvent) -> None:
        """Take what was dropped, once the drop is over."""
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.session.status.emit("")
        # After the drop is over: opening a case may show an error, and the sender waits until then.
        QTimer.singleShot(0, self, lambda: self.intake.take(files))

    # --- the end -----------------------------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the window's state, then end jobs, case and engines; meanwhile nobody waits for a window.

        Where jobs are under way that somebody asked for, ask first.
        """
        if not self._closing and not self.leaving.may_close():
            event.ignore()
            return
        if not self._closing:
            self._closing = True
            window_state.keep_geometry(self.saveGeometry())
            self.panels.keep_sizes()
            self.hide()
            self.commands.close_handbook()
            self.jobs.stop()
            self.session.shutdown()
        super().closeEvent(event)


def sample_path() -> Path:
    """Return where the sample case is, if it was ever opened."""
    return paths.user_data() / "sample" / "sample.disconfirm"


def _can_undo(field: QObject) -> bool:
    """Return whether something typed in a text field can be taken back."""
    if isinstance(field, QLineEdit):
        return field.isUndoAvailable()
    return isinstance(field, QPlainTextEdit | QTextEdit) and field.document().isUndoAvailable()
