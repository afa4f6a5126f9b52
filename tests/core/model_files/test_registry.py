"""The language models of a person: added, looked at, given roles, tried, removed; and what is wrong with them."""

from __future__ import annotations

import dataclasses
import os

import pytest

from core import paths, settings
from core.domain import Probabilities
from core.errors import BadInput, EngineStopped, ModelUnreadable, NoSuchItem, NotEnoughMemory
from core.model_files import crash_history, gguf, registry
from core.ports import Engines
from core.progress import Cancelled, Progress
from core.runtime import launch, roles
from core.settings import Settings
from core.verdicts import exam, exam_results, labels
from tests.conftest import GENERATOR, installed
from tests.core.engines import tiny_gguf
from tests.core.verdicts.test_exam_results import KnowingJudge, certain
from tests.fakes import PlainReader

CHATML = ("<|im_start|>", "<|im_end|>")


@pytest.fixture
def file(tmp_path):
    return tiny_gguf.chat(tmp_path / "small.gguf", CHATML, license="apache-2.0")


@pytest.fixture
def engines():
    engines = launch.build_engines(settings.load())
    yield engines
    launch.close(engines)


def passing(sha256: str) -> exam.Result:
    """The result of a judge that knows the answers, under the name of a model of these weights."""
    return exam_results.run_exam(KnowingJudge(f"small F32 sha256:{sha256[:16]} of a test"))


def failing(sha256: str) -> exam.Result:
    class Dull(KnowingJudge):
        def judge(self, passage, hypotheses):
            return [certain("supports") for _ in hypotheses]

    return exam_results.run_exam(Dull(f"small F32 sha256:{sha256[:16]} of a test"))


# --- adding ----------------------------------------------------------------------------------------------------------


def test_a_file_is_copied_and_described(file):
    (model,) = registry.add([file], copy=True).models
    assert model.copied
    assert model.path.parent == registry.folder()
    assert model.path.read_bytes() == file.read_bytes()
    assert model.sha256 == gguf.sha256(file)
    assert (model.name, model.architecture, model.quantisation) == ("small", "llama", "F32")
    assert (model.licence, model.window, model.frame) == ("apache-2.0", 4_096, "ChatML")
    assert model.bytes == file.stat().st_size
    assert model.weights * 4 < model.bytes < model.memory
    assert model.state() == ""
    assert registry.added_models() == [model]
    assert list(registry.folder().glob("*.part")) == []


def test_a_file_may_stay_where_it_is(file):
    (model,) = registry.add([file], copy=False).models
    assert (model.path, model.copied) == (file, False)
    assert not registry.folder().exists()
    registry.remove(model)
    assert registry.added_models() == []
    assert file.exists()  # what is not ours is not deleted


def test_a_copy_goes_with_its_model(file):
    (model,) = registry.add([file], copy=True).models
    registry.remove(model)
    assert not model.path.exists()
    assert file.exists()


def test_the_same_weights_are_added_once(file, tmp_path):
    first = registry.add([file], copy=True).models
    second_file = tmp_path / "other name.gguf"
    second_file.write_bytes(file.read_bytes())
    assert registry.add([second_file, file], copy=True).models == first * 2
    assert len(registry.added_models()) == 1


def test_of_a_folder_every_sound_model_is_added_and_the_others_are_named(file, tmp_path):
    inside = tmp_path / "models" / "deep"
    inside.mkdir(parents=True)
    (inside / "b.GGUF").write_bytes(tiny_gguf.chat(tmp_path / "b.gguf", seed=2).read_bytes())
    (inside / "cut.gguf").write_bytes(file.read_bytes()[:-10])
    (inside / "text.gguf").write_text("no model", "utf-8")
    (inside / "notes.txt").write_text("no model", "utf-8")
    tiny_gguf.adapter(inside / "adapter.gguf", {}, alpha=1.0)
    (tmp_path / "nothing").mkdir()
    added = registry.add([tmp_path / "models", tmp_path / "nothing", tmp_path / "gone.gguf"], copy=False)
    assert [model.name for model in added.models] == ["b"]
    reasons = {problem.where.rpartition("/")[2]: problem.what for problem in added.problems}
    assert "truncated" in reasons["cut.gguf"]
    assert "not a GGUF file" in reasons["text.gguf"]
    assert "it is an adapter" in reasons["adapter.gguf"]
    assert "contains no GGUF file" in reasons["nothing"]
    assert "is not on this computer" in reasons["gone.gguf"]
    assert all(
        "not added" in reason for name, reason in reasons.items() if name in ("cut.gguf", "text.gguf", "adapter.gguf")
    )
    assert all(problem.hint for problem in added.problems)


