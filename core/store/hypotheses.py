"""Hypotheses, and how likely people hold them."""

from __future__ import annotations

from collections.abc import Mapping

from core.domain import Hypothesis, Likelihood
from core.errors import BadInput
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.log import DecisionLog
from core.store.records import Records, number_of
from core.store.values import HYPOTHESIS_KINDS


class HypothesisTable:
    """The hypotheses of a case and stated likelihoods."""

    def __init__(self, db: Database, log: DecisionLog, records: Records) -> None:
        self._db = db
        self._log = log
        self._records = records

    def all(self) -> list[Hypothesis]:
        """List the hypotheses, in order of id."""
        with self._db.reading():
            return [hypothesis_of(row) for row in self._records.rows("hypothesis")]

    def get(self, hypothesis: str) -> Hypothesis:
        """Return a hypothesis. Raises NoSuchItem."""
        with self._db.reading():
            return hypothesis_of(self._records.require("hypothesis", hypothesis))

    def add(self, text: str, *, note: str = "", kind: str = "") -> Hypothesis:
        """Add a hypothesis; ``kind`` is '', 'null' or 'deception'. Raises BadInput."""
        _must_be_kind(kind)
        with self._db.transaction():
            change = ChangeSet()
            row = self.new(change, text, note, kind)
            self._log.append_change("add hypothesis", change)
            return hypothesis_of(row)

    def new(self, change: ChangeSet, text: str, note: str, kind: str = "") -> Row:
        """Put a new hypothesis, in the transaction that is open."""
        row: Row = {"id": f"H{self._db.number('hypothesis')}", "text": clean(text), "note": clean(note)}
        row |= {"kind": kind, "prior": None}
        self._records.put(change, "hypothesis", row)
        return row

    def set_kind(self, hypothesis: str, kind: str) -> None:
        """Mark a hypothesis '' (one like others), 'null' or 'deception'. Raises NoSuchItem, BadInput."""
        _must_be_kind(kind)
        with self._db.transaction():
            change = ChangeSet()
            self._records.put(change, "hypothesis", {**self._records.require("hypothesis", hypothesis), "kind": kind})
            self._log.append_change("mark hypothesis", change)

    def set_priors(self, priors: Mapping[str, float] | None) -> None:
        """Set the probabilities before any evidence, as given; None takes them away.

        They are normalised where they are used. Raises NoSuchItem for an unknown hypothesis.
        """
        with self._db.transaction():
            change = ChangeSet()
            for hypothesis in priors or ():
                self._records.require("hypothesis", hypothesis)
            for row in self._records.rows("hypothesis"):
                prior = None if priors is None else priors.get(str(row["id"]))
                self._records.put(change, "hypothesis", {**row, "prior": None if prior is None else float(prior)})
            self._log.append_change("set priors", change)

    def edit(self, hypothesis: str, *, text: str, note: str) -> None:
        """Set text and note. Raises NoSuchItem."""
        with self._db.transaction():
            change = ChangeSet()
            row = self._records.require("hypothesis", hypothesis)
            self._records.put(change, "hypothesis", {**row, "text": clean(text), "note": clean(note)})
            self._log.append_change("edit hypothesis", change)

    def remove(self, hypothesis: str) -> None:
        """Take it out with its proposals, ratings and suggestions; evidence stays, it may speak to other hypotheses."""
        with self._db.transaction():
            change = ChangeSet()
            self._records.require("hypothesis", hypothesis)
            self._records.delete_cascade(change, "hypothesis", hypothesis)
            self._log.append_change("remove hypothesis", change)

    def likelihoods(self) -> list[Likelihood]:
        """List the likelihoods that people stated, by hypothesis and name."""
        with self._db.reading():
            rows = sorted(
                self._records.rows("likelihood"), key=lambda row: (number_of(str(row["hypothesis"])), str(row["by"]))
            )
            return [likelihood_of(row) for row in rows]

    def state_likelihood(self, hypothesis: str, value: float | None) -> None:
        """State a likelihood in one's own name; None takes it back. Raises NoSuchItem, BadInput."""
        if value is not None and not 0 <= value <= 1:
            raise BadInput(reason="A likelihood is a number from 0 to 1.", remedy="Use 0.7 for 70%.")
        with self._db.transaction():
            change = ChangeSet()
            self._records.require("hypothesis", hypothesis)
            if value is None:
                self._records.delete_cascade(change, "likelihood", f"{hypothesis}/{self._log.who}")
            else:
                existing = self._records.row("likelihood", f"{hypothesis}/{self._log.who}")
                if existing is None or existing["value"] != float(value):
                    row: Row = {
                        "hypothesis": hypothesis,
                        "by": self._log.who,
                        "value": float(value),
                        "at": self._db.now(),
                    }
                    self._records.put(change, "likelihood", row)
            self._log.append_change("state likelihood", change)


def _must_be_kind(kind: str) -> None:
    if kind not in HYPOTHESIS_KINDS:
        raise BadInput(reason=f"'{kind}' is not a kind of hypothesis.", remedy="Use null, deception, or none.")


def plain(text: str) -> str:
    """Return a text for comparison: case and spaces do not matter."""
    return " ".join(text.casefold().split())


def hypothesis_of(row: Row) -> Hypothesis:
    """Return a hypothesis from its row."""
    return Hypothesis(**row)  # type: ignore[arg-type]


def likelihood_of(row: Row) -> Likelihood:
    """Return a likelihood from its row."""
    return Likelihood(**row)  # type: ignore[arg-type]
