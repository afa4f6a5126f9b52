"""Entries of the log as values: rows before and after, the chain of hashes, and what can be undone."""

from __future__ import annotations

import dataclasses
import itertools

from core.store import decision_log as logs


def test_every_single_field_of_every_entry_is_covered_by_the_chain(pump_case):
    entries = pump_case.log.entries()
    last = len(entries)
    for at, name in itertools.product(range(last), ("at", "who", "verb", "before", "after", "version", "previous")):
        forgery = [*entries]
        forgery[at] = dataclasses.replace(entries[at], **{name: getattr(entries[at], name) + " "})
        assert logs.breaks(forgery, last), (at, name)
    for one, other in itertools.combinations(range(last), 2):
        forgery = [*entries]
        forgery[one], forgery[other] = forgery[other], forgery[one]
        assert logs.breaks(forgery, last)
    for at in range(last):
        assert logs.breaks(entries[:at] + entries[at + 1 :], last)
