"""Sources that listed conflicts set against a supported sentence: one bears it out, another one differs. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.answers.sentences import beginnings
from core.audit.finding import AuditedSentence, OtherAccount, Source
from core.audit.rules import NEAR, content, coverage
from core.conflicts.results import ConflictRecord, ConflictSource, Position
from core.language.figures import agree, figures

_FEWEST_SHARED = 3  # content words of two statements that tell what they contest


def with_other_accounts(
    sentences: Iterable[AuditedSentence], conflicts: Iterable[ConflictRecord]
) -> tuple[AuditedSentence, ...]:
    """Return sentences with the sources that listed conflicts set against those that bear them out.

    A conflict counts where a source of a supported sentence takes one of its positions, and the sentence says what
    exactly one of them says. Nothing is set against a position that a person found to hold, or where both hold.
    """
    by_page: dict[int, dict[str, ConflictRecord]] = defaultdict(dict)
    for record in conflicts:
        if record.conflict.kind != "hypotheses" and record.status != "both":
            for source in (source for position in record.conflict.positions for source in position.sources):
                by_page[source.quote.page_id][record.id] = record
    rows = []
    for one in sentences:
        pages = {source.quote.page_id for source in one.sources} & by_page.keys()
        near = {identity: record for page in sorted(pages) for identity, record in by_page[page].items()}
        for record in near.values() if one.finding == "supported" else ():
            one = _against(one, record)
        rows.append(one)
    return tuple(rows)


def _against(sentence: AuditedSentence, record: ConflictRecord) -> AuditedSentence:
    """Set the other positions of a conflict against a sentence that takes one of them."""
    positions = record.conflict.positions
    own = _own_position(sentence, positions)
    if own is None or own + 1 == record.position:
        return sentence
    others = [position.sources[0] for at, position in enumerate(positions) if at != own]
    accounts = [OtherAccount(record.id, _source(one), one.words) for one in others]
    against = [source for at, position in enumerate(positions) if at != own for source in position.sources]
    sources = tuple(source for source in sentence.sources if not any(_meet(one, source) for one in against))
    if not any(_meet(one, source) for one in positions[own].sources for source in sources):
        sources = (_source(positions[own].sources[0]), *sources)
    return replace(
        sentence,
        sources=sources,
        other_accounts=(*sentence.other_accounts, *accounts),
    )


def _own_position(sentence: AuditedSentence, positions: Sequence[Position]) -> int | None:
    """Return the index of the position that a sentence takes; None where it takes none, or several."""
    places = [
        at
        for at, position in enumerate(positions)
        if any(_meet(one, source) for one in position.sources for source in sentence.sources)
    ]
    if not places:
        return None
    firsts = [position.sources[0] for position in positions]
    if all(one.words for one in firsts):
        own = [at for at, one in enumerate(firsts) if _has(sentence.text, one.words)]
        return own[0] if len(own) == 1 else None
    # One denies the other as a whole.
    nearest = max(places, key=lambda at: coverage(sentence.text, firsts[at].quote.text))
    subject = set.intersection(*(_content(one.quote.text) for one in firsts))
    if len(subject) < _FEWEST_SHARED:
        subject = _content(firsts[nearest].quote.text)
    return nearest if len(subject & _content(sentence.text)) >= NEAR * len(subject) else None


def _source(one: ConflictSource) -> Source:
    return Source(one.quote, one.name, one.before, layer=one.layer)


def _meet(one: ConflictSource, other: Source) -> bool:
    return one.quote.page_id == other.quote.page_id and (
        one.quote.start < other.quote.end and one.quote.end > other.quote.start
    )


def _has(sentence: str, words: str) -> bool:
    """Return whether a sentence holds some words, or the same figures in another form."""
    own = figures(words)
    if own:
        there = figures(sentence)
        return all(any(agree(figure, other) for other in there) for figure in own)
    own_words = set(beginnings(words))
    return bool(own_words) and own_words <= set(beginnings(sentence))


def _content(text: str) -> set[str]:
    return set(beginnings(" ".join(word for word, _, _ in content(text))))
