"""The language models of a person: what is here, what each is used for, how fast it is and what it reached in the exam.

A model has no role until a person gives it one. As a judge of the grid or as second reader it must pass the exam; the
program's own judge is in the list, too, and cannot be removed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core import errors, settings
from core.errors import AppError, BadInput, NotEnoughMemory
from core.model_files import crash_history, gguf, registry
from core.model_files.registry import ModelFile, find
from core.ports import Engines
from core.progress import Progress, silent
from core.runtime import launch
from core.settings import Settings
from core.verdicts import exam, exam_results, labels
from core.workers.engines import JudgeClient

Role = Literal["judge", "second_reader", "text_model"]
ROLES: tuple[Role, ...] = ("judge", "second_reader", "text_model")
ROLE_NAMES: dict[Role, str] = {
    "judge": "judges passages",
    "second_reader": "second reader",
    "text_model": "writes drafts",
}


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """A model with its state.

    ``problem`` says why it cannot be used as it is, '' where nothing is known against it, and ``remedy`` what helps;
    ``note`` what a person should know all the same. ``own``: it came with the program.
    """

    model: ModelFile
    roles: tuple[Role, ...]
    result: exam.Result | None
    problem: str = ""
    note: str = ""
    own: bool = False
    remedy: str = ""

    def fits(self, role: Role) -> bool:
        """Return whether it can have a role: to judge it must not have failed its exam, to write it must be able to."""
        if role == "text_model":
            return self.model.frame != registry.TRAINED
        return self.result is None or self.result.passed

    @property
    def may_judge(self) -> bool:
        """Return whether nothing speaks against it as a judge: it can be used, and did not fail its exam."""
        return not self.problem and self.fits("judge")


def list_models() -> list[ModelStatus]:
    """List the program's own judge, where it is on this computer, then those that were added."""
    current, own_judge = settings.load(), _own_judge()
    return [
        *([_status_of(own_judge, current, own=True)] if own_judge else []),
        *(_status_of(model, current) for model in registry.added_models()),
    ]


def must_read() -> bool:
    """Return whether ``list_models`` has to read a file to its end, which takes seconds for a large one."""
    file = launch.judge_file(Settings())
    try:
        unread = file is not None and not registry.is_read(file)
    except OSError:
        unread = False
    return unread or any(model.must_be_read() for model in registry.added_models())


def model_named(name: str) -> ModelStatus:
    """Return the model with this id, name or path. Raises NoSuchItem, BadInput for several."""
    current = settings.load()
    own_judge = _own_judge()
    if own_judge and (
        name in (own_judge.id, own_judge.name, "default") or str(own_judge.path) == str(Path(name).absolute())
    ):
        return _status_of(own_judge, current, own=True)
    return _status_of(find(name), current)


def remove(engines: Engines, name: str) -> tuple[Engines, ModelFile]:
    """Forget a model and take its roles; a copy of it is deleted. Raises NoSuchItem, BadInput for the program's own."""
    status = model_named(name)
    if status.own:
        raise BadInput(
            reason="The program's own judge cannot be removed.", remedy="Give another model its role instead."
        )
    for role in status.roles:
        engines = give_role(engines, role, None)
    registry.remove(status.model)
    crash_history.remember(status.model.path, "")
    return engines, status.model


def give_role(engines: Engines, role: Role, model_name: str | None) -> Engines:
    """Use this model for ``role`` from now on, on this computer; None: the program's own judge, or nobody.

    Raises BadInput for one that failed its exam or cannot be used, NoSuchItem, NotEnoughMemory: then all stays as is.
    """
    path = ""
    if model_name is not None:
        status = model_named(model_name)
        if status.problem:
            raise BadInput(reason=f"{status.model.name} cannot be used: {status.problem}.", remedy=status.remedy)
        if role == "text_model" and not status.fits(role):
            raise BadInput(
                reason=f"{status.model.name} was trained to judge and writes nothing.",
                remedy="Choose a model that continues a text.",
            )
        if not status.fits(role) and status.result is not None:
            raise BadInput(
                reason=f"{status.model.name} may not judge: {exam_results.why_not(status.result)}.",
                remedy="Choose a model that passes, or let it only write drafts.",
            )
        _refuse_without_memory(status.model)
        # As second reader the program's own model is one like another.
        path = "" if status.own and role == "judge" else str(status.model.path)
    stored = settings.load()
    paths_by_role = {stored_role: getattr(stored, stored_role) for stored_role in ROLES} | {role: path}
    current = dataclasses.replace(
        stored,
        judge=paths_by_role["judge"],
        second_reader=paths_by_role["second_reader"],
        text_model=paths_by_role["text_model"],
    )
    settings.save(current)
    new_engines = launch.build_engines(current)
    fields = {"judge": ("judge", "judge_file"), "second_reader": ("second_reader", "second_reader_file")}
    role_engines = {name: getattr(new_engines, name) for name in fields.get(role, (role,))}
    former = getattr(engines, role)
    if former is not None and hasattr(former, "close"):
        former.close()
    return dataclasses.replace(engines, **role_engines)


