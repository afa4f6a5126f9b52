"""The table of promises, as it is printed and as it stands in promises.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.guarantees.measure import Result
from tests.guarantees.row import TIERS, Row
from tests.guarantees.rows import ROWS

PROMISES = Path(__file__).resolve().parents[2] / "resources" / "docs" / "security" / "promises.md"
BEGIN, END = "<!-- promises: written by python -m tests.guarantees --write -->", "<!-- end of promises -->"
HEAD = ("", "Promise", "Result", "n", "Seconds", "Tier", "When", "On")
Results = Mapping[str, Mapping[int, Result]]


def last(results: Mapping[int, Result]) -> tuple[int, Result] | None:
    """Return the result of the highest tier that ran something."""
    tiers = [(tier, results[tier]) for tier in reversed(TIERS) if tier in results]
    return next((entry for entry in tiers if entry[1].n or entry[1].failures), tiers[0] if tiers else None)


def state_of(row: Row, results: Mapping[int, Result]) -> str:
    """Say what a row's checks showed, or that it does not hold, or was not run, and why."""
    failures = [name for result in results.values() for name in result.failures]
    if failures:
        return f"**does not hold:** {', '.join(sorted(set(failures)))} fails"
    result_of_tier = last(results)
    if result_of_tier is None:
        return f"**does not hold:** {row.fault}" if row.fault else "not run yet"
    _, result = result_of_tier
    if not result.n:
        return f"not run here: {'; '.join(sorted(set(result.skips)))}"
    figure = result.figure or row.figure.format(n=f"{result.n:,}")
    skips = f" ({len(result.skips)} not run here: {'; '.join(sorted(set(result.skips)))})" if result.skips else ""
    return figure + skips + (f". **Holds in part:** {row.fault}" if row.fault else "")


def cells(row: Row, results: Mapping[int, Result]) -> tuple[str, ...]:
    """Return one line of the table."""
    result_of_tier = last(results)
    if result_of_tier is None or not (result_of_tier[1].n or result_of_tier[1].failures):
        return (row.id, row.promise, state_of(row, results), *[""] * 5)
    tier, result = result_of_tier
    rest = (f"{result.n:,}", f"{result.seconds:,.0f}", str(tier), result.date, result.place)
    return (row.id, row.promise, state_of(row, results), *rest)


def in_markdown(results: Results) -> str:
    """Return the table, and below it what was never run on Windows and macOS."""
    places = sorted({cells(row, results.get(row.id, {}))[-1] for row in ROWS} - {""})
    signs = {place: chr(ord("a") + number) for number, place in enumerate(places)}
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    for row in ROWS:
        *words, place = cells(row, results.get(row.id, {}))
        lines.append(_line((*words, signs.get(place, ""))))
    lines += ["", *(f"{sign}: {place}." for place, sign in signs.items()), ""]
    lines += [
        "No row was ever run on Windows or macOS. The code is the same there, except for these:", "",
        "| | What differs there and was never run |", "|---|---|",
        *(_line((row.id, row.elsewhere)) for row in ROWS if row.elsewhere),
    ]  # fmt: skip
    return "\n".join(lines)


def _line(words: Iterable[str]) -> str:
    return f"| {' | '.join(word.replace('|', chr(92) + '|') for word in words)} |"


def in_text(results: Results) -> str:
    """Return the table as it is printed."""
    lines = []
    for row in ROWS:
        name, promise, figure, *rest = cells(row, results.get(row.id, {}))
        n, seconds, tier, date, place = rest
        lines.append(f"{name:<4}{promise}\n    {figure}")
        if date:
            lines.append(f"    n {n}, {seconds} s, tier {tier}, {date}, {place}")
    return "\n".join(lines)


def parts(text: str) -> tuple[str, str, str]:
    """Split promises.md: what stands before the table, the table, and what stands behind it."""
    head, _, rest = text.partition(BEGIN)
    table, _, tail = rest.partition(END)
    return head, table.strip("\n"), tail


def write(results: Results) -> None:
    """Put the table into promises.md."""
    head, _, tail = parts(PROMISES.read_text("utf-8"))
    PROMISES.write_text(f"{head}{BEGIN}\n\n{in_markdown(results)}\n\n{END}{tail}", "utf-8")
