"""The timeline: where dates lie, what is in doubt, the list beside them, ranges."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from core.language.dates import DOUBTS, dates_in
from gui_app.search.timeline_model import TimeMark, date_words, day_words, mark_of
from gui_app.search.timeline_page import TimelinePage
from gui_app.search.timeline_view import DAYS, DOCUMENTS, EVIDENCE, LONGER, Timeline

TEXTS = {
    "log.txt": "The pump stopped on 12 May 2011. Ruben Aske wrote it down on 13 May 2011 at the works.",
    "mail.txt": "The relay was bought in March 2010. It failed on 03/04/2011, said the vendor.",
    "memo.txt": "The works was built in 1961. The inspection was on 12 May 2011.",
}


@pytest.fixture
def page(qtbot, case, tmp_path):
    folder = tmp_path / "dated"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    case.do(lambda bench: bench.documents.add([folder]))
    page = TimelinePage(case)
    qtbot.addWidget(page)
    page.resize(1000, 640)
    page.show()
    qtbot.waitUntil(lambda: bool(page.list.rows.rows), timeout=5000)
    return page


def test_the_count_is_whole_in_a_narrow_window(page, qtbot):
    page.resize(560, 500)
    qtbot.waitUntil(lambda: page.count.width() >= page.count.fontMetrics().horizontalAdvance(page.count.text()))


def titles(page):
    return [row.title.split("  ·  ")[0] for row in page.list.rows.rows]


def only(text):
    (date,) = dates_in(text)
    return date


@pytest.mark.parametrize(
    ("text", "words", "long"),
    [
        ("on 12 May 2011", "12 May 2011", False),
        ("on 12 May 2011 at 14:05", "12 May 2011, 14:05", False),
        ("in March 2010", "March 2010", True),
        ("in 1961", "1961", True),
        ("the 1990s", "1990–1999", True),
        ("on 03/04/2011", "4 March 2011 or 3 April 2011", False),
        ("the second quarter of 2010", "April 2010 – June 2010", True),
    ],
)
def test_dates_in_words(text, words, long):
    mark = mark_of(only(text), DOUBTS, where="log.txt, page 1")
    assert (mark.words, mark.long) == (words, long)
    assert "log.txt, page 1" in mark.description
    assert date_words(only(text)) == words


def test_days_are_dots_longer_stretches_are_bars_and_doubt_is_told(page):
    assert titles(page) == [
        "1961", "March 2010", "4 March 2011 or 3 April 2011", "12 May 2011", "12 May 2011", "13 May 2011",
    ]  # fmt: skip
    assert [len(lane) for lane in page.timeline.lanes] == [4, 2, 0, 0]
    doubtful = [mark for mark in page.timeline.lanes[DAYS] if mark.doubt]
    assert [mark.doubt for mark in doubtful] == [DOUBTS["order"]]
    assert len(doubtful[0].days) == 2
    shapes = [placed for placed in page.timeline._shapes if placed.lane == DAYS]
    assert sum(len(placed.marks) for placed in shapes) == 5  # the doubtful one stands at both of its days
    assert all(placed.bar for placed in page.timeline._shapes if placed.lane == LONGER)
    assert "1 in doubt" in page.count.text()
    assert DOUBTS["order"] in page.list.rows.rows[2].title


def test_list_and_axis_go_together_and_a_click_opens_the_place(qtbot, page):
    page.timeline.setFocus()
    QTest.keyClick(page.timeline, Qt.Key.Key_Right)
    QTest.keyClick(page.timeline, Qt.Key.Key_Right)
    assert page.list.currentIndex().row() == page.timeline.current == 1
    page.list.setCurrentIndex(page.list.rows.index(3, 0))
    assert page.timeline.current == 3
    places = []
    page.show_source.connect(lambda *place: places.append(place))
    QTest.keyClick(page.list, Qt.Key.Key_Return)
    document, number, start, end = places[0]
    assert page.session.workbench.documents.page(document, number).text[start:end] == "12 May 2011"
    QTest.keyClick(page.timeline, Qt.Key.Key_Return)
    assert places[1] == places[0]


def test_zoom_without_a_pointer_goes_where_the_dates_are(page):
    line = page.timeline
    assert line.current < 0
    line.show_whole()
    for _ in range(40):
        line.zoom(2.0)
    assert line.axis.width() == pytest.approx(4.0)
    days = [day for lane in line.lanes for mark in lane for day in (mark.first, mark.last)]
    assert any(line.axis.begin <= day <= line.axis.end for day in days)


def test_zoom_keeps_the_day_under_the_pointer_and_stays_in_reach(page):
    line = page.timeline
    day = date(2011, 5, 12).toordinal()
    x = line.x_of(day)
    line.zoom(4.0, day)
    assert line.x_of(day) == pytest.approx(x, abs=1e-6)
    for _ in range(40):
        line.zoom(2.0, day)
    assert line.axis.end - line.axis.begin == pytest.approx(4.0)
    for _ in range(60):
        line.zoom(0.5)
    assert line.axis.end - line.axis.begin <= 1.3 * (line.axis.span[1] - line.axis.span[0])
    line.pan(50)
    assert line.axis.begin < line.axis.span[1]
    QTest.keyClick(line, Qt.Key.Key_0)
    assert (line.axis.begin, line.axis.end) == line.axis.span


def test_a_range_limits_the_list_and_can_be_searched(qtbot, page):
    line = page.timeline
    line.set_range(date(2011, 5, 1).toordinal(), date(2011, 5, 12).toordinal())
    assert titles(page) == ["12 May 2011", "12 May 2011"]
    chosen = []
    page.range_chosen.connect(lambda *days: chosen.append(days))
    page.search_action.trigger()
    assert chosen == [("2011-05-01", "2011-05-12", "")]
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert len(titles(page)) == 6
    assert not page.picked_row.isVisible()
    page.list.setCurrentIndex(page.list.rows.index(1, 0))
    QTest.keyClick(line, "[")
    assert line.range == (date(2010, 3, 1).toordinal(), date(2010, 3, 31).toordinal())


def test_one_date_far_off_does_not_press_the_others_into_a_column(qtbot):
    line = Timeline()
    qtbot.addWidget(line)
    line.resize(800, 300)
    line.show()
    days = [date(1963, 9, 20 + n % 10).toordinal() for n in range(18)] + [date(1994, 8, 15).toordinal()]
    marks = [TimeMark(day, day, "", "", f"date {day}", False) for day in days]
    line.show_marks(marks, [], [], keep=False)
    assert date(1963, 9, 1).toordinal() < line.axis.begin < line.axis.end < date(1963, 11, 1).toordinal()
    assert line.outside() == (0, 1)
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=line._outside_box().center())
    assert line.outside() == (0, 0)
    assert (line.axis.begin, line.axis.end) == line.axis.span
    line.show_marks(marks[:4] + marks[-1:], [], [], keep=False)
    assert line.outside() == (0, 0)  # too few to speak of one far off
    line.select(4)
    line.zoom(40, (line.axis.begin + line.axis.end) / 2)
    assert line._outside_words() == "‹ 4   1 ›"
    line.axis.begin, line.axis.end = (float(date(year, 1, 1).toordinal()) for year in (1990, 1999))
    assert line._outside_words() == "‹ 4 earlier"
    line.grab()


def test_a_range_is_drawn_with_the_pointer(qtbot, page):
    line = page.timeline
    begin, end = (QPoint(round(line.x_of(date(year, 1, 1).toordinal())), 20) for year in (1950, 1975))
    begin.setX(max(begin.x(), round(line._left()) + 2))
    QTest.mousePress(line, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, begin)
    QTest.mouseMove(line, QPoint((begin.x() + end.x()) // 2, 20))
    QTest.mouseMove(line, end)
    QTest.mouseRelease(line, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)
    assert titles(page) == ["1961"]


def test_only_passages_of_a_name_and_only_hits_of_a_search(qtbot, page):
    page.session.do(lambda bench: bench.entities.add("Ruben Aske"))
    page.refresh()
    page.names.setCurrentIndex(page.names.findText("Ruben Aske"))
    page.names.activated.emit(page.names.currentIndex())
    qtbot.waitUntil(lambda: titles(page) == ["12 May 2011", "13 May 2011"], timeout=5000)
    page.names.setCurrentIndex(0)
    page.names.activated.emit(0)
    assert len(titles(page)) == 6
    hits = page.session.workbench.search.passages_for("relay vendor", k=1).passages
    page.show_passages(hits)
    qtbot.waitUntil(lambda: titles(page) == ["March 2010", "4 March 2011 or 3 April 2011"], timeout=5000)
    page.show_passages(None)
    qtbot.waitUntil(lambda: len(titles(page)) == 6, timeout=5000)


def test_rows_of_the_matrix_and_dates_of_documents_have_marks(qtbot, page):
    bench = page.session.workbench
    log = next(document for document in bench.documents.all() if document.name == "log.txt")
    row = page.session.do(lambda bench: bench.evidence.add_quote(log.id, 1, 0, len("The pump stopped on 12 May 2011.")))
    page.session.do(lambda bench: bench.evidence.describe([row.id], date="2011-05-12"))
    page.session.do(lambda bench: bench.documents.describe([log.id], dated="2011-05-14"))
    qtbot.waitUntil(lambda: len(page.timeline.lanes[EVIDENCE]) == 1, timeout=5000)
    assert [mark.words for mark in page.timeline.lanes[DOCUMENTS]] == ["14 May 2011"]
    assert [mark.evidence for mark in page.timeline.lanes[DAYS] if mark.evidence] == [(row.id,)]
    assert row.id in page.list.rows.rows[3].aside
    placed = next(shape for shape in page.timeline._shapes if shape.lane == DOCUMENTS)
    assert page.timeline.at(QPointF(placed.box.center())) is placed
    assert "date of log.txt" in page.timeline.description(placed)
    places = []
    page.show_source.connect(lambda *place: places.append(place))
    page.timeline.opened.emit(DOCUMENTS, 0)
    assert places == [(log.id, 1, 0, 0)]


def test_many_dates_are_counted_where_there_is_no_room(qtbot):
    line = Timeline()
    qtbot.addWidget(line)
    line.resize(600, 220)
    marks = [mark_of(only("on 12 May 2011"), DOUBTS, where=f"{n}") for n in range(500)]
    marks += [mark_of(only("on 12 May 2012"), DOUBTS, where="last")]
    line.show_marks(marks, [], [], keep=False)
    line.show_whole()
    assert sum(len(placed.marks) for placed in line._shapes) == 501
    ((_, more),) = line._over
    assert more > 400
    line.grab()
    assert day_words(marks[0].first) == "12 May 2011"


@pytest.fixture
def afternoon(qtbot, case, tmp_path):
    (tmp_path / "log.csv").write_text(
        "date,time,door\n2026-05-07,14:06,Store\n2026-05-07,12:58,Gate\n2026-05-07,13:40,Store\n", "utf-8"
    )
    (tmp_path / "note.txt").write_text("On 7 May 2026 the door was locked.", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "log.csv", tmp_path / "note.txt"]))
    page = TimelinePage(case)
    qtbot.addWidget(page)
    page.resize(1000, 640)
    page.show()
    qtbot.waitUntil(lambda: bool(page.list.rows.rows), timeout=5000)
    return page


def test_times_of_day_are_listed_in_order_and_stand_at_their_hours(afternoon):
    times = ["7 May 2026, 12:58", "7 May 2026, 13:40", "7 May 2026, 14:06"]
    assert titles(afternoon) == ["7 May 2026", *times]
    line = afternoon.timeline
    assert line.axis.has_hours()
    assert line._names()[:2] == ("Times", "Days, months")
    assert [mark.words for mark in line.lanes[DAYS]] == times
    assert [mark.words for mark in line.lanes[LONGER]] == ["7 May 2026"]  # without a time it is all of the day
    places = [shape.box.center().x() for shape in line._shapes if shape.lane == DAYS]
    day = date(2026, 5, 7).toordinal()
    assert places == pytest.approx(
        [line.x_of(day + m / 1440) for m in (12 * 60 + 58, 13 * 60 + 40, 14 * 60 + 6)], abs=8
    )
    line.axis.span = (day - 100.0, day + 100.0)
    line.zoom(1 / 50)
    assert line._names()[:2] == ("Days", "Months, years")
    assert len(line.lanes[DAYS]) == 4


def test_hours_are_picked_with_the_pointer_and_with_keys(afternoon):
    line = afternoon.timeline
    day = date(2026, 5, 7).toordinal()
    begin, end = (QPoint(round(line.x_of(day + hour / 24)), 20) for hour in (13.5, 14.5))
    QTest.mousePress(line, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, begin)
    QTest.mouseMove(line, end)
    QTest.mouseRelease(line, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)
    assert titles(afternoon) == ["7 May 2026, 13:40", "7 May 2026, 14:06"]
    assert afternoon.range_label.text().startswith("7 May 2026, 13:")
    line.grab()
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert len(titles(afternoon)) == 4
    line.select(1)
    QTest.keyClick(line, "[")
    line.select(2)
    QTest.keyClick(line, "]")
    assert titles(afternoon) == ["7 May 2026, 12:58", "7 May 2026, 13:40"]
    assert afternoon.range_label.text() == "7 May 2026, 12:58 – 13:40"


def test_a_time_of_either_half_of_the_day_has_two_dots(qtbot):
    mention = replace(
        only("on 7 May 2026 at 02:30"), earliest="2026-05-07T02:30", latest="2026-05-07T14:30", doubt="half"
    )
    mark = mark_of(mention, DOUBTS, where="note.txt, page 1")
    assert (mark.words, mark.minutes, mark.long) == ("7 May 2026, 02:30 or 14:30", (150, 870), False)
    line = Timeline()
    qtbot.addWidget(line)
    line.resize(800, 300)
    line.show_marks([mark], [], [], keep=False)
    assert [shape.marks for shape in line._shapes if shape.lane == DAYS] == [[0], [0]]
