"""The commands about language models: what is here, what each is used for, how fast it is and what it reached."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json, problems_json
from core.errors import BadInput, ModelMissing, Problem
from core.model_files import registry
from core.runtime import roles
from core.verdicts import exam as exams
from core.verdicts import exam_results


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("models", run_models, "the language models: list, add, remove, role, test", case=False)
    sub.add_argument("action", nargs="?", default="list", choices=("list", "add", "remove", "role", "test"))
    sub.add_argument("models", nargs="*", metavar="PATH|MODEL|ROLE", help="the id, name or path of a model")
    sub.add_argument("--keep", action="store_true", help="with add: use the file in place, without a copy")
    sub.add_argument("--again", action="store_true", help="with test: run the exam again")
    sub = commands.add("exam", run_exam, "show the judging model's exam results, or run the exam", case=False)
    sub.add_argument("--again", action="store_true", help="run it again")
    sub.add_argument("--model", metavar="FILE.gguf", help="a model other than the one in use")


def run_models(args: Namespace, app: App) -> int:
    """Add, remove, test language models or give them a role, and list them."""
    names: list[str] = args.models
    problems: tuple[Problem, ...] = ()
    match args.action:
        case "list":
            standings = [roles.model_named(name) for name in names] or roles.list_models()
        case "add":
            files = [Path(name) for name in _some(args, names, "a file or folder")]
            addition = registry.add(files, copy=not args.keep, progress=app.out.progress())
            standings, problems = [roles.model_named(model.id) for model in addition.models], addition.problems
        case "remove":
            for name in _some(args, names, "a model"):
                app.engines, _ = roles.remove(app.engines, name)
            standings = roles.list_models()
        case "role":
            if len(names) != 2 or names[1] not in roles.ROLES:
                raise BadInput(
                    reason="A role is given to one model.",
                    remedy=f"Use: disconfirm models role MODEL|none {'|'.join(roles.ROLES)}",
                )
            role = next(role for role in roles.ROLES if role == names[1])
            app.engines = roles.give_role(app.engines, role, None if names[0] == "none" else names[0])
            standings = roles.list_models()
        case _:
            standings = [roles.benchmark(name, app.out.progress(), again=args.again) for name in names or ["default"]]
    app.out.result(
        {"models": [standing_json(standing) for standing in standings], "problems": problems_json(problems)},
        lambda: (
            [line for standing in standings for line in _standing_lines(standing)]
            or "no language model is on this computer"
        ),
    )
    has_failure = args.action == "test" and not all(standing.may_judge for standing in standings)
    return app.out.problems(problems) or int(has_failure)


def _some(args: Namespace, names: list[str], what: str) -> list[str]:
    if names:
        return names
    raise BadInput(reason=f"This needs {what}.", remedy=f"Use: disconfirm models {args.action} NAME")


def standing_json(standing: roles.ModelStatus) -> Json:
    """Return a model with its roles, its exam and its speed."""
    model, result = standing.model, standing.result
    return {
        "id": model.id,
        "name": model.name,
        "path": str(model.path),
        "sha256": model.sha256,
        "own": standing.own,
        "copied": model.copied,
        "roles": list(standing.roles),
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
        "may_judge": standing.may_judge,
        "problem": standing.problem,
        "remedy": standing.remedy,
        "note": standing.note,
    }


def _standing_lines(standing: roles.ModelStatus) -> list[str]:
    model = standing.model
    lines = [
        f"{model.id}  {model.name}" + ("  (comes with the program)" if standing.own else ""),
        "  " + ", ".join(roles.ROLE_NAMES[role] for role in standing.roles or ())
        if standing.roles
        else "  has no role",
        f"  {model.architecture} {model.weights / 1e6:,.0f} M {model.quantisation}, chat template {model.frame}, "
        f"{model.bytes / 1e6:,.0f} MB, about {model.memory / 1e6:,.0f} MB of memory, licence: {model.licence}",
        f"  {standing.result.line()}" if standing.result else "  not examined yet",
        f"  {model.speed:,.0f} tokens a second" if model.speed is not None else "  speed not measured yet",
        f"  {model.path}  sha256 {model.sha256}",
    ]
    lines += [f"  {note}" for note in (standing.problem, standing.remedy, standing.note) if note]
    return lines


def run_exam(args: Namespace, app: App) -> int:
    """Show the exam of the judge in use, or of another model file; it is sat where there is no result yet."""
    if args.model:
        app.settings = replace(app.settings, judge=str(Path(args.model).absolute()))
    judge = app.engines.judge
    if judge is None:
        raise ModelMissing(role="judging", path="the models folder", effect="no exam can be run")
    result = None if args.again else exam_results.result_of(judge.fingerprint)
    result = result or exam_results.run_exam(judge, app.out.progress())
    fields = {**asdict(result), "passed": result.passed}
    app.out.result(fields, lambda: list(exams.lines(result)))
    return 0 if result.passed else 1
