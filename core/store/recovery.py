"""A new case made of what can be read of a damaged one; the damaged file is only read.

Rows are read page by page (core.store.salvage), and each is held against what proves it: an original and a text against
their hashes, a decision against the log as far as its chain proves, a record of the machine against the chain of
records. Where the log is cut, the tables say what was decided after that; an entry ``recover case`` then tells every
row that differs from the log. What is missing is listed, row by row.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import apsw

from core.domain import WORD_BYTES, PageText, QuotePart, Span
from core.errors import AppError, CaseCorrupt, CaseInUse, CaseNotFound, PassphraseNeeded, Problem
from core.files import is_file
from core.progress import Progress, silent
from core.store import connection, decision_log, header, integrity, lock, schema, values
from core.store.anchors import Anchor
from core.store.case_file import CaseFile, check_free, make_empty
from core.store.case_key import CaseKey
from core.store.database import clean, utc_now
from core.store.decision_log import TABLES, Row, Rows
from core.store.documents import marks_of, sha256_of
from core.store.record_chain import PASSING, RECORDED, digest_of, record_hash
from core.store.records import columns_of
from core.store.recovery_caveat import RENEWABLE
from core.store.recovery_material import Loss, Material, columns_of_table, read_material, rows_of, shapes
from core.store.salvage import MOST_NUMBERS, salvage
from core.text import counted

ReadAgain = Callable[[bytes, str, str], Iterable[PageText]]  # bytes, name, password
Split = Callable[[PageText], Sequence[Span]]

# What is made or asked for again rather than believed without proof.
_REMADE = ("vector", "verdict", "sketch")
_RESULTS = ("answer", "conflict", "audit")
# What a document says whose pages are lost.
_ONLY_FILE = {"status": "failed", "reason": "Only the file itself was recovered.", "remedy": "Press Try again."}
# The losses that weigh most come first.
_ORDER = ("document", "original", "page", "evidence", "quote", "hypothesis", "rating", "proposal", "log")


# By the letter of an id: the table, and the column that a person knows its rows by.
_NAMED_BY = {
    "D": ("document", "name"),
    "E": ("evidence", "text"),
    "H": ("hypothesis", "text"),
    "P": ("proposal", "quote"),
    "C": ("consideration", "text"),
    "N": ("entity", "name"),
}
_LONGEST = 80  # characters of a name
_PAGE_LOST = "The page that it quoted was lost when this case was recovered, so its words cannot be checked any more."


@dataclass(frozen=True, slots=True)
class Recovery:
    """A new case made of a damaged one.

    ``counts`` tell by kind how many there are of how many there were, as far as that is known. ``check`` are the
    problems that ``verify`` finds in the new case; none is the rule.
    """

    case: Path
    counts: Mapping[str, tuple[int, int]]
    losses: tuple[Loss, ...]
    log_entries: tuple[int, int]
    check: tuple[Problem, ...] = ()


def recover(
    path: Path,
    target: Path,
    *,
    who: str = "",
    now: Callable[[], datetime] = utc_now,
    progress: Progress | None = None,
    read_again: ReadAgain | None = None,
    split: Split | None = None,
    key: CaseKey | None = None,
) -> Recovery:
    """Make a new case at ``target`` of what can be read of the one at ``path``, which is left as it is.

    ``read_again`` reads pages again out of an original whose pages were lost: a text counts where the log knows its
    hash. ``split`` cuts pages whose passages were lost. ``key`` is that of an encrypted case, and the new one has it
    too. Raises PassphraseNeeded where it is not given, CaseNotFound, CaseInUse, CaseExists, CannotWrite,
    DiskFull, and CaseCorrupt where nothing of a case could be read.
    """
    progress = progress or silent()
    path, target = path.absolute(), target.absolute()
    if not is_file(path):
        raise CaseNotFound(path=path)
    if lock.is_open_here(path) or lock.held_elsewhere(path):
        raise CaseInUse(path=path, holder=lock.holder(path))
    check_free(target)
    progress.step(0, 5, "Reading the damaged file")
    if header.is_encrypted(path) and key is None:
        raise PassphraseNeeded(path=path)
    decrypt = key.decrypt_page if key is not None else None
    material = read_material(salvage(lock.real(path), shapes(), decrypt=decrypt))
    if not material.entries and not material.source.rows["page"] and not material.source.rows["original"]:
        raise CaseCorrupt(
            path=path, reason="nothing of a case could be read in it", backups=connection.backups_of(path)
        )
    if (version := _format_of(path, key)) > schema.newest():
        what = (
            f"It says that a newer version of the program wrote it (format {version:,}): what only that knows is lost."
        )
        material.lose("case", path.name, what)
    progress.step(1, 5, "Comparing it with its hashes")
    _take_documents(material, read_again)
    _take_pages(material, split)
    _take_decisions(material)
    _take_records(material)
    progress.step(2, 5, "Writing the new case")
    try:
        _write(material, target, key)
        progress.step(3, 5, "Building its search index")
        recovery = _finish(material, target, path.name, who, now, progress, key)
    except BaseException:
        with contextlib.suppress(OSError):
            target.unlink(missing_ok=True)
        raise
    progress.step(5, 5, "Recovered")
    return recovery


def _format_of(path: Path, key: CaseKey | None) -> int:
    """Read the number of its format in the first page of a case; 0 where there is none to be read."""
    with contextlib.suppress(OSError):
        with path.open("rb") as file:
            page = file.read(4096)
        head = (key.decrypt_page(1, page) or b"") if key is not None else page
        return int.from_bytes(head[60:64], "big") if head.startswith(b"SQLite format 3\0") else 0
    return 0


# --- documents -------------------------------------------------------------------------------------------------------


def _take_documents(material: Material, read_again: ReadAgain | None) -> None:
    """Take every original whose hash is right, and the text pages, read again where they were lost."""
    documents = material.state["document"]
    blobs: dict[str, bytes] = {}
    for kind in ("sketch", "original"):  # of the same shape, where nothing else tells them apart
        for row in rows_of(material.source, kind):
            document = documents.get(str(row["document"]))
            is_proven = document is not None and hashlib.sha256(row["data"]).hexdigest() == document["sha256"]
            if is_proven or (document is None and kind == "original"):
                blobs[str(row["document"])] = row["data"]
    for key in sorted(blobs.keys() - documents.keys(), key=_number):
        if key not in material.log_state["document"]:  # else it was taken out since
            documents[key] = _nameless(key, blobs[key])
            material.lose("document", key, "Only its file could be read; press Try again to read its text.")
    by_document: dict[str, list[int]] = {}
    for page, anchor in material.anchors.items():
        by_document.setdefault(anchor.document, []).append(page)
    page_rows = {int(row["id"]): row for row in rows_of(material.source, "page")}
    for page, row in page_rows.items():
        if page not in material.anchors and not material.is_whole and row["document"] in documents:
            by_document.setdefault(str(row["document"]), []).append(page)
    free_ids = _free_page_ids(material)
    passwords = {str(row["document"]): str(row["password"]) for row in rows_of(material.source, "password")}
    for key, document in sorted(documents.items(), key=lambda item: _number(item[0])):
        assert document is not None
        if key in blobs:
            material.originals[key] = blobs[key]
        page_ids = sorted(by_document.get(key, ()))
        missing = [page for page in page_ids if not _take_page(material, page, page_rows.get(page))]
        numbers = {page: int(page_rows[page]["number"]) for page in page_ids if page in page_rows}
        numbers |= {page: material.anchors[page].number for page in page_ids if page in material.anchors}
        material.unproven |= {page for page in page_ids if page not in missing and not _is_proven(material, page)}
        doubtful = {numbers[page]: page for page in page_ids if page in missing or page in material.unproven}
        if doubtful and key in material.originals and read_again is not None:
            _read_pages_again(material, document, doubtful, read_again, passwords.get(key, ""))
            missing = [page for page in missing if page not in material.pages]
        for page in missing:
            _blank_page(material, page, page_rows.get(page), document)
        if _page_count(document) > len(page_ids) and key in material.originals and read_again is not None:
            settings = (set(numbers.values()), read_again, passwords.get(key, ""), free_ids)
            page_ids += _read_rest_again(material, document, *settings)
        _settle_document(material, key, document, page_ids, missing)


def _nameless(key: str, data: bytes) -> Row:
    """Return the row of a document of which only the file is left."""
    row: Row = dict.fromkeys(TABLES["document"].columns, "")
    row |= {**TABLES["document"].later, "id": key, "name": f"recovered file {key}", "size": len(data)}
    row |= {"sha256": hashlib.sha256(data).hexdigest(), "status": "failed", "included": 1}
    row |= dict.fromkeys(("pages", "chunks", "pages_without_text"), 0)
    return row | {**_ONLY_FILE, "kind": ""}


def _take_page(material: Material, page: int, row: dict[str, Any] | None) -> bool:
    """Take a page whose text is the one that the log names, or that has its own hash where the log is cut."""
    anchor = material.anchors.get(page)
    if row is None or sha256_of(row["text"]) != row["sha256"]:
        return False
    place = (row["document"], row["number"], row["sha256"])
    if anchor is not None and (anchor[:2] != place[:2] or (material.is_whole and anchor[2] != place[2])):
        return False
    for column, decode in (("hidden", values.spans), ("struck", values.struck_places), ("tables", values.tables)):
        try:
            decode(row[column], len(row["text"]))
        except ValueError:
            row = {**row, column: "[]"}
    if len(row["words"]) % WORD_BYTES:
        row = {**row, "words": b""}
    material.pages[page] = row
    return True


def _is_proven(material: Material, page: int) -> bool:
    """Return whether the text of a page that was taken is the one that the log names."""
    row, anchor = material.pages[page], material.anchors.get(page)
    return anchor is not None and anchor[:3] == (row["document"], row["number"], row["sha256"])


def _read_pages_again(
    material: Material, document: Row, doubtful: Mapping[int, int], read_again: ReadAgain, password: str
) -> None:
    """Read pages again out of the original: those that were lost, and those whose text nothing proves.

    ``doubtful`` are by number. The text counts where it is the one that the log names. Where the log is cut before it,
    it counts if it is text at all: the picture of a page tells nothing here.
    """
    try:
        for text in read_again(material.originals[str(document["id"])], str(document["name"]), password):
            page = doubtful.get(text.number, 0)
            if not page:
                continue
            anchor, row = material.anchors.get(page), material.pages.get(page)
            sha256 = sha256_of(text.text)
            if anchor is not None and sha256 != anchor.sha256:
                continue
            if anchor is None and row is not None and sha256 == row["sha256"]:
                material.unproven.discard(page)
                continue
            if not text.text.strip() or (anchor is None and text.confidence is not None):
                continue  # to be read in its picture
            if row is not None and row["sha256"] != sha256:
                material.rewritten.add(page)
            _take_text(material, page, text, str(document["id"]), str(document["reader"]))
            where = f"{document['id']}, page {text.number}"
            note = "" if row is None else " The text in the damaged file was another one, which nothing proved."
            material.lose("page", where, f"Read again from its original.{note}")
    except AppError as error:
        material.lose("page", document["id"], f"Its original could not be read again: {error.sentence}")


def _page_count(document: Row) -> int:
    """Return how many pages a document had, by its row."""
    return document["pages"] if isinstance(document["pages"], int) else 0


def _free_page_ids(material: Material) -> Iterator[int]:
    """Yield ids that no page had and nothing in the file refers to."""
    used_ids = set(material.anchors)
    for table, column in (("page", "id"), ("chunk", "page"), ("section", "page"), ("reading", "page")):
        used_ids |= {row[column] for row in rows_of(material.source, table)}
    yield from (number for number in count(1) if number not in used_ids)


def _read_rest_again(
    material: Material,
    document: Row,
    known_pages: Collection[int],
    read_again: ReadAgain,
    password: str,
    free_ids: Iterator[int],
) -> list[int]:
    """Read those pages again of which neither the log nor the file has a row; return their ids, which are new."""
    pages: list[int] = []
    try:
        for text in read_again(material.originals[str(document["id"])], str(document["name"]), password):
            if text.number not in known_pages and 0 < text.number <= _page_count(document):
                pages.append(next(free_ids))
                _take_text(material, pages[-1], text, str(document["id"]), str(document["reader"]))
                material.lose("page", f"{document['id']}, page {text.number}", "Read again from its original.")
    except AppError as error:
        material.lose("page", document["id"], f"Its original could not be read again: {error.sentence}")
    return pages


def _take_text(material: Material, page: int, text: PageText, document: str, reader: str) -> None:
    """Take a page as it was read from its original."""
    row: dict[str, Any] = {"id": page, "document": document, "number": text.number}
    row |= {"sha256": sha256_of(text.text), "width": text.width, "height": text.height, "source": text.source}
    row |= {"confidence": text.confidence, "label": clean(text.label), **marks_of(text)}
    row |= {"fingerprint": reader, "text": text.text, "words": text.words.buffer}
    material.pages[page] = row
    material.unproven.discard(page)
    material.read_again.add(page)
    material.sections += [(page, section.start, section.level, clean(section.title)) for section in text.sections]


def _blank_page(material: Material, page: int, row: dict[str, Any] | None, document: Row) -> None:
    """Keep the place of a lost page, without its text."""
    anchor = material.anchors.get(page)
    key, number = (anchor.document, anchor.number) if anchor else (str(document["id"]), int((row or {})["number"]))
    size = (row["width"], row["height"]) if row is not None else (0.0, 0.0)
    blank: dict[str, Any] = {"id": page, "document": key, "number": number, "sha256": sha256_of("")}
    blank |= {"width": size[0], "height": size[1], "source": "none", "confidence": None, "label": ""}
    blank |= dict.fromkeys(("hidden", "struck", "tables"), "[]")
    material.pages[page] = blank | {"fingerprint": "lost", "text": "", "words": b""}
    material.lose("page", f"{key}, page {number}", "Its text is lost.")


def _settle_document(
    material: Material, key: str, document: Row, page_ids: Collection[int], missing: Collection[int]
) -> None:
    """Make the row of a document fit what there is of it; one of which there is nothing goes."""
    texts = [material.pages[page]["text"] for page in page_ids]
    if key not in material.originals:
        if not any(texts):
            for page in page_ids:
                material.pages.pop(page, None)
                material.leave_out("page", page)
            material.state["document"].pop(key)
            material.leave_out("document", key)
            material.lose("document", f"{key} {document['name']}", "Its file and its text are lost.")
            return
        data = "\f".join(texts).encode()
        material.originals[key] = data
        new = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "kind": "text"}
        document = {**document, **new, "name": f"{document['name']} (recovered text)"}
        material.lose("original", f"{key} {document['name']}", "Its file is lost; its text takes its place.")
    lost_pages = _page_count(document) - len(page_ids)
    if lost_pages > 0:
        material.lost_pages += lost_pages
        if not page_ids and document["status"] in ("ready", "needs_ocr"):  # else it would look read, without a word
            document = {**document, **_ONLY_FILE, "chunks": 0, "pages_without_text": 0}
            material.lose("document", key, "Only its file could be read; press Try again to read its text.")
        else:
            material.lose("page", key, f"{counted(lost_pages, 'page')} of it cannot be read any more.")
    if page_ids and document["status"] == "failed":  # of which only the file and pages are known
        document = {**document, "status": "ready", "reason": "", "remedy": ""}
    if missing:
        without = sum(not text.strip() for text in texts)
        status = "needs_ocr" if without == len(texts) and document["status"] == "ready" else document["status"]
        document = {**document, "pages_without_text": without, "status": status}
    material.state["document"][key] = {**document, "pages": len(page_ids)}


# --- pages and what lies on them -------------------------------------------------------------------------------------


def _take_pages(material: Material, split: Split | None) -> None:
    """Take passages, headings and readings of the pages; cut pages whose passages were lost."""
    source = material.source
    for row in rows_of(source, "chunk"):
        page = material.pages.get(row["page"])
        if page is None or row["document"] != page["document"] or row["page"] in material.rewritten:
            continue
        if 0 <= row["start"] < row["end"] <= len(page["text"]):
            material.chunks[int(row["id"])] = (row["page"], row["document"], row["start"], row["end"])
    if source.damage["chunk"] or source.unread_pages or source.damage["page"] or material.rewritten:
        _cut_again(material, split)
    with_sections = {page for page, *_ in material.sections}
    for row in rows_of(source, "section"):
        page = material.pages.get(row["page"])
        if (
            page is not None
            and row["page"] not in with_sections
            and 0 <= row["start"] <= len(page["text"])
            and row["level"] > 0
        ):
            material.sections.append((row["page"], row["start"], row["level"], row["title"]))
    for row in rows_of(source, "reading"):
        with contextlib.suppress(ValueError):
            values.alternatives(row["alternatives"])
            if row["page"] in material.pages.keys() - material.rewritten and len(row["words"]) % WORD_BYTES == 0:
                material.readings.append(tuple(row.values()))
    for key, document in material.state["document"].items():
        assert document is not None
        many = sum(1 for _, owner, _, _ in material.chunks.values() if owner == key)
        if document["chunks"] != many:
            material.state["document"][key] = {**document, "chunks": many}


def _cut_again(material: Material, split: Split | None) -> None:
    """Cut the stretches of pages that no passage covers any more."""
    if split is None:
        return
    spans: dict[int, list[tuple[int, int]]] = {}
    for page, _, start, end in material.chunks.values():
        spans.setdefault(page, []).append((start, end))
    next_chunk = max(material.chunks, default=0)
    for page, row in sorted(material.pages.items()):
        marks, reasons = values.spans(row["hidden"], len(row["text"]))
        text = PageText(row["number"], row["text"], hidden_spans=marks, hidden_why=reasons)
        for span in split(text):
            if all(span.end <= start or end <= span.start for start, end in spans.get(page, ())):
                next_chunk += 1
                material.chunks[next_chunk] = (page, row["document"], span.start, span.end)


# --- decisions -------------------------------------------------------------------------------------------------------


def _take_decisions(material: Material) -> None:
    """Take out what points to things that are lost; a row of evidence keeps its words instead of its place."""
    state = material.state
    for rows in state.values():
        for key in [key for key, row in rows.items() if row is None]:
            del rows[key]
    for key, row in state["evidence"].items():
        assert row is not None
        if row["page_id"] is not None and not _stands(material, row):
            state["evidence"][key] = _unplaced(row)
            material.lose("quote", key, "The page that it quotes is lost; its words stay, without their place.")
    _count_unnamed(material)
    for name, needs in _NEEDS:
        rows = state[name]
        for key in list(rows):
            row = rows[key]
            assert row is not None
            if not needs(material, row):
                del rows[key]
                material.leave_out(name, key)
                material.lose(name, key, "What it belongs to is lost.")
    for key, row in state["document"].items():
        assert row is not None
        if row["superseded_by"] and row["superseded_by"] not in state["document"]:
            state["document"][key] = {**row, "superseded_by": ""}


def _stands(material: Material, row: Row) -> bool:
    """Return whether a row quotes what is on its pages."""
    try:
        more = [QuotePart(**part) for part in values.from_json(row.get("more") or "[]")]
    except (ValueError, TypeError):
        return False
    places = [(row["page_id"], row["start"], row["end"], row["quote"], row["page_sha256"])]
    places += [(part.page_id, part.start, part.end, part.text, part.page_sha256) for part in more]
    pages = [material.pages.get(page) for page, *_ in places]  # type: ignore[call-overload]
    if material.is_whole and all(page is not None and page["text"] for page in pages):
        return True  # as the log says, also where a page was read again since
    return all(
        page is not None and page["sha256"] == sha256 and page["text"][start:end] == text
        for page, (_, start, end, text, sha256) in zip(pages, places, strict=True)
    )


def _unplaced(row: Row) -> Row:
    nowhere = dict.fromkeys(("document", "page_id", "page", "start", "end", "quote", "page_sha256", "proposal"))
    words = str(row["quote"] or "")
    note = str(row["note"])
    if words and words not in (row["text"], note):
        note = f"{note}\nIt quoted: “{words}”".strip()
    note = f"{note}\n{_PAGE_LOST}".strip()
    return {**row, **nowhere, "more": "[]", "note": note}


def _in(table: str, column: str) -> Callable[[Material, Row], bool]:
    return lambda material, row: str(row[column]) in material.state[table]


def _passage_there(material: Material, row: Row) -> bool:
    return row["chunk"] in material.chunks


def _proposal_there(material: Material, row: Row) -> bool:
    return (
        _passage_there(material, row)
        and str(row["hypothesis"]) in material.state["hypothesis"]
        and _stands(material, {**row, "more": "[]"})
    )


def _has_words(material: Material, page: object) -> bool:
    row = material.pages.get(page)  # type: ignore[call-overload]
    return row is not None and bool(row["text"]) and page not in material.rewritten


def _count_unnamed(material: Material) -> None:
    """List rows and hypotheses that only their ratings name, where neither a row nor the log tells of them any more."""
    for kind in ("evidence", "hypothesis"):
        cells = (row for table in ("rating", "suggestion") for row in material.state[table].values())
        names = {str(row[kind]) for row in cells if row is not None}
        for key in sorted(names - {*material.log_state[kind], *material.state[kind]}, key=_number):
            material.leave_out(kind, key)
            material.lose(kind, key)


# In an order in which what hangs on a row comes after it.
_NEEDS: Sequence[tuple[str, Callable[[Material, Row], bool]]] = (
    ("proposal", _proposal_there),
    ("other_verdict", _in("proposal", "proposal")),
    ("rating", _in("evidence", "evidence")),
    ("rating", _in("hypothesis", "hypothesis")),
    ("suggestion", _in("evidence", "evidence")),
    ("suggestion", _in("hypothesis", "hypothesis")),
    ("likelihood", _in("hypothesis", "hypothesis")),
    ("plan_query", _in("hypothesis", "hypothesis")),
    ("relevance", _in("hypothesis", "hypothesis")),
    ("relevance", _passage_there),
    ("resolution", lambda material, row: any(str(row["result"]) in material.state[kind] for kind in _RESULTS)),
    ("ocr_word", lambda material, row: _has_words(material, row["page"])),
)


# --- records of the machine ------------------------------------------------------------------------------------------


def _take_records(material: Material) -> None:
    """Take the rows that are what was recorded of them, and of the lasting ones those that nothing speaks against."""
    source = material.source
    remainders = material.redactions.records
    digests: dict[str, dict[str, str | None]] = {}
    for row in sorted(rows_of(source, "record"), key=lambda row: int(row["seq"])):
        seq = int(row["seq"])
        if record_hash(seq, row["kind"], row["digests"], row["previous"]) == remainders.get(seq, row["hash"]):
            with contextlib.suppress(ValueError, AttributeError, RecursionError):  # anybody can make a hash that fits
                digests.setdefault(row["kind"], {}).update(json.loads(row["digests"]).items())
    models = {int(row["id"]): row for row in rows_of(source, "model")}
    likenesses = {str(row["document"]): row for row in rows_of(source, "likeness")}
    keys: dict[str, Callable[[dict[str, Any]], tuple[str, list[Any]]]] = {
        "imported": lambda row: (str(row["id"]), [row[name] for name in row if name != "id"]),
        "searched": lambda row: (str(row["id"]), [row[name] for name in row if name != "id"]),
        "model": lambda row: (str(row["id"]), [row["fingerprint"], row["dimensions"]]),
        "meta": lambda row: (str(row["key"]), [row["value"]]),
        "found_at": lambda row: (str(row["path"]), [row["document"], row["size"], row["modified"]]),
        "password": lambda row: (str(row["document"]), [row["password"]]),
        "vector": lambda row: (f"{row['model']} {row['chunk']}", [_print_of(models, row), row["data"]]),
        "verdict": lambda row: (
            f"{_print_of(models, row)} {row['passage'].hex()} {row['hypothesis'].hex()}",
            [float(row[name]) for name in ("supports", "contradicts", "neutral")],
        ),
        "sketch": lambda row: (str(row["document"]), [row["data"], *_likeness_of(likenesses, row)]),
        "import_run": lambda row: (str(row["run"]), [row["at"], row["asked"]]),
        "import_file": lambda row: (str(row["id"]), [row[name] for name in row if name != "id"]),
        "layer_check": lambda row: (str(row["document"]), [row["pages"]]),
    }
    for kind in RECORDED:
        proofs = digests.get(kind, {})
        rows = []
        count = 0
        for row in rows_of(source, kind):
            count += 1
            key, fields = keys[kind](row)
            proof = proofs.get(key)
            if proof == digest_of(fields) or (proof is None and key not in proofs and kind not in _REMADE):
                rows.append(tuple(row.values()))
        material.records[kind] = [row for row in rows if _has_owner(material, kind, row)]
        record_count = 0 if kind in PASSING else sum(digest is not None for digest in proofs.values())
        material.record_counts[kind] = max(count, record_count)
        missing = max(count, record_count) - len(rows)
        if missing > 0:
            again = " These are made again when they are needed." if kind in _REMADE else ""
            what, they = counted(missing, "row"), "It" if missing == 1 else "They"
            fate = f"{they} could not be read, or {'is' if missing == 1 else 'are'} not what was recorded.{again}"
            material.lose(kind, what, fate)
    sketches = {row[0] for row in material.records["sketch"]}
    material.records["likeness"] = [
        tuple(row.values())
        for row in likenesses.values()
        if row["document"] in sketches and _is_listed(material, row["of"])
    ]


def _print_of(models: Mapping[int, dict[str, Any]], row: Mapping[str, Any]) -> str:
    return str(models.get(row["model"], {}).get("fingerprint", ""))


def _likeness_of(likenesses: Mapping[str, dict[str, Any]], row: Mapping[str, Any]) -> list[Any]:
    likeness = likenesses.get(row["document"], {})
    return [likeness.get(name) for name in ("of", "measure", "score")]


def _is_listed(material: Material, document: object) -> bool:
    return str(document) in material.state["document"]


def _has_owner(material: Material, kind: str, row: tuple[Any, ...]) -> bool:
    match kind:
        case "vector":
            return row[1] in material.chunks
        case "sketch" | "password" | "layer_check":
            return _is_listed(material, row[0])
        case "import_file":
            return any(run[0] == row[1] for run in material.records["import_run"])
        case "found_at":
            return _is_listed(material, row[1])
    return True


# --- writing ---------------------------------------------------------------------------------------------------------


def _write(material: Material, target: Path, key: CaseKey | None) -> None:
    """Write a case file of all that was taken."""
    make_empty(target, key)
    with connection.seam(target):
        db = connection.connect(target, apsw.SQLITE_OPEN_READWRITE, key)
        try:
            connection.settle(db)
            db.execute("PRAGMA foreign_keys = OFF").fetchall()
            with db:
                _write_rows(material, db)
            problem = db.execute("PRAGMA foreign_key_check").fetchone()
            if problem is not None:
                raise CaseCorrupt(path=target, reason=f"a row of '{problem[0]}' has no owner", backups=target.parent)
        finally:
            db.close()


def _write_rows(material: Material, db: apsw.Connection) -> None:
    def put(table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" * (columns.count(",") + 1))
        db.executemany(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", rows)

    fields = ("seq", "at", "who", "verb", "before", "after", "version", "undoes", "previous", "hash")
    put("log", ", ".join(fields), (tuple(getattr(entry, name) for name in fields) for entry in material.entries))
    for name, shape in TABLES.items():
        rows = [row for row in material.state[name].values() if row is not None]
        put(name, columns_of(shape), (tuple(row[column] for column in shape.columns) for row in rows))
    put("original", "document, data", material.originals.items())
    names = columns_of_table("page")
    put("page", ", ".join(names), (tuple(row[name] for name in names) for _, row in sorted(material.pages.items())))
    chunks = ((chunk, *row) for chunk, row in sorted(material.chunks.items()))
    put("chunk", 'id, page, document, start, "end"', chunks)
    put("section", "page, start, level, title", material.sections)
    put("reading", ", ".join(columns_of_table("reading")), material.readings)
    order = ("model", *(kind for kind in material.records if kind != "model"))
    for kind in order:
        put(kind, ", ".join(columns_of_table(kind)), material.records[kind])
    counters = {str(row["kind"]): int(row["last"]) for row in rows_of(material.source, "counter")}
    highest = {kind: last for kind, last in counters.items() if kind in TABLES and last < MOST_NUMBERS}
    for name, last in integrity.last_numbers(material.entries).items():
        numbers = [_number(key) for key in {**material.log_state[name], **material.state[name]}]
        if last := max(last, *numbers, 0):
            highest[name] = max(highest.get(name, 0), last)
    put("counter", "kind, last", [*highest.items(), ("log", len(material.entries))])


def _number(key: str) -> int:
    digits = key.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return int(digits) if digits.isdecimal() else 0


def _finish(
    material: Material,
    target: Path,
    name: str,
    who: str,
    now: Callable[[], datetime],
    progress: Progress,
    key: CaseKey | None,
) -> Recovery:
    """Bind what was written to the log, build the index, and prove the new case."""
    before, after = _difference(material)
    with CaseFile.open(target, who=who, now=now, bind=False, key=key) as case:
        counts = _counts(material, case)
        with case.db.transaction() as db:
            facts_of_case = [("case", str(uuid4())), ("created", case.db.now())]
            db.executemany("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", facts_of_case)
            for kind in RECORDED:
                case.chain.record_where(kind, "true")
            facts = case.anchors.facts_of([row[0] for row in case.db.rows("SELECT id FROM page")])
            case.anchors.pending_pages |= {page for page, fact in facts.items() if material.anchors.get(page) != fact}
            case.words.rebuild()
            unlike = _tell_unproven(material, facts)
            gaps = {
                kind: (state - part, state)
                for kind, (part, state) in counts.items()
                if part < state and kind not in (*RENEWABLE, "log")
            }
            origin: dict[str, Any] = {"file": clean(name), "entries": len(material.entries), "of": material.last}
            origin["lost"] = gaps
            origin["others"] = any(loss.kind not in (*gaps, "page", "log", *_REMADE) for loss in material.losses)
            origin |= {"unproven": len(material.unproven), "unlike": unlike}
            remainders = {str(seq): hash_ for seq, hash_ in material.redactions.entries.items()}
            erasure = {"documents": {}, "entries": remainders, "records": {}}
            state: dict[str, Any] = {**after, "recovery": {"case": origin}, "erasure": erasure}
            case.log.append(decision_log.RECOVER, before, state)
        progress.step(4, 5, "Proving the new case")
        check = case.verify(silent())
    losses = [_with_name(material, loss) for loss in material.losses]
    losses.sort(key=lambda loss: _ORDER.index(loss.kind) if loss.kind in _ORDER else len(_ORDER))
    return Recovery(target, counts, tuple(losses), (len(material.entries), material.last), check.problems)


def _tell_unproven(material: Material, facts: Mapping[int, Anchor]) -> int:
    """List the pages of which something is proven by nothing; return of how many it is not the text."""
    for page in sorted(material.unproven):
        row = material.pages[page]
        what = "Its text is that of the damaged file: neither the log nor its original proves it."
        material.lose("page", f"{row['document']}, page {row['number']}", what)
    unlike = [
        page
        for page, fact in facts.items()
        if (anchor := material.anchors.get(page)) is not None
        and anchor[:3] == fact[:3]
        and anchor != fact
        and page not in material.read_again
    ]
    for page in unlike:
        what = (
            "What goes with its text is not what the log says: marks of hidden text or struck text, tables, "
            "headings, passages, boxes of words, or how it was read."
        )
        material.lose("page", f"{facts[page].document}, page {facts[page].number}", what)
    return len(unlike)


def _with_name(material: Material, loss: Loss) -> Loss:
    """Add to a loss the beginning of what is known of the document or row whose id is first in its place."""
    table, column = _NAMED_BY.get(loss.where[:1], ("", ""))
    identity = re.match(r"[A-Z]\d+", loss.where)
    if not table or identity is None:
        return loss
    row = material.state[table].get(identity[0]) or material.log_state[table].get(identity[0]) or {}
    name = " ".join(str(row.get(column) or "").split())
    if not name or name in loss.where:
        return loss
    return replace(loss, name=name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…")


def _difference(material: Material) -> tuple[Rows, Rows]:
    """Return how the decisions that were written differ from what the log says, row by row."""
    before: Rows = {}
    after: Rows = {}
    for name in TABLES:
        then, now = material.log_state[name], material.state[name]
        for key in sorted({*then, *now}):
            if then.get(key) != now.get(key):
                before.setdefault(name, {})[key] = then.get(key)
                after.setdefault(name, {})[key] = now.get(key)
    return before, after


def _counts(material: Material, case: CaseFile) -> dict[str, tuple[int, int]]:
    """Count by kind what there is in the new case, of what there was."""
    with case.db.reading() as db:
        texts = int(db.execute("SELECT count(*) FROM page WHERE text <> '' OR fingerprint <> 'lost'").get)
        originals = len(material.originals) - sum(loss.kind == "original" for loss in material.losses)
    counts = {
        name: (
            len(material.state[name]),
            len({*material.log_state[name], *material.state[name], *material.gone.get(name, ())}),
        )
        for name in ("document", "hypothesis", "evidence", "rating", "proposal", "consideration")
    }
    pages = len({*material.anchors, *material.pages, *material.gone.get("page", ())})
    quotes = sum(row is not None and row["page_id"] is not None for row in material.state["evidence"].values())
    unplaced_quotes = sum(loss.kind == "quote" for loss in material.losses)
    return {
        "original": (originals, counts["document"][1]),
        "page": (texts, pages + material.lost_pages),
        **counts,
        "quote": (quotes, quotes + unplaced_quotes),
        **{kind: (len(material.records[kind]), material.record_counts[kind]) for kind in ("vector", "verdict")},
        "log": (len(material.entries), material.last),
    }
