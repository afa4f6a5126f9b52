"""What comes into the case from outside: files, folders, a matrix made elsewhere, and what is dropped on the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData

from core.domain import Changes
from gui_app.session import REST_OF_IMPORT, CaseSession
from gui_app.shared import file_dialogs
from gui_app.shared.formatting import counted
from gui_app.shell.error_banner import Notice
from gui_app.shell.matrix_import_banner import MatrixReport

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.matrix.service import MatrixImport
    from gui_app.shell.navigation import Navigation


class Intake:
    """Takes files into the case and goes to where they can be seen."""

    def __init__(
        self, session: CaseSession, navigation: Navigation, notice: Notice, matrix_report: MatrixReport
    ) -> None:
        self._session = session
        self._navigation = navigation
        self._notice = notice
        self._matrix_report = matrix_report
        matrix_report.chosen.connect(lambda path, name: self.import_matrix(path, choose=name))
        matrix_report.undo.connect(session.undo)

    def add_paths(self, paths: Sequence[Path], roots: Sequence[Path] = ()) -> None:
        """Read files and folders into the case, and show what became of each.

        What is to be read is stored at once, also where the reading has to wait for other jobs. ``roots`` are folders
        that the files were found in.
        """
        if not paths or self._session.workbench is None:
            return
        title = f"Reading {paths[0].name}" if len(paths) == 1 else f"Reading {counted(len(paths), 'file')}"
        self._navigation.go("Documents")
        self._session.read(
            lambda bench: bench.documents.ask(paths, roots=roots), lambda run: self._read_asked(title, run)
        )

    def _read_asked(self, title: str, run: int) -> None:
        """Read the files of an import that was asked for."""
        self._session.run(
            title,
            lambda bench, progress: bench.documents.read_asked(run, progress, embed=False),
            done=self._show_import,
            initiator=self,
            partial=Changes(documents=True),
            rest=REST_OF_IMPORT,
        )

    def _show_import(self, report: ImportReport) -> None:
        self._session.imported.emit(report)

    def import_matrix(self, path: Path, *, choose: str = "") -> None:
        """Bring in a matrix made elsewhere, and say above the screen what came in and what did not."""
        if self._session.workbench is None or self._session.read_only:
            return
        self._notice.hide()
        self._matrix_report.begin(path)
        self._session.run(
            f"Bringing in {path.name}",
            lambda bench, progress: bench.matrix.import_file(path, progress, choose=choose),
            done=self._show_matrix,
            initiator=self,
        )

    def _show_matrix(self, matrix: MatrixImport) -> None:
        self._navigation.go("Matrix")
        self._matrix_report.tell(matrix)

    # --- files dropped on the window ---------------------------------------------------------------------------------

    def drop_message(self, data: QMimeData) -> str:
        """Return what a drop would do."""
        paths = [Path(url.toLocalFile()) for url in data.urls()]
        if len(paths) == 1 and self.is_matrix(paths[0]):
            return "Drop to bring in this matrix."
        has_case = self._session.workbench is not None
        return "Drop to add to this case." if has_case else "Drop to begin a case with this."

    def take(self, paths: list[Path]) -> None:
        """Open a dropped case, bring in a matrix, or add documents, to a new case if none is open."""
        cases = [path for path in paths if path.suffix == file_dialogs.SUFFIX and path.is_file()]
        if cases:
            self._session.open(cases[0])
        elif len(paths) == 1 and self.is_matrix(paths[0]):
            self.import_matrix(paths[0])
        elif self._session.workbench is not None:
            self._navigation.consider(paths)
        elif paths:
            self._navigation.begin_case(paths)

    def is_matrix(self, path: Path) -> bool:
        """Return whether a dropped file is meant as a matrix: what nothing else is, or a table that falls on one."""
        if self._session.workbench is None or self._session.read_only:
            return False
        on_matrix = self._navigation.current_name == "Matrix" and path.suffix.lower() in file_dialogs.MATRICES
        return on_matrix or path.suffix.lower() == ".achz"
