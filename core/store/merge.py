"""Two copies of a case, or two cases on one question, become one: matched by what things are, not by their numbers.

Documents are matched by the hash of their bytes, hypotheses by their words, evidence by its place on a page or by its
words, ratings by cell and person. Where both files hold the same beginning of one log, what was there is the common
ancestor: a thing that only one side changed since takes that side's value, and only what both changed is a conflict. In
a conflict one value stands and the other is written down as a consideration, so that nothing is lost.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.domain import Changes, Document, PageText, QuotePart, Section, Span
from core.errors import BadInput, CaseNotFound, CaseUnreadable, Problem
from core.evidence.word_borders import exact_places
from core.files import is_file
from core.ports import Outline
from core.progress import Progress
from core.store import decision_log, header, integrity, judged_words, lock, opening, values
from core.store.case_file import CaseFile
from core.store.case_key import CaseKey
from core.store.database import clean
from core.store.decision_log import ChangeSet, Row, Rows
from core.store.documents import document_of
from core.store.entities import all_names
from core.store.erasure import erased_files
from core.store.evidence import BLANK
from core.store.hypotheses import plain
from core.store.ocr_corrections import LEFT
from core.store.private_copies import PrivateFolder
from core.store.quotes import quoting, stretches

_EDITABLE = (
    "text", "source", "date", "credibility", "relevance", "reliability", "information", "upstream", "note", "kind",
)  # fmt: skip
_MODEL_BATCH = 256


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of a merge: what it added here, could not settle, and could not bring over."""

    documents: int
    hypotheses: int
    evidence: int
    ratings: int
    proposals: int
    considerations: int
    conflicts: tuple[str, ...]
    problems: tuple[Problem, ...]
    changes: Changes = Changes(documents=True, hypotheses=True, proposals=True, evidence=True, matrix=True)


@dataclass(slots=True)
class _Plan:
    """The other file's ids as they read here."""

    documents: dict[str, str] = field(default_factory=dict)
    pages: dict[int, int] = field(default_factory=dict)
    hypotheses: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("hypothesis", "evidence", "rating", "proposal", "consideration"), 0)
    )
    conflicts: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    old_ratings: list[str] = field(default_factory=list)  # ratings as they read here, given for other words there


def merge(case: CaseFile, path: Path, progress: Progress, key: CaseKey | None = None) -> Merged:
    """Bring everything of the case at ``path`` into ``case``; that file is not changed.

    An encrypted one needs its ``key``, where the case's own does not open it (a copy of the case has the same).
    Documents come one by one, then all decisions as one entry of the log, which one undo takes back. Raises
    CaseNotFound, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, PassphraseNeeded, BadInput for the case itself or
    one that is open, and CaseNotProven for a file that its own log does not bear out; then nothing is taken.
    """
    if not is_file(path):
        raise CaseNotFound(path=path)
    if lock.identity(path) == case.db.handle.file:
        raise BadInput(reason="This is the case that is open.", remedy="Choose the other copy.")
    if lock.is_open_here(path) or any(lock.beside(lock.real(path), ending).exists() for ending in ("-wal", "-journal")):
        raise BadInput(
            reason=f"{path.name} is open somewhere, or was not closed.", remedy="Open and close it, then merge."
        )
    opening.check_finished(path)
    key = header.look(path, key or case.key).key
    with PrivateFolder() as folder:
        # A copy, since opening a case may bring it to a newer format, and the other file is not ours.
        copy = folder / "other.disconfirm"
        try:
            shutil.copyfile(path, copy)
        except OSError as error:
            raise CaseUnreadable(path=path, reason=error.strerror or type(error).__name__) from error
        with CaseFile.open(copy, who=case.who, now=case.db.clock, bind=False, key=key) as copied_case:
            fault = integrity.first_fault(copied_case, progress)
            if fault is not None:
                raise integrity.not_proven(path, fault, "nothing was taken from it")
            plan = _Plan()
            _erase_there(case, copied_case, plan)
            documents = _documents(case, copied_case, plan, progress)
            _decisions(case, copied_case, plan, path.name, documents)
            plan.problems += _results_left(copied_case, path.name)
            for model, exam in copied_case.verdicts.exams().items():
                case.verdicts.keep_exam(model, exam)
    return Merged(
        documents=documents,
        hypotheses=plan.counts["hypothesis"],
        evidence=plan.counts["evidence"],
        ratings=plan.counts["rating"],
        proposals=plan.counts["proposal"],
        considerations=plan.counts["consideration"],
        conflicts=tuple(plan.conflicts),
        problems=tuple(plan.problems),
    )


