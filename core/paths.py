"""Places on the disk: the program's own resources and the person's data. No other module builds such a path."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import platformdirs

APP = "disconfirm"

PACKAGED = bool(getattr(sys, "frozen", False))  # the packaged program, not one that runs from its source

# In the packaged program resources and models lie beside the unpacked modules, in a checkout beside the packages.
_PROGRAM = Path(getattr(sys, "_MEIPASS", Path(__file__).resolve().parent.parent))
RESOURCES = _PROGRAM / "resources"
PACKAGED_MODELS = _PROGRAM / "models"

PORTABLE, PORTABLE_DATA = "portable", "disconfirm-data"  # the file beside the executable, and the folder it asks for

EMBEDDER = "all-MiniLM-L6-v2"
MULTILINGUAL = "multilingual-e5-small"  # searches across languages, in twice the time
READER = "evidence-reader.gguf"
STATEMENTS = "statement-heads.gguf"


def user_data() -> Path:
    """Return the person's own folder: models, settings, recent cases. DISCONFIRM_HOME moves it (portable use)."""
    home = os.environ.get("DISCONFIRM_HOME")
    return Path(home) if home else Path(platformdirs.user_data_dir(APP, appauthor=False))


def go_portable(program: Path) -> None:
    """Keep the person's folder beside the executable from now on, where a file named ``portable`` is there.

    Children get it through DISCONFIRM_HOME, which wins where it is set. A medium that cannot be written leaves the
    usual folder in use; ``portable_note`` says so.
    """
    if os.environ.get("DISCONFIRM_HOME") or not (program.parent / PORTABLE).is_file():
        return
    folder = program.parent / PORTABLE_DATA
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return
    os.environ["DISCONFIRM_HOME"] = str(folder)


def portable_note(program: Path) -> str:
    """Return '', or one sentence that says why the usual folder is used though the program is carried about."""
    if os.environ.get("DISCONFIRM_HOME") or not (program.parent / PORTABLE).is_file():
        return ""
    folder = program.parent / PORTABLE_DATA
    return f"{folder} cannot be written, so settings and the sample case are stored in {user_data()}."


def models() -> Path:
    """Return the folder of model files. DISCONFIRM_MODELS points elsewhere (a shared folder, an air-gapped medium)."""
    folder = os.environ.get("DISCONFIRM_MODELS")
    return Path(folder) if folder else user_data() / "models"


def model(name: str) -> Path:
    """Return where a model file or folder of the program lies: the person's own, else the one packaged with it.

    Where there is neither, the place where it is missed.
    """
    own_file, packaged_file = models() / name, PACKAGED_MODELS / name
    return packaged_file if packaged_file.exists() and not own_file.exists() else own_file


def reader() -> Path:
    """Return the weights of the judge that comes with the program, in a checkout as in the packaged program."""
    return RESOURCES / "models" / READER


def statement_heads() -> Path:
    """Return the weights of the heads that read statements on the encoder of ``reader``."""
    return RESOURCES / "models" / STATEMENTS


def tessdata() -> list[Path]:
    """List the folders with language data for reading scans, the person's own first; only those that are there."""
    places = (models() / "tessdata", Path(sys.prefix) / "share" / "tessdata", RESOURCES / "tessdata")
    return [place for place in places if place.is_dir()]


def ocr_languages() -> tuple[str, ...]:
    """List the languages that scans can be read in, by three letters, as data is installed for them."""
    codes = {file.stem for folder in tessdata() for file in folder.glob("*.traineddata")}
    return tuple(sorted(codes - {"osd"}))
