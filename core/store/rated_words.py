"""The words that people rated, as the log has them: a rating is under other words once these were changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.domain import LogEntry
from core.store import decision_log, values
from core.store.hypotheses import plain
from core.store.redaction import ERASED

Words = tuple[str, str]  # of the hypothesis and of the quote


@dataclass(slots=True)
class RatedWords:
    """The words that ratings were given for, up to an entry of the log.

    Only of ``suspects``, by table (see ``History.reworded``). A rating is known by its key and its time, so one that is
    undone gives way to the one before it, with the words that that one was given for.
    """

    suspects: Mapping[str, frozenset[str]] = field(default_factory=dict)
    position: int = 0
    _hypotheses: dict[str, str] = field(default_factory=dict)
    _quotes: dict[str, str] = field(default_factory=dict)
    _ratings: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # by key: hypothesis, evidence, time
    _words: dict[tuple[str, str], Words | None] = field(default_factory=dict)  # by key and time; None: not these

    def take(self, entry: LogEntry) -> None:
        """Take in the next entry of the log."""
        self.position = entry.seq
        after = decision_log.rows_of(entry)[1]
        for key, row in after.get("hypothesis", {}).items():
            if row and key in self.suspects["hypothesis"]:
                self._hypotheses[key] = plain(str(row["text"]))
        for key, row in after.get("evidence", {}).items():
            if row and key in self.suspects["evidence"] and row["kind"] != values.WITHDRAWN:
                self._quotes[key] = plain(str(row["quote"] or ""))
        if entry.verb == decision_log.ERASE:  # what it blanked is blank in the entries before it too
            for key, (hypothesis, _, moment) in self._ratings.items():
                if plain(ERASED) in self._hypotheses.get(hypothesis, ""):
                    self._words[key, moment] = None
        without_words = outdated_by_merge(entry)
        if entry.verb == decision_log.SIGN:  # under another name, but for the words that it was given for
            self._sign(after.get("rating", {}))
        for key, row in after.get("rating", {}).items():
            if row is None:
                self._ratings.pop(key, None)
                continue
            hypothesis, evidence, moment = str(row["hypothesis"]), str(row["evidence"]), str(row["at"])
            if (
                hypothesis in self.suspects["hypothesis"]
                or evidence in self.suspects["evidence"]
                or key in self.suspects["rating"]
            ):
                self._ratings[key] = hypothesis, evidence, moment
                words = None if key in without_words else self._now(hypothesis, evidence)
                self._words.setdefault((key, moment), words)

    def _sign(self, ratings: Mapping[str, decision_log.Row | None]) -> None:
        names = {tuple(key.split("/", 2)[:2]): key for key, row in ratings.items() if row is not None}
        for former in (key for key, row in ratings.items() if row is None and key in self._ratings):
            key, moment = names.get(tuple(former.split("/", 2)[:2])), self._ratings[former][2]
            if key is not None:
                self._words.setdefault((key, moment), self._words[former, moment])

    def _now(self, hypothesis: str, evidence: str) -> Words:
        return self._hypotheses.get(hypothesis, ""), self._quotes.get(evidence, "")

    def outdated_keys(self) -> frozenset[str]:
        """List the ratings, by key, that were given for other words than those of now."""
        return frozenset(
            key
            for key, (hypothesis, evidence, moment) in self._ratings.items()
            if self._words[key, moment] != self._now(hypothesis, evidence)
        )


def outdated_by_merge(entry: LogEntry) -> frozenset[str]:
    """List the ratings, by key, that a merge brought though the other case had other words for them."""
    if entry.verb != "merge":
        return frozenset()
    try:
        (origin,) = json.loads(entry.after)["merge"].values()
        return frozenset(map(str, origin.get("outdated", ())))
    except (ValueError, KeyError, TypeError, AttributeError):  # told where the log is checked
        return frozenset()
