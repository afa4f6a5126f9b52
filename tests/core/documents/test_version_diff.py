"""Two versions of a text: no gap, the right places, and the facts that a change touches."""

from __future__ import annotations

import difflib
import random
from itertools import pairwise

import pytest

from core.documents import version_diff
from core.documents.version_diff import Difference, compare, figures
from core.text import normalise


def changes(old: str, new: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [
        (d.kind, old[d.old_start : d.old_end].strip(), new[d.new_start : d.new_end].strip(), d.reasons)
        for d in whole(old, new)
        if d.kind != "same"
    ]


def plain(text: str) -> str:
    return "".join(normalise(text)[0].split())


def whole(old: str, new: str) -> tuple[Difference, ...]:
    """The differences, after a look at what must always hold."""
    differences = compare(old, new)
    assert "".join(old[d.old_start : d.old_end] for d in differences) == old
    assert "".join(new[d.new_start : d.new_end] for d in differences) == new
    for left, right in pairwise(differences):
        assert (left.old_end, left.new_end) == (right.old_start, right.new_start)
        assert (left.kind == "same") != (right.kind == "same")
    for d in differences:
        assert (d.kind == "added") <= (d.old_start == d.old_end)
        assert (d.kind == "removed") <= (d.new_start == d.new_end)
        assert d.kind != "same" or (
            plain(old[d.old_start : d.old_end]) == plain(new[d.new_start : d.new_end]) and not d.reasons
        )
    return differences


@pytest.mark.parametrize(
    ("old", "new", "kind", "old_words", "new_words", "reasons"),
    [
        ("He paid 500 euros.", "He paid 700 euros.", "changed", "500", "700", ("number",)),
        ("Grew 10⁶ times.", "Grew 106 times.", "changed", "10⁶", "106", ("number",)),
        ("It fell by 5 percent.", "It fell by -5 percent.", "added", "", "-", ("number",)),
        ("Of two pumps one ran.", "Of three pumps one ran.", "changed", "two", "three", ("number",)),
        ("It was 1,000 then.", "It was 1000 then.", "changed", "1,000", "1000", ()),
        ("It was 1.5 then.", "It was 15 then.", "changed", "1.5", "15", ("number",)),
        ("Seen on 3 May 2021 here.", "Seen on 5 May 2021 here.", "changed", "3", "5", ("date",)),
        ("Seen on 3 May 2021 here.", "Seen on 3 June 2021 here.", "changed", "May", "June", ("date",)),
        ("Seen on 2021-05-03 here.", "Seen on 2021-05-04 here.", "changed", "2021-05-03", "2021-05-04", ("date",)),
        ("Seen in 2019 here.", "Seen in 2020 here.", "changed", "2019", "2020", ("date",)),
        ("The pump may fail.", "The pump might fail.", "changed", "may", "might", ()),
        ("It was Karl Smith then.", "It was Anna Smith then.", "changed", "Karl", "Anna", ("name",)),
        ("Smith left. I saw Smith.", "Jones left. I saw Smith.", "changed", "Smith", "Jones", ("name",)),
        ("It was J. Smith then.", "It was J. Jones then.", "changed", "Smith", "Jones", ("name",)),
        ("Valves broke. We left.", "Pumps broke. We left.", "changed", "Valves", "Pumps", ()),
        ("Heading\n\nValves broke.", "Heading\n\nPumps broke.", "changed", "Valves", "Pumps", ()),
        ("NATO met here.", "OSCE met here.", "changed", "NATO", "OSCE", ("name",)),
        ("He was there.", "He was not there.", "added", "", "not", ("negation",)),
        ("He never came here.", "He often came here.", "changed", "never", "often", ("negation",)),
        ("He does come here.", "He doesn't come here.", "changed", "does", "doesn't", ("negation",)),
        ("The old pump ran.", "The pump ran.", "removed", "old", "", ()),
        ("The pump ran, well.", "The pump ran well.", "removed", ",", "", ()),
    ],
)
def test_a_change_and_the_facts_it_touches(old, new, kind, old_words, new_words, reasons):
    assert changes(old, new) == [(kind, old_words, new_words, reasons)]


def test_how_a_text_is_set_is_no_change():
    old = "The con-\nstruction of the “final”   wall\r\nstood."
    assert changes(old, 'The construction of the "ﬁnal" wall stood.') == []
    assert changes("a\nb", "a b") == []


@pytest.mark.parametrize(
    ("old", "new"), [("", ""), ("", "Here."), ("Gone.", ""), (" ", "\n\n"), ("", " "), (" a", "a ")]
)
def test_nearly_empty_texts(old, new):
    assert len(changes(old, new)) == (old.strip() != new.strip())


def test_a_fact_that_only_moves_with_its_sentence_is_no_change_of_fact():
    old = "We think that on 3 May 2021 the pump was stopped by Karl Smith, as everybody said."
    new = "On 3 May 2021 Karl Smith has, so it is told, stopped the pump, which many people have confirmed."
    assert all(set(d.reasons).isdisjoint(("date", "number")) for d in whole(old, new))


def test_a_rewritten_sentence_is_one_change():
    old = "It ran. The small valve of the pump was opened in the night by somebody. It stopped."
    new = "It ran. Reports disagree whether the door could have been closed from outside at all. It stopped."
    assert len(changes(old, new)) == 1


def test_facts_are_counted():
    old = "Karl paid 500 on 3 May 2021, not a cent more, they said."
    new = "Karl paid 700 on 4 May 2021, a cent more, so they said."
    assert figures(compare(old, new)) == {
        "changed": 2,
        "added": 1,
        "removed": 1,
        "number": 1,
        "date": 1,
        "name": 0,
        "negation": 1,
    }


WORDS = ["the", "of", "pump", "Karl", "not", "12", "3 May 2021", "Bank", "ran.", "It", "😀", "é", "\n\n", "night,"]


@pytest.mark.parametrize("seed", range(40))
def test_random_edits_are_found_where_they_are(seed):
    """Against the standard library: never more words outside 'same' pieces than were touched by the edits, give or take
    the short stretches between two changes that are joined."""
    chance = random.Random(seed)
    old = [f"w{index}" if chance.random() < 0.7 else chance.choice(WORDS) for index in range(chance.randrange(300))]
    new, touched = list(old), 0
    for _ in range(chance.randrange(8)):
        position = chance.randrange(len(new) + 1)
        length, come = chance.randrange(4), [f"n{chance.randrange(99)}" for _ in range(chance.randrange(4))]
        touched += len(new[position : position + length]) + len(come)
        new[position : position + length] = come
    old_text, new_text = " ".join(old), " ".join(new)
    differences = whole(old_text, new_text)
    same = [old_text[d.old_start : d.old_end] for d in differences if d.kind == "same"]
    matched_words = sum(
        block.size for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    )
    alike = sum(len(text.split()) for text in same)
    assert alike >= len(old_text.split()) - 4 * touched
    assert alike <= matched_words + 3 * len(old) // 10 + touched  # words of several parts count as often
    for edit in set(new) - set(old):
        assert any(edit in new_text[d.new_start : d.new_end].split() for d in differences if d.kind != "same")


def test_long_texts_are_cut_and_give_the_same_places(monkeypatch):
    chance = random.Random(7)
    old = [f"w{chance.randrange(400)}" for _ in range(6_000)]
    new = list(old)
    for index in chance.sample(range(6_000), 30):
        new[index] = "here"
    old_text, new_text = " ".join(old), " ".join(new)
    cut = whole(old_text, new_text)
    monkeypatch.setattr(version_diff, "_QUICK_PAIRS", 10**12)
    assert cut == whole(old_text, new_text)
    assert sum(d.kind != "same" for d in cut) >= 25


def test_texts_too_long_to_compare_are_shown_as_a_whole(monkeypatch):
    monkeypatch.setattr(version_diff, "_MOST_PAIRS", 4)
    assert changes("a b c d", "a x c d") == [("changed", "a b c d", "a x c d", ())]


def test_two_documents_of_a_hundred_thousand_words():
    chance = random.Random(3)
    old = [
        chance.choice(("the", "of", "Karl", "12")) if chance.random() < 0.2 else f"w{chance.randrange(5_000)}"
        for _ in range(100_000)
    ]
    new = list(old)
    for _ in range(1_000):
        new[chance.randrange(100_000)] = "other"
    old_text, new_text = " ".join(old), " ".join(new)
    differences = compare(old_text, new_text)
    assert 900 < sum(d.kind != "same" for d in differences) <= 1_000
