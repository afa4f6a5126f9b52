"""A quote that runs over a page break: one row, every stretch of it proven, followed, checked, merged and undone."""

from __future__ import annotations

import random
import re
import shutil
from dataclasses import replace

import pytest

from core.domain import PageText, Reading, Word, Words
from core.errors import BadInput, QuoteNotProven
from core.evidence.quotes import span
from core.progress import silent
from core.store import CaseFile, merge
from core.text import PAGE_BREAK, over_pages
from tests.core.store.material import add, clock, decisions, halves, pages_to_ocr, tamper

PAGES = ("The guard said that the door of hall 4", "was not locked when he left. He went", "home at two and slept.")


def words_of(text):
    return Words.of([Word(m.start(), m.end(), m.start(), 1, m.end(), 9) for m in re.finditer(r"\S+", text)])


def scan(case, name="scan.txt"):
    """PAGES as a scan of three pages."""
    document = add(case, name, ["", "", ""])
    case.db.execute("UPDATE page SET source = 'none', width = 595, height = 842")
    for page, text in zip(pages_to_ocr(case, document), PAGES, strict=True):
        count = len(text.split())
        reading = Reading("engine 1", text, words_of(text), (0.9,) * count, ((),) * count, ("",) * count)
        case.readings.put(
            page.id, PageText(page.number, text, words_of(text), 595, 842, "ocr", 0.9), halves(text), [reading]
        )
    return document


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.disconfirm"


@pytest.fixture
def case(path):
    with CaseFile.create(path, who="Ann", now=clock()) as new_case:
        new_case.hypotheses.add("The vendor did it")
        scan(new_case)
        yield new_case


def add_quote(case, *places):
    """Evidence from (page number, words) of D1."""
    marks = []
    for number, words in places:
        page = case.pages.page("D1", number)
        start = page.text.index(words)
        marks.append((page, start, start + len(words)))
    quote = span(*marks[0], marks[1:])
    text = over_pages(quote.text, *(part.text for part in quote.more))
    return case.evidence.add(text=text, source="scan.txt", quote=quote).id


def row(case, identity="E1"):
    return next(item for item in case.evidence.all() if item.id == identity)


def problems(case):
    return [(p.where, p.what) for p in case.verify(silent()).problems]


OVER = ((1, "the door of hall 4"), (2, "was not locked"))


def test_a_quote_over_a_page_break_is_one_row_with_both_stretches(case):
    identity = add_quote(case, *OVER)
    item = row(case, identity)
    assert (item.page, item.quote) == (1, "the door of hall 4")
    (part,) = item.more
    assert (part.page, part.text) == (2, "was not locked")
    assert case.pages.by_id(part.page_id).text[part.start : part.end] == part.text
    assert item.text == f"the door of hall 4 {PAGE_BREAK} was not locked"
    assert case.verify(silent()).counts["quotes"] == 2
    assert problems(case) == []
    assert add_quote(case, *OVER) == identity
    assert len(case.evidence.all()) == 1


def test_three_pages_are_one_quote_too(case):
    identity = add_quote(case, (1, "hall 4"), (2, PAGES[1]), (3, "home at two"))
    assert [part.page for part in row(case, identity).more] == [2, 3]
    assert problems(case) == []


def test_one_beginning_cannot_go_on_in_two_ways(case):
    add_quote(case, *OVER)
    with pytest.raises(BadInput, match="E1"):
        add_quote(case, OVER[0])
    with pytest.raises(BadInput, match="E1"):
        add_quote(case, OVER[0], (2, "was not"))
    assert len(case.evidence.all()) == 1


def test_pages_must_follow_one_another(case):
    add(case, "other.txt", ["Another text.", "Its second page."])
    first, second, third = (case.pages.page("D1", number) for number in (1, 2, 3))
    for further in (
        [(third, 0, 4)],
        [(first, 0, 4)],
        [(case.pages.page("D2", 2), 0, 4)],
        [(second, 0, 3), (second, 4, 7)],
    ):
        with pytest.raises(BadInput):
            span(first, 0, 9, further)
    with pytest.raises(BadInput):
        span(first, 0, 9, [(second, 3, 4)])  # only a space


