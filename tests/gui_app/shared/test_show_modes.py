"""The choice of strict, exploratory or audit: one is down, its sentence stands beside it, a press is told."""

from PySide6.QtCore import Qt

from core.answers.results import MODES
from core.search import passages
from core.verdicts import labels
from gui_app.shared.show_modes import ShowModes


def test_a_press_chooses_says_its_sentence_and_is_told(qtbot):
    modes = ShowModes(MODES)
    qtbot.addWidget(modes)
    assert (modes.mode(), modes.line.text()) == ("exploratory", MODES["exploratory"])
    with qtbot.waitSignal(modes.choice) as signal:
        qtbot.mouseClick(modes.buttons["audit"], Qt.MouseButton.LeftButton)
    assert signal.args == ["audit"]
    assert (modes.mode(), modes.line.text()) == ("audit", MODES["audit"])
    modes.say_more("2 are new.")
    assert modes.line.text() == f"{MODES['audit']} 2 are new."
    modes.press_next()
    assert modes.mode() == "exploratory"
    with qtbot.assertNotEmitted(modes.choice):
        modes.choose("strict")
    assert modes.line.text() == MODES["strict"]


def test_every_place_has_the_same_three_and_one_sentence_each():
    for sentences in (MODES, passages.SHOW_MODES, labels.SHOW_MODES):
        assert set(sentences) == {"strict", "exploratory", "audit"}
        assert all(sentence.endswith(".") and sentence.count(". ") == 0 for sentence in sentences.values())
