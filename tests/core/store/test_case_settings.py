"""The title of a case and its settings."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from tests.core.store.material import (
    undone_and_redone,
)


def test_title(case):
    assert case.settings.title() == "Pump"
    case.settings.set_title("Valve")
    case.undo.undo()
    assert case.settings.title() == "Pump"


def test_settings_are_kept_and_the_times_of_blindness_told(case):
    case.settings.change(blind=True, ocr_languages=["eng", "deu"])
    undone_and_redone(case, case.settings.get)
    assert (case.settings.get().blind, case.settings.get().ocr_languages) == (True, ("eng", "deu"))
    case.settings.change(blind=False)
    assert [is_blind for _, is_blind in case.settings.blind_times()] == [True, False, True, False]


def test_a_setting_that_is_none_changes_nothing(case):
    before = case.settings.get()
    for wrong in ({"grade_weights": {"A": 0}}, {"ocr_languages": ["English"]}):
        with pytest.raises(BadInput):
            case.settings.change(blind=True, **wrong)
    assert case.settings.get() == before
