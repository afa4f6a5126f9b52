"""The screen that audits a report: by keys, on a small case with the engines of the tests."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication

from core.audit.finding import ERRORS
from core.errors import PasswordNeeded
from gui_app.audit.screen import AuditScreen
from gui_app.shared import file_dialogs
from gui_app.shared.snippet_list import TARGET
from tests.gui_app.small_case import open_session, put_on_show, words

REPORT = (
    "# What happened\n\n"
    "The vendor account logged in at night from the office (access_log.txt, p. 1).\n\n"
    "The badge reader shows no entry after eleven (access_log.txt, p. 1).\n\n"
    "The vendor account was used that night, said the engineer (access_log.txt, p. 2).\n\n"
    "The bishop of Trondheim baptised orphans.\n\n"
    "The memo says “the pump failed because of a worn belt” (memo.txt, p. 7).\n"
)


@pytest.fixture
def session(engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        yield session


@pytest.fixture
def screen(session, qtbot):
    screen = AuditScreen(session)
    put_on_show(qtbot, screen)
    return screen


@pytest.fixture
def report(tmp_path):
    file = tmp_path / "report.md"
    file.write_text(REPORT, "utf-8")
    return file


def audit(screen, qtbot, file):
    former = [(record.id, record.at, record.audit) for record in screen.records]
    screen.audit(file)
    qtbot.waitUntil(
        lambda: screen.job.task is None and [(r.id, r.at, r.audit) for r in screen.records] != former, timeout=60_000
    )
    return screen.record()


def listed(screen):
    return [screen.list.item(row).data(TARGET).number for row in range(screen.list.count())]


def test_a_report_is_chosen_by_key_audited_and_kept(screen, session, qtbot, report, monkeypatch):
    assert screen.page.currentWidget() is screen.empty
    monkeypatch.setattr(file_dialogs, "ask_report", lambda *_: report)
    qtbot.keyClick(screen, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert screen.empty.sentence.text().startswith(f"Auditing {report.name}.")
    assert not screen.empty.button.isVisible()
    qtbot.waitUntil(lambda: screen.job.task is None and bool(screen.records), timeout=60_000)
    assert session.workbench.audits.all() == screen.records
    assert screen.list.count()
    findings = [screen.list.item(row).data(TARGET).finding for row in range(screen.list.count())]
    assert findings[0] in ERRORS
    assert "supported" not in findings
    assert screen.list.hasFocus()


def test_the_sentences_have_the_keys_once_they_are_read(screen, session, qtbot, report):
    screen.setFocus()
    assert screen.empty.button.hasFocus()
    session.do(lambda bench: bench.audits.audit(report, keep=True))
    screen.refresh()
    qtbot.waitUntil(lambda: bool(screen.list.count()))
    assert screen.list.hasFocus()


def test_what_differs_is_marked_and_its_source_stands_beside_it(screen, qtbot, report):
    record = audit(screen, qtbot, report)
    wrong = next(sentence for sentence in record.audit.sentences if "eleven" in sentence.text)
    screen.restore((record.id, wrong.number))
    assert screen.chosen() == wrong
    assert screen.view.words.marked_part() == "eleven"
    assert screen.view.area.sources
    assert screen.view.area.sources[0].quote == wrong.sources[0].quote
    assert "another number" in words(screen).lower()


def test_keys_accept_and_overrule_and_go_on(screen, session, qtbot, report):
    audit(screen, qtbot, report)
    first, second, *_ = listed(screen)
    qtbot.keyClick(screen.list, Qt.Key.Key_A)
    assert screen.number() == second
    qtbot.keyClick(screen.list, Qt.Key.Key_N)
    qtbot.waitUntil(screen.decision.note_field.hasFocus)
    qtbot.keyClicks(screen.decision.note_field, "seen by us")
    qtbot.keyClick(screen.decision.note_field, Qt.Key.Key_Return)
    qtbot.keyClick(screen.list, Qt.Key.Key_R)
    (record,) = session.workbench.audits.all()
    by_number = {sentence.number: record.decision(sentence) for sentence in record.audit.sentences}
    assert by_number[first].status == "accepted"
    assert (by_number[second].status, by_number[second].note) == ("overruled", "seen by us")
    screen._list(first)
    assert "Finding accepted by Ada" in words(screen)
    qtbot.keyClick(screen.list, Qt.Key.Key_Backspace)
    (record,) = session.workbench.audits.all()
    assert record.decision(next(sentence for sentence in record.audit.sentences if sentence.number == first)) is None


def test_filter_and_order(screen, qtbot, report):
    record = audit(screen, qtbot, report)
    serious = listed(screen)
    screen.order.setCurrentIndex(screen.order.findData("reading"))
    assert listed(screen) == sorted(serious)
    screen.which.setCurrentIndex(screen.which.findData("every"))
    assert listed(screen) == [sentence.number for sentence in record.audit.sentences]
    screen.which.setCurrentIndex(screen.which.findData("not_found"))
    assert {screen.list.item(row).data(TARGET).finding for row in range(screen.list.count())} == {"not_found"}


def test_a_supported_sentence_with_another_source_that_differs_is_one_to_look_at(screen, session, qtbot, tmp_path):
    text = "The dosing pump of the Weir Lane works in Ostermere stopped at night and was out of action for 47 minutes."
    files = [tmp_path / "first.txt", tmp_path / "second.txt", tmp_path / "report.md"]
    water = "Bottled water is given out in Corn Street from noon until the evening."
    texts = (
        f"{text}\n\n{water}",
        f"{text}\n\n{water}".replace("47", "74"),
        "The dosing pump was out of action for 47 minutes.",
    )
    for file, content in zip(files, texts, strict=True):
        file.write_text(f"{content}\n", "utf-8")
    session.do(lambda bench: bench.documents.add(files[:2]))
    audit(screen, qtbot, files[2])
    assert listed(screen) == []
    assert screen.empty.sentence.text() == "Nothing in this report needs a second look."
    session.do(lambda bench: bench.conflicts.find())
    screen.refresh()
    qtbot.waitUntil(lambda: listed(screen) == [1])
    assert "Supported; another source differs" in words(screen)
    assert [source.quote.text for source in screen.view.area.sources] == [text, text.replace("47", "74")]
    assert screen.view.area.sources[1].text.marked_part() == "74"
    screen.which.setCurrentIndex(screen.which.findData("dispute"))
    assert listed(screen) == [1]
    qtbot.keyClick(screen.list, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: "Finding accepted by Ada" in words(screen))


def test_a_source_is_shown_on_its_page(screen, qtbot, report):
    audit(screen, qtbot, report)
    places = []
    screen.show_source.connect(lambda *place: places.append(place))
    while not screen.view.area.sources:
        qtbot.keyClick(screen.list, Qt.Key.Key_J)
    quote = screen.view.area.sources[0].quote
    qtbot.keyClick(screen.list, Qt.Key.Key_O)
    qtbot.keyClick(screen.list, Qt.Key.Key_Return)
    qtbot.waitUntil(screen.view.area.sources[0].hasFocus)
    qtbot.keyClick(screen.view.area.sources[0], Qt.Key.Key_Return)
    assert places == [(quote.document, quote.page, quote.start, quote.end)] * 2


def test_a_dropped_report_is_audited(screen, qtbot, report):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(report))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    screen.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))
    qtbot.waitUntil(lambda: screen.job.task is None and bool(screen.records), timeout=60_000)
    assert screen.record().audit.file == "report.md"


def test_a_copied_text_is_audited_under_its_first_words_and_again(screen, session, qtbot):
    clipboard = QGuiApplication.clipboard()
    clipboard.setText(" ")
    screen.paste()
    assert screen.job.task is None
    assert not screen.records
    clipboard.setText("The meeting in Sollingham was at noon. Nobody else came.")
    screen.paste()
    qtbot.waitUntil(lambda: screen.job.task is None and bool(screen.records), timeout=60_000)
    record = screen.record()
    assert record.audit.file == "Pasted text, The meeting in Sollingham was.txt"
    assert len(record.audit.sentences) == 2
    screen.again_action.trigger()
    qtbot.waitUntil(lambda: screen.job.task is None and screen.record().at != record.at, timeout=60_000)


def test_an_audit_is_exported_and_removed(screen, session, qtbot, report, tmp_path, monkeypatch):
    record = audit(screen, qtbot, report)
    target = tmp_path / "out.json"
    monkeypatch.setattr(file_dialogs, "ask_target", lambda *_: target)
    screen.export(".json")
    qtbot.waitUntil(target.exists, timeout=60_000)
    assert json.loads(target.read_text("utf-8"))["sha256"] == record.audit.sha256
    screen.list.setFocus()
    qtbot.keyClick(screen.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: session.workbench.audits.all() == [])
    qtbot.waitUntil(lambda: screen.page.currentWidget() is screen.empty)


def test_documents_that_change_make_it_stale(screen, session, qtbot, report, tmp_path):
    audit(screen, qtbot, report)
    more = tmp_path / "more.txt"
    more.write_text("Another document.", "utf-8")
    session.do(lambda bench: bench.documents.add([more]))
    screen.refresh()
    qtbot.waitUntil(lambda: "have changed" in screen.note.text.text(), timeout=20_000)
    qtbot.keyClick(screen.list, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: screen.job.task is None and not screen.record().is_stale, timeout=60_000)


def test_the_password_of_a_report_is_asked_for_until_it_opens_or_is_thought_better_of(
    screen, session, qtbot, report, monkeypatch
):
    engines = session.workbench.engines
    reader = engines.viewer or engines.reader
    read = reader.read

    def locked(data, name, *, password="", **options):
        if password != "pässword 1":
            wrong = ", and the one given is wrong" if password else ""
            raise PasswordNeeded(reason=f"{name} is protected by a password{wrong}.", remedy="Give its password.")
        return read(data, name, **options)

    monkeypatch.setattr(reader, "read", locked)
    prompts, answers = [], ["wrong", None]
    monkeypatch.setattr(
        file_dialogs, "ask_password", lambda _parent, names, why="": prompts.append((*names, why)) or answers.pop(0)
    )
    screen.audit(report)
    qtbot.waitUntil(lambda: not answers and screen.job.task is None, timeout=60_000)
    assert prompts == [
        ("report.md", "report.md is protected by a password."),
        ("report.md", "report.md is protected by a password, and the one given is wrong."),
    ]
    assert screen.records == []
    assert screen.audit_button.isEnabled()
    assert screen.audit_button.isHidden()  # the one in the middle of the empty screen does the same
    answers.append("pässword 1")
    assert audit(screen, qtbot, report).audit.file == "report.md"
    assert not screen.audit_button.isHidden()
    assert "ssword 1" not in session.workbench.store.results.all("audit")[0].value


def test_a_key_that_was_meant_for_a_sentence_of_the_report_before_decides_nothing(screen, session, qtbot, report):
    audit(screen, qtbot, report)
    former = screen.chosen()
    second_report = report.with_name("other.md")
    second_report.write_text(REPORT.replace("vendor", "bishop").replace("badge reader", "bell"), "utf-8")
    audit(screen, qtbot, second_report)
    assert screen.chosen() is None
    qtbot.keyClick(screen.list, Qt.Key.Key_A)
    assert not any(record.decisions for record in session.workbench.audits.all())
    assert f"Sentence {former.number} is no longer on the list" in words(screen)
    qtbot.keyClick(screen.list, Qt.Key.Key_Down)
    assert screen.chosen() is not None


def test_a_sentence_stays_in_hand_when_its_report_is_audited_again(screen, session, qtbot, report):
    audit(screen, qtbot, report)
    qtbot.keyClick(screen.list, Qt.Key.Key_Down)
    chosen = screen.chosen()
    audit(screen, qtbot, report)
    assert screen.chosen().text == chosen.text


def test_a_report_without_a_fault_says_what_was_not_checked(screen, qtbot, tmp_path):
    file = tmp_path / "clean.md"
    file.write_text("# The night\n\nThe badge reader shows no entry after ten.\n", "utf-8")
    audit(screen, qtbot, file)
    assert screen.empty.sentence.text() == (
        "Nothing in this report needs a second look. Not checked: 1 of its 2 sentences: a heading (1)."
    )
