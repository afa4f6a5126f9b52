"""Passages that belong together, and the words that set each group apart from the others."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

NEAR = 0.45  # mean cosine of two groups from which they are one: passages on one matter lie at .4 to .7
MOST = 400  # passages; the time grows with the square of their number
LARGEST = 0.4  # share of the passages of one search in a group from which on it says too little
_STEP, _NEAREST, _FEW = 0.05, 0.9, 8
_LABEL = 4  # words


@dataclass(frozen=True, slots=True)
class Cluster:
    """A group of passages that belong together.

    ``members`` are positions in what was given, the most central first; ``label`` are its words, ``cohesion`` the mean
    cosine of its members to each other (1 for a single one).
    """

    members: tuple[int, ...]
    label: tuple[str, ...]
    cohesion: float


def clusters(
    vectors: Sequence[bytes], words: Sequence[Sequence[str]], *, likeness: float = NEAR, largest: float = 1.0
) -> list[Cluster]:
    """Group unit vectors (float32) by average linkage (Sokal and Michener 1958), the largest group first.

    Two groups become one as long as the mean cosine between their members is ``likeness`` or more. ``words`` are the
    topical words of each passage. Where one group would have more than the share ``largest`` of all passages, they
    must be nearer to be one: what answers one question is all on one matter, and is told apart by what else it says.
    Ties go to the earlier passage: the same input gives the same groups.
    """
    if len(vectors) != len(words):
        raise ValueError("as many lists of words as vectors are needed")
    if len(vectors) > MOST:
        raise ValueError(f"at most {MOST} passages can be grouped")
    cosine = _cosines(vectors)
    groups = _linked(cosine, likeness)
    while len(vectors) >= _FEW and likeness < _NEAREST and max(map(len, groups)) > largest * len(vectors):
        likeness += _STEP
        groups = _linked(cosine, likeness)
    rows = []
    for group in groups:
        central = {m: math.fsum(cosine[m][member] for member in group) for m in group}
        members = tuple(sorted(group, key=lambda m: (-round(central[m], 9), m)))
        pairs = len(group) * (len(group) - 1)
        cohesion = (math.fsum(central.values()) - len(group)) / pairs if pairs else 1.0
        rows.append((members, cohesion))
    rows.sort(key=lambda item: (-len(item[0]), min(item[0])))
    labels = _labels([[words[m] for m in members] for members, _ in rows])
    return [Cluster(members, label, cohesion) for (members, cohesion), label in zip(rows, labels, strict=True)]


def _cosines(vectors: Sequence[bytes]) -> list[list[float]]:
    lists = []
    for vector in vectors:
        values = array("f")
        values.frombytes(vector)
        lists.append(values.tolist())
    size = len(lists)
    cosine = [[1.0] * size for _ in range(size)]
    for a in range(size):
        for b in range(a):
            cosine[a][b] = cosine[b][a] = sum(map(mul, lists[a], lists[b]))
    return cosine


def _linked(cosine: list[list[float]], likeness: float) -> list[list[int]]:
    size = len(cosine)
    groups = {index: [index] for index in range(size)}
    total = {a: {b: cosine[a][b] for b in range(size) if b != a} for a in range(size)}  # sums over pairs of members

    def closest(a: int) -> tuple[float, int]:
        mean = {b: value / (len(groups[a]) * len(groups[b])) for b, value in total[a].items()}
        best = max(mean, key=lambda b: (round(mean[b], 9), -b), default=-1)
        return (mean[best], best) if best >= 0 else (-2.0, -1)

    best = {a: closest(a) for a in groups}
    while len(groups) > 1:
        a = max(best, key=lambda group: (round(best[group][0], 9), -group))
        mean, b = best[a]
        if mean < likeness:
            break
        keep, absorbed_group = min(a, b), max(a, b)
        groups[keep] += groups.pop(absorbed_group)
        del total[keep][absorbed_group]
        for group, value in total.pop(absorbed_group).items():
            if group != keep:
                total[keep][group] += value
                total[group][keep] = total[keep][group]
                del total[group][absorbed_group]
        del best[absorbed_group]
        best[keep] = closest(keep)
        for group in groups:
            if group != keep and best[group][1] in (keep, absorbed_group):
                best[group] = closest(group)
            elif group != keep:
                similarity = total[group][keep] / (len(groups[group]) * len(groups[keep]))
                if round(similarity, 9) > round(best[group][0], 9):
                    best[group] = (similarity, keep)
    return list(groups.values())


def _labels(groups: Sequence[Sequence[Sequence[str]]]) -> list[tuple[str, ...]]:
    """Choose for each group the words that are in more of its passages than in those of others.

    A word weighs its share of the group's passages times log(1 + passages / passages with the word) over all groups.
    """
    passages = sum(len(group) for group in groups)
    everywhere = Counter(word for group in groups for words in group for word in set(words))
    labels = []
    for group in groups:
        inside = Counter(word for words in group for word in set(words))
        weights = {
            word: count / len(group) * math.log1p(passages / everywhere[word])
            for word, count in inside.items()
            if len(word) > 2 and not word.isdigit()
        }
        labels.append(tuple(sorted(weights, key=lambda word: (-round(weights[word], 9), word))[:_LABEL]))
    return labels
