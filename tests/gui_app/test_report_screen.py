"""The report screen: warnings first, nothing fetched, and the file that is written."""

from __future__ import annotations

import hashlib
import json

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextDocument

from gui_app.screens.report import InertDocument, ReportScreen, summary, warnings_first
from tests.gui_app.small_case import open_session, put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as opened:
        bench = opened.workbench
        bench.accept([bench.proposals()[0].id])
        bench.rate("E1", "H1", "I")
        yield opened


@pytest.fixture
def screen(qtbot, session):
    made = ReportScreen(session)
    put_on_show(qtbot, made)
    qtbot.waitUntil(lambda: made.preview.toPlainText() != "")
    return made


def test_warnings_come_before_the_ranking(screen):
    text = screen.preview.toPlainText()
    assert text.index("1 of 2 cells unrated") < text.index("Hypotheses in order")
    assert text.index("1 page without text") < text.index("Hypotheses in order")
    assert "not decided" in text


def test_the_preview_follows_the_matrix(qtbot, screen, session):
    session.do(lambda bench: bench.rate("E1", "H2", "C"))
    qtbot.waitUntil(lambda: "cells unrated" not in screen.preview.toPlainText())


def test_words_of_the_case_are_never_markup(session):
    bench = session.workbench
    bench.add_evidence("<img src='file:///etc/passwd'><b>bold</b>", "<i>me</i>")
    data = bench.report_data()
    html = summary(data)
    assert "<img" not in html
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "&lt;i&gt;me&lt;/i&gt;" in html


def test_nothing_named_in_a_text_is_fetched(qtbot, tmp_path):
    picture = tmp_path / "spy.html"
    picture.write_text("secret", "utf-8")
    document = InertDocument()
    address = QUrl.fromLocalFile(str(picture))
    for kind in (QTextDocument.ResourceType.ImageResource, QTextDocument.ResourceType.HtmlResource):
        assert document.resource(int(kind.value), address) is None


@pytest.mark.parametrize(("key", "form"), [(Key.Key_H, "html"), (Key.Key_J, "json")])
def test_export_writes_one_file_and_says_its_hash(qtbot, screen, session, tmp_path, monkeypatch, key, form):
    target = tmp_path / f"out.{form}"
    monkeypatch.setattr(screen, "ask_path", lambda _proposed, _form: target)
    with qtbot.waitSignal(session.status):
        qtbot.keyClick(screen, key, Modifier.ControlModifier | Modifier.ShiftModifier)
    data = target.read_bytes()
    assert screen.done.isVisible()
    assert hashlib.sha256(data).hexdigest() in screen.done_hash.text()
    assert f"{len(data):,}" in screen.done_file.text()
    if form == "json":
        assert json.loads(data)


def test_a_name_without_ending_gets_one(qtbot, screen, session, tmp_path, monkeypatch):
    monkeypatch.setattr(screen, "ask_path", lambda _proposed, _form: tmp_path / "out")
    with qtbot.waitSignal(session.status):
        screen.export("html")
    assert (tmp_path / "out.html").is_file()


def test_cancelling_the_dialog_writes_nothing(screen, session, monkeypatch):
    monkeypatch.setattr(screen, "ask_path", lambda _proposed, _form: None)
    before = len(session.workbench.case.log())
    screen.export("html")
    assert not session.tasks.busy()
    assert len(session.workbench.case.log()) == before


def test_without_hypotheses_the_next_step_is_named(qtbot, session):
    for hypothesis in session.workbench.hypotheses():
        session.workbench.remove_hypothesis(hypothesis.id)
    screen = ReportScreen(session)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: screen.stack.currentWidget() is screen.empty)
    assert warnings_first(session.workbench.report_data())
