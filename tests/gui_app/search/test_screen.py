"""The search screen: as you type, conditions, copies, groups, themes, kept searches, lists of searches, names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QTextCursor
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QCompleter, QLineEdit, QPlainTextEdit

from core.domain import Passage
from core.search.query_language import conditions
from gui_app.search import running_query, state
from gui_app.search.popups import OPERATORS
from gui_app.search.screen import SearchScreen
from gui_app.search.search_field import open_condition, quote_value, without
from gui_app.shared.passages_model import COPIES, PassagesModel, is_ranked, why
from tests.gui_app.conftest import complaints

CONTROL = Qt.KeyboardModifier.ControlModifier
WORDS = "The night technician of the vendor left the building at half past two. "
MORE = {
    "copy_of_mail.txt": "I saw the technician leave at about half past two. He did not carry anything.\fA second page.",
    "guard.txt": f"{WORDS}The guard saw him at the gate.",
    "desk.txt": f"{WORDS}The desk wrote it down.",
    "badge.txt": f"{WORDS}The badge reader shows it.",
}


@pytest.fixture
def screen(filled, qtbot, tmp_path):
    folder = tmp_path / "more"
    folder.mkdir()
    for name, text in MORE.items():
        (folder / name).write_text(text, "utf-8")
    filled.do(lambda bench: bench.documents.add([folder]))
    screen = SearchScreen(filled)
    qtbot.addWidget(screen)
    screen.resize(1000, 700)
    screen.show()
    with qtbot.waitActive(screen):
        screen.activateWindow()
    return screen


def run_search(screen, qtbot, text):
    """Search for ``text`` and wait for what is found."""
    screen.search_for(text)
    qtbot.waitUntil(lambda: screen.query.result() is not None and screen.query.result().query == text)
    return [row.name for row in screen.views.passages.model.rows]


def id_of(screen, name):
    return next(document.id for document in screen.session.workbench.documents.all() if document.name == name)


def test_the_ways_to_search_are_whole_in_a_narrow_window(screen, qtbot):
    screen.resize(440, 600)
    buttons = [*screen.bar.mode_buttons.values(), *screen.bar.show_modes.buttons.values()]
    qtbot.waitUntil(lambda: all(button.width() >= button.sizeHint().width() for button in buttons))
    line = screen.bar.show_modes.line
    assert line.isHidden()
    screen.bar.show_modes.press_next()
    assert not line.isHidden()
    qtbot.waitUntil(lambda: line.height() > 0)
    assert line.height() >= line.heightForWidth(line.width())


# --- as you type ------------------------------------------------------------------------------------------------------


def test_what_is_typed_is_searched_after_a_pause_and_the_last_query_wins(screen, qtbot, monkeypatch):
    queries = []
    real = type(screen.session.workbench.search).find
    monkeypatch.setattr(
        type(screen.session.workbench.search),
        "find",
        lambda self, text, **k: (queries.append(text), real(self, text, **k))[1],
    )
    screen.field.setFocus()
    qtbot.keyClicks(screen.field, "camera", delay=5)
    assert queries == []  # nothing is searched while the keys come
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    assert queries == ["camera"]
    assert screen.views.passages.model.rows[0].name == "report.txt"
    screen.search_for("minutes")
    screen.search_for("anything carry")
    qtbot.waitUntil(lambda: screen.query.result().query == "anything carry")
    assert screen.views.passages.model.rows[0].name in ("mail.txt", "copy_of_mail.txt")
    screen.field.clear()
    qtbot.waitUntil(lambda: not screen.views.passages.model.rows)
    assert screen.header.count.text() == ""


def test_only_enter_makes_a_step_to_come_back_to(screen, qtbot):
    steps = []
    screen.moved.connect(lambda: steps.append(screen.field.text()))
    qtbot.keyClicks(screen.field, "camera")
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    assert steps == []
    qtbot.keyClicks(screen.field, " recording")
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    assert steps == ["camera recording"]
    qtbot.waitUntil(lambda: screen.query.result().query == "camera recording")
    screen.views.passages.view.setCurrentIndex(screen.views.passages.model.index(1, 0))
    state = screen.state()
    run_search(screen, qtbot, "minutes")
    screen.restore(state)
    qtbot.waitUntil(lambda: screen.query.result().query == "camera recording")
    assert screen.field.text() == "camera recording"


def test_the_details_follow_the_ranks_of_the_last_search(screen, qtbot):
    details = []
    screen.selected.connect(details.append)
    run_search(screen, qtbot, "camera recording")
    first = details[-1]
    run_search(screen, qtbot, "recording")
    assert details[-1].chunk == first.chunk
    assert details[-1] == screen.views.passages.model.rows[0] != first
    many = len(details)
    screen.refresh()
    screen._search_again()
    qtbot.waitUntil(lambda: screen.header.count.text() != "Searching")
    assert len(details) == many  # the same answer: nothing new is told


def test_another_query_begins_at_its_best_passage_and_the_same_one_stays(screen, qtbot):
    assert len(run_search(screen, qtbot, "camera recording")) > 1
    view = screen.views.passages.view
    view.setCurrentIndex(screen.views.passages.model.index(1, 0))
    chosen = view.chosen()
    screen._search_again()
    qtbot.waitUntil(lambda: screen.header.count.text() != "Searching")
    assert view.chosen() == chosen
    assert chosen.name in run_search(screen, qtbot, "recording")
    assert view.currentIndex().row() == 0


# --- conditions -------------------------------------------------------------------------------------------------------


def test_conditions_are_chips_that_can_be_taken_out(screen, qtbot):
    names = run_search(screen, qtbot, f"technician -guard document:{id_of(screen, 'desk.txt')}")
    assert names == ["desk.txt"]
    labels = [chip.text().removesuffix("   ✕") for chip in screen.bar.chips.chips]
    assert labels == ["without “guard”", "in desk.txt"]
    assert [chip.accessibleName() for chip in screen.bar.chips.chips] == [
        "Remove the condition: without “guard”",
        "Remove the condition: in desk.txt",
    ]
    screen.bar.chips.chips[1].click()
    assert screen.field.text() == "technician -guard"
    qtbot.waitUntil(lambda: screen.query.result().query == "technician -guard")
    assert "desk.txt" in [row.name for row in screen.views.passages.model.rows]
    assert "guard.txt" not in [row.name for row in screen.views.passages.model.rows]
    screen.bar.chips.chips[0].click()
    assert not screen.bar.chips.isVisible()


def test_notes_of_the_search_are_shown(screen, qtbot):
    run_search(screen, qtbot, "technician name:Nobody")
    qtbot.waitUntil(lambda: screen.views.passages.currentWidget() is screen.views.passages.empty)
    assert "“Nobody” is not among the names of the case" in screen.views.passages.empty.sentence.text()
    assert "meets these conditions" in screen.views.passages.empty.sentence.text()
    run_search(screen, qtbot, "technician name:technician")
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    assert "not among the names" in screen.bar.note.text() + screen.bar.doubt.text.text()


def test_values_are_offered_while_a_condition_is_typed(screen, qtbot):
    screen.session.do(lambda bench: bench.entities.add("Ruben Aske", aliases=["R. Aske"]))
    screen.field.setFocus()
    qtbot.keyClicks(screen.field, "left name:rub")
    qtbot.waitUntil(screen.field.popup.isVisible)
    qtbot.keyClick(screen.field.popup, Qt.Key.Key_Return)
    assert screen.field.text() == 'left name:"Ruben Aske" '
    qtbot.keyClicks(screen.field, "document:desk")
    qtbot.waitUntil(screen.field.popup.isVisible)
    qtbot.keyClick(screen.field.popup, Qt.Key.Key_Return)
    assert screen.field.text().endswith(f"document:{id_of(screen, 'desk.txt')} ")
    assert not screen.field.popup.isVisible()


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("document:", ("document", 9, "")),
        ("pump -doc:wei", ("document", 10, "wei")),
        ('a name:"Dana R', ("name", 7, "Dana R")),
        ("a tag:mail ", None),
        ("mytag:mail", None),
        ('name:"Dana Reyes" ', None),
        ("grade:", ("grade", 6, "")),
    ],
)
def test_a_condition_begun_is_recognised(words, kind):
    assert open_condition(words) == kind


def test_values_are_quoted_where_they_must_be():
    assert (quote_value("mail"), quote_value("Dana Reyes"), quote_value('a"b')) == ("mail", '"Dana Reyes"', '"a b"')
    assert without("pump -alarm valve", 5, 11) == "pump valve"
    assert without("-alarm", 0, 6) == ""


def test_every_operator_shown_is_one(screen, qtbot):
    for example, _ in OPERATORS:
        assert conditions(example), example
    screen.views.passages.view.setFocus()
    screen.help_action.trigger()
    assert screen.operators.isVisible()
    assert screen.operators.list.hasFocus()
    screen.operators.list.setCurrentRow(
        next(row for row, (example, _) in enumerate(OPERATORS) if example == "document:D1")
    )
    qtbot.keyClick(screen.operators.list, Qt.Key.Key_Return)
    assert not screen.operators.isVisible()
    assert screen.field.text() == "document:D1"
    assert screen.field.selectedText() == "D1"
    screen.help_action.trigger()
    qtbot.keyClick(screen.operators.list, Qt.Key.Key_Escape)
    assert not screen.operators.isVisible()
    assert screen.field.hasFocus()


# --- confidence -------------------------------------------------------------------------------------------------------


def passage(confidence, vector=1, lexical=1, near=0.7):
    return Passage(1, 1, 1, "D1", "a.txt", 1, 0, 3, "abc", 0.5, vector, lexical, near, confidence)


def test_confidence_is_explained():
    assert "first 3" in why(passage("high"))
    assert "ank 7 by meaning" in why(passage("medium", 7, 2, 0.5))
    assert "first 10" in why(passage("medium", 7, 2, 0.5))
    assert "very close" in why(passage("medium", 1, None, 0.7))
    assert "not among the first by words" in why(passage("medium", 1, None, 0.7))
    assert "not known" in why(passage("medium", None, 1, None))
    assert "do not agree" in why(passage("low", 1, None, 0.4))
    assert "only the nearest" in why(passage("low", 1, None, 0.1))
    assert "conditions" in why(passage("low", None, None, None))
    assert not is_ranked(passage("low", None, None, None))
    for level, words in (("medium", "only the words count"), ("low", "words rank lower")):
        sentence = why(replace(passage(level, 1, 2, 0.9), trusted=False))
        assert "not calibrated for this search model" in sentence
        assert words in sentence
        assert "very close" not in sentence
    assert "in another language" in why(replace(passage("high", 1, None, 0.9), trusted=False, foreign=True))


def test_only_high_confidence_when_asked_for(screen, qtbot):
    everything = run_search(screen, qtbot, "camera not recording")
    screen.bar.show_modes.buttons["strict"].click()
    assert "hides those of medium" in screen.bar.show_modes.line.text()
    qtbot.waitUntil(lambda: len(screen.views.passages.model.rows) < len(everything))
    assert all(row.confidence == "high" for row in screen.views.passages.model.rows)
    run_search(screen, qtbot, "zebra")
    qtbot.waitUntil(lambda: screen.views.passages.currentWidget() is screen.views.passages.empty)
    assert "Nothing found for “zebra” in" in screen.views.passages.empty.sentence.text()
    screen.views.passages.empty.button.click()
    assert screen.bar.show_modes.mode() == "exploratory"


def test_an_audit_says_what_was_searched_and_the_key_goes_round(screen, qtbot):
    run_search(screen, qtbot, "camera not recording")
    screen.views.passages.view.setFocus()
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert screen.bar.show_modes.mode() == "strict"
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert screen.bar.show_modes.mode() == "audit"
    qtbot.waitUntil(lambda: "Searched: " in screen.bar.note.text())
    assert screen.bar.note.isVisible()


def test_what_is_not_about_the_query_is_said_to_be_only_the_nearest(screen, qtbot):
    run_search(screen, qtbot, "zebra crossing")
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    assert screen.bar.doubt.isVisible()
    assert "only the nearest" in screen.bar.doubt.text.text()
    assert "Looked at: 10 passages in 7 documents." in screen.bar.doubt.text.text()
    run_search(screen, qtbot, "camera recording")
    qtbot.waitUntil(lambda: not screen.bar.doubt.isVisible())


# --- copies -----------------------------------------------------------------------------------------------------------


def test_copies_stand_below_their_passage_and_open(screen, qtbot):
    run_search(screen, qtbot, "saw the technician leave; he did not carry anything")
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.copies))
    first = screen.views.passages.model.rows[0]
    [copy] = screen.views.passages.model.copies[first.chunk]
    assert {first.name, copy.name} == {"mail.txt", "copy_of_mail.txt"}
    index = screen.views.passages.model.index(0, 0)
    assert index.data(COPIES) == (copy,)
    assert f"Also in {copy.name}, page 1." in index.data(Qt.ItemDataRole.AccessibleTextRole)
    screen.views.passages.view.setCurrentIndex(index)
    assert screen.commands.copies_action.isEnabled()
    [(place, words, _)] = screen.views.passages.view.delegate.links(
        screen.views.passages.view.visualRect(index), (copy,)
    )
    assert words == f"{copy.name} p. 1"
    with qtbot.waitSignal(screen.show_source) as signal:
        qtbot.mouseClick(screen.views.passages.view.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    assert signal.args[0] == copy.document


def test_many_copies_end_in_one_link_for_the_rest(screen):
    copies = tuple(passage("low") for _ in range(40))
    rect = screen.views.passages.view.viewport().rect()
    links = screen.views.passages.view.delegate.links(rect, copies)
    assert sum(len(passages) for _, _, passages in links) == 40
    assert links[-1][1] == f"and {len(links[-1][2])} more"
    assert all(place.right() <= rect.right() for place, _, _ in links)


# --- what can be done with a passage ----------------------------------------------------------------------------------


def test_keys_on_a_passage(screen, qtbot):
    run_search(screen, qtbot, "camera recording")
    screen.views.passages.view.setFocus()
    chosen = screen.chosen()
    for key in (Qt.Key.Key_O, Qt.Key.Key_Return):
        with qtbot.waitSignal(screen.show_source) as signal:
            qtbot.keyClick(screen.views.passages.view, key)
        assert signal.args == [chosen.document, chosen.page, chosen.start, chosen.end]
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_A)
    assert [row.document for row in screen.session.workbench.evidence.all()] == [chosen.document]
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text().endswith(f"({chosen.name}, p. {chosen.page})")
    qtbot.keyClicks(screen.field, " aosnwcm?")  # the same keys are letters in the field
    assert screen.field.text() == "camera recording aosnwcm?"
    assert len(screen.session.workbench.evidence.all()) == 1


def test_similar_to_a_passage_is_everything_but_itself(screen, qtbot):
    run_search(screen, qtbot, "guard saw him at the gate")
    screen.views.passages.view.setFocus()
    hit = screen.chosen()
    assert hit.name == "guard.txt"
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_S)
    qtbot.waitUntil(
        lambda: (
            screen.query.result() is not None and hit.chunk not in [p.chunk for p in screen.views.passages.model.rows]
        )
    )
    assert {"desk.txt", "badge.txt"} <= {row.name for row in screen.views.passages.model.rows}
    assert screen.field.text() == ""
    assert [chip.text() for chip in screen.bar.chips.chips] == ["like guard.txt p. 1   ✕"]
    state = screen.state()
    screen.bar.chips.chips[0].click()
    qtbot.waitUntil(lambda: not screen.views.passages.model.rows)
    screen.restore(state)
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    assert screen.bar.chips.isVisible()
    qtbot.keyClicks(screen.field, "camera")
    qtbot.waitUntil(
        lambda: screen.views.passages.model.rows and screen.views.passages.model.rows[0].name == "report.txt"
    )
    assert not screen.bar.chips.isVisible()


def test_words_of_a_document_are_no_conditions(screen, qtbot):
    screen.search_words('He said: "the camera -recording" document:D9')
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    assert not screen.bar.chips.isVisible()


def test_picked_words_become_a_name(screen, qtbot):
    run_search(screen, qtbot, "night technician of the vendor")
    screen.views.passages.view.setFocus()
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_N)  # nothing is picked yet: the words are offered
    editor = screen.views.passages.view.picker._editor
    assert editor is not None
    assert editor.hasFocus()
    start = editor.toPlainText().index("night technician")
    cursor = editor.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(start + len("night technician"), QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    assert screen.commands.bar.isVisible()
    qtbot.keyClick(editor, Qt.Key.Key_N)
    assert [entity.name for entity in screen.session.workbench.entities.all()] == ["night technician"]
    assert screen.views.passages.view.picker._editor is None
    assert not screen.commands.bar.isVisible()
    assert screen.views.passages.view.hasFocus()


def test_words_are_picked_by_drawing_over_them(screen, qtbot):
    run_search(screen, qtbot, "camera recording")
    index = screen.views.passages.model.index(0, 0)
    box = screen.views.passages.view.delegate.text_box(screen.views.passages.view.visualRect(index))
    viewport = screen.views.passages.view.viewport()
    start = box.topLeft() + QPoint(2, 8)
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    for step in (20, 60, 120):
        to = QPointF(start + QPoint(step, 0))
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            to,
            viewport.mapToGlobal(to),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QGuiApplication.sendEvent(viewport, event)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=start + QPoint(120, 0))
    words = screen.views.passages.view.picker.words()
    assert words
    assert " ".join(screen.views.passages.model.rows[0].text.split()).startswith(words)
    qtbot.keyClick(screen.views.passages.view.picker._editor, Qt.Key.Key_Escape)
    assert screen.views.passages.view.picker.words() == ""


# --- views ------------------------------------------------------------------------------------------------------------


def test_groups_fold_and_are_walked_by_keyboard(screen, qtbot):
    run_search(screen, qtbot, "the night technician of the vendor left the building")
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_PageDown, CONTROL)
    assert screen.part() == "groups"
    qtbot.waitUntil(lambda: screen.views.groups.view.count() > 0)
    qtbot.keyClick(screen.field, Qt.Key.Key_Down)
    assert screen.views.groups.view.hasFocus()
    head = screen.views.groups.view.currentIndex()
    assert "passages in" in head.data(Qt.ItemDataRole.AccessibleTextRole)
    assert screen.views.groups.view.isExpanded(head)
    assert not screen.commands.open_action.isEnabled()
    qtbot.keyClick(screen.views.groups.view, Qt.Key.Key_Return)
    assert not screen.views.groups.view.isExpanded(head)
    qtbot.keyClick(screen.views.groups.view, Qt.Key.Key_Right)
    qtbot.keyClick(screen.views.groups.view, Qt.Key.Key_Down)
    chosen = screen.chosen()
    assert isinstance(chosen, Passage)
    with qtbot.waitSignal(screen.show_source) as signal:
        qtbot.keyClick(screen.views.groups.view, Qt.Key.Key_Return)
    assert signal.args[0] == chosen.document
    if screen.views.groups.view.count() > 1:
        qtbot.keyClick(screen.views.groups.view, Qt.Key.Key_Down, CONTROL)
        assert screen.views.groups.view.currentIndex().row() == 1
        assert not screen.views.groups.view.currentIndex().parent().isValid()
    count = sum(screen.views.groups.view._model.item(row).rowCount() for row in range(screen.views.groups.view.count()))
    assert count == len(screen.views.passages.model.rows)


def test_up_at_the_top_and_escape_go_back_to_the_field(screen, qtbot):
    run_search(screen, qtbot, "technician")
    for part in ("passages", "groups"):
        screen.show_part(part)
        qtbot.waitUntil(lambda: screen.views.groups.view.count() > 0 or screen.part() == "passages")
        for key in (Qt.Key.Key_Up, Qt.Key.Key_Escape):
            screen.field.setFocus()
            qtbot.keyClick(screen.field, Qt.Key.Key_Down)
            assert not screen.field.hasFocus()
            qtbot.keyClick(QApplication.focusWidget(), key)
            assert screen.field.hasFocus()


def test_passages_that_the_search_model_has_not_read_are_not_grouped(screen, qtbot, monkeypatch):
    monkeypatch.setattr(type(screen.session.workbench.search), "grouped", lambda self, passages: [])
    screen.show_part("groups")
    run_search(screen, qtbot, "technician")
    qtbot.waitUntil(lambda: "has not read them" in screen.views.groups.empty.sentence.text())
    assert screen.views.groups.currentWidget() is screen.views.groups.empty


def test_themes_lead_to_a_hypothesis_that_is_never_added_by_itself(screen, qtbot):
    screen.show_part("themes")
    screen.search_for("the night technician of the vendor left the building at half past two")
    qtbot.waitUntil(lambda: bool(screen.views.themes.view.themes), timeout=10_000)
    theme = screen.views.themes.view.themes[0]
    page = screen.session.workbench.documents.page(theme.passage.document, theme.passage.page)
    assert page.text[theme.start : theme.end] == theme.sentence
    position = screen.session.workbench.case.position()
    with qtbot.waitSignal(screen.hypothesis_wanted) as signal:
        screen.views.themes.view.buttons[0].click()
    assert signal.args == [" ".join(theme.sentence.split())]
    assert screen.session.workbench.case.position() == position
    screen.views.themes.view.passages_wanted.emit(theme)
    qtbot.waitUntil(lambda: [p.chunk for p in screen.views.passages.model.rows] == [c.id for c in theme.passages])
    assert screen.part() == "passages"
    assert screen.bar.chips.chips[0].text().startswith("like the theme ")
    screen.bar.chips.chips[0].click()
    qtbot.waitUntil(lambda: any(map(is_ranked, screen.views.passages.model.rows[:1])))


def test_a_model_with_that_role_words_a_hypothesis_for_each_theme(screen, qtbot, monkeypatch):
    from dataclasses import replace

    from tests.core.plans.test_drafting import Wording

    real = type(screen.session.workbench.search).themes
    monkeypatch.setattr(type(screen.session.workbench.search), "themes", lambda self, q: real(self, q, least=1))
    bench = screen.session.workbench
    bench.engines = replace(bench.engines, text_model=Wording())
    screen.show_part("themes")
    screen.search_for("Who entered the server room?")
    qtbot.waitUntil(lambda: bool(screen.views.themes.view.themes) and screen.word_action.isEnabled())
    qtbot.mouseClick(screen.views.themes.view.word_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(screen.views.themes.view.drafts))
    assert len(screen.views.themes.view.drafts) == len(screen.views.themes.view.themes)
    wanted = []
    screen.hypothesis_wanted.connect(wanted.append)
    screen.views.themes.view.buttons[1].click()  # the first theme has two: of its sentence, and of the draft
    assert wanted == [screen.views.themes.view.drafts[0].text]
    assert wanted[0].startswith("Draft 1 says")
    assert len(bench.hypotheses.all()) == 2
    screen.search_for("Who left?")
    qtbot.waitUntil(lambda: screen.views.themes.themes_of == "Who left?")
    assert screen.views.themes.view.drafts == ()


def test_the_sentence_of_a_theme_goes_into_the_field_for_hypotheses(with_case, session):
    with_case.go("Search")
    with_case.current().hypothesis_wanted.emit("The pump stood still.")
    assert with_case.current().name == "Hypotheses"
    assert with_case.current().field.text() == "The pump stood still."
    assert len(session.workbench.hypotheses.all()) == 2


def test_whoever_goes_to_the_search_can_type_at_once_and_comes_back_to_where_they_were(with_case, qtbot):
    with qtbot.waitActive(with_case):
        with_case.activateWindow()
    with_case.go("Documents")
    assert with_case.current().isAncestorOf(with_case.focusWidget())
    with_case.go("Search")
    search = with_case.current()
    assert search.field.hasFocus()
    search.bar.show_modes.buttons["audit"].setFocus()
    with_case.go("Documents")
    with_case.go("Search")
    assert search.bar.show_modes.buttons["audit"].hasFocus()


def test_a_view_that_is_turned_to_has_the_focus_where_its_keys_are(screen, qtbot):
    run_search(screen, qtbot, "camera")
    screen.field.setFocus()
    turned = []
    for _ in screen.views.pages:
        qtbot.keyClick(screen, Qt.Key.Key_PageDown, CONTROL)
        turned.append(screen.part())
        page = screen.views.pages[screen.part()]
        wanted = screen.field if screen.part() in ("passages", "groups", "themes") else page.focusProxy()
        assert wanted.hasFocus(), screen.part()
    assert sorted(turned) == sorted(screen.views.pages)
    screen.views.passages.view.setFocus()
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    screen.show_part("names")
    screen.show_part("passages")
    assert screen.views.passages.view.hasFocus()


def test_what_is_in_hand_on_the_other_views_is_in_the_details(screen, qtbot, tmp_path):
    screen.session.do(lambda bench: bench.entities.add("camera", kind="thing"))
    (tmp_path / "dated.txt").write_text("The camera was fitted on 3 May 2019.", "utf-8")
    screen.session.do(lambda bench: bench.documents.add([tmp_path / "dated.txt"]))
    details = []
    screen.selected.connect(details.append)
    screen.show_part("names")
    qtbot.waitUntil(lambda: bool(screen.views.names.detail.passages.rows.rows))
    details.clear()
    screen.views.names.detail.passages.setCurrentIndex(screen.views.names.detail.passages.rows.index(0, 0))
    assert "camera" in details[-1].text.lower()
    screen.show_part("timeline")
    qtbot.waitUntil(lambda: bool(screen.views.timeline.list.rows.rows))
    details.clear()
    screen.views.timeline.timeline.setFocus()
    qtbot.keyClick(screen.views.timeline.timeline, Qt.Key.Key_Right)
    assert details[-1].text == "The camera was fitted on 3 May 2019."


def test_every_view_is_a_command(screen):
    commands = {action.text(): action for action in screen.actions()}
    for words, part in (
        ("Groups of the hits", "groups"),
        ("Themes of a question", "themes"),
        ("Timeline of dates", "timeline"),
        ("Diagnosticity: the most diagnostic passages", "apart"),
        ("Names, and which occur together", "names"),
    ):
        commands[words].trigger()
        assert screen.part() == part


def test_more_passages(screen, qtbot, monkeypatch):
    for module in (running_query, state):
        monkeypatch.setattr(module, "HITS", 3)
    run_search(screen, qtbot, "technician")
    assert len(screen.views.passages.model.rows) == 3
    assert screen.more_button.isVisible()
    screen.more_action.trigger()
    qtbot.waitUntil(lambda: len(screen.views.passages.model.rows) == 6)


# --- kept searches ----------------------------------------------------------------------------------------------------


def test_searches_are_kept_run_and_forgotten(screen, qtbot, tmp_path):
    run_search(screen, qtbot, "night technician")
    qtbot.keyClick(screen.field, Qt.Key.Key_D, CONTROL)
    [saved_search] = screen.session.workbench.search.saved()
    assert saved_search.query == "night technician"
    assert screen.saved_searches.keep_action.text() == "Delete the saved search"
    (tmp_path / "late.txt").write_text("A night technician came back later.", "utf-8")
    screen.session.do(lambda bench: bench.documents.add([tmp_path / "late.txt"]))
    screen.search_for("")
    assert screen.views.passages.begin.isVisible()
    assert "1 new document since" in screen.views.passages.saved_list.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    qtbot.keyClick(screen.field, Qt.Key.Key_D, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert screen.saved_searches.popup.isVisible()
    qtbot.keyClick(screen.saved_searches.popup.list, Qt.Key.Key_Return)
    assert not screen.saved_searches.popup.isVisible()
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    new = [
        screen.views.passages.model.rows[row].name
        for row in range(len(screen.views.passages.model.rows))
        if ", new since" in screen.views.passages.model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    ]
    assert new == ["late.txt"]
    screen.show_saved()
    qtbot.keyClick(screen.saved_searches.popup.list, Qt.Key.Key_Delete)
    assert screen.session.workbench.search.saved() == []
    screen.session.undo()
    assert [search.query for search in screen.session.workbench.search.saved()] == ["night technician"]


# --- the rest ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query", ["-", '"', "the and of", "x" * 10_000, "\x00\x07 pump", "водоканал насос", "*", "NEAR"]
)
def test_no_query_is_an_error(screen, qtbot, query):
    errors = complaints(screen.session)
    screen.search_for(query)
    qtbot.waitUntil(lambda: screen.header.count.text() != "Searching")
    assert errors == []
    assert screen.views.passages.model.rows or screen.views.passages.currentWidget() is not screen.views.passages.view


def test_an_empty_case_says_so(case, qtbot):
    screen = SearchScreen(case)
    qtbot.addWidget(screen)
    screen.show()
    for query in ("pump", '"pump"', "document:D1"):
        screen.search_for(query)
        qtbot.waitUntil(lambda screen=screen: screen.query.result() is not None and screen.header.count.text() == "")
        assert screen.views.passages.currentWidget() is screen.views.passages.empty
        assert screen.views.passages.empty.sentence.text()


ODD_QUERIES = ["x", "the of", "x" * 10_000, '"" - * NEAR', "насос", "when:2024", "\x00\x1b"]


@pytest.mark.parametrize(
    ("text", "queries"),
    [("", ["x"]), ("x", ODD_QUERIES), ("the of and", ["the of"]), ("насос", ["насос"]), ("\u202e \u0007 1/2/3", ["x"])],
)
def test_every_view_takes_a_case_of_next_to_nothing(case, qtbot, tmp_path, text, queries):
    if text:
        (tmp_path / "a.txt").write_text(text, "utf-8")
        case.do(lambda bench: bench.documents.add([tmp_path / "a.txt"]))
    for hypothesis in ("x", "The pump stopped."):
        case.do(lambda bench, hypothesis=hypothesis: bench.hypotheses.add(hypothesis))
    errors = complaints(case)
    screen = SearchScreen(case)
    qtbot.addWidget(screen)
    screen.show()
    for query in queries:
        for part in ("passages", "groups", "themes"):
            screen.show_part(part)
            screen.search_for(query)
            qtbot.waitUntil(lambda: screen.header.count.text() != "Searching")
            qtbot.waitUntil(lambda: "Looking" not in screen.views.themes.empty.sentence.text())
    for part in ("timeline", "apart", "names"):
        screen.show_part(part)
        screen.grab()
    qtbot.waitUntil(lambda: screen.views.discrimination.count.text() != "Comparing")
    assert errors == []


def test_without_a_search_model_every_view_says_what_it_cannot_do(case, qtbot, tmp_path):
    from dataclasses import replace

    case.workbench.engines = replace(case.workbench.engines, embedder=None)
    (tmp_path / "a.txt").write_text("The pump stopped at night.", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "a.txt"]))
    for hypothesis in ("The vendor stopped the pump.", "The pump was worn."):
        case.do(lambda bench, hypothesis=hypothesis: bench.hypotheses.add(hypothesis))
    errors = complaints(case)
    screen = SearchScreen(case)
    qtbot.addWidget(screen)
    screen.show()
    screen.search_for("pump")
    qtbot.waitUntil(lambda: bool(screen.views.passages.model.rows))
    assert "by their words only" in screen.bar.note.text()
    screen.show_part("groups")
    qtbot.waitUntil(lambda: "search model" in screen.views.groups.empty.sentence.text())
    screen.show_part("themes")
    qtbot.waitUntil(lambda: "search model" in screen.views.themes.empty.sentence.text())
    screen.show_part("apart")
    qtbot.waitUntil(lambda: "search model" in screen.views.discrimination.empty.sentence.text())
    assert errors == []


def test_another_case_begins_anew(screen, qtbot, tmp_path):
    run_search(screen, qtbot, "technician")
    screen.saved_searches.toggle()
    assert screen.session.create(tmp_path / "other.disconfirm", title="Other")
    assert screen.field.text() == ""
    assert not screen.views.passages.model.rows
    assert screen.views.passages.saved_list.count() == 0


def test_every_part_has_a_name_for_those_who_cannot_see_it(screen, qtbot):
    run_search(screen, qtbot, "technician -guard")
    elsewhere = {screen.views.names, screen.views.discrimination, screen.views.timeline, screen.views.tabs}

    def above(part):
        while part is not None:
            yield part
            part = part.parent()

    for kind in (QAbstractItemView, QAbstractButton, QLineEdit, QPlainTextEdit):
        for part in screen.findChildren(kind):
            inside = part.objectName().startswith("qt_") or isinstance(part.parent(), QLineEdit | QAbstractItemView)
            if inside or isinstance(part.parent(), QCompleter) or elsewhere & set(above(part)):
                continue
            assert part.accessibleName() or (isinstance(part, QAbstractButton) and part.text()), part.parent()


def test_the_other_views_stand_without_the_field_and_lead_back(screen, qtbot):
    run_search(screen, qtbot, "camera after:2020")
    tabs = [screen.views.tabs.tabText(index) for index in range(screen.views.tabs.count())]
    assert tabs == ["Passages", "Groups", "Themes", "Timeline", "Diagnosticity", "Names"]
    for part in ("timeline", "apart", "names"):
        screen.show_part(part)
        assert not screen.bar.isVisible()
        assert not screen.commands.add_action.isEnabled()
        assert set(screen.views.pages[part].actions()) <= set(screen.actions())
        screen.setFocus()
        qtbot.keyClick(screen, Qt.Key.Key_F, CONTROL)
        assert screen.part() == "passages"
        assert screen.field.hasFocus()
    screen.views.timeline.range_chosen.emit("2024-01-01", "2024-02-01", "")
    assert screen.field.text() == "camera after:2020 when:2024-01-01..2024-02-01"
    screen.views.timeline.range_chosen.emit("2024-03-05", "2024-03-05", "Dana Reyes")
    assert screen.field.text() == 'camera after:2020 name:"Dana Reyes" when:2024-03-05'


def test_the_model_of_passages_is_sound(screen, qtbot):
    run_search(screen, qtbot, "technician")
    model = PassagesModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(screen.views.passages.model.rows, screen.views.passages.model.copies)
    assert model.rowCount() == len(screen.views.passages.model.rows)


def test_enter_leads_to_the_first_hit_where_letters_are_commands_and_a_slash_leads_back(screen, qtbot):
    screen.field.setFocus()
    qtbot.keyClicks(screen.field, "camera recording")
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    qtbot.waitUntil(screen.views.passages.view.hasFocus)
    mode = screen.bar.show_modes.mode()
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert screen.bar.show_modes.mode() != mode
    assert screen.field.text() == "camera recording"
    qtbot.keyClick(screen.views.passages.view, Qt.Key.Key_Slash)
    assert screen.field.hasFocus()
    assert screen.field.text() == "camera recording"


def test_the_keys_stay_in_the_field_of_who_types_on(screen, qtbot):
    screen.field.setFocus()
    qtbot.keyClicks(screen.field, "camera")
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    qtbot.keyClicks(screen.field, " recording")
    qtbot.waitUntil(lambda: screen.query.result() is not None and screen.query.result().query == "camera recording")
    assert screen.field.hasFocus()
