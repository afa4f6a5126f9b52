"""Pages read in their pictures once more: nothing that was decided is lost, nothing is replaced under a quote."""

from __future__ import annotations

import re

import pytest

from core.domain import LAYER_READING as LAYER
from core.domain import CaseSettings, PageText, Reading, Word, Words
from core.errors import BadInput, NoSuchItem
from core.evidence.quotes import span
from core.progress import silent
from core.store import CaseFile
from tests.core.store.material import EMBEDDER, add, clock, embed, halves, proposal

READ = "The valvc was open at 0236. Nobody had sigued for it."
POOR = "Tbe v;lvo w~s 0p3n =t O2:~6. Nxbqdy h|d sjqned fqr xt."


def words_of(text, *, width=9.0):
    """Every word in a box of its own, by its place in the text's first reading."""
    matches = list(re.finditer(r"\S+", text))
    return Words.of([Word(m.start(), m.end(), 20 * index, 1, 20 * index + width, 9) for index, m in enumerate(matches)])


def reading(text, engine, places=None):
    """What an engine read; ``places`` are the boxes of its words where they are not one after the other."""
    words = list(words_of(text))
    if places is not None:
        words = [Word(w.start, w.end, 20 * place, 1, 20 * place + 9, 9) for w, place in zip(words, places, strict=True)]
    count = len(words)
    return Reading(engine, text, Words.of(words), (0.9,) * count, ((),) * count, ("",) * count)


def scan_of(engine_reading):
    return PageText(1, engine_reading.text, engine_reading.words, 595, 842, "ocr", 0.8)


@pytest.fixture
def case(tmp_path):
    with CaseFile.create(tmp_path / "a.disconfirm", who="Ann", now=clock()) as new_case:
        new_case.hypotheses.add("The vendor did it")
        yield new_case


@pytest.fixture
def scan(case):
    add(case, "scan.txt", [""])
    case.db.execute("UPDATE page SET source = 'none', width = 595, height = 842")
    (page,) = case.readings.pages_to_read("D1")
    first = reading(READ, "engine 1")
    case.readings.put(page.id, scan_of(first), halves(READ), [first])
    embed(case)
    return case


@pytest.fixture
def layer_case(case):
    """A page whose text is none, as the reader of a file gives it."""
    add(case, "layer.txt", [POOR])
    with case.db.transaction() as db:
        db.execute("UPDATE page SET width = 595, height = 842, confidence = 0.4")
        case.anchors.pending_pages.add(case.pages.page("D1", 1).id)
    embed(case)
    return case


def reread(case, text, engine="engine 2", places=None):
    engine_reading = reading(text, engine, places)
    return case.readings.read_again(case.pages.page("D1", 1).id, scan_of(engine_reading), [engine_reading])


def add_quote(case, words):
    page = case.pages.page("D1", 1)
    start = page.text.index(words)
    return case.evidence.add(text=words, source="scan", quote=span(page, start, start + len(words))).id


def stands(case):
    page = case.pages.page("D1", 1)
    assert [page.text[w.start : w.end] for w in case.pages.words(page.id)] == page.text.split()
    chunks = case.pages.chunks(case.pages.chunk_ids("D1")).values()
    assert " ".join(chunk.text for chunk in chunks) == page.text
    return page.text


# --- scans read again ------------------------------------------------------------------------------------------------


def test_corrections_survive_another_engine(scan):
    page = scan.pages.page("D1", 1)
    scan.corrections.decide(
        [(page.id, 1, "corrected", "valve"), (page.id, 8, "illegible", ""), (page.id, 5, "accepted", "")]
    )
    effect = reread(scan, "The va1ve was open at 02:36. Nobody had signed for it.")
    # The corrected word stays; the accepted one is what the person saw, whatever is read there now.
    assert stands(scan) == "The valve was open at 0236. Nobody had [?] for it."
    assert (effect.stale, effect.moves) == ((), 0)
    assert [(d.word, d.action, d.text, d.by) for d in scan.corrections.decisions()] == [
        (1, "corrected", "valve", "Ann"),
        (5, "corrected", "0236.", "Ann"),
        (8, "illegible", "", "Ann"),
    ]
    assert scan.pages.page("D1", 1).fingerprint == "engine 2"
    assert [reading.engine for reading in scan.pages.readings(page.id)] == ["engine 1", "engine 2"]
    assert scan.pages.readings(page.id)[0].text == READ
    assert scan.verify(silent()).ok


