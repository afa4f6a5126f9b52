"""Searches: what comes of unlucky queries and cases, and what a result says of itself."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from core.engines.readers import language_id
from core.engines.readers.dispatch import FileReader
from core.errors import AppError, BadInput, CaseReadOnly, IndexDamaged
from core.ports import Engines
from core.search import ranking
from core.search.service import LONGEST_QUERY
from core.store.schema import WORD_TABLE
from core.workbench import Workbench
from core.workers.engines import EmbedderClient, RerankerClient
from tests.core.store.material import tamper
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge, WordsReranker

TEXTS = {
    "log.txt": "The dosing pump stopped at 02:14. Nobody touched it.",
    "memo.txt": "A vendor account opened the valve. The vendor denied it.",
    "mail.txt": "Насос остановился ночью. Клапан был открыт.",
    "heb.txt": "המשאבה נעצרה בלילה.",
    "note.txt": "The guard saw the badge reader switched off.",
}
ODD = {
    "long": "pump " * 2_000,
    "stop words": "to be or not to be",
    "operators": '" OR NEAR( * ^ - AND NOT ) "',
    "only signs": "… ¿ ---",
    "control characters": "pump\0 \x07\x1b[31m valve\u202e",
    "another script": "насос ночью",
    "one sign": "?",
    "half a pair": "pump \ud83d",
}


@pytest.fixture
def folder(tmp_path):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for name, text in TEXTS.items():
        (inbox / name).write_text(text, "utf-8")
    return inbox


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "case.disconfirm", engines) as bench:
        yield bench


@pytest.fixture
def filled(bench, folder):
    bench.documents.add([folder])
    return bench


@pytest.mark.parametrize("mode", ["hybrid", "vector", "lexical"])
@pytest.mark.parametrize("query", ODD.values(), ids=ODD.keys())
def test_no_query_is_an_error(filled, bench, query, mode):
    result = filled.search.passages_for(query, mode=mode)
    assert result.passages or "Nothing found" in result.notes[-1]
    assert len(result.query) <= LONGEST_QUERY
    assert filled.search.passages_for(query, mode=mode).passages == result.passages


@pytest.mark.parametrize("mode", ["hybrid", "vector", "lexical"])
@pytest.mark.parametrize("query", ODD.values(), ids=ODD.keys())
def test_an_empty_case_and_one_of_one_passage(bench, tmp_path, query, mode):
    assert "contains no text" in bench.search.passages_for(query, mode=mode).notes[-1]
    (tmp_path / "x.txt").write_text("x", "utf-8")
    bench.documents.add([tmp_path / "x.txt"])
    assert len(bench.search.passages_for(query, mode=mode).passages) <= 1
    assert bench.search.passages_for("x", mode=mode).passages[0].text == "x"


@pytest.mark.parametrize("query", ["", "  \n", "\0\x01", "\u200b"])
def test_a_query_of_nothing_says_what_to_do(filled, query):
    with pytest.raises(BadInput) as error:
        filled.search.passages_for(query)
    assert error.value.hint


def test_a_long_query_is_cut_and_says_so(filled):
    assert "2,000 characters" in filled.search.passages_for("pump " * 2_000).notes[0]


def test_another_script_is_found_by_its_words(filled):
    assert filled.search.passages_for("насос остановился").passages[0].name == "mail.txt"
    assert filled.search.passages_for("המשאבה", mode="lexical").passages[0].name == "heb.txt"


def test_nothing_found_says_what_was_searched_and_what_to_try(filled):
    note = filled.search.passages_for("zebra", mode="lexical").notes[-1]
    assert "5 passages of 5 documents" in note
    assert "zebra" in note
    assert "both ways of searching" in note
    note = filled.search.passages_for("zebra", mode="lexical", include=["D1"], show="strict").notes[-1]
    assert "1 passage of 1 document" in note
    assert "lower confidence" in note
    assert "more documents" in note
    assert filled.search.passages_for("zebra", mode="lexical").confidence == "insufficient"


def test_strict_shows_only_what_is_sure(filled):
    query = "the dosing pump stopped at 02:14 nobody touched it"
    whole = filled.search.passages_for(query)
    assert whole.confidence == "high"
    assert len({p.confidence for p in whole.passages}) > 1
    strict = filled.search.passages_for(query, show="strict")
    assert [p.text for p in strict.passages] == [p.text for p in whole.passages if p.confidence == "high"]
    assert strict.passages[0].rank == 1
    assert filled.search.passages_for("zebra crossing", show="strict").passages == ()


def test_an_audit_folds_no_copies_limits_no_document_and_says_what_was_not_searched(filled, tmp_path):
    log = tmp_path / "log.txt"
    words = "Nobody saw who closed the valve of the pump in the night."
    log.write_text("\n\n".join(f"{n} o'clock. {words} {'It rained on the yard and the wall. ' * 25}" for n in range(9)))
    (tmp_path / "copy.txt").write_text(log.read_text() + "\n\nA last line.")
    filled.documents.add([log, tmp_path / "copy.txt"])
    filled.documents.set_included(["D1"], False)
    query = "who closed the valve of the pump"
    whole = filled.search.passages_for(query)
    audit = filled.search.passages_for(query, show="audit")
    assert not audit.copies
    assert len(audit.passages) > len(whole.passages)
    places = {(p.document, p.start) for p in audit.passages}
    folded = {(c.document, c.start) for group in whole.copies.values() for c in group}
    assert folded
    assert folded <= places
    assert max(sum(p.document == d for p in audit.passages) for d in ("D6", "D7")) > 5
    assert [p.rank for p in audit.passages] == list(range(1, len(audit.passages) + 1))
    assert audit.notes[-1].startswith("Searched: ")
    assert "1 document is out of scope and not searched." in audit.notes[-1]
    assert not any("Searched: " in note for note in whole.notes)
    assert filled.search.find("document:D6", show="audit").notes[-1] == "1 document is out of scope and not searched."


def test_with_a_search_model_that_nothing_is_known_of_the_words_say_how_sure_a_passage_is(filled, monkeypatch):
    monkeypatch.setattr("core.search.ranking.MEASURED", ("sha256:of another",))
    whole = filled.search.passages_for("the dosing pump stopped at 02:14 nobody touched it")
    assert (whole.passages[0].name, whole.passages[0].confidence) == ("log.txt", "medium")
    assert {p.confidence for p in whole.passages} == {"medium", "low"}
    assert "not measured with hash embedder 1" in whole.notes[0]
    assert filled.search.passages_for("the dosing pump", show="strict").passages == ()


def test_a_word_that_the_search_model_must_spell_out_is_found_by_words_or_not_at_all(filled, monkeypatch):
    monkeypatch.setattr("core.search.ranking.MEASURED", ("hash embedder",))
    embedder = filled.engines.embedder
    monkeypatch.setattr(type(embedder), "pieces", lambda _self, texts: [6 * len(text.split()) for text in texts])
    nonsense = filled.search.passages_for("zzqqxxyy")
    assert nonsense.passages
    assert nonsense.confidence == "insufficient"
    assert "Nothing here seems to be about “zzqqxxyy”" in nonsense.notes[-1]
    result = filled.search.passages_for("dosing pump zzqqxxyy")
    assert result.confidence != "insufficient"
    assert not any("seems to be about" in note for note in result.notes)


def test_what_only_looks_near_is_called_so(filled):
    result = filled.search.passages_for("quantum chromodynamics lattice")
    assert result.passages
    assert result.confidence == "insufficient"
    assert "Nothing here seems to be about" in result.notes[-1]


def test_passages_that_say_the_same_are_shown_once_with_their_copies(filled, tmp_path):
    (tmp_path / "again.txt").write_text("The dosing  pump stopped at 02:14.  Nobody touched it.", "utf-8")
    filled.documents.add([tmp_path / "again.txt"])
    result = filled.search.passages_for("dosing pump stopped", k=3)
    names = [passage.name for passage in result.passages]
    assert ("log.txt" in names) != ("again.txt" in names)
    copies = [copy.name for group in result.copies.values() for copy in group]
    assert {*names, *copies} >= {"log.txt", "again.txt"}
    assert [passage.rank for passage in result.passages] == [1, 2, 3]
    assert len(result.passages) == 3


def test_queries_together_find_what_each_finds_alone(filled):
    queries = [text for name, text in ODD.items() if name != "long"] + list(TEXTS.values())
    together = filled.search.search_many(queries, k=4)
    assert [result.passages for result in together] == [
        filled.search.passages_for(query, k=4).passages for query in queries
    ]


def test_a_case_too_large_for_the_memory_is_searched_in_the_file_with_the_same_answer(filled):
    memory_result = filled.search.passages_for("pump valve guard")
    assert filled.store.vectors._cache is not None
    filled.engines = replace(filled.engines, search_memory=1000)
    assert filled.search.passages_for("pump valve guard").passages == memory_result.passages
    assert filled.store.vectors._cache is None


def test_a_reranker_moves_what_it_finds_better_and_loses_nothing(filled):
    query = "the guard saw the pump and nobody touched the valve"
    old_result = filled.search.passages_for(query, per_document=9)
    filled.engines = replace(filled.engines, reranker=WordsReranker())
    new_result = filled.search.passages_for(query, per_document=9)
    assert {p.chunk for p in new_result.passages} == {p.chunk for p in old_result.passages}
    assert new_result.notes == old_result.notes

    def places(result):
        return {p.chunk: p.rank for p in result.passages}

    best = max(old_result.passages, key=lambda p: WordsReranker().score(query, [p.text])[0]).chunk
    assert places(new_result)[best] <= places(old_result)[best]
    assert [p.score for p in new_result.passages] == sorted((p.score for p in new_result.passages), reverse=True)
    # One leg alone is not touched.
    alone = filled.search.passages_for(query, mode="lexical")
    filled.engines = replace(filled.engines, reranker=None)
    assert filled.search.passages_for(query, mode="lexical").passages == alone.passages


def test_a_ranking_model_that_is_not_there_changes_nothing_and_is_told(filled, tmp_path):
    old_result = filled.search.passages_for("dosing pump stopped")
    reranker = RerankerClient(tmp_path / "nowhere")
    filled.engines = replace(filled.engines, reranker=reranker)
    try:
        new_result = filled.search.passages_for("dosing pump stopped")
    finally:
        reranker.close()
    assert new_result.passages == old_result.passages
    assert "order" in new_result.notes[-1]
    filled.engines = replace(filled.engines, reranker=None)
    assert filled.search.passages_for("dosing pump stopped").notes == old_result.notes


def test_chosen_passages_bound_a_search(filled):
    chunks = [passage.chunk for passage in filled.search.passages_for("the", k=9).passages]
    result = filled.search.passages_for("pump valve guard", among=chunks[:2])
    assert {passage.chunk for passage in result.passages} <= set(chunks[:2])
    assert "2 passages" in filled.search.passages_for("zebra", mode="lexical", among=chunks[:2]).notes[-1]


@pytest.mark.parametrize(
    "statement",
    [
        f"DELETE FROM {WORD_TABLE} WHERE rowid = 2",
        f"DROP TABLE {WORD_TABLE}",
        "UPDATE vector SET data = zeroblob(256) WHERE chunk = 2",
        f"UPDATE vector SET data = x'{struct.pack('<64f', *[float('nan')] * 64).hex()}' WHERE chunk = 2",
    ],
)
def test_a_damaged_index_is_made_again_by_the_search_that_finds_it(tmp_path, engines, folder, statement):
    path = tmp_path / "case.disconfirm"
    with Workbench.create(path, engines) as bench:
        bench.documents.add([folder])
        whole = bench.search.passages_for("pump valve", k=5, per_document=9)
    tamper(path, statement)
    with Workbench.open(path, engines) as bench:
        result = bench.search.passages_for("pump valve", k=5, per_document=9)
        assert "made again" in " ".join(result.notes)
        bench.index.finish()
        new_result = bench.search.passages_for("pump valve", k=5, per_document=9)
        assert (new_result.passages, new_result.notes) == (whole.passages, whole.notes)
        assert bench.case.verify().ok


def test_a_report_of_a_case_that_differs_from_its_log_has_a_damaged_index_made_again(tmp_path, engines, folder):
    path = tmp_path / "case.disconfirm"
    with Workbench.create(path, engines) as bench:
        bench.documents.add([folder])
        bench.hypotheses.add("The pump was worn out.")
        bench.plans.judge_relevance("H1", 1, True)
        whole = bench.reports.data()
    tamper(path, "UPDATE hypothesis SET text = 'altered'", f"DELETE FROM {WORD_TABLE} WHERE rowid = 2")
    with Workbench.open(path, engines) as bench:
        data = bench.reports.data()
        assert [row.missed for row in data.search] == [row.missed for row in whole.search]
        assert data.failed
        assert not any(problem.where == "index" for problem in bench.case.verify().problems)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE document SET id = 'xxxx' WHERE id = 'D1'", "'id' of document xxxx"),
        (f"UPDATE chunk SET document = '{'9' * 30}' WHERE id = 1", "a number in it is impossible"),
        (f"UPDATE document SET chunks = {(1 << 63) - 1} WHERE id = 'D1'", "a number in it is impossible"),
    ],
)
def test_a_search_names_a_value_that_is_impossible(tmp_path, engines, folder, statement, words):
    path = tmp_path / "case.disconfirm"
    with Workbench.create(path, engines) as bench:
        bench.documents.add([folder])
    tamper(path, statement)
    with Workbench.open(path, engines) as bench, pytest.raises(AppError, match=words):
        bench.search.passages_for("pump")


def test_a_damaged_index_of_a_case_that_can_only_be_read_is_told(tmp_path, engines, folder, monkeypatch):
    with Workbench.create(tmp_path / "case.disconfirm", engines) as bench:
        bench.documents.add([folder])
        bench.store.rebuild_index()
        bench.store.db.execute(f"DELETE FROM {WORD_TABLE} WHERE rowid = 2")
        bench.store.db.read_only = True
        with pytest.raises(IndexDamaged) as error:
            bench.search.passages_for("pump")
        assert error.value.hint
        with pytest.raises(CaseReadOnly):
            bench.store.rebuild_index()


def test_vectors_of_another_model_are_never_mixed_in(filled):
    class Other(HashEmbedder):
        fingerprint = "another model"

    filled.engines = Engines(PlainReader(), Other(), ScriptedJudge())
    result = filled.search.passages_for("dosing pump stopped")
    assert "not been indexed for search by meaning" in result.notes[0]
    assert all(passage.vector_rank is None and passage.similarity is None for passage in result.passages)
    assert result.passages
    filled.index.finish()
    new_result = filled.search.passages_for("dosing pump stopped")
    assert not [note for note in new_result.notes if "not been indexed" in note]
    assert new_result.passages[0].vector_rank is not None


@pytest.mark.parametrize("damage", ["missing", "empty", "no weights", "broken"])
def test_a_model_folder_that_is_none_leaves_the_words(filled, tmp_path, damage):
    folder = tmp_path / "model"
    if damage != "missing":
        folder.mkdir()
    if damage in ("no weights", "broken"):
        (folder / "modules.json").write_text(json.dumps([]) if damage == "no weights" else "{", "utf-8")
    if damage == "broken":
        (folder / "model.safetensors").write_bytes(b"x")
    embedder = EmbedderClient(Path(folder))
    filled.engines = Engines(PlainReader(), embedder, ScriptedJudge())
    try:
        result = filled.search.passages_for("pump stopped")
    finally:
        embedder.close()
    assert result.passages[0].name == "log.txt"
    assert "words" in result.notes[0]
    assert all(passage.vector_rank is None for passage in result.passages)


def test_in_a_language_with_endings_a_word_finds_its_other_forms(filled):
    passages = filled.search.passages_for("насосы остановились", mode="hybrid").passages
    assert passages[0].name == "mail.txt"
    assert passages[0].lexical_rank == 1
    by_words = filled.search.passages_for("насосы остановились", mode="lexical").passages
    assert [p.name for p in by_words] == ["mail.txt"]
    english = filled.search.passages_for("stops of dosing pumped", mode="hybrid").passages
    assert {p.lexical_rank for p in english if p.name == "memo.txt"} <= {None}


def test_a_search_says_nothing_of_a_ranking_model_that_failed_another_search(filled, tmp_path):
    class Interrupted(WordsReranker):
        """A search during which another one goes on, whose model is not there."""

        def score(self, query, passages):
            filled.engines = replace(filled.engines, reranker=missing)
            inner_results.append(filled.search.passages_for("who opened the valve"))
            return super().score(query, passages)

    inner_results = []
    missing = RerankerClient(tmp_path / "nowhere")
    old_result = filled.search.passages_for("dosing pump stopped")
    filled.engines = replace(filled.engines, reranker=Interrupted())
    try:
        result = filled.search.passages_for("dosing pump stopped")
    finally:
        missing.close()
    assert result.notes == old_result.notes
    assert "order" in inner_results[0].notes[-1]


def test_a_name_is_searched_under_its_confirmed_aliases(filled):
    assert not filled.search.passages_for("Nassosow", mode="lexical").passages
    filled.entities.add("Nassosow", aliases=["Насос"])
    assert [p.name for p in filled.search.passages_for("Nassosow", mode="lexical").passages] == ["mail.txt"]


RUSSIAN = {"насос": "pump", "остановился": "stopped", "ночью": "night", "клапан": "valve", "открыт": "opened"}


class Translating(HashEmbedder):
    """Takes Russian words for English ones, and a text of Russian letters a little for its language."""

    fingerprint = f"translating {ranking.MULTILINGUAL[0]}"

    def _vector(self, text):
        words = [RUSSIAN.get(word, word) for word in re.findall(r"\w+", text.casefold())]
        return super()._vector(" ".join(words))


def test_a_question_in_english_finds_what_stands_in_another_language(tmp_path, engines, monkeypatch):
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    monkeypatch.setattr(language_id, "of", lambda text: "ru" if "на" in text else "en")  # they are short
    (inbox / "ru.txt").write_text(
        "Насос остановился ночью, клапан был открыт. Никто на месте его не трогал до утра.", "utf-8"
    )
    for n, word in enumerate(("gate", "badge", "report", "guard", "vendor", "memo")):
        text = f"Every {word} stays inside your office during lunch breaks, stopped or not."
        (inbox / f"en{n}.txt").write_text(text, "utf-8")

    def names(embedder):
        with Workbench.create(
            tmp_path / f"{embedder.fingerprint[:5]}.disconfirm",
            replace(engines, embedder=embedder, reader=FileReader()),
        ) as bench:
            bench.documents.add([inbox])
            assert sorted({d.language for d in bench.documents.all()}) == ["en", "ru"]
            result = bench.search.passages_for("why was the pump stopped, the valve opened?")
            only = bench.search.passages_for(
                "the pump stopped at night", include=[d.id for d in bench.documents.all() if d.name == "ru.txt"]
            )
            assert [p.name for p in only.passages] == ["ru.txt"]
            (passage,) = only.passages
            across = ranking.multilingual(embedder.fingerprint)
            assert passage.foreign is across
            assert passage.confidence == ("high" if across and passage.similarity >= 0.84 else "low")
            assert any("across languages only" in note for note in only.notes) is across
            return [p.name for p in result.passages]

    assert names(Translating())[0] == "ru.txt"
    assert names(HashEmbedder())[0] != "ru.txt"
