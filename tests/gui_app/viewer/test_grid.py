"""Pages of tables as a grid: each line of the page in one row, what is picked a span of the text."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, QRect, Qt

from core.domain import PageText, Table, Word, Words
from core.engines.readers import table_text
from core.ports import Outline
from gui_app.shared import mark_colours
from gui_app.shared.page_geometry import Mark
from gui_app.shared.page_grid import PageGrid, grid_rows, is_grid, rows_near, spread
from gui_app.viewer.screen import ViewerScreen
from tests.fakes import PlainReader
from tests.gui_app.small_case import open_session, put_on_show

ROWS = [
    ["time", "vehicle", "direction"],
    ["07:58", "white van", "in"],
    ["08:14", "", "in"],
    ["16:55", "white van", "out"],
]
GRID = table_text.lay_out(ROWS, 1)
BEFORE = "Gate log of 14 March\n\n"
TEXT = BEFORE + GRID.text + "\n\nSigned by the guard."


def moved(table, by):
    return replace(table, rows=tuple(tuple((start + by, end + by) for start, end in row) for row in table.rows))


TABLE = moved(GRID.table, len(BEFORE))


class TableReader(PlainReader):
    """One page that is a table, whatever the file holds."""

    def read(self, data, name, *, password="", note_marks=False):
        yield Outline("sheet", 1)
        yield PageText(1, TEXT, Words.of(()), tables=(TABLE,))


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(replace(engines, reader=TableReader()), tmp_path) as case_session:
        yield case_session


@pytest.fixture
def screen(qtbot, session):
    viewer = ViewerScreen(session)
    put_on_show(qtbot, viewer, 1400, 800)
    viewer.open_source(session.workbench.documents.all()[0].id, 1, 0, 0)
    return viewer


def words(span):
    return TEXT[slice(*span)]


def test_each_line_of_the_page_is_in_one_row_and_each_cell_under_its_heading():
    rows = grid_rows(TEXT, [TABLE])
    assert [row.kind for row in rows] == ["line", "headings", "row", "row", "row", "line"]
    assert "\n".join(words(row.span) for row in rows).split("\n") == [line for line in TEXT.split("\n") if line]
    assert [words(cell) for cell in rows[1].cells] == ROWS[0]
    assert [words(cell) for cell in rows[3].cells] == ROWS[2]


def test_a_page_of_prose_with_a_small_table_is_no_grid():
    assert is_grid(TEXT, [TABLE])
    assert not is_grid(TEXT + "\n" + "The guard was asleep for most of the night. " * 20, [TABLE])
    assert not is_grid(TEXT, [])
    assert [row.kind for row in grid_rows("Only words\n\nMore", [])] == ["line", "line"]


def test_headings_of_two_lines_stand_above_their_columns():
    rows = [
        ["Guard", "Early shift", None, "Total hours"],
        [None, "Start", "Hours", None],
        ["Tamsin", "6:00", "7.5", "7.5"],
        ["Bram", "7:00", "3", "3"],
    ]
    grid = table_text.lay_out(rows, 2)
    first, second, *body = grid_rows(grid.text, [grid.table])
    assert [grid.text[slice(*cell)] for cell in first.cells] == ["Guard", "Early shift", "", "Total hours"]
    assert [grid.text[slice(*cell)] for cell in second.cells] == ["", "Start", "Hours", ""]
    assert [row.kind for row in (first, second, *body)] == ["headings", "headings", "row", "row"]


def test_struck_cells_are_crossed_out_and_hidden_ones_set_apart(qtbot):
    grid = PageGrid()
    qtbot.addWidget(grid)
    struck, hidden = TABLE.rows[0][1], TABLE.rows[1][0]
    grid.show_page(TEXT, [TABLE], struck_spans=[struck], hidden_spans=[hidden])
    fonts = {}
    for row in range(grid.cells.rowCount()):
        for column in range(grid.cells.columnCount()):
            index = grid.cells.index(row, column)
            font = grid.cells.data(index, Qt.ItemDataRole.FontRole)
            if font is not None and not font.bold():
                fonts[grid.cells.span_at(index)] = (font.strikeOut(), font.italic())
    assert fonts == {struck: (True, False), hidden: (False, True)}
    assert grid.cells.data(grid.cells.index(3, 0), Qt.ItemDataRole.ForegroundRole) is not None


def pick(grid: PageGrid, *places):
    grid.clearSelection()
    for row, column in places:
        grid.selectionModel().select(grid.cells.index(row, column), QItemSelectionModel.SelectionFlag.Select)


def test_a_sheet_opens_as_a_grid_and_t_shows_its_text(qtbot, screen):
    pane = screen.pane
    assert pane.view() is pane.grid
    assert screen.commands.text.isEnabled()
    screen.toggle_text()
    assert pane.view() is pane.text_view
    screen.toggle_text()
    assert pane.view() is pane.grid


def test_cells_are_picked_as_spans_of_the_text(qtbot, screen):
    grid = screen.pane.grid
    spans: list[tuple[int, int]] = []
    grid.words_selected.connect(lambda start, end, _box: spans.append((start, end)))
    pick(grid, (2, 1))
    qtbot.waitUntil(lambda: bool(spans))
    assert words(spans[-1]) == "white van"
    pick(grid, (2, 0), (2, 1), (2, 2))
    qtbot.waitUntil(lambda: len(spans) > 1)
    assert words(spans[-1]) == "07:58 · vehicle: white van · direction: in"
    assert screen.pane.selection() == spans[-1]
    qtbot.keyClick(grid, Qt.Key.Key_Escape)
    assert screen.pane.selection() is None


def test_a_quote_and_a_hit_colour_their_cells_and_a_click_picks_the_quote(qtbot, screen):
    grid = screen.pane.grid
    start = TEXT.index("white van · direction: out")
    mark = Mark(start, start + len("white van"), "contradicts")
    grid.set_marks([mark], 0)
    picture = grid.viewport().grab().toImage()
    corners = [grid.visualRect(grid.cells.index(row, 1)).topLeft() + QPoint(3, 3) for row in range(1, 5)]
    tint = mark_colours.text_tint("contradicts", strong=True)
    assert [picture.pixelColor(corner) == tint for corner in corners] == [False, False, False, True]
    marks: list[object] = []
    grid.mark_clicked.connect(marks.append)
    grid.clicked.emit(grid.cells.index(4, 1))
    assert marks == [mark]
    grid.set_finds([(start, start + 5)])
    assert grid.centre_on(start, start + 5)
    assert grid.visualRect(grid.cells.index(4, 1)).intersects(QRect(0, 0, 1400, 800))
    grid.set_finds([])
    assert grid.cells.data(grid.cells.index(1, 0), Qt.ItemDataRole.BackgroundRole) is None


def test_the_rows_near_a_passage_stand_below_the_headings_of_their_table():
    rows = grid_rows(TEXT, [TABLE])
    start = TEXT.index("16:55")
    assert [words(row.span) for row in rows_near(rows, (start, start + 5), 0)] == [
        "time · vehicle · direction",
        "16:55 · vehicle: white van · direction: out",
    ]
    assert rows_near(rows, (0, 4), 1) == rows[:2]


PRINTED = "Log\n\ntime\tvehicle\ndirection\n\n07:58\n\na long white van\n\nin\n\n08:14\tlorry\tout\n\nEnd."


PRINTED_ROWS = (("07:58", "a long white van", "in"), ("08:14", "lorry", "out"))


def printed_table():
    """Find each cell behind the one before."""
    end, rows = PRINTED.index("07:58"), []
    for row in PRINTED_ROWS:
        spans = []
        for cell in row:
            start = PRINTED.index(cell, end)
            end = start + len(cell)
            spans.append((start, end))
        rows.append(tuple(spans))
    return Table(("time", "vehicle", "direction"), tuple(rows))


def test_cells_on_lines_of_their_own_are_one_row_below_their_headings():
    rows = grid_rows(PRINTED, [printed_table()])
    assert [row.kind for row in rows] == ["line", "headings", "row", "row", "line"]
    assert [[PRINTED[slice(*cell)] for cell in row.cells] for row in rows[1:4]] == [
        ["time", "vehicle", "direction"],
        *map(list, PRINTED_ROWS),
    ]
    assert all(upper.span[1] <= lower.span[0] for upper, lower in pairwise(rows))
    assert "".join("".join(PRINTED[slice(*row.span)] for row in rows).split()) == "".join(PRINTED.split())


def test_words_that_only_look_like_headings_stay_a_line():
    text = PRINTED.replace("time\t", "Our time\t")
    table = moved(printed_table(), 4)
    assert [row.kind for row in grid_rows(text, [table])][:3] == ["line", "line", "line"]


class PrintedReader(PlainReader):
    """One printed page that is a table, whatever the file holds."""

    def read(self, data, name, *, password="", note_marks=False):
        yield Outline("pdf", 1)
        word = Word(10, 14, 50.0, 50.0, 90.0, 60.0)
        yield PageText(1, PRINTED, Words.of([word]), 595.0, 842.0, tables=(printed_table(),))


def test_t_goes_from_a_printed_page_to_its_grid_and_its_text(qtbot, engines, tmp_path):
    with open_session(replace(engines, reader=PrintedReader()), tmp_path) as case_session:
        viewer = ViewerScreen(case_session)
        put_on_show(qtbot, viewer, 1400, 800)
        viewer.open_source(case_session.workbench.documents.all()[0].id, 1, 0, 0)
        pane = viewer.pane
        views = [pane.view()]
        for _ in range(3):
            viewer.toggle_text()
            views.append(pane.view())
        assert views == [pane.page_view, pane.grid, pane.text_view, pane.page_view]


@pytest.mark.parametrize(
    ("wanted", "room", "line", "widths"),
    [
        ([100, 200], 1000, 0, [100, 200]),  # all fit: none is wider than its words
        ([100, 900], 800, 0, [100, 700]),  # beyond the limit as far as there is room
        ([100, 900, 600], 2000, 0, [100, 900, 600]),
        ([100, 900, 660], 1300, 0, [100, 660, 540]),  # in proportion to what they are short of
        ([100, 900], 300, 0, [100, 420]),  # no room: the limit
        ([100, 200], 1000, 600, [100, 500]),  # a line across the columns
        ([], 1000, 0, []),
    ],
)
def test_wide_columns_take_the_room_that_is_left(wanted, room, line, widths):
    assert spread(wanted, 420, room, line) == widths


@pytest.mark.parametrize(
    ("wanted", "room", "widths"),
    [
        ([100, 400, 300], 600, [100, 250, 250]),  # the widest are narrowed to one width
        ([100, 400, 300], 399, [100, 400, 300]),  # too narrow even so: the view scrolls
        ([100, 200], 1000, [100, 200]),
    ],
)
def test_wide_columns_are_narrowed_where_all_fit_so(wanted, room, widths):
    assert spread(wanted, 420, room, least=150) == widths


def test_a_grid_of_full_height_shows_all_rows(qtbot):
    grid = PageGrid()
    grid.resize(600, 100)
    lettered = replace(TABLE, letters=("A", "B", "C"))
    grid.show_page(TEXT, [lettered])
    grid.fit_height()
    put_on_show(qtbot, grid, 600, grid.height())
    assert grid.verticalScrollBar().maximum() == 0


def test_a_wider_view_gives_a_long_last_column_its_words(qtbot):
    words = "The dosing pump stopped at night and nobody was near " * 3
    grid = PageGrid()
    put_on_show(qtbot, grid, 500, 300)
    text = f"a{words}"
    grid.show_page(text, [Table(("A", "B"), (((0, 1), (1, len(text))),))])
    narrow = grid.columnWidth(1)
    grid.resize(1300, 300)
    qtbot.waitUntil(lambda: grid.columnWidth(1) > 2 * narrow)


def legend(pane):
    return [entry.text for entry in pane.legend.entries if not entry.isHidden()]


def test_the_colours_of_quotes_are_said_below_the_page(screen):
    assert legend(screen.pane)
    assert screen.pane.legend.head.text() == "Proposals"
    proposals = [proposal.id for proposal in screen.pane._quotes.proposals]
    screen.session.do(lambda bench: bench.review.reject(proposals))
    screen.pane.read_quotes()
    assert screen.pane.legend.isHidden()
    document = screen.session.workbench.documents.all()[0].id
    first, second = (TEXT.index(time) for time in ("07:58", "16:55"))
    rows = [
        screen.session.do(lambda bench, at=at: bench.evidence.add_quote(document, 1, at, at + 5))
        for at in (first, second)
    ]
    hypothesis = screen.session.workbench.hypotheses.all()[0]
    assert legend(screen.pane) == ["not rated"]
    screen.session.do(lambda bench: bench.evidence.rate(rows[0].id, hypothesis.id, "C"))
    screen.pane.read_quotes()
    assert legend(screen.pane) == ["speaks for", "not rated"]
    assert screen.pane.legend.head.text() == "In the matrix"
    screen.pane.legend.grab()
    screen.session.do(lambda bench: bench.evidence.remove(*(row.id for row in rows)))
    screen.pane.read_quotes()
    assert screen.pane.legend.isHidden()
