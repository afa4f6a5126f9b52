"""What is looked for: names of the case, the searches planned for each hypothesis, those that were run, and what a
person said of passages when the search was checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from core.domain import ROLES, Entity, PlanQuery, Relevance, Searched
from core.errors import BadInput
from core.store import decision_log
from core.store.considerations import Considerations
from core.store.database import clean
from core.store.decision_log import Row
from core.store.decisions import _Change
from core.store.documents import READ

ENTITY_KINDS = ("", "person", "organisation", "place", "thing")
_ENTITY_STATUSES = ("confirmed", "rejected")


class Searches(Considerations):
    """Entities, search plans, the searches that were run, and checks of what was missed."""

    # --- entities ----------------------------------------------------------------------------------------------------

    def entities(self, status: str | None = None) -> list[Entity]:
        """In order of id."""
        with self._reading():
            rows = self._rows("entity")
            return [_entity(row) for row in rows if status is None or row["status"] == status]

    def add_entity(
        self, name: str, *, kind: str = "", aliases: Sequence[str] = (), status: str = "confirmed", note: str = ""
    ) -> Entity:
        """A name of the case. One that is there already (by name or alias, whatever the case of letters) gets the new
        aliases. Raises BadInput."""
        shown = _name(name)
        with self._writing():
            change = _Change()
            there = next((row for row in self._rows("entity") if shown.casefold() in called(row)), None)
            if there is None:
                row: Row = {"id": f"N{self._number('entity')}", "name": shown, "kind": _kind(kind)}
                row |= {"aliases": _aliases(shown, aliases), "status": _status(status), "note": clean(note.strip())}
            else:
                known = [str(alias) for alias in json.loads(str(there["aliases"]))]
                row = {**there, "aliases": _aliases(str(there["name"]), [*known, shown, *aliases])}
                row |= {"kind": _kind(kind) or there["kind"], "status": _status(status)}
            row |= {"by": self.who, "at": self.now()} if there is None else {}
            self._put(change, "entity", row)
            self._log_change("add name", change)
            return _entity(row)

    def edit_entity(self, entity: str, fields: Mapping[str, str | Sequence[str]]) -> None:
        """Set name, kind, aliases, status or note. Raises NoSuchItem, BadInput."""
        with self._writing():
            change = _Change()
            row = self._must("entity", entity)
            if fields.keys() - {"name", "kind", "aliases", "status", "note"}:
                raise BadInput(
                    reason="This cannot be changed in this way.", remedy="A name has a kind, aliases and a note."
                )
            new = dict(row)
            if "name" in fields:
                new["name"] = _name(str(fields["name"]))
            if "kind" in fields:
                new["kind"] = _kind(str(fields["kind"]))
            if "status" in fields:
                new["status"] = _status(str(fields["status"]))
            if "note" in fields:
                new["note"] = clean(str(fields["note"]).strip())
            given = fields.get("aliases", json.loads(str(row["aliases"])))
            new["aliases"] = _aliases(str(new["name"]), [given] if isinstance(given, str) else list(given))
            self._put(change, "entity", new)
            self._log_change("edit name", change)

    def remove_entity(self, *entities: str) -> None:
        """Raises NoSuchItem."""
        with self._writing():
            change = _Change()
            for entity in dict.fromkeys(entities):
                self._must("entity", entity)
                self._take_out(change, "entity", entity)
            self._log_change("remove name", change)

    def with_words(self, phrase: str) -> set[int]:
        """The passages that hold the words of a phrase one after the other, in any form of them."""
        words = re.findall(r"\w+", phrase)
        return set(self.matching(f'text : "{" ".join(words)}"')) if words else set()

    def every_chunk(self) -> list[int]:
        """The ids of all passages of documents that can be read, in order."""
        sql = f"SELECT id FROM chunk WHERE document IN (SELECT id FROM document WHERE {READ}) ORDER BY id"
        with self._reading() as db:
            return [int(row[0]) for row in db.execute(sql)]

    # --- search plans ------------------------------------------------------------------------------------------------

    def plan(self, hypothesis: str | None = None) -> list[PlanQuery]:
        """The planned searches, of one hypothesis or of all: by hypothesis, then in the order of ROLES, then by id."""
        roles = list(ROLES)
        with self._reading():
            rows = self._rows("plan_query")
        rows = [row for row in rows if hypothesis is None or row["hypothesis"] == hypothesis]
        rows.sort(key=lambda row: (int(str(row["hypothesis"])[1:]), roles.index(str(row["role"]))))
        return [PlanQuery(**row) for row in rows]  # type: ignore[arg-type]

    def set_plan(self, queries: Sequence[PlanQuery], *, hypotheses: Sequence[str], keep: str = "analyst") -> None:
        """Put ``queries`` in place of what was planned for ``hypotheses``, as one decision; ids are given anew.

        What comes from ``keep`` stays ('' keeps nothing). A text that is there already is not put twice. Raises
        NoSuchItem, BadInput.
        """
        with self._writing():
            change = _Change()
            known: set[tuple[str, str, str]] = set()
            for hypothesis in dict.fromkeys(hypotheses):
                self._must("hypothesis", hypothesis)
            for row in self._rows("plan_query"):
                if row["hypothesis"] not in hypotheses:
                    continue
                if keep and row["origin"] == keep:
                    known.add((str(row["hypothesis"]), str(row["role"]), str(row["text"]).casefold()))
                else:
                    self._take_out(change, "plan_query", str(row["id"]))
            for query in queries:
                new = self._plan_row(query)
                key = (query.hypothesis, query.role, str(new["text"]).casefold())
                if query.hypothesis in hypotheses and key not in known:
                    known.add(key)
                    self._put(change, "plan_query", new)
            self._log_change("plan searches", change)

    def add_plan_query(self, hypothesis: str, role: str, text: str, *, origin: str = "analyst") -> PlanQuery:
        """Raises NoSuchItem, BadInput."""
        with self._writing():
            change = _Change()
            row = self._plan_row(PlanQuery("", hypothesis, role, text, origin))
            self._put(change, "plan_query", row)
            self._log_change("plan search", change)
            return PlanQuery(**row)  # type: ignore[arg-type]

    def edit_plan_query(self, query: str, text: str) -> None:
        """Reword it; from now on it is the analyst's. Raises NoSuchItem, BadInput."""
        with self._writing():
            change = _Change()
            row = self._must("plan_query", query)
            self._put(change, "plan_query", {**row, "text": _query(text), "origin": "analyst", "by": self.who})
            self._log_change("plan search", change)

    def remove_plan_query(self, *queries: str) -> None:
        """Raises NoSuchItem."""
        with self._writing():
            change = _Change()
            for query in dict.fromkeys(queries):
                self._must("plan_query", query)
                self._take_out(change, "plan_query", query)
            self._log_change("remove planned search", change)

    def _plan_row(self, query: PlanQuery) -> Row:
        self._must("hypothesis", query.hypothesis)
        if query.role not in ROLES:
            raise BadInput(reason=f"'{query.role}' is not a kind of search.", remedy=f"Use {', '.join(ROLES)}.")
        row: Row = {"id": f"S{self._number('plan_query')}", "hypothesis": query.hypothesis, "role": query.role}
        return row | {
            "text": _query(query.text),
            "origin": clean(query.origin) or "analyst",
            "by": self.who,
            "at": self.now(),
        }

    # --- searches that were run --------------------------------------------------------------------------------------

    def note_searches(self, searches: Sequence[Searched]) -> None:
        """Keep what was searched for hypotheses and what came of it; a search that finds nothing counts too."""
        with self._writing():
            self._keep_searches(searches)

    def _keep_searches(self, searches: Sequence[Searched]) -> None:
        last = self._db.execute("SELECT coalesce(max(id), 0) FROM searched").get
        self._db.executemany(
            "INSERT INTO searched (at, hypothesis, role, query, passages, fresh, supports, contradicts) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(s.at or self.now(), s.hypothesis, s.role, clean(s.query), *_counts(s)) for s in searches],
        )
        self._record_where("searched", "id > ?", (last,))

    def searches(self, hypothesis: str | None = None) -> list[Searched]:
        """In the order in which they were run."""
        with self._reading():
            rows = self._all(
                "SELECT at, hypothesis, role, query, passages, fresh, supports, contradicts FROM searched "
                "WHERE ?1 IS NULL OR hypothesis = ?1 ORDER BY id",
                (hypothesis,),
            )
            return [Searched(*row) for row in rows]

    # --- what may have been missed -----------------------------------------------------------------------------------

    def relevances(self, hypothesis: str | None = None) -> list[Relevance]:
        """What people said of passages, by hypothesis and passage."""
        with self._reading():
            rows = self._rows("relevance")
        kept = [row for row in rows if hypothesis is None or row["hypothesis"] == hypothesis]
        kept.sort(key=lambda row: (int(str(row["hypothesis"])[1:]), row["chunk"], row["by"]))
        return [Relevance(**{**row, "relevant": bool(row["relevant"])}) for row in kept]  # type: ignore[arg-type]

    def judge_relevance(self, hypothesis: str, chunk: int, relevant: bool | None) -> None:
        """In one's own name whether a passage bears on a hypothesis; None takes it back. Raises NoSuchItem."""
        with self._writing():
            change = _Change()
            self._must("hypothesis", hypothesis)
            if not self.chunks([chunk]):
                raise BadInput(reason=f"There is no passage {chunk}.", remedy="Choose one that the search found.")
            key = f"{hypothesis}/{chunk}/{self.who}"
            if relevant is None:
                self._take_out(change, "relevance", key)
            else:
                row: Row = {"hypothesis": hypothesis, "chunk": chunk, "relevant": int(relevant), "by": self.who}
                there = self._row("relevance", key)
                if there is None or there["relevant"] != int(relevant):
                    self._put(change, "relevance", {**row, "at": self.now()})
            self._log_change("judge passage", change)


