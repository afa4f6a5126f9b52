"""Sentences that cannot answer: questions, denials, and entries of another day."""

from __future__ import annotations

import pytest

from core.answers.answer_model import TreeModel
from core.answers.evidence import (
    days_at,
    denies_it,
    is_denied,
    is_of_another_day,
    is_of_another_time,
    is_of_the_day,
    is_turned,
    knows_nothing,
    only_asks,
)
from core.answers.question import understand
from core.stats import Fit

TEXTS = {
    "interview.txt": "Officer: Mr Hald, did you open the sluice on 9 June?\n"
    "Hald: No. I never opened it. I was ill.\nOfficer: Who opened the sluice?",
    "rain.txt": "Rain fell on Weir Lane all night. The gutters of the school ran over. Nobody was hurt.",
}
GATE_LOG = (
    "The gate log, as promised:\n"
    "8 June: Hald in 06:40, out 15:05. Rosen in 07:10, out 09:30.\n"
    "9 June: Hald in 07:55, out 12:00. Rosen not present."
)
LIST = "Staff\n\n8 June\n- Hald at the sluice\n- Rosen at home\n\n9 June\n- Rosen at the sluice\n- Hald ill\n"


@pytest.mark.parametrize(
    ("sentence", "is_question"),
    [
        ("Officer: Mr Hald, did you open the sluice?", True),
        ("Hald opened the sluice.", False),
        ("He asked “Who?” and went.", False),
    ],
)
def test_a_question_of_a_document_only_asks(sentence: str, is_question: bool) -> None:
    assert only_asks(sentence) == is_question


@pytest.mark.parametrize(
    "sentence",
    [
        "Hald: No. I never opened it.",
        "[00:01 – 00:04] Hald: I did not open the sluice.",
        "Hald: No.",
        "It wasn't Hald.",
        "Hald denies that he opened the sluice.",
        "The sluice was never opened by Hald, and I do not know why.",
        "I did not report the sluice to Rosen, and I don't know who did.",
    ],
)
def test_who_denies_is_nobody_who_did(sentence: str) -> None:
    assert denies_it(understand("Who opened the sluice on 9 June?"), sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Hald opened the sluice.",
        "Hald did not open the sluice, Rosen opened it.",
        "Nobody but Rosen opened the sluice.",
        "Rosen, who did not like Hald, opened the sluice.",
        "Rosen opened the sluice without a key.",
        "Rosen opened the sluice and did not report it.",
    ],
)
def test_a_denial_of_something_else_is_none(sentence: str) -> None:
    assert not denies_it(understand("Who opened the sluice on 9 June?"), sentence)


def test_a_denial_answers_what_was_not_done() -> None:
    assert not denies_it(understand("Who did not open the sluice?"), "Hald did not open the sluice.")
    assert not denies_it(understand("Did Hald open the sluice?"), "Hald did not open the sluice.")


@pytest.mark.parametrize(
    ("text", "words", "days"),
    [
        (GATE_LOG, "Rosen in 07:10", {"06-08"}),
        (GATE_LOG, "Rosen not present", {"06-09"}),
        (LIST, "Rosen at home", {"06-08"}),
        (LIST, "Hald ill", {"06-09"}),
        ("[2024-06-09, 19:06] Hald: It rained. Somebody called.", "Somebody called", {"06-09"}),
        ("Report of 9 June\n\nHald told us a long story about the school, the gutters and the rain of that year.",
         "Hald told", set()),
        ("On 9 June Hald was ill. Rosen came.", "Rosen came", set()),
    ],
)  # fmt: skip
def test_an_entry_is_of_the_day_of_its_heading(text: str, words: str, days: set[str]) -> None:
    start = text.index(words)
    assert days_at(text, start, start + len(words)) == days


def test_a_day_that_is_asked_for_leaves_out_other_days() -> None:
    question = understand("Was Rosen at the sluice on 9 June?")
    assert is_of_another_day(question, {"06-08"})
    assert not is_of_another_day(question, {"06-09", "06-08"})
    assert not is_of_another_day(question, {"06-07", "06-12"})  # from the 7th to the 12th
    assert not is_of_another_day(question, set())
    assert not is_of_another_day(understand("When was the order of 9 June met?"), {"06-08"})
    asks_what = understand("What did Rosen open on 9 June?")
    assert is_of_another_day(asks_what, {"06-08"}, is_entry=True)
    assert not is_of_another_day(asks_what, {"06-08"})
    assert is_of_the_day(question, [set(), {"06-09"}])
    assert not is_of_the_day(question, [set(), {"06-08"}])


