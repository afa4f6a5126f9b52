"""The command for the figures of a case, against its contract."""

from __future__ import annotations

FIGURE = {"name", "value", "low", "high", "n", "basis"}


def test_every_figure_has_its_count_and_basis(case, run):
    out = run("accuracy", case)
    assert out["figures"]
    assert all(set(figure) >= FIGURE for figure in out["figures"])
    assert "retrieval" not in out


def test_quotes_are_searched_for_again(case, run):
    out = run("accuracy", case, "--retrieval")
    assert all(set(row) == {"evidence", "hypothesis", "rank", "cause"} for row in out["retrieval"])
    assert any(figure["name"].startswith("quotes in the first") for figure in out["figures"])
