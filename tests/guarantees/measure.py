"""Run the checks of rows and keep what they showed: how many cases, how long, when and on what."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.guarantees.row import TIERS, Check, Row
from tests.guarantees.rows import ROWS

TESTS = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).with_name("results.json")


@dataclass(frozen=True, slots=True)
class Result:
    """What the checks of one row in one tier showed. ``n`` cases, ``seconds`` of wall time, ``date`` in UTC.

    ``figure`` is what a check itself says of what it measured, else ''.
    """

    n: int = 0
    seconds: float = 0.0
    failures: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    figure: str = ""
    date: str = ""
    place: str = ""


@dataclass(slots=True, eq=False)  # known to pytest by itself
class Reports:
    """A plug-in of pytest: it leaves out the tests that no row asks for, and adds up the others by row."""

    rows: tuple[Row, ...]
    tier: int
    results: dict[str, Result] = field(default_factory=dict)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the tests of the tier."""
        wanted = {node for row in self.rows for node, _ in _asked(row, self.tier)}
        selected = [item for item in items if name_of(item.nodeid) in wanted and is_slow(item) == (self.tier > 0)]
        config.hook.pytest_deselected(items=[item for item in items if item not in selected])
        items[:] = selected

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test, or a step of one, to each row that asks for it."""
        for row in self.rows:
            for node, check in _asked(row, self.tier):
                if node == name_of(report.nodeid):
                    self.results[row.id] = _plus(self.results.get(row.id, Result()), report, check)


def _plus(result: Result, report: pytest.TestReport, check: Check) -> Result:
    properties: dict[str, Any] = dict(report.user_properties)
    result = replace(result, seconds=result.seconds + report.duration)
    if report.failed:
        return replace(result, failures=(*result.failures, report.nodeid.removeprefix("tests/")))
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        return replace(result, skips=(*result.skips, reason.removeprefix("Skipped: ")))
    if report.when != "call":
        return result
    return replace(
        result, n=result.n + int(properties.get("n", check.n)), figure=str(properties.get("figure", result.figure))
    )


def name_of(nodeid: str) -> str:
    """Return the name of a test below ``tests/``, without its parameters and the class it stands in."""
    file, *names = nodeid.removeprefix("tests/").split("[")[0].split("::")
    return f"{file}::{names[-1]}"


def is_slow(item: pytest.Item) -> bool:
    """Return whether a test is left out of the default run."""
    return item.get_closest_marker("slow") is not None


def _asked(row: Row, tier: int) -> Iterator[tuple[str, Check]]:
    return ((check.node, check) for check in row.checks if check.tier == tier)


def files_of(rows: Iterable[Row], tier: int) -> list[str]:
    """List the test files that hold the checks of some rows."""
    return sorted({str(TESTS / node.split("::")[0]) for row in rows for node, _ in _asked(row, tier)})


def run(tier: int, only: Collection[str] = ()) -> dict[str, Result]:
    """Run the checks of a tier, and return the results by row."""
    rows = tuple(row for row in ROWS if not only or row.id in only)
    files = files_of(rows, tier)
    if not files:
        return {}
    reports = Reports(rows, tier)
    marks = "slow" if tier else "not slow"
    # Other rules of the selection come first; which tests run is decided by the rows.
    code = pytest.main(["-q", "-m", marks, "-p", "no:cacheprovider", "-p", "no:randomly", *files], plugins=[reports])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit(int(code))  # cut short: nothing is shown by it
    today, place = datetime.now(UTC).date().isoformat(), this_place()
    return {
        row: replace(result, seconds=round(result.seconds, 1), date=today, place=place)
        for row, result in reports.results.items()
    }


def this_place() -> str:
    """Say what the checks ran on, in a few words."""
    python = ".".join(map(str, sys.version_info[:2]))
    sqlite = apsw.sqlite_lib_version()
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {python}, SQLite {sqlite}"


def results() -> dict[str, dict[int, Result]]:
    """Return what was shown last, by row and tier."""
    if not RESULTS.exists():
        return {}
    rows = json.loads(RESULTS.read_text("utf-8"))
    return {
        row: {
            int(tier): Result(**{**fields, "failures": tuple(fields["failures"]), "skips": tuple(fields["skips"])})
            for tier, fields in tiers.items()
        }
        for row, tiers in rows.items()
    }


def keep(tier: int, new: dict[str, Result]) -> None:
    """Put new results in the place of the last ones of that tier."""
    old = results()
    for row, result in new.items():
        old.setdefault(row, {})[tier] = result
    ids = {row.id for row in ROWS}
    rows = {
        row: {str(tier): asdict(old[row][tier]) for tier in TIERS if tier in old[row]}
        for row in sorted(old, key=lambda name: (name[0], int(name[1:])))
        if row in ids
    }
    RESULTS.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")
