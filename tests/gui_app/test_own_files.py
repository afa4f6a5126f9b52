"""The files that the program keeps of the person's ways: whatever they hold, the program starts."""

from __future__ import annotations

import dataclasses
import json
import pathlib

import pytest

from core import paths, settings
from core.model_files import crash_history, registry
from gui_app import recent_cases

ODD = [
    b"", b"{", b"null", b"3", b'"x"', b"[]", b"{}", b"[[]]", b"[null]", b"[3]", b"\xff\xfe\x00", b"[" * 200_000,
    b'{"a":' * 200_000, b"9" * 10_000, b"NaN", b'[{"path": 3}]', b'[{"path": [], "title": {}, "opened_at": null}]',
    b'{"models": 3}', b'{"models": [3]}', b'{"models": [{"path": 3}]}', b'{"models": {"a": 1}}',
]  # fmt: skip

READS = {
    "settings.json": lambda: settings.load() == settings.Settings(),
    "recent.json": lambda: isinstance(recent_cases.recent_cases(), list) and isinstance(recent_cases.names(), list),
    "models.json": lambda: registry.added_models() == [],
    "speeds.json": lambda: registry.speed_of("0" * 64) is None,
    "faults.json": lambda: crash_history.outcome_of(paths.RESOURCES / "models.lock")[1] == "",
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd[:30]))
def test_an_odd_file_is_as_good_as_none(name, odd):
    paths.user_data().mkdir(parents=True, exist_ok=True)
    (paths.user_data() / name).write_bytes(odd)
    assert READS[name]()


def test_an_odd_value_in_a_row_of_the_models_stops_nothing(tmp_path):
    paths.user_data().mkdir(parents=True, exist_ok=True)
    model = registry.ModelFile(**{field.name: _plain(field) for field in dataclasses.fields(registry.ModelFile)})
    row = {**dataclasses.asdict(model), "path": str(model.path)}
    file = paths.user_data() / "models.json"
    file.write_text(json.dumps({"models": [row]}))
    assert [entry.sha256 for entry in registry.added_models()] == ["0" * 64]
    for field in row:
        for odd in (None, [], {}, 1e308, -1, "\0", "x" * 100_000):
            file.write_text(json.dumps({"models": [{**row, field: odd}]}))
            for entry in registry.added_models():
                with pytest.raises(OSError):
                    registry.is_read(entry.path)  # there is no such file
                assert registry.recorded(entry.path) == entry.sha256


def _plain(field):
    if field.name in ("path", "sha256", "speed"):
        return {"path": pathlib.Path("/a.gguf"), "sha256": "0" * 64, "speed": None}[field.name]
    return {"str": "a", "int": 1, "bool": True}[str(field.type)]
