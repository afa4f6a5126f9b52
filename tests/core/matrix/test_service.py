"""What the ratings of a case amount to: views, blind rating, clusters, time, the group, considerations."""

from __future__ import annotations

import threading

import pytest

from core.domain import DEFAULT_RULE, GRADE_WEIGHTS
from core.errors import BadInput, NoSuchItem
from core.progress import silent
from core.workbench import Workbench
from tests.core.store.material import clock

RULE = DEFAULT_RULE


@pytest.fixture
def path(tmp_path):
    return tmp_path / "case.disconfirm"


@pytest.fixture
def bench(path, engines):
    with Workbench.create(path, engines, title="Pump", who="Ann", now=clock()) as bench:
        for text in ("The operator did it", "The vendor did it", "Nobody did it"):
            bench.hypotheses.add(text)
        for text, source in (("Log entry", "log"), ("Badge list", "badge"), ("Interview", "guard")):
            bench.evidence.add(text, source)
        yield bench


def sign(bench, who):
    bench.case.sign_as(who)
    return bench


def rate_rows(bench, **rows):
    """Rate rows against every hypothesis: E1="I C N"."""
    bench.evidence.rate_many(
        [(e, f"H{number}", rating) for e, cells in rows.items() for number, rating in enumerate(cells.split(), start=1)]
    )


# --- several analysts ------------------------------------------------------------------------------------------------


def test_the_group_shows_everybody_the_mean_and_the_coherent_aggregate(bench):
    bench.evidence.rate_many([("E1", "H1", "CC"), ("E1", "H2", "II"), ("E1", "H3", "I")])
    sign(bench, "Ben").evidence.rate_many([("E1", "H1", "II"), ("E1", "H2", "CC"), ("E1", "H3", "I")])
    bench.evidence.state_likelihood("H1", 0.9)
    group = bench.matrix.group()
    assert [opinion.by for opinion in group.opinions] == ["Ann", "Ben"]
    assert sum(group.aggregate.values()) == pytest.approx(1)
    assert sum(group.mean.values()) > 1.0001  # Ben's stated 0.9 does not fit his other two
    assert {(d.hypothesis, d.level) for d in group.disputes} == {
        ("H1", "extreme"),
        ("H2", "extreme"),
        ("H3", "consensus"),
    }


# --- weights, clusters, what-if --------------------------------------------------------------------------------------


def test_grades_weigh_by_the_table_that_the_analyst_sees(bench):
    bench.evidence.rate("E1", "H1", "I")
    bench.evidence.describe(["E1"], reliability="E", information="5")
    assert bench.matrix.compute().rows[0].weight == pytest.approx(GRADE_WEIGHTS["E"])
    bench.evidence.describe(["E1"], reliability="F", information="6")
    assert bench.matrix.compute().rows[0].weight == 1.0  # cannot be judged is not worst
    bench.evidence.describe(["E1"], reliability="A", information="")
    bench.case.change_settings(grade_weights={**GRADE_WEIGHTS, "A": 3.0})
    assert bench.matrix.compute().scores[RULE]["H1"] == pytest.approx(3.0)
    bench.case.undo()
    assert bench.matrix.compute().rows[0].weight == pytest.approx(GRADE_WEIGHTS["A"])
    for wrong in ({"reliability": "G"}, {"information": "7"}, {"credibility": "X"}, {"color": "red"}, {"text": " "}):
        with pytest.raises(BadInput):
            bench.evidence.describe(["E1"], **wrong)


def test_rows_of_one_upstream_count_once(bench):
    for row in ("E1", "E2", "E3"):
        bench.evidence.rate(row, "H1", "I")
    assert bench.matrix.compute().scores[RULE]["H1"] == 3.0
    bench.evidence.describe(["E1", "E2", "E3"], upstream="the leaked memo")
    matrix = bench.matrix.compute()
    assert matrix.scores[RULE]["H1"] == pytest.approx(1.0)
    assert [sorted(cluster) for cluster in matrix.clusters] == [["E1", "E2", "E3"]]
    bench.case.undo()
    assert bench.matrix.compute().scores[RULE]["H1"] == 3.0


