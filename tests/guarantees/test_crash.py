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
    return [one for one in case.verify(silent()).problems if "has been corrected or read again" not in one.what]


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


def done(verb: str, path: Path, monkeypatch: pytest.MonkeyPatch):
    """Do one verb: the steps of the disk, the log before and after it, and the number of steps before closing."""
    with (
        remembering(path, monkeypatch) as history,
        Workbench.open(path, engines(), who="ann", now=clock(LATER)) as bench,
    ):
        before = written(bench.store)
        opened = len(history.steps)
        VERBS[verb](bench, path.parent)
        after = written(bench.store)
        acknowledged = len(history.steps)
    return history, before, after, opened, acknowledged


def steps_of(count: int, most: int | None) -> list[int]:
    """All numbers of steps, or ``most`` of them spread evenly, the first and the last among them."""
    if most is None or count <= most:
        return list(range(count + 1))
    return sorted({round(at * count / (most - 1)) for at in range(most)})


def check_prefix(log, before, after, *, acknowledged: bool, where: str) -> None:
    shared = log[: len(after)]
    assert shared == after[: len(shared)], where
    assert len(log) >= len(before), where
    if acknowledged:
        assert len(log) >= len(after), where


def killed(verb: str, template: Path, folder: Path, monkeypatch, most: int | None) -> int:
    path = copied(template, folder / "work")
    history, before, after, _, acknowledged = done(verb, path, monkeypatch)
    states: dict[tuple[tuple[str, bytes], ...], int] = {}
    for count in steps_of(len(history.steps), most):
        states.setdefault(tuple(sorted(history.after_kill(count).items())), count)
    for state, count in states.items():
        log = sound_log(dict(state), folder / "left")
        check_prefix(log, before, after, acknowledged=count >= acknowledged, where=f"{verb}: step {count}")
    return len(states)


@pytest.mark.parametrize("verb", FEW)
def test_a2_a_kill_at_any_write_leaves_a_verb_done_or_not_done(verb, template, tmp_path, monkeypatch, record_property):
    record_property("n", killed(verb, template, tmp_path, monkeypatch, 12))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("verb", VERBS)
def test_a2_a_kill_at_every_write_of_every_verb(verb, template, tmp_path, monkeypatch, record_property):
    record_property("n", killed(verb, template, tmp_path, monkeypatch, None))


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


def migrated(old: Path, folder: Path, monkeypatch, most: int) -> int:
    (folder / "work").mkdir(parents=True)
    path = folder / "work" / "case.disconfirm"
    shutil.copyfile(old, path)
    with remembering(path, monkeypatch) as history, CaseFile.open(path, who="ann", now=clock(LATER)) as case:
        after = written(case)
        texts = [page.text for page in case.pages.of(None)]
    rng = random.Random(old.name)
    count = 0
    for at in steps_of(len(history.steps), most):
        for files in (history.after_kill(at), history.after_power_cut(at), history.after_power_cut(at, rng)):
            log = sound_log(files, folder / "left")
            assert len(log) >= 1
            with CaseFile.open(folder / "left" / "case.disconfirm") as case:
                assert [page.text for page in case.pages.of(None)] == texts, f"{old.name}: step {at}"
            count += 1
    assert after
    return count


def test_a2_a_kill_or_power_cut_amid_a_migration_leaves_one_format_or_the_other(
    tmp_path, monkeypatch, flushed, record_property
):
    record_property("n", migrated(OLD[-1], tmp_path, monkeypatch, 4))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("old", OLD, ids=lambda file: file.stem)
def test_a2_a_kill_or_power_cut_at_many_steps_of_every_migration(old, tmp_path, monkeypatch, flushed, record_property):
    record_property("n", migrated(old, tmp_path, monkeypatch, 120))


# --- power cuts ------------------------------------------------------------------------------------------------------


