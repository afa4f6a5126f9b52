"""What the fuller case says in every form, and that no form lets text of the case do harm."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import matrix
from core.domain import RATINGS, RULES, Evidence, Hypothesis
from core.report import (
    Exhibit,
    ReportData,
    likelihood_words,
    render_csv,
    render_html,
    render_json,
    render_markdown,
    render_pack,
    render_sheets,
    render_story,
    tell,
    visible,
)
from core.report.blocks import HYPOTHESES_A_TABLE, Para, Points, Table
from core.report.csv_form import COLUMNS, harmless
from core.report.workbook import MOST_NOTES, sheets
from tests.core.report.cases import full_case, picture
from tests.core.report.test_report import PAYLOADS, POLICY, Seen, _poison, empty_case, made_case

ROOT = Path(__file__).parents[3]


def exhibits() -> dict[str, Exhibit]:
    return {"E1": Exhibit(picture(), 120, 40), "E3": Exhibit(picture(grey=90), 120, 40)}


def words(html: bytes) -> str:
    return " ".join(" ".join(Seen(html).text).split())


def told_words(data: ReportData) -> str:
    return json.dumps(json.loads(render_story(data)), ensure_ascii=False)


# --- what every form with prose says ---------------------------------------------------------------------------------

PROSE = {
    "html": lambda data: words(render_html(data)),
    "md": lambda data: render_markdown(data).decode().replace("\\", ""),
    "story": told_words,
}


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
        "coherent aggregate",
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
        assert float(row[6].strip("<>")) == pytest.approx(data.matrix.scores["bayes"][h], abs=0.001)


def test_linchpins_of_every_kind_stand_with_their_count_and_the_page():
    data = full_case()
    section = next(s for s in tell(data).sections if s.id == "hangs")
    heads = [b.text for b in section.blocks if b.kind == "sub"]
    kinds = {pin.change for pin in data.matrix.linchpins}
    assert len(kinds) >= 5
    assert len(heads) == len(kinds)
    assert f"{sum(data.matrix.linchpin_counts.values()):,} changes" in section.blocks[0].text
    tables = [b for b in section.blocks if isinstance(b, Table)]
    assert sum(len(t.rows) for t in tables) == len(data.matrix.linchpins)
    for pin in data.matrix.linchpins:
        assert any(pin.sentence == row[0] for t in tables for row in t.rows)
    assert any("inspection_2021.pdf, page 4" in row[1] for t in tables for row in t.rows)


def test_a_tie_says_what_could_separate_it():
    data = made_case()
    assert data.matrix.gaps
    section = next(s for s in tell(data).sections if s.id == "ranking")
    said = [b for b in section.blocks if isinstance(b, Points)]
    assert any("E4 against H3: then H2 would lead" in item for b in said for item in b.items)
    whole = replace(data, matrix=matrix.build(["H1", "H2"], [matrix.Row("E1", {"H1": "I", "H2": "I"})]))
    section = next(s for s in tell(whole).sections if s.id == "ranking")
    assert any("Every cell is rated: it takes evidence" in b.text for b in section.blocks if isinstance(b, Para))


def test_likelihood_and_confidence_never_share_a_sentence():
    likely = re.compile(r"\b(un)?likel(y|ihood)|\bprobab|\bchance\b|\bposterior|\balmost certain", re.I)
    sure = re.compile(r"\bconfiden|\bsure\b", re.I)
    for form in PROSE.values():
        for sentence in re.split(r"(?<=[.!?:;])\s|\n|\",\"", form(full_case())):
            assert not (likely.search(sentence) and sure.search(sentence)), sentence


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


def test_parts_without_anything_to_say_are_left_out():
    ids = {section.id for section in tell(made_case()).sections}
    assert ids.isdisjoint({"independence", "absence", "analysts", "considerations", "grades"})
    assert {section.id for section in tell(full_case()).sections} >= {
        "independence", "absence", "analysts", "considerations", "grades"
    }  # fmt: skip
    assert tell(empty_case()).title == "Untitled case"


def test_a_wide_matrix_is_cut_into_tables_that_fit_a_page():
    ids = [f"H{n}" for n in range(1, 33)]
    data = replace(
        empty_case(),
        hypotheses=tuple(Hypothesis(h, f"hypothesis {h}") for h in ids),
        evidence=(Evidence("E1", "a fact", "", "manual", None, None),),
        matrix=matrix.build(ids, [matrix.Row("E1", dict.fromkeys(ids, "I"))]),
    )
    section = next(s for s in tell(data).sections if s.id == "matrix")
    tables = [b for b in section.blocks if isinstance(b, Table)]
    cells = [[c for c in t.columns if c.look == "cell"] for t in tables]
    assert [len(c) for c in cells] == [HYPOTHESES_A_TABLE, HYPOTHESES_A_TABLE, 2]
    assert all(len(row) == len(t.columns) for t in tables for row in t.rows)


def test_the_preview_shows_some_evidence_and_says_how_much_is_missing():
    told = tell(full_case(), most=3)
    text = " ".join(b.text for s in told.sections for b in s.blocks if isinstance(b, Para))
    assert "And 5 more pieces of evidence: the web page, workbook, table and JSON forms have all of them." in text
    rows = next(b for s in told.sections if s.id == "matrix" for b in s.blocks if isinstance(b, Table)).rows
    assert len(rows) == 3
    gaps = next(s for s in told.sections if s.id == "gaps")
    assert gaps.blocks[0].text.startswith("4 of 32 cells are open")


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
@settings(max_examples=20, deadline=None)
def test_any_text_goes_into_every_form_made_here(text):
    data = _poison(full_case(), text)
    for render in (render_csv, render_markdown, render_story, render_sheets, render_json, render_html):
        made = render(data)
        made.decode("utf-8")
        assert render(data) == made
    for raw in (render_csv(data), render_markdown(data), render_story(data), render_sheets(data)):
        shown = raw.decode() if raw[:1] != b"{" else json.dumps(json.loads(raw), ensure_ascii=False)
        assert visible(shown.lstrip("\ufeff")) == shown.lstrip("\ufeff")


# --- the workbook's sheets -------------------------------------------------------------------------------------------


def test_the_sheets_hold_every_rating_and_note():
    data = full_case()
    made = {sheet.name: sheet for sheet in sheets(data)}
    assert {"Matrix", "Summary", "Evidence", "Ratings", "What it hangs on", "Disputed cells", "Analysts",
            "Beside the matrix", "Documents", "About"} <= set(made)  # fmt: skip
    grid = made["Matrix"]
    assert [c.title for c in grid.columns if c.look == "cell"] == [f"{h.id}: {h.text}" for h in data.hypotheses]
    assert len(made["Ratings"].rows) == len(data.assessments)
    assert len(made["What it hangs on"].rows) == len(data.matrix.linchpins)
    told = "\n".join(text for _, _, text in grid.notes)
    assert data.evidence[0].quote in told
    assert "B. Second" in told
    assert "The log of the workshop agrees." in told
    for sheet in made.values():
        assert len(sheet.name) <= 31
        assert all(len(row) == len(sheet.columns) for row in sheet.rows)
        assert len(sheet.notes) <= MOST_NOTES


def test_a_text_longer_than_a_cell_is_cut_and_says_so():
    data = full_case()
    data = replace(data, evidence=(replace(data.evidence[0], text="x" * 50_000), *data.evidence[1:]))
    cells = [
        c for s in json.loads(render_sheets(data))["sheets"] for row in s["rows"] for c in row if isinstance(c, str)
    ]
    assert max(map(len, cells)) <= 32_767
    assert any(cell.endswith("(cut off here)") for cell in cells)


# --- the evidence pack -----------------------------------------------------------------------------------------------


class Pack(HTMLParser):
    """Links, anchors and pictures of a pack, and whatever could reach out of it."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.pictures: list[tuple[bytes, str]] = []
        self.wrong: list[str] = []
        self.policy = ""
        self.text: list[str] = []
        self.feed(page.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in Seen.ALLOWED | {"img", "figure", "figcaption", "mark"}:
            self.wrong.append(tag)
        for name, value in given.items():
            if name not in Seen.ATTRIBUTES | {"src", "alt", "width", "height"}:
                self.wrong.append(f"{tag}[{name}]")
            if name == "content" and "default-src" in (value or ""):
                self.policy = value
        if "id" in given:
            self.anchors.add(given["id"])
        if tag == "a":
            self.links.append(given["href"])
        if tag == "img":
            kind, _, data = given["src"].partition(",")
            if kind != "data:image/png;base64":
                self.wrong.append(given["src"][:40])
            self.pictures.append((base64.b64decode(data), given["alt"]))

    def handle_data(self, data):
        self.text.append(data)


def test_a_pack_leads_from_each_cell_to_the_picture_and_back():
    data = full_case()
    pack = Pack(render_pack(data, exhibits()))
    assert pack.wrong == []
    assert pack.policy == POLICY
    assert all(link.startswith("#") and link[1:] in pack.anchors for link in pack.links)
    rated = sum(len(row.ratings) for row in data.matrix.rows)
    # From each rated cell and each id into the evidence, and from each piece of evidence back.
    assert len(pack.links) == rated + 2 * len(data.evidence)
    assert [png for png, _ in pack.pictures] == [picture(), picture(grey=90)]
    assert all("inspection_2021.pdf" in alt or "harrow" in alt for _, alt in pack.pictures)
    text = " ".join(" ".join(pack.text).split())
    for png, _ in pack.pictures:
        assert hashlib.sha256(png).hexdigest() in text
    for document in data.documents:
        assert document.sha256 in text
    assert hashlib.sha256(render_json(data)).hexdigest() in text
    assert "02:05 all quiet." in text  # the words around a quote that has no picture


def test_a_pack_says_which_pictures_are_missing():
    said = "3 of 5 page images are left out: this form holds at most 2 pictures."
    assert said in " ".join(Pack(render_pack(full_case(), exhibits(), left_out=said)).text)


def test_a_hundred_hostile_texts_stay_text_in_a_pack():
    for payload in PAYLOADS:
        pack = Pack(render_pack(_poison(full_case(), payload), {f"{payload} E1": Exhibit(picture(), 120, 40)}))
        assert pack.wrong == [], payload
        assert pack.policy == POLICY
        assert len(pack.pictures) == 1


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
        "parts = [r(d) for r in (render_html, render_json, render_csv, render_markdown, render_story, render_sheets)]; "
        "print(hashlib.sha256(b''.join([*parts, render_pack(d, exhibits())])).hexdigest())"
    )
    found = set()
    for seed, zone, language in (("1", "Asia/Tokyo", "C"), ("2", "America/New_York", "de_DE.UTF-8")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": language}
        made = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
        )
        found.add(made.stdout.strip())
    assert len(found) == 1


def test_ratings_are_words_of_the_scale_only():
    assert {r for row in full_case().matrix.rows for r in row.ratings.values()} <= set(RATINGS)
