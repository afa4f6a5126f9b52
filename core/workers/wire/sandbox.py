"""What a child says that it cannot do, and what came of its attempts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.workers.frames import DETAIL_CAP, Header, ProtocolError, clean_text, list_field, pack
from core.workers.probe import Attempts
from core.workers.sandbox import Sandbox

_LIBRARIES_CAP = 100


def sandbox_in(value: Any) -> Sandbox:
    """Read what a child says that it cannot do; raises ProtocolError for anything else."""
    match value:
        case {"network": bool(), "files": bool(), "programs": bool(), "memory": bool(), "detail": str(detail)}:
            parts = {key: value[key] for key in ("network", "files", "programs", "memory")}
            return Sandbox(**parts, detail=clean_text(detail)[:DETAIL_CAP])
    raise ProtocolError("it does not say how it is confined")


def attempts_out(attempts: Attempts) -> list[bytes]:
    """Send what came of a child's attempts."""
    return pack({"type": "attempts", **asdict(attempts)})


def attempts_in(header: Header) -> Attempts:
    """Read what came of a child's attempts; raises ProtocolError for anything else."""
    libraries = list_field(header, "libraries", most=_LIBRARIES_CAP)
    match header:
        case {"network": bool(), "reading": bool(), "writing": bool(), "programs": bool()} if all(
            isinstance(path, str) and len(path) <= DETAIL_CAP for path in libraries
        ):
            parts = {key: header[key] for key in ("network", "reading", "writing", "programs")}
            return Attempts(**parts, libraries=tuple(clean_text(path) for path in libraries))
    raise ProtocolError("it does not say what came of its attempts")
