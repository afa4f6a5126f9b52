"""The command about names, against its contract."""

from __future__ import annotations

from dataclasses import replace

from core import __main__ as cli
from core.runtime import launch
from core.workers.engines import NamesClient
from tests.fakes import ListedNames


def test_names_are_suggested_by_a_model_from_now_on(case, tmp_path, run, engines, monkeypatch, capsys):
    assert run("names", case, "suggest")["model"] == ""
    assert cli.main(["names", str(case), "suggest", "--model", str(tmp_path / "nowhere")]) == 3
    assert "there is no such folder" in capsys.readouterr().err
    with_names = replace(engines, names=ListedNames({"dosing pump": "thing"}))
    monkeypatch.setattr(
        launch, "choose_names_model", lambda _engines, folder: (with_names if folder else engines, None)
    )
    result = run("names", case, "suggest", "--model", tmp_path)
    assert result["model"] == "listed names 1"
    (pump,) = (suggestion for suggestion in result["suggested"] if suggestion["name"] == "dosing pump")
    assert (pump["kind"], pump["by"]) == ("thing", "model")
    assert cli.main(["names", str(case), "suggest", "--model", str(tmp_path)]) == 0
    assert "dosing pump\tthing\t1 in 1 documents\tonly by the model" in capsys.readouterr().out
    assert run("names", case, "suggest", "--model", "none")["model"] == ""


def test_a_names_model_that_cannot_be_used_is_a_problem_and_no_error(case, tmp_path, run, engines, monkeypatch):
    client = NamesClient(tmp_path / "gone")
    monkeypatch.setattr(launch, "build_engines", lambda _settings: replace(engines, names=client))
    assert cli.main(["names", str(case), "suggest"]) == 1
