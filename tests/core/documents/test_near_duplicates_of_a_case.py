"""Documents that are nearly the same: named, kept, and never taken for one another."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from core.documents import near_duplicates
from core.documents.near_duplicates import NearDuplicateIndex, minhash_sketch
from core.workbench import Workbench

WORDS = [f"{a}{b}" for a in ("pump", "valve", "badge", "guard", "night", "door") for b in ("", "s", "ed", "ing", "er")]


def prose(seed, length=120):
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) for _ in range(length))


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "case.disconfirm", engines, who="Ann") as bench:
        yield bench


def put(bench, tmp_path, **texts):
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    return bench.documents.add([tmp_path / f"{name}.txt" for name in texts])


def test_a_copy_with_one_figure_changed_is_named_kept_and_counted(bench, tmp_path):
    first = prose(1)
    words = first.split()
    words[60] = "4711"
    report = put(bench, tmp_path, a=first, b=" ".join(words), c=prose(2))
    assert [(i.status, i.of) for i in report.documents] == [("added", None), ("near_duplicate", "D1"), ("added", None)]
    likeness = report.documents[1].likeness
    assert (likeness.document, likeness.of, likeness.measure) == ("D2", "D1", "near")
    # Eight of 113 stretches of eight words hold the changed one: 105 are in both, 121 in either.
    assert likeness.score == pytest.approx(105 / 121, abs=0.001)
    assert bench.documents.near_duplicates() == {"D2": likeness}
    assert len(bench.documents.all()) == 3
    assert bench.case.verify().ok


def test_a_document_that_another_holds_whole_is_named_so(bench, tmp_path):
    inner = prose(3)
    report = put(bench, tmp_path, a=inner + " " + prose(4, 50), b=inner)
    likeness = report.documents[1].likeness
    assert likeness is None or (likeness.measure, likeness.score) in (("contained", 1.0), ("near", likeness.score))
    assert likeness is not None


def test_short_notes_and_different_texts_are_like_nothing(bench, tmp_path):
    report = put(bench, tmp_path, a="A short note.", b="A short note!", c=prose(5), d=prose(6))
    assert {item.status for item in report.documents} == {"added"}
    assert bench.documents.near_duplicates() == {}


def test_documents_of_an_older_case_are_compared_when_new_ones_come(bench, tmp_path):
    text = prose(7)
    put(bench, tmp_path, a=text)
    bench.store.db.execute("DELETE FROM sketch")
    report = put(bench, tmp_path, b=text + " pump")
    assert report.documents[0].of == "D1"


def test_signatures_do_not_depend_on_the_run():
    sketch = minhash_sketch(prose(8))
    program = "import sys\nfrom core.documents import near_duplicates as n\nprint(n.minhash_sketch(sys.argv[1]).hex())"
    process = subprocess.run([sys.executable, "-c", program, prose(8)], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == sketch.hex()
    assert sketch[:1] == b"2"
    assert len(sketch) % 4 == 1
    assert minhash_sketch("too short") == minhash_sketch("") == b""
    assert len(minhash_sketch("one two three four five " * 4)) > 512  # twenty words are enough


def test_a_small_part_of_a_long_document_is_found():
    texts = {"D1": prose(20, 6_000)}
    words = texts["D1"].split()
    texts |= {"D2": " ".join(words[1_000:1_150]), "D3": prose(21, 150)}
    likenesses = NearDuplicateIndex((), texts.__getitem__)
    by_name = {name: likenesses.take(name, minhash_sketch(text)) for name, text in texts.items()}
    assert (by_name["D2"].of, by_name["D2"].measure, by_name["D2"].score) == ("D1", "contained", 1.0)
    assert by_name["D1"] is by_name["D3"] is None


def test_a_long_document_that_holds_an_earlier_short_one_is_found():
    short = prose(22, 150)
    texts = {"D1": short, "D2": f"{prose(23, 2_000)} {short} {prose(24, 2_000)}"}
    likenesses = NearDuplicateIndex((), texts.__getitem__)
    likenesses.take("D1", minhash_sketch(texts["D1"]))
    assert likenesses.take("D2", minhash_sketch(texts["D2"])).measure == "contained"


def test_signatures_of_an_older_program_are_made_anew():
    texts = {"D1": prose(25), "D2": prose(25) + " pump"}
    likenesses = NearDuplicateIndex([("D1", bytes(512)), ("D9", b"")], texts.__getitem__)
    assert likenesses.take("D2", minhash_sketch(texts["D2"])).of == "D1"


@pytest.mark.slow
def test_hundreds_of_copies_of_one_letter_stay_quick():
    texts = {f"D{n}": f"{prose(26, 60)} {prose(1_000 + n, 6)}" for n in range(300)}
    likenesses = NearDuplicateIndex((), texts.__getitem__)
    results = [likenesses.take(name, minhash_sketch(text)) for name, text in texts.items()]
    assert results[0] is None
    assert all(likeness is not None for likeness in results[1:])
    data = minhash_sketch(texts["D299"])
    assert max(len(likenesses._bands.documents_with([key], common=True)) for key in near_duplicates._keys(data)) == 200
    stretches = likenesses._stretches
    assert max(len(stretches.documents_with([key], common=False)) for key in near_duplicates._sample(data)) < 200


@pytest.mark.parametrize("fresh", [50, 100_000])
def test_the_same_pairs_as_comparing_everything_with_everything(monkeypatch, fresh):
    """Those that are remembered in sorted arrays as well as those in the dictionary."""
    monkeypatch.setattr(near_duplicates, "_FRESH", fresh)
    monkeypatch.setattr(near_duplicates, "_FRESH_BANDS", fresh)
    texts = {}
    rng = random.Random(9)
    for number in range(60):
        if number % 3 == 2:
            words = texts[f"D{number - 1}"].split()
            for _ in range(rng.randint(0, 6)):
                words[rng.randrange(len(words))] = "changed"
            texts[f"D{number}"] = " ".join(words)
        else:
            texts[f"D{number}"] = prose(100 + number)
    likenesses = NearDuplicateIndex((), texts.__getitem__)
    pairs = {}
    for name, text in texts.items():
        likeness = likenesses.take(name, minhash_sketch(text))
        if likeness is not None and likeness.measure == "near":
            pairs[name] = (likeness.of, likeness.score)

    def stretches(text):
        words = text.split()
        return {tuple(words[start : start + 8]) for start in range(len(words) - 7)}

    expected = {}
    names = list(texts)
    for number, name in enumerate(names):
        best = (0.0, "")
        for earlier_name in names[:number]:
            left, right = stretches(texts[name]), stretches(texts[earlier_name])
            best = max(best, (round(len(left & right) / len(left | right), 3), earlier_name), key=lambda pair: pair[0])
        if best[0] >= 0.7:
            expected[name] = (best[1], best[0])
    assert pairs == expected
    assert len(pairs) > 5
