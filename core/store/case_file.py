"""The case file: one SQLite file that holds one case."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import apsw

from core.errors import (
    AppError,
    CannotWrite,
    CaseCorrupt,
    CaseExists,
    CaseNotFound,
    CaseReadOnly,
    CaseUnreadable,
    DiskFull,
    NoRoom,
)
from core.progress import Progress, silent
from core.store import backups, connection, integrity, opening
from core.store.anchors import PageAnchors
from core.store.case_key import CaseKey
from core.store.case_settings import SettingTable
from core.store.considerations import ConsiderationTable
from core.store.database import Database, clean, utc_now
from core.store.document_descriptions import DocumentDescriptions
from core.store.document_removal import DocumentRemoval
from core.store.documents import DocumentTable
from core.store.entities import EntityTable
from core.store.erasure import Erasures
from core.store.evidence import EvidenceTable
from core.store.handle import CaseHandle
from core.store.header import spare_cases
from core.store.history import History
from core.store.hypotheses import HypothesisTable
from core.store.import_history import ImportHistory
from core.store.log import DecisionLog
from core.store.models import ModelTable
from core.store.ocr_corrections import OcrCorrections
from core.store.ocr_readings import OcrReadings
from core.store.pages import PageTable
from core.store.proposals import ProposalTable
from core.store.quotes import QuoteProof
from core.store.ratings import RatingTable
from core.store.record_chain import RecordChain
from core.store.records import Records
from core.store.results import ResultTable
from core.store.search_plans import PlanTable
from core.store.search_scope import SearchScope
from core.store.undo import Undo
from core.store.vector_index import VectorIndex
from core.store.verdict_cache import VerdictCache
from core.store.word_index import WordIndex

_NOT_REMOVED = "document NOT IN (SELECT id FROM document WHERE status = 'removed')"
_LONGEST_NAME = 255 - len("-journal")  # bytes: files are beside a case while it is open
_LONGEST_PATH = 500  # bytes: about the most that the database opens


def _too_long(path: Path) -> str:
    """Return why a case cannot have a name, or lie in a folder, that is too long; '' where neither is."""
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        return f"its name is too long: {_LONGEST_NAME} bytes is the limit"
    if len(os.fsencode(path)) > _LONGEST_PATH:
        return f"its full path is too long: {_LONGEST_PATH} bytes is the limit"
    return ""


def check_free(path: Path) -> None:
    """Make sure that a new case could be made at ``path``. Raises CaseExists, CannotWrite."""
    try:
        str(path).encode()  # SQLite takes names as UTF-8
        if path.exists() or path.is_symlink():
            raise CaseExists(path=path)
        if not path.parent.is_dir():
            raise CannotWrite(path=path, reason="its folder is not there")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not a text in UTF-8"
        raise CannotWrite(path=path, reason=reason) from error


def make_empty(path: Path, key: CaseKey | None) -> None:
    """Write a case file without anything in it at ``path``. Raises CaseExists, CannotWrite, DiskFull."""
    try:
        opening.create_case(path, key)
    except (CaseUnreadable, CaseReadOnly) as error:
        raise CannotWrite(path=path, reason=_too_long(path) or "nothing can be written there") from error
    except FileExistsError:
        raise CaseExists(path=path) from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(path=path) from error
        reason = _too_long(path) or error.strerror or type(error).__name__
        raise CannotWrite(path=path, reason=reason) from error


class CaseFile:
    """An open case: its parts, each after those that it uses.

    Thread-safe: every method of a part takes the one lock, and transactions are short.
    """

    def __init__(self, handle: CaseHandle, *, who: str, now: Callable[[], datetime]) -> None:
        self.path: Path = handle.path
        self.rebuilds = 0  # how often the search index was made again since the case was opened
        self.db = db = Database(handle, now=now)
        self.chain = chain = RecordChain(db)
        self.anchors = anchors = PageAnchors(db)
        self.log = log = DecisionLog(db, chain, anchors, who=who)
        self.records = records = Records(db)
        self.models = models = ModelTable(db, chain)
        self.documents = documents = DocumentTable(db, chain, anchors, log, records)
        self.pages = pages = PageTable(db, anchors, documents)
        self.scope = SearchScope(db)
        self.words = WordIndex(db, pages, self.scope)
        self.vectors = vectors = VectorIndex(db, chain, models, pages, self.scope)
        self.quotes = QuoteProof(records, pages)
        self.hypotheses = HypothesisTable(db, log, records)
        self.evidence = EvidenceTable(db, log, records, self.quotes)
        self.ratings = RatingTable(db, log, records, self.hypotheses)
        self.proposals = ProposalTable(db, log, records, self.quotes, self.evidence, self.ratings)
        self.verdicts = VerdictCache(db, chain, anchors, models)
        self.settings = SettingTable(db, log, records)
        self.considerations = ConsiderationTable(db, log, records, documents)
        self.entities = EntityTable(db, log, records)
        self.plans = PlanTable(db, chain, log, records, pages)
        self.results = ResultTable(db, log, records, self.scope)
        self.imports = ImportHistory(db, chain, log)
        self.descriptions = DocumentDescriptions(db, log, records, documents)
        self.removal = DocumentRemoval(db, log, records, documents, self.vectors)
        self.corrections = OcrCorrections(db, anchors, log, records, pages)
        self.readings = OcrReadings(db, anchors, log, records, documents, pages, self.corrections)
        self.erasures = Erasures(db, chain, anchors, log, records, self.removal, self.words, vectors)
        self.history = History(db, log, records)
        self.undo = Undo(
            db,
            log,
            records,
            revise={"document": self.removal.as_decided, "proposal": self.proposals.as_judged},
            before=(self.corrections.make_room,),
            after=(self.corrections.remake_pages, self.removal.clear_removed),
        )

    @classmethod
    def create(
        cls,
        path: Path,
        *,
        title: str = "",
        who: str = "",
        now: Callable[[], datetime] = utc_now,
        key: CaseKey | None = None,
    ) -> CaseFile:
        """Make a new case at ``path``, encrypted with ``key`` if one is given.

        Raises CaseExists, CaseInUse, CaseLockBlocked, CannotWrite, DiskFull.
        """
        path = path.absolute()
        check_free(path)
        make_empty(path, key)
        case = cls.open(path, who=who, now=now, key=key)
        try:
            case._begin(title)
        except BaseException:
            case.close()
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        return case

    def _begin(self, title: str) -> None:
        with self.db.transaction() as db:
            row: dict[str, object] = {"id": "case", "title": clean(title)}
            db.execute("INSERT INTO about (id, title) VALUES ('case', ?)", (row["title"],))
            db.executemany(
                "INSERT INTO meta (key, value) VALUES (?, ?)", [("case", str(uuid4())), ("created", self.db.now())]
            )
            self.chain.record_where("meta", "true")
            self.log.append("create case", {"about": {"case": None}}, {"about": {"case": row}})

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        who: str = "",
        now: Callable[[], datetime] = utc_now,
        bind: bool = True,
        without_unsaved: bool = False,
        key: CaseKey | None = None,
        progress: Progress | None = None,
    ) -> CaseFile:
        """Open a case; ``read_only`` where nothing can be written.

        One of an older format is brought to the newest, with its word index made again: ``progress`` shows that and
        can stop it. It is bound to its log (core.store.log), unless not ``bind``: then its log stays as it is.

        Raises CaseNotFound, CaseInUse, CaseLockBlocked, CaseUnreadable, CaseCorrupt, CaseFromNewerVersion, NoRoom,
        PassphraseNeeded where it is encrypted and ``key`` is not for it, and CaseUnfinished where its last changes are
        not there, unless ``without_unsaved``: then its log says so.
        """
        path = path.absolute()
        try:
            str(path).encode()
        except UnicodeEncodeError as error:
            raise CaseUnreadable(path=path, reason="its name is not a text in UTF-8") from error
        try:
            return cls._open(path, who, now, bind, without_unsaved, key, progress or silent())
        except DiskFull as error:  # there is no step that was lost, and no case that stays open
            raise NoRoom(path=path) from error
        except (CaseCorrupt, CaseUnreadable, CaseNotFound) as error:
            raise backups.advise(error, path, key)  # noqa: B904 - the same error, with what can be done about it

    @classmethod
    def _open(
        cls,
        path: Path,
        who: str,
        now: Callable[[], datetime],
        bind: bool,
        without_unsaved: bool,
        key: CaseKey | None,
        progress: Progress,
    ) -> CaseFile:
        handle = opening.open_case(path, key, without_unsaved=without_unsaved)
        try:
            with connection.seam(path):
                case = cls(handle, who=who, now=now)
                opening.bring_up_to_date(handle, progress, moment=case.db.now())
                case.log.recall()
                case.chain.find_added()
                if bind:
                    case.log.bind_older()
                handle.begin_log()
                if handle.incomplete:
                    case.log.say_incomplete()
                case.settings.title()  # a case that cannot say what it is called is not opened
                case._finish_erasure()
        except BaseException:
            handle.abandon()
            raise
        handle.sign(who=who, since=case.db.now())
        return case

    def _finish_erasure(self) -> None:
        """Write the file again where a killed program had erased something and not come to that."""
        if not self.read_only and self.erasures.unfinished():
            with contextlib.suppress(AppError, apsw.Error):  # for want of room: the next opening tries again
                self.erasures.finish()

    @property
    def read_only(self) -> bool:
        """Return whether the case can only be viewed."""
        return self.db.read_only

    @property
    def key(self) -> CaseKey | None:
        """Return the key of an encrypted case, which its copies have too; None: it has no passphrase."""
        return self.db.handle.key

    @property
    def who(self) -> str:
        """Return who signs the entries of the log."""
        return self.log.who

    def close(self) -> None:
        """Leave one whole file behind and let others have it. Safe to call twice.

        Its log names all records.
        """
        with self.db.snapshot():
            all_named = True
            if not self.read_only:
                try:
                    self.log.name_records()
                except (AppError, apsw.Error):  # the disk is full: the case then says that it was not closed
                    all_named = False
            self.db.close(all_named=all_named)

    def __enter__(self) -> CaseFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def back_up(self, target: Path) -> None:
        """Write a whole copy of the case, opened and checked before it gets its name.

        Raises CannotWrite, DiskFull, BadInput where a case is there.
        """
        spare_cases(target)
        backups.write_copy(self, target, silent())

    def counts(self) -> dict[str, int]:
        """Count what the case holds of each kind; ``vectors`` of the search model used last."""
        with self.db.reading():
            counts = {
                name: self.db.total(name, f"SELECT count(*) FROM {table}")
                for name, table in (
                    ("documents", "document WHERE status NOT IN ('failed', 'removed')"),
                    ("pages", f"page WHERE {_NOT_REMOVED}"),
                    ("chunks", f"chunk WHERE {_NOT_REMOVED}"),
                    ("hypotheses", "hypothesis"),
                    ("proposals", "proposal"),
                    ("evidence", "evidence"),
                    ("ratings", "rating"),
                )
            }
            current = self.vectors.models()[:1]
            return {**counts, "vectors": self.vectors.count(current[0]) if current else 0}

    def rebuild_index(self) -> None:
        """Make the word index again from the pages, whatever state it is in.

        Vectors that cannot be searched are dropped: their passages are embedded again. Raises CaseNotProven if a page
        is not what the log says of it: an index of altered texts would look sound.
        """
        fault = integrity.first_altered_page(self, silent())
        if fault is not None:
            raise integrity.not_proven(self.path, fault, "its search index was not built again")
        self.words.forget()
        self.vectors.forget_memory()
        with self.db.transaction():
            self.vectors.drop_unfit()
            self.words.rebuild()
        self.rebuilds += 1

    def prove_pages(self, pages: Collection[int]) -> None:
        """Compare all that belongs to some pages with the log, and how each came to its text. Raises CaseNotProven."""
        fault = integrity.first_fault_of(self, pages)
        if fault is not None:
            raise integrity.not_proven(self.path, fault, "nothing is shown of it")

    def verify(self, progress: Progress) -> integrity.CaseCheck:
        """Prove everything the case holds. Slow: it reads every byte."""
        return integrity.prove(self, progress)
