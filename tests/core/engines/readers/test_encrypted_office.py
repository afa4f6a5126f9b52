"""Files that open with a password only: asked for, tried, and what it opens is read like any other file."""

from __future__ import annotations

import base64
import hashlib
import io
import random
import struct
import zipfile
import zlib
from contextlib import suppress

import msoffcrypto
import pytest
from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
from cryptography.hazmat.decrepit.ciphers.modes import CFB
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from msoffcrypto.format.ooxml import OOXMLFile

from core.engines.readers.dispatch import FileReader
from core.errors import PasswordNeeded, UnreadableDocument
from core.workers.engines import ReaderClient
from tests.core.engines.format_material import locked_file, opendocument, word_file, workbook_file

READER = FileReader()


def word(text: str) -> bytes:
    return word_file("The dam", text)


@pytest.mark.parametrize(
    ("data", "name"), [(word("It broke."), "a.docx"), (workbook_file("pump", 31), "a.xlsx"), (word("It"), "a.bin")]
)
def test_an_office_file_is_read_with_its_password(data, name):
    protected = locked_file(data, "pässword 1")
    with pytest.raises(PasswordNeeded) as caught:
        list(READER.read(protected, name))
    assert caught.value.sentence == f"{name} is protected by a password."
    with pytest.raises(PasswordNeeded, match="the one given is wrong"):
        list(READER.read(protected, name, password="wrong"))
    items = list(READER.read(protected, name, password="pässword 1"))
    assert items == list(READER.read(data, name))


def test_the_child_reads_it_too():
    reader = ReaderClient()
    try:
        protected = locked_file(word("It broke."), "secret")
        with pytest.raises(PasswordNeeded):
            list(reader.read(protected, "a.docx"))
        items = list(reader.read(protected, "a.docx", password="secret"))
    finally:
        reader.close()
    assert items[1].text == "The dam\n\nIt broke."
    assert [section.title for section in items[1].sections] == ["The dam"]


