"""Lines of the ranking and of the matrix with everything known about them, and the sentences that all forms share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.documents import descriptions, left_out_parts
from core.domain import (
    DEFAULT_RULE,
    RULES,
    Assessment,
    Citation,
    Document,
    Evidence,
    Hypothesis,
    Matrix,
    MatrixRow,
    Rating,
    Suggestion,
)
from core.language.identification import ENGLISH, name_of
from core.report.data import ReportData, stretch_name
from core.report.wording import (
    FLAG_WORDS,
    INFORMATION_WORDS,
    LEVEL_WORDS,
    RATING_WORDS,
    RELIABILITY_WORDS,
    behind,
    brief,
    count,
    figures,
    likelihood_words,
    moment,
    outcome,
    share,
    stamp,
)
from core.text import and_list, over_pages


@dataclass(frozen=True, slots=True)
class RankingLine:
    """A line of the ranking.

    ``place`` is '1=' for a tie and '–' for a hypothesis that cannot be placed. ``rated_rows`` is '3 of 22', ``open``
    the share of rows that are not rated; ``bar`` and ``likelihood`` compare it with the others.
    """

    place: str
    hypothesis: Hypothesis
    leads: bool
    scores: dict[str, str]
    bar: float
    open: float
    rated_rows: str
    likelihood: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the matrix: the rating that counts, or nothing; each person's own and the model's beside it."""

    hypothesis: str
    rating: Rating | None
    assessments: tuple[Assessment, ...]
    suggestion: Suggestion | None

    @property
    def words(self) -> str:
        """The rating in words."""
        return "not rated" if self.rating is None else RATING_WORDS[self.rating]

    @property
    def when(self) -> str:
        """'inconsistent: A. Analyst, 2026-11-21 04:15 UTC'; with several people each with their own rating."""
        if not self.assessments:
            return self.words
        if len(self.assessments) == 1:
            return f"{self.words}: {_signature(self.assessments[0])}"
        ratings = "; ".join(f"{a.rating} {_signature(a)}" for a in self.assessments)
        return f"{self.words} as a group: {ratings}"

    @property
    def disputed(self) -> bool:
        """Return whether people rated it differently."""
        return len({a.rating for a in self.assessments}) > 1

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what people noted beside their rating."""
        return tuple(f"{a.by or 'name not recorded'}: {a.note}" for a in self.assessments if a.note)

    @property
    def basis(self) -> str:
        """The likeliest of the model's three labels with its probability."""
        if self.suggestion is None:
            return ""
        p = self.suggestion.probabilities
        best, label = max((p.contradicts, "contradicts"), (p.supports, "supports"), (p.neutral, "neutral"))
        return f"{label} {best:.2f}"


def _signature(assessment: Assessment) -> str:
    return f"{assessment.by or 'name not recorded'}, {stamp(assessment.at)} UTC"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a quote: what its picture is called, its page, the characters, and the hash of the page's text."""

    name: str
    page: int
    start: int
    end: int
    page_sha256: str


