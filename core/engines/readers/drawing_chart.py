"""Charts of office files as words: title, axes, and a row a category with the values of its series.

DrawingML charts and their extension of 2014 (chartEx), and charts of OpenDocument.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from core.engines.readers import number_format, plain_text
from core.engines.readers.ooxml_package import child, local, value, xml_of

_ROWS = 20_000  # of one chart
_SERIES = 500  # of one chart
_CELLS = 200_000  # of one chart
_TEXT = 2_000  # characters of one title or label
_AXES = {"catAx", "valAx", "dateAx", "serAx", "axis"}


@dataclass(frozen=True, slots=True)
class Chart:
    """The words of a chart. The first of ``rows`` has the headings: '' above the categories, then the series.

    ``labels`` are titles of axes and words of the drawing.
    """

    title: str
    labels: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """The chart as lines: its title, its labels, then "May 2023: 417" or "May 2023 · killed: 417 · hurt: 12"."""
        lines = [self.title, *self.labels, *(_line(self.rows[0], row) for row in self.rows[1:])]
        return "\n".join(line for line in lines if line)


def chart(xml: bytes, name: str) -> Chart:
    """Return the words of a chart part of a DOCX, PPTX or XLSX file, numbers as their format shows them.

    Raises UnreadableDocument and what lxml raises.
    """
    root = xml_of(xml, name)
    series = [_extended(root, element) for element in _each(root, "series")] if _is_extended(root) else []
    if _is_extended(root) and not series:
        series = [_extended_data(element, "") for element in _each(root, "data")]
    series = series or [_series(element) for element in _each(root, "ser")]
    return Chart(_title(root), tuple(_labels(root)), tuple(_rows(series[:_SERIES])))


def of_open_document(root: Any) -> Chart:
    """Return the words of a chart of OpenDocument, from the root of its content."""
    titles = {"title": "", "subtitle": ""}
    labels: list[str] = []
    for element in root.iter():
        tag = local(element)
        if tag in ("title", "subtitle", "footer") and local(element.getparent()) in ("chart", "axis"):
            text = _words(element)
            if local(element.getparent()) == "chart" and tag in titles and not titles[tag]:
                titles[tag] = text
            else:
                labels.append(text)
    rows: list[tuple[str, ...]] = []
    for row in root.iter("{*}table-row"):
        if len(rows) > _ROWS:
            break
        cells = (cell for cell in row if local(cell) == "table-cell")
        # A drawing in a cell says where its value stands in the sheet.
        rows.append(tuple(_paragraphs(cell) or value(cell, "value") for cell in cells)[: _SERIES + 1])
    if rows and not any(rows[0][1:]):
        rows[0] = ("",) * len(rows[0])
    return Chart(titles["title"], tuple(label for label in (titles["subtitle"], *labels) if label), tuple(rows))


@dataclass(frozen=True, slots=True)
class _Series:
    """A series: its name, and categories and values by index."""

    name: str
    categories: dict[int, str]
    values: dict[int, str]


def _line(heading: tuple[str, ...], row: tuple[str, ...]) -> str:
    cells = [
        f"{column}: {cell}" if column else cell for column, cell in zip(heading[1:], row[1:], strict=False) if cell
    ]
    if len(cells) == 1 and not any(heading[1:]) and row[0]:
        return f"{row[0]}: {cells[0]}"
    return " · ".join(part for part in (row[0], *cells) if part)


def _rows(series: list[_Series]) -> Iterator[tuple[str, ...]]:
    if not series:
        return
    yield ("", *(item.name for item in series))
    # Series over other categories (of a scatter chart) follow one another.
    groups: list[list[int]] = []
    for number, item in enumerate(series):
        like = next((g for g in groups if not item.categories or series[g[0]].categories == item.categories), None)
        if like is None:
            groups.append([number])
        else:
            like.append(number)
    count = 0
    for group in groups:
        categories = series[group[0]].categories
        for index in sorted({*categories, *(i for number in group for i in series[number].values)}):
            count += 1
            if count > min(_ROWS, _CELLS // len(series)):
                return
            cells = (series[n].values.get(index, "") if n in group else "" for n in range(len(series)))
            yield (categories.get(index, ""), *cells)


def _series(element: Any) -> _Series:
    name = child(element, "tx")
    categories: dict[int, str] = {}
    values: dict[int, str] = {}
    for tag, points in (("cat", categories), ("xVal", categories), ("val", values), ("yVal", values)):
        source = child(element, tag)
        if source is not None:
            points.update(_points(source))
    bubbles = child(element, "bubbleSize")
    for index, size in _points(bubbles).items() if bubbles is not None else ():
        values[index] = f"{values.get(index, '')} ({size})".strip()
    return _Series(_cached(name) if name is not None else "", categories, values)


def _points(source: Any) -> dict[int, str]:
    """Return the points that a reference of a series has in store, those of several levels as "2023 / May"."""
    code = next((element.text or "" for element in source.iter("{*}formatCode")), "")
    levels = list(source.iter("{*}lvl")) or [source]
    points: dict[int, str] = {}
    for level in levels[:10]:  # from the innermost outwards
        own_points: dict[int, str] = {}
        for point in level.iter("{*}pt"):
            index = value(point, "idx")
            text = " ".join("".join(part.text or "" for part in point if local(part) == "v").split())[:_TEXT]
            if text and index.isdigit() and len(index) < 7 and len(own_points) < _ROWS:
                is_number = any(local(ancestor) in ("numCache", "numLit") for ancestor in point.iterancestors())
                own_points[int(index)] = (
                    number_format.shown(text, value(point, "formatCode") or code) if is_number else text
                )
        if points:  # one outer entry stands for all that follow it
            last, outer = "", {}
            for place in range(max(points) + 1):
                last = own_points.get(place, last)
                outer[place] = last
            points = {i: f"{outer.get(i)} / {text}" if outer.get(i) else text for i, text in points.items()}
        else:
            points = own_points
    return points


def _is_extended(root: Any) -> bool:
    return next(root.iter("{*}chartData"), None) is not None


def _extended(root: Any, element: Any) -> _Series:
    identity = next((value(reference, "val") for reference in element if local(reference) == "dataId"), "")
    data = next((candidate for candidate in root.iter("{*}data") if value(candidate, "id") == identity), None)
    name = child(element, "tx")
    return _extended_data(data, _cached(name) if name is not None else "")


def _extended_data(data: Any, name: str) -> _Series:
    """Return a series of the newer kind from its data, which may be None."""
    categories: dict[int, str] = {}
    values: dict[int, str] = {}
    for dimension in data if data is not None else ():
        points = values if local(dimension) == "numDim" else categories
        code = next((value(level, "formatCode") for level in dimension.iter("{*}lvl")), "")
        for point in dimension.iter("{*}pt"):
            index = value(point, "idx")
            if index.isdigit() and len(index) < 7 and len(points) < _ROWS and (point.text or "").strip():
                text = " ".join((point.text or "").split())[:_TEXT]
                text = number_format.shown(text, code) if points is values else text
                # The levels of a hierarchy stand from the innermost outwards.
                points[int(index)] = f"{text} / {points[int(index)]}" if int(index) in points else text
    return _Series(name, categories, values)


def _title(root: Any) -> str:
    for element in root.iter("{*}title"):
        if local(element.getparent()) not in _AXES:
            return _cached(element)
    return ""


def _labels(root: Any) -> Iterator[str]:
    """Yield titles of axes and labels of points that a person wrote."""
    for element in root.iter("{*}title", "{*}dLbl", "{*}trendline"):
        if local(element) == "title" and local(element.getparent()) not in _AXES:
            continue
        text = _words(element, "t") or (_cached(element) if local(element) == "title" else "")
        name = child(element, "name") if local(element) == "trendline" else None
        text = text or (_words(name) if name is not None else "")
        if text:
            yield text
    for cache in root.iter("{*}dlblRangeCache"):
        yield from (text for point in cache.iter("{*}v") if (text := _words(point)))


def _cached(element: Any) -> str:
    """Return the words of a title or of the name of a series: written, or in store from a cell."""
    words = _words(element, "t")
    return words or " ".join(text for value_element in element.iter("{*}v") if (text := _words(value_element)))[:_TEXT]


def _paragraphs(cell: Any) -> str:
    return " ".join(filter(None, (_words(part) for part in cell if local(part) in ("p", "list"))))


def _words(element: Any, tag: str = "") -> str:
    texts = (part.text or "" for part in element.iter(f"{{*}}{tag}")) if tag else element.itertext()
    return plain_text.clean(" ".join("".join(texts).split()))[:_TEXT]


def _each(root: Any, tag: str) -> Iterable[Any]:
    elements: Iterable[Any] = root.iter(f"{{*}}{tag}")
    return elements
