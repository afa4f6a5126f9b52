"""A second, slow scorer: every change is made and the whole matrix scored again, in fractions, straight from the
definitions. The quick one is held against it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from core.domain import RATINGS
from core.matrix import PENALTY, STEPS, Row, natural, weight

OPPOSITE = {"CC": "II", "C": "I", "N": "N", "I": "C", "II": "CC", "NA": "NA"}


def bearing(hypotheses, row):
    return any(row.ratings.get(h, "NA") != "NA" for h in hypotheses)


def totals(hypotheses, rows):
    """F2 of every hypothesis on which something bears; the rows of an upstream that bear on something count once."""
    sizes: dict[str, int] = {}
    for row in rows:
        if row.upstream and bearing(hypotheses, row):
            sizes[row.upstream] = sizes.get(row.upstream, 0) + 1
    sums: dict[str, Fraction] = {}
    for h in hypotheses:
        against = [row for row in rows if row.ratings.get(h, "NA") != "NA"]
        if against:
            sums[h] = sum(
                (Fraction(weight(row)) * PENALTY[row.ratings[h]] / sizes.get(row.upstream, 1) for row in against),
                Fraction(0),
            )
    return sums


def complete(hypotheses, rows):
    """Whether every row that is rated at all is rated against every hypothesis."""
    return all(len({h in row.ratings for h in hypotheses}) < 2 for row in rows)


def leaders(hypotheses, rows):
    """Who leads; nobody without a rival, or where hypotheses are rated on different rows."""
    return best(hypotheses, rows) if complete(hypotheses, rows) and len(totals(hypotheses, rows)) > 1 else ()


def best(hypotheses, rows):
    """Who has the smallest total, comparable or not."""
    scores = totals(hypotheses, rows)
    best = min(scores.values(), default=None)
    # High x Low is 1 only up to rounding, so that what is tied may differ in the last digit.
    return tuple(h for h in sorted(scores, key=natural) if scores[h] - best < Fraction(1, 10**9))


def _without(rows, ids):
    return [row for row in rows if row.id not in ids]


def _turned(rows, ids, turn):
    return [
        replace(row, ratings={h: turn(h, rating) for h, rating in row.ratings.items()}) if row.id in ids else row
        for row in rows
    ]


def linchpins(hypotheses, rows):
    """{(change, rows, hypothesis, before, after, label, new leaders)}"""
    old_leaders = leaders(hypotheses, rows)
    pins = set()
    if not old_leaders:
        return pins

    def note(change, new_leaders, ids=(), hypothesis=None, old=None, new=None, label=""):
        if new_leaders != old_leaders:
            pins.add((change, tuple(sorted(ids, key=natural)), hypothesis, old, new, label, new_leaders))

    bears = [row.id for row in rows if bearing(hypotheses, row)]
    alone = set()
    for row in rows:
        new_leaders = leaders(hypotheses, _without(rows, {row.id}))
        note("remove", new_leaders, [row.id])
        if new_leaders != old_leaders:
            alone.add(row.id)
        for h, old in row.ratings.items():
            if old == "NA":
                continue
            for change, news in (
                ("one_step", [new for new in STEPS if abs(STEPS.index(new) - STEPS.index(old)) == 1]),
                ("flip", [OPPOSITE[old]] if old != "N" else []),
            ):
                for new in news:
                    stepped = _turned(rows, {row.id}, lambda g, r, h=h, new=new: new if g == h else r)
                    note(change, leaders(hypotheses, stepped), [row.id], h, old, new)
    for pair in itertools.combinations([row.id for row in rows], 2):
        if not alone & {*pair}:
            note("pair", leaders(hypotheses, _without(rows, pair)), pair)
    for source in {row.source for row in rows if row.source}:
        ids = [row.id for row in rows if row.source == source and row.id in bears]
        note("source", leaders(hypotheses, _without(rows, ids)), ids, label=source)
        turned = _turned(rows, ids, lambda h, rating: OPPOSITE[rating])
        note("deception", leaders(hypotheses, turned), ids, label=source)
    worse: dict[tuple[str, ...], str] = {}
    for grade in "ABCD":
        ids = tuple(row.id for row in rows if grade < row.reliability <= "E" and row.id in bears)
        worse[ids] = grade  # the lowest grade above all of them
    for ids, grade in worse.items():
        note("grade", leaders(hypotheses, _without(rows, ids)), ids, label=grade)
    for h in hypotheses:
        if h in totals(hypotheses, rows) and old_leaders != (h,) and len(totals(hypotheses, rows)) > 2:
            note("drop_hypothesis", leaders([rival for rival in hypotheses if rival != h], rows), hypothesis=h)
    return pins


def gaps(hypotheses, rows):
    """{(evidence, hypothesis)} of the unrated cells of leaders whose rating as I or II would end their tie."""
    old_leaders = leaders(hypotheses, rows)
    cells = set()
    for row, h, new in itertools.product(rows, old_leaders, ("I", "II")):
        if len(old_leaders) > 1 and h not in row.ratings:
            rated = [
                replace(row, ratings={**row.ratings, h: new}) if candidate is row else candidate for candidate in rows
            ]
            if best(hypotheses, rated) != old_leaders:
                cells.add((row.id, h))
    return cells


@st.composite
def matrices(draw, *, most_rows=7, most_hypotheses=4, gaps=True, clusters=True, fewest=0):
    """Hypotheses and rows with weights in halves, sources, upstreams and reliability grades. ``gaps``: some rows are
    rated against nobody, and in every other matrix some against a few hypotheses only."""
    hypotheses = tuple(f"H{n}" for n in range(1, draw(st.integers(1, most_hypotheses)) + 1))
    rated, parts = st.sampled_from(RATINGS), gaps and draw(st.booleans())
    rows = []
    for n in range(draw(st.integers(fewest, most_rows))):
        whole = not gaps or draw(st.integers(0, 4)) > 0
        cell = rated if whole else st.sampled_from([*RATINGS, None]) if parts else st.none()
        ratings = {h: rating for h in hypotheses if (rating := draw(cell)) is not None}
        level = st.sampled_from(["L", "M", "H"])
        lettered = draw(st.booleans())
        rows.append(
            Row(
                f"E{n + 1}",
                ratings,
                credibility=draw(level) if lettered else None,
                relevance=draw(level) if lettered else None,
                weight=None if lettered else draw(st.sampled_from([1.0, 1.0, 0.5, 2.0, 1.5, 0.0])),
                source=draw(st.sampled_from(["", "a", "b", "c"])),
                upstream=draw(st.sampled_from(["", "", "u", "v"])) if clusters else "",
                reliability=draw(st.sampled_from(["", "A", "B", "C", "D", "E", "F"])),
            )
        )
    return hypotheses, rows
