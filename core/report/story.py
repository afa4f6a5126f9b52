"""What the report says, in order, before it takes a form: sections of paragraphs, lists, tables and quotes.

The printed forms (PDF, DOCX, Markdown) and the preview in the window show these blocks as they are; the web page lays
its main parts out by itself and takes the rest from here. Texts are the case's own words: each form escapes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.domain import (
    DEFAULT_RULE,
    RULES,
    Linchpin,
)
from core.matrix import fraction, provisional
from core.report.data import JudgeSummary, ReportData
from core.report.rows import (
    FAILED,
    Item,
    Ranked,
    absence_words,
    as_of,
    cell_mark,
    document_count,
    document_remarks,
    failed,
    gaps,
    groups,
    headline,
    items,
    leading,
    margin,
    priors,
    ranking,
    unequal_effort,
    view_words,
    warnings,
)
from core.report.wording import (
    CONSIDERATION_WORDS,
    DISPUTE_WORDS,
    INFORMATION_WORDS,
    KIND_WORDS,
    LINCHPIN_WORDS,
    RATING_WORDS,
    RELIABILITY_WORDS,
    RULE_HEADS,
    RULE_NOTES,
    and_list,
    brief,
    count,
    day,
    moment,
    outcome,
    sentence,
    stamp,
)

PINS_A_KIND = 12  # linchpins told of each kind; the JSON form has all
MOST_DISPUTES = 20
MOST_GAPS = 200  # rows listed with their open cells
HYPOTHESES_A_TABLE = 15  # columns of ratings that fit a landscape page


# --- blocks ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph. ``tone`` is '', 'lead' (the answer), 'strong' or 'quiet'."""

    text: str
    tone: str = ""
    kind: str = "para"


@dataclass(frozen=True, slots=True)
class Sub:
    """A heading inside a section. ``anchor`` is where links to it lead."""

    text: str
    anchor: str = ""
    kind: str = "sub"


@dataclass(frozen=True, slots=True)
class Points:
    """A list; ``tone`` 'warning' for what a reader must know first."""

    items: tuple[str, ...]
    tone: str = ""
    kind: str = "points"


@dataclass(frozen=True, slots=True)
class Terms:
    """Pairs of a term and what there is to say about it."""

    pairs: tuple[tuple[str, str], ...]
    kind: str = "terms"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a document, as they stand there."""

    text: str
    kind: str = "quote"


@dataclass(frozen=True, slots=True)
class Figure:
    """The picture of the page behind a piece of evidence, where the form has one. ``text`` describes it."""

    evidence: str
    text: str
    kind: str = "figure"


@dataclass(frozen=True, slots=True)
class Column:
    """``look`` is 'text', 'num' (right aligned), 'id' (short and strong), 'code' or 'cell' (a rating)."""

    title: str
    look: str = "text"
    share: float = 1.0  # of the width


@dataclass(frozen=True, slots=True)
class Table:
    """``anchors`` name for each row where its first cell leads to; '' nowhere."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    anchors: tuple[str, ...] = ()
    kind: str = "table"


Block = Para | Sub | Points | Terms | Quote | Figure | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report. ``wide``: on a page that lies on its side."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    wide: bool = False


# --- sections --------------------------------------------------------------------------------------------------------


