"""The parts of an office file that its reader did not take text from: each a document of its own, or named.

Pictures that OCR can read and embedded files become documents; what could hold information is named; what only tells
an office program how to draw the rest is plumbing, listed here.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any

from core.domain import LeftOut
from core.engines.readers import attachments, ole_object, pictures
from core.engines.readers.ooxml_package import ARCHIVE_ERRORS, local, raw_part, xml_part
from core.errors import UnreadableDocument
from core.ports import Attachment

_PLUMBING, _PICTURE, _EMBEDDED, _DATA = "plumbing", "picture", "embedded file", "data part"
_PROPERTIES, _RELATIONS = "properties", "relations"
# What a file says about itself beyond title, author and dates, which the outline has.
_SPOKEN = {
    "subject": "subject", "description": "remarks", "keywords": "keywords", "keyword": "keywords",
    "category": "category", "contentStatus": "status", "Manager": "manager", "Company": "company",
    "user-defined": "property of its own",
}  # fmt: skip
_PEOPLE = ("creator", "initial-creator", "lastModifiedBy")  # the author is shown, who saved the file last is not
_HOSTS = 3  # named of those that links lead to
_LINKED = {"image": "picture", "oleObject": "object", "video": "video", "audio": "audio recording", "frame": "frame",
           "subDocument": "part of the text", "aFChunk": "part of the text", "media": "film or recording"}  # fmt: skip
_HEAD = 1_000_000  # bytes of a picture that tell its size
_KINDS = 200  # of parts named in one file

# What a part is, by its name in lower case; the first that fits counts. Office Open XML, then OpenDocument.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r".*\.rels", _RELATIONS),
        (r"\[content_types\]\.xml|mimetype|.*/", _PLUMBING),
        (r"docprops/(app|core)\.xml|meta\.xml", _PROPERTIES),
        (r"(docprops|thumbnails)/thumbnail\.(jpe?g|png|gif|bmp|emf|wmf)", _PLUMBING),
        (r"docprops/custom\.xml|customxml/item\d*\.xml", _DATA),
        (r"customxml/itemprops\d*\.xml|docmetadata/labelinfo\.xml", _PLUMBING),
        (r"_xmlsignatures/.*|meta-inf/.*signatures\.xml", "digital signature"),
        (r"word/glossary/(styles|styleswitheffects|settings|websettings|fonttable|numbering)\.xml", _PLUMBING),
        (r"word/glossary/.*", "set of building blocks"),
        (r".*/vbaproject(signature.*)?\.bin|.*/vbadata\.xml", "macro project"),
        (r".*/media/.*|pictures/.*", _PICTURE),
        (r".*/embeddings/.*|xl/externaldata/.*", _EMBEDDED),
        (r".*/activex/.*\.xml|.*/ctrlprops/.*", "form control"),
        (r".*/activex/activex\d*\.bin", _PLUMBING),
        (r".*/ink/.*", "ink drawing"),
        (r".*/(charts|chartex)/(colors|style)\d*\.xml", _PLUMBING),
        (r".*/diagrams/(layout|quickstyle|colors|drawing)\d*\.xml", _PLUMBING),
        (r".*/charts/.*|.*/chartex/.*", "chart"),
        (r".*/diagrams/.*", "diagram"),
        (r".*/theme/theme(override)?\d*\.xml|.*\.(odttf|fntdata|ttf|otf)", _PLUMBING),
        (r".*/printersettings/printersettings\d*\.bin", _PLUMBING),
        (r".*/webextensions/.*", "add-in"),
        (
            r"word/(styles|styleswitheffects|numbering|settings|websettings|fonttable|people|comments(ids|extended"
            r"|extensible)|stylesheet|keymap|customizations|attachedtoolbars|tasks)\.(xml|bin)",
            _PLUMBING,
        ),
        (r"xl/(styles|calcchain|metadata|volatiledependencies|workbook|sharedstrings)\.(xml|bin)", _PLUMBING),
        (r"xl/(persons/person|tables/table|slicers/slicer|timelines/timeline|(slicer|timeline)caches/\w+)\d*\.xml",
         _PLUMBING),
        (r"xl/richdata/(richvaluerel|rdrichvalue(structure|types)|richstyles)\d*\.xml", _PLUMBING),
        (r"xl/richdata/.*", "set of linked values"),
        (r"xl/(queries|querytables)/.*|xl/connections\.(xml|bin)|xl/(xmlmaps|usernames)\.(xml|bin)", "data connection"),
        (r"xl/externallinks/.*", "link to other workbooks"),
        (r"xl/pivotcache/.*", "stored source of a pivot table"),
        (r"xl/pivottables/.*", "pivot table definition"),
        (r"xl/(revisions|usernames)/?.*", "record of shared changes"),
        (r"xl/(chartsheets)/.*", "chart sheet"),
        (r"xl/(dialogsheets|macrosheets)/.*", "macro sheet"),
        (r"xl/model/.*", "data model"),
        (r"(xl/drawings|word|ppt/drawings|visio)/vmldrawing\d*\.vml", _PLUMBING),
        (r"xl/drawings/.*", "drawing"),
        (r"xl/(threadedcomments/.*|comments.*)", "comment part"),
        (r"ppt/(presentation|presprops|viewprops|tablestyles|commentauthors|authors|revisioninfo)\.xml", _PLUMBING),
        (r"ppt/(slidelayout|slidemaster|notesmaster|handoutmaster|changesinfo)s/[a-z]+\d*\.xml", _PLUMBING),
        (r"ppt/tags/.*", "set of tags"),
        (r"styles\.xml|settings\.xml|manifest\.rdf|layout-cache|meta-inf/manifest\.xml", _PLUMBING),
        (r"(object [^/]*/)*configurations2/accelerator/current\.xml|objectreplacements/object [^/.]*", _PLUMBING),
        (r"(object [^/]*/)+(styles|settings|meta)\.xml", _PLUMBING),
        (r"basic/.*|scripts/.*|dialogs/.*", "macro"),
        (r"forms/.*", "database form"),
        (r"media/.*", _PICTURE),
        (r"object [^/]*", _EMBEDDED),
        (r"versions/.*|versionlist\.xml", "older version"),
    )
)  # fmt: skip
_MEDIA = {
    "wav": "audio recording", "mp3": "audio recording", "m4a": "audio recording", "wma": "audio recording",
    "aac": "audio recording", "ogg": "audio recording", "mp4": "video", "m4v": "video", "mov": "video", "avi": "video",
    "wmv": "video", "mpg": "video", "mpeg": "video", "webm": "video", "mkv": "video", "glb": "3D model",
    "emf": "vector picture (EMF)", "wmf": "vector picture (WMF)", "svg": "vector picture (SVG)",
    "wdp": "picture in a format that OCR does not open", "jxr": "picture in a format that OCR does not open",
    "svm": "vector picture (SVM)",
}  # fmt: skip


class Ledger:
    """A count of what was left out, by kind and place."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, what: str, where: str, count: int = 1) -> None:
        """Count a part that is left out; beyond so many kinds all are counted as one."""
        if not count:
            return
        if (what, where) not in self._counts and len(self._counts) >= _KINDS:
            what, where = "part of another kind", "other places"
        self._counts[what[:200], where[:200]] += count

    def lines(self) -> Iterator[LeftOut]:
        """Yield a line for each kind and place."""
        for (what, where), count in self._counts.items():
            yield LeftOut(what, count, where)


