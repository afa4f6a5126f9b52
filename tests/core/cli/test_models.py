"""The commands about language models, against their contract."""

from __future__ import annotations

import json

import pytest

from core.__main__ import main
from core.model_files import registry
from tests.core.engines import tiny_gguf
from tests.core.model_files.test_registry import CHATML, failing


@pytest.fixture(autouse=True)
def small_engines():
    """Leave the engines as they are: what is chosen here is built anew."""


@pytest.fixture
def file(tmp_path):
    return tiny_gguf.chat(tmp_path / "small.gguf", CHATML, license="apache-2.0")


def output_of(capsys, *arguments: str) -> tuple[int, dict]:
    code = main(["--json", *arguments])
    output = capsys.readouterr().out
    return code, json.loads(output) if output else {}


def test_the_commands(capsys, file, tmp_path):
    code, result = output_of(capsys, "models")
    assert code == 0
    assert [row["roles"] for row in result["models"]] == [["judge"]]
    code, result = output_of(capsys, "models", "add", str(file), str(tmp_path / "gone.gguf"), "--keep")
    assert code == 1
    assert [row["name"] for row in result["models"]] == ["small"]
    assert "gone.gguf" in result["problems"][0]["where"]
    assert not result["models"][0]["copied"]
    assert result["models"][0]["exam"] is None
    sha256 = result["models"][0]["sha256"]
    code, result = output_of(capsys, "models", "role", "small", "second_reader")
    assert code == 0
    assert [row["roles"] for row in result["models"]] == [["judge"], ["second_reader"]]
    failing(sha256)
    code, result = output_of(capsys, "models", "list", "small")
    assert (code, result["models"][0]["may_judge"], result["models"][0]["exam"]["passed"]) == (0, False, False)
    assert output_of(capsys, "models", "role", "small", "judge")[0] == 3
    assert output_of(capsys, "models", "role", "small")[0] == 3
    assert output_of(capsys, "models", "remove")[0] == 3
    assert output_of(capsys, "models", "remove", "default")[0] == 3
    code, result = output_of(capsys, "models", "role", "none", "second_reader")
    assert [row["roles"] for row in result["models"]] == [["judge"], []]
    code, result = output_of(capsys, "models", "remove", "small")
    assert (code, len(result["models"])) == (0, 1)


def test_testing_measures_and_examines(capsys, file):
    registry.add([file], copy=False)
    code, result = output_of(capsys, "models", "test", "small")
    (row,) = result["models"]
    assert code == 1  # it knows nothing, so it may not judge
    assert row["tokens_a_second"] > 0
    assert row["exam"]["passed"] is False
    assert row["exam"]["injected"]["success"]["n"] > 100
    assert row["may_judge"] is False
    code = main(["models", "list", "small"])
    output = capsys.readouterr().out
    assert "so it may not judge" in output
    assert "tokens a second" in output