def _results_left(copied_case: CaseFile, name: str) -> list[Problem]:
    """Return a problem for answers, conflicts and audits not taken from the other case: they need its documents."""
    counts = {kind: len(copied_case.records.rows(kind)) for kind in ("answer", "conflict", "audit")}
    words = [f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in counts.items() if count]
    if not words:
        return []
    what = f"It has {', '.join(words)}, worked out from its own documents. They were not taken."
    return [Problem(name, what, "Ask, compare and audit again here.")]


def _erase_there(case: CaseFile, copied_case: CaseFile, plan: _Plan) -> None:
    """Erase from the copy of the other file what was erased here: nothing of it comes back by this way."""
    files = {sha256 for sha256 in erased_files(case.log.entries()) if case.documents.by_sha256(sha256) is None}
    documents = [
        document
        for document in map(copied_case.documents.by_sha256, sorted(files))
        if document and document.status != "reading"
    ]
    if not documents:
        return
    copied_case.erasures.erase([document.id for document in documents])
    for document in documents:
        what = "This document was erased from the case here, so neither it nor what quotes it was taken."
        plan.problems.append(Problem(f"{document.id} {document.name}", what, "Add the file itself if it is wanted."))


# --- documents -------------------------------------------------------------------------------------------------------


def _documents(case: CaseFile, copied_case: CaseFile, plan: _Plan, progress: Progress) -> int:
    documents = [*copied_case.documents.all(), *copied_case.documents.failed()]
    documents = sorted((d for d in documents if d.status != "reading"), key=lambda d: int(d.id[1:]))
    count = 0
    for number, document in enumerate(documents):
        progress.step(number, len(documents), f"Comparing {document.name}")
        if hashlib.sha256(copied_case.documents.original(document.id)).hexdigest() != document.sha256:
            what = "Its original is not the file that was added there: its SHA-256 differs. It was left out."
            plan.problems.append(Problem(f"{document.id} {document.name}", what, "Add the file itself."))
            continue
        present = case.documents.by_sha256(document.sha256)
        # One that was never read here comes as it is there; a failure there says nothing to what is here.
        if (
            present is None
            or present.status == "reading"
            or (present.status == "failed" and document.status != "failed")
        ):
            plan.documents[document.id] = _copy_document(case, copied_case, document, present, plan)
            count += document.status != "failed"
        else:
            plan.documents[document.id] = present.id
        ours = {page.number: page for page in case.pages.of(plan.documents[document.id])}
        for page in copied_case.pages.of(document.id):
            if page.number in ours:
                plan.pages[page.id] = ours[page.number].id
    return count


