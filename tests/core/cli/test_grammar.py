"""How commands are declared, what numbers they take, and what their help costs."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli import commands, grammar
from core.cli.app import App
from core.handbook.pages import page_named

ROOT = Path(__file__).parents[3]
HEAVY = (
    *("torch", "transformers", "sentence_transformers", "llama_cpp", "pymupdf", "onnxruntime", "spacy", "cv2", "PIL"),
    *("numpy", "scipy", "sklearn", "lxml", "openpyxl", "docx", "PySide6"),
)


def nothing(_args: argparse.Namespace, _app: App) -> int:
    return 0


def names(parser: argparse.ArgumentParser) -> list[str]:
    return list(next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction)).choices)


def test_the_help_lists_every_command_in_its_order():
    assert names(commands.parser()) == list(commands.ORDER)


def test_every_command_has_its_own_function():
    parser = commands.parser()
    least = {
        "originals": ["C", "F"], "page": ["C", "D1", "1"],
        "versions": ["C", "D1", "D2"], "hypothesis": ["C", "list"], "add": ["C", "x"],
        "unlock": ["C", "D1"], "remove": ["C", "D1"], "classify": ["--jsonl", "x"], "accept": ["C", "P1"],
        "reject": ["C", "P1"], "suggest": ["C", "H1"],
        "evidence": ["C", "list"], "rate": ["C", "E1", "H1", "C"], "matrix": [], "demo": [],
        "history": ["C", "E1"], "split": ["C", "E1"], "changed": ["C", "1", "2"], "merge": ["C", "x"],
        "consider": ["C", "list"],
        "absence": ["C", "H1", "x", "--query", "y"], "import": ["C", "x"], "report": ["C", "-o", "x.md"],
        "resolve": ["C", "X1", "--as", "both"], "recover": ["C", "N"],
        "themes": ["C", "x"], "missed": ["C", "H1"], "models": [], "exam": [], "doctor": [], "selftest": [],
        "handbook": [], "licences": [], "gui": [],
    }  # fmt: skip
    functions = {name: parser.parse_args([name, *least.get(name, ["C"])]).run for name in commands.ORDER}
    assert {name: function.__name__ for name, function in functions.items()} == {
        name: f"run_{name}" for name in commands.ORDER
    }
    assert len(set(functions.values())) == len(commands.ORDER)


def test_a_command_that_is_declared_twice_or_stands_in_no_order_is_a_fault():
    declared = grammar.Commands()
    declared.add("one", nothing, "the first")
    with pytest.raises(ValueError, match="one"):
        declared.add("one", nothing, "again")
    assert names(declared.parser(["zero", "one"])) == ["one"]
    with pytest.raises(ValueError):
        declared.parser(["two"])


def test_the_handbook_names_every_command():
    page = page_named("command-line")
    assert page is not None
    assert [name for name in commands.ORDER if f"`disconfirm {name}`" not in page.markdown] == []


@pytest.mark.parametrize("value", ["x", "", "1.5", "0", "-1", "9" * 20])
def test_what_is_no_count_is_refused_in_words(value, capsys):
    with pytest.raises(SystemExit) as end:
        commands.parser().parse_args(["search", "C", "words", f"-k={value}"])
    assert end.value.code == 2
    assert "argument -k: must be from 1 to 1,000,000,000\n" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["x", "H1", "H1=", "H1=much"])
def test_what_is_no_weight_is_refused_in_words(value, capsys):
    with pytest.raises(SystemExit) as end:
        commands.parser().parse_args(["hypothesis", "C", "priors", "--prior", value])
    assert end.value.code == 2
    assert "argument --prior: must be a name and a number, as A=1.414\n" in capsys.readouterr().err


def test_the_help_loads_no_engine_and_no_window():
    look = (
        "import sys; from core.__main__ import main\n"
        "try: main(['--help'])\n"
        f"except SystemExit: print(sorted(set(sys.modules) & set({HEAVY!r})), file=sys.stderr)"
    )
    child = subprocess.run(
        [sys.executable, "-P", "-c", look], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert child.stdout.startswith("usage: disconfirm")
    assert child.stderr.strip() == "[]"


def test_options_may_stand_between_the_arguments():
    args = commands.parser().parse_args(["quote", "C", "--document", "D1", "words of a page"])
    assert (args.case, args.document, args.text) == ("C", "D1", "words of a page")


def test_an_argument_too_many_is_refused(capsys):
    with pytest.raises(SystemExit):
        commands.parser().parse_args(["quote", "C", "--document", "D1", "words", "more"])
    assert "unrecognized arguments: more" in capsys.readouterr().err
