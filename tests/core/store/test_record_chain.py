"""The chain of what the machine keeps, and its knot with the log."""

from __future__ import annotations

from core.store import CaseFile
from tests.core.store.material import HALF, clock, fill, tamper

PAIR = ("ab" * 32, "ef" * 32)


def test_what_is_kept_is_named_by_the_next_entry_of_the_log(pump_case):
    count = pump_case.chain.unnamed_count()
    pump_case.verdicts.put("judge 1", [(*PAIR, HALF)])
    assert pump_case.chain.unnamed_count() == count + 1
    pump_case.hypotheses.add("third")
    assert pump_case.chain.unnamed_count() == 0
    number, digest = pump_case.chain.head()
    assert f'"record":{{"head":{{"hash":"{digest}","seq":{number}}}}}' in pump_case.log.entries()[-1].after
    assert pump_case.chain.breaks() == []


def test_the_last_digest_of_a_row_counts(pump_case):
    key = f"judge 1 {PAIR[0]} {PAIR[1]}"
    assert key not in pump_case.chain.last_digests("verdict")
    pump_case.verdicts.put("judge 1", [(*PAIR, HALF)])
    first = pump_case.chain.last_digests("verdict")[key]
    with pump_case.db.transaction():
        pump_case.chain.record("verdict", {key: None})
    assert (first is not None, pump_case.chain.last_digests("verdict")[key]) == (True, None)


def test_a_changed_record_breaks_the_chain(path):
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
        assert case.chain.breaks() == []
    tamper(path, "UPDATE record SET digests = '{}' WHERE seq = 2")
    with CaseFile.open(path) as case:
        assert [words for words in case.chain.breaks() if words.startswith("record 2 was changed")]
