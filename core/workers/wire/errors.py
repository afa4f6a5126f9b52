"""Errors of an engine."""

from __future__ import annotations

from core.errors import (
    AppError,
    BadInput,
    LibraryMissing,
    ModelMissing,
    ModelUnreadable,
    NotEnoughMemory,
    PasswordNeeded,
    SeveralMatrices,
    UnreadableDocument,
)
from core.workers.frames import DETAIL_CAP, Header, ProtocolError, clean_text, pack, text_field

# Errors that mean the same on both sides: they cross as class name and details.
_CROSSING: dict[str, type[AppError]] = {
    error.__name__: error
    for error in (
        UnreadableDocument,
        PasswordNeeded,
        LibraryMissing,
        ModelMissing,
        ModelUnreadable,
        NotEnoughMemory,
        BadInput,
        SeveralMatrices,
    )
}


def error_out(error: AppError) -> list[bytes]:
    """Send an error with its details, made safe to show."""
    details = {key: clean_text(str(value))[:DETAIL_CAP] for key, value in error.details.items()}
    return pack({"type": "error", "class": type(error).__name__, "details": details})


def error_in(header: Header) -> AppError:
    """Read an error; raises ProtocolError for one that may not come from a child."""
    kind = _CROSSING.get(text_field(header, "class"))
    details = header.get("details")
    if kind is None or not isinstance(details, dict) or len(details) > 10:
        raise ProtocolError("unknown error")
    if not all(isinstance(value, str) and len(value) <= DETAIL_CAP for value in details.values()):
        raise ProtocolError("error details are not texts")
    try:
        return kind(**{key: clean_text(value) for key, value in details.items()})
    except (KeyError, TypeError) as error:
        raise ProtocolError("error details do not fit") from error
