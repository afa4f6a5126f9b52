"""What is typed is not lost with the program: kept while it is typed, offered again, gone once it is saved."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from core import paths
from core.passphrase import Passphrase
from core.store.typed_text import TypedText
from core.workbench import encryption
from gui_app.ask.screen import AskScreen
from gui_app.hypotheses.expectations_page import ExpectationsPage
from gui_app.hypotheses.screen import HypothesesScreen
from gui_app.matrix.screen import MatrixScreen
from gui_app.session import CaseSession
from gui_app.shared import field_draft
from gui_app.shared.field_draft import PAUSE_MS, FieldDraft
from gui_app.shell.error_banner import Notice
from tests.gui_app.small_case import open_session, put_on_show

Key = Qt.Key
DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
WORDS = "The clerk opened the valve"


@pytest.fixture
def session(engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        yield session


@pytest.fixture(autouse=True)
def short_pause(monkeypatch):
    monkeypatch.setattr(field_draft, "PAUSE_MS", 1)


@pytest.fixture(params=[QLineEdit, QPlainTextEdit])
def field(request, qtbot):
    field = request.param()
    put_on_show(qtbot, field)
    return field


def text_of(field) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


def drafts(session) -> list[tuple[str, str]]:
    """What another start of the program would find."""
    return [(draft.place, draft.text) for draft in TypedText(session.workbench.path, None).leftovers()]


def crash(session) -> None:
    """Open the case as after a crash: nothing was told that the program ends."""
    session.workbench.typed_text = TypedText(session.workbench.path, None)


def type_in(qtbot, field, session, words=WORDS) -> None:
    qtbot.keyClicks(field, words)
    qtbot.waitUntil(lambda: any(text == text_of(field) for _, text in drafts(session)))


def test_what_is_typed_is_kept_until_it_is_saved(qtbot, session, field):
    draft = FieldDraft(session, field)
    draft.begin("Note on E1")
    type_in(qtbot, field, session)
    assert drafts(session) == [("Note on E1", WORDS)]
    draft.end()
    assert drafts(session) == []


def test_what_a_case_puts_into_a_field_is_not_kept_and_what_is_deleted_is_forgotten(qtbot, session, field):
    FieldDraft(session, field, "Question")
    field.setText("from the case") if isinstance(field, QLineEdit) else field.setPlainText("from the case")
    qtbot.wait(20)
    assert drafts(session) == []
    type_in(qtbot, field, session)
    field.selectAll()
    qtbot.keyClick(field, Key.Key_Delete)
    qtbot.waitUntil(lambda: drafts(session) == [])


@pytest.mark.parametrize("wanted", [True, False])
def test_text_that_was_lost_is_offered_where_it_was_typed(qtbot, session, field, wanted):
    FieldDraft(session, field, "Question")
    type_in(qtbot, field, session)
    crash(session)
    second = type(field)()
    put_on_show(qtbot, second)
    draft = FieldDraft(session, second, "Question")
    qtbot.waitUntil(lambda: draft.offer is not None and draft.offer.isVisible())
    assert WORDS in draft.offer.words.text()
    assert text_of(second) == ""
    qtbot.keyClick(second, Key.Key_R if wanted else Key.Key_D, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: draft.offer is None)
    assert text_of(second) == (WORDS if wanted else "")
    assert drafts(session) == ([("Question", WORDS)] if wanted else [])
    draft.end()
    assert drafts(session) == []


def test_text_that_was_lost_is_offered_by_a_field_that_is_put_into_its_window_later(qtbot, session, field):
    FieldDraft(session, field, "Question")
    type_in(qtbot, field, session)
    crash(session)
    second = type(field)()
    draft = FieldDraft(session, second, "Question")
    page = QWidget()
    QVBoxLayout(page).addWidget(second)
    put_on_show(qtbot, page)
    qtbot.waitUntil(lambda: draft.offer.isVisible())
    assert draft.offer.parentWidget() is page


def test_text_that_was_lost_survives_what_is_typed_beside_the_offer(qtbot, session, field):
    FieldDraft(session, field, "Question")
    type_in(qtbot, field, session)
    crash(session)
    second = type(field)()
    put_on_show(qtbot, second)
    draft = FieldDraft(session, second, "Question")
    type_in(qtbot, second, session, "other")
    assert drafts(session) == [("Question", WORDS), ("Question", "other")]
    qtbot.mouseClick(draft.offer.restore_button, Qt.MouseButton.LeftButton)
    assert drafts(session) == [("Question", WORDS)]


def test_a_hypothesis_that_is_edited_in_its_row_is_offered_again(qtbot, session):
    screen = HypothesesScreen(session)
    put_on_show(qtbot, screen)
    table = screen.rivals.table
    qtbot.waitUntil(lambda: table.model().rowCount() == 2)

    def edit():
        qtbot.waitUntil(lambda: table.findChild(QPlainTextEdit) is None)
        table.edit(table.model().index(1, 1))
        return table.findChild(QPlainTextEdit)

    editor = edit()
    type_in(qtbot, editor, session)
    ((place, text),) = drafts(session)
    assert ("H2" in place, text) == (True, WORDS)
    qtbot.keyClick(editor, Key.Key_Escape)
    assert drafts(session) == []  # thrown away by the person
    session.workbench.typed_text.keep(place, WORDS)
    crash(session)
    editor = edit()
    draft = editor.findChild(FieldDraft)
    qtbot.waitUntil(lambda: draft.offer is not None and draft.offer.isVisible())
    qtbot.mouseClick(draft.offer.restore_button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(editor, Key.Key_Return)
    assert session.workbench.hypotheses.all()[1].text == WORDS
    assert drafts(session) == []


def test_the_note_of_a_cell_and_a_question_are_kept(qtbot, session):
    session.workbench.evidence.add_quote("D1", 1, 0, 53)
    ask, matrix = AskScreen(session), MatrixScreen(session)
    for screen in (ask, matrix):
        put_on_show(qtbot, screen)
    type_in(qtbot, ask.field, session, "who was it")
    note = matrix.views.note
    note.edit("E1", "H1", title="E1", note="before", confidence="", over=matrix.rect())
    type_in(qtbot, note.text, session)
    assert drafts(session) == [("Question", "who was it"), ("Note on E1 against H1", WORDS)]
    note.leave()
    assert drafts(session) == [("Question", "who was it")]


def test_what_stands_below_the_field_makes_room_for_the_offer(qtbot, session, field):
    session.workbench.typed_text.keep("Question", WORDS)
    crash(session)
    second, below = type(field)(), QPushButton("What stands below")
    page, row = QWidget(), QHBoxLayout()
    column = QVBoxLayout(page)
    row.addWidget(second)
    row.addWidget(QPushButton("Beside"))
    column.addLayout(row)
    column.addWidget(below)
    draft = FieldDraft(session, second, "Question")
    put_on_show(qtbot, page, 1100, 700)

    def is_free() -> bool:
        offer = draft.offer.geometry()
        beside = (page.childAt(offer.topLeft() + QPoint(4, 4)), page.childAt(offer.bottomRight() - QPoint(4, 4)))
        free = not any(offer.intersects(button.geometry()) for button in page.findChildren(QPushButton, "", DIRECT))
        return free and set(beside) == {draft.offer} and offer.top() >= second.geometry().bottom()

    qtbot.waitUntil(lambda: draft.offer.isVisible() and is_free())
    page.resize(820, 560)
    qtbot.waitUntil(is_free)

    def gap() -> int:
        return below.y() - second.geometry().bottom()

    height = gap()
    qtbot.mouseClick(draft.offer.restore_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: gap() < height)  # the room is gone with it


def test_the_offer_for_what_is_expected_stands_above_the_searches(qtbot, session):
    session.workbench.typed_text.keep("What is expected", WORDS)
    crash(session)
    page = ExpectationsPage(session)
    put_on_show(qtbot, page, 1100, 700)
    offers = page.window().findChildren(field_draft.DraftOffer)

    def top(widget) -> int:
        return widget.mapTo(page.window(), QPoint(0, 0)).y()

    qtbot.waitUntil(lambda: len(offers) == 1 and offers[0].isVisible())
    qtbot.waitUntil(lambda: top(page.field) < top(offers[0]) < top(page.queries))
    qtbot.waitUntil(lambda: top(offers[0]) + offers[0].height() <= top(page.queries))


def test_a_person_is_told_once_of_text_that_was_not_saved(engines, session):
    path = session.workbench.path
    session.workbench.typed_text.keep("Question", WORDS)
    session.workbench.typed_text._db = None  # as after a kill: nothing was closed in order
    session.workbench.store.close()
    session._workbench = None
    messages = []
    session.told_at_length.connect(lambda *words: messages.append(words))
    session.open(path)
    ((sentence, rest),) = messages
    assert "Question" in sentence
    assert WORDS in rest
    session.close_case(backup=False)
    session.open(path)
    assert len(messages) == 1
    assert "typed" not in (paths.user_data() / "window.ini").read_text("utf-8")  # nor anything that is made of it


@pytest.mark.parametrize("wanted", [True, False])
def test_the_notice_of_text_that_was_not_saved_ends_with_the_last_that_was_taken_up(qtbot, session, field, wanted):
    for place in ("Question", "Note on E1"):
        session.workbench.typed_text.keep(place, WORDS)
    crash(session)
    notice = Notice()
    put_on_show(qtbot, notice)
    session.told_at_length.connect(notice.say)
    session.correction.connect(notice.say_instead)
    session._tell_unsaved(session.workbench)
    draft = FieldDraft(session, field)
    for place, left in (("Question", "Note on E1"), ("Note on E1", "")):
        assert place in notice.sentence.text()
        assert not notice.isHidden()
        draft.begin(place)
        qtbot.waitUntil(draft.offer.isVisible)
        button = draft.offer.restore_button if wanted else draft.offer.discard_button
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert notice.isHidden() == (not left)
        assert left in notice.sentence.text()


def test_another_message_stays_when_text_that_was_not_saved_is_taken_up(qtbot, session):
    session.workbench.typed_text.keep("Question", WORDS)
    crash(session)
    notice = Notice()
    session.told_at_length.connect(notice.say)
    session.correction.connect(notice.say_instead)
    session._tell_unsaved(session.workbench)
    notice.say("Something else", "")
    session.take_up(session.workbench.typed_text.leftovers()[0])
    assert (notice.sentence.text(), notice.isHidden()) == ("Something else", False)
    notice.hide()


def test_a_case_that_can_only_be_read_keeps_what_is_typed(qtbot, engines, session, field):
    path = session.workbench.path
    session.close_case(backup=False)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        session.open(path)
        FieldDraft(session, field, "Question")
        type_in(qtbot, field, session)
        session.close_case(backup=False)
    finally:
        path.parent.chmod(0o755)
        path.chmod(0o644)


CHILD = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from core.passphrase import Passphrase
from core.ports import Engines
from core.workbench import encryption
from gui_app.ask.screen import AskScreen
from gui_app.session import CaseSession
from tests.fakes import HashEmbedder, PlainReader

app = QApplication(["test", "-platform", "offscreen"])
session = CaseSession(Engines(reader=PlainReader(), embedder=HashEmbedder()), who="Ada")
path, words = Path(sys.argv[1]), sys.argv[2]
session.open(path, encryption.unlock(path, Passphrase(words)) if words else None)
screen = AskScreen(session)
screen.show()

def type_on():
    QTest.keyClicks(screen.field, "who ")
    if screen._draft._id:
        print(screen.field.text(), flush=True)

timer = QTimer(interval=20)  # without a pause that would end before the text is kept
timer.timeout.connect(type_on)
timer.start()
app.exec()
"""


@pytest.mark.slow
@pytest.mark.parametrize("words", ["", "four words of mine"])
def test_a_kill_in_mid_typing_loses_the_last_moment_at_most(engines, tmp_path, words):
    path = tmp_path / "case.disconfirm"
    maker = CaseSession(engines, who="Ada")
    assert maker.create(path, passphrase=Passphrase(words) if words else None)
    maker.shutdown()
    command = [sys.executable, "-c", CHILD, str(path), words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[3]) as child:
        line = child.stdout.readline()
        child.kill()
        child.stdout.read()
    assert line.startswith("who who")
    (text,) = TypedText(path, encryption.unlock(path, Passphrase(words)) if words else None).leftovers()
    assert text.place == "Question"
    assert text.text.startswith("who who")
    assert PAUSE_MS <= 1_000