def test_words_that_were_parted_or_joined_keep_decisions_on_the_others(scan):
    page = scan.pages.page("D1", 1)
    scan.corrections.decide([(page.id, 1, "corrected", "valve"), (page.id, 8, "corrected", "signed")])
    # 'was open' is one word now, and a speck is read before it.
    reread(
        scan, "The va1ve . wasopen at 0236. Nobody had sigmed for it.", places=[0, 1, 1.6, 2.4, 4, 5, 6, 7, 8, 9, 10]
    )
    assert stands(scan) == "The valve . wasopen at 0236. Nobody had signed for it."
    assert [d.word for d in scan.corrections.decisions()] == [1, 8]
    assert scan.words.matching("signed")
    assert not scan.words.matching("sigued")


def test_quotes_move_or_are_stale_and_proposals_stand_on_the_page(scan):
    sound_row, stale_row = add_quote(scan, "had sigued for it."), add_quote(scan, "The valvc")
    proposals = scan.proposals.put([proposal(scan, "H1", scan.pages.chunk_ids("D1")[1])])
    effect = reread(
        scan,
        "The valve was open at 02:36 hours. Nobody had sigued for it.",
        places=[0, 1, 2, 3, 4, 5, 5.7, *range(6, 11)],
    )
    assert effect.stale == (stale_row,)
    text = stands(scan)
    rows = {row.id: row for row in scan.evidence.all()}
    assert text[rows[sound_row].start : rows[sound_row].end] == rows[sound_row].quote == "had sigued for it."
    assert rows[stale_row].quote == "The valvc"
    assert scan.evidence.stale() == {stale_row}
    (waiting,) = scan.proposals.all()
    assert waiting.id == proposals[0].id
    assert text[waiting.quote.start : waiting.quote.end] == waiting.quote.text
    scan.corrections.refresh_quote(stale_row)
    assert scan.verify(silent()).ok


def test_passages_that_changed_lose_their_vectors_and_the_others_keep_them(scan):
    reread(scan, "The valve was open at 0236. Nobody had sigued for it.")
    assert scan.vectors.count_without(EMBEDDER.fingerprint) == 1


def test_a_page_stays_as_it_is_where_a_checked_word_has_no_counterpart(scan):
    page = scan.pages.page("D1", 1)
    scan.corrections.decide([(page.id, 8, "corrected", "signed")])
    original_state = (scan.pages.page("D1", 1), scan.corrections.decisions(), scan.pages.readings(page.id))
    with pytest.raises(BadInput, match="sigued"):
        reread(scan, "The valve was open at 0236. Nobody had for it.", places=[0, 1, 2, 3, 4, 5, 6, 7, 9, 10])
    with pytest.raises(BadInput, match="another order"):
        reread(scan, "Nobody had signed for it. The valve was open at 0236.", places=[6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 5])
    assert (scan.pages.page("D1", 1), scan.corrections.decisions(), scan.pages.readings(page.id)) == original_state


def test_the_same_engine_reads_nothing_anew(scan):
    original_page = scan.pages.page("D1", 1)
    reread(scan, "Something else.", "engine 1", [0, 1])
    assert scan.pages.page("D1", 1) == original_page


def test_undo_does_not_reach_behind_a_reading_that_decisions_moved_with(scan):
    page = scan.pages.page("D1", 1)
    scan.corrections.decide([(page.id, 1, "corrected", "valve")])
    reread(scan, "The va1ve was open at 0236. Nobody had signed for it.")
    assert scan.undo.undoable() is None
    scan.corrections.decide([(page.id, 5, "corrected", "02:36.")])
    scan.undo.undo()
    assert stands(scan) == "The valve was open at 0236. Nobody had signed for it."
    assert scan.undo.undoable() is None
    assert scan.verify(silent()).ok


def test_the_log_tells_the_state_after_a_case_is_opened_again(scan):
    page = scan.pages.page("D1", 1)
    scan.corrections.decide([(page.id, 1, "corrected", "valve")])
    row = add_quote(scan, "Nobody had")
    reread(scan, "The va1ve was open at 02:36. Nobody had signed for it.")
    path = scan.path
    scan.close()
    with CaseFile.open(path, who="Ann") as new_case:
        assert new_case.verify(silent()).ok
        assert new_case.undo.undoable() is None
        assert next(item for item in new_case.evidence.all() if item.id == row).quote == "Nobody had"


