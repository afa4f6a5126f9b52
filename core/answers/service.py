"""Questions to the documents: searches, the sentences that answer, and reasons for no answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.answers import (
    answer_model,
    answerability,
    evidence,
    features,
    judgement,
    replies,
    sentences,
    short_answers,
    table_rows,
    wording,
)
from core.answers import points as grouping
from core.answers.answerability import Signs
from core.answers.features import Context
from core.answers.question import EXPECTED, Question, parts, understand
from core.answers.results import (
    NOT_SETTLED,
    Answer,
    AnswerPoint,
    AnswerRecord,
    Confidence,
    Reason,
    Source,
    Step,
    WordedSentence,
)
from core.answers.sentences import RankedSentence, Rarity, SearchedPassage, Sentence
from core.audit.alignment import is_unreal
from core.domain import Changes, Passage, Quote, ShowMode, Verdict
from core.errors import AppError, BadInput
from core.evidence import quotes
from core.language import row_headings
from core.language.identification import ENGLISH, language_of, name_of
from core.language.questions import is_read, language_of_question
from core.plans.queries import names_in
from core.progress import Progress, silent
from core.stats import Fit
from core.text import CELL_BORDER, counted, without_hidden
from core.text import sentences as split
from core.verdicts import exam_results, prompt_injection
from core.verdicts import labels as classify

if TYPE_CHECKING:
    from core.conflicts.service import Conflicts
    from core.open_case import OpenCase
    from core.ports import Judge
    from core.search.embedding_index import EmbeddingIndex
    from core.search.service import Search
    from core.store.results import StoredResult

LONGEST_QUESTION = 2_000  # characters
MOST_PARTS = 6
PASSAGES = 30
_MORE_PASSAGES = 10  # of each further search
_NO_SOURCE = 0.12  # below this chance nothing is about the question
_LOW = 0.2  # from this chance on every point is shown as doubtful, below it only the nearest sentences
_NEAREST = 3
_NEAR = 0.25  # share of the question's words that a nearest sentence and its previous one must have
_CLEAR_SCAN = 0.8  # mean confidence of a scanned page from which its words are trusted
_MOST_OF_A_DOCUMENT = 2_000_000  # characters that names are looked for in
_ABOUT = 0.5  # share of the question's words that a denial and its previous sentence must have to be shown
_NAMED = 0.65  # chance that a row answers whose keys a question names
_JUDGED = 12  # sentences that the judge reads for a question of yes or no


@dataclass(slots=True)
class _Search:
    """The state of the search for one part of a question."""

    passages: dict[int, Passage] = field(default_factory=dict)  # with the text that is read
    readings: dict[int, row_headings.Reading] = field(default_factory=dict)
    copies: dict[int, tuple[Passage, ...]] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  # of documents


@dataclass(frozen=True, slots=True)
class _Reading:
    """The ranked sentences of some passages, and the chance that the first answers the question."""

    question: Question
    passages: tuple[Passage, ...]
    ranking: list[RankedSentence]
    chance: float
    signs: Signs | None
    about: float = 0.0  # how likely, by the signs alone, anything is about the question
    absent: tuple[str, ...] = ()
    fit: Fit = answerability.WORDS_ALONE
    order: judgement.Order | None = None  # the order of the answer model; None if only words were compared
    dispute: tuple[int, int] | None = None  # positions in ``ranking`` of two that give different answers
    denials: tuple[RankedSentence, ...] = ()  # sentences that only say who did not do it

    def is_one_table(self, left: int, right: int) -> bool:
        """Return whether two sentences are rows of one table, which tell of two things and are no dispute."""
        pair = [self.ranking[index].sentence for index in (left, right)]
        documents = {self.passages[sentence.passage].document for sentence in pair}
        return len(documents) == 1 and all(CELL_BORDER in sentence.text for sentence in pair)


class Answers:
    """Answers to questions."""

    def __init__(self, case: OpenCase, index: EmbeddingIndex, search: Search, conflicts: Conflicts) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._search = search
        self._conflicts = conflicts

    def ask(
        self,
        text: str,
        *,
        mode: ShowMode = "exploratory",
        keep: bool = False,
        worded: bool = False,
        progress: Progress | None = None,
    ) -> AnswerRecord:
        """Answer a question from the documents or return the reason for no answer, and store it if ``keep`` is set.

        With ``worded`` a text model restates the points as far as they support it. The id of an answer that is
        not stored is ''. Raises BadInput for an empty or too long question.
        """
        start, progress = time.monotonic(), progress or silent()
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if not any(c.isalnum() for c in line):
            raise BadInput(reason="The question is empty.", remedy="Write what you want to know, in a sentence.")
        if len(line) > LONGEST_QUESTION:
            raise BadInput(
                reason=f"The question has {len(line):,} characters.",
                remedy=f"Ask in at most {LONGEST_QUESTION:,}, or search with its words.",
            )
        digest = self._store.scope.digest()
        pieces = parts(line)[:MOST_PARTS]
        answers = [self._answer(piece, mode, progress) for piece in pieces]
        combined = answers[0] if len(answers) == 1 else _joined(pieces, answers)
        if worded and combined.is_answered:
            combined = self._worded(line, combined, progress)
        answer = replace(
            combined,
            question=line,
            steps=(*combined.steps, Step(f"Searched {self._extent()}.", len(combined.points))),
            models=self._models(),
            seconds=round(time.monotonic() - start, 4),
        )
        if not keep or self._store.read_only:
            return AnswerRecord("", answer, self._store.who, "", conflicts=self._touching(answer))
        progress.check()
        identity = self._store.results.keep("answer", [(line, answer)], digest=digest)[0]
        return self._record(self._store.results.get("answer", identity))

    def _worded(self, question: str, answer: Answer, progress: Progress) -> Answer:
        """Have an answer worded by a model, and keep the sentences that rules and the judge find supported."""
        model = self._open.engines.text_model
        if model is None:
            return _unworded(answer, "no model is set to write drafts. Give one that role on the Models screen.")
        if self._open.engines.judge is None:
            return _unworded(answer, "there is no judging model to check the words against the sources.")
        statements = [point.text for point in answer.points]
        progress.step(0, 1, "Wording the answer")
        progress.check()
        try:
            judge = exam_results.require_judge(self._open.engines, progress)
            with progress.asking():
                reply = model.write(wording.ORDER, wording.material(question, statements), most=wording.LONGEST)
            candidates = wording.parse(reply)
            borne_out: list[WordedSentence] = []
            is_cut = False  # the sentence before was taken out
            for number, candidate in enumerate(candidates):
                progress.step(number, len(candidates), "Checking the words against the sources")
                is_cut = (is_cut and wording.leans(candidate.text)) or not (
                    wording.is_supported(candidate, statements) and _is_supported(judge, candidate, statements)
                )
                if not is_cut:
                    borne_out.append(WordedSentence(candidate.text, candidate.citations))
        except AppError as error:
            return _unworded(answer, f"a model could not be asked. {error.sentence}")
        removed = len(candidates) - len(borne_out)
        step = Step(f"Worded by a model; sentences removed: {removed}, left:", len(borne_out))
        answer = replace(answer, removed=removed, steps=(*answer.steps, step))
        if not borne_out:
            return _unworded(answer, "the sources support nothing that the model wrote.")
        name = model.fingerprint.partition(" sha256:")[0]
        return replace(answer, wording=tuple(borne_out), worded_by=name)

    def all(self) -> list[AnswerRecord]:
        """List the answers that the case keeps, in the order in which they were given."""
        return [self._record(result) for result in self._store.results.all("answer")]

    def remove(self, *answers: str) -> Changes:
        """Remove answers from the case. Raises NoSuchItem."""
        self._store.results.remove("answer", *answers)
        return Changes(results=True)

    def choose_for_report(self, *answers: str, is_chosen: bool = True) -> Changes:
        """Choose answers for the report, or leave them out of it. Raises NoSuchItem."""
        for answer in answers:
            self._store.results.resolve("answer", answer, "accepted" if is_chosen else "")
        return Changes(results=True)

    def _record(self, result: StoredResult) -> AnswerRecord:
        whole = result.decode(Answer)
        points, doubtful = (tuple(map(self._current, group)) for group in (whole.points, whole.doubtful))
        valid = tuple(point for point in points if point.sources)
        answer = replace(
            whole,
            is_answered=whole.is_answered and bool(valid),
            points=valid,
            wording=whole.wording if valid == whole.points else (),  # it cites them by number
            doubtful=tuple(point for point in doubtful if point.sources),
        )
        unproven = sum(
            len(stored.sources) - len(current.sources)
            for stored, current in zip((*whole.points, *whole.doubtful), (*points, *doubtful), strict=True)
        )
        conflicts = self._touching(answer)
        in_report = any(resolution.status == "accepted" for resolution in result.resolutions)
        return AnswerRecord(result.id, answer, result.by, result.at, result.is_stale, unproven, conflicts, in_report)

    def _touching(self, answer: Answer) -> tuple[str, ...]:
        """List the unresolved conflicts that overlap the points of an answer."""
        quotes_of = [source.quote for point in answer.points for source in point.sources]
        return tuple(self._conflicts.open_at((quote.page_id, quote.start, quote.end) for quote in quotes_of))

    def _current(self, point: AnswerPoint) -> AnswerPoint:
        """Return a stored point with its current sources; none if its words are not a source's."""
        sources = self._store.quotes.current(point.sources)
        if not any(" ".join(source.quote.text.split()) == " ".join(point.text.split()) for source in sources):
            sources = ()
        sources = tuple(replace(source, marks=self._marks(source.quote)) for source in sources)
        is_short = point.short in ("yes", "no") or point.short in point.text
        return replace(point, sources=sources, short=point.short if is_short else "")

    def _marks(self, quote: Quote) -> tuple[str, ...]:
        return quotes.marks_of(self._store.pages.by_id(quote.page_id), quote.start, quote.end)

    def _answer(self, text: str, mode: ShowMode, progress: Progress) -> Answer:
        question, search = understand(text), _Search()
        self._look(question, [("the question", text)], search, progress, first=True)
        reading = self._read(question, search, progress)
        if reading.chance < _threshold(mode):
            queries = self._other_ways(question)
            if queries:
                self._look(question, queries, search, progress)
                second = self._read(question, search, progress)
                search.steps.append(Step("Sentences read again with those passages:", len(second.ranking)))
                reading = max(second, reading, key=lambda row: row.chance)
        answer = self._made(reading, search, mode, progress)
        return replace(answer, steps=tuple(search.steps))

    def _look(
        self,
        question: Question,
        queries: Sequence[tuple[str, str]],
        search: _Search,
        progress: Progress,
        *,
        first: bool = False,
    ) -> None:
        """Run queries, and add their passages to the search."""
        for number, (name, query) in enumerate(queries):
            progress.step(number, len(queries), f"Searching for {name}")
            if not any(c.isalnum() for c in query):
                continue
            result = self._search.passages_for(query, k=PASSAGES if first else _MORE_PASSAGES, per_document=PASSAGES)
            fresh = [passage for passage in result.passages if passage.chunk not in search.passages]
            for passage in fresh:
                reading = self._reading_of(passage)
                search.readings[passage.chunk] = reading
                search.passages[passage.chunk] = replace(passage, text=reading.text)
            search.copies |= {chunk: group for chunk, group in result.copies.items() if chunk not in search.copies}
            search.steps.append(Step(f"Searched for {name}, “{query[:120]}”. New passages:", len(fresh)))

    def _reading_of(self, passage: Passage) -> row_headings.Reading:
        """Return the reading of a passage: rows of a table with their headings."""
        page = self._store.pages.by_id(passage.page_id)
        return row_headings.read(page.text, passage.start, passage.end, page.tables)

    def _other_ways(self, question: Question) -> list[tuple[str, str]]:
        """List rephrasings of a question, each behind its name, for a first search that found too little."""
        ways = []
        if question.statement:
            ways += [("its statement", question.statement), ("its denial", question.denial)]
        ways.append(("its words", " ".join(question.words)))
        for entity in names_in(question.text, self._store.entities.all("confirmed")):
            further_words = [word for word in question.words if word not in entity.name.casefold().split()]
            ways.append((f"the names of {entity.name}", " ".join([entity.name, *entity.aliases, *further_words[:4]])))
        frequency = self._store.words.document_frequency(question.words)
        rare = sorted(
            (word for word in question.words if frequency.get(word, 0)), key=lambda word: (frequency[word], word)
        )
        if len(rare) > 2:
            ways.append(("its rarest words", " ".join(rare[:3])))
        distinct = {query.casefold(): (name, query) for name, query in reversed(ways)}
        return [way for way in ways if distinct.get(way[1].casefold()) == way and way[1] != question.text]

    def _read(self, question: Question, search: _Search, progress: Progress) -> _Reading:
        """Rank the sentences of the passages that were found."""
        progress.step(0, 1, "Comparing sentences with the question")
        passages = tuple(search.passages.values())
        rarity = Rarity(self._store.counts()["chunks"], self._store.words.document_frequency(question.words))
        embedder = self._index.embedder() if self._search.similarity_is_measured() else None
        has_meaning = embedder is not None and all(p.trusted and p.similarity is not None for p in passages)
        named, rows_beside = self._named_rows(question, passages, search)
        candidates = sentences.shortlist(
            question.words,
            [SearchedPassage(p.text, p.similarity if p.trusted else None) for p in passages],
            rarity,
            names=question.names,
            first=named,
        )
        candidates = [row for row in candidates if row.place not in rows_beside]
        count = len(candidates)
        candidates = sentences.without_headings(_without_orders(candidates, passages))
        if len(candidates) < count:
            search.steps.append(Step("Left out sentences that tell a reader what to answer.", count - len(candidates)))
        candidates, denials = self._fitting(question, candidates, passages, search)
        matches = None
        if embedder is not None and has_meaning and candidates:
            matches = embedder.token_matches(question.text, [row.read for row in candidates])
        ranking = sentences.of_named_rows(question.text, sentences.rank(candidates, matches))
        named_rows = sum(row.sentence.has_keys for row in ranking)
        if named_rows:
            search.steps.append(Step("Rows of a table that the question names by its keys:", named_rows))
        search.steps.append(Step("Sentences compared with the question:", len(candidates)))
        if not ranking:
            return _Reading(question, passages, [], 0.0, None, denials=denials)
        document = self._text_of(search, passages[ranking[0].sentence.passage].document)
        signs = answerability.signs(question, ranking, document)
        fit = answerability.WITH_MEANING if matches is not None else answerability.WORDS_ALONE
        chance = fit.probability(signs)
        if matches is None:
            missing = answerability.absent((*question.names, *question.numbers), document, question.text)
            ranking.sort(key=lambda row: not row.sentence.has_keys)
            certainty = _with_rows(chance, named_rows)
            return _Reading(
                *(question, passages, ranking, certainty, signs, chance, tuple(missing), fit),
                denials=denials,
            )
        model = answer_model.load()
        contexts = [self._context(search, passages[row.sentence.passage]) for row in ranking]
        pieces = embedder.pieces(judgement.words_of(question)) if embedder is not None else []
        order = judgement.order(question, rarity, ranking, contexts, model, pieces=pieces)
        verdicts = self._replies(question, order, progress)
        if verdicts is not None:
            search.steps.append(Step("Sentences read for an answer by the statement model:", replies.WINDOWS))
            model = answer_model.load(is_read=True)
            order = judgement.reordered(question, order, verdicts, model)
        certainty = _with_rows(model.answers.probability(judgement.signs(question, order, chance)), named_rows)
        order = judgement.with_rows_first(question, order)
        dispute = judgement.disputed(question, order, chance, model)
        document = order.contexts[0].document
        missing = answerability.absent((*question.names, *question.numbers), document, question.text)
        ranking = order.ranking
        return _Reading(
            *(question, passages, ranking, certainty, signs, chance, tuple(missing), fit, order, dispute, denials)
        )

    def _named_rows(
        self, question: Question, passages: Sequence[Passage], search: _Search
    ) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
        """Return the rows that a question names, and the others of their table, by passage and beginning."""
        if not table_rows.has_keys(question):
            return frozenset(), frozenset()
        rows = []
        for index, passage in enumerate(passages):
            if CELL_BORDER not in passage.text:
                continue
            head = f"{passage.name} {passage.title} {self._text_of(search, passage.document)[: features.HEAD]}"
            for span in split(passage.text):
                line = passage.text[span.start : span.end]
                if CELL_BORDER in line:
                    rows.append(table_rows.Row((index, span.start), passage.document, line, head))
        selection = table_rows.named(question, rows)
        places = frozenset(row.place for row in selection)
        tables = {row.table for row in selection}
        return places, frozenset(row.place for row in rows if row.table in tables) - places

    def _fitting(
        self, question: Question, candidates: Sequence[Sentence], passages: Sequence[Passage], search: _Search
    ) -> tuple[list[Sentence], tuple[RankedSentence, ...]]:
        """Leave out sentences that cannot answer, and return those that deny what is asked for beside the rest."""
        fitting, denials = [], []
        questions = strangers = ignorant = 0
        for row in candidates:
            if evidence.only_asks(row.text):
                questions += 1
            elif evidence.knows_nothing(question, row.text):
                ignorant += 1
            elif evidence.is_of_another_time(question, row.text) or evidence.is_of_another_day(
                question, self._days(row, passages, search), is_entry=not features.days_of(row.text)
            ):
                strangers += 1
            elif evidence.denies_it(question, row.text):
                denials.append(row)
            else:
                fitting.append(row)
        for what, count in (
            ("are questions themselves", questions),
            ("are of another day or time", strangers),
            ("only say that nobody knows", ignorant),
            ("only deny something", len(denials)),
        ):
            if count:
                search.steps.append(Step(f"Left out sentences that {what}.", count))
        return fitting, tuple(RankedSentence(row, 0.0) for row in denials if row.near >= _ABOUT)

    def _days(self, row: Sentence, passages: Sequence[Passage], search: _Search) -> set[str]:
        """Return the days, as MM-DD, that a sentence is about by its own words or by the list that it is in."""
        passage = passages[row.passage]
        span = search.readings[passage.chunk].span(row.span.start, row.span.end)
        page = self._store.pages.by_id(passage.page_id)
        return evidence.days_at(page.text, span.start, span.end) if span else set()

    def _replies(self, question: Question, order: judgement.Order, progress: Progress) -> list[float] | None:
        """Return the reader's figures for each sentence as an answer; None if it is not available."""
        reader = self._open.engines.statements
        if reader is None or language_of_question(question.text) != ENGLISH:
            return None
        progress.step(0, 1, "Reading sentences for an answer")
        try:
            with progress.asking():
                return replies.weigh(reader, question.text, order.ranking, order.contexts)
        except AppError:
            return None  # the other signs decide alone

    def _context(self, search: _Search, passage: Passage) -> Context:
        return Context(passage.text, f"{passage.name} {passage.title}", self._text_of(search, passage.document))

    def _made(self, reading: _Reading, search: _Search, mode: ShowMode, progress: Progress) -> Answer:
        question, line = reading.question, reading.question.text
        reason: Reason = ""
        if not reading.ranking:
            denials = [] if mode == "strict" else self._denials(reading, search)
            reason = "low_confidence" if denials else "no_relevant_source"
            return Answer(line, mode, False, reason, doubtful=tuple(denials), advice=self._advice(reason, reading))
        groups = grouping.points(question, reading.ranking)
        level = _level(reading.chance)
        nearest = reading.ranking[0].sentence.text
        # Words alone, or a question for nothing but a name, make no answer sure.
        is_clear = reading.order is not None and question.asks_more_than_names and judgement.is_clear(reading.order)
        if level == "high" and not (is_clear and _is_plain(question, nearest)):
            level = "medium"
        visible = [replace(self._point(reading, search, group), confidence=level) for group in groups]
        visible = [
            *visible[:1],
            *(
                self._with_own_level(reading, search, point, group)
                for point, group in zip(visible[1:], groups[1:], strict=True)
            ),
        ]
        by_group = list(visible)
        if question.kind in ("how many", "when") and any(point.short for point in visible):
            # Points without a value of the kind asked for come last, with low confidence.
            visible = [
                *(point for point in visible if point.short),
                *(replace(point, confidence="low") for point in visible if not point.short),
            ]
        if reading.chance < _threshold(mode):
            reason = self._why_not(reading)
        elif not _names_what_is_asked(question, reading.ranking):
            reason = "low_confidence"
        elif (pair := grouping.differing(question, reading.ranking, groups)) is not None and not reading.is_one_table(
            *(groups[index].members[0] for index in pair)
        ):
            visible = [replace(by_group[index], confidence=_less_sure(level, "medium")) for index in pair]
            reason = "conflicting_sources"
        elif reading.dispute is not None and not question.statement and not reading.is_one_table(*reading.dispute):
            visible, reason = self._sides(reading, search, level), "conflicting_sources"
        elif not question.statement and is_unreal(question.text, nearest):
            reason = "low_confidence"  # what was to be done answers no question of what was done
        elif self._is_doubtful_scan(visible[0]):
            reason = "ocr_doubt"
        elif reading.absent and mode != "exploratory":
            reason = "premise"
        if not reason and question.statement:
            sides, is_decided = self._yes_or_no(question, reading.ranking, progress)
            search.steps.append(
                Step(
                    "Asked the judge about the statement and its denial. Sentences read:",
                    min(_JUDGED, len(reading.ranking)),
                )
            )
            judgements = [
                replace(self._point(reading, search, grouping.Point((index,))), short=side, confidence=level)
                for side, index in sides.items()
            ]
            if len(judgements) > 1:
                visible = [replace(point, confidence=_less_sure(level, "medium")) for point in judgements]
                reason = "conflicting_sources"
            elif reading.dispute is not None and not is_decided:
                visible, reason = self._sides(reading, search, level), "conflicting_sources"
            elif is_decided:
                visible = [*judgements, *(point for point in visible if point.text != judgements[0].text)]
            elif mode != "exploratory" or not self._is_of_its_day(reading, groups, search):
                reason = "low_confidence"
            else:
                visible = [replace(point, confidence=_less_sure(point.confidence, "medium")) for point in visible]
                visible = _surest_first(visible)
                return Answer(line, mode, True, points=tuple(visible), advice=(NOT_SETTLED,))
        if not reason:
            return Answer(line, mode, True, points=tuple(_surest_first(visible)))
        advice = self._advice(reason, reading)
        if reason == "conflicting_sources":
            return Answer(line, mode, False, reason, points=tuple(visible), advice=advice)
        if reading.about < _LOW:
            firsts = [reading.ranking[group.members[0]].sentence for group in groups]
            near = [point for point, first in zip(by_group, firsts, strict=True) if first.near >= _NEAR]
            visible = [replace(point, short="") for point in near[:_NEAREST]]
        doubtful = [*self._denials(reading, search), *(replace(point, confidence="low") for point in visible)]
        return Answer(line, mode, False, reason, doubtful=() if mode == "strict" else tuple(doubtful), advice=advice)

    def _denials(self, reading: _Reading, search: _Search) -> list[AnswerPoint]:
        """Return the first points of sentences that say who did not do what is asked for."""
        source = replace(reading, ranking=list(reading.denials))
        numbers = range(min(grouping.SHOWN, len(reading.denials)))
        return [self._point(source, search, grouping.Point((number,))) for number in numbers]

    def _sides(self, reading: _Reading, search: _Search, level: Confidence) -> list[AnswerPoint]:
        """Return the points of the two sentences that give different answers."""
        groups = [grouping.alone(reading.question, reading.ranking, index) for index in reading.dispute or ()]
        return [
            replace(self._point(reading, search, group), confidence=_less_sure(level, "medium")) for group in groups
        ]

    def _point(self, reading: _Reading, search: _Search, group: grouping.Point) -> AnswerPoint:
        sources: list[Source] = []
        for member in group.members:
            sentence = reading.ranking[member].sentence
            passage = reading.passages[sentence.passage]
            span = search.readings[passage.chunk].span(sentence.span.start, sentence.span.end)
            if span is None:
                continue
            source = self._source(passage, span.start, span.end, is_copy=member in group.copies)
            if not any(_same_place(source, row) for row in sources):
                sources.append(source)
            for copy in search.copies.get(passage.chunk, ()):
                start = copy.text.find(source.quote.text)
                if start < 0:
                    continue
                start += copy.start
                duplicate = self._source(copy, start, start + len(source.quote.text), is_copy=True)
                if not any(_same_place(duplicate, row) for row in sources):
                    sources.append(duplicate)
        first = sources[0].quote.text
        sentence = reading.ranking[group.members[0]].sentence
        short = ""
        if group.short is not None:
            reading_text = search.readings[reading.passages[sentence.passage].chunk]
            start, end = (sentence.span.start + offset for offset in (group.short.start, group.short.end))
            short = reading_text.text[start:end] if reading_text.is_verbatim(start, end) else ""
        return AnswerPoint(first, "low", tuple(sources), short if short in first else "")

    def _with_own_level(
        self, reading: _Reading, search: _Search, point: AnswerPoint, group: grouping.Point
    ) -> AnswerPoint:
        """Limit the confidence of a point after the first to that of its own sentence."""
        if reading.order is not None:
            own_level = judgement.level_behind(reading.order, group.members[0])
            return replace(point, confidence=_less_sure(point.confidence, own_level))
        ranked = reading.ranking[group.members[0]]
        passage = ranked.sentence.passage
        mates = [row for row in reading.ranking if row.sentence.passage == passage and row is not ranked]
        document = self._text_of(search, reading.passages[passage].document)
        signs = answerability.signs(reading.question, [ranked, *mates], document)
        return replace(point, confidence=_less_sure(point.confidence, _level(reading.fit.probability(signs))))

    def _source(self, passage: Passage, start: int, end: int, *, is_copy: bool) -> Source:
        """Prove that a span of a passage is on its page."""
        page = self._store.pages.by_id(passage.page_id)
        quote = quotes.span(page, start, end)
        text = page.text[passage.start : passage.end]
        earlier = [span for span in split(text) if passage.start + span.end <= start]
        context = text[earlier[-1].start : earlier[-1].end] if earlier else ""
        marks = quotes.marks_of(page, quote.start, quote.end)
        return Source(quote, passage.name, context, is_copy, passage.source, marks)

    def _yes_or_no(
        self, question: Question, ranking: Sequence[RankedSentence], progress: Progress
    ) -> tuple[dict[str, int], bool]:
        """Return the indices of the best sentences that say yes and no, and whether they decide.

        A sentence says yes or no if the judge's verdicts on the statement and on its denial are opposite and
        one of them is certain. It is decided if all such sentences agree and no other leans the opposite way.
        """
        if self._open.engines.judge is None:
            return {}, False
        sides: dict[str, int] = {}
        leanings = set()
        try:
            judge = exam_results.require_judge(self._open.engines, progress)
            sure, margin = exam_results.show_thresholds(judge.fingerprint), exam_results.margin_of(judge.fingerprint)
            for index, row in enumerate(ranking[:_JUDGED]):
                progress.step(index, min(_JUDGED, len(ranking)), "Asking the judge about the statement and its denial")
                # In a fixed order: a judge that favours the first statement says yes to only one of them.
                pair = sorted((question.statement, question.denial))
                verdicts = dict(zip(pair, judge.judge(row.sentence.text, pair), strict=True))
                answers = [verdicts[question.statement], verdicts[question.denial]]
                labels = [classify.label(row, margin) for row in answers]
                certain = [
                    label if not classify.is_withheld(Verdict(label, row, judge.fingerprint), sure) else "neutral"
                    for label, row in zip(labels, answers, strict=True)
                ]
                for side, pattern in (("yes", ["supports", "contradicts"]), ("no", ["contradicts", "supports"])):
                    is_sure = any(label == expectation for label, expectation in zip(certain, pattern, strict=True))
                    if is_sure or labels == pattern:
                        leanings.add(side)
                    if is_sure and labels == pattern:
                        sides.setdefault(side, index)
        except AppError:
            return {}, False  # without the judge the sentences are shown without a decision
        return sides, len(sides) == 1 and leanings == set(sides)

    def _is_of_its_day(self, reading: _Reading, groups: Sequence[grouping.Point], search: _Search) -> bool:
        """Return whether a question names no day, or one of its points is of that day."""
        rows = [reading.ranking[member].sentence for group in groups for member in group.members]
        return evidence.is_of_the_day(reading.question, [self._days(row, reading.passages, search) for row in rows])

    def _why_not(self, reading: _Reading) -> Reason:
        if reading.about < _NO_SOURCE:
            return "no_relevant_source"
        if reading.absent and reading.signs is not None:
            with_premise = replace(reading.signs, names=1.0, numbers=1.0)
            if answerability.WITH_MEANING.probability(with_premise) > reading.about:
                return "premise"
        page = self._store.pages.by_id(reading.passages[reading.ranking[0].sentence.passage].page_id)
        if page.source == "ocr" and (page.confidence or 0.0) < _CLEAR_SCAN:
            return "ocr_doubt"
        return "low_confidence"

    def _is_doubtful_scan(self, point: AnswerPoint) -> bool:
        page = self._store.pages.by_id(point.sources[0].quote.page_id)
        return page.source == "ocr" and (page.confidence or 0.0) < _CLEAR_SCAN

    def _advice(self, reason: Reason, reading: _Reading) -> tuple[str, ...]:
        """List hints for a person."""
        advice = []
        if reason == "premise":
            names = ", ".join(f"“{name}”" for name in reading.absent)
            advice.append(f"The nearest source does not name {names}. Check that, or ask without it.")
        if reason == "conflicting_sources":
            advice.append("Compare the sources: which is newer, nearer to the event, or corrected by the other?")
        if reason == "ocr_doubt":
            advice.append("Look at the page, and correct the doubtful words on the OCR screen.")
        if reason in ("low_confidence", "no_relevant_source"):
            expectation = EXPECTED[reading.question.kind]
            if expectation and not _names_what_is_asked(reading.question, reading.ranking):
                advice.append(f"None of the nearest sentences contains {expectation}.")
            advice += self._advice_on_languages(reading)
            advice.append("Ask in other words, with the names and terms that the documents would use.")
        _, hints = self._search.unsearched()
        advice += hints
        return tuple(advice)

    def _advice_on_languages(self, reading: _Reading) -> list[str]:
        """Return advice where the language of the question is not that of the nearest passage, or is not read."""
        question_language = source_language = language_of(reading.question.text)
        if reading.ranking:
            sentence = reading.ranking[0].sentence
            document = reading.passages[sentence.passage].document
            # One sentence, such as the head of a mail, tells less than its document.
            source_language = self._store.documents.languages().get(document, "") or language_of(sentence.text)
        if source_language != question_language:
            left, right = name_of(question_language), name_of(source_language)
            return [f"The question is in {left}, the nearest sentence in {right}: ask in {right}."]
        if not is_read(question_language):
            language = name_of(question_language)
            return [f"Questions in {language} are not read: search for the words that an answer would have."]
        return []

    def _extent(self) -> str:
        documents, passages = self._store.scope.searched(None, self._store.scope.left_out())
        pages, _ = self._search.unsearched()
        verb = "was" if pages == 1 else "were"
        gap = f"; {counted(pages, 'page')} without text {verb} not" if pages else ""
        return f"{passages:,} passages of {documents:,} documents{gap}"

    def _models(self) -> tuple[str, ...]:
        embedder = self._index.embedder()
        return (embedder.fingerprint,) if embedder is not None and self._search.similarity_is_measured() else ()

    def _text_of(self, search: _Search, document: str) -> str:
        """Return the words of a document that a person sees, read once for an answer."""
        if document in search.texts:
            return search.texts[document]
        texts, length = [], 0
        for page in self._store.pages.of(document):
            texts.append(without_hidden(page.text, page.hidden_spans))
            length += len(page.text)
            if length > _MOST_OF_A_DOCUMENT:
                break
        search.texts[document] = "\n".join(texts)
        return search.texts[document]


