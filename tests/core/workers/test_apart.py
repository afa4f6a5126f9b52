"""Child processes: what crosses, what does not, and what happens when one dies."""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core
from core.domain import PageText, Probabilities, Section, Word, Words
from core.errors import EngineStopped, ModelMissing, ModelUnreadable, Problem, UnreadableDocument
from core.ports import Attachment, FileCell, FileHypothesis, FileRow, MatrixFile, OcrPage, Outline, Picture
from core.workers import apart
from core.workers.apart import (
    Limits,
    ProtocolError,
    RemoteEmbedder,
    RemoteJudge,
    RemoteOcr,
    RemoteReader,
    ToRead,
    each_read,
)
from tests.contracts import EmbedderContract, JudgeContract, OcrContract, ReaderContract
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge, png

COMMAND = [sys.executable, str(Path(__file__).with_name("child_engines.py"))]
posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX systems")


@pytest.fixture
def reader():
    remote = RemoteReader(command=COMMAND)
    yield remote
    remote.close()


@pytest.fixture
def hasty():
    """A reader with small limits."""
    remote = RemoteReader(command=COMMAND, limits=Limits(start=20, item=0.6, whole=2.0, memory=1 << 30))
    yield remote
    remote.close()


@pytest.fixture
def embedder(tmp_path):
    remote = RemoteEmbedder(tmp_path, command=COMMAND)
    yield remote
    remote.close()


@pytest.fixture
def judge(tmp_path):
    remote = RemoteJudge(tmp_path / "model.gguf", command=COMMAND)
    yield remote
    remote.close()


def pid(remote) -> int:
    return remote._child.process.pid


