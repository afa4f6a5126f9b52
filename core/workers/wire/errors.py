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
from core.workers.frames import _DETAIL_CAP, Header, ProtocolError, _clean, _text, pack

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
    details = {key: _clean(str(value))[:_DETAIL_CAP] for key, value in error.details.items()}
    return pack({"type": "error", "class": type(error).__name__, "details": details})


def error_in(header: Header) -> AppError:
    kind = _CROSSING.get(_text(header, "class"))
    details = header.get("details")
    if kind is None or not isinstance(details, dict) or len(details) > 10:
        raise ProtocolError("unknown error")
    if not all(isinstance(value, str) and len(value) <= _DETAIL_CAP for value in details.values()):
        raise ProtocolError("error details are not texts")
    try:
        return kind(**{key: _clean(value) for key, value in details.items()})
    except (KeyError, TypeError) as error:
        raise ProtocolError("error details do not fit") from error
