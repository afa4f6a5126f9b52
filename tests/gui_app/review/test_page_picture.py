"""The letters of the hypotheses beside the picture of a page under review."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from core.domain import Page, Word
from gui_app.review.page_beside import _SCALE, PageBeside, PagePicture, PageView
from gui_app.review.quote_marks import QuoteMark
from gui_app.shared.page_geometry import PageWords
from tests.gui_app.small_case import open_session, put_on_show

_COLUMNS, _ROWS, _LINE = 4, 12, 11.0  # a table set without room between its rows
_WIDTH, _HEIGHT = 420.0, 180.0


def _table() -> tuple[PageView, list[QuoteMark]]:
    words, text = [], ""
    picture = QImage(round(_WIDTH * _SCALE), round(_HEIGHT * _SCALE), QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    painter = QPainter(picture)
    painter.scale(_SCALE, _SCALE)
    for row in range(_ROWS):
        for column in range(_COLUMNS):
            cell, left, top = f"r{row:02}c{column}", 10 + column * 100.0, 20 + row * _LINE
            start = len(text)
            text += cell + ("\n" if column == _COLUMNS - 1 else " ")
            words.append(Word(start, start + len(cell), left, top, left + 40, top + _LINE))
            painter.fillRect(round(left), round(top + 2), 40, round(_LINE - 4), QColor("black"))
    painter.end()
    row = len(text) // _ROWS
    marks = [
        QuoteMark(2 * row, 3 * row - 1, (("H1", "supports"), ("H2", "contradicts")), is_current=True),
        QuoteMark(3 * row, 4 * row - 1, (("H3", "supports"),)),
        QuoteMark(9 * row + 5, 10 * row - 1, (("H1", "contradicts"),)),
    ]
    page = Page(1, "d1", 1, text, "", _WIDTH, _HEIGHT, "text", None, "", (), "")
    return PageView(page, PageWords(words), picture), marks


@pytest.mark.parametrize("width", [260, 420, 900])
def test_letters_cover_no_word_and_one_another_nowhere(qtbot, width):
    picture = PagePicture()
    view, marks = _table()
    picture.show_page(view, marks)
    put_on_show(qtbot, picture, width, picture.heightForWidth(width))
    every_word = picture.boxes(QuoteMark(0, len(view.page.text), ()))
    tags = [tag for _, tag in picture.tags()]
    assert len(tags) == len(marks)
    assert not any(tag.intersects(word) for tag in tags for word in every_word)
    assert not any(a.intersects(b) for index, a in enumerate(tags) for b in tags[:index])
    assert all(tag.left() >= 0 and tag.bottom() <= picture.height() for tag in tags)
    for mark, tag in picture.tags():
        assert abs(tag.center().y() - picture.boxes(mark)[0].center().y()) <= tag.height()
    assert max(word.right() for word in every_word) <= picture.width()


def test_a_page_without_quotes_takes_all_of_the_width(qtbot):
    picture = PagePicture()
    view, marks = _table()
    picture.show_page(view, [])
    put_on_show(qtbot, picture, 420, picture.heightForWidth(420))
    assert picture.lane() == 0
    whole = picture.heightForWidth(420)
    picture.show_page(view, marks)
    assert picture.lane() > 0
    assert picture.heightForWidth(420) < whole


def test_the_pages_of_two_views_do_not_take_the_place_of_each_other(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as session:
        documents = [row.id for row in session.workbench.documents.all()][:2]
        pages = [PageBeside(session) for _ in documents]
        for page, document in zip(pages, documents, strict=True):
            put_on_show(qtbot, page)
            page.show_place(document, 1, 0, 3, [QuoteMark(0, 3, (("H1", "supports"),), is_current=True)])
        qtbot.waitUntil(lambda: all(page.words.text() or page.has_picture() for page in pages))
