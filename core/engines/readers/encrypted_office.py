"""Office files that open with a password only. What the password opens is a file like any other.

OpenDocument: each part is packed, then encrypted with a key of its own; the manifest says how (OpenDocument 1.2 part 3,
chapter 4). LibreOffice from 24.2 on encrypts a whole package as one part.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
import zlib
from typing import Any

from core.engines.readers import ole_compound
from core.engines.readers.ooxml_package import ARCHIVE_ERRORS, child, damaged_file, local, raw_part, value, xml_of
from core.errors import PasswordNeeded, UnreadableDocument

_COPY = "Open it with its password in an office program, save a copy without one, and add the copy."


def decrypt(data: bytes, name: str, password: str) -> bytes:
    """Return the file inside an encrypted one.

    Raises PasswordNeeded without the right password, UnreadableDocument for what is damaged or protected in a way that
    is not known.
    """
    if not password:
        raise password_needed(name)
    ole_compound.check_chains(data, name)
    import msoffcrypto
    from msoffcrypto.exceptions import DecryptionError, InvalidKeyError

    out = io.BytesIO()
    fits = False
    try:
        file = msoffcrypto.OfficeFile(io.BytesIO(data))
        file.load_key(password=password, verify_password=True)
        fits = True
        file.decrypt(out)
    except (MemoryError, RecursionError):
        raise
    except InvalidKeyError as error:
        if not fits:
            raise password_needed(name, is_wrong=True) from error
        raise _empty(name) from error  # the library looks whether a package came out
    except DecryptionError as error:
        raise _unknown(name) from error
    except Exception as error:  # the library raises what comes for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: its protected content could not be found.", remedy=_COPY
        ) from error
    inside = out.getvalue()
    # One that holds another protected one would be opened without end.
    if not inside.startswith((b"PK", b"\xd0\xcf\x11\xe0")) or "EncryptedPackage".encode("utf-16-le") in inside:
        raise _empty(name)
    return inside


def _empty(name: str) -> UnreadableDocument:
    return UnreadableDocument(reason=f"{name} is damaged: there is no document in it.", remedy=_COPY)


def password_needed(name: str, *, is_wrong: bool = False) -> PasswordNeeded:
    """Make the error of a file whose password is missing, or wrong."""
    return PasswordNeeded(
        reason=f"{name} is protected by a password" + (", and the one given is wrong." if is_wrong else "."),
        remedy="Give its password, or save a copy without one in an office program and add the copy.",
    )


# --- OpenDocument ----------------------------------------------------------------------------------------------------

_MANIFEST = "META-INF/manifest.xml"
_WHOLE = "encrypted-package"
_READ_PARTS = ("content.xml", "styles.xml", "meta.xml")  # what is read of a document
_MAX_UNPACKED_BYTES = 150_000_000  # bytes of a part
_ROUNDS = 5_000_000  # of making a key; LibreOffice takes 100,000
_MEMORY = 512 * 1024  # kilobytes for making a key; LibreOffice takes 65,536
_START = {"": "sha1", "sha1": "sha1", "sha256": "sha256"}  # by the end of the name; the first is where none is stated


def is_encrypted(package: zipfile.ZipFile) -> bool:
    """Return whether parts of an OpenDocument package are encrypted: the archive itself does not say so."""
    try:
        return b"encryption-data" in package.read(_MANIFEST)[:1_000_000]
    except (KeyError, RuntimeError, *ARCHIVE_ERRORS):
        return False


def decrypt_package(package: zipfile.ZipFile, name: str, password: str) -> bytes:
    """Write an OpenDocument package with what is read of it as plain parts. Raises as ``decrypt`` does."""
    if not password:
        raise password_needed(name)
    try:
        manifest = raw_part(package, _MANIFEST, name) or b""
        # Old office programs name a document type there, which declares nothing.
        root = xml_of(re.sub(rb"<!DOCTYPE[^>\[]*>", b"", manifest, count=1), name)
        how = {value(entry, "full-path"): entry for entry in root.iter("{*}file-entry")}
        parts = set(package.namelist())
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mimetype", (raw_part(package, "mimetype", name) or b"")[:200])
            archive.writestr(_MANIFEST, "<manifest/>")
            for part in (_WHOLE,) if _WHOLE in parts else tuple(path for path in _READ_PARTS if path in parts):
                data = raw_part(package, part, name) or b""
                encryption = child(how[part], "encryption-data") if part in how else None
                if encryption is not None:
                    data = _decrypt_part(data, encryption, value(how[part], "size"), name, password)
                if part == _WHOLE:
                    return _inner(data, name)
                archive.writestr(part, data)
    except (PasswordNeeded, UnreadableDocument, MemoryError, RecursionError):
        raise
    except Exception as error:  # lengths and numbers that fit nothing, in a damaged manifest
        raise damaged_file(name, _COPY) from error
    return out.getvalue()


def _inner(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as inner:
        if is_encrypted(inner):  # one that holds another protected one would be opened without end
            raise _empty(name)
    return data


def _decrypt_part(data: bytes, how: Any, size: str, name: str, password: str) -> bytes:
    """Return a part as it was before it was packed and encrypted.

    The checksum of the manifest is not needed: data of a wrong password does not unpack to the size stated
    there.
    """
    parts = {local(item): item for item in how if isinstance(item.tag, str)}
    algorithm, derivation = parts.get("algorithm"), parts.get("key-derivation")
    if algorithm is None or derivation is None:  # a key for the keys of certain people, for instance
        raise _unknown(name)
    cipher = re.split(r"[#:/]", value(algorithm, "algorithm-name"))[-1].lower()
    start = parts.get("start-key-generation")
    start_name = value(start, "start-key-generation-name") if start is not None else ""
    hash_name = _START.get(re.split(r"[#:/]", start_name)[-1].lower())
    kind = re.fullmatch(r"aes(128|192|256)-(cbc|gcm)|blowfish(?: cfb)?", cipher)
    if hash_name is None or kind is None:
        raise _unknown(name)
    length = int(value(derivation, "key-size") or (int(kind[1]) // 8 if kind[1] else 16))
    if not (1 <= length <= 64) or (kind[1] and length != int(kind[1]) // 8):
        raise _unknown(name)
    key = _key(hashlib.new(hash_name, password.encode()).digest(), derivation, length, name)
    vector = base64.b64decode(value(algorithm, "initialisation-vector"))
    byte_count = int(size) if size.isdigit() and len(size) < 12 else -1
    plain = _plain(data, kind[2] or "", key, vector)
    content = _unpack(plain, byte_count, name) if plain is not None else None
    if content is None:
        raise password_needed(name, is_wrong=True)
    return content


def _key(start: bytes, derivation: Any, length: int, name: str) -> bytes:
    salt = base64.b64decode(value(derivation, "salt"))
    way = re.split(r"[#:/]", value(derivation, "key-derivation-name"))[-1].lower()
    if way == "pbkdf2":
        rounds = int(value(derivation, "iteration-count"))
        if not 1 <= rounds <= _ROUNDS:
            raise _unknown(name)
        return hashlib.pbkdf2_hmac("sha1", start, salt, rounds, length)
    if way == "argon2id":
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

        rounds, memory, lanes = (int(value(derivation, f"argon2-{part}")) for part in ("iterations", "memory", "lanes"))
        if not (rounds >= 1 and memory <= _MEMORY and rounds * memory <= 20 * _MEMORY and 1 <= lanes <= 64):
            raise _unknown(name)
        try:
            return Argon2id(salt=salt, length=length, iterations=rounds, lanes=lanes, memory_cost=memory).derive(start)
        except UnsupportedAlgorithm as error:
            raise _unknown(name) from error
    raise _unknown(name)


def _plain(data: bytes, mode: str, key: bytes, vector: bytes) -> bytes | None:
    """Decrypt the data, or return None if the key is seen to be wrong."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if mode == "gcm":
        try:
            return AESGCM(key).decrypt(vector, data.removeprefix(vector), None)  # it is before the data as well
        except InvalidTag:
            return None
    if mode == "cbc":
        length = len(data) - len(data) % 16
        decryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).decryptor()
        return decryptor.update(data[:length]) + decryptor.finalize()
    from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish
    from cryptography.hazmat.decrepit.ciphers.modes import CFB

    decryptor = Cipher(Blowfish(key), CFB(vector)).decryptor()
    return decryptor.update(data) + decryptor.finalize()


def _unpack(data: bytes, size: int, name: str) -> bytes | None:
    """Unpack the data, or return None if it does not have that size (-1: any size)."""
    if data.startswith(b"PK\x03\x04") and size in (-1, len(data)):
        return data
    unpacker = zlib.decompressobj(-15)
    try:
        out = unpacker.decompress(data, _MAX_UNPACKED_BYTES + 1)
    except zlib.error:
        return None
    if len(out) > _MAX_UNPACKED_BYTES:
        raise UnreadableDocument(
            reason=f"{name} was not opened, because a part of it unpacks to more than any text would.", remedy=_COPY
        )
    return out if unpacker.eof and size in (-1, len(out)) else None


def _unknown(name: str) -> UnreadableDocument:
    return UnreadableDocument(reason=f"{name} is protected in a way that the program cannot handle.", remedy=_COPY)
