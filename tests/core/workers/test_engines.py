"""Each engine through a child keeps its contract, and an answer that cannot be is refused."""

from __future__ import annotations

import time

import pytest

from core.errors import EngineStopped, UnreadableDocument
from core.workers import engines, frames, pool
from core.workers.client import Limits
from core.workers.engines import OcrClient
from tests.contracts import EmbedderContract, JudgeContract, OcrContract, ReaderContract
from tests.core.workers.children import COMMAND, gone, pid
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge, png


class TestReaderThroughAChild(ReaderContract):
    @pytest.fixture
    def rendered(self, reader):
        return reader.render(b"some text", "notes.txt", 1, scale=1.5)


class TestOcrThroughAChild(OcrContract):
    @pytest.fixture
    def ocr(self):
        client = OcrClient(command=COMMAND)
        yield client
        client.close()

    @pytest.fixture
    def scan(self):
        return png(30, 40), 420.0, 200.0

    @pytest.fixture
    def blank(self):
        return png(1, 1), 420.0, 200.0

    @pytest.mark.parametrize(
        "page",
        [
            "Page('ab', Words.of([W(0, 2, 1, 1, 2, 2)]), (1.5,), ((),), ('',), 1.0, 'x', 0.0)",
            "Page('ab', Words.of([W(0, 2, 1, 1, 2, 2)]), (float('nan'),), ((),), ('',), 1.0, 'x', 0.0)",
            "Page('ab', Words.of([W(0, 3, 1, 1, 2, 2)]), (0.5,), ((),), ('',), 1.0, 'x', 0.0)",
            "Page('ab', Words.of([W(1, 2, 1, 1, 2, 2), W(0, 1, 1, 1, 2, 2)]), (1, 1), ((), ()), ('', ''), 1, '', 0)",
            "Page('ab', Words.of([W(0, 2, 1, float('inf'), 2, 2)]), (0.5,), ((),), ('',), 1.0, 'x', 0.0)",
            "Page('ab', Words.of([W(0, 2, 1, 1, 2, 2)]), (0.5,), (), ('',), 1.0, 'x', 0.0)",
            "Page('ab', Words.of([W(0, 2, 1, 1, 2, 2)]), (0.5,), ((1,),), ('',), 1.0, 'x', 0.0)",
            "Page('ab', Words.of([W(0, 2, 1, 1, 2, 2)]), (0.5,), ((),), (None,), 1.0, 'x', 0.0)",
            "Page('ab', Words(), (), (), (), 2.0, 'x', 0.0)",
            "Page('ab', Words(), (), (), (), 1.0, 'x' * 501, 0.0)",
            "Page('ab', Words(b'1234567'), (), (), (), 1.0, 'x', 0.0)",
            "Page('a', Words(), (), (), (), 1, 'x', 0, tuple(Page('', Words(), (), (), (), 1, '', 0) for _ in 'abc'))",
        ],
    )
    def test_a_child_that_lies_about_a_page_is_ended(self, ocr, page):
        ocr.read(png(30, 40), width=420, height=200)
        child = pid(ocr)
        with pytest.raises(EngineStopped, match=r"malformed|unexpected"):
            ocr.read(png(30, 40), width=420, height=200, languages=("page", page))
        assert gone(child)
        assert ocr.read(png(30, 40), width=420, height=200).text

    def test_a_page_of_two_readings_crosses_whole(self, ocr):
        inner = (
            "Page('Grüße\U0001f642 x', Words.of([W(0, 6, 1, 1, 2, 2)]), (0.5,), (('a', 'ü'),), ('ß',), 0.5, 'one', 1.5)"
        )
        outer = f"Page('y', Words(), (), (), (), 0.0, 'two', 0.25, ({inner}, {inner}))"
        page = ocr.read(png(30, 40), width=420, height=200, languages=("page", outer))
        assert (page.text, page.engine, len(page.words), page.seconds) == ("y", "two", 0, 0.25)
        assert page.readings[0] == page.readings[1]
        first = page.readings[0]
        assert (first.text, first.confidences, first.alternatives, first.others) == (
            "Grüße\U0001f642 x",
            (0.5,),
            (("a", "ü"),),
            ("ß",),
        )
        assert [word.text for word in first.each_word()] == ["Grüße\U0001f642"]

    def test_a_page_that_takes_too_long_ends_the_child_and_the_next_one_is_read(self):
        ocr = OcrClient(command=COMMAND, limits=Limits(start=20, item=0.6, whole=2.0))
        with pytest.raises(EngineStopped, match="no answer within"):
            ocr.read(png(30, 40), width=420, height=200, languages=("hang",))
        assert ocr.read(png(30, 40), width=420, height=200).text
        ocr.close()


