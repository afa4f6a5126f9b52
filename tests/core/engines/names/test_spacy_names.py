"""The model for names: by rule, and a spaCy pipeline in a child process; what a folder must hold, and what is said
where spaCy is not installed."""

from __future__ import annotations

import json
import shutil
import sys
import types
from importlib.util import find_spec
from pathlib import Path

import pytest

from core import settings
from core.engines.names.spacy_names import SpacyNames
from core.errors import EngineStopped, LibraryMissing, ModelUnreadable
from core.model_files.spacy_folder import look_at
from core.ports import FoundName
from core.runtime import launch
from core.workers.engines import NamesClient
from tests.contracts import NameFinderContract
from tests.core.engines.tiny_pipeline import CONFIG, bare, trained
from tests.fakes import ListedNames

ROOT = Path(__file__).resolve().parents[4]
STUB = [sys.executable, "-P", "-m", "tests.core.workers.child_engines"]


@pytest.fixture
def stub(tmp_path):
    client = NamesClient(tmp_path, command=STUB)
    yield client
    client.close()


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    if find_spec("spacy") is None:
        pytest.skip("spaCy is not installed (packaging/bootstrap.py setup --names)")
    return trained(tmp_path_factory.mktemp("pipeline") / "en_tiny-1.0")


@pytest.fixture(scope="module")
def real(pipeline):
    client = NamesClient(pipeline)
    yield client
    client.close()


class TestListedNames(NameFinderContract):
    @pytest.fixture
    def names(self):
        return ListedNames()


class TestListedNamesInAChild(NameFinderContract):
    @pytest.fixture
    def names(self, stub):
        return stub


class TestPipeline(NameFinderContract):
    @pytest.fixture
    def names(self, real):
        return real


# --- what a folder says of itself ------------------------------------------------------------------------------------


def test_only_the_parts_that_find_names_are_wanted(tmp_path):
    files = look_at(bare(tmp_path / "en_tiny-1.0"))
    assert (files.name, files.version, files.language) == ("en_tiny", "1.0", "en")
    assert (files.name_parts, files.other_parts) == (("ner",), ("tok2vec", "tagger"))


def test_what_the_names_part_listens_to_is_wanted_too(tmp_path):
    listening = CONFIG.replace('"spacy.Tok2Vec.v2"', '"spacy.Tok2VecListener.v1"')
    files = look_at(bare(tmp_path / "a", listening))
    assert (files.name_parts, files.other_parts) == (("tok2vec", "ner"), ("tagger",))


@pytest.mark.parametrize("above", ["en_tiny", "unpacked/en_tiny"])
def test_the_folder_above_will_do_as_a_wheel_unpacks_it(tmp_path, above):
    inside = bare(tmp_path / above / "en_tiny-1.0")
    (tmp_path / above / "__init__.py").write_text("raise SystemExit('run')", "utf-8")
    top = tmp_path / above.split("/")[0]
    (top / "en_tiny-1.0.dist-info").mkdir()
    assert look_at(top).path == inside


def rewritten(name, old, new):
    def change(folder):
        file = folder / name
        file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")

    return change


def moved(name):
    return lambda folder: (folder / name).rename(folder.parent / name)


def wrote(name, data=b"x"):
    return lambda folder: (folder / name).write_bytes(data)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (shutil.rmtree, "there is no such folder"),
        (moved("config.cfg"), "no spaCy pipeline"),
        (moved("meta.json"), "it has no meta.json"),
        (rewritten("meta.json", "version", "aversion"), "does not say its name"),
        (wrote("meta.json"), "its meta.json is broken"),
        (wrote("config.cfg", b"pipeline"), "its config.cfg is broken"),
        (wrote("config.cfg", b"\xff\xfe\x00"), "its config.cfg is broken"),
        (rewritten("config.cfg", '"ner"]', '"parser"]'), "none of its parts finds names (ner); it has tok2vec, tagger"),
        (rewritten("config.cfg", "pipeline = [", "pipeline = 3 #"), "does not name its parts"),
        (
            rewritten("config.cfg", "after_creation = null", 'after_creation = {"@callbacks":"x"}'),
            "asks for code to be run",
        ),
        (rewritten("config.cfg", "[nlp]", '[nlp.before_creation]\n@callbacks = "x"\n[nlp]'), "asks for code to be run"),
        (wrote("ner/extra.py"), "extra.py, which can run code"),
        (wrote("weights.PKL"), "weights.PKL, which can run code"),
        (wrote("ner/model", b"version https://git-lfs"), "never fetched (Git LFS)"),
        (moved("ner"), "its part ner is missing"),
        (lambda folder: shutil.copytree(folder, folder.parent / "b") and moved("config.cfg")(folder), "no spaCy"),
    ],
)
def test_a_folder_that_is_no_such_model_is_refused_with_the_reason(tmp_path, change, reason):
    folder = bare(tmp_path / "a" / "en_tiny-1.0")
    change(folder)
    with pytest.raises(ModelUnreadable) as caught:
        look_at(folder)
    assert reason in caught.value.sentence
    assert "names are suggested by their form alone" in caught.value.sentence


