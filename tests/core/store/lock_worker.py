"""Processes that do with a case what they are told: open PATH, write TEXT, look PATH, guess PATH, close, kill.

They are forked from one that has loaded everything: a test that kills many would wait for each otherwise.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from core.errors import AppError
from core.store import CaseFile

Ask = Callable[[int, str], str]


class Workers:
    """The process that forks the others; ``ask`` has worker ``number`` do something and gives its answer."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.core.store.lock_worker"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, number: int, line: str) -> str:
        """'done', the name of the error that came of it, or the number of the process for 'who'."""
        self.process.stdin.write(f"{number} {line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def do(case: CaseFile | None, verb: str, rest: str) -> CaseFile | None:
    if verb == "open":
        return CaseFile.open(Path(rest), who="worker")
    if verb == "look":  # as an indexer, a preview or a dialog does
        for path in (Path(rest), Path(f"{rest}-wal"), Path(f"{rest}.lock")):
            if path.is_file():
                path.read_bytes()
    elif verb == "guess":
        from PySide6.QtCore import QMimeDatabase

        QMimeDatabase().mimeTypeForFile(rest)
    elif case is not None and verb == "write":
        case.hypotheses.add(rest)
    elif case is not None and verb == "close":
        case.close()
        return None
    return case


def work(commands: TextIO, answers: TextIO) -> None:
    case: CaseFile | None = None
    for line in commands:
        verb, _, rest = line.rstrip("\n").partition(" ")
        try:
            case = do(case, verb, rest)
            answer = str(os.getpid()) if verb == "who" else "done"
        except AppError as error:
            answer = type(error).__name__
        print(answer, file=answers, flush=True)


def fork() -> tuple[int, TextIO, TextIO]:
    """A new process, what it listens to, and what it says."""
    (commands, tell), (hear, say) = os.pipe(), os.pipe()
    if pid := os.fork():
        os.close(commands)
        os.close(say)
        return pid, os.fdopen(tell, "w"), os.fdopen(hear)
    os.close(tell)
    os.close(hear)
    try:
        work(os.fdopen(commands), os.fdopen(say, "w"))
    finally:
        os._exit(0)


def main() -> None:
    from PySide6 import QtCore  # loaded here once

    del QtCore
    workers: dict[str, tuple[int, TextIO, TextIO]] = {}
    for line in sys.stdin:
        number, _, order = line.rstrip("\n").partition(" ")
        if order == "kill":
            if number in workers:
                kill(*workers.pop(number))
            print("done", flush=True)
            continue
        if number not in workers:
            workers[number] = fork()
        _, tell, hear = workers[number]
        print(order, file=tell, flush=True)
        print(hear.readline().strip(), flush=True)
    for worker in workers.values():
        kill(*worker)


def kill(pid: int, tell: TextIO, hear: TextIO) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    tell.close()
    hear.close()


if __name__ == "__main__":
    main()
