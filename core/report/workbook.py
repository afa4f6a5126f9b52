"""The report as a workbook: the matrix and what is behind it, as sheets of plain cells.

The writer engine sets these sheets as XLSX. Every text is a text here and stays one there: no cell is a formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.accuracy.figures import BASES, PARTS
from core.domain import RULES
from core.report import blocks, outline, short_form, story
from core.report import rows as lines
from core.report.data import ReportData, without_places
from core.report.json_form import canonical
from core.report.rows import Item, RankingLine
from core.report.wording import (
    ID_BEHIND,
    INFORMATION_WORDS,
    LEVEL_WORDS,
    LINCHPIN_WORDS,
    RATING_WORDS,
    RELIABILITY_WORDS,
    RULE_NOTES,
    brief,
    day,
    outcome,
    plain,
    sentence,
    stamp,
)
from core.text import and_list

LONGEST = 32_000  # characters; a cell of a spreadsheet holds 32,767
MOST_NOTES = 5_000  # notes on cells; each is a drawing, and a sheet with more of them opens slowly
NOTE = 1_000  # characters of one note
MOST_ROWS = 1_000_000

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet.

    ``look`` is 'text', 'num', 'cell' (a rating) or 'code'; ``width`` in characters.
    """

    title: str
    look: str = "text"
    width: int = 14


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of plain cells.

    ``notes`` are (row, column, text), counted from 0 below the header. The first ``frozen_columns`` stay in view.
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    frozen_columns: int = 1
    notes: tuple[tuple[int, int, str], ...] = ()
    has_filter: bool = True


def render_sheets(data: ReportData) -> bytes:
    """Write what the workbook holds, as canonical JSON."""
    data = without_places(data)
    return canonical(
        {
            "generated_at": _text(data.as_of or data.generated_at, 100),
            "title": _text(data.title or "Untitled case"),
            "program": _text(data.program),
            "ratings": list(RATING_WORDS),
            "author": _text(data.settings.report.author, 100),
            "marking": _text(data.settings.report.marking, 200),
            "sheets": [_plain(sheet) for sheet in sheets(data)],
        }
    )


def sheets(data: ReportData) -> list[Sheet]:
    """Build every sheet with something in it that is not left out; the summary always."""
    rows, ranking = lines.items(data), lines.ranking(data)
    failed = Sheet(
        "Check",
        (Column(lines.FAILED, width=120),),
        tuple((line,) for line in lines.failure_lines(data)),
        frozen_columns=0,
    )
    if data.short:
        telling = short_form.most_diagnostic(rows)
        every: tuple[tuple[Sheet, str], ...] = (
            (failed, ""),
            (_summary(data, ranking), ""),
            (replace(_evidence(telling), name="Most diagnostic"), "evidence"),
            (_hangs(data, rows), "hangs"),
            (_about(data), "check"),
        )
    else:
        every = (
            (failed, ""),
            (_matrix(data, rows), "matrix"),
            (_summary(data, ranking), ""),
            (_evidence(rows), "evidence"),
            (_ratings(data), "matrix"),
            (_suggestions(data), "matrix"),
            (_hangs(data, rows), "hangs"),
            (_disputes(data), "analysts"),
            (_analysts(data), "analysts"),
            (_considerations(data), "considerations"),
            (_questions(data), "questions"),
            (_rulings(data), "rulings"),
            (_figures(data), "figures"),
            (_searches(data), "effort"),
            (_documents(data), "documents"),
            (_about(data), "check"),
        )
    omissions = data.settings.report.omissions
    return [
        sheet
        for sheet, section in every
        if section not in omissions and (sheet.rows or sheet.name in ("Matrix", "Summary"))
    ]