def benchmark(
    name: str,
    progress: Progress | None = None,
    *,
    again: bool = True,
    hold: Callable[[JudgeClient | None], None] = lambda _judge: None,
) -> ModelStatus:
    """Measure how fast a model reads, and have it sit the exam where it did not, or did and is to do it ``again``.

    It runs apart from the engines in use. ``hold`` is given it for as long, so that another thread may interrupt it.
    What is remembered of its faults is forgotten: this is how a person tries it once more.
    """
    progress = progress or silent()
    status = model_named(name)
    if status.problem and status.model.state():
        raise BadInput(reason=f"{status.model.name} cannot be used: {status.problem}.", remedy=status.remedy)
    _refuse_without_memory(status.model)
    crash_history.remember(status.model.path, "")
    judge = JudgeClient(status.model.path, sha256=status.model.sha256)
    hold(judge)
    try:
        with progress.asking():
            progress.step(0, 1, f"Measuring {status.model.name}")
            registry.keep_speed(status.model, judge.speed())
            progress.step(1, 1, "Measured")
            if again or exam_results.result_of(judge.fingerprint) is None:
                exam_results.run_exam(judge, progress)
    finally:
        hold(None)
        judge.close()
    return model_named(status.model.id)


def _own_judge() -> ModelFile | None:
    """Return the judge that comes with the program; None if it is not on this computer, or no sound file."""
    path = launch.judge_file(Settings())
    if path is None:
        return None
    try:
        # Of what lies there now, not of what its card says: it may have been changed since.
        file = dataclasses.replace(registry.look(path), sha256=registry.sum_of(path))
    except (AppError, OSError):
        return None
    file = dataclasses.replace(file, speed=registry.speed_of(file.sha256))
    card = labels.card()
    if file.sha256 != card.sha256:
        return dataclasses.replace(file, name=path.stem)
    return dataclasses.replace(file, name=card.name, licence=card.licence)


def _swap_problem(own_judge: ModelFile) -> tuple[str, str]:
    """Return cause and remedy where the program's own judge is not the file of its card."""
    expected = labels.card().sha256
    if own_judge.sha256 == expected:
        return "", ""
    return (
        f"the file is not the one that came with it: its sha256 begins with {own_judge.sha256[:12]} "
        f"and not {expected[:12]}",
        errors.remedy("Restore it from the checkout."),
    )


def _status_of(model: ModelFile, current: Settings, *, own: bool = False) -> ModelStatus:
    path_by_role = {"judge": current.judge, "second_reader": current.second_reader, "text_model": current.text_model}
    roles = tuple(
        role
        for role in ROLES
        if (path_by_role[role] and Path(path_by_role[role]) == model.path)
        or (own and role == "judge" and not current.judge)
    )
    outcome, fault = crash_history.outcome_of(model.path)
    problem, remedy = _swap_problem(model) if own else (model.state(), "Put the file back, or add the model again.")
    remedy = remedy if problem else ""
    note = ""
    if outcome == "never":
        problem = (
            problem
            or f"its process ended because of {crash_history.words(fault)} each time it was started on this computer"
        )
        remedy = remedy or errors.remedy(
            "Test it to try once more, or build the library that runs it with fewer instructions: "
            "python3 packaging/bootstrap.py setup --plain",
            "Test it to try once more, or choose another model.",
        )
    elif outcome == "plain":
        note = f"It runs with plain settings, because its process ended with {crash_history.words(fault)}: more slowly."
    free = gguf.free_memory()
    if not problem and free is not None and free < model.memory and not roles:
        note = note or f"It needs about {model.memory / 1e6:,.0f} MB of memory, and {free / 1e6:,.0f} MB are free now."
    result = exam_results.result_of_weights(model.sha256)
    return ModelStatus(model, roles, result, problem, note, own, remedy)


def _refuse_without_memory(model: ModelFile) -> None:
    free = gguf.free_memory()
    if free is not None and free < model.memory:
        raise NotEnoughMemory(
            role="language", needed=f"{model.memory / 1e6:,.0f}", free=f"{free / 1e6:,.0f}", effect="it was not loaded"
        )