# --- text of a file that is none -------------------------------------------------------------------------------------


def replace_text(case):
    engine_reading = reading(READ, "engine 1")
    (page,) = case.readings.pages_to_read("D1")
    return case.readings.replace_text(page.id, scan_of(engine_reading), halves(READ), [engine_reading])


def test_text_that_is_none_makes_way_and_is_kept(layer_case):
    assert layer_case.readings.unread_pages() == {"D1": (0, 1)}
    old = layer_case.pages.chunk_ids("D1")
    chunks = replace_text(layer_case)
    assert not set(old) & set(chunks)
    page = layer_case.pages.page("D1", 1)
    assert (page.text, page.source, page.fingerprint) == (READ, "ocr", "engine 1")
    (layer,) = [reading for reading in layer_case.pages.readings(page.id) if reading.engine == LAYER]
    assert layer.text == POOR
    assert layer_case.words.matching("sigued")
    assert not layer_case.words.matching("sjqned")
    assert layer_case.vectors.count_without(EMBEDDER.fingerprint) == len(chunks)
    assert layer_case.documents.get("D1").chunks == len(chunks)
    assert layer_case.documents.get("D1").pages_without_text == 0
    assert layer_case.readings.unread_pages() == {}
    assert layer_case.verify(silent()).ok


def test_a_text_that_a_person_left_as_it_is_is_not_read_again(layer_case):
    layer_case.readings.leave_text([("D1", 1)])
    layer_case.readings.leave_text([("D1", 1)])  # said twice, kept once
    assert layer_case.readings.left_pages() == {("D1", 1)}
    assert (layer_case.readings.pages_to_read("D1"), layer_case.readings.unread_pages()) == ([], {})
    assert layer_case.settings.get() == CaseSettings()
    assert layer_case.undo.undo().verb == "leave text"
    assert (layer_case.readings.left_pages(), layer_case.readings.unread_pages()) == (frozenset(), {"D1": (0, 1)})
    layer_case.undo.redo()
    assert layer_case.readings.unread_pages() == {}
    layer_case.readings.leave_text([("D1", 1)], left=False)
    assert layer_case.readings.unread_pages() == {"D1": (0, 1)}
    with pytest.raises(NoSuchItem):
        layer_case.readings.leave_text([("D1", 9)])
    assert layer_case.verify(silent()).ok


def test_nothing_is_replaced_under_a_quote(layer_case):
    row = add_quote(layer_case, "h|d sjqned")
    with pytest.raises(BadInput, match=row):
        replace_text(layer_case)
    assert layer_case.pages.page("D1", 1).text == POOR
    layer_case.evidence.remove(row)
    # Undo could bring the row back.
    with pytest.raises(BadInput, match="taken back"):
        replace_text(layer_case)
    layer_case.undo.undo()
    assert layer_case.verify(silent()).ok


def test_nothing_is_replaced_under_a_proposal(layer_case):
    proposals = layer_case.proposals.put([proposal(layer_case, "H1", layer_case.pages.chunk_ids("D1")[0])])
    with pytest.raises(BadInput, match=proposals[0].id):
        replace_text(layer_case)


def test_a_picture_without_words_replaces_no_text(layer_case):
    engine_reading = reading("", "engine 1")
    (page,) = layer_case.readings.pages_to_read("D1")
    with pytest.raises(BadInput, match="Nothing could be read"):
        layer_case.readings.replace_text(page.id, PageText(1, "", Words(), 595, 842, "ocr"), [], [engine_reading])
    assert layer_case.pages.page("D1", 1).text == POOR


def test_text_that_will_do_is_not_replaced(layer_case):
    layer_case.db.execute("UPDATE page SET confidence = NULL")
    assert layer_case.readings.pages_to_read("D1") == []
    page = layer_case.pages.page("D1", 1)
    engine_reading = reading(READ, "engine 1")
    with pytest.raises(BadInput, match="already has text"):
        layer_case.readings.replace_text(page.id, scan_of(engine_reading), halves(READ), [engine_reading])
