"""Rows of evidence, their quotes and ratings, and the rule of blind rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from core.documents import near_duplicates, sections
from core.domain import (
    LAYER,
    Absence,
    Assessment,
    Changes,
    Citation,
    Document,
    Evidence,
    Level,
    Likelihood,
    LogEntry,
    Page,
    Rating,
    Section,
    Suggestion,
)
from core.errors import BadInput
from core.evidence import quotes as verify
from core.evidence.framing import frame_of
from core.hypotheses.service import Added
from core.store import Corrected
from core.store.decision_log import rows_of
from core.text import over_pages

if TYPE_CHECKING:
    from core.case.service import CaseService
    from core.documents.service import Documents
    from core.ocr.service import Ocr
    from core.open_case import OpenCase
    from core.search.service import Search
    from core.verdicts.policy import VerdictPolicy


_SKIPPED = 200  # characters shown of what a quote skips at a page break
_LOOKED_AT = 10  # passages of each search for what is absent

_MATRIX = Changes(matrix=True)

_ROW = Changes(evidence=True, matrix=True)

R = TypeVar("R", Assessment, Suggestion)


@dataclass(frozen=True, slots=True)
class Past:
    """One change of a cell or of a row: ``before`` and ``after`` in words, '' for nothing. ``who`` may be a model."""

    seq: int
    at: str
    who: str
    verb: str
    hypothesis: str
    before: str
    after: str
    machine: bool = False


@dataclass(frozen=True, slots=True)
class ScanCheck:
    """The comparison of the words of a quote with the picture of the page.

    ``by`` and ``at`` say who compared them, and when last; nobody as long as one word was not looked at. ``confidence``
    is that of the OCR engine for the page. Words of a ``layer`` are those that the file lays invisibly over its
    picture: who left the text of that page as it is has compared them.
    """

    by: tuple[str, ...]
    at: str
    confidence: float | None
    layer: bool = False

    @property
    def words(self) -> str:
        """The same in words, as a report has it."""
        if self.by:
            return f"checked against the image by {' and '.join(self.by)} on {self.at[:10]}"
        if self.layer:
            return LAYER
        sure = "" if self.confidence is None else f" with confidence {self.confidence:.2f}"
        return f"read from an image{sure} and not yet checked against it"


class EvidenceService:
    """Rows of evidence, their quotes and ratings, and the rule of blind rating."""

    def __init__(
        self,
        case: OpenCase,
        about: CaseService,
        search: Search,
        ocr: Ocr,
        documents: Documents,
        verdicts: VerdictPolicy,
    ) -> None:
        self._open = case
        self._store = case.store
        self._about = about
        self._search = search
        self._ocr = ocr
        self._documents = documents
        self._verdicts = verdicts
        self._clusters: tuple[tuple[tuple[str, str, str], ...], dict[str, near_duplicates.UpstreamMatch]] = ((), {})

    def rate(self, evidence: str, hypothesis: str, rating: Rating | None) -> Changes:
        """Rate one cell in one's own name; None clears it."""
        return self.rate_many([(evidence, hypothesis, rating)])

    def rate_many(self, cells: Sequence[tuple[str, str, Rating | None]]) -> Changes:
        """Rate cells as one decision; the same rating again is one too where it was given for other words."""
        self._store.ratings.rate_many(cells, again=self._store.history.outdated_ratings())
        return _MATRIX

    def outdated_ratings(self, until: int | None = None) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return by cell who rated it when its hypothesis or quote had other words; those ratings still count.

        ``until`` is an entry of the log, to tell it of an earlier moment.
        """
        people: dict[tuple[str, str], tuple[str, ...]] = {}
        for key in sorted(self._store.history.outdated_ratings(until)):
            evidence, hypothesis, by = key.split("/", 2)
            people[evidence, hypothesis] = (*people.get((evidence, hypothesis), ()), by)
        return people

    def own_outdated(self) -> list[Assessment]:
        """List one's own ratings that were given for other words."""
        people = self.outdated_ratings()
        who = self._about.who
        every = self._store.ratings.assessments() if people else []
        return [
            rating
            for rating in every
            if rating.by == who and who in people.get((rating.evidence, rating.hypothesis), ())
        ]

    def confirm_outdated(self) -> Changes:
        """Rate again, as one decision, what the user rated for other words."""
        return self.rate_many([(rating.evidence, rating.hypothesis, rating.rating) for rating in self.own_outdated()])

    def annotate(
        self, evidence: str, hypothesis: str, *, note: str | None = None, confidence: str | None = None
    ) -> Changes:
        """Set the note and the confidence of the user's rating. Raises BadInput where there is none."""
        self._store.ratings.annotate(evidence, hypothesis, note=note, confidence=confidence)
        return _MATRIX

    def describe(self, evidence: Sequence[str], **fields: str | None) -> Changes:
        """Set fields of rows, the same for all, as one decision. Raises BadInput.

        They are text, source, date, credibility, relevance, reliability, information, upstream, note and kind.
        """
        self._store.evidence.describe(evidence, fields)
        return _ROW

    def grade(self, evidence: str, *, credibility: Level | None = None, relevance: Level | None = None) -> Changes:
        """Set the credibility and the relevance of a row."""
        self._store.evidence.grade(evidence, credibility=credibility, relevance=relevance)
        return _ROW

    def quote_is_current(self, evidence: Evidence) -> bool:
        """Return whether the page still has the words that a row quotes, where it does; True for what is no quote."""
        parts = [(part.page_id, part.start, part.end, part.text) for part in evidence.more]
        if evidence.page_id is not None and evidence.quote is not None:
            parts.append((evidence.page_id, evidence.start or 0, evidence.end or 0, evidence.quote))
        return all(self._store.pages.by_id(page).text[start:end] == text for page, start, end, text in parts)

    def scan_check(self, evidence: Evidence) -> ScanCheck | None:
        """Return whether people looked at every word of a quote from a scan; None for what is no quote from a scan.

        Nobody has, where other words are in its place by now.
        """
        stretches = [(part.page_id, part.start, part.end) for part in evidence.more]
        if evidence.page_id is not None and evidence.start is not None and evidence.end is not None:
            stretches.insert(0, (evidence.page_id, evidence.start, evidence.end))
        pages = [(self._store.pages.by_id(stretch[0]), stretch) for stretch in stretches]
        layers = [self._store.readings.text_left(page.id) for page, _ in pages if page.source == "layer"]
        scans = [(page, stretch) for page, stretch in pages if page.source == "ocr"]
        if not (layers or scans):
            return None
        current = self.quote_is_current(evidence)
        left = [layer for layer in layers if layer is not None]
        if layers and not (current and len(left) == len(layers)):
            return ScanCheck((), "", None, layer=True)
        confidence = min((page.confidence for page, _ in scans if page.confidence is not None), default=None)
        decisions = [self._store.corrections.words_checked(*stretch) for _, stretch in scans]
        if any(decision is None for decision in decisions) or not current:
            return ScanCheck((), "", confidence)
        checks = [(check.by, check.at) for decision in decisions for check in decision or ()] + left
        return ScanCheck(
            tuple(sorted({by for by, _ in checks})),
            max((moment for _, moment in checks), default=""),
            confidence,
            layer=not scans,
        )

    def _source(self, stretches: Iterable[tuple[int, int, int]]) -> str:
        """Return the least sure source among the pages of the stretches of a quote."""
        sources = {self._store.pages.by_id(page_id).source for page_id, _, _ in stretches}
        return next((source for source in ("layer", "ocr") if source in sources), "embedded")

    def cite(self, evidence: Iterable[Evidence]) -> dict[str, Citation]:
        """Return the places of rows on their pages, by id: page label and number, section, cells of a sheet."""
        documents: dict[str, tuple[Document, list[tuple[int, Section]]]] = {}
        citations = {}
        for item in evidence:
            if item.document is None or item.page_id is None or item.page is None:
                continue
            if item.document not in documents:
                documents[item.document] = (
                    self._store.documents.get(item.document),
                    self._store.pages.sections(item.document),
                )
            document, headings = documents[item.document]
            page = self._store.pages.by_id(item.page_id)
            last = self._store.pages.by_id(item.more[-1].page_id) if item.more else None
            start = item.start or 0
            path = sections.path(headings, item.page, start)
            words = sections.citation(
                document.name,
                item.page,
                label=page.label,
                path=path,
                cells=sections.cells(page.text, start, item.end if item.end is not None else start, page.tables),
                kind=document.kind,
                pages=document.pages,
                last=last.number if last else 0,
                last_label=last.label if last else "",
            )
            place = words[len(document.name) :].removeprefix(", ")
            source = self._source([(page_id, 0, 0) for page_id in (item.page_id, *(p.page_id for p in item.more))])
            citations[item.id] = Citation(place, page.label, path, self._gaps(item), source, _frame(item, page))
        return citations

    def _gaps(self, item: Evidence) -> tuple[str, ...]:
        """List for each page break in a quote what is there between its stretches, its lines apart by ' / '."""
        gaps: list[str] = []
        page_id, end = item.page_id or 0, item.end
        for part in item.more:
            above, below = self._store.pages.by_id(page_id).text[end:], self._store.pages.by_id(part.page_id).text
            between = f"{above}\n{below[: part.start]}"
            lines = " / ".join(" ".join(line.split()) for line in between.splitlines() if line.strip())
            gaps.append(lines if len(lines) <= _SKIPPED else f"{lines[: _SKIPPED // 2]} … {lines[-_SKIPPED // 2 :]}")
            page_id, end = part.page_id, part.end
        return tuple(gaps)

    def remove(self, *evidence: str) -> Changes:
        """Take rows out, as one decision."""
        self._store.evidence.remove(*evidence)
        return Changes(evidence=True, proposals=True, matrix=True)

    def all(self) -> list[Evidence]:
        """List every row."""
        return self._store.evidence.all()

    def quoting(self, document: str) -> list[Evidence]:
        """List the rows that quote a document, in order of id."""
        return self._store.evidence.quoting(document)

    def assessments(self, *, everyone: bool = False, document: str | None = None) -> list[Assessment]:
        """List people's ratings, all or those of the rows that quote a document.

        Where rating is blind, colleagues' only of cells that one has rated oneself, unless ``everyone`` is asked for.
        """
        of_everyone = self._store.ratings.assessments(document)
        return (
            of_everyone
            if everyone or not self._store.settings.get().blind
            else self.of_own_cells(of_everyone, of_everyone)
        )

    def suggestions(self, *, everything: bool = False) -> list[Suggestion]:
        """List the model's ratings that this case shows.

        Where rating is blind, only of cells that one has rated oneself; unless the case is exploratory, only sure
        enough ones; with ``everything`` all of them. None for a row or a hypothesis that had other words.
        """
        suggestions = self._verdicts.without_outdated(self._store.ratings.suggestions())
        settings = self._store.settings.get()
        if everything:
            return suggestions
        if settings.blind:
            suggestions = self.of_own_cells(suggestions, self._store.ratings.assessments())
        return self._verdicts.shown_suggestions(suggestions, settings.show)

    def ratings_of(self, evidence: str) -> tuple[list[Assessment], list[Suggestion]]:
        """Return what ``assessments`` and ``suggestions`` show of one row, quickly also in a large matrix."""
        people, model = self._store.ratings.of(evidence)
        model = self._verdicts.without_outdated(model)
        settings = self._store.settings.get()
        if settings.blind:
            people, model = self.of_own_cells(people, people), self.of_own_cells(model, people)
        return people, self._verdicts.shown_suggestions(model, settings.show)

    def of_own_cells(self, items: Iterable[R], assessments: Iterable[Assessment]) -> list[R]:
        """Keep only what concerns cells that one has rated oneself: the rule of blind rating."""
        own_rows = {(item.evidence, item.hypothesis) for item in assessments if item.by == self._about.who}
        return [item for item in items if (item.evidence, item.hypothesis) in own_rows]

    def of_own_hypotheses(self, likelihoods: Iterable[Likelihood]) -> list[Likelihood]:
        """Keep only the likelihoods of hypotheses for which one has stated one's own: the same rule."""
        every = list(likelihoods)
        own_hypotheses = {item.hypothesis for item in every if item.by == self._about.who}
        return [item for item in every if item.hypothesis in own_hypotheses]

    def raters(self) -> tuple[str, ...]:
        """List everybody who has rated a cell, in order of name."""
        return tuple(sorted({by for _evidence, _hypothesis, by, _rating in self._store.ratings.rated_cells()}))

    def sign_ratings(self, former: str) -> int:
        """Put one's own name under the ratings of ``former`` where nobody else rated; return how many those are."""
        return self._store.ratings.sign(former)

    def likelihoods(self) -> list[Likelihood]:
        """List the stated likelihoods; where rating is blind, colleagues' only after one's own."""
        of_everyone = self._store.hypotheses.likelihoods()
        return self.of_own_hypotheses(of_everyone) if self._store.settings.get().blind else of_everyone

    def state_likelihood(self, hypothesis: str, value: float | None) -> Changes:
        """State how likely a hypothesis is (0..1) in one's own name; None takes it back."""
        self._store.hypotheses.state_likelihood(hypothesis, value)
        return _MATRIX

    def shared_origins(self, evidence: Iterable[Evidence] | None = None) -> dict[str, str]:
        """Return, for each row that counts together with others, the reason as a sentence.

        What the analyst says of a row's upstream takes precedence over what the program finds.
        """
        rows = list(self.all() if evidence is None else evidence)
        names = {document.id: document.name for document in self._store.documents.all()}
        of = {item.id: names.get(item.document or "", item.source) for item in rows}
        alike = {"verbatim": "the same words as", "near": "nearly the same words as", "part": "the words of"}
        reasons = {}
        for row, match in self.upstreams(rows).items():
            if not match.why:
                reasons[row] = "Others quote the same report; together they count once."
                continue
            documents = "" if match.why == "verbatim" else ", and the documents are near copies or one holds the other"
            reasons[row] = (
                f"Counts once with {match.with_} ({of[match.with_]}): the quote has {alike[match.why]} that one"
                f"{documents}. If it is not a copy, give it a source of its own."
            )
        several = Counter(item.upstream for item in rows if item.upstream)
        reasons |= {
            item.id: f"Counts once with the others that go back to “{item.upstream}”, as the analyst says."
            for item in rows
            if several[item.upstream] > 1
        }
        return reasons

    def upstreams(self, evidence: Iterable[Evidence]) -> dict[str, near_duplicates.UpstreamMatch]:
        """Find copies of one report among the quotes, where the analyst said nothing about the upstream."""
        quotes = tuple(
            (item.id, item.document, " ".join((item.quote, *(part.text for part in item.more))))
            for item in evidence
            if item.document and item.quote and not item.upstream
        )
        if self._clusters[0] != quotes:
            self._clusters = (quotes, near_duplicates.same_upstream(quotes, self._documents.text_of))
        return self._clusters[1]

    def history(self, evidence: str, hypothesis: str | None = None) -> list[Past]:
        """List what happened to a row, or to one cell of it, oldest first.

        Where rating is blind, what colleagues and the model rated only in cells that one has rated oneself.
        """
        events: list[Past] = []
        for entry in self._store.history.entries_about(evidence):
            events += _history_entries(entry, evidence, hypothesis)
        if not self._store.settings.get().blind:
            return events
        own_hypotheses = {item.hypothesis for item in self._store.ratings.of(evidence)[0] if item.by == self._about.who}
        return [past for past in events if past.hypothesis in ("", *own_hypotheses) or past.who == self._about.who]

    def confirm_scan(self, evidence: str) -> Corrected:
        """Record that a person has compared the whole quote with the picture of its page.

        Every word of it not yet decided on is accepted as it is. Raises BadInput for what is no quote from a scan,
        or no longer what is there.
        """
        item = next((item for item in self._store.evidence.all() if item.id == evidence), None)
        check = self.scan_check(item) if item is not None else None
        if item is None or check is None:
            raise BadInput(reason=f"{evidence} does not quote a scan.", remedy="Only words read by OCR need this.")
        if check.layer and not check.by:
            raise BadInput(
                reason=f"{evidence} quotes the text layer of a scan, whose words were not read by OCR.",
                remedy="Compare the whole page with its picture, and leave its text as it is.",
            )
        if not self.quote_is_current(item):
            raise BadInput(
                reason=f"{evidence} quotes words that are no longer on its page.",
                remedy="Take the new words first, then compare them with the page.",
            )
        places = [(item.page_id or 0, item.start or 0, item.end or 0)]
        places += [(part.page_id, part.start, part.end) for part in item.more]
        decisions = []
        for page_id, start, end in places:
            if self._store.pages.by_id(page_id).source != "ocr":
                continue
            decided_words = {decision.word for decision in self._store.corrections.decisions(page_id)}
            decisions += [
                (page_id, number, "accepted", "")
                for number, word in enumerate(self._store.pages.words(page_id))
                if word.start < end and word.end > start and number not in decided_words
            ]
        return self._ocr.decide(decisions)

    def update_quote(self, evidence: str) -> Changes:
        """Let a row whose page was corrected quote what is there now."""
        self._store.corrections.refresh_quote(evidence)
        return Changes(evidence=True, matrix=True)

    def add(
        self, text: str, source: str = "", credibility: Level | None = None, relevance: Level | None = None
    ) -> Added:
        """Add a row in the analyst's own words."""
        if not text.strip():
            raise BadInput(reason="Evidence cannot be empty.", remedy="Say in one sentence what was observed.")
        row = self._store.evidence.add(
            text=text.strip(), source=source.strip(), credibility=credibility, relevance=relevance
        )
        return Added(row.id, Changes(evidence=True, matrix=True))

    def add_quote(
        self,
        document: str,
        page: int,
        start: int,
        end: int,
        text: str = "",
        more: Sequence[tuple[int, int, int]] = (),
        note: str = "",
    ) -> Added:
        """Add a row from a stretch of a page that the analyst marked.

        ``more`` are the pages after it on which the quote goes on, with the stretch of each. What is a row already
        stays as it is. Raises BadInput, NoSuchItem.
        """
        further = [(self._store.pages.page(document, number), first, last) for number, first, last in more]
        quote = verify.span(self._store.pages.page(document, page), start, end, further)
        name = self._store.documents.get(document).name
        words = over_pages(quote.text, *(part.text for part in quote.more))
        present = {row.id for row in self._store.evidence.quoting(document)}
        evidence = self._store.evidence.add(text=text.strip() or words, source=name, quote=quote, note=note)
        if evidence.id in present:
            return Added(evidence.id, Changes(), new=False)
        return Added(evidence.id, Changes(evidence=True, matrix=True))

    def add_absence(self, hypothesis: str, text: str, queries: Sequence[str]) -> Added:
        """Add a row for what one would expect under a hypothesis, searched for with ``queries`` and not found.

        The searches are run now; what was looked at, and what could not be, is kept with the row. Raises NoSuchItem,
        and BadInput where no document could be searched.
        """
        searches = [query.strip() for query in queries if query.strip()]
        if not text.strip() or not searches:
            raise BadInput(
                reason="An expectation needs a description and at least one search.",
                remedy="Say what you would see if the hypothesis were true, and the words to look for.",
            )
        if unknown := next((query for query in searches if not self._search.can_look_for(query)), None):
            raise BadInput(
                reason=f"“{unknown[:80]}” has no word, so that a search for it says nothing of the documents.",
                remedy="Look for it with words.",
            )
        results = self._search.look_for(searches, k=_LOOKED_AT)
        looked_at = {passage.chunk for result in results for passage in result.passages}
        absence = self._search.reach(Absence(hypothesis, tuple(searches), self._store.db.now()), text)
        absence = replace(absence, passages=len(looked_at))
        source = f"searched {len(looked_at)} passages in {absence.documents} documents"
        source += f" (not searched: {absence.gaps}); not found" if absence.gaps else "; not found"
        if count := len(self._passages_with(searches)):
            source += f", though {count} {'passage holds' if count == 1 else 'passages hold'} the words"
        row = self._store.evidence.add(text=text.strip(), source=source, absence=absence)
        return Added(row.id, Changes(evidence=True, matrix=True))

    def _passages_with(self, queries: Sequence[str]) -> set[int]:
        """Return the passages in scope that hold all words of a query."""
        chunks = set().union(*map(self._store.words.with_all, queries))
        documents = {document.id for document in self._store.documents.all() if document.included}
        return {row.id for row in self._store.pages.chunks(sorted(chunks)).values() if row.document in documents}

    def check(self, text: str, document: str | None = None) -> verify.Answer:
        """Look a quote up: verified, near (with the differences), not found, or unchecked."""
        return self.check_many([(text, document)])[0]

    def check_many(self, texts: Sequence[tuple[str, str | None]]) -> list[verify.Answer]:
        """Look quotes up, each a (text, document or None for all); the pages are read once.

        Raises CaseNotProven where one of those that are named is not what the log says of it.
        """
        for document in {document for _, document in texts if document is not None}:
            self._store.documents.get(document)
        only = {document for _, document in texts}
        corpus = verify.QuoteFinder(self._store.pages.of(only.pop() if len(only) == 1 else None))
        answers = [corpus.find(text, document=document) for text, document in texts]
        matches = [match for answer in answers for match in answer.matches]
        places = {(match.document, match.page) for match in matches}
        places |= {(match.document, part.page) for match in matches for part in match.more}
        pages = {place: self._store.pages.page(*place) for place in sorted(places)}
        self._store.prove_pages([page.id for page in pages.values()])
        return [
            replace(
                answer,
                matches=tuple(
                    replace(match, frame=_around(match.start, match.end, match.more, pages[match.document, match.page]))
                    for match in answer.matches
                ),
            )
            for answer in answers
        ]

    def marks(self) -> dict[str, tuple[str, ...]]:
        """Return 'struck' and 'hidden' of the rows that quote words struck through or not visible on the page."""
        return self._store.evidence.marks()


