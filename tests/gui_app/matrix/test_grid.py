"""The parts below the matrix screen: the sheet, its order and filters, text for spreadsheets, the painted grid, and
what a screen reader finds in it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QColor, QImage

from core.domain import RATINGS, Assessment, Evidence, Hypothesis, Matrix, MatrixRow, Probabilities, Rating, Suggestion
from core.matrix import group_rating
from gui_app.matrix import clipboard, grid_accessibility, grid_words
from gui_app.matrix.grid import MatrixGrid, Standing
from gui_app.matrix.grid_model import (
    CODE,
    DISPUTED,
    NOTE,
    SORTS,
    SUGGESTED,
    UNSURE,
    Filter,
    MatrixTable,
    Sheet,
    build,
    cell_words,
    grid_row,
    rating_of,
    visible_rows,
)
from gui_app.matrix.grid_painter import printable
from gui_app.shared import theme as look

Key, Modifier = Qt.Key, Qt.KeyboardModifier
ODD = (
    "",
    "אבג: השומר אמר שאיש לא נכנס",
    "turned \u202eround\u202c and \u0007 rung\x00",
    "<b>not bold</b> & not markup",
    "=cmd|' /C calc'!A1",
    "one\ttwo\nthree",
    "x" * 10_000,
    "𝔘nusual 👩‍💻 ",
)


def evidence(identity: str, text: str = "", **fields) -> Evidence:
    return Evidence(
        identity,
        text or f"text of {identity}",
        fields.pop("source", "a.txt"),
        "manual",
        **{
            "credibility": None,
            "relevance": None,
            **fields,
        },
    )


def sheet_of(cells: str, *items: Evidence, wide: int = 1) -> Sheet:
    """A sheet from letters: 'C I? -' is a decided C, a suggested I, and an empty cell."""
    codes = bytearray()
    for letters in cells.split():
        if letters == "-":
            codes.append(0)
        else:
            code = CODE[letters.rstrip("?")]  # type: ignore[index]
            codes.append(code + SUGGESTED if letters.endswith("?") else code)
    rows = [grid_row(item) for item in items or [evidence(f"E{n + 1}") for n in range(len(codes) // wide)]]
    return Sheet(rows, [Hypothesis(f"H{n + 1}", f"hypothesis {n + 1}") for n in range(wide)], codes, who="Ada")


def scored(sheet: Sheet, *figures: float | None, clusters: tuple[str, ...] = (), flags=()) -> Sheet:
    rows = tuple(
        MatrixRow(
            row.id,
            {},
            diagnosticity=figures[index],
            cluster=clusters[index] if clusters else "",
            flags=flags[index] if flags else (),
        )
        for index, row in enumerate(sheet.rows)
    )
    sheet.score(Matrix(tuple(h.id for h in sheet.hypotheses), rows, {}, {}, {}))
    return sheet


def rated(e: str, h: str, rating: Rating, by: str = "Ada", **fields) -> Assessment:
    return Assessment(e, h, rating, by, "2026-01-01T00:00:00Z", **fields)


def suggested(e: str, h: str, rating: Rating) -> Suggestion:
    return Suggestion(e, h, rating, "model", Probabilities(0.1, 0.8, 0.1), "2026-01-01T00:00:00Z")


def ids(sheet: Sheet, order: list[int]) -> list[str]:
    return [sheet.rows[number].id for number in order]


# --- the sheet -------------------------------------------------------------------------------------------------------


def test_what_a_cell_says():
    sheet = build(
        [Hypothesis(f"H{number}", "one name for all") for number in range(1, 5)],
        [evidence("E2")],
        [
            rated("E2", "H1", "I", note="because", confidence="low"),
            rated("E2", "H4", "C", by="Ben"),
            rated("E2", "H4", "II"),
        ],
        [suggested("E2", "H1", "C"), suggested("E2", "H2", "C")],
        who="Ada",
        group_rating=group_rating,
    )
    words = [cell_words(sheet, 0, h) for h in range(4)]
    assert words == [
        "Evidence E2, hypothesis H1: inconsistent, confirmed by you, low confidence, the model differs, with a note",
        "Evidence E2, hypothesis H2: consistent, suggested by the model, not confirmed",
        "Evidence E2, hypothesis H3: not rated",
        "Evidence E2, hypothesis H4: neutral, confirmed, yours is very inconsistent, in dispute",
    ]
    assert sheet.count_unrated() == 2


def test_views_show_ones_own_everybodys_or_one_persons():
    ratings = [rated("E1", "H1", "I"), rated("E1", "H1", "II", by="Ben"), rated("E1", "H1", "II", by="Cy")]
    hypotheses = [Hypothesis("H1", "x")]
    for view, rating in (("mine", "I"), ("group", "II"), ("Cy", "II"), ("Dan", None)):
        sheet = build(hypotheses, [evidence("E1")], ratings, [], who="Ada", view=view, group_rating=group_rating)
        assert rating_of(sheet.codes[0]) == rating, view
        assert sheet.marks[0] & DISPUTED


def test_a_cleared_cell_shows_the_suggestion_again():
    sheet = build([Hypothesis("H1", "x")], [evidence("E1")], [], [suggested("E1", "H1", "C")], who="Ada")
    sheet.rate("E1", "H1", "II")
    assert rating_of(sheet.codes[0]) == "II"
    assert cell_words(sheet, 0, 0).endswith("the model differs")
    sheet.rate("E1", "H1", None)
    assert sheet.codes[0] == CODE["C"] + SUGGESTED
    sheet.rate("E9", "H1", "C")  # a cell that is not there changes nothing
    assert sheet.codes[0] == CODE["C"] + SUGGESTED


def test_ratings_of_what_is_no_longer_there_are_passed_over():
    sheet = build([Hypothesis("H2", "x")], [evidence("E1")], [rated("E1", "H1", "C"), rated("E7", "H2", "C")], [])
    assert bytes(sheet.codes) == b"\x00"


# --- order and filter ------------------------------------------------------------------------------------------------


def test_ties_keep_the_order_of_numbers_and_the_unknown_stands_last():
    sheet = scored(sheet_of("- C -", evidence("E1"), evidence("E2"), evidence("E10")), None, 1.0, 1.0)
    for reverse in (False, True):
        assert ids(sheet, visible_rows(sheet, sort="diagnosticity", reverse=reverse)) == ["E2", "E10", "E1"]
    assert ids(sheet, visible_rows(sheet, sort="unrated")) == ["E1", "E10", "E2"]
    assert ids(sheet, visible_rows(sheet, reverse=True)) == ["E10", "E2", "E1"]


def test_what_speaks_against_a_hypothesis_stands_first():
    sheet = sheet_of("C - I? NA II I CC N")
    order = [rating_of(sheet.codes[row]) for row in visible_rows(sheet, sort="h:H1")]
    assert order == ["II", "I", "I", "N", "C", "CC", "NA", None]
    assert visible_rows(sheet, sort="h:H9") == list(range(8))  # of a hypothesis that is gone


def test_grades_sort_by_letter_then_digit_and_dates_by_day():
    items = [
        evidence("E1", reliability="B", information="1", date="2021-05"),
        evidence("E2", date=""),
        evidence("E3", reliability="A", information="4", date="2021-05-01"),
        evidence("E4", reliability="B", date="2019"),
    ]
    sheet = sheet_of("- - - -", *items)
    assert ids(sheet, visible_rows(sheet, sort="grade")) == ["E3", "E1", "E4", "E2"]
    assert ids(sheet, visible_rows(sheet, sort="date")) == ["E4", "E1", "E3", "E2"]
    assert ids(sheet, visible_rows(sheet, sort="date", reverse=True)) == ["E3", "E1", "E4", "E2"]


def test_rows_of_one_origin_stand_together_where_the_first_stands():
    sheet = scored(sheet_of("- - - - -"), None, None, None, None, None, clusters=("", "E2", "", "E2", ""))
    assert ids(sheet, visible_rows(sheet, sort="upstream")) == ["E1", "E2", "E4", "E3", "E5"]


@pytest.mark.parametrize("sort", [*SORTS, "h:H1"])
def test_every_order_holds_every_row_once(sort):
    rng = random.Random(sort)
    items = [
        evidence(
            f"E{number}",
            rng.choice(ODD),
            source=rng.choice(["", "b", "a"]),
            date=rng.choice(["", "2020", "2021-01-01"]),
            reliability=rng.choice(["", "A", "F"]),
            information=rng.choice(["", "1", "6"]),
            **{"credibility": rng.choice([None, "L", "H"]), "relevance": rng.choice([None, "M"])},
        )
        for number in range(1, 60)
    ]
    sheet = sheet_of(" ".join(rng.choice([*RATINGS, "-", "C?"]) for _ in items), *items)
    for reverse in (False, True):
        assert sorted(visible_rows(sheet, sort=sort, reverse=reverse)) == list(range(59))


def test_a_row_in_dispute_is_not_looked_past():
    """One says consistent, another inconsistent: together neutral, and nothing that says nothing."""
    sheet = sheet_of("N N")
    sheet.marks[0] = DISPUTED
    scored(sheet, 0.0, 0.0, flags=(("all_N",), ("all_N",)))
    assert list(sheet.dull) == [0, 1]


def test_conditions_are_met_together():
    sheet = scored(sheet_of("C I? - NA"), 0.0, 1.0, 1.0, None, flags=(("uniform",), (), ("stale",), ("all_NA",)))
    sheet.marks[0] = NOTE
    sheet.marks[1] = UNSURE | DISPUTED
    wanted = {
        "unrated": ["E2", "E3"],
        "note": ["E1"],
        "unsure": ["E2"],
        "disputed": ["E2"],
        "dull": ["E1", "E4"],
        "stale": ["E3"],
        "superseded": [],
    }
    for flag, rows in wanted.items():
        assert ids(sheet, visible_rows(sheet, conditions=Filter(flags=(flag,)))) == rows, flag
    assert ids(sheet, visible_rows(sheet, conditions=Filter(flags=("unrated", "stale")))) == ["E3"]
    assert ids(sheet, visible_rows(sheet, conditions=Filter("of e4"))) == ["E4"]
    assert ids(sheet, visible_rows(sheet, conditions=Filter(source="b.txt"))) == []
    assert ids(sheet, visible_rows(sheet, conditions=Filter("of e4"), ids={"E1"})) == ["E1", "E4"]
    conditions = Filter("x", "a.txt", ("note",))
    assert conditions.without("words").without("source").without("note") == Filter()
    assert conditions.toggle("note").toggle("stale").flags == ("stale",)


# --- text for spreadsheets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("CC", "CC"),
        (" ii ", "II"),
        ("n/a", "NA"),
        ("N", "N"),
        ("1", "CC"),
        ("5", "II"),
        ("Very  Inconsistent", "II"),
        ("'C", "C"),
        ("\uff29", "I"),  # a wide letter, as East Asian keyboards write it
        ("", None),
        ("6", None),
        ("0", None),
        ("-", None),
        ("CCC", None),
        ("=I", None),
    ],
)
def test_a_cell_of_a_spreadsheet_is_read(text, rating):
    assert clipboard.rating_from(text) == rating


def test_quoted_cells_hold_tabs_and_line_breaks():
    block = clipboard.read('C\t"N"\r\n"II"\t"what\tis ""this""\nhere"\r\n')
    assert block.rows == (("C", "N"), ("II", None))
    assert block.misread == ('row 2, column 2: “what is "this" here”',)
    assert clipboard.read("C\n\nN").rows == (("C",), (None,), ("N",))
    assert clipboard.read('"C').rows == (("C",),)


def test_what_was_not_understood_is_named_harmlessly():
    block = clipboard.read("\u202eevil\u0007" + "x" * 500)
    (named,) = block.misread
    assert named.isprintable()
    assert len(named) < 60


def test_a_cell_that_looks_like_a_formula_is_copied_as_text():
    sheet = sheet_of("I", evidence("E1", "=1+1", source="@x"))
    line = clipboard.as_tsv([clipboard.line_of(sheet, 0)])
    assert line.split("\t")[:3] == ["E1", "'=1+1", "'@x"]
    assert clipboard.as_tsv([["\t=1", "+1", "a\tb\nc", "-"]]) == "'=1\t'+1\ta b c\t'-"


def test_what_is_copied_comes_back_when_pasted():
    rng = random.Random(5)
    rows = [[rng.choice([*RATINGS, ""]) for _ in range(7)] for _ in range(40)]
    block = clipboard.read(clipboard.as_tsv(rows))
    assert [[cell or "" for cell in row] for row in block.rows] == rows
    assert block.misread == ()


def test_the_table_holds_every_cell():
    table = MatrixTable()
    sheet = scored(sheet_of("NA C?"), None, 0.5)
    table.show(sheet, [1, 0])
    assert (table.rowCount(), table.columnCount()) == (2, 9)
    assert [table.index(row, 7).data() for row in (0, 1)] == ["C?", "NA"]
    assert table.index(0, 8).data() == "0.50"
    words = table.index(1, 4).data(Qt.ItemDataRole.AccessibleTextRole)
    assert words == "Evidence E1, grade: not given"


# --- the painted grid ------------------------------------------------------------------------------------------------


@pytest.fixture
def grid(qtbot, styled) -> Iterator[MatrixGrid]:
    grid = MatrixGrid()
    qtbot.addWidget(grid)
    grid.resize(900, 500)
    grid.show()
    qtbot.waitExposed(grid)
    yield grid
    look.apply(styled, "light")


def show(grid: MatrixGrid, sheet: Sheet) -> None:
    grid.show_sheet(sheet, list(range(len(sheet.rows))), [Standing("1=", "0.00")] * sheet.width)


def picture(grid: MatrixGrid, row: int, hypothesis: str) -> QImage:
    return grid.grab(grid.cell_rect(row, grid.column_of(hypothesis)).adjusted(3, 3, -3, -3)).toImage()


def test_decided_is_filled_suggested_is_outlined_and_unsure_is_hollow(grid):
    sheet = sheet_of("II II? II", wide=3)
    sheet.marks[2] = UNSURE
    show(grid, sheet)
    grid.go_to("E1", kind="evidence")
    image = grid.grab().toImage()
    corner = QPoint(12, 12)  # inside the frame of a cell, beside its letters
    decided, suggestion, unsure = (
        QColor(image.pixel(grid.cell_rect(0, grid.column_of(h)).topLeft() + corner)) for h in ("H1", "H2", "H3")
    )
    assert decided == look.tone("contradicts")
    assert suggestion == QColor(look.tokens().selection)
    assert unsure == QColor(look.tokens().surface)


def luminance(colour: QColor) -> float:
    """The relative luminance of WCAG 2."""
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3])
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def strongest_contrast(image: QImage, back: QColor) -> float:
    """The contrast of the ink that stands out most."""
    pixels = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
    pairs = (sorted((luminance(QColor(pixel)) + 0.05, luminance(back) + 0.05)) for pixel in pixels)
    return max(high / low for low, high in pairs)


WITHDRAWN = "Withdrawn: the document it quoted was erased."


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_withdrawn_row_is_dimmed_and_can_still_be_read(grid, styled, theme):
    look.apply(styled, theme)
    rows = [evidence("E1"), evidence("E2", WITHDRAWN), evidence("E3", WITHDRAWN, kind="withdrawn")]
    show(grid, sheet_of("I I II", *rows))
    grid.go_to("E1", kind="evidence")
    surface = QColor(look.tokens().surface)
    plain_text, text, rating = (
        strongest_contrast(grid.grab(grid.cell_rect(row, column).adjusted(2, 2, -2, -3)).toImage(), surface)
        for row, column in ((1, 0), (2, 0), (2, grid.column_of("H1")))
    )
    assert 4.5 <= text < plain_text
    assert rating >= 4.5
    box = grid.cell_rect(2, grid.column_of("H1"))
    corner = QColor(grid.grab().toImage().pixel(box.topLeft() + QPoint(12, 12)))
    assert corner == surface  # of a rating that counts it would be filled


def test_a_withdrawn_row_says_why_on_hover_and_aloud(grid):
    sheet = sheet_of("I", evidence("E1", WITHDRAWN, kind="withdrawn", source=""))
    show(grid, sheet)
    assert grid_words.row_tip(sheet, 0, "evidence") == f"{WITHDRAWN}\nIts ratings stay and do not count."
    assert f"{WITHDRAWN} It does not count." in grid_words.cell_tip(sheet, 0, 0)
    assert grid.cell_words_at(0, 0) == f"Evidence E1: {WITHDRAWN} It does not count"
    assert grid.cell_words_at(0, grid.column_of("H1")).endswith(", withdrawn, does not count")
    table = MatrixTable()
    table.show(sheet, [0])
    aloud = table.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert aloud == f"Evidence E1, text: {WITHDRAWN} It does not count"
    standing = sheet_of("I", evidence("E1", "It rained."))
    assert "count" not in grid_words.row_tip(standing, 0, "evidence") + grid_words.cell_tip(standing, 0, 0)


def test_a_note_and_a_dispute_are_seen_in_the_corners(grid):
    sheet = sheet_of("C C C", wide=3)
    sheet.marks[1], sheet.marks[2] = NOTE, DISPUTED
    show(grid, sheet)
    plain, noted, disputed = (picture(grid, 0, h) for h in ("H1", "H2", "H3"))
    right = QRect(plain.width() - 14, 4, 12, 10)
    left = QRect(4, 4, 18, 10)
    assert plain.copy(right) != noted.copy(right)
    assert plain.copy(left) != disputed.copy(left)
    assert plain.copy(left) == noted.copy(left)


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_no_two_ratings_look_alike_without_colour(grid, styled, theme):
    look.apply(styled, theme)
    show(grid, sheet_of("CC C N I II NA CC? C? N? I? II? NA?", wide=12))
    grey = [
        bytes(picture(grid, 0, f"H{number}").convertToFormat(QImage.Format.Format_Grayscale8).constBits())
        for number in range(1, 5)
    ]
    assert len(set(grey)) == 4
    grid.horizontalScrollBar().setValue(grid.horizontalScrollBar().maximum())
    more = [
        bytes(picture(grid, 0, f"H{number}").convertToFormat(QImage.Format.Format_Grayscale8).constBits())
        for number in range(9, 13)
    ]
    assert len({*grey, *more}) == 8


@pytest.mark.parametrize("theme", ["light", "contrast"])
def test_odd_matrices_are_painted(grid, styled, theme):
    look.apply(styled, theme)
    odd = [evidence(f"E{n + 1}", text, source=text, date=text[:12]) for n, text in enumerate(ODD)]
    for sheet in (
        Sheet(),
        Sheet([grid_row(evidence("E1"))]),
        Sheet([], [Hypothesis("H1", "x")]),
        sheet_of("NA NA NA"),
        sheet_of(" ".join(["NA"] * len(odd)), *odd),
        Sheet([grid_row(item) for item in odd], [Hypothesis(f"H{n}", "the same name " * 60) for n in range(9)]),
    ):
        show(grid, sheet)
        for key in (Key.Key_Down, Key.Key_End, Key.Key_1, Key.Key_Return, Key.Key_Delete, Key.Key_Home):
            grid.keyPressEvent(_pressed(key))
        assert not grid.grab().isNull()
        assert isinstance(grid.cursor_words(), str)
        assert isinstance(grid.editor.selection_as_text(), str)


def _pressed(key: Qt.Key):
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    text = "1" if key == Key.Key_1 else ""
    return QKeyEvent(QEvent.Type.KeyPress, key.value, Modifier.NoModifier, text)


def test_signs_that_turn_the_text_round_are_left_out():
    assert printable("turned \u202eround\u202c \u0007!") == "turned round  !"
    assert printable(ODD[1]) == ODD[1]
    assert "\u200d" in printable(ODD[7])


def test_all_cells_of_a_large_matrix_are_rated_by_one_key(qtbot, grid):
    sheet = sheet_of(" ".join(["-"] * 3_000), wide=30)
    show(grid, sheet)
    grid.setFocus()
    grid.select_ratings()
    with qtbot.waitSignal(grid.rated) as signal:
        qtbot.keyClick(grid, Key.Key_5)
    assert len(signal.args[0]) == 3_000
    assert {rating for _e, _h, rating in signal.args[0]} == {"II"}


def test_struck_rows_and_check_boxes_are_painted(grid):
    show(grid, sheet_of("C I"))
    former = grid.grab().toImage()
    grid.show_what_if(True, frozenset({"E1"}))
    after = grid.grab().toImage()
    assert former != after
    line = grid.cell_rect(0, 0).center()
    assert QColor(after.pixel(line.x(), grid.cell_rect(0, 0).top() + grid.cell_rect(0, 0).height() // 2)) == QColor(
        look.tokens().text
    )
    assert grid.cell_words_at(0, 0).endswith("set aside")
    grid.show_what_if(False, frozenset())
    assert grid.grab().toImage() == former


def test_columns_are_chosen(grid):
    show(grid, sheet_of("C I"))
    grid.show_columns(frozenset({"relevance", "diagnosticity"}), frozenset({"date", "grade", "source", "credibility"}))
    assert [column.kind for column in grid.columns()] == [
        "evidence",
        "source",
        "date",
        "grade",
        "credibility",
        "cell",
    ]


# --- screen readers --------------------------------------------------------------------------------------------------


@pytest.fixture
def reader(grid) -> Iterator[None]:
    """As when a screen reader runs."""
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def test_every_cell_is_found_by_a_screen_reader(qtbot, grid, reader):
    show(grid, sheet_of("C I? - NA", wide=2))
    table = QAccessible.queryAccessibleInterface(grid)
    rows, columns = grid.grid_size()
    assert (table.role(), table.childCount()) == (QAccessible.Role.Table, rows * columns)
    assert table.text(QAccessible.Text.Name) == "Matrix of evidence and hypotheses"
    index = 1 * columns + grid.column_of("H2")
    cell = table.child(index)
    assert cell.role() == QAccessible.Role.Cell
    assert cell.text(QAccessible.Text.Name) == "Evidence E2, hypothesis H2: not applicable, confirmed"
    assert table.indexOfChild(cell) == index
    assert table.childAt(cell.rect().center().x(), cell.rect().center().y()).text(QAccessible.Text.Name) == cell.text(
        QAccessible.Text.Name
    )
    grid.activateWindow()
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    grid.go_to("E2", "H2")
    assert cell.state().focused == 1
    assert table.focusChild().text(QAccessible.Text.Name) == cell.text(QAccessible.Text.Name)
    qtbot.keyClick(grid, Key.Key_Left)
    assert cell.state().focused == 0
    show(grid, sheet_of("C", wide=1))
    assert cell.text(QAccessible.Text.Name) == ""  # a cell that is gone says nothing


def test_cells_do_not_pile_up(grid, reader):
    show(grid, sheet_of(" ".join(["C"] * 6_000), wide=30))
    table = QAccessible.queryAccessibleInterface(grid)
    for index in range(table.childCount()):
        assert table.child(index).text(QAccessible.Text.Name)
    assert len(table._cells) <= grid_accessibility.MAX_CELLS
    assert table.child(table.childCount()) is None
