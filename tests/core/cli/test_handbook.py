"""The handbook on the command line: the contents, a page, a search."""

from __future__ import annotations

import json

from core.__main__ import main
from core.handbook.pages import FOLDER


def test_a_page_is_printed_as_it_is_written(capsys):
    assert main(["handbook"]) == 0
    assert capsys.readouterr().out.startswith("# Handbook\n")
    assert main(["handbook", "matrix"]) == 0
    assert capsys.readouterr().out.strip() == (FOLDER / "matrix.md").read_text("utf-8").strip()


def test_a_page_and_hits_as_json(capsys):
    assert main(["--json", "handbook", "Matrix"]) == 0
    page = json.loads(capsys.readouterr().out)
    assert (page["page"], page["title"]) == ("matrix", "Matrix")
    assert page["markdown"].startswith("# Matrix")
    assert main(["--json", "handbook", "--search", "make", "backups"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["query"] == "make backups"
    assert {"page": "cases", "anchor": "backups", "title": "Backups"}.items() <= answer["hits"][0].items()


def test_hits_are_shown_in_lines(capsys):
    assert main(["handbook", "--search", "premortem"]) == 0
    pages = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert "hypotheses" in pages


def test_an_unknown_page_is_told_with_those_there_are(capsys):
    assert main(["handbook", "giraffe"]) == 3
    message = capsys.readouterr().err
    assert "no page 'giraffe'" in message
    assert "matrix" in message
