"""What the report says, in order, before it takes a form: sections of paragraphs, lists, tables and quotes.

Every form that is read (web page, PDF, DOCX, Markdown, the preview in the window) shows these blocks, in this order.
Texts are the case's own words: each form escapes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.domain import DEFAULT_RULE, RULES, Linchpin
from core.matrix import fraction, provisional
from core.report import background
from core.report.blocks import (
    HYPOTHESES_A_TABLE,
    Block,
    Column,
    Figure,
    Para,
    Points,
    Quote,
    Section,
    Sub,
    Table,
    Terms,
)
from core.report.data import ReportData
from core.report.rows import (
    FAILED,
    Item,
    RankingLine,
    absence_words,
    cell_mark,
    document_names,
    evidence_names,
    failure_lines,
    gaps,
    groups,
    headline,
    items,
    leading,
    margin,
    priors,
    ranking,
    view_words,
    warnings,
    with_names,
)
from core.report.wording import (
    KIND_WORDS,
    LINCHPIN_WORDS,
    RATING_WORDS,
    RULE_HEADS,
    behind,
    brief,
    count,
    moment,
    outcome,
    sentence,
)
from core.text import and_list

PINS_A_KIND = 12  # linchpins told of each kind; the JSON form has all
MOST_GAPS = 200  # rows listed with their open cells


# --- sections --------------------------------------------------------------------------------------------------------


def sections(data: ReportData, *, figures_of: Sequence[str] = (), most: int | None = None) -> list[Section]:
    """Build the whole report in order.

    ``figures_of`` are the pieces of evidence that have a picture in this form; of the evidence at most ``most`` pieces
    are shown, and how many more there are is said where they are missing.
    """
    lines, rows = ranking(data), items(data)
    left_out = 0 if most is None else max(0, len(rows) - most)
    printed_rows = rows[: len(rows) - left_out]
    every = [
        *opening(data),
        Section("ranking", ranking_title(data), tuple(_ranking(data, lines))),
        *parts(data, rows, only=("hangs",)),
        Section("matrix", "Matrix", (*_matrix(data, lines, printed_rows), *_more(left_out)), wide=True),
        *parts(data, rows, only=("independence", "absence")),
        Section("evidence", "Evidence", (*_evidence(printed_rows, frozenset(figures_of), data), *_more(left_out))),
        Section("gaps", "What is not rated", tuple(_gaps(data))),
        *parts(data, rows, only=("analysts", "considerations", "questions", "rulings", "grades", "effort")),
        Section("who", "What people did, and what the program did", tuple(background.who(data))),
        *parts(data, rows, only=("model", "figures")),
        Section("documents", "Documents", tuple(background.documents(data))),
        Section("check", "How to check this report", tuple(background.check(data))),
    ]
    return [section for section in every if section.blocks]


def opening(data: ReportData) -> list[Section]:
    """Build what every report begins with, the short form as well: what fails, the answer, the analyst's own words."""
    return [
        Section("failed", FAILED, (Points(tuple(failure_lines(data)), "warning"),) if data.failed else ()),
        Section("bottom-line", "Bottom line", tuple(_bottom_line(data))),
        Section("summary", "Summary", tuple(_summary(data))),
    ]


def parts(data: ReportData, rows: Sequence[Item], *, only: Sequence[str]) -> list[Section]:
    """Build the parts that look the same in every form, those with something to say."""
    every = {
        "hangs": Section("hangs", "What the conclusion depends on", tuple(_hangs(data, rows))),
        "independence": Section("independence", "What counts once", tuple(_independence(data, rows))),
        "absence": Section("absence", "Searched for and not found", tuple(_absence(rows))),
        "analysts": Section("analysts", "Several analysts", tuple(background.analysts(data))),
        "considerations": Section("considerations", "Beside the matrix", tuple(background.considerations(data))),
        "grades": Section("grades", "How sources are weighted", tuple(background.weights(data))),
        "effort": Section("effort", "How the documents were searched", tuple(background.effort(data))),
        "questions": Section("questions", "Questions asked of the documents", tuple(background.questions(data))),
        "rulings": Section("rulings", "Conflicts and audit findings decided", tuple(background.rulings(data))),
        "figures": Section("figures", "How far each part can be trusted, in figures", tuple(background.figures(data))),
        "model": Section("model", "How far the model can be trusted", tuple(background.model(data))),
    }
    return [every[name] for name in only if every[name].blocks]