def test_what_if_stores_nothing(bench):
    rate_rows(bench, E1="I C I", E2="N I N", E3="N II II")
    entries = len(bench.store.log.entries())
    assert bench.matrix.compute().leaders[RULE] == ("H1",)
    assert bench.matrix.compute(without_rows=["E2", "E3"]).leaders[RULE] == ("H2",)
    assert bench.matrix.compute(without_sources=["badge"]).scores[RULE]["H2"] == 2.0
    assert bench.matrix.compute().scores[RULE]["H2"] == 3.0
    assert len(bench.store.log.entries()) == entries


def test_priors_are_for_all_or_none(bench):
    bench.evidence.rate("E1", "H1", "N")
    bench.evidence.rate("E1", "H2", "N")
    bench.hypotheses.set_priors({"H1": 0.8, "H2": 0.1, "H3": 0.1})
    assert bench.matrix.compute().scores["bayes"]["H1"] == pytest.approx(0.8)
    with pytest.raises(BadInput):
        bench.hypotheses.set_priors({"H1": 1.0})
    bench.hypotheses.set_priors(None)
    assert bench.matrix.compute().scores["bayes"]["H1"] == pytest.approx(1 / 3)


def test_a_superseded_document_marks_its_rows(bench, tmp_path):
    for name in ("old.txt", "new.txt"):
        (tmp_path / name).write_text(f"The {name} report says the pump stopped.", "utf-8")
    bench.documents.add([tmp_path / "old.txt", tmp_path / "new.txt"])
    row = bench.evidence.add_quote("D1", 1, 0, 10).id
    bench.documents.supersede("D1", "D2")
    assert "superseded" in next(r for r in bench.matrix.compute().rows if r.id == row).flags
    with pytest.raises(BadInput):
        bench.documents.supersede("D2", "D1")
    bench.case.undo()
    assert "superseded" not in next(r for r in bench.matrix.compute().rows if r.id == row).flags


# --- time ------------------------------------------------------------------------------------------------------------


def test_the_matrix_as_of_any_moment(bench):
    moments = [bench.store.history.position()]
    for cell in (("E1", "H1", "I"), ("E2", "H2", "II"), ("E1", "H1", "II")):
        bench.evidence.rate(*cell)
        moments.append(bench.store.history.position())
    scores = [bench.matrix.compute(as_of=str(moment)).scores[RULE] for moment in moments]
    assert [(s["H1"], s["H2"]) for s in scores] == [(0, 0), (1, 0), (1, 2), (2, 2)]
    moment = bench.store.log.entries()[moments[1] - 1].at
    assert bench.matrix.compute(as_of=moment).scores[RULE]["H1"] == 1
    assert bench.matrix.compute(as_of=moment[:10]).scores[RULE]["H2"] == 2
    with pytest.raises(BadInput):
        bench.matrix.compute(as_of="yesterday")


def test_the_ranking_over_time_has_a_point_for_each_telling_decision(bench):
    bench.evidence.rate("E1", "H1", "I")
    bench.hypotheses.add_consideration("assumption", "The clock is right")
    bench.evidence.rate("E2", "H2", "II")
    bench.case.undo()
    points = bench.matrix.over_time()
    assert [point.verb for point in points[-3:]] == ["rate", "rate", "undo rate"]
    assert points[-1].scores == points[-3].scores == bench.matrix.compute().scores[RULE]
    assert points[-2].scores["H2"] == 2


def test_what_changed_names_what_moved_the_ranking(bench):
    rate_rows(bench, E1="I N N", E2="N II II", E3="N N N")
    first = str(bench.store.history.position())
    bench.evidence.rate("E1", "H1", "II")
    bench.evidence.rate("E3", "H3", "II")
    bench.evidence.rate("E3", "H1", "II")
    difference = bench.matrix.what_changed(first, str(bench.store.history.position()))
    moves = {(move.kind, move.evidence, move.hypothesis): move for move in difference.moves}
    assert set(moves) == {("rating", "E1", "H1"), ("rating", "E3", "H3"), ("rating", "E3", "H1")}
    assert moves["rating", "E1", "H1"].before == "I"
    assert difference.before.leaders[RULE] != difference.after.leaders[RULE]
    assert moves["rating", "E3", "H1"].moved
    with pytest.raises(BadInput):
        bench.matrix.what_changed(str(bench.store.history.position()), first)


