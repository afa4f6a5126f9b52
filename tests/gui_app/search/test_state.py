"""What the search shows, as values: nothing here needs a window."""

from __future__ import annotations

import pytest

from core.domain import LAYER, Passage
from core.search.service import SearchResult
from core.workbench import Workbench
from gui_app.search.state import HITS, Hits, SearchRequest, SearchState, citation, copies_of, find, load, with_days
from gui_app.shared.passages_model import first_shown, marks
from tests.gui_app.conftest import TEXTS


@pytest.fixture
def bench(tmp_path, engines):
    bench = Workbench.create(tmp_path / "test.disconfirm", engines, title="Who was it?", who="Tester")
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    bench.documents.add([tmp_path / name for name in TEXTS])
    yield bench
    bench.close()


def passage(chunk=1, document="D1", source="embedded", rank=1):
    return Passage(
        rank=rank, chunk=chunk, page_id=1, document=document, name="a.txt", page=2, start=0, end=5, text="two \n words",
        score=0.1, vector_rank=rank, lexical_rank=None, similarity=0.5, confidence="low", source=source,
    )  # fmt: skip


def test_the_state_is_read_from_the_case(bench):
    bench.entities.add("Dana Reyes")
    bench.search.save("", "camera")
    state = load(bench)
    assert sorted(document.name for document in state.documents) == sorted(TEXTS)
    assert [name.name for name in state.names] == ["Dana Reyes"]
    assert state.saved("camera").query == "camera"
    assert state.saved("") is None
    assert state.document_name("d1") == state.documents[0].name
    assert state.document_name("D99") == "D99"
    assert state.same_corpus(load(bench))
    bench.documents.set_included(["D1"], False)
    assert not state.same_corpus(load(bench))


def test_a_saved_search_has_news_of_what_came_after_it(bench, tmp_path):
    bench.search.save("", "camera")
    assert [news for _, news in load(bench).searches_with_news()] == [0]
    (tmp_path / "later.txt").write_text("The camera was repaired.", "utf-8")
    bench.documents.add([tmp_path / "later.txt"])
    state = load(bench)
    assert [news for _, news in state.searches_with_news()] == [1]
    assert state.documents_since(3) == {"D4"}
    assert state.documents_since(None) == frozenset()


def test_a_search_says_where_it_looked_only_where_no_hit_can_be_relied_on(bench):
    good = find(bench, SearchRequest("camera recording"))
    assert good.result.passages
    poor = find(bench, SearchRequest("zebra quagga", mode="vector"))
    assert (poor.documents, poor.passages) == (3, sum(d.chunks for d in bench.documents.all()))
    assert poor.doubtful()
    assert poor.advice("vector").startswith(f"Looked at: {poor.passages} passages in 3 documents.")
    assert "search both ways" in poor.advice("vector")
    assert "search both ways" not in poor.advice("hybrid")


def test_a_passage_is_searched_for_without_itself(bench):
    first = find(bench, SearchRequest("technician")).result.passages[0]
    request = SearchRequest(like=first)
    assert request.words() == first.text
    assert first.chunk not in [passage.chunk for passage in find(bench, request).result.passages]


@pytest.mark.parametrize(
    ("text", "limit", "number"),
    [("technician", HITS, 5), ("document:D1 technician", HITS, HITS), ("technician", 2 * HITS, 2 * HITS)],
)
def test_who_names_the_documents_or_wants_more_gets_all_of_a_document(text, limit, number):
    assert SearchRequest(text, limit=limit).per_document() == number


def test_hits_are_counted_by_passage_and_document():
    hits = Hits(SearchResult("x", (passage(1), passage(2), passage(3, "D2")), 0.1, notes=("One.", "Two.")))
    assert (hits.count(), hits.notes()) == ("3 passages in 2 documents", "One. Two.")
    assert not hits.doubtful()  # nobody counted where it looked: a hit can be relied on


def test_days_make_way_for_days_and_names_for_names():
    assert with_days("pump when:2021", "2024-03-05", "2024-03-05", "") == "pump when:2024-03-05"
    assert with_days('pump name:"Al B"', "2024-03-05", "2024-03-06", "Dana Reyes") == (
        'pump name:"Dana Reyes" when:2024-03-05..2024-03-06'
    )


def test_words_are_copied_with_where_they_stand():
    assert citation(passage(), "") == "“two words” (a.txt, p. 2)"
    assert citation(passage(source="layer"), "two") == f"“two” (a.txt, p. 2; {LAYER})"


def test_copies_are_those_of_the_passage():
    result = SearchResult("x", (passage(1),), 0.1, copies={1: (passage(7),)})
    assert [copy.chunk for copy in copies_of(result, passage(1))] == [7]
    assert copies_of(result, passage(2)) == copies_of(None, passage(1)) == copies_of(result, None) == ()


def test_no_state_is_a_case_without_anything():
    assert SearchState().searches_with_news() == []


def test_a_snippet_has_the_words_searched_for_in_its_middle():
    text = "Nothing of note. " * 40 + "The dosing pump stopped at night. " + "Nothing else. " * 40
    spans = marks("dosing pump stopped", text)
    begin = first_shown(spans, text, 120)
    assert begin + 30 < spans[0][0] < spans[-1][1] < begin + 110
    assert text[begin - 1] == " "
    assert first_shown(marks("note", "Of note."), "Of note.", 120) == 0
    assert first_shown([], text, 120) == 0
