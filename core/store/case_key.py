"""The key of an encrypted case: derived from its passphrase and the first bytes of its file, given to a connection.

Where SQLite has its magic, an encrypted file has 16 bytes of ours: three that tell what it is, how costly the
derivation of the key is, a salt, and a check of the key, by which a wrong passphrase is told from a damaged file. All
else of the file is encrypted by the database library, page by page: ChaCha20, with a Poly1305 tag of each page
(RFC 8439), by which a changed page is noticed. The key is derived with scrypt (RFC 7914), which costs an attacker
memory as well as time.
"""

from __future__ import annotations

import hashlib
import os
import secrets

import apsw

from core.errors import CaseUnreadable, PassphraseWrong
from core.files import ENCRYPTED
from core.passphrase import Passphrase

COST = 17  # of new cases: scrypt with N = 2**17 takes 128 MB and about half a second
_BLOCK = 8  # of scrypt: its r
HEAD = 16  # bytes of ours at the beginning of the file
_NONCE, _TAG = 16, 16  # bytes at the end of each page
_OPEN_HEADER = 24  # bytes of the first page that are not encrypted
_SALTED, _KEY, _CHECK = 12, 32, 4  # bytes: of the head that are the salt, of the key, of its check


class CaseKey:
    """The key of one case and of its copies, which neither ``repr`` nor a copy of the object shows."""

    __slots__ = ("_head", "_key")

    def __init__(self, passphrase: Passphrase, salt: bytes) -> None:
        """Derive the key. ``salt``: what is at the beginning of the file, up to the check."""
        n = 1 << salt[len(ENCRYPTED)]
        room = 128 * _BLOCK * (n + 64)
        material = bytearray(
            hashlib.scrypt(passphrase.secret, salt=salt, n=n, r=_BLOCK, p=1, maxmem=room, dklen=_KEY + _CHECK)
        )
        self._key = material[:_KEY]
        self._head = salt + bytes(material[_KEY:])
        material[:] = bytes(len(material))

    def fits(self, head: bytes) -> bool:
        """Return whether this is the key of a file that begins so."""
        return secrets.compare_digest(self._head, head[:HEAD])

    def check(self, passphrase: Passphrase, path: object) -> None:
        """Derive the key again of the case at ``path``, which is open. Raises PassphraseWrong, CaseUnreadable."""
        key_of(self._head, passphrase, path)

    def unlock(self, db: apsw.Connection) -> None:
        """Set the key of a connection, before it reads or writes anything."""
        db.execute("PRAGMA cipher = 'chacha20'").fetchall()
        # Not kept among the statements that the connection remembers.
        db.execute(f"PRAGMA key = '{self._raw()}'", can_cache=False).fetchall()

    def decrypt_page(self, number: int, page: bytes) -> bytes | None:
        """Return the plain bytes of a page of the file; None if its tag says that it was altered.

        As the database library does it (ChaCha20 and Poly1305, RFC 8439, a key and nonce for each page): for what is
        read without it, of a damaged file. On the first page, what the header says of the file's form is not encrypted.
        """
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms  # late: seldom needed
        from cryptography.hazmat.primitives.poly1305 import Poly1305

        end = len(page) - _NONCE - _TAG
        if end <= _OPEN_HEADER:
            return None
        nonce, tag = page[end : end + _NONCE], page[end + _NONCE :]
        count = int.from_bytes(nonce[12:], "little") ^ number

        def stream(key: bytes, counter: int, data: bytes) -> bytes:
            start = (counter & 0xFFFFFFFF).to_bytes(4, "little") + nonce[:12]
            return Cipher(algorithms.ChaCha20(key, start), mode=None).encryptor().update(data)

        keys = stream(bytes(self._key), count, bytes(2 * _KEY))
        if not secrets.compare_digest(Poly1305.generate_tag(keys[:_KEY], page[: end + _NONCE]), tag):
            return None
        start = _OPEN_HEADER if number == 1 else 0
        head = b"SQLite format 3\0" + page[HEAD:_OPEN_HEADER] if number == 1 else b""
        return head + stream(keys[_KEY:], count + 1, page[start:end])

    def query(self) -> str:
        """Return the key as the part of a database's URI. Never to be shown: an error of the database quotes it."""
        return f"cipher=chacha20&hexkey={self._raw().encode().hex()}"

    def _raw(self) -> str:
        return f"raw:{self._key.hex()}{self._head.hex()}"

    def __del__(self) -> None:
        if hasattr(self, "_key"):
            self._key[:] = bytes(len(self._key))

    def __repr__(self) -> str:
        return "CaseKey(not shown)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")


def make_key(passphrase: Passphrase) -> CaseKey:
    """Make the key of a new case."""
    return CaseKey(passphrase, ENCRYPTED + bytes([COST]) + os.urandom(_SALTED - len(ENCRYPTED) - 1))


def key_of(head: bytes, passphrase: Passphrase, path: object) -> CaseKey:
    """Derive the key of the encrypted case that begins with ``head``. Raises PassphraseWrong, CaseUnreadable."""
    try:
        key = CaseKey(passphrase, head[:_SALTED])
    except (MemoryError, ValueError):
        raise CaseUnreadable(path=path, reason="there is not enough memory") from None
    if not key.fits(head):
        raise PassphraseWrong(path=path)
    return key