_FIELDS = {
    "text": "text",
    "source": "source",
    "date": "date",
    "credibility": "credibility",
    "relevance": "relevance",
    "reliability": "reliability of the source",
    "information": "credibility of the information",
    "upstream": "upstream",
    "note": "note",
    "kind": "kind",
}


def _frame(item: Evidence, page: Page) -> str:
    """Return what the sentence of a quote says around it, unless the words of its row say so."""
    start, end = item.start or 0, item.end or 0
    if not item.quote or page.text[start:end] != item.quote:
        return ""
    quote = over_pages(item.quote, *(part.text for part in item.more))
    own_words = item.text if item.text.strip() not in (item.quote.strip(), quote.strip()) else ""
    return _around(start, end, item.more, page, f"{own_words} {item.note}")


def _around(start: int, end: int, more: Sequence[object], page: Page, own_words: str = "") -> str:
    """Return the frame of page.text[start:end], of whose last sentence nothing is known where it has ``more``."""
    return frame_of(page.text[:end] if more else page.text, start, end, own_words)


def _history_entries(entry: LogEntry, evidence: str, hypothesis: str | None) -> Iterable[Past]:
    before, after = rows_of(entry)
    verb = f"undo {entry.verb}" if entry.undoes is not None else entry.verb
    for table in ("evidence", "suggestion", "rating"):
        for key, new in after.get(table, {}).items():
            old = before[table][key]
            fields = new or old or {}
            if fields.get("id" if table == "evidence" else "evidence") != evidence:
                continue
            if table == "evidence":
                if hypothesis is not None and old is not None:
                    continue
                yield Past(entry.seq, entry.at, entry.who, verb, "", _row_words(old, new), _row_words(new, old))
                continue
            against = str(fields["hypothesis"])
            if hypothesis is not None and against != hypothesis:
                continue
            machine = table == "suggestion"
            yield Past(
                entry.seq,
                entry.at,
                str(fields["model"]) if machine else str(fields["by"]),
                "suggest" if machine and entry.undoes is None else verb,
                against,
                _cell_words(old),
                _cell_words(new),
                machine,
            )


def _cell_words(row: Mapping[str, object] | None) -> str:
    if row is None:
        return ""
    parts = [str(row["rating"])]
    if row.get("confidence"):
        parts.append(f"confidence {row['confidence']}")
    if row.get("note"):
        parts.append(f"“{row['note']}”")
    return ", ".join(parts)


def _row_words(row: Mapping[str, object] | None, other_row: Mapping[str, object] | None) -> str:
    """Word a row of evidence beside its other version: only what differs."""
    if row is None:
        return ""
    if other_row is None:
        return str(row["text"])
    differ = [f"{words}: {row[name] or 'none'}" for name, words in _FIELDS.items() if row[name] != other_row[name]]
    return "; ".join(differ)
