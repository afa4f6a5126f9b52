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
    made: dict[str, tuple[str, str]] = {}
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
            for at in rng.sample(range(len(words)), 3):
                words[at] = rng.choice(vocabulary)
        elif kind == "version":
            at = rng.randrange(len(words))
            words[at:at] = rng.choices(vocabulary, k=len(words) // 8)
        elif kind == "part":
            first = rng.randrange(len(words) // 3)
            words = words[first : first + len(words) // 2]
        else:
            words = [rng.choice(vocabulary) if at % 4 == 0 else word for at, word in enumerate(words)]
        texts[name] = words
        made[name] = (kind, of)
    return {name: " ".join(words) for name, words in texts.items()}, made


def ours(texts: dict[str, str]) -> dict[str, NearDuplicate]:
    known = NearDuplicateIndex((), texts.__getitem__)
    found = {}
    for name, text in texts.items():
        likeness = known.take(name, minhash_sketch(text))
        if likeness is not None:
            found[name] = likeness
    return found


def theirs(texts: dict[str, str]) -> dict[str, NearDuplicate]:
    """The same with datasketch."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))
    sets: dict[str, frozenset[str]] = {}
    found = {}
    for name, text in texts.items():
        words = text.split()
        sets[name] = frozenset(" ".join(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1))
        hashed = MinHash(num_perm=BANDS * ROWS)
        hashed.update_batch([shingle.encode() for shingle in sets[name]])
        best: tuple[bool, float, str] | None = None
        for other in sorted(index.query(hashed), key=lambda id: (len(id), id)):
            both = len(sets[name] & sets[other])
            near, contained = both / len(sets[name] | sets[other]), both / min(len(sets[name]), len(sets[other]))
            if near < NEAR_DOCUMENT and contained < CONTAINED:
                continue
            said = (near >= NEAR_DOCUMENT, near if near >= NEAR_DOCUMENT else contained)
            if best is None or said > best[:2]:
                best = (*said, other)
        index.insert(name, hashed)
        if best is not None:
            found[name] = NearDuplicate(name, best[2], "near" if best[0] else "contained", round(best[1], 3))
    return found


def timed(run, texts):
    began = time.process_time()
    found = run(texts)
    return found, time.process_time() - began


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(describe())
    texts, made = invented(count)
    print(f"{count} documents, {sum(map(len, texts.values())) / 1e6:.1f} million characters")
    few = dict(list(texts.items())[:20])
    ours(few), theirs(few)  # what is imported late is no part of either
    first, quick = timed(ours, texts)
    second, slow = timed(theirs, texts)
    print(f"ours {quick:.1f} s, datasketch {slow:.1f} s: {slow / quick:.1f} times as fast")
    for measure in ("near", "contained"):
        one = {(found.document, found.of) for found in first.values() if found.measure == measure}
        two = {(found.document, found.of) for found in second.values() if found.measure == measure}
        print(
            f"{measure}: {len(one & two)} pairs of both, ours alone {len(one - two)}, datasketch alone {len(two - one)}"
        )
    others = [(first[name], likeness) for name, likeness in second.items() if first[name].of != likeness.of]
    worse = sum((a.measure == "near", a.score) < (b.measure == "near", b.score) for a, b in others)
    print(f"where ours names another document: {len(others)}, less alike than datasketch's: {worse}")
    found: Counter[str] = Counter()
    asked: Counter[str] = Counter(kind for kind, _ in made.values())
    for name, (kind, _of) in made.items():
        if name in first:
            found[f"{kind}: {first[name].measure}"] += 1
    for kind, number in sorted(asked.items()):
        told = {what.split(": ")[1]: n for what, n in sorted(found.items()) if what.startswith(kind)}
        print(f"  {kind:>9}: {number} made, found {told}")
    foreign = sum(name not in made for name in first)
    print(f"new documents called copies: {foreign}; peak memory {peak_mb():.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
