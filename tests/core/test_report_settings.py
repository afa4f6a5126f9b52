"""What people decide about the report."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from core.report_settings import LONGEST_LINE, LONGEST_SUMMARY, SECTIONS, ReportSettings, check


def test_choices_that_can_be_printed_pass():
    check(ReportSettings())
    check(ReportSettings("One.\n\nTwo.", "Ann", "A. Analyst", "CONFIDENTIAL", SECTIONS))
    check(ReportSettings("x" * LONGEST_SUMMARY, author="x" * LONGEST_LINE))


@pytest.mark.parametrize(
    "wrong",
    [
        ReportSettings("x" * (LONGEST_SUMMARY + 1)),
        ReportSettings(author="x" * (LONGEST_LINE + 1)),
        ReportSettings(marking="SECRET\nNOT"),
        ReportSettings(omissions=("bottom-line",)),
        ReportSettings(omissions=("nothing",)),
    ],
)
def test_others_are_refused_with_a_remedy(wrong):
    with pytest.raises(BadInput) as refused:
        check(wrong)
    assert refused.value.hint
