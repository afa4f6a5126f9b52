"""The formats of documents, a row each: a new one is a reader, its row and its test."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Trait = Literal["flowing", "sheet", "slides", "mail", "web", "title page", "printed", "package", "named"]
Option = Literal["kind", "password", "note_marks"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format, by what is found out of a file's content.

    ``kind`` is stored with each document, ``label`` is for people; ``endings`` are those of its files, ``starts`` the
    bytes that begin them and no others. ``reader`` is the module of ``core.engines.readers`` and its function, called
    with the bytes, the name and what ``takes`` names; empty where ``dispatch`` prepares more than that. ``samples``
    are the small files of the self-test, each with what it is called there, ``types`` its media types, each with the
    usual ending.

    Traits: "flowing" has no pages of its own; "sheet", "slides", "mail" and "web" say what a page is; the first lines
    of a "title page" hold title and author, large ones where it is "printed"; "package" is a ZIP known by its ending
    where its parts are lost; "named" is a text known by its ending alone.
    """

    kind: str
    label: str
    endings: tuple[str, ...] = ()
    traits: tuple[Trait, ...] = ()
    samples: tuple[tuple[str, str], ...] = ()
    reader: str = ""
    takes: tuple[Option, ...] = ()
    starts: tuple[bytes, ...] = ()
    types: tuple[tuple[str, str], ...] = ()