def _copy_document(
    case: CaseFile, copied_case: CaseFile, original: Document, present: Document | None, plan: _Plan
) -> str:
    document = original.id
    parent = plan.documents.get(original.parent, "")
    if present is None:
        new = case.documents.begin(
            name=original.name,
            kind=original.kind,
            sha256=original.sha256,
            data=copied_case.documents.original(document),
            reader=original.reader,
            folder=original.folder,
        )
    else:
        new = present.id
        case.documents.restart(new, name=original.name, reader=original.reader)
    try:
        case.descriptions.put(new, original)
        if original.status == "failed":
            needs_password = document in copied_case.imports.locked()
            case.documents.fail(
                new, reason=original.reason, remedy=original.remedy, parent=parent, needs_password=needs_password
            )
            return new
        chunks = list(copied_case.pages.chunks(copied_case.pages.chunk_ids(document)).values())
        spans: dict[int, list[Span]] = {}
        for chunk in chunks:
            spans.setdefault(chunk.page_id, []).append(Span(chunk.start, chunk.end))
        headings: dict[int, list[Section]] = {}
        for number, section in copied_case.pages.sections(document):
            headings.setdefault(number, []).append(section)
        new_chunks: list[int] = []
        for page in copied_case.pages.of(document):
            text = PageText(
                number=page.number,
                text=page.text,
                words=copied_case.pages.words(page.id),
                width=page.width,
                height=page.height,
                source=page.source,
                confidence=page.confidence,
                label=page.label,
                hidden_spans=page.hidden_spans,
                hidden_why=page.hidden_why,
                struck_spans=page.struck_spans,
                tables=page.tables,
                sections=tuple(headings.get(page.number, ())),
            )
            new_chunks += case.documents.put_pages(new, [(text, spans.get(page.id, []))])
            readings = copied_case.pages.readings(page.id)
            if readings:
                here = case.pages.page(new, page.number).id
                with case.db.transaction():
                    for reading in readings:
                        case.pages.keep_reading(here, reading)
        case.documents.finish(
            new,
            Outline(
                original.kind,
                original.pages,
                title=original.title,
                author=original.author,
                date=original.date,
                address=original.address,
                publisher=original.publisher,
                place=original.place,
                attributions=original.attributions,
                file_date=original.file_date,
            ),
            language=original.language,
            parent=parent,
            left_out=original.left_out,
        )
        if password := copied_case.imports.password(document):
            case.imports.put_password(new, password)
    except BaseException:
        case.documents.drop(new)
        raise
    known_models = case.vectors.models()
    for model in copied_case.vectors.models():
        if known_models and model not in known_models:
            continue  # another search model: this case's own makes the vectors when it is next used
        pairs = [
            (ours, copied_case.vectors.get(model, copied_chunk.id))
            for ours, copied_chunk in zip(new_chunks, chunks, strict=True)
        ]
        vectors = [(ours, data) for ours, data in pairs if data is not None]
        for start in range(0, len(vectors), _MODEL_BATCH):
            case.vectors.put(model, vectors[start : start + _MODEL_BATCH])
    return new


# --- decisions -------------------------------------------------------------------------------------------------------


def _ancestor(case: CaseFile, copied_case: CaseFile) -> Rows:
    """Return the decisions at the end of the log that both files share; empty for two cases of their own."""
    common = []
    for ours, copied_entry in zip(case.log.entries(), copied_case.log.entries(), strict=False):
        if ours.hash != copied_entry.hash:
            break
        common.append(ours)
    return decision_log.replay(common)


def _decisions(case: CaseFile, copied_case: CaseFile, plan: _Plan, name: str, documents: int) -> None:
    caveats = copied_case.history.recoveries(clean(name), {entry.hash for entry in case.log.entries()})
    caveats = tuple(words for words in caveats if words not in case.history.recoveries())
    base = _ancestor(case, copied_case)
    with case.db.transaction():
        change = ChangeSet()
        _library(case, copied_case, plan, base, change)
        _words(case, copied_case, plan, change)  # before what is on pages: places follow the words
        _hypotheses(case, copied_case, plan, base, change)
        _evidence(case, copied_case, plan, base, change)
        _cells(case, copied_case, plan, base, change)
        _proposals(case, copied_case, plan, change)
        _beside(case, copied_case, plan, change)
        for text in plan.conflicts:
            case.considerations.new(change, "conflict", f"{text} (merging {name})")
        if change or (documents and caveats):
            entries = copied_case.log.entries()
            # Where it came from, for whoever reads the log: the other file's own chain ends at this hash.
            origin: Row = {"name": name, "head": entries[-1].hash, "entries": len(entries)}
            if caveats:
                origin["caveats"] = list(caveats)
            if plan.old_ratings:
                origin["outdated"] = sorted(plan.old_ratings)
            case.log.append("merge", change.before, {**change.after, "merge": {name: origin}})


_DESCRIBED = ("origin", "reliability", "information", "dated", "note")


