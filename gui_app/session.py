"""The one open case as the window sees it: run verbs, say what changed, say what went wrong. No widget lives here."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from core import settings
from core.domain import Changes
from core.errors import AppError, CannotRunHere, IndexDamaged, ModelMissing, ModelUnreadable, PassphraseNeeded
from core.passphrase import Passphrase
from core.ports import Engines
from core.progress import Cancelled, Progress
from core.runtime import launch
from core.text import counted
from gui_app import recent_cases, window_state
from gui_app.case_backups import CaseBackups
from gui_app.decision_words import thing_in_words
from gui_app.tasks import Task, Tasks, raise_on_window

if TYPE_CHECKING:
    from core.runtime.roles import Role
    from core.store import CaseKey
    from core.store.typed_text import UnsavedText
    from core.workbench import Workbench
    from core.workers.client import EngineClient
    from core.workers.engines import EmbedderClient, JudgeClient, NamesClient, RerankerClient

T = TypeVar("T")
ClientT = TypeVar("ClientT", "EmbedderClient", "RerankerClient", "NamesClient")

log = logging.getLogger(__name__)

EVERYTHING = Changes(True, True, True, True, True, True)
_OF_MODELS = (CannotRunHere, ModelMissing, ModelUnreadable)
# What becomes of the rest of an import that is stopped.
REST_OF_IMPORT = "What has been read stays in the case, with a list of the other files; Documents offers to continue."
REST_OF_OCR = "Pages that were read stay in the case; Run OCR goes on with the others."
REST_OF_JUDGING = "Passages that were judged stay in the case; Find evidence goes on with the others."
REST_OF_BATCH = "What is finished stays in the case; start it again for the rest."
REST_OF_JOB = "Stopped, it begins anew the next time that you start it."
REST_OF_INDEXING = "Passages that are indexed stay so; the line above the list offers to go on with the others."
AT_ONCE_BYTES = 8_000_000  # of a case file; a larger one is opened beside the window
PARTIAL_MS = 700  # how often a running import or judging shows what it has so far


class _Growth(QTimer):
    """Announces the parts of the case that a job adds to, whenever it has finished something more."""

    def __init__(self, session: CaseSession, parts: Changes, initiator: object) -> None:
        super().__init__(session)
        self.parts = parts
        self._session = session
        self._initiator = initiator
        self._task: Task | None = None
        self._count = 0  # what the job had finished when it was last announced
        self.setInterval(PARTIAL_MS)
        self.timeout.connect(self._announce)

    def follow(self, task: Task) -> None:
        """Begin with a job."""
        self._task = task
        self.start()

    def _announce(self) -> None:
        if self._task is not None and self._task.count != self._count:
            self._count = self._task.count
            self._session.changed.emit(self.parts, self._initiator)


class CaseSession(QObject):
    """The open case: runs its verbs, and tells every widget once what changed.

    ``changed(Changes, initiator)`` after every change; ``opened()`` when another case (or none) is open, ``cleared()``
    once every widget has forgotten the one before;
    ``failed(AppError)`` when a person can put something right, ``mended(AppError)`` when that is no longer so: what
    failed works now, or has another model; ``status(text)`` for the strip; ``decided(text)`` for it too, of the last
    decision and how it is taken back, which is true until the next;
    ``told(text, undo)`` for a toast, with an Undo button when ``undo``; ``taken_back(text)`` for one that says what was
    undone or done again, as that may be on another screen; ``imported(ImportReport)`` when documents were
    added; ``dropped(paths, roots)`` for files to be
    added, and the folders that they were found in;
    ``looked(what)`` when the person did what the guide asks for, or said no to it, and nothing in the case changed;
    ``restored(Restored)`` when a backup was put in the place of a case, which is open now; ``passphrase_asked(Path,
    then, is_backup)`` when a case needs its passphrase, for ``then(CaseKey)``; ``opening(Path)`` when a large case is
    being opened, None when it could not be; ``updating(Task)`` when one of an
    older format is brought up to date, to be opened; ``told_at_length(sentence, rest)`` for what was done and takes
    more than a toast to tell, ``correction(sentence, now, rest)`` when that is no longer so, but only ``now``, ''
    for nothing.
    """

    changed = Signal(object, object)
    opened = Signal()
    cleared = Signal()
    failed = Signal(object)
    mended = Signal(object)
    status = Signal(str)
    decided = Signal(str)
    told = Signal(str, bool)
    taken_back = Signal(str)
    imported = Signal(object)
    dropped = Signal(object, object)
    looked = Signal(str)
    restored = Signal(object)
    passphrase_asked = Signal(object, object, bool)
    opening = Signal(object)
    updating = Signal(object)
    told_at_length = Signal(str, str)
    correction = Signal(str, str, str)

    def __init__(self, engines: Engines, parent: QObject | None = None, *, who: str = "") -> None:
        super().__init__(parent)
        self.engines = engines
        self.tasks = Tasks(self._interrupt, self)
        self._trying: EngineClient | None = None  # a model under test, apart from the engines in use
        self._who = who or settings.load().who
        self._workbench: Workbench | None = None
        self.key_at_hand: CaseKey | None = None  # the right one of a case that could not be opened, until another is
        # What went wrong last in each job, by its title, and in reads, by their key.
        self._failures: dict[object, AppError] = {}
        self._on_the_way: set[Path] = set()  # cases that are being opened beside the window
        self._arrivals: list[Workbench] = []  # those of them that are open, and not on show yet
        self._rebuilds = 0  # of the search index of the case that is open, as far as anything was told of them
        self._growing: list[Changes] = []  # what the jobs under way add to
        self._offers: list[UnsavedText] = []  # texts that a person was told of, and has not taken up
        self.backups = CaseBackups(self)

    # --- the case ----------------------------------------------------------------------------------------------------

    @property
    def workbench(self) -> Workbench | None:
        """The case that is open; None if none is."""
        return self._workbench

    @property
    def read_only(self) -> bool:
        """Return whether the case that is open is for viewing only."""
        return self._workbench is not None and self._workbench.case.read_only

    def warm_up(self, then: Callable[[], object] | None = None) -> None:
        """Load the code of a case beside the window, so that the first one opened freezes nothing, and call ``then``.

        Only what lies in the core: a widget's module may make objects that belong to the window's thread. The copies of
        cases that a killed program left are cleared away first.
        """

        def load() -> None:
            importlib.import_module("core.workbench").private_copies.clear_ended()

        self.tasks.read(load, lambda _result: then() if then is not None else None, self.report)

    def create(self, path: Path, *, title: str = "", passphrase: Passphrase | None = None) -> bool:
        """Make a case and open it; whether it worked (if not, ``failed`` has said why)."""
        from core.workbench import Workbench, encryption

        def make() -> Workbench:
            key = encryption.make_key(passphrase) if passphrase is not None else None
            return Workbench.create(path, self.engines, title=title, who=self._who, key=key)

        if not self._take(make):
            return False
        languages = [code for code in settings.load().ocr_language.split("+") if code]
        if languages:
            self.do(lambda bench: bench.case.change_settings(ocr_languages=languages))
        return True

    def open(
        self,
        path: Path,
        key: CaseKey | None = None,
        *,
        without_unsaved: bool = False,
        then: Callable[[], object] | None = None,
    ) -> bool:
        """Open a case, and call ``then`` once it is open; return whether it is now.

        The one open before stays open when this fails, until ``passphrase_asked`` was answered, and while a large case
        is opened beside the window, which ``opening`` tells, or one of an older format is brought up to date there,
        which ``updating`` tells.
        """
        from core.workbench import Workbench

        if self._workbench is not None and self._workbench.path.resolve() == path.resolve():
            if then is not None:
                then()
            return True
        if path.resolve() in self._on_the_way:
            return False

        def make(progress: Progress) -> Workbench:
            return Workbench.open(
                path, self.engines, who=self._who, without_unsaved=without_unsaved, key=key, progress=progress
            )

        def ask() -> None:
            self.passphrase_asked.emit(
                path, lambda key: self.open(path, key, without_unsaved=without_unsaved, then=then), False
            )

        if path.is_file() and path.stat().st_size > AT_ONCE_BYTES:
            self._open_beside(path, make, key, then, ask)
            return False
        try:
            is_open = self._take(lambda: make(_none_but_quick()))
        except PassphraseNeeded:
            ask()
            return False
        except Cancelled:
            self._bring_up_to_date(path, make, key, then)
            return False
        if not is_open:
            self.key_at_hand = key
        elif then is not None:
            then()
        return is_open

    def _open_beside(
        self,
        path: Path,
        make: Callable[[Progress], Workbench],
        key: CaseKey | None,
        then: Callable[[], object] | None,
        ask: Callable[[], None],
    ) -> None:
        """Open a large case beside the window; one of an older format is to be brought up to date."""
        former = self._workbench
        self._on_the_way.add(path.resolve())

        def work(_progress: Progress) -> Workbench | None:
            try:
                workbench = make(_none_but_quick())
            except Cancelled:
                return None
            self._arrivals.append(workbench)
            return workbench

        def over(task: Task) -> None:
            workbench = self._receive(path, task)
            if workbench is not None and not task.stopping and self._workbench is former:
                if self._take(lambda: workbench) and then is not None:
                    then()
                return
            if workbench is not None:
                workbench.close()
            self.opening.emit(None)
            if isinstance(task.error, PassphraseNeeded):
                ask()
            elif task.error is not None:
                self.key_at_hand = key
                self._note_end(task)
            elif workbench is None and not task.stopping:
                self._bring_up_to_date(path, make, key, then)

        self.opening.emit(path)
        self.tasks.start(f"Opening {path.stem}", work, over, for_person=True)

    def _bring_up_to_date(
        self, path: Path, make: Callable[[Progress], Workbench], key: CaseKey | None, then: Callable[[], object] | None
    ) -> None:
        """Open a case of an older format beside the window."""
        former = self._workbench
        self._on_the_way.add(path.resolve())

        def work(progress: Progress) -> Workbench:
            workbench = make(progress)
            self._arrivals.append(workbench)
            return workbench

        def over(task: Task) -> None:
            workbench = self._receive(path, task)
            if workbench is None:
                if task.state == "cancelled":
                    self.status.emit(f"{task.title}: cancelled; the case is as it was.")
                if isinstance(task.error, AppError):
                    self.key_at_hand = key
                self._note_end(task)
            elif task.stopping or self._workbench is not former:
                workbench.close()
                self.tell(f"{path.stem} is up to date now, and not open.")
            elif self._take(lambda: workbench) and then is not None:
                then()

        self.updating.emit(self.tasks.start(f"Opening {path.stem}", work, over, for_person=True))

    def _receive(self, path: Path, task: Task) -> Workbench | None:
        """Take over the case that a job opened; None where it could not."""
        self._on_the_way.discard(path.resolve())
        workbench: Workbench | None = task.result
        if workbench is not None:
            self._arrivals.remove(workbench)
        return workbench

    def with_key(self, path: Path, then: Callable[[CaseKey | None], object], *, is_backup: bool = False) -> None:
        """Go on with what opens a case that is only read: a key that was given already, or its passphrase."""
        from core.workbench import encryption

        for key in (self._workbench.case.key if self._workbench is not None else None, self.key_at_hand):
            if not encryption.needs_passphrase(path, key):
                then(key)
                return
        self.passphrase_asked.emit(path, then, is_backup)

    @property
    def in_clear(self) -> str:
        """Words about a file that was written from an encrypted case; '' for any other case."""
        if self._workbench is None or self._workbench.case.key is None:
            return ""
        return " Unlike the case, it is not encrypted."

    @property
    def who(self) -> str:
        """The name that signs decisions."""
        return self._who

    def sign_as(self, who: str) -> None:
        """Sign the decisions from now on with this name, the first that a person gives also what was rated before."""
        former, self._who = self._who, who
        if self._workbench is None:
            return
        self._workbench.case.sign_as(who)
        nameless = settings.Settings().who
        if (
            former == nameless != who
            and not self.read_only
            and (count := self.do(lambda bench: bench.evidence.sign_ratings(former)))
        ):
            self.changed.emit(Changes(evidence=True, matrix=True), self)
            self.tell(f"Signed “{who}” as well: {counted(count, 'rating')} that you gave before.", undo=True)

    # --- models ------------------------------------------------------------------------------------------------------

    def choose_search_model(self, folder: Path | None) -> bool:
        """Search with the model in a folder from now on (None: the program's own).

        Tell whether there is one, which is then loaded beside the work before the choice is kept.
        """

        def choose(client: EmbedderClient | None) -> tuple[Engines, str]:
            engines, model = launch.choose_embedder(self.engines, folder, client=client)
            return engines, model.note or f"The search model is now {model.name}."

        return self._load_and_choose(folder, launch.embedder_in, choose)

    def choose_ranking_model(self, folder: Path | None) -> bool:
        """Have the model in a folder rank the best passages again (None: none does), as ``choose_search_model``."""

        def choose(client: RerankerClient | None) -> tuple[Engines, str]:
            engines = launch.choose_reranker(self.engines, folder, client=client)
            if folder is None:
                return engines, "Passages are not reranked."
            return engines, f"{folder.name} now reranks the best passages."

        return self._load_and_choose(folder, launch.reranker_in, choose)

    @property
    def names_model(self) -> str:
        """The model that suggests names, by its folder; '' where none was chosen."""
        if self.engines.names is None:
            return ""
        return Path(settings.load().names_model).name or "a model"

    def choose_names_model(self, folder: Path | None) -> bool:
        """Have the model in a folder suggest names too (None: none does), as ``choose_search_model``."""

        def choose(client: NamesClient | None) -> tuple[Engines, str]:
            engines, model = launch.choose_names_model(self.engines, folder, client=client)
            if model is None:
                return engines, "Names are now suggested by their form alone."
            return engines, f"{model.name} now suggests names too."

        return self._load_and_choose(folder, launch.names_model_in, choose)

    def _load_and_choose(
        self,
        folder: Path | None,
        look: Callable[[Path], ClientT],
        choose: Callable[[ClientT | None], tuple[Engines, str]],
    ) -> bool:
        """Choose the model that ``look`` finds in a folder once it is loaded: one that cannot be changes nothing."""
        if folder is None:
            return self._change_engines(lambda: choose(None), Changes(documents=True))
        try:
            client = look(folder)
        except AppError as error:
            self.failed.emit(error)
            return False

        def load(progress: Progress) -> None:
            self._trying = client
            try:
                with progress.asking():
                    launch.load_model(client)
            finally:
                self._trying = None

        def over(task: Task) -> None:
            if task.state == "done":
                self._change_engines(lambda: choose(client), Changes(documents=True))

        self.beside(f"Loading {folder.name}", load, over)
        return True

    def use_model(self, role: Role, name: str | None) -> bool:
        """Assign this role to a model (None: the program's own judge, or nobody); return whether it has it."""
        from core.runtime import roles

        return self._change_engines(lambda: (roles.give_role(self.engines, role, name), ""), Changes(proposals=True))

    def remove_model(self, name: str) -> bool:
        """Forget a model that was added, with its roles and its copy; tell whether that worked."""
        from core.runtime import roles

        return self._change_engines(lambda: (roles.remove(self.engines, name)[0], ""), Changes(proposals=True))

    def _change_engines(self, change: Callable[[], tuple[Engines, str]], changes: Changes) -> bool:
        """Work with the engines that ``change`` gives, and say what it says of them; tell whether it gave any."""
        try:
            self.engines, message = change()
        except AppError as error:
            self.failed.emit(error)
            return False
        if self._workbench is not None:
            self._workbench.engines = self.engines
        self._mend(*_OF_MODELS)
        self.changed.emit(changes, self)
        if message:
            self.tell(message)
        return True

    def try_model(self, title: str, name: str, on_end: Callable[[Task], object]) -> Task:
        """Measure how fast a model is, and have it sit the exam, beside the work; see ``beside``."""
        from core.runtime import roles

        def hold(judge: JudgeClient | None) -> None:
            self._trying = judge

        def work(progress: Progress) -> object:
            return roles.benchmark(name, progress, hold=hold)

        def over(task: Task) -> None:
            if task.state == "done":  # it runs here
                self._mend(*_OF_MODELS)
            on_end(task)

        return self.beside(title, work, over)

    def beside(self, title: str, work: Callable[[Progress], object], on_end: Callable[[Task], object]) -> Task:
        """Run a long job that needs no case; what goes wrong is told, then ``ended(task)`` is called in any case."""

        def over(task: Task) -> None:
            self._note_end(task)
            on_end(task)

        return self.tasks.start(title, work, over)

    def _interrupt(self, thread: int | None) -> None:
        launch.interrupt(self.engines, thread)
        trying = self._trying
        if trying is not None:
            trying.interrupt(thread)

    def close_case(self, *, backup: bool = True) -> None:
        """Stop what runs on the case, back it up if it was changed, and close it."""
        problem = self.leave(backup=backup)
        if problem is not None:
            self.failed.emit(problem)

    def leave(self, *, backup: bool = True) -> AppError | None:
        """Close the case; return what a person should be told of that, once the window shows what comes next."""
        if self._workbench is None:
            return None
        self.tasks.stop_all()
        self.tasks.forget_reads()
        workbench, self._workbench = self._workbench, None
        self._failures.clear()
        self._rebuilds = 0
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)  # a large case takes a second or more
        try:
            problem = self.backups.make_of_changes(workbench) if backup else None
        finally:
            QGuiApplication.restoreOverrideCursor()
            try:
                workbench.close()
            except AppError as error:
                problem = error
        self.opened.emit()
        self.cleared.emit()
        return problem

    def _tell_faults(self, *faults: AppError | None) -> None:
        for fault in filter(None, faults):
            self.failed.emit(fault)

    def shutdown(self) -> None:
        """End jobs, threads, case and engines, in this order. Called once, when the window closes."""
        self.blockSignals(True)
        self.tasks.close()
        for workbench in self._arrivals:
            workbench.close()
        if self._workbench is not None:
            workbench, self._workbench = self._workbench, None
            try:
                if (problem := self.backups.make_of_changes(workbench)) is not None:
                    log.warning("no backup at the end: %s", problem.__cause__.__class__.__name__)
            finally:
                workbench.close()
        launch.close(self.engines)

    def _take(self, verb: Callable[[], Workbench]) -> bool:
        try:
            workbench = verb()
        except PassphraseNeeded:
            raise
        except AppError as error:
            self.failed.emit(error)
            return False
        problem = self.leave()
        self._workbench, self.key_at_hand = workbench, None
        self.backups.begin()
        # The list of cases is not encrypted: of one that is, it has the name of the file alone.
        is_encrypted = workbench.case.key is not None
        title = workbench.path.stem if is_encrypted else workbench.case.title()
        recent_cases.remember(workbench.path, title, is_encrypted=is_encrypted)
        self.opened.emit()
        self.cleared.emit()
        self.changed.emit(EVERYTHING, self)
        self._tell_faults(problem, workbench.case.fault_at_opening())
        self.read(lambda bench: bench.case.altered_decision(), self._tell_faults, key="altered decision")
        self.backups.make_due()
        self._warn_of_syncing(workbench)
        self._tell_unsaved(workbench)
        self._recognise_languages(workbench)
        return True

    def _recognise_languages(self, workbench: Workbench) -> None:
        """Recognise, beside the work, the languages of documents that an older program added without."""
        try:
            is_due = not workbench.case.read_only and bool(workbench.documents.without_language())
        except AppError:  # the screens that read the documents tell it
            return
        if is_due:

            def work(bench: Workbench, progress: Progress) -> Changes:
                return Changes(documents=bool(bench.documents.recognise_languages(progress)))

            self.run("Recognising languages", work, rest="")

    def _tell_unsaved(self, workbench: Workbench) -> None:
        """Show once where text that was typed in this case and not saved is offered again."""
        self._offers = workbench.typed_text.news()
        if self._offers:
            self.told_at_length.emit(*_words_of_unsaved(self._offers))

    def take_up(self, text: UnsavedText) -> None:
        """Note that a text that was not saved was restored or thrown away: what was told of it is no longer so."""
        former, self._offers = self._offers, [offer for offer in self._offers if offer.id != text.id]
        if former != self._offers:
            self.correction.emit(_words_of_unsaved(former)[0], *_words_of_unsaved(self._offers))

    def _warn_of_syncing(self, workbench: Workbench) -> None:
        """Show once that the folder of a case is synchronised, or that versions were left beside it."""
        sentence, advice = workbench.case.synced_warning()
        if sentence and sentence.split()[0] not in window_state.marks(workbench.path, "synced"):
            window_state.keep_mark(workbench.path, "synced", sentence.split()[0])
            self.told_at_length.emit(sentence, advice)

    def rebuild_index(self) -> Task | None:
        """Rebuild the search index from the pages, beside the work."""

        def work(bench: Workbench, progress: Progress) -> Changes:
            progress.step(0, 0, "Rebuilding the search index")
            bench.case.rebuild_index()
            return Changes(documents=True)

        return self.run(
            "Rebuilding the search index", work, done=lambda _changes: self.tell("The search index is rebuilt.")
        )

    # --- verbs -------------------------------------------------------------------------------------------------------

    def do(self, verb: Callable[[Workbench], T], *, initiator: object = None) -> T | None:
        """Run a quick verb now. None without a case or after an AppError, which ``failed`` then tells."""
        if self._workbench is None:
            return None
        try:
            result = verb(self._workbench)
        except AppError as error:
            self.report(error)
            return None
        self._announce(result, initiator)
        return result

    def run(
        self,
        title: str,
        verb: Callable[[Workbench, Progress], T],
        *,
        done: Callable[[T], object] | None = None,
        initiator: object = None,
        partial: Changes | None = None,
        rest: str | None = None,
        for_person: bool = False,
        again: Callable[[], object] | None = None,
    ) -> Task | None:
        """Run a long verb beside the work; ``done(result)`` comes on the window's thread.

        ``rest``, ``for_person`` and ``again`` are as in ``Task``: what is ``for_person`` goes before the batches,
        beside them. ``rest`` is '' for what the program does of its own accord.

        ``partial`` names what grows while it runs: those parts are announced now and then, and once at the end even if
        the job was cancelled or failed, because what it finished is kept.
        """
        workbench = self._workbench
        if workbench is None:
            return None
        if rest is None:
            rest = REST_OF_JOB if partial is None else REST_OF_BATCH
        growth = _Growth(self, partial, initiator) if partial is not None else None

        def over(job: Task) -> None:
            if growth is not None:
                growth.stop()
                growth.deleteLater()
                self._growing.remove(growth.parts)
            if self._workbench is not workbench:
                return
            self._look_at_index(workbench)
            if job.state == "done":
                self._worked(title)
                if not self._announce(job.result, initiator) and partial is not None:
                    self.changed.emit(partial, initiator)
                if done is not None:
                    done(job.result)
                return
            if partial is not None:
                self.changed.emit(partial, initiator)
            if job.state == "cancelled":
                self.status.emit(f"{title}: cancelled; finished work is kept.")
            elif job.error is not None:
                self.report(job.error, title)

        task = self.tasks.start(
            title, lambda progress: verb(workbench, progress), over, rest=rest, for_person=for_person
        )
        task.again = again
        if growth is not None:
            self._growing.append(growth.parts)
            growth.follow(task)
        return task

    def is_growing(self, parts: Changes) -> bool:
        """Return whether a job that runs or waits still adds to one of these parts: their count is not yet all."""
        return any(part & parts for part in self._growing)

    def read(
        self,
        verb: Callable[[Workbench], T],
        done: Callable[[T], object],
        *,
        key: object = None,
        failed: Callable[[AppError], object] | None = None,
    ) -> None:
        """Read something slow (a picture of a page, a search) beside the work.

        Of several reads with the same ``key`` only the newest is delivered. ``failed`` takes the AppError in place of
        the session's own signal.
        """
        workbench = self._workbench
        if workbench is None:
            return

        def arrived(result: T) -> None:
            if self._workbench is workbench:
                self._worked(key)
                self._look_at_index(workbench)
                done(result)

        def broke(error: BaseException) -> None:
            if self._workbench is not workbench:
                return
            if failed is not None and isinstance(error, AppError):
                failed(error)
            else:
                self.report(error, key)

        self.tasks.read(lambda: verb(workbench), arrived, broke, key=key)

    def build(self, title: str, verb: Callable[[Progress], Path], key: CaseKey | None = None) -> Task:
        """Run a long verb that makes a case file, then open that case, unless another was opened meanwhile."""
        former = self._workbench

        def over(job: Task) -> None:
            if job.state == "done" and self._workbench is former:
                self.open(job.result, key)
            elif job.state == "done":
                self.tell(f"{title}: done. It is in {job.result}.")
            self._note_end(job)

        return self.tasks.start(title, verb, over)

    def undo(self) -> None:
        """Take back the last decision, whichever screen made it, and say which it was."""
        bench = self._workbench
        if bench is not None and bench.case.undo_stopped_by_erasure():
            self.tell(
                "Erasing documents cannot be undone, nor can what was decided before it. "
                "Undo takes back what you decide from now on."
            )
        elif (decision := self.do(lambda bench: bench.case.undo())) is None:
            self.status.emit("Nothing to undo.")
        elif decision.verb in ("set included", "include"):
            self.taken_back.emit("Scope change undone")
        else:
            self.taken_back.emit(f"Undone: {thing_in_words(decision)}")

    def redo(self) -> None:
        """Do the last decision that was taken back again, and say which it was."""
        if (decision := self.do(lambda bench: bench.case.redo())) is None:
            self.status.emit("Nothing to redo.")
        else:
            self.taken_back.emit(f"Redone: {thing_in_words(decision)}")

    def cancel(self) -> None:
        """Stop the job under way; what it has finished is kept."""
        running = next((task for task in self.tasks.tasks if not task.stopping), None)
        if running is None:
            self.status.emit("Nothing is running.")
        else:
            self.tasks.cancel(running)

    def undoable(self) -> int:
        """Return the number of the decision that Undo would take back; 0 where there is none."""
        entry = self._workbench.case.undoable() if self._workbench is not None else None
        return 0 if entry is None else entry.seq

    def tell(self, text: str, *, undo: bool = False) -> None:
        """Show in a toast what was done; ``undo`` puts an Undo button beside it. It goes with the next decision."""
        self.told.emit(text, undo)

    def look_at(self, what: str) -> None:
        """Remember that the person looked at 'diagnosticity' or 'sensitivity' of this case."""
        if self._workbench is not None and what not in window_state.marks(self._workbench.path, "looked"):
            window_state.keep_mark(self._workbench.path, "looked", what)
            self.looked.emit(what)

    def _announce(self, result: object, initiator: object) -> bool:
        changes = result if isinstance(result, Changes) else getattr(result, "changes", None)
        if isinstance(changes, Changes):
            self.changed.emit(changes, initiator)
            return True
        return False

    def _note_end(self, task: Task) -> None:
        """Show what went wrong in a job, or that what went wrong the last time works now."""
        if task.state == "done":
            self._worked(task.title)
        elif task.state == "failed" and task.error is not None:
            self.report(task.error, task.title)

    def report(self, error: BaseException, job: object = None) -> None:
        """Show what went wrong in a job; a bug is raised on the window's thread."""
        if isinstance(error, AppError):
            self._failures[job if job is not None else type(error)] = error
            self.failed.emit(error)
        else:
            raise_on_window(error)

    def _worked(self, job: object) -> None:
        if (error := self._failures.pop(job, None)) is not None:
            self.mended.emit(error)

    def _look_at_index(self, workbench: Workbench) -> None:
        """Note that a damaged index is none any more once it was made again, by whatever verb."""
        rebuilds = workbench.case.index_rebuilds()
        if rebuilds != self._rebuilds:
            self._rebuilds = rebuilds
            self._mend(IndexDamaged)

    def _mend(self, *kinds: type[AppError]) -> None:
        """Note that errors of these kinds are no longer so."""
        for job in [job for job, error in self._failures.items() if isinstance(error, kinds)]:
            self._worked(job)


def _none_but_quick() -> Progress:
    """Make a progress that ends with the first step of what takes long, before it."""
    progress = Progress()
    progress.cancel()
    return progress


def _words_of_unsaved(texts: list[UnsavedText]) -> tuple[str, str]:
    """Return in a sentence where texts that were not saved are offered, and give them; '' for none."""
    places = ", ".join(dict.fromkeys(text.place for text in texts))
    quoted = "\n\n".join(f"{text.place}:\n{text.text}" for text in texts)
    return f"Unsaved text is offered again where you typed it: {places}." if texts else "", quoted