def gone(process: int) -> bool:
    """Whether the process has ended (a dead one that nobody has waited for counts as ended)."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
            if sys.platform == "linux" and "State:\tZ" in Path(f"/proc/{process}/status").read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


class TestReaderThroughAChild(ReaderContract):
    @pytest.fixture
    def rendered(self, reader):
        return reader.render(b"some text", "notes.txt", 1, scale=1.5)


class TestOcrThroughAChild(OcrContract):
    @pytest.fixture
    def ocr(self):
        remote = RemoteOcr(command=COMMAND)
        yield remote
        remote.close()

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
        with pytest.raises(EngineStopped, match=r"out of form|unexpected"):
            ocr.read(png(30, 40), width=420, height=200, languages=("page", page))
        assert gone(child)
        assert ocr.read(png(30, 40), width=420, height=200).text

    def test_a_page_of_two_readings_crosses_whole(self, ocr):
        one = (
            "Page('Grüße\U0001f642 x', Words.of([W(0, 6, 1, 1, 2, 2)]), (0.5,), (('a', 'ü'),), ('ß',), 0.5, 'one', 1.5)"
        )
        two = f"Page('y', Words(), (), (), (), 0.0, 'two', 0.25, ({one}, {one}))"
        page = ocr.read(png(30, 40), width=420, height=200, languages=("page", two))
        assert (page.text, page.engine, len(page.words), page.seconds) == ("y", "two", 0, 0.25)
        assert page.readings[0] == page.readings[1]
        first = page.readings[0]
        assert (first.text, first.confidences, first.alternatives, first.others) == (
            "Grüße\U0001f642 x",
            (0.5,),
            (("a", "ü"),),
            ("ß",),
        )
        assert [word.text for word in first.each()] == ["Grüße\U0001f642"]

    def test_a_page_that_takes_too_long_ends_the_child_and_the_next_one_is_read(self):
        ocr = RemoteOcr(command=COMMAND, limits=Limits(start=20, item=0.6, whole=2.0))
        with pytest.raises(EngineStopped, match="no answer within"):
            ocr.read(png(30, 40), width=420, height=200, languages=("hang",))
        assert ocr.read(png(30, 40), width=420, height=200).text
        ocr.close()


class TestEmbedderThroughAChild(EmbedderContract):
    pass


class TestJudgeThroughAChild(JudgeContract):
    pass


# --- the same on both sides ------------------------------------------------------------------------------------------


def test_a_child_answers_like_the_engine_itself(reader, embedder, judge):
    data = "Grüße, 世界 \U0001f642\fzwei\0\n\n".encode()
    assert list(reader.read(data, "a.txt")) == list(PlainReader().read(data, "a.txt"))
    assert reader.render(data, "a.txt", 2, scale=2.0) == PlainReader().render(data, "a.txt", 2, scale=2.0)
    texts = ["one", "", "zwei \U0001f642", "x" * 5_000]
    assert embedder.embed(texts) == HashEmbedder().embed(texts)
    assert embedder.dimensions == 64
    question = ("The pump was not checked.", ["The pump was checked.", "It rained."])
    assert judge.judge(*question) == ScriptedJudge().judge(*question)


def test_one_child_serves_many_calls(reader):
    list(reader.read(b"one", "a.txt"))
    first = pid(reader)
    list(reader.read(b"two", "b.txt"))
    reader.render(b"two", "b.txt", 1, scale=1.0)
    assert pid(reader) == first


def test_the_child_is_replaced_after_an_error(reader):
    list(reader.read(b"one", "a.txt"))
    first = pid(reader)
    with pytest.raises(UnreadableDocument) as caught:
        list(reader.read(b"x", "refuse me"))
    assert caught.value.hint == "Leave it."
    assert "\x1b" not in caught.value.sentence
    list(reader.read(b"one", "a.txt"))
    assert pid(reader) != first
    assert gone(first)


def test_the_child_is_replaced_after_its_share_of_files():
    reader = RemoteReader(command=COMMAND, limits=Limits(files=2))
    seen = []
    for _ in range(4):
        list(reader.read(b"one", "a.txt"))
        seen.append(pid(reader))
    reader.close()
    assert seen[0] == seen[1] != seen[2] == seen[3]


def test_expected_errors_keep_their_class(tmp_path):
    remote = RemoteEmbedder(tmp_path / "missing", command=COMMAND)
    for _ in range(2):
        with pytest.raises(ModelMissing) as caught:
            remote.embed(["x"])
        assert str(tmp_path / "missing") in caught.value.sentence
    remote.close()


def test_any_other_error_crosses_by_type_only(reader, tmp_path):
    with pytest.raises(EngineStopped) as caught:
        list(reader.read(b"x", "raise it"))
    assert caught.value.details["reason"] == "unexpected ValueError"
    assert "secret" not in str(caught.value)
    broken = RemoteEmbedder(tmp_path / "broken", command=COMMAND)
    with pytest.raises(EngineStopped, match="KeyError"):
        broken.embed(["x"])
    broken.close()


def test_nothing_is_started_before_the_first_use(tmp_path):
    remotes = [RemoteReader(), RemoteEmbedder(tmp_path), RemoteJudge(tmp_path / "m.gguf", None)]
    assert all(remote._child is None for remote in remotes)
    for remote in remotes:
        remote.interrupt()
        remote.close()


def test_a_program_that_is_not_there_is_an_engine_that_stopped():
    with pytest.raises(EngineStopped, match="could not be started"):
        list(RemoteReader(command=["/nowhere/python"]).read(b"x", "a.txt"))


def test_after_close_nothing_starts_again(reader):
    list(reader.read(b"one", "a.txt"))
    child = pid(reader)
    reader.close()
    assert gone(child)
    with pytest.raises(EngineStopped, match="closing"):
        list(reader.read(b"one", "a.txt"))


def test_the_environment_of_a_child_is_offline_and_its_own(reader, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONSTARTUP", "/nowhere/evil.py")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    text = list(reader.read(b"", "environment"))[1].text
    told = (*(f"{key}={value}" for key, value in core.OFFLINE.items()), "TOKENIZERS_PARALLELISM=false")
    for wanted in ("ORT_DISABLE_TELEMETRY=1", "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", *told):
        assert wanted in text
    assert "evil" not in text
    assert str(tmp_path) not in text.rsplit("\n", 1)[1]


def test_nothing_is_loaded_from_the_current_folder(monkeypatch, tmp_path):
    canary = tmp_path / "canary"
    for name in ("json.py", "core.py", "struct.py", "sitecustomize.py"):
        (tmp_path / name).write_text(f"open({str(canary)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    reader = RemoteReader()
    with pytest.raises(UnreadableDocument):
        list(reader.read(b"", "empty.txt"))
    reader.close()
    assert not canary.exists()


# --- deaths ----------------------------------------------------------------------------------------------------------


@posix_only
@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGABRT"])
def test_a_killed_child_is_named_and_replaced(reader, name):
    pages = []
    with pytest.raises(EngineStopped) as caught:
        pages.extend(reader.read(b"", f"die {name}"))
    assert len(pages) == 2
    assert caught.value.details["reason"] == f"it was killed by signal {name}"
    assert caught.value.details["item"] == f"page 2 of die {name}"
    assert len(list(reader.read(b"one", "a.txt"))) == 2


def test_a_child_that_leaves_is_named(reader):
    with pytest.raises(EngineStopped, match="ended with code 7"):
        list(reader.read(b"", "exit 7"))


@posix_only
def test_a_child_that_died_between_two_calls_is_replaced_in_silence(reader):
    list(reader.read(b"one", "a.txt"))
    os.kill(pid(reader), signal.SIGKILL)
    gone(pid(reader))
    assert len(list(reader.read(b"one", "a.txt"))) == 2


@pytest.mark.parametrize("order", ["hang", "hang deaf", "spin"])
def test_a_child_that_hangs_is_ended_at_its_limit(hasty, order):
    assert hasty.fingerprint  # start it, so that only the limit is timed
    child = pid(hasty)
    with pytest.raises(EngineStopped, match="no answer within"):
        list(hasty.read(b"", order))
    assert gone(child)
    assert len(list(hasty.read(b"one", "a.txt"))) == 2


def test_time_the_caller_takes_does_not_count(hasty):
    count = 0
    for _ in hasty.read(b"", "many 8"):
        time.sleep(0.4)
        count += 1
    assert count == 9


def test_pages_wait_for_the_caller(reader):
    pages = reader.read(b"", "many 2000")
    next(pages)
    next(pages)
    time.sleep(1.0)
    next(pages)  # drains standard error
    made = max(int(line.split()[1]) for line in reader._child.last_words().splitlines() if line.startswith("made "))
    assert made < 1_000  # 20 kB a page: the pipes hold about 2 MB
    pages.close()


@posix_only
def test_memory_is_bounded(hasty):
    with pytest.raises(EngineStopped, match="MemoryError"):
        list(hasty.read(b"", "allocate"))


@posix_only
def test_a_child_cannot_write_large_files(reader, tmp_path):
    large = tmp_path / "large"
    with pytest.raises(EngineStopped, match=r"OSError|PermissionError"):
        list(reader.read(b"", f"write {large}"))
    assert not large.exists() or large.stat().st_size <= 1 << 20


def test_prints_of_a_library_disturb_nothing(reader):
    items = list(reader.read(b"", "flood"))
    assert items[1].text == "still here"
    tail = reader._child.last_words()
    assert len(tail) <= 4_096
    assert "\x1b" not in tail
    assert "\x07" not in tail


@posix_only
@pytest.mark.parametrize("order", ["hang", "spin", "hang deaf", "garbage", "close"])
def test_what_a_child_started_dies_with_it_at_once(tmp_path, order):
    """A helper that ignores the polite signal and holds the pipes of the child open."""
    mark = str(tmp_path)
    limits = Limits(start=60, item=0.6, whole=1.0)
    reader = RemoteReader(command=[*COMMAND, "--with-a-friend", mark], limits=limits)
    assert reader.fingerprint
    assert mark in _command_lines()
    child = pid(reader)
    with pytest.raises(EngineStopped):
        list(reader.read(b"", order))
    while mark in _command_lines():  # the helper would stay for ever; the limit of the whole test ends the wait
        time.sleep(0.05)
    assert gone(child)
    reader.close()


@posix_only
def test_noise_instead_of_answers_ends_the_child(hasty):
    assert hasty.fingerprint
    child = pid(hasty)
    with pytest.raises(EngineStopped, match="out of form"):
        list(hasty.read(b"", "garbage"))
    assert gone(child)
    assert len(list(hasty.read(b"one", "a.txt"))) == 2


@posix_only
def test_a_child_that_closes_its_pipes_and_stays_is_ended(hasty):
    assert hasty.fingerprint
    child = pid(hasty)
    with pytest.raises(EngineStopped, match="closed its pipe"):
        list(hasty.read(b"", "close"))
    assert gone(child)
    assert len(list(hasty.read(b"one", "a.txt"))) == 2


@posix_only
def test_processor_time_is_bounded_even_when_nobody_waits():
    """The next document is read ahead while the person's computer is busy with the first."""
    limits = Limits(start=20, item=30, whole=30, processor=1)
    readers = [RemoteReader(command=COMMAND, limits=limits) for _ in range(2)]
    outcomes = []
    jobs = [(order, ToRead(b"one", order)) for order in ("plain", "spin", "plain", "plain")]
    for order, items in each_read(readers, jobs):
        if order == "spin":
            with pytest.raises(EngineStopped, match="SIGXCPU"):
                list(items)
        else:
            outcomes.append(len(list(items)))
    assert outcomes == [2, 2, 2]
    for reader in readers:
        reader.close()


