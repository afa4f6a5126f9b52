"""The life of a document after it was read: what people say of it, newer versions, removal; and beside the decisions
what belongs to one computer or to nobody else: passwords, where files were found, what became of every import."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.domain import Changes, Document, Evidence, Likeness, Quote
from core.errors import BadInput
from core.store import decision_log, values
from core.store.database import clean
from core.store.decision_log import Row, Rows
from core.store.decisions import _Change, _number_of, evidence_of
from core.store.documents import READ, STANDING, document_of
from core.store.search_plans import Searches

# What an analyst says of a document. ``add_tags`` and ``remove_tags`` change the tags of each by themselves.
DESCRIBED = ("tags", "origin", "reliability", "information", "dated", "note")
_GRADES = {"reliability": ("", *"ABCDEF"), "information": ("", *"123456")}
# A day, month or year, or an interval of two of them.
_DATED = re.compile(r"\d{4}(-\d\d(-\d\d)?)?(/\d{4}(-\d\d(-\d\d)?)?)?")
_LONGEST_TAG = 60
_MOST_TAGS = 50


@dataclass(frozen=True, slots=True)
class Dependents:
    """What hangs on documents, for a person to see before they are taken out.

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
        """Whether anything else goes that a person decided or submitted."""
        return bool(self.evidence or self.children)


@dataclass(frozen=True, slots=True)
class Relatives:
    """The documents that one belongs with: the one it was found in, how many were found in it, its newer version, those
    that it supersedes, and the earlier one that it is ``like``."""

    parent: Document | None
    inside: int
    newer: Document | None
    older: tuple[Document, ...]
    likeness: Likeness | None
    like: Document | None


@dataclass(frozen=True, slots=True)
class Found:
    """A place on this computer where a file was found: ``size`` in bytes, ``modified`` in nanoseconds since 1970."""

    document: str
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """What became of one file of one import, as it is kept with the case. ``measure`` and ``score`` as in
    core.domain.Likeness."""

    run: int
    at: str
    name: str
    parent: str
    status: str
    document: str | None
    of: str | None = None
    measure: str = ""
    score: float | None = None
    reason: str = ""
    remedy: str = ""