_NAME = 56  # characters of a name in a sentence or a column


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of evidence with everything known about it. ``stretches`` are those of its quote, one a page."""

    evidence: Evidence
    row: MatrixRow
    anchor: str
    document: Document | None
    page_sha256: str
    cells: tuple[Cell, ...]
    raters: tuple[str, ...]
    suggested_cells: tuple[Cell, ...]
    flags: tuple[str, ...]
    grades: str
    citation: Citation | None = None
    stretches: tuple[Stretch, ...] = ()

    @property
    def place(self) -> str:
        """'p. iv (5), section 2.1 Timeline', 'pages 3–4'; '' without one."""
        if self.citation is not None:
            return self.citation.place
        e = self.evidence
        if e.page is None:
            return ""
        return f"pages {e.page}–{e.more[-1].page}" if e.more else f"page {e.page}"

    @property
    def origin(self) -> str:
        """'inspection.pdf, p. 4, section Findings', or the source that was typed."""
        if self.document is not None:
            return ", ".join(part for part in (descriptions.label_of(self.document), self.place) if part)
        return self.evidence.source or "no source given"

    @property
    def source(self) -> str:
        """'Interim report, p. 4', in one line: the title of the document or its file, and the page."""
        if self.document is None:
            return brief(self.evidence.source or "no source given", _NAME)
        title = brief(descriptions.title_of(self.document) or self.document.name, _NAME)
        page = self.place.partition(", section ")[0]
        return f"{title}, {page}" if page.startswith("p") else title

    @property
    def name(self) -> str:
        """The source of the row, else its own words, with the id behind."""
        has_source = self.document is not None or self.evidence.source
        return behind(self.source if has_source else f"“{brief(self.evidence.text, _NAME)}”", self.evidence.id)

    @property
    def quote(self) -> str:
        """The words quoted; a mark of our own is at a page break, with what was skipped there."""
        e = self.evidence
        gaps = self.citation.skipped if self.citation else ()
        return over_pages(e.quote, *(part.text for part in e.more), skipped=gaps) if e.quote else ""

    @property
    def characters(self) -> str:
        """'characters 5 to 20', over a page break 'characters 5 to 20 of page 3 and 0 to 12 of page 4'."""
        if len(self.stretches) < 2:
            return "".join(f"characters {stretch.start} to {stretch.end}" for stretch in self.stretches)
        return f"characters {and_list([f'{s.start} to {s.end} of page {s.page}' for s in self.stretches])}"

    @property
    def hashes(self) -> tuple[tuple[str, str], ...]:
        """(SHA-256, of what) of the page texts."""
        several = len(self.stretches) > 1
        text_hashes = [(s.page_sha256, f"text of page {s.page}") for s in self.stretches if several and s.page_sha256]
        return tuple(text_hashes) or (((self.page_sha256, "text of the page"),) if self.page_sha256 else ())

    @property
    def heading(self) -> str:
        """Its own words; for a bare quote, where it comes from."""
        e = self.evidence
        bare = over_pages(e.quote, *(part.text for part in e.more)) if e.quote else ""
        return e.text if e.text and e.text != bare else self.origin


def ranking(data: ReportData) -> list[RankingLine]:
    """List the hypotheses as the matrix orders them, with what is beside each in a ranking."""
    matrix = data.matrix
    by_id = {h.id: h for h in data.hypotheses}
    ranks = matrix.ranks.get(DEFAULT_RULE, {})
    scores = {rule: figures(matrix.scores[rule].values()) for rule in matrix.scores}
    worst = max(matrix.scores.get(DEFAULT_RULE, {}).values(), default=0.0)
    is_undecided = len(matrix.leaders.get(DEFAULT_RULE, ())) > 1
    lines = []
    for h in matrix.order:
        is_tied = sum(ranks.get(h) == ranks.get(rival) for rival in matrix.hypotheses) > 1
        # Probabilities compare by nature: there are none while nothing can be compared.
        posterior = matrix.scores.get("bayes", {}).get(h) if matrix.leaders.get("bayes") else None
        rows, open_rows = len(matrix.rows), sum(h not in row.ratings for row in matrix.rows)
        lines.append(
            RankingLine(
                place="–" if h in matrix.untested or h not in ranks else f"{ranks[h]}{'=' if is_tied else ''}",
                hypothesis=by_id.get(h, Hypothesis(h, h)),
                leads=h in matrix.leaders.get(DEFAULT_RULE, ()),
                scores={
                    rule: ("–" if posterior is None else share(posterior))
                    if rule == "bayes"
                    else scores[rule][value[h]]
                    for rule, value in matrix.scores.items()
                },
                bar=matrix.scores[DEFAULT_RULE][h] / worst if worst else 0.0,
                open=open_rows / rows if rows else 0.0,
                rated_rows=f"{rows - open_rows:,} of {rows:,}",
                likelihood="" if posterior is None or is_undecided else likelihood_words(posterior),
            )
        )
    return lines


def items(data: ReportData) -> list[Item]:
    """List the pieces of evidence in the order of the matrix, each with everything known about it."""
    evidence = {item.id: item for item in data.evidence}
    documents = {document.id: document for document in data.documents}
    assessments: dict[tuple[str, str], list[Assessment]] = {}
    for a in data.assessments:
        assessments.setdefault((a.evidence, a.hypothesis), []).append(a)
    suggestions = {(s.evidence, s.hypothesis): s for s in data.suggestions}
    result = []
    withdrawn = [MatrixRow(row.id, {}, 0.0, flags=("withdrawn",)) for row in data.evidence if row.kind == "withdrawn"]
    for n, row in enumerate((*data.matrix.rows, *withdrawn), start=1):
        item = evidence.get(row.id) or Evidence(row.id, "", "", "manual", None, None)
        cells = tuple(
            Cell(h, row.ratings.get(h), tuple(assessments.get((row.id, h), ())), suggestions.get((row.id, h)))
            for h in data.matrix.order
        )
        result.append(
            Item(
                evidence=item,
                row=row,
                anchor=f"evidence-{n}",
                document=documents.get(item.document or ""),
                page_sha256=data.page_sha256.get(item.page_id, "") if item.page_id is not None else "",
                cells=cells,
                raters=_raters(cells),
                suggested_cells=tuple(cell for cell in cells if cell.suggestion),
                flags=(
                    *(
                        _flag_words(flag, row, len(data.matrix.order))
                        for flag in row.flags
                        if flag != "uniform" or not any(mark.startswith("all_") for mark in row.flags)
                    ),
                    *_frame_words(data.citations.get(row.id)),
                ),
                grades=_grades(item),
                citation=data.citations.get(row.id),
                stretches=_stretches(item, data),
            )
        )
    return result


def _flag_words(flag: str, row: MatrixRow, hypotheses: int) -> str:
    """Word a flag of its row; of an unrated one, how many of the ``hypotheses`` it is rated against."""
    if flag == "unrated":
        words = f"rated against {len(row.ratings)} of {count(hypotheses, 'hypothesis', 'hypotheses')}"
        return words if row.ratings else "not rated"
    return FLAG_WORDS.get(flag, flag.replace("_", " "))


def _frame_words(citation: Citation | None) -> tuple[str, ...]:
    return (f"leaves out part of its sentence: “{citation.frame}”",) if citation and citation.frame else ()


def _stretches(item: Evidence, data: ReportData) -> tuple[Stretch, ...]:
    if item.page_id is None or item.page is None or item.start is None or item.end is None:
        return ()
    places = [(item.page_id, item.page, item.start, item.end)]
    places += [(part.page_id, part.page, part.start, part.end) for part in item.more]
    return tuple(
        Stretch(stretch_name(item.id, number), page, start, end, data.page_sha256.get(page_id, ""))
        for number, (page_id, page, start, end) in enumerate(places, start=1)
    )


def _raters(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Return who rated and from when to when, one sentence a person."""
    times: dict[str, list[str]] = {}
    for cell in cells:
        for assessment in cell.assessments:
            times.setdefault(assessment.by, []).append(stamp(assessment.at))
    spans = {who: (min(moments), max(moments)) for who, moments in times.items()}
    return tuple(
        f"{who or 'name not recorded'}, {first}{f' to {last}' if first != last else ''} UTC"
        for who, (first, last) in spans.items()
    )


