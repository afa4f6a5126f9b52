"""Imports, places of files, and passwords."""

from __future__ import annotations

from core.store import Found, ImportedRow
from tests.core.store.material import TEXTS, add, add_failure


def test_passwords_are_no_part_of_the_log(case):
    add_failure(case, needs_password=True)
    assert (case.imports.locked(), case.imports.password("D1"), case.imports.passwords()) == ({"D1"}, "", [])
    case.imports.put_password("D1", "swordfish")
    assert (case.imports.locked(), case.imports.passwords()) == (set(), ["swordfish"])
    assert all("swordfish" not in entry.after for entry in case.log.entries())


def test_places_and_imports_come_back_as_they_were_kept(case):
    add(case, "a.txt", [TEXTS[0]])
    case.imports.settle(0, "", places={"p": Found("D1", 3, 4), "q": Found("D1", 5, 6)})
    case.imports.settle(0, "", places={"p": Found("D1", 7, 8)})
    assert (case.imports.found_at("p"), case.imports.found_at("x")) == (Found("D1", 7, 8), None)
    row = ImportedRow(0, "", "a.txt", "", "near_duplicate", "D1", "D1", "near", 0.9, "why", "what")
    assert case.imports.put([row]) == 1
    assert case.imports.put([row, row]) == 2
    assert [entry.run for entry in case.imports.imported()] == [1, 2, 2]
    last = case.imports.imported(0)
    assert len(last) == 2
    assert (last[0].name, last[0].score, last[0].reason, last[0].remedy) == ("a.txt", 0.9, "why", "what")
    assert case.imports.imported(7) == []
