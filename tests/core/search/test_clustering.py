"""Groups of passages: the same for the same, by mean nearness, with the words that set them apart."""

from __future__ import annotations

import random
from array import array

import numpy as np
import pytest

from core.search.clustering import MOST, clusters


def packed(rows):
    rows = np.asarray(rows, dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [array("f", row).tobytes() for row in rows]


def blobs(luck, centres=4, size=9, spread=0.06, dims=24):
    middle = luck.normal(size=(centres, dims))
    return packed(np.concatenate([m / np.linalg.norm(m) + luck.normal(size=(size, dims)) * spread for m in middle]))


def nearest_to_all(vectors):
    rows = np.stack([np.frombuffer(vector, dtype=np.float32) for vector in vectors])
    return int(np.argmax((rows @ rows.T).sum(axis=1)))


def test_groups_are_found_and_named_by_what_sets_them_apart():
    vectors = blobs(np.random.default_rng(3), centres=3)
    words = [["pump", "report"]] * 9 + [["valve", "report"]] * 9 + [["guard", "report"]] * 9
    groups = clusters(vectors, words)
    assert [sorted(c.members) for c in groups] == [list(range(9)), list(range(9, 18)), list(range(18, 27))]
    assert [c.label[0] for c in groups] == ["pump", "valve", "guard"]
    assert all(0.8 < c.cohesion <= 1 for c in groups)
    centre = groups[0].members[0]
    assert centre == nearest_to_all(vectors[:9])


@pytest.mark.parametrize("seed", range(6))
def test_the_groups_are_those_of_average_linkage(seed):
    from scipy.cluster.hierarchy import fcluster, linkage

    luck = np.random.default_rng(seed)
    vectors = blobs(luck, centres=5, size=int(luck.integers(2, 12)), spread=0.25)
    rows = np.stack([np.frombuffer(v, dtype=np.float32) for v in vectors])
    tree = linkage(np.maximum(0, 1 - (rows @ rows.T)[np.triu_indices(len(rows), 1)]), "average")
    named = fcluster(tree, 1 - 0.45, "distance")
    expected = {frozenset(np.flatnonzero(named == n).tolist()) for n in set(named)}
    assert {frozenset(c.members) for c in clusters(vectors, [[]] * len(vectors))} == expected


def test_every_passage_is_in_one_group_whatever_the_order():
    vectors = blobs(np.random.default_rng(5), spread=0.2)
    order = list(range(len(vectors)))
    random.Random(1).shuffle(order)
    plain = {frozenset(c.members) for c in clusters(vectors, [[]] * len(vectors))}
    mixed = {frozenset(order[m] for m in c.members) for c in clusters([vectors[o] for o in order], [[]] * len(order))}
    assert plain == mixed
    assert sorted(m for group in plain for m in group) == sorted(order)


def test_few_and_too_many():
    assert clusters([], []) == []
    (group,) = clusters(packed([[1.0, 0.0]]), [["pump"]])
    assert (group.members, group.label, group.cohesion) == ((0,), ("pump",), 1.0)
    with pytest.raises(ValueError):
        clusters([b"\0" * 8] * (MOST + 1), [[]] * (MOST + 1))
    with pytest.raises(ValueError):
        clusters(packed([[1.0, 0.0]]), [])


def test_what_is_all_on_one_matter_is_told_apart_by_the_rest():
    luck = np.random.default_rng(5)
    matter = 3 * luck.normal(size=24)  # what every passage that answers one question shares
    sides = [luck.normal(size=24) for _ in range(3)]
    rows = packed([matter + 2 * sides[index // 8] + 0.2 * luck.normal(size=24) for index in range(24)])
    words = [[f"side{index // 8}"] for index in range(24)]
    assert len(clusters(rows, words)) == 1
    groups = clusters(rows, words, largest=0.4)
    assert sorted(sorted(c.members) for c in groups) == [list(range(8)), list(range(8, 16)), list(range(16, 24))]
    same = packed([matter] * 12)
    assert len(clusters(same, [["x"]] * 12, largest=0.4)) == 1  # nothing tells these apart
    assert len(clusters(rows[:4], words[:4], largest=0.4)) == 1  # too few to be told apart
