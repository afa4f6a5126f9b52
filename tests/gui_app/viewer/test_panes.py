"""What stands around the page: thumbnails, outline, map, two documents, text and OCR beside it, both readings; quotes
over a page break, tiles, and one page with the real reader."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from core.domain import LAYER, Changes, Document, Page, PageText, Reading, Section, Word, Words
from core.ports import Outline
from core.workers.engines import ReaderClient
from gui_app import window_state
from gui_app.shared.page_geometry import Mark, PageWords, lines
from gui_app.viewer import hypothesis_stripes
from gui_app.viewer.marks import PageContent, PageSpan, check_of, citation, facts, marks_of_page, page_name, page_number
from gui_app.viewer.page_picture import TILE
from gui_app.viewer.page_pictures import PictureRequest
from gui_app.viewer.screen import BOTH, OCR, SECOND, TEXT, ViewerScreen
from gui_app.viewer.side_by_side import shown_marks
from gui_app.viewer.sidebar import OUTLINE, PAGES, QUOTES
from gui_app.viewer.text_view import TextView
from tests.fakes import PlainReader
from tests.gui_app.small_case import open_session, put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier


class PrintedReader(PlainReader):
    """Pages with labels, a heading on each, and a stretch on the first page of the log that nobody sees."""

    def read(self, data, name, *, password=""):
        for item in super().read(data, name):
            if isinstance(item, Outline):
                yield item
                continue
            assert isinstance(item, PageText)
            hidden_spans = ((4, 10),) if name == "access_log.txt" and item.number == 1 else ()
            yield replace(
                item,
                label={1: "iv", 2: "v"}.get(item.number, ""),
                hidden_spans=hidden_spans,
                hidden_why=("colour",) * len(hidden_spans),
                sections=(Section(item.number, f"Part {item.number}", 0),) if item.text.strip() else (),
            )


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(replace(engines, reader=PrintedReader()), tmp_path) as case_session:
        yield case_session


@pytest.fixture
def screen(qtbot, session):
    viewer = ViewerScreen(session)
    put_on_show(qtbot, viewer, 1400, 800)
    return viewer


def document_of(session, name: str) -> str:
    return next(document.id for document in session.workbench.documents.all() if document.name == name)


# --- the lists at the left -------------------------------------------------------------------------------------------


def test_pages_are_small_pictures_with_their_printed_names(qtbot, screen, session):
    screen.open_source(document_of(session, "access_log.txt"), 1, 0, 0)
    qtbot.keyClick(screen.page_view, Key.Key_G)
    pages = screen.side.pages
    assert screen.side.name() == PAGES
    assert [pages.item(index).text() for index in range(pages.count())] == ["iv (1)", "v (2)"]
    qtbot.waitUntil(lambda: pages.picture(1) is not None and pages.picture(2) is not None)
    assert pages.picture(1).height() > pages.picture(1).width() > 50
    assert pages.hasFocus()
    qtbot.keyClick(pages, Key.Key_Down)
    qtbot.keyClick(pages, Key.Key_Return)
    assert screen.state()[1] == 2
    spoken_name = pages.item(1).data(int(Qt.ItemDataRole.AccessibleTextRole))
    assert spoken_name.startswith("Page v (2), ")
    assert spoken_name.endswith(("quote", "quotes"))


def test_the_outline_leads_to_its_sections(qtbot, screen, session):
    screen.open_source(document_of(session, "access_log.txt"), 1, 0, 0)
    qtbot.keyClick(screen.page_view, Key.Key_U)
    tree = screen.side.outline
    assert screen.side.name() == OUTLINE
    top = tree.topLevelItem(0)
    assert (top.text(0), top.child(0).text(0)) == ("Part 1", "Part 2")
    tree.setCurrentItem(top.child(0))
    qtbot.keyClick(tree, Key.Key_Return)
    assert screen.state()[1] == 2
    assert tree.currentItem().text(0) == "Part 2"
    assert "Part 2" in screen.pane.facts.text()


def test_an_empty_list_says_what_to_do(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        screen = ViewerScreen(session)
        put_on_show(qtbot, screen, 1400, 800)
        screen.side.turn(QUOTES)
        assert screen.side.stack.currentWidget() is screen.side.empty
        assert "press A" in screen.side.empty.text()
        screen.side.turn(OUTLINE)
        assert "no outline" in screen.side.empty.text()


def test_what_was_open_is_open_the_next_time(qtbot, screen, session):
    qtbot.keyClick(screen.page_view, Key.Key_U)
    screen.commands.beside[TEXT].trigger()
    next_screen = ViewerScreen(session)
    put_on_show(qtbot, next_screen, 1400, 800)
    assert next_screen.side.name() == OUTLINE
    assert next_screen.side.isVisible()
    assert next_screen.beside.linked_text.isVisible()
    window_state.keep_pane("viewer-side", "")
    window_state.keep_pane("viewer-beside", "")


# --- moving ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "page"),
    [
        ("iv", 4),
        ("IV", 4),
        ("5", 9),
        ("#5", 5),
        ("9", 9),
        ("v (5)", 5),
        ("p. 7", 7),
        ("0", None),
        ("x", None),
        ("", None),
    ],
)
def test_a_page_is_found_by_its_printed_name_or_its_number(entry, page):
    labels = {4: "iv", 9: "5"}
    assert page_number(entry, labels, 12) == page


def test_a_printed_name_is_typed(qtbot, screen, session):
    screen.open_source(document_of(session, "access_log.txt"), 1, 0, 0)
    assert (screen.tools.page_field.text(), screen.tools.of_pages.text()) == ("iv", "(1 of 2)")
    qtbot.keyClick(screen.page_view, Key.Key_G, Modifier.ControlModifier)
    qtbot.keyClicks(screen.tools.page_field, "v")
    qtbot.keyClick(screen.tools.page_field, Key.Key_Return)
    assert screen.state()[1] == 2
    messages = []
    session.status.connect(messages.append)
    screen.tools.focus_page()
    qtbot.keyClicks(screen.tools.page_field, "99")
    qtbot.keyClick(screen.tools.page_field, Key.Key_Return)
    assert messages == ["access_log.txt has no page “99”."]
    assert screen.state()[1] == 2


def test_the_map_shows_quotes_and_hits_of_all_pages_and_leads_there(qtbot, screen, session):
    document = document_of(session, "access_log.txt")
    screen.open_source(document, 1, 0, 0)
    quotes = screen.quotes_of_document()
    assert {(spot.page, spot.start, spot.end) for spot in screen.pane.map.spots()} == {quote[:3] for quote in quotes}
    screen.finder.bar.open()
    qtbot.keyClicks(screen.finder.bar.field, "vendor account")
    qtbot.waitUntil(lambda: screen.finder.bar.count.text() == "1 / 2")
    hits = [spot for spot in screen.pane.map.spots() if not spot.name]
    assert [spot.page for spot in hits] == [1, 2]
    assert 0 <= hits[0].at < 0.5 <= hits[1].at <= 1
    y = screen.pane.map.y_of(hits[1].at)
    only = [spot for spot in screen.pane.map.spots() if abs(screen.pane.map.y_of(spot.at) - y) < 1]
    qtbot.mouseClick(screen.pane.map, Qt.MouseButton.LeftButton, pos=QPoint(10, round(y)))
    assert screen.state()[1] == only[0].page == 2


def test_the_map_says_what_is_in_sight_when_the_room_changes(qtbot, screen, session):
    """A narrower view shows more of a page that fits its width, and no bar moves for it."""
    screen.open_source(document_of(session, "access_log.txt"), 1, 0, 0)
    for width, height in ((1400, 420), (500, 420), (1400, 800)):
        screen.resize(width, height)
        qtbot.wait(30)
        top, bottom = screen.pane.view().visible_part()
        assert screen.pane.map._band == (top / 2, bottom / 2)


def test_typing_a_word_of_another_page_goes_there(qtbot, screen, session):
    screen.open_source(document_of(session, "access_log.txt"), 1, 0, 0)
    screen.finder.bar.open()
    qtbot.keyClicks(screen.finder.bar.field, "engineer")
    qtbot.waitUntil(lambda: screen.state()[1] == 2)
    assert screen.finder.bar.count.text() == "1 / 1"
    screen.turn(-1)
    assert screen.state()[1] == 1
    qtbot.wait(300)
    assert screen.state()[1] == 1


# --- beside the page -------------------------------------------------------------------------------------------------


def test_two_documents_stand_side_by_side(qtbot, screen, session):
    log, memo = document_of(session, "access_log.txt"), document_of(session, "memo.txt")
    screen.open_source(log, 2, 0, 0)
    with qtbot.waitSignal(screen.room_changed):
        qtbot.keyClick(screen.page_view, Key.Key_B)
    assert screen.wants_room()
    second = screen.beside.second
    assert second is not None
    assert (second.content.document.id, second.content.page.number) == (log, 2)
    assert screen.active is second
    screen.turn(-1)
    assert (second.content.page.number, screen.pane.content.page.number) == (1, 2)
    screen.tools.picker.setCurrentIndex(screen.tools.picker.findData(memo))
    screen.tools.picker.activated.emit(screen.tools.picker.currentIndex())
    assert (second.content.document.id, screen.pane.content.document.id) == (memo, log)
    qtbot.waitUntil(lambda: second.page_view.picture_scale() == second.page_view.wanted_scale())
    # A quote picked in the second is a quote of the second document.
    second.page_view.select(4, 8)
    screen.quote_actions.add()
    (evidence,) = session.workbench.evidence.all()
    assert (evidence.document, evidence.quote) == (memo, "pump")
    qtbot.keyClick(second.page_view, Key.Key_B, Modifier.ShiftModifier)
    assert screen.active is screen.pane
    assert screen.tools.picker.currentData() == log
    qtbot.keyClick(screen.page_view, Key.Key_B)
    assert not screen.beside.isVisible()
    assert not screen.wants_room()


def test_a_citation_opens_on_the_left_whatever_side_is_in_use(qtbot, screen, session):
    memo = document_of(session, "memo.txt")
    screen.commands.beside[SECOND].trigger()
    screen.open_source(memo, 1, 4, 8)
    assert screen.pane.content.document.id == memo
    assert screen.active is screen.pane


def test_going_back_brings_the_document_beside_it_back_too(qtbot, screen, session):
    log, memo = document_of(session, "access_log.txt"), document_of(session, "memo.txt")
    moves = []
    screen.moved.connect(lambda: moves.append(screen.state()))
    screen.open_source(memo, 1, 4, 8)
    screen.commands.beside[SECOND].trigger()
    screen.beside.second.open(log, 1, 0, 0)
    screen.beside.second.open(log, 2, 0, 0)
    assert moves[-1] == (memo, 1, 4, 8, (log, 2, 0, 0))
    screen.commands.beside[SECOND].trigger()
    assert moves[-1] == (memo, 1, 4, 8)
    screen.restore((memo, 1, 4, 8, (log, 1, 0, 0)))
    assert screen.beside.second.isVisible()
    assert screen.beside.second.place() == (log, 1, 0, 0)
    screen.restore((log, 2, 0, 0))
    assert not screen.beside.second.isVisible()
    assert screen.state() == (log, 2, 0, 0)


def test_a_word_pointed_at_in_the_text_is_framed_on_the_page_and_back(qtbot, screen, session):
    screen.open_source(document_of(session, "memo.txt"), 1, 0, 0)
    screen.commands.beside[TEXT].trigger()
    words = screen.pane.content.words
    screen.beside.linked_text.view.hovered.emit(words[2].start + 1)
    assert [(box.left(), box.top()) for box in screen.page_view.marks.links] == [(words[2].x0, words[2].y0)]
    screen.beside.linked_text.view.hovered.emit(None)
    assert screen.page_view.marks.links == []
    QApplication.processEvents()  # the page fits its new room first
    middle = screen.page_view.to_view(lines(words[3:4])[0]).center().toPoint()
    qtbot.mouseMove(screen.page_view.viewport(), middle)
    qtbot.waitUntil(lambda: screen.beside.linked_text.view._link_span == (words[3].start, words[3].end))


def test_words_picked_in_the_text_beside_are_picked_on_the_page(qtbot, screen, session):
    screen.open_source(document_of(session, "memo.txt"), 1, 0, 0)
    screen.commands.beside[TEXT].trigger()
    screen.beside.linked_text.view.select(4, 15)
    qtbot.waitUntil(screen.selection_bar.isVisible)
    assert screen.selection() == (4, 15)


def test_what_each_engine_read_stands_beside_the_page(qtbot, screen, session, monkeypatch):
    memo = document_of(session, "memo.txt")
    first = Reading(
        "tesseract 1 5.5", "Tho pump", Words.of([Word(0, 3, 20, 20, 41, 32), Word(4, 8, 48, 20, 76, 32)]), (0.5, 0.9)
    )
    second = Reading(
        "pp-ocr 1", "The pump", Words.of([Word(0, 3, 20, 20, 41, 32), Word(4, 8, 48, 20, 76, 32)]), (0.9, 0.9)
    )
    monkeypatch.setattr(session.workbench.store.pages, "readings", lambda _page: [first, second])
    screen.open_source(memo, 1, 0, 0)
    screen.commands.beside[OCR].trigger()
    names = [screen.beside.linked_text.choice.itemText(n) for n in range(screen.beside.linked_text.choice.count())]
    assert names == ["Text of the case", "Tesseract", "Pp-ocr"]
    screen.beside.linked_text.choice.setCurrentIndex(1)
    assert screen.beside.linked_text.view.toPlainText() == "Tho pump"
    # The first word of the page stands where the first word of the reading does.
    screen.beside.link_word(screen.pane, 0)
    assert screen.beside.linked_text.view._link_span == (0, 3)


def test_both_readings_say_what_is_not_seen_and_why(qtbot, screen, session):
    screen.open_source(document_of(session, "access_log.txt"), 1, 0, 0)
    assert "6 characters" in screen.pane.banner.text.text()
    assert "in the colour of what is behind it" in screen.pane.banner.text.text()
    screen.pane.banner.both_button.click()
    assert screen.beside.currentWidget() is screen.beside.both
    text = screen.beside.both.text.toPlainText()
    assert "The account logged in" in " ".join(text.split())  # seen
    assert "The vendor account logged in" in " ".join(text.split())  # said
    assert "Not visible: in the colour of what is behind it" in text
    screen.turn(1)
    assert "Everything that the file says is visible" in screen.beside.both.summary.text()
    screen.commands.beside[BOTH].trigger()
    assert not screen.beside.isVisible()


def test_hidden_text_that_was_looked_at_is_said_no_more(qtbot, screen, session):
    document = document_of(session, "access_log.txt")
    screen.open_source(document, 1, 0, 0)
    assert screen.pane.banner.isVisible()
    screen.pane.banner.leave_button.click()
    assert not screen.pane.banner.isVisible()
    screen.turn(1)
    screen.turn(-1)
    assert not screen.pane.banner.isVisible()
    assert session.workbench.documents.page(document, 1).hidden_spans  # it is neither searched nor judged all the same
    session.undo()
    assert screen.pane.banner.isVisible()
    qtbot.keyClick(screen.pane.page_view, Key.Key_L)
    qtbot.keyClick(screen.pane.page_view, Key.Key_L)
    assert screen.pane.banner.isVisible()  # L says it, and takes it back


def test_the_layer_of_a_scan_is_said_until_a_person_compared_it(qtbot, screen, session, monkeypatch):
    document = document_of(session, "access_log.txt")
    whole = session.workbench.store.pages.page
    layer = {"source": "layer", "hidden_spans": (), "hidden_why": ()}
    monkeypatch.setattr(session.workbench.store.pages, "page", lambda *where: replace(whole(*where), **layer))
    screen.open_source(document, 1, 0, 0)
    assert LAYER in screen.pane.banner.text.text()
    assert LAYER in facts(screen.pane.content, None)
    span = PageSpan(1, 0, 5, "words")
    assert check_of(session.workbench, document, [span]) == LAYER
    screen.pane.banner.leave_button.click()
    assert not screen.pane.banner.isVisible()
    assert check_of(session.workbench, document, [span]) == ""


def test_text_that_does_not_look_like_text_is_flagged_until_it_is_left(qtbot, screen, session, monkeypatch):
    document = document_of(session, "access_log.txt")
    whole = session.workbench.store.pages.page

    def poor(*where):
        page = whole(*where)
        return replace(page, confidence=0.4, hidden_spans=(), hidden_why=(), width=595.0, height=842.0)

    monkeypatch.setattr(session.workbench.store.pages, "page", poor)
    screen.open_source(document, 1, 0, 0)
    assert "looks garbled" in screen.pane.banner.text.text()
    screen.pane.banner.both_button.click()
    assert screen.beside.currentWidget() is screen.beside.linked_text
    assert not screen.pane.banner.both_button.isVisible()  # it stands there already
    screen.pane.banner.leave_button.click()
    assert not screen.pane.banner.isVisible()
    assert session.workbench.ocr.left_pages() == {(document, 1)}
    screen.pane.leave_text()
    monkeypatch.setattr(
        session.workbench.store.pages, "page", lambda *where: replace(whole(*where), confidence=0.4, width=9.0)
    )
    screen.open_source(document, 1, 0, 0)  # poor, and some of it hidden
    assert "looks garbled" in screen.pane.banner.text.text()
    assert "6 characters" in screen.pane.banner.text.text()


def test_characters_that_nobody_sees_are_written_out():
    assert shown_marks("a\u200bb\u202ecd") == "a⟨U+200B zero width space⟩b⟨U+202E right-to-left override⟩cd"


# --- selection -------------------------------------------------------------------------------------------------------


def test_a_quote_over_a_page_break_is_one_quote_with_two_highlights(qtbot, screen, session):
    document = document_of(session, "access_log.txt")
    first, second = (session.workbench.documents.page(document, number) for number in (1, 2))
    screen.open_source(document, 1, 0, 0)
    start = first.text.index("The badge")
    screen.page_view.select(start, len(first.text))
    screen.page_view.setFocus()
    qtbot.keyClick(screen.page_view, Key.Key_PageDown, Modifier.ShiftModifier)
    assert screen.state()[1] == 2
    assert screen.pane.quote_head_bar.isVisible()
    assert "on page iv" in screen.pane.quote_head_bar.text.text()
    # Shift and a click take everything from the top of the page to that word.
    words = screen.pane.content.words
    point = screen.page_view.to_view(lines(words[2:3])[0]).center().toPoint()
    qtbot.mouseClick(screen.page_view.viewport(), Qt.MouseButton.LeftButton, Modifier.ShiftModifier, point)
    assert second.text[slice(*screen.selection())] == "The vendor account"
    screen.quote_actions.copy()
    clipboard = QGuiApplication.clipboard().text()
    start = "“The badge reader shows no entry after ten. The vendor account” (access_log.txt, pp. iv–v (1–2), section"
    assert clipboard.startswith(start)
    qtbot.keyClick(screen.page_view, Key.Key_A)
    (evidence,) = session.workbench.evidence.all()
    assert evidence.quote == "The badge reader shows no entry after ten."
    assert [part.text for part in evidence.more] == ["The vendor account"]
    assert not screen.pane.quote_head_bar.isVisible()
    screen.refresh()
    marks = {(mark.start, mark.end): mark for mark, _ in screen.pane.things}
    on_second = marks[(second.text.index("The vendor"), len("The vendor account"))]
    assert (on_second.from_before, on_second.goes_on) == (True, False)
    screen.turn(-1)
    on_first = next(mark for mark, thing in screen.pane.things if thing.id == evidence.id)
    assert (on_first.from_before, on_first.goes_on) == (False, True)
    matches = [quote for quote in screen.quotes_of_document() if quote[3].id == evidence.id]
    assert len(matches) == 1


def test_a_quote_that_was_begun_can_be_left(qtbot, screen, session):
    screen.open_source(document_of(session, "access_log.txt"), 1, 0, 0)
    screen.page_view.select(0, 10)
    screen.quote_actions.go_on()
    screen.pane.quote_head_bar.stop_button.click()
    assert not screen.pane.quote_head_bar.isVisible()
    screen.page_view.select(0, 10)
    messages = []
    session.status.connect(messages.append)
    screen.quote_actions.go_on()
    assert messages == ["This is the last page."]


def test_what_is_in_the_matrix_already_is_not_added_and_offers_no_undo(screen, session):
    screen.page_view.select(0, 11)
    messages = []
    session.told.connect(lambda text, undo: messages.append((text, undo)))
    screen.quote_actions.add()
    screen.page_view.select(0, 11)
    screen.quote_actions.add()
    assert [undo for _, undo in messages] == [True, False]
    assert messages[1][0] == f"This quote is in the matrix already: {session.workbench.evidence.all()[-1].id}"


def test_a_note_goes_with_its_quote(qtbot, screen, session):
    screen.open_source(document_of(session, "memo.txt"), 1, 0, 0)
    screen.page_view.select(4, 15)
    screen.page_view.setFocus()
    qtbot.keyClick(screen.page_view, Key.Key_M)
    assert screen.selection_bar.note.hasFocus()
    qtbot.keyClicks(screen.selection_bar.note, "ask the engineer")
    qtbot.keyClick(screen.selection_bar.note, Key.Key_Return)
    (evidence,) = session.workbench.evidence.all()
    assert (evidence.quote, evidence.note) == ("pump failed", "ask the engineer")
    assert screen.page_view.hasFocus()
    screen.refresh()
    screen.page_view.select(4, 15)
    screen.quote_actions.ask_note()
    assert screen.selection_bar.note.text() == "ask the engineer"
    screen.selection_bar.note.setText("asked")
    qtbot.keyClick(screen.selection_bar.note, Key.Key_Return)
    (evidence,) = session.workbench.evidence.all()
    assert evidence.note == "asked"


def test_a_name_goes_into_the_gazetteer(qtbot, screen, session):
    screen.open_source(document_of(session, "memo.txt"), 1, 0, 0)
    start = session.workbench.documents.page(document_of(session, "memo.txt"), 1).text.index("bearing.")
    screen.page_view.select(start, start + 8)
    screen.page_view.setFocus()
    qtbot.keyClick(screen.page_view, Key.Key_E)
    assert [entity.name for entity in session.workbench.entities.all()] == ["bearing"]


def test_a_click_on_a_quote_is_a_click_on_its_stripe(qtbot, screen, session):
    quote = session.workbench.verdicts.proposals()[0].quote
    screen.open_source(quote.document, quote.page, 0, 0)
    word = next(word for word in screen.pane.content.words if word.start >= quote.start)
    point = screen.page_view.to_view(lines([word])[0]).center().toPoint()
    with qtbot.waitSignal(screen.selected):
        qtbot.mouseClick(screen.page_view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert screen.state()[2:] == (quote.start, quote.end)


# --- the picture -----------------------------------------------------------------------------------------------------


def test_close_up_only_what_is_in_sight_is_fetched_sharp(qtbot, screen, session):
    screen.open_source(document_of(session, "memo.txt"), 1, 0, 0)
    view = screen.page_view
    view.zoom_to(5.0)
    assert view.wanted_scale() < 5.0
    qtbot.waitUntil(lambda: bool(view.picture.tiles) and not view.missing_tiles())
    whole = (460 * 5 / TILE) * (640 * 5 / TILE)
    assert len(view.picture.tiles) < whole
    tiles = set(view.picture.tiles)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: set(view.picture.tiles) != tiles and not view.missing_tiles())


def test_the_stripes_stay_in_sight_beside_a_page_wider_than_the_view(qtbot, screen, session):
    quote = session.workbench.verdicts.proposals()[0].quote
    screen.open_source(quote.document, quote.page, quote.start, quote.end)
    view = screen.page_view
    view.zoom_to(5.0)
    page = view.to_view(view.mark_rect(view.marks.current))
    assert page.right() > 0
    for index in view.marks.places:
        box = view.marks.stripe(index, view._stripes_left(), view.to_view)
        assert box.right() <= view.viewport().width()


# --- the parts below -------------------------------------------------------------------------------------------------


def page_content(**fields) -> PageContent:
    page = Page(
        1, "D1", 5, "Intro\nThe pump failed.", "x", 10, 10, fields.pop("source", "embedded"), None, "iv", (), ""
    )
    document = Document(
        "D1", "report.pdf", hashlib.sha256(b"a").hexdigest(), fields.pop("kind", "pdf"), 1, 9, 1, "ready", ""
    )
    return PageContent(replace(document, **fields), page, (), ((2, Section(1, "Findings", 3)),))


def test_a_citation_has_document_page_section_digest_and_check():
    content = page_content()
    digest = content.document.sha256[:12]
    span = PageSpan(5, 6, 22, "The  pump\nfailed")
    assert (
        citation(content, [span], {5: "iv"})
        == f"“The pump failed” (report.pdf, p. iv (5), section Findings; sha256 {digest})"
    )
    check = citation(content, [span], {5: "iv"}, check="read by OCR, not checked against the image")
    assert check.endswith(f"sha256 {digest}; read by OCR, not checked against the image)")
    assert page_name(content.page) == "iv (5)"


def test_where_a_page_comes_from_is_said_in_a_line():
    mail = page_content(kind="email", author="Anna <a@b>", date="2021-05-03T14:02:00Z", title="The night")
    assert facts(mail, None) == "from Anna <a@b> · 2021-05-03 14:02 · The night"
    web = page_content(kind="html", address="https://news.example/a", date="2021-05-04", title="Alarm")
    assert facts(web, None) == "https://news.example/a · 2021-05-04 · Alarm"
    assert facts(page_content(), None) == "Findings"
    sheet = replace(
        page_content(kind="xlsx"),
        page=replace(page_content().page, text="Sheet Costs\nCosts, row 2: Bearing\t1200", label="Costs"),
    )
    assert facts(sheet, (34, 38)).startswith("Costs · cell B2")


def test_words_are_found_by_their_offsets_in_any_order():
    words = [Word(0, 3, 0, 0, 1, 1), Word(4, 8, 0, 0, 1, 1), Word(9, 12, 0, 0, 1, 1)]
    for order in (words, words[::-1]):
        page_words = PageWords(order)
        assert {word.start for word in page_words.within(5, 10)} == {4, 9}
        assert {word.start for word in page_words.within(3, 4)} == set()
        assert {word.start for word in page_words.within(0, 99)} == {0, 4, 9}
        assert list(page_words.within(5, 5)) == []


def test_hypotheses_and_stances_are_told_apart_without_colour():
    assert len({hypothesis_stripes.hatch(f"H{number}") for number in range(1, 9)}) == 8
    assert (
        len({hypothesis_stripes.SIGNS[stance] for stance in ("supports", "contradicts", "neutral", "ambiguous")}) == 4
    )


def test_a_proposal_in_a_language_that_is_not_judged_is_not_marked(session):
    proposal = session.workbench.verdicts.proposals()[0]
    page_id = proposal.quote.page_id
    assert marks_of_page(page_id, [], [proposal], {})
    assert marks_of_page(page_id, [], [replace(proposal, unmeasured_language="German")], {}) == []


def test_a_rejected_proposal_is_not_marked(session):
    bench = session.workbench
    proposal = bench.verdicts.proposals()[0]
    page_id = proposal.quote.page_id
    ids = [thing.id for _, thing in marks_of_page(page_id, [], bench.verdicts.proposals(), {})]
    bench.review.reject([rival.id for rival in bench.verdicts.proposals() if rival.quote == proposal.quote])
    remaining = [thing.id for _, thing in marks_of_page(page_id, [], bench.verdicts.proposals(), {})]
    assert proposal.id in ids
    assert proposal.id not in remaining


def test_a_mark_of_a_span_that_is_no_quote_has_no_stripe_in_a_text(qtbot, screen, session):
    screen.open_source(document_of(session, "memo.txt"), 1, 4, 8)
    marks, current = screen.pane.marks()
    assert marks[current] == Mark(4, 8)
    screen.toggle_text()
    assert all(screen.text_view._marks[index].about for index, _ in screen.text_view.stripes_in_sight())


# --- the real reader -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotation", [0, 90])
def test_a_rotated_and_cropped_page_is_marked_where_its_ink_is(qtbot, engines, tmp_path, rotation):
    import pymupdf

    folder = tmp_path / "pdf"
    folder.mkdir()
    document = pymupdf.open()
    page = document.new_page(width=500, height=700)
    page.insert_text((90, 150), "The bearing of the pump was worn.", fontsize=14)
    page.insert_text((90, 400), "Nobody had replaced it.", fontsize=14)
    page.set_cropbox(pymupdf.Rect(40, 60, 460, 640))
    page.set_rotation(rotation)
    document.save(folder / "report.pdf")
    reader = ReaderClient()
    with open_session(replace(engines, reader=reader), tmp_path, proposed=False) as session:
        bench = session.workbench
        assert not bench.documents.add([folder / "report.pdf"]).problems
        report = next(candidate for candidate in bench.documents.all() if candidate.name == "report.pdf")
        text = bench.documents.page(report.id, 1).text
        start = text.index("bearing")
        screen = ViewerScreen(session)
        put_on_show(qtbot, screen, 1000, 900)
        screen.open_source(report.id, 1, start, start + len("bearing"))
        view = screen.page_view
        for scale in (1.0, 4.0):
            view.zoom_to(scale)
            qtbot.waitUntil(
                lambda: view.picture_scale() == view.wanted_scale() and not view.missing_tiles(), timeout=20_000
            )
            view.centre_on(start, start + 7)
            qtbot.waitUntil(lambda: not view.missing_tiles(), timeout=20_000)
            picture = view.viewport().grab().toImage()
            box = view.to_view(view.mark_rect(view.marks.current)).toRect()
            assert picture.rect().contains(box)
            inside = _ink(picture, box.left(), box.right(), box.top(), box.bottom())
            assert inside > 0.05 * box.width() * box.height() * 0.5
            # A word's own ink ends with its box: the gap behind it is as wide as a space.
            if rotation == 0:
                assert _ink(picture, box.right() + 1, box.right() + 1 + round(scale), box.top(), box.bottom()) == 0
    reader.close()


def _ink(picture: QImage, left: int, right: int, top: int, bottom: int) -> int:
    """Dark points of a part of a picture."""
    return sum(
        picture.pixelColor(QPoint(x, y)).lightness() < 90 for x in range(left, right) for y in range(top, bottom)
    )


def test_a_thumbnail_never_stands_for_the_page(qtbot, screen, session):
    document = document_of(session, "memo.txt")
    screen.open_source(document, 1, 0, 0)
    qtbot.waitUntil(lambda: screen.page_view.picture_scale() == screen.page_view.wanted_scale())
    sharp = screen.page_view.picture_scale()
    screen.pane.feed.show_picture(PictureRequest(document, 1, 0.22), QImage(10, 10, QImage.Format.Format_RGB32))
    assert screen.page_view.picture_scale() == sharp


def test_names_of_the_case_are_underlined_on_the_page(qtbot, screen, session):
    screen.open_source(document_of(session, "memo.txt"), 1, 0, 0)
    assert screen.pane.has_picture()
    assert screen.page_view.marks.names == []
    session.do(lambda bench: bench.entities.add("worn bearing"))
    session.changed.emit(Changes(documents=True), None)
    assert screen.page_view.marks.names
    screen.page_view.grab()
    screen.commands.names.trigger()
    assert screen.page_view.marks.names == []
    screen.commands.names.trigger()
    assert screen.page_view.marks.names
    session.undo()
    assert screen.page_view.marks.names == []


def test_the_name_of_a_sheet_is_whole_above_it(qtbot, screen):
    screen.tools.show_page(replace(page_content(), page=replace(page_content().page, label="Loan list")))
    field = screen.tools.page_field
    assert field.fontMetrics().horizontalAdvance(field.text()) < field.width() - 16
    assert field.cursorPosition() == 0


@pytest.mark.parametrize(("text", "side"), [("The driver wrote a note.", "left"), ("كتب السائق ملاحظة.", "right")])
def test_a_text_begins_at_the_side_that_it_is_read_from(qtbot, text, side):
    view = TextView()
    qtbot.addWidget(view)
    view.resize(600, 200)
    view.show()
    view.show_text(text)
    middle = view.viewport().width() / 2
    cursor = view.textCursor()
    cursor.setPosition(0)
    assert (view.cursorRect(cursor).left() < middle) == (side == "left")


def test_a_text_that_comes_on_show_wraps_within_its_column(qtbot):
    """Qt leaves lines as long as they were when margins narrow a text that is not on show yet."""
    pages = QStackedWidget()
    qtbot.addWidget(pages)
    view = TextView()
    pages.addWidget(QWidget())
    pages.addWidget(view)
    pages.resize(760, 500)
    with qtbot.waitExposed(pages):
        pages.show()
    view.show_text("The pump was repaired in the night and nobody had told the office. " * 30)
    pages.setCurrentWidget(view)
    qtbot.waitUntil(view.isVisible)
    assert view.horizontalScrollBar().maximum() == 0


def test_a_line_runs_through_struck_words_also_where_they_are_quoted(qtbot):
    view = TextView()
    qtbot.addWidget(view)
    text = "The mayor was not informed."
    marks = (Mark(4, 17, "supports"),)
    view.show_text(text, marks, ((0, 3),), struck_spans=((14, 26),))
    crossed = {
        (selection.cursor.selectionStart(), selection.cursor.selectionEnd())
        for selection in view.extraSelections()
        if selection.format.fontStrikeOut()
    }
    assert crossed == {(14, 26), (14, 17)}
    last = view.extraSelections()[-1]
    assert (last.cursor.selectionStart(), last.format.fontStrikeOut()) == (14, True)
    assert last.format.background() == view.extraSelections()[-2].format.background()
