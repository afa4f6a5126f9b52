"""Nothing leaves the computer."""

from __future__ import annotations

import socket

import pytest

from tests.test_house import ROOT, no_network_code, read


def test_g1_the_work_is_done_without_a_network(lost):
    assert lost == []


def test_g2_no_process_asks_for_a_socket(lost):
    assert lost == []


def test_g3_every_test_is_kept_from_the_network(lost):
    assert lost == []
    with pytest.raises(AssertionError, match="network"), socket.socket() as one:
        one.connect(("127.0.0.1", 9))
    with pytest.raises(AssertionError, match="network"):
        socket.getaddrinfo("localhost", 80)


def test_g4_no_network_code_is_shipped(lost):
    assert lost == []
    assert list(no_network_code(read(ROOT))) == []


def test_g5_a_missing_model_is_told_at_once(lost):
    assert lost == []