def test_a_transformer_a_search_model_and_several_pipelines_are_named_as_such(tmp_path):
    heavy = CONFIG.replace('"spacy.Tok2Vec.v2"', '"spacy-curated-transformers.LastTransformerLayerListener.v1"')
    heavy = heavy.replace('factory = "tok2vec"', 'factory = "curated_transformer"')
    search = tmp_path / "search"
    search.mkdir()
    (search / "modules.json").write_text("[]", "utf-8")
    bare(tmp_path / "both" / "one")
    bare(tmp_path / "both" / "two")
    for folder, reason in (
        (bare(tmp_path / "heavy", heavy), "needs a transformer"),
        (search, "a search model"),
        (tmp_path / "both", "several pipelines: choose one of one, two"),
    ):
        with pytest.raises(ModelUnreadable, match=reason):
            look_at(folder)


# --- without spaCy, and with one that answers as told ----------------------------------------------------------------


def test_without_spacy_it_says_what_to_run(tmp_path, monkeypatch):
    folder = bare(tmp_path / "without spaCy")
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(LibraryMissing) as caught:
        SpacyNames(folder)
    assert caught.value.sentence == "The library spaCy is not installed, so names are suggested by their form alone."
    assert caught.value.hint == "Add it with: python3 packaging/bootstrap.py setup --names"
    client = NamesClient(folder, command=STUB)
    try:
        with pytest.raises(LibraryMissing) as refusal:
            client.find(["Ruben Aske"])
        assert (refusal.value.sentence, refusal.value.hint) == (caught.value.sentence, caught.value.hint)
    finally:
        client.close()


class _Entity:
    def __init__(self, start, end, label):
        self.start_char, self.end_char, self.label_ = start, end, label


class _Pipeline:
    """Calls everything between brackets what the brackets say."""

    disabled = ("ner",)

    def __init__(self):
        self.enabled, self.lengths = [], []

    def enable_pipe(self, name):
        self.enabled.append(name)

    def __call__(self, text):
        import re

        self.lengths.append(len(text))
        matches = re.finditer(r"\[(\w+):([^\]]*)\]", text)
        return types.SimpleNamespace(ents=[_Entity(m.start(2), m.end(2), m[1]) for m in matches])


@pytest.fixture
def scripted(tmp_path, monkeypatch):
    pipeline, loads = _Pipeline(), []
    library = types.ModuleType("spacy")
    library.__version__ = "0"
    library.load = lambda path, exclude: loads.append((path, exclude)) or pipeline
    monkeypatch.setitem(sys.modules, "spacy", library)
    monkeypatch.setitem(sys.modules, "torch", sys.modules.get("torch"))
    folder = bare(tmp_path / "en_tiny-1.0")
    return SpacyNames(folder.parent), pipeline, loads, folder


def test_only_the_wanted_parts_are_loaded(scripted):
    model, pipeline, loads, folder = scripted
    assert loads == [(folder, ["tok2vec", "tagger"])]
    assert pipeline.enabled == ["ner"]
    assert model.fingerprint.startswith("en_tiny 1.0 sha256:")


def test_the_fingerprint_changes_with_the_weights_that_are_used_and_no_others(scripted):
    model, _, _, folder = scripted
    (folder / "tagger" / "model").write_bytes(b"other")
    assert SpacyNames(folder).fingerprint == model.fingerprint
    (folder / "ner" / "model").write_bytes(b"other")
    assert SpacyNames(folder).fingerprint != model.fingerprint


def test_kinds_are_called_as_here_and_times_and_amounts_are_no_names(scripted):
    labels = ("PERSON", "PER", "persName", "ORG", "GPE", "FAC", "B_LOC", "WORK_OF_ART", "VESSEL", "CALL_SIGN")
    model = scripted[0]
    text = " ".join(f"[{label}:Aske]" for label in (*labels, "DATE", "NORP", "CARDINAL", "MONEY"))
    kinds = [name.kind for name in model.find([text])[0]]
    assert kinds == [*["person"] * 3, "organisation", *["place"] * 3, "thing", "vessel", "call sign"]
    assert model.find(["[PERSON: Aske\n] [PERSON: 12 ]"]) == [(FoundName(9, 13, "person"),)]


def test_a_long_text_is_read_in_parts_cut_where_it_may_be(scripted):
    model, pipeline, _, _ = scripted
    text = ("word " * 900 + "[PERSON:Klara Bost]\n\n") * 12
    pipeline.lengths.clear()
    (names,) = model.find([text])
    assert [text[name.start : name.end] for name in names] == ["Klara Bost"] * 12
    assert sum(pipeline.lengths) == len(text)
    assert max(pipeline.lengths) <= 8_000


