"""What is known of a pair of statements, and which pairs are worth reading."""

from __future__ import annotations

from core.conflicts.features import as_difference, features, is_candidate, of_judge
from core.conflicts.pairs import Rarity
from tests.core.conflicts.builders import OTHERS, statements

OPEN = "The sluice of the Tarn mill was closed with a padlock at dusk."
DENIAL = "There was no padlock at the sluice of the Tarn mill."


def pair_of(left: str, right: str):
    rows = statements(left, right, *OTHERS)
    return rows[0], rows[1], Rarity(rows)


def test_a_denial_is_a_feature():
    values = features(*pair_of(OPEN, DENIAL))
    assert values["denial"] == 1.0
    assert 0 < values["likeness"] < 1
    assert "denial" not in features(*pair_of(OPEN, DENIAL.replace("no padlock", "a padlock")))


def test_the_order_of_two_statements_does_not_matter():
    left, right, rarity = pair_of(OPEN, DENIAL)
    assert features(left, right, rarity) == features(right, left, rarity)


def test_copies_questions_and_short_remarks_are_not_read():
    def is_read(left: str, right: str) -> bool:
        a, b, rarity = pair_of(left, right)
        return is_candidate(a, b, features(a, b, rarity))

    assert is_read(OPEN, DENIAL)
    assert not is_read(OPEN, OPEN)
    assert not is_read(OPEN, "Was there no padlock at the sluice of the Tarn mill?")
    assert not is_read(OPEN, "It was at the sluice.")


def test_the_judge_counts_in_both_directions():
    assert of_judge(0.9, 0.2) == of_judge(0.2, 0.9) == {"judge": 0.9, "judge both ways": 0.2}


def test_a_pair_is_shown_with_its_figures_else_as_a_denial():
    left, right, _ = pair_of("Forty crates left the Tarn mill.", "The carter took 52 crates from the Tarn mill.")
    pair = as_difference(left, right, 0.5)
    assert (pair.kind, pair.values) == ("quantity", ("forty", "52"))
    left, right, _ = pair_of(OPEN, DENIAL)
    assert as_difference(left, right, 0.5).kind == "denial"
