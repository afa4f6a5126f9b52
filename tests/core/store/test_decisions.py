"""Decisions, the log of them, undo and redo."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.domain import RATINGS, Quote
from core.errors import AppError, BadInput, BadRating, QuoteNotProven
from core.evidence.quotes import span
from core.progress import silent
from core.store import CaseFile
from core.store import decision_log as logs
from tests.core.store.material import TEXTS, add, clock, decisions, embed, fill, proposal, suggestion, tamper


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.disconfirm"


@pytest.fixture
def case(path):
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as opened:
        yield opened


@pytest.fixture
def filled(case):
    fill(case)
    return case


def test_title(case):
    assert case.settings.title() == "Pump"
    case.settings.set_title("Valve")
    case.undo.undo()
    assert case.settings.title() == "Pump"


def test_accepting_the_same_span_twice_is_one_piece_of_evidence(filled):
    first = filled.evidence.all()[0]
    assert (first.id, first.method, first.quote) == ("E1", "corpus", TEXTS[0].split(" The")[0])
    assert [p.status for p in filled.proposals.all()] == ["accepted", "accepted", "rejected"]
    assert filled.proposals.accept(["P1"]) == [("E1", "P1")]
    assert filled.evidence.all()[0].proposal == "P1"
    assert filled.evidence.all()[0].source == "file 1.txt"
    assert [s.evidence for s in filled.ratings.suggestions()] == ["E1"]


def test_a_rejected_proposal_can_be_accepted_and_an_accepted_one_not_rejected(filled):
    assert filled.proposals.accept(["P3"]) == [("E3", "P3")]
    with pytest.raises(BadInput):
        filled.proposals.reject(["P3"])
    filled.evidence.remove("E3")
    assert filled.proposals.get("P3").status == "pending"
    filled.proposals.reject(["P3"])


def test_nothing_is_accepted_when_one_of_many_is_wrong(filled):
    before = decisions(filled)
    with pytest.raises(AppError):
        filled.proposals.accept(["P3", "P77"])
    with pytest.raises(BadRating):
        filled.proposals.accept(["P3"], suggestions=[dataclasses.replace(suggestion("P3", "H1"), rating="XX")])
    assert decisions(filled) == before
    assert filled.undo.undoable().verb == "rate"


def test_a_new_verdict_replaces_a_pending_one_and_no_decided_one(filled):
    ids = filled.pages.chunk_ids("D2")
    first = filled.proposals.put([proposal(filled, "H1", ids[0], supports=0.5)])[0]
    entries = len(filled.log.entries())
    again = filled.proposals.put([proposal(filled, "H1", ids[0], supports=0.5)])[0]
    assert again == first
    assert len(filled.log.entries()) == entries
    other = filled.proposals.put([proposal(filled, "H1", ids[0], supports=0.9)])[0]
    assert (other.id, other.verdict.probabilities.supports) == (first.id, 0.9)
    filled.proposals.reject([first.id])
    kept = filled.proposals.put([proposal(filled, "H1", ids[0], supports=0.1)])[0]
    assert (kept.status, kept.verdict.probabilities.supports) == ("rejected", 0.9)


def test_an_invented_quote_is_refused_everywhere(filled):
    good = proposal(filled, "H1", filled.pages.chunk_ids("D2")[0])
    quote = good.quote
    forged = [
        {"text": quote.text.replace("vendor", "victim")},
        {"start": quote.start + 1},
        {"end": quote.end + 1},
        {"start": -1},
        {"end": 10**9},
        {"page_sha256": "0" * 64},
        {"document": "D1"},
        {"page": 2},
        {"end": quote.start, "text": ""},
    ]
    before = decisions(filled)
    for change in forged:
        bad = dataclasses.replace(quote, **change)
        with pytest.raises(QuoteNotProven):
            filled.proposals.put([good, dataclasses.replace(good, quote=bad)])
        with pytest.raises(QuoteNotProven):
            filled.evidence.add(text="x", source="y", quote=bad)
    assert decisions(filled) == before


def test_ratings(filled):
    assert [(a.evidence, a.hypothesis, a.rating, a.by) for a in filled.ratings.assessments()] == [
        ("E1", "H1", "CC", "ann"),
        ("E1", "H2", "II", "ann"),
    ]
    filled.ratings.rate("E1", "H1", None)
    assert [a.hypothesis for a in filled.ratings.assessments()] == ["H2"]
    with pytest.raises(BadRating):
        filled.ratings.rate("E1", "H1", "X")
    with pytest.raises(BadInput):
        filled.evidence.grade("E1", credibility="Z", relevance=None)


def test_removing_a_hypothesis_takes_what_hangs_on_it_and_undo_brings_it_back(filled):
    before = decisions(filled)
    filled.hypotheses.remove("H1")
    assert [h.id for h in filled.hypotheses.all()] == ["H2"]
    assert {p.hypothesis for p in filled.proposals.all()} == {"H2"}
    assert {a.hypothesis for a in filled.ratings.assessments()} == {"H2"}
    assert filled.undo.undo().verb == "remove hypothesis"
    assert decisions(filled) == before


def test_numbers_are_never_given_twice(filled):
    filled.hypotheses.add("third")
    filled.undo.undo()
    assert filled.hypotheses.add("fourth").id == "H4"


def test_undo_passes_over_the_work_of_the_machine(filled):
    filled.ratings.rate("E1", "H1", "N")
    add(filled, "late.txt", ["A late report."])
    filled.proposals.put([proposal(filled, "H1", filled.pages.chunk_ids("D4")[0])])
    filled.log.note_export("report.html", "ab" * 32)
    assert filled.undo.undoable().verb == "rate"
    filled.undo.undo()
    assert filled.ratings.assessments()[0].rating == "CC"
    assert filled.documents.get("D4").status == "ready"
    assert filled.undo.redoable().verb == "rate"


def test_undoing_a_hypothesis_takes_the_proposals_made_for_it_since(case):
    add(case, "a.txt", [TEXTS[0]])
    case.hypotheses.add("one")
    case.proposals.put([proposal(case, "H1", case.pages.chunk_ids("D1")[0])])
    case.undo.undo()
    assert case.proposals.all() == []
    case.undo.redo()
    assert [p.id for p in case.proposals.all()] == ["P1"]
    assert case.verify(silent()).ok


def test_undo_survives_reopening(path):
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
        full = decisions(case)
        case.undo.undo()
        case.undo.undo()
    with CaseFile.open(path, now=clock()) as case:
        assert case.undo.redoable().verb == "rate"
        case.undo.redo()
        case.undo.redo()
        assert decisions(case) == full
        assert case.undo.redo() is not None  # what fill() had undone
        assert case.undo.redo() is None


def test_the_log_tells_who_what_when(filled):
    entries = filled.log.entries()
    assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
    assert {e.who for e in entries} == {"ann"}
    assert all(e.at.endswith("Z") and e.version for e in entries)
    accepted = next(e for e in entries if e.verb == "accept")
    assert json.loads(accepted.before)["evidence"] == {"E1": None}
    assert json.loads(accepted.after)["evidence"]["E1"]["quote"].startswith("The dosing pump")
    undone = entries[-1]
    assert (undone.verb, undone.undoes) == ("rate", undone.seq - 1)
    assert logs.breaks(entries, len(entries)) == []


def test_a_clock_set_back_changes_no_order(path):
    with CaseFile.create(path, now=clock("2026-03-01T08:00:00+00:00")) as case:
        case.hypotheses.add("one")
    with CaseFile.open(path, now=clock("2020-01-01T00:00:00+00:00")) as case:
        case.hypotheses.add("two")
        assert [e.verb for e in case.log.entries()] == ["create case", "add hypothesis", "add hypothesis"]
        assert case.verify(silent()).ok
        case.undo.undo()
        assert [h.text for h in case.hypotheses.all()] == ["one"]


TAMPERINGS = {
    "who": ["UPDATE log SET who = 'eve' WHERE seq = 4"],
    "when": ["UPDATE log SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 4"],
    "after": ["UPDATE log SET after = replace(after, 'CC', 'II')"],
    "verb": ["UPDATE log SET verb = 'reject' WHERE verb = 'accept'"],
    "undoes": ["UPDATE log SET undoes = 3 WHERE undoes IS NOT NULL"],
    "deleted in the middle": ["DELETE FROM log WHERE seq = 5"],
    "deleted at the end": ["DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)"],
    "deleted at the start": ["DELETE FROM log WHERE seq = 1"],
    "swapped": [
        "UPDATE log SET seq = -1 WHERE seq = 4",
        "UPDATE log SET seq = 4 WHERE seq = 5",
        "UPDATE log SET seq = 5 WHERE seq = -1",
    ],
    "inserted": [
        "INSERT INTO log SELECT max(seq) + 1, at, who, verb, version, undoes, previous, hash, before, after FROM log"
    ],
    "rating changed beside it": ["UPDATE rating SET rating = 'N'"],
    "evidence removed beside it": ["DELETE FROM evidence WHERE id = 'E2'"],
    "document renamed": ["UPDATE document SET name = 'other.txt' WHERE id = 'D1'"],
    "unreadable": ["UPDATE log SET after = '{' WHERE seq = 4"],
}


@pytest.mark.parametrize("statements", TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_tampering_with_the_log_or_the_tables_is_found(path, statements):
    with CaseFile.create(path, who="ann", now=clock()) as case:
        fill(case)
    tamper(path, *statements)
    with CaseFile.open(path) as case:
        check = case.verify(silent())
        assert not check.ok
        assert all(problem.what and problem.hint for problem in check.problems)


def test_every_single_field_of_every_entry_is_covered_by_the_chain(filled):
    entries = filled.log.entries()
    last = len(entries)
    for at, name in itertools.product(range(last), ("at", "who", "verb", "before", "after", "version", "previous")):
        changed = [*entries]
        changed[at] = dataclasses.replace(entries[at], **{name: getattr(entries[at], name) + " "})
        assert logs.breaks(changed, last), (at, name)
    for one, other in itertools.combinations(range(last), 2):
        changed = [*entries]
        changed[one], changed[other] = changed[other], changed[one]
        assert logs.breaks(changed, last)
    for at in range(last):
        assert logs.breaks(entries[:at] + entries[at + 1 :], last)


class Decider(RuleBasedStateMachine):
    """Any sequence of decisions: undo and redo walk over it without a trace, and the log always tells the tables."""

    folder = None
    number = 0

    @initialize()
    def begin(self):
        type(self).number += 1
        self.path = self.folder / f"{type(self).number}.disconfirm"
        self.case = CaseFile.create(self.path, who="ann", now=clock())
        add(self.case, "a.txt", list(TEXTS))
        add(self.case, "b.txt", [TEXTS[1] + " It is another text."])
        embed(self.case)
        self.states = [decisions(self.case)]  # after each decision of a person that stands now
        self.undone = []

    def _did(self):
        """A person decided something (or nothing changed)."""
        now = decisions(self.case)
        if now != self.states[-1]:
            self.states.append(now)
            self.undone.clear()

    def _hypothesis(self, at):
        ids = [h.id for h in self.case.hypotheses.all()]
        return ids[at % len(ids)] if ids else None

    def _evidence(self, at):
        ids = [e.id for e in self.case.evidence.all()]
        return ids[at % len(ids)] if ids else None

    @rule(text=st.sampled_from(["one", "two", "three"]))
    def add_hypothesis(self, text):
        self.case.hypotheses.add(text)
        self._did()

    @rule(at=st.integers(0, 9), text=st.sampled_from(["one", "two", "three"]))
    def edit_hypothesis(self, at, text):
        if identity := self._hypothesis(at):
            self.case.hypotheses.edit(identity, text=text, note="")
            self._did()

    @rule(at=st.integers(0, 9))
    def remove_hypothesis(self, at):
        if identity := self._hypothesis(at):
            self.case.hypotheses.remove(identity)
            self._did()

    @precondition(lambda self: not self.undone)
    @rule(at=st.integers(0, 9), chunk=st.integers(0, 9), supports=st.sampled_from([0.2, 0.6]))
    def propose(self, at, chunk, supports):
        # The machine's work moves every state from here on; only what stands now can be compared afterwards.
        if identity := self._hypothesis(at):
            ids = self.case.pages.chunk_ids("D1")
            made = proposal(self.case, identity, ids[chunk % len(ids)], supports=supports)
            if self.case.documents.get("D1").status == "removed":
                with pytest.raises(BadInput):
                    self.case.proposals.put([made])
                return
            self.case.proposals.put([made])
            self.states = [decisions(self.case)]
            self.barrier = len(self.case.log.stacks.undo)

    barrier = 0

    @rule(at=st.integers(0, 9), count=st.integers(1, 3), rate=st.booleans())
    def accept(self, at, count, rate):
        pending = self.case.proposals.all(status="pending")[at : at + count]
        if pending:
            notes = [suggestion(p.id, p.hypothesis) for p in pending] if rate else []
            self.case.proposals.accept([p.id for p in pending], suggestions=notes)
            self._did()

    @rule(at=st.integers(0, 9))
    def reject(self, at):
        pending = [p.id for p in self.case.proposals.all(status="pending")][at : at + 1]
        self.case.proposals.reject(pending)
        self._did()

    @rule(at=st.integers(0, 9))
    def remove_evidence(self, at):
        if identity := self._evidence(at):
            self.case.evidence.remove(identity)
            self._did()

    @rule(level=st.sampled_from([None, "L", "H"]), at=st.integers(0, 9))
    def add_or_grade(self, level, at):
        if identity := self._evidence(at):
            self.case.evidence.grade(identity, credibility=level, relevance=level)
        else:
            self.case.evidence.add(text="seen", source="ann", credibility=level)
        self._did()

    @rule(page=st.integers(1, 2), length=st.integers(1, 3), end=st.sampled_from([5, 9]))
    def quote_over_pages(self, page, length, end):
        pages = [self.case.pages.page("D1", number) for number in range(page, min(page + length, len(TEXTS)) + 1)]
        marks = [(each, 0, len(each.text)) for each in pages[1:-1]] + [(each, 0, end) for each in pages[1:][-1:]]
        with contextlib.suppress(BadInput):  # its beginning is evidence already and goes on otherwise
            self.case.evidence.add(text="seen", source="a", quote=span(pages[0], 20, len(pages[0].text), marks))
        self._did()

    @rule(evidence=st.integers(0, 9), hypothesis=st.integers(0, 9), rating=st.sampled_from([None, *RATINGS]))
    def rate(self, evidence, hypothesis, rating):
        row, column = self._evidence(evidence), self._hypothesis(hypothesis)
        if row and column:
            self.case.ratings.rate(row, column, rating)
            self._did()

    @rule(included=st.booleans())
    def scope(self, included):
        self.case.documents.set_included(["D1"], included)
        self._did()

    @rule(
        fields=st.dictionaries(
            st.sampled_from(["origin", "note", "add_tags", "remove_tags"]), st.sampled_from(["a", "b", ""]), max_size=2
        ),
        grade=st.sampled_from(["", "A", "F"]),
        both=st.booleans(),
    )
    def describe_documents(self, fields, grade, both):
        self.case.descriptions.describe(["D1", "D2"] if both else ["D2"], {**fields, "reliability": grade})
        self._did()

    @rule(at=st.integers(0, 1), anyway=st.booleans())
    def remove_documents(self, at, anyway):
        try:
            self.case.removal.remove([f"D{at + 1}"], with_evidence=anyway)
        except BadInput:
            assert not anyway
            assert self.case.removal.dependents([f"D{at + 1}"]).some
        self._did()

    @rule(at=st.integers(0, 1))
    def restore_document(self, at):
        self.case.removal.restore([f"D{at + 1}"])
        self._did()

    @rule(start=st.integers(0, 5), at=st.integers(0, 1))
    def quote(self, start, at):
        page = self.case.pages.page(f"D{at + 1}", 1)
        quote = Quote(page.document, page.id, 1, start, start + 9, page.text[start : start + 9], page.sha256)
        removed = {document.id for document in self.case.documents.removed()}
        try:
            self.case.evidence.add(text="quoted", source="", quote=quote)
        except BadInput:
            assert page.document in removed
        else:
            assert page.document not in removed
        self._did()

    @rule(at=st.integers(0, 1), by=st.sampled_from(["D1", "D2", ""]))
    def supersede(self, at, by):
        with contextlib.suppress(BadInput):
            self.case.descriptions.supersede(f"D{at + 1}", by)
        self._did()

    @rule(steps=st.integers(1, 4))
    def undo(self, steps):
        for _ in range(steps):
            if len(self.case.log.stacks.undo) <= self.barrier or len(self.states) == 1:
                return
            assert self.case.undo.undo() is not None
            self.undone.append(self.states.pop())
            assert decisions(self.case) == self.states[-1]

    @rule(steps=st.integers(1, 4))
    def redo(self, steps):
        for _ in range(steps):
            if not self.undone:
                return
            assert self.case.undo.redo() is not None
            self.states.append(self.undone.pop())
            assert decisions(self.case) == self.states[-1]

    @rule()
    def reopen(self):
        self.case.close()
        self.case = CaseFile.open(self.path, who="bob", now=clock())
        assert decisions(self.case) == self.states[-1]

    @invariant()
    def log_tells_the_tables(self):
        if hasattr(self, "case"):
            entries = self.case.log.entries()
            assert logs.breaks(entries, len(entries)) == []
            with self.case.db.reading():
                for name, rows in logs.replay(entries).items():
                    there = {logs.TABLES[name].key_of(row): row for row in self.case.records.rows(name)}
                    assert rows == there

    @invariant()
    def nothing_hangs_on_a_removed_document(self):
        if hasattr(self, "case"):
            removed = {document.id for document in self.case.documents.removed()}
            assert not removed & {item.document for item in self.case.evidence.all()}
            assert not removed & {item.quote.document for item in self.case.proposals.all()}
            listed = {document.id for document in self.case.documents.all()}
            assert listed | removed == {"D1", "D2"}
            assert {page.document for page in self.case.pages.of(None)} == listed

    def teardown(self):
        if hasattr(self, "case"):
            assert self.case.verify(silent()).ok
            self.case.close()
            self.path.unlink()


def _machine(folder, examples, steps):
    Decider.folder = folder
    Decider.TestCase.settings = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, derandomize=True
    )
    return Decider.TestCase()


def test_any_sequence_of_decisions(tmp_path):
    _machine(tmp_path, 20, 30).runTest()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_any_long_sequence_of_decisions(tmp_path):
    _machine(tmp_path, 300, 60).runTest()
