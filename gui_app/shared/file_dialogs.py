"""The only places where the window asks for a path or a name: one function each, so that a test can answer for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QFileInfo
from PySide6.QtGui import QAbstractFileIconProvider, QIcon
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QLineEdit, QMessageBox, QStyle, QWidget

from core import formats

SUFFIX = ".disconfirm"
_CASES = f"Disconfirm cases (*{SUFFIX});;All files (*)"
# What is often among a case's files and cannot be read: shown, so that it is told what to do about it.
REFUSED = (
    *(".ppt", ".pps", ".pages", ".numbers", ".key", ".wpd", ".wps", ".mdb", ".accdb", ".rar"),
    *(".mp3", ".wav", ".m4a", ".ogg", ".flac", ".mp4", ".mov", ".avi", ".mkv", ".webm", ".heic", ".webp"),
)
# Cameras and scanners like to write endings in capitals, and not every system's dialog reads those as the same.
_DOCUMENTS = f"Documents ({' '.join(f'*{end} *{end.upper()}' for end in (*formats.ENDINGS, *REFUSED))});;All files (*)"
MATRICES = (".achz", ".xlsx", ".csv", ".tsv", ".json")
_MATRICES = f"Matrices ({' '.join('*' + suffix for suffix in MATRICES)});;All files (*)"


class _PlainIcons(QAbstractFileIconProvider):
    """One picture for files and one for folders.

    Qt's own open each file of a folder to guess its kind, and the case that is open must not be opened by anybody.
    """

    def __init__(self) -> None:
        super().__init__()
        style = QApplication.style()
        self._file = style.standardIcon(QStyle.StandardPixmap.SP_FileIcon)
        self._folder = style.standardIcon(QStyle.StandardPixmap.SP_DirIcon)

    def icon(self, of: QFileInfo | QAbstractFileIconProvider.IconType) -> QIcon:
        if isinstance(of, QFileInfo):
            return self._folder if of.isDir() else self._file
        return self._file if of == QAbstractFileIconProvider.IconType.File else self._folder

    def type(self, of: QFileInfo) -> str:
        if of.isDir():
            return "Folder"
        return f"{of.suffix()} file" if of.suffix() else "File"


def _dialog(parent: QWidget, title: str, start: Path, kinds: str = "") -> QFileDialog:
    """Make a dialog for files: the one way to it."""
    dialog = QFileDialog(parent, title, str(start), kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setOption(QFileDialog.Option.DontUseCustomDirectoryIcons)
    icons = _PlainIcons()
    dialog.setIconProvider(icons)
    dialog.destroyed.connect(lambda: icons)  # Qt does not keep it
    return dialog


def _choose(dialog: QFileDialog) -> list[Path]:
    """Show the dialog; empty when the person thought better of it."""
    try:
        return [Path(name) for name in dialog.selectedFiles()] if dialog.exec() else []
    finally:
        dialog.deleteLater()


def _first(dialog: QFileDialog) -> Path | None:
    return next(iter(_choose(dialog)), None)


def ask_documents(parent: QWidget, start: Path) -> list[Path]:
    """Ask for files to add; empty when the person thought better of it."""
    dialog = _dialog(parent, "Add files", start, _DOCUMENTS)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails)  # the list of endings would be wider than the screen
    return _choose(dialog)


def ask_report(parent: QWidget, start: Path) -> Path | None:
    """Ask for a written report to be audited."""
    dialog = _dialog(parent, "Audit a report", start, _DOCUMENTS)
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
    return _first(dialog)


def ask_folder(parent: QWidget, title: str, start: Path) -> Path | None:
    """Ask for a folder; None when the person thought better of it."""
    dialog = _dialog(parent, title, start)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    return _first(dialog)


def ask_case(parent: QWidget, start: Path, title: str = "Open a case") -> Path | None:
    """Ask for an existing case, to open or for what ``title`` says."""
    return _first(_dialog(parent, title, start, _CASES))


def ask_copy(parent: QWidget, case: Path) -> Path | None:
    """Ask where to write a copy of a case; the copying itself refuses a file that is there."""
    dialog = _dialog(parent, "Save a copy", case.parent, _CASES)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
    dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
    dialog.selectFile(f"{case.stem} copy{SUFFIX}")
    return _first(dialog)


def ask_models(parent: QWidget, start: Path) -> list[Path]:
    """Ask for model files to add; empty when the person thought better of it."""
    dialog = _dialog(parent, "Add model files", start, "Models (*.gguf);;All files (*)")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    return _choose(dialog)


def ask_matrix(parent: QWidget, start: Path) -> Path | None:
    """Ask for a matrix that another program made."""
    return _first(_dialog(parent, "Import a matrix", start, _MATRICES))


def ask_target(
    parent: QWidget, title: str, target: Path, kinds: str, with_ending: Callable[[Path], Path]
) -> Path | None:
    """Ask where to write a file, with the name of ``target`` proposed; ``kinds`` as 'Tables (*.csv)'.

    ``with_ending`` gives a chosen name the ending of the form. Asks before a file of that name is replaced, which the
    dialog would ask of the name as typed.
    """
    while True:
        dialog = _dialog(parent, title, target.parent, kinds)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.selectFile(target.name)
        choice = _first(dialog)
        if choice is None:
            return None
        target = with_ending(choice)
        if not target.exists() or _may_replace(parent, title, target):
            return target


def _may_replace(parent: QWidget, title: str, file: Path) -> bool:
    question = f"{file.name} already exists. Replace it?"
    return _confirm(parent, title, question, "Replace", "Another name")


def _confirm(parent: QWidget, title: str, question: str, yes: str, no: str) -> bool:
    """Ask a question whose ``yes`` destroys something, and return whether that was chosen; ``no`` is the default."""
    box = QMessageBox(QMessageBox.Icon.Question, title, question, QMessageBox.StandardButton.NoButton, parent)
    agree = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
    refuse = box.addButton(no, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(refuse)
    box.setEscapeButton(refuse)
    try:
        box.exec()
        return box.clickedButton() is agree
    finally:
        box.deleteLater()


def ask_name(parent: QWidget, current: str) -> str | None:
    """Ask for the name that signs decisions; None when the person thought better of it."""
    prompt = "Decisions are signed with this name. It appears in the case and in its reports."
    name, ok = QInputDialog.getText(parent, "Your name", prompt, QLineEdit.EchoMode.Normal, current)
    return name.strip() if ok else None


def ask_title(parent: QWidget, current: str) -> str:
    """Ask for another title of the case; '' when the person thought better of it."""
    title, ok = QInputDialog.getText(parent, "Rename the case", "Title:", QLineEdit.EchoMode.Normal, current)
    return title.strip() if ok and title.strip() != current else ""


def ask_newer(parent: QWidget, name: str, choices: Sequence[str]) -> int | None:
    """Ask which of ``choices`` is the newer version of document ``name``: its place, or None."""
    prompt = f"The newer version of {name}:"
    choice, ok = QInputDialog.getItem(parent, "Superseded by", prompt, list(choices), 0, False)
    return list(choices).index(choice) if ok and choice in choices else None


def ask_password(parent: QWidget, names: Sequence[str], why: str = "") -> str | None:
    """Ask for the password that opens these files, unseen while it is typed; None when thought better of.

    ``why`` is above a file that is not of the case, and whose password is not stored: one was given and is wrong.
    """
    prompt = f"Password of {names[0]}:" if len(names) == 1 else f"Password of {len(names)} files (tried on each):"
    prompt = f"{why}\n{prompt}" if why else f"The case stores it, to show the pages.\n{prompt}"
    password, ok = QInputDialog.getText(parent, "Password", prompt, QLineEdit.EchoMode.Password)
    return password if ok and password else None


def ask_tags(parent: QWidget, count: int) -> list[str]:
    """Ask for tags to give to several documents; empty when thought better of it."""
    prompt = f"Tags for {count} document{'s' * (count != 1)}, separated by commas:"
    text, ok = QInputDialog.getText(parent, "Add tags", prompt)
    return [tag for tag in (part.strip() for part in text.split(",")) if tag] if ok else []


def confirm_forgetting(parent: QWidget, count: int) -> bool:
    """Ask whether the stored passwords of documents are to be erased."""
    words = "the stored password of this document" if count == 1 else f"the stored passwords of these {count} documents"
    its, it = ("Its", "the password") if count == 1 else ("Their", "the passwords")
    question = (
        f"Erase {words} for good? {its} text stays in the case. Until you give {it} again, {its.lower()} pages cannot "
        f"be shown as pictures. Backups made before still contain {it}."
    )
    return _confirm(parent, "Forget passwords", question, "Erase", "Keep")
