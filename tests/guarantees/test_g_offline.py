"""Nothing leaves the computer."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from tests.test_house import ROOT, no_network_code, read


def test_g1_the_work_is_done_without_a_network(lost):
    assert lost == []


def test_g2_no_process_asks_for_a_socket(lost):
    assert lost == []


def test_g3_every_test_is_kept_from_the_network(lost):
    assert lost == []
    with pytest.raises(AssertionError, match="network"), socket.socket() as client:
        client.connect(("127.0.0.1", 9))
    with pytest.raises(AssertionError, match="network"):
        socket.getaddrinfo("localhost", 80)


# Each way into the program, up to where it would begin its work; the last is a child that the system does not confine.
WAYS_IN = {
    "command line": "from core.__main__ import main; sys.argv = ['disconfirm', '--version']; main()",
    "window": "from gui_app import __main__, app; app.start = lambda *_, **__: sys.exit(); __main__.main()",
    "package": "sys.argv = ['disconfirm', '--version']; runpy.run_path('packaging/entry.py', run_name='__main__')",
    "child": "from core.workers import sandbox, server; server.enter_sandbox = lambda *_, **__: sandbox.Sandbox(); "
    "server.main(['any', '{}'], engines={'any': sys.exit})",
}
ATTEMPTS = """
import runpy, sys
try:
    {way_in}
except SystemExit:
    pass
import socket
for attempt in (socket.socket, lambda: socket.getaddrinfo("localhost", 80), lambda: socket.gethostbyname("localhost")):
    try:
        attempt()
        print("let through", file=sys.stderr)
    except OSError as error:
        print(error.strerror, file=sys.stderr)
"""


def attempts(way_in: str) -> list[str]:
    child = subprocess.run(
        [sys.executable, "-c", ATTEMPTS.format(way_in=way_in)], cwd=ROOT, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return child.stderr.splitlines()[-3:]


@pytest.mark.parametrize("way_in", WAYS_IN)
def test_python_code_of_the_program_is_refused_a_connection(way_in):
    assert attempts(WAYS_IN[way_in]) == ["Disconfirm uses no network"] * 3


def test_a_way_in_that_refuses_nothing_is_noticed():
    assert attempts("pass")[0] == "let through"


@pytest.mark.skipif(sys.platform == "win32", reason="sockets between processes of a system are Unix ones")
def test_sockets_between_processes_are_none_of_a_network():
    code = "core.refuse_connections(); a, b = __import__('socket').socketpair(); a.send(b'x'); print(b.recv(1))"
    child = subprocess.run([sys.executable, "-c", f"import core; {code}"], cwd=ROOT, capture_output=True, check=True)
    assert child.stdout.strip() == b"b'x'"


def test_g4_no_network_code_is_shipped(lost):
    assert lost == []
    assert list(no_network_code(read(ROOT))) == []


def test_g5_a_missing_model_is_told_at_once(lost):
    assert lost == []
