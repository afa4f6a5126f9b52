"""Every column of every table changed behind the program's back, or made unreadable (rows H1 and B6)."""

from __future__ import annotations

import random

import pytest

from tests.core.cli.test_hostile import CODES, COMMANDS, ended
from tests.core.store import test_integrity
from tests.guarantees.attacks import values

# Not noticed, as promises.md says: a counter that was raised, and what lies behind the word index, which is made again
# from the texts.
TOLD = {
    "counter.last", "passage_word_data.block", "passage_word_data.id", "passage_word_docsize.origin",
    "passage_word_docsize.sz", "passage_word_idx.segid",
}  # fmt: skip
LOOKS = ("documents", "page", "matrix", "evidence", "hypothesis", "proposals", "search", "timeline", "report", "names")
SHOWING = [command for command in COMMANDS if command.split()[0] in LOOKS]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_check_notices_every_change_but_those_that_are_told(tmp_path, record_property):
    result = values.tamper(tmp_path)
    assert set(result.unnoticed) <= TOLD
    record_property("n", result.count)
    record_property(
        "figure",
        f"{result.count:,} changes across every column: all noticed except in {', '.join(sorted(result.unnoticed))}",
    )


def wild(folder, seed: int, limit: int, capsys) -> tuple[int, list[str]]:
    path = folder / "a.disconfirm"
    test_integrity.build(path)
    rng = random.Random(seed)
    faults, count = [], 0
    for change, copy in values.fuzzed(path, seed):
        for command in ("verify", *rng.sample(SHOWING, 3)):
            name, *rest = command.format(folder).split()
            code, _, output = ended(capsys, [name, str(copy), *rest])
            if code not in CODES:
                faults.append(f"{change} = {str(change.value)[:30]!r}: {command}: {code}\n{output[-700:]}")
        count += 1
        if count == limit:
            break
    return count, faults


@pytest.mark.slow
def test_a_few_wild_values_give_sentences(tmp_path, capsys, record_property):
    count, faults = wild(tmp_path, 1, 8, capsys)
    assert faults == []
    record_property("n", count)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_wild_values_in_every_column_give_sentences(tmp_path, capsys, record_property):
    count, faults = wild(tmp_path, 2, 100_000, capsys)
    assert faults == []
    record_property("n", count)
