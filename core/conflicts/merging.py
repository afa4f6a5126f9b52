"""From pairs to conflicts: the variants of one statement, each with its places. Pure.

Pairs are joined only if they share a place of a statement, so no chain leads from one subject to the next.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.conflicts import gates
from core.conflicts.differences import Difference, Kind
from core.conflicts.statements import Statement, quantities_of, topical, words_of
from core.domain import Span
from core.language.quantities import Quantity, may_count_same

SERIES = 4  # values from which on a figure is a recurring measure and no conflict
PER_DOCUMENTS = 10  # conflicts of two documents that are listed; the others are counted
SUPPORTERS = 6  # further statements that are listed with a position
_SAME_NEWS = 30  # days between two documents that may still speak of one event
_SMALL = 13.0  # a figure below it is too common to identify a subject


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a statement; an empty span is the whole statement."""

    statement: Statement
    span: Span

    @property
    def words(self) -> str:
        """The text of the place."""
        return self.statement.text[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the values that are stated, normalised, and its places."""

    value: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Variants that cannot all be true. ``is_alone``: the statements differ in nothing else."""

    kind: Kind
    variants: tuple[Variant, ...]
    likeness: float
    is_alone: bool
    heads: tuple[str, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that it is about, each once, in order."""
        return tuple(dict.fromkeys(place.statement.document for variant in self.variants for place in variant.places))


Node = tuple[Kind, int, int]  # a place: kind of difference, number of the statement, offset


def merge(pairs: Sequence[Difference]) -> list[Cluster]:
    """Join pairs into clusters, in the order of their first statements; recurring measures are left out."""
    pairs = _without_lists(pairs)
    parents: dict[Node, Node] = {}

    def root(node: Node) -> Node:
        while parents.setdefault(node, node) != node:
            node = parents[node]
        return node

    places: dict[Node, tuple[Place, str]] = {}
    for pair in pairs:
        sides = (pair.left, pair.left_span), (pair.right, pair.right_span)
        for (statement, span), value in zip(sides, pair.values, strict=True):
            places.setdefault(_node(pair.kind, statement, span), (Place(statement, span), value))
        top, child = sorted(root(_node(pair.kind, *side)) for side in sides)
        parents[child] = top
    groups: dict[Node, list[Node]] = defaultdict(list)
    for node in places:
        groups[root(node)].append(node)
    by_group: dict[Node, list[Difference]] = defaultdict(list)
    for pair in pairs:
        by_group[root(_node(pair.kind, pair.left, pair.left_span))].append(pair)
    clusters = []
    for group in sorted(groups, key=lambda node: min(member[1] for member in groups[node])):
        variants: dict[str, list[Place]] = {}
        for node in sorted(groups[group], key=lambda member: member[1]):
            place, value = places[node]
            variants.setdefault(value, []).append(place)
        if not 2 <= len(variants) < SERIES:
            continue
        best = max(by_group[group], key=lambda pair: (pair.is_alone, pair.likeness))
        clusters.append(
            Cluster(
                best.kind,
                tuple(Variant(value, tuple(rows)) for value, rows in variants.items()),
                best.likeness,
                best.is_alone,
                best.heads,
            )
        )
    return clusters


def _without_lists(pairs: Sequence[Difference]) -> list[Difference]:
    """Leave out differences between two documents that each state both values: entries of a common list."""
    ways = {
        (pair.kind, *side)
        for pair in pairs
        for side in (
            (pair.left.document, pair.right.document, pair.values[0], pair.values[1]),
            (pair.right.document, pair.left.document, pair.values[1], pair.values[0]),
        )
    }
    return [
        pair
        for pair in pairs
        if pair.left.document == pair.right.document
        or pair.kind == "denial"
        or (pair.kind, pair.left.document, pair.right.document, pair.values[1], pair.values[0]) not in ways
    ]


def join_names(clusters: Sequence[Cluster], families: Mapping[str, str]) -> list[Cluster]:
    """Join clusters of the same documents about the same two names."""
    result: dict[object, Cluster] = {}
    for index, cluster in enumerate(clusters):
        key: object = index
        if cluster.kind in ("name", "place", "role"):
            families_named = frozenset(families.get(document, document) for document in cluster.documents)
            key = frozenset(variant.value for variant in cluster.variants), families_named
        earlier = result.get(key)
        if earlier is None:
            result[key] = cluster
            continue
        additions = {variant.value: variant.places for variant in cluster.variants}
        variants = tuple(replace(row, places=row.places + additions[row.value]) for row in earlier.variants)
        result[key] = replace(earlier, variants=variants)
    return list(result.values())


def _node(kind: Kind, statement: Statement, span: Span) -> Node:
    return kind, statement.number, -1 if kind == "denial" else span.start


@dataclass(frozen=True, slots=True)
class _FigureClaim:
    """A figure of a variant, the words that its places share, and how many of them a supporter must have."""

    cluster: int
    variant: int
    figure: Quantity
    subject: frozenset[str]
    least: int


def add_supporters(clusters: Sequence[Cluster], statements: Iterable[Statement]) -> list[Cluster]:
    """Add to each variant of a figure the statements that name the same figure of the same thing."""
    claims: dict[tuple[float, str], dict[_FigureClaim, None]] = defaultdict(dict)
    for claim in _figure_claims(clusters):
        for word in claim.subject:
            claims[claim.figure.value, word][claim] = None
    values = {value for value, _ in claims}
    additions: dict[tuple[int, int], list[Place]] = defaultdict(list)
    if values:
        may_name = _digits_of(values)
        for statement in statements:
            if not may_name.search(statement.text.replace(".", "").replace(",", "")):
                continue
            figures = [figure for figure in quantities_of(statement.text) if figure.value in values]
            nearby = statement.words | topical(words_of(statement.previous)) if figures else frozenset()
            for figure in figures:
                counts = Counter(claim for word in nearby for claim in claims.get((figure.value, word), ()))
                for claim, count in counts.items():
                    places = clusters[claim.cluster].variants[claim.variant].places
                    cluster = clusters[claim.cluster]
                    if count >= claim.least and _supports(statement, figure, claim.figure, cluster, places):
                        supporters = additions[claim.cluster, claim.variant]
                        supporters.append(Place(statement, Span(figure.start, figure.end)))
                        if len(supporters) == SUPPORTERS:
                            for word in claim.subject:
                                claims[figure.value, word].pop(claim, None)
    return [
        replace(
            cluster,
            variants=tuple(
                replace(variant, places=(*variant.places, *additions[index, number]))
                for number, variant in enumerate(cluster.variants)
            ),
        )
        for index, cluster in enumerate(clusters)
    ]


def _figure_claims(clusters: Sequence[Cluster]) -> Iterator[_FigureClaim]:
    for index, cluster in enumerate(clusters):
        for number, variant in enumerate(cluster.variants if cluster.kind == "quantity" else ()):
            first = variant.places[0]
            subject = frozenset.intersection(*(place.statement.words for place in variant.places))
            for figure in quantities_of(first.statement.text):
                is_named = figure.start < first.span.end and figure.end > first.span.start
                if is_named and not gates.is_changing(figure.heads):
                    least = 2 if abs(figure.value) < _SMALL or figure.value % 100 == 0 else 1
                    yield _FigureClaim(index, number, figure, subject - {head[:6] for head in figure.heads}, least)


def _digits_of(values: Iterable[float]) -> re.Pattern[str]:
    """Return a pattern that matches a sentence without commas and points if it has one of these figures in digits."""
    digits = {re.sub(r"\D", "", f"{value:.15g}".partition("e")[0]).strip("0") or "0" for value in values}
    return re.compile(rf"\d/\d|{'|'.join(sorted(digits))}")


def _supports(
    statement: Statement, figure: Quantity, claimed: Quantity, cluster: Cluster, places: Sequence[Place]
) -> bool:
    if not may_count_same(figure, claimed) or gates.are_far_apart(statement, places[0].statement, limit=_SAME_NEWS):
        return False
    return all(place.statement.number != statement.number for row in cluster.variants for place in row.places)


def cap(clusters: Sequence[Cluster]) -> tuple[list[Cluster], Counter[tuple[str, str]]]:
    """Limit the clusters of each pair of documents, and count the surplus of each pair."""
    counts: Counter[tuple[str, ...]] = Counter()
    surplus: Counter[tuple[str, str]] = Counter()
    listed = []
    for cluster in clusters:
        documents = tuple(sorted(cluster.documents, key=lambda id: (len(id), id)))
        pair = (documents[0], documents[-1])
        counts[pair] += 1
        if counts[pair] <= PER_DOCUMENTS:
            listed.append(cluster)
        else:
            surplus[pair] += 1
    return listed, surplus


def repetitions(places: Iterable[Place], families: Mapping[str, str]) -> list[bool]:
    """Return for each place whether it repeats an earlier one: the same words, or a version of the same document."""
    signs_so_far: set[str] = set()
    copies = []
    for place in places:
        signs = {families.get(place.statement.document, place.statement.document), place.statement.line.casefold()}
        copies.append(bool(signs & signs_so_far))
        signs_so_far |= signs
    return copies


def families_of(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map documents that are versions or copies of each other, directly or not, to one of them."""
    parents: dict[str, str] = {}

    def root(document: str) -> str:
        while parents.setdefault(document, document) != document:
            document = parents[document]
        return document

    for pair in pairs:
        top, child = sorted((root(pair[0]), root(pair[1])), key=lambda id: (len(id), id))
        parents[child] = top
    return {document: root(document) for document in sorted(parents)}
