"""ICU's data, which Qt brings along: cut down to what Qt asks of it, the order of words in every language.

The library of data is 31 MB of calendars, currencies, names of places and old encodings. Qt has its own of these; the
window uses no calendar, encoding or time zone of ICU, while lists of files are sorted by its collation.
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from pathlib import Path

NEEDED = re.compile(
    r"coll/.+|(cnvalias|ubidi|ucase|uprops|ulayout|uemoji)\.icu|.+\.nrm"
    r"|(root|pool|res_index|supplementalData|keyTypeData|likelySubtags|metadata|icuver|numberingSystems"
    r"|timezoneTypes|zoneinfo64|metaZones)\.res"
)


def cut(data: bytes) -> bytes:
    """Return a package of ICU's data ("CmnD") with the items that are needed."""
    start = struct.unpack_from("<H", data)[0]
    if data[12:16] != b"CmnD" or data[8]:
        raise ValueError("These are no data of ICU for this kind of machine.")
    count = struct.unpack_from("<I", data, start)[0]
    table = [struct.unpack_from("<II", data, start + 4 + 8 * number) for number in range(count)]
    ends = [*(place for _, place in table[1:]), len(data) - start]
    items = []
    for (name_at, place), end in zip(table, ends, strict=True):
        name = data[start + name_at : data.index(b"\0", start + name_at)]
        if NEEDED.fullmatch(name.decode("ascii").partition("/")[2]):
            items.append((name, data[start + place : start + end]))
    names = b"".join(name + b"\0" for name, _ in items)
    head = 4 + 8 * len(items)
    body = -(-(head + len(names)) // 16) * 16
    rows, blob, name_at = [], b"", head
    for name, item in items:
        rows.append(struct.pack("<II", name_at, body + len(blob)))
        name_at += len(name) + 1
        blob += item + bytes(-len(item) % 16)
    package = struct.pack("<I", len(items)) + b"".join(rows) + names
    return data[:start] + package + bytes(body - len(package)) + blob


def read(library: Path) -> tuple[str, bytes]:
    """Return the name and the bytes of the data that a library of data holds. Raises ValueError."""
    command = ["nm", "-D", "-S", "--defined-only", str(library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    row = next(line.split() for line in lines if line.split()[-1].startswith("icudt"))
    address, size = int(row[0], 16), int(row[1], 16)
    content = library.read_bytes()
    table, _, _, _, step, count = struct.unpack_from("<QQIHHH", content, 32)
    for offset in range(table, table + step * count, step):
        kind, _, place, start, _, length = struct.unpack_from("<IIQQQQ", content, offset)
        if kind == 1 and start <= address < start + length:  # a part of the file that is loaded
            place += address - start
            return row[-1].partition("@")[0], content[place : place + size]
    raise ValueError(f"{library.name} holds no data.")


def write(library: Path, name: str, data: bytes) -> None:
    """Put a library with these data in the place of ``library``. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "data").write_bytes(data)
        code = (
            f".section .rodata\n.balign 16\n.globl {name}\n.type {name}, @object\n.size {name}, {len(data)}\n{name}:\n"
        )
        code += '.incbin "data"\n.section .note.GNU-stack,"",@progbits\n'
        Path(scratch, "data.s").write_text(code, "utf-8")
        command = ["gcc", "-shared", "-nostdlib", "-s", f"-Wl,-soname,{library.name}", "-Wl,--build-id=none"]
        subprocess.run([*command, "-o", "library.so", "data.s"], cwd=scratch, check=True)
        library.write_bytes(Path(scratch, "library.so").read_bytes())


def cut_library(folder: Path) -> int:
    """Cut the data in a folder of Qt's libraries; return the bytes that were saved. Raises CalledProcessError."""
    saved = 0
    for library in sorted(folder.glob("libicudata.so*")):
        name, data = read(library)
        original_size = library.stat().st_size
        write(library, name, cut(data))
        saved += original_size - library.stat().st_size
    return saved
