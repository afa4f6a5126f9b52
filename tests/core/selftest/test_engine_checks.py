"""The checks of the engines, each with an engine that does not do what it should."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from core import cpu, settings
from core.domain import PageText, Probabilities
from core.engines.readers.dispatch import FileReader
from core.ports import Engines, FoundName, OcrPage, Outline, Picture
from core.progress import silent
from core.selftest import engine_checks, small_files
from core.selftest.parts import PartFailed, PartLeftOut
from core.selftest.trial import Trial
from core.workers import sandbox
from core.workers.client import EngineClient
from core.workers.engines import JudgeClient
from core.workers.probe import Attempts
from tests.core.engines import tiny_gguf
from tests.fakes import HashEmbedder, ListedNames, ScriptedJudge, WordsReranker

READER = FileReader()


@pytest.fixture
def trial(tmp_path):
    return Trial(Engines(reader=READER), tmp_path, silent())


def with_engines(trial, **engines):
    trial.engines = replace(trial.engines, **engines)
    return trial


class DeafReader(FileReader):
    """Finds a page in everything, and nothing on it."""

    def read(self, data, name, **_options):
        yield Outline("text", 2)
        yield PageText(1, "Something else.")
        yield PageText(2, "")

    def render(self, *_arguments, **_options):
        return Picture(b"no picture", 595, 842, 1.0)


@pytest.mark.parametrize("name", small_files.FILES)
def test_every_small_file_is_read(trial, name):
    assert engine_checks.read_file(trial, name).endswith("is there")


@pytest.mark.parametrize("name", small_files.FILES)
def test_a_reader_that_misses_what_stands_there_fails(trial, name):
    with pytest.raises(PartFailed, match=r"was not found|2 were read"):
        engine_checks.read_file(with_engines(trial, reader=DeafReader()), name)


def test_a_small_file_that_was_not_installed_is_named(trial, monkeypatch, tmp_path):
    monkeypatch.setattr(small_files, "FOLDER", tmp_path)
    with pytest.raises(PartFailed, match=r"note\.rtf is missing from the program"):
        engine_checks.read_file(trial, "note.rtf")


def test_a_page_is_drawn(trial):
    assert engine_checks.draw_page(trial) == "420 x 200 pixels"
    with pytest.raises(PartFailed, match="picture"):
        engine_checks.draw_page(with_engines(trial, viewer=DeafReader()))


# --- scans -----------------------------------------------------------------------------------------------------------


def reading(engine: str, text: str, *readings: OcrPage) -> OcrPage:
    return OcrPage(text, (), (), (), (), 0.9, engine, 0.1, readings)


class Scans:
    fingerprint = "scans 1"

    def __init__(self, page):
        self.page = page
        self.calls = 0

    def read(self, png, *, width, height, languages=("eng",)):
        self.calls += 1
        return self.page


def test_the_scan_is_read_once_for_both_engines(trial):
    first = reading("tesseract 1 5.5", small_files.SENTENCE)
    second = reading("pp-ocr 1", "The pump stopped at02:14 on the fifthof March")
    scans = Scans(reading("both 1: tesseract, pp-ocr", small_files.SENTENCE, first, second))
    with_engines(trial, ocr=scans)
    for engine in ("tesseract", "pp-ocr"):
        assert engine_checks.read_scan(trial, engine) == "every word of the scan, confidence 0.90"
    assert scans.calls == 1


def test_an_engine_that_misreads_the_scan_fails_and_the_other_one_does_not(trial):
    first = reading("tesseract 1 5.5", small_files.SENTENCE)
    second = reading("pp-ocr 1", "The pump stopped at 02:41 on the fifth of March.")
    with_engines(trial, ocr=Scans(reading("both 1", small_files.SENTENCE, first, second)))
    assert engine_checks.read_scan(trial, "tesseract")
    with pytest.raises(PartFailed, match="02:41"):
        engine_checks.read_scan(trial, "pp-ocr")


def test_the_engine_that_is_not_here_fails_and_the_other_one_does_not(trial):
    with_engines(trial, ocr=Scans(reading("pp-ocr 1", small_files.SENTENCE)))
    assert engine_checks.read_scan(trial, "pp-ocr")
    with pytest.raises(PartFailed, match="not on this computer"):
        engine_checks.read_scan(trial, "tesseract")
    trial.scan = None
    with pytest.raises(PartFailed, match="not on this computer"):
        engine_checks.read_scan(with_engines(trial, ocr=None), "pp-ocr")


# --- models ----------------------------------------------------------------------------------------------------------


class LongVectors(HashEmbedder):
    def embed(self, texts):
        return [bytes(4 * self.dimensions) for _ in texts]


class SameVectors(HashEmbedder):
    def _vector(self, text):
        return super()._vector("the same")


def test_a_search_model_must_tell_meanings_apart(trial):
    assert "right sentence" in engine_checks.compare_meanings(with_engines(trial, embedder=HashEmbedder()))
    for embedder, reason in ((LongVectors(), "length 1"), (SameVectors(), "wrong sentence"), (None, "not on this")):
        with pytest.raises(PartFailed, match=reason) as failure:
            engine_checks.compare_meanings(with_engines(trial, embedder=embedder))
        assert failure.value.remedy


class FixedJudge(ScriptedJudge):
    def __init__(self, *answers):
        self.answers = [Probabilities(*answer) for answer in answers]

    def judge(self, passage, hypotheses):
        return self.answers


def test_a_judge_must_give_the_verdicts_that_are_known(trial):
    right = FixedJudge((0.9, 0.05, 0.05), (0.1, 0.8, 0.1))
    note = engine_checks.judge_pair(with_engines(trial, judge=right))
    assert note == "both verdicts are right: supports 0.90, contradicts 0.80"
    wrong = FixedJudge((0.9, 0.05, 0.05), (0.6, 0.3, 0.1))
    with pytest.raises(PartFailed, match=r"contradicts 0\.30"):
        engine_checks.judge_pair(with_engines(trial, judge=wrong))
    with pytest.raises(PartFailed, match="not on this computer"):
        engine_checks.judge_pair(with_engines(trial, judge=None))
    assert engine_checks.judge_pair_again(with_engines(trial, second_reader=right))


class NoNames:
    fingerprint = "no names 1"

    def find(self, texts):
        return [() for _ in texts]


class Obama(NoNames):
    def find(self, texts):
        return [(FoundName(0, 12, "person"),) for _ in texts]


def test_a_model_for_names_that_is_not_chosen_is_no_failure(trial):
    with pytest.raises(PartLeftOut) as absence:
        engine_checks.find_name(trial)
    assert absence.value.state == "not installed"
    assert engine_checks.find_name(with_engines(trial, names=Obama())) == "1 names found"
    with pytest.raises(PartFailed, match="does not find"):
        engine_checks.find_name(with_engines(trial, names=ListedNames({})))


class Backwards(WordsReranker):
    def score(self, query, passages):
        return [-score for score in super().score(query, passages)]


class Silent:
    fingerprint = "silent 1"

    def write(self, order, material="", *, most=160):
        return " "


def test_models_of_the_person_are_tried_where_there_are_any(trial):
    roles = {"Ranking model", "Second reader", "Model that writes drafts"}
    for name, check in engine_checks.checks(trial):
        if name in roles:
            with pytest.raises(PartLeftOut, match="chosen") as absence:
                check(trial)
            assert absence.value.state == "not installed"
    with_engines(trial, reranker=WordsReranker(), second_reader=ScriptedJudge(), text_model=Silent())
    names = [name for name, _ in engine_checks.checks(trial)]
    assert roles < set(names)
    assert "Kept apart: second reader" in names
    assert len(names) == len(set(names))
    assert engine_checks.rank_passages(trial).startswith("right sentence")
    with pytest.raises(PartFailed, match="wrong sentence"):
        engine_checks.rank_passages(with_engines(trial, reranker=Backwards()))
    with pytest.raises(PartFailed, match="wrote nothing"):
        engine_checks.write_draft(trial)


def test_torch_that_is_not_installed_is_no_failure(trial, monkeypatch):
    monkeypatch.setattr(engine_checks, "find_spec", lambda _name: None)
    for check in (engine_checks.look_for_torch, engine_checks.find_name):
        with pytest.raises(PartLeftOut) as absence:
            check(trial)
        assert absence.value.state == "not installed"


# --- what a child is kept from ---------------------------------------------------------------------------------------

REFUSED = Attempts(network=True, reading=True, writing=True, programs=True)


class Child(EngineClient):
    """A child whose attempts came out as it is told."""

    def __init__(self, attempts):
        super().__init__({})
        self.attempts = attempts

    def attempt(self, outside):
        assert outside.read_text("utf-8").startswith("A child that can read this")
        return self.attempts


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("network", "reach a network"),
        ("reading", "read your files"),
        ("writing", "write files"),
        ("programs", "start a program"),
    ],
)
def test_a_child_that_can_do_what_the_system_can_refuse_fails(trial, monkeypatch, field, what):
    monkeypatch.setattr(sandbox, "available", lambda: (True, True))
    with_engines(trial, writer=Child(REFUSED))
    assert engine_checks.try_to_leave(trial, "writer").startswith("tried and refused")
    with_engines(trial, writer=Child(replace(REFUSED, **{field: False})))
    with pytest.raises(PartFailed, match=f"It could {what}, which this system can refuse"):
        engine_checks.try_to_leave(trial, "writer")


def test_the_settings_of_the_person_are_tried_too(trial, monkeypatch):
    class Leaky(Child):
        """Keeps from everything but the person's own folder."""

        def attempt(self, outside):
            return replace(REFUSED, reading=outside.name != "settings.json")

    monkeypatch.setattr(sandbox, "available", lambda: (True, True))
    with_engines(trial, writer=Leaky(REFUSED))
    assert engine_checks.try_to_leave(trial, "writer").startswith("tried and refused")
    settings.save(settings.Settings())
    with pytest.raises(PartFailed, match="read your files"):
        engine_checks.try_to_leave(trial, "writer")


