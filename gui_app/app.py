"""Puts the program together: settings, engines, look, session, window; and what happens when a part of it is wrong."""

from __future__ import annotations

import logging
import logging.handlers
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from core import __version__, errors, paths, settings
from core.errors import AppError
from core.ports import Engines
from core.runtime import launch
from gui_app.session import CaseSession
from gui_app.shared import theme as look
from gui_app.shell.navigation import WARM_UP_MS
from gui_app.shell.window import MainWindow

if TYPE_CHECKING:
    from core.store import CaseKey

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Running:
    """The parts of a running program, in the order they must be kept alive."""

    app: QApplication
    session: CaseSession
    window: MainWindow


def start(
    argv: list[str],
    case: Path | None = None,
    *,
    engines: Engines | None = None,
    sample: bool = False,
    folder: Path | None = None,
    key: CaseKey | None = None,
) -> Running:
    """Build everything and show the window.

    Engines are made but not started: their first use starts them. ``sample``: open the sample case, of ``folder`` if
    that is given, and build it where it is not there. ``key``: of the case; without it an encrypted one is asked for.
    """
    self_test()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        with _saying_why_not():
            app = QApplication([sys.argv[0], *argv])
    app.setApplicationName("Disconfirm")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("disconfirm")
    current = settings.load()
    theme = current.theme if current.theme in look.THEMES else "system"
    look.apply(app, theme, text_size=current.text_size, density=current.density)
    app.setWindowIcon(QIcon(look.pixmap("matrix", 64, look.tokens().accent)))
    session = CaseSession(engines or launch.build_engines(current), who=current.who)
    window = MainWindow(session)
    window.show()
    if paths.PACKAGED and (note := paths.portable_note(Path(sys.executable))):
        session.tell(note)
    # After the first painting: the window is there at once, whatever the case is like, and answers while it is loaded.
    if case is not None:
        window.navigation.tell_opening(case.stem)
        QTimer.singleShot(0, window, lambda: session.warm_up(lambda: session.open(case, key)))
    elif sample:
        QTimer.singleShot(0, window, lambda: session.warm_up(lambda: window.commands.build_sample(folder)))
    else:
        QTimer.singleShot(WARM_UP_MS, window, lambda: session.warm_up(window.navigation.warm_up))
    return Running(app, session, window)


@contextmanager
def _saying_why_not() -> Iterator[None]:
    """Print why Qt finds no way to show a window, which ends the process by a fatal message, and end with code 3."""
    messages: list[str] = []

    def heard(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        messages.append(text)
        if previous is not None:
            previous(kind, context, text)
        if kind == QtMsgType.QtFatalMsg:
            from gui_app import display  # needed here alone

            platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0].partition(";")[0]
            plugin_folder = os.environ.get("QT_QPA_PLATFORM_PLUGIN_PATH")
            folders = [Path(plugin_folder)] if plugin_folder else []
            folders += [Path(folder, "platforms") for folder in QCoreApplication.libraryPaths()]
            print(display.why_not(platform, folders, messages[:-1]), file=sys.stderr, flush=True)
            os._exit(3)  # before Qt aborts; nothing is open yet

    previous = qInstallMessageHandler(heard)
    try:
        yield
    finally:
        qInstallMessageHandler(previous)


def self_test() -> None:
    """Refuse to run on a PySide6 that loses references to None (6.12.0 on CPython 3.10 and 3.11).

    There a void call gives one reference too many back, and the process aborts after some thousand calls: on those
    versions 1,000 calls cost 1,000 references. From CPython 3.12 on, None is immortal and the test passes by itself.
    """
    probe = QObject()
    references = sys.getrefcount(None)
    for _ in range(1000):
        probe.setObjectName("probe")
    if references - sys.getrefcount(None) > 500:
        raise SystemExit(
            "This version of PySide6 is faulty on this Python: it would crash after a few minutes.\n"
            + errors.remedy("Install the locked versions with: python3 packaging/bootstrap.py run")
        )


def install_excepthook() -> None:
    """Have a bug show a report that can be copied, while the window stays.

    The log gets the same, without any message. An error that a person can put right is no bug, wherever it comes from:
    what an open case holds may turn out to be damaged in any part of the window.
    """
    on_show: list[QObject] = []

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        if isinstance(error, AppError) and (window := _main_window()) is not None:
            # Once, though it comes with every frame where something is to be painted.
            notice = window.notice.error if window.notice.isVisible() else None
            if notice is None or notice.sentence != error.sentence:
                window.session.report(error)
            return
        from gui_app.shell.bug_report import BugDialog, bug_report

        report = bug_report(kind, trace)
        log.error("bug\n%s", report)
        if sys.stderr is not None:
            sys.__excepthook__(kind, error, trace)
        app = QApplication.instance()
        if not isinstance(app, QApplication) or app.property("bug_on_show"):
            return
        # One report at a time: a fault in a paint event would open one for every frame.
        app.setProperty("bug_on_show", True)
        dialog = BugDialog(report, app.activeWindow())
        on_show.append(dialog)  # a dialog without a parent lives only as long as somebody holds it

        def closed(_result: int) -> None:
            app.setProperty("bug_on_show", False)
            on_show.clear()

        dialog.finished.connect(closed)
        dialog.open()

    sys.excepthook = hook


def _main_window() -> MainWindow | None:
    return next((widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)), None)


def close_on_signal(window: MainWindow) -> None:
    """Ctrl+C in the terminal and a polite kill close the window, so that case and engines end cleanly.

    Qt's loop is not Python code, so a handler alone would wait for the next event: the signal also writes a byte.
    """
    if not hasattr(os, "pipe2"):
        return  # not on Linux: the terminal ends the process, and the engines with it
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    notifier = QSocketNotifier(reading, QSocketNotifier.Type.Read, window)

    def arrived() -> None:
        notifier.setEnabled(False)
        window.leaving.close()

    notifier.activated.connect(arrived)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: None)


def install_log() -> None:
    """Keep a rotating log in the person's folder: ids and places in the code, never words of a document."""
    try:
        paths.user_data().mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            paths.user_data() / "disconfirm.log", maxBytes=500_000, backupCount=2, encoding="utf-8", delay=True
        )
    except OSError:
        return  # a full or read-only disk must not stop the program
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
    qInstallMessageHandler(_qt_message)


def _qt_message(kind: QtMsgType, _context: object, text: str) -> None:
    level = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
    }.get(kind, logging.ERROR)
    logging.getLogger("qt").log(level, "%s", text)
