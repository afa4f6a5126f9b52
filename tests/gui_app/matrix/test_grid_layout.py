"""Which columns the grid shows for the width there is, and how wide."""

from __future__ import annotations

import itertools

import pytest

from gui_app.matrix.grid_layout import lay_out, side_columns

NONE: frozenset[str] = frozenset()


def kinds(room: int, hypotheses: int, hidden=NONE, pinned=NONE) -> list[str]:
    return [kind for kind, _ in side_columns(room, hypotheses, hidden_kinds=hidden, pinned_kinds=pinned)]


def test_columns_come_as_there_is_room_for_them(styled):
    least = ["credibility", "relevance"]
    assert kinds(500, 2) == least
    assert kinds(640, 2) == ["grade", *least]  # the source would take more
    assert kinds(760, 2) == ["source", "grade", *least]
    assert kinds(2_000, 2) == ["source", "date", "grade", *least]
    assert kinds(2_000, 30) == ["source", "date", "grade", *least]  # the hypotheses have to be scrolled anyway


def test_what_the_person_asked_for_goes_before_the_room(styled):
    assert "date" in kinds(300, 4, pinned=frozenset({"date"}))
    assert kinds(2_000, 2, hidden=frozenset({"source", "relevance"})) == ["date", "grade", "credibility"]
    assert "source" in kinds(300, 4, hidden=frozenset({"source"}), pinned=frozenset({"source"}))


@pytest.mark.parametrize("room", [200, 640, 1_100, 2_560])
@pytest.mark.parametrize("hypotheses", [0, 1, 4, 30])
def test_columns_stand_beside_each_other(styled, room, hypotheses):
    beside = side_columns(room, hypotheses, hidden_kinds=NONE, pinned_kinds=NONE)
    columns = lay_out(room, beside, hypotheses, indent=0, hidden_kinds=NONE)
    assert [column.hypothesis for column in columns if column.kind == "cell"] == list(range(hypotheses))
    assert (columns[0].kind, columns[-1].kind) == ("evidence", "diagnosticity")
    assert columns[0].left == 0
    for former, following in itertools.pairwise(columns):
        assert former.left + former.width == following.left


def test_the_boxes_of_a_what_if_and_a_hidden_last_column(styled):
    last = frozenset({"diagnosticity"})
    beside = side_columns(800, 2, hidden_kinds=last, pinned_kinds=NONE)
    assert {column.kind for column in lay_out(800, beside, 2, indent=0, hidden_kinds=last)} >= {"evidence", "cell"}
    narrow, wide = (lay_out(800, beside, 2, indent=indent, hidden_kinds=last) for indent in (0, 400))
    assert narrow[-1].kind == "cell"
    assert wide[0].width > narrow[0].width
