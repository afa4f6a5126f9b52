"""``python -m gui_app [CASE]``: open the window."""

from __future__ import annotations

import faulthandler
import multiprocessing
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from core import refuse_connections

if TYPE_CHECKING:
    from core.store import CaseKey


def main(
    argv: list[str] | None = None, *, sample: bool = False, folder: Path | None = None, key: CaseKey | None = None
) -> int:
    """Run the window until it is closed; with ``--engine`` first, be a child process of it instead.

    ``sample``: with the sample case, of ``folder`` if that is given. ``key``: of the case, where it is encrypted.
    """
    if argv is None:
        refuse_connections()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--engine"]:  # a frozen build starts its child processes through its own executable
        from core.workers import server

        return server.main(arguments[1:])
    multiprocessing.freeze_support()
    if sys.stderr is not None:
        faulthandler.enable()
    try:
        from gui_app import app
    except ImportError as error:
        from gui_app import display

        why = display.import_error(error)
        if not why:
            raise
        print(why, file=sys.stderr)
        return 3

    app.install_log()
    app.install_excepthook()
    case = next((Path(word) for word in arguments if not word.startswith("-")), None)
    running = app.start(
        [word for word in arguments if word.startswith("-")], case, sample=sample, folder=folder, key=key
    )
    app.close_on_signal(running.window)
    code = running.app.exec()
    running.window.close()
    return code


if __name__ == "__main__":
    raise SystemExit(main())
