"""Kills, power cuts and failing disks at every step of every verb (rows A2, A3 and A4)."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from core.errors import AppError, Problem
from core.progress import silent
from core.store import CaseFile, decision_log, entry_rules
from core.workbench import Workbench
from tests.core.store.material import clock
from tests.guarantees.disk import History, remembering
from tests.guarantees.verbs import OWN_ENTRIES, VERBS, build, copied, engines

OLD_CASES = Path(__file__).resolve().parents[1] / "old_cases"
LATER = "2026-06-01T00:00:00+00:00"
FEW = ("rate many", "remove hypothesis", "add documents", "undo", "merge", "check words")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return build(tmp_path_factory.mktemp("case"))


def written(case: CaseFile) -> tuple[str, ...]:
    """The hashes of the log, but of the entry that a case gets wherever its file is written anew after an erasing."""
    return tuple(entry.hash for entry in case.log.entries() if entry.verb != decision_log.REWRITE)


def faults(case: CaseFile) -> list[Problem]:
    """What a check finds, but quotes whose page a person corrected and that wait to be looked at."""
    return [fault for fault in case.verify(silent()).problems if "has been corrected or read again" not in fault.what]


def sound_log(files: dict[str, bytes], folder: Path) -> tuple[str, ...]:
    """The log of a case that a crash left: it opens, everything in it is proven, nothing is half done."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with CaseFile.open(folder / "case.disconfirm", who="ann", now=clock("2026-07-01T00:00:00+00:00")) as case:
        entries = written(case)
        for document in case.documents.unfinished():
            case.documents.drop(document.id)
        assert faults(case) == []
    return entries


def run_verb(verb: str, path: Path, monkeypatch: pytest.MonkeyPatch):
    """Do one verb: the steps of the disk, the log before and after it, and the number of steps before closing."""
    with (
        remembering(path, monkeypatch) as history,
        Workbench.open(path, engines(), who="ann", now=clock(LATER)) as bench,
    ):
        old_log = written(bench.store)
        opening_steps = len(history.steps)
        VERBS[verb](bench, path.parent)
        new_log = written(bench.store)
        acknowledged = len(history.steps)
    return history, old_log, new_log, opening_steps, acknowledged


def steps_of(count: int, limit: int | None) -> list[int]:
    """All numbers of steps, or ``most`` of them spread evenly, the first and the last among them."""
    if limit is None or count <= limit:
        return list(range(count + 1))
    return sorted({round(number * count / (limit - 1)) for number in range(limit)})


def check_prefix(log, old_log, new_log, *, acknowledged: bool, where: str) -> None:
    shared = log[: len(new_log)]
    assert shared == new_log[: len(shared)], where
    assert len(log) >= len(old_log), where
    if acknowledged:
        assert len(log) >= len(new_log), where


def kill(verb: str, template: Path, folder: Path, monkeypatch, limit: int | None) -> int:
    path = copied(template, folder / "work")
    history, old_log, new_log, _, acknowledged = run_verb(verb, path, monkeypatch)
    states: dict[tuple[tuple[str, bytes], ...], int] = {}
    for count in steps_of(len(history.steps), limit):
        states.setdefault(tuple(sorted(history.after_kill(count).items())), count)
    for state, count in states.items():
        log = sound_log(dict(state), folder / "left")
        check_prefix(log, old_log, new_log, acknowledged=count >= acknowledged, where=f"{verb}: step {count}")
    return len(states)


@pytest.mark.parametrize("verb", FEW)
def test_a2_a_kill_at_any_write_leaves_a_verb_done_or_not_done(verb, template, tmp_path, monkeypatch, record_property):
    record_property("n", kill(verb, template, tmp_path, monkeypatch, 12))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("verb", VERBS)
def test_a2_a_kill_at_every_write_of_every_verb(verb, template, tmp_path, monkeypatch, record_property):
    record_property("n", kill(verb, template, tmp_path, monkeypatch, None))


