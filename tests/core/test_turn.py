"""Turns: one thread at a time, those for a person first."""

from __future__ import annotations

import threading
import time

from core.turn import Turn, for_person, is_for_person


def waiting(turn: Turn, order: list[str], name: str, *, person: bool) -> threading.Thread:
    """A thread that waits for the turn."""

    def work() -> None:
        if person:
            with for_person():
                turn.acquire()
        else:
            turn.acquire()
        order.append(name)
        turn.release()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    time.sleep(0.1)  # until it waits
    return thread


def test_a_person_goes_before_batches_that_came_earlier():
    turn, order = Turn(), []
    assert turn.acquire()
    threads = [waiting(turn, order, name, person=name == "question") for name in ("index", "judge", "question")]
    turn.release()
    for thread in threads:
        thread.join(5)
    assert order[0] == "question"
    assert sorted(order) == ["index", "judge", "question"]
    assert not turn.locked()


def test_a_batch_that_comes_back_at_once_does_not_get_the_turn_again():
    turn, order = Turn(), []
    assert turn.acquire()
    thread = waiting(turn, order, "question", person=True)
    assert not turn.is_open()
    turn.release()
    turn.acquire()  # as the next batch of passages
    order.append("index")
    thread.join(5)
    assert order == ["question", "index"]


def test_who_does_not_want_to_wait_is_told():
    turn = Turn()
    assert turn.acquire(blocking=False)
    assert not turn.acquire(blocking=False)
    turn.release()
    assert turn.is_open()


def test_only_the_block_works_for_a_person():
    with for_person():
        assert is_for_person()
    assert not is_for_person()
