"""Rows of evidence of a case: ratings, notes, history, what was looked for and not found."""

from __future__ import annotations

import pytest

from core.errors import BadInput, NoSuchItem
from core.workbench import Workbench
from tests.core.matrix.test_service import RULE, sign
from tests.core.store.material import clock


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "case.disconfirm", engines, title="Pump", who="Ann", now=clock()) as bench:
        for text in ("The operator did it", "The vendor did it", "Nobody did it"):
            bench.hypotheses.add(text)
        for text, source in (("Log entry", "log"), ("Badge list", "badge"), ("Interview", "guard")):
            bench.evidence.add(text, source)
        yield bench


def test_each_person_rates_in_their_own_name(bench):
    bench.evidence.rate("E1", "H1", "C")
    sign(bench, "Ben").evidence.rate("E1", "H1", "II")
    assert {(a.by, a.rating) for a in bench.evidence.assessments()} == {("Ann", "C"), ("Ben", "II")}
    assert bench.matrix.compute("Ann").rows[0].ratings == {"H1": "C"}
    assert bench.matrix.compute("mine").rows[0].ratings == {"H1": "II"}
    assert bench.matrix.compute().rows[0].ratings == {"H1": "N"}  # on both sides of neutral
    bench.evidence.rate("E1", "H1", None)
    assert [(a.by, a.rating) for a in bench.evidence.assessments()] == [("Ann", "C")]
    assert bench.evidence.raters() == ("Ann",)


def test_an_unsigned_rating_gives_way_to_a_signed_one(bench):
    sign(bench, "").evidence.rate("E1", "H1", "C")
    sign(bench, "Ann").evidence.rate("E1", "H1", "I")
    assert [(a.by, a.rating) for a in bench.evidence.assessments()] == [("Ann", "I")]
    bench.case.undo()
    assert [a.rating for a in bench.evidence.assessments()] == ["C"]


def test_many_cells_are_one_decision(bench):
    bench.evidence.rate_many([("E1", "H1", "C"), ("E2", "H2", "II"), ("E3", "H3", "NA")])
    assert len(bench.evidence.assessments()) == 3
    bench.case.undo()
    assert bench.evidence.assessments() == []
    with pytest.raises(NoSuchItem):
        bench.evidence.rate_many([("E1", "H1", "C"), ("E9", "H1", "C")])
    assert bench.evidence.assessments() == []


def test_blind_hides_others_until_ones_own_is_given(bench):
    bench.evidence.rate_many([("E1", "H1", "C"), ("E2", "H1", "I")])
    bench.case.change_settings(blind=True)
    sign(bench, "Ben")
    assert bench.evidence.assessments() == []
    assert len(bench.evidence.assessments(everyone=True)) == 2
    assert bench.matrix.compute().rows[0].ratings == {}
    assert bench.matrix.group().opinions == ()
    bench.evidence.rate("E1", "H1", "II")
    assert {(a.evidence, a.by) for a in bench.evidence.assessments()} == {("E1", "Ann"), ("E1", "Ben")}
    assert [d.evidence for d in bench.matrix.group().disputes] == ["E1"]


def test_stated_likelihoods_of_colleagues_stay_hidden_too(bench):
    bench.case.change_settings(blind=True)
    bench.evidence.state_likelihood("H1", 0.7)
    sign(bench, "Ben")
    assert bench.evidence.likelihoods() == []
    bench.evidence.state_likelihood("H1", 0.2)
    assert {(x.by, x.value) for x in bench.evidence.likelihoods()} == {("Ann", 0.7), ("Ben", 0.2)}
    with pytest.raises(BadInput):
        bench.evidence.state_likelihood("H1", 1.2)


def test_a_note_belongs_to_ones_own_rating(bench):
    with pytest.raises(BadInput):
        bench.evidence.annotate("E1", "H1", note="why")
    bench.evidence.rate("E1", "H1", "C")
    bench.evidence.annotate("E1", "H1", note="why", confidence="low")
    (assessment,) = bench.evidence.assessments()
    assert (assessment.note, assessment.confidence) == ("why", "low")
    bench.evidence.rate("E1", "H1", "I")
    (assessment,) = bench.evidence.assessments()
    assert (assessment.rating, assessment.note) == ("I", "why")
    with pytest.raises(BadInput):
        bench.evidence.annotate("E1", "H1", confidence="certain")
    sign(bench, "Ben")
    with pytest.raises(BadInput):
        bench.evidence.annotate("E1", "H1", note="not mine")


def test_copies_of_one_report_are_found_and_count_once(bench, tmp_path):
    sentence = "The dosing pump stopped at 02:14 after somebody had opened the valve by hand."
    for name, text in (("a.txt", sentence), ("b.txt", f"Quoted from the log. {sentence}"), ("c.txt", "It was 02:15.")):
        (tmp_path / name).write_text(text, "utf-8")
    bench.documents.add([tmp_path / name for name in ("a.txt", "b.txt", "c.txt")])
    added = []
    for document in ("D1", "D2"):
        start = bench.documents.page(document, 1).text.index(sentence)
        added.append(bench.evidence.add_quote(document, 1, start, start + len(sentence)).id)
    for row in added:
        bench.evidence.rate(row, "H1", "II")
    assert bench.matrix.compute().scores[RULE]["H1"] == pytest.approx(2.0)
    bench.evidence.describe([added[1]], upstream="own observation")  # the analyst knows better
    assert bench.matrix.compute().scores[RULE]["H1"] == pytest.approx(4.0)


