"""The engines of ``core.ports``, each in a child process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core import paths
from core.domain import Bearing, LeftOut, PageText, Probabilities, Reply
from core.errors import AppError, BadInput, CannotRunHere, EngineStopped, ModelUnreadable, SeveralMatrices
from core.model_files import crash_history, gguf
from core.ports import Attachment, FileRow, FoundName, MatrixFile, OcrPage, Outline, Picture
from core.workers.client import Answer, EngineClient, Limits, Reading
from core.workers.frames import (
    DOCUMENT_CAP,
    LONE_SURROGATES,
    MIB,
    Header,
    ProtocolError,
    checked_number,
    clean_text,
    pack,
    text_field,
)
from core.workers.pool import ToRead, ToScan, document_answer, scan_answer, too_large
from core.workers.process import WorkerProcess
from core.workers.wire.documents import picture_in, report_in
from core.workers.wire.matrices import ROWS_CAP, matrix_end_in, matrix_head_in, matrix_row_in
from core.workers.wire.names import spans_in
from core.workers.wire.statements import bearing_in, reply_in
from core.workers.wire.vectors import lengths_in, matches_in, scores_in, vectors_in
from core.workers.wire.verdicts import probabilities_in

MATRIX_CAP = 32 * MIB  # a matrix made elsewhere on its way into a child
BOXES_CAP = 1_000  # lines of a quote that are boxed
# A child costs a second of processor before its first page; its memory does not grow from the 200th document on.
READER_LIMITS = Limits(memory=2 << 30, files=500, processor=1_800)
# A report of 5,000 rows takes a minute; typesetting maps a file for each font of the computer.
WRITER_LIMITS = Limits(item=600.0, whole=600.0, memory=4 << 30)
# A page takes three to fifteen seconds; each engine has a limit of its own, which it names when it is reached.
OCR_LIMITS = Limits(item=150.0, whole=150.0, memory=4 << 30, files=500, processor=1_800)


class ReaderClient(EngineClient):
    """The document reader in a child process. See core.ports.Reader."""

    kind = "reader"
    title = "document reader"
    limits = READER_LIMITS

    def __init__(self, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({}, command=command, limits=limits)

    def read(
        self, data: bytes, name: str, *, password: str = "", note_marks: bool = False
    ) -> Iterator[Outline | PageText | Attachment | LeftOut]:
        """Yield the outline, then page after page as the child finds them. Leaving early ends the child."""
        call = ToRead(data, name, password, note_marks).call()
        call.begin(self, greet=True)
        yield from document_answer(call)

    def render(
        self,
        data: bytes,
        name: str,
        page: int,
        *,
        scale: float,
        password: str = "",
        clip: tuple[float, float, float, float] | None = None,
    ) -> Picture:
        """Return a page as a picture.

        The child keeps the document, so that turning its pages does not send it again.
        """
        part = None if clip is None else list(clip)
        return self._picture(data, name, page, {"call": "render", "scale": scale, "password": password, "clip": part})

    def crop(
        self,
        data: bytes,
        name: str,
        page: int,
        boxes: Sequence[tuple[float, float, float, float]],
        *,
        scale: float,
        password: str = "",
    ) -> Picture:
        """Cut a part out of a page.

        Pages of one document that follow each other are cut out without sending it again.
        """
        corners = [list(box) for box in boxes[:BOXES_CAP]]
        return self._picture(data, name, page, {"call": "crop", "scale": scale, "boxes": corners, "password": password})

    def _picture(self, data: bytes, name: str, page: int, call: Header) -> Picture:
        display_name = clean_text(name)
        item = f"the picture of page {page} of {display_name}"
        if len(data) > DOCUMENT_CAP:
            raise too_large(display_name)
        token = self.begin(item)
        try:
            child = self._ready(item)
            key = f"{len(data)} {hash(data)}"
            is_held = child.holds == key
            if not is_held:
                child.documents += 1
            self.send(child, item, pack({**call, "name": display_name, "page": page}, [] if is_held else [data]))
            child.holds = key
            header, blobs = self.receive(child, item, self.limits.item)
            try:
                picture = picture_in(header, blobs)
            except ProtocolError as error:
                self.fail(child, item, f"its answer was malformed: {error}")
            if self.limits.files and child.documents >= self.limits.files:
                child.is_spent = True
            return picture
        finally:
            self.finish(token)

    def read_matrix(self, data: bytes, name: str, *, choose: str = "") -> MatrixFile:
        """Read a matrix made elsewhere. It is given back only when the child has said that it is whole."""
        display_name = clean_text(name)
        if len(data) > MATRIX_CAP:
            raise BadInput(
                reason=f"{display_name} is larger than {MATRIX_CAP // MIB} MB, too large for a matrix. "
                "Nothing was imported.",
                remedy="Check that it is the right file.",
            )
        token = self.begin(display_name)
        is_whole = False
        try:
            child = self._ready(display_name)
            child.documents += 1
            self.send(
                child, display_name, pack({"call": "matrix", "name": display_name, "choose": choose[:1_000]}, [data])
            )
            rows: list[FileRow] = []
            try:
                header, _ = self.receive(child, display_name, self.limits.item)
                if header.get("type") != "matrix":
                    raise ProtocolError("no matrix")
                head = matrix_head_in(header)
                while True:
                    header, _ = self.receive(child, display_name, self.limits.item)
                    if header.get("type") == "end":
                        problems, left_out = matrix_end_in(header, len(rows))
                        break
                    if header.get("type") != "row" or len(rows) >= ROWS_CAP:
                        raise ProtocolError("neither a row nor the end")
                    rows.append(matrix_row_in(header, len(head.hypotheses)))
            except ProtocolError as error:
                self.fail(child, display_name, f"its answer was malformed: {error}")
            if self.limits.files and child.documents >= self.limits.files:
                child.is_spent = True
            is_whole = True
            return replace(head, rows=tuple(rows), problems=problems, left_out=left_out)
        except (BadInput, SeveralMatrices):
            is_whole = True
            raise
        finally:
            if not is_whole and self.token is token:
                self.drop()
            self.finish(token)


class WriterClient(EngineClient):
    """Sets reports in a child process. See core.ports.Writer."""

    kind = "writer"
    title = "report writer"
    limits = WRITER_LIMITS

    def __init__(self, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({}, command=command, limits=limits)

    def write(self, form: str, report: bytes, pictures: Mapping[str, bytes]) -> bytes:
        """Set a report in the form ``form``; returns the file."""
        item = f"the report as {clean_text(form)[:20].upper()}"
        rows = [[name, len(png)] for name, png in pictures.items()]
        frame = pack({"call": "write", "form": form, "pictures": rows}, [report, b"".join(pictures.values())])
        return self._ask(item, frame, report_in)


class OcrClient(EngineClient):
    """Reads scans in a child process. See core.ports.OcrEngine."""

    kind = "ocr"
    title = "reader of scans"
    limits = OCR_LIMITS

    def __init__(
        self, folder: Path | None = None, *, command: Sequence[str] | None = None, limits: Limits | None = None
    ) -> None:
        data = None if folder is None else str(Path(folder).absolute())
        super().__init__({"folder": data}, command=command, limits=limits)

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        """Read the words off the picture of a page."""
        call = ToScan(png, width, height, languages).call()
        call.begin(self, greet=True)
        return scan_answer(call)


class EmbedderClient(EngineClient):
    """The search model in a child process. See core.ports.Embedder."""

    kind = "embedder"
    title = "search model"

    def __init__(self, folder: Path, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({"folder": str(Path(folder).absolute())}, command=command, limits=limits)

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return int(self.about("its start")["dimensions"])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of passages, in their order."""
        return self._embed(texts, queries=False)

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of queries, in their order."""
        return self._embed(texts, queries=True)

    def pieces(self, texts: Sequence[str]) -> list[int]:
        """Return the lengths of texts in tokens."""
        if not texts:
            return []
        frame = pack({"call": "pieces", "texts": list(texts)})
        return self._ask("a query", frame, lambda header, _: lengths_in(header, len(texts)))

    def token_matches(self, query: str, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return how well each token of a query is met in each text."""
        if not texts:
            return []
        frame = pack({"call": "token matches", "query": query, "texts": list(texts)})
        item = f"{len(texts)} sentences" if len(texts) > 1 else "a sentence"
        return self._ask(item, frame, lambda header, _: matches_in(header, len(texts)))

    def _embed(self, texts: Sequence[str], *, queries: bool) -> list[bytes]:
        if not texts:
            return []
        item = f"{len(texts)} passages" if len(texts) > 1 else "a passage"
        frame = pack({"call": "embed", "texts": list(texts), "queries": queries})
        return self._ask(
            item, frame, lambda header, blobs: vectors_in(header, blobs, len(texts), int(self._hello["dimensions"]))
        )


