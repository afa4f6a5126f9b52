"""The title of a case and its settings."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.errors import BadInput, CaseCorrupt
from core.report_settings import ReportSettings
from core.store import CaseFile, values
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
    settings = case.settings.get()
    for wrong in ({"grade_weights": {"A": 0}}, {"ocr_languages": ["English"]}):
        with pytest.raises(BadInput):
            case.settings.change(blind=True, **wrong)
    assert case.settings.get() == settings


def test_choices_for_the_report_are_kept_each_by_itself_and_undone(case):
    report = ReportSettings("The pump was stopped.", "", " A. Analyst ", "CONFIDENTIAL", ("gaps", "documents", "gaps"))
    case.settings.change(report=report)
    undone_and_redone(case, case.settings.get)
    settings = case.settings.get().report
    assert settings == ReportSettings(
        "The pump was stopped.", case.who, "A. Analyst", "CONFIDENTIAL", ("documents", "gaps")
    )
    entries = len(case.log.entries())
    case.settings.change(report=settings)  # nothing new: nothing in the log
    assert len(case.log.entries()) == entries
    case.settings.change(report=replace(settings, marking=""))
    assert list(json.loads(case.log.entries()[-1].after)["setting"]) == ["report_marking"]
    case.log.sign_as("Bea")
    case.settings.change(report=replace(case.settings.get().report, author="Bea"))
    assert case.settings.get().report.summary_by == settings.summary_by  # who wrote it, not who changed another field
    with pytest.raises(BadInput):
        case.settings.change(report=ReportSettings(omissions=("bottom-line",)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("report_summary", '"text"'),
        ("report_summary", '["text"]'),
        ("report_author", "[1]"),
        ("report_marking", "null"),
        ("report_omissions", "{}"),
    ],
)
def test_a_choice_for_the_report_that_is_none_is_a_fault(name, value):
    assert list(values.faults("setting", {"id": name, "value": value})) == ["value"]


def test_a_case_that_cannot_say_what_it_is_called_is_damaged(case, path):
    case.db.execute("UPDATE about SET title = CAST(x'ff' AS TEXT)")
    case.close()
    with pytest.raises(CaseCorrupt) as error:
        CaseFile.open(path)
    assert "backup" in error.value.details  # what can be done about it was looked for
    assert not path.with_name(f"{path.name}.lock").exists()
