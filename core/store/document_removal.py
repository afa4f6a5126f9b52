"""Documents taken out of a case with what was found in them, and brought back."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.domain import ANALYST, Document
from core.errors import BadInput
from core.store import decision_log, values
from core.store.database import Database
from core.store.decision_log import ChangeSet, Row, Rows
from core.store.document_descriptions import DESCRIBED
from core.store.documents import DocumentTable, place_of_language
from core.store.log import DecisionLog
from core.store.records import Records, number_of
from core.store.vector_index import VectorIndex


@dataclass(frozen=True, slots=True)
class Dependents:
    """The things that hang on documents, for a person to see before they are taken out.

    ``documents`` are those asked for and all that were found in them; ``children`` the latter alone. ``evidence`` are
    the rows that quote them, with ``cells`` ratings in them; ``proposals`` counts what was proposed from them,
    ``judged`` the passages of them that people judged. ``reports`` names reports that left the case while one of the
    rows was in it.
    """

    documents: tuple[str, ...]
    children: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    cells: int = 0
    proposals: int = 0
    judged: int = 0
    reports: tuple[str, ...] = ()

    @property
    def some(self) -> bool:
        """Return whether anything else goes that a person decided or submitted."""
        return bool(self.evidence or self.children)


class DocumentRemoval:
    """The removal of documents, and taking it back."""

    def __init__(
        self, db: Database, log: DecisionLog, records: Records, documents: DocumentTable, vectors: VectorIndex
    ) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._documents = documents
        self._vectors = vectors

    def dependents(self, documents: Collection[str], *, with_removed: bool = False) -> Dependents:
        """Find what hangs on documents and on what was found in them. Raises NoSuchItem.

        ``with_removed``: also what was found in them and was removed before, of which the files are still there.
        """
        with self._db.reading():
            ids = [str(self._records.require("document", document)["id"]) for document in dict.fromkeys(documents)]
            inside: dict[str, list[str]] = {}
            sql = "SELECT id, parent FROM document WHERE parent <> '' AND status NOT IN (?, 'reading')"
            for child, parent in self._db.rows(sql, ("" if with_removed else "removed",)):
                inside.setdefault(parent, []).append(child)
            family = dict.fromkeys(ids)
            waiting = list(ids)
            while waiting:  # files lie in files in files
                for child in inside.get(waiting.pop(), ()):
                    if child not in family:
                        family[child] = None
                        waiting.append(child)
            rows = self._records.of_documents("evidence", family)
            oldest = min((str(row["created_at"]) for row in rows), default="")
            reports = self._db.rows("SELECT after FROM log WHERE verb = 'export' AND at >= ? ORDER BY seq", (oldest,))
            evidence = json.dumps([row["id"] for row in rows])
            cells = self._db.rows(
                "SELECT count(*) FROM rating WHERE evidence IN (SELECT value FROM json_each(?))", (evidence,)
            )
            return Dependents(
                documents=tuple(sorted(family, key=number_of)),
                children=tuple(sorted(set(family) - set(ids), key=number_of)),
                evidence=tuple(sorted((str(row["id"]) for row in rows), key=number_of)),
                cells=cells[0][0],
                proposals=len(self._records.of_documents("proposal", family)),
                judged=len(self._judgement_rows(family)),
                reports=tuple(dict.fromkeys(_report_name(row[0]) for row in reports)) if rows else (),
            )

    def _judgement_rows(self, documents: Iterable[str]) -> list[Row]:
        chunks = "SELECT id FROM chunk WHERE document IN (SELECT value FROM json_each(?))"
        return self._records.rows("relevance", f"chunk IN ({chunks})", (json.dumps(list(documents)),))

    def remove(self, documents: Collection[str], *, with_evidence: bool = False) -> Dependents:
        """Take documents out of the case with what was found in them, in one entry.

        They are neither listed nor searched any more, and what was proposed from them goes with them. Their files are
        kept, so that undo, or adding the file again, brings them back.

        Where evidence rests on them, or other documents would go too, this is refused unless ``with_evidence``, which
        takes that evidence out with its ratings. Raises NoSuchItem, BadInput; then nothing is changed.
        """
        with self._db.transaction():
            change = ChangeSet()
            hanging = self.dependents(documents)
            if hanging.some and not with_evidence:
                losses = []
                if hanging.evidence:
                    ratings = f"{hanging.cells} rating{'s' * (hanging.cells != 1)}"
                    losses.append(f"{', '.join(hanging.evidence)} with {ratings}")
                if hanging.children:
                    losses.append(f"{', '.join(hanging.children)}, found in it")
                raise BadInput(
                    reason=f"{', '.join(dict.fromkeys(documents))} cannot be removed alone: {'; '.join(losses)}.",
                    remedy="Say that these go with it (--with-evidence), or keep it and take it out of scope.",
                )
            for evidence in hanging.evidence:
                self._records.delete_cascade(change, "evidence", evidence)
            for document in hanging.documents:
                row = self._documents.require_settled(document)
                self._records.put(change, "document", {**row, "status": "removed"})
            self._clear(change, hanging.documents)
            self._log.append_change("remove documents", change)
            return hanging

    def _clear(self, change: ChangeSet, documents: Collection[str]) -> None:
        """Take out what points into removed documents beside evidence."""
        for proposal in self._records.of_documents("proposal", documents):
            self._records.delete_cascade(change, "proposal", str(proposal["id"]))
        for row in self._judgement_rows(documents):
            self._records.delete_cascade(change, "relevance", decision_log.TABLES["relevance"].key_of(row))
        for older in self._records.of_documents("document", documents, "superseded_by"):
            self._records.put(change, "document", {**older, "superseded_by": ""})

    def restore(self, documents: Collection[str]) -> list[Document]:
        """Bring removed documents back as they were, in one entry. Raises NoSuchItem; then none is."""
        with self._db.transaction():
            change = ChangeSet()
            for document in dict.fromkeys(documents):
                row = self._records.require("document", document)
                if row["status"] == "removed":
                    self._records.put(change, "document", {**row, "status": self._documents.standing(document)})
                    self._vectors.look_again()
            self._log.append_change("restore documents", change)
            return [self._documents.get(document) for document in documents]

    def as_decided(self, row: Row, key: str) -> Row:
        """Put what people decided of a document, as it was, on what is read of it by now."""
        now = self._documents.require_settled(key)
        status = now["status"]
        if row["status"] == "removed":
            status = "removed"
        elif status == "removed":
            status = self._documents.standing(key)
        decisions = {name: row[name] for name in ("included", "superseded_by", *DESCRIBED)}
        if place_of_language(row) == ANALYST or place_of_language(now) == ANALYST:
            decisions["attributions"] = row["attributions"]
        elif place_of_language(now):  # recognised meanwhile
            decisions["language"] = now["language"]
        return {**now, **decisions, "status": status}

    def clear_removed(self, change: ChangeSet, rows: Rows) -> None:
        """Take out what was proposed meanwhile from documents that are removed again."""
        self._vectors.look_again()
        removed_ids = [key for key, row in rows.get("document", {}).items() if row and row["status"] == "removed"]
        if removed_ids:
            self._clear(change, removed_ids)


def _report_name(after: str) -> str:
    try:
        names = list(values.from_json(after).get("export", {}))
    except (ValueError, AttributeError, TypeError) as error:
        raise values.wrong("log", "of an export", "after") from error
    return str(names[0]) if names else ""
