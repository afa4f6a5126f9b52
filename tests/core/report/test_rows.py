"""Lines of the report: the ranking, the pieces of evidence, the sentences about them."""

from __future__ import annotations

from dataclasses import replace

from core.domain import DEFAULT_RULE, UNSHOWN_HEADER, LeftOut, Probabilities, Suggestion
from core.report.rows import Cell, cell_mark, document_count, document_names, headline, items, view_words, warnings
from core.text import and_list
from tests.core.report.test_report import made_case


def test_a_row_that_is_not_rated_throughout_says_against_how_many_hypotheses_it_is():
    data = made_case()
    first, second, *rest = data.matrix.rows
    first_rating = dict(list(first.ratings.items())[:1])
    rows = (
        replace(first, ratings=first_rating, flags=("unrated",)),
        replace(second, ratings={}, flags=("unrated",)),
        *rest,
    )
    partly, never, *_ = items(replace(data, matrix=replace(data.matrix, rows=rows)))
    assert partly.flags == (f"rated against 1 of {len(data.matrix.order)} hypotheses",)
    assert never.flags == ("not rated",)


def test_the_headline_names_who_leads_a_tie_or_why_nobody_does():
    data = made_case()
    order = data.matrix.order

    def headline_of(*leaders, **changes):
        matrix = replace(data.matrix, leaders={DEFAULT_RULE: leaders}, **changes)
        return headline(replace(data, matrix=matrix))

    assert headline_of("H1") == "H1 has the least evidence against it."
    assert headline_of("H1", "H2") == "H1 and H2 cannot be separated; both have the least evidence against them."
    assert headline_of(*order) == f"No hypothesis stands out: {and_list(order)} are tied."
    assert headline_of(untested=tuple(order[1:])) == (
        f"{order[0]} is the only hypothesis that anything rated bears on; no rival has been tested."
    )
    assert headline_of() == "No hypothesis leads: nothing rated so far bears on any of them."
    assert headline_of(rows=()) == "This case has no evidence yet, so no hypothesis leads."


def test_files_that_were_not_read_are_counted_apart():
    data = made_case()
    read = sum(document.status != "failed" for document in data.documents)
    failed = replace(data.documents[0], id="D90", status="failed")
    data = replace(data, documents=(*(d for d in data.documents if d.status != "failed"), failed, failed))
    assert document_count(data) == f"{read} documents, 2 files not read"


def test_a_cell_shows_a_persons_rating_before_the_models():
    suggestion = Suggestion("E1", "H1", "I", "model", Probabilities(0.1, 0.8, 0.1), "2026-11-03T11:00:00Z")
    assert cell_mark(Cell("H1", "C", (), suggestion)) == "C"
    assert cell_mark(Cell("H1", None, (), suggestion)) == "(I)"
    assert cell_mark(Cell("H1", None, (), None)) == "?"
    assert Cell("H1", None, (), suggestion).basis == "contradicts 0.80"


def test_whose_ratings_the_matrix_shows_is_said_where_there_are_several():
    data = made_case()
    alone = tuple(replace(assessment, by="Ann") for assessment in data.assessments)
    both = (*alone, replace(alone[0], by="Ben"))
    assert view_words(replace(data, view="group", assessments=alone)) == ""
    assert view_words(replace(data, view="group", assessments=both)) == (
        "The group’s matrix: the middle of what Ann and Ben rated."
    )
    assert view_words(replace(data, view="Ben")) == "Only the ratings of Ben."


def test_what_was_left_out_of_cited_documents_is_said_once():
    data = made_case()
    cited = next(item.document for item in data.evidence if item.document)
    charts = (LeftOut("chart", 1, "word/charts"), LeftOut("chart", 1, "word/embeddings"))
    ledger = (*charts, LeftOut(UNSHOWN_HEADER, 3, "mail: Received"))
    elsewhere = replace(data.documents[0], id="D90", name="elsewhere.docx", left_out=ledger)
    documents = tuple(replace(document, left_out=ledger if document.id == cited else ()) for document in data.documents)
    lines = [line for line in warnings(replace(data, documents=(*documents, elsewhere))) if "Left out" in line]
    name = document_names(data)[cited]
    assert lines == [f"Left out of documents that are cited, so neither read nor searched: 2 charts in {name}."]
    assert not [line for line in warnings(data) if "Left out" in line]
