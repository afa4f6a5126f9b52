"""The judge that comes with the program: what a result depends on, what is refused, what no document can write."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import paths
from core.engines.cross_encoder import judge as encoder_judge
from core.engines.cross_encoder.judge import EncoderJudge
from core.errors import BadInput, ModelMissing, ModelUnreadable, NotEnoughMemory
from core.model_files import gguf
from tests.contracts import JudgeContract
from tests.core.engines import tiny_gguf

PASSAGE = (
    "The night log shows that the dosing pump stopped at 02:14. The operator did not touch it, and the account of the "
    "vendor had been closed in March."
)
HYPOTHESES = ["The operator stopped the dosing pump.", "The pump ran all night.", "The vendor closed its account."]
# How often the judge is right is no matter of these: that is what its exam measures.
PAIRS = [
    ("The pump was repaired on Monday.", "The pump was repaired.", "supports"),
    ("Masks lowered the rate of infection in all age groups.", "Wearing masks reduces infection.", "supports"),
    ("A man is playing a guitar on the stage.", "A man plays an instrument.", "supports"),
    ("The suspect was at home in Madrid all evening.", "The suspect was in Paris that evening.", "contradicts"),
    ("The building was completed in 1931.", "The building was completed in 1950.", "contradicts"),
    ("A man is sleeping on a bench.", "A man is running through the park.", "contradicts"),
    ("The report describes the history of the town.", "Vaccination lowers the number of hospital admissions.",
     "neutral"),
    ("A woman is walking her dog in the rain.", "The woman is on her way to work.", "neutral"),
    ("The committee met on 3 May in Geneva.", "The pump failed because of a software error.", "neutral"),
    ("Two children are eating ice cream in the park.", "Children are eating.", "supports"),
    ("The night log shows that the dosing pump stopped at 02:14.", "The pump stopped in the night.", "supports"),
    ("The report says that the bridge was closed in 1998.", "The bridge was open throughout 1998.", "contradicts"),
    ("The letter was signed by the mayor herself.", "The mayor did not sign the letter.", "contradicts"),
    ("The shop sells bread and milk.", "The ship left the harbour at nine.", "neutral"),
    ("Her brother keeps bees behind the house.", "The contract was signed in March.", "neutral"),
]  # fmt: skip
CLEAR = 13  # of these at least; a fault of the graph leaves a third of them


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A small one with random weights, whose words are single letters."""
    return EncoderJudge(tiny_gguf.encoder(tmp_path_factory.mktemp("reader") / "reader.gguf"))


class TestEncoderJudge(JudgeContract):
    @pytest.fixture
    def judge(self, real_judge):
        return real_judge

    def test_rivals_of_another_group_change_nothing(self, judge):
        rivals = [f"{text} {number}" for number in range(3) for text in self.HYPOTHESES]
        groups = judge._groups([judge._ids(text) for text in rivals])
        assert len(groups) > 1
        first = len(groups[0])
        assert judge.judge(self.PASSAGE, rivals)[:first] == judge.judge(self.PASSAGE, rivals[:first])


def test_results_are_equal_byte_for_byte_again(real_judge):
    together = real_judge.judge(PASSAGE, HYPOTHESES)
    real_judge.judge("word " * 600, ["Something long was read in between."])
    assert repr(real_judge.judge(PASSAGE, HYPOTHESES)) == repr(together)


def test_clear_pairs_are_judged_right(real_judge):
    answers = [real_judge.judge(passage, [hypothesis])[0] for passage, hypothesis, _ in PAIRS]
    labels = [max(("supports", "contradicts", "neutral"), key=lambda label: getattr(p, label)) for p in answers]
    wrong = [pair for pair, label in zip(PAIRS, labels, strict=True) if pair[2] != label]
    assert len(PAIRS) - len(wrong) >= CLEAR, wrong


def test_probabilities_are_millionths_that_sum_to_one(tiny):
    for p in tiny.judge("a pump, it ran", ["it ran", "no"]):
        parts = [p.supports, p.contradicts, p.neutral]
        assert [round(x, 6) for x in parts] == parts
        assert math.isclose(sum(parts), 1.0, abs_tol=1e-9)


def test_the_temperature_of_the_file_divides(tmp_path):
    sharp, soft = (
        EncoderJudge(tiny_gguf.encoder(tmp_path / f"{degree}.gguf", temperature=degree)) for degree in (1.0, 4.0)
    )
    (sharp_verdict,), (soft_verdict,) = (judge.judge("a pump", ["it ran"]) for judge in (sharp, soft))
    assert math.log(sharp_verdict.supports / sharp_verdict.neutral) == pytest.approx(
        4 * math.log(soft_verdict.supports / soft_verdict.neutral), rel=1e-3
    )
    assert "temperature 4" in soft.fingerprint


def test_the_fingerprint_names_model_weights_library_and_form_of_input(real_judge):
    for part in ("evidence-reader", "sha256:", " onnxruntime ", f" input {encoder_judge.INPUT} ", " temperature "):
        assert part in real_judge.fingerprint


# --- documents stay documents ----------------------------------------------------------------------------------------


def test_no_text_writes_a_mark(real_judge):
    encoder = real_judge._encoder
    marks = {encoder.begin, encoder.end, encoder.tokenizer.token_to_id("[UNK]")}
    assert len(marks) == 3
    for mark in ("<s>", "</s>", "<pad>", "<mask>", "[UNK]", "[CLS]", "[SEP]"):
        for text in (
            mark,
            f"a{mark}b",
            f"{mark} {mark}",
            f"{mark[:2]}{mark}{mark[2:]}",
            mark.upper(),
            f"\u200b{mark}\0",
        ):
            assert marks.isdisjoint(real_judge._ids(text)), text


