"""What the viewer knows of a case and how a page lies in its room, without a window."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from core.domain import HIDDEN, LAYER, Evidence, Page, Proposal, Word
from gui_app.shared.page_geometry import Mark
from gui_app.viewer.marks import PageContent, flag_sentences, text_flags
from gui_app.viewer.minimap import find_spots, quote_spots
from gui_app.viewer.page_picture import TILE, PagePicture
from gui_app.viewer.page_room import PageRoom
from gui_app.viewer.state import Quotes, ViewerState, load, load_quotes
from gui_app.viewer.word_selection import WordSelection
from tests.gui_app.small_case import open_session

WORDS = tuple(Word(number * 5, number * 5 + 4, number * 10.0, 0.0, number * 10.0 + 8, 10.0) for number in range(4))


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as case_session:
        yield case_session


# --- the case --------------------------------------------------------------------------------------------------------


def test_the_state_has_documents_and_each_its_quotes_in_reading_order(session):
    bench = session.workbench
    state = load(bench)
    assert [document.name for document in state.documents] == ["access_log.txt", "memo.txt", "scan.txt"]
    assert state.first_with_pages() == state.documents[0]
    assert {proposal.quote.document for proposal in bench.verdicts.proposals()} > {state.documents[0].id}
    quotes = load_quotes(bench, state.documents[0].id).of_document(state.documents[0].id)
    assert quotes
    assert [quote[:3] for quote in quotes] == sorted(quote[:3] for quote in quotes)
    assert all(thing.quote.document == state.documents[0].id for *_, thing in quotes)


def test_a_quote_in_the_matrix_stands_for_its_proposal_and_a_rejected_one_is_none(session):
    bench = session.workbench
    proposal, *_ = bench.verdicts.proposals()
    document, page, start, end = (
        *(proposal.quote.document, proposal.quote.page),
        *(proposal.quote.start, proposal.quote.end),
    )
    evidence = bench.evidence.add_quote(document, page, start, end)
    bench.evidence.rate(evidence.id, "H1", "I")
    quotes = load_quotes(bench, document)
    [thing] = [thing for *place, thing in quotes.of_document(document) if place == [page, start, end]]
    assert isinstance(thing, Evidence)
    assert quotes.ratings == {evidence.id: {"H1": "I"}}
    rejections = [replace(entry, status="rejected") for entry in quotes.proposals]
    assert all(isinstance(thing, Evidence) for *_, thing in Quotes((thing,), rejections).of_document(document))


def test_an_empty_case_has_no_first_document():
    assert ViewerState().first_with_pages() is None


# --- the page --------------------------------------------------------------------------------------------------------


def content_of(session) -> PageContent:
    bench = session.workbench
    document = bench.documents.all()[0]
    return PageContent(document, bench.documents.page(document.id, 1), ())


def page_like(page: Page, source: str, *spans: tuple[int, int]) -> Page:
    """The page from another source, with ``spans`` that nobody sees."""
    head = (page.id, page.document, page.number, page.text, page.sha256, page.width, page.height, source)
    return Page(*head, page.confidence, page.label, spans, page.fingerprint, ("colour",) * len(spans))


def test_flags_of_a_text_are_named_and_said(session):
    page = content_of(session).page
    assert (text_flags(page), flag_sentences(page)) == ((), [])
    assert text_flags(page_like(page, "none", (0, 3))) == ("none",)
    assert text_flags(page_like(page, "layer")) == ("layer",)
    assert LAYER in flag_sentences(page_like(page, "layer"))[0]
    part_hidden = page_like(page, page.source, (0, 3), (5, 1_205))
    assert text_flags(part_hidden) == ("hidden",)
    assert flag_sentences(part_hidden) == [
        f"1,203 characters of this page are not visible ({HIDDEN['colour']}). They are neither searched nor judged."
    ]


def test_spots_lie_where_their_pages_are_and_take_the_stance_of_their_mark(session):
    content = content_of(session)
    proposal = next(item for item in session.workbench.verdicts.proposals() if isinstance(item, Proposal))
    quotes = [(1, 0, 4, proposal), (2, 0, 4, proposal)]
    first, second = quote_spots(content, quotes, [Mark(0, 4, "contradicts")])
    assert (first.at, first.stance, first.is_decided) == (0.0, "contradicts", False)
    assert (second.at, second.stance) == (0.5, proposal.verdict.label)
    assert [spot.at for spot in find_spots(content, [(1, len(content.page.text) // 2, 9)])] == [
        pytest.approx(0.25, 0.02)
    ]


@pytest.mark.parametrize(("width", "edge", "lanes"), [(559, 12, 1), (560, 24, 2)])
def test_a_narrow_view_has_narrow_edges_and_one_lane(styled, width, edge, lanes):
    room = PageRoom(width, 400)
    assert (room.edge, room.lanes) == (edge, lanes)


def test_a_page_fits_the_width_or_the_whole_room(styled):
    page, room = QSize(200, 400), PageRoom(600, 500)
    free = 600 - 2 * room.edge - room.gutter
    assert room.width_scale(page, bar=10, has_bar=False) == 2.0  # no wider than reading distance
    wide = QSize(1_000, 2_000)
    assert room.width_scale(wide, bar=10, has_bar=False) == pytest.approx((free - 10) / 1_000)
    assert room.width_scale(wide, bar=10, has_bar=True) == pytest.approx(free / 1_000)
    assert room.page_scale(wide) == pytest.approx((500 - 2 * room.edge) / 2_000)
    assert room.need(page, 1.0) == (200 + 2 * room.edge + room.gutter, 400 + 2 * room.edge)
    assert room.left_of(page, 1.0) == (600 - 200 - room.gutter) / 2


def test_a_large_page_comes_coarse_and_in_tiles():
    picture = PagePicture()
    picture.size = QSize(1_000, 1_000)
    assert picture.wanted_scale(1.0) == 1.0
    assert picture.missing_tiles(1.0, (0, 0, 900, 900)) == []
    assert picture.wanted_scale(4.0) < 2.0
    tiles = picture.missing_tiles(4.0, (0.0, 0.0, 2.0 * TILE, 1.0 * TILE))
    assert [(tile.column, tile.row) for tile in tiles] == [(0, 0), (1, 0)]
    assert tiles[1].clip == (TILE / 4, 0.0, TILE / 2, TILE / 4)
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    assert picture.set_tile(tiles[0], image, exact=4.0)
    assert not picture.set_tile(replace(tiles[1], scale=2.0), image, exact=4.0)
    assert [tile.column for tile in picture.missing_tiles(4.0, (0.0, 0.0, 2.0 * TILE, 1.0 * TILE))] == [1]


def test_the_sharpest_picture_stays_until_the_wanted_one_comes():
    picture, image = PagePicture(), QImage(4, 4, QImage.Format.Format_RGB32)
    assert picture.set_image(image, 0.5, exact=1.0, ratio=1.0)
    assert not picture.set_image(image, 0.3, exact=1.0, ratio=1.0)
    assert picture.set_image(image, 1.0, exact=1.0, ratio=1.0)
    assert not picture.set_image(image, 2.0, exact=1.0, ratio=1.0)
    assert picture.scale == 1.0


def test_a_selection_grows_from_its_anchor_and_ends_with_the_words():
    selection = WordSelection()
    selection.words = WORDS
    assert (selection.offsets(), selection.clear()) == (None, False)
    selection.grow(1, selection.first_word(7, 0.0))
    assert (selection.ends, selection.offsets()) == ((1, 1), (5, 9))
    for _ in range(5):
        selection.grow(1, 0)
    assert (selection.ends, selection.offsets()) == ((1, 3), (5, 19))
    for _ in range(9):
        selection.grow(-1, 0)
    assert (selection.ends, selection.offsets()) == ((1, 0), (0, 9))
    assert selection.rect().width() == 18
    assert selection.within(4, 6) == [1]
    assert selection.clear()
    assert selection.shape == []
