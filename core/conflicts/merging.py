"""From pairs to conflicts: all that is said of one thing in one place, by what it says. Pure.

Pairs are joined only where they share a place of a statement, so that no chain grows from one subject to the next.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.conflicts import gates
from core.conflicts.differences import Difference, Kind
from core.conflicts.quantities import Quantity, same_thing
from core.conflicts.statements import Statement, quantities_of, topical, words_of
from core.domain import Span

SERIES = 4  # values from which on a figure is a recurring measure and no conflict
PER_DOCUMENTS = 10  # conflicts of two documents that are listed; the others are counted
SUPPORTERS = 6  # further statements that are listed with a position
_SAME_NEWS = 30  # days between two documents that may still speak of one event
_POINTS = re.compile(r"[.,]")
_SMALL = 13.0  # a figure below it may stand anywhere


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a statement that says one thing; an empty span: the statement as a whole."""

    statement: Statement
    span: Span

    @property
    def words(self) -> str:
        """The text of the place."""
        return self.statement.text[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Stand:
    """One of the things that are said: ``value`` in one way of writing, and where it stands."""

    value: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Stands on one thing that cannot all be true. ``is_alone``: the statements differ in nothing else."""

    kind: Kind
    stands: tuple[Stand, ...]
    likeness: float
    is_alone: bool
    heads: tuple[str, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that it is about, each once, in order."""
        return tuple(dict.fromkeys(place.statement.document for stand in self.stands for place in stand.places))


Node = tuple[Kind, int, int]  # a place: of which kind, in which statement, from where


def merge(pairs: Sequence[Difference]) -> list[Cluster]:
    """Join pairs into clusters, in the order of their first statements; recurring measures are left out."""
    pairs = _without_lists(pairs)
    head: dict[Node, Node] = {}

    def first(node: Node) -> Node:
        while head.setdefault(node, node) != node:
            node = head[node]
        return node

    places: dict[Node, tuple[Place, str]] = {}
    for pair in pairs:
        sides = (pair.one, pair.one_span), (pair.other, pair.other_span)
        for (statement, span), value in zip(sides, pair.values, strict=True):
            places.setdefault(_node(pair.kind, statement, span), (Place(statement, span), value))
        one, other = sorted(first(_node(pair.kind, *side)) for side in sides)
        head[other] = one
    groups: dict[Node, list[Node]] = defaultdict(list)
    for node in places:
        groups[first(node)].append(node)
    by_group: dict[Node, list[Difference]] = defaultdict(list)
    for pair in pairs:
        by_group[first(_node(pair.kind, pair.one, pair.one_span))].append(pair)
    clusters = []
    for group in sorted(groups, key=lambda node: min(each[1] for each in groups[node])):
        stands: dict[str, list[Place]] = {}
        for node in sorted(groups[group], key=lambda each: each[1]):
            place, value = places[node]
            stands.setdefault(value, []).append(place)
        if not 2 <= len(stands) < SERIES:
            continue
        best = max(by_group[group], key=lambda pair: (pair.is_alone, pair.likeness))
        clusters.append(
            Cluster(
                best.kind,
                tuple(Stand(value, tuple(rows)) for value, rows in stands.items()),
                best.likeness,
                best.is_alone,
                best.heads,
            )
        )
    return clusters


def _without_lists(pairs: Sequence[Difference]) -> list[Difference]:
    """Leave out what two documents both say in both ways: entries of a list that stands in both."""
    ways = {
        (pair.kind, *side)
        for pair in pairs
        for side in (
            (pair.one.document, pair.other.document, pair.values[0], pair.values[1]),
            (pair.other.document, pair.one.document, pair.values[1], pair.values[0]),
        )
    }
    return [
        pair
        for pair in pairs
        if pair.one.document == pair.other.document
        or pair.kind == "denial"
        or (pair.kind, pair.one.document, pair.other.document, pair.values[1], pair.values[0]) not in ways
    ]


def join_names(clusters: Sequence[Cluster], families: Mapping[str, str]) -> list[Cluster]:
    """Join what two texts say all along: one name here, another there, wherever it stands."""
    result: dict[object, Cluster] = {}
    for at, cluster in enumerate(clusters):
        key: object = at
        if cluster.kind in ("name", "place", "role"):
            of = frozenset(families.get(document, document) for document in cluster.documents)
            key = frozenset(stand.value for stand in cluster.stands), of
        before = result.get(key)
        if before is None:
            result[key] = cluster
            continue
        more = {stand.value: stand.places for stand in cluster.stands}
        stands = tuple(replace(stand, places=stand.places + more[stand.value]) for stand in before.stands)
        result[key] = replace(before, stands=stands)
    return list(result.values())


def _node(kind: Kind, statement: Statement, span: Span) -> Node:
    return kind, statement.number, -1 if kind == "denial" else span.start


@dataclass(frozen=True, slots=True)
class _Wanting:
    """A stand on a figure that others may support: the figure, the words that its places share, how many to meet."""

    cluster: int
    stand: int
    figure: Quantity
    subject: frozenset[str]
    least: int


def add_supporters(clusters: Sequence[Cluster], statements: Iterable[Statement]) -> list[Cluster]:
    """Add to each stand on a figure the other statements that name the same figure of the same thing."""
    index: dict[tuple[float, str], dict[_Wanting, None]] = defaultdict(dict)
    for one in _wanting(clusters):
        for word in one.subject:
            index[one.figure.value, word][one] = None
    values = {value for value, _ in index}
    additions: dict[tuple[int, int], list[Place]] = defaultdict(list)
    if values:
        may_name = _digits_of(values)
        for statement in statements:
            if not may_name.search(_POINTS.sub("", statement.text)):
                continue
            figures = [figure for figure in quantities_of(statement.text) if figure.value in values]
            nearby = statement.words | topical(words_of(statement.before)) if figures else frozenset()
            for figure in figures:
                counts = Counter(one for word in nearby for one in index.get((figure.value, word), ()))
                for one, count in counts.items():
                    places = clusters[one.cluster].stands[one.stand].places
                    if count >= one.least and _supports(statement, figure, one.figure, clusters[one.cluster], places):
                        mine = additions[one.cluster, one.stand]
                        mine.append(Place(statement, Span(figure.start, figure.end)))
                        if len(mine) == SUPPORTERS:
                            for word in one.subject:
                                index[figure.value, word].pop(one, None)
    return [
        replace(
            cluster,
            stands=tuple(
                replace(stand, places=(*stand.places, *additions[at, number]))
                for number, stand in enumerate(cluster.stands)
            ),
        )
        for at, cluster in enumerate(clusters)
    ]


def _wanting(clusters: Sequence[Cluster]) -> Iterator[_Wanting]:
    for at, cluster in enumerate(clusters):
        for number, stand in enumerate(cluster.stands if cluster.kind == "quantity" else ()):
            first = stand.places[0]
            subject = frozenset.intersection(*(place.statement.words for place in stand.places))
            for figure in quantities_of(first.statement.text):
                is_there = figure.start < first.span.end and figure.end > first.span.start
                if is_there and not gates.is_changing(figure.heads):
                    least = 2 if abs(figure.value) < _SMALL or figure.value % 100 == 0 else 1
                    yield _Wanting(at, number, figure, subject - {head[:6] for head in figure.heads}, least)


def _digits_of(values: Iterable[float]) -> re.Pattern[str]:
    """Return what a sentence without its commas and points must hold to name one of these figures in digits."""
    digits = {re.sub(r"\D", "", f"{value:.15g}".partition("e")[0]).strip("0") or "0" for value in values}
    return re.compile(rf"\d/\d|{'|'.join(sorted(digits))}")


def _supports(
    statement: Statement, figure: Quantity, like: Quantity, cluster: Cluster, places: Sequence[Place]
) -> bool:
    if not same_thing(figure, like) or gates.far_apart(statement, places[0].statement, most=_SAME_NEWS):
        return False
    return not any(place.statement.number == statement.number for stand in cluster.stands for place in stand.places)


def cap(clusters: Sequence[Cluster]) -> tuple[list[Cluster], Counter[tuple[str, str]]]:
    """Keep the first clusters of each pair of documents, and count how many more each pair has."""
    counts: Counter[tuple[str, ...]] = Counter()
    more: Counter[tuple[str, str]] = Counter()
    rest = []
    for cluster in clusters:
        documents = tuple(sorted(cluster.documents, key=lambda id: (len(id), id)))
        pair = (documents[0], documents[-1])
        counts[pair] += 1
        if counts[pair] <= PER_DOCUMENTS:
            rest.append(cluster)
        else:
            more[pair] += 1
    return rest, more


def independent(places: Iterable[Place], families: Mapping[str, str]) -> list[bool]:
    """Tell of each place whether it only repeats an earlier one: the same words, or a version of the same document."""
    earlier: set[str] = set()
    copies = []
    for place in places:
        signs = {families.get(place.statement.document, place.statement.document), place.statement.line.casefold()}
        copies.append(bool(signs & earlier))
        earlier |= signs
    return copies


def families_of(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map documents that are versions or copies of each other, over however many steps, to one of them."""
    head: dict[str, str] = {}

    def first(document: str) -> str:
        while head.setdefault(document, document) != document:
            document = head[document]
        return document

    for pair in pairs:
        one, other = sorted((first(pair[0]), first(pair[1])), key=lambda id: (len(id), id))
        head[other] = one
    return {document: first(document) for document in sorted(head)}
