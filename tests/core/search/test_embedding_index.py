"""Vectors of a case: made again with another model, stopped and resumed, taken over from equal texts, forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core import paths, settings
from core.engines.readers import language_id
from core.engines.readers.dispatch import FileReader
from core.errors import BadInput, ModelUnreadable
from core.progress import Cancelled, Progress
from core.runtime import launch
from core.search.embedding_index import distinct_name
from core.workbench import Workbench
from core.workers.engines import EmbedderClient
from tests.core.engines.tiny_embedder import make
from tests.fakes import HashEmbedder

SUBJECTS = [f"Guard {n} wrote that pump {n} stopped at gate {n} before the night shift of day {n}." for n in range(90)]


class Counting(HashEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self, fingerprint: str = "first sha256:1", seed: str = "") -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []
        self._seed = seed

    def embed(self, texts):
        self.asked += texts
        return [self._vector(f"{self._seed} {text}") for text in texts]

    def embed_queries(self, texts):
        return [self._vector(f"{self._seed} {text}") for text in texts]


def pages(subjects):
    """One subject a page, so that an edit leaves the other passages as they are."""
    return "\f".join(subjects)


@pytest.fixture
def inbox(tmp_path):
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "log.txt").write_text(pages(SUBJECTS), "utf-8")
    return folder


@pytest.fixture
def first():
    return Counting()


@pytest.fixture
def second():
    return Counting("second sha256:2", "other")


@pytest.fixture
def bench(tmp_path, engines, first, inbox):
    with Workbench.create(tmp_path / "case.disconfirm", replace(engines, embedder=first)) as bench:
        bench.documents.add([inbox])
        yield bench


def stop_after(steps):
    """A progress that is cancelled when it was told ``steps`` times."""
    calls = []

    def tell(*step):
        calls.append(step)
        if len(calls) == steps:
            progress.cancel()

    progress = Progress(tell)
    return progress


def test_a_case_that_is_as_it_should_be_says_nothing(bench):
    state = bench.index.status()
    assert (state.model, state.passages, state.done, state.waiting) == ("first sha256:1", 90, 90, 0)
    assert (state.searched_with, state.others, state.sentence) == ("first sha256:1", (), "")


RUSSIAN = "Охранник записал, что насос остановился ночью. Клапан был открыт, и никто его не трогал до утра. "


@pytest.mark.parametrize(
    ("model", "russian", "offered"), [(paths.EMBEDDER, 12, True), (paths.EMBEDDER, 1, False), ("mine", 12, False)]
)
def test_a_case_in_several_languages_is_offered_the_model_that_knows_them(
    tmp_path, engines, inbox, monkeypatch, model, russian, offered
):
    monkeypatch.setenv("DISCONFIRM_MODELS", str(tmp_path))
    monkeypatch.setattr(language_id, "of", lambda text: "ru" if "на" in text else "en")  # they are short
    (inbox / "log.ru.txt").write_text(pages([f"{RUSSIAN} {n}" for n in range(russian)]), "utf-8")
    current = Counting(f"{model} sha256:1")
    with Workbench.create(
        tmp_path / "languages.disconfirm", replace(engines, embedder=current, reader=FileReader())
    ) as bench:
        bench.documents.add([inbox])
        assert sorted(d.language for d in bench.documents.all()) == ["en", "ru"]
        assert bench.index.status().offer == ""  # it is not on this computer
        make(tmp_path / paths.MULTILINGUAL)
        offer = bench.index.status().offer
    if offered:
        assert offer.startswith(f"12 of 102 passages are not in English. {paths.MULTILINGUAL} finds them")
    else:
        assert offer == ""


def test_until_the_new_vectors_are_complete_the_old_ones_are_searched(bench, first, second):
    old_result = bench.search.passages_for("pump 7 gate 7")
    bench.engines = replace(bench.engines, embedder=second, former=first)
    state = bench.index.status()
    assert (state.model, state.done, state.searched_with) == ("second sha256:2", 0, "first sha256:1")
    assert "0 of 90 passages have vectors of second" in state.sentence
    assert "go on with first" in state.sentence
    with pytest.raises(Cancelled):
        bench.index.build(stop_after(2))
    part = bench.index.status()
    assert 0 < part.done < 90
    interim_result = bench.search.passages_for("pump 7 gate 7")
    assert interim_result.passages == old_result.passages  # all of one model, and none of the half that the new one has
    assert interim_result.notes == old_result.notes
    bench.index.build()
    final_status = bench.index.status()
    assert (final_status.waiting, final_status.searched_with, final_status.sentence) == (0, "second sha256:2", "")
    assert [entry.model for entry in final_status.others] == ["first sha256:1"]
    new_result = bench.search.passages_for("pump 7 gate 7")
    assert {p.similarity for p in new_result.passages} != {p.similarity for p in old_result.passages}
    assert all(p.similarity is not None for p in new_result.passages)


def test_without_the_model_before_the_rest_is_found_by_its_words(bench, second):
    bench.engines = replace(bench.engines, embedder=second)
    assert "made searchable by meaning with first; the search model is now second" in bench.index.status().sentence
    with pytest.raises(Cancelled):
        bench.index.build(stop_after(2))
    state = bench.index.status()
    assert state.sentence.startswith(f"{state.done} of 90 passages are searched by meaning with second; the others")
    assert state.searched_with == "second sha256:2"
    passages = bench.search.passages_for("pump 89 gate 89", per_document=90).passages
    (last,) = (passage for passage in passages if passage.page == 90)  # not among those that have a vector yet
    assert (last.lexical_rank, last.vector_rank, last.similarity) == (1, None, None)


class Swapped(Counting):
    """Another model answers from the second call on: its process was started anew after its files were replaced."""

    def embed(self, texts):
        if self.asked:
            self.fingerprint, self._seed = "other sha256:9", "other"
        return super().embed(texts)

    def embed_queries(self, texts):
        self.fingerprint, self._seed = "other sha256:9", "other"
        return super().embed_queries(texts)


def test_vectors_of_a_model_that_took_the_place_of_another_get_its_own_name(bench):
    bench.engines = replace(bench.engines, embedder=Swapped("swapped sha256:1"))
    bench.index.build()
    successor = Counting("other sha256:9", "other")
    chunks = bench.engines.embedder.asked
    assert len(chunks) > 90  # the first batch was made again with the model that took over
    (model,) = (entry for entry in bench.store.vectors.by_model() if entry.model == successor.fingerprint)
    assert model.passages == 90
    with bench.store.db.reading():
        rows = bench.store.db.rows(
            "SELECT chunk, data FROM vector JOIN model ON model.id = vector.model WHERE fingerprint = ?",
            (successor.fingerprint,),
        )
    texts = bench.store.pages.chunks([row[0] for row in rows])
    assert all(successor.embed([texts[chunk].text]) == [data] for chunk, data in rows)


def test_a_query_is_compared_with_the_vectors_of_the_model_that_gave_its_own(bench):
    bench.engines = replace(bench.engines, embedder=Swapped("first sha256:1"))
    passages = bench.search.passages_for("pump 7 gate 7").passages
    assert {passage.similarity for passage in passages} == {None}  # the other model has no vectors here


@pytest.mark.parametrize(
    ("fingerprint", "other_fingerprint", "name"),
    [
        ("mini sha256:12345678aa torch 2", "large sha256:12345678aa torch 2", "mini"),
        ("mini sha256:12345678aa torch 2", "mini sha256:87654321aa torch 2", "mini (weights 12345678)"),
        ("mini sha256:12345678aa torch 2", "mini sha256:12345678aa onnxruntime 1", "mini (torch 2)"),
        ("mini sha256:12345678aa torch 2", "mini sha256:12345678aa torch 2", "mini"),
        ("mini", "mini sha256:12345678aa", "mini"),
    ],
)
def test_two_models_of_one_name_are_told_apart(fingerprint, other_fingerprint, name):
    assert distinct_name(fingerprint, other_fingerprint) == name


def test_what_was_stopped_goes_on_after_the_case_was_closed(bench, second, tmp_path):
    bench.engines = replace(bench.engines, embedder=second)
    with pytest.raises(Cancelled):
        bench.index.build(stop_after(2))
    vector_count = len(second.asked)
    assert 0 < vector_count < 90
    bench.close()
    new_embedder = Counting("second sha256:2", "other")
    with Workbench.open(tmp_path / "case.disconfirm", replace(bench.engines, embedder=new_embedder)) as reopened_bench:
        assert reopened_bench.index.status().done == vector_count
        report = reopened_bench.index.build()
        assert (report.embedded, report.reused, report.embedding.waiting) == (90 - vector_count, 0, 0)
        assert set(new_embedder.asked).isdisjoint(second.asked)
        assert reopened_bench.case.verify().ok


def test_vectors_that_are_needed_are_not_forgotten_and_others_are(bench, first, second):
    bench.engines = replace(bench.engines, embedder=second, former=first)
    with pytest.raises(BadInput) as error:
        bench.index.forget()
    assert "still in use for searching" in error.value.sentence
    bench.index.build()
    with pytest.raises(BadInput):
        bench.index.forget("third")
    with pytest.raises(BadInput):
        bench.index.forget("second sha256:2")
    passages = bench.search.passages_for("pump 7 gate 7").passages
    (entry,) = bench.index.forget()
    assert (entry.model, entry.passages, entry.size) == ("first sha256:1", 90, 90 * 4 * 64)
    assert bench.index.status().others == ()
    assert bench.search.passages_for("pump 7 gate 7").passages == passages
    assert bench.case.verify().ok


def test_going_back_to_a_model_whose_vectors_are_kept_costs_nothing(bench, first, second):
    bench.engines = replace(bench.engines, embedder=second)
    bench.index.build()
    first.asked.clear()
    bench.engines = replace(bench.engines, embedder=first)
    assert bench.index.build().embedded == 0
    assert first.asked == []
    bench.index.forget("second sha256:2")  # the one whose vectors the file's own index holds
    assert bench.case.verify().ok
    bench.store.vectors.memory_for_search = 0
    bench.engines = replace(bench.engines, search_memory=0)
    assert bench.search.passages_for("pump 7 gate 7").passages[0].similarity is not None


def test_a_model_that_is_gone_is_told_and_the_words_are_searched(bench, tmp_path):
    bench.engines = replace(bench.engines, embedder=None)
    sentence = bench.index.status().sentence
    assert "with first, which cannot be used now: it is not on this computer" in sentence
    assert bench.search.passages_for("pump 7").passages
    with pytest.raises(BadInput):
        bench.index.build()
    client = EmbedderClient(tmp_path / "gone")
    bench.engines = replace(bench.engines, embedder=client)
    try:
        state = bench.index.status()
        assert str(tmp_path / "gone") in state.reason
        assert state.model == state.searched_with == ""
        assert bench.search.passages_for("pump 7").passages
    finally:
        client.close()


def test_a_model_before_that_is_gone_is_no_hindrance(bench, second, tmp_path):
    client = EmbedderClient(tmp_path / "gone")
    bench.engines = replace(bench.engines, embedder=second, former=client)
    try:
        assert bench.index.status().searched_with == ""
        assert bench.search.passages_for("pump 7").passages
    finally:
        client.close()


# --- what need not be computed again ---------------------------------------------------------------------------------


def test_files_that_are_there_already_ask_the_model_nothing(bench, first, inbox):
    first.asked.clear()
    bench.documents.add([inbox])
    assert first.asked == []


def test_an_edited_document_embeds_only_what_changed(bench, first, inbox):
    first.asked.clear()
    edited = [*SUBJECTS]
    edited[40] = "The badge reader was switched off by hand."
    (inbox / "log.txt").write_text(pages(edited), "utf-8")
    bench.documents.add([inbox])
    assert first.asked == [edited[40]]
    result = bench.search.passages_for("pump 7 gate 7", include=["D2"])
    assert result.passages[0].text == SUBJECTS[7]
    new, old = (bench.store.pages.chunk_ids(document)[7] for document in ("D2", "D1"))
    model = first.fingerprint
    assert bench.store.vectors.get(model, new) == bench.store.vectors.get(model, old)


def test_texts_that_stand_twice_are_embedded_once(tmp_path, engines, first):
    (tmp_path / "a.txt").write_text("\f".join(["Confidential. Do not copy."] * 20), "utf-8")
    with Workbench.create(tmp_path / "b.disconfirm", replace(engines, embedder=first)) as bench:
        bench.documents.add([tmp_path / "a.txt"])
        assert bench.store.counts()["chunks"] == 20
        assert first.asked == ["Confidential. Do not copy."]
        assert bench.index.status().waiting == 0


# --- choosing a model ------------------------------------------------------------------------------------------------


def test_a_chosen_folder_is_kept_with_the_one_before(tmp_path, engines):
    first_folder, second_folder = make(tmp_path / "one"), make(tmp_path / "other")
    chosen, model = launch.choose_embedder(engines, first_folder)
    assert (model.name, settings.load().embedder) == ("one", str(first_folder))
    chosen, _ = launch.choose_embedder(chosen, second_folder)
    assert (settings.load().embedder, settings.load().embedder_before) == (str(second_folder), str(first_folder))
    assert chosen.former is not None
    built = launch.build_engines(settings.load())
    assert built.former is not None
    same_engines, _ = launch.choose_embedder(chosen, second_folder)
    assert same_engines is chosen


def test_a_model_that_cannot_be_loaded_is_not_chosen(tmp_path, engines):
    """Its folder looks like a search model; that its parts do not fit together only shows when it is loaded."""
    folder = make(tmp_path / "one")
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(ModelUnreadable, match=r"tokenizer\.json"):
        launch.choose_embedder(engines, folder)
    assert settings.load().embedder == ""


def test_a_folder_that_is_none_changes_nothing(tmp_path, engines):
    folder = make(tmp_path / "one")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelUnreadable):
        launch.choose_embedder(engines, folder)
    assert settings.load().embedder == ""
