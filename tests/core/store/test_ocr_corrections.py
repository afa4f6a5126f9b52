"""Words of scans that people check: the reading stays, the text follows, quotes follow or are stale."""

from __future__ import annotations

import random
import re

import pytest

from core.domain import PageText, Reading, Word, Words
from core.errors import BadInput, NoSuchItem
from core.evidence.quotes import span
from core.progress import silent
from core.store import CaseFile
from tests.core.store.material import EMBEDDER, add, clock, embed, halves, pages_to_ocr, proposal

READ = "The valvc was open at 0236. Nobody had sigued for it."


def words_of(text):
    return Words.of([Word(m.start(), m.end(), m.start(), 1, m.end(), 9) for m in re.finditer(r"\S+", text)])


@pytest.fixture
def case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="Ann", now=clock()) as new_case:
        new_case.hypotheses.add("The vendor did it")
        add(new_case, "scan.txt", [""])
        new_case.db.execute("UPDATE page SET source = 'none', width = 595, height = 842")
        (page,) = pages_to_ocr(new_case, "D1")
        reading = Reading("engine 1", READ, words_of(READ), (0.9,) * 11, ((),) * 11, ("",) * 11)
        new_case.readings.put(page.id, PageText(1, READ, words_of(READ), 595, 842, "ocr", 0.9), halves(READ), [reading])
        embed(new_case)
        yield new_case


def add_quote(case, words):
    page = case.pages.page("D1", 1)
    start = page.text.index(words)
    quote = span(page, start, start + len(words))
    return case.evidence.add(text=words, source="scan.txt", quote=quote).id


def stands(case):
    """Everything that points into the page does so rightly, and the index says the same."""
    page = case.pages.page("D1", 1)
    words = list(case.pages.words(page.id))
    assert [page.text[w.start : w.end] for w in words] == page.text.split()
    chunks = case.pages.chunks(case.pages.chunk_ids("D1")).values()
    assert " ".join(chunk.text for chunk in chunks) == page.text
    for problem in case.verify(silent()).problems:
        assert "corrected or read again" in problem.what
    return page.text


def test_a_corrected_word_is_found_and_the_reading_stays(case):
    page = case.pages.page("D1", 1)
    case.corrections.decide([(page.id, 1, "corrected", "valve"), (page.id, 5, "corrected", " 02:36. ")])
    assert stands(case) == "The valve was open at 02:36. Nobody had sigued for it."
    assert case.words.matching("valve")
    assert not case.words.matching("valvc")
    assert case.pages.readings(page.id)[0].text == READ
    assert [(d.word, d.action, d.text, d.by) for d in case.corrections.decisions()] == [
        (1, "corrected", "valve", "Ann"),
        (5, "corrected", "02:36.", "Ann"),
    ]
    assert case.vectors.count_without(EMBEDDER.fingerprint) == 1  # only of the half that changed
    embed(case)
    assert case.vectors.nearest(EMBEDDER.fingerprint, EMBEDDER.embed(["valve"])[0], 3)


def test_what_lies_behind_a_changed_word_moves_with_it(case):
    row = add_quote(case, "Nobody had sigued")
    earlier_row = add_quote(case, "was open")
    proposals = case.proposals.put([proposal(case, "H1", case.pages.chunk_ids("D1")[1])])
    page = case.pages.page("D1", 1)
    effect = case.corrections.decide([(page.id, 5, "corrected", "two-thirty-six.")])
    assert effect.stale == ()
    text = stands(case)
    for item in case.evidence.all():
        assert text[item.start : item.end] == item.quote == item.text
    (shifted_proposal,) = case.proposals.all()
    assert (
        text[shifted_proposal.quote.start : shifted_proposal.quote.end]
        == shifted_proposal.quote.text
        == "Nobody had sigued for it."
    )
    assert case.evidence.stale() == frozenset()
    assert case.verify(silent()).ok
    assert case.proposals.accept([proposals[0].id])
    assert {row, earlier_row} < {item.id for item in case.evidence.all()}


def test_a_quote_with_a_changed_word_is_stale_until_a_person_takes_the_new_ones(case):
    row = add_quote(case, "The valvc was")
    page = case.pages.page("D1", 1)
    effect = case.corrections.decide([(page.id, 1, "corrected", "valves")])
    assert effect.stale == (row,)
    (item,) = case.evidence.all()
    assert item.quote == "The valvc was"
    assert case.evidence.stale() == {row}
    assert not case.verify(silent()).ok
    case.corrections.refresh_quote(row)
    (item,) = case.evidence.all()
    assert item.quote == item.text == "The valves was" == stands(case)[item.start : item.end]
    assert case.evidence.stale() == frozenset()
    assert case.verify(silent()).ok
    case.undo.undo()
    assert case.evidence.stale() == {row}


