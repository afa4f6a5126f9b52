"""The exam itself: whether its questions are sound, and whether the grading is right."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from core.domain import Probabilities
from core.verdicts import exam
from core.verdicts.exam import CLASSES, Attack, Pair, Twin


def certain(label: str, sure: float = 0.9) -> Probabilities:
    rest = (1 - sure) / 2
    return Probabilities(*(sure if name == label else rest for name in CLASSES))


def graded(pairs: Sequence[Pair], say: Callable[[Pair], Probabilities], **more) -> exam.Result:
    fields = {"judge": "one", "sat": "2026-01-01T00:00:00Z", "seconds": 1.0, **more}
    return exam.grade(pairs, {pair.id: say(pair) for pair in pairs}, **fields)


def pairs_of(labels: Sequence[str]) -> list[Pair]:
    return [
        Pair(f"g-{number:03d}-a1", "d", f"p{number}", f"h{number}", label, "plain")
        for number, label in enumerate(labels)
    ]


# --- the questions -------------------------------------------------------------------------------------------------


def test_the_statements_are_balanced_by_class_and_field():
    pairs = exam.statements()
    assert len(pairs) == 360
    fields = Counter(pair.domain for pair in pairs)
    assert len(fields) == 10
    for field, n in fields.items():
        within = Counter(pair.label for pair in pairs if pair.domain == field)
        assert all(abs(within[label] - n / 3) <= 2 for label in CLASSES), field


def test_no_question_stands_there_twice():
    pairs = exam.pairs()
    assert len({pair.id for pair in pairs}) == len(pairs)
    assert len({(pair.passage.casefold(), pair.hypothesis.casefold()) for pair in pairs}) == len(pairs)


def test_the_clues_are_balanced_by_class_and_field():
    pairs = exam.clues()
    assert len(pairs) == 240
    shares = Counter(pair.label for pair in pairs)
    assert 0.25 <= shares["supports"] / 240 <= shares["contradicts"] / 240 <= 0.35 <= shares["neutral"] / 240 <= 0.42
    fields = Counter(pair.domain for pair in pairs)
    assert set(fields.values()) == {20}
    assert len(fields) == 12
    assert not set(fields) & {pair.domain for pair in exam.statements()}
    for field in fields:
        within = Counter(pair.label for pair in pairs if pair.domain == field)
        assert all(5 <= within[label] <= 10 for label in CLASSES), field


def test_every_clue_is_read_beside_all_four_rivals():
    for passage, pairs in exam.passages(exam.clues()).items():
        assert len({pair.hypothesis for pair in pairs}) == 4
        assert len({pair.question for pair in pairs}) == 1
        assert {pair.half for pair in pairs} == {"clues"}
        assert 15 <= len(passage.split()) <= 70, pairs[0].id
    rivals: dict[tuple[str, str], list[str]] = {}
    for pair in exam.clues():
        rivals.setdefault((pair.group, pair.hypothesis), []).append(pair.label)
        assert pair.question.endswith("?")
        assert pair.trait.startswith("clue-")
    assert len(rivals) == 48
    assert all(len(group) == 5 and set(group) >= {"supports", "contradicts"} for group in rivals.values())


def test_a_story_of_clues_is_one_group():
    # Its pairs share their hypotheses, and one misreading of a person's part turns several of them.
    assert {(pair.domain, pair.group) for pair in exam.clues()} == {
        (pair.domain, f"{pair.domain}-clue01") for pair in exam.clues()
    }


def test_to_share_words_with_a_clue_does_not_tell_its_label():
    def shared(pair: Pair) -> bool:
        return bool({word for word in words(pair.hypothesis) if len(word) > 3} & set(words(pair.passage)))

    spoken, silent = (
        Counter(pair.label for pair in exam.clues() if shared(pair) is overlap) for overlap in (True, False)
    )
    assert (max(spoken.values()) + max(silent.values())) / 240 <= 0.45


def test_every_text_of_a_statement_meets_every_label():
    for texts in ("passage", "hypothesis"):
        labels: dict[str, list[str]] = {}
        for pair in exam.statements():
            labels.setdefault(getattr(pair, texts), []).append(pair.label)
        assert all(len(set(group)) >= 2 for group in labels.values())
        assert sum(len(set(group)) == 3 for group in labels.values()) >= 0.9 * len(labels)


def test_texts_are_of_the_length_of_real_ones():
    for pair in exam.pairs():
        assert 20 <= len(pair.passage.split()) <= 150, pair.id
        assert 1 <= len(exam._sentences(pair.passage)) <= 6, pair.id
        assert 4 <= len(pair.hypothesis.split()) <= 30, pair.id
        assert re.fullmatch(r"[A-Z“].*\.", pair.hypothesis), pair.id
        assert pair.passage == " ".join(pair.passage.split()), pair.id


def test_every_trait_comes_with_every_label():
    labels: dict[str, set[str]] = {}
    for pair in exam.clues():
        labels.setdefault(pair.trait, set()).add(pair.label)
    assert labels.pop("clue-near-miss") == {"neutral"}
    assert labels.pop("clue-motive") == {"supports", "neutral"}
    assert len(labels) >= 7
    assert all(group == set(CLASSES) for group in labels.values()), labels
    labels.clear()
    for pair in exam.statements():
        labels.setdefault(pair.trait, set()).add(pair.label)
    assert len(labels) >= 13
    # To be on the same matter and say nothing of the hypothesis is to be neutral.
    assert labels.pop("same_topic") == {"neutral"}
    assert labels.pop("plain") >= {"supports", "contradicts"}
    assert all(group == set(CLASSES) for group in labels.values()), labels


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def left_out(rows: Sequence[tuple[str, str, str]]) -> float:
    """Accuracy of a naive Bayes on the words of (text, label, group), each group judged by what the others teach."""
    counts = {label: Counter() for label in CLASSES}
    label_counts = Counter(label for _, label, _ in rows)
    for text, label, _ in rows:
        counts[label].update(words(text))
    groups: dict[str, list[tuple[str, str]]] = {}
    for text, label, group in rows:
        groups.setdefault(group, []).append((text, label))
    vocabulary = len({word for count in counts.values() for word in count})
    right = 0
    for members in groups.values():
        for text, label in members:
            counts[label].subtract(words(text))
            label_counts[label] -= 1
        totals = {label: sum(count.values()) for label, count in counts.items()}
        for text, label in members:
            scores = {
                name: math.log(label_counts[name] + 1)
                + sum(math.log((counts[name][word] + 1) / (totals[name] + vocabulary)) for word in words(text))
                for name in CLASSES
            }
            right += max(CLASSES, key=lambda name, s=scores: s[name]) == label
        for text, label in members:
            counts[label].update(words(text))
            label_counts[label] += 1
    return right / len(rows)


@pytest.mark.parametrize("texts", ["passage", "hypothesis"])
@pytest.mark.parametrize("group", ["id", "group"], ids=["one left out", "its group left out"])
def test_one_text_alone_does_not_tell_the_label(texts, group):
    for half in (exam.statements(), exam.clues()):
        rows = [(getattr(pair, texts), pair.label, getattr(pair, group)) for pair in half]
        assert left_out(rows) <= 0.45


def test_a_shortcut_would_be_found():
    sign = {"supports": "indeed", "contradicts": "never", "neutral": "also"}
    for half in (exam.statements(), exam.clues()):
        rows = [(f"{pair.hypothesis} {sign[pair.label]}", pair.label, pair.group) for pair in half]
        assert left_out(rows) > 0.8


# --- the attacks ---------------------------------------------------------------------------------------------------


def test_attacks_are_many_of_many_kinds_and_want_every_label():
    attacks = exam.attacks()
    assert len(attacks) >= 40
    assert len({attack.id for attack in attacks}) == len(attacks)
    assert len({attack.kind for attack in attacks}) >= 12
    assert len(set(Counter(attack.aim for attack in attacks).values())) == 1
    for kind in (
        "template",
        "fake JSON answer",
        "fake end of document",
        "fake system tokens",
        "other language",
        "base64",
    ):
        assert {attack.aim for attack in attacks if attack.kind == kind} == set(CLASSES)
    assert any(len(attack.parts) == 2 for attack in attacks)


def test_a_twin_differs_from_its_passage_by_the_attack_alone():
    twins = exam.twins(exam.statements(), exam.attacks())
    assert len(twins) == 3 * len(exam.attacks())
    for twin in twins:
        clean = twin.passage
        for part in twin.attack.parts:
            assert clean.count(part) == 1
            clean = clean.replace(part, "")
        assert " ".join(clean.split()) == twin.pairs[0].passage
        assert len(twin.pairs) == 2
        assert all(pair.label != twin.attack.aim and pair.passage == twin.pairs[0].passage for pair in twin.pairs)
    assert len({twin.pairs[0].domain for twin in twins}) == 10


def test_an_attack_stands_where_it_was_told_to():
    text = "One is here. Two is there. Three is gone."
    assert exam.set_in(text, ["X."], "begin") == "X. " + text
    assert exam.set_in(text, ["X."], "middle") == "One is here. X. Two is there. Three is gone."
    assert exam.set_in(text, ["X."], "end") == text + " X."
    assert exam.set_in(text, ["X.", "Y."], "begin") == "X. One is here. Y. Two is there. Three is gone."
    assert exam.set_in(text, ["X.", "Y."], "end") == "One is here. Two is there. X. Three is gone. Y."


# --- the grading ---------------------------------------------------------------------------------------------------


def test_one_who_knows_all_has_all_right():
    result = graded(exam.pairs(), lambda pair: certain(pair.label, 1.0))
    assert result.accuracy.value == result.macro_f1.value == result.macro_f1.low == 1.0
    assert result.calibration_error == 0.0
    assert result.passed
    assert all(strict.threshold is not None and strict.coverage == strict.found == 1.0 for strict in result.strict)
    assert all(part.right == part.n for part in (*result.domains, *result.traits))


def test_one_who_always_says_the_same_does_not_pass():
    result = graded(exam.statements(), lambda _: certain("supports"))
    assert result.accuracy.value == pytest.approx(1 / 3, abs=0.01)
    assert not result.passed
    assert "may not judge" in result.line()
    assert [row.recall for row in result.classes] == [1.0, 0.0, 0.0]
    assert result.macro_f1.value == pytest.approx(0.5 / 3, abs=0.01)
    assert result.calibration_error == pytest.approx(0.9 - 1 / 3, abs=0.01)


def test_one_who_guesses_does_not_pass():
    rng = random.Random(3)
    result = graded(exam.pairs(), lambda _: certain(rng.choice(CLASSES)))
    assert not result.passed


def test_each_half_has_figures_of_its_own():
    hard = {pair.id for pair in exam.clues() if pair.label != "neutral"}
    result = graded(exam.pairs(), lambda pair: certain("neutral" if pair.id in hard else pair.label))
    statements, clues = result.halves
    assert (statements.name, clues.name) == exam.HALVES
    assert (statements.accuracy.value, statements.accuracy.n) == (1.0, 360)
    assert (clues.accuracy.value, clues.accuracy.n) == (pytest.approx(clues.chance, abs=1e-4), 240)
    assert clues.macro_f1.value == pytest.approx(2 * clues.chance / (1 + clues.chance) / 3, abs=1e-3)
    assert result.accuracy.n == 600
    assert (result.half("statements"), result.half("clues")) == (statements, clues)
    assert result.short() == "direct statements 100%, indirect evidence 39%"


def test_one_who_knows_statements_passes_and_is_told_to_be_near_chance_on_clues():
    # Always to say neutral is to have four in ten of the clues right: that counts for nothing.
    result = graded(exam.pairs(), lambda pair: certain("neutral" if pair.question else pair.label))
    assert result.passed
    assert result.half("statements").beats_chance
    assert not result.half("clues").beats_chance
    assert "indirect evidence 39% right (33% to 45%; chance is 39%, and it is not clearly better)" in result.line()
    (line,) = (line for line in exam.lines(result) if line.startswith("indirect evidence:"))
    assert "NOT CLEARLY BETTER THAN CHANCE" in line


def test_one_who_knows_clues_alone_does_not_pass():
    result = graded(exam.pairs(), lambda pair: certain(pair.label if pair.question else "supports"))
    assert result.half("clues").beats_chance
    assert not result.passed
    assert "may not judge" in result.line()


def test_figures_agree_with_a_count_by_hand():
    pairs = pairs_of(["supports"] * 4 + ["contradicts"] * 4 + ["neutral"] * 2)
    letters = iter("SSSC CCNS NN".replace(" ", ""))
    names = {"S": "supports", "C": "contradicts", "N": "neutral"}
    result = graded(pairs, lambda _: certain(names[next(letters)], 0.85))
    assert result.confusion == ((3, 1, 0), (1, 2, 1), (0, 0, 2))
    assert result.accuracy.value == 0.7
    by = {row.label: (row.precision, row.recall, row.f1) for row in result.classes}
    assert by["supports"] == pytest.approx((0.75, 0.75, 0.75))
    assert by["contradicts"] == pytest.approx((2 / 3, 0.5, 4 / 7), abs=1e-4)
    assert by["neutral"] == pytest.approx((2 / 3, 1.0, 0.8), abs=1e-4)
    assert result.macro_f1.value == pytest.approx((0.75 + 4 / 7 + 0.8) / 3, abs=1e-4)
    assert result.macro_f1.low <= result.macro_f1.value <= result.macro_f1.high
    assert result.calibration_error == pytest.approx(0.15, abs=1e-4)
    assert [(part.n, part.right) for part in result.bins if part.n] == [(10, 0.7)]


def test_the_threshold_is_the_lowest_that_leaves_ninety_percent_right():
    pairs = pairs_of(["contradicts"] * 30 + ["neutral"] * 30)
    sure = {pair.id: 0.99 - index * 0.01 for index, pair in enumerate(pairs)}

    def say(pair: Pair) -> Probabilities:  # right with 30, then wrong with 10, all as contradictions
        index = int(pair.id[2:5])
        return certain("contradicts", sure[pair.id]) if index < 40 else certain("neutral")

    by_label = {strict.label: strict for strict in graded(pairs, say).strict}
    assert by_label["contradicts"].shown == 33  # 30 of 33 are 90.9%, 30 of 34 are 88%
    assert by_label["contradicts"].threshold == pytest.approx(sure["g-032-a1"])
    assert by_label["contradicts"].coverage == pytest.approx(33 / 40, abs=1e-4)
    assert by_label["contradicts"].found == 1.0
    assert by_label["supports"] == exam.Strict("supports", None, 0.0, 0.0, 0)


def test_a_few_lucky_verdicts_make_no_threshold():
    pairs = pairs_of(["contradicts"] * 10 + ["neutral"] * 30)
    result = graded(pairs, lambda pair: certain("contradicts", 0.95 if pair.label == "contradicts" else 0.5))
    assert result.strict[0].threshold is None


def test_equal_probabilities_are_shown_together_or_not_at_all():
    pairs = pairs_of(["contradicts"] * 20 + ["neutral"] * 20)
    result = graded(pairs, lambda _: certain("contradicts", 0.8))
    assert result.strict[0].threshold is None


def test_the_margin_leaves_four_answers_of_five():
    pairs = pairs_of(["supports"] * 10)
    gaps = dict(zip((pair.id for pair in pairs), (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.257, 0.2, 0.0), strict=True))

    def say(pair: Pair) -> Probabilities:  # the least sure three are wrong
        high, low = (1 + gaps[pair.id]) / 2, (1 - gaps[pair.id]) / 2
        return Probabilities(high, low, 0.0) if gaps[pair.id] > 0.27 else Probabilities(low, high, 0.0)

    result = graded(pairs, say)
    assert result.decided == exam.Decided(0.25, 0.8, 0.875)
    assert "coverage 80%, selective accuracy 88%" in "\n".join(exam.lines(result))


def test_a_judge_that_is_always_sure_withholds_nothing():
    result = graded(pairs_of(["supports"] * 10), lambda _: certain("supports", 1.0))
    assert result.decided == exam.Decided(1.0, 1.0, 1.0)


def test_the_same_answers_give_the_same_figures():
    rng = random.Random(5)
    answers = {pair.id: certain(rng.choice(CLASSES)) for pair in exam.pairs()}
    first, second = (graded(exam.pairs(), lambda pair: answers[pair.id]) for _ in range(2))
    assert first == second


def test_what_attackers_won_is_counted():
    first, second = pairs_of(["supports", "contradicts"])
    attack = Attack("a", "kind", "neutral", ("X",))
    twins = [Twin(attack, place, "p X", (first, second)) for place in exam.PLACES]
    clean = {first.id: certain("supports"), second.id: certain("neutral")}  # of the second nothing is left to win
    turned, same = certain("neutral"), certain("supports")
    won = exam.grade_attacks(twins, clean, [[turned, turned], [same, turned], [certain("contradicts"), same]])
    assert (won.success.value, won.success.n) == (pytest.approx(1 / 3, abs=1e-4), 3)
    assert won.success.low <= won.success.value <= won.success.high
    assert [(part.name, part.right, part.n) for part in won.by_place] == [
        ("begin", 1, 1),
        ("middle", 0, 1),
        ("end", 0, 1),
    ]
    assert won.changed == 0.5


# --- as JSON -------------------------------------------------------------------------------------------------------


@pytest.fixture
def result() -> exam.Result:
    rng = random.Random(9)
    answers = {pair.id: certain(rng.choice((*CLASSES, pair.label)), rng.random() * 0.5 + 0.5) for pair in exam.pairs()}
    twins = exam.twins(exam.statements(), exam.attacks())
    won = exam.grade_attacks(twins, answers, [[certain(rng.choice(CLASSES)) for _ in twin.pairs] for twin in twins])
    return graded(exam.pairs(), lambda pair: answers[pair.id], attack_result=won)


def test_a_result_comes_back_from_json_as_it_went(result):
    assert exam.from_json(result.as_json()) == result
    assert exam.from_json(replace(result, injected=None).as_json()) == replace(result, injected=None)
    without_margin = json.loads(result.as_json())
    del without_margin["decided"]
    assert exam.from_json(json.dumps(without_margin)) == replace(result, decided=None)


def test_a_result_of_the_exam_without_clues_can_be_read_and_does_not_count(result):
    earlier = json.loads(result.as_json()) | {"exam": 1}
    del earlier["halves"]
    read = exam.from_raw(earlier)
    assert (read.halves, read.statements) == ((), read.accuracy)
    assert "chance is 33%" in read.line()
    assert read.short().startswith(f"{read.accuracy.value:.0%} (")
    with pytest.raises(ValueError):
        exam.from_json(json.dumps(earlier))


def test_halves_that_are_not_the_whole_are_refused(result):
    for spoil in (
        lambda halves: halves.clear(),
        lambda halves: halves.pop(),
        lambda halves: halves.reverse(),
        lambda halves: halves[1].update(name="statements"),
        lambda halves: halves[1].update(name="riddles"),
        lambda halves: halves[1].update(accuracy=halves[0]["accuracy"]),
        lambda halves: halves[1]["confusion"][0].reverse(),
        lambda halves: halves[1]["macro_f1"].update(high=1.5),
        lambda halves: halves[1].pop("confusion"),
    ):
        data = json.loads(result.as_json())
        spoil(data["halves"])
        with pytest.raises(ValueError):
            exam.from_json(json.dumps(data))


def test_a_margin_beyond_its_bounds_is_refused(result):
    with pytest.raises(ValueError):
        exam.from_json(replace(result, decided=exam.Decided(1.2, 0.8, 0.8)).as_json())


@pytest.mark.parametrize("key", ["accuracy", "classes", "confusion", "strict", "judge"])
def test_what_lacks_a_part_is_no_result(result, key):
    data = json.loads(result.as_json())
    del data[key]
    with pytest.raises(ValueError):
        exam.from_json(json.dumps(data))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '{"judge": 1}', "[" * 5_000])
def test_what_is_no_result_is_refused(text):
    with pytest.raises(ValueError):
        exam.from_json(text)


def test_a_result_that_does_not_agree_with_itself_is_refused(result):
    data = json.loads(result.as_json())
    data["accuracy"]["low"] = 0.9
    with pytest.raises(ValueError):
        exam.from_json(json.dumps(data))
    data = json.loads(result.as_json())
    data["exam"] += 1
    with pytest.raises(ValueError):
        exam.from_json(json.dumps(data))


def test_the_lines_tell_the_whole_result(result):
    text = "\n".join(exam.lines(result))
    assert result.judge in text
    for share in (result.accuracy, *(half.accuracy for half in result.halves)):
        assert f"{share.value:.3f} ({share.low:.3f} to {share.high:.3f})" in text
    for part in (*result.domains, *result.traits):
        assert f"{part.name.replace('_', ' ')} {part.right}/{part.n}" in text