def _grades(item: Evidence) -> str:
    """Word the grades: 'credibility high, relevance medium; source B (usually reliable), information 2 (…)'."""
    levels = f"credibility {LEVEL_WORDS[item.credibility]}, relevance {LEVEL_WORDS[item.relevance]}"
    admiralty = []
    if item.reliability:
        admiralty.append(f"source {_grade_words(item.reliability, RELIABILITY_WORDS)}")
    if item.information:
        admiralty.append(f"information {_grade_words(item.information, INFORMATION_WORDS)}")
    return "; ".join((levels, ", ".join(admiralty))) if admiralty else levels


def _grade_words(grade: str, words: dict[str, str]) -> str:
    return f"{grade} ({words[grade]})" if grade in words else grade


# --- sentences -------------------------------------------------------------------------------------------------------


def headline(data: ReportData) -> str:
    """Return the answer in one sentence; a tie is an answer, and so is none."""
    leaders = data.matrix.leaders.get(DEFAULT_RULE, ())
    if not data.hypotheses:
        return "This case has no hypothesis yet, so there is nothing to weigh."
    if not data.matrix.rows:
        return "This case has no evidence yet, so no hypothesis leads."
    if not leaders and data.matrix.comparison.state == "incomplete":
        return "No hypothesis leads yet: the hypotheses are not all rated on the same rows."
    if not leaders and len(data.hypotheses) == 1:
        return f"{data.hypotheses[0].id} is the only hypothesis; nothing competes with it."
    if not leaders and len(data.matrix.untested) == len(data.hypotheses) - 1:
        (only,) = (h for h in data.matrix.hypotheses if h not in data.matrix.untested)
        return f"{only} is the only hypothesis that anything rated bears on; no rival has been tested."
    if not leaders:
        return "No hypothesis leads: nothing rated so far bears on any of them."
    if len(leaders) == len(data.hypotheses) > 1:
        return f"No hypothesis stands out: {and_list(leaders)} are tied."
    if len(leaders) > 1:
        these = "both" if len(leaders) == 2 else "they"
        return f"{and_list(leaders)} cannot be separated; {these} have the least evidence against them."
    return f"{leaders[0]} has the least evidence against it."