_SHEETS = "spreadsheet.read"
_OPEN = "opendocument.read"
_TAKES_OPEN: tuple[Option, ...] = ("kind", "password", "note_marks")
_OPEN_TYPE = "application/vnd.oasis.opendocument"
_OFFICE_TYPE = "application/vnd.openxmlformats-officedocument"
FORMATS = (
    Format(
        "pdf", "PDF", (".pdf",), ("title page", "printed"), (("note.pdf", "PDF"),),
        types=(("application/pdf", ".pdf"),),
    ),
    Format(
        "docx", "Word", (".docx", ".docm"), ("title page", "package"), (("note.docx", "Word document"),),
        types=((f"{_OFFICE_TYPE}.wordprocessingml.document", ".docx"),),
    ),
    Format("locked", "Word", (), (), (("locked.docx", "Word document with a password"),)),
    Format(
        "doc", "Word", (".doc", ".dot"), ("title page",), (("note.doc", "Word document before 2007"),),
        "word_binary.read", ("password",), types=(("application/msword", ".doc"),),
    ),
    Format(
        "odt", "ODT", (".odt",), ("title page", "package"), (("note.odt", "OpenDocument text"),),
        _OPEN, _TAKES_OPEN, types=((f"{_OPEN_TYPE}.text", ".odt"),),
    ),
    Format(
        "rtf", "RTF", (".rtf",), ("title page",), (("note.rtf", "RTF"),), "rtf.read", (), (b"{\\rtf",),
        (("application/rtf", ".rtf"), ("text/rtf", ".rtf")),
    ),
    Format(
        "text", "Text", (".txt", ".log"), ("flowing",), (("note.txt", "plain text"),),
        types=(("text/plain", ".txt"),),
    ),
    Format("markdown", "Markdown", (".md", ".markdown"), ("flowing",), (("note.md", "Markdown"),)),
    Format(
        "epub", "E-book", (".epub",), ("title page", "printed", "package"), (("book.epub", "e-book"),),
        types=(("application/epub+zip", ".epub"),),
    ),
    Format("xps", "XPS", (".xps", ".oxps"), ("title page", "printed", "package"), (("note.xps", "XPS"),)),
    Format(
        "pptx", "Slides", (".pptx", ".pptm", ".ppsx"), ("slides", "title page", "printed", "package"),
        (("slides.pptx", "PowerPoint slides"),), "pptx.read",
        types=((f"{_OFFICE_TYPE}.presentationml.presentation", ".pptx"),),
    ),
    Format(
        "odp", "Slides", (".odp",), ("slides", "title page", "printed", "package"),
        (("slides.odp", "OpenDocument slides"),), _OPEN, _TAKES_OPEN, types=((f"{_OPEN_TYPE}.presentation", ".odp"),),
    ),
    Format(
        "xlsx", "Table", (".xlsx", ".xlsm"), ("sheet", "package"), (("table.xlsx", "Excel table"),),
        _SHEETS, ("kind", "password"), types=((f"{_OFFICE_TYPE}.spreadsheetml.sheet", ".xlsx"),),
    ),
    Format(
        "xls", "Table", (".xls",), ("sheet",), (("table.xls", "Excel table before 2007"),),
        _SHEETS, ("kind", "password"), types=(("application/vnd.ms-excel", ".xls"),),
    ),
    Format(
        "xlsb", "Table", (".xlsb",), ("sheet", "package"), (("table.xlsb", "binary Excel table"),),
        _SHEETS, ("kind", "password"),
    ),
    Format(
        "ods", "Table", (".ods",), ("sheet", "package"), (("table.ods", "OpenDocument table"),),
        _SHEETS, ("kind", "password"), types=((f"{_OPEN_TYPE}.spreadsheet", ".ods"),),
    ),
    Format(
        "csv", "Table", (".csv", ".tsv"), ("sheet",), (("table.csv", "CSV table"),), types=(("text/csv", ".csv"),)
    ),
    Format(
        "html", "Web page", (".html", ".htm", ".xhtml"), ("flowing", "web"), (("page.html", "web page"),),
        types=(("text/html", ".html"), ("application/xhtml+xml", ".html")),
    ),
    Format(
        "mhtml", "Web page", (".mht", ".mhtml"), ("flowing", "web"), (("page.mht", "saved web page"),),
        "web_archive.read_mhtml",
    ),
    Format(
        "warc", "Web archive", (".warc",), ("flowing", "web"), (("pages.warc", "web archive"),),
        "web_archive.read_warc",
    ),
    Format(
        "email", "Mail", (".eml", ".emlx"), ("flowing", "mail"), (("letter.eml", "mail"),),
        types=(("message/rfc822", ".eml"),),
    ),
    Format("mbox", "Mailbox", (".mbox", ".mbx"), ("mail", "named"), (("letters.mbox", "mailbox"),), "mailbox.read"),
    Format("msg", "Mail", (".msg",), ("flowing", "mail"), (("letter.msg", "Outlook message"),), "outlook.read"),
    Format("tnef", "Mail", (".tnef",), (), (("winmail.dat", "Outlook attachment"),), starts=(b"\x78\x9f\x3e\x22",)),
    Format("pst", "Outlook mailbox", (".pst", ".ost"), reader="pst.read", starts=(b"!BDN",)),
    Format("chat", "Chat", (".json", ".jsonl"), (), (("chat.txt", "chat export"),)),
    Format(
        "calendar", "Calendar", (".ics",), (), (("event.ics", "calendar entry"),), types=(("text/calendar", ".ics"),)
    ),
    Format(
        "contacts", "Address cards", (".vcf",), (), (("card.vcf", "address card"),), types=(("text/vcard", ".vcf"),)
    ),
    Format("subtitles", "Subtitles", (".srt", ".vtt"), (), (("film.srt", "subtitles"),)),
    Format(
        "gpx", "GPS track", (".gpx",), ("flowing",), (("round.gpx", "GPS track"),), "gpx.read",
        types=(("application/gpx+xml", ".gpx"),),
    ),
    Format(
        "xml", "XML",
        (
            ".xml", ".fodt", ".fods", ".fodp", ".xsl", ".xslt", ".xsd", ".svg", ".rss", ".atom", ".kml", ".fb2", ".tei",
            ".dita", ".opml",
        ),
        (), (("note.xml", "XML"),),
    ),
    Format(
        "zip", "Archive", (".zip",), (), (("files.zip", "ZIP archive"),),
        "zip_archive.read", ("password",), types=(("application/zip", ".zip"),),
    ),
    Format(
        "7z", "Archive", (".7z",), (), (("files.7z", "7-Zip archive"),),
        "seven_zip.read", ("password",), (b"7z\xbc\xaf\x27\x1c",),
    ),
    Format(
        "packed", "Archive", (".tar", ".tgz", ".gz", ".bz2", ".xz"), (), (("files.tar", "tar archive"),),
        "packed_files.read",
    ),
    Format(
        "image", "Picture", (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp"), (),
        (("scan.png", "PNG picture"), ("scan.jpg", "JPEG picture"), ("scan.tif", "TIFF picture")),
        types=(("image/png", ".png"), ("image/jpeg", ".jpg"), ("image/gif", ".gif"), ("image/tiff", ".tif")),
    ),
)  # fmt: skip
BY_KIND = {row.kind: row for row in FORMATS}
ENDINGS = tuple(ending for row in FORMATS for ending in row.endings)
TYPES = {media_type: ending for row in FORMATS for media_type, ending in row.types}  # with its usual ending


def kinds(trait: Trait) -> frozenset[str]:
    """Return the kinds that have ``trait``."""
    return frozenset(row.kind for row in FORMATS if trait in row.traits)


def is_named(name: str, kind: str) -> bool:
    """Return whether a file's name ends as those of ``kind`` do."""
    return name.lower().endswith(BY_KIND[kind].endings)


def by_name(name: str, trait: Trait) -> str:
    """Return the kind with ``trait`` whose ending ``name`` has; empty where no kind has it."""
    return next((row.kind for row in FORMATS if trait in row.traits and is_named(name, row.kind)), "")


def by_start(data: bytes) -> str:
    """Return the kind that begins as ``data`` does; empty where no kind does."""
    return next((row.kind for row in FORMATS if row.starts and data.startswith(row.starts)), "")


def by_type(media_type: str) -> str:
    """Return the kind of package whose media type ``media_type`` is or extends, as templates do; empty for none."""
    packages = (row for row in FORMATS if "package" in row.traits)
    return next((row.kind for row in packages for stem, _ in row.types if media_type.startswith(stem)), "")


EXPORT_LISTS = frozenset(("users.json", "index.json"))  # a file of one of these names stands atop the export of chats


def export_parts(names: Collection[str]) -> list[str]:
    """Return the files of a folder that a chat program wrote as one export; nothing for another folder.

    Slack writes lists of people and of conversations, and a file a day into a folder for each conversation; Discord,
    for one person, a list of channels and a folder for each, with its name and the messages.
    """
    days = [name for name in names if is_slack_day(name)]
    if "users.json" in names and days:
        return [*days, *(name for name in names if name in ("users.json", *SLACK_LISTS))]
    files = [name for name in names if is_discord_file(name)]
    return [*files, "index.json"] if "index.json" in names and files else []


SLACK_LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")


def is_slack_day(name: str) -> bool:
    """Return whether a file is named as Slack names the messages of a day: folder/2024-03-12.json."""
    folder, _, file = name.rpartition("/")
    day = file.removesuffix(".json")
    return (
        bool(folder) and day != file and len(day) == 10 and day[4] == day[7] == "-" and day.replace("-", "").isdigit()
    )


def is_discord_file(name: str) -> bool:
    """Return whether a file is named as Discord names what it hands a person of a channel: c123/messages.json."""
    folder, _, file = name.rpartition("/")
    number = folder.rpartition("/")[2].removeprefix("c")
    return number.isdecimal() and file in ("channel.json", "messages.json", "messages.csv")
