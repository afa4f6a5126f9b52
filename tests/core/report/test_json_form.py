"""The report as JSON: whole, or as the few sections of the short form."""

from __future__ import annotations

import json
from dataclasses import replace

from core.report import render_json, tell
from tests.core.report.cases import full_case


def test_the_short_form_holds_what_is_read_and_the_end_of_the_log():
    data = replace(full_case(), short=True)
    facts = json.loads(render_json(data))
    assert facts["short"] is True
    assert (facts["log_head"], facts["as_of"]) == (data.log_head, data.as_of)
    assert [section["id"] for section in facts["story"]["sections"]] == [s.id for s in tell(data).sections]
    assert "matrix" not in facts
    whole = json.loads(render_json(full_case()))
    assert whole["short"] is False
    assert len(whole["evidence"]) == len(data.evidence)
