"""The commands that judge passages, show the verdicts and decide on them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.cli.app import App
from core.cli.grammar import Commands, add_lines, add_selection, add_show, positive
from core.cli.output import Json, lines_to, read_lines
from core.cli.search import source_mark
from core.domain import Chunk, Probabilities, Proposal, ShowMode, Verdict
from core.errors import BadInput, ModelMissing, Problem
from core.review.judging import AT_ONCE, Judgement, Skipping, judge_pair
from core.review.passage_cards import PassageCard, clash_words
from core.review.passage_order import ORDERS, TELLING, arrange
from core.review.service import ReadAgain
from core.text import columns, counted
from core.verdicts import agreement as agreement_measure
from core.verdicts import exam_results
from core.verdicts import labels as classify
from core.verdicts.labels import SHOW_MODES

_EVEN = Probabilities(1 / 3, 1 / 3, 1 / 3)  # of a pair of which nothing is known
_CELL = ("verdict", "probabilities", "quote", "start", "end", "status", "explanation", "hidden", "language")


def register(commands: Commands) -> None:
    """Declare the commands of this module."""
    sub = commands.add("propose", run_propose, "find and judge passages for the hypotheses")
    sub.add_argument("--hypothesis", nargs="+", action="extend", metavar="H1")
    how_many = sub.add_mutually_exclusive_group()
    how_many.add_argument("--passages", type=positive, metavar="N", help="only so many per hypothesis, the best found")
    how_many.add_argument("--all", action="store_true", help="read every passage (the default up to 20,000 of them)")
    sub.add_argument(
        "--even",
        action="store_true",
        help="look at as many passages for each hypothesis as for the one that had the most",
    )
    sub.add_argument("--rows", action="store_true", help="judge each passage for all hypotheses, not only for its own")
    add_selection(sub)
    add_show(sub, SHOW_MODES)
    sub = commands.add("proposals", run_proposals, "list proposals")
    sub.add_argument("--by", choices=("proposal", "passage"), default="proposal", help="one entry for each of these")
    sub.add_argument("--order", choices=ORDERS, default=TELLING, help="of passages; telling: the most diagnostic first")
    sub.add_argument("--hypothesis", metavar="H1")
    sub.add_argument("--status", choices=("pending", "accepted", "rejected"))
    words = "judge pairs of passage and hypothesis, without a case; neighbouring rows of one passage as rivals"
    add_lines(commands.add("classify", run_classify, words, case=False), is_required=True)
    sub = commands.add("accept", run_accept, "accept proposals as evidence")
    sub.add_argument("proposals", nargs="+", metavar="P1")
    sub.add_argument("--rate", action="store_true", help="keep the model's rating as a suggestion")
    sub.add_argument("--row", action="store_true", help="turn these proposals of one passage into one row")
    sub.add_argument("--confirm", action="store_true", help="with --row: rate as the model suggests, in your own name")
    words = "let the judge suggest ratings of all rows for a hypothesis"
    commands.add("suggest", run_suggest, words).add_argument("hypothesis", metavar="H1")
    words = "join rows that quote the same passage, or list them"
    commands.add("join", run_join, words).add_argument("evidence", nargs="*", metavar="E1")
    commands.add("split", run_split, "split a row into one row per quote").add_argument("evidence", metavar="E1")
    sub = commands.add("reject", run_reject, "reject proposals")
    sub.add_argument("proposals", nargs="+", metavar="P1")
    words = "let the second reader judge the close and the decisive verdicts, or these"
    sub = commands.add("second", run_second, words)
    sub.add_argument("proposals", nargs="*", metavar="P1")
    sub.add_argument("--list", action="store_true", help="only show which, and why")
    sub.add_argument("--most", type=positive, default=60, metavar="N", help="maximum number of verdicts")
    words = "let the current judge judge the undecided proposals that carry another model's verdict, or these"
    commands.add("rejudge", run_rejudge, words).add_argument("proposals", nargs="*", metavar="P1")
    commands.add("agreement", run_agreement, "show how far people's ratings agree with each model's verdicts")


def run_propose(args: Namespace, app: App) -> int:
    """Find and judge passages for the hypotheses."""
    with app.open(args.case) as bench:
        if args.even:
            report = bench.review.balance_effort(args.hypothesis or None, progress=app.out.progress())
        else:
            report = bench.review.propose(
                args.hypothesis or None,
                passages=args.passages,
                min_similarity=args.min_similarity,
                per_document=args.per_document,
                rows=args.rows,
                everything=args.all,
                progress=app.out.progress(),
            )
        card = bench.verdicts.judge_card()
        ids = {proposal.id for proposal in report.proposals}
        show: ShowMode = args.show or bench.case.settings().show
        visible = {proposal.id: proposal for proposal in bench.verdicts.proposals(show=show) if proposal.id in ids}
    proposals = [visible[proposal.id] for proposal in report.proposals]
    effort = [report.effort] if report.effort else []
    notes = [*effort, *report.notes, *([card.summary] if card else [])]
    app.out.result(
        {
            "proposals": [proposal_json(p) for p in proposals],
            "passages_judged": report.passages_judged,
            "passages_read": report.passages_read,
            "passages_total": report.passages_total,
            "searches": report.searches,
            "show": show,
            "steps": [
                {"hypothesis": query.hypothesis, "role": query.role, "what": query.text, "found": count}
                for query, count in report.steps
            ],
            "seconds": round(report.seconds, 3),
            "notes": notes,
        },
        lambda: list(
            [
                f"{p.id} {p.hypothesis} {proposal_words(p)}: {p.name}, page {p.quote.page}: “{p.quote.text}”"
                f"{source_mark(p.source)}"
                for p in proposals
            ]
            + notes
            + [
                columns(f"{query.hypothesis} {query.role}: {query.text}", f"{count:,}")
                for query, count in report.steps
                if show == "audit"
            ]
        ),
    )
    return 0


def run_proposals(args: Namespace, app: App) -> int:
    """List proposals, or the passages with those for every hypothesis."""
    if args.by == "passage":
        return _show_cards(args, app)
    with app.open_proven(args.case) as bench:
        proposals = bench.verdicts.proposals(args.hypothesis, args.status)
    app.out.result(
        {"proposals": [proposal_json(p) for p in proposals]},
        lambda: [
            f"{p.id} {p.hypothesis} {proposal_words(p)} {p.status}: “{p.quote.text}”{source_mark(p.source)}"
            for p in proposals
        ],
    )
    return 0


def _show_cards(args: Namespace, app: App) -> int:
    with app.open_proven(args.case) as bench:
        cards = bench.passages.cards(status=args.status)
    cards = [card for _, card in arrange(cards, args.order) if args.hypothesis in (None, *card.proposals)]

    def lines() -> list[str]:
        texts = []
        for card in cards:
            copies = f", also in {counted(len(card.copies), 'more place')}" if card.copies else ""
            texts.append(f"{card.passage.label}, page {card.passage.page}{copies}{source_mark(card.passage.source)}")
            if card.clash:
                texts.append(f"  {clash_words(card.clash)}")
            texts += [
                f"  {p.id} {h} {proposal_words(p)} {p.status}: “{p.quote.text}”" for h, p in card.proposals.items()
            ]
        return texts

    app.out.result({"passages": [card_json(card) for card in cards]}, lines)
    return 0


def run_classify(args: Namespace, app: App) -> int:
    """Judge pairs of passage and hypothesis, one a line, without a case."""
    judge = app.engines.judge
    if judge is None:
        raise ModelMissing(role="judging", path="the models folder", effect="no passage can be judged")
    rows = list(read_lines(args.jsonl, ("id", "passage", "hypothesis")))
    progress = app.out.progress()
    exam_results.require_judge(app.engines, progress)
    problems: list[Problem] = []
    skipping = Skipping(judge)
    rivals = _rivals(rows)
    readings: dict[str, list[Probabilities]] = {}
    with lines_to(args.out) as write:
        for number, row in enumerate(rows):
            progress.step(number, len(rows), "Judging")
            if number and rivals[number] is not rivals[number - 1]:
                readings.clear()

            def judge_row(hypotheses: Sequence[str], row: Json = row, beside: list[str] = rivals[number]) -> Judgement:
                def ask(text: str) -> Probabilities:
                    if text not in readings:
                        try:
                            readings[text] = judge.judge(text, beside)
                        except BadInput:  # a rival may be too long for it, or this one, which is told then
                            return judge.judge(text, [row["hypothesis"]])[0]
                    return readings[text][beside.index(row["hypothesis"])]

                with progress.asking():
                    return judge_pair(judge, row["passage"], hypotheses[0], ask if len(beside) > 1 else None)

            if language := classify.foreign_language(row["passage"], row["hypothesis"]):
                reason = f"The passage or the hypothesis is in {language}; the judge was measured on English only."
                line = {"id": row["id"], "verdict": "not_judged", "language": language, "reason": reason}
                write({**line, "probabilities": asdict(_EVEN), "quote": "", "start": 0, "end": 0})
                continue
            judgement = skipping.read(f"{row['id']}", [row["hypothesis"]], judge_row)
            problem = "" if judgement else skipping.reason(row["hypothesis"])
            if judgement is None:
                problems.append(Problem(f"{row['id']}", problem, ""))
                judgement = Judgement(Verdict("ambiguous", _EVEN, judge.fingerprint), 0, 0, "")
            line = {
                "id": row["id"],
                "verdict": judgement.verdict.label,
                "language": "English",
                "probabilities": asdict(judgement.verdict.probabilities),
                "quote": row["passage"][judgement.start : judgement.end],
                "start": judgement.start,
                "end": judgement.end,
                **({"problem": problem} if problem else {}),
            }
            write(line)
    return app.out.problems(problems)


def _rivals(rows: Sequence[Json]) -> list[list[str]]:
    """Return for each row the hypotheses that are read beside each other: of neighbouring rows of one passage."""
    result: list[list[str]] = []
    for row, previous in zip(rows, [None, *rows], strict=False):
        if previous is None or previous["passage"] != row["passage"] or len(result[-1]) >= AT_ONCE:
            result.append([])
        else:
            result.append(result[-1])
        if row["hypothesis"] not in result[-1]:
            result[-1].append(row["hypothesis"])
    return result


def run_accept(args: Namespace, app: App) -> int:
    """Make evidence of proposals, each its own row or all of them one."""
    if args.confirm and not args.row:
        raise BadInput(reason="--confirm goes with --row; nothing was accepted.", remedy="Add --row, or use --rate.")
    if args.row:
        with app.open(args.case) as bench:
            row = bench.passages.accept(args.proposals, suggest=args.rate, confirm=args.confirm)
        app.out.result(
            {
                "evidence": [{"id": row.evidence, "proposal": proposal} for proposal in row.proposals],
                "suggested": list(row.suggested),
                "rated": list(row.rated),
            },
            lambda: f"{', '.join(row.proposals)} are now {row.evidence}",
        )
        return 0
    with app.open(args.case) as bench:
        acceptance = bench.review.accept(args.proposals, rate=args.rate)
    app.out.result(
        {"evidence": [{"id": evidence, "proposal": proposal} for evidence, proposal in acceptance.pairs]},
        lambda: [f"{proposal} is now {evidence}" for evidence, proposal in acceptance.pairs],
    )
    return 0


def run_join(args: Namespace, app: App) -> int:
    """Join rows that quote the same passage; without any, list those that could be joined."""
    with app.open(args.case) as bench:
        if args.evidence:
            bench.passages.join(args.evidence)
        groups = bench.passages.joinable()
    app.out.result(
        {"joined": args.evidence, "joinable": [list(group) for group in groups]},
        lambda: [", ".join(group) for group in groups] or "No two rows quote the same passage.",
    )
    return 0


def run_split(args: Namespace, app: App) -> int:
    """Make a row of each of the quotes that a row was made of."""
    with app.open(args.case) as bench:
        rows = bench.passages.split(args.evidence).rows
    app.out.result({"rows": list(rows)}, lambda: f"{args.evidence} is {' and '.join(rows)} now")
    return 0


def run_suggest(args: Namespace, app: App) -> int:
    """Have the judge suggest ratings of all rows for one hypothesis."""
    with app.open(args.case) as bench:
        report = bench.passages.suggest_ratings(args.hypothesis, app.out.progress())
    app.out.result(
        {
            "hypothesis": report.hypothesis,
            "suggestions": [{"evidence": evidence, "rating": rating} for evidence, rating in report.ratings],
            "notes": list(report.notes),
        },
        lambda: [*(f"{evidence}: {rating or '(hidden)'}" for evidence, rating in report.ratings), *report.notes],
    )
    return 0


def run_reject(args: Namespace, app: App) -> int:
    """Put proposals aside."""
    with app.open(args.case) as bench:
        bench.review.reject(args.proposals)
    app.out.result({"rejected": args.proposals}, lambda: f"{len(args.proposals)} rejected")
    return 0


def run_second(args: Namespace, app: App) -> int:
    """Have the second reader judge proposals, or say with ``--list`` which it would."""
    with app.open(args.case) as bench:
        if args.list:
            choices = bench.review.close_or_decisive()
            app.out.result(
                {"chosen": [{**asdict(choice), "why": choice.why} for choice in choices]},
                lambda: [f"{choice.proposal}\t{choice.why}" for choice in choices],
            )
            return 0
        report = bench.review.read_again(args.proposals or None, limit=args.most, progress=app.out.progress())
    return _show_readings(app, report, "differ between the two readers")


def run_rejudge(args: Namespace, app: App) -> int:
    """Have the judge in use judge again what another one judged."""
    with app.open(args.case) as bench:
        report = bench.review.judge_again(args.proposals or None, progress=app.out.progress())
    return _show_readings(app, report, "have changed")


def _show_readings(app: App, report: ReadAgain, differ: str) -> int:
    notes = [f"{len(report.proposals)} read; {report.disputed} verdicts {differ}.", *report.notes]
    notes.append(exam_results.model_card(report.model).line())
    app.out.result(
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


def run_agreement(args: Namespace, app: App) -> int:
    """Show how far people rated as each model judged."""
    with app.open_proven(args.case) as bench:
        agreements = bench.review.agreements()

    def table(agreement: agreement_measure.Agreement) -> list[str]:
        head = f"{'the model said':16}{'for':>8}{'against':>9}{'neither':>9}"
        return [head, *(f"{row.label:16}{row.meant[0]:8}{row.meant[1]:9}{row.meant[2]:9}" for row in agreement.classes)]

    def text() -> str | list[str]:
        if not agreements:
            return agreement_measure.lines(agreement_measure.agreement("", []))[0]
        parts: list[str] = []
        for agreement in agreements:
            parts += [agreement.model, *table(agreement), *agreement_measure.lines(agreement), ""]
        return parts[:-1]

    app.out.result({"agreement": [agreement_json(agreement) for agreement in agreements]}, text)
    return 0


def agreement_json(agreement: agreement_measure.Agreement) -> Json:
    """Return an agreement with its table and its sentences."""
    fields: dict[str, Any] = asdict(agreement)
    del fields["decisions"]
    rows = [
        {
            "label": row.label,
            "people": dict(zip(agreement_measure.MEANT, row.meant, strict=True)),
            "right": asdict(row.right),
        }
        for row in agreement.classes
    ]
    drift = asdict(agreement.drift) | {"sure": agreement.drift.sure} if agreement.drift else None
    fit = asdict(agreement.fit) | {"helps": agreement.fit.helps} if agreement.fit else None
    return fields | {
        "decisions": len(agreement.decisions),
        "classes": rows,
        "drift": drift,
        "fit": fit,
        "lines": agreement_measure.lines(agreement),
    }


def verdict_json(verdict: Verdict) -> Json:
    """Return a verdict with its probabilities and the model that gave it."""
    return {"verdict": verdict.label, "probabilities": asdict(verdict.probabilities), "model": verdict.model}


def proposal_json(proposal: Proposal) -> Json:
    """Return a proposal, whose verdict is null where it is not to be seen (``hidden`` says why)."""
    reason = proposal.hidden_reason
    fields: Json = {
        "id": proposal.id,
        "hypothesis": proposal.hypothesis,
        "document": proposal.quote.document,
        "name": proposal.name,
        "page": proposal.quote.page,
        "start": proposal.quote.start,
        "end": proposal.quote.end,
        "quote": proposal.quote.text,
        "source": proposal.source,
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
    if proposal.doubtful:
        fields["doubtful"] = True
    if proposal.unmeasured_language:
        fields["language"] = proposal.unmeasured_language
    if reason:
        return fields | {"verdict": None, "probabilities": None, "explanation": "", "hidden": reason}
    if proposal.others:
        other_verdicts = (
            {"role": o.role, "explanation": o.explanation, "at": o.at} | verdict_json(o.verdict)
            for o in proposal.others
        )
        fields |= {"others": list(other_verdicts), "disputed": proposal.disputed, "agreed": proposal.agreed}
    return fields


def card_json(card: PassageCard) -> Json:
    """Return a passage with its copies, and the verdict and quote of it for each hypothesis."""
    return {
        **_passage_json(card.passage),
        "copies": [
            {**_passage_json(copy.passage), "differences": [list(pair) for pair in copy.differences]}
            for copy in card.copies
        ],
        "verdicts": {
            hypothesis: {key: value for key, value in proposal_json(proposal).items() if key in _CELL}
            | {"proposal": proposal.id}
            for hypothesis, proposal in card.proposals.items()
        },
        "more_proposals": [proposal.id for proposal in card.others],
        "status": card.status,
        "separation": round(card.separation, 6),
        "clash": list(card.clash),
    }


def _passage_json(passage: Chunk) -> Json:
    place = {name: getattr(passage, name) for name in ("document", "name", "page", "start", "end", "text", "source")}
    return {**place, "passage": passage.id}


def proposal_words(proposal: Proposal) -> str:
    """Return the verdict in a word or two, as it may be seen."""
    if proposal.is_hidden:
        return f"({classify.hidden_words(proposal)})"
    other_verdicts = "".join(f", {o.role}: {o.verdict.label}" for o in proposal.others)
    readers = " (disputed)" if proposal.disputed else " (two readers agree)" if proposal.agreed else ""
    marks = readers + (" (not sure enough)" if proposal.doubtful else "")
    return f"{proposal.verdict.label}{other_verdicts}{marks}"
