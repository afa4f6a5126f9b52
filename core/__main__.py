"""The command line: the second client of the core. Everything the window does to a case can be done here.

``--json`` prints one JSON document on standard output and nothing else there; progress and messages go to standard
error. Exit codes: 0 done, 1 done with problems (listed), 2 wrong use, 3 an error with its remedy, 70 a fault of the
program itself (with a report to copy), 130 cancelled.
"""

from __future__ import annotations

import argparse
import getpass
import importlib
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TextIO, get_args

from core import __version__, files, paths, settings
from core import matrix as matrices
from core.cli import backup, review
from core.cli import models as model_commands
from core.cli.review import ReviewCommands, proposal_json, proposal_words
from core.cli.search import SearchCommands, declare
from core.documents import version_diff as versioning
from core.domain import (
    DEFAULT_RULE,
    RATINGS,
    Citation,
    Document,
    Evidence,
    Hypothesis,
    Level,
    Matrix,
    Passage,
    Probabilities,
    Verdict,
)
from core.errors import AppError, BadInput, BadRating, CannotWrite, ModelMissing, Problem, bug_report
from core.evidence import quotes as verification
from core.progress import Cancelled, Progress
from core.report.service import check_target
from core.review.judging import Judged, Skipping, judge_pair
from core.runtime import launch
from core.search.service import MODES
from core.text import columns, printable, printable_json
from core.verdicts import exam as exams
from core.verdicts import exam_results
from core.workbench import Workbench

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.documents.service import Preview
    from core.matrix.service import TimePoint
    from core.store import ImportedRow

Json = dict[str, Any]

_GRADES = ("reliability", "information", "date", "upstream", "note")


_BUG = 70  # the exit code of a fault of the program itself: EX_SOFTWARE of sysexits.h
_STANDARD_OUTPUT = "standard output"


def _say(line: str) -> None:
    """Write one line to standard error, as it can be shown on a terminal; what it does not take is let go."""
    try:
        print(printable(line), file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)


def _show(line: str) -> None:
    """Write one line to standard output. Raises CannotWrite where it takes none."""
    try:
        print(line)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWrite(path=_STANDARD_OUTPUT, reason=error.strerror or type(error).__name__) from error


class _Output:
    """Where results and messages go: the one place where anything of a case is printed, line by line and made safe to
    show. A line that holds a line end is not two."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._shown = 0.0

    def result(self, document: Json, text: Callable[[], str | Sequence[str]]) -> None:
        """Show a result: as JSON, or what ``text`` gives, one line or several."""
        if self.as_json:
            _show(_json(document))
            return
        lines = text()
        for line in [lines] if isinstance(lines, str) else lines:
            if line or not isinstance(lines, str):
                _show(printable(line))

    def problems(self, problems: Sequence[Problem]) -> int:
        for problem in problems:
            _say(f"{problem.where}: {problem.what} {problem.hint}")
        return 1 if problems else 0

    def warn(self, error: AppError) -> None:
        """Say what went wrong beside the work, which goes on."""
        _say(f"{error.sentence} {error.hint}")

    def progress(self) -> Progress:
        return Progress(self._step)

    def _step(self, done: int, total: int, what: str) -> None:
        now = time.monotonic()
        if now - self._shown < 1.0 and done < total:
            return
        self._shown = now
        _say(f"[{done}/{total}] {what}")


def _json(document: object) -> str:
    return printable_json(json.dumps(document, ensure_ascii=False))


# --- as JSON ---------------------------------------------------------------------------------------------------------


def _hypothesis_json(hypothesis: Hypothesis) -> Json:
    told = asdict(hypothesis)
    return {key: value for key, value in told.items() if key in ("id", "text", "note") or value not in ("", None)}


def _document_json(document: Document) -> Json:
    return {key: value for key, value in asdict(document).items() if value != "" or key == "title"}


def _passage_json(passage: Passage) -> Json:
    fields = asdict(passage)
    del fields["page_id"]
    return fields


def _evidence_json(evidence: Evidence, citation: Citation | None) -> Json:
    fields = asdict(evidence)
    del fields["page_id"]
    fields["more"] = [{k: v for k, v in part.items() if k != "page_id"} for part in fields["more"]]
    fields["label"] = citation.label if citation else ""
    fields["section"] = list(citation.section) if citation else []
    fields["place"] = citation.place if citation else ""
    fields["skipped"] = list(citation.skipped) if citation else []
    return fields


def _answer_json(answer: verification.Answer, text: str) -> Json:
    return {
        "status": answer.status,
        "altered": answer.altered,
        "matches": [
            {
                "document": match.document,
                "page": match.page,
                "start": match.start,
                "end": match.end,
                "text": match.text,
                "more": [asdict(part) for part in match.more],
                "skipped": [asdict(part) for part in match.skipped],
                "score": match.score,
                "altered": match.altered,
                "differences": [asdict(difference) for difference in match.differences],
                "diff": [asdict(edit) for edit in verification.edits(text, match.whole)] if match.differences else [],
            }
            for match in answer.matches
        ],
    }


def _match_words(match: verification.Match) -> list[str]:
    """'D1, page 3, 120-180: “...”', over a page break one place after the other, and what differs."""
    first = verification.Part(match.page, match.start, match.end, match.text)
    places = [f"page {part.page}, {part.start}-{part.end}: “{part.text}”" for part in (first, *match.more)]
    lines = [f"{match.document}, {'; '.join(places)}"]
    lines += [f"  skipped: [{each.text}] on page {each.page}" for each in match.skipped]
    lines += [f"  {each.what}: “{each.quote}” given, “{each.page}” on the page" for each in match.differences]
    return lines


def _problems_json(problems: Sequence[Problem]) -> list[Json]:
    return [asdict(problem) for problem in problems]


def _jsonl(path: str, needs: Sequence[str]) -> Iterator[Json]:
    """The lines of a JSON Lines file. Raises BadInput naming the first line that is not of the form."""
    try:
        text = Path(path).read_text("utf-8") if path != "-" else sys.stdin.read() if sys.stdin is not None else ""
        lines = text.split("\n")
    except (OSError, ValueError) as error:
        raise BadInput(
            reason=f"The file {path} cannot be read ({type(error).__name__}).", remedy="Check its path and encoding."
        ) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not (
            isinstance(row, dict)
            and row.keys() >= set(needs)
            and all(isinstance(row[key], str) for key in needs if key != "id")
            and isinstance(row.get("document", ""), str | None)
        ):
            raise BadInput(
                reason=f"Line {number} of {path} is not an object with {', '.join(needs)}.",
                remedy="Write one JSON object per line, with texts and document ids as strings.",
            )
        yield row


@contextmanager
def _lines_to(path: str | None, case: str | None = None) -> Iterator[Callable[[Json], None]]:
    """What writes one JSON object as a line: to the file, which appears whole, or to standard output."""
    if path is None:
        yield lambda document: _show(_json(document))
        return
    check_target(Path(path))
    with files.replacing(Path(path), never=Path(case) if case else None) as stream:
        yield lambda document: _written(stream, _json(document))


def _written(stream: BinaryIO, line: str) -> None:
    stream.write(f"{line}\n".encode("utf-8", "backslashreplace"))


# Fields of an imported file that are always there; the others where there is something to say.
_ALWAYS = ("id", "name", "sha256", "pages", "chunks", "status")
_PREVIEWED = {
    "new": "new",
    "copies": "copies of documents already in the case",
    "again": "that failed or were removed earlier",
    "changed": "newer versions of documents, going by their path",
    "without_text": "of types that hold no text",
    "cases": "cases or files that belong to a case, left out",
    "too_large": "too large for a case",
    "missing": "not there",
}


def _parts(preview: Preview) -> dict[str, Sequence[object]]:
    return {name: getattr(preview, name) for name in _PREVIEWED}


def _said(document: Document) -> list[str]:
    """What an analyst said of a document."""
    grade = document.reliability + document.information
    said = (document.language, ", ".join(document.tags), document.origin, grade, document.dated, document.note)
    return [part for part in said if part]


def _why(row: ImportedRow) -> str:
    like = f"{row.measure} {row.score:.2f} " if row.score is not None else ""
    return f"{like}{f'of {row.of} ' if row.of else ''}{row.reason} {row.remedy}".strip()


# Arguments that name files, whose names may be any bytes; all others are text.
_PATHS = ("case", "paths", "other", "file", "output", "out", "jsonl", "source", "folder", "model", "rerank", "wanted")


def _whole(value: object) -> object:
    """An argument without halves of characters, which stand for bytes that are no text."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case list():
            return [_whole(item) for item in value]
    return value


