"""Results of the exam of judges: kept in the person's folder by fingerprint, asked for before any verdict.

A result that comes with the program stands for the judge that comes with it; another build of the library or other
weights have another fingerprint, and sit the exam themselves.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from core import files, paths
from core.domain import Probabilities
from core.errors import BadInput, ModelMissing, ModelUnreadable
from core.model_files.registry import recorded
from core.ports import Engines, Judge
from core.progress import Progress, silent
from core.text import digest
from core.verdicts import exam, labels

NOT_EXAMINED = "not examined yet: it takes the exam before its first verdict is shown"


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


def run_exam(judge: Judge, progress: Progress | None = None, *, now: Callable[[], datetime] = utc_now) -> exam.Result:
    """Have ``judge`` answer every question and withstand every attack; keeps the result and returns it.

    Some 30,000 tokens each, one or two minutes for the judge that comes with the program. Nothing is kept of an
    exam that is cancelled. Raises CannotWrite, and what the judge raises.
    """
    progress = progress or silent()
    began, sat = time.monotonic(), now()
    questions = exam.passages(exam.pairs())
    twins = exam.twins(exam.statements(), exam.attacks())
    total = len(questions) + len(twins)
    answers: dict[str, Probabilities] = {}
    answers_under_attack: list[list[Probabilities]] = []
    with progress.asking():
        fingerprint = judge.fingerprint
        for number, (passage, those) in enumerate(questions.items()):
            progress.step(number, total, "The judge takes its exam")
            probabilities = judge.judge(passage, [pair.hypothesis for pair in those])
            answers.update(zip((pair.id for pair in those), probabilities, strict=True))
        for number, twin in enumerate(twins, start=len(questions)):
            progress.step(number, total, "Testing the judge with planted instructions")
            answers_under_attack.append(judge.judge(twin.passage, [pair.hypothesis for pair in twin.pairs]))
    # Its process may have been started again, on another file of the same name.
    if labels.weights_of(judge.fingerprint) != labels.weights_of(fingerprint):
        raise ModelUnreadable(
            path=judge.fingerprint[:80],
            reason="it took the place of another model during the exam",
            effect="the exam has no result",
        )
    result = exam.grade(
        exam.pairs(),
        answers,
        judge=fingerprint,
        sat=sat.isoformat(timespec="seconds").replace("+00:00", "Z"),
        seconds=time.monotonic() - began,
        attack_result=exam.grade_attacks(twins, answers, answers_under_attack),
    )
    keep(result)
    progress.step(total, total, "Exam done")
    return result


def require_judge(engines: Engines, progress: Progress | None = None) -> Judge:
    """Return the judge in use, once it is known that it may judge; without a result it sits the exam now.

    Raises ModelMissing without a judge, BadInput for one that does not clearly beat chance.
    """
    return _admit(judge_of(engines), "judging model", engines, progress)


def judge_of(engines: Engines) -> Judge:
    """Return the judge in use, whatever it may do. Raises ModelMissing without one."""
    if engines.judge is None:
        raise ModelMissing(role="judging", path="the models folder", effect="no passage can be judged")
    return engines.judge


def second_reader(engines: Engines, progress: Progress | None = None) -> Judge | None:
    """Return the second reader as ``require_judge`` does the judge; None if no model has that role."""
    reader = engines.second_reader
    return None if reader is None else _admit(reader, "second reader", engines, progress)


def _admit(judge: Judge, role: str, engines: Engines, progress: Progress | None) -> Judge:
    if engines.examine:
        result = result_of(judge.fingerprint) or run_exam(judge, progress)
        if not result.passed:
            raise BadInput(
                reason=f"The {role} is not clearly better than chance, so it gives no verdicts: {why_not(result)}.",
                remedy="Choose another model for this on the Models page, or rate the passages by hand.",
            )
    return judge


def why_not(result: exam.Result) -> str:
    """Return in figures why a judge with this result may not judge."""
    share = result.statements
    return (
        f"in the exam {share.value:.0%} of {share.n} answers on direct statements were right ({share.low:.0%} to "
        f"{share.high:.0%}), and at least {exam.MUST_REACH:.0%} is required at the lower end"
    )


def result_of(fingerprint: str) -> exam.Result | None:
    """Return what the judge of this fingerprint reached, here or where the program was made; None: not examined."""
    for folder in (_user_folder(), _program_folder()):
        result = _read(folder / _name(fingerprint))
        if result is not None and result.judge == fingerprint:
            return result
    return None


def show_thresholds(fingerprint: str) -> tuple[labels.ShowThreshold, ...]:
    """List the probabilities from which on a judge's verdicts are shown in a strict case.

    By the card of the judge that comes with the program, else by the exam; nothing of a judge that did not sit it.
    """
    own_card = labels.card()
    if own_card.sure and labels.is_own(fingerprint):
        return own_card.sure
    result = result_of(fingerprint)
    if result is None:
        return ()
    counts = {row.label: row.n for row in result.classes}
    on = f"the exam of {result.accuracy.n} pairs"
    return tuple(
        labels.ShowThreshold(
            row.label,
            row.threshold,
            round(row.found * counts[row.label] / row.shown, 4) if row.shown else 0.0,
            row.coverage,
            row.shown,
            on,
        )
        for row in result.strict
    )


def margin_of(fingerprint: str) -> float:
    """Return how near a judge's two likeliest answers may lie before they are no answer.

    By the card of the judge that comes with the program, by its exam for any other.
    """
    own_card = labels.card()
    result = None if labels.is_own(fingerprint) else result_of(fingerprint)
    return own_card.threshold if result is None or result.decided is None else result.decided.margin


def result_in_use(engines: Engines) -> exam.Result | None:
    """Return what the judge in use reached, as far as it is known without starting it."""
    judge = engines.judge
    if judge is None:
        return None
    # A judge in a process of its own knows its fingerprint when that process has started, and starts it when asked.
    if getattr(judge, "sandbox", True) is not None:
        return result_of(judge.fingerprint)
    weights = sha256_of(engines.judge_file)
    return result_of_weights(weights) if weights else None


def result_of_weights(sha256: str) -> exam.Result | None:
    """Return the last result of the model of this sha256; None: it did not sit the exam."""
    results = [_read(file) for folder in (_user_folder(), _program_folder()) for file in sorted(folder.glob("*.json"))]
    matches = [result for result in results if result is not None and labels.weights_of(result.judge) == sha256[:16]]
    return max(matches, key=lambda result: result.sat, default=None)


def card(engines: Engines) -> labels.ModelCard | None:
    """Return the card of the judge in use; None without a judge."""
    if engines.judge is None:
        return None
    result = result_in_use(engines)
    if result is not None:
        return model_card(result.judge)
    if getattr(engines.judge, "sandbox", True) is not None:
        return model_card(engines.judge.fingerprint)
    file = engines.judge_file
    if file is None or labels.is_own(f"sha256:{sha256_of(file)[:16]}"):
        return labels.model_card(labels.card().name, NOT_EXAMINED, own=True)
    return labels.model_card(file.stem, NOT_EXAMINED, own=False)


def model_card(fingerprint: str) -> labels.ModelCard:
    """Return the card of the judge of this fingerprint: its result in the exam, its margin, its thresholds."""
    result = result_of(fingerprint)
    is_own = labels.is_own(fingerprint)
    if result is None:
        return labels.model_card(fingerprint, NOT_EXAMINED, own=is_own)
    share, clues = result.statements, result.half("clues")
    card = labels.model_card(fingerprint, result.line(), (share.value, share.low, share.high), own=is_own)
    card = replace(
        card,
        sure=show_thresholds(fingerprint),
        clues=None if clues is None else (clues.accuracy.value, clues.accuracy.low, clues.accuracy.high, clues.chance),
    )
    if result.decided is None or is_own:
        return card
    return replace(
        card,
        threshold=result.decided.margin,
        coverage=result.decided.shown,
        accuracy_of_kept=result.decided.right,
        threshold_fitted_on=(f"the exam of {result.accuracy.n} pairs",),
    )


# --- kept in a case ---------------------------------------------------------------------------------------------------

_LONGEST = 200_000  # characters of what a case keeps of one model; it comes from others, too


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """The record of a model from when it first gave verdicts in a case."""

    card: labels.ModelCard
    result: exam.Result


def to_keep(fingerprint: str) -> str:
    """Write what a case keeps of a model that gives verdicts in it, as JSON; '' of one that did not sit the exam."""
    result = result_of(fingerprint)
    if result is None:
        return ""
    record = {"card": asdict(model_card(fingerprint)), "exam": asdict(result)}
    return json.dumps(record, ensure_ascii=False, sort_keys=True)


@functools.lru_cache(maxsize=32)
def read_record(text: str, fingerprint: str) -> ModelRecord | None:
    """Read what a case keeps of the model of this fingerprint; None for nothing, and for what is not of it."""
    if not text or len(text) > _LONGEST:
        return None
    try:
        raw = json.loads(text)
        record = ModelRecord(labels.card_from(raw["card"]), exam.from_raw(raw["exam"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return record if record.result.judge == fingerprint else None


# --- files ------------------------------------------------------------------------------------------------------------


def keep(result: exam.Result, folder: Path | None = None) -> Path:
    """Write ``result`` into the person's folder, whole or not at all. Raises CannotWrite."""
    folder = folder or _user_folder()
    target = folder / _name(result.judge)
    files.write(target, result.as_json() + "\n", make_folder=True)
    return target


