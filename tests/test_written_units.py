"""The training units written for the judge: the same every time, labels as the facts have them, no give-away words."""

from __future__ import annotations

import collections
import importlib.util
import itertools
import json
import math
import random
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "packaging" / "adapter" / "written.py"


@pytest.fixture(scope="module")
def written():
    spec = importlib.util.spec_from_file_location("disconfirm_written_units", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def many(written):
    return list(written.units(3, 1_000))


# Read by a person: what each passage says of its hypotheses.
READ = [
    (
        "Memo 60. Data were drawn from the national registry. The analysis plan had been published before the"
        " data were seen. Opinions differ on whether the parasite comes from a laboratory. Point 6: camels "
        "were shown to be free of the strain and play no part in its spread. Models were adjusted for age, "
        "sex and income. Deaths were taken from the civil register. Loss of smell was present in 79 percent "
        "of the patients with the infection. The paragraph ends here. BACKGROUND: Observational data on this "
        "matter are scarce.",
        {
            "It is false that camels carry the strain.": "supports",
            "The parasite did not come from a laboratory.": "neutral",
            "Camels carry the strain.": "contradicts",
            "The parasite was made or kept in a laboratory before it spread.": "neutral",
            "The parasite is of natural origin.": "neutral",
        },
    ),
    (
        "The number of crayfish pairs is expected to change once the weir is gone. Bottles were labelled on "
        "the spot. The valley above Vigo is narrow. After some words about the weather Aiko Farrow goes on: "
        "pieces of mail: nineteen from Vigo, 8 from Nantes, none from elsewhere. A heron stood in the reeds. "
        "The map uses the old names of the fields. Anglers from Varna meet at the inn. The spring had been "
        "cold.",
        {
            "There were 27 letters in all.": "supports",
            "There were 30 pieces of mail in all.": "contradicts",
            "Crayfish pairs became less numerous.": "neutral",
        },
    ),
    (
        "Subject: your question of 27 February. Felix Lind moved $430,000 from the account of Bauer Foods to "
        "that of Wray & Highmark Foods. Neither the claim that Bauer Foods was acquired by Delmar Savings nor"
        " the claim that Delmar Savings was acquired by Bauer Foods has been tested yet. The dividend of Wray"
        " & Highmark Foods was not dropped but paid on March 12, 2011. There is no doubt that less than 31 % "
        "of the loans in pool A23 were overdue. Jelena Bergman confirmed that sales at Bauer Foods were lower"
        " than the year before.",
        {
            "Eklund was not aware of the losses before publication.": "neutral",
            "The share of overdue loans in pool A23 was under 31 percent.": "supports",
            "The share of overdue loans in pool A23 was over 31%.": "contradicts",
        },
    ),
]


def test_the_units_are_the_ones_that_were_read(written):
    units = [
        (passage, {text: written.NAMES[label] for text, label in pairs})
        for passage, pairs in written.units(1, len(READ))
    ]
    assert units == READ


def test_another_seed_gives_other_units(written, many):
    assert {passage for passage, _ in many}.isdisjoint(passage for passage, _ in written.units(4, 50))


def test_a_third_of_each_label_and_all_three_of_nearly_every_passage(many):
    labels = collections.Counter(label for _, pairs in many for _, label in pairs)
    assert max(labels.values()) < 1.05 * min(labels.values())
    assert sum({label for _, label in pairs} == {0, 1, 2} for _, pairs in many) > 0.97 * len(many)
    assert all(2 <= len(pairs) <= 5 and len({text for text, _ in pairs}) == len(pairs) for _, pairs in many)


def test_texts_are_whole(many):
    texts = [text for passage, pairs in many for text in (passage, *(hypothesis for hypothesis, _ in pairs))]
    assert [
        text for text in texts if re.search(r"[{}]|\|| \.|  |\.\.(?!\.)|\b(\w{3,}) \1\b", text.replace("[...]", ""))
    ] == []


def tokens(text):
    words = re.findall(r"[a-z']+|\d+|[.,;:]", text.lower())
    return {*words, *itertools.pairwise(words)}


@pytest.mark.parametrize("side", ["passage", "hypothesis"])
def test_neither_side_alone_tells_the_label(many, side):
    """Naive Bayes over words and pairs of words, learnt from one half and tried on the other; a third is chance."""
    cases = [
        (tokens(passage if side == "passage" else text), label) for passage, pairs in many for text, label in pairs
    ]
    learnt, tried = cases[: len(cases) // 2], cases[len(cases) // 2 :]
    counters = [collections.Counter() for _ in range(3)]
    for words, label in learnt:
        counters[label].update(words)
    size = collections.Counter(label for _, label in learnt)

    def likely(words, label):
        return sum(math.log((counters[label][word] + 0.5) / (size[label] + 1)) for word in words)

    right = sum(max(range(3), key=lambda label: likely(words, label)) == truth for words, truth in tried)
    assert right / len(tried) < 0.4


def test_every_schema_can_be_told_in_three_ways_and_asked_in_two(written):
    """Every slot is known, and a swap stands in every line that it is to take the meaning of."""
    schemas = [schema for domain in (*written.bank(), written.general()) for schema in domain.schemas]
    assert len(schemas) >= 200
    assert len(written.bank()) >= 25
    scene = written._scene(random.Random(1), written.bank()[0])
    for schema in schemas:
        assert min(len(schema.statements), len(schema.contrary), len(schema.open)) >= 3, schema
        assert min(len(schema.holds), len(schema.fails)) >= 2, schema
        lines = [*schema.statements, *schema.contrary, *schema.holds, *schema.fails]
        for slot in schema.swaps:
            assert all(f"{{{slot}}}" in line for line in lines), schema
        slots = written.Slots(scene, schema)
        for line in (*lines, *schema.open):
            assert "{" not in written._fill(scene, line, slots, passage=True)


def test_the_label_follows_from_the_state(written):
    schema = written.bank()[0].schemas[0]
    scene = written._scene(random.Random(1), written.bank()[0])
    for state, of_holds, of_fails in ((True, 0, 1), (False, 1, 0), (None, 2, 2)):
        fact = written.Fact(scene, schema, written.Slots(scene, schema), state)
        assert (fact.label(True), fact.label(False)) == (of_holds, of_fails)
    pairs = ((0, 0), (0, 1), (2, 1), (0, 2), (2, 2))
    assert [written.conjunction_label(left, right) for left, right in pairs] == [0, 1, 1, 2, 2]


def test_the_exam_stays_unseen():
    """No eight words in a row of the bank stand in the exam."""

    def runs(text):
        words = re.findall(r"[a-z0-9']+", text.lower())
        return {tuple(words[start : start + 8]) for start in range(len(words) - 7)}

    exam = [json.loads(line) for line in (ROOT / "resources/exam/pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    exam_runs = set().union(*(runs(pair["passage"]) | runs(pair["hypothesis"]) for pair in exam))
    assert exam_runs
    bank = [line for path in FILE.with_name("written").glob("*.txt") for line in path.read_text("utf-8").splitlines()]
    assert [line for line in bank if runs(line) & exam_runs] == []