def _with_rows(chance: float, rows: int) -> float:
    """Return the chance of an answer where the question names that many rows of a table: of several none is sure."""
    if not rows:
        return chance
    highest = 1.0 if rows == 1 else answerability.SURE - 0.01
    return min(max(chance, _NAMED), highest)


def _without_orders(candidates: Sequence[sentences.Sentence], passages: Sequence[Passage]) -> list[sentences.Sentence]:
    """Leave out sentences that instruct readers or models: they answer nothing."""
    by_passage = {n: prompt_injection.find(passages[n].text) for n in sorted({row.passage for row in candidates})}
    return [
        row for row in candidates if not prompt_injection.is_order(row.text, row.span.start, by_passage[row.passage])
    ]


def _is_supported(judge: Judge, candidate: wording.Candidate, statements: Sequence[str]) -> bool:
    """Return whether the judge supports a sentence by its sources, with certainty unless it is verbatim."""
    sure, margin = exam_results.show_thresholds(judge.fingerprint), exam_results.margin_of(judge.fingerprint)
    (answer,) = judge.judge(wording.premise(candidate, statements), [candidate.text])
    label = classify.label(answer, margin)
    is_sure = not classify.is_withheld(Verdict(label, answer, judge.fingerprint), sure)
    return label == "supports" and (is_sure or wording.is_verbatim(candidate, statements))