def test_undo_and_redo_carry_the_page_with_them(case):
    add_quote(case, "Nobody had")
    add_quote(case, "valvc was open")
    page = case.pages.page("D1", 1)
    state = (case.pages.page("D1", 1), case.evidence.all(), case.pages.chunks(case.pages.chunk_ids("D1")))
    case.corrections.decide([(page.id, 1, "corrected", "long-valve"), (page.id, 2, "illegible", "")])
    corrected_state = (case.pages.page("D1", 1), case.evidence.all(), case.pages.chunks(case.pages.chunk_ids("D1")))
    assert "long-valve [?] open" in corrected_state[0].text
    case.undo.undo()
    assert (case.pages.page("D1", 1), case.evidence.all(), case.pages.chunks(case.pages.chunk_ids("D1"))) == state
    assert case.corrections.decisions() == []
    assert case.verify(silent()).ok
    case.undo.redo()
    assert (
        case.pages.page("D1", 1),
        case.evidence.all(),
        case.pages.chunks(case.pages.chunk_ids("D1")),
    ) == corrected_state
    assert case.words.matching("long")


def test_a_correction_under_a_proposal_is_taken_back(case):
    page = case.pages.page("D1", 1)
    (original_proposal,) = case.proposals.put([proposal(case, "H1", case.pages.chunk_ids("D1")[0])])
    case.corrections.decide([(page.id, 1, "corrected", "long-valve")])
    corrected_proposal = case.proposals.get(original_proposal.id)
    assert "long-valve" in corrected_proposal.quote.text
    case.undo.undo()
    assert case.proposals.get(original_proposal.id) == original_proposal
    case.undo.redo()
    assert case.proposals.get(original_proposal.id) == corrected_proposal
    assert case.verify(silent()).ok


def test_a_word_accepted_as_read_changes_nothing_but_is_known(case):
    page = case.pages.page("D1", 1)
    case.corrections.decide([(page.id, number, "accepted", "") for number in range(3)])
    assert case.pages.page("D1", 1).text == READ
    decisions = case.corrections.words_checked(page.id, 0, 13)
    assert [decision.by for decision in decisions] == ["Ann"] * 3
    assert case.corrections.words_checked(page.id, 0, 20) is None
    case.corrections.decide([(page.id, 1, "", "")])
    assert case.corrections.words_checked(page.id, 0, 13) is None


def test_taking_a_correction_back_heals_the_quote(case):
    row = add_quote(case, "The valvc was")
    page = case.pages.page("D1", 1)
    case.corrections.decide([(page.id, 1, "corrected", "valves")])
    assert case.corrections.decide([(page.id, 1, "", "")]).stale == ()
    assert case.pages.page("D1", 1).text == READ
    assert case.evidence.stale() == frozenset()
    assert case.evidence.all()[0].id == row
    assert case.verify(silent()).ok


def test_what_cannot_be_is_refused_whole(case):
    page = case.pages.page("D1", 1)
    add(case, "typed.txt", ["Not a scan."])
    plain_page = case.pages.page("D2", 1)
    for wrong in ((page.id, 99, "accepted", ""), (page.id, 0, "guessed", ""), (page.id, 0, "corrected", "  ")):
        with pytest.raises(BadInput):
            case.corrections.decide([(page.id, 1, "corrected", "valve"), wrong])
    with pytest.raises(BadInput):
        case.corrections.decide([(plain_page.id, 0, "accepted", "")])
    with pytest.raises(NoSuchItem):
        case.corrections.decide([(999, 0, "accepted", "")])
    assert case.corrections.decisions() == []
    assert case.pages.page("D1", 1).text == READ


@pytest.mark.slow
def test_any_sequence_of_corrections_keeps_everything_in_its_place(case):
    rng = random.Random(5)
    count = len(READ.split())
    for first in range(0, count - 2, 2):  # neighbours that touch, so that places are taken and given up
        text = READ.split()
        add_quote(case, " ".join(text[first : first + 2]))
    page = case.pages.page("D1", 1)
    stands_at = [(case.pages.page("D1", 1), case.evidence.all())]
    for _ in range(40):
        words = rng.sample(range(count), rng.randint(1, 4))
        actions = [rng.choice(["corrected", "corrected", "illegible", "accepted", ""]) for _ in words]
        case.corrections.decide(
            [
                (page.id, w, a, rng.choice(["a", "bb", "ccc", "dddddddd", "é", "02:36"]))
                for w, a in zip(words, actions, strict=True)
            ]
        )
        text = stands(case)
        stale = case.evidence.stale()
        for item in case.evidence.all():
            assert (text[item.start : item.end] == item.quote) == (item.id not in stale)
        if rng.random() < 0.3 and stale:
            case.corrections.refresh_quote(sorted(stale)[0])
        if (case.pages.page("D1", 1), case.evidence.all()) != stands_at[-1]:
            stands_at.append((case.pages.page("D1", 1), case.evidence.all()))
    for _ in range(200):
        if (case.pages.page("D1", 1), case.evidence.all()) == stands_at[0] or case.undo.undo() is None:
            break
    assert (case.pages.page("D1", 1), case.evidence.all()) == stands_at[0]
    assert stands(case) == READ
