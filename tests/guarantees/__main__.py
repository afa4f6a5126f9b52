"""Run the checks behind the promises of resources/docs/security/promises.md, and print or write the table.

    python -m tests.guarantees [--tier 0|1|2] [--only A1 B2 ...] [--show] [--write]

Tier 0 is part of the default run of the tests; 1 and 2 are the long suites. ``--show`` runs nothing; ``--write`` keeps
the results and puts the table into resources/docs/security/promises.md.
"""

from __future__ import annotations

import argparse
import sys

from tests.guarantees import measure, table
from tests.guarantees.row import TIERS
from tests.guarantees.rows import ROWS


def main(arguments: list[str]) -> int:
    """Run what was asked for; 1 where a check fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.guarantees", description=__doc__.split("\n")[0])
    parser.add_argument("--tier", type=int, choices=TIERS, default=0)
    parser.add_argument("--only", nargs="+", choices=[row.id for row in ROWS], default=[], metavar="ID")
    parser.add_argument("--show", action="store_true", help="run nothing, print what was shown last")
    parser.add_argument(
        "--write",
        action="store_true",
        help="keep the results and write the table into promises.md",
    )
    chosen = parser.parse_args(arguments)
    new = {} if chosen.show else measure.run(chosen.tier, chosen.only)
    results = measure.results()
    for row, result in new.items():
        results.setdefault(row, {})[chosen.tier] = result
    print(table.in_text(results))
    if chosen.write:
        measure.keep(chosen.tier, new)
        table.write(measure.results())
    return int(any(result.failures for result in new.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
