"""A small chat model as the judge: what a result depends on, what is refused, what a broken model does."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engines.llm import llama
from core.engines.llm.llama import LlamaJudge
from core.errors import BadInput, ModelUnreadable, NotEnoughMemory
from core.model_files import gguf
from tests.conftest import GENERATOR, installed
from tests.contracts import JudgeContract

PASSAGE = (
    "The night log shows that the dosing pump stopped at 02:14. The operator did not touch it, and the account of the "
    "vendor had been closed in March."
)
HYPOTHESES = ["The operator stopped the dosing pump.", "The pump ran all night.", "The vendor closed its account."]


@pytest.fixture(scope="module")
def real():
    judge = LlamaJudge(installed(GENERATOR))
    yield judge
    judge.close()


class TestLlamaJudge(JudgeContract):
    @pytest.fixture
    def judge(self, real):
        return real


@pytest.mark.slow
def test_results_are_equal_byte_for_byte_again(real):
    together = real.judge(PASSAGE, HYPOTHESES)
    real.judge("word " * 150, ["Something long was read in between."])
    assert repr(real.judge(PASSAGE, HYPOTHESES)) == repr(together)


@pytest.mark.parametrize("words", [1, 29, *(pytest.param(n, marks=pytest.mark.slow) for n in (5, 12, 90, 240))])
def test_one_reading_of_text_and_question_has_the_digits_of_two(real, words):
    text = " ".join((PASSAGE.split() * 10)[:words])
    questions = [f" {hypothesis}?" for hypothesis in HYPOTHESES]
    together = real._read(text, questions)
    assert repr([real._read(text, [question])[0] for question in questions]) == repr(together)
    assert repr(real._read(text, questions[::-1])[::-1]) == repr(together)


def test_probabilities_are_millionths_that_sum_to_one(real):
    for p in real.judge(PASSAGE, HYPOTHESES[:2]):
        parts = [p.supports, p.contradicts, p.neutral]
        assert [round(x, 6) for x in parts] == parts
        assert math.isclose(sum(parts), 1.0, abs_tol=1e-9)


@settings(deadline=None)
@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=60))
def test_no_text_changes_the_words_at_the_seam_or_becomes_control_words(real, passage, hypothesis):
    passage, hypothesis = real._plain(passage), real._plain(hypothesis)
    if not passage or not hypothesis:
        return
    text = f"{llama._BEFORE_RIVAL.format(1)}{hypothesis}{llama._BEFORE_QUOTED}{passage}{llama._BEFORE_NUMBER}"
    prompt, whole = real._tokens(text), real._tokens(f"{text} 1{llama._AFTER_NUMBER}")
    assert whole[: len(prompt)] == prompt
    assert real._control.isdisjoint(whole)


@pytest.mark.parametrize("text", ["\0 a \0", "\ud800 lone", "\u202eabc", "😀" * 5, "\n\n.\n\n", "ﬁ ﷺ א"])
def test_odd_characters_are_judged(real, text):
    assert len(real.judge(text, [text])) == 1


def test_too_long_and_empty_texts_are_refused_with_a_remedy(real):
    with pytest.raises(BadInput, match="10,000 characters") as caught:
        real.judge(PASSAGE, ["abcd " * 1_999 + "abcde"])
    assert caught.value.hint
    with pytest.raises(BadInput, match="passage of 20,"):
        real.judge("abcde " * 3500, HYPOTHESES)
    with pytest.raises(BadInput, match="hypothesis is empty"):
        real.judge(PASSAGE, [" \n"])
    with pytest.raises(BadInput, match="passage is empty"):
        real.judge("", HYPOTHESES)
    assert len(real.judge(PASSAGE, HYPOTHESES)) == 3  # a refusal leaves nothing behind


@pytest.mark.slow
def test_the_longest_texts_allowed_fit_the_window(real):
    assert llama.MAX_PASSAGE_TOKENS + llama.MAX_HYPOTHESIS_TOKENS <= llama.CONTEXT_LENGTH
    assert len(real.judge("one " * 1_500, ["two " * 450])) == 1


def test_an_answer_that_is_no_number_is_an_unusable_model(real, monkeypatch):
    broken = [math.nan] * (max(max(real._answers)) + 1)
    monkeypatch.setattr(real._llama, "llama_get_logits_ith", lambda *_: broken)
    with pytest.raises(ModelUnreadable, match="not a number"):
        real.judge(PASSAGE, HYPOTHESES)
    monkeypatch.setattr(real._llama, "llama_get_logits_ith", lambda *_: None)
    with pytest.raises(ModelUnreadable, match="no answer"):
        real.judge(PASSAGE, HYPOTHESES)
    monkeypatch.setattr(real._llama, "llama_decode", lambda *_: 1)
    with pytest.raises(ModelUnreadable, match="code 1"):
        real.judge(PASSAGE, HYPOTHESES)


def test_the_fingerprint_names_model_weights_library_and_question(real):
    for part in ("Q4_1", "sha256:", "llama-cpp-python", llama.TEMPLATE_PROMPT, "ChatML"):
        assert part in real.fingerprint


def test_nothing_is_written_to_the_terminal(capfd):
    judge = LlamaJudge(installed(GENERATOR))
    judge.judge(PASSAGE, HYPOTHESES[:1])
    judge.close()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.6])
def test_a_temperature_keeps_the_order(scale):
    p = llama.probabilities([2.0, -1.0, 0.5], scale)
    assert p.supports > p.neutral > p.contradicts
    assert math.isclose(p.supports / p.neutral, math.exp(1.5 / scale), rel_tol=1e-4)


def test_too_little_memory_is_said_before_the_model_is_loaded(monkeypatch):
    monkeypatch.setattr(gguf, "free_memory", lambda: 100_000_000)
    monkeypatch.setitem(sys.modules, "llama_cpp", None)  # reaching for the loader is an ImportError
    with pytest.raises(NotEnoughMemory, match="but only 100 MB are free"):
        LlamaJudge(installed(GENERATOR))


def test_no_control_word_of_the_vocabulary_can_come_from_a_text(real):
    library, vocabulary = real._llama, real._vocabulary
    control = [n for n in range(real._vocabulary_size) if library.llama_vocab_is_control(vocabulary, n)]
    assert len(control) >= 3

    def tokens(text: str, *, special: bool) -> list[int]:
        data = text.encode()
        room = (library.llama_token * (len(data) + 8))()
        count = library.llama_tokenize(vocabulary, data, len(data), room, len(room), False, special)
        return list(room[:count])

    for number in control:
        text = library.llama_vocab_get_text(vocabulary, number).decode()
        assert tokens(text, special=True) == [number]  # the danger is real
        for passage in (text, f"a{text}b", f"{text}{text}", f"{text[:3]}{text}{text[3:]}", f"\0{text}\n", text.upper()):
            plain = real._plain(passage)
            # Even where control words are let through on purpose, this text holds none.
            assert set(control).isdisjoint(tokens(plain, special=True)), passage
            assert set(control).isdisjoint(real._tokens(plain))
