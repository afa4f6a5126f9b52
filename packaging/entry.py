"""Start of the packaged program: a child process, a command, or the window where nothing is asked for."""

from __future__ import annotations

import sys


def main(words: list[str]) -> int:
    """Run what the words of the command line ask for; return the exit code."""
    if words[:1] == ["--engine"]:  # before anything else: a child loads its engine and nothing of the window
        from core.workers import server

        return server.main(words[1:])
    import multiprocessing
    from pathlib import Path

    multiprocessing.freeze_support()
    from core import paths

    paths.go_portable(Path(sys.executable))
    note = paths.portable_note(Path(sys.executable))
    if note and sys.stderr is not None:
        print(note, file=sys.stderr, flush=True)
    from core.__main__ import main as run

    return run(words or ["gui"])


if __name__ == "__main__":
    from core import refuse_connections

    refuse_connections()
    sys.exit(main(sys.argv[1:]))
