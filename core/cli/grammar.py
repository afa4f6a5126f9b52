"""The grammar that commands share: how one is declared, and the arguments that several of them take."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from core import installation
from core.cli.app import App
from core.domain import ShowMode
from core.errors import BadInput
from core.text import printable

Run = Callable[[Namespace, App], int]

# Arguments that name files, whose names may be any bytes; all others are text.
_PATHS = (
    *("case", "paths", "other", "file", "output", "out", "jsonl", "source", "folder", "model", "rerank", "models"),
    *("target", "passphrase_file", "new_passphrase_file", "other_passphrase_file"),
)
_MOST = 1_000_000_000  # of anything that can be asked for


class Parser(ArgumentParser):
    """A parser whose messages can be shown on a terminal, whatever was typed."""

    def error(self, message: str) -> NoReturn:
        """End with what is wrong, as it can be shown."""
        super().error(printable(message))


class _CommandParser(Parser):
    """The parser of a command, which takes options between its positional arguments too."""

    _is_intermixed = False

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Parse options and positional arguments in two passes, as argparse does not by itself."""
        if self._is_intermixed:
            return super().parse_known_args(args, namespace)
        self._is_intermixed = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_intermixed = False


class Commands:
    """The commands as they are declared, each with its function and its arguments."""

    def __init__(self) -> None:
        self._commands: dict[str, tuple[str, Parser]] = {}

    def add(self, name: str, run: Run, words: str, *, case: bool = True) -> ArgumentParser:
        """Declare one, of which ``words`` are the help; its arguments are added to what is returned.

        Raises ValueError for a name that is taken.
        """
        if name in self._commands:
            raise ValueError(f"the command {name} is declared already")
        arguments = Parser(add_help=False)
        if case:
            arguments.add_argument("case", metavar="CASE", help="the case file")
        arguments.set_defaults(run=run)
        self._commands[name] = words, arguments
        return arguments

    def parser(self, order: Sequence[str]) -> ArgumentParser:
        """Make the whole grammar, with the commands in this order. Raises ValueError for one that is not in it."""
        # Given on both levels, so that --json may be before or after the command.
        common = Parser(add_help=False)
        common.add_argument("--json", action="store_true", default=SUPPRESS, help="one JSON document on stdout")
        common.add_argument("--who", default=SUPPRESS, metavar="NAME", help="sign decisions with this name")
        without = "open a case that was not closed properly, even though its last changes are missing"
        common.add_argument("--without-unsaved", action="store_true", default=SUPPRESS, help=without)
        file = "the file with the passphrase of the case (default: asked for on a terminal)"
        common.add_argument("--passphrase-file", default=SUPPRESS, metavar="FILE", help=file)
        parser = Parser(
            prog="disconfirm",
            description="Analysis of Competing Hypotheses over a local corpus; every quote is a span of a page.",
        )
        parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
        parser.add_argument("--who", default="", metavar="NAME", help="sign decisions with this name")
        parser.add_argument("--without-unsaved", action="store_true", help=without)
        parser.add_argument("--passphrase-file", metavar="FILE", help=file)
        parser.add_argument("--version", action="version", version=f"disconfirm {installation.version()}")
        kind: type[Parser] = _CommandParser
        subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=kind)
        for name in sorted(self._commands, key=order.index):
            words, arguments = self._commands[name]
            subparsers.add_parser(name, help=words, description=words, parents=[common, arguments])
        return parser


def whole(value: object) -> object:
    """Return an argument without halves of characters, which stand for bytes that are no text."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case list():
            return [whole(item) for item in value]
    return value


def whole_texts(args: Namespace) -> None:
    """Make every argument whole that names no file."""
    for name, value in vars(args).items():
        if name not in _PATHS:
            setattr(args, name, whole(value))


def single(values: Sequence[str], what: str) -> Sequence[str]:
    """Return the values, of which there is one. Raises BadInput."""
    if len(values) != 1:
        raise BadInput(reason=f"One {what} is needed, and {len(values)} were given.", remedy=f"Give one {what}.")
    return values


# --- arguments that several commands take ----------------------------------------------------------------------------


def add_lines(sub: ArgumentParser, *, is_required: bool = False) -> None:
    """Add the options of a command that works through a file of lines."""
    sub.add_argument("--jsonl", metavar="IN", required=is_required, help="JSON Lines to read, - for standard input")
    sub.add_argument("--out", metavar="OUT", help="JSON Lines to write (default: standard output)")


def add_selection(sub: ArgumentParser) -> None:
    """Add the options that say which passages count."""
    sub.add_argument("--min-similarity", type=float, default=0.0, metavar="X", help="minimum cosine similarity, 0 to 1")
    sub.add_argument(
        "--per-document", type=positive, default=5, metavar="N", help="maximum number of passages per document"
    )


def add_show(sub: ArgumentParser, sentences: Mapping[ShowMode, str], usual: ShowMode | None = None) -> None:
    """Add the option that says how sure what is shown has to be; without ``usual`` the case says it."""
    words = "; ".join(f"{mode}: {sentence[:1].lower()}{sentence[1:-1]}" for mode, sentence in sentences.items())
    sub.add_argument("--show", choices=tuple(sentences), default=usual, help=words)


def positive(text: str) -> int:
    """Return a count. Raises ArgumentTypeError."""
    with suppress(ValueError):
        if 1 <= int(text) <= _MOST:
            return int(text)
    raise ArgumentTypeError(f"must be from 1 to {_MOST:,}")


def weight(text: str) -> tuple[str, float]:
    """Return a name and its weight, as 'A=1.414' gives them. Raises ArgumentTypeError."""
    name, _, value = text.partition("=")
    with suppress(ValueError):
        return name, float(value)
    raise ArgumentTypeError("must be a name and a number, as A=1.414")
