"""What an entry of recovery tells the readers of the case."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.domain import LogEntry
from core.store.decision_log import RECOVER
from core.store.recovery_caveat import KINDS, caveat, share

LOST = {"page": [3, 1_200], "quote": [1, 1]}


def entry(origin: dict[str, Any], **tables: Any) -> LogEntry:
    after = json.dumps({**tables, "recovery": {"case": {"file": "a.disconfirm", "entries": 3, "of": 5, **origin}}})
    return LogEntry(6, "2026-11-01T10:00:00.000Z", "ann", RECOVER, "{}", after, "0.1", None, "", "")


def test_what_was_lost_is_counted_and_so_is_what_nothing_else_proves():
    assert caveat(entry({"lost": LOST}, evidence={"E1": {}, "E2": {}})) == (
        "ann recovered this case on 2026-11-01 from a damaged file, a.disconfirm. Lost: 3 of 1,200 page texts, "
        "1 of 1 quote, 2 of 5 log entries. Nothing but entry 6 of the log proves 2 rows that differ from the log "
        "before it."
    )
    assert caveat(entry({"lost": {}, "entries": 5}, rating={"E1/H1/ann": {}})).endswith(
        "Nothing was lost. Nothing but entry 6 of the log proves 1 row that differs from the log before it."
    )


@pytest.mark.parametrize(
    "counts", [None, [], "page", {"page": 3}, {"page": [3]}, {"page": ["3", "4"]}, {"odd": [1, 2]}, {"page": [1, 2, 3]}]
)
def test_counts_that_no_program_wrote_do_not_hide_the_rest(counts):
    assert caveat(entry({"lost": counts})).endswith("a.disconfirm. Lost: 2 of 5 log entries.")


def test_a_loss_that_is_not_counted_is_told_all_the_same():
    words = caveat(entry({"entries": 5, "lost": {}, "others": True}))
    assert words.endswith("a.disconfirm. Lost: things that are not counted.")
    words = caveat(entry({"lost": {}, "others": True}))
    assert words.endswith("Lost: 2 of 5 log entries, and other things that are not counted.")


def test_pages_of_which_something_is_proven_by_nothing_are_counted():
    words = caveat(entry({"entries": 5, "lost": {}, "unproven": 2}))
    assert words.endswith(
        "Nothing was lost. Neither the log nor an original proves the text of 2 pages: "
        "compare what you quote from there."
    )
    words = caveat(entry({"entries": 5, "lost": {}, "unlike": 1, "unproven": 0}))
    assert words.endswith(
        "a.disconfirm. What goes with the text of 1 page (what is hidden, how it was read) is not what the log says."
    )
    assert caveat(entry({"entries": 5, "unproven": "2", "unlike": [1]})).endswith("a.disconfirm.")


@pytest.mark.parametrize("origin", [{}, {"lost": None}, {"lost": {"odd": [1, 2]}}])
def test_where_nothing_was_counted_nobody_says_that_nothing_was_lost(origin):
    assert caveat(entry({"entries": 5, **origin})).endswith("from a damaged file, a.disconfirm.")


@pytest.mark.parametrize("after", ["", "[]", "{}", '{"recovery": 1}', '{"recovery": {"case": {"file": "a"}}}'])
def test_an_entry_that_is_none_raises_what_whoever_asks_expects(after):
    broken_entry = LogEntry(6, "", "ann", RECOVER, "{}", after, "0.1", None, "", "")
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        caveat(broken_entry)


def test_every_kind_has_words_for_one_and_for_several():
    for kind, (singular, plural) in KINDS.items():
        assert share(kind, 0, 1) == f"0 of 1 {singular}"
        assert share(kind, 1, 2) == f"1 of 2 {plural}"
