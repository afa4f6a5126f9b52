"""What moved the ranking between two moments, against simply taking each difference back."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from core.matrix import Row, build, changes, rank, weight
from tests.core.matrix import slow_matrix

RULE = "weighted_inconsistency"


def _ranking(hypotheses, rows):
    leaders = slow_matrix.leaders(hypotheses, rows)
    scores = slow_matrix.totals(hypotheses, rows) if leaders else {}
    return leaders, {h: float(value) for h, value in scores.items()}


def _moved(left, right):
    common = left[1].keys() & right[1].keys()
    return left[0] != right[0] or rank({h: left[1][h] for h in common}) != rank({h: right[1][h] for h in common})


def _undone(move, old_inputs, new_inputs):
    """The later inputs with one difference taken back, by hand."""
    hypotheses, rows = list(new_inputs[0]), {row.id: row for row in new_inputs[1]}
    earlier = {row.id: row for row in old_inputs[1]}
    if move.kind == "hypothesis":
        if move.after == "added":
            hypotheses.remove(move.hypothesis)
        else:
            hypotheses.append(move.hypothesis)
            for id in rows.keys() & earlier.keys():
                if move.hypothesis in earlier[id].ratings:
                    back = {**rows[id].ratings, move.hypothesis: earlier[id].ratings[move.hypothesis]}
                    rows[id] = replace(rows[id], ratings=back)
    elif move.kind == "evidence":
        if move.after == "added":
            del rows[move.evidence]
        else:
            rows[move.evidence] = earlier[move.evidence]
    elif move.kind == "rating":
        # The first rating of a cell goes with its row, which counts only when it is rated across.
        ratings = {**rows[move.evidence].ratings, move.hypothesis: move.before} if move.before else {}
        rows[move.evidence] = replace(rows[move.evidence], ratings=ratings)
    elif move.kind == "grade":
        rows[move.evidence] = replace(rows[move.evidence], weight=weight(earlier[move.evidence]))
    else:
        assert move.kind == "upstream"
        rows[move.evidence] = replace(rows[move.evidence], upstream=earlier[move.evidence].upstream)
    return hypotheses, list(rows.values())


@given(slow_matrix.matrices(most_rows=6), st.data())
@settings(deadline=None, max_examples=200)
def test_what_moved_is_what_taking_back_alone_would_change(given_matrix, data):
    hypotheses, rows = given_matrix
    earlier = []
    for row in rows:
        if data.draw(st.booleans()):
            ratings = {h: r for h, r in row.ratings.items() if data.draw(st.integers(0, 3))}
            turned = {h: data.draw(st.sampled_from(["CC", "I", "II"])) for h in ratings}
            upstream = data.draw(st.sampled_from([row.upstream, "u", ""]))
            earlier.append(
                replace(row, ratings=turned, upstream=upstream, weight=data.draw(st.sampled_from([1.0, 2.0])))
            )
    earlier.append(Row("E77", dict.fromkeys(hypotheses[:1], "I"), weight=1.0))
    old_inputs = (("H1", "H9"), [replace(row, ratings={**row.ratings, "H9": "I"}) for row in earlier], None)
    new_inputs = (hypotheses, rows, None)
    now = _ranking(hypotheses, rows)
    moves = changes(old_inputs, new_inputs)
    for move in moves:
        assert move.moved == _moved(now, _ranking(*_undone(move, old_inputs, new_inputs))), move
    assert [move.moved for move in moves] == sorted((move.moved for move in moves), reverse=True)
    keys = {(move.kind, move.evidence, move.hypothesis) for move in moves}
    assert len(keys) == len(moves)
    assert ("hypothesis", "", "H9") in keys
    assert ("evidence", "E77", "") in keys
    cells = {(row.id, h): r for row in old_inputs[1] for h, r in row.ratings.items()}
    for row in rows:
        for h in hypotheses:
            assert (("rating", row.id, h) in keys) == (cells.get((row.id, h)) != row.ratings.get(h))


def test_in_words():
    names = ("H1", "H2", "H3")
    earlier = [Row("E1", {"H1": "C", "H2": "N", "H3": "N"}), Row("E2", {"H1": "N", "H2": "C", "H3": "I"})]
    later = [Row("E1", {"H1": "C", "H2": "II", "H3": "N"}), Row("E2", {"H1": "N", "H2": "C", "H3": "II"})]
    authors = {("E1", "H2"): ("Anna", "2026-01-02T00:00:00Z")}
    first, second = changes((names, earlier, None), (names, later, None), authors)
    assert (first.kind, first.evidence, first.hypothesis) == ("rating", "E1", "H2")
    assert (first.before, first.after, first.by, first.at) == ("N", "II", "Anna", "2026-01-02T00:00:00Z")
    assert (first.moved, second.moved, second.by) == (True, True, "")
    assert first.sentence == "E1 against H2 went from N to II; without that, H1 and H2 would be tied."
    assert second.sentence == "E2 against H3 went from I to II; without that, the order would be H1 > H3 > H2."


def test_a_first_rating_is_taken_back_with_its_row():
    """Without it the row would be rated against some hypotheses only, and nothing could be compared at all."""
    names, first = ("H1", "H2"), Row("E1", {"H1": "I", "H2": "N"})
    across, part = Row("E2", {"H1": "N", "H2": "II"}), Row("E2", {"H2": "II"})
    moves = changes((names, [first, Row("E2", {})], None), (names, [first, across], None))
    assert [move.sentence for move in moves] == [
        "E2 was rated N against H1; with E2 unrated, H2 would lead.",
        "E2 was rated II against H2; with E2 unrated, H2 would lead.",
    ]
    (move,) = changes((names, [first, Row("E2", {})], None), (names, [first, part], None))
    assert (move.moved, move.sentence) == (True, "E2 was rated II against H2; with E2 unrated, H2 would lead.")
    (cleared,) = changes((names, [first, across], None), (names, [first, part], None))
    assert cleared.sentence == "E2 is no longer rated against H1 (it was N); without that, H1 would lead."
    (added,) = changes((names, [first], None), ((*names, "H3"), [first], None))
    assert added.sentence == "H3 was added; without that, H2 would lead."


def test_every_kind_in_words():
    rows = [
        Row("E1", {"H1": "C", "H2": "I"}, weight=2.0, upstream="u"),
        Row("E2", {"H1": "I", "H2": "I"}, upstream="u"),
        Row("E3", {"H1": "N", "H2": "N"}),
    ]
    old_rows = [
        Row("E1", {"H1": "C", "H2": "I"}, upstream="u"),
        Row("E2", {"H1": "I", "H2": "I"}),
        Row("E4", {"H1": "II"}),
    ]
    by_kind = {
        move.kind: move for move in changes((("H1",), old_rows, None), (("H1", "H2"), rows, {"H1": 0.2, "H2": 0.8}))
    }
    assert by_kind["grade"].sentence == (
        "The weight of E1 went from 1 to 2; without that, the ranking would be the same."
    )
    assert (by_kind["upstream"].before, by_kind["upstream"].after) == ("", "u")
    assert by_kind["upstream"].sentence.startswith("The upstream of E2 was changed; ")
    assert by_kind["hypothesis"].sentence == "H2 was added; without that, no hypothesis would lead."
    assert by_kind["prior"].after == "H1 0.2, H2 0.8"
    sentences = {move.sentence for move in changes((("H1",), old_rows, None), (("H1", "H2"), rows, None))}
    assert "E4 was removed; without that, no hypothesis would lead." in sentences  # it was rated against H1 alone
    assert "E3 was added; without that, the ranking would be the same." in sentences
    assert "E3 was rated N against H1; with E3 unrated, the ranking would be the same." in sentences
    rows = [Row("E1", {"H1": "I", "H2": "C"})]
    cleared = changes((("H1", "H2"), rows, None), (("H1", "H2"), [Row("E1", {"H2": "C"})], None))
    assert [move.sentence for move in cleared] == [
        "E1 is no longer rated against H1 (it was I); without that, H2 would lead."
    ]


def test_priors_move_the_bayes_reading():
    rows = [Row("E1", {"H1": "C", "H2": "N"})]
    (move,) = changes((("H1", "H2"), rows, None), (("H1", "H2"), rows, {"H1": 0.2, "H2": 0.8}))
    assert (move.kind, move.moved) == ("prior", True)
    assert move.sentence == "The priors were changed; without that, H1 would lead."
    assert not changes((("H1", "H2"), rows, None), (("H1", "H2"), rows, {"H1": 0.5, "H2": 0.5}))


def test_nothing_changed_and_a_cluster_of_another_name():
    rows = [Row("E1", {"H1": "I"}, upstream="u"), Row("E2", {"H1": "I"}, upstream="u")]
    renamed = [replace(row, upstream="w") for row in rows]
    assert changes((("H1",), rows, None), (("H1",), rows, None)) == ()
    assert changes((("H1",), rows, None), (("H1",), renamed, None)) == ()
    assert build(("H1",), rows).scores == build(("H1",), renamed).scores
