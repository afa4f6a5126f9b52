"""Office files that open with a password only. What the password opens is a file like any other."""

from __future__ import annotations

import io

from core.engines import compound
from core.errors import PasswordNeeded, UnreadableDocument

_COPY = "Open it with its password in an office program, save a copy without one, and add the copy."


def opened(data: bytes, name: str, password: str) -> bytes:
    """The file inside. Raises PasswordNeeded without the right password, UnreadableDocument for what is damaged or
    protected in a way that is not known."""
    if not password:
        raise needed(name)
    compound.check_chains(data, name)
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
            raise needed(name, given=True) from error
        raise _empty(name) from error  # the library looks whether a package came out
    except DecryptionError as error:
        raise UnreadableDocument(
            reason=f"{name} is protected in a way that the program does not know.", remedy=_COPY
        ) from error
    except Exception as error:  # the library raises what comes for a damaged file
        raise UnreadableDocument(
            reason=f"{name} is damaged: what its password protects could not be found.", remedy=_COPY
        ) from error
    inside = out.getvalue()
    # One that holds another protected one would be opened without end.
    if not inside.startswith((b"PK", b"\xd0\xcf\x11\xe0")) or "EncryptedPackage".encode("utf-16-le") in inside:
        raise _empty(name)
    return inside


def _empty(name: str) -> UnreadableDocument:
    return UnreadableDocument(reason=f"{name} is damaged: there is no document in it.", remedy=_COPY)


def needed(name: str, *, given: bool = False) -> PasswordNeeded:
    return PasswordNeeded(
        reason=f"{name} is protected by a password" + (", and it is not the one that was given." if given else "."),
        remedy="Give its password, or save a copy without one in an office program and add the copy.",
    )