def test_a_copy_that_does_not_fit_on_the_disk_is_told_before(file, monkeypatch):
    monkeypatch.setattr(registry.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1_000})())
    added = registry.add([file], copy=True)
    assert "MB are free" in added.problems[0].what
    assert "without a copy" in added.problems[0].hint
    assert list(registry.folder().iterdir()) == []


def test_a_cancelled_copy_leaves_nothing(file):
    progress = Progress(lambda *_: progress.cancel())
    with pytest.raises(Cancelled):
        registry.add([file], copy=True, progress=progress)
    assert list(registry.folder().iterdir()) == []
    assert registry.added_models() == []


def test_names_out_of_a_file_are_shown_on_one_line(tmp_path):
    path = tiny_gguf.chat(tmp_path / "odd.gguf", license="a\u202eb\nc" + "d" * 500)
    (model,) = registry.add([path], copy=False).models
    assert model.licence == "a b c" + "d" * 115
    assert registry.look(tiny_gguf.chat(tmp_path / "none.gguf")).licence == registry.NOT_STATED


@pytest.mark.parametrize("spoil", [b"", b"{", b"[]", b'{"models": 3}', b'{"models": [{"path": 1}]}', b"\xff"])
def test_a_broken_list_is_as_good_as_none(file, spoil):
    registry.add([file], copy=True)
    (paths.user_data() / "models.json").write_bytes(spoil)
    assert registry.added_models() == []
    assert len(registry.add([file], copy=True).models) == 1
    assert len(registry.added_models()) == 1


def test_a_model_is_found_by_id_name_and_path(file, tmp_path):
    (model,) = registry.add([file], copy=False).models
    for name in (model.id, model.sha256[:6], model.sha256, "small", str(file)):
        assert registry.find(name) == model
    with pytest.raises(NoSuchItem):
        registry.find("nothing like it")
    same = tmp_path / "again" / "small.gguf"
    same.parent.mkdir()
    registry.add([tiny_gguf.chat(same, seed=5)], copy=False)
    with pytest.raises(BadInput, match="Several models"):
        registry.find("small")


# --- what stands here ------------------------------------------------------------------------------------------------


def test_the_programs_own_judge_stands_in_the_list():
    judge, *rest = roles.list_models()
    assert rest == []
    assert judge.own
    assert judge.roles == ("judge",)
    assert judge.model.path == paths.reader()
    assert (judge.model.name, judge.model.sha256) == (labels.card().name, labels.card().sha256)
    assert "Apache-2.0" in judge.model.licence
    assert judge.problem == ""


def test_without_any_model_the_list_is_empty(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "reader", lambda: tmp_path / "none.gguf")
    assert roles.list_models() == []
    assert launch.build_engines(Settings()).judge is None


def set_up(folder, monkeypatch):
    """A small encoder in the place of the program's judge, and the sum of it on the card."""
    weights, card = tiny_gguf.encoder(folder / paths.READER), labels.card()
    monkeypatch.setattr(paths, "reader", lambda: weights)
    monkeypatch.setattr(labels, "card", lambda: dataclasses.replace(card, sha256=gguf.sha256(weights)))
    return weights


def test_the_programs_own_judge_swapped_on_disk_is_noticed_and_may_not_judge(tmp_path, monkeypatch, engines):
    weights = set_up(tmp_path, monkeypatch)
    expected = labels.card()
    monkeypatch.setattr(labels, "card", lambda: expected)
    judge = roles.model_named("default")
    assert (judge.problem, judge.note, judge.model.name) == ("", "", labels.card().name)
    passing(judge.model.sha256)
    assert roles.model_named("default").result is not None
    status = weights.stat()
    data = bytearray(weights.read_bytes())
    data[-8] ^= 1  # one bit, in the weights; of the same size
    weights.write_bytes(bytes(data))
    os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000))
    judge = roles.model_named("default")
    assert judge.own
    assert "not the one that came with it" in judge.problem
    assert judge.remedy == "Restore it from the checkout."
    assert judge.result is None  # what the other file reached is not its own
    assert judge.model.name != labels.card().name
    assert not judge.may_judge
    with pytest.raises(BadInput, match="not the one that came"):
        roles.give_role(engines, "second_reader", "default")
    assert roles.list_models()[0].own  # it stands in the list, so that a person can see it


