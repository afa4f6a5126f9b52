"""Review across the matrix: rows made of a passage, rows joined, and ratings suggested for a hypothesis added later."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import BadInput, BadRating, ModelMissing, NoSuchItem
from core.progress import Cancelled, Progress
from core.review import passages
from core.workbench import Workbench
from tests.core.store.material import clock
from tests.fakes import ScriptedJudge

pytestmark = pytest.mark.usefixtures("sentence_windows")

LOG = (
    "The night log shows that the dosing pump stopped at 02:14. The operator did not touch the dosing pump. "
    "The vendor account opened the valve remotely that night.\n"
)


@pytest.fixture
def bench(tmp_path, engines):
    (tmp_path / "log.txt").write_text(LOG, "utf-8")
    with Workbench.create(tmp_path / "case.disconfirm", engines, title="Pump", who="ann", now=clock()) as bench:
        bench.documents.add([tmp_path / "log.txt"])
        bench.hypotheses.add("The operator stopped the dosing pump.")
        bench.hypotheses.add("The vendor account opened the valve.")
        bench.review.propose(rows=True)
        yield bench


def the_card(bench):
    (card,) = bench.passages.cards()
    return card


QUIET = "It was a quiet night at the works. Then the vendor account opened the valve remotely. Nothing else moved."


@pytest.fixture
def quiet(tmp_path, engines):
    """A case of one passage that says something on the first hypothesis, and nothing on the second."""
    (tmp_path / "quiet.txt").write_text(QUIET, "utf-8")
    with Workbench.create(tmp_path / "quiet.disconfirm", engines, who="ann", now=clock()) as bench:
        bench.documents.add([tmp_path / "quiet.txt"])
        bench.hypotheses.add("The vendor account opened the valve remotely.")
        bench.hypotheses.add("Quiet rain flooded basements.")
        bench.review.propose(rows=True)
        yield bench


def test_a_quote_that_says_nothing_does_not_stretch_the_row(quiet):
    (card,) = quiet.passages.cards()
    assert [p.verdict.label for p in card.proposals.values()] == ["supports", "neutral"]
    quiet.passages.accept([p.id for p in card.proposals.values()])
    (row,) = quiet.evidence.all()
    assert row.quote == card.proposals["H1"].quote.text
    quiet.evidence.remove(row.id)
    assert {p.status for p in quiet.verdicts.proposals()} == {"pending"}


def page_text(bench, row):
    return bench.documents.page(row.document, row.page).text


def test_a_passage_is_one_card_with_a_verdict_for_every_hypothesis(bench):
    card = the_card(bench)
    assert [*card.proposals] == ["H1", "H2"]
    assert bench.passages.cards(status="accepted") == []


def test_a_passage_is_held_against_those_alone_that_were_not_judged(bench, tmp_path, monkeypatch):
    near = [LOG.replace("02:14", f"03:{minute:02}") for minute in range(3)]
    for number, text in enumerate(near[:2]):
        (tmp_path / f"copy {number}.txt").write_text(text, "utf-8")
    bench.documents.add([tmp_path / "copy 0.txt", tmp_path / "copy 1.txt"])
    held = []
    copies_among = passages.copies.copies_among
    monkeypatch.setattr(
        passages.copies, "copies_among", lambda text, texts: held.append(texts) or copies_among(text, texts)
    )
    assert len(the_card(bench).copies) == 2
    assert [len(texts) for texts in held] == [2]
    bench.review.propose(rows=True)
    assert len(the_card(bench).copies) == 2
    (tmp_path / "copy 2.txt").write_text(near[2], "utf-8")
    bench.documents.add([tmp_path / "copy 2.txt"])
    assert len(the_card(bench).copies) == 3
    assert [len(texts) for texts in held] == [2, 1]


def test_one_decision_makes_one_row_that_holds_all_quotes(bench):
    card = the_card(bench)
    acceptance = bench.passages.accept([p.id for p in card.all])
    (row,) = bench.evidence.all()
    assert row.id == acceptance.evidence
    quotes = [p.quote for p in card.all]
    assert (row.start, row.end) == (min(q.start for q in quotes), max(q.end for q in quotes))
    assert row.quote == page_text(bench, row)[row.start : row.end]
    assert {s.hypothesis for s in bench.evidence.suggestions()} == set(acceptance.suggested) != set()
    assert bench.evidence.assessments() == []
    assert [card.status for card in bench.passages.cards()] == ["accepted"]
    assert bench.case.verify().ok


def test_confirming_rates_as_the_model_suggests_and_ones_own_rating_comes_first(bench):
    card = the_card(bench)
    acceptance = bench.passages.accept([p.id for p in card.proposals.values()], confirm=True, ratings={"H1": "CC"})
    ratings = {a.hypothesis: a.rating for a in bench.evidence.assessments()}
    assert ratings["H1"] == "CC"
    suggested = {s.hypothesis: s.rating for s in bench.evidence.suggestions()}
    assert ratings == {**suggested, "H1": "CC"}
    assert set(acceptance.rated) == set(ratings)


def test_undo_takes_the_row_its_ratings_and_suggestions_back_at_once(bench):
    card = the_card(bench)
    bench.passages.accept([p.id for p in card.proposals.values()], confirm=True)
    bench.case.undo()
    assert (bench.evidence.all(), bench.evidence.assessments(), bench.evidence.suggestions()) == ([], [], [])
    assert the_card(bench).status == "pending"
    bench.case.redo()
    assert len(bench.evidence.all()) == 1
    assert bench.case.verify().ok


def test_removing_the_row_makes_all_of_its_proposals_pending_again(bench):
    card = the_card(bench)
    acceptance = bench.passages.accept([p.id for p in card.proposals.values()])
    bench.evidence.remove(acceptance.evidence)
    assert {p.status for p in bench.verdicts.proposals()} == {"pending"}


def test_removing_a_row_leaves_accepted_what_another_row_still_quotes(bench):
    first, second = the_card(bench).proposals.values()
    ((alone, _),) = bench.review.accept([first.id]).pairs
    acceptance = bench.passages.accept([first.id, second.id])
    assert acceptance.evidence != alone
    bench.evidence.remove(acceptance.evidence)
    statuses = {p.id: p.status for p in bench.verdicts.proposals()}
    assert statuses[first.id] == "accepted"
    assert statuses[second.id] == "pending"


@pytest.mark.parametrize(
    ("proposals", "ratings", "error"),
    [([], {}, BadInput), (["P99"], {}, NoSuchItem), (None, {"H9": "C"}, NoSuchItem), (None, {"H1": "X"}, BadRating)],
)
def test_nothing_is_accepted_of_what_cannot_be(bench, proposals, ratings, error):
    ids = [p.id for p in the_card(bench).proposals.values()] if proposals is None else proposals
    with pytest.raises(error):
        bench.passages.accept(ids, ratings=ratings)
    assert bench.evidence.all() == []
    assert the_card(bench).status == "pending"


def test_proposals_of_two_passages_are_no_row(bench, tmp_path):
    (tmp_path / "memo.txt").write_text("The vendor account was never used to open a valve.", "utf-8")
    bench.documents.add([tmp_path / "memo.txt"])
    bench.review.propose(rows=True)
    first, second = bench.passages.cards()
    with pytest.raises(BadInput):
        bench.passages.accept([*(p.id for c in (first, second) for p in c.proposals.values())])


def test_rows_of_one_passage_are_offered_for_joining_and_keep_all_ratings(bench):
    first, second = the_card(bench).proposals.values()
    rows = [evidence for evidence, _ in bench.review.accept([first.id, second.id], rate=True).pairs]
    assert len(rows) == 2
    bench.evidence.rate(rows[0], "H1", "C")
    bench.evidence.rate(rows[1], "H2", "II")
    assert bench.passages.joinable() == [tuple(rows)]
    assert len(bench.evidence.all()) == 2  # never joined by itself
    suggestions = {(s.hypothesis, s.rating) for s in bench.evidence.suggestions()}
    bench.passages.join(rows)
    (row,) = bench.evidence.all()
    assert row.id == rows[0]
    assert row.quote == row.text == page_text(bench, row)[row.start : row.end]
    assert {(a.hypothesis, a.rating) for a in bench.evidence.assessments()} == {("H1", "C"), ("H2", "II")}
    assert {(s.hypothesis, s.rating) for s in bench.evidence.suggestions()} == suggestions
    assert bench.passages.joinable() == []
    assert bench.case.verify().ok
    bench.case.undo()
    assert [row.id for row in bench.evidence.all()] == rows
    assert bench.case.verify().ok


def test_rows_with_contradictory_ratings_are_not_joined(bench):
    rows = [evidence for evidence, _ in bench.review.accept([p.id for p in the_card(bench).proposals.values()]).pairs]
    bench.evidence.rate(rows[0], "H1", "C")
    bench.evidence.rate(rows[1], "H1", "I")
    with pytest.raises(BadInput, match="H1"):
        bench.passages.join(rows)
    assert [row.id for row in bench.evidence.all()] == rows


def test_joining_loses_no_words_of_a_person(bench):
    rows = [evidence for evidence, _ in bench.review.accept([p.id for p in the_card(bench).proposals.values()]).pairs]
    bench.evidence.describe([rows[0]], text="The operator kept away.")
    for row, note in zip(rows, ("", "Seen twice."), strict=True):
        bench.evidence.rate(row, "H1", "C")
        bench.evidence.annotate(row, "H1", note=note, confidence="high" if note else None)
    bench.passages.join(rows)
    (row,) = bench.evidence.all()
    (rating,) = bench.evidence.assessments()
    assert row.text == "The operator kept away."
    assert row.quote == page_text(bench, row)[row.start : row.end]
    assert (rating.note, rating.confidence) == ("Seen twice.", "high")
    assert bench.case.verify().ok


def test_what_is_not_there_is_said_before_what_is_of_another_passage(bench):
    bench.review.accept([the_card(bench).proposals["H1"].id])
    with pytest.raises(NoSuchItem, match="E9"):
        bench.passages.join(["E1", "E9"])
    own_row = bench.evidence.add("Seen from the gate.", source="a guard").id
    with pytest.raises(BadInput, match="E1 does not quote the same passage as another row"):
        bench.passages.join(["E1", own_row])


@pytest.fixture
def old_rows(bench):
    """Two rows of one passage; the page of both was read again since, and what they quote does not stand there."""
    rows = [evidence for evidence, _ in bench.review.accept([p.id for p in the_card(bench).proposals.values()]).pairs]
    bench.case._store.db.execute("UPDATE evidence SET page_sha256 = ?", ("ab" * 32,))
    return rows


def test_rows_whose_page_was_read_again_are_not_joined(bench, old_rows):
    assert bench.passages.joinable() == []
    with pytest.raises(BadInput):
        bench.passages.join(old_rows)
    assert [row.id for row in bench.evidence.all()] == old_rows


def test_a_row_whose_page_was_read_again_is_not_judged(bench, old_rows):
    new = bench.hypotheses.add("The dosing pump stopped at 02:14.")
    report = bench.passages.suggest_ratings(new.id)
    assert report.ratings == ()
    assert [note.split()[0] for note in report.notes] == old_rows


def test_a_neutral_verdict_waits_again_although_the_row_came_by_another_way(quiet):
    quiet.evidence.add_quote("D1", 1, QUIET.index("Nothing"), len(QUIET))
    row = quiet.passages.accept([p.id for p in quiet.verdicts.proposals()])
    quiet.passages.join(["E1", row.evidence])
    quiet.evidence.remove("E1")
    assert {p.status for p in quiet.verdicts.proposals()} == {"pending"}
    row = quiet.passages.accept([p.id for p in quiet.verdicts.proposals()])
    quiet.hypotheses.remove("H1")  # with the proposal that the row names
    quiet.evidence.remove(row.evidence)
    assert [(p.hypothesis, p.status) for p in quiet.verdicts.proposals()] == [("H2", "pending")]


def test_where_rating_is_blind_a_suggestion_is_not_told(bench):
    row = bench.passages.accept([p.id for p in the_card(bench).proposals.values()])
    new = bench.hypotheses.add("The dosing pump stopped at 02:14.")
    bench.case.change_settings(blind=True)
    assert bench.passages.suggest_ratings(new.id).ratings == ((row.evidence, None),)
    assert not [s for s in bench.evidence.suggestions() if s.hypothesis == new.id]
    bench.evidence.rate(row.evidence, new.id, "N")
    assert [s for s in bench.evidence.suggestions() if s.hypothesis == new.id]


def test_a_row_that_is_removed_while_the_judge_reads_costs_no_other_suggestion(bench, tmp_path):
    (tmp_path / "memo.txt").write_text("The vendor account was never used to open a valve.", "utf-8")
    bench.documents.add([tmp_path / "memo.txt"])
    bench.review.propose(rows=True)
    rows = [bench.passages.accept([p.id for p in c.proposals.values()]).evidence for c in bench.passages.cards()]
    new = bench.hypotheses.add("The vendor account opened the dosing pump.")

    def remove_first(_done, _total, text):
        if rows[1] in text and len(bench.evidence.all()) == 2:
            bench.evidence.remove(rows[0])

    bench.passages.suggest_ratings(new.id, Progress(remove_first))
    assert [s.evidence for s in bench.evidence.suggestions() if s.hypothesis == new.id] == [rows[1]]


def test_a_row_by_hand_is_not_joined(bench):
    rows = [evidence for evidence, _ in bench.review.accept([p.id for p in the_card(bench).proposals.values()]).pairs]
    own_row = bench.evidence.add("Seen from the gate.", source="a guard").id
    for ids in ([rows[0]], [rows[0], own_row], [rows[0], "E99"]):
        with pytest.raises((BadInput, NoSuchItem)):
            bench.passages.join(ids)
    assert len(bench.evidence.all()) == 3


def test_rows_that_stand_get_suggestions_for_a_hypothesis_added_later(bench):
    acceptance = bench.passages.accept([p.id for p in the_card(bench).proposals.values()])
    own_row = bench.evidence.add("Seen from the gate.", source="a guard").id
    added = bench.hypotheses.add("The dosing pump stopped at 02:14.")
    report = bench.passages.suggest_ratings(added.id)
    assert [evidence for evidence, _ in report.ratings] == [acceptance.evidence]
    assert [note for note in report.notes if note.startswith(own_row)]
    assert {s.evidence for s in bench.evidence.suggestions() if s.hypothesis == added.id} == {acceptance.evidence}
    assert bench.passages.suggest_ratings(added.id).ratings == ()  # nothing is asked twice
    bench.case.undo()
    assert not [s for s in bench.evidence.suggestions() if s.hypothesis == added.id]


def test_all_proposals_are_read_once_however_many_rows_are_judged(bench, tmp_path, monkeypatch):
    pages = [f"The vendor opened valve {number}. Nobody saw who did it." for number in range(4)]
    (tmp_path / "memo.txt").write_text("\f".join(pages), "utf-8")
    bench.documents.add([tmp_path / "memo.txt"])
    for number, page in enumerate(pages, start=1):
        bench.evidence.add_quote("D2", number, 0, len(page))
    new = bench.hypotheses.add("The dosing pump stopped at 02:14.")
    proposals, reads = bench.case._store.proposals, []
    every = proposals.all
    monkeypatch.setattr(proposals, "all", lambda **filters: reads.append(filters) or every(**filters))
    bench.passages.suggest_ratings(new.id)
    assert len(bench.verdicts.proposals(new.id)) == 4
    assert len(reads) == 2


def test_a_cell_that_somebody_rated_gets_no_suggestion(bench):
    acceptance = bench.passages.accept([p.id for p in the_card(bench).proposals.values()])
    added = bench.hypotheses.add("The dosing pump stopped at 02:14.")
    bench.evidence.rate(acceptance.evidence, added.id, "N")
    assert bench.passages.suggest_ratings(added.id).ratings == ()


def test_what_was_suggested_before_a_cancelled_run_stays(bench, tmp_path):
    (tmp_path / "memo.txt").write_text("The vendor account was never used to open a valve.", "utf-8")
    bench.documents.add([tmp_path / "memo.txt"])
    bench.review.propose(rows=True)
    for card in bench.passages.cards():
        bench.passages.accept([p.id for p in card.proposals.values()])
    added = bench.hypotheses.add("The dosing pump stopped at 02:14.")

    def stop(count, _total, _text):
        if count == 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        bench.passages.suggest_ratings(added.id, Progress(stop))
    assert len([s for s in bench.evidence.suggestions() if s.hypothesis == added.id]) <= 1


def test_without_a_judge_nothing_is_suggested(bench):
    bench.passages.accept([p.id for p in the_card(bench).proposals.values()])
    added = bench.hypotheses.add("The dosing pump stopped at 02:14.")
    bench.engines = replace(bench.engines, judge=None)
    with pytest.raises(ModelMissing):
        bench.passages.suggest_ratings(added.id)


def test_whole_rows_are_judged_only_where_that_is_asked_for(tmp_path, engines):
    judge = ScriptedJudge()
    for name, text in (("a", "The operator stopped the pump."), ("b", "A valve was opened by the vendor.")):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    with Workbench.create(tmp_path / "c.disconfirm", replace(engines, judge=judge), who="ann", now=clock()) as bench:
        bench.documents.add([tmp_path / "a.txt", tmp_path / "b.txt"])
        bench.hypotheses.add("The operator stopped the pump.")
        bench.hypotheses.add("The vendor opened a valve.")
        bench.review.propose(passages=1)
        assert {len(card.proposals) for card in bench.passages.cards()} == {1}
        report = bench.review.propose(passages=1, rows=True)
        assert {len(card.proposals) for card in bench.passages.cards()} == {2}
        assert (report.passages, report.passages_judged) == (2, 4)


def test_a_row_is_split_into_its_quotes_with_their_ratings_and_joined_again(bench):
    card = the_card(bench)
    acceptance = bench.passages.accept([p.id for p in card.proposals.values()], confirm=True)
    ratings = {(a.hypothesis, a.rating) for a in bench.evidence.assessments()}
    (whole,) = bench.evidence.all()
    rows = bench.passages.split(acceptance.evidence).rows
    assert rows[0] == acceptance.evidence
    assert [row.id for row in bench.evidence.all()] == list(rows) == bench.passages.rows_in(card.passage)
    for row in bench.evidence.all():
        assert row.quote == row.text == page_text(bench, row)[row.start : row.end]
        hypotheses = {a.hypothesis for a in bench.evidence.assessments() if a.evidence == row.id}
        quotes = {p.hypothesis for p in card.proposals.values() if (p.quote.start, p.quote.end) == (row.start, row.end)}
        assert hypotheses <= quotes
    assert {(a.hypothesis, a.rating) for a in bench.evidence.assessments()} == ratings
    assert bench.case.verify().ok
    bench.passages.join(rows)
    (row,) = bench.evidence.all()
    assert (row.start, row.end) == (whole.start, whole.end)
    bench.case.undo()
    bench.case.undo()
    assert bench.evidence.all() == [whole]
    assert bench.case.verify().ok


def test_a_row_of_one_quote_is_not_split(bench):
    acceptance = bench.passages.accept([the_card(bench).proposals["H1"].id])
    with pytest.raises(BadInput, match="one quote"):
        bench.passages.split(acceptance.evidence)
    with pytest.raises(NoSuchItem):
        bench.passages.split("E99")
    own_row = bench.evidence.add("Seen from the gate.", source="a guard").id
    with pytest.raises(BadInput):
        bench.passages.split(own_row)
