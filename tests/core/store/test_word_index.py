"""Search: exact within its scope, the same order every time, and made again when it is broken."""

from __future__ import annotations

import contextlib

import pytest

from core.domain import PageText, Span, Table
from core.errors import IndexDamaged
from core.language import fold
from core.ports import Outline
from core.progress import silent
from core.store import CaseFile
from core.store.schema import WORD_TABLE
from tests.core.store.material import EMBEDDER, add, begin, clock, fill, tamper


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.disconfirm"


@pytest.fixture
def case(path):
    with CaseFile.create(path, who="ann", now=clock()) as new_case:
        yield new_case


def test_words_are_stemmed_and_accents_dropped(case):
    fill(case)
    assert case.words.document_frequency(["pumps", "CAFE", "nothing", "badge-reader"]) == {
        "pumps": 1,
        "CAFE": 1,
        "nothing": 0,
        "badge-reader": 1,
    }
    (chunk,) = case.words.matching('"cafe"')
    assert "Café" in case.pages.chunks([chunk])[chunk].text
    assert case.words.best(["pump"], 5, include=["D2"]) == []
    assert case.words.best(["pump"], 5, exclude=["D1"]) == []
    with pytest.raises(ValueError):
        case.words.matching('"unfinished')


ROW = "07:58\twhite van\tin\n\nMuller left in a van-\nlike car."
GATE = Table(("time", "vehicle", "direction"), (((0, 5), (6, 15), (16, 18)),))


def put_row(case):
    document = begin(case, "gate.pdf", ROW.encode())
    (chunk,) = case.documents.put_pages(document, [(PageText(1, ROW, tables=(GATE,)), [Span(0, len(ROW))])])
    case.documents.finish(document, Outline("pdf", 1))
    return chunk


def test_a_row_is_found_by_its_words_and_by_the_headings_of_its_columns(case):
    fill(case)
    assert case.words.best(["vehicle"], 5) == []  # the postings are in memory now
    row = put_row(case)
    for forget in (False, True):
        if forget:
            case.words.forget()
        assert [chunk for chunk, _ in case.words.best(["vehicle", "direction"], 5)] == [row]
        assert case.words.matching('"07 58 white van in"') == case.words.matching('"vehicle white van"') == [row]
        assert case.words.matching("vanlike") == [row]
    chunk = case.pages.chunks([row])[row]
    assert chunk.text == ROW == case.pages.page(chunk.document, 1).text
    assert chunk.search_text.startswith("07:58 · vehicle: white van · direction: in\n\nMuller")
    assert case.verify(silent()).problems == ()
    case.rebuild_index()
    assert case.words.matching('"vehicle white van"') == [row]
    assert case.verify(silent()).problems == ()


def test_tables_that_cannot_be_read_do_not_keep_a_passage_from_being_found(path):
    with CaseFile.create(path, now=clock()) as case:
        row = put_row(case)
    tamper(path, "UPDATE page SET tables = '[[[],[],[]]'")
    with CaseFile.open(path, now=clock()) as case:
        assert case.words.matching('"white van"') == [row]
        assert case.pages.chunks([row])[row].with_headings == ""


BREAKAGES = {
    "word table gone": [f"DROP TABLE {WORD_TABLE}"],
    "words emptied": [f"DELETE FROM {WORD_TABLE}_data WHERE id > 10"],
    "words garbled": [f"UPDATE {WORD_TABLE}_data SET block = zeroblob(length(block)) WHERE id > 10"],
    "a word row missing": [f"DELETE FROM {WORD_TABLE} WHERE rowid = 3"],
    "a word row too many": [f"INSERT INTO {WORD_TABLE} (rowid, text) VALUES (999, 'pump')"],
    "another text": [
        f"DELETE FROM {WORD_TABLE} WHERE rowid = 3",
        f"INSERT INTO {WORD_TABLE} (rowid, text) VALUES (3, 'pump')",
    ],
    "word shadow gone": [f"DROP TABLE {WORD_TABLE}_data"],
}


