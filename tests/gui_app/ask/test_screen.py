"""The screen that asks: by keys, on a small case with the engines of the tests."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from core.answers.results import NOT_SETTLED, Answer, AnswerPoint, AnswerRecord, Source, WordedSentence
from core.domain import Table
from core.evidence.quotes import span
from gui_app.ask.answer_view import AnswerView
from gui_app.ask.screen import AskScreen, _word
from gui_app.shared import theme
from gui_app.shared.labels import elided
from gui_app.shared.snippet_list import TARGET
from tests.gui_app.small_case import open_session, put_on_show, words

QUESTION = "What failed because of a worn bearing?"


@pytest.fixture
def session(engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        yield session


@pytest.fixture
def screen(session, qtbot):
    screen = AskScreen(session)
    put_on_show(qtbot, screen)
    return screen


def ask(screen, qtbot, question=QUESTION):
    count = len(screen.records)
    screen.field.setFocus()
    screen.field.setText(question)
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(screen.records) == count + 1 and screen.job.task is None, timeout=60_000)
    return screen.records[0]


def test_a_question_is_answered_by_enter_and_kept(screen, session, qtbot):
    assert screen.page.currentWidget() is screen.empty
    record = ask(screen, qtbot)
    assert session.workbench.answers.all() == [record]
    assert screen.chosen() == record
    assert screen.view.area.sources
    quotes = {source.quote for source in screen.view.area.sources}
    assert quotes == {s.quote for p in (*record.answer.points, *record.answer.doubtful) for s in p.sources}
    assert screen.view.search.body.isHidden()
    screen.view.search.button.click()
    assert all(step.what in words(screen) for step in record.answer.steps)
    assert " · Normal · " in words(screen)


def test_a_refusal_says_why_and_what_to_do(screen, qtbot):
    record = ask(screen, qtbot, "Which bishop baptised the emperor of Byzantium in 1204?")
    assert not record.answer.is_answered
    text = words(screen)
    assert f"{record.answer.sentence} {record.answer.steps[-1].what}" in text  # in one line, what was looked at
    assert f"Next: {record.answer.advice[0]}" in text
    assert all(advice in text for advice in record.answer.advice)


def test_the_name_of_a_file_keeps_its_ending_and_its_page_where_there_is_no_room(styled):
    metrics = QFontMetrics(theme.sans())
    words = elided(
        f"{'a-very-long-name-' * 9}of-the-log.csv, page 7", ", page 7", metrics, 200, Qt.TextElideMode.ElideMiddle
    )
    assert words.endswith(".csv, page 7")
    assert words.startswith("a-very")
    assert metrics.horizontalAdvance(words) <= 200


def test_a_row_of_a_table_is_shown_below_the_headings_of_its_columns(session, qtbot, tmp_path):
    (tmp_path / "visits.txt").write_text(
        "2023-02-13 · visitor: Mr Low · door: north\n2023-02-14 · visitor: Dr Brisenden"
    )
    session.do(lambda bench: bench.documents.add([tmp_path / "visits.txt"]))
    (document,) = (d for d in session.workbench.documents.all() if d.name == "visits.txt")
    page = session.workbench.documents.page(document.id, 1)

    def row(*words: str) -> tuple[tuple[int, int], ...]:
        return tuple((page.text.index(word), page.text.index(word) + len(word)) if word else (0, 0) for word in words)

    rows = row("2023-02-13", "Mr Low", "north"), row("2023-02-14", "Dr Brisenden", "")
    page = replace(page, tables=(Table(("date", "visitor", "door"), rows),))
    quote = span(page, page.text.index("2023-02-14"), len(page.text))
    answer = Answer("Who came?", "exploratory", True, points=(
        AnswerPoint(quote.text, "high", (Source(quote, "visits.txt", before="a row above"),), "Dr Brisenden"),
    ))  # fmt: skip
    view = AnswerView(lambda _quote: page)
    qtbot.addWidget(view.area)
    view.show_answer(AnswerRecord("A1", answer, "Ada", "2026-11-30"), {})
    (source,) = view.area.sources
    labels = [label.text() for label in source.findChildren(QLabel) if not label.isHidden()]
    assert labels == ["date", "2023-02-14", "visitor", "Dr Brisenden", "visits.txt, page 1"]
    assert source.text.isHidden()


def test_a_source_is_shown_on_its_page_and_becomes_evidence(screen, session, qtbot):
    places, entered = [], []
    screen.show_source.connect(lambda *place: places.append(place))
    screen.selected.connect(entered.append)
    ask(screen, qtbot)
    screen.view.area.focus_first()
    first = screen.view.area.sources[0]
    qtbot.waitUntil(first.hasFocus)
    quote = first.quote
    assert entered[-1].document == quote.document
    qtbot.keyClick(first, Qt.Key.Key_O)
    qtbot.keyClick(first, Qt.Key.Key_Return)
    assert places == [(quote.document, quote.page, quote.start, quote.end)] * 2
    qtbot.keyClick(first, Qt.Key.Key_A)
    (row,) = session.workbench.evidence.all()
    assert (row.document, row.page, row.start, row.end) == (quote.document, quote.page, quote.start, quote.end)


def test_the_first_source_of_an_answer_is_in_hand_at_once(screen, session, qtbot):
    ask(screen, qtbot)
    QTest.qWait(200)  # what a new answer changes is read anew after it is shown
    first = screen.view.area.sources[0]
    assert QApplication.focusWidget() is first is screen.view.area.sources[0]
    qtbot.keyClick(first, Qt.Key.Key_A)
    (row,) = session.workbench.evidence.all()
    assert (row.document, row.start, row.end) == (first.quote.document, first.quote.start, first.quote.end)
    qtbot.keyClick(first, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert screen.field.hasFocus()
    assert screen.field.selectedText() == QUESTION


def test_a_refusal_leaves_no_passage_of_another_answer_in_the_details(screen, qtbot):
    entered = []
    screen.selected.connect(entered.append)
    ask(screen, qtbot)
    assert entered[-1] is not None
    record = ask(screen, qtbot, "Which bishop baptised the emperor of Byzantium in 1204?")
    assert not record.answer.is_answered
    assert entered[-1] is None
    assert screen.current_item() is None


def test_an_answer_is_not_cut_off_in_a_narrow_window(screen, qtbot):
    record = ask(screen, qtbot)
    point = replace(record.answer.points[0], short="Dangerous suspect arrested")
    long = replace(record, answer=replace(record.answer, points=(point, point)))
    screen.view.show_answer(long, {})
    assert screen.view.area.widget().minimumSizeHint().width() <= 360


def test_the_keys_go_from_source_to_source(screen, qtbot):
    ask(screen, qtbot, "Was the vendor account used at night?")
    screen.view.area.focus_first()
    if len(screen.view.area.sources) > 1:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_J)
        assert screen.view.area.sources[1].hasFocus()
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_K)
    assert screen.view.area.sources[0].hasFocus()


def test_an_answer_is_removed_and_brought_back(screen, session, qtbot):
    record = ask(screen, qtbot)
    screen.questions.setFocus()
    qtbot.keyClick(screen.questions, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: screen.records == [])
    assert screen.page.currentWidget() is screen.empty
    session.undo()
    qtbot.waitUntil(lambda: [entry.id for entry in screen.records] == [record.id])


def test_an_answer_is_chosen_for_the_report_by_a_key_and_by_its_box(screen, session, qtbot):
    ask(screen, qtbot)
    assert not screen.report_box.isChecked()
    screen.questions.setFocus()
    qtbot.keyClick(screen.questions, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: screen.records[0].in_report)
    assert screen.report_box.isChecked()
    qtbot.mouseClick(screen.report_box, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not screen.records[0].in_report)
    assert not screen.report_box.isChecked()


def test_a_choice_or_removal_that_fails_is_not_said_to_be_done(screen, session, qtbot, monkeypatch):
    ask(screen, qtbot)
    messages = []
    monkeypatch.setattr(session, "do", lambda *_args, **_options: None)
    monkeypatch.setattr(session, "tell", lambda sentence, **_options: messages.append(sentence))
    qtbot.mouseClick(screen.report_box, Qt.MouseButton.LeftButton)
    assert not screen.report_box.isChecked()
    screen.remove_action.trigger()
    assert messages == []


def test_an_answer_is_out_of_date_once_documents_change(screen, session, qtbot, tmp_path):
    ask(screen, qtbot)
    more = tmp_path / "more.txt"
    more.write_text("The gate was repaired in June.", "utf-8")
    session.run("Adding", lambda bench, _progress: bench.documents.add([more]))
    qtbot.waitUntil(lambda: bool(screen.records) and screen.records[0].is_stale, timeout=20_000)
    assert "have changed since" in words(screen)
    screen.questions.setFocus()
    qtbot.keyClick(screen.questions, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: len(screen.records) == 2, timeout=60_000)
    assert not screen.records[0].is_stale


def test_the_mode_in_force_is_said_in_a_sentence(screen, qtbot):
    qtbot.mouseClick(screen.modes.buttons["strict"], Qt.MouseButton.LeftButton)
    assert screen.modes.mode() == "strict"
    assert "strong" in screen.modes.line.text()
    assert ask(screen, qtbot).answer.mode == "strict"


def test_an_answer_is_copied_with_its_citations(screen, qtbot):
    record = ask(screen, qtbot)
    screen.questions.setFocus()
    qtbot.keyClick(
        screen.questions, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    text = QGuiApplication.clipboard().text()
    assert record.answer.question in text
    assert all(point.text in text for point in record.answer.points)


def test_nothing_is_asked_without_words(screen, qtbot):
    screen.field.setText(" ?! ")
    assert not screen.ask_action.isEnabled()
    qtbot.keyClick(screen.field, Qt.Key.Key_Return)
    assert screen.job.task is None


def test_another_case_shows_no_answer_of_the_first(screen, session, qtbot, tmp_path):
    ask(screen, qtbot)
    session.create(tmp_path / "other.disconfirm", title="Other")
    qtbot.waitUntil(lambda: screen.questions.count() == 0)
    assert screen.page.currentWidget() is screen.empty
    assert screen.questions.item(0) is None or screen.questions.item(0).data(TARGET) is None


def test_a_wording_stands_above_its_points_and_its_numbers_lead_to_them(screen, session, qtbot):
    assert screen.word_box.isHidden()
    record = ask(screen, qtbot)
    assert record.answer.points
    worded = (WordedSentence("The <b>vendor</b> was not in.", (1,)),)
    answer = replace(record.answer, wording=worded, worded_by="Model X", removed=2)
    screen.view.show_answer(replace(record, answer=answer), {})
    text = words(screen)
    assert "&lt;b&gt;vendor" in text
    assert "Worded by Model X from the sentences below; 2 of 3 sentences removed: not supported." in text
    label = next(item for item in screen.view.area.findChildren(QLabel) if "vendor" in item.accessibleName())
    label.linkActivated.emit("1")
    qtbot.waitUntil(screen.view.area.sources[0].hasFocus)
    assert "[1]" in screen.view.text()


def test_wording_is_offered_where_a_model_can(screen, session, qtbot):
    session.workbench.engines = replace(session.workbench.engines, text_model=Parrot())
    screen.field.setText("Who?")
    assert not screen.word_box.isHidden()
    screen.word_box.setChecked(True)
    record = ask(screen, qtbot)
    assert record.answer.removed == 1
    assert any(line.startswith("Not worded: ") for line in record.answer.advice)


class Parrot:
    """A model that says the same to everything, without a citation."""

    fingerprint = "parrot sha256:00"

    def write(self, order: str, material: str = "", *, most: int = 160) -> str:
        return "The vendor was there."


def test_a_point_without_a_short_answer_has_no_empty_number(screen, qtbot):
    record = ask(screen, qtbot)
    point = record.answer.points[0]
    points = tuple(replace(point, short=short) for short in ("bearing", ""))
    screen.view.show_answer(replace(record, answer=replace(record.answer, points=points)), {})
    labels = [label.text() for label in screen.view.area.widget().findChildren(QLabel)]
    assert "Bearing" in labels
    assert not {"1.", "2.", "1. Bearing"} & set(labels)


def test_an_answer_that_settles_nothing_is_not_listed_as_one(screen, qtbot):
    record = ask(screen, qtbot)
    assert _word(replace(record, answer=replace(record.answer, advice=(NOT_SETTLED,)))).endswith("not settled")


def test_a_question_that_comes_while_another_is_answered_is_asked_next(screen, qtbot):
    screen.ask_for("How long was the relay of pump two out?")
    screen.ask_for("Where was the door locked?")
    qtbot.waitUntil(lambda: len(screen.records) == 2 and screen.job.task is None)
    assert {record.answer.question for record in screen.records} == {
        "How long was the relay of pump two out?",
        "Where was the door locked?",
    }