def _library(case: CaseFile, copied_case: CaseFile, plan: _Plan, base: Rows, change: ChangeSet) -> None:
    """Bring over what was said of documents there; and what was removed on one side only."""
    quoted_ids = {str(row["document"]) for row in copied_case.records.rows("evidence", "document IS NOT NULL")}
    for of_copy in copied_case.records.rows("document", "status <> 'reading'"):
        identity = str(of_copy["id"])
        present = case.documents.by_sha256(str(of_copy["sha256"]))
        ancestor = base["document"].get(identity)
        if present is None:
            continue
        ours = case.records.require("document", present.id)
        if of_copy["status"] == "removed":
            if ours["status"] != "removed" and ancestor is not None and ancestor["status"] != "removed":
                plan.conflicts.append(f"{present.id} was removed in the other copy and is kept here.")
            continue
        if ours["status"] == "removed":
            if identity in quoted_ids:
                ours = {**ours, "status": case.documents.standing(present.id)}
                case.vectors.look_again()
                case.records.put(change, "document", ours)
                plan.conflicts.append(f"{present.id} was removed here and is quoted in the other copy; it is back.")
            else:
                continue
        their_tags, old_tags = document_of(of_copy).tags, document_of(ancestor).tags if ancestor else ()
        own_tags = document_of(ours).tags
        # A tag that one side added since stays, one that a side took away since is gone.
        dropped_tags = {tag for tag in old_tags if tag not in their_tags or tag not in own_tags}
        merged_tags = [tag for tag in dict.fromkeys((*own_tags, *their_tags)) if tag not in dropped_tags]
        row: Row = {**ours, "tags": decision_log.canonical(merged_tags)}
        case.records.put(change, "document", row)
        _settle(case, plan, change, "document", row, of_copy, ancestor, _DESCRIBED, present.id)


def _words(case: CaseFile, copied_case: CaseFile, plan: _Plan, change: ChangeSet) -> None:
    """Bring over what was said there of words of scans, where the same was read here."""
    pages: set[int] = set()
    for row in copied_case.records.rows("ocr_word"):
        copied_page = copied_case.pages.by_id(int(str(row["page"])))
        page_id = plan.pages.get(copied_page.id)
        if page_id is None or _read(case, page_id) != _read(copied_case, copied_page.id):
            continue
        translation = {**row, "page": page_id}
        ours = case.records.row("ocr_word", f"{page_id}/{row['word']}")
        if ours is None:
            case.records.put(change, "ocr_word", translation)
            pages.add(page_id)
        elif (ours["action"], ours["text"]) != (row["action"], row["text"]):
            where = f"{copied_page.document}, page {copied_page.number}, word {int(str(row['word'])) + 1}"
            plan.conflicts.append(
                f"{where}: {ours['action']} “{ours['text']}” here, {row['action']} “{row['text']}” in the other copy."
            )
    for page_id in sorted(pages):
        case.corrections.follow(change, page_id)


def _read(case: CaseFile, page_id: int) -> str | None:
    """Return what OCR read on a page; None if it was not read so."""
    page = case.pages.by_id(page_id)
    return next((reading.text for reading in case.pages.readings(page_id) if reading.engine == page.fingerprint), None)


def _hypotheses(case: CaseFile, copied_case: CaseFile, plan: _Plan, base: Rows, change: ChangeSet) -> None:
    here = {str(row["id"]): row for row in case.records.rows("hypothesis")}
    by_words: dict[str, str] = {}
    for identity, row in here.items():
        by_words.setdefault(plain(str(row["text"])), identity)
    for row in copied_case.records.rows("hypothesis"):
        identity = str(row["id"])
        ancestor = base["hypothesis"].get(identity)
        match = identity if ancestor is not None and identity in here else by_words.get(plain(str(row["text"])))
        if match is None:
            new = case.hypotheses.new(change, str(row["text"]), str(row["note"]), str(row["kind"]))
            plan.hypotheses[identity] = str(new["id"])
            plan.counts["hypothesis"] += 1
            if ancestor is not None:
                plan.conflicts.append(
                    f"{identity} was removed here and kept in the other copy; it is back as {new['id']}."
                )
            continue
        plan.hypotheses[identity] = match
        _settle(case, plan, change, "hypothesis", here[match], row, ancestor, ("text", "note", "kind", "prior"), match)
    _told_removed(plan, base, "hypothesis", here, {str(row["id"]) for row in copied_case.records.rows("hypothesis")})


