"""The title of a case and its settings."""

from __future__ import annotations


def test_title(case):
    assert case.settings.title() == "Pump"
    case.settings.set_title("Valve")
    case.undo.undo()
    assert case.settings.title() == "Pump"