def _matrix(data: ReportData, rows: Sequence[Item]) -> Sheet:
    texts = {h.id: h.text for h in data.hypotheses}
    index_of = {h: n for n, h in enumerate(data.matrix.order)}
    order = [h.id for h in data.hypotheses if h.id in index_of]
    first = 4
    notes: list[tuple[int, int, str]] = []
    for n, item in enumerate(rows):
        e = item.evidence
        if e.quote or e.note:
            note = "\n".join(part for part in (f"“{item.quote}”" if item.quote else "", item.origin, e.note) if part)
            notes.append((n, 1, note))
        for k, h in enumerate(order):
            cell = item.cells[index_of[h]]
            note = "\n".join([cell.when, *cell.notes]) if cell.assessments else ""
            if cell.suggestion is not None:
                note = f"{note}\nThe model suggests {cell.suggestion.rating} ({cell.basis})".strip()
            if note:
                quote = f"“{brief(item.quote, 300)}”\n{item.origin}\n" if item.quote else ""
                notes.append((n, first + k, quote + note))
    return Sheet(
        "Matrix",
        (
            Column("Id", width=8),
            Column("Evidence", width=60),
            Column("Source", width=28),
            Column("Date", width=12),
            *(Column(f"{h}: {texts[h]}", "cell", 16) for h in order),
            Column("Weight", "num", 10),
            Column("Diagnosticity", "num", 10),
            Column("Counts as", "num", 10),
            Column("Reliability", width=11),
            Column("Information", width=11),
            Column("Credibility", width=11),
            Column("Relevance", width=11),
            Column("Remarks", width=50),
        ),
        tuple(
            (
                e.id,
                e.text or item.quote,
                item.origin,
                e.date,
                *(item.cells[index_of[h]].rating or "" for h in order),
                round(item.row.weight, 6),
                None if item.row.diagnosticity is None else round(item.row.diagnosticity, 6),
                round(item.row.share, 6),
                e.reliability,
                e.information,
                e.credibility or "",
                e.relevance or "",
                "; ".join(item.flags),
            )
            for item in rows
            for e in (item.evidence,)
        ),
        frozen_columns=2,
        notes=tuple(notes[:MOST_NOTES]),
    )


def _summary(data: ReportData, ranking: Sequence[RankingLine]) -> Sheet:
    with_bayes = bool(data.matrix.leaders.get("bayes"))  # while nothing leads there is no probability to show
    rules = [rule for rule in RULES if rule in data.matrix.scores and (rule != "bayes" or with_bayes)]
    width = len(rules) + 4 + with_bayes

    def padded_row(*cells: Value) -> tuple[Value, ...]:
        return (*cells, *[None] * (width - len(cells)))

    rows: list[tuple[Value, ...]] = [
        (
            line.place.strip("–"),  # a dash would look like a rating to whoever reads the file
            line.hypothesis.id,
            line.hypothesis.text,
            *(round(data.matrix.scores[rule][line.hypothesis.id], 6) for rule in rules),
            *([line.likelihood] if with_bayes else []),
            line.rated_rows,
        )
        for line in ranking
    ]
    if data.settings.report.marking:
        rows.insert(0, padded_row("", "", data.settings.report.marking))
    rows.append(padded_row())
    rows.append(padded_row("", "", lines.headline(data)))
    if "summary" not in data.settings.report.omissions:
        rows += [
            padded_row("", "Summary" if not n else "", _words(block))
            for n, block in enumerate(story.opening(data)[2].blocks)
        ]
    rows += [padded_row("", "", words) for words in (lines.as_of(data), lines.view_words(data)) if words]
    for block in story.agreement(data) if data.matrix.rows else ():
        rows += [
            padded_row("", "", text) for text in (block.items if isinstance(block, blocks.Points) else [_words(block)])
        ]
    rows += [padded_row("", story.BEFORE if not n else "", w) for n, w in enumerate(lines.warnings(data))]
    rows += [padded_row("", "", remark.text) for remark in outline.remarks(data)]
    return Sheet(
        "Summary",
        (
            Column("Rank", width=8),
            Column("Hypothesis", width=22),
            Column("Text", width=80),
            *(Column(sentence(RULES[rule]), "num", 15) for rule in rules),
            *([Column("Bayes in words (ICD 203)", width=30)] if with_bayes else []),
            Column("Rows rated", width=12),
        ),
        tuple(rows),
        frozen_columns=2,
        has_filter=False,
    )


