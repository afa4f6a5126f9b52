"""The sample case, built end to end from the documents in ``resources/sample_case``: a client of the workbench.

The hypotheses and the ratings of the worked example are a person's, written down beside the documents and signed
"Sample analyst"; passages, verdicts and quotes come from the engines as in any case.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from core import paths
from core.domain import DEFAULT_RULE, Proposal
from core.errors import AppError, CannotWrite, CaseInUse, EngineStopped, ModelMissing, ModelUnreadable
from core.ports import Engines
from core.progress import Progress, silent
from core.store import CaseFile, move_case
from core.workbench import Workbench, utc_now

FOLDER = paths.RESOURCES / "sample_case"
CASE, REPORT = "sample.disconfirm", "sample-report.html"
BUILT = FOLDER / "built"  # in the packaged program: the case as the judge that comes with it judged it
STEPS = (
    "Read the documents",
    "Make their passages searchable",
    "Judge passages against each hypothesis",
    "Rate the evidence, write the matrix and the report",
)
ANALYST = "Sample analyst"
ENOUGH_FOUND = 0.9  # share of the expected passages that must be among the proposals


@dataclass(frozen=True, slots=True)
class Sample:
    """The result of building the sample case.

    ``matches`` of ``expected_count`` expected passages are among the proposals; ``ok``: the case verifies.
    """

    case: Path
    report: Path
    documents: int
    proposals: int
    leaders: dict[str, tuple[str, ...]]
    expected_leaders: tuple[str, ...]
    matches: int
    expected_count: int
    missing: tuple[str, ...]
    ok: bool
    seconds: float
    notes: tuple[str, ...]

    @property
    def as_expected(self) -> bool:
        """Return whether the case verifies, and leads and finds what it should."""
        leaders = self.leaders.get(DEFAULT_RULE, ()) == self.expected_leaders
        has_passages = self.proposals == 0 or self.matches >= ENOUGH_FOUND * self.expected_count
        return leaders and has_passages and self.ok

    def as_json(self) -> dict[str, Any]:
        """Return the fields of the contract."""
        return {
            "case": str(self.case),
            "report": str(self.report),
            "documents": self.documents,
            "proposals": self.proposals,
            "leaders": {rule: list(leaders) for rule, leaders in self.leaders.items()},
            "expected_leaders": list(self.expected_leaders),
            "expected_passages": {"found": self.matches, "of": self.expected_count, "missing": list(self.missing)},
            "verified": self.ok,
            "as_expected": self.as_expected,
            "seconds": round(self.seconds, 1),
            "notes": list(self.notes),
        }

    def as_text(self) -> str:
        """Write the outcome in a few lines."""
        lines = [
            f"Sample case: {self.case}",
            f"{self.documents} documents, {self.proposals} proposals, "
            f"{self.matches} of {self.expected_count} expected passages found, in {self.seconds:.0f} s",
            f"Least inconsistent: {', '.join(self.leaders.get(DEFAULT_RULE, ())) or 'none'} "
            f"(expected {', '.join(self.expected_leaders)})",
            "Every original, text, quote and log entry verifies." if self.ok else "The case does not verify.",
            f"Report: {self.report}",
        ]
        return "\n".join([*lines, *self.notes])


def default_folder() -> Path:
    """Return where the sample case stands unless a person names a folder for it."""
    return paths.user_data() / "sample"


def finished_sample(folder: Path | None = None) -> Path | None:
    """Return the sample case in ``folder``; None if there is none, or one that was never finished."""
    folder = folder or default_folder()
    case, report = folder / CASE, folder / REPORT
    return case if case.is_file() and report.is_file() else None  # the report is written last


def packaged_sample(folder: Path | None = None) -> Path | None:
    """Return a copy in ``folder`` of the sample case that the program was packaged with; None if there is none.

    One that is there without its report is kept under another name. Raises CannotWrite, CaseInUse.
    """
    if not (BUILT / CASE).is_file() or not (BUILT / REPORT).is_file():
        return None
    folder = folder or default_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _keep_older(folder / CASE)
        for name in (CASE, REPORT):  # the report last: with it the sample is finished
            part = folder / f"{name}.part"
            part.write_bytes((BUILT / name).read_bytes())
            part.replace(folder / name)
    except OSError as error:
        raise CannotWrite(path=folder, reason=error.strerror or type(error).__name__) from error
    return folder / CASE


def build_sample(
    engines: Engines,
    folder: Path | None = None,
    progress: Progress | None = None,
    *,
    on_step: Callable[[int], object] = lambda step: None,
    now: Callable[[], datetime] = utc_now,
) -> Sample:
    """Build the sample case and its report in ``folder`` (default: the person's own folder).

    It gets its name when all of it is there, so that one that was cancelled never counts as the sample. A sample case
    that is there already is kept under another name: somebody may have worked in it. ``on_step`` is called with the
    number of each of ``STEPS`` as it begins, from the thread that builds. Raises CaseInUse.
    """
    progress = progress or silent()
    began = time.monotonic()
    folder = folder or default_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(path=folder, reason=error.strerror or type(error).__name__) from error
    case = folder / CASE
    _check_free(case)
    scratch = folder / "building"
    _check_free(scratch / CASE)  # else another window is at it
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    try:
        sample = _build(scratch / CASE, scratch / REPORT, engines, progress, on_step, now)
        _keep_older(case)
        move_case(sample.case, case)
        sample.report.replace(folder / REPORT)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return replace(sample, case=case, report=folder / REPORT, seconds=time.monotonic() - began)


def _build(
    case: Path,
    report_file: Path,
    engines: Engines,
    progress: Progress,
    on_step: Callable[[int], object],
    now: Callable[[], datetime],
) -> Sample:
    plan = json.loads((FOLDER / "case.json").read_text("utf-8"))
    truth = json.loads((FOLDER / "expected.json").read_text("utf-8"))
    notes: list[str] = []
    with Workbench.create(case, engines, title=plan["title"], who=ANALYST, now=now) as bench:
        on_step(0)
        report_of_import = bench.documents.add([FOLDER / "documents"], progress, embed=False)
        on_step(1)
        try:
            bench.index.finish(progress)
        except (ModelMissing, ModelUnreadable, EngineStopped) as error:
            progress.check()
            notes.append(f"search by meaning: {error.sentence}")
        for hypothesis in plan["hypotheses"]:
            bench.hypotheses.add(hypothesis["text"], hypothesis.get("note", ""))
        on_step(2)
        proposals: tuple[Proposal, ...] = ()
        if engines.judge is None:
            notes.append(bench.review.judge_missing())
        else:
            proposals = bench.review.propose(progress=progress).proposals
        on_step(3)
        progress.check()
        _rate(bench, truth["ratings"], proposals)
        bench.case.end_building()
        missing = [passage for passage in truth["passages"] if not _is_proposed(passage, truth["passages"], proposals)]
        report = bench.reports.write(report_file)
        check = bench.case.verify(progress)
        leaders = bench.matrix.compute().leaders
    notes += [f"{problem.where}: {problem.what}" for problem in (*report_of_import.problems, *check.problems)]
    return Sample(
        case=case,
        report=report.file,
        documents=len(report_of_import.documents),
        proposals=len(proposals),
        leaders=leaders,
        expected_leaders=tuple(truth["leaders"]),
        matches=len(truth["passages"]) - len(missing),
        expected_count=len(truth["passages"]),
        missing=tuple(f"{passage['hypothesis']}: {passage['document']}: {passage['quote']}" for passage in missing),
        ok=check.ok,
        seconds=0.0,
        notes=tuple(notes),
    )


def _keep_older(case: Path) -> None:
    """Rename an earlier sample case. Raises CaseInUse."""
    if not case.exists():
        return
    number = 1
    while (other_name := case.with_name(f"{case.stem}-kept-{number}{case.suffix}")).exists():
        number += 1
    _check_free(case)
    move_case(case, other_name)


def _check_free(case: Path) -> None:
    """Raise CaseInUse where another program has the case open; what a crash left of it is taken in."""
    if not case.exists():
        return
    try:
        CaseFile.open(case).close()
    except CaseInUse:
        raise
    except AppError:
        pass  # a damaged or older file is nobody's


def _is_proposed(
    passage: dict[str, Any], all_passages: Sequence[dict[str, Any]], proposals: Sequence[Proposal]
) -> bool:
    """Return whether a proposal for that hypothesis quotes at least part of the passage.

    Or of the same words in another of the expected documents: a search shows one of several copies.
    """
    words = _flat(passage["quote"])
    copies = {passage["document"] for passage in all_passages if _flat(passage["quote"]) == words}
    return any(
        proposal.hypothesis == passage["hypothesis"]
        and proposal.name in copies
        and (words in (quote := _flat(proposal.quote.text)) or quote in words)
        for proposal in proposals
    )


def _flat(text: str) -> str:
    return " ".join(text.split())


def _rate(bench: Workbench, ratings: list[dict[str, Any]], proposals: tuple[Proposal, ...]) -> None:
    """Work the example: accept the proposal of a passage where there is one, else quote it by hand; then rate."""
    by_name = {document.name: document.id for document in bench.documents.all()}
    for item in ratings:
        document = by_name[item["document"]]
        contradicting = [
            proposal.id
            for proposal in proposals
            if proposal.quote.document == document and _flat(proposal.quote.text) == _flat(item["quote"])
        ]
        if contradicting:
            evidence = bench.review.accept(contradicting, rate=True).pairs[0][0]
        else:
            [match, *_] = bench.evidence.check(item["quote"], document).matches
            evidence = bench.evidence.add_quote(document, match.page, match.start, match.end).id
        bench.evidence.grade(evidence, credibility=item.get("credibility"), relevance=item.get("relevance"))
        for hypothesis, rating in item["ratings"].items():
            bench.evidence.rate(evidence, hypothesis, rating)