def test_an_encoder_judges_and_never_writes(tmp_path, engines):
    (model,) = registry.add([tiny_gguf.encoder(tmp_path / "reader.gguf")], copy=False).models
    assert (model.architecture, model.frame) == ("mpnet-judge", registry.TRAINED)
    passing(model.sha256)
    assert roles.model_named(model.id).fits("judge")
    assert not roles.model_named(model.id).fits("text_model")
    assert roles.give_role(engines, "second_reader", model.id).second_reader is not None
    for name in (model.id, "default"):
        with pytest.raises(BadInput, match="writes nothing"):
            roles.give_role(engines, "text_model", name)


def test_memory_is_estimated_before_a_model_is_loaded():
    model = roles.list_models()[0].model
    assert 300e6 < model.memory < 500e6  # its process was measured at about 410 MB
    head = gguf.check(installed(GENERATOR))
    assert head.memory(4_000, 512) > head.memory(2_000, 512) > head.path.stat().st_size


def test_a_model_that_is_gone_or_changed_says_so(file):
    (model,) = registry.add([file], copy=False).models
    data = bytearray(file.read_bytes())
    data[-8] ^= 1  # one bit, in the weights
    file.write_bytes(bytes(data))
    entry = roles.model_named(model.id)
    assert "was changed since it was added" in entry.problem
    assert not entry.may_judge
    file.unlink()
    assert "is no longer at" in roles.model_named(model.id).problem


def test_a_file_that_was_only_touched_is_the_same(file):
    (model,) = registry.add([file], copy=False).models
    file.touch()
    assert roles.model_named(model.id).problem == ""
    assert registry.added_models()[0].modified == file.stat().st_mtime_ns  # it is not read through each time


def test_a_model_whose_process_ends_by_a_fault_says_so(file):
    (model,) = registry.add([file], copy=False).models
    crash_history.remember(file, "plain", "SIGILL")
    assert "plain settings" in roles.model_named(model.id).note
    crash_history.remember(file, "never", "SIGSEGV")
    assert "a segmentation fault" in roles.model_named(model.id).problem


# --- roles -----------------------------------------------------------------------------------------------------------


def test_a_model_gets_a_role_and_gives_it_up(engines, file):
    (model,) = registry.add([file], copy=False).models
    passing(model.sha256)
    new_engines = roles.give_role(engines, "second_reader", model.id)
    assert settings.load().second_reader == str(file)
    assert new_engines.second_reader is not None
    assert new_engines.second_reader_file == file
    assert new_engines.judge is engines.judge
    assert roles.model_named(model.id).roles == ("second_reader",)
    assert launch.build_engines(settings.load()).second_reader is not None  # the next start has it, too
    new_engines = roles.give_role(new_engines, "judge", model.id)
    assert new_engines.judge_file == file
    assert roles.model_named("default").roles == ()
    new_engines = roles.give_role(new_engines, "judge", None)
    assert new_engines.judge_file == paths.reader()
    new_engines = roles.give_role(new_engines, "second_reader", None)
    assert new_engines.second_reader is None
    assert roles.model_named(model.id).roles == ()


def test_a_model_that_failed_its_exam_may_not_judge_and_is_told_why(engines, file):
    (model,) = registry.add([file], copy=False).models
    failing(model.sha256)
    for role in ("judge", "second_reader"):
        with pytest.raises(
            BadInput, match="small may not judge: in the exam 33% of 360 answers on direct statem"
        ) as error:
            roles.give_role(engines, role, model.id)
        assert error.value.hint
    assert settings.load() == Settings()
    assert roles.give_role(engines, "text_model", model.id).text_model is not None  # a draft is no verdict


def test_a_role_that_was_given_before_the_exam_gives_no_verdict_after_it(file):
    class Dull(KnowingJudge):
        def judge(self, passage, hypotheses):
            return [certain("neutral") for _ in hypotheses]

    reader = Dull("dull")
    engines = Engines(reader=PlainReader(), judge=KnowingJudge(), second_reader=reader, examine=True)
    with pytest.raises(BadInput, match="The second reader is not clearly better than chance"):
        exam_results.second_reader(engines)
    assert exam_results.second_reader(dataclasses.replace(engines, second_reader=None)) is None
    passed = KnowingJudge("good")
    assert exam_results.second_reader(dataclasses.replace(engines, second_reader=passed)) is passed