def test_what_a_system_cannot_refuse_is_not_available(trial, monkeypatch):
    monkeypatch.setattr(sandbox, "available", lambda: (False, True))
    with_engines(trial, writer=Child(replace(REFUSED, reading=False, writing=False)))
    with pytest.raises(PartLeftOut, match="nothing to refuse it to read your files, write files") as absence:
        engine_checks.try_to_leave(trial, "writer")
    assert absence.value.state == "not available"
    with_engines(trial, writer=Child(replace(REFUSED, reading=False, network=False)))
    with pytest.raises(PartFailed, match="reach a network"):
        engine_checks.try_to_leave(trial, "writer")


def test_an_engine_in_the_same_process_or_none_fails(trial):
    with pytest.raises(PartFailed, match="process of its own"):
        engine_checks.try_to_leave(trial, "reader")
    with pytest.raises(PartFailed, match="not on this computer"):
        engine_checks.try_to_leave(trial, "judge")


def test_libraries_from_two_folders_or_a_foreign_one_fail(tmp_path):
    wide, narrow = tmp_path / "lib", tmp_path / "lib-avx2"
    one = tuple(str(narrow / name) for name in ("libllama.so", "libggml.so"))
    assert engine_checks.check_libraries(one, [wide, narrow]) == "2 from lib-avx2"
    with pytest.raises(PartFailed, match="from 2 folders"):
        engine_checks.check_libraries((*one, str(wide / "libggml-cpu.so")), [wide, narrow])
    with pytest.raises(PartFailed, match="none of the program's"):
        engine_checks.check_libraries(one, [wide])


