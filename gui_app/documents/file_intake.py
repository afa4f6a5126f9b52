"""Files before they are added and after they failed: looked at, offered from a watched folder, read once more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.domain import Changes, Document
from gui_app import window_state
from gui_app.documents.folder_watch import FolderWatch
from gui_app.documents.import_preview import ImportSheet, worth_saying
from gui_app.session import REST_OF_IMPORT, CaseSession
from gui_app.shared import file_dialogs as files
from gui_app.shared.formatting import counted

if TYPE_CHECKING:
    from core.documents.folder_scan import Preview
    from core.documents.importing import ImportReport
    from core.documents.service import Discard
    from core.progress import Progress
    from core.workbench import Workbench


class FileIntake(QObject):
    """The ways in for files: a look before they are added, watched folders, and a second reading.

    ``asks(Preview, roots)`` when there is something to say before files are added, with the folders that they were
    found in; ``ended(bool)`` when files were read once more, with whether any is left that could not be.
    """

    asks = Signal(object, object)
    ended = Signal(bool)

    def __init__(self, session: CaseSession, sheet: ImportSheet, screen: QWidget) -> None:
        super().__init__(screen)
        self._session, self._sheet, self._screen = session, sheet, screen
        self.second_report: ImportReport | None = None  # what became of files that failed before, or were left
        self.watch = FolderWatch(session, self)
        self.watch.new_files.connect(self._offer)

    def consider(self, paths: Sequence[Path]) -> None:
        """Look at files before they are added; ask only where there is something to say."""

        def look(bench: Workbench, progress: Progress) -> tuple[Preview, list[Path]]:
            return bench.documents.preview(paths, progress), [path for path in paths if path.is_dir()]

        def done(result: tuple[Preview, list[Path]]) -> None:
            preview, roots = result
            if worth_saying(preview):
                self.asks.emit(preview, roots)
            else:
                self._session.dropped.emit(list(paths), roots)

        title = "Looking at {}".format(counted(len(paths), "file") if len(paths) > 1 else paths[0].name)
        self._session.run(title, look, done=done)

    def watch_folder(self) -> None:
        """Ask for a folder and watch it."""
        folder = files.ask_folder(self._screen, "Watch a folder for new files", window_state.folder("documents"))
        if folder is not None:
            self.watch.add(folder)
            self._session.tell(f"{folder.name} is watched: new files there are offered here")

    def _offer(self, folder: Path, paths: list[Path]) -> None:
        """Offer new files of a watched folder, in one line above the table."""
        if not self._sheet.waits():
            self._sheet.offer(folder, paths, self._add, lambda: self.watch.decline(paths))

    def _add(self, paths: list[Path], roots: Sequence[Path]) -> None:
        self.watch.decline(paths)  # they are added as they are now; a later change is offered again
        self._session.dropped.emit(paths, roots)

    def resume(self) -> None:
        """Go on with the imports that were stopped."""

        def done(report: ImportReport) -> None:
            self.second_report = report
            self._session.imported.emit(report)

        self._session.run(
            "Reading the rest of the import",
            lambda bench, progress: bench.documents.resume(progress, embed=False),
            done=done,
            partial=Changes(documents=True),
            rest=REST_OF_IMPORT,
        )

    def discard_pending(self) -> None:
        """Read no more of the imports that were stopped; the log keeps that, and no undo brings it back."""
        discard: Discard | None = self._session.do(lambda bench: bench.documents.discard_pending())
        if discard is not None:
            self._session.tell("{} will not be read".format(counted(discard.files, "file")))

    def unlock(self, documents: Sequence[Document]) -> None:
        """Ask for the password of files and read them with it."""
        if not documents:
            return
        password = files.ask_password(self._screen, [document.name for document in documents])
        if password:
            self.read_again([document.id for document in documents], password)

    def store_password(self, documents: Sequence[Document]) -> None:
        """Ask for the password that documents were read with and that the case has forgotten, and store it again."""
        if not documents:
            return
        ids = [document.id for document in documents]
        password = files.ask_password(self._screen, [document.name for document in documents])

        def done(right: list[str]) -> None:
            wrong = len(ids) - len(right)
            stored = f"{counted(len(right), 'password')} stored"
            message = f"Wrong password for {counted(wrong, 'file')}"
            self._session.tell(f"{stored}; {message.lower()}" if wrong and right else message if wrong else stored)

        if password:
            self._session.run(
                "Trying the password",
                lambda bench, progress: bench.documents.store_password(ids, password, progress),
                done=done,
                partial=Changes(documents=True),
            )

    def read_again(self, ids: list[str], password: str = "") -> None:
        """Read files once more from the copies in the case."""

        def read(bench: Workbench, progress: Progress) -> ImportReport:
            return bench.documents.unlock(ids, password, progress) if password else bench.documents.retry(ids, progress)

        def done(report: ImportReport) -> None:
            self.second_report = report
            self._session.imported.emit(report)
            left = sum(item.status == "failed" for item in report.documents)
            message = "{} read".format(counted(len(report.documents) - left, "file"))
            if left and password:
                wrong = f"wrong password for {counted(left, 'file')}"
                message = f"{message}; {wrong}" if left < len(report.documents) else f"{wrong[:1].upper()}{wrong[1:]}"
            elif left:
                message += f", {left:,} still not"
            self._session.tell(message)
            self.ended.emit(bool(left))

        title = "Reading {} again".format(counted(len(ids), "file"))
        self._session.run(title, read, done=done, partial=Changes(documents=True))