def _command_lines() -> str:
    return subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the lifeline is a Linux mechanism")
@pytest.mark.parametrize("order", ["hang", "spin", "idle"])
def test_no_orphan_stays_when_the_program_is_killed(order):
    script = (
        "import sys, threading; from core.workers.apart import RemoteReader\n"
        f"remote = RemoteReader(command={COMMAND!r})\n"
        # A thread that ends must not take the child with it.
        "starter = threading.Thread(target=lambda: print(remote.fingerprint, flush=True)); starter.start()\n"
        "starter.join()\n"
        "assert len(list(remote.read(b'one', 'a.txt'))) == 2\n"
        "print('ready', flush=True)\n"
        + ("import time; time.sleep(600)\n" if order == "idle" else f"list(remote.read(b'', {order!r}))\n")
    )
    root = Path(apart.__file__).parents[2]
    program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=root)
    child = int(program.stdout.readline().split()[-1])
    assert program.stdout.readline() == "ready\n"
    time.sleep(0.3)
    program.kill()
    program.wait()
    program.stdout.close()
    assert gone(child)


# --- threads ---------------------------------------------------------------------------------------------------------


def test_interrupt_from_another_thread(reader):
    assert reader.fingerprint
    threading.Timer(0.3, reader.interrupt).start()
    with pytest.raises(EngineStopped, match="stopped on request"):
        list(reader.read(b"", "hang"))
    assert len(list(reader.read(b"one", "a.txt"))) == 2


