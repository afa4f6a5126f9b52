"""What the fuller case says in every form, and that no form lets text of the case do harm."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import RATINGS, RULES
from core.report import (
    ReportData,
    render_csv,
    render_html,
    render_json,
    render_markdown,
    render_pack,
    render_parc,
    render_sheets,
    render_story,
    tell,
    visible,
)
from core.report.blocks import Table
from core.report.csv_form import COLUMNS, harmless
from core.report.data import Decisions
from tests.core.report.cases import full_case
from tests.core.report.test_report import PAYLOADS, Seen, _poison
from tests.elsewhere import outputs

ROOT = Path(__file__).parents[3]


def words(html: bytes) -> str:
    return " ".join(" ".join(Seen(html).text).split())


def told_words(data: ReportData) -> str:
    return json.dumps(json.loads(render_story(data)), ensure_ascii=False)


# --- what every form says of the whole case --------------------------------------------------------------------------

CAVEAT = "ann recovered this case on 2026-11-01 from a damaged file, dam.disconfirm. Lost: 3 of 12 page texts."
FORMS = {
    "html": lambda data: words(render_html(data)),
    "pack": lambda data: words(render_pack(data, {})),
    "md": lambda data: render_markdown(data).decode().replace("\\", ""),
    "story": told_words,
    "json": lambda data: render_json(data).decode(),
    "csv": lambda data: render_csv(data).decode(),
    "xlsx": lambda data: render_sheets(data).decode(),
    "achz": lambda data: gzip.decompress(render_parc(data)).decode("utf-16"),
}


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_that_the_case_was_recovered_and_what_was_lost(form, short):
    data = replace(full_case(), short=short)
    assert "recovered" not in FORMS[form](data)
    matrix = replace(data.matrix, caveats=(CAVEAT,), warnings=(CAVEAT, *data.matrix.warnings))
    text = FORMS[form](replace(data, matrix=matrix))
    assert CAVEAT in text
    if form in ("html", "md", "story"):
        assert text.index(CAVEAT) < text.index(data.matrix.warnings[0][:20])


# --- what every form with prose says ---------------------------------------------------------------------------------

PROSE = {
    "html": lambda data: words(render_html(data)),
    "md": lambda data: render_markdown(data).decode().replace("\\", ""),
    "story": told_words,
}


def test_the_log_of_people_is_told_in_words_of_people():
    decisions = (Decisions("Ada", "keep results", 7, "2026-11-04T07:30:00+00:00", "2026-11-04T08:30:00+00:00"),)
    text = PROSE["html"](replace(full_case(), decisions=decisions))
    assert "saved answers, conflicts or audits" in text
    assert "keep results" not in text


@pytest.mark.parametrize("form", PROSE)
def test_every_form_with_prose_says_all_of_it(form):
    data = full_case()
    text = PROSE[form](data)
    for expected in (
        "Searched 400 passages in 12 documents on 3 November 2026, 10:30 UTC with these queries: “timber gate”; "
        "“debris boom”; not found.",  # an absence
        "E2 and E6",  # a cluster, counted once
        "source B (usually reliable), information 2 (probably true)",
        "Completely reliable",  # the table of weights
        "weigh like no grade at all, never like the worst",
        "mean of the adjusted",
        "plain mean",
        "Where they disagree",
        "The clock of the panel was right.",
        "The log was rewritten afterwards.",
        "second log",
        "H1 0.200, H2 0.200, H3 0.500 and H4 0.100",  # priors
        "unlikely (20–45%)",
        "As of 4 November 2026, 07:30 UTC",
        "null hypothesis",
        "The log of the workshop agrees.",
        "The group’s matrix",
        "All 5 rules agree",
    ):
        assert expected in text, expected
    assert "does not say" not in text


@pytest.mark.parametrize("form", PROSE)
def test_all_rules_stand_side_by_side(form):
    data = full_case()
    text = PROSE[form](data)
    for rule in data.matrix.scores:
        assert RULES[rule].casefold() in text.casefold()
    first = next(b for s in tell(data).sections if s.id == "ranking" for b in s.blocks if isinstance(b, Table))
    assert len(first.columns) == 3 + len(RULES)
    for row, h in zip(first.rows, data.matrix.order, strict=True):
        assert float(row[2]) == pytest.approx(data.matrix.scores["weighted_inconsistency"][h], abs=0.001)
        shares = {"<\u00a01\u00a0%": 0.0025, ">\u00a099\u00a0%": 0.9975}  # in the middle of what they stand for
        share = shares.get(row[6]) or float(row[6])
        assert share == pytest.approx(data.matrix.scores["bayes"][h], abs=0.0026)


def test_likelihood_and_confidence_never_share_a_sentence():
    likely = re.compile(r"\b(un)?likel(y|ihood)|\bprobab|\bchance\b|\bposterior|\balmost certain", re.I)
    sure = re.compile(r"\bconfiden|\bsure\b", re.I)
    for form in PROSE.values():
        for sentence in re.split(r"(?<=[.!?:;])\s|\n|\",\"", form(full_case())):
            assert not (likely.search(sentence) and sure.search(sentence)), sentence


# --- CSV -------------------------------------------------------------------------------------------------------------


def read_csv(raw: bytes) -> list[list[str]]:
    assert raw.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def test_csv_holds_the_matrix_one_row_a_piece_of_evidence():
    data = full_case()
    head, *rows = read_csv(render_csv(data))
    assert head[: len(COLUMNS)] == list(COLUMNS)
    assert head[len(COLUMNS) :] == [f"{h.id}: {h.text}" for h in data.hypotheses]
    assert [row[0] for row in rows] == [e.id for e in data.evidence]
    for row, scored in zip(rows, data.matrix.rows, strict=True):
        assert row[len(COLUMNS) :] == [scored.ratings.get(h.id, "") for h in data.hypotheses]
        assert float(row[head.index("weight")]) == pytest.approx(scored.weight, abs=1e-6)
    assert rows[0][head.index("quote")] == data.evidence[0].quote


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", " =", "\u00a0+", "＝", "＋", "－", "＠", "\n-"])
def test_no_cell_of_a_csv_can_be_taken_for_a_formula(start):
    payload = f"{start}1+1"
    data = _poison(full_case(), payload)
    for row in read_csv(render_csv(data)):
        for cell in row:
            assert not cell.lstrip() or cell.lstrip()[0] not in "=+@\t\r＝＋－＠", cell
            if cell.lstrip().startswith("-"):
                float(cell)
    assert harmless(payload).startswith("'")


def test_ordinary_text_is_not_touched_in_a_csv():
    for text in ("a-b", "1+1", "mail me @ noon", "", "–5 degrees", "'quoted'", "two\nlines"):
        assert harmless(text) == text
    assert harmless("a\0=b\u202e") == "a⟨U+0000⟩=b⟨U+202E⟩"


# --- Markdown --------------------------------------------------------------------------------------------------------


def test_markdown_of_hostile_text_holds_no_markup_of_the_case():
    clean = re.sub(r"[^\n#>|-]", "", render_markdown(full_case()).decode()).count("#")
    for payload in (*PAYLOADS, "# head", "- item", "1. one", "> quote", "[x](http://evil)", "`code`", "| a | b |",
                    "http://evil.example", "www.evil.example", "***", "~~~", "$$x$$", "---"):  # fmt: skip
        text = render_markdown(_poison(full_case(), payload)).decode()
        bare = re.sub(r"\\[^\n]", "", text).replace("<br>", "")
        assert "<" not in bare.replace("&lt;", "")
        assert "](" not in bare
        assert "`" not in bare
        assert "://" not in bare
        assert not re.search(r"(?<!\\)www\.", bare)
        assert re.sub(r"[^\n#>|-]", "", bare).count("#") <= clean, payload
        widths = [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("| ")]
        assert widths


@given(st.text(st.characters(exclude_categories=()), max_size=40))
@settings(max_examples=8, deadline=None)
def test_any_text_goes_into_every_form_made_here(text):
    data = _poison(full_case(), text)
    for render in (render_csv, render_markdown, render_story, render_sheets, render_json, render_html):
        output = render(data)
        output.decode("utf-8")
        assert render(data) == output
    for raw in (render_csv(data), render_markdown(data), render_story(data), render_sheets(data)):
        text_of_form = raw.decode() if raw[:1] != b"{" else json.dumps(json.loads(raw), ensure_ascii=False)
        assert visible(text_of_form.lstrip("\ufeff")) == text_of_form.lstrip("\ufeff")


# --- the workbook's sheets -------------------------------------------------------------------------------------------


# --- the evidence pack -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("render", [render_html, render_csv, render_markdown, render_story, render_sheets])
def test_no_path_of_the_writer_gets_out_of_any_form(render):
    data = full_case()
    data = replace(
        data,
        documents=tuple(replace(d, name=f"/home/canary_user/x/{d.name}") for d in data.documents),
        robustness="See /home/canary_user/rules.txt.",
        warnings=("The folder /home/canary_user/in is gone.",),
    )
    assert b"canary_user" not in render(data)
    assert b"canary_user" not in render_pack(data, {})


def test_the_bytes_of_every_form_depend_on_nothing_but_the_case():
    """Other time zones, languages and hash seeds give the same files."""
    code = (
        "import hashlib; from tests.core.report.test_forms import *; d = full_case(); "
        "from tests.core.report.test_evidence_pack import exhibits; "
        "parts = [r(d) for r in (render_html, render_json, render_csv, render_markdown, render_story, render_sheets)]; "
        "print(hashlib.sha256(b''.join([*parts, render_pack(d, exhibits())])).hexdigest())"
    )
    assert len(outputs(code)) == 1


def test_ratings_are_words_of_the_scale_only():
    assert {r for row in full_case().matrix.rows for r in row.ratings.values()} <= set(RATINGS)
