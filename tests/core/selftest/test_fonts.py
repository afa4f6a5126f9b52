"""The program's own fonts: whole, and of the families that screens and reports are set in."""

from __future__ import annotations

import shutil

import pytest

from core.selftest import fonts
from core.selftest.parts import PartFailed


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(fonts.FOLDER, tmp_path / "fonts")


def test_the_fonts_of_the_program_are_whole():
    assert fonts.check() == "6 files of Inter and Source Serif Pro"


@pytest.mark.parametrize("keep", [0, 3, 40, 200, 50_000])
def test_a_font_that_was_cut_off_is_named(folder, keep):
    file = folder / "Inter-Italic.otf"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(PartFailed, match=r"Inter-Italic\.otf cannot be used"):
        fonts.check(folder)


def test_a_family_that_is_missing_is_named(folder):
    for file in folder.glob("Inter*"):
        file.unlink()
    with pytest.raises(PartFailed, match="Inter cannot be found"):
        fonts.check(folder)