def _told_removed(plan: _Plan, base: Rows, table: str, ours: dict[str, Row], of_copy: set[str]) -> None:
    for identity in base[table]:
        if identity in ours and identity not in of_copy:
            plan.conflicts.append(f"{identity} was removed in the other copy and is kept here.")


def _settle(
    case: CaseFile,
    plan: _Plan,
    change: ChangeSet,
    table: str,
    ours: Row,
    of_copy: Row,
    ancestor: Row | None,
    fields: tuple[str, ...],
    name_here: str,
) -> None:
    """Merge fields three ways: what only they changed is taken, what both changed is a conflict and stays."""
    result = dict(ours)
    for name in fields:
        our_value, copied_value = ours[name], of_copy[name]
        old_value = (ancestor or {}).get(name, "")
        if our_value == copied_value or (ancestor is not None and copied_value == old_value):
            continue
        if (ancestor is not None and our_value == old_value) or our_value in (None, ""):
            result[name] = copied_value
        elif copied_value not in (None, ""):
            plan.conflicts.append(f"{name_here}: {name} is “{our_value}” here and “{copied_value}” in the other copy.")
    case.records.put(change, table, result)


def _evidence(case: CaseFile, copied_case: CaseFile, plan: _Plan, base: Rows, change: ChangeSet) -> None:
    rows = case.records.rows("evidence")
    here = {str(row["id"]): row for row in rows}
    by_place = {
        (row["page_id"], row["start"], row["end"]): str(row["id"]) for row in rows if row["page_id"] is not None
    }
    by_words = {
        (plain(str(row["text"])), plain(str(row["source"]))): str(row["id"]) for row in rows if row["page_id"] is None
    }
    for row in copied_case.records.rows("evidence"):
        identity = str(row["id"])
        ancestor = base["evidence"].get(identity)
        if row["kind"] == values.WITHDRAWN:
            if ancestor is not None and identity in here:
                plan.evidence[identity] = identity
                if here[identity]["kind"] != values.WITHDRAWN:
                    plan.conflicts.append(f"The document of {identity} was erased in the other copy and is kept here.")
            continue
        translation = _with_place_here(case, plan, row, identity)
        if ancestor is not None and identity in here:
            match: str | None = identity
        elif translation["page_id"] is not None:
            match = by_place.get((translation["page_id"], translation["start"], translation["end"]))
        else:
            match = by_words.get((plain(str(row["text"])), plain(str(row["source"]))))
        if match is not None:
            plan.evidence[identity] = match
            ours, of_copy = stretches(here[match]), stretches(translation)
            fields: tuple[str, ...] = _EDITABLE
            if ours and of_copy and here[match]["quote"] != translation["quote"]:  # rows were joined on one side
                plan.conflicts.append(
                    f"{match} quotes “{here[match]['quote']}” here and “{translation['quote']}” in the other copy."
                )
                if translation["text"] == translation["quote"]:
                    fields = tuple(name for name in _EDITABLE if name != "text")
            elif ours and of_copy and len(ours) != len(of_copy):
                plan.conflicts.append(
                    f"{match} quotes {'only ' if len(ours) < len(of_copy) else ''}pages {_pages(ours)} here and "
                    f"{_pages(of_copy)} in the other copy."
                )
            _settle(case, plan, change, "evidence", here[match], translation, ancestor, fields, match)
            continue
        new: Row = {**BLANK, **translation, "id": f"E{case.db.number('evidence')}", "proposal": None}
        if new["absence"] is not None:
            absence = json.loads(str(new["absence"]))
            absence["hypothesis"] = plan.hypotheses.get(absence["hypothesis"], "")
            new["absence"] = decision_log.canonical(absence)
        case.records.put(change, "evidence", new)
        plan.evidence[identity] = str(new["id"])
        plan.counts["evidence"] += 1
        if ancestor is not None:
            plan.conflicts.append(f"{identity} was removed here and kept in the other copy; it is back as {new['id']}.")
    _told_removed(plan, base, "evidence", here, {str(row["id"]) for row in copied_case.records.rows("evidence")})


def _pages(parts: Sequence[QuotePart]) -> str:
    return "–".join(str(page) for page in sorted({part.page for part in (parts[0], parts[-1])})) if parts else "none"


