"""Readings of a sentence and its sources by the statement reader, and the finding that follows. Pure.

The reader proposes for each stretch of a source whether it supports the sentence, contradicts it, says less, or is
about something else. A sentence is supported only if the reader is sure of it, and that stretch has some of its words
and all its figures, days, times and names, and denies or bounds nothing else. It is wrong only if no stretch supports
it. It differs only if each stretch about it lacks a figure, a day or a name, and was not found only if the reader is
surer still.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.audit.finding import Finding
from core.domain import Bearing

if TYPE_CHECKING:
    from core.audit.sources import Place

# Chosen on 400 sentences about matters that the heads were not trained on, all sources of 40 matters in one case: there
# .15 of the right sentences and .008 of the wrong ones are called supported (with .75, .35 and a judge that must see
# half as much again for as against them .13 and .013).
SUPPORTED = 0.84  # probability from which a stretch supports a sentence, unless the judge contradicts
COVERED = 0.15  # share of the content words of a sentence that such a stretch holds
WRONG = 0.2  # probability below which no stretch does, so that the sentence is called wrong
NOT_FOUND = 0.1  # and below which it is called not found
ABOUT = 0.5  # probability of being absent below which a stretch is about the sentence
# What absence a cited document may have more than others that were read: so .82 of right citations pass of sentences
# in other words, and .11 of those of another document of the same matter.
_AS_NEAR = 0.05
EXACT = frozenset(("number", "date", "name"))  # kinds of parts that must be in the source themselves


@dataclass(frozen=True, slots=True)
class Stretch:
    """Sentences of one source in a row, or of the two nearest sources, as the reader reads them."""

    places: tuple[Place, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A stretch with its reading, the figures, days and names of the sentence that it lacks, the share of its words."""

    stretch: Stretch
    bearing: Bearing
    lacks: tuple[str, ...]
    coverage: float
    is_turned: bool = False  # the nearest sentence denies something else, or says it under a condition or a bound


def weigh(readings: Sequence[Reading]) -> tuple[Finding, Reading]:
    """Return the finding on a sentence, and the reading that it rests on."""
    complete = [row for row in readings if not (row.lacks or row.is_turned) and row.coverage >= COVERED]
    best = max(complete, key=lambda reading: reading.bearing.supported, default=None)
    if best is not None and best.bearing.supported >= SUPPORTED:
        return "supported", best
    nearest = min(readings, key=lambda reading: reading.bearing.absent)
    highest = max(reading.bearing.supported for reading in readings)
    if highest >= WRONG:
        return "undecided", nearest
    kinds: tuple[tuple[float, Finding], ...] = (
        (nearest.bearing.contradicted, "contradicted"),
        (nearest.bearing.differs, "differs"),
        (nearest.bearing.overstated, "overstated"),
        (nearest.bearing.absent, "not_found"),
    )
    finding = max(kinds, key=lambda kind: kind[0])[1]
    about = [reading for reading in readings if reading.bearing.absent < ABOUT]
    # The reader takes paraphrases for changed figures, however sure it is: of 28 sentences about three matters that it
    # called different, 13 were right.
    is_doubtful = finding == "differs" and not all(reading.lacks for reading in about)
    if is_doubtful or (finding == "not_found" and highest >= NOT_FOUND):
        return "undecided", nearest
    return finding, nearest


def speaks(readings: Sequence[Reading], documents: Collection[str]) -> bool:
    """Return whether a document is about a sentence as surely as the other documents that were read."""
    cited: list[float] = []
    uncited: list[float] = []
    for reading in readings:
        places = {place.page.document in documents for place in reading.stretch.places}
        if len(places) == 1:
            (cited if True in places else uncited).append(reading.bearing.absent)
    return bool(cited) and min(cited) <= min(uncited, default=1.0) + _AS_NEAR
