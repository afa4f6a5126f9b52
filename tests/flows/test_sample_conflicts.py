"""The conflicts of the sample case: what its documents contradict each other in is found, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core import paths
from core.engines.readers.dispatch import FileReader
from core.workbench import Workbench


@pytest.fixture
def conflicts(tmp_path, engines):
    rules_alone = replace(engines, reader=FileReader(), embedder=None, judge=None)
    with Workbench.create(tmp_path / "sample.disconfirm", rules_alone) as bench:
        bench.documents.add([paths.RESOURCES / "sample_case" / "documents"])
        yield bench.conflicts.find().conflicts


def test_the_figure_that_was_corrected_is_found_with_the_forged_mail_that_copied_it(conflicts):
    (minutes,) = [one.conflict for one in conflicts if one.conflict.kind == "quantity"]
    wrong, right = minutes.positions
    assert (wrong.text, right.text) == ("47 minutes", "74 minutes")
    names = [{source.name for source in position.sources} for position in minutes.positions]
    assert names[0] == {"press-release-0930.pdf", "claim-of-responsibility.eml", "electrician-notes.md"}
    assert names[1] == {"press-release-1640.pdf", "interim-report.pdf"}
    assert "press-release-1640.pdf is a corrected version" in wrong.note
    assert "electrician-notes.md calls it a mistake" in wrong.note
    assert right.note == ""


def test_what_the_operator_denied_and_what_he_said_to_the_police_stand_side_by_side(conflicts):
    (denial,) = [one.conflict for one in conflicts if one.conflict.kind == "denial"]
    names = {position.text: {source.name for source in position.sources} for position in denial.positions}
    assert names.pop("Ruben Aske denies this.") == {"interim-report.pdf"}
    (others,) = names.values()
    assert others == {"interview-aske.txt", "colleague-about-aske.eml"}


def test_there_are_no_others(conflicts):
    assert len(conflicts) == 2