def test_what_is_damaged_or_holds_no_document_says_so():
    protected = locked_file(word("It broke."), "secret")
    for broken in (
        protected[: len(protected) // 2],
        protected[:600],
        protected.replace(b"<encryption", b"<encreption"),
    ):
        with pytest.raises(UnreadableDocument) as caught:
            list(READER.read(broken, "a.docx", password="secret"))
        assert caught.value.hint.endswith(".")
    nothing = io.BytesIO()
    file = OOXMLFile(io.BytesIO(word("x")))
    file.file = io.BytesIO(b"just some bytes that are no document " * 200)
    file.encrypt("secret", nothing)
    with pytest.raises(UnreadableDocument, match="no document in it"):
        list(READER.read(nothing.getvalue(), "a.docx", password="secret"))
    twice = locked_file(word("x"), "secret")
    file = OOXMLFile(io.BytesIO(word("x")))
    file.file = io.BytesIO(twice)
    out = io.BytesIO()
    file.encrypt("secret", out)
    with pytest.raises(UnreadableDocument, match="no document in it"):
        list(READER.read(out.getvalue(), "a.docx", password="secret"))


def test_the_library_still_opens_what_it_makes():
    file = msoffcrypto.OfficeFile(io.BytesIO(locked_file(word("x"), "secret")))
    assert file.is_encrypted()


# --- OpenDocument ----------------------------------------------------------------------------------------------------

_NAMES = (
    'xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" '
    'xmlns:l="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
)
SALT, VECTOR = bytes(range(16)), bytes(range(40, 56))


def _deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def encrypted_parts(data: bytes, password: str, way: str, *, rounds: int = 1_000) -> bytes:
    """An OpenDocument file, each part encrypted as LibreOffice up to 24.1 (aes) or OpenOffice 3 (blowfish) does."""
    start = hashlib.new("sha256" if way == "aes" else "sha1", password.encode()).digest()
    key = hashlib.pbkdf2_hmac("sha1", start, SALT, rounds, 32 if way == "aes" else 16)
    xml = "http://www.w3.org/"
    named = f"{xml}2001/04/xmlenc#aes256-cbc" if way == "aes" else "Blowfish CFB"
    begun = (
        f'<m:start-key-generation m:start-key-generation-name="{xml}2000/09/xmldsig#sha256"/>' if way == "aes" else ""
    )
    vector = VECTOR if way == "aes" else VECTOR[:8]
    entries = ""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as package, zipfile.ZipFile(out, "w") as target:
        for name in package.namelist():
            part = package.read(name)
            if name == "mimetype":
                target.writestr(name, part)
            if name in ("mimetype", "META-INF/manifest.xml"):
                continue
            packed = _deflated(part)
            if way == "aes":
                padded = 16 - len(packed) % 16
                cipher = Cipher(AES(key), CBC(vector)).encryptor()
                packed += bytes(padded - 1) + bytes([padded])
            else:
                cipher = Cipher(Blowfish(key), CFB(vector)).encryptor()
            target.writestr(name, cipher.update(packed) + cipher.finalize())
            entries += (
                f'<m:file-entry m:full-path="{name}" m:size="{len(part)}"><m:encryption-data>'
                f'<m:algorithm m:algorithm-name="{named}" m:initialisation-vector="{_b64(vector)}"/>{begun}'
                f'<m:key-derivation m:key-derivation-name="PBKDF2" m:iteration-count="{rounds}" m:salt="{_b64(SALT)}"/>'
                "</m:encryption-data></m:file-entry>"
            )
        kind = '<!DOCTYPE manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd">'
        target.writestr("META-INF/manifest.xml", f"{kind}<m:manifest {_NAMES}>{entries}</m:manifest>")
    return out.getvalue()


def encrypted_whole(data: bytes, password: str, *, memory: int = 64, derivation: str = "") -> bytes:
    """An OpenDocument file in one encrypted part, as LibreOffice from 24.2 on makes it."""
    argon = Argon2id(salt=SALT, length=32, iterations=2, lanes=2, memory_cost=64)
    key = argon.derive(hashlib.sha256(password.encode()).digest())
    body = VECTOR[:12] + AESGCM(key).encrypt(VECTOR[:12], _deflated(data), None)
    derivation = derivation or (
        "<m:key-derivation "
        'm:key-derivation-name="urn:org:documentfoundation:names:experimental:office:manifest:argon2id" '
        f'l:argon2-iterations="2" l:argon2-memory="{memory}" l:argon2-lanes="2" m:salt="{_b64(SALT)}"/>'
    )
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        kind = package.read("mimetype")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("mimetype", kind)
        target.writestr("encrypted-package", body)
        target.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest {_NAMES}><m:file-entry m:full-path="encrypted-package" m:size="{len(data)}">'
            "<m:encryption-data>"
            '<m:algorithm m:algorithm-name="http://www.w3.org/2009/xmlenc11#aes256-gcm" '
            f'm:initialisation-vector="{_b64(VECTOR[:12])}"/>'
            '<m:start-key-generation m:start-key-generation-name="http://www.w3.org/2001/04/xmlenc#sha256"/>'
            f"{derivation}</m:encryption-data></m:file-entry></m:manifest>",
        )
    return out.getvalue()


TEXT = opendocument("text", "<text:p>The second pump stopped.</text:p>", meta="<dc:title>Pumps</dc:title>")
TABLE = opendocument(
    "spreadsheet",
    '<table:table table:name="Log"><table:table-row><table:table-cell office:value-type="string">'
    "<text:p>pump</text:p></table:table-cell></table:table-row></table:table>",
)


@pytest.mark.parametrize(("data", "name"), [(TEXT, "a.odt"), (TABLE, "a.ods")])
@pytest.mark.parametrize(
    "encrypt",
    [
        lambda data: encrypted_parts(data, "pässword 1", "aes"),
        lambda data: encrypted_parts(data, "pässword 1", "blowfish"),
        lambda data: encrypted_whole(data, "pässword 1"),
    ],
    ids=["AES", "Blowfish", "AES-GCM with Argon2"],
)
def test_an_opendocument_file_is_read_with_its_password(data, name, encrypt):
    protected = encrypt(data)
    with pytest.raises(PasswordNeeded) as caught:
        list(READER.read(protected, name))
    assert caught.value.sentence == f"{name} is protected by a password."
    with pytest.raises(PasswordNeeded, match="the one given is wrong"):
        list(READER.read(protected, name, password="wrong"))
    assert list(READER.read(protected, name, password="pässword 1")) == list(READER.read(data, name))


def test_opendocument_protected_in_unknown_or_harmful_ways_is_refused():
    for data in (
        encrypted_whole(TEXT, "secret", memory=100_000_000),
        encrypted_whole(TEXT, "secret", derivation='<m:key-derivation m:key-derivation-name="PGP"/>'),
        encrypted_whole(TEXT, "secret", derivation="<m:other/>"),
        encrypted_parts(TEXT, "secret", "aes").replace(b'iteration-count="1000"', b'iteration-count="9999999999"'),
    ):
        with pytest.raises(UnreadableDocument) as caught:
            list(READER.read(data, "a.odt", password="secret"))
        assert "in a way that the program cannot handle" in caught.value.sentence or "damaged" in caught.value.sentence
        assert not isinstance(caught.value, PasswordNeeded)
    with pytest.raises(UnreadableDocument, match="no document in it"):
        list(READER.read(encrypted_whole(encrypted_whole(TEXT, "secret"), "secret"), "a.odt", password="secret"))