def _more(left_out: int) -> Iterator[Block]:
    if left_out:
        yield Para(
            f"And {count(left_out, 'more piece of evidence', 'more pieces of evidence')}: the web page, workbook, "
            "table and JSON forms have all of them.",
            "quiet",
        )


BEFORE = "Before you rely on it"
RANKING = "Hypotheses by rank, with the score under every rule"
SCALE = (
    "; ".join(f"{rating} {words}" for rating, words in RATING_WORDS.items())
    + "; ? not rated; (I) not rated, suggested by the model, counts for nothing."
)


def ranking_title(data: ReportData) -> str:
    """Title the part on the hypotheses: in what order they are."""
    if data.matrix.comparison.state != "complete":
        return "Hypotheses, not ranked yet"
    return "Hypotheses, least contradicted first"


def _bottom_line(data: ReportData) -> Iterator[Block]:
    yield Para(headline(data), "lead")
    for h in leading(data):
        yield Para(f"{h.id}  {h.text}", "strong")
    if lead := margin(data):
        yield Para(lead, "quiet")
    if remarks := warnings(data):
        yield Sub(BEFORE)
        yield Points(tuple(remarks), "warning")


def _summary(data: ReportData) -> Iterator[Block]:
    """Yield what a person wrote, with the name."""
    options = data.settings.report
    if not options.summary:
        return
    for paragraph in re.split(r"\n\s*\n", options.summary):
        yield Para(paragraph.strip("\n"))
    yield Para(f"Written by {options.summary_by or 'a person'}. The program has not checked it.", "quiet")


def ranking_table(data: ReportData, lines: Sequence[RankingLine], *, with_notes: bool = True) -> Iterator[Block]:
    """Set the hypotheses in order, with the score under every rule, and what is noted of each."""
    if not lines:
        yield Para("No hypothesis has been entered.", "quiet")
        return
    rules = [rule for rule in RULES if rule in data.matrix.scores]
    yield Table(
        RANKING,
        (
            Column("Rank", "id", 0.8),
            Column("Hypothesis", share=4.2),
            *(Column(RULE_HEADS.get(rule, sentence(RULES[rule])), "num", 1.15) for rule in rules),
            Column("Rows rated", "num", 1.15),
        ),
        tuple(
            (
                line.place,
                f"{line.hypothesis.id}  {line.hypothesis.text}"
                + (f" ({KIND_WORDS[line.hypothesis.kind]})" if line.hypothesis.kind in KIND_WORDS else "")
                + (f"\n{line.hypothesis.note}" if line.hypothesis.note and with_notes else ""),
                *(line.scores[rule] for rule in rules),
                line.rated_rows,
            )
            for line in lines
        ),
    )
    yield Para(ranking_legend(data), "quiet")


def _ranking(data: ReportData, lines: Sequence[RankingLine]) -> Iterator[Block]:
    yield from ranking_table(data, lines)
    if not lines or not data.matrix.rows:
        return
    yield Sub("Do the rules agree?")
    yield from agreement(data)
    yield Sub("Second opinion in words")
    yield from second_opinion(data, lines)


def ranking_legend(data: ReportData) -> str:
    """Return how the table of the ranking is read."""
    if data.matrix.comparison.state == "incomplete":
        return (
            "“–”: there is no rank, and no probability, until every rated row is rated against every hypothesis. "
            "A lower score is no better where fewer rows are rated."
        )
    return (
        "Lower is better, except under Bayes. Equal scores share a rank, written “1=”: a tie is an answer, and nothing "
        "here breaks it." + (" “–” marks a hypothesis on which nothing rated bears." if data.matrix.untested else "")
    )


