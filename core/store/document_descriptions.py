"""What people say of documents: tags, origin, grades, notes, newer versions; and how documents belong together."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.domain import ANALYST, Attribution, Changes, Document, NearDuplicate
from core.errors import BadInput
from core.language import identification
from core.ports import Outline
from core.store import decision_log
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet
from core.store.documents import READ, DocumentTable, document_of, own_words
from core.store.log import DecisionLog
from core.store.records import Records

# What an analyst says of a document. ``add_tags`` and ``remove_tags`` change the tags of each by themselves.
DESCRIBED = ("tags", "title", "author", "origin", "place", "reliability", "information", "dated", "note", "language")
# The columns of fields that the file has a word on too.
_OWN = {"title": "own_title", "author": "own_author", "place": "own_place"}
_LONGEST = 1_000  # characters of a title, an author or a place
_GRADES = {"reliability": ("", *"ABCDEF"), "information": ("", *"123456")}
# A day, month or year, or an interval of two of them.
_DATED = re.compile(r"\d{4}(-\d\d(-\d\d)?)?(/\d{4}(-\d\d(-\d\d)?)?)?")
_LONGEST_TAG = 60
_MOST_TAGS = 50


@dataclass(frozen=True, slots=True)
class Relatives:
    """The documents that one belongs with.

    The one it was found in, how many were found in it, its newer version, those that it supersedes, and the earlier one
    that it is ``like``.
    """

    parent: Document | None
    inside: int
    newer: Document | None
    older: tuple[Document, ...]
    likeness: NearDuplicate | None
    like: Document | None


class DocumentDescriptions:
    """People's descriptions of documents, and the relations of these to one another."""

    def __init__(self, db: Database, log: DecisionLog, records: Records, documents: DocumentTable) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._documents = documents

    def describe(
        self, documents: Collection[str], fields: Mapping[str, str | Sequence[str]], *, verb: str = "describe documents"
    ) -> Changes:
        """Set fields of documents, the same for all of them, in one entry.

        Fields: tags, title, author, origin, place, reliability (A-F), information (1-6), dated (ISO 8601, whole or in
        part, or an interval with a slash), note, language (ISO 639-1, or its English name; '' is unknown); '' leaves
        what the file says. add_tags and remove_tags change the tags of each. Raises NoSuchItem, BadInput; then nothing
        is changed.
        """
        new = {
            _OWN.get(name, name): _field_value(name, value)
            for name, value in fields.items()
            if not name.endswith("tags")
        }
        tags = {name: _tags(value) for name, value in fields.items() if name.endswith("tags")}
        if tags.keys() - {"tags", "add_tags", "remove_tags"}:
            raise BadInput(reason="A document has no such field.", remedy=f"Use {', '.join(DESCRIBED)}.")
        with self._db.transaction():
            change = ChangeSet()
            for document in dict.fromkeys(documents):
                row = self._documents.require_settled(document)
                merged_tags = list(document_of(row).tags)
                if tags:
                    dropped_tags = {tag.casefold() for tag in tags.get("remove_tags", ())}
                    merged_tags = [tag for tag in tags.get("tags", merged_tags) if tag.casefold() not in dropped_tags]
                    merged_tags = _tags([*merged_tags, *tags.get("add_tags", ())])
                if "language" in new:
                    new["attributions"] = _with_language(row, Attribution("language", ANALYST, "H"))
                self._records.put(change, "document", {**row, **new, "tags": decision_log.canonical(merged_tags)})
            self._log.append_change(verb, change)
        return Changes(documents=bool(change))

    def put(self, document: str, description: Document) -> None:
        """Set the description of a document that is being read; it is logged when it is read."""
        with self._db.transaction() as db:
            self._documents.require_unfinished(document)
            columns = ("origin", "reliability", "information", "dated", "note", *_OWN.values())
            db.execute(
                f"UPDATE document SET tags = ?, {', '.join(f'{name} = ?' for name in columns)} WHERE id = ?",
                (
                    decision_log.canonical(list(description.tags)),
                    *(getattr(description, name) for name in columns),
                    document,
                ),
            )

    def restate(self, outlines: Mapping[str, Outline]) -> list[str]:
        """Keep what files say of themselves where it is read again, by document, in one entry; return what changed.

        What people said of them stays. Return the documents that changed. Raises NoSuchItem, BadInput.
        """
        with self._db.transaction():
            change = ChangeSet()
            fresh: list[str] = []
            for document, outline in outlines.items():
                row = self._documents.require_settled(document)
                new = {**row, **own_words(outline)}
                if new != row:
                    fresh.append(document)
                    self._records.put(change, "document", new)
            if fresh:
                self._log.append_change("read descriptions", change)
        return fresh

    def put_languages(self, languages: Mapping[str, tuple[str, Attribution]]) -> None:
        """Keep the languages that were recognised, by document, in one entry. Raises NoSuchItem, BadInput."""
        with self._db.transaction():
            change = ChangeSet()
            for document, (language, attribution) in languages.items():
                row = self._documents.require_settled(document)
                attributions = _with_language(row, attribution)
                self._records.put(change, "document", {**row, "language": language, "attributions": attributions})
            if change:
                self._log.append_change(decision_log.RECOGNISE, change)

    def tags(self) -> list[str]:
        """List every tag of a document of the case, by name."""
        with self._db.reading():
            rows = self._records.rows("document", "status <> 'removed' AND tags <> '[]'")
        names = {str(tag) for row in rows for tag in document_of(row).tags}
        return sorted(names, key=lambda tag: (tag.casefold(), tag))

    def supersede(self, document: str, by: str) -> None:
        """Record ``by`` as the newer version of a document; '' for none. Raises NoSuchItem, BadInput."""
        with self._db.transaction():
            change = ChangeSet()
            row = self._records.require("document", document)
            if by and self._records.require("document", by)["status"] == "removed":
                raise BadInput(
                    reason=f"{by} was removed from the case, so it cannot be a newer version of {document}.",
                    remedy="Bring it back first, or choose another document.",
                )
            chain, newer = {document}, by
            while newer:
                if newer in chain:
                    raise BadInput(
                        reason=f"{by} cannot be a newer version of {document}: it would be newer than itself.",
                        remedy="Choose another document.",
                    )
                chain.add(newer)
                newer = str(self._records.require("document", newer)["superseded_by"])
            self._records.put(change, "document", {**row, "superseded_by": by})
            self._log.append_change("supersede", change)

    def relatives(self, document: str) -> Relatives:
        """Find the documents that one belongs with. Raises NoSuchItem."""
        with self._db.reading():
            subject = self._documents.get(document)
            beside = self._records.rows("document", f"id IN (?, ?) AND {READ}", (subject.parent, subject.superseded_by))
            by_id = {str(row["id"]): document_of(row) for row in beside}
            inside = self._db.rows(f"SELECT count(*) FROM document WHERE parent = ? AND {READ}", (document,))
            older = self._records.rows("document", f"superseded_by = ? AND {READ}", (document,))
            likeness = self._documents.likenesses(document).get(document)
            return Relatives(
                parent=by_id.get(subject.parent),
                inside=inside[0][0],
                newer=by_id.get(subject.superseded_by),
                older=tuple(document_of(row) for row in older),
                likeness=likeness,
                like=self._documents.get(likeness.of) if likeness else None,
            )