def leading(data: ReportData) -> list[Hypothesis]:
    """List the leaders in id order: in a tie none comes first."""
    by_id = {h.id: h for h in data.hypotheses}
    return [by_id.get(h, Hypothesis(h, "")) for h in data.matrix.leaders.get(DEFAULT_RULE, ())]


def margin(data: ReportData) -> str:
    """Return how far the leaders are ahead; '' where nothing is behind them."""
    leaders = data.matrix.leaders.get(DEFAULT_RULE, ())
    scores = data.matrix.scores.get(DEFAULT_RULE, {})
    behind = [h for h in data.matrix.order if h not in leaders and h not in data.matrix.untested]
    if not leaders or not behind:
        return ""
    words_of = figures(scores.values())
    best, second = scores[leaders[0]], min(scores[h] for h in behind)
    next_best = [h for h in behind if words_of[scores[h]] == words_of[second]]
    return (
        f"Weighted evidence against {'it' if len(leaders) == 1 else 'each of them'}: {words_of[best]}; against "
        f"{and_list(next_best)}, next: {words_of[second]}."
    )


def groups(matrix: Matrix) -> list[tuple[str, list[str]]]:
    """Pair each outcome with the rules it is under, the default rule's first."""
    by_outcome: dict[str, list[str]] = {}
    for rule in RULES:
        if rule in matrix.leaders:
            by_outcome.setdefault(outcome(matrix.leaders[rule]), []).append(RULES[rule])
    return list(by_outcome.items())


def warnings(data: ReportData) -> list[str]:
    """List what a reader must know before relying on the result; the same, in the same order, in every form."""
    names = evidence_names(data) | document_names(data)
    return [
        *(with_names(warning, names) for warning in data.matrix.warnings),
        *_not_looked_at(data),
        *_left_out(data),
        *unequal_effort(data),
        *data.warnings,
    ]


def evidence_names(data: ReportData) -> dict[str, str]:
    """Name each row by where it comes from, with its id behind."""
    return {item.evidence.id: item.name for item in items(data)}