def test_damaged_manifests_and_parts_never_do_worse_than_refuse():
    chance = random.Random(5)
    for data in (encrypted_parts(TEXT, "secret", "aes"), encrypted_whole(TEXT, "secret")):
        for _ in range(60):
            bad = bytearray(data)
            for _ in range(chance.randint(1, 6)):
                bad[chance.randrange(len(bad))] = chance.randrange(256)
            with suppress(UnreadableDocument):
                assert "pump" in str(list(READER.read(bytes(bad), "a.odt", password="secret")))


# --- archives --------------------------------------------------------------------------------------------------------


def _table() -> list[int]:
    table = []
    for number in range(256):
        for _ in range(8):
            number = (number >> 1) ^ 0xEDB88320 if number & 1 else number >> 1
        table.append(number)
    return table


_CRC = _table()


def _encrypted(data: bytes, password: bytes, check: int) -> bytes:
    """The old encryption of ZIP archives, by the description in APPNOTE.TXT 6.1."""
    keys = [0x12345678, 0x23456789, 0x34567890]

    def update(byte: int) -> None:
        keys[0] = (keys[0] >> 8) ^ _CRC[(keys[0] ^ byte) & 0xFF]
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = (keys[2] >> 8) ^ _CRC[(keys[2] ^ keys[1] >> 24) & 0xFF]

    for byte in password:
        update(byte)
    out = bytearray()
    for byte in bytes(11) + bytes([check]) + data:
        mixed = keys[2] | 2
        out.append(byte ^ ((mixed * (mixed ^ 1)) >> 8 & 0xFF))
        update(byte)
    return bytes(out)


def archive(files: dict[str, bytes], password: bytes, protected: set[str], method: int = 0) -> bytes:
    """An archive made by hand, because the library writes no protected ones; ``method`` 99 says AES."""
    out, directory = bytearray(), bytearray()
    for name, data in files.items():
        crc, flags = zlib.crc32(data), int(name in protected)
        body = _encrypted(data, password, crc >> 24) if name in protected else data
        way = method if name in protected else 0
        fields = struct.pack("<HHHHHIIIHH", 20, flags, way, 0, 0x21, crc, len(body), len(data), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(out))
        directory += name.encode()
        out += b"PK\3\4" + fields + name.encode() + body
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), len(out), 0)
    return bytes(out + directory + b"PK\5\6" + end)


FILES = {"a.txt": b"The pump stopped.", "b.txt": b"Nobody had touched it." * 50}


def test_the_archive_made_by_hand_is_one():
    with zipfile.ZipFile(io.BytesIO(archive(FILES, b"secret", set(FILES)))) as package:
        assert {name: package.read(name, pwd=b"secret") for name in package.namelist()} == FILES


def test_a_protected_archive_asks_for_its_password_and_opens_with_it():
    data = archive(FILES, "gehäim".encode(), set(FILES))
    with pytest.raises(PasswordNeeded) as caught:
        list(READER.read(data, "a.zip"))
    assert caught.value.sentence == "a.zip is protected by a password."
    with pytest.raises(PasswordNeeded, match="one given is wrong"):
        list(READER.read(data, "a.zip", password="wrong"))
    _, _, *inside = READER.read(data, "a.zip", password="gehäim")
    assert {attachment.name: attachment.data for attachment in inside} == FILES


def test_an_archive_with_one_protected_file_gives_the_others_and_all_with_the_password():
    data = archive(FILES, b"secret", {"a.txt"})
    _, _, first, second = READER.read(data, "a.zip")
    assert (first.data, "password" in first.reason, second.data) == (b"", True, FILES["b.txt"])
    _, _, *inside = READER.read(data, "a.zip", password="secret")
    assert {attachment.name: attachment.data for attachment in inside} == FILES


def test_an_archive_that_only_claims_the_strong_way_asks_for_its_password():
    data = archive(FILES, b"secret", {"a.txt", "b.txt"}, method=99)
    with pytest.raises(PasswordNeeded):
        list(READER.read(data, "a.zip"))
    with pytest.raises(PasswordNeeded, match="one given is wrong"):
        list(READER.read(data, "a.zip", password="secret"))
