"""The viewer: the quote at its exact words on the page, its text, selection, search, pictures and their order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QTextCharFormat

from core.domain import PageText, Word
from core.ports import Outline
from gui_app.shared.fields import NameChoice
from gui_app.shared.page_geometry import Mark, lines, span, word_at
from gui_app.shared.qt_text import QtText
from gui_app.viewer import hypothesis_stripes, page_pictures
from gui_app.viewer.marks import hits
from gui_app.viewer.page_pictures import PictureRequest
from gui_app.viewer.page_view import PageView
from gui_app.viewer.screen import ViewerScreen
from gui_app.viewer.text_view import TextView
from tests.fakes import PlainReader
from tests.gui_app.small_case import open_session, put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier


class SlowPrinter(PlainReader):
    """A reader that remembers which pictures it was asked for."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, int, float]] = []
        self.tiles: list[tuple[str, int, float, tuple[float, float, float, float]]] = []

    def render(self, data, name, page, *, scale, password="", clip=None):
        if scale >= 0.5 and clip is None:
            self.requests.append((name, page, scale))
        if clip is not None:
            self.tiles.append((name, page, scale, clip))
        return super().render(data, name, page, scale=scale, clip=clip)


class WordsOnly(PlainReader):
    """A reader of a format without pages, with a stretch that nobody would see."""

    def read(self, data, name, *, password=""):
        for item in super().read(data, name):
            if isinstance(item, Outline):
                yield item
            else:
                assert isinstance(item, PageText)
                hidden_spans = ((0, 3),) if item.number == 1 and name == "memo.txt" else ()
                yield replace(item, width=0.0, height=0.0, hidden_spans=hidden_spans)


@pytest.fixture
def printer():
    return SlowPrinter()


@pytest.fixture
def session(qtbot, engines, tmp_path, printer):
    with open_session(replace(engines, reader=printer), tmp_path) as case_session:
        yield case_session


@pytest.fixture
def screen(qtbot, session):
    viewer = ViewerScreen(session)
    put_on_show(qtbot, viewer)
    return viewer


def log_of(session) -> str:
    return next(document.id for document in session.workbench.documents.all() if document.name == "access_log.txt")


def scan_of(session) -> str:
    return next(document.id for document in session.workbench.documents.all() if document.name == "scan.txt")


# --- on the screen ---------------------------------------------------------------------------------------------------


def test_the_first_document_is_shown_at_once(screen, session):
    assert screen.state()[:2] == (session.workbench.documents.all()[0].id, 1)
    assert screen.stack.currentWidget() is screen.page_view


def test_a_long_name_of_a_document_is_shortened_not_cut_off(styled, qtbot):
    choice = NameChoice()
    put_on_show(qtbot, choice)
    choice.addItem("claim-of-responsibility-received-on-13-march-2025.eml")
    choice.resize(140, 32)
    assert "…" in choice.shown_text()
    assert choice.shown_text().endswith("eml")
    assert choice.fontMetrics().horizontalAdvance(choice.shown_text()) < 140
    assert choice.toolTip() == choice.currentText()
    choice.resize(600, 32)
    assert choice.shown_text() == choice.currentText()


def test_the_quote_is_marked_at_exactly_its_words(qtbot, screen, session):
    proposal = session.workbench.verdicts.proposals()[0]
    quote = proposal.quote
    screen.open_source(quote.document, quote.page, quote.start, quote.end)
    view = screen.page_view
    words = session.workbench.documents.words(quote.page_id).within(quote.start, quote.end)
    current = view.marks.current
    assert current is not None
    box = view.mark_rect(current)
    assert box.left() == min(word.x0 for word in words)
    assert box.right() == max(word.x1 for word in words)
    assert box.top() == min(word.y0 for word in words)
    assert box.bottom() == max(word.y1 for word in words)
    assert view.viewport().rect().contains(view.to_view(box).center().toPoint())


def test_the_mark_is_painted_where_the_words_are(qtbot, screen, session):
    quote = session.workbench.verdicts.proposals()[0].quote
    screen.open_source(quote.document, quote.page, quote.start, quote.end)
    qtbot.waitUntil(lambda: screen.page_view.picture_scale() > 0)
    view = screen.page_view
    words = session.workbench.documents.words(quote.page_id).within(quote.start, quote.end)
    box = view.to_view(lines(words)[0])
    image = view.viewport().grab().toImage()
    inside = image.pixelColor(box.center().toPoint())
    outside = image.pixelColor(QPointF(box.center().x(), box.bottom() + 100).toPoint())
    assert outside.name() == "#ffffff"
    assert inside.name() != "#ffffff"


