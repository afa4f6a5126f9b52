"""Pairs by rare words: what belongs together is found, and no text makes it slow."""

from __future__ import annotations

from core.conflicts import pairs
from tests.core.conflicts.builders import OTHERS, statements

ONE = "The dosing pump of the Weir Lane works was silent for 47 minutes."
TWO = "For 74 minutes the dosing pump at Weir Lane was silent, the works say."


def test_statements_that_share_rare_words_are_a_pair_the_earlier_first():
    rows = statements(*OTHERS, ONE, TWO)
    (pair,) = pairs.candidates(rows, pairs.Rarity(rows))
    assert [row.text for row in pair] == [ONE, TWO]


def test_the_number_of_pairs_is_linear():
    def count(times: int) -> int:
        rows = statements(*[f"{ONE} Alpha{number} beta{number}." for number in range(times)])
        return sum(1 for _ in pairs.candidates(rows, pairs.Rarity(rows)))

    assert count(240) <= 2.5 * count(120)


def test_pairs_of_two_documents_are_limited():
    rows = statements(*[" ".join(f"Crate {name} weighs {weight} kilos." for name in map(_name, range(600)))
                        for weight in (10, 20)])  # fmt: skip
    assert sum(1 for _ in pairs.candidates(rows, pairs.Rarity(rows))) <= 3 * pairs.PER_DOCUMENTS


def _name(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:04}") + " Tessaric relay"


def test_rare_words_weigh_more():
    rows = statements(*OTHERS, ONE, TWO)
    rarity = pairs.Rarity(rows)
    assert rarity.weight("nowhere") > rarity.weight("dosing")
    assert 0 < rarity.likeness(rows[-1], rows[-2]) < 1
    assert rarity.likeness(rows[0], rows[-1]) < 0.2


def test_related_pairs_are_ordered_by_likeness():
    rows = statements(*OTHERS, ONE, "The dosing pump of the Weir Lane works was old.", "Weir Lane has a school.")
    related = pairs.related(rows, pairs.Rarity(rows))
    assert [left.text for left in related[0]] == [rows[-3].text, rows[-2].text]
    assert all(left.document != right.document and left.number < right.number for left, right in related)
    assert pairs.related(rows, pairs.Rarity(rows), limit=1) == related[:1]


def test_the_number_of_related_pairs_is_linear():
    rows = statements(*[f"{ONE} Alpha{number} beta{number}." for number in range(120)])
    assert len(pairs.related(rows, pairs.Rarity(rows))) <= pairs.NEAREST * len(rows)


def test_words_shared_by_chance_do_not_surprise():
    """Of as many words in common, rare ones say more, and the more pairs there are the more of them it takes."""
    rows = statements("The grey drum leaked solvent.", "A grey drum of solvent burst.", *OTHERS)
    rarity = pairs.Rarity(rows)
    assert rarity.surprise(rows[0], rows[1]) > 0 > rarity.surprise(rows[0], rows[2])
    often = statements(*(["The grey drum leaked solvent."] * 20), *OTHERS)
    assert pairs.Rarity(often).surprise(often[0], often[1]) < 0
