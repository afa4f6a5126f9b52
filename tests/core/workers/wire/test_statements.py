"""Readings of sentences on their way between processes."""

from __future__ import annotations

import pytest

from core.domain import Bearing
from core.workers.frames import ProtocolError
from core.workers.wire.statements import bearing_in, bearing_out
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