def _with_place_here(case: CaseFile, plan: _Plan, row: Row, identity: str) -> Row:
    """Return a row of theirs with its quote at its place here; without a place where the page reads otherwise."""
    if row["page_id"] is None:
        return dict(row)
    without: Row = {**row, **dict.fromkeys(("document", "page_id", "page", "start", "end", "quote", "page_sha256"))}
    without["more"] = "[]"
    parts = []
    document = ""
    for part in stretches(row):
        page_id = plan.pages.get(part.page_id)
        if page_id is None:
            what = "Its page is not in this case."
            plan.problems.append(Problem(identity, what, "Add the document, then merge again."))
            return without
        page = case.pages.by_id(page_id)
        start = part.start
        if page.sha256 != part.page_sha256 or page.text[start : part.end] != part.text:
            # Read otherwise here: it must be there by itself, and not as the end of another word.
            starts = [place[0] for place in exact_places(part.text, page.text)]
            if start not in starts and len(starts) != 1:
                what = "Its quote is not on its page as this case reads it."
                plan.problems.append(Problem(identity, what, "Look for it by hand."))
                return without
            start = start if start in starts else starts[0]
        document = page.document
        parts.append(QuotePart(page.id, page.number, start, start + len(part.text), part.text, page.sha256))
    return quoting(row, document, parts)


def _cells(case: CaseFile, copied_case: CaseFile, plan: _Plan, base: Rows, change: ChangeSet) -> None:
    old_ratings = copied_case.history.outdated_ratings()
    suggestions = judged_words.without_outdated(copied_case, copied_case.ratings.suggestions())
    new_suggestions = {(suggestion.evidence, suggestion.hypothesis) for suggestion in suggestions}
    here, of_copy = _rated_words(case), _rated_words(copied_case)
    for table in ("rating", "suggestion", "likelihood"):
        shape = decision_log.TABLES[table]
        for row in copied_case.records.rows(table):
            ancestor = base[table].get(shape.key_of(row))
            translation = dict(row)
            if row.get("evidence") is not None and row["evidence"] not in plan.evidence:
                continue  # of a row whose document was erased
            if table == "suggestion" and (row["evidence"], row["hypothesis"]) not in new_suggestions:
                continue  # for other words: it was shown to nobody there either
            if "evidence" in translation:
                translation["evidence"] = plan.evidence[str(row["evidence"])]
            translation["hypothesis"] = plan.hypotheses[str(row["hypothesis"])]
            key = shape.key_of(translation)
            is_new = table == "rating" and row != ancestor
            if is_new and (shape.key_of(row) in old_ratings or _words_of(row, of_copy) != _words_of(translation, here)):
                plan.old_ratings.append(key)
            ours = case.records.row(table, key)
            if ours is None:
                if ancestor is not None and key == shape.key_of(ancestor) and row == ancestor:
                    continue  # cleared here since, and untouched there
                case.records.put(change, table, translation)
                plan.counts["rating"] += table == "rating"
            elif table == "rating":
                _settle_rating(case, plan, change, ours, translation, ancestor)
            elif table == "likelihood" and ours["value"] != translation["value"]:
                if str(translation["at"]) > str(ours["at"]):
                    case.records.put(change, table, translation)
                plan.conflicts.append(
                    f"{translation['by']} gives {translation['hypothesis']} a likelihood of {ours['value']:g} here and "
                    f"{translation['value']:g} in the other copy; "
                    f"the {'one here' if translation['at'] == ours['at'] else 'later one'} counts."
                )


def _rated_words(case: CaseFile) -> dict[str, str]:
    """Return what people rate by its id: the words of hypotheses and of quotes."""
    columns = (("hypothesis", "text"), ("evidence", "quote"))
    return {
        str(row["id"]): plain(str(row[column] or "")) for table, column in columns for row in case.records.rows(table)
    }


def _words_of(rating: Row, words: dict[str, str]) -> tuple[str, str]:
    return words[str(rating["hypothesis"])], words[str(rating["evidence"])]