@pytest.mark.parametrize("statements", BREAKAGES.values(), ids=BREAKAGES.keys())
def test_a_broken_index_is_found_and_made_again(path, statements):
    query = EMBEDDER.embed(["pump stopped"])[0]
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
        words, near = (
            case.words.best(["pump", "valve", "page"], 20),
            case.vectors.nearest(EMBEDDER.fingerprint, query, 20),
        )
    tamper(path, *statements)
    with CaseFile.open(path) as case:
        check = case.verify(silent())
        assert not check.ok
        assert all("rebuild" in problem.hint for problem in check.problems), check.problems
        # Searching a broken index never crashes; it answers or says what is broken.
        for ask in (
            lambda: case.words.best(["pump"], 20),
            lambda: case.vectors.nearest(EMBEDDER.fingerprint, query, 20),
        ):
            with contextlib.suppress(IndexDamaged):
                ask()
        case.rebuild_index()
        assert case.verify(silent()).problems == ()
        assert case.words.best(["pump", "valve", "page"], 20) == words
        assert case.vectors.nearest(EMBEDDER.fingerprint, query, 20) == near
    with CaseFile.open(path) as case:
        assert case.verify(silent()).ok


def test_a_passage_of_an_impossible_length_is_damage_of_the_index(path):
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
        scores = case.words.best(["pump"], 20)
    tamper(path, f"UPDATE {WORD_TABLE}_docsize SET sz = x'ffffffffffffffff7f' WHERE id = 1")
    with CaseFile.open(path) as case:
        with pytest.raises(IndexDamaged, match="impossible length"):
            case.words.best(["pump"], 20)
        case.rebuild_index()
        assert case.words.best(["pump"], 20) == scores


RAISED = "The tank held 10⁶ litres of CO₂ in 2019³."
FLAT = "The tank held 106 litres of CO2 in 2019."


@pytest.mark.parametrize(
    ("words", "documents"),
    [
        ("2019", {"D1", "D2"}),
        ("CO2", {"D1", "D2"}),
        ("CO₂", {"D1", "D2"}),
        ("106", {"D2"}),
        ("10⁶", {"D1"}),
        ("2019³", {"D1"}),
        ("20193", set()),
    ],
)
def test_raised_characters_are_no_digits_of_the_word_before(case, words, documents):
    for number, text in enumerate((RAISED, FLAT)):
        add(case, f"{number}.txt", [text])
    owners = case.pages.documents_of(case.words.matching(fold.phrase([words])))
    assert set(owners.values()) == documents
    assert case.words.document_frequency([words])[words] >= len(documents)
    assert case.verify(silent()).problems == ()
    with case.db.transaction():
        case.words.rebuild()
    assert set(case.pages.documents_of(case.words.matching(fold.phrase([words]))).values()) == documents
    best = [case.pages.documents_of([chunk])[chunk] for chunk, _ in case.words.best([words], 9)]
    assert set(best) >= documents


def test_a_word_of_a_script_without_blanks_is_found_within_its_run(case):
    fill(case)
    add(case, "日本.txt", ["昨夜東京の会議は中止になりました。警備員は門を閉めなかった。"])
    for word in ("中止", "会議", "警備員"):
        ((chunk, _),) = case.words.best([word], 5)
        assert word in case.pages.chunks([chunk])[chunk].text
    assert case.words.best(["中会"], 5) == []
    assert case.words.best(["umps"], 5) == []  # of other scripts only whole words


def test_a_korean_word_is_found_with_the_particle_behind_it(case):
    fill(case)
    add(case, "한국.txt", ["어젯밤 펌프가 멈췄다. 경비원은 문을 잠그지 않았다."])
    for word in ("경비원", "펌프", "경비원은"):
        ((chunk, _),) = case.words.best([word], 5)
        assert case.words.with_words(word) == {chunk}
    assert case.words.best(["비원"], 5) == []


@pytest.mark.parametrize("word", ["strasse", "straße", "groß", "gross", "schloss"])
def test_a_word_with_a_sharp_s_is_found_in_both_spellings(case, word):
    fill(case)
    add(case, "haus.txt", ["Das Schloß an der Straße ist groß."])
    add(case, "hof.txt", ["Das Schloss an der Strasse ist gross."])
    hits = case.pages.documents_of([chunk for chunk, _ in case.words.best([word.casefold()], 9)])
    assert len(set(hits.values())) == 2