def _user_folder() -> Path:
    return paths.user_data() / "exams"


def _program_folder() -> Path:
    return exam.folder() / "results"


def _name(fingerprint: str) -> str:
    return f"{digest(fingerprint)[:16]}.json"


def _read(file: Path) -> exam.Result | None:
    """Read a result; a file that is missing, broken or of another exam is as good as none, as it can be sat again."""
    try:
        return exam.from_json(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def sha256_of(weights: Path | None) -> str:
    """Return the sha256 that a model file must have before it may answer; '' where nothing is known of it.

    By who added it, or by the card of the judge that comes with the program.
    """
    return recorded(weights) or (labels.card().sha256 if weights == paths.reader() else "")


def other_model(engines: Engines, fingerprint: str) -> str:
    """Return the name of the model of a verdict; '' for one in use as judge or second reader.

    A model is its weights: another version of the library makes no other model of it. Nothing is started to find out.
    """
    in_use = ((engines.judge, engines.judge_file), (engines.second_reader, engines.second_reader_file))
    for judge, file in in_use:
        if judge is None:
            continue
        if getattr(judge, "sandbox", True) is not None:
            same = labels.weights_of(judge.fingerprint) == labels.weights_of(fingerprint)
        else:
            sha256, weights = sha256_of(file)[:16], labels.weights_of(fingerprint)
            same = sha256 in ("", weights)
        if same:
            return ""
    name = fingerprint.partition(" sha256:")[0]
    return f"by a model other than the one in use: {name}"
