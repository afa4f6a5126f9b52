"""What documents are, from the first lines of a file and its properties to the report; the analyst's word counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.documents import descriptions
from core.domain import Attribution, Document, PageText, Section
from core.engines.readers.dispatch import FileReader
from core.ports import Engines, Outline
from core.report import rows
from core.workbench import Workbench
from tests.fakes import HashEmbedder

ARTICLE = (
    "Homeland Illumination\n\nFERRY SINKS AS RIVER RISES\n\nBy Jane Doe\n\n1994/09/24\n\n"
    "ABILA, Kronos -- The ferry sank at its berth when the river "
    "rose above the dam on Monday night, the mayor said. Nobody was hurt.\n"
)
MEMORANDUM = (
    "104-10332\n\n9 May 1995\n\nMEMORANDUM FOR: The Harbour Master\n\nFROM: John Roe\n\n"
    "SUBJECT: Water below the floor of the pump house\n\n1. Last night the pump stopped, as it did on\n"
    "3 May 1995.\n"
)
FORM = (
    "ARCHIVE OF THE HARBOUR\nIDENTIFICATION FORM\nDate: 02/12/2005\n\nDOCUMENT INFORMATION\nORIGINATOR : HARBOUR\n"
    "FROM : ROE, JOHN\nTO : DOE, JANE\nTITLE : REPORT OF THE PUMPS BELOW THE\nHARBOUR WALL\nDATE\n11/23/1963\n"
    "PAGES : 1\nSUBJECTS : PUMPS\n"
)
DOCUMENT = Document("D1", "0.txt", "", "text", 1, 1, 1, "ready", "")


def fields(outline: Outline) -> dict[str, tuple[str, str, str]]:
    return {
        attribution.field: (getattr(outline, attribution.field), attribution.where, attribution.certainty)
        for attribution in outline.attributions
    }


def page(text: str, *headings: tuple[int, str]) -> PageText:
    sections = tuple(Section(level, title, text.index(title)) for level, title in headings)
    return PageText(1, text, sections=sections, language="en")


def test_each_field_of_a_text_says_its_line():
    outline = descriptions.complete(Outline("text", 1), page(ARTICLE))
    assert fields(outline) == {
        "title": ("FERRY SINKS AS RIVER RISES", "line 3", "H"),
        "author": ("Jane Doe", "line 5", "H"),
        "publisher": ("Homeland Illumination", "line 1", "H"),
        "place": ("ABILA, Kronos", "line 9", "H"),
        "date": ("1994-09-24", "line 7", "H"),
    }


def test_a_memorandum_has_its_subject_as_title_and_the_date_above_it():
    details = fields(descriptions.complete(Outline("text", 1), page(MEMORANDUM)))
    assert details["title"][0] == "Water below the floor of the pump house"
    assert details["date"][0] == "1995-05-09"
    assert details["author"][0] == "John Roe"


def test_a_form_about_a_document_says_what_the_document_is_and_not_the_form():
    details = fields(descriptions.complete(Outline("text", 1), page(FORM)))
    assert details["title"][0] == "REPORT OF THE PUMPS BELOW THE HARBOUR WALL"
    assert details["date"][0] == "1963-11-23"
    assert details["author"][0] == "ROE, JOHN"


def test_a_mail_says_it_in_its_header_and_a_date_that_is_none_is_left_out():
    mail = Outline("email", 1, "Pumps", "Jane <j@x.org>", "2021-05-03T10:00:00+02:00")
    assert fields(descriptions.complete(mail, page("From: Jane")))["date"] == (
        *("2021-05-03T10:00:00+02:00", "mail header"),
        "H",
    )
    assert "date" not in fields(descriptions.complete(replace(mail, date="INVALID"), None))


def test_the_site_in_the_title_of_a_web_page_is_its_publisher_alone():
    outline = Outline("html", 1, "Ferry sinks | The Orb", date="May 3, 2021", publisher="The Orb")
    details = fields(descriptions.complete(outline, page("Ferry sinks")))
    assert details["title"] == ("Ferry sinks", "page title", "H")
    assert details["publisher"] == ("The Orb", "meta tag", "H")
    assert details["date"][0] == "2021-05-03"
    assert fields(descriptions.complete(Outline("html", 1, "x_1.htm"), page("Pumps fail", (1, "Pumps fail")))) == {
        "title": ("Pumps fail", "heading", "M")
    }


def test_a_web_page_is_dated_by_the_line_below_its_heading_and_called_as_its_heading():
    below = f"By Jane Doe, 3 May 2021, 06.12\n\n{BODY}\n\nPumps fail\n\n2 June 2009"
    text = f"The Orb\n\n1 June 2009\n\nFerry sinks\n\n{below}"
    outline = Outline("html", 1, "Ferry sinks – The Orb")
    details = fields(descriptions.complete(outline, page(text, (1, "Ferry sinks"), (2, "Pumps fail"))))
    assert details["title"] == ("Ferry sinks", "page title", "H")
    assert details["date"] == ("2021-05-03T06:12", "byline", "M")
    undated = text.replace("By Jane Doe, 3 May 2021, 06.12", "By Jane Doe")
    assert "date" not in fields(descriptions.complete(outline, page(undated, (1, "Ferry sinks"), (2, "Pumps fail"))))


BODY = "The pump stopped on Monday. " * 20


@pytest.mark.parametrize(
    ("file_title", "text", "heading", "title"),
    [
        ("Pumps of the harbour", f"PUMPS OF THE HARBOUR\n{BODY}", "", ("file properties, and on page 1", "H")),
        ("Pumps of the harbour", BODY, "Monday", ("file properties", "M")),
        ("untitled", f"Why pumps stop\n{BODY}", "Why pumps stop", ("heading on page 1", "M")),
        ("Microsoft Word - pumps.doc", f"Why pumps stop\n{BODY}", "Why pumps stop", ("heading on page 1", "M")),
        ("pumps_final", f"Why pumps stop\n{BODY}", "Why pumps stop", ("heading on page 1", "M")),
        ("Scan 12", BODY, "", None),
        ("", f"{BODY * 4}\nWhy pumps stop\n", "Why pumps stop", None),
    ],
)
def test_the_title_of_a_file_is_weighed_against_its_first_page(file_title, text, heading, title):
    headings = ((1, heading),) if heading else ()
    details = fields(descriptions.complete(Outline("pdf", 2, file_title), page(text, *headings)))
    assert details.get("title", ("",))[1:] == (title or ())


def test_two_headings_as_large_are_no_title():
    text = f"Why pumps stop\n\nWho stops pumps\n{BODY}"
    details = fields(
        descriptions.complete(Outline("pdf", 1), page(text, (1, "Why pumps stop"), (1, "Who stops pumps")))
    )
    assert "title" not in details


@pytest.mark.parametrize("name", ["date", "file_date"])
def test_the_day_a_file_was_made_is_never_the_date_of_the_document(name):
    letter = "5 May 2023\n\nTo Whom it May Concern:\nThere were 20 pumps.\n"
    properties = {name: "2024-01-01T10:00:00Z"}
    outline = descriptions.complete(Outline("pdf", 1, **properties), page(letter))
    assert fields(outline)["date"] == ("2023-05-05", "first lines", "M")
    assert outline.file_date == "2024-01-01T10:00:00Z"
    outline = descriptions.complete(Outline("pdf", 1, **properties), page(BODY))
    assert (outline.date, outline.file_date) == ("", "2024-01-01T10:00:00Z")
    assert "date" not in fields(outline)


def test_names_of_programs_and_the_day_of_a_template_are_left_out():
    outline = descriptions.complete(
        Outline("docx", 1, author="python-docx", file_date="2013-12-23T23:15:00Z"), page(BODY)
    )
    assert (fields(outline), outline.file_date) == ({}, "")


@pytest.mark.parametrize("day", ["2024-02-31", "yesterday"])
def test_a_day_that_no_calendar_has_is_no_date_of_a_file(day):
    assert descriptions.complete(Outline("docx", 1, file_date=day), page(BODY)).file_date == ""


def test_the_word_of_the_analyst_counts_first_and_is_named_as_such():
    document = replace(
        DOCUMENT, title="Ferry sinks", publisher="The Orb", date="1994-09-24", place="ABILA", author="Jane Doe"
    )
    document = replace(document, attributions=(Attribution("title", "line 1", "H"), Attribution("date", "line 2", "L")))
    assert descriptions.reference_of(document) == "“Ferry sinks”, The Orb (0.txt)"
    assert descriptions.certain_date_of(document) == ""
    assert descriptions.attribution_of(document, "title") == Attribution("title", "line 1", "H")
    assert descriptions.attribution_of(document, "author") is None
    analyst_document = replace(
        document, own_title="The ferry", origin="Police", own_author="Roe", own_place="Kronos", dated="1994-09/1994-10"
    )
    assert descriptions.title_of(analyst_document) == "The ferry"
    assert (descriptions.author_of(analyst_document), descriptions.place_of(analyst_document)) == ("Roe", "Kronos")
    assert descriptions.attribution_of(analyst_document, "publisher") == Attribution(
        "publisher", descriptions.ANALYST, "H"
    )
    assert descriptions.reference_of(analyst_document) == "“The ferry”, Police, 1994-09/1994-10 (0.txt)"
    assert descriptions.citation_of(analyst_document) == "Police: The ferry"


def test_a_title_that_is_the_name_says_nothing_and_a_page_comes_from_its_site():
    assert descriptions.label_of(replace(DOCUMENT, title="0")) == "0.txt"
    assert descriptions.source_of(replace(DOCUMENT, kind="html", address="https://www.orb.example/a")) == "orb.example"
    assert descriptions.source_of(replace(DOCUMENT, address="http://[")) == ""
    assert descriptions.source_of(replace(DOCUMENT, kind="email", author="Jane")) == "Jane"


def test_the_author_of_an_article_stands_before_where_it_appeared():
    article = replace(DOCUMENT, kind="html", author="Ann Roe", publisher="The Orb", title="Ferry sinks")
    assert descriptions.provenance_of(article) == "Ann Roe, The Orb"
    assert descriptions.citation_of(article) == "Ann Roe, The Orb: Ferry sinks"
    assert descriptions.provenance_of(replace(article, author="The Orb")) == "The Orb"
    assert descriptions.provenance_of(replace(article, kind="pdf")) == "The Orb"
    assert descriptions.source_of(article) == "The Orb"  # what a person may write in its place


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "0.txt").write_text(ARTICLE, "utf-8")
    with Workbench.create(tmp_path / "case.disconfirm", Engines(FileReader(), HashEmbedder())) as bench:
        bench.documents.add([tmp_path / "0.txt"])
        yield bench


def test_an_article_is_listed_with_its_headline_and_the_date_of_the_analyst_overrules_its_own(bench):
    document = bench.documents.get("D1")
    assert (document.title, document.date) == ("FERRY SINKS AS RIVER RISES", "1994-09-24")
    assert (document.author, document.publisher, document.place) == (
        "Jane Doe",
        "Homeland Illumination",
        "ABILA, Kronos",
    )
    assert Attribution("publisher", "line 1", "H") in document.attributions
    assert [date.earliest for date, _ in bench.timeline.documents()] == ["1994-09-24"]
    remarks = rows.document_remarks(document, bench.reports.data())
    assert remarks[0] == "FERRY SINKS AS RIVER RISES"
    assert remarks[1] == "from Homeland Illumination, 1994-09-24"
    bench.documents.describe(["D1"], dated="1994-09-26")
    assert (bench.documents.get("D1").date, bench.documents.get("D1").dated) == ("1994-09-24", "1994-09-26")
    assert [date.earliest for date, _ in bench.timeline.documents()] == ["1994-09-26"]


def test_evidence_starts_with_the_source_the_title_and_the_date_of_its_document(bench):
    start = ARTICLE.index("Nobody was hurt")
    bench.evidence.add_quote("D1", 1, start, start + 15)
    (row,) = bench.evidence.all()
    assert (row.source, row.date) == ("Homeland Illumination: FERRY SINKS AS RIVER RISES", "1994-09-24")


def test_titles_are_read_anew_without_the_words_of_the_analyst_and_undo_takes_it_back(bench):
    bench.documents.describe(["D1"], title="The ferry", place="Kronos")
    read = bench.documents.get("D1")
    language = tuple(item for item in read.attributions if item.field == "language")
    bench.documents._store.descriptions.restate({"D1": Outline("text", 1, attributions=language)})  # as in an old case
    assert bench.documents.get("D1").title == ""
    assert bench.documents.read_descriptions().documents == ("D1",)
    assert bench.documents.get("D1") == read
    assert (read.own_title, read.own_place) == ("The ferry", "Kronos")
    assert not bench.documents.read_descriptions().changes.documents
    bench.case.undo()
    assert (bench.documents.get("D1").title, bench.documents.get("D1").own_title) == ("", "The ferry")
    assert bench.case.verify().ok


def test_passages_and_proposals_are_called_by_title_and_file_and_the_word_of_the_analyst_is_searched(bench):
    (passage,) = bench.search.passages_for("ferry berth").passages
    assert (passage.name, passage.label) == ("0.txt", "FERRY SINKS AS RIVER RISES (0.txt)")
    assert bench.search.passages_for("harbourmaster", mode="lexical").passages == ()
    bench.documents.describe(["D1"], title="Diary of the harbourmaster")
    (passage,) = bench.search.passages_for("harbourmaster", mode="lexical").passages
    assert passage.label == "Diary of the harbourmaster (0.txt)"
    bench.documents.describe(["D1"], title="0")
    assert bench.search.passages_for("ferry berth").passages[0].label == "0.txt"


def test_a_search_is_narrowed_to_a_source_and_to_a_title(bench):
    assert [p.document for p in bench.search.find('ferry source:"homeland illumination"').passages] == ["D1"]
    assert bench.search.find("ferry -source:homeland").passages == ()
    assert [p.document for p in bench.search.find("berth document:sinks").passages] == ["D1"]
    assert "No document is from “nobody”." in bench.search.find("ferry source:nobody").notes


@pytest.mark.parametrize("kind", ["email", "html"])
def test_a_date_that_no_calendar_has_is_none(kind):
    for wrong in ("2999-99-99", "2021-02-30", "0000-01-01", "2021-13"):
        assert descriptions.complete(Outline(kind, 1, date=wrong), None).date == ""
    for right in ("2021", "2021-02", "2021-02-28", "2021-02-28T10:00:00Z"):
        assert descriptions.complete(Outline(kind, 1, date=right), None).date.startswith("2021")
