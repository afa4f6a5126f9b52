"""The person's settings: one dataclass, kept as JSON in the user's folder. A broken file gives the defaults."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from core import files, paths


@dataclass(frozen=True, slots=True)
class Settings:
    """A person's settings.

    ``analyst`` signs decisions and is in reports, so it is asked for and never taken from the computer. A model
    path of '' means the default in the models folder, for reranker, second reader, text model and names model none.
    ``embedder_before`` is the search model that was used before: a case is searched with it until its passages have
    vectors of the present one. ``search_memory`` is in MB: vectors of a case that need more are searched in the file,
    which takes longer. ``density`` is 'compact' or 'comfortable'; ``advance``: a rating in the matrix moves on to the
    next unrated cell. ``ocr_language``: what scans of new cases are read in, by three letters, several joined by '+';
    '' each document's own. ``backups``: whether backups of cases are made without being asked for; ``backup_space`` is
    what those of one case may take, in MB (0: any amount).
    """

    analyst: str = ""
    embedder: str = ""
    judge: str = ""
    second_reader: str = ""
    text_model: str = ""
    reranker: str = ""
    names_model: str = ""
    embedder_before: str = ""
    theme: str = "system"
    text_size: int = 13
    density: str = "compact"
    advance: bool = True
    ocr_language: str = ""
    search_memory: int = 800
    backups: bool = True
    backup_space: int = 2000

    @property
    def who(self) -> str:
        """The name that signs decisions."""
        return self.analyst.strip() or "Analyst"

    @property
    def embedder_folder(self) -> Path:
        """The folder of the search model."""
        return Path(self.embedder) if self.embedder else paths.model(paths.EMBEDDER)


def _file() -> Path:
    return paths.user_data() / "settings.json"


def load() -> Settings:
    """Read the saved settings.

    Unknown keys and values of the wrong type are ignored, so an old or broken file never stops the program.
    """
    try:
        raw = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return Settings()
    if not isinstance(raw, dict):
        return Settings()
    default = Settings()
    values = {
        f.name: raw[f.name]
        for f in dataclasses.fields(Settings)
        if f.name in raw and type(raw[f.name]) is type(getattr(default, f.name))
    }
    return Settings(**values)


def save(settings: Settings) -> None:
    """Write the settings; the file is replaced whole. Raises CannotWrite."""
    files.write(_file(), json.dumps(dataclasses.asdict(settings), indent=1, sort_keys=True), make_folder=True)