def sections(data: ReportData, *, figures_of: Sequence[str] = (), most: int | None = None) -> list[Section]:
    """The whole report in order. ``figures_of`` are the pieces of evidence that have a picture in this form; of the
    evidence at most ``most`` pieces are shown, and how many more there are is said where they are missing.
    """
    lines, rows = ranking(data), items(data)
    left_out = 0 if most is None else max(0, len(rows) - most)
    shown = rows[: len(rows) - left_out]
    made = [
        Section("failed", FAILED, (Points(tuple(failed(data)), "warning"),) if data.failed else ()),
        Section("bottom-line", "Bottom line", tuple(_bottom_line(data))),
        Section("ranking", ranking_title(data), tuple(_ranking(data, lines))),
        *parts(data, rows, only=("hangs",)),
        Section("matrix", "Matrix", (*_matrix(data, lines, shown), *_more(left_out)), wide=True),
        *parts(data, rows, only=("independence", "absence")),
        Section("evidence", "Evidence", (*_evidence(shown, frozenset(figures_of), data), *_more(left_out))),
        Section("gaps", "What is not rated", tuple(_gaps(data))),
        *parts(data, rows, only=("analysts", "considerations", "grades", "effort")),
        Section("who", "What people did, and what the program did", tuple(_who(data))),
        *parts(data, rows, only=("model",)),
        Section("documents", "Documents", tuple(_documents(data))),
        Section("check", "How to check this report", tuple(_check(data))),
    ]
    return [section for section in made if section.blocks]


