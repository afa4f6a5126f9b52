"""Which sections a report has, what it says of those that it has not, and whose words they are."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.report import (
    ReportData,
    render_html,
    render_json,
    render_markdown,
    render_pack,
    render_sheets,
    render_story,
    tell,
)
from core.report.blocks import Points, Table
from core.report.outline import subtitle
from core.report.rows import warnings
from core.report_settings import SECTIONS, ReportSettings
from tests.core.report.cases import full_case
from tests.core.report.test_report import Seen

OWN = ReportSettings(
    summary="The gate was opened by hand.\n\nThe log has a gap <b>of</b> ten minutes.",
    summary_by="Ann",
    author="A. Analyst",
    marking="CONFIDENTIAL & *close*",
)


def with_own(**changes: object) -> ReportData:
    data = full_case()
    return replace(data, settings=replace(data.settings, report=replace(OWN, **changes)))


def test_every_section_but_the_answer_can_be_left_out():
    whole = tell(with_own())
    assert {entry.id for entry in whole.outline if not entry.is_fixed} <= set(SECTIONS)
    assert [entry.id for entry in whole.outline] == [section.id for section in whole.sections]
    order = [entry.id for entry in whole.outline if entry.id in SECTIONS]
    assert order == [section for section in SECTIONS if section in order]
    bare = tell(with_own(omissions=SECTIONS))
    assert [section.id for section in bare.sections] == ["bottom-line"]
    assert [entry.id for entry in bare.outline] == [entry.id for entry in whole.outline]
    assert {entry.id for entry in bare.outline if entry.is_shown} == {"bottom-line"}


def test_what_to_know_before_relying_on_it_is_never_left_out():
    data = with_own(omissions=(*SECTIONS, "bottom-line", "failed"))
    for story in (tell(data), tell(replace(data, short=True))):
        text = json.dumps([b.items for b in story.sections[0].blocks if isinstance(b, Points)], ensure_ascii=False)
        assert all(json.dumps(warning, ensure_ascii=False)[1:-1] in text for warning in warnings(data))


@pytest.mark.parametrize("short", [False, True])
def test_a_report_without_sections_says_which(short):
    data = replace(with_own(omissions=("hangs", "evidence")), short=short)
    evidence = "The most diagnostic evidence" if short else "Evidence"
    sentence = f"Left out of this report: “What the conclusion depends on” and “{evidence}”."
    assert tell(data).sections[0].blocks[-1].text == sentence
    assert sentence in " ".join(Seen(render_html(data)).text)
    assert sentence in render_markdown(data).decode()
    assert sentence in json.dumps(json.loads(render_sheets(data)), ensure_ascii=False)
    assert "Left out" not in json.dumps(json.loads(render_story(with_own())))


def test_without_the_evidence_nothing_leads_there():
    tables = [b for s in tell(with_own(omissions=("evidence",))).sections for b in s.blocks if isinstance(b, Table)]
    assert not any(table.anchors for table in tables)
    page = render_html(with_own(omissions=("evidence",))).decode()
    assert 'href="#evidence' not in page
    assert 'href="#evidence' in render_html(with_own()).decode()


def test_summary_author_and_marking_stand_in_every_form_as_whose_they_are():
    data = with_own()
    for page in (render_html(data), render_pack(data, {})):
        elements = Seen(page)
        text = " ".join(" ".join(elements.text).split())
        assert set(elements.wrong) <= {"<figure>", "<mark>", "<figcaption>"}  # of the pack, and none of the case
        assert text.count("CONFIDENTIAL & *close*") == 2  # printed on every page, above and below
        assert "The log has a gap <b>of</b> ten minutes." in text
        assert "Written by Ann. The program has not checked it." in text
        assert "By A. Analyst ·" in text
    markdown = render_markdown(data).decode()
    assert markdown.startswith("**CONFIDENTIAL &amp; \\*close\\***\n\n# ")
    assert markdown.endswith("**CONFIDENTIAL &amp; \\*close\\***\n")
    book = json.loads(render_sheets(data))
    assert (book["author"], book["marking"]) == ("A. Analyst", "CONFIDENTIAL & *close*")
    assert "Written by Ann" in json.dumps(book)
    facts = json.loads(render_json(data))["settings"]["report"]
    assert (facts["summary_by"], facts["marking"]) == ("Ann", "CONFIDENTIAL & *close*")
    story = json.loads(render_story(data))["story"]
    assert (story["author"], story["marking"]) == ("A. Analyst", "CONFIDENTIAL & *close*")


def test_the_line_below_the_title_names_the_people_who_rated():
    def rated(*names: str, author: str = "", view: str = "group") -> str:
        data = with_own(author=author)
        rating = data.assessments[0]
        return subtitle(replace(data, view=view, assessments=tuple(replace(rating, by=name) for name in names)))

    assert rated("Ann", "Bo", "Bo").startswith("Rated by Bo and Ann · ")
    assert rated("Ann", "Bo", author="Cy").startswith("By Cy · Rated by Ann and Bo · ")
    assert rated("Ann", author="Ann").startswith("By Ann · ")
    assert "Rated by" not in rated("Ann", author="Ann")
    assert "Rated by A, B, C and 2 others · " in rated("A", "B", "C", "D", "E")
    assert "Rated by" not in rated("")  # name not recorded
    assert "Rated by" not in rated()
    assert "Rated by" not in rated("Ann", "Bo", view="mine")  # the matrix shows one person's ratings