def _field_value(name: str, value: str | Sequence[str]) -> str:
    """Return a field of a document as it can be kept. Raises BadInput."""
    if name not in DESCRIBED or not isinstance(value, str):
        raise BadInput(reason=f"A document has no field '{name}'.", remedy=f"Use {', '.join(DESCRIBED)}.")
    text = clean(value).strip()
    if name == "note":
        return text
    text = " ".join(text.split())[:_LONGEST]
    grades = _GRADES.get(name)
    if grades is not None and text.upper() not in grades:
        raise BadInput(
            reason=f"'{text}' cannot be the {name} of a document.",
            remedy=f"Use {', '.join(grade or 'nothing' for grade in grades)}.",
        )
    if name == "dated" and text and not _DATED.fullmatch(text):
        raise BadInput(
            reason=f"'{text}' is not a date.",
            remedy="Use 2021, 2021-05, 2021-05-03, or two of them with a slash between.",
        )
    if name == "language" and text:
        return _language(text)
    return text.upper() if grades is not None else text


def _with_language(row: Mapping[str, object], attribution: Attribution) -> str:
    """Return the attributions of a document, with this one of its language."""
    rest = [item for item in document_of(row).attributions if item.field != "language"]
    return decision_log.canonical([list(item) for item in (*rest, attribution)])


def _language(text: str) -> str:
    """Return the code of a language by its code or English name. Raises BadInput."""
    code = identification.code_of(text)
    if not code:
        raise BadInput(reason=f"'{text}' is no language.", remedy="Use a code such as de, or its name in English.")
    return code


def _tags(tags: str | Sequence[str]) -> list[str]:
    """Return each tag once, in order. Raises BadInput."""
    if isinstance(tags, str):
        tags = tags.split(",")
    by_folded: dict[str, str] = {}
    for tag in tags:
        text = " ".join(clean(tag).replace(",", " ").split())
        if len(text) > _LONGEST_TAG:
            raise BadInput(reason=f"A tag has at most {_LONGEST_TAG} characters.", remedy="Put it in the note.")
        if text:
            by_folded.setdefault(text.casefold(), text)
    if len(by_folded) > _MOST_TAGS:
        raise BadInput(reason=f"A document has at most {_MOST_TAGS} tags.", remedy="Put the rest in the note.")
    return list(by_folded.values())