def test_every_stretch_is_proven_before_anything_is_kept(case):
    first, second = case.pages.page("D1", 1), case.pages.page("D1", 2)
    quote = span(first, 19, 38, [(second, 0, 14)])
    (part,) = quote.more
    initial_decisions = decisions(case)
    for wrong in (
        replace(part, text="was locked"),
        replace(part, start=1),
        replace(part, end=99),
        replace(part, page_sha256="0" * 64),
        replace(part, page=3),
        replace(part, page_id=case.pages.page("D1", 3).id),
    ):
        with pytest.raises(QuoteNotProven):
            case.evidence.add(text="x", source="", quote=replace(quote, more=(wrong,)))
    assert decisions(case) == initial_decisions


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("was not locked", "was locked", "is not at the recorded place on its page"),
        ('"start":0', '"start":1', "is not at the recorded place on its page"),
        ('"page":2', '"page":3', "not the next one"),
        ("[{", "{", "cannot be read"),
    ],
)
def test_a_stretch_that_was_tampered_with_is_found(case, path, old, new, words):
    add_quote(case, *OVER)
    case.close()
    tamper(path, f"UPDATE evidence SET more = replace(more, '{old}', '{new}')")
    with CaseFile.open(path, who="Ann", now=clock()) as reopened_case:
        faults = [fault for place, fault in problems(reopened_case) if place == "evidence E1"]
        assert any(words in fault for fault in faults)
        assert any("not what the log says" in fault for fault in faults)


def test_a_correction_moves_each_stretch_and_makes_the_right_one_stale(case):
    identity = add_quote(case, (1, "door of hall 4"), (2, "not locked"))
    first, second = case.pages.page("D1", 1), case.pages.page("D1", 2)
    assert case.corrections.decide([(first.id, 0, "corrected", "Every")]).stale == ()
    assert case.corrections.decide([(second.id, 0, "corrected", "had been")]).stale == ()
    item = row(case, identity)
    assert case.pages.page("D1", 1).text[item.start : item.end] == item.quote == "door of hall 4"
    assert case.pages.page("D1", 2).text[item.more[0].start : item.more[0].end] == item.more[0].text == "not locked"
    assert case.evidence.stale() == frozenset()
    assert problems(case) == []

    assert case.corrections.decide([(second.id, 2, "corrected", "blocked")]).stale == (identity,)
    assert row(case, identity).more[0].text == "not locked"
    assert case.evidence.stale() == {identity}
    assert [place for place, _ in problems(case)] == [f"evidence {identity}"]
    case.corrections.refresh_quote(identity)
    item = row(case, identity)
    assert (item.quote, item.more[0].text) == ("door of hall 4", "not blocked")
    assert item.text == f"door of hall 4 {PAGE_BREAK} not blocked"
    assert case.evidence.stale() == frozenset()
    assert problems(case) == []
    for _ in range(4):
        case.undo.undo()
    item = row(case, identity)
    assert (item.quote, item.more[0].text) == ("door of hall 4", "not locked")
    assert case.pages.page("D1", 2).text == PAGES[1]
    assert problems(case) == []


def test_a_quote_is_checked_when_every_word_on_every_page_was_looked_at(case):
    identity = add_quote(case, (1, "hall 4"), (2, "was not"))
    first, second = case.pages.page("D1", 1), case.pages.page("D1", 2)
    assert case.corrections.unchecked() == {identity}
    case.corrections.decide([(first.id, word, "accepted", "") for word in (7, 8)])
    assert case.corrections.unchecked() == {identity}
    case.corrections.decide([(second.id, word, "accepted", "") for word in (0, 1)])
    assert case.corrections.unchecked() == frozenset()


