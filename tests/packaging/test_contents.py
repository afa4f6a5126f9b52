"""What the packaged program holds and what it leaves out."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Engines for models that a person adds; they say what is missing where their library is not there.
NEED_MORE = {
    "core/engines/embedding/late_interaction.py",
    "core/engines/embedding/sentence_transformer.py",
    "core/engines/names/spacy_names.py",
}


@pytest.fixture
def contents(load):
    return load("contents")


def imports(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_nothing_that_is_left_out_is_imported_but_by_the_engines_for_added_models(contents):
    users = {
        file.relative_to(ROOT).as_posix()
        for package in ("core", "gui_app")
        for file in (ROOT / package).rglob("*.py")
        for name in imports(file)
        if any(name == out or name.startswith(f"{out}.") for out in contents.EXCLUDED)
    }
    assert users == NEED_MORE


def test_no_client_of_a_network_is_shipped(contents):
    clients = {"huggingface_hub", "httpx", "httpx2", "urllib3", "certifi", "anyio", "h11", "PySide6.QtNetwork"}
    assert clients <= set(contents.EXCLUDED)


@pytest.mark.parametrize(
    ("name", "source", "kind", "is_in"),
    [
        ("numpy/linalg/_umath.so", "/v/site-packages/numpy/linalg/_umath.so", "EXTENSION", True),
        ("numpy/tests/data.npz", "/v/site-packages/numpy/tests/data.npz", "DATA", False),
        ("libcrypto.so.3", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "BINARY", True),
        ("libxcb-cursor.so.0", "/lib/x86_64-linux-gnu/libxcb-cursor.so.0", "BINARY", True),
        ("libxkbcommon-x11.so.0", "/lib/x86_64-linux-gnu/libxkbcommon-x11.so.0", "BINARY", True),
        ("libxcb.so.1", "/lib/x86_64-linux-gnu/libxcb.so.1", "BINARY", False),
        ("libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "BINARY", False),
        ("libfontconfig.so.1", "/usr/lib/x86_64-linux-gnu/libfontconfig.so.1", "BINARY", False),
        ("libgtk-3.so.0", "/usr/lib/x86_64-linux-gnu/libgtk-3.so.0", "BINARY", False),
        ("python3.11/lib-dynload/_ssl.so", "/usr/lib/python3.11/lib-dynload/_ssl.so", "EXTENSION", True),
        ("libggml.so.0", "llama_cpp/lib/libggml.so.0", "SYMLINK", False),
        ("libggml.so.0", "/v/build/kernels/lib/libggml.so.0", "BINARY", False),
        ("llama_cpp/lib-avx2/libggml.so.0", "/v/build/kernels/lib-avx2/libggml.so.0", "BINARY", True),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", "/v/PySide6/Qt/plugins/platforms/libqxcb.so", "BINARY", True),
        ("PySide6/Qt/plugins/tls/libqopensslbackend.so", "/v/x.so", "BINARY", False),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", "/v/x.so", "BINARY", False),
        ("PySide6/Qt/lib/libQt6Network.so.6", "/v/x.so", "BINARY", False),
        ("PySide6/Qt/lib/libQt6Svg.so.6", "/v/x.so", "BINARY", True),
        ("PySide6/Qt/translations/qt_de.qm", "/v/qt_de.qm", "DATA", False),
    ],
)
def test_what_is_shipped(contents, name, source, kind, is_in):
    assert contents.is_shipped(name, source, kind) is is_in


def test_all_resources_are_shipped_but_the_pictures_of_the_readme(contents):
    folders = {file.name for file in (ROOT / "resources").iterdir() if file.is_dir()}
    shipped = {folder for folder in folders if contents.is_resource(f"{folder}/file")}
    assert folders - shipped == {"screenshots"}