def document_names(data: ReportData) -> dict[str, str]:
    """Name each document, with its id behind."""
    return {d.id: behind(descriptions.label_of(d), d.id) for d in data.documents}


_MOST_NAMES = 2  # in one sentence; with more of them it cannot be read
_ID = re.compile(r"\b[A-Z]\d+\b")


def with_names(text: str, names: Mapping[str, str]) -> str:
    """Put names for the ids in a sentence of the program, where there are few."""
    if len({key for key in _ID.findall(text) if key in names}) > _MOST_NAMES:
        return text
    return _ID.sub(lambda match: names.get(match.group(), match.group()), text)


def _not_looked_at(data: ReportData) -> Iterable[str]:
    """Yield the documents and pages that no search could reach, and proposals that nobody decided on."""
    if unread := sum(document.status == "failed" for document in data.documents):
        what = "them" if unread > 1 else "it"
        yield f"{count(unread, 'file was', 'files were')} not read: nothing in {what} was searched."
    if blind := sum(document.pages_without_text for document in data.documents):
        has, them = ("have", "them") if blind > 1 else ("has", "it")
        yield f"{count(blind, 'page')} {has} no text: nothing on {them} was searched."
    languages = Counter(d.language for d in data.documents if d.language not in ("", ENGLISH))
    if languages:
        parts = ", ".join(f"{number:,} {name_of(code)}" for code, number in sorted(languages.items()))
        is_are = "document is" if languages.total() == 1 else "documents are"
        yield (
            f"{languages.total():,} {is_are} not in English ({parts}): the model was measured on English only, so no "
            "passage in another language was judged."
        )
    if waiting := sum(proposal.pending for proposal in data.proposals):
        yield f"{count(waiting, 'proposal is', 'proposals are')} not decided."


_MOST_LEDGERS = 4  # documents whose ledger is in one sentence


def _left_out(data: ReportData) -> Iterable[str]:
    """Yield one sentence on the cited documents of whose files parts are on no page."""
    citations = {item.document for item in data.evidence}
    cited = {item.id: left_out_parts.of_content(item.left_out) for item in data.documents if item.id in citations}
    documents = [(document, parts) for document, parts in cited.items() if parts]
    if not documents:
        return
    names = document_names(data)
    ledgers = [
        f"{left_out_parts.in_words(parts, places=False)} in {names[document]}"
        for document, parts in documents[:_MOST_LEDGERS]
    ]
    if len(documents) > _MOST_LEDGERS:
        ledgers.append(f"parts of {count(len(documents) - _MOST_LEDGERS, 'more document')}")
    yield f"Left out of documents that are cited, so neither read nor searched: {'; '.join(ledgers)}."


def document_count(data: ReportData) -> str:
    """Count documents: '32 documents, 3 files not read'; those that failed apart, and the same way everywhere."""
    unread = sum(document.status == "failed" for document in data.documents)
    documents = count(len(data.documents) - unread, "document")
    return f"{documents}, {count(unread, 'file')} not read" if unread else documents


FAILED = "This case fails its own check"
_MOST_FAILED = 100


def failure_lines(data: ReportData) -> list[str]:
    """List what fails, in sentences, to be read before anything else; nothing where the case is sound."""
    if not data.failed:
        return []
    lines = [
        f"{FAILED}: {count(len(data.failed), 'thing in it is', 'things in it are')} not what the log of its decisions "
        "or its pages say. Do not rely on this report until the cause is known.",
        "Decisions are reported as the log has them; words that are not on their page are not shown as quotes.",
    ]
    lines += [f"{p.where}: {p.what}" for p in data.failed[:_MOST_FAILED]]
    if len(data.failed) > _MOST_FAILED:
        lines.append(f"{len(data.failed) - _MOST_FAILED:,} more are listed by: disconfirm verify CASE")
    return lines