# --- what stands beside the matrix -----------------------------------------------------------------------------------


def test_considerations_are_decisions_like_others(bench):
    added = bench.hypotheses.add_consideration("premortem", "The log was forged", hypothesis="H1")
    bench.hypotheses.edit_consideration(added.id, status="done")
    (consideration,) = bench.hypotheses.considerations("premortem")
    assert (consideration.status, consideration.hypothesis, consideration.by) == ("done", "H1", "Ann")
    bench.hypotheses.remove("H1")
    assert bench.hypotheses.considerations()[0].hypothesis == ""
    bench.case.undo()
    assert bench.hypotheses.considerations()[0].hypothesis == "H1"
    bench.hypotheses.remove_consideration(added.id)
    assert bench.hypotheses.considerations() == []
    for wrong in (("rumour", "x"), ("assumption", "  ")):
        with pytest.raises(BadInput):
            bench.hypotheses.add_consideration(*wrong)


def test_an_indicator_flags_only_documents_that_came_after_it(bench, tmp_path):
    (tmp_path / "old.txt").write_text("The badge reader was switched off at midnight.", "utf-8")
    bench.documents.add([tmp_path / "old.txt"])
    indicator = bench.hypotheses.add_consideration(
        "indicator", "A reader is switched off again", query="badge reader switched off"
    )
    assert bench.hypotheses.check_indicators() == ()
    (tmp_path / "new.txt").write_text("On Tuesday the badge reader was switched off once more.", "utf-8")
    bench.documents.add([tmp_path / "new.txt"])
    (hit,) = bench.hypotheses.check_indicators()
    assert (hit.consideration, hit.name) == (indicator.id, "new.txt")
    assert bench.documents.page(hit.document, hit.page).text[hit.start : hit.end] == hit.text
    bench.hypotheses.mark_seen(indicator.id)
    assert bench.hypotheses.check_indicators() == ()
    # The best of a single new document is no answer by being the best.
    (tmp_path / "other.txt").write_text("The off-licence by the river sells maps.", "utf-8")
    bench.documents.add([tmp_path / "other.txt"])
    assert bench.hypotheses.check_indicators() == ()


def test_everything_comes_back_after_closing(bench, path, engines):
    bench.evidence.rate("E1", "H1", "I")
    bench.evidence.describe(["E2"], reliability="B", date="2026-03-01", upstream="memo", note="ask again")
    bench.hypotheses.set_kind("H3", "null")
    bench.case.change_settings(blind=True)
    state = (
        bench.evidence.all(),
        bench.hypotheses.all(),
        bench.store.history.state().assessments,
        bench.case.settings(),
    )
    bench.close()
    with Workbench.open(path, engines, who="Ann", now=clock("2026-04-01T00:00:00+00:00")) as reopened_bench:
        assert (
            reopened_bench.evidence.all(),
            reopened_bench.hypotheses.all(),
            reopened_bench.store.history.state().assessments,
            reopened_bench.case.settings(),
        ) == state
        while reopened_bench.case.undo():
            pass
        assert reopened_bench.evidence.all() == []
        while reopened_bench.case.redo():
            pass
        assert (
            reopened_bench.evidence.all(),
            reopened_bench.hypotheses.all(),
            reopened_bench.store.history.state().assessments,
            reopened_bench.case.settings(),
        ) == state
        assert reopened_bench.case.verify().ok


# --- what rests on a quote -------------------------------------------------------------------------------------------


def test_what_rests_on_a_row_is_its_cells_and_the_sentences_that_would_change(bench):
    rate_rows(bench, E1="II C II", E2="C I II")
    bench.hypotheses.add_consideration("assumption", "The clock behind E1 was right", hypothesis="H2")
    impact = bench.matrix.removal_impact("E1")
    assert impact.evidence == ("E1",)
    assert impact.cells == (("E1", "H1"), ("E1", "H2"), ("E1", "H3"))
    assert (impact.leaders, impact.leaders_without) == (("H2",), ("H1",))
    assert impact.sentences[0] == "H2 leads; without E1 H1 would lead."
    pins = [pin for pin in bench.matrix.compute().linchpins if "E1" in (pin.evidence, *pin.rows)]
    assert pins
    assert {pin.sentence for pin in pins} < set(impact.sentences)
    assert "The clock behind E1 was right" in impact.sentences
    assert not any("E1" in sentence for sentence in bench.matrix.removal_impact("E3").sentences)


