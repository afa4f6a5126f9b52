"""The language models that a person added: which files, what they say of themselves, and that they are still the same.

Kept as JSON in the person's folder. A file is copied there or stays where it is; either way it is known by its sha256,
so that another file in its place is noticed before it gives a verdict.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core import files, paths
from core.errors import AppError, BadInput, CannotWrite, ModelUnreadable, NoSuchItem, Problem
from core.model_files import chat_templates, gguf
from core.progress import Progress, silent

WINDOW, BATCH = 2_208, 512  # tokens: what a judge holds at once, and what it reads in one go (core.engines.llm.llama)
_BLOCK = 1 << 22  # bytes
_MAX_FILES = 200  # of one folder
_SPARE = 200_000_000  # bytes that a copy leaves free on the disk
_ID = 10  # characters of the sha256
TRAINED = "none, as it was trained to judge"  # the frame of an encoder
NOT_STATED = "not stated in the file"


_read: dict[tuple[Path, int, int], str] = {}  # sha256 of files that were read, by place, bytes and time (ns)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file as it was when it was added.

    ``bytes`` and ``modified`` (ns) tell cheaply whether it is still the same; ``memory`` is an estimate of what it
    takes in use, in bytes; ``speed`` in tokens read a second, None before it was tried; ``window`` in tokens, as its
    maker says; ``frame`` is the family that it is asked as.
    """

    path: Path
    sha256: str
    bytes: int
    modified: int
    name: str
    architecture: str
    quantisation: str
    licence: str
    weights: int
    window: int
    frame: str
    memory: int
    copied: bool = False
    added: str = ""
    speed: float | None = None

    @property
    def id(self) -> str:
        """The first characters of its sha256."""
        return self.sha256[:_ID]

    def must_be_read(self) -> bool:
        """Return whether ``state`` has to read all of the file, which takes seconds for a large one."""
        try:
            stat = self.path.stat()
            as_added = (stat.st_size, stat.st_mtime_ns) == (self.bytes, self.modified)
            return not as_added and not is_read(self.path)
        except OSError:
            return False

    def state(self) -> str:
        """'' when the file is there as it was added, as far as size and time tell; else what is wrong with it."""
        try:
            stat = self.path.stat()
            if (stat.st_size, stat.st_mtime_ns) == (self.bytes, self.modified):
                return ""
            now = sum_of(self.path)
        except OSError:
            return f"it is no longer at {self.path}"
        if now != self.sha256:
            return "the file was changed since it was added"
        # Only touched: the next look need not read it again.
        same = dataclasses.replace(self, modified=stat.st_mtime_ns)
        with contextlib.suppress(CannotWrite):
            _save([same if model.sha256 == self.sha256 else model for model in added_models()])
        return ""


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome for files that were to be added."""

    models: tuple[ModelFile, ...]
    problems: tuple[Problem, ...] = ()


def sum_of(path: Path) -> str:
    """Return the sha256 of a file, read again only when its size or time changed."""
    key = _key(path)
    if key not in _read:
        _read[key] = gguf.sha256(path)
    return _read[key]


def is_read(path: Path) -> bool:
    """Return whether ``sum_of`` knows a file as it is now, without reading it. Raises OSError where there is none."""
    return _key(path) in _read


def _key(path: Path) -> tuple[Path, int, int]:
    stat = path.stat()
    return path, stat.st_size, stat.st_mtime_ns


def folder() -> Path:
    """Return where copies lie."""
    return paths.user_data() / "added-models"


def added_models() -> list[ModelFile]:
    """In the order in which they were added. A broken list is as good as none: the files can be added again."""
    try:
        rows = json.loads(_file().read_text("utf-8"))["models"]
        return [_from_json(row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


def find(name: str) -> ModelFile:
    """Find the model with this id (its beginning will do), name or path. Raises NoSuchItem, BadInput for several."""
    models = added_models()
    path = str(Path(name).absolute())
    for fits in (
        [m for m in models if m.id == name or str(m.path) == path],
        [m for m in models if m.name == name or (len(name) >= 4 and m.sha256.startswith(name.lower()))],
    ):
        if len(fits) > 1:
            raise BadInput(reason=f"Several models are called '{name}'.", remedy="Name the one you mean by its id.")
        if fits:
            return fits[0]
    raise NoSuchItem(kind="model", id=name, listing="models")


def recorded(path: Path | None) -> str:
    """Return the sha256 that the file at ``path`` had when it was added; '' for one that nobody added."""
    return next((m.sha256 for m in added_models() if path is not None and m.path == path.absolute()), "")


def look(path: Path) -> ModelFile:
    """Read what the file says of itself, without its sha256. Raises ModelMissing, ModelUnreadable."""
    try:
        head = gguf.check(path)
    except ModelUnreadable as error:
        raise ModelUnreadable(path=path, reason=error.details["reason"], effect="it was not added") from error
    reason = "" if gguf.trained_to_judge(head) else gguf.no_writer(head)
    if reason:
        raise ModelUnreadable(path=path, reason=reason, effect="it was not added")
    stat = path.stat()
    window = head.values.get(f"{head.architecture}.context_length", 0)
    return ModelFile(
        path=path.absolute(),
        sha256="",
        bytes=stat.st_size,
        modified=stat.st_mtime_ns,
        name=_one_line(head.values.get("general.name")) or path.stem,
        architecture=_one_line(head.architecture),
        quantisation=head.quantisation,
        licence=_licence(head),
        weights=head.weights,
        window=window if isinstance(window, int) else 0,
        frame=TRAINED if gguf.trained_to_judge(head) else chat_templates.of(head.control).name,
        memory=head.memory(WINDOW, BATCH),
    )


def add(files: Sequence[Path], *, copy: bool, progress: Progress | None = None) -> Added:
    """Add GGUF files, and those of folders.

    ``copy`` keeps a copy in the person's folder; else they stay where they are. One that is known already is not added
    twice; one that cannot be used is a problem, and the others go on.
    """
    progress = progress or silent()
    models: list[ModelFile] = []
    problems: list[Problem] = []
    paths_to_add = list(_gguf_files(files, problems))
    for index, path in enumerate(paths_to_add):
        try:
            progress.step(index, len(paths_to_add), f"Adding {path.name}")
            models.append(_add(path, copy, progress, index, len(paths_to_add)))
        except AppError as error:
            problems.append(Problem.at(path, error))
    progress.step(len(paths_to_add), len(paths_to_add), "Models added")
    return Added(tuple(models), tuple(problems))


def _gguf_files(chosen: Sequence[Path], problems: list[Problem]) -> Iterator[Path]:
    for path in chosen:
        if not files.is_folder(path):
            yield path
            continue
        inside = sorted(p for p in path.rglob("*") if p.suffix.lower() == ".gguf" and p.is_file())
        if not inside:
            problems.append(
                Problem(str(path), "This folder contains no GGUF file.", "Choose the folder with the model.")
            )
        elif len(inside) > _MAX_FILES:
            what = f"This folder contains {len(inside):,} GGUF files; none was added."
            problems.append(Problem(str(path), what, "Choose the ones you want one by one."))
        else:
            yield from inside


def _add(path: Path, copy: bool, progress: Progress, index: int, total: int) -> ModelFile:
    file = look(path)
    target: Path | None = None
    if copy:
        _check_room(file)
        target = folder() / f"{path.stem[:80]}.part"
    try:
        digest = _read_through(path, target, lambda: progress.step(index, total, f"Adding {path.name}"))
        same_file = next((m for m in added_models() if m.sha256 == digest), None)
        if same_file is not None and same_file.path.is_file():
            return same_file
        place = path.absolute()
        if target is not None:
            place = folder() / f"{path.stem[:80]}-{digest[:_ID]}.gguf"
            target.replace(place)
    except OSError as error:
        where = target or path
        raise CannotWrite(path=where, reason=error.strerror or type(error).__name__) from error
    finally:
        if target is not None:
            with contextlib.suppress(OSError):
                target.unlink(missing_ok=True)
    now = place.stat()
    model = dataclasses.replace(
        file,
        path=place,
        sha256=digest,
        bytes=now.st_size,
        modified=now.st_mtime_ns,
        copied=copy,
        added=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    )
    _save([m for m in added_models() if m.sha256 != digest] + [model])
    return model


def _check_room(model: ModelFile) -> None:
    folder().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder()).free
    if free < model.bytes + _SPARE:
        raise BadInput(
            reason=f"A copy of {model.path.name} takes {model.bytes / 1e6:,.0f} MB and {free / 1e6:,.0f} MB are free, "
            "so it was not added.",
            remedy="Free some space, or add it without a copy: it is then used in place.",
        )


def _read_through(path: Path, target: Path | None, between: Callable[[], object]) -> str:
    """Return the sha256 of a file, which is copied to ``target`` on the way."""
    digest = hashlib.sha256()
    with path.open("rb") as source, contextlib.ExitStack() as stack:
        out = stack.enter_context(target.open("wb")) if target is not None else None
        while block := source.read(_BLOCK):
            digest.update(block)
            if out is not None:
                out.write(block)
            between()
        if out is not None:
            out.flush()
            os.fsync(out.fileno())
    return digest.hexdigest()


def remove(model: ModelFile) -> None:
    """Forget a model; a copy that was made of it is deleted, a file that stayed where it was is left alone."""
    _save([m for m in added_models() if m.sha256 != model.sha256])
    if model.copied and model.path.parent == folder():
        try:
            model.path.unlink(missing_ok=True)
        except OSError as error:
            raise CannotWrite(path=model.path, reason=error.strerror or type(error).__name__) from error


def speed_of(sha256: str) -> float | None:
    """Tokens a second that the model of this sha256 reads here; None before it was measured."""
    speed = _speeds().get(sha256)
    return float(speed) if isinstance(speed, int | float) else None


def keep_speed(model: ModelFile, speed: float) -> None:
    """Keep how many tokens a second a model reads here. Raises CannotWrite."""
    _write(paths.user_data() / "speeds.json", {**_speeds(), model.sha256: round(speed, 1)})


def _speeds() -> dict[str, object]:
    try:
        speeds = json.loads((paths.user_data() / "speeds.json").read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return speeds if isinstance(speeds, dict) else {}


def _file() -> Path:
    return paths.user_data() / "models.json"


def _save(models: Sequence[ModelFile]) -> None:
    rows = [{**dataclasses.asdict(model), "path": str(model.path), "speed": None} for model in models]
    _write(_file(), {"models": rows})


def _write(target: Path, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    files.write(target, text + "\n", make_folder=True)


def _from_json(row: dict[str, object]) -> ModelFile:
    """Make a model of its row. Raises ValueError, KeyError or TypeError for what is no model."""
    kinds = {"str": str, "int": int, "bool": bool}
    fields: dict[str, object] = {}
    for field in dataclasses.fields(ModelFile):
        value = row[field.name]
        if field.name == "path":
            value = Path(str(value))
        elif field.name == "speed":
            value = speed_of(str(row["sha256"]))
        elif type(value) is not kinds[str(field.type)]:
            raise ValueError(field.name)
        fields[field.name] = value
    model = ModelFile(**fields)  # type: ignore[arg-type]
    if len(model.sha256) != 64 or not model.path.is_absolute() or "\0" in str(model.path):
        raise ValueError("not a model")
    return model


def _licence(head: gguf.GgufFile) -> str:
    names = [
        _one_line(head.values.get(key)) for key in ("general.license", "general.license.name", "general.license.link")
    ]
    return ", ".join(dict.fromkeys(part for part in names if part)) or NOT_STATED


def _one_line(value: object) -> str:
    """Make a text out of a file fit to be shown: one line, nothing that changes the direction of writing."""
    text = "".join(sign if sign.isprintable() else " " for sign in str(value or ""))
    return " ".join(text.split())[:120]