def _words(block: blocks.Block) -> str:
    return block.text if isinstance(block, blocks.Para) else ""


def _evidence(rows: Sequence[Item]) -> Sheet:
    return Sheet(
        "Evidence",
        (
            Column("Id", width=8), Column("Kind", width=12), Column("Text", width=60), Column("Quote", width=80),
            Column("Document", width=28), Column("Page", "num", 8), Column("From", "num", 8), Column("To", "num", 8),
            Column("SHA-256 of the document", "code", 66), Column("SHA-256 of the page text", "code", 66),
            Column("Typed source", width=28), Column("Grades", width=60), Column("Upstream", width=16),
            Column("Added by", width=18), Column("Added at (UTC)", width=18), Column("Searched", width=60),
            Column("Note", width=60), Column("Section", width=40), Column("Page label", width=12),
            Column("Goes on", width=40),
        ),
        tuple(
            (
                e.id, e.kind, e.text, item.quote, item.document.name if item.document else "", e.page, e.start,
                e.end,
                item.document.sha256 if item.document else "", item.page_sha256, e.source, item.grades, e.upstream,
                e.created_by, stamp(e.created_at), lines.absence_words(item), e.note,
                " > ".join(item.citation.section) if item.citation else "",
                item.citation.label if item.citation else "",
                "; ".join(f"page {part.page}, characters {part.start} to {part.end}" for part in e.more),
            )
            for item in rows
            for e in (item.evidence,)
        ),
    )  # fmt: skip


def _ratings(data: ReportData) -> Sheet:
    return Sheet(
        "Ratings",
        (
            Column("Evidence", width=10), Column("Hypothesis", width=11), Column("Rating", "cell", 9),
            Column("By", width=20), Column("At (UTC)", width=18), Column("Sure of it", width=11),
            Column("Note", width=60),
        ),
        tuple((a.evidence, a.hypothesis, a.rating, a.by, stamp(a.at), a.confidence, a.note) for a in data.assessments),
    )  # fmt: skip


def _suggestions(data: ReportData) -> Sheet:
    return Sheet(
        "Suggested by the model",
        (
            Column("Evidence", width=10), Column("Hypothesis", width=11), Column("Suggestion", width=11),
            Column("Supports", "num", 10), Column("Contradicts", "num", 11), Column("Neutral", "num", 10),
            Column("Model", width=40),
        ),
        tuple(
            (
                s.evidence, s.hypothesis, s.rating, round(s.probabilities.supports, 4),
                round(s.probabilities.contradicts, 4), round(s.probabilities.neutral, 4), s.model,
            )
            for s in data.suggestions
        ),
    )  # fmt: skip


def _hangs(data: ReportData, rows: Sequence[Item]) -> Sheet:
    where = {item.evidence.id: item.origin for item in rows}
    return Sheet(
        "What it depends on",
        (Column("Kind", width=34), Column("Change", width=70), Column("Then", width=24), Column("Where", width=70)),
        tuple(
            (
                sentence(LINCHPIN_WORDS.get(pin.change, pin.change)),
                pin.sentence,
                outcome(pin.leaders),
                "; ".join(f"{row} {where[row]}" for row in (pin.rows or (pin.evidence,))[:6] if row in where),
            )
            for pin in data.matrix.linchpins
        ),
    )