def parts(data: ReportData, rows: Sequence[Item], *, only: Sequence[str]) -> list[Section]:
    """The parts that look the same in every form, those with something to say."""
    every = {
        "hangs": Section("hangs", "What the conclusion hangs on", tuple(_hangs(data, rows))),
        "independence": Section("independence", "What counts once", tuple(_independence(data, rows))),
        "absence": Section("absence", "Searched for and not found", tuple(_absence(rows))),
        "analysts": Section("analysts", "Several analysts", tuple(_analysts(data))),
        "considerations": Section("considerations", "Beside the matrix", tuple(_considerations(data))),
        "grades": Section("grades", "How sources are weighted", tuple(_weights(data))),
        "effort": Section("effort", "How the documents were searched", tuple(_effort(data))),
        "model": Section("model", "How far the model can be trusted", tuple(_model(data))),
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


def ranking_title(data: ReportData) -> str:
    """What the part on the hypotheses is called: in what order they stand."""
    if data.matrix.comparison.state != "complete":
        return "Hypotheses, not ranked yet"
    return "Hypotheses, least contradicted first"


def _bottom_line(data: ReportData) -> Iterator[Block]:
    yield Para(headline(data), "lead")
    for h in leading(data):
        yield Para(f"{h.id}  {h.text}", "strong")
    if said := margin(data):
        yield Para(said, "quiet")
    if known := warnings(data):
        yield Sub(BEFORE)
        yield Points(tuple(known), "warning")


def _ranking(data: ReportData, lines: Sequence[Ranked]) -> Iterator[Block]:
    if not lines:
        yield Para("No hypothesis has been entered.", "quiet")
        return
    rules = [rule for rule in RULES if rule in data.matrix.scores]
    yield Table(
        "Hypotheses by rank, with the score under every rule",
        (
            Column("Rank", "id", 0.7),
            Column("Hypothesis", share=4.6),
            *(Column(RULE_HEADS.get(rule, sentence(RULES[rule])), "num", 1.05) for rule in rules),
            Column("Rows rated", "num", 1.0),
        ),
        tuple(
            (
                line.place,
                f"{line.hypothesis.id}  {line.hypothesis.text}"
                + (f" ({KIND_WORDS[line.hypothesis.kind]})" if line.hypothesis.kind in KIND_WORDS else "")
                + (f"\n{line.hypothesis.note}" if line.hypothesis.note else ""),
                *(line.scores[rule] for rule in rules),
                line.rated,
            )
            for line in lines
        ),
    )
    yield Para(ranking_legend(data), "quiet")
    if not data.matrix.rows:
        return
    yield Sub("Do the rules agree?")
    yield from agreement(data)
    yield Sub("Second opinion in words")
    yield from second_opinion(data, lines)


def ranking_legend(data: ReportData) -> str:
    """How the table of the ranking is read."""
    if data.matrix.comparison.state == "incomplete":
        return (
            "“–”: there is no rank, and no probability, until every row that is rated at all is rated against every "
            "hypothesis. A lower score is no better where fewer rows are rated."
        )
    return (
        "Lower is better, except under Bayes. Equal scores share a rank, written “1=”: a tie is an answer, and nothing "
        "here breaks it." + (" “–” marks a hypothesis on which nothing rated bears." if data.matrix.untested else "")
    )


def agreement(data: ReportData) -> Iterator[Block]:
    """Whether the rules agree and why not, and for a tie what could separate it."""
    if not any(data.matrix.leaders.values()):
        yield Para(data.robustness or "No hypothesis leads under any rule.")
        if so_far := provisional(data.matrix.comparison):
            yield Para(so_far)
        return
    found = groups(data.matrix)
    if len(found) == 1:
        yield Para(data.robustness or f"Yes: under all {len(data.matrix.leaders)} rules, {found[0][0]}.")
    else:
        # The sentence names the rules after its colon; here they follow one to a line.
        said = data.robustness.partition(": ")[0] or "The conclusion depends on how the evidence is counted"
        yield Para(f"No. {said}:")
        yield Points(tuple(f"{sentence(what)} under {and_list(rules)}" for what, rules in found))
    leaders = data.matrix.leaders.get(DEFAULT_RULE, ())
    if len(leaders) < 2:
        return
    tied = f"{and_list(leaders)} cannot be separated by what is rated."
    if data.matrix.gaps:
        yield Para(f"{tied} Rating one of these open cells could separate them:")
        yield Points(
            tuple(
                f"{gap.evidence} against {gap.hypothesis}"
                + (f": then {outcome(gap.could_lead, would=True)}" if gap.could_lead else "")
                for gap in data.matrix.gaps[:PINS_A_KIND]
            )
        )
        if len(data.matrix.gaps) > PINS_A_KIND:
            yield Para(f"And {len(data.matrix.gaps) - PINS_A_KIND} more open cells.", "quiet")
    elif data.matrix.unrated:
        yield Para(f"{tied} No single open cell could separate them: it takes evidence that is not here yet.")
    else:
        yield Para(f"{tied} Every cell is rated: it takes evidence that is not here yet.")


def second_opinion(data: ReportData, lines: Sequence[Ranked]) -> Iterator[Block]:
    """The Bayes reading in words of estimative probability, with the range of each word."""
    if "bayes" not in data.matrix.scores:
        return
    if not data.matrix.leaders.get("bayes"):
        yield Para("There is none while nothing leads: probabilities compare, and there is nothing to compare yet.")
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
        yield Para("No hypothesis leads, so there is no conclusion that could hang on a row.")
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
    where = {item.evidence.id: item.origin for item in rows}
    order = [*LINCHPIN_WORDS, *sorted(set(of) - set(LINCHPIN_WORDS))]
    for change in order:
        pins = of.get(change, [])
        if not pins:
            continue
        known = max(counts.get(change, 0), len(pins))
        yield Sub(f"{sentence(LINCHPIN_WORDS.get(change, change.replace('_', ' ')))}: {count(known, 'way')}")
        yield Table(
            sentence(LINCHPIN_WORDS.get(change, change)),
            (Column("Change", share=4.0), Column("Where", share=3.0)),
            tuple(
                (
                    pin.sentence or f"{pin.evidence} {pin.hypothesis or ''}".strip(),
                    "; ".join(f"{row} {where[row]}" for row in _rows_of(pin)[:6] if row in where) or "–",
                )
                for pin in pins[:PINS_A_KIND]
            ),
        )
        if known > PINS_A_KIND:
            yield Para(
                f"And {known - min(PINS_A_KIND, len(pins)):,} more; the JSON form lists {len(pins):,} of them.", "quiet"
            )
    none = [LINCHPIN_WORDS[change] for change in LINCHPIN_WORDS if change in counts and not counts[change]]
    if none and total:
        yield Para(f"None of these changes who leads: {and_list(none)}.", "quiet")


def _rows_of(pin: Linchpin) -> tuple[str, ...]:
    return pin.rows or ((pin.evidence,) if pin.evidence else ())


def _matrix(data: ReportData, lines: Sequence[Ranked], rows: Sequence[Item]) -> Iterator[Block]:
    if not lines:
        yield Para("There is no matrix without a hypothesis.", "quiet")
        return
    if not rows:
        yield Para("There is no evidence yet.", "quiet")
        return
    if said := view_words(data):
        yield Para(said)
    for start in range(0, len(lines), HYPOTHESES_A_TABLE):
        part = range(start, min(start + HYPOTHESES_A_TABLE, len(lines)))
        title = "Matrix" if len(lines) <= HYPOTHESES_A_TABLE else f"Matrix, hypotheses {part[0] + 1} to {part[-1] + 1}"
        briefly = 46 if len(part) <= 6 else 24 if len(part) <= 9 else 0
        yield Table(
            title,
            (
                Column("Evidence", share=4.4),
                Column("Source", share=2.0),
                *(Column(_head(lines[at], briefly), "cell", 1.0 if len(part) > 6 else 1.3) for at in part),
                Column("Diagnosticity", "num", 1.2),
            ),
            tuple(
                (
                    f"{item.evidence.id}  {brief(item.evidence.text or item.quote or '(no text)', 150)}",
                    brief(item.origin, 60),
                    *(cell_mark(item.cells[at]) for at in part),
                    "–" if item.row.diagnosticity is None else f"{item.row.diagnosticity:.2f}",
                )
                for item in rows
            ),
            anchors=tuple(item.anchor for item in rows),
        )
    yield Para(
        "; ".join(f"{rating} {words}" for rating, words in RATING_WORDS.items())
        + "; ? not rated; (I) not rated, suggested by the model, counts for nothing.",
        "quiet",
    )
    yield Para(
        "Diagnosticity is how far a row tells the hypotheses apart: at 0.00 it does not help to choose, whichever "
        "way it points.",
        "quiet",
    )


def _head(line: Ranked, briefly: int) -> str:
    return f"{line.hypothesis.id}\n{brief(line.hypothesis.text, briefly)}" if briefly else line.hypothesis.id


def _independence(data: ReportData, rows: Sequence[Item]) -> Iterator[Block]:
    if not data.matrix.clusters:
        return
    by_id = {item.evidence.id: item for item in rows}
    yield Para(
        "These pieces of evidence go back to one origin. Each group counts once, however many copies it holds: what "
        "each contributes is divided by how many of them bear on something."
    )
    yield Table(
        "Evidence that counts once",
        (Column("Evidence", share=2.0), Column("Each counts", "num", 1.0), Column("Sources", share=4.0)),
        tuple(
            (
                and_list(cluster),
                fraction(min((by_id[row].row.share for row in cluster if row in by_id), default=1.0)),
                "; ".join(sorted({by_id[row].origin for row in cluster if row in by_id})),
            )
            for cluster in data.matrix.clusters
        ),
    )
    if why := [
        f"{row}: {data.shared[row]}" for cluster in data.matrix.clusters for row in cluster if row in data.shared
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
        yield Sub(f"{item.evidence.id}  {item.evidence.text}")
        yield Para(absence_words(item))


def _evidence(rows: Sequence[Item], pictured: frozenset[str], data: ReportData) -> Iterator[Block]:
    if not rows:
        yield Para("There is no evidence yet.", "quiet")
    for item in rows:
        e = item.evidence
        yield Sub(f"{e.id}  {item.heading}", item.anchor)
        if item.quote:
            yield Quote(item.quote)
        for stretch in item.stretches:
            if stretch.name in pictured:
                which = "the page" if len(item.stretches) == 1 else f"page {stretch.page}"
                yield Figure(stretch.name, f"{item.origin}: {which} with the quoted words boxed")
        yield Terms(tuple(facts(item, data)))


def facts(item: Item, data: ReportData) -> Iterator[tuple[str, str]]:
    """Everything there is to say about a piece of evidence, as pairs of a term and its words."""
    e = item.evidence
    if item.document is not None:
        place = f"{item.document.id}  {item.origin}"
        if item.characters:
            place += f", {item.characters}"
        yield "Document", place if e.quote else f"{place} (no words quoted)"
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
        why = f". {data.shared[e.id]}" if e.id in data.shared else ""
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
    if item.suggested:
        yield (
            "Model suggests",
            ", ".join(f"{c.hypothesis} {c.suggestion.rating} ({c.basis})" for c in item.suggested if c.suggestion),
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
    open_rows = gaps(matrix)
    yield Points(tuple(f"{row} against {and_list(missing)}" for row, missing in open_rows[:MOST_GAPS]))
    if len(open_rows) > MOST_GAPS:
        yield Para(f"And {len(open_rows) - MOST_GAPS:,} more rows.", "quiet")


def _analysts(data: ReportData) -> Iterator[Block]:
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
            lines.append((name, "made coherent", *(_per_cent(o.coherent.get(h)) for h in order), "–"))
        lines.append(("All", "plain mean", *(_per_cent(group.mean.get(h)) for h in order), "–"))
        lines.append(("All", "coherent aggregate", *(_per_cent(group.aggregate.get(h)) for h in order), "–"))
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
            "In per cent. “Made coherent” are the nearest probabilities that sum to 100; the aggregate is their mean. "
            "Coherent judgements that are averaged come nearer the truth than those of one person.",
            "quiet",
        )
    if group is not None and len(people) > 1:
        disputed = [d for d in group.disputes if d.level != "consensus" or not d.bearing]
        yield Sub("Where they disagree")
        if not disputed:
            yield Para(f"Nowhere: all {count(len(group.disputes), 'cell')} rated by several people agree.")
        else:
            yield Para(
                f"{len(disputed):,} of {count(len(group.disputes), 'cell')} rated by several people; the most disputed "
                "first."
            )
            yield Table(
                "Disputed cells",
                (
                    Column("Cell", "id", 1.4),
                    Column("Ratings", share=4.0),
                    Column("Group", "cell", 0.9),
                    Column("Dispute", share=1.4),
                ),
                tuple(
                    (
                        f"{d.evidence} {d.hypothesis}",
                        ", ".join(
                            f"{who or 'name not recorded'} {rating}" for who, rating in sorted(d.ratings.items())
                        ),
                        d.rating,
                        DISPUTE_WORDS.get(d.level, d.level) + ("" if d.bearing else "; some say it does not bear"),
                    )
                    for d in disputed[:MOST_DISPUTES]
                ),
            )
            if len(disputed) > MOST_DISPUTES:
                yield Para(f"And {len(disputed) - MOST_DISPUTES:,} more; the JSON form lists all.", "quiet")
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


def _considerations(data: ReportData) -> Iterator[Block]:
    for kind in [*CONSIDERATION_WORDS, *sorted({c.kind for c in data.considerations} - set(CONSIDERATION_WORDS))]:
        found = [c for c in data.considerations if c.kind == kind]
        if not found:
            continue
        yield Sub(CONSIDERATION_WORDS.get(kind, sentence(kind)))
        yield Points(
            tuple(
                c.text
                + (f" (about {c.hypothesis})" if c.hypothesis else "")
                + (f"; watched by the search “{c.query}”" if c.query else "")
                + (" — done" if c.status == "done" else "")
                for c in found
            )
        )


def _weights(data: ReportData) -> Iterator[Block]:
    graded = any(e.reliability or e.information for e in data.evidence)
    if not graded and data.settings.grade_weights == type(data.settings)().grade_weights:
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


def _who(data: ReportData) -> Iterator[Block]:
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
                    d.verb,
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
            (Column("For", "id"), *(Column(name, "num") for name in ("Passages", "Accepted", "Rejected", "Open"))),
            tuple(
                (p.hypothesis, f"{p.made:,}", f"{p.accepted:,}", f"{p.rejected:,}", f"{p.pending:,}")
                for p in data.proposals
            ),
        )
    else:
        yield Para("Nothing was proposed.")
    yield Para(
        f"{count(len(data.suggestions), 'cell has', 'cells have')} a rating suggested by the model. Suggestions never "
        "count in a score."
    )


def _effort(data: ReportData) -> Iterator[Block]:
    if not data.search:
        return
    if not any(s.passages or s.queries for s in data.search):
        yield Para("No search was run hypothesis by hypothesis: what is here was found by hand.")
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
        "Support, contradict, neutral, unsure: as the model labelled the passages, before any person did.", "quiet"
    )
    if unequal := unequal_effort(data):
        yield Points(tuple(unequal), "warning")
    else:
        yield Para("Every hypothesis had the same number of passages looked at.")
    if notes := [f"{s.hypothesis}: {s.note}" for s in data.search if s.note]:
        yield Points(tuple(notes))
    yield Sub("How much was probably missed")
    known = [s.missed.words for s in data.search if s.missed is not None]
    if known:
        yield Points(tuple(known))
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


