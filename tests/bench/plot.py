"""A measured law as a picture: points, the straight line fitted to them, and what is left over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy

WIDE, HIGH, LEFT, UNDER = 460, 320, 62, 46
RIGHT, BOTTOM, LINE = WIDE - 18, HIGH - UNDER, 15
# Told apart by shade as well as by hue (Okabe and Ito 2008).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9")
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Fit:
    """``y = start + slope * x`` by least squares; ``worst`` is the largest relative distance of a point from it."""

    start: float
    slope: float
    r2: float
    worst: float


def fit(points: Points) -> Fit:
    """Needs two points with different x."""
    x, y = (numpy.array(values, dtype=float) for values in zip(*points, strict=True))
    slope, start = numpy.polyfit(x, y, 1)
    left = y - (slope * x + start)
    about = ((y - y.mean()) ** 2).sum()
    return Fit(
        float(start), float(slope), float(1 - (left**2).sum() / about) if about else 1.0, float(max(abs(left) / y))
    )


@dataclass(frozen=True, slots=True)
class Panel:
    """Points by name; a straight line is drawn through each of ``fitted``. ``diagonal`` draws where y equals x."""

    title: str
    x: str
    y: str
    points: Mapping[str, Points]
    fitted: Sequence[str] = ()
    diagonal: bool = False


def draw(path: Path, panels: Sequence[Panel]) -> None:
    """An SVG file with two panels a row."""
    rows = (len(panels) + 1) // 2
    size = f'width="{2 * WIDE}" height="{rows * HIGH}" viewBox="0 0 {2 * WIDE} {rows * HIGH}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">']
    parts.append(f'<rect width="{2 * WIDE}" height="{rows * HIGH}" fill="white"/>')
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({number % 2 * WIDE},{number // 2 * HIGH})">{_panel(panel)}</g>')
    path.write_text("\n".join([*parts, "</svg>", ""]), "utf-8")


def _panel(panel: Panel) -> str:
    all_points = [point for points in panel.points.values() for point in points]
    across, up = (_steps(max(values)) for values in zip(*all_points, strict=True))

    over = 44 + LINE * len(panel.points)  # the names stand above the plot, where no point can be

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + x / across[-1] * (RIGHT - LEFT), BOTTOM - y / up[-1] * (BOTTOM - over)

    parts = [_text(LEFT, 16, panel.title, bold=True)]
    parts.append(_text((LEFT + RIGHT) / 2, HIGH - 8, panel.x, anchor="middle"))
    parts.append(_text(LEFT - 44, over - 10, panel.y))
    for value in up:
        (x0, y), (x1, _) = place(0, value), place(across[-1], value)
        parts += [_line(x0, y, x1, y, "#dddddd"), _text(x0 - 6, y + 4, f"{value:,g}", anchor="end")]
    for value in across:
        x, y = place(value, 0)
        parts += [_line(x, y, x, y + 4, "#666666"), _text(x, y + 16, f"{value:,g}", anchor="middle")]
    if panel.diagonal:
        end = min(across[-1], up[-1])
        parts.append(_line(*place(0, 0), *place(end, end), "#999999", dashed=True))
    for number, (name, points) in enumerate(panel.points.items()):
        colour = COLOURS[number % len(COLOURS)]
        caption = name
        if name in panel.fitted:
            law = fit(points)
            # From the left edge of the plot, or from where the line comes up into it.
            first, last = (0.0 if law.start >= 0 else -law.start / law.slope), max(x for x, _ in points)
            parts.append(
                _line(*place(first, law.start + law.slope * first), *place(last, law.start + law.slope * last), colour)
            )
            caption = f"{name}: R² {law.r2:.4f}, farthest {law.worst:.0%}"
        for point in points:
            x, y = place(*point)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        beside = 22 + LINE * number
        parts.append(f'<circle cx="{LEFT + 4}" cy="{beside + 4}" r="3.5" fill="{colour}"/>')
        parts.append(_text(LEFT + 13, beside + 8, caption))
    return "".join(parts)


def _steps(highest: float) -> list[float]:
    """Round numbers from 0 to past ``highest``, four to seven of them."""
    rough = highest / 5
    unit = 10.0 ** numpy.floor(numpy.log10(rough))
    step = next(float(unit * factor) for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough)
    return [step * number for number in range(int(numpy.ceil(highest * 1.0001 / step)) + 1)]


def _text(x: float, y: float, words: str, *, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'


def _line(x0: float, y0: float, x1: float, y1: float, colour: str, *, dashed: bool = False) -> str:
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}"{dashes}/>'
