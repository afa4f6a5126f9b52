"""What the reader of statements makes of a sentence and its sources, and the finding that follows. Pure.

The reader proposes for each stretch of a source whether it bears the sentence out, says otherwise, says less, or speaks
of something else. A sentence is supported only where the reader is sure of it and every figure, day, time and name of
it is in that stretch; it is called wrong only where no stretch bears it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.audit.finding import Finding
from core.domain import Bearing

if TYPE_CHECKING:
    from core.audit.sources import Place

# Chosen on matters that the heads were not trained on (packaging/adapter/heads.py), and on invented cases.
SUPPORTED = 0.65  # probability from which a stretch bears a sentence out, where the judge is not against it
WRONG = 0.12  # probability below which no stretch does, so that the sentence is called wrong or not found
ABOUT = 0.5  # probability of being absent below which a stretch speaks of what the sentence says
EXACT = frozenset(("number", "date", "name"))  # kinds of parts that must be in the source themselves


@dataclass(frozen=True, slots=True)
class Stretch:
    """Sentences of one source that follow each other, or of the two nearest sources, as the reader reads them."""

    places: tuple[Place, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A stretch with its reading, and the figures, days and names of the sentence that it lacks."""

    stretch: Stretch
    bearing: Bearing
    lacks: tuple[str, ...]


def weigh(readings: Sequence[Reading]) -> tuple[Finding, Reading]:
    """Return the finding on a sentence, and the reading that it rests on."""
    whole = [reading for reading in readings if not reading.lacks]
    best = max(whole, key=lambda reading: reading.bearing.supported, default=None)
    if best is not None and best.bearing.supported >= SUPPORTED:
        return "supported", best
    near = min(readings, key=lambda reading: reading.bearing.absent)
    if max(reading.bearing.supported for reading in readings) >= WRONG:
        return "undecided", near
    kinds: tuple[tuple[float, Finding], ...] = (
        (near.bearing.contradicted, "contradicted"),
        (near.bearing.differs, "differs"),
        (near.bearing.overstated, "overstated"),
        (near.bearing.absent, "not_found"),
    )
    finding = max(kinds, key=lambda kind: kind[0])[1]
    about = [reading for reading in readings if reading.bearing.absent < ABOUT]
    if finding == "differs" and not all(reading.lacks for reading in about):
        finding = "undecided"  # the reader takes close wording for a changed figure: the text must show one
    return finding, near