def test_every_verb_of_the_log_is_tried(template, tmp_path):
    """What the verbs here write into the log are all verbs that there are."""
    path = copied(template, tmp_path / "work")
    verbs = set()
    for name, verb in VERBS.items():
        shutil.copyfile(template, path)
        with Workbench.open(path, engines(), who="ann", now=clock(LATER)) as bench:
            verb(bench, path.parent)
            verbs |= {entry.verb for entry in bench.store.log.entries()}
            assert faults(bench.store) == [], name
    assert set(entry_rules.WRITES) - verbs - OWN_ENTRIES == set()


OLD = sorted(OLD_CASES.glob("*.disconfirm"), key=lambda file: file.name)


def migrate(old: Path, folder: Path, monkeypatch, limit: int) -> int:
    (folder / "work").mkdir(parents=True)
    path = folder / "work" / "case.disconfirm"
    shutil.copyfile(old, path)
    with remembering(path, monkeypatch) as history, CaseFile.open(path, who="ann", now=clock(LATER)) as case:
        after = written(case)
        texts = [page.text for page in case.pages.of(None)]
    rng = random.Random(old.name)
    count = 0
    for step in steps_of(len(history.steps), limit):
        for files in (history.after_kill(step), history.after_power_cut(step), history.after_power_cut(step, rng)):
            log = sound_log(files, folder / "left")
            assert len(log) >= 1
            with CaseFile.open(folder / "left" / "case.disconfirm") as case:
                assert [page.text for page in case.pages.of(None)] == texts, f"{old.name}: step {step}"
            count += 1
    assert after
    return count


def test_a2_a_kill_or_power_cut_amid_a_migration_leaves_one_format_or_the_other(
    tmp_path, monkeypatch, flushed, record_property
):
    record_property("n", migrate(OLD[-1], tmp_path, monkeypatch, 4))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("old", OLD, ids=lambda file: file.stem)
def test_a2_a_kill_or_power_cut_at_many_steps_of_every_migration(old, tmp_path, monkeypatch, flushed, record_property):
    record_property("n", migrate(old, tmp_path, monkeypatch, 120))


# --- power cuts ------------------------------------------------------------------------------------------------------


def cut_power(template: Path, folder: Path, monkeypatch, seed: int, snapshots: int) -> int:
    """Verbs one after the other, then the power goes at random steps: every acknowledged decision is there."""
    rng = random.Random(seed)
    path = copied(template, folder / "work")
    acknowledged: list[tuple[int, tuple[str, ...]]] = []
    with remembering(path, monkeypatch) as history:
        with Workbench.open(path, engines(), who="ann", now=clock(LATER)) as bench:
            old_log = written(bench.store)
            opening_steps = len(history.steps)
            for verb in rng.sample(sorted(VERBS), 6):
                try:
                    VERBS[verb](bench, path.parent)
                except (AppError, StopIteration, IndexError):  # what it needs is gone
                    continue
                acknowledged.append((len(history.steps), written(bench.store)))
        new_log = acknowledged[-1][1]
    count = 0
    for _ in range(snapshots):
        moment = rng.randrange(opening_steps, len(history.steps) + 1)
        for name, files in (
            ("kill", history.after_kill(moment)),
            ("nothing of the rest", history.after_power_cut(moment)),
            ("part of the rest", history.after_power_cut(moment, rng)),
        ):
            log = sound_log(files, folder / "left")
            promise = max((log for step, log in acknowledged if step <= moment), key=len, default=old_log)
            where = f"seed {seed}, step {moment} of {len(history.steps)}, {name}"
            check_prefix(log, old_log, new_log, acknowledged=False, where=where)
            assert log[: len(promise)] == promise, where
            count += 1
    return count


def test_a3_a_power_cut_loses_nothing_that_was_acknowledged(template, tmp_path, monkeypatch, flushed, record_property):
    record_property("n", cut_power(template, tmp_path, monkeypatch, 1, 8))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(2, 22))
