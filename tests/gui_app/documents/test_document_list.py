"""The list of documents: its columns, groups under headings, and what can be typed into its filter."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyleOptionViewItem

from core.domain import Attribution, Document
from core.engines.readers.dispatch import FileReader
from core.ports import Engines
from gui_app import window_state
from gui_app.documents.documents_filter import DocumentsFilter, Term, terms_of
from gui_app.documents.documents_model import DocumentsModel
from gui_app.documents.facets import choices
from gui_app.documents.screen import DocumentsScreen
from gui_app.shared import theme
from tests.contracts import zipped
from tests.fakes import HashEmbedder
from tests.gui_app.small_case import put_on_show

BODY = "The ferry sank at its berth when the river rose above the dam, the mayor said. Nobody was hurt.\n"


@pytest.fixture
def engines():
    return Engines(FileReader(), HashEmbedder())


@pytest.fixture
def screen(case, tmp_path, qtbot):
    heads = {
        "0.txt": "The Orb\n\nFERRY SINKS\n\n2011/04/03\n\nABILA, Kronos -- ",
        "1.txt": "Kronos Star\n\nDAM BROKEN AT NIGHT\n\n2011/05/20\n\n",
        "2.txt": "The Orb\n\nMAYOR SPEAKS OF THE FERRY\n\n2011/04/15\n\n",
        "3.txt": "",
    }
    for name, head in heads.items():
        (tmp_path / name).write_text(f"{head}{BODY * (2 if name == '3.txt' else 1)} {name}", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / name for name in heads]))
    screen = DocumentsScreen(case)
    put_on_show(qtbot, screen, 1100, 700)
    return screen


def lines(screen):
    """What stands in the list, headings in brackets."""
    proxy = screen.proxy
    return [
        f"[{proxy.heading(row).words}]" if proxy.heading(row) else proxy.index(row, 0).data()
        for row in range(proxy.rowCount())
    ]


def pick(screen, words):
    """Open the menu of columns and groups, go to an entry with the arrow key, and press Enter."""
    screen.view_action.trigger()
    menu = screen.table.view_button.menu()
    assert menu.isVisible()
    for _ in range(40):
        QTest.keyClick(menu, Qt.Key.Key_Down)
        if menu.activeAction() is not None and menu.activeAction().text() == words:
            break
    assert menu.activeAction().text() == words
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert not menu.isVisible()


def test_a_title_has_a_column_where_there_is_room_and_stands_beside_the_name_where_not(screen):
    columns = screen.table.visible_columns()
    assert columns[:4] == ["Name", "Title", "Source", "Date"]
    assert "Tags" not in columns  # in which nothing is said
    titles = [screen.proxy.index(row, DocumentsModel.TITLE).data() for row in range(4)]
    assert titles == ["FERRY SINKS", "DAM BROKEN AT NIGHT", "MAYOR SPEAKS OF THE FERRY", ""]
    screen.table.fit_columns(300)
    assert "Title" not in screen.table.visible_columns()
    screen.table.fit_columns(1100)
    assert "Title" in screen.table.visible_columns()


def test_columns_are_chosen_by_keys_and_stay_chosen_however_wide_the_list_is(screen, qtbot):
    pick(screen, "Words")
    assert "Words" in screen.table.visible_columns()
    qtbot.waitUntil(lambda: screen.proxy.index(3, DocumentsModel.WORDS).data() == "39")
    pick(screen, "Pages")
    assert "Pages" not in screen.table.visible_columns()
    chosen = screen.table.visible_columns()
    screen.table.fit_columns(300)
    assert screen.table.visible_columns() == chosen
    assert set(window_state.document_columns()) == set(chosen) | {"Words"} - {"Pages"}
    pick(screen, "As many as fit")
    assert window_state.document_columns() == ()
    assert "Words" not in screen.table.visible_columns()


def test_words_and_rows_are_sorted_as_numbers(screen, qtbot):
    screen.session.do(lambda bench: bench.evidence.add_quote("D3", 1, 0, 7))
    assert screen.proxy.index(2, DocumentsModel.ROWS).data() == "1"
    assert "Rows" in screen.table.visible_columns()
    screen.table.choose_columns(["Words", "Rows"])
    qtbot.waitUntil(lambda: bool(screen.model.words))
    screen.table.sortByColumn(DocumentsModel.WORDS, Qt.SortOrder.DescendingOrder)
    assert lines(screen)[0] == "3.txt"
    screen.table.sortByColumn(DocumentsModel.ROWS, Qt.SortOrder.AscendingOrder)
    assert lines(screen)[0] == "2.txt"


def test_documents_are_grouped_by_source_and_folded_and_headings_are_passed_over(screen, qtbot):
    pick(screen, "Source")
    assert lines(screen) == [
        *("[Kronos Star, 1 document]", "1.txt", "[The Orb, 2 documents]", "0.txt", "2.txt"),
        *("[No source, 1 document]", "3.txt"),
    ]
    screen.table.setFocus()
    for expected in ("1.txt", "0.txt", "2.txt", "3.txt"):
        QTest.keyClick(screen.table, Qt.Key.Key_Down)
        assert [document.name for document in screen.chosen()] == [expected]
    QTest.keyClick(screen.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(screen.chosen()) == 4
    heading = screen.table.visualRect(screen.proxy.index(2, 0)).center()
    QTest.mouseClick(screen.table.viewport(), Qt.MouseButton.LeftButton, pos=heading)
    assert lines(screen)[2:] == ["[The Orb, 2 documents]", "[No source, 1 document]", "3.txt"]
    assert screen.proxy.passing() == 4
    pick(screen, "Fold all groups")
    assert len(lines(screen)) == 3
    pick(screen, "Unfold all groups")
    assert len(lines(screen)) == 7
    assert window_state.document_group() == "source"
    pick(screen, "Folder")
    assert lines(screen)[0] == "[Added without a folder, 4 documents]"
    pick(screen, "Month")
    assert [line for line in lines(screen) if line[0] == "["][-1] == "[No date, 1 document]"
    pick(screen, "Nothing")
    assert lines(screen) == ["0.txt", "1.txt", "2.txt", "3.txt"]


def test_a_heading_is_painted_over_the_whole_row(screen):
    screen.table.group_by("source")
    box = screen.table.visualRect(screen.proxy.index(0, 0))
    image = screen.table.viewport().grab().toImage()
    scale = image.devicePixelRatio()
    y, right = (
        int((box.center().y() - box.height() // 2 + 4) * scale),
        int((screen.table.viewport().width() - 8) * scale),
    )
    assert image.pixelColor(right, y).name() == theme.tokens().raised


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("title:ferry", ["0.txt", "2.txt"]),
        ("source:orb date:>2011-04-10", ["2.txt"]),
        ("date:2011-04", ["0.txt", "2.txt"]),
        ("date:>2011-04", ["1.txt"]),
        ("date:<=2011-04", ["0.txt", "2.txt"]),
        ('source:"kronos star"', ["1.txt"]),
        ("place:kronos", ["0.txt"]),
        ("pages:1 mayor", ["2.txt"]),
        ("pages:>1", []),
        ("rows:0 title:dam", ["1.txt"]),
        ("title:", ["0.txt", "1.txt", "2.txt", "3.txt"]),
        ("nosuchcolumn:x", []),
        ("language:en", ["0.txt", "1.txt", "2.txt", "3.txt"]),
        ("language:german", []),
        ("made:2011", []),
    ],
)
def test_the_filter_understands_columns(screen, qtbot, words, expected):
    screen.filter.setFocus()
    QTest.keyClicks(screen.filter, words)
    qtbot.waitUntil(lambda: lines(screen) == expected)


def test_terms_are_words_and_columns_with_a_comparison():
    assert terms_of('Harbour pages:>=1,000 source:"The Orb"') == (
        Term("harbour"),
        Term("1,000", DocumentsModel.PAGES, ">="),
        Term("the orb", DocumentsModel.SOURCE),
    )


def test_documents_without_title_or_date_are_a_state(screen):
    screen.table.narrow("state", "untitled")
    assert lines(screen) == ["3.txt"]
    screen.table.narrow("state", "undated")
    assert lines(screen) == ["3.txt"]


def test_what_is_unsure_is_muted_and_says_where_it_was_read():
    model = DocumentsModel()
    row = Document("D1", "a.pdf", "", "pdf", 1, 1, 1, "ready", "", date="2019-08-30")
    model.show([])
    assert not model.is_unsure(row, DocumentsModel.DATE)
    read = Document(
        *("D1", "a.pdf", "", "pdf", 1, 1, 1, "ready", ""),
        date="2019-08-30",
        attributions=(Attribution("date", "file properties", "L"),),
    )
    model.show([read])
    assert model.is_unsure(read, DocumentsModel.DATE)
    tip = model.index(0, DocumentsModel.DATE).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "2019-08-30\nfile properties (unsure)"


def test_ten_thousand_documents_keep_the_selection_while_they_are_grouped_and_narrowed():
    model = DocumentsModel()
    proxy = DocumentsFilter()
    proxy.setSourceModel(model)
    rows = [
        Document(
            *(f"D{n}", f"{n}.txt", "", "text", 1, n % 7, 1, "ready", ""),
            title=f"Story {n}",
            publisher=f"Paper {n % 40}",
            date=f"2011-{n % 12 + 1:02}-03",
        )
        for n in range(1, 10_001)
    ]
    model.show(rows)
    index = QPersistentModelIndex(proxy.index(5_000, 0))
    name = index.data()
    proxy.group_by("source")
    proxy.sort(DocumentsModel.DATE)
    assert (proxy.rowCount(), proxy.passing(), index.data()) == (10_040, 10_000, name)
    proxy.narrow(text="source:paper title:story pages:<3")
    assert proxy.passing() == sum(row.pages < 3 for row in rows)


def test_under_the_file_that_holds_it_a_document_has_its_own_name_alone(screen, case, tmp_path):
    (tmp_path / "bag.zip").write_bytes(zipped({"deep/inner.txt": BODY.upper().encode()}))
    case.do(lambda bench: bench.documents.add([tmp_path / "bag.zip"]))
    screen.refresh()
    screen.table.group_by("file")
    assert lines(screen)[:2] == ["[bag.zip, 1 document]", "bag.zip/deep/inner.txt"]
    option = QStyleOptionViewItem()
    index = screen.proxy.index(1, DocumentsModel.NAME)
    screen.table.itemDelegateForIndex(index).initStyleOption(option, index)
    assert option.text == "inner.txt"


def test_what_a_filter_looks_in_is_made_anew_only_of_rows_that_changed(screen, monkeypatch):
    ids = []
    make = screen.model._new_filter_text
    monkeypatch.setattr(screen.model, "_new_filter_text", lambda row, status: ids.append(row.id) or make(row, status))
    rows = list(screen.model.rows)
    screen.model.show(rows)
    assert ids == []
    newer = replace(rows[0], superseded_by=rows[2].id)
    screen.model.show([newer, *rows[1:]])
    assert ids == [rows[0].id, rows[2].id]  # what stands of the newer one is another status too
    assert f"superseded by {rows[2].name}".casefold() in screen.model.filter_texts[0]


def test_a_name_that_is_a_little_longer_than_the_others_stands_on_one_line(case, screen):
    rows = list(screen.model.rows)
    usual = screen.table._width_of(DocumentsModel.NAME, 0, 1_000)
    screen.model.show([replace(row, name=f"statement-of-{row.name}") for row in rows])
    longer = screen.table._width_of(DocumentsModel.NAME, 0, 1_000)
    assert longer > usual
    names = [f"statement-of-{row.name}" for row in rows[:-1]] + ["statement-of-all.txt"]
    screen.model.show([replace(row, name=name) for row, name in zip(rows, names, strict=True)])
    assert screen.table._width_of(DocumentsModel.NAME, 0, 1_000) > longer
    screen.model.show([replace(row, name=name) for row, name in zip(rows, [*names[:-1], "x" * 80], strict=True)])
    assert screen.table._width_of(DocumentsModel.NAME, 0, 1_000) == longer


def test_a_sender_stands_in_the_list_by_name_and_in_the_tool_tip_with_the_address(screen):
    texts = []
    for source in ("Jonas Pell <jonas.pell@weir.example>", "<desk@weir.example>", "A. <a@x.example>, B. <b@x.example>"):
        screen.model.show([replace(screen.model.rows[0], origin=source)])
        index = screen.model.index(0, DocumentsModel.SOURCE)
        assert source in html.unescape(index.data(Qt.ItemDataRole.ToolTipRole))
        texts.append(index.data())
    assert texts == ["Jonas Pell", "<desk@weir.example>", "A., B."]


def test_widths_order_and_sorting_stay_for_the_next_list(case, screen, qtbot):
    table = screen.table
    header = table.horizontalHeader()
    header.resizeSection(DocumentsModel.SOURCE, 201)
    header.resizeSection(DocumentsModel.NAME, 177)
    header.moveSection(header.visualIndex(DocumentsModel.DATE), 1)
    table.sortByColumn(DocumentsModel.DATE, Qt.SortOrder.DescendingOrder)
    next_screen = DocumentsScreen(case)
    put_on_show(qtbot, next_screen, 1100, 700)
    assert next_screen.table.columnWidth(DocumentsModel.SOURCE) == 201
    assert next_screen.table.columnWidth(DocumentsModel.NAME) == 177
    assert next_screen.table.horizontalHeader().visualIndex(DocumentsModel.DATE) == 1
    assert lines(next_screen) == ["1.txt", "2.txt", "0.txt", "3.txt"]


def document(number, name="", **fields):
    """A document that is not stored."""
    return Document(f"D{number}", name or f"{number}.txt", "", "text", 1, 1, 1, "ready", "", **fields)


def test_a_long_name_has_two_lines_wherever_it_stands(screen):
    long_name = "statement of the second engineer on the condition of the bilge pumps before departure.txt"
    screen.model.show([document(1, long_name, title="Pumps"), document(2), document(3)])
    screen.table.fit_columns(655)
    screen.table.fit_rows()
    heights = [screen.table.rowHeight(row) for row in range(3)]
    assert heights[0] > heights[1] == heights[2] == theme.row_height()
    screen.table.sortByColumn(DocumentsModel.NAME, Qt.SortOrder.AscendingOrder)
    assert [screen.table.rowHeight(row) for row in range(3)] == heights[::-1]
    tip = screen.proxy.index(2, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == f"{long_name}\nPumps"
    screen.table.narrow("state", "inside")
    screen.table.clear_filters()
    assert [screen.table.rowHeight(row) for row in range(3)] == heights[::-1]
    theme.set_density("comfortable")
    try:
        assert {screen.table.rowHeight(row) for row in range(3)} == {theme.row_height()}
    finally:
        theme.set_density("compact")


def test_what_was_found_in_a_file_has_two_lines_only_for_the_name_it_has_there(screen):
    mail = "letter of the second engineer on the bilge pumps.eml"
    screen.model.show([document(1, mail), document(2, f"{mail}/load.csv", parent="D1")])
    screen.table.setColumnWidth(DocumentsModel.NAME, 200)
    screen.table.fit_rows()
    heights = [screen.table.rowHeight(row) for row in range(2)]
    assert heights[0] > heights[1] == theme.row_height()
    screen.table.group_by("file")
    assert [screen.table.rowHeight(row) for row in range(screen.proxy.rowCount())][1] == theme.row_height()
    screen.table.group_by("")
    screen.filter.setText("load.csv")
    screen.table.apply_filter()
    assert [screen.table.rowHeight(0)] == heights[:1]  # without the mail it has the path


def test_the_language_has_a_column_where_a_case_has_several(screen):
    screen.model.show([document(1, language="en"), document(2, language="en"), document(3)])
    screen.table.fit_columns(1100)
    assert "Language" not in screen.table.visible_columns()
    screen.model.show([document(1, language="en"), document(2, language="de")])
    screen.table.fit_columns(655)
    assert "Language" in screen.table.visible_columns()


def test_names_read_from_the_right_begin_there(screen):
    screen.model.show([document(1, "a.txt", title="تقرير عن الميناء"), document(2, "b.txt", title="12 Pumps")])
    sides = []
    for row in range(2):
        option = QStyleOptionViewItem()
        index = screen.proxy.index(row, DocumentsModel.TITLE)
        screen.table.itemDelegateForIndex(index).initStyleOption(option, index)
        sides.append(option.direction)
    assert sides == [Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight]


def test_a_menu_offers_as_many_levels_of_folders_as_it_can_hold():
    counts = {"a": 40, "b": 2, "": 1} | {f"a/{n}": 1 for n in range(1, 41)}
    assert choices("folder", counts) == ["", "a", "b"]
    assert choices("folder", {"a": 3, "a/10": 1, "a/9": 2}) == ["a", "a/9", "a/10"]
    assert choices("language", {"de": 1, "en": 3, "": 1}) == ["en", "de", ""]


def test_what_the_list_fits_by_itself_is_no_choice(screen):
    screen.table.fit_columns(300)
    screen.table.fit_columns(1100)
    assert window_state.pane("documents-widths") == ""
