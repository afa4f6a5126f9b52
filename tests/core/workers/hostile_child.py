"""A child whose reader is in the hands of a hostile document.

It tries what the name of the file orders, after the child was confined, and says as the text of a page what came of it.
Run by test_sandbox.py through the ``command`` argument.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path

from core.domain import PageText
from core.ports import Outline
from core.workers import server

LIBC = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """A function of the C library; OSError where it fails."""
    if getattr(LIBC, name)(*arguments) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def raw(number, *arguments):
    """A system call by number, past the C library."""
    call("syscall", ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))


def attempt(order, path):
    if order in ("inet", "inet6", "unix", "netlink", "packet"):
        family = {"inet": 2, "inet6": 10, "unix": 1, "netlink": 16, "packet": 17}[order]
        call("socket", family, 3 if order == "packet" else 1, 0)
    elif order == "library socket":
        import socket

        socket.create_connection(("127.0.0.1", int(path)), timeout=2)
    elif order == "name":
        import socket

        socket.getaddrinfo("example.org", 80)
    elif order == "thread socket":
        outcome = []

        def work():
            try:
                call("socket", 2, 1, 0)
                outcome.append(None)
            except OSError as error:
                outcome.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if outcome[0] is not None:
            raise outcome[0]
    elif order == "io_uring":
        raw(425, 8, ctypes.create_string_buffer(256))
    elif order == "read":
        with Path(path).open("rb") as file:
            file.read(10)
    elif order == "list":
        list(Path(path).iterdir())
    elif order == "write":
        Path(path).write_bytes(b"x")
    elif order == "append":
        with Path(path).open("ab") as file:
            file.write(b"x")
    elif order == "empty":
        os.truncate(path, 0)
    elif order == "folder":
        Path(path).mkdir()
    elif order == "link":
        Path(path).symlink_to("/etc/passwd")
    elif order == "pipe":
        os.mkfifo(path)
    elif order == "delete":
        Path(path).unlink()
    elif order == "rename":
        Path(path).rename(path + ".moved")
    elif order == "hard link":
        os.link(path, path + ".linked")
    elif order == "mode":
        Path(path).chmod(0o777)
    elif order == "owner":
        os.chown(path, 1, 1)
    elif order == "times":
        os.utime(path)
    elif order == "attribute":
        os.setxattr(path, "user.x", b"x")
    elif order == "exec":
        os.execv(sys.executable, [sys.executable, "-c", ""])
    elif order == "spawn":
        os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})
    elif order == "shell":
        if os.system(f"echo x > {path}") != 0:
            raise PermissionError
    elif order == "fork":
        if os.fork() == 0:
            os._exit(0)
    elif order == "vfork":
        if LIBC.vfork() < 0:
            raise PermissionError
    elif order == "bomb":
        count = 0
        try:
            for _ in range(100_000):
                if os.fork() == 0:
                    os._exit(0)
                count += 1
        except OSError:
            if count:
                return
            raise
    elif order == "ptrace":
        call("ptrace", 16, os.getppid(), 0, 0)
    elif order == "memory of the parent":
        with Path(f"/proc/{os.getppid()}/mem").open("rb") as file:
            file.read(1)
    elif order == "environment of the parent":
        with Path(f"/proc/{os.getppid()}/environ").open("rb") as file:
            file.read(1)
    elif order == "handles of the parent":
        list(Path(f"/proc/{os.getppid()}/fd").iterdir())
    elif order == "signal":
        os.kill(os.getppid(), 0)
    elif order == "signal all":
        os.kill(-1, 0)
    elif order == "limits of the parent":
        import resource

        resource.prlimit(os.getppid(), resource.RLIMIT_CORE)
    elif order == "mount":
        call("mount", b"none", path.encode(), b"tmpfs", 0, 0)
    elif order == "namespace":
        call("unshare", 0x10000000)
    elif order == "root":
        os.chroot("/usr")
    elif order == "bpf":
        raw({"x86_64": 321, "aarch64": 280}[os.uname().machine], 0, 0, 0)
    elif order == "32 bits":
        raw(0x40000000 + 39)
    elif order == "unconfine":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    elif order == "tell":
        pass
    else:
        raise AssertionError(order)


class Hostile:
    fingerprint = "hostile"

    def read(self, data, name, *, password=""):
        order, _, path = name.partition(": ")
        try:
            attempt(order, path)
            outcome = "done"
        except (OSError, ValueError) as error:
            outcome = f"refused {type(error).__name__} {error}"
        yield Outline("text", 1)
        yield PageText(1, outcome)


if __name__ == "__main__":
    sys.exit(server.main(sys.argv[1:], engines={"reader": lambda _: Hostile()}))
