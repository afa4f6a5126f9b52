"""The child's side: builds the real engine and serves it until the program lets go."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from core import paths, refuse_connections
from core.documents import left_out_parts
from core.domain import LeftOut
from core.errors import AppError
from core.model_files import stamps
from core.ports import (
    Attachment,
    Embedder,
    Judge,
    NameFinder,
    OcrEngine,
    Outline,
    Reader,
    Reranker,
    StatementReader,
    TextModel,
    Writer,
)
from core.workers import system
from core.workers.frames import DOCUMENT_CAP, MIB, REQUEST_HEADER_CAP, Header, pack, unpack
from core.workers.probe import attempt
from core.workers.sandbox import enter_sandbox
from core.workers.wire.documents import attachment_out, left_out_out, outline_out, page_out, picture_out, report_out
from core.workers.wire.errors import error_out
from core.workers.wire.matrices import matrix_out
from core.workers.wire.names import spans_out
from core.workers.wire.ocr import ocr_out
from core.workers.wire.sandbox import attempts_out
from core.workers.wire.statements import bearing_out, reply_out
from core.workers.wire.vectors import lengths_out, matches_out, scores_out, vectors_out
from core.workers.wire.verdicts import probabilities_out

Factory = Callable[
    [Mapping[str, Any]],
    Reader | Embedder | Reranker | NameFinder | Judge | StatementReader | TextModel | Writer | OcrEngine,
]


def _reader(_options: Mapping[str, Any]) -> Reader:
    from core.engines.readers.dispatch import FileReader

    return FileReader()


def _embedder(options: Mapping[str, Any]) -> Embedder:
    from core.engines.embedding import bert_onnx
    from core.model_files.embedding_folder import look_at

    folder = look_at(Path(options["folder"]))
    if bert_onnx.fits(folder):
        return bert_onnx.EncoderEmbedder(folder)
    # Where torch would keep what it compiles, which here is nothing: it asks for a folder that is there.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = options["folder"]
    from core.engines.embedding.sentence_transformer import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(folder)


def _reranker(options: Mapping[str, Any]) -> Reranker:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = options["folder"]
    from core.engines.embedding.late_interaction import MultiVectorReranker

    return MultiVectorReranker(Path(options["folder"]))


def _names(options: Mapping[str, Any]) -> NameFinder:
    from core.engines.names.spacy_names import SpacyNames

    return SpacyNames(Path(options["folder"]))


def _judge(options: Mapping[str, Any]) -> Judge:
    from core.model_files import gguf

    model = Path(options["model"])
    if gguf.trained_to_judge(gguf.check(model)):
        from core.engines.cross_encoder.judge import EncoderJudge

        return EncoderJudge(model, **_how(options))
    from core.engines.llm.llama import LlamaJudge

    return LlamaJudge(model, **_how(options), kernels=str(options.get("kernels") or ""))


def _statements(options: Mapping[str, Any]) -> StatementReader:
    from core.engines.cross_encoder.statements import StatementReader as Engine

    return Engine(Path(options["model"]), Path(options["heads"]))


def _text_model(options: Mapping[str, Any]) -> TextModel:
    from core.engines.llm.llama import LlamaText

    return LlamaText(Path(options["model"]), **_how(options))


def _how(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"sha256": str(options.get("sha256") or ""), "plain": bool(options.get("plain"))}


def _writer(_options: Mapping[str, Any]) -> Writer:
    from core.engines.report_writers.dispatch import FileWriter

    return FileWriter()


def _ocr(options: Mapping[str, Any]) -> OcrEngine:
    from core.engines.ocr.two_engines import build

    return build(Path(options["folder"]) if options["folder"] else None)


ENGINES: Mapping[str, Factory] = {
    "reader": _reader,
    "embedder": _embedder,
    "reranker": _reranker,
    "names": _names,
    "judge": _judge,
    "statements": _statements,
    "text": _text_model,
    "writer": _writer,
    "ocr": _ocr,
}


def main(argv: Sequence[str], *, engines: Mapping[str, Factory] = ENGINES) -> int:
    """Be the child, with KIND and a JSON object of options.

    Serves calls until its input closes; returns an exit code.
    """
    kind, options = argv[0], json.loads(argv[1])
    pipe = _Pipe.take_over()
    system.stay_with_parent(int(options.get("lifeline", -1)))
    system.limit(int(options.get("memory") or 0))
    places = [options[key] for key in ("folder", "model") if options.get(key)]
    sandbox = enter_sandbox(
        [*places, str(paths.models())], files=not options.get("loose"), memory=int(options.get("memory") or 0)
    )
    if not sandbox.network:
        refuse_connections()
    try:
        stamp = stamps.stamp(places)
        engine = engines[kind](options)
        hello = {
            "type": "ready",
            "fingerprint": engine.fingerprint,
            "dimensions": getattr(engine, "dimensions", 0),
            "confined": asdict(sandbox),
        }
        if places:  # its name is that of what was read
            stamps.require(stamp, places, Path(places[0]))
        pipe.write(pack(hello))
    except AppError as error:
        pipe.write(error_out(error))
        return 1
    except Exception as error:
        _note(error)
        pipe.write(pack({"type": "failed", "what": type(error).__name__}))
        return 1
    while True:
        try:
            header, blobs = unpack(pipe.exactly, header_cap=REQUEST_HEADER_CAP, cap=DOCUMENT_CAP)
        except EOFError:
            return 0
        system.limit_processor(int(options.get("processor") or 0))
        try:
            for frame in HANDLERS[header["call"]](engine, header, blobs):
                pipe.write(frame)
        except AppError as error:
            pipe.write(error_out(error))
        except BrokenPipeError:
            return 0
        except Exception as error:
            _note(error)
            pipe.write(pack({"type": "failed", "what": type(error).__name__}))


_document: list[bytes] = []  # in the child: the document of the last picture


def _read(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    _document.clear()
    marks = {"note_marks": True} if header.get("note marks") else {}
    ledger = left_out_parts.Ledger()
    for item in engine.read(blobs.pop(), header["name"], password=header["password"], **marks):
        match item:
            case Attachment():
                yield from attachment_out(item)
            case LeftOut():
                ledger.add(item)
            case Outline():
                yield outline_out(item)
            case _:
                yield page_out(item)
    yield from map(left_out_out, ledger.lines())
    yield pack({"type": "end"})


def _render(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    if blobs:
        _document[:] = blobs
    arguments = {"scale": header["scale"], "password": header["password"]}
    if header["clip"] is not None:
        arguments["clip"] = tuple(header["clip"])
    yield picture_out(engine.render(_document[0], header["name"], header["page"], **arguments))


def _matrix(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield from matrix_out(engine.read_matrix(blobs.pop(), header["name"], choose=header["choose"]))


def _crop(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    if blobs:
        _document[:] = blobs
    boxes = [tuple(box) for box in header["boxes"]]
    arguments = {"scale": header["scale"], "password": header["password"]}
    yield picture_out(engine.crop(_document[0], header["name"], header["page"], boxes, **arguments))


def _write(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    pictures, offset = {}, 0
    for name, length in header["pictures"]:
        pictures[name] = blobs[1][offset : offset + length]
        offset += length
    yield report_out(engine.write(header["form"], blobs[0], pictures))


def _scan(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    size = {"width": header["width"], "height": header["height"]}
    yield ocr_out(engine.read(blobs.pop(), **size, languages=tuple(header["languages"])))


def _embed(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    embed = engine.embed_queries if header["queries"] else engine.embed
    yield vectors_out(embed(header["texts"]))


def _pieces(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield lengths_out(engine.pieces(header["texts"]))


def _token_matches(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield matches_out(engine.token_matches(header["query"], header["texts"]))


def _score(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield scores_out(engine.score(header["query"], header["passages"]))


def _spans(engine: Any, header: Header, blobs: list[bytes]) -> Iterator[list[bytes]]:
    texts, offset = [], 0
    for length in header["lengths"]:
        texts.append(blobs[0][offset : offset + length].decode("utf-8"))
        offset += length
    yield spans_out(engine.find(texts))


def _verdicts(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield probabilities_out(engine.judge(header["passage"], header["hypotheses"]))


def _bearing(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield bearing_out(engine.bearing(header["passage"], header["sentence"]))


def _reply(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield reply_out(engine.reply(header["passage"], header["question"]))


def _speed(engine: Any, _header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield pack({"type": "speed", "speed": engine.speed()})


def _attempts(_engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield attempts_out(attempt(header["outside"]))


def _word(engine: Any, header: Header, _blobs: list[bytes]) -> Iterator[list[bytes]]:
    yield pack({"type": "worded", "text": engine.write(header["order"], header["material"], most=header["most"])})


HANDLERS: Mapping[str, Callable[[Any, Header, list[bytes]], Iterator[list[bytes]]]] = {
    "read": _read,
    "render": _render,
    "crop": _crop,
    "write": _write,
    "matrix": _matrix,
    "ocr": _scan,
    "embed": _embed,
    "pieces": _pieces,
    "token matches": _token_matches,
    "score": _score,
    "names": _spans,
    "judge": _verdicts,
    "bearing": _bearing,
    "reply": _reply,
    "word": _word,
    "speed": _speed,
    "attempt": _attempts,
}


@dataclass(slots=True)
class _Pipe:
    """The child's ends of the two pipes, moved away from the standard numbers."""

    source: int
    sink: int
    _whole: list[bytes] = field(default_factory=list)

    @classmethod
    def take_over(cls) -> _Pipe:
        """Whatever a library prints to standard output goes to standard error; what it reads is empty."""
        source, sink = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        system.read_as_bytes((source, sink))
        return cls(source, sink)

    def exactly(self, count: int) -> bytes:
        chunk = bytearray()
        while len(chunk) < count:
            more = os.read(self.source, min(count - len(chunk), MIB))
            if not more:
                raise EOFError
            chunk += more
        return bytes(chunk)

    def write(self, frame: Sequence[bytes]) -> None:
        for part in frame:
            view = memoryview(part)
            while view:
                view = view[os.write(self.sink, view) :]


def _note(error: Exception) -> None:
    """Write where it happened to standard error, without the message, which may quote the document."""
    trace, places = error.__traceback__, []
    while trace is not None:
        places.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    print(type(error).__name__, "at", " < ".join(reversed(places)), file=sys.stderr)
