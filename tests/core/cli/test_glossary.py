"""The command for the terms that documents explain."""

from __future__ import annotations


def test_terms_are_listed_and_written(case, run, tmp_path):
    out = run("glossary", case)
    assert set(out) == {"entries", "cards"}
    target = tmp_path / "terms.md"
    assert run("glossary", case, "-o", target)["file"] == str(target)
    assert target.read_text("utf-8").startswith("# ")


def test_another_form_is_refused(case, run, tmp_path):
    run("glossary", case, "-o", tmp_path / "terms.exe", code=3)
    assert not (tmp_path / "terms.exe").exists()
