"""The man page and the completions of the shells, made from the grammar of the command line.

Run with the Python of .venv, in the checkout: python packaging/manual.py FOLDER
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by their names, in the order of the help."""
    action = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return dict(action.choices)


def words_of(parser: argparse.ArgumentParser) -> list[str]:
    """List what can be typed after a command: its options, and the values of arguments that have a list of them."""
    words: list[str] = []
    for action in parser._actions:
        words += action.option_strings
        if action.choices and not action.option_strings and not isinstance(action, argparse._SubParsersAction):
            words += [str(choice) for choice in action.choices]
    return list(dict.fromkeys(words))


def escape(text: str) -> str:
    """Return a text as roff needs it."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("%%", "%")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def sentence(text: str) -> str:
    """Begin a text with a capital letter and leave the rest of it alone."""
    text = text.strip()
    return text[:1].upper() + text[1:]


def man_page(parser: argparse.ArgumentParser, version: str, date: str) -> str:
    """Write the man page, section 1."""
    lines = [
        f'.TH DISCONFIRM 1 "{date}" "Disconfirm {version}" "User Commands"',
        ".SH NAME",
        r"disconfirm \- analysis of competing hypotheses over your own documents, offline",
        ".SH SYNOPSIS",
        ".B disconfirm",
        r"[\fIoptions\fR] \fIcommand\fR [\fIarguments\fR]",
        ".SH DESCRIPTION",
        "Without a command the window opens. Everything the window does to a case can be done here too.",
        "Nothing uses a network.",
        ".SH OPTIONS",
    ]
    lines += _options(parser)
    lines.append(".SH COMMANDS")
    for name, sub in commands_of(parser).items():
        usage = " ".join(sub.format_usage().split()).removeprefix(f"usage: {sub.prog}").strip()
        lines += [f".SS {escape(name)}", escape(sentence(sub.description or "")) + ".", ".PP"]
        lines += [rf".B disconfirm {escape(name)}", escape(usage)]
    lines += [
        ".SH EXIT STATUS",
        "0 done; 1 done with problems, which are listed; 2 wrong use; 3 an error with its remedy; 70 a fault of the",
        "program; 130 cancelled.",
        ".SH ENVIRONMENT",
        ".TP",
        ".B DISCONFIRM_HOME",
        "The folder of settings, added models and the sample case.",
        ".TP",
        ".B DISCONFIRM_MODELS",
        "The folder of the models.",
        ".SH FILES",
        ".TP",
        r".I ~/.local/share/disconfirm",
        "Settings, added models, the sample case, the log. It stays when the program is removed.",
    ]
    return "\n".join(lines) + "\n"


def _options(parser: argparse.ArgumentParser) -> list[str]:
    lines: list[str] = []
    for action in parser._actions:
        if not action.option_strings:
            continue
        value = "" if action.nargs == 0 else rf" \fI{escape(str(action.metavar or action.dest.upper()))}\fR"
        lines += [".TP", rf"\fB{escape(', '.join(action.option_strings))}\fR{value}", escape(str(action.help or ""))]
    return lines


def bash_completion(parser: argparse.ArgumentParser) -> str:
    """Write the completion for bash."""
    first_words = [*commands_of(parser), *words_of(parser)]
    lines = [
        "# Completion of disconfirm for bash, made from its grammar.",
        "_disconfirm() {",
        '    local word="${COMP_WORDS[COMP_CWORD]}" command="" at',
        "    for ((at = 1; at < COMP_CWORD; at++)); do",
        '        case "${COMP_WORDS[at]}" in -*) ;; *) command="${COMP_WORDS[at]}"; break ;; esac',
        "    done",
        "    local words",
        '    case "$command" in',
        f"        '') words='{' '.join(first_words)}' ;;",
    ]
    lines += [f"        {name}) words='{' '.join(words_of(sub))}' ;;" for name, sub in commands_of(parser).items()]
    lines += [
        "        *) words='' ;;",
        "    esac",
        '    if [[ -z "$command" || "$word" == -* ]]; then',
        '        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")',
        "    else",
        '        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word")',
        "    fi",
        "}",
        "complete -o filenames -F _disconfirm disconfirm",
    ]
    return "\n".join(lines) + "\n"


def zsh_completion(parser: argparse.ArgumentParser) -> str:
    """Write the completion for zsh."""
    lines = [
        "#compdef disconfirm",
        "# Completion of disconfirm for zsh, made from its grammar.",
        "local -a commands choices",
    ]
    lines.append("commands=(")
    for name, sub in commands_of(parser).items():
        words = (sub.description or "").replace("'", "").replace(":", ",")
        lines.append(f"  '{name}:{words}'")
    lines += [")", "if ((CURRENT == 2)); then", "  _describe command commands", "  return", "fi", 'case "$words[2]" in']
    for name, sub in commands_of(parser).items():
        lines.append(f"  {name}) choices=({' '.join(words_of(sub))}) ;;")
    lines += ["esac", "compadd -- $choices", "_files"]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write the three files into the folder that is named, with a version and a date."""
    sys.path.insert(0, str(ROOT))
    from core.cli.commands import parser

    folder, version, date = Path(arguments[0]), arguments[1], arguments[2]
    folder.mkdir(parents=True, exist_ok=True)
    grammar = parser()
    (folder / "disconfirm.1").write_text(man_page(grammar, version, date), "utf-8")
    (folder / "disconfirm.bash").write_text(bash_completion(grammar), "utf-8")
    (folder / "_disconfirm").write_text(zsh_completion(grammar), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