def _unworded(answer: Answer, reason: str) -> Answer:
    return replace(answer, advice=(*answer.advice, f"Not worded: {reason}"))


def _names_what_is_asked(question: Question, ranking: Sequence[RankedSentence]) -> bool:
    """Return whether one of the first sentences has the date or figure that is asked for, if one is.

    Names do not count: "the operator" may be the answer. Of 1,190 answerable questions 263 ask for a date or
    figure; the sentence of 28 has none, and that of 2 more has no word of the question.
    """
    if question.kind not in ("when", "how many"):
        return True
    return any(grouping.short_of(question, row) for row in ranking[: grouping.SHOWN])


def _threshold(mode: ShowMode) -> float:
    return answerability.ANSWERED if mode == "exploratory" else answerability.SURE


def _level(chance: float) -> Confidence:
    if chance >= answerability.SURE:
        return "high"
    return "medium" if chance >= answerability.ANSWERED else "low"


_LEVELS: tuple[Confidence, ...] = ("low", "medium", "high")


def _is_plain(question: Question, text: str) -> bool:
    """Return whether a sentence says what is asked, of whom it is asked: no guess, no denial, no choice of values."""
    is_otherwise = evidence.is_denied(question, text) or evidence.is_turned(question, text)
    return short_answers.is_settled(question, text) and not (is_otherwise or judgement.is_hedged(text))