def test_interrupt_of_an_idle_child_costs_the_next_call_nothing(reader):
    list(reader.read(b"one", "a.txt"))
    for _ in range(3):
        reader.interrupt()
        assert len(list(reader.read(b"one", "a.txt"))) == 2


def test_close_from_another_thread_ends_a_waiting_call(reader):
    assert reader.fingerprint
    threading.Timer(0.3, reader.close).start()
    with pytest.raises(EngineStopped):
        list(reader.read(b"", "hang"))


def test_threads_share_a_child(reader):
    wrong = []

    def work(name: str) -> None:
        for _ in range(10):
            items = list(reader.read(f"{name} one\f{name} two".encode(), "a.txt"))
            if [page.text for page in items[1:]] != [f"{name} one", f"{name} two"]:
                wrong.append(items)

    threads = [threading.Thread(target=work, args=(f"thread {n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not wrong
    assert not any(thread.is_alive() for thread in threads)


def test_a_document_left_half_read_does_not_leak_into_the_next(reader):
    pages = reader.read(b"", "many 500")
    next(pages)
    next(pages)
    pages.close()
    assert [page.text for page in list(reader.read(b"one", "a.txt"))[1:]] == ["one"]


def test_opening_another_document_ends_the_half_read_one(reader):
    pages = reader.read(b"", "many 500")
    next(pages)
    next(pages)
    assert reader.render(b"one", "a.txt", 1, scale=1.0).width == 460
    with pytest.raises(EngineStopped, match="another document"):
        next(pages)
    assert len(list(reader.read(b"one", "a.txt"))) == 2


# --- hostile answers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page",
    [
        "PageText(2, 'x')",
        "PageText(0, 'x')",
        "PageText(1, 'x', source='rumour')",
        "PageText(1, 'x', width=float('nan'))",
        "PageText(1, 'x', width=-1.0)",
        "PageText(1, 'x', confidence=2.0)",
        "PageText(1, 'x', hidden=((0, 2),))",
        "PageText(1, 'xyz', hidden=((1, 2), (0, 1)))",
        "PageText(1, 'x', hidden=((0.5, 1),))",
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
    with pytest.raises(EngineStopped, match="out of form"):
        reader.render(b"x", "lying picture", 1, scale=1.0)


def test_turning_pages_sends_a_document_once(reader, monkeypatch):
    sent = []
    pack = apart.pack
    monkeypatch.setattr(
        apart, "pack", lambda header, blobs=(): sent.append(sum(map(len, blobs))) or pack(header, blobs)
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
    with pytest.raises(EngineStopped, match="out of form"):
        judge.judge("too few", ["a", "b"])


def test_too_large_a_document_is_refused_before_it_is_sent(reader, monkeypatch):
    monkeypatch.setattr(apart, "DOCUMENT_CAP", 10)
    with pytest.raises(UnreadableDocument) as caught:
        list(reader.read(b"x" * 11, "a.txt"))
    assert caught.value.hint


class Source:
    """Bytes that come to an end."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.asked = data, 0, 0

    def exactly(self, count: int) -> bytes:
        self.asked = max(self.asked, count)
        taken = self.data[self.at : self.at + count]
        if len(taken) < count:
            raise EOFError
        self.at += count
        return taken


def understand(data: bytes) -> None:
    """What the parent does with a frame, by each of its readings."""
    source = Source(data)
    header, blobs = apart.unpack(source.exactly, header_cap=1 << 16, cap=1 << 20)
    assert source.asked <= 1 << 20
    for reading in (
        lambda: apart.outline_in(header),
        lambda: apart.page_in(header, blobs),
        lambda: apart.picture_in(header, blobs),
        lambda: apart.probabilities_in(header, 2),
        lambda: apart.error_in(header),
        lambda: apart.attachment_in(header, blobs),
        lambda: apart.matrix_head_in(header),
        lambda: apart.matrix_row_in(header, 2),
        lambda: apart.matrix_end_in(header, 1),
        lambda: apart.ocr_in(header, blobs),
        lambda: apart.confinement_in(header.get("confined")),
    ):
        try:
            # What is taken can be kept: no text in it is beyond UTF-8.
            repr(reading()).encode()
        except ProtocolError:
            pass


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_are_only_a_protocol_error(data):
    try:
        understand(data)
    except (ProtocolError, EOFError):
        pass


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = [
    "type", "blobs", "kind", "pages", "title", "author", "date", "address", "number", "width", "height", "source",
    "confidence", "label", "hidden", "scale", "rows", "class", "details", "why", "sections", "language", "picture",
    "name", "more", "reason", "remedy", "format", "hypotheses", "cells", "problems", "left_out", "confined",
]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=len(KEYS)),
    st.lists(st.binary(max_size=60), max_size=3),
    st.booleans(),
)
def test_headers_with_anything_in_them_are_only_a_protocol_error(header, blobs, honest):
    if honest:
        header["blobs"] = [len(blob) for blob in blobs]
    body = json.dumps(header).encode()
    try:
        understand(struct.pack(">I", len(body)) + body + b"".join(blobs))
    except (ProtocolError, EOFError):
        pass


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_damaged_frames_are_only_a_protocol_error(data):
    page = PageText(1, "Grüße there", Words.of([Word(0, 5, 1, 2, 3, 4)]), 10.0, 20.0, "embedded", 0.5, "iv", ((0, 2),))
    whole = b"".join(apart.page_out(page))
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        understand(bytes(damaged))
    except (ProtocolError, EOFError):
        pass


def real_frames() -> dict[str, bytes]:
    """One frame of every kind that a child may send, with something in every field."""
    page = PageText(
        3, "Grüße there, again", Words.of([Word(0, 5, 1, 2, 3, 4), Word(6, 11, 5, 2, 9, 4)]), 10.0, 20.0, "embedded",
        0.5, "iv", ((0, 2), (3, 5)), hidden_why=("tiny", "colour"),
        sections=(Section(1, "Head", 0), Section(2, "Part", 6)), language="de",
    )  # fmt: skip
    reading = OcrPage("ab cd", Words.of([Word(0, 2, 1, 1, 2, 2), Word(3, 5, 3, 1, 4, 2)]), (0.5, 1.0), (("x",), ()),
                      ("", "cb"), 0.7, "one", 1.5)  # fmt: skip
    matrix = MatrixFile(
        "Pump", "plain table", (FileHypothesis("It was worn", "note"), FileHypothesis("Somebody broke in")),
        (FileRow("Seen", (FileCell("C", "why", "low"), FileCell()), "source", "2026", "H", None, "A", "1", "note"),),
        (Problem("row 1", "odd", "leave it"),), ("a part",),
    )  # fmt: skip
    head, row, end = apart.matrix_out(matrix)
    confined = {"network": True, "files": True, "programs": False, "memory": True, "detail": "by hand"}
    hello = {"type": "ready", "fingerprint": "one", "dimensions": 384, "confined": confined}
    frames = {
        "outline": apart.outline_out(Outline("pdf", 3, "title", "author", "2026", "address")),
        "page": apart.page_out(page),
        "attachment": next(apart.attachment_out(Attachment("in.txt", b"inside"))),
        "picture": apart.picture_out(Picture(png(3, 4), 3, 4, 1.5)),
        "matrix": head,
        "row": row,
        "end": end,
        "ocr": apart.ocr_out(replace(reading, readings=(reading, reading))),
        "verdicts": apart.pack({"type": "verdicts", "rows": [[0.5, 0.25, 0.25], [1, 0, 0]]}),
        "error": apart.error_out(UnreadableDocument(reason="odd", remedy="leave it")),
        "hello": apart.pack(hello),
    }
    return {kind: b"".join(frame) for kind, frame in frames.items()}


ODD = [
    None, True, -1, 0, 2**31, 2**64, 10**400, 1.5, -0.0, 1e308, float("nan"), float("inf"), "", "x" * 20_001, "\ud800",
    "\x1b[31m", [], {}, [[]], [None], [[0, 0]], {"a": 1}, ["tiny", []], [{}], [[1, "x", 0]], [[1, "\udfff", 1]],
]  # fmt: skip


def odder(value: object, rng: random.Random) -> object:
    """The same JSON value with one part of it made odd."""
    inside = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    if not inside or rng.random() < 0.25:
        return rng.choice(ODD)
    key, part = rng.choice(inside)
    made = dict(value) if isinstance(value, dict) else list(value)
    if rng.random() < 0.1:
        del made[key]
    elif rng.random() < 0.1 and isinstance(made, list):
        made *= 1_500
    else:
        made[key] = odder(part, rng)
    return made


def test_five_thousand_damaged_frames_of_every_kind_take_little_memory():
    rng = random.Random(11)
    frames = real_frames()
    for data in frames.values():
        understand(data)
    before = resident()
    taken = 0
    for number in range(5_000):
        data = frames[rng.choice(list(frames))]
        (length,) = struct.unpack_from(">I", data)
        if number % 3:
            header = json.loads(data[4 : 4 + length])
            for _ in range(rng.randint(1, 3)):
                changed = odder(header, rng)
                header = changed if isinstance(changed, dict) else header
            body = json.dumps(header).encode()
            data = struct.pack(">I", len(body)) + body + data[4 + length :]
        damaged = bytearray(data)
        if number % 3 != 1:
            for _ in range(rng.randint(1, 6)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            del damaged[rng.randrange(len(damaged) + 1) :]
        try:
            understand(bytes(damaged))
            taken += 1
        except (ProtocolError, EOFError):
            pass
        ahead = bytearray(damaged)
        while (frame := apart._frame_at(ahead, 0)) is not None:
            assert 0 < frame[0] <= len(ahead)
            del ahead[: frame[0]]
    assert 500 < taken < 4_500  # some damage is none, some is seen at once
    assert resident() - before < 64 << 20


def resident() -> int:
    """Bytes of memory of this process; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def test_a_reason_of_a_hidden_span_that_is_no_text_is_refused():
    """A list cannot be looked up in a table; that must not be an error of the program."""
    page = PageText(1, "hidden", Words(), 1.0, 1.0, "embedded", None, "", ((0, 2),), hidden_why=("tiny",))
    header, blobs = apart.unpack(Source(b"".join(apart.page_out(page))).exactly, header_cap=1 << 16, cap=1 << 20)
    assert apart.page_in(header, blobs) == page
    for why in ([[]], [{}], [None], ["unheard of"], ["tiny", "tiny"], "tiny"):
        with pytest.raises(ProtocolError):
            apart.page_in({**header, "why": why}, blobs)


def test_halves_of_characters_do_not_come_in():
    outline = Outline("pdf", 1, "before \ud83d after")
    header, _ = apart.unpack(Source(b"".join(apart.outline_out(outline))).exactly, header_cap=1 << 16, cap=0)
    assert apart.outline_in(header).title == "before \ufffd after"


def test_oversized_lengths_are_refused_before_memory_is_taken():
    for head, body in [
        (2**32 - 1, b""),
        (0, b""),
        (13, b'{"blobs":[9]}'),
    ]:
        source = Source(struct.pack(">I", head) + body)
        with pytest.raises((ProtocolError, EOFError)):
            apart.unpack(source.exactly, header_cap=1 << 16, cap=8)
        assert source.asked <= 1 << 16
    many = json.dumps({"blobs": [0] * 5}).encode()
    with pytest.raises(ProtocolError):
        apart.unpack(Source(struct.pack(">I", len(many)) + many).exactly, header_cap=1 << 16, cap=8)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXT, TEXT, TEXT, TEXT, st.integers(0, 10_000))
def test_outlines_cross_unchanged(title, author, date, address, pages):
    outline = Outline("pdf", pages, title, author, date, address)
    header, _ = apart.unpack(Source(b"".join(apart.outline_out(outline))).exactly, header_cap=1 << 16, cap=0)
    assert apart.outline_in(header) == outline


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200), st.data())
def test_pages_cross_unchanged(text, data):
    cut = data.draw(st.integers(0, len(text) - 1))
    side = st.floats(0, 1e6, width=32)
    words = Words.of([Word(cut, len(text), *data.draw(st.tuples(side, side, side, side)))])
    confidence = data.draw(st.none() | st.floats(0, 1))
    page = PageText(7, text, words, 595.3, 842.0, "ocr", confidence, "vii", ((cut, len(text)),))
    header, blobs = apart.unpack(Source(b"".join(apart.page_out(page))).exactly, header_cap=1 << 16, cap=1 << 20)
    assert apart.page_in(header, blobs) == page


def test_pictures_and_errors_cross_unchanged():
    picture = Picture(png(3, 4), 3, 4, 1.5)
    header, blobs = apart.unpack(Source(b"".join(apart.picture_out(picture))).exactly, header_cap=1 << 16, cap=1 << 20)
    assert apart.picture_in(header, blobs) == picture
    for error in (
        UnreadableDocument(reason="It is {odd}.", remedy="Leave it."),
        ModelMissing(role="search", path=Path("/a/b"), effect="search is off"),
        ModelUnreadable(path=Path("/a/b"), reason="cut off", effect="verdicts are off"),
    ):
        header, _ = apart.unpack(Source(b"".join(apart.error_out(error))).exactly, header_cap=1 << 16, cap=0)
        again = apart.error_in(header)
        assert type(again) is type(error)
        assert (again.sentence, again.hint) == (error.sentence, error.hint)
    assert apart.probabilities_in({"rows": [[0.5, 0.25, 0.25]]}, 1) == [Probabilities(0.5, 0.25, 0.25)]
