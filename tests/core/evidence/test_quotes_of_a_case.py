"""A quote over a page break from the mark on the page to every form of the report, and where quotes stand in words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from core.domain import PageText
from core.errors import BadInput, NoSuchItem
from core.progress import silent
from core.report.service import AROUND, FORMS, Allowance, stretches_of
from core.text import PAGE_BREAK
from core.workbench import Workbench
from tests.core.store.material import clock
from tests.fakes import PlainReader

ONE = "Inspection of hall 4.\nThe guard said that the lock had been chan-"
TWO = "ged in May, and that he did not know by whom.\nNothing else was asked."
SHOWN = f"the lock had been chan- {PAGE_BREAK} ged in May"


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "case.disconfirm", engines, title="Lock", who="Ann", now=clock()) as bench:
        (tmp_path / "report.txt").write_text(f"{ONE}\f{TWO}\fThe end.", "utf-8")
        bench.documents.add([tmp_path / "report.txt"])
        bench.hypotheses.add("The vendor changed the lock")
        bench.hypotheses.add("The guard changed the lock")
        yield bench


def mark(bench):
    start, end = ONE.index("the lock"), len(ONE)
    return bench.evidence.add_quote("D1", 1, start, end, more=[(2, 0, len("ged in May"))]).id


def test_a_marked_quote_over_a_page_break_is_one_row(bench):
    identity = mark(bench)
    (item,) = bench.evidence.all()
    assert (item.id, item.page, item.quote, item.text) == (identity, 1, "the lock had been chan-", SHOWN)
    assert [(part.page, part.text) for part in item.more] == [(2, "ged in May")]
    assert bench.case.verify().ok
    assert bench.case.undo() is not None
    assert bench.evidence.all() == []
    assert bench.case.redo() is not None
    assert bench.evidence.all() == [item]
    assert mark(bench) == identity


class _MarkingReader(PlainReader):
    """The second word of every page is not seen, or is struck through."""

    def __init__(self, mark):
        self._mark = mark

    def read(self, data, name, *, password=""):
        for item in super().read(data, name):
            if isinstance(item, PageText):
                second = item.text.split()[1]
                start = item.text.index(second)
                span = ((start, start + len(second)),)
                marks = {"hidden_spans": span, "hidden_why": ("colour",)}
                item = replace(item, **(marks if self._mark == "hidden" else {"struck_spans": span}))
            yield item


@pytest.mark.parametrize(
    ("mark", "beside", "warning"),
    [
        (
            "hidden",
            "hidden in the source: some of its words are not visible",
            "the evidence quotes words that are not visible on the page",
        ),
        (
            "struck",
            "struck through in the source: a line runs through some of its words",
            "the evidence quotes words that are struck through on the page",
        ),
    ],
)
def test_a_quote_of_marked_words_says_so_everywhere(tmp_path, engines, mark, beside, warning):
    hiding = replace(engines, reader=_MarkingReader(mark))
    with Workbench.create(tmp_path / "hidden.disconfirm", hiding, title="Lock", who="Ann", now=clock()) as bench:
        (tmp_path / "report.txt").write_text(f"{ONE}\f{TWO}", "utf-8")
        bench.documents.add([tmp_path / "report.txt"])
        bench.hypotheses.add("The vendor changed the lock")
        bench.hypotheses.add("The guard changed the lock")
        visible = bench.evidence.add_quote("D1", 1, ONE.index("The guard"), len(ONE)).id
        unseen = bench.evidence.add_quote("D1", 1, 0, len("Inspection of")).id
        over = bench.evidence.add_quote("D1", 1, ONE.index("chan-"), len(ONE), more=[(2, 0, len("ged in"))]).id
        bench.evidence.rate(unseen, "H1", "I")
        assert bench.evidence.marks() == {unseen: (mark,), over: (mark,)}
        assert [(mark in row.flags) for row in bench.matrix.compute().rows] == [False, True, True]
        assert visible not in bench.evidence.marks()
        bench.reports.write(tmp_path / "report.md")
        report = (tmp_path / "report.md").read_text("utf-8")
        assert report.count(beside) == 2
        assert f"report.txt, p. 1 ({unseen}) and report.txt, pp. 1–2 ({over}): {warning}" in report


def test_pages_that_do_not_follow_are_refused(bench):
    for more in ([(3, 0, 3)], [(1, 0, 3)], [(2, 0, 3), (2, 4, 9)], [(2, 0, 999)]):
        with pytest.raises(BadInput):
            bench.evidence.add_quote("D1", 1, 0, 10, more=more)
    with pytest.raises(NoSuchItem):
        bench.evidence.add_quote("D1", 1, 0, 10, more=[(9, 0, 3)])
    assert bench.evidence.all() == []


def test_a_typed_quote_is_found_over_the_break_and_can_be_added(bench):
    answer = bench.evidence.check("The lock had been changed in May")
    assert answer.status == "near"
    answer = bench.evidence.check("the lock had been changed in May")
    assert answer.status == "verified"
    (match,) = answer.matches
    added = bench.evidence.add_quote(
        match.document, match.page, match.start, match.end, more=[(p.page, p.start, p.end) for p in match.more]
    )
    assert bench.evidence.all()[0].text == SHOWN
    assert added.id == mark(bench)


@pytest.fixture
def numbered(tmp_path, engines):
    with Workbench.create(tmp_path / "numbered.disconfirm", engines, title="Lock", who="Ann", now=clock()) as bench:
        head = "THE GAZETTE\n\n"
        (tmp_path / "paged.txt").write_text(f"{head}{ONE}\n\n1\f{head}{TWO}\n\n2\f{head}The end.\n\n3", "utf-8")
        bench.documents.add([tmp_path / "paged.txt"])
        bench.hypotheses.add("The vendor changed the lock")
        bench.hypotheses.add("The guard changed the lock")
        yield bench


def test_what_a_quote_skips_at_a_page_break_is_shown_wherever_the_quote_is(numbered):
    answer = numbered.evidence.check("the lock had been changed in May")
    assert answer.status == "verified"
    (match,) = answer.matches
    assert [part.text for part in match.skipped_lines] == ["1", "THE GAZETTE"]
    added = numbered.evidence.add_quote(
        match.document, match.page, match.start, match.end, more=[(p.page, p.start, p.end) for p in match.more]
    )
    item = next(item for item in numbered.evidence.all() if item.id == added.id)
    assert item.text == SHOWN
    assert numbered.evidence.cite([item])[item.id].skipped == ("1 / THE GAZETTE",)
    for form in FORMS:
        if form != ".achz":
            report = _text(numbered.reports.render(form, numbered.reports.data(), silent()))
            assert "1 / THE GAZETTE" in report, form


def test_where_a_row_stands_in_words(bench):
    mark(bench)
    bench.evidence.add_quote("D1", 3, 0, 7)
    bench.evidence.add("In own words", "interview")
    cited = bench.evidence.cite(bench.evidence.all())
    assert {row: citation.place for row, citation in cited.items()} == {"E1": "pp. 1–2", "E2": "p. 3"}
    with bench.store.db.transaction() as db:
        db.execute("UPDATE page SET label = 'iv' WHERE number = 1")
        db.execute("UPDATE page SET label = 'v' WHERE number = 2")
        page = bench.store.pages.page("D1", 1).id
        db.execute("INSERT INTO section (page, start, level, title) VALUES (?, 0, 1, 'Findings')", (page,))
        db.execute("INSERT INTO section (page, start, level, title) VALUES (?, 22, 2, 'The lock')", (page,))
    cited = bench.evidence.cite(bench.evidence.all())
    assert cited["E1"].place == "pp. iv–v (1–2), section The lock"
    assert (cited["E1"].label, cited["E1"].section) == ("iv", ("Findings", "The lock"))
    assert cited["E2"].place == "p. 3, section The lock"


def test_what_its_sentence_says_around_a_quote_is_shown_unless_the_row_says_so(bench):
    identity = mark(bench)
    (item,) = bench.evidence.all()
    assert bench.evidence.cite([item])[identity].frame == "The guard said that"
    for form in (".html", ".md", ".csv", ".pack.html"):
        report = _text(bench.reports.render(form, bench.reports.data(), silent()))
        assert "leaves out part of its sentence: “The guard said that”" in report, form
    answers = bench.evidence.check_many([("the lock had been changed in May", None), ("Nothing else was asked.", "D1")])
    assert [(answer.status, answer.matches[0].frame) for answer in answers] == [
        ("verified", "The guard said that"), ("verified", ""),
    ]  # fmt: skip
    bench.evidence.describe([identity], note="So the guard.")
    assert bench.evidence.cite(bench.evidence.all())[identity].frame == ""
    whole = bench.evidence.add_quote("D1", 2, TWO.index("Nothing"), len(TWO)).id
    assert bench.evidence.cite(bench.evidence.all())[whole].frame == ""


@pytest.mark.parametrize("form", [form for form in FORMS if form != ".achz"])
def test_every_form_shows_both_stretches_and_both_pages(bench, form):
    mark(bench)
    bench.evidence.rate("E1", "H1", "I")
    report = _text(bench.reports.render(form, bench.reports.data(), silent()))
    assert "the lock had been chan-" in report
    assert "ged in May" in report
    assert PAGE_BREAK in report
    assert "1–2" in report


def _text(data: bytes) -> str:
    """The characters of a form without the escapes of its format."""
    text = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), data.decode("utf-8", "replace"))
    return re.sub(r"\\([\[\]])", r"\1", text)


def test_the_pack_has_a_picture_of_each_page_and_the_words_around_where_it_has_none(bench):
    mark(bench)
    data = bench.reports.data()
    exhibits, left_out, problems = bench.reports._exhibits(data.evidence, Allowance(10, 1 << 20), silent())
    assert (list(exhibits), left_out, problems) == (["E1", "E1-2"], "", [])
    pack = bench.reports.render(".pack.html", data, silent()).decode("utf-8")
    assert pack.count("data:image/png;base64,") == 2
    assert "page 1" in pack
    assert "page 2" in pack
    exhibits, left_out, _ = bench.reports._exhibits(data.evidence, Allowance(1, 1 << 20), silent())
    assert list(exhibits) == ["E1"]
    assert "1 of 2 page images" in left_out
    around = bench.reports._excerpts(data.evidence, exhibits)
    assert list(around) == ["E1-2"]
    assert around["E1-2"].quote == "ged in May"
    assert len(around["E1-2"].after) <= AROUND + 2


def test_a_stretch_that_changed_has_no_picture(bench):
    mark(bench)
    (item,) = bench.evidence.all()
    part = replace(item.more[0], text="ged in June")
    name, wrong = stretches_of(replace(item, more=(part,)))[1]
    assert name == "E1-2"
    assert bench.reports._boxes(wrong) == []
    assert bench.reports._boxes(item.more[0])