def cut(template: Path, folder: Path, monkeypatch, seed: int, snapshots: int) -> int:
    """Verbs one after the other, then the power goes at random steps: every acknowledged decision is there."""
    rng = random.Random(seed)
    path = copied(template, folder / "work")
    acknowledged: list[tuple[int, tuple[str, ...]]] = []
    with remembering(path, monkeypatch) as history:
        with Workbench.open(path, engines(), who="ann", now=clock(LATER)) as bench:
            before = written(bench.store)
            opened = len(history.steps)
            for verb in rng.sample(sorted(VERBS), 6):
                try:
                    VERBS[verb](bench, path.parent)
                except (AppError, StopIteration, IndexError):  # what it needs is gone
                    continue
                acknowledged.append((len(history.steps), written(bench.store)))
        after = acknowledged[-1][1]
    count = 0
    for _ in range(snapshots):
        at = rng.randrange(opened, len(history.steps) + 1)
        for name, files in (
            ("kill", history.after_kill(at)),
            ("nothing of the rest", history.after_power_cut(at)),
            ("part of the rest", history.after_power_cut(at, rng)),
        ):
            log = sound_log(files, folder / "left")
            told = max((log for step, log in acknowledged if step <= at), key=len, default=before)
            where = f"seed {seed}, step {at} of {len(history.steps)}, {name}"
            check_prefix(log, before, after, acknowledged=False, where=where)
            assert log[: len(told)] == told, where
            count += 1
    return count


def test_a3_a_power_cut_loses_nothing_that_was_acknowledged(template, tmp_path, monkeypatch, flushed, record_property):
    record_property("n", cut(template, tmp_path, monkeypatch, 1, 8))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(2, 22))
def test_a3_many_power_cuts(seed, template, tmp_path, monkeypatch, flushed, record_property):
    record_property("n", cut(template, tmp_path, monkeypatch, seed, 20))


# --- a disk that fails -----------------------------------------------------------------------------------------------


def failed(verb: str, template: Path, folder: Path, monkeypatch, at: int, *, forever: bool) -> int:
    """Let one step of the disk fail, none where there are not so many; how many there were until then."""
    shutil.rmtree(folder, ignore_errors=True)
    path = copied(template, folder)
    with remembering(path, monkeypatch) as history:
        bench = Workbench.open(path, engines(), who="ann", now=clock(LATER))
        try:
            before = written(bench.store)
            history.fail_at, history.forever = at, forever
            is_done = True
            try:
                VERBS[verb](bench, path.parent)
            except AppError as error:
                is_done = not (error.sentence and error.hint)  # what is not told is believed to be done
            attempts = history.attempts
            known = written(bench.store)
            if not forever and attempts >= at:  # the work goes on
                bench.hypotheses.add("Said after the fault.")
                known = written(bench.store)
        finally:
            history.fail_at = history.fail_at if forever else 0
            bench.close()
            history.fail_at = 0
    with CaseFile.open(path, who="ann", now=clock("2026-07-01T00:00:00+00:00")) as case:
        log = written(case)
        where = f"{verb}: step {at} fails{' from then on' if forever else ''}"
        for document in case.documents.unfinished():
            case.documents.drop(document.id)
        assert faults(case) == [], where
        assert log[: len(before)] == before, where
        if is_done or not forever:
            assert log[: len(known)] == known, where
    return attempts


NEVER = 1 << 30


def every_failure(verb: str, template: Path, folder: Path, monkeypatch, most: int | None, *, forever: bool) -> int:
    """Let each step fail, or ``most`` of them spread evenly; how many did."""
    count = failed(verb, template, folder, monkeypatch, NEVER, forever=forever)
    steps = [at for at in steps_of(count, most) if at]
    assert all(failed(verb, template, folder, monkeypatch, at, forever=forever) >= at for at in steps)
    return len(steps)


@pytest.mark.parametrize("forever", [False, True])
@pytest.mark.parametrize("verb", ["rate many", "remove hypothesis", "add documents"])
def test_a4_a_write_that_fails_leaves_a_verb_done_or_not_done(
    verb, forever, template, tmp_path, monkeypatch, flushed, record_property
):
    tries = [
        at
        for at in (1, 2, 3, 5, 8, 13)
        if failed(verb, template, tmp_path / "w", monkeypatch, at, forever=forever) >= at
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
