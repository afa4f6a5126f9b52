"""What a child says that it cannot do."""

from __future__ import annotations

from typing import Any

from core.workers.frames import DETAIL_CAP, ProtocolError, clean_text
from core.workers.sandbox import Sandbox


def sandbox_in(value: Any) -> Sandbox:
    """Read what a child says that it cannot do; raises ProtocolError for anything else."""
    match value:
        case {"network": bool(), "files": bool(), "programs": bool(), "memory": bool(), "detail": str(detail)}:
            parts = {key: value[key] for key in ("network", "files", "programs", "memory")}
            return Sandbox(**parts, detail=clean_text(detail)[:DETAIL_CAP])
    raise ProtocolError("it does not say how it is confined")
