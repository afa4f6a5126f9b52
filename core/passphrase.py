"""A passphrase: what a person types to open an encrypted case, and how easily it would be guessed."""

from __future__ import annotations

import math
import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.text import LONG_WORD

LONGEST = 1024  # bytes in UTF-8
FAIR, STRONG = 40.0, 60.0  # bits of a passphrase that nobody guesses soon, and that nobody guesses

_WORD_BITS = 11.0  # of a word from everyday language, one of about two thousand
_USUAL = ("password", "passwort", "passphrase", "qwerty", "qwertz", "letmein", "welcome", "admin", "secret", "iloveyou")


class Passphrase:
    """A passphrase, which neither ``repr`` nor a copy of the object shows.

    Kept as bytes that can be overwritten. The texts that it was made from stay in memory until Python reuses it.
    """

    __slots__ = ("_secret",)

    def __init__(self, text: str) -> None:
        """Take a text as it was typed; the same signs typed on another system give the same bytes. Raises BadInput."""
        if not text.strip():
            raise BadInput(reason="The passphrase is empty; nothing was changed.", remedy="Give one of several words.")
        if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in text):
            raise BadInput(
                reason="The passphrase contains a character that cannot be typed; nothing was changed.",
                remedy="Use letters, digits, signs and spaces on one line.",
            )
        self._secret = bytearray(unicodedata.normalize("NFC", text), "utf-8")
        if len(self._secret) > LONGEST:
            raise BadInput(
                reason=f"The passphrase is longer than {LONGEST:,} bytes; nothing was changed.",
                remedy="Use a shorter one.",
            )

    @property
    def secret(self) -> bytearray:
        """The bytes of it."""
        return self._secret

    def forget(self) -> None:
        """Overwrite the bytes."""
        self._secret[:] = bytes(len(self._secret))

    def __repr__(self) -> str:
        return "Passphrase(not shown)"

    def __reduce__(self) -> str:
        raise TypeError("a passphrase is not written anywhere")


def read_file(path: Path) -> tuple[Passphrase, str]:
    """Read a passphrase, the one line of a file; and a warning where others on this computer may read it, or ''.

    Raises BadInput.
    """
    remedy = "Put the passphrase, and nothing else, into a file as one line of UTF-8."
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST + 6)  # with a mark of UTF-8 and the end of the line
            mode = os.fstat(file.fileno()).st_mode
        text = data.decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise BadInput(reason=f"The file of the passphrase cannot be read ({reason}).", remedy=remedy) from None
    is_shared = os.name == "posix" and stat.S_ISREG(mode) and bool(mode & 0o077)
    warning = f"Others on this computer may read {path}: chmod 600 keeps them from it." if is_shared else ""
    return Passphrase(text), warning


# --- strength --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Strength:
    """The effort of guessing a passphrase: ``level`` 'weak', 'fair' or 'strong', and what to do about it."""

    level: str
    hint: str


def strength(text: str) -> Strength:
    """Judge a passphrase by how many guesses it may take, carefully: a word of everyday language counts little."""
    bits = _bits(text)
    if bits < FAIR:
        return Strength("weak", "Weak: it could be guessed. Four or more unrelated words are better.")
    if bits < STRONG:
        return Strength("fair", "Fair: another word or two would make it strong.")
    return Strength("strong", "Strong.")


def _bits(text: str) -> float:
    """Estimate the bits of a passphrase: words by their number, other signs by the kinds that occur among them."""
    lower = text.casefold()
    for usual in _USUAL:
        lower = lower.replace(usual, "")
    words = set(LONG_WORD.findall(lower))
    remainder = LONG_WORD.sub(" ", lower)
    pairs = zip(" " + remainder, remainder, strict=False)
    signs = "".join(sign for previous, sign in pairs if not sign.isspace() and not _follows(previous, sign))
    kinds = sum(bool(re.search(kind, text)) for kind in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w\s]", r"[^\x00-\x7f]"))
    of_words = sum(min(3.0 * len(set(word)), _WORD_BITS) for word in words)
    return of_words + len(signs) * math.log2(10 + 15 * max(0, kinds - 1))


def _follows(previous: str, sign: str) -> bool:
    """Return whether a sign is what anybody would guess after the one before it: the same, or the next one."""
    return abs(ord(sign) - ord(previous)) <= 1