def rest(
    package: zipfile.ZipFile,
    name: str,
    read: Collection[str],
    ledger: Ledger,
    children: attachments.Children | None = None,
) -> Iterator[Attachment | LeftOut]:
    """Yield the files of a package other than the parts in ``read``, whose text the reader took, and the ledger.

    ``read`` has names as the archive has them, ``ledger`` what was left out so far. Raises nothing for one odd part: it
    is named.
    """
    inside = children or attachments.Children()
    digests: set[bytes] = set()
    links: Counter[str] = Counter()  # by the host that they lead to
    text_parts = {part.lower().lstrip("/") for part in read} - {"meta.xml", "docprops/core.xml"}
    for info in package.infolist():
        part = info.filename.replace("\\", "/").lstrip("/")
        if part.lower() in text_parts:
            continue
        kind = next((kind for rule, kind in _RULES if rule.fullmatch(part.lower())), "")
        folder, _, file = part.rpartition("/")
        if kind == _PICTURE:
            yield from _picture(package, info, name, inside, ledger, digests)
        elif kind == _EMBEDDED:
            yield from _embedded(package, info, name, inside, ledger, digests)
        elif kind == _DATA:
            if _has_words(package, info.filename, name):
                ledger.add("set of custom properties" if folder.lower() == "docprops" else "data part", folder)
        elif kind == _PROPERTIES:
            people: dict[str, str] = {}
            for item in _elements(package, info.filename, name):
                if local(item) in _SPOKEN and (item.text or "").strip():
                    ledger.add(f"property of the file ({_SPOKEN[local(item)]})", part)
                elif local(item) in _PEOPLE:
                    people[local(item)] = (item.text or "").strip()
            editor = people.get("lastModifiedBy") or (people.get("initial-creator") and people.get("creator"))
            if editor and editor != (people.get("initial-creator") or people.get("creator")):
                ledger.add("property of the file (last editor)", part)
        elif kind == _RELATIONS:
            for item in _elements(package, info.filename, name):
                relation = str(item.get("Type", "")).rsplit("/", 1)[-1]
                if item.get("TargetMode") != "External":
                    continue
                if relation == "hyperlink":
                    links[host(str(item.get("Target", "")))] += 1
                elif relation in _LINKED:
                    ledger.add(f"linked {_LINKED[relation]}", "outside the file")
        elif not kind:
            extension = file.rpartition(".")[2].lower() if "." in file else ""
            ledger.add(f"part of an unknown kind (.{extension})" if extension else "part of an unknown kind", folder)
        elif kind != _PLUMBING:
            ledger.add(kind, folder)
    ledger.add("link address", ", ".join(list(links)[:_HOSTS]), links.total())
    yield from ledger.lines()
    if children is None:
        yield from inside.rest()


