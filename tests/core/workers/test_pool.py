"""Several children at a time: answers in order, documents read ahead, nothing lost when one dies or is needed."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from core.errors import EngineStopped, UnreadableDocument
from core.progress import Cancelled
from core.workers.client import Limits
from core.workers.engines import OcrClient, ReaderClient
from core.workers.pool import ToRead, ToScan, read_documents, read_scans
from tests.fakes import PlainReader, png

COMMAND = [sys.executable, str(Path(__file__).with_name("child_engines.py"))]
SLEEP = 0.3


@pytest.fixture
def readers():
    readers = [ReaderClient(command=COMMAND, limits=Limits(start=60, item=20, whole=30)) for _ in range(3)]
    yield readers
    for reader in readers:
        reader.close()


def texts(answer):
    return [item.text for item in answer if hasattr(item, "text")]


def spans(readers, names):
    """When each document was begun and ended, by the clock of the computer, which all children share."""
    return [tuple(map(float, texts(items)[0].split())) for _, items in read_documents(readers, jobs_of(names))]


def jobs_of(names):
    return ((name, ToRead(name.encode(), name)) for name in names)


def test_answers_come_in_the_order_of_the_jobs(readers):
    # The first takes longest, so that the others are done before their turn.
    names = ["sleep 1.0", *(f"document {number}" for number in range(25))]
    results = [(name, texts(items)) for name, items in read_documents(readers, jobs_of(names))]
    assert [name for name, _ in results] == names
    assert results[1:] == [(name, [name]) for name in names[1:]]


def test_they_are_what_one_reader_gives_alone(readers):
    names = ["refuse me", "plain", "raise it", "many 300", "plain again", "exit 3"]

    def outcome(items):
        try:
            return [repr(item) for item in items]
        except (UnreadableDocument, EngineStopped) as error:
            return repr(error)

    together = [outcome(items) for _, items in read_documents(readers, jobs_of(names))]
    alone = [outcome(readers[0].read(name.encode(), name)) for name in names]
    assert together == alone


def test_children_work_at_the_same_time(readers):
    for reader in readers:
        assert reader.fingerprint
    times = spans(readers, ["when 1.0"] * 6)
    assert any(start < other_start < end for start, end in times for other_start, _ in times)


def test_work_goes_on_while_the_first_answer_is_waited_for(readers):
    """Two others take turns at eleven short ones, each of which would else begin after the long one."""
    for reader in readers:
        assert reader.fingerprint
    (_, long_ends), *short = spans(readers, ["when 3.0", *["when 0.1"] * 11])
    assert len(short) == 11
    assert sum(began < long_ends for began, _ in short) > 4


def test_an_answer_that_is_not_wanted_costs_only_its_child(readers):
    counts = []
    for name, items in read_documents(readers, jobs_of([f"many {n}" for n in (3, 2_000, 4, 2_000, 5)])):
        if name != "many 2000":
            counts.append((name, len(list(items))))
    assert counts == [("many 3", 4), ("many 4", 5), ("many 5", 6)]


def test_a_job_without_a_document_keeps_its_place(readers):
    jobs = [(1, None), (2, ToRead(b"two", "two")), (3, None), (4, None), (5, ToRead(b"five", "five"))]
    assert [(key, items and texts(items)) for key, items in read_documents(readers, iter(jobs))] == [
        (1, None), (2, ["two"]), (3, None), (4, None), (5, ["five"]),
    ]  # fmt: skip
    assert list(read_documents(readers, [])) == []


def test_too_large_a_document_is_told_when_its_turn_comes(readers, monkeypatch):
    monkeypatch.setattr("core.workers.pool.DOCUMENT_CAP", 4)
    answers = read_documents(
        readers, [(1, ToRead(b"one", "one")), (2, ToRead(b"large", "large")), (3, ToRead(b"x", "x"))]
    )
    assert texts(next(answers)[1]) == ["one"]
    _, items = next(answers)
    with pytest.raises(UnreadableDocument):
        list(items)
    assert texts(next(answers)[1]) == ["x"]


@pytest.mark.parametrize("many", [1, 3])
def test_what_lies_in_a_document_is_read_by_the_same_readers_meanwhile(readers, many):
    readers = readers[:many]
    results = []
    for name, items in read_documents(readers, jobs_of(f"outer {n}" for n in range(6))):
        results.append(texts(items))
        for _, within in read_documents(readers, jobs_of(f"{name} inner {n}" for n in range(4))):
            results.append(texts(within))
            for _, deepest in read_documents(readers, jobs_of([f"{name} deepest"])):
                results.append(texts(deepest))
    expected = []
    for outer in range(6):
        expected.append([f"outer {outer}"])
        for inner in range(4):
            expected += [[f"outer {outer} inner {inner}"], [f"outer {outer} deepest"]]
    assert results == expected


def test_a_child_that_cannot_go_on_ahead_is_taken_for_what_is_wanted_now(readers):
    """One reader; the next document is too long to be kept here, so it is given up and read again at its turn."""
    reader = readers[:1]
    counts = []
    for name, items in read_documents(reader, jobs_of(["first", "many 2000", "last"])):
        counts.append((name, len(list(items))))
        if name == "first":
            time.sleep(0.5)
            counts += [(key, len(list(within))) for key, within in read_documents(reader, jobs_of(["inside"]))]
    assert counts == [("first", 2), ("inside", 2), ("many 2000", 2_001), ("last", 2)]


def test_a_plain_call_in_between_does_no_harm(readers):
    results = []
    for _, items in read_documents(readers, jobs_of(["one", "two", "three", "four"])):
        results.append(texts(items))
        picture = readers[1].render(b"some text", "notes.txt", 1, scale=1.0)
        assert picture.width
        assert readers[0].fingerprint
    assert results == [["one"], ["two"], ["three"], ["four"]]


def test_a_reader_that_another_thread_uses_is_left_alone(readers):
    pages = readers[1].read(b"", "many 2000")
    ready = threading.Event()
    release = threading.Event()

    def work():
        next(pages)
        ready.set()
        release.wait(20)
        pages.close()

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(20)
    names = [f"document {n}" for n in range(8)]
    assert [texts(items) for _, items in read_documents(readers, jobs_of(names))] == [[name] for name in names]
    release.set()
    thread.join()


def test_what_goes_wrong_with_the_jobs_comes_after_what_went_right(readers):
    def jobs():
        yield from jobs_of(["one", "two"])
        raise Cancelled

    answers = read_documents(readers, jobs())
    assert [texts(next(answers)[1]) for _ in range(2)] == [["one"], ["two"]]
    with pytest.raises(Cancelled):
        next(answers)
    assert all(reader.is_free() for reader in readers)


def test_leaving_early_ends_the_children_that_are_ahead(readers):
    answers = read_documents(readers, jobs_of(["one", *["sleep 60"] * 5]))
    assert texts(next(answers)[1]) == ["one"]
    children = [reader.child.process.pid for reader in readers if reader.child is not None]
    answers.close()
    assert all(reader.is_free() for reader in readers)
    alive = [reader.child.process.pid for reader in readers if reader.child is not None]
    assert len(alive) < len(children)
    assert texts(readers[0].read(b"again", "again")) == ["again"]


def test_a_stop_from_another_thread_reaches_all(readers):
    for reader in readers:
        assert reader.fingerprint

    def stop():
        for reader in readers:
            reader.interrupt()

    timer = threading.Timer(0.5, stop)
    timer.start()
    stopped = 0
    for _, items in read_documents(readers, jobs_of(["sleep 30"] * 3)):
        try:
            texts(items)
        except EngineStopped as error:
            stopped += "stopped on request" in str(error)
    assert stopped == 3


def test_limits_count_from_the_turn_of_a_document(readers):
    hasty = [ReaderClient(command=COMMAND, limits=Limits(start=60, item=0.8, whole=0.8)) for _ in range(2)]
    outcomes = []
    for name, items in read_documents(hasty, jobs_of(["one", "hang", "two", "spin", "three"])):
        try:
            outcomes.append(texts(items))
        except EngineStopped as error:
            outcomes.append((name, error.details["reason"][:17]))
    late = "no answer within "
    assert outcomes == [["one"], ("hang", late), ["two"], ("spin", late), ["three"]]
    for reader in hasty:
        reader.close()


def test_little_is_held_ahead(readers, monkeypatch):
    monkeypatch.setattr("core.workers.pool._IN_HAND", 1 << 20)
    numbers = []

    def jobs():
        for number in range(12):
            numbers.append(number)
            yield number, ToRead(b"x" * (600 << 10), f"plain {number}")

    for number, items in read_documents(readers, jobs()):
        assert len(numbers) <= number + 4  # two of 600 KB are more than 1 MiB
        list(items)
    assert numbers == list(range(12))


def test_readers_of_other_kinds_read_one_after_the_other():
    results = read_documents([PlainReader()], [(1, ToRead(b"one", "a.txt")), (2, None), (3, ToRead(b"three", "b.txt"))])
    assert [(key, items and texts(items)) for key, items in results] == [(1, ["one"]), (2, None), (3, ["three"])]


@pytest.mark.skipif(os.name != "posix", reason="files of POSIX systems")
def test_no_handle_is_left(readers):
    def count():
        return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0

    names = ["one", "exit 3", "refuse me", "many 100", "raise it"] * 2
    handle_count = None
    for _ in range(3):
        for _, items in read_documents(readers, jobs_of(names)):
            try:
                list(items)
            except (UnreadableDocument, EngineStopped):
                pass
        for reader in readers:
            reader.interrupt()
            texts(reader.read(b"x", "x"))
        handle_count = handle_count or count()
    assert count() == handle_count


class TestScans:
    @pytest.fixture
    def engines(self):
        engines = [OcrClient(command=COMMAND, limits=Limits(start=60, item=5, whole=5)) for _ in range(2)]
        yield engines
        for engine in engines:
            engine.close()

    def test_pages_are_read_at_the_same_time_and_in_order(self, engines):
        for engine in engines:
            assert engine.fingerprint
        jobs = [(n, ToScan(png(30, 40), 420.0, 200.0, ("sleep", str(1.0 if n == 0 else 0.1)))) for n in range(8)]
        assert [(key, len(page().words) > 0) for key, page in read_scans(engines, jobs)] == [
            (n, True) for n in range(8)
        ]
        jobs = [(n, ToScan(png(30, 40), 420.0, 200.0, ("when", "1.0"))) for n in range(2)]
        (first_start, first_end), (second_start, second_end) = (
            map(float, page().engine.split()) for _, page in read_scans(engines, jobs)
        )
        assert first_start < second_end
        assert second_start < first_end

    def test_one_that_fails_takes_no_other_with_it(self, engines):
        languages = [("eng",), ("hang",), ("eng",), ("page", "1"), ("eng",)]
        jobs = [(n, ToScan(png(30, 40), 420.0, 200.0, order)) for n, order in enumerate(languages)]
        outcomes = []
        for _, page in read_scans(engines, jobs):
            try:
                outcomes.append(bool(page().text))
            except EngineStopped:
                outcomes.append("stopped")
        assert outcomes == [True, "stopped", True, "stopped", True]
