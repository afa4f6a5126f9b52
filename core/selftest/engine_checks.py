"""Checks of the engines, each on something small whose answer is known, and of what each child is kept from."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from math import sqrt
from operator import mul
from pathlib import Path

from core import cpu, paths
from core.model_files import gguf
from core.ports import Embedder, Judge, OcrPage
from core.runtime import launch
from core.selftest import small_files
from core.selftest.parts import FETCH, REINSTALL, PartFailed, PartLeftOut
from core.selftest.small_files import SENTENCE
from core.selftest.trial import Trial
from core.verdicts import labels
from core.workers import sandbox
from core.workers.client import EngineClient
from core.workers.engines import JudgeClient
from core.workers.probe import Attempts

Check = Callable[[Trial], str]

QUESTION = "When did the pump fail?"
OTHER_SENTENCE = "Apples are sold by the kilogram on the market square."
PASSAGE = (
    "The inquiry found that the level gauge of tank 7 had been stuck since the evening before, so that pumping went "
    "on. The independent alarm was in working order and sounded at once."
)
SUPPORTED = "The level gauge of tank 7 was stuck."
CONTRADICTED = "The independent alarm did not sound."
PERSON = "Barack Obama"
_NEARER = 0.1  # the least by which the sentence must be nearer to the question than the other one
_MISSING = "It is not on this computer."
_SAME_PROCESS = "It does not run in a process of its own."
_ENGINES = {"tesseract": "Tesseract", "pp-ocr": "PP-OCR"}
_CHILDREN = {
    "reader": "document reader",
    "ocr": "reader of scans",
    "embedder": "search model",
    "judge": "judge",
    "writer": "report writer",
    "names": "model for names",
    "reranker": "ranking model",
    "second_reader": "second reader",
    "text_model": "model that writes drafts",
}
_OWN_FILES = ("settings.json", "recent.json", "window.ini")
_ALWAYS = ("reader", "ocr", "embedder", "judge", "writer")


def checks(trial: Trial) -> Iterator[tuple[str, Check]]:
    """List the checks of the engines, in their order."""
    for file, kind in small_files.FILES.items():
        yield f"Reading: {kind}", partial(read_file, name=file)
    yield "Drawing: a page", draw_page
    for key, name in _ENGINES.items():
        yield f"Scans: {name}", partial(read_scan, engine=key)
    yield "Search model", compare_meanings
    yield "Judge", judge_pair
    yield "Judge: one set of libraries", one_set_of_libraries
    for folder in cpu.narrower():
        yield f"Judge: kernels of {folder.name}", partial(judge_with_kernels, folder=folder)
    yield "Names", find_name
    yield "Ranking model", rank_passages
    yield "Second reader", judge_pair_again
    yield "Model that writes drafts", write_draft
    yield "torch", look_for_torch
    for field, title in _CHILDREN.items():
        if field in _ALWAYS or getattr(trial.engines, field) is not None:
            yield f"Kept apart: {title}", partial(try_to_leave, field=field)


def read_file(trial: Trial, name: str) -> str:
    """Have the reader read one small file."""
    try:
        data = small_files.load(name)
    except OSError as error:
        raise PartFailed(f"The file {name} is missing from the program ({error.strerror}).") from error
    password = small_files.PASSWORD if name == small_files.LOCKED else ""
    pages, text = small_files.text_of(trial.engines.reader.read(data, name, password=password))
    if name not in small_files.PICTURES and SENTENCE not in text:
        raise PartFailed("It was read, but its sentence was not found.")
    if name in small_files.PICTURES and pages != 1:
        raise PartFailed(f"It has one page, and {pages} were read.")
    if name in small_files.PICTURES:
        return "its page is there"
    return "its sentence is there"


def draw_page(trial: Trial) -> str:
    """Have the viewer draw the page of the small PDF."""
    viewer = trial.engines.viewer or trial.engines.reader
    picture = viewer.render(small_files.load("note.pdf"), "note.pdf", 1, scale=1.0)
    if not picture.png.startswith(b"\x89PNG") or picture.width < picture.height:
        raise PartFailed("The picture of the page is not what it should be.")
    return f"{picture.width} x {picture.height} pixels"


def read_scan(trial: Trial, engine: str) -> str:
    """Have both engines read the scan, once, and compare the reading of ``engine`` with what is in it."""
    if trial.engines.ocr is None:
        raise PartFailed(_MISSING)
    if trial.scan is None:
        width, height = small_files.SCAN_SIZE
        trial.scan = trial.engines.ocr.read(small_files.load(small_files.SCAN), width=width, height=height)
    reading = _reading_of(trial.scan, engine)
    if reading is None:
        raise PartFailed(f"{_MISSING} {launch.ocr_note()}".strip())
    if _letters(reading.text) != _letters(SENTENCE):
        raise PartFailed(f"It read “{reading.text[:80]}” instead of “{SENTENCE}”.")
    return f"every word of the scan, confidence {reading.confidence:.2f}"


def _reading_of(page: OcrPage, engine: str) -> OcrPage | None:
    readings = page.readings or (page,)
    return next((reading for reading in readings if reading.engine.startswith(engine)), None)


def _letters(text: str) -> str:
    """Return a text without blanks and marks: engines differ in them on a clean scan, and in nothing else."""
    return "".join(filter(str.isalnum, text)).casefold()


def compare_meanings(trial: Trial) -> str:
    """Have the search model say which of two sentences answers a question."""
    embedder: Embedder | None = trial.engines.embedder
    if embedder is None:
        raise PartFailed(_MISSING, FETCH)
    vectors = [array("f", vector) for vector in embedder.embed([SENTENCE, OTHER_SENTENCE])]
    (question,) = (array("f", vector) for vector in embedder.embed_queries([QUESTION]))
    lengths = [sqrt(_product(vector, vector)) for vector in (question, *vectors)]
    if any(abs(length - 1.0) > 1e-3 for length in lengths):
        raise PartFailed("Its vectors do not have length 1.")
    near, far = (_product(question, vector) for vector in vectors)
    if near < far + _NEARER:
        raise PartFailed(f"It takes the wrong sentence for as near as the right one ({near:.2f} and {far:.2f}).")
    return f"{embedder.dimensions} numbers a text; right sentence {near:.2f}, wrong one {far:.2f}"


def _product(left: array[float], right: array[float]) -> float:
    return float(sum(map(mul, left, right)))


def judge_pair(trial: Trial) -> str:
    """Have the judge judge two hypotheses whose verdicts are known."""
    if trial.engines.judge is None:
        raise PartFailed(_MISSING, FETCH)
    return judge_known_pair(trial.engines.judge)


def judge_pair_again(trial: Trial) -> str:
    """Have the second reader judge the same."""
    if trial.engines.second_reader is None:
        raise PartLeftOut("not installed", "no second reader is chosen; each verdict is of one model")
    return judge_known_pair(trial.engines.second_reader)


def judge_known_pair(judge: Judge) -> str:
    """Return what a judge says of the pair. Raises PartFailed for other verdicts than those that are known."""
    first, second = judge.judge(PASSAGE, [SUPPORTED, CONTRADICTED])
    words = f"supports {first.supports:.2f}, contradicts {second.contradicts:.2f}"
    if [labels.label(first, 0.0), labels.label(second, 0.0)] != ["supports", "contradicts"]:
        raise PartFailed(f"It does not give the verdicts that are known: {words}.")
    return f"both verdicts are right: {words}"


def one_set_of_libraries(trial: Trial) -> str:
    """Look which libraries the judge's process has loaded: all from the folder that fits this processor."""
    judge = trial.engines.judge
    if judge is None:
        raise PartFailed(_MISSING, FETCH)
    _leave_out_encoder(trial.engines.judge_file)
    libraries = _attempts(judge, trial).libraries
    if not libraries:
        if sys.platform != "linux":
            raise PartLeftOut("not available", "this system does not tell which libraries a process has loaded")
        raise PartFailed("The judge can be asked, but none of its libraries is in its memory.")
    return check_libraries(libraries, cpu.folders())