def test_the_history_of_a_cell_names_who_and_what(bench):
    bench.evidence.rate("E1", "H1", "I")
    sign(bench, "Ben").evidence.rate("E1", "H1", "C")
    bench.evidence.annotate("E1", "H1", note="saw it", confidence="high")
    bench.evidence.rate("E1", "H2", "N")
    bench.case.undo()
    past = bench.evidence.history("E1", "H1")
    assert [(p.who, p.before, p.after) for p in past if p.verb != "add evidence"] == [
        ("Ann", "", "I"),
        ("Ben", "", "C"),
        ("Ben", "C", "C, confidence high, “saw it”"),
    ]
    assert [p.verb for p in bench.evidence.history("E1", "H2")][-2:] == ["rate", "undo rate"]
    bench.evidence.describe(["E1"], reliability="B")
    assert bench.evidence.history("E1")[-1].after == "reliability of the source: B"


def test_absence_is_a_row_with_its_searches(bench, tmp_path):
    (tmp_path / "log.txt").write_text("The pump stopped. Nobody was in the room.", "utf-8")
    bench.documents.add([tmp_path / "log.txt"])
    added = bench.evidence.add_absence("H2", "A login of the vendor", ["vendor login", "remote session"])
    row = next(item for item in bench.evidence.all() if item.id == added.id)
    assert row.kind == "absence"
    assert row.absence.queries == ("vendor login", "remote session")
    assert (row.absence.hypothesis, row.absence.documents) == ("H2", 1)
    assert row.source.endswith("not found")
    bench.evidence.rate(row.id, "H2", "I")
    assert bench.matrix.compute().scores[RULE]["H2"] == 1
    for wrong in (("", ["x"]), ("text", [" "]), ("text", ["pump", "☎ →"])):
        with pytest.raises(BadInput):
            bench.evidence.add_absence("H2", *wrong)


@pytest.mark.parametrize(
    ("text", "query", "count"),
    [
        ("Das Lager war trocken und wurde nicht geschmiert.", "Lagern", 1),
        ("泵房的门锁没有损坏。", "门锁", 1),
        ("Подшипники не смазывались.", "подшипник", 1),
        ("The bearing was dry.", "dry bearings", 1),
        ("The bearing was dry.", "dry lock", 0),
    ],
)
def test_an_absence_says_that_the_words_of_its_search_stand_in_the_documents(bench, tmp_path, text, query, count):
    (tmp_path / "log.txt").write_text(text, "utf-8")
    (tmp_path / "menu.txt").write_text("Soup and bread.", "utf-8")
    bench.documents.add([tmp_path / "menu.txt"])
    bench.documents.add([tmp_path / "log.txt"])
    bench.evidence.add_absence("H2", "A report of it", [query])
    source = bench.evidence.all()[-1].source
    assert source.endswith(f"not found, though {count} passage holds the words" if count else "not found")
    bench.documents.set_included([bench.documents.all()[-1].id], False)
    bench.evidence.add_absence("H2", "Another report of it", [query])
    assert bench.evidence.all()[-1].source.endswith("not found")


def test_an_absence_counts_what_its_searches_could_not_reach(bench, tmp_path):
    for name, text in (
        ("menu.txt", "Soup and bread were served to the crew at noon."),
        ("old.txt", "The crew had been at sea for nine days."),
        ("heft.txt", "Der Koch hat die Suppe nicht gekocht, und das Brot war alt und hart."),
        ("brief.txt", "Die Mannschaft war mit dem Koch nicht zufrieden, denn er hat das Salz vergessen."),
    ):
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "torn.txt").write_bytes(b"\xff\xfe torn \xff")
    bench.documents.add([tmp_path / name for name in ("menu.txt", "old.txt", "heft.txt", "brief.txt", "torn.txt")])
    by_name = {document.name: document for document in bench.documents.all()}
    bench.documents.set_included([by_name["old.txt"].id], False)
    for name in ("heft.txt", "brief.txt"):
        bench.documents.describe([by_name[name].id], language="de")
    bench.evidence.add_absence("H2", "A complaint of the cook about the crew", ["Koch gekocht", "the cook complained"])
    absence = bench.evidence.all()[-1].absence
    assert (absence.documents, absence.out_of_scope, absence.foreign, absence.unread) == (2, 1, 1, 1)
    words = "(not searched: 1 document not read, 1 document out of scope, 1 document in another language); not found"
    assert words in bench.evidence.all()[-1].source


def test_nothing_is_called_absent_where_nothing_was_searched(bench, tmp_path):
    with pytest.raises(BadInput, match="No document in scope has text"):
        bench.evidence.add_absence("H2", "A login", ["vendor login"])
    (tmp_path / "heft.txt").write_text("Der Koch hat die Suppe nicht gekocht, und das Brot war alt.", "utf-8")
    bench.documents.add([tmp_path / "heft.txt"])
    bench.documents.describe([bench.documents.all()[0].id], language="de")
    with pytest.raises(BadInput, match="another language"):
        bench.evidence.add_absence("H2", "A complaint", ["the cook was angry with the crew"])
    assert len(bench.evidence.all()) == 3


def test_a_search_says_that_a_file_could_not_be_read(bench, tmp_path):
    (tmp_path / "menu.txt").write_text("Soup and bread.", "utf-8")
    (tmp_path / "torn.txt").write_bytes(b"\xff\xfe torn \xff")
    bench.documents.add([tmp_path / "menu.txt", tmp_path / "torn.txt"])
    assert bench.search.unsearched()[1] == ["1 document could not be read: see Documents."]


def test_the_upstream_that_the_analyst_names_is_told(bench):
    bench.evidence.describe(["E1", "E2"], upstream="the leaked memo")
    origins = bench.evidence.shared_origins()
    assert set(origins) == {"E1", "E2"}
    assert all("the leaked memo" in sentence for sentence in origins.values())
