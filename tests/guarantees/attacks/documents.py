"""Fifty-seven hostile documents, made here: what an attacker or bad luck would hand to somebody who imports folders.

    python -m tests.guarantees.attacks.documents FOLDER

writes them into a folder.
"""

from __future__ import annotations

import base64
import gzip
import io
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from tests.core.engines.format_material import compound, epub, mhtml, opendocument, packed, slide, slides, warc, xls
from tests.core.engines.readers.test_dispatch import word
from tests.core.workers.test_bombs import BODY, BOMBS, with_part
from tests.fakes import png

WORDS = "The dosing pump stopped at 02:14 and nobody signed for it. "


def files() -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each."""
    yield from ((name, bomb()) for name, bomb in BOMBS.items())
    yield from _pdfs()
    yield from _texts()
    yield from _archives()
    yield from _pictures()
    yield from _offices()
    yield from _messages()


def pdf(*objects: bytes, tail: bytes = b"") -> bytes:
    """Put a PDF together out of objects 1, 2, ..."""
    data, places = b"%PDF-1.7\n", []
    for number, entry in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, entry)
    start = len(data)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + table + b"trailer<</Root 1 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, tail, start)


def stream(content: bytes, extra: bytes = b"") -> bytes:
    """Make a stream object."""
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), extra, content)


_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
_PAGE = (
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R"
    b"/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>"
)
_TEXT = stream(b"BT /F 12 Tf 20 200 Td (The dosing pump stopped.) Tj ET")
_KIDS = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"


def _pdfs() -> Iterator[tuple[str, bytes]]:
    sound = pdf(_CATALOG, _KIDS, _PAGE, _TEXT)
    yield "sound.pdf", sound
    yield "count.pdf", pdf(_CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 2000000000>>", _PAGE, _TEXT)
    yield (
        "same page 20000 times.pdf",
        pdf(_CATALOG, b"<</Type/Pages/Kids[" + b"3 0 R " * 20_000 + b"]/Count 20000>>", _PAGE, _TEXT),
    )
    yield "kids in a circle.pdf", pdf(_CATALOG, b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>", _PAGE, _TEXT)
    yield (
        "script.pdf",
        pdf(b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>", _KIDS, _PAGE, _TEXT),
    )
    yield "launch.pdf", pdf(b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(/bin/sh)>>>>", _KIDS, _PAGE, _TEXT)
    yield (
        "outside.pdf",
        pdf(_CATALOG, _KIDS, _PAGE, b"<</Length 0/F(http://198.51.100.7/x)/FFilter/FlateDecode>>stream\n\nendstream"),
    )
    yield "deep.pdf", pdf(b"<</Type/Catalog/Pages 2 0 R/X" + b"[" * 50_000 + b"]" * 50_000 + b">>", _KIDS, _PAGE, _TEXT)
    squeezed = zlib.compress(zlib.compress(bytes(200_000_000), 9), 9)
    yield "stream bomb.pdf", pdf(_CATALOG, _KIDS, _PAGE, stream(squeezed, b"/Filter[/FlateDecode/FlateDecode]"))
    huge = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 1e9 1e9]/Contents 4 0 R>>"
    yield "endless page.pdf", pdf(_CATALOG, _KIDS, huge, _TEXT)
    yield "forms in each other.pdf", pdf(
        _CATALOG, _KIDS,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>",
        stream(b"/X Do"),
        stream(b"/X Do /X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>"),
    )  # fmt: skip
    yield "cut.pdf", sound[: len(sound) // 2]
    yield "no end.pdf", sound[:-30] + b"%" * 100_000


def _texts() -> Iterator[tuple[str, bytes]]:
    yield "one word.txt", b"x" * 20_000_000
    yield "no line.txt", (WORDS * 40_000).encode()
    yield "lines.txt", b"\n" * 3_000_000 + WORDS.encode()
    yield "zeros.txt", bytes(5_000_000)
    yield "bidi.txt", ("\u202e" + WORDS + "\u2066\u200b\ufeff\U000e0041").encode()
    yield "combining.txt", ("a" + "\u0301" * 300_000).encode()
    yield "halves.txt", b"\xed\xa0\x80\xed\xb0\x80 \xff\xfe " + WORDS.encode()
    yield "terminal.txt", b"\x1b]0;owned\x07\x1b[2J\x9b31m " + WORDS.encode()
    yield "deep.html", b"<div>" * 200_000 + WORDS.encode()
    yield "attributes.html", b"<p " + b" ".join(b"a%d=b" % n for n in range(200_000)) + b">" + WORDS.encode()
    yield (
        "fetch.html",
        (
            "<link rel=stylesheet href=file:///etc/passwd><img src=http://198.51.100.7/x><iframe src=//198.51.100.7>"
            "<meta http-equiv=refresh content='0;url=http://198.51.100.7'><style>@import url(//198.51.100.7)</style>"
            f"<svg><image href='http://198.51.100.7/y'/></svg><p>{WORDS}"
        ).encode(),
    )
    yield "formulas.csv", f"=cmd|'/C calc'!A0,+1,-1,@x\n{WORDS},1,2,3\n".encode()
    yield "wide.csv", b",".join(b"%d" % n for n in range(300_000))
    yield "deep.rtf", b"{\\rtf1 " + b"{" * 200_000 + WORDS.encode() + b"}" * 200_001
    yield "binary.rtf", b"{\\rtf1 \\bin2000000000 " + WORDS.encode() + b"}"


def _archives() -> Iterator[tuple[str, bytes]]:
    names = ("../../escape.txt", "/etc/escape.txt", "C:\\escape.txt", "\\\\host\\escape.txt", "a\0b.txt", "CON", "x.")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in (*names, "same.txt", "SAME.txt", "n" * 400 + ".txt", "\x1b[31mred.txt"):
            archive.writestr(zipfile.ZipInfo(name), WORDS + name)
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    yield "names.zip", file.getvalue()
    inner = packed({"a.txt": WORDS})
    for level in range(8):
        inner = packed({f"{level}.zip": inner})
    yield "deep.zip", inner
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as made_tar:
        entry = tarfile.TarInfo("../escape.txt")
        entry.size = len(WORDS)
        made_tar.addfile(entry, io.BytesIO(WORDS.encode()))
    yield "climbing.tar", tar.getvalue()
    yield "bomb.gz", gzip.compress(bytes(100_000_000))


def _pictures() -> Iterator[tuple[str, bytes]]:
    small = bytearray(png(10, 10))
    small[16:24] = struct.pack(">II", 100_000, 100_000)
    yield "huge.png", bytes(small)
    yield "cut.png", png(200, 200)[:120]
    yield "text chunk.png", png(10, 10)[:-12] + b"\0\0\0\x04tEXtaaaa\0\0\0\0" + png(10, 10)[-12:]


def _offices() -> Iterator[tuple[str, bytes]]:
    deep = BODY.format("</w:t></w:r></w:p>" + "<w:tbl><w:tr><w:tc><w:p/>" * 5_000 + "</w:tc></w:tr></w:tbl>" * 5_000)
    yield "tables.docx", with_part(word(), "word/document.xml", deep.replace("<w:p><w:r><w:t></w:t></w:r></w:p>", ""))
    yield "macro.docm", with_part(word(), "word/vbaProject.bin", b"\xd0\xcf\x11\xe0" + bytes(2_000))
    yield "circle.msg", compound({"a": {"b": {}}})[:600]
    yield "cells.xls", xls({(65_535, 255): WORDS})
    yield "cut.odt", opendocument("text", f"<text:p>{WORDS}</text:p>")[:-40]
    yield "shapes.pptx", slides(*(slide() for _ in range(300)))
    yield "cut.epub", epub(f"<p>{WORDS}</p>")[:300]


def _messages() -> Iterator[tuple[str, bytes]]:
    body = WORDS
    for level in range(30):
        body = f"From: a{level}@b.c\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n{body}"
    yield "nested.eml", body.encode()
    yield "header.eml", b"Subject: " + b"x" * 2_000_000 + b"\n\n" + WORDS.encode()
    attached = base64.b64encode(b"MZ" + bytes(3_000)).decode()
    yield (
        "attached.eml",
        (
            "From: a@b.c\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
            f"--b\n\n{WORDS}\n--b\nContent-Disposition: attachment; filename=../../run.exe\n"
            f"Content-Transfer-Encoding: base64\n\n{attached}\n--b--\n"
        ).encode(),
    )
    yield "saved.mhtml", mhtml(f"<script>x</script><p>{WORDS}</p><img src=http://198.51.100.7/z>")
    yield "crawl.warc", warc(("http://a.example/../..", "text/html", f"<p>{WORDS}".encode()))


def write(folder: Path) -> list[Path]:
    """Write all of them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, data in files():
        path = folder / name
        path.write_bytes(data)
        paths.append(path)
    return paths


if __name__ == "__main__":
    print(len(write(Path(sys.argv[1]))))