def judge_with_kernels(trial: Trial, folder: Path) -> str:
    """Have a judge of its own judge the same with kernels for a processor that can do less than this one."""
    judge = trial.engines.judge
    if not isinstance(judge, JudgeClient):
        raise PartFailed(_MISSING if judge is None else _SAME_PROCESS, FETCH)
    _leave_out_encoder(trial.engines.judge_file)
    slower_judge = judge.with_kernels(folder)
    try:
        words = judge_known_pair(slower_judge)
        libraries = _attempts(slower_judge, trial).libraries
    finally:
        slower_judge.close()
    if libraries:
        check_libraries(libraries, [folder])
    return words


def _leave_out_encoder(file: Path | None) -> None:
    """Leave out what concerns the libraries of language models, where the judge is none. Raises PartLeftOut."""
    if file is not None and gguf.trained_to_judge(gguf.check(file)):
        raise PartLeftOut("not available", "the judge in use is no language model and needs none of these libraries")


def check_libraries(libraries: tuple[str, ...], own_folders: list[Path]) -> str:
    """Return from which folder all ``libraries`` come. Raises PartFailed for several, or a foreign one."""
    folders = sorted({str(Path(library).resolve().parent) for library in libraries})
    if len(folders) > 1:
        raise PartFailed(f"They come from {len(folders)} folders: {', '.join(folders)}.")
    if folders[0] not in [str(folder.resolve()) for folder in own_folders]:
        raise PartFailed(f"They come from {folders[0]}, which is none of the program's.")
    return f"{len(libraries)} from {Path(folders[0]).name}"


