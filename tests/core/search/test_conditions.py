"""What a person types: conditions, saved searches, groups and themes, likenesses, and lists of queries."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from tests.core import vendor_case


@pytest.fixture
def bench(tmp_path, engines):
    with vendor_case.opened(tmp_path, engines) as bench:
        yield bench


def test_hits_are_grouped_and_themes_quote_their_pages(bench):
    passages = bench.search.passages_for("pump vendor river", k=20).passages
    groups = bench.search.grouped(passages)
    assert sorted(chunk for group in groups for chunk in group.passages) == sorted(p.chunk for p in passages)
    for theme in bench.search.themes("What happened to the pump?", least=1):
        page = bench.store.pages.by_id(theme.passage.page_id)
        assert page.text[theme.start : theme.end] == theme.sentence
        assert theme.documents >= 1


def test_themes_keep_to_the_conditions_of_a_question(bench):
    for condition, prefix in (("in:note", "note"), ('"the pump"', ""), ("-pump", "")):
        themes = bench.search.themes(f"What happened? {condition}", least=1)
        chunks = [chunk for theme in themes for chunk in theme.passages]
        allowed = {passage.chunk for passage in bench.search.find(f"What happened? {condition}", k=200).passages}
        assert chunks
        assert {chunk.id for chunk in chunks} <= allowed
        assert all(chunk.name.startswith(prefix) for chunk in chunks)
    assert bench.search.themes("pump in:nothing") == []


def test_the_sentence_of_a_theme_is_whole_where_the_passage_has_a_whole_one(bench, tmp_path):
    texts = {
        "scan1.txt": "crane boom fell on the quay crane boom quay and the\n\nThe crane was found on the quay.",
        "scan2.txt": "crane boom fell on the quay and nobody saw the crane fall on the",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    bench.documents.add([tmp_path / name for name in texts])
    sentences = {theme.passage.name: theme.sentence for theme in bench.search.themes("crane boom quay", least=1)}
    assert sentences.get("scan1.txt", "The crane was found on the quay.") == "The crane was found on the quay."
    alone = {theme.passage.name: theme.sentence for theme in bench.search.themes("crane in:scan2", least=1)}
    assert alone == {"scan2.txt": texts["scan2.txt"]}
    whole = {theme.passage.name: theme.sentence for theme in bench.search.themes("crane in:scan1", least=1)}
    assert whole == {"scan1.txt": "The crane was found on the quay."}


def test_searches_are_kept_by_name(bench):
    saved_search = bench.search.save("Door", 'door -"locked"')
    assert [(s.text, s.query) for s in bench.search.saved()] == [("Door", 'door -"locked"')]
    with pytest.raises(BadInput):
        bench.search.save("Nothing", "  ")
    bench.search.remove_saved(saved_search.id)
    assert bench.search.saved() == []


def names_found(bench, typed, **options):
    return [p.name for p in bench.search.find(typed, **options).passages]


def test_the_search_field_takes_conditions(bench):
    assert set(names_found(bench, 'pump "dosing pump"')) == {"log.txt", "report.txt"}
    assert "report.txt" not in names_found(bench, 'pump -"dosing pump"')
    assert names_found(bench, "pump maintain* NEAR/4 march") == ["note3.txt"]
    assert names_found(bench, "pump in:note3") == ["note3.txt"]
    assert "note3.txt" not in names_found(bench, "pump -in:note3.txt")
    assert names_found(bench, "-the -a -of") == ["note4.txt"] or not names_found(bench, "-the")
    everything = set(vendor_case.TEXTS)
    assert set(names_found(bench, "-zebra")) == everything
    assert bench.search.find("pump in:nothing").notes[0] == "No document is called “nothing”."
    assert names_found(bench, "pump in:nothing") == []


def test_conditions_on_documents_and_names(bench):
    by_name = {document.name: document.id for document in bench.documents.all()}
    bench.documents.describe([by_name["mail.txt"]], tags=["mail"], reliability="C", dated="2025-03/2025-05")
    assert names_found(bench, "tag:MAIL vendor") == ["mail.txt"]
    assert "mail.txt" not in names_found(bench, "vendor -tag:mail")
    assert names_found(bench, "vendor grade:B-D") == ["mail.txt"]
    assert names_found(bench, "vendor grade:A") == []
    assert names_found(bench, "vendor date:2025-03-15") == ["mail.txt"]
    assert names_found(bench, "vendor after:2025-04") == ["mail.txt"]
    assert names_found(bench, "vendor after:2025-06") == []
    bench.entities.add("Ruben Aske", aliases=["the operator"])
    assert set(names_found(bench, "name:'Ruben")) == set()
    assert set(names_found(bench, 'duty name:"the operator"')) == {"log.txt", "mail.txt"}
    result = bench.search.find('name:"Klara Bost"')
    assert {p.name for p in result.passages} == {"mail.txt", "note2.txt"}
    assert "not among the names" in result.notes[0]
    with pytest.raises(BadInput):
        bench.search.find("   ")


@pytest.mark.parametrize(
    "typed", ["AND", "-", "*", "NEAR", '""', "()", "\x00 \x1b", "насос", "泵 在", "x" * 10_000, "the of a"]
)
def test_nothing_typed_is_an_error(bench, typed):
    result = bench.search.find(typed)
    assert result.passages or result.notes


def test_passages_are_found_by_the_dates_that_they_name(bench, tmp_path):
    pages = {
        "sold.txt": "On 3 May 1999 the pump was sold to the works.",
        "made.txt": "The pump was made in 1987 and never sold.",
        "stood.txt": "By May 1999 the pump stood at Weir Lane.",
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(text, "utf-8")
    bench.documents.add([tmp_path / name for name in pages])
    bench.documents.describe([d.id for d in bench.documents.all() if d.name == "made.txt"], dated="1999-05-03")
    assert set(names_found(bench, "when:1999-05-01..1999-05-10")) == {"sold.txt", "stood.txt"}
    assert names_found(bench, "pump sold when:1999-05-03 -stood") == ["sold.txt"]
    assert names_found(bench, "when:1980..1989") == ["made.txt"]
    assert names_found(bench, "when:1987-06") == []  # a year says too little of a month of it
    assert names_found(bench, "pump date:1999-05-03") == ["made.txt"]  # the date of the document is another matter
    bench.documents.set_included([d.id for d in bench.documents.all() if d.name == "sold.txt"], False)
    assert names_found(bench, "when:1999-05-03") == ["stood.txt"]


def test_a_passage_finds_its_like_but_never_itself(bench):
    [passage] = bench.search.find("guard saw nobody at the door").passages[:1]
    result = bench.search.similar(passage.chunk, k=5)
    assert passage.chunk not in [p.chunk for p in result.passages]
    assert [p.rank for p in result.passages] == list(range(1, len(result.passages) + 1))
    assert result.passages
    with pytest.raises(BadInput):
        bench.search.similar(999_999)


def test_the_copy_of_a_passage_is_like_it(bench, tmp_path):
    (tmp_path / "copy.txt").write_text(f"{vendor_case.TEXTS['note1.txt']}\fThe guard left at six.", "utf-8")
    bench.documents.add([tmp_path / "copy.txt"])
    first = bench.search.find("guard saw nobody at the door").passages[0]
    copies = [p.chunk for p in bench.search.find("guard saw nobody at the door").copies.get(first.chunk, ())]
    result = bench.search.similar(first.chunk)
    assert copies
    assert result.passages[0].chunk == copies[0]
    assert first.chunk not in [p.chunk for group in result.copies.values() for p in group]


def test_conditions_that_nothing_fulfils_are_told_with_what_was_looked_at(bench):
    for query in ('"banana pudding"', "document:nowhere pump", "name:Zebra pump"):
        result = bench.search.find(query)
        assert result.passages == ()
        assert "Nothing in 8 passages of 8 documents meets these conditions." in " ".join(result.notes)


def test_the_number_of_a_document_is_no_part_of_a_name(bench, tmp_path):
    (tmp_path / "record1.txt").write_text("The pump of another record.", "utf-8")
    bench.documents.add([tmp_path / "record1.txt"])
    assert {p.document for p in bench.search.find("pump document:D1").passages} == {"D1"}
    assert {p.name for p in bench.search.find("pump document:record1").passages} == {"record1.txt"}
