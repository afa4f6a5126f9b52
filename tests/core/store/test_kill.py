"""kill -9 at any time: nothing that was acknowledged is lost, and nothing is half done."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest

from core.domain import RATINGS
from core.progress import silent
from core.store import CaseFile
from tests.core.store.material import TEXTS, add, clock, fill


def _kill(kind, path, seconds):
    """The lines a worker printed before it was killed ``seconds`` after its case was open."""
    command = [sys.executable, "-m", "tests.core.store.worker", kind, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        try:
            assert worker.stdout.readline() == "ready\n"
            time.sleep(seconds)
        finally:
            worker.kill()
        # A line cut short was not acknowledged.
        return [line[:-1] for line in worker.stdout.read().splitlines(keepends=True) if line.endswith("\n")]


def _check_add(case, answers):
    for document in answers:
        document_now = case.documents.get(document)
        assert (document_now.status, document_now.pages, document_now.chunks) == ("ready", 2, 4)
        assert len(case.pages.chunks(case.pages.chunk_ids(document))) == 4
        assert case.documents.original(document)
    for document in case.documents.unfinished():
        case.documents.drop(document.id)


def _check_accept(case, answers):
    evidence = {item.id: item for item in case.evidence.all()}
    for line in answers:
        for pair in line.split():
            row, proposal = pair.split("=")
            assert evidence[row].proposal == proposal
            assert case.proposals.get(proposal).status == "accepted"
    for document in case.documents.all():
        # Both proposals of a document are accepted together or not at all.
        items = [item for item in evidence.values() if item.document == document.id]
        assert document.id == "D1" or len(items) in (0, 2)


def _check_rate(case, answers):
    if answers:
        number = int(answers[-1].split()[0])
        # The next one may have been written without the word of it getting out.
        assert case.ratings.assessments()[0].rating in (RATINGS[number % 6], RATINGS[(number + 1) % 6])


def _check_undo(case, answers):
    assert all(int(seq) <= len(case.log.entries()) for seq in answers)


CHECKS = {"add": _check_add, "accept": _check_accept, "rate": _check_rate, "undo": _check_undo}


def _kill_often(path, kind, times, seed=0):
    rng = random.Random(f"{kind}{seed or ''}")
    with CaseFile.create(path, now=clock()) as case:
        if kind == "undo":
            fill(case)
        else:
            add(case, "a.txt", [TEXTS[0]])
            case.hypotheses.add("one")
            case.evidence.add(text="seen", source="ann")
    answer_count = 0
    for number in range(times):
        answers = _kill(kind, path, rng.uniform(0.02, 0.2))
        answer_count += len(answers)
        # The dead process holds nothing: the note it left behind stops nobody.
        with CaseFile.open(path) as case:
            CHECKS[kind](case, answers)
            if number % 5 == 4 or number == times - 1:
                assert case.verify(silent()).problems == ()
    assert answer_count >= times / 2
    assert list(path.parent.glob(path.name + "*")) == [path]


@pytest.mark.parametrize("kind", ["add", "accept", "rate"])
def test_a_few_kills(tmp_path, kind):
    _kill_often(tmp_path / "a.disconfirm", kind, 8)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", CHECKS)
def test_two_hundred_kills(tmp_path, kind):
    """Two hundred of the four kinds together."""
    for seed in range(2):  # each on a case of its own: one that grows with every kill is checked ever longer
        _kill_often(tmp_path / f"{seed}.disconfirm", kind, 25, seed)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", CHECKS)
def test_eight_hundred_kills(tmp_path, kind):
    """Two hundred of each of the four kinds."""
    for seed in range(8):
        _kill_often(tmp_path / f"{seed}.disconfirm", kind, 25, seed)
