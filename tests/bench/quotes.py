"""How quickly quotes are found in pages of 3,000 characters, and whether anything is taken for a quote that is none.

    python -m tests.bench.quotes [QUOTES]

One quote a page: half of them word for word, a quarter in other lines, dashes and quotation marks, a quarter with two
misread letters in a hundred. Peers: difflib's matching blocks (its "junk" rule off, since with it every letter of a
page is junk and nothing is found) and a bare rapidfuzz alignment, which answers neither where in the page as it is the
quote stands nor whether it is the quote. Target: 50 times difflib, every quote found in its place, no false accept.
"""

from __future__ import annotations

import difflib
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence

from rapidfuzz import fuzz

from core.domain import Page
from core.evidence.quotes import QuoteFinder
from tests.bench.machine import describe

PAGE = 3_000  # characters
LENGTHS = (120, 300)  # characters of a quote
ROUNDS = 5  # the quickest counts
SAME_PLACE = 0.9  # overlap of found and true span, as a share of what either covers
LETTERS = "etaoinshrdlucmfwyp"


def words(rng: random.Random) -> list[str]:
    vocabulary = {"".join(rng.choices(LETTERS, k=rng.randint(2, 10))) for _ in range(3_000)}
    return [*sorted(vocabulary), "not", "never", "no"]


def page_text(rng: random.Random, vocabulary: list[str]) -> str:
    """Sentences in lines of some 80 characters, with figures, names, dashes and quotation marks."""
    text = ""
    line = 0
    while len(text) < PAGE:
        word = rng.choice(vocabulary)
        chance = rng.random()
        if chance < 0.04:
            word = str(rng.randint(2, 9_999))
        elif chance < 0.10:
            word = word.capitalize()
        elif chance < 0.12:
            word = f"“{word}”"
        elif chance < 0.14:
            word += " –"
        elif chance < 0.20:
            word += rng.choice((".", ",", ";"))
        gap = "\n" if line + len(word) > 80 else " "
        line = 0 if gap == "\n" else line + len(word) + 1
        text += word + gap
    return text[:PAGE].rstrip()


def quote(rng: random.Random, text: str) -> tuple[int, int]:
    """A stretch between two word borders."""
    length = rng.randint(*LENGTHS)
    start = text.index(" ", rng.randint(0, len(text) - length - 100)) + 1
    end = text.rfind(" ", start, start + length)
    return start, end


def other_layout(text: str) -> str:
    line = text.replace("\n", " ").replace("“", '"').replace("”", '"').replace("–", "-")
    return "  ".join(line.split(" ", 5))


def misread(rng: random.Random, text: str) -> str:
    return "".join(rng.choice(LETTERS) if c.islower() and rng.random() < 0.02 else c for c in text)


def altered(text: str) -> str:
    """One thing changed that changes what it says."""
    parts = text.split()
    for index, word in enumerate(parts):
        if word.isdigit():
            return " ".join([*parts[:index], str(int(word) + 1), *parts[index + 1 :]])
        if word in ("not", "never", "no") and 0 < index < len(parts) - 1:
            return " ".join([*parts[:index], *parts[index + 1 :]])
        if word.istitle() and len(word) > 3:
            return " ".join([*parts[:index], "Robinson", *parts[index + 1 :]])
    return " ".join([*parts[:2], "not", *parts[2:]])


def seconds(run: Callable[[int], object], of: Sequence[int]) -> float:
    """How long ``run`` computes for one of ``of``, on average."""
    began = time.process_time()
    for n in of:
        run(n)
    return (time.process_time() - began) / len(of)


def with_difflib(text: str, page: str) -> tuple[int, int]:
    """Where the blocks begin and end that a quote and a page have in common around the longest of them."""
    blocks = difflib.SequenceMatcher(None, text, page, autojunk=False).get_matching_blocks()
    longest = max(blocks, key=lambda block: block.size)
    return longest.b - longest.a, longest.b - longest.a + len(text)


def in_place(span: tuple[int, int], true: tuple[int, int]) -> bool:
    both = min(span[1], true[1]) - max(span[0], true[0])
    return both >= SAME_PLACE * (max(span[1], true[1]) - min(span[0], true[0]))


def main() -> int:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print(describe())
    rng = random.Random(7)
    vocabulary = words(rng)
    texts = [page_text(rng, vocabulary) for _ in range(wanted)]
    pages = [Page(n, f"D{n}", 1, text, "", 0.0, 0.0, "embedded", None, "", (), "bench") for n, text in enumerate(texts)]
    places = [quote(rng, text) for text in texts]
    kinds = ["word for word", "word for word", "other layout", "misread"] * (wanted // 4)
    quotes = []
    for kind, text, (start, end) in zip(kinds, texts, places, strict=True):
        part = text[start:end]
        quotes.append({"other layout": other_layout(part), "misread": misread(rng, part)}.get(kind, part))

    faults = 0
    for kind in ("word for word", "other layout", "misread", "all"):
        chosen = [n for n in range(wanted) if kind in (kinds[n], "all")]
        answers = [QuoteFinder([pages[n]]).find(quotes[n]) for n in chosen]
        statuses = Counter(answer.status for answer in answers)
        placed = sum(
            bool(a.matches) and any(in_place((m.start, m.end), places[n]) for m in a.matches)
            for n, a in zip(chosen, answers, strict=True)
        )
        difflib_placed = sum(in_place(with_difflib(quotes[n], texts[n]), places[n]) for n in chosen)
        faults += placed < len(chosen)
        own_seconds = bare = slow = float("inf")
        for _ in range(ROUNDS):  # one after the other, so that a busy machine is as slow for each
            own_seconds = min(own_seconds, seconds(lambda n: QuoteFinder([pages[n]]).find(quotes[n]), chosen))
            bare = min(bare, seconds(lambda n: fuzz.partial_ratio_alignment(quotes[n], texts[n]), chosen))
            slow = min(slow, seconds(lambda n: with_difflib(quotes[n], texts[n]), chosen[: max(1, len(chosen) // 5)]))
        print(
            f"{kind:>13}: {len(chosen)} quotes, {dict(statuses)}, in place {placed} (difflib {difflib_placed}); "
            f"{1e6 * own_seconds:.0f} µs each, rapidfuzz alone {1e6 * bare:.0f} µs, "
            f"difflib {1e6 * slow:.0f} µs: {slow / own_seconds:.0f} times as fast as difflib"
        )

    shifted = [*range(1, wanted), 0]
    strangers = Counter(QuoteFinder([pages[shifted[n]]]).find(quotes[n]).status for n in range(wanted))
    changed = [QuoteFinder([pages[n]]).find(altered(texts[n][slice(*places[n])])) for n in range(wanted)]
    wrong = Counter("altered" if answer.altered else answer.status for answer in changed)
    print(f"quotes of another page: {dict(strangers)}; altered quotes: {dict(wrong)}")
    accepted = strangers["verified"] + strangers["near"] + wrong["verified"] + wrong["near"]
    print(f"false accepts: {accepted}")
    return 1 if accepted or faults else 0


if __name__ == "__main__":
    sys.exit(main())