def host(address: str) -> str:
    """Return where a link leads to, without the page."""
    match = re.match(r"(?:[a-z][a-z0-9+.-]*:)?//([^/?#\s]{1,100})", address, re.IGNORECASE)
    if match:
        return match.group(1).rpartition("@")[2]
    scheme = re.match(r"([a-z]{2,20}):", address, re.IGNORECASE)
    return f"{scheme.group(1)} address" if scheme else "other files"


def _picture(
    package: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    name: str,
    inside: attachments.Children,
    ledger: Ledger,
    digests: set[bytes],
) -> Iterator[Attachment]:
    part = info.filename
    folder, _, file = part.rpartition("/")
    head = _head(package, part)
    extension = file.rpartition(".")[2].lower()
    if not pictures.ending(head):
        what = _MEDIA.get(extension, "picture in a format that OCR does not open")
        ledger.add("damaged picture" if extension in ("png", "jpg", "jpeg", "gif", "bmp") else what, folder)
    elif not pictures.worth_reading(head):
        ledger.add("small picture", folder)
    else:
        yield from _once(package, info, name, inside, digests)


def _embedded(
    package: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    name: str,
    inside: attachments.Children,
    ledger: Ledger,
    digests: set[bytes],
) -> Iterator[Attachment]:
    folder = info.filename.rpartition("/")[0]
    if not _head(package, info.filename).startswith(ole_object.MAGIC):
        yield from _once(package, info, name, inside, digests)
        return
    try:
        data = raw_part(package, info.filename, name) or b""
    except UnreadableDocument:
        ledger.add("damaged embedded object", folder)
        return
    yield from objects(data, info.filename.rpartition("/")[2], folder, inside, ledger)


def objects(data: bytes, file: str, where: str, inside: attachments.Children, ledger: Ledger) -> Iterator[Attachment]:
    """Yield the file that an OLE object holds; an object that holds none is counted in ``ledger``."""
    content = ole_object.content(data, file)
    if content.data:
        yield from inside.take(content.name, partial(_same, content.data), size=len(content.data))
    else:
        ledger.add(f"embedded object ({content.kind})" if content.kind else "embedded object", where)


def _same(data: bytes) -> bytes:
    return data


def _once(
    package: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, inside: attachments.Children, digests: set[bytes]
) -> Iterable[Attachment]:
    """Return a part as a document of its own, unless the same bytes were one already."""

    def data() -> bytes:
        return raw_part(package, info.filename, name) or b""

    try:
        digest = hashlib.sha256(data()).digest() if info.file_size < attachments.BYTES else b""
    except UnreadableDocument:
        digest = b""
    if digest and digest in digests:
        return ()
    digests.add(digest)
    return inside.take(info.filename.rpartition("/")[2], data, size=info.file_size)


def _head(package: zipfile.ZipFile, part: str) -> bytes:
    try:
        with package.open(part) as stream:
            return stream.read(_HEAD)
    except (*ARCHIVE_ERRORS, RuntimeError, KeyError):
        return b""


def _has_words(package: zipfile.ZipFile, part: str, name: str) -> bool:
    """Return whether a part of data has words in it: many an office program leaves an empty one behind."""
    root = _root(package, part, name)
    return root is None or any(text.strip() for text in root.itertext())


def _elements(package: zipfile.ZipFile, part: str, name: str) -> Iterator[Any]:
    root = _root(package, part, name)
    return root.iter("{*}*") if root is not None else iter(())


def _root(package: zipfile.ZipFile, part: str, name: str) -> Any:
    """Return the root of a part, or None if it cannot be read."""
    from lxml import etree

    try:
        return xml_part(package, part, name)
    except (UnreadableDocument, etree.LxmlError, ValueError):
        return None
