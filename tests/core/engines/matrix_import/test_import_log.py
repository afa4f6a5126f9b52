"""The remarks on a file that is imported: listed up to a limit, those for many places once."""

from __future__ import annotations

from core.engines.matrix_import import import_log
from core.engines.matrix_import.import_log import ImportLog


def test_a_remark_for_many_places_is_made_once_with_the_places():
    log = ImportLog("a.csv")
    for row in range(1, 12):
        log.many(f"row {row}", "It has no text.", "Write one.")
    log.many("row 3", "It has no date.", "Set it.")
    first, second = log.finish()
    assert first.where == ", ".join(f"row {row}" for row in range(1, 9)) + " and 3 more"
    assert (second.where, second.what) == ("row 3", "It has no date.")
    assert log.finish() == (first, second)


def test_remarks_beyond_the_limit_are_counted():
    log = ImportLog("a.csv")
    for row in range(import_log.MAX_PROBLEMS + 7):
        log.unknown_rating(f"row {row}", "maybe")
    *listed, last = log.finish()
    assert len(listed) == import_log.MAX_PROBLEMS
    assert (last.where, last.what) == ("a.csv", "7 more remarks of this kind were not listed.")


def test_what_is_left_out_stands_once():
    log = ImportLog("a.csv")
    for sentence in ("Comments were not read.", "Other sheets were not read.", "Comments were not read."):
        log.leave_out(sentence)
    assert log.left_out == ["Comments were not read.", "Other sheets were not read."]


def test_a_shortened_text_is_one_line_of_that_length():
    assert import_log.shorten("a\n  b\tc", 5) == "a b c"
    assert import_log.shorten("abcdef", 5) == "abcd…"