def unequal_effort(data: ReportData) -> list[str]:
    """Warn of every hypothesis that had fewer passages looked at than another."""
    return [f"{s.uneven} What was searched less tends to have less against it." for s in data.search if s.uneven]


def as_of(data: ReportData) -> str:
    """Word the moment: 'As of 20 November 2026, 12:00 UTC', or '' for a report on the moment it was written."""
    return f"As of {moment(data.as_of)}; later decisions are left out" if data.as_of else ""


def priors(data: ReportData) -> str:
    """Return where the Bayes reading starts from."""
    probabilities = data.matrix.priors
    if not probabilities:
        return "The Bayes reading starts from equal probabilities for all hypotheses."
    return (
        "The Bayes reading starts from probabilities that the analyst set before any evidence: "
        + and_list([f"{h} {share(probabilities[h])}" for h in data.matrix.hypotheses if h in probabilities])
        + "."
    )


def view_words(data: ReportData) -> str:
    """Return whose ratings the matrix shows; '' where one person rated."""
    people = sorted({a.by for a in data.assessments})
    if data.view == "group":
        return f"The group’s matrix: the middle of what {and_list(people)} rated." if len(people) > 1 else ""
    return "Only the reporting analyst’s own ratings." if data.view == "mine" else f"Only the ratings of {data.view}."


def cell_mark(cell: Cell) -> str:
    """Mark a cell of the matrix with its rating; a suggestion is in brackets, '?' for neither."""
    if cell.rating is not None:
        return cell.rating
    return f"({cell.suggestion.rating})" if cell.suggestion is not None else "?"


def absence_words(item: Item) -> str:
    """Return what was searched for and not found.

    'Searched 400 passages in 12 documents on 3 November 2026 with these queries: “…”; not found.'
    """
    absence = item.evidence.absence
    if absence is None:
        return ""
    with_these = "with this query" if len(absence.queries) == 1 else "with these queries"
    queries = f" {with_these}: {'; '.join(f'“{query}”' for query in absence.queries)}" if absence.queries else ""
    outcome_words = (
        "not found"
        if not absence.found
        else f"{count(absence.found, 'passage')} found and saved, but not what was expected"
    )
    return (
        f"Expected under {absence.hypothesis}. Searched {count(absence.passages, 'passage')} in "
        f"{count(absence.documents, 'document')} on {moment(absence.at)}{queries}; {outcome_words}."
        + (f" Not searched: {absence.gaps}." if absence.gaps else "")
    )


def document_remarks(document: Document, data: ReportData) -> list[str]:
    """List what a reader must know about a document, line by line."""
    if document.status == "failed":
        return [f"not read, so search cannot find it: {document.reason}"]
    remarks = []
    if title := descriptions.title_of(document):
        remarks.append(title)
    if document.address:
        remarks.append(document.address)
    grade = document.reliability + document.information
    origin = descriptions.provenance_of(document)
    description = [
        f"from {origin}" if origin else "",
        f"grade {grade}" if grade else "",
        descriptions.certain_date_of(document),
    ]
    if any(description):
        remarks.append(", ".join(part for part in description if part))
    if not document.included:
        remarks.append("left out of searches")
    if document.superseded_by:
        remarks.append(f"a newer version is {document.superseded_by}")
    if document.pages_without_text:
        numbers = data.pages_without_text.get(document.id, ())
        pages = (
            f"no text on page {and_list([str(n) for n in numbers])}"
            if numbers
            else f"{count(document.pages_without_text, 'page')} without text"
        )
        remarks.append(f"{pages}: not searched")
    return remarks


def gaps(matrix: Matrix) -> list[tuple[str, list[str]]]:
    """Pair rows with the hypotheses they are not rated against, only where there are any."""
    open_cells = ((row.id, [h for h in matrix.order if h not in row.ratings]) for row in matrix.rows)
    return [(row, missing) for row, missing in open_cells if missing]