def _exam_row(one: JudgeSummary) -> tuple[str, ...]:
    if one.exam is None:
        return (one.name, "not taken", *("–",) * 4)
    reached = one.exam
    right, low, high = (f"{share * 100:.1f}" for share in reached.right)
    f1, least, most = (f"{share:.2f}" for share in reached.macro_f1)
    won = "–"
    if reached.injected is not None:
        share, fewest, greatest = (f"{100 * share:.0f}" for share in reached.injected)
        won = f"{share}% ({fewest} to {greatest})"
    return (
        *(one.name, f"{reached.pairs:,}", f"{right}% ({low} to {high})", f"{f1} ({least} to {most})"),
        *(f"{reached.calibration_error:.2f}", won),
    )


def _measures(one: JudgeSummary, *, several: bool) -> Iterator[Block]:
    """What else was measured of a model, and what is known of its limits."""
    if several and (one.measured or one.limits or one.exam is None):
        yield Sub(one.name)
    if one.exam is None:
        yield Para("It has not taken the program's exam, so nobody knows how often it is right.")
    if one.measured:
        yield Table(
            f"Measured accuracy of {one.name if several else 'the model'}",
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
                for m in one.measured
            ),
        )  # fmt: skip
    elif one.exam is None:
        yield Para("Nothing has been measured of this model; treat its labels as hints for reading, no more.")
    for limit in one.limits:
        yield Para(limit)