def test_other_kernels_must_give_the_same_verdicts_and_be_those_that_were_asked_for(trial, monkeypatch, tmp_path):
    class Kernels(JudgeClient):
        """Answers like ``model``, with libraries of the folder ``used``; remembers that it was closed."""

        is_closed = False

        def __init__(self, model, used):
            super().__init__(tmp_path / "model.gguf")
            self.model, self.used = model, used

        def with_kernels(self, folder):
            assert folder == tmp_path / "lib-avx2"
            return self

        def judge(self, passage, hypotheses):
            return self.model.judge(passage, hypotheses)

        def attempt(self, outside):
            return replace(REFUSED, libraries=(str(tmp_path / self.used / "libllama.so"),))

        def close(self):
            self.is_closed = True

    right, wrong = FixedJudge((0.9, 0.05, 0.05), (0.1, 0.8, 0.1)), FixedJudge((0.1, 0.8, 0.1), (0.1, 0.8, 0.1))
    check = partial(engine_checks.judge_with_kernels, trial, tmp_path / "lib-avx2")
    for model, used, reason in ((right, "lib", "none of the program's"), (wrong, "lib-avx2", "not give the verdicts")):
        judge = Kernels(model, used)
        with_engines(trial, judge=judge)
        with pytest.raises(PartFailed, match=reason):
            check()
        assert judge.is_closed
    with_engines(trial, judge=Kernels(right, "lib-avx2"))
    assert check() == "both verdicts are right: supports 0.90, contradicts 0.80"
    for judge, reason in ((None, "not on this computer"), (right, "process of its own")):
        with pytest.raises(PartFailed, match=reason):
            engine_checks.judge_with_kernels(with_engines(trial, judge=judge), tmp_path)
    monkeypatch.setattr(cpu, "narrower", lambda: [tmp_path / "lib-avx2"])
    assert "Judge: kernels of lib-avx2" in [name for name, _ in engine_checks.checks(trial)]


def test_a_judge_whose_libraries_cannot_be_seen_fails_on_linux_alone(trial, monkeypatch):
    with_engines(trial, judge=Child(replace(REFUSED, libraries=())))
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(PartFailed, match="none of its libraries"):
        engine_checks.one_set_of_libraries(trial)
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(PartLeftOut, match="does not tell"):
        engine_checks.one_set_of_libraries(trial)
    assert Path(trial.folder, "none-of-its-business.txt").exists()


def test_the_libraries_of_language_models_are_left_out_where_the_judge_is_an_encoder(trial, tmp_path):
    file = tiny_gguf.encoder(tmp_path / "reader.gguf")
    with_engines(trial, judge=JudgeClient(file), judge_file=file)
    for check in (engine_checks.one_set_of_libraries, partial(engine_checks.judge_with_kernels, folder=tmp_path)):
        with pytest.raises(PartLeftOut, match="no language model"):
            check(trial)