def test_a_model_too_big_for_the_memory_gets_no_role(engines, file, monkeypatch):
    (model,) = registry.add([file], copy=False).models
    monkeypatch.setattr(gguf, "free_memory", lambda: 1_000_000)
    with pytest.raises(NotEnoughMemory, match="1 MB are free"):
        roles.give_role(engines, "judge", model.id)
    assert "MB of memory" in roles.model_named(model.id).note


def test_removing_a_model_takes_its_roles(engines, file):
    (model,) = registry.add([file], copy=True).models
    new_engines = roles.give_role(engines, "text_model", model.id)
    new_engines, removed_model = roles.remove(new_engines, model.id)
    assert removed_model == model
    assert new_engines.text_model is None
    assert settings.load().text_model == ""
    assert [entry.own for entry in roles.list_models()] == [True]
    with pytest.raises(BadInput, match="own judge cannot be removed"):
        roles.remove(new_engines, "default")


def test_a_file_swapped_after_it_got_its_role_is_not_asked(engines, file):
    (model,) = registry.add([file], copy=False).models
    new_engines = roles.give_role(engines, "second_reader", model.id)
    tiny_gguf.chat(file, CHATML, seed=9, license="apache-2.0")
    try:
        with pytest.raises(ModelUnreadable, match="it is not the file that was added"):
            new_engines.second_reader.judge("The pump stopped.", ["The pump stopped."])
    finally:
        new_engines.second_reader.close()


# --- marks on verdicts -----------------------------------------------------------------------------------------------


def test_a_verdict_of_another_model_is_marked():
    own_judge = KnowingJudge("mine Q8_0 sha256:0123456789abcdef llama 1")
    engines = Engines(reader=PlainReader(), judge=own_judge)
    assert exam_results.other_model(engines, own_judge.fingerprint) == ""
    assert (
        exam_results.other_model(engines, "mine Q8_0 sha256:0123456789abcdef llama 2") == ""
    )  # the weights are the model
    other_fingerprint = "theirs Q4_0 sha256:fedcba9876543210 llama 1"
    assert exam_results.other_model(engines, other_fingerprint) == "by a model other than the one in use: theirs Q4_0"
    second = dataclasses.replace(engines, second_reader=KnowingJudge(other_fingerprint))
    assert exam_results.other_model(second, other_fingerprint) == ""
    assert exam_results.other_model(Engines(reader=PlainReader()), other_fingerprint) != ""


def test_what_is_in_use_is_known_without_starting_it(file, engines):
    judge_model = roles.list_models()[0].model
    assert exam_results.other_model(engines, f"x sha256:{judge_model.sha256[:16]} y") == ""
    assert exam_results.other_model(engines, "x sha256:0123456789abcdef y") != ""
    assert engines.judge.sandbox is None  # it was not


# --- trying ----------------------------------------------------------------------------------------------------------


def test_a_model_is_tried_apart_from_those_in_use(file, monkeypatch):
    (model,) = registry.add([file], copy=False).models
    clients, sat = [], []

    def run_exam(judge, _progress):
        question = ("The pump stopped.", ["The pump stopped.", "The pump ran."])
        answers = judge.judge(*question)
        assert all(isinstance(answer, Probabilities) for answer in answers)
        assert f"sha256:{model.sha256[:16]}" in judge.fingerprint
        clients[0].interrupt()
        assert judge.judge(*question) == answers  # killed, it is started anew
        sat.append(judge.fingerprint)

    monkeypatch.setattr(exam_results, "run_exam", run_exam)
    result = roles.benchmark(model.id, Progress(), hold=clients.append)
    assert result.model.id == model.id
    assert result.model.speed > 0
    assert clients[1:] == [None]
    with pytest.raises(EngineStopped):  # it was closed
        clients[0].judge("The pump stopped.", ["The pump ran."])
    roles.benchmark(model.id, again=False)
    assert len(sat) == 2  # nothing is known of an exam yet
    monkeypatch.setattr(exam_results, "result_of", lambda _fingerprint: object())
    roles.benchmark(model.id, again=False)
    assert len(sat) == 2
