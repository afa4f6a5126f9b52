"""What is looked for: the searches planned for each hypothesis, those that were run, and what was said of passages."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain import ROLES, PlanQuery, Relevance, Searched
from core.errors import BadInput
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.log import DecisionLog
from core.store.pages import PageTable
from core.store.record_chain import RecordChain
from core.store.records import Records


class PlanTable:
    """Search plans, the searches that were run, and checks of what was missed."""

    def __init__(self, db: Database, chain: RecordChain, log: DecisionLog, records: Records, pages: PageTable) -> None:
        self._db = db
        self._chain = chain
        self._log = log
        self._records = records
        self._pages = pages

    def queries(self, hypothesis: str | None = None) -> list[PlanQuery]:
        """List the planned searches, of one hypothesis or of all: by hypothesis, in the order of ROLES, by id."""
        roles = list(ROLES)
        with self._db.reading():
            rows = self._records.rows("plan_query")
        rows = [row for row in rows if hypothesis is None or row["hypothesis"] == hypothesis]
        rows.sort(key=lambda row: (int(str(row["hypothesis"])[1:]), roles.index(str(row["role"]))))
        return [PlanQuery(**row) for row in rows]  # type: ignore[arg-type]

    def set(self, queries: Sequence[PlanQuery], *, hypotheses: Sequence[str], keep: str = "analyst") -> None:
        """Put ``queries`` in place of what was planned for ``hypotheses``, as one decision; ids are given again.

        What comes from ``keep`` stays ('' keeps nothing). A text that is there already is not put twice. Raises
        NoSuchItem, BadInput.
        """
        with self._db.transaction():
            change = ChangeSet()
            present: set[tuple[str, str, str]] = set()
            for hypothesis in dict.fromkeys(hypotheses):
                self._records.require("hypothesis", hypothesis)
            for row in self._records.rows("plan_query"):
                if row["hypothesis"] not in hypotheses:
                    continue
                if keep and row["origin"] == keep:
                    present.add((str(row["hypothesis"]), str(row["role"]), str(row["text"]).casefold()))
                else:
                    self._records.delete_cascade(change, "plan_query", str(row["id"]))
            for query in queries:
                new = self._plan_row(query)
                key = (query.hypothesis, query.role, str(new["text"]).casefold())
                if query.hypothesis in hypotheses and key not in present:
                    present.add(key)
                    self._records.put(change, "plan_query", new)
            self._log.append_change("plan searches", change)

    def add(self, hypothesis: str, role: str, text: str, *, origin: str = "analyst") -> PlanQuery:
        """Plan a search. Raises NoSuchItem, BadInput."""
        with self._db.transaction():
            change = ChangeSet()
            row = self._plan_row(PlanQuery("", hypothesis, role, text, origin))
            self._records.put(change, "plan_query", row)
            self._log.append_change("plan search", change)
            return PlanQuery(**row)  # type: ignore[arg-type]

    def edit(self, query: str, text: str) -> None:
        """Reword it; from now on it is the analyst's. Raises NoSuchItem, BadInput."""
        with self._db.transaction():
            change = ChangeSet()
            row = self._records.require("plan_query", query)
            self._records.put(
                change, "plan_query", {**row, "text": _query(text), "origin": "analyst", "by": self._log.who}
            )
            self._log.append_change("plan search", change)

    def remove(self, *queries: str) -> None:
        """Take planned searches out. Raises NoSuchItem."""
        with self._db.transaction():
            change = ChangeSet()
            for query in dict.fromkeys(queries):
                self._records.require("plan_query", query)
                self._records.delete_cascade(change, "plan_query", query)
            self._log.append_change("remove planned search", change)

    def _plan_row(self, query: PlanQuery) -> Row:
        self._records.require("hypothesis", query.hypothesis)
        if query.role not in ROLES:
            raise BadInput(reason=f"'{query.role}' is not a kind of search.", remedy=f"Use {', '.join(ROLES)}.")
        row: Row = {"id": f"S{self._db.number('plan_query')}", "hypothesis": query.hypothesis, "role": query.role}
        return row | {
            "text": _query(query.text),
            "origin": clean(query.origin) or "analyst",
            "by": self._log.who,
            "at": self._db.now(),
        }

    def note_searches(self, searches: Sequence[Searched]) -> None:
        """Keep what was searched for hypotheses and what came of it; a search that finds nothing counts too."""
        with self._db.transaction():
            self.keep_searches(searches)

    def keep_searches(self, searches: Sequence[Searched]) -> None:
        """Keep searches that were run, in the transaction that is open."""
        last = self._db.execute("SELECT coalesce(max(id), 0) FROM searched").get
        self._db.executemany(
            "INSERT INTO searched (at, hypothesis, role, query, passages, fresh, supports, contradicts) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(s.at or self._db.now(), s.hypothesis, s.role, clean(s.query), *_counts(s)) for s in searches],
        )
        self._chain.record_where("searched", "id > ?", (last,))

    def searches(self, hypothesis: str | None = None) -> list[Searched]:
        """List the searches in the order in which they were run."""
        with self._db.reading():
            rows = self._db.rows(
                "SELECT at, hypothesis, role, query, passages, fresh, supports, contradicts FROM searched "
                "WHERE ?1 IS NULL OR hypothesis = ?1 ORDER BY id",
                (hypothesis,),
            )
            return [Searched(*row) for row in rows]

    def relevances(self, hypothesis: str | None = None) -> list[Relevance]:
        """List what people said of passages, by hypothesis and passage."""
        with self._db.reading():
            rows = self._records.rows("relevance")
        matches = [row for row in rows if hypothesis is None or row["hypothesis"] == hypothesis]
        matches.sort(key=lambda row: (int(str(row["hypothesis"])[1:]), row["chunk"], row["by"]))
        return [Relevance(**{**row, "relevant": bool(row["relevant"])}) for row in matches]  # type: ignore[arg-type]

    def judge_relevance(self, hypothesis: str, chunk: int, relevant: bool | None) -> None:
        """Record the user's judgement whether a passage bears on a hypothesis; None removes it. Raises NoSuchItem."""
        with self._db.transaction():
            change = ChangeSet()
            self._records.require("hypothesis", hypothesis)
            if not self._pages.chunks([chunk]):
                raise BadInput(reason=f"There is no passage {chunk}.", remedy="Choose one that the search found.")
            key = f"{hypothesis}/{chunk}/{self._log.who}"
            if relevant is None:
                self._records.delete_cascade(change, "relevance", key)
            else:
                row: Row = {"hypothesis": hypothesis, "chunk": chunk, "relevant": int(relevant), "by": self._log.who}
                existing = self._records.row("relevance", key)
                if existing is None or existing["relevant"] != int(relevant):
                    self._records.put(change, "relevance", {**row, "at": self._db.now()})
            self._log.append_change("judge passage", change)


def _query(text: str) -> str:
    words = clean(" ".join(text.split()))
    if not words:
        raise BadInput(reason="A search needs words.", remedy="Write what to look for, or remove the search.")
    return words[:2_000]


def _counts(search: Searched) -> tuple[int, ...]:
    numbers = (search.passages, search.fresh, search.supports, search.contradicts)
    if min(numbers) < 0:
        raise ValueError("a count below 0")
    return numbers