class Library(Searches):
    """Documents described, replaced, taken out and brought back; passwords; places; imports."""

    # --- what people say of documents --------------------------------------------------------------------------------

    def describe_documents(
        self, documents: Collection[str], fields: Mapping[str, str | Sequence[str]], *, verb: str = "describe documents"
    ) -> Changes:
        """Set fields of documents, the same for all of them, in one entry.

        Fields: tags, origin, reliability (A-F), information (1-6), dated (ISO 8601, whole or in part, or an interval
        with a slash), note; add_tags and remove_tags change the tags of each. Raises NoSuchItem, BadInput; then nothing
        is changed.
        """
        given = {name: _described(name, value) for name, value in fields.items() if not name.endswith("tags")}
        tags = {name: _tags(value) for name, value in fields.items() if name.endswith("tags")}
        if tags.keys() - {"tags", "add_tags", "remove_tags"}:
            raise BadInput(reason="A document has no such field.", remedy=f"Use {', '.join(DESCRIBED)}.")
        with self._writing():
            change = _Change()
            for document in dict.fromkeys(documents):
                row = self._must_be_settled(document)
                kept = list(document_of(row).tags)
                if tags:
                    lost = {tag.casefold() for tag in tags.get("remove_tags", ())}
                    kept = [tag for tag in tags.get("tags", kept) if tag.casefold() not in lost]
                    kept = _tags([*kept, *tags.get("add_tags", ())])
                self._put(change, "document", {**row, **given, "tags": decision_log.canonical(kept)})
            self._log_change(verb, change)
        return Changes(documents=bool(change))

    def put_described(self, document: str, said: Document) -> None:
        """Give a document that is being read what was said of it elsewhere; it is logged when it is read."""
        with self._writing() as db:
            self._must_be_unfinished(document)
            db.execute(
                "UPDATE document SET tags = ?, origin = ?, reliability = ?, information = ?, dated = ?, note = ? "
                "WHERE id = ?",
                (
                    decision_log.canonical(list(said.tags)),
                    *(said.origin, said.reliability, said.information, said.dated, said.note, document),
                ),
            )

    def _must_be_settled(self, document: str) -> Row:
        row = self._must("document", document)
        if row["status"] == "reading":
            raise BadInput(reason=f"{document} is being read at the moment.", remedy="Wait until it is read.")
        return row

    def tags(self) -> list[str]:
        """Every tag of a document of the case, by name."""
        with self._reading():
            rows = self._rows("document", "status <> 'removed' AND tags <> '[]'")
        found = {str(tag) for row in rows for tag in document_of(row).tags}
        return sorted(found, key=lambda tag: (tag.casefold(), tag))

    # --- removal -----------------------------------------------------------------------------------------------------

    def dependents(self, documents: Collection[str]) -> Dependents:
        """What hangs on documents and on what was found in them. Raises NoSuchItem."""
        with self._reading():
            asked = [str(self._must("document", document)["id"]) for document in dict.fromkeys(documents)]
            inside: dict[str, list[str]] = {}
            for child, parent in self._all(
                "SELECT id, parent FROM document WHERE parent <> '' AND status NOT IN ('removed', 'reading')"
            ):
                inside.setdefault(parent, []).append(child)
            family = dict.fromkeys(asked)
            waiting = list(asked)
            while waiting:  # files lie in files in files
                for child in inside.get(waiting.pop(), ()):
                    if child not in family:
                        family[child] = None
                        waiting.append(child)
            rows = self._of("evidence", family)
            made = min((str(row["created_at"]) for row in rows), default="")
            reports = self._all("SELECT after FROM log WHERE verb = 'export' AND at >= ? ORDER BY seq", (made,))
            evidence = json.dumps([row["id"] for row in rows])
            cells = self._all(
                "SELECT count(*) FROM rating WHERE evidence IN (SELECT value FROM json_each(?))", (evidence,)
            )
            return Dependents(
                documents=tuple(sorted(family, key=_number_of)),
                children=tuple(sorted(set(family) - set(asked), key=_number_of)),
                evidence=tuple(sorted((str(row["id"]) for row in rows), key=_number_of)),
                cells=cells[0][0],
                proposals=len(self._of("proposal", family)),
                judged=len(self._judged(family)),
                reports=tuple(dict.fromkeys(_exported(row[0]) for row in reports)) if rows else (),
            )

    def _of(self, table: str, documents: Iterable[str], column: str = "document") -> list[Row]:
        """The rows of a table that name one of these documents. A quote over a page break stays in one document."""
        named = json.dumps(list(documents))
        return self._rows(table, f"{column} IN (SELECT value FROM json_each(?))", (named,))

    def _judged(self, documents: Iterable[str]) -> list[Row]:
        chunks = "SELECT id FROM chunk WHERE document IN (SELECT value FROM json_each(?))"
        return self._rows("relevance", f"chunk IN ({chunks})", (json.dumps(list(documents)),))

    def remove_documents(self, documents: Collection[str], *, with_evidence: bool = False) -> Dependents:
        """Take documents out of the case with what was found in them, in one entry: they are neither listed nor
        searched any more, and what was proposed from them goes with them. Their files are kept, so that undo, or
        adding the file again, brings them back.

        Where evidence rests on them, or other documents would go too, this is refused unless ``with_evidence``, which
        takes that evidence out with its ratings. Raises NoSuchItem, BadInput; then nothing is changed.
        """
        with self._writing():
            change = _Change()
            hanging = self.dependents(documents)
            if hanging.some and not with_evidence:
                said = []
                if hanging.evidence:
                    ratings = f"{hanging.cells} rating{'s' * (hanging.cells != 1)}"
                    said.append(f"{', '.join(hanging.evidence)} with {ratings}")
                if hanging.children:
                    said.append(f"{', '.join(hanging.children)}, found in it")
                raise BadInput(
                    reason=f"{', '.join(dict.fromkeys(documents))} cannot be removed alone: {'; '.join(said)}.",
                    remedy="Say that these go with it (--with-evidence), or keep it and take it out of scope.",
                )
            for evidence in hanging.evidence:
                self._take_out(change, "evidence", evidence)
            for document in hanging.documents:
                row = self._must_be_settled(document)
                self._put(change, "document", {**row, "status": "removed"})
            self._clear(change, hanging.documents)
            self._log_change("remove documents", change)
            return hanging

    def _clear(self, change: _Change, documents: Collection[str]) -> None:
        """Take out what points into removed documents beside evidence."""
        for proposal in self._of("proposal", documents):
            self._take_out(change, "proposal", str(proposal["id"]))
        for row in self._judged(documents):
            self._take_out(change, "relevance", decision_log.TABLES["relevance"].key_of(row))
        for older in self._of("document", documents, "superseded_by"):
            self._put(change, "document", {**older, "superseded_by": ""})

    def restore_documents(self, documents: Collection[str]) -> list[Document]:
        """Bring removed documents back as they were, in one entry. Raises NoSuchItem; then none is."""
        with self._writing():
            change = _Change()
            for document in dict.fromkeys(documents):
                row = self._must("document", document)
                if row["status"] == "removed":
                    self._put(change, "document", {**row, "status": self._standing(document)})
                    self._floors.clear()
            self._log_change("restore documents", change)
            return [self.document(document) for document in documents]

    def _standing(self, document: str) -> str:
        return str(self._db.execute(f"SELECT {STANDING} FROM document WHERE id = ?", (document,)).get)

    def _as_decided(self, row: Row, key: str) -> Row:
        """What people decided of a document as it was, on what is read of it by now."""
        now = self._must_be_settled(key)
        status = now["status"]
        if row["status"] == "removed":
            status = "removed"
        elif status == "removed":
            status = self._standing(key)
        told = {name: row[name] for name in ("included", "superseded_by", *DESCRIBED)}
        return {**now, **told, "status": status}

    def _put_back(self, change: _Change, rows: Rows) -> None:
        super()._put_back(change, rows)
        self._floors.clear()
        gone = [key for key, row in rows.get("document", {}).items() if row and row["status"] == "removed"]
        if gone:
            self._clear(change, gone)  # what was proposed from them meanwhile

    def _prove_quote(self, quote: Quote) -> None:
        super()._prove_quote(quote)
        if self._must("document", quote.document)["status"] == "removed":
            raise BadInput(
                reason=f"{quote.document} was removed from the case, so nothing can be quoted from it.",
                remedy="Add its file again, or undo the removal.",
            )

    # --- beside one another ------------------------------------------------------------------------------------------

    def relatives(self, document: str) -> Relatives:
        """The documents that one belongs with. Raises NoSuchItem."""
        with self._reading():
            one = self.document(document)
            beside = self._rows("document", f"id IN (?, ?) AND {READ}", (one.parent, one.superseded_by))
            named = {str(row["id"]): document_of(row) for row in beside}
            inside = self._all(f"SELECT count(*) FROM document WHERE parent = ? AND {READ}", (document,))
            older = self._rows("document", f"superseded_by = ? AND {READ}", (document,))
            likeness = self.likenesses(document).get(document)
            return Relatives(
                parent=named.get(one.parent),
                inside=inside[0][0],
                newer=named.get(one.superseded_by),
                older=tuple(document_of(row) for row in older),
                likeness=likeness,
                like=self.document(likeness.of) if likeness else None,
            )

    def quoting(self, document: str) -> list[Evidence]:
        """The rows of evidence that quote a document, in order of id."""
        with self._reading():
            return [evidence_of(row) for row in self._of("evidence", [document])]

    # --- passwords ---------------------------------------------------------------------------------------------------

    def password(self, document: str) -> str:
        """The password that a document opens with; '' where it needs none, or it is not known."""
        with self._reading() as db:
            return str(db.execute("SELECT password FROM password WHERE document = ?", (document,)).get or "")

    def put_password(self, document: str, password: str) -> None:
        """Keep the password that opened a document. It stands in the case file as it is, and nowhere else: not in the
        log, not in any export."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO password (document, password) VALUES (?, ?)", (document, password))
            self._record("password", {document: (password,)})

    def passwords(self) -> list[str]:
        """The passwords that opened documents of the case, each once."""
        with self._reading():
            rows = self._all("SELECT DISTINCT password FROM password WHERE password <> '' ORDER BY rowid")
            return [str(row[0]) for row in rows]

    def locked_documents(self) -> set[str]:
        """Failed documents that open with a password that is not known."""
        with self._reading():
            sql = "SELECT id FROM document JOIN password ON document = id WHERE status = 'failed' AND password = ''"
            return {str(row[0]) for row in self._all(sql)}

    # --- where files were found --------------------------------------------------------------------------------------

    def found_at(self, place: str) -> Found | None:
        """What was found last at a place. A place is a digest of the path: paths name people, and cases travel."""
        with self._reading() as db:
            sql = "SELECT document, size, modified FROM found_at WHERE path = ?"
            row = db.execute(sql, (place,)).fetchone()
            return Found(*row) if row else None

    def put_found_at(self, places: Mapping[str, Found]) -> None:
        """Remember what was found at places, in one transaction."""
        with self._writing() as db:
            db.executemany(
                "INSERT OR REPLACE INTO found_at (path, document, size, modified) VALUES (?, ?, ?, ?)",
                [(place, found.document, found.size, found.modified) for place, found in places.items()],
            )
            self._record("found_at", {place: (one.document, one.size, one.modified) for place, one in places.items()})

    def sizes(self) -> set[int]:
        """The sizes of all files that are kept: one of another size is no copy of them."""
        with self._reading():
            return {int(row[0]) for row in self._all("SELECT DISTINCT size FROM document")}

    # --- imports -----------------------------------------------------------------------------------------------------

    def put_imported(self, rows: Iterable[ImportedRow]) -> int:
        """Keep what became of the files of one import; its number."""
        with self._writing() as db:
            run = int(db.execute("SELECT coalesce(max(run), 0) + 1 FROM imported").get)
            at = self.now()
            last = db.execute("SELECT coalesce(max(id), 0) FROM imported").get
            db.executemany(
                "INSERT INTO imported (run, at, name, parent, status, document, of, measure, score, reason, remedy) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(run, at, clean(row.name), clean(row.parent), row.status, row.document, row.of),
                        *(row.measure, row.score, clean(row.reason), clean(row.remedy)),
                    )
                    for row in rows
                ],
            )
            self._record_where("imported", "id > ?", (last,))
            return run

    def imported(self, run: int | None = None) -> list[ImportedRow]:
        """What became of every file of every import, or of one; 0 is the last."""
        columns = "run, at, name, parent, status, document, of, measure, score, reason, remedy"
        with self._reading() as db:
            if run == 0:
                run = int(db.execute("SELECT coalesce(max(run), 0) FROM imported").get)
            rows = self._all(f"SELECT {columns} FROM imported WHERE ?1 IS NULL OR run = ?1 ORDER BY id", (run,))
            return [ImportedRow(*row) for row in rows]


def _described(name: str, value: str | Sequence[str]) -> str:
    """A field of a document as it can be kept. Raises BadInput."""
    if name not in DESCRIBED or not isinstance(value, str):
        raise BadInput(reason=f"A document has no field '{name}'.", remedy=f"Use {', '.join(DESCRIBED)}.")
    kept = clean(value).strip()
    if name == "note":
        return kept
    kept = " ".join(kept.split())
    allowed = _GRADES.get(name)
    if allowed is not None and kept.upper() not in allowed:
        raise BadInput(
            reason=f"'{kept}' cannot be the {name} of a document.",
            remedy=f"Use {', '.join(grade or 'nothing' for grade in allowed)}.",
        )
    if name == "dated" and kept and not _DATED.fullmatch(kept):
        raise BadInput(
            reason=f"'{kept}' is not a date.",
            remedy="Use 2021, 2021-05, 2021-05-03, or two of them with a slash between.",
        )
    return kept.upper() if allowed is not None else kept


def _tags(given: str | Sequence[str]) -> list[str]:
    """Each tag once, in order. Raises BadInput."""
    if isinstance(given, str):
        given = given.split(",")
    kept: dict[str, str] = {}
    for tag in given:
        shown = " ".join(clean(tag).replace(",", " ").split())
        if len(shown) > _LONGEST_TAG:
            raise BadInput(reason=f"A tag has at most {_LONGEST_TAG} characters.", remedy="Put it in the note.")
        if shown:
            kept.setdefault(shown.casefold(), shown)
    if len(kept) > _MOST_TAGS:
        raise BadInput(reason=f"A document has at most {_MOST_TAGS} tags.", remedy="Put the rest in the note.")
    return list(kept.values())


def _exported(after: str) -> str:
    try:
        names = list(values.parsed(after).get("export", {}))
    except (ValueError, AttributeError, TypeError) as error:
        raise values.wrong("log", "of an export", "after") from error
    return str(names[0]) if names else ""
