"""Folders that are watched for one case: what is new or changed in them is offered, and never added by itself.

Off until a person names a folder; the folders are settings of this computer, not of the case.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from gui_app import window_state
from gui_app.session import CaseSession

LOOK_MS = 30_000  # how often folders are looked through: a watcher tells nothing of folders inside
_SETTLE_MS = 1_500  # after a folder said that something came


class FolderWatch(QObject):
    """The watched folders of a case.

    ``new_files(folder, paths)`` when there are files in one that were not offered yet.
    """

    new_files = Signal(object, object)

    def __init__(self, session: CaseSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._stamps: dict[Path, tuple[int, int]] = {}  # offered, with size and time: offered again when it changes
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SETTLE_MS)
        self._soon.timeout.connect(self.look)
        self._watcher.directoryChanged.connect(lambda _path: self._soon.start())
        session.opened.connect(self._opened)
        self._opened()

    def folders(self) -> list[Path]:
        """List the folders watched for the case that is open."""
        bench = self._session.workbench
        return [] if bench is None else window_state.watched(bench.path)

    def add(self, folder: Path) -> None:
        """Watch a folder from now on, and look through it at once."""
        bench = self._session.workbench
        if bench is not None:
            window_state.keep_watched(bench.path, list(dict.fromkeys([*self.folders(), folder])))
            self._begin()
            self.look()

    def stop(self) -> None:
        """Watch no folder of this case any more."""
        bench = self._session.workbench
        if bench is not None:
            window_state.keep_watched(bench.path, [])
            self._begin()

    def decline(self, paths: list[Path]) -> None:
        """Do not offer these files again as they are now."""
        for path in paths:
            self._stamps[path] = _stamp(path)

    def look(self) -> None:
        """Look through the folders beside the work."""
        if self._session.workbench is None or self._session.read_only:
            return
        for folder in self.folders():
            self._session.read(
                lambda bench, folder=folder: bench.documents.new_in(folder),  # type: ignore[misc]
                lambda paths, folder=folder: self._came(folder, paths),  # type: ignore[misc]
                key=("watch", str(folder)),
                failed=lambda _error: None,
            )

    def _came(self, folder: Path, paths: list[Path]) -> None:
        fresh = [path for path in paths if self._stamps.get(path) != _stamp(path)]
        if fresh:
            self.new_files.emit(folder, fresh)

    def _opened(self) -> None:
        self._stamps.clear()
        self._begin()
        if self.folders():
            self._soon.start()

    def _begin(self) -> None:
        if directories := self._watcher.directories():
            self._watcher.removePaths(directories)
        folders = [str(folder) for folder in self.folders() if folder.is_dir()]
        if folders:
            self._watcher.addPaths(folders)
            self._timer.start()
        else:
            self._timer.stop()
            self._soon.stop()


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns
