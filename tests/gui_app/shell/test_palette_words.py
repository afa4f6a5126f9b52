"""What the palette finds: by the words of a command, by those that people use for it, and by nothing far-fetched."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gui_app.shell.palette_words import ALSO, closeness


@pytest.mark.parametrize(
    ("words", "better", "worse"),
    [
        ("add", "Add files", "Read the address"),
        ("files add", "Add files", "Add a folder"),
        ("rep", "Report", "Show or hide the prepared details"),
        ("matrix", "Go to Matrix", "Import a matrix…"),
    ],
)
def test_closeness_prefers_the_start_of_words(words, better, worse):
    assert closeness(words, better) > closeness(words, worse)


def test_closeness_needs_every_word():
    assert closeness("add moon", "Add files") == 0


COMMANDS = {
    "help": "Shortcuts",
    "preferences": "Settings",
    "options": "Settings",
    "export": "Export PDF document…",
    "print": "Go to Report",
    "licence": "About Disconfirm",
    "privacy": "Go to Offline: every path used",
    "notifications": "Messages",
    "manual": "Shortcuts",
}


def test_what_people_type_leads_to_the_command(with_case, qtbot):
    with_case.commands.open_palette()
    popup = with_case.palette_popup
    for words, title in COMMANDS.items():
        popup.field.clear()
        qtbot.keyClicks(popup.field, words)
        assert title in [entry.title for entry in popup.model.rows[:3]], words


def test_the_name_of_a_screen_leads_to_it(with_case, qtbot):
    for words in ("search", "go to search", "offline", "go to offline", "go to models", "accuracy"):
        with_case.commands.open_palette()
        qtbot.keyClicks(with_case.palette_popup.field, words)
        qtbot.keyClick(with_case.palette_popup.field, Qt.Key.Key_Return)
        assert with_case.current().name.lower() == words.split()[-1]
        with_case.go("Documents")


def test_help_offers_no_documents(with_case, session, tmp_path, qtbot):
    for name in ("another resume.txt", "the heap of lps.txt", "legend.txt"):
        (tmp_path / name).write_text(f"The text of {name}.", "utf-8")
        session.do(lambda bench, name=name: bench.documents.add([tmp_path / name]))
    with_case.commands.open_palette()
    popup = with_case.palette_popup
    for words in ("help", "lgnd", "preferences"):
        popup.field.setText(words)
        assert [entry.title for entry in popup.model.rows if entry.kind == "document"] == []
    popup.field.setText("legend")
    assert "legend.txt" in [entry.title for entry in popup.model.rows]


def test_undo_leads_to_the_windows_own_first(with_case, session, qtbot):
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in."))
    qtbot.keyClick(with_case, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(with_case.palette_popup.field, "undo")
    assert with_case.palette_popup.model.rows[0].title == "Undo: add hypothesis"


def test_letters_in_order_begin_where_the_word_begins():
    assert closeness("hlp", "The ship") == 0
    assert closeness("stt", "Settings") > 0
    assert closeness("stt", "settings.txt", exact=True) == 0


def test_every_meaning_is_a_word_of_some_command(with_case, session):
    with_case.commands.open_palette()
    words = " ".join(entry.title.casefold() for entry in with_case.commands.entries())
    assert {word for others in ALSO.values() for word in others if word not in words} == set()