def _settle_rating(
    case: CaseFile, plan: _Plan, change: ChangeSet, ours: Row, of_copy: Row, ancestor: Row | None
) -> None:
    def judgement(row: Row | None) -> tuple[object, ...] | None:
        return None if row is None else (row["rating"], row["note"], row["confidence"])

    if judgement(ours) == judgement(of_copy) or judgement(of_copy) == judgement(ancestor):
        return
    # Whoever rates again does so at another time: two ratings of one moment cannot both be what was decided then.
    at_once = ours["at"] == of_copy["at"] and ours["rating"] != of_copy["rating"]
    if judgement(ours) == judgement(ancestor) and not at_once:
        case.records.put(change, "rating", of_copy)
        plan.counts["rating"] += 1
        return
    later = of_copy if str(of_copy["at"]) > str(ours["at"]) else ours
    if later is of_copy:
        case.records.put(change, "rating", of_copy)
    plan.conflicts.append(
        f"{ours['by']} rates {ours['evidence']} against {ours['hypothesis']} {_in_words(ours)} here ({ours['at']}) and "
        f"{_in_words(of_copy)} in the other copy ({of_copy['at']}); "
        f"the {'one here' if ours['at'] == of_copy['at'] else 'later one'} counts."
    )


def _in_words(row: Row) -> str:
    note = f" (“{row['note']}”)" if row["note"] else ""
    return f"{row['rating']}{note}"


def _proposals(case: CaseFile, copied_case: CaseFile, plan: _Plan, change: ChangeSet) -> None:
    old_proposals = {p.id for p in judged_words.mark_outdated(copied_case, copied_case.proposals.all()) if p.outdated}
    for row in copied_case.records.rows("proposal"):
        if row["id"] in old_proposals:
            what = "Its passage or its hypothesis was reworded there after it was judged; it was left out."
            plan.problems.append(Problem(str(row["id"]), what, "Propose again."))
            continue
        page_id = plan.pages.get(int(str(row["page_id"])))
        hypothesis = plan.hypotheses[str(row["hypothesis"])]
        if page_id is None:
            continue
        page = case.pages.by_id(page_id)
        if case.records.require("document", page.document)["status"] == "removed":
            continue
        start, end = int(str(row["start"])), int(str(row["end"]))
        chunk = case.pages.chunk_around(page_id, start, end)
        is_same = page.sha256 == row["page_sha256"] or (start, end) in exact_places(str(row["quote"]), page.text)
        if page.text[start:end] != row["quote"] or chunk is None or not is_same:
            plan.problems.append(
                Problem(str(row["id"]), "Its passage is read differently here; it was left out.", "Propose again.")
            )
            continue
        where = 'hypothesis = ? AND page_id = ? AND start = ? AND "end" = ?'
        existing = case.records.rows("proposal", where, (hypothesis, page_id, start, end))
        if existing:
            if existing[0]["status"] == "pending" and row["status"] != "pending":
                case.records.put(change, "proposal", {**existing[0], "status": row["status"]})
            _other_verdicts(case, copied_case, row, existing[0], change)
            continue
        place: Row = {"chunk": chunk, "document": page.document, "page_id": page_id, "page_sha256": page.sha256}
        new: Row = {**row, **place, "id": f"P{case.db.number('proposal')}", "hypothesis": hypothesis}
        case.records.put(change, "proposal", {**new, "possible_duplicate": None})
        _other_verdicts(case, copied_case, row, new, change)
        plan.counts["proposal"] += 1


def _other_verdicts(case: CaseFile, copied_case: CaseFile, of_copy: Row, ours: Row, change: ChangeSet) -> None:
    """Bring over what other models said of a proposal that is here too; the verdict of one that is here stays."""
    for row in copied_case.records.rows("other_verdict", "proposal = ?", (of_copy["id"],)):
        translation = {**row, "proposal": ours["id"]}
        if row["model"] != ours["model"] and case.records.row("other_verdict", f"{ours['id']}/{row['model']}") is None:
            case.records.put(change, "other_verdict", translation)


