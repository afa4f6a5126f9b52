"""Searching for hypotheses: equal effort on both sides, what tells them apart, names, themes, and what was missed."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from core.errors import BadInput, EngineStopped, ModelMissing, NoSuchItem
from core.plans.queries import AGAINST, FOR
from core.progress import Cancelled, Progress
from core.workbench import Workbench
from core.workers.engines import NamesClient
from tests.core.store.material import clock
from tests.fakes import ListedNames

TEXTS = {
    "log.txt": "The control log says that the dosing pump stopped at 02:36. Ruben Aske was on duty at Weir Lane. ",
    "note1.txt": "The guard of Weir Lane saw nobody at the door. The door was locked.",
    "mail.txt": "Ruben Aske wrote that the vendor had been at the pump. Klara Bost of the vendor denied it.",
    "note2.txt": "The vendor was not on the list of visitors that night, says Klara Bost.",
    "report.txt": "The seal of the dosing pump was worn. It had not been maintained for two years.",
    "note3.txt": "The pump was maintained in March, according to the book of the works.",
    "weather.txt": "It rained all night. The river rose by a foot and fell again.",
    "note4.txt": "The road along the river was under water until the morning.",
}


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "a.disconfirm", engines, title="Pump", who="Ann", now=clock()) as opened:
        for text in ("The vendor stopped the pump.", "The pump was not maintained.", "Nobody stopped the pump."):
            opened.hypotheses.add(text)
        for name, text in TEXTS.items():
            (tmp_path / name).write_text(text, "utf-8")
        opened.documents.add([tmp_path / name for name in TEXTS])
        yield opened


def test_every_hypothesis_gets_a_plan_with_both_sides(bench):
    assert bench.plans.get() == []
    bench.plans.make()
    for hypothesis in ("H1", "H2", "H3"):
        roles = {query.role for query in bench.plans.get(hypothesis)}
        assert roles & set(FOR)
        assert roles >= {"negation", "against"}
    assert {q.text for q in bench.plans.get("H2") if q.role == "negation"} == {"The pump was maintained."}
    assert "The vendor stopped the pump." in {q.text for q in bench.plans.get("H2") if q.role == "if false"}


def test_what_the_analyst_expects_is_searched_and_stays(bench):
    bench.hypotheses.add_consideration("indicator", "Invoices", hypothesis="H1", query="invoice of the vendor")
    bench.plans.add("H1", "against", "the vendor was abroad")
    bench.entities.add("Ruben Aske", kind="person", aliases=["R. Aske"])
    bench.plans.make(["H1"])
    plan = bench.plans.get("H1")
    assert [q.text for q in plan if q.role == "if true"] == ["invoice of the vendor"]
    assert [(q.text, q.origin) for q in plan if q.origin == "analyst" and q.role == "against"] == [
        ("the vendor was abroad", "analyst")
    ]
    bench.plans.make(["H1"])
    assert [(q.role, q.text) for q in bench.plans.get("H1")] == [(q.role, q.text) for q in plan]
    with pytest.raises(NoSuchItem):
        bench.plans.make(["H9"])


def test_every_hypothesis_is_searched_with_the_same_effort(bench):
    results = bench.plans.run(passages=4)
    assert [len(result.passages) for result in results] == [4, 4, 4]
    for result in results:
        assert [p.chunk for p in result.passages] == [one.chunk for one in result.origins]
        sides = {
            side for one in result.origins for side in ("+" if one.rank_for else "", "-" if one.rank_against else "")
        }
        assert {"+", "-"} <= sides
        assert {query.role for query, _ in result.hits} >= {"statement", "negation", "against"}
    assert [r.passages for r in bench.plans.run(passages=4)] == [r.passages for r in results]
    with pytest.raises(NoSuchItem):
        bench.plans.run(["H7"])


def test_the_effort_is_kept_and_counted(bench):
    assert [e.passages for e in bench.plans.effort()] == [0, 0, 0]
    bench.review.propose(passages=3)
    efforts = bench.plans.effort()
    assert [e.passages for e in efforts] == [3, 3, 3]
    for effort in efforts:
        assert effort.fair
        assert effort.searches_for >= 2
        assert effort.searches_against >= 2
        assert effort.supports + effort.contradicts + effort.neutral + effort.ambiguous == effort.passages
    first = bench.plans.runs("H1")
    assert sum(search.fresh for search in first) == 3
    bench.review.propose(["H1"], passages=5)
    again = bench.plans.runs("H1")[len(first) :]
    assert sum(search.fresh for search in again) == 2
    assert [e.fair for e in bench.plans.effort()] == [True, False, False]
    assert not bench.case.verify().problems


def test_what_tells_hypotheses_apart(bench):
    bench.review.propose(passages=8)
    found = bench.plans.discriminating(5)
    assert found
    assert len({one.passage.id for one in found}) == len(found)
    assert all(one.leans in one.pair and 0 < one.effect <= 1 and 0 < one.strength <= 1 for one in found)
    assert any(one.judged for one in found)
    assert {one.pair for one in bench.plans.discriminating(5, pair=("H1", "H2"))} == {("H1", "H2")}
    assert bench.plans.discriminating(5) == found
    with pytest.raises(BadInput):
        bench.plans.discriminating(5, pair=("H1", "H1"))


def test_without_a_search_model_words_are_left(tmp_path, engines):
    with Workbench.create(tmp_path / "b.disconfirm", replace(engines, embedder=None), now=clock()) as bench:
        bench.hypotheses.add("The vendor stopped the pump.")
        bench.hypotheses.add("The pump was old.")
        (tmp_path / "log.txt").write_text(TEXTS["log.txt"], "utf-8")
        bench.documents.add([tmp_path / "log.txt"])
        assert all(result.passages and result.notes for result in bench.plans.run(passages=3))
        for verb in (
            bench.plans.discriminating,
            lambda: bench.search.themes("What happened?"),
            lambda: bench.search.grouped([]),
        ):
            with pytest.raises(ModelMissing):
                verb()


def test_names_are_suggested_confirmed_and_found(bench):
    suggested = {one.name: one for one in bench.entities.suggested().names}
    assert suggested["Ruben Aske"].documents == 2
    aske = bench.entities.add("Ruben Aske", kind="person")
    bost = bench.entities.add("Klara Bost", aliases=["the vendor"])
    assert "Ruben Aske" not in {one.name for one in bench.entities.suggested().names}
    places = bench.entities.mentions(aske.id)
    assert {named.passage.name for named in places} == {"log.txt", "mail.txt"}
    for named in places:
        assert all(named.passage.text[start:end] == "Ruben Aske" for start, end in named.places)
    assert [(t.one, t.other) for t in bench.entities.co_occurrences()] == [(aske.id, bost.id)]
    bench.entities.edit(bost.id, status="rejected")
    assert bench.entities.co_occurrences() == []
    bench.documents.set_included([places[0].passage.document], False)
    assert len(bench.entities.mentions(aske.id)) == len(places) - 1
    with pytest.raises(NoSuchItem):
        bench.entities.mentions("N9")


def test_suggested_names_are_counted_as_their_passages_are_listed(bench, tmp_path):
    """Also where a name stands in capitals, or inside a longer one."""
    for number, text in enumerate(
        (
            "The pumps of Weir Lane stood still. He went to Weir Lane again.",
            "WEIR LANE WATER WORKS\n\nThe board of the Weir Lane Water Works met at Hatch End.",
            "Notes on weir lane and on the road to Hatch End.",
        )
    ):
        (tmp_path / f"weir{number}.txt").write_text(text, "utf-8")
    bench.documents.add([tmp_path / f"weir{number}.txt" for number in range(3)])
    suggested = bench.entities.suggested().names
    assert {"Weir Lane", "Hatch End", "Ruben Aske"} <= {one.name for one in suggested}
    for one in suggested:
        places = bench.entities.occurrences(one.name, one.spellings)
        assert (one.passages, one.documents) == (len(places), len({place.passage.document for place in places}))
    order = [(-one.documents, -one.mentions, one.name) for one in suggested]
    assert order == sorted(order)


def test_a_model_suggests_names_too_and_reads_a_page_once(bench, tmp_path):
    before = bench.entities.suggested().names
    model = ListedNames({"Ruben Aske": "person", "Klara Bost": "person", "river rose": "thing"})
    bench.engines = replace(bench.engines, names=model)
    suggested = {one.name: one for one in bench.entities.suggested().names}
    assert (suggested["Ruben Aske"].kind, suggested["Ruben Aske"].by) == ("person", "both")
    assert (suggested["river rose"].by, suggested["river rose"].documents) == ("model", 1)
    assert {one.by for one in before} == {"form"}
    assert sorted(model.history) == sorted(TEXTS.values())
    again = bench.entities.suggested()
    assert {one.name: one for one in again.names} == suggested
    (tmp_path / "more.txt").write_text("Klara Bost came back.", "utf-8")
    bench.documents.add([tmp_path / "more.txt"])
    assert {one.name: one.documents for one in bench.entities.suggested().names}["Klara Bost"] == 3
    assert model.history[len(TEXTS) :] == ["Klara Bost came back."]
    assert again.problem is None
    assert bench.entities.all() == []
    bench.engines = replace(bench.engines, names=None)
    assert {one.by for one in bench.entities.suggested().names} == {"form"}


def test_a_model_that_cannot_be_used_is_told_and_names_are_suggested_by_their_form(bench, tmp_path):
    before = bench.entities.suggested()
    client = NamesClient(tmp_path / "nowhere")
    bench.engines = replace(bench.engines, names=client)
    try:
        suggested = bench.entities.suggested()
    finally:
        client.close()
    assert suggested.names == before.names
    assert "there is no such folder" in suggested.problem.sentence
    bench.engines = replace(bench.engines, names=None)
    assert bench.entities.suggested() == before
    assert before.problem is None


def test_looking_for_names_can_be_cancelled_while_the_model_reads(bench, tmp_path):
    class Slow(ListedNames):
        stop = True

        def find(self, texts):
            if self.stop and self.history:
                progress.cancel()
                raise EngineStopped(engine="model", item="a text", reason="it was stopped on request")
            return super().find(texts)

    (tmp_path / "long.txt").write_text("\f".join(f"Page {n}. " + "It rained. " * 900 for n in range(9)), "utf-8")
    bench.documents.add([tmp_path / "long.txt"])
    model, progress = Slow(), Progress()
    bench.engines = replace(bench.engines, names=model)
    with pytest.raises(Cancelled):
        bench.entities.suggested(progress)
    read = len(model.history)
    assert 0 < read < len(TEXTS) + 9
    model.stop = False
    bench.entities.suggested()
    assert len(model.history) == len(set(model.history)) == len(TEXTS) + 9


def test_hits_are_grouped_and_themes_quote_their_pages(bench):
    passages = bench.search.passages_for("pump vendor river", k=20).passages
    groups = bench.search.grouped(passages)
    assert sorted(chunk for group in groups for chunk in group.passages) == sorted(p.chunk for p in passages)
    for theme in bench.search.themes("What happened to the pump?", least=1):
        page = bench.store.pages.by_id(theme.passage.page_id)
        assert page.text[theme.start : theme.end] == theme.sentence
        assert theme.documents >= 1


def test_themes_keep_to_the_conditions_of_a_question(bench):
    for condition, wanted in (("in:note", "note"), ('"the pump"', ""), ("-pump", "")):
        themes = bench.search.themes(f"What happened? {condition}", least=1)
        told = [chunk for theme in themes for chunk in theme.passages]
        allowed = {passage.chunk for passage in bench.search.find(f"What happened? {condition}", k=200).passages}
        assert told
        assert {chunk.id for chunk in told} <= allowed
        assert all(chunk.name.startswith(wanted) for chunk in told)
    assert bench.search.themes("pump in:nothing") == []


def test_the_sentence_of_a_theme_is_whole_where_the_passage_has_a_whole_one(bench, tmp_path):
    texts = {
        "scan1.txt": "crane boom fell on the quay crane boom quay and the\n\nThe crane was found on the quay.",
        "scan2.txt": "crane boom fell on the quay and nobody saw the crane fall on the",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    bench.documents.add([tmp_path / name for name in texts])
    told = {theme.passage.name: theme.sentence for theme in bench.search.themes("crane boom quay", least=1)}
    assert told.get("scan1.txt", "The crane was found on the quay.") == "The crane was found on the quay."
    alone = {theme.passage.name: theme.sentence for theme in bench.search.themes("crane in:scan2", least=1)}
    assert alone == {"scan2.txt": texts["scan2.txt"]}
    whole = {theme.passage.name: theme.sentence for theme in bench.search.themes("crane in:scan1", least=1)}
    assert whole == {"scan1.txt": "The crane was found on the quay."}


def test_what_was_missed_is_estimated_from_what_a_person_said(bench):
    bench.review.propose(["H1"], passages=2)
    unknown = bench.plans.elusion("H1")
    assert unknown.judged == 0
    assert unknown.high > unknown.low == 0
    sample = bench.plans.elusion_sample("H1", 50)
    looked = {p.chunk for p in bench.verdicts.proposals("H1")}
    assert sample
    assert not looked & {chunk.id for chunk in sample}
    for at, chunk in enumerate(sample):
        bench.plans.judge_relevance("H1", chunk.id, at == 0)
    assert bench.plans.elusion_sample("H1", 50) == []
    told = bench.plans.elusion("H1")
    assert told.expected == told.low == told.high == 1
    bench.case.undo()
    assert bench.plans.elusion("H1").judged == len(sample) - 1


def test_searches_are_kept_by_name(bench):
    kept = bench.search.save("Door", 'door -"locked"')
    assert [(s.text, s.query) for s in bench.search.saved()] == [("Door", 'door -"locked"')]
    with pytest.raises(BadInput):
        bench.search.save("Nothing", "  ")
    bench.search.remove_saved(kept.id)
    assert bench.search.saved() == []
    assert not set(FOR) & set(AGAINST)


def found(bench, typed, **options):
    return [p.name for p in bench.search.find(typed, **options).passages]


def test_the_search_field_takes_conditions(bench):
    assert set(found(bench, 'pump "dosing pump"')) == {"log.txt", "report.txt"}
    assert "report.txt" not in found(bench, 'pump -"dosing pump"')
    assert found(bench, "pump maintain* NEAR/4 march") == ["note3.txt"]
    assert found(bench, "pump in:note3") == ["note3.txt"]
    assert "note3.txt" not in found(bench, "pump -in:note3.txt")
    assert found(bench, "-the -a -of") == ["note4.txt"] or not found(bench, "-the")
    everything = set(TEXTS)
    assert set(found(bench, "-zebra")) == everything
    assert bench.search.find("pump in:nothing").notes[0] == "No document is called “nothing”."
    assert found(bench, "pump in:nothing") == []


def test_conditions_on_documents_and_names(bench):
    by_name = {document.name: document.id for document in bench.documents.all()}
    bench.documents.describe([by_name["mail.txt"]], tags=["mail"], reliability="C", dated="2025-03/2025-05")
    assert found(bench, "tag:MAIL vendor") == ["mail.txt"]
    assert "mail.txt" not in found(bench, "vendor -tag:mail")
    assert found(bench, "vendor grade:B-D") == ["mail.txt"]
    assert found(bench, "vendor grade:A") == []
    assert found(bench, "vendor date:2025-03-15") == ["mail.txt"]
    assert found(bench, "vendor after:2025-04") == ["mail.txt"]
    assert found(bench, "vendor after:2025-06") == []
    bench.entities.add("Ruben Aske", aliases=["the operator"])
    assert set(found(bench, "name:'Ruben")) == set()
    assert set(found(bench, 'duty name:"the operator"')) == {"log.txt", "mail.txt"}
    said = bench.search.find('name:"Klara Bost"')
    assert {p.name for p in said.passages} == {"mail.txt", "note2.txt"}
    assert "not among the names" in said.notes[0]
    with pytest.raises(BadInput):
        bench.search.find("   ")


@pytest.mark.parametrize(
    "typed", ["AND", "-", "*", "NEAR", '""', "()", "\x00 \x1b", "насос", "泵 在", "x" * 10_000, "the of a"]
)
def test_nothing_typed_is_an_error(bench, typed):
    result = bench.search.find(typed)
    assert result.passages or result.notes


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
    assert set(found(bench, "when:1999-05-01..1999-05-10")) == {"sold.txt", "stood.txt"}
    assert found(bench, "pump sold when:1999-05-03 -stood") == ["sold.txt"]
    assert found(bench, "when:1980..1989") == ["made.txt"]
    assert found(bench, "when:1987-06") == []  # a year says too little of a month of it
    assert found(bench, "pump date:1999-05-03") == ["made.txt"]  # the date of the document is another matter
    bench.documents.set_included([d.id for d in bench.documents.all() if d.name == "sold.txt"], False)
    assert found(bench, "when:1999-05-03") == ["stood.txt"]


def test_where_names_stand_is_counted_by_document(bench):
    aske = bench.entities.add("Ruben Aske")
    weir = bench.entities.add("Weir Lane", kind="place")
    counts = bench.entities.counts()
    assert {d for d, _ in counts[aske.id].documents} == {
        one.passage.document for one in bench.entities.mentions(aske.id)
    }
    assert counts[aske.id].passages == len(bench.entities.mentions(aske.id)) == 2
    log = next(d.id for d in bench.documents.all() if d.name == "log.txt")
    assert [(entity.id, times) for entity, times in bench.entities.names_in(log)] == [(aske.id, 1), (weir.id, 1)]
    assert [one.passage.name for one in bench.entities.occurrences("Klara Bost")] == ["mail.txt", "note2.txt"]
    with pytest.raises(NoSuchItem):
        bench.entities.names_in("D99")


def test_a_name_kept_or_taken_back_is_told(bench):
    bench.entities.add("Ruben Aske")
    undone = bench.case.undo()
    assert undone.changes.documents
    assert bench.entities.all() == []


def test_one_passage_is_judged_for_the_hypotheses_asked_about(bench):
    passage = bench.search.passages_for("the vendor and the pump", k=1).passages[0]
    report = bench.review.judge_passage(passage.chunk, ["H1", "H3"])
    assert [(p.hypothesis, p.chunk) for p in report.proposals] == [("H1", passage.chunk), ("H3", passage.chunk)]
    assert all(p.quote.text in passage.text and p.similarity is not None for p in report.proposals)
    asked = len(bench.engines.judge.history)
    again = bench.review.judge_passage(passage.chunk, ["H1", "H3"])
    assert [p.id for p in again.proposals] == [p.id for p in report.proposals]
    assert len(bench.engines.judge.history) == asked  # what is known is not asked again
    judged = [one for one in bench.plans.discriminating(30, pair=("H1", "H3")) if one.passage.id == passage.chunk]
    assert all(one.judged for one in judged)
    with pytest.raises(NoSuchItem):
        bench.review.judge_passage(999_999, ["H1"])
    with pytest.raises(NoSuchItem):
        bench.review.judge_passage(passage.chunk, ["H9"])


# --- lists of queries, and more like one ------------------------------------------------------------------------------


def test_a_passage_finds_its_like_but_never_itself(bench):
    [own] = bench.search.find("guard saw nobody at the door").passages[:1]
    found = bench.search.similar(own.chunk, k=5)
    assert own.chunk not in [p.chunk for p in found.passages]
    assert [p.rank for p in found.passages] == list(range(1, len(found.passages) + 1))
    assert found.passages
    with pytest.raises(BadInput):
        bench.search.similar(999_999)


def test_the_copy_of_a_passage_is_like_it(bench, tmp_path):
    (tmp_path / "copy.txt").write_text(f"{TEXTS['note1.txt']}\fThe guard left at six.", "utf-8")
    bench.documents.add([tmp_path / "copy.txt"])
    first = bench.search.find("guard saw nobody at the door").passages[0]
    copies = [p.chunk for p in bench.search.find("guard saw nobody at the door").copies.get(first.chunk, ())]
    found = bench.search.similar(first.chunk)
    assert copies
    assert found.passages[0].chunk == copies[0]
    assert first.chunk not in [p.chunk for group in found.copies.values() for p in group]


def test_a_list_of_queries_is_counted_by_document(bench):
    seen = []
    told = bench.search.query_counts(
        ["pump", "  ", "Weir  Lane", '"Klara Bost"', "vendor -visitors", "document:note2 vendor", "zebra", "pump", "-"],
        progress=Progress(lambda done, total, what: seen.append((done, total))),
    )
    names = {document.id: document.name for document in bench.documents.all()}
    counts = {tally.query: {names[d]: len(chunks) for d, chunks in tally.passages.items()} for tally in told}
    assert counts == {
        "pump": {"log.txt": 1, "mail.txt": 1, "report.txt": 1, "note3.txt": 1},
        "Weir Lane": {"log.txt": 1, "note1.txt": 1},
        '"Klara Bost"': {"mail.txt": 1, "note2.txt": 1},
        "vendor -visitors": {"mail.txt": 1},
        "document:note2 vendor": {"note2.txt": 1},
        "zebra": {},
        "-": {},
    }
    assert told[0].total == 4
    assert told[-1].notes
    assert seen[0] == (0, 7)
    [chunk] = told[3].passages["D2" if names["D2"] == "mail.txt" else next(d for d in names if names[d] == "mail.txt")]
    assert bench.search.passages([chunk])[0].name == "mail.txt"
    by_meaning = bench.search.query_counts(["the guard saw nobody at the door"], by="meaning")
    assert by_meaning[0].total >= 1


def test_counts_as_a_table_hold_no_formula(bench):
    table = bench.search.query_table(bench.search.query_counts(["=pump", "@vendor", "zebra"])).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(table)))
    assert [row[0] for row in rows] == ["query", "'=pump", "'@vendor", "zebra"]
    assert rows[1][1:3] == ["4", "4"]
    assert rows[3][1:3] == ["0", "0"]
    assert rows[0][-1] == "note"
    assert all(len(row) == len(rows[0]) for row in rows)


def test_a_list_of_queries_can_be_stopped(bench):
    progress = Progress(lambda *_: progress.cancel())
    with pytest.raises(Cancelled):
        bench.search.query_counts(["pump", "vendor"], progress=progress)


def test_conditions_that_nothing_fulfils_are_told_with_what_was_looked_at(bench):
    for query in ('"banana pudding"', "document:nowhere pump", "name:Zebra pump"):
        found = bench.search.find(query)
        assert found.passages == ()
        assert "Nothing in 8 passages of 8 documents meets these conditions." in " ".join(found.notes)


def test_the_number_of_a_document_is_no_part_of_a_name(bench, tmp_path):
    (tmp_path / "record1.txt").write_text("The pump of another record.", "utf-8")
    bench.documents.add([tmp_path / "record1.txt"])
    assert {p.document for p in bench.search.find("pump document:D1").passages} == {"D1"}
    assert {p.name for p in bench.search.find("pump document:record1").passages} == {"record1.txt"}


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
