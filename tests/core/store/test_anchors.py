"""What the log says of pages."""

from __future__ import annotations

import pytest

from core.domain import LogEntry
from core.errors import CaseCorrupt
from core.store.anchors import anchors_in
from core.store.documents import sha256_of
from tests.core.store.material import TEXTS, add


def test_a_page_is_bound_to_the_log_when_its_document_is_read(case):
    add(case, "a.txt", [TEXTS[0]], finish=False)
    assert case.anchors.all() == {}
    add(case, "b.txt", [TEXTS[1], TEXTS[2]])
    bound = case.anchors.all()
    assert [(anchor.document, anchor.number, anchor.sha256) for anchor in bound.values()] == [
        ("D2", 1, sha256_of(TEXTS[1])),
        ("D2", 2, sha256_of(TEXTS[2])),
    ]
    assert case.anchors.facts_of(bound) == bound
    assert (case.anchors.is_anchored(), case.anchors.anchored_since()) == (True, "")


def test_a_text_is_proven_against_the_log_whatever_its_own_hash_says(pump_case):
    page = pump_case.pages.page("D1", 1)
    forged_text = page.text.replace("not", "so")
    with pytest.raises(CaseCorrupt):
        pump_case.anchors.prove(page.id, "D1", 1, forged_text, page.sha256)
    with pytest.raises(CaseCorrupt):
        pump_case.anchors.prove(page.id, "D1", 1, forged_text, sha256_of(forged_text))
    with pytest.raises(CaseCorrupt):
        pump_case.anchors.prove(page.id, "D2", 1, page.text, page.sha256)
    pump_case.anchors.prove(page.id, "D1", 1, page.text, page.sha256)


@pytest.mark.parametrize(
    "pages",
    [
        '{"D1": {"1": [{}, [], null]}}',
        '{"D1": {"1": [1, 5, "y"]}}',
        '{"D1": {"1": [true, "x", "y"]}}',
        '{"D1": {"1": [0, "x", "y"]}}',
        f'{{"D1": {{"{10**30}": [1, "x", "y"]}}}}',
        f'{{"D1": {{"1": [{10**30}, "x", "y"]}}}}',
        '{"D1": {"1": [1, "x"]}}',
        "[1]",
    ],
)
def test_what_no_program_writes_of_pages_says_nothing(pages):
    entry = LogEntry(2, "", "ann", "add document", "{}", f'{{"pages": {pages}}}', "0.1", None, "", "")
    assert anchors_in(entry) == {}
