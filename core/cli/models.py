"""The commands about language models: what is here, what each is used for, how fast it is and what it reached."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.search import Output, WithEngines
from core.errors import BadInput, Problem
from core.model_files import registry
from core.runtime import roles as here

Json = dict[str, Any]


class ModelCommands(WithEngines):
    """One method a command; each returns the exit code."""

    a: argparse.Namespace
    out: Output

    def models(self) -> int:
        wanted: list[str] = self.a.wanted
        problems: tuple[Problem, ...] = ()
        match self.a.action:
            case "list":
                shown = [here.one(name) for name in wanted] or here.standing()
            case "add":
                files = [Path(name) for name in self._some(wanted, "a file or folder")]
                added = registry.add(files, copy=not self.a.keep, progress=self.out.progress())
                shown, problems = [here.one(model.id) for model in added.models], added.problems
            case "remove":
                for name in self._some(wanted, "a model"):
                    self._engines, _ = here.remove(self.engines, name)
                shown = here.standing()
            case "role":
                if len(wanted) != 2 or wanted[1] not in here.ROLES:
                    raise BadInput(
                        reason="A role is given to one model.",
                        remedy=f"Use: disconfirm models role MODEL|none {'|'.join(here.ROLES)}",
                    )
                role = next(role for role in here.ROLES if role == wanted[1])
                self._engines = here.give_role(self.engines, role, None if wanted[0] == "none" else wanted[0])
                shown = here.standing()
            case _:
                shown = [here.tried(name, self.out.progress(), again=self.a.again) for name in wanted or ["default"]]
        self.out.result(
            {"models": [_told(one) for one in shown], "problems": [asdict(problem) for problem in problems]},
            lambda: [line for one in shown for line in _lines(one)] or "no language model is on this computer",
        )
        failed = self.a.action == "test" and not all(one.may_judge for one in shown)
        return self.out.problems(problems) or int(failed)

    def _some(self, wanted: list[str], what: str) -> list[str]:
        if wanted:
            return wanted
        raise BadInput(reason=f"This needs {what}.", remedy=f"Use: disconfirm models {self.a.action} NAME")


def _told(one: here.Standing) -> Json:
    model, result = one.model, one.result
    return {
        "id": model.id,
        "name": model.name,
        "path": str(model.path),
        "sha256": model.sha256,
        "own": one.own,
        "copied": model.copied,
        "roles": list(one.roles),
        "architecture": model.architecture,
        "quantisation": model.quantisation,
        "frame": model.frame,
        "licence": model.licence,
        "weights": model.weights,
        "bytes": model.bytes,
        "memory": model.memory,
        "window": model.window,
        "tokens_a_second": model.speed,
        "exam": {**asdict(result), "passed": result.passed} if result else None,
        "may_judge": one.may_judge,
        "problem": one.problem,
        "remedy": one.remedy,
        "note": one.note,
    }


def _lines(one: here.Standing) -> list[str]:
    model = one.model
    told = [
        f"{model.id}  {model.name}" + ("  (comes with the program)" if one.own else ""),
        "  " + ", ".join(here.CALLED[role] for role in one.roles or ()) if one.roles else "  has no role",
        f"  {model.architecture} {model.weights / 1e6:,.0f} M {model.quantisation}, chat template {model.frame}, "
        f"{model.bytes / 1e6:,.0f} MB, about {model.memory / 1e6:,.0f} MB of memory, licence: {model.licence}",
        f"  {one.result.line()}" if one.result else "  not examined yet",
        f"  {model.speed:,.0f} tokens a second" if model.speed is not None else "  speed not measured yet",
        f"  {model.path}  sha256 {model.sha256}",
    ]
    told += [f"  {said}" for said in (one.problem, one.remedy, one.note) if said]
    return told


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Their arguments; ``command`` makes one by its name and help."""
    sub = command("models", "the language models: list, add, remove, role, test", case=False)
    sub.add_argument("action", nargs="?", default="list", choices=("list", "add", "remove", "role", "test"))
    sub.add_argument("wanted", nargs="*", metavar="PATH|MODEL|ROLE", help="the id, name or path of a model")
    sub.add_argument("--keep", action="store_true", help="with add: use the file in place, without a copy")
    sub.add_argument("--again", action="store_true", help="with test: run the exam again")