def test_a_coarse_picture_comes_first_and_neighbours_last(qtbot, screen, session, printer):
    screen.page_view.zoom_to(2.0)
    screen.session.tasks.forget_reads()
    screen.pictures.clear()
    printer.requests.clear()
    screen.open_source(log_of(session), 2, 0, 0)
    qtbot.waitUntil(lambda: ("access_log.txt", 1, 2.0) in printer.requests)
    scales = [scale for name, page, scale in printer.requests if (name, page) == ("access_log.txt", 2)]
    assert scales == [1.0, 2.0]
    assert printer.requests[-1] == ("access_log.txt", 1, 2.0)


def test_a_page_seen_before_is_not_drawn_again(qtbot, screen, session, printer):
    first = log_of(session)
    screen.open_source(first, 1, 0, 0)
    qtbot.waitUntil(lambda: screen.pictures.get(PictureRequest(first, 2, screen.page_view.wanted_scale())) is not None)
    requests = list(printer.requests)
    screen.open_source(first, 2, 0, 0)
    assert screen.page_view.picture_scale() == screen.page_view.wanted_scale()
    screen.open_source(first, 1, 0, 0)
    assert screen.page_view.picture_scale() == screen.page_view.wanted_scale()
    assert printer.requests == requests


def test_kept_pictures_stay_within_their_room(screen, monkeypatch):
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    monkeypatch.setattr(page_pictures, "PICTURE_BYTES", 3 * image.sizeInBytes())
    screen.pictures.clear()
    for number in range(1, 6):
        screen.pictures.put(PictureRequest("D1", number, 1.0), QImage(image))
    assert [request.number for request in screen.pictures.order()] == [3, 4, 5]


def test_keys_turn_pages_and_the_field_follows(qtbot, screen, session):
    screen.open_source(log_of(session), 1, 0, 0)
    screen.page_view.setFocus()
    qtbot.keyClick(screen.page_view, Key.Key_PageDown, Modifier.ControlModifier)
    assert (screen.tools.page_field.text(), screen.state()[1]) == ("2", 2)
    qtbot.keyClick(screen.page_view, Key.Key_PageDown, Modifier.ControlModifier)
    assert screen.tools.page_field.text() == "2"
    qtbot.keyClick(screen.page_view, Key.Key_G, Modifier.ControlModifier)
    qtbot.keyClicks(screen.tools.page_field, "1")
    qtbot.keyClick(screen.tools.page_field, Key.Key_Return)
    assert screen.state()[1] == 1


def test_n_goes_from_quote_to_quote_across_pages(qtbot, screen, session):
    document = log_of(session)
    screen.open_source(document, 1, 0, 0)
    quotes = [quote[:3] for quote in screen.quotes_of_document()]
    assert len(quotes) >= 2
    screen.page_view.setFocus()
    places = []
    for _ in quotes:
        qtbot.keyClick(screen.page_view, Key.Key_N)
        places.append(screen.state()[1:])
    assert places == quotes
    with qtbot.waitSignal(screen.selected):
        qtbot.keyClick(screen.page_view, Key.Key_N, Modifier.ShiftModifier)
    assert screen.state()[1:] == quotes[-2]


def test_words_dragged_over_become_evidence(qtbot, screen, session):
    document = log_of(session)
    screen.open_source(document, 1, 0, 0)
    view = screen.page_view
    page = session.workbench.documents.page(document, 1)
    words = list(session.workbench.documents.words(page.id))
    first = view.to_view(lines(words[1:2])[0]).center().toPoint()
    last = view.to_view(lines(words[5:6])[0]).center().toPoint()
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=first)
    qtbot.mouseMove(view.viewport(), last)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=last)
    assert view.selection() == (words[1].start, words[5].end)
    assert screen.selection_bar.isVisible()
    qtbot.keyClick(view, Key.Key_A)
    (evidence,) = session.workbench.evidence.all()
    assert evidence.quote == page.text[words[1].start : words[5].end] == "vendor account logged in at"
    assert not screen.selection_bar.isVisible()


def test_words_are_picked_with_the_keyboard_too(qtbot, screen, session):
    document = log_of(session)
    screen.open_source(document, 1, 0, 0)
    screen.page_view.setFocus()
    for _ in range(3):
        qtbot.keyClick(screen.page_view, Key.Key_Right, Modifier.ShiftModifier)
    text = session.workbench.documents.page(document, 1).text
    assert text[slice(*screen.selection())] == "The vendor account"
    qtbot.keyClick(screen.page_view, Key.Key_Left, Modifier.ShiftModifier)
    assert text[slice(*screen.selection())] == "The vendor"
    qtbot.keyClick(screen.page_view, Key.Key_Escape)
    assert screen.selection() is None