def _model(data: ReportData) -> Iterator[Block]:
    if not data.judges:
        yield Para("No model judged anything in this case.")
        return
    for one in data.judges:
        gave = []
        if one.verdicts:
            gave.append(f"{count(one.verdicts, 'verdict of it is', 'verdicts of it are')} here")
        if one.beside:
            told = ("is", "are") if gave else ("verdict of it is", "verdicts of it are")
            gave.append(f"{count(one.beside, *told)} kept beside the verdict of another model")
        yield Para(
            f"Passages were judged by {one.name}"
            + (f" ({one.fingerprint})" if one.fingerprint else "")
            + "".join(f"{', and' if at else ':'} {words}" for at, words in enumerate(gave))
            + "."
        )
    if any(one.exam for one in data.judges):
        yield Para("In the exam of the program, on questions of many fields that were written for it:")
        yield Table(
            "What the models reached in the exam of the program",
            (
                Column("Model", share=1.8), Column("Pairs", "num", 0.7), Column("Right", "num", 1.8),
                Column("Macro-F1", "num", 1.6), Column("Calibration error", "num", 1.0),
                Column("Turned by planted instructions", "num", 1.5),
            ),
            tuple(_exam_row(one) for one in data.judges),
        )  # fmt: skip
        yield Table(
            "What the models reached class by class",
            (
                Column("Model", share=1.8), Column("F1 on support", "num"), Column("F1 on contradiction", "num"),
                Column("F1 on neutral", "num"),
            ),
            tuple(
                (one.name, *(f"{share:.2f}" for share in one.exam.f1)) if one.exam else (one.name, "–", "–", "–")
                for one in data.judges
            ),
        )  # fmt: skip
        yield Para(
            "In brackets: the 95% interval. By chance one answer in three would be right. The calibration error is how "
            "far, on average, a probability lay from the share that was right at it. Planted instructions are text in "
            "a passage that asks for a verdict; “turned” is the share of verdicts that then became it.",
            "quiet",
        )
    several = len(data.judges) > 1
    for one in data.judges:
        yield from _measures(one, several=several)
    if several and (data.second or data.shown):
        yield Sub("What is shown of their verdicts" if data.shown else "Read a second time")
    for words in data.second:
        yield Para(words)
    if data.shown:
        yield Para("This case shows only verdicts of a kind that was right nine times in ten when measured.")
        yield Points(data.shown)
    if data.agreement:
        yield Sub("How far people agreed with it")
        for name, said in data.agreement:
            if len(data.agreement) > 1:
                yield Para(f"{name}:")
            yield Points(said)