def agreement(data: ReportData) -> Iterator[Block]:
    """Yield whether the rules agree and why not, and for a tie what could separate it."""
    if not any(data.matrix.leaders.values()):
        yield Para(data.robustness or "No hypothesis leads under any rule.")
        if so_far := provisional(data.matrix.comparison):
            yield Para(so_far)
        return
    outcomes = groups(data.matrix)
    if len(outcomes) == 1:
        yield Para(data.robustness or f"Yes: under all {len(data.matrix.leaders)} rules, {outcomes[0][0]}.")
    else:
        # The sentence names the rules after its colon; here they follow one to a line.
        cause = data.robustness.partition(": ")[0] or "The conclusion depends on how the evidence is counted"
        yield Para(f"No. {cause}:")
        yield Points(tuple(f"{sentence(what)} under {and_list(rules)}" for what, rules in outcomes))
    leaders = data.matrix.leaders.get(DEFAULT_RULE, ())
    if len(leaders) < 2:
        return
    tie = f"{and_list(leaders)} cannot be separated by what is rated."
    if data.matrix.gaps:
        names = evidence_names(data)
        yield Para(f"{tie} Rating one of these open cells could separate them:")
        yield Points(
            tuple(
                f"{names.get(gap.evidence, gap.evidence)} against {gap.hypothesis}"
                + (f": then {outcome(gap.could_lead, would=True)}" if gap.could_lead else "")
                for gap in data.matrix.gaps[:PINS_A_KIND]
            )
        )
        if len(data.matrix.gaps) > PINS_A_KIND:
            yield Para(f"And {len(data.matrix.gaps) - PINS_A_KIND} more open cells.", "quiet")
    elif data.matrix.unrated:
        yield Para(f"{tie} No single open cell could separate them: it takes evidence that is not here yet.")
    else:
        yield Para(f"{tie} Every cell is rated: it takes evidence that is not here yet.")


def second_opinion(data: ReportData, lines: Sequence[RankingLine]) -> Iterator[Block]:
    """Put the Bayes reading in words of estimative probability, with the range of each word."""
    if "bayes" not in data.matrix.scores:
        return
    if not data.matrix.leaders.get("bayes"):
        yield Para("There is none while nothing leads: probabilities compare, and there is nothing to compare yet.")
        return
    leaders = data.matrix.leaders.get(DEFAULT_RULE, ())
    if len(leaders) > 1:
        yield Para(f"There is none while {and_list(leaders)} cannot be separated: a word of likelihood would say more.")
        return
    yield Table(
        "The Bayes reading in words",
        (Column("Hypothesis", "id", 1.0), Column("In words", share=4.0), Column("Posterior", "num", 1.0)),
        tuple((line.hypothesis.id, line.likelihood, line.scores["bayes"]) for line in lines),
    )
    yield Para(
        f"Words and ranges of ICD 203. {priors(data)} It takes all evidence as independent, which it seldom is, so "
        "this is a second opinion and not the result.",
        "quiet",
    )


def _hangs(data: ReportData, rows: Sequence[Item]) -> Iterator[Block]:
    matrix = data.matrix
    if not matrix.rows or not matrix.hypotheses:
        return
    if not any(matrix.leaders.values()):
        yield Para("No hypothesis leads, so there is no conclusion that could depend on a row.")
        return
    of: dict[str, list[Linchpin]] = {}
    for pin in matrix.linchpins:
        of.setdefault(pin.change, []).append(pin)
    counts = dict(matrix.linchpin_counts) or {change: len(pins) for change, pins in of.items()}
    total = sum(counts.values())
    if not total:
        yield Para("No single piece of evidence and no single step of one rating changes who leads.")
    else:
        yield Para(
            f"{count(total, 'change')} of the matrix would change who leads, each by itself; the smallest of each kind "
            "come first, with the page behind it."
        )
    order = [*LINCHPIN_WORDS, *sorted(set(of) - set(LINCHPIN_WORDS))]
    for change in order:
        pins = of.get(change, [])
        if not pins:
            continue
        total_of_kind = max(counts.get(change, 0), len(pins))
        yield Sub(f"{sentence(LINCHPIN_WORDS.get(change, change.replace('_', ' ')))}: {count(total_of_kind, 'way')}")
        yield pin_table(sentence(LINCHPIN_WORDS.get(change, change)), pins[:PINS_A_KIND], data, rows)
        if total_of_kind > PINS_A_KIND:
            yield Para(
                f"And {total_of_kind - min(PINS_A_KIND, len(pins)):,} more; the JSON form lists {len(pins):,} of them.",
                "quiet",
            )
    none = [LINCHPIN_WORDS[change] for change in LINCHPIN_WORDS if change in counts and not counts[change]]
    if none and total:
        yield Para(f"None of these changes who leads: {and_list(none)}.", "quiet")


