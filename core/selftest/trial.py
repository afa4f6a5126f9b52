"""Common ground of the checks of one self-test: the engines under test, and a folder that is gone afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.ports import Engines, OcrPage
from core.progress import Progress

if TYPE_CHECKING:
    from core.workbench import Workbench


@dataclass(slots=True)
class Trial:
    """One self-test under way. ``scan`` and ``bench`` are what an earlier check made; None if it failed."""

    engines: Engines
    folder: Path
    progress: Progress
    scan: OcrPage | None = None
    bench: Workbench | None = None

    def close(self) -> None:
        """Close the case, if there is one."""
        if self.bench is not None:
            self.bench.close()
            self.bench = None
