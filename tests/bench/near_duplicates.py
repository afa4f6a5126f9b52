"""How quickly near copies are found among documents, against datasketch, with the same pairs.

    python -m tests.bench.near_duplicates [DOCUMENTS]

Documents of 150 to 450 invented words. Of ten, one is an earlier one with a few words changed, one an earlier one with
a paragraph more, one half of an earlier one, one an earlier one in which every fourth word is another (it is no copy);
the others are new. Both sides sketch, look up candidates in bands of the same shape and count the stretches of
eight words of every candidate exactly. Peer: datasketch MinHash (update_batch) and MinHashLSH. Times are seconds of
computing. Target: 4 times as fast with the same pairs.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from core.documents.near_duplicates import (
    BANDS,
    CONTAINED,
    NEAR_DOCUMENT,
    ROWS,
    SHINGLE,
    NearDuplicateIndex,
    minhash_sketch,
)
from core.domain import NearDuplicate
from tests.bench.machine import describe, peak_mb

LETTERS = "etaoinshrdlucmfwyp"


def invented(count: int, seed: int = 7) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Texts by id, and for each that was made of an earlier one: how, and of which."""
    rng = random.Random(seed)
    vocabulary = sorted({"".join(rng.choices(LETTERS, k=rng.randint(2, 10))) for _ in range(8_000)})
    texts: dict[str, list[str]] = {}
    originals: dict[str, tuple[str, str]] = {}
    fresh: list[str] = []
    for number in range(1, count + 1):
        name = f"D{number}"
        kind = {3: "changed", 5: "version", 7: "part", 9: "rewritten"}.get(number % 10, "") if fresh else ""
        if not kind:
            texts[name] = rng.choices(vocabulary, k=rng.randint(150, 450))
            fresh.append(name)
            continue
        of = rng.choice(fresh)
        words = list(texts[of])
        if kind == "changed":
            for place in rng.sample(range(len(words)), 3):
                words[place] = rng.choice(vocabulary)
        elif kind == "version":
            place = rng.randrange(len(words))
            words[place:place] = rng.choices(vocabulary, k=len(words) // 8)
        elif kind == "part":
            first = rng.randrange(len(words) // 3)
            words = words[first : first + len(words) // 2]
        else:
            words = [rng.choice(vocabulary) if place % 4 == 0 else word for place, word in enumerate(words)]
        texts[name] = words
        originals[name] = (kind, of)
    return {name: " ".join(words) for name, words in texts.items()}, originals


def ours(texts: dict[str, str]) -> dict[str, NearDuplicate]:
    index = NearDuplicateIndex((), texts.__getitem__)
    duplicates = {}
    for name, text in texts.items():
        likeness = index.take(name, minhash_sketch(text))
        if likeness is not None:
            duplicates[name] = likeness
    return duplicates


def theirs(texts: dict[str, str]) -> dict[str, NearDuplicate]:
    """The same with datasketch."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))
    sets: dict[str, frozenset[str]] = {}
    duplicates = {}
    for name, text in texts.items():
        words = text.split()
        sets[name] = frozenset(" ".join(words[start : start + SHINGLE]) for start in range(len(words) - SHINGLE + 1))
        hashed = MinHash(num_perm=BANDS * ROWS)
        hashed.update_batch([shingle.encode() for shingle in sets[name]])
        best: tuple[bool, float, str] | None = None
        for rival in sorted(index.query(hashed), key=lambda id: (len(id), id)):
            both = len(sets[name] & sets[rival])
            near, contained = both / len(sets[name] | sets[rival]), both / min(len(sets[name]), len(sets[rival]))
            if near < NEAR_DOCUMENT and contained < CONTAINED:
                continue
            rank = (near >= NEAR_DOCUMENT, near if near >= NEAR_DOCUMENT else contained)
            if best is None or rank > best[:2]:
                best = (*rank, rival)
        index.insert(name, hashed)
        if best is not None:
            duplicates[name] = NearDuplicate(name, best[2], "near" if best[0] else "contained", round(best[1], 3))
    return duplicates


def timed(run, texts):
    began = time.process_time()
    duplicates = run(texts)
    return duplicates, time.process_time() - began


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(describe())
    texts, originals = invented(count)
    print(f"{count} documents, {sum(map(len, texts.values())) / 1e6:.1f} million characters")
    sample = dict(list(texts.items())[:20])
    ours(sample), theirs(sample)  # what is imported late is no part of either
    first, quick = timed(ours, texts)
    second, slow = timed(theirs, texts)
    print(f"ours {quick:.1f} s, datasketch {slow:.1f} s: {slow / quick:.1f} times as fast")
    for measure in ("near", "contained"):
        left = {(pair.document, pair.of) for pair in first.values() if pair.measure == measure}
        right = {(pair.document, pair.of) for pair in second.values() if pair.measure == measure}
        print(
            f"{measure}: {len(left & right)} pairs of both, ours alone {len(left - right)}, "
            f"datasketch alone {len(right - left)}"
        )
    others = [(first[name], likeness) for name, likeness in second.items() if first[name].of != likeness.of]
    worse = sum((a.measure == "near", a.score) < (b.measure == "near", b.score) for a, b in others)
    print(f"where ours names another document: {len(others)}, less alike than datasketch's: {worse}")
    counts: Counter[str] = Counter()
    totals: Counter[str] = Counter(kind for kind, _ in originals.values())
    for name, (kind, _of) in originals.items():
        if name in first:
            counts[f"{kind}: {first[name].measure}"] += 1
    for kind, number in sorted(totals.items()):
        kind_counts = {label.split(": ")[1]: n for label, n in sorted(counts.items()) if label.startswith(kind)}
        print(f"  {kind:>9}: {number} made, found {kind_counts}")
    foreign = sum(name not in originals for name in first)
    print(f"new documents called copies: {foreign}; peak memory {peak_mb():.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
