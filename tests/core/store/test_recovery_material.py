"""What of a damaged case is believed: the log as far as its chain goes, then the tables."""

from __future__ import annotations

from core.store import CaseFile
from core.store.recovery_material import read_material, rows_of, shapes
from core.store.salvage import salvage
from tests.core.store.material import clock, fill, tamper


def material(path):
    return read_material(salvage(path, shapes()))


def make(path):
    with CaseFile.create(path, title="Pump", who="ann", now=clock()) as case:
        fill(case)
    return path


def test_every_table_has_a_shape_that_its_own_rows_fit(path):
    source = salvage(make(path), shapes())
    for name, shape in shapes().items():
        assert all(map(shape.fits, source.rows[name].values())), name
    assert [row["id"] for row in rows_of(source, "hypothesis")] == ["H1", "H2"]
    assert {type(row["width"]) for row in rows_of(source, "page")} == {float}


def test_of_a_whole_log_nothing_is_missing_and_it_decides(path):
    tamper(make(path), "UPDATE hypothesis SET text = 'another' WHERE id = 'H1'")
    result = material(path)
    assert result.is_whole
    assert result.losses == []
    assert result.state["hypothesis"]["H1"]["text"] == "The operator stopped the pump."


def test_behind_a_break_the_tables_decide_as_far_as_they_are_there(path):
    make(path)
    entries = material(path).last
    tamper(path, "UPDATE log SET who = 'bob' WHERE seq = 3", "DELETE FROM log WHERE seq = 5")
    result = material(path)
    assert (len(result.entries), result.last, result.is_whole) == (2, entries, False)
    assert [loss.where for loss in result.losses] == [f"entry {seq}" for seq in range(3, entries + 1)]
    assert "“" in result.losses[0].what
    assert "“" not in result.losses[2].what  # of one that is gone not even that is known
    assert set(result.state["rating"]) == {"E1/H1/ann", "E1/H2/ann"}
    assert result.log_state["rating"] == {}


def test_what_no_row_can_hold_is_not_taken_from_a_table(path):
    make(path)
    tamper(path, "DELETE FROM log WHERE seq > 4", "UPDATE rating SET rating = 'XX' WHERE hypothesis = 'H1'")
    assert set(material(path).state["rating"]) == {"E1/H2/ann"}