def test_a3_many_power_cuts(seed, template, tmp_path, monkeypatch, flushed, record_property):
    record_property("n", cut_power(template, tmp_path, monkeypatch, seed, 20))


# --- a disk that fails -----------------------------------------------------------------------------------------------


def fail(verb: str, template: Path, folder: Path, monkeypatch, step: int, *, forever: bool) -> int:
    """Let one step of the disk fail, none where there are not so many; how many there were until then."""
    shutil.rmtree(folder, ignore_errors=True)
    path = copied(template, folder)
    with remembering(path, monkeypatch) as history:
        bench = Workbench.open(path, engines(), who="ann", now=clock(LATER))
        try:
            old_log = written(bench.store)
            history.fail_at, history.forever = step, forever
            is_done = True
            try:
                VERBS[verb](bench, path.parent)
            except AppError as error:
                is_done = not (error.sentence and error.hint)  # what is not told is believed to be done
            attempts = history.attempts
            last_log = written(bench.store)
            if not forever and attempts >= step:  # the work goes on
                bench.hypotheses.add("Said after the fault.")
                last_log = written(bench.store)
        finally:
            history.fail_at = history.fail_at if forever else 0
            bench.close()
            history.fail_at = 0
    with CaseFile.open(path, who="ann", now=clock("2026-07-01T00:00:00+00:00")) as case:
        log = written(case)
        where = f"{verb}: step {step} fails{' from then on' if forever else ''}"
        for document in case.documents.unfinished():
            case.documents.drop(document.id)
        assert faults(case) == [], where
        assert log[: len(old_log)] == old_log, where
        if is_done or not forever:
            assert log[: len(last_log)] == last_log, where
    return attempts


NEVER = 1 << 30


def every_failure(verb: str, template: Path, folder: Path, monkeypatch, limit: int | None, *, forever: bool) -> int:
    """Let each step fail, or ``most`` of them spread evenly; how many did."""
    count = fail(verb, template, folder, monkeypatch, NEVER, forever=forever)
    steps = [step for step in steps_of(count, limit) if step]
    assert all(fail(verb, template, folder, monkeypatch, step, forever=forever) >= step for step in steps)
    return len(steps)


@pytest.mark.parametrize("forever", [False, True])
@pytest.mark.parametrize("verb", ["rate many", "remove hypothesis", "add documents"])
def test_a4_a_write_that_fails_leaves_a_verb_done_or_not_done(
    verb, forever, template, tmp_path, monkeypatch, flushed, record_property
):
    tries = [
        step
        for step in (1, 2, 3, 5, 8, 13)
        if fail(verb, template, tmp_path / "w", monkeypatch, step, forever=forever) >= step
    ]
    assert len(tries) > 2
    record_property("n", len(tries))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("forever", [False, True])
@pytest.mark.parametrize("verb", VERBS)
def test_a4_some_writes_of_every_verb_fail_once_and_forever(
    verb, forever, template, tmp_path, monkeypatch, flushed, record_property
):
    record_property("n", every_failure(verb, template, tmp_path / "w", monkeypatch, 12, forever=forever))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("forever", [False, True])
@pytest.mark.parametrize("verb", VERBS)
def test_a4_every_write_of_every_verb_fails_once_and_forever(
    verb, forever, template, tmp_path, monkeypatch, flushed, record_property
):
    record_property("n", every_failure(verb, template, tmp_path / "w", monkeypatch, None, forever=forever))


def test_what_a_disk_remembers_is_what_is_on_it(template, tmp_path, monkeypatch):
    """The model of the disk against the disk itself."""
    path = copied(template, tmp_path / "work")
    with remembering(path, monkeypatch) as history:
        with Workbench.open(path, engines(), who="ann", now=clock(LATER)) as bench:
            bench.hypotheses.add("One more.")
            bench.documents.add([path.parent / "more.txt"])
        assert isinstance(history, History)
        files = history.after_kill(len(history.steps))
    assert files == {path.name: path.read_bytes()}
