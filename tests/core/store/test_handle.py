"""An open case whose file is moved, replaced or removed: nothing acknowledged is lost, and no other file is harmed."""

from __future__ import annotations

import os
import shutil

import pytest

from core.errors import CaseInUse, CaseMoved
from core.store import CaseFile, case_part
from tests.core.store.material import make_other_case, texts

posix = pytest.mark.skipif(os.name != "posix", reason="an open file can be renamed and removed on POSIX systems only")


@posix
def test_a_case_renamed_while_it_is_open_takes_no_more_and_is_whole(closed_case):
    new = closed_case.with_name("b.disconfirm")
    with CaseFile.open(closed_case) as case:
        case.hypotheses.add("second")
        closed_case.rename(new)
        for _ in range(2):
            with pytest.raises(CaseMoved) as error:
                case.hypotheses.add("lost")
            assert "renamed" in error.value.sentence
        assert len(case.hypotheses.all()) == 2
    assert sorted(closed_case.parent.iterdir()) == [new]
    assert texts(new) == ["first", "second"]


@posix
def test_a_case_that_came_back_goes_on(closed_case):
    new = closed_case.with_name("b.disconfirm")
    with CaseFile.open(closed_case) as case:
        closed_case.rename(new)
        with pytest.raises(CaseMoved):
            case.hypotheses.add("lost")
        new.rename(closed_case)
        case.hypotheses.add("second")
    assert texts(closed_case) == ["first", "second"]
    assert sorted(closed_case.parent.iterdir()) == [closed_case]


@posix
@pytest.mark.parametrize("writes", [False, True])
def test_a_case_renamed_and_then_killed_keeps_what_was_acknowledged(closed_case, worker, writes):
    new = closed_case.with_name("b.disconfirm")
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    closed_case.rename(new)
    if writes:
        assert worker("write lost") == "CaseMoved"
    worker("kill")
    assert texts(new) == ["first", "second"]
    assert texts(new) == ["first", "second"]


@posix
@pytest.mark.parametrize("first", ["old name", "new name"])
def test_another_case_at_the_old_name_is_not_mixed_with_what_a_kill_left(closed_case, worker, tmp_path, first):
    new, other_path = closed_case.with_name("b.disconfirm"), make_other_case(tmp_path / "o.disconfirm", "other")
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    closed_case.rename(new)
    other_path.rename(closed_case)
    worker("kill")
    all_texts = {new: ["first", "second"], closed_case: ["other"]}
    for path in (closed_case, new) if first == "old name" else (new, closed_case):
        assert texts(path) == all_texts[path]
    assert sorted(closed_case.parent.iterdir()) == [closed_case, new]


@posix
@pytest.mark.parametrize("end", ["close", "kill"])
def test_a_case_replaced_while_it_is_open_leaves_the_new_file_alone(closed_case, worker, tmp_path, end):
    other_path = make_other_case(tmp_path / "o.disconfirm", "other")
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    other_path.replace(closed_case)
    with pytest.raises(CaseInUse):  # the log of the old one lies at this name
        CaseFile.open(closed_case)
    assert worker("write lost") == "CaseMoved"
    worker("close") if end == "close" else worker("kill")
    assert texts(closed_case) == ["other"]
    assert texts(closed_case.with_name("a rescued-1.disconfirm")) == ["first", "second"]


@posix
def test_a_case_replaced_and_closed_without_another_step_is_rescued(closed_case, tmp_path):
    other_path = make_other_case(tmp_path / "o.disconfirm", "other")
    with CaseFile.open(closed_case) as case:
        case.hypotheses.add("second")
        other_path.replace(closed_case)
    assert texts(closed_case) == ["other"]
    assert texts(closed_case.with_name("a rescued-1.disconfirm")) == ["first", "second"]


@posix
def test_a_case_that_was_removed_and_closed_is_gone(closed_case):
    with CaseFile.open(closed_case) as case:
        case.hypotheses.add("second")
        closed_case.unlink()
    assert list(closed_case.parent.iterdir()) == []


@posix
@pytest.mark.parametrize("end", ["close", "kill"])
def test_a_case_removed_while_it_is_open_is_rescued_at_the_next_step(closed_case, worker, end):
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    closed_case.unlink()
    for _ in range(2):
        assert worker("write lost") == "CaseMoved"
    worker("close") if end == "close" else worker("kill")
    rescue_copy = closed_case.with_name("a rescued-1.disconfirm")
    assert texts(rescue_copy) == ["first", "second"]
    assert texts(make_other_case(closed_case, "new")) == ["new"]
    assert case_part(closed_case) == "is a case"


@posix
def test_no_case_is_made_where_an_open_one_was_removed(closed_case, worker):
    worker(f"open {closed_case}")
    closed_case.unlink()
    with pytest.raises(CaseInUse):
        CaseFile.create(closed_case)


@posix
@pytest.mark.parametrize("end", ["close", "kill"])
def test_a_log_taken_away_while_the_case_is_open_loses_nothing_once_it_is_noticed(closed_case, worker, end):
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    closed_case.with_name(closed_case.name + "-wal").unlink()
    assert worker("write lost") == "CaseMoved"
    worker("close") if end == "close" else worker("kill")
    assert texts(closed_case) == ["first", "second"]


def test_a_copy_of_all_that_a_kill_left_is_whole(closed_case, worker, tmp_path):
    worker(f"open {closed_case}")
    assert worker("write second") == "done"
    worker("kill")
    folder = shutil.copytree(closed_case.parent, tmp_path / "copy")
    assert texts(folder / closed_case.name) == ["first", "second"]
    assert texts(closed_case) == ["first", "second"]
