"""The small files of the self-test, one of each kind that is read.

``python -m tests.core.selftest.small_files`` writes ``resources/selftest``, but not again the files that no two runs
make alike; those it writes where they are missing or named: ``... small_files note.docx``. Each file says the same
sentence.
"""

from __future__ import annotations

import io
import sys
import tarfile
from email.message import EmailMessage
from pathlib import Path

import py7zr
import pymupdf
from PIL import Image

from core.formats import BY_KIND
from core.selftest.small_files import FOLDER, PASSWORD, SENTENCE
from tests.core.engines import format_material as material
from tests.core.engines import scans
from tests.core.engines.readers import test_tnef as tnef_material
from tests.core.engines.readers import test_word_binary as word_binary
from tests.core.engines.readers.test_web_archive import xps

# Libraries write the time, or a number of their own, into these.
NEVER_THE_SAME = ("note.docx", "locked.docx", "table.xlsx", "files.7z")
HTML = f"<!DOCTYPE html><html><head><title>Pump</title></head><body><h1>Pump</h1><p>{SENTENCE}</p></body></html>"


def pdf() -> bytes:
    document = pymupdf.open()
    document.new_page(width=420, height=200).insert_text((36, 60), SENTENCE, fontsize=14)
    return document.tobytes(deflate=True, no_new_id=True)


def letter() -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Ann Berg <ann@example.org>", "bo@example.org"
    message["Subject"], message["Date"] = "Pump", "Tue, 05 Mar 2024 08:00:00 +0000"
    message.set_content(SENTENCE)
    return message


def mailbox() -> bytes:
    return b"From ann@example.org Tue Mar  5 08:00:00 2024\n" + letter().as_bytes() + b"\n"


def scan() -> bytes:
    """The sentence as a picture, 150 dots an inch."""
    return scans.draw([SENTENCE], dpi=150)


def picture(form: str, **options: str) -> bytes:
    file = io.BytesIO()
    Image.open(io.BytesIO(scan())).save(file, form, dpi=(150, 150), **options)
    return file.getvalue()


def outlook_attachment() -> bytes:
    """Subject and body in Outlook's own form."""
    body = tnef_material.prop(0x1000, tnef_material.text(SENTENCE), 0x1F)
    return BY_KIND["tnef"].starts[0] + b"\x01\0" + tnef_material.item(1, 0x8004, 1, b"Pump\0") + tnef_material.item(
        1, 0x9003, 6, tnef_material.props(body)
    )  # fmt: skip


def seven_zip() -> bytes:
    file = io.BytesIO()
    with py7zr.SevenZipFile(file, "w") as archive:
        archive.writestr(SENTENCE, "note.txt")
    return file.getvalue()


def tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        member = tarfile.TarInfo("note.txt")
        member.size = len(SENTENCE)
        archive.addfile(member, io.BytesIO(SENTENCE.encode()))
    return file.getvalue()


CALENDAR = f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20240305T021400\nSUMMARY:{SENTENCE}\nEND:VEVENT\nEND:VCALENDAR\n"
CARD = f"BEGIN:VCARD\nVERSION:3.0\nFN:Ann Berg\nNOTE:{SENTENCE}\nEND:VCARD\n"
ROUND = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Logger" xmlns="http://www.topografix.com/GPX/1/1">'
    f'\n<wpt lat="59.91" lon="10.75"><name>Pump house</name><desc>{SENTENCE}</desc></wpt>\n</gpx>\n'
)
CHAT = (
    f"[05.03.24, 08:00:00] Ann Berg: {SENTENCE}\n[05.03.24, 08:01:00] Bo: Seen.\n[05.03.24, 08:02:00] Ann Berg: Good.\n"
)


def files() -> dict[str, bytes]:
    cells = {(0, 0): SENTENCE, (0, 1): 31.0}
    word = material.word_file("Pump", SENTENCE)
    paragraph = f"<text:p>{SENTENCE}</text:p>"
    cell = f'<table:table-cell office:value-type="string">{paragraph}</table:table-cell>'
    row = f'<table:table table:name="Pump"><table:table-row>{cell}'
    slide = (
        f'<draw:page draw:name="Pump"><draw:frame><draw:text-box>{paragraph}</draw:text-box></draw:frame></draw:page>'
    )
    return {
        "note.txt": f"{SENTENCE}\n".encode(),
        "note.md": f"# Pump\n\n{SENTENCE}\n".encode(),
        "table.csv": f"what,number\n{SENTENCE},31\n".encode(),
        "page.html": HTML.encode(),
        "page.mht": material.mhtml(HTML),
        "pages.warc": material.warc(("https://example.org/pump", "text/html", HTML.encode())),
        "letter.eml": letter().as_bytes(),
        "letters.mbox": mailbox(),
        "letter.msg": material.message({0x0037: "Pump", 0x1000: SENTENCE, 0x0C1A: "Ann Berg"}),
        "note.rtf": b"{\\rtf1\\ansi " + SENTENCE.encode() + b"\\par}",
        "note.odt": material.opendocument("text", paragraph),
        "slides.odp": material.opendocument("presentation", slide),
        "table.ods": material.opendocument("spreadsheet", f"{row}</table:table-row></table:table>"),
        "note.docx": word,
        "locked.docx": material.locked_file(word, PASSWORD),
        "slides.pptx": material.slides(material.slide(material.shape(SENTENCE, kind="title"))),
        "table.xlsx": material.workbook_file(SENTENCE, 31),
        "table.xls": material.xls(cells),
        "table.xlsb": material.xlsb(cells),
        "book.epub": material.epub(f"<p>{SENTENCE}</p>"),
        "note.pdf": pdf(),
        "note.xps": xps(SENTENCE),
        "note.doc": word_binary.word([(f"{SENTENCE}\r", b"")]),
        "note.xml": f"<?xml version='1.0' encoding='UTF-8'?>\n<note><text>{SENTENCE}</text></note>\n".encode(),
        "round.gpx": ROUND.encode(),
        "winmail.dat": outlook_attachment(),
        "event.ics": CALENDAR.encode(),
        "card.vcf": CARD.encode(),
        "chat.txt": CHAT.encode(),
        "film.srt": f"1\n00:00:01,000 --> 00:00:04,000\n{SENTENCE}\n".encode(),
        "files.7z": seven_zip(),
        "files.tar": tar(),
        "files.zip": material.packed({"note.txt": SENTENCE}),
        "scan.png": scan(),
        "scan.jpg": picture("JPEG"),
        "scan.tif": picture("TIFF", compression="tiff_adobe_deflate"),
    }


def main(names: list[str], folder: Path = FOLDER) -> int:
    folder.mkdir(exist_ok=True)
    for name, data in files().items():
        file = folder / name
        if name in names or not file.exists() or name not in NEVER_THE_SAME:
            file.write_bytes(data)
            print(f"{len(data):8,} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
