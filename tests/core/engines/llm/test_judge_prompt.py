"""What the model is asked: pairs it judges right, questions put wrongly, and words that steer a chat model."""

from __future__ import annotations

import pytest

from core import paths
from core.engines.llm import llama
from core.engines.llm.llama import LlamaJudge
from tests.conftest import MODELS

# Each is judged right with some margin; together they notice a question that is put in other words. How often the judge
# is right is no matter of these: that is what its exam measures.
PAIRS = [
    ("The pump was repaired on Monday.", "The pump was repaired.", "supports"),
    ("Masks lowered the rate of infection in all age groups.", "Wearing masks reduces infection.", "supports"),
    ("The bridge collapsed because its cables had rusted through.", "Rust caused the collapse of the bridge.",
     "supports"),
    ("The suspect was at home in Madrid all evening.", "The suspect was in Paris that evening.", "contradicts"),
    ("The building was completed in 1931.", "The building was completed in 1950.", "contradicts"),
    ("A man is sleeping on a bench.", "A man is running through the park.", "contradicts"),
    ("The report describes the history of the town.", "Vaccination lowers the number of hospital admissions.",
     "neutral"),
    ("A woman is walking her dog in the rain.", "The woman is on her way to work.", "neutral"),
    ("The committee met on 3 May in Geneva.", "The pump failed because of a software error.", "neutral"),
]  # fmt: skip


@pytest.fixture(scope="module")
def judge():
    path = MODELS / paths.MERGED_JUDGE
    if not path.exists():
        pytest.skip(f"there is no {path}; make it with: python3 packaging/bootstrap.py models")
    opened = LlamaJudge(path)
    yield opened
    opened.close()


def verdict(judge, passage: str, hypothesis: str) -> str:
    result = judge.judge(passage, [hypothesis])[0]
    return max(("supports", "contradicts", "neutral"), key=lambda label: getattr(result, label))


@pytest.mark.parametrize(("passage", "hypothesis", "expected"), PAIRS)
def test_a_clear_pair_is_judged_right(judge, passage, hypothesis, expected):
    assert verdict(judge, passage, hypothesis) == expected


@pytest.mark.parametrize("question", [("", "\n", ""), ("Passage: ", "\nClaim:", "")])
def test_the_pairs_would_notice_another_question(judge, monkeypatch, question):
    for name, words in zip(("_BEFORE_PASSAGE", "_BEFORE_HYPOTHESIS", "_AFTER_HYPOTHESIS"), question, strict=True):
        monkeypatch.setattr(llama, name, words)
    unrelated = [(passage, hypothesis) for passage, hypothesis, expected in PAIRS if expected == "neutral"]
    assert {verdict(judge, *pair) for pair in unrelated} != {"neutral"}


def test_the_pairs_would_notice_passage_and_hypothesis_in_each_others_place(judge):
    supported = [(hypothesis, passage) for passage, hypothesis, expected in PAIRS if expected == "supports"]
    assert {verdict(judge, *pair) for pair in supported} != {"supports"}


def test_no_control_word_of_the_vocabulary_can_come_from_a_text(judge):
    library, vocabulary = judge._llama, judge._vocabulary
    control = [n for n in range(judge._vocabulary_size) if library.llama_vocab_is_control(vocabulary, n)]
    assert len(control) >= 3

    def tokens(text: str, *, special: bool) -> list[int]:
        data = text.encode()
        room = (library.llama_token * (len(data) + 8))()
        count = library.llama_tokenize(vocabulary, data, len(data), room, len(room), False, special)
        return list(room[:count])

    for number in control:
        text = library.llama_vocab_get_text(vocabulary, number).decode()
        assert tokens(text, special=True) == [number]  # the danger is real
        for written in (text, f"a{text}b", f"{text}{text}", f"{text[:3]}{text}{text[3:]}", f"\0{text}\n", text.upper()):
            plain = judge._plain(written)
            # Even where control words are let through on purpose, this text holds none.
            assert set(control).isdisjoint(tokens(plain, special=True)), written
            assert set(control).isdisjoint(judge._tokens(plain))
