"""A case that two people have rated: eight rows from three sources against four hypotheses, for the analysis tests."""

from __future__ import annotations

from pathlib import Path

from core.domain import Rating
from core.ports import Engines
from core.workbench import Workbench

HYPOTHESES = (
    "The cult carried out the attack to stop the raids on it",
    "A terror group from abroad carried out the attack",
    "A political movement at home carried out the attack",
    "It was an accident with stored chemicals",
)
# Text, source, Ada's ratings against H1 to H4 ('' where she has none), Ben's.
ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("The cult had chemists and a plant for nerve gas.", "raid report", "C I N C", "C I N C"),
    ("The trains that were hit meet below the ministries.", "transit map", "I C C II", "I C C II"),
    ("No claim of responsibility was made.", "press", "N I C I", "N I C I"),
    ("The group had attacked a judge before.", "press", "C N I I", "II N I I"),
    ("Terror groups abroad had no base in the city.", "raid report", "C II N NA", "C C N NA"),
    ("Police raids on the cult were planned for that week.", "raid report", "C N N I", ""),
    ("A manual on the gas was found in a flat.", "press", "CC C I C", ""),
    ("A neighbour saw two men in work clothes.", "press", "C C C C", ""),
)


def make(path: Path, engines: Engines) -> None:
    """Write the case: Ada makes and rates it, Ben rates the first five rows and states two likelihoods."""
    with Workbench.create(path, engines, title="The gas attack", who="Ada") as bench:
        for text in HYPOTHESES:
            bench.hypotheses.add(text)
        for text, source, _, _ in ROWS:
            bench.evidence.add(text, source)
        for number, (_, _, ratings, _) in enumerate(ROWS, start=1):
            bench.evidence.rate_many(cells(number, ratings))
    with Workbench.open(path, engines, who="Ben") as bench:
        for number, (_, _, _, ratings) in enumerate(ROWS, start=1):
            if ratings:
                bench.evidence.rate_many(cells(number, ratings))
        bench.evidence.state_likelihood("H1", 0.7)
        bench.evidence.state_likelihood("H2", 0.5)


def cells(row: int, ratings: str) -> list[tuple[str, str, Rating | None]]:
    """(evidence, hypothesis, rating) of one row."""
    return [(f"E{row}", f"H{number}", rating) for number, rating in enumerate(ratings.split(), start=1)]  # type: ignore[misc]
