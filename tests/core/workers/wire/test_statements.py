"""Readings of sentences on their way between processes."""

from __future__ import annotations

import pytest

from core.domain import Bearing, Reply
from core.workers.frames import ProtocolError
from core.workers.wire.statements import bearing_in, bearing_out, reply_in, reply_out
from tests.core.workers.wire.crossing import received

READING = Bearing(0.5, 0.1, 0.2, 0.1, 0.1, ((0, 3), (8, 12)))
HEADER = {"values": [0.5, 0.1, 0.2, 0.1, 0.1], "spans": [[0, 3]]}


def test_a_reading_arrives_as_it_was_sent():
    assert bearing_in(received(bearing_out(READING))[0], 12) == READING


@pytest.mark.parametrize(
    "change",
    [
        {"values": [0.5, 0.5]},
        {"values": [0.5, 0.5, 0.5, 0.5, 0.5]},
        {"values": [float("nan"), 0.0, 0.0, 0.0, 1.0]},
        {"values": None},
        {"spans": [[0, 99]]},
        {"spans": [[3, 3]]},
        {"spans": [[0, True]]},
        {"spans": [[0]]},
        {"spans": None},
    ],
)
def test_anything_else_is_refused(change):
    with pytest.raises(ProtocolError):
        bearing_in(HEADER | change, 12)


REPLY = Reply(0.75, ((0, 3, 0.1), (4, 9, 0.9)))


def test_a_reply_arrives_as_it_was_sent():
    assert reply_in(received(reply_out(REPLY))[0], 9) == REPLY


@pytest.mark.parametrize(
    "change",
    [
        {"chance": 1.5},
        {"chance": None},
        {"values": [0.1]},
        {"values": [0.1, 2.0]},
        {"values": [0.1, float("nan")]},
        {"spans": [[0, 3], [4, 99]]},
        {"spans": [[4, 9], [0, 3]]},
    ],
)
def test_any_other_reply_is_refused(change):
    with pytest.raises(ProtocolError):
        reply_in({"chance": 0.5, "values": [0.1, 0.9], "spans": [[0, 3], [4, 9]]} | change, 9)