def _beside(case: CaseFile, copied_case: CaseFile, plan: _Plan, change: ChangeSet) -> None:
    here = {(row["kind"], plain(str(row["text"])), row["hypothesis"]) for row in case.records.rows("consideration")}
    for row in copied_case.records.rows("consideration"):
        hypothesis = plan.hypotheses.get(str(row["hypothesis"]), "")
        if (row["kind"], plain(str(row["text"])), hypothesis) in here:
            continue
        case.records.put(
            change,
            "consideration",
            {**row, "id": f"C{case.db.number('consideration')}", "hypothesis": hypothesis, "seen": 0},
        )
        plan.counts["consideration"] += 1
    _searches(case, copied_case, plan, change)
    ours = {row["id"]: row["value"] for row in case.records.rows("setting")}
    for row in copied_case.records.rows("setting"):
        if str(row["id"]).startswith(LEFT):  # what was said of a page, not of the case
            document, _, number = str(row["id"]).removeprefix(LEFT).partition("/")
            key = f"{LEFT}{plan.documents.get(document)}/{number}"
            if document in plan.documents and key not in ours:
                case.records.put(change, "setting", {**row, "id": key})
            continue
        if row["id"] in ours and ours[row["id"]] != row["value"]:
            plan.conflicts.append(
                f"The setting {row['id']} is {ours[row['id']]} here and {row['value']} in the other copy."
            )
        elif row["id"] not in ours:
            case.records.put(change, "setting", row)
    for row in copied_case.records.rows("document", "superseded_by <> ''"):
        own_document = plan.documents.get(str(row["id"]))
        by = plan.documents.get(str(row["superseded_by"]))
        present = case.records.row("document", own_document) if own_document else None
        if present is not None and by and not present["superseded_by"]:
            case.records.put(change, "document", {**present, "superseded_by": by})


def _searches(case: CaseFile, copied_case: CaseFile, plan: _Plan, change: ChangeSet) -> None:
    """Bring over names, planned searches, searches that were run, and what people said of passages."""
    by_name = {name: row for row in case.records.rows("entity") for name in all_names(row)}
    for row in copied_case.records.rows("entity"):
        name_row = next((by_name[name] for name in all_names(row) if name in by_name), None)
        if name_row is None:
            name_row = {**row, "id": f"N{case.db.number('entity')}"}
        else:
            aliases = json.loads(str(name_row["aliases"]))
            copied_names = [str(row["name"]), *json.loads(str(row["aliases"]))]
            more = [name for name in copied_names if name.casefold() not in all_names(name_row)]
            name_row = {**name_row, "aliases": decision_log.canonical([*aliases, *more])}
        case.records.put(change, "entity", name_row)
        by_name |= dict.fromkeys(all_names(name_row), name_row)
    plans = {(row["hypothesis"], row["role"], str(row["text"]).casefold()) for row in case.records.rows("plan_query")}
    for row in copied_case.records.rows("plan_query"):
        translation = {**row, "hypothesis": plan.hypotheses.get(str(row["hypothesis"]), "")}
        if (
            translation["hypothesis"]
            and (translation["hypothesis"], row["role"], str(row["text"]).casefold()) not in plans
        ):
            case.records.put(change, "plan_query", {**translation, "id": f"S{case.db.number('plan_query')}"})
    for row in copied_case.records.rows("relevance"):
        chunk = _chunk_here(case, copied_case, plan, int(str(row["chunk"])))
        hypothesis = plan.hypotheses.get(str(row["hypothesis"]))
        if (
            chunk is not None
            and hypothesis
            and case.records.row("relevance", f"{hypothesis}/{chunk}/{row['by']}") is None
        ):
            case.records.put(change, "relevance", {**row, "hypothesis": hypothesis, "chunk": chunk})
    run = {(s.at, s.hypothesis, s.role, s.query) for s in case.plans.searches()}
    theirs_run = [replace(s, hypothesis=plan.hypotheses.get(s.hypothesis, "")) for s in copied_case.plans.searches()]
    case.plans.keep_searches(
        [s for s in theirs_run if s.hypothesis and (s.at, s.hypothesis, s.role, s.query) not in run]
    )


def _chunk_here(case: CaseFile, copied_case: CaseFile, plan: _Plan, chunk: int) -> int | None:
    """Find the passage of this case that lies where one of the other lies."""
    place = copied_case.pages.place_of(chunk)
    if place is None or place[0] not in plan.pages:
        return None
    page, start, end = place
    return case.pages.chunk_at(plan.pages[page], start, end)