def find_name(trial: Trial) -> str:
    """Have the model for names find a person's name."""
    if trial.engines.names is None:
        if find_spec("spacy") is None:
            raise PartLeftOut("not installed", "spaCy; names are suggested without a model")
        raise PartLeftOut("not installed", "no model for names is chosen; they are suggested without one")
    text = f"{PERSON} was in Berlin on Monday."
    (names,) = trial.engines.names.find([text])
    if not any(text[name.start : name.end] == PERSON for name in names):
        raise PartFailed(f"It does not find the name in “{text}”", "Choose another model for names.")
    return f"{len(names)} names found"


def rank_passages(trial: Trial) -> str:
    """Have the ranking model say which of two sentences answers a question."""
    if trial.engines.reranker is None:
        raise PartLeftOut("not installed", "no ranking model is chosen; passages are ranked without one")
    near, far = trial.engines.reranker.score(QUESTION, [SENTENCE, OTHER_SENTENCE])
    if near <= far:
        raise PartFailed("It ranks the wrong sentence first.", "Choose another ranking model, or search without one.")
    return f"right sentence {near:.2f}, wrong one {far:.2f}"


def write_draft(trial: Trial) -> str:
    """Have the model that writes drafts write a few words."""
    if trial.engines.text_model is None:
        raise PartLeftOut("not installed", "no model is chosen that writes drafts; you write them yourself")
    text = trial.engines.text_model.write("Say in one short sentence what happened.", SENTENCE, most=24)
    if not text.strip():
        raise PartFailed("It wrote nothing.", "Choose another model for drafts.")
    return f"{len(text.split())} words"


def look_for_torch(_trial: Trial) -> str:
    """Return whether the library is here that search models of other people may need."""
    if find_spec("torch") is None:
        raise PartLeftOut("not installed", "only other search models than the program's own may need it")
    try:
        return f"version {metadata.version('torch')}; only other search models than the program's own may need it"
    except metadata.PackageNotFoundError as error:
        raise PartFailed("It is here, but its version is not known.") from error


def try_to_leave(trial: Trial, field: str) -> str:
    """Have a child try what it is to be kept from."""
    engine = getattr(trial.engines, field)
    if engine is None:
        raise PartFailed(_MISSING, FETCH if field in ("embedder", "judge") else REINSTALL)
    attempts = _attempts(engine, trial)
    files, calls = sandbox.available()
    refusals = (
        ("reach a network", attempts.network, calls),
        ("read your files", attempts.reading, files),
        ("write files", attempts.writing, files),
        ("start a program", attempts.programs, calls),
    )
    successes = [what for what, is_refused, can_be in refusals if can_be and not is_refused]
    if successes:
        raise PartFailed(f"It could {' and '.join(successes)}, which this system can refuse.")
    open_ways = [what for what, is_refused, _ in refusals if not is_refused]
    if open_ways:
        raise PartLeftOut("not available", f"this system has nothing to refuse it to {', '.join(open_ways)}")
    return "tried and refused: network, reading, writing, starting a program"


def _attempts(engine: object, trial: Trial) -> Attempts:
    if not isinstance(engine, EngineClient):
        raise PartFailed(_SAME_PROCESS)
    outside = trial.folder / "none-of-its-business.txt"
    outside.write_text("A child that can read this can read everything of this person.\n", "utf-8")
    attempts = engine.attempt(outside)
    # Settings and lists lie beside the program itself where it is portable.
    own_files = [file for file in (paths.user_data() / name for name in _OWN_FILES) if file.is_file()]
    for file in own_files[:1]:
        report = engine.attempt(file)
        attempts = replace(
            attempts, reading=attempts.reading and report.reading, writing=attempts.writing and report.writing
        )
    return attempts
