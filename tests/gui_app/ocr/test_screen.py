"""Words of scans under real keys: accepting, correcting, words alike, quotes that changed, and what stands when none is
left."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton

from core import paths
from core.domain import Changes
from gui_app.ocr.screen import OcrScreen
from gui_app.ocr.suspects_model import differing_span, key_of, others
from gui_app.ocr.word_strip import Cut, StripView, top_of, zoom_for
from gui_app.shell.detail_panel import DetailPanel
from gui_app.shell.shortcut_sheet import keys_of
from gui_app.shell.window import MainWindow
from tests.fakes import FakeOcr, png
from tests.gui_app.small_case import put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier

FIRST = "The gaurd~guard heard nothing.\nThe bum~burn mark was at 02:l4.~02:14."
SECOND = "A modem~modern pump.\nKeller tom~torn it off."


@pytest.fixture
def scans(case, tmp_path):
    """A case with one page of text and two that were read from pictures; the first line of page 2 is cited by E1."""
    (tmp_path / "scan.txt").write_text("Words of its own.\f  \f ", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "scan.txt"]))
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=FakeOcr(FIRST, SECOND))
    case.do(lambda bench: bench.ocr.read())
    page = case.workbench.documents.page("D1", 2)
    case.do(lambda bench: bench.evidence.add_quote("D1", 2, 0, page.text.index("\n")))
    return case


@pytest.fixture
def ocr(qtbot, scans):
    screen = OcrScreen(scans)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: screen.current() is not None)
    return screen


def words(screen) -> list[str]:
    return [doubt.text for doubt in screen.queue.rows]


def page(session, number: int) -> str:
    return session.workbench.documents.page("D1", number).text


def settle(qtbot, screen, left: list[str]) -> None:
    """Wait until the case itself says what is left."""
    qtbot.waitUntil(lambda: not screen.session.tasks.busy() and words(screen) == left)


def press(qtbot, *keys, target=None) -> None:
    for key in keys:
        qtbot.keyClick(target or QApplication.focusWidget(), key)


def test_what_is_cited_comes_first_and_the_count_says_so(ocr):
    assert words(ocr) == ["gaurd", "02:l4.", "bum", "modem", "tom"]
    assert ocr.panel.count.text() == "0 of 5 important words checked"
    assert ocr.panel.left.text() == "1 in quotes"
    assert ocr.word.cited_label.text() == "cited by E1"
    assert ocr.word.why_label.text() == "The engines differ, 45% sure"
    assert ocr.word.place_label.text() == "1 of 5"


def test_both_readings_stand_side_by_side_with_the_letters_that_differ(qtbot, ocr):
    assert (ocr.word.as_read.text(), ocr.word.other.text()) == ("gaurd", "guard")
    assert (ocr.word.as_read.marked_part(), ocr.word.other.marked_part()) == ("au", "ua")
    assert ocr.word.context.text() == "The gaurd heard nothing. The bum mark was at 02:l4."
    assert ocr.word.context.marked_part() == "gaurd"
    press(qtbot, Key.Key_J)
    assert (ocr.word.as_read.marked_part(), ocr.word.other.marked_part()) == ("l", "1")
    assert ocr.word.cited_label.isHidden()


@pytest.mark.parametrize("key", [Key.Key_A, Key.Key_Return])
def test_accepting_leaves_the_text_and_goes_on(qtbot, ocr, scans, key):
    former = page(scans, 2)
    assert ocr.field.hasFocus()
    press(qtbot, key)
    (decision,) = scans.workbench.store.corrections.decisions()
    assert (decision.word, decision.action, decision.by) == (1, "accepted", "Tester")
    assert page(scans, 2) == former
    assert ocr.current().text == "02:l4."
    settle(qtbot, ocr, ["02:l4.", "bum", "modem", "tom"])


def test_typing_and_enter_corrects(qtbot, ocr, scans):
    press(qtbot, Key.Key_J, Key.Key_E)
    assert ocr.field.editing
    qtbot.keyClicks(ocr.field, "02:14.")  # letters and figures are typed, not commands
    press(qtbot, Key.Key_Return)
    assert "mark was at 02:14." in page(scans, 2)
    assert not ocr.field.editing
    settle(qtbot, ocr, ["gaurd", "bum", "modem", "tom"])


def test_escape_leaves_the_word_as_it_was_read(qtbot, ocr, scans):
    press(qtbot, Key.Key_E)
    qtbot.keyClicks(ocr.field, "aisu")
    press(qtbot, Key.Key_Escape)
    assert ocr.field.text() == "gaurd"
    assert not ocr.field.editing
    assert scans.workbench.store.corrections.decisions() == []


def test_an_arrow_begins_typing_where_it_points(qtbot, ocr, scans):
    press(qtbot, Key.Key_J, Key.Key_J, Key.Key_Left, Key.Key_Backspace)
    qtbot.keyClicks(ocr.field, "rn")
    press(qtbot, Key.Key_Return)
    assert "The burn mark" in page(scans, 2)


def test_b_takes_the_other_engines_reading(qtbot, ocr, scans):
    press(qtbot, Key.Key_B)
    assert page(scans, 2).startswith("The guard heard")


def test_a_figure_takes_the_reading_of_that_figure(qtbot, ocr, scans):
    assert ocr.word.alternatives.text() == "1 guard"
    press(qtbot, Key.Key_2)
    assert scans.workbench.store.corrections.decisions() == []
    press(qtbot, Key.Key_1)
    assert page(scans, 2).startswith("The guard heard")


def test_down_lists_the_other_readings_and_enter_takes_one(qtbot, ocr, scans):
    press(qtbot, Key.Key_Down)
    menu = ocr.findChild(QMenu)
    qtbot.waitUntil(menu.isVisible)
    assert [action.text() for action in menu.actions()] == ["guard"]
    qtbot.keyClick(menu, Key.Key_Return)
    assert page(scans, 2).startswith("The guard heard")


def test_i_says_that_nobody_can_read_it(qtbot, ocr, scans):
    with qtbot.waitSignal(scans.decided) as signal:
        press(qtbot, Key.Key_I)
    assert page(scans, 2).startswith("The [?] heard")
    assert signal.args == ["“gaurd” is “[?]” now; U undoes it"]


def test_s_skips_and_the_word_stays_unchecked(qtbot, ocr, scans):
    texts = []
    for _ in range(5):
        texts.append(ocr.current().text)
        press(qtbot, Key.Key_S)
    assert texts == ["gaurd", "02:l4.", "bum", "modem", "tom"]
    assert ocr.current().text == "gaurd"
    assert scans.workbench.store.corrections.decisions() == []


def test_u_takes_a_decision_back_and_shows_the_word_again(qtbot, ocr, scans):
    former = page(scans, 2)
    press(qtbot, Key.Key_J, Key.Key_B)
    settle(qtbot, ocr, ["gaurd", "bum", "modem", "tom"])
    press(qtbot, Key.Key_U)
    settle(qtbot, ocr, ["gaurd", "02:l4.", "bum", "modem", "tom"])
    assert ocr.current().text == "02:l4."
    assert page(scans, 2) == former


def test_a_decision_elsewhere_keeps_the_word_on_show(qtbot, ocr, scans):
    press(qtbot, Key.Key_J, Key.Key_J)
    first = ocr.queue.rows[0]
    scans.do(lambda bench: bench.ocr.decide([(*key_of(first), "accepted", "")]))
    settle(qtbot, ocr, ["02:l4.", "bum", "modem", "tom"])
    assert ocr.current().text == "bum"


def test_what_arrives_meanwhile_leaves_what_is_typed(qtbot, ocr, scans):
    press(qtbot, Key.Key_E)
    qtbot.keyClicks(ocr.field, "gua")
    with qtbot.waitSignal(ocr.queue.modelReset):
        scans.changed.emit(Changes(documents=True), None)
    assert (ocr.field.text(), ocr.field.editing) == ("gua", True)


def test_a_corrected_quote_is_told_and_takes_the_new_words(qtbot, ocr, scans):
    assert ocr.strip_note.isHidden()
    press(qtbot, Key.Key_B)
    assert ocr.strip_note.text.text().startswith("The quote of E1 changed.")
    assert next(row for row in scans.workbench.evidence.all() if row.id == "E1").quote.startswith("The gaurd")
    qtbot.waitUntil(lambda: len(ocr.queue.rows) == 4 and not scans.tasks.busy())
    assert not ocr.strip_note.isHidden()
    press(qtbot, Key.Key_N)
    assert next(row for row in scans.workbench.evidence.all() if row.id == "E1").quote == "The guard heard nothing."
    qtbot.waitUntil(ocr.strip_note.isHidden)


def test_undoing_a_correction_takes_the_line_about_the_quote_away(qtbot, ocr):
    press(qtbot, Key.Key_B)
    assert not ocr.strip_note.isHidden()
    press(qtbot, Key.Key_U)
    qtbot.waitUntil(ocr.strip_note.isHidden)


def test_words_alike_are_decided_with_one_key_and_undone_at_once(qtbot, ocr, scans):
    press(qtbot, Key.Key_J, Key.Key_J, Key.Key_J)
    assert ocr.current().text == "modem"
    press(qtbot, Key.Key_G)
    assert ocr.stack.currentWidget() is ocr.group_page
    assert ocr.group_page.title.text() == "3 words in which “m” may be “rn”"
    assert [doubt.text for doubt in ocr.group_page.words.rows] == ["bum", "modem", "tom"]
    assert ocr.grid.hasFocus()
    qtbot.waitUntil(lambda: len(ocr.group_page.words.pictures) == 3)
    with qtbot.waitSignal(scans.told) as signal:
        press(qtbot, Key.Key_B)
    assert signal.args == ["3 words decided", True]
    assert "burn mark" in page(scans, 2)
    assert page(scans, 3) == "A modern pump.\nKeller torn it off."
    assert ocr.stack.currentWidget() is ocr.word
    settle(qtbot, ocr, ["gaurd", "02:l4."])
    press(qtbot, Key.Key_U)
    settle(qtbot, ocr, ["gaurd", "02:l4.", "bum", "modem", "tom"])


def test_space_leaves_a_word_out_of_the_group(qtbot, ocr, scans):
    press(qtbot, Key.Key_J, Key.Key_J, Key.Key_G, Key.Key_Right, Key.Key_Space)
    assert "left out" in ocr.group_page.words.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    press(qtbot, Key.Key_A)
    settle(qtbot, ocr, ["gaurd", "02:l4.", "modem"])
    assert {decision.action for decision in scans.workbench.store.corrections.decisions()} == {"accepted"}


def test_escape_leaves_the_group_and_a_word_alone_has_none(qtbot, ocr, scans):
    with qtbot.waitSignal(scans.status) as signal:
        press(qtbot, Key.Key_G)
    assert signal.args == ["No other word is doubtful in the same way."]
    press(qtbot, Key.Key_J, Key.Key_J, Key.Key_G, Key.Key_Escape)
    assert ocr.stack.currentWidget() is ocr.word
    assert ocr.current().text == "bum"
    assert ocr.field.hasFocus()


def test_equal_words_are_corrected_by_typing_once(qtbot, case, tmp_path):
    (tmp_path / "scan.txt").write_text(" ", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "scan.txt"]))
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=FakeOcr("tbe~the cat tbe~the"))
    case.do(lambda bench: bench.ocr.read())
    screen = OcrScreen(case)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: words(screen) == ["tbe", "tbe"])
    press(qtbot, Key.Key_G, Key.Key_E)
    assert screen.group_page.field.hasFocus()
    qtbot.keyClicks(screen.group_page.field, "thy")
    press(qtbot, Key.Key_Return)
    assert page(case, 1) == "thy cat thy"


def test_corrected_words_are_found_by_meaning_without_being_asked_for(qtbot, ocr, scans):
    scans.do(lambda bench: bench.index.build())
    press(qtbot, Key.Key_B)  # takes the other engine's word
    assert scans.workbench.index.status().waiting == 1
    assert ocr._embedding.isActive()  # some seconds after the last word, not after each
    ocr._embedding.timeout.emit()
    qtbot.waitUntil(lambda: not scans.tasks.busy() and scans.workbench.index.status().waiting == 0)


def test_the_word_on_show_stays_there_while_scans_are_read_and_graver_ones_come(qtbot, ocr, scans):
    ocr.read_scans()
    qtbot.waitUntil(lambda: not scans.tasks.busy())
    rows = ocr._state.doubts
    ocr._show_state(dataclasses.replace(ocr._state, doubts=[*reversed(rows)]))
    assert ocr.current() == rows[0]
    press(qtbot, Key.Key_J)
    word = ocr.current()
    ocr._show_state(dataclasses.replace(ocr._state, doubts=rows))
    assert ocr.current() == word


@pytest.mark.parametrize("reads_anew", [True, False])
def test_a_key_that_was_meant_for_a_word_that_has_gone_decides_nothing(qtbot, ocr, scans, reads_anew):
    gone, *others_left = ocr._state.doubts
    new_doubts = [dataclasses.replace(gone, text="quite other")] if reads_anew else []  # in the same place of its page
    ocr._show_state(dataclasses.replace(ocr._state, doubts=[*new_doubts, *others_left]))
    for key in (Key.Key_A, Key.Key_B, Key.Key_I):
        qtbot.keyClick(ocr.field, key)
        qtbot.keyClick(ocr, key)
    assert scans.workbench.ocr.decisions() == []
    assert "“gaurd” is no longer on this list" in ocr._next.sentence
    press(qtbot, Key.Key_Return, target=ocr.empty.button)
    assert ocr.current() == (new_doubts or others_left)[0]


def test_words_that_come_while_words_alike_are_shown_are_not_decided_with_them(qtbot, ocr, scans):
    first = next(doubt for doubt in ocr._state.doubts if doubt.text == "modem")
    ocr._on_show = key_of(first)
    ocr._show_state(dataclasses.replace(ocr._state, doubts=[first, dataclasses.replace(first, word=90)]))
    ocr.toggle_group()
    late = dataclasses.replace(first, word=91)
    ocr._show_state(dataclasses.replace(ocr._state, doubts=[*ocr._state.doubts, late]))
    assert late not in ocr.group_page.selection()
    assert len(ocr.group_page.selection()) == 2


def test_o_opens_the_page_at_the_word(qtbot, ocr):
    press(qtbot, Key.Key_J)
    doubt = ocr.current()
    with qtbot.waitSignal(ocr.show_source) as signal:
        press(qtbot, Key.Key_O)
    assert signal.args == ["D1", 2, doubt.start, doubt.end]


def test_the_strip_shows_the_word_and_t_lays_the_text_over_it(qtbot, ocr):
    qtbot.waitUntil(lambda: ocr.word.strip.cut() is not None)
    assert ocr.word.strip.cut().box == ocr.current().box
    plain = ocr.word.strip.grab().toImage()
    press(qtbot, Key.Key_T)
    assert ocr.word.strip.grab().toImage() != plain
    press(qtbot, Key.Key_T)
    assert ocr.word.strip.grab().toImage() == plain


def test_the_word_is_told_to_the_detail_panel(qtbot, ocr):
    with qtbot.waitSignal(ocr.selected) as signal:
        press(qtbot, Key.Key_J)
    assert signal.args == [None]
    with qtbot.waitSignal(ocr.selected) as signal:
        press(qtbot, Key.Key_K)
    assert signal.args[0].id == "E1"


def test_the_queue_and_the_field_speak(ocr):
    text = ocr.queue.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert text == "gaurd, or guard. the engines differ, 45% sure, cited by E1. scan.txt, p. 2"
    assert "heard nothing" in ocr.field.accessibleDescription()
    assert ocr.word.as_read.accessibleName() == "On the page: gaurd"


def test_back_finds_the_same_word(qtbot, ocr):
    press(qtbot, Key.Key_J)
    state = ocr.state()
    press(qtbot, Key.Key_J, Key.Key_J)
    ocr.restore(state)
    assert ocr.current().text == "02:l4."


def test_when_all_is_decided_it_says_so_and_leads_to_the_matrix(qtbot, ocr, scans):
    press(qtbot, *[Key.Key_A] * 5)
    settle(qtbot, ocr, [])
    assert ocr.stack.currentWidget() is ocr.empty_page
    qtbot.waitUntil(lambda: ocr.empty.sentence.text() == "No doubtful word is left on 2 scanned pages (5 decided).")
    with qtbot.waitSignal(ocr.go) as signal:
        ocr.empty.button.click()
    assert signal.args == ["Matrix"]


def test_without_scans_it_offers_to_read_them_and_words_appear(qtbot, case, tmp_path):
    screen = OcrScreen(case)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: "No page of this case was read by OCR" in screen.empty.sentence.text())
    assert not screen.panel.isVisible()
    (tmp_path / "scan.txt").write_text("Words.\f ", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "scan.txt"]))
    case.changed.emit(Changes(documents=True), None)
    qtbot.waitUntil(lambda: "no OCR engine is on this computer" in screen.empty.sentence.text())
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=FakeOcr("tbe~the end"))
    case.changed.emit(Changes(documents=True), None)
    qtbot.waitUntil(lambda: screen.empty.button.text() == "Run OCR")
    assert screen.empty.button.hasFocus()  # the next step is one key away
    press(qtbot, Key.Key_Return)
    assert screen.list.hasFocus()  # the button is gone: the keys stay on this screen
    qtbot.waitUntil(lambda: words(screen) == ["tbe"])
    assert screen.panel.isVisible()
    qtbot.waitUntil(screen.field.hasFocus)


def test_a_page_without_a_picture_says_so(qtbot, scans, monkeypatch):
    from core.errors import UnreadableDocument

    def refuse(*_args, **_kwargs):
        raise UnreadableDocument(reason="This format has no page image.", remedy="Read its text instead.")

    monkeypatch.setattr(scans.workbench.engines.reader, "crop", refuse, raising=False)
    screen = OcrScreen(scans)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: screen.word.strip.message() == "This format has no page image. Read its text instead.")
    press(qtbot, Key.Key_A)  # the word can be decided all the same
    assert len(scans.workbench.store.corrections.decisions()) == 1


# --- the parts below the screen --------------------------------------------------------------------------------------


def test_a_strip_begins_where_the_page_allows():
    assert top_of((0, 100, 10, 112), 108, 640) == 52  # room above and below
    assert top_of((0, 20, 10, 32), 80, 640) == 0  # the page begins 20 above
    assert top_of((0, 610, 10, 622), 78, 640) == 562  # the page ends 18 below
    assert top_of((0, 610, 10, 622), 108, 0) == 562  # nobody knows where it ends


def test_lines_are_shown_at_one_size_whatever_their_size_on_paper():
    assert zoom_for([13, 13, 40]) == 2.0
    assert zoom_for([2]) == 4.0
    assert zoom_for([200]) == 1.0
    assert zoom_for([]) == pytest.approx(26 / 12)


def test_the_word_stays_in_the_middle_of_the_strip(qtbot):
    strip = StripView()
    qtbot.addWidget(strip)
    strip.resize(400, strip.height())
    box = (300.0, 48.0, 320.0, 60.0)
    strip.show_cut(Cut(png(1200, 216), 2.0, 1.0, box, 0.0))
    origin = strip.origin()
    word = QRectF(300 * 2 + origin.x(), 48 * 2 + origin.y(), 40, 24)
    assert abs(word.center().x() - 200) < 2
    assert abs(word.center().y() - strip.height() / 2) < 2
    strip.show_cut(Cut(png(1200, 216), 2.0, 1.0, (0.0, 0.0, 20.0, 12.0), 0.0))
    assert (strip.origin().x(), strip.origin().y()) == (0, 0)  # no room is given to what is no paper


def test_the_part_that_differs():
    assert differing_span("modern", "modem") == (4, 6)
    assert differing_span("enied", "denied") == (0, 5)
    assert differing_span("same", "same") == differing_span("x", "") == (0, 0)


def test_other_readings_come_once_and_the_other_engine_first(ocr):
    doubt = dataclasses.replace(ocr.current(), alternatives=("guard", "gaurd", "gourd", ""))
    assert others(doubt) == ["guard", "gourd"]


# --- in the window ---------------------------------------------------------------------------------------------------


def test_in_the_window_keys_palette_and_ctrl_z_reach_it(qtbot, scans):
    window = MainWindow(scans)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keyClick(window, Key.Key_8, Modifier.ControlModifier)
    screen = window.current()
    assert screen.name == "OCR"
    qtbot.waitUntil(lambda: screen.current() is not None)
    qtbot.waitUntil(screen.field.hasFocus)
    press(qtbot, Key.Key_B)
    assert page(scans, 2).startswith("The guard")
    assert window.commands.undo.text() == "Undo: words of scans"
    qtbot.keyClick(screen.field, Key.Key_Z, Modifier.ControlModifier)
    assert page(scans, 2).startswith("The gaurd")
    qtbot.waitUntil(lambda: screen.current() is not None and screen.current().text == "gaurd")
    offered = {entry.title: entry.keys for entry in window.commands.entries()}
    assert (offered["Correct"], offered["Take the other engine's reading"], offered["Words read alike"]) == (
        "A",
        "B",
        "G",
    )
    keys = {action.text(): keys_of(action) for action in screen.actions()}
    assert (keys["Correct"], keys["Choose another reading"]) == ("A, Enter", "↓")
    qtbot.waitUntil(lambda: not scans.tasks.busy())
    window.close()


def test_the_picture_of_the_next_word_is_there_before_it_is_asked_for(qtbot, ocr):
    qtbot.waitUntil(lambda: len(ocr.pictures.cuts) == 2)
    press(qtbot, Key.Key_A)
    assert ocr.word.strip.cut().box == ocr.current().box


def test_the_detail_of_a_quote_from_a_scan_warns_until_it_was_compared(qtbot, scans):
    panel = DetailPanel(scans)
    put_on_show(qtbot, panel)
    panel.show_value(scans.workbench.evidence.all()[0])
    assert any("not yet checked" in label.text() for label in panel.findChildren(QLabel))
    button = next(b for b in panel.findChildren(QPushButton) if "compared" in b.text())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    panel.show_value(scans.workbench.evidence.all()[0])
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert any(text.startswith("Checked against the page by") for text in texts)


# --- what rests on a quote, progress, languages, pointing ------------------------------------------------------------


def test_a_quote_that_changed_names_the_cells_and_the_sentences_that_rest_on_it(qtbot, ocr, scans):
    scans.do(lambda bench: bench.hypotheses.add("The guard heard it"))
    scans.do(lambda bench: bench.hypotheses.add("Nobody heard it"))
    scans.do(lambda bench: bench.evidence.rate("E1", "H1", "II"))
    scans.do(lambda bench: bench.evidence.rate("E1", "H2", "C"))
    press(qtbot, Key.Key_B, target=ocr.field)
    qtbot.waitUntil(lambda: "rest on it" in ocr.strip_note.text.text())
    resting = scans.workbench.matrix.removal_impact("E1")
    count = len(resting.sentences)
    assert count > 1
    line = f"The quote of E1 changed: 2 ratings and {count} sentences of the report rest on it."
    assert ocr.strip_note.text.text() == line
    assert "Ratings: E1 × H1, E1 × H2" in ocr.word.resting.text()
    assert all(sentence in ocr.word.resting.text() for sentence in resting.sentences[:12])
    press(qtbot, Key.Key_N)
    qtbot.waitUntil(ocr.word.resting.isHidden)


def test_the_progress_counts_words_that_matter(qtbot, ocr, scans):
    press(qtbot, Key.Key_A)
    assert ocr.panel.count.text() == "1 of 5 important words checked"
    assert ocr.panel.left.text() == "none of them in a quote"
    settle(qtbot, ocr, ["02:l4.", "bum", "modem", "tom"])
    assert ocr.panel.count.text() == "1 of 5 important words checked"


def test_a_word_pointed_at_on_the_page_is_underlined_in_the_text_and_back(qtbot, ocr):
    qtbot.waitUntil(lambda: ocr.word.strip.cut() is not None)
    word = next(number for number, (text, _) in enumerate(ocr.word.page_words) if text == "heard")
    place = ocr.word.strip.place_of(ocr.word.page_words[word][1]).center().toPoint()
    if ocr.word.strip.rect().contains(place):
        qtbot.mouseMove(ocr.word.strip, place)
    ocr.word.strip.hovered.emit(word)
    assert ocr.word.context.pointed_part() == "heard"
    ocr.word.context.hovered.emit(ocr.word.context.text().index("nothing") + 2)
    assert ocr.word.strip.pointed_word() == "nothing."
    ocr.word.context.hovered.emit(-1)
    ocr.word.strip.hovered.emit(-1)
    assert (ocr.word.strip.pointed_word(), ocr.word.context.pointed_part()) == ("", "")


def test_one_language_is_told_and_of_several_one_is_chosen(qtbot, case, tmp_path, monkeypatch):
    folder = tmp_path / "tessdata"
    folder.mkdir()
    monkeypatch.setattr(paths, "tessdata", lambda: [folder])
    (folder / "eng.traineddata").write_bytes(b"")
    (tmp_path / "scan.txt").write_text("Words of its own.\f  \f ", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "scan.txt"]))
    ocr = FakeOcr(FIRST, SECOND)
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=ocr)
    screen = OcrScreen(case)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: "2 pages without text" in screen.empty.sentence.text())
    assert not screen.empty_page.language.isVisible()
    assert "Scans are read in English (eng)." in screen.empty_page.language_note.text()
    assert "NAME.traineddata" in screen.empty_page.language_note.text()
    (folder / "deu.traineddata").write_bytes(b"")
    screen.refresh()
    qtbot.waitUntil(screen.empty_page.language.isVisible)
    assert [screen.empty_page.language.itemText(index) for index in range(screen.empty_page.language.count())] == [
        "each document’s own language",
        "German (deu)",
        "English (eng)",
        "Several at once...",
    ]
    screen.choose_language(("deu",))
    qtbot.waitUntil(lambda: not case.tasks.busy() and screen.empty_page.language.currentText() == "German (deu)")
    assert case.workbench.case.settings().ocr_languages == ("deu",)
    qtbot.mouseClick(screen.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.current() is not None)
    assert set(ocr.asked) == {("deu",)}
    assert not screen.empty_page.language.isVisible()


def test_the_detail_of_a_quote_that_changed_says_so_and_offers_the_new_words(qtbot, scans):
    panel = DetailPanel(scans)
    qtbot.addWidget(panel)
    doubt = next(doubt for doubt in scans.workbench.ocr.queue() if doubt.text == "gaurd")
    scans.do(lambda bench: bench.ocr.decide([(doubt.page_id, doubt.word, "corrected", "guardsman")]))
    panel.show_value(scans.workbench.evidence.all()[0])
    text = " ".join(label.text() for label in panel.findChildren(QLabel))
    assert "these words are no longer there" in text
    assert "not yet checked" not in text
    take = next(b for b in panel.findChildren(QPushButton) if b.text() == "Update the quote to the new words")
    take.click()
    assert scans.workbench.evidence.all()[0].quote == "The guardsman heard nothing."


def test_the_warning_of_an_unchecked_quote_cuts_nothing_off(qtbot, styled, scans):
    panel = DetailPanel(scans)
    qtbot.addWidget(panel)
    panel.resize(panel.minimumWidth(), 700)
    panel.show()
    panel.show_value(scans.workbench.evidence.all()[0])
    button = next(b for b in panel.findChildren(QPushButton) if b.text() == "I compared it with the page")
    room = panel.width() - panel._scroll.verticalScrollBar().sizeHint().width()
    assert panel._scroll.widget().minimumSizeHint().width() <= room
    button.click()
    assert "not yet checked" not in " ".join(label.text() for label in panel.findChildren(QLabel))


def test_f3_goes_to_the_next_word_and_back(qtbot, ocr):
    first = ocr.current()
    qtbot.keyClick(ocr, Key.Key_F3)
    assert ocr.current() != first
    qtbot.keyClick(ocr, Key.Key_F3, Modifier.ShiftModifier)
    assert ocr.current() == first


# --- words in charts -------------------------------------------------------------------------------------------------

CHART = "\n".join(
    ["The output fell.", "l990~1990", "Ql~Q1", "4O~40 %", "0utput~Output", "tcns~tons", "Q2", "Tbe end of it."]
)


def test_words_in_charts_are_set_aside_until_they_are_asked_for(qtbot, case, tmp_path):
    (tmp_path / "chart.txt").write_text("\f ", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "chart.txt"]))
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=FakeOcr(CHART, CHART))
    case.do(lambda bench: bench.ocr.read())
    everything = {doubt.text for doubt in case.workbench.ocr.queue()}
    assert {"Ql", "tcns"} <= everything
    screen = OcrScreen(case)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: screen.panel.charts.isVisible())
    assert not {"Ql", "tcns"} & set(words(screen))
    assert screen.panel.charts.text().endswith("in charts set aside")
    qtbot.keyClick(screen, Key.Key_H)
    qtbot.waitUntil(lambda: {"Ql", "tcns"} <= set(words(screen)))
    assert screen.panel.charts.isChecked()
    qtbot.mouseClick(screen.panel.charts, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Ql" not in words(screen))


def test_a_word_of_a_chart_that_a_quote_holds_is_checked(qtbot, case, tmp_path):
    (tmp_path / "chart.txt").write_text("\f ", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "chart.txt"]))
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=FakeOcr(CHART, CHART))
    case.do(lambda bench: bench.ocr.read())
    number = next(p.number for p in case.workbench.documents.pages("D1") if "Ql" in p.text)
    start = case.workbench.documents.page("D1", number).text.index("Ql")
    case.do(lambda bench: bench.evidence.add_quote("D1", number, start, start + 2))
    screen = OcrScreen(case)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: "Ql" in words(screen))
    assert "tcns" not in words(screen)
