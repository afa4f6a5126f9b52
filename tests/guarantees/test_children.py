"""Every kind of child killed at every turn of its work (row C2): the call says so, and the next one is answered."""

from __future__ import annotations

import os
import signal

import pytest

from core.errors import EngineStopped
from core.workers import process
from core.workers.engines import EmbedderClient, JudgeClient, NamesClient, OcrClient, ReaderClient
from tests.core.workers.children import COMMAND, gone, posix_only
from tests.fakes import png

TEXT = b"The pump stopped.\fNobody touched it.\fThe valve was open."
# Each kind, and a piece of work of several calls.
CHILDREN = {
    "reader": (lambda _: ReaderClient(command=COMMAND), lambda child: [
        [(type(item).__name__, getattr(item, "text", "")) for item in child.read(TEXT, "a.txt")],
        child.render(TEXT, "a.txt", 2, scale=1.0).png,
    ]),
    "embedder": (lambda folder: EmbedderClient(folder, command=COMMAND), lambda child: [
        child.embed(["a pump", "a valve"]), child.embed_queries(["pump"]), child.pieces(["a pump"]),
    ]),
    "judge": (lambda folder: JudgeClient(folder / "model.gguf", command=COMMAND), lambda child: [
        child.judge("The pump stopped.", ["The pump stopped."]), child.judge("A valve.", ["It rained.", "A valve."]),
    ]),
    "names": (lambda folder: NamesClient(folder, command=COMMAND), lambda child: [
        child.find(["Klara Bost", "nobody"])
    ]),
    "ocr": (lambda _: OcrClient(command=COMMAND), lambda child: [
        child.read(png(40, 40), width=400.0, height=400.0).text, child.read(png(9, 9), width=90.0, height=90.0).text
    ]),
}  # fmt: skip


class Killer:
    """Kills the child at one turn of writing to it and reading from it. ``turns`` counts them."""

    def __init__(self, turn: int) -> None:
        self.turn = turn
        self.turns = 0
        self.killed: int | None = None

    def exchange(self, children, **options):
        self.turns += 1
        if self.turns == self.turn:
            self.killed = children[0].process.pid
            os.kill(self.killed, signal.SIGKILL)
        return process_exchange(children, **options)


process_exchange = process.exchange


def kill_at(kind: str, folder, monkeypatch, turn: int, right: object) -> Killer:
    """Kill the child of one kind at one turn of its work, and have it do the work again.

    Killed at the last turn it may have answered all, and die only while it is asked again: that is the one call then.
    """
    make, work = CHILDREN[kind]
    killer = Killer(turn)
    client = make(folder)
    errors: list[EngineStopped] = []

    def try_work() -> None:
        try:
            assert work(client) == right
        except EngineStopped as error:
            errors.append(error)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(process, "exchange", killer.exchange)
            try_work()
        try_work()
        assert work(client) == right
        assert len(errors) <= 1
        assert all(error.sentence and error.hint for error in errors)
    finally:
        client.close()
    if killer.killed is not None:
        assert gone(killer.killed)
    return killer


@pytest.fixture
def right(request, tmp_path):
    make, work = CHILDREN[request.node.callspec.params["kind"]]
    client = make(tmp_path)
    try:
        return work(client)
    finally:
        client.close()


@posix_only
@pytest.mark.parametrize("kind", CHILDREN)
def test_a_child_that_is_killed_at_some_turns_costs_one_call(kind, right, tmp_path, monkeypatch, record_property):
    killed = [kill_at(kind, tmp_path, monkeypatch, turn, right).killed for turn in (1, 3)]
    assert None not in killed
    record_property("n", len(killed))


@posix_only
@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", CHILDREN)
def test_a_child_that_is_killed_at_any_turn_costs_one_call(kind, right, tmp_path, monkeypatch, record_property):
    turn = 1
    while kill_at(kind, tmp_path, monkeypatch, turn, right).killed is not None:
        turn += 1
    assert turn > 3
    record_property("n", turn - 1)
