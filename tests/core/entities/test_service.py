"""Names of a case: suggested, confirmed, counted, and read by a model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import EngineStopped, NoSuchItem
from core.progress import Cancelled, Progress
from core.workers.engines import NamesClient
from tests.core import vendor_case
from tests.fakes import ListedNames


@pytest.fixture
def bench(tmp_path, engines):
    with vendor_case.opened(tmp_path, engines) as bench:
        yield bench


def test_names_are_suggested_confirmed_and_found(bench):
    suggested = {suggestion.name: suggestion for suggestion in bench.entities.suggested().names}
    assert suggested["Ruben Aske"].documents == 2
    aske = bench.entities.add("Ruben Aske", kind="person")
    bost = bench.entities.add("Klara Bost", aliases=["the vendor"])
    assert "Ruben Aske" not in {suggestion.name for suggestion in bench.entities.suggested().names}
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
    assert {"Weir Lane", "Hatch End", "Ruben Aske"} <= {suggestion.name for suggestion in suggested}
    for suggestion in suggested:
        places = bench.entities.occurrences(suggestion.name, suggestion.spellings)
        assert (suggestion.passages, suggestion.documents) == (
            len(places),
            len({place.passage.document for place in places}),
        )
    order = [(-suggestion.documents, -suggestion.mentions, suggestion.name) for suggestion in suggested]
    assert order == sorted(order)


def test_a_model_suggests_names_too_and_reads_a_page_once(bench, tmp_path):
    names_by_form = bench.entities.suggested().names
    model = ListedNames({"Ruben Aske": "person", "Klara Bost": "person", "river rose": "thing"})
    bench.engines = replace(bench.engines, names=model)
    suggested = {suggestion.name: suggestion for suggestion in bench.entities.suggested().names}
    assert (suggested["Ruben Aske"].kind, suggested["Ruben Aske"].by) == ("person", "both")
    assert (suggested["river rose"].by, suggested["river rose"].documents) == ("model", 1)
    assert {suggestion.by for suggestion in names_by_form} == {"form"}
    assert sorted(model.history) == sorted(vendor_case.TEXTS.values())
    second_result = bench.entities.suggested()
    assert {suggestion.name: suggestion for suggestion in second_result.names} == suggested
    (tmp_path / "more.txt").write_text("Klara Bost came back.", "utf-8")
    bench.documents.add([tmp_path / "more.txt"])
    assert {suggestion.name: suggestion.documents for suggestion in bench.entities.suggested().names}["Klara Bost"] == 3
    assert model.history[len(vendor_case.TEXTS) :] == ["Klara Bost came back."]
    assert second_result.problem is None
    assert bench.entities.all() == []
    bench.engines = replace(bench.engines, names=None)
    assert {suggestion.by for suggestion in bench.entities.suggested().names} == {"form"}


def test_a_model_that_cannot_be_used_is_told_and_names_are_suggested_by_their_form(bench, tmp_path):
    original_result = bench.entities.suggested()
    client = NamesClient(tmp_path / "nowhere")
    bench.engines = replace(bench.engines, names=client)
    try:
        suggested = bench.entities.suggested()
    finally:
        client.close()
    assert suggested.names == original_result.names
    assert "there is no such folder" in suggested.problem.sentence
    bench.engines = replace(bench.engines, names=None)
    assert bench.entities.suggested() == original_result
    assert original_result.problem is None


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
    assert 0 < read < len(vendor_case.TEXTS) + 9
    model.stop = False
    bench.entities.suggested()
    assert len(model.history) == len(set(model.history)) == len(vendor_case.TEXTS) + 9


def test_where_names_stand_is_counted_by_document(bench):
    aske = bench.entities.add("Ruben Aske")
    weir = bench.entities.add("Weir Lane", kind="place")
    counts = bench.entities.counts()
    assert {d for d, _ in counts[aske.id].documents} == {
        mention.passage.document for mention in bench.entities.mentions(aske.id)
    }
    assert counts[aske.id].passages == len(bench.entities.mentions(aske.id)) == 2
    log = next(d.id for d in bench.documents.all() if d.name == "log.txt")
    assert [(entity.id, times) for entity, times in bench.entities.names_in(log)] == [(aske.id, 1), (weir.id, 1)]
    assert [mention.passage.name for mention in bench.entities.occurrences("Klara Bost")] == ["mail.txt", "note2.txt"]
    with pytest.raises(NoSuchItem):
        bench.entities.names_in("D99")


def test_a_name_kept_or_taken_back_is_told(bench):
    bench.entities.add("Ruben Aske")
    undone = bench.case.undo()
    assert undone.changes.documents
    assert bench.entities.all() == []
