"""How fast dates are found: prose with few numbers, prose with many, and a table that is all dates.

    python -m tests.bench.dates

No peer does the same work: dateparser's search_dates guesses the order of '12/03/2011' and finds dates without a year.
It is timed on a hundredth of the prose, for scale.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from core.language.dates import dates_in

FEW = "The night guard wrote on 12 March 2011 that the second pump had stopped, and in 1986 it may have been so. "
NONE = "A sentence without any date in it, of which most texts are made, goes on and on here until it ends. " * 9
TABLE = "12 March 2011\t17:46\t1,234.5\tQ2 2014\tin 1986\t2011-03-12\t12/03/2011\tpump\n"
TEXTS = (("prose, one date in ten", FEW + NONE), ("prose, dates everywhere", FEW), ("a table of dates", TABLE))


def best(work: Callable[[], object], times: int = 5) -> float:
    times_taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        times_taken.append(time.perf_counter() - began)
    return min(times_taken)


def main() -> None:
    print(f"{'text':<28}{'characters':>12}{'dates':>9}{'seconds':>10}{'a million':>13}")
    for name, line in TEXTS:
        text = line * (1_000_000 // len(line))
        cost = best(lambda text=text: dates_in(text))
        print(f"{name:<28}{len(text):>12,}{len(dates_in(text)):>9,}{cost:>10.2f}{cost / len(text) * 1e6:>13.2f}")
    from dateparser.search import search_dates

    text = (FEW + NONE) * (10_000 // len(FEW + NONE))
    cost = best(lambda: search_dates(text, languages=["en"]), 1)
    print(f"{'dateparser, the first prose':<28}{len(text):>12,}{'':>9}{cost:>10.2f}{cost / len(text) * 1e6:>13.2f}")


if __name__ == "__main__":
    main()
