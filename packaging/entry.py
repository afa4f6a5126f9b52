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
    if is_window(words):  # without the command line, whose modules take longer to load than the window's
        from gui_app.__main__ import main as show

        return show(words[1:])
    from core.__main__ import main as run

    return run(words)


def is_window(words: list[str]) -> bool:
    """Return whether nothing is asked for but the window, with a case or without."""
    return not words or (words[0] == "gui" and len(words) <= 2 and not any(word.startswith("-") for word in words))


if __name__ == "__main__":
    from core import refuse_connections

    refuse_connections()
    sys.exit(main(sys.argv[1:]))
