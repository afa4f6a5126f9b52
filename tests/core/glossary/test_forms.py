"""The forms of a glossary: their words, and that none runs anything."""

from __future__ import annotations

import csv
import io

import pytest

from core.glossary import forms

TEXTS = {
    "a.txt": "The Harbour Safety Board (HSB) met in May. Dan Jones, the editor of the Mirror, was there.",
    "c.txt": "The Hill Street Band (HSB) played. =SUM(1), <b>Ann Bell</b> said, a pilot of the ferry, was late.",
}


@pytest.fixture
def bench(case_of):
    return case_of(TEXTS, title="=Harbour <x>")


def test_every_form_holds_the_words_and_none_runs_anything(bench):
    entries = bench.glossary.entries()
    cards = bench.glossary.cards(tuple(one for one in entries if one.meaning == "Harbour Safety Board"))
    page = forms.render(".html", bench.case.title(), entries, cards).decode()
    assert "Harbour Safety Board" in page
    assert "<x>" not in page
    assert "<b>" not in page
    assert "<script" not in page
    rows = list(csv.reader(io.StringIO(forms.render(".csv", "x", entries, cards).decode("utf-8-sig"))))
    assert {row[1] for row in rows[1:]} >= {"HSB", "What does HSB stand for?"}
    assert all(not cell.startswith(("=", "+", "@")) for row in rows for cell in row)
    text = forms.render(".md", bench.case.title(), entries, cards).decode()
    assert "**HSB** (what it stands for): Harbour Safety Board" in text


def test_anki_updates_a_card_that_is_imported_again(bench):
    entries = bench.glossary.entries()
    cards = bench.glossary.cards(tuple(one for one in entries if one.meaning == "Harbour Safety Board"))
    lines = forms.render(".txt", "x", (), cards).decode().splitlines()
    assert lines[0] == "#separator:Tab"
    assert "#guid column:5" in lines
    (line,) = (line for line in lines if not line.startswith("#"))
    assert len(line.split("\t")) == 5
    assert line == forms.render(".txt", "x", (), cards).decode().splitlines()[-1]