def test_what_the_loader_raises_is_told_as_the_reason(tmp_path, monkeypatch):
    library = types.ModuleType("spacy")

    def load(*_arguments, **_more):
        raise ValueError("[E002] Can't find factory for 'ner'\n  in the folder")

    library.load = load
    monkeypatch.setitem(sys.modules, "spacy", library)
    monkeypatch.setitem(sys.modules, "torch", sys.modules.get("torch"))
    with pytest.raises(ModelUnreadable, match=r"ValueError: \[E002\] Can't find factory for 'ner' in the folder"):
        SpacyNames(bare(tmp_path / "a"))


# --- a child that answers out of form --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        "[[Name(0, 0, 'person')]]",
        "[[Name(5, 3, 'person')]]",
        "[[Name(0, 4000, 'person')]]",
        "[[Name(6, 11, 'person')]]",
        "[[Name(0, 4, 'person'), Name(3, 5, 'person')]]",
        "[[Name(0, 4, 'person')], [Name(0, 1, 'person')]]",
        "[[Name(0, 4, '')]]",
        "[[Name(0, 4, 'x' * 41)]]",
        "[[Name(0, 4, 3)]]",
        "[[Name(0, 4, str(n))] * 0 or [Name(n, n + 1, 'k%d' % n) for n in range(501)]]",
        "3",
    ],
)
def test_what_a_child_says_out_of_form_ends_it(stub, answer):
    with pytest.raises(EngineStopped):
        stub.find([f"answer {answer}" + "x" * 600])
    assert stub.find(["Ruben Aske"]) == [(FoundName(0, 10, "person"),)]


def test_a_child_that_dies_is_replaced(stub):
    with pytest.raises(EngineStopped, match="model for names"):
        stub.find(["die"])
    assert stub.find(["Ruben Aske", "\ud800 Klara Bost"]) == [
        (FoundName(0, 10, "person"),),
        (FoundName(2, 12, "person"),),
    ]


# --- the real thing --------------------------------------------------------------------------------------------------


def test_a_pipeline_is_confined_and_says_what_it_is(real, pipeline):
    assert real.fingerprint.startswith("en_tiny")
    assert "spaCy" in real.fingerprint
    if sys.platform == "linux":
        assert real.sandbox.network
        assert real.sandbox.programs


def test_a_pipeline_without_names_says_so(pipeline, tmp_path):
    client = NamesClient(trained(tmp_path / "none", parts=()))
    try:
        with pytest.raises(ModelUnreadable, match=r"none of its parts finds names \(ner\); it has sentencizer"):
            client.find(["Ruben Aske"])
    finally:
        client.close()


def test_broken_weights_are_told(pipeline, tmp_path):
    folder = shutil.copytree(pipeline, tmp_path / "broken")
    (folder / "ner" / "model").write_bytes((folder / "ner" / "model").read_bytes()[:5_000])
    client = NamesClient(folder)
    try:
        with pytest.raises(ModelUnreadable, match="names are suggested by their form alone"):
            client.find(["Ruben Aske"])
    finally:
        client.close()


# --- choosing --------------------------------------------------------------------------------------------------------


def test_a_chosen_folder_is_kept_until_it_is_taken_back(tmp_path, engines, monkeypatch):
    folder = bare(tmp_path / "en_tiny" / "en_tiny-1.0")
    monkeypatch.setattr(launch, "find_spec", lambda name: types.SimpleNamespace(name=name))
    monkeypatch.setattr(launch, "load_model", lambda client: client)
    chosen, files = launch.choose_names_model(engines, folder.parent)
    assert files.name == "en_tiny"
    assert settings.load().names_model == str(folder)
    assert isinstance(chosen.names, NamesClient)
    assert launch.choose_names_model(chosen, folder)[0] is chosen
    assert [state.name for state in launch.engine_states(chosen)].count("names") == 1
    next_engines = launch.build_engines(settings.load())
    assert isinstance(next_engines.names, NamesClient)
    launch.close(next_engines)
    left, none = launch.choose_names_model(chosen, None)
    assert (left.names, none, settings.load().names_model) == (None, None, "")
    assert launch.build_engines(settings.load()).names is None


def test_a_folder_that_is_none_or_no_spacy_changes_nothing(tmp_path, engines, monkeypatch):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelUnreadable, match="no spaCy pipeline"):
        launch.choose_names_model(engines, tmp_path / "empty")
    monkeypatch.setattr(launch, "find_spec", lambda _name: None)
    with pytest.raises(LibraryMissing):
        launch.choose_names_model(engines, bare(tmp_path / "a"))
    assert json.dumps(settings.load().names_model) == '""'
