"""The self-test: every part of the program, tried on something small whose answer is known.

It works in a folder of its own among the system's temporary files, which is gone afterwards; nothing of it is in the
person's cases, lists or settings.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from core import paths
from core.errors import AppError, CannotWrite
from core.ports import Engines
from core.progress import Progress, silent
from core.selftest import case_checks, engine_checks, fonts
from core.selftest.engine_checks import Check
from core.selftest.parts import FETCH, Outcome, Part, PartFailed, PartLeftOut, State
from core.selftest.trial import Trial
from core.store import check_engine


def run(
    engines: Engines, progress: Progress | None = None, on_part: Callable[[Part], object] = lambda part: None
) -> Outcome:
    """Try every part and return the outcome; ``on_part`` is called with each part when it is over.

    The engines are left running. Raises CannotWrite where there is no room for temporary files, and Cancelled.
    """
    progress = progress or silent()
    try:
        folder = tempfile.TemporaryDirectory(prefix="disconfirm-selftest-")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CannotWrite(path=tempfile.gettempdir(), reason=reason) from error
    parts: list[Part] = []
    with folder as name:
        trial = Trial(engines, Path(name), progress)
        checks = [*_checks(), *engine_checks.checks(trial), *case_checks.checks(trial)]
        try:
            for number, (title, check) in enumerate(checks):
                progress.step(number, len(checks), title)
                parts.append(_try(title, check, trial))
                on_part(parts[-1])
        finally:
            trial.close()
    return Outcome(tuple(parts))


def _checks() -> Iterator[tuple[str, Check]]:
    yield "SQLite", lambda _: name_database()
    yield "Fonts", lambda _: fonts.check()
    yield "Models", lambda _: compare_models()


def _try(title: str, check: Check, trial: Trial) -> Part:
    """Make one check. Whatever is raised is that part's failure, but the person's wish to stop is not."""
    began = time.monotonic()
    state: State = "ok"
    remedy = ""
    try:
        note = check(trial)
    except PartLeftOut as absence:
        state, note = absence.state, absence.reason
    except PartFailed as failure:
        state, note, remedy = "failed", failure.reason, failure.remedy
    except AppError as error:
        trial.progress.check()
        state, note, remedy = "failed", error.sentence, error.hint
    except Exception as error:  # a fault of the program itself is what a self-test is for
        trial.progress.check()
        state, note = "failed", f"It ended with an internal error ({type(error).__name__})."
        remedy = "Report it with this table; it contains no text from your documents."
    return Part(title, state, time.monotonic() - began, note, remedy)


def name_database() -> str:
    """Name the database and what it must be able to do. Raises EngineTooOld."""
    versions = check_engine()
    return f"{versions['sqlite']} with full text search, vectors {versions['vec0']}"


def compare_models() -> str:
    """Compare the model files with the sums that the program knows. Raises PartFailed."""
    models = json.loads((paths.RESOURCES / "models.lock").read_text("utf-8"))["models"]
    files: list[tuple[Path, str]] = []
    for model in models:
        if model["role"] == "generator":
            continue  # for the tests of the program alone
        for row in model["files"]:
            first, *path = Path(row["file"]).parts
            is_resource = model["source"] == "resources"
            file = (paths.RESOURCES / "models" / first if is_resource else paths.model(first)).joinpath(*path)
            files.append((file, row["sha256"]))
    size = 0
    for file, expected in files:
        try:
            with file.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
                size += stream.tell()
        except OSError as error:
            raise PartFailed(f"{file} cannot be read ({error.strerror}).", FETCH) from error
        if digest != expected:
            reason = f"{file} was changed: its sha256 begins with {digest[:12]} and not {expected[:12]}."
            raise PartFailed(reason, FETCH)
    return f"{len(files)} files, {size / 1e6:,.0f} MB, as they should be"
