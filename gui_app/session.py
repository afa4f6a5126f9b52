"""The one open case as the window sees it: run verbs, say what changed, say what went wrong. No widget lives here."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from core import settings
from core.domain import Changes
from core.errors import AppError, CannotRunHere, IndexDamaged, ModelMissing, ModelUnreadable
from core.ports import Engines
from core.progress import Progress
from core.runtime import launch
from gui_app import recent_cases, window_state
from gui_app.shared.formatting import file_size
from gui_app.tasks import Task, Tasks, raise_on_window

if TYPE_CHECKING:
    from core.case.service import Undone
    from core.runtime.roles import Role
    from core.store import Backup, Restored
    from core.workbench import Workbench
    from core.workers.engines import JudgeClient

T = TypeVar("T")

log = logging.getLogger(__name__)

EVERYTHING = Changes(True, True, True, True, True)
_OF_MODELS = (CannotRunHere, ModelMissing, ModelUnreadable)
LARGE = 24_000_000  # bytes of a case whose backup takes longer than a moment
PARTIAL_MS = 700  # how often a running import or judging shows what it has so far

# What the log calls a decision -> what a person would call it.
_VERBS = {
    "add document": "add document",
    "set included": "scope change",
    "include": "scope change",
    "add hypothesis": "add hypothesis",
    "edit hypothesis": "edit hypothesis",
    "remove hypothesis": "remove hypothesis",
    "accept": "accept proposal",
    "reject": "reject proposal",
    "add evidence": "add evidence",
    "grade": "grade evidence",
    "remove evidence": "remove evidence",
    "rate": "rate cell",
    "annotate": "note on a cell",
    "describe": "describe evidence",
    "suggest": "suggest rating",
    "state likelihood": "likelihood",
    "mark hypothesis": "kind of hypothesis",
    "set priors": "priors",
    "add consideration": "add note",
    "edit consideration": "edit note",
    "remove consideration": "remove note",
    "change settings": "case settings",
    "supersede": "newer version",
    "describe documents": "description of documents",
    "remove documents": "removal of documents",
    "restore documents": "restoring documents",
    "check words": "words of scans",
    "refresh quote": "updating a quote",
    "read scan": "read scan",
    "open without unsaved changes": "opened without unsaved changes",
    "leave text": "keeping a text as it is",
    "plan searches": "plan of the searches",
    "plan search": "planned search",
    "remove planned search": "removal of a planned search",
    "judge passage": "judgement of a passage",
    "accept row": "accept passage",
    "join rows": "joining of rows",
    "suggest ratings": "suggested ratings",
    "name records": "naming of the records",
    "build sample": "building of the sample case",
}


def verb_in_words(verb: str) -> str:
    """The name of a logged decision for menus and toasts."""
    plain = verb.removeprefix("undo ")
    return f"{'undo ' * (plain != verb)}{_VERBS.get(plain, plain)}"


# The table whose rows a decision names, and how it is said of one row and of several.
_NAMED = {
    "rate": ("rating", "rating of {0}", "ratings of {0} cells"),
    "annotate": ("rating", "note on {0}", "notes on {0} cells"),
    "accept": ("proposal", "acceptance of {0}", "acceptance of {0} proposals"),
    "accept row": ("proposal", "acceptance of {0}", "acceptance of {0} proposals"),
    "reject": ("proposal", "rejection of {0}", "rejection of {0} proposals"),
    "edit hypothesis": ("hypothesis", "edit of {0}", "edit of {0} hypotheses"),
    "mark hypothesis": ("hypothesis", "kind of {0}", "kind of {0} hypotheses"),
    "state likelihood": ("likelihood", "likelihood of {0}", "likelihood of {0} hypotheses"),
    "grade": ("evidence", "grade of {0}", "grade of {0} rows"),
    "describe": ("evidence", "description of {0}", "description of {0} rows"),
}
_CAME_OR_WENT = {
    "add evidence": "evidence",
    "remove evidence": "evidence",
    "add hypothesis": "hypothesis",
    "remove hypothesis": "hypothesis",
}


def thing_in_words(undone: Undone) -> str:
    """What a decision that was taken back or done again was about: 'rating of E2 against H3', 'E3 is back'."""
    if table := _CAME_OR_WENT.get(undone.verb):
        keys = [key for at, key, became in undone.rows if at == table and became != "changed"]
        back = any(at == table and became == "there" for at, _key, became in undone.rows)
        if keys:
            subject = f"{keys[0]} is" if len(keys) == 1 else f"{len(keys)} rows are"
            return f"{subject} {'back' if back else 'removed again'}"
    table, one, several = _NAMED.get(undone.verb, ("", "", ""))
    keys = [key for at, key, _became in undone.rows if at == table]
    if len(keys) == 1:
        first, *rest = keys[0].split("/")
        return one.format(f"{first} against {rest[0]}" if table == "rating" else first)
    return several.format(len(keys)) if keys else verb_in_words(undone.verb)


class CaseSession(QObject):
    """Holds the open case, runs its verbs, and tells every widget once what changed.

    ``changed(Changes, initiator)`` after every change; ``opened()`` when another case (or none) is open;
    ``failed(AppError)`` when a person can put something right, ``mended(AppError)`` when that is no longer so: what
    failed works now, or has another model; ``status(text)`` for the strip;
    ``decided(text)`` for the strip, of the last decision and how it is taken back, which is true until the next;
    ``told(text, undo)`` for a toast, with an Undo button when ``undo``; ``imported(ImportReport)`` when documents were
    added, kept in ``last_import`` for the screen that shows it; ``dropped(list[Path])`` for files to be added;
    ``looked(what)`` when the person did what the guide asks for, or said no to it, and nothing in the case changed;
    ``restored(Restored)`` when a backup was put in the place of a case, which is open now.
    """

    changed = Signal(object, object)
    opened = Signal()
    failed = Signal(object)
    mended = Signal(object)
    status = Signal(str)
    decided = Signal(str)
    told = Signal(str, bool)
    imported = Signal(object)
    dropped = Signal(object)
    looked = Signal(str)
    restored = Signal(object)

    def __init__(self, engines: Engines, parent: QObject | None = None, *, who: str = "") -> None:
        super().__init__(parent)
        self.engines = engines
        self.tasks = Tasks(self._interrupt, self)
        self._trying: JudgeClient | None = None  # a model under test, apart from the engines in use
        self._who = who or settings.load().who
        self._workbench: Workbench | None = None
        # What went wrong last in each job, by its title, and in reads, by their key.
        self._failures: dict[object, AppError] = {}
        self._rebuilds = 0  # of the search index of the case that is open, as far as anything was told of them
        self._growing: list[Changes] = []  # what the jobs under way add to
        self.last_import: Any = None
        self._told_of_backup = False  # that one could not be made: said once of a case

    # --- the case ----------------------------------------------------------------------------------------------------

    @property
    def workbench(self) -> Workbench | None:
        return self._workbench

    @property
    def read_only(self) -> bool:
        return self._workbench is not None and self._workbench.case.read_only

    def warm_up(self, then: Callable[[], object] | None = None) -> None:
        """Load the code of a case beside the window, so that the first one opened freezes nothing, and call ``then``.

        Only what lies in the core: a widget's module may make objects that belong to the window's thread.
        """

        def load() -> None:
            importlib.import_module("core.workbench")

        self.tasks.read(load, lambda _loaded: then() if then is not None else None, self._went_wrong)

    def create(self, path: Path, *, title: str = "") -> bool:
        """Make a case and open it; whether it worked (if not, ``failed`` has said why)."""
        from core.workbench import Workbench

        return self._take(lambda: Workbench.create(path, self.engines, title=title, who=self._who))

    def open(self, path: Path, *, without_unsaved: bool = False) -> bool:
        """Open a case; the one open before stays open when this fails."""
        from core.workbench import Workbench

        if self._workbench is not None and self._workbench.path.resolve() == path.resolve():
            return True
        return self._take(lambda: Workbench.open(path, self.engines, who=self._who, without_unsaved=without_unsaved))

    def sign_as(self, who: str) -> None:
        """Sign the decisions from now on with this name."""
        self._who = who
        if self._workbench is not None:
            self._workbench.case.sign_as(who)

    def choose_search_model(self, folder: Path | None) -> bool:
        """Search with the model in a folder from now on (None: the program's own); whether it is one."""

        def choose() -> str:
            self.engines, found = launch.choose_embedder(self.engines, folder)
            return found.note or f"The search model is now {found.name}."

        return self._choose(choose)

    def choose_ranking_model(self, folder: Path | None) -> bool:
        """Have the model in a folder rank the best passages anew from now on (None: none does); whether it is one."""

        def choose() -> str:
            self.engines = launch.choose_reranker(self.engines, folder)
            if folder is None:
                return "Passages are now in the order of the two searches."
            return f"{folder.name} now reranks the best passages."

        return self._choose(choose)

    @property
    def names_model(self) -> str:
        """The model that suggests names, by its folder; '' where none was chosen."""
        if self.engines.names is None:
            return ""
        return Path(settings.load().names_model).name or "a model"

    def choose_names_model(self, folder: Path | None) -> bool:
        """Have the model in a folder suggest names too from now on (None: none does); whether it is one."""

        def choose() -> str:
            self.engines, found = launch.choose_names_model(self.engines, folder)
            if found is None:
                return "Names are now suggested by their form alone."
            return f"{found.name} now suggests names too."

        return self._choose(choose)

    def _choose(self, choose: Callable[[], str]) -> bool:
        """Have ``choose`` change the engines and say what it did; whether it could."""
        try:
            told = choose()
        except AppError as error:
            self.failed.emit(error)
            return False
        if self._workbench is not None:
            self._workbench.engines = self.engines
        self._mend(*_OF_MODELS)
        self.changed.emit(Changes(documents=True), self)
        self.tell(told)
        return True

    # --- language models ---------------------------------------------------------------------------------------------

    def use_model(self, role: Role, wanted: str | None) -> bool:
        """Give a model this role from now on (None: the program's own judge, or nobody); whether it has it."""
        from core.runtime import roles

        return self._take_engines(lambda: roles.give_role(self.engines, role, wanted))

    def remove_model(self, wanted: str) -> bool:
        """Forget a model that was added, with its roles and its copy; whether it is gone."""
        from core.runtime import roles

        return self._take_engines(lambda: roles.remove(self.engines, wanted)[0])

    def _take_engines(self, change: Callable[[], Engines]) -> bool:
        try:
            self.engines = change()
        except AppError as error:
            self.failed.emit(error)
            return False
        if self._workbench is not None:
            self._workbench.engines = self.engines
        self._mend(*_OF_MODELS)
        self.changed.emit(Changes(proposals=True), self)
        return True

    def try_model(self, title: str, wanted: str, ended: Callable[[Task], object]) -> Task:
        """Measure how fast a model is, and have it sit the exam, beside the work; see ``beside``."""
        from core.runtime import roles

        def hold(judge: JudgeClient | None) -> None:
            self._trying = judge

        def work(progress: Progress) -> object:
            return roles.tried(wanted, progress, hold=hold)

        def over(task: Task) -> None:
            if task.state == "done":  # it runs here
                self._mend(*_OF_MODELS)
            ended(task)

        return self.beside(title, work, over)

    def beside(self, title: str, work: Callable[[Progress], object], ended: Callable[[Task], object]) -> Task:
        """Run a long job that needs no case; what goes wrong is told, then ``ended(task)`` is called in any case."""

        def over(task: Task) -> None:
            self._note_end(task)
            ended(task)

        return self.tasks.start(title, work, over)

    def _interrupt(self) -> None:
        launch.interrupt(self.engines)
        trying = self._trying
        if trying is not None:
            trying.interrupt()

    def close_case(self, *, backup: bool = True) -> None:
        """Stop what runs on the case, back it up if it was changed, and close it."""
        problem = self._leave(backup=backup)
        if problem is not None:
            self.failed.emit(problem)

    def close_after_backup(self) -> Task | None:
        """Close the case as ``close_case`` does; where the backup of a large one takes its time, it is made beside the
        work, by the job returned, and the case closes when it is made. A cancelled job leaves the case open.
        """
        workbench = self._workbench
        if workbench is None:
            return None
        if not (self._wants_backup(workbench) and workbench.path.stat().st_size >= LARGE):
            self.close_case()
            return None
        for task in self.tasks.tasks:
            self.tasks.cancel(task)
        space = settings.load().backup_space * 1_000_000

        def work(progress: Progress) -> AppError | None:
            try:
                workbench.backups.make(progress, space=space)
            except AppError as error:
                return error
            return None

        def over(task: Task) -> None:
            if self._workbench is not workbench:
                return
            if task.state == "cancelled":
                self.status.emit("The case stays open.")
            elif task.error is not None:
                raise_on_window(task.error)
            else:
                self.close_case(backup=task.result is None)
                if task.result is not None and not self._told_of_backup:
                    self.failed.emit(task.result)

        return self.tasks.start("Closing the case", work, over)

    def _wants_backup(self, workbench: Workbench) -> bool:
        return settings.load().backups and workbench.backups.changed()

    def _leave(self, *, backup: bool = True) -> AppError | None:
        """Close the case; what a person should be told of that, once the window shows what comes next."""
        if self._workbench is None:
            return None
        self.tasks.stop_all()
        self.tasks.forget_reads()
        workbench, self._workbench = self._workbench, None
        self.last_import = None
        self._failures.clear()
        self._rebuilds = 0
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)  # a large case takes a second or more
        try:
            problem = self._back_up_changes(workbench) if backup else None
        finally:
            QGuiApplication.restoreOverrideCursor()
            try:
                workbench.close()
            except AppError as error:
                problem = error
        self.opened.emit()
        return problem

    def shutdown(self) -> None:
        """End jobs, threads, case and engines, in this order. Called once, when the window closes."""
        self.blockSignals(True)
        self.tasks.close()
        if self._workbench is not None:
            workbench, self._workbench = self._workbench, None
            try:
                if (problem := self._back_up_changes(workbench)) is not None:
                    log.warning("no backup at the end: %s", problem.__cause__.__class__.__name__)
            finally:
                workbench.close()
        launch.close(self.engines)

    def _take(self, verb: Callable[[], Workbench]) -> bool:
        try:
            workbench = verb()
        except AppError as error:
            self.failed.emit(error)
            return False
        problem = self._leave()
        self._workbench = workbench
        self._told_of_backup = False
        recent_cases.remember(workbench.path, workbench.case.title())
        self.opened.emit()
        self.changed.emit(EVERYTHING, self)
        for fault in (problem, workbench.case.fault_at_opening()):
            if fault is not None:
                self.failed.emit(fault)
        self.read(lambda bench: bench.case.altered_decision(), self._tell_of_fault, key="altered decision")
        if settings.load().backups and self.do(lambda bench: bench.backups.due()):
            self._make_backup(asked=False)
        return True

    def _tell_of_fault(self, fault: AppError | None) -> None:
        if fault is not None:
            self.failed.emit(fault)

    # --- backups -----------------------------------------------------------------------------------------------------

    def back_up(self) -> Task | None:
        """Make a backup of the case now, beside the work."""
        return self._make_backup(asked=True)

    def save_copy(self, target: Path) -> None:
        """Write a whole copy of the case to a file that is not there yet, beside the work."""

        def over(written: Path) -> None:
            self.tell(f"Copy saved: {written}")

        title = "Saving a copy"
        self.run(title, lambda bench, progress: bench.case.save_copy(target, progress), done=over)

    def backups_of(
        self, case: Path, arrived: Callable[[list[Backup]], object], *, check: bool, key: object = None
    ) -> None:
        """Read which backups a case has, newest first, and with ``check`` whether each is sound, beside the work. The
        case need not be open, nor be there.
        """

        def read() -> list[Backup]:
            from core.workbench import backups

            return backups.copies(case) if check else backups.unchecked(case)

        self.tasks.read(read, arrived, self._went_wrong, key=key)

    def restore(self, case: Path, backup: Backup) -> None:
        """Put a backup in the place of a case, beside the work, and open it; it is closed before if it is open. The
        file that was there is kept under another name (``restored`` tells which).
        """
        was_open = self._workbench is not None and self._workbench.path.resolve() == case.resolve()
        if was_open:
            self._leave(backup=False)  # it stays as it is, under the other name

        def work(progress: Progress) -> Restored:
            from core.workbench import backups, utc_now

            return backups.restore(case, backup, now=utc_now(), progress=progress)

        def over(ended: Task) -> None:
            if (ended.state == "done" or was_open) and not self.open(case):
                return
            if ended.state == "done":
                self.restored.emit(ended.result)
            elif ended.error is not None:
                self._went_wrong(ended.error)

        self.tasks.start("Restoring a backup", work, over)

    def open_backup(self, case: Path, backup: Backup) -> None:
        """Open a copy of a backup as a case of its own, beside the other one."""

        def work(progress: Progress) -> Path:
            from core.workbench import backups

            return backups.copy_beside(case, backup, progress)

        self.build("Opening a backup", work)

    def rebuild_index(self) -> Task | None:
        """Rebuild the search index from the pages, beside the work."""

        def work(bench: Workbench, progress: Progress) -> Changes:
            progress.step(0, 0, "Rebuilding the search index")
            bench.case.rebuild_index()
            return Changes(documents=True)

        return self.run(
            "Rebuilding the search index",
            work,
            done=lambda _changes: self.tell("The search index is rebuilt."),
        )

    def _make_backup(self, *, asked: bool) -> Task | None:
        space = settings.load().backup_space * 1_000_000

        def work(bench: Workbench, progress: Progress) -> Backup | AppError:
            try:
                return bench.backups.make(progress, space=space)
            except AppError as error:
                return error

        def over(made: Backup | AppError) -> None:
            if isinstance(made, AppError):
                self._told_of_backup = True
                self.failed.emit(made)
            elif asked:
                self.tell(f"Backup made, {file_size(made.bytes)}")

        return self.run("Making a backup", work, done=over)

    def _back_up_changes(self, workbench: Workbench) -> AppError | None:
        """Back up a case that is about to be closed, if it was changed; what went wrong, if nobody was told yet."""
        try:
            if self._wants_backup(workbench):
                workbench.backups.make(space=settings.load().backup_space * 1_000_000)
        except AppError as error:
            return None if self._told_of_backup else error
        return None

    # --- verbs -------------------------------------------------------------------------------------------------------

    def do(self, verb: Callable[[Workbench], T], *, initiator: object = None) -> T | None:
        """Run a quick verb now. None without a case or after an AppError, which ``failed`` then tells."""
        if self._workbench is None:
            return None
        try:
            result = verb(self._workbench)
        except AppError as error:
            self._went_wrong(error)
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
    ) -> Task | None:
        """Run a long verb beside the work; ``done(result)`` comes on the window's thread.

        ``partial`` names what grows while it runs: those parts are announced now and then, and once at the end even if
        the job was cancelled or failed, because what it finished is kept.
        """
        workbench = self._workbench
        if workbench is None:
            return None
        growing = QTimer(self)
        growing.setInterval(PARTIAL_MS)
        seen = [0]

        def grew() -> None:
            if task.count != seen[0]:
                seen[0] = task.count
                self.changed.emit(partial, initiator)

        def over(ended: Task) -> None:
            growing.stop()
            growing.deleteLater()
            if partial is not None:
                self._growing.remove(partial)
            if self._workbench is not workbench:
                return
            self._look_at_index(workbench)
            if ended.state == "done":
                self._worked(title)
                if not self._announce(ended.result, initiator) and partial is not None:
                    self.changed.emit(partial, initiator)
                if done is not None:
                    done(ended.result)
                return
            if partial is not None:
                self.changed.emit(partial, initiator)
            if ended.state == "cancelled":
                self.status.emit(f"{title}: cancelled; finished work is kept.")
            elif ended.error is not None:
                self._went_wrong(ended.error, title)

        task = self.tasks.start(title, lambda progress: verb(workbench, progress), over)
        if partial is not None:
            self._growing.append(partial)
            growing.timeout.connect(grew)
            growing.start()
        return task

    def is_growing(self, parts: Changes) -> bool:
        """Whether a job under way, or one that waits for its turn, still adds to one of these parts, whoever began it:
        what is counted there is not yet all.
        """
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
                self._went_wrong(error, key)

        self.tasks.read(lambda: verb(workbench), arrived, broke, key=key)

    def build(self, title: str, verb: Callable[[Progress], Path]) -> Task:
        """Run a long verb that makes a case file, then open that case, unless another was opened meanwhile."""
        before = self._workbench

        def over(ended: Task) -> None:
            if ended.state == "done" and self._workbench is before:
                self.open(ended.result)
            elif ended.state == "done":
                self.tell(f"{title}: done. It is in {ended.result}.")
            self._note_end(ended)

        return self.tasks.start(title, verb, over)

    def undo(self) -> None:
        """Take back the last decision, whichever screen made it, and say which it was."""
        undone = self.do(lambda bench: bench.case.undo())
        if undone is None:
            self.status.emit("Nothing to undo.")
        elif undone.verb in ("set included", "include"):
            self._say_clearly("Scope change undone")
        else:
            self._say_clearly(f"Undone: {thing_in_words(undone)}")

    def redo(self) -> None:
        redone = self.do(lambda bench: bench.case.redo())
        if redone is None:
            self.status.emit("Nothing to redo.")
        else:
            self._say_clearly(f"Redid: {thing_in_words(redone)}")

    def _say_clearly(self, text: str) -> None:
        """In the line below and in a toast: what was taken back may stand on another screen."""
        self.status.emit(text)
        self.tell(text)

    def cancel(self) -> None:
        """Stop the job under way; what it has finished is kept."""
        running = next((task for task in self.tasks.tasks if not task.stopping), None)
        if running is None:
            self.status.emit("Nothing is running.")
        else:
            self.tasks.cancel(running)

    def undoable(self) -> int:
        """The number of the decision that Undo would take back; 0 where there is none."""
        entry = self._workbench.case.undoable() if self._workbench is not None else None
        return 0 if entry is None else entry.seq

    def tell(self, text: str, *, undo: bool = False) -> None:
        """Say in a toast what was done; ``undo`` puts an Undo button beside it. It goes with the next decision."""
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
        """Tell what went wrong in a job, or that what went wrong the last time works now."""
        if task.state == "done":
            self._worked(task.title)
        elif task.state == "failed" and task.error is not None:
            self._went_wrong(task.error, task.title)

    def _went_wrong(self, error: BaseException, job: object = None) -> None:
        if isinstance(error, AppError):
            self._failures[job if job is not None else type(error)] = error
            self.failed.emit(error)
        else:
            raise_on_window(error)

    def _worked(self, job: object) -> None:
        if (error := self._failures.pop(job, None)) is not None:
            self.mended.emit(error)

    def _look_at_index(self, workbench: Workbench) -> None:
        """A damaged index is none any more once it was made anew, by whatever verb."""
        rebuilds = workbench.case.index_rebuilds()
        if rebuilds != self._rebuilds:
            self._rebuilds = rebuilds
            self._mend(IndexDamaged)

    def _mend(self, *kinds: type[AppError]) -> None:
        """Errors of these kinds are no longer so."""
        for job in [job for job, error in self._failures.items() if isinstance(error, kinds)]:
            self._worked(job)