@pytest.mark.parametrize("mode", ["exploratory", "strict"])
def test_denials_and_questions_are_no_answer_and_the_denial_is_shown(case_of, mode) -> None:
    answer = case_of(TEXTS).answers.ask("Who opened the sluice on 9 June?", mode=mode).answer
    assert not answer.is_answered
    texts = [point.text for point in answer.doubtful]
    assert not any(text.endswith("?") for text in texts)
    assert any("never opened" in text for text in texts) == (mode == "exploratory")
    assert not any("Nobody was hurt" in text for text in texts)


def test_an_entry_of_another_day_answers_nothing(case_of, monkeypatch) -> None:
    monkeypatch.setattr(Fit, "probability", lambda *_: 0.9)
    monkeypatch.setattr(TreeModel, "probability", lambda *_: 0.9)
    answer = case_of({**TEXTS, "log.txt": GATE_LOG}).answers.ask("Was Rosen at the gate on 9 June?").answer
    texts = [point.text for point in (*answer.points, *answer.doubtful)]
    assert any("Rosen not present" in text for text in texts)
    assert not any("07:10" in text for text in texts)


def test_a_question_for_yes_or_no_is_not_answered_without_a_source_of_its_day(case_of, monkeypatch) -> None:
    monkeypatch.setattr(Fit, "probability", lambda *_: 0.9)
    monkeypatch.setattr(TreeModel, "probability", lambda *_: 0.9)
    texts = {"note.txt": "Rosen was at the gate with a dog. Rain fell on Weir Lane all night."}
    bench = case_of(texts)
    answer = bench.answers.ask("Was Rosen at the gate on 9 June?").answer
    assert not answer.is_answered
    assert answer.doubtful
    assert bench.answers.ask("Was Rosen at the gate?").answer.is_answered


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Where is the ledger?", "I have no idea where the ledger is.", True),
        ("Who took the ledger?", "We don’t know who took it.", True),
        ("Who took the ledger?", "I was at home, and I don't know who took it.", True),
        ("Who took the ledger?", "He said that I knew nothing of the key.", False),
        ("Who took the ledger?", "I do not know why, but Brandt took it.", False),
        ("When did the alarm ring?", "I don't know who set it, it was half past nine when I heard it.", False),
        ("Where was the ledger?", "Nobody knows who moved it and the ledger lay in the crypt.", False),
        ("Where was the ledger?", "The ledger lay in the crypt; why, I cannot say.", False),
    ],
)
def test_a_sentence_that_only_says_that_nobody_knows_answers_nothing(question, text, expected):
    assert knows_nothing(understand(question), text) is expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Who called at 02:37?", "I called the guard at 02:11.", True),
        ("Was the gate open at 02:37?", "The gate was open at 02:11.", True),
        ("Who called at about 02:10?", "I called the guard at 02:11.", False),
        ("Who called at 2:11 a.m.?", "I called the guard at 02:11.", False),
        ("Who was there at 23:30?", "I was there from 23:00 to 23:45.", False),
        ("Who called after 02:00?", "I called the guard at 02:11.", False),
        ("When did you leave the gate at 02:37?", "I called the guard at 02:11.", False),
        ("Who called at 02:37?", "I called the guard.", False),
    ],
)
def test_who_did_it_at_a_time_did_it_at_no_other(question, text, expected):
    assert is_of_another_time(understand(question), text) is expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("When did Fenn lock the gate?", "Fenn did not lock the gate on 9 May.", True),
        ("Why did Fenn not lock the gate?", "Fenn did not lock the gate on 9 May.", False),
        ("When did Fenn lock the gate?", "Fenn locked the gate on 9 May, but not the shed.", False),
    ],
)
def test_a_sentence_that_denies_a_word_of_the_question(question, text, expected):
    assert is_denied(understand(question), text) is expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("When did Anna Berg call Boris Tal?", "On Monday Boris Tal called Anna Berg.", True),
        ("When did Anna Berg call Boris Tal?", "On Monday Anna Berg called Boris Tal.", False),
        ("When did Anna Berg call Boris Tal?", "On Monday Boris Tal was called by Anna Berg.", False),
        ("When did Anna Berg call?", "On Monday Boris Tal called Anna Berg.", False),
    ],
)
def test_the_names_of_a_question_the_other_way_round(question, text, expected):
    assert is_turned(understand(question), text) is expected