def test_a_copy_carries_its_citation(qtbot, screen, session):
    document = log_of(session)
    screen.open_source(document, 2, 0, 0)
    screen.page_view.select(0, 18)
    qtbot.keyClick(screen.page_view, Key.Key_C, Modifier.ControlModifier)
    digest = session.workbench.documents.get(document).sha256[:12]
    assert QGuiApplication.clipboard().text() == f"“The vendor account” (access_log.txt, p. 2; sha256 {digest})"
    qtbot.keyClick(screen.page_view, Key.Key_T)
    screen.text_view.select(4, 18)
    qtbot.keyClick(screen.text_view, Key.Key_C, Modifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"“vendor account” (access_log.txt, p. 2; sha256 {digest})"


def test_similar_passages_are_searched_for(qtbot, screen, session):
    screen.open_source(log_of(session), 1, 0, 0)
    screen.page_view.select(0, 18)
    screen.page_view.setFocus()
    with qtbot.waitSignal(screen.search_wanted) as signal:
        qtbot.keyClick(screen.page_view, Key.Key_S)
    assert signal.args == ["The vendor account"]
    assert not screen.selection_bar.isVisible()


def test_t_shows_the_text_at_the_same_quote(qtbot, screen, session):
    quote = session.workbench.verdicts.proposals()[0].quote
    screen.open_source(quote.document, quote.page, quote.start, quote.end)
    screen.page_view.setFocus()
    qtbot.keyClick(screen.page_view, Key.Key_T)
    assert screen.stack.currentWidget() is screen.text_view
    selections = {
        selection.cursor.selectedText().replace("\u2029", "\n") for selection in screen.text_view.extraSelections()
    }
    assert quote.text in selections
    screen.text_view.setFocus()
    qtbot.keyClick(screen.text_view, Key.Key_T)
    assert screen.stack.currentWidget() is screen.page_view


def test_find_goes_on_over_the_pages(qtbot, screen, session):
    screen.open_source(log_of(session), 1, 0, 0)
    qtbot.keyClick(screen.page_view, Key.Key_F, Modifier.ControlModifier)
    qtbot.keyClicks(screen.finder.bar.field, "VENDOR  account")
    qtbot.waitUntil(lambda: screen.finder.bar.count.text() == "1 / 2")
    qtbot.keyClick(screen.finder.bar.field, Key.Key_Return)
    assert (screen.finder.bar.count.text(), screen.state()[1]) == ("2 / 2", 2)
    qtbot.keyClick(screen.finder.bar.field, Key.Key_Return)
    assert (screen.finder.bar.count.text(), screen.state()[1]) == ("1 / 2", 1)
    screen.finder.bar.field.setText("nothing like this")
    qtbot.waitUntil(lambda: screen.finder.bar.count.text() == "not found")
    qtbot.keyClick(screen.finder.bar.field, Key.Key_Escape)
    assert not screen.finder.bar.isVisible()


def test_a_page_without_text_says_so(screen, session):
    screen.open_source(scan_of(session), 2, 0, 0)
    assert screen.banner.isVisible()
    assert "no text (needs OCR)" in screen.pane.banner.text.text()


def test_evidence_shows_the_persons_ratings_not_the_models(qtbot, screen, session):
    bench = session.workbench
    proposal = next(p for p in bench.verdicts.proposals() if p.verdict.label == "contradicts")
    ((evidence, _),) = bench.review.accept([proposal.id], rate=True).pairs
    quote = proposal.quote
    screen.refresh()
    screen.open_source(quote.document, quote.page, quote.start, quote.end)
    mark = screen.page_view.marks.marks[screen.page_view.marks.current]
    assert mark.is_decided
    session.do(lambda bench: bench.evidence.rate(evidence, proposal.hypothesis, "CC"))
    mark = screen.page_view.marks.marks[screen.page_view.marks.current]
    assert f"{proposal.hypothesis} supports" in mark.about


def test_undo_of_the_import_leaves_no_page_behind(screen, session):
    session.changed.emit(screen.concerns, None)
    assert screen.state() is not None
    session.close_case()
    assert screen.state() is None
    assert screen.tools.picker.count() == 0


def test_back_returns_to_page_and_quote(screen, session):
    quote = session.workbench.verdicts.proposals()[0].quote
    screen.open_source(quote.document, quote.page, quote.start, quote.end)
    state = screen.state()
    screen.open_source(scan_of(session), 3, 0, 0)
    screen.restore(state)
    assert screen.state() == (quote.document, quote.page, quote.start, quote.end)


DOTS = QTextCharFormat.UnderlineStyle.DotLine


def test_formats_without_pages_show_their_text_and_what_is_hidden(qtbot, engines, tmp_path):
    with open_session(replace(engines, reader=WordsOnly()), tmp_path) as session:
        screen = ViewerScreen(session)
        put_on_show(qtbot, screen)
        memo = next(document.id for document in session.workbench.documents.all() if document.name == "memo.txt")
        screen.open_source(memo, 1, 4, 8)
        assert screen.stack.currentWidget() is screen.text_view
        assert "3 characters" in screen.pane.banner.text.text()
        selections = [s for s in screen.text_view.extraSelections() if s.format.underlineStyle() == DOTS]
        assert not any(s.format.fontStrikeOut() for s in screen.text_view.extraSelections())  # that is for struck words
        assert [selection.cursor.selectedText() for selection in selections] == ["The"]
        screen.text_view.select(4, 8)
        qtbot.waitUntil(screen.selection_bar.isVisible)
        qtbot.keyClick(screen.text_view, Key.Key_A)
        (evidence,) = session.workbench.evidence.all()
        assert evidence.quote == "pump"


# --- the parts below the screen --------------------------------------------------------------------------------------


def test_words_of_one_line_are_one_box_and_columns_stay_apart():
    words = [
        Word(0, 3, 10, 10, 30, 20),
        Word(4, 7, 33, 10, 50, 20),
        Word(8, 11, 300, 10, 330, 20),
        Word(12, 15, 10, 30, 30, 40),
    ]
    assert [(box.left(), box.right(), box.top()) for box in lines(words)] == [
        (10, 50, 10),
        (300, 330, 10),
        (10, 30, 30),
    ]


def test_the_nearest_word_is_meant():
    words = [Word(0, 3, 10, 10, 30, 20), Word(4, 7, 40, 10, 60, 20), Word(8, 11, 10, 30, 30, 40)]
    assert word_at(words, QPointF(45, 15)) == 1
    assert word_at(words, QPointF(70, 15)) == 1  # past the end of the line
    assert word_at(words, QPointF(12, 38)) == 2
    assert word_at(words, QPointF(500, 500)) is None
    assert span(words, 2, 0) == span(words, 0, 2) == (0, 11)


def test_stripes_that_overlap_stand_beside_each_other():
    assert hypothesis_stripes.places([(0, 10), (5, 15), (20, 30), (12, 18)]) == [
        (0, 0, 10),
        (1, 5, 15),
        (0, 20, 30),
        (0, 12, 18),
    ]
    # A third at the same height stands lower, over neither of the two.
    assert hypothesis_stripes.places([(0, 10), (1, 11), (2, 12)]) == [(0, 0, 10), (1, 1, 11), (0, 12, 22)]


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
def test_offsets_survive_the_way_through_qt(text):
    qt_text = QtText(text)
    assert len(qt_text.text) == len(text)
    units = qt_text.text.encode("utf-16-le")
    for offset in range(len(text) + 1):
        position = qt_text.to_qt(offset)
        assert position == len(qt_text.text[:offset].encode("utf-16-le")) // 2
        assert qt_text.from_qt(position) == offset
    assert qt_text.to_qt(len(text)) * 2 == len(units)


@pytest.mark.parametrize(
    "text", ["a\r\nb\rc\nd", "x\u2029y\u2028z", "\ufdd0frame\ufdd1", "𝔘 and 😀 end", "tab\there\x00nul"]
)
def test_a_text_widget_keeps_every_offset(qtbot, text):
    view = TextView()
    qtbot.addWidget(view)
    view.show_text(text)
    assert view.document().characterCount() - 1 == len(QtText(text).text.encode("utf-16-le")) // 2
    for start in range(len(text)):
        if text[start].strip():
            view.select(start, start + 1)
            assert view.selection() == (start, start + 1)


def test_hits_ignore_case_and_spacing_and_take_nothing_as_a_pattern():
    assert hits("The  Vendor\naccount (a+b)", "vendor account") == [(5, 19)]
    assert hits("The  Vendor\naccount (a+b)", "(a+b)") == [(20, 25)]
    assert hits("anything", "  ") == []


def test_zooming_keeps_the_quote_where_it_is(qtbot):
    view = PageView()
    put_on_show(qtbot, view, 600, 500)
    words = [
        Word(n * 5, n * 5 + 4, 40 + n % 8 * 50, 40 + n // 8 * 14, 80 + n % 8 * 50, 52 + n // 8 * 14) for n in range(300)
    ]
    view.show_page(500, 700, words, [])
    view.set_marks([Mark(600, 640)], 0)
    view.centre_on(600, 640)
    centre = view.to_view(view.mark_rect(0)).center()
    view.zoom_in()
    view.zoom_in()
    new_centre = view.to_view(view.mark_rect(0)).center()
    assert abs(centre.x() - new_centre.x()) <= 2
    assert abs(centre.y() - new_centre.y()) <= 2
    assert view.fit == ""
