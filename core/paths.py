"""Places on the disk: the program's own resources and the person's data. No other module builds such a path."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

APP = "disconfirm"

# In a frozen build the resources lie beside the unpacked modules, in a checkout beside the packages.
RESOURCES = Path(getattr(sys, "_MEIPASS", Path(__file__).resolve().parent.parent)) / "resources"

EMBEDDER = "all-MiniLM-L6-v2"
JUDGE = "SmolLM2-135M-Instruct.Q4_1.gguf"
ADAPTER = "evidence-judge-r64.gguf"
MERGED_JUDGE = "evidence-judge-r64.merged.gguf"
MERGED_JUDGES = "evidence-judge-*.merged.*"  # that of any adapter, and what stands beside it


def user_data() -> Path:
    """Return the person's own folder: models, settings, recent cases. DISCONFIRM_HOME moves it (portable use)."""
    home = os.environ.get("DISCONFIRM_HOME")
    return Path(home) if home else Path(platformdirs.user_data_dir(APP, appauthor=False))


def models() -> Path:
    """Return the folder of model files. DISCONFIRM_MODELS points elsewhere (a shared folder, an air-gapped medium)."""
    folder = os.environ.get("DISCONFIRM_MODELS")
    return Path(folder) if folder else user_data() / "models"


def tessdata() -> list[Path]:
    """List the folders with language data for reading scans, the person's own first; only those that are there."""
    places = (models() / "tessdata", Path(sys.prefix) / "share" / "tessdata", RESOURCES / "tessdata")
    return [place for place in places if place.is_dir()]


def ocr_languages() -> tuple[str, ...]:
    """List the languages that scans can be read in, by three letters, as data is installed for them."""
    codes = {file.stem for folder in tessdata() for file in folder.glob("*.traineddata")}
    return tuple(sorted(codes - {"osd"}))
