"""The commands that look at verdicts: a second reader, the judge in use once more, and how far people agree."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from core.cli.search import Json, Output
from core.domain import Proposal, Verdict
from core.review.service import ReadAgain
from core.verdicts import agreement as agreeing
from core.verdicts import exam_results
from core.workbench import Workbench


def verdict_json(verdict: Verdict) -> Json:
    return {"verdict": verdict.label, "probabilities": asdict(verdict.probabilities), "model": verdict.model}


def proposal_json(proposal: Proposal) -> Json:
    """A verdict that is not to be seen (``hidden``: 'blind' or 'withheld') is null."""
    hidden = "blind" if proposal.blind else "withheld" if proposal.withheld else ""
    fields: Json = {
        "id": proposal.id,
        "hypothesis": proposal.hypothesis,
        "document": proposal.quote.document,
        "name": proposal.name,
        "page": proposal.quote.page,
        "start": proposal.quote.start,
        "end": proposal.quote.end,
        "quote": proposal.quote.text,
        **verdict_json(proposal.verdict),
        "similarity": proposal.similarity,
        "vector_rank": proposal.vector_rank,
        "lexical_rank": proposal.lexical_rank,
        "verified": True,
        "status": proposal.status,
        "explanation": proposal.explanation,
    }
    if proposal.possible_duplicate:
        fields["possible_duplicate"] = proposal.possible_duplicate
    if hidden:
        return fields | {"verdict": None, "probabilities": None, "explanation": "", "hidden": hidden}
    if proposal.others:
        told = (
            {"role": o.role, "explanation": o.explanation, "at": o.at} | verdict_json(o.verdict)
            for o in proposal.others
        )
        fields |= {"others": list(told), "disputed": proposal.disputed}
    return fields


def proposal_words(proposal: Proposal) -> str:
    """The verdict in a word or two, as it may be seen."""
    if proposal.blind or proposal.withheld:
        return "(hidden)" if proposal.blind else "(not sure enough)"
    others = "".join(f", {o.role}: {o.verdict.label}" for o in proposal.others)
    return f"{proposal.verdict.label}{others}{' (disputed)' if proposal.disputed else ''}"


class ReviewCommands:
    """One method a command; each returns the exit code."""

    a: argparse.Namespace
    out: Output
    _open: Callable[[], Workbench]

    def second(self) -> int:
        with self._open() as bench:
            if self.a.list:
                chosen = bench.review.close_or_decisive()
                self.out.result(
                    {"chosen": [{**asdict(one), "why": one.why} for one in chosen]},
                    lambda: [f"{one.proposal}\t{one.why}" for one in chosen],
                )
                return 0
            report = bench.review.read_again(self.a.proposals or None, most=self.a.most, progress=self.out.progress())
        return self._read(report, "differ between the two readers")

    def rejudge(self) -> int:
        with self._open() as bench:
            report = bench.review.judge_again(self.a.proposals or None, progress=self.out.progress())
        return self._read(report, "have changed")

    def _read(self, report: ReadAgain, differ: str) -> int:
        notes = [f"{len(report.proposals)} read; {report.disputed} verdicts {differ}.", *report.notes]
        notes.append(exam_results.card_of(report.model).line())
        self.out.result(
            {
                "proposals": [proposal_json(p) for p in report.proposals],
                "model": report.model,
                "differ": report.disputed,
                "seconds": round(report.seconds, 3),
                "notes": notes,
            },
            lambda: list([f"{p.id} {p.hypothesis} {proposal_words(p)}" for p in report.proposals] + notes),
        )
        return 0

    def agreement(self) -> int:
        with self._open() as bench:
            told = bench.review.agreements()

        def table(one: agreeing.Agreement) -> list[str]:
            head = f"{'the model said':16}{'for':>8}{'against':>9}{'neither':>9}"
            return [head, *(f"{row.label:16}{row.meant[0]:8}{row.meant[1]:9}{row.meant[2]:9}" for row in one.classes)]

        def text() -> str | list[str]:
            if not told:
                return agreeing.lines(agreeing.agreement("", []))[0]
            parts: list[str] = []
            for one in told:
                parts += [one.model, *table(one), *agreeing.lines(one), ""]
            return parts[:-1]

        self.out.result({"agreement": [agreement_json(one) for one in told]}, text)
        return 0


def agreement_json(told: agreeing.Agreement) -> Json:
    fields: dict[str, Any] = asdict(told)
    del fields["decisions"]
    rows = [
        {
            "label": row.label,
            "people": dict(zip(agreeing.MEANT, row.meant, strict=True)),
            "right": asdict(row.right),
        }
        for row in told.classes
    ]
    drift = asdict(told.drift) | {"sure": told.drift.sure} if told.drift else None
    fit = asdict(told.fit) | {"helps": told.fit.helps} if told.fit else None
    return fields | {
        "decisions": len(told.decisions),
        "classes": rows,
        "drift": drift,
        "fit": fit,
        "lines": agreeing.lines(told),
    }


def declare(command: Callable[..., argparse.ArgumentParser], positive: Callable[[str], int]) -> None:
    """The commands of this module, for the parser."""
    sub = command("second", "let the second reader judge the close and the decisive verdicts, or these")
    sub.add_argument("proposals", nargs="*", metavar="P1")
    sub.add_argument("--list", action="store_true", help="only show which, and why")
    sub.add_argument("--most", type=positive, default=60, metavar="N", help="maximum number of verdicts")
    sub = command(
        "rejudge", "let the current judge judge the undecided proposals that carry another model's verdict, or these"
    )
    sub.add_argument("proposals", nargs="*", metavar="P1")
    command("agreement", "show how far people's ratings agree with each model's verdicts")