def test_a_row_that_changes_nothing_says_so(bench):
    bench.evidence.rate_many([("E1", "H1", "II"), ("E1", "H2", "C")])
    impact = bench.matrix.removal_impact("E3")
    assert (impact.evidence, impact.cells, impact.leaders) == (("E3",), (), impact.leaders_without)
    with pytest.raises(NoSuchItem):
        bench.matrix.removal_impact("E1", "E9")
    with pytest.raises(NoSuchItem):
        bench.matrix.removal_impact("D9")


def test_what_rests_on_a_document_is_what_quotes_it(bench, tmp_path):
    (tmp_path / "log.txt").write_text("The pump stopped at two. The guard slept.", "utf-8")
    bench.documents.add([tmp_path / "log.txt"])
    added = bench.evidence.add_quote("D1", 1, 0, 24)
    bench.evidence.rate(added.id, "H2", "I")
    impact = bench.matrix.removal_impact("D1")
    assert (impact.evidence, impact.cells, impact.proposals) == ((added.id,), ((added.id, "H2"),), ())


def _report(tmp_path, bench, *texts):
    for n, text in enumerate(texts):
        (tmp_path / f"{n}.txt").write_text(text, "utf-8")
    bench.documents.add([tmp_path / f"{n}.txt" for n in range(len(texts))])


AROUND = " ".join(f"Sentence {n} of the long report on hall {n % 7} says little." for n in range(60))
SAID = "Inspector Weber did not find the spare key in the office."


def _quoted(bench, document, words):
    start = bench.documents.page(document, 1).text.index(words)
    return bench.evidence.add_quote(document, 1, start, start + len(words)).id


@pytest.mark.parametrize(
    ("copy", "counts", "why"),
    [
        (SAID.replace("the office", "that office"), 1.0, "nearly the same words as"),
        (SAID.replace("Weber", "Webern"), 2.0, ""),
        (SAID.replace("did not", "did"), 2.0, ""),
        (f"{SAID} Nobody asked him again.", 1.0, "the words of"),
    ],
)
def test_rows_of_near_copies_count_once_unless_they_say_otherwise(bench, tmp_path, copy, counts, why):
    _report(tmp_path, bench, f"{AROUND} {SAID}", f"{AROUND} {copy}")
    rows = [_quoted(bench, "D1", SAID), _quoted(bench, "D2", copy)]
    for row in rows:
        bench.evidence.rate(row, "H1", "I")
    matrix = bench.matrix.compute()
    assert matrix.scores[RULE]["H1"] == pytest.approx(counts)
    origins = bench.evidence.shared_origins()
    assert (rows[1] in origins) is bool(why)
    if why:
        assert why in origins[rows[1]]
        assert rows[0] in origins[rows[1]]
        data = bench.reports.data()
        assert data.shared == origins
        report = bench.reports.render(".md", data, silent()).decode("utf-8")
        assert why in report
        bench.evidence.describe([rows[1]], upstream="seen by myself")  # the analyst knows better
        assert bench.matrix.compute().scores[RULE]["H1"] == pytest.approx(2.0)
        assert bench.evidence.shared_origins() == {}


def test_a_rating_given_while_a_matrix_is_computed_does_not_stand_in_the_earlier_one(bench, monkeypatch):
    bench.evidence.rate("E1", "H1", "C")
    moment = bench.store.history.position()
    read = bench.store.hypotheses.all
    rating = threading.Thread(target=bench.evidence.rate, args=("E1", "H1", "II"))

    def interrupted(*arguments):
        """Another thread rates in the midst of the reading, if it may."""
        if not rating.ident:
            rating.start()
            rating.join(0.3)
        return read(*arguments)

    monkeypatch.setattr(bench.store.hypotheses, "all", interrupted)
    bench.matrix.compute()
    rating.join()
    monkeypatch.undo()
    assert bench.store.history.position() == moment + 1
    assert bench.matrix.compute(as_of=str(moment)).scores[RULE]["H1"] == 0
    assert bench.matrix.compute().scores[RULE]["H1"] > 0
