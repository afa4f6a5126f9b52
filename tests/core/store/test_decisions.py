"""Decisions, the log of them, undo and redo."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.domain import RATINGS, Quote
from core.errors import BadInput
from core.evidence.quotes import span
from core.progress import silent
from core.store import CaseFile
from core.store import decision_log as logs
from tests.core.store.material import TEXTS, add, clock, decisions, embed, proposal, suggestion, wal_of


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
        self.redo_states = []

    def _did(self):
        """A person decided something (or nothing changed)."""
        now = decisions(self.case)
        if now != self.states[-1]:
            self.states.append(now)
            self.redo_states.clear()

    def _hypothesis(self, index):
        ids = [h.id for h in self.case.hypotheses.all()]
        return ids[index % len(ids)] if ids else None

    def _evidence(self, index):
        ids = [e.id for e in self.case.evidence.all()]
        return ids[index % len(ids)] if ids else None

    @rule(text=st.sampled_from(["one", "two", "three"]))
    def add_hypothesis(self, text):
        self.case.hypotheses.add(text)
        self._did()

    @rule(index=st.integers(0, 9), text=st.sampled_from(["one", "two", "three"]))
    def edit_hypothesis(self, index, text):
        if identity := self._hypothesis(index):
            self.case.hypotheses.edit(identity, text=text, note="")
            self._did()

    @rule(index=st.integers(0, 9))
    def remove_hypothesis(self, index):
        if identity := self._hypothesis(index):
            self.case.hypotheses.remove(identity)
            self._did()

    @precondition(lambda self: not self.redo_states)
    @rule(index=st.integers(0, 9), chunk=st.integers(0, 9), supports=st.sampled_from([0.2, 0.6]))
    def propose(self, index, chunk, supports):
        # The machine's work moves every state from here on; only what stands now can be compared afterwards.
        if identity := self._hypothesis(index):
            ids = self.case.pages.chunk_ids("D1")
            new = proposal(self.case, identity, ids[chunk % len(ids)], supports=supports)
            if self.case.documents.get("D1").status == "removed":
                with pytest.raises(BadInput):
                    self.case.proposals.put([new])
                return
            self.case.proposals.put([new])
            self.states = [decisions(self.case)]
            self.barrier = len(self.case.log.stacks.undo)

    barrier = 0

    @rule(index=st.integers(0, 9), count=st.integers(1, 3), rate=st.booleans())
    def accept(self, index, count, rate):
        pending = self.case.proposals.all(status="pending")[index : index + count]
        if pending:
            notes = [suggestion(p.id, p.hypothesis) for p in pending] if rate else []
            self.case.proposals.accept([p.id for p in pending], suggestions=notes)
            self._did()

    @rule(index=st.integers(0, 9))
    def reject(self, index):
        pending = [p.id for p in self.case.proposals.all(status="pending")][index : index + 1]
        self.case.proposals.reject(pending)
        self._did()

    @rule(index=st.integers(0, 9))
    def remove_evidence(self, index):
        if identity := self._evidence(index):
            self.case.evidence.remove(identity)
            self._did()

    @rule(level=st.sampled_from([None, "L", "H"]), index=st.integers(0, 9))
    def add_or_grade(self, level, index):
        if identity := self._evidence(index):
            self.case.evidence.grade(identity, credibility=level, relevance=level)
        else:
            self.case.evidence.add(text="seen", source="ann", credibility=level)
        self._did()

    @rule(page=st.integers(1, 2), length=st.integers(1, 3), end=st.sampled_from([5, 9]))
    def quote_over_pages(self, page, length, end):
        pages = [self.case.pages.page("D1", number) for number in range(page, min(page + length, len(TEXTS)) + 1)]
        marks = [(next_page, 0, len(next_page.text)) for next_page in pages[1:-1]] + [
            (next_page, 0, end) for next_page in pages[1:][-1:]
        ]
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

    @rule(index=st.integers(0, 1), anyway=st.booleans())
    def remove_documents(self, index, anyway):
        try:
            self.case.removal.remove([f"D{index + 1}"], with_evidence=anyway)
        except BadInput:
            assert not anyway
            assert self.case.removal.dependents([f"D{index + 1}"]).some
        self._did()

    @rule(index=st.integers(0, 1))
    def restore_document(self, index):
        self.case.removal.restore([f"D{index + 1}"])
        self._did()

    @rule(start=st.integers(0, 5), index=st.integers(0, 1))
    def quote(self, start, index):
        page = self.case.pages.page(f"D{index + 1}", 1)
        quote = Quote(page.document, page.id, 1, start, start + 9, page.text[start : start + 9], page.sha256)
        removed_ids = {document.id for document in self.case.documents.removed()}
        try:
            self.case.evidence.add(text="quoted", source="", quote=quote)
        except BadInput:
            assert page.document in removed_ids
        else:
            assert page.document not in removed_ids
        self._did()

    @rule(index=st.integers(0, 1), by=st.sampled_from(["D1", "D2", ""]))
    def supersede(self, index, by):
        with contextlib.suppress(BadInput):
            self.case.descriptions.supersede(f"D{index + 1}", by)
        self._did()

    @rule(steps=st.integers(1, 4))
    def undo(self, steps):
        for _ in range(steps):
            if len(self.case.log.stacks.undo) <= self.barrier or len(self.states) == 1:
                return
            assert self.case.undo.undo() is not None
            self.redo_states.append(self.states.pop())
            assert decisions(self.case) == self.states[-1]

    @rule(steps=st.integers(1, 4))
    def redo(self, steps):
        for _ in range(steps):
            if not self.redo_states:
                return
            assert self.case.undo.redo() is not None
            self.states.append(self.redo_states.pop())
            assert decisions(self.case) == self.states[-1]

    @rule()
    def reopen(self):
        self.case.close()
        self.case = CaseFile.open(self.path, who="bob", now=clock())
        assert decisions(self.case) == self.states[-1]

    @rule()
    def end_by_a_kill(self):
        """What a killed program leaves: the file and its log as they are, and no word of a closing."""
        left = {file: file.read_bytes() for file in (self.path, wal_of(self.path))}
        self.case.close()
        for file, data in left.items():
            file.write_bytes(data)
        self.case = CaseFile.open(self.path, who="bob", now=clock())
        assert decisions(self.case) == self.states[-1]

    @invariant()
    def log_tells_the_tables(self):
        if hasattr(self, "case"):
            entries = self.case.log.entries()
            assert logs.breaks(entries, len(entries)) == []
            with self.case.db.reading():
                for name, rows in logs.replay(entries).items():
                    table_rows = {logs.TABLES[name].key_of(row): row for row in self.case.records.rows(name)}
                    assert rows == table_rows

    @invariant()
    def nothing_hangs_on_a_removed_document(self):
        if hasattr(self, "case"):
            removed_ids = {document.id for document in self.case.documents.removed()}
            assert not removed_ids & {item.document for item in self.case.evidence.all()}
            assert not removed_ids & {item.quote.document for item in self.case.proposals.all()}
            listed_ids = {document.id for document in self.case.documents.all()}
            assert listed_ids | removed_ids == {"D1", "D2"}
            assert {page.document for page in self.case.pages.of(None)} == listed_ids

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
