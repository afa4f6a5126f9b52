"""The report: the same bytes for the same case, nothing active, nothing hidden, nothing that gives the writer away."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import matrix
from core.accuracy.figures import share
from core.answers.results import Answer, AnswerPoint, AnswerRecord, Source, Step, WordedSentence
from core.domain import (
    RULES,
    Assessment,
    Document,
    Evidence,
    Hypothesis,
    Probabilities,
    Quote,
    Suggestion,
)
from core.errors import Problem
from core.report import (
    Benchmark,
    Decisions,
    ExamHalf,
    ExamSummary,
    JudgeSummary,
    MissedEstimate,
    ProposalCount,
    ReportData,
    Ruling,
    SearchEffort,
    render_html,
    render_json,
)
from core.report.rows import ranking
from core.report.wording import unseen

GOLDEN = Path(__file__).parents[2] / "golden"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def made_case() -> ReportData:
    """A dam, three explanations, five pieces of evidence: a tie, a gap with a suggestion, a scan without text."""
    hypotheses = (
        Hypothesis(
            "H1", "The spillway gate failed because its hoist motor had not been maintained.", "Put by the union."
        ),
        Hypothesis("H2", "The gate was opened by mistake during the shift handover."),
        Hypothesis("H3", "Debris from the upstream boom jammed the gate open."),
    )
    documents = (
        Document(
            "D1",
            "inspection_2021.pdf",
            _hash("d1"),
            "pdf",
            48_210,
            12,
            40,
            "ready",
            "2026-11-02T08:00:00Z",
            title="Annual inspection of the Harrow dam",
            date="2021-03-14",
            pages_without_text=1,
        ),
        Document("D2", "handover_log.txt", _hash("d2"), "txt", 3_020, 1, 6, "ready", "2026-11-02T08:00:01Z"),
        Document(
            "D3",
            "harrow-news.html",
            _hash("d3"),
            "html",
            9_876,
            1,
            9,
            "ready",
            "2026-11-02T08:00:02Z",
            title="Boom found intact",
            date="2021-05-06",
            address="https://news.example/harrow/boom",
            included=False,
        ),
    )
    quotes = {
        "E1": ("D1", 4, 812, "The hoist motor of gate 2 was serviced on 9 March and ran without fault for an hour."),
        "E2": ("D2", 1, 90, "02:10 handover begun. 02:14 gate 2 moving, nobody at the panel."),
        "E3": ("D3", 1, 401, "Divers found the boom intact and no timber within 200 metres of the gate."),
    }
    quoted = tuple(
        Evidence(
            id,
            "",
            "",
            "corpus",
            "H",
            "M" if id == "E1" else "H",
            document,
            n,
            page,
            start,
            start + len(quote),
            quote,
            0.61,
            f"P{n}",
            "A. Analyst",
            f"2026-11-03T09:1{n}:00Z",
        )
        for n, (id, (document, page, start, quote)) in enumerate(quotes.items(), start=1)
    )
    evidence = (
        *quoted,
        Evidence(
            "E4",
            "The operator on duty says that she heard the motor labouring.",
            "interview, 7 May",
            "manual",
            "M",
            "M",
            created_by="A. Analyst",
            created_at="2026-11-03T10:00:00Z",
        ),
        Evidence(
            "E5",
            "The level rose by two metres in an hour.",
            "gauge record",
            "manual",
            None,
            None,
            created_by="B. Second",
            created_at="2026-11-03T10:05:00Z",
        ),
    )
    ratings = {
        "E1": {"H1": "II", "H2": "C", "H3": "N"},
        "E2": {"H1": "N", "H2": "I", "H3": "C"},
        "E3": {"H1": "C", "H2": "NA", "H3": "I"},
        "E4": {},
        "E5": {"H1": "C", "H2": "C", "H3": "C"},
    }
    rows = [
        matrix.Row(e.id, ratings[e.id], e.credibility, e.relevance, source=e.document or e.source) for e in evidence
    ]
    return ReportData(
        title="Who opened gate 2?",
        generated_at="2026-11-04T07:30:00Z",
        program="Disconfirm 0.1.0",
        engines=(("Reader", "PyMuPDF 1.27.2"), ("Database", "SQLite 3.54.0, FTS5, sqlite-vec 0.1.9")),
        documents=documents,
        pages_without_text={"D1": (7,)},
        page_sha256={1: _hash("p1"), 2: _hash("p2"), 3: _hash("p3")},
        hypotheses=hypotheses,
        matrix=matrix.build([h.id for h in hypotheses], rows),
        evidence=evidence,
        assessments=tuple(
            Assessment(e, h, rating, "A. Analyst", f"2026-11-03T11:0{n}:00Z")
            for n, (e, of_row) in enumerate(ratings.items())
            for h, rating in of_row.items()
        ),
        suggestions=(
            Suggestion("E1", "H1", "I", "judge", Probabilities(0.08, 0.81, 0.11), "2026-11-03T09:00:00Z"),
            Suggestion("E4", "H3", "I", "judge", Probabilities(0.15, 0.64, 0.21), "2026-11-03T09:00:00Z"),
        ),
        proposals=(ProposalCount("H1", 12, 2, 6, 4, 3, 5, 3, 1), ProposalCount("H2", 9, 1, 8, 0, 2, 2, 4, 1),
                   ProposalCount("H3", 0, 0, 0, 0)),
        decisions=(Decisions("A. Analyst", "accept", 3, "2026-11-03T09:11:00Z", "2026-11-03T09:13:00Z"),
                   Decisions("A. Analyst", "rate", 14, "2026-11-03T11:00:00Z", "2026-11-03T11:04:00Z"),
                   Decisions("B. Second", "add evidence", 1, "2026-11-03T10:05:00Z", "2026-11-03T10:05:00Z")),
        judges=(JudgeSummary("SmolLM2-135M-Instruct with evidence-judge-r16", "llama.cpp 0.3.36 197a7bea",
                           (Benchmark("check_covid test", 227, 0.670, 0.668, 0.66, "its train split"),
                            Benchmark("healthver dev", 300, 0.547, 0.505, 0.33, "nothing like it")),
                           ("Weak on contradictions outside its domains; knows nothing of hedging or dates.",), 30, 2,
                           ExamSummary(354, (0.702, 0.652, 0.747), (0.68, 0.63, 0.73), (0.75, 0.69, 0.61), 0.08,
                                   (0.12, 0.07, 0.18),
                                   (ExamHalf("statements", 234, (0.821, 0.766, 0.864), (0.82, 0.76, 0.86), 1 / 3, True),
                                    ExamHalf("clues", 120, (0.47, 0.382, 0.559), (0.41, 0.33, 0.49), 0.4, False)))),),
        search=(SearchEffort("H1", 30, 8, "", 3, 5, 6, 9, 11, 4),
                SearchEffort("H2", 30, 8, "", 3, 5, 4, 2, 20, 4,
                             missed=MissedEstimate(23, 3.0, 0.0, 9.5, 0.8, 0.46, 1.0, 0.9,
                                                   "Of what bears on H2, probably 8 of 10 passages were found.")),
                SearchEffort("H3", 12, 8, "few passages found", 3, 5, 1, 2, 8, 1,
                             "H3 had 18 fewer passages looked at than H1.")),
        problems=(Problem("/home/ana/incoming/scan 3.pdf", "The file is encrypted.", "Give the password."),),
        log_entries=41,
        log_head=_hash("log"),
    )  # fmt: skip


def empty_case() -> ReportData:
    return ReportData(
        title="", generated_at="2026-11-04T07:30:00Z", program="Disconfirm 0.1.0", matrix=matrix.build([], [])
    )


class Seen(HTMLParser):
    """What a browser would make of the page, as far as harm goes."""

    ALLOWED = frozenset(
        {"html", "head", "meta", "title", "style", "body", "header", "main", "section", "article", "div", "p", "h1",
         "h2", "h3", "span", "b", "i", "br", "ul", "ol", "li", "a", "code", "table", "thead", "tbody", "tr", "th", "td",
         "blockquote", "dl", "dt", "dd", "colgroup", "col"}
    )  # fmt: skip
    ATTRIBUTES = frozenset(
        {"lang", "charset", "http-equiv", "content", "name", "id", "class", "dir", "scope", "href", "title", "style",
         "aria-label", "aria-labelledby", "aria-hidden"}
    )  # fmt: skip

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.wrong: list[str] = []
        self.text: list[str] = []
        self.policy = ""
        self._in: list[str] = []
        self.feed(page.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._in.append(tag)
        if tag not in self.ALLOWED:
            self.wrong.append(f"<{tag}>")
        for name, value in attrs:
            if name not in self.ATTRIBUTES:
                self.wrong.append(f"{tag}[{name}]")
            if name == "href" and not (value or "").startswith("#"):
                self.wrong.append(f"href={value}")
            if name == "style" and not (value or "").startswith("width: "):
                self.wrong.append(f"style={value}")
            if name == "content" and "default-src" in (value or ""):
                self.policy = value or ""

    def handle_endtag(self, tag: str) -> None:
        if tag in self._in:
            while self._in.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if "style" in self._in:
            if "url(" in data or "@import" in data or "expression(" in data:
                self.wrong.append("style that loads")
        else:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"<!--{data}-->")


# --- content ---------------------------------------------------------------------------------------------------------


# A question that a document answers, one that none does, and one whose source no longer stands; and figures.
_QUOTE = Quote("D1", 1, 3, 10, 42, "The hoist motor was never opened", "ab")
_POINT = AnswerPoint(_QUOTE.text, "high", (Source(_QUOTE, "inspection_2021.pdf"),), "never")
_STEPS = (Step("Searched 40 passages of 4 documents.", 1),)
_YES = Answer("Was the hoist motor opened?", "strict", True, points=(_POINT,), steps=_STEPS)
_UNKNOWN = Answer("Who signed <b>it</b>?", "strict", False, "no_relevant_source", advice=("Ask.",), steps=_STEPS)
QUESTIONS = (
    AnswerRecord("A1", _YES, "ann", "2026-03-01T08:00:00.000Z"),
    AnswerRecord("A2", _UNKNOWN, "ann", "2026-03-01T08:01:00.000Z", is_stale=True),
    AnswerRecord("A3", _YES, "ann", "2026-03-01T08:02:00.000Z", unproven=1),
)
FIGURES = (
    share("sources", "documents with a date", 3, 4, "counted here"),
    share("verdicts", "verdicts right", 21, 30, "judged here", "In sight."),
)


def test_questions_and_figures_stand_in_the_report():
    text = " ".join(Seen(render_html(replace(made_case(), questions=QUESTIONS, figures=FIGURES))).text)
    for words in (
        *("Questions asked of the documents", "A1. Was the hoist motor opened?", "The hoist motor was never opened"),
        *("inspection_2021.pdf, page 3", "Not known. No sentence that was found", "The documents have changed since"),
        *("Who signed <b>it</b>?", "1 source no longer on the page", "3 of 4", "70% (52% to 83%) of 30"),
    ):
        assert words in text, words
    assert text.count("The hoist motor was never opened") == 1  # a source that no longer stands is not quoted
    facts = json.loads(render_json(replace(made_case(), questions=QUESTIONS, figures=FIGURES)))
    assert [entry["id"] for entry in facts["questions"]] == ["A1", "A2", "A3"]
    assert [entry["n"] for entry in facts["figures"]] == [4, 30]


RULINGS = (
    Ruling(
        "X1",
        "The pump was out for … minutes.",
        (("It was out for 47 minutes.", "position 1: a.pdf, page 1"), ("Out for 74.", "position 2: b.pdf, page 2")),
        "position 2 is right: “74”",
        "The <b>clock</b> says so.",
        "ann",
        "2026-03-01T08:00:00.000Z",
    ),
)


def test_what_people_decided_on_conflicts_and_audits_stands_in_the_report_with_its_sources():
    text = " ".join(Seen(render_html(replace(made_case(), rulings=RULINGS))).text)
    for words in (
        *("Conflicts and audit findings decided", "X1. The pump was out for", "Position 2 is right: “74”."),
        *("It was out for 47 minutes.", "position 1: a.pdf, page 1", "b.pdf, page 2", "The <b>clock</b> says so."),
    ):
        assert words in text, words
    (fact,) = json.loads(render_json(replace(made_case(), rulings=RULINGS)))["rulings"]
    assert (fact["id"], fact["by"]) == ("X1", "ann")


def test_a_wording_is_printed_as_a_models():
    worded = replace(_YES, wording=(WordedSentence("The motor stayed closed.", (1,)),), worded_by="Model X", removed=1)
    records = (AnswerRecord("A1", worded, "ann", "2026-03-01T08:00:00.000Z"),)
    text = " ".join(Seen(render_html(replace(made_case(), questions=records))).text)
    assert "The motor stayed closed. [1]" in text
    assert "Worded by Model X from the sentences below; 1 of 2 sentences removed: not supported." in text


@pytest.mark.parametrize(("name", "render"), [("report.html", render_html), ("report.json", render_json)])
def test_the_made_case_gives_the_golden_report(name, render):
    """To renew after a change that was meant: UPDATE_GOLDEN=1 pytest tests/core/report/test_report.py."""
    output = render(made_case())
    if os.environ.get("UPDATE_GOLDEN"):
        (GOLDEN / name).write_bytes(output)
    assert output == (GOLDEN / name).read_bytes()


def test_an_empty_case_says_so():
    text = " ".join(Seen(render_html(empty_case())).text)
    for sentence in (
        "no hypothesis yet",
        "There is no evidence yet",
        "has no documents",
        "No model judged",
        "Untitled case",
    ):
        assert sentence in text, sentence
    assert json.loads(render_json(empty_case()))["headline"].startswith("This case has no hypothesis yet")
    rowless = replace(empty_case(), hypotheses=(Hypothesis("H1", "one"),), matrix=matrix.build(["H1"], []))
    assert "This case has no evidence yet" in " ".join(Seen(render_html(rowless)).text)
    assert "Hypotheses, not ranked yet" in " ".join(Seen(render_html(rowless)).text)
    unrated = replace(
        rowless,
        matrix=matrix.build(["H1"], [matrix.Row("E1", {})]),
        evidence=(Evidence("E1", "a fact", "", "manual", None, None),),
    )
    assert "No hypothesis leads" in " ".join(Seen(render_html(unrated)).text)
    assert ranking(unrated)[0].place == "–"
    alone = replace(
        rowless,
        hypotheses=(Hypothesis("H1", "one"), Hypothesis("H2", "two")),
        matrix=matrix.build(["H1", "H2"], [matrix.Row("E1", {"H1": "C", "H2": "NA"})]),
    )
    assert "no rival has been tested" in " ".join(Seen(render_html(alone)).text)


def test_json_is_canonical_and_complete():
    data = made_case()
    raw = render_json(data)
    document = json.loads(raw)
    assert raw == json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode() + b"\n"
    assert {f.name for f in fields(ReportData)} - {"excerpts"} <= set(document)
    assert document["matrix"]["leaders"]["weighted_inconsistency"] == ["H2", "H3"]
    assert document["evidence"][0]["quote"] == data.evidence[0].quote
    first = document["ranking"][0]
    assert (first["place"], first["hypothesis"], first["leads"]) == ("1=", "H2", True)  # as the leaders are named


# --- nothing active --------------------------------------------------------------------------------------------------

_SEEDS = (
    "<script>alert(1)</script>", "</style><script>alert(1)</script>", "</title><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>', "' onmouseover='alert(1)", "<img src=http://evil.example/x>", "javascript:alert(1)",
    "<a href=javascript:alert(1)>x</a>", "<iframe srcdoc='<script>1</script>'>", "<object data=data:text/html,x>",
    "<math><mtext><style><!--</style><img title='--><img src onerror=alert(1)>'>", "<!--><script>alert(1)</script>-->",
    "{{ 7*7 }}", "{% include '/etc/passwd' %}", "{{ data.__class__ }}", "</blockquote><form action=//evil>",
    "<base href=//evil/>", "<meta http-equiv=refresh content=0;url=//evil>", "<link rel=stylesheet href=//evil>",
    "\u202egnp.exe", "zero\u200bwidth", "\x00null", "\ud800", "\ufeffbom", "]]>", "&lt;script&gt;", "%3Cscript%3E",
    "<ScRiPt\n>x</ScRiPt>", "<details open ontoggle=alert(1)>", "<style>*{background:url(//evil)}</style>",
    "expression(alert(1))", "\u2028line", "<video><source onerror=alert(1)>", "<template><script>1</script></template>",
)  # fmt: skip
PAYLOADS = [seed + tail for seed in _SEEDS for tail in ("", " and words", '">')][:100]


def _poisoned(value: object, payload: str, *, ids: dict[str, str]) -> object:
    """``value`` with every text replaced by the payload; ids of the case keep their meaning but carry it too."""
    if isinstance(value, str):
        return ids.get(value, payload)
    if isinstance(value, tuple):
        return tuple(_poisoned(item, payload, ids=ids) for item in value)
    if isinstance(value, dict):
        return {_poisoned(k, payload, ids=ids): _poisoned(v, payload, ids=ids) for k, v in value.items()}
    if is_dataclass(value):
        return replace(value, **{f.name: _poisoned(getattr(value, f.name), payload, ids=ids) for f in fields(value)})
    return value


def _poison(data: ReportData, payload: str) -> ReportData:
    keep = dict.fromkeys(["CC", "C", "N", "I", "II", "NA", "L", "M", "H", *RULES, "manual", "corpus"])
    names = {item.id: f"{payload} {item.id}" for item in (*data.hypotheses, *data.evidence, *data.documents)}
    return _poisoned(data, payload, ids={**{k: k for k in keep}, **names})


def test_a_hundred_hostile_texts_in_every_field_stay_text():
    clean = Seen(render_html(made_case()))
    for payload in PAYLOADS:
        page = Seen(render_html(_poison(made_case(), payload)))
        assert page.wrong == [], payload
        assert set(page.tags) == set(clean.tags), payload
        assert page.policy == POLICY
        json.loads(render_json(_poison(made_case(), payload)))
    assert len(PAYLOADS) == 100


@given(st.text(st.characters(exclude_categories=()), max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_text_renders_and_stays_text(text):
    data = _poison(made_case(), text)
    page = render_html(data)
    assert Seen(page).wrong == []
    assert not any(unseen(character) for character in page.decode("utf-8"))
    assert render_html(data) == page


# --- nothing hidden, nothing given away ------------------------------------------------------------------------------


def test_no_path_of_the_writer_gets_out():
    place = "/home/canary_user/Desk top/cases"
    data = made_case()
    data = replace(
        data,
        engines=(("Model", f"{place.replace(' ', '')}/model.gguf"),),
        documents=(replace(data.documents[0], name=f"{place}/a.pdf", address="file:///home/canary_user/a.html"),
                   replace(data.documents[1], name=r"C:\Users\canary_user\b.txt"), data.documents[2]),
        problems=(Problem(f"{place}/x y.pdf", "Cannot open /home/canary_user/x.pdf.", "See C:/Users/canary_user/l."),),
        warnings=("The folder /home/canary_user/in is gone.",),
    )  # fmt: skip
    for page in (render_html(data), render_json(data)):
        assert b"canary_user" not in page
        assert b"Desk top" not in page
        assert b"a.pdf" in page


def test_the_bytes_depend_on_nothing_but_the_case():
    """Other time zones, languages and hash seeds give the same file."""
    code = (
        "import hashlib; from tests.core.report.test_report import made_case; from core.report import *; "
        "d = made_case(); print(hashlib.sha256(render_html(d) + render_json(d)).hexdigest())"
    )
    data = made_case()
    expected = hashlib.sha256(render_html(data) + render_json(data)).hexdigest()
    for seed, zone, language in (
        ("1", "Asia/Tokyo", "C"),
        ("2", "America/New_York", "C.UTF-8"),
        ("3", "UTC", "de_DE.UTF-8"),
    ):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": language}
        process = subprocess.run(
            [sys.executable, "-c", code],
            env=environment, cwd=GOLDEN.parents[1], capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert process.stdout.strip() == expected


# --- counting --------------------------------------------------------------------------------------------------------
