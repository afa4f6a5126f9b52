"""The check of the open case: every file, text, quote and decision, beside the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import CaseNotProven
from gui_app.shared.formatting import counted
from gui_app.tasks import Task

if TYPE_CHECKING:
    from core.progress import Progress
    from core.store.integrity import CaseCheck
    from core.workbench import Workbench
    from gui_app.session import CaseSession

SOUND = "The case is sound."
_MOST = 3  # problems that are told; `disconfirm verify` lists all


def begin(session: CaseSession, *, with_originals: bool = False) -> Task | None:
    """Check the whole case and say at length what came of it; ``with_originals``: each is read again and compared."""

    def check(bench: Workbench, progress: Progress) -> CaseCheck:
        check = bench.case.verify(progress)
        return bench.case.compare_originals(check, progress) if with_originals else check

    return session.run("Checking the case", check, done=lambda check: _show(session, check))


def _show(session: CaseSession, check: CaseCheck) -> None:
    bench = session.workbench
    if bench is None:
        return
    if not check.problems:
        counts = ((check.counts.get("originals", 0), "original file"), (check.counts.get("quotes", 0), "quote"))
        what = " and ".join(counted(number, noun) for number, noun in counts)
        checked = f"Checked: {what}, with every text, decision and record."
        if equal := check.counts.get("texts compared"):  # of none it is said why not
            checked += f" {counted(equal, 'page')} read again from the original files: the same text."
        session.told_at_length.emit(SOUND, " ".join((checked, *check.notes)))
        return
    faults = "; ".join(f"{problem.where}: {problem.what.rstrip('.')}" for problem in check.problems[:_MOST])
    more = len(check.problems) - _MOST
    fault = f"{faults}; and {counted(more, 'more problem')}" if more > 0 else faults
    session.report(CaseNotProven(path=bench.path, fault=fault, effect="what it says is not proven"))