def pin_table(title: str, pins: Sequence[Linchpin], data: ReportData, rows: Sequence[Item]) -> Table:
    """Set changes that change who leads, each with the pages behind it."""
    names = {item.evidence.id: item.name for item in rows}
    documents = document_names(data)
    return Table(
        title,
        (Column("Where", share=3.0), Column("Change", share=4.0)),
        tuple(
            (
                "\n".join(names[row] for row in _rows_of(pin)[:6] if row in names) or "–",
                with_names(pin.sentence, documents) or f"{pin.evidence} {pin.hypothesis or ''}".strip(),
            )
            for pin in pins
        ),
    )


def _rows_of(pin: Linchpin) -> tuple[str, ...]:
    return pin.rows or ((pin.evidence,) if pin.evidence else ())


def _matrix(data: ReportData, lines: Sequence[RankingLine], rows: Sequence[Item]) -> Iterator[Block]:
    if not lines:
        yield Para("There is no matrix without a hypothesis.", "quiet")
        return
    if not rows:
        yield Para("There is no evidence yet.", "quiet")
        return
    if whose := view_words(data):
        yield Para(whose)
    for start in range(0, len(lines), HYPOTHESES_A_TABLE):
        part = range(start, min(start + HYPOTHESES_A_TABLE, len(lines)))
        title = "Matrix" if len(lines) <= HYPOTHESES_A_TABLE else f"Matrix, hypotheses {part[0] + 1} to {part[-1] + 1}"
        briefly = 46 if len(part) <= 6 else 24 if len(part) <= 9 else 0
        yield Table(
            title,
            (
                Column("Evidence", share=4.4),
                Column("Source", share=2.0),
                *(Column(_head(lines[index], briefly), "cell", 1.0 if len(part) > 6 else 1.3) for index in part),
                Column("Diagnosticity", "num", 1.4),
            ),
            tuple(
                (
                    behind(brief(item.evidence.text or item.quote or "(no text)", 150), item.evidence.id),
                    item.source,
                    *(cell_mark(item.cells[index]) for index in part),
                    "–" if item.row.diagnosticity is None else f"{item.row.diagnosticity:.2f}",
                )
                for item in rows
            ),
            anchors=tuple(item.anchor for item in rows),
        )
    yield Para(SCALE, "quiet")
    yield Para(
        "Diagnosticity is how far a row tells the hypotheses apart: at 0.00 it does not help to choose, whichever "
        "way it points.",
        "quiet",
    )


def _head(line: RankingLine, briefly: int) -> str:
    return f"{line.hypothesis.id}\n{brief(line.hypothesis.text, briefly)}" if briefly else line.hypothesis.id


def _independence(data: ReportData, rows: Sequence[Item]) -> Iterator[Block]:
    if not data.matrix.clusters:
        return
    by_id = {item.evidence.id: item for item in rows}
    yield Para(
        "These pieces of evidence go back to one origin. Each group counts once, however many copies it has: what "
        "each contributes is divided by how many of them bear on something."
    )
    yield Table(
        "Evidence that counts once",
        (Column("Evidence", share=5.0), Column("Each counts", "num", 1.0)),
        tuple(
            (
                "\n".join(by_id[row].name if row in by_id else row for row in cluster),
                fraction(min((by_id[row].row.share for row in cluster if row in by_id), default=1.0)),
            )
            for cluster in data.matrix.clusters
        ),
    )
    documents = document_names(data)
    if why := [
        f"{by_id[row].name if row in by_id else row}: {with_names(data.shared[row], documents)}"
        for cluster in data.matrix.clusters
        for row in cluster
        if row in data.shared
    ]:
        yield Points(tuple(why))


def _absence(rows: Sequence[Item]) -> Iterator[Block]:
    missing = [item for item in rows if item.evidence.absence is not None]
    if not missing:
        return
    yield Para(
        "What a hypothesis leads one to expect, looked for and not found. It says what was searched and no "
        "more: a search "
        "that finds nothing is no proof that nothing is there."
    )
    for item in missing:
        yield Sub(behind(item.evidence.text, item.evidence.id))
        yield Para(absence_words(item))


