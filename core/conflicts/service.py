"""The conflicts of a case: their detection, storage and resolution."""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.conflicts import denials, features, gates, hypotheses, merging, pairs, versions
from core.conflicts import scorer as scorers
from core.conflicts.differences import ALIKE, LEAST_ALIKE, Difference, denies, differ_in_figure_alone, differences
from core.conflicts.merging import Cluster, Place, Variant
from core.conflicts.results import (
    STATUSES,
    Basis,
    Conflict,
    ConflictRecord,
    ConflictSource,
    ConflictsReport,
    Position,
    Status,
)
from core.conflicts.statements import (
    PageContent,
    Statement,
    clear_caches,
    dates_of,
    name_words,
    names_in,
    plain_name,
    quantities_of,
    statements_in,
    words_of,
)
from core.documents.descriptions import author_of, title_of
from core.documents.kinds import kind_of
from core.domain import Changes, Document, Evidence, Page, Probabilities, Proposal, Span
from core.errors import AppError, BadInput, ModelUnreadable
from core.evidence import quotes
from core.progress import Progress, silent
from core.store.results import decode
from core.text import digest, without_hidden
from core.timeline.service import own_date
from core.verdicts import exam_results

if TYPE_CHECKING:
    from core.open_case import OpenCase
    from core.ports import Judge
    from core.store.results import StoredResult
    from core.verdicts.policy import VerdictPolicy

