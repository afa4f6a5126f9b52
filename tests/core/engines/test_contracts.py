"""The fakes and the real models keep the same contracts. The reader's are in test_reader.py, the judges' in
cross_encoder and llm."""

from __future__ import annotations

import io

import pytest

from core import paths
from core.domain import PageText
from core.errors import BadInput, ModelMissing, ModelUnreadable, NotEnoughMemory
from core.workers.engines import EmbedderClient, JudgeClient
from core.workers.frames import ANSWER_CAP, ANSWER_HEADER_CAP, unpack
from core.workers.wire.errors import error_in, error_out
from tests.conftest import installed
from tests.contracts import EmbedderContract, JudgeContract, ReaderContract
from tests.fakes import ContraryJudge, HashEmbedder, PlainReader, ScriptedJudge


@pytest.fixture(scope="module")
def installed_embedder():
    client = EmbedderClient(installed(paths.EMBEDDER))
    yield client
    client.close()


@pytest.fixture(scope="module")
def installed_judge():
    client = JudgeClient(paths.reader())
    yield client
    client.close()


class TestPlainReader(ReaderContract):
    @pytest.fixture
    def reader(self):
        return PlainReader()

    @pytest.fixture
    def rendered(self, reader):
        return reader.render(b"The pump stopped.", "notes.txt", 1, scale=1.5)

    def test_a_word_box_lies_on_the_page(self, reader):
        page = list(reader.read(("word " * 200).encode(), "notes.txt"))[1]
        assert isinstance(page, PageText)
        assert all(0 <= word.x0 < word.x1 <= page.width for word in page.words)


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return HashEmbedder()


class TestSearchModel(EmbedderContract):
    @pytest.fixture
    def embedder(self, installed_embedder):
        return installed_embedder

    def test_meaning_counts_and_not_the_words_alone(self, embedder):
        question, near, far = embedder.embed(
            ["Who stole the money?", "The thief took the cash.", "Money is printed on cotton paper."]
        )
        assert cosine(question, near) > cosine(question, far)


@pytest.fixture(scope="module")
def multilingual_embedder():
    client = EmbedderClient(installed(paths.MULTILINGUAL))
    yield client
    client.close()


class TestSearchModelOfManyLanguages(EmbedderContract):
    PIECES = 4  # the, dam, bro, ke

    @pytest.fixture
    def embedder(self, multilingual_embedder):
        return multilingual_embedder

    def test_it_finds_across_languages(self, embedder):
        query = embedder.embed_queries(["When did the pump fail?"])[0]
        for right, wrong in (
            ("Die Pumpe fiel gegen 23 Uhr aus.", "Die Rechnung für Bürostühle ist bezahlt."),
            ("Насос отказал около 23 часов.", "Счёт за офисные стулья оплачен."),
            ("تعطلت المضخة حوالي الساعة الحادية عشرة.", "تم دفع فاتورة كراسي المكتب."),
        ):
            near, far = embedder.embed([right, wrong])
            assert cosine(query, near) > cosine(query, far)

    def test_line_ends_and_blanks_are_one_blank(self, embedder):
        plain, wide = embedder.embed(["The pump stopped at night.", "  The pump\r\nstopped\u00a0 at\tnight.\u200b "])
        assert plain == wide


def cosine(left: bytes, right: bytes) -> float:
    return sum(a * b for a, b in zip(memoryview(left).cast("f"), memoryview(right).cast("f"), strict=True))


class TestScriptedJudge(JudgeContract):
    @pytest.fixture
    def judge(self):
        return ScriptedJudge()


class TestContraryJudge(JudgeContract):
    @pytest.fixture
    def judge(self):
        return ContraryJudge()


def test_what_the_judge_refuses_is_said_on_this_side_and_its_child_goes_on(installed_judge):
    passage, hypotheses = JudgeContract.PASSAGE, JudgeContract.HYPOTHESES[:2]
    verdicts = installed_judge.judge(passage, hypotheses)
    for bad_passage, bad_hypotheses in (
        ("word " * 4_000, hypotheses),
        (passage, [*hypotheses, "word " * 4_000]),
        (" \n", hypotheses),
        (passage, [""]),
    ):
        with pytest.raises(BadInput) as caught:
            installed_judge.judge(bad_passage, bad_hypotheses)
        assert caught.value.hint
    assert installed_judge.judge(passage, hypotheses) == verdicts


@pytest.mark.parametrize(
    "error",
    [
        BadInput(reason="The hypothesis is empty.", remedy="Give it at least one word."),
        ModelMissing(role="judging", path="m.gguf", effect="nothing is judged"),
        ModelUnreadable(path="m.gguf", reason="it is truncated", effect="nothing is judged"),
        NotEnoughMemory(role="judging", needed="400", free="10", effect="nothing is judged"),
    ],
)
def test_every_error_of_a_model_comes_out_of_its_child_whole(error):
    frame = io.BytesIO(b"".join(error_out(error)))
    header, _ = unpack(frame.read, header_cap=ANSWER_HEADER_CAP, cap=ANSWER_CAP)
    arrived = error_in(header)
    assert type(arrived) is type(error)
    assert (arrived.sentence, arrived.hint) == (error.sentence, error.hint)
