"""Names of the case."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from core.domain import Entity
from core.errors import BadInput
from core.store import decision_log
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.log import DecisionLog
from core.store.records import Records

ENTITY_KINDS = ("", "person", "organisation", "place", "thing")
_ENTITY_STATUSES = ("confirmed", "rejected")


class EntityTable:
    """Names with their kinds and aliases."""

    def __init__(self, db: Database, log: DecisionLog, records: Records) -> None:
        self._db = db
        self._log = log
        self._records = records

    def all(self, status: str | None = None) -> list[Entity]:
        """List names, of one status or of all, in order of id."""
        with self._db.reading():
            rows = self._records.rows("entity")
            return [_entity(row) for row in rows if status is None or row["status"] == status]

    def add(
        self, name: str, *, kind: str = "", aliases: Sequence[str] = (), status: str = "confirmed", note: str = ""
    ) -> Entity:
        """Add a name to the case.

        One that is there already (by name or alias, whatever the case of letters) gets the new aliases. Raises
        BadInput.
        """
        with self._db.transaction():
            change = ChangeSet()
            row = self._put(change, name, kind, aliases, status, note)
            self._log.append_change("add name", change)
            return _entity(row)

    def add_all(self, names: Sequence[tuple[str, str, Sequence[str]]], *, status: str = "confirmed") -> list[Entity]:
        """Add names (name, kind, aliases) to the case, as one decision. Raises BadInput."""
        with self._db.transaction():
            change = ChangeSet()
            rows = [self._put(change, name, kind, aliases, status, "") for name, kind, aliases in names]
            if rows:
                self._log.append_change("add name", change)
            return [_entity(row) for row in rows]

    def _put(self, change: ChangeSet, name: str, kind: str, aliases: Sequence[str], status: str, note: str) -> Row:
        spelling = _name(name)
        existing = next((row for row in self._records.rows("entity") if spelling.casefold() in all_names(row)), None)
        if existing is None:
            row: Row = {"id": f"N{self._db.number('entity')}", "name": spelling, "kind": _kind(kind)}
            row |= {"aliases": _aliases(spelling, aliases), "status": _status(status), "note": clean(note.strip())}
            row |= {"by": self._log.who, "at": self._db.now()}
        else:
            aliases_before = [str(alias) for alias in json.loads(str(existing["aliases"]))]
            row = {**existing, "aliases": _aliases(str(existing["name"]), [*aliases_before, spelling, *aliases])}
            row |= {"kind": _kind(kind) or existing["kind"], "status": _status(status)}
        self._records.put(change, "entity", row)
        return row

    def edit(self, entity: str, fields: Mapping[str, str | Sequence[str]]) -> None:
        """Set name, kind, aliases, status or note. Raises NoSuchItem, BadInput."""
        with self._db.transaction():
            change = ChangeSet()
            row = self._records.require("entity", entity)
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
            aliases = fields.get("aliases", json.loads(str(row["aliases"])))
            new["aliases"] = _aliases(str(new["name"]), [aliases] if isinstance(aliases, str) else list(aliases))
            self._records.put(change, "entity", new)
            self._log.append_change("edit name", change)

    def remove(self, *entities: str) -> None:
        """Take names out. Raises NoSuchItem."""
        with self._db.transaction():
            change = ChangeSet()
            for entity in dict.fromkeys(entities):
                self._records.require("entity", entity)
                self._records.delete_cascade(change, "entity", entity)
            self._log.append_change("remove name", change)


def _entity(row: Row) -> Entity:
    fields = {**row, "aliases": tuple(json.loads(str(row["aliases"])))}
    return Entity(**fields)  # type: ignore[arg-type]


def all_names(row: Row) -> set[str]:
    """Return everything it is called, without regard to the case of letters."""
    return {name.casefold() for name in (str(row["name"]), *json.loads(str(row["aliases"])))}


def _name(name: str) -> str:
    spelling = clean(" ".join(name.split()))
    if not spelling or len(spelling) > 200:
        raise BadInput(reason="A name has 1 to 200 characters.", remedy="Write it as it appears in the documents.")
    return spelling


def _aliases(name: str, aliases: Sequence[str]) -> str:
    """Write aliases as JSON: each once, in the order given, without the name itself."""
    by_folded: dict[str, str] = {}
    for alias in aliases:
        spelling = clean(" ".join(alias.split()))[:200]
        if spelling and spelling.casefold() != name.casefold():
            by_folded.setdefault(spelling.casefold(), spelling)
    return decision_log.canonical(list(by_folded.values()))


def _kind(kind: str) -> str:
    if kind not in ENTITY_KINDS:
        raise BadInput(reason=f"'{kind}' is not a kind of name.", remedy=f"Use {', '.join(ENTITY_KINDS[1:])}, or none.")
    return kind


def _status(status: str) -> str:
    if status not in _ENTITY_STATUSES:
        raise BadInput(reason=f"'{status}' is not a state of a name.", remedy=f"Use {' or '.join(_ENTITY_STATUSES)}.")
    return status
