"""Pairs by rare words: what belongs together is found, and no text makes it slow."""

from __future__ import annotations

from core.conflicts import pairs
from tests.core.conflicts.builders import OTHERS, statements

ONE = "The dosing pump of the Weir Lane works was silent for 47 minutes."
TWO = "For 74 minutes the dosing pump at Weir Lane was silent, the works say."


def test_statements_that_share_rare_words_are_a_pair_the_earlier_first():
    rows = statements(*OTHERS, ONE, TWO)
    (both,) = pairs.candidates(rows, pairs.Rarity(rows))
    assert [one.text for one in both] == [ONE, TWO]


def test_the_number_of_pairs_grows_with_the_statements_and_not_with_their_square():
    def count(times: int) -> int:
        rows = statements(*[f"{ONE} Alpha{number} beta{number}." for number in range(times)])
        return sum(1 for _ in pairs.candidates(rows, pairs.Rarity(rows)))

    assert count(240) <= 2.5 * count(120)


def test_two_documents_give_so_many_pairs_at_most():
    rows = statements(*[" ".join(f"Crate {name} weighs {weight} kilos." for name in map(_name, range(600)))
                        for weight in (10, 20)])  # fmt: skip
    assert sum(1 for _ in pairs.candidates(rows, pairs.Rarity(rows))) <= 3 * pairs.PER_DOCUMENTS


def _name(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:04}") + " Tessaric relay"


def test_a_rare_word_says_more():
    rows = statements(*OTHERS, ONE, TWO)
    rarity = pairs.Rarity(rows)
    assert rarity.weight("nowhere") > rarity.weight("dosing")
    assert 0 < rarity.likeness(rows[-1], rows[-2]) < 1
    assert rarity.likeness(rows[0], rows[-1]) < 0.2


def test_statements_of_two_documents_about_one_thing_are_related_the_likest_first():
    rows = statements(*OTHERS, ONE, "The dosing pump of the Weir Lane works was old.", "Weir Lane has a school.")
    related = pairs.related(rows, pairs.Rarity(rows))
    assert [one.text for one in related[0]] == [rows[-3].text, rows[-2].text]
    assert all(one.document != other.document and one.number < other.number for one, other in related)
    assert pairs.related(rows, pairs.Rarity(rows), most=1) == related[:1]


def test_related_pairs_grow_with_the_statements_and_not_with_their_square():
    rows = statements(*[f"{ONE} Alpha{number} beta{number}." for number in range(120)])
    assert len(pairs.related(rows, pairs.Rarity(rows))) <= pairs.NEAREST * len(rows)
