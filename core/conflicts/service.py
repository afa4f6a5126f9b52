"""The conflicts of a case: found, kept, laid side by side, resolved by a person."""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.conflicts import denials, features, gates, hypotheses, merging, pairs, versions
from core.conflicts import scorer as scorers
from core.conflicts.differences import ALIKE, Difference, differences
from core.conflicts.merging import Cluster, Place, Stand
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
    dates_of,
    forget,
    name_words,
    plain_name,
    quantities_of,
    statements_in,
    words_of,
)
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
CONTRADICTS = 0.75  # probability from which the judge's word counts, where the exam says nothing of its own
_OTHER_WAY = 0.2  # and the least that it says the other way round
_SCAN = 0.03  # share of a document's sentences that do not read as such from which it counts as a scan
_SCANS = 0.33  # share of scans among the documents from which those with any such sentence count as scans too
_KNOWN = 2  # statements that a name has to stand in before one of its letters makes it another name in a scan
_SUBJECT = 110  # characters
_HEADED = 600  # characters at the beginning of a document in which its date and version stand
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
class _Judged:
    """Pairs that the judge agrees on, how many it read, and what is to be said about that."""

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

    # --- what the case keeps -----------------------------------------------------------------------------------------

    def all(self) -> list[ConflictRecord]:
        """List the conflicts that the case keeps, the most diagnostic first. What no longer stands is left out."""
        spans = _spans(self._store.evidence.all())
        records = [self._record(result, spans) for result in self._store.results.all("conflict")]
        return sorted(
            (record for record in records if len(record.conflict.positions) > 1),
            key=lambda one: (-one.conflict.score - 0.5 * bool(one.evidence), int(one.id[1:])),
        )

    def get(self, conflict: str) -> ConflictRecord:
        """Return one conflict. Raises NoSuchItem."""
        return self._record(self._store.results.get("conflict", conflict), _spans(self._store.evidence.all()))

    def resolve(self, conflict: str, status: Status, *, position: int = 0, note: str = "") -> Changes:
        """Decide on a conflict: one position 'held' (which, from 1), 'both' hold of different things, or 'open' again.

        Raises NoSuchItem; BadInput for another status, or a position that is not there.
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
        numbers = [number for number, _ in self._standing(self._store.results.get("conflict", conflict))]
        item = f"position {numbers[position - 1]}" if status == "held" else ""
        former = [one.item for one in self._store.results.get("conflict", conflict).resolutions if one.item != item]
        self._store.results.resolve("conflict", conflict, status, item=item, note=note, instead=former)
        return Changes(results=True, matrix=True)

    def open_at(self, places: Iterable[tuple[int, int, int]]) -> list[str]:
        """List the conflicts that nobody has resolved and that touch a stretch (page id, start, end)."""
        by_page = _by_page(places)
        return [
            conflict
            for conflict, value in self._store.results.undecided("conflict")
            if self._touches(conflict, value, by_page)
        ]

    def touching(self, places: Iterable[tuple[int, int, int]]) -> list[ConflictRecord]:
        """List the conflicts of documents, resolved or not, that touch a stretch (page id, start, end)."""
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
        """Map rows of the matrix to the conflicts that touch their quotes and that nobody has resolved."""
        conflicts = [
            (conflict, self._places_of(conflict, value))
            for conflict, value in self._store.results.undecided("conflict")
        ]
        rows: dict[str, tuple[str, ...]] = {}
        for row, page, start, end in _spans(evidence) if conflicts else ():
            ids = [each for each, places in conflicts if any(p == page and start < e and end > s for p, s, e in places)]
            if ids:
                rows[row] = tuple(ids)
        return rows

    def _places_of(self, conflict: str, value: str) -> tuple[tuple[int, int, int], ...]:
        """Return where the quotes of a conflict stand, read once as long as it is what it is."""
        before = self._places.get(conflict)
        if before is None or before[0] != value:
            one = decode(Conflict, conflict, value)
            # That evidence speaks for and against a hypothesis is what the matrix shows as it is.
            positions = () if one.kind == "hypotheses" else one.positions
            quotes_of = [source.quote for position in positions for source in position.sources]
            before = self._places[conflict] = value, tuple((each.page_id, each.start, each.end) for each in quotes_of)
        return before[1]

    def _record(self, result: StoredResult, spans: Sequence[tuple[str, int, int, int]]) -> ConflictRecord:
        standing = self._standing(result)
        positions = tuple(position for _, position in standing)
        conflict = replace(result.decode(Conflict), positions=positions)
        places = {
            (source.quote.page_id, source.quote.start, source.quote.end)
            for position in positions
            for source in position.sources
        }
        rows = tuple(
            row for row, page, start, end in spans if any(page == p and start < e and end > s for p, s, e in places)
        )
        decision = max(result.resolutions, key=lambda one: (one.at, one.item), default=None)
        position_now = ""
        if decision is not None and decision.status == "held":
            numbers = (str(at) for at, (number, _) in enumerate(standing, 1) if decision.item == f"position {number}")
            position_now = next(numbers, "")
        # The decision for a position that no longer stands decides nothing.
        if decision is None or decision.status not in STATUSES or (decision.status == "held" and not position_now):
            return ConflictRecord(result.id, conflict, is_stale=result.is_stale, evidence=rows)
        return ConflictRecord(
            result.id,
            conflict,
            status=decision.status,
            position=int(position_now or 0),
            note=decision.note,
            by=decision.by,
            at=decision.at,
            is_stale=result.is_stale,
            evidence=rows,
        )

    def _standing(self, result: StoredResult) -> list[tuple[int, Position]]:
        """List the kept positions that sources still take, in their words, each with its number."""
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

    # --- finding -----------------------------------------------------------------------------------------------------

    def find(self, progress: Progress | None = None, *, again: bool = False) -> ConflictsReport:
        """Find the conflicts in the documents in scope, and keep them in the case where it can be written.

        Those that the case keeps stand where the documents have not changed since; ``again`` works them out anew. A
        decision stays with its conflict. What the judge said is kept pair by pair, so that a run that was cancelled
        goes on where it stopped.
        """
        began, progress = time.monotonic(), progress or silent()
        try:
            return self._find(began, progress, again=again)
        finally:
            forget()

    def _find(self, began: float, progress: Progress, *, again: bool) -> ConflictsReport:
        present = self._store.results.all("conflict")
        if present and not again and not any(result.is_stale for result in present):
            return ConflictsReport(tuple(self.all()), seconds=round(time.monotonic() - began, 4))
        digest = self._store.scope.digest()
        reading = self._read(progress)
        rarity = pairs.Rarity(reading.statements)
        alone, alike, count = self._compare(reading, rarity, progress)
        alone += self._denials(reading, rarity)
        answers = self._ask(reading, alike, progress)
        weighed = self._weigh(reading, rarity, progress)
        clusters = self._clusters(reading, [*alone, *answers.pairs, *weighed.pairs])
        clusters, more = merging.cap(clusters)
        model = weighed.model or answers.model
        conflicts = [self._conflict(reading, cluster, model) for cluster in clusters]
        conflicts += self._by_hypothesis(reading)
        subjects = [(_key(conflict), conflict) for conflict in conflicts]
        progress.check()
        notes = (*answers.notes, *weighed.notes, *_more_lines(more, reading.documents))
        if self._store.read_only:
            records = tuple(ConflictRecord("", conflict) for conflict in conflicts)
        else:
            keys = {key for key, _ in subjects}
            obsolete = [result.id for result in present if result.subject not in keys and not result.resolutions]
            self._store.results.keep("conflict", subjects, digest=digest, obsolete=obsolete)
            records = tuple(self.all())
        return ConflictsReport(
            records,
            statements=len(reading.statements),
            pairs=count,
            pairs_judged=answers.count + weighed.count,
            seconds=round(time.monotonic() - began, 4),
            notes=notes,
        )

    def _read(self, progress: Progress) -> _Reading:
        documents = {one.id: one for one in self._store.documents.all() if one.included and one.pages}
        relations = [(like.document, like.of) for like in self._store.documents.likenesses().values()]
        relations += [(one.id, one.superseded_by) for one in documents.values() if one.superseded_by]
        reading = _Reading(documents, merging.families_of(relations))
        statements: list[Statement] = []
        doubtful: set[str] = set()
        for position, document in enumerate(documents.values()):
            progress.step(position, len(documents), f"Reading {document.name}")
            mine = list(statements_in(self._contents(document, reading), first=0))
            unread = sum(not gates.is_readable(one.text) for one in mine)
            if unread:
                doubtful.add(document.id)
            if unread > max(2, _SCAN * len(mine)):
                reading.scans.add(document.id)
            statements += [one for one in mine if gates.is_prose(one.text) and gates.is_readable(one.text)]
        if len(reading.scans) > _SCANS * len(documents):
            reading.scans |= doubtful
        shapes = gates.furniture(statements, reading.families)
        rest = [one for one in statements if gates.shape_of(one.text) not in shapes]
        reading.statements = [replace(one, number=number) for number, one in enumerate(rest)]
        return reading

    def _contents(self, document: Document, reading: _Reading) -> Iterator[PageContent]:
        for page in self._store.pages.of(document.id):
            text = without_hidden(page.text, page.hidden_spans)
            if document.id not in reading.days:
                reading.days[document.id] = _day_of(document, text)
                if _CORRECTED.search(text[:_HEADED]):
                    reading.corrections.add(document.id)
            if page.source in ("ocr", "layer"):
                reading.scans.add(document.id)
            yield PageContent(document.id, page.id, page.number, text, reading.days[document.id])

    def _compare(
        self, reading: _Reading, rarity: pairs.Rarity, progress: Progress
    ) -> tuple[list[Difference], list[Difference], int]:
        """Return what contradicts by itself, what is only alike, and how many pairs were looked at."""
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
            for each in versions.compare(by_document[head], by_document[document], rarity, is_scan=is_scan):
                rows.setdefault((each.kind, each.one.number, each.other.number), each)
        total = len(reading.statements)
        for one, other in pairs.candidates(reading.statements, rarity):
            count += 1
            if count % 500 == 0:
                progress.step(other.number, total, "Comparing statements")
            likeness = rarity.likeness(one, other)
            if likeness < ALIKE:
                continue
            is_scan = one.document in reading.scans or other.document in reading.scans
            for each in differences(one, other, likeness):
                if not (is_scan and _is_doubtful(each)):
                    rows.setdefault((each.kind, each.one.number, each.other.number), each)
        same, counts = self._same_names(), name_words(reading.statements)
        rest = [
            each for each in rows.values() if not same(each) and not self._is_unknown_name(each, reading.scans, counts)
        ]
        return [one for one in rest if one.is_alone], [one for one in rest if not one.is_alone], count

    def _is_unknown_name(self, pair: Difference, scans: Collection[str], counts: Counter[str]) -> bool:
        """Return whether a pair rests on a name that stands nowhere else: in a scan, or as the first of a sentence."""
        if pair.kind not in ("name", "place", "role"):
            return False
        spans = (pair.one, pair.one_span), (pair.other, pair.other_span)
        if any(_opens(one.text, span) and not _is_name_elsewhere(one, span, counts) for one, span in spans):
            return True
        sides = zip((pair.one, pair.other), pair.values, strict=True)
        return any(
            statement.document in scans and any(counts[plain_name(word)] < _KNOWN for word in words_of(value))
            for statement, value in sides
        )

    def _same_names(self) -> Callable[[Difference], bool]:
        """Make a function that tells whether a pair only names one thing by two of its names."""
        names = {
            name.casefold(): entity.id
            for entity in self._store.entities.all("confirmed")
            for name in (entity.name, *entity.aliases)
        }

        def same(pair: Difference) -> bool:
            entities = [names.get(value) for value in pair.values]
            return pair.kind in ("name", "place", "role") and entities[0] is not None and entities[0] == entities[1]

        return same

    # --- the judge ---------------------------------------------------------------------------------------------------

    def _denials(self, reading: _Reading, rarity: pairs.Rarity) -> list[Difference]:
        """Set against each denial of the sentence before it what says that it is so."""
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

    def _ask(self, reading: _Reading, alike: Sequence[Difference], progress: Progress) -> _Judged:
        """Ask the judge about pairs that rules alone do not settle, the likeliest first, within the budget."""
        waiting = len(alike)
        if not waiting:
            return _Judged()
        try:
            judge = exam_results.require_judge(self._open.engines, progress)
            model = judge.fingerprint
            self._verdicts.record_exam(model)
        except AppError as error:
            return _Judged(notes=(f"{waiting:,} pairs of statements were not judged: {error.sentence}",))
        budget = max(_FEWEST_JUDGED, JUDGED * len(reading.documents) // 1_000)
        threshold = next(
            (one.threshold for one in self._verdicts.show_thresholds(model)
             if one.label == "contradicts" and one.threshold is not None), CONTRADICTS,
        )  # fmt: skip
        pairs_there: list[Difference] = []
        count = 0
        trouble = ""
        try:
            for pair in sorted(alike, key=lambda one: (-round(one.likeness, 6), one.one.number, one.other.number)):
                if count >= budget:
                    break
                progress.step(count, min(budget, waiting), "Asking the judge")
                count += 1
                there = self._probabilities(judge, model, pair.one.line, pair.other.line, progress)
                if there is None or there.contradicts < _OTHER_WAY:
                    continue
                back = self._probabilities(judge, model, pair.other.line, pair.one.line, progress)
                if back is None or back.contradicts < _OTHER_WAY:
                    continue
                if max(there.contradicts, back.contradicts) >= threshold:
                    pairs_there.append(pair)
        except AppError as error:  # what rules found stands without the judge
            trouble, count = error.sentence, count - 1
        left = waiting - count
        notes = (
            (f"{left:,} more pairs of statements are alike and were not judged. {trouble}".strip(),) if left > 0 else ()
        )
        return _Judged(tuple(pairs_there), count, notes, model)

    def _weigh(self, reading: _Reading, rarity: pairs.Rarity, progress: Progress) -> _Judged:
        """Weigh statements about one thing in whatever words, by rules and by what a judge says in both directions.

        Only with a judge whose word on such pairs was measured (core.conflicts.scorer): without one, pairs that share
        their rare words are as often noise as not.
        """
        if not scorers.judges():
            return _Judged()
        try:
            judge = exam_results.require_judge(self._open.engines, progress)
            model = judge.fingerprint
        except AppError:  # said already where the judge is asked
            return _Judged()
        scorer = scorers.scorer_of(model)
        if scorer is None:
            return _Judged()
        rows: list[tuple[Statement, Statement, dict[str, float]]] = []
        budget = max(_FEWEST_READ, JUDGED * len(reading.documents) // 1_000)
        for one, other in pairs.related(reading.statements, rarity):
            progress.check()
            if len(rows) == budget:
                break
            if reading.family(one.document) == reading.family(other.document):
                continue
            values = features.features(one, other, rarity)
            if features.is_candidate(one, other, values):
                rows.append((one, other, values))
        contradictions = []
        count = 0
        try:
            for one, other, values in rows:
                progress.step(count, len(rows), "Asking the judge")
                count += 1
                answers = [
                    self._probabilities(judge, model, left.line, right.line, progress)
                    for left, right in ((one, other), (other, one))
                ]
                judged = tuple(answer.contradicts for answer in answers if answer is not None)
                if len(judged) < len(answers):
                    continue
                if scorer.probability(values | features.of_judge(*judged)) >= scorer.threshold:
                    contradictions.append(features.as_difference(one, other, values["likeness"]))
        except AppError as error:  # what was found stands
            note = f"{len(rows) - count + 1:,} pairs of statements were not judged. {error.sentence}"
            return _Judged(tuple(contradictions), count - 1, (note,), model)
        return _Judged(tuple(contradictions), count, (), model)

    def _probabilities(
        self, judge: Judge, model: str, passage: str, hypothesis: str, progress: Progress
    ) -> Probabilities | None:
        """Take an answer from the cache of the case, else from the judge; None where the judge cannot take the pair."""
        key = digest(passage), digest(hypothesis)
        answer = self._store.verdicts.get(model, [key]).get(key)
        if answer is not None:
            return answer
        try:
            with progress.asking():
                answer = judge.judge(passage, [hypothesis])[0]
        except BadInput:
            return None
        if judge.fingerprint != model:  # its process was started anew, on another file of the same name
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
        return sorted(clusters, key=lambda one: (-_score(one, reading), one.stands[0].places[0].statement.number))

    def _conflict(self, reading: _Reading, cluster: Cluster, model: str) -> Conflict:
        notes = self._notes(reading, cluster)
        positions = tuple(
            Position(_position_text(cluster, stand), self._sources(reading, stand), note)
            for stand, note in zip(cluster.stands, notes, strict=True)
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

    def _sources(self, reading: _Reading, stand: Stand) -> tuple[ConflictSource, ...]:
        copies = merging.independent(stand.places, reading.families)
        return tuple(self._source(reading, place, is_copy) for place, is_copy in zip(stand.places, copies, strict=True))

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
            " ".join(statement.before.split()),
        )

    def _page(self, reading: _Reading, page_id: int) -> Page:
        if page_id not in reading.pages:
            reading.pages[page_id] = self._store.pages.by_id(page_id)
        return reading.pages[page_id]

    def _notes(self, reading: _Reading, cluster: Cluster) -> list[str]:
        """Say of each position what speaks for its having been replaced: a newer version, a correction."""
        notes = []
        for stand in cluster.stands:
            rest = [place for other in cluster.stands if other is not stand for place in other.places]
            parts = self._newer(reading, stand.places, rest), self._slip(reading, stand, cluster)
            notes.append(" ".join(part for part in parts if part))
        return notes

    def _newer(self, reading: _Reading, mine: Sequence[Place], rest: Sequence[Place]) -> str:
        for place in mine:
            one = reading.documents[place.statement.document]
            for other_place in rest:
                other = reading.documents[other_place.statement.document]
                if one.superseded_by == other.id:
                    return f"{other.name} is a newer version of {one.name}."
                if one.id == other.id or reading.family(one.id) != reading.family(other.id):
                    continue
                if other.id in reading.corrections and one.id not in reading.corrections:
                    return f"{other.name} is a corrected version of {one.name}."
                days = reading.days.get(one.id, ""), reading.days.get(other.id, "")
                if all(days) and days[0] < days[1] and other.id not in (one.superseded_by, ""):
                    return f"{other.name} is a later version of {one.name}."
        return ""

    def _slip(self, reading: _Reading, stand: Stand, cluster: Cluster) -> str:
        """Find a sentence beside one of the places that calls the figure or name a slip, and names the other."""
        words = [place.words for other in cluster.stands if other is not stand for place in other.places if place.words]
        for place in stand.places:
            page = self._page(reading, place.statement.page_id)
            around = page.text[place.statement.end : place.statement.end + 300]
            nearby = " ".join(around.split())
            match = _SLIP.search(nearby)
            if match and any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", nearby) for word in words):
                return f"{reading.documents[place.statement.document].name} calls it a mistake."
        return ""

    def _by_hypothesis(self, reading: _Reading) -> Iterator[Conflict]:
        texts = {hypothesis.id: hypothesis.text for hypothesis in self._store.hypotheses.all()}
        proposals = [one for one in self._verdicts.proposals() if one.quote.document in reading.documents]
        for sides in hypotheses.disagreeing(proposals, reading.families):
            if sides.hypothesis not in texts:
                continue
            of = sides.hypothesis
            rows = ((f"Speaks for {of}", sides.supporting), (f"Speaks against {of}", sides.contradicting))
            positions = tuple(Position(words, self._verdict_sources(reading, ones)) for words, ones in rows)
            models = tuple(sorted({one.verdict.model for _, ones in rows for one in ones}))
            subject = f"{sides.hypothesis}: {texts[sides.hypothesis]}"
            yield Conflict("hypotheses", subject, positions, "verdicts", 0.1, models)

    def _verdict_sources(self, reading: _Reading, proposals: Sequence[Proposal]) -> tuple[ConflictSource, ...]:
        earlier: set[str] = set()
        sources = []
        for one in proposals:
            document = reading.documents[one.quote.document]
            signs = {reading.family(document.id), " ".join(one.quote.text.casefold().split())}
            grade, day = f"{document.reliability}{document.information}", reading.days.get(document.id, "")
            is_copy = bool(signs & earlier)
            sources.append(ConflictSource(one.quote, document.name, "", day, grade, is_copy, one.source))
            earlier |= signs
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
    """Return whether what two statements say differently may be no more than a reading of a scan."""
    return versions.is_misread(pair) if pair.is_alone else pair.kind == "denial"


def _opens(text: str, span: Span) -> bool:
    return not any(c.isalnum() for c in text[: span.start])


def _is_name_elsewhere(statement: Statement, span: Span, counts: Counter[str]) -> bool:
    return all(counts[plain_name(word)] for word in words_of(statement.text[span.start : span.end]))


def _day_of(document: Document, text: str) -> str:
    """Return the day a document is of: its own date, else the first day that its beginning names; '' for none."""
    mention = own_date(document)
    if mention is None:
        mention = next((one for one in dates_of(text[:_HEADED]) if one.precision in ("day", "time")), None)
    return mention.earliest[:10] if mention is not None and mention.earliest[:10] == mention.latest[:10] else ""


def _score(cluster: Cluster, reading: _Reading) -> float:
    """Say how telling a conflict is: what rules alone settle first, then by how many sources, then by likeness."""
    families = {reading.family(document) for document in cluster.documents}
    is_version = len(families) == 1 and len(cluster.documents) > 1
    tier = 4.0 if is_version else 2.0 if cluster.is_alone else 1.0
    weight = {"quantity": 0.9, "denial": 0.8, "date": 0.7, "time": 0.7, "role": 0.5, "name": 0.3, "place": 0.3}
    common = frozenset.intersection(*(stand.places[0].statement.words for stand in cluster.stands))
    return (
        tier
        + weight.get(cluster.kind, 0.0)
        + 0.1 * min(5, len(families) - 1)
        + 0.5 * cluster.likeness
        + 0.02 * min(20, len(common))
    )


def _position_text(cluster: Cluster, stand: Stand) -> str:
    place = stand.places[0]
    if cluster.kind == "denial" or place.span.start == place.span.end:
        return place.statement.line
    text, start, end = place.statement.text, place.span.start, place.span.end
    if cluster.kind == "quantity":
        figure = next((one for one in quantities_of(text) if one.start < end and one.end > start), None)
        head = re.match(r"[\s-]?(?:%|[a-z]+)", text[end:]) if figure and figure.heads else None
        is_counted = head is not None and figure is not None and _begins(head.group(), figure.heads[0])
        end += len(head.group()) if head is not None and is_counted else 0
    elif cluster.kind in ("name", "place", "role"):
        before = re.search(r"(?:\b[A-Z][\w.’'-]*\s)+$", text[:start])
        start = before.start() if before is not None else start
    return " ".join(text[start:end].split())


def _begins(word: str, head: str) -> bool:
    """Return whether a word is the one that was read as what is counted."""
    return word.strip(" -")[:3] == head[:3]


def _subject(cluster: Cluster) -> str:
    """Return the sentence of the first position with a blank where the positions differ."""
    stand = next((one for one in cluster.stands if one.value == "yes"), cluster.stands[0])
    place = stand.places[0]
    if place.span.start == place.span.end:
        line = place.statement.line
        return line if len(line) <= _SUBJECT else f"{line[:_SUBJECT].rsplit(' ', 1)[0]} …"
    before = " ".join(place.statement.text[: place.span.start].split())
    after = " ".join(place.statement.text[place.span.end :].split())
    half = max(30, _SUBJECT - min(len(after), _SUBJECT // 2))
    if len(before) > half:
        before = "… " + before[-half:].split(" ", 1)[-1]
    room = max(20, _SUBJECT - len(before))
    if len(after) > room:
        after = after[:room].rsplit(" ", 1)[0] + " …"
    gap = "" if after[:1] in ".,;:%)" else " "
    return f"{before} ___{gap}{after}".strip()


def _key(conflict: Conflict) -> str:
    """Return what a conflict is known by when it is found again: its kind and its first two positions."""
    if conflict.kind == "hypotheses":
        return conflict.subject
    lines = sorted(f"{one.text}\n{' '.join(one.sources[0].quote.text.split())}" for one in conflict.positions[:2])
    return f"{conflict.kind} {digest(chr(10).join(lines))[:32]}"


def _more_lines(more: Counter[tuple[str, str]], documents: Mapping[str, Document]) -> list[str]:
    return [
        f"{one} and {other} contradict each other in {count:,} more places."
        if one != other
        else f"{one} contradicts itself in {count:,} more places."
        for (one, other), count in sorted(more.items(), key=lambda item: (-item[1], item[0]))
    ]
