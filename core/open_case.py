"""What every service of an open case is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.ports import Engines

if TYPE_CHECKING:
    from core.store import CaseFile


@dataclass(slots=True)
class OpenCase:
    """The store of one case and the engines at work on it; ``engines`` is replaced when another model is chosen."""

    store: CaseFile
    engines: Engines