class RerankerClient(EngineClient):
    """A late-interaction model in a child process. See core.ports.Reranker."""

    kind = "reranker"
    title = "ranking model"

    def __init__(self, folder: Path, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({"folder": str(Path(folder).absolute())}, command=command, limits=limits)

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return how well each passage answers the query; more is better."""
        if not passages:
            return []
        frame = pack({"call": "score", "query": query, "passages": list(passages)})
        return self._ask(f"{len(passages)} passages", frame, lambda header, _: scores_in(header, len(passages)))


_ITEM_TEXT = 100_000  # characters that the limit of time is for


class NamesClient(EngineClient):
    """A model that finds names in a child process. See core.ports.NameFinder."""

    kind = "names"
    title = "model for names"

    def __init__(self, folder: Path, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__({"folder": str(Path(folder).absolute())}, command=command, limits=limits)

    def find(self, texts: Sequence[str]) -> list[tuple[FoundName, ...]]:
        """Find the names in each text, in their order."""
        if not texts:
            return []
        item = f"{len(texts)} texts" if len(texts) > 1 else "a text"
        # Half a character, which JSON and a few file formats can say, becomes one that has the same place.
        utf8 = [LONE_SURROGATES.sub("\ufffd", text).encode("utf-8") for text in texts]
        frame = pack({"call": "names", "lengths": [len(text) for text in utf8]}, [b"".join(utf8)])
        seconds = self.limits.item * max(1.0, sum(map(len, texts)) / _ITEM_TEXT)
        return self._ask(item, frame, lambda header, blobs: spans_in(header, blobs, texts), seconds=seconds)


class LanguageModelClient(EngineClient):
    """A GGUF model in a child process.

    Where its process ends by a fault, it is tried with plain settings, once; what came of it is remembered
    (core.model_files.crash_history).
    """

    harmless_errors = (BadInput,)

    def __init__(
        self, model: Path, *, sha256: str = "", command: Sequence[str] | None = None, limits: Limits | None = None
    ) -> None:
        """Prepare for a file of weights. ``sha256``: what it must have; '' for whatever lies there."""
        self._model = Path(model).absolute()
        super().__init__({"model": str(self._model), "sha256": sha256}, command=command, limits=limits)

    def _ready(self, item: str, *, greet: bool = True) -> WorkerProcess:
        self._fault = ""
        if self.child is None and not self.options.get("plain"):
            outcome, fault = crash_history.outcome_of(self._model)
            if outcome == "never":
                raise CannotRunHere(path=self._model, fault=crash_history.words(fault))
            self.options["plain"] = outcome == "plain"
        try:
            return super()._ready(item, greet=greet)
        except EngineStopped:
            fault = self._fault
            self._refuse_given_up()
            if not fault or self.options.get("plain"):
                raise
        self.options["plain"] = True
        try:
            child = super()._ready(item, greet=greet)
        except EngineStopped as error:
            self.options["plain"] = False
            self._refuse_given_up()
            if not self._fault:
                raise
            crash_history.remember(self._model, "never", self._fault)
            raise CannotRunHere(path=self._model, fault=crash_history.words(self._fault)) from error
        crash_history.remember(self._model, "plain", fault)
        return child

    def _refuse_given_up(self) -> None:
        """Refuse a file that the library ends its process over: no fault of this computer."""
        if self._fault == crash_history.GAVE_UP:
            raise ModelUnreadable(path=self._model, reason="the loader gave up on it", effect=gguf.EFFECT)

    def _answer(self, item: str, frame: Sequence[bytes], read: Reading[Answer], seconds: float) -> Answer:
        """Try a call again with plain settings after a fault in the midst of it, before that is told."""
        try:
            return super()._answer(item, frame, read, seconds)
        except EngineStopped as first:
            fault = self._fault
            if not fault or self.options.get("plain"):
                raise
            self.options["plain"] = True
            try:
                answer = super()._answer(item, frame, read, seconds)
            except AppError:
                # It was the passage, then, and not the settings.
                self.options["plain"] = False
                self.drop()
                raise first from None
            crash_history.remember(self._model, "plain", fault)
            return answer


class JudgeClient(LanguageModelClient):
    """The judging model in a child process. See core.ports.Judge."""

    kind = "judge"
    title = "language model"

    def with_kernels(self, folder: Path) -> JudgeClient:
        """Make another judge of the same file, which runs with the library in ``folder``."""
        sha256 = str(self.options["sha256"])
        again = JudgeClient(self._model, sha256=sha256, command=self._line[:-1], limits=self.limits)
        again.options["kernels"] = str(folder)
        return again

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        """Return the verdict on a passage for each hypothesis."""
        if not hypotheses:
            return []
        frame = pack({"call": "judge", "passage": passage, "hypotheses": list(hypotheses)})
        # The limit is one passage with one hypothesis; many hypotheses get their share each.
        seconds = self.limits.item * max(1.0, len(hypotheses) / 4)
        return self._ask(
            "a passage", frame, lambda header, _: probabilities_in(header, len(hypotheses)), seconds=seconds
        )

    def speed(self) -> float:
        """Tokens that it reads a second; takes some seconds, for a large model a minute."""
        frame = pack({"call": "speed"})
        return self._ask(
            "its speed", frame, lambda header, _: checked_number(header.get("speed")), seconds=self.limits.item * 4
        )


class StatementClient(EngineClient):
    """The program's reader of statements in a child process. See core.ports.StatementReader."""

    kind = "statements"
    title = "statement model"
    harmless_errors = (BadInput,)

    def __init__(self, *, command: Sequence[str] | None = None, limits: Limits | None = None) -> None:
        super().__init__(
            {"model": str(paths.reader()), "heads": str(paths.statement_heads())}, command=command, limits=limits
        )

    def bearing(self, passage: str, sentence: str) -> Bearing:
        """Read a sentence against a passage."""
        frame = pack({"call": "bearing", "passage": passage, "sentence": sentence})
        return self._ask("a sentence", frame, lambda header, _: bearing_in(header, len(sentence)))

    def reply(self, passage: str, question: str) -> Reply:
        """Read a passage for what answers a question."""
        frame = pack({"call": "reply", "passage": passage, "question": question})
        return self._ask("a question", frame, lambda header, _: reply_in(header, len(passage)))


WORDS_CAP = 1_024  # tokens that a text model may be asked for


class TextModelClient(LanguageModelClient):
    """A language model that words drafts, in a child process. See core.ports.TextModel."""

    kind = "text"
    title = "wording model"

    def write(self, order: str, material: str = "", *, most: int = 160) -> str:
        """Write what ``order`` asks for, about ``material``, in at most ``most`` tokens."""
        most = min(most, WORDS_CAP)
        frame = pack({"call": "word", "order": order, "material": material, "most": most})
        seconds = self.limits.item * max(1.0, most / 100)
        return self._ask(
            "a draft", frame, lambda header, _: text_field(header, "text", longest=most * 64), seconds=seconds
        )
