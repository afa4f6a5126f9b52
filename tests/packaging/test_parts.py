"""The list of parts and the licence texts."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def parts(load):
    return load("parts")


def record(tmp_path, name, *, metadata="", files=()):
    folder = tmp_path / f"{name}-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 1\n{metadata}\n", "utf-8")
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(file, "utf-8")
    (folder / "RECORD").write_text("".join(f"{file},sha256=x,1\n" for file in files), "utf-8")
    return folder


def test_every_text_that_is_named_is_there(parts):
    names = {text for _, texts in parts.STATED.values() for text in texts} | {"MIT-llama.cpp"}
    names |= {text for texts in parts.MODEL_TEXTS.values() for text in texts}
    for file in parts.texts_named(tuple(sorted(names - {"AGPL-3.0"}))):
        assert "copyright" in file.read_text("utf-8").lower(), file


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ("License-Expression: MIT OR Apache-2.0", "MIT OR Apache-2.0"),
        ("License: BSD", "BSD"),
        ("Classifier: License :: OSI Approved :: MIT License", "MIT License"),
        ("", ""),
    ],
)
def test_the_licence_is_what_the_distribution_says(parts, tmp_path, metadata, licence):
    assert parts.licence_of("a", record(tmp_path, "a", metadata=metadata)) == licence


def test_licence_texts_are_copied_under_names_of_their_own(parts, tmp_path):
    files = ("a-1.dist-info/licenses/LICENSE", "a/vendor/LICENSE", "a/license.py", "a/COPYING.txt", "a/code.py")
    shipped = {"distributions": {"a": {"version": "1", "record": str(record(tmp_path, "a", files=files)), "files": []}}}
    (row,) = parts.distributions(shipped, tmp_path / "texts")
    assert sorted(file.name for file in (tmp_path / "texts" / "a-1").iterdir()) == [
        "COPYING.txt",
        "LICENSE",
        "LICENSE-2",
    ]
    assert row["purl"] == "pkg:pypi/a@1"
    assert parts.without_text([row], tmp_path / "texts") == []


def test_a_distribution_without_a_text_is_named(parts, tmp_path):
    shipped = {"distributions": {"a": {"version": "1", "record": str(record(tmp_path, "a")), "files": []}}}
    rows = parts.distributions(shipped, tmp_path / "texts")
    assert parts.without_text(rows, tmp_path / "texts") == ["a"]


def test_the_list_is_of_the_form_and_the_same_every_time(parts, tmp_path):
    rows = [
        parts.component("b", "1", "MIT"),
        parts.component("a", "2", "MIT OR Apache-2.0"),
        parts.component("c", "3", "a licence of its own"),
    ]
    for name, order in (("one", rows), ("two", rows[::-1])):
        parts.write_list(tmp_path / name, order, version="1", commit="abc", date="2026-01-01T00:00:00Z")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    listing = json.loads((tmp_path / "one").read_text("utf-8"))
    assert (listing["bomFormat"], listing["specVersion"]) == ("CycloneDX", "1.6")
    assert [row["name"] for row in listing["components"]] == ["a", "b", "c"]
    assert [row["licenses"] for row in listing["components"][::2]] == [
        [{"expression": "MIT OR Apache-2.0"}], [{"license": {"name": "a licence of its own"}}],
    ]  # fmt: skip
    assert listing["serialNumber"].startswith("urn:uuid:")


def test_the_parts_of_a_wheel_stand_under_it(parts, tmp_path):
    folder = record(tmp_path, "a")
    (folder / "sboms").mkdir()
    inner = {"components": [{"type": "library", "name": "libx", "version": "1", "bom-ref": "r", "cpe": "y"}]}
    (folder / "sboms" / "auditwheel.cdx.json").write_text(json.dumps(inner), "utf-8")
    (part,) = parts.inner_parts(folder)
    assert part == {"type": "library", "name": "libx", "version": "1", "bom-ref": "a-1.dist-info/libx@1"}
