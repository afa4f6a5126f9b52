"""Results that a case keeps: answers, conflicts and audits, and what people decided on them.

A result is the machine's work: it is logged, and no undo takes it back. A decision on it is a person's and has a row of
its own, so that working a result out again leaves the decision as it is.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from core.errors import BadInput
from core.store import decision_log, values
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.log import DecisionLog
from core.store.records import Records
from core.store.result_log import ResultLog
from core.store.search_scope import SearchScope

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Value = TypeVar("Value", bound=DataclassInstance)

ResultKind = Literal["answer", "conflict", "audit"]
_LETTERS: dict[ResultKind, str] = {"answer": "A", "conflict": "X", "audit": "U"}
_LOADING = threading.Lock()
_ADAPTERS: dict[type[Any], Any] = {}
STATUSES = ("open", "held", "both", "accepted", "overruled")


@dataclass(frozen=True, slots=True)
class Resolution:
    """A person's decision on a result, or on the ``item`` of it that bears this name."""

    result: str
    item: str
    status: str
    note: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A result of the case.

    ``subject`` is what it is about: a question, the key of a conflict, the name of a file. ``value`` is canonical JSON.
    ``is_stale``: the documents have changed since.
    """

    id: str
    subject: str
    value: str
    by: str
    at: str
    is_stale: bool
    resolutions: tuple[Resolution, ...] = ()

    def decode(self, shape: type[Value]) -> Value:
        """Return the value itself. Raises CaseValueWrong where it is not of that shape."""
        return decode(shape, self.id, self.value)


def decode(shape: type[Value], result: str, value: str) -> Value:
    """Return the value of a result. Raises CaseValueWrong where it is not of that shape."""
    try:
        return cast("Value", _adapter(shape).validate_json(value))
    except ValueError as error:
        raise values.wrong(shape.__name__.lower(), result, "value") from error


def encode(value: Any) -> str:
    """Return the canonical JSON of a dataclass."""
    return decision_log.canonical(_adapter(type(value)).dump_python(value, mode="json"))


def _adapter(shape: type[Any]) -> Any:
    """Return what reads and writes values of a shape, made once.

    Two threads that load the library at the same time would each find it half loaded.
    """
    with _LOADING:
        if shape not in _ADAPTERS:
            from pydantic import TypeAdapter  # late: a case without results never needs it

            _ADAPTERS[shape] = TypeAdapter(shape)
        return _ADAPTERS[shape]


class ResultTable:
    """Answers, conflicts and audits of the case."""

    def __init__(self, db: Database, log: DecisionLog, records: Records, scope: SearchScope) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._scope = scope
        self._log_rows = ResultLog(db)

    def keep(
        self, kind: ResultKind, results: Sequence[tuple[str, Any]], *, digest: str = "", obsolete: Sequence[str] = ()
    ) -> list[str]:
        """Keep results by their subjects, as one entry of the log, and return their ids.

        One of a subject that is there already takes its place under the same id. ``obsolete`` are ids of those
        that no longer hold. An answer is kept beside earlier ones. ``digest`` is that of the documents when the work
        began, '' where they cannot have changed since.
        """
        digest = digest or self._scope.digest()
        with self._db.transaction():
            change = ChangeSet()
            present = {} if kind == "answer" else {str(row["subject"]): row for row in self._records.rows(kind)}
            identities = []
            for subject, value in results:
                line = clean(subject)
                present_row = present.get(line)
                row: Row = {"id": present_row["id"] if present_row else f"{_LETTERS[kind]}{self._db.number(kind)}"}
                row |= {"subject": line, "value": encode(value), "digest": digest}
                if present_row is None or any(present_row[name] != row[name] for name in row):
                    self._records.put(change, kind, row | {"by": self._log.who, "at": self._db.now()})
                identities.append(str(row["id"]))
            for identity in obsolete:
                self._records.delete_cascade(change, kind, identity)
            self._log.append_change(decision_log.KEEP_RESULTS, change)
        return identities

    def all(self, kind: ResultKind) -> list[StoredResult]:
        """List the results of a kind, in order of id. Raises ResultAltered where the log says otherwise."""
        digest = self._scope.digest()
        with self._db.reading():
            rows = self._records.rows(kind)
            self._log_rows.prove(kind, rows)
            resolutions = self._resolutions() if rows else {}
        return [_result(row, digest, resolutions) for row in rows]

    def undecided(self, kind: ResultKind) -> list[tuple[str, str]]:
        """List the results of a kind that nobody decided on as (id, value), whether the documents changed or not."""
        with self._db.reading():
            rows = self._records.rows(kind)
            resolutions = self._resolutions() if rows else {}
        return [
            (str(row["id"]), str(row["value"]))
            for row in rows
            if all(resolution.status == "open" for resolution in resolutions.get(str(row["id"]), ()))
        ]

    def get(self, kind: ResultKind, result: str) -> StoredResult:
        """Return one result. Raises NoSuchItem, ResultAltered."""
        digest = self._scope.digest()
        with self._db.reading():
            row = self._records.require(kind, result)
            self._log_rows.prove(kind, [row], is_complete=False)
            return _result(row, digest, self._resolutions())

    def resolve(
        self, kind: ResultKind, result: str, status: str, *, item: str = "", note: str = "", instead: Sequence[str] = ()
    ) -> None:
        """Decide on a result or an item of it, in the place of what was decided on the items ``instead``.

        '' takes the decision back. Raises NoSuchItem, BadInput.
        """
        if status and status not in STATUSES:
            raise BadInput(reason=f"'{status}' is not a decision.", remedy=f"Use {', '.join(STATUSES)}.")
        with self._db.transaction():
            change = ChangeSet()
            self._records.require(kind, result)
            for former in instead:
                self._records.delete_cascade(change, "resolution", f"{result}/{former}")
            if status:
                row: Row = {"result": result, "item": item, "status": status, "note": clean(note.strip())}
                self._records.put(change, "resolution", row | {"by": self._log.who, "at": self._db.now()})
            else:
                self._records.delete_cascade(change, "resolution", f"{result}/{item}")
            self._log.append_change("resolve", change)

    def remove(self, kind: ResultKind, *results: str) -> None:
        """Take results out, with what was decided on them. Raises NoSuchItem."""
        with self._db.transaction():
            change = ChangeSet()
            for result in dict.fromkeys(results):
                self._records.require(kind, result)
                self._records.delete_cascade(change, kind, result)
            self._log.append_change("remove results", change)

    def _resolutions(self) -> dict[str, list[Resolution]]:
        by_result: dict[str, list[Resolution]] = {}
        rows = self._records.rows("resolution")
        self._log_rows.prove("resolution", rows)
        for row in rows:
            resolution = Resolution(**row)  # type: ignore[arg-type]
            by_result.setdefault(resolution.result, []).append(resolution)
        return by_result


def _result(row: Row, digest: str, resolutions: dict[str, list[Resolution]]) -> StoredResult:
    identity = str(row["id"])
    by_item = sorted(resolutions.get(identity, ()), key=lambda resolution: resolution.item)
    return StoredResult(
        id=identity,
        subject=str(row["subject"]),
        value=str(row["value"]),
        by=str(row["by"]),
        at=str(row["at"]),
        is_stale=row["digest"] != digest,
        resolutions=tuple(by_item),
    )
