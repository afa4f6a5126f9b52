"""Which engines this program runs with: the one visible choice, for the window and the command line alike."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from core import paths
from core.errors import AppError, LibraryMissing
from core.model_files import spacy_folder
from core.model_files.embedding_folder import ModelFolder, check_reranker, is_there, look_at
from core.model_files.spacy_folder import PipelineFolder
from core.ports import Engines
from core.settings import Settings, load, save
from core.verdicts import exam_results
from core.workers.engines import (
    EmbedderClient,
    JudgeClient,
    NamesClient,
    OcrClient,
    ReaderClient,
    RerankerClient,
    StatementClient,
    TextModelClient,
    WriterClient,
)
from core.workers.sandbox import Sandbox


def build_engines(settings: Settings) -> Engines:
    """Engines in child processes that start at their first use. A model that is not on this computer gives None."""
    folder = settings.embedder_folder
    # One that a person chose is always asked, so that it can say what is wrong with it.
    embedder = EmbedderClient(folder) if settings.embedder or is_there(folder) else None
    folder_before = Path(settings.embedder_before) if settings.embedder_before else folder
    former = EmbedderClient(folder_before) if folder_before != folder and is_there(folder_before) else None
    judge = judge_file(settings)
    second = Path(settings.second_reader) if settings.second_reader else None
    words = Path(settings.text_model) if settings.text_model else None
    many = side_by_side()
    readers = tuple(ReaderClient() for _ in range(many))
    ocrs = tuple(OcrClient() for _ in range(many)) if any(ocr_parts()) else ()
    return Engines(
        reader=readers[0],
        embedder=embedder,
        former=former,
        judge=JudgeClient(judge, sha256=exam_results.sha256_of(judge)) if judge else None,
        viewer=ReaderClient(),
        writer=WriterClient(),
        ocr=ocrs[0] if ocrs else None,
        readers=readers,
        ocrs=ocrs,
        reranker=RerankerClient(Path(settings.reranker)) if settings.reranker else None,
        names=NamesClient(Path(settings.names_model)) if settings.names_model else None,
        search_memory=max(0, settings.search_memory) * 1_000_000,
        examine=True,
        judge_file=judge,
        second_reader=JudgeClient(second, sha256=exam_results.sha256_of(second)) if second else None,
        second_reader_file=second,
        statements=StatementClient() if paths.reader().is_file() and paths.statement_heads().is_file() else None,
        text_model=TextModelClient(words, sha256=exam_results.sha256_of(words)) if words else None,
    )


Client = TypeVar("Client", EmbedderClient, RerankerClient, NamesClient)


def embedder_in(folder: Path) -> EmbedderClient:
    """Return the search model in a folder without loading it. Raises ModelMissing, ModelUnreadable."""
    look_at(folder)
    return EmbedderClient(folder)


def reranker_in(folder: Path) -> RerankerClient:
    """Return the late-interaction model in a folder without loading it.

    Raises ModelMissing, ModelUnreadable, LibraryMissing.
    """
    check_reranker(folder)
    _check_torch("passages are ranked as before")
    return RerankerClient(folder.absolute())


def names_model_in(folder: Path) -> NamesClient:
    """Return the spaCy pipeline in a folder without loading it.

    Raises ModelUnreadable, LibraryMissing without spaCy.
    """
    return NamesClient(_pipeline_in(folder).path.absolute())


def load_model(client: Client) -> Client:
    """Load a model that a person chose: one that cannot be loaded is refused. Raises as the model does."""
    try:
        _ = client.fingerprint
    except BaseException:
        client.close()
        raise
    return client


def choose_embedder(
    engines: Engines, folder: Path | None, *, client: EmbedderClient | None = None
) -> tuple[Engines, ModelFolder]:
    """Search with the model in ``folder`` from now on, on this computer (None: the program's own).

    Cases that were searched with another keep its vectors. ``client`` has it loaded already, else it is loaded here.
    Raises ModelMissing, ModelUnreadable, LibraryMissing, EngineStopped: then everything stays as it was.
    """
    current = load()
    settings = replace(current, embedder=str(folder.absolute()) if folder else "")
    model = look_at(settings.embedder_folder)
    folder_before = current.embedder_folder
    if folder_before.absolute() == settings.embedder_folder.absolute():
        _end(client)
        return engines, model
    if folder is not None and client is None:
        client = load_model(embedder_in(settings.embedder_folder))
    if engines.embedder is not None and folder_before.is_dir():
        settings = replace(settings, embedder_before=str(folder_before.absolute()))
    save(settings)
    for engine in (engines.former, None if folder_before.is_dir() else engines.embedder):
        _end(engine)
    former = engines.embedder if folder_before.is_dir() else None
    return replace(engines, embedder=client or EmbedderClient(settings.embedder_folder), former=former), model


def _pipeline_in(folder: Path) -> PipelineFolder:
    pipeline = spacy_folder.look_at(folder)
    if find_spec("spacy") is None:
        raise LibraryMissing(library="spaCy", effect=spacy_folder.EFFECT, option="--names")
    return pipeline


def choose_names_model(
    engines: Engines, folder: Path | None, *, client: NamesClient | None = None
) -> tuple[Engines, PipelineFolder | None]:
    """Have the spaCy pipeline in ``folder`` find names too from now on, on this computer; None: no model any more.

    ``client`` has it loaded already, else it is loaded here. Raises ModelUnreadable, EngineStopped, LibraryMissing
    where spaCy is not installed: then everything stays as it was.
    """
    pipeline = _pipeline_in(folder) if folder is not None else None
    path = str(pipeline.path.absolute()) if pipeline is not None else ""
    current = load()
    if current.names_model == path and (engines.names is None) == (pipeline is None):
        _end(client)
        return engines, pipeline
    if path and client is None:
        client = load_model(NamesClient(Path(path)))
    save(replace(current, names_model=path))
    _end(engines.names)
    return replace(engines, names=client), pipeline


def choose_reranker(engines: Engines, folder: Path | None, *, client: RerankerClient | None = None) -> Engines:
    """Have the late-interaction model in ``folder`` rank the best passages again, on this computer; None: none does.

    ``client`` has it loaded already, else it is loaded here. Raises ModelMissing, ModelUnreadable, LibraryMissing,
    EngineStopped: then everything stays as it was.
    """
    model = client or (reranker_in(folder) if folder is not None else None)
    path = str(folder.absolute()) if folder is not None else ""
    current = load()
    if current.reranker == path and (engines.reranker is None) == (folder is None):
        _end(client)
        return engines
    if model is not None:
        load_model(model)
    save(replace(current, reranker=path))
    _end(engines.reranker)
    return replace(engines, reranker=model)


def _check_torch(effect: str) -> None:
    """Raise LibraryMissing where the library for models of every shape is not installed."""
    if find_spec("sentence_transformers") is None:
        raise LibraryMissing(library="sentence-transformers", effect=effect, option="")


def side_by_side() -> int:
    """Count the documents read at a time: half the physical cores, at least one, and 1 GB of free memory each.

    The other half is for the person, and for the models that read, search and judge beside it.
    """
    return max(1, min(_cores() // 2, _free_memory() // 1_000_000_000))


def _cores() -> int:
    """Physical cores; where the system does not tell, the processors that it shows."""
    siblings = {
        file.read_text("ascii")
        for file in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    }
    return len(siblings) or os.cpu_count() or 1


def _free_memory() -> int:
    """Bytes that programs can still take; very many where the system does not tell."""
    try:
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return 1 << 40


def ocr_parts() -> tuple[bool, bool]:
    """Return whether Tesseract with language data, and whether PP-OCR are on this computer."""
    first = find_spec("tesserocr") is not None and bool(ocr_languages())
    return first, all(find_spec(part) is not None for part in ("rapidocr", "onnxruntime", "cv2"))


def ocr_languages() -> tuple[str, ...]:
    """List the languages that scans can be read in, by three letters, as data is installed for them."""
    return paths.ocr_languages()


def ocr_note() -> str:
    """One line on what is missing for reading scans; '' where nothing is."""
    match ocr_parts():
        case (True, True):
            return ""
        case (True, False):
            return (
                "Scans are read by Tesseract alone, so there is no second reading to show its errors: "
                "rapidocr is missing."
            )
        case (False, True):
            return (
                "Scans are read by PP-OCR alone, so there is no second reading to show its errors: "
                "Tesseract is missing."
            )
        case _:
            return "Scans cannot be read: neither Tesseract with language data nor rapidocr is on this computer."


def judge_file(settings: Settings) -> Path | None:
    """Return the file of the judge: the one that a person chose, else the program's own; None if that is missing."""
    if settings.judge:
        return Path(settings.judge)
    return paths.reader() if paths.reader().is_file() else None


def interrupt(engines: Engines, thread: int | None = None) -> None:
    """Kill whatever the engines are doing, or do for one thread.

    The waiting verb gets EngineStopped; the next call starts afresh.
    """
    for engine in _all(engines):
        stop = getattr(engine, "interrupt", None)
        if stop is not None:
            stop(thread)


def close(engines: Engines) -> None:
    """End the child processes."""
    for engine in _all(engines):
        _end(engine)


def _end(engine: object) -> None:
    end = getattr(engine, "close", None)
    if end is not None:
        end()


@dataclass(frozen=True, slots=True)
class EngineState:
    """The state of an engine: what it is for, what made its results, and what its process cannot do.

    ``here`` is False for one that is not on this computer. ``sandbox`` and ``fingerprint`` are known once its
    process has started; ``problem`` says why it did not.
    """

    name: str
    purpose: str
    here: bool
    fingerprint: str = ""
    sandbox: Sandbox | None = None
    problem: str = ""

    def facts(self) -> dict[str, object]:
        """Return it under the keys that reports of it have always had."""
        settings_fields = asdict(self)
        return {
            "name": self.name,
            "called": self.purpose,
            "here": self.here,
            "fingerprint": self.fingerprint,
            "confinement": settings_fields["sandbox"],
            "problem": self.problem,
        }


def engine_states(engines: Engines, *, start: bool = False) -> list[EngineState]:
    """List the engines, each with what it is kept from.

    With ``start`` those that do not run yet are started to ask them; it may take seconds for a large model.
    """
    engines_by_name = (
        ("reader", "reading documents", engines.reader),
        ("viewer", "showing pages", engines.viewer),
        ("ocr", "reading scans", engines.ocr),
        ("embedder", "search by meaning", engines.embedder),
        *([("reranker", "ranking passages", engines.reranker)] if engines.reranker else []),
        *([("names", "finding names", engines.names)] if engines.names else []),
        ("judge", "judging passages", engines.judge),
        *([("statements", "reading statements", engines.statements)] if engines.statements else []),
        *([("second_reader", "judging again", engines.second_reader)] if engines.second_reader else []),
        *([("text_model", "writing drafts", engines.text_model)] if engines.text_model else []),
        ("writer", "writing reports", engines.writer),
    )
    return [_state(name, purpose, engine, start) for name, purpose, engine in engines_by_name]


def _state(name: str, purpose: str, engine: Any, start: bool) -> EngineState:
    if engine is None:
        return EngineState(name, purpose, False)
    sandbox = getattr(engine, "sandbox", None)
    if not start and sandbox is None:
        return EngineState(name, purpose, True)
    try:
        fingerprint = engine.fingerprint
    except AppError as error:
        return EngineState(name, purpose, True, sandbox=sandbox, problem=f"{error.sentence} {error.hint}".strip())
    return EngineState(name, purpose, True, fingerprint, getattr(engine, "sandbox", None))


def _all(engines: Engines) -> tuple[object, ...]:
    engines_in_use = (engines.reader, engines.embedder, engines.judge, engines.viewer, engines.writer, engines.ocr)
    models = (engines.reranker, engines.names, engines.former, engines.second_reader, engines.text_model)
    return (*engines_in_use, *models, engines.statements, *engines.readers[1:], *engines.ocrs[1:])
