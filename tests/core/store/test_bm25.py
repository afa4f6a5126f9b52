"""What is searched in memory gives what brute force, sqlite-vec and rank-bm25 give, and keeps up with the case."""

from __future__ import annotations

import random

import numpy
import pytest
from rank_bm25 import BM25Okapi

from core.domain import PageText, Section, Span
from core.errors import IndexDamaged
from core.ports import Outline
from core.store import CaseFile
from core.store.schema import WORD_TABLE
from tests.core.store.material import add, clock, fill, tamper
from tests.core.store.random_case import MODEL, begun, brute, units, with_chunks, words_of


@pytest.fixture
def case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="ann", now=clock()) as new_case:
        yield new_case


def test_scopes_and_chosen_chunks_leave_the_rest_out_on_both_ways(case):
    rng = numpy.random.default_rng(3)
    of, rows = {}, {}
    for number in range(6):
        document, ids = with_chunks(case, f"{number}.txt", ["word"] * 40)
        of |= dict.fromkeys(ids, document)
    rows = dict(zip(of, units(rng, len(of)), strict=True))
    case.vectors.put(MODEL, list(rows.items()))
    sample = random.Random(1).sample(list(of), 50)
    query = units(rng, 1)[0]
    for include, exclude, among in (
        (["D2", "D5"], [], None),
        (None, ["D1", "D6"], None),
        (["D1", "D2"], ["D2"], None),
        (None, [], sample),
        (["D3"], [], sample),
        (["D3"], ["D3"], None),
        (["D99"], [], None),
        (None, [], []),
    ):
        allowed = {
            chunk: data
            for chunk, data in rows.items()
            if (include is None or of[chunk] in include)
            and of[chunk] not in exclude
            and (among is None or chunk in among)
        }
        expected = [chunk for chunk, _ in brute(allowed, query, 20)]
        for room in (10**9, 0):
            case.vectors.memory_for_search = room
            hits = case.vectors.nearest(MODEL, query, 20, include=include, exclude=exclude, among=among)
            assert [chunk for chunk, _ in hits] == expected
            words = case.words.best(["word"], 20, include=include, exclude=exclude, among=among)
            assert {chunk for chunk, _ in words} <= set(allowed)
            assert len(words) == min(20, len(allowed))


def test_what_is_written_is_in_the_next_search(case):
    rng = numpy.random.default_rng(8)
    _, ids = with_chunks(case, "1.txt", ["pump valve"] * 30)
    rows = dict(zip(ids, units(rng, 30), strict=True))
    case.vectors.put(MODEL, list(rows.items()))
    query = units(rng, 1)[0]

    def same():
        expected = brute(rows, query, 10)
        hits = case.vectors.nearest(MODEL, query, 10)
        assert [chunk for chunk, _ in hits] == [chunk for chunk, _ in expected]
        assert [cosine for _, cosine in hits] == pytest.approx([cosine for _, cosine in expected])

    same()
    assert len(case.words.best(["valves"], 100)) == 30
    _, more = with_chunks(case, "2.txt", ["a valve of another kind"] * 3)
    rows |= dict(zip(more, units(rng, 3), strict=True))
    assert [chunk for chunk, _ in case.words.best(["kind"], 9)] == more
    case.vectors.put(MODEL, [(chunk, rows[chunk]) for chunk in more])
    same()
    rows[ids[4]] = query  # a vector that changes
    case.vectors.put(MODEL, [(ids[4], query)])
    same()
    assert case.vectors.nearest(MODEL, query, 1)[0][0] == ids[4]
    # A document that is given up takes its passages along, and what was taken back never was.
    unfinished = add(case, "3.txt", ["valve " * 3], finish=False)
    previous_hits = case.words.best(["valve"], 100)
    case.documents.drop(unfinished)
    assert case.words.best(["valve"], 100) == previous_hits
    with pytest.raises(ValueError):
        case.vectors.put(MODEL, [(ids[0], units(rng, 1)[0]), (ids[1], b"\0" * 96)])
    same()
    _, new_ids = with_chunks(case, "4.txt", ["quite new"])
    assert [chunk for chunk, _ in case.words.best(["new"], 9)] == new_ids


@pytest.mark.parametrize("count", [40, 900, 3000])
def test_words_are_ranked_as_rank_bm25_ranks_them(case, count):
    rng = random.Random(count)
    texts = [" ".join(words_of(rng, rng.randrange(5, 90))) for _ in range(count)]
    ids = [
        chunk
        for start in range(0, count, 500)
        for chunk in with_chunks(case, f"{start}.txt", texts[start : start + 500])[1]
    ]
    oracle = BM25Okapi([case.words._cut(text, 4) for text in texts])
    for _ in range(25):
        query = list(dict.fromkeys(words_of(rng, 8)))
        tokens = list(dict.fromkeys(term[0] for word in query for term in case.words._terms(word)))
        scores = oracle.get_scores(tokens)
        expected = sorted(range(count), key=lambda index: (-scores[index], index))[:30]
        hits = case.words.best(query, 30)
        expected_hits = [
            (ids[index], scores[index])
            for index in expected
            if any(word in case.words._cut(texts[index], 4) for word in tokens)
        ]
        overlap = {chunk for chunk, _ in expected_hits} & {chunk for chunk, _ in hits}
        assert len(overlap) >= 0.95 * len(expected_hits)
        expected_scores = dict(expected_hits)
        for chunk, score in hits:
            if chunk in expected_scores and expected_scores[chunk] > 0:
                assert score == pytest.approx(expected_scores[chunk], rel=1e-4, abs=0.02)


