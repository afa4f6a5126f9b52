"""An engine in a child process, as the program sees it: started at its first use, stopped, started again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from core.errors import AppError, EngineStopped
from core.turn import Turn
from core.workers.frames import Header, ProtocolError, clean_text, count_field, pack, text_field
from core.workers.probe import Attempts
from core.workers.process import ProcessEnded, WorkerProcess, command_of
from core.workers.sandbox import Sandbox
from core.workers.wire.errors import error_in
from core.workers.wire.sandbox import attempts_in, sandbox_in

if TYPE_CHECKING:
    from core.workers.pool import WorkerPool


@dataclass(frozen=True, slots=True)
class Limits:
    """The time (seconds, while the parent waits) and the room that a child may take.

    ``start``: until the engine is loaded. ``item``: one page, picture, batch or passage. ``whole``: one document; a
    long one gets ``page`` seconds for each page instead, where that is more. ``memory``: bytes of address space, 0 for
    no limit. ``files``: documents until the child is replaced, 0 for never. ``processor``: seconds of all cores that a
    call may take even where nobody waits for it, 0 for no limit.
    """

    start: float = 60.0
    item: float = 30.0
    whole: float = 120.0
    page: float = 0.1
    memory: int = 0
    files: int = 0
    processor: int = 0


Answer = TypeVar("Answer")
Reading = Callable[[Header, list[bytes]], Answer]  # of a frame; raises ProtocolError

MODEL_LIMITS = Limits(start=180.0, item=120.0, whole=120.0)


class EngineClient:
    """An engine in a child process: start at first use, one call at a time, stop, restart.

    ``command`` replaces the command line of the child (kind and options are added as its last arguments); tests use it
    to run a child of their own.
    """

    kind = ""
    title = ""  # how the person knows this engine
    limits = MODEL_LIMITS
    harmless_errors: tuple[type[AppError], ...] = ()  # errors after which the same process answers the next call

    def __init__(
        self, options: Mapping[str, object], *, command: Sequence[str] | None = None, limits: Limits | None = None
    ) -> None:
        self.options = dict(options)
        self._line = [*command, self.kind] if command is not None else command_of(self.kind)
        if limits is not None:
            self.limits = limits
        self.options.update(memory=self.limits.memory, processor=self.limits.processor)
        self._turn = Turn()  # held during a call, and while the pages of a document are being read
        self._holder: int | None = None
        self.token = object()
        self.child: WorkerProcess | None = None
        self._is_closed = False
        self._hello: Header = {}
        self._sandbox: Sandbox | None = None
        self._fault = ""  # what ended the last child that failed, where it was a fault

    # A call is: begin, send and receive, finish. A generator keeps its turn between pages.

    def begin(self, item: str, *, greet: bool = True) -> object:
        """Take the turn and have a child that runs; the token is for ``finish``."""
        if self._mine():
            # This thread left a document half read. Waiting for itself would last for ever, so that reading ends here.
            self.drop()
        else:
            self._turn.acquire()
        self._holder = threading.get_ident()
        self.token = token = object()
        try:
            self._ready(item, greet=greet)
        except BaseException:
            self.finish(token)
            raise
        return token

    def _mine(self) -> bool:
        """Return whether a call of this thread is under way."""
        return self._holder == threading.get_ident() and self._turn.locked()

    def is_free(self) -> bool:
        """Return whether a call of this thread would begin at once."""
        return self._turn.is_open()

    def finish(self, token: object) -> None:
        """End the call that has this token; the next one may begin."""
        if self.token is token:
            self.token = object()
            self._holder = None
            self._turn.release()

    def _ready(self, item: str, *, greet: bool = True) -> WorkerProcess:
        """Return the running child; a new one where there is none, it died, or it has served its time."""
        child = self.child
        if child is not None and (child.is_spent or not child.running()):
            self.drop()
            child = None
        if child is None:
            child = self._start(item)
        if greet:
            try:
                self.greet(child, item)
            except EngineStopped:
                # It saw no document yet. Perhaps a library lies where it may not look: reading goes before confining,
                # and what is not in force is told.
                # A fault is not for want of a library, and what ends a child may not win more room by it.
                if self._hello or self.options.get("loose") or self._is_closed or child.is_stopped or self._fault:
                    raise
                self.options["loose"] = True
                try:
                    child = self._start(item)
                    self.greet(child, item)
                except BaseException:
                    self.options["loose"] = False
                    raise
        return child

    def _start(self, item: str) -> WorkerProcess:
        if self._is_closed:
            raise EngineStopped(engine=self.title, item=item, reason="the program is closing")
        try:
            child = self.child = WorkerProcess(self._line, self.options)
        except OSError as error:
            raise EngineStopped(
                engine=self.title, item=item, reason=f"it could not be started: {error.strerror}"
            ) from error
        return child

    def greet(self, child: WorkerProcess, item: str) -> None:
        """Hear that the child is ready, where that was not heard yet."""
        if child.is_greeted:
            return
        header, _ = self.receive(child, item, self.limits.start)
        if header.get("type") != "ready":
            self.fail(child, item, "it did not report that it is ready")
        try:
            text_field(header, "fingerprint", longest=500)
            count_field(header, "dimensions", most=8_192)
            self._sandbox = sandbox_in(header.get("confined"))
        except ProtocolError as error:
            self.fail(child, item, f"its answer was malformed: {error}")
        self._hello = header
        child.is_greeted = True

    def send(self, child: WorkerProcess, item: str, frame: Sequence[bytes]) -> None:
        """Write a frame to the child. What goes wrong with that ends it."""
        try:
            child.send(frame, seconds=self.limits.whole)
        except ProcessEnded as error:
            self.fail(child, item, str(error))
        except BaseException:
            self.drop()
            raise

    def receive(self, child: WorkerProcess, item: str, seconds: float) -> tuple[Header, list[bytes]]:
        """Return the next frame. An error that the child reports is raised; anything else that goes wrong kills it."""
        pools = pools_of_thread()
        try:
            header, blobs = child.receive(
                seconds=seconds,
                beside=lambda: [sibling for pool in pools for sibling in pool.children() if sibling is not child],
                on_turn=pools[-1].look if pools else None,
            )
            kind = header.get("type")
            if kind == "error":
                child_error = error_in(header)
            elif kind == "failed":
                self.fail(child, item, unexpected(header))
        except ProtocolError as error:
            self.fail(child, item, f"its answer was malformed: {error}")
        except ProcessEnded as error:
            limit = f"no answer within {seconds:.0f} s" if str(error) else ""
            self.fail(child, item, limit)
        except EngineStopped:
            raise
        except BaseException:
            self.drop()
            raise
        if kind == "error":
            # A parser that met something bad is not used again; a question that was refused before it was read is none.
            child.is_spent = not isinstance(child_error, self.harmless_errors)
            raise child_error
        return header, blobs

    def _ask(self, item: str, frame: Sequence[bytes], read: Reading[Answer], *, seconds: float | None = None) -> Answer:
        """Return the answer to a call of one frame, as ``read`` understands it."""
        token = self.begin(item)
        try:
            return self._answer(item, frame, read, self.limits.item if seconds is None else seconds)
        finally:
            self.finish(token)

    def _answer(self, item: str, frame: Sequence[bytes], read: Reading[Answer], seconds: float) -> Answer:
        child = self._ready(item)
        self.send(child, item, frame)
        header, blobs = self.receive(child, item, seconds)
        try:
            return read(header, blobs)
        except ProtocolError as error:
            self.fail(child, item, f"its answer was malformed: {error}")

    def fail(self, child: WorkerProcess, item: str, reason: str) -> NoReturn:
        """End the child and raise EngineStopped with the reason."""
        why = child.why(reason)
        self._fault = child.fault()
        self.drop()
        raise EngineStopped(engine=self.title, item=item, reason=why)

    def drop(self) -> None:
        """End the child; the next call starts another."""
        child, self.child = self.child, None
        if child is not None:
            child.is_spent = True
            child.end()

    def about(self, item: str) -> Header:
        """Return what the child said when it was ready; it is started for that where none runs."""
        if not self._hello:
            if self._mine() and self.child is not None:
                self.greet(self.child, item)
            else:
                self.finish(self.begin(item))
        return self._hello

    @property
    def fingerprint(self) -> str:
        """Library, version and weights, as the child names them. Starts the child the first time."""
        return str(self.about("its start")["fingerprint"])

    @property
    def sandbox(self) -> Sandbox | None:
        """Return what the last child said that it cannot do; None before the first one has started."""
        return self._sandbox

    def attempt(self, outside: Path) -> Attempts:
        """Have the child try what it is to be kept from, with ``outside`` as a file that is none of its business."""
        frame = pack({"call": "attempt", "outside": str(outside)})
        return self._ask("what it is kept from", frame, lambda header, _: attempts_in(header))

    def start(self) -> None:
        """Start the child where none runs, without waiting until it is ready: it loads beside other work."""
        if self.is_free():
            self.finish(self.begin("its start", greet=False))

    def interrupt(self, thread: int | None = None) -> None:
        """Kill the child from any thread. A call that waits for it raises EngineStopped; the next one starts afresh.

        With ``thread`` only while that thread has its turn.
        """
        child = self.child
        if child is not None and thread in (None, self._holder):
            child.is_stopped = True
            child.kill()

    def close(self) -> None:
        """End the child for good. Safe from any thread; a call that waits raises EngineStopped."""
        self._is_closed = True
        if self._turn.acquire(blocking=False):
            try:
                child, self.child = self.child, None
                if child is not None:
                    child.end()
            finally:
                self._turn.release()
        else:
            self.interrupt()


def unexpected(header: Header) -> str:
    """Name a bug in the child by its kind."""
    return f"unexpected {clean_text(text_field(header, 'what', longest=200))}"


_of_thread = threading.local()


def pools_of_thread() -> list[WorkerPool]:
    """List the pools of this thread, the innermost last."""
    if not hasattr(_of_thread, "pools"):
        _of_thread.pools = []
    pools: list[WorkerPool] = _of_thread.pools
    return pools
