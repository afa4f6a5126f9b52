"""Words and figures of the report: probabilities, unseen characters, places on a computer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.report import (
    likelihood_words,
    render_html,
    visible,
    without_paths,
)
from core.report.wording import share
from tests.core.report.test_report import made_case


def test_a_probability_is_never_printed_as_certain():
    least, greatest = "<\u00a01\u00a0%", ">\u00a099\u00a0%"
    assert [share(p) for p in (0.0, 1e-9, 0.25, 0.9999, 1.0)] == [least, least, "0.250", greatest, greatest]


def test_unseen_characters_are_written_out():
    assert visible("pay\u202eexe.gnp") == "pay⟨U+202E⟩exe.gnp"
    assert visible("a\u200b\u200b\u200bb\u00adc\ufeff") == "a⟨U+200B ×3⟩b⟨U+00AD⟩c⟨U+FEFF⟩"
    assert visible("tag\U000e0041\U000e0042") == "tag⟨U+E0041⟩⟨U+E0042⟩"
    assert visible("\x00\x1b[31m\u3164") == "⟨U+0000⟩⟨U+001B⟩[31m⟨U+3164⟩"
    for plain in ("two\nlines\tand a tab", "שלום עולם", "e\u0301tude", "中文", "👍\ufe0f", ""):
        assert visible(plain) == plain
    data = made_case()
    quote = "He wrote \u202eton\u202c signed."
    data = replace(data, evidence=(replace(data.evidence[0], quote=quote), *data.evidence[1:]))
    page = render_html(data).decode()
    assert 'He wrote <span class="unseen">⟨U+202E⟩</span>ton<span class="unseen">⟨U+202C⟩</span> signed.' in page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cannot read /home/ana/secret/report.pdf.", "cannot read …/report.pdf."),
        (r"cannot read C:\Users\ana\report.pdf", "cannot read …/report.pdf"),
        (r"\\server\share\ana\x.txt is locked", "…/x.txt is locked"),
        ("saved from file:///home/ana/page.html", "saved from …/page.html"),
        ("~/cases/a.disconfirm", "…/a.disconfirm"),
        ("https://news.example/harrow/boom", "https://news.example/harrow/boom"),
        ("and/or 1/2 24/7", "and/or 1/2 24/7"),
        ("SQLite 3.54.0, FTS5", "SQLite 3.54.0, FTS5"),
    ],
)
def test_paths_are_cut_to_names(text, expected):
    assert without_paths(text) == expected


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        (0.0, "almost no chance (1–5%)"),
        (0.049, "almost no chance (1–5%)"),
        (0.05, "very unlikely (5–20%)"),
        (0.2, "unlikely (20–45%)"),
        (0.45, "roughly even chance (45–55%)"),
        (0.5, "roughly even chance (45–55%)"),
        (0.55, "roughly even chance (45–55%)"),
        (0.551, "likely (55–80%)"),
        (0.8, "likely (55–80%)"),
        (0.95, "very likely (80–95%)"),
        (0.951, "almost certain (95–99%)"),
        (1.0, "almost certain (95–99%)"),
    ],
)
def test_words_of_probability_carry_their_range(probability, expected):
    assert likelihood_words(probability) == expected


@given(st.floats(0, 1))
def test_a_probability_and_its_opposite_get_mirrored_words(p):
    mirror = {"almost no chance": "almost certain", "very unlikely": "very likely", "unlikely": "likely",
              "roughly even chance": "roughly even chance"}  # fmt: skip
    mirror |= {b: a for a, b in mirror.items()}
    assert mirror[likelihood_words(p).split(" (")[0]] == likelihood_words(1 - p).split(" (")[0]