def test_a_small_scope_is_ranked_by_its_own_statistics(case):
    rng = random.Random(2)
    _, first = with_chunks(case, "1.txt", [" ".join(words_of(rng, 40)) for _ in range(300)])
    texts = [" ".join(["pump", *words_of(rng, 30)]) for _ in range(80)]
    document, ids = with_chunks(case, "2.txt", texts)
    oracle = BM25Okapi([case.words._cut(text, 4) for text in texts])
    query = ["pump", *words_of(rng, 6)]  # a word that stands in all of them has the floor as its weight
    tokens = list(dict.fromkeys(term[0] for word in query for term in case.words._terms(word)))
    scores = oracle.get_scores(tokens)
    expected = [ids[index] for index in sorted(range(80), key=lambda index: (-scores[index], index))[:30]]
    chunks = [chunk for chunk, _ in case.words.best(query, 30, include=[document])]
    assert len(set(chunks) & set(expected)) >= 29
    assert first


def test_new_documents_are_ranked_as_if_all_had_come_at_once(case, tmp_path):
    rng = random.Random(4)
    texts = [" ".join(words_of(rng, 50)) for _ in range(400)]
    query = words_of(rng, 10)
    for start in range(0, 400, 40):
        with_chunks(case, f"{start}.txt", texts[start : start + 40])
        case.words.best(query, 30)  # so that everything later comes in bit by bit
    hits = case.words.best(query, 30)
    case.words._said = None
    assert case.words.best(query, 30) == hits


def test_a_title_and_headings_find_their_passages_and_are_no_text(case):
    document = begun(case, "scan0001.txt")
    text = "The crew left. Nothing was said.\n\nThe hull was dry. Paint came off."
    half = text.index("The hull")
    page = PageText(1, text, sections=(Section(1, "Watch", 0), Section(2, "Inspection of the tanker", half)))
    first, second = case.documents.put_pages(document, [(page, [Span(0, half - 2), Span(half, len(text))])])
    case.documents.finish(document, Outline("text", 1, title="Harbour diary", date="2024-03-05"))
    with_chunks(case, "other.txt", ["The tanker came in."] + ["Nothing of note."] * 8)
    assert {chunk for chunk, _ in case.words.best(["diary"], 9)} == {first, second}
    ranked = [chunk for chunk, _ in case.words.best(["tanker"], 9)]
    assert ranked == [second + 1, second]  # in the text it counts more than above it
    assert [chunk for chunk, _ in case.words.best(["watch", "inspection"], 9)] == [second, first]
    assert case.words.matching("diary") == []
    assert "diary" not in case.pages.chunks([first])[first].text
    assert [chunk for chunk, _ in case.words.best(["scan0001"], 9)] == []


@pytest.mark.parametrize(
    "statement",
    [
        f"DELETE FROM {WORD_TABLE} WHERE rowid = 3",
        f"INSERT INTO {WORD_TABLE} (rowid, text) VALUES (999, 'pump')",
        f"DROP TABLE {WORD_TABLE}",
        f"DELETE FROM {WORD_TABLE}_docsize",
    ],
)
def test_an_index_that_disagrees_with_the_passages_is_found_and_made_again(tmp_path, statement):
    path = tmp_path / "a.disconfirm"
    with CaseFile.create(path, now=clock()) as case:
        fill(case)
        hits = case.words.best(["pump", "valve", "page"], 20)
        assert hits
    tamper(path, statement)
    with CaseFile.open(path) as case:
        with pytest.raises(IndexDamaged):
            case.words.best(["pump", "valve", "page"], 20)
        case.rebuild_index()
        assert case.words.best(["pump", "valve", "page"], 20) == hits


def test_words_count_with_those_that_look_like_them(case):
    texts = ["насос остановился", "насоса не было слышно", "о насосах известно", "вода и ветер", "наши носы"]
    _, chunks = with_chunks(case, "a", texts)
    assert {chunk for chunk, _ in case.words.best(["насос"], 10)} == set(chunks[:3])  # by their stem
    assert case.words.best(["насосная"], 10) == []
    hits = case.words.best(["насосная"], 10, forms=True)
    assert {chunk for chunk, _ in hits} == set(chunks[:3])
    _, more = with_chunks(case, "b", ["насосами здесь не торгуют"])
    case.words.best(["вода"], 10, forms=True)
    later_chunks = [chunk for chunk, _ in case.words.best(["насос"], 10, forms=True)]
    assert set(later_chunks) == {*chunks[:3], *more}
    inside = case.words.best(["насос"], 10, forms=True, among=chunks[1:])
    assert {chunk for chunk, _ in inside} == set(chunks[1:3])


def test_what_looks_alike_is_what_comparing_every_pair_finds(case):
    rng = random.Random(3)
    with_chunks(case, "a", [" ".join(words_of(rng, 40)) for _ in range(60)])
    word_memory = case.words._words_in_memory()

    def runs(word):
        marked = f"\0{word}\0"
        return {marked[start : start + 3] for start in range(len(marked) - 2)}

    frequencies = case.words._frequencies()
    for word in [*sorted(frequencies)[::40], "parotimek", "x", "𐌰𐌱"]:
        similarities = {
            candidate: shared / (len(runs(word)) + len(runs(candidate)))
            for candidate in frequencies
            if (shared := 2 * len(runs(word) & runs(candidate))) >= 0.5 * (len(runs(word)) + len(runs(candidate)))
        }
        ordered = sorted(similarities.items(), key=lambda pair: (-pair[1], pair[0]))[:50]
        assert [(w, round(v, 9)) for w, v in word_memory.alike(word)] == [(w, round(v, 9)) for w, v in ordered]
