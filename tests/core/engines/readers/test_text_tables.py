"""Tables drawn with bars in a text: rows with their headings, all else as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import PageText, Section
from core.engines.readers import text_tables
from core.engines.readers.dispatch import FileReader
from core.engines.readers.text_flow import Piece

MARKDOWN = """Before | it.

| Time  | Vehicle   | Direction |
|:-----:|:---------:|:---------:|
| 07:58 | white van | in        |
| 08:10 | a \\| b    |

After it."""
BARE = "Gate | Count\n---|---\nNorth | 12\nSouth | 13\nA line below."
DATABASE = " id | name \n----+------\n  1 | Ann\n  2 | Bo\n(2 rows)"
FRAMED = "+----+------+\n| id | name |\n+----+------+\n|  1 | Ann  |\n|  2 | 東京 |\n+----+------+\n"
GRID = """+------+-------+
| Pump | State |
+======+=======+
| one  | shut  |
| east |       |
+------+-------+
| two  | open  |
+------+-------+
"""
ORG = "|---+---|\n| a | b |\n|---+---|\n| x | 2 |\n| y | 3 |\n|---+---|\n| z | 5 |\n"
TOTAL = "| x | 2 |\n| y | 3 |\n|---+---|\n| z | 5 |\n"
SPANS = "+---+---+\n| a | b |\n+---+---+\n| both  |\n+---+---+\n| c | d |\n| e | f |\n+---+---+\n"


def laid_out(text: str) -> tuple[str, list[tuple[tuple[str, ...], list[list[str]]]]]:
    piece = text_tables.lay_out(Piece(text))
    grids = [
        (table.columns, [[piece.text[start:end] for start, end in row] for row in table.rows]) for table in piece.tables
    ]
    return piece.text, grids


@pytest.mark.parametrize(
    ("drawing", "text", "columns", "rows"),
    [
        pytest.param(
            MARKDOWN,
            "Before | it.\n\nTime · Vehicle · Direction\n07:58 · Vehicle: white van · Direction: in\n"
            "08:10 · Vehicle: a | b\n\nAfter it.",
            ("Time", "Vehicle", "Direction"),
            [["07:58", "white van", "in"], ["08:10", "a | b", ""]],
            id="markdown",
        ),
        pytest.param(
            BARE,
            "Gate · Count\nNorth · Count: 12\nSouth · Count: 13\nA line below.",
            ("Gate", "Count"),
            [["North", "12"], ["South", "13"]],
            id="without outer bars",
        ),
        pytest.param(
            DATABASE,
            "id · name\n1 · name: Ann\n2 · name: Bo\n(2 rows)",
            ("id", "name"),
            [["1", "Ann"], ["2", "Bo"]],
            id="database",
        ),
        pytest.param(
            FRAMED,
            "id · name\n1 · name: Ann\n2 · name: 東京\n",
            ("id", "name"),
            [["1", "Ann"], ["2", "東京"]],
            id="frame",
        ),
        pytest.param(
            GRID,
            "Pump · State\none east · State: shut\ntwo · State: open\n",
            ("Pump", "State"),
            [["one east", "shut"], ["two", "open"]],
            id="grid",
        ),
        pytest.param(
            ORG,
            "a · b\nx · b: 2\ny · b: 3\nz · b: 5\n",
            ("a", "b"),
            [["x", "2"], ["y", "3"], ["z", "5"]],
            id="org",
        ),
        pytest.param(
            TOTAL,  # the rule is above a total, and nothing heads the columns
            "x · 2\ny · 3\nz · 5\n",
            ("", ""),
            [["x", "2"], ["y", "3"], ["z", "5"]],
            id="without headings",
        ),
    ],
)
def test_a_drawn_table_is_rows_with_their_headings(drawing, text, columns, rows):
    assert laid_out(drawing) == (text, [(columns, rows)])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```\n{MARKDOWN}\n```\n", id="shown as it is written"),
        pytest.param("a | b\n---|---|---\n1 | 2\n", id="another number of headings"),
        pytest.param("| a | b |\n|---|---|\n\nText.", id="no rows"),
        pytest.param("| a |\n|---|\n| b |\n", id="a single column"),
        pytest.param("+-----+   +-----+\n| one |-->| two |\n+-----+   +-----+\n", id="a diagram"),
        pytest.param(
            "+---+---+\n| a | b |\n+---+---+\n| both  |\n+---+---+\n| c | d |\n| e | f |\n+---+---+\n", id="spans"
        ),
        pytest.param("+---+---+\n| a | b |\n+---+---+\n| c | d |\n", id="a frame that is cut off"),
    ],
)
def test_all_else_stays_as_it_is(text):
    assert laid_out(text) == (text, [])


def test_a_page_ends_a_table_and_headings_stay_in_place():
    text = "# Log\n\n| a | b |\n|---|---|\n| 1 | 2 |\f| 3 | 4 |\n\n# Later\n"
    sections = (Section(1, "Log", 0), Section(1, "Later", text.index("# Later")))
    piece = text_tables.lay_out(Piece(text, sections=sections))
    assert piece.text == "# Log\n\na · b\n1 · b: 2\f| 3 | 4 |\n\n# Later\n"
    assert [piece.text[section.start :][:3] for section in piece.sections] == ["# L", "# L"]
    assert len(piece.pages()) == 2


@pytest.mark.parametrize("name", ["gate.md", "gate.txt"])
def test_files_of_text_have_their_tables(name):
    page = next(item for item in FileReader().read(MARKDOWN.encode(), name) if isinstance(item, PageText))
    assert "07:58 · Vehicle: white van · Direction: in" in page.text
    assert page.tables[0].columns == ("Time", "Vehicle", "Direction")


CELL = st.text("ab|\\·é 1-", max_size=6).map(str.strip)
ROWS = st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=2))


@given(ROWS, st.text("ab|-+ \n\f", max_size=40))
def test_every_cell_is_in_the_grid_and_no_text_is_lost(rows, around):
    lines = ["|" + "|".join(cell.replace("|", "\\|") + " " for cell in row) + "|" for row in rows]
    lines.insert(1, "|" + "--|" * len(rows[0]))
    text, _ = laid_out(f"{around}\n\n" + "\n".join(lines) + f"\n\n{around}")
    words = [word for cell in (cell for row in rows for cell in row) for word in cell.split()]
    assert all(word in text for word in words)
    assert sum(map(str.isalnum, text)) >= sum(map(str.isalnum, around + around + "".join("".join(row) for row in rows)))
