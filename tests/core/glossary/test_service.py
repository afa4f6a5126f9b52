"""The glossary of a case: proven quotes, copies, meanings that differ and cards."""

from __future__ import annotations

import pytest

from core.progress import Cancelled, Progress

TEXTS = {
    "a.txt": "The Harbour Safety Board (HSB) met in May. Dan Jones, the editor of the Mirror, was there.",
    "b.txt": "The Harbour Safety Board (HSB) published its report. It is long, and nobody read it to the end.",
    "c.txt": "The Hill Street Band (HSB) played. =SUM(1), <b>Ann Bell</b> said, a pilot of the ferry, was late.",
}


@pytest.fixture
def bench(case_of):
    return case_of(TEXTS, title="=Harbour <x>")


def test_every_entry_is_a_span_of_its_page(bench):
    entries = bench.glossary.entries()
    assert [(one.term, one.meaning, len(one.sources)) for one in entries if one.kind == "abbreviation"] == [
        ("HSB", "Harbour Safety Board", 2),
        ("HSB", "Hill Street Band", 1),
    ]
    assert ("Dan Jones", "the editor of the Mirror") in {(one.term, one.meaning) for one in entries}
    for entry in entries:
        for source in entry.sources:
            page = bench.store.pages.by_id(source.quote.page_id)
            assert page.text[source.quote.start : source.quote.end] == source.quote.text
            assert entry.term in source.quote.text


def test_documents_out_of_scope_define_nothing(bench):
    bench.documents.set_included([one.id for one in bench.documents.all()], False)
    assert bench.glossary.entries() == ()


def test_a_term_with_two_meanings_has_no_card(bench):
    assert bench.glossary.cards(bench.glossary.entries()) == ()
    other = next(one.id for one in bench.documents.all() if one.name == "c.txt")
    bench.documents.set_included([other], False)
    (card,) = bench.glossary.cards(bench.glossary.entries())
    assert (card.question, card.answer) == ("What does HSB stand for?", "Harbour Safety Board")
    assert card.answer in card.source.quote.text


def test_an_answer_with_one_point_is_a_card_until_it_is_out_of_date(bench, tmp_path):
    record = bench.answers.ask("When did the Harbour Safety Board meet?", keep=True)
    cards = [one for one in bench.glossary.cards(()) if one.question == record.answer.question]
    one_point = record.answer.is_answered and not record.answer.reason and len(record.answer.points) == 1
    assert len(cards) == int(one_point)
    late = tmp_path / "late.txt"
    late.write_text("Another text.", "utf-8")
    bench.documents.add([late])
    assert bench.glossary.cards(()) == ()


def test_it_can_be_cancelled(bench):
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        bench.glossary.entries(progress)
