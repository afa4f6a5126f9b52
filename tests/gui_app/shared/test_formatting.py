"""How the window words sizes, counts, times and the text of a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gui_app.shared.formatting import (
    LINE_BREAK,
    counted,
    file_size,
    flowing,
    kind_of,
    lasting,
    own_lines,
    spoken,
    when,
)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (9_940, "9.9 kB"),
        (9_990, "10 kB"),
        (999_499, "999 kB"),
        (999_600, "1.0 MB"),
        (12_345_678, "12 MB"),
        (5_000_000_000, "5.0 GB"),
        (5_000_000_000_000, "5000 GB"),
    ],
)
def test_sizes(size, words):
    assert file_size(size) == words


def test_counts():
    assert counted(1, "page") == "1 page"
    assert counted(0, "page") == "0 pages"
    assert counted(1200, "hypothesis", "hypotheses") == "1,200 hypotheses"


def test_times():
    now = datetime.now(UTC)
    assert spoken(now.isoformat()).startswith(("today at ", "yesterday at "))
    assert spoken((now - timedelta(days=400)).isoformat())[-4:].isdigit()
    assert when("no time") == "no time"
    assert spoken("no time") == "no time"
    assert len(when("2021-05-03T02:14:00Z")) == len("2021-05-03 02:14")


def test_text_flows_but_keeps_its_paragraphs():
    assert flowing("The\nlogin at 02:36  shows\n\n  \nIt was night.\n") == "The login at 02:36 shows\n\nIt was night."
    assert flowing("  \n") == ""


def test_kinds():
    assert kind_of("email") == "Mail"
    assert kind_of("xyz") == "XYZ"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (119.9, "119.9 s"), (1941.9, "32 min"), (7199, "2 h 0 min"), (9000, "2 h 30 min")],
)
def test_how_long_something_took(seconds, words):
    assert lasting(seconds) == words


def test_own_lines_do_not_begin_with_a_blank_where_the_text_has_an_empty_line():
    text = (
        "OSTERMERE WATER\n\nPress release of 13 March 2025, 09:30\n\nA dosing pump stopped at about a quarter to three."
    )
    lines = own_lines(text)
    assert len(lines) == len(text)  # places stay
    assert lines.count(LINE_BREAK) == 2
    assert LINE_BREAK + " " not in lines