def _evidence(rows: Sequence[Item], figures: frozenset[str], data: ReportData) -> Iterator[Block]:
    if not rows:
        yield Para("There is no evidence yet.", "quiet")
    for item in rows:
        e = item.evidence
        yield Sub(behind(item.heading, e.id), item.anchor)
        if item.quote:
            yield Quote(item.quote)
        for stretch in item.stretches:
            if stretch.name in figures:
                which = "the page" if len(item.stretches) == 1 else f"page {stretch.page}"
                yield Figure(stretch.name, f"{item.origin}: {which} with the quoted words boxed")
        yield Terms(tuple(facts(item, data)))


def facts(item: Item, data: ReportData) -> Iterator[tuple[str, str]]:
    """Yield everything there is to say about a piece of evidence, as pairs of a term and its words."""
    e = item.evidence
    if item.document is not None:
        place = f"{item.origin}, {item.characters}" if item.characters else item.origin
        yield "Document", behind(place if e.quote else f"{place}, no words quoted", item.document.id)
        if item.citation is not None and item.citation.section:
            yield "Section", " > ".join(item.citation.section)
        if e.id in data.checks:
            yield "Scan", data.checks[e.id]
        yield "SHA-256", "\n".join([f"{item.document.sha256} document", *(f"{sha} {of}" for sha, of in item.hashes)])
    elif e.absence is not None:
        yield "Search", absence_words(item)
    else:
        yield "Source", f"{e.source or 'not given'}; not linked to a document, so no quote can be checked"
    if e.date:
        yield "Date", e.date
    yield "Grade", f"{item.grades}; weight {item.row.weight:.3f}"
    if item.row.cluster:
        why = f". {with_names(data.shared[e.id], document_names(data))}" if e.id in data.shared else ""
        yield "Counts as", f"{fraction(item.row.share)} of one: it shares its origin with other evidence{why}"
    if e.created_at or e.created_by:
        how = "by hand"
        if e.method == "corpus":
            how = "from a proposal of the program"
            if e.proposal:
                how += f" ({e.proposal}{'' if e.similarity is None else f', similarity {e.similarity:.2f}'})"
        yield (
            "Added",
            how
            + (f" by {e.created_by}" if e.created_by else "")
            + (f", {moment(e.created_at)}" if e.created_at else ""),
        )
    if item.cells:
        yield "Rated", ", ".join(f"{c.hypothesis} {c.rating or 'not rated'}" for c in item.cells)
    if item.raters:
        yield "Rated by", "; ".join(item.raters)
    several = [cell for cell in item.cells if cell.disputed]
    if several:
        yield (
            "Differ on",
            "; ".join(
                f"{cell.hypothesis}: "
                + ", ".join(f"{a.by or 'name not recorded'} {a.rating}" for a in cell.assessments)
                for cell in several
            ),
        )
    if item.suggested_cells:
        yield (
            "Model suggests",
            ", ".join(
                f"{c.hypothesis} {c.suggestion.rating} ({c.basis})" for c in item.suggested_cells if c.suggestion
            ),
        )
    remarks = [*item.flags, *([e.note] if e.note else []), *(n for cell in item.cells for n in cell.notes)]
    if remarks:
        yield "Note", "; ".join(remarks)


def _gaps(data: ReportData) -> Iterator[Block]:
    matrix = data.matrix
    if not matrix.rows or not matrix.order:
        yield Para("There is nothing to rate yet.")
        return
    if not matrix.unrated:
        yield Para("Every cell is rated.")
        return
    cells = len(matrix.rows) * len(matrix.order)
    yield Para(
        f"{matrix.unrated:,} of {count(cells, 'cell')} {'is' if matrix.unrated == 1 else 'are'} open. An open cell "
        "counts for nothing, neither for nor against."
    )
    open_rows, names = gaps(matrix), evidence_names(data)
    yield Points(tuple(f"{names.get(row, row)} against {and_list(missing)}" for row, missing in open_rows[:MOST_GAPS]))
    if len(open_rows) > MOST_GAPS:
        yield Para(f"And {len(open_rows) - MOST_GAPS:,} more rows.", "quiet")
