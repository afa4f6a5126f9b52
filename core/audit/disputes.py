"""Sources that contradict a supported sentence, by the conflicts that the case lists. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.answers.sentences import beginnings
from core.audit.finding import AuditedSentence, OtherAccount, Source
from core.audit.rules import NEAR, content, coverage
from core.conflicts.results import ConflictRecord, ConflictSource, Position
from core.language.figures import agree, figures

_FEWEST_SHARED = 3  # content words of two statements that define their subject


def with_other_accounts(
    sentences: Iterable[AuditedSentence], conflicts: Iterable[ConflictRecord]
) -> tuple[AuditedSentence, ...]:
    """Add to sentences the sources that listed conflicts oppose to their own.

    A conflict counts if a source of a supported sentence takes one of its positions, and the sentence agrees with
    exactly one position. A position that a person decided on, or a conflict whose positions all hold, adds nothing.
    """
    by_page: dict[int, dict[str, ConflictRecord]] = defaultdict(dict)
    for record in conflicts:
        if record.conflict.kind != "hypotheses" and record.status != "both":
            for source in (source for position in record.conflict.positions for source in position.sources):
                by_page[source.quote.page_id][record.id] = record
    rows = []
    for sentence in sentences:
        pages = {source.quote.page_id for source in sentence.sources} & by_page.keys()
        records = {identity: record for page in sorted(pages) for identity, record in by_page[page].items()}
        for record in records.values() if sentence.finding == "supported" else ():
            sentence = _with_opponents(sentence, record)
        rows.append(sentence)
    return tuple(rows)


def _with_opponents(sentence: AuditedSentence, record: ConflictRecord) -> AuditedSentence:
    """Add the other positions of a conflict to a sentence that takes one of them."""
    positions = record.conflict.positions
    index = _own_position(sentence, positions)
    if index is None or index + 1 == record.position:
        return sentence
    opponents = [position.sources[0] for number, position in enumerate(positions) if number != index]
    accounts = [OtherAccount(record.id, _source(row), row.words) for row in opponents]
    opposing = [source for number, position in enumerate(positions) if number != index for source in position.sources]
    sources = tuple(source for source in sentence.sources if not any(_overlap(row, source) for row in opposing))
    if not any(_overlap(row, source) for row in positions[index].sources for source in sources):
        sources = (_source(positions[index].sources[0]), *sources)
    return replace(sentence, sources=sources, other_accounts=(*sentence.other_accounts, *accounts))


def _own_position(sentence: AuditedSentence, positions: Sequence[Position]) -> int | None:
    """Return the index of the position that a sentence takes; None for none or several."""
    places = [
        index
        for index, position in enumerate(positions)
        if any(_overlap(row, source) for row in position.sources for source in sentence.sources)
    ]
    if not places:
        return None
    sources = [position.sources[0] for position in positions]
    if all(row.words for row in sources):
        matching = [index for index, row in enumerate(sources) if _has(sentence.text, row.words)]
        return matching[0] if len(matching) == 1 else None
    # One denies the other as a whole.
    nearest = max(places, key=lambda index: coverage(sentence.text, sources[index].quote.text))
    subject = set.intersection(*(_content(row.quote.text) for row in sources))
    if len(subject) < _FEWEST_SHARED:
        subject = _content(sources[nearest].quote.text)
    return nearest if len(subject & _content(sentence.text)) >= NEAR * len(subject) else None


def _source(source: ConflictSource) -> Source:
    return Source(source.quote, source.name, source.before, layer=source.layer)


def _overlap(source: ConflictSource, source_there: Source) -> bool:
    return source.quote.page_id == source_there.quote.page_id and (
        source.quote.start < source_there.quote.end and source.quote.end > source_there.quote.start
    )


def _has(sentence: str, words: str) -> bool:
    """Return whether a sentence holds some words, or the same figures in another form."""
    own_figures = figures(words)
    if own_figures:
        sentence_figures = figures(sentence)
        return all(any(agree(figure, candidate) for candidate in sentence_figures) for figure in own_figures)
    own_words = set(beginnings(words))
    return bool(own_words) and own_words <= set(beginnings(sentence))


def _content(text: str) -> set[str]:
    return set(beginnings(" ".join(word for word, _, _ in content(text))))
