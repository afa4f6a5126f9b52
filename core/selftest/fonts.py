"""Whether the files in ``resources/fonts`` are whole fonts, and of which family each is."""

from __future__ import annotations

import struct
from pathlib import Path

from core import paths
from core.selftest.parts import PartFailed

FOLDER = paths.RESOURCES / "fonts"
FAMILIES = ("Inter", "Source Serif Pro")
_BEGINNINGS = (b"\x00\x01\x00\x00", b"OTTO")
_FAMILY, _TYPOGRAPHIC_FAMILY = 1, 16  # names in OpenType's table 'name'
_WINDOWS = 3


def family_of(data: bytes) -> str:
    """Return the family that a font file names; '' where it names none. Raises ValueError for a damaged file."""
    if data[:4] not in _BEGINNINGS:
        raise ValueError("it does not begin as a font does")
    try:
        (count,) = struct.unpack_from(">H", data, 4)
        tables = {}
        for number in range(count):
            tag, _, start, length = struct.unpack_from(">4sIII", data, 12 + 16 * number)
            if start + length > len(data):
                raise ValueError("it is cut off")
            tables[tag] = start
        names = tables[b"name"]
        _, rows, strings = struct.unpack_from(">HHH", data, names)
        texts: dict[int, str] = {}
        for number in range(rows):
            platform, _, _, name, length, start = struct.unpack_from(">6H", data, names + 6 + 12 * number)
            if platform == _WINDOWS:
                raw = data[names + strings + start : names + strings + start + length]
                texts.setdefault(name, raw.decode("utf-16-be", "replace"))
    except (struct.error, KeyError) as error:
        raise ValueError("it is cut off") from error
    return texts.get(_TYPOGRAPHIC_FAMILY) or texts.get(_FAMILY, "")


def check(folder: Path = FOLDER) -> str:
    """Read every font and say what there is. Raises PartFailed for a damaged one and for a family that is missing."""
    files = sorted(file for file in folder.glob("*") if file.suffix in (".otf", ".ttf"))
    families = set()
    for file in files:
        try:
            families.add(family_of(file.read_bytes()))
        except (OSError, ValueError) as error:
            raise PartFailed(f"{file.name} cannot be used: {error}.") from error
    missing = [family for family in FAMILIES if family not in families]
    if missing:
        raise PartFailed(f"{' and '.join(missing)} cannot be found in {folder}.")
    return f"{len(files)} files of {' and '.join(FAMILIES)}"
