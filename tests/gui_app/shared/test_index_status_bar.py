"""The line above documents and searches: how far the vectors are, and what can be done about it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from core import paths, settings
from core.runtime import launch
from gui_app.documents.screen import DocumentsScreen
from gui_app.search.screen import SearchScreen
from gui_app.shared import file_dialogs
from tests.core.engines.tiny_embedder import make
from tests.core.search.test_embedding_index import Counting
from tests.gui_app.small_case import put_on_show


@pytest.fixture
def screen(filled, qtbot):
    documents = DocumentsScreen(filled)
    put_on_show(qtbot, documents, 1100, 600)
    qtbot.waitUntil(lambda: documents.embedding.state is not None)
    return documents


def change(screen, **engines):
    session = screen.session
    session.engines = replace(session.engines, **engines)
    session.workbench.engines = session.engines
    screen.embedding.refresh()


def test_nothing_is_said_while_all_is_as_it_should_be(screen):
    assert screen.embedding.state.waiting == 0
    assert not screen.embedding.isVisible()


def test_another_model_is_told_made_and_the_old_vectors_forgotten(screen, qtbot):
    strip, former = screen.embedding, screen.session.engines.embedder
    change(screen, embedder=Counting("second sha256:2", "other"), former=former)
    qtbot.waitUntil(strip.isVisible)
    assert "0 of 5 passages have vectors of second" in strip.text.text()
    assert not strip.forget_button.isVisible()
    qtbot.mouseClick(strip.embed_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(strip.forget_button.isVisible)
    assert not strip.embed_button.isVisible()
    assert "All 5 passages are searched by meaning with second" in strip.text.text()
    assert strip.forget_button.text() == "Delete the vectors of hash embedder 1: 1.3 kB"
    qtbot.mouseClick(strip.forget_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not strip.isVisible())
    assert screen.session.do(lambda bench: bench.index.status()).others == ()


def test_a_case_in_several_languages_is_offered_the_model_that_knows_them(screen, qtbot, monkeypatch, tmp_path):
    strip, session = screen.embedding, screen.session
    chosen = []
    monkeypatch.setattr(session, "choose_search_model", chosen.append)
    state = replace(strip.state, foreign=3)
    strip.show_state(state)
    assert "3 of 5 passages are not in English" in strip.text.text()
    assert strip.offer_button.isVisible()
    qtbot.mouseClick(strip.offer_button, Qt.MouseButton.LeftButton)
    assert [folder.name for folder in chosen] == [paths.MULTILINGUAL]
    qtbot.mouseClick(strip.decline_button, Qt.MouseButton.LeftButton)
    strip.show_state(state)
    assert not strip.isVisible()


def test_a_model_that_is_gone_is_told_and_another_can_be_chosen(screen, qtbot, monkeypatch, tmp_path):
    strip = screen.embedding
    change(screen, embedder=None)
    qtbot.waitUntil(strip.isVisible)
    assert "it is not on this computer" in strip.text.text()
    assert strip.choose_button.isVisible()
    assert not strip.embed_button.isVisible()
    folder = make(tmp_path / "tiny")
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_: folder)
    messages = []
    screen.session.told.connect(lambda text, _undo: messages.append(text))
    qtbot.mouseClick(strip.choose_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(strip.embed_button.isVisible, timeout=20_000)
    assert settings.load().embedder == str(folder)
    assert "the search model is now tiny" in strip.text.text()
    assert "Nothing is known of what the model tiny expects" in messages[0]


def test_a_model_that_cannot_be_loaded_is_told_and_changes_nothing(screen, qtbot, tmp_path):
    engines = screen.session.engines
    failures = []
    screen.session.failed.connect(failures.append)
    folder = make(tmp_path / "tiny")
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    assert screen.session.choose_search_model(folder)
    qtbot.waitUntil(lambda: bool(failures), timeout=20_000)
    assert "its tokenizer.json is broken" in failures[0].sentence
    assert screen.session.engines is engines
    assert settings.load().embedder == ""


def test_a_folder_that_is_no_model_is_told_and_changes_nothing(screen, qtbot, tmp_path):
    engines = screen.session.engines
    failures = []
    screen.session.failed.connect(failures.append)
    (tmp_path / "none").mkdir()
    assert not screen.session.choose_search_model(tmp_path / "none")
    assert "contains no search model" in failures[0].sentence
    assert screen.session.engines is engines
    assert settings.load().embedder == ""


def test_the_search_screen_tells_what_waits_and_not_what_could_be_tidied(filled, qtbot):
    filled.engines = replace(filled.engines, embedder=Counting("second sha256:2", "other"))
    filled.workbench.engines = filled.engines
    screen = SearchScreen(filled)
    put_on_show(qtbot, screen, 1100, 600)
    qtbot.waitUntil(screen.embedding.isVisible)
    assert "Until passages have its vectors they are found by their words only" in screen.embedding.text.text()
    filled.do(lambda bench: bench.index.build())
    qtbot.waitUntil(lambda: not screen.embedding.isVisible())
    assert screen.embedding.state.others


def test_the_window_has_commands_for_the_model_that_ranks_anew(window, qtbot, tmp_path, monkeypatch):
    failures, messages = [], []
    window.session.failed.connect(failures.append)
    window.session.told.connect(lambda text, _undo: messages.append(text))
    monkeypatch.setattr(file_dialogs, "ask_folder", lambda *_: tmp_path)
    window.commands.ranking_model.trigger()
    assert "ranking" in failures[0].sentence
    assert window.session.engines.reranker is None
    monkeypatch.setattr(launch, "check_reranker", lambda _folder: None)
    monkeypatch.setattr(launch, "load_model", lambda client: client)
    window.commands.ranking_model.trigger()
    qtbot.waitUntil(lambda: settings.load().reranker == str(tmp_path))
    assert window.session.engines.reranker is not None
    assert tmp_path.name in messages[-1]
    window.commands.no_ranking_model.trigger()
    assert settings.load().reranker == ""
    assert window.session.engines.reranker is None
