"""What is installed, loaded and left behind."""

from __future__ import annotations

import logging

from core import paths
from core.__main__ import main


def test_j1_what_is_installed_is_what_was_locked(lost):
    assert lost == []


def test_j2_nothing_is_loaded_from_where_one_works(lost):
    assert lost == []


CANARY = "Zwergkanarienvogel"


def test_j3_work_leaves_no_text_in_the_folders_of_the_program(lost, tmp_path, monkeypatch, capsys):
    assert lost == []
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "a.txt").write_text(f"The {CANARY} flew out at noon.", "utf-8")
    (tmp_path / "b.bin").write_bytes(b"\xff\xfe" + CANARY.encode())
    case = str(tmp_path / "a.disconfirm")
    log = tmp_path / "log"
    handler = logging.FileHandler(log)
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        for words in (
            ["new", case], ["add", case, str(tmp_path / "a.txt"), str(tmp_path / "b.bin")],
            ["hypothesis", case, "add", "The bird flew."], ["search", case, CANARY], ["quote", case, CANARY],
            ["report", case, "-o", str(tmp_path / "r.html")], ["verify", case],
        ):  # fmt: skip
            assert main(words) in (0, 1, 3)
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    capsys.readouterr()
    assert CANARY.encode() in (tmp_path / "a.disconfirm").read_bytes()
    files = [file for folder in (temporary, paths.user_data()) for file in folder.rglob("*") if file.is_file()]
    leaks = [file for file in files if CANARY.encode() in file.read_bytes()]
    assert leaks == []
    assert CANARY not in log.read_text("utf-8")
    assert list(temporary.iterdir()) == []


def test_j4_the_package_brings_what_it_needs(lost):
    assert lost == []