def _disputes(data: ReportData) -> Sheet:
    disputes = data.group.disputes if data.group is not None else ()
    return Sheet(
        "Disputed cells",
        (
            Column("Cell", width=18), Column("As a group", width=26),
            Column("Dispute", width=12), Column("Deviation", "num", 10), Column("Each", width=60),
        ),
        tuple(
            (
                # In words: a column of bare ratings would make this sheet a second matrix to whoever reads the file.
                f"{d.evidence} against {d.hypothesis}", f"the group says {d.rating}", d.level,
                round(d.deviation, 4),
                ", ".join(f"{who or 'name not recorded'} {says}" for who, says in sorted(d.ratings.items())),
            )
            for d in disputes
            if d.level != "consensus" or not d.bearing
        ),
    )  # fmt: skip


def _analysts(data: ReportData) -> Sheet:
    order = data.matrix.order
    values_of_rows: list[tuple[Value, ...]] = []
    if data.group is not None and (len(data.group.opinions) > 1 or any(o.stated for o in data.group.opinions)):
        for o in data.group.opinions:
            who = o.by or "name not recorded"
            for reading, values in (
                ("stated", o.stated),
                ("from the ratings", o.read),
                ("adjusted to sum to 100", o.coherent),
            ):
                if values is not None:
                    values_of_rows.append((who, reading, *(_round(values.get(h)) for h in order), and_list(o.leaders)))
        values_of_rows.append(("All", "plain mean", *(_round(data.group.mean.get(h)) for h in order), ""))
        values_of_rows.append(
            ("All", "mean of the adjusted", *(_round(data.group.aggregate.get(h)) for h in order), "")
        )
    return Sheet(
        "Analysts",
        (
            Column("Analyst", width=22),
            Column("Reading", width=20),
            *(Column(h, "num", 10) for h in order),
            Column("Leads", width=20),
        ),
        tuple(values_of_rows),
    )


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _considerations(data: ReportData) -> Sheet:
    return Sheet(
        "Beside the matrix",
        (
            Column("Kind", width=14), Column("Text", width=90), Column("Hypothesis", width=11),
            Column("Search", width=40), Column("Status", width=9), Column("By", width=20), Column("At (UTC)", width=18),
        ),
        tuple((c.kind, c.text, c.hypothesis, c.query, c.status, c.by, stamp(c.at)) for c in data.considerations),
    )  # fmt: skip


def _questions(data: ReportData) -> Sheet:
    lines: list[tuple[str | int | float | None, ...]] = []
    for record in data.questions:
        answer, points = record.answer, () if record.unproven else record.answer.points
        head = (record.id, answer.question, "yes" if answer.is_answered else "no")
        if not points:
            lines.append((*head, "", "", "", "", None, answer.sentence))
        for point in points:
            for source in point.sources:
                place = (source.name, source.quote.page)
                lines.append((*head, point.short, point.confidence, source.quote.text, *place, answer.sentence))
    return Sheet(
        "Questions",
        (
            Column("Id", width=6), Column("Question", width=50), Column("Answered", width=10),
            Column("Short answer", width=20), Column("Confidence", width=11), Column("Quote", width=80),
            Column("Document", width=30), Column("Page", width=7), Column("Remark", width=50),
        ),
        tuple(lines),
    )  # fmt: skip


def _rulings(data: ReportData) -> Sheet:
    return Sheet(
        "Conflicts and audits",
        (
            Column("Id", width=14), Column("About", width=50), Column("Decision", width=30), Column("Note", width=40),
            Column("By", width=20), Column("At (UTC)", width=20), Column("Text", width=80), Column("Places", width=40),
        ),
        tuple(
            (row.id, row.subject, row.decision, row.note, row.by, stamp(row.at), text, places)
            for row in data.rulings
            for text, places in row.texts
        ),
    )  # fmt: skip


def _figures(data: ReportData) -> Sheet:
    return Sheet(
        "Figures",
        (
            Column("Part", width=20), Column("Figure", width=60), Column("Value", width=12), Column("Low", width=9),
            Column("High", width=9), Column("n", width=9), Column("Basis", width=40), Column("Note", width=60),
        ),
        tuple(
            (
                *(PARTS.get(figure.part, figure.part), figure.name),
                *(_round(figure.value), _round(figure.low), _round(figure.high), figure.n),
                *(BASES.get(figure.basis, figure.basis), figure.note),
            )
            for figure in data.figures
        ),
    )  # fmt: skip


