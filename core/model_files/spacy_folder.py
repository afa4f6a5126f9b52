"""What a folder with a spaCy pipeline says of itself: read and checked before the library is loaded.

A folder is one that spaCy saved: ``config.cfg`` names the parts, ``meta.json`` the pipeline, and each part lies in a
folder of its own. Only the parts that find names are wanted. Nothing in the folder is run, and no pickle is ever
opened: spaCy keeps its weights in MessagePack.
"""

from __future__ import annotations

import configparser
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import files
from core.errors import ModelUnreadable
from core.model_files.embedding_folder import files_in

EFFECT = "names are suggested by their form alone"

# Parts that find names, by the name under which spaCy knows how to make them.
_FINDERS = ("ner", "beam_ner", "entity_ruler", "span_ruler")
_HEARD = ("tok2vec",)  # what they may listen to
_TRANSFORMERS = ("transformer", "curated_transformer")
# Files by which a folder could run code of its own or load a pickle.
_REFUSED = (".py", ".pkl", ".pickle", ".pt", ".pth", ".ckpt", ".joblib")
_MAX_TEXT_BYTES = 5_000_000  # bytes; the settings of a large pipeline have some 10,000
_MAX_FILES = 2_000
_BEFORE = ("before_creation", "after_creation", "after_pipeline_creation")


@dataclass(frozen=True, slots=True)
class PipelineFolder:
    """A folder that holds a pipeline.

    ``name_parts`` find names, or are listened to by these; ``other_parts`` are all others, both in the order in which
    they run.
    """

    path: Path  # where config.cfg lies
    name: str
    version: str
    language: str
    name_parts: tuple[str, ...]
    other_parts: tuple[str, ...]


def look_at(folder: Path) -> PipelineFolder:
    """Read what the folder, or the one inside it as a package holds it, has; only small files are read.

    Raises ModelUnreadable with the reason for one that names cannot be found with.
    """
    if not files.is_folder(folder):
        raise _unreadable(folder, "there is no such folder")
    try:
        return _read_folder(_home(folder))
    except OSError as error:
        raise _unreadable(folder, f"it cannot be read: {error.strerror or type(error).__name__}") from error


def _unreadable(folder: Path, reason: str) -> ModelUnreadable:
    return ModelUnreadable(path=folder, reason=reason, effect=EFFECT)


def _home(folder: Path) -> Path:
    """Return where config.cfg lies: here, or up to two folders further in."""
    for pattern in ("config.cfg", "*/config.cfg", "*/*/config.cfg"):
        configs = sorted(folder.glob(pattern))
        if len(configs) > 1:
            names = ", ".join(file.parent.name for file in configs[:5])
            raise _unreadable(folder, f"it contains several pipelines: choose one of {names}")
        if configs:
            return configs[0].parent
    if (folder / "modules.json").is_file():
        raise _unreadable(folder, "it contains a search model; a pipeline that finds names has a config.cfg")
    if any(folder.glob("*.gguf")):
        raise _unreadable(
            folder, "it contains GGUF files, which are for judging; a pipeline that finds names has a config.cfg"
        )
    raise _unreadable(folder, "it has no config.cfg, so it contains no spaCy pipeline")


def _read_folder(folder: Path) -> PipelineFolder:
    _check_files(folder)
    config, meta = _config(folder), _meta(folder)
    if any(_value(config, "nlp", key) is not None for key in _BEFORE):
        raise _unreadable(folder, "its config.cfg asks for code to be run while it is loaded")
    parts = _value(config, "nlp", "pipeline")
    if not isinstance(parts, list) or not all(isinstance(name, str) and name for name in parts):
        raise _unreadable(folder, "its config.cfg does not name its parts")
    factories = {name: _value(config, f"components.{name}", "factory") for name in parts}
    finders = [name for name in parts if factories[name] in _FINDERS and _sets_names(config, name)]
    if not finders:
        raise _unreadable(folder, f"none of its parts finds names (ner); it has {', '.join(parts) or 'no parts'}")
    if any(_listens(config, name) for name in finders):
        if any(factory in _TRANSFORMERS for factory in factories.values()):
            raise _unreadable(folder, "its ner needs a transformer, which is not run here; choose a smaller one")
        finders += [name for name in parts if factories[name] in _HEARD]
    name_parts = tuple(name for name in parts if name in finders)
    for name in name_parts:
        _check_part(folder, name)
    return PipelineFolder(
        path=folder,
        name=f"{meta['lang']}_{meta['name']}",
        version=meta["version"],
        language=meta["lang"],
        name_parts=name_parts,
        other_parts=tuple(name for name in parts if name not in name_parts),
    )


def _check_files(folder: Path) -> None:
    for count, path in enumerate(files_in(folder)):
        if count >= _MAX_FILES:
            raise _unreadable(folder, f"it contains more than {_MAX_FILES:,} files, so it is more than one pipeline")
        if path.suffix.lower() in _REFUSED:
            raise _unreadable(folder, f"it contains {path.relative_to(folder)}, which can run code")


def _config(folder: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(_text(folder, "config.cfg"))
    except configparser.Error as error:
        raise _unreadable(folder, "its config.cfg is broken") from error
    return parser


def _meta(folder: Path) -> Mapping[str, str]:
    try:
        meta = json.loads(_text(folder, "meta.json"))
    except (ValueError, RecursionError) as error:
        raise _unreadable(folder, "its meta.json is broken") from error
    if not isinstance(meta, dict) or not all(isinstance(meta.get(key), str) for key in ("lang", "name", "version")):
        raise _unreadable(folder, "its meta.json does not say its name, version and language")
    return {key: meta[key][:100] for key in ("lang", "name", "version")}


def _text(folder: Path, name: str) -> str:
    path = folder / name
    if not path.is_file():
        raise _unreadable(folder, f"it has no {name}")
    if path.stat().st_size > _MAX_TEXT_BYTES:
        raise _unreadable(folder, f"its {name} is far too large")
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(folder, f"its {name} is broken") from error


def _value(config: configparser.ConfigParser, section: str, key: str) -> Any:
    """Return the value of a setting: JSON, or the words as they are; None if it is not set.

    A whole section under that name is a value too.
    """
    if config.has_section(f"{section}.{key}"):
        return dict(config.items(f"{section}.{key}"))
    text = config.get(section, key, fallback=None)
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _sets_names(config: configparser.ConfigParser, name: str) -> bool:
    """Return whether what a part finds are names: a span ruler may keep it elsewhere."""
    ruler = _value(config, f"components.{name}", "factory") == "span_ruler"
    return not ruler or _value(config, f"components.{name}", "annotate_ents") is True


def _listens(config: configparser.ConfigParser, name: str) -> bool:
    """Return whether a part takes what it reads from another one."""
    sections = (section for section in config.sections() if section.startswith(f"components.{name}."))
    return any("Listener" in config.get(section, "@architectures", fallback="") for section in sections)


def _check_part(folder: Path, name: str) -> None:
    """Check that what a part needs was fetched whole."""
    part = folder / name
    if "/" in name or "\\" in name or name.startswith("."):
        raise _unreadable(folder, f"its config.cfg points outside its folder ({name[:80]})")
    if not part.exists() and not part.with_suffix(".jsonl").exists():
        raise _unreadable(folder, f"its part {name} is missing")
    weights = part / "model"
    if weights.is_file():
        with weights.open("rb") as file:
            if file.read(8) == b"version ":
                raise _unreadable(folder, f"{name}/model only points to weights that were never fetched (Git LFS)")
