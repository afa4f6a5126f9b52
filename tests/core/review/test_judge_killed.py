"""A judge whose process is killed again and again, or gets too little memory: the program goes on, no verdict is made
up and none is lost."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from core import paths
from core.errors import EngineStopped, NotEnoughMemory
from core.model_files import gguf
from core.workbench import Workbench
from core.workers.client import Limits
from core.workers.engines import JudgeClient
from tests.core.engines import tiny_gguf
from tests.core.workers import child_engines

CHILD = [sys.executable, str(Path(child_engines.__file__))]
KILLS = 50
THINGS = ("pump", "valve", "door", "alarm", "seal")


class Killed(JudgeClient):
    """Its process is killed over every second passage, after that was sent and before it is answered."""

    def __init__(self, model: Path) -> None:
        super().__init__(model, command=CHILD, limits=Limits(start=60, item=60, whole=60))
        self.kills = 0
        self.spared = True
        self.pids: set[int] = set()

    def _start(self, item):
        child = super()._start(item)
        self.greet(child, item)
        return child

    def send(self, child, item, frame):
        self.spared = not self.spared
        if self.spared or self.kills >= KILLS:
            super().send(child, item, frame)
            return
        os.kill(child.process.pid, signal.SIGSTOP)
        super().send(child, item, frame)
        os.kill(child.process.pid, signal.SIGKILL)
        self.kills += 1
        self.pids.add(child.process.pid)


def all_proposals(bench: Workbench) -> list[tuple]:
    """All that was proposed, but for the order in which it came."""
    return sorted(
        (p.hypothesis, p.chunk, p.quote.text, dataclasses.astuple(p.verdict), p.explanation)
        for p in bench.verdicts.proposals()
    )


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills processes by signal")
def test_fifty_kills_in_the_midst_of_runs_lose_nothing(tmp_path, engines):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for number in range(60):
        thing = THINGS[number % len(THINGS)]
        (inbox / f"{number}.txt").write_text(f"On night {number} the {thing} stopped at {number} past two.", "utf-8")
    killed = Killed(tmp_path / "model.gguf")
    plain = JudgeClient(tmp_path / "model.gguf", command=CHILD)
    results = []
    try:
        for name, judge in (("undisturbed", plain), ("killed", killed)):
            used = dataclasses.replace(engines, judge=judge)
            with Workbench.create(tmp_path / f"{name}.disconfirm", used, who="Ann") as bench:
                bench.hypotheses.add("The pump stopped at night.")
                bench.documents.add([inbox])
                for _ in range(20):
                    previous_proposals = all_proposals(bench)
                    report = bench.review.propose(passages=60)
                    assert set(previous_proposals) <= set(all_proposals(bench))  # what was kept stays as it was
                    left_out = [note for note in report.notes if "was left out" in note or "not judged" in note]
                    if not left_out:
                        break
                assert bench.case.verify().ok
                results.append(all_proposals(bench))
    finally:
        killed.close()
        plain.close()
    assert killed.kills == len(killed.pids) == KILLS
    assert len(results[0]) >= 50
    assert results[0] == results[1]


@pytest.mark.skipif(os.name != "posix", reason="kills processes by signal")
def test_a_killed_call_is_told_as_such_and_the_next_one_is_answered(tmp_path):
    judge = Killed(tmp_path / "model.gguf")
    try:
        with pytest.raises(EngineStopped, match="SIGKILL"):
            judge.judge("The pump stopped.", ["The pump stopped."])
        assert judge.judge("The pump stopped.", ["The pump stopped."])
        (left,) = judge.pids
        with contextlib.suppress(ProcessLookupError):
            os.kill(left, 0)
            pytest.fail("the killed process is still there")
    finally:
        judge.close()


@pytest.mark.skipif(sys.platform != "linux", reason="how much a process may take is told by Linux alone")
@pytest.mark.parametrize("megabytes", [100, 240, 480])
def test_a_judge_that_may_take_too_little_memory_says_so_before_it_loads(megabytes):
    judge = JudgeClient(paths.reader(), limits=Limits(start=60, item=60, memory=megabytes << 20))
    try:
        for _ in range(2):
            with pytest.raises((NotEnoughMemory, EngineStopped)) as error:
                judge.judge("The pump stopped.", ["The pump stopped."])
        if isinstance(error.value, NotEnoughMemory):
            needed, free = re.search(r"about (\d+) MB of memory, but only (\d+) MB", error.value.sentence).groups()
            assert int(free) < int(needed)
    finally:
        judge.close()


@pytest.mark.skipif(sys.platform != "linux", reason="how much a process may take is told by Linux alone")
def test_whatever_a_judge_is_granted_it_answers_as_ever_or_says_why_not(tmp_path):
    model = tiny_gguf.chat(tmp_path / "a.gguf", ("<|im_start|>", "<|im_end|>"))
    question = ("The pump stopped.", ["The pump ran."])
    free = JudgeClient(model)
    try:
        right = free.judge(*question)
    finally:
        free.close()
    answers, hints = 0, []
    for megabytes in (40, 90, 140, 260, 340, 420, 2_000):
        judge = JudgeClient(model, limits=Limits(start=60, item=60, memory=megabytes << 20))
        try:
            answered = judge.judge(*question)
        except (NotEnoughMemory, EngineStopped) as error:  # any other is a failure
            hints.append(error.hint)
        else:
            assert answered == right
            answers += 1
        finally:
            judge.close()
    assert 1 <= answers <= 5
    assert all(hints)


@pytest.mark.skipif(sys.platform != "linux", reason="how much a process may take is told by Linux alone")
def test_what_is_free_is_no_more_than_what_was_granted(monkeypatch):
    import resource

    free = gguf.free_memory()
    assert free > 0
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (1 << 20, 1 << 20))
    assert gguf.free_memory() == 0
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (1 << 60, 1 << 60))
    assert gguf.free_memory() > 0