# --- commands --------------------------------------------------------------------------------------------------------


class _Commands(ReviewCommands, SearchCommands, model_commands.ModelCommands, backup.BackupCommands):
    """One method a command; each returns the exit code."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.a = arguments
        self.out = _Output(arguments.json)
        self.settings = settings.load()
        for name, value in vars(arguments).items():
            if name not in _PATHS:
                setattr(arguments, name, _whole(value))
        # Several people may work on one computer's cases by script.
        self.who: str = arguments.who or self.settings.who

    def close(self) -> None:
        if self._engines is not None:
            launch.close(self._engines)

    def _open(self) -> Workbench:
        without = self.a.without_unsaved
        bench = Workbench.open(Path(self.a.case), self.engines, who=self.who, without_unsaved=without)
        if self.settings.backups:
            space = self.settings.backup_space * 1_000_000
            bench.backups.before_first_write(lambda error: self.out.warn(error), space=space)
        if (fault := bench.case.fault_at_opening()) is not None:
            self.out.warn(fault)
        return bench

    def new(self) -> int:
        path = Path(self.a.case)
        with Workbench.create(path, self.engines, title=self.a.title or "", who=self.who) as bench:
            title = bench.case.title()
        self.out.result({"case": str(path), "title": title}, lambda: f"New case “{title}” at {path}")
        return 0

    def add(self) -> int:
        paths = [Path(path) for path in self.a.paths]
        if self.a.preview:
            return self._preview(paths)
        with self._open() as bench:
            report = bench.documents.add(
                paths, self.out.progress(), passwords=self.a.password, changed_only=self.a.changed
            )
        return self._imported(report)

    def _preview(self, paths: Sequence[Path]) -> int:
        with self._open() as bench:
            found = bench.documents.preview(paths, self.out.progress())
        pairs = ("copies", "again", "changed")
        told: Json = {name: [str(path) for path in part] for name, part in _parts(found).items() if name not in pairs}
        told |= {name: [{"path": str(path), "of": of} for path, of in getattr(found, name)] for name in pairs}
        self.out.result(
            {"files": found.files, **told},
            lambda: [f"{len(part)} {_PREVIEWED[name]}" for name, part in _parts(found).items() if part],
        )
        return 0

    def _imported(self, report: ImportReport) -> int:
        documents = [
            {key: value for key, value in asdict(item).items() if key in _ALWAYS or value} for item in report.documents
        ]
        by_status = {
            s: sum(i.status == s for i in report.documents) for s in ("added", "near_duplicate", "duplicate", "failed")
        }
        inside = sum(bool(item.parent) for item in report.documents)
        near, newer = by_status["near_duplicate"], sum(bool(item.version_of) for item in report.documents)
        self.out.result(
            {
                "documents": documents,
                "problems": _problems_json(report.problems),
                "submitted": len(documents) - inside,
                "inside": inside,
                "unchanged": report.unchanged,
                "seconds": round(report.seconds, 3),
            },
            lambda: [
                f"{len(documents) - inside} submitted{f', {inside} inside them' if inside else ''}: "
                f"{by_status['added'] + near} added"
                + (f" ({near} nearly the same as another)" if near else "")
                + (f" ({newer} newer versions)" if newer else "")
                + f", {by_status['duplicate']} duplicates, {by_status['failed']} failed"
                + (f"; {report.unchanged} unchanged" if report.unchanged else "")
                + f", in {report.seconds:.1f} s",
                *(
                    f"{item.id} is a newer version of {item.version_of}"
                    + (f", which {', '.join(item.dependents)} quote" if item.dependents else "")
                    for item in report.documents
                    if item.version_of
                ),
                *(
                    f"{item.id} may be a newer version of {item.may_replace}: the names are the same"
                    for item in report.documents
                    if item.may_replace
                ),
            ],
        )
        return self.out.problems(report.problems)

    def retry(self) -> int:
        with self._open() as bench:
            report = bench.documents.retry(self.a.documents or None, self.out.progress(), passwords=self.a.password)
        return self._imported(report)

    def unlock(self) -> int:
        password = self.a.password
        if password is None:
            if sys.stdin is None or not sys.stdin.isatty():
                raise BadInput(reason="No password was given.", remedy="disconfirm unlock CASE D1 --password WORD")
            password = getpass.getpass("Password: ")
        with self._open() as bench:
            report = bench.documents.unlock(self.a.documents, password, self.out.progress())
        return self._imported(report)

    def imports(self) -> int:
        with self._open() as bench:
            rows = bench.documents.imports(0 if self.a.last else None)
        runs: dict[int, list[Json]] = {}
        for row in rows:
            told = {key: value for key, value in asdict(row).items() if value not in ("", None)}
            runs.setdefault(told.pop("run"), []).append(told)
        self.out.result(
            {"imports": [{"run": run, "at": found[0]["at"], "files": found} for run, found in runs.items()]},
            lambda: [columns(row.run, row.at, row.status, row.document or "-", row.name, _why(row)) for row in rows],
        )
        return 0

    def remove(self) -> int:
        with self._open() as bench:
            gone = bench.documents.remove(self.a.documents, with_evidence=self.a.with_evidence).dependents
        self.out.result(
            {"removed": list(gone.documents), **{k: v for k, v in asdict(gone).items() if k != "documents"}},
            lambda: (
                f"{', '.join(gone.documents)} removed"
                + (f" with {', '.join(gone.evidence)} and {gone.cells} ratings" if gone.evidence else "")
                + (f" and {gone.proposals} proposals" if gone.proposals else "")
                + "; undo brings it back"
            ),
        )
        return 0

    def ocr(self) -> int:
        with self._open() as bench:
            report = bench.ocr.read(
                self.a.documents or None,
                self.out.progress(),
                languages=tuple(part for told in self.a.language for part in told.split("+")),
                again=self.a.again,
            )
        self.out.result(
            {
                "pages": report.pages,
                "words": report.words,
                "stale": list(report.stale),
                "problems": _problems_json(report.problems),
                "seconds": round(report.seconds, 3),
            },
            lambda: [
                f"{report.pages} pages read, {report.words} words, in {report.seconds:.1f} s",
                *([f"quotes that changed: {', '.join(report.stale)}"] if report.stale else ()),
            ],
        )
        return self.out.problems(report.problems)

    def documents(self) -> int:
        with self._open() as bench:
            if self.a.action == "set":
                names = ("origin", "reliability", "information", "dated", "note", "add_tags", "remove_tags")
                given = {name: getattr(self.a, name) for name in names if getattr(self.a, name) is not None}
                if not self.a.documents or not given:
                    raise BadInput(
                        reason="Nothing to set was given.", remedy="disconfirm documents CASE set D1 --tag TAG"
                    )
                bench.documents.describe(self.a.documents, **given)
            documents, failed, removed = bench.documents.all(), bench.documents.failed(), bench.documents.removed()
            locked = bench.documents.locked()
        self.out.result(
            {
                "documents": [_document_json(d) for d in documents],
                "failed": [{**_document_json(d), **({"locked": True} if d.id in locked else {})} for d in failed],
                "removed": [_document_json(d) for d in removed],
            },
            lambda: [
                *(columns(d.id, d.status, f"{d.pages} p.", d.name, *_said(d)) for d in documents),
                *(columns(d.id, "failed", d.name, f"{d.reason} {d.remedy}") for d in failed),
                *(columns(d.id, "removed", d.name) for d in removed),
            ],
        )
        return 0

    def versions(self) -> int:
        with self._open() as bench:
            both = bench.documents.compare_versions(self.a.one, self.a.other)
        found: list[Json] = []
        for each in both.differences:
            if each.kind != "same":
                before, after = both.old[each.old_start : each.old_end], both.new[each.new_start : each.new_end]
                places = both.old_place(each.old_start)[0], both.new_place(each.new_start)[0]
                found.append(
                    {
                        "kind": each.kind,
                        "reasons": list(each.reasons),
                        "before": {"page": places[0], "text": " ".join(before.split())},
                        "after": {"page": places[1], "text": " ".join(after.split())},
                    }
                )
        self.out.result(
            {
                "one": both.one.id,
                "other": both.other.id,
                "figures": versioning.figures(both.differences),
                "differences": found,
            },
            lambda: (
                [
                    f"p. {d['before']['page']} / {d['after']['page']}\t{', '.join(d['reasons']) or d['kind']}"
                    f"\t{d['before']['text']} -> {d['after']['text']}"
                    for d in found
                ]
                or "The texts are the same."
            ),
        )
        return 0

    def page(self) -> int:
        with self._open() as bench:
            page = bench.documents.proven_page(self.a.document, self.a.page)
        fields: Json = {"document": page.document, "page": page.number, "text": page.text, "source": page.source}
        if page.confidence is not None:
            fields["confidence"] = page.confidence
        self.out.result(fields, lambda: page.text.split("\n") if page.text else "(no text: needs OCR)")
        return 0

    def hypothesis(self) -> int:
        with self._open() as bench:
            if self.a.action == "add":
                if not self.a.text:
                    raise BadInput(reason="A hypothesis cannot be empty.", remedy="disconfirm hypothesis CASE add TEXT")
                bench.hypotheses.add(self.a.text, self.a.note or "")
            elif self.a.action == "remove":
                bench.hypotheses.remove(self.a.text or "")
            elif self.a.action == "mark":
                bench.hypotheses.set_kind(self.a.text or "", self.a.kind)
            elif self.a.action == "priors":
                bench.hypotheses.set_priors(dict(self.a.prior) if self.a.prior else None)
            hypotheses = bench.hypotheses.all()
        self.out.result(
            {"hypotheses": [_hypothesis_json(h) for h in hypotheses]},
            lambda: [columns(h.id, h.text) for h in hypotheses],
        )
        return 0

    def search(self) -> int:
        options = {
            "k": self.a.k,
            "include": self.a.document or None,
            "exclude": self.a.exclude or (),
            "mode": self.a.mode,
            "min_similarity": self.a.min_similarity,
            "per_document": self.a.per_document,
            "strict": self.a.strict,
        }
        if self.a.jsonl:
            rows = list(_jsonl(self.a.jsonl, ("id", "text")))
            with self._open() as bench, _lines_to(self.a.out, self.a.case) as write:
                for row, result in zip(
                    rows, bench.search.search_many([r["text"] for r in rows], **options), strict=True
                ):
                    write({"id": row["id"], "passages": [_passage_json(p) for p in result.passages]})
            return 0
        if not self.a.text:
            raise BadInput(reason="Nothing to search for.", remedy="disconfirm search CASE TEXT")
        with self._open() as bench:
            if self.a.conditions:
                # In words of their own: what --document and --exclude say is document: and -document: there.
                del options["include"], options["exclude"]
                found = bench.search.find(self.a.text, **options)
            else:
                found = bench.search.passages_for(self.a.text, **options)
        self.out.result(
            {
                "query": found.query,
                "passages": [_passage_json(p) for p in found.passages],
                "copies": [_passage_json(copy) for group in found.copies.values() for copy in group],
                "confidence": found.confidence,
                "seconds": round(found.seconds, 4),
                "notes": list(found.notes),
            },
            lambda: list(
                [
                    line
                    for p in found.passages
                    for line in (
                        f"{p.rank}. {p.name}, page {p.page} ({p.confidence})",
                        f"   {' '.join(p.text.split())[:200]}",
                    )
                ]
                + list(found.notes)
            ),
        )
        return 0

    def propose(self) -> int:
        with self._open() as bench:
            if self.a.even:
                report = bench.review.even_out(self.a.hypothesis or None, progress=self.out.progress())
            else:
                report = bench.review.propose(
                    self.a.hypothesis or None,
                    passages=self.a.passages,
                    min_similarity=self.a.min_similarity,
                    per_document=self.a.per_document,
                    progress=self.out.progress(),
                )
            card = bench.verdicts.judge_card()
            made = {proposal.id for proposal in report.proposals}
            seen = {proposal.id: proposal for proposal in bench.verdicts.proposals() if proposal.id in made}
        shown = [seen[proposal.id] for proposal in report.proposals]
        effort = [report.effort] if report.effort else []
        notes = [*effort, *report.notes, *([card.summary] if card else [])]
        self.out.result(
            {
                "proposals": [proposal_json(p) for p in shown],
                "passages_judged": report.passages_judged,
                "searches": report.searches,
                "seconds": round(report.seconds, 3),
                "notes": notes,
            },
            lambda: list(
                [
                    f"{p.id} {p.hypothesis} {proposal_words(p)}: {p.name}, page {p.quote.page}: “{p.quote.text}”"
                    for p in shown
                ]
                + notes
            ),
        )
        return 0

    def proposals(self) -> int:
        with self._open() as bench:
            proposals = bench.verdicts.proposals(self.a.hypothesis, self.a.status)
        self.out.result(
            {"proposals": [proposal_json(p) for p in proposals]},
            lambda: [f"{p.id} {p.hypothesis} {proposal_words(p)} {p.status}: “{p.quote.text}”" for p in proposals],
        )
        return 0

    def classify(self) -> int:
        judge = self.engines.judge
        if judge is None:
            raise ModelMissing(role="judging", path="the models folder", effect="no passage can be judged")
        rows = list(_jsonl(self.a.jsonl, ("id", "passage", "hypothesis")))
        progress = self.out.progress()
        exam_results.required(self.engines, progress)
        problems: list[Problem] = []
        skipping = Skipping(judge)
        with _lines_to(self.a.out) as write:
            for done, row in enumerate(rows):
                progress.step(done, len(rows), "Judging")

                def judged_pair(hypotheses: Sequence[str], row: Json = row) -> Judged:
                    with progress.asking():
                        return judge_pair(judge, row["passage"], *hypotheses)

                judged = skipping.read(f"{row['id']}", [row["hypothesis"]], judged_pair)
                problem = "" if judged else skipping.reason(row["hypothesis"])
                if judged is None:
                    # Nothing is known of it, which is what an even distribution says.
                    problems.append(Problem(f"{row['id']}", problem, ""))
                    even = Probabilities(1 / 3, 1 / 3, 1 / 3)
                    judged = Judged(Verdict("ambiguous", even, judge.fingerprint), 0, 0, "")
                line = {
                    "id": row["id"],
                    "verdict": judged.verdict.label,
                    "probabilities": asdict(judged.verdict.probabilities),
                    "quote": row["passage"][judged.start : judged.end],
                    "start": judged.start,
                    "end": judged.end,
                    **({"problem": problem} if problem else {}),
                }
                write(line)
        return self.out.problems(problems)

    def exam(self) -> int:
        """The exam of the judge in use, or of another model file; sat where there is no result yet."""
        if self.a.model:
            self.settings = replace(self.settings, judge=str(Path(self.a.model).absolute()))
        judge = self.engines.judge
        if judge is None:
            raise ModelMissing(role="judging", path="the models folder", effect="no exam can be run")
        result = None if self.a.again else exam_results.result_of(judge.fingerprint)
        result = result or exam_results.sit(judge, self.out.progress())
        told = {**asdict(result), "passed": result.passed}
        self.out.result(told, lambda: list(exams.lines(result)))
        return 0 if result.passed else 1

    def accept(self) -> int:
        with self._open() as bench:
            accepted = bench.review.accept(self.a.proposals, rate=self.a.rate)
        self.out.result(
            {"evidence": [{"id": evidence, "proposal": proposal} for evidence, proposal in accepted.pairs]},
            lambda: [f"{proposal} is now {evidence}" for evidence, proposal in accepted.pairs],
        )
        return 0

    def reject(self) -> int:
        with self._open() as bench:
            bench.review.reject(self.a.proposals)
        self.out.result({"rejected": self.a.proposals}, lambda: f"{len(self.a.proposals)} rejected")
        return 0

    def undo(self) -> int:
        with self._open() as bench:
            undone = bench.case.undo() if self.a.command == "undo" else bench.case.redo()
        verb = undone.verb if undone else None
        self.out.result({self.a.command: verb}, lambda: f"{self.a.command}: {verb}" if verb else "nothing to do")
        return 0

    redo = undo

    def evidence(self) -> int:
        with self._open() as bench:
            if self.a.action == "add":
                bench.evidence.add(
                    self.a.text or "", self.a.source or "", credibility=self.a.credibility, relevance=self.a.relevance
                )
            elif self.a.action == "remove":
                bench.evidence.remove(self.a.text or "")
            elif self.a.action == "grade":
                names = (*("source", "credibility", "relevance"), *_GRADES)
                given = {name: getattr(self.a, name) for name in names if getattr(self.a, name) is not None}
                bench.evidence.describe([self.a.text or ""], **given)
            evidence = bench.evidence.all()
            cited = bench.evidence.cite(evidence)
        self.out.result(
            {"evidence": [_evidence_json(e, cited.get(e.id)) for e in evidence]},
            lambda: [columns(e.id, e.source, e.text) for e in evidence],
        )
        return 0

    def rate(self) -> int:
        value = self.a.rating.upper()
        if value not in (*RATINGS, "-"):
            raise BadRating(value=self.a.rating)
        cell = (self.a.evidence, self.a.hypothesis)
        with self._open() as bench:
            bench.evidence.rate(*cell, None if value == "-" else value)
            if self.a.note is not None or self.a.confidence is not None:
                bench.evidence.annotate(*cell, note=self.a.note, confidence=self.a.confidence)
            who = bench.case.who
        rating = {
            **{"evidence": cell[0], "hypothesis": cell[1], "rating": None if value == "-" else value},
            **{"by": who, "note": self.a.note or "", "confidence": self.a.confidence or ""},
        }
        self.out.result({"rating": rating}, lambda: f"{cell[0]} against {cell[1]}: {value} ({who})")
        return 0

    def group(self) -> int:
        with self._open() as bench:
            group = bench.matrix.group()
        self.out.result(
            asdict(group),
            lambda: [
                *(
                    f"{o.by}: {_shares(o.coherent)} from {o.rated} rating{'' if o.rated == 1 else 's'}; "
                    f"{o.comparison.sentence or matrices.outcome(o.leaders)}"
                    for o in group.opinions
                ),
                f"mean: {_shares(group.mean)}",
                f"coherent aggregate: {_shares(group.aggregate)}",
                *(f"{d.evidence} against {d.hypothesis}: {d.level}, {d.ratings}" for d in group.disputes),
            ],
        )
        return 0

    def history(self) -> int:
        with self._open() as bench:
            past = bench.evidence.history(self.a.evidence, self.a.hypothesis)
        self.out.result(
            {"history": [asdict(item) for item in past]},
            lambda: [
                columns(p.at, p.who, p.verb, p.hypothesis, f"{p.before or '-'} -> {p.after or '-'}") for p in past
            ],
        )
        return 0

    def timeline(self) -> int:
        with self._open() as bench:
            points = bench.matrix.over_time(self.a.view)
        self.out.result(
            {"points": [asdict(point) for point in points]},
            lambda: [f"{p.at}\t{p.verb}\t{_led(p)}" for p in points],
        )
        return 0

    def changed(self) -> int:
        with self._open() as bench:
            found = bench.matrix.what_changed(self.a.before, self.a.after, self.a.view)
        self.out.result(
            {
                **{
                    name: {
                        "leaders": {rule: list(who) for rule, who in matrix.leaders.items()},
                        "why": matrix.comparison.sentence,
                    }
                    for name, matrix in (("before", found.before), ("after", found.after))
                },
                "moves": [asdict(move) for move in found.moves],
            },
            lambda: [f"{'*' if move.moved else ' '} {move.sentence}" for move in found.moves],
        )
        return 0

    def merge(self) -> int:
        with self._open() as bench:
            merged = bench.case.merge(Path(self.a.other), self.out.progress())
        counts = ("documents", "hypotheses", "evidence", "ratings", "proposals", "considerations")
        self.out.result(
            {
                **{name: getattr(merged, name) for name in counts},
                "conflicts": list(merged.conflicts),
                "problems": _problems_json(merged.problems),
            },
            lambda: [", ".join(f"{getattr(merged, name)} {name}" for name in counts) + " added", *merged.conflicts],
        )
        return self.out.problems(merged.problems)

    def consider(self) -> int:
        with self._open() as bench:
            if self.a.action == "done":
                bench.hypotheses.edit_consideration(self.a.text or "", status="done")
            elif self.a.action == "remove":
                bench.hypotheses.remove_consideration(self.a.text or "")
            elif self.a.action != "list":
                bench.hypotheses.add_consideration(
                    self.a.action, self.a.text or "", hypothesis=self.a.hypothesis or "", query=self.a.query or ""
                )
            found = bench.hypotheses.considerations()
            hits = bench.hypotheses.check_indicators() if any(item.kind == "indicator" for item in found) else ()
        self.out.result(
            {"considerations": [asdict(item) for item in found], "indicated": [asdict(hit) for hit in hits]},
            lambda: [
                *(columns(c.id, c.kind, c.status, c.hypothesis or "-", c.text) for c in found),
                *(f"{hit.consideration}: {hit.name}, page {hit.page}: “{hit.text}”" for hit in hits),
            ],
        )
        return 0

    def absence(self) -> int:
        with self._open() as bench:
            added = bench.evidence.add_absence(self.a.hypothesis, self.a.text, self.a.query)
            row = next(item for item in bench.evidence.all() if item.id == added.id)
        self.out.result({"evidence": _evidence_json(row, None)}, lambda: columns(row.id, row.text, row.source))
        return 0

    def case_settings(self) -> int:
        with self._open() as bench:
            kept = bench.case.settings()
            if self.a.weight:
                bench.case.change_settings(grade_weights={**kept.grade_weights, **dict(self.a.weight)})
            if self.a.blind is not None:
                bench.case.change_settings(blind=self.a.blind == "on")
            if self.a.strict is not None:
                bench.case.change_settings(strict=self.a.strict == "on")
            kept = bench.case.settings()
        self.out.result(
            asdict(kept),
            lambda: [
                f"blind\t{'on' if kept.blind else 'off'}",
                f"strict\t{'on' if kept.strict else 'off'}",
                *(f"{g}\t{w:g}" for g, w in kept.grade_weights.items()),
            ],
        )
        return 0

    def matrix(self) -> int:
        if self.a.source:
            try:
                given = json.loads(Path(self.a.source).read_text("utf-8"))
            except (OSError, ValueError, RecursionError) as error:
                raise BadInput(
                    reason=f"The file {self.a.source} is not a readable JSON matrix ({type(error).__name__}).",
                    remedy="Give a JSON file with hypotheses, and evidence with ratings.",
                ) from error
            scored = matrices.from_json(given)
            self.out.result(scored, lambda: json.dumps(scored, ensure_ascii=False, indent=1).split("\n"))
            return 0
        if not self.a.case:
            raise BadInput(
                reason="Neither a case nor a file was given.", remedy="disconfirm matrix CASE, or --from FILE.json"
            )
        with self._open() as bench:
            matrix = bench.matrix.compute(
                self.a.view, without_rows=self.a.without, without_sources=self.a.without_source, as_of=self.a.as_of
            )
            texts = {h.id: h.text for h in bench.hypotheses.all()}
        document = matrices.to_json(matrix, texts)
        rule = self.a.rule or DEFAULT_RULE
        if rule not in matrix.scores:
            raise BadInput(reason=f"There is no scoring rule '{rule}'.", remedy=f"Use {', '.join(matrix.scores)}.")
        document["rule"] = rule

        def text() -> list[str]:
            places = {h: at for at, h in enumerate(matrix.order)}
            ranks = matrix.ranks[rule]
            ranked = sorted(texts, key=lambda h: (ranks.get(h, 0), places.get(h, 0)))
            lines = [
                f"{ranks.get(h, '-')}\t{_score(matrix, rule, h)}\t{matrices.coverage(matrix, h)}\t{h} {texts[h]}"
                for h in ranked
            ]
            return [*lines, *matrix.warnings]

        self.out.result(document, text)
        return 0

    def import_matrix(self) -> int:
        with self._open() as bench:
            came = bench.matrix.import_file(Path(self.a.file), self.out.progress(), choose=self.a.matrix or "")
        counts = ("hypotheses", "matched", "evidence", "ratings", "unrated")
        self.out.result(
            {
                "file": came.file,
                "title": came.title,
                "format": came.format,
                **{name: getattr(came, name) for name in counts},
                "problems": _problems_json(came.problems),
                "left_out": list(came.left_out),
            },
            lambda: [
                f"“{came.title}” ({came.format}): {came.hypotheses} hypotheses, {came.matched} of them in the "
                f"case already, {came.evidence} pieces of evidence, {came.ratings} ratings, {came.unrated} cells "
                "unrated",
                *came.left_out,
            ],
        )
        return self.out.problems(came.problems)

    def quote(self) -> int:
        if self.a.jsonl:
            rows = list(_jsonl(self.a.jsonl, ("id", "text")))
            with self._open() as bench, _lines_to(self.a.out, self.a.case) as write:
                answers = bench.evidence.check_many([(row["text"], row.get("document")) for row in rows])
                for row, answer in zip(rows, answers, strict=True):
                    write({"id": row["id"], **_answer_json(answer, row["text"])})
            return 0
        if not self.a.text:
            raise BadInput(reason="No quote given.", remedy="disconfirm quote CASE TEXT")
        with self._open() as bench:
            answer = bench.evidence.check(self.a.text, self.a.document)
        self.out.result(
            _answer_json(answer, self.a.text),
            lambda: list(
                ["altered" if answer.altered else answer.status]
                + [line for match in answer.matches for line in _match_words(match)]
            ),
        )
        return 0

    def report(self) -> int:
        with self._open() as bench:
            written = bench.reports.write(Path(self.a.output), as_of=self.a.as_of, progress=self.out.progress())
        self.out.result(
            {"file": str(written.file), "bytes": written.bytes, "sha256": written.sha256},
            lambda: f"{written.file} ({written.bytes} bytes, sha256 {written.sha256})",
        )
        return self.out.problems(written.problems)

    def verify(self) -> int:
        with self._open() as bench:
            check = bench.case.verify(self.out.progress())
            check = bench.case.holds_head(check, self.a.head) if self.a.head else check
        self.out.result(
            {
                "ok": check.ok,
                "checked": dict(check.checked),
                "problems": _problems_json(check.problems),
                "head": check.head,
            }
            | ({"notes": list(check.notes)} if check.notes else {}),
            lambda: [
                "The case is sound." if check.ok else "The case has problems.",
                *check.notes,
                f"The log ends with {check.head}.",
            ],
        )
        return self.out.problems(check.problems)

    def rebuild(self) -> int:
        with self._open() as bench:
            bench.case.rebuild_index()
            bench.index.finish(self.out.progress())
            counts = bench.case.counts()
        self.out.result({"rebuilt": True, "counts": counts}, lambda: "The search index was rebuilt.")
        return 0

    def embed(self) -> int:
        """Vectors for the passages that have none of the current search model, which ``--model`` changes."""
        note = ""
        if self.a.model is not None:
            folder = None if self.a.model == "default" else Path(self.a.model)
            self._engines, found = launch.choose_embedder(self.engines, folder)
            note = found.note
        if self.a.rerank is not None:
            self._engines = launch.choose_reranker(
                self.engines, None if self.a.rerank == "none" else Path(self.a.rerank)
            )
        with self._open() as bench:
            report = None if self.a.status else bench.index.build(self.out.progress())
            forgotten = bench.index.forget() if self.a.forget else ()
            state = bench.index.status()
        told: Json = {
            "model": state.model,
            "passages": state.passages,
            "done": state.done,
            "waiting": state.waiting,
            "searched_with": state.searched_with,
            "others": [asdict(one) for one in state.others],
            "embedded": report.embedded if report else 0,
            "reused": report.reused if report else 0,
            "forgotten": [asdict(one) for one in forgotten],
            "reranker": bench.engines.reranker.fingerprint if bench.engines.reranker else "",
            "reason": state.reason,
            "note": note,
            "seconds": round(report.seconds, 3) if report else 0.0,
        }

        def text() -> list[str]:
            lines = [f"{state.done:,} of {state.passages:,} passages have a vector of {state.model or 'no model'}"]
            lines += [f"deleted: {one.passages:,} vectors of {one.model}" for one in forgotten]
            lines += [f"stored: {one.passages:,} vectors of {one.model}, {one.size:,} bytes" for one in state.others]
            return [*lines, *filter(None, (state.said, note))]

        self.out.result(told, text)
        return 0

    def demo(self) -> int:
        from core.sample_case import build_sample

        folder = Path(self.a.folder) if self.a.folder else None
        if not self.a.no_window and not self.a.json and _has_display():
            return self._window(None, sample=True, folder=folder)  # built there, unless it stands already
        sample = build_sample(self.engines, folder, self.out.progress())
        self.out.result(sample.as_json(), lambda: sample.as_text().split("\n"))
        self.close()
        if not self.a.no_window and _has_display():
            return self._window(sample.case)
        return 0 if sample.as_expected else 1

    def doctor(self) -> int:
        """What is installed, what runs, and what each engine is kept from."""
        judge = launch.judge_files(self.settings)
        models = {
            "embedder": self.settings.embedder_folder,
            "judge": judge[0] if judge else paths.models() / paths.JUDGE,
            **({"adapter": judge[1]} if judge and judge[1] else {}),
        }
        states = launch.confinement(self.engines, start=True)
        told: Json = {
            "versions": {"disconfirm": __version__, "python": platform.python_version(), **_versions()},
            "system": platform.platform(),
            "models": {name: {"path": str(path), "here": path.exists()} for name, path in models.items()},
            "languages_of_scans": list(paths.ocr_languages()),
            "missing_for_scans": launch.ocr_note(),
            "documents_at_a_time": len(self.engines.readers),
            "engines": [{**asdict(state), "cannot": list(_cannot(state))} for state in states],
        }

        def text() -> list[str]:
            lines = [f"{name}\t{version}" for name, version in told["versions"].items()]
            lines.append(f"system\t{told['system']}")
            lines += [f"{name}\t{'here' if path.exists() else 'not here'}\t{path}" for name, path in models.items()]
            lines.append(f"OCR languages\t{', '.join(paths.ocr_languages()) or 'none'}")
            if told["missing_for_scans"]:
                lines.append(f"scans\t{told['missing_for_scans']}")
            lines.append(f"documents read at a time\t{told['documents_at_a_time']}")
            for state in states:
                said = state.problem or state.fingerprint if state.here else "not on this computer"
                lines.append(f"{state.name}\t{said}")
                if state.confinement is not None:
                    lines.append(f"\tcannot: {'; '.join(_cannot(state)) or 'no restrictions'}")
                    lines.append(f"\t{state.confinement.detail}")
            return lines

        self.out.result(told, text)
        return 1 if any(state.problem for state in states) else 0

    def gui(self) -> int:
        return self._window(Path(self.a.case) if self.a.case else None)

    @staticmethod
    def _window(case: Path | None, *, sample: bool = False, folder: Path | None = None) -> int:
        window = importlib.import_module("gui_app.__main__")
        return int(window.main([str(case)] if case else [], sample=sample, folder=folder))


def _led(point: TimePoint) -> str:
    """Who led at a moment; else nobody, with the order so far."""
    if point.leaders:
        return ", ".join(point.leaders)
    return f"nobody (provisional: {matrices.order(point.provisional)})" if point.provisional else "nobody"


def _score(matrix: Matrix, rule: str, hypothesis: str) -> str:
    """Three decimals; of a rule whose figures add up to 1 none where hypotheses are rated on different rows."""
    if rule == "bayes" and not matrix.leaders.get(rule):
        return "-"
    return f"{matrix.scores[rule].get(hypothesis, 0):.3f}"


def _shares(values: Mapping[str, float]) -> str:
    return ", ".join(f"{h} {value:.3f}" for h, value in values.items()) or "not set"


def _versions() -> dict[str, str]:
    """Of the packages that the program names as needed, those that are installed."""
    found = {}
    with suppress(metadata.PackageNotFoundError):  # there is no list of them in a frozen build
        for line in metadata.requires("disconfirm") or ():
            name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
            with suppress(metadata.PackageNotFoundError):
                found[name] = metadata.version(name)
    return dict(sorted(found.items(), key=lambda item: item[0].casefold()))


def _cannot(state: launch.EngineState) -> tuple[str, ...]:
    return state.confinement.cannot if state.confinement is not None else ()


def _has_display() -> bool:
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


# --- grammar ---------------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """A parser whose messages can be shown on a terminal, whatever was typed."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    # Given on both levels, so that --json may stand before or after the command.
    common = _Parser(add_help=False)
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document on stdout")
    common.add_argument("--who", default=argparse.SUPPRESS, metavar="NAME", help="sign decisions with this name")
    without = "open a case that was not closed properly, even though its last changes are missing"
    common.add_argument("--without-unsaved", action="store_true", default=argparse.SUPPRESS, help=without)
    parser = _Parser(
        prog="disconfirm",
        description="Analysis of Competing Hypotheses over a local corpus; every quote is a span of a page.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--who", default="", metavar="NAME", help="sign decisions with this name")
    parser.add_argument("--without-unsaved", action="store_true", help=without)
    parser.add_argument("--version", action="version", version=f"disconfirm {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, words: str, *, case: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=words, description=words, parents=[common])
        if case:
            sub.add_argument("case", metavar="CASE", help="the case file")
        return sub

    def levels(sub: argparse.ArgumentParser) -> None:
        for option in ("--credibility", "--relevance"):
            sub.add_argument(option, choices=get_args(Level))

    def view(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--view", default="", metavar="group|mine|NAME", help="whose ratings")

    def passwords(sub: argparse.ArgumentParser) -> None:
        words = "password to try on protected files; other users of this computer can see it while the command runs"
        sub.add_argument("--password", nargs="+", action="extend", default=[], metavar="WORD", help=words)

    def lines(sub: argparse.ArgumentParser, *, required: bool = False) -> None:
        sub.add_argument("--jsonl", metavar="IN", required=required, help="JSON Lines to read, - for standard input")
        sub.add_argument("--out", metavar="OUT", help="JSON Lines to write (default: standard output)")

    def selection(sub: argparse.ArgumentParser) -> None:
        sub.add_argument(
            "--min-similarity", type=float, default=0.0, metavar="X", help="minimum cosine similarity, 0 to 1"
        )
        sub.add_argument(
            "--per-document", type=_positive, default=5, metavar="N", help="maximum number of passages per document"
        )

    command("new", "make an empty case").add_argument("--title")
    sub = command("add", "add files and folders")
    sub.add_argument("paths", nargs="+", metavar="PATH")
    passwords(sub)
    sub.add_argument("--changed", action="store_true", help="only files that are new or changed since they were added")
    sub.add_argument("--preview", action="store_true", help="show what would be added, and add nothing")
    sub = command("retry", "read failed files again")
    sub.add_argument("documents", nargs="*", metavar="D1", help="default: all of them")
    passwords(sub)
    sub = command("unlock", "read documents that open with a password")
    sub.add_argument("documents", nargs="+", metavar="D1")
    sub.add_argument("--password", metavar="WORD", help="asked for if not given")
    command("imports", "what happened to every file of every import").add_argument("--last", action="store_true")
    sub = command("remove", "take documents out of the case")
    sub.add_argument("documents", nargs="+", metavar="D1")
    sub.add_argument(
        "--with-evidence", action="store_true", help="also remove what rests on them, or was found in them"
    )
    sub = command("ocr", "run OCR on pages that are images, or whose text is garbled")
    sub.add_argument("documents", nargs="*", metavar="D1")
    sub.add_argument(
        "--language", action="append", default=[], metavar="deu", help="language of the pages; several: deu+eng"
    )
    sub.add_argument("--again", action="store_true", help="also pages that were read before; checked words are kept")
    sub = command("documents", "list the documents, or describe them")
    sub.add_argument("action", nargs="?", choices=("list", "set"), default="list")
    sub.add_argument("documents", nargs="*", metavar="D1")
    sub.add_argument("--tag", nargs="+", action="extend", dest="add_tags", metavar="TAG")
    sub.add_argument("--untag", nargs="+", action="extend", dest="remove_tags", metavar="TAG")
    for name, words in (
        ("origin", "where it comes from"),
        ("reliability", "A-F, '' for none"),
        ("information", "1-6, '' for none"),
        ("dated", "2021-05-03, 2021-05, 2021, or two with a slash"),
        ("note", "a remark"),
    ):
        sub.add_argument(f"--{name}", help=words)
    sub = command("page", "show the text of a page")
    sub.add_argument("document", metavar="D1")
    sub.add_argument("page", type=_positive, metavar="PAGE")
    sub = command("versions", "what differs between two versions of a document")
    sub.add_argument("one", metavar="D1", help="the older version")
    sub.add_argument("other", metavar="D2")
    sub = command("hypothesis", "add, list or remove hypotheses")
    sub.add_argument("action", choices=("add", "list", "remove", "mark", "priors"))
    sub.add_argument("text", nargs="?", metavar="TEXT|H1")
    sub.add_argument("--note")
    sub.add_argument("--kind", choices=("", "null", "deception"), default="", help="for mark; '' for none")
    sub.add_argument("--prior", nargs="+", action="extend", type=_weight, metavar="H1=0.5", help="default: all equal")
    sub = command("search", "find passages")
    sub.add_argument("text", nargs="?", metavar="TEXT")
    sub.add_argument("-k", type=_positive, default=30, help="how many passages")
    sub.add_argument("--document", nargs="+", action="extend", metavar="D1", help="search only these")
    sub.add_argument("--exclude", nargs="+", action="extend", metavar="D2", help="leave these out")
    sub.add_argument("--mode", choices=MODES, default="hybrid")
    sub.add_argument("--strict", action="store_true", help="only passages of high confidence")
    sub.add_argument(
        "--conditions",
        action="store_true",
        help='understand "a phrase", a NEAR/5 b, begin*, -without, document: tag: name: grade: date: after: before:',
    )
    selection(sub)
    lines(sub)
    sub = command("propose", "find and judge passages for the hypotheses")
    sub.add_argument("--hypothesis", nargs="+", action="extend", metavar="H1")
    sub.add_argument("--passages", type=_positive, default=30, metavar="N", help="passages per hypothesis")
    sub.add_argument(
        "--even",
        action="store_true",
        help="look at as many passages for each hypothesis as for the one that had the most",
    )
    selection(sub)
    sub = command("proposals", "list proposals")
    sub.add_argument("--hypothesis", metavar="H1")
    sub.add_argument("--status", choices=("pending", "accepted", "rejected"))
    lines(command("classify", "judge pairs of passage and hypothesis, without a case", case=False), required=True)
    sub = command("accept", "accept proposals as evidence")
    sub.add_argument("proposals", nargs="+", metavar="P1")
    sub.add_argument("--rate", action="store_true", help="keep the model's rating as a suggestion")
    command("reject", "reject proposals").add_argument("proposals", nargs="+", metavar="P1")
    command("undo", "undo the last decision")
    command("redo", "redo what was undone")
    sub = command("evidence", "add, list, grade or remove evidence")
    sub.add_argument("action", choices=("add", "list", "grade", "remove"))
    sub.add_argument("text", nargs="?", metavar="TEXT|E1")
    sub.add_argument("--source")
    levels(sub)
    for name in _GRADES:
        sub.add_argument(f"--{name}")
    sub = command("rate", "rate a piece of evidence against a hypothesis")
    sub.add_argument("evidence", metavar="E1")
    sub.add_argument("hypothesis", metavar="H1")
    sub.add_argument("rating", metavar="|".join((*RATINGS, "-")), help="- removes your own rating")
    sub.add_argument("--note", help="why")
    sub.add_argument("--confidence", choices=("low", "medium", "high"), help="how sure you are of the rating")
    sub = command("matrix", "score the matrix of a case or of a file", case=False)
    sub.add_argument("case", nargs="?", metavar="CASE")
    sub.add_argument("--rule", metavar="NAME")
    sub.add_argument("--from", dest="source", metavar="FILE.json")
    view(sub)
    sub.add_argument("--as-of", metavar="TIME", help="as it was then: a time, a date, or the number of a log entry")
    sub.add_argument("--without", nargs="+", action="extend", default=[], metavar="E1", help="leave these rows out")
    sub.add_argument("--without-source", nargs="+", action="extend", default=[], metavar="D1|SOURCE")
    command("group", "every analyst's opinion, the disputes, and the coherent aggregate")
    sub = command("history", "who did what to a piece of evidence, or to one cell")
    sub.add_argument("evidence", metavar="E1")
    sub.add_argument("hypothesis", nargs="?", metavar="H1")
    view(command("timeline", "the ranking after each decision"))
    sub = command("changed", "what changed between two moments, and which changes moved the ranking")
    sub.add_argument("before", metavar="TIME")
    sub.add_argument("after", metavar="TIME")
    view(sub)
    command("merge", "merge another copy of a case").add_argument("other", metavar="OTHER")
    sub = command("consider", "list, add, finish or remove assumptions, premortems and indicators")
    sub.add_argument("action", choices=("list", "assumption", "premortem", "indicator", "done", "remove"))
    sub.add_argument("text", nargs="?", metavar="TEXT|C1")
    sub.add_argument("--hypothesis", metavar="H1")
    sub.add_argument("--query", help="what an indicator searches for")
    sub = command("absence", "note what was expected under a hypothesis, searched for, and not found")
    sub.add_argument("hypothesis", metavar="H1")
    sub.add_argument("text", metavar="TEXT")
    sub.add_argument("--query", nargs="+", action="extend", required=True, metavar="WORDS")
    sub = command("settings", "show or change the settings of the case")
    sub.add_argument("--blind", choices=("on", "off"), help="hide others' ratings until you have given your own")
    sub.add_argument(
        "--strict", choices=("on", "off"), help="show only verdicts of a kind that was right nine times in ten"
    )
    sub.add_argument("--weight", nargs="+", action="extend", type=_weight, metavar="A=1.414")
    sub.set_defaults(command="case_settings")
    sub = command("import", "import a matrix made elsewhere")
    sub.add_argument("file", metavar="FILE.(achz|xlsx|csv|json)")
    sub.add_argument("--matrix", metavar="ID", help="which one, if the file holds several")
    sub.set_defaults(command="import_matrix")  # a method cannot be called import
    sub = command("quote", "check a quote against the documents")
    sub.add_argument("text", nargs="?", metavar="TEXT")
    sub.add_argument("--document", metavar="D1")
    lines(sub)
    sub = command("report", "write the report")
    forms = "FILE.(html|pdf|docx|xlsx|csv|md|json|pack.html|achz)"
    sub.add_argument("-o", "--output", required=True, metavar=forms)
    sub.add_argument("--as-of", metavar="TIME", help="a time, a date or the number of a log entry; default: now")
    declare(command, _positive)
    model_commands.declare(command)
    backup.declare(command)
    sub = command("verify", "check originals, texts, quotes, log and index")
    sub.add_argument(
        "--head", metavar="HASH", help="a hash of the log from an earlier report, which it must still hold"
    )
    command("rebuild", "rebuild the search index")
    sub = command("embed", "make passages searchable by meaning with the current search model, or with another")
    sub.add_argument("--model", metavar="FOLDER", help="search with this model from now on; 'default': the program's")
    sub.add_argument(
        "--rerank", metavar="FOLDER", help="rerank the best passages with this model from now on; 'none': no reranking"
    )
    sub.add_argument("--status", action="store_true", help="only show how many passages have vectors")
    sub.add_argument("--forget", action="store_true", help="delete the vectors of all other models")
    sub = command("demo", "build the sample case and open it", case=False)
    sub.add_argument("folder", nargs="?", metavar="FOLDER")
    sub.add_argument("--no-window", action="store_true")
    sub = command("exam", "show the judging model's exam results, or run the exam", case=False)
    sub.add_argument("--again", action="store_true", help="run it again")
    sub.add_argument("--model", metavar="FILE.gguf", help="a model other than the one in use")
    review.declare(command, _positive)
    command("doctor", "show what is installed and what each engine cannot do", case=False)
    command("gui", "open the window", case=False).add_argument("case", nargs="?", metavar="CASE")
    return parser


def _weight(text: str) -> tuple[str, float]:
    grade, _, value = text.partition("=")
    return grade, float(value)


_MOST = 1_000_000_000  # of anything that can be asked for


def _positive(text: str) -> int:
    value = int(text)
    if not 1 <= value <= _MOST:
        raise argparse.ArgumentTypeError(f"must be from 1 to {_MOST:,}")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] == ["--engine"]:  # a frozen build starts its child processes through its own executable
        from core.workers import server

        return server.main(given[1:])
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = _parser().parse_args(given)
    try:
        commands = _Commands(arguments)
        try:
            code = int(getattr(commands, arguments.command)())
        finally:
            commands.close()
        _flush()
        return code
    except AppError as error:
        _say(error.sentence)
        _say(error.hint)
        if error.details.get("path") == _STANDARD_OUTPUT:
            _drop_output()
        return 3
    except (Cancelled, KeyboardInterrupt):
        _say("Cancelled. Finished work is kept.")
        return 130
    except BrokenPipeError:
        _drop_output()
        return 0
    except Exception as error:
        _say("This is a bug in Disconfirm. What was saved before is safe. If you report it, copy the lines below;")
        _say("they contain no text from your documents.")
        for line in bug_report(type(error), error.__traceback__).splitlines():
            _say(line)
        return _BUG


def _flush() -> None:
    """Have everything written out. Raises CannotWrite, BrokenPipeError."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWrite(path=_STANDARD_OUTPUT, reason=error.strerror or type(error).__name__) from error


def _drop_output() -> None:
    _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    """Let what could not be written out go, so that the end of the process does not try once more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
