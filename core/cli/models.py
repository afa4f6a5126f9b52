"""The commands about language models: what is here, what each is used for, how fast it is and what it reached."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path

from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json
from core.errors import BadInput, ModelMissing, Problem
from core.model_files import registry
from core.runtime import roles as here
from core.verdicts import exam as exams
from core.verdicts import exam_results


def register(commands: Commands) -> None:
    sub = commands.add("models", run_models, "the language models: list, add, remove, role, test", case=False)
    sub.add_argument("action", nargs="?", default="list", choices=("list", "add", "remove", "role", "test"))
    sub.add_argument("wanted", nargs="*", metavar="PATH|MODEL|ROLE", help="of a model its id, name or path")
    sub.add_argument("--keep", action="store_true", help="with add: use the file where it lies, without a copy")
    sub.add_argument("--again", action="store_true", help="with test: sit the exam again")
    sub = commands.add("exam", run_exam, "show what the judging model reached in its exam, or sit it", case=False)
    sub.add_argument("--again", action="store_true", help="sit it again")
    sub.add_argument("--model", metavar="FILE.gguf", help="another model than the one in use")


def run_models(args: Namespace, app: App) -> int:
    wanted: list[str] = args.wanted
    problems: tuple[Problem, ...] = ()
    match args.action:
        case "list":
            shown = [here.one(name) for name in wanted] or here.standing()
        case "add":
            files = [Path(name) for name in _some(args, wanted, "a file or folder")]
            added = registry.add(files, copy=not args.keep, progress=app.out.progress())
            shown, problems = [here.one(model.id) for model in added.models], added.problems
        case "remove":
            for name in _some(args, wanted, "a model"):
                app.engines, _ = here.remove(app.engines, name)
            shown = here.standing()
        case "role":
            if len(wanted) != 2 or wanted[1] not in here.ROLES:
                raise BadInput(
                    reason="A role is given to one model.",
                    remedy=f"Use: disconfirm models role MODEL|none {'|'.join(here.ROLES)}",
                )
            role = next(role for role in here.ROLES if role == wanted[1])
            app.engines = here.give_role(app.engines, role, None if wanted[0] == "none" else wanted[0])
            shown = here.standing()
        case _:
            shown = [here.tried(name, app.out.progress(), again=args.again) for name in wanted or ["default"]]
    app.out.result(
        {"models": [_told(one) for one in shown], "problems": [asdict(problem) for problem in problems]},
        lambda: [line for one in shown for line in _lines(one)] or "no language model is on this computer",
    )
    failed = args.action == "test" and not all(one.may_judge for one in shown)
    return app.out.problems(problems) or int(failed)


def _some(args: Namespace, wanted: list[str], what: str) -> list[str]:
    if wanted:
        return wanted
    raise BadInput(reason=f"Nothing was named: {what}.", remedy=f"Use: disconfirm models {args.action} NAME")


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
        f"  {model.architecture} {model.weights / 1e6:,.0f} M {model.quantisation}, asked as {model.frame}, "
        f"{model.bytes / 1e6:,.0f} MB, about {model.memory / 1e6:,.0f} MB of memory, licence: {model.licence}",
        f"  {one.result.line()}" if one.result else "  not examined yet",
        f"  {model.speed:,.0f} tokens a second" if model.speed is not None else "  speed not measured yet",
        f"  {model.path}  sha256 {model.sha256}",
    ]
    told += [f"  {said}" for said in (one.problem, one.remedy, one.note) if said]
    return told


def run_exam(args: Namespace, app: App) -> int:
    """The exam of the judge in use, or of another model file; sat where there is no result yet."""
    if args.model:
        app.settings = replace(app.settings, judge=str(Path(args.model).absolute()))
    judge = app.engines.judge
    if judge is None:
        raise ModelMissing(role="judging", path="the models folder", effect="no exam can be sat")
    result = None if args.again else exam_results.result_of(judge.fingerprint)
    result = result or exam_results.sit(judge, app.out.progress())
    told = {**asdict(result), "passed": result.passed}
    app.out.result(told, lambda: list(exams.lines(result)))
    return 0 if result.passed else 1