def _documents(data: ReportData) -> Iterator[Block]:
    if data.documents:
        yield Table(
            "Documents of the case",
            (
                Column("Document", share=3.0), Column("Type", share=0.7), Column("Pages", "num", 0.75),
                Column("Date", share=1.3), Column("SHA-256 of the original", "code", 3.0),
            ),
            tuple(
                (
                    "\n".join((f"{d.id}  {d.name}", *document_remarks(d, data))), d.kind, f"{d.pages:,}",
                    day(d.date) or "–",
                    d.sha256,
                )
                for d in data.documents
            ),
        )  # fmt: skip
    else:
        yield Para("This case has no documents.", "quiet")
    if data.problems:
        yield Sub("Problems")
        yield Points(tuple(f"{p.where}: {p.what} {p.hint}" for p in data.problems))


def _check(data: ReportData) -> Iterator[Block]:
    steps = [
        "Compare a document with its SHA-256 above: sha256sum FILE, or certutil -hashfile FILE SHA256 on Windows. "
        "Equal hashes mean equal files.",
        "Open the document at the page given and find the words: a quote here is a span of the page’s text, "
        "character for character, counted from 0.",
        "With the case file, “disconfirm verify CASE” hashes every original and text again and checks every quote "
        "against its page and the log of decisions.",
    ]
    if data.log_head:
        steps.append(
            f"The log of decisions has {count(data.log_entries, 'entry', 'entries')} and ends with {data.log_head}. As "
            "long as this report is kept, nothing before that entry can be changed without being noticed."
        )
    yield Points(tuple(steps))
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


@dataclass(frozen=True, slots=True)
class Story:
    """A whole report ready to be printed: title, line below it, sections."""

    title: str
    subtitle: str
    sections: tuple[Section, ...] = field(default=())


def tell(data: ReportData, *, figures_of: Sequence[str] = (), most: int | None = None) -> Story:
    """``data`` told from beginning to end; see ``sections``."""
    return Story(data.title or "Untitled case", subtitle(data), tuple(sections(data, figures_of=figures_of, most=most)))


def subtitle(data: ReportData) -> str:
    """Time, program and size of the case in one line."""
    said = [
        as_of(data) or moment(data.generated_at),
        data.program,
        f"{count(len(data.hypotheses), 'hypothesis', 'hypotheses')}, "
        f"{count(len(data.matrix.rows), 'piece', 'pieces')} of evidence, {document_count(data)}",
    ]
    return " · ".join(said)
