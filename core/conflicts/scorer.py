"""The probability that two statements contradict each other: a logistic regression over core.conflicts.features. Pure.

There is one scorer for each judge, whose probabilities are among the features. The weights are data:
``resources/conflicts/scorer.json``, fitted by packaging/conflict_scorer.py.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from core import paths
from core.stats import logistic


@dataclass(frozen=True, slots=True)
class Scorer:
    """Weights by feature; ``threshold`` is the probability from which a pair is shown."""

    bias: float
    weights: Mapping[str, float]
    threshold: float

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the probability of a contradiction; a feature without a weight is ignored."""
        total = self.bias + math.fsum(self.weights.get(name, 0.0) * value for name, value in sorted(values.items()))
        return logistic(total)


@cache
def _scorers() -> dict[str, Scorer]:
    data = json.loads((paths.RESOURCES / "conflicts" / "scorer.json").read_text("utf-8"))
    return {
        judge: Scorer(float(row["bias"]), {k: float(v) for k, v in row["weights"].items()}, float(row["threshold"]))
        for judge, row in data.items()
    }


def judges() -> frozenset[str]:
    """Return the fingerprints of the judges that a scorer was fitted for."""
    return frozenset(_scorers())


def scorer_of(judge: str) -> Scorer | None:
    """Return the scorer that was fitted for a judge, by its fingerprint, or None."""
    return _scorers().get(judge)
