"""Conflicts of a case: grounded, kept, resolved, found again with their decision, within a budget."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.conflicts import scorer, service
from core.conflicts.results import basis_words
from core.conflicts.scorer import Scorer
from core.domain import Probabilities
from core.errors import BadInput, EngineStopped, NoSuchItem, ResultAltered
from core.progress import Cancelled, Progress
from core.store.result_log import ResultLog
from tests.fakes import ScriptedJudge

FIRST = """Press release of the works, 13 March 2025.

The dosing pump of the Weir Lane works in Ostermere stopped at night and was out of action for 47 minutes.

Bottled water is given out at the fire station in Corn Street from noon until the evening.
"""
TEXTS = {
    "first.txt": FIRST,
    "second.txt": FIRST.replace("47", "74"),
    "mail.txt": "To the management of the works.\n\nWe held your dosing pump for 47 minutes and then we let it go.\n",
    "report.txt": "A colleague wrote that Ruben Aske threatened to switch off the dosing pump. Ruben Aske denies this.",
    "letter.txt": "In the changing room Ruben Aske threatened loudly to switch off the dosing pump one night.\n",
    "school.txt": "The gutters of the school in Mill Road ran over during the storm, and nobody was hurt.\n",
}


@pytest.fixture
def bench(case_of):
    return case_of(TEXTS, who="Ann")


def test_every_position_is_a_span_of_its_page(bench):
    report = bench.conflicts.find()
    assert report.conflicts
    for record in report.conflicts:
        assert len(record.conflict.positions) > 1
        for position in record.conflict.positions:
            for source in position.sources:
                page = bench.store.pages.by_id(source.quote.page_id)
                assert page.text[source.quote.start : source.quote.end] == source.quote.text
                assert source.words in source.quote.text


def test_a_figure_a_correction_and_who_repeats_it(bench):
    first, second = (next(document.id for document in bench.documents.all() if document.name == name)
                     for name in ("first.txt", "second.txt"))  # fmt: skip
    bench.documents.supersede(first, second)
    record = next(row for row in bench.conflicts.find().conflicts if row.conflict.kind == "quantity")
    wrong, right = record.conflict.positions
    assert (wrong.text, right.text) == ("47 minutes", "74 minutes")
    assert [source.name for source in wrong.sources] == ["first.txt", "mail.txt"]
    assert wrong.note == "second.txt is a newer version of first.txt."
    assert right.note == ""
    assert wrong.sources[0].date == "2025-03-13"
    assert "___" in record.conflict.subject
    assert basis_words(record.conflict)


def test_a_denial_and_its_claim_are_positions(bench):
    record = next(row for row in bench.conflicts.find().conflicts if row.conflict.kind == "denial")
    assert {position.text for position in record.conflict.positions} == {
        "Ruben Aske denies this.",
        TEXTS["letter.txt"].strip(),
    }
    assert basis_words(record.conflict) == "One denies what the other says."


def test_conflicts_are_stored_until_the_documents_change(bench, tmp_path):
    first = bench.conflicts.find()
    assert [record.id for record in first.conflicts] == [record.id for record in bench.conflicts.all()]
    assert bench.conflicts.find().statements == 0
    second = bench.conflicts.find(again=True)
    assert second.conflicts == first.conflicts
    file = tmp_path / "more.txt"
    file.write_text("The church choir of Lower Haven sings on Sunday evening for the hospital.", "utf-8")
    bench.documents.add([file])
    assert all(record.is_stale for record in bench.conflicts.all())
    assert bench.conflicts.find().statements > 0
    assert not any(record.is_stale for record in bench.conflicts.all())


def test_a_decision_is_logged_stays_when_found_again_and_is_undone(bench):
    (record, *_) = bench.conflicts.find().conflicts
    changes = bench.conflicts.resolve(record.id, "held", position=2, note="The electrician compared the two.")
    assert changes.results
    decision = bench.conflicts.get(record.id)
    assert (decision.status, decision.position, decision.note, decision.by) == (
        "held", 2, "The electrician compared the two.", "Ann",
    )  # fmt: skip
    assert not decision.is_open
    bench.conflicts.find(again=True)
    assert bench.conflicts.get(record.id).status == "held"
    bench.conflicts.resolve(record.id, "held", position=1)
    assert bench.conflicts.get(record.id).position == 1
    bench.case.undo()
    assert bench.conflicts.get(record.id).position == 2
    bench.conflicts.resolve(record.id, "both")
    assert (bench.conflicts.get(record.id).status, bench.conflicts.get(record.id).position) == ("both", 0)
    bench.conflicts.resolve(record.id, "open")
    assert bench.conflicts.get(record.id).is_open
    assert bench.case.verify().ok


def test_an_invalid_decision_is_refused(bench):
    (record, *_) = bench.conflicts.find().conflicts
    for status, position in (("held", 0), ("held", 3), ("accepted", 0)):
        with pytest.raises(BadInput):
            bench.conflicts.resolve(record.id, status, position=position)
    with pytest.raises(NoSuchItem):
        bench.conflicts.resolve("X99", "both")


def test_a_resolved_conflict_is_in_the_report_with_its_statements(bench):
    record = bench.conflicts.find().conflicts[0]
    assert bench.reports.data().rulings == ()
    bench.conflicts.resolve(record.id, "held", position=2, note="Two logs agree.")
    (ruling,) = bench.reports.data().rulings
    assert (ruling.id, ruling.note) == (record.id, "Two logs agree.")
    assert ruling.decision == f"position 2 is right: “{record.conflict.positions[1].text}”"
    assert {places.partition(":")[0] for _, places in ruling.texts} == {"position 1", "position 2"}


def test_an_open_conflict_flags_the_evidence_that_quotes_it_until_somebody_resolves_it(bench):
    rivals = [bench.hypotheses.add(text).id for text in ("The pump was stopped by hand.", "The relay was faulty.")]
    (record, *_) = bench.conflicts.find().conflicts
    quote = record.conflict.positions[0].sources[0].quote
    row = bench.evidence.add_quote(quote.document, quote.page, quote.start, quote.end).id
    bench.evidence.rate_many([(row, rivals[0], "C"), (row, rivals[1], "I")])
    assert bench.conflicts.get(record.id).evidence == (row,)
    assert bench.conflicts.open_by_evidence(bench.evidence.all()) == {row: (record.id,)}
    assert "conflict" in bench.matrix.compute().rows[0].flags
    assert any("nobody has resolved" in warning for warning in bench.matrix.compute().warnings)
    changes = bench.conflicts.resolve(record.id, "both")
    assert changes.matrix
    assert "conflict" not in bench.matrix.compute().rows[0].flags
    assert bench.case.undo().changes.matrix
    assert "conflict" in bench.matrix.compute().rows[0].flags


def test_an_answer_names_the_open_conflicts_that_it_rests_on(bench):
    question = "For how many minutes was the dosing pump of the Weir Lane works out of action?"
    assert bench.answers.ask(question, keep=True).conflicts == ()
    records = bench.conflicts.find().conflicts
    (answer,) = bench.answers.all()
    assert answer.answer.points
    record = next(row for row in records if row.id in answer.conflicts)
    bench.conflicts.resolve(record.id, "both")
    assert record.id not in bench.answers.all()[0].conflicts


def test_without_a_judge_pairs_that_are_only_alike_are_counted(bench):
    bench.engines = replace(bench.engines, judge=None)
    report = bench.conflicts.find()
    assert report.pairs_judged == 0
    assert report.conflicts


class _Stopping(ScriptedJudge):
    def judge(self, passage, hypotheses):
        raise EngineStopped(engine="judge", item="a pair", reason="it was killed")


def test_conflicts_of_rules_survive_a_judge_that_stops(bench, tmp_path):
    count = len(bench.conflicts.find().conflicts)
    file = tmp_path / "more.txt"
    file.write_text(
        "At Weir Lane in Ostermere the dosing pump of the works did stand still for 95 minutes in all.", "utf-8"
    )
    bench.documents.add([file])
    bench.engines = replace(bench.engines, judge=_Stopping())
    report = bench.conflicts.find()
    assert len(report.conflicts) >= count
    assert any("were not judged" in note and "process ended" in note for note in report.notes)


class _Swapped(ScriptedJudge):
    def judge(self, passage, hypotheses):
        self.fingerprint = "other judge 1"  # its process was started anew, on another file of the same name
        return [Probabilities(0.02, 0.96, 0.02) for _ in hypotheses]


def test_answers_of_a_replaced_judge_do_not_count(bench, tmp_path):
    file = tmp_path / "more.txt"
    file.write_text(
        "At Weir Lane in Ostermere the dosing pump of the works did stand still for 95 minutes in all.", "utf-8"
    )
    bench.documents.add([file])
    bench.engines = replace(bench.engines, judge=_Swapped())
    report = bench.conflicts.find()
    assert report.pairs_judged == 0
    assert any("took the place of another model" in note for note in report.notes)


def test_documents_out_of_scope_are_not_read(bench):
    first = next(document.id for document in bench.documents.all() if document.name == "first.txt")
    bench.documents.set_included([first], False)
    names = {source.name for record in bench.conflicts.find().conflicts
             for position in record.conflict.positions for source in position.sources}  # fmt: skip
    assert "first.txt" not in names


def test_a_cancelled_run_stores_nothing(bench):
    progress = Progress(lambda count, total, label: progress.cancel())
    with pytest.raises(Cancelled):
        bench.conflicts.find(progress)
    assert bench.conflicts.all() == []


def test_many_contradictions_of_two_documents_are_counted(bench, tmp_path):
    names = [f"{chr(65 + n // 100)}{chr(97 + n // 10 % 10)}{chr(97 + n % 10)}Tessaric" for n in range(1_000)]
    for kilos in (10, 20):
        lines = [f"The sealed crate {name} of the depot in Ostermere weighs {kilos} kilos.\n" for name in names]
        (tmp_path / f"{kilos}.txt").write_text("\n".join(lines), "utf-8")
    bench.documents.add([tmp_path / "10.txt", tmp_path / "20.txt"])
    report = bench.conflicts.find()
    planted = [record for record in report.conflicts if "crate" in record.conflict.subject]
    assert len(planted) <= 10
    assert any("more places" in note for note in report.notes)


@pytest.mark.parametrize("place", ["position", "quote", "decision", "number"])
def test_an_altered_conflict_is_refused(bench, place, monkeypatch):
    bench.conflicts.find()
    conflict = next(row for row in bench.conflicts.all() if row.conflict.kind == "quantity").id
    bench.conflicts.resolve(conflict, "held", position=2)
    value = json.loads(bench.store.results.get("conflict", conflict).value)
    first = value["positions"][0]
    if place == "position":
        first["text"] = "99 minutes"
    elif place == "quote":
        first["text"] = "99 minutes"
        for source in first["sources"]:
            source["quote"]["text"] = "It was 99 minutes."
    with bench.store.db.unguarded() as db:
        db.execute("UPDATE conflict SET value = ? WHERE id = ?", (json.dumps(value), conflict))
        if place == "decision":
            db.execute("UPDATE resolution SET item = 'position x'")
        if place == "number":
            db.execute("UPDATE resolution SET item = 'position 9'")
    with pytest.raises(ResultAltered):
        bench.conflicts.all()
    monkeypatch.setattr(ResultLog, "prove", lambda *_args, **_options: None)  # a log that was forged to say the same
    record = bench.conflicts.get(conflict)
    words = [position.text for position in record.conflict.positions]
    assert "99 minutes" not in words
    if place in ("decision", "number"):
        assert (record.status, record.position) == ("open", 0)
    else:
        assert words == ["74 minutes"]
        assert (record.status, record.position) == ("held", 1)
    assert not bench.case.verify().ok


def test_conflicts_are_stale_if_a_document_was_removed_meanwhile(bench):
    mail = next(document.id for document in bench.documents.all() if document.name == "mail.txt")

    def go(_count, _total, label):
        if label == "Reading school.txt" and bench.documents.get(mail).status != "removed":
            bench.documents.remove([mail])

    records = bench.conflicts.find(Progress(go)).conflicts
    assert records
    assert all(record.is_stale for record in records)
    assert not any(record.is_stale for record in bench.conflicts.find().conflicts)


PADLOCK = {
    "keeper.txt": "At dusk I closed the sluice of the Tarn mill with the padlock myself.\n",
    "walker.txt": "There was no padlock at the sluice when we went by with the children.\n",
    "school.txt": "The gutters of the school in Mill Road ran over during the storm, and nobody was hurt.\n",
}


class _Contradicting(ScriptedJudge):
    """A judge that finds a contradiction in everything."""

    fingerprint = "contradicting judge 1"

    def judge(self, passage, hypotheses):
        super().judge(passage, hypotheses)
        return [Probabilities(0.1, 0.8, 0.1) for _ in hypotheses]


@pytest.mark.parametrize(("weight", "count"), [(9.0, 1), (0.0, 0)])
def test_a_measured_judge_reads_pairs_about_one_thing_in_both_directions(case_of, engines, monkeypatch, weight, count):
    judge = _Contradicting()
    fitted = Scorer(-4.0, {"judge both ways": weight}, 0.5)
    monkeypatch.setattr(scorer, "_scorers", lambda: {judge.fingerprint: fitted})
    monkeypatch.setattr(service, "_ONE_MATTER", 0)
    report = case_of(PADLOCK, engines=replace(engines, judge=judge)).conflicts.find()
    assert [record.conflict.basis for record in report.conflicts] == ["judge"] * count
    assert report.pairs_judged > 0
    texts = [text.strip() for text in (PADLOCK["keeper.txt"], PADLOCK["walker.txt"])]
    assert {(texts[0], (texts[1],)), (texts[1], (texts[0],))} <= set(judge.history)


def test_a_judge_without_a_scorer_reads_pairs_of_few_words_only_in_a_case_of_one_matter(case_of, engines, monkeypatch):
    bench = case_of(PADLOCK, engines=replace(engines, judge=_Contradicting()))
    report = bench.conflicts.find()
    assert [record.conflict.kind for record in report.conflicts] == ["denial"]
    monkeypatch.setattr(service, "_ONE_MATTER", 0)
    report = bench.conflicts.find(again=True)
    assert (report.conflicts, report.pairs_judged) == ((), 0)


# Statements of one matter, as a person would write them in a small case: few words, each in two documents.
FIRE = {
    "keller.txt": (
        "I left the workshop at 16:55 on Monday and locked the side door. There were fourteen drums of solvent in the "
        "store. The forklift was parked in hall B. My car was in the yard.\n"
    ),
    "osman.txt": (
        "Ruth Keller left the workshop at 19:10 on Monday. I counted nine drums of solvent in the store that evening. "
        "The forklift was parked in hall C.\n"
    ),
    "minutes.txt": (
        "The fire alarm went off at 21:40 on Monday 4 March. Damage is put at 60,000 euros. The insurer will send an "
        "adviser.\n"
    ),
    "brigade.txt": (
        "The fire alarm went off at 22:15 on Monday 4 March. The damage is put at 85,000 euros. "
        "Two engines were sent.\n"
    ),
}


class _Opposed(ScriptedJudge):
    def judge(self, passage, hypotheses):
        return [Probabilities(0.3, 0.4, 0.3) for _ in hypotheses]


def _positions(bench):
    records = bench.conflicts.find(again=True).conflicts
    return {frozenset(position.text for position in record.conflict.positions) for record in records}


def test_short_statements_of_one_matter_conflict_by_figure_time_and_place(case_of):
    rows = _positions(case_of(FIRE, who="Ann"))
    assert rows >= {frozenset({"21:40", "22:15"}), frozenset({"60,000 euros", "85,000 euros"}), frozenset("BC")}


def test_who_says_i_is_the_author_of_the_document(case_of):
    bench = case_of(FIRE, who="Ann")
    bench.engines = replace(bench.engines, judge=_Opposed())
    times = frozenset({"16:55", "19:10"})
    assert times not in _positions(bench)
    keller = next(document.id for document in bench.documents.all() if document.name == "keller.txt")
    bench.documents.describe([keller], author="Ruth Keller")
    assert times in _positions(bench)