def test_any_sequence_of_corrections_keeps_every_stretch_in_its_place(case):
    rng = random.Random(11)
    add_quote(case, (1, "guard said"), (2, "was not"))
    add_quote(case, (1, "hall 4"), (2, PAGES[1]), (3, "home at"))
    add_quote(case, (2, "He went"), (3, "home at two"))
    add_quote(case, (2, "locked when"))
    start_state = (list(case.pages.of("D1")), case.evidence.all())
    for _ in range(40):
        number = rng.randint(1, 3)
        page = case.pages.page("D1", number)
        count = len(PAGES[number - 1].split())
        sample = rng.sample(range(count), rng.randint(1, 3))
        case.corrections.decide(
            [
                (
                    page.id,
                    word,
                    rng.choice(["corrected", "illegible", "accepted", ""]),
                    rng.choice(["a", "bb", "ccccc"]),
                )
                for word in sample
            ]
        )
        stale = case.evidence.stale()
        pages = {page.id: page.text for page in case.pages.of("D1")}
        for item in case.evidence.all():
            parts = [(item.page_id, item.start, item.end, item.quote)]
            parts += [(part.page_id, part.start, part.end, part.text) for part in item.more]
            assert all(pages[page_id][start:end] == text for page_id, start, end, text in parts) == (
                item.id not in stale
            )
        assert all("corrected or read again" in fault for _, fault in problems(case))
        if stale and rng.random() < 0.3:
            case.corrections.refresh_quote(sorted(stale)[0])
    for _ in range(200):
        if (list(case.pages.of("D1")), case.evidence.all()) == start_state or case.undo.undo() is None:
            break
    assert (list(case.pages.of("D1")), case.evidence.all()) == start_state
    assert problems(case) == []


def test_a_merge_maps_the_page_of_every_stretch(tmp_path):
    own_path, merged_path = tmp_path / "mine.disconfirm", tmp_path / "theirs.disconfirm"
    with CaseFile.create(own_path, who="Ann", now=clock()) as own_case:
        add(own_case, "first.txt", ["Something else, so that pages have other numbers here.", "And more."])
    with CaseFile.create(merged_path, who="Ben", now=clock("2026-03-02T08:00:00+00:00")) as merged_case:
        add(merged_case, "report.txt", PAGES)
        add_quote(merged_case, *OVER)
    copy = tmp_path / "copy.disconfirm"
    shutil.copyfile(merged_path, copy)
    with CaseFile.open(own_path, who="Ann", now=clock("2026-03-03T08:00:00+00:00")) as own_case:
        assert merge(own_case, merged_path, silent()).evidence == 1
        (item,) = own_case.evidence.all()
        assert item.document == "D2"
        assert [own_case.pages.by_id(page_id).number for page_id in (item.page_id, item.more[0].page_id)] == [1, 2]
        assert (item.quote, item.more[0].text) == ("the door of hall 4", "was not locked")
        assert problems(own_case) == []
        second_result = merge(own_case, copy, silent())
        assert (second_result.evidence, second_result.conflicts) == (0, ())
        own_case.undo.undo()
        assert own_case.evidence.all() == []


def test_two_lengths_of_one_quote_meet_as_a_conflict(tmp_path):
    own_path, merged_path = tmp_path / "mine.disconfirm", tmp_path / "theirs.disconfirm"
    for path, who, places in ((own_path, "Ann", OVER[:1]), (merged_path, "Ben", OVER)):
        with CaseFile.create(path, who=who, now=clock()) as case:
            add(case, "report.txt", PAGES)
            add_quote(case, *places)
    with CaseFile.open(own_path, who="Ann", now=clock("2026-03-03T08:00:00+00:00")) as own_case:
        result = merge(own_case, merged_path, silent())
        assert result.evidence == 0
        assert any("pages 1" in text and "1–2" in text for text in result.conflicts)
        assert row(own_case).more == ()
        assert problems(own_case) == []