def _entity(row: Row) -> Entity:
    told = {**row, "aliases": tuple(json.loads(str(row["aliases"])))}
    return Entity(**told)  # type: ignore[arg-type]


def called(row: Row) -> set[str]:
    """Everything it is called, without regard to the case of letters."""
    return {name.casefold() for name in (str(row["name"]), *json.loads(str(row["aliases"])))}


def _name(name: str) -> str:
    shown = clean(" ".join(name.split()))
    if not shown or len(shown) > 200:
        raise BadInput(reason="A name has 1 to 200 characters.", remedy="Write it as it stands in the documents.")
    return shown


def _aliases(name: str, aliases: Sequence[str]) -> str:
    """As JSON: each once, in the order given, without the name itself."""
    kept: dict[str, str] = {}
    for alias in aliases:
        shown = clean(" ".join(alias.split()))[:200]
        if shown and shown.casefold() != name.casefold():
            kept.setdefault(shown.casefold(), shown)
    return decision_log.canonical(list(kept.values()))


def _kind(kind: str) -> str:
    if kind not in ENTITY_KINDS:
        raise BadInput(reason=f"'{kind}' is not a kind of name.", remedy=f"Use {', '.join(ENTITY_KINDS[1:])}, or none.")
    return kind


def _status(status: str) -> str:
    if status not in _ENTITY_STATUSES:
        raise BadInput(reason=f"'{status}' is not a state of a name.", remedy=f"Use {' or '.join(_ENTITY_STATUSES)}.")
    return status


def _query(text: str) -> str:
    shown = clean(" ".join(text.split()))
    if not shown:
        raise BadInput(reason="A search needs words.", remedy="Write what to look for, or remove the search.")
    return shown[:2_000]


def _counts(search: Searched) -> tuple[int, ...]:
    numbers = (search.passages, search.fresh, search.supports, search.contradicts)
    if min(numbers) < 0:
        raise ValueError("a count below 0")
    return numbers
