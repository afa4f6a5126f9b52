"""What a reader of statements makes of ranked sentences: what it is shown, and the figure of each."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.answers import replies
from core.answers.features import Context
from core.answers.sentences import RankedSentence, Sentence
from core.domain import Reply, Span
from core.errors import BadInput
from core.text import sentences


@dataclass
class Scripted:
    """A reader that marks one word, and refuses what holds another."""

    marked: str
    refused: str = "\0"
    passages: list[str] = field(default_factory=list)

    def reply(self, passage: str, question: str) -> Reply:
        self.passages.append(passage)
        if self.refused in passage:
            raise BadInput(reason="too long", remedy="shorter")
        start = passage.find(self.marked)
        words = ((start, start + len(self.marked), 0.5),) if start >= 0 else ()
        return Reply(0.5, ((0, 1, 0.1), *words))


def ranking(*texts: str) -> tuple[list[RankedSentence], list[Context]]:
    """Rank all sentences of some passages in their order."""
    rows, contexts = [], []
    for number, text in enumerate(texts):
        for span in sentences(text):
            words = text[span.start : span.end]
            rows.append(RankedSentence(Sentence(number, span, words, 0.5, 0.5, 0.0, 1.0, 1.0, 0.5), 0.0))
            contexts.append(Context(text, "log", text))
    return rows, contexts


def test_sentences_of_one_stretch_are_read_at_once():
    reader = Scripted("Ann")
    assert replies.weigh(reader, "Who?", *ranking("It rained. Ann stopped the pump.", "Ben slept.")) == [0, 0.25, 0]
    assert reader.passages == ["log: It rained. Ann stopped the pump.", "log: Ben slept."]


def test_only_some_stretches_are_read():
    reader = Scripted("Ann")
    figures = replies.weigh(reader, "Who?", *ranking(*["Ann came."] * (replies.WINDOWS + 2)))
    assert figures == [0.25] * replies.WINDOWS + [0.0] * 2


def test_too_long_sentences_are_left_out():
    assert replies.weigh(Scripted("Ann", refused="Ben"), "Who?", *ranking("Ben and Ann.", "Ann came.")) == [0.0, 0.25]


def test_a_stretch_is_a_sentence_with_its_neighbours():
    text = " ".join(f"This is sentence number {number} of a long text." for number in range(60))
    span = sentences(text)[30]
    window = replies.around(text, span)
    assert window.start < span.start
    assert span.end < window.end
    assert window.end - window.start <= 450
    assert text[window.start : window.end].startswith("This is")
    assert text[: window.end].endswith(".")


def test_a_sentence_without_end_is_read_whole():
    text = "word " * 400
    assert replies.around(text, Span(0, 1_999)) == Span(0, 1_999)