class TestEmbedderThroughAChild(EmbedderContract):
    pass


class TestJudgeThroughAChild(JudgeContract):
    pass


def test_a_child_answers_like_the_engine_itself(reader, embedder, judge):
    data = "Grüße, 世界 \U0001f642\fzwei\0\n\n".encode()
    assert list(reader.read(data, "a.txt")) == list(PlainReader().read(data, "a.txt"))
    assert reader.render(data, "a.txt", 2, scale=2.0) == PlainReader().render(data, "a.txt", 2, scale=2.0)
    texts = ["one", "", "zwei \U0001f642", "x" * 5_000]
    assert embedder.embed(texts) == HashEmbedder().embed(texts)
    assert embedder.dimensions == 64
    question = ("The pump was not checked.", ["The pump was checked.", "It rained."])
    assert judge.judge(*question) == ScriptedJudge().judge(*question)


def test_time_the_caller_takes_does_not_count(hasty):
    count = 0
    for _ in hasty.read(b"", "many 8"):
        time.sleep(0.4)
        count += 1
    assert count == 9


@pytest.mark.parametrize(
    "page",
    [
        "PageText(2, 'x')",
        "PageText(0, 'x')",
        "PageText(1, 'x', source='rumour')",
        "PageText(1, 'x', width=float('nan'))",
        "PageText(1, 'x', width=-1.0)",
        "PageText(1, 'x', confidence=2.0)",
        "PageText(1, 'x', hidden_spans=((0, 2),))",
        "PageText(1, 'xyz', hidden_spans=((1, 2), (0, 1)))",
        "PageText(1, 'x', hidden_spans=((0.5, 1),))",
        "PageText(1, 'x', Words(b'123'))",
        "PageText(1, 'x', Words.of([(0, 2, 0, 0, 1, 1)]))",
        "PageText(1, 'x', Words.of([(0, 1, float('nan'), 0, 1, 1)]))",
        "PageText(1, 'x', label='l' * 300)",
        "PageText(1, 'x' * (70 << 20))",
    ],
)
def test_a_page_that_cannot_be_is_refused(reader, page):
    with pytest.raises(EngineStopped):
        list(reader.read(b"", f"page {page}"))
    assert len(list(reader.read(b"one", "a.txt"))) == 2


def test_a_picture_that_lies_about_its_size_is_refused(reader):
    with pytest.raises(EngineStopped, match="malformed"):
        reader.render(b"x", "lying picture", 1, scale=1.0)


def test_turning_pages_sends_a_document_once(reader, monkeypatch):
    sent = []
    pack = frames.pack
    for module in (pool, engines):
        monkeypatch.setattr(
            module, "pack", lambda header, blobs=(): sent.append(sum(map(len, blobs))) or pack(header, blobs)
        )
    text = b"one\ftwo\fthree"
    same = bytes(bytearray(text))
    pictures = [reader.render(data, "a.txt", 1, scale=1.0) for data in (text, same, b"other", text)]
    assert sent == [len(text), 0, len(b"other"), len(text)]
    list(reader.read(b"read", "b.txt"))
    assert reader.render(text, "a.txt", 1, scale=1.0) == pictures[0]
    reader.interrupt()
    assert reader.render(text, "a.txt", 1, scale=1.0) == pictures[0]
    with pytest.raises(UnreadableDocument):
        reader.render(text, "a.txt", 9, scale=1.0)
    assert reader.render(text, "a.txt", 1, scale=1.0) == pictures[0]
    assert sent[4:] == [4, len(text), len(text), 0, len(text)]


def test_too_few_verdicts_are_refused(judge):
    with pytest.raises(EngineStopped, match="malformed"):
        judge.judge("too few", ["a", "b"])


def test_too_large_a_document_is_refused_before_it_is_sent(reader, monkeypatch):
    monkeypatch.setattr(pool, "DOCUMENT_CAP", 10)
    with pytest.raises(UnreadableDocument) as error:
        list(reader.read(b"x" * 11, "a.txt"))
    assert error.value.hint
