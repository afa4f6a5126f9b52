"""The list of parts, and the source that the packaged program hands out."""

from __future__ import annotations

import json

import pytest

from core import __main__ as cli
from core import errors, installation, paths


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """A packaged program with one part and an archive of its source."""
    inside = tmp_path / "_internal"
    for folder in ("resources", installation.LICENCES, installation.SOURCE):
        (inside / folder).mkdir(parents=True)
    part = {"name": "lib", "version": "2", "licenses": [{"expression": "MIT"}]}
    data_part = {"name": "data", "version": "", "licenses": [{"license": {"name": "its own"}}]}
    (inside / "licences" / "sbom.cdx.json").write_text(json.dumps({"components": [part, data_part]}), "utf-8")
    (inside / "resources" / "build.json").write_text('{"commit": "abc123", "date": 0}', "utf-8")
    (inside / "source" / "disconfirm-abc123.tar.gz").write_bytes(b"source")
    monkeypatch.setattr(paths, "RESOURCES", inside / "resources")
    monkeypatch.setattr(paths, "PACKAGED", True)
    installation.commit.cache_clear()
    yield inside
    installation.commit.cache_clear()


def run(capsys, *words):
    code = cli.main(["licences", "--json", *words])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else captured.err


def test_the_parts_are_listed_with_their_licences(packaged, capsys):
    code, facts = run(capsys)
    assert code == 0
    assert facts["parts"] == [
        {"name": "lib", "version": "2", "licence": "MIT"}, {"name": "data", "version": "", "licence": "its own"},
    ]  # fmt: skip
    assert facts["texts"] == str(packaged / "licences")
    assert facts["version"].endswith("(commit abc123)")


def test_the_source_is_put_where_a_person_wants_it(packaged, capsys, tmp_path):
    code, facts = run(capsys, "--source", str(tmp_path / "here"))
    assert code == 0
    assert facts["source"] == str(tmp_path / "here" / "disconfirm-abc123.tar.gz")
    assert (tmp_path / "here" / "disconfirm-abc123.tar.gz").read_bytes() == b"source"


def test_a_program_that_runs_from_its_source_says_where_that_is(capsys, tmp_path):
    code, facts = run(capsys)
    assert (code, facts["parts"], facts["texts"]) == (0, [], str(paths.RESOURCES.parent))
    code, message = run(capsys, "--source", str(tmp_path))
    assert code == 3
    assert str(paths.RESOURCES.parent) in message


def test_a_remedy_fits_the_program_that_runs(monkeypatch):
    assert errors.remedy("Set it up again.") == "Set it up again."
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert errors.remedy("Set it up again.") == "Install Disconfirm again."