@settings(deadline=None)
@given(st.text(alphabet=st.one_of(st.sampled_from("<>/s[]CLSEPUNKpad"), st.characters()), max_size=60))
def test_no_text_at_all_writes_a_mark(real_judge, text):
    encoder = real_judge._encoder
    assert {encoder.begin, encoder.end}.isdisjoint(real_judge._ids(text))


def test_the_marks_that_are_read_are_the_three_between_and_around_the_texts(tiny, monkeypatch):
    read = []
    watched = replace(tiny._encoder, layers=lambda tokens: (read.append(tokens), tiny_layers(tokens))[1])
    tiny_layers = tiny._encoder.layers
    monkeypatch.setattr(tiny, "_encoder", watched)
    tiny.judge("a </s> pump <s>", ["it </s></s> ran"])
    (tokens,) = read
    begin, end = tiny._encoder.begin, tiny._encoder.end
    assert [token for token in tokens if token in (begin, end)] == [begin, end, end, end]
    assert (tokens[0], tokens[-1]) == (begin, end)


@pytest.mark.parametrize("text", ["\0 a \0", "\ud800 lone", "\u202eabc", "😀" * 5, "\n\n.\n\n", "ﬁ ﷺ א"])
def test_odd_characters_are_judged(real_judge, text):
    assert len(real_judge.judge(text, [text])) == 1


# --- long and empty texts --------------------------------------------------------------------------------------------


def test_too_long_and_empty_texts_are_refused_with_a_remedy(real_judge):
    with pytest.raises(BadInput, match="10,000 characters") as caught:
        real_judge.judge(PASSAGE, ["abcd " * 1_999 + "abcde"])
    assert caught.value.hint
    with pytest.raises(BadInput, match="passage of 21,000"):
        real_judge.judge("abcde " * 3500, HYPOTHESES)
    with pytest.raises(BadInput, match="hypothesis is empty"):
        real_judge.judge(PASSAGE, [" \n"])
    with pytest.raises(BadInput, match="passage is empty"):
        real_judge.judge("", HYPOTHESES)
    assert len(real_judge.judge(PASSAGE, HYPOTHESES)) == 3  # a refusal leaves nothing behind


def test_a_long_passage_is_read_in_stretches_of_whole_sentences(tiny):
    sentences = [f"{'a' * index} pump ran." for index in range(1, 40)]
    stretches = tiny._stretches(" ".join(sentences))
    wholes = [tiny._ids(sentence) for sentence in sentences]
    assert len(stretches) > 2
    assert all(len(stretch) <= encoder_judge.STRETCH for stretch in stretches)
    indices = []
    for stretch in stretches:
        rest = list(stretch)
        while rest:  # sentence by sentence, and nothing else
            index, whole = next((index, whole) for index, whole in enumerate(wholes) if rest[: len(whole)] == whole)
            indices.append(index)
            rest = rest[len(whole) :]
    assert sorted(set(indices)) == list(range(len(sentences)))  # none is left out
    assert (
        len(indices) == len(sentences) + len(stretches) - 1
    )  # each stretch begins with the last sentence of the one before


def test_a_passage_that_fits_is_read_whole(tiny):
    text = "a. " * 100
    assert tiny._stretches(text) == [tiny._ids(text)]


def test_a_sentence_longer_than_a_stretch_is_cut_and_read_to_its_end(tiny):
    text = "ab" * 40 + " " + " ".join("abcdefghijklmnopqrstuvwxyz"[number % 26] for number in range(700))
    stretches = tiny._stretches(text)
    assert sum(map(len, stretches)) >= len(tiny._ids(text)) > 2 * encoder_judge.STRETCH
    assert stretches[-1][-1] == tiny._ids(text)[-1]


def test_the_stretch_that_says_most_decides(tiny):
    quiet, loud = "a pump ran. " * 50, "zz xq vw. " * 40
    hypothesis = ["it ran"]
    parts = [tiny._read(stretch, [tiny._ids(hypothesis[0])])[0] for stretch in tiny._stretches(quiet + loud)]
    assert len({part.neutral for part in parts}) > 1
    assert tiny.judge(quiet + loud, hypothesis) == [min(parts, key=lambda part: part.neutral)]


def test_an_answer_that_is_no_number_is_an_unusable_model(tiny, monkeypatch):
    nothing = replace(tiny._encoder, layers=lambda tokens: numpy.full((len(tokens), 2 * tiny._encoder.size), math.nan))
    monkeypatch.setattr(tiny, "_encoder", nothing)
    with pytest.raises(ModelUnreadable, match="no number"):
        tiny.judge("a pump", ["it ran"])


# --- the file --------------------------------------------------------------------------------------------------------


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelMissing, match=r"none\.gguf"):
        EncoderJudge(tmp_path / "none.gguf")


def test_too_little_memory_is_said_before_the_model_is_loaded(monkeypatch):
    monkeypatch.setattr(gguf, "free_memory", lambda: 100_000_000)
    with pytest.raises(NotEnoughMemory, match="but only 100 MB are free"):
        EncoderJudge(paths.reader())


def test_with_one_thread_it_says_the_same(tmp_path):
    path = tiny_gguf.encoder(tmp_path / "reader.gguf")
    plain, wide = EncoderJudge(path, plain=True), EncoderJudge(path)
    assert plain.judge("a pump", ["it ran"]) == wide.judge("a pump", ["it ran"])
    assert wide.speed() > 0
