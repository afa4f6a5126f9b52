"""The only places where the window asks for a path or a name: one function each, so that a test can answer for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QWidget

SUFFIX = ".disconfirm"
_CASES = f"Disconfirm cases (*{SUFFIX});;All files (*)"
# What the reader reads, and the kinds that it refuses with a remedy worth reading (.xml).
READ = (
    *(".pdf", ".xps", ".oxps", ".epub", ".docx", ".docm", ".odt", ".rtf", ".txt", ".md", ".log", ".json", ".xml"),
    *(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".csv", ".tsv", ".pptx", ".pptm", ".ppsx", ".odp"),
    *(".html", ".htm", ".xhtml", ".mht", ".mhtml", ".warc", ".eml", ".msg", ".mbox", ".zip"),
    *(".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp"),
)
# Cameras and scanners like to write endings in capitals, and not every system's dialog reads those as the same.
_DOCUMENTS = f"Documents ({' '.join(f'*{end} *{end.upper()}' for end in READ)});;All files (*)"
MATRICES = (".achz", ".xlsx", ".csv", ".tsv", ".json")
_MATRICES = f"Matrices ({' '.join('*' + suffix for suffix in MATRICES)});;All files (*)"


def ask_documents(parent: QWidget, start: Path) -> list[Path]:
    """Files to add; empty when the person thought better of it."""
    named = QFileDialog.Option.HideNameFilterDetails  # the list of endings would be wider than the screen
    chosen, _ = QFileDialog.getOpenFileNames(parent, "Add files", str(start), _DOCUMENTS, options=named)
    return [Path(name) for name in chosen]


def ask_folder(parent: QWidget, title: str, start: Path) -> Path | None:
    chosen = QFileDialog.getExistingDirectory(parent, title, str(start))
    return Path(chosen) if chosen else None


def ask_case(parent: QWidget, start: Path, title: str = "Open a case") -> Path | None:
    """An existing case, to open or for what ``title`` says."""
    chosen, _ = QFileDialog.getOpenFileName(parent, title, str(start), _CASES)
    return Path(chosen) if chosen else None


def ask_copy(parent: QWidget, case: Path) -> Path | None:
    """Where to write a copy of a case. A file that is there is refused by the copying itself."""
    start = case.with_name(f"{case.stem} copy{SUFFIX}")
    unasked = QFileDialog.Option.DontConfirmOverwrite
    chosen, _ = QFileDialog.getSaveFileName(parent, "Save a copy", str(start), _CASES, options=unasked)
    if not chosen:
        return None
    return Path(chosen) if chosen.endswith(SUFFIX) else Path(chosen + SUFFIX)


def ask_models(parent: QWidget, start: Path) -> list[Path]:
    """Model files to add; empty when the person thought better of it."""
    chosen, _ = QFileDialog.getOpenFileNames(parent, "Add model files", str(start), "Models (*.gguf);;All files (*)")
    return [Path(name) for name in chosen]


def ask_matrix(parent: QWidget, start: Path) -> Path | None:
    """A matrix that another program made."""
    chosen, _ = QFileDialog.getOpenFileName(parent, "Import a matrix", str(start), _MATRICES)
    return Path(chosen) if chosen else None


def ask_name(parent: QWidget, current: str) -> str | None:
    """The name that signs decisions; None when the person thought better of it."""
    said = "Decisions are signed with this name. It stands in the case and in its reports."
    name, given = QInputDialog.getText(parent, "Your name", said, QLineEdit.EchoMode.Normal, current)
    return name.strip() if given else None


def ask_newer(parent: QWidget, name: str, choices: Sequence[str]) -> int | None:
    """Which of ``choices`` is the newer version of document ``name``, by its place; None when thought better of."""
    said = f"The newer version of {name}:"
    chosen, given = QInputDialog.getItem(parent, "Superseded by", said, list(choices), 0, False)
    return list(choices).index(chosen) if given and chosen in choices else None


def ask_password(parent: QWidget, names: Sequence[str]) -> str | None:
    """The password that opens these files; None when thought better of it. It is not shown while it is typed."""
    said = f"Password of {names[0]}:" if len(names) == 1 else f"Password of {len(names)} files (tried on each):"
    password, given = QInputDialog.getText(parent, "Password", said, QLineEdit.EchoMode.Password)
    return password if given and password else None


def ask_tags(parent: QWidget, count: int) -> list[str]:
    """Tags to give to several documents; empty when thought better of it."""
    said = f"Tags for {count} document{'s' * (count != 1)}, separated by commas:"
    given, wanted = QInputDialog.getText(parent, "Add tags", said)
    return [tag for tag in (part.strip() for part in given.split(",")) if tag] if wanted else []
