"""The report on one or two pages."""

from __future__ import annotations

import json
from dataclasses import replace

from core.report import items, render_html, render_json, render_markdown, render_pack, render_sheets, tell
from core.report.blocks import Quote, Table
from core.report.short_form import MOST_CHARACTERS, MOST_PINS, MOST_ROWS, most_diagnostic
from core.report.story import BEFORE
from tests.core.report.cases import full_case
from tests.core.report.test_report import Seen, empty_case, made_case

SHORT = replace(full_case(), short=True)


def test_it_has_the_answer_the_ranking_what_it_hangs_on_the_rows_that_tell_most_and_how_to_check():
    story = tell(SHORT)
    assert [section.id for section in story.sections] == ["bottom-line", "ranking", "hangs", "evidence", "check"]
    assert any(block.kind == "sub" and block.text == BEFORE for block in story.sections[0].blocks)
    pins = next(b for s in story.sections if s.id == "hangs" for b in s.blocks if isinstance(b, Table))
    assert 0 < len(pins.rows) <= MOST_PINS
    assert len({row[1] for row in pins.rows}) == len(pins.rows)
    quotes = [b.text for s in story.sections if s.id == "evidence" for b in s.blocks if isinstance(b, Quote)]
    assert quotes == [item.quote for item in most_diagnostic(items(SHORT)) if item.quote]
    assert quotes


def test_the_most_diagnostic_rows_come_first_and_one_origin_once():
    rows = items(full_case())
    chosen = most_diagnostic(rows)
    assert 0 < len(chosen) <= MOST_ROWS
    quoted = [item.row.diagnosticity for item in chosen if item.quote]
    assert quoted == sorted(quoted, reverse=True)
    clusters = [item.row.cluster for item in chosen if item.row.cluster]
    assert len(clusters) == len(set(clusters)) == 1  # E2 and E6 say the same
    assert all(item.row.diagnosticity for item in chosen)


def test_long_quotes_leave_room_for_the_rest():
    data = full_case()
    first = most_diagnostic(items(data))[0].evidence.id
    long = "The gate stood open all night. " * 100
    changed = tuple(replace(e, quote=long, text=long) if e.quote and e.id != first else e for e in data.evidence)
    chosen = most_diagnostic(items(replace(data, evidence=changed)))
    assert chosen[0].evidence.id == first
    assert sum(len(item.quote) for item in chosen) <= MOST_CHARACTERS
    every = tuple(replace(e, quote=long, text=long) if e.quote else e for e in data.evidence)
    assert len(most_diagnostic(items(replace(data, evidence=every)))) >= 1  # and none is cut


def test_every_form_that_is_read_is_short():
    evidence = SHORT.evidence[0].quote
    for short, full in (
        (render_html(SHORT), render_html(full_case())),
        (render_markdown(SHORT), render_markdown(full_case())),
        (render_sheets(SHORT), render_sheets(full_case())),
        (render_json(SHORT), render_json(full_case())),
        (render_pack(SHORT, {}), render_pack(full_case(), {})),
    ):
        assert len(short) < len(full)
        assert evidence.encode() in short
        assert b"This is the short form" in short
    names = [sheet["name"] for sheet in json.loads(render_sheets(SHORT))["sheets"]]
    assert names == ["Summary", "Most diagnostic", "What it depends on", "About"]
    assert json.loads(render_json(SHORT))["short"] is True


def test_a_case_without_anything_has_a_short_form_too():
    text = " ".join(Seen(render_html(replace(empty_case(), short=True))).text)
    assert "This case has no hypothesis yet" in text
    assert "How to check this report" in text
    assert tell(replace(made_case(), short=True)).sections[0].id == "bottom-line"
