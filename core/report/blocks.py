"""Blocks of a report before it takes a form: sections of paragraphs, lists, tables, quotes and pictures."""

from __future__ import annotations

from dataclasses import dataclass

HYPOTHESES_A_TABLE = 15  # columns of ratings that fit a landscape page


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
    """Words of a document, as they are there."""

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
    """A column of a table.

    ``look`` is 'text', 'num' (right aligned), 'id' (short and strong), 'code' or 'cell' (a rating).
    """

    title: str
    look: str = "text"
    share: float = 1.0  # of the width


@dataclass(frozen=True, slots=True)
class Table:
    """A table. ``anchors`` name for each row where its first cell leads to; '' nowhere."""

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
