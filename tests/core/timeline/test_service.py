"""The dates that passages, documents and evidence name, in order of time."""

from __future__ import annotations

import pytest

from tests.core import vendor_case


@pytest.fixture
def bench(tmp_path, engines):
    with vendor_case.opened(tmp_path, engines) as opened:
        yield opened


def test_dates_make_a_timeline(bench, tmp_path):
    (tmp_path / "dates.txt").write_text(
        "On 3 May 1999 it was sold. It was made in 1987.\n\nBy March 2001 it stood.", "utf-8"
    )
    bench.documents.add([tmp_path / "dates.txt"])
    told = bench.timeline.date_mentions()
    assert [one.date.text for one in told] == ["1987", "3 May 1999", "March 2001"]
    for one in told:
        assert one.passage.text[one.date.start : one.date.end] == one.date.text
    assert [one.date.text for one in bench.timeline.date_mentions(bench.search.passages_for("made sold").passages)] == [
        one.date.text for one in told
    ]


def test_the_year_of_a_notice_of_copyright_is_no_date(bench, tmp_path):
    (tmp_path / "page.txt").write_text("The pump failed on 3 May 1999.\n\n© 2026 Tarn Press\n", "utf-8")
    bench.documents.add([tmp_path / "page.txt"])
    assert [mention.date.text for mention in bench.timeline.date_mentions()] == ["3 May 1999"]


def test_a_day_without_a_year_is_of_the_year_nearest_to_its_document(bench, tmp_path):
    text = "The barn burned on 28 December.\n\nAt 09:40 on 2 January he was discharged; levels 2 to 4 burned."
    (tmp_path / "letter.txt").write_text(text, "utf-8")
    bench.documents.add([tmp_path / "letter.txt"])
    letter = next(document.id for document in bench.documents.all() if document.name == "letter.txt")
    assert bench.timeline.date_mentions() == []
    bench.documents.describe([letter], dated="2025-01-03")
    rows = [(row.date.text, row.date.earliest, row.date.doubt) for row in bench.timeline.date_mentions()]
    assert rows == [("28 December", "2024-12-28", "no year"), ("09:40", "2025-01-02T09:40", "no year")]


def test_names_on_a_page_and_dates_of_documents_and_rows(bench):
    aske = bench.entities.add("Ruben Aske")
    log = next(d.id for d in bench.documents.all() if d.name == "log.txt")
    text = bench.documents.page(log, 1).text
    assert [(one.id, text[start:end]) for one, start, end in bench.entities.names_on(log, 1)] == [
        (aske.id, "Ruben Aske")
    ]
    bench.entities.remove(aske.id)
    assert bench.entities.names_on(log, 1) == []
    bench.documents.describe([log], dated="2011-05-12/2011-05-14")
    row = bench.evidence.add("The pump stopped.")
    bench.evidence.describe([row.id], date="May 2011")
    ((told, document),) = bench.timeline.documents()
    assert (document.id, told.earliest, told.latest) == (log, "2011-05-12", "2011-05-14")
    ((told, kept),) = bench.timeline.evidence()
    assert (kept.id, told.earliest, told.latest) == (row.id, "2011-05-01", "2011-05-31")
    bench.documents.set_included([log], False)
    assert bench.timeline.documents() == []
