"""One cell of the matrix as something that can be selected."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain import Evidence


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of evidence against one hypothesis (by id)."""

    evidence: Evidence
    hypothesis: str
