"""The command line: the second client of the core. Everything the window does to a case can be done here.

``--json`` prints one JSON document on standard output and nothing else there; progress and messages go to standard
error. Exit codes: 0 done, 1 done with problems (listed), 2 wrong use, 3 an error with its remedy, 70 a fault of the
program itself (with a report to copy), 77 a passphrase that is missing or wrong, 130 cancelled.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from core import refuse_connections
from core.cli.app import App
from core.cli.commands import parser
from core.cli.grammar import whole_texts
from core.cli.output import STANDARD_OUTPUT, drop_output, flush, say
from core.errors import AppError, CaseCorrupt, CaseUnreadable, PassphraseNeeded, PassphraseWrong, bug_report
from core.progress import Cancelled

BUG = 70  # the exit code of a fault of the program itself: EX_SOFTWARE of sysexits.h
NO_PASSPHRASE = 77  # likewise EX_NOPERM


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    if argv is None:
        refuse_connections()
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["--engine"]:  # a frozen build starts its child processes through its own executable
        from core.workers import server

        return server.main(words[1:])
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    args = parser().parse_args(words)
    whole_texts(args)
    try:
        app = App(args)
        try:
            code = int(args.run(args, app))
        finally:
            app.close()
        flush()
        return code
    except AppError as error:
        say(error.sentence)
        say(error.hint)
        if isinstance(error, CaseCorrupt | CaseUnreadable):
            from core.recovery.service import way_on

            if words_on := way_on(error):
                say(words_on)
        if error.details.get("path") == STANDARD_OUTPUT:
            drop_output()
        return NO_PASSPHRASE if isinstance(error, PassphraseNeeded | PassphraseWrong) else 3
    except (Cancelled, KeyboardInterrupt):
        say("Cancelled. Finished work is kept.")
        return 130
    except BrokenPipeError:
        drop_output()
        return 0
    except Exception as error:
        say("This is a bug in Disconfirm. What was saved before is safe. If you report it, copy the lines below;")
        say("they contain no text from your documents.")
        for line in bug_report(type(error), error.__traceback__).splitlines():
            say(line)
        return BUG


if __name__ == "__main__":
    sys.exit(main())