def _less_sure(left: Confidence, right: Confidence) -> Confidence:
    return min(left, right, key=_LEVELS.index)


def _surest_first(points: Sequence[AnswerPoint]) -> list[AnswerPoint]:
    """Order points by confidence; ties keep their order."""
    return sorted(points, key=lambda point: -_LEVELS.index(point.confidence))


def _same_place(left: Source, right: Source) -> bool:
    a, b = left.quote, right.quote
    return (a.page_id, a.start, a.end) == (b.page_id, b.start, b.end)


def _joined(pieces: Sequence[str], answers: Sequence[Answer]) -> Answer:
    """Bring the answers to the parts of a question together."""
    answers_given = [answer for answer in answers if answer.is_answered]
    reasons = [answer.reason for answer in answers if answer.reason]
    reason: Reason = "" if not reasons else "partial" if answers_given else reasons[0]
    in_parts = [
        (replace(point, part=piece), answer)
        for piece, answer in zip(pieces, answers, strict=True)
        for point in answer.points
    ]
    open_parts = [
        f"Not answered: “{piece}” {answer.sentence}"
        for piece, answer in zip(pieces, answers, strict=True)
        if answer.reason
    ]
    return Answer(
        question="",
        mode=answers[0].mode,
        is_answered=bool(answers_given),
        reason=reason,
        points=tuple(point for point, _ in in_parts),
        doubtful=tuple(point for answer in answers for point in answer.doubtful),
        advice=tuple(dict.fromkeys([*open_parts, *(line for answer in answers for line in answer.advice)])),
        steps=tuple(step for answer in answers for step in answer.steps),
    )
