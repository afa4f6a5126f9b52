"""Background of a report: who rated and decided, how was searched, the models, how to check it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.accuracy.figures import BASES, MIN_FOR_PERCENT, PARTS
from core.case.decision_words import verb_in_words
from core.domain import HALF_WORDS, RULES, SHOW_NAMES
from core.report.blocks import HYPOTHESES_A_TABLE, Block, Column, Para, Points, Sub, Table, Terms
from core.report.blocks import Quote as QuoteBlock
from core.report.data import JudgeSummary, ReportData
from core.report.rows import document_remarks, evidence_names, priors, unequal_effort
from core.report.wording import (
    CONSIDERATION_WORDS,
    DISPUTE_WORDS,
    INFORMATION_WORDS,
    RELIABILITY_WORDS,
    RULE_NOTES,
    behind,
    count,
    day,
    sentence,
    stamp,
)
from core.text import and_list

MOST_DISPUTES = 20

FEW_DOCUMENTS = 30  # up to which all of them are listed


def analysts(data: ReportData) -> Iterator[Block]:
    """Set the people side by side: their probabilities, where they disagree, how sure they are."""
    group = data.group
    people = list(dict.fromkeys(a.by for a in data.assessments))
    if group is not None and (len(group.opinions) > 1 or any(o.stated for o in group.opinions)):
        order = data.matrix.order
        lines = []
        for o in group.opinions:
            name, leads = o.by or "name not recorded", and_list(o.leaders) or "–"
            if o.stated is not None:
                lines.append((name, "as stated", *(_per_cent(o.stated.get(h)) for h in order), "–"))
            lines.append((name, "from the ratings", *(_per_cent(o.read.get(h)) for h in order), leads))
            lines.append((name, "adjusted to sum to 100", *(_per_cent(o.coherent.get(h)) for h in order), "–"))
        lines.append(("All", "plain mean", *(_per_cent(group.mean.get(h)) for h in order), "–"))
        lines.append(("All", "mean of the adjusted", *(_per_cent(group.aggregate.get(h)) for h in order), "–"))
        yield Sub("Probabilities, person by person")
        for start in range(0, len(order), HYPOTHESES_A_TABLE):
            part = order[start : start + HYPOTHESES_A_TABLE]
            yield Table(
                "Probabilities in per cent",
                (
                    Column("Analyst", share=2.0),
                    Column("Reading", share=2.0),
                    *(Column(h, "num") for h in part),
                    Column("Leads", share=1.4),
                ),
                tuple((*line[:2], *line[2 + start : 2 + start + len(part)], line[-1]) for line in lines),
            )
        yield Para(
            "In per cent. “Adjusted” are the nearest probabilities that sum to 100 (coherentisation). The mean of the "
            "adjusted comes nearer the truth than the judgement of one person.",
            "quiet",
        )
    if group is not None and len(people) > 1:
        disputes = [d for d in group.disputes if d.level != "consensus" or not d.bearing]
        names = evidence_names(data)
        yield Sub("Where they disagree")
        if not disputes:
            yield Para(f"Nowhere: all {count(len(group.disputes), 'cell')} rated by several people agree.")
        else:
            yield Para(
                f"{len(disputes):,} of {count(len(group.disputes), 'cell')} rated by several people; the most disputed "
                "first."
            )
            yield Table(
                "Disputed cells",
                (
                    Column("Cell", share=3.0),
                    Column("Ratings", share=3.0),
                    Column("Group", "cell", 0.9),
                    Column("Dispute", share=1.4),
                ),
                tuple(
                    (
                        f"{names.get(d.evidence, d.evidence)} against {d.hypothesis}",
                        ", ".join(
                            f"{who or 'name not recorded'} {rating}" for who, rating in sorted(d.ratings.items())
                        ),
                        d.rating,
                        DISPUTE_WORDS.get(d.level, d.level) + ("" if d.bearing else "; some say it does not bear"),
                    )
                    for d in disputes[:MOST_DISPUTES]
                ),
            )
            if len(disputes) > MOST_DISPUTES:
                yield Para(f"And {len(disputes) - MOST_DISPUTES:,} more; the JSON form lists all.", "quiet")
    if any(a.confidence for a in data.assessments):
        yield Sub("How sure people are of their ratings")
        levels = ("high", "medium", "low", "")
        yield Table(
            "Ratings by how sure the person is of them",
            (Column("Analyst", share=3.0), *(Column(level or "not said", "num") for level in levels)),
            tuple(
                (
                    who or "name not recorded",
                    *(f"{sum(a.by == who and a.confidence == level for a in data.assessments):,}" for level in levels),
                )
                for who in people
            ),
        )
        yield Para("This is about single ratings. It says nothing about any hypothesis.", "quiet")
    if data.settings.blind:
        yield Para(
            "Blind rating is on: what colleagues and the model say of a cell is left out until one’s own rating is "
            "given.",
            "quiet",
        )


def _per_cent(probability: float | None) -> str:
    if probability is None:
        return "–"
    if 0 < probability < 0.005:
        return "<1"
    return ">99" if 0.995 < probability < 1 else f"{100 * probability:.0f}"


def considerations(data: ReportData) -> Iterator[Block]:
    """List what people noted beside the matrix, kind by kind."""
    for kind in [*CONSIDERATION_WORDS, *sorted({c.kind for c in data.considerations} - set(CONSIDERATION_WORDS))]:
        of_kind = [c for c in data.considerations if c.kind == kind]
        if not of_kind:
            continue
        yield Sub(CONSIDERATION_WORDS.get(kind, sentence(kind)))
        yield Points(
            tuple(
                c.text
                + (f" (about {c.hypothesis})" if c.hypothesis else "")
                + (f"; watched by the search “{c.query}”" if c.query else "")
                + (" — done" if c.status == "done" else "")
                for c in of_kind
            )
        )


def questions(data: ReportData) -> Iterator[Block]:
    """Yield the questions that were asked of the documents, and the answers to each, word by word."""
    for record in data.questions:
        answer = record.answer
        yield Sub(f"{record.id}. {answer.question}")
        if record.is_stale:
            yield Points(("The documents have changed since this was answered.",), "warning")
        if answer.sentence:
            yield Para(answer.sentence if answer.is_answered else f"Not known. {answer.sentence}")
        if record.unproven:
            yield Points(
                (f"Not quoted: {count(record.unproven, 'source')} no longer on the page as it is now.",), "warning"
            )
            continue
        if answer.wording:
            numbers = ["".join(f"[{number}]" for number in part.citations) for part in answer.wording]
            yield Para(" ".join(f"{part.text} {marks}" for part, marks in zip(answer.wording, numbers, strict=True)))
            yield Para(answer.wording_line, "quiet")
        for number, point in enumerate(answer.points, start=1):
            mark = f"[{number}] " if answer.wording else ""
            yield Para(mark + (f"{sentence(point.short)}: " if point.short else "") + f"{point.confidence} confidence")
            first, *further = point.sources
            yield QuoteBlock(point.text)
            places = [f"{source.name}, page {source.quote.page}" for source in (first, *further)]
            yield Para("; ".join(places), "quiet")
        searched = answer.steps[-1].what if answer.steps else ""
        mode = SHOW_NAMES.get(answer.mode, answer.mode)
        yield Para(f"Answered {stamp(record.at)} by {record.by} in the mode “{mode}”. {searched}", "quiet")


def rulings(data: ReportData) -> Iterator[Block]:
    """Yield the conflicts that people resolved and the audit findings that they confirmed, each with its sources."""
    for ruling in data.rulings:
        yield Sub(f"{ruling.id}. {ruling.subject}")
        yield Para(" ".join(part for part in (f"{sentence(ruling.decision)}.", ruling.note) if part))
        for text, places in ruling.texts:
            yield QuoteBlock(text)
            yield Para(places, "quiet")
        yield Para(f"Decided {stamp(ruling.at)} by {ruling.by or 'name not recorded'}.", "quiet")


def figures(data: ReportData) -> Iterator[Block]:
    """Yield how far each part of the case can be trusted, as far as that was counted or measured."""
    if not data.figures:
        return
    yield Para(
        "A case has no single accuracy. Each line says what is behind it; a share of fewer than "
        f"{MIN_FOR_PERCENT} items is given as a count."
    )
    yield Table(
        "How far each part can be trusted",
        (
            Column("Part", share=1.2),
            Column("Figure", share=3.2),
            Column("Value", share=1.8),
            Column("Basis", share=2.4),
        ),
        tuple(
            (
                PARTS.get(figure.part, figure.part),
                f"{sentence(figure.name)}.{' ' + figure.note if figure.note else ''}",
                figure.text,
                BASES.get(figure.basis, figure.basis),
            )
            for figure in data.figures
        ),
    )


def weights(data: ReportData) -> Iterator[Block]:
    """Show the factor of each grade of a source; nothing where nobody graded and the factors are as they come."""
    has_grades = any(e.reliability or e.information for e in data.evidence)
    if not has_grades and data.settings.grade_weights == type(data.settings)().grade_weights:
        return
    table = data.settings.grade_weights
    yield Para(
        "Sources are graded on the Admiralty scale: a letter for the source, a number for the information. Each grade "
        "has a factor; where both are given and judged, the row weighs their geometric mean."
    )
    yield Table(
        "Factor of each grade",
        (
            Column("Source", "id", 0.7), Column("", share=2.2), Column("Factor", "num", 0.8),
            Column("Information", "id", 0.9), Column("", share=2.4), Column("Factor", "num", 0.8),
        ),
        tuple(
            (
                letter, sentence(RELIABILITY_WORDS[letter]), _factor(table.get(letter)),
                number, sentence(INFORMATION_WORDS[number]), _factor(table.get(number)),
            )
            for letter, number in zip("ABCDEF", "123456", strict=True)
        ),
    )  # fmt: skip
    yield Para("F and 6 mean that it cannot be judged: they weigh like no grade at all, never like the worst.", "quiet")


def _factor(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def who(data: ReportData) -> Iterator[Block]:
    """Count what people decided and what the program proposed."""
    yield Sub("People decided")
    if data.decisions:
        yield Table(
            "Decisions of people",
            (
                Column("Who", share=2.0),
                Column("Did", share=2.0),
                Column("Times", "num", 0.8),
                Column("First and last (UTC)", share=3.0),
            ),
            tuple(
                (
                    d.who or "name not recorded",
                    verb_in_words(d.verb),
                    f"{d.times:,}",
                    stamp(d.first) + (f" to {stamp(d.last)}" if d.last != d.first else ""),
                )
                for d in data.decisions
            ),
        )
    else:
        yield Para("No decision is recorded.")
    yield Para(f"Only a person’s rating counts in a score: {count(len(data.assessments), 'rating')} by people.")
    yield Sub("The program proposed")
    if data.proposals:
        yield Table(
            "Proposals of the program",
            (Column("For", "id"), *(Column(name, "num") for name in ("Quotes", "Accepted", "Rejected", "Open"))),
            tuple(
                (p.hypothesis, f"{p.made:,}", f"{p.accepted:,}", f"{p.rejected:,}", f"{p.pending:,}")
                for p in data.proposals
            ),
        )
        if any(p.made for p in data.proposals):
            labels = "; ".join(
                f"{p.hypothesis} {p.supports:,} supports, {p.contradicts:,} contradicts, {p.neutral:,} neutral, "
                f"{p.ambiguous:,} ambiguous"
                for p in data.proposals
                if p.made
            )
            yield Para(f"The model labelled them: {labels}.")
    else:
        yield Para("Nothing was proposed.")
    yield Para(
        f"{count(len(data.suggestions), 'cell has', 'cells have')} a rating suggested by the model. Suggestions never "
        "count in a score."
    )


def effort(data: ReportData) -> Iterator[Block]:
    """Show how much was searched for each hypothesis, and how much was probably missed."""
    if not data.search:
        return
    if not any(s.passages or s.queries for s in data.search):
        yield Para("No search was run hypothesis by hypothesis: everything here was found by hand.")
        return
    yield Para(
        "Each hypothesis is searched from two sides, and half of the passages looked at come from searches for what "
        "would speak against it: if you look only for what fits, you will find it, true or not."
    )
    yield Table(
        "Searches and passages looked at, by hypothesis",
        (
            Column("Hypothesis", "id", 1.2), Column("Searches for", "num"), Column("Searches against", "num", 1.2),
            Column("Passages looked at", "num", 1.2), Column("Support it", "num"), Column("Contradict it", "num", 1.2),
            Column("Neutral", "num"), Column("Unsure", "num"),
        ),
        tuple(
            (
                s.hypothesis, f"{s.searches_for:,}", f"{s.searches_against:,}", f"{s.passages:,}",
                f"{s.supports:,}", f"{s.contradicts:,}", f"{s.neutral:,}", f"{s.ambiguous:,}",
            )
            for s in data.search
        ),
    )  # fmt: skip
    yield Para(
        "Support, contradict, neutral, unsure: as the model labelled the passages, before any person did. A passage "
        "counts once, however many quotes of it are proposed.",
        "quiet",
    )
    if unequal := unequal_effort(data):
        yield Points(tuple(unequal), "warning")
    else:
        yield Para("Every hypothesis had the same number of passages looked at.")
    if notes := [f"{s.hypothesis}: {s.note}" for s in data.search if s.note]:
        yield Points(tuple(notes))
    yield Sub("How much was probably missed")
    estimates = [s.missed.words for s in data.search if s.missed is not None]
    if estimates:
        yield Points(tuple(estimates))
        yield Para(
            "From passages that no search had shown, drawn at random and read by a person; Clopper-Pearson intervals, "
            "added up over two strata.",
            "quiet",
        )
    without = [s.hypothesis for s in data.search if s.missed is None]
    if without:
        yield Para(
            f"Not known for {and_list(without)}: nobody has judged a sample of the passages left unread.", "quiet"
        )


def _exam_row(judge: JudgeSummary) -> tuple[str, ...]:
    if judge.exam is None:
        return (judge.name, "not taken", *("–",) * 4)
    result = judge.exam
    right, low, high = (f"{share * 100:.1f}" for share in result.right)
    f1, least, highest = (f"{share:.2f}" for share in result.macro_f1)
    success = "–"
    if result.injected is not None:
        share, fewest, greatest = (f"{100 * share:.0f}" for share in result.injected)
        success = f"{share}% ({fewest} to {greatest})"
    return (
        *(judge.name, f"{result.pairs:,}", f"{right}% ({low} to {high})", f"{f1} ({least} to {highest})"),
        *(f"{result.calibration_error:.2f}", success),
    )


def _half_rows(judge: JudgeSummary) -> Iterator[tuple[str, ...]]:
    for half in judge.exam.halves if judge.exam else ():
        right, low, high = (f"{share * 100:.1f}" for share in half.right)
        f1, least, highest = (f"{share:.2f}" for share in half.macro_f1)
        yield (
            *(
                judge.name,
                HALF_WORDS.get(half.name, half.name),
                f"{half.pairs:,}",
                f"{right}% ({low} to {high})",
                f"{half.chance * 100:.1f}%",
            ),
            f"{f1} ({least} to {highest})",
        )


def _halves(judges: Sequence[JudgeSummary]) -> Iterator[Block]:
    """Show what was right of direct statements and of indirect evidence, and which model is near chance on either."""
    rows = tuple(row for judge in judges for row in _half_rows(judge))
    if not rows:
        return
    yield Table(
        "What the models reached on direct statements and on indirect evidence",
        (
            Column("Model", share=1.8), Column("Half of the exam", share=1.2), Column("Pairs", "num", 0.7),
            Column("Right", "num", 1.8), Column("By chance", "num", 1.0), Column("Macro-F1", "num", 1.6),
        ),
        rows,
    )  # fmt: skip
    yield Para(
        "A direct statement says that the hypothesis is so or is not so. Indirect evidence says neither: it makes an "
        "explanation more or less likely than its rivals. By chance: what the most frequent label alone would get "
        "right.",
        "quiet",
    )
    for judge in judges:
        near = [
            HALF_WORDS.get(half.name, half.name)
            for half in (judge.exam.halves if judge.exam else ())
            if not half.beats_chance
        ]
        if near:
            yield Para(f"On {and_list(near)}, {judge.name} is not clearly better than chance.")


def _measures(judge: JudgeSummary, *, several: bool) -> Iterator[Block]:
    """Yield what else was measured of a model, and what is known of its limits."""
    if several and (judge.measured or judge.limits or judge.exam is None):
        yield Sub(judge.name)
    if judge.exam is None:
        yield Para("It has not taken the program's exam, so nobody knows how often it is right.")
    if judge.measured:
        yield Table(
            f"Measured accuracy of {judge.name if several else 'the model'}",
            (
                Column("Measured on", share=2.0), Column("Seen in training", share=2.0), Column("Pairs", "num", 0.8),
                Column("Right", "num"), Column("Macro-F1", "num"), Column("F1 on contradictions", "num", 1.4),
            ),
            tuple(
                (
                    m.name, m.seen or "–", f"{m.n:,}", f"{m.accuracy * 100:.1f}%",
                    "–" if m.macro_f1 is None else f"{m.macro_f1:.2f}",
                    "–" if m.contradicts_f1 is None else f"{m.contradicts_f1:.2f}",
                )
                for m in judge.measured
            ),
        )  # fmt: skip
    elif judge.exam is None:
        yield Para("Nothing has been measured of this model; treat its labels as hints for reading, no more.")
    for limit in judge.limits:
        yield Para(limit)


def model(data: ReportData) -> Iterator[Block]:
    """Show how well the models that judged do, as far as it was measured."""
    if not data.judges:
        yield Para("No model judged anything in this case.")
        return
    for judge in data.judges:
        gave = []
        if judge.verdicts:
            gave.append(f"{count(judge.verdicts, 'verdict of it is', 'verdicts of it are')} here")
        if judge.beside:
            nouns = ("is", "are") if gave else ("verdict of it is", "verdicts of it are")
            gave.append(f"{count(judge.beside, *nouns)} kept beside the verdict of another model")
        yield Para(
            f"Passages were judged by {judge.name}"
            + (f" ({judge.fingerprint})" if judge.fingerprint else "")
            + "".join(f"{', and' if index else ':'} {words}" for index, words in enumerate(gave))
            + "."
        )
    if any(judge.exam for judge in data.judges):
        yield Para("In the exam of the program, on questions of many fields that were written for it:")
        yield Table(
            "What the models reached in the exam of the program",
            (
                Column("Model", share=1.8), Column("Pairs", "num", 0.7), Column("Right", "num", 1.8),
                Column("Macro-F1", "num", 1.6), Column("Calibration error", "num", 1.0),
                Column("Turned by planted instructions", "num", 1.5),
            ),
            tuple(_exam_row(judge) for judge in data.judges),
        )  # fmt: skip
        yield Table(
            "What the models reached class by class",
            (
                Column("Model", share=1.8), Column("F1 on support", "num"), Column("F1 on contradiction", "num"),
                Column("F1 on neutral", "num"),
            ),
            tuple(
                (judge.name, *((f"{share:.2f}" for share in judge.exam.f1) if judge.exam else ("–",) * 3))
                for judge in data.judges
            ),
        )  # fmt: skip
        yield Para(
            "In brackets: the 95% interval. By chance one answer in three would be right. The calibration error is how "
            "far, on average, a probability lay from the share that was right at it. Planted instructions are text in "
            "a passage that asks for a verdict; “turned” is the share of verdicts that then became it.",
            "quiet",
        )
        yield from _halves(data.judges)
    several = len(data.judges) > 1
    for judge in data.judges:
        yield from _measures(judge, several=several)
    if several and (data.second or data.shown):
        yield Sub("What is shown of their verdicts" if data.shown else "Read a second time")
    for words in data.second:
        yield Para(words)
    if data.shown:
        yield Para("This case shows only verdicts of a kind that was right nine times in ten when measured.")
        yield Points(data.shown)
    if data.agreement:
        yield Sub("How far people agreed with it")
        for name, agreement_lines in data.agreement:
            if len(data.agreement) > 1:
                yield Para(f"{name}:")
            yield Points(agreement_lines)


def documents(data: ReportData) -> Iterator[Block]:
    """List the documents, of many those that are cited, and say what went wrong while the report was written."""
    quoted_ids = {item.document for item in data.evidence}
    is_long = len(data.documents) > FEW_DOCUMENTS
    listed = [d for d in data.documents if not is_long or d.id in quoted_ids or d.status == "failed"]
    if listed:
        yield Table(
            "Documents cited, and files not read" if is_long else "Documents of the case",
            (
                Column("Document", share=3.0), Column("Type", share=0.95), Column("Pages", "num", 0.75),
                Column("Date", share=1.3), Column("SHA-256 of the original", "code", 3.0),
            ),
            tuple(
                (
                    "\n".join((behind(d.name, d.id), *document_remarks(d, data))), d.kind, f"{d.pages:,}",
                    day(d.date) or "–",
                    d.sha256,
                )
                for d in listed
            ),
        )  # fmt: skip
    if more := len(data.documents) - len(listed):
        which = "are not cited" if more > 1 else "is not cited"
        yield Para(
            f"{count(more, 'more document')} of the case {which}; the workbook and the JSON form list every document "
            "with its SHA-256.",
            "quiet",
        )
    if not data.documents:
        yield Para("This case has no documents.", "quiet")
    if data.problems:
        yield Sub("Problems")
        yield Points(tuple(f"{p.where}: {p.what} {p.hint}" for p in data.problems))


def steps(data: ReportData) -> Iterator[Block]:
    """Yield how a reader checks the report."""
    steps_of_check = [
        f"Compare a document with its SHA-256 in the list of documents{' of the full report' if data.short else ''}: "
        "sha256sum FILE, or certutil -hashfile FILE SHA256 on Windows. Equal hashes mean equal files.",
        "Open the document at the page given and find the words: a quote here is a span of the page’s text, "
        "character for character, counted from 0.",
        "With the case file, “disconfirm verify CASE” hashes every original and text again and checks every quote "
        "against its page and the log of decisions.",
    ]
    if data.log_head:
        steps_of_check.append(
            f"The log of decisions has {count(data.log_entries, 'entry', 'entries')} and ends with {data.log_head}. As "
            "long as this report is kept, nothing before that entry can be changed without being noticed."
        )
    yield Points(tuple(steps_of_check))


def check(data: ReportData) -> Iterator[Block]:
    """Yield how a reader checks the report, how it was computed and with what."""
    yield from steps(data)
    yield Sub("How it was computed")
    yield Terms(tuple((sentence(name), RULE_NOTES[rule]) for rule, name in RULES.items()))
    yield Para(
        "NA counts for nothing in every penalty. A cell nobody has rated is left out; under Bayes its row moves the "
        f"other hypotheses only against each other. {priors(data)}"
    )
    yield Sub("Made with")
    yield Terms((("Program", data.program), *((sentence(part), version) for part, version in data.engines)))
    yield Para(
        "Characters that cannot be seen on paper are written out, as in ⟨U+200B⟩; they are part of the text around "
        "them.",
        "quiet",
    )