JUDGED = 300  # pairs that the judge reads, for each 1,000 documents
_FEWEST_JUDGED = 60
_FEWEST_READ = 1_000  # pairs that a judge of pairs reads in a small case
_ONE_MATTER = 3_000  # statements of a case that is about one matter; one with more, as a year of news, is of many
DISTINCT = 1.0  # surprise, in nats, from which two statements of one matter are about one thing
_NEARLY_DISTINCT = -2.0  # the same if one is the denial of the other, or says the same but for a figure
_LEANING = 0.45  # probability from which a denial counts in these, if the judge leans to it on balance
CONTRADICTS = 0.75  # probability from which a contradiction counts, if the exam set no threshold of its own
_FACTS = ("quantity", "time", "date")
_OTHER_WAY = 0.2  # and the least probability in the reverse direction
_SCAN = 0.03  # share of unreadable sentences from which a document counts as a scan
_SCANS = 0.33  # share of scans among the documents from which those with any such sentence count as scans too
_KNOWN = 2  # statements that must have a name of a scan before it counts as read correctly
_SUBJECT = 110  # characters
_HEADED = 600  # characters at the beginning of a document in which its date and version are looked for
_WITNESS = re.compile(r"(?im)^\W*(?:(?:full )?name(?: of (?:the )?witness)?|witness|interviewee|deponent)\W*:\s*(.+)$")
_CORRECTED = re.compile(r"\b(?:correct(?:ed|ion|s)|revised|amended|second version|replaces the)\b", re.IGNORECASE)
_SLIP = re.compile(
    r"\bslip of the pen\b|\b(?:right|correct) (?:figure|number|date|name|time)\b|\bmisprint\b|\bcorrection\b"
    r"|\berratum\b|\bwas corrected\b|\bshould (?:have )?read\b|\bin error\b|\bmistakenly\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Reading:
    """The statements of a case and what is known of its documents."""

    documents: dict[str, Document]
    families: dict[str, str]
    statements: list[Statement] = field(default_factory=list)
    days: dict[str, str] = field(default_factory=dict)
    scans: set[str] = field(default_factory=set)
    corrections: set[str] = field(default_factory=set)
    pages: dict[int, Page] = field(default_factory=dict)

    def family(self, document: str) -> str:
        return self.families.get(document, document)


@dataclass(frozen=True, slots=True)
class _JudgeAnswers:
    """Pairs that the judge calls contradictions, the number it read, and notes about them."""

    pairs: tuple[Difference, ...] = ()
    count: int = 0
    notes: tuple[str, ...] = ()
    model: str = ""


class Conflicts:
    """The conflicts of a case."""

    def __init__(self, case: OpenCase, verdicts: VerdictPolicy) -> None:
        self._open = case
        self._store = case.store
        self._verdicts = verdicts
        self._places: dict[str, tuple[str, tuple[tuple[int, int, int], ...]]] = {}  # by conflict, with its value

    # --- stored conflicts --------------------------------------------------------------------------------------------

    def all(self) -> list[ConflictRecord]:
        """List the stored conflicts that still have two positions, the most diagnostic first."""
        spans = _spans(self._store.evidence.all())
        records = [self._record(result, spans) for result in self._store.results.all("conflict")]
        return sorted(
            (record for record in records if len(record.conflict.positions) > 1),
            key=lambda record: (-record.conflict.score - 0.5 * bool(record.evidence), int(record.id[1:])),
        )

    def get(self, conflict: str) -> ConflictRecord:
        """Return a conflict. Raises NoSuchItem."""
        return self._record(self._store.results.get("conflict", conflict), _spans(self._store.evidence.all()))

    def resolve(self, conflict: str, status: Status, *, position: int = 0, note: str = "") -> Changes:
        """Decide on a conflict: 'held' for one position (number from 1), 'both', about different things, or 'open'.

        Raises NoSuchItem; BadInput for another status or an unknown position.
        """
        if status not in STATUSES:
            raise BadInput(reason=f"'{status}' is not a decision.", remedy=f"Use {', '.join(STATUSES)}.")
        record = self.get(conflict)
        count = len(record.conflict.positions)
        if status == "held" and not 1 <= position <= count:
            raise BadInput(
                reason=f"{conflict} has positions 1 to {count}, and which of them holds was not said.",
                remedy="Name the one that holds by its number.",
            )
        numbers = [number for number, _ in self._current_positions(self._store.results.get("conflict", conflict))]
        item = f"position {numbers[position - 1]}" if status == "held" else ""
        items = [resolution.item for resolution in self._store.results.get("conflict", conflict).resolutions]
        previous = [value for value in items if value != item]
        self._store.results.resolve("conflict", conflict, status, item=item, note=note, instead=previous)
        return Changes(results=True, matrix=True)

    def open_at(self, places: Iterable[tuple[int, int, int]]) -> list[str]:
        """List the unresolved conflicts that overlap a span (page id, start, end)."""
        by_page = _by_page(places)
        return [
            conflict
            for conflict, value in self._store.results.undecided("conflict")
            if self._touches(conflict, value, by_page)
        ]

    def touching(self, places: Iterable[tuple[int, int, int]]) -> list[ConflictRecord]:
        """List the conflicts of documents, resolved or not, that overlap a span (page id, start, end)."""
        by_page = _by_page(places)
        if not by_page:
            return []
        spans = _spans(self._store.evidence.all())
        return [
            self._record(result, spans)
            for result in self._store.results.all("conflict")
            if self._touches(result.id, result.value, by_page)
        ]

    def _touches(self, conflict: str, value: str, by_page: Mapping[int, Sequence[tuple[int, int]]]) -> bool:
        places = self._places_of(conflict, value)
        return any(start < e and end > s for page, s, e in places for start, end in by_page.get(page, ()))

    def open_by_evidence(self, evidence: Iterable[Evidence]) -> dict[str, tuple[str, ...]]:
        """Map rows of the matrix to the unresolved conflicts that overlap their quotes."""
        conflicts = [
            (conflict, self._places_of(conflict, value))
            for conflict, value in self._store.results.undecided("conflict")
        ]
        rows: dict[str, tuple[str, ...]] = {}
        for row, page, start, end in _spans(evidence) if conflicts else ():
            ids = [id for id, places in conflicts if any(p == page and start < e and end > s for p, s, e in places)]
            if ids:
                rows[row] = tuple(ids)
        return rows

    def _places_of(self, conflict: str, value: str) -> tuple[tuple[int, int, int], ...]:
        """Return the spans of a conflict's quotes, decoded once for each stored value."""
        entry = self._places.get(conflict)
        if entry is None or entry[0] != value:
            content = decode(Conflict, conflict, value)
            # The matrix itself shows evidence for and against a hypothesis.
            positions = () if content.kind == "hypotheses" else content.positions
            quotes_of = [source.quote for position in positions for source in position.sources]
            entry = self._places[conflict] = value, tuple((row.page_id, row.start, row.end) for row in quotes_of)
        return entry[1]

    def _record(self, result: StoredResult, spans: Sequence[tuple[str, int, int, int]]) -> ConflictRecord:
        current = self._current_positions(result)
        positions = tuple(position for _, position in current)
        conflict = replace(result.decode(Conflict), positions=positions)
        places = {
            (source.quote.page_id, source.quote.start, source.quote.end)
            for position in positions
            for source in position.sources
        }
        rows = tuple(
            row for row, page, start, end in spans if any(page == p and start < e and end > s for p, s, e in places)
        )
        decision = max(result.resolutions, key=lambda resolution: (resolution.at, resolution.item), default=None)
        winner = ""
        if decision is not None and decision.status == "held":
            numbers = (str(n) for n, (number, _) in enumerate(current, 1) if decision.item == f"position {number}")
            winner = next(numbers, "")
        # A decision for a position without sources no longer counts.
        if decision is None or decision.status not in STATUSES or (decision.status == "held" and not winner):
            return ConflictRecord(result.id, conflict, is_stale=result.is_stale, evidence=rows)
        return ConflictRecord(
            result.id,
            conflict,
            status=decision.status,
            position=int(winner or 0),
            note=decision.note,
            by=decision.by,
            at=decision.at,
            is_stale=result.is_stale,
            evidence=rows,
        )

    def _current_positions(self, result: StoredResult) -> list[tuple[int, Position]]:
        """List the stored positions that sources still take, in their words, each with its number."""
        conflict = result.decode(Conflict)
        rows = []
        for number, position in enumerate(conflict.positions, start=1):
            sources = tuple(
                source if source.words in source.quote.text else replace(source, words="")
                for source in self._store.quotes.current(position.sources)
            )
            lines = [" ".join(source.quote.text.split()) for source in sources]
            sides = ("Speaks for ", "Speaks against ") if conflict.kind == "hypotheses" else ()
            if position.text.startswith(sides) or any(position.text in line for line in lines):
                rows.append((number, replace(position, sources=sources)))
        return [row for row in rows if row[1].sources]

    # --- detection ---------------------------------------------------------------------------------------------------

    def find(self, progress: Progress | None = None, *, again: bool = False) -> ConflictsReport:
        """Find the conflicts in the documents in scope, and store them if the case is writable.

        The stored ones are returned if the documents have not changed since, unless ``again`` is set. A decision stays
        with its conflict. The judge's answers are stored for each pair, so a cancelled run resumes where it stopped.
        """
        start, progress = time.monotonic(), progress or silent()
        try:
            return self._find(start, progress, again=again)
        finally:
            clear_caches()

    def _find(self, start: float, progress: Progress, *, again: bool) -> ConflictsReport:
        stored = self._store.results.all("conflict")
        if stored and not again and not any(result.is_stale for result in stored):
            return ConflictsReport(tuple(self.all()), seconds=round(time.monotonic() - start, 4))
        digest = self._store.scope.digest()
        reading = self._read(progress)
        rarity = pairs.Rarity(reading.statements)
        sole, possible, count = self._compare(reading, rarity, progress)
        sole += self._denials(reading, rarity)
        answers = self._ask(reading, possible, progress)
        weighed = self._weigh(reading, rarity, progress)
        clusters = self._clusters(reading, [*sole, *answers.pairs, *weighed.pairs])
        clusters, surplus = merging.cap(clusters)
        model = weighed.model or answers.model
        conflicts = [self._conflict(reading, cluster, model) for cluster in clusters]
        conflicts += self._by_hypothesis(reading)
        subjects = [(_key(conflict), conflict) for conflict in conflicts]
        progress.check()
        notes = (*answers.notes, *weighed.notes, *_more_lines(surplus, reading.documents))
        if self._store.read_only:
            records = tuple(ConflictRecord("", conflict) for conflict in conflicts)
        else:
            keys = {key for key, _ in subjects}
            obsolete = [result.id for result in stored if result.subject not in keys and not result.resolutions]
            self._store.results.keep("conflict", subjects, digest=digest, obsolete=obsolete)
            records = tuple(self.all())
        return ConflictsReport(
            records,
            statements=len(reading.statements),
            pairs=count,
            pairs_judged=answers.count + weighed.count,
            seconds=round(time.monotonic() - start, 4),
            notes=notes,
        )

    def _read(self, progress: Progress) -> _Reading:
        documents = {row.id: row for row in self._store.documents.all() if row.included and row.pages}
        relations = [(like.document, like.of) for like in self._store.documents.likenesses().values()]
        relations += [(row.id, row.superseded_by) for row in documents.values() if row.superseded_by]
        reading = _Reading(documents, merging.families_of(relations))
        statements: list[Statement] = []
        doubtful: set[str] = set()
        for position, document in enumerate(documents.values()):
            progress.step(position, len(documents), f"Reading {document.name}")
            sentences = list(statements_in(self._contents(document, reading), first=0))
            readable = [statement for statement in sentences if gates.is_readable(statement.text)]
            count = len(sentences) - len(readable)
            if count:
                doubtful.add(document.id)
            if count > max(2, _SCAN * len(sentences)):
                reading.scans.add(document.id)
            statements += [statement for statement in readable if gates.is_prose(statement.text)]
        if len(reading.scans) > _SCANS * len(documents):
            reading.scans |= doubtful
        shapes = gates.furniture(statements, reading.families)
        prose = [statement for statement in statements if gates.shape_of(statement.text) not in shapes]
        reading.statements = [replace(statement, number=number) for number, statement in enumerate(prose)]
        return reading

    def _contents(self, document: Document, reading: _Reading) -> Iterator[PageContent]:
        speaker: frozenset[str] | None = None
        for page in self._store.pages.of(document.id):
            text = without_hidden(page.text, page.hidden_spans)
            speaker = _speaker_of(document, text) if speaker is None else speaker
            if document.id not in reading.days:
                reading.days[document.id] = _day_of(document, text)
                if _CORRECTED.search(text[:_HEADED]):
                    reading.corrections.add(document.id)
            if page.source in ("ocr", "layer"):
                reading.scans.add(document.id)
            yield PageContent(document.id, page.id, page.number, text, reading.days[document.id], speaker)

    def _compare(
        self, reading: _Reading, rarity: pairs.Rarity, progress: Progress
    ) -> tuple[list[Difference], list[Difference], int]:
        """Return the differences that are alone, the others, and the number of pairs that were compared."""
        rows: dict[tuple[str, int, int], Difference] = {}
        by_document: dict[str, list[Statement]] = defaultdict(list)
        for statement in reading.statements:
            by_document[statement.document].append(statement)
        relatives = [(document, head) for document, head in reading.families.items() if document != head]
        count = 0
        for position, (document, head) in enumerate(relatives):
            progress.step(position, len(relatives), "Comparing versions")
            is_scan = document in reading.scans or head in reading.scans
            count += len(by_document[document])
            for difference in versions.compare(by_document[head], by_document[document], rarity, is_scan=is_scan):
                rows.setdefault((difference.kind, difference.left.number, difference.right.number), difference)
        total = len(reading.statements)
        is_small = total <= _ONE_MATTER
        for left, right in pairs.candidates(reading.statements, rarity):
            count += 1
            if count % 500 == 0:
                progress.step(right.number, total, "Comparing statements")
            likeness = rarity.likeness(left, right)
            if likeness < (LEAST_ALIKE if is_small else ALIKE):
                continue
            is_scan = left.document in reading.scans or right.document in reading.scans
            is_distinct = is_small and left.document != right.document and _is_distinct(left, right, likeness, rarity)
            for difference in differences(left, right, likeness, is_distinct=is_distinct):
                if not (is_scan and _is_doubtful(difference)):
                    rows.setdefault((difference.kind, difference.left.number, difference.right.number), difference)
        is_same, counts = self._same_names(), name_words(reading.statements)
        remaining = [
            row for row in rows.values() if not is_same(row) and not self._is_unknown_name(row, reading.scans, counts)
        ]
        return [row for row in remaining if row.is_alone], [row for row in remaining if not row.is_alone], count

    def _is_unknown_name(self, pair: Difference, scans: Collection[str], counts: Counter[str]) -> bool:
        """Return whether a pair rests on a name that occurs nowhere else, in a scan or as a sentence's first word."""
        if pair.kind not in ("name", "place", "role"):
            return False
        spans = (pair.left, pair.left_span), (pair.right, pair.right_span)
        if any(_opens(side.text, span) and not _is_name_elsewhere(side, span, counts) for side, span in spans):
            return True
        sides = zip((pair.left, pair.right), pair.values, strict=True)
        return any(
            statement.document in scans and any(counts[plain_name(word)] < _KNOWN for word in words_of(value))
            for statement, value in sides
        )

    def _same_names(self) -> Callable[[Difference], bool]:
        """Make a function that returns whether a pair differs only in two names of one entity."""
        names = {
            name.casefold(): entity.id
            for entity in self._store.entities.all("confirmed")
            for name in (entity.name, *entity.aliases)
        }

        def names_same(pair: Difference) -> bool:
            entities = [names.get(value) for value in pair.values]
            return pair.kind in ("name", "place", "role") and entities[0] is not None and entities[0] == entities[1]

        return names_same

    # --- the judge ---------------------------------------------------------------------------------------------------

    def _denials(self, reading: _Reading, rarity: pairs.Rarity) -> list[Difference]:
        """Pair each denial of its previous sentence with the statements that make the claim."""
        rows = []
        denying = denials.denials_in(reading.statements)
        for denial, statement, likeness in denials.against(denying, reading.statements, rarity):
            if {denial.statement.document, statement.document} & reading.scans:
                continue
            answer = denials.with_answer(statement, self._page(reading, statement.page_id).text)
            if answer is not None:
                whole = Span(0, 0)
                rows.append(Difference("denial", denial.statement, answer, whole, whole, ("no", "yes"), likeness, True))
        return rows

    def _ask(self, reading: _Reading, possible: Sequence[Difference], progress: Progress) -> _JudgeAnswers:
        """Ask the judge about pairs that rules do not decide, the most similar first, within the budget."""
        total = len(possible)
        if not total:
            return _JudgeAnswers()
        try:
            judge = exam_results.require_judge(self._open.engines, progress)
            model = judge.fingerprint
            self._verdicts.record_exam(model)
        except AppError as error:
            return _JudgeAnswers(notes=(f"{total:,} pairs of statements were not judged: {error.sentence}",))
        budget = max(_FEWEST_JUDGED, JUDGED * len(reading.documents) // 1_000)
        threshold = next(
            (row.threshold for row in self._verdicts.show_thresholds(model)
             if row.label == "contradicts" and row.threshold is not None), CONTRADICTS,
        )  # fmt: skip
        contradictions: list[Difference] = []
        count = 0
        trouble = ""
        try:
            for pair in sorted(possible, key=lambda row: (-round(row.likeness, 6), row.left.number, row.right.number)):
                if count >= budget:
                    break
                progress.step(count, min(budget, total), "Asking the judge")
                count += 1
                forward = self._probabilities(judge, model, pair.left.line, pair.right.line, progress)
                if forward is None or forward.contradicts < _OTHER_WAY:
                    continue
                backward = self._probabilities(judge, model, pair.right.line, pair.left.line, progress)
                if backward is None or backward.contradicts < _OTHER_WAY:
                    continue
                if _contradict(pair, forward, backward, threshold):
                    contradictions.append(pair)
        except AppError as error:  # the results of the rules do not need the judge
            trouble, count = error.sentence, count - 1
        unread = total - count
        notes = (
            (f"{unread:,} more pairs of statements are alike and were not judged. {trouble}".strip(),)
            if unread > 0
            else ()
        )
        return _JudgeAnswers(tuple(contradictions), count, notes, model)

    def _weigh(self, reading: _Reading, rarity: pairs.Rarity, progress: Progress) -> _JudgeAnswers:
        """Score pairs of statements about one thing by rules and by a judge's answers in both directions.

        Only with a judge that a scorer was fitted for (core.conflicts.scorer): otherwise pairs that share their rare
        words are as often noise as not.
        """
        if not scorers.judges():
            return _JudgeAnswers()
        try:
            judge = exam_results.require_judge(self._open.engines, progress)
            model = judge.fingerprint
        except AppError:  # reported by _ask
            return _JudgeAnswers()
        scorer = scorers.scorer_of(model)
        if scorer is None:
            return _JudgeAnswers()
        rows: list[tuple[Statement, Statement, dict[str, float]]] = []
        budget = max(_FEWEST_READ, JUDGED * len(reading.documents) // 1_000)
        for left, right in pairs.related(reading.statements, rarity):
            progress.check()
            if len(rows) == budget:
                break
            if reading.family(left.document) == reading.family(right.document):
                continue
            values = features.features(left, right, rarity)
            if features.is_candidate(left, right, values):
                rows.append((left, right, values))
        contradictions = []
        count = 0
        try:
            for left, right, values in rows:
                progress.step(count, len(rows), "Asking the judge")
                count += 1
                answers = [
                    self._probabilities(judge, model, premise.line, conclusion.line, progress)
                    for premise, conclusion in ((left, right), (right, left))
                ]
                judged = tuple(answer.contradicts for answer in answers if answer is not None)
                if len(judged) < len(answers):
                    continue
                if scorer.probability(values | features.of_judge(*judged)) >= scorer.threshold:
                    contradictions.append(features.as_difference(left, right, values["likeness"]))
        except AppError as error:  # the contradictions so far are kept
            note = f"{len(rows) - count + 1:,} pairs of statements were not judged. {error.sentence}"
            return _JudgeAnswers(tuple(contradictions), count - 1, (note,), model)
        return _JudgeAnswers(tuple(contradictions), count, (), model)

    def _probabilities(
        self, judge: Judge, model: str, passage: str, hypothesis: str, progress: Progress
    ) -> Probabilities | None:
        """Return the cached answer, else the judge's; None if the judge cannot read the pair."""
        key = digest(passage), digest(hypothesis)
        answer = self._store.verdicts.get(model, [key]).get(key)
        if answer is not None:
            return answer
        try:
            with progress.asking():
                answer = judge.judge(passage, [hypothesis])[0]
        except BadInput:
            return None
        if judge.fingerprint != model:  # its process was restarted on another file of the same name
            raise ModelUnreadable(
                path=judge.fingerprint[:80],
                reason="it took the place of another model while pairs were judged",
                effect="the pairs that are left were not judged",
            )
        if not self._store.read_only:
            self._store.verdicts.put(model, [(*key, answer)])
        return answer

    # --- from pairs to conflicts -------------------------------------------------------------------------------------

    def _clusters(self, reading: _Reading, contradictions: Sequence[Difference]) -> list[Cluster]:
        clusters = merging.join_names(merging.merge(contradictions), reading.families)
        clusters = merging.add_supporters(clusters, reading.statements)
        return sorted(clusters, key=lambda row: (-_score(row, reading), row.variants[0].places[0].statement.number))

    def _conflict(self, reading: _Reading, cluster: Cluster, model: str) -> Conflict:
        notes = self._notes(reading, cluster)
        positions = tuple(
            Position(_position_text(cluster, variant), self._sources(reading, variant), note)
            for variant, note in zip(cluster.variants, notes, strict=True)
        )
        in_one_family = len({reading.family(document) for document in cluster.documents}) == 1
        is_version = in_one_family and len(cluster.documents) > 1
        basis: Basis = "rule" if cluster.is_alone else "judge"
        return Conflict(
            "version" if is_version else cluster.kind,
            _subject(cluster),
            positions,
            basis,
            round(_score(cluster, reading), 4),
            () if cluster.is_alone or not model else (model,),
        )

    def _sources(self, reading: _Reading, variant: Variant) -> tuple[ConflictSource, ...]:
        rows = zip(variant.places, merging.repetitions(variant.places, reading.families), strict=True)
        return tuple(self._source(reading, place, is_copy) for place, is_copy in rows)

    def _source(self, reading: _Reading, place: Place, is_copy: bool) -> ConflictSource:
        statement = place.statement
        page = self._page(reading, statement.page_id)
        document = reading.documents[statement.document]
        return ConflictSource(
            quotes.span(page, statement.start, statement.end),
            document.name,
            place.words,
            reading.days.get(document.id, ""),
            f"{document.reliability}{document.information}",
            is_copy,
            page.source,
            " ".join(statement.previous.split()),
        )

    def _page(self, reading: _Reading, page_id: int) -> Page:
        if page_id not in reading.pages:
            reading.pages[page_id] = self._store.pages.by_id(page_id)
        return reading.pages[page_id]

    def _notes(self, reading: _Reading, cluster: Cluster) -> list[str]:
        """Describe for each position a sign that it was superseded: a newer version, a correction."""
        notes = []
        for variant in cluster.variants:
            places = [place for opponent in cluster.variants if opponent is not variant for place in opponent.places]
            parts = self._newer(reading, variant.places, places), self._slip(reading, variant, cluster)
            notes.append(" ".join(part for part in parts if part))
        return notes

    def _newer(self, reading: _Reading, places: Sequence[Place], opposing: Sequence[Place]) -> str:
        for place in places:
            older = reading.documents[place.statement.document]
            for opposing_place in opposing:
                newer = reading.documents[opposing_place.statement.document]
                if older.superseded_by == newer.id:
                    return f"{newer.name} is a newer version of {older.name}."
                if older.id == newer.id or reading.family(older.id) != reading.family(newer.id):
                    continue
                if newer.id in reading.corrections and older.id not in reading.corrections:
                    return f"{newer.name} is a corrected version of {older.name}."
                days = reading.days.get(older.id, ""), reading.days.get(newer.id, "")
                if all(days) and days[0] < days[1] and newer.id not in (older.superseded_by, ""):
                    return f"{newer.name} is a later version of {older.name}."
        return ""

    def _slip(self, reading: _Reading, variant: Variant, cluster: Cluster) -> str:
        """Find text after one of the places that calls it a slip and contains an opposing value."""
        words = [place.words for row in cluster.variants if row is not variant for place in row.places if place.words]
        for place in variant.places:
            page = self._page(reading, place.statement.page_id)
            following = page.text[place.statement.end : place.statement.end + 300]
            nearby = " ".join(following.split())
            match = _SLIP.search(nearby)
            if match and any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", nearby) for word in words):
                return f"{reading.documents[place.statement.document].name} calls it a mistake."
        return ""

    def _by_hypothesis(self, reading: _Reading) -> Iterator[Conflict]:
        texts = {hypothesis.id: hypothesis.text for hypothesis in self._store.hypotheses.all()}
        proposals = [row for row in self._verdicts.proposals() if row.quote.document in reading.documents]
        for sides in hypotheses.disagreeing(proposals, reading.families):
            if sides.hypothesis not in texts:
                continue
            key = sides.hypothesis
            rows = ((f"Speaks for {key}", sides.supporting), (f"Speaks against {key}", sides.contradicting))
            positions = tuple(Position(words, self._verdict_sources(reading, group)) for words, group in rows)
            models = tuple(sorted({proposal.verdict.model for _, group in rows for proposal in group}))
            subject = f"{sides.hypothesis}: {texts[sides.hypothesis]}"
            yield Conflict("hypotheses", subject, positions, "verdicts", 0.1, models)

    def _verdict_sources(self, reading: _Reading, proposals: Sequence[Proposal]) -> tuple[ConflictSource, ...]:
        signs_so_far: set[str] = set()
        sources = []
        for proposal in proposals:
            document = reading.documents[proposal.quote.document]
            signs = {reading.family(document.id), " ".join(proposal.quote.text.casefold().split())}
            grade, day = f"{document.reliability}{document.information}", reading.days.get(document.id, "")
            is_copy = bool(signs & signs_so_far)
            sources.append(ConflictSource(proposal.quote, document.name, "", day, grade, is_copy, proposal.source))
            signs_so_far |= signs
        return tuple(sources)


def _by_page(places: Iterable[tuple[int, int, int]]) -> dict[int, list[tuple[int, int]]]:
    by_page: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for page, start, end in places:
        by_page[page].append((start, end))
    return by_page


def _spans(evidence: Iterable[Evidence]) -> list[tuple[str, int, int, int]]:
    return [
        (row.id, row.page_id, row.start, row.end)
        for row in evidence
        if row.page_id is not None and row.start is not None and row.end is not None
    ]


def _is_doubtful(pair: Difference) -> bool:
    """Return whether a difference may come from a misread scan."""
    return versions.is_misread(pair) if pair.is_alone else pair.kind == "denial"


def _opens(text: str, span: Span) -> bool:
    return not any(c.isalnum() for c in text[: span.start])


def _is_name_elsewhere(statement: Statement, span: Span, counts: Counter[str]) -> bool:
    return all(counts[plain_name(word)] for word in words_of(statement.text[span.start : span.end]))


def _day_of(document: Document, text: str) -> str:
    """Return a document's day: its own date, else the first day that its beginning names, else ''."""
    mention = own_date(document)
    if mention is None:
        mention = next((date for date in dates_of(text[:_HEADED]) if date.precision in ("day", "time")), None)
    return mention.earliest[:10] if mention is not None and mention.earliest[:10] == mention.latest[:10] else ""


def _score(cluster: Cluster, reading: _Reading) -> float:
    """Score a conflict: differences that are alone first, then by number of sources, then by likeness."""
    families = {reading.family(document) for document in cluster.documents}
    is_version = len(families) == 1 and len(cluster.documents) > 1
    tier = 4.0 if is_version else 2.0 if cluster.is_alone else 1.0
    weight = {"quantity": 0.9, "denial": 0.8, "date": 0.7, "time": 0.7, "role": 0.5, "name": 0.3, "place": 0.3}
    common = frozenset.intersection(*(variant.places[0].statement.words for variant in cluster.variants))
    return (
        tier
        + weight.get(cluster.kind, 0.0)
        + 0.1 * min(5, len(families) - 1)
        + 0.5 * cluster.likeness
        + 0.02 * min(20, len(common))
    )


def _speaker_of(document: Document, text: str) -> frozenset[str]:
    """Return the names of who says 'I' in a document whose first page begins with ``text``.

    That is its author, or whose statement it is by its title or by the name in its head.
    """
    title = title_of(document)
    kind = kind_of(title)
    names = names_in(f"by {author_of(document)}")
    if names or kind is None or not kind.is_record:
        return names
    head = _WITNESS.search(text[:_HEADED])
    return names_in(f"by {head[1] if head else title}")


def _is_distinct(left: Statement, right: Statement, likeness: float, rarity: pairs.Rarity) -> bool:
    """Return whether two statements of one matter are surely about one thing.

    They share more than chance would let them; less of it is enough where one says nothing but what the other says with
    another figure, or denies all that the other says.
    """
    surprise = rarity.surprise(left, right)
    if surprise >= DISTINCT or surprise < _NEARLY_DISTINCT:
        return surprise >= DISTINCT
    return likeness > 0.99 or differ_in_figure_alone(left, right) or denies(left, right, surely=True)


def _contradict(pair: Difference, forward: Probabilities, backward: Probabilities, threshold: float) -> bool:
    """Return whether the judge's answers in both directions bear a difference out.

    Where figures, times or days differ in statements that are surely about one thing, it is enough that the judge does
    not take each for support of the other.
    """
    highest = max(forward.contradicts, backward.contradicts)
    if not pair.is_distinct:
        return highest >= threshold
    if pair.kind in _FACTS:
        return any(answer.contradicts > answer.supports for answer in (forward, backward))
    balance = forward.contradicts + backward.contradicts - forward.supports - backward.supports
    return balance > 0 and highest >= min(threshold, _LEANING)


def _position_text(cluster: Cluster, variant: Variant) -> str:
    place = variant.places[0]
    if cluster.kind == "denial" or place.span.start == place.span.end:
        return place.statement.line
    text, start, end = place.statement.text, place.span.start, place.span.end
    if cluster.kind == "quantity":
        figure = next((row for row in quantities_of(text) if row.start < end and row.end > start), None)
        head = re.match(r"[\s-]?(?:%|[a-z]+)", text[end:]) if figure and figure.heads else None
        is_counted = head is not None and figure is not None and _begins(head.group(), figure.heads[0])
        end += len(head.group()) if head is not None and is_counted else 0
    elif cluster.kind in ("name", "place", "role"):
        preceding = re.search(r"(?:\b[A-Z][\w.’'-]*\s)+$", text[:start])
        start = preceding.start() if preceding is not None else start
    return " ".join(text[start:end].split())


def _begins(word: str, head: str) -> bool:
    """Return whether a word is the unit that was read."""
    return word.strip(" -")[:3] == head[:3]


def _subject(cluster: Cluster) -> str:
    """Return the sentence of the first position with a blank in place of the part that differs."""
    variant = next((variant for variant in cluster.variants if variant.value == "yes"), cluster.variants[0])
    place = variant.places[0]
    if place.span.start == place.span.end:
        line = place.statement.line
        return line if len(line) <= _SUBJECT else f"{line[:_SUBJECT].rsplit(' ', 1)[0]} …"
    prefix = " ".join(place.statement.text[: place.span.start].split())
    suffix = " ".join(place.statement.text[place.span.end :].split())
    half = max(30, _SUBJECT - min(len(suffix), _SUBJECT // 2))
    if len(prefix) > half:
        prefix = "… " + prefix[-half:].split(" ", 1)[-1]
    room = max(20, _SUBJECT - len(prefix))
    if len(suffix) > room:
        suffix = suffix[:room].rsplit(" ", 1)[0] + " …"
    gap = "" if suffix[:1] in ".,;:%)" else " "
    return f"{prefix} ___{gap}{suffix}".strip()


def _key(conflict: Conflict) -> str:
    """Return the key that identifies a conflict in later runs: its kind and its first two positions."""
    if conflict.kind == "hypotheses":
        return conflict.subject
    lines = sorted(f"{row.text}\n{' '.join(row.sources[0].quote.text.split())}" for row in conflict.positions[:2])
    return f"{conflict.kind} {digest(chr(10).join(lines))[:32]}"


def _more_lines(surplus: Counter[tuple[str, str]], documents: Mapping[str, Document]) -> list[str]:
    return [
        f"{first} and {second} contradict each other in {count:,} more places."
        if first != second
        else f"{first} contradicts itself in {count:,} more places."
        for (first, second), count in sorted(surplus.items(), key=lambda item: (-item[1], item[0]))
    ]
