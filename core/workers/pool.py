"""Engines of one kind side by side: calls that are begun before their answer is wanted, documents, scans."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

from core.domain import LeftOut, PageText
from core.errors import AppError, BadInput, EngineStopped, UnreadableDocument
from core.ports import Attachment, OcrEngine, OcrPage, Outline, Reader
from core.progress import Cancelled
from core.workers.client import EngineClient, Limits, pools_of_thread, unexpected
from core.workers.frames import (
    ANSWER_CAP,
    ANSWER_HEADER_CAP,
    DOCUMENT_CAP,
    MIB,
    Header,
    ProtocolError,
    clean_text,
    frame_at,
    pack,
    take_from,
    unpack,
)
from core.workers.process import WorkerProcess, exchange
from core.workers.wire.documents import (
    CHILDREN_CAP,
    LEFT_OUT_CAP,
    MAILBOX_CHILDREN_CAP,
    PAGE_CAP,
    TEXT_CAP,
    attachment_in,
    left_out_in,
    outline_in,
    page_in,
)
from core.workers.wire.errors import error_in
from core.workers.wire.ocr import ocr_in

_IN_HAND = 64 * MIB  # of requests and answers of calls that were begun ahead of their turn
Key = TypeVar("Key")
_LAST = ("end", "ocr", "error", "failed")  # an answer is whole with a frame of these


class PendingCall:
    """One call: what is asked, the child that works at it, and the answer as soon as all of it lies here.

    A call that its child had to give up for another one is begun again when its answer is wanted.
    """

    def __init__(self, head: Header, data: bytes, item: str) -> None:
        """Make a call that nobody has begun; ``data`` is sent with the header."""
        self.item = item
        self._head = head
        self._data = data
        self._client: EngineClient | None = None
        self._child: WorkerProcess | None = None
        self._token = object()
        self._answer: bytearray | None = None
        self._failure: Exception | None = None
        self._looked_at = 0  # bytes of the answer
        self.pool: WorkerPool | None = None  # set when its turn has come

    def fail(self, failure: Exception) -> None:
        """Keep what went wrong until its turn comes."""
        self._failure = failure

    def ready(self) -> None:
        """Begin now what was not begun ahead, or was given up."""
        if self._failure is not None:
            raise self._failure
        if self.pool is not None and self._answer is None and not self.under_way():
            self.pool.begin(self)

    @property
    def size(self) -> int:
        """Bytes that it holds in this process."""
        unread = self._answer if self._answer is not None else self._child.unread if self._child is not None else b""
        return len(self._data) + len(unread)

    @property
    def limits(self) -> Limits:
        """The limits of the engine that answers it."""
        assert self._client is not None
        return self._client.limits

    @property
    def waiting_seconds(self) -> float:
        """Seconds that the parent waited for its child."""
        return self._child.waiting_seconds if self._child is not None else 0.0

    def begin(self, client: EngineClient, *, greet: bool = False) -> None:
        """Ask; wait for nothing, or until the child has said that it is ready."""
        token = client.begin(self.item, greet=greet)
        child = client.child
        assert child is not None
        child.documents += 1
        child.holds = ""
        child.post(pack(self._head, [self._data]))
        self._client, self._child, self._token, self._looked_at = client, child, token, 0

    def under_way(self) -> bool:
        """Return whether a child works at it, or its answer lies in the pipe."""
        return self._answer is None and self._client is not None and self._client.token is self._token

    def child(self) -> WorkerProcess | None:
        """Return the child that works at it; None if none does."""
        return self._child if self.under_way() else None

    def full(self) -> bool:
        """Return whether its child has to wait until its answer is taken."""
        return self._child is not None and not self._child.wants_room(False)

    def look(self) -> None:
        """Take the answer over if it is whole, so that the child is free for another call."""
        child, client = self.child(), self._client
        if child is None or client is None or self._failure is not None:
            return
        unread = child.unread
        offset, last = self._looked_at, ""
        while (frame := frame_at(unread, offset)) is not None:
            offset, header = frame
            last = header["type"]
            if not child.is_greeted:
                try:
                    client.greet(child, self.item)
                except AppError as error:
                    self.fail(error)
                    self.finish()
                    return
                offset, last = 0, ""
        self._looked_at = offset
        if last in _LAST and offset == len(unread):
            self._answer = child.take_unread()
            child.is_spent = child.is_spent or last in ("error", "failed")
            self._release(client, child)

    def _release(self, client: EngineClient, child: WorkerProcess) -> None:
        if client.limits.files and child.documents >= client.limits.files:
            child.is_spent = True
        client.finish(self._token)

    def receive(self, item: str, seconds: float) -> tuple[Header, list[bytes]]:
        """Return the next frame of the answer. Raises what the child reports, and EngineStopped."""
        if self._failure is not None:
            raise self._failure
        client, child = self._client, self._child
        assert client is not None
        assert child is not None
        if self._answer is None:
            if client.token is not self._token:
                reason = "another document was opened meanwhile"
                raise EngineStopped(engine=client.title, item=item, reason=reason)
            client.greet(child, item)
            return client.receive(child, item, seconds)
        _pump()
        try:
            header, blobs = unpack(take_from(self._answer), header_cap=ANSWER_HEADER_CAP, cap=ANSWER_CAP)
            if header.get("type") == "error":
                raise error_in(header)
            if header.get("type") == "failed":
                self.stop(item, unexpected(header))
        except (ProtocolError, EOFError) as error:
            self.stop(item, f"its answer was malformed: {error}")
        return header, blobs

    def stop(self, item: str, reason: str) -> NoReturn:
        """Raise EngineStopped with the reason, and use the child no more."""
        client, child = self._client, self._child
        assert client is not None
        assert child is not None
        if self._answer is None:
            client.fail(child, item, reason)
        child.is_spent = True  # it may be at another document by now, and is replaced after that
        raise EngineStopped(engine=client.title, item=item, reason=reason)

    def finish(self, *, is_complete: bool = False) -> None:
        """Let the child go. One that was not heard to the end is ended: its answer may still lie in the pipe."""
        client, child = self._client, self._child
        if client is None or child is None or not self.under_way():
            return
        if is_complete:
            self._release(client, child)
            return
        client.drop()
        client.finish(self._token)


@dataclass(frozen=True, slots=True)
class ToRead:
    """A document to be read. See core.ports.Reader."""

    data: bytes
    name: str
    password: str = ""
    note_marks: bool = False

    def call(self) -> PendingCall:
        """Return the call for it, not begun yet."""
        display_name = clean_text(self.name)
        if len(self.data) > DOCUMENT_CAP:
            raise too_large(display_name)
        head = {"call": "read", "name": display_name, "password": self.password}
        if self.note_marks:
            head["note marks"] = "yes"
        return PendingCall(head, self.data, display_name)

    def answer(self, call: PendingCall) -> Iterator[Outline | PageText | Attachment | LeftOut]:
        """Yield what the reader answers, checked."""
        return document_answer(call)

    def plainly(self, reader: Reader) -> Iterator[Outline | PageText | Attachment | LeftOut]:
        """Read it with a reader that is no child process."""
        return reader.read(self.data, self.name, password=self.password)


def document_answer(call: PendingCall) -> Iterator[Outline | PageText | Attachment | LeftOut]:
    """Yield what a reader answers, checked. Ends the child where it is left early."""
    call.ready()
    display_name, limits = call.item, call.limits
    waiting_before, limit_of_document, number, size = call.waiting_seconds, limits.whole, 0, 0
    outline: Outline | None = None
    has_answer = False  # anything of this call
    inside, inside_bytes, left_out = 0, 0, 0
    pieces: list[bytes] = []
    is_whole = False
    try:
        while True:
            item = f"page {number + 1} of {display_name}" if outline else display_name
            # A format without pages is read as a whole before anything is known about it. Only the time that this
            # process waits counts, not what the caller takes for a page.
            patience = limits.item if has_answer else limit_of_document
            header, blobs = call.receive(
                item, min(patience, max(0.0, limit_of_document - (call.waiting_seconds - waiting_before)))
            )
            kind, has_answer = header.get("type"), True
            try:
                if kind == "outline" and not outline:
                    outline = outline_in(header)
                    limit_of_document = max(limit_of_document, limits.page * outline.pages)
                    yield outline
                elif kind == "page" and outline:
                    page = page_in(header, blobs)
                    number, size = number + 1, size + len(page.text)
                    if page.number != number or number > PAGE_CAP or size > TEXT_CAP:
                        raise ProtocolError("pages out of order or too many")
                    yield page
                elif kind == "attachment" and outline:
                    attachment, more = attachment_in(header, blobs)
                    pieces.append(attachment.data)
                    inside_bytes += len(attachment.data)
                    limit = MAILBOX_CHILDREN_CAP if outline.kind == "pst" else CHILDREN_CAP
                    if inside_bytes > DOCUMENT_CAP or inside >= limit:
                        raise ProtocolError("too much inside")
                    if not more:
                        inside += 1
                        attachment = replace(attachment, data=pieces[0] if len(pieces) == 1 else b"".join(pieces))
                        pieces = []
                        yield attachment
                elif kind == "left out" and outline and not pieces:
                    left_out += 1
                    if left_out > LEFT_OUT_CAP:
                        raise ProtocolError("too many lines of what was left out")
                    yield left_out_in(header)
                elif kind == "end" and outline and not pieces:
                    break
                else:
                    raise ProtocolError("neither outline nor page")
            except ProtocolError as error:
                call.stop(item, f"its answer was malformed: {error}")
        is_whole = True
    except UnreadableDocument:
        is_whole = True
        raise
    finally:
        call.finish(is_complete=is_whole)


def too_large(name: str) -> UnreadableDocument:
    """Return the error for a document that is not read because of its size."""
    return UnreadableDocument(
        reason=f"{name} is larger than {DOCUMENT_CAP // MIB} MB.", remedy="Split it into smaller files and add those."
    )


@dataclass(frozen=True, slots=True)
class ToScan:
    """The picture of a page to be read. See core.ports.OcrEngine."""

    png: bytes
    width: float
    height: float
    languages: tuple[str, ...] = ("eng",)

    def call(self) -> PendingCall:
        """Return the call for it, not begun yet."""
        head = {"call": "ocr", "width": self.width, "height": self.height, "languages": list(self.languages)}
        return PendingCall(head, self.png, "the picture of a page")

    def answer(self, call: PendingCall) -> Callable[[], OcrPage]:
        """Return what waits for the page that the engine answers."""
        return lambda: scan_answer(call)

    def plainly(self, engine: OcrEngine) -> Callable[[], OcrPage]:
        """Read it with an engine that is no child process."""
        return lambda: engine.read(self.png, width=self.width, height=self.height, languages=self.languages)


def scan_answer(call: PendingCall) -> OcrPage:
    """Return what a reader of scans answers, checked."""
    call.ready()
    is_whole = False
    try:
        header, blobs = call.receive(call.item, call.limits.item)
        try:
            if header.get("type") != "ocr":
                raise ProtocolError("no page")
            page = ocr_in(header, blobs)
        except ProtocolError as error:
            call.stop(call.item, f"its answer was malformed: {error}")
        is_whole = True
        return page
    except (UnreadableDocument, BadInput):
        is_whole = True
        raise
    finally:
        call.finish(is_complete=is_whole)


class WorkerPool:
    """Engines of one kind that work side by side at calls taken from ``jobs``, some ahead of their turn."""

    def __init__(self, engines: Sequence[EngineClient], jobs: Iterator[tuple[Any, Any]]) -> None:
        self.calls: deque[tuple[Any, Any, PendingCall | None]] = deque()
        self._engines = engines
        self._jobs = jobs
        self._over: BaseException | None = None  # why no more jobs come
        self._looking = False

    def ahead(self) -> list[PendingCall]:
        """List those whose turn it is not yet, in order."""
        return [call for _, _, call in self.calls if call is not None]

    def children(self) -> list[WorkerProcess]:
        """List those at work whose turn it is not yet."""
        return [child for call in self.ahead() if (child := call.child()) is not None]

    def look(self) -> None:
        """Free the children whose answers are whole, and give the free ones work."""
        if self._looking:
            return
        self._looking = True
        try:
            for call in self.ahead():
                call.look()
            for engine in self._engines:
                while engine.is_free() and self._one_more(engine):
                    pass
        finally:
            self._looking = False

    def _one_more(self, engine: EngineClient) -> bool:
        """Begin the next job. False: there is none, or enough is ahead."""
        if sum(call.size for call in self.ahead()) > _IN_HAND:
            return False
        if self._over is not None or len(self.calls) >= 4 * len(self._engines):
            return False
        self._take(engine)
        return True

    def _take(self, engine: EngineClient | None) -> None:
        """Take the next job, begun if an engine is free. What goes wrong with it is told when its turn comes."""
        try:
            key, job = next(self._jobs)
        except StopIteration as end:
            self._over = end
            return
        except (Exception, Cancelled) as error:
            self._over = error
            return
        call = None
        if job is not None:
            try:
                call = job.call()
                if engine is not None:
                    call.begin(engine)
            except AppError as error:
                call = call or PendingCall({}, b"", "")
                call.fail(error)
        self.calls.append((key, job, call))

    def next(self) -> tuple[Any, Any, PendingCall | None] | None:
        """Return the job whose turn it is, with its call; None when all are done. Raises what went wrong with them."""
        self.look()
        if not self.calls and self._over is None:
            self._take(None)
        if self.calls:
            return self.calls.popleft()
        if isinstance(self._over, StopIteration):
            return None
        assert self._over is not None
        raise self._over

    def begin(self, call: PendingCall) -> None:
        """Begin a call whose turn it is and which no child is at."""
        deadline = time.monotonic() + max(engine.limits.whole for engine in self._engines)
        while not any(engine.is_free() for engine in self._engines) and time.monotonic() < deadline:
            # All are ahead with other work of this thread: one is free as soon as its answer is whole and lies here.
            ahead = [call for pool in pools_of_thread() for call in pool.ahead() if call.under_way()]
            if all(reading.full() for reading in ahead):
                break
            exchange([child for reading in ahead if (child := reading.child()) is not None], seconds=0.1)
            for reading in ahead:
                reading.look()
        engine = next((engine for engine in self._engines if engine.is_free()), self._engines[-1])
        call.begin(engine)

    def end(self) -> None:
        """Let go of every call that is under way or waits."""
        for _, _, call in self.calls:
            if call is not None:
                call.finish()


def _pump() -> None:
    """Let the children at work go on while this process is busy with what lies here already."""
    pools = pools_of_thread()
    children = [child for pool in pools for child in pool.children()]
    if children:
        exchange(children, seconds=0)
        pools[-1].look()


def _side_by_side(engines: Sequence[Any], jobs: Iterable[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
    if not all(isinstance(engine, EngineClient) for engine in engines):
        for key, job in jobs:
            yield key, None if job is None else job.plainly(engines[0])
        return
    with contextlib.suppress(AppError):
        engines[0].about("its start")  # so that one that cannot start with all it is denied starts with less
    for engine in engines[1:]:
        engine.options["loose"] = engines[0].options.get("loose", False)
    pool = WorkerPool(engines, iter(jobs))
    pools = pools_of_thread()
    pools.append(pool)
    try:
        while (turn := pool.next()) is not None:
            key, job, call = turn
            if call is None:
                yield key, None
                continue
            call.pool = pool
            try:
                yield key, job.answer(call)
            finally:
                call.finish()
    finally:
        pools.remove(pool)
        pool.end()


def read_documents(
    readers: Sequence[Reader], jobs: Iterable[tuple[Key, ToRead | None]]
) -> Iterator[tuple[Key, Iterator[Outline | PageText | Attachment | LeftOut] | None]]:
    """Yield what ``Reader.read`` gives for each document, in the order of ``jobs``; the readers work side by side.

    Documents are taken from ``jobs`` ahead of their turn, as readers are free; a job without a document (None) only
    keeps its place. What cannot be read is told when the answer is iterated. An answer is to be used before the next
    one is asked for. May be nested: what is inside a document can be read by the same readers meanwhile.
    """
    return _side_by_side(readers, jobs)


def read_scans(
    engines: Sequence[OcrEngine], jobs: Iterable[tuple[Key, ToScan | None]]
) -> Iterator[tuple[Key, Callable[[], OcrPage] | None]]:
    """Yield what ``OcrEngine.read`` gives for each picture, in the order of ``jobs``; the engines work side by side.

    The same as ``read_documents``. The page, or the error, comes when the answer is called.
    """
    return _side_by_side(engines, jobs)