def _searches(data: ReportData) -> Sheet:
    return Sheet(
        "Searches",
        (
            Column("Hypothesis", width=12), Column("Searches for", "num", 14), Column("Searches against", "num", 16),
            Column("Passages looked at", "num", 18), Column("Support it", "num", 12),
            Column("Contradict it", "num", 13), Column("Neutral", "num", 10), Column("Unsure", "num", 10),
            Column("Effort", width=60), Column("Probably missed", width=90),
        ),
        tuple(
            (
                s.hypothesis, s.searches_for, s.searches_against, s.passages, s.supports, s.contradicts, s.neutral,
                s.ambiguous, s.uneven or "as much as for any other", s.missed.words if s.missed else "not known",
            )
            for s in data.search
            if s.passages or s.queries or s.uneven
        ),
    )  # fmt: skip


def _documents(data: ReportData) -> Sheet:
    return Sheet(
        "Documents",
        (
            Column("Id", width=8), Column("Name", width=36), Column("Type", width=10), Column("Pages", "num", 8),
            Column("Bytes", "num", 12), Column("Date", width=12), Column("SHA-256 of the original", "code", 66),
            Column("Remarks", width=60),
        ),
        tuple(
            (d.id, d.name, d.kind, d.pages, d.size, day(d.date), d.sha256, "; ".join(lines.document_remarks(d, data)))
            for d in data.documents
        ),
    )  # fmt: skip


def _about(data: ReportData) -> Sheet:
    rows: list[tuple[Value, ...]] = [("Title", data.title), ("Author", data.settings.report.author)]
    rows = [row for row in rows if row[1]]
    rows.append(("Time", stamp(data.as_of or data.generated_at) + " UTC"))
    rows += [("Program", data.program), *((sentence(part), version) for part, version in data.engines)]
    rows.append(("Log of decisions", f"{data.log_entries:,} entries, the last with hash {data.log_head or '–'}"))
    rows += [(rating, words) for rating, words in RATING_WORDS.items()]
    rows += [(f"Level {level}", words) for level, words in LEVEL_WORDS.items() if level]
    rows += [(f"Reliability {g}", f"{w}; {_weight(data, g)}") for g, w in RELIABILITY_WORDS.items()]
    rows += [(f"Information {g}", f"{w}; {_weight(data, g)}") for g, w in INFORMATION_WORDS.items()]
    rows += [(sentence(RULES[rule]), note) for rule, note in RULE_NOTES.items()]
    rows.append(("Notes", f"A sheet shows at most {MOST_NOTES:,} notes on its cells; the sheets have all of it."))
    return Sheet("About", (Column("What", width=30), Column("Words", width=120)), tuple(rows), has_filter=False)


def _weight(data: ReportData, grade: str) -> str:
    factor = data.settings.grade_weights.get(grade)
    return "weighs like no grade" if factor is None else f"factor {factor:.3f}"


def _text(text: str, longest: int = LONGEST) -> str:
    text_shown = plain(ID_BEHIND.sub(r" \1", text))
    return text_shown if len(text_shown) <= longest else text_shown[: longest - 20] + "… (cut off here)"


def _plain(sheet: Sheet) -> dict[str, object]:
    return {
        "name": sheet.name,
        "columns": [{"title": _text(c.title, 400), "look": c.look, "width": c.width} for c in sheet.columns],
        "rows": list(_rows(sheet.rows[:MOST_ROWS])),
        "frozen": sheet.frozen_columns,
        "filtered": sheet.has_filter,
        "notes": [[row, column, _text(text, NOTE)] for row, column, text in sheet.notes],
    }


def _rows(rows: Sequence[Sequence[Value]]) -> Iterator[list[Value]]:
    for row in rows:
        yield [_text(cell) if isinstance(cell, str) else cell for cell in row]
