"""The fitted models that rank sentences as answers, and decide whether to answer, to refuse or to report a dispute.

They were fitted by ``packaging/answer_scorer.py`` and are in ``resources/answers``: one set for sentences that the
statement reader has read, one for cases without it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from core import paths
from core.stats import logistic

Tree = float | tuple[str, float, "Tree", "Tree"]  # a value, or: which figure, up to what, the tree then, the other


@dataclass(frozen=True, slots=True)
class LinearModel:
    """An intercept and a weight for each figure of a row."""

    intercept: float
    weights: Mapping[str, float]

    @property
    def names(self) -> frozenset[str]:
        """The names of the features that it uses."""
        return frozenset(self.weights)

    def value(self, row: Mapping[str, float]) -> float:
        """Return the weighted sum of a row."""
        return self.intercept + sum(weight * row[name] for name, weight in self.weights.items())

    def probability(self, row: Mapping[str, float]) -> float:
        """Return the logistic of the weighted sum."""
        return logistic(self.value(row))


@dataclass(frozen=True, slots=True)
class TreeModel:
    """An intercept and boosted trees, whose values for a row are added up."""

    intercept: float
    trees: Sequence[Tree]

    @property
    def names(self) -> frozenset[str]:
        """The names of the features that it uses."""
        return frozenset(name for tree in self.trees for name in _names(tree))

    def value(self, row: Mapping[str, float]) -> float:
        """Return the sum of the trees' values for a row."""
        return self.intercept + sum(_leaf(tree, row) for tree in self.trees)

    def probability(self, row: Mapping[str, float]) -> float:
        """Return the logistic of the sum."""
        return logistic(self.value(row))


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """The models of rank, answer and difference; two sentences differ from a probability of ``differ_from`` on."""

    rank: LinearModel
    answers: TreeModel
    differ: LinearModel
    differ_from: float


@cache
def load(*, is_read: bool = False) -> AnswerModel:
    """Read the models that the program brings; ``is_read``: for sentences that a reader of statements has read."""
    name = "read.json" if is_read else "scorer.json"
    return from_json(json.loads((paths.RESOURCES / "answers" / name).read_text("utf-8")))


def from_json(data: Mapping[str, Any]) -> AnswerModel:
    """Read models as their file has them."""
    rank, differ = (LinearModel(float(data[part]["intercept"]), data[part]["weights"]) for part in ("rank", "differ"))
    trees = [_tree(tree) for tree in data["answers"]["trees"]]
    return AnswerModel(rank, TreeModel(float(data["answers"]["intercept"]), trees), differ, float(data["differ_from"]))


def _tree(value: Any) -> Tree:
    if not isinstance(value, list):
        return float(value)
    name, threshold, low, high = value
    return str(name), float(threshold), _tree(low), _tree(high)


def _leaf(tree: Tree, row: Mapping[str, float]) -> float:
    while not isinstance(tree, float):
        name, threshold, low, high = tree
        tree = low if row[name] <= threshold else high
    return tree


def _names(tree: Tree) -> set[str]:
    return set() if isinstance(tree, float) else {tree[0], *_names(tree[2]), *_names(tree[3])}
